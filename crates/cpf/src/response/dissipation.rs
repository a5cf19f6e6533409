//! What a contact answers with beside its elastic impulse: damping along the normal, friction across it, and the anchor it is held by.

use crate::{FeatureFrame, Impulses, friction_along};
use impinge_bodies::Laws;
use impinge_ccd::{Entry, Kind};
use impinge_contact::{
    Damping, FrictionLaw, FrictionStep, PairLaw, Pairs, SlipRule, SlipState, Surface, anchored,
};
use impinge_geometry::{DMat3, DVec3, Pose, outer, scale, sub, try_normalized};
use impinge_swept::part;

/// What friction and damping need besides the normal impulse.
pub(crate) struct Dissipation<'a> {
    pub dt: f64,
    pub surface: &'a Surface,
    pub pairs: &'a Pairs,
    pub laws: &'a Laws,
    /// Poses at the predicted end.
    pub frames: &'a [Pose],
    /// The part of its stiffness and of its damping that the friction of each pair has; pairs beyond the end have all of it.
    pub parts: &'a [f64],
}

/// A contact of any kind with its elastic impulse.
pub(crate) struct Point {
    pub normal: DVec3,
    /// Elastic, on the first point (N·s).
    pub impulse: DVec3,
    /// Mean relative velocity over the step (m/s).
    pub velocity: DVec3,
    /// The first point at the predicted end (m).
    pub position: DVec3,
    /// Fraction of the step during which it penetrates.
    pub span: f64,
    /// Part of the contact that acts: below 1 while it is handed over.
    pub share: f64,
    /// What it takes for a restitution to be reached.
    pub lossless: Lossless,
    /// Its friction anchor at the predicted end (m), and whether it slid; of a contact that was open when the step began.
    pub held: Option<(DVec3, bool)>,
    /// What that anchor is told in, where there is one; [`kept_anchor`] finds it otherwise.
    pub frame: Option<FeatureFrame>,
    pub area: f64,
    pub pair: u32,
}

/// How the loss that the step has by itself is left out of a contact whose law asks for a restitution.
///
/// Bodies move with the velocity at the end of the step. Against that a spring integrated over the predicted way is late by Δt/2 and acts
/// as a damper k Δt/2; a spring evaluated at the start of the step is on time (symplectic Euler).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Lossless {
    /// Nothing is left out.
    #[default]
    Not,
    /// k Δt/2 is taken off the damper while the contact penetrates;
    Late {
        /// m; at the start, 0 of a contact that was not open.
        depth: f64,
        /// How many points touch in its pair.
        points: f64,
    },
    /// The spring has the depth at one end of the step, for all of it.
    Depth {
        /// m; at the start that of a contact which was open.
        depth: f64,
        /// How many points touch in its pair.
        points: f64,
    },
}

/// What a contact does.
pub(crate) struct Decision {
    pub normal: DVec3,
    pub friction: DVec3,
    /// As in [`Point`], after the step.
    pub held: Option<(DVec3, bool)>,
}

/// Friction of a contact, and how it changes with the motion.
#[derive(Clone, Copy)]
pub(crate) struct Rub {
    /// On the first point (N).
    pub force: DVec3,
    /// As in [`Point`], after the step.
    pub held: Option<(DVec3, bool)>,
    /// −∂force/∂u by the relative displacement of the step (N/m).
    pub stiffness: DMat3,
    /// ∂force/∂f_n.
    pub by_pressure: DVec3,
}

impl Default for Rub {
    fn default() -> Self {
        let z = DVec3::zero();
        Self { force: z, held: None, stiffness: DMat3::new(z, z, z), by_pressure: z }
    }
}

impl Rub {
    /// The contact slides.
    #[must_use]
    pub fn slides(&self) -> bool {
        self.held.is_some_and(|h| h.1)
    }
}

/// A contact of two features as the step found it.
pub(crate) struct Pair {
    pub key: u64,
    pub stencil: [u32; 4],
    pub weight: [f64; 4],
    pub normal: DVec3,
    pub impulse: DVec3,
    pub span: f64,
    pub share: f64,
    /// It was open when the step began.
    pub continued: bool,
    /// Mean relative velocity while it penetrates (m/s); `None` on a straight way, where it is that of the step.
    pub velocity: Option<DVec3>,
}

impl Pair {
    /// Row `i`.
    #[inline]
    #[must_use]
    pub fn of(rows: &Impulses, i: usize) -> Self {
        Self {
            key: rows.key[i],
            stencil: rows.stencil[i],
            weight: rows.weight[i],
            normal: rows.normal[i],
            impulse: rows.impulse[i],
            span: rows.t_out[i] - rows.t_in[i],
            share: rows.share[i],
            continued: rows.entry[i] == Entry::Initial,
            velocity: None,
        }
    }
}

impl Dissipation<'_> {
    #[must_use]
    pub fn law(&self, pair: u32) -> &PairLaw {
        &self.laws.laws[self.pairs.law[pair as usize] as usize]
    }

    /// Normal impulse with damping, and friction. Damping acts as long as the pair penetrates: Kelvin–Voigt by the mean rate, Hunt and
    /// Crossley's factor on the elastic impulse. The sum never pulls.
    #[must_use]
    pub fn respond(&self, c: &Point) -> Decision {
        let law = self.law(c.pair);
        let per_point = self.per_point(c);
        let rate = -c.normal.dot(c.velocity);
        let elastic = c.impulse.dot(c.normal);
        let (spring, points) = match c.lossless {
            Lossless::Not => (elastic, 1.0),
            Lossless::Late { points, .. } => {
                let late = 0.5 * law.stiffness.value() * per_point * rate * self.dt * self.dt * c.span;
                ((elastic - late).max(0.0), points)
            }
            Lossless::Depth { depth, points } => {
                (law.stiffness.value() * per_point * depth * self.dt, points)
            }
        };
        let along = match law.damping.plain() {
            Damping::None | Damping::Restitution(_) => spring,
            // At one end of the step a contact without a depth is none.
            Damping::KelvinVoigt(_) if matches!(c.lossless, Lossless::Depth { depth, .. } if depth <= 0.0) => {
                0.0
            }
            Damping::KelvinVoigt(d) => {
                let span = if matches!(c.lossless, Lossless::Depth { .. }) { 1.0 } else { c.span };
                spring + d * per_point / points.sqrt() * rate * span * self.dt
            }
            Damping::HuntCrossley(chi) => spring * (1.0 + chi * rate),
        };
        // What is across the normal (a normal that turns) belongs to the elastic impulse and stays.
        let normal = c.impulse + c.normal * (along.max(0.0) - elastic);
        // Not `friction`: how it changes with the motion is not asked for here, and took longer than the friction itself.
        let step = self.scaled(c).map(|law| Self::step(&law, c, along.max(0.0) / self.dt));
        let friction = step.as_ref().map_or(DVec3::zero(), |s| s.force * self.dt);
        Decision { normal, friction, held: step.and_then(|s| held_after(&s)) }
    }

    /// The law of friction of this point; `None` where its pair has none.
    fn scaled(&self, c: &Point) -> Option<FrictionLaw> {
        let mut law = self.law(c.pair).friction?;
        let per_point = self.per_point(c) * self.parts.get(c.pair as usize).copied().unwrap_or(1.0);
        law.k_fp *= per_point;
        law.k_fd *= per_point;
        Some(law)
    }

    /// What a law makes of the point when it is pressed with `force` (N).
    fn step(law: &FrictionLaw, c: &Point, force: f64) -> FrictionStep {
        let (anchor, slipping) = (c.held.map(|h| h.0), c.held.is_some_and(|h| h.1));
        anchored(law, c.normal, c.position, c.velocity, force, anchor, slipping)
    }

    /// Factor that turns a law per contact into that of this point.
    fn per_point(&self, c: &Point) -> f64 {
        self.law(c.pair).point_stiffness(c.area, part(self.pairs.sides[c.pair as usize])).1 * c.share
    }

    /// Friction of a contact that is pressed with `force` (N).
    ///
    /// `decided` says whether it slides where that was settled before: a contact held then is held up to μ_S and one that slides slides with
    /// μ_K, without the jump between the two that an implicit step could look for a balance on for ever. `held`: all hold, whatever it takes.
    #[must_use]
    pub fn friction(&self, c: &Point, force: f64, decided: Option<bool>, held: bool) -> Rub {
        let Some(mut scaled) = self.scaled(c) else { return Rub::default() };
        match (decided, scaled.rule) {
            (None, _) => {}
            (Some(false), _) => {
                scaled.rule = SlipRule::ReturnMap;
                scaled.mu_k = scaled.mu_s;
            }
            (Some(true), SlipRule::ReturnMap) => scaled.mu_s = scaled.mu_k,
            // Always the sliding law, which goes to zero with the slip.
            (Some(true), SlipRule::Yamane) => scaled.mu_s = -1.0,
        }
        if held {
            (scaled.mu_s, scaled.mu_k) = (f64::MAX, f64::MAX);
        }
        let anchor = c.held.map(|h| h.0);
        let step = Self::step(&scaled, c, force);
        let mut out = Rub { force: step.force, held: held_after(&step), ..Rub::default() };
        let across = sub(&DMat3::identity(), &outer(c.normal, c.normal));
        // A contact without an anchor takes hold where it is at the end: its spring is not stretched yet.
        let spring = if anchor.is_some() { scaled.k_fp } else { 0.0 } + scaled.k_fd / self.dt;
        match step.state {
            SlipState::Open => {}
            SlipState::Static => out.stiffness = scale(&across, spring),
            SlipState::Dynamic => {
                let size = step.force.mag();
                out.by_pressure = step.force / force;
                let along = try_normalized(step.force).unwrap_or(DVec3::zero());
                let turning = sub(&across, &outer(along, along));
                let flat = |v: DVec3| v - c.normal * c.normal.dot(v);
                let (v, trial) = (flat(c.velocity), flat(anchor.unwrap_or(c.position) - c.position));
                out.stiffness = match scaled.rule {
                    // A force of constant size that turns with the spring.
                    SlipRule::ReturnMap => {
                        let pull = (trial * scaled.k_fp - v * scaled.k_fd).mag();
                        scale(&turning, if pull > 0.0 { size / pull * spring } else { 0.0 })
                    }
                    // Along the slip, of a size that saturates.
                    SlipRule::Yamane => {
                        let speed = v.mag();
                        let turn = if speed > 0.0 { size / (speed * self.dt) } else { 0.0 };
                        let slope = scaled.mu_k * force * scaled.k_omega * libm::exp(-scaled.k_omega * speed);
                        let bend = scale(&outer(along, along), slope / self.dt);
                        impinge_geometry::add(&scale(&turning, turn), &bend)
                    }
                };
            }
        }
        out
    }

    /// Friction integrated over `interval` of the step (N·s), and what it is held by after it; `depth` gives normal and depth (m) by the
    /// fraction of the step, `k` is N/m, `normal` the impulse that presses: what damping has in it is spread like the spring's.
    #[must_use]
    pub fn friction_along(
        &self,
        c: &Point,
        normal: DVec3,
        interval: [f64; 2],
        k: f64,
        depth: impl Fn(f64) -> Option<(DVec3, f64)>,
    ) -> (DVec3, Option<(DVec3, bool)>) {
        let Some(scaled) = self.scaled(c) else { return (DVec3::zero(), None) };
        // Relative to what is touched, and that is where it will be at the end.
        let way = [c.position - c.velocity * self.dt, c.position];
        let (anchor, slipping) = (c.held.map(|h| h.0), c.held.is_some_and(|h| h.1));
        let (elastic, all) = (c.impulse.dot(c.normal), normal.dot(c.normal));
        let part = if elastic > 0.0 { c.share * all / elastic } else { 0.0 };
        let pressed = |t: f64| depth(t).map(|(n, d)| (n, k * part * d));
        let f = friction_along(pressed, interval, self.dt, &scaled, way, c.velocity, anchor, slipping);
        (f.impulse, f.anchor.map(|a| (a, f.slipping)))
    }

    /// The point as friction sees it where the surfaces of its bodies move against them: `bodies` are its own and what it touches.
    #[must_use]
    pub fn carried(&self, c: Point, bodies: [u32; 2]) -> Point {
        match self.laws.surface_velocities.drift(self.frames, bodies, c.position, c.normal) {
            None => c,
            Some(drift) => Point {
                velocity: c.velocity - drift,
                held: c.held.map(|(at, slips)| (at + drift * self.dt, slips)),
                ..c
            },
        }
    }

    /// A row of the batch with its points `x1` at the predicted end (m); `followed` is what the step began with, `at` where the last row was in it.
    pub fn feature(
        &self,
        row: &Pair,
        kind: Kind,
        x1: &[DVec3; 4],
        (pair, area): (u32, f64),
        followed: &crate::Tracked,
        at: &mut usize,
    ) -> Point {
        let moved = |u, i: usize| u + (x1[i] - self.surface.x0[row.stencil[i] as usize]) * row.weight[i];
        let velocity = row.velocity.unwrap_or_else(|| (0..4).fold(DVec3::zero(), moved) / self.dt);
        let before = row.continued.then(|| followed.find_next(row.key, at)).flatten();
        // Edges: the point of the first where they crossed at the start of the step, as it moves with the edge.
        let position = first_point(kind, x1, before.map_or(&row.weight, |i| &followed.weight[i]));
        let gripped = before.filter(|&i| followed.grip[i] != SlipState::Open);
        let frame = gripped.and_then(|_| FeatureFrame::new(kind, x1, row.normal));
        let held = gripped.zip(frame).and_then(|(i, frame)| {
            let at = frame.from(&followed.weight[i], followed.anchor[i])?;
            Some((at, followed.grip[i] == SlipState::Dynamic))
        });
        let bodies = [0, 3].map(|i: usize| self.surface.body[row.stencil[i] as usize]);
        let point = Point {
            normal: row.normal,
            impulse: row.impulse,
            velocity,
            position,
            span: row.span,
            share: row.share,
            lossless: Lossless::Not,
            held,
            frame,
            area,
            pair,
        };
        self.carried(point, bodies)
    }

    /// The points of a row at the predicted end (m).
    #[must_use]
    pub fn ends(&self, row: &Pair) -> [DVec3; 4] {
        let (s, x1) = (row.stencil, &self.surface.x1);
        // Not `map`, which the compiler made a call with a copy of.
        [x1[s[0] as usize], x1[s[1] as usize], x1[s[2] as usize], x1[s[3] as usize]]
    }
}

/// As in [`Point`], after the step.
fn held_after(step: &FrictionStep) -> Option<(DVec3, bool)> {
    step.anchor.map(|a| (a, step.state == SlipState::Dynamic))
}

/// What touches: the vertex, or the point of the first edge at these weights.
pub(crate) fn first_point(kind: Kind, x: &[DVec3; 4], weight: &[f64; 4]) -> DVec3 {
    match kind {
        Kind::VertexFace => x[0],
        Kind::EdgeEdge => x[0] * weight[0] + x[1] * weight[1],
    }
}

/// What is kept of an anchor at `at` (m) of a point at `from`, in the frame of the pair at its ends `x`: of a vertex the place itself; of edges
/// the same stretch laid on where they cross at the end, with the weights that the contact is carried on with. What the real motion
/// makes of it is seen at the start of the next step, when both have moved with their edges.
///
/// Where two edges cross is no material point: it runs along both as they slide or roll. Friction that pulled it back to where it was
/// pulled along the edges and not against the slip (a box sliding on a floor of many triangles was held with less than μ times its weight).
pub(crate) fn kept_anchor(
    kind: Kind,
    x: &[DVec3; 4],
    weight: &[f64; 4],
    frame: Option<FeatureFrame>,
    (from, at): (DVec3, DVec3),
) -> Option<DVec3> {
    let point = match kind {
        Kind::VertexFace => at,
        Kind::EdgeEdge => first_point(kind, x, weight) + (at - from),
    };
    frame?.to(weight, point)
}

/// Keeps the anchor of a contact with the contact; `at` is where the last one was kept.
pub(crate) fn keep(
    next: &mut crate::Tracked,
    key: u64,
    at: &mut usize,
    grip: SlipState,
    anchor: Option<DVec3>,
) {
    if let Some(i) = next.find_next(key, at) {
        next.anchor[i] = anchor.unwrap_or(DVec3::zero());
        next.grip[i] = if anchor.is_some() { grip } else { SlipState::Open };
    }
}

/// What friction is doing, by whether it slides.
pub(crate) fn grip(slipping: bool) -> SlipState {
    if slipping { SlipState::Dynamic } else { SlipState::Static }
}
