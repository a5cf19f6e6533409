//! Rows against what they promise: an answer on the bound ends at the thickness, the limit, the target.

use impinge_geometry::{DVec3, tangents};
use impinge_qp::{
    Point, PointRow, RowError, RowKind, Rows, contact_row, edge_edge, fixed_velocity, friction_rows,
    push_points, strain_lower, strain_rate, strain_upper, strain_upper_at, vertex_triangle,
};
use impinge_solvers::{Layout, pattern::NONE};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    (-2.0..2.0, -2.0..2.0, -2.0..2.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn four() -> impl Strategy<Value = [DVec3; 4]> {
    [vector(), vector(), vector(), vector()]
}

/// Moves `dv` along the gradient until the row is met exactly.
fn onto_bound<const N: usize>(gradient: &[DVec3; N], bound: f64, mut dv: [DVec3; N]) -> [DVec3; N] {
    let now: f64 = gradient.iter().zip(&dv).map(|(g, d)| g.dot(*d)).sum();
    let size: f64 = gradient.iter().map(|g| g.mag_sq()).sum();
    for (d, g) in dv.iter_mut().zip(gradient) {
        *d += *g * ((bound - now) / size);
    }
    dv
}

proptest! {
    #[test]
    fn on_the_bound_the_gap_ends_at_the_thickness(
        x in four(), v in four(), dv in four(), n in vector(), a in 0.0..1.0f64, b in 0.0..1.0f64, r in 0.0..0.1f64, h in 0.001..0.1f64,
    ) {
        prop_assume!(n.mag() > 0.1);
        let n = n / n.mag();
        let signed: [[f64; 4]; 2] = [[1.0, -(1.0 - a) * (1.0 - b), -a, -(1.0 - a) * b], [1.0 - a, a, -(1.0 - b), -b]];
        let rows = [
            vertex_triangle(&x, &v, [(1.0 - a) * (1.0 - b), a, (1.0 - a) * b], n, r, h),
            edge_edge(&x, &v, [a, b], n, r, h),
        ];
        for (row, w) in rows.iter().zip(&signed) {
            prop_assert_eq!(row, &contact_row(&x, &v, w, n, r, h));
            let dv = onto_bound(&row.gradient, row.bound, dv);
            let gap: f64 = (0..4usize).map(|i| w[i] * n.dot(x[i] + (v[i] + dv[i]) * h)).sum();
            prop_assert!((gap - r).abs() < 1e-11, "{gap} is not {r}");
        }
    }

    #[test]
    fn strain_rows_meet_their_limits_to_second_order(
        x in [vector(), vector()], v in [vector(), vector()], dv in [vector(), vector()], limit in 0.5..1.5f64,
    ) {
        prop_assume!((x[0] - x[1]).mag() > 0.2);
        let h = 1e-6;
        let length = |dv: &[DVec3; 2]| (x[0] + (v[0] + dv[0]) * h - x[1] - (v[1] + dv[1]) * h).mag();
        let limit = limit * (x[0] - x[1]).mag();
        for row in [strain_upper(x, v, limit, h).unwrap(), strain_lower(x, v, limit, h).unwrap()] {
            // Rescaled so that the correction stays of the size of the others.
            let dv = onto_bound(&row.gradient, row.bound.clamp(-5.0, 5.0), dv);
            let moved = row.gradient[0].dot(dv[0]) + row.gradient[1].dot(dv[1]);
            let sign = if row.gradient[0].dot(x[0] - x[1]) > 0.0 { 1.0 } else { -1.0 };
            let want = limit + sign * h * (moved - row.bound);
            prop_assert!((length(&dv) - want).abs() < 1e-9, "{} is not {want}", length(&dv));
        }
        // A cut at the answer supports the true limit: what it forbids is really too long.
        let cut = strain_upper_at(x, v, dv, limit, h).unwrap();
        let value = cut.gradient[0].dot(dv[0]) + cut.gradient[1].dot(dv[1]) - cut.bound;
        prop_assert!((length(&dv) - (limit + h * value)).abs() < 1e-12);
    }

    #[test]
    fn tangents_are_an_orthonormal_frame(n in vector()) {
        prop_assume!(n.mag() > 1e-3);
        let n = n / n.mag();
        let [s, t] = tangents(n);
        for (a, b, want) in [(s, s, 1.0), (t, t, 1.0), (s, t, 0.0), (s, n, 0.0), (t, n, 0.0)] {
            prop_assert!((a.dot(b) - want).abs() < 1e-14);
        }
    }
}

#[test]
fn the_numbers_of_the_errata() {
    // Q2: gap 0.1, h = 0.05, approach at 1: c = 1, not 3.
    let z = DVec3::unit_z();
    let x = [z * 0.1, DVec3::zero(), DVec3::zero(), DVec3::zero()];
    let v = [-z, DVec3::zero(), DVec3::zero(), DVec3::zero()];
    let row = contact_row(&x, &v, &[1.0, -1.0, 0.0, 0.0], z, 0.0, 0.05);
    assert!((row.bound - 1.0).abs() < 1e-15 && row.gradient[0] == -z && row.measure == 0.1);
    // Q4: l = 1, l_max = 1.1, h = 0.1, relative speed 2: −1, not 1.
    let (x, v) = ([DVec3::unit_x(), DVec3::zero()], [DVec3::unit_x() * 2.0, DVec3::zero()]);
    assert!((strain_upper(x, v, 1.1, 0.1).unwrap().bound + 1.0).abs() < 1e-14);
    assert!((strain_lower(x, v, 0.9, 0.1).unwrap().bound - 3.0).abs() < 1e-14);
    let [more, less] = strain_rate(x, v, 1.0, 0.5).unwrap();
    assert_eq!((more.bound, less.bound), (-1.5, 2.5));
    assert!(strain_upper([DVec3::one(); 2], v, 1.1, 0.1).is_none());
    // §4.4: c = target − v.
    let fixed = fixed_velocity(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 0.5, 3.0));
    assert_eq!(fixed.map(|r| r.bound), [-1.0, -1.5, 0.0]);
    let slip = friction_rows(&[DVec3::new(1.0, 2.0, 0.0); 4], &[1.0, -1.0, 0.0, 0.0], z);
    assert!(slip.iter().all(|r| r.bound == 0.0), "moving together is no slip");
}

/// A thousand kilometres from the origin places are known to 1e-10 m, and what is between them is as well.
#[test]
fn rows_lose_nothing_far_from_the_origin() {
    let far = DVec3::new(1e6, -1e6, 1e6);
    let steps = |x: [f64; 3]| DVec3::from(x.map(|c| c * 2f64.powi(-20)));
    let x = [[3.0, 1.0, -7.0], [-9.0, 2.0, 5.0], [11.0, -3.0, 4.0], [2.0, 8.0, -6.0]].map(steps);
    let v = [[0.5, 0.25, -1.0], [1.0, -0.5, 0.0], [-0.75, 0.0, 2.0], [0.0, 1.0, 1.0]].map(DVec3::from);
    let n = DVec3::new(2.0, 3.0, 6.0) / 7.0;
    type Row = fn(&[DVec3; 4], &[DVec3; 4], [f64; 3], DVec3, f64, f64) -> PointRow<4>;
    let edges: Row = |x, v, w, n, r, h| edge_edge(x, v, [w[1], w[2]], n, r, h);
    for a in 0..40 {
        let (a, b) = (f64::from(a) / 41.0, f64::from(a % 7) / 9.0);
        for row in [vertex_triangle as Row, edges] {
            let weights = [(1.0 - a) * (1.0 - b), a, (1.0 - a) * b];
            let (near, there) =
                (row(&x, &v, weights, n, 1e-7, 0.01), row(&x.map(|x| x + far), &v, weights, n, 1e-7, 0.01));
            assert_eq!(near, there, "the shift is exact for these places");
            let fast = row(&x, &v.map(|v| v + far), weights, n, 1e-7, 0.01);
            assert!((near.bound - fast.bound).abs() < 1e-9, "{near:?} {fast:?}");
        }
    }
}

#[test]
fn points_become_blocks() {
    let layout = Layout { nodes: 5, bodies: 1 };
    let z = DVec3::unit_z();
    let weight = [1.0, -0.5, -0.25, -0.25];
    let row = contact_row(&[DVec3::zero(); 4], &[DVec3::zero(); 4], &weight, z, 0.0, 1.0);
    let embedded = [(0u32, 0.5), (3, 0.5)];
    let arm = DVec3::unit_x();
    let points = [Point::Node(0), Point::Embedded(&embedded), Point::Body { body: 0, arm }, Point::Fixed];
    let mut rows = Rows::new();
    push_points(&mut rows, &layout, RowKind::Contact, 9, &points, &row).unwrap();
    let r = rows.row(0);
    assert_eq!(r.blocks, [0, 3, 5, 6]);
    // Node 0 is in twice: as itself, and under the embedded vertex.
    assert_eq!(r.gradients, [z * -0.75, z * 0.25, z * 0.25, arm.cross(z * 0.25)]);
    assert_eq!(
        rows.dot(0, &[z; 7]),
        -0.25,
        "0.25 is left with the fixed point; the arm does not turn about z"
    );
}

#[test]
fn the_order_of_arrival_does_not_matter() {
    let g = |b: u32| [(b, DVec3::unit_x())];
    let mut one = Rows::new();
    let mut two = Rows::new();
    for (rows, order) in [(&mut one, [3u64, 1, 2]), (&mut two, [2, 3, 1])] {
        for key in order {
            let n = rows.push(RowKind::Contact, key, key as f64, &g(key as u32)).unwrap();
            rows.set_rounding(n as usize, key as f64);
            if key == 2 {
                rows.push_friction(n, 0.5, [&g(7), &g(8)], [0.1, 0.2]).unwrap();
            }
        }
        rows.sort_by_key();
    }
    assert_eq!(one, two);
    assert_eq!(one.keys(), [1, 2, 2, 2, 3]);
    let f = one.friction()[0];
    assert_eq!((f.normal, f.tangent), (1, [2, 3]));
    assert_eq!(one.bounds()[3], 0.2);
    assert_eq!(one.rounding(), [1.0, 2.0, 0.0, 0.0, 3.0]);
    // Multipliers follow their keys into a table that has lost and gained rows.
    let mut next = Rows::new();
    for key in [2, 4] {
        next.push(RowKind::Contact, key, 0.0, &g(0)).unwrap();
    }
    assert_eq!(next.carry(&one, &[1.0, 2.0, 3.0, 4.0, 5.0]), [2.0, 0.0]);
    one.truncate(2);
    assert!(one.len() == 2 && one.friction().is_empty() && !one.keys().contains(&3));
}

#[test]
fn bad_rows_are_refused() {
    let mut rows = Rows::new();
    let g = [(0, DVec3::unit_x()), (NONE, DVec3::unit_y())];
    assert_eq!(rows.push(RowKind::Contact, 5, f64::NAN, &g), Err(RowError::NotFinite { key: 5 }));
    let nan = [(0, DVec3::unit_x() * f64::NAN)];
    assert_eq!(rows.push(RowKind::Contact, 6, 0.0, &nan), Err(RowError::NotFinite { key: 6 }));
    assert!(rows.is_empty());
    let n = rows.push(RowKind::Contact, 7, 0.0, &g).unwrap();
    assert_eq!(rows.row(0).blocks, [0], "a point on rails has no block");
    assert!(rows.push_friction(n, -1.0, [&g, &g], [0.0; 2]).is_err());
    assert!(rows.push_friction(n, 0.5, [&g, &nan], [0.0; 2]).is_err());
    assert_eq!(rows.len(), 1, "half a friction was left behind");
    rows.push_friction(n, 0.5, [&g, &g], [0.0; 2]).unwrap();
    assert!(rows.push_friction(n, 0.5, [&g, &g], [0.0; 2]).is_err(), "friction twice");
    assert!(rows.push_friction(1, 0.5, [&g, &g], [0.0; 2]).is_err(), "friction on a tangent");
}
