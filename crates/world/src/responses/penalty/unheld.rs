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
use hecs::Ref;
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
    dofs: Ref<'a, Dofs>,
    shapes: Ref<'a, Shapes>,
    laws: Ref<'a, Laws>,
    map: Ref<'a, SurfaceMap>,
    lying: Lying,
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
    let look = Look { part, dofs, shapes, laws, map, lying };
    look.lets_through().into_iter().chain(look.tips()).collect()
}

impl Look<'_> {
    fn name(&self, slot: u32) -> &str {
        &self.part.names()[slot as usize]
    }

    fn has_inside(&self, b: u32) -> bool {
        match &self.shapes.0[b as usize] {
            Shape::Mesh(m) => !m.open,
            Shape::Soft(s) => s.closed,
            Shape::Plane { .. } | Shape::Points { .. } => false,
        }
    }

    /// Along gravity's contrary, the lower half first.
    fn is_above(&self, a: u32, b: u32) -> bool {
        let middle = |i: u32| self.lying.heights[i as usize].iter().sum::<f64>();
        middle(a) > middle(b)
    }

    /// Vertices of either that would be inside the other, where they stand now (m).
    fn inside(&self, a: u32, b: u32, standing: &Standing<'_>) -> Vec<DVec3> {
        let Some((_, push)) = self.laws.of(a, b) else { return Vec::new() };
        let [[a_low, a_high], [b_low, b_high]] = [a, b].map(|i| self.lying.heights[i as usize]);
        let tall = (a_high - a_low).min(b_high - b_low);
        let above = self.is_above(a, b);
        let gap = if above { a_low - b_high } else { b_low - a_high };
        let way = self.lying.up * (gap.max(0.0) + SUNK * tall);
        let mut found = Vec::new();
        for (body, target, above, left_out) in [(a, b, above, Sides::Second), (b, a, !above, Sides::First)] {
            if push == left_out {
                continue;
            }
            let way = if above { -way } else { way };
            let around = standing.around(target);
            let own = self.map.range(body as usize).map(|v| self.lying.x[v]);
            let sinks = |x: &DVec3| {
                let p = *x + way;
                around.contains(p) && standing.depth(target, p) > TOUCHING * tall
            };
            found.extend(own.filter(sinks));
        }
        found
    }

    fn standing(&self) -> Standing<'_> {
        Standing::new(&self.map, &self.shapes, &self.lying.x, &self.dofs.bodies.pose)
    }

    fn lets_through(&self) -> Option<String> {
        let standing = self.standing();
        let is_held = |a, b| self.laws.of(a, b).is_none() || !self.inside(a, b, &standing).is_empty();
        let solid = |&&(a, b): &&(u32, u32)| self.has_inside(a) && self.has_inside(b);
        let mut loose = self.lying.pairs.iter().filter(solid).filter(|&&(a, b)| !is_held(a, b));
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

    /// How far what vertices hold, and what faces would, reach around the centre of mass of a rigid mesh that stands on others alone (m).
    fn reaches(&self, b: u32, on: &[u32], standing: &Standing<'_>, across: &Across) -> Option<[f64; 2]> {
        let x = |slot: u32| &self.lying.x[self.map.range(slot as usize)];
        let bottom = hull(&across.face(x(b), self.lying.up));
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        for &o in on {
            if !self.has_inside(o) {
                return None;
            }
            let held = self.inside(b, o, standing);
            if held.is_empty() {
                return None;
            }
            vertices.extend(held.into_iter().map(|p| across.at(p)));
            faces.extend(common(&bottom, &hull(&across.face(x(o), -self.lying.up))));
        }
        let centre = across.at(self.dofs.bodies.pose[b as usize].position);
        Some([vertices, faces].map(|points| reach(&hull(&points), centre)))
    }

    fn tips(&self) -> Option<String> {
        let (standing, up) = (self.standing(), self.lying.up);
        let across = Across::new(up, self.dofs.bodies.pose.first()?.position);
        let rigid = |b: &u32| {
            self.dofs.bodies.kind[*b as usize] == BodyKind::Rigid
                && matches!(self.shapes.0[*b as usize], Shape::Mesh(_))
        };
        let tip = |b: u32| {
            let other = |&(p, q): &(u32, u32)| (p == b).then_some(q).or((q == b).then_some(p));
            let is_plane = |o: u32| matches!(self.shapes.0[o as usize], Shape::Plane { .. });
            let beneath = |o: &u32| is_plane(*o) || self.is_above(b, *o);
            let on: Vec<u32> = self.lying.pairs.iter().filter_map(other).filter(beneath).collect();
            let [held, could] = self.reaches(b, &on, &standing, &across)?;
            (could > 0.0 && held < LEAST * could).then_some((b, held, could))
        };
        let mut tipping = (0..self.shapes.0.len() as u32).filter(rigid).filter_map(tip);
        let (b, held, could) = tipping.next()?;
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
