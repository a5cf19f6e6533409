//! A loop of one's own, watched: a box is pushed over a floor, a ball falls beside it and is taken away, a ray looks where the box is.
//!
//! `cargo run -p impinge --example own_loop`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut said = Vec::new();
    let mut sim = Simulation::builder(1e-3) // s
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .friction(0.0) // stiffness and damping follow from masses and step
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("crate", [0.4; 3], Mass::Density(500.0), [0.0, 0.0, 0.2])?)
        .build()?;
    assert_eq!(Watches::before(&sim), [], "what may go wrong");
    let mut watches = Watches::new(&sim);
    let ball = sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [1.0, 0.0, 0.3])?)?;
    sim.set_velocity(ball, [0.0, 0.0, -2.0])?;

    let mut pushed = DVec3::zero();
    for step in 0..480 {
        sim.apply_force("crate", [30.0, 0.0, 0.0])?; // N, in the next step, at the centre of mass
        sim.step()?;
        watches.see(&sim);
        for event in sim.events().filter(|_| step < 300) {
            said.push(format!("{:.3} s: {event}", sim.time()));
        }
        pushed +=
            sim.ledger().applied.iter().filter(|row| row.body == 1).map(|row| row.impulse).sum::<DVec3>();
        assert!(sim.ledger().residual() < 1e-12); // what was pushed is in the books
    }
    for warning in watches.warnings(&sim) {
        said.push(format!("warning: {warning}"));
        assert!(!warning.lost, "no physics");
    }
    let force: f64 = sim.contacts().filter(|c| c.b == 1).map(|c| c.force.z).sum();
    said.push(format!("the floor carries the crate with {force:.1} N at {} points", sim.contacts().count()));
    let (hit, met) = sim.cast_ray([1.5, 0.0, 0.1], [-1.0, 0.0, 0.0], 10.0).ok_or("nothing there")?;
    said.push(format!("from the side, {:.3} m away: '{}'", met.distance, sim.names()[hit.slot() as usize]));
    assert_eq!(hit, ball);

    sim.remove(ball)?;
    sim.step()?;
    let (hit, met) = sim.cast_ray([1.5, 0.0, 0.1], [-1.0, 0.0, 0.0], 10.0).ok_or("nothing there")?;
    said.push(format!(
        "without the ball, {:.3} m away: '{}'",
        met.distance,
        sim.names()[hit.slot() as usize]
    ));
    assert!(sim.apply_force(ball, [1.0, 0.0, 0.0]).is_err());
    // v = F t / m on a floor without friction.
    let crate_ = sim.view("crate")?;
    let there = crate_.mass() * crate_.velocity().x;
    said.push(format!("{:.4} N·s pushed, {there:.4} kg m/s there", pushed.x));
    assert!((there - pushed.x).abs() < 1e-9 && hit == crate_.id());
    Ok(said.join("\n"))
}

/// Prints it.
///
/// # Errors
/// As [`answer`].
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}
