//! How long the facets of a round pressure field are where the file does not say.
//!
//! Facets cut off up to h²/8R of what is round. A body that is pressed in no deeper than that presses by its corners: a ball of 2 kg and 10 MPa sank
//! three times as deep on facets of half its radius.

use crate::mesh::MeshSpec;
use crate::spec::{BodySpec, FieldKind, Mass, Motion, PressureSpec, Shape};
use std::f64::consts::PI;

/// Part of the depth at rest that facets may cut off.
const CUT: f64 = 0.05;
/// Part of the largest radius that a facet is long at least, for that: 8192 of them around a ball.
const LEAST: f64 = 0.05;

/// A body that is round, as its field sees it.
struct Round {
    /// Of curvature where it lies flattest, across and along: the lesser, and the mean of both as √(R₁R₂) (m).
    radius: f64,
    mean: f64,
    /// Half of its thickness, over which pressure grows (m).
    size: f64,
    /// Along which it may lie (m); 0 of what rests on a point.
    line: f64,
    largest: f64,
    /// m³.
    volume: f64,
}

impl Round {
    /// `None` of what may stand on a flat end as well.
    fn of(mesh: &MeshSpec) -> Option<Self> {
        let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
        Some(match *mesh {
            MeshSpec::Icosphere { radius, .. } | MeshSpec::UvSphere { radius, flat_pole: false, .. } => {
                Self { radius, mean: radius, size: radius, line: 0.0, largest: radius, volume: ball(radius) }
            }
            MeshSpec::Ellipsoid { radii, .. } => {
                let mut sorted = [radii.x, radii.y, radii.z];
                sorted.sort_by(f64::total_cmp);
                let [c, b, a] = sorted;
                let volume = 4.0 / 3.0 * PI * a * b * c;
                Self { radius: b * b / c, mean: a * b / c, size: c, line: 0.0, largest: a, volume }
            }
            MeshSpec::Capsule { radius, length, .. } => {
                let volume = ball(radius) + PI * radius * radius * length;
                Self { radius, mean: radius, size: radius, line: length, largest: radius, volume }
            }
            _ => return None,
        })
    }

    /// How deep a weight (N) presses it into a plane (m), the least of lying and standing: p = E d/size under a cap, F = π E √(R₁R₂) d²/size, or along a
    /// line, F = 4/3 E L √(2R) d^(3/2)/size.
    fn depth(&self, modulus: f64, weight: f64) -> f64 {
        let on_point = (weight * self.size / (PI * modulus * self.mean)).sqrt();
        let along = 4.0 / 3.0 * modulus * self.line * (2.0 * self.radius).sqrt();
        let on_line = libm::cbrt((weight * self.size / along).powi(2));
        if self.line > 0.0 { on_point.min(on_line) } else { on_point }
    }

    /// What facets so long cut off (m).
    fn cut(&self, length: f64) -> f64 {
        length * length / (8.0 * self.radius)
    }
}

/// The facets of the field of a body, and what they cut off.
pub(crate) struct Facets {
    /// m.
    pub length: f64,
    pub cut: f64,
    /// At rest under its own weight, m.
    pub depth: f64,
}

/// Of a body with a round exact field that weighs something; of others nothing is known. A `law` cuts each facet's tet in layers, so its facets stay
/// few.
pub(crate) fn facets(body: &BodySpec, spec: &PressureSpec, gravity: f64) -> Option<Facets> {
    let (Shape::Mesh(mesh), Motion::Rigid(motion), FieldKind::Exact, None) =
        (&body.shape, &body.motion, spec.field, spec.law)
    else {
        return None;
    };
    let round = Round::of(mesh)?;
    let mass = match motion.mass {
        Mass::Density(density) => density * round.volume,
        Mass::Total(mass) => mass,
    };
    let depth = round.depth(spec.modulus, mass * gravity);
    if !(depth > 0.0 && depth.is_finite()) {
        return None;
    }
    let wanted = (8.0 * round.radius * CUT * depth).sqrt();
    let chosen = || wanted.max(LEAST * round.largest).min(0.5 * round.size);
    let length = spec.resolution.unwrap_or_else(chosen);
    Some(Facets { length, cut: round.cut(length), depth })
}

/// What a reader should know of them, if anything.
pub(crate) fn note(body: &BodySpec, spec: &PressureSpec, gravity: f64) -> Option<String> {
    let Facets { length, cut, depth } = facets(body, spec, gravity)?;
    if cut > depth {
        return Some(format!(
            "{length:.1e} m long. They cut off {cut:.1e} m of what is round; its weight presses it in by {depth:.1e} m. So it rests deeper and presses less \
             than a round body; a finer `resolution` mends that and takes more time."
        ));
    }
    let chosen = spec.resolution.is_none();
    chosen.then(|| {
        format!("{length:.1e} m long, for the {depth:.1e} m that its weight presses it in (`resolution`).")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_pressure::fields;

    /// Pressure of a field on a plane at this depth (N), by the cap that is under it: what the closed form of its depth is held against.
    fn force(radius: f64, modulus: f64, depth: f64, length: f64) -> f64 {
        let field = fields::sphere(radius, length, modulus).unwrap();
        let (mesh, extent) = (field.mesh(), field.extent());
        let top = radius - depth;
        let x = mesh.positions();
        let mut sum = 0.0;
        // Tets have their apex in the middle: the plane cuts of each a triangle whose pressure is that of its corners.
        for tet in mesh.tets() {
            let mut cut = Vec::new();
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let (a, b) = (x[tet[i] as usize], x[tet[j] as usize]);
                if (a.z - top) * (b.z - top) < 0.0 {
                    let t = (top - a.z) / (b.z - a.z);
                    let p = modulus * (extent[tet[i] as usize] * (1.0 - t) + extent[tet[j] as usize] * t);
                    cut.push((a + (b - a) * t, p));
                }
            }
            for k in 1..cut.len().saturating_sub(1) {
                let (a, b, c) = (cut[0], cut[k], cut[k + 1]);
                sum += 0.5 * (b.0 - a.0).cross(c.0 - a.0).mag() * (a.1 + b.1 + c.1) / 3.0;
            }
        }
        sum
    }

    #[test]
    fn a_ball_on_the_facets_of_its_weight_carries_it_where_a_round_one_does() {
        let (radius, modulus) = (0.1, 1e7);
        let mesh = MeshSpec::Icosphere { radius, subdivisions: 2 };
        let round = Round::of(&mesh).unwrap();
        for weight in [2.0, 20.0, 200.0] {
            let depth = round.depth(modulus, weight);
            let length = (8.0 * radius * CUT * depth).sqrt();
            let off = force(radius, modulus, depth, length) / weight - 1.0;
            assert!(off.abs() < 0.15, "{weight} N: {off}");
        }
        // On facets of half its radius a third or less.
        let depth = round.depth(modulus, 20.0);
        assert!(force(radius, modulus, depth, 0.5 * radius) < 20.0 / 3.0);
    }
}
