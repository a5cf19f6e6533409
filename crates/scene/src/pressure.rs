//! Pressure fields of bodies: what a file says, and the fields it stands for.

use crate::error::{Issue, SceneError};
use crate::fineness;
use crate::mesh::{MeshSpec, build_mesh};
use crate::reader::Reader;
use crate::soft::{build_solid, solid};
use crate::spec::{FieldKind, LawSpec, PressureSpec, Shape, SolidSpec};
use impinge_geometry::generators::{self, Thread};
use impinge_geometry::{DVec3, TetMesh, closed_mass_properties};
use impinge_meshing::{FillError, FillOptions, fill, fill_fitted, tets_about};
use impinge_pressure::{BodyError, CompliantBody, FieldLaw, LayerLaw, fields};
use std::path::Path;

/// Reads `body.pressure`.
pub(crate) fn read(body: &Reader<'_>, shape: &Shape) -> Option<PressureSpec> {
    let t = body.table("pressure")?;
    let plane = matches!(shape, Shape::Plane { .. });
    if !plane && !matches!(shape, Shape::Mesh(_)) {
        body.refuse(
            "pressure",
            "is of bodies that keep their shape",
            "take it out, or give the body a `mesh`",
        );
    }
    let (what, fix) = ("does not apply to a plane", "take it out; a plane has `modulus` and `thickness`");
    for key in ["field", "resolution", "solid", "law"].into_iter().filter(|_| plane) {
        t.refuse(key, what, fix);
    }
    if plane && !t.states("thickness") {
        let what =
            "the pressure on a plane grows with depth over the thickness of a layer, and there is none";
        t.issues().push(t.place("modulus"), what, "add `thickness = …` (m)");
    }
    if !plane {
        t.refuse("thickness", "is of planes; a mesh is as thick as it is", "take it out");
    }
    let given = t.table("solid");
    let fields =
        [("exact", FieldKind::Exact), ("laplace", FieldKind::Laplace), ("distance", FieldKind::Distance)];
    let known = plane || matches!(shape, Shape::Mesh(m) if has_exact_field(m));
    let best = if given.is_none() && known { FieldKind::Exact } else { FieldKind::Distance };
    let field = t.opt_word("field", &fields).unwrap_or(best);
    if field == FieldKind::Exact && given.is_some() {
        t.refuse("solid", "has no exact field", "take out `field`, or choose \"distance\" or \"laplace\"");
    }
    let spec = PressureSpec {
        modulus: t.number("modulus"),
        dissipation: t.opt_number("dissipation"),
        field,
        resolution: t.opt_number("resolution"),
        solid: given.map(|s| solid(&s)),
        thickness: t.opt_number("thickness").unwrap_or(1.0),
        law: t.table("law").filter(|_| !plane).and_then(|t| law(&t)),
    };
    if let Shape::Mesh(mesh) = shape
        && field == FieldKind::Exact
        && spec.solid.is_none()
        && !has_exact_field(mesh)
    {
        let fix = "take `field` out: the mesh is then filled with tets about `resolution` long, which carry the distance to its surface";
        t.issues().push(t.place("field"), "this mesh has no exact pressure field", fix);
    }
    if matches!(spec.solid, Some(SolidSpec::Lattice { .. })) {
        let what = "a lattice is no fill of the surface: its tets stand out of it";
        t.issues().push(t.place("solid"), what, "use tets that end at the surface (`file`, or a shape)");
    }
    Some(spec)
}

/// Reads `body.pressure.law`.
fn law(t: &Reader<'_>) -> Option<LawSpec> {
    let bound = t.if_stated("bound");
    let bounded = t.word("kind", &[("logarithmic", false), ("bounded", true)]);
    let (law, end) = match (bounded, bound) {
        (true, Some(bound)) => (LayerLaw::Bounded { bound }, bound),
        (true, None) => {
            t.issues().push(
                t.place("kind"),
                "a bounded law has a largest strain, and there is none",
                "add `bound = …`",
            );
            return None;
        }
        (false, _) if t.is_bad("kind") => return None,
        (false, _) => {
            t.refuse("bound", "goes with `kind = \"bounded\"` only", "take it out, or choose that law");
            (LayerLaw::Logarithmic, 1.0)
        }
    };
    let most = t.opt_number("most").unwrap_or(0.9 * end);
    if most >= end {
        let what = format!("the law has no finite pressure at the strain {most}");
        t.issues().push(t.place("most"), what, format!("give a strain below {end}"));
        return None;
    }
    let tolerance = t.number("tolerance");
    if tolerance < 1e-6 {
        t.issues().push(
            t.place("tolerance"),
            "chords this short are too many",
            "give 1e-6 or more (0.02 is 2 %)",
        );
        return None;
    }
    Some(LawSpec { law, most, tolerance })
}

/// Shapes whose medial axis is known.
pub(crate) fn has_exact_field(mesh: &MeshSpec) -> bool {
    use MeshSpec::{Box, Capsule, Cylinder, Ellipsoid, Icosphere, Plate, UvSphere};
    match mesh {
        Box { .. }
        | Plate { .. }
        | Icosphere { .. }
        | Cylinder { .. }
        | Capsule { .. }
        | Ellipsoid { .. } => true,
        UvSphere { flat_pole, .. } => !flat_pole,
        _ => false,
    }
}

impl PressureSpec {
    /// The field on the tets of a mesh, in the frame of the mesh.
    pub(crate) fn build(&self, mesh: &MeshSpec, base_dir: &Path) -> Result<CompliantBody, SceneError> {
        let refused = |e: BodyError| {
            SceneError::from(Issue::placeless("pressure", e.to_string(), "change `pressure` of this body"))
        };
        let straight = self.straight(mesh, base_dir, &refused)?;
        let Some(LawSpec { law, most, tolerance }) = self.law else { return Ok(straight) };
        FieldLaw::new(law, most).and_then(|law| fields::bend(&straight, &law, tolerance)).map_err(refused)
    }

    /// The field with p = E ε.
    fn straight(
        &self,
        mesh: &MeshSpec,
        base_dir: &Path,
        refused: &impl Fn(BodyError) -> SceneError,
    ) -> Result<CompliantBody, SceneError> {
        if self.field == FieldKind::Exact {
            return self.exact(mesh).map_err(refused);
        }
        let made = match &self.solid {
            Some(s) => {
                fineness::of_solid(fineness::tets(s))?;
                build_solid(s, base_dir)?
            }
            None => match (solid_of(mesh), mesh) {
                (Some(([size, longest], solid)), _) => {
                    let shortest = fineness::shortest(longest);
                    let h = self.resolution.unwrap_or(shortest.max(0.5 * size));
                    fineness::of_length(h, self.resolution.is_some(), |h| {
                        if h < shortest { f64::INFINITY } else { fineness::tets(&solid(h)) }
                    })?;
                    build_solid(&solid(h), base_dir)?
                }
                (None, &MeshSpec::Nut { thread, outer, length, segments, stacks }) => {
                    self.nut(thread, [outer, length], [segments, stacks])?
                }
                (None, _) => self.filled(mesh, base_dir)?,
            },
        };
        fineness::of_solid(made.tets().len() as f64)?;
        match self.field {
            FieldKind::Laplace => fields::laplace(made, None, self.modulus).map(|(body, _)| body),
            _ => fields::distance(made, self.modulus, true),
        }
        .map_err(refused)
    }

    fn exact(&self, mesh: &MeshSpec) -> Result<CompliantBody, BodyError> {
        let e = self.modulus;
        let fine = |size: f64| self.resolution.unwrap_or(0.5 * size);
        match *mesh {
            MeshSpec::Box { size, .. } => fields::cuboid(size, e),
            MeshSpec::Plate { size, thickness, .. } => {
                fields::cuboid(DVec3::new(size[0], size[1], thickness), e)
            }
            MeshSpec::Icosphere { radius, .. } | MeshSpec::UvSphere { radius, .. } => {
                fields::sphere(radius, fine(radius), e)
            }
            MeshSpec::Ellipsoid { radii, .. } => fields::ellipsoid(radii, fine(radii.component_min()), e),
            MeshSpec::Cylinder { radius, height, .. } => {
                fields::cylinder(radius, height, fine(radius.min(0.5 * height)), e)
            }
            MeshSpec::Capsule { radius, length, .. } => fields::capsule(radius, length, fine(radius), e),
            _ => Err(BodyError::Parameter {
                reason: "this mesh has no exact pressure field; give its tets by `solid`".to_string(),
            }),
        }
    }

    /// Tets under a nut's own facets, in layers about `resolution` thick across the thinnest wall: a filling of cubes would lose the thread.
    fn nut(
        &self,
        thread: Thread,
        [outer, length]: [f64; 2],
        [segments, stacks]: [u32; 2],
    ) -> Result<TetMesh, SceneError> {
        let wall = outer - thread.radius;
        let layers = |h: f64| (wall / h).ceil().max(2.0) as u32;
        let h = self.resolution.unwrap_or(0.5 * wall);
        let cells = 6.0 * f64::from(segments) * f64::from(stacks);
        fineness::of_length(h, self.resolution.is_some(), |h| cells * f64::from(layers(h)))?;
        let layers = layers(h);
        generators::tet_nut(thread, outer, length, segments, stacks, layers).map_err(|e| {
            Issue::placeless("pressure", e.to_string(), "change the mesh, or `resolution`").into()
        })
    }

    /// Tets inside any closed surface.
    fn filled(&self, mesh: &MeshSpec, base_dir: &Path) -> Result<TetMesh, SceneError> {
        let surface = build_mesh(mesh, base_dir)?;
        let refused = |e: FillError| {
            let fix = match e {
                FillError::TooMany { cell, .. } => {
                    format!("give tets by `solid`, or `resolution = {cell:.1e}` to have as many")
                }
                _ => "change the `resolution` of `pressure`, mend the mesh (`impinge mesh FILE`), or give tets by `solid`".to_string(),
            };
            SceneError::from(Issue::placeless("pressure", e.to_string(), fix))
        };
        let stated = self.resolution.map(FillOptions::cell);
        let options = match stated {
            Some(options) => options,
            None => FillOptions::unasked(&surface).map_err(refused)?,
        };
        // What bounds no volume is refused by the filling.
        let mass = closed_mass_properties(&surface);
        let count = |h: f64| mass.as_ref().map_or(0.0, |mass| tets_about(mass, h));
        fineness::of_length(options.cell, stated.is_some(), count)?;
        let filled = if stated.is_some() { fill } else { fill_fitted };
        Ok(filled(&surface, options).map_err(refused)?.mesh)
    }
}

/// Size of which tets are half as long, the longest side (m), and the shape in tets of a length (m).
type Solid = ([f64; 2], Box<dyn Fn(f64) -> SolidSpec>);

/// A generator's shape; `None` for those without tets of their own.
fn solid_of(mesh: &MeshSpec) -> Option<Solid> {
    fn cells(length: f64, h: f64) -> u32 {
        (length / h).ceil().max(1.0) as u32
    }
    let cuboid = |size: DVec3| -> Solid {
        let segments = move |h: f64| [size.x, size.y, size.z].map(|l| cells(l, h));
        let sizes = [size.component_min(), size.component_max()];
        (sizes, Box::new(move |h| SolidSpec::Box { size, segments: segments(h) }))
    };
    Some(match *mesh {
        MeshSpec::Box { size, .. } => cuboid(size),
        MeshSpec::Plate { size, thickness, .. } => cuboid(DVec3::new(size[0], size[1], thickness)),
        MeshSpec::Cylinder { radius, height, .. } => (
            [radius.min(0.5 * height), radius.max(height)],
            Box::new(move |h| SolidSpec::Cylinder {
                radius,
                height,
                rings: cells(radius, h),
                stacks: cells(height, h),
            }),
        ),
        MeshSpec::Capsule { radius, length, .. } => (
            [radius, radius.max(length)],
            Box::new(move |h| SolidSpec::Capsule {
                radius,
                length,
                rings: cells(radius, h),
                stacks: cells(length, h),
            }),
        ),
        MeshSpec::Torus { major, minor, segments, .. } => (
            [minor, std::f64::consts::TAU * minor],
            Box::new(move |h| {
                let around = cells(std::f64::consts::TAU * minor, h);
                SolidSpec::Torus { major, minor, segments, sides: around.max(4) }
            }),
        ),
        MeshSpec::Icosphere { radius, .. } | MeshSpec::UvSphere { radius, flat_pole: false, .. } => {
            ([radius; 2], Box::new(move |h| SolidSpec::Sphere { radius, rings: cells(radius, h) }))
        }
        _ => return None,
    })
}
