//! What lies over the border of an open surface with its centre of mass beyond it falls, however large the triangle is that it leaves.

use crate::common::{gravity, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};

#[test]
fn a_box_over_the_border_of_a_grid_falls() {
    for response in [Response::cpf, Response::dpf_ccd, Response::cpf_implicit, Response::qp] {
        for (segments, beyond) in [([1, 1], 0.06), ([1, 1], 0.03), ([7, 3], 0.06)] {
            let response = response();
            let implicit = response.family() == Some(Family::CPF_IMPLICIT);
            let grid = generators::grid([2.0; 2], segments).unwrap();
            let block = generators::cuboid(DVec3::new(0.4, 0.2, 0.1), [3; 3]).unwrap();
            let pose = Pose::from_position(DVec3::new(1.0 + beyond, 0.03, 0.05));
            let friction = Some(FrictionLaw::coulomb(0.5));
            let law = PairLaw { friction, ..law(1e4, Damping::KelvinVoigt(30.0)) };
            let mut sim = Simulation::builder(1e-3)
                .gravity(gravity())
                .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
                .law(law)
                .response(response)
                .body(BodyDesc::fixed("ground", grid, Pose::identity()).unwrap())
                .body(BodyDesc::rigid("box", &block, Mass::Total(1.0), pose).unwrap())
                .build()
                .unwrap();
            (0..1200).for_each(|_| sim.step().unwrap());
            let z = sim.pose(1).position.z;
            assert!(z < -0.5, "{:?}, {segments:?}, {beyond}: {z} m", sim.response().name());
        }
    }
}
