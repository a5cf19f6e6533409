//! Nanoseconds per penetrating pair: intervals, impulse with L_k, impulse with |m(t)|, and the discrete force, side by side.
//!
//! `cargo run --release -p impinge-cpf --example pair_timing`

use impinge_ccd::{
    Candidates, ContactWorkspace, Kind, Opens, PenetrationIntervals, contact_normal, contact_weights,
    intervals, penetration_intervals, roots, touches_by,
};
use impinge_cpf::{
    Impulses, Normalisation, Params, StepPairs, Tracked, Workspace, accumulate, at_end, over_interval,
};
use impinge_geometry::DVec3;
use std::hint::black_box;
use std::time::Instant;

struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

/// Pairs that meet in the step, of features that turn a little.
fn pairs(kind: Kind, n: usize) -> Vec<([DVec3; 4], [DVec3; 4])> {
    let mut numbers = Numbers(77);
    let p = |x, y, z| DVec3::new(x, y, z);
    let (base, first) = match kind {
        Kind::VertexFace => ([p(0.3, 0.3, 0.1), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)], 1),
        Kind::EdgeEdge => ([p(-0.5, 0.0, 0.1), p(0.5, 0.1, 0.1), p(0.0, -0.5, 0.0), p(0.1, 0.5, 0.0)], 2),
    };
    let mut out = Vec::new();
    while out.len() < n {
        let x0 = base.map(|b| b + numbers.vector() * 0.1);
        let x1 = std::array::from_fn(|i| {
            let fall = if i < first { p(0.0, 0.0, -0.3) } else { DVec3::zero() };
            x0[i] + fall + numbers.vector() * 0.05
        });
        if intervals(kind, &x0, &x1, None, Opens::FromBothSides).is_ok_and(|i| i.len() == 1) {
            out.push((x0, x1));
        }
    }
    out
}

/// Median over rounds of the time of one round, per pair (ns).
fn median(n: usize, mut round: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..401)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_secs_f64() * 1e9 / n as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    // Short rounds: on a busy machine most of them run undisturbed.
    let n = 256;
    let dt = 0.01;
    let ways = [
        ("L_k", Normalisation::Constant),
        ("auto 1e-3", Normalisation::default()),
        ("|m(t)| to 1e-6", Normalisation::Exact { tolerance: 1e-6 }),
        ("|m(t)| to 1e-12", Normalisation::Exact { tolerance: 1e-12 }),
    ];
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let list = pairs(kind, n);
        let known: Vec<_> = list
            .iter()
            .map(|(a, b)| intervals(kind, a, b, None, Opens::FromBothSides).map(|i| i[0]))
            .collect::<Result<_, _>>()
            .unwrap_or_default();
        println!("{kind:?}, {n} penetrating pairs, ns per pair (median of 401 rounds)");
        let find = median(n, || {
            for (a, b) in &list {
                let _ = black_box(intervals(kind, black_box(a), b, None, Opens::FromBothSides));
            }
        });
        println!("  intervals              {find:8.1}");
        let (x0, x1): (Vec<_>, Vec<_>) = list.iter().map(|p| (p.0, p.1)).unzip();
        let (x0, x1) = (x0.concat(), x1.concat());
        let stencils: Vec<[u32; 4]> =
            (0..n as u32).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
        let candidates = match kind {
            Kind::VertexFace => Candidates::VertexFace(&stencils),
            Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
        };
        let (mut scratch, mut rows) = (ContactWorkspace::new(), PenetrationIntervals::default());
        let t = median(n, || {
            let both = Opens::FromBothSides;
            let _ =
                black_box(penetration_intervals(&x0, &x1, candidates, &[], both, &mut scratch, &mut rows));
        });
        println!("  intervals, batch call  {t:8.1}   with decision, weights and normals");
        let t = median(n, || {
            for (a, b) in &list {
                let _ = black_box(touches_by(kind, black_box(a), b));
            }
        });
        println!("    of which: decision   {t:8.1}");
        let t = median(n, || {
            for (a, b) in &list {
                let _ = black_box(roots(kind, black_box(a), b));
            }
        });
        println!("    of which: roots      {t:8.1}");
        let t = median(n, || {
            for ((a, b), i) in list.iter().zip(&known) {
                let w = contact_weights(kind, black_box(a), b, i.t_in);
                black_box(contact_normal(kind, a, b, i.t_in, i.side, &w));
            }
        });
        println!("    weights and normal   {t:8.1}");
        for (name, normalisation) in ways {
            let Ok(params) = Params::new(dt, normalisation) else { continue };
            let t = median(n, || {
                for ((a, b), i) in list.iter().zip(&known) {
                    black_box(over_interval(kind, black_box(a), b, i, 1e3, &params));
                }
            });
            println!("  impulse, {name:<15} {t:6.1}   with intervals {:8.1}", t + find);
        }
        let t = median(n, || {
            for ((a, b), i) in list.iter().zip(&known) {
                black_box(at_end(kind, black_box(a), b, i, 1e3, dt));
            }
        });
        println!("  discrete force         {t:8.1}");
        let candidates = match kind {
            Kind::VertexFace => Candidates::VertexFace(&stencils),
            Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
        };
        let named = |i: usize| (i as u64, 1e3);
        let step = StepPairs { candidates, named: &named, opens: Opens::FromBothSides };
        let (mut ws, none) = (Workspace::new(), Tracked::default());
        let (mut out, mut next) = (Impulses::default(), Tracked::default());
        if let Ok(params) = Params::new(dt, Normalisation::Constant) {
            let t = median(n, || {
                let _ = black_box(accumulate(&params, &x0, &x1, &step, &none, &mut ws, &mut out, &mut next));
            });
            println!("  accumulate, all of it  {t:8.1}");
        }
    }
}
