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
    pub fn of(to_root: i8) -> Self {
        Self { to_root, next: f64::NAN }
    }
}

/// Looks that follow `Side::next` or grow from the start, before plain halving takes over.
const SMART: u32 = 12;

/// Encloses the root in ]lo, hi[, 0 ≤ lo < hi ≤ 1.
pub(super) fn tighten(side: impl Fn(f64) -> Side, mut lo: f64, mut hi: f64, start: f64) -> [f64; 2] {
    let mut x = start;
    let mut stride = 1;
    let mut looks = 0;
    loop {
        if lo.next_up() >= hi {
            return [lo, hi];
        }
        if !(lo < x && x < hi) || looks >= SMART {
            // Halving the bit patterns: at most 62 times, whatever the magnitude.
            x = f64::from_bits(lo.to_bits().midpoint(hi.to_bits()));
        }
        looks += 1;
        let Side { to_root, next } = side(x);
        let here = x.to_bits();
        match to_root {
            0 => return [x, x],
            1 => lo = x,
            _ => hi = x,
        }
        let step = |by: u64| f64::from_bits(if to_root > 0 { here + by } else { here.saturating_sub(by) });
        x = if next.is_nan() {
            stride *= 8;
            step(stride / 8)
        } else if (to_root > 0) == (next > x) && next != x {
            // A step on the right side; when it is far, one beyond would not help.
            next
        } else {
            // Newton stays, or the residual is below what the slope can tell: the neighbour is on the other side.
            step(1)
        };
    }
}

/// A double near the root of the cubic `c` in [lo, hi], at whose left end its sign is that of `before`.
pub(super) fn guess(c: [f64; 4], mut lo: f64, mut hi: f64, before: f64) -> f64 {
    let value = |t: f64| before * (c[0] + t * (c[1] + t * (c[2] + t * c[3])));
    let slope = |t: f64| before * (c[1] + t * (2.0 * c[2] + t * (3.0 * c[3])));
    let (at_lo, at_hi) = (value(lo), value(hi));
    let mut x = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
    for _ in 0..50 {
        if !(lo < x && x < hi) {
            x = 0.5 * (lo + hi);
        }
        let here = value(x);
        if here > 0.0 {
            lo = x;
        } else {
            hi = x;
        }
        let next = x - here / slope(x);
        // Convergence is quadratic: `next` is as good as doubles make it.
        if (next - x).abs() <= 1e-8 * x {
            return next;
        }
        x = next;
    }
    x
}
