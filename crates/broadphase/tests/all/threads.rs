//! The same lists from any number of threads; with the feature `parallel` this exercises the chunks.

use impinge_broadphase::{CandidateWorkspace, CrossCandidates, FeatureTree, SelfCandidates};
use impinge_geometry::{DVec3, Pose, Topology, grid};

#[test]
fn lists_do_not_depend_on_the_number_of_threads() {
    let sheet = grid([2.0, 2.0], [150, 150]).unwrap();
    let topology = Topology::new(&sheet);
    let fold = |a: f64| -> Vec<DVec3> {
        let f = |p: &DVec3| DVec3::new(p.x.abs(), p.y, 0.01 * (30.0 * p.x).sin() + a * p.x);
        sheet.positions().iter().map(f).collect()
    };
    let mut tree = FeatureTree::new(sheet.triangles(), &topology, sheet.positions()).unwrap();
    tree.update(&fold(0.0), &fold(0.02), 0.005).unwrap();
    let lists = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut own, mut cross, mut pairs) =
                (SelfCandidates::default(), CrossCandidates::default(), Vec::new());
            let mut workspace = CandidateWorkspace::new();
            tree.self_triangle_pairs(&mut workspace, &mut pairs);
            let pose = Pose::from_position(DVec3::new(0.3, 0.1, 0.01));
            tree.candidates_under(&tree, &pose, &mut workspace, &mut cross).unwrap();
            tree.self_candidates(&mut workspace, &mut own);
            let mut quick = Vec::new();
            tree.self_triangle_pairs_unsorted(&mut workspace, &mut quick);
            (own, cross, pairs, quick)
        })
    };
    let one = lists(1);
    assert!(one.3.len() >= one.2.len() && one.2.len() > 100_000);
    assert!(one.0.edge_edge.len() > 100_000 && one.1.edge_edge.len() > 100_000);
    for threads in [2, 8] {
        assert!(lists(threads) == one, "{threads} threads");
    }
}
