//! Where polygons go: closed-form moments, the sums, the face table.
//!
//! With a linear pressure on a plane polygon, per triangle of a fan (corners q₀ = 0, qᵢ, qⱼ about the first corner):
//! ∫ p = A (p₀ + pᵢ + pⱼ)/3 and ∫ q p = A/12 ((qᵢ + qⱼ)(p₀ + pᵢ + pⱼ) + qᵢ pᵢ + qⱼ pⱼ). Force n ∫ p, torque
//! (∫ x p) × n: no quadrature.

use super::clip::Corner;
use crate::surface::{ContactSurface, Face, Work};
use impinge_geometry::DVec3;

/// Collects the polygons of one query.
pub struct Sink<'a> {
    pub surface: &'a mut ContactSurface,
    /// The guest is B: normals and windings turn over.
    pub flip: bool,
    /// Drake's filter: cosines at or under [`DRAKE_COSINE`] are dropped.
    pub filter: bool,
    force: DVec3,
    torque: DVec3,
    area: f64,
    integral: f64,
    highest: f64,
    lowest: f64,
}

/// cos(5π/8).
pub const DRAKE_COSINE: f64 = -0.382_683_432_365_089_84;

/// What is known of a polygon before its corners: normal from host to guest, the two gradients and items.
pub struct Plane {
    pub normal: DVec3,
    pub guest_gradient: DVec3,
    pub host_gradient: DVec3,
}

impl<'a> Sink<'a> {
    #[must_use]
    pub fn new(surface: &'a mut ContactSurface, flip: bool, filter: bool) -> Self {
        Self {
            surface,
            flip,
            filter,
            force: DVec3::zero(),
            torque: DVec3::zero(),
            area: 0.0,
            integral: 0.0,
            highest: f64::NEG_INFINITY,
            lowest: f64::INFINITY,
        }
    }

    /// Adds a polygon; one without area is dropped.
    #[inline(always)]
    pub fn add(&mut self, corners: &[Corner], plane: &Plane, guest: u32, host: u32) {
        let n = plane.normal;
        let v = |c: &Corner| DVec3::new(c[0], c[1], c[2]);
        let x0 = v(&corners[0]);
        let p0 = corners[0][3];
        let (mut area, mut first) = (0.0, DVec3::zero());
        let (mut integral, mut moment) = (0.0, DVec3::zero());
        let (mut qi, mut pi) = (v(&corners[1]) - x0, corners[1][3]);
        for c in &corners[2..] {
            let (qj, pj) = (v(c) - x0, c[3]);
            let a = n.dot(qi.cross(qj));
            let (sum, p) = (qi + qj, p0 + pi + pj);
            area += a;
            first += sum * a;
            integral += a * p;
            moment += (sum * p + qi * pi + qj * pj) * a;
            (qi, pi) = (qj, pj);
        }
        // Twice the areas so far. A NaN is dropped too.
        if !(area > 0.0) {
            return;
        }
        let (integral, moment) = (integral * (1.0 / 6.0), moment * (1.0 / 24.0));
        let inverse = 1.0 / area;
        let centroid = x0 + first * (inverse * (1.0 / 3.0));
        area *= 0.5;
        self.area += area;
        self.integral += integral;
        self.force += n * integral;
        self.torque += (moment + x0 * integral).cross(n);
        let start = self.surface.corners.len() as u32;
        for c in corners {
            self.highest = super::relative::max(self.highest, c[3]);
            self.lowest = super::relative::min(self.lowest, c[3]);
        }
        let mut face = Face {
            normal: n,
            area,
            centroid,
            pressure: integral * (2.0 * inverse),
            gradient_a: plane.guest_gradient,
            gradient_b: plane.host_gradient,
            start,
            count: corners.len() as u32,
            item_a: guest,
            item_b: host,
        };
        let four = |c: &Corner| [c[0], c[1], c[2], c[3]];
        if self.flip {
            face.normal = -n;
            (face.gradient_a, face.gradient_b) = (plane.host_gradient, plane.guest_gradient);
            (face.item_a, face.item_b) = (host, guest);
            self.surface.corners.extend(corners.iter().rev().map(four));
        } else {
            self.surface.corners.extend(corners.iter().map(four));
        }
        self.surface.faces.push(face);
    }

    /// Whether Drake's rule keeps a polygon with normal `n` against a gradient on the side `n` points to.
    #[inline(always)]
    #[must_use]
    pub fn keeps(&self, n: DVec3, gradient: DVec3) -> bool {
        !self.filter || n.dot(gradient) >= DRAKE_COSINE * gradient.mag()
    }

    /// Sums to the surface, wrench turned to the world.
    pub fn finish(self, work: Work) {
        let s = self.surface;
        s.work = work;
        let sign = if self.flip { -1.0 } else { 1.0 };
        s.wrench.force = s.rotation * (self.force * sign);
        s.wrench.torque = s.rotation * (self.torque * sign);
        s.wrench.point = s.origin;
        s.area = self.area;
        s.pressure_integral = self.integral;
        let some = !s.faces.is_empty();
        s.max_pressure = if some { self.highest } else { 0.0 };
        s.min_pressure = if some { self.lowest } else { 0.0 };
    }
}
