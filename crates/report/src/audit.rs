//! Holds a record against its own rules: takes a record, gives one sentence for everything that cannot be
//! shown as it was handed in. The page prints them; nothing is dropped silently.

use crate::record::{BodyKind, BodyShape, Frames, Plot, RunRecord};

/// What in `record` does not fit together, as sentences; empty for a sound record.
#[must_use]
pub fn audit(record: &RunRecord) -> Vec<String> {
    let mut found = Vec::new();
    for body in &record.bodies {
        shape(body, &mut found);
    }
    frames(&record.frames, record.bodies.len(), &mut found);
    for track in &record.frames.points {
        if track.body as usize >= record.bodies.len() {
            found.push(format!("Positions were given for body number {}, which does not exist.", track.body));
        }
    }
    for plot in &record.plots {
        curves(plot, &mut found);
    }
    found
}

fn shape(body: &BodyShape, found: &mut Vec<String>) {
    let bad = body.triangles.iter().filter(|t| !drawable(body, t)).count();
    if bad > 0 {
        found.push(format!(
            "{bad} of {} triangles of `{}` name a vertex that does not exist or is not finite; they are not drawn.",
            body.triangles.len(),
            body.name
        ));
    }
    if body.kind == BodyKind::Plane && unit_plane(body).is_none() {
        found.push(format!("The plane `{}` has no usable normal; it is not drawn.", body.name));
    }
}

/// Whether all three corners of a triangle exist and are finite.
#[must_use]
pub fn drawable(body: &BodyShape, triangle: &[u32; 3]) -> bool {
    triangle.iter().all(|&i| body.vertices.get(i as usize).is_some_and(|v| v.iter().all(|c| c.is_finite())))
}

/// The plane of a body with a unit normal, `[nx, ny, nz, offset]`.
#[must_use]
pub fn unit_plane(body: &BodyShape) -> Option<[f32; 4]> {
    let plane = body.plane?;
    let [x, y, z] = plane.normal.map(f64::from);
    let length = (x * x + y * y + z * z).sqrt();
    if !(length.is_finite() && length > 0.0 && plane.offset.is_finite()) {
        return None;
    }
    Some([x, y, z, f64::from(plane.offset)].map(|v| (v / length) as f32))
}

fn frames(frames: &Frames, bodies: usize, found: &mut Vec<String>) {
    let count = frames.time.len();
    let mut compare = |what: &str, len: usize| {
        if len != 0 && len != count {
            found.push(format!("The record has {count} frame times but {what} for {len} frames."));
        }
    };
    compare("poses", frames.poses.len());
    compare("contacts", frames.contacts.len());
    for track in &frames.points {
        compare("point positions", track.positions.len());
    }
    let uneven = frames.poses.iter().filter(|row| row.len() != bodies).count();
    if uneven > 0 {
        found.push(format!("{uneven} frames do not have exactly one pose for each of the {bodies} bodies."));
    }
    let lost = frames.poses.iter().flatten().filter(|pose| pose.iter().any(|c| !c.is_finite())).count();
    if lost > 0 {
        found.push(format!("{lost} poses are not finite in the single precision of this page; those bodies are hidden in those frames."));
    }
    if !rising(&frames.time) {
        found.push("The frame times do not rise; the playback may jump.".into());
    }
}

fn curves(plot: &Plot, found: &mut Vec<String>) {
    for curve in &plot.curves {
        if curve.values.len() != plot.x.len() {
            found.push(format!(
                "The curve `{}` of the plot `{}` has {} values for {} times.",
                curve.name,
                plot.title,
                curve.values.len(),
                plot.x.len()
            ));
        }
    }
    if !rising(&plot.x) {
        found.push(format!("The times of the plot `{}` do not rise; its cursor may be off.", plot.title));
    }
}

fn rising(time: &[f64]) -> bool {
    time.iter().all(|t| t.is_finite()) && time.windows(2).all(|w| w[0] <= w[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Curve, Plane, PointTrack};

    #[test]
    fn every_misfit_is_named() {
        let nan = f32::NAN;
        let record = RunRecord {
            bodies: vec![
                BodyShape {
                    name: "torn".into(),
                    vertices: vec![[0.0; 3], [nan, 0.0, 0.0], [1.0; 3]],
                    triangles: vec![[0, 1, 2], [0, 2, 9]],
                    ..BodyShape::default()
                },
                BodyShape { name: "flat".into(), kind: BodyKind::Plane, ..BodyShape::default() },
            ],
            frames: Frames {
                time: vec![0.0, 0.2, 0.1],
                poses: vec![vec![[nan; 7]]],
                points: vec![PointTrack { body: 7, positions: vec![] }],
                ..Frames::default()
            },
            plots: vec![Plot {
                title: "force".into(),
                x: vec![0.0, f64::NAN],
                curves: vec![Curve { name: "f".into(), values: vec![1.0] }],
                ..Plot::default()
            }],
            ..RunRecord::default()
        };
        let found = audit(&record);
        for part in [
            "2 of 2 triangles of `torn`",
            "plane `flat`",
            "3 frame times but poses for 1",
            "1 frames do not have exactly one pose for each of the 2 bodies",
            "1 poses are not finite",
            "frame times do not rise",
            "body number 7",
            "1 values for 2 times",
            "times of the plot `force`",
        ] {
            assert!(found.iter().any(|s| s.contains(part)), "{part} is missing in {found:#?}");
        }
        assert_eq!(audit(&RunRecord::default()), Vec::<String>::new());
    }

    #[test]
    fn a_plane_is_scaled_to_a_unit_normal() {
        let plane = Some(Plane { normal: [0.0, 0.0, 2.0], offset: 1.0 });
        assert_eq!(unit_plane(&BodyShape { plane, ..BodyShape::default() }), Some([0.0, 0.0, 1.0, 0.5]));
    }
}
