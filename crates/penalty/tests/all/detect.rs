//! Points in a floor and points that are not finite.

use impinge_geometry::generators::cuboid;
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::{Facing, detect_facing, detect_mesh, point_mesh_impulses};
use impinge_query::MeshIndex;

/// Of a floor that looks up, under the rim of a box: out through the bottom, not through the side that is nearer.
#[test]
fn a_point_of_a_floor_leaves_against_the_floor() {
    let mesh = MeshIndex::new(&cuboid(DVec3::one(), [1, 1, 1]).unwrap());
    let points = [DVec3::new(0.499, 0.1, -0.49), DVec3::new(0.2, 0.1, -0.49), DVec3::new(0.499, 0.1, -0.3)];
    let up = |_: usize, n: DVec3| n.z < -0.2;
    let hits = |reach: f64| {
        let mut out = [None; 3];
        let facing = Facing { opposes: up, reach: move |_: usize| reach };
        detect_facing(|i| points[i], &facing, &mesh, &Pose::identity(), &mut out);
        out.map(|h| h.unwrap())
    };
    let near = hits(0.1);
    assert!((near[0].depth - 0.01).abs() < 1e-15 && (near[0].normal + DVec3::unit_z()).mag() < 1e-12);
    assert_eq!(near[1].normal, -DVec3::unit_z());
    // The bottom is out of reach: the closest point stays.
    assert!((near[2].depth - 0.001).abs() < 1e-15 && (near[2].normal - DVec3::unit_x()).mag() < 1e-12);
    let far = hits(0.3);
    assert!((far[2].depth - 0.2).abs() < 1e-15 && (far[2].normal + DVec3::unit_z()).mag() < 1e-12);
    let mut closest = [None; 3];
    detect_mesh(|i| points[i], &mesh, &Pose::identity(), &mut closest);
    assert!((closest[0].unwrap().normal - DVec3::unit_x()).mag() < 1e-12);
}

#[test]
fn what_is_not_finite_is_in_nothing() {
    let mesh = MeshIndex::new(&cuboid(DVec3::one(), [1, 1, 1]).unwrap());
    let mut out = Vec::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let points =
            [DVec3::new(bad, 0.0, 0.1), DVec3::new(0.0, 0.0, bad), DVec3::broadcast(bad), DVec3::zero()];
        point_mesh_impulses(&points, &mesh, &Pose::identity(), 1e4, 1e-3, &mut out);
        assert_eq!(out.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
        let lost = Pose::from_position(DVec3::new(0.0, bad, 0.0));
        point_mesh_impulses(&[DVec3::zero()], &mesh, &lost, 1e4, 1e-3, &mut out);
        assert_eq!(out, [None]);
    }
}
