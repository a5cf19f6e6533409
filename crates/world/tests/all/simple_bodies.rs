//! Bodies of simple shapes: as round as they say, as heavy, and where they were put.

use impinge_bodies::Shape;
use impinge_geometry::{DVec3, Pose};
use impinge_world::{BodyDesc, BuildError, Mass, Motion, ROUNDNESS};

fn mesh(body: &BodyDesc) -> (&[DVec3], &[[u32; 3]]) {
    let Shape::Mesh(m) = &body.shape else { panic!("a mesh") };
    (m.mesh.positions(), m.mesh.triangles())
}

/// Distances from what is round of the corners, and of points all over the flats.
fn round(body: &BodyDesc, radius: f64, off: impl Fn(DVec3) -> Option<f64>) {
    let (x, triangles) = mesh(body);
    for t in triangles {
        let [a, b, c] = t.map(|v| x[v as usize]);
        for (i, j) in (0..=6).flat_map(|i| (0..=6 - i).map(move |j| (f64::from(i) / 6.0, f64::from(j) / 6.0)))
        {
            let Some(r) = off(a + (b - a) * i + (c - a) * j) else { continue };
            assert!(r <= radius * (1.0 + 1e-12), "{r} of {radius}");
            assert!(r >= radius * (1.0 - ROUNDNESS), "{r} of {radius}");
        }
    }
}

#[test]
fn round_bodies_are_as_round_as_they_say() {
    let at = Pose::from_position(DVec3::new(1.0, 2.0, 3.0));
    let ball = BodyDesc::ball("ball", 0.3, Mass::Total(1.0), at).unwrap();
    round(&ball, 0.3, |p| Some(p.mag()));
    let cylinder = BodyDesc::cylinder("cylinder", 0.2, 1.0, Mass::Total(1.0), at).unwrap();
    round(&cylinder, 0.2, |p| (p.z.abs() < 0.499).then(|| libm::hypot(p.x, p.y)));
    let capsule = BodyDesc::capsule("capsule", 0.2, 1.0, Mass::Total(1.0), at).unwrap();
    round(&capsule, 0.2, |p| Some((p - DVec3::new(0.0, 0.0, p.z.clamp(-0.5, 0.5))).mag()));
    for body in [ball, cylinder, capsule] {
        assert!((body.pose.position - at.position).mag() < 1e-12, "{}", body.name);
    }
}

#[test]
fn a_box_is_exact() {
    let body = BodyDesc::cuboid("box", [0.3, 0.2, 0.1], Mass::Density(500.0), Pose::identity()).unwrap();
    assert_eq!(mesh(&body).0.len(), 8);
    let Motion::Rigid { mass, inertia } = body.motion else { panic!("rigid") };
    assert!((mass - 3.0).abs() < 1e-12);
    assert!((inertia.cols[0].x - mass / 12.0 * (0.04 + 0.01)).abs() < 1e-14);
}

#[test]
fn sizes_and_masses_that_are_none_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let at = Pose::identity;
        assert!(
            matches!(BodyDesc::ball("a", bad, Mass::Total(1.0), at()), Err(BuildError::Mesh { .. })),
            "{bad}"
        );
        assert!(BodyDesc::ball("a", 1.0, Mass::Total(bad), at()).is_err(), "{bad}");
        assert!(BodyDesc::cuboid("a", [1.0, bad, 1.0], Mass::Total(1.0), at()).is_err(), "{bad}");
        assert!(BodyDesc::cylinder("a", 1.0, bad, Mass::Total(1.0), at()).is_err(), "{bad}");
    }
}
