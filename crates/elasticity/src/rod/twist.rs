//! Bending in two planes and twist at the inner nodes of a rod with material frames (Bergou et al. 2008, 2010).
//!
//! Each edge has an angle θ (rad) that turns its material frame (m₁, m₂) about its tangent t, relative to a reference
//! direction d: `m₁ = cos θ d + sin θ t×d`. The reference is a fixed base (t̂, d̂) carried to the present tangent by
//! the smallest rotation: `d = P(t̂→t) d̂`. So the energy is a function of positions and angles, and its
//! derivatives are exact also away from the base; [`super::Rod::commit`] moves the base along after a step.
//!
//! An angle is stored as the x component of a node of its own; y and z of that node mean nothing and must be held. So one
//! interface serves: forces on that node are torques (N·m), its blocks have one entry.
//!
//! `E = ½ B₁ (κ₁ − κ̄₁)² + ½ B₂ (κ₂ − κ̄₂)² + ½ T (τ − τ̄)²` with `B = EI/l̄`, `T = GJ/l̄`,
//! `κb = 2 t_e×t_f/χ`, `χ = 1 + t_e·t_f`, `κ₁ = ½ κb·(m₂ᵉ + m₂ᶠ)`, `κ₂ = −½ κb·(m₁ᵉ + m₁ᶠ)`,
//! `τ = θ_f − θ_e + m`, m the angle from `P(t_e→t_f) d_e` to d_f.
//!
//! Derivatives. A vector carried by `P(a→b)` spins about b by `−g·db` when b moves and `−g·da` when a moves with its own
//! vector not spinning, `g(a,b) = a×b/(1 + a·b)` (the area swept on the sphere). Hence, with ĝ_e = g(t̂_e, t_e),
//! `dm = (g(t_e,t_f) + ĝ_e)·dt_e + (g(t_e,t_f) − ĝ_f)·dt_f`; at the base this is the papers' κb/2|e|.
//! Frames spin by `−ĝ·dt + dθ`, which gives the gradients of κ₁, κ₂ below. Their derivatives in turn are taken with
//! [`super::dual`] numbers. [`Projection::Spd`] is Gauss–Newton, `Σ B ∇κ∇κᵀ + T ∇τ∇τᵀ`, exact at rest.
//!
//! An edge without length gives zeros. χ is kept above 10⁻⁹ (a rod folded back onto itself), where the energy is
//! large, finite, and its derivatives are no longer exact.

use super::bend::FOLDED;
use super::dual::{Dual, Number, V, VARIABLES};
use crate::element::{Blocks, Elements, Projection, zero_blocks};
use impinge_geometry::DVec3;
use std::f64::consts::TAU;

impinge_contact::table! {
    /// Inner nodes of rods.
    pub struct Twists / TwistsView / Twist {
        /// The node before, the node, the node after, the angle of the edge before, of the edge after.
        nodes: [u32; 5],
        /// Base of both edges: tangent and reference direction, unit and at right angles.
        base: [[DVec3; 2]; 2],
        /// The angle m at the base, counting whole turns (rad).
        base_twist: f64,
        /// κ̄₁, κ̄₂ and τ̄ (rad).
        rest: [f64; 3],
        /// B₁, B₂, T (J).
        stiffness: [f64; 3],
    }
}

/// κ₁, κ₂, and their gradients and that of τ by e, f, θ_e, θ_f.
struct Bent<T> {
    curvature: [T; 2],
    gradient: [[T; VARIABLES]; 3],
}

/// A number kept at or above [`FOLDED`].
fn held<T: Number>(v: T) -> T {
    if v.value() > FOLDED { v } else { T::constant(FOLDED) }
}

/// `P(a→b) v` for v at right angles to a.
fn carried<T: Number>(a: V<T>, b: V<T>, v: V<T>) -> V<T> {
    v - (a + b).times(v.dot(b) / held(T::constant(1.0) + a.dot(b)))
}

/// `g(a, b)`.
fn spin<T: Number>(a: V<T>, b: V<T>) -> V<T> {
    a.cross(b).times(T::constant(1.0) / held(T::constant(1.0) + a.dot(b)))
}

fn bent<T: Number>(base: &[[DVec3; 2]; 2], edge: [V<T>; 2], angle: [T; 2]) -> Bent<T> {
    let one = T::constant(1.0);
    let inverse = edge.map(|e| one / e.dot(e).sqrt());
    let t = [edge[0].times(inverse[0]), edge[1].times(inverse[1])];
    let (mut m1, mut m2, mut own) = (t, t, t);
    for k in 0..2 {
        let [b, d] = base[k].map(V::constant);
        let d1 = carried(b, t[k], d);
        let d2 = t[k].cross(d1);
        let (s, c) = angle[k].sin_cos();
        m1[k] = d1.times(c) + d2.times(s);
        m2[k] = d2.times(c) - d1.times(s);
        own[k] = spin(b, t[k]);
    }
    let chi = held(one + t[0].dot(t[1]));
    let kb = t[0].cross(t[1]).times(T::constant(2.0) / chi);
    let (sum1, sum2) = (m1[0] + m1[1], m2[0] + m2[1]);
    let half = T::constant(0.5);
    let curvature = [half * kb.dot(sum2), T::constant(0.0) - half * kb.dot(sum1)];
    // ∂κ/∂t_e = (t_f×M − κ t_f)/χ + ½ (κb·m) ĝ_e, and mirrored for t_f; M = sum2 for κ₁ and −sum1 for κ₂.
    let mut gradient = [[T::constant(0.0); VARIABLES]; 3];
    for (row, sum, kappa, m) in [(0, sum2, curvature[0], m1), (1, sum1.scaled(-1.0), curvature[1], m2)] {
        let by_t = [
            (t[1].cross(sum) - t[1].times(kappa)).times(one / chi),
            (sum.cross(t[0]) - t[0].times(kappa)).times(one / chi),
        ];
        for k in 0..2 {
            let along = half * kb.dot(m[k]);
            let g = by_t[k] + own[k].times(along);
            let g = (g - t[k].times(g.dot(t[k]))).times(inverse[k]);
            gradient[row][3 * k..3 * k + 3].copy_from_slice(&g.0);
            gradient[row][6 + k] = T::constant(0.0) - along;
        }
    }
    let between = spin(t[0], t[1]);
    gradient[2][..3].copy_from_slice(&(between + own[0]).times(inverse[0]).0);
    gradient[2][3..6].copy_from_slice(&(between - own[1]).times(inverse[1]).0);
    gradient[2][6] = T::constant(-1.0);
    gradient[2][7] = one;
    Bent { curvature, gradient }
}

/// The angle m (rad) in (−π, π] between reference directions.
pub(super) fn reference_twist(base: &[[DVec3; 2]; 2], t: [DVec3; 2]) -> f64 {
    let v = |p: DVec3| V::<f64>::constant(p);
    let d = [0, 1].map(|k| carried(v(base[k][0]), v(t[k]), v(base[k][1])));
    let s = carried(v(t[0]), v(t[1]), d[0]);
    libm::atan2(s.cross(d[1]).dot(v(t[1])), s.dot(d[1]))
}

/// The edges of one element, `None` when one has no length.
fn edges(x: &[DVec3; 5]) -> Option<[DVec3; 2]> {
    let edges = [x[1] - x[0], x[2] - x[1]];
    edges.iter().all(|e| e.mag() >= f64::MIN_POSITIVE).then_some(edges)
}

impl TwistsView<'_> {
    /// κ₁, κ₂ and τ of inner node `e` (curvatures times length; rad); zeros when an edge has no length.
    #[must_use]
    pub fn strains(&self, e: usize, x: &[DVec3; 5]) -> [f64; 3] {
        let Some(edges) = edges(x) else { return [0.0; 3] };
        let b = bent(&self.base[e], edges.map(V::constant), [x[3].x, x[4].x]);
        [b.curvature[0], b.curvature[1], self.twist(e, x, edges)]
    }

    fn twist(&self, e: usize, x: &[DVec3; 5], edges: [DVec3; 2]) -> f64 {
        let m = reference_twist(&self.base[e], edges.map(|v| v / v.mag()));
        // The same whole turns as at the base, so that a rod can be wound more than half a turn per edge.
        let turns = libm::round((self.base_twist[e] - m) / TAU);
        x[4].x - x[3].x + m + TAU * turns
    }
}

/// From the eight variables to the nodes: `x₀: −e`, `x₁: e − f`, `x₂: f`, then the angles.
fn node_terms(node: usize) -> &'static [(usize, f64)] {
    match node {
        0 => &[(0, -1.0)],
        1 => &[(0, 1.0), (3, -1.0)],
        2 => &[(3, 1.0)],
        3 => &[(6, 1.0)],
        _ => &[(7, 1.0)],
    }
}

/// Components of a node that mean something.
fn width(node: usize) -> usize {
    if node < 3 { 3 } else { 1 }
}

impl Elements<5> for TwistsView<'_> {
    fn nodes(&self) -> &[[u32; 5]] {
        self.nodes
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 5]) -> f64 {
        if edges(x).is_none() {
            return 0.0;
        }
        let strains = self.strains(e, x);
        (0..3).map(|a| 0.5 * self.stiffness[e][a] * (strains[a] - self.rest[e][a]).powi(2)).sum()
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 5]) -> [DVec3; 5] {
        let mut out = [DVec3::zero(); 5];
        let Some(edges) = edges(x) else { return out };
        let b = bent(&self.base[e], edges.map(V::constant), [x[3].x, x[4].x]);
        let strains = [b.curvature[0], b.curvature[1], self.twist(e, x, edges)];
        let mut g = [0.0; VARIABLES];
        for a in 0..3 {
            let moment = self.stiffness[e][a] * (strains[a] - self.rest[e][a]);
            for i in 0..VARIABLES {
                g[i] += moment * b.gradient[a][i];
            }
        }
        for (node, out) in out.iter_mut().enumerate() {
            for &(first, sign) in node_terms(node) {
                for c in 0..width(node) {
                    out[c] += sign * g[first + c];
                }
            }
        }
        out
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 5], projection: Projection) -> Blocks<5> {
        let mut out = zero_blocks();
        let Some(edges) = edges(x) else { return out };
        let mut h = [[0.0; VARIABLES]; VARIABLES];
        let k = self.stiffness[e];
        if projection == Projection::Exact {
            let variables = [0, 1].map(|n| {
                let v: [f64; 3] = edges[n].into();
                V([0, 1, 2].map(|c| Dual::variable(v[c], 3 * n + c)))
            });
            let angles = [Dual::variable(x[3].x, 6), Dual::variable(x[4].x, 7)];
            let b = bent(&self.base[e], variables, angles);
            let twist = self.twist(e, x, edges);
            let strains = [b.curvature[0].value(), b.curvature[1].value(), twist];
            for a in 0..3 {
                let moment = k[a] * (strains[a] - self.rest[e][a]);
                for i in 0..VARIABLES {
                    for j in 0..VARIABLES {
                        // Symmetric up to rounding; the mean is so exactly.
                        let second = 0.5 * (b.gradient[a][i].d[j] + b.gradient[a][j].d[i]);
                        h[i][j] +=
                            moment * second + k[a] * (b.gradient[a][i].value() * b.gradient[a][j].value());
                    }
                }
            }
        } else {
            let b = bent(&self.base[e], edges.map(V::constant), [x[3].x, x[4].x]);
            for a in 0..3 {
                for i in 0..VARIABLES {
                    for j in 0..VARIABLES {
                        h[i][j] += k[a] * (b.gradient[a][i] * b.gradient[a][j]);
                    }
                }
            }
        }
        for i in 0..5 {
            for j in 0..5 {
                for &(row, a) in node_terms(i) {
                    for &(column, b) in node_terms(j) {
                        for r in 0..width(i) {
                            for c in 0..width(j) {
                                out[i][j].cols[c][r] += a * b * h[row + r][column + c];
                            }
                        }
                    }
                }
            }
        }
        out
    }
}
