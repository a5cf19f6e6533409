//! Family `ccd_pair`: roots, contact times and penetration intervals of vertex–face and edge–edge pairs (seed 000,
//! conventions of ERRATA C10 and C13).
//!
//! The kernels decide exactly, so classification, number of roots, flags, signs and intervals are compared in every
//! case, also where the file says that a computation in doubles may differ (`robust_events`, `robust_intervals`).
//! The cubic itself is not an output of the kernels: it is multiplied out here, and the kernel's roots are held to be roots of it.
//! Weights of degenerate features (`parallel`) are a choice; they are held to be convex and to meet, not to be equal.

use super::compare::{Comparison, Malformed};
use super::cubic::Cubic;
use super::family::Family;
use super::feature_pair::{Begins, Initial, Pair, signed};
use impinge_ccd::{Class, Kind, Opens, Root, Roots, contact_weights, first_contact, intervals, roots};
use impinge_geometry::DVec3;
use serde::Deserialize;

/// The family.
pub struct CcdPair;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    pair: Pair,
    x0: [[f64; 3]; 4],
    x1: [[f64; 3]; 4],
    #[serde(default)]
    initial: Option<Initial>,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    coeffs: [f64; 4],
    coeff_tol: f64,
    classification: Classification,
    roots: Vec<ExpectedRoot>,
    degenerate_times: Vec<f64>,
    contact_times: Vec<f64>,
    #[serde(default)]
    first_contact: Option<f64>,
    #[serde(default)]
    coplanar_contact: Option<Vec<[f64; 2]>>,
    intervals: Vec<ExpectedInterval>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Classification {
    Regular,
    DegenerateInstant,
    DegenerateAlways,
    CoplanarAlways,
}

impl From<Class> for Classification {
    fn from(c: Class) -> Self {
        match c {
            Class::Regular => Self::Regular,
            Class::DegenerateInstant => Self::DegenerateInstant,
            Class::DegenerateAlways => Self::DegenerateAlways,
            Class::CoplanarAlways => Self::CoplanarAlways,
        }
    }
}

#[derive(Deserialize)]
struct ExpectedRoot {
    t: f64,
    t_tol: f64,
    multiplicity: f64,
    sign_change: bool,
    inside: bool,
    parallel: bool,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(default)]
    w_tol: Option<f64>,
}

#[derive(Deserialize)]
struct ExpectedInterval {
    ta: f64,
    tb: f64,
    side: f64,
    entry: Begins,
    #[serde(default)]
    weights: Option<Vec<f64>>,
}

/// Times the schema gives no tolerance for (`degenerate_times`, `coplanar_contact`): roots of quadratics of numbers
/// around 1, in doubles.
const TIME: f64 = 1e-12;

impl Family for CcdPair {
    const NAME: &'static str = "ccd_pair";
    const KEYS: &'static str = "input{pair x0 x1 initial?{side weights?}} expected{coeffs coeff_tol classification \
        roots{t t_tol multiplicity sign_change inside parallel weights? w_tol?} degenerate_times contact_times first_contact? \
        coplanar_contact? intervals{ta tb side entry weights?} robust_events~ robust_intervals~ why~}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let kind = input.pair.kind();
        let (x0, x1) = (input.x0.map(DVec3::from), input.x1.map(DVec3::from));
        let found = match roots(kind, &x0, &x1) {
            Ok(r) => r,
            Err(e) => return Err(Malformed(e.to_string())),
        };
        let case = Case { kind, x0, x1, expected };
        case.classification(&found, out);
        // Roots of the vanishing normal alone are no events (C13).
        let events: Vec<&Root> = found.roots.iter().filter(|r| r.reduced_multiplicity() > 0).collect();
        case.events(&events, out)?;
        case.contacts(&found, &events, out);
        case.intervals(input.initial.as_ref(), &events, out)
    }
}

struct Case<'a> {
    kind: Kind,
    x0: [DVec3; 4],
    x1: [DVec3; 4],
    expected: &'a Expected,
}

impl Case<'_> {
    fn classification(&self, found: &Roots, out: &mut Comparison) {
        let (got, expected) = (Classification::from(found.class), self.expected.classification);
        out.holds(got == expected, || format!("classification is {got:?}, expected {expected:?}"));
        let flat = !matches!(found.class, Class::Regular | Class::DegenerateInstant);
        let [c0, c1, c2, c3] = self.expected.coeffs;
        let tol = self.expected.coeff_tol;
        let cubic = Cubic::new(self.kind, &self.x0, &self.x1);
        for (i, &want) in self.expected.coeffs.iter().enumerate() {
            out.number(|| format!("coeffs[{i}]"), cubic.f[i], want, tol + cubic.rounding[i]);
        }
        for (i, r) in found.roots.iter().enumerate() {
            let t = 0.5 * (r.t + r.t_hi);
            let f = c0 + t * (c1 + t * (c2 + t * c3));
            // Four coefficients, the width of the enclosure, and the rounding of this evaluation.
            let slope = c1.abs() + 2.0 * c2.abs() + 3.0 * c3.abs();
            let allowed = 4.0 * tol + slope * (r.t_hi - r.t + f64::EPSILON) + 4.0 * f64::EPSILON * c0.abs();
            out.number(|| format!("coeffs at root {i}, t = {t:e}: f"), f, 0.0, allowed);
        }
        // Where f vanishes throughout, the kernel has no roots to tell of; m still vanishes at times.
        let times = if flat {
            cubic.vanishing()
        } else {
            Some(found.roots.iter().filter(|r| r.vanishing > 0).map(|r| 0.5 * (r.t + r.t_hi)).collect())
        };
        let expected = &self.expected.degenerate_times;
        let Some(times) = times else {
            out.holds(expected.is_sorted(), || format!("degenerate_times are {expected:?}, not in order"));
            return;
        };
        if same_length("degenerate_times", times.len(), expected.len(), out) {
            for (i, (&got, &t)) in times.iter().zip(expected).enumerate() {
                out.number(|| format!("degenerate_times[{i}]"), got, t, TIME);
            }
        }
    }

    fn events(&self, events: &[&Root], out: &mut Comparison) -> Result<(), Malformed> {
        let expected = &self.expected.roots;
        if !same_length("roots", events.len(), expected.len(), out) {
            return Ok(());
        }
        for (i, (got, want)) in events.iter().zip(expected).enumerate() {
            // The lower end is the time in use; the upper one shows how well it is known.
            out.number(|| format!("roots[{i}].t"), got.t, want.t, want.t_tol);
            out.holds(got.t_hi + want.t_tol >= want.t, || {
                format!("roots[{i}] is before {:e}, expected {:e}", got.t_hi, want.t)
            });
            let m = got.reduced_multiplicity();
            out.number(|| format!("roots[{i}].multiplicity"), f64::from(m), want.multiplicity, 0.0);
            let flags = [m % 2 == 1, got.inside, got.vanishing > 0];
            let wanted = [want.sign_change, want.inside, want.parallel];
            out.holds(flags == wanted, || {
                format!("roots[{i}]: sign_change, inside, parallel are {flags:?}, expected {wanted:?}")
            });
            if want.inside && !want.parallel && (want.weights.is_none() || want.w_tol.is_none()) {
                return Err(Malformed(format!("roots[{i}] is inside and has no `weights` or `w_tol`")));
            }
            if let Some(w) = &want.weights {
                let w = signed(self.kind, w)?;
                let t = 0.5 * (got.t + got.t_hi);
                let weight = contact_weights(self.kind, &self.x0, &self.x1, t);
                // Beside the features the kernel gives the nearest weights that are in use.
                if want.inside && !want.parallel {
                    // The tolerance is for the listed time; the kernel's may be off by the width of its enclosure.
                    let tol = want.w_tol.unwrap_or(0.0) + self.pace(t) * (got.t_hi - got.t);
                    self.weights(&format!("roots[{i}]"), weight, w, tol, out);
                }
            }
        }
        Ok(())
    }

    /// Largest change of the weights per unit of time around `t`, from weights a little earlier and later.
    fn pace(&self, t: f64) -> f64 {
        let d = 1e-7;
        let [a, b] = [t - d, t + d].map(|t| contact_weights(self.kind, &self.x0, &self.x1, t));
        (0..4).map(|i| (b[i] - a[i]).abs() / d).fold(0.0, f64::max)
    }

    fn weights(&self, place: &str, got: [f64; 4], want: [f64; 4], tol: f64, out: &mut Comparison) {
        for k in 0..4 {
            out.number(|| format!("{place}.weights[{k}], signed"), got[k], want[k], tol);
        }
    }

    fn contacts(&self, found: &Roots, events: &[&Root], out: &mut Comparison) {
        let e = self.expected;
        let tol = |t: f64| e.roots.iter().find(|r| r.t == t).map_or(TIME, |r| r.t_tol);
        let times: Vec<f64> = events.iter().filter(|r| r.inside).map(|r| r.t).collect();
        if same_length("contact_times", times.len(), e.contact_times.len(), out) {
            for (i, (&got, &t)) in times.iter().zip(&e.contact_times).enumerate() {
                out.number(|| format!("contact_times[{i}]"), got, t, tol(t));
            }
        }
        match (times.first(), e.first_contact) {
            (Some(&got), Some(t)) => out.number(|| "first_contact".into(), got, t, tol(t)),
            (got, t) => {
                out.holds(got.is_none() && t.is_none(), || {
                    format!("first_contact is {got:?}, expected {t:?}")
                });
            }
        }
        // The decision knows contact at a vanishing normal and in plane motion too; the schema leaves those out.
        let one = first_contact(self.kind, &self.x0, &self.x1).ok().flatten();
        let touch = found.touch();
        out.holds(one.is_some() == touch, || format!("first contact is {one:?}, and the roots say {touch}"));
        if let (Some(c), Some(first)) = (one, found.first_contact()) {
            out.number(|| "time of the first contact".into(), c.t, first, 0.0);
            let fine = c.normal.mag() <= 1.0 + 1e-14 && c.weight.iter().all(|w| w.abs() <= 1.0);
            out.holds(fine, || format!("first contact is {c:?}"));
        }
        if e.classification == Classification::CoplanarAlways {
            let want = e.coplanar_contact.as_deref().unwrap_or(&[]);
            if same_length("coplanar_contact", found.touching.len(), want.len(), out) {
                for (i, (got, t)) in found.touching.iter().zip(want).enumerate() {
                    (0..2).for_each(|k| {
                        out.number(|| format!("coplanar_contact[{i}][{k}]"), got[k], t[k], TIME)
                    });
                }
            }
        }
    }

    fn intervals(
        &self,
        initial: Option<&Initial>,
        events: &[&Root],
        out: &mut Comparison,
    ) -> Result<(), Malformed> {
        let carried = initial.map(|i| i.carried(self.kind)).transpose()?;
        let got = intervals(self.kind, &self.x0, &self.x1, carried.as_ref(), Opens::FromBothSides);
        let got = got.map_err(|e| Malformed(e.to_string()))?;
        let expected = &self.expected.intervals;
        if !same_length("intervals", got.len(), expected.len(), out) {
            return Ok(());
        }
        for (i, (g, want)) in got.iter().zip(expected).enumerate() {
            let root = |t: f64| self.expected.roots.iter().find(|r| r.t == t);
            let tol = |t: f64| root(t).map_or(0.0, |r| r.t_tol);
            out.number(|| format!("intervals[{i}].ta"), g.t_in, want.ta, tol(want.ta));
            out.number(|| format!("intervals[{i}].tb"), g.t_out, want.tb, tol(want.tb));
            out.number(|| format!("intervals[{i}].side"), f64::from(g.side), want.side, 0.0);
            let entry = Begins::from(g.entry);
            out.holds(entry == want.entry, || {
                format!("intervals[{i}].entry is {entry:?}, expected {:?}", want.entry)
            });
            out.number(|| format!("intervals[{i}].normal, length"), g.normal.mag(), 1.0, 1e-14);
            let opened = root(want.ta).filter(|_| want.entry == Begins::Contact);
            let Some(w) = &want.weights else {
                // They are unknown where they were carried and unknown then, and a choice where features are parallel.
                let carried = want.entry == Begins::Initial;
                let known = if carried { initial.is_some_and(|i| i.weights.is_some()) } else { true };
                if known && !opened.is_some_and(|r| r.parallel) {
                    return Err(Malformed(format!("intervals[{i}] has no `weights`")));
                }
                continue;
            };
            let w = signed(self.kind, w)?;
            let tol = match opened {
                // Carried over: the same numbers.
                None => 0.0,
                Some(r) if r.parallel => continue,
                Some(r) => {
                    let width = events.iter().find(|e| e.t == g.t_in).map_or(0.0, |e| e.t_hi - e.t);
                    r.w_tol.unwrap_or(0.0) + self.pace(g.t_in) * width
                }
            };
            self.weights(&format!("intervals[{i}]"), g.weight, w, tol, out);
        }
        Ok(())
    }
}

/// Notes that two lists have one length.
fn same_length(name: &str, got: usize, expected: usize, out: &mut Comparison) -> bool {
    out.holds(got == expected, || format!("{name}: {got}, expected {expected}"));
    got == expected
}
