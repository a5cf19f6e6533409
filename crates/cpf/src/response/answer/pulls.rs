//! How many points of each pair touch in a step, and how stiff their friction may be beside all others of the same bodies.

use super::{CpfAnswer, LAYERS};
use crate::Force;
use crate::response::on_ways::dips;
use impinge_bodies::{Dofs, Shape, Shapes, world_plane};
use impinge_contact::{Damping, PairLaw, Pairs, Prediction, Surface, Takes, Touched};
use impinge_geometry::{DVec3, Pose};
use impinge_swept::{List, Matter, SweptCandidates, part};

/// What a spring takes of a step by k Δt²/m, where its force is that of the way or of the end.
const ON_THE_WAY: f64 = 0.5;
const AT_END: f64 = 0.75;

/// Calls with each vertex that may meet a plane and is below it in the step, and how deep at an end (m).
fn on_planes(
    candidates: &SweptCandidates,
    surface: &Surface,
    (shapes, dofs, prediction): (&Shapes, &Dofs, &Prediction),
    mut met: impl FnMut(usize, DVec3, f64),
) {
    let c = candidates.planes.view();
    for i in 0..c.len() {
        let (v, target) = (c.vertex[i] as usize, c.target[i] as usize);
        let Shape::Plane { normal, offset } = shapes.0[target] else { continue };
        let below = |pose: &Pose, x: DVec3| {
            let (n, d) = world_plane(pose, normal, offset);
            d - n.dot(x)
        };
        let (start, end) = (&dofs.bodies.pose[target], &prediction.pose[target]);
        let plane = world_plane(start, normal, offset);
        let dips = || dips(surface, &candidates.ways, [c.vertex[i], c.target[i]], plane);
        let depth = below(start, surface.x0[v]).max(below(end, surface.x1[v]));
        if depth > 0.0 || dips() {
            met(i, plane.0, depth.max(0.0));
        }
    }
}

/// What one point takes: the law and whether its friction yields, the factor that makes it that of the point, its elastic impulse (N·s) and how many
/// points share a damper; the step (s), and when springs along and across are taken.
fn takes(
    (law, yields): (&PairLaw, bool),
    (per_point, impulse, points): (f64, f64, f64),
    (dt, springs): (f64, [f64; 2]),
) -> Takes {
    let damper = match law.damping.plain() {
        Damping::KelvinVoigt(c) => c * per_point / points.sqrt(),
        Damping::HuntCrossley(chi) => chi * impulse / dt,
        Damping::None | Damping::Restitution(_) => 0.0,
    };
    let of = |k: f64, c: f64, part: f64| part * k * dt * dt + 0.5 * c * dt;
    let along = of(law.stiffness.value() * per_point, damper, springs[0]);
    let across = law.friction.map_or(0.0, |f| of(f.k_fp * per_point, f.k_fd * per_point, springs[1]));
    Takes { along, across, yields }
}

impl CpfAnswer {
    /// How many points of each pair touch in the step; the contacts of features are in `starts`.
    pub(super) fn points(
        &self,
        pairs: &Pairs,
        candidates: &SweptCandidates,
        surface: &Surface,
        world: (&Shapes, &Dofs, &Prediction),
    ) -> Vec<f64> {
        let mut points = vec![0.0; pairs.len()];
        self.by_pair.iter().zip(&self.parts).for_each(|(&(pair, ..), part)| points[pair as usize] += part);
        on_planes(candidates, surface, world, |i, _, _| points[candidates.planes.pair[i] as usize] += 1.0);
        points
    }

    /// Finds the part of its stiffness and of its damping that the friction of each pair may have; none where all have all of it. `points` are those of pairs whose
    /// law asks for a restitution.
    pub(super) fn friction_parts(
        &mut self,
        (pairs, candidates, surface): (&Pairs, &SweptCandidates, &Surface),
        (matter, dofs, prediction): (&Matter<'_>, &Dofs, &Prediction),
        dt: f64,
        points: &[f64],
    ) {
        self.rubs.clear();
        let laws = &matter.laws.laws;
        let yields = &matter.laws.yields;
        if !yields.contains(&true) {
            return;
        }
        let bodies = &dofs.bodies;
        let integrated = self.force == Force::Integrated;
        let at = |along: bool| if along { ON_THE_WAY } else { AT_END };
        let when = (dt, [at(integrated), at(integrated && self.friction_along)]);
        let Self { pulls, rubs, by_pair, found, layers, .. } = self;
        pulls.begin(bodies);
        let of = |pair: u32, area: f64, share: f64, impulse: f64| {
            let number = pairs.law[pair as usize] as usize;
            let law = &laws[number];
            let per_point = law.point_stiffness(area, part(pairs.sides[pair as usize])).1 * share;
            let sharing =
                law.damping.restitution().and(points.get(pair as usize)).map_or(1.0, |n| n.max(1.0));
            let may = yields.get(number) == Some(&true);
            takes((law, may), (per_point, impulse, sharing), when)
        };
        for &(pair, l, i) in &*by_pair {
            let (list, key, stencil, weight, normal, share, impulse) = if l == LAYERS {
                let row = &layers.rows[i as usize];
                let does = &row.does;
                (row.list, row.key, row.stencil, row.weight, does.normal, row.share, does.impulse)
            } else {
                let (rows, i) = (&found[l as usize], i as usize);
                let (stencil, weight) = (rows.stencil[i], rows.weight[i]);
                let list = List::ALL[l as usize];
                (list, rows.key[i], stencil, weight, rows.normal[i], rows.share[i], rows.impulse[i])
            };
            let area = matter.area(list, stencil[0], key);
            let touched = Touched { stencil: &stencil, weight: &weight, x: &surface.x0, plane: None };
            let takes = of(pair, area, share, impulse.dot(normal));
            pulls.add((matter.map, bodies), &touched, normal, takes);
        }
        on_planes(candidates, surface, (matter.shapes, dofs, prediction), |i, normal, depth| {
            let c = candidates.planes.view();
            let (pair, vertex) = (c.pair[i], c.vertex[i]);
            let law = &laws[pairs.law[pair as usize] as usize];
            let area = matter.shapes.vertex_area(matter.map, vertex);
            let k = law.point_stiffness(area, part(pairs.sides[pair as usize])).0;
            let (stencil, plane) = ([vertex], Some(c.target[i]));
            let touched = Touched { stencil: &stencil, weight: &[1.0], x: &surface.x0, plane };
            let takes = of(pair, area, 1.0, k * depth * dt);
            pulls.add((matter.map, bodies), &touched, normal, takes);
        });
        pulls.parts(bodies, pairs, yields, rubs);
    }
}
