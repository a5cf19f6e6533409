//! One contact in an interior method: its force and De Saxcé's velocity as a pair within a cone and its dual.
//!
//! x = T r lies in a cone that is its own dual, v = Tᵀ y: the half line of a contact without friction, the disc's cone
//! ‖(x₁, x₂)‖ ≤ x₀ with T = diag(μ, 1, 1), or four half lines, μ r_n ± r_1 ± r_2, for the diamond. The law is x ∘ y = 0; an
//! interior method follows x ∘ y = t e to it. The disc's cone is scaled as Nesterov and Todd (1997) do.

use super::law::Cone;

/// A pair, its direction, and what scales it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    cone: Cone,
    kind: Kind,
    r: [f64; 3],
    x: [f64; 4],
    y: [f64; 4],
    dr: [f64; 3],
    dx: [f64; 4],
    dy: [f64; 4],
    /// What dy + Θ dx must be.
    aim: [f64; 4],
    /// Of the disc: Θ = size (2 z zᵀ − J).
    z: [f64; 3],
    size: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Nothing moves here: the force stays as it is.
    Fixed,
    Line,
    Disc,
    Diamond,
}

/// Signs of r_1 and r_2 in the diamond's four half lines.
const SIGNS: [[f64; 2]; 4] = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
/// Normal forces at the start over those that stop the contact alone: in a stack each bears what is above it.
const STACKED: f64 = 4.0;
/// A step goes this far of the way to where the cone ends.
const SHORT: f64 = 0.99;

impl Pair {
    /// Starts in the middle of the cones: a normal force of some `speed / w` and a normal velocity `speed`. `start` is kept where `w` is 0.
    #[must_use]
    pub fn new(cone: Cone, w: f64, speed: f64, start: [f64; 3]) -> Self {
        let mu = cone.mu();
        let kind = match cone {
            _ if !(w > 0.0) => Kind::Fixed,
            Cone::Frictionless => Kind::Line,
            Cone::Round { .. } if mu > 0.0 => Kind::Disc,
            Cone::Pyramid { .. } if mu > 0.0 => Kind::Diamond,
            _ => Kind::Line,
        };
        let r = if kind == Kind::Fixed { start } else { [STACKED * speed / w, 0.0, 0.0] };
        let zero = [0.0; 4];
        let (dr, z) = ([0.0; 3], [1.0, 0.0, 0.0]);
        let mut p = Self { cone, kind, r, x: zero, y: zero, dr, dx: zero, dy: zero, aim: zero, z, size: 1.0 };
        p.x = p.image(r);
        match kind {
            Kind::Fixed => {}
            Kind::Line => p.y[0] = speed,
            Kind::Disc => p.y[0] = speed / mu,
            Kind::Diamond => p.y = [speed / (4.0 * mu); 4],
        }
        p
    }

    /// Unknowns in the linear system.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        match self.kind {
            Kind::Fixed => 0,
            Kind::Line => 1,
            Kind::Disc | Kind::Diamond => 3,
        }
    }

    /// Products that have to vanish.
    #[must_use]
    pub fn products(&self) -> usize {
        match self.kind {
            Kind::Fixed => 0,
            Kind::Line | Kind::Disc => 1,
            Kind::Diamond => 4,
        }
    }

    /// The force, within its cone.
    #[must_use]
    pub fn force(&self) -> [f64; 3] {
        // Rounding of the first projection is relative to what it projects, that of the second to the force.
        self.cone.project(self.cone.project(self.r))
    }

    /// T r.
    fn image(&self, r: [f64; 3]) -> [f64; 4] {
        let mu = self.cone.mu();
        match self.kind {
            Kind::Fixed => [0.0; 4],
            Kind::Line => [r[0], 0.0, 0.0, 0.0],
            Kind::Disc => [mu * r[0], r[1], r[2], 0.0],
            Kind::Diamond => SIGNS.map(|s| mu * r[0] + s[0] * r[1] + s[1] * r[2]),
        }
    }

    /// Tᵀ y.
    fn back(&self, y: &[f64; 4]) -> [f64; 3] {
        let mu = self.cone.mu();
        match self.kind {
            Kind::Fixed => [0.0; 3],
            Kind::Line => [y[0], 0.0, 0.0],
            Kind::Disc => [mu * y[0], y[1], y[2]],
            Kind::Diamond => {
                let sum = |k: usize| (0..4).map(|i| SIGNS[i][k] * y[i]).sum::<f64>();
                [mu * y.iter().sum::<f64>(), sum(0), sum(1)]
            }
        }
    }

    /// De Saxcé's velocity of the pair.
    #[must_use]
    pub fn velocity(&self) -> [f64; 3] {
        self.back(&self.y)
    }

    /// μσ at that velocity.
    #[must_use]
    pub fn shift(&self) -> f64 {
        if self.unknowns() == 3 { self.cone.mu() * self.cone.slip(self.velocity()) } else { 0.0 }
    }

    /// x · y after a part of the direction.
    #[must_use]
    pub fn gap(&self, part: f64) -> f64 {
        (0..4).map(|k| (self.x[k] + part * self.dx[k]) * (self.y[k] + part * self.dy[k])).sum()
    }

    /// Tᵀ Θ T, row-major: what the cone adds to the compliance. Scales the pair.
    pub fn stiffness(&mut self) -> [f64; 9] {
        let mu = self.cone.mu();
        match self.kind {
            Kind::Fixed => [0.0; 9],
            Kind::Line => [self.y[0] / self.x[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            Kind::Disc => {
                let (a, b) = (length(&self.x), length(&self.y));
                let (x, y) = (self.x.map(|x| x / a), self.y.map(|y| y / b));
                let half = 1.0 / (2.0 * (0.5 * (1.0 + x[0] * y[0] + x[1] * y[1] + x[2] * y[2])).sqrt());
                self.z = [(y[0] + x[0]) * half, (y[1] - x[1]) * half, (y[2] - x[2]) * half];
                self.size = b / a;
                let t = [mu, 1.0, 1.0];
                std::array::from_fn(|e| {
                    let (i, j) = (e / 3, e % 3);
                    let one = if i != j {
                        0.0
                    } else if i == 0 {
                        -1.0
                    } else {
                        1.0
                    };
                    t[i] * t[j] * self.size * (2.0 * self.z[i] * self.z[j] + one)
                })
            }
            Kind::Diamond => {
                let row = SIGNS.map(|s| [mu, s[0], s[1]]);
                std::array::from_fn(|e| {
                    (0..4).map(|k| row[k][e / 3] * row[k][e % 3] * self.y[k] / self.x[k]).sum()
                })
            }
        }
    }

    /// Aims at x ∘ y = `target`, with the product of the last direction taken off where that is asked for. Tᵀ of the aim.
    pub fn aim(&mut self, target: f64, correct: bool) -> [f64; 3] {
        let product = |k: usize| if correct { self.dx[k] * self.dy[k] } else { 0.0 };
        match self.kind {
            Kind::Fixed => {}
            Kind::Line => self.aim[0] = (target - self.x[0] * self.y[0] - product(0)) / self.x[0],
            Kind::Diamond => {
                self.aim = [0, 1, 2, 3].map(|k| (target - self.x[k] * self.y[k] - product(k)) / self.x[k]);
            }
            Kind::Disc => {
                // Both are the same point after scaling.
                let l = self.half(&self.x, 1.0);
                let mut d = jordan(&l, &l).map(|a| -a);
                d[0] += target;
                if correct {
                    let c = jordan(&self.half(&self.dx, 1.0), &self.half(&self.dy, -1.0));
                    (0..3).for_each(|k| d[k] -= c[k]);
                }
                let first = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / (length(&l) * length(&l));
                let over = [first, (d[1] - l[1] * first) / l[0], (d[2] - l[2] * first) / l[0], 0.0];
                self.aim = self.half(&over, 1.0);
            }
        }
        self.back(&self.aim)
    }

    /// Θ^½ x, or Θ^−½ x where `sign` is −1.
    fn half(&self, x: &[f64; 4], sign: f64) -> [f64; 4] {
        let [z0, z1, z2] = [self.z[0], sign * self.z[1], sign * self.z[2]];
        let s = if sign > 0.0 { self.size.sqrt() } else { 1.0 / self.size.sqrt() };
        let d = z1 * x[1] + z2 * x[2];
        let k = x[0] + d / (1.0 + z0);
        [s * (z0 * x[0] + d), s * (x[1] + z1 * k), s * (x[2] + z2 * k), 0.0]
    }

    /// Takes the answer of the linear system as direction.
    pub fn turn(&mut self, dr: [f64; 3]) {
        self.dr = dr;
        self.dx = self.image(dr);
        match self.kind {
            Kind::Fixed => {}
            Kind::Disc => {
                let turned = self.half(&self.half(&self.dx, 1.0), 1.0);
                self.dy = [0, 1, 2, 3].map(|k| self.aim[k] - turned[k]);
            }
            Kind::Line => self.dy[0] = self.aim[0] - self.y[0] / self.x[0] * self.dx[0],
            Kind::Diamond => {
                self.dy = [0, 1, 2, 3].map(|k| self.aim[k] - self.y[k] / self.x[k] * self.dx[k]);
            }
        }
    }

    /// How much of the direction both can go and stay inside.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let most = match self.kind {
            Kind::Disc => leaves(&self.x, &self.dx).min(leaves(&self.y, &self.dy)),
            _ => (0..4)
                .flat_map(|k| [(self.x[k], self.dx[k]), (self.y[k], self.dy[k])])
                .map(|(a, d)| if d < 0.0 { -a / d } else { f64::INFINITY })
                .fold(f64::INFINITY, f64::min),
        };
        SHORT * most
    }

    /// Goes a part of the direction.
    pub fn go(&mut self, part: f64) {
        for k in 0..4 {
            self.x[k] += part * self.dx[k];
            self.y[k] += part * self.dy[k];
        }
        (0..3).for_each(|k| self.r[k] += part * self.dr[k]);
    }
}

/// √(x₀² − x₁² − x₂²), kept above zero for a point that rounding has put on its cone.
fn length(x: &[f64; 4]) -> f64 {
    let side = (x[1] * x[1] + x[2] * x[2]).sqrt();
    ((x[0] - side).max(f64::EPSILON * x[0]) * (x[0] + side)).sqrt()
}

fn jordan(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    let all = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    [all, a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2], 0.0]
}

/// Where x + t d leaves the disc's cone.
fn leaves(x: &[f64; 4], d: &[f64; 4]) -> f64 {
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = length(x) * length(x);
    let mut least = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    let under = b * b - a * c;
    if under >= 0.0 {
        // Of the two roots neither is taken from a difference.
        let q = -(b + b.signum() * under.sqrt());
        for t in [q / a, c / q] {
            if t > 0.0 && t < least {
                least = t;
            }
        }
    }
    least
}
