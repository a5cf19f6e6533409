//! A hash over the exact bits of a state: equal hashes for equal runs, on any number of threads.

use impinge_geometry::{DVec3, Pose};

/// FNV-1a over 64-bit words. Not for security: for telling two runs apart.
#[derive(Clone, Copy, Debug)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StateHash {
    /// Adds a word.
    pub fn word(&mut self, w: u64) {
        for byte in w.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds a number. `−0` counts as `+0`: the two compare equal, and wide and scalar kernels may differ in it.
    pub fn number(&mut self, x: f64) {
        self.word((x + 0.0).to_bits());
    }

    /// Adds a vector.
    pub fn vector(&mut self, v: DVec3) {
        self.number(v.x);
        self.number(v.y);
        self.number(v.z);
    }

    /// Adds a pose.
    pub fn pose(&mut self, p: &Pose) {
        self.vector(p.position);
        let r = p.rotation;
        for c in [r.s, r.bv.xy, r.bv.xz, r.bv.yz] {
            self.number(c);
        }
    }

    /// The hash.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.0
    }
}
