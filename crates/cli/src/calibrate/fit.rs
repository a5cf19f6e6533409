//! Numbers of one law chosen so that the rig answers like another.

use super::rig::{Rig, Sample};
use impinge_contact::Damping;
use impinge_scene::{DampingSpec, Response, SceneSpec, Stiffness};

/// What was found.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Factor on the stiffness.
    pub stiffness: f64,
    /// Root of the mean square of the force difference, over that of the force.
    pub residual: f64,
    /// Depth the press went to (m).
    pub depth: f64,
    /// Force there under the first response and the second as it was (N).
    pub force: [f64; 2],
    /// χ of Hunt–Crossley (s/m), restitution of the first and of the fitted one; or why there is none.
    pub damping: Result<[f64; 3], String>,
    /// Factor on the friction coefficients, friction over normal force of the first and of the second as it was; or why there is none.
    pub friction: Result<[f64; 3], String>,
}

/// Restitution may be off by this: more is another damping, not a fitted one.
const MISSED: f64 = 1e-3;
/// Steps of a press and of a slide.
const STEPS: u32 = 400;

/// Fits `to` to `from`.
///
/// # Errors
/// When one of them cannot be fitted or does not take the bodies.
pub fn fit(rig: &Rig, pair: usize, from: Response, to: Response) -> Result<Fitted, String> {
    rig.can(from, "from")?;
    rig.can(to, "to")?;
    // Deep enough for three times the weight, and no deeper than a twentieth of the body.
    let most = 0.05 * rig.extent;
    let mut depth = 1e-7 * rig.extent;
    let last = |s: &[Sample]| s.last().map_or(0.0, |s| s.normal);
    while depth < most && last(&rig.press(from, depth, 8)?) < 3.0 * rig.weight {
        depth = (2.0 * depth).min(most);
    }
    let a = rig.press(from, depth, STEPS)?;
    let b = rig.press(to, depth, STEPS)?;
    let force = [last(&a), last(&b)];
    if !(force[0] > 0.0 && force[1] > 0.0) {
        return Err(format!(
            "pressed {depth:.3e} m deep, {} gives {:.3e} N and {} {:.3e} N: nothing to fit",
            from.name(),
            force[0],
            to.name(),
            force[1]
        ));
    }
    // Every law here is linear in its stiffness: least squares of one factor. Depths are those at which each response looks.
    let (mut ab, mut bb) = (0.0, 0.0);
    for s in &b {
        ab += at(&a, s.depth) * s.normal;
        bb += s.normal * s.normal;
    }
    let factor = ab / bb;
    let (mut off, mut all) = (0.0, 0.0);
    for s in &b {
        let f = at(&a, s.depth);
        off += (f - factor * s.normal).powi(2);
        all += f * f;
    }
    let stiff = rig.with(|s| scale_stiffness(s, pair, to, factor))?;
    Ok(Fitted {
        stiffness: factor,
        residual: (off / all).sqrt(),
        depth,
        force,
        damping: damping(rig, &stiff, pair, [from, to], depth, force[0]),
        friction: friction(rig, &stiff, [from, to], depth),
    })
}

/// Force at a depth between samples.
fn at(samples: &[Sample], depth: f64) -> f64 {
    let i = samples.partition_point(|s| s.depth < depth);
    let (Some(lo), Some(hi)) = (samples.get(i.wrapping_sub(1)), samples.get(i)) else {
        // Beyond the ends by less than a step: along the nearest chord.
        let pair = if i == 0 {
            samples.get(..2)
        } else {
            samples.len().checked_sub(2).and_then(|k| samples.get(k..))
        };
        return match pair {
            Some([a, b]) => {
                (a.normal + (b.normal - a.normal) * (depth - a.depth) / (b.depth - a.depth)).max(0.0)
            }
            _ => 0.0,
        };
    };
    lo.normal + (hi.normal - lo.normal) * (depth - lo.depth) / (hi.depth - lo.depth)
}

/// Multiplies the stiffness of a response: of its own table, or of the pair's law with what holds friction.
///
/// # Errors
/// A factor that leaves no stiffness.
pub fn scale_stiffness(
    spec: &mut SceneSpec,
    pair: usize,
    response: Response,
    factor: f64,
) -> Result<(), String> {
    let own = spec.with_settings(response).stiffness_keys();
    if !own.is_empty() {
        let mut each = own.into_iter();
        return each
            .try_for_each(|(key, value)| spec.set_response(response, key, value * factor))
            .map_err(|e| e.to_string());
    }
    let law = &mut spec.pairs[pair];
    law.stiffness = match law.stiffness {
        Stiffness::PerContact(k) => Stiffness::PerContact(k * factor),
        Stiffness::PerArea(k) => Stiffness::PerArea(k * factor),
    };
    law.friction_stiffness *= factor;
    Ok(())
}

fn damping(
    rig: &Rig,
    stiff: &Rig,
    pair: usize,
    [from, to]: [Response; 2],
    depth: f64,
    force: f64,
) -> Result<[f64; 3], String> {
    if rig.has_own_stiffness(to) {
        return Err(format!("{} damps by its own table and has no χ", to.name()));
    }
    // A spring that is `force` at `depth` turns an impact round in half a period at half that depth.
    let k = force / depth;
    let lasts = std::f64::consts::PI * (rig.mass / k).sqrt();
    let speed = 0.5 * depth * (k / rig.mass).sqrt();
    let aim = rig.rebound(from, speed, lasts)?;
    let with = |chi: f64| {
        let law = if chi > 0.0 { Damping::HuntCrossley(chi) } else { Damping::None };
        let damped = stiff.with(|s| {
            s.pairs[pair].damping = DampingSpec::Given(law);
            Ok(())
        })?;
        damped.rebound(to, speed, lasts)
    };
    let free = with(0.0)?;
    if free <= aim {
        return Ok([0.0, aim, free]);
    }
    let (mut low, mut high) = (0.0, 1.0 / speed);
    for _ in 0..40 {
        if with(high)? < aim {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..50 {
        let mid = 0.5 * (low + high);
        if with(mid)? > aim { low = mid } else { high = mid }
    }
    let chi = 0.5 * (low + high);
    let got = with(chi)?;
    if (got - aim).abs() > MISSED {
        return Err(format!(
            "no χ up to {high:.3e} s/m gives the restitution {aim:.4} of {}: the nearest gives {got:.4}",
            from.name()
        ));
    }
    Ok([chi, aim, got])
}

fn friction(rig: &Rig, stiff: &Rig, [from, to]: [Response; 2], depth: f64) -> Result<[f64; 3], String> {
    let ratio = |samples: Vec<Sample>| {
        let late = &samples[samples.len() * 3 / 4..];
        let (t, n) = late.iter().fold((0.0, 0.0), |(t, n), s| (t + s.across, n + s.normal));
        if n > 0.0 { t / n } else { 0.0 }
    };
    let a = ratio(rig.slide(from, 0.5 * depth, STEPS)?);
    let b = ratio(stiff.slide(to, 0.5 * depth, STEPS)?);
    // Of the normal force; less is rounding.
    if b <= 1e-12 {
        return if a > 1e-12 {
            Err(format!("{} has friction {a:.6} here and {} none to scale", from.name(), to.name()))
        } else {
            Ok([1.0, 0.0, 0.0])
        };
    }
    // What acts by speed alone is nothing at this one.
    Ok([if a > 1e-12 { a / b } else { 0.0 }, a, b])
}
