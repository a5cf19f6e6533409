//! Who is meant by what was seen: a slot may hold one body after another.

use impinge_broadphase::Aabb;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_query::MeshIndex;
use impinge_world::{BodyId, Dofs, MeshShape, NodeState, Shape, Shapes, Simulation};

/// The nodes of a body taken together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Middle {
    /// Mean by mass (m, m/s).
    pub at: DVec3,
    pub velocity: DVec3,
    /// kg.
    pub mass: f64,
    /// Of the fastest (m/s).
    pub fastest: f64,
    pub around: Aabb,
}

/// The bodies of a world, by numbers that nobody has twice.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Bodies {
    /// By slot, of who is there.
    numbers: Vec<u32>,
    /// By number: slot and name.
    all: Vec<(u32, String)>,
    /// By slot. What a file holds is of the bodies that are there when it is read.
    #[cfg_attr(feature = "serde", serde(skip))]
    ids: Vec<Option<BodyId>>,
    /// Slots with another body than a step ago.
    #[cfg_attr(feature = "serde", serde(skip))]
    changed: Vec<u32>,
    /// By slot, of bodies that have nodes, after the last step.
    #[cfg_attr(feature = "serde", serde(skip))]
    middles: Vec<Option<Middle>>,
    /// By slot: the middle of a body is inside it at rest.
    #[cfg_attr(feature = "serde", serde(skip))]
    filled: Vec<bool>,
}

impl Bodies {
    /// To be told of the start and of every step, before the others.
    pub fn see(&mut self, sim: &Simulation) {
        self.changed.clear();
        for (s, name) in sim.names().iter().enumerate() {
            let id = sim.id(s as u32);
            match self.ids.get_mut(s) {
                Some(known) if *known == id => continue,
                Some(known) => *known = id,
                None => {
                    self.ids.push(id);
                    if s < self.numbers.len() {
                        continue;
                    }
                    self.numbers.push(0);
                }
            }
            self.numbers[s] = self.all.len() as u32;
            self.all.push((s as u32, name.clone()));
            self.changed.push(s as u32);
        }
        let (shapes, dofs) = (sim.column::<Shapes>(), sim.column::<Dofs>());
        let filled = |slot: usize| is_filled(&shapes.0[slot], dofs.bodies.kind[slot]);
        for slot in self.filled.len()..shapes.0.len() {
            self.filled.push(filled(slot));
        }
        self.changed.iter().for_each(|&slot| self.filled[slot as usize] = filled(slot as usize));
        self.look_at_nodes(sim);
    }

    fn look_at_nodes(&mut self, sim: &Simulation) {
        let (state, dofs) = (sim.column::<NodeState>(), sim.column::<Dofs>());
        self.middles.clear();
        if state.x.is_empty() {
            return;
        }
        self.middles.resize(self.numbers.len(), None);
        for (n, &body) in dofs.nodes.body.iter().enumerate() {
            let (x, v, mass) = (state.x[n], state.v[n], dofs.nodes.mass[n]);
            let none = Middle {
                at: DVec3::zero(),
                velocity: DVec3::zero(),
                mass: 0.0,
                fastest: 0.0,
                around: Aabb::empty(),
            };
            let m = self.middles[body as usize].get_or_insert(none);
            m.at += x * mass;
            m.velocity += v * mass;
            m.mass += mass;
            m.fastest = m.fastest.max(v.mag_sq());
            m.around = Aabb { lo: m.around.lo.min_by_component(x), hi: m.around.hi.max_by_component(x) };
        }
        for m in self.middles.iter_mut().flatten() {
            m.at /= m.mass;
            m.velocity /= m.mass;
            m.fastest = m.fastest.sqrt();
        }
    }

    /// What the nodes of a body were together after the last step; nothing of one that has none.
    pub fn middle(&self, slot: u32) -> Option<&Middle> {
        self.middles.get(slot as usize)?.as_ref()
    }

    /// Where the middle of a solid is that moves or not and has it inside (m); `None` of others: what goes through a ring goes through no surface of it.
    pub fn centre(&self, sim: &Simulation, slot: u32) -> Option<DVec3> {
        if !self.filled[slot as usize] {
            return None;
        }
        match &sim.column::<Shapes>().0[slot as usize] {
            Shape::Mesh(m) => {
                let kind = sim.column::<Dofs>().bodies.kind[slot as usize];
                Some(sim.pose(slot).point_to_world(middle_of(m, kind)))
            }
            _ => self.middle(slot).map(|m| m.at),
        }
    }

    /// How fast that goes (m/s).
    pub fn speed(&self, sim: &Simulation, slot: u32) -> DVec3 {
        self.middle(slot).map_or_else(|| sim.twist(slot).velocity, |m| m.velocity)
    }

    /// Slots with another body than a step ago.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether who is in these slots now is who was told of last: between two steps bodies come and go.
    pub fn knows<const N: usize>(&self, sim: &Simulation, slots: [u32; N]) -> bool {
        let same = |slot: u32| self.ids.get(slot as usize).is_none_or(|id| *id == sim.id(slot));
        slots.iter().all(|&slot| (slot as usize) < self.numbers.len() && same(slot))
    }

    /// Numbers of who is in these slots, who are known.
    pub fn of<const N: usize>(&self, slots: [u32; N]) -> [u32; N] {
        slots.map(|slot| self.numbers[slot as usize])
    }

    /// Their slots, if all are still there.
    pub fn slots<const N: usize>(&self, numbers: [u32; N]) -> Option<[u32; N]> {
        let slots = numbers.map(|n| self.all[n as usize].0);
        (self.of(slots) == numbers).then_some(slots)
    }

    pub fn names<const N: usize>(&self, numbers: [u32; N]) -> [&str; N] {
        numbers.map(|n| self.all[n as usize].1.as_str())
    }
}

/// How far the farthest corner of a body is from its middle (m).
pub(crate) fn radius(shape: &Shape) -> f64 {
    let corners = shape.triangles().map_or(&[][..], |m| m.positions());
    let middle = if matches!(shape, Shape::Mesh(_)) { DVec3::zero() } else { mean(corners) };
    corners.iter().fold(0.0, |r, p| (*p - middle).mag().max(r))
}

fn mean(x: &[DVec3]) -> DVec3 {
    x.iter().fold(DVec3::zero(), |s, p| s + *p) / x.len().max(1) as f64
}

/// Where the middle of a mesh is in its frame (m): of a rigid body its centre of mass.
fn middle_of(mesh: &MeshShape, kind: BodyKind) -> DVec3 {
    if kind == BodyKind::Rigid { DVec3::zero() } else { mesh.bounds.centre() }
}

/// A closed surface that has its middle inside.
fn is_filled(shape: &Shape, kind: BodyKind) -> bool {
    match shape {
        Shape::Mesh(m) => !m.open && m.index.inside(middle_of(m, kind)),
        Shape::Soft(s) => (s.mesh.as_ref().filter(|_| s.closed))
            .is_some_and(|mesh| MeshIndex::new(mesh).inside(mean(mesh.positions()))),
        Shape::Plane { .. } | Shape::Points { .. } => false,
    }
}
