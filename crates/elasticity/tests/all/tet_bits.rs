//! The same bits for every vector width, number of threads, storage, and whether forces come alone or with the Hessian.

use crate::tet_support::*;
use impinge_elasticity::tet::*;
use impinge_geometry::{DMat3, DVec3};

struct Answers {
    energy: f64,
    forces: Vec<DVec3>,
    both: Vec<DVec3>,
    values: Vec<[f64; 9]>,
    lower: Vec<[f64; 9]>,
    product: Vec<DVec3>,
    damping: Vec<DVec3>,
}

fn answers(body: &TetElements, x: &[DVec3], tangent: Tangent, width: Width) -> Answers {
    let ws = &mut Workspace::with_width(width);
    let zero = || vec![DVec3::zero(); body.nodes()];
    let full = TetPattern::new(body.nodes(), body.tets(), Triangle::Full);
    let lower = TetPattern::new(body.nodes(), body.tets(), Triangle::Lower);
    let mut a = Answers {
        energy: energy(body, x, ws),
        forces: zero(),
        both: zero(),
        values: vec![[0.0; 9]; full.column.len()],
        lower: vec![[0.0; 9]; lower.column.len()],
        product: zero(),
        damping: zero(),
    };
    let w = Weights { stiffness: 0.7, damping: 3.0 };
    add_forces(body, x, &mut a.forces, ws);
    add_forces_and_hessian(body, x, tangent, w, &full.slots, &mut a.both, &mut a.values, ws);
    add_hessian(body, x, tangent, w, &lower.slots, &mut a.lower, ws);
    add_stiffness_times(body, x, &a.forces, tangent, w, &mut a.product, ws);
    add_damping_forces(body, x, &a.forces, tangent, &mut a.damping, ws);
    a
}

fn same(a: &Answers, b: &Answers, what: &str) {
    let bits =
        |v: &[DVec3]| -> Vec<[u64; 3]> { v.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect() };
    let blocks = |v: &[[f64; 9]]| -> Vec<[u64; 9]> { v.iter().map(|b| b.map(f64::to_bits)).collect() };
    assert!(a.energy.to_bits() == b.energy.to_bits(), "energy: {what}");
    assert!(bits(&a.forces) == bits(&b.forces), "forces: {what}");
    assert!(bits(&a.both) == bits(&b.both), "forces with Hessian: {what}");
    assert!(blocks(&a.values) == blocks(&b.values), "Hessian: {what}");
    assert!(blocks(&a.lower) == blocks(&b.lower), "lower Hessian: {what}");
    assert!(bits(&a.product) == bits(&b.product), "product: {what}");
    assert!(bits(&a.damping) == bits(&b.damping), "damping: {what}");
}

/// Positions that take every path: strained, flat, crushed to a line and to a point, inside out, noise.
fn positions(rest: &[DVec3], kind: usize) -> Vec<DVec3> {
    let mut noise = Noise::new(kind as u64 + 1);
    let (ex, ey, ez) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let zero = DVec3::zero();
    let (map, amount) = [
        (DMat3::new(ex, ey, ez), 0.01),
        (DMat3::new(ex * 1.2, ey + ex * 0.4, ez * 0.7), 0.05),
        (DMat3::new(ex, ey, zero), 0.0),
        (DMat3::new(ex, zero, zero), 0.0),
        (DMat3::new(zero, zero, zero), 0.0),
        (DMat3::new(ex, ey, -ez), 0.0),
        (DMat3::new(zero, zero, zero), 1.0),
    ][kind];
    rest.iter().map(|&p| map * p + noise.vector() * amount).collect()
}

#[test]
fn every_width_has_the_bits_of_the_scalar_twin() {
    // 5·3·3·2 = 90 tets: the last block is not full.
    let mesh = jittered([3, 3, 2], 0.03);
    for model in MODELS {
        let body = body(&mesh, model);
        for kind in 0..7 {
            let x = positions(mesh.positions(), kind);
            for tangent in [Tangent::Exact, Tangent::Spd, Tangent::Warped] {
                let scalar = answers(&body, &x, tangent, Width::scalar());
                let finite = |v: &[[f64; 9]]| v.iter().flatten().all(|e| e.is_finite());
                assert!(
                    scalar.energy.is_finite() && finite(&scalar.values),
                    "{model:?} {tangent:?} positions {kind}"
                );
                for width in Width::all() {
                    let wide = answers(&body, &x, tangent, width);
                    same(&scalar, &wide, &format!("{model:?} {tangent:?} {} positions {kind}", width.name()));
                }
                // The forces that come with the Hessian are the forces.
                let bits = |v: &[DVec3]| -> Vec<[u64; 3]> {
                    v.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
                };
                assert!(bits(&scalar.forces) == bits(&scalar.both));
            }
        }
    }
}

#[test]
fn every_number_of_threads_has_the_same_bits() {
    let mesh = jittered([12, 11, 10], 0.01);
    for model in MODELS {
        let body = body(&mesh, model);
        let x = positions(mesh.positions(), 1);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| answers(&body, &x, Tangent::Spd, Width::best()))
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            same(&one, &run(threads), &format!("{model:?} with {threads} threads"));
        }
    }
}

/// Scratch carries nothing from one call to the next, and outputs are added to.
#[test]
fn scratch_is_scratch_and_outputs_add() {
    let mesh = jittered([2, 2, 2], 0.03);
    let body = body(&mesh, Model::Corotational);
    let (x, y) = (positions(mesh.positions(), 1), positions(mesh.positions(), 6));
    let mut ws = Workspace::default();
    let fresh = forces(&body, &x);
    let mut twice = vec![DVec3::zero(); x.len()];
    add_forces(&body, &y, &mut vec![DVec3::zero(); x.len()], &mut ws);
    add_forces(&body, &x, &mut twice, &mut ws);
    assert!(twice == fresh);
    add_forces(&body, &x, &mut twice, &mut ws);
    let scale = fresh.iter().fold(0.0f64, |m, f| m.max(f.mag()));
    assert!(twice.iter().zip(&fresh).all(|(a, b)| (*a - *b * 2.0).mag() <= 1e-14 * scale));
}
