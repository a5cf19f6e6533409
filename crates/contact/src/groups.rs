//! Which bodies may meet: groups that a body is in, and groups that it meets.

use crate::StateHash;

/// The groups of a body, a bit each. Two bodies meet where each is in a group that the other one meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Groups {
    /// Groups that the body is in.
    pub membership: u32,
    /// Groups that it meets.
    pub filter: u32,
}

impl Default for Groups {
    /// In all groups, and meets all.
    fn default() -> Self {
        Self { membership: u32::MAX, filter: u32::MAX }
    }
}

impl Groups {
    /// In the groups of `membership`, and meets those of `filter`.
    ///
    /// ```
    /// use impinge_contact::Groups;
    /// let (robot, part) = (Groups::new(0b01, 0b10), Groups::new(0b10, 0b01));
    /// assert!(robot.meets(part) && !part.meets(part));
    /// assert!(Groups::default().meets(robot));
    /// ```
    #[must_use]
    pub fn new(membership: u32, filter: u32) -> Self {
        Self { membership, filter }
    }

    /// Whether two bodies of these groups may meet.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.membership & other.filter != 0 && other.membership & self.filter != 0
    }

    pub(crate) fn hash_into(self, h: &mut StateHash) {
        h.word(u64::from(self.membership) << 32 | u64::from(self.filter));
    }
}
