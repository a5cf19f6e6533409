use impinge::prelude::*;
use impinge::contact::*;
#[test]
fn per_area_points() {
    let law = PairLaw { stiffness: Stiffness::PerArea(1e6), damping: Damping::None, friction: None };
    let mut sim = Simulation::builder(1e-3).law(law)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::particles("p", vec![DVec3::new(0.0,0.0,-0.01)], 1.0)).build().unwrap();
    sim.step().unwrap();
    println!("per-area point force {:?}", sim.contact_force(1));
}
#[test]
fn plane_moment() {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::new(1.0, 0.0, 0.099));
    let mut sim = Simulation::builder(1e-3).law(PairLaw::elastic(1e4))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("cube", &cube, Mass::Total(1.0), pose).unwrap()).build().unwrap();
    sim.step().unwrap();
    println!("plane contact {:?}\ncube {:?}", sim.ledger().contact[0], sim.ledger().contact[1]);
}
#[test]
fn nonfinite_inputs() {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let mk = |v: DVec3| {
        let mut b = BodyDesc::rigid("cube", &cube, Mass::Total(1.0), Pose::identity()).unwrap();
        b.velocity = v; b
    };
    let r = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(mk(DVec3::new(f64::NAN,0.0,0.0))).build();
    println!("nan velocity: {:?}", r.map(|mut s| s.step()).map_err(|e| e.to_string()));
    let r = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(BodyDesc::plane("p", DVec3::new(0.0,0.0,2.0), 0.0)).build();
    println!("non-unit plane: {:?}", r.map(|_| ()).map_err(|e| e.to_string()));
    let r = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(BodyDesc::plane("p", DVec3::zero(), 0.0)).body(mk(DVec3::zero())).build();
    println!("zero plane: {:?}", r.map(|_| ()).map_err(|e| e.to_string()));
    let r = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(BodyDesc::particles("d", vec![DVec3::new(f64::NAN,0.0,0.0)], 1.0)).body(BodyDesc::plane("p", DVec3::unit_z(), 0.0)).build();
    println!("nan particle: {:?}", r.map(|mut s| s.step()).map_err(|e| e.to_string()));
    let r = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).rule(0, 7, PairRule::Ignore).body(mk(DVec3::zero())).build();
    println!("rule out of range: {:?}", r.map(|_| ()).map_err(|e| e.to_string()));
    let a = AnchorSpring { body: 9, node: None, arm: DVec3::zero(), to: DVec3::zero(), stiffness: 1.0, damping: 0.0, rest_length: 0.0 };
    let r = std::panic::catch_unwind(|| Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).anchor(a).body(mk(DVec3::zero())).build().map(|mut s| s.step().map_err(|e| e.to_string())).map_err(|e| e.to_string()));
    println!("anchor out of range: {:?}", r.is_err());
    let r = std::panic::catch_unwind(|| Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(BodyDesc{ motion: Motion::Kinematic(Driver::Keyframes(vec![])), ..mk(DVec3::zero())}).build().map(|mut s| s.step().map_err(|e| e.to_string())).map_err(|e| e.to_string()));
    println!("empty keyframes: {:?}", r);
}
#[test]
fn leak_nodes() {
    let f = FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    for ev in [Evaluate::Start, Evaluate::End] {
    let law = PairLaw { stiffness: Stiffness::PerContact(4e3), damping: Damping::None, friction: Some(f) };
    let ball = generators::icosphere(0.1, 2).unwrap();
    let mut p = BodyDesc::particles("p", vec![DVec3::new(0.2, 0.03, 0.01), DVec3::new(0.2,-0.02,0.03)], 0.2);
    if let Motion::Particles{velocities,..} = &mut p.motion { for v in velocities { *v = DVec3::new(-2.0, 1.0, 0.3); } }
    let mut b = BodyDesc::rigid("ball", &ball, Mass::Total(0.7), Pose::identity()).unwrap();
    b.angular_velocity = DVec3::new(1.0, 2.0, -3.0);
    let mut sim = Simulation::builder(5e-4).law(law).response(Response::Penalty{evaluate: ev, release: Release::Force}).body(b).body(p).build().unwrap();
    let (mut w, mut wl, mut leak, mut n) = (0.0f64, 0.0f64, 0.0f64, 0);
    for _ in 0..400 { sim.step().unwrap(); let l = sim.ledger(); let m = l.momentum; n += usize::from(!l.pairs.is_empty());
        wl = wl.max(m.linear_residual.mag()/m.linear_scale);
        w = w.max((m.angular_residual - m.predicted_leak).mag()/m.angular_scale); leak = leak.max(m.predicted_leak.mag()/m.angular_scale); }
    println!("{ev:?}: touching {n} linear {wl:e} residual-predicted {w:e}, leak {leak:e}");
    }
}
#[test]
fn missing_rows() {
    // covered by reading
}
