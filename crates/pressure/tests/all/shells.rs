//! Two rigid bodies: shells stand in for fields, conserve, and say that they do.

use crate::support::Lcg;
use impinge_geometry::{DRotor3, DVec3, Pose, TriMesh, cuboid, icosphere, torus, try_normalized};
use impinge_pressure::{
    BodyError, ContactSurface, HalfSpace, PairError, RigidSurface, Rule, Shape, ShellOptions, Workspace,
    contact, energy,
};

const SIDE: f64 = 0.1;

fn cube() -> TriMesh {
    cuboid(DVec3::broadcast(SIDE), [4; 3]).unwrap()
}

fn rigid(mesh: TriMesh, modulus: f64, thickness: f64) -> Shape {
    let options = ShellOptions { modulus, thickness: Some(thickness) };
    RigidSurface::new(mesh).unwrap().with_shell(&options).unwrap().into()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z))
}

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = ContactSurface::new();
    contact(a, pa, b, pb, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

#[test]
fn flat_boxes_meet_in_the_middle_of_their_shells() {
    let (e, t) = (1e7, 0.004);
    let (a, b) = (rigid(cube(), e, t), rigid(cube(), e, t));
    // Depth over the thickness of each shell, and p/E of the chords at that depth.
    for (s, p) in [(0.125, 1.0 / 6.0), (0.2, 4.0 / 15.0), (0.4, 11.0 / 15.0), (0.6, 1.8), (0.9, 10.2)] {
        let depth = 2.0 * s * t;
        let out = query(&a, &at(0.0, 0.0, SIDE - depth), &b, &Pose::identity());
        // At the rim the shells of the sides are shallower: a frame as wide as the depth of one shell is weaker, and no part is stronger.
        let (full, inner) = (e * p * SIDE * SIDE, e * p * (SIDE - 2.0 * s * t) * (SIDE - 2.0 * s * t));
        let f = out.wrench.force.z;
        assert!(f > inner * (1.0 - 1e-9) && f < full, "{s}: {f} between {inner} and {full}");
        assert!((out.max_pressure / (e * p) - 1.0).abs() < 1e-9, "{s}: {} {}", out.max_pressure, e * p);
        assert_eq!(out.shells, Some([t, t]));
    }
    assert!(query(&a, &at(0.0, 0.0, SIDE * 1.000001), &b, &Pose::identity()).is_empty());
}

#[test]
fn the_wrench_is_the_slope_of_the_energy_and_does_not_care_who_is_first() {
    let turn = DRotor3::from_rotation_xy(0.3) * DRotor3::from_rotation_xz(0.8);
    let ball = || icosphere(0.04, 2).unwrap();
    let ring = || torus(0.05, 0.02, 24, 12).unwrap();
    let ground: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let cases: [(Shape, Pose, Shape, Pose); 3] = [
        (
            rigid(cube(), 1e6, 0.008),
            Pose { position: DVec3::new(0.004, -0.003, 0.106), rotation: turn },
            rigid(ball(), 3e6, 0.01),
            at(0.0, 0.01, 0.0),
        ),
        (rigid(ring(), 1e6, 0.006), at(0.0, 0.0, 0.0), rigid(ball(), 1e6, 0.006), at(0.05, 0.002, 0.056)),
        (
            rigid(cube(), 1e6, 0.008),
            Pose { position: DVec3::new(0.0, 0.0, 0.068), rotation: turn },
            ground,
            Pose::identity(),
        ),
    ];
    for (k, (a, pa, b, pb)) in cases.iter().enumerate() {
        let out = query(a, pa, b, pb);
        assert!(!out.is_empty() && out.wrench.force.mag() > 1.0, "{k}: {:?}", out.wrench);
        let h = 1e-6;
        for axis in [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()] {
            let moved = |s: f64| energy(a, &Pose { position: pa.position + axis * s, ..*pa }, b, pb).unwrap();
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            let force = out.wrench.force.dot(axis);
            assert!((force + slope).abs() < 1e-5 * out.wrench.force.mag(), "{k} {axis:?}: {force} {slope}");
        }
        let other = query(b, pb, a, pa);
        let sum = other.wrench.force + out.wrench.force;
        assert!(sum.mag() < 1e-11 * out.wrench.force.mag(), "{k}: {sum:?}");
        let torque = other.wrench.about(out.wrench.point).torque + out.wrench.torque;
        assert!(torque.mag() < 1e-11 * out.wrench.force.mag(), "{k}: {torque:?}");
    }
}

#[test]
fn shells_are_automatic_and_say_so() {
    let bodies: [Shape; 2] =
        [cube(), icosphere(0.05, 2).unwrap()].map(|m| RigidSurface::new(m).unwrap().into());
    let out = query(&bodies[0], &Pose::identity(), &bodies[1], &at(0.0, 0.0, 0.0995));
    assert!(out.wrench.force.z < 0.0);
    let said = out.warning().unwrap();
    assert!(said.contains("1.000e-3 m") && said.contains("1.0e7 Pa"), "{said}");
    let floor = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let out = query(&floor, &Pose::identity(), &bodies[0], &at(0.0, 0.0, 0.05 - 1e-4));
    assert!(out.wrench.force.z < 0.0 && out.rigid_a && !out.rigid_b);
    assert!(out.warning().unwrap().contains("B by a shell") && !out.warning().unwrap().contains("A by"));
    // What has a field, and what touches nothing any more, is not warned about.
    let layer = HalfSpace::layer(DVec3::unit_z(), 0.0, 1e6, 0.1).unwrap().into();
    let mut again = out;
    contact(
        &layer,
        &Pose::identity(),
        &bodies[0],
        &at(0.0, 0.0, 0.0499),
        Rule::Paper,
        &mut Workspace::new(),
        &mut again,
    )
    .unwrap();
    assert!(again.warning().is_none() && again.rigid_b);
}

#[test]
fn a_shell_that_is_pressed_through_is_said() {
    let (a, b) = (rigid(cube(), 1e6, 0.008), rigid(icosphere(0.04, 2).unwrap(), 1e6, 0.01));
    let said = |z: f64| query(&a, &at(0.0, 0.0, z), &b, &Pose::identity()).warning().unwrap();
    assert!(!said(0.085).contains("pressed through"), "{}", said(0.085));
    assert!(said(0.07).contains("pressed through"), "{}", said(0.07));
}

#[test]
fn shells_fit_into_thin_and_hollow_bodies() {
    // A plate: a third of it at most.
    let plate = RigidSurface::new(cuboid(DVec3::new(0.1, 0.1, 0.001), [3, 3, 1]).unwrap()).unwrap();
    let thick = plate.with_shell(&ShellOptions { thickness: Some(0.05), ..ShellOptions::default() }).unwrap();
    let t = thick.shell().unwrap().thickness();
    assert!(t <= 0.001 / 3.0 * 1.0001 && t > 1e-4, "{t}");
    // All tets of a ring and of a spiked ball are positive, or it would not have been made.
    let star = icosphere(0.05, 1).unwrap();
    let star = star
        .mapped(|p| {
            let n = try_normalized(p).unwrap();
            p * (1.0 + 0.6 * (7.0 * n.x).sin() * (5.0 * n.y).cos())
        })
        .unwrap();
    for mesh in [torus(0.05, 0.02, 24, 12).unwrap(), star] {
        let surface = RigidSurface::new(mesh).unwrap();
        let shell = surface.shell().unwrap();
        assert!(shell.thickness() > 0.0 && shell.body().mesh().first_not_positive().is_none());
    }
}

#[test]
fn what_can_have_no_shell_is_said() {
    let surface = || RigidSurface::new(cube()).unwrap();
    for (modulus, thickness) in [(0.0, None), (f64::NAN, None), (1e6, Some(0.0)), (1e6, Some(f64::INFINITY))]
    {
        let e = surface().with_shell(&ShellOptions { modulus, thickness }).unwrap_err();
        assert!(matches!(e, BodyError::Modulus { .. } | BodyError::Parameter { .. }), "{e}");
    }
    // A box without thickness is closed, but nothing fits under its sides.
    let flat = cube().mapped(|p| DVec3::new(p.x, p.y, 0.0)).unwrap();
    if let Ok(flat) = RigidSurface::new(flat) {
        let (a, b) = (Shape::from(flat), Shape::from(surface()));
        let mut out = ContactSurface::new();
        let e = contact(
            &a,
            &at(0.0, 0.0, 0.05),
            &b,
            &Pose::identity(),
            Rule::Paper,
            &mut Workspace::new(),
            &mut out,
        );
        assert!(matches!(e, Err(PairError::BothRigid { body: 'A', .. })), "{e:?}");
        assert!(out.is_empty() && e.unwrap_err().to_string().contains("give one of them a field"));
    }
}

/// Work of the force on `a` along a straight way of `a` in the frame of `b`, which stands at `here`; calls `at` at every tenth.
fn press(
    (a, b): (&Shape, &Shape),
    here: &Pose,
    (from, way): (Pose, DVec3),
    steps: u32,
    mut at: impl FnMut(f64, &Pose, bool),
) {
    let place = |s: f64| {
        let position = here.point_to_world(from.position + way * (s / f64::from(steps)));
        Pose::new(position, here.rotation * from.rotation)
    };
    let mut done = 0.0;
    for i in 0..steps {
        let force = query(a, &place(f64::from(i) + 0.5), b, here).wrench.force;
        done -= force.dot(here.vector_to_world(way)) / f64::from(steps);
        if (i + 1) % (steps / 10) == 0 {
            let pose = place(f64::from(i) + 1.0);
            let through = query(a, &pose, b, here).warning().is_some_and(|w| w.contains("pressed through"));
            at(done, &pose, through);
        }
    }
}

fn frames() -> [Pose; 3] {
    let mut random = Lcg(29);
    [Pose::identity(), random.pose(0.5, 3.0), random.pose(0.5, 3.0)]
}

/// A plate of 1 cm, whose shell is a tenth of a millimetre thick, is all in the shell of a block of 1 m long before anything is
/// pressed through.
#[test]
fn a_thin_shell_in_a_thick_one_stores_the_work_of_the_force() {
    let plate: Shape =
        RigidSurface::new(cuboid(DVec3::new(1.0, 1.0, 0.01), [3, 3, 1]).unwrap()).unwrap().into();
    let block: Shape = RigidSurface::new(cuboid(DVec3::new(3.0, 3.0, 1.0), [1; 3]).unwrap()).unwrap().into();
    let start = at(0.13, 0.21, 0.505);
    let mut last = 0.0;
    for here in frames() {
        press((&plate, &block), &here, (start, DVec3::unit_z() * -1e-3), 200, |done, pose, through| {
            assert!(!through);
            for u in [energy(&plate, pose, &block, &here), energy(&block, &here, &plate, pose)] {
                let u = u.unwrap();
                assert!((u / done - 1.0).abs() < 1e-6, "{u} J stored of {done} J done");
                last = u;
            }
        });
        // A spring of p/s = 4/3 E over both thicknesses, all of the first chord.
        let want = 0.5 * 1e-6 * 4.0 / 3.0 * 1e7 / (0.01 + 1e-4);
        assert!((last / want - 1.0).abs() < 2e-3, "{last} J for {want} J");
    }
}

/// Moduli and thicknesses in every order, on a way into the hollow and on: the surface has holes there, and the energy is the potential of
/// what presses round them.
#[test]
fn what_is_pressed_through_stores_the_work_of_the_force() {
    let turn = DRotor3::from_rotation_xy(0.3) * DRotor3::from_rotation_xz(0.8);
    let start = Pose { position: DVec3::new(0.004, -0.003, 0.115), rotation: turn };
    for (k, (ea, ta, eb, tb)) in
        [(1e6, 0.008, 1e6, 0.004), (1e6, 0.004, 3e6, 0.012), (3e6, 0.004, 1e6, 0.01), (1e6, 0.01, 3e6, 0.004)]
            .into_iter()
            .enumerate()
    {
        let (a, b) = (rigid(cube(), ea, ta), rigid(icosphere(0.04, 1).unwrap(), eb, tb));
        let here = frames()[k % 3];
        let (mut seen, mut most) = ([0; 2], 0.0f64);
        press((&a, &b), &here, (start, DVec3::unit_z() * -0.1), 500, |done, pose, through| {
            seen[usize::from(through)] += 1;
            most = most.max(done);
            let u = energy(&a, pose, &b, &here).unwrap();
            assert!(
                (u - done).abs() < 2e-5 * most + 1e-3 * done.min(1.0),
                "{k}: {u} J stored of {done} J done"
            );
        });
        assert!(seen[0] > 1 && seen[1] > 3, "{seen:?}");
    }
}
