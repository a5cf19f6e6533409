//! Family `dpf_ccd_pair`: discrete penalty impulses on features tracked by CCD, evaluated at the end of the step.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::feature_pair::{self, signed};
use impinge_ccd::Opens;
use impinge_cpf::tracked_discrete;
use impinge_geometry::DVec3;
use serde::Deserialize;

/// The family.
pub struct DpfCcdPair;

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    depth: f64,
    #[serde(default)]
    side: Option<f64>,
    #[serde(default)]
    normal: Option<[f64; 3]>,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    impulse: [f64; 3],
    impulses: [[f64; 3]; 4],
    tol: f64,
    robust: bool,
    classification: String,
}

impl Family for DpfCcdPair {
    const NAME: &'static str = "dpf_ccd_pair";
    const KEYS: &'static str = "input{pair x0 x1 initial?{side weights?} k dt} expected{depth side? normal? weights? impulse impulses \
        tol robust classification}";
    type Input = feature_pair::Input;
    type Expected = Expected;

    fn check(input: &Self::Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let p = input.pair()?;
        p.classification(&expected.classification, out)?;
        let both = Opens::FromBothSides;
        let got = tracked_discrete(p.kind, &p.x0, &p.x1, p.carried.as_ref(), both, p.k, p.dt);
        let got = got.map_err(|e| Malformed(e.to_string()))?;
        let tol = expected.tol;
        // The tolerance is that of an impulse k Δt δ.
        let depth = got.map_or(0.0, |g| g.depth);
        out.number(|| "depth".into(), depth, expected.depth, tol / (p.k * p.dt));
        let impulse = got.map_or(DVec3::zero(), |g| g.impulse);
        out.vector(|| "impulse".into(), impulse, expected.impulse.into(), tol);
        let points = got.map_or([DVec3::zero(); 4], |g| g.on_points());
        let sum = points.iter().fold(DVec3::zero(), |s, p| s + *p);
        out.vector(|| "sum over the points".into(), sum, DVec3::zero(), 1e-14 * impulse.mag() + 1e-300);
        if expected.robust {
            for k in 0..4 {
                out.vector(|| format!("impulses[{k}]"), points[k], expected.impulses[k].into(), tol);
            }
        }
        let (Some(side), Some(normal)) = (expected.side, expected.normal) else {
            if expected.depth > 0.0 || expected.side.is_some() || expected.normal.is_some() {
                return Err(Malformed(
                    "a pair with a depth at the end needs `side`, `normal`, `weights`".into(),
                ));
            }
            return Ok(());
        };
        if expected.weights.is_none() && expected.robust {
            return Err(Malformed("a pair with a depth at the end needs `weights`".into()));
        }
        let Some(g) = got else {
            out.holds(false, || "the pair is free at the end; expected to penetrate".to_string());
            return Ok(());
        };
        out.holds(f64::from(g.side) == side, || format!("side is {}, expected {side}", g.side));
        // Relative accuracy of the impulse is that of its direction.
        out.vector(|| "normal".into(), g.normal, normal.into(), 1e-9);
        if let (Some(w), true) = (&expected.weights, expected.robust) {
            let w = signed(p.kind, w)?;
            for k in 0..4 {
                out.number(|| format!("weights[{k}]"), g.weight[k], w[k], 1e-6);
            }
        }
        Ok(())
    }
}
