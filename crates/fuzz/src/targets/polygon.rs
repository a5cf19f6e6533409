//! Area, centroid and second moments of plane polygons.

use crate::case::{Case, Outcome, must};
use crate::hostile::{Made, spoil, vector};
use crate::solid::{Point, dot, doubled_area, point};
use impinge_geometry::{DVec3, is_finite, polygon_moments};

/// Convex, on a circle in a random plane, or any points at all.
pub fn moments(c: &mut Case) -> Result<Outcome, String> {
    let n = c.r.pick(&[0, 1, 2, 3, 3, 4, 4, 5, 6, 8, 12]);
    let convex = c.r.below(2) == 0;
    let (u, v) = (vector(&mut c.r), vector(&mut c.r));
    let mut x: Vec<DVec3> = (0..n)
        .map(|i| match convex {
            true => {
                let angle = std::f64::consts::TAU * i as f64 / n as f64;
                u * angle.cos() + v * angle.sin()
            }
            false => u * c.r.unit() + v * c.r.unit(),
        })
        .collect();
    let made = spoil(&mut c.r, &mut x);
    c.show(|| format!("{made:?} {x:?}"));
    let m = polygon_moments(&x);
    let second = m.second.cols.iter().all(|&c| is_finite(c));
    must(m.area.is_finite() && is_finite(m.normal) && is_finite(m.centroid) && second, || format!("{m:?}"))?;
    must(m.area >= 0.0 && (m.normal == DVec3::zero() || (m.normal.mag() - 1.0).abs() < 1e-12), || {
        format!("{m:?}")
    })?;
    if made == Made::NotFinite || n < 3 {
        return Ok(Outcome::Refused);
    }
    if made.usual() {
        let exact: Vec<Point> = x.iter().map(|&p| point(p)).collect();
        let a = doubled_area(&exact);
        let truth = dot(&a, &a).value().sqrt() * 0.5;
        let reach = x.iter().fold(0.0f64, |m, p| m.max(p.abs().component_max()));
        let off = (m.area - truth).abs();
        must(off <= 1e-13 * (reach * reach) * n as f64, || format!("area {} instead of {truth}", m.area))?;
        let back: Vec<DVec3> = x.iter().rev().copied().collect();
        let reversed = polygon_moments(&back);
        must((reversed.area - m.area).abs() <= 1e-13 * reach * reach * n as f64, || {
            format!("{m:?} {reversed:?}")
        })?;
    }
    Ok(Outcome::Answered)
}
