//! Family `friction`: a point dragged over a plane through the anchored friction law of seed 003, step by step.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::validate::{not_negative, unit};
use impinge_contact::{FrictionLaw, SlipRule, SlipState, anchored};
use impinge_geometry::DVec3;
use serde::Deserialize;

/// The family.
pub struct Friction;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    normal: [f64; 3],
    positions: Vec<[f64; 3]>,
    slip_velocities: Vec<[f64; 3]>,
    normal_forces: Vec<f64>,
    k_fp: f64,
    k_fd: f64,
    mu_s: f64,
    mu_d: f64,
    k_omega: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    steps: Vec<Step>,
    tol_rel: f64,
}

#[derive(Deserialize)]
struct Step {
    state: State,
    force: [f64; 3],
    #[serde(default)]
    p_ref: Option<[f64; 3]>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum State {
    Static,
    Dynamic,
    None,
}

impl From<SlipState> for State {
    fn from(s: SlipState) -> Self {
        match s {
            SlipState::Static => Self::Static,
            SlipState::Dynamic => Self::Dynamic,
            SlipState::Open => Self::None,
        }
    }
}

impl Family for Friction {
    const NAME: &'static str = "friction";
    const KEYS: &'static str = "input{normal positions slip_velocities normal_forces k_fp k_fd mu_s mu_d k_omega} \
        expected{steps{state force p_ref?} tol_rel min_switch_margin~}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let n = input.positions.len();
        if [input.slip_velocities.len(), input.normal_forces.len(), expected.steps.len()] != [n; 3] {
            return Err(Malformed(
                "`positions`, `slip_velocities`, `normal_forces` and `steps` differ in length".into(),
            ));
        }
        let normal = unit("normal", input.normal)?;
        for (name, x) in [
            ("k_fp", input.k_fp),
            ("k_fd", input.k_fd),
            ("mu_s", input.mu_s),
            ("mu_d", input.mu_d),
            ("k_omega", input.k_omega),
        ] {
            not_negative(name, x)?;
        }
        let law = FrictionLaw {
            mu_s: input.mu_s,
            mu_k: input.mu_d,
            k_fp: input.k_fp,
            k_fd: input.k_fd,
            k_omega: input.k_omega,
            rule: SlipRule::Yamane,
        };
        let largest =
            |v: &mut dyn Iterator<Item = [f64; 3]>| v.map(|f| DVec3::from(f).mag()).fold(0.0, f64::max);
        let tol_force = expected.tol_rel * largest(&mut expected.steps.iter().map(|s| s.force));
        // The schema gives no tolerance for the anchor; it is one of the positions, so it scales with them.
        let tol_anchor = expected.tol_rel * largest(&mut input.positions.iter().copied());
        let (mut anchor, mut slipping) = (None, false);
        for (i, step) in expected.steps.iter().enumerate() {
            let got = anchored(
                &law,
                normal,
                input.positions[i].into(),
                input.slip_velocities[i].into(),
                input.normal_forces[i],
                anchor,
                slipping,
            );
            let state = State::from(got.state);
            out.holds(state == step.state, || {
                format!("steps[{i}].state is {state:?}, expected {:?}", step.state)
            });
            out.vector(|| format!("steps[{i}].force"), got.force, step.force.into(), tol_force);
            match (got.anchor, step.p_ref) {
                (Some(a), Some(b)) => out.vector(|| format!("steps[{i}].p_ref"), a, b.into(), tol_anchor),
                (a, b) => out.holds(a.is_none() && b.is_none(), || {
                    format!("steps[{i}].p_ref is {a:?}, expected {b:?}")
                }),
            }
            (anchor, slipping) = (got.anchor, got.state == SlipState::Dynamic);
        }
        Ok(())
    }
}
