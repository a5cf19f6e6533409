//! Family `mlcp`: the velocity problem with pyramid friction (seed 002 (8)–(10), (16), (17); errata V1, V2), by every solver.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::mlcp_dense::{METHODS, factored, settings};
use super::validate::{not_negative, whole};
use impinge_solvers::mlcp::{Cone, ContactProblem, ContactRows};
use serde::Deserialize;

/// The family.
pub struct Mlcp;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    n: f64,
    A: Vec<Vec<f64>>,
    b: Vec<f64>,
    q0: Vec<f64>,
    contacts: Vec<Contact>,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Contact {
    J: Vec<f64>,
    T: Vec<Vec<f64>>,
    mu: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    dq: Vec<f64>,
    q1: Vec<f64>,
    contacts: Vec<Solved>,
    unique: bool,
    unique_forces: bool,
    tol_velocity: f64,
    tol_force_rel: f64,
}

#[derive(Deserialize)]
struct Solved {
    rho: f64,
    friction: [f64; 2],
    sigma: f64,
    state: State,
    normal_velocity: f64,
    tangential_velocity: [f64; 2],
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum State {
    Separating,
    Stick,
    Slip,
}

impl Solved {
    /// Whether the state named is that of a contact with velocity `u`, of which `allowed` is rounding. A contact that touches
    /// and bears nothing may be called separating; one that parts by hardly more than rounding may be called anything; one that
    /// slides by less slides if the file's own velocity does.
    fn fits(&self, u: [f64; 3], allowed: f64, bears: bool) -> bool {
        let slides = u[1].abs().max(u[2].abs());
        let [x, y] = self.tangential_velocity.map(f64::abs);
        match self.state {
            State::Separating => u[0] > allowed || !bears,
            State::Stick => u[0] <= 10.0 * allowed && slides <= 10.0 * allowed,
            State::Slip => u[0] <= 10.0 * allowed && (slides > allowed || x.max(y) > 1e-6 * allowed),
        }
    }
}

impl Family for Mlcp {
    const NAME: &'static str = "mlcp";
    const KEYS: &'static str = "input{n A b q0 contacts{J T mu} context~} expected{dq q1 contacts{rho friction sigma state normal_velocity \
        tangential_velocity} residual~ unique unique_forces tol_velocity tol_force_rel}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let n = whole(input.n)?;
        let factor = factored(n, &input.A)?;
        let mut rows = ContactRows::new();
        let mut cones = Vec::new();
        let mut longest = 1.0f64;
        for (i, c) in input.contacts.iter().enumerate() {
            let fits = c.J.len() == n && c.T.len() == 4 && c.T.iter().all(|t| t.len() == n);
            let mirrored = fits && (0..2).all(|k| c.T[k].iter().zip(&c.T[k + 2]).all(|(a, b)| *a == -*b));
            if !mirrored {
                return Err(Malformed(format!(
                    "the rows of contact {i} are not J and ±t₁, ±t₂ of length {n}"
                )));
            }
            for row in [&c.J, &c.T[0], &c.T[1]] {
                longest = longest.max(row.iter().map(|x| x.abs()).sum());
                rows.push(row.iter().enumerate().map(|(t, &v)| (t as u32, v)));
            }
            not_negative(&format!("contacts[{i}].mu"), c.mu)?;
            cones.push(Cone::Pyramid { mu: c.mu });
        }
        if [input.b.len(), input.q0.len(), expected.dq.len(), expected.q1.len()] != [n; 4]
            || expected.contacts.len() != cones.len()
        {
            return Err(Malformed("the lengths of b, q0, dq, q1 or contacts do not fit".into()));
        }
        let mut push = input.b.clone();
        factor.solve(&mut push);
        let motion: Vec<f64> = input.q0.iter().zip(&push).map(|(q, d)| q + d).collect();
        let bad = |e| Malformed(format!("{e}"));
        let problem =
            ContactProblem::assemble(&rows, &motion, None, cones, |x| factor.solve(x)).map_err(bad)?;
        // At rest the file's dq is a few ulps of A⁻¹b instead of 0, with a tolerance below that, and a parted contact bears nothing
        // with a tolerance of nothing: no solver is nearer than what it was asked for. Everywhere else this is far below `tol_velocity`.
        let fastest = push.iter().chain(&motion).fold(0.0, |a: f64, b| a.max(b.abs()));
        let tol = expected.tol_velocity.max(10.0 * settings().tolerance * fastest);
        let least = |i: usize| tol / problem.own(i)[0].max(f64::MIN_POSITIVE);
        for (name, method) in METHODS {
            let mut r = vec![[0.0; 3]; input.contacts.len()];
            let outcome = method(&problem, &mut r, &settings());
            out.holds(outcome.converged, || format!("{name}: {outcome}"));
            if !expected.unique {
                continue;
            }
            let mut impulse = input.b.clone();
            rows.add_transposed(&r, &mut impulse);
            factor.solve(&mut impulse);
            for (k, (&got, &want)) in impulse.iter().zip(&expected.dq).enumerate() {
                out.number(|| format!("dq[{k}] by {name}"), got, want, tol);
                out.number(|| format!("q1[{k}] by {name}"), input.q0[k] + got, expected.q1[k], tol);
            }
            let largest = expected.contacts.iter().map(|c| c.rho).fold(0.0, f64::max);
            for (i, want) in expected.contacts.iter().enumerate() {
                let u = problem.velocity(i, &r);
                let allowed = tol * longest;
                out.number(|| format!("normal velocity {i} by {name}"), u[0], want.normal_velocity, allowed);
                for k in 0..2 {
                    let w = want.tangential_velocity[k];
                    out.number(|| format!("tangential velocity {i} by {name}"), u[k + 1], w, allowed);
                }
                let bears = want.rho > expected.tol_force_rel * largest;
                out.holds(want.fits(u, allowed, bears), || {
                    format!("state {i} by {name}: {:?} expected, the velocity is {u:?}", want.state)
                });
                let sigma = problem.cone(i).slip(u);
                if want.state != State::Separating {
                    out.number(|| format!("sigma {i} by {name}"), sigma, want.sigma, allowed);
                } else {
                    // Without a force (16), (17) bound σ from below only, and some leave it out.
                    out.holds(want.sigma == 0.0 || want.sigma >= sigma - allowed, || {
                        format!("sigma {i} by {name} is at least {sigma:e}, expected {:e}", want.sigma)
                    });
                }
                if expected.unique_forces {
                    let allowed = (expected.tol_force_rel * largest).max(settings().tolerance * least(i));
                    out.number(|| format!("rho {i} by {name}"), r[i][0], want.rho, allowed);
                    for k in 0..2 {
                        out.number(
                            || format!("friction {i} by {name}"),
                            r[i][k + 1],
                            want.friction[k],
                            allowed,
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
