//! Roots of the coplanarity cubic, as both the certified f64 tier and the exact tier report them.

use smallvec::SmallVec;

/// One root of the coplanarity cubic `f` in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// Lower end of a certified enclosure: never later than the true root.
    pub t: f64,
    /// Upper end; `t <= root <= t_hi`.
    pub t_hi: f64,
    /// Multiplicity in `f` (1 to 3).
    pub multiplicity: u8,
    /// Multiplicity, at this root, of the common factor of the three components of the unnormalised normal
    /// `m` (face normal, or cross product of the edges). 0 in the regular case. Where it equals `multiplicity` the
    /// root is not an event: the normal vanishes, the features need not meet (ERRATA C13).
    pub vanishing: u8,
    /// The closed features touch at this root.
    pub inside: bool,
    /// Sign of `f` just before the root (at t = 0: of the polynomial continued to t < 0).
    pub before: i8,
    /// Sign of `f` just after it (at t = 1: continued to t > 1).
    pub after: i8,
}

impl Root {
    /// Multiplicity of the root in `f` divided by the common factor of the normal.
    #[must_use]
    pub fn reduced_multiplicity(&self) -> u8 {
        self.multiplicity - self.vanishing
    }
}

/// What kind of motion the pair makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// `f` is not identically zero, and the normal vanishes at no root of `f` in [0, 1].
    #[default]
    Regular,
    /// `f` is not identically zero, and the normal vanishes at one of its roots in [0, 1].
    DegenerateInstant,
    /// The normal is zero for all time: edges parallel throughout, or a triangle or edge without extent. `f ≡ 0`.
    DegenerateAlways,
    /// All four points share a plane for all time, and the normal does not vanish for all time. `f ≡ 0`.
    CoplanarAlways,
}

/// Everything the decision found out about one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roots {
    /// Kind of motion.
    pub class: Class,
    /// Distinct roots of `f` in [0, 1], ascending; empty when `f ≡ 0`.
    pub roots: SmallVec<[Root; 3]>,
    /// When `f ≡ 0`: the maximal closed time intervals in which the closed features touch, ascending, disjoint
    /// (a single instant has equal ends up to rounding). The lower ends are never late.
    pub touching: SmallVec<[[f64; 2]; 2]>,
}

impl Roots {
    /// `true` when the closed features touch at some t ∈ [0, 1].
    #[must_use]
    pub fn touch(&self) -> bool {
        !self.touching.is_empty() || self.roots.iter().any(|r| r.inside)
    }

    /// Lower bound of the first time at which the closed features touch; never late.
    #[must_use]
    pub fn first_contact(&self) -> Option<f64> {
        let first = self.roots.iter().find(|r| r.inside).map(|r| r.t);
        first.or_else(|| self.touching.first().map(|i| i[0]))
    }
}
