//! The keys of a body.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{
    Color, Direction, Flag, Integer, Name, Names, Number, Points, Table, Tables, Text, Vector, Word, Words,
};
use super::Range::{Any, NotNegative, Positive};
use super::{MESH, Section, key};

pub(crate) static BODY: Section = Section {
    title: "[[body]]",
    meaning: "A body. Exactly one of `mesh`, `plane`, `points`, `solid`, `sheet` and `line` gives its shape: `points` for particles, `plane` for \
              fixed bodies, `mesh` for rigid, kinematic and fixed ones, `solid`, `sheet` and `line` for deformable ones. `position` and `rotation` place the frame the shape is given in; the \
              centre of mass is found from the shape and need not be that frame's origin.",
    keys: &[
        key("name", Name, "", Required, "Unique; a copy is called `name-0`, `name-1`, …"),
        key(
            "kind",
            Word(&[
                ("rigid", "moves as the forces on it say"),
                ("kinematic", "moves as `keyframes` or `driver` say, whatever pushes it"),
                ("fixed", "does not move"),
                ("particles", "free points, each with its own mass"),
                ("deformable", "a solid of tetrahedra, a sheet of cloth or a cable"),
            ]),
            "",
            Default("\"rigid\""),
            "How it moves.",
        ),
        key("mesh", Table(&MESH), "m", Otherwise("—"), "A surface by generator or from a file."),
        key("plane", Table(&PLANE), "m", Otherwise("—"), "A half space."),
        key("points", Points, "m", Otherwise("—"), "Particles, in the body frame."),
        key("solid", Table(&super::soft::SOLID), "m", Otherwise("—"), "A deformable solid; with `elastic`."),
        key("sheet", Table(&MESH), "m", Otherwise("—"), "A deformable sheet, open or closed; with `cloth`."),
        key("line", Points, "m", Otherwise("—"), "The nodes of a cable, in the body frame; with `cable`."),
        key(
            "elastic",
            Table(&super::soft::ELASTIC),
            "",
            Otherwise("needed for a solid"),
            "What a solid is made of.",
        ),
        key(
            "cloth",
            Table(&super::soft::CLOTH),
            "",
            Otherwise("needed for a sheet"),
            "What a sheet is made of.",
        ),
        key(
            "cable",
            Table(&super::soft::CABLE),
            "",
            Otherwise("needed for a line"),
            "What a cable is made of.",
        ),
        key(
            "self_contact",
            Flag,
            "",
            Default("false"),
            "A deformable solid meets itself, under the law of its material with itself; costs a tree over its tets each step, and \
              under `volume` and `volume-penalty` needs `[volume] pixel`. So do \
             cloth, open or closed, and cables with the response `qp`, which keeps the thickness between their layers or parts, or half of \
             what two features have between them at rest if that is less; and cloth and cables with a `thickness` under `cpf` and `dpf-ccd`.",
        ),
        key(
            "thickness",
            Number(Positive),
            "m",
            Otherwise("half of `[qp] thickness`; none under `cpf`"),
            "Of the layer around its surface, with the response `qp`: two bodies keep the sum of theirs from each other, a body twice its own \
             from itself. Cloth and cables that meet themselves keep that under `cpf` and `dpf-ccd` too.",
        ),
        key(
            "strain_limit",
            Table(&super::soft::STRAIN_LIMIT),
            "",
            Otherwise("none"),
            "Limits how far edges of cloth and segments of a cable stretch and shrink, with the response `qp`.",
        ),
        key("attach", Tables(&super::soft::ATTACH), "", Default("[]"), "What holds a deformable body."),
        key(
            "pressure",
            Table(&super::pressure::FIELD),
            "",
            Otherwise("rigid"),
            "Its pressure field, for the response `pressure`.",
        ),
        key("material", Text, "", Required, "The name of one of the `[[material]]`s."),
        key(
            "mass",
            Number(Positive),
            "kg",
            Otherwise("from `density`"),
            "Of the whole body; rigid bodies and particles (who share it equally).",
        ),
        key(
            "density",
            Number(Positive),
            "kg/m³",
            Otherwise("the material's"),
            "Of a rigid or deformable body; at most one of `mass` and `density`.",
        ),
        key("position", Vector, "m", Default("[0.0, 0.0, 0.0]"), "Of the body frame's origin at the start."),
        key("rotation", Table(&AXIS_ANGLE), "", Otherwise("none"), "Of the body frame at the start."),
        key(
            "velocity",
            Vector,
            "m/s",
            Default("[0.0, 0.0, 0.0]"),
            "Of the centre of mass at the start; rigid and deformable bodies and particles.",
        ),
        key(
            "angular_velocity",
            Vector,
            "rad/s",
            Default("[0.0, 0.0, 0.0]"),
            "About the centre of mass, world axes, at the start; rigid and deformable bodies.",
        ),
        key(
            "linear_drag",
            Number(NotNegative),
            "N·s/m",
            Default("0.0"),
            "Force per velocity against the motion; for particles and deformables on each node.",
        ),
        key(
            "angular_drag",
            Number(NotNegative),
            "N·m·s/rad",
            Default("0.0"),
            "Torque per angular velocity against it; rigid bodies.",
        ),
        key(
            "locked",
            Words(&super::actuator::AXES),
            "",
            Default("[]"),
            "Axes of the world that a rigid body does not move along or turn about (about its centre of mass), whatever acts on it.",
        ),
        key(
            "anchors",
            Tables(&ANCHOR),
            "",
            Default("[]"),
            "Springs to points of the world; rigid bodies and particles.",
        ),
        key(
            "surface_velocity",
            Vector,
            "m/s",
            Default("[0.0, 0.0, 0.0]"),
            "How its surface moves along itself while the body stays, in body axes: a conveyor belt. Friction sees the slip against it; what lies \
             across a contact is left out. Fixed, kinematic and rigid bodies.",
        ),
        key(
            "surface_spin",
            Vector,
            "rad/s",
            Default("[0.0, 0.0, 0.0]"),
            "The same about the body frame's origin: a turntable, a roller.",
        ),
        key(
            "groups",
            Names,
            "",
            Otherwise("in none"),
            "The groups it is in; at most 31 names in a scene. Two bodies meet where each is in a group that the other one `meets`. What a rule \
             says of a pair goes first.",
        ),
        key(
            "meets",
            Names,
            "",
            Otherwise("all bodies"),
            "The groups whose bodies it meets, and no other body, those without a group neither: `[]` for none.",
        ),
        key("keyframes", Tables(&KEYFRAME), "", Default("[]"), "Where a kinematic body is, when."),
        key(
            "driver",
            Table(&DRIVER),
            "",
            Otherwise("—"),
            "How a kinematic body moves, as a function of time.",
        ),
        key("copies", Table(&COPIES), "", Otherwise("one body"), "Repeats the body."),
        key("color", Color, "", Otherwise("chosen by the report"), "For playback."),
        key(
            "replaceable",
            Flag,
            "",
            Default("false"),
            "This body's mesh gives way to the one given on the command line. At most one body of a scene.",
        ),
    ],
};

pub(crate) static PLANE: Section = Section {
    title: "body.plane",
    meaning: "A half space: everything with normal · x < offset is inside. World axes; `position` and `rotation` do not apply.",
    keys: &[
        key("normal", Direction, "1", Default("[0.0, 0.0, 1.0]"), "Out of the solid; made a unit vector."),
        key(
            "offset",
            Number(Any),
            "m",
            Default("0.0"),
            "Distance of the plane from the origin along the unit normal.",
        ),
    ],
};

pub(crate) static AXIS_ANGLE: Section = Section {
    title: "rotation",
    meaning: "A turn about an axis through the body frame's origin, right-handed.",
    keys: &[
        key("axis", Direction, "1", Required, "Made a unit vector."),
        key("degrees", Number(Any), "°", Required, "How far."),
    ],
};

pub(crate) static ANCHOR: Section = Section {
    title: "body.anchors",
    meaning: "A damped spring from a point of the body to a point of the world: `point` for a rigid body, `vertex` for particles.",
    keys: &[
        key(
            "point",
            Vector,
            "m",
            Otherwise("needed for a rigid body"),
            "Where it holds the body, in the body frame.",
        ),
        key(
            "vertex",
            Integer(0, u32::MAX as i128),
            "1",
            Otherwise("needed for particles"),
            "Which particle, from 0.",
        ),
        key(
            "to",
            Vector,
            "m",
            Required,
            "Where it holds in the world. Copies of the body shift it by their offset.",
        ),
        key("stiffness", Number(Positive), "N/m", Required, "Of the spring."),
        key(
            "damping",
            Number(NotNegative),
            "N·s/m",
            Default("0.0"),
            "Along the spring; along every direction when `rest_length` is 0.",
        ),
        key("rest_length", Number(NotNegative), "m", Default("0.0"), "Length without force."),
    ],
};

pub(crate) static KEYFRAME: Section = Section {
    title: "body.keyframes",
    meaning: "Where a kinematic body is at one time: two or more, times increasing. Between two it moves evenly, the rotation by the \
              shorter way; before the first and after the last it stands still. They take the place of `position` and `rotation`.",
    keys: &[
        key("time", Number(NotNegative), "s", Required, "When."),
        key("position", Vector, "m", Required, "Where. Copies of the body shift it by their offset."),
        key("rotation", Table(&AXIS_ANGLE), "", Otherwise("none"), "How it is turned."),
    ],
};

pub(crate) static DRIVER: Section = Section {
    title: "body.driver",
    meaning: "How a kinematic body moves from its `position` and `rotation`: exactly one of these.",
    keys: &[
        key("sine", Table(&SINE), "", Otherwise("—"), "To and fro along a line."),
        key("constant_velocity", Table(&CONSTANT_VELOCITY), "", Otherwise("—"), "Straight on."),
        key("spin", Table(&SPIN), "", Otherwise("—"), "Round and round."),
    ],
};

pub(crate) static SINE: Section = Section {
    title: "body.driver.sine",
    meaning: "position + amplitude · sin(2π · frequency · t + phase).",
    keys: &[
        key("amplitude", Vector, "m", Required, "Direction and reach."),
        key("frequency", Number(Positive), "Hz", Required, "Swings per second."),
        key("phase", Number(Any), "rad", Default("0.0"), "Where the swing starts."),
    ],
};

pub(crate) static CONSTANT_VELOCITY: Section = Section {
    title: "body.driver.constant_velocity",
    meaning: "position + velocity · t.",
    keys: &[key("velocity", Vector, "m/s", Required, "Direction and speed.")],
};

pub(crate) static SPIN: Section = Section {
    title: "body.driver.spin",
    meaning: "Turns about the body frame's origin.",
    keys: &[key("angular_velocity", Vector, "rad/s", Required, "World axes.")],
};

pub(crate) static COPIES: Section = Section {
    title: "body.copies",
    meaning: "Repeats a body: copy i stands at i · `offset` from the first and is turned i times by `turn`. Copies are bodies of their \
              own, named `name-0`, `name-1`, …",
    keys: &[
        key("count", Integer(1, 100_000), "1", Required, "How many bodies in all."),
        key("offset", Vector, "m", Required, "From one to the next."),
        key("turn", Table(&AXIS_ANGLE), "", Otherwise("none"), "From one to the next, in the body frame."),
    ],
};
