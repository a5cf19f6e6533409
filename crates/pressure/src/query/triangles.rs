//! A compliant body against a rigid surface: every triangle clipped to every tet, under the tet's pressure.

use super::clip::Polygon;
use super::compliant::Guest;
use super::pairs::bits;
use super::relative::triangle_corners;
use super::screen::{self, GuestTet};
use super::sink::{Plane, Sink};
use crate::blocks::{TriBlock, lane};
use crate::surface::Work;
use crate::tree::Box3;
use impinge_geometry::DVec3;

/// Polygons of the block pairs, which come sorted by guest block.
#[inline(always)]
pub fn triangles(
    guest: Guest<'_>,
    host: &[TriBlock],
    host_bounds: &[Box3],
    pairs: &[[u32; 2]],
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    let mut at = u32::MAX;
    let a = guest.turned;
    for &[ga, hb] in pairs {
        if ga != at {
            guest.relative.of_tets(&guest.blocks[ga as usize], a);
            at = ga;
        }
        let b = &host[hb as usize];
        let w = &host_bounds[hb as usize];
        let rows = screen::boxes(&[w.lo.x, w.lo.y, w.lo.z], &[w.hi.x, w.hi.y, w.hi.z], &a.lo, &a.hi);
        for la in bits(rows & ((1u32 << a.len) - 1)) {
            let tet = GuestTet::take(a, la);
            work.rows += 1;
            for lb in bits(screen::triangles(&tet, b)) {
                work.clips += 1;
                let normal = lane(&b.n, lb);
                let gradient = DVec3::from(tet.g);
                if !sink.keeps(normal, gradient) {
                    continue;
                }
                polygon.clear();
                for x in triangle_corners(b, lb) {
                    let at = |n: &[f64; 3], d: f64| n[0] * x.x + n[1] * x.y + n[2] * x.z + d;
                    let w = [0, 1, 2, 3].map(|k| at(&tet.n[k], tet.d[k]));
                    polygon.push([x.x, x.y, x.z, at(&tet.g, tet.c), w[0], w[1], w[2], w[3]]);
                }
                if polygon.clip_to_tet() {
                    let plane = Plane { normal, guest_gradient: gradient, host_gradient: DVec3::zero() };
                    sink.add(polygon.corners(), &plane, tet.id, b.id[lb]);
                }
            }
        }
    }
}
