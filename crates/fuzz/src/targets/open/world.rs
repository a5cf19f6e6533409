//! Small worlds, of one response or several, with what their programs may do something to.

use crate::families::Numbers;
use crate::hostile::vector;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Scheme};
use impinge_pressure::fields;
use impinge_world::{BodyDesc, Deformable, Mass, Motion, PressureField, RESPONSES, Response, Simulation};

const DT: f64 = 1.0 / 1024.0;

/// Edge of a cube (m).
pub const EDGE: f64 = 0.2;

fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { damping: Damping::HuntCrossley(0.5), friction: Some(friction), ..PairLaw::elastic(5e3) }
}

/// A cube that every response takes.
pub fn cube(name: &str, place: DVec3, turn: DVec3) -> Result<BodyDesc, String> {
    let mesh = generators::cuboid(DVec3::broadcast(EDGE), [1; 3]).map_err(|e| e.to_string())?;
    let field = fields::cuboid(DVec3::broadcast(EDGE), 1e6).map_err(|e| e.to_string())?;
    let pose = Pose::new(place, rotor_from_rotation_vector(turn));
    let body = BodyDesc::rigid(name, &mesh, Mass::Total(2.0), pose).map_err(|e| e.to_string())?;
    Ok(body.with_pressure(PressureField::tets(field)))
}

/// A response by a number.
pub fn response(n: u64) -> Response {
    RESPONSES[n as usize % RESPONSES.len()].response()
}

fn block() -> Result<Deformable, String> {
    let mesh = generators::tet_box(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]).map_err(|e| e.to_string())?;
    let jelly = Material::new(2e4, 0.3, 1000.0).with_rayleigh(0.0, 0.002);
    Deformable::solid("block", &mesh, Model::StableNeoHookean, &jelly).map_err(|e| e.to_string())
}

/// A floor, a hand, one to four cubes, now and then a block of jelly; half of the worlds give a pair another response, and a third may
/// halve their steps.
pub fn made(r: &mut Numbers) -> Result<Simulation, String> {
    let first = response(r.next());
    let scheme = first.scheme().unwrap_or(r.pick(&[Scheme::SymplecticEuler, Scheme::ImplicitEuler]));
    let halvings = r.pick(&[0, 0, 6]);
    let hand = generators::cuboid(DVec3::new(EDGE, EDGE, 0.05), [1; 3]).map_err(|e| e.to_string())?;
    let mut hand = BodyDesc::fixed("hand", hand, Pose::from_position(DVec3::new(0.0, 0.0, 1.0)))
        .map_err(|e| e.to_string())?;
    let field = fields::cuboid(DVec3::new(EDGE, EDGE, 0.05), 1e6).map_err(|e| e.to_string())?;
    hand = hand.with_pressure(PressureField::tets(field));
    hand.motion = Motion::Kinematic(Driver::constant(hand.pose, DVec3::zero(), DVec3::zero()));
    let mut builder = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law())
        .halvings(halvings)
        .scheme(scheme)
        .response(first.clone())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(hand);
    let cubes = 1 + r.below(4);
    let stacked = r.below(2) == 0;
    for k in 0..cubes {
        let aside = if stacked { 0.01 * k as f64 } else { 0.19 * k as f64 };
        let up = if stacked { 0.5 * EDGE + k as f64 * 1.001 * EDGE } else { 0.52 * EDGE };
        let turn = if r.below(2) == 0 { DVec3::zero() } else { vector(r) };
        builder = builder.body(cube(&format!("cube {k}"), DVec3::new(aside, 0.0, up), turn)?);
    }
    let plain = builder.clone();
    if r.below(4) == 0 {
        let place = Pose::from_position(DVec3::new(-0.5, 0.0, 0.06));
        builder = builder.body(BodyDesc::deformable("block", block()?, place));
    }
    if r.below(2) == 0 {
        builder = builder.pair_response(0, 2, response(r.next()));
    }
    // Where the response takes no jelly, or the other has another scheme.
    builder.build().or_else(|_| plain.build()).map_err(|e| e.to_string())
}
