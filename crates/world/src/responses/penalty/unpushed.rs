//! Bodies that meet themselves where the response lets them through.

use crate::response::{Detection, Response};
use crate::shapes::{Shape, Shapes};
use crate::simulation::Simulation;

impl Simulation {
    /// Bodies that meet themselves, which the discrete force by proximity lets through.
    pub fn unpushed(&self) -> Vec<String> {
        let blind = |slot: usize| {
            let own = self.response_of(slot as u32, slot as u32);
            matches!(own, Response::Penalty { detection: Detection::Proximity { .. }, .. })
        };
        let shapes = self.column::<Shapes>();
        let own = |s: &Shape| matches!(s, Shape::Soft(s) if s.own.is_some());
        (self.names().iter().zip(&shapes.0).enumerate())
            .filter(|(slot, (_, s))| own(s) && blind(*slot))
            .map(|(_, (name, _))| {
                format!(
                    "body '{name}' may meet itself, and by proximity no body pushes itself; detect contact by depth, or take another response"
                )
            })
            .collect()
    }
}
