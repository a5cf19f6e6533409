//! One chunk of queries of one family: made, decided in a batch and one by one, and compared.

use super::oracle::check::{self, dump};
use super::oracle::families::{FAMILIES, Numbers, Query};
use super::oracle::truth;
use super::report::Found;
use impinge_ccd::{Candidates, Kind, Tier, Workspace, touching};
use impinge_geometry::DVec3;
use std::fmt;

/// Queries per chunk.
pub const CHUNK: usize = 250;

/// What the crate is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Big integers.
    Oracle,
    /// The exact tier.
    Tiers,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Oracle => "A (big-integer oracle)",
            Self::Tiers => "B (exact tier)",
        })
    }
}

/// Family and kind of a chunk: they take turns.
pub fn chunk_is(c: u64, families: &[usize]) -> (usize, Kind) {
    let n = families.len() as u64;
    let (family, turn) = (families[(c % n) as usize], c / n);
    (family, [Kind::VertexFace, Kind::EdgeEdge][(turn % 2) as usize])
}

/// Buffers that live from chunk to chunk.
#[derive(Default)]
pub struct Worker {
    workspace: Workspace,
    queries: Vec<Query>,
    x0: Vec<DVec3>,
    x1: Vec<DVec3>,
    stencils: Vec<[u32; 4]>,
    touching: Vec<u32>,
}

impl Worker {
    /// Makes and compares one chunk.
    pub fn chunk(&mut self, part: Part, seed: u64, c: u64, family: usize, kind: Kind) -> Found {
        // Two rounds of the generator part the sequences of neighbouring chunks.
        let start = Numbers(seed).next() ^ Numbers(c.wrapping_mul(2) + u64::from(part == Part::Tiers)).next();
        let mut numbers = Numbers(start);
        self.queries.clear();
        self.queries.extend((0..CHUNK).map(|_| (FAMILIES[family].make)(&mut numbers, kind)));
        self.x0.clear();
        self.x1.clear();
        self.stencils.clear();
        for (i, q) in self.queries.iter().enumerate() {
            self.x0.extend(q.x0);
            self.x1.extend(q.x1);
            self.stencils.push(std::array::from_fn(|k| (4 * i + k) as u32));
        }
        let candidates = match kind {
            Kind::VertexFace => Candidates::VertexFace(&self.stencils),
            Kind::EdgeEdge => Candidates::EdgeEdge(&self.stencils),
        };
        let mut found = Found { queries: CHUNK as u64, ..Found::default() };
        match touching(&self.x0, &self.x1, candidates, &mut self.workspace, &mut self.touching) {
            Ok(counts) => found.tiers = [counts.axis, counts.signs, counts.certified, counts.exact],
            Err(e) => found.mismatches.push(format!("the batch is refused: {e}")),
        }
        let mut batch = self.touching.iter().peekable();
        for (i, q) in self.queries.iter().enumerate() {
            let in_batch = batch.next_if(|t| **t as usize == i).is_some();
            let answer = match part {
                Part::Oracle => against_oracle(q, in_batch),
                Part::Tiers => against_exact_tier(q, in_batch),
            };
            match answer {
                Ok(one) => {
                    found.positives += u64::from(one.touch);
                    found.widest = found.widest.max(one.widest);
                    found.separation = found.separation.max(one.separation);
                    found.loose += u64::from(one.widest > check::LOOSE);
                }
                Err(e) => found.mismatches.push(format!("query {i}: {e}\n{}", dump(q))),
            }
        }
        found
    }
}

struct One {
    touch: bool,
    widest: f64,
    separation: f64,
}

fn against_oracle(q: &Query, in_batch: bool) -> Result<One, String> {
    let truth = truth(q.kind, &q.x0, &q.x1);
    let touch = truth.touch();
    if super::oracle::swept_boxes_apart(q.kind, &q.x0, &q.x1) && touch {
        return Err("the oracle lets features touch whose swept boxes are apart".into());
    }
    let measured = check::single(&truth, q)?;
    if in_batch != touch {
        return Err(format!("touch in the batch is {in_batch}"));
    }
    Ok(One { touch, widest: measured.widest, separation: measured.separation })
}

fn against_exact_tier(q: &Query, in_batch: bool) -> Result<One, String> {
    let refused = |e: impinge_ccd::NotFinite| format!("refused: {e}");
    let (touch, tier) = impinge_ccd::touches_by(q.kind, &q.x0, &q.x1).map_err(refused)?;
    if in_batch != touch {
        return Err(format!("touch is {touch} by tier {tier:?}, and {in_batch} in the batch"));
    }
    let exact = impinge_ccd::roots_exact(q.kind, &q.x0, &q.x1).map_err(refused)?;
    if exact.touch() != touch {
        return Err(format!("touch is {touch} by tier {tier:?}, the exact tier says {exact:?}"));
    }
    // Where the exact tier had to decide, the roots would be the same computation again.
    if tier != Tier::Exact {
        let got = impinge_ccd::roots(q.kind, &q.x0, &q.x1).map_err(refused)?;
        check::same(&exact, &got)?;
    }
    let widest = exact.roots.iter().map(|r| r.t_hi - r.t).fold(0.0, f64::max);
    Ok(One { touch, widest, separation: 0.0 })
}
