//! The demo's physics: two bodies, point contacts with a plane at z = 0, penalty forces with regularised
//! Coulomb friction.

use crate::shapes::{RADIUS, corners};
use impinge_report::ContactMark;

type V = [f64; 3];

const STIFFNESS: f64 = 2e4;
const DAMPING: f64 = 90.0;
const FRICTION: f64 = 0.4;
const GRAVITY: f64 = 9.80665;

struct Body {
    mass: f64,
    inertia: f64,
    x: V,
    v: V,
    q: [f64; 4],
    w: V,
}

/// One point contact of one step.
pub struct Touch {
    /// 0 for the box, 1 for the ball.
    pub pair: u32,
    /// World point (m).
    pub point: V,
    /// Force on the body (N).
    pub force: V,
    /// Depth (m).
    pub depth: f64,
}

impl Touch {
    /// The report's form.
    pub fn mark(&self) -> ContactMark {
        ContactMark {
            point: self.point.map(|c| c as f32),
            force: self.force.map(|c| c as f32),
            pair: self.pair,
            depth: self.depth as f32,
            ..ContactMark::default()
        }
    }
}

/// Energy by term (J).
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height.
    pub potential: f64,
    /// Of the contact springs.
    pub elastic: f64,
}

/// The two bodies and what was applied to them.
pub struct Toy {
    bodies: [Body; 2],
    applied: V,
    start: V,
    normal: f64,
    elastic: f64,
    deepest: f64,
}

impl Toy {
    pub fn new() -> Self {
        let body =
            |mass: f64, inertia: f64, x: V, v: V, q: [f64; 4], w: V| Body { mass, inertia, x, v, q, w };
        let tilt = [0.36, 0.21, 0.1, 0.903];
        let bodies = [
            body(2.0, 0.011, [-0.45, 0.0, 0.6], [0.5, 0.1, 0.0], tilt, [1.0, 4.0, 0.5]),
            body(
                1.0,
                0.4 * RADIUS * RADIUS,
                [0.35, -0.3, 0.5],
                [-0.2, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
                [0.0; 3],
            ),
        ];
        let mut toy =
            Self { bodies, applied: [0.0; 3], start: [0.0; 3], normal: 0.0, elastic: 0.0, deepest: 0.0 };
        toy.start = toy.momentum();
        toy
    }

    /// One step; the contacts that acted in it.
    pub fn step(&mut self, dt: f64) -> Vec<Touch> {
        let mut touches = Vec::new();
        (self.normal, self.elastic) = (0.0, 0.0);
        for (pair, body) in self.bodies.iter_mut().enumerate() {
            let arms: Vec<V> = match pair {
                0 => corners().iter().map(|&c| rotate(body.q, c)).collect(),
                _ => vec![[0.0, 0.0, -RADIUS]],
            };
            let mut force = [0.0, 0.0, -body.mass * GRAVITY];
            let mut torque = [0.0; 3];
            for arm in arms {
                let point = add(body.x, arm);
                let depth = -point[2];
                if depth <= 0.0 {
                    continue;
                }
                let v = add(body.v, cross(body.w, arm));
                let push = (STIFFNESS * depth - DAMPING * v[2]).max(0.0);
                let slip = v[0].hypot(v[1]);
                let drag = -FRICTION * push / slip.max(5e-3);
                let f = [drag * v[0], drag * v[1], push];
                force = add(force, f);
                torque = add(torque, cross(arm, f));
                self.normal += push;
                self.elastic += 0.5 * STIFFNESS * depth * depth;
                self.deepest = self.deepest.max(depth);
                touches.push(Touch { pair: pair as u32, point, force: f, depth });
            }
            self.applied = add(self.applied, force.map(|c| c * dt));
            body.v = add(body.v, force.map(|c| c * dt / body.mass));
            body.w = add(body.w, torque.map(|c| c * dt / body.inertia));
            body.x = add(body.x, body.v.map(|c| c * dt));
            body.q = turn(body.q, body.w, dt);
        }
        touches
    }

    /// Floor, box, ball.
    pub fn poses(&self) -> Vec<[f32; 7]> {
        let pose = |b: &Body| [b.x[0], b.x[1], b.x[2], b.q[0], b.q[1], b.q[2], b.q[3]].map(|c| c as f32);
        vec![[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], pose(&self.bodies[0]), pose(&self.bodies[1])]
    }

    pub fn energy(&self) -> Energy {
        let square = |v: V| v.iter().map(|c| c * c).sum::<f64>();
        let half = |b: &Body| 0.5 * (b.mass * square(b.v) + b.inertia * square(b.w));
        Energy {
            kinetic: self.bodies.iter().map(half).sum(),
            potential: self.bodies.iter().map(|b| b.mass * GRAVITY * b.x[2]).sum(),
            elastic: self.elastic,
        }
    }

    fn momentum(&self) -> V {
        self.bodies.iter().fold([0.0; 3], |sum, b| add(sum, b.v.map(|c| c * b.mass)))
    }

    /// Momentum gained less momentum applied (N·s).
    pub fn momentum_residual(&self) -> f64 {
        let now = self.momentum();
        (0..3).map(|k| (now[k] - self.start[k] - self.applied[k]).powi(2)).sum::<f64>().sqrt()
    }

    /// Weight of both bodies (N).
    pub fn weight(&self) -> f64 {
        self.bodies.iter().map(|b| b.mass * GRAVITY).sum()
    }

    /// Sum of the normal forces of the last step (N).
    pub fn applied_normal(&self) -> f64 {
        self.normal
    }

    /// Deepest penetration so far (m).
    pub fn deepest(&self) -> f64 {
        self.deepest
    }
}

fn add(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] + b[k])
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn rotate([x, y, z, w]: [f64; 4], p: V) -> V {
    let u = [x, y, z];
    let t = cross(u, p).map(|c| 2.0 * c);
    add(p, add(t.map(|c| c * w), cross(u, t)))
}

fn turn([x, y, z, w]: [f64; 4], s: V, dt: f64) -> [f64; 4] {
    let d = [
        s[0] * w + s[1] * z - s[2] * y,
        s[1] * w + s[2] * x - s[0] * z,
        s[2] * w + s[0] * y - s[1] * x,
        -s[0] * x - s[1] * y - s[2] * z,
    ];
    let q = [x + 0.5 * dt * d[0], y + 0.5 * dt * d[1], z + 0.5 * dt * d[2], w + 0.5 * dt * d[3]];
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / length)
}
