//! What of two bodies' overlap is one place: bodies in each other, holes, hollows, and what all but touches.

use crate::support::{Numbers, at, by_place, by_rays, cube, joined, overlap, table, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, cylinder, generators, tetrahedron};
use impinge_volume::Exact;

#[test]
fn what_hangs_together_is_one() {
    let one = |a: &TriMesh, b: &TriMesh, what: &str| {
        for (a, b) in [(a, b), (b, a)] {
            let o = by_place(a, b, None);
            let whole = overlap(&mut Exact::new(), a, b, None);
            assert_eq!(o.cells().len(), 1, "{what}: {:?}", o.cells());
            assert!((o.volume() - whole.volume()).abs() <= 1e-14, "{what}");
        }
    };
    let block = cube(1.0);
    // One inside the other; itself; flush on a face.
    one(&block, &cube(0.3), "inside");
    one(&block, &block, "itself");
    one(&block, &at(&cube(0.5), v3(0.25, 0.25, 0.5)), "flush");
    // A tube that stands in the middle of a triangle: its edge is two loops in it.
    let tube = at(&generators::tube(0.1, 0.05, 1.0, 12, 1).unwrap(), v3(0.2, 0.0, 0.95));
    one(&block, &tube, "a tube on a triangle");
    // A block over a hollow: the hole in its lower face is bounded by nothing that goes on.
    let outer = cube(2.0);
    let hollow = |edge: f64, by: DVec3| {
        let (x, t) = at(&cube(edge), by).into_parts();
        TriMesh::new(x, t.into_iter().map(|[a, b, c]| [a, c, b]).collect()).unwrap()
    };
    let over = joined(&[&outer, &hollow(0.4, v3(0.1, 0.05, 0.0))]);
    one(&over, &at(&cube(1.2), v3(0.05, 0.0, 0.63)), "a hole in a triangle");
    // A hollow altogether inside of the other.
    one(&over, &cube(1.3), "a hollow");
}

#[test]
fn a_hole_belongs_to_what_is_around_it() {
    // Two feet in a floor; in the middle of the lower face of the smaller one there is a hollow of the floor.
    let hollow = at(&cube(0.1), v3(0.7, 0.01, -0.15)).into_parts();
    let hollow = TriMesh::new(hollow.0, hollow.1.into_iter().map(|[a, b, c]| [a, c, b]).collect()).unwrap();
    let floor = joined(&[&at(&cuboid(v3(4.0, 4.0, 1.0), [1; 3]).unwrap(), v3(0.1, 0.2, -0.5)), &hollow]);
    let foot = |edge: f64, x: f64| at(&cube(edge), v3(x, 0.0, 0.5 * edge - 0.15));
    let feet = joined(&[&foot(0.8, -0.5), &foot(0.7, 0.5)]);
    for (a, b) in [(&feet, &floor), (&floor, &feet)] {
        for o in [by_place(a, b, None), by_rays(a, b, None, 2e-3)] {
            let mut volumes: Vec<f64> = o.cells().iter().map(|c| c.volume).collect();
            volumes.sort_by(f64::total_cmp);
            // 5 cm of the hollow are in the smaller foot.
            let want = [0.49 * 0.15 - 0.01 * 0.05, 0.64 * 0.15];
            assert_eq!(volumes.len(), 2, "{volumes:?}");
            assert!(volumes.iter().zip(want).all(|(v, w)| (v - w).abs() < 2e-3 * w), "{volumes:?}");
        }
    }
}

#[test]
fn pipes_through_one_plate_are_apart() {
    let plate = at(&cuboid(v3(2.0, 2.0, 0.1), [1; 3]).unwrap(), v3(0.013, 0.021, 0.0));
    let pipe = |x: f64, y: f64| at(&generators::tube(0.15, 0.1, 1.0, 12, 1).unwrap(), v3(x, y, 0.0));
    let rod = at(&cylinder(0.1, 1.0, 12, 1).unwrap(), v3(0.3, -0.5, 0.0));
    let pipes = [pipe(-0.5, 0.2), pipe(0.4, 0.3), pipe(-0.2, -0.5)];
    for (through, count) in [
        (joined(&[&pipes[0], &pipes[1]]), 2),
        (joined(&[&pipes[0], &pipes[1], &pipes[2]]), 3),
        (joined(&[&pipes[0], &rod]), 2),
    ] {
        for (a, b) in [(&plate, &through), (&through, &plate)] {
            assert_eq!(by_place(a, b, None).cells().len(), count);
            assert_eq!(by_rays(a, b, None, 5e-3).cells().len(), count);
        }
    }
}

#[test]
fn what_all_but_touches_joins_nothing() {
    let (table, floor) = table();
    let mut numbers = Numbers(3);
    for deep in [3e-9, 1e-10, 1e-12] {
        for _ in 0..60 {
            let spike = tetrahedron(0.1).unwrap();
            let spike = turned(&spike, numbers.vector() * 6.0, DVec3::zero());
            let low = spike.bounds().0.z;
            let p = v3((numbers.unit() - 0.5) * 0.6, (numbers.unit() - 0.5) * 0.4, -low - deep);
            let all = joined(&[&table, &at(&spike, p)]);
            let large = |a: &TriMesh, b: &TriMesh| {
                by_place(a, b, None).cells().iter().filter(|c| c.volume > 1e-7).count()
            };
            assert_eq!((large(&all, &floor), large(&floor, &all)), (4, 4), "{deep} at {p:?}");
        }
    }
}
