//! Bending of a cable at its inner nodes, without frames.
//!
//! Edges `e = x₁ − x₀`, `f = x₂ − x₁` with unit tangents turn by φ; the discrete curvature (times length) of Bergou et
//! al. 2008 is `κb = 2 t_e × t_f/(1 + t_e·t_f)`, `κ = |κb| = 2 tan(φ/2)`.
//! `E = ½ (EI/l̄)(κ − κ̄)²`, l̄ half the rest length of both edges. With `c = t_e·t_f`, `χ = 1 + c` everything is a
//! function of c: `κ² = 4 (1 − c)/χ`, `dE/dc = −(EI/l̄)(1 − κ̄/κ) 4/χ²`.
//!
//! The rest curvature κ̄ is a number, not a direction: a cable that remembers the drum, and may curl to any side. When it
//! is straight (κ = 0) with κ̄ > 0 the side is undecided and the force is zero; give a direction with [`super::Twists`].
//!
//! [`crate::Projection::Spd`] is Gauss–Newton in the vector κb, `Jᵀ M J` with the clamped Hessian M of a spring
//! of rest length κ̄ in curvature space; it equals the exact one for a straight cable. An edge without length has no direction:
//! zeros. Folded back onto itself (χ < 10⁻⁹) the energy is capped, so that it stays finite.

use crate::element::{
    BadElement, Blocks, Elements, Projection, check_nodes, check_positions, not_negative, zero_blocks,
};
use impinge_geometry::{DMat3, DVec3, add, outer, scale, skew, sub};

impinge_contact::table! {
    /// Inner nodes of cables.
    pub struct Bends / BendsView / Bend {
        /// The node before, the node, the node after.
        nodes: [u32; 3],
        /// κ̄ = 2 tan(φ̄/2), without unit.
        rest_curvature: f64,
        /// EI/l̄ (J).
        stiffness: f64,
    }
}

/// χ is not let below this.
pub(super) const FOLDED: f64 = 1e-9;

impl Bends {
    /// A bend at every inner node of `line`, bent at rest as `rest_x` lies; `ei` is the bending stiffness EI
    /// (N·m²).
    ///
    /// # Errors
    /// An index out of range or repeated in a row, an edge without length, a rest shape folded back onto itself, a
    /// negative EI.
    pub fn from_line(line: &[u32], rest_x: &[DVec3], ei: f64) -> Result<Self, BadElement> {
        check_positions(rest_x)?;
        not_negative("bending stiffness EI", ei, "N·m²")?;
        let mut bends = Self::default();
        for (b, w) in line.windows(3).enumerate() {
            let nodes = [w[0], w[1], w[2]];
            check_nodes(b, nodes, rest_x.len())?;
            let turn = Turn::new(&nodes.map(|i| rest_x[i as usize])).ok_or_else(|| {
                BadElement::at(b, format!("an edge at node {} has no length at rest; merge its ends", w[1]))
            })?;
            if turn.folded() {
                return Err(BadElement::at(b, format!("the line folds back onto itself at node {}", w[1])));
            }
            let stiffness = 2.0 * ei / (turn.length[0] + turn.length[1]);
            bends.push(Bend { nodes, rest_curvature: turn.curvature(), stiffness });
        }
        Ok(bends)
    }
}

/// Two edges and the angle between them.
struct Turn {
    length: [f64; 2],
    tangent: [DVec3; 2],
    /// 1 + c, not below [`FOLDED`], and 1 − c.
    chi: f64,
    open: f64,
}

impl Turn {
    fn new(x: &[DVec3; 3]) -> Option<Self> {
        let (e, f) = (x[1] - x[0], x[2] - x[1]);
        let length = [e.mag(), f.mag()];
        if length[0] < f64::MIN_POSITIVE || length[1] < f64::MIN_POSITIVE {
            return None;
        }
        let tangent = [e / length[0], f / length[1]];
        // From the sum and the difference: 1 ± t·t would lose the digits of small angles.
        let (sum, difference) = (tangent[0] + tangent[1], tangent[0] - tangent[1]);
        Some(Self {
            length,
            tangent,
            chi: (0.5 * sum.dot(sum)).max(FOLDED),
            open: 0.5 * difference.dot(difference),
        })
    }

    fn folded(&self) -> bool {
        self.chi <= FOLDED
    }

    fn curvature(&self) -> f64 {
        2.0 * (self.open / self.chi).sqrt()
    }

    /// `κ dκ/dc` and its derivative.
    fn slopes(&self) -> (f64, f64) {
        let chi = self.chi;
        if self.folded() { (-2.0 / chi, 0.0) } else { (-4.0 / (chi * chi), 8.0 / (chi * chi * chi)) }
    }

    /// ∂c/∂e and ∂c/∂f.
    fn cosine_gradient(&self) -> [DVec3; 2] {
        let [t, u] = self.tangent;
        let c = t.dot(u);
        [(u - t * c) / self.length[0], (t - u * c) / self.length[1]]
    }
}

/// κ̄/κ; zero where the direction is undecided.
fn ratio(rest: f64, curvature: f64) -> f64 {
    if rest == 0.0 || curvature < 1e-9 { 0.0 } else { rest / curvature }
}

/// From derivatives by the two edges to the three nodes.
fn to_nodes(ee: DMat3, ef: DMat3, ff: DMat3) -> Blocks<3> {
    let fe = ef.transposed();
    let minus = |m: &DMat3| scale(m, -1.0);
    let x01 = sub(&ef, &ee);
    let x12 = sub(&ef, &ff);
    [
        [ee, x01, minus(&ef)],
        [x01.transposed(), sub(&add(&ee, &ff), &add(&ef, &fe)), x12],
        [minus(&fe), x12.transposed(), ff],
    ]
}

impl Elements<3> for BendsView<'_> {
    fn nodes(&self) -> &[[u32; 3]] {
        self.nodes
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 3]) -> f64 {
        Turn::new(x).map_or(0.0, |turn| {
            let bend = turn.curvature() - self.rest_curvature[e];
            0.5 * self.stiffness[e] * bend * bend
        })
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 3]) -> [DVec3; 3] {
        let Some(turn) = Turn::new(x) else { return [DVec3::zero(); 3] };
        let r = ratio(self.rest_curvature[e], turn.curvature());
        let slope = self.stiffness[e] * (1.0 - r) * turn.slopes().0;
        let [ge, gf] = turn.cosine_gradient().map(|g| g * slope);
        [-ge, ge - gf, gf]
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 3], projection: Projection) -> Blocks<3> {
        let Some(turn) = Turn::new(x) else { return zero_blocks() };
        let (k, rest) = (self.stiffness[e], self.rest_curvature[e]);
        match projection {
            Projection::Exact => exact(&turn, k, rest),
            Projection::Spd => gauss_newton(&turn, k, rest),
        }
    }
}

/// `ψ'' ∇c ∇cᵀ + ψ' ∇²c`.
fn exact(turn: &Turn, k: f64, rest: f64) -> Blocks<3> {
    let kappa = turn.curvature();
    let r = ratio(rest, kappa);
    let (m, m_slope) = turn.slopes();
    let first = k * (1.0 - r) * m;
    let mut second = k * (1.0 - r) * m_slope;
    if r > 0.0 {
        second += k * r * m * m / (kappa * kappa);
    }
    let [t, u] = turn.tangent;
    let [le, lf] = turn.length;
    let c = t.dot(u);
    let [ge, gf] = turn.cosine_gradient();
    let own = |t: DVec3, g: DVec3, l: f64| {
        let mixed = add(&outer(t, g), &outer(g, t));
        let flat = sub(&DMat3::identity(), &outer(t, t));
        add(&scale(&mixed, -1.0 / l), &scale(&flat, -c / (l * l)))
    };
    let ef = scale(&sub(&scale(&sub(&DMat3::identity(), &outer(u, u)), 1.0 / lf), &outer(t, gf)), 1.0 / le);
    let both = |h: &DMat3, a: DVec3, b: DVec3| add(&scale(h, first), &scale(&outer(a, b), second));
    to_nodes(both(&own(t, ge, le), ge, ge), both(&ef, ge, gf), both(&own(u, gf, lf), gf, gf))
}

/// `Jᵀ M J` with J = ∂κb/∂(e, f).
fn gauss_newton(turn: &Turn, k: f64, rest: f64) -> Blocks<3> {
    let [t, u] = turn.tangent;
    let chi = turn.chi;
    let kb = t.cross(u) * (2.0 / chi);
    let kappa = turn.curvature();
    let across = if rest == 0.0 { 1.0 } else { (1.0 - ratio(rest, kappa)).max(0.0) };
    // Straight with a rest curvature: no direction, no stiffness (the exact one is negative).
    let decided = rest == 0.0 || kappa >= 1e-9;
    let n = impinge_geometry::try_normalized(kb).filter(|_| rest != 0.0).unwrap_or(DVec3::zero());
    let metric = if decided {
        add(&scale(&DMat3::identity(), k * across), &outer(n * (k * (1.0 - across)), n))
    } else {
        zero_blocks::<1>()[0][0]
    };
    let project = |t: DVec3, l: f64| scale(&sub(&DMat3::identity(), &outer(t, t)), 1.0 / l);
    let je = sub(&scale(&skew(u), -2.0 / chi), &outer(kb / chi, u)) * project(t, turn.length[0]);
    let jf = sub(&scale(&skew(t), 2.0 / chi), &outer(kb / chi, t)) * project(u, turn.length[1]);
    let (je_t, jf_t) = (je.transposed(), jf.transposed());
    let symmetric = |m: DMat3| scale(&add(&m, &m.transposed()), 0.5);
    to_nodes(symmetric(je_t * metric * je), je_t * metric * jf, symmetric(jf_t * metric * jf))
}
