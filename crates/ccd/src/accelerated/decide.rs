//! The exact answer: all roots of f with everything about them, or the contact intervals where f vanishes for all time.
//!
//! Takes the integer polynomials, gives [`Roots`]. Nothing here depends on a tolerance or on where halving happens to
//! stop, except how narrow the reported enclosures are.

use super::algebraic::{Place, roots, simple_roots};
use super::integers::Integers;
use super::poly::{Dyadic, Poly};
use crate::exact::int::Int;
use crate::root::{Class, Root, Roots};
use smallvec::SmallVec;

/// Reported enclosures are at most 2⁻⁶⁴ wide, before they are rounded outward to doubles.
const NARROW: u32 = 64;

/// Everything about a pair.
pub(super) fn solve(pair: &Integers) -> Roots {
    if pair.f.is_zero() {
        return coplanar(pair);
    }
    let normal = pair.normal();
    // Nearly always all roots are simple, and seen to be.
    let (simple, chain, places) = match simple_roots(&pair.f) {
        Some(places) => (pair.f.clone(), Vec::new(), places),
        None => {
            let (simple, repeated) = pair.f.square_free();
            let places = roots(&simple);
            // repeated has the roots of f with one multiplicity less, and so on.
            (simple, chain(repeated), places)
        }
    };
    let mut out = Roots::default();
    for mut place in places {
        let at = &mut place;
        at.narrow(&simple, NARROW);
        let multiplicity = 1 + chain.iter().take_while(|g| at.sign_of(&simple, g) == 0).count() as u8;
        let vanishing = if normal.iter().any(|n| at.sign_of(&simple, n) != 0) {
            0
        } else {
            // The common factor of the normal's coordinates.
            chain_of_gcd(&normal).iter().take_while(|g| at.sign_of(&simple, g) == 0).count() as u8
        };
        let inside = pair.touch(|h| at.sign_of(&simple, h));
        // f ~ f⁽ᵐ⁾(root)/m! · (t − root)^m.
        let mut d = pair.f.clone();
        for _ in 0..multiplicity {
            d = d.derivative();
        }
        let after = at.sign_of(&simple, &d) * pair.kind.sign() as i8;
        let before = if multiplicity % 2 == 1 { -after } else { after };
        let (t, t_hi) = at.enclosure();
        if vanishing > 0 {
            out.class = Class::DegenerateInstant;
        }
        out.roots.push(Root { t, t_hi, multiplicity, vanishing, inside, before, after });
    }
    out
}

/// g, gcd(g, g′), … down to constants: how many of them vanish at a root of g is its multiplicity.
fn chain(mut g: Poly) -> Vec<Poly> {
    let mut out = Vec::new();
    while g.degree() > 0 {
        let next = g.gcd(&g.derivative());
        out.push(g);
        g = next;
    }
    out
}

fn chain_of_gcd(of: &[Poly]) -> Vec<Poly> {
    let mut nonzero = of.iter().filter(|p| !p.is_zero());
    let Some(first) = nonzero.next() else { return Vec::new() };
    chain(nonzero.fold(first.clone(), |g, p| g.gcd(p)))
}

/// f ≡ 0: whether the features touch changes only at roots of the orientation polynomials of one axis, or, where all
/// points stay on one line, of the differences along one axis.
fn coplanar(pair: &Integers) -> Roots {
    let degenerate = pair.normal().iter().all(Poly::is_zero);
    let class = if degenerate { Class::DegenerateAlways } else { Class::CoplanarAlways };
    let mut events: Vec<Poly> = Vec::new();
    let flat = (0..3).find(|&k| (0..3).any(|i| !pair.e[i][k].is_zero()));
    if let Some(k) = flat {
        events.extend((0..3).map(|i| pair.e[i][k].clone()));
        events.push(pair.sum(k));
    } else if let Some(k) = (0..3).find(|&k| (0..3).any(|i| !pair.p[i][k].is_zero())) {
        for i in 0..3 {
            events.push(pair.p[i][k].clone());
            events.push(pair.p[i][k].minus(&pair.p[(i + 1) % 3][k]));
        }
    }
    events.retain(|p| p.degree() > 0);
    // One polynomial with all their roots, each once.
    let all = events.iter().fold(Poly::exactly(vec![Int::from(1u64)]), |all, p| {
        let (simple, _) = p.square_free();
        let common = all.gcd(&simple);
        all.times(&simple.quotient(&common))
    });
    let mut places = if all.degree() > 0 { roots(&all) } else { Vec::new() };
    for place in &mut places {
        place.narrow(&all, NARROW);
    }
    let is = |place: Option<&Place>, c: u64| match place {
        Some(Place::At(at)) => at.c == Int::from(c).shl(at.k),
        _ => false,
    };
    if !is(places.first(), 0) {
        places.insert(0, Place::At(Dyadic::whole(0)));
    }
    if !is(places.last(), 1) {
        places.push(Place::At(Dyadic::whole(1)));
    }
    let at_root: Vec<bool> = places.iter_mut().map(|p| pair.touch(|h| p.sign_of(&all, h))).collect();
    // An instant strictly between neighbouring events; ends of intervals are no events.
    let between = |a: &Place, b: &Place| match (a, b) {
        (Place::Between { .. }, _) => a.high(),
        (_, Place::Between { .. }) => b.low(),
        _ => Dyadic::middle(&a.low(), &b.low()),
    };
    let in_gap: Vec<bool> = places
        .windows(2)
        .map(|w| {
            let at = between(&w[0], &w[1]);
            pair.touch(|h| h.sign_at(&at))
        })
        .collect();
    let mut touching: SmallVec<[[f64; 2]; 2]> = SmallVec::new();
    let mut i = 0;
    while i < places.len() {
        if at_root[i] {
            let first = i;
            // Touching is closed: a gap in which the features touch has both its ends.
            while i < in_gap.len() && in_gap[i] && at_root[i + 1] {
                i += 1;
            }
            touching.push([places[first].enclosure().0, places[i].enclosure().1]);
        }
        i += 1;
    }
    Roots { class, roots: SmallVec::new(), touching }
}
