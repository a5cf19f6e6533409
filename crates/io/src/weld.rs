//! Vertices at exactly the same position made one, numbered in the order of their first appearance.
//!
//! For formats without indices. Exact on purpose: a tolerance would be a repair, and repairs are asked for by
//! name. 0 and −0 are the same position. The map is only looked up, never walked, so that its order is nobody's.

use impinge_geometry::DVec3;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Weld {
    seen: HashMap<[u64; 3], u32>,
    pub positions: Vec<DVec3>,
}

impl Weld {
    /// The number of the vertex at `p`, a new one if there is none yet.
    pub fn vertex(&mut self, p: DVec3) -> u32 {
        // Adding zero turns −0 into 0 and leaves the rest alone.
        let key = [p.x, p.y, p.z].map(|c| (c + 0.0).to_bits());
        *self.seen.entry(key).or_insert_with(|| {
            self.positions.push(p);
            // Past 2³² the mesh type refuses the count.
            (self.positions.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_are_one_vertex() {
        let mut weld = Weld::default();
        let p = [DVec3::new(0.0, 1.0, 2.0), DVec3::new(-0.0, 1.0, 2.0), DVec3::new(1e-300, 1.0, 2.0)];
        assert_eq!(p.map(|p| weld.vertex(p)), [0, 0, 1]);
        assert_eq!(weld.positions, [p[0], p[2]]);
    }
}
