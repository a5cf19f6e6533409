//! The table of the responses `volume` and `volume-penalty`.

use super::settings::{Measurement, VolumeFriction, VolumePenaltySettings, VolumeSettings};
use crate::response::Response;
use crate::schema::Absent::{Default, Otherwise};
use crate::schema::Kind::{Flag, Integer, Number, Word};
use crate::schema::Range::{Fraction, NotNegative, Positive};
use crate::schema::{COUNT, Section, key};
use crate::settings::Settings;
use impinge_volume::{FrictionAt, Walls};

pub(crate) static SECTION: Section = Section {
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
            "Distance of the rays of layered depth images, which then measure alone.",
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
            "axes",
            Word(&[
                (
                    "certified",
                    "each is certified, and the volume lies in what they prove together; the run says how sure it is. It takes several times as long as the mean, \
                     and exact volumes, without `pixel`, are faster than either",
                ),
                (
                    "mean",
                    "the mean of the three, as in the paper and several times as fast: a layer thinner than a pixel may be off by more than its volume, \
                     and flat boxes do not stand on each other",
                ),
            ]),
            "",
            Default("\"certified\""),
            "What is made of the volumes that rays along the three axes see. With `pixel` only; `error` takes the first. A body that meets itself has the \
             mean.",
        ),
        key(
            "compare",
            Integer(1, COUNT),
            "1",
            Otherwise("no step does"),
            "Every so many steps pairs are measured exactly as well, and the run says how far images were off. With `pixel` only.",
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

fn measure(t: &mut Settings) -> Measurement {
    let [cell, pixel, error] = ["cell", "pixel", "error"].map(|key| t.opt_number(key));
    if let Some(e) = error.filter(|e| !(*e > 0.0 && *e < 1.0)) {
        let what = format!("`error` is {e}; it is a part of the volume");
        t.wrong("error", what, "give a number between 0 and 1, such as 0.01");
    } else if error.is_some() && pixel.is_none() {
        let what = "`error` is given and `pixel` is not: without a pixel volumes are exact";
        t.wrong("error", what, "give a `pixel`, the finest that may be used, or take `error` out");
    }
    if cell.is_none() {
        let what = "says what the walls of cells move with, and there are none";
        t.refuse("walls", what, "give a `cell`, or take it out");
    }
    let walls = t.word("walls", &[("carried", Walls::Carried), ("shared", Walls::Shared)]);
    if pixel.is_none() {
        let (what, fix) = ("is about depth images, and volumes are exact", "give a `pixel`, or take it out");
        ["axes", "compare"].into_iter().for_each(|key| t.refuse(key, what, fix));
    }
    let plain_mean = t.word("axes", &[("certified", false), ("mean", true)]);
    if plain_mean && error.is_some() {
        t.wrong("axes", "`axes` takes the mean, and an `error` certifies images", "take one of them out");
    }
    let compare = t.opt_number("compare").map(|every| every as u32);
    Measurement { cell, by_place: t.opt_flag("by_place"), pixel, error, plain_mean, compare, walls }
}

/// Of `volume`.
pub(crate) fn constraints(t: &mut Settings) -> Response {
    let measure = measure(t);
    let depth = t.number("depth");
    if let Some(pixel) = measure.pixel.filter(|p| depth < 0.5 * p) {
        let what =
            format!("`depth` ({depth} m) is less than half a pixel ({pixel} m): rays see nothing so thin");
        t.wrong("depth", what, "raise `depth` or lower `pixel`");
    }
    let places = [("center", FrictionAt::Center), ("surface", FrictionAt::Surface)];
    VolumeSettings {
        measure,
        depth,
        recovery: t.opt_number("recovery"),
        friction_at: t.word("friction_at", &places),
        pyramid: t.word("cone", &[("round", false), ("pyramid", true)]),
        tolerance: t.number("tolerance"),
        iterations: t.count("iterations"),
        passes: t.count("passes"),
    }
    .into()
}

/// Of `volume-penalty`.
pub(crate) fn energy(t: &mut Settings) -> Response {
    VolumePenaltySettings {
        measure: measure(t),
        stiffness: t.number("stiffness"),
        viscosity: t.number("viscosity"),
        friction: friction(t),
    }
    .into()
}

fn friction(t: &mut Settings) -> VolumeFriction {
    let keys = ["bristle_stiffness", "bristle_damping"];
    let [stiffness, damping] = keys.map(|key| t.opt_number(key));
    match VolumeFriction::BRISTLES {
        VolumeFriction::Bristles { stiffness: k, damping: d }
            if t.word("friction", &[("viscous", false), ("bristles", true)]) =>
        {
            VolumeFriction::Bristles { stiffness: stiffness.unwrap_or(k), damping: damping.unwrap_or(d) }
        }
        _ => {
            for key in keys {
                let what = "goes with `friction = \"bristles\"` only";
                t.refuse(key, what, "take it out, or choose that law");
            }
            VolumeFriction::Viscous
        }
    }
}
