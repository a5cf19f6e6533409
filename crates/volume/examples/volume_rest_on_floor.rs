//! A box falls on a floor and rests there under constraints on intersection volume, with positions stabilised: arrays alone, no world.
//!
//!     cargo run -p impinge-volume --example volume_rest_on_floor

use impinge_bodies::{ContactError, RigidStep};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_volume::{
    Answered, CellImpulses, Corrected, OverlapGauge, OverlapPairs, Overlaps, Stabiliser, VolumeConstraints,
    VolumeReport, VolumeSettings,
};

/// Step (s).
pub const DT: f64 = 1e-3;

/// The law of the pair: constraints take only its friction.
pub fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e4, k_fd: 1.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) }
}

/// Where the box, 0.2 m wide, begins: 2 mm above the floor.
pub fn start() -> Pose {
    Pose::from_position(DVec3::new(0.01, 0.02, 0.102))
}

/// Poses of a box of 2 kg after each step.
///
/// # Errors
/// As those of the solve.
pub fn fall(settings: VolumeSettings, steps: usize) -> Result<Vec<Pose>, ContactError> {
    let mut step = RigidStep::new(Scheme::SymplecticEuler, DVec3::new(0.0, 0.0, -9.81), law());
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).expect("a box");
    step.add_plane("floor", DVec3::unit_z(), 0.0);
    step.add_rigid("box", &mesh, 2.0, start()).expect("a closed mesh");
    let (mut near, mut overlaps) = (OverlapPairs::default(), Overlaps::default());
    let mut gauge = OverlapGauge::of_constraints(settings.measure, step.names.clone());
    let mut constraints = VolumeConstraints::default();
    let mut stabiliser = Stabiliser::new(settings, step.names.clone());
    let mut report = VolumeReport::default();
    let (mut last, mut next) = (CellImpulses::default(), Vec::new());
    let mut poses = Vec::new();
    for index in 0..steps {
        step.predict(DT);
        step.bound_at_start();
        let s = &mut step;
        near.find(&s.shapes, &s.laws, &s.dofs, &s.bounds.0, &mut s.pairs)?;
        gauge.measure(&s.map, &s.shapes, &s.dofs, &s.pairs, index as u64, &mut overlaps)?;
        next.clear();
        let out = Answered {
            pairs: &mut s.pairs,
            decisions: &mut s.decisions,
            report: &mut report,
            next: &mut next,
        };
        let bodies = (&s.map, &s.dofs, &s.prediction, &s.laws);
        let soft = (&s.elastic, &mut s.operator);
        constraints.solve(
            &settings,
            &overlaps,
            bodies,
            soft,
            &last,
            (DT, false),
            |b| format!("#{b}"),
            out,
        )?;
        s.book(None)?;
        s.advance(DT);
        let bodies = (&s.map, &s.shapes, &s.laws, &s.dofs);
        let out = Corrected { advanced: &mut s.advanced, ledger: &mut s.ledger, report: &mut report };
        stabiliser.correct(bodies, (&s.elastic, &mut s.operator, &s.forces), &overlaps, DT, out)?;
        s.accept();
        std::mem::swap(&mut last.0, &mut next);
        poses.push(s.dofs.bodies.pose[1]);
    }
    Ok(poses)
}

fn main() -> Result<(), ContactError> {
    let poses = fall(VolumeSettings::default(), 300)?;
    for (i, pose) in poses.iter().enumerate().filter(|(i, _)| (i + 1) % 50 == 0) {
        println!(
            "{:5.2} s: the bottom of the box is at {:+.6} m",
            (i + 1) as f64 * DT,
            pose.position.z - 0.1
        );
    }
    Ok(())
}
