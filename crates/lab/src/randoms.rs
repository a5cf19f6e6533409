//! The same numbers on every machine: xorshift.

use impinge_geometry::DVec3;

/// A source of numbers.
pub struct Randoms(pub u64);

impl Randoms {
    /// One of its own for each list of numbers, however alike they are.
    pub fn of(numbers: &[u64]) -> Self {
        // Steps of splitmix64.
        let mix = |state: u64, n: &u64| {
            let z = (state ^ n).wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Self(numbers.iter().fold(0, mix).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// In [`low`, `high`).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In [`low`, `high`), each decade as likely as another.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    /// One of these, of which there is at least one.
    pub fn one_of<T: Copy>(&mut self, these: &[T]) -> T {
        these[(self.next() % these.len() as u64) as usize]
    }

    /// A whole number in [−`most`, `most`].
    pub fn whole(&mut self, most: i64) -> i64 {
        (self.next() % (2 * most as u64 + 1)) as i64 - most
    }

    /// Each coordinate in [−1, 1).
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}
