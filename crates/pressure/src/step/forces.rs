//! One patch: its surface at given poses, its tractions for given motions, and how both change.

use super::tables::{
    PatchLaw, PressureBodies, PressureBody, PressureFriction, PressurePatch, PressureSettings,
};
use super::trial::Twists;
use crate::energy::energy_again;
use crate::{
    BristleLaw, BristleState, Coulomb, Dissipation, Face, Matrix12, Motion, Quadrature, Rule, TractionLaw,
    Wrench, contact_again, pair_stiffness, traction_slope, tractions,
};
use impinge_bodies::Dofs;
use impinge_contact::{BodyKind, Damping, PairLaw, SurfaceVelocity};
use impinge_geometry::{DVec3, Pose, bent, shared_spin, try_normalized};

/// The laws of a pair: damping from the bodies, or from the pair's law where neither has its own.
pub(crate) fn law_of(
    settings: &PressureSettings,
    law: &PairLaw,
    a: &PressureBody,
    b: &PressureBody,
    surface_velocity: [Option<SurfaceVelocity>; 2],
) -> PatchLaw {
    let (ea, eb) = (a.solid.modulus(), b.solid.modulus());
    let of_law = if let Damping::HuntCrossley(chi) = law.damping.plain() { chi } else { 0.0 };
    let chi = match (a.dissipation, b.dissipation) {
        (None, None) => of_law,
        // What does not yield has a modulus of 0 here and takes no part.
        (x, y) => {
            let (wa, wb) = if ea > 0.0 && eb > 0.0 { (eb, ea) } else { (ea, eb) };
            (wa * x.unwrap_or(0.0) + wb * y.unwrap_or(0.0)) / (wa + wb)
        }
    };
    let dissipation = if chi > 0.0 { Dissipation::HuntCrossley(chi) } else { Dissipation::None };
    let quadrature = Quadrature::Two;
    let (mu_s, mu_k) = law.friction.map_or((0.0, 0.0), |f| (f.mu_s, f.mu_k));
    let none = TractionLaw { dissipation, friction: Coulomb::default(), quadrature };
    let bristle = |stiffness, damping| BristleLaw {
        mu_s,
        mu_k,
        stiffness,
        damping,
        dissipation,
        quadrature,
        plane: None,
    };
    match settings.friction {
        _ if mu_s == 0.0 => PatchLaw { law: none, summed: Some(bristle(0.0, 0.0)), surface_velocity },
        PressureFriction::Bristles { stiffness, damping } => {
            PatchLaw { law: none, summed: Some(bristle(stiffness, damping)), surface_velocity }
        }
        PressureFriction::Coulomb { regularisation, stribeck } => {
            let friction = Coulomb { mu_s, mu_k, stribeck, regularisation };
            PatchLaw { law: TractionLaw { friction, ..none }, summed: None, surface_velocity }
        }
    }
}

/// Finds the contact surface at these poses.
pub(crate) fn query(patch: &mut PressurePatch, bodies: &PressureBodies, poses: &[Pose]) {
    let (a, b) = (patch.a as usize, patch.b as usize);
    let PressurePatch { surface, coherence, workspace, .. } = patch;
    if let (Some(x), Some(y)) = (&bodies.bodies[a], &bodies.bodies[b]) {
        // Pairs that have no contact surface are refused when the world is built; a pose that is not finite leaves the
        // surface empty, and the check of the state names the body.
        let _ = contact_again(
            &x.solid,
            &poses[a],
            &y.solid,
            &poses[b],
            Rule::Paper,
            coherence,
            workspace,
            surface,
        );
        // A margin shows what is near; it does not pull.
        if x.solid.has_margin() || y.solid.has_margin() {
            surface.keep_pressing();
        }
    }
}

/// The stored energy at these poses (J).
pub(crate) fn stored(patch: &mut PressurePatch, bodies: &PressureBodies, poses: &[Pose]) {
    let (a, b) = (patch.a as usize, patch.b as usize);
    patch.energy = match (&bodies.bodies[a], &bodies.bodies[b]) {
        (Some(x), Some(y)) if !patch.surface.is_empty() => {
            energy_again((&x.solid, &poses[a]), (&y.solid, &poses[b]), &mut patch.pieces).unwrap_or(0.0)
        }
        _ => 0.0,
    };
}

/// Velocity of `a` against `b` at a point of the world, and spin.
pub(crate) fn motion_at(patch: &PressurePatch, poses: &[Pose], twists: &Twists, point: DVec3) -> Motion {
    let (a, b) = (patch.a as usize, patch.b as usize);
    let at = |s: usize| twists.velocity[s] + twists.spin[s].cross(point - poses[s].position);
    let bodies = Motion { velocity: at(a) - at(b), spin: twists.spin[a] - twists.spin[b], point };
    let belts = surfaces_at(patch, poses, point).unwrap_or_default();
    let velocity = bodies.velocity + belts.velocity + off_the_arc(patch, poses, twists, point);
    Motion { velocity, spin: bodies.spin + belts.spin, point }
}

/// What the mean slip has beyond the slip of the moment (m/s), in the time that velocities are the mean of: bodies that turn together do not slip.
fn off_the_arc(patch: &PressurePatch, poses: &[Pose], twists: &Twists, point: DVec3) -> DVec3 {
    let [a, b] = [0, 1].map(|side| {
        let (slot, [v, w]) = ([patch.a, patch.b][side] as usize, surface_at(patch, side, poses, point));
        let spin = twists.spin[slot];
        (spin + w, spin.cross(point - poses[slot].position) + v)
    });
    let all = bent(shared_spin(a.0, b.0), a.1 - b.1, twists.mean_over);
    if all == DVec3::zero() {
        return all;
    }
    try_normalized(patch.surface.wrench.force).map_or_else(DVec3::zero, |n| all - n * n.dot(all))
}

/// Velocity and spin of the surface of one side against its body.
fn surface_at(patch: &PressurePatch, side: usize, poses: &[Pose], point: DVec3) -> [DVec3; 2] {
    let pose = &poses[[patch.a, patch.b][side] as usize];
    let of = |s: SurfaceVelocity| [s.at(pose.point_to_body(point)), s.spin].map(|v| pose.vector_to_world(v));
    patch.law.surface_velocity[side].map_or([DVec3::zero(); 2], of)
}

/// What surfaces that move against their bodies add to the motion of `a` against `b`: along the mean plane of the patch alone.
pub(crate) fn surfaces_at(patch: &PressurePatch, poses: &[Pose], point: DVec3) -> Option<Motion> {
    if patch.law.surface_velocity.iter().all(Option::is_none) {
        return None;
    }
    let n = try_normalized(patch.surface.wrench.force)?;
    let [[va, wa], [vb, wb]] = [0, 1].map(|side| surface_at(patch, side, poses, point));
    let (velocity, spin) = (va - vb, wa - wb);
    Some(Motion { velocity: velocity - n * n.dot(velocity), spin: n * n.dot(spin), point })
}

/// Where the impulses of a step act on two bodies that move during it.
///
/// Forces are those of the end, moments are booked about the centres at the start, and both bodies must be pushed at one
/// point or angular momentum is lost. From the centre of the surface at the end the point goes back by the ways of the bodies,
/// weighted by their inverse masses: the light one, and one on the ground, sees its own arm.
pub(crate) struct Lever {
    /// Of `a` and of `b`; they sum to 1.
    pub weight: [f64; 2],
    /// Way of `a` against `b` in the step (m).
    pub way: DVec3,
    /// Mean way by weight (m).
    pub back: DVec3,
}

impl Lever {
    #[must_use]
    pub fn new(patch: &PressurePatch, dofs: &Dofs, ends: &[Pose]) -> Self {
        let slots = [patch.a, patch.b].map(|s| s as usize);
        let light = slots.map(|s| match dofs.bodies.kind[s] {
            BodyKind::Rigid if dofs.bodies.mobility[s].locked().translations() != [true; 3] => {
                1.0 / dofs.bodies.mass[s]
            }
            _ => 0.0,
        });
        let sum = light[0] + light[1];
        let weight = if sum > 0.0 { light.map(|x| x / sum) } else { [0.5; 2] };
        let ways = slots.map(|s| ends[s].position - dofs.bodies.pose[s].position);
        Self { weight, way: ways[0] - ways[1], back: ways[0] * weight[0] + ways[1] * weight[1] }
    }
}

/// Pressure and friction on `a` about the centre of the surface.
pub(crate) fn press(patch: &mut PressurePatch, poses: &[Pose], twists: &Twists, dt: f64) {
    let nothing = Wrench { point: patch.surface.origin, ..Wrench::default() };
    (patch.normal, patch.friction, patch.sliding) = (nothing, nothing, 0.0);
    let Some(centre) = patch.surface.centroid() else { return };
    let motion = motion_at(patch, poses, twists, centre);
    patch.motion = motion;
    let lanes = patch.law.summed.as_ref().and_then(|law| {
        patch.points.fill(&patch.surface, law.quadrature, law.dissipation);
        let pose_b = &poses[patch.b as usize];
        patch.points.press(&patch.surface, pose_b, &motion, law, dt, &patch.before)
    });
    if let Some(t) = lanes {
        (patch.normal, patch.friction) = (t.normal.about(centre), t.friction.about(centre));
        patch.sliding = if patch.law.bristles().is_some() { t.sliding } else { 1.0 };
        return;
    }
    let t = tractions(&patch.surface, &motion, &patch.law.law, None);
    (patch.normal, patch.friction) = (t.normal.about(centre), t.friction.about(centre));
    patch.sliding = if patch.law.bristles().is_some() { 0.0 } else { 1.0 };
}

/// Bristles of a patch stretch in the plane of the surface it has now, whatever surface it gets.
pub(crate) fn hold_plane(patch: &mut PressurePatch) {
    let s = &patch.surface;
    let push = |sum: DVec3, f: &Face| sum + f.normal * (f.pressure.max(0.0) * f.area);
    let mean = s.faces.iter().fold(DVec3::zero(), push);
    if let Some(law) = &mut patch.law.summed {
        law.plane = try_normalized(s.rotation * mean);
    }
}

/// What the friction of a patch remembers after a step that ends as last pressed.
pub(crate) fn remember(patch: &mut PressurePatch, poses: &[Pose], dt: f64) {
    let (s, b) = (&patch.surface, &poses[patch.b as usize]);
    patch.next = match patch.law.bristles() {
        Some(law) if !s.is_empty() => {
            patch.points.remember(s, b, &patch.motion, law, dt, &patch.before, patch.sliding)
        }
        _ => BristleState::default(),
    };
}

/// −Δt ∂(wrenches of both bodies about their centres)/∂(their twists at the end of a step of `dt`): what the pair adds to
/// the masses in the tangent of an implicit step. Arms are those of [`Lever`]. `false` where nothing touches.
pub(crate) fn tangent(
    patch: &PressurePatch,
    poses: &[Pose],
    twists: &Twists,
    lever: &Lever,
    dt: f64,
    k: &mut Matrix12,
) -> bool {
    let s = &patch.surface;
    let Some(centre) = s.centroid() else { return false };
    let ends = [patch.a, patch.b].map(|b| poses[b as usize].position);
    let motion = motion_at(patch, poses, twists, centre);
    let lanes = patch.law.summed.as_ref().and_then(|law| {
        let pose_b = &poses[patch.b as usize];
        patch.points.slope(s, pose_b, &motion, law, dt, &patch.before, centre)
    });
    let slope = lanes.unwrap_or_else(|| traction_slope(s, &motion, &patch.law.law, centre));
    let stiff = pair_stiffness(s, ends[0], ends[1]);
    // Damping scales the pressure, and friction goes with it.
    let (pressed, damped) = (s.wrench.force.mag(), patch.normal.force.mag());
    let raised = if pressed > 0.0 { damped / pressed } else { 0.0 };
    let normal = try_normalized(s.wrench.force).unwrap_or_else(DVec3::zero);
    let arms = ends.map(|x| centre - x);
    let total = patch.normal.force + patch.friction.force;
    for c in 0..12 {
        let (side, c6) = (c / 6, c % 6);
        let e = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][c6 % 3];
        let sign = if side == 0 { 1.0 } else { -1.0 };
        // The unit twist of one body as a motion of a against b at the centre.
        let (v, w) = if c6 < 3 { (e, DVec3::zero()) } else { (e.cross(arms[side]), e) };
        let rel = [v.x, v.y, v.z, w.x, w.y, w.z].map(|x| x * sign);
        let row = |r: usize| (0..6).map(|j| slope[r][j] * rel[j]).sum::<f64>();
        let grown = (0..3).map(|r| normal[r] * stiff[r][c]).sum::<f64>() * dt;
        let share = if pressed > 0.0 { grown / pressed } else { 0.0 };
        let force = DVec3::new(row(0), row(1), row(2)) + patch.friction.force * share;
        let torque = DVec3::new(row(3), row(4), row(5)) + patch.friction.torque * share;
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let t = torque + arms[side].cross(force);
            for r in 0..3 {
                k[6 * side + r][c] = -dt * (sign * force[r] + dt * raised * stiff[6 * side + r][c]);
                k[6 * side + 3 + r][c] = -dt * (sign * t[r] + dt * raised * stiff[6 * side + 3 + r][c]);
            }
        }
        // The arms of the lever are longer than those from the ends, and grow with the way of one body against the other.
        let way = if c6 < 3 { e * (if side == 0 { dt } else { -dt }) } else { DVec3::zero() };
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let f = DVec3::new(k[6 * side][c], k[6 * side + 1][c], k[6 * side + 2][c]);
            let longer = (way * lever.weight[1 - side]).cross(total) * -dt;
            let t = (lever.way * (sign * lever.weight[1 - side])).cross(f) + longer;
            (0..3).for_each(|r| k[6 * side + 3 + r][c] += t[r]);
        }
    }
    true
}
