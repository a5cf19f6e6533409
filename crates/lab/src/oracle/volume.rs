//! Family `volume`: the exact intersection volume of two closed meshes, its gradient, and the contact frame (seed 002 §3.2,
//! 4.2; errata V3, V8).
//!
//! `size` of the centres' tolerance is not defined by the schema; the diagonal of the bounds of both bodies is used.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::volume_body::Mesh;
use impinge_geometry::DVec3;
use impinge_volume::{ContactFrame, Evaluate, Exact, Overlap, normal_row};
use serde::Deserialize;

/// The family.
pub struct Volume;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    A: Mesh,
    B: Mesh,
}

/// `expected` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Expected {
    volume: f64,
    tol_volume: f64,
    tol_grad: f64,
    gradient_valid: bool,
    #[serde(default)]
    grad_A: Option<Vec<[f64; 3]>>,
    #[serde(default)]
    grad_B: Option<Vec<[f64; 3]>>,
    #[serde(default)]
    rigid_A: Option<Rigid>,
    #[serde(default)]
    rigid_B: Option<Rigid>,
    #[serde(default)]
    frame: Option<Frame>,
    #[serde(default)]
    v_rel: Option<[f64; 3]>,
    #[serde(default)]
    average_depth: Option<f64>,
}

#[derive(Deserialize)]
struct Rigid {
    center: [f64; 3],
    translation: [f64; 3],
    rotation: [f64; 3],
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Frame {
    grad_sum_A: [f64; 3],
    grad_sum_B: [f64; 3],
    /// With the rest, which is there if this is.
    #[serde(default)]
    normal: Option<[f64; 3]>,
    #[serde(default)]
    A_k_A: Option<Vec<f64>>,
    #[serde(default)]
    A_k_B: Option<Vec<f64>>,
    #[serde(default)]
    sum_A_k: Option<f64>,
    #[serde(default)]
    area_positive: Option<f64>,
    #[serde(default)]
    projected_area: Option<f64>,
    #[serde(default)]
    center_A: Option<[f64; 3]>,
    #[serde(default)]
    center_B: Option<[f64; 3]>,
    #[serde(default)]
    center: Option<[f64; 3]>,
    #[serde(default)]
    center_abs: Option<[f64; 3]>,
}

/// A value that a case of this kind has.
fn needed<T>(name: &str, value: Option<T>) -> Result<T, Malformed> {
    value.ok_or_else(|| Malformed(format!("no `{name}`, which a case with a gradient or a normal needs")))
}

impl Family for Volume {
    const NAME: &'static str = "volume";
    const KEYS: &'static str = "input{A{vertices triangles velocities} B{vertices triangles velocities}} expected{volume tol_volume tol_grad \
        gradient_valid grad_A? grad_B? rigid_A?{center translation rotation} rigid_B?{center translation rotation} \
        frame?{grad_sum_A grad_sum_B normal? A_k_A? A_k_B? sum_A_k? area_positive? projected_area? center_A? center_B? center? \
        center_abs?} v_rel? average_depth? manifold_volume~ fd_check_rel~}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let (a, b) = (input.A.prepared()?, input.B.prepared()?);
        let mut overlap = Overlap::new();
        let failed = |e| Malformed(format!("{e}"));
        Exact::new().evaluate(a.body()?, b.body()?, None, &mut overlap).map_err(failed)?;
        out.number(|| "volume".into(), overlap.volume(), expected.volume, expected.tol_volume);
        let mut g = [vec![DVec3::zero(); a.x.len()], vec![DVec3::zero(); b.x.len()]];
        (0..2).for_each(|side| overlap.add_gradient(side, &mut g[side]));
        if !expected.gradient_valid {
            if expected.grad_A.is_some() || expected.grad_B.is_some() || expected.frame.is_some() {
                return Err(Malformed(
                    "a case whose gradient is not valid has no `grad_A`, `grad_B`, `frame`".into(),
                ));
            }
            let finite = g.iter().flatten().all(|g| g.mag().is_finite());
            out.holds(finite, || "the gradient is not finite".to_string());
            return Ok(());
        }
        let tol = expected.tol_grad;
        let sides = [("grad_A", &g[0], &expected.grad_A), ("grad_B", &g[1], &expected.grad_B)];
        for (name, got, want) in sides {
            let want = needed(name, want.as_ref())?;
            if got.len() != want.len() {
                return Err(Malformed(format!("{name} has {} rows, not {}", want.len(), got.len())));
            }
            for (k, (&g, &w)) in got.iter().zip(want).enumerate() {
                out.vector(|| format!("{name}[{k}]"), g, w.into(), tol);
            }
        }
        let size = extent(&a.x, &b.x);
        for (side, (body, want)) in [(&a, &expected.rigid_A), (&b, &expected.rigid_B)].into_iter().enumerate()
        {
            let want = needed("rigid_A`, `rigid_B", want.as_ref())?;
            if overlap.cells().is_empty() {
                out.vector(|| format!("translation {side}"), DVec3::zero(), want.translation.into(), tol);
                out.vector(|| format!("rotation {side}"), DVec3::zero(), want.rotation.into(), tol);
                continue;
            }
            // The rows hold J = −∂V/∂q.
            let row = normal_row(&overlap, 0, side, &body.x, want.center.into());
            out.vector(|| format!("translation {side}"), -row.linear, want.translation.into(), tol);
            out.vector(
                || format!("rotation {side}"),
                -row.angular,
                want.rotation.into(),
                tol * size.max(1.0),
            );
        }
        let want = needed("frame", expected.frame.as_ref())?;
        let total = |g: &[DVec3]| g.iter().fold(DVec3::zero(), |s, &g| s + g);
        out.vector(|| "grad_sum_A".into(), total(&g[0]), want.grad_sum_A.into(), tol);
        out.vector(|| "grad_sum_B".into(), total(&g[1]), want.grad_sum_B.into(), tol);
        let frame = match overlap.cells() {
            [] => None,
            _ => ContactFrame::new(&overlap, 0, [&a.x, &b.x]),
        };
        let Some(normal) = want.normal else {
            out.holds(frame.is_none(), || "a normal where none is defined".to_string());
            return Ok(());
        };
        let Some(frame) = frame else {
            out.holds(false, || "no normal".to_string());
            return Ok(());
        };
        let area = needed("frame.projected_area", want.projected_area)?;
        out.vector(|| "normal".into(), frame.normal, normal.into(), tol / area);
        let mut sum = 0.0;
        for (name, g, weights) in [("A_k_A", &g[0], &want.A_k_A), ("A_k_B", &g[1], &want.A_k_B)] {
            let weights = needed(name, weights.as_ref())?;
            if weights.len() != g.len() {
                return Err(Malformed(format!("{name} has {} entries, not {}", weights.len(), g.len())));
            }
            for (k, (&g, &w)) in g.iter().zip(weights).enumerate() {
                sum += frame.weight(g);
                out.number(|| format!("{name}[{k}]"), frame.weight(g), w, tol);
            }
        }
        out.number(|| "sum_A_k".into(), sum, needed("frame.sum_A_k", want.sum_A_k)?, tol);
        let positive = needed("frame.area_positive", want.area_positive)?;
        out.number(|| "area_positive".into(), frame.area, positive, tol);
        out.number(|| "projected_area".into(), frame.projected_area, area, tol);
        // Far out a position is no finer than its own rounding.
        let farthest = a.x.iter().chain(&b.x).map(|p| p.mag()).fold(0.0, f64::max);
        let away = tol * size / area + 4.0 * f64::EPSILON * farthest;
        // The schema's centre and depth are quotients; the frame's own are kept among what takes part where weights cancel.
        let middle = (frame.center_of[0] + frame.center_of[1]) * 0.5;
        for (name, got, want) in [
            ("center_A", frame.center_of[0], want.center_A),
            ("center_B", frame.center_of[1], want.center_B),
            ("center", middle, want.center),
            ("center_abs", frame.center_by_magnitude, want.center_abs),
        ] {
            let want = DVec3::from(needed(&format!("frame.{name}"), want)?);
            out.vector(|| name.into(), got, want, away);
        }
        let (off, kept) =
            ((middle - frame.center_by_magnitude).mag(), (frame.center - frame.center_by_magnitude).mag());
        out.holds((frame.center - middle).mag() <= away || kept < off, || {
            format!(
                "the frame's centre is {:?}, neither halfway nor nearer to {:?}",
                frame.center, want.center_abs
            )
        });
        for (name, body) in [("A", &a), ("B", &b)] {
            if body.velocity.len() != body.x.len() {
                return Err(Malformed(format!("`{name}` has no `velocities`, which `v_rel` needs")));
            }
        }
        let v = needed("v_rel", expected.v_rel)?;
        let got = frame.relative_velocity(&overlap, 0, [&a.velocity, &b.velocity]);
        let fastest = a.velocity.iter().chain(&b.velocity).map(|v| v.mag()).fold(1.0, f64::max);
        out.vector(|| "v_rel".into(), got, v.into(), tol * fastest);
        let d = needed("average_depth", expected.average_depth)?;
        let allowed = (expected.tol_volume + d * tol) / frame.area;
        let depth = overlap.volume() / frame.area;
        out.number(|| "average_depth".into(), depth, d, allowed);
        let bounded = depth.min(frame.reach);
        out.number(|| "mean_depth, no more than its reach".into(), frame.mean_depth, bounded, allowed);
        Ok(())
    }
}

/// Diagonal of the box around both (m).
fn extent(a: &[DVec3], b: &[DVec3]) -> f64 {
    let (mut lo, mut hi) = (a[0], a[0]);
    for &p in a.iter().chain(b) {
        (lo, hi) = (lo.min_by_component(p), hi.max_by_component(p));
    }
    (hi - lo).mag()
}
