//! Spring gradients several at a time: the maths of [`super::pull`] in a loop over lanes.

use super::{SpringsView, pull};
use crate::lanes::lanes;
use impinge_geometry::DVec3;

#[inline(always)]
fn kernel<const W: usize>(s: SpringsView<'_>, first: usize, x: &[DVec3], out: &mut [[DVec3; 2]]) {
    let columns = first..first + out.len();
    let ends = &s.ends[columns.clone()];
    let (rest, stiffness) = (&s.rest[columns.clone()], &s.stiffness[columns.clone()]);
    let tension_only = &s.tension_only[columns];
    let whole = out.len() / W * W;
    for at in (0..whole).step_by(W) {
        let mut d = [[0.0; W]; 3];
        for l in 0..W {
            let [i, j] = ends[at + l];
            let v = x[j as usize] - x[i as usize];
            (d[0][l], d[1][l], d[2][l]) = (v.x, v.y, v.z);
        }
        let (mut r, mut k, mut t) = ([0.0; W], [0.0; W], [false; W]);
        r.copy_from_slice(&rest[at..at + W]);
        k.copy_from_slice(&stiffness[at..at + W]);
        t.copy_from_slice(&tension_only[at..at + W]);
        let mut g = [[0.0; W]; 3];
        for l in 0..W {
            let (_, factor) = pull(DVec3::new(d[0][l], d[1][l], d[2][l]), r[l], k[l], t[l]);
            for c in 0..3 {
                g[c][l] = d[c][l] * factor;
            }
        }
        for l in 0..W {
            let v = DVec3::new(g[0][l], g[1][l], g[2][l]);
            out[at + l] = [DVec3::zero() - v, v];
        }
    }
    for e in whole..out.len() {
        let d = x[ends[e][1] as usize] - x[ends[e][0] as usize];
        let (_, factor) = pull(d, rest[e], stiffness[e], tension_only[e]);
        let g = d * factor;
        out[e] = [DVec3::zero() - g, g];
    }
}

lanes! {
    /// Gradients of the springs `first..first + out.len()`.
    fn gradients(s: SpringsView<'_>, first: usize, x: &[DVec3], out: &mut [[DVec3; 2]]) = kernel
}
