//! How stiff the bristles of an explicit step may be: those of all patches of a body pull at it together.

use super::forces::motion_at;
use super::tables::PressurePatch;
use super::trial::Twists;
use crate::quadrature::for_each_point;
use crate::traction::factor;
use impinge_bodies::Dofs;
use impinge_contact::{BodyKind, stable_bristles};
use impinge_geometry::{DVec3, tangents};

fn moves(dofs: &Dofs, slot: u32) -> bool {
    dofs.bodies.kind[slot as usize] == BodyKind::Rigid
}

/// Velocity (m/s) that a unit of impulse at a place across `normal` gives two bodies against each other there, the way it gives most (1/kg).
fn gives(dofs: &Dofs, slots: [u32; 2], place: DVec3, normal: DVec3) -> f64 {
    let (bodies, [t, s]) = (&dofs.bodies, tangents(normal));
    let (mut first, mut second, mut between) = (0.0, 0.0, 0.0);
    for slot in slots.into_iter().filter(|&s| moves(dofs, s)).map(|s| s as usize) {
        let (pose, mobility, mass) = (&bodies.pose[slot], &bodies.mobility[slot], bodies.mass[slot]);
        let (inverse, arm) = (mobility.inverse_at(pose), place - pose.position);
        let of =
            |a: DVec3, b: DVec3| mobility.linear(a).dot(b) / mass + arm.cross(a).dot(inverse * arm.cross(b));
        first += of(t, t);
        second += of(s, s);
        between += of(t, s);
    }
    let half = 0.5 * (first - second);
    0.5 * (first + second) + (half * half + between * between).sqrt()
}

/// Σ N w of the points of a patch (m/s²).
fn pull(patch: &PressurePatch, dofs: &Dofs, twists: &Twists) -> f64 {
    let (Some(law), s) = (patch.law.bristles(), &patch.surface) else { return 0.0 };
    let Some(centre) = s.centroid() else { return 0.0 };
    let motion = motion_at(patch, &dofs.bodies.pose, twists, centre);
    let mut sum = 0.0;
    for f in &s.faces {
        let (n, gain) = (s.rotation * f.normal, law.dissipation.gain(s, f));
        for_each_point(s, f, law.quadrature, |x, p, area| {
            let place = s.to_world(x);
            let moving = motion.velocity + motion.spin.cross(place - motion.point);
            let pressed = p * factor(gain, n.dot(moving)) * area;
            if pressed > 0.0 {
                sum += pressed * gives(dofs, [patch.a, patch.b], place, n);
            }
        });
    }
    sum
}

/// Gives the bristles of each patch a stiffness that a step of `dt` (s) can follow. `load` is scratch.
pub(crate) fn soften(
    patches: &mut [PressurePatch],
    dofs: &Dofs,
    twists: &Twists,
    dt: f64,
    load: &mut Vec<f64>,
) {
    load.clear();
    load.resize(dofs.bodies.len(), 0.0);
    for patch in &*patches {
        let pulls = pull(patch, dofs, twists) * dt;
        [patch.a, patch.b].into_iter().filter(|&b| moves(dofs, b)).for_each(|b| load[b as usize] += pulls);
    }
    for patch in patches {
        let most = [patch.a, patch.b].map(|b| load[b as usize]).into_iter().fold(0.0, f64::max);
        if let Some(law) = &mut patch.law.summed {
            law.stiffness = stable_bristles([law.stiffness, law.damping], most, dt);
        }
    }
}
