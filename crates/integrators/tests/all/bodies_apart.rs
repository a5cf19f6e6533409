//! Bodies that nothing joins are solved by themselves.

use crate::rig::{Rig, rubber};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, TetMesh, generators};
use impinge_integrators::{ElasticError, Grip, Pin, Scheme, Tie};
use impinge_solvers::{MatrixError, Settings};

const DT: f64 = 0.02;

/// Three clamped beams of 189, 325 and 189 nodes, the last ten times as stiff.
fn beams() -> [(TetMesh, Material); 3] {
    let beam = |cells: [u32; 3]| generators::tet_box(DVec3::new(1.0, 0.1, 0.1), cells).unwrap();
    let stiff = Material { young: 10.0 * rubber().young, ..rubber() };
    [(beam([20, 2, 2]), rubber()), (beam([12, 4, 4]), rubber()), (beam([20, 2, 2]), stiff)]
}

fn rig(beams: &[&(TetMesh, Material)], scheme: Scheme) -> Rig {
    let mut pins = Vec::new();
    let mut first = 0;
    for (mesh, _) in beams {
        let x = mesh.positions();
        let held = (0..x.len()).filter(|&i| x[i].x < -0.4999);
        pins.extend(held.map(|i| Pin { node: (first + i) as u32, to: Grip::World(x[i]) }));
        first += x.len();
    }
    let bodies: Vec<_> = beams.iter().map(|(mesh, material)| (mesh, material)).collect();
    let mut rig = Rig::of_bodies(&bodies, Model::Corotational, pins, vec![], scheme, DT);
    rig.gravity = DVec3::new(0.0, 0.0, -9.81);
    rig
}

/// What else there is does not show in a linearised step, not in the last bit.
#[test]
fn a_body_moves_as_it_does_alone() {
    let beams = beams();
    let mut together = rig(&beams.each_ref(), Scheme::ImplicitEuler);
    let mut alone = beams.each_ref().map(|b| rig(&[b], Scheme::ImplicitEuler));
    for step in 0..5 {
        together.step();
        let mut first = 0;
        for (k, one) in alone.iter_mut().enumerate() {
            one.step();
            let n = one.x.len();
            assert!(
                together.x[first..first + n] == one.x && together.v[first..first + n] == one.v,
                "{k}, step {step}"
            );
            first += n;
        }
    }
    assert!(together.v.iter().any(|v| v.mag() > 0.1));
}

/// Damping by β K is added up with the stiffness where that is all there is, and laid down beside it where a tie of another body asks for that: the
/// same bits.
#[test]
fn a_damped_body_moves_as_it_does_beside_one_that_is_tied() {
    let mesh = beams()[0].0.clone();
    let damped = Material { rayleigh_mass: 0.3, rayleigh_stiffness: 0.01, ..rubber() };
    let x = mesh.positions().to_vec();
    let pin = |i: usize| Pin { node: i as u32, to: Grip::World(x[i]) };
    let pins: Vec<Pin> = (0..x.len()).filter(|&i| x[i].x < -0.4999).map(pin).collect();
    let tie = Tie { node: x.len() as u32, to: Grip::World(x[0]), stiffness: 1e3, damping: 1.0 };
    let one = (&mesh, &damped);
    let of = |bodies: &[_], ties| {
        let mut rig =
            Rig::of_bodies(bodies, Model::Corotational, pins.clone(), ties, Scheme::ImplicitEuler, DT);
        rig.gravity = DVec3::new(0.0, 0.0, -9.81);
        rig
    };
    let (mut alone, mut beside) = (of(&[one], vec![]), of(&[one, one], vec![tie]));
    // Without damping it ends elsewhere.
    let mut free = of(&[(&mesh, &rubber())], vec![]);
    for _ in 0..5 {
        alone.step();
        beside.step();
        free.step();
        assert!(beside.x[..x.len()] == alone.x && beside.v[..x.len()] == alone.v);
    }
    assert!((0..x.len()).any(|i| (alone.x[i] - free.x[i]).mag() > 1e-3));
}

/// Newton's method walks all bodies by one line search: as far as its tolerance goes.
#[test]
fn newtons_method_finds_for_each_what_it_finds_for_it_alone() {
    let beams = beams();
    let mut together = rig(&beams.each_ref(), Scheme::ImplicitMidpoint);
    let mut alone = beams.each_ref().map(|b| rig(&[b], Scheme::ImplicitMidpoint));
    for _ in 0..3 {
        together.step();
        for one in &mut alone {
            one.step();
        }
    }
    let apart: Vec<DVec3> = alone.iter().flat_map(|one| one.v.clone()).collect();
    let fastest = apart.iter().map(|v| v.mag()).fold(0.0, f64::max);
    for (i, (a, b)) in together.v.iter().zip(&apart).enumerate() {
        assert!((*a - *b).mag() <= 1e-7 * fastest, "node {i}: {:e} of {fastest}", (*a - *b).mag());
    }
}

/// What is asked of one body moves that body, and nothing else at all; held nodes keep what they came with.
#[test]
fn what_one_body_answers_does_not_reach_others() {
    let beams = beams();
    let mut rig = rig(&beams.each_ref(), Scheme::ImplicitEuler);
    rig.step();
    let (from, to) =
        (beams[0].0.positions().len(), beams[0].0.positions().len() + beams[1].0.positions().len());
    let n = rig.x.len();
    let mut b = vec![DVec3::zero(); n];
    b[from + 200] = DVec3::new(1.0, 2.0, -3.0);
    let settings = Settings { tolerance: 1e-10, max_iterations: 1000 };
    let mut x = vec![DVec3::zero(); n];
    let outcome = rig.operator.solve(&rig.system, &b, &mut x, &settings).unwrap();
    assert!(outcome.converged && outcome.iterations > 5, "{outcome}");
    assert!((0..n).all(|i| (from..to).contains(&i) || x[i] == DVec3::zero()));
    assert!(x[from + 200].mag() > 0.0);
    // A guess for a body of which nothing is asked is wrong, and gone.
    x.fill(DVec3::zero());
    let free = |from: usize| (from..n).find(|&i| rig.x[i].x > 0.0).unwrap();
    x[free(0)] = DVec3::new(1.0, 0.0, 0.0);
    x[free(to)] = DVec3::new(0.0, 1.0, 0.0);
    rig.operator.solve(&rig.system, &b, &mut x, &settings).unwrap();
    assert!((0..n).all(|i| (from..to).contains(&i) || x[i] == DVec3::zero()));
    // Held at another value than 0, a node moves its own body, as exactly as all of b asks.
    let held = (0..n).rfind(|&i| rig.x[i].x < -0.4999).unwrap();
    for size in [1.0, 1e-6] {
        let b: Vec<DVec3> = b.iter().map(|b| *b * size).collect();
        x.fill(DVec3::zero());
        x[held] = DVec3::new(0.0, 0.5, 0.0);
        let outcome = rig.operator.solve(&rig.system, &b, &mut x, &settings).unwrap();
        assert_eq!(x[held], DVec3::new(0.0, 0.5, 0.0));
        assert!((to..n).any(|i| i != held && x[i].mag() > 0.0) && (0..from).all(|i| x[i] == DVec3::zero()));
        let measured = left_over(&mut rig, &b, &x);
        assert!((measured / outcome.residual - 1.0).abs() < 0.01, "{outcome}, {measured:e}");
        assert_eq!(outcome.converged, measured <= 1.00001e-10, "{outcome}, {measured:e}");
    }
}

/// ‖b − A x‖ / ‖b‖ on what is not held.
fn left_over(rig: &mut Rig, b: &[DVec3], x: &[DVec3]) -> f64 {
    let n = rig.x.len();
    let mut product = vec![DVec3::zero(); n];
    rig.operator.apply(&rig.system, x, &mut product);
    let free: Vec<usize> = (0..n).filter(|&i| rig.x[i].x >= -0.4999).collect();
    let norm = |v: &dyn Fn(usize) -> DVec3| free.iter().map(|&i| v(i).mag_sq()).sum::<f64>().sqrt();
    norm(&|i| b[i] - product[i]) / norm(&|i| b[i])
}

/// ‖b − A x‖ of all is what the outcome says, and within the tolerance, whatever the sizes of the parts of b.
#[test]
fn what_is_left_over_is_told_of_all_together() {
    let beams = beams();
    let mut rig = rig(&beams.each_ref(), Scheme::ImplicitEuler);
    rig.step();
    let n = rig.x.len();
    let ends = [beams[0].0.positions().len(), beams[0].0.positions().len() + beams[1].0.positions().len()];
    let held: Vec<bool> = rig.x.iter().map(|x| x.x < -0.4999).collect();
    for sizes in [[1.0, 1.0, 1.0], [1.0, 1e-5, 1.0], [1e-12, 1.0, 1e9], [0.0, 1.0, 1e-3]] {
        let of = |i: usize| sizes[ends.partition_point(|e| *e <= i)];
        let b: Vec<DVec3> = (0..n)
            .map(|i| {
                if held[i] {
                    DVec3::zero()
                } else {
                    DVec3::new((i % 7) as f64 - 3.0, (i % 5) as f64, 1.0) * of(i)
                }
            })
            .collect();
        let settings = Settings { tolerance: 1e-6, max_iterations: 1000 };
        let mut x = vec![DVec3::zero(); n];
        let outcome = rig.operator.solve(&rig.system, &b, &mut x, &settings).unwrap();
        let measured = left_over(&mut rig, &b, &x);
        assert!(outcome.converged && measured <= 1.00001e-6, "{sizes:?}: {outcome}, {measured:e}");
        assert!((measured / outcome.residual - 1.0).abs() < 1e-3, "{sizes:?}: {outcome}, {measured:e}");
    }
}

#[test]
fn a_refused_row_is_named_by_its_number_among_all() {
    let beams = beams();
    let mut rig = rig(&beams.each_ref(), Scheme::ImplicitEuler);
    let first = beams[0].0.positions().len();
    let bad = first + 100;
    rig.x[bad] = DVec3::broadcast(f64::NAN);
    match rig.predict() {
        Err(ElasticError::Operator(MatrixError::NotFinite { node })) => {
            // It, or one it is joined to.
            assert!((first..first + beams[1].0.positions().len()).contains(&node), "{node} for {bad}");
        }
        other => panic!("{other:?}"),
    }
}

/// An operator that has served another system of as many nodes and blocks gives what a new one gives.
#[test]
fn nothing_is_kept_of_another_system() {
    let [a, b, c] = beams();
    let mut used = rig(&[&a, &b, &c], Scheme::ImplicitEuler);
    used.step();
    for order in [[&b, &a, &c], [&a, &c, &b]] {
        let mut other = rig(&order, Scheme::ImplicitEuler);
        let mut new = rig(&order, Scheme::ImplicitEuler);
        other.operator = used.operator.clone();
        other.step();
        new.step();
        assert!(other.x == new.x && other.v == new.v);
    }
}
