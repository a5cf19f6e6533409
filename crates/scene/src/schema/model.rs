//! The keys of everything that is not a body: scene, penalty settings, materials, pairs, rules, expectations.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{
    Flag, Integer, Name, Number, Pair, Table, Tables, Text, Time, Vector, Window, Word, WordOrTable,
};
use super::Range::{Any, Fraction, Friction, NotNegative, Positive};
use super::{BODY, Section, key};

const COUNT: i128 = u32::MAX as i128;

/// The responses a scene may name; the words of [`crate::Response`].
const RESPONSE: super::Kind = Word(&[
    ("penalty", "discrete penalty: a spring along the way to the closest point of the other surface"),
    ("cpf", "continuous penalty: a spring on feature pairs found by CCD, integrated over the step"),
    ("dpf-ccd", "for comparison: the discrete force on the feature pairs of `cpf`"),
    (
        "cpf-implicit",
        "continuous penalty solved together with the motion, by the midpoint rule: keeps energy and momentum, at any stiffness",
    ),
    ("qp", "contacts as linear constraints, solved together with the implicit step by an active set"),
    ("volume", "constraints on the intersection volume of closed surfaces, with friction"),
    ("volume-penalty", "the energy ½kV² of the intersection volume"),
    ("pressure", "pressure fields: the surface where two of them are equal carries their pressure"),
]);

pub(crate) static TOP: Section = Section {
    title: "file",
    meaning: "The whole file. `[scene]` and at least one `[[body]]` are needed; order does not matter.",
    keys: &[
        key("scene", Table(&SCENE), "", Required, "What is simulated, and how the step is taken."),
        key("penalty", Table(&PENALTY), "", Default("{}"), "Settings of the response `penalty`."),
        key(
            "cpf",
            Table(&CPF),
            "",
            Default("{}"),
            "Settings of the responses `cpf`, `dpf-ccd` and `cpf-implicit`.",
        ),
        key("qp", Table(&QP), "", Default("{}"), "Settings of the response `qp`."),
        key(
            "volume",
            Table(&super::volume::VOLUME),
            "",
            Default("{}"),
            "Settings of the responses `volume` and `volume-penalty`.",
        ),
        key(
            "pressure",
            Table(&super::pressure::PRESSURE),
            "",
            Default("{}"),
            "Settings of the response `pressure`.",
        ),
        key(
            "deformable",
            Table(&super::soft::DEFORMABLE),
            "",
            Default("{}"),
            "How implicit steps of deformables are solved.",
        ),
        key("material", Tables(&MATERIAL), "", Default("[]"), "The materials."),
        key("pair", Tables(&PAIR), "", Default("[]"), "The contact law between two materials."),
        key("body", Tables(&BODY), "", Required, "The bodies."),
        key("rule", Tables(&RULE), "", Default("[]"), "Exceptions for chosen pairs of bodies."),
        key("cut", Tables(&super::soft::CUT), "", Default("[]"), "Cuts through deformables during the run."),
        key("refine", Tables(&super::soft::REFINE), "", Default("[]"), "Finer meshes during the run."),
        key("expect", Tables(&EXPECT), "", Default("[]"), "What must come out."),
        key("record", Table(&RECORD), "", Default("{}"), "How much is kept for the report."),
    ],
};

pub(crate) static SCENE: Section = Section {
    title: "[scene]",
    meaning: "What is simulated, and how the step is taken.",
    keys: &[
        key("title", Text, "", Required, "One line, shown in lists and on reports."),
        key("description", Text, "", Default("\"\""), "What there is to see, in a few sentences."),
        key("source", Text, "", Default("\"\""), "The paper, figure or benchmark the scene comes from."),
        key("gravity", Vector, "m/s²", Default("[0.0, 0.0, -9.81]"), "Acceleration of free fall."),
        key("dt", Number(Positive), "s", Required, "Time step."),
        key("duration", Number(Positive), "s", Required, "Simulated time; rounded up to whole steps."),
        key(
            "integrator",
            Word(&[
                ("symplectic-euler", "new velocity first, then position with the new velocity"),
                ("explicit-euler", "position with the old velocity"),
                (
                    "implicit-euler",
                    "deformables by implicit Euler, linearised: one linear solve a step; others as symplectic-euler",
                ),
                ("implicit-euler-newton", "the same, solved to the end by Newton's method"),
                (
                    "implicit-midpoint",
                    "everything by the midpoint rule, deformables implicitly: second order, no numerical damping",
                ),
            ]),
            "",
            Default("\"symplectic-euler\""),
            "How the step is taken.",
        ),
        key("response", RESPONSE, "", Default("\"penalty\""), "The response of every pair without a rule."),
        key(
            "halvings",
            Integer(0, 20),
            "1",
            Default("8"),
            "How often a step may be halved whose implicit solve did not end; then the run stops.",
        ),
        key(
            "accept_unfinished",
            Flag,
            "",
            Default("false"),
            "The best state of a solve that did not end is taken, and its step is not halved.",
        ),
    ],
};

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

pub(crate) static MATERIAL: Section = Section {
    title: "[[material]]",
    meaning: "A material a body can be made of.",
    keys: &[
        key("name", Name, "", Required, "Unique."),
        key(
            "density",
            Number(Positive),
            "kg/m³",
            Otherwise("bodies of it must state mass or density"),
            "Used by rigid bodies that state neither `mass` nor `density`.",
        ),
    ],
};

pub(crate) static PAIR: Section = Section {
    title: "[[pair]]",
    meaning: "The contact law between two materials. Every two materials that can meet need one. `\"*\"` stands for any \
              material; a pair that names both beats a pair with one `\"*\"`, which beats `[\"*\", \"*\"]`. Exactly one of \
              `stiffness` and `stiffness_per_area` is needed.",
    keys: &[
        key("materials", Pair, "", Required, "The two materials, in either order."),
        key(
            "stiffness",
            Number(Positive),
            "N/m",
            Otherwise("state `stiffness_per_area`"),
            "Per contact point.",
        ),
        key(
            "stiffness_per_area",
            Number(Positive),
            "N/m³",
            Otherwise("state `stiffness`"),
            "Per contact point and per area the point stands for, so that a finer mesh is no stiffer \
             by its vertices; edges that cross count on their own. \
             Stiffness, friction stiffness and both dampings of the pair are then per area.",
        ),
        key("mu_s", Number(Friction), "1", Default("0.0"), "Static friction coefficient."),
        key(
            "mu_k",
            Number(Friction),
            "1",
            Otherwise("`mu_s`"),
            "Kinetic friction coefficient, at most `mu_s`.",
        ),
        key(
            "slip_rule",
            Word(&[
                (
                    "return-map",
                    "the anchor follows and keeps the sliding force at μk F; neither chatter nor creep",
                ),
                (
                    "yamane",
                    "seed 003 to the letter: μk F (1 − exp(−k_omega v)), anchor reset at every sliding step",
                ),
            ]),
            "",
            Default("\"return-map\""),
            "What a sliding contact does.",
        ),
        key(
            "k_omega",
            Number(Positive),
            "s/m",
            Default("2000.0"),
            "How fast kinetic friction grows with slip speed v: μk F (1 − exp(−k_omega v)). With `slip_rule = \"yamane\"` only.",
        ),
        key(
            "friction_stiffness",
            Number(Positive),
            "N/m (N/m³ with `stiffness_per_area`)",
            Otherwise("the pair's stiffness"),
            "The spring that holds a sticking contact point to its anchor.",
        ),
        key(
            "friction_damping",
            Number(NotNegative),
            "N·s/m (N·s/m³ with `stiffness_per_area`)",
            Default("0.0"),
            "The damper beside that spring.",
        ),
        key("damping", WordOrTable("none", &DAMPING), "", Default("\"none\""), "Loss along the normal."),
    ],
};

pub(crate) static DAMPING: Section = Section {
    title: "pair.damping",
    meaning: "How a contact loses energy along the normal: exactly one of `kelvin_voigt`, `hunt_crossley` and `restitution`. \
              With `restitution` the damping is computed so that one impact gives that ratio; `law` chooses the damper, and the \
              law needs the impact it is computed for: `mass` for kelvin-voigt, `speed` for hunt-crossley.",
    keys: &[
        key(
            "kelvin_voigt",
            Number(NotNegative),
            "N·s/m (N·s/m³ with `stiffness_per_area`)",
            Otherwise("—"),
            "c in F = k δ + c δ̇.",
        ),
        key("hunt_crossley", Number(NotNegative), "s/m", Otherwise("—"), "χ in F = k δ (1 + χ δ̇)."),
        key(
            "restitution",
            Number(Fraction),
            "1",
            Otherwise("—"),
            "Speed after over speed before one impact; 0.001 or more.",
        ),
        key(
            "law",
            Word(&[("kelvin-voigt", "F = k δ + c δ̇"), ("hunt-crossley", "F = k δ (1 + χ δ̇)")]),
            "",
            Otherwise("needed with `restitution`"),
            "The damper that `restitution` is turned into.",
        ),
        key(
            "speed",
            Number(Positive),
            "m/s",
            Otherwise("needed with `law = \"hunt-crossley\"`"),
            "Approach speed of that impact.",
        ),
        key(
            "mass",
            Number(Positive),
            "kg",
            Otherwise("needed with `law = \"kelvin-voigt\"`"),
            "Effective mass of that impact: 1/(1/m1 + 1/m2).",
        ),
    ],
};

pub(crate) static RULE: Section = Section {
    title: "[[rule]]",
    meaning: "An exception for pairs of bodies; where several rules fit a pair, the last one in the file holds. Without a rule a \
              pair has the scene's response and `sides = \"both\"`.",
    keys: &[
        key(
            "bodies",
            Pair,
            "",
            Required,
            "Two body names or patterns; `*` stands for any letters: `[\"ball-*\", \"floor\"]`.",
        ),
        key(
            "response",
            Word(&[
                ("penalty", "the discrete penalty response"),
                ("cpf", "the continuous penalty response"),
                ("dpf-ccd", "the discrete force on its feature pairs"),
                ("cpf-implicit", "the continuous penalty response solved implicitly"),
                ("qp", "contacts as linear constraints"),
                ("volume", "constraints on intersection volume"),
                ("volume-penalty", "the energy of intersection volume"),
                ("pressure", "pressure fields"),
                ("none", "these bodies pass through each other"),
            ]),
            "",
            Otherwise("the scene's response"),
            "The response of these pairs.",
        ),
        key(
            "sides",
            Word(&[
                ("both", "each body's vertices against the other's surface"),
                ("first", "only the vertices of the first body, against the surface of the second"),
                ("second", "only the vertices of the second body, against the surface of the first"),
            ]),
            "",
            Default("\"both\""),
            "Whose vertices are tested against whose surface; edges only with `both`. First and second are as the rule names them; where both \
             patterns fit both bodies, the first is the body that stands earlier in the file.",
        ),
        key(
            "thickness",
            Number(Positive),
            "m",
            Otherwise("the sum of the bodies'"),
            "Distance that these pairs keep with the response `qp`. All bodies look for contact as far as the farthest pair of the scene keeps.",
        ),
    ],
};

pub(crate) static EXPECT: Section = Section {
    title: "[[expect]]",
    meaning: "One thing that must come out of a run. At least one of `value`, `min` and `max` is needed; `value` needs `abs`, `rel` \
              or both (then the larger of the two tolerances holds).",
    keys: &[
        key("name", Name, "", Required, "Unique for its response."),
        key("response", RESPONSE, "", Otherwise("the scene's response"), "The response it is said of."),
        key(
            "every_response",
            Flag,
            "",
            Default("false"),
            "It is said of every response that has no expectation of this name of its own.",
        ),
        key("measure", Text, "", Required, "What is measured; see Measures."),
        key("body", Text, "", Otherwise("the measure's other subject"), "The body it is measured on."),
        key(
            "pair",
            Pair,
            "",
            Otherwise("the measure's other subject"),
            "The two bodies it is measured between.",
        ),
        key("at", Time, "s", Otherwise("`\"end\"`, unless `window` is given"), "When it is measured."),
        key(
            "window",
            Window,
            "s",
            Otherwise("—"),
            "Over which time; see each measure for what is done over it.",
        ),
        key("value", Number(Any), "the measure's", Otherwise("—"), "The expected value."),
        key("abs", Number(NotNegative), "the measure's", Otherwise("—"), "How far from `value` it may be."),
        key("rel", Number(NotNegative), "1", Otherwise("—"), "The same as a share of |`value`|."),
        key("min", Number(Any), "the measure's", Otherwise("—"), "The least it may be."),
        key("max", Number(Any), "the measure's", Otherwise("—"), "The most it may be."),
        key(
            "fails",
            Text,
            "",
            Otherwise("it must hold"),
            "Why this response cannot meet it. The expectation is then an expected failure: a run that meets it is reported, so \
             that the reason can be taken out.",
        ),
    ],
};

pub(crate) static RECORD: Section = Section {
    title: "[record]",
    meaning: "How many moments are kept for playback; at most one of the two keys. Never more than one per step.",
    keys: &[
        key(
            "frames",
            Integer(1, COUNT),
            "1",
            Otherwise("240, unless `frame_interval` is given"),
            "How many in all.",
        ),
        key("frame_interval", Number(Positive), "s", Otherwise("`duration` / `frames`"), "Time between two."),
    ],
};
