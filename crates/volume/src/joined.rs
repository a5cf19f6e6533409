//! Sets that grow together, each member with a side.

/// Sets that remember on which side of their root each member is. The root is the lowest member, whatever the order of the joins.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    root: Vec<u32>,
    flipped: Vec<bool>,
}

impl Joined {
    /// `n` sets of one member each.
    pub fn start(&mut self, n: usize) {
        self.root.clear();
        self.root.extend(0..n as u32);
        self.flipped.clear();
        self.flipped.resize(n, false);
    }

    /// Root, and whether the member is on its other side.
    pub fn find(&mut self, mut i: u32) -> (u32, bool) {
        let mut flipped = false;
        while self.root[i as usize] != i {
            let up = self.root[i as usize];
            // Halve the way, keeping the sides.
            let over = self.root[up as usize];
            if over != up {
                self.flipped[i as usize] ^= self.flipped[up as usize];
                self.root[i as usize] = over;
            }
            flipped ^= self.flipped[i as usize];
            i = self.root[i as usize];
        }
        (i, flipped)
    }

    /// Joins two members, on opposite sides or on the same; `false` where they were joined the other way round.
    pub fn join(&mut self, i: u32, j: u32, opposite: bool) -> bool {
        let ((a, fa), (b, fb)) = (self.find(i), self.find(j));
        if a == b {
            return (fa ^ fb) == opposite;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.root[high as usize] = low;
        self.flipped[high as usize] = fa ^ fb ^ opposite;
        true
    }
}
