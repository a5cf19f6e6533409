//! What presses of a surface that reaches into margins.

use super::clip::Polygon;
use super::sink::{Plane, Sink};
use crate::surface::ContactSurface;
use std::mem::take;

impl ContactSurface {
    /// Whether there is a surface and nothing of it presses: the bodies are apart, by less than their margins, or only touch.
    #[must_use]
    pub fn is_speculative(&self) -> bool {
        !self.faces.is_empty() && self.max_pressure <= 0.0
    }

    /// Leaves what presses. Polygons are cut where the pressure falls below 0, as it does in a margin, and all sums are those of what is left: the
    /// surface of the same bodies without margins.
    pub fn keep_pressing(&mut self) {
        if self.min_pressure >= 0.0 {
            return;
        }
        let (faces, corners, work) = (take(&mut self.faces), take(&mut self.corners), self.work);
        let mut polygon = Polygon::EMPTY;
        let mut sink = Sink::new(self, false, false);
        for f in &faces {
            polygon.clear();
            for c in &corners[f.start as usize..(f.start + f.count) as usize] {
                polygon.push([c[0], c[1], c[2], c[3], 0.0, 0.0, 0.0, 0.0]);
            }
            if polygon.clip::<3>() {
                let plane =
                    Plane { normal: f.normal, guest_gradient: f.gradient_a, host_gradient: f.gradient_b };
                sink.add(polygon.corners(), &plane, f.item_a, f.item_b);
            }
        }
        sink.finish(work);
    }
}
