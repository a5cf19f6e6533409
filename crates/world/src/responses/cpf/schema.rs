//! The table of the responses `cpf`, `dpf-ccd` and `cpf-implicit`.

use super::implicit::object::CpfImplicit;
use super::object::Cpf;
use crate::schema::Absent::Default;
use crate::schema::Kind::{Number, Word};
use crate::schema::Range::{Fraction, Positive};
use crate::schema::{Section, key};
use crate::settings::Settings;
use impinge_cpf::conserving::Scheme;
use impinge_cpf::{Force, Normalisation};
use impinge_swept::Paths;

pub(crate) static SECTION: Section = Section {
    title: "[cpf]",
    meaning: "Settings of the responses `cpf`, `dpf-ccd` and `cpf-implicit` for the whole scene.",
    keys: &[
        key(
            "normalisation",
            Word(&[
                ("auto", "the paper's constant where its error is certainly below the tolerance, else exact"),
                ("constant", "the paper's constant L_k everywhere"),
                ("exact", "the length of the normal itself, by quadrature with a bound of its error"),
            ]),
            "",
            Default("\"auto\""),
            "How the normal is brought to length 1 along the path.",
        ),
        key(
            "tolerance",
            Number(Fraction),
            "",
            Default("1e-3"),
            "Relative error that `auto` and `exact` allow.",
        ),
        key(
            "band",
            Number(Positive),
            "",
            Default("0.1"),
            "Distance over which a contact that slides off its triangle is handed to the next, in triangle sizes; shorter at a convex edge.",
        ),
        key(
            "friction",
            Word(&[
                ("end", "by the mean normal force of the step, at its predicted end"),
                ("path", "integrated over the way as the normal force is, with the force of each moment"),
            ]),
            "",
            Default("\"end\""),
            "Where `cpf` takes friction.",
        ),
        key(
            "paths",
            Word(&[
                ("straight", "on lines between the ends of the step, as in the papers"),
                (
                    "arcs",
                    "vertices of rigid bodies turn about the centre of mass, which goes straight; other vertices go straight",
                ),
                (
                    "parabolas",
                    "as arcs, and centres of mass and other vertices have the acceleration of the step",
                ),
            ]),
            "",
            Default("\"straight\""),
            "How vertices go within a step, for `cpf` and `dpf-ccd`. Curved paths cost several times as much, and are for steps in which bodies turn by tens of degrees.",
        ),
        key(
            "gradient",
            Word(&[
                ("equivariant", "keeps energy, linear and angular momentum (Gonzalez, Simo and Tarnow)"),
                ("path-average", "keeps energy and linear momentum; the angular momentum it leaks is booked"),
            ]),
            "",
            Default("\"equivariant\""),
            "Which discrete gradient `cpf-implicit` takes.",
        ),
    ],
};

/// Of `cpf` and `dpf-ccd`.
pub(crate) fn explicit(t: &mut Settings, force: Force) -> Cpf {
    let tolerance = t.number("tolerance");
    let normalisations = [
        ("auto", Normalisation::Auto { tolerance }),
        ("constant", Normalisation::Constant),
        ("exact", Normalisation::Exact { tolerance }),
    ];
    let paths = [("straight", Paths::Straight), ("arcs", Paths::Arcs), ("parabolas", Paths::Parabolas)];
    Cpf {
        force,
        normalisation: t.word("normalisation", &normalisations),
        band: t.number("band"),
        friction_along: t.word("friction", &[("end", false), ("path", true)]),
        paths: t.word("paths", &paths),
    }
}

/// Of `cpf-implicit`.
pub(crate) fn implicit(t: &mut Settings) -> CpfImplicit {
    let gradients = [("equivariant", Scheme::Equivariant), ("path-average", Scheme::PathAverage)];
    let gradient = t.word("gradient", &gradients);
    CpfImplicit { gradient, band: t.number("band"), ..CpfImplicit::default() }
}
