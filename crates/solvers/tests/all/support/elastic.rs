//! Linear elasticity of a jittered Kuhn cube, assembled plainly: the matrix of tests, examples and benches.
#![allow(dead_code, clippy::all, missing_docs)]

use impinge_geometry::DVec3;
use impinge_solvers::{Block, BlockPattern};

pub struct Elastic {
    pub x: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
    pub pattern: BlockPattern,
    pub slots: Vec<u32>,
    pub values: Vec<Block>,
    pub mass: Vec<f64>,
}

pub struct Lcg(pub u64);

impl Lcg {
    /// In [−0.5, 0.5).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    pub fn vec(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// `m³` nodes of the unit cube, inner spacing jittered by a fifth, six tets to a cell.
pub fn kuhn(m: usize) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let h = 1.0 / (m - 1) as f64;
    let mut rng = Lcg(1);
    let mut x = Vec::new();
    for k in 0..m {
        for j in 0..m {
            for i in 0..m {
                x.push((DVec3::new(i as f64, j as f64, k as f64) + rng.vec() * 0.4) * h);
            }
        }
    }
    let mut tets = Vec::new();
    for c in 0..(m - 1).pow(3) {
        let cell = [c % (m - 1), c / (m - 1) % (m - 1), c / (m - 1).pow(2)];
        for p in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = cell;
            let id = |a: [usize; 3]| (a[2] * m * m + a[1] * m + a[0]) as u32;
            let mut t = [id(at); 4];
            for q in 0..3 {
                at[p[q]] += 1;
                t[q + 1] = id(at);
            }
            tets.push(t);
        }
    }
    (x, tets)
}

/// `s_mass M + s_stiffness K`, lumped mass of density 1000 kg/m³, Poisson ratio 0.4.
pub fn elastic(m: usize, young: f64, s_mass: f64, s_stiffness: f64) -> Elastic {
    let (x, tets) = kuhn(m);
    let pattern = BlockPattern::new(x.len(), tets.iter().map(|t| &t[..])).expect("indices in range");
    let slots = pattern.slots(tets.iter().map(|t| &t[..]));
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    let mut mass = vec![0.0; x.len()];
    let nu = 0.4;
    let lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    let mu = young / (2.0 * (1.0 + nu));
    for (e, t) in tets.iter().enumerate() {
        let p = t.map(|i| x[i as usize]);
        let (a, b, c) = (p[1] - p[0], p[2] - p[0], p[3] - p[0]);
        let det = a.dot(b.cross(c));
        let volume = det.abs() / 6.0;
        let (g1, g2, g3) = (b.cross(c) / det, c.cross(a) / det, a.cross(b) / det);
        let g = [-(g1 + g2 + g3), g1, g2, g3];
        for i in 0..4 {
            mass[t[i] as usize] += 250.0 * volume;
            for j in 0..4 {
                let slot = slots[16 * e + 4 * i + j];
                if slot == u32::MAX {
                    continue;
                }
                let (gi, gj) = ([g[i].x, g[i].y, g[i].z], [g[j].x, g[j].y, g[j].z]);
                for r in 0..3 {
                    for s in 0..3 {
                        let mut k = lambda * gi[r] * gj[s] + mu * gj[r] * gi[s];
                        if r == s {
                            k += mu * g[i].dot(g[j]);
                        }
                        values[slot as usize][3 * r + s] += s_stiffness * volume * k;
                    }
                }
            }
        }
    }
    for (i, m) in mass.iter().enumerate() {
        for k in 0..3 {
            values[i][4 * k] += s_mass * m;
        }
    }
    Elastic { x, tets, pattern, slots, values, mass }
}

/// Gravity over one step, and a push on a corner of the floor (N·s).
pub fn load(e: &Elastic) -> Vec<DVec3> {
    let push = |x: DVec3| if x.z < 0.01 && x.x < 0.3 { 0.01 } else { 0.0 };
    e.x.iter().zip(&e.mass).map(|(x, m)| DVec3::new(0.0, 0.0, -9.81 * m / 60.0 + push(*x))).collect()
}
