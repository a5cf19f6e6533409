//! Which vertices of a mesh lie in a box, or below a plane, of somebody else's frame.
//!
//! Takes the rest-pose vertices once and the relative pose with every question; the tree is never refitted.
//! parry3d's f32 tree holds one leaf per block of eight neighbouring vertices; a node is dropped only when it
//! certainly misses; a vertex is reported when its f64 image is inside. The answer equals the brute-force
//! twin's, bit for bit.

use crate::aabb::{Aabb, ROUNDING, abs_matrix};
use crate::outward::{Frame, build};
use impinge_geometry::{DMat3, DVec3, Pose};
use parry3d::bounding_volume::Aabb as Box32;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhNode, BvhWorkspace, TraversalAction};
use std::fmt;

/// Vertices per leaf. 4 measured a fifth slower; 16 a tenth faster for deep overlaps, a tenth slower for a plane
/// that just touches.
const BLOCK: usize = 8;

/// A static tree over points in their rest frame.
#[derive(Clone)]
pub struct VertexTree {
    bvh: Bvh,
    frame: Frame,
    /// Points in tree order: block `b` is `b·8 .. b·8 + 8`.
    points: Vec<DVec3>,
    /// Where each of them stood in the caller's slice.
    ids: Vec<u32>,
    bounds: Aabb,
}

impl fmt::Debug for VertexTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VertexTree").field("vertices", &self.ids.len()).field("bounds", &self.bounds).finish()
    }
}

impl VertexTree {
    /// Builds the tree (m, body frame). A point that is not finite is in no box and below no plane; it is
    /// left out here and found by no question.
    #[must_use]
    pub fn new(points: &[DVec3]) -> Self {
        let mut ids: Vec<u32> = (0..points.len() as u32).filter(|&i| is_finite(points[i as usize])).collect();
        sort_into_blocks(points, &mut ids);
        let points: Vec<DVec3> = ids.iter().map(|&i| points[i as usize]).collect();
        let bounds = Aabb::from_points(&points);
        let frame = if points.is_empty() {
            Frame::around(&Aabb::new(DVec3::zero(), DVec3::zero()))
        } else {
            Frame::around(&bounds)
        };
        let mut bvh = build(&frame, points.chunks(BLOCK).map(Aabb::from_points));
        bvh.refit(&mut BvhWorkspace::default());
        Self { bvh, frame, points, ids, bounds }
    }

    /// The box around all vertices, rest frame (m).
    #[must_use]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bvh.total_memory_size()
            + size_of::<DVec3>() * self.points.capacity()
            + 4 * self.ids.capacity()
            + size_of::<Self>()
            - size_of::<Bvh>()
    }

    /// Writes the ids of all vertices `v` with `relative.point_to_world(v)` inside `other_box` to `out`,
    /// ascending; the border counts. `out` is cleared first.
    ///
    /// `relative` leads from this rest frame to the frame of `other_box` (m), usually another body's.
    pub fn candidates(&self, relative: &Pose, other_box: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        if other_box.is_empty() {
            return;
        }
        let m = relative.matrix();
        let image = NodeImage::new(&self.frame, relative.position, &m);
        let (lo, hi) = (other_box.lo - image.pad, other_box.hi + image.pad);
        let coarse = BvhNode::leaf(self.rest_box(relative.position, &m, other_box), 0);
        self.bvh.traverse(|node| {
            // Two tests, six axes: this frame's axes first (f32, cheapest), then the other frame's. Written so
            // that a NaN keeps the node.
            if !node.intersects(&coarse) {
                return TraversalAction::Prune;
            }
            let (centre, half) = image.of(node);
            let (a, b) = (centre - half, centre + half);
            if a.x > hi.x || a.y > hi.y || a.z > hi.z || b.x < lo.x || b.y < lo.y || b.z < lo.z {
                return TraversalAction::Prune;
            }
            self.visit(node, out, |p| other_box.contains(relative.position + m * p))
        });
        out.sort_unstable();
    }

    /// Writes the ids of all vertices `v` with `normal·relative.point_to_world(v) ≤ offset` to `out`,
    /// ascending: those in the half space or on its plane. `out` is cleared first.
    ///
    /// `relative` leads from this rest frame to the frame of the plane (m), usually the world. `normal`
    /// points to the free side.
    pub fn below_plane(&self, relative: &Pose, normal: DVec3, offset: f64, out: &mut Vec<u32>) {
        out.clear();
        let m = relative.matrix();
        let image = NodeImage::new(&self.frame, relative.position, &m);
        // For a node with centre c and half extent h: min n·x = n·c − |n|·h in the plane's frame would be
        // too wide; the node's own axes give n·(A c) − |Aᵀn|·h.
        let along = image.transposed_times(normal);
        let reach = along.abs();
        let base = normal.dot(image.origin) - offset;
        let pad = normal.abs().dot(image.pad) + ROUNDING * offset.abs();
        self.bvh.traverse(|node| {
            let (c, h) = centre_half(node);
            if base + along.dot(c) - reach.dot(h) > pad {
                return TraversalAction::Prune;
            }
            self.visit(node, out, |p| normal.dot(relative.position + m * p) <= offset)
        });
        out.sort_unstable();
    }

    fn visit(&self, node: &BvhNode, out: &mut Vec<u32>, inside: impl Fn(DVec3) -> bool) -> TraversalAction {
        if let Some(block) = node.leaf_data() {
            let from = block as usize * BLOCK;
            let to = (from + BLOCK).min(self.points.len());
            for k in from..to {
                if inside(self.points[k]) {
                    out.push(self.ids[k]);
                }
            }
        }
        TraversalAction::Continue
    }

    /// The other box seen from the rest frame, in the tree's numbers; everything when that is not certain.
    fn rest_box(&self, position: DVec3, m: &DMat3, other: &Aabb) -> Box32 {
        let all = Box32 { mins: Vector::splat(f32::MIN), maxs: Vector::splat(f32::MAX) };
        let back = m.transposed();
        // The transpose stands for the inverse here, which holds for a unit rotor only. The other test uses
        // the matrix itself, so with a sloppy rotor only speed is lost.
        let unit = back * *m;
        let defect = (0..3).map(|c| (unit.cols[c] - axis(c)).abs().component_max()).fold(0.0, f64::max);
        if !(defect < 1e-12 && other.is_finite()) {
            return all;
        }
        let d = other.centre() - position;
        let size =
            position.abs() + other.lo.abs().max_by_component(other.hi.abs()) + self.bounds.half_extent();
        let pad = size.x.max(size.y).max(size.z) * (4.0 * ROUNDING + 16.0 * defect);
        let centre = back * d;
        let half = abs_matrix(&back) * other.half_extent() + DVec3::broadcast(pad);
        let rest = Aabb::new(centre - half, centre + half);
        if rest.is_finite() { self.frame.outward(&rest, 1e-12) } else { all }
    }
}

/// The map from a node's numbers to the other frame: `x = origin + a t`.
struct NodeImage {
    origin: DVec3,
    a: DMat3,
    abs: DMat3,
    /// Bound on the rounding between a vertex's image and its node's (m).
    pad: DVec3,
}

impl NodeImage {
    fn new(frame: &Frame, position: DVec3, m: &DMat3) -> Self {
        let h = frame.half;
        let a = DMat3::new(m.cols[0] * h, m.cols[1] * h, m.cols[2] * h);
        let reach = frame.centre.abs() + DVec3::broadcast(h);
        let pad = (position.abs() + abs_matrix(m) * reach) * (2.0 * ROUNDING);
        Self { origin: position + *m * frame.centre, a, abs: abs_matrix(&a), pad }
    }

    fn of(&self, node: &BvhNode) -> (DVec3, DVec3) {
        let (c, h) = centre_half(node);
        (self.origin + self.a * c, self.abs * h)
    }

    fn transposed_times(&self, n: DVec3) -> DVec3 {
        DVec3::new(self.a.cols[0].dot(n), self.a.cols[1].dot(n), self.a.cols[2].dot(n))
    }
}

/// Exact: sums and differences of two f32 of like size fit f64 or round far below f32.
fn centre_half(node: &BvhNode) -> (DVec3, DVec3) {
    let (a, b) = (node.mins(), node.maxs());
    let lo = DVec3::new(f64::from(a.x), f64::from(a.y), f64::from(a.z));
    let hi = DVec3::new(f64::from(b.x), f64::from(b.y), f64::from(b.z));
    ((lo + hi) * 0.5, (hi - lo) * 0.5)
}

fn axis(c: usize) -> DVec3 {
    [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][c]
}

fn is_finite(p: DVec3) -> bool {
    p.x.is_finite() && p.y.is_finite() && p.z.is_finite()
}

/// Orders ids so that each run of [`BLOCK`] lies close together: halve at the median of the widest axis, at a
/// multiple of the block, until one block is left. Depth is log₂ of the count, whatever the points.
fn sort_into_blocks(points: &[DVec3], ids: &mut [u32]) {
    if ids.len() <= BLOCK {
        return;
    }
    let mut b = Aabb::empty();
    for &i in ids.iter() {
        let p = points[i as usize];
        b.lo = b.lo.min_by_component(p);
        b.hi = b.hi.max_by_component(p);
    }
    let size = b.half_extent();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = (ids.len() / 2).next_multiple_of(BLOCK).min(ids.len() - 1);
    // The id breaks ties: the order is a function of the points alone.
    ids.select_nth_unstable_by(middle, |&i, &j| {
        points[i as usize][axis].total_cmp(&points[j as usize][axis]).then(i.cmp(&j))
    });
    let (left, right) = ids.split_at_mut(middle);
    sort_into_blocks(points, left);
    sort_into_blocks(points, right);
}

/// The same as [`VertexTree::candidates`] by testing every vertex: the oracle.
pub fn candidates_brute_force(points: &[DVec3], relative: &Pose, other_box: &Aabb, out: &mut Vec<u32>) {
    out.clear();
    let m = relative.matrix();
    out.extend(
        (0..points.len())
            .filter(|&i| other_box.contains(relative.position + m * points[i]))
            .map(|i| i as u32),
    );
}

/// The same as [`VertexTree::below_plane`] by testing every vertex: the oracle.
pub fn below_plane_brute_force(
    points: &[DVec3],
    relative: &Pose,
    normal: DVec3,
    offset: f64,
    out: &mut Vec<u32>,
) {
    out.clear();
    let m = relative.matrix();
    out.extend(
        (0..points.len())
            .filter(|&i| normal.dot(relative.position + m * points[i]) <= offset)
            .map(|i| i as u32),
    );
}
