//! Walls between cells: what slides over something flat is pushed straight off it, and cells that are cut too narrow are joined.

use crate::support::{gradients, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, rotor_from_rotation_vector};
use impinge_volume::{CellGrid, Evaluate, Exact, LayeredDepth, Overlap, Walls};

/// Depth of the overlap (m).
const DEPTH: f64 = 0.004;

/// A box of 0.4 m and one of 2 m below it that it stands in, both turned by `turn`; and the way from the large one to it.
fn on_a_table(turn: DVec3) -> (TriMesh, TriMesh, DVec3) {
    let normal = rotor_from_rotation_vector(turn) * DVec3::unit_z();
    let small = turned(&cuboid(v3(0.4, 0.4, 0.4), [2; 3]).unwrap(), turn, normal * (0.2 - DEPTH));
    let large = turned(&cuboid(v3(2.0, 2.0, 2.0), [1; 3]).unwrap(), turn, normal * -1.0);
    (small, large, normal)
}

fn grid(walls: Walls) -> CellGrid {
    CellGrid::new(v3(0.013, 0.027, 0.041), 0.1).unwrap().with_walls(walls)
}

/// Largest sine between a cell's push and the normal, of cells with an area of at least `least` (m²).
fn leans(o: &Overlap, normal: DVec3, least: f64) -> f64 {
    let pushes: Vec<DVec3> = (0..o.cells().len()).map(|c| -sum(o.gradient(c, 0).1)).collect();
    assert!(pushes.iter().all(|p| p.mag().is_finite()), "{pushes:?}");
    let large: Vec<&DVec3> = pushes.iter().filter(|p| p.mag() > least).collect();
    assert!(large.len() > 10, "{} of {} cells", large.len(), pushes.len());
    large.iter().map(|p| p.normalized().cross(normal).mag()).fold(0.0, f64::max)
}

#[test]
fn every_cell_under_a_box_is_pushed_straight() {
    for turn in [v3(0.0, 0.46, 0.0), v3(0.3, -0.5, 0.2)] {
        let (small, large, normal) = on_a_table(turn);
        // The order of the bodies says nothing.
        for (a, b, up) in [(&small, &large, normal), (&large, &small, -normal)] {
            let of = |e: &mut dyn FnMut(&CellGrid) -> Overlap| {
                [Walls::Carried, Walls::Shared].map(|w| e(&grid(w)))
            };
            let [carried, shared] = of(&mut |g| overlap(&mut Exact::new(), a, b, Some(g)));
            let (lean, paper) = (leans(&carried, up, 1e-9), leans(&shared, up, 1e-9));
            println!("exact: {lean:.1e}, the paper's walls {paper:.2}");
            assert!(carried.cells().len() > 20);
            assert!(lean < 1e-7, "{lean}");
            assert!(paper > 0.1, "walls make no difference here: {paper}");
            // By rays, of cells that some hundreds of them see.
            let [carried, shared] =
                of(&mut |g| overlap(&mut LayeredDepth::new(0.001).unwrap(), a, b, Some(g)));
            let (lean, paper) = (leans(&carried, up, 5e-4), leans(&shared, up, 5e-4));
            println!("rays: {lean:.1e}, the paper's walls {paper:.2}");
            assert!(lean < 0.5 * paper, "{lean} {paper}");
        }
    }
}

/// Handed one way or the other, or joined: the whole gradient is the same, and both bodies get the same from every cell.
#[test]
fn walls_and_joining_add_up_to_the_whole() {
    let (small, large, _) = on_a_table(v3(0.3, -0.5, 0.2));
    let ball = turned(&icosphere(0.2, 3).unwrap(), v3(0.1, 0.2, 0.3), v3(0.05, 0.3, 0.1));
    let pairs = [(&small, &large), (&small, &ball)];
    for (a, b) in pairs {
        for walls in [Walls::Carried, Walls::Shared] {
            let measures: [&mut dyn Evaluate; 2] =
                [&mut Exact::new(), &mut LayeredDepth::new(0.002).unwrap()];
            for e in measures {
                let whole = overlap(e, a, b, None);
                let mut cells = overlap(e, a, b, Some(&grid(walls)));
                for joined in [false, true] {
                    if joined {
                        let before = cells.cells().len();
                        cells.join_slivers(0.1);
                        println!("{before} cells, {} after joining", cells.cells().len());
                        assert!(cells.cells().len() < before);
                        assert!(cells.cells().is_sorted_by_key(|c| c.index));
                    }
                    assert!((whole.volume() - cells.volume()).abs() < 1e-14);
                    let (g, c) = (gradients(&whole, a, b), gradients(&cells, a, b));
                    for (g, c) in g.iter().flatten().zip(c.iter().flatten()) {
                        let off = (*g - *c).mag();
                        assert!(off < 1e-13, "{g:?} {c:?}");
                    }
                    for k in 0..cells.cells().len() {
                        let both = sum(cells.gradient(k, 0).1) + sum(cells.gradient(k, 1).1);
                        assert!(both.mag() < 1e-13, "cell {k} pushes one body only: {both:?}");
                        assert!(cells.gradient(k, 0).0.is_sorted() && cells.gradient(k, 1).0.is_sorted());
                    }
                }
            }
        }
    }
}

/// A box over a wall of the grid by `strip`: what stands in the next cell is a contact of its own where it is broad beside the depth.
#[test]
fn a_strip_is_joined_by_its_width_in_depths() {
    let floor = turned(&cuboid(v3(2.0, 2.0, 2.0), [1; 3]).unwrap(), DVec3::zero(), v3(0.0, 0.0, -1.0));
    let grid = CellGrid::new(v3(0.0, 0.0, -0.5), 1.0).unwrap();
    let cells = |strip: f64, depth: f64| {
        let at = v3(strip - 0.2, 0.5, 0.2 - depth);
        let b = turned(&cuboid(v3(0.4, 0.4, 0.4), [1; 3]).unwrap(), DVec3::zero(), at);
        let mut o = overlap(&mut Exact::new(), &b, &floor, Some(&grid));
        o.join_slivers(1.0);
        assert!((o.volume() - 0.16 * depth).abs() < 1e-15);
        // One that the floor's diagonal touches has nothing in it.
        o.cells().iter().filter(|c| c.volume > 0.0).map(|c| c.index).collect::<Vec<_>>()
    };
    // A strip of 0.4 m by `strip` counts as narrow below 8 depths times the cell's edge.
    assert_eq!(cells(0.01, 0.001), [[-1, 0, 0]]);
    assert_eq!(cells(0.03, 0.001), [[-1, 0, 0], [0, 0, 0]]);
    assert_eq!(cells(0.03, 0.004), [[-1, 0, 0]]);
    // Half a box is no sliver, however deep.
    assert_eq!(cells(0.2, 0.3), [[-1, 0, 0], [0, 0, 0]]);
    // The larger part gives the name.
    assert_eq!(cells(0.39, 0.001), [[0, 0, 0]]);
}

/// Walls of the grid within an overlap, along what is flat: layers that lack a push are taken together with the one that has it.
#[test]
fn layers_without_a_push_are_joined() {
    let floor = turned(&cuboid(v3(2.0, 2.0, 2.0), [1; 3]).unwrap(), DVec3::zero(), v3(0.0, 0.0, -1.0));
    let grid = CellGrid::new(v3(0.0, 0.0, -0.01), 0.02).unwrap();
    let idle = |o: &Overlap| (0..o.cells().len()).filter(|&c| sum(o.gradient(c, 0).1).mag() <= 1e-9).count();
    for body in [cuboid(v3(0.4, 0.4, 0.4), [1; 3]).unwrap(), icosphere(0.2, 3).unwrap()] {
        let body = turned(&body, DVec3::zero(), v3(0.5, 0.5, 0.15));
        let mut o = overlap(&mut Exact::new(), &body, &floor, Some(&grid));
        let (whole, before, lacking) = (o.volume(), o.cells().len(), idle(&o));
        o.join_slivers(grid.size);
        println!("{before} cells, {lacking} without a push; {} after joining", o.cells().len());
        assert!(lacking > 20 && o.cells().len() <= before - lacking);
        assert_eq!(idle(&o), 0);
        assert!((o.volume() - whole).abs() < 1e-14);
    }
    // Of a box all columns are as deep as it is.
    let body = turned(&cuboid(v3(0.4, 0.4, 0.4), [1; 3]).unwrap(), DVec3::zero(), v3(0.5, 0.5, 0.15));
    let mut o = overlap(&mut Exact::new(), &body, &floor, Some(&grid));
    o.join_slivers(grid.size);
    assert_eq!(o.cells().len(), 400);
    assert!((0..400).all(|c| (o.cells()[c].volume / sum(o.gradient(c, 0).1).mag() - 0.05).abs() < 1e-9));
}
