//! The page with a picture of where the faults are.

use impinge_geometry::{DVec3, TriMesh, plain};
use impinge_meshing::{FaultKind, Health, fault_marks};
use impinge_report::{BodyKind, BodyShape, Check, Frames, Parameter, PointTrack, RunRecord, Verdict};
use std::path::Path;

fn f32x3(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// The mesh with its faults as points, one body for each kind, so that the legend names and hides them.
pub(super) fn picture(file: &Path, mesh: &TriMesh, health: &Health) -> RunRecord {
    const COLOURS: [[u8; 3]; 4] = [[204, 51, 17], [238, 119, 51], [0, 119, 187], [170, 51, 119]];
    let name =
        file.file_name().map_or_else(|| file.display().to_string(), |n| n.to_string_lossy().into_owned());
    let marks = fault_marks(health);
    let mut bodies = vec![BodyShape {
        name: name.clone(),
        kind: BodyKind::Fixed,
        vertices: mesh.positions().iter().map(|&p| f32x3(p)).collect(),
        triangles: mesh.triangles().to_vec(),
        ..BodyShape::default()
    }];
    let mut points = Vec::new();
    let mut checks = Vec::new();
    for (k, kind) in FaultKind::ALL.into_iter().enumerate() {
        let places: Vec<[f32; 3]> =
            marks.iter().filter(|m| m.kind == kind).map(|m| f32x3(m.position)).collect();
        checks.push(Check {
            name: kind.name().to_string(),
            what: "places in the mesh".to_string(),
            expected: "0".to_string(),
            measured: places.len() as f64,
            verdict: if places.is_empty() { Verdict::Pass } else { Verdict::Fail },
            ..Check::default()
        });
        if !places.is_empty() {
            points.push(PointTrack { body: bodies.len() as u32, positions: vec![places] });
            bodies.push(BodyShape {
                name: kind.name().to_string(),
                kind: BodyKind::Particles,
                colour: Some(COLOURS[k % COLOURS.len()]),
                ..BodyShape::default()
            });
        }
    }
    let still = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let frames = Frames {
        time: vec![0.0],
        poses: vec![vec![still; bodies.len()]],
        points,
        contacts: vec![Vec::new()],
        ..Frames::default()
    };
    RunRecord {
        title: format!("Mesh health: {name}"),
        description: if health.is_sound() { "Nothing is wrong with it." } else { "Where its faults are." }
            .to_string(),
        scene: name,
        bodies,
        frames,
        checks,
        parameters: numbers(health),
        notes: health.to_string().lines().map(str::to_string).filter(|l| !l.trim().is_empty()).collect(),
        ..RunRecord::default()
    }
}

fn numbers(health: &Health) -> Vec<Parameter> {
    let p = |name: &str, value: String, unit: &str| Parameter {
        name: name.to_string(),
        value,
        unit: unit.to_string(),
        note: String::new(),
    };
    let size = health.bounds.1 - health.bounds.0;
    vec![
        p("vertices", health.vertices.to_string(), ""),
        p("triangles", health.triangles.to_string(), ""),
        p("parts", health.parts.len().to_string(), ""),
        p("holes", health.holes.to_string(), ""),
        p("size", <[f64; 3]>::from(size).map(|x| plain(x, 7)).join(" × "), "m"),
        p("area", format!("{:.6e}", health.area), "m²"),
        p("volume", health.volume().map_or_else(|e| e.to_string(), |v| format!("{v:.9e}")), "m³"),
    ]
}
