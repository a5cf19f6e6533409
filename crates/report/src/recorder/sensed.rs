//! Who was in which sensor, step by step.

use crate::{Curve, Plot};
use impinge_world::Simulation;
use serde::{Deserialize, Serialize};

/// Events that are told in words; the curves have all of them.
const MOST_TOLD: usize = 24;

/// What sensors saw.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Sensed {
    names: Vec<String>,
    /// Bodies inside, by sensor and step.
    inside: Vec<Vec<f64>>,
    /// In words, with its time (s), the first [`MOST_TOLD`].
    told: Vec<String>,
    /// How many events there were.
    events: u64,
}

impl Sensed {
    #[must_use]
    pub fn new(sim: &Simulation) -> Self {
        let names: Vec<String> = sim.sensors().iter().map(|s| s.name.clone()).collect();
        Self { inside: vec![Vec::new(); names.len()], names, ..Self::default() }
    }

    /// How many numbers a step adds.
    #[must_use]
    pub fn lists(&self) -> usize {
        self.inside.len()
    }

    /// Whether it is of the sensors of `sim`.
    #[must_use]
    pub fn fits(&self, sim: &Simulation) -> bool {
        self.names.iter().eq(sim.sensors().iter().map(|s| &s.name))
    }

    pub fn step(&mut self, sim: &Simulation) {
        for (name, curve) in self.names.iter().zip(&mut self.inside) {
            // One that rode on a body goes with it.
            let there = sim.sensors().iter().position(|s| s.name == *name);
            curve.push(there.map_or(f64::NAN, |i| sim.in_sensor(i).len() as f64));
        }
        for event in sim.sensor_events() {
            self.events += 1;
            if self.told.len() < MOST_TOLD {
                self.told.push(format!("{event} at {:.6} s", sim.time()));
            }
        }
    }

    #[must_use]
    pub fn plot(&self, time: &[f64]) -> Option<Plot> {
        let curve =
            |(name, values): (&String, &Vec<f64>)| Curve { name: name.clone(), values: values.clone() };
        (!self.names.is_empty()).then(|| Plot {
            id: "sensors".to_string(),
            title: "Bodies in sensors".to_string(),
            unit: "1".to_string(),
            x: time.to_vec(),
            curves: self.names.iter().zip(&self.inside).map(curve).collect(),
            log: false,
            note: "After each step.".to_string(),
        })
    }

    /// Who came and left, in words.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let rest = self.events - self.told.len() as u64;
        let told = self.told.join("; ");
        match (self.names.is_empty(), self.events, rest) {
            (true, ..) => None,
            (_, 0, _) => Some("Sensors: nobody came in.".to_string()),
            (_, _, 0) => Some(format!("Sensors: {told}.")),
            _ => Some(format!("Sensors: {told}; and {rest} more, see the plot.")),
        }
    }
}
