//! A round cable along a polyline: straight pieces, mitred where they meet.
//!
//! The cross-section is carried along without twist (each bend turns it about the bend's own axis), and the ring at
//! a bend lies in the plane that halves the angle, where both pieces meet in the same ellipse. So each piece is a
//! cut prism over the same polygon, and the volume is exactly that polygon's area times the length of the line.

use super::check::{self, circle_point};
use crate::{MeshError, TriMesh, try_normalized};
use ultraviolet::DVec3;

/// A cable of the given radius along a polyline (m), with flat ends, `sides` around, and a ring of vertices at least
/// every `step` m. Volume exactly `n/2 sin(2π/n) radius² · length of the polyline`.
///
/// Distant pieces of the line may come as close as they like; whether the cable meets itself there is not checked.
///
/// # Errors
/// [`MeshError::BadParameter`] for fewer than two points, a radius or step that is no length, a piece that is no
/// length, a bend so sharp that the mitres of a piece meet, fewer than 3 sides, or too many triangles.
pub fn cable(line: &[DVec3], radius: f64, sides: u32, step: f64) -> Result<TriMesh, MeshError> {
    let shape = "cable";
    check::length(shape, "radius", radius)?;
    check::length(shape, "step", step)?;
    check::count(shape, "sides", sides, 3, 4096)?;
    let bad = |reason: String| Err(MeshError::BadParameter { reason });
    if line.len() < 2 {
        return bad(format!("cable: a line of {} points; give at least 2", line.len()));
    }
    let mut along = Vec::with_capacity(line.len() - 1);
    let mut rings = 1.0;
    for (i, w) in line.windows(2).enumerate() {
        let length = (w[1] - w[0]).mag();
        check::length(shape, &format!("length of piece {i}"), length)?;
        let Some(direction) = try_normalized(w[1] - w[0]) else {
            return bad(format!("cable: piece {i} has no direction; give distinct points"));
        };
        along.push((direction, length));
        rings += (length / step).ceil();
    }
    check::triangles(shape, "sides and step", 2.0 * f64::from(sides) * (rings + 1.0))?;
    // How far a mitre eats into the pieces beside it: r tan(θ/2) with tan(θ/2) = sin θ/(1 + cos θ).
    let setback = |i: usize| {
        let (d0, d1) = (along[i - 1].0, along[i].0);
        radius * d0.cross(d1).mag() / (1.0 + d0.dot(d1)).max(0.0)
    };
    for (i, &(_, length)) in along.iter().enumerate() {
        let start = if i == 0 { 0.0 } else { setback(i) };
        let end = if i + 1 == along.len() { 0.0 } else { setback(i + 1) };
        // A line that turns right back gives no number at all.
        let room = length - (start + end);
        if room.is_nan() || room <= 0.0 {
            return bad(format!(
                "cable: the bends at the ends of piece {i} ({length} m long) are too sharp for a radius of {radius} \
                 m; give a longer piece, a gentler bend or a thinner cable"
            ));
        }
    }
    let circle: Vec<[f64; 2]> = (0..sides).map(|j| circle_point(j, sides)).collect();
    let mut u = across(along[0].0);
    let ring = |p: DVec3, d: DVec3, u: DVec3, plane: DVec3| -> Vec<DVec3> {
        let v = d.cross(u);
        circle
            .iter()
            .map(|&[c, s]| {
                let x = (u * c + v * s) * radius;
                p + x - d * (x.dot(plane) / d.dot(plane))
            })
            .collect()
    };
    let mut positions: Vec<DVec3> = ring(line[0], along[0].0, u, along[0].0);
    for (i, &(d, length)) in along.iter().enumerate() {
        let from = positions.len() - sides as usize;
        let plane = along.get(i + 1).map_or(d, |next| d + next.0);
        let to = ring(line[i + 1], d, u, plane);
        let steps = (length / step).ceil().max(1.0);
        for k in 1..steps as u32 {
            let s = f64::from(k) / steps;
            for j in 0..sides as usize {
                positions.push(positions[from + j] * (1.0 - s) + to[j] * s);
            }
        }
        positions.extend(to);
        if let Some(&(next, _)) = along.get(i + 1) {
            u = carried(u, d, next);
        }
    }
    let n = sides;
    let rings = positions.len() as u32 / n;
    let (first, last) = (positions.len() as u32, positions.len() as u32 + 1);
    positions.extend([line[0], line[line.len() - 1]]);
    let mut triangles = Vec::with_capacity(2 * positions.len());
    for r in 0..rings - 1 {
        for j in 0..n {
            let k = (j + 1) % n;
            let (low, high) = (r * n, (r + 1) * n);
            triangles.extend([[low + j, low + k, high + k], [low + j, high + k, high + j]]);
        }
    }
    let top = (rings - 1) * n;
    for j in 0..n {
        let k = (j + 1) % n;
        triangles.extend([[first, k, j], [last, top + j, top + k]]);
    }
    TriMesh::new(positions, triangles)
}

/// A unit vector across `d`, from the axis least along it.
fn across(d: DVec3) -> DVec3 {
    let a = d.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        DVec3::unit_x()
    } else if a.y <= a.z {
        DVec3::unit_y()
    } else {
        DVec3::unit_z()
    };
    d.cross(axis).normalized().cross(d)
}

/// `u`, turned by the smallest rotation that takes `from` to `to` (Rodrigues' formula; not for opposite ones).
fn carried(u: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    let turned = u * cos + axis.cross(u) + axis * (axis.dot(u) / (1.0 + cos));
    // Rounding must not add up along a thousand bends.
    let square = turned - to * turned.dot(to);
    square.normalized()
}
