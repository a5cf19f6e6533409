//! An edge that falls into the notch of two edges, with its ends beyond it or not: a wedge in a crack.

use crate::common::{drawn_out, gravity};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Mass, Response, Simulation};

/// A crack 0.1 m wide and deep with its bottom at −0.1 m, and a wedge of 0.08 m over 0.1 m with its edge at `at` (m), turned about z (rad).
fn wedge_over_crack(response: Response, at: DVec3, turned: f64) -> Simulation {
    let block =
        [[-0.1, 0.0], [-0.1, -0.13], [0.1, -0.13], [0.1, 0.0], [0.05, 0.0], [0.0, -0.1], [-0.05, 0.0]];
    let crack = drawn_out(&block, &[[0, 1, 6], [6, 1, 5], [5, 1, 2], [5, 2, 4], [4, 2, 3]], 0.05);
    let wedge = drawn_out(&[[-0.04, 0.1], [0.0, 0.0], [0.04, 0.1]], &[[0, 1, 2]], 0.05);
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e5, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::HuntCrossley(1.0), friction: Some(friction), ..PairLaw::elastic(1e5) };
    let middle = wedge.positions().iter().fold(DVec3::zero(), |s, p| s + *p) / 6.0;
    let wedge = wedge.mapped(|p| p - middle).unwrap();
    let pose = Pose::new(at + middle, rotor_from_rotation_vector(DVec3::unit_z() * turned));
    let scheme = response.scheme().unwrap_or(Scheme::SymplecticEuler);
    Simulation::builder(1.25e-4)
        .gravity(gravity())
        .law(law)
        .scheme(scheme)
        .response(response)
        .body(BodyDesc::fixed("crack", crack, Pose::identity()).unwrap())
        .body(BodyDesc::rigid("wedge", &wedge, Mass::Density(500.0), pose).unwrap())
        .build()
        .unwrap()
}

/// It falls by 70 mm onto the bottom, where its edge meets the corner of two edges at each end that it sticks out of. Nothing lets it tip out of an end: its weight is between what holds it.
#[test]
fn a_wedge_stays_in_its_crack() {
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        for (x, y, turned) in [
            (0.0, -0.005, 1e-8),
            (0.0, 0.005, 0.0),
            (1e-6, -0.005, 1e-5),
            (-1e-6, 0.001, 0.0),
            (0.003, 0.005, 0.0),
            (0.0, 0.001, 0.01),
        ] {
            let mut sim = wedge_over_crack(response.clone(), DVec3::new(x, y, -0.03), turned);
            for _ in 0..3200 {
                sim.step().unwrap();
            }
            let (place, twist) = (sim.pose(1), sim.twist(1));
            let said = format!("{response:?} from {x}, {y} m, {turned} rad: {place:?}, {twist:?}");
            // The middle is 2/30 m above the edge; bounces of a few centimetres and a lean to a wall are allowed.
            let up = place.vector_to_world(DVec3::unit_z());
            assert!(place.position.z > -0.1 + 0.2 / 3.0 - 2e-3 && up.y.abs() < 0.1, "{said}");
        }
    }
}
