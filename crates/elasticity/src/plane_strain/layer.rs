//! A layer of unit thickness, bonded to a rigid base, under a rigid sinusoid without friction (seed 004 §VIII-A, Fig. 4).
//!
//! ```text
//!    ╲_____╱      y = 1 − d + η (1 − cos 2πx/λ)     rigid; d counts from first touch, η is half of peak to valley
//!   ─────────     y = 1                             layer, free to slide along the sinusoid
//!   ▒▒▒▒▒▒▒▒▒
//!   ═════════     y = 0                             bonded
//!   x=0     λ/2   periodic with λ and mirrored at both sides, so half a wave is enough: no way across them
//! ```
//!
//! Contact is an active set of surface nodes that are held on the sinusoid exactly: such a node keeps one unknown, its way along x,
//! with y = f(x); its equation is the force along the surface, and what remains is the force of contact. A node leaves when
//! that pulls, and joins when it is found above the sinusoid. The set is right at the end: no penetration, no tension, no penalty.

use super::banded::BandMatrix;
use super::law::{PlaneLaw, PlaneMaterial};
use super::quad::QuadElements;
use std::fmt;

/// Why a layer cannot be built or pressed further.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LayerError {
    /// A parameter that makes no sense, and why.
    Parameter(String),
    /// Newton's method found no equilibrium past this depth even with tiny increments.
    Stuck {
        /// The last depth with an equilibrium, over the thickness.
        depth: f64,
    },
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(why) => write!(f, "layer: {why}"),
            Self::Stuck { depth } => write!(f, "layer: no equilibrium found past the depth {depth}"),
        }
    }
}

impl std::error::Error for LayerError {}

/// What an equilibrium is like. Forces are over the confined modulus M = E(1−ν)/((1+ν)(1−2ν)), lengths over the thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerReport {
    /// Depth past first touch.
    pub depth: f64,
    /// Force on the sinusoid per wavelength: F/(M λ).
    pub force: f64,
    /// The same from the reactions of the base: differs by what Newton's method left.
    pub base_force: f64,
    /// Part of the wavelength in contact; an edge with one end in contact counts half.
    pub contact_fraction: f64,
    /// Largest force left on a free unknown.
    pub residual: f64,
    /// How far the active set is off: depth of a surface node that is not in contact, or pull on one that is; 0 where there is neither.
    pub violation: f64,
    /// Newton steps since the last report.
    pub iterations: usize,
}

/// Forces (over M) and distances below this count as zero.
const TOLERANCE: f64 = 1e-12;
/// Width of the columns below the tip over that of equal columns. The surface there is stretched most, up to where the logarithmic law is
/// close to its limit: equal columns tear sooner.
const NARROWING: f64 = 0.15;
/// Newton steps per increment.
const STEPS: usize = 40;
/// Largest and smallest increment of the depth.
const INCREMENT: [f64; 2] = [0.02, 1e-5];

/// The layer at its present depth.
#[derive(Clone, Debug)]
pub struct PressedLayer {
    material: PlaneMaterial,
    wavelength: f64,
    eta: f64,
    /// Elements along x and y; nodes are numbered up the columns.
    cells: [usize; 2],
    elements: QuadElements,
    x: Vec<[f64; 2]>,
    forces: Vec<[f64; 2]>,
    /// Per column: its surface node lies on the sinusoid.
    touching: Vec<bool>,
    depth: f64,
    matrix: BandMatrix,
}

impl PressedLayer {
    /// A layer at rest, half a wavelength of `cells` elements along and across, under a sinusoid that does not touch yet.
    ///
    /// # Errors
    /// [`LayerError::Parameter`].
    pub fn new(
        law: PlaneLaw,
        poisson: f64,
        wavelength: f64,
        eta: f64,
        cells: [usize; 2],
    ) -> Result<Self, LayerError> {
        let bad = |why: String| Err(LayerError::Parameter(why));
        let Some(material) = PlaneMaterial::confined(law, 1.0, poisson) else {
            return bad(format!("Poisson's ratio {poisson}; give −1 < ν < ½"));
        };
        if !(wavelength > 0.0 && wavelength.is_finite() && eta >= 0.0 && eta.is_finite()) {
            return bad(format!("wavelength {wavelength}, amplitude {eta}; give λ > 0 and η ≥ 0"));
        }
        if cells.iter().any(|&n| n == 0 || n > 512) {
            return bad(format!("{} × {} elements; give 1 to 512 along each", cells[0], cells[1]));
        }
        let [nx, ny] = cells;
        let node = |i: usize, j: usize| (i * (ny + 1) + j) as u32;
        let part = |i: usize, n: usize| i as f64 / n as f64;
        let graded = |s: f64| s * (NARROWING + (1.0 - NARROWING) * s);
        let x: Vec<[f64; 2]> = (0..=nx)
            .flat_map(|i| (0..=ny).map(move |j| [0.5 * wavelength * graded(part(i, nx)), part(j, ny)]))
            .collect();
        let corner = |i, j| [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        let quads: Vec<[u32; 4]> =
            (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j))).map(|(i, j)| corner(i, j)).collect();
        let elements = QuadElements::new(&x, &quads).map_err(|e| LayerError::Parameter(e.to_string()))?;
        let matrix = BandMatrix::zeros(2 * x.len(), 2 * (ny + 2) + 1);
        let (forces, touching) = (vec![[0.0; 2]; x.len()], vec![false; nx + 1]);
        Ok(Self { material, wavelength, eta, cells, elements, x, forces, touching, depth: 0.0, matrix })
    }

    /// Nodes (over the thickness), up the columns of half a wavelength.
    #[must_use]
    pub fn nodes(&self) -> &[[f64; 2]] {
        &self.x
    }

    /// Corners of the elements.
    #[must_use]
    pub fn quads(&self) -> &[[u32; 4]] {
        self.elements.quads()
    }

    /// The sinusoid at `x` when pressed to `depth`: height, slope, curvature.
    #[must_use]
    pub fn sinusoid(&self, depth: f64, x: f64) -> [f64; 3] {
        let k = std::f64::consts::TAU / self.wavelength;
        let (s, c) = (libm::sin(k * x), libm::cos(k * x));
        [1.0 - depth + self.eta * (1.0 - c), self.eta * k * s, self.eta * k * k * c]
    }

    /// Presses to a depth (0 to less than 1), by increments from the present one, also back up.
    ///
    /// # Errors
    /// [`LayerError::Parameter`] for a depth out of range; [`LayerError::Stuck`], and the layer stays at the last equilibrium.
    pub fn press_to(&mut self, depth: f64) -> Result<LayerReport, LayerError> {
        if !(0.0..1.0).contains(&depth) {
            return Err(LayerError::Parameter(format!("depth {depth}; give 0 ≤ d < 1")));
        }
        let mut iterations = 0;
        let mut increment = INCREMENT[0];
        loop {
            let way = depth - self.depth;
            let next = if way.abs() <= increment { depth } else { self.depth + increment.copysign(way) };
            let (x, touching) = (self.x.clone(), self.touching.clone());
            match self.equilibrium(next, &mut iterations) {
                Some(report) if next == depth => return Ok(LayerReport { iterations, ..report }),
                Some(_) => increment = (2.0 * increment).min(INCREMENT[0]),
                None => {
                    (self.x, self.touching) = (x, touching);
                    increment *= 0.5;
                    if increment < INCREMENT[1] {
                        return Err(LayerError::Stuck { depth: self.depth });
                    }
                }
            }
        }
    }

    /// The surface node of a column.
    fn top(&self, column: usize) -> usize {
        column * (self.cells[1] + 1) + self.cells[1]
    }

    /// Newton's method with the active set at a depth; `None` when it does not end.
    fn equilibrium(&mut self, depth: f64, iterations: &mut usize) -> Option<LayerReport> {
        let mut settled = false;
        for _ in 0..STEPS {
            *iterations += 1;
            self.assemble()?;
            let (before, mut residual, gap) = self.left(depth);
            // Far from equilibrium forces say little of who should leave.
            let changed = (settled || before < 1e-3) && self.revise(depth);
            if changed {
                residual = self.left(depth).1;
            }
            if !changed && residual < TOLERANCE && gap < TOLERANCE {
                self.depth = depth;
                return Some(self.report(depth, residual));
            }
            settled = true;
            let step = self.newton_step(depth)?;
            // As much of the step as leaves every element upright.
            let mut part = 1.0;
            let old = self.x.clone();
            loop {
                for (x, (o, s)) in self.x.iter_mut().zip(old.iter().zip(&step)) {
                    *x = [o[0] + part * s[0], o[1] + part * s[1]];
                }
                if self.elements.upright(&self.x) {
                    break;
                }
                part *= 0.5;
                if part < 1e-3 {
                    return None;
                }
            }
        }
        None
    }

    fn assemble(&mut self) -> Option<()> {
        self.forces.fill([0.0; 2]);
        self.matrix.clear();
        let matrix = &mut self.matrix;
        let put = |a: usize, b: usize, k: [f64; 4]| {
            for r in 0..2 {
                for c in 0..2 {
                    *matrix.entry(2 * a + r, 2 * b + c) += k[2 * r + c];
                }
            }
        };
        self.elements.add_forces_and_stiffness(&self.material, &self.x, &mut self.forces, put).ok()
    }

    /// Which of a node's two unknowns is held: the base both, the sides along x.
    fn held(&self, node: usize) -> [bool; 2] {
        let (column, row) = (node / (self.cells[1] + 1), node % (self.cells[1] + 1));
        let side = column == 0 || column == self.cells[0];
        [row == 0 || side, row == 0]
    }

    /// The column of a surface node in contact.
    fn contact(&self, node: usize) -> Option<usize> {
        let (column, row) = (node / (self.cells[1] + 1), node % (self.cells[1] + 1));
        (row == self.cells[1] && self.touching[column]).then_some(column)
    }

    /// Largest force on a free unknown, along the surface where a node touches, and largest distance of those from it.
    fn left(&self, depth: f64) -> (f64, f64, f64) {
        let (mut residual, mut gap) = (0.0f64, 0.0f64);
        for (node, f) in self.forces.iter().enumerate() {
            let held = self.held(node);
            if self.contact(node).is_some() {
                let [height, slope, _] = self.sinusoid(depth, self.x[node][0]);
                gap = gap.max((height - self.x[node][1]).abs());
                if !held[0] {
                    residual = residual.max((f[0] + slope * f[1]).abs());
                }
            } else {
                (0..2).filter(|&c| !held[c]).for_each(|c| residual = residual.max(f[c].abs()));
            }
        }
        (residual.max(gap), residual, gap)
    }

    /// Nodes that pull leave, nodes above the sinusoid join; whether any did.
    fn revise(&mut self, depth: f64) -> bool {
        let mut changed = false;
        for column in 0..=self.cells[0] {
            let node = self.top(column);
            let touching = if self.touching[column] {
                self.forces[node][1] <= TOLERANCE
            } else {
                self.x[node][1] > self.sinusoid(depth, self.x[node][0])[0] + TOLERANCE
            };
            changed |= touching != self.touching[column];
            self.touching[column] = touching;
        }
        changed
    }

    /// Solves the assembled system for a way of every node. With δy = f' δx + g at a node in contact, its two columns become
    /// one, its two rows one equation along the surface, and f'' F_y is the turn of that direction.
    fn newton_step(&mut self, depth: f64) -> Option<Vec<[f64; 2]>> {
        let n = self.matrix.rows();
        let mut rhs: Vec<f64> = self.forces.iter().flatten().map(|f| -f).collect();
        let tops: Vec<(usize, [f64; 3])> = (0..self.x.len())
            .filter(|&i| self.contact(i).is_some())
            .map(|i| (i, self.sinusoid(depth, self.x[i][0])))
            .collect();
        for &(node, [height, slope, curvature]) in &tops {
            let (cx, cy) = (2 * node, 2 * node + 1);
            let gap = height - self.x[node][1];
            for i in self.matrix.columns(cy) {
                let k = *self.matrix.entry(i, cy);
                rhs[i] -= k * gap;
                // The column along x may reach one row less far; beyond it both are empty.
                if self.matrix.columns(i).contains(&cx) {
                    *self.matrix.entry(i, cx) += slope * k;
                }
            }
            for j in self.matrix.columns(cy) {
                let k = *self.matrix.entry(cy, j);
                if self.matrix.columns(cx).contains(&j) {
                    *self.matrix.entry(cx, j) += slope * k;
                }
            }
            rhs[cx] += slope * rhs[cy];
            *self.matrix.entry(cx, cx) += curvature * self.forces[node][1];
            self.hold(cy, &mut rhs);
        }
        for node in 0..self.x.len() {
            let held = self.held(node);
            (0..2).filter(|&c| held[c]).for_each(|c| self.hold(2 * node + c, &mut rhs));
        }
        debug_assert_eq!(rhs.len(), n);
        self.matrix.solve(&mut rhs).ok()?;
        let mut step: Vec<[f64; 2]> = rhs.chunks_exact(2).map(|s| [s[0], s[1]]).collect();
        for (node, [height, slope, _]) in tops {
            step[node][1] = slope * step[node][0] + height - self.x[node][1];
        }
        step.iter().flatten().all(|v| v.is_finite()).then_some(step)
    }

    /// Takes an unknown out: it stays zero.
    fn hold(&mut self, k: usize, rhs: &mut [f64]) {
        for i in self.matrix.columns(k) {
            *self.matrix.entry(i, k) = 0.0;
            *self.matrix.entry(k, i) = 0.0;
        }
        *self.matrix.entry(k, k) = 1.0;
        rhs[k] = 0.0;
    }

    fn report(&self, depth: f64, residual: f64) -> LayerReport {
        let per_wave = 2.0 / self.wavelength;
        let columns = self.cells[0] + 1;
        let (mut force, mut base, mut violation, mut width) = (0.0, 0.0, 0.0f64, 0.0);
        for column in 0..columns {
            let node = self.top(column);
            base += self.forces[node - self.cells[1]][1];
            if self.touching[column] {
                force -= self.forces[node][1];
                violation = violation.max(self.forces[node][1]);
            } else {
                violation = violation.max(self.x[node][1] - self.sinusoid(depth, self.x[node][0])[0]);
            }
        }
        for column in 1..columns {
            let ends = [column - 1, column];
            let [from, to] = ends.map(|c| self.x[self.top(c)][0]);
            width += 0.5 * (to - from) * ends.iter().filter(|&&c| self.touching[c]).count() as f64;
        }
        LayerReport {
            depth,
            force: force * per_wave,
            base_force: base * per_wave,
            contact_fraction: width * per_wave,
            residual,
            violation,
            iterations: 0,
        }
    }
}
