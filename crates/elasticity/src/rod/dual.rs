//! Numbers that carry their derivatives by eight variables, and vectors of them: the second derivatives of twist and
//! material curvature are the derivatives of hand-written gradients.

use std::ops::{Add, Div, Mul, Sub};

/// What a gradient needs of its numbers.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn constant(v: f64) -> Self;
    fn value(self) -> f64;
    fn sqrt(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
}

impl Number for f64 {
    fn constant(v: f64) -> Self {
        v
    }
    fn value(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn sin_cos(self) -> (Self, Self) {
        libm::sincos(self)
    }
}

/// How many variables.
pub(super) const VARIABLES: usize = 8;

/// A value and its derivatives.
#[derive(Clone, Copy)]
pub(super) struct Dual {
    v: f64,
    pub d: [f64; VARIABLES],
}

impl Dual {
    /// Variable number `i`.
    #[must_use]
    pub fn variable(v: f64, i: usize) -> Self {
        let mut d = [0.0; VARIABLES];
        d[i] = 1.0;
        Self { v, d }
    }

    /// `v` with derivatives `a · self.d + b · other.d`.
    #[inline(always)]
    fn chain(self, v: f64, a: f64, other: &Self, b: f64) -> Self {
        let mut d = [0.0; VARIABLES];
        for i in 0..VARIABLES {
            d[i] = a * self.d[i] + b * other.d[i];
        }
        Self { v, d }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.chain(self.v + o.v, 1.0, &o, 1.0)
    }
}
impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self.chain(self.v - o.v, 1.0, &o, -1.0)
    }
}
impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        self.chain(self.v * o.v, o.v, &o, self.v)
    }
}
impl Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let q = self.v / o.v;
        self.chain(q, 1.0 / o.v, &o, -q / o.v)
    }
}

impl Number for Dual {
    fn constant(v: f64) -> Self {
        Self { v, d: [0.0; VARIABLES] }
    }
    fn value(self) -> f64 {
        self.v
    }
    fn sqrt(self) -> Self {
        let root = self.v.sqrt();
        self.chain(root, 0.5 / root, &self, 0.0)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = libm::sincos(self.v);
        (self.chain(s, c, &self, 0.0), self.chain(c, -s, &self, 0.0))
    }
}

/// A vector of numbers.
#[derive(Clone, Copy)]
pub(super) struct V<T>(pub [T; 3]);

impl<T: Number> V<T> {
    #[must_use]
    pub fn constant(v: impl Into<[f64; 3]>) -> Self {
        Self(v.into().map(T::constant))
    }
    #[must_use]
    pub fn dot(self, o: Self) -> T {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }
    #[must_use]
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }
    #[must_use]
    pub fn times(self, s: T) -> Self {
        Self(self.0.map(|v| v * s))
    }
    #[must_use]
    pub fn scaled(self, s: f64) -> Self {
        self.times(T::constant(s))
    }
}

impl<T: Number> Add for V<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}
impl<T: Number> Sub for V<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}
