//! Bodies that an energy of volumes carries and nothing damps.

use super::settings::VolumePenaltySettings;
use crate::components::{Dofs, Elastic, Forces, Laws, NodeState};
use crate::part::Part;
use impinge_bodies::{Shape, Shapes, ways_up};
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_integrators::elastic_energy;

/// Part of critical damping that is suggested.
const DAMPED: f64 = 0.25;
/// Part of critical damping that a body that deforms has of its own, up to which that is next to nothing.
const LITTLE: f64 = 0.1 * DAMPED;
/// Part of its length by which such a body is squeezed to see how stiff it is.
const SQUEEZED: f64 = 1e-3;

/// A sentence for bodies with weight where neither the viscosity nor a restitution takes energy from what lands, and their material little.
pub(super) fn undamped(settings: &VolumePenaltySettings, part: Part<'_>) -> Option<String> {
    let gravity = part.shared::<Forces>().0.gravity.mag();
    if settings.viscosity > 0.0 || gravity == 0.0 {
        return None;
    }
    let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
    let elastic = part.shared::<Elastic>();
    let partners = laws.partners();
    let undamped = |b: u32| {
        let mut lawful = partners.iter().filter(|&&o| o != b).filter_map(|&o| part.law(&laws, b, o));
        lawful.any(|law| laws.laws[law as usize].damping.restitution().is_none())
    };
    // μ A² of a contact over 2 √(k A² m) is the part of critical damping, with k A² as it rests.
    let viscosity = |b: usize| {
        if !undamped(b as u32) {
            return None;
        }
        let rest = |mesh, mass| impinge_volume::stiffest_rest(mesh, settings, mass * gravity, &ways_up()).1;
        let enough = |mass: f64, stiffness: f64| {
            (stiffness > 0.0).then(|| 2.0 * DAMPED * settings.stiffness * (mass / stiffness).sqrt())
        };
        match (&shapes.0[b], dofs.bodies.kind[b]) {
            (Shape::Mesh(m), BodyKind::Rigid) => {
                let mass = dofs.bodies.mass[b];
                enough(mass, rest(&m.mesh, mass))
            }
            (Shape::Soft(s), BodyKind::Deformable) if s.closed => {
                let system = elastic.slots.iter().position(|slot| *slot == b as u32)?;
                let mass =
                    elastic.system.range(system).map(|n| dofs.nodes.mass[elastic.nodes[n] as usize]).sum();
                let stiffness = rest(s.mesh.as_ref()?, mass);
                let own = own_damping(part, &elastic, system, mass, stiffness);
                enough(mass, stiffness).filter(|_| own < LITTLE)
            }
            _ => None,
        }
    };
    let mut all = (0..shapes.0.len()).filter_map(|b| Some((b, viscosity(b)?)));
    let (first, enough) = all.next()?;
    let (count, most) = all.fold((0, enough), |(n, most), (_, v)| (n + 1, most.max(v)));
    let more = if count == 0 { String::new() } else { format!(" (and {count} more)") };
    let soft = dofs.bodies.kind[first] == BodyKind::Deformable;
    let but = if soft {
        "friction and its own material, which takes next to nothing of this swing"
    } else {
        "friction"
    };
    Some(format!(
        "nothing damps body '{}'{more} under '{}' but {but}: its `viscosity` is 0, and dampers of the materials do not enter. What lands swings for \
         ever, and what is stacked may topple: set `viscosity` in its section, about {most:.1e} Pa·s/m³ here, or ask for a restitution",
        part.names()[first],
        part.response().name()
    ))
}

/// The part of critical damping that the material of a body takes from its swing on a contact of this stiffness (N/m): α of all of it, β of what the body
/// gives way beside the contact, where it does most easily.
fn own_damping(part: Part<'_>, elastic: &Elastic, body: usize, mass: f64, stiffness: f64) -> f64 {
    let state = part.shared::<NodeState>();
    let x: Vec<DVec3> = elastic.nodes.iter().map(|&n| state.x[n as usize]).collect();
    let poses = &part.shared::<Dofs>().bodies.pose;
    let at_rest = elastic_energy(&elastic.system, &x, poses);
    let range = elastic.system.range(body);
    let along = |up: DVec3| {
        let heights = x[range.clone()].iter().map(|p| p.dot(up));
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], z| [l.min(z), h.max(z)]);
        let mut squeezed = x.clone();
        squeezed[range.clone()].iter_mut().for_each(|p| *p -= up * (SQUEEZED * (p.dot(up) - low)));
        let way = SQUEEZED * (high - low);
        2.0 * (elastic_energy(&elastic.system, &squeezed, poses) - at_rest) / (way * way)
    };
    let gives = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()].map(along);
    let gives = gives.into_iter().fold(f64::INFINITY, f64::min).max(0.0);
    let together = stiffness * gives / (stiffness + gives);
    let [alpha, beta] = elastic.system.rayleigh(body);
    let omega = (together / mass).sqrt();
    0.5 * (alpha / omega + beta * omega * stiffness / (stiffness + gives))
}
