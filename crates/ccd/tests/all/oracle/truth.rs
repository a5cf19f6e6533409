//! Every root of the coplanarity cubic with all that is asked of it, or every interval of contact in plane motion.

use super::algebraic::{Algebraic, roots_in_unit};
use super::dyadic::Dyadic;
use super::geometry::Motion;
use super::poly::Poly;
use impinge_ccd::{Class, Kind};
use impinge_geometry::DVec3;
use std::cmp::Ordering;

/// One distinct root of the cubic in [0,1]. The signs are those of the papers' cubic, [`Motion::cubic`].
#[derive(Clone, Debug)]
pub struct TrueRoot {
    pub at: Algebraic,
    pub multiplicity: u8,
    pub vanishing: u8,
    pub inside: bool,
    pub before: i8,
    pub after: i8,
}

/// The whole answer.
#[derive(Clone, Debug)]
pub struct Truth {
    pub class: Class,
    /// Sign of the cubic at t = 0.
    pub start: i8,
    pub roots: Vec<TrueRoot>,
    /// Closed intervals of contact when the cubic is identically zero.
    pub touching: Vec<[Algebraic; 2]>,
}

impl Truth {
    pub fn touch(&self) -> bool {
        !self.touching.is_empty() || self.roots.iter().any(|r| r.inside)
    }

    /// The first contact.
    pub fn first(&self) -> Option<&Algebraic> {
        let root = self.roots.iter().find(|r| r.inside).map(|r| &r.at);
        root.or_else(|| self.touching.first().map(|i| &i[0]))
    }
}

/// The boxes swept by the two features have a gap along a coordinate axis. Comparisons of the input only.
pub fn swept_boxes_apart(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> bool {
    let one = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    (0..3).any(|k| {
        let range = |points: std::ops::Range<usize>| {
            let all = points.flat_map(|i| [x0[i][k], x1[i][k]]);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
        };
        let (a, b) = (range(0..one), range(one..4));
        a.1 < b.0 || b.1 < a.0
    })
}

/// The exact answer; the coordinates must be finite.
pub fn truth(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Truth {
    let motion = Motion::new(kind, x0, x1);
    let f = motion.cubic();
    if !f.is_zero() {
        return rooted(&motion, &f);
    }
    let class = match (0..3).all(|k| motion.normal(k).is_zero()) {
        true => Class::DegenerateAlways,
        false => Class::CoplanarAlways,
    };
    Truth { class, start: 0, roots: Vec::new(), touching: plane_motion(&motion) }
}

fn rooted(motion: &Motion, f: &Poly) -> Truth {
    let mut class = Class::Regular;
    let mut roots = Vec::new();
    for mut at in roots_in_unit(f) {
        let (multiplicity, before, after) = at.order_of(f);
        let mut orders = (0..3).filter_map(|k| {
            let n = motion.normal(k);
            (!n.is_zero()).then(|| at.order_of(&n).0)
        });
        let first = orders.next().expect("f = normal · offset is not zero");
        let vanishing = orders.fold(first, u8::min);
        if vanishing > 0 {
            class = Class::DegenerateInstant;
        }
        let inside = motion.touch(&mut at);
        roots.push(TrueRoot { at, multiplicity, vanishing, inside, before, after });
    }
    Truth { class, start: f.sign_at(&Dyadic::integer(0)), roots, touching: Vec::new() }
}

/// Cuts [0,1] at every event and tries each piece; contact is a closed set, so a cut between two pieces without
/// contact is tried by itself and all others follow.
fn plane_motion(motion: &Motion) -> Vec<[Algebraic; 2]> {
    let t = Poly::new(vec![0.into(), 1.into()]);
    let to_one = Poly::new(vec![1.into(), (-1).into()]);
    let mut polys = vec![t, to_one];
    for p in motion.events() {
        if !polys.contains(&p) && !polys.contains(&p.neg()) {
            polys.push(p);
        }
    }
    let mut cuts: Vec<Algebraic> = Vec::new();
    for mut root in polys.iter().flat_map(roots_in_unit) {
        let mut at = cuts.len();
        let mut new = true;
        while at > 0 {
            match root.cmp(&mut cuts[at - 1]) {
                Ordering::Less => at -= 1,
                Ordering::Equal => {
                    new = false;
                    break;
                }
                Ordering::Greater => break,
            }
        }
        if new {
            cuts.insert(at, root);
        }
    }
    let pieces: Vec<bool> = (1..cuts.len())
        .map(|i| {
            let (a, b) = cuts.split_at_mut(i);
            motion.touch(&mut between(&mut a[i - 1], &mut b[0]))
        })
        .collect();
    let mut found: Vec<[Algebraic; 2]> = Vec::new();
    for i in 0..cuts.len() {
        let before = i > 0 && pieces[i - 1];
        let after = pieces.get(i).copied().unwrap_or(false);
        let here = before || after || motion.touch(&mut cuts[i]);
        debug_assert_eq!(here, motion.touch(&mut cuts[i]), "contact is a closed set of times");
        if here && !before {
            found.push([cuts[i].clone(), cuts[i].clone()]);
        } else if before {
            found.last_mut().expect("an interval is open")[1] = cuts[i].clone();
        }
    }
    found
}

/// A time strictly between two different roots, the first one lower.
fn between(a: &mut Algebraic, b: &mut Algebraic) -> Dyadic {
    loop {
        match a.hi.cmp(&b.lo) {
            Ordering::Less => return a.hi.towards(&b.lo, 4),
            Ordering::Equal if !a.is_exact() && !b.is_exact() => return a.hi.clone(),
            _ => {
                a.refine();
                b.refine();
            }
        }
    }
}
