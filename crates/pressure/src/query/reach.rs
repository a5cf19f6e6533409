//! How high the pressure of a contact can be, before anything is intersected; and bodies that miss each other.
//!
//! Let w be the width of the overlap along any direction d: how far the host reaches along d, less where the guest
//! begins. A point of the overlap at s along d is left by the host within (end − s) on the ray along d, and by the guest
//! within (s − begin) on the ray against it. A pressure that is at most b on the boundary and rises by at most L per metre
//! is therefore at most b + L · (that), and the smaller of the two at most (L_a b_b + L_b b_a + L_a L_b w)/(L_a + L_b). A
//! negative width is a gap. Directions: the axes of both bodies' boxes, and from middle to middle with the true reach; before them, balls.

use super::relative::Relative;
use crate::support::Support;
use crate::tree::Box3;

/// What the bound asks of a body.
pub struct Side<'a> {
    pub bounds: &'a Box3,
    pub support: &'a Support,
    /// Largest gradient (Pa/m); infinite for a rigid body.
    pub steepest: f64,
    /// Largest pressure on the boundary (Pa).
    pub edge: f64,
}

/// The smallest width of the overlap found (m); below 0 the bodies do not touch.
#[inline(always)]
#[must_use]
pub fn width(relative: &Relative, guest: &Side<'_>, host: &Side<'_>) -> f64 {
    // Balls about the middles: what passes at a distance is dismissed without a look at boxes and vertices.
    let room = guest.support.radius() + host.support.radius() - relative.distance();
    if room < 0.0 {
        return room;
    }
    let middle = |b: &Box3| (b.lo + b.hi) * 0.5;
    let half = |b: &Box3| (b.hi - b.lo) * 0.5;
    let (cg, eg, ch, eh) = (middle(guest.bounds), half(guest.bounds), middle(host.bounds), half(host.bounds));
    let (r, t) = (&relative.r, &relative.t);
    // From the host's middle to the guest's, in the host's axes.
    let d = [0, 1, 2].map(|k| r[k][0] * cg.x + r[k][1] * cg.y + r[k][2] * cg.z + t[k] - ch[k]);
    let mut w = f64::INFINITY;
    for k in 0..3 {
        let e = r[k][0].abs() * eg.x + r[k][1].abs() * eg.y + r[k][2].abs() * eg.z + eh[k];
        w = super::relative::min(w, e - d[k].abs());
        let c = [r[0][k], r[1][k], r[2][k]];
        let e = c[0].abs() * eh.x + c[1].abs() * eh.y + c[2].abs() * eh.z + eg[k];
        w = super::relative::min(w, e - (c[0] * d[0] + c[1] * d[1] + c[2] * d[2]).abs());
    }
    if w < 0.0 {
        return w;
    }
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    if length > 0.0 {
        let d = d.map(|x| x / length);
        let back = [0, 1, 2].map(|k| -(r[0][k] * d[0] + r[1][k] * d[1] + r[2][k] * d[2]));
        let begin = t[0] * d[0] + t[1] * d[1] + t[2] * d[2] - guest.support.reach(back);
        w = super::relative::min(w, host.support.reach(d) - begin);
    }
    w
}

/// The largest pressure a contact of this width can have (Pa), a little rounded up.
#[inline(always)]
#[must_use]
pub fn pressure(guest: &Side<'_>, host: &Side<'_>, width: f64) -> f64 {
    let (a, b) = (guest.steepest, host.steepest);
    let p = if b.is_infinite() {
        guest.edge + a * width
    } else {
        (a * host.edge + b * guest.edge + a * b * width) / (a + b)
    };
    p + 1e-9 * p.abs()
}
