//! The longest stable explicit step against simulations a little below and a little above it.

use impinge_contact::{BodyDof, BodyDofs, BodyKind, External, Mobility, NodeDof, NodeDofs, Prediction};
use impinge_elasticity::Material;
use impinge_elasticity::spring::Springs;
use impinge_elasticity::tet::{Model, TetElements};
use impinge_geometry::{DMat3, DVec3, Pose, generators, scale};
use impinge_integrators::{
    ElasticBody, ElasticOperator, ElasticSettings, ElasticSystem, Energy, ExternalForces, Grip, Pin, Scheme,
    StepInput, Tie, drift, predict, stable_step, world_inertia,
};

/// Bodies by slot (rigid ones first), nodes behind, and what acts on them.
struct World {
    system: ElasticSystem,
    bodies: BodyDofs,
    nodes: NodeDofs,
    forces: ExternalForces,
}

impl World {
    fn new(parts: Vec<(Vec<DVec3>, ElasticBody)>, pins: Vec<Pin>, ties: Vec<Tie>) -> Self {
        Self::with_bodies(BodyDofs::default(), parts, pins, ties)
    }

    fn with_bodies(
        mut bodies: BodyDofs,
        parts: Vec<(Vec<DVec3>, ElasticBody)>,
        pins: Vec<Pin>,
        ties: Vec<Tie>,
    ) -> Self {
        let mut nodes = NodeDofs::default();
        let mut elastic = Vec::new();
        for (x, part) in parts {
            let body = bodies.len() as u32;
            for (&x, &mass) in x.iter().zip(&part.masses) {
                nodes.push(NodeDof { x, v: DVec3::zero(), mass, body });
            }
            bodies.push(BodyDof { kind: BodyKind::Deformable, ..rigid(DVec3::zero(), 0.0) });
            elastic.push(part);
        }
        let system = ElasticSystem::new(elastic, pins, ties).unwrap();
        Self { system, bodies, nodes, forces: ExternalForces::default() }
    }

    /// Drag of each node (N·s/m).
    fn dragged(mut self, c: f64) -> Self {
        self.system = self.system.with_drag(|_| c);
        self
    }

    fn stated(&self) -> f64 {
        stable_step(&self.system, &self.nodes.x, self.bodies.view(), &self.bodies.pose)
    }

    /// Steps of `dt` from a start a hair off rest: whether that grows.
    fn grows(&self, dt: f64) -> bool {
        let (mut bodies, mut nodes) = (self.bodies.clone(), self.nodes.clone());
        let system = &self.system;
        let rest = nodes.x.clone();
        for (i, v) in nodes.v.iter_mut().enumerate() {
            let k = i as f64;
            *v = DVec3::new(
                libm::sin(7.3 * k * k),
                libm::sin(1.0 + 5.1 * k * k),
                libm::sin(2.0 + 3.7 * k * k),
            );
            *v *= 1e-9;
        }
        system.hold(&mut nodes.v);
        let (mut op, mut ahead, mut external) =
            (ElasticOperator::default(), Prediction::default(), External::default());
        let size =
            |nodes: &NodeDofs| nodes.x.iter().zip(&rest).map(|(x, r)| (*x - *r).mag()).fold(0.0, f64::max);
        let mut early = 0.0f64;
        for step in 0..6000 {
            let scheme = Scheme::SymplecticEuler;
            let still = |b: usize| bodies.pose[b];
            predict(scheme, dt, bodies.view(), nodes.view(), &self.forces, still, &mut ahead, &mut external);
            let input = StepInput {
                dt,
                scheme,
                x: &nodes.x,
                v: &nodes.v,
                free: &ahead.node_v,
                guess: &[],
                bodies: bodies.view(),
                prediction: &ahead,
            };
            op.predict(system, &input, &ElasticSettings::default()).unwrap();
            for (r, &b) in system.rigid().iter().enumerate() {
                let b = b as usize;
                let turned = world_inertia(&bodies.pose[b], &bodies.inertia[b]);
                bodies.velocity[b] = op.velocity(system, system.layout().linear(r) as usize);
                let spin = op.velocity(system, system.layout().angular(r) as usize);
                bodies.angular_momentum[b] = turned * spin;
                let (v, l) = (bodies.velocity[b], bodies.angular_momentum[b]);
                bodies.pose[b] = drift(&bodies.pose[b], v, l, &bodies.mobility[b], dt);
            }
            nodes.x = (0..rest.len()).map(|i| op.position(system, i)).collect();
            nodes.v = (0..rest.len()).map(|i| op.velocity(system, i)).collect();
            let now = size(&nodes);
            if step < 100 {
                early = early.max(now);
            } else if now > 100.0 * early {
                return true;
            }
            // Growth in the first hundred.
            if now.is_nan() || now > 1e-4 {
                return true;
            }
        }
        false
    }

    /// The limit by bisection, for the figures that are printed.
    fn limit(&self, guess: f64) -> f64 {
        let (mut low, mut high) = (0.3 * guess, 1.7 * guess);
        for _ in 0..9 {
            let middle = 0.5 * (low + high);
            if self.grows(middle) { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    /// What is stated holds, and one percent more does not.
    fn check(&self, what: &str) -> f64 {
        let h = self.stated();
        assert!(!self.grows(0.995 * h), "{what}: {h:e} s is stated, and 0.995 of it grows");
        assert!(self.grows(1.01 * h), "{what}: {h:e} s is stated, and 1.01 of it does not grow");
        h
    }
}

fn rigid(at: DVec3, mass: f64) -> BodyDof {
    // A body like a brick.
    let unit = DMat3::new(DVec3::unit_x() * 0.5, DVec3::unit_y() * 0.8, DVec3::unit_z());
    let inertia = scale(&unit, mass * 0.01);
    BodyDof {
        kind: BodyKind::Rigid,
        pose: Pose::new(at, Pose::identity().rotation),
        velocity: DVec3::zero(),
        angular_velocity: DVec3::zero(),
        angular_momentum: DVec3::zero(),
        mass,
        inertia,
        mobility: Mobility::new(inertia).unwrap_or_default(),
    }
}

/// A solid of 0.1 × 0.1 × 0.4 m in four cells.
fn bar(material: &Material) -> (Vec<DVec3>, ElasticBody) {
    let mesh = generators::tet_box(DVec3::new(0.1, 0.1, 0.4), [1, 1, 4]).unwrap();
    let tets = TetElements::new(&mesh, Model::Corotational, material).unwrap();
    let body = ElasticBody {
        masses: tets.masses().to_vec(),
        energies: vec![Energy::Tets(tets)],
        mass_damping: material.rayleigh_mass,
        stiffness_damping: material.rayleigh_stiffness,
    };
    (mesh.positions().to_vec(), body)
}

fn soft() -> Material {
    Material::new(1e5, 0.3, 1000.0)
}

fn end(x: &[DVec3]) -> impl Iterator<Item = u32> + '_ {
    (0..x.len()).filter(|&i| x[i].z < -0.199).map(|i| i as u32)
}

fn tied(material: &Material, stiffness: f64, damping: f64) -> World {
    let (x, body) = bar(material);
    let tie = |node: u32| Tie { node, to: Grip::World(x[node as usize]), stiffness, damping };
    let ties = end(&x).map(tie).collect();
    World::new(vec![(x.clone(), body)], vec![], ties)
}

#[test]
fn dampers_of_ties_shorten_the_step() {
    let plain = tied(&soft(), 1e5, 0.0).check("no dampers");
    for (stiffness, dampings) in
        [(1e3, [5.0, 100.0, 2000.0]), (1e5, [20.0, 200.0, 1000.0]), (1e7, [1.0, 200.0, 1e4])]
    {
        let mut before = f64::INFINITY;
        for damping in dampings {
            let world = tied(&soft(), stiffness, damping);
            let h = world.check(&format!("k {stiffness}, c {damping}"));
            assert!(h <= before);
            before = h;
            if stiffness == 1e5 {
                println!(
                    "k {stiffness} c {damping}: {plain:.4e} s without dampers, stated {h:.4e}, found {:.4e}",
                    world.limit(h)
                );
            }
        }
    }
    // So heavy a damper is alone with its node: 2 m/c.
    let (x, body) = bar(&soft());
    let lightest = end(&x).map(|i| body.masses[i as usize]).fold(f64::INFINITY, f64::min);
    let h = tied(&soft(), 1.0, 1e6).stated();
    assert!((h / (2.0 * lightest / 1e6) - 1.0).abs() < 1e-3, "{h:e}");
}

#[test]
fn the_same_beside_all_other_damping() {
    let mut lossy = soft();
    (lossy.rayleigh_mass, lossy.rayleigh_stiffness) = (30.0, 1e-3);
    for damping in [0.0, 20.0, 300.0] {
        tied(&lossy, 1e5, damping).check(&format!("α, β and c {damping}"));
    }
    // A tie is not damped by β: a stiff one with it is not as short a step as α + β ω² says.
    tied(&lossy, 3e6, 0.0).check("stiff tie, β");
    // Two bodies, each with its own.
    let mut stiff = soft();
    stiff.young *= 30.0;
    World::new(vec![bar(&lossy), bar(&stiff)], vec![], vec![]).check("two bodies");
    // Dashpots of springs.
    let x: Vec<DVec3> = (0..6).map(|i| DVec3::unit_x() * f64::from(i) * 0.1).collect();
    let edges: Vec<[u32; 2]> = (0..5).map(|i| [i, i + 1]).collect();
    let springs = Springs::from_edges(&edges, &x, 1e3, 15.0).unwrap();
    let body = ElasticBody {
        masses: vec![0.05; 6],
        energies: vec![Energy::Springs(springs)],
        ..ElasticBody::default()
    };
    let pins = vec![Pin { node: 0, to: Grip::World(x[0]) }];
    World::new(vec![(x, body)], pins, vec![]).check("dashpots");
}

#[test]
fn rigid_bodies_that_nodes_are_tied_to_give_way() {
    for (mass, damping) in [(10.0, 0.0), (0.1, 0.0), (0.1, 30.0), (1.0, 300.0)] {
        let (x, body) = bar(&soft());
        let at = DVec3::new(0.02, 0.0, -0.3);
        let tie = |node: u32| Tie {
            node,
            to: Grip::Rigid { body: 0, arm: x[node as usize] - at },
            stiffness: 1e5,
            damping,
        };
        let ties = end(&x).map(tie).collect();
        let mut bodies = BodyDofs::default();
        bodies.push(rigid(at, mass));
        let world = World::with_bodies(bodies, vec![(x.clone(), body)], vec![], ties);
        let h = world.check(&format!("body of {mass} kg, c {damping}"));
        let world = world.dragged(5.0);
        let slower = world.check(&format!("body of {mass} kg, c {damping}, drag"));
        assert!(slower < h);
    }
}

#[test]
fn drag_shortens_the_step() {
    let free = || {
        let (x, body) = bar(&soft());
        World::new(vec![(x, body)], vec![], vec![])
    };
    let without = free().check("no drag");
    for c in [0.5, 5.0, 50.0, 500.0] {
        let h = free().dragged(c).check(&format!("drag {c}"));
        assert!(h < without, "{c} {h:e} {without:e}");
    }
    // With dampers of ties, too.
    for (damping, c) in [(20.0, 50.0), (200.0, 5.0), (1000.0, 500.0)] {
        tied(&soft(), 1e5, damping).dragged(c).check(&format!("c {damping}, drag {c}"));
    }
}

#[test]
fn one_frequency_and_no_drag_is_as_it_was() {
    // Bits of before dampers were known.
    assert_eq!(tied(&soft(), 1e5, 0.0).stated(), 1.2494209551216645e-3);
    // One mass on a spring to a pinned one: 2/ω, to the last bits; with α and β (√(d² + 4ω²) − d)/ω².
    let x = vec![DVec3::zero(), DVec3::unit_x()];
    for (alpha, beta) in [(0.0, 0.0), (3.0, 0.0), (3.0, 1e-3)] {
        let springs = Springs::from_edges(&[[0, 1]], &x, 800.0, 0.0).unwrap();
        let body = ElasticBody {
            masses: vec![1.0, 2.0],
            energies: vec![Energy::Springs(springs)],
            mass_damping: alpha,
            stiffness_damping: beta,
        };
        let pins = vec![Pin { node: 0, to: Grip::World(x[0]) }];
        let world = World::new(vec![(x.clone(), body)], pins, vec![]);
        let (w, d) = (400.0f64, alpha + beta * 400.0);
        let want = ((d * d + 4.0 * w).sqrt() - d) / w;
        let plain = stable_step(&world.system, &world.nodes.x, world.bodies.view(), &world.bodies.pose);
        assert!((plain / want - 1.0).abs() < 1e-14, "{plain} {want}");
        assert_eq!(plain.to_bits(), world.stated().to_bits());
    }
}
