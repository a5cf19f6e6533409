//! Plots and stage times of a record, from the curves that were collected.

use super::Recorder;
use super::effort::efforts;
use crate::{Curve, Plot, StageTime};
use impinge_world::Simulation;

const ENERGY: [&str; 7] =
    ["translational", "rotational", "gravity", "anchors", "elastic", "contact", "total"];
const LOST: [&str; 8] = [
    "normal force",
    "friction",
    "drag",
    "anchor dampers",
    "driven bodies",
    "inner forces",
    "position corrections",
    "actuators and pushes",
];
const RESIDUAL: [&str; 3] = ["linear", "angular", "angular, predicted leak"];

impl Recorder {
    pub(super) fn plots(&self, names: &[String], sim: &Simulation) -> Vec<Plot> {
        let plot = |id: &str, title: &str, unit: &str, curves: Vec<Curve>, note: &str| Plot {
            id: id.to_string(),
            title: title.to_string(),
            unit: unit.to_string(),
            x: self.time.clone(),
            curves,
            log: false,
            note: note.to_string(),
        };
        let named = |labels: &[&str], values: &[Vec<f64>]| -> Vec<Curve> {
            labels
                .iter()
                .zip(values)
                .map(|(n, v)| Curve { name: (*n).to_string(), values: v.clone() })
                .collect()
        };
        let mut forces = Vec::new();
        for (&(a, b), curves) in &self.pairs {
            let other = if a == b { "itself" } else { &names[b as usize] };
            let label = format!("{} – {other}", names[a as usize]);
            let zeros = || vec![0.0; self.time.len()];
            let (mut normal, mut friction, mut pressed) = (zeros(), zeros(), zeros());
            for &(row, n, f, p) in &curves.samples {
                normal[row as usize] = n;
                friction[row as usize] = f;
                pressed[row as usize] = p;
            }
            let slides = friction.iter().any(|&f| f > 0.0);
            // Opposing normals (a wedged body) cancel in the sum: then what it is pressed with is worth a curve.
            let wedged = normal.iter().zip(&pressed).any(|(n, p)| *p > 1.05 * n);
            forces.push(Curve { name: format!("{label}, normal"), values: normal });
            if wedged {
                forces.push(Curve { name: format!("{label}, pressed (sum of sizes)"), values: pressed });
            }
            if slides {
                forces.push(Curve { name: format!("{label}, friction"), values: friction });
            }
        }
        let stage_curves: Vec<Curve> = self
            .stage_names
            .iter()
            .zip(&self.stage_seconds)
            .map(|(n, v)| Curve { name: n.clone(), values: v.clone() })
            .collect();
        let force_note = "Applied impulse divided by the step, by body pair: the ledger's own numbers.";
        let lost_note = "Running sums, each impulse with the mean velocity of its step. Normal force (elastic and damping) and friction: relative to the surface touched; what \
                         a driven surface adds is its own curve. Position corrections: growth of potential energy where places \
                         are moved without a velocity.";
        let residual_note = "Change of momentum that no booked impulse explains, relative to the momenta and impulses of \
                             the step. Forces computed at the predicted end and applied at the start leak angular momentum: \
                             the leak is known and drawn beside the residual.";
        let mut residual =
            plot("momentum", "Momentum residual", "1", named(&RESIDUAL, &self.residual), residual_note);
        residual.log = true;
        let mut solver = Vec::new();
        if !self.solver[0].is_empty() {
            let counts = named(&["Newton", "linear solver"], &self.solver[..2]);
            let note = "Of the implicit step of the deformables, prediction and answer to contact together.";
            solver.push(plot("iterations", "Iterations of the solvers", "1", counts, note));
            let left = named(&["largest of the step"], &self.solver[2..]);
            let note = "What the solver left over: of the right-hand side when linearised, of the momenta with Newton's method.";
            solver.push(Plot { log: true, ..plot("residual", "Residual of the solvers", "1", left, note) });
        }
        let mut curves = &self.effort[..];
        let taken = efforts(sim).into_iter().zip(&self.effort_residual).filter(|(_, r)| !r.is_empty());
        for (of, residual) in taken {
            let (own, rest) = curves.split_at(of.counts.len());
            curves = rest;
            // Two responses of one family differ in their settings alone.
            let twin = solver.iter().filter(|p: &&Plot| p.id.starts_with(of.id) && !p.log).count();
            let id = if twin == 0 { of.id.to_string() } else { format!("{}-{}", of.id, twin + 1) };
            solver.push(plot(&id, of.title, "1", named(of.counts, own), of.note));
            let left = named(&["of the step"], std::slice::from_ref(residual));
            let (id, title) = (format!("{id}-residual"), format!("{}: residual", of.title));
            solver.push(Plot { log: true, ..plot(&id, &title, "1", left, of.residual) });
        }
        let mut all = vec![
            plot("force", "Contact force by pair", "N", forces, force_note),
            plot("energy", "Energy by term", "J", named(&ENERGY, &self.energy), ""),
            plot("work", "Work of contact and drag", "J", named(&LOST, &self.lost), lost_note),
            plot("depth", "Penetration", "m", named(&["deepest point", "mean"], &self.depth), ""),
            plot(
                "contacts",
                "Contact points",
                "1",
                named(&["points"], std::slice::from_ref(&self.contacts)),
                "",
            ),
            residual,
            plot("stages", "Time by stage", "s", stage_curves, "Wall time of each stage in each step."),
        ];
        let has_pieces = sim.parts().any(|p| p.response().pieces().is_some());
        // The area of a contact row is what its vertex or edge stands for: the sum over rows is no area of contact.
        let shown = |k: usize| (k > 0 || has_pieces) && self.extent[k].iter().any(|&v| v != 0.0);
        for (k, (id, title, unit, note)) in [
            (
                "area",
                "Contact area",
                "m²",
                "Of the contact surfaces, or of the cells of intersection volume; over all pairs.",
            ),
            ("volume", "Volume that bodies share", "m³", "Of the responses that measure it."),
        ]
        .into_iter()
        .enumerate()
        {
            if shown(k) {
                all.push(plot(id, title, unit, named(&["all pairs"], &self.extent[k..=k]), note));
            }
        }
        all.extend(self.sensed.plot(&self.time));
        all.append(&mut solver);
        all
    }

    pub(super) fn stages(&self) -> Vec<StageTime> {
        let steps = self.time.len().max(1) as f64;
        let rows = self.stage_names.iter().zip(&self.stage_seconds).zip(&self.stage_items);
        rows.map(|((name, seconds), items)| {
            let mut sorted = seconds.clone();
            sorted.sort_by(f64::total_cmp);
            let at =
                |q: f64| sorted.get(((sorted.len() as f64 - 1.0) * q) as usize).copied().unwrap_or(0.0) * 1e6;
            StageTime {
                name: name.clone(),
                total_seconds: seconds.iter().sum(),
                median_microseconds: at(0.5),
                p99_microseconds: at(0.99),
                items_mean: items / steps,
            }
        })
        .collect()
    }
}
