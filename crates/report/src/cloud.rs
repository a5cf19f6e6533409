//! Clouds of points over time in 16 bits per coordinate: takes frames of `[f32; D]`, gives the page's form
//! `{dim, counts, lo, step, q}`; a coordinate is `lo[frame, axis] + q * step[frame, axis]`.
//!
//! The box is taken anew in every frame, so the error is at most 1/131 000 of the cloud's extent *in that
//! frame*, below a pixel however far the cloud travels. The code 65 535 stands for "not a finite number".

use crate::encode::{f32s, u16s, unsigned};
use serde_json::{Value, json};

const MISSING: u16 = u16::MAX;
const LEVELS: f64 = 65_534.0;

/// The page's form of one cloud.
#[must_use]
pub fn encode<const D: usize>(frames: &[Vec<[f32; D]>]) -> Value {
    let mut counts = Vec::with_capacity(frames.len());
    let (mut lo, mut step, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for frame in frames {
        counts.push(u32::try_from(frame.len()).unwrap_or(u32::MAX));
        let boxes: [(f32, f32); D] = std::array::from_fn(|axis| box_along(frame, axis));
        lo.extend(boxes.iter().map(|b| b.0));
        step.extend(boxes.iter().map(|b| b.1));
        for point in frame {
            codes.extend((0..D).map(|axis| code(point[axis], boxes[axis])));
        }
    }
    json!({ "dim": D, "counts": unsigned(&counts), "lo": f32s(&lo), "step": f32s(&step), "q": u16s(&codes) })
}

/// Lowest finite value and width of a level along one axis.
fn box_along<const D: usize>(frame: &[[f32; D]], axis: usize) -> (f32, f32) {
    let finite = frame.iter().map(|p| p[axis]).filter(|v| v.is_finite());
    let (low, high) = finite.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    if low > high {
        return (0.0, 0.0);
    }
    (low, ((f64::from(high) - f64::from(low)) / LEVELS) as f32)
}

fn code(value: f32, (low, step): (f32, f32)) -> u16 {
    if !value.is_finite() {
        MISSING
    } else if step > 0.0 {
        ((f64::from(value) - f64::from(low)) / f64::from(step)).round().clamp(0.0, LEVELS) as u16
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_coordinate_comes_back_within_a_level(values in prop::collection::vec(-1e6..1e6f32, 1..50)) {
            let frame: Vec<[f32; 1]> = values.iter().map(|&v| [v]).collect();
            let bounds = box_along(&frame, 0);
            let span = values.iter().fold(f32::MIN, |a, &b| a.max(b)) - bounds.0;
            for &v in &values {
                let back = f64::from(bounds.0) + f64::from(code(v, bounds)) * f64::from(bounds.1);
                prop_assert!((back - f64::from(v)).abs() <= f64::from(span) / 130_000.0 + 1e-30);
            }
        }
    }

    #[test]
    fn missing_points_have_their_own_code_and_do_not_widen_the_box() {
        let frame = vec![[1.0f32], [f32::NAN], [3.0], [f32::INFINITY]];
        let bounds = box_along(&frame, 0);
        assert_eq!(bounds.0, 1.0);
        let codes: Vec<u16> = frame.iter().map(|p| code(p[0], bounds)).collect();
        assert_eq!(codes, vec![0, MISSING, 65_534, MISSING]);
        assert_eq!(box_along(&[[f32::NAN]], 0), (0.0, 0.0));
    }
}
