//! The points of a whole contact surface side by side, eight to a block: what is summed over them takes one pass.
//!
//! An implicit step asks every surface for its wrench and for its slope, and both are sums over the same points of the same
//! rule. [`Points::fill`] lays them out once; [`Points::press`] and [`Points::slope`] are [`crate::tractions`] with
//! [`crate::bristles`] and [`crate::traction_slope`] with [`crate::bristle_slope`], to rounding: their sums run in eight lanes that
//! are joined in a fixed order.

use crate::bristles::{BristleLaw, BristleState, Stretch, bristles, stretch};
use crate::quadrature::{Quadrature, for_each_point};
use crate::simd::{Lanes, W, dispatched};
use crate::slopes::Sums;
use crate::stiffness::Matrix6;
use crate::surface::{ContactSurface, Wrench};
use crate::traction::{Dissipation, Motion};
use impinge_geometry::{DMat3, DVec3, Pose};

/// Eight points; lanes past the end have no area.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Block {
    x: [Lanes; 3],
    n: [Lanes; 3],
    p: Lanes,
    area: Lanes,
    gain: Lanes,
}

impl Block {
    const EMPTY: Self =
        Self { x: [[0.0; W]; 3], n: [[0.0; W]; 3], p: [0.0; W], area: [0.0; W], gain: [0.0; W] };
}

/// The points of a rule on the polygons of one surface, in the surface's frame. Reuse it: it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Points {
    blocks: Vec<Block>,
}

/// What presses and rubs on a surface, on A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressed {
    /// Of the damped pressure (N, N·m, world).
    pub normal: Wrench,
    /// Of friction.
    pub friction: Wrench,
    /// Part of the pressing force under points that slide, 0 to 1.
    pub sliding: f64,
}

/// How the bodies move and stretch their bristles, about the centre of pressure in the surface's frame, and the law.
struct Drive {
    middle: [f64; 3],
    velocity: [f64; 3],
    spin: [f64; 3],
    /// Stretch and turn, with what the damper adds as if it were stretch: shift + τ v, turn + τ ω.
    shift: [f64; 3],
    turn: [f64; 3],
    normal: [f64; 3],
    dt: f64,
    stiffness: f64,
    damping: f64,
    mu_s: f64,
    mu_k: f64,
}

impl Drive {
    fn new(surface: &ContactSurface, s: &Stretch, motion: &Motion, law: &BristleLaw, dt: f64) -> Self {
        let back = surface.rotation.transposed();
        let local = |v: DVec3| <[f64; 3]>::from(back * v);
        Self {
            middle: s.middle.into(),
            velocity: local(s.velocity),
            spin: local(motion.spin),
            shift: local(s.shift + s.velocity * law.damping),
            turn: local(s.turn + motion.spin * law.damping),
            normal: local(s.normal),
            dt,
            stiffness: law.stiffness,
            damping: law.damping,
            mu_s: law.mu_s,
            mu_k: law.mu_k,
        }
    }
}

impl Points {
    /// No points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lays out the points of `rule` on a surface whose pressure is damped like this.
    pub fn fill(&mut self, surface: &ContactSurface, rule: Quadrature, dissipation: Dissipation) {
        self.blocks.clear();
        let mut lane = W;
        for f in &surface.faces {
            let gain = dissipation.gain(surface, f);
            for_each_point(surface, f, rule, |x, p, area| {
                if lane == W {
                    self.blocks.push(Block::EMPTY);
                    lane = 0;
                }
                // There is a last one: it was just pushed, or has room left.
                let Some(b) = self.blocks.last_mut() else { return };
                for k in 0..3 {
                    b.x[k][lane] = x[k];
                    b.n[k][lane] = f.normal[k];
                }
                (b.p[lane], b.area[lane], b.gain[lane]) = (p, area, gain);
                lane += 1;
            });
        }
    }

    /// Damped pressure and the friction of bristles at the end of a step of `dt` (s): the wrenches of [`crate::tractions`] without its
    /// friction and of [`crate::bristles`]. `surface` is the one whose points these are; `None` where nothing presses.
    pub fn press(
        &self,
        surface: &ContactSurface,
        pose_b: &Pose,
        motion: &Motion,
        law: &BristleLaw,
        dt: f64,
        before: &BristleState,
    ) -> Option<Pressed> {
        let s = stretch(surface, pose_b, motion, dt, before)?;
        let mut sums = [0.0; PRESSED];
        press_lanes(&self.blocks, &Drive::new(surface, &s, motion, law, dt), &mut sums);
        let at = |i: usize| surface.rotation * DVec3::new(sums[i], sums[i + 1], sums[i + 2]);
        let wrench = |i: usize| Wrench { force: at(i), torque: at(i + 3), point: s.centre };
        let sliding = sums[13] / sums[12].max(f64::MIN_POSITIVE);
        Some(Pressed { normal: wrench(0), friction: wrench(6), sliding })
    }

    /// How both change with velocity at `point` and spin of A against B: [`crate::traction_slope`] without its friction and
    /// [`crate::bristle_slope`], added. `sliding` says whether any point slides ([`Pressed::sliding`]). `None` where nothing presses.
    pub fn slope(
        &self,
        surface: &ContactSurface,
        pose_b: &Pose,
        motion: &Motion,
        law: &BristleLaw,
        dt: f64,
        before: &BristleState,
        sliding: bool,
        point: DVec3,
    ) -> Option<Matrix6> {
        let s = stretch(surface, pose_b, motion, dt, before)?;
        let drive = Drive::new(surface, &s, motion, law, dt);
        let mut sums = [0.0; SLOPE];
        if sliding {
            slope_sliding(&self.blocks, &drive, &mut sums);
        } else {
            slope_holding(&self.blocks, &drive, &mut sums);
        }
        let r = &surface.rotation;
        let back = r.transposed();
        let world = |i: usize| {
            let col = |c: usize| DVec3::new(sums[i + 3 * c], sums[i + 3 * c + 1], sums[i + 3 * c + 2]);
            *r * DMat3::new(col(0), col(1), col(2)) * back
        };
        let all = Sums { force: [world(0), world(9)], torque: [world(18), world(27)] };
        Some(all.about(s.centre - point))
    }
}

/// What bristles remember after a step in which nothing (`sliding` = 0) or something slid: [`crate::bristles`]' `next`, without its
/// sums where they are not needed.
pub fn remembered(
    surface: &ContactSurface,
    pose_b: &Pose,
    motion: &Motion,
    law: &BristleLaw,
    dt: f64,
    before: &BristleState,
    sliding: f64,
) -> BristleState {
    if sliding > 0.0 {
        return bristles(surface, pose_b, motion, law, dt, before).next;
    }
    stretch(surface, pose_b, motion, dt, before).map_or_else(BristleState::default, |s| BristleState {
        shift: pose_b.vector_to_body(s.shift),
        turn: pose_b.vector_to_body(s.turn),
        centre: pose_b.point_to_body(s.centre),
    })
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A point of a lane and what moves there.
struct At {
    r: [f64; 3],
    n: [f64; 3],
    /// Factor of the damping on the pressure.
    factor: f64,
    /// Stretch with the damper's, in the plane of the face.
    stretch: [f64; 3],
}

#[inline(always)]
fn at(b: &Block, d: &Drive, l: usize) -> At {
    let r = [b.x[0][l] - d.middle[0], b.x[1][l] - d.middle[1], b.x[2][l] - d.middle[2]];
    let n = [b.n[0][l], b.n[1][l], b.n[2][l]];
    let turned = cross(d.spin, r);
    let v = [d.velocity[0] + turned[0], d.velocity[1] + turned[1], d.velocity[2] + turned[2]];
    let raised = 1.0 + b.gain[l] * dot(v, n);
    let factor = if raised > 0.0 { raised } else { 0.0 };
    let turned = cross(d.turn, r);
    let mut s = [d.shift[0] + turned[0], d.shift[1] + turned[1], d.shift[2] + turned[2]];
    let along = dot(s, n);
    for k in 0..3 {
        s[k] -= n[k] * along;
    }
    At { r, n, factor, stretch: s }
}

/// Force and torque of the pressure, of friction, what presses, what of it slides.
const PRESSED: usize = 14;
/// Rows of [`Sums`], column by column.
const SLOPE: usize = 36;

/// Lanes joined pairwise.
#[inline(always)]
fn join(s: &Lanes) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

#[inline(always)]
fn press_plain(blocks: &[Block], d: &Drive, out: &mut [f64; PRESSED]) {
    let mut sums = [[0.0; W]; PRESSED];
    let limit = d.mu_s * d.mu_s;
    let square = d.stiffness * d.stiffness;
    for b in blocks {
        // μ_k over the size of the stretch where it slides; asked for by blocks, because roots are slow.
        let mut share = [1.0; W];
        let mut slides = [0.0; W];
        let mut any = 0.0;
        for l in 0..W {
            let a = at(b, d, l);
            slides[l] = if dot(a.stretch, a.stretch) * square > limit { 1.0 } else { 0.0 };
        }
        for s in &slides {
            any += s;
        }
        if any > 0.0 {
            for l in 0..W {
                let a = at(b, d, l);
                let size = d.stiffness * dot(a.stretch, a.stretch).sqrt();
                share[l] = if slides[l] > 0.0 { d.mu_k / size } else { 1.0 };
            }
        }
        for l in 0..W {
            let a = at(b, d, l);
            let p = b.p[l] * a.factor;
            let load = p * b.area[l];
            let push = a.n.map(|n| n * load);
            let arm = cross(a.r, push);
            let held = if p > 0.0 { load } else { 0.0 };
            let pull = -d.stiffness * share[l] * held;
            let drag = a.stretch.map(|s| s * pull);
            let turn = cross(a.r, drag);
            for k in 0..3 {
                sums[k][l] += push[k];
                sums[3 + k][l] += arm[k];
                sums[6 + k][l] += drag[k];
                sums[9 + k][l] += turn[k];
            }
            sums[12][l] += held;
            sums[13][l] += held * slides[l];
        }
    }
    for (o, s) in out.iter_mut().zip(&sums) {
        *o = join(s);
    }
}

/// For a unit column of velocity or spin: the traction's change is −κ p (stretch's change in the plane, across the way where it
/// slides) and, by the damping of the pressure, a change of the load; summed as force and as torque.
#[inline(always)]
fn slope_plain<const SLIDES: bool>(blocks: &[Block], d: &Drive, out: &mut [f64; SLOPE]) {
    let mut sums = [[0.0; W]; SLOPE];
    let limit = d.mu_s * d.mu_s;
    let square = d.stiffness * d.stiffness;
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for b in blocks {
        for l in 0..W {
            let a = at(b, d, l);
            let p = b.p[l] * a.factor;
            let load = p * b.area[l];
            let held = if p > 0.0 { load } else { 0.0 };
            let (mut share, mut across) = (1.0, [0.0; 3]);
            if SLIDES {
                let size = dot(a.stretch, a.stretch);
                let slides = size * square > limit;
                let root = if slides { size.sqrt() } else { 1.0 };
                share = if slides { d.mu_k / (d.stiffness * root) } else { 1.0 };
                across = a.stretch.map(|s| if slides { s / root } else { 0.0 });
            }
            // How the load grows with the rate at which the bodies part.
            let grows = if p == 0.0 { 0.0 } else { b.p[l] * b.gain[l] * b.area[l] };
            let pulls = if p > 0.0 { -d.stiffness * share * grows } else { 0.0 };
            let push: [f64; 3] = std::array::from_fn(|k| a.n[k] * grows + a.stretch[k] * pulls);
            let arm = cross(a.r, a.n);
            let rate = [a.n[0], a.n[1], a.n[2], arm[0], arm[1], arm[2]];
            let lever = cross(d.normal, a.r);
            let spring = -d.stiffness * share * held;
            for c in 0..6 {
                let e = unit[c % 3];
                let along = d.dt * d.normal[c % 3];
                // What the column does to stretch and damper at this point.
                let mut m: [f64; 3] = if c < 3 {
                    std::array::from_fn(|k| e[k] * (d.dt + d.damping) - d.normal[k] * along)
                } else {
                    let w = cross(e, a.r);
                    std::array::from_fn(|k| lever[k] * along + w[k] * d.damping)
                };
                let out_of = dot(a.n, m);
                let way = if SLIDES { dot(across, m) } else { 0.0 };
                for k in 0..3 {
                    m[k] -= a.n[k] * out_of;
                    if SLIDES {
                        m[k] -= across[k] * way;
                    }
                    m[k] = m[k] * spring + push[k] * rate[c];
                }
                let t = cross(a.r, m);
                for k in 0..3 {
                    sums[3 * c + k][l] += m[k];
                    sums[18 + 3 * c + k][l] += t[k];
                }
            }
        }
    }
    for (o, s) in out.iter_mut().zip(&sums) {
        *o = join(s);
    }
}

dispatched!(fn press_lanes(blocks: &[Block], drive: &Drive, out: &mut [f64; PRESSED]) -> () = press_plain);
dispatched!(fn slope_holding(blocks: &[Block], drive: &Drive, out: &mut [f64; SLOPE]) -> () = slope_plain::<false>);
dispatched!(fn slope_sliding(blocks: &[Block], drive: &Drive, out: &mut [f64; SLOPE]) -> () = slope_plain::<true>);
