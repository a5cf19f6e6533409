//! Meshes, noise and a dense view of the Hessian for the tests of the tets.
#![allow(dead_code)]

use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DMat3, DVec3, TetMesh, tet_box};

/// Uniform numbers in [−1, 1], the same on every machine.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub fn matrix(&mut self) -> DMat3 {
        DMat3::new(self.vector(), self.vector(), self.vector())
    }
}

pub const MODELS: [Model; 2] = [Model::Corotational, Model::StableNeoHookean];

pub fn material() -> Material {
    Material::new(1e4, 0.35, 1000.0).with_rayleigh(0.2, 0.01)
}

/// A box whose inner and outer nodes are all moved a little: no two tets alike.
pub fn jittered(segments: [u32; 3], amount: f64) -> TetMesh {
    let mut noise = Noise::new(5);
    let mesh = tet_box(DVec3::new(1.0, 0.8, 1.3), segments).unwrap();
    let mesh = mesh.mapped(|p| p + noise.vector() * amount).unwrap();
    mesh.require_positive().unwrap();
    mesh
}

pub fn body(mesh: &TetMesh, model: Model) -> TetElements {
    TetElements::new(mesh, model, &material()).unwrap()
}

pub fn forces(body: &TetElements, x: &[DVec3]) -> Vec<DVec3> {
    let mut f = vec![DVec3::zero(); body.nodes()];
    add_forces(body, x, &mut f, &mut Workspace::default());
    f
}

/// The Hessian as a dense matrix, three rows for each node.
pub fn dense(body: &TetElements, x: &[DVec3], tangent: Tangent, triangle: Triangle) -> Vec<Vec<f64>> {
    let pattern = TetPattern::new(body.nodes(), body.tets(), triangle);
    let mut values = vec![[0.0; 9]; pattern.column.len()];
    let mut ws = Workspace::default();
    add_hessian(body, x, tangent, Weights::default(), &pattern.slots, &mut values, &mut ws);
    let n = 3 * body.nodes();
    let mut h = vec![vec![0.0; n]; n];
    for r in 0..body.nodes() {
        for k in pattern.row_start[r] as usize..pattern.row_start[r + 1] as usize {
            let c = pattern.column[k] as usize;
            for i in 0..3 {
                for j in 0..3 {
                    h[3 * r + i][3 * c + j] = values[k][3 * i + j];
                    if triangle != Triangle::Full {
                        h[3 * c + j][3 * r + i] = values[k][3 * i + j];
                    }
                }
            }
        }
    }
    h
}

/// The largest entry of a matrix, by size.
pub fn largest(h: &[Vec<f64>]) -> f64 {
    h.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
}

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations.
pub fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _ in 0..30 {
        let mut off = 0.0;
        for p in 0..n {
            for q in p + 1..n {
                off += a[p][q] * a[p][q];
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
        if off < 1e-26 * largest(&a).powi(2) {
            break;
        }
    }
    (0..n).map(|i| a[i][i]).collect()
}
