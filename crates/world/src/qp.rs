//! The response `qp`: its settings, and what it says about a step.

use crate::column::columns;

/// Settings of the response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QpSettings {
    /// Distance that two surfaces keep (m): rᵢ + rⱼ of seed 001 §4.2, > 0.
    pub thickness: f64,
    /// Surfaces that start nearer than that are moved apart at no more than this speed (m/s); what is as near when they leave
    /// goes on with it. 0 keeps the distance they have.
    pub recovery: f64,
    /// Relative KKT residual of each solve.
    pub tolerance: f64,
    /// Most detection passes of a step.
    pub rounds: u32,
}

impl Default for QpSettings {
    fn default() -> Self {
        Self { thickness: 1e-3, recovery: 0.01, tolerance: 1e-10, rounds: 20 }
    }
}

impl QpSettings {
    /// Refuses what makes no sense, with the reason.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { thickness, recovery, tolerance, rounds } = *self;
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(format!(
                "the thickness of response 'qp' is {thickness} m; it must be a positive, finite length: surfaces that may touch \
                 cannot be kept apart by rounded numbers"
            ));
        }
        if !(recovery >= 0.0 && recovery.is_finite()) {
            return Err(format!(
                "the recovery speed of response 'qp' is {recovery} m/s; give a finite number of at least 0"
            ));
        }
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return Err(format!(
                "the tolerance of response 'qp' is {tolerance}; give a number between 0 and 1"
            ));
        }
        if rounds == 0 {
            return Err("the response 'qp' needs at least one detection pass".to_string());
        }
        Ok(())
    }
}

/// What the constraints of one step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QpReport {
    /// Quadratic programs solved: one, and one more for each detection pass that found something.
    pub solves: u32,
    /// Linear systems solved.
    pub iterations: u32,
    /// Factorisations.
    pub factorisations: u32,
    /// Changes of a row from active to inactive or back.
    pub toggles: u32,
    /// Rows of contacts, without those of friction.
    pub rows: u32,
    /// Of these, with an impulse.
    pub active: u32,
    /// Largest relative KKT residual of the last program.
    pub residual: f64,
    /// Programs that ended short of the tolerance; their best iterate was used.
    pub unfinished: u32,
    /// The last detection pass found nothing new.
    pub clean: bool,
    /// Bodies and nodes whose way was cut short where it would have penetrated.
    pub cut: u32,
    /// Pairs that touch in spite of all: because they did when the step began, or move on rails.
    pub left: u32,
}

columns! {
    QpReport => "qp report", Step;
}
