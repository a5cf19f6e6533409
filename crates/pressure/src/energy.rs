//! The elastic energy U = ∫ min(p_A, p_B) dV over the overlap (Theorem 1 with erratum P3), exact for the meshes.
//!
//! Every pair of tets is cut to their common part, which is cut by the surface of equal pressure; over each piece the
//! smaller pressure is affine and integrates to volume × mean. A rigid surface is a sum of signed tets from a point to
//! its triangles; of two, whose shells meet as fields, see `in_hollow`. Reported, not stepped: ten times the cost of the wrench.

use crate::blocks::{TetBlock, TetPlanes, lane};
use crate::body::CompliantBody;
use crate::error::PairError;
use crate::query::{Frame, Shape, check_poses};
use crate::rigid::RigidSurface;
use crate::shell::{BOTTOM, Shell};
use crate::tree::Box3;
use impinge_geometry::{DVec3, Pose};

/// A corner: x, y, z, two pressures, and a value to cut by.
type Point = [f64; 6];
type Tet = [Point; 4];

/// The elastic energy stored in the contact (J), by pressures above 0. Its negative derivative with respect to a pose is the wrench of what presses
/// ([`crate::ContactSurface::keep_pressing`]), under the paper's rule; of two rigid bodies too, whose shells may be pressed through ([`crate::ContactSurface::warning`]).
///
/// # Errors
/// As [`crate::contact`].
pub fn energy(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<f64, PairError> {
    energy_again((a, pose_a), (b, pose_b), &mut Pieces::default())
}

/// [`energy`] with room that was used before.
pub(crate) fn energy_again(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    pieces: &mut Pieces,
) -> Result<f64, PairError> {
    check_poses(pose_a, pose_b)?;
    use Shape::{Compliant, HalfSpace, Rigid};
    match (a, b) {
        (Compliant(x), Compliant(y)) => Ok(two_fields(x, pose_a, y, pose_b, pieces)),
        (Compliant(x), Rigid(y)) => Ok(rigid(x, pose_a, y, pose_b, pieces)),
        (Rigid(x), Compliant(y)) => Ok(rigid(y, pose_b, x, pose_a, pieces)),
        (Compliant(x), HalfSpace(y)) => {
            Ok(field_on_ground(x, &Ground::new(pose_a, x.origin, y, pose_b), pieces))
        }
        (HalfSpace(x), Compliant(y)) => {
            Ok(field_on_ground(y, &Ground::new(pose_b, y.origin, x, pose_a), pieces))
        }
        (Rigid(x), HalfSpace(y)) => rigid_on_ground((x, pose_a, 'A'), (y, pose_b), pieces),
        (HalfSpace(x), Rigid(y)) => rigid_on_ground((y, pose_b, 'B'), (x, pose_a), pieces),
        (Rigid(x), Rigid(y)) => {
            let (s, t) = (shell(x, 'A')?, shell(y, 'B')?);
            let shared = two_fields(s.body(), pose_a, t.body(), pose_b, pieces);
            let in_b = in_hollow(s, pose_a, (y, t), pose_b, pieces);
            Ok(shared + in_b + in_hollow(t, pose_b, (x, s), pose_a, pieces))
        }
        (HalfSpace(_), HalfSpace(_)) => Err(PairError::BothHalfSpaces),
    }
}

struct Ground {
    normal: DVec3,
    offset: f64,
    stiffness: Option<f64>,
}

impl Ground {
    fn new(mesh: &Pose, origin: DVec3, half: &crate::HalfSpace, pose: &Pose) -> Self {
        let frame = Frame::new(mesh, origin);
        let world = pose.vector_to_world(half.normal());
        Self {
            normal: frame.rotation.transposed() * world,
            offset: half.offset() - world.dot(frame.world_origin() - pose.position),
            stiffness: half.pressure_per_depth(),
        }
    }

    fn depth(&self, x: DVec3) -> f64 {
        self.offset - self.normal.dot(x)
    }
}

/// The part of a tet where the last number is ≥ 0, in tets.
fn keep(t: &Tet, out: &mut Vec<Tet>) {
    let mask = (0..4).fold(0, |m, i| m | usize::from(t[i][5] >= 0.0) << i);
    let inside = mask.count_ones();
    if inside == 4 {
        out.push(*t);
    }
    if inside == 4 || inside == 0 {
        return;
    }
    let [a, b, c, d] = INSIDE_FIRST[mask].map(|i| &t[i]);
    let cut = |p: &Point, q: &Point| -> Point {
        let s = p[5] / (p[5] - q[5]);
        let mut r = std::array::from_fn(|k| p[k] + (q[k] - p[k]) * s);
        r[5] = 0.0;
        r
    };
    let prism = |p: [Point; 3], q: [Point; 3], out: &mut Vec<Tet>| {
        out.extend([[p[0], p[1], p[2], q[2]], [p[0], p[1], q[2], q[1]], [p[0], q[1], q[2], q[0]]]);
    };
    match inside {
        3 => prism([*a, *b, *c], [cut(a, d), cut(b, d), cut(c, d)], out),
        2 => prism([*a, cut(a, c), cut(a, d)], [*b, cut(b, c), cut(b, d)], out),
        1 => out.push([*a, cut(a, b), cut(a, c), cut(a, d)]),
        _ => {}
    }
}

/// Corners by which of them are inside (bit i: corner i), those first. Orientation does not matter: volumes are taken without sign.
const INSIDE_FIRST: [[usize; 4]; 16] = {
    let mut all = [[0; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut at, mut side) = (0, 1);
        while side < 2 {
            let mut i = 0;
            while i < 4 {
                if mask >> i & 1 == side {
                    all[mask][at] = i;
                    at += 1;
                }
                i += 1;
            }
            // Inside, then outside.
            side = if side == 1 { 0 } else { 2 };
        }
        mask += 1;
    }
    all
};

/// The tets that a tet falls into as it is cut, and room to cut them into: lists on the heap that are kept from one tet to the next. A
/// list of its own for each, with room for 16 in place, was 3 kB to move at every cut: 15 of 100 samples of a step of a box on a plate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    now: Vec<Tet>,
    cut: Vec<Tet>,
    part: Vec<Tet>,
}

impl Pieces {
    /// One tet, uncut.
    fn start(&mut self, whole: Tet) {
        self.now.clear();
        self.now.push(whole);
    }

    /// Keeps where an affine function of place is ≥ 0.
    fn clip(&mut self, f: impl Fn(&Point) -> f64) {
        clip(&mut self.now, &mut self.cut, f);
    }

    /// ∫ of the first pressure.
    fn first(&self) -> f64 {
        self.now.iter().map(|t| integral(t, 3)).sum()
    }

    /// Sets the second pressure.
    fn second(&mut self, f: impl Fn(&Point) -> f64) {
        self.now.iter_mut().flatten().for_each(|p| p[4] = f(p));
    }

    /// ∫ of the smaller pressure.
    ///
    /// Both passes see the same differences, rounding and all, with the sign turned, so that they part each tet in two. Only a tet that
    /// lies in the cut with all its corners would be in both parts: equal fields fill a whole part of space with those. The first pass
    /// has them, and the second does not ask again.
    fn smaller(&mut self) -> f64 {
        let mut sum = 0.0;
        for (sign, which) in [(1.0, 4), (-1.0, 3)] {
            self.part.clone_from(&self.now);
            clip(&mut self.part, &mut self.cut, |p| sign * (p[3] - p[4]));
            sum += self.part.iter().map(|t| integral(t, which)).sum::<f64>();
            self.now.retain(|t| t.iter().any(|p| p[3] != p[4]));
        }
        sum
    }
}

/// Cuts all pieces by an affine function of place.
fn clip(pieces: &mut Vec<Tet>, cut: &mut Vec<Tet>, f: impl Fn(&Point) -> f64) {
    let mut whole = true;
    for p in pieces.as_flattened_mut() {
        p[5] = f(p);
        whole &= p[5] >= 0.0;
    }
    // Most planes cut nothing off, and a tet is long to move.
    if whole {
        return;
    }
    cut.clear();
    pieces.iter().for_each(|t| keep(t, cut));
    std::mem::swap(pieces, cut);
}

fn volume(t: &Tet) -> f64 {
    let v = |i: usize| DVec3::new(t[i][0] - t[0][0], t[i][1] - t[0][1], t[i][2] - t[0][2]);
    v(1).dot(v(2).cross(v(3))).abs() / 6.0
}

/// ∫ of a number that is affine over the tet.
fn integral(t: &Tet, which: usize) -> f64 {
    volume(t) * t.iter().map(|p| p[which]).sum::<f64>() * 0.25
}

fn tets_of(blocks: &[TetBlock]) -> impl Iterator<Item = (&TetBlock, usize)> {
    blocks.iter().flat_map(|b| (0..b.len as usize).map(move |l| (b, l)))
}

fn corners(b: &TetBlock, l: usize) -> [DVec3; 4] {
    [0, 1, 2, 3].map(|i| lane(&b.x[i], l))
}

fn meets(a: &Box3, b: &Box3) -> bool {
    (0..3).all(|k| a.lo[k] <= b.hi[k] && b.lo[k] <= a.hi[k])
}

/// Four planes of a tet, at which a function of place is 0; inside it is above.
type Planes = [(DVec3, f64); 4];

/// All of a tet is beyond one of these planes: nothing would be left of it. Most pairs of tets whose boxes meet have nothing in common, and
/// a plane of one of them says so.
fn is_beyond(t: &[DVec3; 4], planes: &Planes) -> bool {
    planes.iter().any(|(n, d)| t.iter().all(|&p| n.dot(p) + d < 0.0))
}

fn at(p: &Point) -> DVec3 {
    DVec3::new(p[0], p[1], p[2])
}

/// Those of a tet of a block.
fn planes_of(b: &TetBlock, l: usize) -> Planes {
    [0, 1, 2, 3].map(|j| (lane(&b.n[j], l), b.d[j][l]))
}

/// A tet with its pressure at number 3.
fn tet(x: [DVec3; 4], p: [f64; 4]) -> Tet {
    [0, 1, 2, 3].map(|i| [x[i].x, x[i].y, x[i].z, p[i], 0.0, 0.0])
}

/// Every tet of the body whose box meets `bounds`, which is in the body's centred frame.
fn near(body: &CompliantBody, bounds: Box3) -> impl Iterator<Item = (&TetBlock, usize)> {
    let level = &body.levels[0];
    // Most tets are nowhere near the other body.
    let all = if meets(&body.bounds, &bounds) { body.blocks.len() } else { 0 };
    let blocks = (0..all).filter(move |&i| meets(&level.bounds[i], &bounds));
    blocks.flat_map(move |i| {
        let (b, boxes) = (&body.blocks[i], &level.boxes[i]);
        let inside =
            move |l: &usize| meets(&Box3 { lo: lane(&boxes.lo, *l), hi: lane(&boxes.hi, *l) }, &bounds);
        (0..b.len as usize).filter(inside).map(move |l| (b, l))
    })
}

fn two_fields(
    a: &CompliantBody,
    pose_a: &Pose,
    b: &CompliantBody,
    pose_b: &Pose,
    pieces: &mut Pieces,
) -> f64 {
    let (r, t) = Frame::new(pose_a, a.origin).seen_from(&Frame::new(pose_b, b.origin));
    let mut sum = 0.0;
    for (block, l) in tets_of(&a.blocks) {
        let x = corners(block, l).map(|x| r * x + t);
        let mut own = None;
        for (other, m) in near(b, Box3::around(&x)) {
            let planes = planes_of(other, m);
            let own = own.get_or_insert_with(|| {
                planes_of(block, l).map(|(n, d)| (r * n, d)).map(|(n, d)| (n, d - n.dot(t)))
            });
            if is_beyond(&x, &planes) || is_beyond(&corners(other, m), own) {
                continue;
            }
            pieces.start(tet(x, [0, 1, 2, 3].map(|i| block.p[i][l])));
            for (n, d) in planes {
                pieces.clip(|p| n.dot(at(p)) + d);
            }
            let (g, c) = (lane(&other.g, m), other.c[m]);
            pieces.second(|p| g.dot(at(p)) + c);
            if a.lowest < 0.0 || b.lowest < 0.0 {
                pieces.clip(|p| p[3]);
                pieces.clip(|p| p[4]);
            }
            sum += pieces.smaller();
        }
    }
    sum
}

fn rigid(a: &CompliantBody, pose_a: &Pose, b: &RigidSurface, pose_b: &Pose, pieces: &mut Pieces) -> f64 {
    inside(a, pose_a, (b, b.mesh().positions()), pose_b, f64::INFINITY, pieces)
}

/// ∫ of a shell's pressure where the other body is hollow under its own shell, up to the pressure at the bottom of that one.
///
/// The force acts on the surface of equal pressure, and its work goes into what lies on both sides of it: into the one shell as far as the
/// surface, and into the other from there outwards. Under a thin shell the surface leaves behind it what the thicker one has stored
/// there; no surface can be where the other shell has no such pressure.
fn in_hollow(
    a: &Shell,
    pose_a: &Pose,
    (b, shell): (&RigidSurface, &Shell),
    pose_b: &Pose,
    pieces: &mut Pieces,
) -> f64 {
    inside(a.body(), pose_a, (b, shell.bottom()), pose_b, BOTTOM * shell.body().modulus(), pieces)
}

/// ∫ of the pressure of `a` inside a closed surface, where it is not above `most`. The surface has the triangles of `b` and these places
/// of their corners.
fn inside(
    a: &CompliantBody,
    pose_a: &Pose,
    (b, places): (&RigidSurface, &[DVec3]),
    pose_b: &Pose,
    most: f64,
    pieces: &mut Pieces,
) -> f64 {
    let (r, t) = Frame::new(pose_b, b.origin).seen_from(&Frame::new(pose_a, a.origin));
    let mut sum = 0.0;
    for tri in b.mesh().triangles() {
        let c = tri.map(|v| r * (places[v as usize] - b.origin) + t);
        // The tet from the middle of the surface, or from behind an open one, to the triangle, with the sign of its volume.
        let x = [r * b.apex + t, c[0], c[1], c[2]];
        let det = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
        if det == 0.0 {
            continue;
        }
        let planes = TetPlanes::new(x, [0.0; 4]);
        let planes = [0, 1, 2, 3].map(|j| (planes.n[j], planes.d[j]));
        for (block, l) in near(a, Box3::around(&x)) {
            let p = [0, 1, 2, 3].map(|i| block.p[i][l]);
            let own = corners(block, l);
            if is_beyond(&own, &planes) || is_beyond(&x, &planes_of(block, l)) {
                continue;
            }
            pieces.start(tet(own, p));
            for (n, d) in planes {
                pieces.clip(|p| n.dot(at(p)) + d);
            }
            if p.iter().any(|p| *p > most) {
                pieces.clip(|p| most - p[3]);
            }
            if a.lowest < 0.0 {
                pieces.clip(|p| p[3]);
            }
            sum += pieces.first() * det.signum();
        }
    }
    sum
}

fn field_on_ground(a: &CompliantBody, ground: &Ground, pieces: &mut Pieces) -> f64 {
    let mut sum = 0.0;
    for (block, l) in tets_of(&a.blocks) {
        let x = corners(block, l);
        if x.iter().all(|&x| ground.depth(x) < 0.0) {
            continue;
        }
        pieces.start(tet(x, [0, 1, 2, 3].map(|i| block.p[i][l])));
        pieces.clip(|p| ground.depth(at(p)));
        if a.lowest < 0.0 {
            pieces.clip(|p| p[3]);
        }
        match ground.stiffness {
            Some(k) => {
                pieces.second(|p| k * ground.depth(at(p)));
                sum += pieces.smaller();
            }
            None => sum += pieces.first(),
        }
    }
    sum
}

fn shell(r: &RigidSurface, body: char) -> Result<&Shell, PairError> {
    r.shell().map_err(|e| PairError::BothRigid { body, reason: e.clone() })
}

fn rigid_on_ground(
    (a, pose_a, body): (&RigidSurface, &Pose, char),
    (half, pose): (&crate::HalfSpace, &Pose),
    pieces: &mut Pieces,
) -> Result<f64, PairError> {
    let Some(k) = half.pressure_per_depth() else {
        let field = shell(a, body)?.body();
        return Ok(field_on_ground(field, &Ground::new(pose_a, field.origin, half, pose), pieces));
    };
    let ground = Ground::new(pose_a, a.origin, half, pose);
    let mut sum = 0.0;
    for tri in a.mesh().triangles() {
        let c = tri.map(|v| a.mesh().positions()[v as usize] - a.origin);
        let x = [DVec3::zero(), c[0], c[1], c[2]];
        let det = x[1].dot(x[2].cross(x[3]));
        pieces.start(tet(x, x.map(|x| k * ground.depth(x))));
        pieces.clip(|p| p[3]);
        sum += pieces.first() * det.signum();
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal pressures, equal to rounding, and far apart, at the corners in every order: one pressure is 1 and the other hardly less or
    /// more, or 3, so that the integral lies between closed forms that rounding parts.
    #[test]
    fn the_parts_of_a_tet_add_up_to_it() {
        let x = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y() * 2.0, DVec3::new(0.3, 0.2, 3.0)];
        let values = [1.0, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON, 3.0];
        let mut pieces = Pieces::default();
        for code in 0..256usize {
            let p = [0, 1, 2, 3].map(|i| values[code >> (2 * i) & 3]);
            pieces.start(tet(x, p));
            pieces.second(|_| 1.0);
            let u = pieces.smaller();
            assert!((u - 1.0).abs() < 1e-14, "{p:?}: {u}");
        }
    }
}
