//! Continuous penalty through the whole pipeline: rest depth, weight, momentum, tunnelling, same bits.

use crate::common::{G, collision, floor, gravity, law, node, weighed};
use impinge_contact::{Contacts, Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Decisions, Detection, Mass, Penalty, Response, Simulation, Tracked};

fn friction() -> FrictionLaw {
    FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap }
}

#[test]
fn b2_a_particle_rests_at_the_depth_of_the_closed_form() {
    let (k, dt) = (1e4, 2e-3);
    let depth = G / k - 0.5 * G * dt * dt;
    let mut p = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -depth)], 1.0);
    p.velocity = DVec3::zero();
    let mut sim = Simulation::builder(dt)
        .gravity(gravity())
        .law(law(k, Damping::None))
        .response(Response::cpf())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(p)
        .build()
        .unwrap();
    for _ in 0..500 {
        sim.step().unwrap();
        let (x, v) = node(&sim);
        assert!((x + depth).abs() < 1e-9 && v.abs() < 1e-9, "x {x} v {v}");
    }
    assert!((sim.contact_force(1).z - G).abs() < 1e-9);
}

#[test]
fn b22_a_settled_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    for body in weighed(1e-4) {
        for on_mesh in [false, true] {
            let name = body.name.clone();
            let mut sim = Simulation::builder(1e-3)
                .gravity(gravity())
                .law(law(5e3, Damping::KelvinVoigt(30.0)))
                .response(Response::cpf())
                .body(floor(on_mesh))
                .body(body.clone())
                .build()
                .unwrap();
            for _ in 0..3000 {
                sim.step().unwrap();
            }
            let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
            assert!((body.z / (2.0 * G) - 1.0).abs() < 1e-3, "{name} on mesh {on_mesh}: {body:?}");
            assert!((body + ground).mag() < 1e-9 * G, "{name}: action and reaction");
        }
    }
}

#[test]
fn b55_linear_momentum_is_kept_and_the_angular_leak_is_the_one_predicted() {
    let with_friction =
        PairLaw { damping: Damping::HuntCrossley(0.2), friction: Some(friction()), ..PairLaw::elastic(4e3) };
    for law in [law(4e3, Damping::None), with_friction] {
        let mut sim = collision(Response::cpf(), law, 5e-4).build().unwrap();
        let (mut touching, mut tracked, mut leak) = (0, 0, 0.0f64);
        for _ in 0..800 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            let m = ledger.momentum;
            touching += usize::from(!ledger.pairs.is_empty());
            assert!(m.linear_residual.mag() < 1e-12 * m.linear_scale);
            assert!((m.angular_residual - m.predicted_leak).mag() < 1e-12 * m.angular_scale);
            leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
            tracked = tracked.max(sim.column::<Tracked>().len());
        }
        assert!(touching > 10 && tracked > 3, "{touching} steps in contact, {tracked} contacts tracked");
        assert!(leak > 1e-8, "the leak is there to be seen: {leak}");
        let apart = sim.pose(1).position - sim.pose(0).position;
        let parting = (sim.twist(1).velocity - sim.twist(0).velocity).dot(apart);
        assert!(parting > 0.0 && sim.ledger().pairs.is_empty(), "the bodies have parted");
        assert!(sim.column::<Tracked>().is_empty());
    }
}

#[test]
fn a_fast_ball_is_thrown_back_on_the_side_it_came_from() {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.01), [2, 2, 1]).unwrap();
    let ball = generators::icosphere(0.02, 1).unwrap();
    // 6 mm in one step: past the middle of the plate, so the nearest way out is the wrong one.
    let pose = Pose::from_position(DVec3::new(0.03, 0.01, 0.005 + 0.02 + 1e-4));
    let mut body = BodyDesc::rigid("ball", &ball, Mass::Total(0.1), pose).unwrap();
    body.velocity = DVec3::new(0.3, 0.0, -3.0);
    let end = |response| {
        let mut sim = Simulation::builder(2e-3)
            .law(law(2e3, Damping::None))
            .response(response)
            .body(BodyDesc::fixed("plate", plate.clone(), Pose::identity()).unwrap())
            .body(body.clone())
            .build()
            .unwrap();
        for _ in 0..100 {
            sim.step().unwrap();
        }
        (sim.pose(1).position.z, sim.twist(1).velocity.z)
    };
    let (z, v) = end(Response::cpf());
    assert!(z > 0.025 && v > 0.0, "CPF: z {z} v {v}");
    let (z, _) = end(Response::dpf_ccd());
    assert!(z > 0.025, "the discrete force on tracked features: z {z}");
    let (z, _) = end(Response::penalty());
    assert!(z > 0.025, "the discrete force against the surface of the ball: z {z}");
    let closest = Response::from(Penalty {
        evaluate: Evaluate::End,
        release: Release::Force,
        detection: Detection::Closest,
    });
    let (z, _) = end(closest);
    assert!(z < -0.025, "the discrete force takes the nearest way out: z {z}");
}

fn pile() -> Simulation {
    let law =
        PairLaw { damping: Damping::KelvinVoigt(1.0), friction: Some(friction()), ..PairLaw::elastic(1e3) };
    let torus = generators::torus(0.1, 0.04, 16, 8).unwrap();
    let ball = generators::icosphere(0.08, 2).unwrap();
    let mut b = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..4 {
        let (mesh, turn) = if i % 2 == 0 { (&torus, 0.4) } else { (&ball, 1.1) };
        let rotation = rotor_from_rotation_vector(DVec3::new(turn, 0.3 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.02 * f64::from(i), 0.01, 0.16 + 0.17 * f64::from(i)), rotation);
        b = b.body(BodyDesc::rigid(&format!("body-{i}"), mesh, Mass::Density(500.0), pose).unwrap());
    }
    b.build().unwrap()
}

#[test]
fn any_number_of_threads_and_a_snapshot_give_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = pile();
            for _ in 0..300 {
                sim.step().unwrap();
            }
            let (middle, open) = (sim.snapshot(), sim.column::<Tracked>().len());
            for _ in 0..50 {
                sim.step().unwrap();
            }
            let end = sim.hash();
            sim.restore(&middle).unwrap();
            for _ in 0..50 {
                sim.step().unwrap();
            }
            assert_eq!(sim.hash(), end, "after going back");
            (end, open)
        })
    };
    let one = run(1);
    assert!(one.1 > 5, "{} contacts tracked", one.1);
    assert_eq!(run(2), one);
    assert_eq!(run(8), one);
}

/// A tilted box that is thrown onto a floor of many triangles, slides and tumbles.
fn thrown(extra: Option<BodyDesc>, law: PairLaw) -> impinge_world::Builder {
    let floor = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [23, 19, 1]).unwrap();
    let block = generators::cuboid(DVec3::new(0.3, 0.2, 0.15), [2, 2, 2]).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::new(0.15, 0.1, 0.3));
    let pose = Pose::new(DVec3::new(-0.4, 0.03, 0.13), turn);
    let mut body = BodyDesc::rigid("box", &block, Mass::Total(1.0), pose).unwrap();
    body.velocity = DVec3::new(1.0, 0.2, -1.5);
    let floor = BodyDesc::fixed("floor", floor, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap();
    let b = Simulation::builder(1e-3).gravity(gravity()).law(law).response(Response::cpf());
    extra.into_iter().fold(b, impinge_world::Builder::body).body(floor).body(body)
}

#[test]
fn the_edges_of_a_floor_push_and_never_pull() {
    // Edges of the box pass under edges of the floor on the way in; on the way out they meet them from inside (C10 vii).
    let mut sim = thrown(None, law(4e3, Damping::None)).build().unwrap();
    let (mut lifted, mut pressed, mut most, mut by_edges, mut pulled) = (false, 0, 0.0f64, 0.0f64, 0.0f64);
    for _ in 0..1500 {
        sim.step().unwrap();
        let f = sim.contact_force(1).z;
        let (contacts, decided) = (sim.column::<Contacts>(), sim.column::<Decisions>());
        for i in (0..contacts.len()).filter(|&i| impinge_cpf::vertex_and_face(contacts.key[i]).is_none()) {
            // The floor's edge is the first of the pair.
            let down = decided.mesh.normal[i].z / sim.dt();
            (by_edges, pulled) = (by_edges.max(-down), pulled.max(down));
        }
        (pressed, most) = (pressed + usize::from(f > 1.0), most.max(f));
        lifted |= pressed > 0 && f == 0.0;
    }
    assert!(lifted && pressed > 20 && most > G, "{pressed} steps pressed, {most} N, lifted {lifted}");
    // A pair of edges that turns while it is open may lean over; met from inside it would pull like a contact pushes.
    assert!(
        by_edges > 1.0 && pulled < 0.01 * by_edges,
        "edges push with {by_edges} N and pull with {pulled} N"
    );
}

#[test]
fn a_cut_elsewhere_leaves_contacts_and_their_anchors_alone() {
    use impinge_elasticity::{Material, tet::Model};
    use impinge_world::{Cut, Deformable};
    let tets = generators::tet_box(DVec3::new(0.2, 0.1, 0.2), [3, 2, 3]).unwrap();
    let jelly = Material::new(1e5, 0.3, 1000.0);
    let soft = Deformable::solid("soft", &tets, Model::Corotational, &jelly).unwrap();
    let far = Pose::from_position(DVec3::new(30.0, 0.0, 100.0));
    let law =
        PairLaw { damping: Damping::KelvinVoigt(5.0), friction: Some(friction()), ..PairLaw::elastic(4e3) };
    let run = |cut: bool| {
        let mut b = thrown(Some(BodyDesc::deformable("soft", soft.clone(), far)), law)
            .scheme(impinge_integrators::Scheme::ImplicitEuler);
        if cut {
            let (time, point, normal) = (0.2, DVec3::new(30.0, 0.0, 99.8), DVec3::new(0.1, 0.2, 1.0));
            b = b.cut(Cut { time, slot: 0, point, normal, within: None, snap: 0.1 });
        }
        let mut sim = b.build().unwrap();
        let mut open = 0;
        for i in 0..400 {
            sim.step().unwrap();
            if i == 200 {
                open = sim.column::<Tracked>().len();
                let own = sim.snapshot();
                sim.restore(&own).unwrap();
            }
        }
        assert_eq!(sim.edits().len(), usize::from(cut));
        (sim.pose(2), sim.twist(2), open)
    };
    let (with, without) = (run(true), run(false));
    assert!(with.2 > 2, "{} contacts were open at the cut", with.2);
    assert_eq!(with, without, "the box on the floor does not know of the cut");
}

#[test]
fn a_rule_for_one_side_leaves_out_the_other_and_all_edges() {
    use impinge_contact::Sides;
    use impinge_world::PairRule;
    let first_vertices = |rule: Option<(u32, u32, Sides)>| {
        let mut b = collision(Response::cpf(), law(4e3, Damping::None), 5e-4);
        if let Some((i, j, sides)) = rule {
            b = b.rule(i, j, PairRule::Contact(sides));
        }
        let mut sim = b.build().unwrap();
        let mut seen = [0; 3];
        for _ in 0..800 {
            sim.step().unwrap();
            let map = sim.column::<impinge_contact::SurfaceMap>();
            for key in &sim.column::<Contacts>().key {
                let on = impinge_cpf::vertex_and_face(*key).map_or(2, |(v, _)| map.body_of(v) as usize);
                seen[on] += 1;
            }
        }
        let apart = sim.pose(1).position - sim.pose(0).position;
        assert!((sim.twist(1).velocity - sim.twist(0).velocity).dot(apart) > 0.0, "they bounce");
        seen
    };
    let [ball, block, edges] = first_vertices(None);
    assert!(ball > 0 && block + edges > 0, "both ways: {ball} {block} {edges}");
    let one = first_vertices(Some((0, 1, Sides::First)));
    assert!(one[0] > 0 && one[1] == 0 && one[2] == 0, "{one:?}");
    assert_eq!(first_vertices(Some((1, 0, Sides::Second))), one);
}

/// Two bars that cross, all their vertices at the far ends.
fn crossed(per_area: bool, apart: bool) -> Simulation {
    let along_x = generators::cuboid(DVec3::new(1.0, 0.04, 0.04), [1, 1, 1]).unwrap();
    let along_y = generators::cuboid(DVec3::new(0.04, 1.0, 0.04), [1, 1, 1]).unwrap();
    let corner = rotor_from_rotation_vector(DVec3::unit_x() * 0.7);
    let pose = Pose::new(DVec3::new(0.1, 0.0, 0.0485), corner);
    let stiffness = if per_area { Stiffness::PerArea(1e5) } else { Stiffness::PerContact(2e3) };
    let mut b = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(PairLaw {
            stiffness,
            damping: Damping::KelvinVoigt(if per_area { 200.0 } else { 4.0 }),
            ..PairLaw::elastic(1.0)
        })
        .response(Response::cpf())
        .body(BodyDesc::fixed("below", along_y, Pose::identity()).unwrap())
        .body(BodyDesc::rigid("above", &along_x, Mass::Total(0.2), pose).unwrap());
    if apart {
        b = b.rule(0, 1, impinge_world::PairRule::Ignore);
    }
    b.build().unwrap()
}

#[test]
fn a_pair_of_edges_is_booked_where_the_edges_cross() {
    let mut sim = crossed(true, false);
    let mut seen = 0;
    for _ in 0..40 {
        sim.step().unwrap();
        let (ledger, contacts) = (sim.ledger(), sim.column::<Contacts>());
        let edges = contacts.key.iter().all(|k| impinge_cpf::vertex_and_face(*k).is_none());
        if contacts.is_empty() || !edges {
            continue;
        }
        seen += 1;
        let at = ledger.pairs.point[0];
        // The bars cross over the lower one's width; their ends are half a metre away.
        assert!(at.x.abs() < 0.021 && at.y.abs() < 0.03 && at.z > 0.0, "booked at {at:?}");
        let mut points = Vec::new();
        sim.contact_points(&mut points);
        assert!(points.iter().all(|p| (p.point - at).mag() < 0.05), "{points:?}");
        // An open contact stands for the same area as one that opens.
        assert!(contacts.area.iter().all(|a| *a > 0.0), "{:?}", contacts.area);
    }
    assert!(seen > 10, "{seen} steps with edges in contact");
}

#[test]
fn a_snapshot_with_contacts_that_a_rule_keeps_apart_is_refused() {
    let mut sim = crossed(false, false);
    while sim.column::<Tracked>().is_empty() {
        sim.step().unwrap();
    }
    let open = sim.snapshot();
    let mut other = crossed(false, true);
    let e = other.restore(&open).unwrap_err();
    assert!(e.contains("keeps apart"), "{e}");
    assert_eq!(other.steps(), 0);
    sim.restore(&open).unwrap();
    // Names that no feature of this world has.
    let mut damaged = open.clone();
    let list = damaged.kept[0].get::<Tracked>().unwrap().0.iter().position(|t| !t.is_empty()).unwrap();
    *damaged.kept[0].get_mut::<Tracked>().unwrap().0[list].key.last_mut().unwrap() |= 0xffff;
    assert!(sim.restore(&damaged).unwrap_err().contains("not one of this world"));
}
