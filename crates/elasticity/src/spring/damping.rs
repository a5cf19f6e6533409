//! Damping along springs: `f₀ = c ((v₁ − v₀)·n) n = −f₁`.
//!
//! It acts along the line between the nodes only, so it conserves both momenta; its power `−c ((v₁ − v₀)·n)²`
//! is never positive. It is not a potential: it stands beside [`crate::Elements`], not in it.

use super::SpringsView;
use crate::assemble::{SKIP, add_block};
use impinge_geometry::{DVec3, outer, scale};

/// The direction of a spring, `None` when it has no length.
fn direction(s: SpringsView<'_>, e: usize, x: &[DVec3]) -> Option<DVec3> {
    let d = x[s.ends[e][1] as usize] - x[s.ends[e][0] as usize];
    let l = d.mag();
    let works = l > 0.0 && !(s.tension_only[e] && l < s.rest[e]);
    works.then(|| d / l)
}

/// Adds the damping forces (N) at positions `x` and velocities `v` to `out`. A slack tension-only spring does not
/// damp.
pub fn add_forces(s: SpringsView<'_>, x: &[DVec3], v: &[DVec3], out: &mut [DVec3]) {
    for e in 0..s.len() {
        if let Some(n) = direction(s, e, x) {
            let [i, j] = s.ends[e].map(|k| k as usize);
            let f = n * (s.damping[e] * (v[j] - v[i]).dot(n));
            out[i] += f;
            out[j] -= f;
        }
    }
}

/// The power of the damping (W), zero or negative.
#[must_use]
pub fn power(s: SpringsView<'_>, x: &[DVec3], v: &[DVec3]) -> f64 {
    impinge_contact::sums::ordered_sum(s.len(), |e| {
        direction(s, e, x).map_or(0.0, |n| {
            let [i, j] = s.ends[e].map(|k| k as usize);
            let rate = (v[j] - v[i]).dot(n);
            -s.damping[e] * rate * rate
        })
    })
}

/// Adds −∂f/∂v (N·s/m), positive semidefinite, in the slots of [`crate::assemble::add_hessian`]. The dependence
/// of the damping force on positions is left out, as implicit schemes usually do: it is not symmetric and
/// vanishes with the strain rate.
pub fn add_blocks(s: SpringsView<'_>, x: &[DVec3], slots: &[[[u32; 2]; 2]], values: &mut [[f64; 9]]) {
    for e in 0..s.len() {
        if let Some(n) = direction(s, e, x) {
            let block = outer(n * s.damping[e], n);
            for i in 0..2 {
                for j in 0..2 {
                    if slots[e][i][j] != SKIP {
                        let sign = if i == j { 1.0 } else { -1.0 };
                        add_block(&mut values[slots[e][i][j] as usize], &scale(&block, sign));
                    }
                }
            }
        }
    }
}
