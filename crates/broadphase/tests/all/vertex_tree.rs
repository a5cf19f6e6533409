//! No missed candidate, ever: the tree against brute force, bit for bit.

use impinge_broadphase::{Aabb, VertexTree, below_plane_brute_force, candidates_brute_force};
use impinge_geometry::{DRotor3, DVec3, Pose, rotor_from_rotation_vector};
use proptest::prelude::*;

fn points() -> impl Strategy<Value = Vec<DVec3>> {
    // Lattice points coincide and line up; a squeezed axis makes them flat; a squeezed pair, a line.
    let lattice = prop::array::uniform3(-4i32..=4).prop_map(|a| a.map(|c| f64::from(c) * 0.25));
    let free = prop::array::uniform3(-1.0..1.0f64);
    let squeeze = prop::sample::select(vec![[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]]);
    (prop_oneof![prop::collection::vec(lattice, 0..120), prop::collection::vec(free, 0..120)], squeeze)
        .prop_map(|(v, s)| v.iter().map(|p| DVec3::new(p[0] * s[0], p[1] * s[1], p[2] * s[2])).collect())
}

fn poses() -> impl Strategy<Value = Pose> {
    let turn = prop_oneof![Just([0.0; 3]), prop::array::uniform3(-3.0..3.0f64)];
    (turn, prop::array::uniform3(-4i32..=4)).prop_map(|(w, p)| {
        let p = p.map(|c| f64::from(c) * 0.25);
        Pose::new(DVec3::from(p), rotor_from_rotation_vector(DVec3::from(w)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn candidates_equal_brute_force(
        rest in points(), pose in poses(),
        lo in prop::array::uniform3(-4i32..=4), size in prop::array::uniform3(0i32..=4),
        far in prop::sample::select(vec![0.0, 1e6]),
        rest_far in prop::sample::select(vec![0.0, 1e6]),
        scale in prop::sample::select(vec![1.0, 1e-9, 1e5]),
    ) {
        // The body stands at `far`, its vertices `rest_far` from its own origin; sizes vary by `scale`.
        let v = |a: [i32; 3]| DVec3::new(a[0].into(), a[1].into(), a[2].into()) * 0.25;
        let shift = DVec3::new(rest_far, -rest_far, 0.5 * rest_far) * scale;
        let rest: Vec<DVec3> = rest.iter().map(|&p| p * scale + shift).collect();
        let at = DVec3::new(-far, far, far) * scale;
        let image = pose.rotation * shift;
        let pose = Pose { position: pose.position * scale + at - image, rotation: pose.rotation };
        let other = Aabb::new(v(lo) * scale + at, (v(lo) + v(size)) * scale + at);
        let tree = VertexTree::new(&rest);
        let (mut got, mut want) = (vec![7], vec![]);
        tree.candidates(&pose, &other, &mut got);
        candidates_brute_force(&rest, &pose, &other, &mut want);
        prop_assert_eq!(&got, &want);
        // A box that just touches one image must give that vertex.
        for (i, &p) in rest.iter().enumerate().take(5) {
            let q = pose.point_to_world(p);
            tree.candidates(&pose, &Aabb::new(q, q), &mut got);
            prop_assert!(got.contains(&(i as u32)));
        }
    }

    #[test]
    fn below_plane_equals_brute_force(
        rest in points(), pose in poses(), normal in prop::array::uniform3(-2i32..=2),
        offset in -6i32..6, far in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let n = DVec3::new(normal[0].into(), normal[1].into(), normal[2].into());
        let pose = Pose { position: pose.position + DVec3::broadcast(far), rotation: pose.rotation };
        let offset = f64::from(offset) * 0.25 + n.dot(DVec3::broadcast(far));
        let tree = VertexTree::new(&rest);
        let (mut got, mut want) = (vec![7], vec![]);
        tree.below_plane(&pose, n, offset, &mut got);
        below_plane_brute_force(&rest, &pose, n, offset, &mut want);
        prop_assert_eq!(&got, &want);
        for (i, &p) in rest.iter().enumerate().take(5) {
            tree.below_plane(&pose, n, n.dot(pose.point_to_world(p)), &mut got);
            prop_assert!(got.contains(&(i as u32)));
        }
    }
}

/// A grid of `n × n` points, unit spacing.
fn sheet(n: usize) -> Vec<DVec3> {
    (0..n * n).map(|i| DVec3::new((i % n) as f64, (i / n) as f64, 0.0)).collect()
}

#[test]
fn a_large_flat_sheet() {
    let rest = sheet(150);
    let tree = VertexTree::new(&rest);
    let (mut got, mut want) = (vec![], vec![]);
    for k in 0..40 {
        let w = DVec3::new(0.3, -0.2, 0.1) * f64::from(k);
        let pose = Pose::new(DVec3::new(-70.0, -60.0, f64::from(k - 20)), rotor_from_rotation_vector(w));
        let other = Aabb::new(DVec3::broadcast(-12.0), DVec3::broadcast(12.0));
        tree.candidates(&pose, &other, &mut got);
        candidates_brute_force(&rest, &pose, &other, &mut want);
        assert_eq!(got, want);
        tree.below_plane(&pose, DVec3::new(0.1, 0.2, 1.0), -9.0, &mut got);
        below_plane_brute_force(&rest, &pose, DVec3::new(0.1, 0.2, 1.0), -9.0, &mut want);
        assert_eq!(got, want);
    }
}

#[test]
fn odd_input_gives_ordinary_answers() {
    let everything = Aabb::new(DVec3::broadcast(f64::NEG_INFINITY), DVec3::broadcast(f64::INFINITY));
    let mut out = vec![3];
    let none = VertexTree::new(&[]);
    none.candidates(&Pose::identity(), &everything, &mut out);
    assert!(out.is_empty());
    none.below_plane(&Pose::identity(), DVec3::unit_z(), 1e9, &mut out);
    assert!(out.is_empty());

    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    let tree = VertexTree::new(&[nan, DVec3::zero(), DVec3::new(1e300, 0.0, 0.0)]);
    tree.candidates(&Pose::identity(), &everything, &mut out);
    assert_eq!(out, [1, 2]);
    tree.candidates(&Pose::identity(), &Aabb::empty(), &mut out);
    assert!(out.is_empty());
    tree.candidates(&Pose::from_position(nan), &everything, &mut out);
    assert!(out.is_empty(), "a pose without a place puts no vertex anywhere");

    let same = VertexTree::new(&vec![DVec3::one(); 10_000]);
    same.candidates(&Pose::identity(), &Aabb::new(DVec3::one(), DVec3::one()), &mut out);
    assert!(out.iter().copied().eq(0..10_000));

    // A rotor that is not unit scales; the answer still equals brute force.
    let stretch = Pose { position: DVec3::zero(), rotation: DRotor3::identity() * 1.2 };
    let rest = sheet(20);
    let other = Aabb::new(DVec3::broadcast(10.0), DVec3::broadcast(40.0))
        .union(&Aabb::new(DVec3::new(10.0, 10.0, 0.0), DVec3::new(10.0, 10.0, 0.0)));
    let mut want = vec![];
    VertexTree::new(&rest).candidates(&stretch, &other, &mut out);
    candidates_brute_force(&rest, &stretch, &other, &mut want);
    assert_eq!(out, want);
    assert!(!want.is_empty());
}
