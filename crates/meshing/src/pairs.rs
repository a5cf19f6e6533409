//! Pairs of triangles whose boxes meet, from a tree over the triangles of one mesh at rest.
//!
//! Triangles are sorted along a Morton curve; the tree is a perfect binary tree over groups of that order, its boxes
//! f32 around the mesh's centre, rounded outward. It is made for one sweep over a mesh nobody has looked at yet: the
//! whole build is a sort, and it asks nothing of the mesh.

use impinge_geometry::{DVec3, TriMesh};

/// Triangles per leaf. 4 and 16 measured slower.
const LEAF: usize = 8;

#[derive(Clone, Copy)]
struct Box3 {
    lo: [f32; 3],
    hi: [f32; 3],
}

impl Box3 {
    const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    fn meets(&self, o: &Self) -> bool {
        (0..3).all(|k| self.lo[k] <= o.hi[k] && o.lo[k] <= self.hi[k])
    }

    fn with(mut self, o: &Self) -> Self {
        for k in 0..3 {
            self.lo[k] = self.lo[k].min(o.lo[k]);
            self.hi[k] = self.hi[k].max(o.hi[k]);
        }
        self
    }
}

/// A tree over the faces of one mesh.
pub(crate) struct PairTree {
    /// Node 1 is the root, 2i and 2i + 1 are the children of i; the last `leaves` nodes are the leaves.
    nodes: Vec<Box3>,
    leaves: usize,
    /// Faces in tree order and their boxes.
    faces: Vec<u32>,
    boxes: Vec<Box3>,
}

impl PairTree {
    /// Builds the tree over the faces that `wanted` accepts.
    #[must_use]
    pub fn new(mesh: &TriMesh, wanted: impl Fn(u32) -> bool) -> Self {
        let (lo, hi) = mesh.bounds();
        let centre = lo * 0.5 + hi * 0.5;
        let half = (hi * 0.5 - lo * 0.5).component_max();
        let to_cell = |x: f64| (x * 1024.0 + 1024.0).clamp(0.0, 2047.0) as u64;
        // Rounding of the subtraction of the centre, far from the origin.
        let slop = 4.0 * f64::EPSILON * lo.abs().max_by_component(hi.abs()).component_max();
        let mut order: Vec<(u64, u32)> = (0..mesh.triangles().len() as u32)
            .filter(|&f| wanted(f))
            .map(|f| {
                let [a, b, c] = mesh.corners(f as usize);
                let p = (a / 3.0 + b / 3.0 + c / 3.0) - centre;
                let p = if half > 0.0 { p / half } else { DVec3::zero() };
                let code = spread(to_cell(p.x)) | spread(to_cell(p.y)) << 1 | spread(to_cell(p.z)) << 2;
                (code, f)
            })
            .collect();
        order.sort_unstable();
        let faces: Vec<u32> = order.iter().map(|o| o.1).collect();
        let boxes: Vec<Box3> = faces
            .iter()
            .map(|&f| {
                let c = mesh.corners(f as usize);
                let lo = c[0].min_by_component(c[1]).min_by_component(c[2]) - centre;
                let hi = c[0].max_by_component(c[1]).max_by_component(c[2]) - centre;
                Box3 { lo: [0, 1, 2].map(|k| down(lo[k] - slop)), hi: [0, 1, 2].map(|k| up(hi[k] + slop)) }
            })
            .collect();
        let leaves = boxes.len().div_ceil(LEAF).next_power_of_two().max(1);
        let mut nodes = vec![Box3::EMPTY; 2 * leaves];
        for (i, group) in boxes.chunks(LEAF).enumerate() {
            nodes[leaves + i] = group.iter().fold(Box3::EMPTY, |a, b| a.with(b));
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i].with(&nodes[2 * i + 1]);
        }
        Self { nodes, leaves, faces, boxes }
    }

    /// Calls `visit` once for each pair of faces whose boxes meet, the lower face first, in an order that depends on
    /// the mesh alone.
    pub fn pairs(&self, mut visit: impl FnMut(u32, u32)) {
        let mut open = vec![(1usize, 1usize)];
        while let Some((a, b)) = open.pop() {
            if a == b {
                if a >= self.leaves {
                    self.leaf_pairs(a, a, &mut visit);
                } else {
                    open.extend([(2 * a, 2 * a), (2 * a + 1, 2 * a + 1), (2 * a, 2 * a + 1)]);
                }
            } else if self.nodes[a].meets(&self.nodes[b]) {
                // Both on one level: the tree is perfect.
                if a >= self.leaves {
                    self.leaf_pairs(a, b, &mut visit);
                } else {
                    for i in [2 * a, 2 * a + 1] {
                        open.extend([(i, 2 * b), (i, 2 * b + 1)]);
                    }
                }
            }
        }
    }

    fn leaf_pairs(&self, a: usize, b: usize, visit: &mut impl FnMut(u32, u32)) {
        let range = |leaf: usize| {
            let first = (leaf - self.leaves) * LEAF;
            first.min(self.boxes.len())..(first + LEAF).min(self.boxes.len())
        };
        for i in range(a) {
            let others = if a == b { i + 1..range(b).end } else { range(b) };
            for j in others {
                if self.boxes[i].meets(&self.boxes[j]) {
                    let (f, g) = (self.faces[i], self.faces[j]);
                    visit(f.min(g), f.max(g));
                }
            }
        }
    }
}

/// Two zero bits after each bit of an 11-bit number.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x00ff_0000_ff00_00ff;
    let x = (x | x << 8) & 0xf00f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x30c3_0c30_c30c_30c3;
    (x | x << 2) & 0x9249_2492_4924_9249
}

/// The largest f32 that is at most `x`.
fn down(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}

/// The smallest f32 that is at least `x`.
fn up(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bits_are_spread() {
        for x in [0u64, 1, 2, 0x7ff, 0x555, 0x2aa, 1024] {
            let want = (0..11).fold(0, |s, b| s | (x >> b & 1) << (3 * b));
            assert_eq!(spread(x), want, "{x:x}");
        }
    }

    proptest! {
        #[test]
        fn no_pair_is_missed(
            corners in prop::collection::vec(prop::array::uniform3(prop::array::uniform3(0i32..20)), 1..60),
            far in prop::sample::select(vec![0.0, 1e6]),
        ) {
            let p: Vec<DVec3> = corners
                .iter()
                .flatten()
                .map(|c| DVec3::from(c.map(|x| f64::from(x) * 0.1 + far)))
                .collect();
            let n = corners.len() as u32;
            let mesh = TriMesh::new(p, (0..n).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect()).unwrap();
            let mut found = vec![];
            PairTree::new(&mesh, |_| true).pairs(|a, b| found.push((a, b)));
            let count = found.len();
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), count);
            for a in 0..n {
                for b in a + 1..n {
                    let (x, y) = (mesh.corners(a as usize), mesh.corners(b as usize));
                    let lo = |t: [DVec3; 3]| t[0].min_by_component(t[1]).min_by_component(t[2]);
                    let hi = |t: [DVec3; 3]| t[0].max_by_component(t[1]).max_by_component(t[2]);
                    let meets = (0..3).all(|k| lo(x)[k] <= hi(y)[k] && lo(y)[k] <= hi(x)[k]);
                    if meets {
                        prop_assert!(found.binary_search(&(a, b)).is_ok());
                    }
                }
            }
        }
    }
}
