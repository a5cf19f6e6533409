use impinge_geometry::{DVec3, Pose, TriMesh, rotor_from_rotation_vector};
use impinge_io::{ReadOptions, read_mesh};
use impinge_volume::{Body, Bounds, ClosedSurface, Evaluate, Lattice, LayeredDepth, Limits, Overlap};
use std::time::Instant;
fn main() {
    let w: Vec<String> = std::env::args().collect();
    let p: Vec<f64> = w[3].split(',').map(|x| x.parse().unwrap()).chain([0.0; 3]).collect();
    let a = read_mesh(&w[1], &ReadOptions::default()).unwrap();
    let pose =
        Pose::new(DVec3::new(p[0], p[1], p[2]), rotor_from_rotation_vector(DVec3::new(p[3], p[4], p[5])));
    let b = a.mapped(|x| pose.point_to_world(x)).unwrap();
    let rounds: usize = w[4].parse().unwrap();
    let n = a.positions().len() as u32;
    let second = b.triangles().iter().map(|t| t.map(|v| v + n));
    let joined = TriMesh::new(
        [a.positions(), b.positions()].concat(),
        a.triangles().iter().copied().chain(second).collect(),
    )
    .unwrap();
    let surface = ClosedSurface::new(&joined).unwrap();
    let body = Body::new(&surface, joined.positions()).unwrap();
    let (sa, sb) = (ClosedSurface::new(&a).unwrap(), ClosedSurface::new(&b).unwrap());
    let two = [Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap()];
    let (lo, hi) = joined.bounds();
    let ((la, ha), (lb, hb)) = (a.bounds(), b.bounds());
    let pixel = (ha.min_by_component(hb) - la.max_by_component(lb)).component_max() / 256.0;
    let lattice = Lattice::around(&Bounds { lo, hi }, pixel, &Limits::default()).unwrap();
    let mut image = LayeredDepth::new(pixel).unwrap().with_lattice(lattice);
    let mut out = Overlap::new();
    let which = &w[5];
    let mut t = [vec![], vec![], vec![]];
    for _ in 0..rounds {
        let s = Instant::now();
        if which.contains('2') {
            image.evaluate(two[0], two[1], None, &mut out).unwrap();
            t[0].push(s.elapsed().as_secs_f64() * 1e3);
        }
        let s = Instant::now();
        if which.contains('1') {
            image.overlaps(&[body], true, None).unwrap();
            t[1].push(s.elapsed().as_secs_f64() * 1e3);
        }
        let s = Instant::now();
        if which.contains('o') {
            image.own(body, None, &mut out).unwrap();
            t[2].push(s.elapsed().as_secs_f64() * 1e3);
        }
    }
    for (n, t) in ["two", "one", "own"].iter().zip(&mut t) {
        if t.is_empty() {
            continue;
        }
        t.sort_by(f64::total_cmp);
        println!("{n} median {:.3} least {:.3}", t[t.len() / 2], t[0]);
    }
}
