//! Two compliant bodies: the plane of equal pressure of every pair of tets, clipped to both.

use super::clip::{Corner, IN_FACE, Polygon, corners, differences};
use super::pairs::{Runs, bits};
use super::relative::{ROUNDING, Relative, TIED, max};
use super::screen::{self, GuestTet};
use super::sink::{Plane, Sink};
use crate::blocks::TetRecord;
use crate::body::CompliantBody;
use crate::levels::Level;
use crate::simd::W;
use crate::surface::Work;

/// Gradients closer than this, relative to their lengths, have no plane of equal pressure (erratum P7).
const PARALLEL: f64 = 1e-14;
/// Squares of differences below this ((Pa/m)²) have fewer digits than a double.
const LEAST: f64 = 1e-280;

/// Polygons of the block pairs, which come sorted by guest block. A guest's tet is turned once. `tie`, 1 or −1, is the sign of
/// p_guest − p_host where it is rounding.
#[inline(always)]
pub fn tets(
    relative: &Relative,
    (guest, below): (&CompliantBody, f64),
    (host, level): (&CompliantBody, &Level),
    pairs: &[[u32; 2]],
    tie: f64,
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    let rounding = relative.rounding(guest.radius);
    for run in Runs::new(pairs) {
        let first = run[0][0] as usize * W;
        for record in &guest.records[first..(first + W).min(guest.records.len())] {
            let a = GuestTet::new(relative.of_tet(record), below, rounding);
            for &[_, hb] in run {
                row(&a, hb as usize, (host, level), (tie, rounding), &mut polygon, sink, work);
            }
        }
    }
}

/// Polygons of one tet of the guest and block `hb` of the host.
#[inline(always)]
fn row(
    a: &GuestTet,
    hb: usize,
    (host, level): (&CompliantBody, &Level),
    (tie, rounding): (f64, f64),
    polygon: &mut Polygon,
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    if !a.meets(&level.bounds[hb]) {
        return;
    }
    work.rows += 1;
    for lb in bits(screen::tets(a, &host.blocks[hb], &level.boxes[hb])) {
        work.clips += 1;
        pair(&a.t, &host.records[hb * W + lb], tie, rounding, polygon, sink);
    }
}

/// The rows of these block pairs that may hold a polygon while no point of the guest has moved by more than `margin` (m): tet of the
/// guest and block of the host, in the order in which [`tets`] visits them.
#[inline(always)]
pub fn rows(
    relative: &Relative,
    (guest, below): (&CompliantBody, f64),
    (host, level): (&CompliantBody, &Level),
    pairs: &[[u32; 2]],
    margin: f64,
    out: &mut Vec<[u32; 2]>,
) {
    out.clear();
    // Both ends of a way are rounded.
    let wide = margin + 2.0 * relative.rounding(guest.radius);
    for run in Runs::new(pairs) {
        let first = run[0][0] as usize * W;
        for i in first..(first + W).min(guest.records.len()) {
            let a = GuestTet::new(relative.of_tet(&guest.records[i]), below, wide);
            for &[_, hb] in run {
                let h = hb as usize;
                if a.meets(&level.bounds[h])
                    && screen::tets_near(&a, &host.blocks[h], &level.boxes[h], wide) != 0
                {
                    out.push([i as u32, hb]);
                }
            }
        }
    }
}

/// Polygons of the rows, as [`tets`] finds them in the block pairs the rows were taken from.
#[inline(always)]
pub fn kept_tets(
    relative: &Relative,
    (guest, below): (&CompliantBody, f64),
    (host, level): (&CompliantBody, &Level),
    rows: &[[u32; 2]],
    tie: f64,
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    let rounding = relative.rounding(guest.radius);
    for run in Runs::new(rows) {
        let a = GuestTet::new(relative.of_tet(&guest.records[run[0][0] as usize]), below, rounding);
        for &[_, hb] in run {
            row(&a, hb as usize, (host, level), (tie, rounding), &mut polygon, sink, work);
        }
    }
}

/// Gradients and the normal from B into A with the size of ∇p_a − ∇p_b; `None` where there is no plane.
#[inline(always)]
fn plane(a: &TetRecord, b: &TetRecord) -> Option<(Plane, f64)> {
    let (ga, gb) = (a.gradient(), b.gradient());
    let m = ga - gb;
    let square = m.mag_sq();
    // A NaN is no plane either, nor are squares that overflow or have lost their digits.
    if !(square > PARALLEL * PARALLEL * (ga.mag_sq() + gb.mag_sq())
        && square > LEAST
        && square < f64::INFINITY)
    {
        return None;
    }
    let size = square.sqrt();
    Some((Plane { normal: m * (1.0 / size), guest_gradient: ga, host_gradient: gb }, size))
}

/// How near to a face is tied (m), where differences are of pressures of this size (Pa). One of the gradients is not zero.
#[inline(always)]
fn tied(plane: &Plane, pressure: f64) -> f64 {
    let square = max(plane.guest_gradient.mag_sq(), plane.host_gradient.mag_sq());
    TIED * pressure / square.sqrt()
}

#[inline(always)]
fn pair(a: &TetRecord, b: &TetRecord, tie: f64, rounding: f64, polygon: &mut Polygon, sink: &mut Sink<'_>) {
    let Some((plane, _)) = plane(a, b) else { return };
    let (h, pressure) = differences(a, b, tie);
    polygon.cut(h, &corners(a, b));
    let within = (IN_FACE * rounding, tied(&plane, pressure));
    if !polygon.clip_to_tet(plane.normal * tie, b, within, Some(plane.guest_gradient)) {
        return;
    }
    if sink.keeps(plane.normal, plane.guest_gradient) && sink.keeps(-plane.normal, plane.host_gradient) {
        sink.add(polygon.corners(), &plane, a.id, b.id);
    }
}

/// The same for one pair alone: normal, size of the difference of gradients, corners.
#[must_use]
pub fn pair_polygon(a: &TetRecord, b: &TetRecord) -> Option<(impinge_geometry::DVec3, f64, Vec<Corner>)> {
    let (plane, size) = plane(a, b)?;
    let mut polygon = Polygon::EMPTY;
    let (h, pressure) = differences(a, b, 1.0);
    polygon.cut(h, &corners(a, b));
    let reach = (0..4).map(|i| b.x[i].abs() + b.y[i].abs() + b.z[i].abs()).fold(0.0, f64::max);
    let some =
        polygon.clip_to_tet(plane.normal, b, (IN_FACE * ROUNDING * reach, tied(&plane, pressure)), None);
    Some((plane.normal, size, if some { polygon.corners().to_vec() } else { Vec::new() }))
}
