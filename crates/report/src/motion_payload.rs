//! How bodies move, for the page: takes what was followed, gives rows of 32-bit numbers for the frames.

use crate::encode::{f32s, unsigned};
use crate::record::RunRecord;
use serde_json::{Value, json};

/// Rows of a page: 130 bodies over 300 frames.
pub const MOST_ROWS: usize = 40_000;

/// `{bodies, rows}`: which bodies, and of each frame its row of [`Motion`](crate::Motion). Of many bodies over many frames, the first. Nothing where the moments are not those of the frames.
#[must_use]
pub fn motion(record: &RunRecord) -> Option<Value> {
    let motion = &record.motion;
    let (each, frames) = (motion.bodies.len(), motion.time.len());
    if each == 0 || motion.time != record.frames.time || motion.rows.len() != each * frames {
        return None;
    }
    let of = |name: &String| {
        record.bodies.iter().position(|b| b.name == *name).and_then(|b| u32::try_from(b).ok())
    };
    let kept: Vec<(usize, u32)> =
        motion.bodies.iter().enumerate().filter_map(|(k, name)| Some((k, of(name)?))).collect();
    let kept = &kept[..kept.len().min(MOST_ROWS / frames)];
    let rows: Vec<f32> = motion
        .rows
        .chunks(each)
        .flat_map(|frame| kept.iter().flat_map(|(k, _)| frame[*k].iter().map(|x| *x as f32)))
        .collect();
    let bodies: Vec<u32> = kept.iter().map(|(_, b)| *b).collect();
    (!bodies.is_empty()).then(|| json!({ "bodies": unsigned(&bodies), "rows": f32s(&rows) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::bytes_of;
    use crate::record::{BodyShape, Frames};

    #[test]
    fn a_page_has_room_for_so_many_rows() {
        let bodies = ["a", "b", "c"].map(|n| BodyShape { name: n.into(), ..BodyShape::default() });
        let mut record = RunRecord { bodies: bodies.into(), ..RunRecord::default() };
        let mut follow = |frames: usize| {
            record.motion.bodies = vec!["c".into(), "lost".into(), "a".into()];
            record.motion.time = (0..frames).map(|f| f as f64).collect();
            record.motion.rows = (0..3 * frames).map(|r| [r as f64; 12]).collect();
            record.frames = Frames { time: record.motion.time.clone(), ..Frames::default() };
            motion(&record)
        };
        let numbers = |value: &Value, key: &str| bytes_of(value[key]["d"].as_str().expect("text"));
        let all = follow(2).expect("rows");
        assert_eq!(numbers(&all, "bodies"), [2, 0, 0, 0]);
        let rows: Vec<f32> =
            numbers(&all, "rows").chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(
            rows.chunks(12).map(|r| r[0]).collect::<Vec<_>>(),
            [0.0, 2.0, 3.0, 5.0],
            "of c and a, frame by frame"
        );
        let fewer = follow(MOST_ROWS).expect("rows");
        assert_eq!((numbers(&fewer, "bodies"), numbers(&fewer, "rows").len()), (vec![2, 0], MOST_ROWS * 48));
        record.frames.time.pop();
        assert_eq!(motion(&record), None, "moments of their own");
    }
}
