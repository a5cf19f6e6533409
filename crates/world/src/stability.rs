//! Whether contacts will be too stiff for the step, asked of every body before the first one: the estimate is [`impinge_bodies::stability`].

use crate::alike::identity;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use crate::simulation::Simulation;
use crate::stacks::stiff_stacks;
use impinge_bodies::stability::{Resting, stiffest_rest};
use impinge_bodies::{Elastic, NodeState, Shape, Shapes, ways_up};
use impinge_contact::{BodyKind, Damping, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_integrators::{Scheme, node_inertia};
use std::cell::OnceCell;

pub use impinge_bodies::stability::StiffContact;
pub(crate) use impinge_bodies::stability::limits;

/// What a body's estimate depends on.
#[derive(PartialEq)]
struct Alike {
    shape: usize,
    mass: u64,
    law: u32,
}

impl Simulation {
    /// Bodies whose contacts are likely to be too stiff for the step under the response in place, by slot; bodies that are alike
    /// share a warning. Says nothing of pairs that a rule or their shape keeps apart.
    pub fn warnings(&self) -> Vec<StiffContact> {
        self.parts().flat_map(|part| self.stiff_under(part)).collect()
    }

    fn stiff_under(&self, part: Part<'_>) -> Vec<StiffContact> {
        let (dofs, shapes) = (self.column::<Dofs>(), self.column::<Shapes>());
        let (laws, forces) = (self.column::<Laws>(), self.column::<Forces>());
        let gravity = forces.0.gravity.mag();
        let response = part.response();
        if response.stability_limit(self.recipe.scheme) == f64::INFINITY {
            return Vec::new();
        }
        let own_stiffness = response.own_stiffness();
        let partners = laws.partners();
        let inertia = OnceCell::new();
        let mut seen: Vec<(Alike, Option<usize>, StiffContact)> = Vec::new();
        let mut out: Vec<StiffContact> = Vec::new();
        // How each body rests under its stiffest law.
        let mut rests: Vec<Option<StiffContact>> = vec![None; shapes.0.len()];
        let stiffer = |a: &StiffContact, b: &StiffContact| a.load() > b.load();
        for (b, shape) in shapes.0.iter().enumerate() {
            let Some((mass, whole)) = self.mass_in_contact(&dofs, b) else { continue };
            // Of the first two of a material one is another body.
            let mut lawful: Vec<u32> = (partners.iter().copied().chain([b as u32]))
                .filter(|&o| part.owns(&laws, o.min(b as u32), o.max(b as u32)))
                .filter_map(|o| self.law_between(&laws, &shapes, b as u32, o))
                .collect();
            lawful.sort_unstable();
            lawful.dedup();
            // A stiffness of its own is no matter of the law.
            if own_stiffness.is_some() {
                lawful.truncate(1);
            }
            for law in lawful {
                let key = Alike { shape: identity(shape, b), mass: mass.to_bits(), law };
                if let Some((_, warned, rest)) = seen.iter().find(|(k, ..)| *k == key) {
                    if let Some(w) = *warned {
                        out[w].alike += 1;
                    }
                    if rests[b].as_ref().is_none_or(|r| stiffer(rest, r)) {
                        rests[b] = Some(rest.clone());
                    }
                    continue;
                }
                let (law, weight) = (&laws.laws[law as usize], mass * gravity);
                let own = own_stiffness.map(|at_rest| at_rest(part, b, shape, weight, &ways_up()));
                let of = |area: f64| {
                    let (k, per_point) = law.point_stiffness(area, 1.0);
                    let c =
                        if let Damping::KelvinVoigt(c) = law.damping.plain() { c * per_point } else { 0.0 };
                    (k, c)
                };
                let mut rest = match (own, shape) {
                    (Some(known), _) => {
                        let damping = response.own_damping() * known.1;
                        Resting { damping, ..Resting::undamped(known) }
                    }
                    (None, Shape::Mesh(m)) => {
                        let rocks = Some((mass, *dofs.bodies.mobility[b].inverse_inertia()));
                        stiffest_rest(m.mesh.positions(), |i| of(m.areas[i]), weight, rocks)
                    }
                    (None, Shape::Soft(s)) if whole => s.mesh.as_ref().map_or_else(Resting::default, |m| {
                        stiffest_rest(m.positions(), |i| of(s.areas[i]), weight, None)
                    }),
                    (None, Shape::Soft(_) | Shape::Points { .. }) => {
                        let (stiffness, damping) = of(0.0);
                        Resting { contacts: 1, stiffness, damping, rocking: 1.0 }
                    }
                    (None, Shape::Plane { .. }) => Resting::default(),
                };
                if law.damping.restitution().is_some() && own.is_none() {
                    // One damper for all that touch.
                    rest.damping /= (rest.contacts as f64).max(1.0).sqrt();
                }
                if let (Damping::HuntCrossley(chi), None) = (law.damping.plain(), own) {
                    // Σ k δ is the weight.
                    rest.damping += chi * weight;
                }
                let warning = StiffContact {
                    body: self.names()[b].clone(),
                    alike: 0,
                    response: response.name(),
                    contacts: rest.contacts,
                    stiffness: rest.stiffness,
                    damping: rest.damping,
                    mass: mass / rest.rocking,
                    whole: mass,
                    stack: 1,
                    dt: self.dt(),
                    limit: response.stability_limit(self.recipe.scheme),
                };
                // Each node of what deforms swings on its own contact, too.
                let nodes = whole && own.is_none() && matches!(shape, Shape::Soft(_));
                let alone = nodes.then(|| {
                    let inertia = inertia.get_or_init(|| self.inertia_of_nodes(&dofs));
                    let one = |(i, mass): (usize, f64)| {
                        let (stiffness, damping) = of(area(shape, i));
                        let alone = StiffContact { contacts: 1, stiffness, damping, mass, ..warning.clone() };
                        StiffContact { whole: mass, ..alone }
                    };
                    let all = self.vertices_at_nodes(b, inertia).map(one);
                    all.filter(|a| stiffer(a, &warning)).reduce(|a, c| if stiffer(&c, &a) { c } else { a })
                });
                let told = alone.flatten().unwrap_or_else(|| warning.clone());
                let stiff = told.limit.is_finite() && told.load() > 1.0;
                seen.push((key, stiff.then_some(out.len()), warning.clone()));
                if rests[b].as_ref().is_none_or(|r| stiffer(&warning, r)) {
                    rests[b] = Some(warning);
                }
                if stiff {
                    out.push(told);
                }
            }
        }
        for stack in stiff_stacks(self, part, &rests) {
            match out.iter_mut().find(|alone| alone.body == stack.body) {
                Some(alone) if stack.load() > alone.load() => *alone = stack,
                Some(_) => {}
                None => out.push(stack),
            }
        }
        out
    }

    /// What a contact on each node of a deformable acts on in an implicit step, at most (kg), by node of the world; 0 of loose points.
    fn inertia_of_nodes(&self, dofs: &Dofs) -> Vec<f64> {
        let (elastic, state) = (self.column::<Elastic>(), self.column::<NodeState>());
        let x: Vec<DVec3> = elastic.nodes.iter().map(|&n| state.x[n as usize]).collect();
        let after = if self.recipe.scheme == Scheme::ImplicitMidpoint { 0.5 } else { 1.0 };
        let found = node_inertia(&elastic.system, &x, after * self.dt());
        let mut out = vec![0.0; dofs.nodes.mass.len()];
        elastic.nodes.iter().zip(found).for_each(|(&n, m)| out[n as usize] = m);
        // A tie is a spring of its own.
        elastic
            .system
            .ties()
            .iter()
            .for_each(|t| out[elastic.nodes[t.node as usize] as usize] = f64::INFINITY);
        out
    }

    /// Surface vertices of a body that lie at a node, counted from its first, and what a contact there acts on (kg), as in `inertia`.
    fn vertices_at_nodes(&self, body: usize, inertia: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        let map = self.column::<SurfaceMap>();
        let first = map.first(body);
        let mut out = Vec::new();
        for v in map.range(body) {
            let Some((nodes, weights)) = map.nodes_of(v as u32) else { continue };
            let at = (0..4).find(|&k| weights[k] == 1.0);
            out.extend(at.map(|k| (v - first as usize, inertia[nodes[k] as usize])));
        }
        out.into_iter().filter(|(_, mass)| *mass > 0.0 && mass.is_finite())
    }

    /// The mass that contacts of a body act on (kg), and whether that is the whole body: of loose vertices the lightest. An
    /// implicit step holds the nodes of a deformable together, and then the whole body is looked at, and each node as it holds it.
    fn mass_in_contact(&self, dofs: &Dofs, body: usize) -> Option<(f64, bool)> {
        let nodes = || self.nodes_of(body as u32).map(|n| dofs.nodes.mass[n]);
        let implicit = !matches!(self.recipe.scheme, Scheme::SymplecticEuler | Scheme::ExplicitEuler);
        let (mass, whole) = match dofs.bodies.kind[body] {
            BodyKind::Fixed | BodyKind::Kinematic => return None,
            BodyKind::Rigid => (dofs.bodies.mass[body], true),
            BodyKind::Deformable if implicit => (nodes().sum(), true),
            BodyKind::Deformable | BodyKind::Particles => (nodes().fold(f64::INFINITY, f64::min), false),
        };
        (mass.is_finite() && mass > 0.0).then_some((mass, whole))
    }

    /// The law by which two bodies can meet.
    fn law_between(&self, laws: &Laws, shapes: &Shapes, body: u32, other: u32) -> Option<u32> {
        let own = matches!(&shapes.0[body as usize], Shape::Soft(s) if s.own.is_some());
        if body == other && !own {
            return None;
        }
        laws.of(body.min(other), body.max(other)).map(|(law, _)| law)
    }
}

/// Area that a surface vertex of a deformable stands for at rest (m²).
fn area(shape: &Shape, vertex: usize) -> f64 {
    if let Shape::Soft(s) = shape { s.areas[vertex] } else { 0.0 }
}
