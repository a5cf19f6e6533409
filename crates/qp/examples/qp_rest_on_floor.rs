//! A box falls on a floor of triangles and rests there under linear constraints, found again at each answer of the quadratic program: arrays
//! alone, no world.
//!
//!     cargo run -p impinge-qp --example qp_rest_on_floor

use impinge_bodies::{Before, ContactError, RigidStep};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_qp::{
    MotionCut, Multipliers, MultipliersNext, PlaceShift, QpAnswer, QpOut, QpReport, QpSettings, find_inside,
    move_places,
};
use impinge_swept::{Faces, Followed, Swept, SweptCandidates, SweptSearch, Tracked, TrackedNext, bounds_of};

/// Step (s).
pub const DT: f64 = 2e-3;

/// The law of the pair: constraints take only its friction.
pub fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e4, k_fd: 1.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) }
}

/// The floor, its top at 0, and the box.
pub fn meshes() -> [TriMesh; 2] {
    let floor = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [4, 4, 1]).expect("a box");
    [floor, generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).expect("a box")]
}

/// Where they begin: the box tilted, 1 cm above the floor.
pub fn starts() -> [Pose; 2] {
    let turn = rotor_from_rotation_vector(DVec3::new(0.05, 0.03, 0.2));
    [Pose::from_position(DVec3::new(0.0, 0.0, -0.1)), Pose::new(DVec3::new(0.01, 0.02, 0.12), turn)]
}

/// Poses of a box of 2 kg after each step.
///
/// # Errors
/// As those of the solve.
pub fn fall(settings: QpSettings, steps: usize) -> Result<Vec<Pose>, ContactError> {
    let mut step = RigidStep::new(Scheme::SymplecticEuler, DVec3::new(0.0, 0.0, -9.81), law());
    let ([floor, mesh], [below, start]) = (meshes(), starts());
    step.add_fixed("floor", floor, below).expect("a closed mesh");
    step.add_rigid("box", &mesh, 2.0, start).expect("a closed mesh");
    let mut search = SweptSearch::new(step.names.clone()).with_thickness(settings.thickness);
    let mut answer = QpAnswer::new(settings, step.names.clone());
    let mut cut = MotionCut::new(settings, step.names.clone());
    let (mut candidates, mut faces) = (SweptCandidates::default(), Faces::default());
    let (mut tracked, mut followed, mut open) =
        (Tracked::default(), Followed::default(), TrackedNext::default());
    let (mut last, mut next) = (Multipliers::default(), MultipliersNext::default());
    let (mut report, mut shift, mut before) = (QpReport::default(), PlaceShift::default(), Before::default());
    let mut poses = Vec::new();
    for i in 0..steps {
        step.predict(DT);
        let s = &mut step;
        s.map.place_all(s.dofs.bodies.view(), s.dofs.nodes.view(), &s.prediction, &mut s.surface);
        bounds_of(&s.map, &s.shapes, &s.surface, &mut s.bounds.0);
        let (bodies, motion) =
            ((&s.map, &s.shapes, &s.laws, &s.dofs), (&s.prediction, &s.bounds.0[..], &s.surface));
        let to = Swept { pairs: &mut s.pairs, candidates: &mut candidates, faces: &mut faces };
        search.list(bodies, motion, &tracked, i == 0, to)?;
        let bodies = (&s.map, &s.shapes, &s.laws, &s.dofs, &s.elastic);
        find_inside(bodies, (&s.pairs, &faces, &tracked), &s.surface.x0, i == 0, &mut followed);
        next.0.clear();
        open.0.iter_mut().for_each(impinge_swept::TrackedList::clear);
        let out = QpOut {
            pairs: &mut s.pairs,
            contacts: &mut s.contacts,
            planes: &mut s.planes,
            decisions: &mut s.decisions,
            report: &mut report,
            shift: &mut shift,
            next: &mut next,
            open: &mut open,
        };
        let detected = (&candidates, &faces, &s.surface, &s.map, &followed);
        let (bodies, soft) = ((&s.shapes, &s.dofs, &s.prediction, &s.laws), (&s.elastic, &s.operator));
        answer.answer(detected, bodies, soft, &last, (DT, false), None, out)?;
        s.book(None)?;
        answer.finish(&s.elastic, &mut s.loads, &mut next);
        s.advance(DT);
        let world = (&s.forces, &s.dofs, &s.elastic);
        move_places(world, &shift, &mut s.advanced, (&mut report, &mut s.ledger), &mut before);
        let bodies = (&s.map, &s.shapes, &s.laws, &s.dofs, &s.elastic);
        let listed = (&candidates, &faces, &s.surface.x1[..]);
        cut.cut(bodies, listed, &s.forces, &mut s.advanced, (&mut report, &mut s.ledger))?;
        s.accept();
        std::mem::swap(&mut last.0, &mut next.0);
        std::mem::swap(&mut tracked.0, &mut open.0);
        poses.push(s.dofs.bodies.pose[1]);
    }
    Ok(poses)
}

fn main() -> Result<(), ContactError> {
    let poses = fall(QpSettings::default(), 250)?;
    for (i, pose) in poses.iter().enumerate().filter(|(i, _)| (i + 1) % 50 == 0) {
        println!("{:5.2} s: the centre of the box is at {:.6} m", (i + 1) as f64 * DT, pose.position.z);
    }
    Ok(())
}
