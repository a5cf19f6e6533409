//! Structured tetrahedra: box, sphere, ellipsoid, cylinder, capsule. All tets are positive, checked before they are
//! handed out, and the surface has the style of the triangle shapes of the same name.
//!
//! A tet whose corners are known is cut into n³ by its own lattice: points with whole barycentric coordinates of sum
//! n. In lattice coordinates (i, j, k) every cell holds an upright tet, an octahedron (cut into four tets around its
//! best diagonal) and an inverted tet, as far as they fit under i + j + k ≤ n.

use super::check::{self, circle_point};
use super::rings;
use super::sphere::unit_icosphere;
use crate::{MeshError, TetMesh, tet_volume};
use std::collections::BTreeMap;
use ultraviolet::DVec3;

/// The most tets any of these makes.
const MAX_TETS: f64 = 33_554_432.0;

pub(super) fn affordable(shape: &str, names: &str, wanted: f64) -> Result<(), MeshError> {
    if wanted <= MAX_TETS {
        return Ok(());
    }
    let reason = format!(
        "{shape}: {names} ask for {wanted:.3e} tets; at most {MAX_TETS:.0} are made: give smaller counts"
    );
    Err(MeshError::BadParameter { reason })
}

pub(super) fn checked(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Result<TetMesh, MeshError> {
    let mesh = TetMesh::new(positions, tets)?;
    mesh.require_positive()?;
    Ok(mesh)
}

/// A box of full edge lengths `size` (m), centred on the origin: `segments` cubes along each axis, each cut into
/// five tets, mirrored from cube to cube. Its surface is that of [`super::cuboid`] with the same numbers.
///
/// # Errors
/// [`MeshError::BadParameter`] for a size that is no length, for zero segments, and for too many tets.
pub fn tet_box(size: DVec3, segments: [u32; 3]) -> Result<TetMesh, MeshError> {
    let shape = "tet_box";
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length(shape, &format!("size along {axis}"), size[i])?;
        check::count(shape, &format!("segments along {axis}"), segments[i], 1, 4096)?;
    }
    let [nx, ny, nz] = segments;
    affordable(shape, "segments", 5.0 * f64::from(nx) * f64::from(ny) * f64::from(nz))?;
    let at = |i: u32, n: u32, length: f64| length * (f64::from(2 * i) - f64::from(n)) / (2.0 * f64::from(n));
    let mut positions = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            positions.extend(
                (0..=nx).map(|i| DVec3::new(at(i, nx, size.x), at(j, ny, size.y), at(k, nz, size.z))),
            );
        }
    }
    let mut tets = Vec::with_capacity(5 * (nx * ny) as usize * nz as usize);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                // Corner number: bit 0 for x, 1 for y, 2 for z. Corners with an even sum of lattice coordinates
                // are joined by the diagonals; where the cell starts odd, x is mirrored.
                let odd = (i + j + k) % 2;
                let corner = |bits: u32| {
                    let (dx, dy, dz) = ((bits & 1) ^ odd, bits >> 1 & 1, bits >> 2 & 1);
                    ((k + dz) * (ny + 1) + j + dy) * (nx + 1) + i + dx
                };
                for [a, b, c, d] in [[0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 6, 4], [3, 6, 5, 7], [0, 3, 6, 5]] {
                    let [a, b, c, d] = [a, b, c, d].map(corner);
                    tets.push(if odd == 0 { [a, b, c, d] } else { [a, c, b, d] });
                }
            }
        }
    }
    checked(positions, tets)
}

/// A ball of the given radius (m): `rings` shells around the middle vertex, `20 rings³` tets. The 20 faces of an
/// icosahedron, joined to the middle, are cut to their lattice, and each level is pushed out to its sphere.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius that is no length, and for no ring or more than 118.
pub fn tet_sphere(radius: f64, rings: u32) -> Result<TetMesh, MeshError> {
    check::length("tet_sphere", "radius", radius)?;
    unit_ball("tet_sphere", rings)?.mapped(|p| p * radius)
}

/// An ellipsoid with half axes `radii` (m) along x, y, z: a stretched [`tet_sphere`].
///
/// # Errors
/// [`MeshError::BadParameter`] for a half axis that is no length, and for no ring or more than 118.
pub fn tet_ellipsoid(radii: DVec3, rings: u32) -> Result<TetMesh, MeshError> {
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length("tet_ellipsoid", &format!("half axis along {axis}"), radii[i])?;
    }
    unit_ball("tet_ellipsoid", rings)?.mapped(|p| p * radii)
}

fn unit_ball(shape: &str, n: u32) -> Result<TetMesh, MeshError> {
    check::count(shape, "rings", n, 1, 118)?;
    let ico = unit_icosphere(0)?;
    let mut positions = Vec::new();
    // A lattice point by the corners of the icosahedron it leans on, with their shares; the middle leans on none.
    let mut number: BTreeMap<[(u32, u32); 3], u32> = BTreeMap::new();
    let mut tets = Vec::new();
    for t in ico.triangles() {
        lattice_tets(n, |[b, c, d]| {
            let shares = [b, c, d];
            let mut key = [0, 1, 2].map(|k| if shares[k] == 0 { (u32::MAX, 0) } else { (t[k], shares[k]) });
            key.sort_unstable();
            let next = positions.len() as u32;
            let v = *number.entry(key).or_insert(next);
            if v == next {
                // Summed in the order of the key: the same bits from every face that shares the point.
                let mut p = DVec3::zero();
                for &(corner, share) in key.iter().filter(|k| k.1 > 0) {
                    p += ico.positions()[corner as usize] * f64::from(share);
                }
                let level = f64::from(b + c + d) / f64::from(n);
                positions.push(if level > 0.0 { p.normalized() * level } else { p });
            }
            (v, positions[v as usize])
        })
        .for_each_into(&mut tets);
    }
    checked(positions, tets)
}

/// A cylinder about z, centred on the origin: discs of `rings` circles (6, 12, 18 … vertices), `stacks` layers of
/// prisms between them, each prism three tets; `18 rings² stacks` tets.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius or height that is no length, no ring, no stack, or too many tets.
pub fn tet_cylinder(radius: f64, height: f64, rings: u32, stacks: u32) -> Result<TetMesh, MeshError> {
    let shape = "tet_cylinder";
    check::length(shape, "radius", radius)?;
    check::length(shape, "height", height)?;
    check::count(shape, "rings", rings, 1, 1024)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    affordable(shape, "rings and stacks", 18.0 * f64::from(rings) * f64::from(rings) * f64::from(stacks))?;
    let (positions, tets) = prisms(radius, height, rings, stacks);
    checked(positions, tets)
}

/// A capsule about z, centred on the origin: a [`tet_cylinder`] of the given `length` (m, without the ends) between
/// two half balls of `rings` shells each, `6 rings³` tets in each.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius or length that is no length, no ring, no stack, or too many tets.
pub fn tet_capsule(radius: f64, length: f64, rings: u32, stacks: u32) -> Result<TetMesh, MeshError> {
    let shape = "tet_capsule";
    check::length(shape, "radius", radius)?;
    check::length(shape, "length", length)?;
    check::count(shape, "rings", rings, 1, 1024)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    let n = f64::from(rings);
    affordable(shape, "rings and stacks", 18.0 * n * n * f64::from(stacks) + 12.0 * n * n * n)?;
    let (mut positions, mut tets) = prisms(radius, length, rings, stacks);
    for up in [false, true] {
        // The disc the half ball stands on, and its own vertices by level, latitude and place.
        let disc = if up { stacks * rings::count(rings) } else { 0 };
        let mut number: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let (base, way) = if up { (0.5 * length, 1.0) } else { (-0.5 * length, -1.0) };
        for sector in 0..6 {
            lattice_tets(rings, |lattice| {
                // Shares of this sector's two corners and of the pole. Below, the pole lies the other way: two
                // corners swapped keep the tets positive.
                let [b, c, d] = if up { lattice } else { [lattice[1], lattice[0], lattice[2]] };
                let level = b + c + d;
                let around = b + c;
                let place = if around == 0 { 0 } else { (sector * around + c) % (6 * around) };
                let v = if d == 0 {
                    disc + rings::index(level, place)
                } else {
                    let next = positions.len() as u32;
                    let v = *number.entry([level, d, place]).or_insert(next);
                    if v == next {
                        // Even steps of latitude on each level, even steps of longitude on each latitude.
                        let [cos, sin] = circle_point(d, 4 * level);
                        let [x, y] = if around == 0 { [0.0; 2] } else { circle_point(place, 6 * around) };
                        let r = radius * f64::from(level) / f64::from(rings);
                        positions.push(DVec3::new(r * cos * x, r * cos * y, base + way * r * sin));
                    }
                    v
                };
                (v, positions[v as usize])
            })
            .for_each_into(&mut tets);
        }
    }
    checked(positions, tets)
}

/// Layers of prisms over the disc of rings, each cut into three tets; diagonals run from lower to higher number, so
/// that neighbours agree.
fn prisms(radius: f64, height: f64, rings: u32, stacks: u32) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let per_disc = rings::count(rings);
    let mut positions = Vec::with_capacity(per_disc as usize * (stacks as usize + 1));
    for k in 0..=stacks {
        let z = height * (f64::from(2 * k) - f64::from(stacks)) / (2.0 * f64::from(stacks));
        positions.extend(rings::points(rings).map(|[x, y]| DVec3::new(radius * x, radius * y, z)));
    }
    let disc = rings::triangles(rings);
    let mut tets = Vec::with_capacity(3 * disc.len() * stacks as usize);
    for k in 0..stacks {
        for t in &disc {
            let mut s = *t;
            s.sort_unstable();
            // An odd sort turns the triangle over.
            let [x, y, z] = *t;
            let odd = (x > y) ^ (y > z) ^ (x > z);
            let low = s.map(|v| v + k * per_disc);
            let high = low.map(|v| v + per_disc);
            for [a, b, c, d] in [
                [low[0], low[1], low[2], high[2]],
                [low[0], low[1], high[2], high[1]],
                [low[0], high[1], high[2], high[0]],
            ] {
                tets.push(if odd { [b, a, c, d] } else { [a, b, c, d] });
            }
        }
    }
    (positions, tets)
}

/// The n³ tets of a positive tet's lattice; see [`lattice_tets`].
struct Lattice<F> {
    n: u32,
    vertex: F,
}

/// Cuts a tet whose corner 0 stands at level 0 into n³. `vertex` gives number and position of the point with shares
/// (b, c, d) of the other corners; corner 0 has what is left of n.
fn lattice_tets<F: FnMut([u32; 3]) -> (u32, DVec3)>(n: u32, vertex: F) -> Lattice<F> {
    Lattice { n, vertex }
}

impl<F: FnMut([u32; 3]) -> (u32, DVec3)> Lattice<F> {
    fn for_each_into(mut self, tets: &mut Vec<[u32; 4]>) {
        let n = self.n;
        for i in 0..n {
            for j in 0..n - i {
                for k in 0..n - i - j {
                    let mut at = |d: [u32; 3]| (self.vertex)([i + d[0], j + d[1], k + d[2]]);
                    let o = at([0, 0, 0]);
                    let [x, y, z] = [at([1, 0, 0]), at([0, 1, 0]), at([0, 0, 1])];
                    tets.push([o.0, x.0, y.0, z.0]);
                    if i + j + k + 2 <= n {
                        let [xy, yz, zx] = [at([1, 1, 0]), at([0, 1, 1]), at([1, 0, 1])];
                        tets.extend(octahedron([x, y, z], [yz, zx, xy]));
                        if i + j + k + 3 <= n {
                            let xyz = at([1, 1, 1]);
                            tets.push([xy.0, yz.0, zx.0, xyz.0]);
                        }
                    }
                }
            }
        }
    }
}

/// Four tets around the diagonal that makes the largest smallest volume. `far[i]` lies opposite `near[i]`.
fn octahedron(near: [(u32, DVec3); 3], far: [(u32, DVec3); 3]) -> [[u32; 4]; 4] {
    let around = |i: usize| {
        // Seen along the diagonal from near[i] to far[i], the other four turn once around it.
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let ring = [near[j], near[k], far[j], far[k]];
        [0, 1, 2, 3].map(|s| [near[i], ring[s], ring[(s + 1) % 4], far[i]])
    };
    let smallest = |tets: &[[(u32, DVec3); 4]; 4]| {
        tets.iter().map(|t| tet_volume(t.map(|v| v.1))).fold(f64::INFINITY, f64::min)
    };
    let mut best = around(0);
    for i in 1..3 {
        let other = around(i);
        if smallest(&other) > smallest(&best) {
            best = other;
        }
    }
    best.map(|t| t.map(|v| v.0))
}
