//! The contact frame of a cell, from its volume gradient (seed 002 §4.2).
//!
//! With the errata: the normal points out of B, the way A is pushed (V8); the area weights A_k = n·∂V/∂p_k (20) of both bodies
//! together sum to zero, so barycentres are taken body by body (V3).

use crate::Overlap;
use impinge_geometry::{DVec3, try_normalized};

/// Directions, area and place of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Unit; the direction in which A is pushed: −Σ ∂V/∂p over A.
    pub normal: DVec3,
    /// Two unit vectors that make a right-handed frame with the normal.
    pub tangents: [DVec3; 2],
    /// Sum of the positive A_k (m²): the paper's contact area. Larger than `projected_area` where a body's own weights differ in
    /// sign (a deep or wrapped contact).
    pub area: f64,
    /// ‖Σ ∂V/∂p‖ over either body (m²): the area of the contact seen along the normal.
    pub projected_area: f64,
    /// Barycentre of each body's contact surface by A_k (m).
    pub center_of: [DVec3; 2],
    /// Halfway between the two (m), within the box of the vertices that feel the volume: where friction without ghost torque acts. Any
    /// point common to both bodies has none; where the weights of a body all but cancel, their barycentre is far from both.
    pub center: DVec3,
    /// Barycentre of both surfaces by |A_k| (m); `center` where A_k has one sign on each body.
    pub center_by_magnitude: DVec3,
    /// V / `area` (m), but no more than `reach`: where the weights of a body cancel, the area says little.
    pub mean_depth: f64,
    /// How far the vertices that feel the volume reach along the normal (m): the overlap lies between them, so it is nowhere deeper.
    pub reach: f64,
}

/// Below this share of Σ ‖∂V/∂p‖ the pushes of a body cancel: it is contained, and there is no direction out.
pub const CANCELLED: f64 = 1e-12;

impl ContactFrame {
    /// The frame of one cell; `x` are the vertex positions of A and B (m). `None` where the pushes on a body cancel (one body
    /// inside the other): there is no normal then.
    ///
    /// # Panics
    /// When there is no such cell, or a body has fewer vertices than the overlap names.
    pub fn new(overlap: &Overlap, cell: usize, x: [&[DVec3]; 2]) -> Option<Self> {
        let (_, on_a) = overlap.gradient(cell, 0);
        let push = on_a.iter().fold(DVec3::zero(), |s, &g| s - g);
        let size: f64 = on_a.iter().map(|g| g.mag()).sum();
        let projected_area = push.mag();
        if !(projected_area > CANCELLED * size) {
            return None;
        }
        let normal = try_normalized(push)?;
        // Gram–Schmidt from the axis the normal is farthest from.
        let least = normal.abs();
        let axis = if least.x <= least.y && least.x <= least.z {
            DVec3::unit_x()
        } else if least.y <= least.z {
            DVec3::unit_y()
        } else {
            DVec3::unit_z()
        };
        let t1 = try_normalized(axis - normal * normal.dot(axis))?;
        let (mut area, mut center_of) = (0.0, [DVec3::zero(); 2]);
        let (mut by_magnitude, mut magnitude) = (DVec3::zero(), 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let far = DVec3::broadcast(f64::INFINITY);
        let mut around = (far, -far);
        for side in 0..2 {
            // About one of its own vertices: far from the origin the weights' rounding would move the barycentre.
            let (vertices, g) = overlap.gradient(cell, side);
            let origin = x[side][vertices.first().copied()? as usize];
            let (mut sum, mut first, mut abs_sum, mut abs_first) = (0.0, DVec3::zero(), 0.0, DVec3::zero());
            for (&v, &g) in vertices.iter().zip(g) {
                let (w, r) = (normal.dot(g), x[side][v as usize] - origin);
                sum += w;
                first += r * w;
                abs_sum += w.abs();
                abs_first += r * w.abs();
                area += w.max(0.0);
                let height = normal.dot(x[side][v as usize]);
                (low, high) = (low.min(height), high.max(height));
                around = (
                    around.0.min_by_component(x[side][v as usize]),
                    around.1.max_by_component(x[side][v as usize]),
                );
            }
            center_of[side] = origin + first / sum;
            by_magnitude += abs_first + origin * abs_sum;
            magnitude += abs_sum;
        }
        Some(Self {
            normal,
            tangents: [t1, normal.cross(t1)],
            area,
            projected_area,
            center_of,
            center: ((center_of[0] + center_of[1]) * 0.5).clamped(around.0, around.1),
            center_by_magnitude: by_magnitude / magnitude,
            mean_depth: (overlap.cells()[cell].volume / area).min(high - low),
            reach: high - low,
        })
    }

    /// A_k (20): the area of a vertex seen along the normal (m²), from its ∂V/∂p.
    #[inline]
    pub fn weight(&self, gradient: DVec3) -> f64 {
        self.normal.dot(gradient)
    }

    /// Σ A_k ṗ_k over both bodies (m³/s), (20): what pressure times it is power of. For bodies that only translate it is
    /// `projected_area` (v_B − v_A).
    ///
    /// # Panics
    /// As [`ContactFrame::new`].
    pub fn relative_velocity(&self, overlap: &Overlap, cell: usize, velocity: [&[DVec3]; 2]) -> DVec3 {
        let mut v = DVec3::zero();
        for side in 0..2 {
            let (vertices, g) = overlap.gradient(cell, side);
            for (&k, &g) in vertices.iter().zip(g) {
                v += velocity[side][k as usize] * self.weight(g);
            }
        }
        v
    }

    /// The volume V̄ (m³) that keeps this contact at a mean depth (m): what stabilisation (19) leaves (§4.3).
    pub fn volume_at_depth(&self, depth: f64) -> f64 {
        depth * self.area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::Cell;

    /// Pushes along z that cancel and a little along x that does not: V over the area is 1250 m, of what reaches half a metre.
    #[test]
    fn no_depth_beyond_what_takes_part() {
        let cell = Cell { index: [0; 3], part: 0, volume: 0.125, along: [0.125; 3], start: [0, 2, 3] };
        let up = DVec3::unit_z();
        let aside = DVec3::unit_x() * 1e-4;
        let overlap =
            Overlap { cells: vec![cell], vertex: vec![0, 1, 0], gradient: vec![up, aside - up, -aside] };
        let x = [vec![DVec3::zero(), DVec3::unit_x() * 0.5], vec![DVec3::unit_x() * 0.25]];
        let frame = ContactFrame::new(&overlap, 0, [&x[0], &x[1]]).unwrap();
        assert!((0.125 / frame.area - 1250.0).abs() < 1e-6, "{frame:?}");
        assert!((frame.reach - 0.5).abs() < 1e-12 && frame.mean_depth == frame.reach, "{frame:?}");
    }
}
