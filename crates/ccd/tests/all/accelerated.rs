//! Constant acceleration against an independent decision (rational Sturm sequences), closed forms and straight motion.

use crate::sturm;
use impinge_ccd::accelerated::{contacts, control_points, roots, roots_exact};
use impinge_ccd::{Class, Kind, Roots};
use impinge_geometry::DVec3;
use proptest::prelude::*;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

/// The oracle takes a tenth of a second for a pair with coordinates of 53 bits.
fn cases() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").map_or(30, |n| n.parse().unwrap());
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

type Pair = [[DVec3; 4]; 3];

fn whole(limit: i8) -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-limit..=limit).prop_map(|p| DVec3::from(p.map(f64::from))))
}

/// Small whole numbers; some with a point that rests, an edge that stays parallel, all in one plane, all on one line.
fn degenerate() -> impl Strategy<Value = Pair> {
    (prop::array::uniform3(whole(2)), 0..6).prop_map(|(mut b, what)| {
        match what {
            0 => b[1..].iter_mut().for_each(|x| x[2] = DVec3::zero()),
            1 => b.iter_mut().for_each(|x| x[3] = x[2] + x[1] - x[0]),
            2 => b.iter_mut().flatten().for_each(|p| p.z = 0.0),
            3 => b.iter_mut().flatten().for_each(|p| (p.y, p.z) = (p.x, 0.0)),
            4 => b.iter_mut().for_each(|x| x[3] = x[1] * 2.0 - x[2]),
            _ => {}
        }
        b
    })
}

/// The decision, the roots and the flags against the oracle.
fn agree(kind: Kind, b: &Pair, got: &Roots) {
    let want = sturm::decide(kind, b);
    assert_eq!(got.touch(), want.touch, "{kind:?} {b:?}\n{got:?}");
    let Some(roots) = want.roots else {
        assert!(
            matches!(got.class, Class::CoplanarAlways | Class::DegenerateAlways),
            "{kind:?} {b:?} {got:?}"
        );
        assert!(got.roots.is_empty());
        return;
    };
    assert_eq!(got.roots.len(), roots.len(), "{kind:?} {b:?}\n{got:?}");
    for (got, want) in got.roots.iter().zip(&roots) {
        assert_eq!(got.inside, want.inside, "{kind:?} {b:?} {got:?}");
        assert_eq!((got.before, got.after), (want.before, want.after), "{kind:?} {b:?} {got:?}");
        assert!(want.holds(got.t, got.t_hi), "{kind:?} {b:?} {got:?}");
        assert_eq!(got.multiplicity % 2 == 1, want.before != want.after);
        assert!(got.t_hi - got.t < 1e-6, "{got:?}");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whole_numbers(b in degenerate()) {
        for kind in KINDS {
            agree(kind, &b, &roots_exact(kind, &b).unwrap());
            prop_assert_eq!(contacts(kind, &b).unwrap().touch(), sturm::decide(kind, &b).touch);
            agree(kind, &b, &roots(kind, &b).unwrap());
        }
    }

    /// Whole numbers times 0.1, plus 1000.1, plus a few ulps: nearly degenerate in doubles, ordinary in truth.
    #[test]
    fn nearly_degenerate(b in degenerate(), scale in prop_oneof![Just(1.0), Just(0.1)], offset in prop_oneof![Just(0.0), Just(1000.1)],
                         noise in prop::collection::vec(-2i8..3, 36), size in prop_oneof![Just(0.0), Just(2e-16), Just(1e-9)]) {
        let mut b = b;
        for (p, n) in b.iter_mut().flatten().zip(noise.chunks(3)) {
            *p = *p * scale + DVec3::broadcast(offset) + DVec3::new(f64::from(n[0]), f64::from(n[1]), f64::from(n[2])) * size;
        }
        for kind in KINDS {
            let quick = contacts(kind, &b).unwrap();
            let exact = roots_exact(kind, &b).unwrap();
            prop_assert_eq!(quick.touch(), sturm::decide(kind, &b).touch, "{:?} {:?}", kind, b);
            prop_assert_eq!(quick.touch(), exact.touch());
        }
    }

    /// Ordinary motion: doubles decide, integers agree about every root, and turning time around mirrors them.
    #[test]
    fn ordinary_motion(b in prop::array::uniform3(prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from)))) {
        for kind in KINDS {
            let quick = roots(kind, &b).unwrap();
            let exact = roots_exact(kind, &b).unwrap();
            prop_assert_eq!(contacts(kind, &b).unwrap().touch(), exact.touch());
            prop_assert_eq!(quick.roots.len(), exact.roots.len());
            for (q, e) in quick.roots.iter().zip(&exact.roots) {
                prop_assert!(q.t <= e.t_hi && e.t <= q.t_hi && q.t_hi - q.t < 1e-9, "{:?} {:?}", q, e);
                prop_assert!(e.t_hi - e.t <= 2.3e-16);
                prop_assert_eq!(
                    (q.inside, q.before, q.after, q.multiplicity),
                    (e.inside, e.before, e.after, e.multiplicity)
                );
            }
            let back = roots_exact(kind, &[b[2], b[1], b[0]]).unwrap();
            prop_assert_eq!(back.roots.len(), exact.roots.len());
            for (r, e) in back.roots.iter().rev().zip(&exact.roots) {
                prop_assert!((1.0 - r.t - e.t).abs() < 1e-15);
                prop_assert_eq!((r.inside, r.before, r.after), (e.inside, e.after, e.before));
            }
        }
    }
}

/// A stone thrown up at 3 from height 0 under a = −8 meets the face at height 1/2 at t = 1/4 and 1/2.
#[test]
fn a_thrown_point() {
    let face = |h: f64| [DVec3::new(-1.0, -1.0, h), DVec3::new(2.0, -1.0, h), DVec3::new(-1.0, 2.0, h)];
    let throw = |v: f64, a: f64, h: f64| -> Pair {
        let p = control_points(DVec3::new(-0.25, 0.0, 0.0), DVec3::new(0.5, 0.0, v), DVec3::new(0.0, 0.0, a));
        let [fa, fb, fc] = face(h);
        p.map(|p| [p, fa, fb, fc])
    };
    let b = throw(3.0, -8.0, 0.5);
    let r = roots_exact(Kind::VertexFace, &b).unwrap();
    assert_eq!(r.roots.iter().map(|r| (r.t, r.t_hi)).collect::<Vec<_>>(), [(0.25, 0.25), (0.5, 0.5)]);
    // From below (f = (b−a)×(c−a)·(p−a) < 0) and back.
    assert_eq!(r.roots.iter().map(|r| (r.before, r.after)).collect::<Vec<_>>(), [(-1, 1), (1, -1)]);
    assert!(r.roots.iter().all(|r| r.inside && r.multiplicity == 1 && r.vanishing == 0));
    // The apex, 9/16 at t = 3/8, exactly at the face: one double root, contact without crossing.
    for solve in [contacts, roots, roots_exact] {
        let r = solve(Kind::VertexFace, &throw(3.0, -8.0, 0.5625)).unwrap();
        assert_eq!(r.roots.len(), 1);
        let r = r.roots[0];
        assert_eq!(
            (r.t, r.t_hi, r.multiplicity, r.before, r.after, r.inside),
            (0.375, 0.375, 2, -1, -1, true)
        );
        // The smallest step above the apex: no contact. Below it: two.
        let above = throw(3.0, -8.0, 0.5625f64.next_up());
        assert!(!solve(Kind::VertexFace, &above).unwrap().touch());
        let below = solve(Kind::VertexFace, &throw(3.0, -8.0, 0.5625f64.next_down())).unwrap();
        assert_eq!(below.roots.len(), 2);
        assert!(
            below.roots[0].t_hi <= 0.375
                && below.roots[1].t >= 0.375
                && below.roots[1].t_hi - below.roots[0].t < 1e-7
        );
    }
    // An irrational time: height 1/4 at t = (3 − √5)/8.
    let r = contacts(Kind::VertexFace, &throw(3.0, -8.0, 0.25)).unwrap();
    let want = (3.0 - 5.0f64.sqrt()) / 8.0;
    assert!(
        r.roots[0].t <= want && want <= r.roots[0].t_hi + 1e-16 && r.roots[0].t_hi - r.roots[0].t < 1e-13
    );
}

/// In the plane of the triangle for all time: in over a side at t = ½ − ¼√2·… and out again. By hand: p = (4t(1−t), ¼),
/// side x = ¾ ahead: 4t − 4t² = ¾ at t = ¼ and ¾.
#[test]
fn in_the_plane_for_all_time() {
    let triangle = [DVec3::new(0.75, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.75, 1.0, 0.0)];
    let x = [0.0, 2.0, 0.0];
    let b = x.map(|x| [DVec3::new(x, 0.25, 0.0), triangle[0], triangle[1], triangle[2]]);
    for solve in [contacts, roots, roots_exact] {
        let r = solve(Kind::VertexFace, &b).unwrap();
        assert_eq!(r.class, Class::CoplanarAlways);
        assert_eq!(r.touching.as_slice(), &[[0.25, 0.75]]);
    }
    // Touches the side at its turning point only.
    let b = x.map(|x| [DVec3::new(x * 0.75, 0.25, 0.0), triangle[0], triangle[1], triangle[2]]);
    assert_eq!(contacts(Kind::VertexFace, &b).unwrap().touching.as_slice(), &[[0.5, 0.5]]);
    // On one line: an edge that comes and goes along another.
    let b = x.map(|x| [x - 3.0, x - 2.0, -1.25, 5.0].map(|x| DVec3::new(x, 2.0 * x, -x)));
    let r = contacts(Kind::EdgeEdge, &b).unwrap();
    assert_eq!((r.class, r.touching.as_slice()), (Class::DegenerateAlways, &[[0.25, 0.75]][..]));
}

/// Edges at rest on one line, in every order of their ends: they touch unless one ends before the other starts.
#[test]
fn edges_on_one_line() {
    for ends in 0..81 {
        let x = [ends % 3, ends / 3 % 3, ends / 9 % 3, ends / 27].map(|x| x as f64);
        let touch = x[0].min(x[1]) <= x[2].max(x[3]) && x[2].min(x[3]) <= x[0].max(x[1]);
        let b = [x.map(|x| DVec3::new(x, -2.0 * x, 1.0)); 3];
        let want: &[[f64; 2]] = if touch { &[[0.0, 1.0]] } else { &[] };
        assert_eq!(roots(Kind::EdgeEdge, &b).unwrap().touching.as_slice(), want, "{x:?}");
    }
}

#[test]
fn extreme_magnitudes_and_refusals() {
    let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let b = |s: f64| -> Pair {
        [0.5, 0.5, -0.5].map(|h| [(x + y) * (0.25 * s) + z * (h * s), DVec3::zero(), x * s, y * s])
    };
    // h(t) = ½(1−t)² + t(1−t) − ½t² = ½ − t²: √½.
    for e in [0, 200, -200, 1000, -1000] {
        let r = contacts(Kind::VertexFace, &b(2.0f64.powi(e))).unwrap();
        assert!(r.roots.len() == 1 && r.roots[0].inside, "2^{e}");
        let want = 0.5f64.sqrt();
        assert!(
            r.roots[0].t <= want.next_up()
                && want.next_down() <= r.roots[0].t_hi
                && r.roots[0].t_hi - r.roots[0].t < 1e-13
        );
    }
    let mut bad = b(1.0);
    bad[1][2].x = f64::INFINITY;
    let e = contacts(Kind::EdgeEdge, &bad).unwrap_err();
    assert_eq!((e.point, e.control), (2, 1));
    assert!(e.to_string().contains("control point 1 of point 2"));
}
