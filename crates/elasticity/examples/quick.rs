use impinge_elasticity::{Material, tet::*};
use impinge_geometry::*;
fn cpu() -> f64 {
    use std::sync::OnceLock;
    static T: OnceLock<std::time::Instant> = OnceLock::new();
    T.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}
fn main() {
    let mesh = tet_box(DVec3::new(1.0, 1.0, 1.0), [27; 3]).unwrap();
    for model in [Model::Corotational, Model::StableNeoHookean] {
        let e = TetElements::new(&mesh, model, &Material::new(1e6, 0.3, 1000.0)).unwrap();
        let n = e.tets().len();
        let mut s = 1u64;
        let x: Vec<DVec3> = mesh
            .positions()
            .iter()
            .map(|p| {
                let mut r = || {
                    s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    ((s >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 0.01
                };
                DVec3::new(1.1 * p.x + 0.3 * p.y + r(), p.y + r(), 0.8 * p.z + r())
            })
            .collect();
        let pats = [
            TetPattern::new(e.nodes(), e.tets(), Triangle::Full),
            TetPattern::new(e.nodes(), e.tets(), Triangle::Lower),
        ];
        for w in Width::all() {
            let mut ws = Workspace::with_width(w);
            for (pn, pat) in ["full", "lower"].iter().zip(&pats) {
                for tg in [Tangent::Exact, Tangent::Spd, Tangent::Warped] {
                    let mut val = vec![[0.0; 9]; pat.column.len()];
                    let mut t: Vec<f64> = (0..25)
                        .map(|_| {
                            let t = cpu();
                            for _ in 0..1 {
                                add_hessian(&e, &x, tg, Weights::default(), &pat.slots, &mut val, &mut ws);
                            }
                            (cpu() - t)
                        })
                        .collect();
                    t.sort_by(f64::total_cmp);
                    println!(
                        "{model:?} {} {pn} {tg:?} hessian {:.2} M/s (max {:.2})",
                        w.name(),
                        n as f64 / t[12] / 1e6,
                        n as f64 / t[0] / 1e6
                    );
                }
            }
            let mut ws = Workspace::with_width(w);
            let mut out = vec![DVec3::zero(); x.len()];
            let mut t: Vec<f64> = (0..25)
                .map(|_| {
                    let t = cpu();
                    for _ in 0..1 {
                        add_forces(&e, &x, &mut out, &mut ws);
                    }
                    (cpu() - t)
                })
                .collect();
            t.sort_by(f64::total_cmp);
            let mut te: Vec<f64> = (0..25)
                .map(|_| {
                    let t = cpu();
                    for _ in 0..1 {
                        std::hint::black_box(energy(&e, &x, &mut ws));
                    }
                    (cpu() - t)
                })
                .collect();
            te.sort_by(f64::total_cmp);
            println!(
                "{model:?} {n} {} forces {:.2} M/s (min {:.2}) energy {:.2} M/s  {:?}",
                w.name(),
                n as f64 / t[12] / 1e6,
                n as f64 / t[0] / 1e6,
                n as f64 / te[12] / 1e6,
                out[17]
            );
        }
    }
}
