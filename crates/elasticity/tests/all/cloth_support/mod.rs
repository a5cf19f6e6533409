//! Oracles shared by the spring, cloth and rod tests: finite differences, dense matrices, a random stream.
#![allow(dead_code)] // each test binary uses its own part

use impinge_elasticity::assemble::{self, Workspace, block_slots};
use impinge_elasticity::{Blocks, Elements, Projection};
use impinge_geometry::DVec3;

/// Energy (J), forces (N) and dense Hessian (N/m).
pub type Physics = (f64, Vec<DVec3>, Vec<Vec<f64>>);

/// A stream of numbers in [0, 1).
pub struct Stream(pub u64);

impl Stream {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }
}

pub fn energy<const N: usize, E: Elements<N>>(e: &E, x: &[DVec3]) -> f64 {
    assemble::energy(e, x, &mut Workspace::default())
}

pub fn forces<const N: usize, E: Elements<N>>(e: &E, x: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::zero(); x.len()];
    assemble::add_forces(e, x, &mut out, &mut Workspace::default());
    out
}

/// The dense 3n × 3n Hessian, by rows.
pub fn hessian<const N: usize, E: Elements<N>>(e: &E, x: &[DVec3], p: Projection) -> Vec<Vec<f64>> {
    let n = x.len();
    let slots = block_slots(e.nodes(), |i, j| Some(i * n as u32 + j));
    let mut values = vec![[0.0; 9]; n * n];
    assemble::add_hessian(e, x, p, &slots, &mut values, &mut Workspace::default());
    let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
    for (b, v) in values.iter().enumerate() {
        for r in 0..3 {
            for c in 0..3 {
                dense[3 * (b / n) + r][3 * (b % n) + c] = v[3 * r + c];
            }
        }
    }
    dense
}

/// Largest error of forces and exact Hessian against central differences with step `h` (m), each relative to
/// the largest entry (or to `floor_force`, `floor_stiffness` when that is larger).
pub fn derivative_errors<const N: usize, E: Elements<N>>(e: &E, x: &[DVec3], h: f64) -> (f64, f64) {
    let f = forces(e, x);
    let k = hessian(e, x, Projection::Exact);
    let (mut f_error, mut k_error) = (0.0f64, 0.0f64);
    let f_size = f.iter().fold(0.0, |m: f64, v| m.max(v.mag()));
    let k_size = k.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    // At rest the force is zero and the step's own rounding is all there is to compare with.
    let f_scale = f_size.max(k_size * h);
    let mut moved = x.to_vec();
    for i in 0..x.len() {
        for c in 0..3 {
            let at = |moved: &mut Vec<DVec3>, step: f64| moved[i][c] = x[i][c] + step;
            let mut e_at = [0.0; 4];
            let mut f_at = Vec::new();
            for (s, step) in [-2.0 * h, -h, h, 2.0 * h].into_iter().enumerate() {
                at(&mut moved, step);
                e_at[s] = energy(e, &moved);
                f_at.push(forces(e, &moved));
            }
            moved[i] = x[i];
            // Fourth order, so that h can stay large against rounding.
            let slope = (e_at[0] - 8.0 * e_at[1] + 8.0 * e_at[2] - e_at[3]) / (12.0 * h);
            f_error = f_error.max((f[i][c] + slope).abs() / f_scale);
            for j in 0..x.len() {
                for d in 0..3 {
                    let s = |m: usize| f_at[m][j][d];
                    let row = -(s(0) - 8.0 * s(1) + 8.0 * s(2) - s(3)) / (12.0 * h);
                    k_error = k_error.max((k[3 * j + d][3 * i + c] - row).abs() / k_size);
                }
            }
        }
    }
    (f_error, k_error)
}

/// Largest asymmetry relative to the largest entry.
pub fn asymmetry(k: &[Vec<f64>]) -> f64 {
    let size = k.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut worst = 0.0f64;
    for i in 0..k.len() {
        for j in 0..i {
            worst = worst.max((k[i][j] - k[j][i]).abs());
        }
    }
    if size > 0.0 { worst / size } else { 0.0 }
}

/// Net force and net torque about the origin, relative to the sum of sizes.
pub fn imbalance(x: &[DVec3], f: &[DVec3]) -> (f64, f64) {
    let (mut force, mut torque, mut f_size, mut t_size) = (DVec3::zero(), DVec3::zero(), 0.0, 0.0);
    for (p, f) in x.iter().zip(f) {
        force += *f;
        torque += p.cross(*f);
        f_size += f.mag();
        t_size += p.mag() * f.mag();
    }
    (force.mag() / f64::max(f_size, 1e-300), torque.mag() / f64::max(t_size, 1e-300))
}

/// Solves A y = b by Cholesky; `None` when A is not positive definite. `a` is destroyed.
pub fn cholesky_solve(mut a: Vec<Vec<f64>>, b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut y = b.to_vec();
    for j in 0..n {
        let (head, tail) = a.split_at_mut(j);
        let row = &mut tail[0];
        for k in 0..j {
            let other = &head[k];
            let mut s = row[k];
            for m in 0..k {
                s -= row[m] * other[m];
            }
            row[k] = s / other[k];
        }
        let d = row[j] - row[..j].iter().map(|v| v * v).sum::<f64>();
        if d <= 0.0 || d.is_nan() {
            return None;
        }
        row[j] = d.sqrt();
        y[j] = (y[j] - row[..j].iter().zip(&y).map(|(l, v)| l * v).sum::<f64>()) / row[j];
    }
    for j in (0..n).rev() {
        y[j] /= a[j][j];
        for k in 0..j {
            y[k] -= a[j][k] * y[j];
        }
    }
    Some(y)
}

/// The rows and columns of the free coordinates.
pub fn restrict(k: &[Vec<f64>], free: &[usize]) -> Vec<Vec<f64>> {
    free.iter().map(|&i| free.iter().map(|&j| k[i][j]).collect()).collect()
}

/// Smallest eigenvalue relative to the largest: shifts until Cholesky accepts, so only its sign and size matter.
pub fn is_positive_semidefinite(k: &[Vec<f64>], tolerance: f64) -> bool {
    let size = k.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    if size == 0.0 {
        return true;
    }
    let mut a = k.to_vec();
    for i in 0..a.len() {
        for j in 0..i {
            let mean = 0.5 * (a[i][j] + a[j][i]);
            (a[i][j], a[j][i]) = (mean, mean);
        }
        a[i][i] += tolerance * size;
    }
    let zero = vec![0.0; a.len()];
    cholesky_solve(a, &zero).is_some()
}

/// Moves the free coordinates until force and load balance: Newton with the exact Hessian where it is positive
/// definite, the projected one plus a small shift elsewhere, and steps no longer than `reach`. `physics` gives
/// (energy, forces, hessian). Returns the number of steps.
pub fn equilibrium(
    x: &mut [DVec3],
    load: &[DVec3],
    free: &[usize],
    reach: f64,
    tolerance: f64,
    physics: impl Fn(&[DVec3], Projection) -> Physics,
) -> usize {
    let total = |x: &[DVec3], e: f64| e - x.iter().zip(load).map(|(p, f)| p.dot(*f)).sum::<f64>();
    for step in 0..400 {
        let (e, f, k) = physics(x, Projection::Exact);
        let residual: Vec<f64> = free.iter().map(|&i| f[i / 3][i % 3] + load[i / 3][i % 3]).collect();
        let size = residual.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if size <= tolerance {
            return step;
        }
        let direction = cholesky_solve(restrict(&k, free), &residual).unwrap_or_else(|| {
            let (_, _, k) = physics(x, Projection::Spd);
            let mut k = restrict(&k, free);
            let shift = 1e-9 * k.iter().enumerate().fold(0.0, |m: f64, (i, r)| m.max(r[i]));
            for (i, r) in k.iter_mut().enumerate() {
                r[i] += shift;
            }
            cholesky_solve(k, &residual).expect("a shifted projected Hessian is positive definite")
        });
        let longest = direction.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let mut scale = (reach / longest).min(1.0);
        let start = total(x, e);
        let before = x.to_vec();
        loop {
            for (&i, d) in free.iter().zip(&direction) {
                x[i / 3][i % 3] = before[i / 3][i % 3] + scale * d;
            }
            let now = total(x, physics(x, Projection::Exact).0);
            if now <= start + 1e-12 * start.abs() || scale < 1e-6 {
                break;
            }
            scale *= 0.5;
        }
    }
    panic!("no equilibrium in 400 steps");
}

/// A rotation that is no multiple of anything.
pub fn turned(p: DVec3) -> DVec3 {
    let (a, b) = (0.7f64, 1.3f64);
    let q = DVec3::new(a.cos() * p.x - a.sin() * p.y, a.sin() * p.x + a.cos() * p.y, p.z);
    DVec3::new(q.x, b.cos() * q.y - b.sin() * q.z, b.sin() * q.y + b.cos() * q.z)
}

/// The bits of a list of vectors.
pub fn bits(v: &[DVec3]) -> Vec<[u64; 3]> {
    v.iter().map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()]).collect()
}

/// Energy, forces and Hessian of the two together.
pub fn both<const M: usize, const N: usize>(
    a: &impl Elements<M>,
    b: &impl Elements<N>,
    x: &[DVec3],
    p: Projection,
) -> Physics {
    let f = forces(a, x).iter().zip(forces(b, x)).map(|(a, b)| *a + b).collect();
    let mut k = hessian(a, x, p);
    for (r, s) in k.iter_mut().zip(hessian(b, x, p)) {
        r.iter_mut().zip(s).for_each(|(r, s)| *r += s);
    }
    (energy(a, x) + energy(b, x), f, k)
}

/// The plain loop over one element at a time: the twin of the wide kernels.
pub struct Scalar<E>(pub E);

impl<const N: usize, E: Elements<N>> Elements<N> for Scalar<E> {
    fn nodes(&self) -> &[[u32; N]] {
        self.0.nodes()
    }
    fn energy_of(&self, e: usize, x: &[DVec3; N]) -> f64 {
        self.0.energy_of(e, x)
    }
    fn gradient_of(&self, e: usize, x: &[DVec3; N]) -> [DVec3; N] {
        self.0.gradient_of(e, x)
    }
    fn hessian_of(&self, e: usize, x: &[DVec3; N], p: Projection) -> Blocks<N> {
        self.0.hessian_of(e, x, p)
    }
}

/// Energy, forces and both Hessians, these with one triangle kept, with either block of a pair, and with all.
fn all_bits<const N: usize, E: Elements<N>>(e: &E, x: &[DVec3]) -> (u64, Vec<[u64; 3]>, Vec<Vec<u64>>) {
    let mut hessians = Vec::new();
    let keep: [fn(u32, u32) -> bool; 3] =
        [|i, j| i <= j, |i, j| i == j || (i < j) == (i + j).is_multiple_of(3), |_, _| true];
    for keep in keep {
        for p in [Projection::Exact, Projection::Spd] {
            let slots = block_slots(e.nodes(), |i, j| keep(i, j).then_some((i + 31 * j) % 997));
            let mut values = vec![[0.0f64; 9]; 997];
            assemble::add_hessian(e, x, p, &slots, &mut values, &mut Workspace::default());
            hessians.push(values.as_flattened().iter().map(|v| v.to_bits()).collect());
        }
    }
    (energy(e, x).to_bits(), bits(&forces(e, x)), hessians)
}

/// The wide kernels on any number of threads have the bits of [`Scalar`] on one.
pub fn assert_wide_is_scalar<const N: usize, E: Elements<N> + Copy>(elements: E, x: &[DVec3]) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let plain = pool(1).install(|| all_bits(&Scalar(elements), x));
    for threads in [1, 2, 5] {
        let wide = pool(threads).install(|| all_bits(&elements, x));
        let n = elements.nodes().len();
        assert!(wide.0 == plain.0, "energy of {n} elements, {threads} threads");
        assert!(wide.1 == plain.1, "forces of {n} elements, {threads} threads");
        assert!(wide.2 == plain.2, "Hessians of {n} elements, {threads} threads");
    }
}
