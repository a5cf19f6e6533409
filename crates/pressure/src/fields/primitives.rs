//! Box and cylinder on their medial axes: every outer face with the part of the medial axis it is nearest to is one cell,
//! in which the distance to the face is linear.

use super::cells::{Cells, length, medial, pieces};
use crate::body::CompliantBody;
use crate::error::BodyError;
use impinge_geometry::DVec3;

/// A box of full edge lengths `size` (m) about the origin. ε is the distance to the surface over the largest one. The field at the
/// ends of a rod and at the rim of a plate has the digits that thickness over length leaves of 16.
///
/// # Errors
/// [`BodyError`] for a size that is no length, sizes of which one is some 1e15 times another, so that cells have no volume left, and a
/// modulus that is not positive.
pub fn cuboid(size: DVec3, modulus: f64) -> Result<CompliantBody, BodyError> {
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        length("box", &format!("the size along {axis}"), size[k])?;
    }
    let h = size * 0.5;
    let inner = h - DVec3::broadcast(h.component_min());
    let inner = DVec3::new(medial(inner.x, h.x), medial(inner.y, h.y), medial(inner.z, h.z));
    let mut m = Cells::default();
    let at = |h: DVec3, bits: usize| {
        let side = |k: usize| if bits >> k & 1 == 1 { h[k] } else { -h[k] };
        // −0 and 0 are one place.
        DVec3::new(side(0) + 0.0, side(1) + 0.0, side(2) + 0.0)
    };
    let outer: [u32; 8] = std::array::from_fn(|b| m.new_vertex(at(h, b), 0.0));
    let medial: [u32; 8] = std::array::from_fn(|b| m.vertex(at(inner, b), 1.0));
    for axis in 0..3 {
        for side in 0..2 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |i: usize, j: usize| side << axis | i << u | j << v;
            let ring = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let (o, i) = (ring.map(|b| outer[b]), ring.map(|b| medial[b]));
            frustum(&mut m, o, i);
        }
    }
    let (mesh, extent) = m.finish("box")?;
    CompliantBody::new(mesh, extent, modulus)
}

/// The cell between an outer quad and the inner one its corners go to.
pub fn frustum(m: &mut Cells, o: [u32; 4], i: [u32; 4]) {
    m.cell(&[
        &o,
        &i,
        &[o[0], o[1], i[1], i[0]],
        &[o[1], o[2], i[2], i[1]],
        &[o[2], o[3], i[3], i[2]],
        &[o[3], o[0], i[0], i[3]],
    ]);
}

/// The cell between an outer triangle and the inner one.
pub fn wedge(m: &mut Cells, o: [u32; 3], i: [u32; 3]) {
    m.cell(&[&o, &i, &[o[0], o[1], i[1], i[0]], &[o[1], o[2], i[2], i[1]], &[o[2], o[0], i[0], i[2]]]);
}

/// A cylinder about z of the given radius and full length (m), centred on the origin, with facets of about `resolution`
/// (m) around.
///
/// # Errors
/// [`BodyError`] for lengths that are none or too far apart, as [`cuboid`], a resolution too fine, and a modulus that is not positive.
pub fn cylinder(
    radius: f64,
    full_length: f64,
    resolution: f64,
    modulus: f64,
) -> Result<CompliantBody, BodyError> {
    length("cylinder", "the radius", radius)?;
    length("cylinder", "the length", full_length)?;
    let n = pieces("cylinder", std::f64::consts::TAU * radius, resolution, 3, 1 << 16)?;
    let half = 0.5 * full_length;
    let depth = radius.min(half);
    // Around the axis corners are nearer to each other than to it, by a facet.
    let (r, z) = (medial(radius - depth, radius * f64::from(n)), medial(half - depth, half));
    let mut m = Cells::default();
    let around = |i: u32| {
        let a = std::f64::consts::TAU * f64::from(i % n) / f64::from(n);
        DVec3::new(libm::cos(a), libm::sin(a), 0.0)
    };
    let up = |z: f64| DVec3::new(0.0, 0.0, z + 0.0);
    let ends = [-half, half].map(|z| m.new_vertex(up(z), 0.0));
    let outer: Vec<[u32; 2]> =
        (0..n).map(|i| [-half, half].map(|z| m.new_vertex(around(i) * radius + up(z), 0.0))).collect();
    let middle = [-z, z].map(|z| m.vertex(up(z), 1.0));
    let medial: Vec<[u32; 2]> = (0..n)
        .map(|i| {
            if r == 0.0 {
                return middle;
            }
            let low = m.new_vertex(around(i) * r + up(-z), 1.0);
            [low, if z == 0.0 { low } else { m.new_vertex(around(i) * r + up(z), 1.0) }]
        })
        .collect();
    for i in 0..n as usize {
        let j = (i + 1) % n as usize;
        frustum(
            &mut m,
            [outer[i][0], outer[j][0], outer[j][1], outer[i][1]],
            [medial[i][0], medial[j][0], medial[j][1], medial[i][1]],
        );
        for s in 0..2 {
            wedge(&mut m, [ends[s], outer[i][s], outer[j][s]], [middle[s], medial[i][s], medial[j][s]]);
        }
    }
    let (mesh, extent) = m.finish("cylinder")?;
    CompliantBody::new(mesh, extent, modulus)
}
