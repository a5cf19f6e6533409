//! How far a body reaches in a direction: the largest dot product over its boundary vertices, eight at a time; and in any direction.

use crate::simd::{Lanes, W};
use impinge_geometry::DVec3;

/// The vertices of a surface, in columns of eight; the last column is filled up with its last vertex.
#[derive(Clone, Debug)]
pub struct Support {
    columns: Vec<[Lanes; 3]>,
    radius: f64,
}

impl Support {
    #[must_use]
    pub fn new(points: impl Iterator<Item = DVec3>) -> Self {
        let points: Vec<DVec3> = points.collect();
        let lane = |run: &[DVec3], k: usize| std::array::from_fn(|l| run[l.min(run.len() - 1)][k]);
        Self {
            columns: points.chunks(W).map(|run| [lane(run, 0), lane(run, 1), lane(run, 2)]).collect(),
            radius: points.iter().fold(0.0, |m: f64, p| m.max(p.mag())),
        }
    }

    /// Of the ball about the frame's origin that holds all vertices (m).
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// max x·d; −∞ without vertices.
    #[inline(always)]
    #[must_use]
    pub fn reach(&self, d: [f64; 3]) -> f64 {
        let mut best = [f64::NEG_INFINITY; W];
        for c in &self.columns {
            for l in 0..W {
                let s = c[0][l] * d[0] + c[1][l] * d[1] + c[2][l] * d[2];
                best[l] = if s > best[l] { s } else { best[l] };
            }
        }
        best.iter().fold(f64::NEG_INFINITY, |m, &s| if s > m { s } else { m })
    }
}
