//! A contact surface as a few points with the same wrench, for a solver that takes points.
//!
//! Faces are gathered about points far apart, in place and in normal. The force of a group acts where its moment about that place is a pure
//! twist along it, and these twists are given back as small forces on all points, the least that do it when each is weighed by what it carries.

use crate::stiffness::{directions, second};
use crate::surface::ContactSurface;
use impinge_geometry::{DMat3, DVec3, add, outer, scale};

/// Rounds in which groups follow their faces.
const ROUNDS: usize = 4;
/// A point takes at most this part of its force to carry twists.
const LARGEST: f64 = 0.25;

/// One of the points that stand for a contact surface, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReducedPoint {
    /// Where it acts (m).
    pub position: DVec3,
    /// Mean normal of its faces by force, of length one, out of B into A.
    pub normal: DVec3,
    /// Force on A (N), without friction and damping; the opposite acts on B.
    pub force: DVec3,
    /// Area of its faces (m²).
    pub area: f64,
    /// By how much the force along the normal grows for each metre that B moves along it (N/m). It is below zero where both pressures grow one way, as
    /// of balls whose middles are in each other.
    pub stiffness: f64,
}

/// What [`ContactSurface::reduced`] gives.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reduced {
    /// The points; empty without contact.
    pub points: Vec<ReducedPoint>,
    /// Torque on A that they lack (N·m): zero to rounding, but for one or two points, or such that lie nearly on a line.
    pub left: DVec3,
}

/// Of a face, in the frame of the surface: its force acts at `at`.
struct Pressed {
    at: DVec3,
    normal: DVec3,
    force: f64,
    area: f64,
    stiffness: f64,
}

impl ContactSurface {
    /// This surface as at most `most` points whose forces add up to its wrench, and whose areas to its area. A surface of no more faces has a point for
    /// each. Points lie on the surface where it is flat, and near it elsewhere.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose};
    /// use impinge_pressure::{ContactSurface, Rule, Shape, Workspace, contact, fields};
    /// let ball: Shape = fields::sphere(0.05, 0.0125, 1e6)?.into();
    /// let block: Shape = fields::cuboid(DVec3::new(0.2, 0.2, 0.1), 1e7)?.into();
    /// let (above, here) = (Pose::from_position(DVec3::new(0.0, 0.0, 0.096)), Pose::identity());
    /// let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    /// contact(&ball, &above, &block, &here, Rule::Paper, &mut workspace, &mut surface)?;
    /// let reduced = surface.reduced(4);
    /// let force = reduced.points.iter().fold(DVec3::zero(), |sum, p| sum + p.force);
    /// assert!(surface.faces.len() > 4 && reduced.points.len() == 4);
    /// assert!((force - surface.wrench.force).mag() < 1e-12 * force.mag());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reduced(&self, most: usize) -> Reduced {
        let faces: Vec<Pressed> = self.faces.iter().enumerate().map(|(i, _)| self.pressed(i)).collect();
        if faces.is_empty() || most == 0 {
            return Reduced { points: Vec::new(), left: self.wrench.torque };
        }
        let groups = grouped(&faces, most.min(faces.len()));
        let mut points: Vec<ReducedPoint> = groups.iter().filter_map(|g| together(&faces, g)).collect();
        carry_twists(&faces, &mut points);
        for p in &mut points {
            p.position = self.to_world(p.position);
            (p.normal, p.force) = (self.rotation * p.normal, self.rotation * p.force);
        }
        let about = self.wrench.point;
        let torque = points.iter().fold(DVec3::zero(), |sum, p| sum + (p.position - about).cross(p.force));
        Reduced { points, left: self.wrench.torque - torque }
    }

    fn pressed(&self, i: usize) -> Pressed {
        let f = &self.faces[i];
        let force = f.pressure * f.area;
        // Both fields are equal on the face, and so is what they grow by along it.
        let along = if f.gradient_a == DVec3::zero() { f.gradient_b } else { f.gradient_a };
        let aside = second(self, f) * along;
        let at = if force > 0.0 { f.centroid + aside / force } else { f.centroid };
        let stiffness = directions(self, f)
            .map_or(0.0, |(alpha, beta, weight)| -weight * f.area * f.normal.dot(alpha) * f.normal.dot(beta));
        Pressed { at, normal: f.normal, force, area: f.area, stiffness }
    }
}

/// The faces of each group.
fn grouped(faces: &[Pressed], count: usize) -> Vec<Vec<usize>> {
    if count == faces.len() {
        return (0..count).map(|i| vec![i]).collect();
    }
    let area: f64 = faces.iter().map(|f| f.area).sum();
    let middle = faces.iter().fold(DVec3::zero(), |s, f| s + f.at * f.area) / area;
    let size = faces.iter().map(|f| (f.at - middle).mag_sq() * f.area).sum::<f64>() / area;
    // Places by the size of the patch, so that a turn by a radian is as far as the patch is wide.
    let apart = |(at, normal): (DVec3, DVec3), f: &Pressed| {
        let place = if size > 0.0 { (at - f.at).mag_sq() / size } else { 0.0 };
        place + (normal - f.normal).mag_sq()
    };
    let first = (0..faces.len()).fold(0, |best, i| if faces[i].force > faces[best].force { i } else { best });
    let mut seeds = vec![(faces[first].at, faces[first].normal)];
    let mut nearest: Vec<(f64, usize)> = faces.iter().map(|f| (apart(seeds[0], f), 0)).collect();
    while seeds.len() < count {
        let far = (0..faces.len()).fold(0, |best, i| if nearest[i].0 > nearest[best].0 { i } else { best });
        let seed = (faces[far].at, faces[far].normal);
        for (near, f) in nearest.iter_mut().zip(faces) {
            let d = apart(seed, f);
            if d < near.0 {
                *near = (d, seeds.len());
            }
        }
        seeds.push(seed);
    }
    for _ in 0..ROUNDS {
        for (k, seed) in seeds.iter_mut().enumerate() {
            let (mut at, mut normal, mut sum) = (DVec3::zero(), DVec3::zero(), 0.0);
            for (f, _) in faces.iter().zip(&nearest).filter(|(_, near)| near.1 == k) {
                at += f.at * f.area;
                normal += f.normal * f.area;
                sum += f.area;
            }
            if sum > 0.0 && normal.mag() > 0.0 {
                *seed = (at / sum, normal.normalized());
            }
        }
        for (near, f) in nearest.iter_mut().zip(faces) {
            *near = (0..seeds.len())
                .map(|k| (apart(seeds[k], f), k))
                .fold((f64::INFINITY, 0), |best, d| if d.0 < best.0 { d } else { best });
        }
    }
    let mut groups = vec![Vec::new(); count];
    nearest.iter().enumerate().for_each(|(i, near)| groups[near.1].push(i));
    groups
}

/// A group as one point; `None` of an empty one.
fn together(faces: &[Pressed], group: &[usize]) -> Option<ReducedPoint> {
    let own = || group.iter().map(|&i| &faces[i]);
    let area: f64 = own().map(|f| f.area).sum();
    if group.is_empty() {
        return None;
    }
    let force = own().fold(DVec3::zero(), |s, f| s + f.normal * f.force);
    let pressure: f64 = own().map(|f| f.force).sum();
    let (weight, total): (fn(&Pressed) -> f64, f64) =
        if pressure > 0.0 { (|f| f.force, pressure) } else { (|f| f.area, area) };
    let mean = |of: fn(&Pressed) -> DVec3| own().fold(DVec3::zero(), |s, f| s + of(f) * weight(f)) / total;
    let middle = if total > 0.0 { mean(|f| f.at) } else { faces[group[0]].at };
    let normal = if total > 0.0 { mean(|f| f.normal) } else { DVec3::zero() };
    let moment = own().fold(DVec3::zero(), |s, f| s + (f.at - middle).cross(f.normal * f.force));
    let square = force.mag_sq();
    // Of forces that cancel nothing is left to act anywhere: the moment goes to all points.
    let aside =
        if square > 0.0625 * pressure * pressure { force.cross(moment) / square } else { DVec3::zero() };
    Some(ReducedPoint {
        position: middle + aside,
        normal: if normal.mag() > 0.0 { normal.normalized() } else { faces[group[0]].normal },
        force,
        area,
        stiffness: own().map(|f| f.stiffness).sum(),
    })
}

/// Adds to the forces what their moments lack: w(x) (b × x) about their middle, the least by Σ |δF|²/w with w their sizes.
fn carry_twists(faces: &[Pressed], points: &mut [ReducedPoint]) {
    let total: f64 = points.iter().map(|p| p.force.mag()).sum();
    if !(total > 0.0) {
        return;
    }
    let weight = |p: &ReducedPoint| p.force.mag();
    let middle = points.iter().fold(DVec3::zero(), |s, p| s + p.position * weight(p)) / total;
    let mut lacks = faces.iter().fold(DVec3::zero(), |s, f| s + (f.at - middle).cross(f.normal * f.force));
    let mut spread = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
    let mut size = 0.0;
    for p in points.iter() {
        let r = p.position - middle;
        lacks -= r.cross(p.force);
        let turned = add(&scale(&DMat3::identity(), r.mag_sq()), &scale(&outer(r, r), -1.0));
        spread = add(&spread, &scale(&turned, weight(p)));
        size += weight(p) * r.mag_sq();
    }
    // On a line its smallest eigenvalue is 0.
    if !(spread.determinant() > 1e-9 * size * size * size) {
        return;
    }
    let b = spread.inversed() * lacks;
    let fits = |p: &ReducedPoint| b.cross(p.position - middle).mag() <= LARGEST;
    if points.iter().all(fits) {
        points.iter_mut().for_each(|p| p.force += b.cross(p.position - middle) * p.force.mag());
    }
}
