//! Pressure fields for bodies that have none: so that a scene written for another response runs under `pressure` too.

use crate::pressure::has_exact_field;
use crate::spec::FieldKind;
use crate::spec::{
    BodySpec, DampingSpec, Mass, Motion, PairSpec, PressureSpec, Response, RestitutionLaw, SceneSpec, Shape,
    Stiffness,
};
use impinge_bodies::first_two;
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{TriMesh, mass_properties};
use impinge_penalty::{Release, hunt_crossley_from_restitution, linear_restitution};

/// Depth that a body sinks into the ground under its own weight, over its smallest side.
const SUNK: f64 = 1e-4;
/// Modulus where nothing weighs (Pa): hard rubber, as that of shells.
const WEIGHTLESS: f64 = 1e7;
/// Restitution of a law whose damping lets nothing come back: the field keeps a little.
const LEAST: f64 = 0.01;

impl SceneSpec {
    /// The bodies that show what any can meet: two of each sort.
    pub(crate) fn first_of_each_sort(&self) -> Vec<usize> {
        let sort = |(slot, b): (usize, &BodySpec)| {
            let rigid = matches!(b.shape, Shape::Mesh(_) | Shape::Plane { .. });
            let moves = !matches!(b.motion, Motion::Fixed | Motion::Kinematic(_));
            let groups = [b.groups.membership, b.groups.filter];
            (b.material, groups, [rigid, moves, b.pressure.is_some()], self.patterns_of(slot))
        };
        first_two(self.bodies.iter().enumerate().map(sort)).collect()
    }

    /// The field that body `slot` gets under `response` when it has none, moves, and meets another body without one. `others` are the
    /// [first of each sort](Self::first_of_each_sort).
    ///
    /// With E = m g h/(V · 2e-4), h its smallest side and V its volume, a box of that height sinks 1e-4 h under its own weight. A law
    /// that damps by Kelvin and Voigt, which contact surfaces have no points for, becomes a dissipation with the same
    /// restitution for one contact point at the speed of a fall by h.
    pub(crate) fn assumed_field(
        &self,
        slot: usize,
        mesh: &TriMesh,
        response: Response,
        others: &[usize],
    ) -> Option<PressureSpec> {
        let body = &self.bodies[slot];
        let (Motion::Rigid(motion), Shape::Mesh(shape), None) = (&body.motion, &body.shape, &body.pressure)
        else {
            return None;
        };
        if !self.responses_under(response).contains(&Response::PRESSURE) {
            return None;
        }
        let meets = |other: usize| {
            let o = &self.bodies[other];
            let rigid = matches!(o.shape, Shape::Mesh(_) | Shape::Plane { .. });
            let presses = self
                .response_between(slot, other, response)
                .is_some_and(|r| self.with_settings(r).needs_fields());
            other != slot
                && rigid
                && presses
                && o.pressure.is_none()
                && self.can_meet(slot.min(other), slot.max(other))
        };
        // What follows depends on the material of the other alone.
        let mut met = vec![false; self.materials.len()];
        for &other in others {
            let material = self.bodies[other].material;
            met[material] = met[material] || meets(other);
        }
        if met.iter().all(|m| !m) {
            return None;
        }
        let solid = mass_properties(mesh).ok()?;
        let (lo, hi) = mesh.bounds();
        let side = (hi - lo).component_min();
        let mass = match motion.mass {
            Mass::Density(d) => d * solid.volume,
            Mass::Total(m) => m,
        };
        let gravity = self.gravity.mag();
        let weight = mass * gravity;
        let modulus = if weight > 0.0 { weight * side / (2.0 * SUNK * solid.volume) } else { WEIGHTLESS };
        let speed = if gravity > 0.0 { (2.0 * gravity * side).sqrt() } else { 1.0 };
        let own = self.materials[body.material].name.as_str();
        let others = self.materials.iter().zip(&met).filter(|(_, met)| **met);
        let chi = others.filter_map(|(other, _)| {
            let of_all = PairSpec::of_all();
            let law = if self.pairs.is_empty() { &of_all } else { self.pair_law(own, &other.name)? };
            let (damping, stiffness) = self.numbers_for(law, mass);
            let e = viscous_restitution(damping, stiffness, solid.volume / side, mass, self.release())?;
            hunt_crossley_from_restitution(e.max(LEAST), speed)
        });
        Some(PressureSpec {
            modulus,
            dissipation: chi.reduce(f64::max),
            field: if has_exact_field(shape) { FieldKind::Exact } else { FieldKind::Distance },
            resolution: None,
            solid: None,
            thickness: 1.0,
            law: None,
        })
    }
}

impl SceneSpec {
    /// Damping and stiffness of a law, where they follow from the bodies those for a mass (kg) on one contact point.
    fn numbers_for(&self, law: &PairSpec, mass: f64) -> (DampingSpec, Stiffness) {
        let Some(what) = law.suggested else { return (law.damping, law.stiffness) };
        let own = PairLaw::suggested(mass, self.dt, 0.0);
        (if what.damping { DampingSpec::Given(own.damping) } else { law.damping }, own.stiffness)
    }
}

/// The restitution that a law with Kelvin–Voigt damping has for this mass (kg) on one contact point, or on an area (m²) where the
/// law is per area; `None` for other laws.
fn viscous_restitution(
    damping: DampingSpec,
    stiffness: Stiffness,
    area: f64,
    mass: f64,
    release: Release,
) -> Option<f64> {
    match damping {
        DampingSpec::Restitution { e, law: RestitutionLaw::KelvinVoigt { .. } } => Some(e),
        DampingSpec::Given(Damping::KelvinVoigt(c)) => {
            let (k, c) = match stiffness {
                Stiffness::PerContact(k) => (k, c),
                Stiffness::PerArea(k) => (k * area, c * area),
            };
            let zeta = c / (2.0 * (k * mass).sqrt());
            Some(linear_restitution(zeta, release))
        }
        _ => None,
    }
}
