//! Bisecting edges, and which edges a level set cuts; the same code for triangles (`K` = 3) and tets (`K` = 4).
//!
//! One rule makes neighbours agree: of the cut edges an element still has, the longest is bisected first (ties:
//! the lower vertices). New edges never need a cut, so within a shared face both neighbours bisect the same
//! edges in the same order, and no diagonal has to be chosen or looked up. Every step halves an element in two
//! with volumes in the ratio of the edge's parts: a tet cut by a plane becomes at most six, none smaller than
//! (least edge fraction)³ of it.
//!
//! Vertices that a cut would pass closely are *snapped*: not moved, but taken to lie on it. The cut surface
//! goes through them instead of beside them, volumes are untouched, and no edge is cut nearer to its end than
//! `snap`.

use super::{EditError, NodeMap};
use crate::is_finite;
use smallvec::{SmallVec, smallvec};
use ultraviolet::DVec3;

/// A new node on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeCut {
    /// The two vertices of the edge, lower index first.
    pub ends: [u32; 2],
    /// Where on it: 0 at the first vertex, 1 at the second; strictly between.
    pub t: f64,
}

/// How finely a cut may divide elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CutOptions {
    /// An edge cut within this fraction of its length from a vertex is not cut: the vertex is taken to lie on
    /// the cut. 0 to 0.5; below 1e-6 it is taken for 1e-6. At 0.5 nearly every cut runs along faces that are
    /// there. No piece is smaller than `snap³` of its tet, or `snap²` of its triangle.
    pub snap: f64,
    /// The smallest piece (m³ of a tet, m² of a triangle). Where a smaller one would be made, the vertex
    /// nearest to the cut is snapped, and again until none is. 0: no limit.
    pub min_piece: f64,
}

impl Default for CutOptions {
    /// `snap` 0.1, no smallest piece.
    fn default() -> Self {
        Self { snap: 0.1, min_piece: 0.0 }
    }
}

impl CutOptions {
    pub(super) fn check(&self) -> Result<(), EditError> {
        if !(0.0..=0.5).contains(&self.snap) {
            return Err(EditError::OutOfRange { what: "snap", value: self.snap, allowed: "0 to 0.5" });
        }
        if !(self.min_piece.is_finite() && self.min_piece >= 0.0) {
            return Err(EditError::OutOfRange {
                what: "min_piece",
                value: self.min_piece,
                allowed: "a finite volume or area, 0 for no limit",
            });
        }
        Ok(())
    }
}

/// Signed distances (m, for a unit normal) of points from a plane: the values to cut by. Positions may be those
/// of the deformed body while the rest mesh is cut.
///
/// # Errors
/// [`EditError::NonFinite`] for a plane that is not finite or a normal of zero length (`index` 0), or a value
/// that is not finite.
pub fn plane_values(x: &[DVec3], point: DVec3, normal: DVec3) -> Result<Vec<f64>, EditError> {
    let unit = crate::try_normalized(normal).ok_or(EditError::NonFinite { what: "unit normal", index: 0 })?;
    if !is_finite(point) {
        return Err(EditError::NonFinite { what: "plane point", index: 0 });
    }
    let values: Vec<f64> = x.iter().map(|&p| (p - point).dot(unit)).collect();
    check_values(&values)?;
    Ok(values)
}

pub(super) fn check_values(values: &[f64]) -> Result<(), EditError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(EditError::NonFinite { what: "value", index }),
        None => Ok(()),
    }
}

/// Which side of the cut each vertex is on (0: on it), and the edges to bisect, in lexicographic order.
pub(super) struct Crossing {
    pub sign: Vec<i8>,
    pub cuts: Vec<EdgeCut>,
    /// Vertices that were snapped.
    pub snapped: usize,
}

impl Crossing {
    /// Whether a vertex lies on the cut: those that were made do, and those with sign 0.
    #[must_use]
    pub fn on(&self, vertex: u32) -> bool {
        self.sign.get(vertex as usize).is_none_or(|&s| s == 0)
    }

    /// The side of each piece: that of the values at its corners off the cut. A piece with all corners on it
    /// was not divided, and its own values decide.
    #[must_use]
    pub fn sides<const K: usize>(&self, pieces: &[[u32; K]], value: &[f64]) -> Vec<i8> {
        let side = |piece: &[u32; K]| {
            let at = |&v: &u32| value.get(v as usize).copied().unwrap_or(0.0);
            let off: f64 = piece.iter().filter(|&&v| !self.on(v)).map(at).sum();
            let sum = if off != 0.0 { off } else { piece.iter().map(at).sum() };
            if sum < 0.0 { -1 } else { 1 }
        };
        pieces.iter().map(side).collect()
    }
}

/// The edges of chosen elements whose ends have values of opposite sign.
pub(super) fn crossing<const K: usize>(
    positions: &[DVec3],
    elements: &[[u32; K]],
    value: &[f64],
    chosen: impl Fn(usize) -> bool,
    measure: impl Fn(usize) -> f64,
    options: &CutOptions,
) -> Crossing {
    let mut sign: Vec<i8> = value.iter().map(|&v| i8::from(v > 0.0) - i8::from(v < 0.0)).collect();
    let mut edges: Vec<[u32; 2]> = vec![];
    for (e, element) in elements.iter().enumerate() {
        if !chosen(e) || element.iter().all(|&v| sign[v as usize] == sign[element[0] as usize]) {
            continue;
        }
        for_edges(element, |_, _, [a, b]| {
            if sign[a as usize] * sign[b as usize] < 0 {
                edges.push([a, b]);
            }
        });
    }
    edges.sort_unstable();
    edges.dedup();
    let mut cuts: Vec<EdgeCut> = edges
        .into_iter()
        .map(|ends| EdgeCut { ends, t: zero_between(ends.map(|v| value[v as usize])) })
        .collect();
    let snap = options.snap.max(1e-6);
    for c in &cuts {
        if c.t < snap {
            sign[c.ends[0] as usize] = 0;
        }
        if 1.0 - c.t < snap {
            sign[c.ends[1] as usize] = 0;
        }
    }
    if options.min_piece > 0.0 {
        let lookup = Lookup::new(&cuts, positions);
        // Each pass snaps a vertex or is the last.
        let mut again = true;
        while again {
            again = false;
            // Neighbours that were not chosen are cut too, where they share an edge.
            for (e, element) in elements.iter().enumerate() {
                while smallest_piece(element, measure(e), &lookup, &sign) < options.min_piece {
                    let Some(v) = nearest_to_cut(element, &lookup, &sign) else { break };
                    sign[v as usize] = 0;
                    again = true;
                }
            }
        }
    }
    cuts.retain(|c| c.ends.iter().all(|&v| sign[v as usize] != 0));
    let snapped = (0..sign.len()).filter(|&v| sign[v] == 0 && value[v] != 0.0).count();
    Crossing { sign, cuts, snapped }
}

/// Where a linear function with these values at 0 and 1 is zero; halved so that no sum overflows.
fn zero_between([a, b]: [f64; 2]) -> f64 {
    let (a, b) = (0.5 * a.abs(), 0.5 * b.abs());
    // Both lost to underflow: the middle is as good as any place.
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}

fn for_edges<const K: usize>(element: &[u32; K], mut f: impl FnMut(usize, usize, [u32; 2])) {
    for i in 0..K {
        for j in i + 1..K {
            let (a, b) = (element[i], element[j]);
            f(i, j, [a.min(b), a.max(b)]);
        }
    }
}

/// Finds the cut of an edge, and which of several comes first.
struct Lookup<'a> {
    cuts: &'a [EdgeCut],
    /// Place of each cut in the order of bisection: longest edge first.
    rank: Vec<u32>,
    /// Vertices without any cut are dismissed by one look.
    has_cut: Vec<bool>,
}

/// The edge an element is bisected at: from corner `i` to corner `j`, a fraction `t` of the way.
#[derive(Clone, Copy)]
struct First {
    rank: u32,
    cut: usize,
    i: usize,
    j: usize,
    t: f64,
}

impl<'a> Lookup<'a> {
    fn new(cuts: &'a [EdgeCut], positions: &[DVec3]) -> Self {
        let length = |c: u32| {
            let [a, b] = cuts[c as usize].ends;
            (positions[a as usize] - positions[b as usize]).mag_sq()
        };
        let mut order: Vec<u32> = (0..cuts.len() as u32).collect();
        order.sort_by(|&a, &b| length(b).total_cmp(&length(a)).then(a.cmp(&b)));
        let mut rank = vec![0u32; cuts.len()];
        order.iter().enumerate().for_each(|(r, &c)| rank[c as usize] = r as u32);
        let mut has_cut = vec![false; positions.len()];
        cuts.iter().flat_map(|c| c.ends).for_each(|v| has_cut[v as usize] = true);
        Self { cuts, rank, has_cut }
    }

    fn find(&self, ends: [u32; 2]) -> Option<usize> {
        // A vertex made on the way is no old one: it is beyond the end, and its edges are not cut.
        if !ends.iter().all(|&v| self.has_cut.get(v as usize) == Some(&true)) {
            return None;
        }
        self.cuts.binary_search_by(|c| c.ends.cmp(&ends)).ok()
    }

    /// The first cut of an element among those `wanted`.
    fn first<const K: usize>(&self, element: &[u32; K], wanted: impl Fn([u32; 2]) -> bool) -> Option<First> {
        let mut first: Option<First> = None;
        for_edges(element, |i, j, ends| {
            if let Some(cut) = self.find(ends)
                && first.is_none_or(|f| self.rank[cut] < f.rank)
                && wanted(ends)
            {
                let t = self.cuts[cut].t;
                let t = if element[i] == ends[0] { t } else { 1.0 - t };
                first = Some(First { rank: self.rank[cut], cut, i, j, t });
            }
        });
        first
    }
}

/// The smallest piece [`bisect`] makes of an element.
fn smallest_piece<const K: usize>(element: &[u32; K], measure: f64, lookup: &Lookup<'_>, sign: &[i8]) -> f64 {
    let mut smallest = measure;
    let mut open: SmallVec<[([u32; K], f64); 8]> = smallvec![(*element, measure)];
    while let Some((piece, m)) = open.pop() {
        let Some(f) = lookup.first(&piece, |ends| ends.iter().all(|&v| sign[v as usize] != 0)) else {
            smallest = smallest.min(m);
            continue;
        };
        let (near_i, near_j) = halves(&piece, f, u32::MAX);
        open.push((near_i, m * f.t));
        open.push((near_j, m * (1.0 - f.t)));
    }
    smallest
}

/// The two halves, with the new vertex in the place of one end each.
fn halves<const K: usize>(piece: &[u32; K], f: First, middle: u32) -> ([u32; K], [u32; K]) {
    let (mut near_i, mut near_j) = (*piece, *piece);
    near_i[f.j] = middle;
    near_j[f.i] = middle;
    (near_i, near_j)
}

/// The corner nearest to the cut, as a fraction of a cut edge; the lower one of equals.
fn nearest_to_cut<const K: usize>(element: &[u32; K], lookup: &Lookup<'_>, sign: &[i8]) -> Option<u32> {
    let mut best: Option<(f64, u32)> = None;
    for_edges(element, |_, _, ends| {
        let Some(c) = lookup.find(ends) else { return };
        if ends.iter().any(|&v| sign[v as usize] == 0) {
            return;
        }
        let t = lookup.cuts[c].t;
        for (d, v) in [(t, ends[0]), (1.0 - t, ends[1])] {
            if best.is_none_or(|(least, w)| d < least || (d == least && v < w)) {
                best = Some((d, v));
            }
        }
    });
    best.map(|b| b.1)
}

/// A mesh with some edges bisected.
pub(super) struct Bisected<const K: usize> {
    pub nodes: NodeMap,
    pub elements: Vec<[u32; K]>,
    pub parent: Vec<u32>,
}

/// Bisects edges; `cuts` in lexicographic order, each edge once. New nodes follow the old ones in the order of
/// cuts.
pub(super) fn bisect<const K: usize>(
    positions: &[DVec3],
    elements: &[[u32; K]],
    cuts: &[EdgeCut],
) -> Bisected<K> {
    let n = positions.len();
    let mut nodes = NodeMap::copies(n, 0..n as u32);
    cuts.iter().for_each(|c| nodes.push_on_edge(c.ends, c.t));
    let lookup = Lookup::new(cuts, positions);
    let mut out = Bisected { nodes, elements: Vec::with_capacity(elements.len()), parent: vec![] };
    let mut open: Vec<[u32; K]> = vec![];
    for (e, element) in elements.iter().enumerate() {
        open.push(*element);
        while let Some(piece) = open.pop() {
            let Some(f) = lookup.first(&piece, |_| true) else {
                out.elements.push(piece);
                out.parent.push(e as u32);
                continue;
            };
            let (near_i, near_j) = halves(&piece, f, (n + f.cut) as u32);
            open.push(near_j);
            open.push(near_i);
        }
    }
    out
}

/// Sorts and checks cuts given by a caller.
pub(super) fn checked_cuts<const K: usize>(
    positions: &[DVec3],
    elements: &[[u32; K]],
    cuts: &[EdgeCut],
) -> Result<Vec<EdgeCut>, EditError> {
    let mut cuts = cuts.to_vec();
    for (index, c) in cuts.iter_mut().enumerate() {
        if !c.t.is_finite() {
            return Err(EditError::NonFinite { what: "edge cut", index });
        }
        if !(c.t > 0.0 && c.t < 1.0) {
            return Err(EditError::OutOfRange {
                what: "t of an edge cut",
                value: c.t,
                allowed: "between 0 and 1",
            });
        }
        if c.ends[0] > c.ends[1] {
            *c = EdgeCut { ends: [c.ends[1], c.ends[0]], t: 1.0 - c.t };
        }
        if c.ends[1] as usize >= positions.len() || c.ends[0] == c.ends[1] {
            return Err(EditError::NotInMesh { vertices: c.ends.to_vec() });
        }
    }
    cuts.sort_by_key(|c| c.ends);
    cuts.dedup_by_key(|c| c.ends);
    let mut seen = vec![false; cuts.len()];
    let lookup = Lookup::new(&cuts, positions);
    for element in elements {
        for_edges(element, |_, _, ends| {
            if let Some(c) = lookup.find(ends) {
                seen[c] = true;
            }
        });
    }
    match seen.iter().position(|s| !s) {
        Some(c) => Err(EditError::NotInMesh { vertices: cuts[c].ends.to_vec() }),
        None => Ok(cuts),
    }
}
