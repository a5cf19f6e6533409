//! Whose motion the walls between cells follow.
//!
//! A wall takes part of the intersection's pressure and has to hand it to the bodies, or Newton's third law fails in the cell. Any way of
//! handing it to the two ends of the ray through it keeps force and moment, and the cells' gradients still add up to the whole one: where on
//! the ray the wall stands says (seed 002, (22) and (23)) that it moves with both surfaces in that proportion. Of a box that slides over a plane
//! the cells at its ends then have half of its front or back face in their push. The narrower the strip beside its depth, the more that leans, and as
//! the volume seems to grow with the way along the plane, the box climbs and hops; at rest the sizes of pushes that lean add up to more
//! than the weight. Walls that move with the box leave every cell the push of its part of the flat surface alone, straight up.
//!
//! A layer of cells in which the flat surface has no part then has no push at all: its volume must be taken together with the next one's
//! ([`crate::Overlap::join_slivers`]). An energy of each cell by itself would be blind to it, and wants the paper's walls.
//!
//! So the share of a surface is weighed by how much it is not flat: 1 − ‖∫n dA‖ / ∫dA of what it has inside the other body. Two surfaces that are bent
//! alike share as in the paper.

use impinge_geometry::DVec3;

/// A surface that is less bent than this is flat but for rounding; two such share as in the paper.
const FLAT: f64 = 1e-12;

/// ∫n dA (m²) and ∫dA (m²) of a body's surface inside the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patch {
    pub normal: DVec3,
    pub area: f64,
}

impl Patch {
    /// Adds a piece by its ∫n dA.
    pub fn add(&mut self, normal: DVec3) {
        self.normal += normal;
        self.area += normal.mag();
    }

    /// Adds a ray along `axis` that ends on a triangle with this normal, of any length. It stands for the area of a pixel seen along it, here 1.
    pub fn add_ray(&mut self, axis: usize, normal: DVec3) {
        let leans = normal[axis] / normal.mag();
        if leans.is_finite() {
            self.normal[axis] += leans.signum();
            // |n_x| of a part of the surface that it sees as |n_x|: over the three axes that is the surface.
            self.area += leans.abs();
        }
    }

    /// 0 for a plane, 1 for what faces all ways alike. Of a body without a surface there it is nothing that is asked: no ray ends on it.
    fn bent(&self) -> f64 {
        let flat = self.normal.mag() / self.area;
        if flat.is_finite() { (1.0 - flat).max(FLAT) } else { 1.0 }
    }
}

/// How much each body of a pair carries of a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry([f64; 2]);

impl Carry {
    /// As in the paper.
    pub const SHARED: Self = Self([1.0; 2]);

    /// By the surfaces of the bodies.
    #[must_use]
    pub fn of(patches: &[Patch; 2]) -> Self {
        Self([patches[0].bent(), patches[1].bent()])
    }

    /// What pushes by ∫n dA of flat parts of both surfaces (m²): straight off the flatter one, as walls that go with the other leave it.
    #[must_use]
    pub fn across(&self, of: [DVec3; 2]) -> DVec3 {
        of[0] * self.0[1] + of[1] * self.0[0]
    }

    /// The share of the upper end of a ray in a wall at the share `alpha` of its length, from whose surfaces the upper and the lower end are.
    #[must_use]
    pub fn share(&self, alpha: f64, upper: usize, lower: usize) -> f64 {
        if upper == lower {
            return alpha;
        }
        let (above, below) = (alpha * self.0[upper], (1.0 - alpha) * self.0[lower]);
        above / (above + below)
    }
}
