//! A body that is cut keeps the contacts of what is still there.

mod common;

use common::{G, gravity};
use impinge_contact::{Damping, PairLaw, Stiffness};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::{AttachTo, BodyDesc, Cut, Deformable, NodeState, Response, Simulation, Tracked};

const DT: f64 = 1e-3;
const SETTLED: f64 = 0.6;

/// A jelly on a slab of many triangles, cut once it has settled.
fn jelly(cut: Option<(DVec3, DVec3)>) -> Simulation {
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 3, 2]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0).with_rayleigh(0.0, 0.01);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [11, 13, 1]).unwrap();
    let law =
        PairLaw { stiffness: Stiffness::PerContact(2e3), damping: Damping::KelvinVoigt(8.0), friction: None };
    let b = Simulation::builder(DT)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::fixed("slab", slab, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap())
        .body(BodyDesc::deformable("block", block, Pose::from_position(DVec3::new(0.013, 0.007, 0.0501))));
    let cuts =
        cut.map(|(point, normal)| Cut { time: SETTLED, slot: 1, point, normal, within: None, snap: 0.05 });
    cuts.into_iter().fold(b, impinge_world::Builder::cut).build().unwrap()
}

/// Vertex–face contacts that are open.
fn open(sim: &Simulation) -> usize {
    let tracked = sim.column::<Tracked>();
    tracked.0.iter().flat_map(|t| &t.key).filter(|k| impinge_cpf::vertex_and_face(**k).is_some()).count()
}

fn lowest(sim: &Simulation) -> f64 {
    sim.column::<NodeState>().x.iter().fold(f64::INFINITY, |m, x| m.min(x.z))
}

/// Runs through the step of the cut, and a twin without it: force on the block (N) and open contacts of both.
fn through_the_cut(point: DVec3, normal: DVec3) -> (Simulation, [(f64, usize); 2]) {
    let run = |cut| {
        let mut sim = jelly(cut);
        while sim.steps() <= (SETTLED / DT).round() as u64 {
            sim.step().unwrap();
        }
        assert_eq!(sim.edits().len(), usize::from(cut.is_some()));
        let measured = (sim.contact_force(1).z, open(&sim));
        (sim, measured)
    };
    let (_, whole) = run(None);
    let (sim, cut) = run(Some((point, normal)));
    assert!(whole.1 >= 15, "{} contacts", whole.1);
    (sim, [cut, whole])
}

#[test]
fn a_cut_above_leaves_the_contacts_below_as_they_are() {
    let (_, [cut, whole]) = through_the_cut(DVec3::new(0.0, 0.0, 0.08), DVec3::new(0.1, 0.05, 1.0));
    assert!((cut.0 / whole.0 - 1.0).abs() < 0.02, "{} N instead of {} N", cut.0, whole.0);
    assert_eq!(cut.1, whole.1);
}

#[test]
fn vertices_that_come_apart_stay_in_contact_on_both_sides() {
    // Through the underside, along no edge of it: vertices are made, triangles and edges divided.
    for normal in [DVec3::new(1.0, 0.21, 0.0), DVec3::unit_x()] {
        let (mut sim, [cut, whole]) = through_the_cut(DVec3::new(0.013, 0.007, 0.0), normal);
        // Vertices on the cut are two springs now; none has let go.
        assert!(cut.0 > 0.98 * whole.0 && cut.0 < 1.6 * whole.0, "{} N for {} N", cut.0, whole.0);
        assert!(cut.1 >= whole.1, "{} contacts for {}", cut.1, whole.1);
        for _ in 0..600 {
            sim.step().unwrap();
            assert!(lowest(&sim) > -5e-3, "{} m deep at {} s", -lowest(&sim), sim.time());
        }
        let weight = 0.2 * 0.16 * 0.1 * 1000.0 * G;
        assert!((sim.contact_force(1).z / weight - 1.0).abs() < 0.1, "{} N", sim.contact_force(1).z);
    }
}

#[test]
fn what_the_target_of_a_contact_is_cut_into_carries_on() {
    // A rigid ball on the jelly: its vertices are in the jelly's triangles, which the cut divides.
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 3, 2]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0).with_rayleigh(0.0, 0.01);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let block = block.pinned(AttachTo::World, |x| x.z < -0.049);
    let ball = generators::icosphere(0.05, 2).unwrap();
    let law =
        PairLaw { stiffness: Stiffness::PerContact(1e3), damping: Damping::KelvinVoigt(4.0), friction: None };
    let mut sim = Simulation::builder(DT)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::deformable("block", block, Pose::identity()))
        .body(
            BodyDesc::rigid(
                "ball",
                &ball,
                impinge_world::Mass::Total(0.5),
                Pose::from_position(DVec3::new(0.011, 0.006, 0.1)),
            )
            .unwrap(),
        )
        .cut(Cut {
            time: SETTLED,
            slot: 0,
            point: DVec3::new(0.012, 0.0, 0.0),
            normal: DVec3::new(1.0, 0.3, 0.1),
            within: None,
            snap: 0.05,
        })
        .build()
        .unwrap();
    while sim.steps() < (SETTLED / DT).round() as u64 {
        sim.step().unwrap();
    }
    let (held, before) = (open(&sim), sim.contact_force(1).z);
    assert!(held > 3 && (before / (0.5 * G) - 1.0).abs() < 0.05, "{held} contacts, {before} N");
    sim.step().unwrap();
    assert_eq!(sim.edits().len(), 1);
    let after = sim.contact_force(1).z;
    assert!((after / before - 1.0).abs() < 0.1, "{after} N after {before} N");
    assert!(open(&sim) >= held);
}
