//! The tiers against each other: every instruction set against the scalar twin, certified answers against the exact
//! tier, error bounds against integer arithmetic.

use super::axis::separated;
use super::certify::{self, Verdict};
use super::pair::{Pair, cubic_at, cubic_over};
use super::screen::{Block, W, one, screen, verdict};
use super::single::{self, Singles, singles};
use super::weigh::{self, Weighed, trust, weigh};
use crate::batch::pack;
use crate::{Kind, exact};
use impinge_geometry::DVec3;
use impinge_geometry::arrays::arrays;
use impinge_geometry::wide::Instructions;
use proptest::prelude::*;
use smallvec::SmallVec;

type Points = [DVec3; 4];

/// Coordinates that meet often: small integers, moved off the grid by a scale, a shift and a few ulps.
fn points() -> impl Strategy<Value = (Points, Points)> {
    let scale = prop_oneof![Just(1.0), Just(0.1), Just(1e-6), Just(1e80), Just(1e-90), Just(1e140)];
    let shift = prop_oneof![Just(0.0), Just(1000.1)];
    let nudge = prop_oneof![Just(0.0), Just(4e-16), Just(1e-9)];
    (prop::array::uniform24(-3i8..=3), scale, shift, nudge, any::<u32>()).prop_map(
        |(c, scale, shift, nudge, m)| {
            let at = |i: usize| (f64::from(c[i]) + shift + nudge * f64::from((m >> i) & 1)) * scale;
            let point = |i: usize| DVec3::new(at(3 * i), at(3 * i + 1), at(3 * i + 2));
            (std::array::from_fn(point), std::array::from_fn(|i| point(i + 4)))
        },
    )
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::VertexFace), Just(Kind::EdgeEdge)]
}

/// The axis test of the batch with the registers of `with`; what fills them must not matter.
#[allow(unsafe_code)]
fn axis<const EDGES: bool>(with: Instructions, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> bool {
    let rows = |filling: f64| [x0, x1].map(|x| x.map(|p| [p.x, p.y, p.z, filling]));
    // SAFETY: plain arrays need no instruction of their own.
    let plain = |f| unsafe { separated::<EDGES, [f64; 4]>(&rows(f)) };
    let all = [0.0, 1e300, -1e300, f64::NAN].map(|f| match with.name() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: only made on processors that have it.
        "AVX2" | "AVX-512" => unsafe {
            use super::axis::Quad;
            use std::arch::x86_64::__m256d;
            separated::<EDGES, __m256d>(&rows(f).map(|e| e.map(|row| <__m256d as Quad>::load(&row))))
        },
        _ => plain(f),
    });
    assert_eq!(all, [plain(0.0); 4]);
    all[0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_instruction_set_gives_the_scalar_verdict(pairs in prop::collection::vec(points(), W)) {
        let mut block = Block::zero();
        for (l, (x0, x1)) in pairs.iter().enumerate() {
            for (e, x) in [x0, x1].into_iter().enumerate() {
                for (i, p) in x.iter().enumerate() {
                    for k in 0..3 {
                        block.x[e][i][k][l] = p[k];
                    }
                }
            }
        }
        for with in Instructions::available() {
            let mut out = [f64::NAN; W];
            screen::<false>(with, &block, &mut out);
            for (l, (x0, x1)) in pairs.iter().enumerate() {
                prop_assert_eq!(out[l], one(Kind::VertexFace, x0, x1), "{} lane {}", with.name(), l);
                prop_assert_eq!(axis::<false>(with, x0, x1), out[l] == verdict::AXIS);
            }
            screen::<true>(with, &block, &mut out);
            for (l, (x0, x1)) in pairs.iter().enumerate() {
                prop_assert_eq!(out[l], one(Kind::EdgeEdge, x0, x1), "{} lane {}", with.name(), l);
                prop_assert_eq!(axis::<true>(with, x0, x1), out[l] == verdict::AXIS);
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_scalar_root_and_weights(
        pairs in prop::collection::vec(points(), W),
        t in prop::array::uniform8(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64]),
    ) {
        let mut block = Block::zero();
        for (l, (x0, x1)) in pairs.iter().enumerate() {
            let [x0, x1] = [arrays(x0), arrays(x1)];
            pack(x0.as_flattened(), x1.as_flattened(), [0, 1, 2, 3], l, &mut block);
        }
        let (mut roots, mut weighed) = (Singles::NONE, Weighed::NONE);
        for with in Instructions::available() {
            for kind in [Kind::VertexFace, Kind::EdgeEdge] {
                match kind {
                    Kind::VertexFace => {
                        singles::<false>(with, &block, &mut roots);
                        weigh::<false>(with, &block, &t, &mut weighed);
                    }
                    Kind::EdgeEdge => {
                        singles::<true>(with, &block, &mut roots);
                        weigh::<true>(with, &block, &t, &mut weighed);
                    }
                }
                for (l, (x0, x1)) in pairs.iter().enumerate() {
                    let twin = single::one(kind, x0, x1);
                    prop_assert_eq!(roots.root(kind, l), twin.root(kind, 0), "{} {:?}", with.name(), kind);
                    let twin = weigh::one(kind, x0, x1, t[l]);
                    prop_assert_eq!(weighed.trust[l], twin.trust[0]);
                    if twin.trust[0] != trust::FLAT {
                        let bits = |w: [f64; 4]| w.map(f64::to_bits);
                        prop_assert_eq!(bits(weighed.weight(l)), bits(twin.weight(0)));
                        prop_assert_eq!(weighed.normal(l, 1), twin.normal(0, 1));
                    }
                }
            }
        }
    }

    #[test]
    fn a_single_root_is_the_only_one(kind in kinds(), (x0, x1) in points()) {
        let Some(root) = single::one(kind, &x0, &x1).root(kind, 0) else { return Ok(()) };
        let expected = exact::roots(kind, &x0, &x1);
        prop_assert_eq!(expected.roots.len(), 1);
        let e = &expected.roots[0];
        prop_assert!(root.t <= e.t_hi && e.t <= root.t_hi, "{:?} against {:?}", root, e);
        prop_assert_eq!(
            (root.multiplicity, root.vanishing, root.inside, root.before, root.after),
            (e.multiplicity, e.vanishing, e.inside, e.before, e.after)
        );
    }

    #[test]
    fn what_the_filters_say_is_true(kind in kinds(), (x0, x1) in points()) {
        let truth = exact::touches(kind, &x0, &x1);
        if one(kind, &x0, &x1) != verdict::OPEN {
            prop_assert!(!truth, "the screen rejected a contact");
        }
        let Some(pair) = Pair::new(kind, &x0, &x1) else { return Ok(()) };
        match certify::decide(&pair) {
            Verdict::Touch => prop_assert!(truth),
            Verdict::Apart => prop_assert!(!truth),
            Verdict::Open => {}
        }
        let mut found = SmallVec::new();
        if certify::roots(&pair, &mut found) {
            let expected = exact::roots(kind, &x0, &x1);
            prop_assert_eq!(found.len(), expected.roots.len());
            for (f, e) in found.iter().zip(&expected.roots) {
                prop_assert!(f.t <= e.t_hi && e.t <= f.t_hi, "{:?} against {:?}", f, e);
                prop_assert_eq!(
                    (f.multiplicity, f.vanishing, f.inside, f.before, f.after),
                    (e.multiplicity, e.vanishing, e.inside, e.before, e.after)
                );
            }
        }
    }

    /// Grid points are exact, so the cubic in integers is the truth the bounds speak of.
    #[test]
    fn errors_stay_below_their_bounds(c in prop::array::uniform24(-50i64..=50), shift in 0i64..3, eighths in 0i64..=8) {
        let shift = [0.0, 1e6, 1.0e9 + 0.5][shift as usize];
        let coordinate = |i: usize| c[i] as f64 * 0.5 + shift;
        let point = |i: usize| DVec3::new(coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2));
        let (x0, x1): (Points, Points) = (std::array::from_fn(point), std::array::from_fn(|i| point(i + 4)));
        let pair = Pair::new(Kind::VertexFace, &x0, &x1).expect("small numbers");
        // In units of (1/2)³ / 8³.
        let p: [[i64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|k| {
            let d = |e: usize| c[12 * e + 3 * (i + 1) + k] - c[12 * e + k];
            d(0) * (8 - eighths) + d(1) * eighths
        }));
        let f = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1])
            + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2])
            + p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        let truth = f as f64 / 4096.0;
        let t = eighths as f64 / 8.0;
        prop_assert!((cubic_at(&pair.f, t) - truth).abs() <= pair.error_at);
        prop_assert!((cubic_over(&pair.f, t, 1.0)[0] - truth).abs() <= pair.error_at);
        prop_assert!((cubic_over(&pair.f, 0.0, t)[3] - truth).abs() <= pair.error_at);
    }
}

#[test]
fn most_random_pairs_need_no_integers() {
    // A filter that never answers would pass the tests above.
    let mut state = 1u64;
    let mut number = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut open, mut one_root, mut singles) = (0, 0, 0);
    for i in 0..2000 {
        let kind = if i % 2 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        let mut points = || -> Points { std::array::from_fn(|_| DVec3::new(number(), number(), number())) };
        let (x0, x1) = (points(), points());
        let pair = Pair::new(kind, &x0, &x1).expect("small numbers");
        open += usize::from(certify::decide(&pair) == Verdict::Open);
        let mut found = SmallVec::new();
        open += usize::from(!certify::roots(&pair, &mut found));
        one_root += usize::from(found.len() == 1);
        singles += usize::from(single::one(kind, &x0, &x1).root(kind, 0).is_some());
    }
    // Wide swings, with turns in between, are not what it is for; it must answer for most all the same.
    assert!(2 * singles > one_root, "{singles} of {one_root} pairs with one root");
    assert!(open <= 4, "{open} of 4000 answers left open");
}
