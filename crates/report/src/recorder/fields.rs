//! How many tets the pressure fields of a run have, and what volume they lack.

use impinge_geometry::closed_mass_properties;
use impinge_world::{PressureBodies, Shape, Shapes, Simulation};
use std::sync::Arc;

/// Fields that are named; of more the number is told.
const NAMED: usize = 12;
/// Part of its volume that a field may differ by without a word.
const SMALL: f64 = 0.005;

/// A sentence with the tets of each field, by the first body that has it; `None` where no response asks for fields on tets.
pub(super) fn note(sim: &Simulation) -> Option<String> {
    let (column, shapes) = (sim.get_column::<PressureBodies>()?, sim.column::<Shapes>());
    let (mut seen, mut fields, mut all) = (Vec::new(), Vec::new(), 0);
    for ((name, body), shape) in sim.names().iter().zip(&column.bodies).zip(&shapes.0) {
        let Some((body, field)) = body.as_ref().and_then(|b| Some((b, b.field()?))) else { continue };
        // Copies of a body share their field.
        if seen.contains(&Arc::as_ptr(&body.solid)) {
            continue;
        }
        seen.push(Arc::as_ptr(&body.solid));
        let tets = field.mesh();
        all += tets.tets().len();
        let lacks = match shape {
            Shape::Mesh(m) if !m.open => closed_mass_properties(&m.mesh)
                .ok()
                .map_or(0.0, |mass| tets.volumes().iter().sum::<f64>() / mass.volume - 1.0),
            _ => 0.0,
        };
        let lacks = if lacks.abs() < SMALL {
            String::new()
        } else {
            let than = if lacks < 0.0 { "less" } else { "more" };
            format!(" ({:.1} % {than} volume than its mesh)", 100.0 * lacks.abs())
        };
        fields.push(format!("'{name}' {}{lacks}", tets.tets().len()));
    }
    let more = fields.len().saturating_sub(NAMED);
    fields.truncate(NAMED);
    let more = if more > 0 { format!(", and {more} more fields; {all} in all") } else { String::new() };
    (!fields.is_empty()).then(|| format!("Tets of pressure fields: {}{more}.", fields.join(", ")))
}
