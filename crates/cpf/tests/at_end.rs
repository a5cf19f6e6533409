//! A step with the discrete force: the same pairs, the depth at the end.

use impinge_ccd::{Candidates, Kind, Opens};
use impinge_cpf::{
    Force, Impulses, Normalisation, Params, StepPairs, Tracked, Workspace, accumulate, plane_impulse,
    tracked_discrete,
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

#[test]
fn against_a_plane_it_is_the_depth_at_the_end() {
    let z = DVec3::unit_z();
    let params = Params::new(DT, Normalisation::default()).unwrap().with_force(Force::AtEnd);
    let hit = |from: f64, to: f64| plane_impulse(z * from, z * to, z, 0.0, K, &params);
    assert_eq!(hit(0.1, -0.02).impulse, K * DT * 0.02);
    assert_eq!(hit(-0.1, -0.02).impulse, K * DT * 0.02);
    assert_eq!((hit(-0.1, 0.02).impulse, hit(-0.1, 0.02).interval), (0.0, None));
}
