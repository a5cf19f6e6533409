//! Penetration time intervals of a pair: what continuous penalty forces integrate over (seed 000 §3.2).
//!
//! Conventions of ERRATA C10: a contact opens at a root of odd order where the closed features touch, its side being
//! the sign of the coplanarity function just before; it closes at the next root of odd order, whether the features touch
//! there or not ("until its penetration depth reduces to zero"); opening again needs the touch again. Roots of even
//! order are contact times and never open or close, but for one at t = 0 with a side carried over. What penetrates when the step begins is known only from the step
//! before. Roots that come from a vanishing normal are no events (C13); motion within a plane gives no interval.

use crate::contact::{contact_normal, contact_weights, weights_and_normal};
use crate::decide::all_roots;
use crate::kind::check_finite;
use crate::{Kind, NotFinite, Root, Roots};
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// What the previous step knows of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Carried {
    /// Sign of the coplanarity function on the free side; 0 for nothing known.
    pub side: i8,
    /// Signed weights of the contact that is open, if one is.
    pub weight: Option<[f64; 4]>,
}

/// How an interval began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Entry {
    /// With a contact in this step.
    #[default]
    Contact,
    /// Before this step.
    Initial,
}

/// One penetration interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// Start, fraction of the step; never late.
    pub t_in: f64,
    /// End.
    pub t_out: f64,
    /// Sign of the coplanarity function on the free side; the pair penetrates where `side · f < 0`.
    pub side: i8,
    /// The sign to carry to the next step if the interval is open at the end of this one. It differs from `side` where the
    /// unnormalised normal has turned over in between (edges that become parallel for a moment, a triangle that
    /// collapses and opens again: C13): the free side is the same, the function's sign is not.
    pub side_end: i8,
    /// How it began.
    pub entry: Entry,
    /// Signed weights of the material points, fixed at the contact that opened the interval.
    pub weight: [f64; 4],
    /// Unit normal at the start of the interval, towards the free side.
    pub normal: DVec3,
}

/// The intervals of one step; linear motion has at most two.
pub type Intervals = SmallVec<[Interval; 2]>;

/// Which contacts may open an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Opens {
    /// From either side: open surfaces, edges.
    #[default]
    FromBothSides,
    /// Only from the side on which the coplanarity function has this sign: vertices against closed, outward oriented
    /// meshes come from the side of +1 (C10 vii).
    From(i8),
}

/// Penetration intervals of a pair.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn intervals(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
) -> Result<Intervals, NotFinite> {
    check_finite(x0, x1)?;
    Ok(of_pair(kind, x0, x1, carried, opens))
}

/// The interval of a pair with nothing carried over whose only root in [0, 1] is known; weights and normal at a time,
/// towards a side, by `weigh`.
#[inline]
pub(crate) fn only(
    root: &Root,
    opens: Opens,
    weigh: impl Fn(f64, i8) -> ([f64; 4], DVec3),
) -> Option<Interval> {
    if !root.inside || root.t >= 1.0 {
        return None;
    }
    opening(root, None, opens, &weigh)
}

pub(crate) fn of_pair(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
) -> Intervals {
    // Any number is a side, by its sign.
    let carried = carried.map(|c| Carried { side: c.side.signum(), ..*c }).filter(|c| c.side != 0);
    let carried = carried.as_ref();
    let found = all_roots(kind, x0, x1);
    let weigh = |t, side| weights_and_normal(kind, x0, x1, t, side);
    let mut out = Intervals::new();
    let mut open: Option<Interval> = None;
    if let Some(c) = carried
        && sign_at_start(kind, x0, x1, &found) == -c.side
    {
        let weight = c.weight.unwrap_or_else(|| contact_weights(kind, x0, x1, 0.0));
        let normal = contact_normal(kind, x0, x1, 0.0, c.side, &weight);
        let (side, entry) = (c.side, Entry::Initial);
        open = Some(Interval { t_in: 0.0, t_out: 1.0, side, side_end: side, entry, weight, normal });
    }
    // A regular root at t = 0 is a crossing if the sign after it is not that of the side carried over; how often it is
    // a root says what a motion before t = 0 would have done, and there was another one.
    let event = |r: &&Root| {
        let at_start = carried.is_some() && r.t_hi == 0.0 && r.vanishing == 0;
        at_start || r.reduced_multiplicity() % 2 == 1
    };
    for r in found.roots.iter().filter(event) {
        match open.take() {
            Some(mut i) => {
                i.t_out = r.t_hi;
                out.push(i);
            }
            None if r.inside => open = opening(r, carried, opens, &weigh),
            None => {}
        }
    }
    if let Some(mut i) = open
        && i.t_in < 1.0
    {
        let turned = |r: &&Root| r.t >= i.t_in && r.t_hi < 1.0 && r.vanishing % 2 == 1;
        if found.roots.iter().filter(turned).count() % 2 == 1 {
            i.side_end = -i.side;
        }
        out.push(i);
    }
    out
}

/// The interval that opens at a root, if one does.
fn opening(
    r: &Root,
    carried: Option<&Carried>,
    opens: Opens,
    weigh: &impl Fn(f64, i8) -> ([f64; 4], DVec3),
) -> Option<Interval> {
    let mut side = r.before;
    // Touching when the step begins: the side is what the last step knows, not what a motion before t = 0 would say
    // (C10 v), and a pair that separates does not open.
    if r.t_hi == 0.0
        && let Some(c) = carried
    {
        if r.after == c.side {
            return None;
        }
        side = c.side;
    }
    if matches!(opens, Opens::From(s) if s != side) {
        return None;
    }
    let (weight, normal) = weigh(0.5 * (r.t + r.t_hi), side);
    Some(Interval { t_in: r.t, t_out: 1.0, side, side_end: side, entry: Entry::Contact, weight, normal })
}

/// Exact sign of the coplanarity function at t = 0.
fn sign_at_start(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], found: &Roots) -> i8 {
    match found.roots.first() {
        Some(r) if r.t_hi == 0.0 => 0,
        // No root before it: the sign just before is the sign at the start.
        Some(r) => r.before,
        // No root at all.
        None => crate::decide::constant_sign(kind, x0, x1),
    }
}
