//! How long an explicit step may be, at the positions given.
//!
//! With drag, which acts before the forces are known (`v ← (M + h C)⁻¹ M v`), a step of symplectic Euler is
//!
//! ```text
//! M (v₁ − v₀) = −h (K x₀ + D v₀) − (M − M (M + h C)⁻¹ M) v₀          x₁ = x₀ + h v₁
//! ```
//! Its modes are `[(z − 1)² M + (z − 1)(h D + M − M (M + h C)⁻¹ M) + z h² K] u = 0`. All of these are symmetric and positive semidefinite,
//! so |z| ≤ 1 for every mode just as long as z = −1 is none and has not been passed: as long as
//! `4 M' − 2 h D − h² K` is positive definite, `M' = ½ (M + M (M + h C)⁻¹ M)`. Of one frequency ω with damping d and drag c that is
//! `ω² h² + 2 d h ≤ 2 + 2/(1 + c h/m)`.

mod fastest;

use super::operator::{ElasticOperator, matrix};
use super::system::ElasticSystem;
use fastest::Pencil;
use impinge_contact::BodyDofsView;
use impinge_contact::sums::ordered_sum;
use impinge_elasticity::Projection;
use impinge_geometry::{DMat3, DVec3, Pose, add, diagonal, inverse, scale};

/// Iterations of the plain case; the estimate is from below and gains a digit in about ten.
const ROUNDS: usize = 60;
/// How close the step is to the one that its own drag allows.
const CLOSE: f64 = 1e-4;

/// Drag that acts in a step before the elastic forces are known, `F = −c v` ([`ExternalForces`](crate::ExternalForces)). What is not listed has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag<'a> {
    /// Of each node of a deformable, by deformable in the order of the system (N·s/m).
    pub deformable: &'a [f64],
    /// Linear drag of rigid bodies that nodes are tied to, by body slot (N·s/m).
    pub linear: &'a [f64],
    /// Their angular drag, by body slot (N·m·s).
    pub angular: &'a [f64],
}

/// The longest stable step (s) of symplectic Euler without drag, within a few percent; infinite for a system without stiffness. As
/// [`stable_step_with_drag`] otherwise.
#[must_use]
pub fn stable_step(system: &ElasticSystem, x: &[DVec3], bodies: BodyDofsView<'_>, poses: &[Pose]) -> f64 {
    stable_step_with_drag(system, x, bodies, poses, Drag::default())
}

/// The longest stable step (s) of symplectic Euler, within a few percent; infinite for a system without stiffness and damping. It
/// knows of elasticity, all damping inside, ties with their dampers, the rigid bodies tied (which give way), and this drag; not of
/// springs to anchors, nor of contact. `x` are the positions of the nodes (m), `poses` where the bodies are at the end of the step.
#[must_use]
pub fn stable_step_with_drag(
    system: &ElasticSystem,
    x: &[DVec3],
    bodies: BodyDofsView<'_>,
    poses: &[Pose],
    drag: Drag<'_>,
) -> f64 {
    if system.nodes() == 0 {
        return f64::INFINITY;
    }
    let mut op = ElasticOperator::default();
    op.place(system, bodies, poses, 1.0);
    op.assemble_stiffness(system, x, Projection::Spd, true);
    let coefficients = drag.of_blocks(system);
    let dragged = coefficients.iter().any(|c| *c > 0.0);
    if !dragged && is_plain(system) {
        return plain(system, &mut op);
    }
    let mut pencil = Pencil::new(system, &mut op);
    let masses = masses(system, pencil.op());
    let mut step = |h: f64| 1.0 / pencil.fastest(&effective(&masses, &coefficients, h));
    let mut h = step(0.0);
    if !(dragged && h.is_finite()) {
        return h;
    }
    // A longer step leaves less of a mass, M', and so allows less: what a step that is too long allows is too short, and the other way
    // round. About a sixth of the error is left each time, or less.
    for _ in 0..20 {
        let next = step(h);
        if (next - h).abs() <= CLOSE * next {
            return h.min(next);
        }
        h = next;
    }
    h
}

impl Drag<'_> {
    /// c of each block of the system.
    fn of_blocks(&self, system: &ElasticSystem) -> Vec<f64> {
        let of = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        let mut c = vec![0.0; system.layout.blocks()];
        for b in 0..system.bodies() {
            c[system.range(b)].fill(of(self.deformable, b));
        }
        for (r, &slot) in system.rigid.iter().enumerate() {
            c[system.layout.linear(r) as usize] = of(self.linear, slot as usize);
            c[system.layout.angular(r) as usize] = of(self.angular, slot as usize);
        }
        c
    }
}

/// Mass (kg) or inertia (kg m²) of each block.
fn masses(system: &ElasticSystem, op: &ElasticOperator) -> Vec<DMat3> {
    let nodes = system.mass.iter().map(|m| scale(&DMat3::identity(), *m));
    let rigid = op.rigid.iter().flat_map(|(m, inertia)| [diagonal(*m), *inertia]);
    nodes.chain(rigid).collect()
}

/// M' of each block: between M and half of it.
fn effective(masses: &[DMat3], drag: &[f64], h: f64) -> Vec<DMat3> {
    let of = |(m, c): (&DMat3, &f64)| {
        if h * c == 0.0 {
            return *m;
        }
        let slowed = inverse(&add(m, &scale(&DMat3::identity(), h * c)));
        slowed.map_or(*m, |s| scale(&add(m, &(*m * s * *m)), 0.5))
    };
    masses.iter().zip(drag).map(of).collect()
}

/// D is `α M + β K` with one α and one β: its modes are those of K, and the highest frequency says all.
fn is_plain(system: &ElasticSystem) -> bool {
    let ties = system.ties.iter().any(|t| t.damping > 0.0) || !system.rigid.is_empty();
    let alpha = |i: usize| system.mass_damping[i] / system.mass[i];
    let (a, b) = (alpha(0), system.stiffness_damping[0]);
    let same =
        (0..system.nodes()).all(|i| system.stiffness_damping[i] == b && (alpha(i) - a).abs() <= 1e-12 * a);
    // β is of the material's stiffness, not of that of ties.
    let proportional = same && (b == 0.0 || system.ties.is_empty());
    !ties && proportional && !system.parts.iter().any(|p| p.has_dashpots())
}

/// Power iteration on M⁻¹ K: `ω² h² + 2 d h ≤ 4` with `d = α + β ω²`, ω the highest circular frequency, so
/// `h = (√(d² + 4 ω²) − d)/ω²`.
fn plain(system: &ElasticSystem, op: &mut ElasticOperator) -> f64 {
    let nodes = system.nodes();
    let blocks = system.layout.blocks();
    let beta = system.stiffness_damping.iter().fold(0.0, |a: f64, b| a.max(*b));
    let alpha = (0..nodes).map(|i| system.mass_damping[i] / system.mass[i]).fold(0.0, f64::max);
    // A start with a bit of everything and a period of nothing.
    let mut v: Vec<DVec3> = (0..blocks)
        .map(|i| {
            let k = i as f64;
            DVec3::new(libm::sin(1.7 * k + 0.3), libm::sin(2.3 * k + 1.1), libm::sin(3.1 * k + 2.0))
        })
        .collect();
    let mut kv = vec![DVec3::zero(); blocks];
    let mut omega_squared: f64 = 0.0;
    for _ in 0..ROUNDS {
        system.filter.project(&mut v);
        for v in &mut v[nodes..] {
            *v = DVec3::zero();
        }
        matrix(system, &op.stiffness).apply(&v, &mut kv, &mut op.apply);
        system.filter.project(&mut kv);
        let top = ordered_sum(nodes, |i| v[i].dot(kv[i]));
        let bottom = ordered_sum(nodes, |i| v[i].mag_sq() * system.mass[i]);
        if !(top > 0.0 && bottom > 0.0) {
            break;
        }
        omega_squared = omega_squared.max(top / bottom);
        let size = ordered_sum(nodes, |i| (kv[i] / system.mass[i]).mag_sq()).sqrt();
        for i in 0..nodes {
            v[i] = kv[i] / (system.mass[i] * size);
        }
    }
    if omega_squared == 0.0 {
        return f64::INFINITY;
    }
    let d = alpha + beta * omega_squared;
    ((d * d + 4.0 * omega_squared).sqrt() - d) / omega_squared
}
