//! What contacts have stored when a step begins.

use crate::conserving::stored;
use crate::response::meet::{Meeting, Meets, is_shared};
use impinge_ccd::contact_normal;
use impinge_geometry::DVec3;
use impinge_swept::{List, Matter, Tracked};

/// Energy (J) of the contacts that are carried over, as those that meet share it out, with surface vertices at `x` (m).
pub(crate) fn carried_energy(matter: &Matter<'_>, tracked: &Tracked, x: &[DVec3]) -> f64 {
    let mut order: Vec<((u32, u32), List, usize)> = Vec::new();
    for list in List::ALL {
        let rows = &tracked.0[list as usize];
        order.extend(rows.stencil.iter().enumerate().map(|(i, s)| {
            let (a, b) = (matter.map.body_of(s[0]), matter.map.body_of(s[3]));
            ((a.min(b), a.max(b)), list, i)
        }));
    }
    order.sort_by_key(|o| o.0);
    let mut parts = List::ALL.map(|list| vec![1.0; tracked.0[list as usize].len()]);
    let (mut meeting, mut meets) = (Meeting::default(), Vec::new());
    for of_pair in order.chunk_by(|a, b| a.0 == b.0) {
        let (a, b) = of_pair[0].0;
        let law = matter.laws.of(a, b).map(|(law, _)| &matter.laws.laws[law as usize]);
        if of_pair.len() == 1 || a == b || !law.is_some_and(is_shared) {
            continue;
        }
        meets.clear();
        meets.extend(of_pair.iter().map(|&(_, list, i)| {
            let (kind, row) = (list.features().0, tracked.0[list as usize].row(i));
            let p = row.stencil.map(|v| x[v as usize]);
            let normal = contact_normal(kind, &p, &p, 0.0, row.side, &row.weight);
            Meets::new(kind, matter.map, x, (row.stencil, row.weight, normal), row.share)
        }));
        for (&(_, list, i), &part) in of_pair.iter().zip(meeting.parts(&meets)) {
            parts[list as usize][i] = part;
        }
    }
    let of = |list: &List| {
        let part = |i: usize| parts[*list as usize][i];
        stored(list.features().0, &tracked.0[*list as usize], x, part)
    };
    List::ALL.iter().map(of).sum()
}
