//! The keys of materials and of the contact law between two of them.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Name, Number, Pair, Word, WordOrTable};
use super::Range::{Fraction, Friction, NotNegative, Positive};
use super::{Section, key};

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
    meaning: "The contact law between two materials. Every two materials that can meet need one, or the file has none: friction is \
              then 0.5 between all. `\"*\"` stands for any material; a pair that names both beats a pair with one `\"*\"`, which beats \
              `[\"*\", \"*\"]`. At most one of `stiffness` and `stiffness_per_area` is stated. Without both, the stiffness of two bodies \
              follows from the lighter one, m/(20 dt²) at most for the mass on a contact point; `damping`, `friction_stiffness` and \
              `friction_damping` that are not stated then follow too, the dampers at half of critical. The notes of a run say the numbers.",
    keys: &[
        key("materials", Pair, "", Required, "The two materials, in either order."),
        key(
            "stiffness",
            Number(Positive),
            "N/m",
            Otherwise("`stiffness_per_area`, or follows from the bodies"),
            "Per contact point.",
        ),
        key(
            "stiffness_per_area",
            Number(Positive),
            "N/m³",
            Otherwise("`stiffness`, or follows from the bodies"),
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
            "rolling_friction",
            Number(NotNegative),
            "m",
            Default("0.0"),
            "Rolling friction of two rigid bodies: a couple across the contact normal, up to this length times the normal force of the step \
             before. A ball of radius R rolls out with (5/7) g c/R and rests on slopes up to tan α = c/R. Under every response.",
        ),
        key(
            "spinning_friction",
            Number(NotNegative),
            "m",
            Default("0.0"),
            "Spinning friction of two rigid bodies: the same about the normal. What spins with ω stops in I ω/(c N).",
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
              law needs the impact it is computed for: `mass` for kelvin-voigt, `speed` for hunt-crossley. \
              Constraints (`qp`, `volume`) take the ratio itself, at any speed and mass.",
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
