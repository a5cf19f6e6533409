//! The data blocks of the page: takes a record, gives JSON text that is safe inside a `<script>` element, and
//! the names of the CSV files beside the page.
//!
//! There are two: what the first picture shows stands before the program, all else behind it, so that the picture
//! does not wait until a large file is read.

use crate::encode::{f64s, unsigned};
use crate::fewer::{MOST_MARKS, keep_strongest};
use crate::packed_cloud::BITS;
use crate::record::{Frames, Plot, RunRecord};
use crate::{body_payload, contact_payload, drawn_payload, motion_payload, plot_payload};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a page has room for.
#[derive(Clone, Copy)]
pub struct Room {
    /// Bits of a coordinate of the points that are packed.
    bits: u32,
    /// Contact marks of a run.
    marks: usize,
}

/// Moving coordinates of a page up to which they have all their bits; with three bits less for up to twice and a half as many, else four.
const MANY: usize = 100_000_000;

/// The room that each of these runs has on one page.
#[must_use]
pub fn room<'a>(runs: impl Iterator<Item = &'a Frames>) -> Room {
    let (mut moving, mut count) = (0, 0);
    for frames in runs {
        count += 1;
        moving += frames.points.iter().flat_map(|t| &t.positions).map(|p| 3 * p.len()).sum::<usize>();
    }
    Room { bits: bits(moving), marks: (2 * MOST_MARKS / count.max(1)).min(MOST_MARKS) }
}

/// Bits of a coordinate where so many move.
fn bits(moving: usize) -> u32 {
    if moving <= MANY {
        BITS
    } else if 2 * moving <= 5 * MANY {
        BITS - 3
    } else {
        BITS - 4
    }
}

/// The two data blocks of a page.
pub struct Blocks {
    /// What the first picture shows.
    pub data: Value,
    /// The rest.
    pub rest: Value,
}

/// Everything that moves: bodies, frames, contacts, plots.
#[must_use]
pub fn blocks(record: &RunRecord) -> Blocks {
    let mut shapes = body_payload::Shapes::default();
    let mut blocks = playback(record, &mut shapes, room(std::iter::once(&record.frames)));
    let names = csv_names(&record.plots);
    let plots: Vec<_> = record
        .plots
        .iter()
        .zip(&names)
        .map(|(plot, name)| plot_payload::plot(plot, &format!("csv/{name}")))
        .collect();
    blocks.data["shapes"] = shapes.stored.into();
    blocks.data["span"] =
        json!(span([&record.frames.time].into_iter().chain(record.plots.iter().map(|p| &p.x))));
    blocks.data["plots"] = plots.len().into();
    blocks.rest["plots"] = plots.into();
    blocks
}

/// Bodies, frames and contacts of one run; its shapes go to `shapes`.
pub fn playback(record: &RunRecord, shapes: &mut body_payload::Shapes, room: Room) -> Blocks {
    let marks = marks(&record.frames, room.marks);
    let (tracks, later) = body_payload::tracks(record.bodies.len(), &record.frames, room.bits);
    let data = json!({
        "bodies": body_payload::bodies(&record.bodies, &record.frames, shapes),
        "dt": record.dt,
        "time": f64s(&record.frames.time),
        "tracks": tracks,
        "pairs": record.frames.pairs,
    });
    let rest = json!({
        "tracks": later,
        "contacts": contact_payload::contacts(&marks),
        "drawn": drawn_payload::drawn(&record.frames),
        "mu": contact_payload::friction(&marks),
        "met": contact_payload::met(&marks),
        "motion": motion_payload::motion(record),
        "left": unsigned(&marks.left_out),
    });
    Blocks { data, rest }
}

/// First and last of these times: what the clock of the page runs over; zeros where there are none.
#[must_use]
pub fn span<'a>(times: impl Iterator<Item = &'a Vec<f64>>) -> [f64; 2] {
    let ends = times
        .flatten()
        .filter(|t| t.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |e, &t| [e[0].min(t), e[1].max(t)]);
    if ends[0] > ends[1] { [0.0; 2] } else { ends }
}

/// The frames with at most so many contact marks; of fewer, nothing but these.
fn marks(frames: &Frames, most: usize) -> Cow<'_, Frames> {
    if frames.contacts.iter().map(Vec::len).sum::<usize>() <= most {
        return Cow::Borrowed(frames);
    }
    let mut fewer = Frames {
        contacts: frames.contacts.clone(),
        friction: frames.friction.clone(),
        met: frames.met.clone(),
        left_out: frames.left_out.clone(),
        ..Frames::default()
    };
    // The readout of a picture says how many of a frame it shows.
    keep_strongest(&mut fewer, most);
    Cow::Owned(fewer)
}

/// Text of a value that may stand inside a `<script>` element: `<` occurs only inside JSON strings, where the escape means the same;
/// without it a name could close the element.
#[must_use]
pub fn safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// A file name per plot: its id with everything but letters, digits, `-` and `_` replaced, and a number where
/// two would be equal (on a file system that ignores case, too). `stages.csv` belongs to the stage times, `bodies.csv` to the
/// motion of the bodies.
#[must_use]
pub fn csv_names(plots: &[Plot]) -> Vec<String> {
    let mut taken = BTreeSet::from(["bodies".to_owned(), "stages".to_owned()]);
    plots
        .iter()
        .map(|plot| {
            let clean: String = plot
                .id
                .chars()
                .take(80)
                .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
                .collect();
            let stem = if clean.is_empty() { "plot".to_owned() } else { clean };
            let mut name = stem.clone();
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                name = format!("{stem}-{number}");
                number += 1;
            }
            format!("{name}.csv")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ContactMark;

    #[test]
    fn many_runs_share_the_room_of_a_page() {
        let mark = |k: usize| ContactMark { force: [k as f32; 3], ..ContactMark::default() };
        let run = |frames: usize| Frames {
            contacts: vec![(0..1000).map(mark).collect(); frames],
            ..Frames::default()
        };
        let one = run(300);
        let alone = room(std::iter::once(&one));
        assert_eq!((alone.bits, alone.marks), (14, 300_000));
        assert_eq!(*marks(&one, alone.marks), one);
        let five = room(std::iter::repeat_n(&one, 5));
        assert_eq!(five.marks, 120_000);
        let fewer = marks(&one, five.marks);
        assert_eq!(fewer.contacts.iter().map(Vec::len).sum::<usize>(), 120_000);
        assert_eq!(fewer.left_out, [600; 300]);
        assert!(fewer.contacts[7].iter().all(|c| c.force[0] >= 600.0), "the strongest stay");
        assert_eq!([MANY, MANY + 1, 5 * MANY / 2, 3 * MANY].map(bits), [14, 11, 11, 10]);
    }

    #[test]
    fn the_clock_runs_over_all_finite_times() {
        let times = [vec![f64::NAN, 0.5, 1.0], vec![], vec![0.25, f64::INFINITY]];
        assert_eq!(span(times.iter()), [0.25, 1.0]);
        assert_eq!(span([vec![f64::NAN]].iter()), [0.0; 2]);
    }

    #[test]
    fn file_names_are_clean_and_never_collide() {
        let plots: Vec<Plot> = ["force", "Force", "../etc/passwd", "", "stages", "force-2"]
            .iter()
            .map(|id| Plot { id: (*id).into(), ..Plot::default() })
            .collect();
        assert_eq!(
            csv_names(&plots),
            ["force.csv", "Force-2.csv", "---etc-passwd.csv", "plot.csv", "stages-2.csv", "force-2-2.csv"]
        );
    }
}
