//! Depth images: order in the pixel size, watertight rays, cells, any number of bodies, limits, threads.

use crate::support::{Numbers, at, gradients, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, cylinder, icosphere, torus};
use impinge_volume::{
    Body, CellGrid, ClosedSurface, Evaluate, Exact, Lattice, Layer, LayeredDepth, Limits, Overlap,
    VolumeError,
};

fn ldi(pixel: f64) -> LayeredDepth {
    LayeredDepth::new(pixel).unwrap()
}

fn unit_box() -> TriMesh {
    cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap()
}

/// Root mean square over shifts of the pair against the lattice.
fn rms(n: u32, mut f: impl FnMut(DVec3) -> f64) -> f64 {
    let mut numbers = Numbers(5);
    let s: f64 = (0..n).map(|_| f(numbers.vector()).powi(2)).sum();
    (s / f64::from(n)).sqrt()
}

#[test]
fn b9_the_error_falls_as_the_square_of_the_pixel() {
    let a = icosphere(1.0, 4).unwrap();
    let b = at(&a, v3(1.5, 0.0, 0.0));
    let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
    // The lattice lies anywhere: on the overlap's own box the rays would always pass its ends half a pixel off.
    let error = |pixel: f64, axis: Option<usize>| {
        rms(10, |s| {
            let (lo, size) = (v3(0.5, -1.0, -1.0), v3(0.5, 2.0, 2.0));
            let origin = lo - (s + v3(0.5, 0.5, 0.5)) * pixel;
            let count = [size.x, size.y, size.z].map(|e| (e / pixel).ceil() as usize + 1);
            let mut image = ldi(pixel).with_lattice(Lattice { origin, pixel, count });
            let o = overlap(&mut image, &a, &b, None);
            axis.map_or(o.volume(), |axis| o.cells()[0].along[axis]) / exact - 1.0
        })
    };
    for axis in [None, Some(0)] {
        // Both divide the lens (0.5 m, its kink in the middle) alike; the error's factor depends on how.
        let (coarse, fine) = (error(0.1, axis), error(0.02, axis));
        let order = (coarse / fine).ln() / 5f64.ln();
        println!("axis {axis:?}: {coarse:e} at 0.1 m, {fine:e} at 0.02 m, order {order}");
        assert!(fine < 1e-3, "{fine}");
        assert!(order > 1.8, "order {order}: {coarse:e}, {fine:e}");
    }
}

#[test]
fn b10_boxes_are_within_a_pixel_of_their_perimeter() {
    // No whole number of rays fits the edges, and the lattice stays where it is: on the overlap's own box every shift would be the same.
    let h = 0.03;
    let lattice = Lattice { origin: v3(-1.3, -1.3, -1.3), pixel: h, count: [120; 3] };
    // Edges of the overlap 0.1 × 0.8 × 0.7; the largest cross-section has a perimeter of 3 m, and the depth across it is 0.1 m.
    let e = rms(64, |s| {
        let (a, b) = (at(&unit_box(), s), at(&unit_box(), s + v3(0.9, 0.2, 0.3)));
        overlap(&mut ldi(h).with_lattice(lattice), &a, &b, None).volume() - 0.056
    });
    println!("root mean square {e:e} m³");
    assert!(e > 1e-9, "the lattice fits the boxes: {e}");
    assert!(e < h * 2.0 * (0.1 * 0.8 + 0.8 * 0.7 + 0.1 * 0.7), "{e}");
}

#[test]
fn the_gradient_approaches_the_exact_one_and_always_balances() {
    let a = torus(0.7, 0.3, 24, 12).unwrap();
    let b = turned(&icosphere(0.6, 2).unwrap(), v3(0.3, 0.1, 0.2), v3(0.6, 0.2, 0.15));
    let g = gradients(&overlap(&mut Exact::new(), &a, &b, None), &a, &b);
    let size: f64 = sum(&g[0]).mag();
    let mut last = f64::INFINITY;
    for pixel in [0.04, 0.01] {
        let l = gradients(&overlap(&mut ldi(pixel), &a, &b, None), &a, &b);
        assert!((sum(&l[0]) + sum(&l[1])).mag() < 1e-13 * size);
        let off = (sum(&l[0]) - sum(&g[0])).mag() / size;
        assert!(off < last / 3.0, "{off} after {last}");
        last = off;
    }
    assert!(last < 4e-3, "{last}");
}

#[test]
fn rays_through_edges_and_corners_count_once() {
    // Pixel centres fall on the boxes' faces, edges and corners in all three directions.
    let pixel = 0.125;
    let a = cuboid(v3(1.0, 1.0, 1.0), [4; 3]).unwrap();
    for shift in [v3(0.5, 0.25, 0.125), v3(0.0, 0.0, 0.0), v3(0.5, 0.0, 0.0), v3(0.0625, 0.0625, 0.0625)] {
        let b = at(&a, shift);
        let origin = v3(-2.0, -2.0, -2.0) - v3(1.0, 1.0, 1.0) * (0.5 * pixel);
        let lattice = Lattice { origin, pixel, count: [33; 3] };
        let mut image = ldi(pixel).with_lattice(lattice);
        let o = overlap(&mut image, &a, &b, None);
        let want = (1.0 - shift.x) * (1.0 - shift.y) * (1.0 - shift.z);
        // A face on pixel centres counts half of the faces' pixels: off by at most a layer of pixels, never by a solid's height.
        assert!((o.volume() - want).abs() < 3.0 * pixel, "{shift:?}: {} {want}", o.volume());
        let g = gradients(&o, &a, &b);
        assert!((sum(&g[0]) + sum(&g[1])).mag() < 1e-14);
        for axis in 0..3 {
            let (sa, sb) = (ClosedSurface::new(&a).unwrap(), ClosedSurface::new(&b).unwrap());
            let bodies = [Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap()];
            let mut rays = 0;
            image
                .layers(&bodies, &lattice, axis, |_, ray| {
                    let mut inside = [0i32; 2];
                    for l in ray {
                        inside[l.body] += if l.enters { 1 } else { -1 };
                        assert!((0..=1).contains(&inside[l.body]), "{ray:?}");
                        assert!((l.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    }
                    assert_eq!(inside, [0; 2], "{ray:?}");
                    rays += 1;
                })
                .unwrap();
            assert!(rays >= 64);
        }
    }
}

#[test]
fn layers_are_those_of_every_ray_through_every_triangle() {
    // Fine, coarse and thin triangles; a box so large that its sides' positions cannot be counted in pixels.
    let ring = turned(&torus(0.7, 0.3, 40, 20).unwrap(), v3(0.3, 0.7, 0.2), v3(0.1, 0.0, 0.0));
    let plank = turned(&cuboid(v3(3.0, 0.003, 0.4), [1; 3]).unwrap(), v3(0.2, 0.4, 0.9), v3(0.0, 0.1, 0.0));
    let vast = at(&cuboid(v3(4e6, 5e6, 6e6), [1; 3]).unwrap(), v3(1.9e6, -2.4e6, 0.123));
    for (pixel, meshes) in [(0.021, [&ring, &plank]), (0.07, [&ring, &vast])] {
        let surfaces = meshes.map(|m| ClosedSurface::new(m).unwrap());
        let bodies = [0, 1].map(|i| Body::new(&surfaces[i], meshes[i].positions()).unwrap());
        let lattice = Lattice { origin: v3(-0.91, -0.83, -0.77), pixel, count: [70, 63, 66] };
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let seen: Vec<(usize, u32, [DVec3; 3])> = (0..2)
                .flat_map(|b| (0..surfaces[b].triangles().len()).map(move |t| (b, t)))
                .map(|(b, t)| {
                    (b, t as u32, surfaces[b].triangles()[t].map(|k| meshes[b].positions()[k as usize]))
                })
                .collect();
            let mut images = vec![Vec::new(); lattice.count[u] * lattice.count[v]];
            ldi(pixel)
                .layers(&bodies, &lattice, axis, |[i, j], ray| {
                    assert!(ray.windows(2).all(|w| w[0].depth <= w[1].depth));
                    images[j * lattice.count[u] + i] =
                        ray.iter().map(|l| (l.body, l.triangle, l.enters)).collect();
                })
                .unwrap();
            for (p, image) in images.iter().enumerate() {
                let centre = |k: usize, i: usize| lattice.origin[k] + (i as f64 + 0.5) * pixel;
                let at =
                    robust::Coord { x: centre(u, p % lattice.count[u]), y: centre(v, p / lattice.count[u]) };
                let mut want = Vec::new();
                for &(body, t, corners) in &seen {
                    let c = corners.map(|c| robust::Coord { x: c[u], y: c[v] });
                    let side = |a: usize, b: usize| robust::orient2d(c[a], c[b], at);
                    let turns = [side(0, 1), side(1, 2), side(2, 0)];
                    if turns.iter().all(|s| *s > 0.0) || turns.iter().all(|s| *s < 0.0) {
                        want.push((body, t, turns[0] < 0.0));
                    }
                }
                let mut got = image.clone();
                got.sort_unstable();
                assert_eq!(got, want, "axis {axis}, pixel {p}");
            }
        }
    }
}

#[test]
fn a_face_in_the_overlaps_end_closes_the_intervals_below_it() {
    // Pixels that divide the overlap: its end and the lattice's then differ by rounding, one way or the other.
    let a = cuboid(v3(1.0, 0.8, 0.9), [1; 3]).unwrap();
    let mut numbers = Numbers(11);
    for k in 0..300 {
        let b = turned(
            &cuboid(v3(0.7, 1.1, 0.9), [1; 3]).unwrap(),
            numbers.vector() * 2.0,
            numbers.vector() * 0.5,
        );
        let ((la, ha), (lb, hb)) = (a.bounds(), b.bounds());
        let side = (ha.min_by_component(hb) - la.max_by_component(lb)).component_max();
        let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
        let o = overlap(&mut ldi(side / 32.0), &a, &b, None);
        let along = o.cells()[0].along;
        assert!(along.iter().all(|v| (v / exact - 1.0).abs() < 0.15), "pair {k}: {along:?} {exact}");
    }
}

#[test]
fn detection_is_the_first_half_of_measuring() {
    let a = torus(0.7, 0.3, 24, 12).unwrap();
    let b = at(&a, v3(0.25, 0.1, 0.45));
    let (sa, sb) = (ClosedSurface::new(&a).unwrap(), ClosedSurface::new(&b).unwrap());
    let bodies = [Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap()];
    let mut image = ldi(0.02);
    let found = image.detect(&bodies, false).unwrap().unwrap();
    let deepest = image.deepest();
    image.overlaps(&bodies, false, None).unwrap();
    assert_eq!(image.deepest(), deepest);
    // All of a ray that meets enough within the overlap's box is needed; what is left out lies outside of that, or on rays that meet less.
    let ((la, ha), (lb, hb)) = (a.bounds(), b.bounds());
    let (lo, hi) = (la.max_by_component(lb), ha.min_by_component(hb));
    let (mut all, mut needed) = (0, 0);
    for axis in 0..3 {
        let count = |_, ray: &[Layer]| {
            all += ray.len();
            let within = ray.iter().filter(|l| (lo[axis]..=hi[axis]).contains(&l.depth)).count();
            needed += if within > 2 { within } else { 0 };
        };
        image.layers(&bodies, &found.lattice, axis, count).unwrap();
    }
    assert!(0 < needed && needed <= found.samples, "{} of {needed}", found.samples);
    assert!(found.samples < all * 3 / 4, "{} of {all}", found.samples);
    let far = at(&a, v3(5.0, 0.0, 0.0));
    let apart = [bodies[0], Body::new(&sb, far.positions()).unwrap()];
    assert_eq!(image.detect(&apart, false).unwrap(), None);
}

#[test]
fn what_lies_below_the_overlap_is_left_out_without_a_trace() {
    // Numbers that binary holds: the rays of both lattices are the same, and the second begins below all of both bodies, where nothing
    // can be left out.
    let pixel = 1.0 / 64.0;
    let ring = torus(0.7, 0.3, 48, 24).unwrap();
    let ball = icosphere(0.6, 3).unwrap();
    let others = [
        at(&ring, v3(0.25, 0.1, 0.45)),
        at(&turned(&ring, v3(0.4, 0.1, 0.9), v3(0.0, 0.0, 0.0)), v3(-0.3, 0.2, -0.5)),
        at(&ring, v3(1.1, 0.05, 0.02)),
        at(&ball, v3(-0.2, -1.2, 0.1)),
        at(&ball, v3(0.3, 0.2, 0.0)),
        cuboid(v3(3.0, 3.0, 3.0), [2; 3]).unwrap(),
        at(&cuboid(v3(4.0, 4.0, 1.0), [2; 3]).unwrap(), v3(0.0, 0.0, -0.75)),
    ];
    let grid = CellGrid::new(v3(-1.0, -1.0, -0.3), 0.25).unwrap();
    for (k, other) in others.iter().enumerate() {
        let mut fewer = 0;
        for pair in [[&ring, other], [other, &ring]] {
            let surfaces = pair.map(|m| ClosedSurface::new(m).unwrap());
            let bodies = [0, 1].map(|i| Body::new(&surfaces[i], pair[i].positions()).unwrap());
            let ((la, ha), (lb, hb)) = (pair[0].bounds(), pair[1].bounds());
            let whole = |p: DVec3, f: fn(f64) -> f64| v3(f(p.x * 64.0), f(p.y * 64.0), f(p.z * 64.0)) * pixel;
            let end = whole(ha.min_by_component(hb), f64::ceil);
            let around = |origin: DVec3| {
                let count = [0, 1, 2].map(|k| ((end - origin)[k] / pixel) as usize);
                LayeredDepth::new(pixel).unwrap().with_lattice(Lattice { origin, pixel, count })
            };
            let mut near = around(whole(la.max_by_component(lb), f64::floor));
            let mut far = around(whole(la.min_by_component(lb), f64::floor));
            for grid in [None, Some(&grid)] {
                let found = near.overlaps(&bodies, false, grid).unwrap();
                assert_eq!(found.len(), 1, "pair {k}");
                assert_eq!(found, far.overlaps(&bodies, false, grid).unwrap(), "pair {k}");
            }
            let found = near.detect(&bodies, false).unwrap().unwrap();
            let all: usize =
                (0..3).map(|axis| near.count_layers(&bodies, &found.lattice, axis).unwrap()).sum();
            fewer += usize::from(found.samples < all);
        }
        assert_eq!(fewer, 2, "pair {k}");
    }
}

#[test]
fn cells_sum_to_the_whole_and_balance_one_by_one() {
    let a = torus(0.7, 0.3, 24, 12).unwrap();
    let b = at(&a, v3(0.25, 0.1, 0.45));
    let whole = overlap(&mut ldi(0.02), &a, &b, None);
    let grid = CellGrid::new(v3(-1.0, -1.0, -0.3), 0.17).unwrap();
    let cells = overlap(&mut ldi(0.02), &a, &b, Some(&grid));
    assert!(cells.cells().len() > 20);
    let mut keys: Vec<u64> = (1..3).flat_map(|pair| cells.cells().iter().map(move |c| c.key(pair))).collect();
    keys.sort_unstable();
    assert!(keys.windows(2).all(|k| k[0] != k[1]), "two cells share a key");
    assert!((whole.volume() - cells.volume()).abs() < 1e-13 && whole.volume() > 0.05);
    let (g, c) = (gradients(&whole, &a, &b), gradients(&cells, &a, &b));
    for (g, c) in g.iter().flatten().zip(c.iter().flatten()) {
        assert!((*g - *c).mag() < 1e-13);
    }
    for i in 0..cells.cells().len() {
        let (a, b) = (cells.gradient(i, 0).1, cells.gradient(i, 1).1);
        assert!((sum(a) + sum(b)).mag() < 1e-15, "cell {i} pushes one body only");
    }
}

#[test]
fn many_bodies_and_a_body_with_itself() {
    let a = unit_box();
    // One body of two cubes that overlap by 0.5 × 1 × 1.
    let twice = TriMesh::joined(&[&a, &at(&a, v3(0.5, 0.0, 0.0))]).unwrap();
    let other = at(&a, v3(0.0, 0.9, 0.0));
    let far = at(&a, v3(9.0, 9.0, 0.0));
    let meshes = [&twice, &far, &other];
    let surfaces = meshes.map(|m| ClosedSurface::new(m).unwrap());
    let bodies: Vec<Body> =
        surfaces.iter().zip(meshes).map(|(s, m)| Body::new(s, m.positions()).unwrap()).collect();
    let found = ldi(0.01).overlaps(&bodies, true, None).unwrap();
    assert_eq!(found.iter().map(|p| p.bodies).collect::<Vec<_>>(), [[0, 0], [0, 2]]);
    let [own, pair] = [&found[0].overlap, &found[1].overlap];
    assert!((own.volume() - 0.5).abs() < 0.02, "{}", own.volume());
    assert!((pair.volume() - 0.1).abs() < 0.02, "{}", pair.volume());
    let (rows, none) = (own.gradient(0, 0), own.gradient(0, 1));
    assert!(none.0.is_empty() && sum(rows.1).mag() < 1e-13);
    // Pulling the second cube away along x frees volume: the gradient of its vertices sums to −area.
    let second = rows
        .0
        .iter()
        .zip(rows.1)
        .filter(|r| *r.0 >= a.positions().len() as u32)
        .map(|r| *r.1)
        .collect::<Vec<_>>();
    assert!((sum(&second).x + 1.0).abs() < 0.05, "{:?}", sum(&second));
}

#[test]
fn touching_and_apart_is_nothing() {
    let a = unit_box();
    for shift in [v3(1.0, 0.0, 0.0), v3(0.0, 1.0, 1.0), v3(2.0, 0.0, 0.0)] {
        let o = overlap(&mut ldi(0.05), &a, &at(&a, shift), None);
        assert!(o.volume().abs() < 1e-15, "{shift:?}");
    }
}

#[test]
fn too_much_is_refused_with_a_way_out() {
    let a = unit_box();
    let s = ClosedSurface::new(&a).unwrap();
    let body = Body::new(&s, a.positions()).unwrap();
    let mut out = Overlap::new();
    let mut run = |mut e: LayeredDepth| e.evaluate(body, body, None, &mut out);
    let small = Limits { bytes: 1 << 20, ..Limits::default() };
    let VolumeError::Memory { suggested, .. } = run(ldi(1e-4).with_limits(small)).unwrap_err() else {
        panic!("not refused for memory");
    };
    // Pixels fit then; layers ask for more once they are counted, and then the overlaps on the rays.
    let mut pixel = suggested;
    for _ in 0..4 {
        match run(ldi(pixel).with_limits(small)) {
            Err(VolumeError::Memory { suggested, .. }) => pixel = suggested,
            r => r.unwrap(),
        }
    }
    assert!(run(ldi(pixel).with_limits(small)).is_ok(), "{pixel}");
    // So do overlaps on the rays, when cells cut them into many.
    let grid = CellGrid::new(DVec3::zero(), 0.02).unwrap();
    let more = Limits { bytes: 1 << 24, ..Limits::default() };
    let cut = |pixel| ldi(pixel).with_limits(more).evaluate(body, body, Some(&grid), &mut Overlap::new());
    let VolumeError::Memory { needed, suggested, .. } = cut(0.01).unwrap_err() else { panic!("not refused") };
    // 100 × 100 rays along each axis, each through 50 cells, with 112 bytes for each.
    assert!((needed as f64 / (3e4 * 51.0 * 112.0) - 1.0).abs() < 0.05, "{needed}");
    assert_eq!(cut(suggested), Ok(()));
    assert!(run(ldi(1e-300)).unwrap_err().to_string().contains("would fit"));
    let few = Limits { layers: 3, ..Limits::default() };
    assert!(matches!(run(ldi(0.1).with_limits(few)), Err(VolumeError::Layers { layers: 4, .. })));
    let lattice = Lattice { origin: v3(-0.5, -0.5, -0.5), pixel: 0.1, count: [10, 9, 10] };
    assert!(matches!(run(ldi(0.1).with_lattice(lattice)), Err(VolumeError::Lattice { axis: 1, .. })));
    assert!(LayeredDepth::new(0.0).is_err() && LayeredDepth::new(f64::NAN).is_err());
    assert!(CellGrid::new(DVec3::zero(), -1.0).is_err());
    let grid = CellGrid::new(DVec3::zero(), 1e-9).unwrap();
    let e = ldi(0.1).evaluate(body, body, Some(&grid), &mut Overlap::new()).unwrap_err();
    assert!(matches!(e, VolumeError::Cells { .. }));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let a = torus(1.0, 0.35, 64, 32).unwrap();
    let b = at(&a, v3(0.1, 0.0, 0.5));
    let grid = CellGrid::new(DVec3::zero(), 0.3).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| overlap(&mut ldi(0.01), &a, &b, Some(&grid)))
    };
    let one = run(1);
    assert!(one.volume() > 0.1);
    assert!(run(2) == one && run(5) == one);
}

/// Two discs side by side whose boxes have a corner in common: most rays there meet one of them, which says nothing, and still takes room
/// before that is known. An image that stops short of all triangles is no answer.
#[test]
fn what_is_left_out_afterwards_counts_against_the_limit_too() {
    let disc = cylinder(1.0, 0.1, 64, 1).unwrap();
    let other = at(&disc, v3(1.35, 1.35, 0.0));
    let (sa, sb) = (ClosedSurface::new(&disc).unwrap(), ClosedSurface::new(&other).unwrap());
    let bodies = [Body::new(&sa, disc.positions()).unwrap(), Body::new(&sb, other.positions()).unwrap()];
    let pixel = 0.65 / 64.0;
    let whole = ldi(pixel).overlaps(&bodies, false, None).unwrap()[0].overlap.volume();
    assert!(whole > 0.0);
    let mut refused = 0;
    for layers in (0..400).map(|k| 25 * k) {
        let limits = Limits { bytes: 32_768 + 40 * layers, ..Limits::default() };
        match ldi(pixel).with_limits(limits).overlaps(&bodies, false, None) {
            Ok(found) => assert_eq!(found[0].overlap.volume(), whole, "{layers} layers"),
            Err(VolumeError::Memory { .. }) => refused += 1,
            Err(e) => panic!("{e}"),
        }
    }
    assert!((20..400).contains(&refused), "{refused}");
}
