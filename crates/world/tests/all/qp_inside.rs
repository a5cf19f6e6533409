//! Under constraints, what starts deeper inside another body than surfaces keep apart is held, and moved out by places at the speed of recovery.

use crate::common;
use crate::common::{G, floor, gravity};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_world::{
    Attach, AttachTo, BodyDesc, Builder, Deformable, Mass, NodeState, QpReport, QpSettings, Response,
    Simulation, Tracked,
};

const R: f64 = 1e-3;
const DT: f64 = 2e-3;
const RECOVERY: f64 = 0.01;

fn world(mu: f64) -> Builder {
    recovering(RECOVERY, mu)
}

fn recovering(recovery: f64, mu: f64) -> Builder {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    Simulation::builder(DT)
        .law(PairLaw { friction, ..PairLaw::elastic(1.0) })
        .response(Response::from(QpSettings { recovery, thickness: R, ..QpSettings::default() }))
}

fn cuboid(size: [f64; 3], cells: u32) -> TriMesh {
    generators::cuboid(DVec3::from(size), [cells; 3]).unwrap()
}

fn rigid(name: &str, mesh: &TriMesh, at: DVec3) -> BodyDesc {
    BodyDesc::rigid(name, mesh, Mass::Total(2.0), Pose::from_position(at)).unwrap()
}

/// A box so deep in a mesh floor weighs m g in each step, has no velocity, and comes up by recovery · Δt a step until it is a thickness above; so does one of a
/// fine mesh, whose vertices are nearer to each other than to the top.
#[test]
fn a_box_in_a_floor_weighs_m_g_and_is_moved_out() {
    for (depth, cells, mu) in [(1.5e-3, 1, 0.0), (0.02, 1, 0.5), (0.03, 6, 0.5)] {
        let free = cuboid([0.2; 3], cells);
        let at = DVec3::new(0.013, 0.007, 0.1 - depth);
        let mut sim =
            world(mu).gravity(gravity()).body(floor(true)).body(rigid("box", &free, at)).build().unwrap();
        assert_eq!(sim.unseen(), []);
        let steps = ((depth + R) / (RECOVERY * DT)).round() as u32;
        for step in 1..=steps + 50 {
            sim.step().unwrap();
            let said = format!("{depth} m, {cells} cells, mu {mu}, step {step}");
            let z = sim.position(1).z - 0.1;
            let wanted = (f64::from(step) * RECOVERY * DT - depth).min(R);
            assert!((z - wanted).abs() < 1e-6 + 0.02 * RECOVERY * DT, "{said}: {z} m for {wanted}");
            let force = sim.contact_force(1);
            assert!((force - DVec3::unit_z() * (2.0 * G)).mag() < 1e-6, "{said}: {force:?} N");
            assert!(sim.twist(1).velocity.mag() < 1e-6, "{said}: {:?}", sim.twist(1));
        }
        // Then it is a contact as any.
        assert_eq!(sim.column::<Tracked>().len(), 0);
    }
}

/// Friction acts as on a surface: v²/2 μ g.
#[test]
fn a_box_that_slides_in_a_floor_comes_to_rest_where_it_would_on_top() {
    let (v, mu) = (0.6, 0.4);
    let at = DVec3::new(-0.1, 0.0, 0.095);
    let mut body = rigid("box", &cuboid([0.2; 3], 1), at);
    body.velocity.x = v;
    let mut sim = world(mu).gravity(gravity()).body(floor(true)).body(body).build().unwrap();
    for _ in 0..200 {
        sim.step().unwrap();
    }
    let way = sim.position(1).x - at.x;
    // Of implicit steps, the velocity at the end is gone by: half a step's way is missing.
    let wanted = v * v / (2.0 * mu * G);
    assert!((way - wanted).abs() < 0.6 * v * DT, "{way} m for {wanted}");
    assert_eq!(sim.column::<QpReport>().cut, 0);
}

/// Two free boxes part with no momentum, each by half.
#[test]
fn two_free_boxes_part_by_half_each() {
    let over = rigid("over", &cuboid([0.06, 0.06, 0.1], 1), DVec3::new(0.0, 0.0, 0.09));
    let under = rigid("under", &cuboid([0.1; 3], 1), DVec3::zero());
    let mut sim = world(0.0).body(under).body(over).build().unwrap();
    for _ in 0..200 {
        sim.step().unwrap();
        let p = [0, 1].map(|b| sim.twist(b).velocity * 2.0);
        assert!((p[0] + p[1]).mag() < 1e-12 && p[0].mag() < 1e-6, "{p:?}");
    }
    let z = [0, 1].map(|b| sim.position(b).z);
    let moved = 200.0 * RECOVERY * DT / 2.0;
    assert!((z[0] + moved).abs() < 1e-5 && (z[1] - 0.09 - moved).abs() < 1e-5, "{z:?}");
}

/// Bodies with a middle in common have no way out of each other that all their vertices agree on; they part on one, and no program is without a solution.
#[test]
fn bodies_in_the_middle_of_each_other_part() {
    let ball = generators::icosphere(0.05, 2).unwrap();
    let low = rigid("low", &ball, DVec3::zero());
    let high = rigid("high", &ball, DVec3::new(0.012, 0.005, 0.003));
    let mut sim = recovering(0.5, 0.5).body(low).body(high).build().unwrap();
    for _ in 0..500 {
        sim.step().unwrap();
    }
    let apart = (sim.position(1) - sim.position(0)).mag();
    assert!(apart > 0.097, "{apart} m");
}

#[test]
fn a_soft_block_in_a_floor_is_moved_out() {
    let mesh = generators::tet_box(DVec3::broadcast(0.1), [2, 2, 2]).unwrap();
    let rubber = Material::new(5e4, 0.3, 1000.0).with_rayleigh(2.0, 0.002);
    let soft = Deformable::solid("block", &mesh, Model::Corotational, &rubber).unwrap();
    let block = BodyDesc::deformable("block", soft, Pose::from_position(DVec3::new(0.013, 0.007, 0.044)));
    let mut sim = world(0.3)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .body(floor(true))
        .body(block)
        .build()
        .unwrap();
    assert_eq!(sim.unseen(), []);
    for _ in 0..600 {
        sim.step().unwrap();
    }
    let lowest = sim.column::<NodeState>().x.iter().fold(f64::INFINITY, |m, x| m.min(x.z));
    assert!((lowest - R).abs() < 1e-5, "{lowest} m");
    let force = sim.contact_force(1).z;
    assert!((force / (1000.0 * 1e-3 * G) - 1.0).abs() < 1e-3, "{force} N");
}

/// What is held is state: a run that goes on from a snapshot has the same bits.
#[test]
fn a_snapshot_holds_what_is_inside() {
    let build = || {
        let free = rigid("box", &cuboid([0.2; 3], 2), DVec3::new(0.013, 0.007, 0.08));
        world(0.5).gravity(gravity()).body(floor(true)).body(free).build().unwrap()
    };
    let (mut sim, mut other) = (build(), build());
    for _ in 0..20 {
        sim.step().unwrap();
    }
    assert!(!sim.column::<Tracked>().is_empty());
    other.restore(&sim.snapshot()).unwrap();
    for _ in 0..20 {
        sim.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(sim.hash(), other.hash());
}

/// A slab in the corner of an L, deep in both arms, many more of its vertices in one: it is held in both.
#[test]
fn in_a_corner_both_walls_hold_however_many_vertices_each_has() {
    let profile = [[0.0, 0.0], [0.6, 0.0], [0.6, 0.1], [0.1, 0.1], [0.1, 0.6], [0.0, 0.6]];
    let corner = common::drawn_out(&profile, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.4);
    let free = generators::cuboid(DVec3::broadcast(0.2), [12, 2, 2]).unwrap();
    let at = DVec3::new(0.195, 0.0, 0.195);
    let mut sim = world(0.0)
        .gravity(DVec3::new(-5.0, 0.0, -8.0))
        .body(BodyDesc::fixed("corner", corner, Pose::identity()).unwrap())
        .body(rigid("box", &free, at))
        .build()
        .unwrap();
    assert_eq!(sim.unseen(), []);
    for step in 0..200 {
        sim.step().unwrap();
        let p = sim.position(1);
        assert!(p.x > at.x - 1e-6 && p.z > at.z - 1e-6, "step {step}: {p:?}");
    }
}

/// What is held from two sides that are opposite has no way, and is named.
#[test]
fn a_bar_that_is_too_wide_for_its_slot_is_named() {
    let profile = [
        [-0.5, -0.2],
        [0.5, -0.2],
        [0.5, 0.2],
        [0.1, 0.2],
        [0.1, -0.1],
        [-0.1, -0.1],
        [-0.1, 0.2],
        [-0.5, 0.2],
    ];
    let faces = [[0, 1, 5], [1, 4, 5], [1, 2, 4], [2, 3, 4], [0, 5, 7], [5, 6, 7]];
    let slot = common::drawn_out(&profile, &faces, 0.4);
    let bar = generators::cuboid(DVec3::new(0.22, 0.2, 0.2), [4, 4, 4]).unwrap();
    let sim = world(0.0)
        .gravity(gravity())
        .body(BodyDesc::fixed("slot", slot, Pose::identity()).unwrap())
        .body(rigid("bar", &bar, DVec3::unit_z() * 0.05))
        .build()
        .unwrap();
    let [unseen] = &sim.unseen()[..] else { panic!("{:?}", sim.unseen()) };
    assert!((unseen.depth - 0.01).abs() < 1e-9, "{unseen}");
}

/// A soft block that is tied to a plate inside it stays at rest.
#[test]
fn what_is_attached_is_not_pushed_off() {
    let mesh = generators::tet_box(DVec3::broadcast(0.1), [2, 2, 2]).unwrap();
    let rubber = Material::new(5e4, 0.3, 1000.0).with_rayleigh(2.0, 0.002);
    let low: Vec<u32> =
        (0..mesh.positions().len() as u32).filter(|&n| mesh.positions()[n as usize].z < -0.04).collect();
    let attach =
        Attach { nodes: low, to: AttachTo::Body(0), stiffness: Some(1e4), damping: 1.0, frame: None };
    let soft = Deformable::solid("block", &mesh, Model::Corotational, &rubber).unwrap().attached(attach);
    let plate = cuboid([0.3, 0.3, 0.04], 1);
    let mut sim = world(0.3)
        .scheme(Scheme::ImplicitEuler)
        .body(BodyDesc::fixed("plate", plate, Pose::identity()).unwrap())
        .body(BodyDesc::deformable("block", soft, Pose::from_position(DVec3::unit_z() * 0.06)))
        .build()
        .unwrap();
    assert_eq!(sim.unseen(), []);
    for _ in 0..50 {
        sim.step().unwrap();
        let fastest = sim.column::<NodeState>().v.iter().fold(0.0f64, |m, v| m.max(v.mag()));
        assert!(fastest < 1e-6 && sim.contact_force(1).mag() == 0.0, "{fastest} m/s");
    }
}
