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
    /// Halfway between the two (m), but no farther from `center_by_magnitude` than the farthest vertex that feels the volume: where friction
    /// without ghost torque acts. Any point common to both bodies has none; where the weights of a body all but cancel, their barycentre is
    /// far from both. (A ball and not a box: the scene may be turned.) Of a half space only what meets it tells how far, see
    /// [`ContactFrame::with_half_space`].
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

/// Part of the largest ‖∂V/∂p‖ above which a vertex feels the volume: below it rounding decides which do.
const FELT: f64 = 1e-9;

impl ContactFrame {
    /// The frame of one cell; `x` are the vertex positions of A and B (m). `None` where the pushes on a body cancel (one body
    /// inside the other): there is no normal then.
    ///
    /// # Panics
    /// When there is no such cell, or a body has fewer vertices than the overlap names.
    #[must_use]
    pub fn new(overlap: &Overlap, cell: usize, x: [&[DVec3]; 2]) -> Option<Self> {
        Self::of(overlap, cell, x, None)
    }

    /// The same where body `side` is a box that stands for a half space: where its corners are says nothing of the contact, and other
    /// corners on the same plane give the same frame.
    ///
    /// # Panics
    /// As [`ContactFrame::new`].
    #[must_use]
    pub fn with_half_space(overlap: &Overlap, cell: usize, x: [&[DVec3]; 2], side: usize) -> Option<Self> {
        Self::of(overlap, cell, x, Some(side))
    }

    fn of(overlap: &Overlap, cell: usize, x: [&[DVec3]; 2], half_space: Option<usize>) -> Option<Self> {
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
            }
            center_of[side] = origin + first / sum;
            by_magnitude += abs_first + origin * abs_sum;
            magnitude += abs_sum;
        }
        let center_by_magnitude = by_magnitude / magnitude;
        let gradients = |side| overlap.gradient(cell, side).1;
        let most = (0..2).flat_map(gradients).map(|g| g.mag_sq()).fold(0.0, f64::max);
        let (mut low, mut high, mut reaches) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for side in 0..2 {
            let (vertices, g) = overlap.gradient(cell, side);
            for (&v, g) in vertices.iter().zip(g) {
                if g.mag_sq() > FELT * FELT * most {
                    let (p, height) = (x[side][v as usize], normal.dot(x[side][v as usize]));
                    (low, high) = (low.min(height), high.max(height));
                    if half_space != Some(side) {
                        reaches = (p - center_by_magnitude).mag_sq().max(reaches);
                    }
                }
            }
        }
        let middle = (center_of[0] + center_of[1]) * 0.5;
        let off = middle - center_by_magnitude;
        let center = match off.mag_sq() {
            d if d <= reaches => middle,
            d if d.is_finite() => center_by_magnitude + off * (reaches / d).sqrt(),
            _ => center_by_magnitude,
        };
        Some(Self {
            normal,
            tangents: [t1, normal.cross(t1)],
            area,
            projected_area,
            center_of,
            center,
            center_by_magnitude,
            mean_depth: (overlap.cells()[cell].volume / area).min(high - low),
            reach: high - low,
        })
    }

    /// A_k (20): the area of a vertex seen along the normal (m²), from its ∂V/∂p.
    #[inline]
    #[must_use]
    pub fn weight(&self, gradient: DVec3) -> f64 {
        self.normal.dot(gradient)
    }

    /// Σ A_k ṗ_k over both bodies (m³/s), (20): what pressure times it is power of. For bodies that only translate it is
    /// `projected_area` (v_B − v_A).
    ///
    /// # Panics
    /// As [`ContactFrame::new`].
    #[must_use]
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
    #[must_use]
    pub fn volume_at_depth(&self, depth: f64) -> f64 {
        depth * self.area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::Cell;
    use impinge_geometry::DRotor3;

    /// The weights of a body all but cancel, and their barycentre is kilometres away: the contact stays among what takes part, and turns with it.
    #[test]
    fn the_centre_turns_with_the_scene() {
        let cell =
            Cell { index: [0; 3], part: 0, volume: 0.125, along: [0.125; 3], flat: None, start: [0, 2, 3] };
        let up = DVec3::unit_z();
        let made = |turn: DRotor3| {
            let pushes = [up, up * -0.9999, up * -1e-4].map(|g| turn * g);
            let overlap = Overlap { cells: vec![cell], vertex: vec![0, 1, 0], gradient: pushes.to_vec() };
            let x = [[0.0, 0.1, 0.2], [0.5, -0.2, 0.1], [0.2, 0.3, 0.1]].map(|p| turn * DVec3::from(p));
            ContactFrame::new(&overlap, 0, [&x[..2], &x[2..]]).unwrap()
        };
        let straight = made(DRotor3::identity());
        assert!((straight.center_of[0] - straight.center).mag() > 1e3, "{straight:?}");
        assert!((straight.center - straight.center_by_magnitude).mag() < 0.5, "{straight:?}");
        let turn = DRotor3::from_rotation_xy(0.7) * DRotor3::from_rotation_xz(0.4);
        assert!((made(turn).center - turn * straight.center).mag() < 1e-12);
    }

    /// Two boxes under a body whose weights all but cancel, one of them far larger: the half space is the same, and so is the frame.
    #[test]
    fn corners_of_a_half_space_say_nothing() {
        let cell =
            Cell { index: [0; 3], part: 0, volume: 0.125, along: [0.125; 3], flat: None, start: [0, 2, 4] };
        let up = DVec3::unit_z();
        let made = |size: f64| {
            let pushes = vec![up * -1.0, up * 0.9999, up * 5e-5, up * 5e-5];
            let overlap = Overlap { cells: vec![cell], vertex: vec![0, 1, 0, 1], gradient: pushes };
            let corner = DVec3::new(0.6 * size, 0.8 * size, 0.0);
            let x = [[DVec3::zero(), DVec3::new(0.5, -0.2, -0.1)], [corner, corner * -1.0]];
            ContactFrame::with_half_space(&overlap, 0, [&x[0], &x[1]], 1).unwrap()
        };
        let (small, large) = (made(2.0), made(300.0));
        assert!((small.center_of[0] - small.center).mag() > 1e2, "{small:?}");
        assert!((small.center - large.center).mag() < 1e-12, "{small:?} {large:?}");
    }

    /// Pushes along z that cancel and a little along x that does not: V over the area is 1250 m, of what reaches half a metre.
    #[test]
    fn no_depth_beyond_what_takes_part() {
        let cell =
            Cell { index: [0; 3], part: 0, volume: 0.125, along: [0.125; 3], flat: None, start: [0, 2, 3] };
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
