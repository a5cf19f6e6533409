//! Borders of open surfaces: what is a little behind the front of one comes over its border through nothing, so no contact begins there.
//!
//! A vertex that was beside such a surface and is behind it when the step ends, by no more than its body is deep in what it stands on, has come over a
//! seam ([`super`]). The face that it is behind then takes it over.

use super::pushes::Push;
use super::take_over::taken_over;
use super::{ALONG, DEPTHS, STOREYS, Seams, Standing, WAYS, standing_normal};
use crate::Tracked;
use impinge_bodies::{MeshShape, Shape};
use impinge_broadphase::Aabb;
use impinge_ccd::Kind;
use impinge_geometry::{DVec3, TriangleFeature, triangle_area_vector, try_normalized};
use impinge_swept::{List, vertex_face_key};
use smallvec::SmallVec;

/// An open surface.
struct Open<'a> {
    slot: u32,
    shape: &'a MeshShape,
    /// Around it when the step ends.
    bounds: Aabb,
}

impl Seams {
    /// Adds the contacts that take over what has come over a border in this step to `handed`: vertices of bodies that are `wanted`. `rows` are the contacts
    /// with faces that there are.
    pub fn over_borders(&mut self, on: &Standing<'_>, wanted: impl Fn(u32) -> bool, rows: &Tracked) {
        let (map, laws) = (on.matter.map, on.matter.laws);
        let mut open: SmallVec<[Open<'_>; 4]> = SmallVec::new();
        for (slot, shape) in (0u32..).zip(&on.matter.shapes.0) {
            if let Shape::Mesh(shape) = shape
                && shape.open
            {
                let bounds = shape.bounds.transformed(&on.frames[slot as usize]);
                open.push(Open { slot, shape, bounds });
            }
        }
        if open.is_empty() {
            return;
        }
        self.gather(on);
        let highest = DEPTHS * (1 + STOREYS) as f64 * self.pushes.deepest;
        let mut come: Vec<[u32; 2]> = Vec::new();
        for pushes in self.pushes.by_body() {
            let body = pushes[0].body;
            if !on.dofs.bodies.kind[body as usize].is_dynamic() || !wanted(body) {
                continue;
            }
            let around = Aabb::from_points(&on.x[1][map.range(body as usize)]).inflated(highest);
            for open in &open {
                let meets = || laws.of(body.min(open.slot), body.max(open.slot)).is_some();
                if open.bounds.overlaps(&around) && meets() {
                    self.come_over(on, pushes, open, rows, &mut come);
                }
            }
        }
        for [vertex, face] in come {
            self.handed[List::Solid as usize].extend(taken_over(on, vertex, face, &|v| on.x[1][v as usize]));
        }
    }

    /// Adds the vertices of the body with these pushes that have come over a border of this surface, each with the face that it is behind.
    fn come_over(
        &self,
        on: &Standing<'_>,
        pushes: &[Push],
        open: &Open<'_>,
        rows: &Tracked,
        come: &mut Vec<[u32; 2]>,
    ) {
        let (map, target, body) = (on.matter.map, open.slot, pushes[0].body);
        let most = |n: DVec3, depth: f64| DEPTHS * depth.max(self.deep(on, &[target, body], n));
        let others = pushes.iter().filter(|p| p.other != target);
        let ways: SmallVec<[_; WAYS]> =
            others.map(|p| (p.normal, p.place, most(p.normal, p.depth))).collect();
        if ways.is_empty() {
            return;
        }
        let range = map.range(body as usize);
        let (from, to) = (range.start as u32, range.end as u32);
        let mut at = rows.key.partition_point(|k| *k < vertex_face_key(from, 0));
        for vertex in from..to {
            let place = on.x[1][vertex as usize];
            let before = rows.stencil[at..].iter().take_while(|s| s[0] < vertex).count();
            let held = rows.stencil[at + before..].iter().take_while(|s| s[0] == vertex).count();
            let ours = at + before..at + before + held;
            at = ours.end;
            let by = |i: usize| map.body_of(rows.stencil[i][3]);
            if ours.clone().any(|i| by(i) == target && !rows.fading[i]) {
                continue;
            }
            // On uneven ground what its own contact says of it is nearer than what those of the others do.
            let own = ours.filter(|&i| by(i) != target && !rows.fading[i]).map(|i| {
                let q = rows.stencil[i].map(|v| on.x[1][v as usize]);
                let n = standing_normal(Kind::VertexFace, &q, rows.side[i], &rows.weight[i]);
                (n, most(n, n.dot(q[1] - q[0])))
            });
            let level = ways.iter().filter(|(n, at, most)| n.dot(place - *at).abs() <= *most);
            let mut all = level.map(|&(n, _, most)| (n, most)).chain(own);
            come.extend(all.find_map(|way| Some([vertex, over_border(on, open, vertex, way)?])));
        }
    }
}

/// The face that a vertex is behind, which may push it along `n`, where it is no deeper than `most` (m) and has come there over the border.
fn over_border(on: &Standing<'_>, open: &Open<'_>, vertex: u32, (n, most): (DVec3, f64)) -> Option<u32> {
    let (slot, x) = (open.slot as usize, on.x[1]);
    let place = [&on.dofs.bodies.pose[slot], &on.frames[slot]];
    let [before, now] = [0, 1].map(|i| place[i].point_to_body(on.x[i][vertex as usize]));
    let near = open.shape.index.nearest_within(now, most)?;
    if at_border(open.shape, near.triangle, near.feature) {
        return None;
    }
    // Faces are numbered body by body, as vertices are.
    let corners = &on.matter.faces.corners;
    let first = on.matter.map.first(slot);
    let face = corners.partition_point(|c| c[0] < first) as u32 + near.triangle;
    let &[a, b, c] = corners.get(face as usize)?;
    let area = triangle_area_vector([a, b, c].map(|v| x[v as usize]));
    let normal = try_normalized(area)?;
    let is_behind = normal.dot(x[vertex as usize] - x[a as usize]) < 0.0;
    // Of bodies deeper in each other than their faces are long it says nothing.
    let shallow = most < (2.0 * area.mag()).sqrt();
    if !(is_behind && shallow && normal.dot(n) > ALONG) {
        return None;
    }
    let (key, stencil) = (vertex_face_key(vertex, face), [vertex, a, b, c]);
    let was_beside = || {
        let near = open.shape.index.nearest(before);
        at_border(open.shape, near.triangle, near.feature)
    };
    let opposes = on.matter.meets_outside(List::Solid, x, key, stencil, normal);
    (opposes && was_beside()).then_some(face)
}

/// Whether this place of a triangle is on the border.
fn at_border(shape: &MeshShape, triangle: u32, feature: TriangleFeature) -> bool {
    let borders = |face: u32, side: usize| shape.topology.face_across(face, side).is_none();
    match feature {
        TriangleFeature::Face => false,
        TriangleFeature::Edge(side) => borders(triangle, side.into()),
        TriangleFeature::Vertex(corner) => {
            let triangles = shape.mesh.triangles();
            let vertex = triangles[triangle as usize][usize::from(corner)];
            shape.topology.vertex_faces(vertex).iter().any(|&face| {
                let corners = triangles[face as usize];
                (0..3).any(|i| (corners[i] == vertex || corners[(i + 1) % 3] == vertex) && borders(face, i))
            })
        }
    }
}
