//! A tree over the triangles of one surface, at rest or moving, that follows the surface from step to step.
//!
//! Takes vertex positions at one or two times (m), gives boxes that hold each feature at both times and, the
//! motion being linear, in between. parry3d's f32 tree has one leaf per cluster of neighbouring triangles;
//! boxes are rounded outward once per vertex, everything above is a minimum of those. The exact f64 boxes of
//! the vertices are kept beside them, for the last word.

use crate::aabb::Aabb;
use crate::blocks::{Placed, sort_into_blocks};
use crate::clusters::{CLUSTER, Clusters};
use crate::lane_box::LaneBox;
use crate::outward::{Frame, build_rounded};
use crate::tree_error::TreeError;
use impinge_geometry::{DVec3, Topology};
use parry3d::partitioning::{Bvh, BvhWorkspace, TraversalAction};
use std::fmt;

/// What an update did to the tree. The lists do not depend on it, only their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Refit {
    /// Same tree, new boxes.
    Refitted,
    /// Clusters and tree were made anew, because the old ones had become loose.
    Rebuilt,
}

/// A tree is made anew when its spread has grown by such a factor since it was made, ...
const GROWTH_BEFORE_REBUILD: f64 = 1.5;

/// ... and by more than such a part of the boxes of the faces: what is small beside them costs nothing.
const SPARED: f64 = 0.1;

/// The triangles of one surface, their edges and vertices, each owned by one leaf.
///
/// Faces and vertices are numbered as in the mesh, edges as in its [`Topology`]. Vertices that no triangle
/// names take part in nothing.
#[derive(Clone)]
#[doc(alias("BVH", "mid phase"))]
pub struct FeatureTree {
    pub(crate) bvh: Bvh,
    pub(crate) frame: Frame,
    pub(crate) clusters: Clusters,
    /// Box of each cluster.
    pub(crate) cluster_boxes: Vec<LaneBox>,
    /// Box of each vertex by rank, inflated.
    pub(crate) boxes: Vec<LaneBox>,
    /// Box of each vertex by rank, not inflated (m).
    pub(crate) exact: Vec<Aabb>,
    pub(crate) inflation: f64,
    bounds: Aabb,
    vertices: usize,
    edges: usize,
    spread_when_built: f64,
    rebuilds: usize,
}

impl fmt::Debug for FeatureTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeatureTree")
            .field("triangles", &self.clusters.face_id.len())
            .field("bounds", &self.bounds)
            .field("inflation", &self.inflation)
            .field("rebuilds", &self.rebuilds)
            .finish()
    }
}

impl FeatureTree {
    /// Builds the tree around positions at one time (m), without inflation.
    ///
    /// `x` is a slice of [`DVec3`] or of `[f64; 3]`. No triangle at all is an ordinary surface with no
    /// features.
    ///
    /// # Errors
    /// [`TreeError`] for an index out of range, a topology of another mesh, a position that is not finite.
    pub fn new<P: Copy + Into<DVec3>>(
        triangles: &[[u32; 3]],
        topology: &Topology,
        x: &[P],
    ) -> Result<Self, TreeError> {
        Self::with_edges(triangles, topology, x, |_| true)
    }

    /// As [`FeatureTree::new`], with the edges that `keep` answers for and no others: the rest are in no list. Of a solid that keeps its
    /// shape, edges that lie in a plane side need no answer: those of a box are a third of all.
    ///
    /// # Errors
    /// As [`FeatureTree::new`].
    pub fn with_edges<P: Copy + Into<DVec3>>(
        triangles: &[[u32; 3]],
        topology: &Topology,
        x: &[P],
        keep: impl Fn(u32) -> bool,
    ) -> Result<Self, TreeError> {
        check_mesh(triangles, topology, x.len())?;
        check_finite(x)?;
        Ok(Self::around(Clusters::unordered(triangles, topology, x.len(), keep), topology.edges().len(), x))
    }

    /// The tree of a line: the segments that join positions in a row (m). Segment i is edge i, from vertex i to the next, and stands among
    /// the faces as one without area.
    ///
    /// # Errors
    /// [`TreeError`] for a position that is not finite.
    pub fn line<P: Copy + Into<DVec3>>(x: &[P]) -> Result<Self, TreeError> {
        check_finite(x)?;
        Ok(Self::around(Clusters::line(x.len()), x.len().saturating_sub(1), x))
    }

    fn around<P: Copy + Into<DVec3>>(clusters: Clusters, edges: usize, x: &[P]) -> Self {
        let mut tree = Self {
            bvh: Bvh::new(),
            frame: Frame::around(&Aabb::new(DVec3::zero(), DVec3::zero())),
            cluster_boxes: Vec::with_capacity(clusters.len()),
            boxes: Vec::new(),
            exact: Vec::new(),
            clusters,
            inflation: 0.0,
            bounds: Aabb::empty(),
            vertices: x.len(),
            edges,
            spread_when_built: 0.0,
            rebuilds: 0,
        };
        tree.place_vertices([x]);
        tree.split();
        tree
    }

    /// Moves the tree: boxes around each feature at `x0` and `x1` (m) and all that lies between, grown by
    /// `inflation` (m) on every side. Give the same slice twice for boxes at one time.
    ///
    /// The tree is refitted, or made anew when refitting has let it grow loose; a function of what was given
    /// since it was built, nothing else. A refit allocates nothing.
    ///
    /// # Errors
    /// [`TreeError`] for a wrong number of positions, one that is not finite, or a bad distance; the tree is
    /// then as it was.
    pub fn update<P: Copy + Into<DVec3>>(
        &mut self,
        x0: &[P],
        x1: &[P],
        inflation: f64,
    ) -> Result<Refit, TreeError> {
        self.update_around([x0, x1], inflation)
    }

    /// As [`FeatureTree::update`], with boxes around several places of each vertex (m) and all that lies between: one motion
    /// that is expected and another that may come of it are in one list.
    ///
    /// # Errors
    /// As [`FeatureTree::update`].
    pub fn update_around<P: Copy + Into<DVec3>, const N: usize>(
        &mut self,
        places: [&[P]; N],
        inflation: f64,
    ) -> Result<Refit, TreeError> {
        for x in places {
            if x.len() != self.vertices {
                return Err(TreeError::Length { given: x.len(), expected: self.vertices });
            }
            check_finite(x)?;
        }
        if !(inflation.is_finite() && inflation >= 0.0) {
            return Err(TreeError::Inflation { distance: inflation });
        }
        self.inflation = inflation;
        self.place_vertices(places);
        let face_girth = self.place_clusters();
        for (c, b) in self.cluster_boxes.iter().enumerate() {
            self.bvh.insert_or_update_partially(b.to_parry(), c as u32, 0.0);
        }
        // Nodes lie in traversal order since the build; the refit that reorders them measured half again as long.
        self.bvh.refit_without_opt();
        let spared = SPARED * face_girth * self.frame.half;
        if self.spread(face_girth) <= GROWTH_BEFORE_REBUILD * self.spread_when_built + spared {
            return Ok(Refit::Refitted);
        }
        self.rebuilds += 1;
        self.split();
        Ok(Refit::Rebuilt)
    }

    /// By how much the boxes would have to grow (m), counted from no inflation, to hold these places of the vertices: while that is no
    /// more than the inflation, the lists of this tree hold all that meets between them. Rounding included; infinite for places that
    /// are not finite or not as many as the vertices. Above `enough` (m) the answer is some number above it: the rest is not looked at.
    #[must_use]
    pub fn beyond<P: Copy + Into<DVec3>, const N: usize>(&self, places: [&[P]; N], enough: f64) -> f64 {
        if places.iter().any(|x| x.len() != self.vertices) {
            return f64::INFINITY;
        }
        let (mut most, mut farthest, mut sum) = (DVec3::zero(), DVec3::zero(), DVec3::zero());
        for (boxes, ranks) in self.exact.chunks(256).zip(self.clusters.vertex_id.chunks(256)) {
            for (b, &v) in boxes.iter().zip(ranks) {
                for x in places {
                    let p: DVec3 = x[v as usize].into();
                    most = most.max_by_component(b.lo - p).max_by_component(p - b.hi);
                    farthest = farthest.max_by_component(p.abs());
                    // Comparisons pass a NaN over; a sum of zeros times all does not.
                    sum += p * 0.0;
                }
            }
            if most.component_max() > enough {
                break;
            }
        }
        if sum != DVec3::zero() {
            return f64::INFINITY;
        }
        most.component_max() + 4.0 * f64::EPSILON * farthest.component_max()
    }

    /// The box around everything (m), both times and inflation included; empty without triangles.
    #[must_use]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The distance that boxes are grown by (m).
    #[must_use]
    pub fn inflation(&self) -> f64 {
        self.inflation
    }

    /// How many triangles there are.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.clusters.face_id.len()
    }

    /// How many positions an update takes.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices
    }

    /// How many edges the topology has.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// How often the tree was made anew by [`FeatureTree::update`].
    #[must_use]
    pub fn rebuilds(&self) -> usize {
        self.rebuilds
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bvh.total_memory_size()
            + self.clusters.memory_bytes()
            + size_of::<LaneBox>() * (self.cluster_boxes.capacity() + self.boxes.capacity())
            + size_of::<Aabb>() * self.exact.capacity()
            + size_of::<Self>()
            - size_of::<Bvh>()
    }

    /// Exact and rounded boxes of all vertices, in a frame around them.
    fn place_vertices<P: Copy + Into<DVec3>, const N: usize>(&mut self, places: [&[P]; N]) {
        self.exact.clear();
        let mut bounds = Aabb::empty();
        self.exact.extend(self.clusters.vertex_id.iter().map(|&v| {
            let mut swept = Aabb::empty();
            for x in places {
                let p: DVec3 = x[v as usize].into();
                swept = Aabb::new(swept.lo.min_by_component(p), swept.hi.max_by_component(p));
            }
            bounds.lo = bounds.lo.min_by_component(swept.lo);
            bounds.hi = bounds.hi.max_by_component(swept.hi);
            swept
        }));
        self.bounds = bounds.inflated(self.inflation);
        if !self.bounds.is_empty() {
            // Inflating a box near the end of f64 may overflow; the frame must stay finite.
            let end = DVec3::broadcast(f64::MAX);
            let (lo, hi) = (self.bounds.lo.max_by_component(-end), self.bounds.hi.min_by_component(end));
            self.frame = Frame::around(&Aabb::new(lo, hi));
        }
        let (frame, grow) = (self.frame, DVec3::broadcast(self.inflation));
        self.boxes.clear();
        self.boxes.extend(
            self.exact.iter().map(|b| LaneBox::outward(&frame, &Aabb::new(b.lo - grow, b.hi + grow))),
        );
    }

    /// Boxes of all clusters; returns the summed girth of the faces.
    fn place_clusters(&mut self) -> f64 {
        self.cluster_boxes.clear();
        let mut girth = 0.0;
        for faces in self.clusters.face_vertices.chunks(CLUSTER) {
            let mut all = LaneBox::EMPTY;
            for &[a, b, c] in faces {
                let face = self.boxes[a as usize].join(&self.boxes[b as usize]).join(&self.boxes[c as usize]);
                girth += face.girth();
                all = all.join(&face);
            }
            self.cluster_boxes.push(all);
        }
        girth
    }

    /// New clusters and a new tree for the vertices where they are now.
    fn split(&mut self) {
        let mut items: Vec<Placed> = (0u32..)
            .zip(&self.clusters.face_vertices)
            .map(|(id, f)| {
                let [a, b, c] = f.map(|v| &self.boxes[v as usize]);
                Placed { at: a.join(b).join(c).twice_centre(), id }
            })
            .collect();
        sort_into_blocks(&mut items, CLUSTER);
        // Boxes go by rank, so they follow: the old rank of each vertex is found by its id.
        let mut old_rank = vec![0u32; self.vertices];
        for (rank, &v) in (0u32..).zip(&self.clusters.vertex_id) {
            old_rank[v as usize] = rank;
        }
        self.clusters.reorder(items.iter().map(|p| p.id));
        drop(items);
        let from = |v: &u32| old_rank[*v as usize] as usize;
        self.boxes = self.clusters.vertex_id.iter().map(|v| self.boxes[from(v)]).collect();
        self.exact = self.clusters.vertex_id.iter().map(|v| self.exact[from(v)]).collect();
        drop(old_rank);
        let face_girth = self.place_clusters();
        self.bvh = build_rounded(self.cluster_boxes.iter().map(|b| b.to_parry()));
        self.bvh.refit(&mut BvhWorkspace::default());
        self.spread_when_built = self.spread(face_girth);
    }

    /// By how much the nodes are wider than a face on average, summed (m): what motion and inflation add to all
    /// boxes alike drops out.
    fn spread(&self, face_girth: f64) -> f64 {
        let face = face_girth / self.triangle_count().max(1) as f64;
        let mut sum = 0.0;
        self.bvh.traverse(|node| {
            let d = node.maxs() - node.mins();
            sum += f64::from(d.x + d.y + d.z) - face;
            TraversalAction::Continue
        });
        sum * self.frame.half
    }
}

fn check_mesh(triangles: &[[u32; 3]], topology: &Topology, vertices: usize) -> Result<(), TreeError> {
    let out = |i: &&u32| **i as usize >= vertices;
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&index) = t.iter().find(out) {
            return Err(TreeError::IndexOutOfRange { triangle, index, vertices });
        }
    }
    let faces = topology.face_edges().len();
    let mine = |(t, edges): (&[u32; 3], &[u32; 3])| {
        (0..3).all(|side| {
            let (a, b) = (t[side], t[(side + 1) % 3]);
            edges[side] == Topology::NONE || topology.edges()[edges[side] as usize] == [a.min(b), a.max(b)]
        })
    };
    if faces != triangles.len() || !triangles.iter().zip(topology.face_edges()).all(mine) {
        return Err(TreeError::OtherTopology { triangles: triangles.len(), faces });
    }
    Ok(())
}

fn check_finite<P: Copy + Into<DVec3>>(x: &[P]) -> Result<(), TreeError> {
    let finite = |&p: &P| {
        let p: DVec3 = p.into();
        p.x.is_finite() & p.y.is_finite() & p.z.is_finite()
    };
    // No early exit: the loop has no branch while all is well.
    if x.iter().fold(true, |all, p| all & finite(p)) {
        return Ok(());
    }
    Err(TreeError::NonFinite { vertex: x.iter().position(|p| !finite(p)).unwrap_or(0) })
}
