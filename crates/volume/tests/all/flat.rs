//! Flat faces on each other: what pushes is the depth, not the sides of the overlap.

use crate::support::{at, gradients, joined, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, rotor_from_rotation_vector};
use impinge_volume::{CellGrid, Exact, Overlap, Walls};

const DEPTH: f64 = 1e-4;
const SIZE: [f64; 3] = [0.3, 0.2, 0.02];

/// Pushes of the cells on A.
fn pushes(o: &Overlap) -> Vec<DVec3> {
    (0..o.cells().len()).map(|c| -sum(o.gradient(c, 0).1)).collect()
}

/// As constraints have it.
fn prepared(a: &TriMesh, b: &TriMesh, grid: &CellGrid) -> Overlap {
    let mut o = overlap(&mut Exact::new(), a, b, Some(grid));
    o.join_slivers(grid.size);
    o.straighten();
    o
}

/// Two plates of one size, the upper one off by a rounding, less than the depth, more than it and an overhang: V = (L − s) w d falls with s, and
/// the cells push straight up all the same.
#[test]
fn plates_of_one_size_are_not_driven_off_each_other() {
    let plate = cuboid(DVec3::from(SIZE), [2; 3]).unwrap();
    for turn in [v3(0.0, 0.0, 0.0), v3(0.0, 0.0, 0.5), v3(0.3, -0.2, 0.7)] {
        let normal = rotor_from_rotation_vector(turn) * DVec3::unit_z();
        let along = rotor_from_rotation_vector(turn) * DVec3::unit_x();
        for (s, size, from) in [0.0, 1e-13, 1e-9, 3e-5, 1e-3, 0.11]
            .iter()
            .flat_map(|&s| [(0.1, 0.013), (0.07, 0.031), (1.0, -0.4)].map(|(size, from)| (s, size, from)))
        {
            let grid = CellGrid::new(v3(from, 0.6 * from, 0.3 * from), size).unwrap();
            let below = turned(&plate, turn, normal * (-0.5 * SIZE[2] + 0.3 * DEPTH));
            let above = turned(&plate, turn, normal * (0.5 * SIZE[2] - 0.7 * DEPTH) + along * s);
            let told = format!("off by {s} in cells of {size} from {from}, turned by {turn:?}");
            let o = prepared(&above, &below, &grid);
            let all = pushes(&o);
            let least = 1e-3 * size.min(SIZE[1]).powi(2);
            for push in all.iter().filter(|p| p.mag() > least) {
                assert!(push.normalized().cross(normal).mag() < 1e-11, "{told}: {push:?} and {normal:?}");
            }
            let (total, area) = (sum(&all).dot(normal), (SIZE[0] - s) * SIZE[1]);
            assert!((total / area - 1.0).abs() < 1e-3, "{told}: {total} of {area} m²");
            assert!((o.volume() / (area * DEPTH) - 1.0).abs() < 1e-6, "{told}");
            // Alike on both.
            let [up, down] = gradients(&o, &above, &below).map(|g| sum(&g));
            assert!((up + down).mag() < 1e-9 * area, "{told}: {up:?} and {down:?}");
        }
    }
}

/// A box in a corner, on the floor and against a lip of it: the lip's push is whole, however large the cell.
#[test]
fn a_lip_beside_the_floor_pushes() {
    let small = at(&cuboid(v3(0.4, 0.4, 0.4), [1; 3]).unwrap(), v3(0.0, 0.0, 0.2 - DEPTH));
    let floor = at(&cuboid(v3(3.0, 3.0, 1.0), [1; 3]).unwrap(), v3(0.07, 0.03, -0.5));
    for (high, sunk) in [(0.3, 1e-4), (0.3, 1e-2), (0.01, 1e-4), (0.002, 1e-4)] {
        let lip = at(&cuboid(v3(0.5, 2.0, high), [1; 3]).unwrap(), v3(0.45 - sunk, 0.01, 0.5 * high));
        let large = joined(&[&floor, &lip]);
        for size in [5.0, 0.15] {
            let grid = CellGrid::new(v3(-2.37, -2.41, -2.43), size).unwrap();
            let push = sum(&pushes(&prepared(&small, &large, &grid)));
            let (want, told) = (0.4 * high, format!("{high} m high, {sunk} m deep in cells of {size} m"));
            assert!((-push.x / want - 1.0).abs() < 0.06, "{told}: {push:?}");
            // A strip of the floor as narrow as the lip is deep counts as the lip's side.
            assert!((push.z - 0.16).abs() < 1.6e-3 + 2.0 * sunk * 0.4, "{told}: {push:?}");
        }
    }
}

/// Two boxes side by side in the air press on each other's sides, flush at the top and the bottom.
#[test]
fn boxes_side_by_side_press_sideways() {
    let cube = cuboid(v3(0.1, 0.1, 0.1), [2; 3]).unwrap();
    let beside = at(&cube, v3(0.1 - DEPTH, 0.0, 0.0));
    let grid = CellGrid::new(v3(-1.013, -1.027, -1.041), 0.04).unwrap();
    let push = sum(&pushes(&prepared(&cube, &beside, &grid)));
    assert!((push - v3(-0.01, 0.0, 0.0)).mag() < 1e-9, "{push:?}");
}

/// The paper's walls are an energy's: nothing is taken from the gradient.
#[test]
fn an_energy_keeps_its_gradient() {
    let plate = cuboid(DVec3::from(SIZE), [2; 3]).unwrap();
    let above = at(&plate, v3(0.11, 0.0, SIZE[2] - DEPTH));
    let grid = CellGrid::new(v3(0.013, 0.027, 0.041), 0.1).unwrap().with_walls(Walls::Shared);
    let before = overlap(&mut Exact::new(), &above, &plate, Some(&grid));
    let mut after = before.clone();
    after.straighten();
    assert_eq!(before, after);
    let push = sum(&pushes(&after));
    assert!((push.x / (SIZE[1] * DEPTH) - 1.0).abs() < 1e-9, "{push:?}");
}
