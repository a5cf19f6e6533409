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
