//! A hit that comes apart with another speed than its law asks for is told, and one that does as asked is not.

use impinge_contact::{Damper, Damping, FrictionLaw, PairLaw, Restitution, Stiffness};
use impinge_geometry::DVec3;
use impinge_watch::{Kind, Watches};
use impinge_world::{BodyDesc, Mass, Response, Simulation};

const SPEED: f64 = 3.0;

/// χ for a restitution at [`SPEED`], from ln[(1 + a)/(1 − a e)] = a (1 + e), a = χ v.
fn law(e: f64, friction: Option<FrictionLaw>) -> PairLaw {
    let g = |a: f64| ((1.0 + a) / (1.0 - a * e)).ln() - a * (1.0 + e);
    let (mut low, mut high) = (1e-9, 1.0 / e - 1e-9);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if g(middle) < 0.0 { low = middle } else { high = middle }
    }
    let damper = Damper::HuntCrossley { chi: low / SPEED, speed: SPEED };
    let mut law = PairLaw::elastic(1e5);
    law.stiffness = Stiffness::PerContact(1e5);
    law.damping = Damping::Restitution(Restitution { e, damper });
    law.friction = friction;
    law
}

/// A block of 1 kg flies onto a floor, flat, by itself.
fn block(response: Response, e: f64, dt: f64) -> Simulation {
    let mut block =
        BodyDesc::cuboid("block", [0.2, 0.1, 0.1], Mass::Total(1.0), DVec3::unit_z() * 0.1).unwrap();
    block.velocity = DVec3::unit_z() * -SPEED;
    let scheme = response.scheme().unwrap_or_default();
    Simulation::builder(dt)
        .scheme(scheme)
        .gravity(DVec3::zero())
        .law(law(e, None))
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(block)
        .build()
        .unwrap()
}

/// What is said after `time` (s), and the speed along z then (m/s).
fn told(mut sim: Simulation, time: f64) -> (Vec<String>, f64) {
    let mut watches = Watches::new(&sim);
    while sim.time() < time {
        sim.step().unwrap();
        watches.see(&sim);
    }
    let said = watches.warnings(&sim).into_iter().filter(|w| w.kind == Kind::Rebound).map(|w| w.text);
    (said.collect(), sim.twist(1).velocity.z)
}

#[test]
fn a_rebound_as_asked_for_is_not_told_and_another_is() {
    let mut seen = [false; 2];
    for response in [Response::penalty(), Response::cpf(), Response::cpf_implicit(), Response::qp()] {
        for (e, dt) in [(0.5, 2e-3), (0.9, 2e-3), (0.5, 1e-4), (0.9, 1e-4)] {
            let name = response.name();
            let (said, after) = told(block(response.clone(), e, dt), 0.06);
            let off = (after / SPEED - e).abs() > 0.02;
            assert_eq!(said.len(), usize::from(off), "{name} at {dt}: {after} m/s, {e}, {said:?}");
            seen[usize::from(off)] = true;
            if let [text] = &said[..] {
                assert!(text.starts_with("'floor' and 'block' met at 3.000 m/s at t = 0.0"), "{text}");
                let number: f64 = text.split(" apart with ").nth(1).unwrap()[..5].parse().unwrap();
                assert!((number - after / SPEED).abs() < 1e-3, "{text}, {after} m/s");
            }
        }
    }
    assert_eq!(seen, [true, true], "both kinds occur");
}

/// With friction an impact beside the centre turns the block, and what it does along the normal is friction's as well.
#[test]
fn where_friction_has_a_hold_on_the_normal_nothing_is_compared() {
    let turned = |friction| {
        let at = DVec3::unit_z() * 0.2;
        let mut block = BodyDesc::cuboid("block", [0.2, 0.1, 0.1], Mass::Total(1.0), at).unwrap();
        (block.velocity, block.angular_velocity) = (DVec3::unit_z() * -SPEED, DVec3::unit_y() * 2.0);
        Simulation::builder(2e-3)
            .gravity(DVec3::zero())
            .law(law(0.9, friction))
            .response(Response::penalty())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(block)
            .build()
            .unwrap()
    };
    let (said, _) = told(turned(None), 0.2);
    assert_eq!(said.len(), 1, "the step is too long for this restitution");
    let (said, _) = told(turned(Some(FrictionLaw::coulomb(0.5))), 0.2);
    assert!(said.is_empty(), "{said:?}");
}
