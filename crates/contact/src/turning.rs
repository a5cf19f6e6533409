//! Rolling and spinning friction: a couple between two bodies that resists turning against each other.
//!
//! The couple on the first body is T − c ω, with ω its spin against the second and T the moment of a spring that turns with the pair (the rolling spring
//! of discrete elements: Iwashita and Oda 1998; Ai, Chen, Rotter and Ooi 2011, type C). The part of it about the contact normal is spinning friction,
//! the rest is rolling friction. Each is bounded by its length times the normal force; there the spring slips. So what turns is braked as by dry
//! friction, and what rests is held and does not creep.
//!
//! The normal force is that of the step before: the couple is known before contact is solved, so it is one for all responses.

use crate::{BodyDofsView, BodyKind, SurfaceVelocities, bristle};
use impinge_geometry::{DMat3, DVec3, tangents};

/// Rolling and spinning friction of a pair of rigid bodies.
///
/// Both coefficients are lengths: the couple is at most the length times the normal force. A ball of radius R rolls out with (5/7) c g/R and rests on
/// slopes up to tan α = c/R. Bodies made of nodes (deformables, cloth, cables, particles) have no spin, and none of this.
///
/// ```
/// use impinge_contact::{FrictionLaw, PairLaw, TurningFriction};
/// // A rubber wheel on concrete.
/// let turning = TurningFriction { rolling: 2e-3, spinning: 5e-3 };
/// let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.8)), turning: Some(turning), ..PairLaw::elastic(1e5) };
/// assert!(law.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("rolling resistance", "torsional friction", "pivoting friction"))]
pub struct TurningFriction {
    /// Couple across the normal per normal force (m).
    pub rolling: f64,
    /// Couple about the normal per normal force (m).
    pub spinning: f64,
}

/// What the spring of a pair keeps from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TurningSpring {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// Its moment on `a` (N·m, world axes).
    pub moment: DVec3,
    /// Unit normal of the contact, towards `a`.
    pub normal: DVec3,
    /// What the pair was pressed with in the last step (N).
    pub force: f64,
}

/// The couple of a pair in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Couple {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// Angular impulse on `a` (N·m·s); `b` gets the opposite.
    pub moment: DVec3,
    /// The moment that the spring is left with when the step begins (N·m).
    held: DVec3,
    /// Unit normal of the contact when the step begins, towards `a`.
    pub normal: DVec3,
    /// Of rolling and of spinning (N·m/rad).
    stiffness: [f64; 2],
}

/// k Δt² over the inertia of all springs of a body together. Explicit steps bear 4, less what contact takes.
const STIFF: f64 = 1.0 / 16.0;
/// Damping time in steps: 2/√[`STIFF`], which is critical where the body turns about its centre.
const DAMPED: f64 = 8.0;

/// Of all that a couple turns a body by, what is rounding.
const ROUNDED: f64 = 1e-12;

/// The part of a vector along a unit normal, and the rest.
fn split(v: DVec3, normal: DVec3) -> [DVec3; 2] {
    let along = normal * normal.dot(v);
    [v - along, along]
}

/// What a unit couple turns a body by (1/(kg m²)): across the normal at most, and about it.
fn turns(inverse: &DMat3, normal: DVec3) -> [f64; 2] {
    let of = |a: DVec3, b: DVec3| a.dot(*inverse * b);
    let [t, s] = tangents(normal);
    let (first, second, between) = (of(t, t), of(s, s), of(t, s));
    let half = 0.5 * (first - second);
    let about = of(normal, normal);
    let turns = [0.5 * (first + second) + (half * half + between * between).sqrt(), about];
    // About an axis that is locked but for rounding nothing turns.
    turns.map(|t| if t > ROUNDED * (first + second + about) { t } else { 0.0 })
}

/// Couple and spring of one part: what the spring and its damper give up to a bound, and what the spring then carries.
fn bounded(stiffness: f64, bound: f64, spring: DVec3, spin: DVec3, dt: f64) -> [DVec3; 2] {
    if stiffness == 0.0 {
        return [DVec3::zero(); 2];
    }
    let b = bristle([stiffness, DAMPED * dt], [bound; 2], spring / -stiffness, spin);
    [b.traction, if b.slides { b.carried } else { spring }]
}

/// The couples of a step of `dt` (s) from what springs kept, each with its law.
///
/// Stiffness follows from the inertia and the step. With U and V what a couple turns the two bodies by, each times the number of springs at the body,
/// k = I/(16 Δt²) for 1/I = U + V. By (x + y)² ≤ (U + V)(x²/U + y²/V) no motion of any number of bodies is then pulled by more than 1/16 per Δt².
pub fn couples(
    springs: &[(TurningSpring, TurningFriction)],
    bodies: BodyDofsView<'_>,
    surface_velocities: &SurfaceVelocities,
    dt: f64,
    out: &mut Vec<Couple>,
) {
    out.clear();
    let mut pulls = vec![0.0f64; bodies.len()];
    let mut given = Vec::with_capacity(springs.len());
    for (spring, law) in springs {
        let lengths = [law.rolling, law.spinning];
        let of = [spring.a, spring.b].map(|b| {
            let b = b as usize;
            if bodies.kind[b] != BodyKind::Rigid {
                return [0.0; 2];
            }
            let turns = turns(&bodies.mobility[b].inverse_at(&bodies.pose[b]), spring.normal);
            pulls[b] += (0..2).filter(|&k| lengths[k] > 0.0 && turns[k] > 0.0).count() as f64;
            turns
        });
        given.push((lengths, of));
    }
    for ((spring, _), (lengths, of)) in springs.iter().zip(given) {
        let slots = [spring.a, spring.b];
        let spin = slots.map(|slot| {
            let b = slot as usize;
            bodies.angular_velocity[b] + surface_velocities.spin(slot, &bodies.pose[b])
        });
        let (spins, moments) = (split(spin[0] - spin[1], spring.normal), split(spring.moment, spring.normal));
        let (mut moment, mut held, mut stiffness) = (DVec3::zero(), DVec3::zero(), [0.0; 2]);
        for k in 0..2 {
            let gives = of[0][k] * pulls[spring.a as usize] + of[1][k] * pulls[spring.b as usize];
            if lengths[k] > 0.0 && gives > 0.0 {
                stiffness[k] = STIFF / (dt * dt * gives);
            }
            let [m, left] = bounded(stiffness[k], lengths[k] * spring.force, moments[k], spins[k], dt);
            moment += m * dt;
            held += left;
        }
        let normal = spring.normal;
        out.push(Couple { a: spring.a, b: spring.b, moment, held, normal, stiffness });
    }
}

impl Couple {
    /// The moment of the spring on `a` (N·m) when the step has ended: turned with the pair to `normal`, and wound up by `spins` (rad/s), those of
    /// the surfaces of `a` and `b` at the end.
    #[must_use]
    pub fn wound(&self, normal: DVec3, spins: [DVec3; 2], dt: f64) -> DVec3 {
        let [across, along] = split(self.held, self.normal);
        let turn = (spins[0] + spins[1]).dot(normal) * (0.5 * dt);
        let [level, _] = split(across, normal);
        let level = level + normal.cross(level) * turn;
        let (size, now) = (across.mag(), level.mag());
        let carried = if now > 0.0 { level * (size / now) } else { DVec3::zero() };
        let [rolls, pivots] = split(spins[0] - spins[1], normal);
        let spun = normal * along.dot(self.normal);
        carried + spun - (rolls * self.stiffness[0] + pivots * self.stiffness[1]) * dt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDof, BodyDofs, Mobility};
    use impinge_geometry::{Pose, diagonal};

    fn bodies(inertias: &[DVec3], spins: &[DVec3]) -> BodyDofs {
        let mut out = BodyDofs::default();
        for (&inertia, &angular_velocity) in inertias.iter().zip(spins) {
            let inertia = diagonal(inertia);
            out.push(BodyDof {
                kind: BodyKind::Rigid,
                pose: Pose::identity(),
                velocity: DVec3::zero(),
                angular_velocity,
                angular_momentum: inertia * angular_velocity,
                mass: 1.0,
                inertia,
                mobility: Mobility::new(inertia).unwrap_or_default(),
            });
        }
        out
    }

    fn spring(a: u32, b: u32, moment: DVec3) -> TurningSpring {
        TurningSpring { a, b, moment, normal: DVec3::unit_z(), force: 10.0 }
    }

    const LAW: TurningFriction = TurningFriction { rolling: 1e-2, spinning: 3e-2 };

    #[test]
    fn what_turns_fast_gets_its_bound_against_its_spin() {
        let spin = DVec3::new(30.0, -40.0, 70.0);
        let dofs = bodies(&[DVec3::one(), DVec3::broadcast(3.0)], &[spin, DVec3::zero()]);
        let (mut out, dt) = (Vec::new(), 1e-3);
        couples(
            &[(spring(0, 1, DVec3::zero()), LAW)],
            dofs.view(),
            &SurfaceVelocities::default(),
            dt,
            &mut out,
        );
        let wanted = DVec3::new(-0.06, 0.08, -0.3) * dt;
        assert!((out[0].moment - wanted).mag() < 1e-15, "{:?}", out[0].moment);
        assert_eq!(
            out[0].held,
            DVec3::zero(),
            "a damper that carries the bound leaves nothing to the spring"
        );
    }

    #[test]
    fn what_rests_is_held_by_the_spring_alone() {
        let still = [DVec3::zero(); 2];
        let dofs = bodies(&[DVec3::one(); 2], &still);
        let (mut out, dt) = (Vec::new(), 1e-3);
        let moment = DVec3::new(0.05, 0.02, -0.2);
        couples(&[(spring(0, 1, moment), LAW)], dofs.view(), &SurfaceVelocities::default(), dt, &mut out);
        assert!((out[0].moment - moment * dt).mag() < 1e-18);
        assert_eq!(out[0].wound(DVec3::unit_z(), still, dt), moment);
        // Beyond the bound it slips back to it.
        couples(
            &[(spring(0, 1, moment * 100.0), LAW)],
            dofs.view(),
            &SurfaceVelocities::default(),
            dt,
            &mut out,
        );
        let left = out[0].wound(DVec3::unit_z(), still, dt);
        assert!((DVec3::new(left.x, left.y, 0.0).mag() - 0.1).abs() < 1e-15 && (left.z + 0.3).abs() < 1e-15);
    }

    #[test]
    fn the_spring_turns_with_the_pair() {
        let still = [DVec3::zero(); 2];
        let dofs = bodies(&[DVec3::one(); 2], &still);
        let (mut out, dt) = (Vec::new(), 1e-3);
        let moment = DVec3::new(0.05, 0.0, 0.2);
        couples(&[(spring(0, 1, moment), LAW)], dofs.view(), &SurfaceVelocities::default(), dt, &mut out);
        // Both turn about x by a milliradian: what was along z stays with the normal.
        let (angle, spin) = (1e-3f64, DVec3::unit_x());
        let normal = DVec3::new(0.0, -angle.sin(), angle.cos());
        let left = out[0].wound(normal, [spin; 2], dt);
        assert!((left - DVec3::new(0.05, 0.0, 0.0) - normal * 0.2).mag() < 1e-16, "{left:?}");
        // And about z.
        let left = out[0].wound(DVec3::unit_z(), [DVec3::unit_z(); 2], dt);
        let turned = DVec3::new(0.05 * angle.cos(), 0.05 * angle.sin(), 0.2);
        assert!((left - turned).mag() < 1e-9 * 0.05, "{left:?}");
    }

    /// The largest pull on any motion, by power iteration on bodies of very different inertia in a star and a chain.
    #[test]
    fn no_motion_is_pulled_harder_than_the_step_bears() {
        let n = 12u32;
        let inertia = |i: u32| DVec3::new(1.0, 3.0, 0.2) * 4f64.powi(i as i32 % 5);
        let inertias: Vec<DVec3> = (0..n).map(inertia).collect();
        let dofs = bodies(&inertias, &vec![DVec3::zero(); n as usize]);
        let pairs = (1..n).map(|i| (0, i)).chain((2..n).map(|i| (i - 1, i)));
        let springs: Vec<_> = pairs.map(|(a, b)| (spring(a, b, DVec3::zero()), LAW)).collect();
        let (mut out, dt) = (Vec::new(), 1e-3);
        couples(&springs, dofs.view(), &SurfaceVelocities::default(), dt, &mut out);
        let mut x: Vec<DVec3> =
            (0..n).map(|i| DVec3::new(1.0, 0.3 * f64::from(i), -1.0 + f64::from(i % 3))).collect();
        let mut most = 0.0;
        for _ in 0..400 {
            let mut pull = vec![DVec3::zero(); n as usize];
            for c in &out {
                let (a, b) = (c.a as usize, c.b as usize);
                let [rolls, pivots] = split(x[a] - x[b], c.normal);
                let moment = rolls * c.stiffness[0] + pivots * c.stiffness[1];
                pull[a] += moment;
                pull[b] -= moment;
            }
            let next: Vec<DVec3> = pull.iter().zip(&inertias).map(|(m, i)| *m / *i * (dt * dt)).collect();
            most = next.iter().zip(&inertias).map(|(x, i)| (*x * *i).dot(*x)).sum::<f64>().sqrt();
            x = next.iter().map(|v| *v / most).collect();
        }
        assert!(most <= STIFF * (1.0 + 1e-12) && most > 0.2 * STIFF, "{most}");
    }
}
