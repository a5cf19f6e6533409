//! A fixed sequence of numbers, so that no bench depends on a seed.

use impinge_geometry::{DRotor3, DVec3, rotor_from_rotation_vector};

/// Knuth's linear congruential sequence, upper bits.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Starts anew; another `seed` gives another sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next whole number below `n` (not 0).
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    /// A point in the cube from −1 to 1.
    pub fn vector(&mut self) -> DVec3 {
        let x = self.unit();
        let y = self.unit();
        DVec3::new(x, y, self.unit()) * 2.0 - DVec3::one()
    }

    /// A rotation by up to 2√3 rad.
    pub fn rotor(&mut self) -> DRotor3 {
        rotor_from_rotation_vector(self.vector() * 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_fixed_and_fills_its_range() {
        let (mut a, mut b) = (Numbers::new(1), Numbers::new(1));
        let mut mean = 0.0;
        for _ in 0..1000 {
            let x = a.unit();
            assert_eq!(x, b.unit());
            assert!((0.0..1.0).contains(&x));
            mean += x / 1000.0;
        }
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        assert!((0..1000).all(|_| a.below(7) < 7));
    }
}
