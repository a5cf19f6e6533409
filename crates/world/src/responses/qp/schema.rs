//! The table of the response `qp`.

use super::settings::QpSettings;
use crate::response::Response;
use crate::schema::Absent::Default;
use crate::schema::Kind::{Integer, Number, Word};
use crate::schema::Range::{Fraction, NotNegative, Positive};
use crate::schema::{COUNT, Section, key};
use crate::settings::Settings;
use impinge_qp::Method;

/// By their words in a scene file.
pub(super) const METHODS: [(&str, Method); 3] =
    [("newton", Method::PrimalDual), ("dual", Method::Dual), ("algorithm-1", Method::PaperSchur)];

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
        key(
            "method",
            Word(&[
                (
                    "newton",
                    "semismooth Newton on the augmented Lagrangian: any size, with friction, always ends",
                ),
                ("dual", "Goldfarb and Idnani's: one row at a time, dense, without friction"),
                (
                    "algorithm-1",
                    "the paper's, in its form (20), (21): dense, without friction, and rows may toggle without end",
                ),
            ]),
            "",
            Default("\"newton\""),
            "How the program of a step is solved. That which moves positions apart is always solved by the default.",
        ),
    ],
};

pub(crate) fn read(t: &mut Settings) -> Response {
    QpSettings {
        thickness: t.number("thickness"),
        recovery: t.number("recovery"),
        tolerance: t.number("tolerance"),
        rounds: t.count("rounds"),
        method: t.word("method", &METHODS),
    }
    .into()
}
