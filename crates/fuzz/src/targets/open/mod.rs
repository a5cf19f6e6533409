//! The world that is open between steps, under random changes and steps: books balance, bits repeat, what is refused changes nothing.

mod act;
mod world;

use super::scene::state_is_finite;
use crate::case::{Case, Outcome, must};
use act::{Act, act};
use impinge_geometry::DVec3;
use impinge_world::{Simulation, Snapshot};

/// Operations of a case.
pub const OPERATIONS: u64 = 50;

/// Momentum that no row of the books explains, over what was moved: rounding.
const BALANCE: f64 = 1e-9;

/// The same where a solve ends at its tolerance, nodes' or bodies', and a step is not exactly what was solved.
const SOLVED: f64 = 1e-6;

/// Operations on one world, a part of them again from a snapshot on its way, and all of them again on another world of the same numbers.
pub fn open(c: &mut Case) -> Result<Outcome, String> {
    let mut numbers = c.r.clone();
    let mut sim = world::made(&mut c.r)?;
    let acts: Vec<Act> = (0..OPERATIONS).map(|_| Act::any(&mut c.r)).collect();
    let from = c.r.below(OPERATIONS / 2) as usize;
    c.show(|| format!("{} bodies under {}\n{acts:#?}", sim.names().len(), sim.response().name()));
    let (hashes, accepted) = run(&mut sim, &acts, Some(from))?;
    let (again, _) = run(&mut world::made(&mut numbers)?, &acts, None)?;
    if let Some(k) = (0..acts.len()).find(|&k| hashes[k] != again[k]) {
        return Err(format!(
            "{:016x}, and {:016x} on another world of the same numbers, after {k}, {:?}",
            hashes[k], again[k], acts[k]
        ));
    }
    Ok(if accepted > 0 { Outcome::Answered } else { Outcome::Refused })
}

/// All operations; from `again` on, until the next that changes which response a pair has, twice. What a snapshot does not hold is which
/// responses its world has. Hashes after each operation.
fn run(sim: &mut Simulation, acts: &[Act], again: Option<usize>) -> Result<(Vec<u64>, usize), String> {
    let mut kept = sim.snapshot();
    let (mut marked, mut accepted) = (None, 0);
    let mut hashes = Vec::with_capacity(acts.len());
    for (k, what) in acts.iter().enumerate() {
        if Some(k) == again {
            marked = Some((k, sim.snapshot(), kept.clone()));
        }
        if let Some((first, start, kept_there)) =
            marked.take_if(|_| what.changes_responses() || k + 1 == acts.len())
        {
            let hash = sim.hash();
            let now = sim.snapshot();
            let mut kept_there = kept_there;
            sim.restore(&start).map_err(|e| format!("its own snapshot is refused: {e}"))?;
            must(sim.snapshot() == start, || "a snapshot of what was restored is another one".into())?;
            for (j, what) in acts[..k].iter().enumerate().skip(first) {
                judged(sim, &mut kept_there, what).map_err(|e| format!("again, {j}, {what:?}: {e}"))?;
                must(sim.hash() == hashes[j], || {
                    format!(
                        "{:016x}, and {:016x} again from {first}, after {j}, {what:?}",
                        hashes[j],
                        sim.hash()
                    )
                })?;
            }
            must(sim.hash() == hash, || {
                format!("{hash:016x}, and {:016x} again from {first} to {k}", sim.hash())
            })?;
            sim.restore(&now).map_err(|e| format!("a later snapshot is refused: {e}"))?;
        }
        accepted += usize::from(judged(sim, &mut kept, what).map_err(|e| format!("{k}, {what:?}: {e}"))?);
        hashes.push(sim.hash());
        if what.changes_responses() {
            // Of a world that had other responses.
            kept = sim.snapshot();
        }
    }
    Ok((hashes, accepted))
}

/// One operation; `true` where it was not refused.
fn judged(sim: &mut Simulation, kept: &mut Snapshot, what: &Act) -> Result<bool, String> {
    let before = sim.hash();
    match act(sim, kept, what) {
        Ok(()) => {
            state_is_finite(sim)?;
            if matches!(what, Act::Step) {
                balanced(sim)?;
            }
            Ok(true)
        }
        Err(reason) => {
            must(!reason.is_empty(), || "refused without a reason".into())?;
            let after = sim.hash();
            must(after == before, || format!("refused ({reason}), and {before:016x} became {after:016x}"))?;
            Ok(false)
        }
    }
}

/// Momentum of the last step is explained, and the books of the bodies are those of the pairs.
fn balanced(sim: &Simulation) -> Result<(), String> {
    let ledger = sim.ledger();
    let residual = ledger.residual();
    let solves = sim.deformables() > 0 || sim.responses().iter().any(|r| r.is_implicit());
    must(residual < if solves { SOLVED } else { BALANCE }, || {
        format!("{residual:e} of the momentum is in no row of the books: {:?}", ledger.momentum)
    })?;
    let mut of_pairs = vec![DVec3::zero(); sim.names().len()];
    let mut scale = 0.0f64;
    for r in 0..ledger.pairs.len() {
        let total = ledger.pairs.normal[r] + ledger.pairs.friction[r];
        of_pairs[ledger.pairs.a[r] as usize] += total;
        of_pairs[ledger.pairs.b[r] as usize] -= total;
        scale = scale.max(ledger.pairs.normal[r].mag()).max(ledger.pairs.friction[r].mag());
    }
    for (b, sum) in of_pairs.iter().enumerate() {
        // A body with itself is no pair of bodies.
        let booked = ledger.contact.get(b).map_or(DVec3::zero(), |w| w.impulse);
        let off = (*sum - booked).mag();
        must(off <= BALANCE * (scale + booked.mag()), || {
            format!("body {b}: pairs give {sum:?}, the body is booked {booked:?} N s")
        })?;
    }
    Ok(())
}
