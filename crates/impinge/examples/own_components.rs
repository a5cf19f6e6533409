//! Bodies are entities of hecs: three balls with a component of the program's, a stage of its own that wears them down, and a ball that goes when it is worn.
//!
//! `cargo run -p impinge --example own_components`

use impinge::prelude::*;

/// How much impulse a body still takes (N·s).
#[derive(Debug)]
struct Health(f64);

impl Column for Health {
    const NAME: &'static str = "health";
    const ORIGIN: Origin = Origin::Scene;
}

/// Takes from the health of a body what its contacts gave it in the step.
struct WearDown;

impl Stage for WearDown {
    type Io = &'static Ledger;
    type Rows = (&'static Slot, &'static mut Health);

    fn name(&self) -> &'static str {
        "wear down"
    }

    fn run(
        &mut self,
        ledger: &Ledger,
        rows: &mut hecs::QueryBorrow<'_, Self::Rows>,
        _: &Step,
    ) -> Result<Outcome, StageError> {
        rows.iter().for_each(|(slot, health)| health.0 -= ledger.contact[slot.0 as usize].impulse.mag());
        Ok(Outcome::default())
    }
}

/// What is printed, checked on the way.
///
/// # Errors
/// What the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut said = Vec::new();
    let law = PairLaw::elastic(1e5);
    let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    let mut sim = Simulation::builder(1e-4).gravity([0.0, 0.0, -9.81].into()).law(law).body(floor).build()?;
    sim.pipeline.add(Place::Commit, WearDown);
    let balls = [0.2, 0.4, 0.8].map(|z| (format!("from {z} m"), Pose::from_position([z, 0.0, z].into())));
    for (name, pose) in balls {
        let ball = BodyDesc::ball(&name, 0.05, Mass::Total(1.0), pose)?;
        sim.with_world(|world| world.spawn((ball, Health(6.0))))?;
    }
    for _ in 0..4500 {
        sim.step()?;
        let worn: Vec<hecs::Entity> = {
            let mut all = sim.world().query::<(hecs::Entity, &Health)>();
            all.iter().filter(|(_, health)| health.0 < 0.0).map(|(entity, _)| entity).collect()
        };
        for entity in worn {
            said.push(format!("{:.3} s: '{}' is worn", sim.time(), sim.world().get::<&Name>(entity)?.0));
            sim.with_world(|world| world.despawn(entity))??;
        }
    }
    let left: Vec<&str> = sim.bodies().map(|id| sim.names()[id.slot() as usize].as_str()).collect();
    for (name, health) in sim.world().query::<(&Name, &Health)>().iter() {
        said.push(format!("'{}' still takes {:.2} N·s", name.0, health.0));
    }
    said.push(format!("left: {}", left.join(", ")));
    // Each has bounced once. A fall of 0.35 m and the way back up give 5.2 N·s, one of 0.75 m gives 7.7 N·s.
    assert_eq!(left, ["floor", "from 0.2 m", "from 0.4 m"]);
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
