//! Family `qp_row`: one constraint row (seed 001 §4.2, 4.3, 4.5; errata Q2–Q4): gradient blocks, bound, gap.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use impinge_geometry::DVec3;
use impinge_qp::{PointRow, edge_edge, strain_lower, strain_upper, vertex_triangle};
use serde::Deserialize;

/// The family.
pub struct QpRow;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    kind: Kind,
    x_i: Vec<[f64; 3]>,
    v_i: Vec<[f64; 3]>,
    x_j: Vec<[f64; 3]>,
    v_j: Vec<[f64; 3]>,
    dt: f64,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(default)]
    normal: Option<[f64; 3]>,
    #[serde(default)]
    r_i: Option<f64>,
    #[serde(default)]
    r_j: Option<f64>,
    #[serde(default)]
    limit: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    VertexTriangle,
    EdgeEdge,
    StrainMax,
    StrainMin,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    blocks: Vec<[f64; 3]>,
    c: f64,
    gap: f64,
    tol: f64,
}

impl Input {
    /// Points i then j, with their velocities.
    fn points<const N: usize>(&self, of_i: usize) -> Result<([DVec3; N], [DVec3; N]), Malformed> {
        let lengths = [self.x_i.len(), self.v_i.len(), self.x_j.len(), self.v_j.len()];
        if lengths != [of_i, of_i, N - of_i, N - of_i] {
            return Err(Malformed(format!("x_i, v_i, x_j, v_j have lengths {lengths:?}")));
        }
        let join = |a: &[[f64; 3]], b: &[[f64; 3]]| {
            std::array::from_fn(|k| DVec3::from(if k < of_i { a[k] } else { b[k - of_i] }))
        };
        Ok((join(&self.x_i, &self.x_j), join(&self.v_i, &self.v_j)))
    }

    fn contact<const W: usize>(&self) -> Result<([f64; W], DVec3, f64), Malformed> {
        let weights = self.weights.as_ref().and_then(|w| <[f64; W]>::try_from(&w[..]).ok());
        match (weights, self.normal, self.r_i, self.r_j) {
            (Some(w), Some(n), Some(ri), Some(rj)) => Ok((w, n.into(), ri + rj)),
            _ => Err(Malformed("a contact needs `weights`, `normal`, `r_i`, `r_j`".into())),
        }
    }
}

impl Family for QpRow {
    const NAME: &'static str = "qp_row";
    const KEYS: &'static str =
        "input{kind x_i v_i x_j v_j dt weights? normal? r_i? r_j? rest? limit?} expected{blocks c gap tol}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        match input.kind {
            Kind::VertexTriangle => {
                let (x, v) = input.points::<4>(1)?;
                let (w, n, thickness) = input.contact::<3>()?;
                compare(&vertex_triangle(&x, &v, w, n, thickness, input.dt), expected, out)
            }
            Kind::EdgeEdge => {
                let (x, v) = input.points::<4>(2)?;
                let (w, n, thickness) = input.contact::<2>()?;
                compare(&edge_edge(&x, &v, w, n, thickness, input.dt), expected, out)
            }
            Kind::StrainMax | Kind::StrainMin => {
                let (x, v) = input.points::<2>(1)?;
                let limit = input.limit.ok_or_else(|| Malformed("a strain row needs `limit`".into()))?;
                let make = if input.kind == Kind::StrainMax { strain_upper } else { strain_lower };
                let row = make(x, v, limit, input.dt);
                out.holds(row.is_some(), || "no row: the ends coincide".to_string());
                row.map_or(Ok(()), |row| compare(&row, expected, out))
            }
        }
    }
}

fn compare<const N: usize>(
    row: &PointRow<N>,
    expected: &Expected,
    out: &mut Comparison,
) -> Result<(), Malformed> {
    if expected.blocks.len() != N {
        return Err(Malformed(format!("{} blocks for a row of {N}", expected.blocks.len())));
    }
    for (i, (g, &want)) in row.gradient.iter().zip(&expected.blocks).enumerate() {
        out.vector(|| format!("blocks[{i}]"), *g, want.into(), expected.tol);
    }
    out.number(|| "c".into(), row.bound, expected.c, expected.tol);
    out.number(|| "gap".into(), row.measure, expected.gap, expected.tol);
    Ok(())
}
