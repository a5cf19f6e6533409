//! What is asked of two bodies that may be inside each other before the first step.

use crate::shapes::Shape;
use crate::standing::Standing;
use impinge_broadphase::Aabb;
use impinge_geometry::{DVec3, triangle_area_vector, try_normalized};
use std::cell::OnceCell;
use std::fmt;

/// Two bodies that start inside each other and would not be held.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// The body of lower slot.
    pub a: String,
    /// The other.
    pub b: String,
    /// How deep a vertex is inside; where none is, the middle of the part of an edge that is (m).
    pub depth: f64,
    /// No vertex of either is inside the other.
    pub edges_alone: bool,
    /// The response family.
    pub response: &'static str,
}

impl Unseen {
    /// What there is to say of it, with what is said of others behind its names.
    #[must_use]
    pub fn sentence(&self, others: &str) -> String {
        let Self { a, b, depth, response, .. } = self;
        let edges = if self.edges_alone { " (edges cross, no vertex is inside)" } else { "" };
        format!(
            "initial overlap of {depth:.2e} m between '{a}' and '{b}'{others}{edges}: '{response}' cannot resolve it; separate them, or use \
             --response volume"
        )
    }
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(""))
    }
}

/// What is asked of the bodies.
pub struct Asked<'a> {
    /// Where they are.
    pub standing: Standing<'a>,
    /// Longest edge of each body (m).
    longest: Vec<OnceCell<f64>>,
}

impl<'a> Asked<'a> {
    /// Of bodies that stand so.
    #[must_use]
    pub fn new(standing: Standing<'a>) -> Self {
        let longest = standing.shapes.0.iter().map(|_| OnceCell::new()).collect();
        Self { standing, longest }
    }

    /// How deep the deepest vertex of `body` is inside `target` (m).
    #[must_use]
    pub fn vertices(&self, body: u32, target: u32) -> f64 {
        let near = self.standing.vertices_in(body, self.standing.around(target));
        let depth = |&v: &u32| self.standing.depth(target, self.standing.x[v as usize]);
        near.iter().map(depth).fold(0.0f64, f64::max)
    }

    /// Whether a vertex of `body` that is inside `target` has a way out.
    #[must_use]
    pub fn has_way_out(&self, body: u32, target: u32) -> bool {
        let near = || self.standing.vertices_in(body, self.standing.around(target));
        self.standing.shapes.0[target as usize].surface().is_some()
            && self.standing.ways_out(&near(), target).iter().any(Option::is_some)
    }

    /// Whether `body` has points of no surface inside `target`: a spring pushes each of them its own way.
    #[must_use]
    pub fn has_loose(&self, body: u32, target: u32) -> bool {
        self.standing.shapes.0[body as usize].surface().is_none() && self.vertices(body, target) > 0.0
    }

    /// Normals of the faces that vertices of `body` inside `target` are pushed to, and their number.
    #[must_use]
    pub fn pushed(&self, body: u32, target: u32) -> (DVec3, usize) {
        let surface = |b: u32| self.standing.shapes.0[b as usize].surface();
        let (Some(_), Some((mesh, _))) = (surface(body), surface(target)) else { return (DVec3::zero(), 0) };
        let near = self.standing.vertices_in(body, self.standing.around(target));
        let first = self.standing.map.first(target as usize);
        let corners = |f: u32| mesh.triangles()[f as usize].map(|c| self.standing.x[(first + c) as usize]);
        let ways = self.standing.ways_out(&near, target);
        let normals =
            ways.iter().flatten().filter_map(|w| try_normalized(triangle_area_vector(corners(w.face))));
        normals.fold((DVec3::zero(), 0), |(sum, count), n| (sum + n, count + 1))
    }

    /// How deep the edges of `body`, of a cable its segments, are inside `target` (m).
    #[must_use]
    pub fn edges(&self, body: u32, target: u32) -> f64 {
        let meets = |e: &[DVec3; 2]| Aabb::from_points(e).overlaps(self.standing.around(target));
        let deepest = |d: f64, e: [DVec3; 2]| d.max(self.standing.segment_depth(target, e));
        let Some((_, topology)) = self.standing.shapes.0[body as usize].surface() else {
            let Shape::Soft(_) = &self.standing.shapes.0[body as usize] else { return 0.0 };
            let nodes = &self.standing.x[self.standing.map.range(body as usize)];
            return nodes.windows(2).map(|x| [x[0], x[1]]).filter(meets).fold(0.0, deepest);
        };
        let first = self.standing.map.first(body as usize);
        let ends = |e: u32| topology.edges()[e as usize].map(|v| self.standing.x[(first + v) as usize]);
        let longest = *self.longest[body as usize].get_or_init(|| {
            let lengths = (0..topology.edges().len() as u32).map(ends).map(|[p, q]| (q - p).mag());
            lengths.fold(0.0, f64::max)
        });
        // An edge that meets a box has both ends within its length of it.
        let around = self.standing.around(target);
        let near = self.standing.vertices_in(body, &around.inflated(longest));
        let faces = near.iter().flat_map(|v| topology.vertex_faces(v - first));
        let mut edges: Vec<u32> = faces.flat_map(|&f| topology.face_edges()[f as usize]).collect();
        edges.sort_unstable();
        edges.dedup();
        // Sides of a face that names a vertex twice are none.
        let real = edges.into_iter().filter(|&e| (e as usize) < topology.edges().len()).map(ends);
        real.filter(meets).fold(0.0, deepest)
    }
}
