//! Tapering rods as fields (negative inside), of which creatures are made.

use ultraviolet::DVec3;

/// A tapering rod: two ends with a radius each (m).
pub(super) struct Rod {
    from: DVec3,
    along: DVec3,
    /// 1 / length².
    over_square: f64,
    radius: [f64; 2],
}

impl Rod {
    /// The rod between two different points.
    pub(super) fn new(from: DVec3, to: DVec3, radius: [f64; 2]) -> Self {
        let along = to - from;
        Self { from, along, over_square: 1.0 / along.mag_sq(), radius }
    }

    /// Negative inside; about the distance to the surface (m).
    fn field(&self, p: DVec3) -> f64 {
        let d = p - self.from;
        let t = (d.dot(self.along) * self.over_square).clamp(0.0, 1.0);
        let radius = self.radius[0] + (self.radius[1] - self.radius[0]) * t;
        (d - self.along * t).mag() - radius
    }
}

/// The field of the nearest of several rods.
pub(super) fn nearest(rods: &[Rod], p: DVec3) -> f64 {
    rods.iter().fold(f64::INFINITY, |f, rod| f.min(rod.field(p)))
}

/// The minimum, rounded where the two differ by less than `width` (a parabola that joins smoothly).
pub(super) fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0);
    a.min(b) - h * h / (4.0 * width)
}
