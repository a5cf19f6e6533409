//! What is solved for: the law of the contacts, or an easier problem on the way to it.
//!
//! Two things keep Newton's method from the solution. Friction is neither symmetric nor smooth where it begins to slide: contacts that hold
//! whatever it takes are solved first, and the law from there. (Ten boxes in a pyramid at k Δt²/m = 2222 stopped in their second step: all
//! contacts slid in the first trial, and from there 60 iterations went to and fro. Leaving out of the tangent that friction grows with
//! pressure got there in 60.) And where s = k Δt²/m is large and nothing slides, what touches and what does not goes in
//! circles: with contacts that push a millionth as hard, then ten times that, and so on, each solution is close to the one before.
//! (A box that tumbles on its four corners stopped after 2936 steps at k Δt²/m = 2.5e4; so it goes through 20,000 at 2.5e5. At 1e6, in steps of
//! 10 ms in which it turns by a third of a radian, it goes through from two of five heights and stops after 2000 to 7400 steps from the others.)

use super::acting::Gathered;

/// Residual to which contacts that hold whatever it takes are solved.
const HELD: f64 = 1e-6;

/// Residual to which weakened contacts are solved.
const NEAR: f64 = 1e-4;

/// What contacts do is multiplied by, where they are weakened n times.
const STRENGTHS: [f64; 7] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// How often contacts are weakened at first.
const WEAKEST: u8 = 6;

/// Most iterations of each problem but the last.
const PATIENCE: u32 = 12;

/// What is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The law, from where the step starts.
    Law,
    /// Contacts hold, whatever it takes, again from the start: a symmetric and definite problem as far as friction goes.
    Held,
    /// The law, from there: next to the solution where most contacts hold.
    LawFromHeld,
    /// Contacts push 10⁻ⁿ as hard, with the largest n again from the start.
    Weakened(u8),
    /// The law, from there.
    LawFromWeakened,
    /// The law, with those that slide settled, and with contacts that stay once they are made.
    Settled,
}

impl Problem {
    /// What comes next after `since` iterations with this, `slow` of the last without much gain, at this residual.
    #[must_use]
    pub fn next(self, [since, slow]: [u32; 2], residual: f64, at: &Gathered) -> Self {
        let over = since >= PATIENCE;
        let lost = slow >= 3 || over || (at.unexpected && since > 0);
        match self {
            Self::Law if lost && at.slides() => Self::Held,
            Self::Law if over => Self::Weakened(WEAKEST),
            Self::Held if residual <= HELD || over => Self::LawFromHeld,
            Self::Weakened(1) if residual <= NEAR || over => Self::LawFromWeakened,
            Self::Weakened(n) if residual <= NEAR || over => Self::Weakened(n - 1),
            Self::LawFromHeld | Self::LawFromWeakened if over => Self::Settled,
            same => same,
        }
    }

    /// It is not the law.
    #[must_use]
    pub fn easier(self) -> bool {
        matches!(self, Self::Held | Self::Weakened(_))
    }

    /// What contacts do is multiplied by this.
    #[must_use]
    pub fn strength(self) -> f64 {
        if let Self::Weakened(n) = self { STRENGTHS[n as usize] } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing slides a law that is not solved in time is come to by all strengths in turn, and then settled.
    #[test]
    fn the_way_by_weak_contacts_passes_all_strengths_and_comes_back_to_the_law() {
        let free = Gathered::default();
        assert_eq!(Problem::Law.next([PATIENCE - 1, 9], 1.0, &free), Problem::Law);
        let mut problem = Problem::Law.next([PATIENCE, 0], 1.0, &free);
        let mut strengths = Vec::new();
        while let Problem::Weakened(_) = problem {
            assert!(problem.easier());
            assert_eq!(problem.next([1, 0], 2.0 * NEAR, &free), problem);
            strengths.push(problem.strength());
            problem = problem.next([1, 0], NEAR, &free);
        }
        assert_eq!(strengths, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]);
        assert_eq!((problem, problem.easier(), problem.strength()), (Problem::LawFromWeakened, false, 1.0));
        assert_eq!(problem.next([PATIENCE, 0], 1.0, &free), Problem::Settled);
        assert_eq!(Problem::Settled.next([99, 99], 1.0, &free), Problem::Settled);
    }
}
