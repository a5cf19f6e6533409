//! Loads that a rigid body leaves undetermined are those of stiff equal springs, and friction follows them.

use impinge_geometry::{DMat3, DVec3};
use impinge_qp::{
    Point, Problem, RowKind, Rows, Settings, Solver, contact_row, friction_rows, push_friction_points,
    push_points,
};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, System};

const H: f64 = 1e-3;
/// Impulse of the weight in a step (N·s).
const W: f64 = 9.8 * H;
const HEIGHT: f64 = 0.05;
const INERTIA: DVec3 = DVec3 { x: 2e-3, y: 3e-3, z: 4e-3 };

/// One step of a body of 1 kg that stands on points (m, from below its centre of mass); velocities afterwards, normal impulses and friction.
fn step(
    places: &[[f64; 2]],
    (v, spin): (DVec3, DVec3),
    mu: f64,
    start: &[f64],
) -> ((DVec3, DVec3), Vec<f64>, Vec<DVec3>) {
    let layout = Layout { nodes: 0, bodies: 1 };
    let pattern = BlockPattern::new(2, [&[0u32, 1][..]]).unwrap();
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    let axis = |k: usize| {
        let mut e = DVec3::zero();
        e[k] = INERTIA[k];
        e
    };
    layout.add_rigid_mass(0, DVec3::one(), &DMat3::new(axis(0), axis(1), axis(2)), &mut values);
    let mut rows = Rows::new();
    let normal = DVec3::unit_z();
    for (k, [x, y]) in places.iter().enumerate() {
        let arm = DVec3::new(*x, *y, -HEIGHT);
        let points = [Point::Body { body: 0, arm }, Point::Fixed, Point::Fixed, Point::Fixed];
        let v = [v + spin.cross(arm), DVec3::zero(), DVec3::zero(), DVec3::zero()];
        let x = [DVec3::new(*x, *y, 0.0), DVec3::zero(), DVec3::zero(), DVec3::zero()];
        let weight = [1.0, -1.0, 0.0, 0.0];
        let row = contact_row(&x, &v, &weight, normal, 0.0, H);
        let n = push_points(&mut rows, &layout, RowKind::Contact, k as u64, &points, &row).unwrap();
        if mu > 0.0 {
            let t = friction_rows(&v, &weight, normal);
            push_friction_points(&mut rows, &layout, n, mu, &points, &t).unwrap();
        }
    }
    let b = [normal * -W, DVec3::zero()];
    let k = System::new(BlockMatrix::new(&pattern, &values).unwrap());
    let p = Problem { k, b: &b, rows: &rows, layout };
    let (mut dv, mut lambda) = ([DVec3::zero(); 2], vec![0.0; rows.len()]);
    let normals: Vec<usize> = (0..rows.len()).filter(|&i| rows.kinds()[i] == RowKind::Contact).collect();
    normals.iter().zip(start).for_each(|(&i, s)| lambda[i] = *s);
    let settings = Settings { touch: 1e-9, ..Settings::default() };
    let report = Solver::new().solve(&p, &settings, &mut dv, &mut lambda).unwrap();
    assert!(report.solved(), "{report}");
    let mut friction = vec![DVec3::zero(); places.len()];
    for (out, f) in friction.iter_mut().zip(rows.friction()) {
        // Rows of a body at rest point along the tangents, and what acts on it is −λ t.
        let [s, t] = impinge_geometry::tangents(normal);
        let [a, b] = f.tangent.map(|r| lambda[r as usize]);
        *out = -(s * a + t * b);
    }
    ((v + dv[0], spin + dv[1]), normals.iter().map(|&i| lambda[i]).collect(), friction)
}

fn grid(n: usize, [x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    let at = |i: usize| 0.1 * (i as f64 / (n - 1) as f64 - 0.5);
    (0..n * n).map(|i| [at(i % n) - x, at(i / n) - y]).collect()
}

fn at_rest() -> (DVec3, DVec3) {
    (DVec3::zero(), DVec3::zero())
}

#[test]
fn a_weight_within_the_kern_is_borne_linearly_whatever_the_start() {
    for centre in [[0.0, 0.0], [0.004, 0.0], [-0.003, 0.005]] {
        let places = grid(5, centre);
        let spread: f64 = grid(5, [0.0; 2]).iter().map(|p| p[0] * p[0]).sum();
        let mut corners = vec![0.0; 25];
        for (i, part) in [(0, 0.4), (4, 0.1), (20, 0.1), (24, 0.4)] {
            corners[i] = part * W;
        }
        for mu in [0.0, 0.5] {
            for start in [&[0.0; 25][..], &corners] {
                let (after, normal, _) = step(&places, at_rest(), mu, start);
                assert!(after.0.mag() < 1e-15 && after.1.mag() < 1e-13, "{after:?}");
                for (p, n) in grid(5, [0.0; 2]).iter().zip(&normal) {
                    let want = W * (1.0 / 25.0 + (centre[0] * p[0] + centre[1] * p[1]) / spread);
                    assert!((n - want).abs() < 1e-8 * W, "{centre:?}, {mu}: {n}, {want}");
                }
            }
        }
    }
}

#[test]
fn a_weight_beyond_the_kern_lets_part_of_the_base_go() {
    // Two rows of springs at 0, 1, …, 19 mm: pressure falls linearly to 0 at e.
    let centre = 2.1e-3;
    let places: Vec<[f64; 2]> =
        (0..20).flat_map(|i| [-0.01, 0.01].map(|y| [1e-3 * f64::from(i) - centre, y])).collect();
    let (_, normal, _) = step(&places, at_rest(), 0.0, &[]);
    let end = (1..20).find_map(|k| {
        let (n, s, q) = (0..k)
            .map(|i| 1e-3 * f64::from(i))
            .fold((0.0, 0.0, 0.0), |a, x| (a.0 + 1.0, a.1 + x, a.2 + x * x));
        let e = (q - centre * s) / (s - centre * n);
        (e > 1e-3 * (f64::from(k) - 1.0) && e <= 1e-3 * f64::from(k)).then(|| (e, 0.5 * W / (n - s / e)))
    });
    let (e, most) = end.unwrap();
    for (p, n) in places.iter().zip(&normal) {
        let want = (most * (1.0 - (p[0] + centre) / e)).max(0.0);
        assert!((n - want).abs() < 1e-8 * W, "{p:?}: {n}, {want}");
    }
}

#[test]
fn what_spins_has_the_torque_of_an_even_load() {
    let places = grid(4, [0.0; 2]);
    let mu = 0.3;
    let arm = places.iter().map(|[x, y]| x.hypot(*y)).sum::<f64>() / 16.0;
    let mut corner = vec![0.0; 16];
    (corner[0], corner[15]) = (0.5 * W, 0.5 * W);
    let start = (DVec3::zero(), DVec3::new(0.0, 0.0, 2.0));
    let (after, normal, friction) = step(&places, start, mu, &corner);
    let want = 2.0 - mu * W * arm / INERTIA.z;
    assert!((after.1.z / want - 1.0).abs() < 1e-9, "{} rad/s, {want}", after.1.z);
    assert!(normal.iter().all(|n| (n - W / 16.0).abs() < 1e-6 * W));
    assert!(friction.iter().zip(&normal).all(|(f, n)| (f.mag() - mu * n).abs() < 1e-9 * W));
}

#[test]
fn what_slides_and_spins_bears_linearly_and_is_rubbed_by_that() {
    // Friction below the centre of mass tilts the load forward; it is linear in the place all the same.
    let places = grid(4, [0.0; 2]);
    let mu = 0.3;
    let start = (DVec3::new(0.05, 0.02, 0.0), DVec3::new(0.0, 0.0, 1.5));
    let (after, normal, friction) = step(&places, start, mu, &[]);
    let spread: f64 = places.iter().map(|p| p[0] * p[0]).sum();
    let slope: [f64; 2] =
        std::array::from_fn(|k| places.iter().zip(&normal).map(|(p, n)| p[k] * n).sum::<f64>() / spread);
    for ((p, n), f) in places.iter().zip(&normal).zip(&friction) {
        let want = W / 16.0 + slope[0] * p[0] + slope[1] * p[1];
        assert!((n - want).abs() < 1e-6 * W, "{p:?}: {n}, {want}");
        let slip = after.0 + after.1.cross(DVec3::new(p[0], p[1], -HEIGHT));
        let slip = DVec3::new(slip.x, slip.y, 0.0);
        assert!((*f + slip * (mu * n / slip.mag())).mag() < 1e-8 * W, "{p:?}: {f:?}, {slip:?}");
    }
    let force = friction.iter().fold(DVec3::zero(), |s, f| s + *f);
    assert!(slope[0] > 0.0 && ((after.0 - start.0) - force).mag() < 1e-9 * W);
}
