//! Family `tet_pair`: the plane of equal pressure of two tets, its polygon, force and moment (seed 004 (16), Theorem 2).
//!
//! `size`, which the tolerances scale with, is not defined by the schema; the diagonal of the bounds of both tets is used.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::pressure_body::Body;
use impinge_geometry::{DVec3, polygon_moments};
use impinge_pressure::tet_pair;
use serde::Deserialize;

/// The family.
pub struct TetPair;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    A: Body,
    B: Body,
}

/// `expected` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Expected {
    degenerate: bool,
    tol_rel: f64,
    #[serde(default)]
    normal: Option<[f64; 3]>,
    #[serde(default)]
    offset: Option<f64>,
    #[serde(default)]
    polygon: Option<Vec<[f64; 3]>>,
    #[serde(default)]
    area: Option<f64>,
    #[serde(default)]
    centroid: Option<[f64; 3]>,
    #[serde(default)]
    int_p: Option<f64>,
    #[serde(default)]
    force_on_A: Option<[f64; 3]>,
    #[serde(default)]
    moment_on_A_about_centroid: Option<[f64; 3]>,
}

impl Family for TetPair {
    const NAME: &'static str = "tet_pair";
    const KEYS: &'static str = "input{A{vertices tets eps modulus} B{vertices tets eps modulus}} expected{degenerate normal? offset? polygon? \
        area? centroid? int_p? force_on_A? moment_on_A_about_centroid? tol_rel}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let ((a, pa), (b, pb)) = (input.A.single()?, input.B.single()?);
        let pair = tet_pair(a, pa, b, pb);
        if expected.degenerate {
            if expected.normal.is_some() || expected.offset.is_some() || expected.polygon.is_some() {
                return Err(Malformed("a degenerate pair has no `normal`, `offset`, `polygon`".into()));
            }
            let finite =
                pair.is_none_or(|p| p.polygon.iter().all(|c| (c.0.x + c.0.y + c.0.z + c.1).is_finite()));
            out.holds(finite, || "the polygon is not finite".to_string());
            return Ok(());
        }
        let Some(pair) = pair else {
            out.holds(false, || "no plane of equal pressure".to_string());
            return Ok(());
        };
        let ((la, ha), (lb, hb)) = (input.A.bounds(), input.B.bounds());
        let size = (ha.max_by_component(hb) - la.min_by_component(lb)).mag();
        let (tol, e) = (expected.tol_rel, input.A.modulus().max(input.B.modulus()));
        let needs = |what: &str| Malformed(format!("a pair that is not degenerate needs {what}"));
        let (Some(n), Some(d)) = (expected.normal, expected.offset) else {
            return Err(needs("`normal` and `offset`"));
        };
        out.vector(|| "normal".into(), pair.normal, n.into(), tol);
        out.number(|| "offset".into(), pair.offset, d, tol * size);
        let corners: Vec<DVec3> = pair.polygon.iter().map(|c| c.0).collect();
        // One that is smaller than the tolerance of its area may as well not be there.
        let speck = tol * size * size;
        let Some(polygon) = &expected.polygon else {
            out.holds(corners.is_empty() || polygon_moments(&corners).area <= speck, || {
                format!("a polygon of {} corners, expected none", corners.len())
            });
            return Ok(());
        };
        let (Some(area), Some(centroid), Some(p), Some(force), Some(turning)) = (
            expected.area,
            expected.centroid.map(DVec3::from),
            expected.int_p,
            expected.force_on_A,
            expected.moment_on_A_about_centroid,
        ) else {
            return Err(needs(
                "with its polygon `area`, `centroid`, `int_p`, `force_on_A`, `moment_on_A_about_centroid`",
            ));
        };
        if polygon.len() < 3 {
            return Err(Malformed(format!(
                "`polygon` has {} corners; without one it is null",
                polygon.len()
            )));
        }
        if corners.is_empty() {
            out.holds(area <= speck, || format!("no polygon, expected one of {} corners", polygon.len()));
            return Ok(());
        }
        out.holds(pair.polygon.len() == polygon.len(), || {
            format!("a polygon of {} corners, expected {}", pair.polygon.len(), polygon.len())
        });
        if corners.len() == polygon.len() {
            let n = corners.len();
            // The start is free: take the one that fits best.
            let off = |s: usize| {
                (0..n).map(|i| (corners[(i + s) % n] - DVec3::from(polygon[i])).mag()).fold(0.0, f64::max)
            };
            let best = (0..n).map(off).fold(f64::INFINITY, f64::min);
            out.number(|| "corners".into(), best, 0.0, tol * size);
        }
        let m = polygon_moments(&corners);
        let fan: Vec<(f64, DVec3)> = fan(&pair.polygon, m.normal);
        let int_p: f64 = fan.iter().map(|t| t.0).sum();
        let first = fan.iter().fold(DVec3::zero(), |s, t| s + t.1);
        out.number(|| "area".into(), m.area, area, tol * size * size);
        out.vector(|| "centroid".into(), m.centroid, centroid, tol * size);
        out.number(|| "int_p".into(), int_p, p, tol * e * size * size);
        out.vector(|| "force_on_A".into(), pair.normal * int_p, force.into(), tol * e * size * size);
        let moment = (first - centroid * int_p).cross(pair.normal);
        out.vector(|| "moment_on_A".into(), moment, turning.into(), tol * e * size * size * size);
        Ok(())
    }
}

/// ∫ p and ∫ x p of the triangles of a fan, exact for linear p.
fn fan(polygon: &[(DVec3, f64)], normal: DVec3) -> Vec<(f64, DVec3)> {
    let (a, p) = polygon[0];
    let triangle = |w: &[(DVec3, f64)]| {
        let ((b, q), (c, r)) = (w[0], w[1]);
        let area = 0.5 * normal.dot((b - a).cross(c - a));
        let sum = p + q + r;
        (area * sum / 3.0, ((a + b + c) * sum + a * p + b * q + c * r) * (area / 12.0))
    };
    polygon[1..].windows(2).map(triangle).collect()
}
