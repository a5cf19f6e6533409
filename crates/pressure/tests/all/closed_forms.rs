//! Forces with a closed form: ball and box on a rigid plane, layers in series, two balls, the pinched grip.

use crate::support::nudged;
use impinge_geometry::{DVec3, Pose, cuboid as box_surface};
use impinge_pressure::{
    CompliantBody, ContactSurface, Coulomb, HalfSpace, Motion, RigidSurface, Rule, Shape, TractionLaw,
    Workspace, contact, energy, fields, tractions,
};
use std::f64::consts::PI;

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = ContactSurface::new();
    contact(a, pa, b, pb, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn ground() -> Shape {
    HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into()
}

#[test]
fn b13_a_ball_on_a_plane_converges_with_second_order() {
    let (r, e) = (0.05, 1e5);
    for d in [0.01, 0.02, 0.03, 0.04] {
        let exact = PI / 3.0 * e * d * d * (3.0 - 2.0 * d / r);
        let off = |cut: f64| {
            let ball: Shape = fields::sphere(r, r / cut, e).unwrap().into();
            // An awkward turn: no vertex may stand on the plane.
            let pose = nudged(&at(r - d), DVec3::zero(), DVec3::new(0.3, -0.2, 0.7));
            (query(&ball, &pose, &ground(), &Pose::identity()).wrench.force.z - exact).abs() / exact
        };
        let (coarse, fine) = (off(16.0), off(64.0));
        let order = (coarse / fine).log2() / 2.0;
        assert!(order >= 1.9, "d = {d}: order {order}, errors {coarse:e} and {fine:e}");
        let at32 = off(32.0);
        assert!(at32 <= 4e-3 && fine <= 1e-3, "d = {d}: {at32:e} at R/32, {fine:e} at R/64");
    }
}

#[test]
fn b14_a_box_on_a_plane_is_exact() {
    let (l, h, e) = (0.1, 0.05, 1e6);
    let cube: Shape = fields::cuboid(DVec3::broadcast(l), e).unwrap().into();
    for (d, want) in [(1e-3, 196.026_666_666_666), (5e-3, 903.333_333_333_333), (1e-2, 1_626.666_666_666_666)]
    {
        let formula = e / h * (l * l * d - 2.0 * l * d * d + 4.0 * d * d * d / 3.0);
        assert!((formula - want).abs() < 1e-10 * want);
        let s = query(&cube, &at(h - d), &ground(), &Pose::identity());
        assert!(
            (s.wrench.force - DVec3::unit_z() * want).mag() <= 1e-10 * want,
            "d = {d}: {:?}",
            s.wrench.force
        );
        let m = s.wrench.about(at(h - d).position).torque;
        assert!(m.mag() <= 1e-10 * want * l, "{m:?}");
    }
}

#[test]
fn b15_a_rigid_box_on_a_compliant_layer() {
    let (e, thickness, side, d) = (1e6, 0.05, 0.1, 3e-3);
    let layer: Shape = HalfSpace::layer(DVec3::unit_z(), 0.0, e, thickness).unwrap().into();
    let block: Shape =
        RigidSurface::new(box_surface(DVec3::broadcast(side), [1; 3]).unwrap()).unwrap().into();
    let want = e * d * side * side / thickness;
    let s = query(&block, &at(0.5 * side - d), &layer, &Pose::identity());
    assert!((s.wrench.force - DVec3::unit_z() * want).mag() <= 1e-10 * want);
    let s = query(&layer, &Pose::identity(), &block, &at(0.5 * side - d));
    assert!((s.wrench.force + DVec3::unit_z() * want).mag() <= 1e-10 * want, "the other way round");
}

/// A slab on z ∈ [0, h] whose extent falls from 1 at the bottom to 0 at the top, straight through: one column of tets.
fn slab(h: f64, e: f64) -> CompliantBody {
    let mesh = impinge_geometry::tet_box(DVec3::new(0.3, 0.3, h), [1, 1, 1]).unwrap();
    let extent = mesh.positions().iter().map(|p| 0.5 - p.z / h).collect();
    CompliantBody::new(mesh, extent, e).unwrap()
}

#[test]
fn b17_layers_are_springs_in_series() {
    let (ha, ea, hb, eb) = (0.05, 1e5, 0.02, 4e5);
    let (a, b): (Shape, Shape) = (slab(ha, ea).into(), slab(hb, eb).into());
    let d = 2e-3;
    // A stands on its head on B, which is turned: both face each other with their soft ends.
    let over = nudged(&at(0.5 * (ha + hb) - d), DVec3::zero(), DVec3::new(PI, 0.0, 0.0));
    let s = query(&a, &over, &b, &Pose::identity());
    let k = 0.3 * 0.3 / (ha / ea + hb / eb);
    assert!((s.wrench.force.z - k * d).abs() <= 1e-10 * k * d, "{} against {}", s.wrench.force.z, k * d);
    let half_space: Shape = HalfSpace::layer(DVec3::unit_z(), 0.0, eb, hb).unwrap().into();
    let over = nudged(&at(0.5 * ha - d), DVec3::zero(), DVec3::new(PI, 0.0, 0.0));
    let s = query(&a, &over, &half_space, &Pose::identity());
    assert!((s.wrench.force.z - k * d).abs() <= 1e-10 * k * d, "compliant half space: {}", s.wrench.force.z);
}

#[test]
fn b16_two_balls_and_their_energy() {
    let (r, ea, eb) = (0.05, 1e5, 3e5);
    let ball = |e: f64| -> Shape { fields::sphere(r, r / 32.0, e).unwrap().into() };
    let (a, b) = (ball(ea), ball(eb));
    for (distance, want) in [(0.095, 2.84825), (0.09, 10.99132), (0.08, 40.73864)] {
        let s = query(&a, &at(distance), &b, &Pose::identity());
        // The faceted balls are a little smaller: 0.4 to 1.6 % at R/16 (B16), a quarter of that here.
        assert!((s.wrench.force.z - want).abs() <= 5e-3 * want, "D = {distance}: {}", s.wrench.force.z);
    }
    // The energy is dear: coarser balls.
    let ball = |e: f64| -> Shape { fields::sphere(r, r / 6.0, e).unwrap().into() };
    let (a, b) = (ball(ea), ball(eb));
    let step = 1e-5;
    let u = |z: f64| energy(&a, &at(z), &b, &Pose::identity()).unwrap();
    let coarse = query(&a, &at(0.09), &b, &Pose::identity()).wrench.force.z;
    let slope = -(u(0.09 + step) - u(0.09 - step)) / (2.0 * step);
    assert!((slope - coarse).abs() <= 1e-5 * coarse, "−dU/dD = {slope}, F = {coarse}");
}

#[test]
fn b18_small_depth() {
    for (e, want) in [(1e6, 1.767e-3), (1e7, 0.559e-3), (1e8, 0.177e-3)] {
        let ball: Shape = fields::sphere(0.05, 0.05 / 64.0, e).unwrap().into();
        let f = |x: f64| query(&ball, &at(0.05 - x), &ground(), &Pose::identity()).wrench.force.z;
        let (mut lo, mut hi) = (0.0, 0.01);
        for _ in 0..40 {
            let x = 0.5 * (lo + hi);
            if f(x) < 9.81 { lo = x } else { hi = x }
        }
        assert!((lo - want).abs() <= 0.03 * want, "E = {e:e}: x = {lo:e}");
    }
}

#[test]
fn b38_scrubbing_torque_of_a_pinched_grip() {
    let ball: Shape = fields::sphere(0.05, 0.05 / 64.0, 1e5).unwrap().into();
    let s = query(&ball, &at(0.04), &ground(), &Pose::identity());
    let law = TractionLaw { friction: Coulomb::constant(1.0), ..TractionLaw::default() };
    let motion = Motion { spin: DVec3::unit_z(), point: at(0.04).position, ..Motion::default() };
    let t = tractions(&s, &motion, &law, None).friction.about(at(0.04).position);
    assert!((t.torque.z + 0.431_115_7).abs() <= 0.01 * 0.431_115_7, "{}", t.torque.z);
}
