//! A conveyor: a belt takes two parcels through a light barrier, is stopped, and is taken away.
//!
//! `cargo run -p impinge --example conveyor`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut said = Vec::new();
    let parcel = generators::cuboid(DVec3::new(0.3, 0.2, 0.05), [1; 3])?;
    let light = generators::cuboid(DVec3::new(0.02, 1.0, 0.4), [1; 3])?;
    let at = |x: f64, z: f64| Pose::from_position(DVec3::new(x, 0.0, z));
    let friction = FrictionLaw { k_fp: 1e4, k_fd: 20.0, ..FrictionLaw::coulomb(0.5) };
    let law =
        PairLaw { damping: Damping::HuntCrossley(0.5), friction: Some(friction), ..PairLaw::elastic(1e4) };
    let belt = BodyDesc::plane("belt", DVec3::unit_z(), 0.0).with_surface_velocity([1.0, 0.0, 0.0]);
    let mut sim = Simulation::builder(1.0 / 1000.0) // s
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .body(belt)
        .body(BodyDesc::rigid("first", &parcel, Mass::Total(1.0), at(0.0, 0.025))?)
        .body(BodyDesc::rigid("second", &parcel, Mass::Total(2.0), at(-0.5, 0.025))?)
        // No body: nothing bumps into it.
        .sensor(Sensor::new("gate", light, at(1.0, 0.21))?)
        .build()?;

    let mut seen: Vec<String> = Vec::new();
    let mut driven = 0.0;
    while seen.len() < 2 {
        sim.step()?;
        driven += sim.ledger().energy.work_driven; // J, by the motor of the belt
        for event in sim.sensor_events() {
            said.push(format!("{:.3} s: {event}", sim.time()));
            if event.kind == EventKind::Began {
                seen.push(event.name.to_string());
            }
        }
        if sim.time() > 5.0 {
            return Err("no parcel came".into());
        }
    }
    assert_eq!(seen, ["first", "second"]);
    // Half of it the parcels got, half was lost where they slipped.
    said.push(format!("the motor worked {driven:.2} J"));
    assert!((driven - 3.0).abs() < 0.1);

    sim.set_surface_velocity("belt", SurfaceVelocity::default())?;
    for _ in 0..500 {
        sim.step()?;
    }
    let speed = sim.twist(1).velocity.x;
    said.push(format!("stopped: 'first' goes {:.4} m/s", speed.abs()));
    assert!(speed.abs() < 1e-2);

    // Taken from under the parcels, by groups.
    sim.set_groups("belt", Groups::new(0, 0))?;
    for _ in 0..100 {
        sim.step()?;
    }
    said.push(format!("without the belt: 'first' falls with {:.2} m/s", -sim.twist(1).velocity.z));
    assert!((sim.twist(1).velocity.z + 0.981).abs() < 0.02);
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
