//! Cutting, opening and removing triangles of a cloth.

use impinge_geometry::edit::{
    CutOptions, EditError, TriEdit, bisect_triangles, cut_triangles, open_edges, plane_values,
    remove_triangles,
};
use impinge_geometry::{DVec3, Topology, TriMesh, area, grid, icosphere, triangle_area};
use proptest::prelude::*;

fn check(old: &TriMesh, edit: &TriEdit, kept: f64) -> Topology {
    assert!((area(&edit.mesh) - kept).abs() <= 1e-12 * kept, "area {} not {kept}", area(&edit.mesh));
    let topology = Topology::new(&edit.mesh);
    assert!(topology.unreferenced_vertices().is_empty());
    assert_eq!((topology.non_manifold_edges(), topology.misoriented_edges()), (0, 0));
    let carried = edit.nodes.carry(old.positions());
    for (n, &x) in edit.mesh.positions().iter().enumerate() {
        match edit.nodes.source(n) {
            Some(o) => assert_eq!(x, old.positions()[o as usize]),
            None => assert!((x - carried[n]).mag() < 1e-14),
        }
    }
    assert!(edit.triangle_parent.is_sorted() && edit.triangle_parent.len() == edit.mesh.triangles().len());
    topology
}

fn cloth() -> TriMesh {
    grid([2.0, 1.5], [8, 6]).unwrap()
}

#[test]
fn a_cloth_cut_across_is_two() {
    let mesh = cloth();
    let (lo, hi) = mesh.bounds();
    let value = plane_values(mesh.positions(), (lo + hi) * 0.5, DVec3::new(1.0, 0.31, 0.0)).unwrap();
    let cut = cut_triangles(&mesh, &value, None, &CutOptions { snap: 0.0, min_piece: 0.0 }).unwrap();
    let topology = check(&mesh, &cut.edit, 3.0);
    assert_eq!((topology.part_count(), topology.euler_characteristic()), (2, 2));
    for which in [-1, 1] {
        let half: f64 = (0..cut.side.len())
            .filter(|&t| cut.side[t] == which)
            .map(|t| triangle_area(cut.edit.mesh.corners(t)))
            .sum();
        assert!((half - 1.5).abs() < 1e-13);
    }
    assert_eq!(cut.vertex_side().len(), cut.edit.mesh.positions().len());
    assert!(Topology::new(&mesh).boundary_edges() + 2 * cut.opened < topology.boundary_edges() + 3);
}

#[test]
fn a_seam_opens_between_its_ends_only() {
    let mesh = cloth();
    let topology = Topology::new(&mesh);
    let inner = |v: u32| topology.vertex_neighbours(v).len() == topology.vertex_faces(v).len();
    let straight: Vec<u32> = {
        // A path of three inner edges, so that two of its vertices are inner to it.
        let start = (0..mesh.positions().len() as u32).find(|&v| inner(v)).unwrap();
        let mut path = vec![start];
        while path.len() < 4 {
            let next = topology
                .vertex_neighbours(path[path.len() - 1])
                .iter()
                .copied()
                .find(|&v| inner(v) && !path.contains(&v))
                .unwrap();
            path.push(next);
        }
        path
    };
    let edges: Vec<[u32; 2]> = straight.windows(2).map(|w| [w[1], w[0]]).collect();
    // One inner edge alone is held at both ends.
    assert_eq!(open_edges(&mesh, &edges[..1]).unwrap().mesh, mesh);
    let edit = open_edges(&mesh, &edges).unwrap();
    let opened = check(&mesh, &edit, 3.0);
    let copies = edit.nodes.copy_counts();
    for (v, &n) in copies.iter().enumerate() {
        let want = if straight[1..3].contains(&(v as u32)) { 2 } else { 1 };
        assert_eq!(n, want, "vertex {v}");
    }
    // A disc with a hole is an annulus.
    assert_eq!((opened.part_count(), opened.euler_characteristic()), (1, 0));
    assert!(matches!(open_edges(&mesh, &[[0, 9999]]), Err(EditError::NotInMesh { .. })));
    assert!(matches!(
        open_edges(&mesh, &[[0, mesh.positions().len() as u32 - 1]]),
        Err(EditError::NotInMesh { .. })
    ));
    assert_eq!(bisect_triangles(&mesh, &[]).unwrap().mesh, mesh);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_cut_of_a_cloth_or_a_skin(
        closed in any::<bool>(), point in prop::array::uniform3(-0.8..0.8f64), normal in prop::array::uniform3(-1.0..1.0f64),
        through in any::<prop::sample::Index>(), at_vertex in any::<bool>(),
        snap in prop::sample::select(vec![0.0, 0.1, 0.5]), region in any::<bool>(),
    ) {
        let mesh = if closed { icosphere(1.0, 2).unwrap() } else { cloth() };
        let n = DVec3::from(normal);
        prop_assume!(n.mag() > 1e-2);
        let p = if at_vertex { mesh.positions()[through.index(mesh.positions().len())] } else { DVec3::from(point) };
        let value = plane_values(mesh.positions(), p, n).unwrap();
        let within: Vec<bool> = (0..mesh.triangles().len()).map(|t| (mesh.corners(t)[0] - p).mag() < 0.7).collect();
        let cut = cut_triangles(&mesh, &value, region.then_some(&within[..]), &CutOptions { snap, min_piece: 0.0 }).unwrap();
        let topology = check(&mesh, &cut.edit, area(&mesh));
        // Each opened edge has become two boundary edges, but for those that the rim of a region holds at both ends.
        let new = topology.boundary_edges() - Topology::new(&mesh).boundary_edges() - rim_cuts(&mesh, &cut.edit);
        prop_assert!(new == 2 * cut.opened || (region && new < 2 * cut.opened && new.is_multiple_of(2)));
        if !region {
            let mut of_vertex = vec![0i8; cut.edit.mesh.positions().len()];
            for (t, c) in cut.edit.mesh.triangles().iter().enumerate() {
                for &v in c {
                    prop_assert!(of_vertex[v as usize] != -cut.side[t]);
                    of_vertex[v as usize] = cut.side[t];
                }
            }
            prop_assert_eq!(of_vertex, cut.vertex_side());
        }
    }

    #[test]
    fn any_triangles_may_go(seed in any::<u64>(), part in 1u64..9) {
        let mesh = cloth();
        let mut s = seed;
        let gone: Vec<bool> = (0..mesh.triangles().len()).map(|_| {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (s >> 33) % 10 < part
        }).collect();
        prop_assume!(gone.iter().any(|g| !g));
        let left: f64 = (0..gone.len()).filter(|&t| !gone[t]).map(|t| triangle_area(mesh.corners(t))).sum();
        let edit = remove_triangles(&mesh, &gone).unwrap();
        let topology = check(&mesh, &edit, left);
        prop_assert!(topology.pinched_vertices().is_empty());
    }
}

/// Boundary edges of the old mesh that were bisected: each counts once more.
fn rim_cuts(old: &TriMesh, edit: &TriEdit) -> usize {
    let topology = Topology::new(old);
    let mut ends: Vec<[u32; 2]> = (0..edit.nodes.len())
        .filter(|&n| edit.nodes.source(n).is_none())
        .map(|n| [edit.nodes.parents()[n][0], edit.nodes.parents()[n][1]])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let on_rim = |&&[a, b]: &&[u32; 2]| {
        topology.edge_between(a, b).is_some_and(|e| topology.faces_of_edge(e).len() == 1)
    };
    ends.iter().filter(on_rim).count()
}

#[test]
fn nothing_left_is_refused() {
    let mesh = cloth();
    assert_eq!(remove_triangles(&mesh, &vec![true; mesh.triangles().len()]), Err(EditError::NothingLeft));
}
