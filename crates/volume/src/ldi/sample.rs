//! One sample of a ray, and the order of samples along it.

/// One surface met by one ray.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Sample {
    /// Coordinate along the axis (m).
    pub depth: f64,
    /// Twice the triangle's number among all bodies', plus 1 where the ray enters.
    pub tag: u32,
    /// Says nothing of the sample; who collects samples may keep a count there.
    pub free: u32,
}

impl Sample {
    #[inline]
    #[must_use]
    pub fn enters(&self) -> bool {
        self.tag & 1 == 1
    }

    #[inline]
    #[must_use]
    pub fn triangle(&self) -> u32 {
        self.tag >> 1
    }

    /// Order along the ray; at one depth leaving comes first, so that touching is no overlap.
    #[inline]
    #[must_use]
    pub fn before(&self, o: &Self) -> bool {
        let key = |s: &Self| s.tag.rotate_right(1);
        (self.depth < o.depth) | ((self.depth == o.depth) & (key(self) < key(o)))
    }
}

/// Sorts a ray's layers.
pub fn in_order(ray: &mut [Sample]) {
    for end in 1..ray.len() {
        let s = ray[end];
        let mut k = end;
        while k > 0 && s.before(&ray[k - 1]) {
            ray[k] = ray[k - 1];
            k -= 1;
        }
        ray[k] = s;
    }
}
