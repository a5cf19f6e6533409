//! The keys of sensors.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Name, Names, Table, Text, Vector};
use super::body::AXIS_ANGLE;
use super::{MESH, Section, key};

pub(crate) static SENSOR: Section = Section {
    title: "[[sensor]]",
    meaning: "A closed surface that sees which bodies are in it after each step, and pushes none: a light barrier, a zone that must stay clear, a \
              finger tip. A run reports who enters and leaves, and when. What neither forces nor drivers move is not seen by a sensor that does not \
              move either.",
    keys: &[
        key("name", Name, "", Required, "Unique among the sensors."),
        key("mesh", Table(&MESH), "", Required, "Its surface, closed; as that of a body."),
        key(
            "on",
            Text,
            "",
            Otherwise("the world"),
            "The body that it rides on and does not see; rigid, kinematic or fixed.",
        ),
        key(
            "position",
            Vector,
            "m",
            Default("[0.0, 0.0, 0.0]"),
            "Of its frame's origin, in the world or in the body frame of `on`.",
        ),
        key(
            "rotation",
            Table(&AXIS_ANGLE),
            "",
            Otherwise("none"),
            "Of its frame, against the world or the body frame of `on`.",
        ),
        key(
            "groups",
            Names,
            "",
            Otherwise("in all"),
            "The groups it is in: a body that has `meets` is seen where that names one of them.",
        ),
        key(
            "meets",
            Names,
            "",
            Otherwise("all bodies"),
            "The groups whose bodies it sees, and no other body, those without a group neither.",
        ),
    ],
};
