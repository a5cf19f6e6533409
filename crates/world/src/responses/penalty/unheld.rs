//! Bodies that lie on each other, or fall on each other straight, and that no vertex would hold, or too few.
//!
//! Where long bodies lie across each other no vertex of either comes inside the other as they sink: only edges meet, and the discrete force of vertices
//! lets the bodies through each other without a word. Where sides are in line (boxes of one size) rounding decides whether a vertex is inside; where
//! corners are past corners on a diagonal two are, and what stands on two points tips over the line between them.

use crate::components::{Dofs, Laws};
use crate::falls::Falls;
use crate::lying::Lying;
use crate::part::Part;
use crate::shadow::{Across, Point, common, hull, sides, turn};
use impinge_bodies::{Shape, Shapes, Standing, TOUCHING};
use impinge_contact::{BodyKind, Sides, SurfaceMap};
use impinge_geometry::DVec3;

/// How far they are let sink to see who is inside, of the height of the flatter.
const SUNK: f64 = 0.05;
/// Part of what faces reach around a centre of mass that vertices reach at least.
const LEAST: f64 = 0.1;

/// What lies or falls on what.
struct Look<'a> {
    part: Part<'a>,
    dofs: &'a Dofs,
    laws: &'a Laws,
    lying: &'a Lying,
    standing: Standing<'a>,
}

/// Sentences for the bodies that nothing would hold, and for those that would tip.
pub(super) fn unheld(part: Part<'_>) -> Vec<String> {
    let Some(mut lying) = Lying::of(part) else { return Vec::new() };
    let (dofs, shapes) = (part.shared::<Dofs>(), part.shared::<Shapes>());
    let (laws, map) = (part.shared::<Laws>(), part.shared::<SurfaceMap>());
    let falls = Falls::of(&dofs, &shapes, -lying.up);
    for b in (0..shapes.0.len()).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid) {
        let pair = |o: u32| (o.min(b as u32), o.max(b as u32));
        let meets = |o: u32| part.law(&laws, b as u32, o).is_some();
        lying.pairs.extend(falls.onto(b, &dofs, &shapes, meets).map(|(_, o)| pair(o as u32)));
    }
    lying.pairs.sort_unstable();
    lying.pairs.dedup();
    let standing = Standing::new(&map, &shapes, &lying.x, &dofs.bodies.pose);
    let look = Look { part, dofs: &dofs, laws: &laws, lying: &lying, standing };
    look.lets_through().into_iter().chain(look.tips()).collect()
}

impl Look<'_> {
    fn name(&self, slot: u32) -> &str {
        &self.part.names()[slot as usize]
    }

    fn shape(&self, b: u32) -> &Shape {
        &self.standing.shapes.0[b as usize]
    }

    fn is_above(&self, a: u32, b: u32) -> bool {
        let middle = |i: u32| self.lying.heights[i as usize].iter().sum::<f64>();
        middle(a) > middle(b)
    }

    /// Vertices of either that would be inside the other, where they stand now (m).
    fn inside(&self, a: u32, b: u32) -> impl Iterator<Item = DVec3> + '_ {
        let push = self.laws.of(a, b).map(|(_, sides)| sides);
        let [[a_low, a_high], [b_low, b_high]] = [a, b].map(|i| self.lying.heights[i as usize]);
        let tall = (a_high - a_low).min(b_high - b_low);
        let above = self.is_above(a, b);
        let gap = if above { a_low - b_high } else { b_low - a_high };
        let way = self.lying.up * (gap.max(0.0) + SUNK * tall);
        let both = [(a, b, above, Sides::Second), (b, a, !above, Sides::First)];
        let asked = both.into_iter().filter(move |side| push.is_some_and(|sides| sides != side.3));
        asked.flat_map(move |(body, target, above, _)| {
            let way = if above { -way } else { way };
            let sinks = move |x: &DVec3| {
                let p = *x + way;
                self.standing.around(target).contains(p) && self.standing.depth(target, p) > TOUCHING * tall
            };
            self.vertices(body).iter().copied().filter(sinks)
        })
    }

    fn vertices(&self, b: u32) -> &[DVec3] {
        &self.lying.x[self.standing.map.range(b as usize)]
    }

    fn lets_through(&self) -> Option<String> {
        let is_loose = |&&(a, b): &&(u32, u32)| {
            self.shape(a).is_solid()
                && self.shape(b).is_solid()
                && self.laws.of(a, b).is_some()
                && self.inside(a, b).next().is_none()
        };
        let mut loose = self.lying.pairs.iter().filter(is_loose);
        let [a, b] = <[u32; 2]>::from(*loose.next()?).map(|i| self.name(i));
        let more = match loose.count() {
            0 => String::new(),
            n => format!(" (and {n} more such pairs)"),
        };
        Some(format!(
            "'{a}' and '{b}'{more} lie or fall on each other and no vertex of either would be inside the other (sides in line, or edges across): '{}' pushes \
             vertices alone and may let them through; give the meshes more `segments`, or use --response cpf, cpf-implicit or qp",
            self.part.response().name()
        ))
    }

    /// How far what vertices hold, and what faces would, reach around the centre of mass of a rigid mesh that stands on these alone (m), where vertices
    /// reach less far.
    fn tips_on(&self, b: u32, on: &[u32], across: &Across) -> Option<[f64; 2]> {
        let up = self.lying.up;
        let centre = across.at(self.dofs.bodies.pose[b as usize].position);
        let around = |points: Vec<Point>| reach(&hull(&points), centre);
        let bottom = hull(&across.face(self.vertices(b), up));
        let top = |&o: &u32| common(&bottom, &hull(&across.face(self.vertices(o), -up)));
        let could = around(on.iter().flat_map(top).collect());
        if !on.iter().all(|&o| self.shape(o).is_solid()) || could <= 0.0 {
            return None;
        }
        let mut vertices = Vec::new();
        for &o in on {
            let before = vertices.len();
            vertices.extend(self.inside(b, o).map(|p| across.at(p)));
            if vertices.len() == before {
                return None;
            }
        }
        let held = around(vertices);
        (held < LEAST * could).then_some([held, could])
    }

    fn tips(&self) -> Option<String> {
        let across = Across::new(self.lying.up, self.dofs.bodies.pose.first()?.position);
        let is_plane = |b: u32| matches!(self.shape(b), Shape::Plane { .. });
        let mut on: Vec<Vec<u32>> = vec![Vec::new(); self.dofs.bodies.len()];
        for &(a, b) in &self.lying.pairs {
            let a_is_above = is_plane(b) || !is_plane(a) && self.is_above(a, b);
            let [over, under] = if a_is_above { [a, b] } else { [b, a] };
            on[over as usize].push(under);
        }
        let rigid = |b: u32| {
            self.dofs.bodies.kind[b as usize] == BodyKind::Rigid && matches!(self.shape(b), Shape::Mesh(_))
        };
        let mut tipping = (0..)
            .zip(&on)
            .filter(|(b, _)| rigid(*b))
            .filter_map(|(b, on)| Some((b, self.tips_on(b, on, &across)?)));
        let (b, [held, could]) = tipping.next()?;
        let more = match tipping.count() {
            0 => String::new(),
            n => format!(" (and {n} more like it)"),
        };
        Some(format!(
            "'{}'{more} stands on vertices that reach {:.1e} m around its centre of mass, where faces reach {could:.1e} m (corners past corners, or sides in line): \
             '{}' pushes vertices alone and may let it tip; give the meshes more `segments`, or use --response cpf, cpf-implicit or qp",
            self.name(b),
            held.max(0.0),
            self.part.response().name()
        ))
    }
}

/// Of the nearest side of a convex polygon (m), negative outside; 0 of what is none.
fn reach(polygon: &[Point], centre: Point) -> f64 {
    if polygon.len() < 3 {
        return 0.0;
    }
    let of = |[p, q]: [Point; 2]| turn(p, q, centre) / libm::hypot(q[0] - p[0], q[1] - p[1]);
    sides(polygon).map(of).fold(f64::INFINITY, f64::min)
}
