//! A step goes over its pairs eight at a time; every row is that of the pair alone, for any number of threads.

use impinge_ccd::{Candidates, Carried, Entry, Kind, Opens, intervals};
use impinge_contact::SlipState;
use impinge_cpf::{
    Counts, Impulses, Normalisation, PairImpulse, Params, StepPairs, Tracked, TrackedRow, Used, Workspace,
    accumulate, over_interval,
};
use impinge_geometry::DVec3;
use proptest::prelude::*;

const K: [f64; 3] = [1e3, 20.0, 7e4];

/// A pair at both ends of a step: numbers of a lattice, or those moved off it, so that many pairs have a root and few are alike.
fn points(c: &[i8; 24], off: bool, i: usize) -> [[DVec3; 4]; 2] {
    [0, 12].map(|end| {
        std::array::from_fn(|p| {
            let of = |k: usize| {
                let n = end + 3 * p + k;
                f64::from(c[n]) + if off { ((n + i) as f64 * 0.7).sin() * 0.3 } else { 0.0 }
            };
            DVec3::new(of(0), of(1), of(2))
        })
    })
}

/// Key and stiffness of a pair.
fn named(i: usize) -> (u64, f64) {
    (7 * i as u64, K[i % 3])
}

fn run(
    params: &Params,
    x: &[Vec<DVec3>; 2],
    candidates: Candidates<'_>,
    opens: Opens,
    tracked: &Tracked,
    threads: usize,
) -> (Counts, Impulses, Tracked) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (mut out, mut next) = (Impulses::default(), Tracked::default());
        let (pairs, mut ws) = (StepPairs { candidates, named: &named, opens }, Workspace::new());
        let counts = accumulate(params, &x[0], &x[1], &pairs, tracked, &mut ws, &mut out, &mut next);
        (counts.unwrap(), out, next)
    })
}

fn carried_row(key: u64, stencil: [u32; 4], i: usize) -> TrackedRow {
    TrackedRow {
        key,
        stencil,
        side: if i.is_multiple_of(2) { 1 } else { -1 },
        weight: [1.0, -0.25, -0.5, -0.25],
        stiffness: K[i % 3],
        share: if i.is_multiple_of(3) { 0.5 } else { 1.0 },
        fading: i.is_multiple_of(5),
        height: 0.0,
        band: i as f64,
        anchor: DVec3::zero(),
        grip: SlipState::Open,
    }
}

/// A step with all pairs at once against each pair alone; of every `carry` pairs one is carried over from a step before.
fn check(
    pairs: &[([i8; 24], bool)],
    carry: usize,
    way: Normalisation,
    opens: Opens,
) -> Result<(), TestCaseError> {
    let params = Params::new(0.01, way).unwrap();
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let ends: Vec<_> = (0..).zip(pairs).map(|(i, (c, off))| points(c, *off, i)).collect();
        let x = [0, 1].map(|e| ends.iter().flat_map(|p| p[e]).collect::<Vec<_>>());
        let stencils: Vec<[u32; 4]> =
            (0..ends.len() as u32).map(|i| [0, 1, 2, 3].map(|v| 4 * i + v)).collect();
        let candidates = match kind {
            Kind::VertexFace => Candidates::VertexFace(&stencils),
            Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
        };
        let mut tracked = Tracked::default();
        if carry > 0 {
            for i in (0..ends.len()).step_by(carry) {
                tracked.push(carried_row(named(i).0, stencils[i], i));
            }
        }
        let one = run(&params, &x, candidates, opens, &tracked, 1);
        prop_assert_eq!(&one, &run(&params, &x, candidates, opens, &tracked, 3));
        let (counts, out, next) = one;
        let (mut row, mut left, mut constant) = (0, 0, 0);
        for (i, [x0, x1]) in ends.iter().enumerate() {
            let before = tracked.find(named(i).0);
            let known = before.map(|b| Carried { side: tracked.side[b], weight: Some(tracked.weight[b]) });
            let found = intervals(kind, x0, x1, known.as_ref(), opens).unwrap();
            for interval in &found {
                let alone: PairImpulse = over_interval(kind, x0, x1, interval, K[i % 3], &params);
                let share = match (interval.entry, before) {
                    (Entry::Initial, Some(b)) => tracked.share[b],
                    _ => 1.0,
                };
                let got = out.row(row);
                prop_assert_eq!((got.key, got.stencil), (named(i).0, stencils[i]));
                prop_assert_eq!((got.t_in, got.t_out, got.entry), (alone.t_in, alone.t_out, alone.entry));
                prop_assert_eq!((got.weight, got.normal), (alone.weight, alone.normal));
                prop_assert_eq!((got.share, got.impulse), (share, alone.impulse * share));
                prop_assert_eq!((got.depth, got.energy), (alone.depth, alone.energy * share));
                prop_assert_eq!((got.used, got.error), (alone.used, alone.error * share));
                prop_assert_eq!(got.couple, alone.couple * share);
                row += 1;
                constant += usize::from(alone.used == Used::Constant);
            }
            if let Some(last) = found.last() {
                let got = next.row(left);
                prop_assert_eq!((got.key, got.stencil), (named(i).0, stencils[i]));
                prop_assert_eq!(
                    (got.side, got.weight, got.stiffness),
                    (last.side_end, last.weight, K[i % 3])
                );
                let old = before.filter(|_| last.entry == Entry::Initial).map(|b| tracked.row(b));
                prop_assert_eq!(
                    (got.share, got.fading, got.band),
                    old.map_or((1.0, false, 0.0), |o| (o.share, o.fading, o.band))
                );
                left += 1;
            }
        }
        prop_assert_eq!((row, left), (out.len(), next.len()));
        prop_assert_eq!((counts.constant, counts.exact), (constant, row - constant));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_row_is_that_of_the_pair_alone(
        pairs in prop::collection::vec((prop::array::uniform24(-2i8..=2), any::<bool>()), 1..600),
        carry in 0usize..4,
        way in 0usize..3,
        from in any::<bool>(),
    ) {
        let auto = Normalisation::Auto { tolerance: 0.2 };
        let way = [Normalisation::Constant, auto, Normalisation::Exact { tolerance: 1e-3 }][way];
        check(&pairs, carry, way, if from { Opens::From(1) } else { Opens::FromBothSides })?;
    }
}

/// What contacts are like: all pairs of a block meet once.
#[test]
fn blocks_of_contacts_are_those_of_their_pairs() {
    let falling: Vec<([i8; 24], bool)> = (0..700)
        .map(|i| {
            let w = (i % 3) as i8;
            let mut c = [0i8; 24];
            c[..12].copy_from_slice(&[1, 1, 2, -1, -1, 0, 5, -1, w, -1, 5, 0]);
            c[12..].copy_from_slice(&[1, 1, -2, -1, -1, 0, 5, -1, 0, -1, 5, -w]);
            (c, i % 7 != 0)
        })
        .collect();
    for opens in [Opens::From(1), Opens::FromBothSides] {
        check(&falling, 0, Normalisation::Constant, opens).unwrap();
        check(&falling, 2, Normalisation::Constant, opens).unwrap();
    }
}
