//! Oracle families `tet_pair`, `pressure_bodies` and `sinusoid`: the main numbers (the command `cargo xtask oracle` compares
//! everything).
// A NaN fails like a number that is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::support::{indices, numbers, read, shared, vector, vectors};
use impinge_geometry::{DVec3, Pose, TetMesh, TriMesh};
use impinge_pressure::{
    CompliantBody, ContactSurface, Coulomb, Dissipation, HalfSpace, LayerLaw, Motion, Quadrature,
    RigidSurface, Rule, Shape, TractionLaw, Workspace, contact, energy, press_sinusoid, tet_pair, tractions,
};
use serde_json::Value;

fn body(v: &Value) -> CompliantBody {
    let mesh = TetMesh::new(vectors(&v["vertices"]), indices::<4>(&v["tets"])).unwrap().oriented().unwrap().0;
    CompliantBody::new(mesh, numbers(&v["eps"]), v["modulus"].as_f64().unwrap()).unwrap()
}

fn cases(family: &str) -> Option<Vec<Value>> {
    let file = read(shared(family)?.join(format!("oracles/{family}.json")));
    Some(file["cases"].as_array().unwrap().clone())
}

#[test]
fn tet_pairs() {
    let Some(cases) = cases("tet_pair") else { return };
    for c in &cases {
        let (id, want) = (c["id"].as_str().unwrap(), &c["expected"]);
        let single = |v: &Value| {
            let b = body(v);
            let t = b.mesh().tets()[0];
            (b.mesh().corners(0), t.map(|i| b.extent()[i as usize] * b.modulus()))
        };
        let ((a, pa), (b, pb)) = (single(&c["input"]["A"]), single(&c["input"]["B"]));
        let got = tet_pair(a, pa, b, pb);
        if want["degenerate"].as_bool().unwrap() {
            continue;
        }
        let got = got.unwrap_or_else(|| panic!("{id}: no plane"));
        let tol = want["tol_rel"].as_f64().unwrap();
        let n = (got.normal - vector(&want["normal"])).mag();
        assert!(n <= tol, "{id}: the normal is off by {n:e}, allowed {tol:e}");
        let corners = want["polygon"].as_array().map_or(0, Vec::len);
        assert_eq!(got.polygon.len(), corners, "{id}");
    }
}

#[test]
fn bodies() {
    let Some(cases) = cases("pressure_bodies") else { return };
    let mut problems = Vec::new();
    for c in &cases {
        let (id, i, want) = (c["id"].as_str().unwrap(), &c["input"], &c["expected"]);
        let a: Shape = body(&i["A"]).into();
        let b: Shape = match i["kind"].as_str().unwrap() {
            "tet_tet" => body(&i["B"]).into(),
            "rigid_box" => {
                let m =
                    TriMesh::new(vectors(&i["rigid_vertices"]), indices::<3>(&i["rigid_triangles"])).unwrap();
                RigidSurface::new(m).unwrap().into()
            }
            _ => {
                let (n, d) = (vector(&i["plane_normal"]), i["plane_offset"].as_f64().unwrap());
                match i["pressure_per_depth"].as_f64() {
                    Some(k) => HalfSpace::layer(n, d, k, 1.0).unwrap().into(),
                    None => HalfSpace::rigid(n, d).unwrap().into(),
                }
            }
        };
        let here = Pose::identity();
        let mut s = ContactSurface::new();
        contact(&a, &here, &b, &here, Rule::Paper, &mut Workspace::new(), &mut s).unwrap();
        let slack = want["fd_rel_error"].as_f64().unwrap();
        let mut close = |what: &str, off: f64, tol: &str| {
            let mut allowed = want[tol].as_f64().unwrap();
            if what == "energy" && slack > 1e-6 && !want["force_on_A"].is_null() {
                // The file's own energy does not have its force as its slope here (a modulus ratio of 1e6 leaves a
                // layer of 1e-7 m to integrate). Ours has: checked below.
                allowed = allowed.max(slack * want[what].as_f64().unwrap());
                let h = 1e-6;
                let at = |s: f64| {
                    let p = Pose::from_position(DVec3::unit_z() * (s * h));
                    energy(&a, &p, &b, &here).unwrap()
                };
                let (slope, force) = ((at(-1.0) - at(1.0)) / (2.0 * h), s.wrench.force.z);
                assert!((slope - force).abs() <= 1e-5 * force.abs(), "{id}: −dU/dz {slope}, force {force}");
            }
            let tol = allowed;
            if !(off <= tol) {
                problems.push(format!("{id}: {what} off by {off:e}, allowed {tol:e}"));
            }
        };
        let u = energy(&a, &here, &b, &here).unwrap();
        close("energy", (u - want["energy"].as_f64().unwrap()).abs(), "tol_energy");
        if want["degenerate"].as_bool() == Some(true) {
            continue;
        }
        let point = vector(&i["moment_point"]);
        let w = s.wrench.about(point);
        let key = |k: &str| if want[k].is_null() { format!("static_{k}") } else { k.to_string() };
        close("force", (w.force - vector(&want[key("force_on_A").as_str()])).mag(), "tol_force");
        close("moment", (w.torque - vector(&want[key("moment_on_A").as_str()])).mag(), "tol_moment");
        close("area", (s.area - want["area"].as_f64().unwrap()).abs(), "tol_area");
        if let Some(n) = want["n_polygons"].as_u64() {
            close("number of polygons", (s.faces.len() as f64 - n as f64).abs(), "tol_area");
        }
        if !i["velocity_A_minus_B"].is_null() {
            let motion = Motion { velocity: vector(&i["velocity_A_minus_B"]), spin: DVec3::zero(), point };
            let law = TractionLaw {
                dissipation: Dissipation::ExtentOfA(i["chi"].as_f64().unwrap()),
                friction: Coulomb::constant(i["mu"].as_f64().unwrap()),
                quadrature: Quadrature::Two,
            };
            let t = tractions(&s, &motion, &law, None);
            for (name, w) in [("normal", t.normal.about(point)), ("friction", t.friction.about(point))] {
                let want = |k: &str| vector(&want[format!("{name}_{k}_on_A").as_str()]);
                close(&format!("{name} force"), (w.force - want("force")).mag(), "tol_force");
                close(&format!("{name} moment"), (w.torque - want("moment")).mag(), "tol_moment");
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn sinusoids() {
    let Some(cases) = cases("sinusoid") else { return };
    for c in &cases {
        let (i, want) = (&c["input"], &c["expected"]);
        let law = if i["law"] == "log" { LayerLaw::Logarithmic } else { LayerLaw::Linear };
        let got = press_sinusoid(law, i["d"].as_f64().unwrap(), i["eta"].as_f64().unwrap()).unwrap();
        let tol = want["tol_rel"].as_f64().unwrap();
        for (key, got) in [
            ("normalised_force", got.force),
            ("contact_fraction", got.contact_fraction),
            ("energy", got.energy),
        ] {
            let want = want[key].as_f64().unwrap();
            assert!((got - want).abs() <= tol * want.abs(), "{}: {key} {got:e}, expected {want:e}", c["id"]);
        }
    }
}
