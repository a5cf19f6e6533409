//! Family `ground`: a vertex against a plane, in closed form (seed 003, ERRATA T7).

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::validate::{not_negative, unit};
use impinge_cpf::{Normalisation, Params, plane_impulse};
use serde::Deserialize;

/// The family.
pub struct Ground;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    p0: [f64; 3],
    p1: [f64; 3],
    normal: [f64; 3],
    offset: f64,
    k: f64,
    dt: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    #[serde(default)]
    interval: Option<[f64; 2]>,
    impulse: [f64; 3],
    tol: f64,
    t_tol: f64,
}

impl Family for Ground {
    const NAME: &'static str = "ground";
    const KEYS: &'static str = "input{p0 p1 normal offset k dt} expected{interval? impulse tol t_tol}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let params = Params::new(input.dt, Normalisation::Constant).map_err(|e| Malformed(e.to_string()))?;
        let normal = unit("normal", input.normal)?;
        not_negative("k", input.k)?;
        let (p0, p1) = (input.p0.into(), input.p1.into());
        let got = plane_impulse(p0, p1, normal, input.offset, input.k, &params);
        out.vector(|| "impulse".into(), normal * got.impulse, expected.impulse.into(), expected.tol);
        match (got.interval, expected.interval) {
            (Some(g), Some(e)) => (0..2).for_each(|i| {
                out.number(|| format!("interval[{i}]"), g[i], e[i], expected.t_tol);
            }),
            (g, e) => {
                out.holds(g.is_none() && e.is_none(), || format!("interval is {g:?}, expected {e:?}"));
            }
        }
        Ok(())
    }
}
