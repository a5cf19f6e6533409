//! What a run may do at most, from the scene alone and before it is looked at.

use impinge_contact::{BodyKind, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};
use impinge_world::{Dofs, NodeState, Simulation};

/// Share of the energy in play that a step may be off: symplectic steps swing by ½ωΔt about the energy they keep (Hairer, Lubich, Wanner,
/// IX.3), and a contact resolved by 60 steps a period has ωΔt = 0.1.
pub const ENERGY: f64 = 0.05;

/// The bounds of one scene under one response.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Linear momentum that appears from nowhere in a step, over the momenta and impulses of that step.
    pub momentum: f64,
    /// Depth (m) without what is crossed in a step: half the smallest extent of the thinnest body that moves. Deeper, and a vertex is
    /// nearer to the far side. Infinite where nothing that moves has an inside.
    pub depth: f64,
    /// Distance between two runs that physics cannot tell apart (m).
    pub twin: f64,
    /// Largest extent of what moves (m).
    pub size: f64,
}

/// The bounds for a simulation that has not stepped yet.
pub fn bounds(spec: &SceneSpec, response: Response, sim: &Simulation) -> Bounds {
    let (map, nodes, dofs) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>(), sim.column::<Dofs>());
    let (mut thinnest, mut size) = (f64::INFINITY, 0.0f64);
    for b in 0..dofs.bodies.len() {
        if matches!(dofs.bodies.kind[b], BodyKind::Fixed | BodyKind::Kinematic) {
            continue;
        }
        let mut low = DVec3::broadcast(f64::INFINITY);
        let mut high = -low;
        for v in map.range(b) {
            let arm = map.arms(b)[v - map.first(b) as usize];
            let x = map.at_nodes(v as u32, &nodes.x).unwrap_or(arm);
            (low, high) = (low.min_by_component(x), high.max_by_component(x));
        }
        let extent = high - low;
        let (least, most) = (extent.component_min(), extent.component_max());
        if most.is_finite() {
            size = size.max(most);
            if least > 1e-6 * most {
                thinnest = thinnest.min(least);
            }
        }
    }
    let soft = sim.deformables() > 0;
    // What ends at a tolerance ends elsewhere within it when it starts elsewhere.
    let iterates = soft || response.response().is_implicit();
    let size = if size > 0.0 { size } else { 1.0 };
    Bounds {
        momentum: if soft { spec.deformable.tolerance.max(1e-12) } else { 1e-12 },
        depth: 0.5 * thinnest,
        twin: size * if iterates { 1e-6 } else { 1e-9 },
        size,
    }
}
