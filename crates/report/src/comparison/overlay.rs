//! Curves of all runs over each other: takes records, gives plots in which a group is one quantity and holds a curve of each run.

use crate::compared::ComparedRun;
use crate::plot_payload;
use crate::record::Plot;
use serde_json::{Value, json};

/// One quantity of one run.
pub(crate) struct OverlayCurve {
    /// What it is: an entry of [`Overlay::groups`].
    pub group: String,
    /// Whose: index of the run.
    pub run: usize,
    /// Times (s).
    pub x: Vec<f64>,
    /// Values.
    pub values: Vec<f64>,
}

/// A plot of the comparison.
pub(crate) struct Overlay {
    pub id: String,
    pub title: String,
    pub unit: String,
    pub log: bool,
    pub note: String,
    pub groups: Vec<String>,
    pub curves: Vec<OverlayCurve>,
}

impl Overlay {
    /// Name of its CSV file.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}.csv", self.id)
    }

    /// The page's form.
    #[must_use]
    pub fn payload(&self, runs: &[ComparedRun]) -> Value {
        let buckets = plot_payload::buckets(self.curves.len());
        let mut curves: Vec<Value> = self
            .curves
            .iter()
            .map(|c| {
                let (x, v) = plot_payload::thinned(&c.x, &c.values, buckets);
                json!({ "name": runs[c.run].label, "group": c.group, "run": c.run, "x": x, "v": v })
            })
            .collect();
        plot_payload::share_times(&mut curves);
        json!({
            "id": self.id, "title": self.title, "unit": self.unit, "log": self.log, "note": self.note,
            "csv": format!("csv/{}", self.file()),
            "samples": self.curves.iter().map(|c| c.values.len()).sum::<usize>(),
            "x": Value::Null, "curves": curves, "groups": self.groups,
        })
    }
}

/// The plots: those of the runs, friction against normal force, and the time of a whole step.
pub(crate) fn overlays(runs: &[ComparedRun]) -> Vec<Overlay> {
    let mut out: Vec<Overlay> = Vec::new();
    for (run, r) in runs.iter().enumerate() {
        for plot in &r.record.plots {
            let at = out.iter().position(|o| o.id == plot.id).unwrap_or_else(|| {
                out.push(Overlay {
                    id: plot.id.clone(),
                    title: plot.title.clone(),
                    unit: plot.unit.clone(),
                    log: plot.log,
                    note: plot.note.clone(),
                    groups: Vec::new(),
                    curves: Vec::new(),
                });
                out.len() - 1
            });
            let overlay = &mut out[at];
            for curve in &plot.curves {
                overlay.add(run, &curve.name, &plot.x, curve.values.clone());
            }
            if plot.id == "stages" {
                overlay.add(run, WHOLE_STEP, &plot.x, whole_step(plot));
            }
        }
    }
    // What one looks at first stands first.
    for (id, first) in [("energy", "total"), ("stages", WHOLE_STEP), ("momentum", "linear")] {
        if let Some(o) = out.iter_mut().find(|o| o.id == id) {
            o.groups.sort_by_key(|g| g != first);
        }
    }
    if let Some(at) = out.iter().position(|o| o.id == "force") {
        let ratio = friction_ratio(&out[at]);
        if !ratio.groups.is_empty() {
            out.insert(at + 1, ratio);
        }
    }
    out.retain(|o| !o.curves.is_empty());
    out
}

/// The group of [`overlays`]' `stages` that sums all stages.
pub(super) const WHOLE_STEP: &str = "whole step";

impl Overlay {
    fn add(&mut self, run: usize, group: &str, x: &[f64], values: Vec<f64>) {
        if !self.groups.iter().any(|g| g == group) {
            self.groups.push(group.to_string());
        }
        self.curves.push(OverlayCurve { group: group.to_string(), run, x: x.to_vec(), values });
    }
}

/// Sum of the stages, step by step.
pub(super) fn whole_step(stages: &Plot) -> Vec<f64> {
    (0..stages.x.len()).map(|i| stages.curves.iter().filter_map(|c| c.values.get(i)).sum()).collect()
}

/// |friction| over |normal force| by pair; a gap where nothing presses.
fn friction_ratio(force: &Overlay) -> Overlay {
    let mut out = Overlay {
        id: "friction-ratio".to_string(),
        title: "Friction over normal force".to_string(),
        unit: "1".to_string(),
        log: false,
        note: "μ where a contact slides, less where it sticks.".to_string(),
        groups: Vec::new(),
        curves: Vec::new(),
    };
    for friction in &force.curves {
        let Some(pair) = friction.group.strip_suffix(", friction") else { continue };
        let normal = format!("{pair}, normal");
        let Some(normal) = force.curves.iter().find(|c| c.run == friction.run && c.group == normal) else {
            continue;
        };
        let ratio = |(&f, &n): (&f64, &f64)| if n > 0.0 { f / n } else { f64::NAN };
        let values = friction.values.iter().zip(&normal.values).map(ratio).collect();
        out.add(friction.run, pair, &friction.x, values);
    }
    out
}
