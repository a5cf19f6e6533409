use super::*;
use impinge_swept::Faces;
use proptest::prelude::*;

/// Of a segment in plan (m).
const LONG: f64 = 1.0;

/// Two cables of four segments: one along x whose ends rise by `rises[0]` a segment from its middle node, one along y below it, `rises[1]`, whose middle
/// node is at `middle` from that of the first.
fn cables(rises: [f64; 2], middle: DVec3) -> (Vec<DVec3>, Faces) {
    let line = |i: usize| {
        (-2..=2).map(move |k: i32| {
            let along = f64::from(k) * LONG;
            let up = f64::from(k.abs()) * rises[i];
            if i == 0 { DVec3::new(along, 0.0, up) } else { middle + DVec3::new(0.0, along, up) }
        })
    };
    let x: Vec<DVec3> = line(0).chain(line(1)).collect();
    let edges = (0..4).chain(5..9).map(|v| [v, v + 1]).collect();
    let mut faces = Faces { edges, ..Faces::default() };
    faces.gather_edges(x.len());
    (x, faces)
}

/// The pairs that bear the crossing of these. The second cable belongs above the first.
fn place(rises: [f64; 2], middle: DVec3, from: (u32, u32)) -> Vec<(Seen, f64)> {
    let (x, faces) = cables(rises, middle);
    let on = Ground { x: &x, faces: &faces, opposes: &|_, _, _| true };
    bearers(std::iter::once(from), -1, &on).to_vec()
}

fn force(place: &[(Seen, f64)]) -> DVec3 {
    place.iter().fold(DVec3::zero(), |f, (s, part)| f + s.normal * (*part * s.depth))
}

#[test]
fn a_node_that_a_straight_segment_presses_on_pushes_back_along_the_way_to_it() {
    // The first cable hangs through, the middle of a segment of the second is 1 cm below its node.
    let held = place([0.3, 0.0], DVec3::new(0.0, 0.5, -0.01), (1, 5));
    assert_eq!(held.len(), 2, "{held:?}");
    let f = force(&held);
    assert!((f - DVec3::new(0.0, 0.0, -0.01)).mag() < 1e-12, "{f:?}");
}

#[test]
fn in_a_fold_over_a_fold_four_pairs_bear_alike_and_push_straight() {
    let (a, b) = (0.3f64, 0.4f64);
    for from in [(1, 5), (1, 6), (2, 5), (2, 6)] {
        let held = place([a, -b], DVec3::new(0.0, 0.0, -0.01), from);
        assert_eq!(held.len(), 4, "{held:?}");
        assert!(held.iter().all(|(_, part)| (part - held[0].1).abs() < 1e-12), "{held:?}");
        let wanted = 0.01 * (1.0 + a * a + b * b) / ((1.0 + a * a) * (1.0 + b * b));
        let f = force(&held);
        assert!((f - DVec3::new(0.0, 0.0, -wanted)).mag() < 1e-12, "{f:?}");
    }
}

#[test]
fn away_from_the_nodes_one_pair_bears_all() {
    for (x, y, pair) in [(-0.5, 0.5, (1, 5)), (-0.5, -0.5, (1, 6)), (0.5, 0.5, (2, 5)), (0.5, -0.5, (2, 6))] {
        for from in [(1, 5), (2, 6)] {
            // As deep, seen from above, wherever it crosses.
            let z = 0.3 * 0.5 + 0.4 * 0.5 - 0.01;
            let place = place([0.3, -0.4], DVec3::new(x, y, z), from);
            assert_eq!(place.len(), 1, "{x}, {y} from {from:?}: {place:?}");
            assert_eq!((edges_of(place[0].0.key), place[0].1), (pair, 1.0), "{x}, {y} from {from:?}");
        }
    }
}

#[test]
fn what_has_passed_back_is_over() {
    for (x, y) in [(0.0, 0.0), (0.01, -0.02), (0.5, 0.5)] {
        let level = 0.3 * f64::abs(x) + 0.4 * f64::abs(y);
        assert!(place([0.3, -0.4], DVec3::new(x, y, level + 0.01), (2, 5)).is_empty(), "{x}, {y}");
    }
}

proptest! {
    /// On a way over the nodes the force neither ends nor jumps.
    #[test]
    fn over_nodes_the_force_changes_without_a_jump(
        rises in prop::array::uniform2(-0.5..0.5f64),
        (x, y) in (-0.2..0.2f64, -0.2..0.2f64),
        turn in 0.0..std::f64::consts::TAU,
        depth in 1e-3..1e-1f64,
    ) {
        let level = |x: f64, y: f64| rises[0] * x.abs() - rises[1] * y.abs();
        let at = |x: f64, y: f64| place(rises, DVec3::new(x, y, level(x, y) - depth), (1, 5));
        let step = 1e-7;
        let (here, next) = (at(x, y), at(x + step * turn.cos(), y + step * turn.sin()));
        let sum: f64 = here.iter().map(|p| p.1).sum();
        prop_assert!(sum >= 1.0 - 1e-12, "{here:?}");
        let jump = (force(&next) - force(&here)).mag();
        prop_assert!(jump <= 20.0 * step, "{jump:e} N/(N/m) in {step:e} m: {here:?}, {next:?}");
        let straight = -force(&here).z;
        prop_assert!(straight > 0.5 * depth, "{straight} of {depth}: {here:?}");
    }
}
