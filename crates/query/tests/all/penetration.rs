//! Depth and way out: closed forms on boxes, finite differences elsewhere, and the places without a direction.

use impinge_geometry::{DVec3, TriMesh, TriangleFeature, cuboid, icosphere, l_shape};
use impinge_query::MeshIndex;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_box_is_left_through_its_nearest_face(
        p in prop::array::uniform3(-0.999..0.999f64), far in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let half = DVec3::new(1.0, 1.5, 2.0);
        let o = DVec3::new(far, -far, far);
        let index = MeshIndex::new(&cuboid(half * 2.0, [2, 3, 1]).unwrap().mapped(|v| v + o).unwrap());
        let p = DVec3::from(p) * half;
        let gaps = [1.0 - p.x.abs(), 1.5 - p.y.abs(), 2.0 - p.z.abs()];
        let k = (0..3).min_by(|&i, &j| gaps[i].total_cmp(&gaps[j])).unwrap();
        prop_assume!((0..3).all(|j| j == k || gaps[j] - gaps[k] > 1e-3));
        let got = index.penetration(p + o).unwrap();
        let rounding = 1e-14 + 1e-15 * far;
        prop_assert!((got.depth - gaps[k]).abs() < rounding);
        let mut n = DVec3::zero();
        n[k] = p[k].signum();
        prop_assert!((got.normal - n).mag() < 4.0 * rounding / gaps[k] + 1e-14);
        prop_assert!((got.closest - o - (p + n * gaps[k])).mag() < 4.0 * rounding);
        prop_assert!(got.unique);
    }

    #[test]
    fn the_normal_is_minus_the_gradient_of_the_depth(
        p in prop::array::uniform3(-1.0..1.0f64), which in 0usize..2,
    ) {
        let mesh = [l_shape(DVec3::new(2.0, 2.0, 1.0), 0.7).unwrap(), icosphere(1.0, 2).unwrap()][which].clone();
        let (lo, hi) = mesh.bounds();
        let p = (lo + hi) * 0.5 + DVec3::from(p) * (hi - lo) * 0.5;
        let index = MeshIndex::new(&mesh);
        let Some(got) = index.penetration(p) else {
            prop_assert!(!index.inside(p));
            return Ok(());
        };
        prop_assert!((got.depth + index.signed_distance(p)).abs() == 0.0);
        prop_assert!((got.normal.mag() - 1.0).abs() < 1e-14);
        // Moving the other way along n deepens at rate one, unless the medial axis is crossed on the way.
        let h = 1e-6;
        let back = index.penetration(p - got.normal * h);
        if let Some(back) = back && back.triangle == got.triangle && got.depth > 1e-3 {
            prop_assert!((back.depth - got.depth - h).abs() < 1e-11);
        }
    }
}

#[test]
fn where_two_ways_are_as_short_it_says_so() {
    let index = MeshIndex::new(&cuboid(DVec3::new(2.0, 4.0, 6.0), [2, 2, 2]).unwrap());
    let middle = index.penetration(DVec3::new(0.0, 0.1, 0.1)).unwrap();
    assert!(!middle.unique);
    assert_eq!(middle.depth, 1.0);
    assert!((middle.normal.x.abs() - 1.0).abs() < 1e-15);
    assert!(index.penetration(DVec3::new(0.001, 0.1, 0.1)).unwrap().unique);
    // Several triangles, one point: above a vertex of the tessellation of a flat face.
    let flat = index.penetration(DVec3::new(0.5, 0.0, 0.0)).unwrap();
    assert!(flat.unique && matches!(flat.feature, TriangleFeature::Vertex(_)));
    // Beside an inner side of a flat face, the neighbour's closest point is as near to 12 digits.
    let beside = index.penetration(DVec3::new(0.7, 2e-6, 0.3)).unwrap();
    assert!(beside.unique && beside.normal == DVec3::unit_x());
    // Very near a face, next to one of its inner sides.
    let skin = index.penetration(DVec3::new(1.0 - 1e-9, 1e-7, 0.3)).unwrap();
    assert!(skin.unique && (skin.normal - DVec3::unit_x()).mag() < 1e-6);
}

#[test]
fn on_the_surface_the_normal_is_the_surface_s_own() {
    let index = MeshIndex::new(&cuboid(DVec3::new(2.0, 2.0, 2.0), [1; 3]).unwrap());
    let normal = |x: f64, y: f64, z: f64| {
        let p = index.penetration(DVec3::new(x, y, z)).expect("the lower faces belong to the inside");
        assert!(p.depth < 1e-11);
        p.normal
    };
    let s = -1.0 / 2f64.sqrt();
    assert!((normal(-1.0, 0.2, 0.3) - -DVec3::unit_x()).mag() < 1e-14);
    assert!((normal(-1.0, 0.3, 0.3) - -DVec3::unit_x()).mag() < 1e-14, "on the diagonal");
    assert!((normal(-1.0, -1.0, 0.3) - DVec3::new(s, s, 0.0)).mag() < 1e-14);
    assert!((normal(-1.0, -1.0, -1.0) - DVec3::broadcast(-1.0 / 3f64.sqrt())).mag() < 1e-14);
    // A depth of pure rounding: the quotient would be anything.
    for k in 0..50 {
        let n = normal(-1.0 + 1e-16 * f64::from(k), 0.2, 0.3);
        assert!((n + DVec3::unit_x()).mag() < 1e-14);
    }
}

#[test]
fn no_nan_where_nothing_has_a_direction() {
    // A closed double sheet: every normal has its opposite; and a closed mesh without any area.
    let p = vec![DVec3::zero(), DVec3::unit_y(), DVec3::unit_z()];
    let sheet = TriMesh::new(p, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    let dot = icosphere(1.0, 0).unwrap().mapped(|_| DVec3::one()).unwrap();
    let slab = cuboid(DVec3::one(), [1; 3]).unwrap().mapped(|p| DVec3::new(p.x * 1e-300, p.y, p.z)).unwrap();
    for mesh in [sheet, dot, slab] {
        let index = MeshIndex::new(&mesh);
        for q in [DVec3::zero(), DVec3::one(), DVec3::new(0.0, 0.2, 0.2), DVec3::new(-1e-301, 0.1, 0.1)] {
            if let Some(p) = index.penetration(q) {
                assert!((p.normal.mag() - 1.0).abs() < 1e-12 && p.depth >= 0.0, "{p:?}");
            }
        }
    }
    // The slab is thick enough to be inside of.
    let slab = cuboid(DVec3::one(), [1; 3]).unwrap().mapped(|p| DVec3::new(p.x * 1e-20, p.y, p.z)).unwrap();
    let inside = MeshIndex::new(&slab).penetration(DVec3::new(1e-21, 0.1, 0.2)).unwrap();
    assert!((inside.normal.x.abs() - 1.0).abs() < 1e-12);
}
