//! The kernel: which features of one cluster are near which features of another.
//!
//! Takes two clusters seen in one frame, gives index pairs. First each side is thinned to what is near the
//! other's box, then survivor meets survivor, four comparisons at a time. Rounded boxes decide nearly always;
//! the exact ones are asked when those cannot tell.

use crate::aabb::Aabb;
use crate::clusters::{CLUSTER, Clusters};
use crate::lane_block::{LANES, LaneBlock, SpreadBox, Touching, touching, touching_maybe};
use crate::lane_box::{LaneBox, exact_overlap};
use crate::lane_group::WIDE;
use crate::packed::Packed;
use crate::wide_pair::{self, Wide};
use impinge_geometry::DVec3;

/// One surface as the kernel sees it; boxes are in a frame that both sides share.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub clusters: &'a Clusters,
    pub cluster_boxes: &'a [LaneBox],
    pub packed: &'a Packed,
    /// By vertex rank, not inflated (m).
    pub exact: &'a [Aabb],
    pub inflation: f64,
}

impl View<'_> {
    /// The box that has the last word, around some vertices (m).
    #[inline]
    fn exact<const N: usize>(&self, ranks: &[u32; N]) -> Aabb {
        let mut all = self.exact[ranks[0] as usize];
        for &v in &ranks[1..] {
            let b = &self.exact[v as usize];
            all = Aabb::new(all.lo.min_by_component(b.lo), all.hi.max_by_component(b.hi));
        }
        let grow = DVec3::broadcast(self.inflation);
        Aabb::new(all.lo - grow, all.hi + grow)
    }
}

/// Pairs in the order found; which surface comes first is in the name.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawLists {
    pub vertex_face: Vec<(u32, u32)>,
    pub face_vertex: Vec<(u32, u32)>,
    pub edge_edge: Vec<(u32, u32)>,
    pub face_face: Vec<(u32, u32)>,
}

impl RawLists {
    pub fn clear(&mut self) {
        self.vertex_face.clear();
        self.face_vertex.clear();
        self.edge_edge.clear();
        self.face_face.clear();
    }

    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        8 * (self.vertex_face.capacity()
            + self.face_vertex.capacity()
            + self.edge_edge.capacity()
            + self.face_face.capacity())
    }
}

/// Most pairs of two kinds of features, all edges against all edges, and room for a whole group behind the last.
const ROOM: usize = 9 * CLUSTER * CLUSTER + WIDE;

/// Pairs of one cluster pair, written down before it is decided whether they stay: which ones stay is as good
/// as random, and a branch would be mispredicted for every other one.
pub(crate) struct Found {
    pub count: usize,
    pub pairs: [[u32; 2]; ROOM],
}

impl Found {
    #[inline]
    fn offer(&mut self, (a, b): (u32, u32), keep: bool) {
        self.pairs[self.count] = [a, b];
        self.count += usize::from(keep);
    }

    /// Appends them to a list.
    #[inline]
    fn take_into(&mut self, out: &mut Vec<(u32, u32)>) {
        let n = std::mem::take(&mut self.count);
        out.extend(self.pairs[..n].iter().map(|&[a, b]| (a, b)));
    }
}

/// Rows of a table of touching boxes that are not empty: box `i` touches the boxes of a mask.
struct Rows {
    count: usize,
    rows: [(usize, Touching); 3 * CLUSTER + 1],
}

impl Rows {
    #[inline(always)]
    fn offer(&mut self, i: usize, t: Touching, allowed: u64) {
        let maybe = t.maybe & allowed;
        self.rows[self.count] = (i, Touching { maybe, surely: t.surely });
        self.count += usize::from(maybe != 0);
    }

    /// Calls `hit(i, j, sure)` for everything in the table. One loop over all of it: with one inside another,
    /// the end of each inner one would be mispredicted.
    #[inline(always)]
    fn take(&mut self, mut hit: impl FnMut(usize, usize, bool)) {
        let n = std::mem::take(&mut self.count);
        // Past the last row: an end that can be read.
        self.rows[n].1.maybe = 0;
        let (mut k, mut left) = (0, self.rows[0].1.maybe);
        while k < n {
            let (i, t) = &self.rows[k];
            let j = left.trailing_zeros() as usize;
            hit(*i, j, t.surely >> j & 1 == 1);
            left &= left - 1;
            k += usize::from(left == 0);
            left = if left == 0 { self.rows[k].1.maybe } else { left };
        }
    }

    /// Calls `hit(i, j, sure)` for box `i` of `p` and box `j` of `q` that touch, both in the masks given.
    #[inline(always)]
    fn meet(
        &mut self,
        (p, mut in_p): (&[LaneBlock], u64),
        (q, in_q): (&[LaneBlock], u64),
        hit: impl FnMut(usize, usize, bool),
    ) {
        while in_p != 0 {
            let i = in_p.trailing_zeros() as usize;
            in_p &= in_p - 1;
            self.offer(i, touching(q, &p[i / LANES].spread(i % LANES)), in_q);
        }
        self.take(hit);
    }

    /// The same for each box of `p` and those after it.
    #[inline(always)]
    fn meet_among(&mut self, (p, mut in_p): (&[LaneBlock], u64), hit: impl FnMut(usize, usize, bool)) {
        while in_p != 0 {
            let i = in_p.trailing_zeros() as usize;
            in_p &= in_p - 1;
            self.offer(i, touching(p, &p[i / LANES].spread(i % LANES)), in_p);
        }
        self.take(hit);
    }
}

/// Everything in a row of `count` boxes.
#[inline]
fn all(count: usize) -> u64 {
    (1u64 << count) - 1
}

/// Two clusters of one or two surfaces, with room for what is found.
pub(crate) struct ClusterPair<'a> {
    first: View<'a>,
    second: View<'a>,
    rows: Rows,
    found: Found,
    wide: Option<Wide>,
}

impl<'a> ClusterPair<'a> {
    #[must_use]
    pub fn new(first: View<'a>, second: View<'a>) -> Self {
        let found = Found { count: 0, pairs: [[0; 2]; ROOM] };
        let rows = Rows { count: 0, rows: [(0, Touching::default()); 3 * CLUSTER + 1] };
        Self { first, second, rows, found, wide: first.packed.wide }
    }

    /// Vertex–face and edge–edge pairs of clusters `a` of the first and `b` of the second surface.
    ///
    /// `SELF`: both are the same surface, `a ≠ b`; features with a common vertex are left out, and edge pairs
    /// name the lower edge first.
    pub fn features<const SELF: bool>(&mut self, a: usize, b: usize, out: &mut RawLists) {
        let (first, second) = (&self.first, &self.second);
        if let Some(with) = self.wide {
            return features_wide::<SELF>(with, [first, second], [a, b], &mut self.found, out);
        }
        let (rows, found) = (&mut self.rows, &mut self.found);
        let (p, q) = (first.packed.of(first.clusters, a), second.packed.of(second.clusters, b));
        let near_p = SpreadBox::new(&second.cluster_boxes[b]);
        let near_q = SpreadBox::new(&first.cluster_boxes[a]);
        let faces_p = touching_maybe(p.faces, &near_p);
        let faces_q = touching_maybe(q.faces, &near_q);
        if faces_p == 0 || faces_q == 0 {
            return;
        }
        rows.meet((p.vertices, touching_maybe(p.vertices, &near_p)), (q.faces, faces_q), |v, f, sure| {
            vertex_face::<SELF>([first, second], [a, b], [v, f], sure, found);
        });
        found.take_into(&mut out.vertex_face);
        rows.meet((q.vertices, touching_maybe(q.vertices, &near_q)), (p.faces, faces_p), |v, f, sure| {
            vertex_face::<SELF>([second, first], [b, a], [v, f], sure, found);
        });
        if SELF {
            found.take_into(&mut out.vertex_face);
        } else {
            let first = out.face_vertex.len();
            found.take_into(&mut out.face_vertex);
            out.face_vertex[first..].iter_mut().for_each(|p| *p = (p.1, p.0));
        }
        let edges_p = touching_maybe(p.edges, &near_p);
        let edges_q = touching_maybe(q.edges, &near_q);
        // The side with fewer is gone through one by one.
        if edges_p.count_ones() <= edges_q.count_ones() {
            rows.meet((p.edges, edges_p), (q.edges, edges_q), |e, g, sure| {
                edge_edge::<SELF>([first, second], [a, b], [e, g], sure, found);
            });
        } else {
            rows.meet((q.edges, edges_q), (p.edges, edges_p), |g, e, sure| {
                edge_edge::<SELF>([first, second], [a, b], [e, g], sure, found);
            });
        }
        found.take_into(&mut out.edge_edge);
    }

    /// The same within one cluster of one surface.
    pub fn features_within(&mut self, a: usize, out: &mut RawLists) {
        if let Some(with) = self.wide {
            return features_within_wide(with, &self.first, a, &mut self.found, out);
        }
        let (view, rows, found) = (&self.first, &mut self.rows, &mut self.found);
        let p = view.packed.of(view.clusters, a);
        let vertices = all(view.clusters.vertices(a).len());
        rows.meet((p.vertices, vertices), (p.faces, u64::MAX), |v, f, sure| {
            vertex_face::<true>([view, view], [a, a], [v, f], sure, found);
        });
        found.take_into(&mut out.vertex_face);
        let edges = all(view.clusters.edges(a).len());
        rows.meet_among((p.edges, edges), |e, g, sure| {
            edge_edge::<true>([view, view], [a, a], [e, g], sure, found);
        });
        found.take_into(&mut out.edge_edge);
    }

    /// Face pairs of clusters `a` and `b`; with `SELF` the lower face first.
    pub fn faces<const SELF: bool>(&mut self, a: usize, b: usize, out: &mut Vec<(u32, u32)>) {
        let (first, second) = (&self.first, &self.second);
        let (rows, found) = (&mut self.rows, &mut self.found);
        let (p, q) = (first.packed.of(first.clusters, a), second.packed.of(second.clusters, b));
        let faces_p = touching_maybe(p.faces, &SpreadBox::new(&second.cluster_boxes[b]));
        rows.meet((p.faces, faces_p), (q.faces, u64::MAX), |f, g, sure| {
            face_face::<SELF>([first, second], [a, b], [f, g], sure, found);
        });
        found.take_into(out);
    }

    /// The same within one cluster of one surface.
    pub fn faces_within(&mut self, a: usize, out: &mut Vec<(u32, u32)>) {
        let (view, rows, found) = (&self.first, &mut self.rows, &mut self.found);
        let p = view.packed.of(view.clusters, a);
        let faces = all(view.clusters.faces(a).len());
        rows.meet_among((p.faces, faces), |f, g, sure| {
            face_face::<true>([view, view], [a, a], [f, g], sure, found);
        });
        found.take_into(out);
    }
}

/// [`ClusterPair::features`], sixteen at a time.
fn features_wide<const SELF: bool>(
    with: Wide,
    [first, second]: [&View<'_>; 2],
    [a, b]: [usize; 2],
    found: &mut Found,
    out: &mut RawLists,
) {
    use wide_pair::{COLUMN_FIRST, ROW_FIRST, SORTED, meet};
    let (p, q) = (first.packed.sides(first.clusters, a), second.packed.sides(second.clusters, b));
    let [faces_p, vertices_p, edges_p] = wide_pair::near(with, &p, &second.cluster_boxes[b]);
    let [faces_q, vertices_q, edges_q] = wide_pair::near(with, &q, &first.cluster_boxes[a]);
    if faces_p == 0 || faces_q == 0 {
        return;
    }
    let exact = |v, f| vertex_face_exact([first, second], [a, b], [v, f]);
    meet::<SELF, false, 1, 3, ROW_FIRST>(with, (p.vertices, vertices_p), (q.faces, faces_q), exact, found);
    found.take_into(&mut out.vertex_face);
    let exact = |v, f| vertex_face_exact([second, first], [b, a], [v, f]);
    let (vertices, faces) = ((q.vertices, vertices_q), (p.faces, faces_p));
    if SELF {
        meet::<SELF, false, 1, 3, ROW_FIRST>(with, vertices, faces, exact, found);
        found.take_into(&mut out.vertex_face);
    } else {
        meet::<SELF, false, 1, 3, COLUMN_FIRST>(with, vertices, faces, exact, found);
        found.take_into(&mut out.face_vertex);
    }
    let exact = |e, g| edge_edge_exact([first, second], [a, b], [e, g]);
    // The side with fewer is gone through one by one.
    let swapped = edges_p.count_ones() > edges_q.count_ones();
    let (p, q) = ((p.edges, edges_p), (q.edges, edges_q));
    match (SELF, swapped) {
        (true, false) => meet::<SELF, false, 2, 2, SORTED>(with, p, q, exact, found),
        (true, true) => meet::<SELF, false, 2, 2, SORTED>(with, q, p, |g, e| exact(e, g), found),
        (false, false) => meet::<SELF, false, 2, 2, ROW_FIRST>(with, p, q, exact, found),
        (false, true) => meet::<SELF, false, 2, 2, COLUMN_FIRST>(with, q, p, |g, e| exact(e, g), found),
    }
    found.take_into(&mut out.edge_edge);
}

/// [`ClusterPair::features_within`], sixteen at a time.
fn features_within_wide(with: Wide, view: &View<'_>, a: usize, found: &mut Found, out: &mut RawLists) {
    use wide_pair::{ROW_FIRST, SORTED, meet};
    let p = view.packed.sides(view.clusters, a);
    let vertices = (p.vertices, all(view.clusters.vertices(a).len()));
    let faces = (p.faces, all(view.clusters.faces(a).len()));
    let exact = |v, f| vertex_face_exact([view, view], [a, a], [v, f]);
    meet::<true, false, 1, 3, ROW_FIRST>(with, vertices, faces, exact, found);
    found.take_into(&mut out.vertex_face);
    let edges = (p.edges, all(view.clusters.edges(a).len()));
    let exact = |e, g| edge_edge_exact([view, view], [a, a], [e, g]);
    meet::<true, true, 2, 2, SORTED>(with, edges, edges, exact, found);
    found.take_into(&mut out.edge_edge);
}

/// The exact boxes of vertex `v` of cluster `a` and face `f` of cluster `b` share a point.
#[cold]
fn vertex_face_exact([own, other]: [&View<'_>; 2], [a, b]: [usize; 2], [v, f]: [usize; 2]) -> bool {
    let rank = (own.clusters.vertices(a).start + v) as u32;
    let corners = &other.clusters.face_vertices[other.clusters.faces(b).start + f];
    exact_overlap(&own.exact(&[rank]), &other.exact(corners))
}

/// The same for edge `e` of cluster `a` and edge `g` of cluster `b`.
#[cold]
fn edge_edge_exact([first, second]: [&View<'_>; 2], [a, b]: [usize; 2], [e, g]: [usize; 2]) -> bool {
    let p = &first.clusters.edge_vertices[first.clusters.edges(a).start + e];
    let q = &second.clusters.edge_vertices[second.clusters.edges(b).start + g];
    exact_overlap(&first.exact(p), &second.exact(q))
}

#[inline(always)]
fn vertex_face<const SELF: bool>(
    [own, other]: [&View<'_>; 2],
    [a, b]: [usize; 2],
    [v, f]: [usize; 2],
    sure: bool,
    found: &mut Found,
) {
    let v = own.clusters.vertices(a).start + v;
    let f = other.clusters.faces(b).start + f;
    let corners = &other.clusters.face_vertices[f];
    let rank = v as u32;
    let adjacent = SELF & ((corners[0] == rank) | (corners[1] == rank) | (corners[2] == rank));
    let near = (sure | adjacent) || exact_overlap(&own.exact(&[rank]), &other.exact(corners));
    found.offer((own.clusters.vertex_id[v], other.clusters.face_id[f]), near & !adjacent);
}

#[inline(always)]
fn edge_edge<const SELF: bool>(
    [first, second]: [&View<'_>; 2],
    [a, b]: [usize; 2],
    [e, g]: [usize; 2],
    sure: bool,
    found: &mut Found,
) {
    let e = first.clusters.edges(a).start + e;
    let g = second.clusters.edges(b).start + g;
    let (p, q) = (&first.clusters.edge_vertices[e], &second.clusters.edge_vertices[g]);
    let adjacent = SELF & ((p[0] == q[0]) | (p[0] == q[1]) | (p[1] == q[0]) | (p[1] == q[1]));
    let near = (sure | adjacent) || exact_overlap(&first.exact(p), &second.exact(q));
    let (e, g) = (first.clusters.edge_id[e], second.clusters.edge_id[g]);
    found.offer(if SELF { (e.min(g), e.max(g)) } else { (e, g) }, near & !adjacent);
}

#[inline(always)]
fn face_face<const SELF: bool>(
    [first, second]: [&View<'_>; 2],
    [a, b]: [usize; 2],
    [f, g]: [usize; 2],
    sure: bool,
    found: &mut Found,
) {
    let f = first.clusters.faces(a).start + f;
    let g = second.clusters.faces(b).start + g;
    let (p, q) = (&first.clusters.face_vertices[f], &second.clusters.face_vertices[g]);
    // Neighbours often touch in their common vertex only, which rounded boxes cannot tell.
    let adjacent = || SELF && p.iter().any(|v| q.contains(v));
    let near = sure || adjacent() || exact_overlap(&first.exact(p), &second.exact(q));
    let (f, g) = (first.clusters.face_id[f], second.clusters.face_id[g]);
    found.offer(if SELF { (f.min(g), f.max(g)) } else { (f, g) }, near);
}
