//! Bodies and their motion for the page: takes shapes and frames, gives JSON with packed arrays.
//!
//! Exactness: vertices are f32 as handed in, up to 100 000 vertices per record, and 16 bits per coordinate
//! over each shape's box beyond; body positions are f32 as handed in; quaternions have 16 bits per component
//! (3e-5 rad); moving points have 16 bits per coordinate over their box in each frame, and 14 or fewer where there are many.
//! Equal shapes are stored once, and so is the pose of a body that never moves.

use crate::audit::{drawable, unit_plane};
use crate::encode::{cut, f32s, i16s, unsigned};
use crate::record::{BodyKind, BodyShape, Frames};
use crate::{cloud, packed_cloud};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Above this many vertices in all, vertices are stored in 16 bits.
const EXACT_VERTICES: usize = 100_000;

/// The distinct shapes of a page, which may show many runs.
#[derive(Default)]
pub struct Shapes {
    known: BTreeMap<String, usize>,
    /// One value for each.
    pub stored: Vec<Value>,
}

impl Shapes {
    /// The number of a shape; the text is its identity: equal bits, equal text.
    fn id(&mut self, value: Value) -> usize {
        let next = self.stored.len();
        let id = *self.known.entry(value.to_string()).or_insert(next);
        if id == next {
            self.stored.push(value);
        }
        id
    }
}

/// Per body its looks, the index of its shape and its motion; new shapes go to `known`.
pub fn bodies(shapes: &[BodyShape], frames: &Frames, known: &mut Shapes) -> Value {
    let exact = shapes.iter().map(|b| b.vertices.len()).sum::<usize>() <= EXACT_VERTICES;
    let mut list = Vec::with_capacity(shapes.len());
    for (index, body) in shapes.iter().enumerate() {
        let id = known.id(shape(body, exact));
        let (position, rotation) = motion(index, frames);
        list.push(json!({
            "name": body.name,
            "kind": kind(body.kind),
            "shape": id,
            "plane": unit_plane(body).filter(|_| body.kind == BodyKind::Plane),
            "colour": body.colour,
            "line": body.line,
            "mass": body.mass,
            "pos": f32s(&position),
            "rot": i16s(&rotation),
        }));
    }
    Value::Array(list)
}

/// Name of a body kind as the page shows it.
#[must_use]
pub fn kind(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Rigid => "rigid",
        BodyKind::Fixed => "fixed",
        BodyKind::Kinematic => "kinematic",
        BodyKind::Particles => "particles",
        BodyKind::Plane => "plane",
    }
}

fn shape(body: &BodyShape, exact: bool) -> Value {
    let vertices = if exact {
        json!({ "exact": f32s(body.vertices.as_flattened()) })
    } else {
        json!({ "cloud": cloud::encode(std::slice::from_ref(&body.vertices)) })
    };
    let corners: Vec<u32> =
        body.triangles.iter().filter(|t| drawable(body, t)).flat_map(|t| t.iter().copied()).collect();
    json!({ "vertices": vertices, "triangles": unsigned(&corners) })
}

/// Positions (3 per frame) and quaternions (4 per frame, scaled to ±32767) of one body; a single frame if the
/// body never moves.
fn motion(body: usize, frames: &Frames) -> (Vec<f32>, Vec<i16>) {
    let mut poses: Vec<[f32; 7]> = Vec::with_capacity(frames.time.len());
    let mut last = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    for frame in 0..frames.time.len().max(1) {
        last = frames.poses.get(frame).and_then(|row| row.get(body)).copied().unwrap_or(last);
        poses.push(last);
    }
    let bits = |pose: &[f32; 7]| pose.map(f32::to_bits);
    if poses.windows(2).all(|w| bits(&w[0]) == bits(&w[1])) {
        poses.truncate(1);
    }
    let (mut position, mut rotation) = (Vec::new(), Vec::new());
    for pose in &poses {
        let quaternion = unit_quaternion(pose);
        // NaN is the page's sign for "hide this body in this frame".
        let lost = quaternion.is_none() || pose[..3].iter().any(|c| !c.is_finite());
        position.extend(pose[..3].iter().map(|&c| if lost { f32::NAN } else { c }));
        rotation.extend(quaternion.unwrap_or([0.0, 0.0, 0.0, 1.0]).map(|c| (c * 32767.0).round() as i16));
    }
    (position, rotation)
}

fn unit_quaternion(pose: &[f32; 7]) -> Option<[f64; 4]> {
    let q = [pose[3], pose[4], pose[5], pose[6]].map(f64::from);
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then(|| q.map(|c| c / length))
}

/// The moving points of particles and deforming meshes, many of them with so many `bits`: what the first picture shows, and the text of
/// the later frames.
#[must_use]
pub fn tracks(bodies: usize, frames: &Frames, bits: u32) -> (Vec<Value>, Vec<String>) {
    frames
        .points
        .iter()
        .filter(|track| (track.body as usize) < bodies)
        .map(|track| {
            if let Some(mut packed) = packed_cloud::encode(&track.positions, bits) {
                let first = packed["first"].as_u64().unwrap_or(0) as usize;
                let later = cut(&mut packed["data"], first);
                return (json!({ "body": track.body, "cloud": null, "packed": packed }), later);
            }
            let mut cloud = cloud::encode(&track.positions);
            let first = track.positions.first().map_or(0, |f| 3 * 2 * f.len());
            let later = cut(&mut cloud["q"], first);
            (json!({ "body": track.body, "cloud": cloud, "packed": null }), later)
        })
        .unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::bytes_of;

    fn pose(x: f32) -> [f32; 7] {
        [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    }

    #[test]
    fn equal_shapes_are_stored_once_and_resting_bodies_have_one_pose() {
        let link = BodyShape {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..BodyShape::default()
        };
        let frames = Frames {
            time: vec![0.0, 1.0],
            poses: vec![vec![pose(0.0), pose(5.0)], vec![pose(1.0), pose(5.0)]],
            ..Frames::default()
        };
        let mut shapes = Shapes::default();
        let bodies = bodies(&[link.clone(), link], &frames, &mut shapes);
        assert_eq!(shapes.stored.len(), 1);
        let stored = |body: usize| bytes_of(bodies[body]["pos"]["d"].as_str().expect("text")).len();
        assert_eq!((stored(0), stored(1)), (24, 12));
    }

    #[test]
    fn a_missing_pose_keeps_the_last_and_a_lost_one_is_marked() {
        let frames = Frames {
            time: vec![0.0, 1.0, 2.0],
            poses: vec![vec![pose(3.0)], vec![], vec![[0.0; 7]]],
            ..Frames::default()
        };
        let (position, _) = motion(0, &frames);
        assert_eq!(&position[..6], &[3.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
        assert!(position[6..].iter().all(|v| v.is_nan()), "a zero quaternion is no rotation");
        assert_eq!(motion(4, &frames).0, vec![0.0; 3], "a body without any pose sits at the origin");
    }
}
