//! Discrete gradients: the identities they exist for, finite differences of their tangents, long runs.

use impinge_ccd::{Candidates, Carried, Kind, Opens};
use impinge_cpf::conserving::{
    ConservingOptions, ContactLaw, ContactPair, GradientRow, GradientWorkspace, PairGradient, PairTangent,
    Scheme, conserving_step, gradients, pair_gradient, pair_tangent, stored,
};
use impinge_cpf::{Normalisation, Params, Particle, StepPairs, Tracked};
use impinge_geometry::DVec3;

const BOTH: Opens = Opens::FromBothSides;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        v(self.unit() * 2.0 - 1.0, self.unit() * 2.0 - 1.0, self.unit() * 2.0 - 1.0)
    }

    /// A pair that starts at height `z0` and ends at `z1`, more or less.
    fn pair(&mut self, kind: Kind, z0: f64, z1: f64, sigma: f64) -> ([DVec3; 4], [DVec3; 4]) {
        let base = |z| match kind {
            Kind::VertexFace => [v(0.3, 0.3, z), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)],
            Kind::EdgeEdge => [v(-0.5, 0.0, z), v(0.5, 0.1, z), v(0.0, -0.5, 0.0), v(0.1, 0.5, 0.0)],
        };
        (base(z0).map(|p| p + self.vector() * sigma), base(z1).map(|p| p + self.vector() * sigma))
    }
}

/// The free side of these pairs is above: f = m·(p−a) > 0 for the face; m = (b−a)×(d−c) points up for the edges too.
fn above(penetrating: bool) -> Option<Carried> {
    penetrating.then_some(Carried { side: 1, weight: None })
}

fn gradient(
    s: Scheme,
    kind: Kind,
    x: &([DVec3; 4], [DVec3; 4]),
    c: Option<&Carried>,
    damping: f64,
) -> Option<PairGradient> {
    pair_gradient(s, kind, &x.0, &x.1, c, BOTH, (1000.0, damping), 0.01).unwrap()
}

fn tangent(
    s: Scheme,
    kind: Kind,
    x: &([DVec3; 4], [DVec3; 4]),
    c: Option<&Carried>,
    damping: f64,
) -> PairTangent {
    pair_tangent(s, kind, &x.0, &x.1, c, BOTH, (1000.0, damping), 0.01).unwrap().unwrap()
}

fn work(g: &PairGradient, x: &([DVec3; 4], [DVec3; 4])) -> f64 {
    (0..4).map(|i| g.gradient[i].dot(x.1[i] - x.0[i])).sum()
}

/// G·Δx = ΔU for pairs that stay in, enter and leave; no net force; no couple from the equivariant one; and the path
/// average's couple is what it does to angular momentum.
#[test]
fn identities() {
    let mut numbers = Numbers(9);
    let (mut seen, mut largest_leak) = ([0; 3], 0.0f64);
    for round in 0..600 {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][round % 2];
        let (z0, z1) = [(-0.1, -0.2), (0.2, -0.2), (-0.2, 0.2)][round % 3];
        let x = numbers.pair(kind, z0, z1, 0.08);
        let carried = above(z0 < 0.0);
        for scheme in [Scheme::PathAverage, Scheme::Equivariant] {
            let Some(g) = gradient(scheme, kind, &x, carried.as_ref(), 0.0) else { continue };
            seen[round % 3] += 1;
            let change = g.energy[1] - g.energy[0];
            let size = g.gradient.iter().map(|g| g.mag()).sum::<f64>();
            assert!((work(&g, &x) - change).abs() <= 1e-12 * size, "{scheme:?} {} {change}", work(&g, &x));
            let sum = g.gradient.iter().fold(DVec3::zero(), |s, g| s + *g);
            assert!(sum.mag() <= 1e-13 * size);
            let couple =
                (0..4).fold(DVec3::zero(), |s, i| s + ((x.0[i] + x.1[i]) * 0.5).cross(g.gradient[i]));
            assert!((couple - g.couple).mag() <= 1e-12 * size);
            if g.scheme == Scheme::Equivariant {
                assert!(couple.mag() <= 1e-12 * size, "{} of {size}", couple.mag());
            } else {
                largest_leak = largest_leak.max(couple.mag() / size);
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
    // The leak is real, or the equivariant scheme would not be needed.
    assert!(largest_leak > 1e-3, "{largest_leak}");
}

/// Damping takes c Δδ²/Δt and nothing else: no couple, no net force.
#[test]
fn damping_takes_what_it_says() {
    let mut numbers = Numbers(21);
    for round in 0..200 {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][round % 2];
        let (z0, z1) = [(-0.1, -0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.1)][round % 4];
        let x = numbers.pair(kind, z0, z1, 0.02);
        let Some(g) = gradient(Scheme::Equivariant, kind, &x, above(z0 < 0.0).as_ref(), 5.0) else {
            continue;
        };
        let size = g.gradient.iter().map(|g| g.mag()).sum::<f64>();
        assert_eq!(g.scheme, Scheme::Equivariant);
        // Spring and damper may cancel; what they do apart sets the scale.
        let energies = g.energy[0] + g.energy[1] + g.dissipated;
        let error = work(&g, &x) - (g.energy[1] - g.energy[0]) - g.dissipated;
        assert!(error.abs() <= 1e-12 * (size + energies), "{error} of {energies}");
        assert!(g.dissipated > 0.0 && g.couple.mag() <= 1e-12 * size);
        let depth = |e: f64| (2.0 * e / 1000.0).sqrt();
        let want = 5.0 / 0.01 * (depth(g.energy[1]) - depth(g.energy[0])).powi(2);
        assert!((g.dissipated - want).abs() <= 1e-9 * want);
    }
}

/// Central differences of G by x₁, where no contact opens or closes in between.
#[test]
fn tangents_by_finite_differences() {
    let mut numbers = Numbers(33);
    let mut count = 0;
    for round in 0..60 {
        let kind = [Kind::VertexFace, Kind::EdgeEdge][round % 2];
        let (z0, z1) = [(-0.1, -0.2), (0.2, -0.2), (-0.2, 0.2)][round % 3];
        let x = numbers.pair(kind, z0, z1, 0.05);
        let carried = above(z0 < 0.0);
        for (scheme, damping) in
            [(Scheme::PathAverage, 0.0), (Scheme::Equivariant, 0.0), (Scheme::Equivariant, 3.0)]
        {
            if gradient(scheme, kind, &x, carried.as_ref(), damping).is_none() {
                continue;
            }
            count += 1;
            let tangent = tangent(scheme, kind, &x, carried.as_ref(), damping);
            let size = tangent
                .iter()
                .flatten()
                .map(|b| b.cols.iter().map(|c| c.mag()).sum::<f64>())
                .fold(0.0, f64::max);
            let h = 1e-6;
            for j in 0..4 {
                for d in 0..3 {
                    let shifted = |by: f64| {
                        let mut y = x;
                        y.1[j][d] += by;
                        gradient(scheme, kind, &y, carried.as_ref(), damping).unwrap().gradient
                    };
                    let (plus, minus) = (shifted(h), shifted(-h));
                    for i in 0..4 {
                        let want = (plus[i] - minus[i]) * (0.5 / h);
                        let got = tangent[i][j].cols[d];
                        assert!(
                            (got - want).mag() <= 2e-6 * size,
                            "{scheme:?} {kind:?} {z0} {z1}: {got:?} {want:?} of {size}"
                        );
                    }
                }
            }
        }
    }
    assert!(count > 150, "{count}");
}

/// B56 in one dimension: s = kΔt²/m up to 1e6, 20,000 steps.
#[test]
fn the_particle_keeps_its_energy() {
    let p = Particle::new(1.0, 9.81, false).unwrap();
    let mut worst = 0.0f64;
    for (k, dt) in [(1e4, 0.002), (1e6, 0.005), (1e8, 0.01), (1e10, 0.01)] {
        let (mut x, mut speed) = (0.1, 0.0);
        let e0 = p.energy(x, speed, k);
        let mut lowest = 0.0f64;
        for _ in 0..20_000 {
            let s = p.conserving(x, speed, k, 0.0, dt);
            (x, speed) = (s.x, s.v);
            worst = worst.max((p.energy(x, speed, k) / e0 - 1.0).abs());
            lowest = lowest.min(x);
        }
        assert!(lowest < 0.0, "it never touched the spring at k = {k}");
    }
    println!("1-D, 20,000 steps, s up to 1e6: largest |E/E₀ − 1| = {worst:.1e}");
    assert!(worst <= 1e-9, "{worst}");
}

/// Chosen damping only takes, and a damped particle comes to rest at the static depth (B2's conserving cousin).
#[test]
fn the_damped_particle_settles() {
    let p = Particle::new(1.0, 9.81, false).unwrap();
    let (k, dt) = (1e4, 0.002);
    let (mut x, mut speed) = (0.01, 0.0);
    let mut e = p.energy(x, speed, k);
    for _ in 0..5000 {
        let s = p.conserving(x, speed, k, 20.0, dt);
        (x, speed) = (s.x, s.v);
        let now = p.energy(x, speed, k);
        assert!(now <= e + 1e-12);
        e = now;
    }
    assert!((x + 9.81 / k).abs() < 1e-12 && speed.abs() < 1e-9, "{x} {speed}");
}

/// B1 and B2: the explicit scheme's eigenvalues and rest depth, and it never gains (B35).
#[test]
fn the_explicit_particle() {
    let p = Particle::new(1.0, 0.0, false).unwrap();
    let one = Params::new(1.0, Normalisation::Constant).unwrap();
    for s in [0.04, 0.5, 1.0, 1.5] {
        let want = (1.0f64 - 0.5 * s).sqrt();
        let (a, b) = (p.explicit(-1.0, 0.0, s, &one), p.explicit(-1.0, -1.0, s, &one));
        let m = [[-a.x, a.x - b.x], [-a.v, a.v - b.v]];
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        assert!((det.sqrt() - want).abs() < 1e-14, "{s}: {}", det.sqrt());
    }
    let p = Particle::new(1.0, 9.81, false).unwrap();
    let params = Params::new(0.002, Normalisation::Constant).unwrap();
    let (mut x, mut speed) = (-9.81e-4, 0.0);
    for _ in 0..5000 {
        let s = p.explicit(x, speed, 1e4, &params);
        (x, speed) = (s.x, s.v);
    }
    assert!((x + 9.6138e-4).abs() < 1e-12, "{x}");
    let (mut x, mut speed, mut highest) = (0.1, 0.0, 0.1);
    for n in 0..5000 {
        let s = p.explicit(x, speed, 1e4, &params);
        (x, speed) = (s.x, s.v);
        if n > 200 {
            highest = x.max(highest - 1.0);
        }
        assert!(p.energy(x, speed, 1e4) <= 0.981 * (1.0 + 1e-3));
    }
    assert!(highest < 0.1);
}

/// Two bodies of four particles each on stiff springs would need springs; a tetrahedron of contacts does without: a triangle
/// of heavy particles and a light vertex that is bounced on it, all free, no gravity. Energy, momentum and angular momentum over
/// many steps at a stiffness far beyond the explicit limit.
fn bounce(scheme: Scheme, kind: Kind, steps: usize) -> (f64, f64, f64, f64) {
    let mass = [1.0, 3.0, 2.0, 4.0];
    let mut x = match kind {
        Kind::VertexFace => vec![v(0.3, 0.25, 0.05), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.1), v(0.0, 1.0, 0.0)],
        Kind::EdgeEdge => vec![v(-0.5, 0.0, 0.05), v(0.5, 0.1, 0.05), v(0.0, -0.5, 0.0), v(0.1, 0.5, 0.0)],
    };
    let first = if kind == Kind::VertexFace { 1 } else { 2 };
    let mut speed: Vec<DVec3> =
        (0..4).map(|i| if i < first { v(0.1, 0.05, -2.0) } else { v(0.02 * i as f64, 0.0, 0.1) }).collect();
    let mut pairs = [ContactPair {
        kind,
        stencil: [0, 1, 2, 3],
        carried: None,
        opens: BOTH,
        stiffness: 1e5,
        damping: 0.0,
    }];
    let options =
        ConservingOptions { dt: 0.01, gravity: DVec3::zero(), scheme, iterations: 60, tolerance: 1e-14 };
    let state = |x: &[DVec3], s: &[DVec3]| {
        let mut out = (0.0, DVec3::zero(), DVec3::zero());
        for i in 0..4 {
            out.0 += 0.5 * mass[i] * s[i].mag_sq();
            out.1 += s[i] * mass[i];
            out.2 += x[i].cross(s[i]) * mass[i];
        }
        out
    };
    let start = state(&x, &speed);
    let (mut worst, mut touched, mut leak) = ((0.0f64, 0.0f64, 0.0f64), 0.0f64, DVec3::zero());
    for _ in 0..steps {
        let s = conserving_step(&mass, &mut x, &mut speed, &mut pairs, &options).unwrap();
        let now = state(&x, &speed);
        leak += s.leak;
        touched = touched.max(s.contact_energy);
        worst.0 = worst.0.max((now.0 + s.contact_energy - start.0).abs() / start.0);
        worst.1 = worst.1.max((now.1 - start.1).mag() / start.1.mag());
        worst.2 = worst.2.max((now.2 - start.2).mag() / start.2.mag());
        assert!(
            (now.2 - start.2 - leak).mag() <= 1e-10 * start.2.mag(),
            "the reported leak is not the real one"
        );
    }
    assert!(touched > 0.0, "no contact was made");
    (worst.0, worst.1, worst.2, touched)
}

/// B55 and B56 in three dimensions.
#[test]
fn pairs_keep_energy_and_momentum() {
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let (energy, linear, angular, _) = bounce(Scheme::Equivariant, kind, 40);
        println!(
            "{kind:?}, equivariant: energy {energy:.1e}, momentum {linear:.1e}, angular momentum {angular:.1e}"
        );
        assert!(energy <= 1e-10 && linear <= 1e-12 && angular <= 1e-10);
        let (energy, linear, angular, _) = bounce(Scheme::PathAverage, kind, 40);
        println!(
            "{kind:?}, path average: energy {energy:.1e}, momentum {linear:.1e}, angular momentum {angular:.1e}"
        );
        assert!(energy <= 1e-10 && linear <= 1e-12);
    }
}

/// The batch over one step of pairs that each have their own four vertices.
fn batch(
    kind: Kind,
    pairs: &[([DVec3; 4], [DVec3; 4])],
    tracked: &Tracked,
    sticky: &Tracked,
) -> (Vec<GradientRow>, Tracked) {
    let x0: Vec<DVec3> = pairs.iter().flat_map(|p| p.0).collect();
    let x1: Vec<DVec3> = pairs.iter().flat_map(|p| p.1).collect();
    let stencils: Vec<[u32; 4]> =
        (0..pairs.len() as u32).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
    let candidates = match kind {
        Kind::VertexFace => Candidates::VertexFace(&stencils),
        Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
    };
    let named = |i: usize| (i as u64, 1000.0);
    let pairs = StepPairs { candidates, named: &named, opens: BOTH };
    let law = |_: u64, _: &[u32; 4], _: f64| ContactLaw { damping: 3.0, chi: 0.0 };
    let (mut out, mut next, mut ws) = (Vec::new(), Tracked::default(), GradientWorkspace::default());
    let scheme = Scheme::Equivariant;
    gradients(scheme, 0.01, &x0, &x1, &pairs, &law, tracked, sticky, &mut ws, &mut out, &mut next).unwrap();
    (out, next)
}

/// The batch is the pair function pair by pair, to the last bit; what it carries on stores the energy it ended with.
#[test]
fn a_batch_is_its_pairs_and_carries_their_energy() {
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let mut n = Numbers(11);
        let pairs: Vec<_> =
            (0..200).map(|i| n.pair(kind, 0.1, if i % 3 == 0 { 0.05 } else { -0.1 }, 0.03)).collect();
        let (rows, next) = batch(kind, &pairs, &Tracked::default(), &Tracked::default());
        let mut seen = 0;
        for (i, x) in pairs.iter().enumerate() {
            let one = gradient(Scheme::Equivariant, kind, x, None, 3.0);
            let row = rows.iter().find(|r| r.key == i as u64);
            assert_eq!(one, row.map(|r| r.pair), "pair {i}");
            seen += usize::from(one.is_some());
        }
        assert!(seen > 50 && seen < 200, "{seen}");
        let x1: Vec<DVec3> = pairs.iter().flat_map(|p| p.1).collect();
        let ended: f64 = rows.iter().map(|r| r.pair.energy[1]).sum();
        assert!(ended > 0.0 && (stored(kind, &next, &x1, |_| 1.0) / ended - 1.0).abs() < 1e-12);
    }
}

/// Parallel edges have no normal and no force; one that sticks counts although its vertex passes beside the triangle.
#[test]
fn parallel_edges_fade_and_sticky_pairs_count() {
    let edges = |turn: f64, z: f64| {
        [v(-0.5, 0.0, z), v(0.5, 0.0, z), v(-0.5, -0.5 * turn, 0.0), v(0.5, 0.5 * turn, 0.0)]
    };
    let pair = |turn: f64| (edges(turn, 0.1), edges(turn, -0.1));
    let (rows, next) =
        batch(Kind::EdgeEdge, &[pair(1.0), pair(0.01), pair(0.0)], &Tracked::default(), &Tracked::default());
    assert_eq!(rows.iter().map(|r| r.key).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(next.len(), 2);
    // sin² = 1e-4 of 1e-3: 0.1 (2 − 0.1).
    assert!(rows[0].share == 1.0 && (rows[1].share - 0.19).abs() < 1e-4, "{}", rows[1].share);

    // The vertex crosses the plane beside the triangle: no contact, unless it was one in another trial.
    let n = Tracked::default();
    let inside = Numbers(5).pair(Kind::VertexFace, 0.1, -0.1, 0.0);
    let (met, _) = batch(Kind::VertexFace, &[inside], &n, &n);
    let mut beside = inside;
    beside.0[0].x = 1.2;
    beside.1[0].x = 1.2;
    assert!(batch(Kind::VertexFace, &[beside], &n, &n).0.is_empty());
    let r = &met[0];
    let mut sticky = Tracked::default();
    sticky.push(r.made());
    let (held, next) = batch(Kind::VertexFace, &[beside], &n, &sticky);
    assert_eq!((held.len(), next.len()), (1, 1));
    // The same heights make the same force, and energy is kept there too.
    assert!((held[0].pair.energy[1] - r.pair.energy[1]).abs() < 1e-12);
    let spent = work(&held[0].pair, &beside) - held[0].pair.energy[1] - held[0].pair.dissipated;
    assert!(spent.abs() < 1e-12, "{spent:e}");
    // Found on its own it is counted once.
    assert_eq!(batch(Kind::VertexFace, &[inside], &n, &sticky).0.len(), 1);
}

/// The path average damps as well: its work is the potential and what the damper took, and the tangent is the derivative.
#[test]
fn the_path_average_is_damped_too() {
    for (z0, z1) in [(0.1, -0.1), (-0.1, -0.15), (-0.15, -0.12)] {
        let mut n = Numbers(3);
        for _ in 0..20 {
            let x = n.pair(Kind::VertexFace, z0, z1, 0.01);
            let c = above(z0 < 0.0);
            let at = |x: &([DVec3; 4], [DVec3; 4])| {
                gradient(Scheme::PathAverage, Kind::VertexFace, x, c.as_ref(), 2.0).unwrap()
            };
            let g = at(&x);
            let tangent = tangent(Scheme::PathAverage, Kind::VertexFace, &x, c.as_ref(), 2.0);
            let lost = work(&g, &x) - (g.energy[1] - g.energy[0]) - g.dissipated;
            assert!(g.dissipated > 0.0 && lost.abs() < 1e-11, "{lost:e} {}", g.dissipated);
            let e = 1e-6;
            for j in 0..4 {
                let mut moved = [x, x];
                moved[0].1[j].z += e;
                moved[1].1[j].z -= e;
                let [a, b] = moved.map(|m| at(&m));
                for i in 0..4 {
                    let numeric = (a.gradient[i] - b.gradient[i]) / (2.0 * e);
                    let analytic = tangent[i][j].cols[2];
                    assert!((numeric - analytic).mag() < 2e-2 * 1000.0, "{i} {j}: {numeric:?} {analytic:?}");
                }
            }
        }
    }
}
