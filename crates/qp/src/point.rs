//! Where the points of a row get their motion from: nodes, rigid bodies, embedded vertices, or nothing that can be moved.
//!
//! Takes a row over points ([`PointRow`]); adds the row over blocks to the table.

use crate::contact::PointRow;
use crate::rows::{RowError, RowKind, Rows};
use impinge_geometry::DVec3;
use impinge_solvers::Layout;

/// One point of a stencil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point<'a> {
    /// A free node.
    Node(u32),
    /// A point of a rigid body at `arm` from its centre of mass (m, world axes).
    Body {
        /// Which body of the layout.
        body: u32,
        /// From the centre of mass to the point.
        arm: DVec3,
    },
    /// A vertex that rides on nodes with these weights.
    Embedded(&'a [(u32, f64)]),
    /// On rails or at rest: nothing here changes its velocity.
    Fixed,
}

/// The gradient over blocks of a row over points.
pub fn gradient_of<const N: usize>(
    layout: &Layout,
    points: &[Point<'_>; N],
    row: &PointRow<N>,
    out: &mut Vec<(u32, DVec3)>,
) {
    out.clear();
    for (p, &g) in points.iter().zip(&row.gradient) {
        match *p {
            Point::Node(i) => out.push((i, g)),
            Point::Body { body, arm } => out.extend(layout.body_gradient(body as usize, arm, g)),
            Point::Embedded(weights) => out.extend(weights.iter().map(|&(i, w)| (i, g * w))),
            Point::Fixed => {}
        }
    }
}

/// Adds a row over points to the table.
///
/// # Errors
/// [`RowError`] when it is not finite.
pub fn push_points<const N: usize>(
    rows: &mut Rows,
    layout: &Layout,
    kind: RowKind,
    key: u64,
    points: &[Point<'_>; N],
    row: &PointRow<N>,
) -> Result<u32, RowError> {
    let mut gradient = Vec::with_capacity(2 * N);
    gradient_of(layout, points, row, &mut gradient);
    rows.push(kind, key, row.bound, &gradient)
}

/// Adds friction to a contact row: `tangent` from [`crate::friction_rows`].
///
/// # Errors
/// [`RowError`]; nothing is added then.
pub fn push_friction_points(
    rows: &mut Rows,
    layout: &Layout,
    normal: u32,
    mu: f64,
    points: &[Point<'_>; 4],
    tangent: &[PointRow<4>; 2],
) -> Result<(), RowError> {
    let mut g = [Vec::with_capacity(8), Vec::with_capacity(8)];
    for k in 0..2 {
        gradient_of(layout, points, &tangent[k], &mut g[k]);
    }
    rows.push_friction(normal, mu, [&g[0], &g[1]], [tangent[0].bound, tangent[1].bound]).map(|_| ())
}

/// Thickness of surfaces: by body, and for single pairs otherwise (m).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thickness {
    body: Vec<Option<f64>>,
    pair: std::collections::BTreeMap<(u32, u32), f64>,
}

impl Thickness {
    /// From the radius r of each body's surface (m).
    ///
    /// # Errors
    /// The first body whose radius is no finite number ≥ 0.
    pub fn new(body: Vec<f64>) -> Result<Self, String> {
        let mut out = Self::default();
        for (i, r) in body.into_iter().enumerate() {
            out.set_body(i as u32, r)?;
        }
        Ok(out)
    }

    /// Sets the radius of one body's surface.
    ///
    /// # Errors
    /// A radius that is no finite number ≥ 0.
    pub fn set_body(&mut self, i: u32, radius: f64) -> Result<(), String> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(format!("the thickness of body {i} is {radius}; give a finite length of at least 0"));
        }
        if self.body.len() <= i as usize {
            self.body.resize(i as usize + 1, None);
        }
        self.body[i as usize] = Some(radius);
        Ok(())
    }

    /// Sets the distance kept by one pair, whatever the bodies' own; of a body and itself between its own parts.
    ///
    /// # Errors
    /// A distance that is no finite number ≥ 0.
    pub fn set_pair(&mut self, a: u32, b: u32, distance: f64) -> Result<(), String> {
        if !(distance >= 0.0 && distance.is_finite()) {
            return Err(format!(
                "the thickness of pair {a}, {b} is {distance}; give a finite length of at least 0"
            ));
        }
        self.pair.insert((a.min(b), a.max(b)), distance);
        Ok(())
    }

    /// The distance that surfaces of `a` and `b` keep: the pair's own, or rₐ + r_b; bodies not listed have 0.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.between_or(a, b, 0.0)
    }

    /// The same, where bodies not listed have `radius` (m).
    pub fn between_or(&self, a: u32, b: u32, radius: f64) -> f64 {
        let own = |i: u32| self.body.get(i as usize).copied().flatten().unwrap_or(radius);
        // Asked for every candidate: most worlds have no pairs of their own.
        let pair = if self.pair.is_empty() { None } else { self.pair.get(&(a.min(b), a.max(b))) };
        pair.copied().unwrap_or_else(|| own(a) + own(b))
    }

    /// The farthest that each of the first `bodies` bodies keeps from any other of them, where bodies not listed have `radius` (m). A
    /// pair's own distance only widens it: where it is less than rₐ + r_b it is a bound and no more. What a body keeps from itself is not
    /// in it.
    pub fn most_of_each(&self, bodies: usize, radius: f64, out: &mut Vec<f64>) {
        let own = |i: usize| self.body.get(i).copied().flatten().unwrap_or(radius);
        // The largest partner of all but one is the same.
        let (mut widest, mut second) = (0, None::<f64>);
        for i in 1..bodies {
            let (r, most) = (own(i), own(widest));
            if r > most {
                (widest, second) = (i, Some(most));
            } else {
                second = Some(second.map_or(r, |s| s.max(r)));
            }
        }
        out.clear();
        out.extend((0..bodies).map(|i| {
            let partner = if i == widest { second } else { Some(own(widest)) };
            partner.map_or(0.0, |p| own(i) + p)
        }));
        for (&(a, b), &d) in self.pair.iter().filter(|((a, b), _)| a != b) {
            for i in [a, b] {
                if let Some(most) = out.get_mut(i as usize).filter(|_| (b as usize) < bodies) {
                    *most = most.max(d);
                }
            }
        }
    }
}
