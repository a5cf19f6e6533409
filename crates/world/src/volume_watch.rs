//! Watches a run under `volume` for contacts that flicker, and says which depth would let them rest.

use crate::simulation::Simulation;
use crate::standard::Response;
use crate::volume::VolumeReport;
use std::collections::VecDeque;

/// Steps looked at together.
const WINDOW: usize = 20;
/// Of the cells of these steps, the part that must have gone back and forth, and how many at least: what lands or slides does so here and there.
const PART: f64 = 0.05;
const LEAST: u64 = 20;

/// Counts of [`VolumeReport::flickering`] over a run; feed it every step.
#[derive(Clone, Debug, Default)]
pub struct FlickerWatch {
    /// Flickering cells and cells of the last steps.
    window: VecDeque<[u64; 2]>,
    /// Over the run: flickering cells, Σ ln of by how much.
    flickers: u64,
    logarithms: f64,
    /// When a window first had too many (s).
    since: Option<f64>,
}

impl FlickerWatch {
    /// Takes in the step just made.
    pub fn see(&mut self, sim: &Simulation) {
        if !matches!(sim.response(), Response::Volume(_)) {
            return;
        }
        let r = *sim.column::<VolumeReport>();
        self.add(r.flickering, r.swing, r.cells, sim.time());
    }

    fn add(&mut self, flickering: u32, swing: f64, cells: u32, time: f64) {
        if flickering > 0 {
            self.flickers += u64::from(flickering);
            self.logarithms += f64::from(flickering) * swing.ln();
        }
        self.window.push_back([flickering.into(), cells.into()]);
        if self.window.len() > WINDOW {
            self.window.pop_front();
        }
        let [flickers, cells] = self.window.iter().fold([0; 2], |s, w| [s[0] + w[0], s[1] + w[1]]);
        if flickers >= LEAST && flickers as f64 >= PART * cells as f64 {
            self.since = self.since.or(Some(time));
        }
    }

    /// By what factor the areas go up and down in the mean, where contacts flicker: a contact deeper by as much is covered as a whole.
    pub fn factor(&self) -> Option<f64> {
        self.since.map(|_| (self.logarithms / self.flickers as f64).exp())
    }

    /// What is wrong and what to do, for a run whose contacts flicker.
    pub fn warning(&self, sim: &Simulation) -> Option<String> {
        let Response::Volume(s) = sim.response() else { return None };
        let (factor, since) = (self.factor()?, self.since?);
        let cells = s.measure.cell.map_or("one cell for a pair".to_string(), |c| format!("cells of {c} m"));
        Some(format!(
            "contacts flicker from {since:.3} s on: the area of cells went up and down by {factor:.1} times from step to step, {} times in \
             the run. A depth of {} m is too small for {cells} and this step, and what is soft may not come to rest; a depth of about \
             {:.1e} m, or cells smaller than the edges of the soft meshes",
            self.flickers,
            s.depth,
            s.depth * factor
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_no_flicker_and_many_are() {
        let mut watch = FlickerWatch::default();
        for i in 0..100 {
            watch.add(u32::from(i % 20 == 0), 3.0, 15, 0.01 * f64::from(i));
        }
        assert_eq!(watch.factor(), None, "one in three hundred");
        let mut rare = FlickerWatch::default();
        (0..10).for_each(|i| rare.add(1, 3.0, 2, 0.01 * f64::from(i)));
        assert_eq!(rare.factor(), None, "ten in all");
        // Half of them by 2, half by 8: by 4 in the mean.
        let mut many = FlickerWatch::default();
        (0..20).for_each(|i| many.add(2, if i % 2 == 0 { 2.0 } else { 8.0 }, 15, 0.01 * f64::from(i)));
        assert!((many.factor().unwrap() - 4.0).abs() < 1e-12, "{many:?}");
        assert!(many.since.is_some_and(|t| (t - 0.09).abs() < 1e-12), "twenty after ten steps: {many:?}");
    }
}
