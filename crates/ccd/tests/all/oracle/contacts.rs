//! First contacts and penetration intervals as they follow from the exact roots, against those of the crate.
//!
//! The rule of the intervals, written out a second time: an odd-order root (of the cubic over the common factor of the
//! normal) with contact opens, the next odd-order root closes; a pair that the last step left on the wrong side is open
//! from the start; at a root at t = 0 the last step knows the side, not the polynomial.

use super::families::Query;
use super::{Algebraic, Dyadic, TrueRoot, Truth, check};
use impinge_ccd::{Carried, Contact, Entry, Intervals, Kind, Opens, Roots};
use impinge_geometry::DVec3;
use std::cmp::Ordering;

/// Signed weights: finite, convex on each side, adding up to nothing.
fn weights(kind: Kind, w: &[f64; 4]) -> Result<(), String> {
    let part = |v: f64| (0.0..=1.0).contains(&v);
    let convex = match kind {
        Kind::VertexFace => w[0] == 1.0 && w[1..].iter().all(|v| part(-v)),
        Kind::EdgeEdge => part(w[0]) && part(w[1]) && part(-w[2]) && part(-w[3]),
    };
    let sum = w.iter().sum::<f64>().abs();
    if convex && sum <= 1e-15 { Ok(()) } else { Err(format!("the weights {w:?} are no convex combinations")) }
}

fn unit_or_zero(n: DVec3) -> Result<(), String> {
    let fine = n == DVec3::zero() || (n.mag() - 1.0).abs() < 1e-14;
    if fine { Ok(()) } else { Err(format!("the normal {n:?} is neither of length 1 nor zero")) }
}

/// Distance of the two material points at time `t` over the size of the pair.
fn separation(q: &Query, w: &[f64; 4], t: f64) -> f64 {
    let (mut p, mut size) = (DVec3::zero(), 0.0f64);
    for i in 0..4 {
        let (d0, d1) = (q.x0[i] - q.x0[0], q.x1[i] - q.x1[0]);
        p += (d0 * (1.0 - t) + d1 * t) * w[i];
        size = size.max(d0.mag()).max(d1.mag());
    }
    if p == DVec3::zero() { 0.0 } else { p.mag() / size }
}

/// The first contact. Gives the separation of its material points relative to the size of the pair.
///
/// # Errors
/// What is wrong with it.
pub fn first(truth: &Truth, q: &Query, got: Option<&Contact>) -> Result<f64, String> {
    let (at, c) = match (truth.first(), got) {
        (None, None) => return Ok(0.0),
        (Some(at), Some(c)) => (at, c),
        (at, _) => return Err(format!("first contact is {got:?}, expected one: {}", at.is_some())),
    };
    let late = at.cmp_dyadic(&Dyadic::from_f64(c.t)) == Ordering::Less;
    let plane = truth.roots.is_empty();
    if late || (!plane && at.cmp_dyadic(&Dyadic::from_f64(c.t_hi)) == Ordering::Greater) || c.t_hi < c.t {
        return Err(format!("first contact at {:e} is not in [{:e}, {:e}]", check::nearby(at), c.t, c.t_hi));
    }
    let side = truth.roots.iter().find(|r| r.inside).map_or(0, |r| r.before);
    if c.side != side {
        return Err(format!("first contact from side {}, expected {side}", c.side));
    }
    weights(q.kind, &c.weight)?;
    unit_or_zero(c.normal)?;
    Ok(separation(q, &c.weight, 0.5 * (c.t + c.t_hi)))
}

/// An interval by the rule: the roots at its ends (`None` for the ends of the step), side, and how it began.
type Expected<'a> = (Option<&'a TrueRoot>, Option<&'a TrueRoot>, i8, Entry);

fn expected<'a>(truth: &'a Truth, carried: Option<i8>, opens: Opens) -> Vec<Expected<'a>> {
    let is = |at: &Algebraic, t: i64| at.cmp_dyadic(&Dyadic::integer(t)) == Ordering::Equal;
    let mut found = Vec::new();
    let mut open: Option<Expected<'a>> = None;
    if let Some(side) = carried.filter(|s| *s * truth.start < 0) {
        open = Some((None, None, side, Entry::Initial));
    }
    // With a side carried over, what happens at t = 0 is told by the sign after it alone.
    let at_start = |r: &TrueRoot| carried.is_some() && is(&r.at, 0) && r.vanishing == 0;
    for r in truth.roots.iter().filter(|r| at_start(r) || (r.multiplicity - r.vanishing) % 2 == 1) {
        if let Some((from, _, side, entry)) = open.take() {
            found.push((from, Some(r), side, entry));
            continue;
        }
        let known = carried.filter(|_| is(&r.at, 0));
        let side = known.unwrap_or(r.before);
        let enters = known.is_none() || r.after != side;
        let may = match opens {
            Opens::FromBothSides => true,
            Opens::From(s) => s == side,
        };
        if r.inside && enters && may && !is(&r.at, 1) {
            open = Some((Some(r), None, side, Entry::Contact));
        }
    }
    found.extend(open);
    found
}

/// The penetration intervals, for one thing the last step may have known.
///
/// # Errors
/// What is wrong with them.
pub fn intervals(
    truth: &Truth,
    q: &Query,
    roots: &Roots,
    carried: Option<i8>,
    opens: Opens,
    got: &Intervals,
) -> Result<(), String> {
    let want = expected(truth, carried, opens);
    let wrong = |what: &str| format!("intervals with {carried:?} carried, {opens:?}: {what} {got:?}");
    if want.len() != got.len() {
        return Err(wrong(&format!("expected {},", want.len())));
    }
    for (w, g) in want.iter().zip(got) {
        if (w.2, w.3) != (g.side, g.entry) {
            return Err(wrong(&format!("expected side {} and {:?},", w.2, w.3)));
        }
        // The ends are those of the enclosures, which have been compared with the oracle before.
        let place = |r: &TrueRoot| {
            truth.roots.iter().position(|s| std::ptr::eq(r, s)).and_then(|i| roots.roots.get(i))
        };
        let t_in = w.0.map_or(Some(0.0), |r| place(r).map(|r| r.t));
        let t_out = w.1.map_or(Some(1.0), |r| place(r).map(|r| r.t_hi));
        if (t_in, t_out) != (Some(g.t_in), Some(g.t_out)) {
            return Err(wrong(&format!("expected [{t_in:?}, {t_out:?}],")));
        }
        weights(q.kind, &g.weight)?;
        unit_or_zero(g.normal)?;
    }
    Ok(())
}

/// First contact, and intervals for all that the last step may have known. Gives the separation of the contact.
///
/// # Errors
/// What is wrong.
pub fn all(truth: &Truth, q: &Query, roots: &Roots) -> Result<f64, String> {
    let refused = |e: impinge_ccd::NotFinite| format!("refused: {e}");
    let contact = match q.kind {
        Kind::VertexFace => impinge_ccd::vertex_face(&q.x0, &q.x1),
        Kind::EdgeEdge => impinge_ccd::edge_edge(&q.x0, &q.x1),
    };
    let apart = first(truth, q, contact.map_err(refused)?.as_ref())?;
    for side in [None, Some(1), Some(-1)] {
        let carried = side.map(|side| Carried { side, weight: None });
        for opens in [Opens::FromBothSides, Opens::From(1), Opens::From(-1)] {
            let got =
                impinge_ccd::intervals(q.kind, &q.x0, &q.x1, carried.as_ref(), opens).map_err(refused)?;
            intervals(truth, q, roots, side, opens, &got)?;
        }
    }
    Ok(apart)
}
