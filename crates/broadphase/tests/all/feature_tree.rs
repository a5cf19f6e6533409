//! No missed and no repeated candidate, ever: the lists against brute force, pair for pair.

use impinge_broadphase::{
    CandidateWorkspace, CrossCandidates, FeatureTree, MovingSurface, SelfCandidates, TreeError,
    cross_candidates_brute_force, self_candidates_brute_force, self_triangle_pairs_brute_force,
    triangle_pairs_brute_force,
};
use impinge_geometry::{DVec3, Pose, Topology, TriMesh, grid, icosphere, rotor_from_rotation_vector};
use proptest::prelude::*;

/// A surface with its two frames.
#[derive(Clone, Debug)]
struct Case {
    mesh: TriMesh,
    topology: Topology,
    x1: Vec<DVec3>,
    inflation: f64,
}

impl Case {
    fn new(x0: Vec<DVec3>, triangles: Vec<[u32; 3]>, x1: Vec<DVec3>, inflation: f64) -> Self {
        let mesh = TriMesh::new(x0, triangles).unwrap();
        let topology = Topology::new(&mesh);
        Self { mesh, topology, x1, inflation }
    }

    fn surface(&self) -> MovingSurface<'_> {
        MovingSurface {
            triangles: self.mesh.triangles(),
            topology: &self.topology,
            x0: self.mesh.positions(),
            x1: &self.x1,
            inflation: self.inflation,
        }
    }

    fn tree(&self) -> FeatureTree {
        let mut tree =
            FeatureTree::new(self.mesh.triangles(), &self.topology, self.mesh.positions()).unwrap();
        tree.update(self.mesh.positions(), &self.x1, self.inflation).unwrap();
        tree
    }
}

/// Triangles over few vertices: shared edges and vertices, faces on the same three vertices, faces that name a
/// vertex twice, vertices that no face names. Lattice places: coincident, flat, zero-size.
fn cases(max: usize) -> impl Strategy<Value = Case> {
    let squeeze = prop::sample::select(vec![[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]]);
    let place = prop::sample::select(vec![0.0, 1.0, 1e6]);
    let scale = prop::sample::select(vec![1.0, 1e-9, 1e5]);
    let inflation = prop::sample::select(vec![0.0, 0.125, 0.3]);
    (3usize..60, 1usize..max, any::<bool>(), any::<bool>(), squeeze, place, scale, inflation).prop_flat_map(
        |(n, m, lattice, still, s, place, scale, inflation)| {
            let point = move || {
                (prop::array::uniform3(-8i32..=8), prop::array::uniform3(-1.0..1.0f64)).prop_map(
                    move |(a, b)| {
                        let p: [f64; 3] = std::array::from_fn(|c| {
                            s[c] * if lattice { f64::from(a[c]) * 0.25 } else { 2.0 * b[c] }
                        });
                        (DVec3::from(p) + DVec3::new(place, -place, 0.5 * place)) * scale
                    },
                )
            };
            let corner = 0..n as u32;
            (
                prop::collection::vec(point(), n),
                prop::collection::vec(point(), n),
                prop::collection::vec(prop::array::uniform3(corner), 1..=m),
            )
                .prop_map(move |(x0, x1, triangles)| {
                    let x1 = if still { x0.clone() } else { x1 };
                    Case::new(x0, triangles, x1, inflation * scale)
                })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn self_lists_equal_brute_force(case in cases(90), later in cases(5)) {
        let (mut ws, mut out, mut pairs) = (CandidateWorkspace::new(), SelfCandidates::default(), vec![(7, 7)]);
        let mut tree = case.tree();
        let want = self_candidates_brute_force(&case.surface());
        tree.self_candidates(&mut ws, &mut out);
        prop_assert_eq!(&out, &want);
        let mut unordered = SelfCandidates::default();
        for part in tree.unordered_self_candidates(&mut ws) {
            unordered.vertex_face.extend_from_slice(part.vertex_face);
            unordered.edge_edge.extend_from_slice(part.edge_edge);
        }
        unordered.vertex_face.sort_unstable();
        unordered.edge_edge.sort_unstable();
        prop_assert_eq!(&unordered, &want);
        tree.self_triangle_pairs(&mut ws, &mut pairs);
        prop_assert_eq!(pairs, self_triangle_pairs_brute_force(&case.surface()));
        // A tree and a workspace that have been elsewhere answer the same.
        let there: Vec<DVec3> =
            (0..case.x1.len()).map(|i| later.x1[i * 7 % later.x1.len()] * 3.0).collect();
        tree.update(&there, &there, 0.0).unwrap();
        tree.self_candidates(&mut ws, &mut out);
        tree.update(case.mesh.positions(), &case.x1, case.inflation).unwrap();
        tree.self_candidates(&mut ws, &mut out);
        prop_assert_eq!(&out, &want);
    }

    /// Edges that are left out are missing from the lists, and nothing else is.
    #[test]
    fn lists_without_some_edges(case in cases(90), left_out in 2u32..5) {
        let keep = |e: u32| !e.is_multiple_of(left_out);
        let (mesh, x0) = (&case.mesh, case.mesh.positions());
        let mut tree = FeatureTree::with_edges(mesh.triangles(), &case.topology, x0, keep).unwrap();
        tree.update(x0, &case.x1, case.inflation).unwrap();
        let (mut ws, mut out) = (CandidateWorkspace::new(), SelfCandidates::default());
        let mut want = self_candidates_brute_force(&case.surface());
        want.edge_edge.retain(|&(e, f)| keep(e) && keep(f));
        tree.self_candidates(&mut ws, &mut out);
        prop_assert_eq!(&out, &want);
        prop_assert_eq!(tree.edge_count(), case.topology.edges().len());
    }

    /// Boxes that hold a later motion have a list that holds its pairs, and boxes around two motions those of both.
    #[test]
    fn lists_hold_what_the_boxes_hold(case in cases(60), by in prop::array::uniform3(-0.3..0.3f64)) {
        let x0 = case.mesh.positions();
        let bend = |(i, x): (usize, &DVec3)| *x + DVec3::from(by) * (i % 4) as f64;
        let later: Vec<DVec3> = case.x1.iter().enumerate().map(bend).collect();
        let rounding = |x: &[DVec3]| x.iter().fold(0.0f64, |m, x| m.max(x.abs().component_max())) * 1e-14;
        let rounding = rounding(x0).max(rounding(&case.x1)).max(rounding(&later));
        let mut ws = CandidateWorkspace::new();
        let list = |tree: &FeatureTree, ws: &mut CandidateWorkspace| {
            let mut out = SelfCandidates::default();
            tree.self_candidates(ws, &mut out);
            out
        };
        let brute = |x1: &[DVec3]| {
            self_candidates_brute_force(&MovingSurface { x1, inflation: 0.0, ..case.surface() })
        };
        let holds = |all: &SelfCandidates, some: &SelfCandidates| {
            some.vertex_face.iter().all(|p| all.vertex_face.binary_search(p).is_ok())
                && some.edge_edge.iter().all(|p| all.edge_edge.binary_search(p).is_ok())
        };
        let mut tree = case.tree();
        let beyond = tree.beyond([x0, &later], f64::INFINITY);
        prop_assert!(tree.beyond([x0, &case.x1], 0.0) <= rounding);
        prop_assert!(tree.beyond([x0, &later], 0.5 * beyond) >= 0.5 * beyond);
        tree.update(x0, &case.x1, beyond).unwrap();
        prop_assert!(holds(&list(&tree, &mut ws), &brute(&later)));
        tree.update_around([x0, &case.x1, &later], 0.0).unwrap();
        let both = list(&tree, &mut ws);
        prop_assert!(holds(&both, &brute(&later)) && holds(&both, &brute(&case.x1)));
        prop_assert!(tree.beyond([&later[..]], 0.0) <= rounding);
        tree.update_around([x0, &case.x1, &case.x1], case.inflation).unwrap();
        prop_assert_eq!(list(&tree, &mut ws), list(&case.tree(), &mut ws));
        if !case.mesh.triangles().is_empty() {
            prop_assert!(tree.beyond([&later[1..]], 0.0) == f64::INFINITY);
            let lost = vec![DVec3::broadcast(f64::NAN); later.len()];
            prop_assert!(tree.beyond([&lost[..]], 0.0) == f64::INFINITY);
        }
    }

    #[test]
    fn cross_lists_equal_brute_force(
        a in cases(40), b in cases(40), turn in prop_oneof![Just([0.0; 3]), prop::array::uniform3(-3.0..3.0f64)],
        at in prop::array::uniform3(-4i32..=4), meet in any::<bool>(),
    ) {
        let (mut ws, mut out, mut pairs) = (CandidateWorkspace::new(), CrossCandidates::default(), vec![]);
        let (p, q) = (a.tree(), b.tree());
        p.candidates(&q, &mut ws, &mut out);
        prop_assert_eq!(&out, &cross_candidates_brute_force(&a.surface(), &b.surface(), None));
        let mut unordered = CrossCandidates::default();
        for part in p.unordered_candidates(&q, &mut ws) {
            unordered.vertex_face.extend_from_slice(part.vertex_face);
            unordered.face_vertex.extend_from_slice(part.face_vertex);
            unordered.edge_edge.extend_from_slice(part.edge_edge);
        }
        for list in [&mut unordered.vertex_face, &mut unordered.face_vertex, &mut unordered.edge_edge] {
            list.sort_unstable();
        }
        prop_assert_eq!(&unordered, &out);
        // Under a pose; usually one that brings the two together.
        let rotation = rotor_from_rotation_vector(DVec3::from(turn));
        let jog = DVec3::from(at.map(|c| f64::from(c) * 0.25));
        let position = if meet { p.bounds().centre() - rotation * q.bounds().centre() + jog } else { jog };
        let pose = Pose::new(position, rotation);
        p.candidates_under(&q, &pose, &mut ws, &mut out).unwrap();
        prop_assert_eq!(&out, &cross_candidates_brute_force(&a.surface(), &b.surface(), Some(&pose)));
        for relative in [None, Some(&pose)] {
            p.triangle_pairs(&q, relative, &mut ws, &mut pairs).unwrap();
            prop_assert_eq!(&pairs, &triangle_pairs_brute_force(&a.surface(), &b.surface(), relative));
        }
    }

    /// Boxes hold what the pose does to points, whatever rounding does.
    #[test]
    fn what_touches_under_a_pose_is_found(
        a in cases(20), turn in prop::array::uniform3(-3.0..3.0f64), v in any::<prop::sample::Index>(),
    ) {
        // One triangle of the other body shrunk to the image of a vertex.
        let rotation = rotor_from_rotation_vector(DVec3::from(turn));
        let pose = Pose::new(DVec3::new(0.3, -0.2, 5.0), rotation);
        let corner = a.mesh.triangles()[0][v.index(3)];
        let image = pose.point_to_world(a.mesh.positions()[corner as usize]);
        let dot = Case::new(vec![image; 3], vec![[0, 1, 2]], vec![image; 3], 0.0);
        let mut out = CrossCandidates::default();
        dot.tree().candidates_under(&a.tree(), &pose, &mut CandidateWorkspace::new(), &mut out).unwrap();
        prop_assert!(out.face_vertex.contains(&(0, corner)), "{:?}", out.face_vertex);
    }
}

/// Crumples in steps; the tree follows, is made anew at some point, and stays right.
#[test]
fn a_crumpling_sheet_is_followed() {
    let flat = grid([2.0, 2.0], [24, 24]).unwrap();
    let topology = Topology::new(&flat);
    let mut tree = FeatureTree::new(flat.triangles(), &topology, flat.positions()).unwrap();
    let (mut ws, mut out) = (CandidateWorkspace::new(), SelfCandidates::default());
    let crumple = |k: usize| -> Vec<DVec3> {
        let a = k as f64 * 0.35;
        let f = |i: usize, p: &DVec3| {
            let w = (i as f64 * 12.9898).sin() * 43758.5453;
            let w = w - w.floor();
            DVec3::new(p.x * (1.0 - 0.08 * a) + a * 0.2 * (9.0 * p.y).sin(), p.y, a * (w - 0.5))
                + DVec3::broadcast(a)
        };
        flat.positions().iter().enumerate().map(|(i, p)| f(i, p)).collect()
    };
    let mut found = 0;
    for k in 0..8 {
        let (x0, x1) = (crumple(k), crumple(k + 1));
        tree.update(&x0, &x1, 0.001).unwrap();
        tree.self_candidates(&mut ws, &mut out);
        let surface = MovingSurface {
            triangles: flat.triangles(),
            topology: &topology,
            x0: &x0,
            x1: &x1,
            inflation: 0.001,
        };
        assert_eq!(out, self_candidates_brute_force(&surface), "step {k}");
        found += out.edge_edge.len();
    }
    assert!(found > 10_000, "{found}");
}

/// Triangles that change places with strangers: clusters and nodes grow, and the tree is made anew.
#[test]
fn a_tree_that_grew_loose_is_made_anew() {
    let n = 3000u32;
    let at = |i: u32, step: u32| {
        let place = i.wrapping_mul(2 * step + 1).wrapping_mul(2654435761) % n;
        DVec3::new(f64::from(place % 15), f64::from(place / 15 % 15), f64::from(place / 225))
    };
    let x = |step: u32| -> Vec<DVec3> {
        (0..3 * n)
            .map(|v| at(v / 3, step) + DVec3::new(f64::from(v % 3) * 0.2, f64::from(v % 2) * 0.3, 0.0))
            .collect()
    };
    let triangles: Vec<[u32; 3]> = (0..n).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let case = Case::new(x(0), triangles, x(0), 0.0);
    let mut tree = case.tree();
    assert_eq!(tree.rebuilds(), 0);
    let (mut ws, mut out) = (CandidateWorkspace::new(), SelfCandidates::default());
    for step in 1..4 {
        let now = x(step);
        let refit = tree.update(&now, &now, 0.45).unwrap();
        assert_eq!(refit, impinge_broadphase::Refit::Rebuilt);
        let again = tree.update(&now, &now, 0.45).unwrap();
        assert_eq!(again, impinge_broadphase::Refit::Refitted, "nothing moved since");
        tree.self_candidates(&mut ws, &mut out);
        let fresh = Case {
            x1: now.clone(),
            inflation: 0.45,
            ..Case::new(now.clone(), case.mesh.triangles().to_vec(), now, 0.45)
        };
        let mut want = SelfCandidates::default();
        fresh.tree().self_candidates(&mut CandidateWorkspace::new(), &mut want);
        assert!(out == want && !out.edge_edge.is_empty());
    }
    assert_eq!(tree.rebuilds(), 3);
}

#[test]
fn two_spheres_under_a_pose_and_in_the_world() {
    let ball = icosphere(1.0, 3).unwrap();
    let topology = Topology::new(&ball);
    let tree = FeatureTree::new(ball.triangles(), &topology, ball.positions()).unwrap();
    let pose = Pose::new(DVec3::new(1.9, 0.2, 0.0), rotor_from_rotation_vector(DVec3::new(0.3, 0.2, 0.1)));
    let (mut ws, mut rest, mut world) =
        (CandidateWorkspace::new(), CrossCandidates::default(), CrossCandidates::default());
    tree.candidates_under(&tree, &pose, &mut ws, &mut rest).unwrap();
    let moved: Vec<DVec3> = ball.positions().iter().map(|&p| pose.point_to_world(p)).collect();
    let other = FeatureTree::new(ball.triangles(), &topology, &moved).unwrap();
    tree.candidates(&other, &mut ws, &mut world);
    // The same boxes but for rounding, which tells in no pair here.
    assert_eq!(rest, world);
    assert!(rest.vertex_face.len() > 10 && rest.face_vertex.len() > 10 && rest.edge_edge.len() > 50);
    let apart = Pose::from_position(DVec3::new(2.1, 0.0, 0.0));
    tree.candidates_under(&tree, &apart, &mut ws, &mut rest).unwrap();
    assert_eq!(rest, CrossCandidates::default());
}

/// Trees with one leaf each come out of parry3d as a pair without a check.
#[test]
fn far_single_triangles_do_not_meet() {
    let one = |x: f64| {
        let p = vec![DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 0.0, 0.0), DVec3::new(x, 1.0, 0.0)];
        Case::new(p.clone(), vec![[0, 1, 2]], p, 0.0)
    };
    let mut out = CrossCandidates::default();
    one(0.0).tree().candidates(&one(1.5).tree(), &mut CandidateWorkspace::new(), &mut out);
    assert_eq!(out, CrossCandidates::default());
    one(0.0).tree().candidates(&one(1.0).tree(), &mut CandidateWorkspace::new(), &mut out);
    // Touching counts: vertex 1 of the first meets the other triangle's box; vertices 0 and 2 of the second meet
    // the first one's.
    assert_eq!(out.vertex_face, [(1, 0)]);
    assert_eq!(out.face_vertex, [(0, 0), (0, 2)]);
}

#[test]
fn plain_arrays_and_vectors_give_the_same() {
    let ball = icosphere(1.0, 2).unwrap();
    let topology = Topology::new(&ball);
    let arrays: Vec<[f64; 3]> = ball.positions().iter().map(|&p| p.into()).collect();
    let lists = |tree: &FeatureTree| {
        let mut out = SelfCandidates::default();
        tree.self_candidates(&mut CandidateWorkspace::new(), &mut out);
        out
    };
    let mut a = FeatureTree::new(ball.triangles(), &topology, ball.positions()).unwrap();
    let mut b = FeatureTree::new(ball.triangles(), &topology, &arrays).unwrap();
    a.update(ball.positions(), ball.positions(), 0.1).unwrap();
    b.update(&arrays, &arrays, 0.1).unwrap();
    assert!(lists(&a) == lists(&b) && !lists(&a).vertex_face.is_empty());
}

#[test]
fn sizes_at_the_end_of_f64() {
    for s in [1e-310, 1e-200, 1e200, 1e300, 1.7e308] {
        let p = |x: f64, y: f64, z: f64| DVec3::new(x * s, y * s, z * s);
        let x = vec![
            p(-1.0, 0.0, 0.0),
            p(1.0, 0.0, 0.0),
            p(0.0, 1.0, 0.0),
            p(0.0, 0.0, -1.0),
            p(0.1, 0.1, 1.0),
            p(0.5, 1.0, 1.0),
        ];
        let case = Case::new(x.clone(), vec![[0, 1, 2], [3, 4, 5]], x, if s > 1.0 { 1e307 } else { 0.0 });
        let (mut ws, mut out, mut cross) =
            (CandidateWorkspace::new(), SelfCandidates::default(), CrossCandidates::default());
        case.tree().self_candidates(&mut ws, &mut out);
        assert_eq!(out, self_candidates_brute_force(&case.surface()), "{s}");
        assert!(!out.edge_edge.is_empty());
        case.tree().candidates(&case.tree(), &mut ws, &mut cross);
        assert_eq!(cross, cross_candidates_brute_force(&case.surface(), &case.surface(), None), "{s}");
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let ball = icosphere(1.0, 1).unwrap();
    let topology = Topology::new(&ball);
    let x = ball.positions();
    let mut tree = FeatureTree::new(ball.triangles(), &topology, x).unwrap();
    let lists = |tree: &FeatureTree| {
        let mut out = SelfCandidates::default();
        tree.self_candidates(&mut CandidateWorkspace::new(), &mut out);
        out
    };
    tree.update(x, x, 0.2).unwrap();
    let before = lists(&tree);
    let mut broken = x.to_vec();
    broken[5].y = f64::NAN;
    assert_eq!(tree.update(x, &broken, 0.2), Err(TreeError::NonFinite { vertex: 5 }));
    broken[5].y = f64::INFINITY;
    assert_eq!(tree.update(&broken, x, 0.2), Err(TreeError::NonFinite { vertex: 5 }));
    assert_eq!(
        tree.update(&x[1..], x, 0.0),
        Err(TreeError::Length { given: x.len() - 1, expected: x.len() })
    );
    assert_eq!(tree.update(x, x, -1.0), Err(TreeError::Inflation { distance: -1.0 }));
    assert!(tree.update(x, x, f64::NAN).is_err());
    assert_eq!(lists(&tree), before);
    let nowhere = Pose::from_position(broken[5]);
    let mut out = CrossCandidates { vertex_face: vec![(1, 1)], ..Default::default() };
    let refused = tree.candidates_under(&tree, &nowhere, &mut CandidateWorkspace::new(), &mut out);
    assert_eq!(refused, Err(TreeError::Pose));
    assert!(out.vertex_face.is_empty());
    let other = Topology::new(&icosphere(1.0, 2).unwrap());
    assert!(matches!(FeatureTree::new(ball.triangles(), &other, x), Err(TreeError::OtherTopology { .. })));
    let short = FeatureTree::new(ball.triangles(), &topology, &x[..3]);
    assert!(matches!(short, Err(TreeError::IndexOutOfRange { vertices: 3, .. })));
}
