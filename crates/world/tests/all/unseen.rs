//! Bodies that start inside each other are named where the response would not hold them.

use crate::common::{drawn_out, gravity, law};
use impinge_contact::Damping;
use impinge_geometry::{DRotor3, DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Detection, Mass, Penalty, QpSettings, Response, Simulation};

fn cuboid(size: [f64; 3]) -> TriMesh {
    generators::cuboid(DVec3::from(size), [1, 1, 1]).unwrap()
}

/// A fixed body with its middle in the origin, and a free one at `at` (m).
fn two(response: Response, [fixed, free]: [TriMesh; 2], at: DVec3) -> Simulation {
    let scheme = match response.name() {
        "qp" => Scheme::ImplicitEuler,
        _ => response.scheme().unwrap_or(Scheme::SymplecticEuler),
    };
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(1e4, Damping::None))
        .scheme(scheme)
        .response(response)
        .body(BodyDesc::fixed("under", fixed, Pose::identity()).unwrap())
        .body(BodyDesc::rigid("over", &free, Mass::Total(1.0), Pose::from_position(at)).unwrap())
        .build()
        .unwrap()
}

fn crossing() -> [Response; 4] {
    [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit(), Response::from(QpSettings::default())]
}

#[test]
fn a_box_in_a_floor_is_held() {
    let slab = [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])];
    for response in crossing().into_iter().chain([Response::penalty()]) {
        let mut sim = two(response.clone(), slab.clone(), DVec3::unit_z() * 0.17);
        // All that is inside counts.
        assert_eq!(sim.unseen(), [], "{response:?}");
        for _ in 0..300 {
            sim.step().unwrap();
        }
        assert!(sim.pose(1).position.z > 0.17, "{response:?}: {} m", sim.pose(1).position.z);
    }
}

#[test]
fn bars_that_cross_have_no_vertex_inside() {
    let bars = [cuboid([1.0, 0.1, 0.1]), cuboid([0.1, 1.0, 0.1])];
    for response in crossing().into_iter().chain([Response::penalty()]) {
        let sim = two(response.clone(), bars.clone(), DVec3::unit_z() * 0.06);
        // The edges of the upper one run 40 mm deep; halfway through, its surface is as near to the sides.
        let [unseen] = &sim.unseen()[..] else { panic!("{response:?}: {:?}", sim.unseen()) };
        assert!(unseen.edges_alone && (unseen.depth - 0.04).abs() < 1e-12, "{unseen}");
    }
}

#[test]
fn what_touches_is_not_inside() {
    let slab = [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])];
    let same = [cuboid([0.2; 3]), cuboid([0.2; 3])];
    let bars = [cuboid([1.0, 0.1, 0.1]), cuboid([0.1, 1.0, 0.1])];
    for response in crossing().into_iter().chain([Response::penalty(), by_proximity()]) {
        for off in [0.0, 1e-17, -1e-17, 1e-10, -1e-10, 0.05] {
            for (bodies, z) in [(&slab, 0.2), (&same, 0.2), (&bars, 0.1)] {
                let sim = two(response.clone(), bodies.clone(), DVec3::unit_z() * (z + off));
                assert_eq!(sim.unseen(), [], "{response:?}, {off} m off");
            }
        }
    }
}

/// Blocks that are set down a hair inside each other: in line with both sides or one, beside, across a corner, turned, in a cross.
#[test]
fn a_hair_of_overlap_is_held_at_corners_sides_and_crossed_edges() {
    let (size, same) = (0.2, [cuboid([0.2; 3]), cuboid([0.2; 3])]);
    let narrow = [cuboid([0.2; 3]), cuboid([0.08, 0.08, 0.2])];
    let bars = [cuboid([0.6, 0.2, 0.2]), cuboid([0.2, 0.6, 0.2])];
    let places = [
        (&same, [0.0, 0.0], 0.0),
        (&same, [0.0, 0.03], 0.0),
        (&same, [3e-10, -0.03], 0.0),
        (&same, [0.02, -0.03], 0.0),
        (&same, [0.0, 0.0], 45.0),
        (&same, [0.0, 0.0], 10.0),
        (&narrow, [0.06, 0.0], 0.0),
        (&bars, [0.0, 0.0], 0.0),
    ];
    for response in crossing() {
        for (bodies, [x, y], degrees) in places {
            for overlap in [1e-12, 1e-9, 1e-6, 2e-4] {
                let said = format!("{response:?}, {x} {y}, {degrees} degrees, {overlap} m");
                let mut sim = two(response.clone(), bodies.clone(), DVec3::new(x, y, size - overlap));
                let turn = DRotor3::from_rotation_xy(f64::to_radians(degrees));
                let at = sim.position(1);
                sim.set_pose("over", Pose { rotation: turn, position: at }).unwrap();
                assert_eq!(sim.unseen(), [], "{said}");
                for _ in 0..150 {
                    sim.step().unwrap();
                }
                let (z, up) = (sim.position(1).z, sim.pose(1).vector_to_world(DVec3::unit_z()).z);
                assert!((z - size).abs() < 2e-3 && up > 1.0 - 1e-4, "{said}: at {z} m, upright to {up}");
            }
        }
    }
}

/// A cup in a cup: what is inside near a thin wall is before its inner side, not behind its outer one by a hair.
#[test]
fn a_cup_in_a_cup_of_thin_walls_stays_in_it() {
    let (height, wall) = (0.08, 2.5e-4);
    let cup = |radius: f64| generators::bucket(radius, radius, height, wall, 24, 1).unwrap();
    for response in crossing() {
        // The floor of the inner one ends half a millimetre over the underside of the outer one, and begins where that of the outer one ends.
        let mut sim = two(response.clone(), [cup(0.04), cup(0.03)], DVec3::unit_z() * (wall + 1e-9));
        let start = sim.position(1).z;
        sim.step().unwrap();
        let force = sim.contact_force(1).z;
        assert!(force > -1e-9, "{response:?}: pushed down with {force} N");
        for _ in 0..20 {
            sim.step().unwrap();
        }
        assert!(sim.position(1).z > start - 2e-3, "{response:?}: {} m of {start} m", sim.position(1).z);
    }
}

/// Too far in to be a hair, and in line: no vertex is inside, and no edge.
#[test]
fn blocks_in_line_that_overlap_by_more_are_named() {
    let same = [cuboid([0.2; 3]), cuboid([0.2; 3])];
    for response in crossing() {
        let sim = two(response.clone(), same.clone(), DVec3::unit_z() * 0.195);
        let [unseen] = &sim.unseen()[..] else { panic!("{response:?}: {:?}", sim.unseen()) };
        assert!(unseen.edges_alone && (unseen.depth - 0.005).abs() < 1e-12, "{unseen}");
    }
}

fn by_proximity() -> Response {
    Penalty { detection: Detection::Proximity { reach: 0.01 }, ..Penalty::default() }.into()
}

/// The springs of all sides of a box add up to nothing, and by proximity what is behind a face is pushed on.
#[test]
fn penalty_names_a_box_in_the_middle_of_another_and_by_proximity_any() {
    let boxes = [cuboid([0.4; 3]), cuboid([0.2; 3])];
    let slab = [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])];
    for (response, bodies, z, depth) in
        [(Response::penalty(), boxes, 0.0, 0.1), (by_proximity(), slab, 0.17, 0.03)]
    {
        let mut sim = two(response.clone(), bodies, DVec3::unit_z() * z);
        let [unseen] = &sim.unseen()[..] else { panic!("{response:?}: {:?}", sim.unseen()) };
        assert!((unseen.depth - depth).abs() < 1e-12 && !unseen.edges_alone, "{unseen}");
        let words = unseen.to_string();
        assert!(words.contains("'under' and 'over': 'penalty' cannot resolve it"), "{words}");
        // It is true: nothing lifts it.
        for _ in 0..50 {
            sim.step().unwrap();
        }
        assert!(sim.pose(1).position.z < z, "{response:?}: {} m", sim.pose(1).position.z);
    }
    // Each loose point has a spring of its own.
    let floor = BodyDesc::fixed("under", cuboid([1.0, 1.0, 0.2]), Pose::identity()).unwrap();
    let dust = BodyDesc::particles("over", vec![DVec3::unit_z() * 0.07], 1.0);
    let world = Simulation::builder(1e-3).law(law(1e4, Damping::None)).body(floor).body(dust);
    assert_eq!(world.build().unwrap().unseen(), []);
}

/// The fixed body is a cuboid with its top at 0.
fn into_floor(response: Response, floor: [f64; 3], free: ([f64; 3], [u32; 3]), depth: f64) -> Simulation {
    let free_mesh = generators::cuboid(DVec3::from(free.0), free.1).unwrap();
    // The middle of the floor is in the origin.
    let at = DVec3::new(0.01, 0.02, 0.5 * floor[2] - depth + 0.5 * free.0[2]);
    two(response, [cuboid(floor), free_mesh], at)
}

/// Where the far side of the floor is nearer, where the vertices of a fine mesh are nearer to each other than to the top, and where sides of the floor are
/// opposite those of the body: all that pushes pushes up, and none of it along the body's own side.
#[test]
fn what_starts_deep_is_pushed_to_the_side_that_it_looks_at() {
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        for (floor, free, depth, corners) in [
            ([2.0, 2.0, 0.04], ([0.2; 3], [2, 2, 2]), 0.03, 9.0),
            ([2.0, 2.0, 0.04], ([0.2; 3], [10, 10, 10]), 0.03, 121.0),
            ([2.0, 2.0, 0.2], ([0.2; 3], [2, 2, 2]), 0.12, 9.0),
            ([2.0, 2.0, 0.2], ([0.02, 0.02, 0.5], [1, 1, 8]), 0.12, 4.0),
            ([1.0, 1.0, 0.01], ([0.2; 3], [2, 2, 2]), 0.0055, 9.0),
        ] {
            let said = format!("{response:?}, {free:?} {depth} m in {floor:?}");
            let mut sim = into_floor(response.clone(), floor, free, depth);
            assert_eq!(sim.unseen(), [], "{said}");
            sim.step().unwrap();
            let force = sim.contact_force(1);
            // The first step is short beside how fast it is pushed out: each bears k times its depth.
            let wanted = corners * 1e4 * depth;
            assert!((force.z / wanted - 1.0).abs() < 0.5, "{said}: {force:?} N for {wanted} N");
            assert!(force.x.abs() + force.y.abs() < 1e-9 * wanted, "{said}: {force:?} N");
            // Out it is, with what the springs held.
            for _ in 0..100 {
                sim.step().unwrap();
            }
            assert!(sim.twist(1).velocity.z > 0.0 || depth < 0.01, "{said}: {:?}", sim.twist(1));
        }
    }
}

/// A cube that is symmetric below the bottom of a sharp notch is behind both walls, and nothing throws it to a side; a face without an area holds nothing, and
/// its neighbours hold what it does not.
#[test]
fn of_the_faces_at_the_nearest_point_one_with_an_area_that_it_is_behind_holds() {
    let profile =
        [[-0.5, 0.0], [-0.5, -0.5], [0.5, -0.5], [0.5, 0.0], [0.02, 0.0], [0.0, -0.3], [-0.02, 0.0]];
    let notch = drawn_out(&profile, &[[0, 1, 6], [6, 1, 5], [5, 1, 2], [5, 2, 3], [5, 3, 4]], 0.5);
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        let free = cuboid([0.1, 0.2, 0.1]);
        let mut sim = two(response.clone(), [notch.clone(), free], DVec3::new(0.0, 0.0, -0.37));
        for _ in 0..60 {
            sim.step().unwrap();
            let (p, w) = (sim.pose(1).position, sim.twist(1).angular_velocity);
            assert!(p.x.abs() < 1e-9 && w.mag() < 1e-9, "{response:?}: {p:?}, {w:?}");
        }
        assert!(sim.twist(1).velocity.z > 0.0, "{response:?}: {:?}", sim.twist(1));
    }
    // A slab whose top is cut along its diagonal by a face of no area, first and last of all.
    let slab = |first: bool| {
        let b = cuboid([1.0, 1.0, 0.2]);
        let (mut x, mut t) = (b.positions().to_vec(), b.triangles().to_vec());
        let top = |t: &[u32; 3]| t.iter().all(|&v| x[v as usize].z > 0.0);
        let i = t.iter().position(top).unwrap();
        let j = t.iter().rposition(top).unwrap();
        let shared: Vec<u32> = t[i].into_iter().filter(|v| t[j].contains(v)).collect();
        let k = (0..3).find(|&k| shared.contains(&t[i][k]) && shared.contains(&t[i][(k + 1) % 3])).unwrap();
        let (a, b, c) = (t[i][k], t[i][(k + 1) % 3], t[i][(k + 2) % 3]);
        let m = x.len() as u32;
        x.push((x[a as usize] + x[b as usize]) * 0.5);
        t[i] = [a, m, c];
        t.push([m, b, c]);
        let flat = [b, m, a];
        if first {
            t.insert(0, flat)
        } else {
            t.push(flat)
        }
        TriMesh::new(x, t).unwrap()
    };
    let force = |first: bool| {
        let free = generators::cuboid(DVec3::broadcast(0.2), [2, 2, 2]).unwrap();
        let mut sim = two(Response::cpf(), [slab(first), free], DVec3::unit_z() * 0.17);
        sim.step().unwrap();
        sim.contact_force(1).z
    };
    let whole = into_floor(Response::cpf(), [1.0, 1.0, 0.2], ([0.2; 3], [2, 2, 2]), 0.03);
    let wanted = {
        let mut sim = whole;
        sim.step().unwrap();
        sim.contact_force(1).z
    };
    // The vertex in the middle of the cut is inside the cube, too, where one of the cube is inside the slab: they share out one spring.
    for first in [true, false] {
        let found = force(first);
        assert!((found / wanted - 1.0).abs() < 1e-9, "{first}: {found} N for {wanted} N");
    }
}

#[test]
fn particles_and_what_a_rule_leaves_out_are_named() {
    let floor = BodyDesc::fixed("under", cuboid([1.0, 1.0, 0.2]), Pose::identity()).unwrap();
    let dust = BodyDesc::particles("over", vec![DVec3::unit_z() * 0.07, DVec3::new(0.1, 0.0, 0.08)], 1.0);
    let sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(1e4, Damping::None))
        .scheme(Scheme::ImplicitEuler)
        .response(Response::from(QpSettings::default()))
        .body(floor)
        .body(dust)
        .build()
        .unwrap();
    let [unseen] = &sim.unseen()[..] else { panic!("{:?}", sim.unseen()) };
    assert!((unseen.depth - 0.03).abs() < 1e-12 && !unseen.edges_alone, "{unseen}");
    assert_eq!((&unseen.a[..], &unseen.b[..]), ("under", "over"));
    let words = unseen.to_string();
    assert!(words.contains("'under' and 'over'") && words.contains("3.00e-2 m"), "{words}");
}

/// Depths are measured in a body's frame, faces stand in the world, and far from its origin the two are rounded apart.
#[test]
fn far_from_the_origin_a_little_deep_is_held() {
    let far = DVec3::new(1e4, -2e4, 1e4);
    let free = BodyDesc::rigid(
        "over",
        &cuboid([0.2; 3]),
        Mass::Total(1.0),
        Pose::from_position(far + DVec3::unit_z() * (0.2 - 1e-5)),
    )
    .unwrap();
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(1e4, Damping::None))
        .response(Response::cpf())
        .body(BodyDesc::fixed("under", cuboid([1.0, 1.0, 0.2]), Pose::from_position(far)).unwrap())
        .body(free)
        .build()
        .unwrap();
    assert_eq!(sim.unseen(), []);
    sim.step().unwrap();
    // Four springs, 10 µm deep and 5 µm more on the way.
    let force = sim.contact_force(1).z;
    assert!((force / (4.0 * 1e4 * (1e-5 + 0.5 * 9.81e-6)) - 1.0).abs() < 1e-3, "{force} N");
}

/// A block of 2 kg, askew, this high (m) over the middle of open ground.
fn on_open_ground(response: &Response, block: &TriMesh, height: f64) -> Simulation {
    let ground = generators::grid([2.0, 2.0], [1, 1]).unwrap();
    let lean = DRotor3::from_rotation_xz(0.02) * DRotor3::from_rotation_yz(0.01);
    let place = Pose::new(DVec3::new(0.011, 0.003, height), lean);
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(2e4, Damping::KelvinVoigt(80.0)))
        .scheme(response.scheme().unwrap_or(Scheme::SymplecticEuler))
        .response(response.clone())
        .body(BodyDesc::fixed("ground", ground, Pose::identity()).unwrap())
        .body(BodyDesc::rigid("over", block, Mass::Total(2.0), place).unwrap())
        .build()
        .unwrap()
}

/// A box set down askew on open ground: its deepest corner is 1.9 mm behind it, more than a hair.
#[test]
fn what_passes_through_open_ground_by_little_is_pushed_to_its_front() {
    for response in crossing().into_iter().take(3) {
        let mut sim = on_open_ground(&response, &cuboid([0.16, 0.16, 0.08]), 0.04);
        assert_eq!(sim.unseen(), [], "{response:?}");
        (0..300).for_each(|_| sim.step().unwrap());
        let z = sim.pose(1).position.z;
        assert!((z - 0.04).abs() < 1e-3, "{response:?}: {z} m");
        assert_eq!(sim.in_each_other(0.02, |_, _| true), [], "{response:?}");
    }
}

/// A box whose middle is behind open ground may belong there: nothing pushes it, and that is said. Some of its vertices are nearer than half its side.
#[test]
fn what_is_mostly_behind_open_ground_is_left_there_and_named() {
    let block = generators::cuboid(DVec3::broadcast(0.16), [2; 3]).unwrap();
    for response in crossing().into_iter().take(3) {
        let mut sim = on_open_ground(&response, &block, -0.03);
        assert_eq!(sim.unseen().len(), 1, "{response:?}");
        (0..50).for_each(|_| sim.step().unwrap());
        let down = sim.twist(1).velocity.z;
        assert!(down < -0.45, "{response:?}: {down} m/s");
    }
}

/// Edges of open ground are inside a box that stands on it as deep as its vertices are behind it: these hold it.
#[test]
fn what_springs_hold_on_open_ground_goes_through_nothing() {
    let ground = generators::grid([9.0, 2.4], [23, 5]).unwrap();
    let block = generators::cuboid(DVec3::broadcast(0.3), [2; 3]).unwrap();
    let place = Pose::new(DVec3::unit_z() * 0.15, DRotor3::from_rotation_xy(0.1745));
    let mut sliding = BodyDesc::rigid("over", &block, Mass::Total(13.5), place).unwrap();
    sliding.velocity = DVec3::unit_x() * 3.0;
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(4e4, Damping::KelvinVoigt(122.0)))
        .response(Response::penalty())
        .body(BodyDesc::fixed("ground", ground, Pose::identity()).unwrap())
        .body(sliding)
        .build()
        .unwrap();
    for _ in 0..10 {
        (0..60).for_each(|_| sim.step().unwrap());
        let z = sim.position(1).z;
        assert!(z > 0.149 && z < 0.15, "{z} m");
        assert_eq!(sim.unheld_now(), [], "t = {}", sim.time());
    }
}

/// Of bodies that lie in each other by a quarter of the narrower, the watch says how deep.
#[test]
fn bodies_in_each_other_are_found_at_any_time() {
    let sim = two(Response::cpf(), [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])], DVec3::unit_z() * 0.15);
    let [(pair, depth)] = sim.in_each_other(0.2, |_, _| true)[..] else {
        panic!("{:?}", sim.in_each_other(0.2, |_, _| true))
    };
    assert!(pair == [0, 1] && (depth - 0.05).abs() < 1e-12, "{pair:?} {depth}");
    assert_eq!(sim.in_each_other(0.3, |_, _| true), []);
}
