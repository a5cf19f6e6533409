//! What moving contact does: the exponent of the force, bounces with damping, contact times, sliding that spins, rolling.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose, TriMesh};
use impinge_pressure::{
    ContactSurface, Coulomb, Dissipation, HalfSpace, Motion, Quadrature, RigidSurface, Rule, Shape,
    TractionLaw, Tractions, Workspace, contact, fields, tractions,
};
use std::f64::consts::{PI, TAU};

fn ground() -> Shape {
    HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into()
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}

/// A ball of 0.05 m in facets fine enough for a depth of half a millimetre.
fn fine_ball(modulus: f64) -> Shape {
    fields::sphere(0.05, 0.05 / 64.0, modulus).unwrap().into()
}

/// A body above a plane: upward force at a height and a speed.
struct Press {
    body: Shape,
    plane: Shape,
    law: TractionLaw,
    workspace: Workspace,
    surface: ContactSurface,
}

impl Press {
    fn new(body: Shape, dissipation: Dissipation) -> Self {
        let law = TractionLaw { dissipation, ..TractionLaw::default() };
        Self { body, plane: ground(), law, workspace: Workspace::new(), surface: ContactSurface::new() }
    }

    fn tractions(&mut self, height: f64, motion: &Motion) -> Tractions {
        let (ws, out) = (&mut self.workspace, &mut self.surface);
        contact(&self.body, &at(height), &self.plane, &Pose::identity(), Rule::Paper, ws, out).unwrap();
        tractions(out, motion, &self.law, None)
    }

    fn force(&mut self, height: f64, speed: f64) -> f64 {
        let motion = Motion { velocity: DVec3::new(0.0, 0.0, speed), ..Motion::default() };
        self.tractions(height, &motion).normal.force.z
    }

    /// Lets `mass` fly at the plane with `speed` from first touch at `height`; gives deepest point, time of contact, speed after.
    fn bounce(&mut self, mass: f64, height: f64, speed: f64, dt: f64) -> (f64, f64, f64) {
        let (mut z, mut v, mut time, mut deepest) = (height, -speed, 0.0, 0.0f64);
        loop {
            // The midpoint rule, explicit.
            let f = self.force(z, v) / mass;
            let middle = (z + 0.5 * dt * v, v + 0.5 * dt * f);
            let f = self.force(middle.0, middle.1) / mass;
            (z, v) = (z + dt * middle.1, v + dt * f);
            time += dt;
            deepest = deepest.max(height - z);
            if z >= height && v > 0.0 {
                return (deepest, time - (z - height) / v, v);
            }
            assert!(time < 1e4 * dt * 1e3, "it never leaves");
        }
    }
}

#[test]
fn b21_the_exponent_is_two_and_not_hertz_s() {
    let mut press = Press::new(fine_ball(1e6), Dissipation::None);
    for d in [2.5e-4, 5e-4] {
        let exponent = (press.force(0.05 - 2.0 * d, 0.0) / press.force(0.05 - d, 0.0)).log2();
        println!("B21: d = {d}: exponent {exponent:.4} (pressure field 2, Hertz 1.5)");
        assert!((exponent - 2.0).abs() <= 0.02);
    }
}

#[test]
fn b32_bounces_with_damping_depend_on_one_number() {
    // A flat patch, f = k δ for shallow depths; the table holds for any law f(δ)(1 + χ δ̇).
    let table = [
        (0.01, 0.993_377),
        (0.1, 0.937_476),
        (0.5, 0.748_435),
        (1.0, 0.593_624),
        (2.0, 0.410_720),
        (5.0, 0.196_980),
        (10.0, 0.099_982),
    ];
    let speed = 0.1;
    for (chi_v, want) in table {
        let cube: Shape = fields::cuboid(DVec3::broadcast(0.1), 1e6).unwrap().into();
        let mut press = Press::new(cube, Dissipation::HuntCrossley(chi_v / speed));
        let (_, _, after) = press.bounce(1.0, 0.05, speed, 1e-5);
        let e = after / speed;
        println!(
            "B32: χv = {chi_v}: e = {e:.6}, closed form {want:.6}, off {:.3} %",
            100.0 * (e / want - 1.0)
        );
        assert!((e / want - 1.0).abs() <= 5e-3);
    }
}

#[test]
fn b33_contact_time_of_a_ball() {
    let (e, v, depth): (f64, f64, f64) = (1e6, 0.1, 4e-4);
    // d_max = (3 m v²/(2π E))^⅓.
    let mass = depth.powi(3) * 2.0 * PI * e / (3.0 * v * v);
    let mut press = Press::new(fine_ball(e), Dissipation::None);
    let (deepest, time, after) = press.bounce(mass, 0.05, v, depth / v / 200.0);
    let (want, ratio) = (2.804_364 * depth / v, deepest / depth);
    println!(
        "B33: {time:.6e} s, closed form {want:.6e}, depth {ratio:.4} of it, speed after {:.6}",
        after / v
    );
    assert!((time / want - 1.0).abs() <= 0.01 && (ratio - 1.0).abs() <= 0.01);
    assert!((after / v - 1.0).abs() < 1e-4);
}

/// A disc of radius `a` and thickness `h` with its bottom at z = 0, of `rings` × `around` cells.
fn disc(a: f64, h: f64, rings: u32, around: u32) -> TriMesh {
    let mut x = Vec::new();
    let mut t = Vec::new();
    for z in [0.0, h] {
        x.push(DVec3::new(0.0, 0.0, z));
        for i in 1..=rings {
            for j in 0..around {
                let (r, p) = (a * f64::from(i) / f64::from(rings), TAU * f64::from(j) / f64::from(around));
                x.push(DVec3::new(r * p.cos(), r * p.sin(), z));
            }
        }
    }
    let side = 1 + rings * around;
    let id = |level: u32, i: u32, j: u32| {
        level * side + if i == 0 { 0 } else { 1 + (i - 1) * around + j % around }
    };
    for j in 0..around {
        for level in 0..2 {
            let mut face = |p: [u32; 3]| t.push(if level == 1 { p } else { [p[0], p[2], p[1]] });
            face([id(level, 0, 0), id(level, 1, j), id(level, 1, j + 1)]);
            for i in 1..rings {
                face([id(level, i, j), id(level, i + 1, j), id(level, i + 1, j + 1)]);
                face([id(level, i, j), id(level, i + 1, j + 1), id(level, i, j + 1)]);
            }
        }
        t.push([id(0, rings, j), id(0, rings, j + 1), id(1, rings, j + 1)]);
        t.push([id(0, rings, j), id(1, rings, j + 1), id(1, rings, j)]);
    }
    TriMesh::new(x, t).unwrap()
}

#[test]
fn b39_a_disc_that_slides_and_spins() {
    let a = 0.05;
    let body: Shape = RigidSurface::new(disc(a, 0.01, 24, 64)).unwrap().into();
    let layer: Shape = HalfSpace::layer(DVec3::unit_z(), 0.0, 1e6, 0.1).unwrap().into();
    let (mut ws, mut s) = (Workspace::new(), ContactSurface::new());
    contact(&body, &at(-1e-4), &layer, &Pose::identity(), Rule::Paper, &mut ws, &mut s).unwrap();
    let law = TractionLaw {
        friction: Coulomb::constant(1.0),
        quadrature: Quadrature::Four,
        ..TractionLaw::default()
    };
    for (ratio, want) in [(0.01, 0.0100), (0.1, 0.09987), (0.5, 0.48384), (1.0, 0.84883), (2.0, 0.96769)] {
        let motion =
            Motion { velocity: DVec3::new(ratio * a, 0.0, 0.0), spin: DVec3::unit_z(), point: DVec3::zero() };
        let t = tractions(&s, &motion, &law, None);
        let f = -t.friction.force.x / t.normal.force.z;
        println!(
            "B39: v/(aω) = {ratio}: F/(μN) = {f:.6}, closed form {want}, off {:.3} %",
            100.0 * (f / want - 1.0)
        );
        assert!((f / want - 1.0).abs() <= 0.01);
        assert!(t.friction.force.y.abs() <= 1e-3 * t.normal.force.z);
    }
}

#[test]
fn b40_rolling_resistance_comes_from_damping() {
    let (r, v, d) = (0.05, 1.0, 1e-3);
    for chi in [0.0, 1.0, 3.0] {
        let mut press = Press::new(fine_ball(1e6), Dissipation::HuntCrossley(chi));
        let motion = Motion {
            velocity: DVec3::new(v, 0.0, 0.0),
            spin: DVec3::new(0.0, v / r, 0.0),
            point: at(r - d).position,
        };
        let n = press.tractions(r - d, &motion).normal.about(at(r - d).position);
        let (c, want) = (-n.torque.y / (n.force.z * r), chi * v * d / (3.0 * r));
        println!("B40: χ = {chi}: c_rr = {c:.6e}, closed form {want:.6e}");
        assert!((c - want).abs() <= 0.03 * want + 1e-5);
    }
}

/// A cube under the ground by more than half: its pressure falls on the way down, and damping by both materials must not make less of it.
#[test]
fn damping_takes_from_the_motion_past_the_middle_of_a_field() {
    let cube: Shape = fields::cuboid(DVec3::broadcast(1.0), 1e6).unwrap().into();
    let (mut ws, mut s) = (Workspace::new(), ContactSurface::new());
    let down = Motion { velocity: DVec3::new(0.0, 0.0, -1.0), ..Motion::default() };
    let law = |a, b| TractionLaw { dissipation: Dissipation::Combined { a, b }, ..TractionLaw::default() };
    // ∫ p over the cut at the height t from the middle, E (1 − 2 t) in a square of 2 t about it and falling to 0 at the sides.
    for z in [-0.2, -0.4] {
        let t = -2.0f64 * z;
        let elastic = 1e6 * (1.0 - t) * (t * t + (1.0 - t) * (1.0 + 2.0 * t) / 3.0);
        contact(&cube, &at(z), &ground(), &Pose::identity(), Rule::Paper, &mut ws, &mut s).unwrap();
        assert!((s.wrench.force.z / elastic - 1.0).abs() < 1e-9, "{} for {elastic} N", s.wrench.force.z);
        let t = tractions(&s, &down, &law(0.1, 0.0), None);
        assert!((t.normal.force.z / elastic - 1.0).abs() < 1e-9, "{} N", t.normal.force.z);
        assert_eq!(t.dissipated, 0.0);
        // The same with the ground first.
        contact(&ground(), &Pose::identity(), &cube, &at(z), Rule::Paper, &mut ws, &mut s).unwrap();
        let up = Motion { velocity: -down.velocity, ..down };
        let t = tractions(&s, &up, &law(0.0, 0.1), None);
        assert!((t.normal.force.z / -elastic - 1.0).abs() < 1e-9 && t.dissipated == 0.0, "{t:?}");
    }
    // Before the middle it dissipates as (17) does.
    contact(&cube, &at(0.3), &ground(), &Pose::identity(), Rule::Paper, &mut ws, &mut s).unwrap();
    let t = tractions(&s, &down, &law(0.1, 0.0), None);
    let same = TractionLaw { dissipation: Dissipation::ExtentOfA(0.1), ..law(0.0, 0.0) };
    assert_eq!(t, tractions(&s, &down, &same, None));
    assert!(t.dissipated > 0.0, "{t:?}");
    // A rigid ball through a cube, in frames turned at random.
    let ball: Shape = RigidSurface::new(impinge_geometry::icosphere(0.1, 2).unwrap()).unwrap().into();
    let mut random = Lcg(5);
    for i in 0..60 {
        let pose = random.pose(0.4, 3.0);
        contact(&ball, &pose, &cube, &Pose::identity(), Rule::Paper, &mut ws, &mut s).unwrap();
        let motion = Motion { velocity: random.vector(), spin: random.vector(), point: pose.position };
        let t = tractions(&s, &motion, &law(0.0, 0.1), None);
        assert!(t.dissipated >= -1e-9 * s.pressure_integral, "{i}: {} W", t.dissipated);
    }
}
