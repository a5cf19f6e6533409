//! Copies nodes where elements no longer hang together, and finds the edges where a solid touches itself.
//!
//! Around a node, elements hang together through the sides they share at that node (faces of tets, edges of
//! triangles). Each group, a *fan*, keeps or gets a node of its own; the fan with the lowest element keeps the
//! number. The same code serves triangles (`K` = 3) and tets (`K` = 4): a side is the element without one
//! corner.

use super::NodeMap;

/// A side by its vertices, ascending; an edge of a triangle has `u32::MAX` in the last place.
pub(super) type Side = [u32; 3];

/// The side opposite corner `i`.
pub(super) fn side<const K: usize>(element: &[u32; K], i: usize) -> Side {
    let mut s = [u32::MAX; 3];
    let mut n = 0;
    for (k, &v) in element.iter().enumerate() {
        if k != i {
            s[n] = v;
            n += 1;
        }
    }
    s.sort_unstable();
    s
}

/// Every side of the elements that have a vertex marked, with `K · element + opposite corner`, sorted: equal
/// sides stand side by side, lowest element first.
pub(super) fn sides<const K: usize>(elements: &[[u32; K]], marked: &[bool]) -> Vec<(Side, u32)> {
    let mut out = vec![];
    for (e, element) in elements.iter().enumerate() {
        if element.iter().any(|&v| marked[v as usize]) {
            (0..K).for_each(|i| out.push((side(element, i), (K * e + i) as u32)));
        }
    }
    out.sort_unstable();
    out
}

/// Gives each fan around a marked node a node of its own, renumbering `elements`. `open` (sorted) are sides
/// that hold nothing together. Returns the old node of each new one: old nodes first, then copies.
pub(super) fn separate<const K: usize>(
    elements: &mut [[u32; K]],
    nodes: usize,
    marked: &[bool],
    open: &[Side],
) -> NodeMap {
    let mut parent = Forest((0..(K * elements.len()) as u32).collect());
    let all = sides(elements, marked);
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        if group.len() < 2 || open.binary_search(&group[0].0).is_ok() {
            continue;
        }
        for &v in group[0].0.iter().filter(|&&v| v != u32::MAX && marked[v as usize]) {
            let corner = |s: u32| {
                let e = s as usize / K;
                (0..K).find(|&k| elements[e][k] == v).map(|k| (K * e + k) as u32)
            };
            let Some(first) = corner(group[0].1) else { continue };
            for other in group[1..].iter().filter_map(|g| corner(g.1)) {
                parent.join(first, other);
            }
        }
    }
    // Corners of marked nodes, by node and then by element: the first root at a node keeps its number.
    let mut corners: Vec<(u32, u32)> = vec![];
    for (e, element) in elements.iter().enumerate() {
        for (k, &v) in element.iter().enumerate().filter(|(_, v)| marked[**v as usize]) {
            corners.push((v, (K * e + k) as u32));
        }
    }
    corners.sort_unstable();
    let mut of: Vec<u32> = (0..nodes as u32).collect();
    let mut fans: Vec<(u32, u32)> = vec![];
    for group in corners.chunk_by(|a, b| a.0 == b.0) {
        fans.clear();
        for &(v, corner) in group {
            // The root is the lowest corner of its fan, so it comes first.
            let root = parent.root(corner);
            let number = match fans.iter().find(|f| f.0 == root) {
                Some(f) => f.1,
                None => {
                    let number = if fans.is_empty() { v } else { of.len() as u32 };
                    if !fans.is_empty() {
                        of.push(v);
                    }
                    fans.push((root, number));
                    number
                }
            };
            elements[corner as usize / K][corner as usize % K] = number;
        }
    }
    NodeMap::copies(nodes, of)
}

/// Union–find; the lower root wins.
struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Edges between marked nodes at which more than two boundary faces of a tet mesh meet, ascending: the solid
/// touches itself along them, and its surface is not one there.
pub(super) fn pinched_edges(tets: &[[u32; 4]], marked: &[bool]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = vec![];
    for group in sides(tets, marked).chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() == 1) {
        let [a, b, c] = group[0].0;
        for e in [[a, b], [a, c], [b, c]] {
            if e.iter().all(|&v| marked[v as usize]) {
                edges.push(e);
            }
        }
    }
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|g| g.len() > 2).map(|g| g[0]).collect()
}
