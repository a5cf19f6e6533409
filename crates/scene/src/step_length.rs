//! The length of a step for a scene that states none.

use crate::mesh::build_mesh;
use crate::soft::build_solid;
use crate::spec::{BodySpec, DriverSpec, Motion, SceneSpec, Shape, SolidSpec};
use impinge_geometry::DVec3;
use std::f64::consts::TAU;

/// Steps that the fastest motion is told in, at least: the suggested stiffness then lets a body sink by a five-hundredth of its smallest side.
const STEPS: f64 = 100.0;

impl SceneSpec {
    /// The largest of 1, 2 and 5 times a power of ten (s) that is at most a hundredth of the duration, of the time in which the smallest side of a moving
    /// body is fallen through, √(h/g), and of the time in which a body moves by it or turns by a radian at the speed that the file states.
    pub(crate) fn suggested_dt(&self) -> f64 {
        let mut shortest = self.duration;
        let mut seen = None;
        for body in &self.bodies {
            // Copies follow each other.
            if seen.replace(body.base) == Some(body.base) {
                continue;
            }
            let (speed, spin) = speeds(&body.motion);
            shortest = shortest.min(time(1.0, spin));
            if let Some(side) = self.smallest_side(body).filter(|_| !matches!(body.motion, Motion::Fixed)) {
                shortest = shortest.min(time(side, speed));
                if !matches!(body.motion, Motion::Kinematic(_)) {
                    shortest = shortest.min(time(side, self.gravity.mag()).sqrt());
                }
            }
        }
        round_down(shortest / STEPS)
    }

    /// The smallest side of the box around a body (m), but for sides of length zero; `None` where it has no other, or cannot be made.
    fn smallest_side(&self, body: &BodySpec) -> Option<f64> {
        let of_points = |points: &[DVec3]| {
            let first = *points.first()?;
            let grow =
                |(lo, hi): (DVec3, DVec3), p: &DVec3| (lo.min_by_component(*p), hi.max_by_component(*p));
            Some(points.iter().fold((first, first), grow))
        };
        let (lo, hi) = match &body.shape {
            Shape::Mesh(mesh) | Shape::Sheet(mesh) => build_mesh(mesh, &self.base_dir).ok()?.bounds(),
            Shape::Solid(SolidSpec::Lattice { surface, .. }) => {
                build_mesh(surface, &self.base_dir).ok()?.bounds()
            }
            Shape::Solid(solid) => build_solid(solid, &self.base_dir).ok()?.bounds(),
            Shape::Points(points) | Shape::Line(points) => of_points(points)?,
            Shape::Plane { .. } => return None,
        };
        let sides = hi - lo;
        [sides.x, sides.y, sides.z].into_iter().filter(|s| *s > 0.0).reduce(f64::min)
    }
}

/// How long it takes to go so far (s).
fn time(way: f64, speed: f64) -> f64 {
    if speed > 0.0 { way / speed } else { f64::INFINITY }
}

/// The largest speed (m/s) and the largest spin (rad/s) that a body is said to have.
fn speeds(motion: &Motion) -> (f64, f64) {
    match motion {
        Motion::Rigid(m) => (m.velocity.mag(), m.angular_velocity.mag()),
        Motion::Deformable(m) => (m.velocity.mag(), m.angular_velocity.mag()),
        Motion::Particles(m) => (m.velocity.mag(), 0.0),
        Motion::Kinematic(DriverSpec::ConstantVelocity { velocity }) => (velocity.mag(), 0.0),
        Motion::Kinematic(DriverSpec::Spin { angular_velocity }) => (0.0, angular_velocity.mag()),
        Motion::Kinematic(DriverSpec::Sine { amplitude, frequency, .. }) => {
            (amplitude.mag() * frequency.abs() * TAU, 0.0)
        }
        Motion::Kinematic(DriverSpec::Keyframes(frames)) => {
            let between = frames.windows(2).map(|w| {
                let way = (w[1].pose.position - w[0].pose.position).mag();
                if way > 0.0 { way / (w[1].time - w[0].time) } else { 0.0 }
            });
            (between.fold(0.0, f64::max), 0.0)
        }
        Motion::Fixed => (0.0, 0.0),
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is no larger than a positive number.
fn round_down(x: f64) -> f64 {
    // Its decimal digits say which, and give the number that a file would write.
    let written = format!("{x:e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let first = match digits.as_bytes().first() {
        Some(b'5'..=b'9') => 5,
        Some(b'2'..=b'4') => 2,
        _ => 1,
    };
    format!("{first}e{exponent}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::round_down;

    #[test]
    fn steps_are_numbers_that_one_would_write() {
        for (x, dt) in [(1.43e-3, 1e-3), (2e-3, 2e-3), (4.999, 2.0), (0.5, 0.5), (9.99e-7, 5e-7), (1.0, 1.0)]
        {
            assert_eq!(round_down(x), dt, "{x}");
        }
    }
}
