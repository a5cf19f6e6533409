//! The keys of `[volume]`.

use super::Absent::{Default, Otherwise};
use super::Kind::{Flag, Integer, Number, Word};
use super::Range::{Fraction, NotNegative, Positive};
use super::{Section, key};

const COUNT: i128 = u32::MAX as i128;

pub(crate) static VOLUME: Section = Section {
    title: "[volume]",
    meaning: "Settings of the responses `volume` and `volume-penalty` for the whole scene.",
    keys: &[
        key(
            "cell",
            Number(Positive),
            "m",
            Otherwise("there are none"),
            "Edge of the grid's cells, each of them a contact. What stands broad needs two or more across.",
        ),
        key(
            "by_place",
            Flag,
            "",
            Otherwise("true without `cell` and false with one"),
            "`volume`: each place where a pair meets, a volume that hangs together, is a contact of its own, with `cell` each place in each cell: a ring on \
             a pin is pushed by both its sides, a table stands on four legs. Without it their pushes are added up, as in the paper. `volume-penalty` \
             adds them up in any case.",
        ),
        key(
            "walls",
            Word(&[
                (
                    "carried",
                    "with the body whose surface is bent: what slides over something flat is pushed straight off it; a cell that is narrower than \
                     a few depths is joined to the one beside it",
                ),
                (
                    "shared",
                    "with both surfaces, as in the paper, and each cell by itself: what slides over the wall of a cell may hop",
                ),
            ]),
            "",
            Default("\"carried\""),
            "`volume`: what the walls of the grid's cells move with. `volume-penalty` has them shared.",
        ),
        key(
            "pixel",
            Number(Positive),
            "m",
            Otherwise("volumes are measured exactly"),
            "Distance of the rays of layered depth images; the run then says their error.",
        ),
        key(
            "error",
            Number(Fraction),
            "1",
            Otherwise("all rays are `pixel` apart"),
            "Part of a pair's volume that it may be off, certified: pixels start coarse and get finer, pair by pair, down to `pixel`. Where that \
             is not enough the run goes on and says so; where memory ends first it stops and says what fits.",
        ),
        key(
            "depth",
            Number(Positive),
            "m",
            Default("1e-4"),
            "`volume`: mean depth that resting contacts keep; at least half a pixel.",
        ),
        key(
            "recovery",
            Number(Positive),
            "m/s",
            Otherwise("it is moved out within one step"),
            "`volume`: fastest way out of what overlaps deeper. Positions only, it is no velocity.",
        ),
        key(
            "friction_at",
            Word(&[
                ("center", "the common centre of the contact: no torque beside the force"),
                ("surface", "the two surfaces, as in the paper: their distance times the force is a torque"),
            ]),
            "",
            Default("\"center\""),
            "`volume`: where friction acts.",
        ),
        key(
            "cone",
            Word(&[
                ("round", "Coulomb's"),
                ("pyramid", "the paper's: four sides, weaker by √2 between its axes"),
            ]),
            "",
            Default("\"round\""),
            "`volume`: bound of friction.",
        ),
        key(
            "tolerance",
            Number(Fraction),
            "",
            Default("1e-10"),
            "`volume`: relative residual of the contact law.",
        ),
        key("iterations", Integer(1, COUNT), "1", Default("500"), "`volume`: most iterations of one solve."),
        key(
            "passes",
            Integer(1, COUNT),
            "1",
            Default("40"),
            "`volume`: most passes of the position stabilisation.",
        ),
        key("stiffness", Number(Positive), "Pa/m³", Default("1e9"), "`volume-penalty`: k of ½kV²."),
        key(
            "viscosity",
            Number(NotNegative),
            "Pa·s/m³",
            Default("0.0"),
            "`volume-penalty`: pressure for each m³/s along the normal; with `friction = \"viscous\"` across it as well.",
        ),
        key(
            "friction",
            Word(&[
                ("bristles", "a spring with a memory for each cell: a body that holds does not creep"),
                (
                    "viscous",
                    "the viscosity across the normal, up to Coulomb's bound: a body that holds creeps, and without viscosity nothing rubs",
                ),
            ]),
            "",
            Default("\"bristles\""),
            "`volume-penalty`: the law of friction, with the coefficients of the pair.",
        ),
        key(
            "bristle_stiffness",
            Number(Positive),
            "1/m",
            Otherwise("1e4"),
            "Friction over normal force per stretch; less where the step is too long for it. With `bristles` only, as the next.",
        ),
        key(
            "bristle_damping",
            Number(NotNegative),
            "s",
            Otherwise("2e-3"),
            "Damping of the bristles over their stiffness.",
        ),
    ],
};
