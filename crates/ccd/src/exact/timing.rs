use super::tests::truth::*;
use super::*;
use std::time::Instant;
#[test]
fn timing() {
    for name in ["given", "extra_given", "sim_given"] {
        let Some(f) = folder(name) else { return };
        let files = read_all(&f);
        for which in 0..2 {
            let mut tot = 0.0;
            let mut n = 0usize;
            let mut mx = (0.0f64, String::new(), 0);
            for q in &files {
                let mut best = f64::MAX;
                for _ in 0..5 {
                    let t = Instant::now();
                    for ((a, b), _) in &q.pairs {
                        if which == 0 {
                            std::hint::black_box(roots(q.kind, a, b));
                        } else {
                            std::hint::black_box(touches(q.kind, a, b));
                        }
                    }
                    best = best.min(t.elapsed().as_nanos() as f64);
                }
                if which == 0 {
                    for (i, ((a, b), _)) in q.pairs.iter().enumerate() {
                        let mut m = f64::MAX;
                        for _ in 0..5 {
                            let t = Instant::now();
                            std::hint::black_box(roots(q.kind, a, b));
                            m = m.min(t.elapsed().as_nanos() as f64);
                        }
                        if m > mx.0 {
                            mx = (m, q.name.clone(), i);
                        }
                    }
                }
                if name == "extra_given" || best / q.pairs.len() as f64 > 1000.0 {
                    println!("  {} {:.0}", q.name, best / q.pairs.len() as f64);
                }
                tot += best;
                n += q.pairs.len();
            }
            println!("{name} {} mean {:.0} ns max {:?}", ["roots", "touches"][which], tot / n as f64, mx);
        }
    }
}
#[test]
fn phases() {
    for name in ["given", "extra_given", "sim_given"] {
        let Some(f) = folder(name) else { return };
        let files = read_all(&f);
        for q in &files {
            let mut w = [0; 3];
            let mut t = [0.0; 4];
            for ((a, b), _) in &q.pairs {
                let s = Scaled::new(a, b);
                w[if s.most <= 61 {
                    0
                } else if s.most <= 125 {
                    1
                } else {
                    2
                }] += 1;
            }
            let n = q.pairs.len() as f64;
            for ph in 0..4 {
                let mut best = f64::MAX;
                for _ in 0..5 {
                    let t0 = Instant::now();
                    for ((a, b), _) in &q.pairs {
                        match ph {
                            0 => {
                                std::hint::black_box(Scaled::new(a, b));
                            }
                            1 => {
                                let s = Scaled::new(a, b);
                                if s.most <= 61 {
                                    std::hint::black_box(Motion::<Narrow>::new(q.kind, &s));
                                } else {
                                    std::hint::black_box(Motion::<Middle>::new(q.kind, &s));
                                }
                            }
                            2 => {
                                let s = Scaled::new(a, b);
                                if s.most <= 61 {
                                    std::hint::black_box(Motion::<Narrow>::new(q.kind, &s).cubic());
                                } else {
                                    std::hint::black_box(Motion::<Middle>::new(q.kind, &s).cubic());
                                }
                            }
                            _ => {
                                std::hint::black_box(roots(q.kind, a, b));
                            }
                        }
                    }
                    best = best.min(t0.elapsed().as_nanos() as f64);
                }
                t[ph] = best / n;
            }
            println!(
                "{} {:?} scale {:.0} +motion {:.0} +cubic {:.0} all {:.0}",
                q.name, w, t[0], t[1], t[2], t[3]
            );
        }
    }
}
#[test]
fn dump_pairs() {
    let text = std::fs::read_to_string("/tmp/t-exact/pairs.txt").unwrap();
    for l in text.lines() {
        let c: Vec<&str> = l.split(' ').collect();
        let kind = if c[1] == "vf" { Kind::VertexFace } else { Kind::EdgeEdge };
        let x: Vec<f64> = c[2..].iter().map(|s| f64::from_bits(s.parse().unwrap())).collect();
        let at = |e: usize| {
            std::array::from_fn::<DVec3, 4, _>(|i| {
                DVec3::new(x[12 * e + 3 * i], x[12 * e + 3 * i + 1], x[12 * e + 3 * i + 2])
            })
        };
        let r = roots(kind, &at(0), &at(1));
        let rs: Vec<String> = r
            .roots
            .iter()
            .map(|r| {
                format!(
                    "[{:?},{:?},{},{},{},{},{}]",
                    r.t, r.t_hi, r.multiplicity, r.vanishing, r.inside as u8, r.before, r.after
                )
            })
            .collect();
        println!("@{}\t{:?}\t[{}]\t{:?}", c[0], r.class, rs.join(","), r.touching);
    }
}
#[test]
fn spin() {
    let want = std::env::var("SPIN").unwrap_or_default();
    let Some((set, name)) = want.split_once(':') else { return };
    let Some(f) = folder(set) else { return };
    let files: Vec<_> = read_all(&f).into_iter().filter(|q| q.name.contains(name)).collect();
    let n: usize = files.iter().map(|q| q.pairs.len()).sum();
    let reps = std::env::var("REPS").map_or(300_000 / n, |r| r.parse().unwrap());
    println!("N={}", n * reps);
    for _ in 0..reps {
        for q in &files {
            for ((a, b), _) in &q.pairs {
                std::hint::black_box(roots(q.kind, a, b));
            }
        }
    }
}
#[test]
fn wide_timing() {
    let mut s = 12345u64;
    let mut next = || { s ^= s << 13; s ^= s >> 7; s ^= s << 17; s };
    for spread in [10i64, 60, 200, 1000, 2000] {
        let mut pairs = vec![];
        for _ in 0..2000 {
            let mut d = || {
                let r = next();
                if r % 8 == 0 { return 0.0 }
                let x = (next() as i64 as f64) / 9.3e18;
                let e = (next() % spread as u64) as i64 - spread / 2;
                x * width::exp2(e / 2) * width::exp2(e - e / 2)
            };
            let mut end = || std::array::from_fn::<DVec3, 4, _>(|_| DVec3::new(d(), d(), d()));
            let (a, b) = (end(), end());
            pairs.push((a, b));
        }
        let (mut tot, mut max, mut nr) = (0.0, 0.0f64, 0);
        for (a, b) in &pairs {
            let mut m = f64::MAX;
            for _ in 0..3 { let t = Instant::now(); nr += std::hint::black_box(roots(Kind::EdgeEdge, a, b)).roots.len(); m = m.min(t.elapsed().as_nanos() as f64); }
            tot += m; max = max.max(m);
        }
        println!("spread 2^{spread}: mean {:.0} ns max {:.0} roots {}", tot / 2000.0, max, nr / 3);
    }
}
