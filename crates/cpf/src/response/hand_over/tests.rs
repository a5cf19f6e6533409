use super::*;

/// A ridge along x of two edges, and across it, 1 mm below where it should be, an edge beyond the first of them.
/// Edges are numbered as the keys ask; `keel` is the number of the one across.
fn handed(keel: usize) -> (Vec<DVec3>, TrackedRow) {
    let x = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.1, -1.0, -1e-3), (1.1, 1.0, -1e-3)];
    let x: Vec<DVec3> = x.iter().map(|p| DVec3::new(p.0, p.1, p.2)).collect();
    let mut edges = vec![[0, 1], [1, 2]];
    edges.insert(keel, [3, 4]);
    let mut faces = Faces { edges: edges.clone(), ..Faces::default() };
    faces.gather_edges(x.len());
    assert_eq!(faces.edges_at.of(1).len(), 2);
    let none = Tracked::default();
    let on = Ground { x: &x, faces: &faces, opposes: &|_, _, _| true };

    let (first, second) = if keel == 0 { (0, 1) } else { (0, keel) };
    let [[a, b], [c, d]] = [edges[first], edges[second]];
    let stencil = [a, b, c, d];
    let p = stencil.map(|v| x[v as usize]);
    let at = crossing(&p).unwrap();
    // Where it was a moment ago, at the vertex.
    let weight = if keel == 0 { [0.5, 0.5, 0.0, -1.0] } else { [0.0, 1.0, -0.5, -0.5] };
    // The keel belongs above.
    let up = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, 1, &weight).z;
    let side = if (up < 0.0) == (keel == 0) { -1 } else { 1 };
    let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
    let at_first = first_point(Kind::EdgeEdge, &p, &weight);
    let frame = FeatureFrame::new(Kind::EdgeEdge, &p, n).unwrap();
    let anchor = frame.to(&weight, at_first - DVec3::new(3e-4, -2e-4, 0.0)).unwrap();
    let key = edge_edge_key(first as u32, second as u32);
    let row =
        TrackedRow { anchor, grip: SlipState::Static, ..TrackedRow::opened(key, stencil, side, weight, 1e4) };
    let mut over = HandOver::default();
    over.begin();
    over.leaves(&row, at, n, &on);
    let mut stayed = Tracked::default();
    over.finish(&none, &on, &mut stayed);
    assert_eq!(stayed.len(), 1, "edge {keel} is across");
    assert!(over.left[0].next(&stayed, &on).is_none(), "it is in contact already");
    (x, stayed.row(0))
}

#[test]
fn a_contact_goes_on_with_its_normal_its_depth_and_its_friction_however_the_edges_are_numbered() {
    for (keel, key) in [(0, (0, 2)), (1, (1, 2)), (2, (1, 2))] {
        let (x, after) = handed(keel);
        assert_eq!(edges_of(after.key), key);
        let p = after.stencil.map(|v| x[v as usize]);
        let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, after.side, &after.weight);
        let gap = (0..4).map(|i| p[i] * after.weight[i]).fold(DVec3::zero(), |s, q| s + q).dot(n);
        assert!((gap + 1e-3).abs() < 1e-12, "edge {keel} is across: gap {gap} m");
        assert_eq!(after.grip, SlipState::Static);
        let stretch = first_point(Kind::EdgeEdge, &p, &after.weight)
            - FeatureFrame::new(Kind::EdgeEdge, &p, n).unwrap().from(&after.weight, after.anchor).unwrap();
        // With the keel in the middle the ridge was first and is second.
        let turned = if keel == 1 { -1.0 } else { 1.0 };
        let wanted = DVec3::new(3e-4, -2e-4, 0.0) * turned;
        assert!((stretch - wanted).mag() < 1e-12, "edge {keel} is across: {stretch:?}");
    }
}
