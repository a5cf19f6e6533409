//! Two compliant bodies: the plane of equal pressure of every pair of tets, clipped to both.

use super::clip::{Polygon, guest_corners};
use super::pairs::bits;
use super::relative::Relative;
use super::screen::{self, GuestTet, Scratch};
use super::sink::{Plane, Sink};
use crate::blocks::{TetBlock, lane};
use crate::surface::Work;
use crate::tree::Box3;
use impinge_geometry::DVec3;

/// Gradients closer than this, relative to their lengths, have no plane of equal pressure (erratum P7).
const PARALLEL: f64 = 1e-14;

/// The block a guest block becomes in the host's frame; consecutive pairs share it.
pub struct Guest<'a> {
    pub relative: &'a Relative,
    pub blocks: &'a [TetBlock],
    pub turned: &'a mut TetBlock,
}

/// Polygons of the block pairs, which come sorted by guest block.
#[inline(always)]
pub fn tets(
    guest: Guest<'_>,
    host: &[TetBlock],
    host_bounds: &[Box3],
    pairs: &[[u32; 2]],
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut scratch = Scratch::ZERO;
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
            for lb in bits(screen::tets(&tet, b, &mut scratch)) {
                work.clips += 1;
                pair(&tet, b, lb, &scratch, &mut polygon, sink);
            }
        }
    }
}

#[inline(always)]
fn pair(a: &GuestTet, b: &TetBlock, lb: usize, s: &Scratch, polygon: &mut Polygon, sink: &mut Sink<'_>) {
    let (ga, gb) = (DVec3::from(a.g), lane(&b.g, lb));
    let m = ga - gb;
    let square = m.mag_sq();
    if !(square > PARALLEL * PARALLEL * (ga.mag_sq() + gb.mag_sq())) {
        return;
    }
    let h = [s.h[0][lb], s.h[1][lb], s.h[2][lb], s.h[3][lb]];
    polygon.cut(h, &guest_corners(a, s, lb));
    if !polygon.clip_to_tet() {
        return;
    }
    let normal = m / square.sqrt();
    if !(sink.keeps(normal, ga) && sink.keeps(-normal, gb)) {
        return;
    }
    let plane = Plane { normal, guest_gradient: ga, host_gradient: gb };
    sink.add(polygon.corners(), &plane, a.id, b.id[lb]);
}
