//! A box slides over a floor of triangles and comes to rest under continuous penalty forces, its contacts handed over from triangle to
//! triangle; then the same with impulses that conserve energy, solved for with the motion. Arrays alone, no world.
//!
//!     cargo run -p impinge-cpf --example cpf_rest_on_floor

use impinge_bodies::{ContactError, RigidStep, State, StateNext};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_cpf::conserving::Scheme as Gradient;
use impinge_cpf::{
    ConservingAnswer, ContactFollower, CpfAnswer, CpfOut, EndTracker, Force, NewtonReport, NewtonSettings,
    Normalisation,
};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_swept::{
    Faces, Followed, Swept, SweptCandidates, SweptSearch, Tracked, TrackedList, TrackedNext, bounds_of,
};

/// Step (s).
pub const DT: f64 = 1e-3;
/// Distance over which a contact that slides off its triangle is handed on, in triangle sizes.
pub const BAND: f64 = 0.1;

/// A spring with damping for each contact, and friction.
pub fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.3, mu_k: 0.3, k_fp: 1e4, k_fd: 50.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { damping: Damping::HuntCrossley(10.0), friction: Some(friction), ..PairLaw::elastic(1e4) }
}

/// The floor, its top at 0, and the box.
pub fn meshes() -> [TriMesh; 2] {
    let floor = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [7, 7, 1]).expect("a box");
    [floor, generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).expect("a box")]
}

/// Where they begin: the box 1 mm above the floor.
pub fn starts() -> [Pose; 2] {
    let at = Pose::from_position;
    [at(DVec3::new(0.0, 0.0, -0.1)), at(DVec3::new(0.013, 0.021, 0.101))]
}

/// Velocity of the box at the start (m/s).
pub fn velocity() -> DVec3 {
    DVec3::new(0.7, 0.3, 0.0)
}

/// What is kept from step to step, with the lists of a step.
struct Kept {
    candidates: SweptCandidates,
    faces: Faces,
    tracked: Tracked,
    followed: Followed,
    open: TrackedNext,
    anchors: State,
    held: StateNext,
}

fn scene(scheme: Scheme) -> (RigidStep, Kept) {
    let mut step = RigidStep::new(scheme, DVec3::new(0.0, 0.0, -9.81), law());
    let ([floor, mesh], [below, start]) = (meshes(), starts());
    step.add_fixed("floor", floor, below).expect("a closed mesh");
    step.add_rigid("box", &mesh, 2.0, start).expect("a closed mesh");
    step.dofs.bodies.velocity[1] = velocity();
    let kept = Kept {
        candidates: SweptCandidates::default(),
        faces: Faces::default(),
        tracked: Tracked::default(),
        followed: Followed::default(),
        open: TrackedNext::default(),
        anchors: State::default(),
        held: StateNext::default(),
    };
    (step, kept)
}

/// Predicts, lists what may meet, and follows open contacts to where the step begins.
fn begin(
    s: &mut RigidStep,
    kept: &mut Kept,
    search: &mut SweptSearch,
    follower: &mut ContactFollower,
    first: bool,
) -> Result<(), ContactError> {
    s.predict(DT);
    s.map.place_all(s.dofs.bodies.view(), s.dofs.nodes.view(), &s.prediction, &mut s.surface);
    bounds_of(&s.map, &s.shapes, &s.surface, &mut s.bounds.0);
    let (bodies, motion) =
        ((&s.map, &s.shapes, &s.laws, &s.dofs), (&s.prediction, &s.bounds.0[..], &s.surface));
    let to = Swept { pairs: &mut s.pairs, candidates: &mut kept.candidates, faces: &mut kept.faces };
    search.list(bodies, motion, &kept.tracked, first, to)?;
    kept.open.0.iter_mut().for_each(TrackedList::clear);
    kept.held.0.clear();
    let listed = (&s.pairs, &kept.candidates, &kept.faces);
    follower.follow(bodies, listed, (&kept.tracked, &s.surface.x0), first, &mut kept.followed)
}

fn accept(s: &mut RigidStep, kept: &mut Kept) -> Pose {
    s.accept();
    std::mem::swap(&mut kept.tracked.0, &mut kept.open.0);
    std::mem::swap(&mut kept.anchors.0, &mut kept.held.0);
    s.dofs.bodies.pose[1]
}

/// Poses of a box of 2 kg after each step, under forces integrated over the times of penetration.
///
/// # Errors
/// As those of detection.
pub fn slide(steps: usize) -> Result<Vec<Pose>, ContactError> {
    let (mut step, mut kept) = scene(Scheme::SymplecticEuler);
    let mut search = SweptSearch::new(step.names.clone());
    let mut follower = ContactFollower::new(BAND);
    let mut answer = CpfAnswer::new(Force::Integrated, Normalisation::default(), step.names.clone());
    let mut tracker = EndTracker::new(step.names.clone());
    let mut poses = Vec::new();
    for i in 0..steps {
        begin(&mut step, &mut kept, &mut search, &mut follower, i == 0)?;
        let (s, k) = (&mut step, &mut kept);
        let out = CpfOut {
            contacts: &mut s.contacts,
            planes: &mut s.planes,
            decisions: &mut s.decisions,
            next: &mut k.held,
            tracked_next: &mut k.open,
        };
        let detected = (&s.pairs, &k.candidates, &k.faces, &s.surface, &s.map);
        let motion = (&s.shapes, &s.dofs, &s.prediction, &s.laws, &k.anchors, &k.followed);
        answer.answer(detected, motion, DT, None, out)?;
        s.book(None)?;
        s.advance(DT);
        let (bodies, ends) = ((&s.map, &s.shapes, &s.laws, &s.dofs), (&s.surface, &s.advanced, &k.followed));
        tracker.track(bodies, (&s.prediction, DT), ends, (&k.candidates, &k.faces), &mut k.open)?;
        poses.push(accept(s, k));
    }
    Ok(poses)
}

/// The same under impulses that are discrete gradients of the contacts' energy, solved for with the motion by the midpoint rule.
///
/// # Errors
/// As those of the solve.
pub fn slide_conserving(steps: usize) -> Result<Vec<Pose>, ContactError> {
    let (mut step, mut kept) = scene(Scheme::ImplicitMidpoint);
    let mut search = SweptSearch::new(step.names.clone()).with_fixed_margins();
    let mut follower = ContactFollower::new(BAND);
    let settings = NewtonSettings::default();
    let mut answer = ConservingAnswer::new(Gradient::Equivariant, settings, step.names.clone());
    let mut report = NewtonReport::default();
    let mut poses = Vec::new();
    for i in 0..steps {
        begin(&mut step, &mut kept, &mut search, &mut follower, i == 0)?;
        let (s, k) = (&mut step, &mut kept);
        let out = CpfOut {
            contacts: &mut s.contacts,
            planes: &mut s.planes,
            decisions: &mut s.decisions,
            next: &mut k.held,
            tracked_next: &mut k.open,
        };
        let lists = (&mut s.pairs, &mut k.candidates, &k.faces, &s.map);
        let motion = (&s.shapes, &s.dofs, &s.prediction, &s.laws, &k.anchors, &k.followed, &k.tracked);
        let soft = (&s.elastic, &mut s.operator, &mut s.surface);
        answer.answer(lists, motion, soft, DT, None, (out, &mut report))?;
        s.book(Some(answer.mean()))?;
        s.advance(DT);
        poses.push(accept(s, k));
    }
    Ok(poses)
}

fn main() -> Result<(), ContactError> {
    for (law, poses) in [("continuous penalty", slide(900)?), ("conserving", slide_conserving(900)?)] {
        println!("{law}");
        for (i, pose) in poses.iter().enumerate().filter(|(i, _)| (i + 1) % 100 == 0) {
            let p = pose.position;
            println!("  {:4.1} s: ({:.4}, {:.4}, {:.6}) m", (i + 1) as f64 * DT, p.x, p.y, p.z);
        }
    }
    Ok(())
}
