//! Compares the crate's answers with the exact ones.

use super::families::Query;
use super::{Algebraic, Dyadic, Truth, contacts};
use impinge_ccd::{Kind, Roots, Tier};
use std::cmp::Ordering;
use std::fmt::Write;

/// The root lies in the closed interval.
fn encloses(at: &Algebraic, lo: f64, hi: f64) -> bool {
    at.cmp_dyadic(&Dyadic::from_f64(lo)) != Ordering::Less
        && at.cmp_dyadic(&Dyadic::from_f64(hi)) != Ordering::Greater
}

/// A nearby `f64`, for times where the crate promises closeness only.
pub fn nearby(at: &Algebraic) -> f64 {
    let mut at = at.clone();
    at.refine_to(60);
    at.lo.approx()
}

/// An enclosure of a root wider than this is counted as loose, which is right but of little use; an end of an interval
/// of contact further off is wrong.
pub const LOOSE: f64 = 1e-9;

/// The intervals of contact, those joined between which there is hardly room for an `f64` and which the answer joins. Near t = 0
/// there is room for gaps that have none elsewhere, so the answer may join some neighbours and not others.
fn told_apart(truth: &Truth, got: &Roots) -> Vec<[Algebraic; 2]> {
    let mut joined: Vec<[Algebraic; 2]> = Vec::new();
    for i in &truth.touching {
        let answer = got.touching.get(joined.len().wrapping_sub(1));
        match (joined.last_mut(), answer) {
            (Some(last), Some(g))
                if nearby(&i[0]) <= g[1] && nearby(&i[0]) - nearby(&last[1]) <= f64::EPSILON =>
            {
                last[1] = i[1].clone();
            }
            _ => joined.push(i.clone()),
        }
    }
    joined
}

/// Class, number of roots, every flag, and that each enclosure holds its root. Gives the widest enclosure.
///
/// # Errors
/// What differs.
pub fn roots(truth: &Truth, got: &Roots) -> Result<f64, String> {
    let all = truth.touching.len() == got.touching.len();
    let touching = if all { truth.touching.clone() } else { told_apart(truth, got) };
    if (truth.class, truth.roots.len(), touching.len()) != (got.class, got.roots.len(), got.touching.len()) {
        return Err(format!(
            "class {:?} with {} roots and {} intervals, expected {:?} with {} and {}",
            got.class,
            got.roots.len(),
            got.touching.len(),
            truth.class,
            truth.roots.len(),
            touching.len()
        ));
    }
    let mut widest = 0.0f64;
    for (i, (t, g)) in truth.roots.iter().zip(&got.roots).enumerate() {
        let want = (t.multiplicity, t.vanishing, t.inside, t.before, t.after);
        let have = (g.multiplicity, g.vanishing, g.inside, g.before, g.after);
        if want != have {
            return Err(format!(
                "root {i}: multiplicity, vanishing, inside, before, after are {have:?}, expected {want:?}"
            ));
        }
        if !encloses(&t.at, g.t, g.t_hi) {
            return Err(format!("root {i} at {:e} is not in [{:e}, {:e}]", nearby(&t.at), g.t, g.t_hi));
        }
        if !(0.0..=1.0).contains(&g.t) || !(0.0..=1.0).contains(&g.t_hi) {
            return Err(format!("root {i}: the enclosure [{:e}, {:e}] leaves the step", g.t, g.t_hi));
        }
        widest = widest.max(g.t_hi - g.t);
    }
    for (i, (t, g)) in touching.iter().zip(&got.touching).enumerate() {
        let late = t[0].cmp_dyadic(&Dyadic::from_f64(g[0])) == Ordering::Less;
        let near = t.iter().zip(g).all(|(t, g)| (nearby(t) - g).abs() <= LOOSE);
        if late || !near || g[1] < g[0] {
            let (a, b) = (nearby(&t[0]), nearby(&t[1]));
            return Err(format!("interval {i} is [{:e}, {:e}], expected [{a:e}, {b:e}]", g[0], g[1]));
        }
    }
    Ok(widest)
}

/// Two answers of the crate say the same, up to how tightly they enclose the times.
///
/// # Errors
/// What differs.
pub fn same(exact: &Roots, got: &Roots) -> Result<(), String> {
    let meet = |a: [f64; 2], b: [f64; 2]| a[0] <= b[1] && b[0] <= a[1];
    let close = |a: f64, b: f64| (a - b).abs() <= LOOSE;
    let equal = exact.class == got.class
        && exact.roots.len() == got.roots.len()
        && exact.touching.len() == got.touching.len()
        && exact.roots.iter().zip(&got.roots).all(|(a, b)| {
            (a.multiplicity, a.vanishing, a.inside, a.before, a.after)
                == (b.multiplicity, b.vanishing, b.inside, b.before, b.after)
                && meet([a.t, a.t_hi], [b.t, b.t_hi])
        })
        && exact.touching.iter().zip(&got.touching).all(|(a, b)| close(a[0], b[0]) && close(a[1], b[1]));
    if equal { Ok(()) } else { Err(format!("all tiers say {got:?}, the exact tier {exact:?}")) }
}

/// What the comparison of a pair measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Tier of the decision.
    pub tier: Tier,
    /// Widest enclosure of a root.
    pub widest: f64,
    /// Distance of the material points of the first contact over the size of the pair.
    pub separation: f64,
}

/// The pair's decision, all its roots, its first contact and its intervals, single calls.
///
/// # Errors
/// What differs.
pub fn single(truth: &Truth, q: &Query) -> Result<Measured, String> {
    let refused = |e: impinge_ccd::NotFinite| format!("refused: {e}");
    let (touch, tier) = impinge_ccd::touches_by(q.kind, &q.x0, &q.x1).map_err(refused)?;
    if touch != truth.touch() {
        return Err(format!("touch is {touch}, by tier {tier:?}"));
    }
    let got = impinge_ccd::roots(q.kind, &q.x0, &q.x1).map_err(refused)?;
    let widest = roots(truth, &got)?;
    let separation = contacts::all(truth, q, &got)?;
    // A loose enclosure moves the points of contact apart; anything beyond is not a contact.
    if separation > 1e-6 + 10.0 * widest {
        return Err(format!("the points of contact are {separation:e} of the size of the pair apart"));
    }
    Ok(Measured { tier, widest, separation })
}

/// The pair as text that can be put into a test.
pub fn dump(q: &Query) -> String {
    let mut out = format!("kind {}\n", if q.kind == Kind::VertexFace { "VertexFace" } else { "EdgeEdge" });
    for (name, x) in [("x0", &q.x0), ("x1", &q.x1)] {
        for p in x {
            let bits = [p.x, p.y, p.z].map(|v| format!("{:#018x}", v.to_bits())).join(", ");
            let _ = writeln!(out, "{name} [{bits}] // {:e}, {:e}, {:e}", p.x, p.y, p.z);
        }
    }
    out
}
