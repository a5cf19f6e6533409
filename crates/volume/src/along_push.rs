//! Volumes of cells by the direction that sees them best.
//!
//! Rays along a thin layer meet it or pass beside it: the mean of three directions is off by more than the layer where a pixel is wider than it is deep,
//! and jumps as it moves. Rays across it see all of it. Each direction's volume is true in the mean over places of the rays, so any weights that add up to
//! one are as true; the squares of the push's direction leave out what passes along. The paper's mean (seed 002, (11)) weighs all alike.

use crate::{CANCELLED, Overlap};
use impinge_geometry::DVec3;

impl Overlap {
    /// Weighs what rays along the axes saw of each cell by the squares of the direction that it pushes along; of what pushes nowhere, alike.
    pub(crate) fn weigh_by_push(&mut self) {
        for c in 0..self.cells.len() {
            let start = (DVec3::zero(), 0.0);
            let (push, size) = self.gradient(c, 0).1.iter().fold(start, |(s, m), g| (s + *g, m + g.mag()));
            if push.mag() > CANCELLED * size {
                let cell = &mut self.cells[c];
                let [x, y, z] = cell.along;
                cell.volume = (push * push).dot(DVec3::new(x, y, z)) / push.mag_sq();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Body, ClosedSurface, Evaluate, LayeredDepth, Overlap};
    use impinge_geometry::{DRotor3, DVec3, cuboid};

    #[test]
    fn a_layer_thinner_than_a_pixel_is_seen_by_rays_across_it() {
        let plate = cuboid(DVec3::new(1.0, 0.8, 0.2), [1; 3]).unwrap();
        let surface = ClosedSurface::new(&plate).unwrap();
        let (depth, pixel) = (0.02, 0.06);
        let mut image = LayeredDepth::new(pixel).unwrap();
        let mut worst = [0.0f64; 2];
        for k in 0..24 {
            let s = |f: f64| (f * f64::from(k) + 0.4).sin();
            let turn = DRotor3::from_rotation_xz(0.6 * s(1.3)) * DRotor3::from_rotation_yz(0.6 * s(2.1));
            let placed = |z: f64| {
                let by = DVec3::new(0.03 * s(0.7), 0.03 * s(1.9), z);
                plate.positions().iter().map(|&p| turn * (p + by)).collect::<Vec<_>>()
            };
            let (below, above) = (placed(0.0), placed(0.2 - depth));
            let [a, b] = [&below, &above].map(|x| Body::new(&surface, x).unwrap());
            let mut out = Overlap::new();
            image.evaluate(a, b, None, &mut out).unwrap();
            let want = 1.0 * 0.8 * depth;
            let off = |o: &Overlap| (o.volume() / want - 1.0).abs();
            worst[0] = worst[0].max(off(&out));
            out.weigh_by_push();
            worst[1] = worst[1].max(off(&out));
        }
        assert!(worst[0] > 0.2 && worst[1] < 0.3 * worst[0], "{worst:?}");
    }

    #[test]
    fn what_pushes_nowhere_keeps_its_mean() {
        let [outer, inner] = [1.0, 0.5].map(|a| cuboid(DVec3::broadcast(a), [1; 3]).unwrap());
        let surfaces = [&outer, &inner].map(|m| ClosedSurface::new(m).unwrap());
        let [a, b] = [(&surfaces[0], &outer), (&surfaces[1], &inner)]
            .map(|(s, m)| Body::new(s, m.positions()).unwrap());
        let (mut image, mut out) = (LayeredDepth::new(0.05).unwrap(), Overlap::new());
        image.evaluate(a, b, None, &mut out).unwrap();
        let before = out.volume();
        out.weigh_by_push();
        assert!((out.volume() - before).abs() < 1e-12, "{before} {}", out.volume());
    }
}
