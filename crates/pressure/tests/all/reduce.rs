//! A surface as a few points: the same wrench, area and stiffness.

use impinge_geometry::{DVec3, Pose};
use impinge_pressure::{
    ContactSurface, HalfSpace, Reduced, Rule, Shape, Workspace, contact, fields, stiffness,
};

fn bodies() -> Vec<(&'static str, Shape, Shape, f64)> {
    let ball = |r: f64, e: f64| -> Shape { fields::sphere(r, 0.25 * r, e).unwrap().into() };
    let block = || -> Shape { fields::cuboid(DVec3::new(0.2, 0.14, 0.1), 1e7).unwrap().into() };
    let floor = || -> Shape { HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into() };
    vec![
        ("ball on block", ball(0.05, 1e6), block(), 0.096),
        ("ball in ball", ball(0.05, 1e6), ball(0.07, 3e6), 0.06),
        ("block on floor", block(), floor(), 0.0499),
        ("block on block", block(), block(), 0.098),
    ]
}

fn surface((_, a, b, height): &(&str, Shape, Shape, f64), turn: f64) -> ContactSurface {
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    let at = DVec3::new(0.007, -0.004, *height);
    let above = Pose::from_axis_angle(at, DVec3::new(0.3, -0.1, 1.0).normalized(), turn);
    contact(a, &above, b, &Pose::identity(), Rule::Paper, &mut workspace, &mut surface).unwrap();
    surface
}

/// Force and torque about the point of the surface's wrench.
fn sum(r: &Reduced, about: DVec3) -> [DVec3; 2] {
    r.points
        .iter()
        .fold([DVec3::zero(); 2], |[f, t], p| [f + p.force, t + (p.position - about).cross(p.force)])
}

#[test]
fn points_have_the_wrench_of_the_surface() {
    let mut few = 0;
    for case in bodies() {
        for turn in [0.0, 0.01, 0.3] {
            let s = surface(&case, turn);
            if s.is_empty() {
                continue;
            }
            let size = s.area.sqrt();
            for most in [1, 2, 3, 4, 16, 64, 10_000] {
                let r = s.reduced(most);
                let of = format!("{}, turned by {turn}, {most} of {} faces", case.0, s.faces.len());
                assert!((1..=most.min(s.faces.len())).contains(&r.points.len()), "{of}");
                let [force, torque] = sum(&r, s.wrench.point);
                let scale = s.wrench.force.mag();
                assert!((force - s.wrench.force).mag() < 1e-12 * s.pressure_integral, "{of}: {force:?}");
                let off = (torque + r.left - s.wrench.torque).mag();
                assert!(off < 1e-12 * scale * size, "{of}: {torque:?} and {:?}", r.left);
                if most >= 4 {
                    assert!(r.left.mag() < 1e-11 * scale * size, "{of}: {:?} is left", r.left);
                    few += 1;
                }
                let area: f64 = r.points.iter().map(|p| p.area).sum();
                assert!((area - s.area).abs() < 1e-12 * s.area, "{of}");
                for p in &r.points {
                    let near = s.faces.iter().map(|f| (s.to_world(f.centroid) - p.position).mag());
                    assert!(near.fold(f64::INFINITY, f64::min) < size, "{of}: {:?}", p.position);
                    assert!((p.normal.mag() - 1.0).abs() < 1e-12, "{of}: {p:?}");
                }
            }
        }
    }
    assert!(few >= 30, "{few}");
}

/// On a flat surface normals agree, and so the stiffness of points is that of the surface along it.
#[test]
fn points_of_a_flat_surface_have_its_stiffness() {
    let [.., block, _] = &bodies()[..] else { panic!() };
    let s = surface(block, 0.0);
    let k = stiffness(&s, DVec3::zero(), DVec3::zero())[2][2];
    for most in [1, 4, 16] {
        let r = s.reduced(most);
        let sum: f64 = r.points.iter().map(|p| p.stiffness).sum();
        assert!((sum - k).abs() < 1e-12 * k, "{most}: {sum} for {k}");
        assert!(r.points.iter().all(|p| p.position.z.abs() < 1e-12 && (p.normal.z - 1.0).abs() < 1e-12));
    }
}

#[test]
fn nothing_is_reduced_to_nothing() {
    let case = &bodies()[0];
    assert_eq!(ContactSurface::new().reduced(4), Reduced::default());
    let s = surface(case, 0.0);
    let none = s.reduced(0);
    assert!(none.points.is_empty() && none.left == s.wrench.torque);
}
