//! Measures a run against the scene's expectations, step by step, storing sums and not histories.

use crate::measure::Measure;
use crate::spec::{ExpectSpec, Response, SceneSpec, Target, When};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_geometry::plain;
use impinge_world::{ContactPoint, NodeState, Simulation};

/// What became of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Met.
    Pass,
    /// Not met.
    Fail,
    /// Not met, as the scene says it would not be.
    ExpectedFail,
    /// Met although the scene says it cannot be: the scene is out of date.
    UnexpectedPass,
    /// The run ended before it could be measured, or was not the run the scene speaks of.
    NotJudged,
}

impl Verdict {
    /// `true` where the run did what the scene says.
    #[must_use]
    pub fn is_as_expected(self) -> bool {
        matches!(self, Self::Pass | Self::ExpectedFail | Self::NotJudged)
    }

    /// The word used in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::ExpectedFail => "expected failure",
            Self::UnexpectedPass => "UNEXPECTED PASS",
            Self::NotJudged => "not judged",
        }
    }
}

/// One expectation with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Name in the scene.
    pub name: String,
    /// What was measured, of what and when, in words.
    pub what: String,
    /// What it was measured of; indices as in the scene.
    pub target: Target,
    /// When.
    pub when: When,
    /// What was expected, in words.
    pub expected: String,
    /// How far that is above what was asked (positive) or below it, in its unit; 0 where it is met or could not be measured.
    pub off: f64,
    /// What came out; NaN when the run ended before it could be measured.
    pub measured: f64,
    /// Unit of the measure.
    pub unit: &'static str,
    /// What became of it.
    pub verdict: Verdict,
    /// Why it fails, where the scene says so.
    pub note: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Tally {
    first: f64,
    last: f64,
    sum: f64,
    max: f64,
    count: u64,
}

/// What a [`Monitor`] has measured so far: all that a run which goes on later must know.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Measured {
    tallies: Vec<Tally>,
    start_energy: f64,
    /// E(t) − E(0).
    change: f64,
    largest_kinetic: f64,
}

/// Follows a run.
pub struct Monitor {
    expectations: Vec<ExpectSpec>,
    seen: Measured,
    names: Vec<String>,
    sensors: Vec<String>,
    dt: f64,
    all_finite: bool,
    judged: bool,
    /// Time of the last step of a run that failed (s).
    stopped_at: Option<f64>,
    points: Vec<ContactPoint>,
}

impl Monitor {
    /// Watches the expectations that the scene has for `response`; call before the first step.
    #[must_use]
    pub fn new(spec: &SceneSpec, response: Response, sim: &Simulation) -> Self {
        let expectations: Vec<ExpectSpec> =
            spec.expectations.iter().filter(|e| e.response == response).cloned().collect();
        let e = sim.energy();
        let untold = Tally { first: f64::NAN, last: f64::NAN, sum: 0.0, max: f64::NEG_INFINITY, count: 0 };
        Self {
            seen: Measured {
                tallies: vec![untold; expectations.len()],
                start_energy: e.total(),
                change: 0.0,
                largest_kinetic: e.kinetic(),
            },
            expectations,
            names: spec.bodies.iter().map(|b| b.name.clone()).collect(),
            sensors: spec.sensors.iter().map(|s| s.name.clone()).collect(),
            dt: sim.dt(),
            all_finite: true,
            judged: true,
            stopped_at: None,
            points: Vec::new(),
        }
    }

    /// What was measured so far.
    #[must_use]
    pub fn measured(&self) -> &Measured {
        &self.seen
    }

    /// Goes on from what was measured in the same run before.
    ///
    /// # Errors
    /// When it is of other expectations.
    pub fn resume(&mut self, measured: Measured) -> Result<(), String> {
        if measured.tallies.len() != self.expectations.len() {
            let (then, now) = (measured.tallies.len(), self.expectations.len());
            return Err(format!("{then} expectations were followed, the scene now has {now}"));
        }
        self.seen = measured;
        Ok(())
    }

    /// Takes in the step just made.
    pub fn observe(&mut self, sim: &Simulation) {
        let e = sim.ledger().energy;
        self.seen.largest_kinetic = self.seen.largest_kinetic.max(e.kinetic());
        self.seen.change = e.total() - self.seen.start_energy;
        let time = sim.time();
        let half = 0.5 * sim.dt();
        // Points are made for who asks for them: in a scene of many contacts they took a twentieth of the step.
        let mut pointed = false;
        for i in 0..self.expectations.len() {
            let x = &self.expectations[i];
            let wanted = match x.when {
                When::End => true,
                When::At(t) if x.measure.is_summed() => time <= t + half,
                // The first step that reaches the time; a later one must not overwrite it.
                When::At(t) => time >= t - half && self.seen.tallies[i].count == 0,
                When::Window(from, to) => time >= from - half && time <= to + half,
            };
            if wanted {
                if x.measure.is_of_points() && !pointed {
                    sim.contact_points(&mut self.points);
                    pointed = true;
                }
                let value = self.value(&self.expectations[i], sim);
                let t = &mut self.seen.tallies[i];
                let first = if t.count == 0 { value } else { t.first };
                let (sum, max) = (t.sum + value, t.max.max(value));
                *t = Tally { first, last: value, sum, max, count: t.count + 1 };
            }
        }
    }

    /// A step failed, the last good one ended at `time` (s): what should have been measured at the end, or up to a later time, was not
    /// reached, and fails. `not_finite` when it failed because a number was no longer finite.
    pub fn stopped(&mut self, time: f64, not_finite: bool) {
        self.stopped_at = Some(time);
        self.all_finite &= !not_finite;
    }

    /// Measure, but judge nothing: the run was interrupted, or its parameters are not the scene's.
    pub fn do_not_judge(&mut self) {
        self.judged = false;
    }

    fn value(&self, x: &ExpectSpec, sim: &Simulation) -> f64 {
        use Measure as M;
        let body = match x.target {
            Target::Body(b) | Target::Pair(b, _) => b as u32,
            Target::Scene | Target::Sensor(..) => 0,
        };
        let ledger = sim.ledger();
        let (velocity, spin) = {
            let t = sim.twist(body);
            (sim.velocity(body).unwrap_or(t.velocity), t.angular_velocity)
        };
        let depths = || self.points.iter().filter(|p| touches(x.target, p)).map(|p| p.depth);
        match x.measure {
            M::PositionX => sim.position(body).x,
            M::PositionY => sim.position(body).y,
            M::PositionZ => sim.position(body).z,
            M::Distance => match x.target {
                Target::Pair(_, other) => (sim.position(other as u32) - sim.position(body)).mag(),
                _ => f64::NAN,
            },
            M::VelocityX | M::AccelerationX => velocity.x,
            M::VelocityY | M::AccelerationY => velocity.y,
            M::VelocityZ | M::AccelerationZ => velocity.z,
            M::Speed => velocity.mag(),
            M::SpeedX => velocity.x.abs(),
            M::SpeedY => velocity.y.abs(),
            M::SpeedZ => velocity.z.abs(),
            M::AngularVelocityX => spin.x,
            M::AngularVelocityY => spin.y,
            M::AngularVelocityZ => spin.z,
            M::SpinX => sim.pose(body).vector_to_body(spin).x,
            M::SpinY => sim.pose(body).vector_to_body(spin).y,
            M::SpinZ => sim.pose(body).vector_to_body(spin).z,
            M::ContactForceX => exchanged(x.target, sim, false).x,
            M::ContactForceY => exchanged(x.target, sim, false).y,
            M::ContactForceZ => exchanged(x.target, sim, false).z,
            M::FrictionForce => exchanged(x.target, sim, true).mag(),
            M::Lowest => heights(sim, body).0,
            M::Highest => heights(sim, body).1,
            M::Stretch => strains(sim, body).1,
            M::Shrink => -strains(sim, body).0,
            M::MaxDepth => depths().fold(0.0, f64::max),
            M::MeanDepth => {
                let n = depths().count();
                if n == 0 { 0.0 } else { depths().sum::<f64>() / n as f64 }
            }
            M::Contacts => depths().count() as f64,
            M::ContactTime if pushed(x.target, sim) => sim.dt(),
            M::ContactTime => 0.0,
            M::KineticEnergy => match x.target {
                Target::Body(b) => sim.kinetic_energy(b as u32),
                _ => ledger.energy.kinetic(),
            },
            M::TotalEnergyDrift => self.seen.change.abs(),
            M::EnergyGrowth => self.seen.change.max(0.0),
            M::MomentumResidual => ledger.momentum.linear_residual.mag(),
            M::AngularMomentumResidual => ledger.momentum.angular_residual.mag(),
            M::AngularMomentumUnexplained => {
                let m = &ledger.momentum;
                (m.angular_residual - m.predicted_leak).mag()
            }
            M::Sensed => f64::from(sensed(x.target, sim)),
            M::SensedTime if sensed(x.target, sim) > 0 => sim.dt(),
            M::SensedTime => 0.0,
            // The largest is kept, and the first is wanted.
            M::FirstSensed if sensed(x.target, sim) > 0 => -sim.time(),
            M::FirstSensed => f64::NEG_INFINITY,
            M::Finite => 1.0,
        }
    }

    /// The results, in the order of the file.
    #[must_use]
    pub fn finish(&self) -> Vec<Checked> {
        let results = self.expectations.iter().zip(&self.seen.tallies);
        results.map(|(x, t)| self.check(x, t)).collect()
    }

    /// The run stopped before this was over.
    fn was_cut_short(&self, when: When) -> bool {
        let Some(time) = self.stopped_at else { return false };
        match when {
            When::End => true,
            When::At(t) | When::Window(_, t) => time < t - 0.5 * self.dt,
        }
    }

    fn check(&self, x: &ExpectSpec, t: &Tally) -> Checked {
        use Measure as M;
        let window = matches!(x.when, When::Window(..));
        let measured = match x.measure {
            M::Finite => f64::from(u8::from(self.all_finite)),
            // What the rest of the run would have added is not known.
            _ if t.count == 0 || self.was_cut_short(x.when) => f64::NAN,
            M::TotalEnergyDrift | M::EnergyGrowth => t.max / self.seen.largest_kinetic,
            M::ContactTime | M::SensedTime => t.sum,
            M::FirstSensed => -t.max,
            M::MomentumResidual | M::AngularMomentumResidual | M::AngularMomentumUnexplained => t.max,
            m if m.needs_window() => (t.last - t.first) / ((t.count - 1) as f64 * self.dt),
            M::Speed | M::SpeedX | M::SpeedY | M::SpeedZ | M::Stretch | M::Shrink | M::MaxDepth if window => {
                t.max
            }
            _ if window => t.sum / t.count as f64,
            _ => t.last,
        };
        let verdict = match (x.holds(measured), &x.fails) {
            _ if !self.judged => Verdict::NotJudged,
            (true, None) => Verdict::Pass,
            (false, None) => Verdict::Fail,
            (false, Some(_)) => Verdict::ExpectedFail,
            (true, Some(_)) => Verdict::UnexpectedPass,
        };
        Checked {
            name: x.name.clone(),
            what: self.words(x),
            target: x.target,
            when: x.when,
            expected: expected(x),
            off: x.off(measured),
            measured,
            unit: x.measure.unit(),
            verdict,
            note: x.fails.clone().unwrap_or_default(),
        }
    }

    fn words(&self, x: &ExpectSpec) -> String {
        let of = match x.target {
            Target::Scene => String::new(),
            Target::Body(b) => format!(" of {}", self.names[b]),
            Target::Pair(a, b) => format!(" of {} against {}", self.names[a], self.names[b]),
            Target::Sensor(s, None) => format!(" by {}", self.sensors[s]),
            Target::Sensor(s, Some(b)) => format!(" of {} by {}", self.names[b], self.sensors[s]),
        };
        let when = match x.when {
            When::End => String::new(),
            When::At(t) => format!(" at {t} s"),
            When::Window(a, b) => format!(" from {a} to {b} s"),
        };
        format!("{}{of}{when}", x.measure.name())
    }
}

/// How many bodies of the target are in its sensor.
fn sensed(target: Target, sim: &Simulation) -> u32 {
    let Target::Sensor(sensor, only) = target else { return 0 };
    let inside = sim.in_sensor(sensor).iter();
    inside.filter(|slot| only.is_none_or(|b| b == **slot as usize)).count() as u32
}

fn touches(target: Target, p: &ContactPoint) -> bool {
    match target {
        Target::Scene => true,
        Target::Sensor(..) => false,
        Target::Body(b) => p.a as usize == b || p.b as usize == b,
        Target::Pair(a, b) => (p.a as usize, p.b as usize) == (a.min(b), a.max(b)),
    }
}

/// A contact had a normal impulse in the step.
fn pushed(target: Target, sim: &Simulation) -> bool {
    let pairs = &sim.ledger().pairs;
    (0..pairs.len()).any(|i| {
        let (a, b) = (pairs.a[i] as usize, pairs.b[i] as usize);
        let concerned = match target {
            Target::Scene => true,
            Target::Sensor(..) => false,
            Target::Body(x) => x == a || x == b,
            Target::Pair(x, y) => (x, y) == (a, b) || (y, x) == (a, b),
        };
        concerned && pairs.pressed[i] > 0.0
    })
}

/// Mean force of the step on the body, or on the first body of the pair, from the ledger (N).
fn exchanged(target: Target, sim: &Simulation, friction_only: bool) -> DVec3 {
    let ledger = sim.ledger();
    let mut sum = DVec3::zero();
    for i in 0..ledger.pairs.len() {
        let (a, b) = (ledger.pairs.a[i] as usize, ledger.pairs.b[i] as usize);
        if a == b && matches!(target, Target::Body(_)) {
            // What a body does to itself is no force on it.
            continue;
        }
        let sign = match target {
            Target::Body(x) if x == a => 1.0,
            Target::Body(x) if x == b => -1.0,
            Target::Pair(x, y) if (x, y) == (a, b) => 1.0,
            Target::Pair(x, y) if (x, y) == (b, a) => -1.0,
            _ => continue,
        };
        let normal = if friction_only { DVec3::zero() } else { ledger.pairs.normal[i] };
        sum += (normal + ledger.pairs.friction[i]) * sign;
    }
    sum / sim.dt()
}

fn expected(x: &ExpectSpec) -> String {
    let mut parts = Vec::new();
    if let Some((value, tolerance)) = x.value {
        parts.push(format!("{} ± {}", plain(value, 12), plain(tolerance, 4)));
    }
    if let Some(min) = x.min {
        parts.push(format!("≥ {}", plain(min, 12)));
    }
    if let Some(max) = x.max {
        parts.push(format!("≤ {}", plain(max, 12)));
    }
    parts.join(", ")
}

/// Smallest and largest (length − rest) / rest of the edges of cloth or the segments of a cable; NaN of other bodies.
fn strains(sim: &Simulation, slot: u32) -> (f64, f64) {
    let edges = sim.deformable(slot).map(|d| d.edges()).unwrap_or_default();
    if edges.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    let (nodes, first) = (sim.column::<NodeState>(), sim.nodes_of(slot).start);
    edges.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), ([i, j], rest)| {
        let length = (nodes.x[first + *j as usize] - nodes.x[first + *i as usize]).mag();
        let strain = length / rest - 1.0;
        (lo.min(strain), hi.max(strain))
    })
}

/// Smallest and largest z of a body's surface between steps (m).
fn heights(sim: &Simulation, slot: u32) -> (f64, f64) {
    let (map, nodes) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>());
    let pose = sim.pose(slot);
    map.range(slot as usize).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
        let arm = map.arms(slot as usize)[v - map.first(slot as usize) as usize];
        let z = map.at_nodes(v as u32, &nodes.x).unwrap_or_else(|| pose.point_to_world(arm)).z;
        (lo.min(z), hi.max(z))
    })
}
