//! Rays: the tree against brute force, and no gap between neighbours.

use impinge_geometry::{DVec3, TriMesh, cuboid, grid, icosphere, torus};
use impinge_query::{MeshIndex, brute_force};
use proptest::prelude::*;

fn v(a: [i32; 3]) -> DVec3 {
    DVec3::new(a[0].into(), a[1].into(), a[2].into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tree_equals_brute_force(
        points in prop::collection::vec(prop::array::uniform3(-3i32..=3), 3..16),
        triangles in prop::collection::vec(prop::array::uniform3(any::<u32>()), 1..40),
        rays in prop::collection::vec((prop::array::uniform3(-4i32..=4), prop::array::uniform3(-3i32..=3)), 8),
        max in prop::sample::select(vec![0.0, 0.5, 1.0, 2.0, f64::INFINITY]),
        scale in prop::sample::select(vec![1.0, 0.1, 1e-9]),
        far in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let shift = DVec3::new(-far, far, 0.1 * far);
        let place = |p: DVec3| (p + shift) * scale;
        let n = points.len() as u32;
        let mesh = TriMesh::new(
            points.iter().map(|&p| place(v(p))).collect(),
            triangles.iter().map(|t| t.map(|i| i % n)).collect(),
        ).unwrap();
        let index = MeshIndex::new(&mesh);
        for (o, d) in rays {
            let (o, d) = (place(v(o)), v(d) * scale);
            let got = index.ray(o, d, max);
            prop_assert_eq!(got, brute_force::ray(&mesh, o, d, max));
            if let Some(hit) = got {
                prop_assert!((0.0..=max).contains(&hit.t));
                let [a, b, c] = mesh.corners(hit.triangle as usize);
                let [wa, wb, wc] = hit.weights;
                let rounding = 1e-13 * scale * (10.0 + far);
                prop_assert!((a * wa + b * wb + c * wc - (o + d * hit.t)).mag() < rounding);
            }
        }
    }

    #[test]
    fn whoever_aims_at_a_side_or_corner_hits(
        from in prop::array::uniform3(-0.55..0.55f64), far in prop::sample::select(vec![0.0, 1e3]),
        s in 0.0..1.0f64,
    ) {
        // From inside, towards points of the sides and corners, beyond them: there is no way out.
        let o = DVec3::broadcast(far);
        let mesh = icosphere(1.0, 2).unwrap().mapped(|p| p + o).unwrap();
        let index = MeshIndex::new(&mesh);
        let from = DVec3::from(from) + o;
        for t in mesh.triangles() {
            let [a, b, _] = t.map(|i| mesh.positions()[i as usize]);
            for target in [a, a + (b - a) * s, a * 0.5 + b * 0.5] {
                let hit = index.ray(from, target - from, 2.0);
                prop_assert!(hit.is_some_and(|h| (h.t - 1.0).abs() < 1e-12 * (1.0 + far)), "{:?}", hit);
                // A ray that ends there arrives, and one that starts there starts on the surface.
                let end = index.ray(from, target - from, 1.0);
                prop_assert!(end.is_some_and(|h| h.t <= 1.0), "{:?}", end);
                let start = index.ray(target, target - from, 1.0);
                prop_assert!(start.is_some_and(|h| h.t < 1e-12 * (1.0 + far)), "{:?}", start);
            }
        }
    }
}

#[test]
fn both_ends_belong_to_the_ray() {
    let index = MeshIndex::new(&cuboid(DVec3::new(2.0, 2.0, 2.0), [1; 3]).unwrap());
    let x = DVec3::unit_x();
    assert_eq!(index.ray(DVec3::zero(), x, 1.0).unwrap().t, 1.0);
    assert_eq!(index.ray(DVec3::zero(), x, 1.0 - 1e-9), None);
    assert_eq!(index.ray(x, x, 5.0).unwrap().t, 0.0);
    assert_eq!(index.ray(x * 1.001, x, 5.0), None);
    assert_eq!(index.ray(DVec3::zero(), x * 4.0, 9.0).unwrap().t, 0.25);
    // Along a face, in its plane: met at the border.
    assert_eq!(index.ray(DVec3::new(-3.0, 0.3, 1.0), x, 9.0).unwrap().t, 2.0);
    assert_eq!(index.ray(DVec3::new(-3.0, 1.0, 1.0), x, 9.0).unwrap().t, 2.0);
}

#[test]
fn edge_on_and_collapsed_triangles_are_met() {
    let sheet = MeshIndex::new(&grid([2.0, 2.0], [2, 2]).unwrap());
    let hit = sheet.ray(DVec3::new(-5.0, 0.25, 0.0), DVec3::unit_x(), 9.0).unwrap();
    assert_eq!(hit.t, 4.0);
    assert_eq!(sheet.ray(DVec3::new(-5.0, 0.25, 1e-9), DVec3::unit_x(), 9.0), None);
    // From within the sheet, in its plane: it starts on a triangle. Past the sheet, nothing.
    assert_eq!(sheet.ray(DVec3::new(0.3, 0.25, 0.0), DVec3::unit_x(), 0.1).unwrap().t, 0.0);
    assert_eq!(sheet.ray(DVec3::new(1.1, 0.25, 0.0), DVec3::unit_x(), 9.0), None);

    let dot = MeshIndex::new(&TriMesh::new(vec![DVec3::one()], vec![[0; 3]]).unwrap());
    assert_eq!(dot.ray(DVec3::zero(), DVec3::one(), 9.0).unwrap().t, 1.0);
    assert_eq!(dot.ray(DVec3::zero(), DVec3::new(1.0, 1.0, 0.999), 9.0), None);
    let needle = TriMesh::new(vec![DVec3::unit_y(), -DVec3::unit_y()], vec![[0, 1, 0]]).unwrap();
    assert_eq!(MeshIndex::new(&needle).ray(DVec3::new(-1.0, 0.5, 0.0), DVec3::unit_x(), 9.0).unwrap().t, 1.0);
}

/// Found by the property test above: the ray lies in the triangle's plane up to rounding, so the projected
/// triangle is a sliver of pure rounding. Its exact signs said "hit", but the sizes of the predicates' values do
/// not carry that many digits, and the weights made from them named a point a decimetre away.
#[test]
fn a_sliver_of_rounding_has_sound_weights() {
    let place = |x: f64, y: f64, z: f64| DVec3::new(x - 1e6, y + 1e6, z + 1e5) * 0.1;
    let corners = vec![place(-3.0, 0.0, 2.0), place(3.0, 2.0, 0.0), place(1.0, 0.0, -2.0)];
    let index = MeshIndex::new(&TriMesh::new(corners.clone(), vec![[0, 1, 2]]).unwrap());
    let (o, d) = (place(-1.0, 0.0, 0.0), DVec3::new(-1.0, 1.0, 3.0) * 0.1);
    for max in [0.5, 5.0] {
        if let Some(hit) = index.ray(o, d, max) {
            let [wa, wb, wc] = hit.weights;
            let on_triangle = corners[0] * wa + corners[1] * wb + corners[2] * wc;
            assert!((on_triangle - (o + d * hit.t)).mag() < 1e-8, "{hit:?}");
        }
    }
    // The same at the origin, where nothing is rounded: the ray starts on a side.
    let exact = vec![DVec3::new(-3.0, 0.0, 2.0), DVec3::new(3.0, 2.0, 0.0), DVec3::new(1.0, 0.0, -2.0)];
    let index = MeshIndex::new(&TriMesh::new(exact, vec![[0, 1, 2]]).unwrap());
    assert_eq!(index.ray(DVec3::new(-1.0, 0.0, 0.0), DVec3::new(-1.0, 1.0, 3.0), 5.0).unwrap().t, 0.0);
}

#[test]
fn rays_that_lead_nowhere() {
    let index = MeshIndex::new(&torus(1.0, 0.4, 12, 8).unwrap());
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    for (o, d, max) in [
        (DVec3::zero(), DVec3::zero(), 1.0),
        (nan, DVec3::unit_x(), 1.0),
        (DVec3::zero(), nan, 1.0),
        (DVec3::zero(), DVec3::unit_x(), f64::NAN),
        (DVec3::zero(), DVec3::unit_x(), -1.0),
        (DVec3::zero(), DVec3::unit_z(), f64::INFINITY),
    ] {
        assert_eq!(index.ray(o, d, max), None);
    }
}
