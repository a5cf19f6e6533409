//! Polygons that lie in faces that tets share: bodies put together so that equal pressure falls on faces of both, as
//! happens wherever boxes stand on a grid. Such a polygon belongs to one pair of tets, whatever rounding says.

mod support;

use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_pressure::{ContactSurface, HalfSpace, RigidSurface, Rule, Shape, Workspace, contact, fields};
use support::Lcg;

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    contact(a, pa, b, pb, Rule::Paper, &mut ws, &mut out).unwrap();
    out
}

/// Poses that put faces of boxes of 1 onto each other: shifts by quarters, turns by right angles, the whole of it turned and
/// moved so that coordinates are rounded.
fn lattice(random: &mut Lcg, tilted: bool) -> [Pose; 2] {
    let quarter = |x: f64| (x * 4.0).floor() * 0.25;
    let shift = DVec3::new(quarter(random.next()), quarter(random.next()), quarter(random.next()));
    let axis = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][(random.next().abs() * 2.999) as usize];
    let turns = (random.next() * 4.0).floor() * std::f64::consts::FRAC_PI_2;
    let b = Pose::new(shift, rotor_from_rotation_vector(axis * turns));
    let world = if tilted { random.pose(3.0, 3.0) } else { Pose::identity() };
    [world, Pose::new(world.point_to_world(b.position), world.rotation * b.rotation)]
}

#[test]
fn what_lies_in_faces_is_found_once() {
    let boxes = [DVec3::one(), DVec3::new(1.0, 0.5, 1.5), DVec3::new(2.0, 1.0, 0.5)];
    let soft: Vec<Shape> = boxes.iter().map(|&s| fields::cuboid(s, 1.0).unwrap().into()).collect();
    let hard: Vec<Shape> = boxes
        .iter()
        .map(|&s| RigidSurface::new(generators::cuboid(s, [2, 2, 2]).unwrap()).unwrap().into())
        .collect();
    // Grids of tets whose inner faces lie in planes that half spaces and faces of boxes meet.
    let grids: Vec<Shape> = [2, 4]
        .map(|n| {
            fields::distance(generators::tet_box(DVec3::one(), [n; 3]).unwrap(), 1.0, true).unwrap().into()
        })
        .into();
    let ground: [Shape; 2] = [
        HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into(),
        HalfSpace::layer(DVec3::unit_z(), 0.0, 2.0, 0.5).unwrap().into(),
    ];
    let mut random = Lcg(7);
    let (mut contacts, mut in_faces, mut kinks) = (0, 0, 0);
    for i in 0..2400 {
        let [pa, pb] = lattice(&mut random, i % 2 == 1);
        let a = if i % 5 < 4 { &soft[i % 3] } else { &grids[i / 5 % 2] };
        let b = match i % 6 {
            0..3 => &soft[i / 3 % 3],
            3 => &hard[i / 3 % 3],
            4 => &grids[i / 6 % 2],
            _ => &ground[i / 6 % 2],
        };
        let (ab, ba) = (query(a, &pa, b, &pb), query(b, &pb, a, &pa));
        // Beside the special pose: shifts of 1e-7 change the force by less than 1e-5 where nothing is lost and nothing is
        // counted twice. Where the fields are equal in a part of space the energy has a kink: the two sides differ.
        let way = random.vector() * 1e-7;
        let beside = [1.0, -1.0].map(|sign| {
            let moved = Pose::new(pb.position + way * sign, pb.rotation);
            query(a, &pa, b, &moved)
        });
        let most = beside.iter().map(|s| s.pressure_integral).fold(0.0, f64::max);
        let size = most + ab.pressure_integral + ba.pressure_integral;
        // Bodies that only touch.
        if size <= 1e-6 {
            continue;
        }
        let sum = (ab.wrench.force + ba.wrench.force).mag();
        assert!(sum <= 1e-10 * size, "{i}: {pb:?} {:?} and {:?}", ab.wrench.force, ba.wrench.force);
        contacts += 1;
        in_faces += usize::from(beside.iter().any(|s| s.faces.len() != ab.faces.len()));
        let [f, g] = [0, 1].map(|i| beside[i].wrench.force);
        if (f - g).mag() > 1e-5 * size {
            kinks += 1;
            continue;
        }
        let apart = (f - ab.wrench.force).mag();
        assert!(apart <= 1e-5 * size, "{i}: {:?}, beside it {f:?} and {g:?}", ab.wrench.force);
    }
    println!("{contacts} contacts, {in_faces} of them special, {kinks} kinks");
    assert!(
        contacts > 300 && in_faces > 100 && kinks < contacts / 4,
        "{contacts} contacts, {in_faces}, {kinks} kinks"
    );
}
