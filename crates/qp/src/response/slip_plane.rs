//! The plane in which two rigid bodies slide on each other at a contact: one for all contacts of the same two faces.
//!
//! A corner on a face has the normal of that face, a corner of that face the normal of the other, and edges that cross have one across both. Where the faces
//! lean against each other, no motion keeps the tangents of all of them: bodies that stick would rub at every contact against every other, until each
//! is at its cone. Friction acts half way between the two points of a contact, and these lie in the plane half way between the faces. With the normal
//! of that one, what sticks at two contacts sticks at all of them.

use super::row::Row;
use super::rows::Contacts;
use impinge_geometry::{DVec3, triangle_area_vector, try_normalized};
use impinge_swept::{Faces, List, edges_of};

/// Sine of the angle up to which a face or an edge lies along another face.
const ALONG: f64 = 0.01;
/// Square of a sine beyond that, whatever rounding makes of it.
const MUCH: f64 = 2.0 * ALONG * ALONG;
/// Faces around a vertex that are known to have been looked at; with more, some are looked at twice.
const KNOWN: usize = 8;

/// What of a body lies in the plane of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flat {
    /// A face with this normal, turned to the side that the contact's normal points to.
    Face(DVec3),
    /// An edge along this way.
    Edge(DVec3),
    /// Nothing but a point.
    Point,
}

impl Contacts<'_> {
    /// Unit normal of the plane in which rigid bodies slide at a contact, near the contact's own.
    pub fn slip_plane(&self, r: &Row) -> DVec3 {
        let x = &self.store.surface.x0;
        let beside = Surroundings { faces: self.scene.faces, x, normal: r.normal };
        let [a, b, c, d] = r.stencil;
        if r.plane.is_some() {
            // There it acts at the vertex.
            return between([beside.vertex(a), Flat::Face(r.normal)], 1.0).unwrap_or(r.normal);
        }
        let sides = if r.order == List::Edges as u8 {
            let (first, second) = edges_of(r.key);
            [beside.edge(first, [a, b], -1.0), beside.edge(second, [c, d], 1.0)]
        } else {
            [beside.vertex(a), beside.level_face([b, c, d], 1.0).map_or(Flat::Point, Flat::Face)]
        };
        between(sides, 0.5).unwrap_or(r.normal)
    }
}

/// The surfaces at a contact when the step begins.
struct Surroundings<'a> {
    faces: &'a Faces,
    x: &'a [DVec3],
    normal: DVec3,
}

impl Surroundings<'_> {
    /// Normal of a face that lies along the contact, whose outer side is that of the contact's normal (`side` 1) or the other (−1).
    fn level_face(&self, corners: [u32; 3], side: f64) -> Option<DVec3> {
        let area = triangle_area_vector(corners.map(|v| self.x[v as usize]));
        // Most faces at a vertex rise from it, which is seen without their units.
        if area.cross(self.normal).mag_sq() > MUCH * area.mag_sq() {
            return None;
        }
        let n = try_normalized(area)? * side;
        (n.dot(self.normal) > 0.0 && n.cross(self.normal).mag_sq() <= ALONG * ALONG).then_some(n)
    }

    /// Of these faces that which lies along it best.
    fn best_face(&self, faces: impl Iterator<Item = u32>, side: f64) -> Option<DVec3> {
        let level = |f: u32| self.level_face(*self.faces.corners.get(f as usize)?, side);
        let off = |n: &DVec3| n.cross(self.normal).mag_sq();
        faces.filter_map(level).min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    fn faces_at(&self, edge: u32) -> [u32; 2] {
        self.faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2])
    }

    /// At a vertex of the first body.
    fn vertex(&self, vertex: u32) -> Flat {
        let edges = self.faces.edges_at.of(vertex);
        // Each face there has two of the edges.
        let (mut known, mut next) = ([u32::MAX; KNOWN], 0);
        let once = |f: &u32| {
            let new = !known.contains(f);
            if new {
                known[next % KNOWN] = *f;
                next += 1;
            }
            new
        };
        if let Some(n) = self.best_face(edges.iter().flat_map(|&e| self.faces_at(e)).filter(once), -1.0) {
            return Flat::Face(n);
        }
        let off = |along: &DVec3| along.dot(self.normal).powi(2) / along.mag_sq();
        let ways = edges.iter().filter_map(|&e| self.faces.edges.get(e as usize)).map(|e| self.way(*e));
        let level = ways.filter(|w| off(w) <= ALONG * ALONG);
        level.min_by(|a, b| off(a).total_cmp(&off(b))).map_or(Flat::Point, Flat::Edge)
    }

    /// At an edge of either body, which lies along the contact anyhow.
    fn edge(&self, edge: u32, ends: [u32; 2], side: f64) -> Flat {
        let face = self.best_face(self.faces_at(edge).into_iter(), side);
        face.map_or_else(|| Flat::Edge(self.way(ends)), Flat::Face)
    }

    fn way(&self, [a, b]: [u32; 2]) -> DVec3 {
        self.x[b as usize] - self.x[a as usize]
    }
}

/// Normal of the plane that lies between what two bodies have there, so far from the second to the first (fraction of the way); `None` where that is no plane.
fn between(sides: [Flat; 2], part: f64) -> Option<DVec3> {
    let (face, way, part) = match sides {
        [Flat::Face(first), Flat::Face(second)] => {
            return try_normalized(first * part + second * (1.0 - part));
        }
        [Flat::Edge(way), Flat::Face(face)] => (face, way, part),
        [Flat::Face(face), Flat::Edge(way)] => (face, way, 1.0 - part),
        _ => return None,
    };
    let rise = way.dot(face);
    let way = way - face * (rise * (1.0 - part));
    try_normalized(face - way * (way.dot(face) / way.mag_sq()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face that leans against z by `angle`, about a way between x and y; its outer side is below.
    fn leaning(angle: f64) -> DVec3 {
        DVec3::new(0.8 * angle, -0.6 * angle, 1.0).normalized()
    }

    #[test]
    fn what_is_half_way_between_two_faces_lies_in_their_plane() {
        let floor = DVec3::unit_z();
        for angle in [1e-6, 1e-4, 5e-3] {
            let face = leaning(angle);
            let normal = between([Flat::Face(face), Flat::Face(floor)], 0.5).unwrap();
            // Corners of the leaning face over feet, and corners of the floor under it with the other normal.
            let over = |x: f64, y: f64| DVec3::new(x, y, 1e-3 - (x * face.x + y * face.y) / face.z);
            let point = |x: f64, y: f64, foot: bool| {
                let p = over(x, y);
                let q = DVec3::new(x, y, 0.0);
                if foot { (p + q) * 0.5 } else { q + face * (0.5 * (p - q).dot(face)) }
            };
            let at = point(0.1, 0.0, true);
            for (x, y, foot) in [(-0.1, 0.0, true), (0.0, 0.1, false), (0.03, -0.1, false)] {
                let off = (point(x, y, foot) - at).dot(normal);
                assert!(off.abs() < 2e-3 * angle * angle, "{angle}: {off}");
            }
        }
    }

    #[test]
    fn an_edge_on_a_face_turns_the_plane_into_the_way_between_them() {
        let (face, way) = (DVec3::unit_z(), DVec3::new(1.0, 0.2, 4e-3));
        // In the plane of the points half way, and of those at the vertices where friction acts on a plane.
        for (part, rise) in [(0.5, 2e-3), (1.0, 4e-3)] {
            let n = between([Flat::Edge(way), Flat::Face(face)], part).unwrap();
            assert!(n.dot(DVec3::new(1.0, 0.2, rise)).abs() < 1e-15 && n.z > 0.99);
        }
        let back = between([Flat::Face(face), Flat::Edge(way)], 0.5).unwrap();
        assert!(back.dot(DVec3::new(1.0, 0.2, 2e-3)).abs() < 1e-15);
        assert_eq!(between([Flat::Edge(way), Flat::Edge(way)], 0.5), None);
        assert_eq!(between([Flat::Point, Flat::Face(face)], 0.5), None);
    }

    /// A roof of two faces over the contact, one of which lies along it.
    #[test]
    fn only_what_lies_along_the_contact_counts() {
        let x = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 0.0, 1e-3),
            DVec3::new(0.0, 1.0, 0.0),
            DVec3::new(0.0, 0.0, 1.0),
        ];
        // Outer sides: below, and towards −y.
        let mut faces = Faces {
            corners: vec![[0, 2, 1], [0, 1, 3]],
            edges: vec![[0, 1], [0, 2], [0, 3]],
            edge_faces: vec![[0, 1], [0, u32::MAX], [1, u32::MAX]],
            ..Faces::default()
        };
        faces.gather_edges(4);
        let around = |normal: DVec3| Surroundings { faces: &faces, x: &x, normal };
        let Flat::Face(n) = around(DVec3::unit_z()).vertex(0) else { panic!("the lower face lies along it") };
        assert!((n - DVec3::new(-1e-3, 0.0, 1.0).normalized()).mag() < 1e-15);
        assert_eq!(around(DVec3::unit_z()).edge(0, [0, 1], -1.0), Flat::Face(n));
        // From the other side it is the inner one.
        assert_eq!(around(DVec3::unit_z()).edge(0, [0, 1], 1.0), Flat::Edge(x[1]));
        // Across both sides of the edge, along it only.
        let across = DVec3::new(0.0, 1.0, 1.0).normalized();
        assert_eq!(around(across).vertex(0), Flat::Edge(x[1]));
        assert_eq!(around(DVec3::new(1.0, 1.0, 1.0).normalized()).vertex(0), Flat::Point);
    }
}
