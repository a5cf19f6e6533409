//! Places of two bodies told apart: closed forms, each as it is alone, what is one place after all, sums, exact and by rays.

use crate::support::{
    Numbers, at, by_place, by_rays, cube, gradients, joined, overlap, sum, table, turned, v3,
};
use impinge_geometry::generators::{Thread, bolt, nut};
use impinge_geometry::{
    DVec3, TriMesh, cuboid, cylinder, generators, icosphere, l_shape, tetrahedron, torus,
};
use impinge_volume::{Body, CellGrid, ClosedSurface, Evaluate, Exact, LayeredDepth, Overlap, Walls};

/// Push of one cell on one side (m²), and its moment about the origin (m³).
fn push(o: &Overlap, cell: usize, side: usize, mesh: &TriMesh) -> [DVec3; 2] {
    let (vertices, g) = o.gradient(cell, side);
    let moment = |s: DVec3, (&v, g): (&u32, &DVec3)| s + mesh.positions()[v as usize].cross(*g);
    [sum(g), vertices.iter().zip(g).fold(DVec3::zero(), moment)]
}

/// Largest force or moment that a cell's two sides leave over.
fn left_over(o: &Overlap, a: &TriMesh, b: &TriMesh) -> f64 {
    let of = |c| [0, 1].map(|k| (push(o, c, 0, a)[k] + push(o, c, 1, b)[k]).mag());
    (0..o.cells().len()).map(of).fold(0.0, |most, [f, m]| most.max(f).max(m))
}

#[test]
fn each_leg_of_a_table_is_a_contact() {
    let (table, floor) = table();
    let spread = CellGrid::new(v3(-50.1, -50.2, -50.3), 100.0).unwrap();
    for swapped in [false, true] {
        let (a, b) = if swapped { (&floor, &table) } else { (&table, &floor) };
        let side = usize::from(swapped);
        for (o, within) in [
            (by_place(a, b, None), 1e-14),
            // Where one cell has them all.
            (by_place(a, b, Some(&spread)), 1e-12),
            (by_rays(a, b, None, 1e-3), 0.03 * 4e-5),
        ] {
            let mut volumes: Vec<f64> = o.cells().iter().map(|c| c.volume).collect();
            volumes.sort_by(f64::total_cmp);
            assert_eq!(volumes.len(), 4, "{:?}", o.cells());
            for (v, deep) in volumes.iter().zip([0.001, 0.002, 0.003, 0.004]) {
                assert!((v - 0.01 * deep).abs() < within, "{v} for {deep}");
            }
            for c in 0..4 {
                // ∂V/∂z of a leg is −0.01 m².
                let [up, moment] = push(&o, c, side, &table);
                let tight = if within < 1e-10 { 1e-14 } else { 3e-4 };
                assert!((up - v3(0.0, 0.0, -0.01)).mag() < tight, "{up:?}");
                // At one of the four places where the legs stand.
                let (x, y) = (moment.y / 0.01, -moment.x / 0.01);
                assert!((x.abs() - 0.4).abs() < 1e-2 && (y.abs() - 0.3).abs() < 1e-2, "({x}, {y})");
            }
            let mut names: Vec<u32> = o.cells().iter().map(|c| c.part).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), 4, "a floor's vertices alone do not tell legs apart");
        }
        // As the paper has it there is one.
        assert_eq!(overlap(&mut Exact::new(), a, b, None).cells().len(), 1);
    }
}

#[test]
fn both_sides_of_a_ring_on_a_pin() {
    // The hole is narrower than the pin by 4 mm on each side along x, and wider along y.
    let pin = cylinder(0.1, 1.0, 32, 1).unwrap();
    let ring = torus(0.14, 0.04, 48, 24).unwrap().mapped(|p| v3(p.x * 0.96, p.y * 1.2, p.z)).unwrap();
    let whole = overlap(&mut Exact::new(), &ring, &pin, None);
    assert!(sum(whole.gradient(0, 0).1).mag() < 1e-12, "the pushes cancel in one volume");
    for o in [by_place(&ring, &pin, None), by_rays(&ring, &pin, None, 1e-3)] {
        assert_eq!(o.cells().len(), 2);
        let mut pushes = [0, 1].map(|c| push(&o, c, 0, &ring)[0].x);
        pushes.sort_by(f64::total_cmp);
        assert!(pushes[0] < -1e-4 && pushes[1] > 1e-4 && (pushes[0] + pushes[1]).abs() < 1e-5, "{pushes:?}");
    }
}

#[test]
fn parts_of_a_body_are_as_each_alone() {
    let b = icosphere(0.5, 2).unwrap();
    let mut numbers = Numbers(11);
    for _ in 0..40 {
        // Small ones around its surface, far enough from each other.
        let parts: Vec<TriMesh> =
            [v3(0.5, 0.0, 0.0), v3(-0.3, 0.4, 0.0), v3(0.0, 0.0, -0.5), v3(-0.2, -0.4, 0.2)]
                .iter()
                .zip([
                    tetrahedron(0.3).unwrap(),
                    cube(0.2),
                    torus(0.1, 0.05, 12, 8).unwrap(),
                    l_shape(v3(0.2, 0.2, 0.1), 0.06).unwrap(),
                ])
                .map(|(&p, m)| turned(&m, numbers.vector() * 6.0, p + numbers.vector() * 0.05))
                .collect();
        let a = joined(&parts.iter().collect::<Vec<_>>());
        let mut alone: Vec<(f64, DVec3)> = Vec::new();
        for p in &parts {
            let o = by_place(p, &b, None);
            alone.extend((0..o.cells().len()).map(|c| (o.cells()[c].volume, push(&o, c, 0, p)[0])));
        }
        alone.sort_by(|p, q| p.0.total_cmp(&q.0));
        for (a, b, side) in [(&a, &b, 0), (&b, &a, 1)] {
            let o = by_place(a, b, None);
            let mut found: Vec<(f64, DVec3)> = (0..o.cells().len())
                .map(|c| (o.cells()[c].volume, push(&o, c, side, [a, b][side])[0]))
                .collect();
            found.sort_by(|p, q| p.0.total_cmp(&q.0));
            assert_eq!(found.len(), alone.len());
            for (f, w) in found.iter().zip(&alone) {
                assert!((f.0 - w.0).abs() < 1e-15 && (f.1 - w.1).mag() < 1e-14, "{f:?}, not {w:?}");
            }
            assert!(left_over(&o, a, b) < 1e-15);
        }
    }
}

/// Pairs in all kinds of poses, many with several places.
fn pairs() -> Vec<(TriMesh, TriMesh)> {
    let thread = |radius| Thread { radius, pitch: 0.006, depth: 0.0024 };
    let screwed = (
        nut(thread(0.0102), 0.016, 0.0075, 16, 10).unwrap(),
        turned(
            &bolt(thread(0.01), 0.024, Some([0.006, 0.014]), 16, 32).unwrap(),
            v3(0.0, 0.0, -0.2),
            v3(0.0, 0.0, 0.012),
        ),
    );
    let shapes = [
        icosphere(0.7, 1).unwrap(),
        torus(0.7, 0.3, 12, 8).unwrap(),
        torus(0.8, 0.12, 16, 6).unwrap(),
        l_shape(v3(1.2, 1.0, 0.4), 0.3).unwrap(),
        cuboid(v3(1.8, 1.5, 0.1), [2, 3, 1]).unwrap(),
        cuboid(v3(1.0, 1.0, 1.0), [2; 3]).unwrap(),
        generators::tube(0.6, 0.5, 1.0, 16, 2).unwrap(),
        generators::bowl(0.8, 0.1, 12, 4).unwrap(),
    ];
    let mut numbers = Numbers(5);
    let mut all = vec![screwed];
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for _ in 0..4 {
                let mut pose = || (numbers.vector() * 4.0, numbers.vector() * 0.8);
                let ((wa, ta), (wb, tb)) = (pose(), pose());
                all.push((turned(a, wa, ta), turned(b, wb, tb)));
            }
        }
    }
    all
}

#[test]
fn places_add_up_and_each_pushes_both_alike() {
    let (mut several, mut agree, mut all) = (0, 0, 0);
    for (a, b) in &pairs() {
        let whole = overlap(&mut Exact::new(), a, b, None);
        let o = by_place(a, b, None);
        let size = a.bounds().1.mag().max(b.bounds().1.mag());
        let (area, volume) = (size * size, size * size * size);
        assert!((o.volume() - whole.volume()).abs() < 1e-14 * volume);
        let [g, want] = [&o, &whole].map(|o| gradients(o, a, b));
        for side in 0..2 {
            assert!(g[side].iter().zip(&want[side]).all(|(p, q)| (*p - *q).mag() < 1e-13 * area));
        }
        assert!(left_over(&o, a, b) < 1e-13 * area * size.max(1.0), "{}", left_over(&o, a, b));
        assert!(o.cells().iter().all(|c| c.volume > 0.0));
        several += usize::from(o.cells().len() > 1);
        // Rays see the same places, but for those as small as a pixel and those as near to each other.
        let pixel = size / 150.0;
        let seen = by_rays(a, b, None, pixel);
        let large = |o: &Overlap| o.cells().iter().filter(|c| c.volume > 20.0 * pixel.powi(3)).count();
        all += 1;
        agree += usize::from(large(&o) == large(&seen));
        assert!((seen.volume() - whole.volume()).abs() < 0.02 * whole.volume().max(0.02 * volume));
    }
    assert!(several > 25 && agree * 20 > all * 19, "{several} of several places, {agree} of {all} agree");
}

#[test]
fn cells_of_places_add_up_to_those_of_all() {
    for (a, b) in pairs().iter().skip(1).step_by(3) {
        for walls in [Walls::Carried, Walls::Shared] {
            let grid = CellGrid::new(v3(0.013, 0.027, 0.041), 0.3).unwrap().with_walls(walls);
            let whole = overlap(&mut Exact::new(), a, b, Some(&grid));
            let o = by_place(a, b, Some(&grid));
            for c in whole.cells() {
                let same = o.cells().iter().filter(|p| p.index == c.index);
                let sum = same.fold([0.0; 3], |s, p| [0, 1, 2].map(|k| s[k] + p.along[k]));
                assert!((0..3).all(|k| (sum[k] - c.along[k]).abs() < 1e-12), "{sum:?}, not {c:?}");
            }
            assert!((o.volume() - whole.volume()).abs() < 1e-12);
            // A wall's push is shared, so forces are opposite and moments only as far as rays tell.
            for c in 0..o.cells().len() {
                let [p, q] = [push(&o, c, 0, a)[0], push(&o, c, 1, b)[0]];
                assert!((p + q).mag() < 1e-12, "{p:?} and {q:?}");
            }
            // What is in one place and not cut is that of the place.
            let places = by_place(a, b, None);
            for p in places.cells() {
                let cells: Vec<f64> =
                    o.cells().iter().filter(|c| c.part == p.part).map(|c| c.volume).collect();
                let alike = places.cells().iter().filter(|c| c.part == p.part).count() == 1;
                assert!(!alike || (cells.iter().sum::<f64>() - p.volume).abs() < 1e-12, "{cells:?} {p:?}");
            }
        }
    }
}

#[test]
fn walls_push_what_is_in_their_place() {
    // Two blocks 2 cm apart in one column of cells, a wall through both, on either side of a floor of two triangles.
    let block = |x: f64| at(&cube(0.1), v3(x, 0.03, 0.05 - 0.004));
    let blocks = joined(&[&block(0.04), &block(0.16)]);
    let floor = at(&cuboid(v3(3.0, 3.0, 1.0), [1; 3]).unwrap(), v3(0.3, 0.1, -0.5));
    for up in [1.0, -1.0] {
        let turn = |m: &TriMesh| {
            turned(m, v3(if up > 0.0 { 0.0 } else { std::f64::consts::PI }, 0.0, 0.0), DVec3::zero())
        };
        let (blocks, floor) = (turn(&blocks), turn(&floor));
        for (a, b, side) in [(&blocks, &floor, 0), (&floor, &blocks, 1)] {
            let grid = CellGrid::new(v3(-0.5, -0.5, -0.002 * up), 1.0).unwrap().with_walls(Walls::Shared);
            for o in [by_place(a, b, Some(&grid)), by_rays(a, b, Some(&grid), 1e-3)] {
                assert_eq!(o.cells().len(), 4, "{:?}", o.cells());
                for (c, cell) in o.cells().iter().enumerate() {
                    assert!((cell.volume - 0.01 * 0.002).abs() < 1e-6, "{cell:?}");
                    let (vertices, _) = o.gradient(c, side);
                    let of = |v: &&u32| **v < 8;
                    let first = vertices.iter().filter(of).count();
                    assert!(first == 0 || first == vertices.len(), "a cell pushes both blocks: {vertices:?}");
                    // A wall is halfway through the overlap: half of the push of a layer goes each way. Rays are 6 cm apart.
                    let moment = push(&o, c, 1 - side, &floor)[1];
                    let force = push(&o, c, 1 - side, &floor)[0];
                    if force.mag() > 1e-3 {
                        let x = -moment.y / force.z;
                        let want = if first > 0 { 0.04 } else { 0.16 };
                        assert!((x - want).abs() < 0.03, "{x}, not {want}");
                    }
                }
            }
        }
    }
}

#[test]
fn of_many_bodies_each_pair_has_its_places() {
    let (table, floor) = table();
    // Over the gap between two legs and into both.
    let wedge = at(&cuboid(v3(0.75, 0.05, 0.1), [1; 3]).unwrap(), v3(0.0, -0.3, 0.3));
    let meshes = [&floor, &table, &wedge];
    let closed = meshes.map(|m| ClosedSurface::new(m).unwrap());
    let bodies = [0, 1, 2].map(|i| Body::new(&closed[i], meshes[i].positions()).unwrap());
    let mut image = LayeredDepth::new(2e-3).unwrap().by_place(true);
    // Two cubes in one body, which meets itself: cells of that are those that it has otherwise, each once.
    let both = joined(&[&cube(1.0), &at(&cube(1.0), v3(0.4, 0.3, 0.2))]);
    let surface = ClosedSurface::new(&both).unwrap();
    let one = [Body::new(&surface, both.positions()).unwrap()];
    let grid = CellGrid::new(DVec3::zero(), 0.2).unwrap();
    let own = image.overlaps(&one, true, Some(&grid)).unwrap();
    assert_eq!(own, LayeredDepth::new(2e-3).unwrap().overlaps(&one, true, Some(&grid)).unwrap());
    let cells = own[0].overlap.cells();
    assert!(cells.len() > 20 && cells.windows(2).all(|w| w[0].index < w[1].index), "{} cells", cells.len());
    let found = image.overlaps(&bodies, true, None).unwrap();
    let of = |pair: [usize; 2]| found.iter().find(|p| p.bodies == pair).map(|p| &p.overlap);
    assert_eq!(found.len(), 2, "a body without self-intersections has none");
    let (legs, ends) = (of([0, 1]).unwrap(), of([1, 2]).unwrap());
    assert_eq!((legs.cells().len(), ends.cells().len()), (4, 2));
    for c in ends.cells() {
        assert!((c.volume - 0.025 * 0.05 * 0.1).abs() < 1e-5, "{c:?}");
    }
    for c in legs.cells() {
        assert!(c.volume < 0.0045 * 0.01 && c.volume > 0.0005 * 0.01, "{c:?}");
    }
}

#[test]
fn places_do_not_depend_on_threads_or_on_what_was_before() {
    let all = pairs();
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut e, mut image) =
                (Exact::new().by_place(true), LayeredDepth::new(0.02).unwrap().by_place(true));
            let grid = CellGrid::new(DVec3::zero(), 0.4).unwrap();
            let mut found = Vec::new();
            for (a, b) in all.iter().step_by(9) {
                for grid in [None, Some(&grid)] {
                    found.push(overlap(&mut e as &mut dyn Evaluate, a, b, grid));
                    found.push(overlap(&mut image, a, b, grid));
                }
            }
            found
        })
    };
    let first = of(1);
    assert_eq!(first, of(8));
    for (k, (a, b)) in all.iter().step_by(9).enumerate() {
        assert_eq!(first[4 * k], by_place(a, b, None));
    }
}
