//! A step with the discrete force: the same pairs, the depth at the end.

use impinge_ccd::{Candidates, Carried, Kind, Opens};
use impinge_cpf::{
    Force, Impulses, Normalisation, Params, StepPairs, Tracked, Workspace, accumulate, at_end,
    curved_impulses, over_interval, pair_impulses, plane_impulse, tracked_discrete,
};
use impinge_geometry::DVec3;

const K: f64 = 300.0;
const DT: f64 = 0.01;

fn step(force: Force, kind: Kind, x: &[[DVec3; 4]; 2]) -> (Impulses, Tracked) {
    let params = Params::new(DT, Normalisation::default()).unwrap().with_force(force);
    let candidates = match kind {
        Kind::VertexFace => Candidates::VertexFace(&[[0, 1, 2, 3]]),
        Kind::EdgeEdge => Candidates::EdgeEdge(&[[0, 1, 2, 3]]),
    };
    let pairs = StepPairs { candidates, named: &|_| (4, K), opens: Opens::FromBothSides };
    let (mut out, mut next) = (Impulses::default(), Tracked::default());
    let none = Tracked::default();
    accumulate(&params, &x[0], &x[1], &pairs, &none, &mut Workspace::new(), &mut out, &mut next).unwrap();
    (out, next)
}

#[test]
fn it_takes_the_depth_at_the_end_and_misses_what_has_come_and_gone() {
    // Pairs from a linear congruential generator.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let (mut open, mut gone) = (0, 0);
    for i in 0..4000 {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][i % 2];
        let mut points = || [(); 4].map(|()| DVec3::new(number(), number(), number()));
        let x = [points(), points()];
        let (path, next) = step(Force::Integrated, kind, &x);
        let (end, next_end) = step(Force::AtEnd, kind, &x);
        assert_eq!(next, next_end, "what is tracked does not depend on the force");
        let at_end = (0..path.len()).filter(|&i| path.t_out[i] >= 1.0).count();
        assert_eq!(end.len(), at_end);
        gone += path.len() - at_end;
        let one = tracked_discrete(kind, &x[0], &x[1], None, Opens::FromBothSides, K, DT).unwrap();
        assert_eq!(one.map(|p| p.impulse), end.impulse.first().copied());
        for i in 0..end.len() {
            open += 1;
            assert!((end.impulse[i].mag() - K * DT * end.depth[i]).abs() < 1e-12);
        }
    }
    assert!(open > 100 && gone > 20, "{open} open at the end, {gone} come and gone");
}

/// Where a coordinate is none the couple was NaN, though the impulse was zero as documented.
#[test]
fn what_is_not_finite_gives_no_impulse_and_no_couple() {
    let p = |x: [f64; 3]| DVec3::from(x);
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(p);
    let at = |z: f64| [p([0.0, 0.0, z]), corners[0], corners[1], corners[2]];
    let (x0, x1) = (at(0.1), at(-0.1));
    let hit = impinge_ccd::intervals(Kind::VertexFace, &x0, &x1, None, Opens::FromBothSides).unwrap();
    let row = at_end(Kind::VertexFace, &x0, &x1, &hit[0], K, DT);
    assert!((row.impulse.z - K * DT * 0.1).abs() < 1e-12, "{row:?}");
    let params = Params::new(DT, Normalisation::default()).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut broken = x0;
        broken[1].x = bad;
        for (a, b, k) in [(broken, x1, K), (x0, broken, K), (x0, x1, bad)] {
            for row in [
                at_end(Kind::VertexFace, &a, &b, &hit[0], k, DT),
                over_interval(Kind::VertexFace, &a, &b, &hit[0], k, &params),
            ] {
                let zero = |v: DVec3| v == DVec3::zero();
                // The impulse at the end is that of where the pair is then, wherever it comes from.
                assert!(zero(row.couple) || a == x0, "{row:?}");
                assert!(zero(row.impulse) || a != x0, "{row:?}");
                assert!(row.energy.is_finite() && row.depth.is_finite(), "{row:?}");
            }
        }
    }
}

#[test]
fn against_a_plane_it_is_the_depth_at_the_end() {
    let z = DVec3::unit_z();
    let params = Params::new(DT, Normalisation::default()).unwrap().with_force(Force::AtEnd);
    let hit = |from: f64, to: f64| plane_impulse(z * from, z * to, z, 0.0, K, &params);
    assert_eq!(hit(0.1, -0.02).impulse, K * DT * 0.02);
    assert_eq!(hit(-0.1, -0.02).impulse, K * DT * 0.02);
    assert_eq!((hit(-0.1, 0.02).impulse, hit(-0.1, 0.02).interval), (0.0, None));
}

/// Edges that are parallel by the end of the step, and triangles that have collapsed: m(1) = 0, and the depth is what it comes to (C13).
#[test]
fn where_the_normal_vanishes_at_the_end_its_limit_counts() {
    let p = |x: [f64; 3]| DVec3::from(x);
    let x0 = [[-1.0, 2.0, 1.0], [2.0, -2.0, 0.0], [-2.0, 0.0, 1.0], [2.0, -2.0, 2.0]].map(p);
    let x1 = [[0.0, -2.0, 1.0], [-1.0, -2.0, 1.0], [-2.0, 2.0, -2.0], [-1.0, 2.0, -2.0]].map(p);
    let before = Carried { side: -1, weight: Some([0.5, 0.5, -0.25, -0.75]) };
    let d = tracked_discrete(Kind::EdgeEdge, &x0, &x1, Some(&before), Opens::FromBothSides, 1000.0, DT);
    let d = d.unwrap().unwrap();
    assert!((d.depth - 3.0).abs() < 1e-14 && (d.impulse - p([0.0, 0.0, -30.0])).mag() < 1e-13, "{d:?}");
    assert!((d.normal - p([0.0, 0.0, -1.0])).mag() < 1e-15 && (d.energy - 4500.0).abs() < 1e-11, "{d:?}");

    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut grid = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((state >> 40) as u32 % 7) - 3.0
    };
    let params = Params::new(DT, Normalisation::default()).unwrap();
    let (mut deep, mut twice) = (0, 0);
    for i in 0..20_000 {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][i % 2];
        let mut points = || [(); 4].map(|()| p([grid(), grid(), grid()]));
        let (x0, mut x1) = (points(), points());
        let by = [-1.0, 0.5, 2.0][i / 2 % 3];
        match kind {
            Kind::VertexFace => x1[3] = x1[1] + (x1[2] - x1[1]) * by,
            Kind::EdgeEdge => x1[3] = x1[2] + (x1[1] - x1[0]) * by,
        }
        if i % 5 == 0 {
            // As flat as that to the second order: all of it in one place.
            for k in 0..4 {
                if kind == Kind::EdgeEdge || k > 0 {
                    x1[k] = if kind == Kind::EdgeEdge { x1[k / 2 * 2] } else { x1[1] };
                }
            }
        }
        let at =
            |x1: &[DVec3; 4]| tracked_discrete(kind, &x0, x1, None, Opens::FromBothSides, K, DT).unwrap();
        let Some(end) = at(&x1) else { continue };
        let nearly: [DVec3; 4] = std::array::from_fn(|k| x0[k] * 1e-5 + x1[k] * (1.0 - 1e-5));
        // On a rim, where rounding decides whether it is hit.
        let Some(want) = at(&nearly) else { continue };
        let depths = [end.depth, want.depth];
        assert!((depths[0] - depths[1]).abs() < 1e-3, "{i} {kind:?} {x0:?} {x1:?}: {depths:?}");
        assert!((end.impulse.mag() - K * DT * end.depth).abs() < 1e-12);
        if want.depth > 0.01 {
            assert!((end.normal - want.normal).mag() < 1e-2, "{i}: {:?} for {:?}", end.normal, want.normal);
            deep += 1;
            twice += usize::from(i % 5 == 0);
        }
        // The depth that continuous forces report, on straight ways and on parabolas that are straight.
        let path = pair_impulses(kind, &x0, &x1, None, Opens::FromBothSides, K, &params).unwrap();
        assert!((path.last().unwrap().depth - end.depth).abs() < 1e-12, "{i}");
        let middle = std::array::from_fn(|k| (x0[k] + x1[k]) * 0.5);
        let b = [x0, middle, x1];
        let curved = curved_impulses(kind, &b, None, Opens::FromBothSides, K, &params).unwrap();
        let depth = curved.last().filter(|c| c.t_out >= 1.0).map(|c| c.depth);
        assert!(depth.is_none_or(|d| (d - end.depth).abs() < 1e-9), "{i}: {depth:?} for {}", end.depth);
    }
    assert!(deep > 300 && twice > 50, "{deep} deep, {twice} of them of second order");
}
