//! Going back to a state that somebody has damaged.

use super::scene::state_is_finite;
use crate::case::{Case, Outcome, must};
use crate::hostile::{any, vector};
use impinge_geometry::{DVec3, Pose};
use impinge_scene::SceneSpec;
use impinge_world::{Bristles, CellImpulses, Kept, Multipliers, Simulation, Snapshot, State, Tracked};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Scenes whose state holds bodies, vertices, anchors, tracked contacts, multipliers, impulses, bristles, cuts.
const SCENES: &[&str] =
    &["incline", "stick-cpf", "cable-qp", "box-stack-volume", "pencil-pressure", "cantilever", "cut-block"];

struct World {
    sim: Simulation,
    whole: Snapshot,
    /// After a restore of `whole` and one step.
    hash: u64,
}

thread_local! {
    static WORLDS: RefCell<Vec<Option<World>>> = const { RefCell::new(Vec::new()) };
}

fn load(name: &str) -> Result<World, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes");
    let spec =
        SceneSpec::load(&folder.join(Path::new(name)).with_extension("toml")).map_err(|e| e.to_string())?;
    let mut sim = spec.simulation().map_err(|e| e.to_string())?;
    for _ in 0..5 {
        sim.step().map_err(|e| e.to_string())?;
    }
    let whole = sim.snapshot();
    sim.step().map_err(|e| e.to_string())?;
    Ok(World { hash: sim.hash(), sim, whole })
}

/// What the first response of a snapshot keeps in one of its tables.
fn of<T: Kept>(s: &Snapshot) -> T {
    s.kept[0].get().cloned().unwrap_or_default()
}

fn damage(c: &mut Case, s: &mut Snapshot, other: &Snapshot) {
    let v = if c.r.below(2) == 0 { DVec3::new(any(&mut c.r), 0.0, any(&mut c.r)) } else { vector(&mut c.r) };
    let body = (!s.bodies.is_empty()).then(|| c.r.below(s.bodies.len() as u64) as usize);
    let node = (!s.nodes.x.is_empty()).then(|| c.r.below(s.nodes.x.len() as u64) as usize);
    match (c.r.below(14), body, node) {
        (0, Some(i), _) => s.bodies[i].0 = Pose { position: v, ..s.bodies[i].0 },
        (1, Some(i), _) => s.bodies[i].1.velocity = v,
        (2, Some(i), _) => s.bodies[i].0.rotation.s = any(&mut c.r),
        (3, Some(i), _) => drop(s.bodies.remove(i)),
        (4, Some(i), _) => s.bodies.push(s.bodies[i]),
        (5, _, Some(i)) => s.nodes.x[i] = v,
        (6, _, Some(i)) => drop(s.nodes.v.remove(i)),
        (7, _, _) => s.nodes.guess.push(v),
        (8, _, _) => {
            let mut anchors = of::<State>(s);
            anchors.0.push(c.r.next(), v, c.r.below(2) == 0);
            s.kept[0].set(anchors);
        }
        (9, _, _) => s.kept[0].set(of::<Tracked>(other)),
        (10, _, _) => s.kept[0].set(of::<Multipliers>(other)),
        (11, _, _) => {
            s.kept[0].set(of::<CellImpulses>(other));
            s.kept[0].set(of::<Bristles>(other));
        }
        (12, _, _) => s.edits.clone_from(&other.edits),
        (13, _, _) => s.step = c.r.pick(&[0, 1, u64::MAX, u64::MAX - 1, 1 << 53]),
        _ => {}
    }
}

pub fn restore(c: &mut Case) -> Result<Outcome, String> {
    WORLDS.with_borrow_mut(|worlds| {
        if worlds.is_empty() {
            worlds.resize_with(SCENES.len(), || None);
        }
        let n = SCENES.len() as u64;
        let (i, j) = (c.r.below(n) as usize, c.r.below(n) as usize);
        for k in [i, j] {
            if worlds[k].is_none() {
                worlds[k] = Some(load(SCENES[k])?);
            }
        }
        // Taken out: a panic must not leave a half-restored world to the next case.
        let Some(mut w) = worlds[i].take() else { return Err("no world".into()) };
        let other = worlds[j].as_ref().map_or_else(|| w.whole.clone(), |o| o.whole.clone());
        let mut s = w.whole.clone();
        for _ in 0..=c.r.below(2) {
            damage(c, &mut s, &other);
        }
        c.show(|| format!("{} with the state of {}: {s:?}", SCENES[i], SCENES[j]));
        let restored = w.sim.restore(&s);
        if restored.is_ok() && w.sim.step().is_ok() {
            state_is_finite(&w.sim)?;
        }
        // Whatever was tried, the whole state goes back in and gives the same bits.
        w.sim.restore(&w.whole)?;
        w.sim.step().map_err(|e| e.to_string())?;
        must(w.sim.hash() == w.hash, || "another hash after a bad snapshot had been tried".into())?;
        worlds[i] = Some(w);
        Ok(if restored.is_ok() { Outcome::Answered } else { Outcome::Refused })
    })
}
