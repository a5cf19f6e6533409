//! Faces that lie in a wall of the grid, exactly or up to rounding: a body that was turned and turned back stands there, and so does one that rests.
//! Which cell such a face is counted in says nothing about the volume, as long as everything around it is counted alike.

use crate::support::{Numbers, at, by_place, joined, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, rotor_from_rotation_vector};
use impinge_volume::{CellGrid, Exact, LayeredDepth, Overlap, Walls};
use std::f64::consts::FRAC_PI_2;

/// Edge of a cell (m); every box stands on multiples of its half.
const CELL: f64 = 0.25;

fn grid(walls: Walls) -> CellGrid {
    CellGrid::new(DVec3::zero(), CELL).unwrap().with_walls(walls)
}

/// Turned about z by so many right angles, as a body would be: π/2 is no number, and the corners come to stand beside the lattice.
fn quarters(mesh: &TriMesh, count: u32, shift: DVec3) -> TriMesh {
    turned(mesh, v3(0.0, 0.0, FRAC_PI_2 * f64::from(count)), shift)
}

/// The largest of what two bodies get from one cell (m²).
fn imbalance(o: &Overlap) -> f64 {
    let both = |c: usize| sum(o.gradient(c, 0).1) + sum(o.gradient(c, 1).1);
    (0..o.cells().len()).map(|c| both(c).mag()).fold(0.0, f64::max)
}

/// Lower and upper corner (m) of a box on the lattice, turned about an axis by right angles.
fn corners(size: DVec3, axis: usize, count: u32, middle: DVec3) -> [DVec3; 2] {
    let mut half = size * 0.5;
    if count % 2 == 1 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        (half[u], half[v]) = (half[v], half[u]);
    }
    [middle - half, middle + half]
}

/// Holds the cells against the boxes that two bodies are but for `off` (m).
fn check(o: &Overlap, a: [DVec3; 2], b: [DVec3; 2], off: f64, of: &str) {
    let (lo, hi) = (a[0].max_by_component(b[0]), a[1].min_by_component(b[1]));
    let mut total = 0.0;
    for c in o.cells() {
        let wall = DVec3::new(c.index[0].into(), c.index[1].into(), c.index[2].into()) * CELL;
        let edge = (hi.min_by_component(wall + DVec3::broadcast(CELL)) - lo.max_by_component(wall))
            .max_by_component(DVec3::zero());
        let want = edge.x * edge.y * edge.z;
        let near = 1e-15 + off;
        assert!((c.volume - want).abs() <= near, "{of}: {c:?} instead of {want}");
        assert!(c.along.iter().all(|v| (v - want).abs() <= 4.0 * near), "{of}: {c:?} instead of {want}");
        total += want;
    }
    let edge = (hi - lo).max_by_component(DVec3::zero());
    assert!((total - edge.x * edge.y * edge.z).abs() < 1e-14, "{of}: a cell is missing");
    assert!(imbalance(o) < 1e-14, "{of}: a cell pushes one body by {:e} m² more", imbalance(o));
}

#[test]
fn a_turned_box_beside_a_wall_on_a_floor() {
    let a = quarters(&cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap(), 1, v3(-1.0, 0.75, 0.25));
    let floor = at(&cuboid(v3(4.0, 4.0, 1.0), [1; 3]).unwrap(), v3(0.0, 0.0, -0.5));
    for walls in [Walls::Carried, Walls::Shared] {
        let o = overlap(&mut Exact::new(), &a, &floor, Some(&grid(walls)));
        assert!((o.volume() - 0.25).abs() < 1e-15, "{}", o.volume());
        assert!(imbalance(&o) < 1e-15, "{:e}", imbalance(&o));
        // The overlap only touches the cells above the floor.
        for c in (0..o.cells().len()).filter(|&c| o.cells()[c].index[2] >= 0) {
            let pushes = [0, 1].map(|side| sum(o.gradient(c, side).1).mag());
            assert!(o.cells()[c].volume.abs() < 1e-15 && pushes.iter().all(|p| *p < 1e-14), "{pushes:?}");
        }
    }
}

#[test]
fn a_thin_plate_and_a_cube_turned_by_half() {
    let plate = cuboid(v3(1.0, 1.0, 0.01), [3, 3, 1]).unwrap();
    let cube = cuboid(v3(1.0, 1.0, 1.0), [2; 3]).unwrap();
    let (a, b) = (quarters(&plate, 2, v3(0.0, 0.25, 0.25)), quarters(&cube, 2, v3(-0.25, 0.0, -0.25)));
    let (ra, rb) = (
        corners(v3(1.0, 1.0, 0.01), 2, 2, v3(0.0, 0.25, 0.25)),
        corners(v3(1.0, 1.0, 1.0), 2, 2, v3(-0.25, 0.0, -0.25)),
    );
    for walls in [Walls::Carried, Walls::Shared] {
        let o = overlap(&mut Exact::new(), &a, &b, Some(&grid(walls)));
        assert!((o.volume() - 0.002_812_5).abs() < 1e-16, "{}", o.volume());
        check(&o, ra, rb, 0.0, "plate");
    }
}

/// Every quarter turn about every axis, on a lattice of half cells.
#[test]
fn turned_boxes_fill_their_cells() {
    let mut numbers = Numbers(41);
    let mut met = 0;
    for i in 0..900u32 {
        let mut lattice = || (numbers.vector() * 7.0).map(|x| x.round() * 0.5 * CELL);
        let (pa, pb) = (lattice(), lattice());
        let mut make = |size: DVec3, n: u32, count: u32, middle: DVec3| {
            let axis = (numbers.unit() * 3.0) as usize;
            let mut turn = DVec3::zero();
            turn[axis] = FRAC_PI_2 * f64::from(count);
            let mesh = turned(&cuboid(size, [n; 3]).unwrap(), turn, middle);
            (mesh, corners(size, axis, count, middle))
        };
        let (a, ra) = make(v3(1.0, 0.75, 0.5), 1 + i % 3, i % 4, pa);
        let (b, rb) = make(v3(1.0, 1.0, 0.25), 1 + i % 2, i / 4 % 4, pb);
        let walls = [Walls::Carried, Walls::Shared][(i % 2) as usize];
        let o = overlap(&mut Exact::new(), &a, &b, Some(&grid(walls)));
        check(&o, ra, rb, 0.0, &format!("pair {i}"));
        met += usize::from(o.volume() > 1e-3);
    }
    assert!(met > 400, "only {met} pairs overlap");
}

/// What leans from a wall by a little is cut by it where it should be: the cells add up to the whole to rounding however little that is.
#[test]
fn boxes_that_lean_by_next_to_nothing() {
    let mut numbers = Numbers(43);
    let leans = [0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-7, 1e-5];
    for lean in leans {
        for i in 0..120u32 {
            let mut lattice = || (numbers.vector() * 3.0).map(|x| x.round() * CELL);
            let (pa, pb) = (lattice(), lattice());
            let mut make = |size: DVec3, n: u32, count: u32, middle: DVec3| {
                let tilt = rotor_from_rotation_vector(numbers.vector() * (2.0 * lean));
                let mesh = quarters(&cuboid(size, [n; 3]).unwrap(), count, DVec3::zero());
                let mesh = mesh.mapped(|p| tilt * p + middle).unwrap();
                (mesh, corners(size, 2, count, middle))
            };
            let (a, ra) = make(v3(1.0, 1.0, 0.5), 1 + i % 3, i % 4, pa);
            let (b, rb) = make(v3(1.0, 0.5, 1.0), 1 + i % 2, i / 4 % 4, pb);
            let walls = [Walls::Carried, Walls::Shared][(i % 2) as usize];
            let o = overlap(&mut Exact::new(), &a, &b, Some(&grid(walls)));
            let whole = overlap(&mut Exact::new(), &a, &b, None);
            let off = (o.volume() - whole.volume()).abs();
            assert!(off < 2e-15, "{lean:e}, pair {i}: {off:e} of {}", whole.volume());
            // No corner is off by more than the lean at a lever of 1 m, six faces of ½ m² or less in a cell.
            check(&o, ra, rb, lean, &format!("{lean:e}, pair {i}"));
        }
    }
}

/// Two boxes that meet in a wall, every corner beside it by some rounding: the slivers between them are contacts without a volume.
#[test]
fn boxes_that_touch_in_a_wall() {
    let mut numbers = Numbers(47);
    // Walls on numbers that are exact, and on some that are not: there a coordinate's cell by division is not always that by its walls.
    let grids = [grid(Walls::Carried), CellGrid::new(v3(0.1, 0.3, -0.2), 0.07).unwrap()];
    for noise in [0.0, 2e-16, 6e-16, 2e-15, 2e-13, 2e-11, 2e-9] {
        for i in 0..60u32 {
            let grid = grids[(i / 2 % 2) as usize];
            let wall = grid.origin.y + f64::from(3 + i % 17) * grid.size;
            let mut make = |n: u32, side: f64| {
                let mut shift = numbers.vector() * 0.6;
                shift.y = wall + 0.5 * side;
                let mesh = cuboid(v3(1.0, 1.0, 1.0), [n; 3]).unwrap();
                mesh.mapped(|p| (p + shift) + numbers.vector() * noise).unwrap()
            };
            let (a, b) = (make(1 + i % 3, -1.0), make(1 + i / 3 % 4, 1.0));
            let walls = [Walls::Carried, Walls::Shared][(i % 2) as usize];
            let o = overlap(&mut Exact::new(), &a, &b, Some(&grid.with_walls(walls)));
            let whole = overlap(&mut Exact::new(), &a, &b, None).volume();
            assert!((o.volume() - whole).abs() < 1e-15, "{noise:e}, {i}: {:e}, not {whole:e}", o.volume());
            assert!(o.cells().iter().all(|c| c.volume.abs() < 1e-15 + noise), "{noise:e}, {i}");
            assert!(imbalance(&o) < 1e-14, "{noise:e}, {i}: {:e}", imbalance(&o));
        }
    }
}

/// Cells and places together: two turned boxes of one body on a floor, each with faces in walls.
#[test]
fn places_in_walls_add_up() {
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let floor = at(&cuboid(v3(4.0, 4.0, 1.0), [1; 3]).unwrap(), v3(0.0, 0.0, -0.5));
    for count in 0..4 {
        let two = joined(&[
            &quarters(&cube, count, v3(-1.0, 0.75, 0.25)),
            &quarters(&cube, count + 1, v3(0.75, 0.75, 0.25)),
        ]);
        let o = by_place(&two, &floor, Some(&grid(Walls::Carried)));
        assert!((o.volume() - 0.5).abs() < 1e-15, "{count}: {}", o.volume());
        assert!(imbalance(&o) < 1e-14, "{count}: {:e}", imbalance(&o));
    }
}

/// What is twice inside of a body counts twice exactly, and once by rays.
#[test]
fn a_body_that_overlaps_itself_counts_by_its_winding_number() {
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let two = joined(&[&cube, &at(&cube, v3(0.5, 0.0, 0.0))]);
    let around = at(&cuboid(v3(5.0, 5.0, 5.0), [1; 3]).unwrap(), v3(0.01, 0.02, 0.03));
    for g in [None, Some(grid(Walls::Carried))] {
        let exact = overlap(&mut Exact::new(), &two, &around, g.as_ref());
        let rays = overlap(&mut LayeredDepth::new(0.01).unwrap(), &two, &around, g.as_ref());
        assert!((exact.volume() - 2.0).abs() < 1e-13, "{}", exact.volume());
        assert!((rays.volume() - 1.5).abs() < 0.02, "{}", rays.volume());
        // Of two such bodies the product: 1 · ½ + 4 · ½ + 1 · ½.
        let squared = overlap(&mut Exact::new(), &two, &two, g.as_ref());
        assert!((squared.volume() - 3.0).abs() < 1e-13, "{}", squared.volume());
    }
}
