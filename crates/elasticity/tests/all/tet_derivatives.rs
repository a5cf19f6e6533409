//! Forces against differences of the energy, Hessians against differences of the forces, projections against eigenvalues.

use crate::tet_support::*;
use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DVec3, TetMesh};

/// States of a small body: at rest, little and much strained, turned, crushed, inside out.
fn states(mesh: &TetMesh) -> Vec<(&'static str, Vec<DVec3>)> {
    let rest = mesh.positions();
    let mut noise = Noise::new(11);
    let mut shaken =
        |amount: f64| -> Vec<DVec3> { rest.iter().map(|&p| p + noise.vector() * amount).collect() };
    let turn = |p: DVec3| DVec3::new(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z);
    vec![
        ("little", shaken(0.02)),
        ("much", shaken(0.3)),
        ("noise", shaken(2.0)),
        ("turned", shaken(0.1).into_iter().map(turn).collect()),
        ("crushed", rest.iter().map(|p| DVec3::new(0.3 * p.x, 0.5 * p.y + 0.1 * p.x, 0.4 * p.z)).collect()),
        ("pulled", rest.iter().map(|p| DVec3::new(2.5 * p.x, 1.5 * p.y + 0.4 * p.z, 1.8 * p.z)).collect()),
        ("inside out", rest.iter().map(|p| DVec3::new(-0.7 * p.x, p.y + 0.2 * p.z, 1.4 * p.z)).collect()),
    ]
}

/// A fourth-order difference of `f` at 0.
fn slope(h: f64, f: impl Fn(f64) -> f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

#[test]
fn forces_are_the_slope_of_the_energy() {
    let mesh = jittered([2, 1, 1], 0.05);
    for model in MODELS {
        let body = body(&mesh, model);
        let mut ws = Workspace::default();
        for (name, x) in states(&mesh) {
            let f = forces(&body, &x);
            let scale = f.iter().fold(0.0f64, |m, v| m.max(v.mag()));
            for i in 0..x.len() {
                for k in 0..3 {
                    let mut y = x.clone();
                    let got = slope(1e-4, |h| {
                        let mut y = y.clone();
                        y[i][k] = x[i][k] + h;
                        energy(&body, &y, &mut Workspace::default())
                    });
                    y[i][k] += 0.0;
                    assert!(
                        (got + f[i][k]).abs() <= 1e-6 * scale,
                        "{model:?} {name} node {i} axis {k}: {got} {}",
                        f[i][k]
                    );
                }
            }
            assert!(energy(&body, &x, &mut ws) > 0.0);
        }
    }
}

#[test]
fn the_exact_hessian_is_the_slope_of_the_forces() {
    let mesh = jittered([2, 1, 1], 0.05);
    for model in MODELS {
        let body = body(&mesh, model);
        for (name, x) in states(&mesh) {
            let h = dense(&body, &x, Tangent::Exact, Triangle::Full);
            let scale = largest(&h);
            for i in 0..x.len() {
                for k in 0..3 {
                    let at = |t: f64| {
                        let mut y = x.clone();
                        y[i][k] += t;
                        forces(&body, &y)
                    };
                    let e = 2e-5;
                    let (a, b, c, d) = (at(e), at(-e), at(2.0 * e), at(-2.0 * e));
                    for j in 0..x.len() {
                        let got = ((a[j] - b[j]) * 8.0 - (c[j] - d[j])) / (-12.0 * e);
                        for m in 0..3 {
                            let want = h[3 * j + m][3 * i + k];
                            assert!(
                                (got[m] - want).abs() <= 1e-6 * scale,
                                "{model:?} {name} ({j},{m}) ({i},{k}): {} {want} of {scale}",
                                got[m]
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn projections_have_no_negative_eigenvalue_and_exact_ones_do() {
    let mesh = jittered([1, 1, 1], 0.05);
    for model in MODELS {
        let body = body(&mesh, model);
        let mut negative = 0;
        for (name, x) in states(&mesh) {
            for tangent in [Tangent::Spd, Tangent::Warped] {
                let h = dense(&body, &x, tangent, Triangle::Full);
                let scale = largest(&h);
                for (r, row) in h.iter().enumerate() {
                    for (c, v) in row.iter().enumerate() {
                        assert!((v - h[c][r]).abs() <= 1e-13 * scale, "{model:?} {name}: not symmetric");
                    }
                }
                let least = eigenvalues(h).into_iter().fold(f64::INFINITY, f64::min);
                assert!(least >= -1e-12 * scale, "{model:?} {name} {tangent:?}: {least} of {scale}");
            }
            let exact = dense(&body, &x, Tangent::Exact, Triangle::Full);
            let scale = largest(&exact);
            negative += usize::from(eigenvalues(exact).iter().any(|&e| e < -1e-6 * scale));
        }
        assert!(negative >= 3, "{model:?}: the states do not try the projection");
    }
}

/// One tet at a time the projection must be the closest semidefinite matrix: same eigenvectors, negative values cut.
#[test]
fn the_projection_of_a_tet_cuts_its_negative_eigenvalues() {
    let mesh = TetMesh::from_arrays(
        &[[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.1, 0.3, 1.2]],
        &[[0, 1, 2, 3]],
    )
    .unwrap();
    // δF = δDs Dm⁻¹ is one to one with δx of three corners up to Dm, so the test is in F: unit Dm by a unit tet.
    let unit =
        TetMesh::from_arrays(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], &[[0, 1, 2, 3]])
            .unwrap();
    let mut noise = Noise::new(3);
    let mut cut = 0;
    for model in MODELS {
        for k in 0..60 {
            let amount = [0.1, 0.5, 2.0][k % 3];
            let x: Vec<DVec3> = unit.positions().iter().map(|&p| p + noise.vector() * amount).collect();
            let one = body(&unit, model);
            let corner =
                |h: Vec<Vec<f64>>| -> Vec<Vec<f64>> { h[3..].iter().map(|r| r[3..].to_vec()).collect() };
            let exact = corner(dense(&one, &x, Tangent::Exact, Triangle::Full));
            let spd = corner(dense(&one, &x, Tangent::Spd, Triangle::Full));
            let scale = largest(&exact);
            let mut want: Vec<f64> = eigenvalues(exact).into_iter().map(|e| e.max(0.0)).collect();
            let mut got = eigenvalues(spd);
            cut += want.iter().filter(|&&e| e == 0.0).count();
            want.sort_by(f64::total_cmp);
            got.sort_by(f64::total_cmp);
            for (a, b) in want.iter().zip(&got) {
                assert!((a - b).abs() <= 1e-11 * scale, "{model:?}: {want:?} {got:?}");
            }
        }
        // A skew tet is no less semidefinite for it.
        let skew = body(&mesh, model);
        let x: Vec<DVec3> = mesh.positions().iter().map(|&p| p * 0.4).collect();
        let h = dense(&skew, &x, Tangent::Spd, Triangle::Full);
        let scale = largest(&h);
        assert!(eigenvalues(h).into_iter().all(|e| e >= -1e-13 * scale));
    }
    assert!(cut > 60, "only {cut} eigenvalues were cut");
}

/// At rest both energies are linear elasticity: ∂²Ψ = μ|δF + δFᵀ|²/2 + λ tr²δF, with the Lamé constants of E and ν.
#[test]
fn near_rest_both_are_linear_elasticity() {
    let mesh = jittered([1, 1, 1], 0.05);
    for m in [Material::new(3e5, 0.0, 1.0), Material::new(1e4, 0.45, 1.0), Material::new(7e3, -0.4, 1.0)] {
        let (mu, lambda) = m.lame();
        for model in MODELS {
            let body = TetElements::new(&mesh, model, &m).unwrap();
            let mut noise = Noise::new(9);
            let u: Vec<DVec3> = (0..body.nodes()).map(|_| noise.vector()).collect();
            let mut du = Vec::new();
            deformation_gradients(&body, &u, &mut du);
            let want: f64 = du
                .iter()
                .zip(mesh.volumes())
                .map(|(d, v)| {
                    let t = d.cols[0].x + d.cols[1].y + d.cols[2].z;
                    let sum: f64 =
                        (0..9).map(|k| (d.cols[k / 3][k % 3] + d.cols[k % 3][k / 3]).powi(2)).sum();
                    v * (0.5 * mu * sum + lambda * t * t)
                })
                .sum();
            for tangent in [Tangent::Exact, Tangent::Spd, Tangent::Warped] {
                let mut ku = vec![DVec3::zero(); body.nodes()];
                let x = mesh.positions();
                add_stiffness_times(
                    &body,
                    x,
                    &u,
                    tangent,
                    Weights::default(),
                    &mut ku,
                    &mut Workspace::default(),
                );
                let got: f64 = ku.iter().zip(&u).map(|(a, b)| a.dot(*b)).sum();
                assert!((got - want).abs() <= 1e-12 * want, "{model:?} {tangent:?}: {got} {want}");
            }
        }
    }
}

/// The warped stiffness of a turned body is the rest stiffness, turned: K(Q x) = Q K(x) Qᵀ.
#[test]
fn warped_stiffness_turns_with_the_body() {
    let mesh = jittered([1, 1, 1], 0.05);
    let body = body(&mesh, Model::Corotational);
    let turn = |p: DVec3| DVec3::new(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z);
    let x: Vec<DVec3> = mesh.positions().iter().map(|&p| turn(p)).collect();
    let mut noise = Noise::new(2);
    let u: Vec<DVec3> = (0..body.nodes()).map(|_| noise.vector()).collect();
    let product = |x: &[DVec3], u: &[DVec3]| {
        let mut out = vec![DVec3::zero(); u.len()];
        add_stiffness_times(
            &body,
            x,
            u,
            Tangent::Warped,
            Weights::default(),
            &mut out,
            &mut Workspace::default(),
        );
        out
    };
    let turned_u: Vec<DVec3> = u.iter().map(|&v| turn(v)).collect();
    let (a, b) = (product(&x, &turned_u), product(mesh.positions(), &u));
    let scale = b.iter().fold(0.0f64, |m, v| m.max(v.mag()));
    for (a, b) in a.iter().zip(&b) {
        assert!((*a - turn(*b)).mag() <= 1e-12 * scale);
    }
}

#[test]
fn the_product_is_the_matrix_times_the_vector_for_every_storage_and_weight() {
    let mesh = jittered([2, 2, 1], 0.05);
    let mut noise = Noise::new(4);
    for model in MODELS {
        let body = body(&mesh, model);
        let x: Vec<DVec3> = mesh.positions().iter().map(|&p| p + noise.vector() * 0.2).collect();
        let u: Vec<DVec3> = (0..body.nodes()).map(|_| noise.vector()).collect();
        for tangent in [Tangent::Exact, Tangent::Spd, Tangent::Warped] {
            let full = dense(&body, &x, tangent, Triangle::Full);
            for triangle in [Triangle::Lower, Triangle::Upper] {
                assert!(dense(&body, &x, tangent, triangle) == full, "{model:?} {tangent:?} {triangle:?}");
            }
            let mut ku = vec![DVec3::zero(); body.nodes()];
            let weights = Weights { stiffness: 0.3, damping: 70.0 };
            add_stiffness_times(&body, &x, &u, tangent, weights, &mut ku, &mut Workspace::default());
            let scale = largest(&full);
            // One material: 0.3 + 70 β = 1.
            for (r, row) in full.iter().enumerate() {
                let want: f64 = row.iter().enumerate().map(|(c, h)| h * u[c / 3][c % 3]).sum();
                assert!((ku[r / 3][r % 3] - want).abs() <= 1e-12 * scale, "{model:?} {tangent:?} row {r}");
            }
        }
    }
}
