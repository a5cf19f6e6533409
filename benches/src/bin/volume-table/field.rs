//! The paper's comparison with distance fields (Fig. 8b, Table 1 "armadillos, field"): signed distances of each body on a grid, made once, and every
//! vertex of one body looked up in the field of the other.

use crate::problem::PointContact;
use impinge_geometry::{DVec3, Pose};
use impinge_query::MeshIndex;
use impinge_world::{Shape, Shapes, Simulation};
use rayon::prelude::*;

/// Vertices looked up in one go.
const CHUNK: usize = 8192;
/// A vertex nearer than this many cells is a contact: bodies rest a tenth of a millimetre in each other, and a field is no better than that.
pub const NEAR: f64 = 0.1;
/// Cells of a field beyond the body's box.
const MARGIN: f64 = 1.0;

/// Signed distances (m) at the nodes of a grid in a body's frame, linear in between.
pub struct Field {
    origin: DVec3,
    step: f64,
    count: [usize; 3],
    values: Vec<f32>,
}

impl Field {
    /// With so many cells along the longest side of the body's box.
    pub fn new(index: &MeshIndex, across: usize) -> Self {
        let (lo, hi) = index.bounds();
        let step = (hi - lo).component_max() / across as f64;
        let origin = lo - DVec3::broadcast(MARGIN * step);
        let cells = (hi - lo) / step;
        let count = [cells.x, cells.y, cells.z].map(|n| (n + 2.0 * MARGIN).ceil() as usize + 1);
        let plane = count[0] * count[1];
        let values = (0..plane * count[2]).into_par_iter().map(|i| {
            let at = DVec3::new((i % count[0]) as f64, (i % plane / count[0]) as f64, (i / plane) as f64);
            index.signed_distance(origin + at * step) as f32
        });
        Self { origin, step, count, values: values.collect() }
    }

    /// Nodes along x, y and z.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<f32>()
    }

    /// The distance at a point of the body's frame, and its slope; `None` outside of the grid.
    pub fn at(&self, p: DVec3) -> Option<(f64, DVec3)> {
        let q = (p - self.origin) / self.step;
        let mut cell = [0; 3];
        let mut t = [0.0; 3];
        for (k, x) in [q.x, q.y, q.z].into_iter().enumerate() {
            if !(x >= 0.0 && x < (self.count[k] - 1) as f64) {
                return None;
            }
            cell[k] = x as usize;
            t[k] = x - cell[k] as f64;
        }
        let value = |c: [usize; 3]| {
            let [x, y, z] = [0, 1, 2].map(|k| cell[k] + c[k]);
            f64::from(self.values[x + self.count[0] * (y + self.count[1] * z)])
        };
        let weight = |k: usize, c: usize| if c == 1 { t[k] } else { 1.0 - t[k] };
        let (mut d, mut slope) = (0.0, [0.0; 3]);
        for corner in 0..8 {
            let c = [corner & 1, corner >> 1 & 1, corner >> 2];
            let v = value(c);
            let w = [0, 1, 2].map(|k| weight(k, c[k]));
            d += v * w[0] * w[1] * w[2];
            for k in 0..3 {
                let sign = if c[k] == 1 { 1.0 } else { -1.0 };
                slope[k] += sign * v * w[(k + 1) % 3] * w[(k + 2) % 3];
            }
        }
        Some((d, DVec3::from(slope) / self.step))
    }
}

/// A body with its field.
pub struct Fielded {
    slot: u32,
    pub index: MeshIndex,
    pub field: Field,
}

/// Every rigid or fixed body with triangles; bodies of one mesh are each given a field.
pub fn fields(sim: &Simulation, across: usize) -> Vec<Fielded> {
    let shapes = sim.column::<Shapes>();
    let mut out = Vec::new();
    for (slot, shape) in shapes.0.iter().enumerate() {
        let Shape::Mesh(_) = shape else { continue };
        let Some(mesh) = shape.triangles() else { continue };
        let index = MeshIndex::new(mesh);
        let field = Field::new(&index, across);
        out.push(Fielded { slot: slot as u32, index, field });
    }
    out
}

/// The vertices of each body that are inside of another one by its field, or next to it.
pub fn contacts(sim: &Simulation, bodies: &[Fielded]) -> Vec<PointContact> {
    let shapes = sim.column::<Shapes>();
    let mut found = Vec::new();
    for of in bodies {
        let Some(mesh) = shapes.0[of.slot as usize].triangles() else { continue };
        for other in bodies.iter().filter(|o| o.slot != of.slot) {
            let (from, to): (Pose, Pose) = (sim.pose(of.slot), sim.pose(other.slot));
            // One map from frame to frame.
            let (turn, back) = (from.matrix(), to.matrix().transposed());
            let (r, t) = (back * turn, back * (from.position - to.position));
            let inside = |v: &DVec3| {
                let p = r * *v + t;
                let (d, slope) = other.field.at(p)?;
                if !(d < NEAR * other.field.step && slope.mag_sq() > 0.0) {
                    return None;
                }
                let normal = to.matrix() * (slope / slope.mag());
                Some(PointContact {
                    bodies: [of.slot, other.slot],
                    point: to.point_to_world(p),
                    normal,
                    depth: -d,
                })
            };
            let chunks: Vec<Vec<PointContact>> =
                mesh.positions().par_chunks(CHUNK).map(|c| c.iter().filter_map(inside).collect()).collect();
            found.extend(chunks.into_iter().flatten());
        }
    }
    found
}

/// How far depths by fields are off the exact ones: largest over the contacts (m).
pub fn off(sim: &Simulation, bodies: &[Fielded], contacts: &[PointContact]) -> f64 {
    let of = |c: &PointContact| {
        let other = bodies.iter().find(|b| b.slot == c.bodies[1]);
        let d = other.map(|o| o.index.signed_distance(sim.pose(o.slot).point_to_body(c.point)));
        d.map_or(0.0, |d| (c.depth + d).abs())
    };
    contacts.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::icosphere;

    #[test]
    fn a_field_is_the_distance_up_to_its_cells() {
        let index = MeshIndex::new(&icosphere(1.0, 4).unwrap());
        let field = Field::new(&index, 64);
        for i in 0..200 {
            let a = f64::from(i);
            let p = DVec3::new((a * 0.7).sin(), (a * 1.3).cos(), (a * 0.37).sin()) * 0.57;
            let (d, slope) = field.at(p).unwrap();
            if p.mag() > 0.3 {
                assert!((d - index.signed_distance(p)).abs() < 1e-3, "{p:?}");
                assert!((slope - p.normalized()).mag() < 0.1, "{slope:?} at {p:?}");
            }
        }
        assert!(field.at(DVec3::broadcast(2.0)).is_none() && field.at(DVec3::broadcast(f64::NAN)).is_none());
    }
}
