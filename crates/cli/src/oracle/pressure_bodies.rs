//! Family `pressure_bodies`: wrench, area, polygons, energy, damping and friction of bodies with a field (seed 004).

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::pressure_body::Body;
use impinge_geometry::{DVec3, Pose, TriMesh};
use impinge_pressure::{
    ContactSurface, Coulomb, Dissipation, HalfSpace, Motion, Quadrature, RigidSurface, Rule, Shape,
    TractionLaw, Workspace, contact, energy, tractions,
};
use serde::Deserialize;

/// The family.
pub struct PressureBodies;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    kind: String,
    A: Body,
    #[serde(default)]
    B: Option<Body>,
    moment_point: [f64; 3],
    #[serde(default)]
    plane_normal: Option<[f64; 3]>,
    #[serde(default)]
    plane_offset: Option<f64>,
    #[serde(default)]
    pressure_per_depth: Option<f64>,
    #[serde(default)]
    rigid_vertices: Option<Vec<[f64; 3]>>,
    #[serde(default)]
    rigid_triangles: Option<Vec<[u32; 3]>>,
    #[serde(default)]
    velocity_A_minus_B: Option<[f64; 3]>,
    #[serde(default)]
    mu: f64,
    #[serde(default)]
    chi: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Expected {
    #[serde(default)]
    degenerate: bool,
    energy: f64,
    #[serde(default)]
    fd_rel_error: f64,
    #[serde(default)]
    area: Option<f64>,
    #[serde(default)]
    int_p: Option<f64>,
    #[serde(default)]
    n_polygons: Option<usize>,
    #[serde(default)]
    polygons: Option<Vec<Polygon>>,
    #[serde(default)]
    force_on_A: Option<[f64; 3]>,
    #[serde(default)]
    moment_on_A: Option<[f64; 3]>,
    #[serde(default)]
    static_force_on_A: Option<[f64; 3]>,
    #[serde(default)]
    static_moment_on_A: Option<[f64; 3]>,
    #[serde(default)]
    normal_force_on_A: Option<[f64; 3]>,
    #[serde(default)]
    normal_moment_on_A: Option<[f64; 3]>,
    #[serde(default)]
    friction_force_on_A: Option<[f64; 3]>,
    #[serde(default)]
    friction_moment_on_A: Option<[f64; 3]>,
    tol_force: f64,
    tol_moment: f64,
    tol_energy: f64,
    tol_area: f64,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Polygon {
    tetA: u32,
    tetB: u32,
    normal: [f64; 3],
    area: f64,
    int_p: f64,
}

impl Input {
    fn other(&self) -> Result<Shape, Malformed> {
        let missing = |what: &str| Malformed(format!("a case of kind {} without {what}", self.kind));
        let bad = |e: &dyn std::fmt::Display| Malformed(e.to_string());
        match self.kind.as_str() {
            "tet_tet" => Ok(self.B.as_ref().ok_or_else(|| missing("B"))?.build()?.into()),
            "rigid_box" => {
                let vertices = self.rigid_vertices.as_ref().ok_or_else(|| missing("rigid_vertices"))?;
                let triangles = self.rigid_triangles.as_ref().ok_or_else(|| missing("rigid_triangles"))?;
                let mesh = TriMesh::from_arrays(vertices, triangles).map_err(|e| bad(&e))?;
                Ok(RigidSurface::new(mesh).map_err(|e| bad(&e))?.into())
            }
            "half_space_rigid" | "half_space_compliant" => {
                let n = DVec3::from(self.plane_normal.ok_or_else(|| missing("plane_normal"))?);
                let d = self.plane_offset.ok_or_else(|| missing("plane_offset"))?;
                let half = match self.pressure_per_depth {
                    Some(k) => HalfSpace::layer(n, d, k, 1.0),
                    None => HalfSpace::rigid(n, d),
                };
                Ok(half.map_err(|e| bad(&e))?.into())
            }
            other => Err(Malformed(format!(
                "`kind` is {other}; known: tet_tet, half_space_rigid, half_space_compliant, rigid_box"
            ))),
        }
    }
}

impl Family for PressureBodies {
    const NAME: &'static str = "pressure_bodies";
    const KEYS: &'static str = "input{kind A{vertices tets eps modulus} B?{vertices tets eps modulus} moment_point plane_normal? \
        plane_offset? pressure_per_depth? rigid_vertices? rigid_triangles? velocity_A_minus_B? mu? chi?} \
        expected{degenerate? energy overlap_volume? fd_force fd_moment? fd_rel_error area? int_p? n_polygons? \
        polygons?{tetA tetB normal area centroid int_p} force_on_A? moment_on_A? static_force_on_A? static_moment_on_A? \
        normal_force_on_A? normal_moment_on_A? friction_force_on_A? friction_moment_on_A? tol_force tol_moment tol_energy \
        tol_area}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let (a, b): (Shape, Shape) = (input.A.build()?.into(), input.other()?);
        let here = Pose::identity();
        let mut surface = ContactSurface::new();
        contact(&a, &here, &b, &here, Rule::Paper, &mut Workspace::new(), &mut surface)
            .map_err(|e| Malformed(e.to_string()))?;
        let u = energy(&a, &here, &b, &here).map_err(|e| Malformed(e.to_string()))?;
        // Where the file's own energy does not have its force as its slope, it is as far off as that says.
        let doubt =
            if expected.fd_rel_error > 1e-6 && !expected.degenerate { expected.fd_rel_error } else { 0.0 };
        let tol_energy = expected.tol_energy.max(doubt * expected.energy.abs());
        out.number(|| "energy".into(), u, expected.energy, tol_energy);
        let point = DVec3::from(input.moment_point);
        let w = surface.wrench.about(point);
        if expected.degenerate {
            out.holds(w.force.mag().is_finite() && w.torque.mag().is_finite(), || {
                "the wrench is not finite".into()
            });
            return Ok(());
        }
        let mut vector = |name: &str, got: DVec3, want: Option<[f64; 3]>, tol: f64| {
            if let Some(want) = want {
                out.vector(|| name.into(), got, want.into(), tol);
            }
        };
        let (tf, tm) = (expected.tol_force, expected.tol_moment);
        vector("force_on_A", w.force, expected.force_on_A, tf);
        vector("moment_on_A", w.torque, expected.moment_on_A, tm);
        vector("static_force_on_A", w.force, expected.static_force_on_A, tf);
        vector("static_moment_on_A", w.torque, expected.static_moment_on_A, tm);
        if let Some(v) = input.velocity_A_minus_B {
            let motion = Motion { velocity: v.into(), spin: DVec3::zero(), point };
            let law = TractionLaw {
                dissipation: Dissipation::ExtentOfA(input.chi),
                friction: Coulomb::constant(input.mu),
                quadrature: Quadrature::Two,
            };
            let t = tractions(&surface, &motion, &law, None);
            let (n, f) = (t.normal.about(point), t.friction.about(point));
            vector("normal_force_on_A", n.force, expected.normal_force_on_A, tf);
            vector("normal_moment_on_A", n.torque, expected.normal_moment_on_A, tm);
            vector("friction_force_on_A", f.force, expected.friction_force_on_A, tf);
            vector("friction_moment_on_A", f.torque, expected.friction_moment_on_A, tm);
        }
        if let Some(area) = expected.area {
            out.number(|| "area".into(), surface.area, area, expected.tol_area);
        }
        if let Some(p) = expected.int_p {
            out.number(|| "int_p".into(), surface.pressure_integral, p, tf);
        }
        if let Some(n) = expected.n_polygons {
            out.holds(surface.faces.len() == n, || format!("{} polygons, expected {n}", surface.faces.len()));
        }
        for (i, want) in expected.polygons.iter().flatten().enumerate() {
            let found = surface.faces.iter().find(|f| (f.item_a, f.item_b) == (want.tetA, want.tetB));
            let Some(f) = found else {
                out.holds(false, || {
                    format!("polygons[{i}]: tets {} and {} share none", want.tetA, want.tetB)
                });
                continue;
            };
            let normal = surface.rotation * f.normal;
            out.vector(|| format!("polygons[{i}].normal"), normal, want.normal.into(), 1e-9);
            out.number(|| format!("polygons[{i}].area"), f.area, want.area, expected.tol_area);
            out.number(|| format!("polygons[{i}].int_p"), f.area * f.pressure, want.int_p, tf);
        }
        Ok(())
    }
}
