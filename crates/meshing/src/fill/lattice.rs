//! The body-centred cubic lattice: corners of cubes and their centres, and the tets between them.
//!
//! A tet joins two centres across a square with two neighbouring corners of that square. It has two long edges, as long as a
//! cube's, and four short ones, √3/2 of that; all tets are congruent, with dihedral angles of 60° and 90°.

use impinge_geometry::DVec3;

/// Cubes in a box, with a layer around what is to be filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: DVec3,
    cell: f64,
    n: [i32; 3],
}

/// Half steps from a node to its neighbours: six long edges, eight short ones.
pub(super) const LONG: [[i32; 3]; 6] = [[2, 0, 0], [-2, 0, 0], [0, 2, 0], [0, -2, 0], [0, 0, 2], [0, 0, -2]];
/// See [`LONG`].
pub(super) const SHORT: [[i32; 3]; 8] =
    [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1], [-1, 1, 1], [-1, 1, -1], [-1, -1, 1], [-1, -1, -1]];

impl Lattice {
    /// Cubes of edge `cell` over a box, centred on it, so that a symmetric body gets a symmetric lattice.
    #[must_use]
    pub fn over((lo, hi): (DVec3, DVec3), cell: f64) -> Self {
        let n = [0, 1, 2].map(|k| ((hi[k] - lo[k]) / cell).ceil() as i32 + 2);
        let size = DVec3::new(f64::from(n[0]), f64::from(n[1]), f64::from(n[2])) * cell;
        Self { origin: (lo + hi) * 0.5 - size * 0.5, cell, n }
    }

    /// Cubes such a lattice would have; not finite for a cell that is no length.
    #[must_use]
    pub fn count((lo, hi): (DVec3, DVec3), cell: f64) -> f64 {
        (0..3).map(|k| ((hi[k] - lo[k]) / cell).ceil() + 2.0).product()
    }

    /// Cubes along each axis.
    #[must_use]
    pub fn cubes(&self) -> [i32; 3] {
        self.n
    }

    /// Number of a cube.
    #[must_use]
    pub fn cube(&self, [i, j, k]: [i32; 3]) -> usize {
        ((k * self.n[1] + j) * self.n[0] + i) as usize
    }

    /// The cubes that the box of some points touches, first and last, with room for rounding.
    #[must_use]
    pub fn touched(&self, lo: DVec3, hi: DVec3) -> [[i32; 3]; 2] {
        let at = |p: DVec3, slack: f64, k: usize| {
            let q = (p[k] - self.origin[k]) / self.cell + slack;
            (q.floor() as i32).clamp(0, self.n[k] - 1)
        };
        [[0, 1, 2].map(|k| at(lo, -1e-6, k)), [0, 1, 2].map(|k| at(hi, 1e-6, k))]
    }

    /// Corners come first, then centres.
    #[must_use]
    pub fn nodes(&self) -> usize {
        let corners: usize = self.n.iter().map(|&n| n as usize + 1).product();
        corners + self.n.iter().map(|&n| n as usize).product::<usize>()
    }

    /// Number of the node at these half steps from the origin: all even for a corner, all odd for a centre. `None` outside.
    #[must_use]
    pub fn node(&self, [x, y, z]: [i32; 3]) -> Option<u32> {
        let [nx, ny, nz] = self.n;
        let inside = |h: i32, n: i32| (0..=2 * n).contains(&h);
        if !(inside(x, nx) && inside(y, ny) && inside(z, nz)) {
            return None;
        }
        let corner = ((z / 2) * (ny + 1) + y / 2) * (nx + 1) + x / 2;
        if x % 2 == 0 {
            return Some(corner as u32);
        }
        let corners = (nx + 1) * (ny + 1) * (nz + 1);
        Some((corners + (z / 2 * ny + y / 2) * nx + x / 2) as u32)
    }

    /// Half steps of a node.
    #[must_use]
    pub fn steps(&self, node: u32) -> [i32; 3] {
        let [nx, ny, nz] = self.n;
        let corners = (nx + 1) * (ny + 1) * (nz + 1);
        let (i, [nx, ny], odd) = if (node as i32) < corners {
            (node as i32, [nx + 1, ny + 1], 0)
        } else {
            (node as i32 - corners, [nx, ny], 1)
        };
        [i % nx, i / nx % ny, i / (nx * ny)].map(|h| 2 * h + odd)
    }

    /// Where the node at these half steps is (m).
    #[must_use]
    pub fn position(&self, [x, y, z]: [i32; 3]) -> DVec3 {
        self.origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * (0.5 * self.cell)
    }

    /// Calls `f` with each tet's nodes: two neighbouring centres, then two corners of the square between them.
    pub fn for_each_tet(&self, mut f: impl FnMut([u32; 4])) {
        for k in 0..self.n[2] {
            for j in 0..self.n[1] {
                for i in 0..self.n[0] {
                    let c = [2 * i + 1, 2 * j + 1, 2 * k + 1];
                    for axis in 0..3 {
                        let at = |along: i32, u: i32, v: i32| {
                            let mut h = c;
                            h[axis] += along;
                            h[(axis + 1) % 3] += u;
                            h[(axis + 2) % 3] += v;
                            self.node(h)
                        };
                        let ring = [at(1, 1, 1), at(1, -1, 1), at(1, -1, -1), at(1, 1, -1)];
                        for m in 0..4 {
                            let t = (at(0, 0, 0), at(2, 0, 0), ring[m], ring[(m + 1) % 4]);
                            if let (Some(a), Some(b), Some(c), Some(d)) = t {
                                f([a, b, c, d]);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::tet_volume;

    #[test]
    fn the_tets_are_congruent_positive_and_their_edges_are_the_neighbours() {
        let lattice = Lattice::over((DVec3::zero(), DVec3::new(1.0, 2.0, 0.5)), 0.5);
        for v in 0..lattice.nodes() as u32 {
            assert_eq!(lattice.node(lattice.steps(v)), Some(v));
        }
        let mut tets = 0;
        lattice.for_each_tet(|t| {
            let x = t.map(|v| lattice.position(lattice.steps(v)));
            assert!((tet_volume(x) - 0.125 / 12.0).abs() < 1e-15, "{}", tet_volume(x));
            for (a, b) in [(0, 1), (2, 3), (0, 2), (0, 3), (1, 2), (1, 3)] {
                let (p, q) = (lattice.steps(t[a]), lattice.steps(t[b]));
                let step = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
                assert!(if a + b == 1 || a + b == 5 { LONG.contains(&step) } else { SHORT.contains(&step) });
            }
            tets += 1;
        });
        let [x, y, z] = lattice.cubes();
        assert_eq!(tets, 4 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1)));
    }
}
