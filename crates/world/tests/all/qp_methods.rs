//! The methods for a step's program that a scene can choose: all have the same answer where forces are unique.

use crate::common::{G, gravity};
use impinge_contact::{FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_qp::Method;
use impinge_world::{BodyDesc, Builder, Mass, QpSettings, Simulation};

const METHODS: [Method; 3] = [Method::PrimalDual, Method::Dual, Method::PaperSchur];

fn world(method: Method, mu: f64) -> Builder {
    let friction = (mu > 0.0).then(|| FrictionLaw::coulomb(mu));
    let cube = |name: &str, size: f64, at: DVec3| {
        let mesh = generators::cuboid(DVec3::broadcast(size), [1; 3]).unwrap();
        BodyDesc::rigid(name, &mesh, Mass::Total(1.0), Pose::from_position(at)).unwrap()
    };
    let mut low = cube("low", 0.2, DVec3::unit_z() * 0.11);
    low.velocity = DVec3::unit_x() * 0.3;
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(PairLaw { friction, ..PairLaw::elastic(1e4) })
        .response(QpSettings { method, ..QpSettings::default() })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(low)
        .body(cube("high", 0.1, DVec3::new(0.02, 0.01, 0.27)))
}

#[test]
fn every_method_carries_the_weight_and_slides_alike() {
    let ends = METHODS.map(|method| {
        let mut sim = world(method, 0.0).build().unwrap();
        (0..400).for_each(|_| sim.step().unwrap_or_else(|e| panic!("{method:?}: {e}")));
        for (slot, weight) in [(0, -2.0 * G), (2, G)] {
            let force = sim.contact_force(slot).z;
            assert!((force - weight).abs() < 1e-6 * G, "{method:?}, {slot}: {force} N for {weight}");
        }
        assert!((sim.twist(1).velocity.x - 0.3).abs() < 1e-9, "{method:?}: nothing rubs");
        [1, 2].map(|slot| sim.position(slot))
    });
    for (method, end) in METHODS.iter().zip(&ends) {
        for (a, b) in end.iter().zip(&ends[0]) {
            assert!((*a - *b).mag() < 1e-9, "{method:?}: {a:?} for {b:?}");
        }
    }
}

#[test]
fn a_method_without_friction_refuses_it_by_name_before_the_run() {
    for method in METHODS {
        let refused = world(method, 0.3).build().err().map(|e| e.to_string());
        match method {
            Method::PrimalDual => assert_eq!(refused, None),
            _ => assert!(refused.unwrap().contains("'floor' and 'low' have friction")),
        }
    }
}
