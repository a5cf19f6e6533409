//! Convex cells to tets, so that neighbours agree on their shared faces whatever collapses.
//!
//! Every cell is cut by pulling its lowest vertex: each face away from it is fanned from that face's own lowest vertex
//! and joined to it. A face is cut the same way by both cells that share it, and vertices that coincide by number simply
//! shorten faces; a medial axis that is a point, a segment or a plate needs no special case.

use crate::error::BodyError;
use impinge_geometry::{DVec3, TetMesh, tet_volume};

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

    /// Orders the tets and drops flat ones.
    pub fn finish(self) -> Result<(TetMesh, Vec<f64>), BodyError> {
        let (positions, mut tets) = (self.positions, self.tets);
        let size = positions.iter().fold(0.0f64, |m, p| m.max(p.abs().component_max()));
        tets.retain_mut(|t| {
            let v = tet_volume(t.map(|i| positions[i as usize]));
            if v < 0.0 {
                t.swap(2, 3);
            }
            v.abs() > 1e-15 * size * size * size
        });
        Ok((TetMesh::new(positions, tets)?, self.extent))
    }
}

/// A length must be a positive number.
pub fn length(shape: &str, name: &str, value: f64) -> Result<(), BodyError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(BodyError::Parameter { reason: format!("{shape}: {name} is {value} m; give a positive number") })
}

/// How many pieces of `resolution` a length takes, between `least` and `most`.
pub fn pieces(shape: &str, total: f64, resolution: f64, least: u32, most: u32) -> Result<u32, BodyError> {
    length(shape, "the resolution", resolution)?;
    let n = (total / resolution).ceil();
    if n > f64::from(most) {
        let reason = format!(
            "{shape}: a resolution of {resolution} m asks for {n:.3e} pieces around; at most {most} are made: give {:.3e} m \
             or more",
            total / f64::from(most)
        );
        return Err(BodyError::Parameter { reason });
    }
    Ok((n as u32).max(least))
}
