//! Hinges several at a time: [`Frame`] and ∂θ/∂x (1/m) in a loop over lanes.
//!
//! The Gauss–Newton Hessian needs no angle, so none is worked out for it, and its blocks k gᵢ gⱼᵀ go straight to their places.

use super::hinge::HingesView;
use super::hinge_derivatives::Frame;
use crate::assemble::SKIP;
use crate::element::{
    Blocks, Elements, Projection, add_one_by_one, add_rank_one, gather, one_by_one, zero_blocks,
};
use crate::lanes::lanes;
use impinge_geometry::DVec3;
use std::ops::Range;

/// What gradients and Hessians of `W` hinges are made of.
struct Group<const W: usize> {
    /// ∂θ/∂x of the four nodes (1/m).
    gradient: [[[f64; W]; 3]; 4],
    /// [`Frame::direction`].
    sine: [f64; W],
    cosine: [f64; W],
    /// 1 where a triangle has no area and the hinge gives nothing, else 0.
    collapsed: [f64; W],
}

/// Hinges `at..at + W`.
#[inline(always)]
fn group<const W: usize>(hinges: &HingesView<'_>, at: usize, x: &[DVec3]) -> Group<W> {
    let mut d = [[[0.0; W]; 3]; 3];
    for l in 0..W {
        let [p0, p1, p2, p3] = gather(hinges.nodes[at + l], x);
        for (to, p) in d.iter_mut().zip([p1 - p0, p2 - p0, p3 - p0]) {
            for c in 0..3 {
                to[c][l] = p[c];
            }
        }
    }
    let mut gradient = [[[0.0; W]; 3]; 4];
    let (mut sine, mut cosine, mut collapsed) = ([0.0; W], [0.0; W], [0.0; W]);
    for l in 0..W {
        let of = |k: usize| DVec3::new(d[k][0][l], d[k][1][l], d[k][2][l]);
        let frame = Frame::of(of(0), [of(1), of(2)]);
        let g = frame.gradient();
        for k in 0..4 {
            gradient[k][0][l] = g[k].x;
            gradient[k][1][l] = g[k].y;
            gradient[k][2][l] = g[k].z;
        }
        [sine[l], cosine[l]] = frame.direction();
        collapsed[l] = if frame.collapsed() { 1.0 } else { 0.0 };
    }
    Group { gradient, sine, cosine, collapsed }
}

/// θ (rad). One by one: lanes of our own would have other bits than [`Frame::angle`].
#[inline(always)]
fn angles<const W: usize>(h: &Group<W>) -> [f64; W] {
    let mut angle = [0.0; W];
    for l in 0..W {
        angle[l] = libm::atan2(h.sine[l], h.cosine[l]);
    }
    angle
}

#[inline(always)]
fn energies_kernel<const W: usize>(hinges: HingesView<'_>, range: Range<usize>, x: &[DVec3], sum: &mut f64) {
    let mut at = range.start;
    while at + W <= range.end {
        let h = group::<W>(&hinges, at, x);
        let (mut rest, mut stiffness, mut energy) = ([0.0; W], [0.0; W], [0.0; W]);
        rest.copy_from_slice(&hinges.rest_angle[at..at + W]);
        stiffness.copy_from_slice(&hinges.stiffness[at..at + W]);
        let angle = angles(&h);
        for l in 0..W {
            let bend = angle[l] - rest[l];
            let e = 0.5 * stiffness[l] * bend * bend;
            energy[l] = if h.collapsed[l] == 0.0 { e } else { 0.0 };
        }
        for e in energy {
            *sum += e;
        }
        at += W;
    }
    for e in at..range.end {
        *sum += hinges.energy_of(e, &gather(hinges.nodes[e], x));
    }
}

#[inline(always)]
fn gradients_kernel<const W: usize>(
    hinges: HingesView<'_>,
    first: usize,
    x: &[DVec3],
    out: &mut [[DVec3; 4]],
) {
    let mut pieces = out.chunks_exact_mut(W);
    let mut at = first;
    for piece in &mut pieces {
        let mut h = group::<W>(&hinges, at, x);
        let (mut rest, mut stiffness) = ([0.0; W], [0.0; W]);
        rest.copy_from_slice(&hinges.rest_angle[at..at + W]);
        stiffness.copy_from_slice(&hinges.stiffness[at..at + W]);
        let angle = angles(&h);
        for l in 0..W {
            let moment = stiffness[l] * (angle[l] - rest[l]);
            for g in h.gradient.as_flattened_mut() {
                g[l] = if h.collapsed[l] == 0.0 { g[l] * moment } else { 0.0 };
            }
        }
        for (l, o) in piece.iter_mut().enumerate() {
            *o = h.gradient.map(|[gx, gy, gz]| DVec3::new(gx[l], gy[l], gz[l]));
        }
        at += W;
    }
    for (k, o) in pieces.into_remainder().iter_mut().enumerate() {
        *o = hinges.gradient_of(at + k, &gather(hinges.nodes[at + k], x));
    }
}

#[inline(always)]
fn blocks_kernel<const W: usize>(hinges: HingesView<'_>, first: usize, x: &[DVec3], out: &mut [Blocks<4>]) {
    let mut pieces = out.chunks_exact_mut(W);
    let mut at = first;
    for piece in &mut pieces {
        let h = group::<W>(&hinges, at, x);
        for (l, o) in piece.iter_mut().enumerate() {
            *o = zero_blocks();
            if h.collapsed[l] == 0.0 {
                let g = h.gradient.map(|[gx, gy, gz]| DVec3::new(gx[l], gy[l], gz[l]));
                add_rank_one(o, hinges.stiffness[at + l], &g);
            }
        }
        at += W;
    }
    one_by_one(&hinges, at, x, Projection::Spd, pieces.into_remainder());
}

#[inline(always)]
fn add_kernel<const W: usize>(
    hinges: HingesView<'_>,
    first: usize,
    x: &[DVec3],
    slots: &[[[u32; 4]; 4]],
    values: &mut [[f64; 9]],
) {
    let pieces = slots.chunks_exact(W);
    let (rest, mut at) = (pieces.remainder(), first);
    for piece in pieces {
        let h = group::<W>(&hinges, at, x);
        for (l, s) in piece.iter().enumerate() {
            if h.collapsed[l] == 0.0 {
                let g = h.gradient.map(|[gx, gy, gz]| [gx[l], gy[l], gz[l]]);
                add_products(&g, hinges.stiffness[at + l], s, values);
            }
        }
        at += W;
    }
    add_one_by_one(&hinges, at, x, Projection::Spd, rest, values);
}

/// Adds those blocks k gᵢ gⱼᵀ that the matrix keeps: most often one of (i, j) and (j, i), and which one depends on the numbering. So
/// the nodes are chosen, as numbers, and not the way through the code, which no processor predicts.
#[inline(always)]
pub(super) fn add_products(g: &[[f64; 3]; 4], k: f64, slots: &[[u32; 4]; 4], values: &mut [[f64; 9]]) {
    let u = g.map(|g| g.map(|c| c * k));
    for i in 0..4 {
        add_product(u[i], g[i], slots[i][i], values);
        for j in i + 1..4 {
            let (upper, lower) = (slots[i][j], slots[j][i]);
            let ((row, column), slot) = if upper == SKIP { ((j, i), lower) } else { ((i, j), upper) };
            add_product(u[row], g[column], slot, values);
            if upper != SKIP && lower != SKIP {
                add_product(u[j], g[i], lower, values);
            }
        }
    }
}

#[inline(always)]
fn add_product(u: [f64; 3], v: [f64; 3], slot: u32, values: &mut [[f64; 9]]) {
    if slot == SKIP {
        return;
    }
    let to = &mut values[slot as usize];
    for r in 0..3 {
        for c in 0..3 {
            to[3 * r + c] += u[r] * v[c];
        }
    }
}

lanes! {
    /// Adds the energies (J) of a range of hinges to `sum`, in their order.
    fn energies(hinges: HingesView<'_>, range: Range<usize>, x: &[DVec3], sum: &mut f64) = energies_kernel
}

lanes! {
    /// Gradients of the hinges `first..first + out.len()`.
    fn gradients(hinges: HingesView<'_>, first: usize, x: &[DVec3], out: &mut [[DVec3; 4]]) = gradients_kernel
}

lanes! {
    /// Gauss–Newton Hessians of the hinges `first..first + out.len()`.
    fn hessians(hinges: HingesView<'_>, first: usize, x: &[DVec3], out: &mut [Blocks<4>]) = blocks_kernel
}

lanes! {
    /// Adds the Gauss–Newton Hessians of the hinges `first..first + slots.len()`.
    fn add_hessians(
        hinges: HingesView<'_>, first: usize, x: &[DVec3], slots: &[[[u32; 4]; 4]], values: &mut [[f64; 9]],
    ) = add_kernel
}
