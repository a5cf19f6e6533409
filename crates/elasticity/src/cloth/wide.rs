//! Membrane gradients several at a time: [`super::membrane::gradient`] in a loop over lanes.

use super::law::Law;
use super::membrane::{Cloth, MembranesView, gradient};
use crate::lanes::lanes;
use impinge_geometry::DVec3;

#[inline(always)]
fn blocks<const W: usize>(
    m: MembranesView<'_>,
    tension: impl Fn([f64; 3]) -> [f64; 3] + Copy,
    first: usize,
    x: &[DVec3],
    out: &mut [[DVec3; 3]],
) {
    let columns = first..first + out.len();
    let (nodes, inverse, area) = (&m.nodes[columns.clone()], &m.inverse[columns.clone()], &m.area[columns]);
    let whole = out.len() / W * W;
    for at in (0..whole).step_by(W) {
        let (mut d, mut q, mut size) = ([[0.0; W]; 6], [[0.0; W]; 4], [0.0; W]);
        for l in 0..W {
            let [p0, p1, p2] = nodes[at + l].map(|i| x[i as usize]);
            let (a, b) = (p1 - p0, p2 - p0);
            for c in 0..3 {
                d[c][l] = a[c];
                d[3 + c][l] = b[c];
            }
            for c in 0..4 {
                q[c][l] = inverse[at + l][c];
            }
            size[l] = area[at + l];
        }
        let mut g = [[0.0; W]; 6];
        for l in 0..W {
            let a = DVec3::new(d[0][l], d[1][l], d[2][l]);
            let b = DVec3::new(d[3][l], d[4][l], d[5][l]);
            let (g1, g2) = gradient(tension, a, b, [q[0][l], q[1][l], q[2][l], q[3][l]], size[l]);
            (g[0][l], g[1][l], g[2][l]) = (g1.x, g1.y, g1.z);
            (g[3][l], g[4][l], g[5][l]) = (g2.x, g2.y, g2.z);
        }
        for l in 0..W {
            let g1 = DVec3::new(g[0][l], g[1][l], g[2][l]);
            let g2 = DVec3::new(g[3][l], g[4][l], g[5][l]);
            out[at + l] = [DVec3::zero() - (g1 + g2), g1, g2];
        }
    }
    for e in whole..out.len() {
        let [p0, p1, p2] = nodes[e].map(|i| x[i as usize]);
        let (g1, g2) = gradient(tension, p1 - p0, p2 - p0, inverse[e], area[e]);
        out[e] = [DVec3::zero() - (g1 + g2), g1, g2];
    }
}

#[inline(always)]
fn kernel<const W: usize>(cloth: Cloth<'_>, first: usize, x: &[DVec3], out: &mut [[DVec3; 3]]) {
    match cloth.law.0 {
        Law::Linear(l) => blocks::<W>(cloth.membranes, |s| l.tension(s), first, x, out),
        Law::Rubber(r) => blocks::<W>(cloth.membranes, |s| r.tension(s), first, x, out),
    }
}

lanes! {
    /// Gradients of the triangles `first..first + out.len()`.
    fn gradients(cloth: Cloth<'_>, first: usize, x: &[DVec3], out: &mut [[DVec3; 3]]) = kernel
}
