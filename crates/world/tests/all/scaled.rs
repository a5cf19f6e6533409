//! No response knows how long a metre is, how heavy a kilogram or how long a second: in other units, by powers of two, the numbers are those, to the bit.

use crate::common::G;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Mass, PressureField, PressureFriction, PressureSettings, QpSettings, RESPONSES, Response,
    Simulation, VolumeFriction, VolumePenaltySettings, VolumeSettings,
};

const DT: f64 = 1.0 / 1024.0;
const EDGE: f64 = 0.25;

/// Lengths, masses and times over those of the scene as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    pub length: f64,
    pub mass: f64,
    pub time: f64,
}

pub const WRITTEN: Units = Units { length: 1.0, mass: 1.0, time: 1.0 };

impl Units {
    pub fn speed(self) -> f64 {
        self.length / self.time
    }

    /// Of a force.
    pub fn force(self) -> f64 {
        self.mass * self.speed() / self.time
    }

    /// Of a pressure.
    pub fn pressure(self) -> f64 {
        self.force() / (self.length * self.length)
    }
}

/// A response with its own numbers in these units: what is in metres grows with them, what is per metre shrinks.
pub fn grown(response: Response, units: Units) -> Response {
    let by = units.length;
    if let Some(s) = response.settings::<QpSettings>() {
        let (thickness, recovery) = (s.thickness * by, s.recovery * units.speed());
        return Response::from(QpSettings { thickness, recovery, ..*s });
    }
    if let Some(s) = response.settings::<VolumeSettings>() {
        let recovery = s.recovery.map(|v| v * units.speed());
        return Response::from(VolumeSettings { depth: s.depth * by, recovery, ..*s });
    }
    if let Some(s) = response.settings::<VolumePenaltySettings>() {
        let friction = match s.friction {
            VolumeFriction::Bristles { stiffness, damping } => {
                VolumeFriction::Bristles { stiffness: stiffness / by, damping: damping * units.time }
            }
            VolumeFriction::Viscous => VolumeFriction::Viscous,
        };
        // Pressures for a volume, and for the rate of one.
        let of = units.pressure() / by.powi(3);
        let (stiffness, viscosity) = (s.stiffness * of, s.viscosity * of * units.time);
        return Response::from(VolumePenaltySettings { stiffness, viscosity, friction, ..*s });
    }
    if let Some(s) = response.settings::<PressureSettings>() {
        let friction = match s.friction {
            PressureFriction::Bristles { stiffness, damping } => {
                PressureFriction::Bristles { stiffness: stiffness / by, damping: damping * units.time }
            }
            PressureFriction::Coulomb { regularisation, stribeck } => {
                let speed = units.speed();
                PressureFriction::Coulomb {
                    regularisation: regularisation * speed,
                    stribeck: stribeck * speed,
                }
            }
        };
        return Response::from(PressureSettings { friction, ..*s });
    }
    response
}

/// A law of this stiffness (N/m).
pub fn law(stiffness: f64, units: Units) -> PairLaw {
    let k = units.force() / units.length;
    let friction = FrictionLaw {
        mu_s: 0.5,
        mu_k: 0.375,
        k_fp: 0.5 * stiffness * k,
        k_fd: stiffness / 1024.0 * k * units.time,
        k_omega: 1024.0 / units.speed(),
        rule: SlipRule::ReturnMap,
    };
    PairLaw {
        damping: Damping::HuntCrossley(0.5 / units.speed()),
        friction: Some(friction),
        ..PairLaw::elastic(stiffness * k)
    }
}

/// A box thrown along a floor against a stack of two, one of them turned.
fn thrown(response: Response, units: Units) -> Simulation {
    let by = units.length;
    let law = law(4096.0, units);
    let scheme = response.scheme().unwrap_or(Scheme::SymplecticEuler);
    let body = |name: &str, place: [f64; 3], turn: f64, velocity: DVec3| {
        let size = DVec3::broadcast(EDGE * by);
        let mesh = generators::cuboid(size, [1; 3]).unwrap();
        let pose = Pose::new(DVec3::from(place) * by, rotor_from_rotation_vector(DVec3::new(0.0, 0.0, turn)));
        let mut body = BodyDesc::rigid(name, &mesh, Mass::Total(2.0 * units.mass), pose).unwrap();
        body.velocity = velocity * units.speed();
        body.with_pressure(PressureField::tets(fields::cuboid(size, 1048576.0 * units.pressure()).unwrap()))
    };
    Simulation::builder(DT * units.time)
        .gravity(DVec3::new(0.0, 0.0, -G) * (units.speed() / units.time))
        .law(law)
        .scheme(scheme)
        .response(grown(response, units))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(body("low", [0.0, 0.0, 0.126], 0.0, DVec3::zero()))
        .body(body("high", [0.03, 0.02, 0.378], 0.3, DVec3::zero()))
        .body(body("thrown", [-0.3, 0.01, 0.126], 0.0, DVec3::new(1.5, 0.1, 0.0)))
        .build()
        .unwrap()
}

/// Places, velocities and turns as they are written.
fn bits(sim: &Simulation, units: Units) -> Vec<u64> {
    let mut out = Vec::new();
    for slot in 1..sim.names().len() as u32 {
        let (pose, twist) = (sim.pose(slot), sim.twist(slot));
        let (place, velocity) = (pose.position / units.length, twist.velocity / units.speed());
        for v in [place, velocity, twist.angular_velocity * units.time] {
            out.extend([v.x, v.y, v.z]);
        }
        let r = pose.rotation;
        out.extend([r.s, r.bv.xy, r.bv.xz, r.bv.yz]);
    }
    out.into_iter().map(|x| (x + 0.0).to_bits()).collect()
}

fn steps_the_same(name: &str, units: Units) -> Result<(), String> {
    let response = || RESPONSES.iter().map(|r| r.response()).find(|r| r.name() == name).unwrap();
    let (mut own, mut other) = (thrown(response(), WRITTEN), thrown(response(), units));
    let mut touched = 0.0f64;
    for step in 0..150 {
        own.step().map_err(|e| e.to_string())?;
        other.step().map_err(|e| format!("in {units:?}: {e}"))?;
        touched = touched.max((own.twist(2).velocity - DVec3::zero()).mag());
        if bits(&own, WRITTEN) != bits(&other, units) {
            let off = |b| (own.position(b) - other.position(b) / units.length).mag();
            let off = (1..4).map(off).fold(0.0, f64::max);
            return Err(format!("{name} in {units:?}: step {step} is another, by {off:e} m"));
        }
    }
    if touched > 0.0 { Ok(()) } else { Err(format!("{name}: nothing moved")) }
}

const BY: [f64; 3] = [4.0, 1024.0, 9.5367431640625e-7];

fn holds<'a>(tried: impl Iterator<Item = (&'a str, Units)>) {
    let wrong: Vec<String> = tried.filter_map(|(name, units)| steps_the_same(name, units).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_scene_in_other_lengths_has_the_same_bits() {
    assert_eq!(RESPONSES.len(), 8);
    let lengths = || BY.iter().map(|&length| Units { length, ..WRITTEN });
    let responses: Vec<Response> = RESPONSES.iter().map(|r| r.response()).collect();
    holds(responses.iter().flat_map(|r| lengths().map(|units| (r.name(), units))));
}

#[test]
fn masses_and_times_may_be_others_too() {
    let others = || {
        let masses = BY.iter().map(|&mass| Units { mass, ..WRITTEN });
        let times = BY.iter().map(|&time| Units { time, ..WRITTEN });
        masses.chain(times).chain([Units { length: BY[0], mass: BY[2], time: BY[1] }])
    };
    let responses: Vec<Response> = RESPONSES.iter().map(|r| r.response()).collect();
    holds(responses.iter().flat_map(|r| others().map(|units| (r.name(), units))));
}
