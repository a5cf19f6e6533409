//! The tree against the loop over all triangles, bit for bit, ties included.

use impinge_geometry::{DVec3, TriMesh, TriangleFeature, icosphere, torus};
use impinge_query::{MeshIndex, brute_force};
use proptest::prelude::*;

/// Triangles between lattice points: coincident, collapsed, flat and zero-size ones are common, ties too.
fn lattice_soup() -> impl Strategy<Value = TriMesh> {
    let point =
        prop::array::uniform3(-3i32..=3).prop_map(|a| DVec3::new(a[0].into(), a[1].into(), a[2].into()));
    let flat =
        prop::sample::select(vec![DVec3::one(), DVec3::new(1.0, 1.0, 0.0), DVec3::unit_y(), DVec3::zero()]);
    (
        prop::collection::vec(point, 3..20),
        prop::collection::vec(prop::array::uniform3(any::<u32>()), 1..60),
        flat,
    )
        .prop_map(|(p, t, flat)| {
            let n = p.len() as u32;
            let p = p.into_iter().map(|v| v * flat).collect();
            TriMesh::new(p, t.into_iter().map(|t| t.map(|i| i % n)).collect()).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tree_equals_brute_force(
        mesh in lattice_soup(),
        points in prop::collection::vec(prop::array::uniform3(-10i32..=10), 8),
        jitter in prop::array::uniform3(-1.0..1.0f64),
        // Jitter of about the width of a tie breaks ties in every possible way.
        amount in prop::sample::select(vec![0.0, 1e-15, 1e-14, 3e-14, 1e-13, 0.3]),
        scale in prop::sample::select(vec![1.0, 0.1, 1e-9, 1e9]),
        far in prop::sample::select(vec![0.0, 1e6]),
        reach in 0.0..2.0f64,
    ) {
        let shift = DVec3::new(far, -0.3 * far, 0.7 * far);
        let mut k = 0.0;
        let mesh = mesh.mapped(|p| {
            k += 1.0;
            (p + DVec3::from(jitter) * (amount * f64::sin(k)) + shift) * scale
        }).unwrap();
        let index = MeshIndex::new(&mesh);
        for p in points {
            let p = DVec3::new(p[0].into(), p[1].into(), p[2].into()) * 0.5;
            let p = (p + DVec3::from(jitter) * amount + shift) * scale;
            let (got, want) = (index.nearest(p), brute_force::nearest(&mesh, p));
            prop_assert_eq!(got, want);
            // The parts fit together.
            let rounding = 1e-15 * scale * (10.0 + far);
            prop_assert!(((got.point - p).mag() - got.distance).abs() <= rounding);
            prop_assert!((got.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15 && got.weights.iter().all(|&w| w >= 0.0));
            let max = reach * scale;
            prop_assert_eq!(index.nearest_within(p, max), Some(want).filter(|n| n.distance <= max));
            prop_assert_eq!(index.nearest_within(p, want.distance), Some(want));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_crowd_of_near_ties_is_sorted_out(
        pick in prop::collection::vec((0usize..30, -1.0..1.0f64), 4..40),
        width in prop::sample::select(vec![1e-15, 1e-14, 3e-14, 1e-13]),
    ) {
        // Points (triangles without size) at distance 3, but for about the width of a tie: which of them count
        // as equal depends on the least, which the search meets at any time.
        let mut sphere = vec![];
        for (x, y, z) in [(3, 0, 0), (1, 2, 2)] {
            for s in 0..8 {
                let sign = |bit: i32, v: i32| f64::from(if s & bit == 0 { v } else { -v });
                for k in 0..3 {
                    let mut p = [sign(1, x), sign(2, y), sign(4, z)];
                    p.rotate_left(k);
                    if !sphere.contains(&p) {
                        sphere.push(p);
                    }
                }
            }
        }
        prop_assert_eq!(sphere.len(), 30);
        let points: Vec<DVec3> = pick.iter().map(|&(k, j)| DVec3::from(sphere[k]) * (1.0 + j * width)).collect();
        let triangles = (0..points.len() as u32).map(|i| [i; 3]).collect();
        let mesh = TriMesh::new(points, triangles).unwrap();
        prop_assert_eq!(MeshIndex::new(&mesh).nearest(DVec3::zero()), brute_force::nearest(&mesh, DVec3::zero()));
    }
}

#[test]
fn a_round_mesh_is_as_far_as_its_radius_says() {
    let mesh = torus(1.0, 0.4, 60, 40).unwrap();
    let index = MeshIndex::new(&mesh);
    for i in 0..500 {
        let t = f64::from(i);
        let p = DVec3::new((1.7 * t).sin() * 1.6, (0.9 * t).cos() * 1.6, (2.3 * t).sin() * 0.7);
        assert_eq!(index.nearest(p), brute_force::nearest(&mesh, p));
        let ring = (p.x * p.x + p.y * p.y).sqrt() - 1.0;
        let exact = (ring * ring + p.z * p.z).sqrt() - 0.4;
        // Chords stay inside the arc by at most r (1 − cos(π/n)), of the tube and of the ring.
        assert!((index.nearest(p).distance - exact.abs()).abs() < 0.4 * 0.0031 + 1.4 * 0.0014, "{p:?}");
    }
}

#[test]
fn of_many_equals_the_first_is_named() {
    let p = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
    let index = MeshIndex::new(&TriMesh::new(p, vec![[0, 1, 2]; 10_000]).unwrap());
    let n = index.nearest(DVec3::new(0.2, 0.2, 3.0));
    assert_eq!((n.triangle, n.distance, n.feature), (0, 3.0, TriangleFeature::Face));

    // Above each vertex of a sphere five or six triangles tie.
    let sphere = icosphere(1.0, 2).unwrap();
    let index = MeshIndex::new(&sphere);
    for (v, &p) in sphere.positions().iter().enumerate() {
        let n = index.nearest(p * 1.5);
        let first = sphere.triangles().iter().position(|t| t.contains(&(v as u32))).unwrap();
        assert_eq!(n.triangle as usize, first);
        assert!(matches!(n.feature, TriangleFeature::Vertex(_)));
        assert_eq!(n.point, p);
    }
}

#[test]
fn strange_questions_have_answers() {
    let mesh = icosphere(1.0, 1).unwrap();
    let index = MeshIndex::new(&mesh);
    for bad in [f64::NAN, f64::INFINITY] {
        let p = DVec3::new(bad, 0.0, 0.0);
        let n = index.nearest(p);
        assert_eq!(n, brute_force::nearest(&mesh, p));
        assert!(n.distance == f64::INFINITY && n.triangle == 0 && n.point.x.is_finite());
        assert_eq!(index.nearest_within(p, 1e9), None);
        assert_eq!((index.winding(p), index.inside(p), index.penetration(p)), (0, false, None));
    }
    assert_eq!(index.nearest_within(DVec3::zero(), f64::NAN), None);
    assert_eq!(index.nearest_within(DVec3::zero(), -1.0), None);
    assert_eq!(index.nearest_within(DVec3::zero(), f64::INFINITY), Some(index.nearest(DVec3::zero())));
    let far = index.nearest(DVec3::new(1e200, 0.0, 0.0));
    assert!(!far.distance.is_nan() && far.weights.iter().all(|w| w.is_finite()));

    // A single point of a mesh.
    let dot = MeshIndex::new(&TriMesh::new(vec![DVec3::one()], vec![[0; 3]]).unwrap());
    assert_eq!(dot.nearest(DVec3::zero()).distance, 3f64.sqrt());
    assert!(!dot.inside(DVec3::one()));
}

#[test]
fn the_nearest_of_some_triangles_is_that_of_a_mesh_of_these_alone() {
    let mesh = torus(1.0, 0.4, 14, 9).unwrap();
    let index = MeshIndex::new(&mesh);
    let up = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).z > 0.0;
    let kept: Vec<u32> =
        (0..mesh.triangles().len() as u32).filter(|&t| up(&mesh.corners(t as usize))).collect();
    let part = kept.iter().map(|&t| mesh.triangles()[t as usize]).collect();
    let part = TriMesh::new(mesh.positions().to_vec(), part).unwrap();
    let mut elsewhere = 0;
    for i in 0..500 {
        let at = |k: f64| 1.5 * (f64::from(i) * k + k).sin();
        let p = DVec3::new(at(1.3), at(2.7), 0.5 * at(0.9));
        let want = brute_force::nearest(&part, p);
        let got = index.nearest_where(p, f64::INFINITY, up).unwrap();
        assert!((got.distance - want.distance).abs() < 1e-12 && kept.contains(&got.triangle), "{p:?}");
        assert!((got.point - want.point).mag() < 1e-12);
        elsewhere += usize::from(index.nearest(p).triangle != got.triangle);
        assert_eq!(index.nearest_where(p, want.distance * (1.0 - 1e-9), up), None);
        assert_eq!(index.nearest_where(p, want.distance * (1.0 + 1e-9), up), Some(got));
    }
    assert!(elsewhere > 100, "{elsewhere}");
    assert_eq!(index.nearest_where(DVec3::zero(), f64::INFINITY, |_| false), None);
    assert_eq!(index.nearest_where(DVec3::new(f64::NAN, 0.0, 0.0), 1.0, up), None);
}
