//! Vertices without a surface of their own, of cables and particles, against the surfaces of others; the segments of a cable
//! against their edges, against other cables, and against each other where a cable may meet itself. No tree of the surfaces: boxes of the ways,
//! one by one.

use super::cables::{Cable, Cables, number_nodes};
use super::scene::Scene;
use impinge_bodies::{ContactError, Names, Own, Shape};
use impinge_broadphase::Aabb;
use impinge_contact::{Sides, Surface};
use impinge_swept::{Faces, FeaturePairs, List};

/// The faces of the scene with the segments of cables behind its edges, and pairs of a loose feature and another's, or of two of cables.
pub(crate) struct PointsAndCables {
    names: Names,
    pub faces: Faces,
    pub lists: [FeaturePairs; 3],
    /// Nodes of cables, as edges, and segments of the same; they come near, and touch only as their segments do.
    pub nodes: Vec<(u32, u32)>,
    lines: Vec<Cable>,
    cables: Cables,
    /// Slot of the body, and its first segment among the edges; `None` without segments.
    bodies: Vec<(u32, Option<u32>)>,
    boxes: Vec<Aabb>,
}

impl PointsAndCables {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self {
            names,
            faces: Faces::default(),
            lists: Default::default(),
            nodes: Vec::new(),
            lines: Vec::new(),
            cables: Cables::default(),
            bodies: Vec::new(),
            boxes: Vec::new(),
        }
    }

    /// Finds the loose bodies of a step.
    pub fn begin(&mut self, scene: &Scene<'_>) {
        self.bodies.clear();
        self.lines.clear();
        self.nodes.clear();
        self.lists.iter_mut().for_each(FeaturePairs::clear);
        let segments = |s: &Shape| matches!(s, Shape::Soft(s) if s.mesh.is_none());
        for (b, shape) in scene.shapes.0.iter().enumerate() {
            if segments(shape) || matches!(shape, Shape::Points { .. }) {
                self.bodies.push((b as u32, None));
            }
        }
        if self.bodies.is_empty() {
            return;
        }
        self.faces.clone_from(scene.faces);
        for (b, first) in &mut self.bodies {
            if segments(&scene.shapes.0[*b as usize]) {
                *first = Some(self.faces.edges.len() as u32);
                let range = scene.map.range(*b as usize);
                let ends = range.clone().zip(range.clone().skip(1)).map(|(i, j)| [i as u32, j as u32]);
                self.faces.edges.extend(ends);
            }
        }
        // Behind all segments, as names of contacts are carried on where a body comes or goes.
        for &(b, segment) in &self.bodies {
            if let (Some(segment), Shape::Soft(s)) = (segment, &scene.shapes.0[b as usize]) {
                let node = number_nodes(scene.map.range(b as usize), &mut self.faces);
                let meets_itself = matches!(s.own, Some(Own::Line(_)));
                self.lines.push(Cable { body: b, segment, node, meets_itself });
            }
        }
    }

    /// Lists what may come within the thickness on the way of `surface`.
    pub fn find(&mut self, scene: &Scene<'_>, surface: &Surface) -> Result<(), ContactError> {
        self.lists.iter_mut().for_each(FeaturePairs::clear);
        self.nodes.clear();
        if self.bodies.is_empty() {
            return Ok(());
        }
        let segments = &mut self.lists[List::Edges as usize].features;
        self.cables.find((scene, &self.names), &self.lines, surface, segments, &mut self.nodes)?;
        let way = |v: &u32| {
            let v = *v as usize;
            Aabb::from_points(&[surface.x0[v], surface.x1[v]])
        };
        let around = |vertices: &[u32]| vertices.iter().map(way).fold(Aabb::empty(), |a, b| a.union(&b));
        let (mut first_face, mut first_edge) = (0u32, 0u32);
        for (t, shape) in scene.shapes.0.iter().enumerate() {
            if shape.triangles().is_none() {
                continue;
            }
            let of_body = |v: u32| scene.map.body_of(v) as usize == t;
            let faces = first_face
                ..first_face + count(&scene.faces.corners[first_face as usize..], |c| of_body(c[0]));
            let edges =
                first_edge..first_edge + count(&scene.faces.edges[first_edge as usize..], |e| of_body(e[0]));
            (first_face, first_edge) = (faces.end, edges.end);
            let solid = !matches!(shape, Shape::Soft(s) if !s.closed);
            let list = if solid { List::Solid } else { List::Sheet };
            let whole: Vec<u32> = scene.map.range(t).map(|v| v as u32).collect();
            let whole = around(&whole);
            for &(b, segments) in &self.bodies {
                let (lo, hi) = (b.min(t as u32), b.max(t as u32));
                let kind = &scene.dofs.bodies.kind;
                if !(kind[b as usize].is_dynamic() || kind[t].is_dynamic()) {
                    continue;
                }
                let Some((_, sides)) = scene.laws.of(lo, hi) else { continue };
                let ours = if b == lo { Sides::First } else { Sides::Second };
                if sides != Sides::Both && sides != ours {
                    continue;
                }
                let thickness = scene.between(lo, hi);
                let target = whole.inflated(thickness);
                self.boxes.clear();
                self.boxes.extend(faces.clone().map(|f| around(&scene.faces.corners[f as usize])));
                for v in scene.map.range(b as usize) {
                    let own = way(&(v as u32)).inflated(thickness);
                    if own.overlaps(&target) {
                        let near = faces.clone().zip(&self.boxes).filter(|(_, other)| own.overlaps(other));
                        self.lists[list as usize].features.extend(near.map(|(f, _)| (v as u32, f)));
                    }
                }
                let Some(first) = segments else { continue };
                self.boxes.clear();
                self.boxes.extend(edges.clone().map(|e| around(&scene.faces.edges[e as usize])));
                let last = scene.map.range(b as usize).len().saturating_sub(1) as u32;
                for s in first..first + last {
                    let own = around(&self.faces.edges[s as usize]).inflated(thickness);
                    if own.overlaps(&target) {
                        let near = edges.clone().zip(&self.boxes).filter(|(_, other)| own.overlaps(other));
                        self.lists[List::Edges as usize].features.extend(near.map(|(e, _)| (s, e)));
                    }
                }
            }
        }
        Ok(())
    }
}

/// How many rows from the first on are of the body.
fn count<T>(rows: &[T], of_body: impl Fn(&T) -> bool) -> u32 {
    rows.iter().take_while(|r| of_body(r)).count() as u32
}
