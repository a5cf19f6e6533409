//! In other units, by powers of two, what deforms does the same to the bit: a cloth on a ball, a cable over a bar, a soft cube on a floor.

use crate::common::G;
use crate::scaled::{Units, WRITTEN, grown, law};
use impinge_elasticity::Material;
use impinge_elasticity::rod::Section;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Builder, ClothSpec, Deformable, NodeState, RESPONSES, Response, Simulation};

const DT: f64 = 1.0 / 512.0;
const STEPS: usize = 60;

const OTHERS: [Units; 5] = [
    Units { length: 1024.0, ..WRITTEN },
    Units { length: 9.5367431640625e-7, ..WRITTEN },
    Units { mass: 1024.0, ..WRITTEN },
    Units { time: 1024.0, ..WRITTEN },
    Units { length: 4.0, mass: 9.5367431640625e-7, time: 1024.0 },
];

fn world(response: Response, stiffness: f64, units: Units) -> Builder {
    let scheme = response.scheme().unwrap_or(Scheme::ImplicitEuler);
    Simulation::builder(DT * units.time)
        .gravity(DVec3::new(0.0, 0.0, -G) * (units.speed() / units.time))
        .law(law(stiffness, units))
        .scheme(scheme)
        .response(grown(response, units))
}

/// Thrown down, and a little aside.
fn falling(body: Deformable, name: &str, place: [f64; 3], units: Units) -> BodyDesc {
    let mut body = BodyDesc::deformable(name, body, Pose::from_position(DVec3::from(place) * units.length));
    body.velocity = DVec3::new(0.125, 0.0625, -0.5) * units.speed();
    body
}

fn cloth(response: Response, units: Units) -> Builder {
    let by = units.length;
    let sheet = generators::grid([0.4 * by, 0.4 * by], [6, 6]).unwrap();
    let spec = ClothSpec {
        young: 65536.0 * units.pressure(),
        poisson: 0.25,
        thickness: by / 1024.0,
        density: 256.0 * units.mass / by.powi(3),
        bending: 0.125,
        rayleigh: [1.0 / units.time, units.time / 512.0],
    };
    let ball = generators::icosphere(0.1 * by, 1).unwrap();
    world(response, 64.0, units).body(BodyDesc::fixed("ball", ball, Pose::identity()).unwrap()).body(falling(
        Deformable::cloth("cloth", &sheet, &spec).unwrap(),
        "cloth",
        [0.013, 0.007, 0.105],
        units,
    ))
}

fn cable(response: Response, units: Units) -> Builder {
    let by = units.length;
    let (stretch, bend) = (512.0 * units.force(), units.force() * by * by / 8192.0);
    let section = Section { ea: stretch, ei: [bend; 2], gj: 0.0, linear_density: 0.0625 * units.mass / by };
    let line: Vec<DVec3> =
        (0..=16).map(|i| DVec3::new((0.025 * f64::from(i) - 0.21) * by, 0.003 * by, 0.0)).collect();
    let cable = Deformable::cable("cable", &line, &section, [1.0 / units.time, units.time / 512.0]).unwrap();
    let bar = generators::cuboid(DVec3::new(0.06, 0.3, 0.04) * by, [1; 3]).unwrap();
    world(response, 64.0, units).body(BodyDesc::fixed("bar", bar, Pose::identity()).unwrap()).body(falling(
        cable,
        "cable",
        [0.0, 0.0, 0.024],
        units,
    ))
}

fn cube(response: Response, units: Units) -> Builder {
    let by = units.length;
    let block = generators::tet_box(DVec3::broadcast(0.2 * by), [2; 3]).unwrap();
    let material = Material::new(65536.0 * units.pressure(), 0.25, 1024.0 * units.mass / by.powi(3))
        .with_rayleigh(2.0 / units.time, units.time / 512.0);
    let cube = Deformable::solid("cube", &block, Model::Corotational, &material).unwrap();
    let ground = generators::cuboid(DVec3::new(1.0, 1.0, 0.2) * by, [1; 3]).unwrap();
    world(response, 4096.0, units)
        .body(BodyDesc::fixed("ground", ground, Pose::from_position(DVec3::unit_z() * (-0.1 * by))).unwrap())
        .body(falling(cube, "cube", [0.013, 0.007, 0.105], units))
}

/// Nodes as they are written.
fn bits(sim: &Simulation, units: Units) -> Vec<u64> {
    let nodes = sim.column::<NodeState>();
    let places = nodes.x.iter().map(|x| *x / units.length);
    let all = places.chain(nodes.v.iter().map(|v| *v / units.speed()));
    all.flat_map(|v| [v.x, v.y, v.z]).map(|x| (x + 0.0).to_bits()).collect()
}

/// The steps, and whether something touched.
fn steps(mut sim: Simulation, units: Units) -> Result<(Vec<Vec<u64>>, bool), String> {
    let mut touched = false;
    let mut out = Vec::new();
    for _ in 0..STEPS {
        sim.step().map_err(|e| format!("{units:?}: {e}"))?;
        touched |= !sim.ledger().pairs.is_empty();
        out.push(bits(&sim, units));
    }
    Ok((out, touched))
}

/// The responses that take the scene.
fn holds(scene: fn(Response, Units) -> Builder) -> Vec<&'static str> {
    let (mut taken, mut wrong) = (Vec::new(), Vec::new());
    for response in RESPONSES.iter().map(|r| r.response()) {
        let name = response.name();
        let Ok(own) = scene(response.clone(), WRITTEN).build() else { continue };
        taken.push(name);
        let (own, touched) = match steps(own, WRITTEN) {
            Ok(own) => own,
            Err(e) => {
                wrong.push(format!("{name}: {e}"));
                continue;
            }
        };
        if !touched {
            wrong.push(format!("{name}: nothing touched"));
        }
        for units in OTHERS {
            let made = scene(response.clone(), units).build().map_err(|e| e.to_string());
            match made.and_then(|sim| steps(sim, units)) {
                Ok((other, _)) => {
                    if let Some(step) = (0..STEPS).find(|&k| own[k] != other[k]) {
                        wrong.push(format!("{name} in {units:?}: step {step} is another"));
                    }
                }
                Err(e) => wrong.push(format!("{name}: {e}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    taken
}

#[test]
fn a_cloth_on_a_ball_has_the_same_bits_in_other_units() {
    assert_eq!(holds(cloth), ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp"]);
}

#[test]
fn a_cable_over_a_bar_has_the_same_bits_in_other_units() {
    assert_eq!(holds(cable), ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp"]);
}

#[test]
fn a_soft_cube_has_the_same_bits_in_other_units() {
    assert_eq!(holds(cube), ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp", "volume", "volume-penalty"]);
}
