//! Which blocks of tets or triangles of two bodies are near each other: searched in their trees, or kept from before.

use super::coherence::Coherence;
use super::pairs::{self, TurnedNodes};
use super::reach::{self, Side};
use super::relative::Relative;
use crate::body::CompliantBody;
use crate::levels::Level;
use crate::rigid::RigidSurface;
use crate::simd::dispatched;
use crate::surface::Work;

/// What a search found: block pairs, and the levels of guest and host they are for.
pub struct Found<'a> {
    pub pairs: &'a [[u32; 2]],
    pub levels: [usize; 2],
}

/// Picks the levels by the bound on the pressure and searches their trees; bodies that miss end here.
#[inline(always)]
fn search_plain(
    relative: &Relative,
    guest: &CompliantBody,
    host: Host<'_>,
    margin: f64,
    nodes: &mut TurnedNodes,
    stack: &mut Vec<[u32; 2]>,
    pairs: &mut Vec<[u32; 2]>,
) -> ([usize; 2], u32) {
    let side = |b: &'_ CompliantBody| (b.steepest, b.edge_pressure);
    let a =
        Side { bounds: &guest.bounds, support: &guest.support, steepest: side(guest).0, edge: side(guest).1 };
    let b = match host {
        Host::Field(h) => {
            Side { bounds: &h.bounds, support: &h.support, steepest: h.steepest, edge: h.edge_pressure }
        }
        Host::Surface(h) => {
            Side { bounds: &h.tree.bounds, support: &h.support, steepest: f64::INFINITY, edge: 0.0 }
        }
    };
    let width = reach::width(relative, &a, &b) + margin;
    if width < 0.0 {
        pairs.clear();
        return ([0, 0], 1);
    }
    let bound = reach::pressure(&a, &b, width);
    // Levels fall; the last one still above the bound.
    let pick = |levels: &[Level]| levels.iter().rposition(|l| l.pressure >= bound).unwrap_or(0);
    let la = pick(&guest.levels);
    let (lb, tree) = match host {
        Host::Field(h) => {
            let l = pick(&h.levels);
            (l, &h.levels[l].tree)
        }
        Host::Surface(h) => (0, &h.tree),
    };
    let seen = pairs::blocks(relative, &guest.levels[la].tree, tree, margin, nodes, stack, pairs);
    ([la, lb], seen)
}

/// The body that stays.
#[derive(Clone, Copy)]
pub enum Host<'a> {
    Field(&'a CompliantBody),
    Surface(&'a RigidSurface),
}

/// The block pairs: searched, or kept.
pub fn find<'a>(
    relative: &Relative,
    guest: &CompliantBody,
    host: Host<'_>,
    coherence: Option<&'a mut Coherence>,
    nodes: &mut TurnedNodes,
    stack: &mut Vec<[u32; 2]>,
    pairs: &'a mut Vec<[u32; 2]>,
    work: &mut Work,
) -> Found<'a> {
    let rounding = relative.rounding(guest.radius);
    let Some(c) = coherence else {
        let (levels, seen) = search(relative, guest, host, rounding, nodes, stack, pairs);
        (work.nodes, work.blocks) = (seen, pairs.len() as u32);
        return Found { pairs, levels };
    };
    if !c.holds(relative, guest.radius) {
        let seen;
        (c.levels, seen) = search(relative, guest, host, c.margin + rounding, nodes, stack, &mut c.pairs);
        work.nodes = seen;
        c.keep(relative);
    }
    work.blocks = c.pairs.len() as u32;
    Found { pairs: &c.pairs, levels: c.levels }
}

dispatched!(fn search(
    relative: &Relative, guest: &CompliantBody, host: Host<'_>, margin: f64, nodes: &mut TurnedNodes,
    stack: &mut Vec<[u32; 2]>, pairs: &mut Vec<[u32; 2]>,
) -> ([usize; 2], u32) = search_plain);
