//! Bodies whose fields agree in a whole part of space: the energy counts it once.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose};
use impinge_pressure::{ContactSurface, HalfSpace, Rule, Shape, Workspace, contact, energy, fields};

/// Pressure in the middle of a cube of 1 m (Pa).
const MODULUS: f64 = 1e6;

fn cube() -> Shape {
    fields::cuboid(DVec3::broadcast(1.0), MODULUS).unwrap().into()
}

/// The cube above another one, `depth` (m) deep in it and `aside` (m) from where it is flush, in the frame `at`.
fn above(at: &Pose, depth: f64, aside: DVec3) -> Pose {
    Pose::new(at.point_to_world(aside + DVec3::unit_z() * (1.0 - depth)), at.rotation)
}

/// ∫ F over the depth for flush cubes: the surface is a square whose rim slopes, F = 2E (h − 2h² + 4h³/3) at h = depth/2.
fn work(depth: f64) -> f64 {
    let h = 0.5 * depth;
    4.0 * MODULUS * (h * h / 2.0 - 2.0 * h * h * h / 3.0 + h * h * h * h / 3.0)
}

/// The frame of the world and some others, turned at random.
fn frames() -> Vec<Pose> {
    let mut random = Lcg(17);
    std::iter::once(Pose::identity()).chain((0..12).map(|_| random.pose(3.0, 3.0))).collect()
}

#[test]
fn a_body_in_its_own_place_stores_its_pressure_once() {
    // ∫ p of a pyramid's four sides: a quarter of the top pressure times the volume.
    let c = cube();
    let ball: Shape = fields::sphere(1.0, 0.2, MODULUS).unwrap().into();
    let Shape::Compliant(b) = &ball else { unreachable!() };
    let whole = 0.25 * MODULUS * b.mesh().volumes().iter().sum::<f64>();
    for at in frames() {
        let u = energy(&c, &at, &c, &at).unwrap();
        assert!((u - 0.25 * MODULUS).abs() <= 1e-9 * u, "{u} J");
        let u = energy(&ball, &at, &ball, &at).unwrap();
        assert!((u - whole).abs() <= 1e-9 * u, "{u} J for {whole} J");
    }
}

#[test]
fn flush_cubes_store_the_work_of_their_force() {
    let c = cube();
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    for (k, at) in frames().iter().enumerate() {
        for d in [1e-4, 1e-3, 0.01, 0.0625, 0.1, 0.125, 0.25, 0.5, 0.75, 0.9, 1.0] {
            let pose = above(at, d, DVec3::zero());
            let want = work(d);
            for (a, pa, b, pb) in [(&c, &pose, &c, at), (&c, at, &c, &pose)] {
                let u = energy(a, pa, b, pb).unwrap();
                // The depth has lost the digits of a place metres from the origin.
                assert!(
                    (u - want).abs() <= 1e-14 * want / d + 1e-11 * want,
                    "frame {k}, d = {d}: {u} for {want} J"
                );
            }
            let h = 0.5 * d;
            contact(&c, &pose, &c, at, Rule::Paper, &mut ws, &mut out).unwrap();
            let force = 2.0 * MODULUS * (h - 2.0 * h * h + 4.0 * h * h * h / 3.0);
            if d < 1.0 {
                assert!((out.wrench.force.mag() / force - 1.0).abs() <= 1e-9, "{d}: {:?}", out.wrench.force);
            }
        }
    }
}

/// Cubes that stand aside of each other, along a path: what the force does and what is stored.
#[test]
fn cubes_aside_store_the_work_of_their_force() {
    let c = cube();
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let steps = 400;
    for (at, aside) in frames().iter().zip([DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.25, 0.0, 0.0)]) {
        let up = at.vector_to_world(DVec3::unit_z());
        let mut done = 0.0;
        let deepest = 0.45;
        for i in 0..steps {
            let depth = deepest * (f64::from(i) + 0.5) / f64::from(steps);
            contact(&c, &above(at, depth, aside), &c, at, Rule::Paper, &mut ws, &mut out).unwrap();
            done += out.wrench.force.dot(up) * deepest / f64::from(steps);
        }
        let u = energy(&c, &above(at, deepest, aside), &c, at).unwrap();
        assert!((u / done - 1.0).abs() <= 1e-5, "{aside:?}: {u} J stored of {done} J done");
    }
}

#[test]
fn a_cube_in_a_layer_of_its_own_slope() {
    let c = cube();
    let layer: Shape = HalfSpace::layer(DVec3::unit_z(), 0.5, MODULUS, 0.5).unwrap().into();
    for at in frames() {
        // Flush with the top: the layer presses nowhere less than the cube.
        for (a, b) in [(&c, &layer), (&layer, &c)] {
            let u = energy(a, &at, b, &at).unwrap();
            assert!((u - 0.25 * MODULUS).abs() <= 1e-9 * u, "{u} J");
        }
    }
}
