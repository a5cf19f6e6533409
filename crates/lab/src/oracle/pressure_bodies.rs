//! Family `pressure_bodies`: wrench, area, polygons, energy, damping and friction of bodies with a field (seed 004).

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::pressure_body::Body;
use super::tet_overlap::shared_volume;
use super::validate::{not_negative, unit};
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
    mu: Option<f64>,
    #[serde(default)]
    chi: Option<f64>,
}

/// `expected` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Expected {
    #[serde(default)]
    degenerate: bool,
    energy: f64,
    fd_force: [f64; 3],
    #[serde(default)]
    fd_moment: Option<[f64; 3]>,
    fd_rel_error: f64,
    #[serde(default)]
    overlap_volume: Option<f64>,
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
    centroid: [f64; 3],
    int_p: f64,
}

/// The most a file's finite differences may be off by its own account: they are there to tell a wrong force from a right one.
const DOUBT: f64 = 0.01;

impl Input {
    /// A value that a case of this kind has.
    fn needed<T>(&self, name: &str, value: Option<T>) -> Result<T, Malformed> {
        value.ok_or_else(|| Malformed(format!("a case of kind {} needs `{name}`", self.kind)))
    }

    /// Diagonal of the bounds of A and B (m).
    fn size(&self) -> f64 {
        let (mut lo, mut hi) = self.A.bounds();
        if let Some(b) = &self.B {
            let (l, h) = b.bounds();
            (lo, hi) = (lo.min_by_component(l), hi.max_by_component(h));
        }
        (hi - lo).mag()
    }

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
                let n = unit("plane_normal", self.plane_normal.ok_or_else(|| missing("plane_normal"))?)?;
                let d = self.plane_offset.ok_or_else(|| missing("plane_offset"))?;
                let half = match (self.pressure_per_depth, self.kind == "half_space_compliant") {
                    (Some(k), true) => HalfSpace::layer(n, d, k, 1.0),
                    (None, false) => HalfSpace::rigid(n, d),
                    (None, true) => return Err(missing("pressure_per_depth")),
                    (Some(_), false) => {
                        return Err(Malformed("a rigid half space has no `pressure_per_depth`".into()));
                    }
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
        let off = expected.fd_rel_error;
        if off < 0.0 || (off > DOUBT && !expected.degenerate) {
            return Err(Malformed(format!(
                "`fd_rel_error` is {off}; beyond {DOUBT} its energy says nothing"
            )));
        }
        // Where the file's own energy does not have its force as its slope, it is as far off as that says.
        let doubt = if off > 1e-6 && !expected.degenerate { off } else { 0.0 };
        let tol_energy = expected.tol_energy.max(doubt * expected.energy.abs());
        out.number(|| "energy".into(), u, expected.energy, tol_energy);
        if let (Shape::Compliant(a), Shape::Compliant(b)) = (&a, &b) {
            let (a, b) = (a.mesh(), b.mesh());
            let want = input.needed("overlap_volume", expected.overlap_volume)?;
            // The schema gives it no tolerance: that of an area, over the bodies' size.
            let size = input.size();
            let tol = expected.tol_area * size + 1e-12 * size * size * size;
            out.number(|| "overlap_volume".into(), shared_volume(a, b), want, tol);
        }
        let point = DVec3::from(input.moment_point);
        let w = surface.wrench.about(point);
        if expected.degenerate {
            if expected.force_on_A.is_some() || expected.polygons.as_ref().is_some_and(|p| !p.is_empty()) {
                return Err(Malformed("a degenerate case has no `force_on_A`, `polygons`".into()));
            }
            out.holds(w.force.mag().is_finite() && w.torque.mag().is_finite(), || {
                "the wrench is not finite".into()
            });
            return Ok(());
        }
        let area = input.needed("area", expected.area)?;
        out.number(|| "area".into(), surface.area, area, expected.tol_area);
        let (tf, tm) = (expected.tol_force, expected.tol_moment);
        // Relative to the largest of what was differentiated.
        let slack = 4.0 * off * w.force.mag().max(w.torque.mag());
        out.vector(|| "fd_force".into(), w.force, expected.fd_force.into(), tf + slack);
        if input.kind == "tet_tet" {
            let fd = input.needed("fd_moment", expected.fd_moment)?;
            out.vector(|| "fd_moment".into(), w.torque, fd.into(), tm + slack);
            for (name, got, want, tol) in [
                ("force_on_A", w.force, expected.force_on_A, tf),
                ("moment_on_A", w.torque, expected.moment_on_A, tm),
            ] {
                out.vector(|| name.into(), got, input.needed(name, want)?.into(), tol);
            }
            let p = input.needed("int_p", expected.int_p)?;
            out.number(|| "int_p".into(), surface.pressure_integral, p, tf);
            return polygons(input, expected, &surface, out);
        }
        let v = input.needed("velocity_A_minus_B", input.velocity_A_minus_B)?;
        let (mu, chi) = (input.needed("mu", input.mu)?, input.needed("chi", input.chi)?);
        not_negative("mu", mu)?;
        not_negative("chi", chi)?;
        let law = TractionLaw {
            dissipation: Dissipation::ExtentOfA(chi),
            friction: Coulomb::constant(mu),
            quadrature: Quadrature::Two,
        };
        let motion = Motion { velocity: v.into(), spin: DVec3::zero(), point };
        let t = tractions(&surface, &motion, &law, None);
        let (n, f) = (t.normal.about(point), t.friction.about(point));
        for (name, got, want, tol) in [
            ("static_force_on_A", w.force, expected.static_force_on_A, tf),
            ("static_moment_on_A", w.torque, expected.static_moment_on_A, tm),
            ("normal_force_on_A", n.force, expected.normal_force_on_A, tf),
            ("normal_moment_on_A", n.torque, expected.normal_moment_on_A, tm),
            ("friction_force_on_A", f.force, expected.friction_force_on_A, tf),
            ("friction_moment_on_A", f.torque, expected.friction_moment_on_A, tm),
        ] {
            out.vector(|| name.into(), got, input.needed(name, want)?.into(), tol);
        }
        Ok(())
    }
}

/// The polygons of two bodies of tets, one of a pair at most.
fn polygons(
    input: &Input,
    expected: &Expected,
    surface: &ContactSurface,
    out: &mut Comparison,
) -> Result<(), Malformed> {
    let n = input.needed("n_polygons", expected.n_polygons)?;
    let listed = input.needed("polygons", expected.polygons.as_ref())?;
    if listed.len() != n {
        return Err(Malformed(format!("`n_polygons` is {n} and `polygons` has {}", listed.len())));
    }
    out.holds(surface.faces.len() == n, || format!("{} polygons, expected {n}", surface.faces.len()));
    let size = input.size();
    for (i, want) in listed.iter().enumerate() {
        let pair = (want.tetA, want.tetB);
        if let Some(first) = listed[..i].iter().position(|p| (p.tetA, p.tetB) == pair) {
            return Err(Malformed(format!("polygons[{i}] is of tets {pair:?}, as polygons[{first}] is")));
        }
        let Some(at) = surface.faces.iter().position(|f| (f.item_a, f.item_b) == pair) else {
            out.holds(false, || format!("polygons[{i}]: tets {} and {} share none", want.tetA, want.tetB));
            continue;
        };
        let f = surface.world_face(at);
        out.vector(|| format!("polygons[{i}].normal"), f.normal, want.normal.into(), 1e-9);
        out.number(|| format!("polygons[{i}].area"), f.area, want.area, expected.tol_area);
        out.number(|| format!("polygons[{i}].int_p"), f.area * f.pressure, want.int_p, expected.tol_force);
        // A first moment is as good as the area times the size; the centroid is one over the area.
        let tol = 1e-9 * size + expected.tol_area * size / want.area;
        out.vector(|| format!("polygons[{i}].centroid"), f.centroid, want.centroid.into(), tol);
    }
    Ok(())
}
