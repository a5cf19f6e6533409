//! Positions, velocities and masses through a change of topology, and what that does to momentum and energy.
//!
//! A field that is linear in each element is the same field on its pieces, so positions and velocities are
//! interpolated and nothing moves. With lumped masses (a quarter of its tet to each node, a third of its
//! triangle), `Σ m v` is the integral of `ρ v` on either mesh: **linear momentum is kept to rounding**, in
//! total and in each piece. Angular momentum and kinetic energy are quadratic, and the lumped rule
//! overestimates their integrals, less so on the finer mesh: both drop by the difference of two lumping errors.
//! `keep_angular` gives each part a rigid turn that restores its angular momentum; that costs a little energy
//! the other way, and the numbers of both are reported.

use super::{EditError, NodeMap, TetEdit, TriEdit, check_length};
use crate::{DMat3, TetMesh, TriMesh, add, inverse, is_finite, outer, scale, sub, triangle_area};
use ultraviolet::DVec3;

/// How state is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarryOptions {
    /// Restore the angular momentum that finer lumped masses lose, part by part.
    pub keep_angular: bool,
}

impl Default for CarryOptions {
    fn default() -> Self {
        Self { keep_angular: true }
    }
}

/// The state of an edited body, and what changed besides what was taken away.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// Position of each node (m).
    pub x: Vec<DVec3>,
    /// Velocity of each node (m/s).
    pub v: Vec<DVec3>,
    /// Lumped mass of each node (kg).
    pub mass: Vec<f64>,
    /// Mass of the removed elements (kg).
    pub removed_mass: f64,
    /// Their momentum (kg m/s).
    pub removed_linear: DVec3,
    /// Their angular momentum about the origin (kg m²/s).
    pub removed_angular: DVec3,
    /// Linear momentum after, plus what was removed, minus before (kg m/s): rounding.
    pub linear_change: DVec3,
    /// The same for angular momentum (kg m²/s): rounding with `keep_angular`.
    pub angular_change: DVec3,
    /// The same for kinetic energy (J).
    pub kinetic_change: f64,
}

/// Masses of the nodes of a tet mesh (kg): a quarter of each tet's to each corner. One density (kg/m³) per tet.
///
/// # Errors
/// [`EditError::Length`].
pub fn lumped_masses(mesh: &TetMesh, density: &[f64]) -> Result<Vec<f64>, EditError> {
    check_length("densities", density.len(), mesh.tets().len())?;
    let mass: Vec<f64> = (0..density.len()).map(|t| density[t] * mesh.volume(t)).collect();
    Ok(lumped(mesh.tets(), &mass, mesh.positions().len()))
}

/// Masses of the vertices of a cloth (kg): a third of each triangle's to each corner. One area density (kg/m²)
/// per triangle.
///
/// # Errors
/// [`EditError::Length`].
pub fn lumped_areas(mesh: &TriMesh, density: &[f64]) -> Result<Vec<f64>, EditError> {
    check_length("densities", density.len(), mesh.triangles().len())?;
    let mass: Vec<f64> = (0..density.len()).map(|t| density[t] * triangle_area(mesh.corners(t))).collect();
    Ok(lumped(mesh.triangles(), &mass, mesh.positions().len()))
}

fn lumped<const K: usize>(elements: &[[u32; K]], mass: &[f64], nodes: usize) -> Vec<f64> {
    let mut out = vec![0.0; nodes];
    for (e, m) in elements.iter().zip(mass) {
        e.iter().for_each(|&v| out[v as usize] += m / K as f64);
    }
    out
}

/// Carries the state of a tet body. `old` is the rest mesh before, `density` (kg/m³) per old tet, `x` (m) and
/// `v` (m/s) of its nodes now.
///
/// # Errors
/// [`EditError`]: a slice of the wrong length, a number that is not finite.
pub fn carry_state(
    old: &TetMesh,
    density: &[f64],
    x: &[DVec3],
    v: &[DVec3],
    edit: &TetEdit,
    options: CarryOptions,
) -> Result<Carried, EditError> {
    check_length("densities", density.len(), old.tets().len())?;
    let mass = |volumes: Vec<f64>, of: &dyn Fn(usize) -> usize| -> Vec<f64> {
        volumes.iter().enumerate().map(|(t, m)| m * density[of(t)]).collect()
    };
    check_parents(&edit.tet_parent, old.tets().len())?;
    let before = Body { elements: old.tets(), mass: mass(old.volumes(), &|t| t) };
    let after = Body {
        elements: edit.mesh.tets(),
        mass: mass(edit.mesh.volumes(), &|t| edit.tet_parent[t] as usize),
    };
    carry(before, after, &edit.tet_parent, &edit.nodes, x, v, options)
}

/// Carries the state of a cloth: as [`carry_state`], with area densities (kg/m²).
///
/// # Errors
/// As [`carry_state`].
pub fn carry_cloth_state(
    old: &TriMesh,
    density: &[f64],
    x: &[DVec3],
    v: &[DVec3],
    edit: &TriEdit,
    options: CarryOptions,
) -> Result<Carried, EditError> {
    check_length("densities", density.len(), old.triangles().len())?;
    check_parents(&edit.triangle_parent, old.triangles().len())?;
    let before = Body {
        elements: old.triangles(),
        mass: (0..density.len()).map(|t| density[t] * triangle_area(old.corners(t))).collect(),
    };
    let after = Body {
        elements: edit.mesh.triangles(),
        mass: edit
            .triangle_parent
            .iter()
            .enumerate()
            .map(|(t, &p)| density[p as usize] * triangle_area(edit.mesh.corners(t)))
            .collect(),
    };
    carry(before, after, &edit.triangle_parent, &edit.nodes, x, v, options)
}

fn check_parents(parents: &[u32], old: usize) -> Result<(), EditError> {
    if parents.iter().any(|&p| p as usize >= old) { Err(EditError::NotConsecutive) } else { Ok(()) }
}

struct Body<'a, const K: usize> {
    elements: &'a [[u32; K]],
    /// Mass of each element (kg).
    mass: Vec<f64>,
}

/// Momenta and energy.
#[derive(Clone, Copy)]
struct Sums {
    linear: DVec3,
    angular: DVec3,
    kinetic: f64,
}

impl Sums {
    const ZERO: Self = Self {
        linear: DVec3 { x: 0.0, y: 0.0, z: 0.0 },
        angular: DVec3 { x: 0.0, y: 0.0, z: 0.0 },
        kinetic: 0.0,
    };

    fn plus(self, other: Self, factor: f64) -> Self {
        Self {
            linear: self.linear + other.linear * factor,
            angular: self.angular + other.angular * factor,
            kinetic: self.kinetic + other.kinetic * factor,
        }
    }
}

impl<const K: usize> Body<'_, K> {
    /// The lumped share of one element.
    fn element(&self, e: usize, x: &[DVec3], v: &[DVec3]) -> Sums {
        let m = self.mass[e] / K as f64;
        self.elements[e].iter().fold(Sums::ZERO, |sum, &n| {
            let (x, v) = (x[n as usize], v[n as usize]);
            sum.plus(Sums { linear: v, angular: x.cross(v), kinetic: 0.5 * v.mag_sq() }, m)
        })
    }
}

fn carry<const K: usize>(
    before: Body<'_, K>,
    after: Body<'_, K>,
    parent: &[u32],
    map: &NodeMap,
    x: &[DVec3],
    v: &[DVec3],
    options: CarryOptions,
) -> Result<Carried, EditError> {
    check_length("positions", x.len(), map.old_len())?;
    check_length("velocities", v.len(), map.old_len())?;
    for (what, values) in [("position", x), ("velocity", v)] {
        if let Some(index) = values.iter().position(|&p| !is_finite(p)) {
            return Err(EditError::NonFinite { what, index });
        }
    }
    let (new_x, mut new_v) = (map.carry(x), map.carry(v));
    let mass = lumped(after.elements, &after.mass, map.len());

    // Old element by old element: what of it is left, and what its pieces lack of that.
    let mut lacking = vec![DVec3::zero(); after.elements.len()];
    let (mut total, mut removed, mut removed_mass) = (Sums::ZERO, Sums::ZERO, 0.0);
    let mut next = 0;
    for old in 0..before.elements.len() {
        let first = next;
        while next < parent.len() && parent[next] as usize == old {
            next += 1;
        }
        let whole = before.element(old, x, v);
        total = total.plus(whole, 1.0);
        if first == next {
            removed = removed.plus(whole, 1.0);
            removed_mass += before.mass[old];
            continue;
        }
        if next - first == 1 {
            continue;
        }
        let pieces = (first..next).fold(Sums::ZERO, |s, e| s.plus(after.element(e, &new_x, &new_v), 1.0));
        let of_pieces: f64 = after.mass[first..next].iter().sum();
        let lack = whole.angular - pieces.angular;
        for e in first..next {
            lacking[e] = if of_pieces > 0.0 { lack * (after.mass[e] / of_pieces) } else { DVec3::zero() };
        }
    }
    if options.keep_angular {
        turn_parts(&after, &lacking, &mass, &new_x, &mut new_v);
    }
    let end = (0..after.elements.len())
        .fold(removed, |s, e| s.plus(after.element(e, &new_x, &new_v), 1.0))
        .plus(total, -1.0);
    Ok(Carried {
        x: new_x,
        v: new_v,
        mass,
        removed_mass,
        removed_linear: removed.linear,
        removed_angular: removed.angular,
        linear_change: end.linear,
        angular_change: end.angular,
        kinetic_change: end.kinetic,
    })
}

/// Gives each part (elements that share nodes) the turn that makes up for the angular momentum its elements
/// lack: `v += δω × (x − c)` with `I δω = δL`, which adds no linear momentum. A part on one line has no such
/// turn about it and stays.
fn turn_parts<const K: usize>(
    after: &Body<'_, K>,
    lacking: &[DVec3],
    mass: &[f64],
    x: &[DVec3],
    v: &mut [DVec3],
) {
    let part = parts(after.elements, mass.len());
    let count = part.iter().map(|&p| p + 1).max().unwrap_or(0);
    let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
    let mut lack = vec![DVec3::zero(); count];
    let (mut m, mut centre) = (vec![0.0; count], vec![DVec3::zero(); count]);
    for (e, element) in after.elements.iter().enumerate() {
        lack[part[element[0] as usize]] += lacking[e];
    }
    for n in 0..mass.len() {
        m[part[n]] += mass[n];
        centre[part[n]] += x[n] * mass[n];
    }
    for p in 0..count {
        if m[p] > 0.0 {
            centre[p] /= m[p];
        }
    }
    let mut inertia = vec![zero; count];
    for n in 0..mass.len() {
        let r = x[n] - centre[part[n]];
        let i = sub(&scale(&DMat3::identity(), r.mag_sq()), &outer(r, r));
        inertia[part[n]] = add(&inertia[part[n]], &scale(&i, mass[n]));
    }
    let spin: Vec<DVec3> = (0..count)
        .map(|p| {
            let turn = inverse(&inertia[p]).map_or(DVec3::zero(), |i| i * lack[p]);
            if is_finite(turn) { turn } else { DVec3::zero() }
        })
        .collect();
    for n in 0..mass.len() {
        let w = spin[part[n]];
        if w != DVec3::zero() {
            v[n] += w.cross(x[n] - centre[part[n]]);
        }
    }
}

/// The part of each node, numbered by lowest node.
fn parts<const K: usize>(elements: &[[u32; K]], nodes: usize) -> Vec<usize> {
    let mut parent: Vec<u32> = (0..nodes as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for e in elements {
        for k in 1..K {
            let (a, b) = (root(&mut parent, e[0]), root(&mut parent, e[k]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number = vec![usize::MAX; nodes];
    let mut count = 0;
    (0..nodes as u32)
        .map(|v| {
            let r = root(&mut parent, v) as usize;
            if number[r] == usize::MAX {
                number[r] = count;
                count += 1;
            }
            number[r]
        })
        .collect()
}
