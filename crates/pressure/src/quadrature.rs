//! Points and weights on the polygons: the paper's fan of triangles about the centroid (§VI-B.2), three orders.
//!
//! The fan gains and loses triangles at zero area only, so sums are continuous in the pose. Pressure and place are taken
//! at the points, so a rule of order 2 is exact for the wrench of the pressure alone.

use crate::surface::{ContactSurface, Face};
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// How many points each triangle of the fan gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quadrature {
    /// One, at its centroid; exact for linear integrands.
    One,
    /// Three; exact for quadratics.
    #[default]
    Two,
    /// Six (Strang and Fix, Dunavant); exact for quartics.
    Four,
}

const THREE: [([f64; 3], f64); 3] = {
    let (a, b, w) = (2.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0);
    [([a, b, b], w), ([b, a, b], w), ([b, b, a], w)]
};

const SIX: [([f64; 3], f64); 6] = {
    let (a, wa) = (0.445_948_490_915_964_9, 0.223_381_589_678_011_47);
    let (b, wb) = (0.091_576_213_509_770_74, 0.109_951_743_655_321_87);
    let (a1, b1) = (1.0 - 2.0 * a, 1.0 - 2.0 * b);
    [
        ([a1, a, a], wa),
        ([a, a1, a], wa),
        ([a, a, a1], wa),
        ([b1, b, b], wb),
        ([b, b1, b], wb),
        ([b, b, b1], wb),
    ]
};

/// A corner whose triangle with its neighbours is smaller than this part of the polygon lies on a straight side.
const STRAIGHT: f64 = 1e-9;

fn at(c: &[f64; 4]) -> DVec3 {
    DVec3::new(c[0], c[1], c[2])
}

#[inline]
fn bends(before: &[f64; 4], c: &[f64; 4], after: &[f64; 4], face: &Face) -> bool {
    let twice = face.normal.dot((at(c) - at(before)).cross(at(after) - at(c)));
    twice.abs() > STRAIGHT * face.area
}

/// The corners at which a polygon bends.
///
/// On the rim of two fields both pressures are 0, so an outer face of either body passes through the same side of the polygon,
/// and rounding decides whether and where one cuts a corner off the other. The polygon is the same, but a fan through such a
/// corner is another rule: what is no polynomial would jump.
#[cold]
fn bent(all: &[[f64; 4]], face: &Face) -> SmallVec<[[f64; 4]; 12]> {
    let mut out: SmallVec<[[f64; 4]; 12]> = SmallVec::new();
    for (i, c) in all.iter().enumerate() {
        let before = out.last().unwrap_or(&all[all.len() - 1]);
        let after = if i + 1 < all.len() { &all[i + 1] } else { out.first().unwrap_or(&all[0]) };
        if bends(before, c, after, face) {
            out.push(*c);
        }
    }
    if out.len() < 3 { SmallVec::from_slice(all) } else { out }
}

impl Quadrature {
    /// Weights of centroid and of both corners of a side, and the share of the area, for every point of a triangle.
    pub(crate) fn points(self) -> &'static [([f64; 3], f64)] {
        const ONE: [([f64; 3], f64); 1] = [([1.0 / 3.0; 3], 1.0)];
        match self {
            Self::One => &ONE,
            Self::Two => &THREE,
            Self::Four => &SIX,
        }
    }
}

/// Calls `f` with both ends of every side of a face, whose triangle with the centroid is one of the fan.
#[inline]
pub(crate) fn for_each_side(surface: &ContactSurface, face: &Face, mut f: impl FnMut(&[f64; 4], &[f64; 4])) {
    let all = surface.polygon(face);
    let n = all.len();
    let neat = (0..n).all(|i| {
        bends(
            &all[if i == 0 { n - 1 } else { i - 1 }],
            &all[i],
            &all[if i + 1 < n { i + 1 } else { 0 }],
            face,
        )
    });
    let few;
    let corners = if neat {
        all
    } else {
        few = bent(all, face);
        &few[..]
    };
    for (i, a) in corners.iter().enumerate() {
        f(a, &corners[if i + 1 < corners.len() { i + 1 } else { 0 }]);
    }
}

/// Calls `f(place, pressure, area)` for every point of a face, in the surface's frame. Pressures below 0 (margins) are
/// handed out as they are.
#[inline]
pub fn for_each_point(
    surface: &ContactSurface,
    face: &Face,
    rule: Quadrature,
    mut f: impl FnMut(DVec3, f64, f64),
) {
    let rule = rule.points();
    for_each_side(surface, face, |a, b| {
        let area = 0.5 * face.normal.dot((at(a) - face.centroid).cross(at(b) - face.centroid));
        for (w, share) in rule {
            let x = face.centroid * w[0] + at(a) * w[1] + at(b) * w[2];
            f(x, face.pressure * w[0] + a[3] * w[1] + b[3] * w[2], area * share);
        }
    });
}
