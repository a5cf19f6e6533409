//! The keys of the responses `penalty`, `cpf` and `qp`.

use super::Absent::{Default, Otherwise};
use super::Kind::{Integer, Number, Word};
use super::Range::{Fraction, NotNegative, Positive};
use super::model::COUNT;
use super::{Section, key};

pub(crate) static PENALTY: Section = Section {
    title: "[penalty]",
    meaning: "Settings of the response `penalty` for the whole scene.",
    keys: &[
        key(
            "evaluate",
            Word(&[
                ("end", "at the positions predicted for the end of the step; damps"),
                ("start", "at the positions the step starts from; the textbook symplectic step"),
            ]),
            "",
            Default("\"end\""),
            "Where the depth is measured.",
        ),
        key(
            "release",
            Word(&[
                ("force", "the contact never pulls: it ends when spring and damper cancel"),
                ("depth", "the contact ends at depth 0, and the damper may pull until then"),
            ]),
            "",
            Default("\"force\""),
            "When a damped contact lets go.",
        ),
        key(
            "way_out",
            Word(&[
                (
                    "facing",
                    "the closest point whose push is against the vertex' own surface, if one is near by",
                ),
                ("closest", "the closest point, as in the papers; catches what slides over a fine floor"),
            ]),
            "",
            Default("\"facing\""),
            "Where a vertex inside a mesh is pushed to.",
        ),
        key(
            "proximity",
            Number(Positive),
            "m",
            Otherwise("by depth"),
            "Distance below which features of two bodies (a vertex and a face, two edges) push each other apart with k (proximity − distance), \
             whichever side they are on, in place of vertices that are inside: as simulation frameworks detect contact, and what the papers' discrete \
             force was computed with. What has come through a surface is pushed on, and what is further in is let go of; planes push from above only, \
             however deep. No body pushes itself; `way_out` is not used.",
        ),
    ],
};

pub(crate) static CPF: Section = Section {
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

pub(crate) static QP: Section = Section {
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
