//! Convex cells to tets, so that neighbours agree on their shared faces whatever collapses.
//!
//! Every cell is cut by pulling its lowest vertex: each face away from it is fanned from that face's own lowest vertex
//! and joined to it. A face is cut the same way by both cells that share it, and vertices that coincide by number simply
//! shorten faces; a medial axis that is a point, a segment or a plate needs no special case.

use crate::error::BodyError;
use impinge_geometry::{DVec3, TetMesh, tet_orientation, tet_volume};
use std::cmp::Ordering;

/// A tet with less volume than so many roundings of its corners is flat.
const ROUNDINGS: f64 = 8.0;
/// A tet with less volume than this part of the cube of the body's reach is thin or tiny.
const THIN: f64 = 1e-15;
/// Corners nearer to each other than this part of their body's reach are one: tets between more distant ones are not flat.
const SAME: f64 = 64.0 * f64::EPSILON;

/// A mesh in the making: vertices with their extent, and tets.
#[derive(Default)]
pub struct Cells {
    positions: Vec<DVec3>,
    extent: Vec<f64>,
    tets: Vec<[u32; 4]>,
}

impl Cells {
    /// A vertex; one at the same place as an earlier one with the same extent is that one.
    pub fn vertex(&mut self, p: DVec3, extent: f64) -> u32 {
        // Medial vertices only are asked for twice; they are few and come late, so look back from the end.
        let same = |q: &DVec3| *q == p;
        if let Some(i) = self.positions.iter().rposition(same).filter(|&i| self.extent[i] == extent) {
            return i as u32;
        }
        self.positions.push(p);
        self.extent.push(extent);
        self.positions.len() as u32 - 1
    }

    /// A vertex without a look at the others.
    pub fn new_vertex(&mut self, p: DVec3, extent: f64) -> u32 {
        self.positions.push(p);
        self.extent.push(extent);
        self.positions.len() as u32 - 1
    }

    pub fn tet(&mut self, t: [u32; 4]) {
        self.tets.push(t);
    }

    /// A convex cell by its faces (any turn).
    pub fn cell(&mut self, faces: &[&[u32]]) {
        let faces: Vec<Vec<u32>> = faces
            .iter()
            .map(|f| {
                let mut g: Vec<u32> = Vec::new();
                for &v in *f {
                    if !g.contains(&v) {
                        g.push(v);
                    }
                }
                g
            })
            .filter(|f| f.len() >= 3)
            .collect();
        let Some(&low) = faces.iter().flatten().min() else { return };
        for f in faces.iter().filter(|f| !f.contains(&low)) {
            let at = (0..f.len()).min_by_key(|&i| f[i]).unwrap_or(0);
            for k in 1..f.len() - 1 {
                let (b, c) = (f[(at + k) % f.len()], f[(at + k + 1) % f.len()]);
                self.tets.push([low, f[at], b, c]);
            }
        }
    }

    /// Orders the tets. Every cell has a volume before its corners are rounded, and none can be left out: the body would have a hole, and
    /// its faces there would not push. So one that has none left is refused, with what is wrong with the `shape`.
    pub fn finish(self, shape: &str) -> Result<(TetMesh, Vec<f64>), BodyError> {
        let (positions, mut tets) = (self.positions, self.tets);
        let size = positions.iter().fold(0.0f64, |m, p| m.max(p.abs().component_max()));
        let thin = THIN * size * size * size;
        let mut flat = 0;
        for t in &mut tets {
            let at = |t: &[u32; 4]| t.map(|i| positions[i as usize]);
            let mut x = at(t);
            if !(tet_volume(x).abs() > thin) {
                // Edges are taken from the first corner: from one far away they would lose what is short in another.
                let far = |k: &usize| x[*k].abs().component_max();
                let k = (0..4).min_by(|i, j| far(i).total_cmp(&far(j))).unwrap_or(0);
                *t = [t[k], t[k ^ 1], t[k ^ 2], t[k ^ 3]];
                x = at(t);
            }
            if tet_orientation(x) == Ordering::Less {
                t.swap(2, 3);
            }
            // NaN, of sizes that overflow, is no volume either.
            flat += usize::from(!(tet_volume(x).abs() > ROUNDINGS * rounding(x)));
        }
        if flat > 0 {
            let reason = format!(
                "{shape}: {flat} of its {} tets have no volume beyond the rounding of their corners; its smallest and its largest size \
                 are too far apart, or too far from 1 m: give others",
                tets.len()
            );
            return Err(BodyError::Parameter { reason });
        }
        Ok((TetMesh::new(positions, tets)?, self.extent))
    }
}

/// What the volume of a tet changes by when every coordinate of its corners is off by a rounding of its own (m³). A body's size is no
/// measure of it: a rod has thin cells at its ends, far from its middle, and corners there have the digits for them.
fn rounding(x: [DVec3; 4]) -> f64 {
    let by_corner = |i: usize| {
        let [a, b, c] = [1, 2, 3].map(|k| x[(i + k) % 4]);
        // Six times the volume grows by this with the corner's place.
        x[i].abs().dot((b - a).cross(c - a).abs())
    };
    f64::EPSILON / 6.0 * (0..4).map(by_corner).sum::<f64>()
}

/// A length on the medial axis of a body that reaches as far as `reach` (m); 0 where it is rounding there. Sizes that are meant to be equal
/// come off by a rounding, and cells between such corners and the surface would be flat.
#[must_use]
pub fn medial(value: f64, reach: f64) -> f64 {
    if value > SAME * reach { value } else { 0.0 }
}

/// A length must be a positive number.
pub fn length(shape: &str, name: &str, value: f64) -> Result<(), BodyError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(BodyError::Parameter { reason: format!("{shape}: {name} is {value} m; give a positive number") })
}

/// A number in four digits, rounded up: what a message says will do has to do.
pub fn at_least(x: f64) -> String {
    format!("{:.3e}", x * 1.0005)
}

/// How many pieces of `resolution` a length takes, between `least` and `most`.
pub fn pieces(shape: &str, total: f64, resolution: f64, least: u32, most: u32) -> Result<u32, BodyError> {
    length(shape, "the resolution", resolution)?;
    let n = (total / resolution).ceil();
    if n > f64::from(most) {
        let reason = format!(
            "{shape}: a resolution of {resolution} m asks for {n:.3e} pieces around; at most {most} are made: give {} m \
             or more",
            at_least(total / f64::from(most))
        );
        return Err(BodyError::Parameter { reason });
    }
    Ok((n as u32).max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resolution_that_a_message_says_will_do_does() {
        for total in [1.0, 0.628_318_530_717_958_6, 1.000_049, 7.3e-5] {
            let e = pieces("rod", total, 1e-12, 3, 1 << 16).unwrap_err().to_string();
            let said = e.split("give ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            let made = pieces("rod", total, said, 3, 1 << 16).unwrap();
            assert!((65_400..=65_536).contains(&made), "{total}: {said} makes {made}");
        }
    }
}
