//! Hinges and quadratic bending: angles, derivatives, degenerate hinges, plate and beam theory, refusals.

use crate::cloth_support::*;
use impinge_elasticity::cloth::{
    Cloth, Hinge, Hinges, MembraneLaw, Membranes, QuadraticBends, dihedral_angle, plate_stiffness,
};
use impinge_elasticity::{Elements, Projection};
use impinge_geometry::{DVec3, TriMesh, icosphere};
use proptest::prelude::*;
use std::f64::consts::PI;

/// nx × ny rectangles of size `d`, cut along one diagonal.
fn strip(nx: u32, ny: u32, d: [f64; 2]) -> TriMesh {
    let mut x = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            x.push(DVec3::new(f64::from(i) * d[0], f64::from(j) * d[1], 0.0));
        }
    }
    let mut t = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let a = j * (nx + 1) + i;
            t.push([a, a + 1, a + nx + 2]);
            t.push([a, a + nx + 2, a + nx + 1]);
        }
    }
    TriMesh::new(x, t).unwrap()
}

fn hinge(angle_at_rest: f64) -> Hinges {
    let mut h = Hinges::default();
    h.push(Hinge { nodes: [0, 1, 2, 3], rest_angle: angle_at_rest, stiffness: 2.0 });
    h
}

/// A hinge folded by `angle`, of height `h2` and `h3`, the feet at `a2`, `a3` of an edge of length `l`.
fn folded(angle: f64, l: f64, h: [f64; 2], a: [f64; 2]) -> [DVec3; 4] {
    [
        DVec3::zero(),
        DVec3::unit_x() * l,
        DVec3::new(a[0] * l, h[0], 0.0),
        DVec3::new(a[1] * l, -h[1] * angle.cos(), -h[1] * angle.sin()),
    ]
}

#[test]
fn angles_by_hand() {
    for angle in [-3.1, -1.0, -1e-9, 0.0, 0.3, 0.5 * PI, 3.1] {
        let x = folded(angle, 2.0, [0.5, 3.0], [0.2, 1.4]).map(turned);
        assert!((dihedral_angle(&x).unwrap() - angle).abs() < 1e-14, "{angle}");
    }
    // A box is convex seen from outside: all its edges are +90°.
    let cube = impinge_geometry::cuboid(DVec3::one(), [1; 3]).unwrap();
    let hinges = Hinges::from_mesh(&cube, 1.0).unwrap();
    assert_eq!(hinges.len(), 18);
    assert_eq!(hinges.rest_angle.iter().filter(|a| (*a - 0.5 * PI).abs() < 1e-15).count(), 12);
    assert_eq!(hinges.rest_angle.iter().filter(|a| a.abs() < 1e-15).count(), 6);
    assert_eq!(energy(&hinges.view(), cube.positions()), 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_match_finite_differences(
        angle in -3.0..3.0f64, rest in -1.0..1.0f64, l in 0.3..2.0f64, h2 in 0.2..1.5f64, h3 in 0.2..1.5f64,
        a2 in -0.5..1.5f64, a3 in -0.5..1.5f64, flat in prop::sample::select(vec![1.0, 0.03]),
    ) {
        // `flat` makes one triangle a sliver; steps shrink with it.
        let x = folded(angle, l, [h2 * flat, h3], [a2, a3]).map(turned);
        let h = hinge(rest);
        let (f, k) = derivative_errors(&h.view(), &x, 3e-4 * flat);
        prop_assert!(f < 1e-6 && k < 1e-6, "force {f:e}, Hessian {k:e}");
        let (force, torque) = imbalance(&x, &forces(&h.view(), &x));
        prop_assert!(force < 1e-14 && torque < 1e-13, "{force:e} {torque:e}");
        let exact = hessian(&h.view(), &x, Projection::Exact);
        prop_assert!(asymmetry(&exact) == 0.0);
        let spd = hessian(&h.view(), &x, Projection::Spd);
        prop_assert!(is_positive_semidefinite(&spd, 1e-13));
        // What Gauss–Newton leaves out has no trace.
        let trace: f64 = (0..12).map(|i| exact[i][i] - spd[i][i]).sum();
        let size = exact.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
        prop_assert!(trace.abs() < 1e-9 * size, "{trace} of {size}");
    }

    #[test]
    fn exact_and_projected_agree_at_rest(angle in -2.0..2.0f64, a2 in 0.0..1.0f64) {
        let x = folded(angle, 1.0, [0.8, 0.7], [a2, 0.4]);
        let h = hinge(dihedral_angle(&x).unwrap());
        prop_assert!(hessian(&h.view(), &x, Projection::Exact) == hessian(&h.view(), &x, Projection::Spd));
    }
}

#[test]
fn degenerate_hinges_are_finite() {
    let h = hinge(0.4);
    let flat = |angle: f64| folded(angle, 1.0, [1.0, 1.0], [0.5, 0.5]);
    let collapsed = |y: f64| {
        let mut x = flat(0.3);
        x[2].y = y;
        x
    };
    let cases = [
        [DVec3::zero(); 4],
        [DVec3::one() * 1e-120, DVec3::zero(), DVec3::unit_x() * 1e-120, DVec3::unit_y() * 1e-120],
        flat(PI),
        flat(-PI),
        flat(PI - 1e-12),
        collapsed(0.0),
        collapsed(1e-14),
        collapsed(1e-9),
        folded(0.3, 0.0, [1.0, 1.0], [0.0, 0.0]),
        folded(0.3, 1e-9, [1.0, 1.0], [0.0, 0.0]),
    ];
    for x in cases {
        assert!(energy(&h.view(), &x).is_finite());
        assert!(forces(&h.view(), &x).iter().all(|f| impinge_geometry::is_finite(*f)), "{x:?}");
        for p in [Projection::Exact, Projection::Spd] {
            assert!(hessian(&h.view(), &x, p).iter().flatten().all(|v| v.is_finite()), "{x:?}");
        }
    }
    assert!(dihedral_angle(&collapsed(0.0)).is_none() && dihedral_angle(&collapsed(1e-9)).is_some());
}

/// Nodes of a flat mesh laid on a cylinder of curvature `kappa` bent along x, to second order z = ½ κ x².
fn parabola(x: &[DVec3], kappa: f64) -> Vec<DVec3> {
    x.iter().map(|p| DVec3::new(p.x, p.y, 0.5 * kappa * p.x * p.x)).collect()
}

#[test]
fn a_bent_plate_stores_half_d_kappa_squared() {
    let d = plate_stiffness(2e5, 0.3, 1e-3).unwrap();
    assert!((d - 2e5 * 1e-9 / (12.0 * 0.91)).abs() < 1e-18);
    let kappa = 1e-4;
    // Rectangles: hinges across x carry everything; each stands for one column, the two outer half columns have none.
    let mesh = strip(10, 3, [0.2, 0.3]);
    let x = parabola(mesh.positions(), kappa);
    let want = 0.5 * d * kappa * kappa * (9.0 * 0.2) * (3.0 * 0.3);
    for e in [
        energy(&Hinges::from_mesh(&mesh, d).unwrap().view(), &x),
        energy(&QuadraticBends::from_mesh(&mesh, d).unwrap().view(), &x),
    ] {
        assert!((e / want - 1.0).abs() < 1e-6, "{}", e / want);
    }
    // Equilateral triangles, bent along any direction: count the energy of the three edges around an inner
    // vertex's cell, area √3/2.
    let ring: Vec<DVec3> = (0..12)
        .map(|k| {
            let a = PI / 6.0 * f64::from(k);
            let r = if k % 2 == 0 { 1.0 } else { 3f64.sqrt() };
            DVec3::new(r * a.cos(), r * a.sin(), 0.0)
        })
        .chain([DVec3::zero()])
        .collect();
    let mut spokes = Hinges::default();
    for k in [0u32, 2, 4] {
        let nodes = [12, k, (k + 2) % 12, (k + 10) % 12];
        let area = 2.0 * 3f64.sqrt() / 4.0;
        spokes.push(Hinge { nodes, rest_angle: 0.0, stiffness: d / area });
    }
    for direction in [0.0f64, 0.3, 1.1] {
        let (c, s) = (direction.cos(), direction.sin());
        let x: Vec<DVec3> =
            ring.iter().map(|p| DVec3::new(p.x, p.y, 0.5 * kappa * (c * p.x + s * p.y).powi(2))).collect();
        let want = 0.5 * d * kappa * kappa * 3f64.sqrt() / 2.0;
        let e = energy(&spokes.view(), &x);
        assert!((e / want - 1.0).abs() < 1e-6, "direction {direction}: {}", e / want);
    }
}

#[test]
fn a_plate_in_cylindrical_bending_is_a_beam() {
    // Clamped at x = 0, uniform load q per area, all nodes of a column moving as one: w(L) = q L⁴/(8 D).
    let (length, width, d) = (1.0, 0.3, 1e-3);
    let q = 0.005 * 8.0 * d / f64::powi(length, 4);
    let mut errors = Vec::new();
    for nx in [8u32, 32] {
        let mesh = strip(nx, 2, [length / f64::from(nx), width / 2.0]);
        let law = MembraneLaw::isotropic(500.0, 0.3, 2e-3).unwrap();
        let m = Membranes::from_rest(mesh.triangles(), mesh.positions(), DVec3::unit_x()).unwrap();
        let cloth = Cloth { membranes: m.view(), law };
        let columns = nx as usize + 1;
        let spread = |c: &[DVec3]| -> Vec<DVec3> {
            (0..3 * columns)
                .map(|i| DVec3::new(c[i % columns].x, mesh.positions()[i].y, c[i % columns].z))
                .collect()
        };
        let mut mass = vec![0.0; 3 * columns];
        m.view().add_masses(1.0, &mut mass);
        let mut load = vec![DVec3::zero(); columns];
        mass.iter().enumerate().for_each(|(i, m)| load[i % columns].z += q * m);
        // The first two columns are held: the slope is zero half a cell in, and the beam starts there.
        let clamp = 0.5 * length / f64::from(nx);
        let free: Vec<usize> = (2..columns).flat_map(|c| [3 * c, 3 * c + 2]).collect();
        let run = |bend: &dyn Fn(&[DVec3], Projection) -> Physics| {
            let mut c: Vec<DVec3> = mesh.positions()[..columns].to_vec();
            equilibrium(&mut c, &load, &free, 0.05, 1e-11, |c, p| {
                let (e, f, k) = bend(&spread(c), p);
                let (mut fc, mut kc) =
                    (vec![DVec3::zero(); columns], vec![vec![0.0; 3 * columns]; 3 * columns]);
                for (i, f) in f.iter().enumerate() {
                    fc[i % columns] += *f;
                }
                for (i, row) in k.iter().enumerate() {
                    for (j, v) in row.iter().enumerate() {
                        kc[i % (3 * columns)][j % (3 * columns)] += v;
                    }
                }
                (e, fc, kc)
            });
            c[nx as usize].z
        };
        let hinges = Hinges::from_mesh(&mesh, d).unwrap();
        let quadratic = QuadraticBends::from_mesh(&mesh, d).unwrap();
        let tip = run(&|x, p| both(&cloth, &hinges.view(), x, p));
        let tip_quadratic = run(&|x, p| both(&cloth, &quadratic.view(), x, p));
        let want = q * (length - clamp).powi(4) / (8.0 * d);
        println!("{nx} cells: {} and {} of beam theory", tip / want, tip_quadratic / want);
        assert!((tip_quadratic / tip - 1.0).abs() < 1e-3);
        errors.push((tip / want - 1.0).abs());
    }
    assert!(errors[1] < 2e-3 && errors[1] < 0.2 * errors[0], "{errors:?}");
}

#[test]
fn a_free_strip_of_equilateral_triangles_is_a_beam_of_eight_ninths() {
    // The rest follows from ν = −1/3: EI = (1 − ν²) D w. Rows of triangles along x, 14 times longer than wide.
    let (side, rows, d) = (0.04f64, 2usize, 1e-3);
    let height = 0.5 * 3f64.sqrt() * side;
    let nx = 25usize;
    let mut x = Vec::new();
    for j in 0..=rows {
        for i in 0..=nx {
            let shift = if j % 2 == 1 { 0.5 } else { 0.0 };
            x.push(DVec3::new(side * (i as f64 + shift), height * j as f64, 0.0));
        }
    }
    let mut t = Vec::new();
    for j in 0..rows as u32 {
        for i in 0..nx as u32 {
            let a = j * (nx as u32 + 1) + i;
            let up = a + nx as u32 + 1;
            if j % 2 == 0 {
                t.extend([[a, a + 1, up], [a + 1, up + 1, up]]);
            } else {
                t.extend([[a, a + 1, up + 1], [a, up + 1, up]]);
            }
        }
    }
    let mesh = TriMesh::new(x.clone(), t).unwrap();
    let law = MembraneLaw::isotropic(500.0, 0.3, 2e-3).unwrap();
    let m = Membranes::from_rest(mesh.triangles(), &x, DVec3::unit_x()).unwrap();
    let cloth = Cloth { membranes: m.view(), law };
    let hinges = Hinges::from_mesh(&mesh, d).unwrap();
    // A force at the tip, on the middle row whose end is at L. Held: x ≤ 1.1 sides.
    let length = x[2 * (nx + 1) - 1].x;
    let width = rows as f64 * height;
    let force = 0.005 * 3.0 * d * width;
    let mut load = vec![DVec3::zero(); x.len()];
    load[2 * (nx + 1) - 1].z = force;
    let free: Vec<usize> =
        (0..x.len()).filter(|&i| x[i].x > 1.6 * side).flat_map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mut bent = x.clone();
    equilibrium(&mut bent, &load, &free, 0.05, 1e-11, |x, p| both(&cloth, &hinges.view(), x, p));
    // Between two sections far from the ends the slope changes by ∫ F (L − x)/EI dx.
    let row = |i: usize| nx + 1 + i;
    let slope = |i: usize| (bent[row(i + 1)].z - bent[row(i)].z) / side;
    let middle = |i: usize| 0.5 * (x[row(i)].x + x[row(i + 1)].x);
    let (i0, i1) = (5, 19);
    let (a, b) = (length - middle(i0), length - middle(i1));
    let stiffness = force * 0.5 * (a * a - b * b) / (slope(i1) - slope(i0));
    let ratio = stiffness / (d * width);
    println!("EI/(D w) = {ratio}");
    assert!((ratio / (8.0 / 9.0) - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn quadratic_bending_is_the_hinge_at_small_angles_and_its_hessian_is_constant() {
    let mesh = strip(4, 3, [0.3, 0.2]);
    let (hinges, quadratic) =
        (Hinges::from_mesh(&mesh, 2.0).unwrap(), QuadraticBends::from_mesh(&mesh, 2.0).unwrap());
    let mut s = Stream(3);
    let x: Vec<DVec3> =
        mesh.positions().iter().map(|p| *p + DVec3::unit_z() * s.within(-1e-5, 1e-5)).collect();
    let (a, b) = (energy(&hinges.view(), &x), energy(&quadratic.view(), &x));
    assert!((a / b - 1.0).abs() < 1e-6, "{}", a / b);
    let crumpled: Vec<DVec3> = x.iter().map(|p| *p + s.vector(0.1)).collect();
    let (f, k) = derivative_errors(&quadratic.view(), &crumpled, 1e-2);
    assert!(f < 1e-9 && k < 1e-9, "{f:e} {k:e}");
    let k = hessian(&quadratic.view(), &crumpled, Projection::Exact);
    assert!(k == hessian(&quadratic.view(), &x, Projection::Spd));
    assert!(is_positive_semidefinite(&k, 1e-13));
    let (force, torque) = imbalance(&crumpled, &forces(&quadratic.view(), &crumpled));
    assert!(force < 1e-14 && torque < 1e-13, "{force:e} {torque:e}");
    for e in [&hinges.view() as &dyn Fn1, &quadratic.view()] {
        let moved: Vec<DVec3> = crumpled.iter().map(|p| turned(*p) + DVec3::one()).collect();
        let (a, b) = (e.of(&crumpled), e.of(&moved));
        assert!((a - b).abs() < 1e-12 * a);
    }
}

#[test]
fn wide_kernels_have_the_bits_of_the_scalar_twin_for_any_number_of_threads() {
    let mesh = strip(40, 30, [0.3, 0.2]);
    let mut s = Stream(5);
    let mut x: Vec<DVec3> = mesh.positions().iter().map(|p| *p + s.vector(0.3)).collect();
    // Flat, collapsed and all but collapsed triangles, and one far out of range.
    x[100..220].copy_from_slice(&mesh.positions()[100..220]);
    x[300..310].fill(DVec3::one());
    x[311] = x[310] + DVec3::unit_x() * 1e-13;
    x[500] = DVec3::one() * 1e70;
    let all = Hinges::from_mesh(&mesh, 1e-3).unwrap();
    for count in [1, 7, 8, 15, all.len()] {
        let mut some = Hinges::default();
        for e in 0..count {
            some.push(Hinge {
                nodes: all.nodes[e],
                rest_angle: 0.1 * (e % 3) as f64,
                stiffness: all.stiffness[e],
            });
        }
        assert_wide_is_scalar(some.view(), &x);
    }
}

/// Energy of either kind.
trait Fn1 {
    fn of(&self, x: &[DVec3]) -> f64;
}
impl<E: Elements<4>> Fn1 for E {
    fn of(&self, x: &[DVec3]) -> f64 {
        energy(self, x)
    }
}

#[test]
fn a_curved_rest_shape_is_kept() {
    let ball = icosphere(1.0, 2).unwrap();
    let hinges = Hinges::from_mesh(&ball, 1.0).unwrap();
    assert_eq!(energy(&hinges.view(), ball.positions()), 0.0);
    assert!(hinges.rest_angle.iter().all(|&a| a > 0.05));
    let flatter: Vec<DVec3> = ball.positions().iter().map(|p| DVec3::new(p.x, p.y, 0.5 * p.z)).collect();
    assert!(energy(&hinges.view(), &flatter) > 0.1);
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let ball = icosphere(1.0, 1).unwrap();
    let reason = QuadraticBends::from_mesh(&ball, 1.0).unwrap_err().to_string();
    assert!(reason.contains("bent by") && reason.contains("use hinges"), "{reason}");
    assert!(Hinges::from_mesh(&ball, -1.0).unwrap_err().to_string().contains("D is -1 N·m"));
    let x = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_x() * 0.5, DVec3::unit_y()];
    let sliver = TriMesh::new(x, vec![[0, 1, 2], [1, 0, 3]]).unwrap();
    let reason = Hinges::from_mesh(&sliver, 1.0).unwrap_err().to_string();
    assert!(reason.contains("edge 0–1") && reason.contains("without area"), "{reason}");
    assert!(QuadraticBends::from_mesh(&sliver, 1.0).is_err());
    assert!(plate_stiffness(1.0, 2.0, 1.0).unwrap_err().to_string().contains("Poisson's ratio is 2"));
    assert!(plate_stiffness(1.0, 0.3, 0.0).unwrap_err().to_string().contains("thickness is 0 m"));
}
