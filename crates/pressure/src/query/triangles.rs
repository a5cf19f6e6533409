//! A compliant body against a rigid surface: every triangle clipped to every tet, under the tet's pressure.

use super::clip::{IN_FACE, Polygon, corner};
use super::pairs::{Runs, bits};
use super::relative::{Relative, triangle_corners};
use super::screen::{self, GuestTet};
use super::sink::{Plane, Sink};
use crate::blocks::lane;
use crate::body::CompliantBody;
use crate::rigid::RigidSurface;
use crate::simd::W;
use crate::surface::Work;
use impinge_geometry::DVec3;

/// Polygons of the block pairs, which come sorted by guest block.
#[inline(always)]
pub fn triangles(
    relative: &Relative,
    (guest, below): (&CompliantBody, f64),
    host: &RigidSurface,
    pairs: &[[u32; 2]],
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    let rounding = relative.rounding(guest.radius);
    for run in Runs::new(pairs) {
        let first = run[0][0] as usize * W;
        for record in &guest.records[first..(first + W).min(guest.records.len())] {
            let a = GuestTet::new(relative.of_tet(record), below, rounding);
            let gradient = a.t.gradient();
            for &[_, hb] in run {
                if !a.meets(&host.block_bounds[hb as usize]) {
                    continue;
                }
                let b = &host.blocks[hb as usize];
                work.rows += 1;
                for lb in bits(screen::triangles(&a, b)) {
                    let normal = lane(&b.n, lb);
                    if !sink.keeps(normal, gradient) {
                        continue;
                    }
                    work.clips += 1;
                    polygon.clear();
                    for x in triangle_corners(b, lb) {
                        let p = a.t.g[0] * x.x + a.t.g[1] * x.y + a.t.g[2] * x.z + a.t.c;
                        polygon.push(corner(&a.t, x.x, x.y, x.z, p));
                    }
                    if polygon.clip_to_tet(normal, &a.t, (IN_FACE * rounding, 0.0), None) {
                        let plane = Plane { normal, guest_gradient: gradient, host_gradient: DVec3::zero() };
                        sink.add(polygon.corners(), &plane, a.t.id, b.id[lb]);
                    }
                }
            }
        }
    }
}
