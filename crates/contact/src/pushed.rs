//! The pushes of a finished step as rows of the ledger.

use crate::finished::FinishedStep;
use crate::sums::ordered_sum;
use crate::{Applied, BodyKind, Wrench, add_applied};
use impinge_geometry::DVec3;

/// The pushes of a step as rows. `motion` gives velocity and spin of a body at the start and at the end.
pub(crate) fn pushes(
    step: &FinishedStep<'_>,
    motion: impl Fn(usize) -> [(DVec3, DVec3); 2],
    rows: &mut Vec<Applied>,
) {
    let (external, nodes) = (step.external, step.nodes);
    for (b, &Wrench { impulse, moment }) in external.applied.iter().enumerate() {
        let rigid = step.bodies.kind[b] == BodyKind::Rigid;
        let (about, work) = if rigid {
            let [(v0, w0), (v1, w1)] = motion(b);
            let work = 0.5 * (impulse.dot(v0 + v1) + moment.dot(w0 + w1));
            (step.bodies.pose[b].position, work)
        } else {
            // Nodes come in the order of their bodies.
            let first = nodes.body.partition_point(|s| (*s as usize) < b);
            let count = nodes.body[first..].partition_point(|s| *s as usize == b);
            let of = |n: usize| {
                let given = external.node_applied.get(n).copied().unwrap_or_default();
                given.dot(nodes.v[n] + step.advanced.node_v[n]) * 0.5
            };
            (DVec3::zero(), ordered_sum(count, |i| of(first + i)))
        };
        let row = Applied { body: b as u32, impulse, moment: moment + about.cross(impulse), work };
        if row.is_some() {
            add_applied(rows, row);
        }
    }
}
