//! Laws of pressure that need not be linear in the strain, on tets.
//!
//! A query meets linear fields. Where the pressure is a function of a linear extent alone, p = E f(ε), it is linear between
//! parallel planes once f is replaced by chords, so the tets are cut along ε = ε_k and take f(ε_k) there. Nothing else changes:
//! the contact surface, its energy and its stiffness are those of the field with chords, exactly, between two compliant bodies
//! (whose surface of equal pressure is no plane for a bent law) as against a rigid one. What the chords lose is a bound that the
//! caller gives. Cutting tets into eight without regard to the field was the other way; it makes many times the tets for
//! the same bound, because it cuts along the levels too.

use super::MOST_TETS;
use super::slice::{Field, Level};
use crate::body::CompliantBody;
use crate::error::BodyError;
use crate::layer::LayerLaw;
use impinge_geometry::TetMesh;

/// Most chords of a law.
const CHORDS: usize = 200;
/// A chord of this part of the largest strain stands at a jump.
const SHORTEST: f64 = 1e-9;
/// Where a chord is held against its law.
const SAMPLES: u32 = 16;
/// Part of the tolerance that is asked of the samples; the worst place lies between two.
const MARGIN: f64 = 0.98;
/// Part of the gap between two levels within which a vertex is on the level.
const SLACK: f64 = 1e-3;

/// A law up to a strain, and a straight line with its slope beyond: fields reach strain 1, where some laws have no pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldLaw {
    law: LayerLaw,
    most: f64,
}

impl FieldLaw {
    /// `law` up to the strain `most`.
    ///
    /// # Errors
    /// [`BodyError::Parameter`] when `most` is not positive or the law has no finite pressure there.
    pub fn new(law: LayerLaw, most: f64) -> Result<Self, BodyError> {
        if most.is_finite() && most > 0.0 && law.pressure(most).is_finite() {
            return Ok(Self { law, most });
        }
        Err(BodyError::Parameter {
            reason: format!(
                "a law of pressure: {law:?} has no finite pressure at the strain {most}; give a strain above 0 and below its bound"
            ),
        })
    }

    /// p/E at a strain.
    #[must_use]
    pub fn pressure(&self, s: f64) -> f64 {
        if s <= self.most {
            return self.law.pressure(s);
        }
        self.law.pressure(self.most) + self.law.slope(self.most) * (s - self.most)
    }
}

/// `body` with the pressure E f(ε) in place of E ε, f being `law`: tets are cut so that no chord departs from the law by more
/// than `tolerance` of the pressure there (0.01 is 1 %).
///
/// ```
/// use impinge_pressure::{FieldLaw, LayerLaw, fields};
///
/// let ball = fields::sphere(0.05, 0.0125, 1e5)?;
/// let firm = fields::bend(&ball, &FieldLaw::new(LayerLaw::Logarithmic, 0.9)?, 0.02)?;
/// assert!(firm.extent().iter().any(|e| *e > 2.0));
/// # Ok::<(), impinge_pressure::BodyError>(())
/// ```
///
/// # Errors
/// As [`bend_with`].
pub fn bend(body: &CompliantBody, law: &FieldLaw, tolerance: f64) -> Result<CompliantBody, BodyError> {
    bend_with(body, |s| law.pressure(s), tolerance)
}

/// As [`bend`], with a law of the caller's: f(0) = 0, growing, finite up to the largest extent of the body.
///
/// # Errors
/// [`BodyError::Parameter`] for a tolerance outside 1e-6 to 1, a field with values below 0, a law that does not start at 0, does not
/// grow or is not finite, and one that needs more than 200 chords or cuts into more than [`MOST_TETS`](super::MOST_TETS).
pub fn bend_with(
    body: &CompliantBody,
    law: impl Fn(f64) -> f64,
    tolerance: f64,
) -> Result<CompliantBody, BodyError> {
    let bad = |reason: String| BodyError::Parameter { reason };
    if !(1e-6..=1.0).contains(&tolerance) {
        return Err(bad(format!(
            "a law of pressure: tolerance {tolerance}; give one between 1e-6 and 1 (0.01 is 1 %)"
        )));
    }
    if let Some(v) = body.extent().iter().position(|e| *e < 0.0) {
        let value = body.extent()[v];
        return Err(bad(format!(
            "a law of pressure: vertex {v} has the extent {value}; a strain is 0 or more"
        )));
    }
    if law(0.0) != 0.0 {
        return Err(bad(format!("a law of pressure: {} at no strain; it has to start at 0", law(0.0))));
    }
    let mesh = body.mesh();
    let deepest = mesh.tets().iter().flatten().fold(0.0f64, |m, &v| m.max(body.extent()[v as usize]));
    let levels = chords(&law, deepest, tolerance).map_err(bad)?;
    let mut field = Field {
        positions: mesh.positions().to_vec(),
        values: body.extent().to_vec(),
        tets: mesh.tets().to_vec(),
    };
    let cuts: Vec<Level> = levels
        .windows(3)
        .map(|l| Level { at: l[1], slack: SLACK * (l[1] - l[0]).min(l[2] - l[1]) })
        .collect();
    let wanted = field.wanted(&cuts);
    if wanted > MOST_TETS {
        return Err(bad(format!(
            "a law of pressure: its {} levels cut {} tets into about {wanted}; at most {MOST_TETS} are made: take a larger tolerance than \
             {tolerance}, or larger tets",
            cuts.len(),
            field.tets.len()
        )));
    }
    field.slice(&cuts).ok_or_else(|| {
        bad("a law of pressure: more vertices than 32 bits can number; take a larger tolerance".into())
    })?;
    let values = field.values.iter().map(|&s| law(s)).collect();
    let mesh = TetMesh::new(field.positions, field.tets)?;
    Ok(CompliantBody::new(mesh, values, body.modulus())?.with_split(body.split_tets()))
}

/// Ends of chords from 0 to `most` along which the law is met to `tolerance` of its value.
fn chords(law: &impl Fn(f64) -> f64, most: f64, tolerance: f64) -> Result<Vec<f64>, String> {
    let mut at = vec![0.0];
    let mut a = 0.0;
    while a < most {
        if at.len() > CHORDS {
            return Err(format!(
                "a law of pressure: {CHORDS} chords reach the strain {a} only, of {most}; take a larger tolerance than {tolerance}"
            ));
        }
        let mut end = most;
        if !meets(law, a, end, tolerance)? {
            let (mut good, mut missed) = (a, most);
            while missed - good > (1e-3 * (good - a)).max(SHORTEST * most) {
                let middle = 0.5 * (good + missed);
                *if meets(law, a, middle, tolerance)? { &mut good } else { &mut missed } = middle;
            }
            // A last chord that is hardly one would cut slivers.
            end = if most - good < 0.05 * (good - a) { 0.5 * (a + most) } else { good };
        }
        if end - a <= SHORTEST * most {
            return Err(format!("a law of pressure: it jumps at the strain {a}"));
        }
        a = end;
        at.push(a);
    }
    Ok(at)
}

/// Whether the chord from `a` to `b` departs by no more than `tolerance` of the law.
fn meets(law: &impl Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> Result<bool, String> {
    let (low, high) = (law(a), law(b));
    let (mut before, mut good) = (low, true);
    // Near no strain the chord is worst at its very beginning.
    let parts = (1..=SAMPLES).map(|i| f64::from(i) / f64::from(SAMPLES));
    for t in std::iter::once(1e-3).chain(parts) {
        let s = if t < 1.0 { a + (b - a) * t } else { b };
        let p = law(s);
        if !p.is_finite() || p <= before && s > a {
            return Err(format!(
                "a law of pressure: {p} at the strain {s} after {before}; it has to grow, and to be finite"
            ));
        }
        good &= (low + (high - low) * t - p).abs() <= MARGIN * tolerance * p;
        before = p;
    }
    Ok(good)
}
