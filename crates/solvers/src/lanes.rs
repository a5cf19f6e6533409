//! Vectors of f32 lanes: the few passes an Eisenstat iteration makes besides its sweeps, sums in f64.

use crate::simd::dispatched;
use crate::split::Lane;
use impinge_geometry::DVec3;

pub(crate) fn lane(v: DVec3) -> Lane {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

pub(crate) fn vec(v: &Lane) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// Sums of products in f64, four rows at a time, each lane its own sum: an order of the length alone.
#[inline(always)]
fn sum_lanes(n: usize, mut term: impl FnMut(usize) -> [f64; 4]) -> f64 {
    let mut acc = [[0.0f64; 4]; 4];
    let whole = n / 4 * 4;
    let mut i = 0;
    while i < whole {
        for k in 0..4 {
            let t = term(i + k);
            for l in 0..4 {
                acc[k][l] += t[l];
            }
        }
        i += 4;
    }
    while i < n {
        let t = term(i);
        for l in 0..4 {
            acc[0][l] += t[l];
        }
        i += 1;
    }
    let mut s = [0.0; 4];
    for l in 0..4 {
        s[l] = (acc[0][l] + acc[1][l]) + (acc[2][l] + acc[3][l]);
    }
    // The spare lane is left out.
    (s[0] + s[1]) + s[2]
}

#[inline(always)]
fn times(a: &Lane, b: &Lane) -> [f64; 4] {
    let mut o = [0.0; 4];
    for l in 0..4 {
        o[l] = f64::from(a[l]) * f64::from(b[l]);
    }
    o
}

#[inline(always)]
fn dot_plain(a: &[Lane], b: &[Lane]) -> f64 {
    sum_lanes(a.len().min(b.len()), |i| times(&a[i], &b[i]))
}
dispatched!(pub(crate) fn dot = dot_plain(a: &[Lane], b: &[Lane]) -> f64);

/// `q = u + t`, and `q · p`.
#[inline(always)]
fn add_and_dot_plain(u: &[Lane], t: &[Lane], p: &[Lane], q: &mut [Lane]) -> f64 {
    let n = u.len().min(t.len()).min(p.len()).min(q.len());
    sum_lanes(n, |i| {
        for l in 0..4 {
            q[i][l] = u[i][l] + t[i][l];
        }
        times(&q[i], &p[i])
    })
}
dispatched!(pub(crate) fn add_and_dot = add_and_dot_plain(u: &[Lane], t: &[Lane], p: &[Lane], q: &mut [Lane]) -> f64);

/// `x += α p`, `r −= α q`, and `r · r`.
#[inline(always)]
fn step_plain(alpha: f32, p: &[Lane], q: &[Lane], x: &mut [Lane], r: &mut [Lane]) -> f64 {
    let n = p.len().min(q.len()).min(x.len()).min(r.len());
    sum_lanes(n, |i| {
        for l in 0..4 {
            x[i][l] += alpha * p[i][l];
            r[i][l] -= alpha * q[i][l];
        }
        times(&r[i], &r[i])
    })
}
dispatched!(pub(crate) fn step = step_plain(alpha: f32, p: &[Lane], q: &[Lane], x: &mut [Lane], r: &mut [Lane]) -> f64);

/// `p = r + β p`.
#[inline(always)]
fn follow_plain(beta: f32, r: &[Lane], p: &mut [Lane]) {
    for (p, r) in p.iter_mut().zip(r) {
        for l in 0..4 {
            p[l] = r[l] + beta * p[l];
        }
    }
}
dispatched!(pub(crate) fn follow = follow_plain(beta: f32, r: &[Lane], p: &mut [Lane]) -> ());
