//! Polygons that lie in faces that tets share: bodies put together so that equal pressure falls on faces of both, as
//! happens wherever boxes stand on a grid. Such a polygon belongs to one pair of tets, whatever rounding says.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose, TetMesh, TetTopology, generators, rotor_from_rotation_vector};
use impinge_pressure::{
    CompliantBody, ContactSurface, HalfSpace, RigidSurface, Rule, Shape, Workspace, contact, fields,
};

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

/// Tets come in blocks of eight. In a plane through the middle of a body's bounds lie the places of a block that hold none.
#[test]
fn a_plane_through_the_middle_meets_the_tets_there_are() {
    let one = [[0.0, 0.0, -1.0], [0.5, 0.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 1.0]].map(DVec3::from);
    let grounds: [(Shape, f64); 2] = [
        (HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into(), f64::INFINITY),
        (HalfSpace::layer(DVec3::unit_z(), 0.0, 2.0, 1.0).unwrap().into(), 2.0),
    ];
    for n in 1..=17u32 {
        let corners = (0..n).flat_map(|i| one.map(|x| x + DVec3::unit_x() * f64::from(i))).collect();
        let mesh = TetMesh::new(corners, (0..n).map(|i| [0, 1, 2, 3].map(|k| 4 * i + k)).collect()).unwrap();
        let mesh = mesh.oriented().unwrap().0;
        // p = 1 + z: half as steep as the layer, which has no pressure where z = 0.
        let extent = mesh.positions().iter().map(|x| 1.0 + x.z).collect();
        let body: Shape = CompliantBody::new(mesh, extent, 1.0).unwrap().into();
        for (ground, k) in &grounds {
            let s = query(&body, &Pose::identity(), ground, &Pose::identity());
            // 1 + z = −k z, and the tets are (1 + z)/4 wide there.
            let wide = (1.0 - 1.0 / (1.0 + k)) * 0.25;
            let area = 0.5 * wide * wide * f64::from(n);
            let found: f64 = s.faces.iter().map(|f| f.area).sum();
            assert_eq!(s.faces.len(), n as usize, "{n} tets, {k}");
            assert!((found - area).abs() < 1e-14 * area, "{n} tets, {k}: {found} for {area}");
        }
    }
    let a = fields::cuboid(DVec3::one(), 1e5).unwrap();
    assert_eq!(a.mesh().tets().len(), 12);
    let s = query(&a.into(), &Pose::identity(), &grounds[0].0, &Pose::identity());
    assert!((s.area - 1.0).abs() < 1e-14, "{}", s.area);
}

/// The stiffer of two bodies may be as good as rigid: the contact then lies nearer to its surface than places are rounded. It is the same
/// from both sides, and that of the rigid body in the end.
#[test]
fn the_stiffer_body_may_be_as_good_as_rigid() {
    let soft: Shape = fields::cuboid(DVec3::broadcast(2.0), 1e5).unwrap().into();
    let ball = fields::sphere(0.7, 0.35, 1.0).unwrap();
    let surface = TetTopology::new(ball.mesh()).surface(ball.mesh()).unwrap();
    let rigid: Shape = RigidSurface::new(surface.mesh).unwrap().into();
    let mut random = Lcg(3);
    for i in 0..6 {
        // Middles to both sides of each other along every axis.
        let shift = DVec3::new(0.9, 0.5, -0.3) * if i % 2 == 0 { 1.0 } else { -1.0 };
        let (pa, turned) = (random.pose(0.0, 3.0), random.pose(0.0, 3.0));
        let pb = Pose::new(pa.position + shift, turned.rotation);
        let want = query(&soft, &pa, &rigid, &pb);
        assert!(want.area > 0.5, "{}", want.area);
        let mut last = f64::INFINITY;
        for power in [5, 7, 9, 10, 11, 12, 13, 14] {
            let hard = CompliantBody::new(ball.mesh().clone(), ball.extent().to_vec(), 10f64.powi(5 + power));
            let hard: Shape = hard.unwrap().into();
            for (s, sign) in [(query(&soft, &pa, &hard, &pb), 1.0), (query(&hard, &pb, &soft, &pa), -1.0)] {
                // Beyond, differences of the stiff field are all rounding.
                if sign < 0.0 && power > 11 {
                    continue;
                }
                let off = (s.wrench.force * sign - want.wrench.force).mag() / want.wrench.force.mag();
                let area = (s.area / want.area - 1.0).abs();
                // The soft body's share of the depth; and places are rounded, which the rim notices, and the pressure where it is
                // that of the stiff one.
                let share = 20.0 * 0.1f64.powi(power) + 1e-8;
                let most = share + if sign < 0.0 { 1e-15 * 10f64.powi(power) } else { 0.0 };
                assert!(off < most && area < share + 1e-3, "{i} 1e{power} {sign}: {off:e} {area:e}");
                last = last.min(off);
            }
        }
        assert!(last < 1e-8);
    }
}

/// Bodies of one size that lie flush have inner faces in common at their rims. Which side of them a polygon is on is what a run has added up in rounding:
/// it pushes neither body aside.
#[test]
fn flush_sides_do_not_push_aside() {
    let size = DVec3::new(0.1453, 0.0729, 0.0056);
    let card: Shape = fields::cuboid(size, 1e6).unwrap().into();
    let depth = 1e-3 * size.z;
    let mut random = Lcg(7);
    for i in 0..200 {
        // From 3e-12 on they count as aside.
        let most = [0.0, 1e-17, 1e-15, 1e-14, 1e-13, 1e-12][i % 6];
        let mut noise = || DVec3::new(random.next(), random.next(), random.next()) * most;
        let shift = noise() + DVec3::new(0.0, 0.0, size.z - depth);
        let above = Pose::new(shift, rotor_from_rotation_vector(noise()));
        let world = if i % 2 == 0 { Pose::identity() } else { random.pose(0.0, 3.0) };
        let above = Pose::new(world.point_to_world(above.position), world.rotation * above.rotation);
        for sign in [1.0, -1.0] {
            let s = if sign > 0.0 {
                query(&card, &world, &card, &above)
            } else {
                query(&card, &above, &card, &world)
            };
            let force = world.rotation.reversed() * s.wrench.force * sign;
            // Half the depth of half the height to each: p = E d/h.
            let want = -1e6 * depth / size.z * size.x * size.y;
            let aside = (force.x * force.x + force.y * force.y).sqrt();
            assert!((force.z / want - 1.0).abs() < 1e-3, "{i} {sign}: {force:?} for {want}");
            assert!(aside < 1e-10 * want.abs(), "{i} {sign}: {force:?}, {most:e} off");
        }
    }
}
