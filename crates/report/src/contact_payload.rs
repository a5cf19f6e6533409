//! Contacts for the page: takes the marks of all frames, gives packed arrays; what no mark has is left out.
//!
//! Exactness: every number has 16 bits over its range in its frame. What met stands once in a table, and the contacts name its row: a
//! contact that lasts costs no more than its number.

use crate::cloud;
use crate::encode::{f32s, signed, u8s, unsigned};
use crate::record::{ContactMark, Frames, Hold, Met, MetKind};
use serde_json::{Value, json};

/// The contact marks: clouds in step (points, forces, depths), and of each its row in [`met`], or its pair where that is not known of
/// all; multipliers, intervals, normal forces, friction and what it does where there are any. The normal force is left out where the
/// multiplier says it, and where without friction the force itself does.
#[must_use]
pub fn contacts(frames: &Frames) -> Value {
    let all = || frames.contacts.iter().flatten();
    let column = |get: fn(&ContactMark) -> [f32; 3]| -> Value {
        cloud::encode(&frames.contacts.iter().map(|f| f.iter().map(get).collect()).collect::<Vec<Vec<_>>>())
    };
    let number = |get: fn(&ContactMark) -> f32| -> Value {
        let one = |f: &Vec<ContactMark>| f.iter().map(|c| [get(c)]).collect::<Vec<[f32; 1]>>();
        cloud::encode(&frames.contacts.iter().map(one).collect::<Vec<_>>())
    };
    let known =
        |c: &ContactMark| c.met.is_some_and(|m| frames.met.get(m as usize).is_some_and(|m| m.pair == c.pair));
    let met = all().all(known).then(|| unsigned(&all().map(|c| c.met.unwrap_or(0)).collect::<Vec<_>>()));
    let pair = met.is_none().then(|| unsigned(&all().map(|c| c.pair).collect::<Vec<_>>()));
    let constrains = all().any(|c| c.multiplier != 0.0);
    let rubs = all().any(|c| c.friction != 0.0);
    let span = all().any(|c| c.span != [0.0; 2]).then(|| {
        let by_frame = |frame: &Vec<ContactMark>| frame.iter().map(|c| c.span).collect();
        cloud::encode(&frames.contacts.iter().map(by_frame).collect::<Vec<Vec<[f32; 2]>>>())
    });
    let holds = all().any(|c| c.hold != Hold::None);
    json!({
        "point": column(|c| c.point),
        "force": column(|c| c.force),
        "depth": number(|c| c.depth),
        "pair": pair,
        "met": met,
        "multiplier": constrains.then(|| number(|c| c.multiplier)),
        "span": span,
        "normal": (rubs && !constrains).then(|| number(|c| c.normal)),
        "friction": rubs.then(|| number(|c| c.friction)),
        "hold": holds.then(|| u8s(&all().map(|c| hold(c.hold)).collect::<Vec<_>>())),
    })
}

/// What met: of each row its pair, its kind with 16 added where it is turned, and four numbers.
#[must_use]
pub fn met(frames: &Frames) -> Option<Value> {
    let kind = |m: &Met| kind(m.kind) + if m.turned { 16 } else { 0 };
    (!frames.met.is_empty()).then(|| {
        json!({
            "pair": unsigned(&frames.met.iter().map(|m| m.pair).collect::<Vec<_>>()),
            "kind": u8s(&frames.met.iter().map(kind).collect::<Vec<_>>()),
            "ids": signed(&frames.met.iter().flat_map(|m| m.ids).collect::<Vec<_>>()),
        })
    })
}

/// Static and kinetic coefficient of each pair.
#[must_use]
pub fn friction(frames: &Frames) -> Value {
    f32s(frames.friction.as_flattened())
}

/// The page's number for what friction does; `HOLDS` of the script has its words in this order.
fn hold(hold: Hold) -> u8 {
    match hold {
        Hold::None => 0,
        Hold::Sticks => 1,
        Hold::Slides => 2,
        Hold::Breaks => 3,
        Hold::SlidesInPart => 4,
        Hold::Creeps => 5,
        Hold::Parted => 6,
        Hold::OtherCone => 7,
    }
}

/// The page's number for a kind; `metName` of the script reads it.
fn kind(kind: MetKind) -> u8 {
    match kind {
        MetKind::Unknown => 0,
        MetKind::VertexFace => 1,
        MetKind::EdgeEdge => 2,
        MetKind::VertexPlane => 3,
        MetKind::Surface => 4,
        MetKind::Volume => 5,
        MetKind::Cell => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::bytes_of;

    fn frames(marks: Vec<ContactMark>) -> Frames {
        let met = Met { pair: 1, kind: MetKind::Cell, turned: false, ids: [-1, 70_000, 0, 2] };
        Frames { contacts: vec![marks], met: vec![Met::default(), met], ..Frames::default() }
    }

    #[test]
    fn a_page_says_nothing_twice() {
        let plain = ContactMark { met: Some(1), pair: 1, normal: 2.0, ..ContactMark::default() };
        let rubbing = ContactMark { friction: 1.0, hold: Hold::Slides, ..plain };
        let has = |marks: Vec<ContactMark>| {
            let value = contacts(&frames(marks));
            ["pair", "met", "multiplier", "normal", "friction", "hold"].map(|k| !value[k].is_null())
        };
        assert_eq!(has(vec![plain]), [false, true, false, false, false, false]);
        assert_eq!(has(vec![plain, rubbing]), [false, true, false, true, true, true]);
        let constraint = ContactMark { multiplier: 0.1, ..rubbing };
        assert_eq!(has(vec![constraint]), [false, true, true, false, true, true]);
        // One of which it is not known, or whose row is of another pair or missing: pairs stand as they are.
        for odd in [
            ContactMark { met: None, ..plain },
            ContactMark { pair: 0, ..plain },
            ContactMark { met: Some(9), ..plain },
        ] {
            assert_eq!(has(vec![plain, odd]), [true, false, false, false, false, false]);
        }
    }

    #[test]
    fn what_met_is_told_by_kind_and_number() {
        let value = met(&frames(Vec::new())).expect("a table");
        assert_eq!(bytes_of(value["kind"]["d"].as_str().expect("text")), [0, 6]);
        assert_eq!(value["ids"]["k"], "i32");
        assert!(met(&Frames::default()).is_none());
    }
}
