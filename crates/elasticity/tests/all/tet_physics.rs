//! Closed forms, conservation, patch test, damping, attachments.

use crate::tet_support::*;
use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DMat3, DRotor3, DVec3, TetTopology, determinant, tet_box};

fn rotation() -> DRotor3 {
    impinge_geometry::rotor_from_rotation_vector(DVec3::new(0.7, -1.1, 2.0))
}

#[test]
fn internal_forces_sum_to_zero_and_have_no_torque() {
    let mesh = jittered([3, 3, 3], 0.03);
    for model in MODELS {
        let body = body(&mesh, model);
        for amount in [1e-6, 0.1, 1.0, 30.0] {
            let mut noise = Noise::new(21);
            let far = DVec3::new(0.3, -0.2, 0.5);
            let x: Vec<DVec3> = mesh.positions().iter().map(|&p| p + far + noise.vector() * amount).collect();
            let f = forces(&body, &x);
            let (mut sum, mut torque, mut size, mut arm) = (DVec3::zero(), DVec3::zero(), 0.0, 0.0);
            for (f, x) in f.iter().zip(&x) {
                sum += *f;
                torque += x.cross(*f);
                size += f.mag();
                arm += x.mag() * f.mag();
            }
            // At 1e-6 strain the rounding of F itself, ε E, is 1e-10 of the force.
            let tiny = if amount < 1e-3 { 1e-9 } else { 1e-13 };
            assert!(size > 0.0);
            assert!(sum.mag() <= 1e-14 * size.max(1e3), "{model:?} {amount}: {sum:?} of {size}");
            assert!(torque.mag() <= tiny * arm, "{model:?} {amount}: {torque:?} of {arm}");
        }
    }
}

#[test]
fn a_rigid_motion_makes_no_force() {
    let mesh = jittered([3, 2, 2], 0.03);
    let (r, t) = (rotation(), DVec3::new(3.0, -2.0, 1.0));
    for model in MODELS {
        let body = body(&mesh, model);
        let x: Vec<DVec3> = mesh.positions().iter().map(|&p| r * p + t).collect();
        // The size of a force that a strain of one would make.
        let scale = forces(&body, &x.iter().map(|&p| p * 2.0).collect::<Vec<_>>())
            .iter()
            .fold(0.0f64, |m, f| m.max(f.mag()));
        let worst = forces(&body, &x).iter().fold(0.0f64, |m, f| m.max(f.mag()));
        assert!(worst <= 1e-12 * scale, "{model:?}: {worst} of {scale}");
        let e = energy(&body, &x, &mut Workspace::default());
        assert!(e.abs() <= 1e-12 * scale, "{model:?}: {e}");
    }
}

/// Energy per volume of three homogeneous deformations, by hand, before and after an awkward rotation.
#[test]
fn stretch_and_shear_have_their_closed_forms() {
    let mesh = jittered([2, 2, 2], 0.04);
    let volume: f64 = mesh.volumes().iter().sum();
    let (mu, lambda) = material().lame();
    let (m4, l4) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
    let neo = |size: f64, j: f64| {
        0.5 * m4 * (size - 3.0) + 0.5 * l4 * (j - 1.0).powi(2)
            - 0.75 * m4 * (j - 1.0)
            - 0.5 * m4 * ((size + 1.0) / 4.0).ln()
    };
    let (ex, ey, ez) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let corot = |stretch2: f64, trace: f64| mu * stretch2 + 0.5 * lambda * trace * trace;
    let shear: f64 = 0.7;
    // tan θ = γ/2 and tr S = 1 + 2 √(1 + γ²/4).
    let trace = 1.0 + 2.0 * (1.0 + 0.25 * shear * shear).sqrt();
    let cases = [
        ("uniaxial", DMat3::new(ex * 1.4, ey, ez), corot(0.16, 0.4), neo(1.4 * 1.4 + 2.0, 1.4)),
        ("inverted", DMat3::new(ex, ey * -0.5, ez), corot(2.25, -1.5), neo(2.25, -0.5)),
        (
            "shear",
            DMat3::new(ex, ey + ex * shear, ez),
            corot(6.0 + shear * shear - 2.0 * trace, trace - 3.0),
            neo(3.0 + shear * shear, 1.0),
        ),
        ("flat", DMat3::new(ex, ey, DVec3::zero()), corot(1.0, -1.0), neo(2.0, 0.0)),
        ("a point", DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()), corot(3.0, -3.0), neo(0.0, 0.0)),
    ];
    for (name, f, psi_c, psi_n) in cases {
        for turn in [DRotor3::identity(), rotation()] {
            let x: Vec<DVec3> = mesh.positions().iter().map(|&p| turn * (f * p)).collect();
            for (model, psi) in [(Model::Corotational, psi_c), (Model::StableNeoHookean, psi_n)] {
                let e = energy(&body(&mesh, model), &x, &mut Workspace::default());
                assert!((e - psi * volume).abs() <= 1e-12 * e, "{model:?} {name}: {e} {}", psi * volume);
            }
        }
    }
}

/// The stress of a uniaxial strain e is (λ + 2μ) e along it and λ e across; von Mises 2μ e.
#[test]
fn stress_of_a_uniaxial_strain() {
    let mesh = jittered([2, 1, 1], 0.04);
    let (mu, lambda) = material().lame();
    let e = 0.3;
    let x: Vec<DVec3> = mesh.positions().iter().map(|p| DVec3::new((1.0 + e) * p.x, p.y, p.z)).collect();
    let mut out = Vec::new();
    stresses(&body(&mesh, Model::Corotational), &x, &mut out);
    assert_eq!(out.len(), mesh.tets().len());
    for s in &out {
        let p = [s.piola.cols[0].x, s.piola.cols[1].y, s.piola.cols[2].z];
        for (got, want) in p.into_iter().zip([(lambda + 2.0 * mu) * e, lambda * e, lambda * e]) {
            assert!((got - want).abs() < 1e-9 * mu);
        }
        // Cauchy is P Fᵀ / J: along x the stretch cancels, across it divides.
        let c = [s.cauchy.cols[0].x, s.cauchy.cols[1].y];
        assert!(
            (c[0] - (lambda + 2.0 * mu) * e).abs() < 1e-9 * mu
                && (c[1] - lambda * e / (1.0 + e)).abs() < 1e-9 * mu
        );
        assert!((s.von_mises - (c[0] - c[1])).abs() < 1e-9 * mu);
        assert!((s.volume_ratio - 1.0 - e).abs() < 1e-12);
    }
    let mut f = Vec::new();
    deformation_gradients(&body(&mesh, Model::Corotational), &x, &mut f);
    assert!(
        f.iter()
            .all(|f| (determinant(f) - 1.0 - e).abs() < 1e-12 && (f.cols[1] - DVec3::unit_y()).mag() < 1e-12)
    );
}

/// Patch test: under a homogeneous deformation inner nodes of an irregular mesh feel nothing, and Newton's method
/// brings displaced inner nodes back to it.
#[test]
fn patch_test() {
    let mesh = jittered([4, 4, 4], 0.02);
    let topology = TetTopology::new(&mesh);
    let mut outer = vec![false; mesh.positions().len()];
    for (face, tets) in topology.faces().iter().zip(topology.face_tets()) {
        if tets[1] == u32::MAX {
            face.iter().for_each(|&i| outer[i as usize] = true);
        }
    }
    let f = DMat3::new(DVec3::new(1.2, 0.1, 0.0), DVec3::new(-0.2, 0.9, 0.3), DVec3::new(0.1, 0.0, 1.1));
    let want: Vec<DVec3> = mesh.positions().iter().map(|&p| f * p).collect();
    assert_eq!(outer.iter().filter(|o| !**o).count(), 27);
    for model in MODELS {
        let body = body(&mesh, model);
        let at_rest = forces(&body, &want);
        let scale = at_rest.iter().fold(0.0f64, |m, f| m.max(f.mag()));
        let mut noise = Noise::new(8);
        let mut x = want.clone();
        for i in 0..x.len() {
            if !outer[i] {
                assert!(at_rest[i].mag() <= 1e-12 * scale, "{model:?} node {i}: {:?} of {scale}", at_rest[i]);
                x[i] += noise.vector() * 0.05;
            }
        }
        for _ in 0..12 {
            let residual: Vec<DVec3> = forces(&body, &x)
                .iter()
                .zip(&outer)
                .map(|(f, o)| if *o { DVec3::zero() } else { *f })
                .collect();
            let step = conjugate_gradient(&body, &x, &outer, &residual);
            for (x, s) in x.iter_mut().zip(&step) {
                *x += *s;
            }
        }
        for (a, b) in x.iter().zip(&want) {
            assert!((*a - *b).mag() <= 1e-11, "{model:?}: {:e}", (*a - *b).mag());
        }
    }
}

fn conjugate_gradient(body: &TetElements, x: &[DVec3], fixed: &[bool], b: &[DVec3]) -> Vec<DVec3> {
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let mut ws = Workspace::default();
    let (mut s, mut r, mut p) = (vec![DVec3::zero(); b.len()], b.to_vec(), b.to_vec());
    let mut rr = dot(&r, &r);
    let stop = 1e-28 * rr;
    for _ in 0..400 {
        if rr <= stop || rr == 0.0 {
            break;
        }
        let mut q = vec![DVec3::zero(); b.len()];
        add_stiffness_times(body, x, &p, Tangent::Spd, Weights::default(), &mut q, &mut ws);
        q.iter_mut().zip(fixed).filter(|(_, f)| **f).for_each(|(q, _)| *q = DVec3::zero());
        let a = rr / dot(&p, &q);
        for i in 0..b.len() {
            s[i] += p[i] * a;
            r[i] -= q[i] * a;
        }
        let next = dot(&r, &r);
        for i in 0..b.len() {
            p[i] = r[i] + p[i] * (next / rr);
        }
        rr = next;
    }
    s
}

#[test]
fn masses_are_a_quarter_of_each_tet() {
    let mesh = tet_box(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1]).unwrap();
    let (light, heavy) =
        (Material::new(1.0, 0.3, 10.0), Material::new(1.0, 0.3, 30.0).with_rayleigh(0.5, 0.0));
    // The left cube is light, the right one heavy.
    let which = |t: usize| usize::from(mesh.corners(t).iter().map(|p| p.x).sum::<f64>() > 0.0);
    let body = TetElements::with_materials(&mesh, Model::Corotational, &[light, heavy], which).unwrap();
    assert!((body.masses().iter().sum::<f64>() - 40.0).abs() < 1e-12);
    let right: f64 = (0..12).filter(|&i| mesh.positions()[i].x > 0.5).map(|i| body.masses()[i]).sum();
    // Of 30 kg the nodes of the right face carry the share of the corners that touch it.
    let share: f64 = mesh
        .tets()
        .iter()
        .enumerate()
        .flat_map(|(t, n)| n.iter().map(move |i| (t, *i)))
        .filter(|(_, i)| mesh.positions()[*i as usize].x > 0.5)
        .map(|(t, _)| 30.0 * mesh.volume(t) / 4.0)
        .sum();
    assert!((right - share).abs() < 1e-12);
    assert!((body.mass_damping().iter().sum::<f64>() - 15.0).abs() < 1e-12);
}

#[test]
fn damping_takes_energy_and_leaves_rigid_motion_its_own() {
    let mesh = jittered([2, 2, 2], 0.03);
    let mut noise = Noise::new(31);
    for model in MODELS {
        let body = body(&mesh, model);
        let (alpha, mut ws) = (material().rayleigh_mass, Workspace::default());
        for amount in [0.0, 0.1, 1.0] {
            let x: Vec<DVec3> = mesh.positions().iter().map(|&p| p + noise.vector() * amount).collect();
            let v: Vec<DVec3> = x.iter().map(|_| noise.vector()).collect();
            for tangent in [Tangent::Spd, Tangent::Warped] {
                let mut f = vec![DVec3::zero(); v.len()];
                add_damping_forces(&body, &x, &v, tangent, &mut f, &mut ws);
                let power: f64 = f.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
                assert!(power < 0.0, "{model:?} {tangent:?}: {power}");
                // The stiffness part sums to zero: what is left is −α M v.
                let sum = f.iter().fold(DVec3::zero(), |s, f| s + *f);
                let want = v.iter().zip(body.masses()).fold(DVec3::zero(), |s, (v, m)| s - *v * (alpha * m));
                assert!((sum - want).mag() <= 1e-11 * (1.0 + f.iter().map(|f| f.mag()).sum::<f64>()));
            }
        }
        // A spin of the unstrained body is slowed by its mass part alone.
        let v: Vec<DVec3> = mesh.positions().iter().map(|p| DVec3::new(0.3, -1.0, 0.4).cross(*p)).collect();
        let mut f = vec![DVec3::zero(); v.len()];
        add_damping_forces(&body, mesh.positions(), &v, Tangent::Spd, &mut f, &mut ws);
        for ((f, v), m) in f.iter().zip(&v).zip(body.masses()) {
            assert!((*f + *v * (alpha * m)).mag() <= 1e-10);
        }
    }
}

#[test]
fn attachments_are_springs() {
    let p = DVec3::new(1.0, 2.0, 3.0);
    let held = vec![
        Attachment { node: 2, point: p, stiffness: 8.0 },
        Attachment { node: 0, point: p, stiffness: 2.0 },
    ];
    let mut a = Attachments::new(3, held).unwrap();
    a.set_point(1, DVec3::zero()).unwrap();
    let x = [DVec3::new(0.0, 3.0, 0.0), DVec3::zero(), p + DVec3::new(0.5, 0.0, 0.0)];
    // ½·8·0.25 + ½·2·9.
    assert_eq!(a.energy(&x), 10.0);
    let mut f = [DVec3::zero(); 3];
    a.add_forces(&x, &mut f);
    assert_eq!(f, [DVec3::new(0.0, -6.0, 0.0), DVec3::zero(), DVec3::new(-4.0, 0.0, 0.0)]);
    let mut h = [[1.0; 9]; 2];
    a.add_hessian(0.5, |node| if node == 2 { 1 } else { SKIP }, &mut h);
    assert_eq!(h, [[1.0; 9], [5.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 5.0]]);
}
