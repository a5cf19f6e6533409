//! What three directions see of one volume, put together: within what all of them prove, and never worse than their plain mean.

use crate::support::{Numbers, at, gradients, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid};
use impinge_volume::{Body, CellGrid, Certificate, ClosedSurface, Exact, LayeredDepth, Overlap};

struct Seen {
    exact: Overlap,
    plain: Overlap,
    weighed: Overlap,
    sure: Certificate,
}

fn see(a: &TriMesh, b: &TriMesh, pixel: f64, grid: Option<&CellGrid>) -> Seen {
    let exact = overlap(&mut Exact::new(), a, b, grid);
    let mut image = LayeredDepth::new(pixel).unwrap();
    let plain = overlap(&mut image, a, b, grid);
    let (sa, sb) = (ClosedSurface::new(a).unwrap(), ClosedSurface::new(b).unwrap());
    let (pa, pb) = (Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap());
    let mut weighed = Overlap::new();
    let sure = image.weighed(pa, pb, grid, &mut weighed).unwrap();
    Seen { exact, plain, weighed, sure }
}

/// How far a gradient is off, as a part of its size.
fn off(o: &Overlap, exact: &Overlap, a: &TriMesh, b: &TriMesh) -> f64 {
    let (g, e) = (gradients(o, a, b), gradients(exact, a, b));
    let pairs = || g.iter().flatten().zip(e.iter().flatten());
    let size: f64 = pairs().map(|(_, e)| e.mag_sq()).sum();
    (pairs().map(|(g, e)| (*g - *e).mag_sq()).sum::<f64>() / size).sqrt()
}

/// A tet of some volume, its faces outwards.
fn tet(n: &mut Numbers) -> TriMesh {
    loop {
        let x: Vec<DVec3> = (0..4).map(|_| n.vector() * 1.6).collect();
        let six = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);
        let mut faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        if six < 0.0 {
            faces.iter_mut().for_each(|f| f.swap(0, 1));
        }
        if six.abs() > 0.1 {
            return TriMesh::new(x, faces).unwrap();
        }
    }
}

#[test]
fn random_boxes_and_tets_are_within_the_intersection_and_no_worse_than_the_mean() {
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let mut n = Numbers(11);
    let block = |n: &mut Numbers| cuboid(v3(0.2 + n.unit(), 0.2 + n.unit(), 0.2 + n.unit()), [1; 3]).unwrap();
    let (mut pairs, mut moved) = (0, 0);
    for (k, pixel) in [0.1, 0.03, 0.1, 0.03, 0.1, 0.03].into_iter().enumerate() {
        let mut total = [0.0; 2];
        for _ in 0..120 {
            let (a, b) = match k / 2 {
                0 => (at(&cube, n.vector()), block(&mut n)),
                1 => (cube.clone(), turned(&block(&mut n), n.vector() * 3.0, n.vector())),
                _ => (tet(&mut n), tet(&mut n)),
            };
            let s = see(&a, &b, pixel, None);
            let v = s.exact.volume();
            if v < 1e-9 {
                continue;
            }
            let (plain, weighed) = (s.plain.volume(), s.weighed.volume());
            let [lo, hi] = s.sure.volume_between();
            let rounding = 1e-13;
            assert!(lo - rounding <= weighed && weighed <= hi + rounding, "{weighed}: {:?}", s.sure);
            let errors = [(plain - v).abs(), (weighed - v).abs()];
            assert!(errors[1] <= errors[0] + rounding, "{v}: {plain}, {weighed}, {:?}", s.sure);
            // No theorem: that of the tried ones none is worse.
            let gradients = [&s.plain, &s.weighed].map(|o| off(o, &s.exact, &a, &b));
            assert!(gradients[1] <= gradients[0] + 1e-9, "{gradients:?}, {:?}", s.sure);
            (total[0], total[1]) = (total[0] + errors[0], total[1] + errors[1]);
            pairs += 1;
            moved += usize::from((plain - weighed).abs() > rounding);
        }
        println!("{k}, pixel {pixel}: errors add up to {:.3e}, {:.3e} weighed", total[0], total[1]);
    }
    println!("{moved} of {pairs} pairs weighed otherwise than by thirds");
    assert!(pairs > 500 && moved > 20);
}

#[test]
fn a_plate_thinner_than_a_pixel_is_what_the_rays_across_it_see() {
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let plate = cuboid(v3(0.8, 0.7, 0.002), [1; 3]).unwrap();
    let (mut plain, mut weighed) = ([0.0f64; 2], 0.0f64);
    for tilt in [0.0, 1e-3] {
        for pixels in [32.0, 64.0, 128.0, 256.0] {
            let p = turned(&plate, v3(tilt, 0.3 * tilt, 0.0), v3(0.2, 0.1, 0.3));
            let s = see(&cube, &p, 1.0 / pixels, None);
            let v = s.exact.volume();
            let parts = [&s.plain, &s.weighed].map(|o| o.volume() / v - 1.0);
            let push = [&s.plain, &s.weighed].map(|o| off(o, &s.exact, &cube, &p));
            println!("{pixels} pixels, turned by {tilt}: off by {parts:.3?}, gradients by {push:.3?}");
            plain = [plain[0].min(parts[0]), plain[1].max(parts[0])];
            weighed = weighed.max(parts[1].abs());
            assert!(push[1] <= push[0] + 1e-12 && parts[1].abs() * v <= s.sure.error());
        }
    }
    println!("the mean is off by {plain:.3?}, weighed by {weighed:.3} at most");
    assert!(plain[0] < -0.6 && plain[1] > 0.6 && weighed < 0.04);
}

#[test]
fn cells_share_the_volume_and_still_balance() {
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let plate = turned(&cuboid(v3(0.8, 0.7, 0.002), [1; 3]).unwrap(), v3(1e-3, 0.0, 0.0), v3(0.2, 0.1, 0.3));
    let grid = CellGrid::new(v3(-1.0, -1.0, -0.3), 0.17).unwrap();
    // Where rays along the plate meet it over whole pixels: areas of theirs are smaller.
    let s = see(&cube, &plate, 1.0 / 256.0, Some(&grid));
    let areas = s.sure.areas();
    assert!(areas[0] < 0.6 && areas[2] == 1.0 && s.weighed.cells().len() > 10, "{areas:?}");
    assert!((s.weighed.volume() - s.sure.near_the_mean()).abs() < 1e-15);
    assert!((s.weighed.volume() - s.exact.volume()).abs() < 0.05 * s.exact.volume());
    for c in 0..s.weighed.cells().len() {
        let (g, h) = (s.weighed.gradient(c, 0).1, s.weighed.gradient(c, 1).1);
        assert!((sum(g) + sum(h)).mag() < 1e-15, "cell {c} pushes one body only");
    }
    let apart = see(&cube, &at(&cube, v3(3.0, 0.0, 0.0)), 0.1, None);
    assert!(apart.weighed.cells().is_empty() && apart.sure.volume_between() == [0.0; 2]);
}
