//! Which bodies may meet.

use crate::common::gravity;
use crate::pushed::{cube, responses, under};
use impinge_geometry::DVec3;
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Groups, PairRule, Response, Simulation};

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn boxes(r: &(Response, Scheme), groups: [Groups; 3]) -> impinge_world::Builder {
    let [of_floor, a, b] = groups;
    under(r)
        .gravity(gravity())
        .body(floor().with_groups(of_floor))
        .body(cube("a", DVec3::unit_z() * 0.1001).with_groups(a))
        .body(cube("b", DVec3::new(0.5, 0.0, 0.1001)).with_groups(b))
}

fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap();
        assert!(sim.ledger().residual() <= 1e-12);
    }
}

#[test]
fn bodies_meet_those_of_their_groups_alone() {
    for r in responses() {
        let name = r.0.name();
        let groups = [Groups::new(1, 2), Groups::new(2, 1), Groups::new(4, 1)];
        let mut sim = boxes(&r, groups).build().unwrap();
        run(&mut sim, 200);
        let z = |sim: &Simulation, slot: u32| sim.position(slot).z;
        assert!((z(&sim, 1) - 0.1).abs() < 5e-3, "{name}: {}", z(&sim, 1));
        // Nothing held it.
        let t = 200.0 / 1024.0;
        assert!((sim.twist(2).velocity.z + 9.81 * t).abs() < 1e-9, "{name}");
        // A rule about the pair goes first, both ways.
        let mut sim = boxes(&r, groups)
            .rule(0, 1, PairRule::Ignore)
            .rule(0, 2, PairRule::Contact(impinge_contact::Sides::Both))
            .build()
            .unwrap();
        run(&mut sim, 200);
        assert!(z(&sim, 1) < 0.0 && (z(&sim, 2) - 0.1).abs() < 5e-3, "{name}");
    }
}

#[test]
fn contacts_end_with_the_groups_that_made_them() {
    for r in responses() {
        let name = r.0.name();
        let all = [Groups::default(); 3];
        let mut sim = boxes(&r, all).build().unwrap();
        run(&mut sim, 100);
        let then = sim.snapshot();
        let stored = |sim: &Simulation| sim.ledger().pairs.energy.iter().sum::<f64>();
        let half = 0.5 * stored(&sim);
        sim.set_groups("a", Groups::new(0, 0)).unwrap();
        assert_ne!(sim.hash(), then.hash(), "{name}");
        sim.step().unwrap();
        // The spring of one of two boxes is gone, and the books say so.
        let applied = sim.ledger().energy.work_applied;
        assert!((applied + half).abs() <= 1e-9 + 1e-6 * half, "{name}: {applied} and {half}");
        run(&mut sim, 99);
        let fallen = sim.hash();
        assert!(sim.twist(1).velocity.z < -0.9 && sim.twist(2).velocity.z.abs() < 0.05, "{name}");
        sim.restore(&then).unwrap();
        assert_eq!(sim.groups("a").unwrap(), Groups::default());
        sim.set_groups("a", Groups::new(0, 0)).unwrap();
        run(&mut sim, 100);
        assert_eq!(sim.hash(), fallen, "{name}");
        // Back to a state with other groups than those now.
        let apart = sim.snapshot();
        sim.restore(&then).unwrap();
        run(&mut sim, 5);
        sim.restore(&apart).unwrap();
        assert_eq!((sim.groups("a").unwrap(), sim.hash()), (Groups::new(0, 0), fallen), "{name}");
    }
}

#[test]
fn a_response_that_cannot_take_a_pair_refuses_the_groups_that_make_it() {
    // Loose points and a law per area.
    let law = impinge_contact::PairLaw {
        stiffness: impinge_contact::Stiffness::PerArea(1e6),
        ..impinge_contact::PairLaw::elastic(1.0)
    };
    let dust = BodyDesc::particles("dust", vec![DVec3::unit_z()], 1.0).with_groups(Groups::new(2, 2));
    let mut sim = Simulation::builder(1e-3)
        .law(law)
        .body(floor().with_groups(Groups::new(1, 1)))
        .body(dust)
        .build()
        .unwrap();
    let e = sim.set_groups("dust", Groups::default()).unwrap_err();
    assert!(e.to_string().contains("per area"), "{e}");
    assert_eq!(sim.groups("dust").unwrap(), Groups::new(2, 2));
}
