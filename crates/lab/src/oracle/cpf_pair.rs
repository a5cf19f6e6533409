//! Family `cpf_pair`: continuous penalty impulses of vertex–face and edge–edge pairs (seed 000, ERRATA C1 to C13), with the
//! paper's constant L_k and with exact normals.
//!
//! The intervals are decided exactly, so they are compared in every case, also where a computation in doubles might decide
//! otherwise (`robust` is false). Impulses too: in those cases the file has the exact answer as well.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::feature_pair::{self, Begins, FeaturePair, signed};
use impinge_ccd::Opens;
use impinge_cpf::{Normalisation, PairImpulses, Params, on_points_by_first_contact, pair_impulses};
use impinge_geometry::DVec3;
use serde::Deserialize;

/// The family.
pub struct CpfPair;

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    #[serde(rename = "L")]
    l: [f64; 5],
    #[serde(rename = "Lk")]
    lk: f64,
    intervals: Vec<ExpectedInterval>,
    #[serde(rename = "I_approx")]
    total_approx: [f64; 3],
    #[serde(rename = "I_exact")]
    total_exact: [f64; 3],
    impulses_approx: [[f64; 3]; 4],
    impulses_exact: [[f64; 3]; 4],
    impulses_approx_single_w: [[f64; 3]; 4],
    impulses_exact_single_w: [[f64; 3]; 4],
    tol_total: f64,
    tol_points: f64,
    robust: bool,
    classification: String,
}

#[derive(Deserialize)]
struct ExpectedInterval {
    ta: f64,
    tb: f64,
    side: f64,
    entry: Begins,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(rename = "I_approx")]
    approx: [f64; 3],
    #[serde(rename = "I_exact")]
    exact: [f64; 3],
}

/// What the file says about one way of normalising.
struct Way<'a> {
    name: &'static str,
    normalisation: Normalisation,
    total: [f64; 3],
    points: &'a [[f64; 3]; 4],
    single: &'a [[f64; 3]; 4],
    of: fn(&ExpectedInterval) -> [f64; 3],
}

impl Family for CpfPair {
    const NAME: &'static str = "cpf_pair";
    const KEYS: &'static str = "input{pair x0 x1 initial?{side weights?} k dt} expected{L Lk \
        intervals{ta tb side entry weights? I_approx I_exact} I_approx I_exact impulses_approx impulses_exact \
        impulses_approx_single_w impulses_exact_single_w tol_total tol_points robust classification}";
    type Input = feature_pair::Input;
    type Expected = Expected;

    fn check(input: &Self::Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let pair = input.pair()?;
        pair.classification(&expected.classification, out)?;
        lengths(&pair, expected, out);
        for way in [
            Way {
                name: "approx",
                normalisation: Normalisation::Constant,
                total: expected.total_approx,
                points: &expected.impulses_approx,
                single: &expected.impulses_approx_single_w,
                of: |i| i.approx,
            },
            Way {
                name: "exact",
                normalisation: Normalisation::Exact { tolerance: 1e-12 },
                total: expected.total_exact,
                points: &expected.impulses_exact,
                single: &expected.impulses_exact_single_w,
                of: |i| i.exact,
            },
        ] {
            let params = Params::new(pair.dt, way.normalisation).map_err(|e| Malformed(e.to_string()))?;
            let got = pair_impulses(
                pair.kind,
                &pair.x0,
                &pair.x1,
                pair.carried.as_ref(),
                Opens::FromBothSides,
                pair.k,
                &params,
            );
            compare(&way, &got.map_err(|e| Malformed(e.to_string()))?, &pair, expected, out)?;
        }
        Ok(())
    }
}

/// L₀…L₄ and L_k: products of four lengths, compared relative to the largest.
fn lengths(pair: &FeaturePair, expected: &Expected, out: &mut Comparison) {
    let n = impinge_ccd::normal_coefficients(pair.kind, &pair.x0, &pair.x1);
    let l = impinge_ccd::length_squared_coefficients(&n);
    let span = |a: usize, b: usize| (pair.x0[a] - pair.x0[b]).mag().max((pair.x1[a] - pair.x1[b]).mag());
    let largest = match pair.kind {
        impinge_ccd::Kind::VertexFace => span(2, 1) * span(3, 1),
        impinge_ccd::Kind::EdgeEdge => span(1, 0) * span(3, 2),
    };
    let size = expected.l.iter().fold(largest * largest * 1e-3, |a, b| a.max(b.abs()));
    for i in 0..5 {
        out.number(|| format!("L[{i}]"), l[i], expected.l[i], 1e-12 * size);
    }
    out.number(|| "Lk".into(), impinge_ccd::rms_length(&l), expected.lk, 1e-12 * size.sqrt());
}

fn compare(
    way: &Way<'_>,
    got: &PairImpulses,
    pair: &FeaturePair,
    expected: &Expected,
    out: &mut Comparison,
) -> Result<(), Malformed> {
    let name = way.name;
    let want = &expected.intervals;
    out.holds(got.len() == want.len(), || format!("intervals: {}, expected {}", got.len(), want.len()));
    if got.len() != want.len() {
        return Ok(());
    }
    let mut total = DVec3::zero();
    let mut points = [DVec3::zero(); 4];
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        // The schema gives no tolerance for times here; `ccd_pair` of the same id compares them tightly. A time that is off
        // by 1e-6 would be off by the size of the step.
        out.number(|| format!("intervals[{i}].ta"), g.t_in, w.ta, 1e-6);
        out.number(|| format!("intervals[{i}].tb"), g.t_out, w.tb, 1e-6);
        let entry = Begins::from(g.entry);
        out.holds(f64::from(g.side) == w.side && entry == w.entry, || {
            format!("intervals[{i}]: side {}, {entry:?}; expected {}, {:?}", g.side, w.side, w.entry)
        });
        let contact = w.entry == Begins::Contact;
        if expected.robust && contact && w.weights.is_none() {
            return Err(Malformed(format!("intervals[{i}] has no `weights`")));
        }
        if let (Some(weights), true) = (&w.weights, expected.robust) {
            let weights = signed(pair.kind, weights)?;
            for k in 0..4 {
                out.number(|| format!("intervals[{i}].weights[{k}]"), g.weight[k], weights[k], 1e-6);
            }
        }
        let place = || format!("intervals[{i}].I_{name}");
        out.vector(place, g.impulse, (way.of)(w).into(), expected.tol_total);
        total += g.impulse;
        for (p, i) in points.iter_mut().zip(g.on_points()) {
            *p += i;
        }
    }
    out.vector(|| format!("I_{name}"), total, way.total.into(), expected.tol_total);
    let single = on_points_by_first_contact(got);
    let push = points.iter().fold(DVec3::zero(), |sum, p| sum + *p);
    out.vector(|| format!("{name}: sum over the points"), push, DVec3::zero(), 1e-14 * total.mag() + 1e-300);
    // Weights where the features are parallel at the contact are a choice.
    if expected.robust {
        for k in 0..4 {
            let tol = expected.tol_points;
            out.vector(|| format!("impulses_{name}[{k}]"), points[k], way.points[k].into(), tol);
            out.vector(|| format!("impulses_{name}_single_w[{k}]"), single[k], way.single[k].into(), tol);
        }
    }
    Ok(())
}
