//! The table of the response `penalty`.

use super::object::{Detection, Penalty};
use crate::response::Response;
use crate::schema::Absent::{Default, Otherwise};
use crate::schema::Kind::{Number, Word};
use crate::schema::Range::Positive;
use crate::schema::{Section, key};
use crate::settings::Settings;
use impinge_penalty::{Evaluate, Release};

pub(crate) static SECTION: Section = Section {
    title: "[penalty]",
    meaning: "Settings of the response `penalty` for the whole scene.",
    keys: &[
        key(
            "evaluate",
            Word(&[
                (
                    "end",
                    "at the positions predicted for the end of the step; damps. Where a law asks for a restitution, at the start: the loss would be part of \
                 every rebound",
                ),
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

pub(crate) fn read(t: &mut Settings) -> Response {
    let way_out = t.word("way_out", &[("facing", Detection::Facing), ("closest", Detection::Closest)]);
    Penalty {
        evaluate: t.word("evaluate", &[("end", Evaluate::End), ("start", Evaluate::Start)]),
        release: t.word("release", &[("force", Release::Force), ("depth", Release::Depth)]),
        detection: t.opt_number("proximity").map_or(way_out, |reach| Detection::Proximity { reach }),
    }
    .into()
}
