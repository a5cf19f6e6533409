//! Tractions on the contact surface: damped pressure (17) and Coulomb friction (6), summed to a wrench on A.
//!
//! Errata: P5, the printed sign of the damping lowers the pressure on approach; here approach raises it, or leaves it alone past the
//! middle of a field, but for [`Dissipation::ExtentOfA`] and [`Dissipation::ExtentOfB`], which are (17) there too; and the
//! pressure never turns into suction. P6, friction is the traction on A.

use crate::quadrature::{Quadrature, for_each_point};
use crate::surface::{ContactSurface, Face, Wrench};
use impinge_geometry::DVec3;

/// Velocity of A relative to B, as a twist about a world point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Velocity of A's point minus that of B's point at `point` (m/s, world axes).
    pub velocity: DVec3,
    /// Angular velocity of A minus that of B (rad/s, world axes).
    pub spin: DVec3,
    /// Where `velocity` is taken (m, world).
    pub point: DVec3,
}

impl Motion {
    /// In the surface's frame: velocity at its origin, and spin.
    fn local(&self, s: &ContactSurface) -> (DVec3, DVec3) {
        let back = s.rotation.transposed();
        (back * (self.velocity + self.spin.cross(s.origin - self.point)), back * self.spin)
    }
}

/// How the pressure depends on the rate of approach v = −ṙ·n.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Dissipation {
    /// No damping.
    #[default]
    None,
    /// p = p₀ max(0, 1 + χ v), χ in s/m (Hunt and Crossley); what Drake calls its dissipation.
    HuntCrossley(f64),
    /// (17) as written, from A's side: p = p₀ max(0, 1 − χ ∇ε_A·ṙ_n), χ in s. Where A's pressure falls on approach, past its middle,
    /// the damping lowers it and feeds the motion; [`Dissipation::Combined`] does not.
    ExtentOfA(f64),
    /// (17) from B's side: p = p₀ max(0, 1 + χ ∇ε_B·ṙ_n), χ in s. As [`Dissipation::ExtentOfA`] past B's middle.
    ExtentOfB(f64),
    /// Both materials (s): p = p₀ max(0, 1 + χ_A ε̇_A + χ_B ε̇_B), where the approach is shared between the bodies so that
    /// both pressures rise at the same rate: E ε̇ = g v, 1/g = 1/(∇p_A·n) + 1/(−∇p_B·n). With B rigid this is (17). Where a
    /// pressure falls on approach, as past the middle of a body, g is 0.
    Combined {
        /// Of A's material.
        a: f64,
        /// Of B's material.
        b: f64,
    },
}

impl Dissipation {
    /// What the factor on the pressure of a face gains for every m/s of ṙ·n; see [`factor`].
    pub(crate) fn gain(&self, s: &ContactSurface, f: &Face) -> f64 {
        let per = |g: DVec3, e: f64| if e > 0.0 { g.dot(f.normal) / e } else { 0.0 };
        match *self {
            Self::None => 0.0,
            Self::HuntCrossley(chi) => -chi,
            Self::ExtentOfA(chi) => -chi * per(f.gradient_a, s.modulus_a),
            Self::ExtentOfB(chi) => chi * per(f.gradient_b, s.modulus_b),
            Self::Combined { a, b } => {
                let (ga, gb) = (f.gradient_a.dot(f.normal), -f.gradient_b.dot(f.normal));
                // Past the middle of a field the pressure falls on the way in, and nothing damps there: the factor would feed motion.
                let g = if s.rigid_a {
                    gb.max(0.0)
                } else if s.rigid_b {
                    ga.max(0.0)
                } else if ga > 0.0 && gb > 0.0 {
                    ga * gb / (ga + gb)
                } else {
                    0.0
                };
                let share = |chi: f64, e: f64| if e > 0.0 { chi / e } else { 0.0 };
                -(share(a, s.modulus_a) + share(b, s.modulus_b)) * g
            }
        }
    }
}

/// The factor on the pressure at a point with ṙ·n = `rate` (positive when the bodies part): linear until it is cut off.
#[inline]
pub(crate) fn factor(gain: f64, rate: f64) -> f64 {
    let raised = gain * rate;
    if raised > -1.0 { 1.0 + raised } else { 0.0 }
}

/// Coulomb friction of one velocity, made smooth at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coulomb {
    /// Coefficient at rest.
    pub mu_s: f64,
    /// Coefficient when sliding.
    pub mu_k: f64,
    /// Speed over which the coefficient falls from `mu_s` to `mu_k` (Stribeck): μ = μ_k + (μ_s − μ_k) exp(−(v/v_s)²), m/s.
    pub stribeck: f64,
    /// Speed of the regularisation (m/s): traction μ p v/√(|v|² + v_r²). 0 is (6) to the letter. A body at rest creeps.
    pub regularisation: f64,
}

impl Coulomb {
    /// One coefficient, unregularised: (6).
    #[must_use]
    pub fn constant(mu: f64) -> Self {
        Self { mu_s: mu, mu_k: mu, stribeck: 0.0, regularisation: 0.0 }
    }

    /// μ at a squared slip speed.
    pub(crate) fn coefficient(&self, v2: f64) -> f64 {
        if self.mu_s != self.mu_k && self.stribeck > 0.0 {
            self.mu_k + (self.mu_s - self.mu_k) * libm::exp(-v2 / (self.stribeck * self.stribeck))
        } else {
            self.mu_k
        }
    }

    /// Traction over pressure for a slip velocity.
    pub(crate) fn traction(&self, slip: DVec3) -> DVec3 {
        let v2 = slip.mag_sq();
        let size = (v2 + self.regularisation * self.regularisation).sqrt();
        if !(size > 0.0) {
            return DVec3::zero();
        }
        let mu = self.coefficient(v2);
        slip * (-mu / size)
    }
}

/// The law on the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TractionLaw {
    /// Damping of the pressure.
    pub dissipation: Dissipation,
    /// Friction.
    pub friction: Coulomb,
    /// Points on the polygons.
    pub quadrature: Quadrature,
}

/// What a face carries, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaceTraction {
    /// Mean damped pressure (Pa).
    pub pressure: f64,
    /// Slip velocity of A over B at the centroid (m/s).
    pub slip: DVec3,
    /// Mean traction on A (Pa).
    pub traction: DVec3,
}

/// Sums over the surface, on A, about `wrench.point` of the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tractions {
    /// Of the damped pressure.
    pub normal: Wrench,
    /// Of friction.
    pub friction: Wrench,
    /// Power the damped pressure and the friction take out of the motion beyond the elastic part (W).
    pub dissipated: f64,
}

impl Tractions {
    /// Normal and friction together.
    #[must_use]
    pub fn total(&self) -> Wrench {
        Wrench {
            force: self.normal.force + self.friction.force,
            torque: self.normal.torque + self.friction.torque,
            point: self.normal.point,
        }
    }
}

/// Integrates the tractions of a moving pair; fills `faces` (cleared first) when given.
pub fn tractions(
    surface: &ContactSurface,
    motion: &Motion,
    law: &TractionLaw,
    faces: Option<&mut Vec<FaceTraction>>,
) -> Tractions {
    let gain = |f: &Face| law.dissipation.gain(surface, f);
    let damped = |gain: &f64, at: &Pressing<'_>| at.pressure * factor(*gain, at.rate);
    integrate(surface, motion, (&law.friction, law.quadrature), gain, damped, faces)
}

/// A point of the contact surface, for laws of dissipation.
#[derive(Clone, Copy, Debug)]
pub struct Pressing<'a> {
    /// Its face.
    pub face: &'a Face,
    /// Where it is (m, surface frame).
    pub place: DVec3,
    /// The pressure of the fields p₀ (Pa).
    pub pressure: f64,
    /// ṙ·n (m/s): positive where the bodies part.
    pub rate: f64,
    /// ṙ, the velocity of A relative to B (m/s, surface frame).
    pub velocity: DVec3,
}

/// The same with a dissipation of one's own (§V, (2)): `damped` gives the pressure (Pa) at a point. [`TractionLaw::dissipation`] is not looked at.
/// What presses less than nothing pulls, and has no friction.
///
/// ```
/// use impinge_pressure::{ContactSurface, Motion, Pressing, TractionLaw, tractions_by};
/// // A floor on the pressure of what parts: it never falls below half.
/// let law = |at: &Pressing<'_>| at.pressure * (1.0 - 0.3 * at.rate).max(0.5);
/// let t = tractions_by(&ContactSurface::new(), &Motion::default(), &TractionLaw::default(), law, None);
/// assert_eq!(t.dissipated, 0.0);
/// ```
pub fn tractions_by(
    surface: &ContactSurface,
    motion: &Motion,
    law: &TractionLaw,
    mut damped: impl FnMut(&Pressing<'_>) -> f64,
    faces: Option<&mut Vec<FaceTraction>>,
) -> Tractions {
    integrate(surface, motion, (&law.friction, law.quadrature), |_| (), |(), at| damped(at), faces)
}

/// `of_face` is what `damped` wants to know of a face.
fn integrate<T>(
    surface: &ContactSurface,
    motion: &Motion,
    (coulomb, quadrature): (&Coulomb, Quadrature),
    of_face: impl Fn(&Face) -> T,
    mut damped: impl FnMut(&T, &Pressing<'_>) -> f64,
    mut faces: Option<&mut Vec<FaceTraction>>,
) -> Tractions {
    let (velocity, spin) = motion.local(surface);
    let mut sums = [DVec3::zero(); 4];
    let mut dissipated = 0.0;
    if let Some(out) = faces.as_deref_mut() {
        out.clear();
    }
    for f in &surface.faces {
        let n = f.normal;
        let known = of_face(f);
        let (mut pressure, mut traction) = (0.0, DVec3::zero());
        for_each_point(surface, f, quadrature, |x, p0, area| {
            let v = velocity + spin.cross(x);
            let rate = v.dot(n);
            let p = damped(&known, &Pressing { face: f, place: x, pressure: p0, rate, velocity: v });
            // Friction needs pressing; suction of a margin does not hold.
            let t = coulomb.traction(v - n * rate) * p.max(0.0);
            let (push, drag) = (n * (p * area), t * area);
            sums[0] += push;
            sums[1] += x.cross(push);
            sums[2] += drag;
            sums[3] += x.cross(drag);
            dissipated -= drag.dot(v) + (p - p0) * area * rate;
            pressure += p * area;
            traction += push + drag;
        });
        if let Some(out) = faces.as_deref_mut() {
            let v = velocity + spin.cross(f.centroid);
            out.push(FaceTraction {
                pressure: pressure / f.area,
                slip: surface.rotation * (v - n * v.dot(n)),
                traction: surface.rotation * (traction / f.area),
            });
        }
    }
    let world = |f: DVec3, t: DVec3| Wrench {
        force: surface.rotation * f,
        torque: surface.rotation * t,
        point: surface.origin,
    };
    Tractions { normal: world(sums[0], sums[1]), friction: world(sums[2], sums[3]), dissipated }
}
