//! A search that would fill the memory stops at its limit and says what it left out.

use impinge_broadphase::{CandidateWorkspace, FeatureTree};
use impinge_geometry::{DVec3, Topology, grid};

#[test]
fn leaf_pairs_beyond_the_limit_are_counted() {
    let mesh = grid([1.0, 1.0], [24, 24]).unwrap();
    let (x, t) = (mesh.positions(), mesh.triangles());
    let topology = Topology::new(&mesh);
    let mut tree = FeatureTree::new(t, &topology, x).unwrap();
    // Everything near everything.
    tree.update(x, x, 2.0).unwrap();
    let mut other = FeatureTree::new(t, &topology, x).unwrap();
    let above: Vec<DVec3> = x.iter().map(|p| *p + DVec3::new(0.0, 0.0, 0.1)).collect();
    other.update(&above, &above, 2.0).unwrap();

    let count = |w: &mut CandidateWorkspace, own: bool| -> (usize, u64) {
        let n = match own {
            true => tree.unordered_self_candidates(w).map(|p| p.vertex_face.len() + p.edge_edge.len()).sum(),
            false => {
                tree.unordered_candidates(&other, w).map(|p| p.vertex_face.len() + p.edge_edge.len()).sum()
            }
        };
        (n, w.left_out())
    };
    for own in [true, false] {
        let (whole, none) = count(&mut CandidateWorkspace::new(), own);
        assert_eq!(none, 0);
        let mut narrow = CandidateWorkspace::with_limit(10);
        let (part, left) = count(&mut narrow, own);
        assert!(part < whole && left > 0, "{part} of {whole}, {left} left out");
        // As many as there are: nothing is left out.
        let all = 10 + left as usize;
        assert_eq!(count(&mut CandidateWorkspace::with_limit(all), own), (whole, 0));
        assert_eq!(count(&mut CandidateWorkspace::with_limit(all - 1), own).1, 1);
    }
}
