//! Every scene of the repository: the same bits with 1, 2 and 8 threads, and after a snapshot at mid-run.

use impinge_scene::{Motion, SceneSpec, Shape, SolidSpec};
use impinge_world::Simulation;
use std::path::{Path, PathBuf};

/// Enough for every scene to be in contact (drop touches at step 330), few enough for a debug build.
const STEPS: u64 = 700;

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

fn run(sim: &mut Simulation, steps: u64) -> u32 {
    let mut contacts = 0;
    for _ in 0..steps {
        sim.step().unwrap();
        contacts = contacts.max(sim.ledger().pairs.contacts.iter().sum());
    }
    contacts
}

#[test]
fn every_scene_has_the_same_bits_for_any_number_of_threads() {
    for path in scenes() {
        let spec = SceneSpec::load(&path).unwrap();
        let steps = steps(&spec);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut sim = spec.simulation().unwrap();
                (run(&mut sim, steps), sim.hash())
            })
        };
        let one = with(1);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Spinning freely, hanging, or still falling.
        let apart = ["tumble", "cable-sag", "cantilever", "cloth-hang", "cloth-limited", "cut-block"];
        let skin = steps == SKIN_STEPS;
        assert!(one.0 > 0 || skin || apart.contains(&name.as_str()), "{name} never touched");
        for threads in [2, 8] {
            assert_eq!(with(threads), one, "{name} with {threads} threads");
        }
    }
}

#[test]
fn every_scene_goes_on_from_a_snapshot_with_the_same_bits() {
    for path in scenes() {
        let spec = SceneSpec::load(&path).unwrap();
        let half = steps(&spec) / 2;
        let mut sim = spec.simulation().unwrap();
        run(&mut sim, half);
        let middle = sim.snapshot();
        run(&mut sim, half);
        let end = sim.hash();
        let mut again = spec.simulation().unwrap();
        again.restore(&middle).unwrap();
        run(&mut again, half);
        assert_eq!(again.hash(), end, "{}", path.display());
    }
}
