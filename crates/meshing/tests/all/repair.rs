//! Each repair mends what it is for, touches nothing else, and says what it did.

use impinge_geometry::{
    DVec3, Topology, TriMesh, bowl, cuboid, disc, grid, icosphere, mass_properties, tetrahedron,
};
use impinge_meshing::{Repair, RepairError, health, repair::boundary_loops};
use proptest::prelude::*;

fn volume(mesh: &TriMesh) -> f64 {
    mass_properties(mesh).unwrap().volume
}

fn without(mesh: &TriMesh, faces: &[usize]) -> TriMesh {
    let kept =
        mesh.triangles().iter().enumerate().filter(|(f, _)| !faces.contains(f)).map(|(_, &t)| t).collect();
    TriMesh::new(mesh.positions().to_vec(), kept).unwrap()
}

#[test]
fn names_and_refusals() {
    for name in Repair::NAMES {
        assert_eq!(Repair::from_name(name, 0.0).unwrap().name(), name);
    }
    let e = Repair::from_name("union-parts", 0.0).unwrap_err();
    assert_eq!(e, RepairError::Unknown { name: "union-parts".into() });
    assert!(e.to_string().contains("weld, drop-degenerate, drop-unused, orient, fill-holes"));
    let mesh = tetrahedron(1.0).unwrap();
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Repair::Weld { tolerance }.apply(&mesh), Err(RepairError::BadTolerance { .. })));
    }
    // Everything within the tolerance: no face is left.
    let e = Repair::Weld { tolerance: 9.0 }.apply(&mesh).unwrap_err();
    assert!(e.to_string().contains("weld would leave no mesh"), "{e}");
    // A sound mesh comes back as it was, bit for bit, from all but the welding of everything.
    for name in Repair::NAMES {
        let r = Repair::from_name(name, 1e-9).unwrap().apply(&mesh).unwrap();
        assert_eq!(r.mesh, mesh, "{name}");
        assert!(r.report.done.is_empty() && r.report.left.is_empty());
        assert!(r.report.to_string().contains("nothing to do"));
        assert!(r.faces.iter().copied().eq(0..4));
    }
}

#[test]
fn weld_joins_a_soup_and_keeps_the_lowest_positions() {
    let ball = icosphere(1.0, 3).unwrap();
    let n = ball.triangles().len();
    let shake =
        |i: usize| DVec3::new((i as f64).sin(), (i as f64 * 1.7).sin(), (i as f64 * 2.3).sin()) * 1e-8;
    let soup: Vec<DVec3> =
        (0..n).flat_map(|f| ball.corners(f)).enumerate().map(|(i, p)| p + shake(i)).collect();
    let soup = TriMesh::new(soup, (0..n as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect()).unwrap();
    let welded = Repair::Weld { tolerance: 1e-6 }.apply(&soup).unwrap();
    assert_eq!(welded.mesh.positions().len(), ball.positions().len());
    assert!((volume(&welded.mesh) - volume(&ball)).abs() < 1e-7);
    assert!(welded.mesh.positions().iter().all(|p| soup.positions().contains(p)));
    assert_eq!(welded.report.done[0].0, 3 * n - ball.positions().len());
    assert_eq!(welded.report.vertices, [3 * n, ball.positions().len()]);
}

#[test]
fn weld_says_what_it_made_worse() {
    // Two cubes face to face, same diagonals: the welded wall is non-manifold and doubled.
    let cube = cuboid(DVec3::one(), [1; 3]).unwrap();
    let mirrored = cube.mapped(|p| DVec3::new(1.0 - p.x, p.y, p.z)).unwrap();
    let positions = cube.positions().iter().chain(mirrored.positions()).copied().collect();
    let turned = mirrored.triangles().iter().map(|t| t.map(|v| v + 8)).map(|[a, b, c]| [a, c, b]);
    let mesh = TriMesh::new(positions, cube.triangles().iter().copied().chain(turned).collect()).unwrap();
    assert!(health(&mesh).closed());
    let r = Repair::Weld { tolerance: 1e-9 }.apply(&mesh).unwrap();
    assert_eq!(r.report.left.iter().map(|l| l.0).collect::<Vec<_>>(), [5, 2], "{}", r.report);
    assert!(r.report.to_string().contains("back to back"));
}

#[test]
fn orient_mends_any_mixture() {
    let ball = icosphere(1.0, 2).unwrap();
    for pattern in [1usize, 2, 3, 7] {
        let mixed = ball
            .triangles()
            .iter()
            .enumerate()
            .map(|(f, &[a, b, c])| if f % pattern == 0 { [a, c, b] } else { [a, b, c] })
            .collect();
        let mixed = TriMesh::new(ball.positions().to_vec(), mixed).unwrap();
        let r = Repair::Orient.apply(&mixed).unwrap();
        let as_before = r.mesh.triangles().iter().zip(ball.triangles()).all(|(t, u)| {
            let turns = [*u, [u[1], u[2], u[0]], [u[2], u[0], u[1]]];
            turns.contains(t)
        });
        assert!(as_before, "{pattern}");
        assert_eq!(r.report.done[0].0, ball.triangles().len().div_ceil(pattern));
    }
}

#[test]
fn orient_keeps_cavities_and_mends_open_and_one_sided_sheets() {
    let shells = |flips: [bool; 3]| {
        let (mut p, mut t) = (vec![], vec![]);
        for (size, flip) in [3.0, 2.0, 1.0].into_iter().zip(flips) {
            let n = p.len() as u32;
            let (q, u) = cuboid(DVec3::one() * size, [1; 3]).unwrap().into_parts();
            p.extend(q);
            t.extend(
                u.into_iter()
                    .map(|t| t.map(|v| v + n))
                    .map(|[a, b, c]| if flip { [a, c, b] } else { [a, b, c] }),
            );
        }
        TriMesh::new(p, t).unwrap()
    };
    // A cavity stays, also where the outer wall has to be turned.
    let hollow = shells([false, true, false]);
    assert_eq!(Repair::Orient.apply(&hollow).unwrap().mesh, hollow);
    let r = Repair::Orient.apply(&shells([true, true, false])).unwrap();
    assert_eq!(r.mesh, hollow);
    assert_eq!((r.report.done[0].0, r.report.done[1].0, r.report.left[0].0), (12, 1, 1));
    assert!((volume(&r.mesh) - 20.0).abs() < 1e-12);

    // An open sheet keeps the side of its larger part.
    let (p, mut t) = grid([1.0, 1.0], [6, 6]).unwrap().into_parts();
    [3, 17, 40].iter().for_each(|&f: &usize| t[f].swap(1, 2));
    let r = Repair::Orient.apply(&TriMesh::new(p, t).unwrap()).unwrap();
    assert_eq!(r.mesh.triangles().len(), 72);
    assert!((0..72).all(|f| impinge_geometry::triangle_normal(r.mesh.corners(f)) == Some(DVec3::unit_z())));

    // A Möbius strip has no second side: one row of edges stays in conflict, and the report says so.
    let strip: Vec<[u32; 3]> = (0..5u32).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
    let p = (0..5)
        .map(|i| DVec3::new((f64::from(i) * 1.3).cos(), (f64::from(i) * 1.3).sin(), 0.2 * f64::from(i)));
    let moebius = TriMesh::new(p.collect(), strip).unwrap();
    let r = Repair::Orient.apply(&moebius).unwrap();
    assert!(r.report.left.iter().any(|l| l.0 > 0 && l.1.contains("one side")), "{}", r.report);
}

#[test]
fn holes_of_several_kinds_are_filled() {
    let ball = icosphere(1.0, 3).unwrap();
    let t = Topology::new(&ball);
    // A single face, a fan of faces around a vertex, and two neighbouring faces.
    let mut gone: Vec<usize> = vec![700];
    gone.extend(t.vertex_faces(20).iter().map(|&f| f as usize));
    let a = 333u32;
    gone.extend([a as usize, t.face_across(a, 1).unwrap() as usize]);
    let open = without(&ball, &gone);
    let loops = boundary_loops(&open, &Topology::new(&open));
    let mut lengths: Vec<usize> = loops.closed.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!((lengths.as_slice(), loops.stray_edges), ([3, 4, t.vertex_faces(20).len()].as_slice(), 0));
    let r = Repair::FillHoles.apply(&open).unwrap();
    let h = health(&r.mesh);
    assert!(h.closed() && h.manifold() && h.self_intersections.is_empty(), "{h}");
    assert_eq!(r.report.done[0].0, 3);
    assert_eq!(r.faces.iter().filter(|&&f| f == u32::MAX).count(), r.report.done[1].0);
    assert!((volume(&r.mesh) / volume(&ball) - 1.0).abs() < 2e-3);
    // The old faces stand where they stood.
    assert!(r.mesh.triangles().starts_with(open.triangles()));
}

#[test]
fn a_flat_rim_is_filled_flat() {
    // A box without its lid of 128 triangles.
    let size = DVec3::new(2.0, 3.0, 1.0);
    let full = cuboid(size, [8, 8, 2]).unwrap();
    let lid: Vec<usize> =
        (0..full.triangles().len()).filter(|&f| full.corners(f).iter().all(|p| p.z == 0.5)).collect();
    assert_eq!(lid.len(), 128);
    let r = Repair::FillHoles.apply(&without(&full, &lid)).unwrap();
    assert!((volume(&r.mesh) - 6.0).abs() < 1e-12);
    let h = health(&r.mesh);
    assert!(h.degenerate_faces.is_empty() && h.self_intersections.is_empty(), "{h}");
    // Inner vertices of the lid are left over, and named.
    assert_eq!(h.unreferenced_vertices.len(), 49);
    assert!((h.area - 22.0).abs() < 1e-12);
}

#[test]
fn holes_that_meet_in_a_vertex_are_two() {
    let sheet = grid([1.0, 1.0], [6, 6]).unwrap();
    // Two quads that share the vertex in the middle of the sheet and nothing else.
    let quad = |i: usize, j: usize| [2 * (6 * j + i), 2 * (6 * j + i) + 1];
    let holes: Vec<usize> = quad(2, 2).into_iter().chain(quad(3, 3)).collect();
    let open = without(&sheet, &holes);
    let loops = boundary_loops(&open, &Topology::new(&open));
    let mut lengths: Vec<usize> = loops.closed.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [4, 4, 24]);
    assert!(Topology::new(&Repair::FillHoles.apply(&open).unwrap().mesh).is_closed());
}

#[test]
fn what_cannot_be_filled_is_left_and_counted() {
    let lone = TriMesh::new(vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()], vec![[0, 1, 2]]).unwrap();
    let r = Repair::FillHoles.apply(&lone).unwrap();
    assert_eq!((r.mesh, r.report.left[0].0), (lone, 1));
    // Three pages of a book: every rim runs into the spine.
    let p = vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let book = TriMesh::from_arrays(&p, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap();
    let r = Repair::FillHoles.apply(&book).unwrap();
    assert_eq!((&r.mesh, r.report.left[0].0), (&book, 6));
    // The rim of a disc is a hole like any other: filled flat, it encloses nothing, and the report of the result says so.
    let bag = Repair::FillHoles.apply(&disc(1.0, 3).unwrap()).unwrap().mesh;
    let h = health(&bag);
    assert!(h.closed() && h.volume().is_err());
}

#[test]
fn an_edge_that_is_taken_is_not_made_twice() {
    // A square tent on four sides whose base diagonal exists as an edge of a fin outside: both diagonals of the hole
    // are taken, so that a vertex has to be added.
    let p = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 0.5, 1.0],
        [0.5, 0.5, -3.0],
        [0.5, 0.4, -4.0],
    ];
    let tent = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    let fins = [[0, 2, 5], [2, 0, 6], [1, 3, 5], [3, 1, 6]];
    let mesh = TriMesh::from_arrays(&p, &[tent.as_slice(), fins.as_slice()].concat()).unwrap();
    let r = Repair::FillHoles.apply(&mesh).unwrap();
    assert!(r.report.done.iter().any(|d| d.1.contains("new vertex")), "{}", r.report);
    assert_eq!(Topology::new(&r.mesh).non_manifold_edges(), 0);
}

#[test]
fn caps_needles_and_repeats_go_and_the_surface_stays_closed() {
    let (mut p, mut t) = cuboid(DVec3::one(), [1; 3]).unwrap().into_parts();
    // A vertex in the middle of an edge, used by one of its two faces only, and a cap that closes the gap.
    let [a, b, c] = t[0];
    let m = p.len() as u32;
    p.push((p[a as usize] + p[b as usize]) * 0.5);
    t[0] = [a, m, c];
    t.extend([[m, b, c], [a, b, m]]);
    // A needle: a vertex split in two at the same place.
    let mesh = TriMesh::new(p.clone(), t.clone()).unwrap();
    let before = health(&mesh);
    assert!(before.closed() && before.degenerate_faces == [13], "{before}");
    let r = Repair::DropDegenerate.apply(&mesh).unwrap();
    let after = health(&r.mesh);
    assert!(after.is_sound(), "{after}");
    assert!((after.volume().unwrap() - 1.0).abs() < 1e-14);
    assert!(r.report.done.iter().any(|d| d.1.contains("swapped")), "{}", r.report);

    // Split the edge a–b of the whole cube at a: both its faces become quads cut by faces without area.
    let (mut p, mut t) = cuboid(DVec3::one(), [1; 3]).unwrap().into_parts();
    let topology = Topology::new(&TriMesh::new(p.clone(), t.clone()).unwrap());
    let [a, b, c] = t[0];
    let across = topology.face_across(0, 0).unwrap();
    let d = *t[across as usize].iter().find(|&&v| v != a && v != b).unwrap();
    let twin = p.len() as u32;
    p.push(p[a as usize]);
    t[0] = [twin, b, c];
    t[across as usize] = [b, twin, d];
    t.extend([[a, twin, c], [twin, a, d]]);
    let mesh = TriMesh::new(p, t).unwrap();
    let before = health(&mesh);
    assert!(before.closed() && before.degenerate_faces.len() == 2, "{before}");
    let r = Repair::DropDegenerate.apply(&mesh).unwrap();
    assert!(health(&r.mesh).is_sound(), "{}", health(&r.mesh));
    assert_eq!((r.mesh.positions().len(), r.mesh.triangles().len()), (8, 12));
    assert!((volume(&r.mesh) - 1.0).abs() < 1e-14);

    // Collapsed and repeated faces.
    let (p, mut t) = cuboid(DVec3::one(), [1; 3]).unwrap().into_parts();
    let [a, b, c] = t[3];
    t.extend([[a, a, b], [b, c, a]]);
    let r = Repair::DropDegenerate.apply(&TriMesh::new(p, t).unwrap()).unwrap();
    assert!(health(&r.mesh).is_sound());
    assert_eq!(r.report.done.iter().map(|d| d.0).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn unused_vertices_go_and_the_others_keep_their_order() {
    let (mut p, t) = bowl(1.0, 0.2, 12, 4).unwrap().into_parts();
    p.insert(5, DVec3::one() * 1e9);
    let t = t.into_iter().map(|t| t.map(|v| if v >= 5 { v + 1 } else { v })).collect();
    let r = Repair::DropUnused.apply(&TriMesh::new(p, t).unwrap()).unwrap();
    assert_eq!(r.mesh, bowl(1.0, 0.2, 12, 4).unwrap());
    assert_eq!(r.report.done, [(1, "vertices dropped that no face names")]);
}

proptest! {
    /// A ball with any faces knocked out and turned: orient then fill-holes closes it, and again changes nothing.
    #[test]
    fn a_battered_ball_is_closed_again(
        gone in prop::collection::btree_set(0usize..320, 0..60),
        turned in prop::collection::btree_set(0usize..320, 0..40),
    ) {
        let ball = icosphere(1.0, 2).unwrap();
        let faces = ball
            .triangles()
            .iter()
            .enumerate()
            .filter(|(f, _)| !gone.contains(f))
            .map(|(f, &[a, b, c])| if turned.contains(&f) { [a, c, b] } else { [a, b, c] })
            .collect();
        let mesh = TriMesh::new(ball.positions().to_vec(), faces).unwrap();
        let oriented = Repair::Orient.apply(&mesh).unwrap().mesh;
        prop_assert_eq!(Topology::new(&oriented).misoriented_edges(), 0);
        let filled = Repair::FillHoles.apply(&oriented).unwrap();
        let t = Topology::new(&filled.mesh);
        let lone: usize = filled.report.left.iter().filter(|l| l.1.contains("lone")).map(|l| l.0).sum();
        prop_assert_eq!(t.boundary_edges(), 3 * lone);
        prop_assert_eq!((t.non_manifold_edges(), t.misoriented_edges()), (0, 0));
        let again = Repair::FillHoles.apply(&filled.mesh).unwrap().mesh;
        prop_assert_eq!(again, filled.mesh);
    }
}
