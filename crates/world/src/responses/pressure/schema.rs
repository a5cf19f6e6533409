//! The table of the response `pressure`.

use super::settings::{PressureFriction, PressureSettings, PressureStep};
use crate::response::Response;
use crate::schema::Absent::{Default, Otherwise};
use crate::schema::Kind::{Flag, Integer, Number, Word};
use crate::schema::Range::{Fraction, NotNegative, Positive};
use crate::schema::{COUNT, Section, key};
use crate::settings::Settings;

pub(crate) static SECTION: Section = Section {
    title: "[pressure]",
    meaning: "Settings of the response `pressure` for the whole scene. Friction coefficients are those of the pair; its stiffness is not used.",
    keys: &[
        key(
            "step",
            Word(&[
                (
                    "implicit",
                    "as it is at the end of the step, solved for with the motion: stable for any modulus",
                ),
                ("explicit", "as it is at the start of the step: keeps energy to its order, for short steps"),
                (
                    "radau",
                    "along the path, which Radau IIA of order 5 and more follows in inner steps: for reference, nothing is lost but what damps. \
                     Anchors and drag are those of the start of the step, and `integrator` does not move these bodies",
                ),
            ]),
            "",
            Default("\"implicit\""),
            "When the pressure acts.",
        ),
        key(
            "friction",
            Word(&[
                ("bristles", "springs with a memory of the patch: a body that holds does not creep"),
                ("coulomb", "of the slip velocity alone, smooth at rest: a body that holds creeps"),
            ]),
            "",
            Otherwise("`\"bristles\"`; `\"coulomb\"` with `step = \"radau\"`, which can have no other"),
            "The law of friction.",
        ),
        key(
            "bristle_stiffness",
            Number(Positive),
            "1/m",
            Otherwise("1e5; 1e4 with `step = \"explicit\"`"),
            "Traction over pressure per stretch. With `bristles` only, as the next.",
        ),
        key(
            "bristle_damping",
            Number(NotNegative),
            "s",
            Otherwise("1e-2; 2e-3 with `step = \"explicit\"`"),
            "Damping of the bristles over their stiffness.",
        ),
        key(
            "regularisation",
            Number(Positive),
            "m/s",
            Otherwise("1e-4"),
            "Speed v₀ in μ p v/√(v² + v₀²). With `coulomb` only, as the next.",
        ),
        key(
            "stribeck",
            Number(NotNegative),
            "m/s",
            Otherwise("0, the kinetic coefficient throughout"),
            "Speed over which friction falls from static to kinetic.",
        ),
        key(
            "tolerance",
            Number(Fraction),
            "",
            Otherwise("1e-9; 1e-6 with `step = \"radau\"`"),
            "Residual of the implicit step over the impulses that enter it, or where rounding of places leaves more, up to 1e-6. With `radau`, the error of an inner step: relative, in radii of \
             gyration, and for velocities in such radii over `dt`.",
        ),
        key(
            "iterations",
            Integer(1, COUNT),
            "1",
            Default("60"),
            "Most Newton iterations of an implicit step.",
        ),
        key(
            "energy",
            Flag,
            "",
            Default("true"),
            "Integrates the stored energy for the books: several times the cost of the contact itself.",
        ),
    ],
};

pub(crate) fn read(t: &mut Settings) -> Response {
    let step = t.word(
        "step",
        &[
            ("implicit", PressureStep::Implicit),
            ("explicit", PressureStep::Explicit),
            ("radau", PressureStep::Radau),
        ],
    );
    let along = step == PressureStep::Radau;
    let numbers = ["bristle_stiffness", "bristle_damping", "regularisation", "stribeck"];
    let [stiffness, damping, regularisation, stribeck] = numbers.map(|key| t.opt_number(key));
    let coulomb = t.opt_word("friction", &[("bristles", false), ("coulomb", true)]).unwrap_or(along);
    if along && !coulomb {
        let what =
            "bristles remember, and Radau's method follows forces that are functions of place and velocity";
        t.wrong("friction", what, "take \"coulomb\", or another `step`");
    }
    let (idle, law) = if coulomb { (&numbers[..2], "bristles") } else { (&numbers[2..], "coulomb") };
    for key in idle {
        t.refuse(key, &format!("goes with `friction = \"{law}\"` only"), "take it out, or choose that law");
    }
    let friction = match (coulomb, PressureFriction::default_for(step)) {
        (false, PressureFriction::Bristles { stiffness: k, damping: d }) => {
            PressureFriction::Bristles { stiffness: stiffness.unwrap_or(k), damping: damping.unwrap_or(d) }
        }
        _ => PressureFriction::Coulomb {
            regularisation: regularisation.unwrap_or(1e-4),
            stribeck: stribeck.unwrap_or(0.0),
        },
    };
    if along {
        t.refuse(
            "iterations",
            "is of the implicit step",
            "take it out; `tolerance` says how exact the path is",
        );
    }
    PressureSettings {
        step,
        friction,
        tolerance: t.opt_number("tolerance").unwrap_or(if along { 1e-6 } else { 1e-9 }),
        iterations: t.count("iterations"),
        energy: t.flag("energy"),
    }
    .into()
}
