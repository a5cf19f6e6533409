//! The keys of actuators and forces.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Number, Text, Vector, Word};
use super::Range::{Any, NotNegative, Positive};
use super::{Section, key};

/// The axes of a rigid body, with what moving on each is.
pub(crate) static AXES: [(&str, &str); 6] = [
    ("x", "translation along x"),
    ("y", "translation along y"),
    ("z", "translation along z"),
    ("rx", "rotation about x"),
    ("ry", "rotation about y"),
    ("rz", "rotation about z"),
];

pub(crate) static ACTUATOR: Section = Section {
    title: "[[actuator]]",
    meaning: "A force along an axis of the world, or a torque about one, on a rigid body: clamp(force + stiffness · (position − x) + damping · \
              (velocity − v), ±limit). x is how far the body has moved along the axis, or turned about it, since the start. It acts at the centre of \
              mass. One for each axis of a body. Gains are limited by the step: stiffness · dt² + 2 damping · dt stays below 4 masses of the body (or \
              inertias about the axis).",
    keys: &[
        key("body", Text, "", Required, "Its name; a rigid body."),
        key("axis", Word(&AXES), "", Required, "The axis, of the world; one that is not locked."),
        key(
            "force",
            Number(Any),
            "N (N·m about an axis)",
            Default("0.0"),
            "Constant, beside that of the gains.",
        ),
        key(
            "stiffness",
            Number(NotNegative),
            "N/m (N·m/rad about an axis)",
            Default("0.0"),
            "Gain of the position.",
        ),
        key(
            "damping",
            Number(NotNegative),
            "N·s/m (N·m·s/rad about an axis)",
            Default("0.0"),
            "Gain of the velocity.",
        ),
        key(
            "position",
            Number(Any),
            "m (rad about an axis)",
            Default("0.0"),
            "To go for, from where the body starts; with `stiffness`.",
        ),
        key(
            "velocity",
            Number(Any),
            "m/s (rad/s about an axis)",
            Default("0.0"),
            "To go for; with `damping`.",
        ),
        key(
            "limit",
            Number(Positive),
            "N (N·m about an axis)",
            Otherwise("none"),
            "The largest force, either way.",
        ),
    ],
};

pub(crate) static FORCE: Section = Section {
    title: "[[force]]",
    meaning: "A constant force and torque on a body for a part of the run. A rigid body is pushed at its centre of mass; of a deformable and of particles all nodes \
              get one acceleration. A step that `start` or `end` falls into gets its share.",
    keys: &[
        key("body", Text, "", Required, "Its name; a body that forces move."),
        key("force", Vector, "N", Default("[0.0, 0.0, 0.0]"), "World axes."),
        key("torque", Vector, "N·m", Default("[0.0, 0.0, 0.0]"), "World axes; rigid bodies only."),
        key("start", Number(NotNegative), "s", Default("0.0"), "When it begins; before the end of the run."),
        key("end", Number(Positive), "s", Otherwise("the end of the run"), "When it ends; after `start`."),
    ],
};
