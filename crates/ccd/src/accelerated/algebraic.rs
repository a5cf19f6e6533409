//! Roots of integer polynomials in [0, 1] and signs of other polynomials at them.
//!
//! Takes a polynomial without multiple roots, gives its roots in ascending order as open intervals with dyadic ends that
//! hold exactly one root each, or as dyadic numbers where the halving meets one. Method: Vincent, Collins and Akritas
//! (halving with Descartes' rule); it ends because short enough intervals around one simple root, or none, have one
//! variation, or none. The sign of h at a root: halve until Descartes' rule clears h on the interval; where that does not
//! come soon, ask gcd for a common root.

use super::poly::{Dyadic, Poly};
use crate::exact::int::Int;

/// Where a root is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Exactly there.
    At(Dyadic),
    /// The only root in (c/2^k, (c+1)/2^k), whose ends are no roots; `below` is the sign at the lower end.
    Between { low: Dyadic, below: i8 },
}

/// Halvings before a common root is looked for.
const PATIENCE: u32 = 16;

/// The roots of `p` in [0, 1], ascending; `p` is not zero and has no multiple root.
pub(super) fn roots(p: &Poly) -> Vec<Place> {
    isolated(p, u32::MAX).unwrap_or_default()
}

/// [`roots`] of any `p` that is not zero, if all of them in [0, 1] turn out to be simple within 2⁻⁴⁸: an interval with one
/// variation holds a simple root. Saves the greatest common divisor with the derivative, which costs more than the rest.
pub(super) fn simple_roots(p: &Poly) -> Option<Vec<Place>> {
    let places = isolated(p, 48)?;
    let d = p.derivative();
    let simple = |place: &Place| !matches!(place, Place::At(at) if d.sign_at(at) == 0);
    places.iter().all(simple).then_some(places)
}

/// `None` when a piece shorter than 2^-`depth` is not decided.
fn isolated(p: &Poly, depth: u32) -> Option<Vec<Place>> {
    let mut out = Vec::new();
    if p.sign_at(&Dyadic::whole(0)) == 0 {
        out.push(Place::At(Dyadic::whole(0)));
    }
    // Work in descending order on a stack: pieces, and midpoints found to be roots.
    enum Work {
        Piece(Dyadic, Poly),
        Root(Dyadic),
    }
    let mut stack = vec![Work::Piece(Dyadic::whole(0), p.clone())];
    let (zero, one) = (Dyadic::whole(0), Dyadic::whole(1));
    while let Some(work) = stack.pop() {
        let (at, q) = match work {
            Work::Root(at) => {
                out.push(Place::At(at));
                continue;
            }
            Work::Piece(at, q) => (at, q),
        };
        let variations = q.variations();
        if variations == 0 {
            continue;
        }
        let below = q.sign_at(&zero);
        if variations == 1 && below != 0 && q.sign_at(&one) != 0 {
            out.push(Place::Between { low: at, below });
            continue;
        }
        if at.k >= depth {
            return None;
        }
        let left = q.stretched(1);
        let right = left.clone().shifted_by_one();
        let middle = Dyadic { c: &at.c.shl(1) + &Int::from(1u64), k: at.k + 1 };
        let root = right.sign_at(&zero) == 0;
        stack.push(Work::Piece(middle.clone(), right));
        if root {
            stack.push(Work::Root(middle));
        }
        stack.push(Work::Piece(Dyadic { c: at.c.shl(1), k: at.k + 1 }, left));
    }
    if p.sign_at(&one) == 0 {
        out.push(Place::At(one));
    }
    Some(out)
}

impl Place {
    /// A dyadic number not above the root; no root of the same polynomial unless it is this one.
    #[must_use]
    pub fn low(&self) -> Dyadic {
        match self {
            Self::At(at) => at.clone(),
            Self::Between { low, .. } => low.clone(),
        }
    }

    /// A dyadic number not below the root.
    #[must_use]
    pub fn high(&self) -> Dyadic {
        match self {
            Self::At(at) => at.clone(),
            Self::Between { low, .. } => Dyadic { c: &low.c + &Int::from(1u64), k: low.k },
        }
    }

    /// Halves the interval; `p` is the polynomial the root belongs to.
    pub fn halve(&mut self, p: &Poly) {
        let Self::Between { low, below } = self else { return };
        let below = *below;
        let middle = Dyadic { c: &low.c.shl(1) + &Int::from(1u64), k: low.k + 1 };
        *self = match p.sign_at(&middle) {
            0 => Self::At(middle),
            s if s == below => Self::Between { low: middle, below },
            _ => Self::Between { low: Dyadic { c: low.c.shl(1), k: low.k + 1 }, below },
        };
    }

    /// Shrinks the interval to 2^-`k` or shorter. Doubles guess the cell, exact signs at its ends confirm it.
    pub fn narrow(&mut self, p: &Poly, k: u32) {
        let mut c = Vec::new();
        while let Self::Between { low, below } = self
            && low.k < k
        {
            p.on_piece(low).approximately(&mut c);
            let (mut a, mut b) = (0.0, 1.0);
            for _ in 0..54 {
                let x = 0.5 * (a + b);
                let v = c.iter().rev().fold(0.0, |s, c| s * x + c);
                if (v > 0.0) == (*below > 0) { a = x } else { b = x }
            }
            // Not all the digits: the guess is only right up to rounding, and has to fall into the right cell.
            let found = [44u32, 20].iter().find_map(|&j| {
                let cell = (a * libm::exp2(f64::from(j))) as u64;
                let low = Dyadic { c: &low.c.shl(j) + &Int::from(cell), k: low.k + j };
                let here = Self::Between { low, below: *below };
                (p.sign_at(&here.low()) == *below && p.sign_at(&here.high()) == -*below).then_some(here)
            });
            match found {
                Some(place) => *self = place,
                None => self.halve(p),
            }
        }
    }

    /// Sign of `h` at this root from doubles, where that is certain.
    ///
    /// At t off by w + 2u from the root (w the interval's length), Horner's rule with coefficients off by 2u of themselves:
    /// the value is off by at most Σ|c|·(deg·(w + 2u) + (2·deg + 2)·2u).
    fn guess(&self, h: &Poly) -> i8 {
        let Self::Between { low, .. } = self else { return 0 };
        if low.k < 40 {
            return 0;
        }
        let mut c = Vec::new();
        h.approximately(&mut c);
        let (t, u, degree) = (cut(low), f64::EPSILON / 2.0, c.len() as f64);
        let v = c.iter().rev().fold(0.0, |s, c| s * t + c);
        let sum: f64 = c.iter().map(|c| c.abs()).sum();
        let bound =
            sum * (degree * (2.0f64.powi(-(low.k.min(1000) as i32)) + 2.0 * u) + (4.0 * degree + 8.0) * u);
        if v > bound {
            1
        } else if v < -bound {
            -1
        } else {
            0
        }
    }

    /// Sign of `h` at this root of `p`. Halves the interval as far as it has to.
    pub fn sign_of(&mut self, p: &Poly, h: &Poly) -> i8 {
        if h.degree() == 0 {
            return h.sign_at(&Dyadic::whole(0));
        }
        let guess = self.guess(h);
        if guess != 0 {
            return guess;
        }
        let mut halvings = 0;
        loop {
            let Self::Between { low, .. } = self else { return h.sign_at(&self.low()) };
            if h.on_piece(low).variations() == 0 {
                // No root of h inside, so any point inside will do.
                return h.sign_at(&Dyadic::middle(&self.low(), &self.high()));
            }
            if halvings == PATIENCE {
                let g = p.gcd(h);
                // g's roots are among p's: it has this one, simple, or none here.
                if g.sign_at(&self.low()) * g.sign_at(&self.high()) < 0 {
                    return 0;
                }
            }
            halvings += 1;
            self.halve(p);
        }
    }

    /// A double not above the root, and one not below it; neighbours or equal after enough halvings.
    #[must_use]
    pub fn enclosure(&self) -> (f64, f64) {
        let (low, high) = (self.low(), self.high());
        let (t, t_hi) = (cut(&low), cut(&high));
        (t, if exactly(&high, t_hi) { t_hi } else { t_hi.next_up() }.min(1.0))
    }
}

/// The double at or just below a dyadic number in [0, 1].
fn cut(x: &Dyadic) -> f64 {
    let (m, e) = x.c.to_f64_scaled();
    // m has 53 bits; two factors reach the subnormal numbers, where the product may round up.
    let e = (e - i64::from(x.k)).max(-1200) as i32;
    let v = m * 2.0f64.powi(e / 2) * 2.0f64.powi(e - e / 2);
    if v < f64::MIN_POSITIVE && v > 0.0 { v.next_down() } else { v }
}

fn exactly(x: &Dyadic, v: f64) -> bool {
    if v == 0.0 {
        return x.c.is_zero();
    }
    // v = (odd number) · 2^-shift.
    let shift = (1074 + 1).max(x.k as i32);
    Int::from_f64(v, shift) == x.c.shl(shift as u32 - x.k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(c: &[i64]) -> Poly {
        Poly::exactly(c.iter().map(|&c| Int::from(c)).collect())
    }

    /// Roots by hand: 0, 1/3, 1/2, 1 and two that are close together, 1/3 and 1/3 + 1/3000.
    #[test]
    fn isolates_and_encloses() {
        let p = poly(&[0, 1]).times(&poly(&[-1, 3])).times(&poly(&[-1, 2])).times(&poly(&[-1, 1]));
        let p = p.times(&poly(&[-1001, 3000])).times(&poly(&[-3, 2]));
        let want = [0.0, 1.0 / 3.0, 1001.0 / 3000.0, 0.5, 1.0];
        let mut found = roots(&p);
        assert_eq!(found.len(), want.len());
        for (place, want) in found.iter_mut().zip(want) {
            for _ in 0..70 {
                place.halve(&p);
            }
            let (t, t_hi) = place.enclosure();
            assert!(t <= want && want <= t_hi && t_hi - t <= 1.2e-16, "{t} {want} {t_hi}");
        }
        assert_eq!(found[3].enclosure(), (0.5, 0.5));
        assert_eq!(found[0].enclosure(), (0.0, 0.0));
    }

    /// Signs at √½ = 0.7071…: of t² − ½ times anything 0, of t − 7071/10000 and far closer ones right.
    #[test]
    fn signs_at_a_root() {
        let p = poly(&[-1, 0, 2]);
        let place = roots(&p).remove(0);
        assert_eq!(place.clone().sign_of(&p, &poly(&[-1, 0, 2]).times(&poly(&[5, 1]))), 0);
        assert_eq!(place.clone().sign_of(&p, &poly(&[-7071, 10000])), 1);
        assert_eq!(place.clone().sign_of(&p, &poly(&[-7072, 10000])), -1);
        // Continued fraction of √½ alternates around it.
        let (mut a, mut b) = ((1i64, 1i64), (2i64, 3i64));
        for i in 0..20 {
            let sign = if i % 2 == 0 { -1 } else { 1 };
            assert_eq!(place.clone().sign_of(&p, &poly(&[-a.0, a.1])), sign, "{a:?}");
            (a, b) = (b, (a.0 + 2 * b.0, a.1 + 2 * b.1));
        }
        assert_eq!(place.clone().sign_of(&p, &Poly::default()), 0);
        assert_eq!(place.clone().sign_of(&p, &poly(&[-3])), -1);
    }
}
