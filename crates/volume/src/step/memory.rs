//! What the bristles of contact volumes remember: a stretch for each cell, kept as what it carried over the normal force.
//!
//! The memory turns with the mean spin of the two bodies, with that of one where the other is made of nodes, and with nothing where both are: the
//! same whichever of them is declared first. A body that moves through the grid brings
//! its contact into cells that were empty: they go on with the stretch of the nearest cell of the same pair, if one is next to them, so that
//! what holds does not let go where it crosses a wall.

use super::tables::{CellImpulse, CellImpulses};
use impinge_bodies::Dofs;
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, rotor_from_rotation_vector};

/// What a cell carried in the last step, or that of the nearest cell next to it.
pub(crate) fn of(last: &CellImpulses, bodies: [u32; 2], cell: [i32; 3], part: u32) -> Option<&CellImpulse> {
    if let Some(own) = last.get(bodies, cell, part) {
        return Some(own);
    }
    let before = last.0.partition_point(|m| m.bodies < bodies);
    let rows = last.0[before..].iter().take_while(|m| m.bodies == bodies);
    let near = rows.filter_map(|m| {
        let away: [u32; 3] = std::array::from_fn(|k| m.cell[k].abs_diff(cell[k]));
        (m.part == part && away.iter().all(|&d| d <= 1)).then(|| (away.iter().sum::<u32>(), m))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, m)| m)
}

/// The stretch of A over B (m) at the end of a motion with the velocity `slip` of A over B for `dt` (s): in the tangent plane across
/// `normal`, for bristles of `stiffness` (1/m).
pub(crate) fn stretch(
    before: Option<&CellImpulse>,
    stiffness: f64,
    normal: DVec3,
    slip: DVec3,
    (map, dofs): (&SurfaceMap, &Dofs),
    dt: f64,
) -> DVec3 {
    // So little force that its stretch is no number holds nothing.
    let kept = before.filter(|m| stiffness * m.normal > f64::MIN_POSITIVE).map_or(DVec3::zero(), |m| {
        let [a, b] = m.bodies.map(|s| s as usize);
        let spin = |slot: usize| dofs.bodies.angular_velocity[slot];
        let mean = match [a, b].map(|slot| map.attachment(slot).has_nodes()) {
            [false, false] => (spin(a) + spin(b)) * 0.5,
            [true, false] => spin(b),
            [false, true] => spin(a),
            [true, true] => DVec3::zero(),
        };
        let turn = rotor_from_rotation_vector(mean * dt);
        turn * (m.friction * (-1.0 / (stiffness * m.normal)))
    });
    kept - normal * normal.dot(kept) + slip * dt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(cell: [i32; 3], x: f64) -> CellImpulse {
        CellImpulse {
            bodies: [1, 2],
            cell,
            part: 0,
            normal: 1.0,
            friction: DVec3::new(x, 0.0, 0.0),
            slides: false,
        }
    }

    #[test]
    fn a_cell_that_was_empty_takes_the_nearest_that_touches_it() {
        let last =
            CellImpulses(vec![carried([0, 0, 0], 1.0), carried([0, 1, 0], 2.0), carried([3, 0, 0], 3.0)]);
        let x = |cell| of(&last, [1, 2], cell, 0).map(|m| m.friction.x);
        assert_eq!(x([0, 1, 0]), Some(2.0), "its own");
        assert_eq!(x([1, 1, 0]), Some(2.0), "one face between them, against an edge");
        assert_eq!(x([4, 1, 1]), Some(3.0), "over a corner");
        assert_eq!(x([0, 3, 0]), None, "too far");
        assert_eq!(of(&last, [1, 3], [0, 0, 0], 0), None, "other bodies");
        assert_eq!(of(&last, [1, 2], [0, 0, 0], 1), None, "another place of a body that meets itself");
    }
}
