//! Whether contacts will be too stiff for the step where bodies lie on each other, each of which is stable alone.

use crate::adapters::vertices::Vertices;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use crate::simulation::Simulation;
use impinge_bodies::stability::StiffContact;
use impinge_bodies::stacked::{Leaning, stacks};
use impinge_bodies::{Shape, Shapes};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::{BodyKind, Evaluate, Prediction, SurfaceMap};
use impinge_geometry::DVec3;

/// Gap (of the height of the lower body) below which a body lies on another, or soon will.
const GAP: f64 = 0.01;

/// One warning for each stack in which a body is too stiff, though none is alone. `rests` says how each body rests on a floor; `None` for
/// what does not move.
pub(crate) fn stiff_stacks(
    sim: &Simulation,
    part: Part<'_>,
    rests: &[Option<StiffContact>],
) -> Vec<StiffContact> {
    let gravity = sim.column::<Forces>().0.gravity;
    if gravity.mag() == 0.0 {
        return Vec::new();
    }
    let up = -gravity.normalized();
    let laws = sim.column::<Laws>();
    let mut touching = lying(sim, up);
    touching.retain(|&(a, b)| laws.of(a, b).is_some() && part.owns(&laws, a, b));
    let fixed = Leaning { mass: f64::INFINITY, stiffness: 0.0 };
    let leaning: Vec<Leaning> = (rests.iter())
        .map(|r| r.as_ref().map_or(fixed, |r| Leaning { mass: r.whole, stiffness: r.stiffness }))
        .collect();
    let mut out = Vec::new();
    for stack in stacks(&leaning, &touching) {
        if stack.bodies.iter().any(|&b| rests[b as usize].as_ref().is_some_and(|r| r.load() > 1.0)) {
            continue;
        }
        let Some(rest) = &rests[stack.body as usize] else { continue };
        let (mass, alike) = (rest.mass / stack.factor.max(1.0), stack.bodies.len() - 1);
        let body = sim.names()[stack.body as usize].clone();
        let warning = StiffContact { body, alike: 0, mass, stack: alike + 1, ..rest.clone() };
        if warning.limit.is_finite() && warning.load() > 1.0 {
            out.push(warning);
        }
    }
    out
}

/// Pairs of bodies, one of which lies on the other against `up`.
fn lying(sim: &Simulation, up: DVec3) -> Vec<(u32, u32)> {
    let (dofs, shapes) = (sim.column::<Dofs>(), sim.column::<Shapes>());
    let (map, prediction) = (sim.column::<SurfaceMap>(), sim.column::<Prediction>());
    let at = Vertices::at(Evaluate::Start, &map, &shapes, &dofs, &prediction);
    let x: Vec<DVec3> = (0..map.vertices()).map(|v| at.position(v as u32)).collect();
    let boxes: Vec<Aabb> = (0..shapes.0.len()).map(|b| Aabb::from_points(&x[map.range(b)])).collect();
    let heights: Vec<[f64; 2]> = (0..shapes.0.len())
        .map(|b| {
            let ends = [f64::INFINITY, f64::NEG_INFINITY];
            x[map.range(b)].iter().map(|p| p.dot(up)).fold(ends, |[lo, hi], h| [lo.min(h), hi.max(h)])
        })
        .collect();
    let tall = |b: u32| heights[b as usize][1] - heights[b as usize][0];
    let fixed = |b: u32| matches!(dofs.bodies.kind[b as usize], BodyKind::Fixed | BodyKind::Kinematic);
    let grown: Vec<Aabb> = (0..boxes.len())
        .map(|b| if boxes[b].is_empty() { boxes[b] } else { boxes[b].inflated(GAP * tall(b as u32)) })
        .collect();
    let mut pairs = Vec::new();
    let on = |low: u32, high: u32| {
        let gap = heights[high as usize][0] - heights[low as usize][1];
        let least = tall(low).min(tall(high));
        gap <= GAP * least && gap >= -0.5 * least
    };
    let lies = |a: u32, b: u32| !(fixed(a) && fixed(b)) && (on(a, b) || on(b, a));
    if BodyPairs::new().find(&grown, lies, &mut pairs).is_err() {
        return Vec::new();
    }
    for (plane, shape) in shapes.0.iter().enumerate() {
        let Shape::Plane { normal, offset } = shape else { continue };
        let pose = &dofs.bodies.pose[plane];
        let (n, o) = (pose.rotation * *normal, pose.position);
        let height = |p: &DVec3| (*p - o).dot(n) - offset;
        for b in (0..boxes.len()).filter(|&b| b != plane && !map.range(b).is_empty()) {
            let lowest = x[map.range(b)].iter().map(height).fold(f64::INFINITY, f64::min);
            if lowest.abs() <= GAP * tall(b as u32) {
                pairs.push((plane.min(b) as u32, plane.max(b) as u32));
            }
        }
    }
    pairs
}
