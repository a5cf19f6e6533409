//! The table of the response `qp`.

use super::settings::QpSettings;
use crate::response::Response;
use crate::schema::Absent::Default;
use crate::schema::Kind::{Integer, Number};
use crate::schema::Range::{Fraction, NotNegative, Positive};
use crate::schema::{COUNT, Section, key};
use crate::settings::Settings;

pub(crate) static SECTION: Section = Section {
    title: "[qp]",
    meaning: "Settings of the response `qp` for the whole scene.",
    keys: &[
        key(
            "thickness",
            Number(Positive),
            "m",
            Default("1e-3"),
            "Distance that two surfaces keep, half of it by either; a body can have its own (`[[body]] thickness`), and so can a pair (`[[rule]] \
             thickness`).",
        ),
        key(
            "recovery",
            Number(NotNegative),
            "m/s",
            Default("0.01"),
            "Speed at which surfaces that start nearer than that are moved apart, and edges beyond a strain limit are brought back. \
             Positions only, it is no velocity; 0 keeps what they have.",
        ),
        key("tolerance", Number(Fraction), "", Default("1e-10"), "Relative KKT residual of each program."),
        key("rounds", Integer(1, COUNT), "1", Default("20"), "Most detection passes of a step."),
    ],
};

pub(crate) fn read(t: &mut Settings) -> Response {
    QpSettings {
        thickness: t.number("thickness"),
        recovery: t.number("recovery"),
        tolerance: t.number("tolerance"),
        rounds: t.count("rounds"),
    }
    .into()
}
