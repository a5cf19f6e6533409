//! Topology against hand-made cases and a brute-force count of every edge.

use impinge_geometry::{DVec3, MeshError, Topology, TriMesh, generators};
use proptest::prelude::*;

fn mesh(vertices: usize, triangles: &[[u32; 3]]) -> TriMesh {
    // Positions do not matter here; spread them so that nothing coincides.
    let p = (0..vertices).map(|i| DVec3::new(i as f64, (i * i) as f64, 1.0)).collect();
    TriMesh::new(p, triangles.to_vec()).unwrap()
}

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

#[test]
fn a_tetrahedron_by_hand() {
    let t = Topology::new(&mesh(4, &TETRAHEDRON));
    assert_eq!(t.edges(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert_eq!(t.edge_faces(), [[0, 1], [0, 3], [1, 3], [0, 2], [1, 2], [2, 3]]);
    assert_eq!(t.face_edges(), [[1, 3, 0], [0, 4, 2], [3, 5, 4], [1, 2, 5]]);
    assert_eq!(t.vertex_faces(3), [1, 2, 3]);
    assert_eq!(t.vertex_neighbours(1).as_slice(), [0, 2, 3]);
    assert_eq!((0..4).map(|v| t.vertex_owner(v)).collect::<Vec<_>>(), [0, 0, 0, 1]);
    assert_eq!((0..6).map(|e| t.edge_owner(e)).collect::<Vec<_>>(), [0, 0, 1, 0, 1, 2]);
    assert_eq!(t.edge_between(3, 1), Some(4));
    assert_eq!(t.edge_between(0, 7), None);
    assert_eq!(t.face_across(0, 0), Some(3));
    assert_eq!((t.euler_characteristic(), t.part_count()), (2, 1));
    assert!(t.is_closed() && t.require_closed().is_ok());
}

#[test]
fn an_open_sheet_counts_its_rim() {
    let t = Topology::new(&generators::grid([2.0, 1.0], [4, 3]).unwrap());
    assert_eq!(t.boundary_edges(), 14);
    assert_eq!(t.euler_characteristic(), 1);
    let refused = t.require_closed().unwrap_err();
    assert_eq!(
        refused,
        MeshError::NotClosed { boundary_edges: 14, non_manifold_edges: 0, misoriented_edges: 0 }
    );
    assert!(refused.to_string().contains("14 boundary edges"));
}

#[test]
fn a_flipped_face_is_misoriented_on_its_three_edges() {
    let mut faces = TETRAHEDRON;
    faces[2].swap(0, 1);
    let t = Topology::new(&mesh(4, &faces));
    assert_eq!((t.boundary_edges(), t.non_manifold_edges(), t.misoriented_edges()), (0, 0, 3));
    assert!(!t.is_closed());
}

#[test]
fn three_pages_of_a_book_share_a_non_manifold_spine() {
    let t = Topology::new(&mesh(6, &[[0, 1, 2], [1, 0, 3], [0, 1, 4], [1, 0, 5]]));
    assert_eq!((t.boundary_edges(), t.non_manifold_edges(), t.misoriented_edges()), (8, 1, 0));
    let spine = t.edge_between(0, 1).unwrap();
    assert_eq!(t.extra_face_count(spine), 2);
    assert_eq!(t.faces_of_edge(spine).as_slice(), [0, 1, 2, 3]);
    assert_eq!(t.face_across(0, 0), None);
}

#[test]
fn parts_meet_at_vertices_and_are_numbered_by_lowest_face() {
    // Faces 0 and 2 share vertex 2; face 1 stands alone; vertices 5 and 9 are unused.
    let t = Topology::new(&mesh(11, &[[0, 1, 2], [6, 7, 8], [2, 3, 4], [8, 10, 6]]));
    assert_eq!(t.face_parts(), [0, 1, 0, 1]);
    assert_eq!(t.part_count(), 2);
    assert_eq!(t.unreferenced_vertices(), [5, 9]);
    assert_eq!(t.vertex_owner(5), Topology::NONE);
    assert!(t.vertex_faces(9).is_empty() && t.vertex_neighbours(9).is_empty());
}

#[test]
fn two_tetrahedra_tip_to_tip_are_closed_and_pinched() {
    let mut faces = TETRAHEDRON.to_vec();
    faces.extend(TETRAHEDRON.map(|t| t.map(|v| v + 3)));
    faces.push([3, 3, 5]);
    let t = Topology::new(&mesh(7, &faces));
    assert!(t.is_closed());
    assert_eq!((t.part_count(), t.euler_characteristic()), (1, 3));
    assert_eq!(t.pinched_vertices(), [3]);
    let book = Topology::new(&mesh(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]));
    assert!(book.pinched_vertices().is_empty());
}

#[test]
fn a_collapsed_face_is_counted_and_does_not_open_the_surface() {
    let mut faces = TETRAHEDRON.to_vec();
    faces.push([1, 1, 3]);
    faces.push([2, 2, 2]);
    let t = Topology::new(&mesh(4, &faces));
    assert_eq!(t.collapsed_faces(), [4, 5]);
    assert_eq!(t.face_edges()[4], [Topology::NONE; 3]);
    assert_eq!(t.vertex_faces(1), [0, 1, 2, 4]);
    assert_eq!(t.face_across(4, 1), None);
    assert!(t.is_closed());
    assert_eq!(t.euler_characteristic(), 2);
}

proptest! {
    /// Any index soup, however degenerate: every column agrees with a count over all pairs of vertices.
    #[test]
    fn agrees_with_brute_force(faces in prop::collection::vec(prop::array::uniform3(0u32..9), 1..40)) {
        let t = Topology::new(&mesh(9, &faces));
        let solid = |f: &[u32; 3]| f[0] != f[1] && f[1] != f[2] && f[2] != f[0];
        let (mut edges, mut boundary, mut non_manifold, mut misoriented) = (vec![], 0, 0, 0);
        for a in 0..9u32 {
            for b in a + 1..9 {
                let mut at = vec![];
                let mut balance = 0i32;
                for (i, f) in faces.iter().enumerate().filter(|(_, f)| solid(f)) {
                    for s in 0..3 {
                        let ends = (f[s], f[(s + 1) % 3]);
                        if ends == (a, b) || ends == (b, a) {
                            at.push(i as u32);
                            balance += if ends.0 == a { 1 } else { -1 };
                            prop_assert_eq!(t.edges()[t.face_edges()[i][s] as usize], [a, b]);
                        }
                    }
                }
                if at.is_empty() {
                    prop_assert_eq!(t.edge_between(a, b), None);
                    continue;
                }
                boundary += usize::from(at.len() == 1);
                non_manifold += usize::from(at.len() > 2);
                misoriented += usize::from(at.len() == 2 && balance != 0);
                let e = t.edge_between(b, a).unwrap();
                prop_assert_eq!(t.faces_of_edge(e).to_vec(), at.clone());
                prop_assert_eq!(t.edge_owner(e), at[0]);
                edges.push([a, b]);
            }
        }
        prop_assert_eq!(t.edges(), &edges[..]);
        prop_assert_eq!(
            (t.boundary_edges(), t.non_manifold_edges(), t.misoriented_edges()),
            (boundary, non_manifold, misoriented)
        );
        // Parts: spread labels over shared vertices until nothing changes.
        let mut label: Vec<usize> = (0..faces.len()).collect();
        for _ in 0..faces.len() {
            for i in 0..faces.len() {
                for j in 0..faces.len() {
                    if faces[i].iter().any(|v| faces[j].contains(v)) {
                        label[i] = label[i].min(label[j]);
                    }
                }
            }
        }
        for i in 0..faces.len() {
            for j in 0..faces.len() {
                prop_assert_eq!(label[i] == label[j], t.face_parts()[i] == t.face_parts()[j]);
            }
            for &v in &faces[i] {
                prop_assert!(t.vertex_faces(v).contains(&(i as u32)));
            }
        }
        // Fans: faces around v that share another vertex with a neighbour, spread until nothing changes.
        let mut pinched = vec![];
        for v in 0..9u32 {
            let around: Vec<&[u32; 3]> = faces.iter().filter(|f| solid(f) && f.contains(&v)).collect();
            let mut fan: Vec<usize> = (0..around.len()).collect();
            for _ in 0..around.len() {
                for i in 0..around.len() {
                    for j in 0..around.len() {
                        if around[i].iter().any(|w| *w != v && around[j].contains(w)) {
                            fan[i] = fan[i].min(fan[j]);
                        }
                    }
                }
            }
            if fan.iter().any(|&x| x != 0) {
                pinched.push(v);
            }
        }
        prop_assert_eq!(t.pinched_vertices(), pinched);
        for v in 0..9u32 {
            let want: Vec<u32> = (0..9).filter(|&w| t.edge_between(v, w).is_some()).collect();
            prop_assert_eq!(t.vertex_neighbours(v).to_vec(), want);
        }
    }
}
