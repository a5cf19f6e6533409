//! From an interval that holds one root to the two neighbouring doubles around it.
//!
//! Takes a function that tells exactly on which side of a double the root lies, gives the largest double ≤ the root and the
//! smallest ≥ it. The enclosure is a property of the root alone, so the same times come out on every machine and from
//! whatever guess the search starts.

/// What is known after looking at a double.
pub(super) struct Side {
    /// 1 when the root is larger, −1 when it is smaller, 0 when it is this double.
    pub to_root: i8,
    /// Where to look next; NaN for no opinion.
    pub next: f64,
}

impl Side {
    #[must_use]
    pub fn of(to_root: i8) -> Self {
        Self { to_root, next: f64::NAN }
    }
}

/// Where the search stands: the root is in ]lo, hi[.
pub(super) struct Search {
    pub lo: f64,
    pub hi: f64,
    /// Doubles looked at so far.
    pub looks: u32,
}

/// Looks that follow `Side::next` or grow from the start, before plain halving takes over.
const SMART: u32 = 12;

/// Encloses the root in ]lo, hi[, 0 ≤ lo < hi ≤ 1; `side` says where it lies seen from a double between them.
pub(super) fn tighten(side: impl Fn(f64, &Search) -> Side, lo: f64, hi: f64, start: f64) -> [f64; 2] {
    let mut at = Search { lo, hi, looks: 0 };
    let mut x = start;
    let mut stride = 1u64;
    loop {
        if at.lo.next_up() >= at.hi {
            return [at.lo, at.hi];
        }
        if !(at.lo < x && x < at.hi) || at.looks >= SMART {
            // Halving the bit patterns: at most 62 times, whatever the magnitude.
            x = f64::from_bits(at.lo.to_bits().midpoint(at.hi.to_bits()));
        }
        let Side { to_root, next } = side(x, &at);
        at.looks += 1;
        let here = x.to_bits();
        match to_root {
            0 => return [x, x],
            1 => at.lo = x,
            _ => at.hi = x,
        }
        let step = |by: u64| {
            f64::from_bits(if to_root > 0 { here.saturating_add(by) } else { here.saturating_sub(by) })
        };
        x = if next.is_nan() {
            // Saturates after the first dozen looks, when halving has long taken over.
            let by = stride;
            stride = stride.saturating_mul(8);
            step(by)
        } else if next != x && (to_root > 0) == (next > x) {
            next
        } else {
            // The step is less than half a spacing: the root lies before the neighbour.
            step(1)
        };
    }
}

/// A double near the root in [lo, hi] of the cubic `c`, which has the sign of `before` at `lo`.
///
/// The last step is left out: the search goes on with exact values.
pub(super) fn guess(c: [f64; 4], mut lo: f64, mut hi: f64, before: f64) -> f64 {
    let [c0, c1, c2, c3] = c;
    if c3 == 0.0 {
        // Both roots of the quadratic without cancellation; one is meant.
        let root = (c1 * c1 - 4.0 * c2 * c0).max(0.0).sqrt();
        let q = -0.5 * (c1 + if c1 < 0.0 { -root } else { root });
        let [x, y] = [q / c2, c0 / q];
        return if lo < x && x < hi { x } else { y };
    }
    let value = |t: f64| before * (c0 + t * (c1 + t * (c2 + t * c3)));
    let (at_lo, at_hi) = (value(lo), value(hi));
    let mut x = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
    for _ in 0..60 {
        if !(lo < x && x < hi) {
            x = 0.5 * (lo + hi);
        }
        let here = value(x);
        if here > 0.0 {
            lo = x;
        } else {
            hi = x;
        }
        // Halley.
        let slope = before * (c1 + x * (2.0 * c2 + x * (3.0 * c3)));
        let half_bend = before * (c2 + x * (3.0 * c3));
        let step = here * slope / (slope * slope - here * half_bend);
        let next = x - step;
        if step.abs() <= 1e-6 * x.abs() {
            return next;
        }
        x = next;
    }
    0.5 * (lo + hi)
}
