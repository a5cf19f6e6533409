//! How a rigid mesh stands on what is below it: where its contacts are, and how stiff they are together.

use crate::components::{Dofs, Laws};
use crate::falls::Falls;
use crate::lying::Lying;
use crate::part::Part;
use crate::response::StillForce;
use crate::shadow::{Across, Point, common, hull, moments, sides, turn};
use hecs::Ref;
use impinge_bodies::stability::carrying;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::{BodyKind, Stiffness};
use impinge_geometry::DVec3;

/// Part of the size of a joint within which two of its points are one, and which it is wide at least.
const CLEAR: f64 = 1e-6;
/// Way aside while it falls, of its height, above which where it lands is not known.
const ASIDE: f64 = 0.01;

/// A rigid mesh that stands on one other thing, and how.
pub(super) struct Joint {
    pub on: usize,
    /// Where its contacts are (N/m each), or a polygon of one stiffness (N/m³).
    points: Vec<(Point, f64)>,
    polygon: Vec<Point>,
    per_area: f64,
    /// Taken off the square of the polygon's radius: cells that push as one (m²).
    within_cells: f64,
    pub middle: Point,
    /// Its own lowest vertices, and what it stands or will stand on, as they are now (m).
    pub ends: [f64; 2],
    pub friction: f64,
    /// Against what it stands on, across the vertical (m/s).
    pub slides: Point,
}

impl Joint {
    /// About its middle (N·m/rad).
    pub fn against_tilting(&self, way: Point) -> f64 {
        if !self.points.is_empty() {
            return self.points.iter().map(|(p, k)| k * self.along(way, p).powi(2)).sum();
        }
        let (area, _, [xx, xy, yy]) = moments(&self.polygon);
        let second = xx * way[0] * way[0] + 2.0 * xy * way[0] * way[1] + yy * way[1] * way[1];
        self.per_area * (second - area * self.within_cells).max(0.0)
    }

    /// Half of the way from what a surface has, b²/3, to b².
    pub fn at_rim(&self, way: Point) -> bool {
        let [back, ahead] = self.reach(way);
        let squares: f64 = self.points.iter().map(|(p, _)| self.along(way, p).powi(2)).sum();
        squares > 2.0 / 3.0 * back * ahead * self.points.len() as f64
    }

    /// From its middle, back and ahead (m).
    pub fn reach(&self, way: Point) -> [f64; 2] {
        let at = self.polygon.iter().map(|p| self.along(way, p));
        at.fold([0.0; 2], |[back, ahead], d| [back.max(-d), ahead.max(d)])
    }

    fn along(&self, way: Point, p: &Point) -> f64 {
        (p[0] - self.middle[0]) * way[0] + (p[1] - self.middle[1]) * way[1]
    }
}

/// What the bodies of one response stand on.
pub(super) struct Standing<'a> {
    pub(super) part: Part<'a>,
    pub dofs: Ref<'a, Dofs>,
    pub shapes: Ref<'a, Shapes>,
    pub(super) laws: Ref<'a, Laws>,
    pub up: DVec3,
    /// What presses each rigid body (N).
    pub load: Vec<f64>,
    pub across: Across,
    pub(super) falls: Falls,
    /// How far each rigid mesh falls (m), and onto what.
    pub(super) below: Vec<Option<(f64, usize)>>,
    /// What each lies on.
    pub(super) under: Vec<Vec<u32>>,
    /// What each and all that stands on it weigh (N).
    weight: Vec<f64>,
}

impl<'a> Standing<'a> {
    /// `None` where nothing presses.
    pub fn of(part: Part<'a>) -> Option<Self> {
        let Lying { up, load, heights, pairs, .. } = Lying::of(part)?;
        let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
        let n = shapes.0.len();
        let across = Across::new(up, dofs.bodies.pose.first().map_or_else(DVec3::zero, |pose| pose.position));
        let mut under = vec![Vec::new(); n];
        let is_plane = |b: u32| matches!(shapes.0[b as usize], Shape::Plane { .. });
        let is_lower =
            |a: u32, b: u32| is_plane(a) || !is_plane(b) && heights[a as usize][0] < heights[b as usize][0];
        for (a, b) in pairs {
            if is_lower(a, b) {
                under[b as usize].push(a);
            } else if is_lower(b, a) {
                under[a as usize].push(b);
            }
        }
        let falls = Falls::of(&dofs, &shapes, -up);
        let is_rigid = |b: usize| dofs.bodies.kind[b] == BodyKind::Rigid;
        let onto = |b: usize| {
            let meets = |o: u32| part.law(&laws, b as u32, o).is_some();
            matches!(shapes.0[b], Shape::Mesh(_)).then(|| falls.onto(b, &dofs, &shapes, meets)).flatten()
        };
        let below: Vec<Option<(f64, usize)>> = (0..n).map(|b| is_rigid(b).then(|| onto(b))?).collect();
        let mut weight = load.clone();
        for b in 0..n {
            let mut at = b;
            // Bodies without a height could stand on each other.
            for _ in 0..n {
                let Some((_, on)) = below[at] else { break };
                weight[on] += load[b];
                at = on;
            }
        }
        Some(Self { part, dofs, shapes, laws, up, load, across, falls, below, under, weight })
    }

    /// How each body stands, if it does on one thing and with a flat side.
    pub fn joints(&self) -> Vec<Option<Joint>> {
        (0..self.shapes.0.len()).map(|b| self.joint(b)).collect()
    }

    fn joint(&self, b: usize) -> Option<Joint> {
        let bodies = &self.dofs.bodies;
        let (way, on) = self.below[b]?;
        let law = &self.laws.laws[self.part.law(&self.laws, b as u32, on as u32)? as usize];
        if bodies.angular_velocity[b].mag() > 0.0
            || !bodies.mobility[b].locked().is_empty()
            || self.under[b].iter().any(|&o| o as usize != on)
            || self.weight[b] <= 0.0
        {
            return None;
        }
        let x = self.vertices(b)?;
        let ends = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = x.iter().map(|p| p.dot(self.up)).fold(ends, |[l, h], d| [l.min(d), h.max(d)]);
        let velocity = bodies.velocity[b] - bodies.velocity[on];
        let slides = self.across.axes.map(|a| velocity.dot(a));
        let lasts = (2.0 * way * bodies.mass[b] / self.load[b]).sqrt();
        if !self.falls.lies(b, way) && libm::hypot(slides[0], slides[1]) * lasts > ASIDE * (high - low) {
            return None;
        }
        let mut corners = self.across.face(&x, self.up);
        let bottom = hull(&corners);
        let top = self.vertices(on).map(|y| {
            let face = self.across.face(&y, -self.up);
            let top = hull(&face);
            corners.extend(face);
            top
        });
        let polygon = top.as_ref().map_or_else(|| bottom.clone(), |top| common(&bottom, top));
        let size = polygon.iter().flatten().fold(0.0f64, |m, c| m.max((c - polygon[0][0]).abs()));
        let (area, middle, _) = moments(&polygon);
        if polygon.len() < 3 || area <= CLEAR * size * size {
            return None;
        }
        let mut out = Joint {
            on,
            points: Vec::new(),
            per_area: 0.0,
            within_cells: 0.0,
            ends: [low, low - way],
            friction: law.friction.as_ref().map_or(0.0, |f| f.mu_s),
            slides,
            middle,
            polygon,
        };
        match (self.part.response().own_stiffness().is_some(), law.stiffness) {
            (true, _) => self.own(b, [&bottom, &top.unwrap_or_default()], &mut out)?,
            (false, Stiffness::PerArea(k)) => out.per_area = k,
            (false, Stiffness::PerContact(k)) => {
                if !self.is_flat(b, self.up, k, self.weight[b])
                    || !self.is_flat(on, -self.up, k, self.weight[b])
                {
                    return None;
                }
                let mut points: Vec<Point> = Vec::new();
                let inner =
                    corners.iter().filter(|p| sides(&out.polygon).all(|[q, r]| turn(q, r, **p) >= 0.0));
                for p in out.polygon.iter().chain(inner) {
                    if points.iter().all(|o| libm::hypot(o[0] - p[0], o[1] - p[1]) > CLEAR * size) {
                        points.push(*p);
                    }
                }
                out.middle = [0, 1].map(|c| points.iter().map(|p| p[c]).sum::<f64>() / points.len() as f64);
                out.points = points.into_iter().map(|p| (p, k)).collect();
            }
        }
        Some(out)
    }

    /// A stiffness that is the response's own, by the faces of the body and of what it stands on; `None` where nothing yields.
    fn own(&self, b: usize, [bottom, top]: [&[Point]; 2], out: &mut Joint) -> Option<()> {
        let response = self.part.response();
        let own = response.own_stiffness()?;
        let at = |body: usize, up: DVec3, face: &[Point]| {
            let way = self.dofs.bodies.pose[body].vector_to_body(up);
            let (n, k) = own(self.part, body, &self.shapes.0[body], self.weight[b], &[way]);
            let area = moments(face).0;
            (n, if area > 0.0 { k / area } else { 0.0 }, area)
        };
        let (n, over, area) = at(b, self.up, bottom);
        out.per_area = over;
        if response.still_force() == StillForce::Fields {
            let (_, beneath, _) = at(out.on, -self.up, top);
            // One after the other where both yield.
            out.per_area = if over > 0.0 && beneath > 0.0 {
                over * beneath / (over + beneath)
            } else {
                over.max(beneath)
            };
        } else {
            out.within_cells = area / n.max(1) as f64 / 12.0;
        }
        (out.per_area > 0.0).then_some(())
    }

    /// In the world (m); of a rigid mesh.
    pub(super) fn vertices(&self, b: usize) -> Option<Vec<DVec3>> {
        let Shape::Mesh(m) = &self.shapes.0[b] else { return None };
        let pose = &self.dofs.bodies.pose[b];
        Some(m.mesh.positions().iter().map(|&p| pose.point_to_world(p)).collect())
    }

    /// What is not flat has the more contacts the deeper it sinks.
    fn is_flat(&self, b: usize, up: DVec3, stiffness: f64, weight: f64) -> bool {
        self.vertices(b).is_none_or(|x| {
            let middle = self.dofs.bodies.pose[b].position;
            let x: Vec<DVec3> = x.iter().map(|p| *p - middle).collect();
            carrying(&x, |_| (stiffness, 0.0), weight, up).0.contacts == self.across.face(&x, up).len()
        })
    }
}
