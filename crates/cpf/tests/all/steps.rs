//! Whole steps: contacts carried on, handed over between triangles, one order for any input order, momentum.

use impinge_ccd::{Candidates, Entry, Kind, Opens};
use impinge_cpf::{
    Faces, FollowWorkspace, Force, Impulses, Normalisation, PairError, Params, StepError, StepPairs, Tracked,
    Workspace, accumulate, at_end, edge_edge_key, follow_faces, over_interval, pair_impulses, retrack,
    tracked_discrete, vertex_and_face, vertex_face_key,
};
use impinge_geometry::DVec3;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn params() -> Params {
    Params::new(0.01, Normalisation::Exact { tolerance: 1e-10 }).unwrap()
}

fn step(
    x0: &[DVec3],
    x1: &[DVec3],
    stencils: &[[u32; 4]],
    keys: &[u64],
    tracked: &Tracked,
) -> (Impulses, Tracked) {
    let named = |i: usize| (keys[i], 1000.0);
    let candidates = Candidates::VertexFace(stencils);
    let pairs = StepPairs { candidates, named: &named, opens: Opens::FromBothSides };
    let (mut out, mut next) = (Impulses::default(), Tracked::default());
    accumulate(&params(), x0, x1, &pairs, tracked, &mut Workspace::new(), &mut out, &mut next).unwrap();
    (out, next)
}

/// Down through a triangle, on below it where it is no candidate, and up again: one contact from start to end.
#[test]
fn a_contact_is_carried_until_its_depth_is_zero() {
    let at = |z: f64| vec![v(0.25, 0.25, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let key = vertex_face_key(0, 0);
    let (out, next) = step(&at(0.1), &at(-0.3), &[[0, 1, 2, 3]], &[key], &Tracked::default());
    assert_eq!((out.len(), out.entry[0], next.len(), next.side[0]), (1, Entry::Contact, 1, 1));
    assert!((out.impulse[0].z - 1000.0 * 0.01 * 0.1125).abs() < 1e-12);
    // No candidate any more.
    let (out, next) = step(&at(-0.3), &at(-0.2), &[], &[], &next);
    assert_eq!((out.len(), out.entry[0], out.candidate[0]), (1, Entry::Initial, u32::MAX));
    assert!((out.impulse[0].z - 10.0 * 0.25).abs() < 1e-12);
    // Out on the predicted path; the real one did not get there.
    let (out, next) = step(&at(-0.2), &at(0.2), &[[0, 1, 2, 3]], &[key], &next);
    assert!((out.impulse[0].z - 10.0 * 0.05).abs() < 1e-12 && next.len() == 1 && out.depth[0] == 0.0);
    let (out, next) = step(&at(-0.01), &at(-0.01), &[[0, 1, 2, 3]], &[key], &next);
    assert_eq!((out.len(), out.entry[0]), (1, Entry::Initial));
    // And when it is out, it is forgotten.
    let (out, next) = step(&at(0.01), &at(0.02), &[[0, 1, 2, 3]], &[key], &next);
    assert_eq!((out.len(), next.len()), (0, 0));
}

#[test]
fn the_real_motion_decides_with_retrack() {
    let at = |z: f64| vec![v(0.25, 0.25, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let pairs = StepPairs {
        candidates: Candidates::VertexFace(&[[0, 1, 2, 3]]),
        named: &|_| (7, 5.0),
        opens: Opens::From(1),
    };
    let mut next = Tracked::default();
    // Predicted to stay above, pushed through by something else.
    retrack(&at(0.1), &at(-0.1), &pairs, &Tracked::default(), &mut Workspace::new(), &mut next).unwrap();
    assert_eq!((next.len(), next.side[0], next.stiffness[0]), (1, 1, 5.0));
    let held = next.clone();
    retrack(&at(-0.1), &at(0.1), &pairs, &held, &mut Workspace::new(), &mut next).unwrap();
    assert!(next.is_empty());
}

/// The order of the candidates does not matter, nor that one is listed twice; every row is that of the pair alone; rows ascend.
#[test]
fn one_answer_for_any_order() {
    let n = 40u32;
    let (mut x0, mut x1) = (Vec::new(), Vec::new());
    for i in 0..n {
        let at = v(f64::from(i) * 2.0, 0.0, 0.0);
        let w = f64::from(i) * 0.01;
        x0.extend(
            [v(0.2 + w * 0.5, 0.3, 0.2), v(0.0, 0.0, w), v(1.0, 0.0, 0.0), v(0.0, 1.0, -w)].map(|p| p + at),
        );
        x1.extend([v(0.3, 0.2, -0.3 + w), v(0.0, w, 0.0), v(1.0, 0.0, w), v(0.0, 1.0, 0.0)].map(|p| p + at));
    }
    let stencils: Vec<[u32; 4]> = (0..n).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
    let keys: Vec<u64> = (0..n).map(|i| vertex_face_key(4 * i, i)).collect();
    let (out, next) = step(&x0, &x1, &stencils, &keys, &Tracked::default());
    assert!(out.len() > 20 && out.key.windows(2).all(|k| k[0] <= k[1]));
    let mut order: Vec<usize> = (0..n as usize).map(|i| (i * 17 + 5) % n as usize).collect();
    order.push(3);
    let (s, k): (Vec<_>, Vec<_>) = order.iter().map(|&i| (stencils[i], keys[i])).unzip();
    let (again, next_again) = step(&x0, &x1, &s, &k, &Tracked::default());
    assert_eq!((&out.impulse, &out.key, &next), (&again.impulse, &again.key, &next_again));
    for i in 0..out.len() {
        let s = out.stencil[i].map(|v| v as usize);
        let (a, b) = (s.map(|v| x0[v]), s.map(|v| x1[v]));
        let alone =
            pair_impulses(Kind::VertexFace, &a, &b, None, Opens::FromBothSides, 1000.0, &params()).unwrap();
        assert!(alone.iter().any(|p| p.impulse == out.impulse[i] && p.t_in == out.t_in[i]));
    }
}

/// B55, literal: symplectic Euler moves with the impulses at the start's positions. Linear momentum is kept, angular momentum
/// changes by the reported couples; for a contact made in this step that is −t_in Δt Σ v*ᵢ × Iᵢ.
#[test]
fn the_leak_is_the_reported_one() {
    let mass = [1.0, 2.0, 3.0, 4.0];
    let dt = 0.01;
    let x0 = vec![v(0.3, 0.2, 0.05), v(0.0, 0.1, 0.0), v(1.0, 0.0, 0.1), v(0.0, 1.0, 0.0)];
    let speed = [v(3.0, 1.0, -20.0), v(1.0, 0.0, 2.0), v(0.0, -2.0, 0.0), v(0.5, 0.0, 1.0)];
    let x1: Vec<DVec3> = (0..4).map(|i| x0[i] + speed[i] * dt).collect();
    let (out, _) = step(&x0, &x1, &[[0, 1, 2, 3]], &[1], &Tracked::default());
    assert_eq!(out.len(), 1);
    let (mut linear, mut angular, mut formula) = (DVec3::zero(), DVec3::zero(), DVec3::zero());
    for i in 0..4 {
        let impulse = out.impulse[0] * out.weight[0][i];
        let after = speed[i] + impulse / mass[i];
        linear += (after - speed[i]) * mass[i];
        angular += (x0[i] + after * dt).cross(after * mass[i]) - x0[i].cross(speed[i] * mass[i]);
        formula -= speed[i].cross(impulse) * (out.t_in[0] * dt);
    }
    assert!(linear.mag() <= 1e-14 * out.impulse[0].mag());
    assert!((angular - out.couple[0]).mag() <= 1e-13, "{:?} {:?}", angular, out.couple[0]);
    assert!((formula - out.couple[0]).mag() <= 1e-13 && formula.mag() > 1e-4, "{formula:?}");
}

/// A vertex pressed into a roof slides over the ridge: the force on it never jumps, and in the end it is that of the other side.
#[test]
fn sliding_over_a_ridge_is_continuous() {
    // Vertex 0 moves; faces (1,2,3) slopes up to the ridge 2–3, face (2,4,3) down from it.
    let roof = [v(-1.0, 0.5, -0.3), v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(1.0, 0.5, -0.3)];
    let (corners, none) = ([[1, 2, 3], [2, 4, 3]], u32::MAX);
    // Side i joins corners i and i + 1: face 0 meets face 1 over (2, 3), face 1 meets face 0 over (3, 2).
    let across = [[none, 1, none], [none, none, 0]];
    let faces = Faces { corners: &corners, across: &across };
    let at = |s: f64| {
        let mut x = vec![v(s, 0.5, -0.05 - 0.3 * s.abs())];
        x.extend(roof);
        x
    };
    let force = |steps: usize, band: f64| {
        let ds = 1.2 / steps as f64;
        let mut tracked = Tracked::default();
        let mut above = at(-0.6);
        above[0].z += 0.2;
        let (_, next) = step(&above, &at(-0.6), &[[0, 1, 2, 3]], &[vertex_face_key(0, 0)], &tracked);
        assert_eq!(next.len(), 1);
        tracked = next;
        let (mut forces, mut place) = (Vec::new(), Tracked::default());
        for i in 0..steps {
            let (a, b) = (at(-0.6 + ds * i as f64), at(-0.6 + ds * (i + 1) as f64));
            follow_faces(&tracked, &a, &faces, band, &mut FollowWorkspace::default(), &mut place).unwrap();
            let (out, next) = step(&a, &b, &[], &[], &place);
            forces.push(out.impulse.iter().fold(DVec3::zero(), |s, i| s + *i) * 100.0);
            tracked = next;
        }
        (forces, tracked)
    };
    let jump = |f: &[DVec3]| f.windows(2).map(|w| (w[1] - w[0]).mag()).fold(0.0, f64::max);
    let (coarse, _) = force(200, 0.2);
    let (fine, tracked) = force(1600, 0.2);
    // Halving the step three times divides the largest change by about eight: no jump.
    assert!(jump(&fine) < jump(&coarse) / 5.0, "{} {}", jump(&coarse), jump(&fine));
    // A switch all at once is a jump.
    let (abrupt, _) = force(1600, 1e-9);
    assert!(jump(&abrupt) > 10.0 * jump(&fine), "{} {}", jump(&abrupt), jump(&fine));
    assert_eq!((tracked.len(), vertex_and_face(tracked.key[0])), (1, Some((0, 1))));
    let last = fine[fine.len() - 1];
    assert!((last.x / last.z - 0.3).abs() < 1e-9, "not along the normal of the far side: {last:?}");
    assert!((tracked.share[0] - 1.0).abs() < 1e-12);
}

/// Over an open edge a followed contact fades away; kept to the letter it pushes for ever.
#[test]
fn over_an_open_edge_it_fades() {
    let at = |s: f64| vec![v(s, 0.25, -0.05), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let none = u32::MAX;
    let faces = Faces { corners: &[[1, 2, 3]], across: &[[none; 3]] };
    let mut above = at(0.3);
    above[0].z = 0.1;
    let (_, first) = step(&above, &at(0.3), &[[0, 1, 2, 3]], &[vertex_face_key(0, 0)], &Tracked::default());
    let (mut followed, mut literal, mut place) = (first.clone(), first, Tracked::default());
    for i in 0..40 {
        let (a, b) = (at(0.3 + 0.02 * f64::from(i)), at(0.32 + 0.02 * f64::from(i)));
        follow_faces(&followed, &a, &faces, 0.2, &mut FollowWorkspace::default(), &mut place).unwrap();
        followed = step(&a, &b, &[], &[], &place).1;
        literal = step(&a, &b, &[], &[], &literal).1;
    }
    assert_eq!((followed.len(), literal.len()), (0, 1));
    assert!(
        follow_faces(&literal, &at(0.0), &faces, 0.0, &mut FollowWorkspace::default(), &mut place).is_err()
    );
}

#[test]
fn keys_name_features() {
    assert_eq!(vertex_and_face(vertex_face_key(5, 9)), Some((5, 9)));
    assert_eq!(vertex_and_face(edge_edge_key(5, 9)), None);
    assert!(vertex_face_key(u32::MAX >> 1, u32::MAX) < edge_edge_key(0, 0));
}

/// Two vertices fall through a triangle; what comes of a step with these names and stiffnesses of the candidates.
fn named_step(
    stencils: &[[u32; 4]],
    keys: &[u64],
    stiffness: f64,
    tracked: &Tracked,
    force: Force,
) -> Result<(usize, usize), StepError> {
    let at =
        |z: f64| vec![v(0.25, 0.25, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.1, 0.1, z)];
    let named = |i: usize| (keys[i], stiffness);
    let candidates = Candidates::VertexFace(stencils);
    let pairs = StepPairs { candidates, named: &named, opens: Opens::FromBothSides };
    let (mut out, mut next) = (Impulses::default(), Tracked::default());
    let (mut ws, params) = (Workspace::new(), params().with_force(force));
    let done = accumulate(&params, &at(0.5), &at(-0.5), &pairs, tracked, &mut ws, &mut out, &mut next);
    assert!(done.is_ok() || out.is_empty() && next.is_empty());
    let again = retrack(&at(0.5), &at(-0.5), &pairs, tracked, &mut ws, &mut Tracked::default());
    // As text: NaN is not equal to itself.
    assert_eq!(format!("{:?}", again.err()), format!("{:?}", done.clone().err()));
    done.map(|_| (out.len(), next.len()))
}

/// NaN and infinity lost the contact, a negative stiffness pulled.
#[test]
fn a_stiffness_that_is_none_is_refused_with_its_pair() {
    for k in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        for force in [Force::Integrated, Force::AtEnd] {
            let nothing = Tracked::default();
            let e = named_step(&[[4, 1, 2, 3], [0, 1, 2, 3]], &[9, 4], k, &nothing, force).unwrap_err();
            assert!(matches!(e, StepError::Stiffness { key: 9, place: Some(0), .. }), "{e}");
            assert!(e.to_string().contains("candidate 0 (key 0x9)"), "{e}");
            let (_, carried) = step(
                &[v(0.25, 0.25, 0.5), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)],
                &[v(0.25, 0.25, -0.5), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)],
                &[[0, 1, 2, 3]],
                &[4],
                &nothing,
            );
            let carried = Tracked { stiffness: vec![k], ..carried };
            let e = named_step(&[[4, 1, 2, 3]], &[9], 1.0, &carried, force).unwrap_err();
            assert!(matches!(e, StepError::Stiffness { key: 4, place: None, .. }), "{e}");
        }
        let x = |z: f64| [v(0.25, 0.25, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
        let both = Opens::FromBothSides;
        let e = pair_impulses(Kind::VertexFace, &x(0.5), &x(-0.5), None, both, k, &params()).unwrap_err();
        assert!(matches!(e, PairError::Stiffness(_)), "{e}");
        let e = tracked_discrete(Kind::VertexFace, &x(0.5), &x(-0.5), None, both, k, 0.01).unwrap_err();
        assert!(matches!(e, PairError::Stiffness(_)), "{e}");
        let hit = impinge_ccd::intervals(Kind::VertexFace, &x(0.5), &x(-0.5), None, both).unwrap()[0];
        for p in [
            over_interval(Kind::VertexFace, &x(0.5), &x(-0.5), &hit, k, &params()),
            at_end(Kind::VertexFace, &x(0.5), &x(-0.5), &hit, k, 0.01),
        ] {
            assert!(p.energy.is_finite() && (p.impulse.z == 0.0 || k == -1.0), "{p:?}");
        }
    }
    // What covers no area has no stiffness under a law per area.
    assert_eq!(named_step(&[[0, 1, 2, 3]], &[4], 0.0, &Tracked::default(), Force::Integrated), Ok((1, 1)));
}

#[test]
fn different_pairs_of_one_key_are_refused_and_the_same_pair_twice_is_not() {
    let go = |a, b| named_step(&[a, b], &[7, 7], 1.0, &Tracked::default(), Force::Integrated);
    let e = go([0, 1, 2, 3], [4, 1, 2, 3]).unwrap_err();
    assert_eq!(e, StepError::SameKey { key: 7, places: [0, 1] });
    assert!(e.to_string().contains("candidates 0 and 1") && e.to_string().contains("0x7"), "{e}");
    assert_eq!(go([0, 1, 2, 3], [0, 1, 2, 3]), Ok((1, 1)));
    assert_eq!(go([0, 1, 2, 3], [0, 3, 1, 2]), Ok((1, 1)));
    // Edges, in any order of ends and of edges.
    let at = |z: f64| {
        [
            v(-1.0, 0.0, z),
            v(1.0, 0.0, z),
            v(0.0, -1.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(0.5, -1.0, 0.0),
            v(0.5, 1.0, 0.0),
        ]
    };
    let edges = |a, b| {
        let stencils = [a, b];
        let candidates = Candidates::EdgeEdge(&stencils);
        let pairs =
            StepPairs { candidates, named: &|_| (edge_edge_key(0, 1), 1.0), opens: Opens::FromBothSides };
        let (mut out, mut next) = (Impulses::default(), Tracked::default());
        let (nothing, mut ws) = (Tracked::default(), Workspace::new());
        accumulate(&params(), &at(0.5), &at(-0.5), &pairs, &nothing, &mut ws, &mut out, &mut next)
            .map(|_| out.len())
    };
    assert_eq!(edges([0, 1, 2, 3], [3, 2, 1, 0]), Ok(1));
    let both = StepError::SameKey { key: edge_edge_key(0, 1), places: [0, 1] };
    assert_eq!(edges([0, 1, 2, 3], [0, 1, 4, 5]), Err(both));
}
