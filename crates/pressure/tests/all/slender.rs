//! Rods, plates and discs: no cell is lost however slender the body, and what has no volume left is refused.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose, TetTopology};
use impinge_pressure::{
    CompliantBody, ContactSurface, HalfSpace, Rule, Shape, Workspace, contact, energy, fields,
};

/// Pressure on the medial axis (Pa).
const MODULUS: f64 = 1e6;

/// Force and energy of a body pressed against rigid ground that stands on its end along `axis`, `depth` (m) deep in it.
fn pressed(body: &Shape, half: f64, axis: DVec3, depth: f64, at: &Pose) -> [f64; 2] {
    let ground: Shape = HalfSpace::rigid(axis, depth - half).unwrap().into();
    let mut out = ContactSurface::new();
    contact(body, at, &ground, at, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    let force = out.wrench.force.dot(at.vector_to_world(axis));
    assert!((out.wrench.force.mag() - force).abs() <= 1e-6 * force, "{:?}", out.wrench);
    [force, energy(body, at, &ground, at).unwrap()]
}

/// One mesh with one surface: each face has two tets, or is one of `outer`.
fn whole(body: &CompliantBody, outer: usize) {
    let topology = TetTopology::new(body.mesh());
    assert_eq!((topology.boundary_faces(), topology.non_manifold_faces()), (outer, 0));
}

#[test]
fn a_rod_and_a_plate_push_with_their_ends() {
    let mut random = Lcg(3);
    // The last number: what thickness over length leaves of the digits.
    for (size, tets, digits) in [
        (DVec3::new(10.0, 1e-4, 1e-4), 16, 1e-9),
        (DVec3::new(100.0, 1e-3, 1e-3), 16, 1e-9),
        (DVec3::new(1e6, 1.0, 2.0), 24, 1e-8),
        (DVec3::new(10.0, 10.0, 1e-5), 24, 1e-8),
        (DVec3::new(1.0, 1.0, 1e-9), 24, 1e-5),
        (DVec3::new(0.4, 0.5, 0.3), 24, 1e-12),
    ] {
        let body = fields::cuboid(size, MODULUS).unwrap();
        assert_eq!(body.mesh().tets().len(), tets, "{size:?}");
        whole(&body, 12);
        let volume: f64 = body.mesh().volumes().iter().sum();
        assert!((volume / (size.x * size.y * size.z) - 1.0).abs() < digits, "{size:?}: {volume}");
        let (d, thin) = (0.2 * size.component_min(), 0.5 * size.component_min());
        let (area, rim) = (size.y * size.z, size.y + size.z);
        let force = MODULUS / thin * (area * d - rim * d * d + 4.0 / 3.0 * d * d * d);
        let stored = MODULUS / thin * (area * d * d / 2.0 - rim * d * d * d / 3.0 + d * d * d * d / 3.0);
        let body: Shape = body.into();
        let turned = [Pose::identity(), random.pose(0.0, 3.0), random.pose(0.0, 3.0)];
        for (at, axis) in turned.iter().flat_map(|p| [(p, DVec3::unit_x()), (p, -DVec3::unit_x())]) {
            let [f, u] = pressed(&body, 0.5 * size.x, axis, d, at);
            assert!((f / force - 1.0).abs() < digits, "{size:?}: {f} for {force} N");
            assert!((u / stored - 1.0).abs() < digits, "{size:?}: {u} for {stored} J");
        }
    }
}

#[test]
fn a_wire_and_a_disc_have_all_their_cells() {
    // Radius, length, resolution; tets and outer faces of each facet.
    for (radius, length, resolution, tets, faces) in
        [(1e-4, 5.0, 2e-6, 5, 4), (1e-3, 20.0, 2e-5, 5, 4), (1.0, 1e-5, 0.005, 9, 4), (1.0, 1e-9, 0.05, 9, 4)]
    {
        let body = fields::cylinder(radius, length, resolution, MODULUS).unwrap();
        let n = (std::f64::consts::TAU * radius / resolution).ceil();
        assert_eq!(body.mesh().tets().len(), tets * n as usize);
        whole(&body, faces * n as usize);
        // ∫ p over the cut at the depth d from an end: E d/m in the middle, falling to 0 at the facets.
        let d = 0.1 * radius.min(0.5 * length);
        let apothem = radius * (std::f64::consts::PI / n).cos();
        let (depth, polygon) = (radius.min(0.5 * length), n * (std::f64::consts::PI / n).tan());
        let inner = apothem * (1.0 - d / radius);
        let force =
            MODULUS / depth * d * polygon * (apothem * apothem + apothem * inner + inner * inner) / 3.0;
        let [f, _] = pressed(&body.into(), 0.5 * length, DVec3::unit_z(), d, &Pose::identity());
        assert!((f / force - 1.0).abs() < 1e-6, "{radius} {length}: {f} for {force} N");
    }
    for straight in [1e-40, 1e-9, 1e9] {
        let body = fields::capsule(1e-2, straight, 5e-3, MODULUS).unwrap();
        let other = fields::capsule(1e-2, 1.0, 5e-3, MODULUS).unwrap();
        assert_eq!(body.mesh().tets().len(), other.mesh().tets().len(), "{straight}");
        whole(&body, TetTopology::new(other.mesh()).boundary_faces());
    }
    assert_eq!(
        fields::ellipsoid(DVec3::new(1.0, 1e-10, 1e-20), 0.5, MODULUS).unwrap().mesh().tets().len(),
        128
    );
}

/// Sizes that differ by roundings, by all powers of ten above, or not: the medial axis is a point, a segment or a plate of any size.
#[test]
fn sizes_that_are_nearly_equal_leave_no_hole() {
    let mut random = Lcg(11);
    let ground: Shape = HalfSpace::rigid(DVec3::new(0.3, 0.5, 0.7), -0.13).unwrap().into();
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut force = |body: CompliantBody| {
        let here = Pose::identity();
        contact(&body.into(), &here, &ground, &here, Rule::Paper, &mut ws, &mut out).unwrap();
        out.wrench.force.mag()
    };
    let cube = force(fields::cuboid(DVec3::broadcast(0.3), MODULUS).unwrap());
    for _ in 0..600 {
        let mut off = || random.next() * 10f64.powf(-9.0 + 8.0 * random.next());
        let size = DVec3::new(0.3 + off(), 0.3 + off(), 0.3 + off());
        let body = fields::cuboid(size, MODULUS).unwrap();
        whole(&body, 12);
        let volume: f64 = body.mesh().volumes().iter().sum();
        assert!((volume / (size.x * size.y * size.z) - 1.0).abs() < 1e-13, "{size:?}");
        let most = (size - DVec3::broadcast(0.3)).abs().component_max();
        let f = force(body);
        assert!((f / cube - 1.0).abs() < 20.0 * most + 1e-12, "{size:?}: {f} beside {cube} N");
    }
    for resolution in [0.05, 5e-4] {
        let round = force(fields::cylinder(0.15, 0.3, resolution, MODULUS).unwrap());
        for _ in 0..20 {
            let off = random.next() * 10f64.powf(-9.0 + 8.0 * random.next());
            let f = force(fields::cylinder(0.15, 0.3 + off, resolution, MODULUS).unwrap());
            assert!((f / round - 1.0).abs() < 20.0 * off.abs() + 1e-11, "{off}: {f} beside {round} N");
        }
    }
}

#[test]
fn cells_without_a_volume_are_refused_with_the_reason() {
    let cuboid = |x, y, z| fields::cuboid(DVec3::new(x, y, z), MODULUS);
    for (shape, body) in [
        ("box", cuboid(1.0, 1.0, 1e-17)),
        ("box", cuboid(1e17, 1.0, 1.0)),
        ("box", cuboid(1e-110, 1e-110, 1e-110)),
        ("box", cuboid(1e200, 1e200, 1e200)),
        ("cylinder", fields::cylinder(1.0, 1e-17, 0.05, MODULUS)),
        ("capsule", fields::capsule(1e-3, 1e14, 5e-4, MODULUS)),
    ] {
        let e = body.unwrap_err().to_string();
        assert!(e.starts_with(shape) && e.contains("no volume beyond the rounding"), "{e}");
    }
}
