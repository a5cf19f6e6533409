//! Trees of lines: the segments that join positions in a row.

use impinge_broadphase::{Aabb, CandidateWorkspace, CrossCandidates, FeatureTree, SelfCandidates, TreeError};
use impinge_geometry::{DVec3, Topology, grid};

fn coil(segments: u32, at: f64) -> Vec<DVec3> {
    let on = |i: u32| f64::from(i) * 0.37;
    (0..=segments).map(|i| DVec3::new(on(i).sin(), on(i).cos(), at + 0.01 * on(i))).collect()
}

fn boxes(x: &[DVec3], grow: f64) -> Vec<Aabb> {
    x.windows(2).map(|s| Aabb::from_points(s).inflated(grow)).collect()
}

#[test]
fn segments_meet_where_their_boxes_do_and_neighbours_do_not() {
    for segments in [1u32, 2, 11, 12, 13, 200] {
        let x = coil(segments, 0.0);
        let mut tree = FeatureTree::line(&x).unwrap();
        tree.update(&x, &x, 0.05).unwrap();
        let mut found = SelfCandidates::default();
        tree.self_candidates(&mut CandidateWorkspace::new(), &mut found);
        let b = boxes(&x, 0.05);
        let meet = |&(i, j): &(u32, u32)| b[i as usize].overlaps(&b[j as usize]);
        let all = (0..segments).flat_map(|i| (i + 2..segments).map(move |j| (i, j)));
        assert_eq!(found.edge_edge, all.filter(meet).collect::<Vec<_>>(), "{segments}");
        assert_eq!(tree.edge_count(), segments as usize);
    }
}

#[test]
fn a_line_meets_a_sheet_by_its_segments_and_positions() {
    let x = coil(60, -0.1);
    let sheet = grid([2.0, 2.0], [9, 7]).unwrap();
    let topology = Topology::new(&sheet);
    let on = FeatureTree::new(sheet.triangles(), &topology, sheet.positions()).unwrap();
    let line = FeatureTree::line(&x).unwrap();
    let mut found = CrossCandidates::default();
    line.candidates(&on, &mut CandidateWorkspace::new(), &mut found);
    let place = |v: u32| sheet.positions()[v as usize];
    let (mut edges, mut faces) = (Vec::new(), Vec::new());
    for (i, s) in (0..).zip(boxes(&x, 0.0)) {
        let meets = |e: &[u32; 2]| Aabb::from_points(&e.map(place)).overlaps(&s);
        edges.extend((0..).zip(topology.edges()).filter(|(_, e)| meets(e)).map(|(e, _)| (i, e)));
    }
    for (i, p) in (0..).zip(&x) {
        let holds = |f: &[u32; 3]| Aabb::from_points(&f.map(place)).contains(*p);
        faces.extend((0..).zip(sheet.triangles()).filter(|(_, f)| holds(f)).map(|(f, _)| (i, f)));
    }
    assert_eq!((found.edge_edge, found.vertex_face), (edges, faces));
}

#[test]
fn lines_of_nothing_have_no_segments_and_bad_places_are_refused() {
    for x in [vec![], vec![DVec3::zero()]] {
        let tree = FeatureTree::line(&x).unwrap();
        let mut found = SelfCandidates::default();
        tree.self_candidates(&mut CandidateWorkspace::new(), &mut found);
        assert!(found.edge_edge.is_empty() && tree.edge_count() == 0);
    }
    let lost = [DVec3::zero(), DVec3::new(f64::NAN, 0.0, 0.0)];
    assert_eq!(FeatureTree::line(&lost).err(), Some(TreeError::NonFinite { vertex: 1 }));
}
