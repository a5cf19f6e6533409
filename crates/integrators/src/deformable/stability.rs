//! How long an explicit step may be, at the positions given.

mod fastest;

use super::operator::{ElasticOperator, matrix};
use super::system::ElasticSystem;
use fastest::Pencil;
use impinge_contact::BodyDofsView;
use impinge_contact::sums::ordered_sum;
use impinge_elasticity::Projection;
use impinge_geometry::{DMat3, DVec3, Pose, diagonal, scale};

/// Iterations of the plain case; the estimate is from below and gains a digit in about ten.
const ROUNDS: usize = 60;
/// The longest stable step (s) of symplectic Euler, within a few percent; infinite for a system without stiffness and damping. It
/// knows of elasticity, all damping inside, drag of nodes, ties with their dampers, the rigid bodies tied (which give way); not of the drag of these, which
/// allows more, of springs to anchors, nor of contact. `x` are the positions of the nodes (m), `poses` where the bodies are at the end of the step.
#[must_use]
pub fn stable_step(system: &ElasticSystem, x: &[DVec3], bodies: BodyDofsView<'_>, poses: &[Pose]) -> f64 {
    if system.nodes() == 0 {
        return f64::INFINITY;
    }
    let mut op = ElasticOperator::default();
    op.place(system, bodies, poses, 1.0);
    op.assemble_stiffness(system, x, Projection::Spd, true);
    if is_plain(system) {
        return plain(system, &mut op);
    }
    let mut pencil = Pencil::new(system, &mut op);
    let masses = masses(system, pencil.op());
    1.0 / pencil.fastest(&masses)
}

/// Mass (kg) or inertia (kg m²) of each block.
fn masses(system: &ElasticSystem, op: &ElasticOperator) -> Vec<DMat3> {
    let nodes = system.mass.iter().map(|m| scale(&DMat3::identity(), *m));
    let rigid = op.rigid.iter().flat_map(|(m, inertia)| [diagonal(*m), *inertia]);
    nodes.chain(rigid).collect()
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
