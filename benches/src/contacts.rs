//! A ball pressed into a block of ground in many vertices: every table a response reads, without a world.

use crate::Numbers;
use impinge_contact::{
    Anchors, Attachment, BodyDof, BodyDofs, BodyKind, Contact, ContactImpulses, Contacts, Damping,
    FrictionLaw, Loads, Mobility, NodeDofs, Pair, PairLaw, Pairs, PlaneContacts, Prediction, Sides, SlipRule,
    Surface, SurfaceMap, SurfaceVelocities, contact_key,
};
use impinge_geometry::{DMat3, DVec3, Pose};
use impinge_penalty::{Evaluate, Inputs, Params, Release, accumulate_mesh};

/// Two rigid bodies in contact; the upper one's vertices lie just inside the triangles of the lower.
#[derive(Debug)]
pub struct Touching {
    /// Surface map of both.
    pub map: SurfaceMap,
    /// Both bodies.
    pub bodies: BodyDofs,
    /// Their vertices, in place.
    pub surface: Surface,
    /// The one pair.
    pub pairs: Pairs,
    /// Its contacts.
    pub contacts: Contacts,
    /// No plane touches.
    pub planes: PlaneContacts,
    /// The one law, with damping and friction.
    pub laws: Vec<PairLaw>,
    /// Poses at the end of the step, when contact is evaluated, by slot.
    pub frames: Vec<Pose>,
    /// Friction anchors of the step before.
    pub anchors: Anchors,
    /// No surface moves along itself.
    pub belts: SurfaceVelocities,
    /// What the penalty response decides about these contacts.
    pub decided: ContactImpulses,
    /// Cleared, and in the right shape.
    pub loads: Loads,
}

impl Touching {
    /// With `n` contacts, each of a vertex of its own; triangles share corners as in a mesh.
    pub fn new(n: usize) -> Self {
        let mut numbers = Numbers::new(3);
        // The ground: a square grid of corners; a triangle for each contact.
        let side = (n as f64).sqrt().ceil() as usize + 2;
        let size = 1.0 / side as f64;
        let corner = |i: usize, j: usize| DVec3::new(i as f64 * size, j as f64 * size, 0.0);
        let ground: Vec<DVec3> = (0..side * side).map(|k| corner(k % side, k / side)).collect();

        let (mut points, mut contacts) = (Vec::new(), Contacts::default());
        let first = ground.len() as u32;
        for k in 0..n {
            let (i, j) = (k % (side - 1), k / (side - 1));
            let (u, v) = (0.5 * numbers.unit(), 0.5 * numbers.unit());
            let depth = 1e-4 * (1.0 + numbers.unit());
            points.push(corner(i, j) + DVec3::new(u * size, v * size, -depth));
            let at = (j * side + i) as u32;
            contacts.push(Contact {
                stencil: [first + k as u32, at, at + 1, at + side as u32],
                weight: [1.0, u + v - 1.0, -u, -v],
                normal: DVec3::unit_z(),
                t_in: 1.0,
                t_out: 1.0,
                area: size * size,
                pair: 0,
                key: contact_key(0, first + k as u32),
            });
        }
        let mut map = SurfaceMap::default();
        map.push_body(Attachment::Rigid, &ground);
        map.push_body(Attachment::Rigid, &points);
        let mut bodies = BodyDofs::default();
        for velocity in [DVec3::zero(), DVec3::new(0.05, 0.01, -0.1)] {
            bodies.push(BodyDof {
                kind: BodyKind::Rigid,
                pose: Pose::identity(),
                velocity,
                angular_velocity: DVec3::zero(),
                angular_momentum: DVec3::zero(),
                mass: 1.0,
                inertia: DMat3::identity(),
                mobility: Mobility::new(DMat3::identity()).unwrap_or_default(),
            });
        }
        let dt = Self::params().dt;
        let ends: Vec<Pose> = bodies.velocity.iter().map(|&v| Pose::from_position(v * dt)).collect();
        let prediction = Prediction {
            velocity: bodies.velocity.clone(),
            angular_momentum: bodies.angular_momentum.clone(),
            pose: ends.clone(),
            ..Prediction::default()
        };
        let nodes = NodeDofs::default();
        let mut surface = Surface::default();
        map.shape(&mut surface);
        for v in 0..map.vertices() as u32 {
            map.place(v, bodies.view(), nodes.view(), &prediction, &mut surface);
        }
        let mut pairs = Pairs::default();
        pairs.push(Pair { a: 0, b: 1, law: 0, sides: Sides::Second });
        let friction = FrictionLaw {
            mu_s: 0.6,
            mu_k: 0.5,
            k_fp: 2e3,
            k_fd: 3.0,
            k_omega: 1e3,
            rule: SlipRule::ReturnMap,
        };
        let law =
            PairLaw { damping: Damping::KelvinVoigt(3.0), friction: Some(friction), ..PairLaw::elastic(2e3) };
        let mut loads = Loads::default();
        loads.shape(map.vertices(), map.bodies());
        let mut t = Self {
            map,
            frames: ends,
            bodies,
            surface,
            pairs,
            contacts,
            planes: PlaneContacts::default(),
            laws: vec![law],
            anchors: Anchors::default(),
            belts: SurfaceVelocities::default(),
            decided: ContactImpulses::default(),
            loads,
        };
        // The first step lays the anchors, the second decides with them.
        for _ in 0..2 {
            let (mut out, mut next) = (ContactImpulses::default(), Anchors::default());
            accumulate_mesh(&Self::params(), &t.inputs(), t.contacts.view(), &mut out, &mut next);
            next.sort();
            (t.decided, t.anchors) = (out, next);
        }
        t
    }

    /// Parameters of the response.
    pub fn params() -> Params {
        Params { dt: 1e-3, evaluate: Evaluate::End, release: Release::Force }
    }

    /// What the response reads besides the contacts.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs {
            surface: self.surface.view(),
            pairs: self.pairs.view(),
            laws: &self.laws,
            frames: &self.frames,
            anchors: &self.anchors,
            surface_velocities: &self.belts,
            parts: &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_pushes_and_remembers_its_anchor() {
        let t = Touching::new(100);
        assert_eq!((t.decided.len(), t.anchors.rows().len()), (100, 100));
        assert!(t.decided.normal.iter().all(|i| i.z > 0.0));
        assert!(t.decided.friction.iter().all(|i| i.x < 0.0), "friction opposes the slide");
        for i in 0..100 {
            let sum: f64 = t.contacts.weight[i].iter().sum();
            assert!(sum.abs() < 1e-15, "{sum}");
            assert!(t.decided.depth[i] > 1.9e-4 && t.decided.depth[i] < 3.1e-4, "{}", t.decided.depth[i]);
        }
    }
}
