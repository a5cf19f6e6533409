//! Round bodies laid down where they touch, nearer than surfaces keep under `qp`: they roll as if they were not.

use impinge_contact::{FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Response, Simulation};

const DT: f64 = 5e-4;
const STEPS: u32 = 500;
const G: f64 = 9.81;

/// Speed along the slope of ten degrees after 0.25 s, over that of pure rolling: g sin a t m/(m + J/R²).
fn rolls(floor: BodyDesc, radius: f64) -> f64 {
    let (sine, cosine) = 10f64.to_radians().sin_cos();
    let mesh = generators::icosphere(radius, 5).unwrap();
    let low = mesh.positions().iter().map(|p| p.z).fold(0.0, f64::min);
    let pose = Pose::from_position(DVec3::unit_z() * -low);
    let ball = BodyDesc::rigid("ball", &mesh, Mass::Density(1000.0), pose).unwrap();
    let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.6)), ..PairLaw::elastic(1.0) };
    let mut sim = Simulation::builder(DT)
        .gravity(DVec3::new(G * sine, 0.0, -G * cosine))
        .law(law)
        .response(Response::qp())
        .body(floor)
        .body(ball)
        .build()
        .unwrap();
    (0..STEPS).for_each(|_| sim.step().unwrap());
    sim.twist(1).velocity.x / (5.0 / 7.0 * G * sine * f64::from(STEPS) * DT)
}

#[test]
fn a_ball_laid_down_where_it_touches_rolls() {
    for radius in [0.07, 0.1, 0.3] {
        let slab = generators::cuboid(DVec3::new(4.0, 4.0, 0.1), [1; 3]).unwrap();
        let slab = BodyDesc::fixed("floor", slab, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap();
        for floor in [BodyDesc::plane("floor", DVec3::unit_z(), 0.0), slab] {
            let part = rolls(floor, radius);
            // It is faceted.
            assert!((part - 1.0).abs() < 0.02, "{radius} m: {part} of the speed");
        }
    }
}
