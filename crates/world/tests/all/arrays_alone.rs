//! The kernel crates step bodies on arrays alone, in their examples `*_rest_on_floor`: to the bit as the pipeline does.

use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::Scheme;
use impinge_pressure::PressureSettings;
use impinge_qp::QpSettings;
use impinge_volume::VolumeSettings;
use impinge_world::{BodyDesc, Cpf, CpfImplicit, Mass, Response, Simulation};

#[allow(dead_code)]
#[path = "../../../cpf/examples/cpf_rest_on_floor.rs"]
mod cpf;
#[allow(dead_code)]
#[path = "../../../pressure/examples/pressure_rest_on_floor.rs"]
mod pressure;
#[allow(dead_code)]
#[path = "../../../qp/examples/qp_rest_on_floor.rs"]
mod qp;
#[allow(dead_code)]
#[path = "../../../volume/examples/volume_rest_on_floor.rs"]
mod volume;

fn world(
    dt: f64,
    law: PairLaw,
    scheme: Scheme,
    response: impl Into<Response>,
    bodies: [BodyDesc; 2],
) -> Simulation {
    let [floor, moved] = bodies;
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .scheme(scheme)
        .law(law)
        .response(response)
        .body(floor)
        .body(moved)
        .build()
        .unwrap()
}

fn plane() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// Every step ends in the same bits, and the last one at rest: slower than 0.1 mm/s, and with its lowest point as high as it should be (m).
fn same(mut sim: Simulation, poses: &[Pose], rest: std::ops::Range<f64>) {
    for (i, pose) in poses.iter().enumerate() {
        sim.step().unwrap();
        assert_eq!(sim.pose(1), *pose, "step {i}");
    }
    let (z, v) = (sim.pose(1).position.z, sim.twist(1).velocity.mag());
    println!("ends at {z} m with {v:.1e} m/s");
    assert!(rest.contains(&z), "{z} m");
    assert!(v < 1e-4, "{v} m/s");
}

#[test]
fn volume_with_stabilisation() {
    let settings = VolumeSettings::default();
    let poses = volume::fall(settings, 300).unwrap();
    let mesh = impinge_geometry::generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let body = BodyDesc::rigid("box", &mesh, Mass::Total(2.0), volume::start()).unwrap();
    let sim = world(volume::DT, volume::law(), Scheme::SymplecticEuler, settings, [plane(), body]);
    same(sim, &poses, 0.0998..0.1);
}

#[test]
fn implicit_pressure() {
    let settings = PressureSettings::default();
    let poses = pressure::fall(settings, 480).unwrap();
    let body = BodyDesc::compliant("box", &pressure::field(), Mass::Total(2.0), pressure::start()).unwrap();
    let sim = world(pressure::DT, pressure::law(), Scheme::SymplecticEuler, settings, [plane(), body]);
    same(sim, &poses, 0.049..0.05);
}

#[test]
fn qp_with_its_outer_loop() {
    let settings = QpSettings::default();
    let poses = qp::fall(settings, 400).unwrap();
    let ([floor, mesh], [below, start]) = (qp::meshes(), qp::starts());
    let floor = BodyDesc::fixed("floor", floor, below).unwrap();
    let body = BodyDesc::rigid("box", &mesh, Mass::Total(2.0), start).unwrap();
    let sim = world(qp::DT, qp::law(), Scheme::SymplecticEuler, settings, [floor, body]);
    same(sim, &poses, 0.1009..0.1011);
}

fn sliding() -> [BodyDesc; 2] {
    let ([floor, mesh], [below, start]) = (cpf::meshes(), cpf::starts());
    let mut body = BodyDesc::rigid("box", &mesh, Mass::Total(2.0), start).unwrap();
    body.velocity = cpf::velocity();
    [BodyDesc::fixed("floor", floor, below).unwrap(), body]
}

/// Its corners cross the edges of the floor's triangles.
#[test]
fn cpf_with_contacts_handed_from_triangle_to_triangle() {
    let poses = cpf::slide(1500).unwrap();
    let way = (poses[1499].position - cpf::starts()[1].position).mag();
    assert!(way > 0.07, "slides by half a triangle and more: {way} m");
    let response = Cpf { band: cpf::BAND, ..Cpf::default() };
    let sim = world(cpf::DT, cpf::law(), Scheme::SymplecticEuler, response, sliding());
    same(sim, &poses, 0.099..0.1);
}

#[test]
fn conserving_cpf() {
    let poses = cpf::slide_conserving(1500).unwrap();
    let response = CpfImplicit { band: cpf::BAND, ..CpfImplicit::default() };
    let sim = world(cpf::DT, cpf::law(), Scheme::ImplicitMidpoint, response, sliding());
    same(sim, &poses, 0.099..0.1);
}
