//! Boxes: overlap, the half-space test, and images under a pose.

use impinge_broadphase::{Aabb, plane_overlaps};
use impinge_geometry::{DMat3, DVec3, Pose, rotor_from_rotation_vector};
use proptest::prelude::*;

fn unit() -> Aabb {
    Aabb::new(DVec3::zero(), DVec3::one())
}

#[test]
fn touching_overlaps_and_empty_never_does() {
    let right = Aabb::new(DVec3::new(1.0, 1.0, 1.0), DVec3::new(2.0, 2.0, 2.0));
    assert!(unit().overlaps(&right) && right.overlaps(&unit()));
    let beyond = Aabb::new(DVec3::new(1.0 + f64::EPSILON, 0.0, 0.0), DVec3::new(2.0, 1.0, 1.0));
    assert!(!unit().overlaps(&beyond));
    assert!(!unit().overlaps(&Aabb::empty()) && !Aabb::empty().overlaps(&Aabb::empty()));
    // Inverted on one axis only: every interval test alone would pass.
    let inverted = Aabb::new(DVec3::new(0.6, 0.0, 0.0), DVec3::new(0.4, 1.0, 1.0));
    assert!(inverted.is_empty() && !inverted.overlaps(&unit()));
    assert_eq!(unit().union(&Aabb::empty()), unit());
    assert!(Aabb::empty().inflated(1.0).is_empty());
    assert!(Aabb::from_points(&[]).is_empty());
    let nan = DVec3::new(0.5, f64::NAN, 0.5);
    assert!(Aabb::from_points(&[nan]).is_empty());
    assert_eq!(Aabb::from_points(&[DVec3::zero(), nan, DVec3::one()]), unit());
}

#[test]
fn a_plane_meets_the_boxes_that_reach_it() {
    let up = DVec3::unit_z();
    assert!(plane_overlaps(&unit(), up, 0.0));
    assert!(!plane_overlaps(&unit(), up, -1e-9));
    assert!(plane_overlaps(&unit(), -up, -1.0));
    assert!(!plane_overlaps(&unit(), -up, -1.0 - 1e-9));
    assert!(!plane_overlaps(&Aabb::empty(), up, 1e9));
    let n = DVec3::new(1.0, 1.0, 1.0);
    assert!(plane_overlaps(&unit(), n, 0.0) && !plane_overlaps(&unit(), n, -1e-9));
}

proptest! {
    #[test]
    fn transformed_box_holds_every_transformed_point(
        lo in prop::array::uniform3(-10.0..10.0f64),
        size in prop::array::uniform3(0.0..3.0f64),
        w in prop::array::uniform3(-4.0..4.0f64),
        far in prop::sample::select(vec![0.0, 1.0, 1e6]),
        at in prop::array::uniform3(0u32..=4),
    ) {
        let lo = DVec3::from(lo);
        let b = Aabb::new(lo, lo + DVec3::from(size));
        let pose = Pose::new(DVec3::new(far, -far, 0.5 * far), rotor_from_rotation_vector(DVec3::from(w)));
        let f = DVec3::new(f64::from(at[0]), f64::from(at[1]), f64::from(at[2])) * 0.25;
        let p = (b.lo + (b.hi - b.lo) * f).min_by_component(b.hi);
        let t = b.transformed(&pose);
        prop_assert!(t.contains(pose.point_to_world(p)));
        // And it is not generous: the half extents are those of the exact image plus rounding.
        let [x, y, z] = pose.matrix().cols.map(|c| c.abs());
        let spare = t.half_extent() - DMat3::new(x, y, z) * b.half_extent();
        prop_assert!(spare.component_max() <= 1e-13 * (20.0 + far));
    }
}
