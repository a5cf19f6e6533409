//! A body of `impinge wrench`: a surface, and a pressure field that fits it.

use super::pose::numbers;
use impinge_geometry::{
    DVec3, MeshError, TetMesh, TetTopology, TriMesh, capsule, cuboid, cylinder, icosphere,
};
use impinge_io::{ReadOptions, SUPPORTED_TET_EXTENSIONS, read_mesh, read_tets};
use impinge_meshing::{FillOptions, fill_fitted};
use impinge_pressure::{BodyError, CompliantBody, fields};
use std::path::Path;

/// Facets around a primitive.
const AROUND: u32 = 48;
const BALL: u32 = 4;

/// A body, about its own origin.
pub struct Solid {
    /// Its closed surface.
    pub surface: TriMesh,
    kind: Kind,
}

enum Kind {
    Box(DVec3),
    Sphere(f64),
    Cylinder(f64, f64),
    Capsule(f64, f64),
    Tets(TetMesh),
    Surface,
}

impl Solid {
    /// From a word such as `box:1,1,1`, or a file.
    ///
    /// # Errors
    /// A word nobody knows, a file that cannot be read, a surface without an inside.
    pub fn read(text: &str) -> Result<Self, String> {
        let made = |e: MeshError| format!("{text}: {e}");
        let word = text.split_once(':').filter(|_| !Path::new(text).exists());
        if let Some((name, sizes)) = word {
            let sizes = numbers(text, sizes)?;
            let (kind, surface) = match (name, &sizes[..]) {
                ("box", &[x, y, z]) => (Kind::Box(DVec3::new(x, y, z)), cuboid(DVec3::new(x, y, z), [1; 3])),
                ("sphere", &[r]) => (Kind::Sphere(r), icosphere(r, BALL)),
                ("cylinder", &[r, l]) => (Kind::Cylinder(r, l), cylinder(r, l, AROUND, 1)),
                ("capsule", &[r, l]) => (Kind::Capsule(r, l), capsule(r, l, AROUND, AROUND / 4)),
                _ => {
                    return Err(format!(
                        "{text} is no body; write box:X,Y,Z, sphere:R, cylinder:R,LENGTH or capsule:R,LENGTH in metres, or a file"
                    ));
                }
            };
            return Ok(Self { surface: surface.map_err(made)?, kind });
        }
        let file = Path::new(text);
        let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        if SUPPORTED_TET_EXTENSIONS.contains(&ending.as_str()) {
            let tets = read_tets(file, &ReadOptions::default()).map_err(|e| e.to_string())?;
            let surface = TetTopology::new(&tets).surface(&tets).map_err(made)?.mesh;
            return Ok(Self { surface, kind: Kind::Tets(tets) });
        }
        let surface = read_mesh(file, &ReadOptions::default()).map_err(|e| e.to_string())?;
        impinge_geometry::mass_properties(&surface)
            .map_err(|e| format!("{}; `impinge mesh {text}` says which repair helps", made(e)))?;
        Ok(Self { surface, kind: Kind::Surface })
    }

    /// How much its facets take off what it is called; `None` where they are exact.
    pub fn faceted(&self, name: &str) -> Option<String> {
        use std::f64::consts::PI;
        let exact = match self.kind {
            Kind::Sphere(r) => 4.0 / 3.0 * PI * r.powi(3),
            Kind::Cylinder(r, l) => PI * r * r * l,
            Kind::Capsule(r, l) => PI * r * r * (l + 4.0 / 3.0 * r),
            Kind::Box(_) | Kind::Tets(_) | Kind::Surface => return None,
        };
        let volume = impinge_geometry::mass_properties(&self.surface).ok()?.volume;
        Some(format!(
            "{name} has {} facets: its volume is {:.2} % below that of the round shape, under every law but `pressure`",
            self.surface.triangles().len(),
            100.0 * (1.0 - volume / exact)
        ))
    }

    /// Its pressure field: exact for the words, by the distance to the surface at tets for files.
    ///
    /// # Errors
    /// A surface that cannot be filled with tets, or tets without a field.
    pub fn field(&self, modulus: f64) -> Result<CompliantBody, String> {
        let fine = |r: f64| std::f64::consts::TAU * r / f64::from(AROUND);
        let field: Result<CompliantBody, BodyError> = match &self.kind {
            Kind::Box(size) => fields::cuboid(*size, modulus),
            Kind::Sphere(r) => fields::sphere(*r, fine(*r), modulus),
            Kind::Cylinder(r, l) => fields::cylinder(*r, *l, fine(*r), modulus),
            Kind::Capsule(r, l) => fields::capsule(*r, *l, fine(*r), modulus),
            Kind::Tets(tets) => fields::distance(tets.clone(), modulus, true),
            Kind::Surface => {
                let filled = FillOptions::unasked(&self.surface)
                    .and_then(|options| fill_fitted(&self.surface, options));
                fields::distance(filled.map_err(|e| e.to_string())?.mesh, modulus, true)
            }
        };
        field.map_err(|e| e.to_string())
    }
}
