//! Ways that are not straight: times and integrals against the same way in thousands of straight pieces, whole steps, planes.

use impinge_ccd::screw::RigidMotion;
use impinge_ccd::{Candidates, Carried, Entry, Kind, Opens};
use impinge_cpf::{
    CurvedWays, Force, Impulses, Normalisation, Params, StepPairs, Tracked, Workspace, accumulate,
    accumulate_on_ways, height_impulse, pair_impulses, plane_way_impulse, retrack_on_ways, vertex_face_key,
    way_impulses,
};
use impinge_geometry::DVec3;
use proptest::prelude::*;

fn params(dt: f64) -> Params {
    Params::new(dt, Normalisation::Exact { tolerance: 1e-10 }).unwrap()
}

/// A point that turns with a motion and is accelerated.
#[derive(Clone, Copy, Debug)]
struct Way {
    x: DVec3,
    motion: RigidMotion,
    bend: DVec3,
}

impl Way {
    fn at(&self, t: f64) -> DVec3 {
        self.motion.point_at(self.x, t) + self.bend * (t * t - t)
    }
}

/// Intervals and the impulse of a way by straight pieces: from when to when it penetrates, and the sum.
fn by_pieces(kind: Kind, ways: &[Way; 4], n: usize, k: f64, dt: f64) -> (Vec<[f64; 2]>, DVec3) {
    let at = |i: usize| -> [DVec3; 4] { std::array::from_fn(|p| ways[p].at(i as f64 / n as f64)) };
    let inner = params(dt / n as f64);
    let (mut open, mut carried, mut sum) = (Vec::<[f64; 2]>::new(), None::<Carried>, DVec3::zero());
    let mut a = at(0);
    for i in 0..n {
        let b = at(i + 1);
        let found = pair_impulses(kind, &a, &b, carried.as_ref(), Opens::FromBothSides, k, &inner).unwrap();
        a = b;
        let time = |t: f64| (i as f64 + t) / n as f64;
        for p in &found {
            sum += p.impulse;
            match open.last_mut() {
                Some(o) if p.entry == Entry::Initial => o[1] = time(p.t_out),
                _ => open.push([time(p.t_in), time(p.t_out)]),
            }
        }
        carried = found
            .last()
            .filter(|p| p.t_out >= 1.0)
            .map(|p| Carried { side: p.side_end, weight: Some(p.weight) });
    }
    (open, sum)
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(|[x, y, z]| DVec3::new(x, y, z))
}

fn motion() -> impl Strategy<Value = (RigidMotion, DVec3)> {
    (vector(0.5), vector(0.3), vector(1.2), vector(0.3)).prop_map(|(origin, translation, rotation, bend)| {
        (RigidMotion { origin, translation, rotation }, bend)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Pairs that turn by up to 2 rad a step and are accelerated, against 2000 and 4000 straight pieces, whose errors go with the square of
    /// their length.
    #[test]
    fn times_and_integrals_are_those_of_the_way(
        x in prop::array::uniform4(vector(0.6)),
        first in motion(),
        second in motion(),
        edges in prop::bool::ANY,
    ) {
        let (kind, split) = if edges { (Kind::EdgeEdge, 2) } else { (Kind::VertexFace, 1) };
        let ways: [Way; 4] = std::array::from_fn(|i| {
            let (motion, bend) = if i < split { first } else { second };
            Way { x: x[i], motion, bend }
        });
        let way = |t: f64| ways.map(|w| w.at(t));
        let (k, dt, pieces) = (50.0, 0.02, 32);
        let found = way_impulses(kind, &way, pieces, None, Opens::FromBothSides, k, &params(dt)).unwrap();
        let [coarse, fine] = [2000, 4000].map(|n| by_pieces(kind, &ways, n, k, dt));
        // Features that pass each other's rims within a piece: which way it goes is a matter of 1e-7 m.
        prop_assume!(coarse.0.len() == fine.0.len());
        prop_assert_eq!(found.len(), fine.0.len());
        let sum = found.iter().fold(DVec3::zero(), |s, p| s + p.impulse);
        let want = fine.1 + (fine.1 - coarse.1) / 3.0;
        let scale = k * dt;
        prop_assert!((sum - want).mag() < 2e-6 * scale, "{:?} {:?}", sum, want);
        for (p, (f, c)) in found.iter().zip(fine.0.iter().zip(&coarse.0)) {
            for (got, (f, c)) in [p.t_in, p.t_out].into_iter().zip(f.iter().zip(c)) {
                // A grazing zero is as badly known as the pieces say.
                prop_assert!((got - f).abs() < 1e-7 + 2.0 * (f - c).abs(), "{got} {f} {c}");
            }
        }
    }

    /// Heights over a plane that rises and falls: against the sum of small straight pieces.
    #[test]
    fn a_plane_pushes_wherever_the_way_is_below(
        center in -0.2..0.2f64,
        swing in 0.01..0.4f64,
        phase in 0.0..6.3f64,
        turn in 0.1..9.0f64,
        tilt in 0.0..1.0f64,
    ) {
        let normal = |t: f64| DVec3::new((tilt * t).sin(), 0.0, (tilt * t).cos());
        let h = |t: f64| center + swing * (turn * t + phase).sin();
        let (k, n) = (70.0, 20_000);
        let params = params(0.01);
        let (mut sum, mut span) = (DVec3::zero(), 0.0);
        for i in 0..n {
            let [a, b] = [i, i + 1].map(|i| f64::from(i) / f64::from(n));
            let hit = height_impulse(h(a), h(b), k, &params);
            sum += normal(0.5 * (a + b)) * (hit.impulse / f64::from(n));
            span += hit.interval.map_or(0.0, |i| (i[1] - i[0]) / f64::from(n));
        }
        match plane_way_impulse(&|t| (normal(t), h(t)), 64, k, &params) {
            None => prop_assert!(span == 0.0),
            Some(hit) => {
                prop_assert!((hit.impulse - sum).mag() < 1e-7 * k * 0.01, "{:?} {sum:?}", hit.impulse);
                prop_assert!((hit.span - span).abs() < 1e-6, "{} {span}", hit.span);
                prop_assert!((hit.depth - (-h(1.0)).max(0.0)).abs() < 1e-15);
            }
        }
    }
}

/// A strip of triangles over vertices on circles: each goes in by the same impulse wherever it does, in any order of the candidates.
#[test]
fn a_step_on_arcs_is_that_of_its_pairs() {
    const N: usize = 8;
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    let turn = |at: f64| RigidMotion {
        origin: DVec3::new(at, 0.0, 0.0),
        translation: DVec3::zero(),
        rotation: DVec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0),
    };
    // Points at the end of arms of 1 m, a quarter of a turn from 45° before the top to 45° after it: their chords are at 0.71.
    let motions: Vec<RigidMotion> = (0..N).map(|i| turn(i as f64 * 0.25)).collect();
    for m in &motions {
        let s = std::f64::consts::FRAC_1_SQRT_2;
        x.push(m.origin + DVec3::new(-s, 0.0, s));
    }
    let height = 0.8f64;
    for i in 0..=N {
        for y in [-1.0, 1.0] {
            x.push(DVec3::new(i as f64 * 0.3 - 0.87, y, height));
        }
    }
    let vertex = |i: usize, side: usize| (N + 2 * i + side) as u32;
    for i in 0..N {
        faces.push([vertex(i, 0), vertex(i + 1, 0), vertex(i, 1)]);
        faces.push([vertex(i + 1, 0), vertex(i + 1, 1), vertex(i, 1)]);
    }
    let start = x.clone();
    let at = |v: u32, t: f64| match motions.get(v as usize) {
        Some(m) if t > 0.0 => m.point_at(start[v as usize], t),
        _ => start[v as usize],
    };
    let x1: Vec<DVec3> = (0..x.len() as u32).map(|v| at(v, 1.0)).collect();
    let mut stencils = Vec::new();
    for v in 0..N as u32 {
        for (f, [a, b, c]) in (0..).zip(&faces) {
            stencils.push((vertex_face_key(v, f), [v, *a, *b, *c]));
        }
    }
    let run = |stencils: &[(u64, [u32; 4])], force: Force| {
        let list: Vec<[u32; 4]> = stencils.iter().map(|s| s.1).collect();
        let named = |i: usize| (stencils[i].0, 1000.0);
        let candidates = Candidates::VertexFace(&list);
        let pairs = StepPairs { candidates, named: &named, opens: Opens::From(-1) };
        let ways = CurvedWays { x0: &x, x1: &x1, at: &at, off: &|_, _| 1.0, pieces: &|_, _| 20 };
        let (mut out, mut next, mut ws) = (Impulses::default(), Tracked::default(), Workspace::new());
        let params = params(0.01).with_force(force);
        accumulate_on_ways(&params, &ways, &pairs, &Tracked::default(), &mut ws, &mut out, &mut next)
            .unwrap();
        let mut kept = Tracked::default();
        retrack_on_ways(&ways, &pairs, &Tracked::default(), &mut ws, &mut kept).unwrap();
        (out, next, kept)
    };
    let (out, next, kept) = run(&stencils, Force::Integrated);
    // Up through the plane at sin θ = 0.8 and down again; on straight ways none of them gets there.
    assert_eq!((out.len(), next.len()), (N, N));
    assert!(kept.key.iter().all(|k| out.key.contains(k)));
    let half = height.acos();
    let quarter = std::f64::consts::FRAC_PI_2;
    let want = 1000.0 * 0.01 * (2.0 * half.sin() - height * 2.0 * half) / quarter;
    for i in 0..N {
        assert!((out.impulse[i].z + want).abs() < 1e-5 * want, "{} {want}", out.impulse[i].z);
        let times = [0.5 - half / quarter, 0.5 + half / quarter];
        assert!((out.t_in[i] - times[0]).abs() < 1e-10 && (out.t_out[i] - times[1]).abs() < 1e-10);
    }
    assert_eq!(run(&stencils, Force::AtEnd).0.len(), 0);
    let turned: Vec<_> = stencils.iter().rev().copied().collect();
    assert_eq!(run(&turned, Force::Integrated).0.impulse, out.impulse);
    let named = |i: usize| (stencils[i].0, 1000.0);
    let list: Vec<[u32; 4]> = stencils.iter().map(|s| s.1).collect();
    let pairs =
        StepPairs { candidates: Candidates::VertexFace(&list), named: &named, opens: Opens::FromBothSides };
    let (mut straight, mut next) = (Impulses::default(), Tracked::default());
    accumulate(
        &params(0.01),
        &x,
        &x1,
        &pairs,
        &Tracked::default(),
        &mut Workspace::new(),
        &mut straight,
        &mut next,
    )
    .unwrap();
    assert_eq!(straight.len(), 0);
}
