//! How a rigid body answers impulses: the inverse of its mass and inertia on the axes that it is free on.
//!
//! Locked axes are axes of the world. With F the free directions of rotation and J the inertia in world axes,
//! the spin of a body with angular momentum L is
//!
//! ```text
//! ω = F (Fᵀ J F)⁻¹ Fᵀ L
//! ```
//! and no other: F J⁻¹ Fᵀ would let it turn as if the locked axes were free. Only the free part of L counts, and that is
//! what torques change: d(Fᵀ J ω)/dt = Fᵀ τ, as the locks answer by torques along the other axes. So there is no gyroscopic term beyond that, and
//! kinetic energy stays where nothing works: ωᵀ J̇ ω = 0. A body that is free to turn about one axis turns about it for ever.

use crate::Axes;
use impinge_geometry::{DMat3, DVec3, Pose, add, diagonal, inverse, outer, scale, trace};

/// What a system that is to be solved adds to the mass on a locked axis, in masses of the body: below the rounding of what the axis would take from an
/// impulse on it.
const HEAVY: f64 = (1u64 << 60) as f64;

/// How a rigid body answers impulses. The default is a body that no impulse moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mobility {
    inertia: DMat3,
    inverse: DMat3,
    locked: Axes,
}

impl Default for Mobility {
    fn default() -> Self {
        let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
        Self { inertia: zero, inverse: zero, locked: Axes::NONE }
    }
}

fn keep(v: DVec3, [x, y, z]: [bool; 3]) -> DVec3 {
    let of = |keep: bool, v: f64| if keep { v } else { 0.0 };
    DVec3::new(of(x, v.x), of(y, v.y), of(z, v.z))
}

impl Mobility {
    /// Of a body with this inertia about its centre of mass (kg m², body axes), free on all axes; `None` where that has no inverse.
    #[must_use]
    pub fn new(inertia: DMat3) -> Option<Self> {
        Some(Self { inertia, inverse: inverse(&inertia)?, locked: Axes::NONE })
    }

    /// The same with these axes of the world locked.
    #[must_use]
    pub fn locked_on(self, locked: Axes) -> Self {
        Self { locked, ..self }
    }

    /// The axes that are locked.
    #[must_use]
    pub fn locked(&self) -> Axes {
        self.locked
    }

    /// Inertia about the centre of mass (kg m², body axes).
    #[must_use]
    pub fn inertia(&self) -> &DMat3 {
        &self.inertia
    }

    /// Its inverse, as if no axis were locked (body axes).
    #[must_use]
    pub fn inverse_inertia(&self) -> &DMat3 {
        &self.inverse
    }

    /// The part of a velocity, an impulse or a way that is along free axes.
    #[inline]
    #[must_use]
    pub fn linear(&self, v: DVec3) -> DVec3 {
        if self.locked.is_empty() {
            return v;
        }
        keep(v, self.locked.translations().map(|l| !l))
    }

    /// The part of a spin, a moment or a turn that is about free axes.
    #[inline]
    #[must_use]
    pub fn angular(&self, v: DVec3) -> DVec3 {
        if !self.locked.rotates() {
            return v;
        }
        keep(v, self.locked.rotations().map(|l| !l))
    }

    /// What locks do against an impulse (N·s).
    #[must_use]
    pub fn lock_impulse(&self, impulse: DVec3) -> DVec3 {
        keep(-impulse, self.locked.translations())
    }

    /// What locks do where the angular momentum changed by `change` and the moment given was `moment` (kg m²/s).
    #[must_use]
    pub fn lock_moment(&self, change: DVec3, moment: DVec3) -> DVec3 {
        keep(change - moment, self.locked.rotations())
    }

    /// Spin (rad/s, world axes) of the angular momentum `l` (kg m²/s, world axes) of a body turned by `r`.
    #[inline]
    #[must_use]
    pub fn spin(&self, r: &DMat3, l: DVec3) -> DVec3 {
        if !self.locked.rotates() {
            return *r * (self.inverse * (r.transposed() * l));
        }
        self.locked_inverse(r) * l
    }

    /// Angular momentum of a body turned by `r` with this spin, which is that of `l`: all of it where nothing is locked.
    #[inline]
    #[must_use]
    pub fn momentum(&self, r: &DMat3, spin: DVec3, l: DVec3) -> DVec3 {
        if self.locked.rotates() { *r * (self.inertia * (r.transposed() * spin)) } else { l }
    }

    /// Inverse inertia in world axes, with nothing on locked ones.
    #[must_use]
    pub fn inverse_at(&self, pose: &Pose) -> DMat3 {
        let r = pose.matrix();
        if self.locked.rotates() { self.locked_inverse(&r) } else { r * self.inverse * r.transposed() }
    }

    /// F (Fᵀ J F)⁻¹ Fᵀ.
    fn locked_inverse(&self, r: &DMat3) -> DMat3 {
        let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
        if trace(&self.inertia) == 0.0 {
            return zero;
        }
        let j = *r * self.inertia * r.transposed();
        let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
        match free_axes(self.locked.rotations()) {
            Free::None => zero,
            Free::One(a) => scale(&outer(axes[a], axes[a]), 1.0 / j.cols[a][a]),
            Free::Two(a, b) => {
                let (aa, bb, ab) = (j.cols[a][a], j.cols[b][b], j.cols[a][b]);
                let d = aa * bb - ab * ab;
                let mut w = zero;
                w.cols[a][a] = bb / d;
                w.cols[b][b] = aa / d;
                w.cols[a][b] = -ab / d;
                w.cols[b][a] = -ab / d;
                w
            }
        }
    }

    /// Mass by axis (kg) and inertia in world axes (kg m²) as a system to be solved has them: far more on locked axes than any impulse moves.
    #[must_use]
    pub fn mass_matrix(&self, mass: f64, pose: &Pose) -> (DVec3, DMat3) {
        let r = pose.matrix();
        let j = r * self.inertia * r.transposed();
        if self.locked.is_empty() {
            return (DVec3::broadcast(mass), j);
        }
        (self.masses(mass), add(&j, &self.lock_inertia()))
    }

    /// The mass of it (kg).
    #[must_use]
    pub fn masses(&self, mass: f64) -> DVec3 {
        DVec3::broadcast(mass) + keep(DVec3::broadcast(HEAVY * mass), self.locked.translations())
    }

    /// What such a system adds to the inertia about locked axes (kg m²).
    #[must_use]
    pub fn lock_inertia(&self) -> DMat3 {
        let size = keep(DVec3::broadcast(HEAVY * trace(&self.inertia)), self.locked.rotations());
        diagonal(size)
    }
}

enum Free {
    None,
    One(usize),
    Two(usize, usize),
}

/// The axes that are not locked, of which at least one is.
fn free_axes(locked: [bool; 3]) -> Free {
    match locked {
        [false, true, true] => Free::One(0),
        [true, false, true] => Free::One(1),
        [true, true, false] => Free::One(2),
        [true, false, false] => Free::Two(1, 2),
        [false, true, false] => Free::Two(0, 2),
        [false, false, true] => Free::Two(0, 1),
        _ => Free::None,
    }
}
