//! Two meshes against all pairs of triangles, closed forms and the windings of many points.

use impinge_geometry::{
    DVec3, Pose, TriMesh, closest_between_segments, closest_on_triangle, cuboid, icosphere,
    rotor_from_rotation_vector,
};
use impinge_query::{
    MeshIndex, PoseError, Relation, distance, overlapping, relation, relation_of_separate, touching,
    triangles_meet,
};
use proptest::prelude::*;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| v(x, y, z))
}

fn whole() -> impl Strategy<Value = DVec3> {
    (-2i8..3, -2i8..3, -2i8..3).prop_map(|(x, y, z)| v(x.into(), y.into(), z.into()))
}

/// Open surfaces of any shape; on a grid many triangles are coplanar, collapsed or coincide.
fn soup(corner: impl Strategy<Value = DVec3>) -> impl Strategy<Value = TriMesh> {
    (prop::collection::vec(corner, 3..12), prop::collection::vec(prop::array::uniform3(0u32..12), 1..24))
        .prop_map(|(x, t)| {
            let n = x.len() as u32;
            TriMesh::new(x, t.into_iter().map(|t| t.map(|i| i % n)).collect()).unwrap()
        })
}

fn world(m: &TriMesh, pose: &Pose) -> Vec<[DVec3; 3]> {
    (0..m.triangles().len()).map(|t| m.corners(t).map(|p| pose.point_to_world(p))).collect()
}

/// Least distance of the features of all pairs that do not meet; 0 where one does.
fn brute(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> f64 {
    let mut least = f64::INFINITY;
    for s in a {
        for t in b {
            if triangles_meet(s, t) {
                return 0.0;
            }
            // Far from the origin the oracle, too, would lose digits.
            let (s, t) = (s.map(|p| p - s[0]), t.map(|p| p - s[0]));
            for i in 0..3 {
                let ends = [closest_on_triangle(s[i], t), closest_on_triangle(t[i], s)];
                least = ends.iter().map(|c| c.distance_squared).fold(least, f64::min);
                for j in 0..3 {
                    let c = closest_between_segments([s[i], s[(i + 1) % 3]], [t[j], t[(j + 1) % 3]]);
                    least = least.min(c.distance_squared);
                }
            }
        }
    }
    least.sqrt()
}

fn check(a: &TriMesh, pose_a: &Pose, b: &TriMesh, pose_b: &Pose) {
    let (ia, ib) = (MeshIndex::new(a), MeshIndex::new(b));
    let (wa, wb) = (world(a, pose_a), world(b, pose_b));
    let near = distance(&ia, pose_a, &ib, pose_b).unwrap();
    let wanted = brute(&wa, &wb);
    assert!((near.distance - wanted).abs() <= 1e-14 * (1.0 + wanted), "{near:?} {wanted}");
    assert!(((near.points[0] - near.points[1]).mag() - wanted).abs() < 1e-9 * (1.0 + pose_a.position.mag()));
    let meets = wanted == 0.0;
    assert_eq!(near.distance == 0.0, meets);
    assert_eq!(touching(&ia, pose_a, &ib, pose_b).unwrap(), meets);
    let lie = relation(&ia, pose_a, &ib, pose_b).unwrap();
    assert_eq!(matches!(lie, Relation::Touching { .. } | Relation::Crossing { .. }), meets);
    assert_eq!(overlapping(&ia, pose_a, &ib, pose_b).unwrap(), lie.overlaps());
    if !meets {
        assert_eq!(relation_of_separate(&ia, pose_a, &ib, pose_b).unwrap(), lie);
    }
    if let Relation::Touching { triangles: [s, t], .. } | Relation::Crossing { triangles: [s, t], .. } = lie {
        assert!(triangles_meet(&wa[s as usize], &wb[t as usize]));
    }
    // Turned round.
    let back = distance(&ib, pose_b, &ia, pose_a).unwrap();
    assert!((back.distance - near.distance).abs() <= 1e-14 * (1.0 + wanted));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn random_surfaces_at_random_poses(
        a in soup(vector(1.0)), b in soup(vector(1.0)), p in vector(4.0), w in vector(3.0), far in prop::sample::select(vec![0.0, 1e5]),
    ) {
        let o = DVec3::broadcast(far);
        check(&a, &Pose::new(o + p, rotor_from_rotation_vector(w)), &b, &Pose::new(o, rotor_from_rotation_vector(-w * 0.3)));
    }

    #[test]
    fn surfaces_on_a_grid(a in soup(whole()), b in soup(whole()), p in whole()) {
        check(&a, &Pose::from_position(p), &b, &Pose::identity());
    }

    /// Two boxes by their closed form: the gap along each axis.
    #[test]
    fn boxes_side_by_side(p in whole(), n in prop::array::uniform3(1u32..4), m in prop::array::uniform3(1u32..4)) {
        let (a, b) = (cuboid(v(2.0, 1.0, 3.0), n).unwrap(), cuboid(v(1.0, 1.0, 2.0), m).unwrap());
        let at = v(p.x * 1.5, p.y, p.z * 2.5);
        let gap = at.abs() - v(1.5, 1.0, 2.5);
        let (ia, ib) = (MeshIndex::new(&a), MeshIndex::new(&b));
        let (here, there) = (Pose::identity(), Pose::from_position(at));
        let most = gap.component_max();
        let lie = relation(&ia, &here, &ib, &there).unwrap();
        if most > 0.0 {
            prop_assert_eq!(lie, Relation::Apart);
            let d = gap.max_by_component(DVec3::zero()).mag();
            prop_assert!((distance(&ia, &here, &ib, &there).unwrap().distance - d).abs() < 1e-14);
        } else if most == 0.0 {
            let touches = matches!(lie, Relation::Touching { .. });
            prop_assert!(touches, "{:?}", lie);
        } else {
            prop_assert!(lie.overlaps(), "{:?}", lie);
        }
    }
}

#[test]
fn one_inside_the_other_also_by_parts() {
    let large = icosphere(1.0, 3).unwrap();
    let small = icosphere(0.2, 1).unwrap();
    let far = small.mapped(|p| p + v(5.0, 0.0, 0.0)).unwrap();
    // The second part is the one inside.
    let both = TriMesh::joined(&[&far, &small]).unwrap();
    let (l, s) = (MeshIndex::new(&large), MeshIndex::new(&both));
    let here = Pose::identity();
    assert!(matches!(relation(&s, &here, &l, &here).unwrap(), Relation::Inside { inner: 0, .. }));
    assert!(matches!(relation(&l, &here, &s, &here).unwrap(), Relation::Inside { inner: 1, .. }));
    assert!(overlapping(&l, &here, &s, &here).unwrap() && !touching(&l, &here, &s, &here).unwrap());
    // An open mesh holds nothing.
    let open = TriMesh::new(large.positions().to_vec(), large.triangles()[1..].to_vec()).unwrap();
    let o = MeshIndex::new(&open);
    assert!(l.is_closed() && !o.is_closed());
    assert_eq!(relation(&s, &here, &o, &here).unwrap(), Relation::Apart);
    // What lies inside an open mesh's box and in a closed mesh is inside the closed one.
    assert!(matches!(
        relation(&o, &here, &l, &Pose::from_position(v(9.0, 0.0, 0.0))).unwrap(),
        Relation::Apart
    ));
}

#[test]
fn an_answer_does_not_depend_on_the_tree() {
    let (a, b) = (icosphere(1.0, 4).unwrap(), cuboid(v(1.0, 2.0, 1.5), [6; 3]).unwrap());
    let squeezed = a.mapped(|p| v(p.x * 0.01, p.z, p.y)).unwrap();
    let mut refitted = MeshIndex::new(&squeezed);
    refitted.update(a.positions()).unwrap();
    let (fresh, other) = (MeshIndex::new(&a), MeshIndex::new(&b));
    for i in 0..40 {
        let k = f64::from(i);
        let pose = Pose::new(
            v(k.sin(), k.cos(), 0.2) * (1.2 + 0.05 * k),
            rotor_from_rotation_vector(v(0.3, k, 0.1)),
        );
        let ask = |index: &MeshIndex| {
            let here = Pose::identity();
            (distance(index, &pose, &other, &here).unwrap(), relation(index, &pose, &other, &here).unwrap())
        };
        assert_eq!(ask(&fresh), ask(&refitted));
    }
}

#[test]
fn poses_that_are_none_are_refused() {
    let index = MeshIndex::new(&cuboid(DVec3::one(), [1; 3]).unwrap());
    let (good, nan) = (Pose::identity(), Pose::from_position(v(0.0, f64::NAN, 0.0)));
    let long = Pose { rotation: good.rotation * 2.0, ..good };
    let not_finite = PoseError::NotFinite { mesh: 1 };
    assert_eq!(distance(&index, &good, &index, &nan), Err(not_finite));
    assert_eq!(overlapping(&index, &good, &index, &nan), Err(not_finite));
    assert_eq!(touching(&index, &long, &index, &good), Err(PoseError::NotUnit { mesh: 0 }));
    assert_eq!(relation(&index, &long, &index, &good), Err(PoseError::NotUnit { mesh: 0 }));
}
