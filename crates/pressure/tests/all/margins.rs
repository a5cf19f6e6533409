//! Margins: fields that go on outside their bodies, with pressures below 0.

use crate::support::nudged;
use impinge_geometry::{DVec3, Pose, cuboid};
use impinge_pressure::{
    BodyError, CompliantBody, ContactSurface, HalfSpace, RigidSurface, Rule, Shape, Workspace, contact,
    energy, fields,
};

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = ContactSurface::new();
    contact(a, pa, b, pb, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn pressing(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = query(a, pa, b, pb);
    out.keep_pressing();
    out
}

fn height(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}

/// The exact field of a box, with a margin.
fn boxed(size: DVec3, modulus: f64, margin: f64) -> Shape {
    let body = fields::cuboid(size + DVec3::broadcast(2.0 * margin), modulus).unwrap();
    let half = 0.5 * size.component_min();
    let extent = body.extent().iter().map(|e| (e * (half + margin) - margin) / half).collect();
    CompliantBody::new(body.mesh().clone(), extent, modulus).unwrap().into()
}

fn layer(margin: f64) -> Shape {
    HalfSpace::layer(DVec3::unit_z(), 0.0, 2e5, 0.05).unwrap().with_margin(margin).unwrap().into()
}

/// Pressure per depth (Pa/m) of the layer.
const K: f64 = 4e6;
const SIZE: [f64; 3] = [0.1, 0.08, 0.06];

#[test]
fn a_rigid_box_in_the_margin_of_a_layer_is_seen_and_not_pulled() {
    let [x, y, z] = SIZE;
    let body: Shape = RigidSurface::new(cuboid(DVec3::from(SIZE), [1; 3]).unwrap()).unwrap().into();
    let (here, m) = (Pose::identity(), 0.004);
    // Its bottom, and its sides from there to the end of the margin.
    let gap = 0.001;
    let seen = query(&body, &height(0.5 * z + gap), &layer(m), &here);
    let area = x * y + 2.0 * (x + y) * (m - gap);
    assert!(
        (seen.area / area - 1.0).abs() < 1e-12 && seen.is_speculative(),
        "{} m² for {area} m²",
        seen.area
    );
    assert!((seen.max_pressure + K * gap).abs() < 1e-8 && (seen.min_pressure + K * m).abs() < 1e-8);
    let still = pressing(&body, &height(0.5 * z + gap), &layer(m), &here);
    assert!(still.is_empty() && still.wrench.force == DVec3::zero() && !still.is_speculative());
    assert!(query(&body, &height(0.5 * z + 1.01 * m), &layer(m), &here).is_empty());
    // Pressed in, it is pushed as without a margin.
    let deep = height(0.5 * z - gap);
    for margin in [0.0, m] {
        let s = pressing(&body, &deep, &layer(margin), &here);
        let force = K * gap * x * y;
        assert!((s.wrench.force.z / force - 1.0).abs() < 1e-12, "{} N for {force} N", s.wrench.force.z);
        assert!((s.area / (x * y + 2.0 * (x + y) * gap) - 1.0).abs() < 1e-9 && !s.is_speculative());
        // The sides pull against each other.
        assert!((query(&body, &deep, &layer(margin), &here).wrench.force.z / force - 1.0).abs() < 1e-12);
    }
}

/// Where a box of slope k meets a layer of slope K at the distance g, the pressure is −g kK/(k + K), which lies g K/(k + K) outside the box and
/// g k/(k + K) outside the layer: both margins must reach that far.
#[test]
fn fields_meet_as_far_as_both_margins_reach() {
    let [x, y, z] = SIZE;
    let (modulus, here) = (1.2e5, Pose::identity());
    let k = modulus / (0.5 * z);
    let (in_box, in_layer) = (K / (k + K), k / (k + K));
    for (own, other) in [(0.003, 0.001), (0.003, 0.01), (0.0005, 0.01), (0.003, 0.0), (0.0, 0.003)] {
        let body = boxed(DVec3::from(SIZE), modulus, own);
        let reach = (own / in_box).min(other / in_layer);
        for part in [0.2, 0.98, 1.02, 1.5] {
            let gap = part * if reach > 0.0 { reach } else { 1e-3 };
            let s = query(&body, &height(0.5 * z + gap), &layer(other), &here);
            assert_eq!(s.is_empty(), reach == 0.0 || part > 1.0, "{own} {other} {gap}");
            if !s.is_empty() {
                assert!(s.is_speculative());
                let p = -gap * k * K / (k + K);
                assert!((s.max_pressure / p - 1.0).abs() < 1e-9, "{} Pa for {p} Pa", s.max_pressure);
            }
        }
        let deep = height(0.5 * z - 0.002);
        let s = pressing(&body, &deep, &layer(other), &here);
        let exact = query(&boxed(DVec3::from(SIZE), modulus, 0.0), &deep, &layer(0.0), &here);
        let off = (s.wrench.force.z / exact.wrench.force.z - 1.0).abs();
        assert!(off < 1e-11, "{off}");
        assert!(exact.wrench.force.z < k * K / (k + K) * 0.002 * x * y);
    }
}

/// A margin changes neither the force of two boxes that press each other, nor their energy.
#[test]
fn what_presses_is_the_same_with_and_without_a_margin() {
    let (a, b) = (DVec3::from(SIZE), DVec3::new(0.2, 0.12, 0.05));
    let ground: Shape = RigidSurface::new(cuboid(b, [1; 3]).unwrap()).unwrap().into();
    let flat: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.025).unwrap().into();
    let here = Pose::identity();
    let turned = nudged(&height(0.054), DVec3::zero(), DVec3::new(0.03, -0.07, 0.4));
    let cases = [
        ([boxed(a, 1e5, 0.003), boxed(b, 3e5, 0.002)], [boxed(a, 1e5, 0.0), boxed(b, 3e5, 0.0)]),
        ([boxed(a, 1e5, 0.003), ground.clone()], [boxed(a, 1e5, 0.0), ground]),
        ([boxed(a, 1e5, 0.003), flat.clone()], [boxed(a, 1e5, 0.0), flat]),
    ];
    for ([a, b], [c, d]) in cases {
        let (s, t) = (pressing(&a, &turned, &b, &here), query(&c, &turned, &d, &here));
        assert!(a.has_margin() && !c.has_margin() && t.wrench.force.z > 0.0);
        let off = (s.wrench.force - t.wrench.force).mag() / t.wrench.force.mag();
        let (u, v) = (energy(&a, &turned, &b, &here).unwrap(), energy(&c, &turned, &d, &here).unwrap());
        assert!(off < 1e-10 && (u / v - 1.0).abs() < 1e-10, "force {off}, {u} J for {v} J");
        assert!(s.min_pressure >= -1e-9 && (s.area / t.area - 1.0).abs() < 1e-9, "{} {}", s.area, t.area);
    }
}

#[test]
fn margins_that_are_none_are_refused() {
    let soft = HalfSpace::layer(DVec3::unit_z(), 0.0, 2e5, 0.05).unwrap();
    for bad in [-1e-3, f64::NAN, f64::INFINITY] {
        assert!(matches!(soft.with_margin(bad), Err(BodyError::Parameter { .. })));
    }
    let rigid = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap();
    let e = rigid.with_margin(1e-3).unwrap_err().to_string();
    assert!(e.contains("no field to continue") && rigid.with_margin(0.0).is_ok(), "{e}");
}
