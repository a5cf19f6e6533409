//! Several responses in one world: each pair by its own, weight and momentum as if one law held them all.

use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Builder, Mass, Response, Simulation};

const DT: f64 = 1e-3;
const G: f64 = 9.81;

/// Boxes one above the other on a floor; joint `i` is between body `i` and body `i + 1`, the floor being body 0.
fn stack(masses: &[f64], responses: &[Response]) -> Builder {
    let edge = 0.2;
    let cube = generators::cuboid(DVec3::broadcast(edge), [1; 3]).unwrap();
    let mut builder = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, 0.0, -G))
        .law(PairLaw::elastic(1e5))
        .response(responses[0])
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (i, &m) in masses.iter().enumerate() {
        let at = Pose::from_position(DVec3::new(0.003 * i as f64, 0.002 * i as f64, (i as f64 + 0.5) * edge));
        builder = builder.body(BodyDesc::rigid(&format!("box{i}"), &cube, Mass::Total(m), at).unwrap());
        builder = builder.pair_response(i as u32, i as u32 + 1, responses[i % responses.len()]);
    }
    builder
}

/// Force across joint `i` (N), as the ledger has it.
fn joint(sim: &Simulation, i: u32) -> f64 {
    let ledger = sim.ledger();
    let row = (0..ledger.pairs.len()).find(|&r| (ledger.pairs.a[r], ledger.pairs.b[r]) == (i, i + 1));
    row.map_or(0.0, |r| (ledger.pairs.normal[r] + ledger.pairs.friction[r]).z.abs() / sim.dt())
}

#[test]
fn probe() {
    for (a, b) in [
        (Response::qp(), Response::volume()),
        (Response::volume(), Response::qp()),
        (Response::penalty(), Response::qp()),
        (Response::qp(), Response::penalty()),
        (Response::qp(), Response::pressure()),
        (Response::pressure(), Response::volume()),
        (Response::cpf(), Response::volume()),
        (Response::volume_penalty(), Response::pressure()),
        (Response::penalty(), Response::volume_penalty()),
    ] {
        let masses = [3.0, 1.0, 2.0, 0.5];
        let built = stack(&masses, &[a, b]).build();
        let mut sim = match built {
            Ok(s) => s,
            Err(e) => {
                println!("{} {}: {e}", a.family().name(), b.family().name());
                continue;
            }
        };
        let t = std::time::Instant::now();
        let mut failed = None;
        for _ in 0..1500 {
            if let Err(e) = sim.step() {
                failed = Some(e);
                break;
            }
        }
        let joints: Vec<String> = (0..4)
            .map(|i| {
                let w: f64 = masses[i as usize..].iter().sum::<f64>() * G;
                format!("{:.1e}", joint(&sim, i) / w - 1.0)
            })
            .collect();
        let m = sim.ledger().momentum;
        println!(
            "{:>14} {:>14}: {joints:?} lin {:.1e} ang {:.1e} v {:.1e} {:?} {:?}",
            a.family().name(),
            b.family().name(),
            m.linear_residual.mag() / m.linear_scale,
            (m.angular_residual - m.predicted_leak).mag() / m.angular_scale,
            sim.twist(4).velocity.mag(),
            t.elapsed(),
            failed.map(|e| e.to_string())
        );
    }
}
