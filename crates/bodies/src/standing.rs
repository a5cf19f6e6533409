//! Bodies as they stand before the first step: who is inside whom, and which way is out.

use crate::detect::{Facing, Penetrating, detect_facing};
use crate::facing::opposes;
use crate::shapes::{Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, Pose, closest_on_triangle, triangle_area_vector, try_normalized};
use impinge_query::{MeshIndex, Penetration, overlapping};
use std::cell::OnceCell;

/// Depth (of the size of a body's faces) up to which a vertex counts as touching: as much as meshes and poses of single precision are off.
pub const TOUCHING: f64 = 1e-6;

/// Two bodies have a way out of each other where the mean of the normals that push is at least as long as this.
pub const ONE_WAY: f64 = 0.3;

/// Whether `count` unit normals with this sum have a way in common.
#[must_use]
pub fn have_one_way(sum: DVec3, count: usize) -> bool {
    count > 0 && sum.mag() >= ONE_WAY * count as f64
}

/// Surfaces at places, and what answers for the inside of each, made when it is first asked for.
pub struct Standing<'a> {
    /// Which surface vertices belong to which body.
    pub map: &'a SurfaceMap,
    /// Shapes by slot.
    pub shapes: &'a Shapes,
    /// Surface vertices (m).
    pub x: &'a [DVec3],
    poses: &'a [Pose],
    boxes: Vec<Aabb>,
    /// Of deformables.
    fitted: Vec<OnceCell<Option<MeshIndex>>>,
}

/// Where a vertex that is inside a body may be pushed out.
#[derive(Clone, Copy, Debug)]
pub struct WayOut {
    /// Face, counted from the body's first.
    pub face: u32,
    /// Barycentric weights of the closest point on it.
    pub weights: [f64; 3],
    /// Of the vertex over the face's plane, negative (m).
    pub height: f64,
}

/// Cosine of the angle to the way out of the others up to which a vertex may be pushed from farther away than its neighbours are.
const ALONGSIDE: f64 = 0.7;

/// Part of a body's narrowest side up to which what is behind an open surface belongs in front of it: of what is in farther nobody can say.
const MOSTLY: f64 = 0.5;

/// Where none is near, the nearest ways out up to this factor say which way that is.
const NEAREST: f64 = 1.5;

impl<'a> Standing<'a> {
    /// Bodies with surface vertices at `x` (m, world) and frames at `poses`, by slot.
    #[must_use]
    pub fn new(map: &'a SurfaceMap, shapes: &'a Shapes, x: &'a [DVec3], poses: &'a [Pose]) -> Self {
        let boxes = (0..shapes.0.len()).map(|b| Aabb::from_points(&x[map.range(b)])).collect();
        let fitted = shapes.0.iter().map(|_| OnceCell::new()).collect();
        Self { map, shapes, x, poses, boxes, fitted }
    }

    /// The box around a body; empty for planes.
    #[must_use]
    pub fn around(&self, body: u32) -> &Aabb {
        &self.boxes[body as usize]
    }

    /// What answers for the inside of a body and where it stands; `None` for what has none.
    fn inside(&self, body: u32) -> Option<(&MeshIndex, Pose)> {
        let b = body as usize;
        match &self.shapes.0[b] {
            Shape::Mesh(m) => (!m.open).then_some((&m.index, self.poses[b])),
            Shape::Soft(s) if s.closed => {
                let fit = || s.standing(&self.x[self.map.range(b)]).map(|mesh| MeshIndex::new(&mesh));
                Some((self.fitted[b].get_or_init(fit).as_ref()?, Pose::identity()))
            }
            Shape::Soft(_) | Shape::Plane { .. } | Shape::Points { .. } => None,
        }
    }

    /// Vertices of a body in a box, ascending; of a surface those that a triangle names.
    #[must_use]
    pub fn vertices_in(&self, body: u32, around: &Aabb) -> Vec<u32> {
        let b = body as usize;
        let mut found = Vec::new();
        if !self.boxes[b].overlaps(around) {
            return found;
        }
        let first = self.map.first(b);
        match &self.shapes.0[b] {
            Shape::Mesh(m) => {
                // Rounding between frames is no reason to miss one.
                let margin = 1e-12 * (around.half_extent().mag() + around.centre().mag());
                m.tree.candidates(&self.poses[b], &around.inflated(margin), &mut found);
                found.iter_mut().for_each(|v| *v += first);
            }
            _ => {
                let range = self.map.range(b);
                found.extend(range.filter(|&v| around.contains(self.x[v])).map(|v| v as u32));
            }
        }
        if let Some((_, topology)) = self.shapes.0[b].surface() {
            found.retain(|v| !topology.vertex_faces(v - first).is_empty());
        }
        found
    }

    /// How deep a point is inside a body (m); 0 outside.
    #[must_use]
    pub fn depth(&self, body: u32, p: DVec3) -> f64 {
        let of =
            |(index, pose): (&MeshIndex, Pose)| index.penetration(pose.point_to_body(p)).map(|p| p.depth);
        self.inside(body).and_then(of).unwrap_or(0.0)
    }

    /// How deep the deepest of the parts is that the surface of a body divides a segment into, in their middles (m).
    #[must_use]
    pub fn segment_depth(&self, body: u32, [p, q]: [DVec3; 2]) -> f64 {
        let Some((index, pose)) = self.inside(body) else { return 0.0 };
        let [p, q] = [p, q].map(|p| pose.point_to_body(p));
        // Beyond a crossing by this part of the segment the next one is looked for; no part that small is deep. One that runs along the surface
        // meets it everywhere, and is looked at in longer and longer parts.
        const BEYOND: f64 = 1e-6;
        const MOST: usize = 256;
        let (way, mut from, mut skip, mut deepest) = (q - p, 0.0, BEYOND, 0.0f64);
        for _ in 0..MOST {
            let start = from + skip;
            if start >= 1.0 {
                break;
            }
            let hit = index.ray(p + way * start, way, 1.0 - start);
            let to = hit.map_or(1.0, |h| start + h.t);
            let middle = p + way * (0.5 * (from + to));
            deepest = deepest.max(index.penetration(middle).map_or(0.0, |p| p.depth));
            if hit.is_none() {
                break;
            }
            skip = if to <= start { 2.0 * skip } else { BEYOND };
            from = to;
        }
        deepest
    }

    /// Ways out of `target` for vertices of another body, with as many places as vertices; `None` for those outside, and those whose surface looks against none.
    ///
    /// As the discrete force has it ([`detect_facing`]), with two differences: nothing is pushed along its own surface, and where no way out that a
    /// vertex looks against is as near as its neighbours, farther ones count that lead where the others go. A vertex of a fine mesh that starts
    /// deep is farther from all of them.
    #[must_use]
    pub fn ways_out(&self, vertices: &[u32], target: u32) -> Vec<Option<WayOut>> {
        let Some((index, pose)) = self.inside(target).filter(|_| !vertices.is_empty()) else {
            return vec![None; vertices.len()];
        };
        let may_push = |v: u32, n: DVec3| opposes(self.shapes, self.map, |v| self.x[v as usize], v, n);
        let find = |vertices: &[u32], reach: &(dyn Fn(u32) -> f64 + Sync)| {
            let mut hits: Vec<Option<Penetrating>> = vec![None; vertices.len()];
            let facing = Facing {
                opposes: |i: usize, n| may_push(vertices[i], n),
                reach: |i: usize| reach(vertices[i]),
            };
            detect_facing(|i| self.x[vertices[i] as usize], &facing, index, &pose, &mut hits);
            hits
        };
        let mut hits = find(vertices, &|v| self.shapes.vertex_area(self.map, v).sqrt());
        let against = |i: usize, h: &Penetrating| may_push(vertices[i], h.normal);
        let far: Vec<usize> = (0..hits.len()).filter(|&i| hits[i].is_some_and(|h| !against(i, &h))).collect();
        let those: Vec<u32> = far.iter().map(|&i| vertices[i]).collect();
        far.iter().for_each(|&i| hits[i] = None);
        let farther = find(&those, &|_| f64::INFINITY);
        let usable = |k: usize| farther[k].filter(|h| against(far[k], h));
        let mut out = hits.iter().flatten().fold(DVec3::zero(), |s, h| s + h.normal);
        if hits.iter().all(Option::is_none) {
            let least = (0..far.len()).filter_map(usable).fold(f64::INFINITY, |m, h| m.min(h.depth));
            let near = (0..far.len()).filter_map(usable).filter(|h| h.depth <= NEAREST * least);
            out = near.fold(DVec3::zero(), |s, h| s + h.normal);
        }
        if let Some(out) = try_normalized(out) {
            for k in 0..far.len() {
                hits[far[k]] = usable(k).filter(|h| h.normal.dot(out) > ALONGSIDE);
            }
        }
        let face =
            |(&v, h): (&u32, &Option<Penetrating>)| self.face_behind(v, target, h.as_ref()?, &may_push);
        vertices.iter().zip(&hits).map(face).collect()
    }

    /// Ways to the front of an open surface, for the vertices behind it of a solid that passes through it; none where one of them is farther behind than
    /// half of the solid's narrowest side: that may belong behind it.
    #[must_use]
    pub fn ways_to_front(&self, body: u32, target: u32) -> Vec<(u32, WayOut)> {
        let Shape::Mesh(open) = &self.shapes.0[target as usize] else { return Vec::new() };
        let pose = self.poses[target as usize];
        let crosses =
            |(own, at): (&MeshIndex, Pose)| overlapping(&open.index, &pose, own, &at).unwrap_or(false);
        if !open.open || !self.inside(body).is_some_and(crosses) {
            return Vec::new();
        }
        let most = MOSTLY * self.shapes.0[body as usize].narrowest();
        let may_push = |v: u32, n: DVec3| opposes(self.shapes, self.map, |v| self.x[v as usize], v, n);
        let is_behind = |v: u32| {
            let p = pose.point_to_body(self.x[v as usize]);
            Some((v, open.index.behind(p).filter(|b| b.straight)?.at))
        };
        let behind: Vec<_> =
            self.vertices_in(body, self.around(body)).into_iter().filter_map(is_behind).collect();
        if behind.iter().any(|(_, at)| at.depth > most) {
            return Vec::new();
        }
        let way = |(v, at): (u32, Penetration)| {
            let Penetration { depth, closest, normal, triangle, weights, .. } = at;
            let (closest, normal) = (pose.point_to_world(closest), pose.vector_to_world(normal));
            let hit = Penetrating { depth, closest, normal, triangle, weights };
            Some((v, self.face_behind(v, target, &hit, &may_push)?))
        };
        behind.into_iter().filter_map(way).collect()
    }

    /// Of the faces at a closest point the one that the vertex is farthest behind. Over a hollow edge it is in front of one of the two, and a face without
    /// area has no plane.
    fn face_behind(
        &self,
        vertex: u32,
        target: u32,
        hit: &Penetrating,
        may_push: &impl Fn(u32, DVec3) -> bool,
    ) -> Option<WayOut> {
        let (mesh, topology) = self.shapes.0[target as usize].surface()?;
        let first = self.map.first(target as usize);
        let p = self.x[vertex as usize];
        // The depth was measured in the body's frame.
        let rounded = 16.0 * f64::EPSILON * p.abs().component_max();
        let mut around: Vec<u32> = (mesh.triangles()[hit.triangle as usize].iter())
            .flat_map(|&c| topology.vertex_faces(c).iter().copied())
            .collect();
        around.push(hit.triangle);
        around.sort_unstable();
        around.dedup();
        let mut best: Option<WayOut> = None;
        for face in around {
            let corners = mesh.triangles()[face as usize].map(|c| self.x[(first + c) as usize]);
            let Some(n) = try_normalized(triangle_area_vector(corners)) else { continue };
            let closest = closest_on_triangle(p, corners);
            let as_near = closest.distance_squared.sqrt() <= hit.depth * (1.0 + 1e-9) + rounded;
            let height = n.dot(p - corners[0]);
            if as_near && height < best.map_or(0.0, |b| b.height) && may_push(vertex, n) {
                best = Some(WayOut { face, weights: closest.weights, height });
            }
        }
        best
    }
}
