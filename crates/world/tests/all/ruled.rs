//! Rules and laws of pairs, changed while a world runs.

use crate::pushed::{cube, responses, under};
use impinge_contact::{FrictionLaw, PairLaw, Sides, SlipRule};
use impinge_geometry::DVec3;
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, PairRule, Response, Simulation};

fn world(r: &(Response, Scheme)) -> Simulation {
    let mut sim = under(r)
        .gravity(DVec3::unit_z() * -9.81)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(cube("box", DVec3::new(0.0, 0.0, 0.1)))
        .body(cube("other", DVec3::new(1.0, 0.0, 0.1)))
        .build()
        .unwrap();
    go(&mut sim, 100);
    sim
}

fn go(sim: &mut Simulation, steps: usize) -> u64 {
    for _ in 0..steps {
        sim.step().unwrap();
        assert!(sim.ledger().residual() <= 1e-12, "{}", sim.response().name());
    }
    sim.hash()
}

#[test]
fn a_pair_that_is_ignored_falls_through_and_can_be_met_again() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = world(&r);
        let (before, hash) = (sim.snapshot(), sim.hash());
        sim.set_rule("box", "floor", Some(PairRule::Ignore)).unwrap();
        assert_ne!(sim.hash(), hash, "{name}");
        let ignored = sim.snapshot();
        let end = go(&mut sim, 20);
        let t = 20.0 * sim.dt();
        let (pose, twist) = before.bodies[1];
        let free = pose.position.z + twist.velocity.z * t - 0.5 * 9.81 * t * t;
        // Half a step of the fall is first order.
        let off = sim.position(1).z - free;
        assert!(off.abs() < 9.81 * t * sim.dt(), "{name}: {off}");
        assert!((sim.position(2).z - 0.1).abs() < 5e-3, "{name}: the other box stays");
        sim.restore(&ignored).unwrap();
        assert_eq!(go(&mut sim, 20), end, "{name}");
        sim.restore(&ignored).unwrap();
        sim.set_rule("box", "floor", None).unwrap();
        go(&mut sim, 200);
        assert!((sim.position(1).z - 0.1).abs() < 5e-3, "{name}: {}", sim.position(1).z);
        sim.restore(&before).unwrap();
        assert_eq!(sim.hash(), hash, "{name}");
        go(&mut sim, 20);
        assert!((sim.position(1).z - 0.1).abs() < 5e-3, "{name}");
    }
}

#[test]
fn another_law_is_that_of_the_next_step() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = world(&r);
        let mut law = sim.column::<impinge_world::Laws>().laws[0];
        let slides = |sim: &mut Simulation| {
            sim.set_velocity("box", [0.5, 0.0, 0.0]).unwrap();
            go(sim, 50);
            let v = sim.twist(1).velocity.x;
            (0.5 - v) / (50.0 * sim.dt() * 9.81)
        };
        let rough = slides(&mut sim);
        assert!((rough - 0.5).abs() < 0.1, "{name}: {rough}");
        let friction = FrictionLaw { mu_s: 0.1, mu_k: 0.1, ..law.friction.unwrap() };
        assert_eq!(friction.rule, SlipRule::ReturnMap);
        law.friction = Some(friction);
        sim.set_law("box", "floor", law).unwrap();
        let smooth = slides(&mut sim);
        assert!((smooth - 0.1).abs() < 0.03, "{name}: {smooth}");
        let back = sim.snapshot();
        let end = go(&mut sim, 20);
        sim.restore(&back).unwrap();
        assert_eq!(go(&mut sim, 20), end, "{name}");
    }
}

/// Growth of all energy in a step, less what friction and the program did (J).
fn from_nowhere(sim: &mut Simulation, before: f64) -> f64 {
    sim.step().unwrap();
    let e = sim.ledger().energy;
    e.total() - before - e.work_friction - e.work_applied - e.handed
}

#[test]
fn what_contacts_store_more_under_another_law_is_booked() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = world(&r);
        let mut law = sim.column::<impinge_world::Laws>().laws[0];
        let stored = sim.ledger().energy.contact;
        let (before, energy) = (sim.snapshot(), sim.ledger().energy.total());
        let unchanged = from_nowhere(&mut sim, energy);
        sim.restore(&before).unwrap();
        let twice = PairLaw { stiffness: impinge_contact::Stiffness::PerContact(1e4), ..law };
        sim.set_law("box", "floor", twice).unwrap();
        let changed = sim.snapshot();
        // All pairs of these materials: both boxes.
        let off = from_nowhere(&mut sim, energy);
        let work = sim.ledger().energy.work_applied;
        println!("{name}: stored {stored:e}, booked {work:e}, from nowhere {off:e}");
        // `qp` and `volume` store nothing.
        let own = sim.response().own_stiffness().is_some() || stored == 0.0;
        let expected = if own { 0.0 } else { stored };
        assert!((work - expected).abs() <= 1e-12 * stored, "{name}: {work:e} of {stored:e}");
        if own {
            // Its springs are not those of the law.
            assert!((off - unchanged).abs() <= 1e-15, "{name}: {off:e}, {unchanged:e}");
        } else {
            // The first step under other springs takes or leaves of the order of k Δt²/m of what is stored.
            assert!(off.abs() <= 0.02 * stored, "{name}: {off:e} of {stored:e}");
        }
        let after = sim.hash();
        sim.restore(&changed).unwrap();
        sim.step().unwrap();
        assert_eq!((sim.hash(), sim.ledger().energy.work_applied), (after, work), "{name}");
        // There and back again: nothing was done.
        sim.restore(&before).unwrap();
        sim.set_law("box", "floor", twice).unwrap();
        law.damping = impinge_contact::Damping::None;
        sim.set_law("box", "floor", law).unwrap();
        sim.step().unwrap();
        assert!(sim.ledger().energy.work_applied.abs() <= 1e-15 * stored, "{name}");
    }
}

#[test]
fn what_is_no_rule_or_law_is_refused() {
    let mut sim = world(&(Response::penalty(), Scheme::default()));
    let said = |e: impinge_world::OpenError| e.to_string();
    assert!(said(sim.set_rule("box", "box", Some(PairRule::Ignore)).unwrap_err()).contains("two bodies"));
    assert!(said(sim.set_rule("box", "bix", None).unwrap_err()).contains("bix"));
    assert!(sim.set_law("box", "floor", PairLaw::elastic(-1.0)).is_err());
    sim.set_rule("floor", "box", Some(PairRule::Contact(Sides::Second))).unwrap();
    go(&mut sim, 10);
    assert!((sim.position(1).z - 0.1).abs() < 5e-3);
}

/// Normal work of contacts, and the energy they hold (J): in the ledger's rows of pairs.
fn in_pairs(sim: &Simulation) -> (f64, f64) {
    let pairs = &sim.ledger().pairs;
    (pairs.work_normal.iter().sum(), pairs.energy.iter().sum())
}

#[test]
fn what_contacts_store_under_another_response_is_booked() {
    let mut changes = 0;
    for (r, scheme) in responses() {
        for (other, of) in responses() {
            if of != scheme || r.name() == other.name() {
                continue;
            }
            let change = format!("{} to {}", r.name(), other.name());
            let mut sim = world(&(r.clone(), scheme));
            let (energy, stored) = (sim.ledger().energy.total(), sim.ledger().energy.contact);
            sim.swap_response(other.clone()).unwrap();
            let changed = sim.snapshot();
            let off = from_nowhere(&mut sim, energy) - sim.ledger().energy.work_corrections;
            let (booked, (work, now)) = (sim.ledger().energy.work_applied, in_pairs(&sim));
            println!(
                "{change}: stored {stored:e}, now {now:e}, work {work:e}, booked {booked:e}, from nowhere {off:e}"
            );
            // Contacts hold what they have at the end, and what they gave; those of `volume-penalty` push by where bodies are at the start.
            let early = other.name() == "volume-penalty";
            let held = if now <= 0.0 {
                0.0
            } else if early {
                now
            } else {
                now + work
            };
            let most = now.abs().max(stored);
            assert!((booked - (held - stored)).abs() <= 1e-12 * most + 1e-15, "{change}: {booked:e}");
            // Energies of the start count the work of this step twice, until the next, and contacts take what they stop: of bodies at rest
            // that is of the order of m (g Δt)².
            let twice = if early { 1.25 * work.abs() } else { 0.0 };
            let taken = if held > 0.0 { 0.0 } else { work.abs() };
            assert!(off.abs() <= 0.02 * most + twice + taken + 4e-4, "{change}: {off:e} of {most:e}");
            let after = sim.hash();
            sim.restore(&changed).unwrap();
            sim.step().unwrap();
            assert_eq!((sim.hash(), sim.ledger().energy.work_applied), (after, booked), "{change}");
            changes += 1;
        }
    }
    assert_eq!(changes, 42);
}

#[test]
fn a_stiffness_by_area_in_the_place_of_one_by_contact_is_booked() {
    let mut sim = world(&(Response::penalty(), Scheme::default()));
    let stored = sim.ledger().energy.contact;
    let energy = sim.ledger().energy.total();
    let mut law = sim.column::<impinge_world::Laws>().laws[0];
    law.stiffness = impinge_contact::Stiffness::PerArea(1e6);
    sim.set_law("box", "floor", law).unwrap();
    let off = from_nowhere(&mut sim, energy);
    let (booked, (work, now)) = (sim.ledger().energy.work_applied, in_pairs(&sim));
    let held = now + work;
    println!("stored {stored:e}, held {held:e}, booked {booked:e}, from nowhere {off:e}");
    assert!(held > 2.0 * stored && (booked - (held - stored)).abs() <= 1e-12 * held);
    assert!(off.abs() <= 0.02 * held, "{off:e}");
}
