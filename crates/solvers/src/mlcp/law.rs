//! The law of one contact: its cone, projections on it, and how far a state is from obeying it.

/// Which forces [normal, along t₁, along t₂] a contact can bear.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("friction cone", "friction pyramid"))]
pub enum Cone {
    /// r_n ≥ 0, nothing tangential.
    Frictionless,
    /// |r_1| + |r_2| ≤ μ r_n: the four-sided pyramid of (8)–(10), (21). Weaker than the round cone by √2 between its axes.
    Pyramid {
        /// Coefficient of friction.
        mu: f64,
    },
    /// ‖(r_1, r_2)‖ ≤ μ r_n.
    Round {
        /// Coefficient of friction.
        mu: f64,
    },
}

impl Cone {
    /// The coefficient of friction.
    #[must_use]
    pub fn mu(&self) -> f64 {
        match *self {
            Self::Frictionless => 0.0,
            Self::Pyramid { mu } | Self::Round { mu } => mu,
        }
    }

    /// σ, the norm of the sliding velocity that multiplies μ r_n in the dissipated power.
    #[must_use]
    pub fn slip(&self, u: [f64; 3]) -> f64 {
        match self {
            Self::Frictionless => 0.0,
            Self::Pyramid { .. } => u[1].abs().max(u[2].abs()),
            Self::Round { .. } => (u[1] * u[1] + u[2] * u[2]).sqrt(),
        }
    }

    /// The nearest force in the cone.
    #[must_use]
    pub fn project(&self, r: [f64; 3]) -> [f64; 3] {
        let [n, x, y] = r;
        match *self {
            Self::Frictionless => [n.max(0.0), 0.0, 0.0],
            Self::Round { mu } => {
                let f = (x * x + y * y).sqrt();
                // Lagrange: f − λ = μ (n + μ λ).
                let lambda = ((f - mu * n) / (1.0 + mu * mu)).max(0.0);
                if n >= 0.0 && f <= mu * n {
                    r
                } else if lambda >= f {
                    let n = below_rounding(mu, n, f);
                    if n > 0.0 && mu > 0.0 { [n, mu * n * x / f, mu * n * y / f] } else { [n, 0.0, 0.0] }
                } else {
                    let scale = (f - lambda) / f;
                    [n + mu * lambda, x * scale, y * scale]
                }
            }
            Self::Pyramid { mu } => {
                let (a, b) = (x.abs(), y.abs());
                if n >= 0.0 && a + b <= mu * n {
                    return r;
                }
                let both = (a + b - mu * n) / (2.0 + mu * mu);
                let lambda = if both <= a.min(b) { both } else { (a.max(b) - mu * n) / (1.0 + mu * mu) };
                if lambda >= a.max(b) {
                    let n = below_rounding(mu, n, a.max(b));
                    if !(n > 0.0 && mu > 0.0) {
                        return [n, 0.0, 0.0];
                    }
                    // Half of it each where both are as long.
                    let (p, q) = if a == b { (0.5, 0.5) } else { (f64::from(a > b), f64::from(b > a)) };
                    return [n, x.signum() * (mu * n * p), y.signum() * (mu * n * q)];
                }
                [n + mu * lambda, x.signum() * (a - lambda).max(0.0), y.signum() * (b - lambda).max(0.0)]
            }
        }
    }

    /// The force with its tangential part shortened to what the normal part bears, where it is too long by more than rounding of
    /// the sum of three numbers: with μ = 5·10⁵, or beside forces 10²⁰ times as large, a projection is off by more.
    pub(crate) fn shortened(&self, [n, x, y]: [f64; 3]) -> [f64; 3] {
        let n = n.max(0.0);
        let (bears, has) = match *self {
            Self::Frictionless => (0.0, x.abs() + y.abs()),
            Self::Round { mu } => (mu * n, libm::hypot(x, y)),
            Self::Pyramid { mu } => (mu * n, x.abs() + y.abs()),
        };
        if has > bears * (1.0 + 1e-12) { [n, x * (bears / has), y * (bears / has)] } else { [n, x, y] }
    }

    /// The nearest tangential force of at most `radius` in the cone's norm.
    #[must_use]
    pub fn project_tangent(&self, [x, y]: [f64; 2], radius: f64) -> [f64; 2] {
        match self {
            Self::Frictionless => [0.0; 2],
            Self::Round { .. } => {
                let f = (x * x + y * y).sqrt();
                if f <= radius { [x, y] } else { [x * radius / f, y * radius / f] }
            }
            Self::Pyramid { .. } => {
                let (a, b) = (x.abs(), y.abs());
                if a + b <= radius {
                    return [x, y];
                }
                let over = 0.5 * (a + b - radius);
                let (p, q) = if over > b {
                    (radius, 0.0)
                } else if over > a {
                    (0.0, radius)
                } else {
                    (a - over, b - over)
                };
                [x.signum() * p, y.signum() * q]
            }
        }
    }

    /// How far force `r` and velocity `u` are from the law: the natural map of the cone with De Saxcé's velocity
    /// (u_n + μσ, u_t), in units of velocity; `w` is the contact's own compliance. 0 exactly where the law holds, NaN where a number is not finite.
    #[must_use]
    pub fn violation(&self, r: [f64; 3], u: [f64; 3], w: f64) -> f64 {
        let v = [u[0] + self.mu() * self.slip(u), u[1], u[2]];
        // Comparisons and maxima below would take a NaN for something that obeys.
        if !(r.iter().chain(&v).all(|x| x.is_finite()) && w.is_finite()) {
            return f64::NAN;
        }
        if !(w > 0.0) {
            // Nothing moves here: no force helps, none is needed.
            return (-u[0]).max(0.0);
        }
        let p = self.project([r[0] - v[0] / w, r[1] - v[1] / w, r[2] - v[2] / w]);
        let d = [r[0] - p[0], r[1] - p[1], r[2] - p[2]];
        w * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    }
}

/// The normal part of the projection of [n, f] where f − λ, the tangential one, is nothing but rounding: μ n may be less than an
/// ulp of f. That does not put it into the polar cone, whose answer is the tip: n + μ f ≤ 0 does.
fn below_rounding(mu: f64, n: f64, f: f64) -> f64 {
    if !(mu > 0.0) {
        return n.max(0.0);
    }
    let along = n + mu * f;
    if along > 0.0 && along < f64::INFINITY { along / (1.0 + mu * mu) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_shortened() {
        let round = Cone::Round { mu: 539762.9748302812 };
        let r = [6.098637220230962e-20, 2.4779221342572382e-14, 2.477922129427369e-14];
        let p = round.shortened(r);
        assert!(p[0] == r[0] && (p[1].hypot(p[2]) / (539762.9748302812 * p[0]) - 1.0).abs() < 1e-15, "{p:?}");
        assert_eq!(Cone::Pyramid { mu: 0.1 }.shortened([10.0, -3.0, 1.0]), [10.0, -0.75, 0.25]);
        assert_eq!(Cone::Pyramid { mu: 0.1 }.shortened([10.0, -0.75, 0.25]), [10.0, -0.75, 0.25]);
        assert_eq!(Cone::Frictionless.shortened([1.0, 2.0, 0.0]), [1.0, 0.0, 0.0]);
        assert_eq!(Cone::Round { mu: 1.0 }.shortened([-1e-30, 1.0, 0.0]), [0.0; 3]);
    }

    #[test]
    fn friction_below_rounding_is_friction_all_the_same() {
        for mu in [1e-12, 1e-14, 1e-15, 1e-17, 1e-30, 1e-300] {
            for [n, x, y] in [[0.4, -20.0, 0.0], [0.4, -3.0, 4.0], [0.4, 3.0, 3.0], [1e-9, 1.0, 7.0]] {
                for cone in [Cone::Round { mu }, Cone::Pyramid { mu }] {
                    let p = cone.project([n, x, y]);
                    // An ulp of the tangential part may be left where f − λ is taken.
                    let ulp = 2e-16 * (x.abs() + y.abs());
                    assert!((p[0] - n).abs() <= 2.0 * mu * (x.abs() + y.abs()) + 1e-16, "{cone:?} {p:?}");
                    let size = match cone {
                        Cone::Round { .. } => p[1].hypot(p[2]),
                        _ => p[1].abs() + p[2].abs(),
                    };
                    assert!((size - mu * p[0]).abs() <= ulp, "{cone:?} [{n}, {x}, {y}] {p:?}");
                    assert!(p[1] * x >= 0.0 && p[2] * y >= 0.0, "{cone:?} {p:?}");
                    // In the polar cone all the same.
                    assert_eq!(cone.project([-2.0 * mu * 20.0, x, y]), [0.0; 3], "{cone:?}");
                    assert_eq!(cone.project([-n, 0.0, 0.0]), [0.0; 3], "{cone:?}");
                }
            }
        }
    }

    #[test]
    fn projections_are_the_nearest_points() {
        let mut s = 9u64;
        let mut unit = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for mu in [0.0, 0.3, 1.5] {
            for cone in [Cone::Frictionless, Cone::Round { mu }, Cone::Pyramid { mu }] {
                for _ in 0..60 {
                    let r = [unit(), unit(), unit()];
                    let p = cone.project(r);
                    let again = cone.project(p);
                    assert!(
                        (0..3).all(|k| (p[k] - again[k]).abs() < 1e-15),
                        "{cone:?} {r:?} {p:?} {again:?}"
                    );
                    // (r − p) · (q − p) ≤ 0 for every q of the cone.
                    for _ in 0..60 {
                        let q = cone.project([2.0 * unit(), 2.0 * unit(), 2.0 * unit()]);
                        let d: f64 = (0..3).map(|k| (r[k] - p[k]) * (q[k] - p[k])).sum();
                        assert!(d < 1e-14, "{cone:?}: {r:?} to {p:?}, but {q:?} is nearer");
                    }
                    let t = cone.project_tangent([r[1], r[2]], 0.4);
                    if let Cone::Pyramid { .. } = cone {
                        assert!(t[0].abs() + t[1].abs() < 0.4 + 1e-15);
                    }
                }
            }
        }
    }

    #[test]
    fn the_law_holds_where_it_should() {
        let round = Cone::Round { mu: 0.5 };
        // Slides along −x with full friction; the force is not normal to the cone, De Saxcé's velocity is.
        assert!(round.violation([2.0, 1.0, 0.0], [0.0, -0.3, 0.0], 0.7) < 1e-15);
        assert!(round.violation([2.0, 0.3, 0.2], [0.0; 3], 0.7) < 1e-15, "sticks");
        assert!(round.violation([0.0; 3], [0.1, 3.0, 1.0], 0.7) < 1e-15, "separates");
        assert!(round.violation([2.0, -1.0, 0.0], [0.0, -0.3, 0.0], 0.7) > 0.1, "friction drives");
        assert!(round.violation([0.0; 3], [-0.1, 0.0, 0.0], 0.7) > 0.09, "penetrates");
        let pyramid = Cone::Pyramid { mu: 0.5 };
        assert!(
            pyramid.violation([2.0, 0.4, 0.6], [0.0, -0.3, -0.3], 0.7) < 1e-15,
            "a whole side of the diamond"
        );
        assert!(pyramid.violation([2.0, 1.0, 0.0], [0.0, -0.3, -0.2], 0.7) < 1e-15, "a corner");
        assert!(pyramid.violation([2.0, 0.6, 0.4], [0.0, -0.3, -0.2], 0.7) > 0.01);
    }
}
