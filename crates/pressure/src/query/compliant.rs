//! Two compliant bodies: the plane of equal pressure of every pair of tets, clipped to both.

use super::clip::{Polygon, corners, differences};
use super::pairs::{Runs, bits};
use super::relative::Relative;
use super::screen::{self, GuestTet};
use super::sink::{Plane, Sink};
use crate::blocks::TetRecord;
use crate::body::CompliantBody;
use crate::levels::Level;
use crate::simd::W;
use crate::surface::Work;

/// Gradients closer than this, relative to their lengths, have no plane of equal pressure (erratum P7).
const PARALLEL: f64 = 1e-14;

/// Polygons of the block pairs, which come sorted by guest block. A guest's tet is turned once.
#[inline(always)]
pub fn tets(
    relative: &Relative,
    (guest, below): (&CompliantBody, f64),
    (host, level): (&CompliantBody, &Level),
    pairs: &[[u32; 2]],
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    for run in Runs::new(pairs) {
        let first = run[0][0] as usize * W;
        for record in &guest.records[first..(first + W).min(guest.records.len())] {
            let a = GuestTet::new(relative.of_tet(record), below);
            for &[_, hb] in run {
                let hb = hb as usize;
                if !a.meets(&level.bounds[hb]) {
                    continue;
                }
                work.rows += 1;
                for lb in bits(screen::tets(&a, &host.blocks[hb], &level.boxes[hb])) {
                    work.clips += 1;
                    pair(&a.t, &host.records[hb * W + lb], &mut polygon, sink);
                }
            }
        }
    }
}

#[inline(always)]
fn pair(a: &TetRecord, b: &TetRecord, polygon: &mut Polygon, sink: &mut Sink<'_>) {
    let (ga, gb) = (a.gradient(), b.gradient());
    let m = ga - gb;
    let square = m.mag_sq();
    if !(square > PARALLEL * PARALLEL * (ga.mag_sq() + gb.mag_sq())) {
        return;
    }
    polygon.cut(differences(a, b), &corners(a, b));
    if !polygon.clip_to_tet() {
        return;
    }
    let normal = m * (1.0 / square.sqrt());
    if !(sink.keeps(normal, ga) && sink.keeps(-normal, gb)) {
        return;
    }
    let plane = Plane { normal, guest_gradient: ga, host_gradient: gb };
    sink.add(polygon.corners(), &plane, a.id, b.id);
}
