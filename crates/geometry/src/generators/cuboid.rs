//! Boxes with shared vertices and a checkerboard of diagonals.
//!
//! A diagonal joins lattice points with an even sum of indices. A box of one segment per axis then has the
//! symmetry of the tetrahedron inside it, and finer ones have no preferred direction: a box with diagonals
//! that all lean one way gives its corners unequal vertex areas on a face and tilts when it lands.

use super::check;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// A box of full edge lengths `size` (m), centred on the origin, with `segments` quads along each axis, each
/// quad two triangles.
///
/// # Errors
/// [`MeshError::BadParameter`] for a size that is no length, for zero segments, and for too many triangles.
pub fn cuboid(size: DVec3, segments: [u32; 3]) -> Result<TriMesh, MeshError> {
    boxed("cuboid", size, segments)
}

/// A thin box, `thickness` m along z, with one segment through its thickness.
///
/// # Errors
/// As [`cuboid`].
pub fn plate(size: [f64; 2], thickness: f64, segments: [u32; 2]) -> Result<TriMesh, MeshError> {
    boxed("plate", DVec3::new(size[0], size[1], thickness), [segments[0], segments[1], 1])
}

fn boxed(shape: &str, size: DVec3, segments: [u32; 3]) -> Result<TriMesh, MeshError> {
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length(shape, &format!("size along {axis}"), size[i])?;
        check::count(shape, &format!("segments along {axis}"), segments[i], 1, 4096)?;
    }
    let [nx, ny, nz] = segments;
    let n = segments.map(f64::from);
    check::triangles(shape, "segments", 4.0 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]))?;

    let lattice = Lattice { n: segments };
    let mut positions = Vec::new();
    for k in 0..=nz {
        for [i, j] in lattice.layer(k) {
            // (2i − n)/(2n) is antisymmetric in floating point, so the box is exactly centred.
            let at = |i: u32, n: u32, length: f64| {
                length * (f64::from(2 * i) - f64::from(n)) / (2.0 * f64::from(n))
            };
            positions.push(DVec3::new(at(i, nx, size.x), at(j, ny, size.y), at(k, nz, size.z)));
        }
    }
    let mut triangles = Vec::new();
    for axis in 0..3 {
        // (u, v, axis) is right-handed, so counter-clockwise in (u, v) faces +axis.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for end in [0, segments[axis]] {
            for s in 0..segments[u] {
                for t in 0..segments[v] {
                    let corner = |ds: u32, dt: u32| {
                        let mut p = [0; 3];
                        (p[axis], p[u], p[v]) = (end, s + ds, t + dt);
                        p
                    };
                    let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if end == 0 {
                        quad.reverse();
                    }
                    if quad[0].iter().sum::<u32>() % 2 == 1 {
                        quad.rotate_left(1);
                    }
                    let [a, b, c, d] = quad.map(|p| lattice.index(p));
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    TriMesh::new(positions, triangles)
}

/// Numbers the surface points of a lattice layer by layer: the two end layers are full, the ones between are
/// rings.
struct Lattice {
    n: [u32; 3],
}

impl Lattice {
    fn layer(&self, k: u32) -> Vec<[u32; 2]> {
        let [nx, ny, nz] = self.n;
        if k == 0 || k == nz {
            return (0..=ny).flat_map(|j| (0..=nx).map(move |i| [i, j])).collect();
        }
        let bottom = (0..nx).map(|i| [i, 0]);
        let right = (0..ny).map(|j| [nx, j]);
        let top = (0..nx).map(|i| [nx - i, ny]);
        let left = (0..ny).map(|j| [0, ny - j]);
        bottom.chain(right).chain(top).chain(left).collect()
    }

    fn index(&self, [i, j, k]: [u32; 3]) -> u32 {
        let [nx, ny, nz] = self.n;
        let (full, ring) = ((nx + 1) * (ny + 1), 2 * (nx + ny));
        if k == 0 {
            return j * (nx + 1) + i;
        }
        let layer = full + (k - 1) * ring;
        if k == nz {
            return layer + j * (nx + 1) + i;
        }
        layer
            + if j == 0 && i < nx {
                i
            } else if i == nx && j < ny {
                nx + j
            } else if j == ny && i > 0 {
                nx + ny + (nx - i)
            } else {
                2 * nx + ny + (ny - j)
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vertex_areas;

    #[test]
    fn index_is_the_position_in_the_layers() {
        let lattice = Lattice { n: [3, 2, 4] };
        let mut next = 0;
        for k in 0..=4 {
            for [i, j] in lattice.layer(k) {
                assert_eq!(lattice.index([i, j, k]), next);
                next += 1;
            }
        }
        assert_eq!(next as usize, cuboid(DVec3::one(), [3, 2, 4]).unwrap().positions().len());
    }

    #[test]
    fn a_unit_box_is_exact_and_symmetric() {
        let b = cuboid(DVec3::new(1.0, 2.0, 3.0), [1; 3]).unwrap();
        assert_eq!((b.positions().len(), b.triangles().len()), (8, 12));
        assert_eq!(b.bounds(), (DVec3::new(-0.5, -1.0, -1.5), DVec3::new(0.5, 1.0, 1.5)));
        // On a cube each corner has either six triangles or three: two values, in the two tetrahedra.
        let areas = vertex_areas(&cuboid(DVec3::one(), [1; 3]).unwrap());
        let mut sorted = areas;
        sorted.sort_by(f64::total_cmp);
        for (i, a) in sorted.iter().enumerate() {
            assert!((a - if i < 4 { 0.5 } else { 1.0 }).abs() < 1e-15);
        }
    }

    #[test]
    fn a_plate_is_a_box() {
        assert_eq!(
            plate([2.0, 1.0], 0.1, [4, 2]).unwrap(),
            cuboid(DVec3::new(2.0, 1.0, 0.1), [4, 2, 1]).unwrap()
        );
    }
}
