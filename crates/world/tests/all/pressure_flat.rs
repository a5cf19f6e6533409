//! Cubes of one size that fall flat onto each other at a game's step: their side faces lie in one plane, or nearly.

use crate::pressing::{at, floor};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::DVec3;
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, ContactError, Mass, PressureField, PressureReport, PressureSettings, Response, Simulation,
    StageError,
};

const G: f64 = 9.81;
const MASSES: [(f64, f64); 4] = [(1.0, 1.0), (1.0, 30.0), (1.0, 100.0), (500.0, 1.0)];
const OFFSETS: [f64; 5] = [0.0, 1e-4, 1e-3, 1e-2, 0.1];

fn falling(masses: (f64, f64), offset: f64, settings: PressureSettings) -> impinge_world::Builder {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::HuntCrossley(1.0), friction: Some(friction), ..PairLaw::elastic(1e5) };
    let cube = |name: &str, mass: f64, x: f64, z: f64| {
        let field = fields::cuboid(DVec3::broadcast(1.0), 1e6).unwrap();
        let body = BodyDesc::compliant(name, &field, Mass::Total(mass), at(x, 0.0, z)).unwrap();
        body.with_pressure(PressureField::tets(field).dissipation(1.0))
    };
    Simulation::builder(1.0 / 60.0)
        .gravity(DVec3::new(0.0, 0.0, -G))
        .law(law)
        .response(Response::from(settings))
        .body(floor())
        .body(cube("lower", masses.0, 0.0, 1.0))
        .body(cube("upper", masses.1, offset, 3.0))
}

#[test]
fn cubes_of_one_size_stack_whatever_their_masses_and_offset() {
    for masses in MASSES {
        for offset in OFFSETS {
            let mut sim = falling(masses, offset, PressureSettings::default()).build().unwrap();
            let start = sim.energy().total();
            let (mut most, mut iterations) = (start, 0);
            for _ in 0..300 {
                sim.step().unwrap();
                let report = *sim.column::<PressureReport>();
                assert!(!report.unfinished, "{masses:?} {offset}: {report:?}");
                iterations = iterations.max(report.iterations);
                most = most.max(sim.ledger().energy.total());
            }
            let (x, carried) = (sim.position(2), sim.contact_force(2));
            let off = (carried - DVec3::unit_z() * (masses.1 * G)).mag() / (masses.1 * G);
            println!(
                "{masses:?} {offset}: {x:?}, weight off by {off:.1e}, {iterations} iterations at most, energy {:.3e} of {start:.3e} J; {}",
                most,
                sim.halved()
            );
            assert!((x.z - 1.5).abs() < 0.01 && (x.x - offset).abs() < 0.02 && x.y.abs() < 0.02, "{x:?}");
            assert!(off < 1e-5, "{masses:?} {offset}: {off}");
            assert!(most <= start * (1.0 + 1e-12), "{masses:?} {offset}: {most} J from {start} J");
            assert!(sim.kinetic_energy(2) < 1e-6 * start);
        }
    }
}

#[test]
fn a_solve_that_cannot_end_stops_with_body_stage_residual_and_remedy() {
    let never = PressureSettings { iterations: 1, tolerance: 1e-300, ..PressureSettings::default() };
    let until_it_stops = |halvings: Option<u32>| {
        let mut builder = falling((1.0, 1.0), 0.01, never);
        if let Some(n) = halvings {
            builder = builder.halvings(n);
        }
        let mut sim = builder.build().unwrap();
        loop {
            let (before, made) = (sim.hash(), sim.steps());
            assert!(made < 60, "it must come to a contact");
            if let Err(e) = sim.step() {
                assert_eq!((sim.hash(), sim.steps()), (before, made), "the last state is there");
                return (e, sim);
            }
        }
    };
    for (asked, made) in [(None, 8), (Some(2), 2), (Some(0), 0)] {
        let (e, sim) = until_it_stops(asked);
        let StageError::Contact(ContactError::Unfinished { body, residual, tolerance, .. }) = &e.source
        else {
            panic!("{e}")
        };
        assert!(body == "lower" && *residual > *tolerance, "{e}");
        assert_eq!((e.halvings, e.step, e.stage.as_str()), (made, sim.steps(), "response: pressure"));
        let said = e.to_string();
        for word in
            ["'lower'", "residual", "reduce dt", "halvings", "accept_unfinished", "response: pressure"]
        {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert_eq!(sim.halved().steps, 0, "no step was made of halves");
    }
    // Somebody wrote down that it will do.
    let mut sim = falling((1.0, 1.0), 0.01, never).accept_unfinished(true).build().unwrap();
    let mut seen = 0;
    for _ in 0..60 {
        sim.step().unwrap();
        seen += u32::from(sim.column::<PressureReport>().unfinished);
    }
    assert!(seen > 0 && sim.halved().steps == 0, "{seen}");
}
