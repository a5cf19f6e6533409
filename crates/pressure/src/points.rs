//! The points of a whole contact surface side by side, eight to a block: what is summed over them takes one pass.
//!
//! An implicit step asks every surface for its wrench and for its slope, and both are sums over the same points of the same
//! rule. [`Points::fill`] lays them out once; [`Points::press`] and [`Points::slope`] are [`crate::tractions`] with
//! [`crate::bristles`] and [`crate::traction_slope`] with [`crate::bristle_slope`], to rounding: their sums run in eight lanes that
//! are joined in a fixed order.

mod sums;

use crate::bristles::{BristleLaw, BristleState, Carried, Stretch, stretch};
use crate::quadrature::{Quadrature, for_each_side};
use crate::simd::{Lanes, W};
use crate::slopes::Sums;
use crate::stiffness::Matrix6;
use crate::surface::{ContactSurface, Wrench};
use crate::traction::{Dissipation, Motion};
use impinge_contact::bounded_stiffness;
use impinge_geometry::{DMat3, DVec3, Pose};
use sums::{KEPT, PRESSED, SLOPE, kept_lanes, press_lanes, slope_lanes, spread};

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

/// Eight triangles of fans: centroid and both ends of a side, each with its pressure.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Sides {
    ends: [[Lanes; 4]; 3],
    n: [Lanes; 3],
    gain: Lanes,
}

impl Sides {
    const EMPTY: Self = Self { ends: [[[0.0; W]; 4]; 3], n: [[0.0; W]; 3], gain: [0.0; W] };
}

/// The points of a rule on the polygons of one surface, in the surface's frame. Reuse it: it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Points {
    sides: Vec<Sides>,
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
            stiffness: bounded_stiffness(law.stiffness),
            damping: law.damping,
            mu_s: law.mu_s,
            mu_k: law.mu_k,
        }
    }
}

impl Points {
    /// No points.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lays out the points of `rule` on a surface whose pressure is damped like this. All that is asked for afterwards is of this surface, rule and
    /// damping: those of the [`BristleLaw`] that comes with the question do not count.
    pub fn fill(&mut self, surface: &ContactSurface, rule: Quadrature, dissipation: Dissipation) {
        self.sides.clear();
        let mut lane = W;
        for f in &surface.faces {
            let gain = dissipation.gain(surface, f);
            let centre = [f.centroid.x, f.centroid.y, f.centroid.z, f.pressure];
            let n = [f.normal.x, f.normal.y, f.normal.z];
            for_each_side(surface, f, |from, to| {
                if lane == W {
                    self.sides.push(Sides::EMPTY);
                    lane = 0;
                }
                // There is a last one: it was just pushed, or has room left.
                let Some(s) = self.sides.last_mut() else { return };
                for k in 0..4 {
                    s.ends[0][k][lane] = centre[k];
                    s.ends[1][k][lane] = from[k];
                    s.ends[2][k][lane] = to[k];
                }
                for k in 0..3 {
                    s.n[k][lane] = n[k];
                }
                s.gain[lane] = gain;
                lane += 1;
            });
        }
        self.blocks.clear();
        spread(&self.sides, rule.points(), &mut self.blocks);
    }

    /// Damped pressure and the friction of bristles at the end of a step of `dt` (s): the wrenches of [`crate::tractions`] without its
    /// friction and of [`crate::bristles`]. `surface` is the one whose points these are; `None` where nothing presses.
    #[must_use]
    pub fn press(
        &self,
        surface: &ContactSurface,
        pose_b: &Pose,
        motion: &Motion,
        law: &BristleLaw,
        dt: f64,
        before: &BristleState,
    ) -> Option<Pressed> {
        let s = stretch(surface, pose_b, motion, dt, before, law.plane)?;
        let mut sums = [0.0; PRESSED];
        press_lanes(&self.blocks, &Drive::new(surface, &s, motion, law, dt), &mut sums);
        let at = |i: usize| surface.rotation * DVec3::new(sums[i], sums[i + 1], sums[i + 2]);
        let wrench = |i: usize| Wrench { force: at(i), torque: at(i + 3), point: s.centre };
        let sliding = sums[13] / sums[12].max(f64::MIN_POSITIVE);
        Some(Pressed { normal: wrench(0), friction: wrench(6), sliding })
    }

    /// How both change with velocity at `point` and spin of A against B: [`crate::traction_slope`] without its friction and
    /// [`crate::bristle_slope`], added. `None` where nothing presses.
    #[must_use]
    pub fn slope(
        &self,
        surface: &ContactSurface,
        pose_b: &Pose,
        motion: &Motion,
        law: &BristleLaw,
        dt: f64,
        before: &BristleState,
        point: DVec3,
    ) -> Option<Matrix6> {
        let s = stretch(surface, pose_b, motion, dt, before, law.plane)?;
        let drive = Drive::new(surface, &s, motion, law, dt);
        let mut sums = [0.0; SLOPE];
        slope_lanes(&self.blocks, &drive, &mut sums);
        let r = &surface.rotation;
        let back = r.transposed();
        let world = |i: usize| {
            let col = |c: usize| DVec3::new(sums[i + 3 * c], sums[i + 3 * c + 1], sums[i + 3 * c + 2]);
            *r * DMat3::new(col(0), col(1), col(2)) * back
        };
        let all = Sums { force: [world(0), world(9)], torque: [world(18), world(27)] };
        Some(all.about(s.centre - point))
    }

    /// What bristles remember after the step: [`crate::bristles`]' `next`. `sliding` is [`Pressed::sliding`]; where it is 0 the stretch
    /// stays as it is.
    #[must_use]
    pub fn remember(
        &self,
        surface: &ContactSurface,
        pose_b: &Pose,
        motion: &Motion,
        law: &BristleLaw,
        dt: f64,
        before: &BristleState,
        sliding: f64,
    ) -> BristleState {
        let Some(s) = stretch(surface, pose_b, motion, dt, before, law.plane) else {
            return BristleState::default();
        };
        let (mut shift, mut turn) = (s.shift, s.turn);
        if sliding > 0.0 {
            let mut sums = [0.0; KEPT];
            kept_lanes(&self.blocks, &Drive::new(surface, &s, motion, law, dt), &mut sums);
            let r = &surface.rotation;
            let at = |i: usize| DVec3::new(sums[i], sums[i + 1], sums[i + 2]);
            let plane = DMat3::new(
                at(6),
                DVec3::new(sums[7], sums[9], sums[10]),
                DVec3::new(sums[8], sums[10], sums[11]),
            );
            let carried = Carried {
                force: *r * at(0),
                torque: sums[12],
                uu: *r * plane * r.transposed(),
                ut: *r * at(3),
                tt: sums[13],
            };
            if let Some((u, t)) = carried.stretch(s.normal, law.stiffness) {
                (shift, turn) = (u, t);
            }
        }
        s.remembered(pose_b, shift, turn)
    }
}
