//! Deformable bodies of a scene file: read, then built.

use crate::document::Document;
use crate::error::{Issue, SceneError};
use crate::mesh::{self, MeshSpec, build_mesh};
use crate::reader::Reader;
use crate::spec::{Fabric, MaterialSpec, Shape, SoftMotion, SolidSpec};
use impinge_contact::Embedding;
use impinge_elasticity::Material;
use impinge_elasticity::rod::Section;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, TetMesh, TriMesh, generators, mass_properties};
use impinge_io::{ReadOptions, UpAxis};
use impinge_world::{ClothSpec, Deformable, DeformableError, StrainLimits};
use std::path::{Path, PathBuf};

/// Reads a `solid` table.
pub(crate) fn solid(table: &Reader<'_>) -> SolidSpec {
    let stand_in = SolidSpec::Sphere { radius: 1.0, rings: 1 };
    let names: Vec<&'static str> = crate::schema::SOLID.names();
    let Some(kind) = table.exactly_one(&names) else { return stand_in };
    let Some(t) = table.table(kind) else { return stand_in };
    match kind {
        "box" => SolidSpec::Box { size: t.vector("size"), segments: t.segments("segments") },
        "sphere" => SolidSpec::Sphere { radius: t.number("radius"), rings: t.count("rings") },
        "cylinder" => SolidSpec::Cylinder {
            radius: t.number("radius"),
            height: t.number("height"),
            rings: t.count("rings"),
            stacks: t.count("stacks"),
        },
        "capsule" => SolidSpec::Capsule {
            radius: t.number("radius"),
            length: t.number("length"),
            rings: t.count("rings"),
            stacks: t.count("stacks"),
        },
        "torus" => SolidSpec::Torus {
            major: t.number("major"),
            minor: t.number("minor"),
            segments: t.count("segments"),
            sides: t.count("sides"),
        },
        "lattice" => SolidSpec::Lattice {
            cell: t.number("cell"),
            surface: Box::new(t.table("surface").map_or_else(MeshSpec::stand_in, |m| mesh::read(&m))),
        },
        _ => SolidSpec::File {
            path: PathBuf::from(t.text("path")),
            scale: t.number("scale"),
            center: t.opt_vector("center"),
        },
    }
}

/// Reads the rest of a deformable body.
pub(crate) fn motion(table: &Reader<'_>, shape: &Shape, material: Option<&MaterialSpec>) -> SoftMotion {
    let density = table.if_stated("density").or_else(|| material.and_then(|m| m.density));
    if let (None, Some(m)) = (density, material) {
        let what = format!("a deformable body needs a density, and `{}` has none", m.name);
        table.issues().push(
            table.place("material"),
            what,
            "add `density = …` (kg/m³) here or to the material",
        );
    }
    let density = density.unwrap_or(1.0);
    let (key, others) = match shape {
        Shape::Sheet(_) => ("cloth", ["elastic", "cable"]),
        Shape::Line(_) => ("cable", ["elastic", "cloth"]),
        _ => ("elastic", ["cloth", "cable"]),
    };
    for other in others {
        table.refuse(other, "does not go with this shape", &format!("use `{key}`"));
    }
    let Some(t) = table.table(key) else {
        let what = format!("this deformable body does not say what it is made of: it has no `{key}`");
        table.issues().push(table.place("kind"), what, format!("add `{key} = {{ young = …, … }}`"));
        let material = Material::new(1.0, 0.3, density);
        return SoftMotion {
            fabric: Fabric::Elastic { model: Model::Corotational, material },
            velocity: DVec3::zero(),
            angular_velocity: DVec3::zero(),
            linear_drag: 0.0,
            attach: Vec::new(),
            self_contact: false,
            strain: None,
        };
    };
    let rayleigh = [t.number("rayleigh_mass"), t.number("rayleigh_stiffness")];
    let fabric = match key {
        "cloth" => Fabric::Cloth(ClothSpec {
            young: t.number("young"),
            poisson: t.number("poisson"),
            thickness: t.number("thickness"),
            density,
            bending: t.number("bending"),
            rayleigh,
        }),
        "cable" => Fabric::Cable {
            young: t.number("young"),
            radius: t.number("radius"),
            density,
            bending: t.number("bending"),
            rayleigh,
        },
        _ => {
            let poisson = t.number("poisson");
            if !(poisson > -1.0 && poisson < 0.5) {
                let what = format!("Poisson's ratio is {poisson}; it must be above -1 and below 0.5");
                t.issues().push(t.place("poisson"), what, "0.5 is incompressible: give 0.49 or less");
            }
            let model = t.word(
                "model",
                &[("corotational", Model::Corotational), ("neo-hookean", Model::StableNeoHookean)],
            );
            let material =
                Material::new(t.number("young"), poisson, density).with_rayleigh(rayleigh[0], rayleigh[1]);
            Fabric::Elastic { model, material }
        }
    };
    let self_contact = table.flag("self_contact");
    let strain = table.table("strain_limit").map(|t| {
        let limits = StrainLimits { upper: t.if_stated("upper"), lower: t.if_stated("lower") };
        if limits == StrainLimits::default() {
            t.issues().push(
                table.place("strain_limit"),
                "it limits nothing",
                "give `upper`, `lower` or both",
            );
        }
        limits
    });
    if strain.is_some() && matches!(shape, Shape::Solid(_)) {
        table.refuse("strain_limit", "is for the edges of cloth and cables", "take it out");
    }
    SoftMotion {
        fabric,
        velocity: table.vector("velocity"),
        angular_velocity: table.vector("angular_velocity"),
        linear_drag: table.number("linear_drag"),
        attach: crate::attach::read(table),
        self_contact,
        strain,
    }
}

/// Surfaces in their lattices, each different one made once: a scene of forty dragons spent a twentieth of its run on them.
#[derive(Default)]
pub(crate) struct Lattices(Vec<(SolidSpec, Lattice)>);

#[derive(Clone)]
struct Lattice {
    skin: TriMesh,
    /// Of the skin (m³).
    volume: f64,
    cage: crate::cage::Cage,
}

impl Lattices {
    fn get(&mut self, spec: &SolidSpec, base_dir: &Path) -> Result<Lattice, SceneError> {
        let SolidSpec::Lattice { cell, surface } = spec else {
            return Err(Issue::placeless("solid", "a lattice was looked for", "").into());
        };
        if let Some((_, made)) = self.0.iter().rfind(|(s, _)| s == spec) {
            return Ok(made.clone());
        }
        let plain = |what: String, fix: &str| SceneError::from(Issue::placeless("body", what, fix));
        let skin = build_mesh(surface, base_dir)?;
        let volume = mass_properties(&skin)
            .map_err(|e| plain(e.to_string(), &crate::meshes::mend(surface, base_dir, &e)))?
            .volume;
        let cage = crate::cage::cage(&skin, *cell).map_err(|what| plain(what, "change `cell`"))?;
        let made = Lattice { skin, volume, cage };
        self.0.push((spec.clone(), made.clone()));
        Ok(made)
    }
}

/// Builds a deformable body, in its own frame; `slot` finds bodies by name.
pub(crate) fn build(
    name: &str,
    shape: &Shape,
    motion: &SoftMotion,
    (document, base_dir): (&Document, &Path),
    lattices: &mut Lattices,
    slot: impl Fn(&str) -> Option<u32>,
) -> Result<Deformable, SceneError> {
    let refused = |e: DeformableError| SceneError::from(Issue::placeless("body", e.to_string(), ""));
    let plain = |what: String, fix: &str| SceneError::from(Issue::placeless("body", what, fix));
    let mut body = match (shape, &motion.fabric) {
        (Shape::Solid(spec @ SolidSpec::Lattice { .. }), Fabric::Elastic { model, material }) => {
            let Lattice { skin, volume, cage } = lattices.get(spec, base_dir)?;
            let filled: f64 = cage.mesh.volumes().iter().sum();
            let light = Material { density: material.density * volume / filled, ..*material };
            let nodes = cage.mesh.positions().len();
            let embedding =
                Embedding::new(nodes, &cage.nodes, &cage.weights).map_err(|e| plain(e.to_string(), ""))?;
            Deformable::solid(name, &cage.mesh, *model, &light)
                .and_then(|d| d.with_skin(name, skin, embedding))
                .map_err(refused)?
        }
        (Shape::Solid(spec), Fabric::Elastic { model, material }) => {
            let tets = build_solid(spec, base_dir)?;
            Deformable::solid(name, &tets, *model, material).map_err(refused)?
        }
        (Shape::Sheet(spec), Fabric::Cloth(cloth)) => {
            Deformable::cloth(name, &build_mesh(spec, base_dir)?, cloth).map_err(refused)?
        }
        (Shape::Line(line), &Fabric::Cable { young, radius, density, bending, rayleigh }) => {
            let round = Section::round(young, 0.3, radius, density).map_err(|e| plain(e.to_string(), ""))?;
            let section = Section { ei: round.ei.map(|ei| ei * bending), ..round };
            let made = Deformable::cable(name, line, &section, rayleigh).map_err(refused)?;
            made.with_thickness(2.0 * radius)
        }
        _ => return Err(plain("its shape and what it is made of do not go together".to_string(), "")),
    };
    if motion.self_contact {
        body = body.self_contact(name).map_err(refused)?;
    }
    if let Some(limits) = motion.strain {
        body = body.with_strain_limits(name, limits).map_err(refused)?;
    }
    crate::attach::hold(body, name, &motion.attach, document, slot)
}

pub(crate) fn build_solid(spec: &SolidSpec, base_dir: &Path) -> Result<TetMesh, SceneError> {
    let built = match *spec {
        SolidSpec::Box { size, segments } => generators::tet_box(size, segments),
        SolidSpec::Sphere { radius, rings } => generators::tet_sphere(radius, rings),
        SolidSpec::Cylinder { radius, height, rings, stacks } => {
            generators::tet_cylinder(radius, height, rings, stacks)
        }
        SolidSpec::Capsule { radius, length, rings, stacks } => {
            generators::tet_capsule(radius, length, rings, stacks)
        }
        SolidSpec::Torus { major, minor, segments, sides } => {
            generators::tet_torus(major, minor, segments, sides)
        }
        SolidSpec::Lattice { .. } => {
            return Err(Issue::placeless("solid", "a lattice needs its surface", "").into());
        }
        SolidSpec::File { ref path, scale, center } => return from_file(&base_dir.join(path), scale, center),
    };
    built.map_err(|e| Issue::placeless("solid", e.to_string(), "").into())
}

fn from_file(path: &Path, scale: f64, center: Option<DVec3>) -> Result<TetMesh, SceneError> {
    let refuse = |what: String, fix: &str| SceneError::from(Issue::placeless("solid", what, fix));
    let mesh = impinge_io::read_tets(path, &ReadOptions { scale, up: UpAxis::Z })
        .map_err(|e| refuse(e.to_string(), ""))?;
    let Some(center) = center else { return Ok(mesh) };
    let (lo, hi) = mesh.bounds();
    let shift = center - (lo * 0.5 + hi * 0.5);
    mesh.mapped(|p| p + shift).map_err(|e| refuse(e.to_string(), ""))
}
