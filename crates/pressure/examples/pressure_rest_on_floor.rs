//! A soft box falls on a rigid floor and rests there on its pressure field, by the implicit step: arrays alone, no world.
//!
//!     cargo run -p impinge-pressure --example pressure_rest_on_floor

use impinge_bodies::{ContactError, RigidStep};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TetTopology, TriMesh, mass_properties};
use impinge_integrators::Scheme;
use impinge_pressure::{
    Bristles, BristlesNext, CompliantBody, PathEnds, PressureAnswer, PressureBodies, PressureField,
    PressureOut, PressurePairs, PressureReport, PressureSettings, Span, SurfaceSearch, fields, place_boxes,
};

/// Step (s).
pub const DT: f64 = 1.0 / 240.0;

/// The law of the pair: pressure fields take only its friction, and dissipation.
pub fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e4, k_fd: 1.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) }
}

/// A box with edges of 0.1 m and a modulus of 1e7 Pa.
pub fn field() -> CompliantBody {
    fields::cuboid(DVec3::broadcast(0.1), 1e7).expect("a field")
}

/// Where it begins: 2 mm above the floor.
pub fn start() -> Pose {
    Pose::from_position(DVec3::new(0.01, 0.02, 0.052))
}

/// The field about the centre of mass of the body it is in, and the body's surface.
fn placed(field: &CompliantBody) -> (CompliantBody, TriMesh) {
    let tets = field.mesh();
    let outside = TetTopology::new(tets).surface(tets).expect("a boundary").mesh;
    let centre = mass_properties(&outside).expect("a volume").center;
    let moved = tets.mapped(|p| p + -centre).expect("finite");
    (CompliantBody::new(moved, field.extent().to_vec(), field.modulus()).expect("a field"), outside)
}

/// Poses of a box of 2 kg after each step.
///
/// # Errors
/// As those of the solve.
pub fn fall(settings: PressureSettings, steps: usize) -> Result<Vec<Pose>, ContactError> {
    let mut step = RigidStep::new(Scheme::SymplecticEuler, DVec3::new(0.0, 0.0, -9.81), law());
    let (field, mesh) = placed(&field());
    step.add_plane("floor", DVec3::unit_z(), 0.0);
    step.add_rigid("box", &mesh, 2.0, start()).expect("a closed mesh");
    let mut bodies = PressureBodies::new(vec![None, Some(PressureField::tets(field))]);
    bodies.make(&step.names, &step.shapes).expect("a field on a mesh");
    let mut near = PressurePairs::default();
    let mut search = SurfaceSearch::new(settings, step.names.clone());
    let mut answer = PressureAnswer::new(step.names.clone());
    let (mut patches, mut report) = (Vec::new(), PressureReport::default());
    let (mut before, mut next, mut ends) =
        (Bristles::default(), BristlesNext::default(), PathEnds::default());
    let mut poses = Vec::new();
    for i in 0..steps {
        step.predict(DT);
        let s = &mut step;
        place_boxes(&bodies, &s.dofs, &s.prediction, false, &mut s.bounds.0);
        near.find(&s.shapes, &s.laws, (&s.dofs, &s.prediction), &s.bounds.0, &mut s.pairs)?;
        let motion = (&s.laws, &s.dofs, &s.prediction);
        search.find(&s.pairs, &bodies, motion, &before, DT, &mut patches)?;
        next.0.clear();
        next.1.clear();
        let out = PressureOut {
            pairs: &mut s.pairs,
            patches: &mut patches,
            decisions: &mut s.decisions,
            next: &mut next,
            path_ends: &mut ends,
            report: &mut report,
        };
        let span = Span { time: i as f64 * DT, dt: DT, mean_over: -DT, accept_unfinished: false };
        let around = (&s.shapes, &s.laws, &s.bounds);
        answer.answer(&settings, (&bodies, &s.dofs, &s.prediction, &before), around, span, out)?;
        s.book(None)?;
        s.advance(DT);
        s.accept();
        std::mem::swap(&mut before.0, &mut next.0);
        std::mem::swap(&mut before.1, &mut next.1);
        poses.push(s.dofs.bodies.pose[1]);
    }
    Ok(poses)
}

fn main() -> Result<(), ContactError> {
    let poses = fall(PressureSettings::default(), 240)?;
    for (i, pose) in poses.iter().enumerate().filter(|(i, _)| (i + 1) % 40 == 0) {
        println!(
            "{:5.2} s: the bottom of the box is at {:+.6} m",
            (i + 1) as f64 * DT,
            pose.position.z - 0.05
        );
    }
    Ok(())
}
