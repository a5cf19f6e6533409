//! The scenes of the response `volume`, seed 002 §6: organs that overlap at the start, and a grasp that slips.

use impinge_geometry::DVec3;
use impinge_scene::SceneSpec;
use impinge_volume::Flicker;
use impinge_world::{CellImpulses, NodeState, Overlaps, Simulation, VolumeReport};
use std::path::Path;

fn scene(name: &str, keys: &[(&str, &str)]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    SceneSpec::load_with(&path, keys).unwrap().simulation().unwrap()
}

fn step(sim: &mut Simulation) -> VolumeReport {
    sim.step().unwrap_or_else(|e| panic!("{e}"));
    *sim.column::<VolumeReport>()
}

fn fastest(sim: &Simulation) -> f64 {
    sim.column::<NodeState>().v.iter().map(|v| v.mag()).fold(0.0, f64::max)
}

#[test]
fn organs_come_apart_without_a_kick() {
    let mut sim = scene("organs-volume.toml", &[]);
    let slots: Vec<u32> = (0..sim.names().len() as u32).collect();
    let start: Vec<DVec3> = slots.iter().map(|&s| sim.position(s)).collect();
    let first = step(&mut sim);
    let ways = slots.iter().map(|&s| (sim.position(s) - start[s as usize]).mag());
    let kick = ways.fold(0.0, f64::max) / sim.dt();
    let speed = fastest(&sim);
    // What the correction deformed: nothing else can drive them.
    let stored = sim.energy().elastic;
    assert!(first.cells > 10 && first.left == 0.0, "{first:?}");
    assert!(kick > 1.0 && speed < 1e-12, "moved as by {kick} m/s, and goes at {speed:e} m/s");
    let mut most = 0.0f64;
    for _ in 0..100 {
        let report = step(&mut sim);
        assert!(report.left == 0.0 && report.unfinished == 0 && report.contained == 0, "{report:?}");
        let e = sim.energy();
        // The correction of later steps is of a micrometre or so, and stores that; friction and damping take.
        assert!(e.kinetic() + e.elastic < stored, "t = {}: {} J of {stored} J", sim.time(), e.kinetic());
        let p = sim.ledger().momentum.linear;
        assert!(p.mag() < 1e-12, "t = {}: {p:?}", sim.time());
        most = slots.iter().map(|&s| sim.velocity(s).unwrap().mag()).fold(most, f64::max);
    }
    let volume = sim.column::<VolumeReport>().volume;
    println!(
        "a kick would be {kick} m/s; {speed:e} m/s after it, {most} m/s at most in a second; {stored} J"
    );
    assert_eq!(volume, 0.0, "they are apart after a second");
    assert!(most < kick / 3.0, "{most} m/s");
}

/// m g of the block (N), and the coefficient.
const WEIGHT: f64 = 4.905;
const MU: f64 = 0.5;

#[test]
fn the_grasp_holds_without_creep_and_slips_when_coulomb_says() {
    let mut sim = scene("grasp-volume.toml", &[]);
    let block = sim.slot("block").unwrap();
    while sim.time() < 1.1 {
        step(&mut sim);
    }
    let held = sim.position(block).z;
    let (mut slipping, mut coulomb) = (None, None);
    while sim.time() < 2.3 {
        step(&mut sim);
        // Impulses of the jaws' cells: how many are within their cones, what friction they could give, and what of it they do not.
        let (mut within, mut most, mut spare) = (0, 0.0, 0.0);
        for m in sim.column::<CellImpulses>().0.iter().filter(|m| m.bodies.contains(&block)) {
            let limit = MU * m.normal;
            assert!(
                m.friction.mag() <= limit * (1.0 + 1e-6) + 1e-12,
                "t = {}: outside the cone: {m:?}",
                sim.time()
            );
            within += u32::from(m.friction.mag() < limit * (1.0 - 1e-3));
            most += limit / sim.dt();
            spare += (limit - m.friction.mag()) / sim.dt();
        }
        let force = sim.contact_force(block).z;
        if sim.time() < 1.501 {
            let (creep, off) = (sim.position(block).z - held, force - WEIGHT);
            assert!(creep.abs() < 1e-7 && off.abs() < 1e-4, "t = {}: {creep:e} m, {off:e} N", sim.time());
            assert!(within > 0 && most > WEIGHT, "t = {}: {within} within, {most} N", sim.time());
        }
        // No more than the cones allow.
        assert!(force <= most * (1.0 + 1e-9), "t = {}: {force} N of {most} N", sim.time());
        // By force and not by count: whether a cell that hardly presses is at its cone is a matter of rounding.
        slipping = slipping.or_else(|| (spare <= 1e-3 * most).then(|| (sim.time(), force)));
        coulomb = coulomb.or_else(|| (most < WEIGHT).then(|| sim.time()));
    }
    let ((slip, force), bound) = (slipping.expect("it slips"), coulomb.expect("the jaws open"));
    let velocity = sim.velocity(block).unwrap().z;
    println!(
        "every cell slips from {slip} s on with {force} N upright, the cones hold less than the weight from {bound} s on; {velocity} m/s at the end"
    );
    // Not later than the bound, which takes all friction as upright; earlier where cells at their cones push across as well. What is
    // upright then falls short of the weight, by less than the 0.11 N that the jaws give up in a step.
    assert!(slip <= bound, "slip at {slip} s, bound at {bound} s");
    assert!((0.0..=0.11).contains(&(WEIGHT - force)), "{force} N when it slips");
    assert!(velocity < -0.1, "it falls: {velocity} m/s");
}

/// Largest velocity of a node between 1.3 and 1.5 s, when the jaws hold still, and what the watch says then.
fn held(keys: &[(&str, &str)]) -> (f64, Flicker) {
    let mut sim = scene("grasp-volume.toml", keys);
    let (mut speed, mut watch) = (0.0f64, Flicker::default());
    while sim.time() < 1.5 {
        let cells = step(&mut sim).cells;
        watch.see(&sim.column::<Overlaps>(), cells, sim.time());
        if sim.time() > 1.3 {
            speed = speed.max(fastest(&sim));
        }
    }
    println!("{keys:?}: {speed:e} m/s, by {:?}", watch.factor());
    (speed, watch)
}

#[test]
fn a_depth_too_small_for_the_cells_is_told_with_one_that_is_not() {
    // The faces bend by more than a tenth of a millimetre within a cell of five centimetres: the areas go back and forth.
    let (speed, watch) = held(&[("volume.depth", "1e-4")]);
    let factor = watch.factor().expect("contacts flicker");
    assert!(speed > 0.1 && factor > 2.0, "{speed} m/s, {factor}");
    // As deep as the warning says, and with cells smaller than the edges of 33 mm, the same faces rest.
    let advised = format!("{:.1e}", 1e-4 * factor);
    for keys in [
        [("volume.depth", &advised[..]), ("volume.cell", "0.05")],
        [("volume.depth", "1e-4"), ("volume.cell", "0.025")],
    ] {
        let (speed, watch) = held(&keys);
        assert!(speed < 1e-6 && watch.factor().is_none(), "{speed} m/s, {watch:?}");
    }
}
