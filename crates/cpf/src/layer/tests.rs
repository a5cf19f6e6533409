//! Closed forms of pairs that keep a distance, what goes against what, and the slope of the energy.

use super::*;
use proptest::prelude::*;

const H: f64 = 0.1;
const K: f64 = 3.0;
const DT: f64 = 0.02;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn over_a_face(z: f64) -> [DVec3; 4] {
    [v(0.2, 0.3, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]
}

fn found(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Option<(LayerPair, Option<LayerImpulse>)> {
    let (from, near) = comes_within(kind, x0, x1, H)?;
    let push = Push::of(kind, &between(x0, x1, from), &near)?;
    let pair = LayerPair { kind, weight: near.weight, push, from, distance: H, stiffness: K };
    Some((pair, layer_impulse(&pair, x0, x1, DT, Force::Integrated)))
}

/// A vertex from height a to height b over a face: k Δt ∫(h − z) dt over the time below h.
#[test]
fn a_vertex_over_a_face_has_the_closed_form() {
    for (a, b) in [(0.05, 0.03), (0.3, 0.05), (0.05, 0.3), (0.3, -0.2), (0.05, -0.4)] {
        let (_, row) = found(Kind::VertexFace, &over_a_face(a), &over_a_face(b)).unwrap();
        let row = row.unwrap();
        // ∫ max(0, h − z) over z from a to b, by the way.
        let part = |z: f64| if z < H { -0.5 * (H - z) * (H - z) } else { 0.0 };
        let exact = K * DT * (part(b) - part(a)) / (b - a);
        assert!((row.impulse - v(0.0, 0.0, exact)).mag() < 1e-8 * exact, "{a} {b}: {row:?} {exact}");
        let t = (a - H) / (a - b);
        let times = if a > H { [t, 1.0] } else { [0.0, if b > H { t } else { 1.0 }] };
        assert!(
            (row.t_in - times[0]).abs() < 2e-7 && (row.t_out - times[1]).abs() < 1e-12,
            "{row:?} {times:?}"
        );
        assert_eq!(row.depth, [(H - a).max(0.0), (H - b).max(0.0)]);
    }
}

/// What came through is pushed back: the side is that of the start.
#[test]
fn what_comes_through_is_pushed_back_from_either_side() {
    for side in [1.0, -1.0] {
        let (_, row) = found(Kind::VertexFace, &over_a_face(0.2 * side), &over_a_face(-0.3 * side)).unwrap();
        let row = row.unwrap();
        assert!(row.impulse.z * side > 0.0 && (row.depth[1] - (H + 0.3)).abs() < 1e-12);
        let at_end = |p: &LayerPair| {
            layer_impulse(p, &over_a_face(0.05 * side), &over_a_face(-0.3 * side), DT, Force::AtEnd)
        };
        let pair = found(Kind::VertexFace, &over_a_face(0.05 * side), &over_a_face(0.05 * side)).unwrap().0;
        assert!((at_end(&pair).unwrap().impulse.z - side * K * DT * (H + 0.3)).abs() < 1e-15);
    }
    // Already through, with a side that is known.
    let pair = LayerPair {
        kind: Kind::VertexFace,
        weight: [1.0, -0.5, -0.2, -0.3],
        push: Push::Normal(1),
        from: 0.0,
        distance: H,
        stiffness: K,
    };
    let row = layer_impulse(&pair, &over_a_face(-0.2), &over_a_face(-0.2), DT, Force::Integrated).unwrap();
    assert!((row.impulse.z - K * DT * (H + 0.2)).abs() < 1e-15);
}

#[test]
fn two_edges_and_a_corner_have_the_closed_form() {
    let edges = |z: f64| [v(-1.0, 0.0, z), v(1.0, 0.0, z), v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
    let row = found(Kind::EdgeEdge, &edges(-0.05), &edges(-0.02)).unwrap().1.unwrap();
    assert!((row.impulse - v(0.0, 0.0, -K * DT * 0.065)).mag() < 1e-16, "{row:?}");
    // Beside a corner of the face, along the line from there.
    let beside = |d: f64| {
        let x = over_a_face(0.0);
        [v(-d * 0.6, -d * 0.8, 0.0), x[1], x[2], x[3]]
    };
    let (pair, row) = found(Kind::VertexFace, &beside(0.06), &beside(0.02)).unwrap();
    assert_eq!(pair.weight, [1.0, -1.0, 0.0, 0.0]);
    assert!((row.unwrap().impulse - v(-0.6, -0.8, 0.0) * (K * DT * 0.06)).mag() < 1e-15);
}

#[test]
fn what_stays_away_or_is_not_finite_has_none() {
    assert_eq!(comes_within(Kind::VertexFace, &over_a_face(0.3), &over_a_face(0.11), H), None);
    assert_eq!(comes_within(Kind::VertexFace, &over_a_face(0.3), &over_a_face(0.3), H), None);
    assert_eq!(comes_within(Kind::VertexFace, &over_a_face(f64::NAN), &over_a_face(0.3), H), None);
    assert_eq!(comes_within(Kind::VertexFace, &over_a_face(0.3), &over_a_face(f64::NAN), H), None);
    // On the face itself there is no side.
    let x = over_a_face(0.0);
    assert_eq!(Push::of(Kind::VertexFace, &x, &Nearest::of(Kind::VertexFace, &x)), None);
}

fn point() -> impl Strategy<Value = DVec3> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from)
}

fn points() -> impl Strategy<Value = [DVec3; 4]> {
    [point(), point(), point(), point()]
}

proptest! {
    /// No pair is missed or early: by many looks at the distance on the way.
    #[test]
    fn the_entry_is_the_first(x0 in points(), x1 in points(), edges in prop::bool::ANY) {
        let kind = if edges { Kind::EdgeEdge } else { Kind::VertexFace };
        let entry = comes_within(kind, &x0, &x1, H);
        let until = entry.map_or(1.0, |e| e.0);
        for i in 0..200 {
            let t = until * f64::from(i) / 200.0;
            prop_assert!(Nearest::of(kind, &between(&x0, &x1, t)).distance >= H * (1.0 - 1e-9) || t >= until);
        }
    }

    /// The force of a pair that stands is the slope of ½k(h − d)², for each of its vertices.
    #[test]
    fn the_force_is_the_slope_of_the_energy(x in points(), to in 0.02..0.09f64, edges in prop::bool::ANY) {
        let kind = if edges { Kind::EdgeEdge } else { Kind::VertexFace };
        let near = Nearest::of(kind, &x);
        prop_assume!(near.distance > 1e-3 && near.on != On::End);
        let frame = crate::path::Frame::of(kind, &x);
        prop_assume!(frame.normal().mag() > 0.1 * frame.u.mag() * frame.v.mag());
        // Brought within the distance along the gap.
        let gap = (0..4).fold(DVec3::zero(), |s, i| s + x[i] * near.weight[i]);
        let by = gap * (to / near.distance - 1.0);
        let mut x = x;
        (0..if edges { 2 } else { 1 }).for_each(|i| x[i] += by);
        let near = Nearest::of(kind, &x);
        prop_assume!(near.on != On::End && near.distance < 0.95 * H);
        let Some((pair, Some(row))) = found(kind, &x, &x) else { return Err(TestCaseError::fail("none")) };
        let energy = |x: &[DVec3; 4]| 0.5 * K * (H - Nearest::of(kind, x).distance).max(0.0).powi(2);
        let eps = 1e-6;
        for i in 0..4 {
            for axis in [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()] {
                let moved = |s: f64| { let mut y = x; y[i] += axis * s; energy(&y) };
                let slope = (moved(-eps) - moved(eps)) / (2.0 * eps);
                let force = row.impulse.dot(axis) * pair.weight[i] / DT;
                prop_assert!((slope - force).abs() < 1e-4 * K * H, "{slope} {force}");
            }
        }
        // The four impulses come to nothing, and have no moment.
        let moment = (0..4).fold(DVec3::zero(), |s, i| s + x[i].cross(row.impulse * pair.weight[i]));
        prop_assert!(pair.weight.iter().sum::<f64>().abs() < 1e-15);
        prop_assert!(moment.mag() < 1e-12);
    }

    /// On the way: as by thousands of looks.
    #[test]
    fn the_impulse_is_the_mean_along_the_way(x0 in points(), x1 in points(), edges in prop::bool::ANY) {
        let kind = if edges { Kind::EdgeEdge } else { Kind::VertexFace };
        // A short way, as steps are.
        let x1: [DVec3; 4] = std::array::from_fn(|i| x0[i] + (x1[i] - x0[i]) * 0.2);
        let Some((pair, row)) = found(kind, &x0, &x1) else { return Ok(()) };
        let row = row.map_or(DVec3::zero(), |r| r.impulse);
        let normal = |x: &[DVec3; 4]| crate::path::Frame::of(kind, x).normal().mag();
        prop_assume!((0..=10).all(|i| normal(&between(&x0, &x1, f64::from(i) / 10.0)) > 0.1));
        const N: u32 = 4000;
        let mut sum = DVec3::zero();
        for i in 0..N {
            let t = pair.from + (1.0 - pair.from) * (f64::from(i) + 0.5) / f64::from(N);
            let x = between(&x0, &x1, t);
            // A pair that stands still.
            if let Some(r) = layer_impulse(&LayerPair { from: 0.0, ..pair }, &x, &x, DT, Force::Integrated) {
                sum += r.impulse * ((1.0 - pair.from) / f64::from(N));
            }
        }
        prop_assert!((sum - row).mag() < 1e-4 * K * DT * H, "{sum:?} {row:?}");
    }
}
