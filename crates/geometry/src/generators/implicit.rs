//! The surface of an implicit solid, by marching over tetrahedra.
//!
//! Takes a field (negative inside, growing by no more than about one per metre) and gives a closed surface facing
//! outwards. Space is cut into the tets of a body-centred cubic lattice, all congruent and of good shape; in each
//! one the surface is a triangle or a quad between the corners inside and the corners outside. What lies in a tet
//! stays in it, so the surface is closed, manifold and free of self-intersections by construction, whatever the
//! field does.

use crate::{MeshError, TriMesh};
use std::collections::BTreeMap;
use ultraviolet::DVec3;

/// Cells per side of a block; blocks far from the surface are skipped whole.
const BLOCK: i64 = 8;

/// Crossings keep this share of an edge from its ends, so that no triangle is a needle.
const MARGIN: f64 = 0.08;

/// A node of the lattice: the corner of a cell at whole coordinates, or its middle half a cell further.
type Node = [i64; 3];

/// The faces of a positive tet, each opposite the corner of its number and outward, as `TetMesh` has them.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The lattice in doubled coordinates: corners are even, middles odd.
struct Lattice {
    origin: DVec3,
    half: f64,
}

impl Lattice {
    fn at(&self, [i, j, k]: Node) -> DVec3 {
        self.origin + DVec3::new(i as f64, j as f64, k as f64) * self.half
    }
}

/// Triangulates `field = 0` inside the box from `lo` to `hi`, which must hold the solid with two cells to spare, with
/// cells of size `cell` (m).
pub(super) fn march(
    field: impl Fn(DVec3) -> f64,
    lo: DVec3,
    hi: DVec3,
    cell: f64,
) -> Result<TriMesh, MeshError> {
    let lattice = Lattice { origin: lo, half: 0.5 * cell };
    let blocks = [0, 1, 2].map(|a| ((hi[a] - lo[a]) / (cell * BLOCK as f64)).ceil() as i64);
    let mut surface = Surface { positions: vec![], triangles: vec![], crossing: BTreeMap::new() };
    // Half the diagonal of a block and the half cell its tets stick out, with a tenth to spare.
    let reach = 1.1 * (BLOCK as f64 + 1.0) * cell * 0.5 * 3f64.sqrt();
    for bk in 0..blocks[2] {
        for bj in 0..blocks[1] {
            for bi in 0..blocks[0] {
                let first = [bi, bj, bk].map(|b| 2 * BLOCK * b);
                let middle = lattice.at(first.map(|x| x + BLOCK));
                if field(middle).abs() <= reach {
                    surface.block(&field, &lattice, first);
                }
            }
        }
    }
    TriMesh::new(surface.positions, surface.triangles)
}

struct Surface {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The vertex on each crossed edge, by its two nodes.
    crossing: BTreeMap<[Node; 2], u32>,
}

impl Surface {
    fn block(&mut self, field: &impl Fn(DVec3) -> f64, lattice: &Lattice, first: Node) {
        // Values at all nodes of the block and of the layer of middles beyond it.
        let n = (2 * BLOCK + 2) as usize;
        let mut values = vec![f64::NAN; n * n * n];
        let mut value = |node: Node| {
            let [i, j, k] = [0, 1, 2].map(|a| (node[a] - first[a]) as usize);
            let slot = &mut values[(k * n + j) * n + i];
            if slot.is_nan() {
                *slot = field(lattice.at(node));
            }
            *slot
        };
        for k in 0..BLOCK {
            for j in 0..BLOCK {
                for i in 0..BLOCK {
                    let cell = [first[0] + 2 * i, first[1] + 2 * j, first[2] + 2 * k];
                    for axis in 0..3 {
                        for tet in tets_beyond(cell, axis) {
                            let v = tet.map(&mut value);
                            self.tet(field, lattice, tet, v);
                        }
                    }
                }
            }
        }
    }

    /// The piece of surface in one positive tet.
    fn tet(&mut self, field: &impl Fn(DVec3) -> f64, lattice: &Lattice, tet: [Node; 4], v: [f64; 4]) {
        let inside = v.map(|x| x < 0.0);
        let count = inside.iter().filter(|&&x| x).count();
        let mut on = |a: usize, b: usize| self.vertex(field, lattice, tet[a], tet[b]);
        match count {
            1 | 3 => {
                // One corner alone; the other three in the order seen from outside.
                let Some(a) = inside.iter().position(|&x| x == (count == 1)) else { return };
                let [b, c, d] = FACES[a];
                let t = [on(a, b), on(a, c), on(a, d)];
                self.triangles.push(if count == 1 { t } else { [t[0], t[2], t[1]] });
            }
            2 => {
                // Even permutations of the corners, so that (a, b, c, d) is a positive tet with a, b inside.
                for [a, b, c, d] in
                    [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]]
                {
                    if inside[a] && inside[b] {
                        let q = [on(a, c), on(a, d), on(b, d), on(b, c)];
                        let p = q.map(|i| self.positions[i as usize]);
                        // Both diagonals stay in the tet; the shorter one makes the better triangles.
                        let split = if (p[2] - p[0]).mag_sq() <= (p[3] - p[1]).mag_sq() {
                            [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]
                        } else {
                            [[q[0], q[1], q[3]], [q[1], q[2], q[3]]]
                        };
                        self.triangles.extend(split);
                        return;
                    }
                }
            }
            _ => {}
        }
    }

    fn vertex(&mut self, field: &impl Fn(DVec3) -> f64, lattice: &Lattice, a: Node, b: Node) -> u32 {
        let ends = if a < b { [a, b] } else { [b, a] };
        let next = self.positions.len() as u32;
        let found = *self.crossing.entry(ends).or_insert(next);
        if found == next {
            let [p, q] = ends.map(|e| lattice.at(e));
            let from_inside = field(p) < 0.0;
            let (mut lo, mut hi) = (0.0, 1.0);
            // Halving to a thousandth of the edge; the field need not be smooth.
            for _ in 0..10 {
                let t = 0.5 * (lo + hi);
                if (field(p + (q - p) * t) < 0.0) == from_inside { lo = t } else { hi = t }
            }
            self.positions.push(p + (q - p) * (0.5 * (lo + hi)).clamp(MARGIN, 1.0 - MARGIN));
        }
        found
    }
}

/// The four tets between the middles of a cell and of its neighbour along `axis`, around the square they share.
fn tets_beyond(cell: Node, axis: usize) -> [[Node; 4]; 4] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let low = cell.map(|x| x + 1);
    let mut high = low;
    high[axis] += 2;
    let corner = |s: i64, t: i64| {
        let mut c = cell;
        c[axis] += 2;
        c[u] += 2 * s;
        c[v] += 2 * t;
        c
    };
    let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    [0, 1, 2, 3].map(|i| [low, square[i], square[(i + 1) % 4], high])
}
