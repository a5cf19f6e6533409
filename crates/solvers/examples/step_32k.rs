#[path = "../tests/support/elastic.rs"]
mod elastic;
use impinge_geometry::DVec3;
use impinge_solvers::*;
use std::time::Instant;
fn main() {
    let young: f64 = std::env::args().nth(1).map_or(1.1e5, |v| v.parse().unwrap());
    let e = elastic::elastic(22, young, 1.0, 1.0 / 3600.0);
    let m = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let s = System::new(m);
    let b = elastic::load(&e);
    let mut ws = CgWorkspace::default();
    let f = Filter::none();
    let mut x = vec![DVec3::zero(); b.len()];
    for _ in 0..3 {
        let t = Instant::now();
        let mut aw = ApplyWorkspace::default();
        for _ in 0..20 { m.apply(&b, &mut x, &mut aw); }
        println!("apply {:.3}", t.elapsed().as_secs_f64() * 50.0);
    }
    for _ in 0..5 {
        let mut j = BlockJacobi::new();
        j.update(&s, &f).unwrap();
        x.fill(DVec3::zero());
        let t = Instant::now();
        let o = pcg(&s, &mut j, &f, &b, &mut x, &Settings::default(), &mut ws);
        println!("jacobi {o} {:.2} ms", t.elapsed().as_secs_f64() * 1e3);
    }
    let mut ss = Ssor::new(&e.pattern, 1);
    for _ in 0..8 {
        let t = Instant::now();
        ss.update(&s, &f).unwrap();
        let t1 = t.elapsed().as_secs_f64() * 1e3;
        x.fill(DVec3::zero());
        let o = ss.solve(&s, &f, &b, &mut x, &Settings::default(), &mut ws);
        println!("eisenstat {o} update {t1:.2} total {:.2} ms", t.elapsed().as_secs_f64() * 1e3);
    }
    x.fill(DVec3::zero());
    let t = Instant::now();
    let o = pcg(&s, &mut ss, &f, &b, &mut x, &Settings::default(), &mut ws);
    println!("pcg ssor {o} {:.2} ms", t.elapsed().as_secs_f64() * 1e3);
}
