//! The sums over the points of a surface, in lanes.

use super::{Block, Drive, Sides};
use crate::simd::{Lanes, W, dispatched};

/// A block of points for every point of the rule on eight triangles.
#[inline(always)]
fn spread_plain(sides: &[Sides], rule: &[([f64; 3], f64)], out: &mut Vec<Block>) {
    for s in sides {
        let [c, a, b] = &s.ends;
        let mut area = [0.0; W];
        for l in 0..W {
            let from = |e: &[Lanes; 4]| [e[0][l] - c[0][l], e[1][l] - c[1][l], e[2][l] - c[2][l]];
            area[l] = 0.5 * dot([s.n[0][l], s.n[1][l], s.n[2][l]], cross(from(a), from(b)));
        }
        for (w, share) in rule {
            let mut block = Block { n: s.n, gain: s.gain, ..Block::EMPTY };
            for l in 0..W {
                let at = |k: usize| c[k][l] * w[0] + a[k][l] * w[1] + b[k][l] * w[2];
                (block.x[0][l], block.x[1][l], block.x[2][l]) = (at(0), at(1), at(2));
                block.p[l] = at(3);
                block.area[l] = area[l] * share;
            }
            out.push(block);
        }
    }
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
    /// Relative velocity, and the part of it out of the face.
    v: [f64; 3],
    rate: f64,
    /// Stretch with the damper's, in the plane of the face.
    stretch: [f64; 3],
}

#[inline(always)]
fn at(b: &Block, d: &Drive, l: usize) -> At {
    let r = [b.x[0][l] - d.middle[0], b.x[1][l] - d.middle[1], b.x[2][l] - d.middle[2]];
    let n = [b.n[0][l], b.n[1][l], b.n[2][l]];
    let turned = cross(d.spin, r);
    let v = [d.velocity[0] + turned[0], d.velocity[1] + turned[1], d.velocity[2] + turned[2]];
    let rate = dot(v, n);
    let raised = 1.0 + b.gain[l] * rate;
    let factor = if raised > 0.0 { raised } else { 0.0 };
    let turned = cross(d.turn, r);
    let mut s = [d.shift[0] + turned[0], d.shift[1] + turned[1], d.shift[2] + turned[2]];
    let along = dot(s, n);
    for k in 0..3 {
        s[k] -= n[k] * along;
    }
    At { r, n, factor, v, rate, stretch: s }
}

/// Force and torque of the pressure, of friction, what presses, what of it slides.
pub(super) const PRESSED: usize = 14;
/// Rows of [`Sums`], column by column.
pub(super) const SLOPE: usize = 36;

/// Lanes joined pairwise.
#[inline(always)]
fn join(s: &Lanes) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// Which points of a block slide, and there μ_k over the traction of the stretch; 1 where they hold. `false` where all hold: roots
/// and quotients are slow, and are asked for by blocks.
#[inline(always)]
fn slides(b: &Block, d: &Drive, which: &mut Lanes, share: &mut Lanes) -> bool {
    let limit = d.mu_s * d.mu_s;
    let square = d.stiffness * d.stiffness;
    let mut sizes = [0.0; W];
    let mut any = 0.0;
    for l in 0..W {
        let a = at(b, d, l);
        sizes[l] = dot(a.stretch, a.stretch) * square;
        which[l] = if sizes[l] > limit { 1.0 } else { 0.0 };
    }
    for w in which.iter() {
        any += w;
    }
    if any > 0.0 {
        for l in 0..W {
            let held = 1.0 - which[l];
            share[l] = held + which[l] * (d.mu_k / (sizes[l] + held).sqrt());
        }
    }
    any > 0.0
}

#[inline(always)]
fn press_plain(blocks: &[Block], d: &Drive, out: &mut [f64; PRESSED]) {
    let mut sums = [[0.0; W]; PRESSED];
    for b in blocks {
        let (mut which, mut share) = ([0.0; W], [1.0; W]);
        slides(b, d, &mut which, &mut share);
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
            sums[13][l] += held * which[l];
        }
    }
    for (o, s) in out.iter_mut().zip(&sums) {
        *o = join(s);
    }
}

/// Sums of [`Carried`] in the surface's frame: force, ut, the upper half of uu, torque, tt.
pub(super) const KEPT: usize = 14;

/// What the springs carry, and the normal equations of the stretch that would carry it.
#[inline(always)]
fn kept_plain(blocks: &[Block], d: &Drive, out: &mut [f64; KEPT]) {
    let mut sums = [[0.0; W]; KEPT];
    for b in blocks {
        let (mut which, mut share) = ([0.0; W], [1.0; W]);
        slides(b, d, &mut which, &mut share);
        let (mut springs, mut lever, mut loads) = ([[0.0; W]; 3], [[0.0; W]; 3], [0.0; W]);
        for l in 0..W {
            let a = at(b, d, l);
            let p = b.p[l] * a.factor;
            let load = if p > 0.0 { p * b.area[l] } else { 0.0 };
            let t = a.stretch.map(|s| s * (-d.stiffness * share[l]));
            // Without what the damper carries, but never more than the traction and never against it (`carried`).
            let damper = d.stiffness * d.damping;
            let spring: [f64; 3] = std::array::from_fn(|k| t[k] + (a.v[k] - a.n[k] * a.rate) * damper);
            let (along, size) = (dot(spring, t), dot(spring, spring));
            let whole = size > dot(t, t);
            let acts = if along > 0.0 { load } else { 0.0 };
            let spring: [f64; 3] =
                std::array::from_fn(|k| if whole { t[k] * acts } else { spring[k] * acts });
            let mut arm = cross(d.normal, a.r);
            let out_of = dot(arm, a.n);
            for k in 0..3 {
                arm[k] -= a.n[k] * out_of;
                springs[k][l] = spring[k];
                lever[k][l] = arm[k];
            }
            loads[l] = load;
        }
        for k in 0..3 {
            for l in 0..W {
                sums[k][l] += springs[k][l];
                sums[3 + k][l] += lever[k][l] * loads[l];
                sums[12][l] += lever[k][l] * springs[k][l];
                sums[13][l] += lever[k][l] * lever[k][l] * loads[l];
            }
        }
        // The upper half of p A (1 − n nᵀ).
        for (k, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
            let one = if i == j { 1.0 } else { 0.0 };
            for l in 0..W {
                sums[6 + k][l] += (one - b.n[i][l] * b.n[j][l]) * loads[l];
            }
        }
    }
    for (o, s) in out.iter_mut().zip(&sums) {
        *o = join(s);
    }
}

/// What the columns of a slope share: one loop over lanes for it and one for each column, or LLVM gives the lanes up and the slope takes
/// several times as long.
struct Common {
    r: [Lanes; 3],
    n: [Lanes; 3],
    /// Normal of the patch × arm: what a turn stretches.
    lever: [Lanes; 3],
    /// Direction of the way where it slides.
    across: [Lanes; 3],
    /// −κ p A, by what slides.
    spring: Lanes,
    /// Traction by the load, and how the load grows with velocity (`n`) and spin.
    push: [Lanes; 3],
    turn: [Lanes; 3],
}

impl Common {
    const EMPTY: Self = Self {
        r: [[0.0; W]; 3],
        n: [[0.0; W]; 3],
        lever: [[0.0; W]; 3],
        across: [[0.0; W]; 3],
        spring: [0.0; W],
        push: [[0.0; W]; 3],
        turn: [[0.0; W]; 3],
    };

    #[inline(always)]
    fn fill<const SLIDES: bool>(&mut self, b: &Block, d: &Drive, which: &Lanes, share: &Lanes) {
        let way = if SLIDES && d.mu_k > 0.0 { d.stiffness / d.mu_k } else { 0.0 };
        for l in 0..W {
            let a = at(b, d, l);
            let p = b.p[l] * a.factor;
            let load = p * b.area[l];
            let held = if p > 0.0 { load } else { 0.0 };
            let part = if SLIDES { share[l] } else { 1.0 };
            // How the load grows with the rate at which the bodies part.
            let grows = if p == 0.0 { 0.0 } else { b.p[l] * b.gain[l] * b.area[l] };
            let pulls = if p > 0.0 { -d.stiffness * part * grows } else { 0.0 };
            let (turn, lever) = (cross(a.r, a.n), cross(d.normal, a.r));
            self.spring[l] = -d.stiffness * part * held;
            for k in 0..3 {
                self.r[k][l] = a.r[k];
                self.n[k][l] = a.n[k];
                self.lever[k][l] = lever[k];
                self.push[k][l] = a.n[k] * grows + a.stretch[k] * pulls;
                self.turn[k][l] = turn[k];
                if SLIDES {
                    // κ |s| = μ_k / share where it slides.
                    self.across[k][l] = a.stretch[k] * (which[l] * part * way);
                }
            }
        }
    }

    /// For a unit of velocity (C < 3) or spin: the traction's change is −κ p (stretch's change in the plane, across the way where it
    /// slides) and, by the damping of the pressure, a change of the load; summed as force and as torque.
    #[inline(always)]
    fn column<const SLIDES: bool, const C: usize>(&self, d: &Drive, sums: &mut [Lanes; SLOPE]) {
        let mut e = [0.0; 3];
        e[C % 3] = 1.0;
        let along = d.dt * d.normal[C % 3];
        let pushed: [f64; 3] = std::array::from_fn(|k| e[k] * (d.dt + d.damping) - d.normal[k] * along);
        for l in 0..W {
            let at = |v: &[Lanes; 3]| [v[0][l], v[1][l], v[2][l]];
            let (r, n, push) = (at(&self.r), at(&self.n), at(&self.push));
            // What the column does to stretch and damper at this point.
            let mut m = pushed;
            if C >= 3 {
                let (w, lever) = (cross(e, r), at(&self.lever));
                m = std::array::from_fn(|k| lever[k] * along + w[k] * d.damping);
            }
            let out_of = dot(n, m);
            let rate = if C < 3 { self.n[C % 3][l] } else { self.turn[C % 3][l] };
            let across = at(&self.across);
            let way = if SLIDES { dot(across, m) } else { 0.0 };
            for k in 0..3 {
                m[k] -= n[k] * out_of;
                if SLIDES {
                    m[k] -= across[k] * way;
                }
                m[k] = m[k] * self.spring[l] + push[k] * rate;
            }
            let t = cross(r, m);
            for k in 0..3 {
                sums[3 * C + k][l] += m[k];
                sums[18 + 3 * C + k][l] += t[k];
            }
        }
    }

    #[inline(always)]
    fn columns<const SLIDES: bool>(&self, d: &Drive, sums: &mut [Lanes; SLOPE]) {
        self.column::<SLIDES, 0>(d, sums);
        self.column::<SLIDES, 1>(d, sums);
        self.column::<SLIDES, 2>(d, sums);
        self.column::<SLIDES, 3>(d, sums);
        self.column::<SLIDES, 4>(d, sums);
        self.column::<SLIDES, 5>(d, sums);
    }
}

#[inline(always)]
fn slope_plain(blocks: &[Block], d: &Drive, out: &mut [f64; SLOPE]) {
    let mut sums = [[0.0; W]; SLOPE];
    let mut common = Common::EMPTY;
    for b in blocks {
        let (mut which, mut share) = ([0.0; W], [1.0; W]);
        if slides(b, d, &mut which, &mut share) {
            common.fill::<true>(b, d, &which, &share);
            common.columns::<true>(d, &mut sums);
        } else {
            common.fill::<false>(b, d, &which, &share);
            common.columns::<false>(d, &mut sums);
        }
    }
    for (o, s) in out.iter_mut().zip(&sums) {
        *o = join(s);
    }
}

dispatched!(pub(super) fn spread(sides: &[Sides], rule: &[([f64; 3], f64)], out: &mut Vec<Block>) -> () = spread_plain);
dispatched!(pub(super) fn press_lanes(blocks: &[Block], drive: &Drive, out: &mut [f64; PRESSED]) -> () = press_plain);
dispatched!(pub(super) fn kept_lanes(blocks: &[Block], drive: &Drive, out: &mut [f64; KEPT]) -> () = kept_plain);
dispatched!(pub(super) fn slope_lanes(blocks: &[Block], drive: &Drive, out: &mut [f64; SLOPE]) -> () = slope_plain);
