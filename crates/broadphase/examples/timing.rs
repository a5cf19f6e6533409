//! Memory and time of the two trees: `cargo run --release -p impinge-broadphase --example timing`.

use impinge_broadphase::{
    Aabb, BodyPairs, VertexTree, below_plane_brute_force, body_pairs_brute_force, candidates_brute_force,
};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use std::time::Instant;

/// Best of `n` runs, in microseconds.
fn best(n: usize, mut f: impl FnMut()) -> f64 {
    (0..n)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64() * 1e6
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    // A bumpy torus of 100 000 vertices, radii 1 and 0.4 m.
    let (nu, nv) = (500, 200);
    let torus: Vec<DVec3> = (0..nu * nv)
        .map(|i| {
            let turn = |k: usize, n: usize| k as f64 / n as f64 * std::f64::consts::TAU;
            let (u, v) = (turn(i % nu, nu), turn(i / nu, nv));
            let r = 0.4 + 0.02 * (9.0 * u).sin() * (7.0 * v).cos();
            DVec3::new((1.0 + r * v.cos()) * u.cos(), (1.0 + r * v.cos()) * u.sin(), r * v.sin())
        })
        .collect();
    let mut tree = VertexTree::new(&torus);
    let build = best(5, || tree = VertexTree::new(&torus));
    println!(
        "vertex tree, {} vertices: build {:.1} ms, {:.1} bytes per vertex",
        torus.len(),
        build / 1e3,
        tree.memory_bytes() as f64 / torus.len() as f64
    );
    let other = Aabb::new(DVec3::broadcast(-1.0), DVec3::broadcast(1.0));
    let turn = rotor_from_rotation_vector(DVec3::new(0.4, 0.7, -0.2));
    let mut out = Vec::new();
    println!("{:>28} {:>9} {:>10} {:>10}", "question", "found", "tree us", "brute us");
    for depth in [-0.1, 0.0, 0.01, 0.1, 0.5] {
        // The torus comes along x until it reaches `depth` into the box.
        let reach = torus.iter().map(|&p| (turn * p).x).fold(f64::INFINITY, f64::min);
        let pose = Pose::new(DVec3::new(1.0 - depth - reach, 0.0, 0.0), turn);
        let t = best(50, || tree.candidates(&pose, &other, &mut out));
        let n = out.len();
        let b = best(5, || candidates_brute_force(&torus, &pose, &other, &mut out));
        assert_eq!(n, out.len());
        println!("{:>28} {n:>9} {t:>10.2} {b:>10.1}", format!("box, depth {depth}"));
        let offset = 1.0;
        let t = best(50, || tree.below_plane(&pose, DVec3::unit_x(), offset, &mut out));
        let n = out.len();
        let b = best(5, || below_plane_brute_force(&torus, &pose, DVec3::unit_x(), offset, &mut out));
        assert_eq!(n, out.len());
        println!("{:>28} {n:>9} {t:>10.2} {b:>10.1}", format!("plane, depth {depth}"));
    }

    println!(
        "{:>10} {:>8} {:>12} {:>12} {:>12} {:>10}",
        "bodies", "pairs", "first us", "step us", "brute us", "bytes"
    );
    for n in [2usize, 10, 100, 1000, 10_000] {
        // About one neighbour each.
        let side = 1.5 * (n as f64).cbrt();
        let at = |i: usize, step: f64| {
            // Mixed well (splitmix64): correlated numbers would pile the bodies up.
            let h = |k: u64| {
                let mut x = (i as u64 * 8 + k).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
            };
            let p = DVec3::new(h(1), h(2), h(3)) * side + DVec3::new(h(4), h(5), h(6)) * (0.001 * step);
            Aabb::new(p, p).inflated(0.45)
        };
        let steps: Vec<Vec<Aabb>> = (0..20).map(|s| (0..n).map(|i| at(i, f64::from(s))).collect()).collect();
        let (mut out, mut bytes) = (Vec::new(), 0);
        let first = best(5, || BodyPairs::new().find(&steps[0], |_, _| true, &mut out).unwrap());
        let mut pairs = BodyPairs::new();
        pairs.find(&steps[0], |_, _| true, &mut out).unwrap();
        let mut k = 0;
        let step = best(40, || {
            k += 1;
            pairs.find(&steps[k % 20], |_, _| true, &mut out).unwrap();
            bytes = pairs.memory_bytes();
        });
        let brute = best(2, || body_pairs_brute_force(&steps[k % 20], |_, _| true, &mut out).unwrap());
        println!("{n:>10} {:>8} {first:>12.1} {step:>12.1} {brute:>12.1} {bytes:>10}", out.len());
    }
}
