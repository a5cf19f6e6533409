//! Every scene of the repository: the same bits with one thread as with two to mid-run and eight from a snapshot there.

use impinge_scene::{Motion, SceneSpec, Shape, SolidSpec};
use impinge_world::Simulation;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for every scene to be in contact (drop touches at step 330).
const STEPS: u64 = 700;
/// Of these, how many are looked at from the first contact on.
const IN_CONTACT: u64 = 200;

fn scenes() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes");
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut scenes: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|x| x == "toml")).collect();
    scenes.sort();
    assert!(scenes.len() >= 8, "the scenes of the repository: {scenes:?}");
    scenes
}

/// The same for scenes with deformables, whose steps cost more: the cut block is cut twice by then.
const SOFT_STEPS: u64 = 70;
/// For those with a fine skin, which cost most.
const SKIN_STEPS: u64 = 20;

fn steps(spec: &SceneSpec) -> u64 {
    if spec.bodies.iter().any(|b| matches!(b.shape, Shape::Solid(SolidSpec::Lattice { .. }))) {
        return SKIN_STEPS;
    }
    let soft = spec.bodies.iter().any(|b| matches!(b.motion, Motion::Deformable(_)));
    spec.steps().min(if soft { SOFT_STEPS } else { STEPS })
}

fn contacts_of_a_step(sim: &mut Simulation) -> u32 {
    sim.step().unwrap();
    sim.ledger().pairs.contacts.iter().sum()
}

fn run(sim: &mut Simulation, steps: u64) -> u32 {
    (0..steps).fold(0, |contacts, _| contacts.max(contacts_of_a_step(sim)))
}

/// The scene on one thread from its start to its end, on two to half of its steps in contact, and on eight from a snapshot that the first took
/// there.
fn same_bits(path: &Path) {
    let spec = SceneSpec::load(path).unwrap();
    let steps = steps(&spec);
    let late = steps.min(IN_CONTACT) / 2;
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let with = |threads: usize, work: &mut (dyn FnMut() + Send)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
    };
    let (mut one, mut two, mut eight) = (None, None, None);
    with(1, &mut || {
        let mut sim = spec.simulation().unwrap();
        // What falls freely is waited for.
        let mut touched = 0;
        while touched == 0 && sim.steps() < steps - 2 * late {
            touched = contacts_of_a_step(&mut sim);
        }
        touched = touched.max(run(&mut sim, late));
        let (half, middle, there) = (sim.steps(), sim.snapshot(), sim.hash());
        one = Some((touched, half, there, middle, run(&mut sim, late), sim.hash()));
    });
    let (early, half, there, middle, later, end) = one.unwrap();
    // Spinning freely, hanging, or still falling.
    let apart = [
        "tumble",
        "cable-sag",
        "cantilever",
        "cloth-hang",
        "cloth-limited",
        "cut-block",
        "cloth-on-itself-cpf",
    ];
    let skin = steps == SKIN_STEPS;
    assert!(early.max(later) > 0 || skin || apart.contains(&name.as_str()), "{name} never touched");
    with(2, &mut || {
        let mut sim = spec.simulation().unwrap();
        two = Some((run(&mut sim, half), sim.hash()));
    });
    assert_eq!(two, Some((early, there)), "{name} with 2 threads, half way");
    with(8, &mut || {
        let mut sim = spec.simulation().unwrap();
        sim.restore(&middle).unwrap();
        eight = Some((run(&mut sim, late), sim.hash()));
    });
    assert_eq!(
        eight,
        Some((later, end)),
        "{name} with 8 threads from the snapshot of one thread half way: threads or snapshot"
    );
}

#[test]
fn every_scene_has_the_same_bits_on_any_number_of_threads_and_after_a_snapshot() {
    let scenes = scenes();
    let next = AtomicUsize::new(0);
    // Most scenes are too small for two cores: two of them at a time.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    same_bits(path);
                }
            });
        }
    });
}
