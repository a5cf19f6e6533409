//! What springs, triangles, hinges and rods have in common: a few nodes in, an energy, its gradient and its
//! Hessian out.
//!
//! An element kind is a view of columns the caller owns. The drivers in [`crate::assemble`] do the loops, the
//! gathering and the adding, so an element is a pure function and each kind is tested the same way.

use crate::assemble::add_blocks;
use impinge_geometry::{DMat3, DVec3, outer};
use std::fmt;
use std::ops::Range;

/// Which Hessian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// The second derivative as it is. It has negative eigenvalues where the element is about to buckle.
    Exact,
    /// A symmetric positive semidefinite one for Newton steps that must go downhill. Each element kind says
    /// in its file what it leaves out; where nothing is negative it equals the exact one or is close to it.
    #[default]
    Spd,
}

/// The n × n blocks of an element: `[i][j]` is ∂²E/∂xᵢ∂xⱼ (N/m).
pub type Blocks<const N: usize> = [[DMat3; N]; N];

/// A batch of elements with `N` nodes each.
///
/// Functions are total for finite positions: degenerate elements give finite numbers, as their files say.
/// Positions that are NaN give NaN; stop them at the door.
pub trait Elements<const N: usize>: Sync {
    /// The nodes of every element.
    fn nodes(&self) -> &[[u32; N]];

    /// The energy (J) of element `e` with its nodes at `x`.
    fn energy_of(&self, e: usize, x: &[DVec3; N]) -> f64;

    /// ∂E/∂x (N); forces are the negative.
    fn gradient_of(&self, e: usize, x: &[DVec3; N]) -> [DVec3; N];

    /// ∂²E/∂x².
    fn hessian_of(&self, e: usize, x: &[DVec3; N], projection: Projection) -> Blocks<N>;

    /// Adds the blocks of [`Elements::hessian_of`] to `values[slots[i][j]]`, 3×3 blocks stored by rows, as
    /// [`crate::assemble::add_hessian`] does for all elements. Kinds that need not build all blocks first override this, with the same bits.
    fn add_hessian_of(
        &self,
        e: usize,
        x: &[DVec3; N],
        projection: Projection,
        slots: &[[u32; N]; N],
        values: &mut [[f64; 9]],
    ) {
        add_blocks(&self.hessian_of(e, x, projection), slots, values);
    }

    /// The sum of the energies (J) of `elements`, added in their order. Kinds with a wide kernel override this, with the
    /// same bits.
    fn energy_sum(&self, elements: Range<usize>, x: &[DVec3]) -> f64 {
        elements.fold(0.0, |sum, e| sum + self.energy_of(e, &gather(self.nodes()[e], x)))
    }

    /// Gradients of the elements `first..first + out.len()`. Kinds with a wide kernel override this; the bits
    /// are those of [`Elements::gradient_of`] on every machine.
    fn gradients(&self, first: usize, x: &[DVec3], out: &mut [[DVec3; N]]) {
        for (k, g) in out.iter_mut().enumerate() {
            *g = self.gradient_of(first + k, &gather(self.nodes()[first + k], x));
        }
    }

    /// Hessians of the elements `first..first + out.len()`. Kinds with a wide kernel override this and
    /// [`Elements::add_hessians`]; the bits are those of [`Elements::hessian_of`] on every machine.
    fn hessians(&self, first: usize, x: &[DVec3], projection: Projection, out: &mut [Blocks<N>]) {
        one_by_one(self, first, x, projection, out);
    }

    /// [`Elements::add_hessian_of`] for the elements `first..first + slots.len()`, in their order.
    fn add_hessians(
        &self,
        first: usize,
        x: &[DVec3],
        projection: Projection,
        slots: &[[[u32; N]; N]],
        values: &mut [[f64; 9]],
    ) {
        add_one_by_one(self, first, x, projection, slots, values);
    }
}

/// [`Elements::hessians`] without a wide kernel, and of what is left of a group.
pub(crate) fn one_by_one<const N: usize, E: Elements<N> + ?Sized>(
    elements: &E,
    first: usize,
    x: &[DVec3],
    projection: Projection,
    out: &mut [Blocks<N>],
) {
    for (k, h) in out.iter_mut().enumerate() {
        *h = elements.hessian_of(first + k, &gather(elements.nodes()[first + k], x), projection);
    }
}

/// [`Elements::add_hessians`] without a wide kernel, and of what is left of a group.
pub(crate) fn add_one_by_one<const N: usize, E: Elements<N> + ?Sized>(
    elements: &E,
    first: usize,
    x: &[DVec3],
    projection: Projection,
    slots: &[[[u32; N]; N]],
    values: &mut [[f64; 9]],
) {
    for (k, s) in slots.iter().enumerate() {
        let x = gather(elements.nodes()[first + k], x);
        elements.add_hessian_of(first + k, &x, projection, s, values);
    }
}

/// The positions of an element's nodes.
#[inline(always)]
pub(crate) fn gather<const N: usize>(nodes: [u32; N], x: &[DVec3]) -> [DVec3; N] {
    nodes.map(|i| x[i as usize])
}

/// Blocks filled with zeros.
pub(crate) fn zero_blocks<const N: usize>() -> Blocks<N> {
    [[DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()); N]; N]
}

/// Adds `s g gᵀ`, the outer product of a gradient with itself.
#[inline]
pub(crate) fn add_rank_one<const N: usize>(h: &mut Blocks<N>, s: f64, g: &[DVec3; N]) {
    for i in 0..N {
        for j in 0..N {
            h[i][j] += outer(g[i] * s, g[j]);
        }
    }
}

/// An element or a parameter that was refused, and how to repair it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadElement {
    /// Which element, counted from 0; `None` for a parameter of the whole batch.
    pub element: Option<usize>,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl BadElement {
    pub(crate) fn at(element: usize, reason: String) -> Self {
        Self { element: Some(element), reason }
    }

    pub(crate) fn batch(reason: String) -> Self {
        Self { element: None, reason }
    }
}

impl fmt::Display for BadElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            Some(e) => write!(f, "element {e}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for BadElement {}

/// Refuses indices out of range and elements that name a node twice.
pub(crate) fn check_nodes<const N: usize>(e: usize, nodes: [u32; N], count: usize) -> Result<(), BadElement> {
    for (k, &i) in nodes.iter().enumerate() {
        if i as usize >= count {
            return Err(BadElement::at(e, format!("names node {i}, but there are {count} nodes (from 0)")));
        }
        if nodes[..k].contains(&i) {
            return Err(BadElement::at(e, format!("names node {i} twice; its nodes must differ")));
        }
    }
    Ok(())
}

/// Refuses positions with a NaN or an infinity.
pub(crate) fn check_positions(x: &[DVec3]) -> Result<(), BadElement> {
    match x.iter().position(|&p| !impinge_geometry::is_finite(p)) {
        Some(i) => Err(BadElement::batch(format!("rest position {i} is NaN or infinite; it must be finite"))),
        None => Ok(()),
    }
}

/// Refuses a number that is not positive.
pub(crate) fn positive(name: &str, value: f64, unit: &str) -> Result<(), BadElement> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(BadElement::batch(format!("{name} is {value} {unit}; it must be a positive number")))
    }
}

/// Refuses a number below zero.
pub(crate) fn not_negative(name: &str, value: f64, unit: &str) -> Result<(), BadElement> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(BadElement::batch(format!("{name} is {value} {unit}; it must be zero or positive")))
    }
}
