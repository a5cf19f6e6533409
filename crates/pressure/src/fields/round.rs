//! Sphere, ellipsoid and capsule: triangles of the surface joined to the middle, or to the axis.

use super::cells::{Cells, at_least, length};
use super::primitives::wedge;
use crate::body::CompliantBody;
use crate::error::BodyError;
use impinge_geometry::DVec3;
use std::collections::BTreeMap;

/// The finest octahedron: 8·4⁸ triangles, as many tets. The next has more than [`super::MOST_TETS`].
const MOST_LEVELS: u32 = 8;

/// Unit octahedron whose edges are halved until an equator has edges of at most `resolution` on a ball of `radius`.
fn octahedron(shape: &str, radius: f64, resolution: f64) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), BodyError> {
    length(shape, "the resolution", resolution)?;
    let mut levels = 0;
    while std::f64::consts::FRAC_PI_2 * radius / f64::from(1u32 << levels) > resolution {
        levels += 1;
        if levels > MOST_LEVELS {
            let reason = format!(
                "{shape}: a resolution of {resolution} m asks for more than 8·4^{MOST_LEVELS} triangles; give {} m or more",
                at_least(std::f64::consts::FRAC_PI_2 * radius / f64::from(1u32 << MOST_LEVELS))
            );
            return Err(BodyError::Parameter { reason });
        }
    }
    let mut points = Vec::new();
    for s in [1.0, -1.0] {
        points.extend([DVec3::unit_x() * s, DVec3::unit_y() * s, DVec3::unit_z() * s]);
    }
    // +x +y +z are 0 1 2, −x −y −z 3 4 5.
    let mut faces: Vec<[u32; 3]> =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..levels {
        let mut middle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut half = |a: u32, b: u32, points: &mut Vec<DVec3>| {
            *middle.entry((a.min(b), a.max(b))).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]).normalized());
                points.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * faces.len());
        for [a, b, c] in faces {
            let (ab, bc, ca) = (half(a, b, &mut points), half(b, c, &mut points), half(c, a, &mut points));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    Ok((points, faces))
}

/// A ball (m) about the origin; ε grows linearly from the surface to 1 at the middle. Surface edges are about
/// `resolution` (m).
///
/// # Errors
/// [`BodyError`] for a radius that is no length, a resolution too fine, and a modulus that is not positive.
pub fn sphere(radius: f64, resolution: f64, modulus: f64) -> Result<CompliantBody, BodyError> {
    length("sphere", "the radius", radius)?;
    star("sphere", DVec3::broadcast(radius), radius, resolution, modulus)
}

/// An ellipsoid with half axes `radii` (m): a stretched ball, ε with it.
///
/// # Errors
/// As [`sphere`].
pub fn ellipsoid(radii: DVec3, resolution: f64, modulus: f64) -> Result<CompliantBody, BodyError> {
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        length("ellipsoid", &format!("the half axis along {axis}"), radii[k])?;
    }
    star("ellipsoid", radii, radii.component_max(), resolution, modulus)
}

fn star(
    shape: &str,
    radii: DVec3,
    largest: f64,
    resolution: f64,
    modulus: f64,
) -> Result<CompliantBody, BodyError> {
    let (points, faces) = octahedron(shape, largest, resolution)?;
    let mut m = Cells::default();
    let middle = m.new_vertex(DVec3::zero(), 1.0);
    points.iter().for_each(|&p| {
        m.new_vertex(p * radii, 0.0);
    });
    faces.iter().for_each(|f| m.tet([middle, f[0] + 1, f[1] + 1, f[2] + 1]));
    let (mesh, extent) = m.finish(shape)?;
    CompliantBody::new(mesh, extent, modulus)
}

/// A capsule about z: a cylinder of `straight` (m, without the ends) between two half balls.
///
/// # Errors
/// As [`sphere`], and for lengths too far apart, as [`super::cuboid`].
pub fn capsule(
    radius: f64,
    straight: f64,
    resolution: f64,
    modulus: f64,
) -> Result<CompliantBody, BodyError> {
    length("capsule", "the radius", radius)?;
    length("capsule", "the length", straight)?;
    let (points, faces) = octahedron("capsule", radius, resolution)?;
    let mut m = Cells::default();
    let half = 0.5 * straight;
    let axis = [-half, half].map(|z| m.new_vertex(DVec3::new(0.0, 0.0, z), 1.0));
    // The equator's vertices stand on both rims.
    let number: Vec<[u32; 2]> = points
        .iter()
        .map(|p| {
            let place = |z: f64| *p * radius + DVec3::new(0.0, 0.0, z);
            if p.z == 0.0 {
                return [m.new_vertex(place(-half), 0.0), m.new_vertex(place(half), 0.0)];
            }
            let v = m.new_vertex(place(half.copysign(p.z)), 0.0);
            [v, v]
        })
        .collect();
    for f in &faces {
        let up = usize::from(f.iter().any(|&v| points[v as usize].z > 0.0));
        let [a, b, c] = f.map(|v| number[v as usize][up]);
        m.tet([axis[up], a, b, c]);
        if up == 1 {
            for k in 0..3 {
                let (i, j) = (f[k] as usize, f[(k + 1) % 3] as usize);
                if points[i].z == 0.0 && points[j].z == 0.0 {
                    // The wall under this edge, to the segment: a wedge lying on its side.
                    wedge(
                        &mut m,
                        [axis[0], number[i][0], number[j][0]],
                        [axis[1], number[i][1], number[j][1]],
                    );
                }
            }
        }
    }
    let (mesh, extent) = m.finish("capsule")?;
    CompliantBody::new(mesh, extent, modulus)
}
