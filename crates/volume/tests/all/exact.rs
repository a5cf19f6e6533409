//! Exact volumes and gradients: closed forms, finite differences, symmetries, degenerate input, threads.

use crate::support::{Numbers, at, gradients, overlap, sum, turned, v3};
use impinge_geometry::generators::{Thread, bolt, nut};
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, l_shape, tetrahedron, torus};
use impinge_volume::{Body, CellGrid, ClosedSurface, Evaluate, Exact, LayeredDepth, Overlap, VolumeError};

fn volume(a: &TriMesh, b: &TriMesh) -> f64 {
    overlap(&mut Exact::new(), a, b, None).volume()
}

fn unit_box(n: u32) -> TriMesh {
    cuboid(v3(1.0, 1.0, 1.0), [n; 3]).unwrap()
}

#[test]
fn b10_boxes_offset_by_a_corner() {
    for n in [1, 3] {
        let (a, b) = (unit_box(1), at(&unit_box(n), v3(0.9, 0.2, 0.3)));
        assert!((volume(&a, &b) - 0.056).abs() < 1e-15, "{}", volume(&a, &b));
        assert!((volume(&b, &a) - 0.056).abs() < 1e-15);
    }
}

#[test]
fn b9_lens_of_two_tessellated_spheres() {
    // V = π (4R + D)(2R − D)²/12 at R = 1, D = 1.5; inscribed meshes fall short of it as the square of the edge.
    let (d, lens) = (1.5, 0.359_974_2);
    let error = |subdivisions: u32| {
        let a = icosphere(1.0, subdivisions).unwrap();
        let b = at(&a, v3(d, 0.0, 0.0));
        let o = overlap(&mut Exact::new(), &a, &b, None);
        let slope = sum(&gradients(&o, &a, &b)[1]).x;
        (1.0 - o.volume() / lens, 1.0 - slope / -1.374_446_8)
    };
    let (coarse, fine) = (error(2), error(4));
    assert!(fine.0 > 0.0 && fine.0 < 0.01, "{fine:?}");
    assert!(coarse.0 / fine.0 > 12.0 && coarse.1 / fine.1 > 12.0, "{coarse:?} {fine:?}: order below 1.8");
}

#[test]
fn b11_stack_of_two_tori() {
    for (segments, sides, want) in [(32, 16, 0.132_874), (64, 32, 0.147_601), (128, 64, 0.151_931)] {
        let a = torus(1.0, 0.35, segments, sides).unwrap();
        let v = volume(&a, &at(&a, v3(0.0, 0.0, 0.6)));
        assert!((v - want).abs() < 6e-7, "{segments}×{sides}: {v}");
    }
}

#[test]
fn b12_the_gradient_is_the_slope_and_sums_to_nothing() {
    let shapes = [
        icosphere(0.7, 1).unwrap(),
        torus(0.7, 0.3, 12, 8).unwrap(),
        l_shape(v3(1.2, 1.0, 0.4), 0.3).unwrap(),
        unit_box(2),
        tetrahedron(1.4).unwrap(),
    ];
    let mut numbers = Numbers(7);
    let mut overlapping = 0;
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let a = turned(a, numbers.vector() * 4.0, numbers.vector() * 0.3);
            let b = turned(b, numbers.vector() * 4.0, numbers.vector() * 0.3);
            let mut e = Exact::new();
            let o = overlap(&mut e, &a, &b, None);
            let g = gradients(&o, &a, &b);
            let total = sum(&g[0]) + sum(&g[1]);
            assert!(total.mag() < 1e-14, "forces do not balance: {total:?}");
            let torque = |m: &TriMesh, g: &[DVec3]| {
                m.positions().iter().zip(g).fold(DVec3::zero(), |s, (&p, &g)| s + p.cross(g))
            };
            assert!((torque(&a, &g[0]) + torque(&b, &g[1])).mag() < 1e-14);
            // Fourth-order differences along a random motion of all vertices.
            let way: [Vec<DVec3>; 2] =
                [&a, &b].map(|m| m.positions().iter().map(|_| numbers.vector()).collect());
            let moved = |m: &TriMesh, w: &[DVec3], s: f64| {
                let mut i = 0;
                m.mapped(|p| {
                    i += 1;
                    p + w[i - 1] * s
                })
                .unwrap()
            };
            let h = 1e-4;
            let mut f = |s: f64| {
                overlap(&mut e, &moved(&a, &way[0], s * h), &moved(&b, &way[1], s * h), None).volume()
            };
            let slope = (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h);
            let along: f64 =
                g.iter().zip(&way).flat_map(|(g, w)| g.iter().zip(w)).map(|(g, w)| g.dot(*w)).sum();
            assert!((slope - along).abs() < 1e-6 * along.abs().max(0.1), "slope {slope}, gradient {along}");
            overlapping += usize::from(o.volume() > 1e-4);
        }
    }
    assert!(overlapping >= 12, "only {overlapping} pairs overlap");
}

#[test]
fn boxes_on_one_lattice_share_planes_edges_and_corners() {
    // Every coordinate a multiple of ½: coplanar faces, shared edges, equal diagonals, everywhere.
    let mut numbers = Numbers(3);
    let mut met = 0;
    for _ in 0..120 {
        let mut range = || {
            let (a, b) = ((numbers.unit() * 5.0).floor(), (numbers.unit() * 5.0).floor());
            if a == b { (a * 0.5, a * 0.5 + 0.5) } else { (a.min(b) * 0.5, a.max(b) * 0.5) }
        };
        let mut make = || {
            let r = [range(), range(), range()];
            let size = v3(r[0].1 - r[0].0, r[1].1 - r[1].0, r[2].1 - r[2].0);
            let n = [(size.x * 2.0) as u32, 1, (size.z * 2.0) as u32];
            let m = cuboid(size, n).unwrap();
            (at(&m, v3(r[0].0 + r[0].1, r[1].0 + r[1].1, r[2].0 + r[2].1) * 0.5), r)
        };
        let ((a, ra), (b, rb)) = (make(), make());
        let want: f64 = (0..3).map(|i| (ra[i].1.min(rb[i].1) - ra[i].0.max(rb[i].0)).max(0.0)).product();
        let o = overlap(&mut Exact::new(), &a, &b, None);
        assert!((o.volume() - want).abs() < 1e-14, "{ra:?} {rb:?}: {} instead of {want}", o.volume());
        let g = gradients(&o, &a, &b);
        assert!((sum(&g[0]) + sum(&g[1])).mag() < 1e-13);
        met += usize::from(want > 0.0);
    }
    assert!(met > 20, "{met}");
}

#[test]
fn nearly_coplanar_is_no_worse_than_coplanar() {
    // Faces a few ulps apart and turned by as little: which surface is on top is noise, the volume is not.
    let mut numbers = Numbers(11);
    let a = unit_box(3);
    for size in [1e-17, 1e-16, 1e-15, 1e-13] {
        for _ in 0..10 {
            let b = turned(&unit_box(2), numbers.vector() * size, numbers.vector() * size);
            let o = overlap(&mut Exact::new(), &a, &b, None);
            assert!((o.volume() - 1.0).abs() < 20.0 * size + 1e-14, "{size}: {}", o.volume());
            let g = gradients(&o, &a, &b);
            assert!((sum(&g[0]) + sum(&g[1])).mag() < 20.0 * size + 1e-14);
        }
    }
}

#[test]
fn the_same_pair_anywhere_and_either_way_round() {
    let (a, b) = (
        torus(0.7, 0.3, 16, 10).unwrap(),
        turned(&icosphere(0.6, 2).unwrap(), v3(1.0, 0.3, 0.2), v3(0.5, 0.1, 0.2)),
    );
    let want = volume(&a, &b);
    assert!(want > 0.1 && (volume(&b, &a) - want).abs() < 1e-14);
    let mut numbers = Numbers(31);
    for far in [0.0, 1.0, 1e3] {
        let (w, shift) = (numbers.vector() * 5.0, numbers.vector() * far);
        let v = volume(&turned(&a, w, shift), &turned(&b, w, shift));
        assert!((v - want).abs() < 1e-13 + 1e-14 * far, "{far}: {v} {want}");
    }
}

#[test]
fn a_mesh_with_itself_is_its_own_volume() {
    for m in [torus(1.0, 0.35, 24, 12).unwrap(), icosphere(1.0, 2).unwrap()] {
        let own = impinge_geometry::mass_properties(&m).unwrap().volume;
        assert!((volume(&m, &m) - own).abs() < 1e-13, "{} {own}", volume(&m, &m));
    }
}

#[test]
fn inside_outside_and_touching() {
    let (small, big) = (cuboid(v3(0.2, 0.2, 0.2), [2; 3]).unwrap(), unit_box(1));
    let o = overlap(&mut Exact::new(), &small, &big, None);
    assert!((o.volume() - 0.008).abs() < 1e-16);
    let g = gradients(&o, &small, &big);
    assert!(sum(&g[0]).mag() < 1e-16 && g[1].iter().all(|g| g.mag() == 0.0));
    assert!((volume(&big, &small) - 0.008).abs() < 1e-16);
    let apart = overlap(&mut Exact::new(), &small, &at(&big, v3(3.0, 0.0, 0.0)), None);
    assert!(apart.cells().is_empty() && apart.volume() == 0.0);
    assert!(volume(&big, &at(&big, v3(1.0, 0.0, 0.0))).abs() < 1e-15, "faces touch");
    assert!(volume(&big, &at(&big, v3(1.0, 1.0, 1.0))).abs() < 1e-15, "corners touch");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let a = torus(1.0, 0.35, 64, 32).unwrap();
    let b = at(&a, v3(0.1, 0.0, 0.6));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| overlap(&mut Exact::new(), &a, &b, None))
    };
    let one = run(1);
    assert!(one.volume() > 0.1);
    assert!(run(2) == one && run(5) == one);
}

#[test]
fn what_has_no_inside_is_refused() {
    let sheet = impinge_geometry::grid([1.0, 1.0], [2, 2]).unwrap();
    let e = ClosedSurface::new(&sheet).unwrap_err();
    assert!(e.to_string().contains("not closed"), "{e}");
    let (x, mut t) = unit_box(1).into_parts();
    t.iter_mut().for_each(|t| t.swap(0, 1));
    let e = ClosedSurface::new(&TriMesh::new(x, t).unwrap()).unwrap_err();
    assert!(e.to_string().contains("counter-clockwise"), "{e}");
    let m = unit_box(1);
    let s = ClosedSurface::new(&m).unwrap();
    assert!(matches!(Body::new(&s, &m.positions()[1..]), Err(VolumeError::Length { .. })));
    let cells = CellGrid::new(DVec3::zero(), 1e-5).unwrap();
    let body = Body::new(&s, m.positions()).unwrap();
    let e = Exact::new().evaluate(body, body, Some(&cells), &mut Overlap::new()).unwrap_err();
    assert!(e.to_string().contains("larger cells"), "{e}");
    let mut x = m.positions().to_vec();
    x[5].y = f64::NAN;
    let (good, bad) = (Body::new(&s, m.positions()).unwrap(), Body::new(&s, &x).unwrap());
    let e = Exact::new().evaluate(good, bad, None, &mut Overlap::new()).unwrap_err();
    assert_eq!(e, VolumeError::NonFinite { body: 1, vertex: 5 });
}

#[test]
fn cells_of_two_boxes_are_boxes() {
    // The overlap is [0.4, 0.5] × [-0.3, 0.5] × [-0.2, 0.5]; every cell's share of it is a box.
    let (a, b) = (unit_box(1), at(&unit_box(2), v3(0.9, 0.2, 0.3)));
    let grid = CellGrid::new(v3(0.01, -0.02, 0.03), 0.15).unwrap();
    let o = overlap(&mut Exact::new(), &a, &b, Some(&grid));
    let (lo, hi) = (v3(0.4, -0.3, -0.2), v3(0.5, 0.5, 0.5));
    let mut total = 0.0;
    for c in o.cells() {
        let want: f64 = (0..3)
            .map(|k| {
                let wall = grid.origin[k] + f64::from(c.index[k]) * grid.size;
                (hi[k].min(wall + grid.size) - lo[k].max(wall)).max(0.0)
            })
            .product();
        assert!((c.volume - want).abs() < 1e-15, "{c:?}: {want}");
        assert!(c.along.iter().all(|v| (v - want).abs() < 1e-14), "{c:?}");
        total += want;
    }
    assert!((total - 0.056).abs() < 1e-15, "no cell is missing: {total}");
}

#[test]
fn exact_cells_add_up_and_push_both_bodies_alike() {
    let mut numbers = Numbers(23);
    let shapes = [torus(0.7, 0.3, 16, 10).unwrap(), icosphere(0.8, 2).unwrap(), unit_box(2)];
    for (i, a) in shapes.iter().enumerate() {
        let b = turned(&shapes[(i + 1) % 3], numbers.vector(), v3(0.5, 0.1, 0.2));
        let whole = overlap(&mut Exact::new(), a, &b, None);
        for size in [5.0, 0.3, 0.15] {
            let grid = CellGrid::new(numbers.vector(), size).unwrap();
            let cells = overlap(&mut Exact::new(), a, &b, Some(&grid));
            assert!((cells.volume() - whole.volume()).abs() < 1e-13, "{size}: {}", cells.volume());
            let (g, c) = (gradients(&whole, a, &b), gradients(&cells, a, &b));
            for (g, c) in g.iter().flatten().zip(c.iter().flatten()) {
                assert!((*g - *c).mag() < 1e-13, "{size}: {g:?} {c:?}");
            }
            for k in 0..cells.cells().len() {
                let total = sum(cells.gradient(k, 0).1) + sum(cells.gradient(k, 1).1);
                let cell = &cells.cells()[k];
                assert!(total.mag() < 1e-13, "{size}: cell {cell:?} pushes one body only: {total:?}");
                assert!(cell.volume > -1e-15 && cell.volume < size.powi(3) + 1e-15, "{cell:?}");
                assert!(cell.along.iter().all(|v| (v - cell.volume).abs() < 1e-13), "{cell:?}");
            }
        }
    }
}

#[test]
fn many_cells_take_fewer_rays_and_too_many_are_refused() {
    let (a, b) = (unit_box(1), at(&unit_box(2), v3(0.9, 0.2, 0.3)));
    let whole = overlap(&mut Exact::new(), &a, &b, None);
    let cells = |size| {
        let (sa, sb) = (ClosedSurface::new(&a).unwrap(), ClosedSurface::new(&b).unwrap());
        let (a, b) = (Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap());
        let grid = CellGrid::new(v3(0.01, -0.02, 0.03), size).unwrap();
        let mut out = Overlap::new();
        Exact::new().evaluate(a, b, Some(&grid), &mut out).map(|()| out)
    };
    // 0.1 × 0.8 × 0.7 m: more than 5461 cells, so fewer than 16 rays along an edge.
    let fine = cells(0.02).unwrap();
    assert!(fine.cells().len() > 5_461, "{}", fine.cells().len());
    assert!((fine.volume() - whole.volume()).abs() < 1e-13);
    let (g, c) = (gradients(&whole, &a, &b), gradients(&fine, &a, &b));
    for (g, c) in g.iter().flatten().zip(c.iter().flatten()) {
        assert!((*g - *c).mag() < 1e-12, "{g:?} {c:?}");
    }
    let e = cells(0.005).unwrap_err();
    assert!(matches!(e, VolumeError::Cells { allowed: 349_525, .. }), "{e}");
}

#[test]
fn depth_images_approach_the_exact_cells() {
    let a = torus(0.7, 0.3, 16, 10).unwrap();
    let b = turned(&icosphere(0.8, 2).unwrap(), v3(0.1, 0.2, 0.3), v3(0.5, 0.1, 0.2));
    let grid = CellGrid::new(v3(0.0, 0.0, 0.0), 0.25).unwrap();
    let exact = overlap(&mut Exact::new(), &a, &b, Some(&grid));
    let image = overlap(&mut LayeredDepth::new(0.01).unwrap(), &a, &b, Some(&grid));
    let mut met = 0;
    for (k, c) in exact.cells().iter().enumerate().filter(|c| c.1.volume > 1e-4) {
        let j = image.cells().iter().position(|i| i.index == c.index).expect("the cell holds volume");
        // A wall of the cell lies anywhere between two rays.
        assert!((image.cells()[j].volume - c.volume).abs() < 0.01 * grid.size * grid.size, "{c:?}");
        // What a cell pushes body A with, walls' shares included.
        let (e, i) = (sum(exact.gradient(k, 0).1), sum(image.gradient(j, 0).1));
        assert!((e - i).mag() < 0.05 * grid.size * grid.size, "{c:?}: {e:?} {i:?}");
        met += 1;
    }
    assert!(met > 10, "{met}");
}

/// Why rigid surfaces cannot run the scene `bolt-pressure`: threads of sixteen facets fit where facet lies on facet, and between two
/// such turns there is no height at which the bolt, upright, is free of the nut.
#[test]
fn facets_of_a_thread_jam() {
    let pitch = 0.006;
    let thread = |radius| Thread { radius, pitch, depth: 0.0024 };
    let nut = nut(thread(0.0102), 0.016, 0.0075, 16, 10).unwrap();
    let bolt = bolt(thread(0.01), 0.024, Some([0.006, 0.014]), 16, 32).unwrap();
    let least = |degrees: f64| {
        let at = |k: i32| v3(0.0, 0.0, 0.012 - pitch * degrees / 360.0 + 2.5e-5 * f64::from(k));
        let turn = v3(0.0, 0.0, -degrees.to_radians());
        (-8..=8).map(|k| volume(&nut, &turned(&bolt, turn, at(k)))).fold(f64::INFINITY, f64::min)
    };
    for free in [0.0, 3.0, 6.0, 45.0] {
        assert!(least(free) < 1e-20, "{free}°: {:e} m³", least(free));
    }
    assert!(least(9.0) > 1.5e-12 && least(11.25) > 8e-12, "{:e} {:e} m³", least(9.0), least(11.25));
}
