//! A box that fits a body, along the axes or along its flat sides.

use impinge_geometry::{DVec3, TriMesh, triangle_area_vector};

/// Part by which a turned box must be smaller than the straight one: that of a ball of triangles is by less, and its lattice stays straight.
const SMALLER: f64 = 0.01;

/// A box around the triangles of a mesh.
pub(super) struct Frame {
    axes: [DVec3; 3],
    lo: DVec3,
    /// Extents along its axes (m).
    pub size: DVec3,
}

impl Frame {
    /// Along the axes of the coordinates; along two flat sides of the body where that box is smaller by a hundredth.
    ///
    /// Boxes and plates are fitted however they are turned. What has no flat sides gets some box.
    pub fn of(surface: &TriMesh) -> Self {
        let straight = Self::along(surface, [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()]);
        let turned = flat_sides(surface).map(|axes| Self::along(surface, axes));
        let volume = |f: &Self| f.size.x * f.size.y * f.size.z;
        turned.filter(|t| volume(t) < (1.0 - SMALLER) * volume(&straight)).unwrap_or(straight)
    }

    fn along(surface: &TriMesh, axes: [DVec3; 3]) -> Self {
        let mut corners = surface.triangles().iter().flatten().map(|&v| {
            let p = surface.positions()[v as usize];
            DVec3::from(axes.map(|a| a.dot(p)))
        });
        let first = corners.next().unwrap_or_else(DVec3::zero);
        let (lo, hi) =
            corners.fold((first, first), |(lo, hi), p| (lo.min_by_component(p), hi.max_by_component(p)));
        Self { axes, lo, size: hi - lo }
    }

    /// From the lower corner, along the axes (m).
    pub fn in_box(&self, p: DVec3) -> DVec3 {
        DVec3::from(self.axes.map(|a| a.dot(p))) - self.lo
    }

    /// Back from [`Frame::in_box`].
    pub fn out_of_box(&self, q: DVec3) -> DVec3 {
        let [x, y, z] = self.axes;
        let q = q + self.lo;
        x * q.x + y * q.y + z * q.z
    }
}

/// Orthonormal axes: out of the largest triangle, then out of that which is largest across it; `None` where all are parallel.
fn flat_sides(surface: &TriMesh) -> Option<[DVec3; 3]> {
    let largest = |across: &dyn Fn(DVec3) -> DVec3| {
        let vectors =
            (0..surface.triangles().len()).map(|t| across(triangle_area_vector(surface.corners(t))));
        let found = vectors.fold(DVec3::zero(), |m, v| if v.mag_sq() > m.mag_sq() { v } else { m });
        (found.mag_sq() > 0.0).then(|| found.normalized())
    };
    let x = largest(&|a| a)?;
    let y = largest(&|a| a - x * a.dot(x))?;
    // The part across was short where the triangle is nearly parallel: once more for its rounding.
    let y = (y - x * y.dot(x)).normalized();
    Some([x, y, x.cross(y)])
}
