//! The cubic f(t) = c₀ + c₁t + c₂t² + c₃t³ of a moving pair and the normal m(t) in it, multiplied out here and not by the kernels.

use impinge_ccd::Kind;
use impinge_geometry::DVec3;

/// Coefficients by power of t.
pub struct Cubic {
    /// Of f.
    pub f: [f64; 4],
    /// What rounding may have done to each of them.
    pub rounding: [f64; 4],
    /// Of m: (b−a)×(c−a) of a face, (b−a)×(d−c) of edges.
    pub m: [DVec3; 3],
    /// What rounding may have done to each component of m, for t in \[0, 1\].
    pub m_rounding: f64,
}

/// x₀ + t d of an edge or the connection.
type Linear = [DVec3; 2];

impl Cubic {
    /// Of four points at both ends of the step (vertex, then face; or two edges).
    pub fn new(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Self {
        // Differences at both times, with sizes that bound what is lost in them.
        let between = |i: usize, j: usize| -> (Linear, Linear) {
            let (start, end) = (x0[i] - x0[j], x1[i] - x1[j]);
            let size = start.abs() + end.abs();
            ([start, end - start], [start.abs(), size])
        };
        let [u, v, r] = match kind {
            Kind::VertexFace => [between(2, 1), between(3, 1), between(0, 1)],
            Kind::EdgeEdge => [between(1, 0), between(3, 2), between(0, 2)],
        };
        let (m, m_size) = (cross(&u.0, &v.0, |a, b| a.cross(b)), cross(&u.1, &v.1, cross_of_sizes));
        let (f, size) = (dot(&m, &r.0), dot(&m_size, &r.1));
        let eps = 32.0 * f64::EPSILON;
        let m_rounding = eps * m_size.iter().fold(0.0, |s, m| s + m.component_max());
        Self { f, rounding: size.map(|s| eps * s), m, m_rounding }
    }

    /// Times in \[0, 1\] at which m vanishes, in order; empty where it always does. `None` where rounding decides how many there are.
    pub fn vanishing(&self) -> Option<Vec<f64>> {
        let components: Vec<[f64; 3]> = (0..3).map(|k| [self.m[0][k], self.m[1][k], self.m[2][k]]).collect();
        let size = |c: &[f64; 3]| c.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        let largest = components.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(largest) <= self.m_rounding {
            return Some(Vec::new());
        }
        let mut times = Vec::new();
        for t in roots(largest, self.m_rounding)? {
            // The others vanish there, too, or nearly, or not at all.
            let at = |c: &[f64; 3]| (c[0] + t * (c[1] + t * c[2])).abs();
            let off = components.iter().map(at).fold(0.0, f64::max);
            let near = t.abs().min((t - 1.0).abs()) < 1e-12;
            if near || (off > self.m_rounding && off < 1e6 * self.m_rounding) {
                return None;
            }
            if (0.0..=1.0).contains(&t) && off <= self.m_rounding {
                times.push(t);
            }
        }
        times.sort_by(f64::total_cmp);
        Some(times)
    }
}

fn cross_of_sizes(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x)
}

fn cross(u: &Linear, v: &Linear, of: impl Fn(DVec3, DVec3) -> DVec3 + Copy) -> [DVec3; 3] {
    [of(u[0], v[0]), of(u[0], v[1]) + of(u[1], v[0]), of(u[1], v[1])]
}

fn dot(m: &[DVec3; 3], r: &Linear) -> [f64; 4] {
    let d = |i: usize, j: usize| m[i].dot(r[j]);
    [d(0, 0), d(1, 0) + d(0, 1), d(2, 0) + d(1, 1), d(2, 1)]
}

/// Real roots of a quadratic; `None` where rounding decides whether there are two.
fn roots([c, b, a]: &[f64; 3], rounding: f64) -> Option<Vec<f64>> {
    if a.abs() <= rounding {
        return Some(if b.abs() <= rounding { Vec::new() } else { vec![-c / b] });
    }
    let discriminant = b * b - 4.0 * a * c;
    if discriminant.abs() <= 1e-9 * (b * b + (4.0 * a * c).abs()) {
        return None;
    }
    if discriminant < 0.0 {
        return Some(Vec::new());
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(*b));
    Some(vec![q / a, c / q])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face in z = 0 whose corner c runs along y from 1 to −1, and a vertex that falls from 1 to −1: f = z · y = (1 − 2t)².
    #[test]
    fn a_collapsing_face_by_hand() {
        let at = |s: f64| [[0.2, 0.3, s], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, s, 0.0]].map(DVec3::from);
        let c = Cubic::new(Kind::VertexFace, &at(1.0), &at(-1.0));
        assert_eq!(c.f, [1.0, -4.0, 4.0, 0.0]);
        assert_eq!(c.vanishing().unwrap(), [0.5]);
    }

    /// An edge along x and one that turns from x + y over to x − y, at height ½: m = (0, 0, 1 − 2t), a − c = −½ z.
    #[test]
    fn edges_that_pass_through_parallel() {
        let at = |s: f64| [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 0.5], [1.0, s, 0.5]].map(DVec3::from);
        let c = Cubic::new(Kind::EdgeEdge, &at(1.0), &at(-1.0));
        assert_eq!(c.f, [-0.5, 1.0, 0.0, 0.0]);
        assert_eq!(c.vanishing().unwrap(), [0.5]);
    }
}
