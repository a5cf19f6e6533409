//! Sides that two bodies have in one plane, facing the same way: there the volume has a kink.
//!
//! Boxes of one size that lie on each other, off by s, have V = (L − |s|) w d. At s = 0 every slope from −wd to wd is one of its gradient's, and one that
//! rounding picks drives them off each other and turns them. So it is measured twice, with one body moved by a hair to either side, and the mean is
//! taken, as symmetry has it. Within that hair sideways slopes cancel; beyond it they are the volume's own.

use crate::overlap::{Cell, Overlap};
use impinge_geometry::{DVec3, try_normalized};

/// Part of the smaller body by which sides that are in one plane may be off: above what rounding adds up to in a run.
const FLUSH: f64 = 1e-10;
/// What rounding of positions adds to that, in their largest coordinate.
const ROUNDED: f64 = 16.0 * f64::EPSILON;
/// The hair, in what sides may be off by.
const HAIR: f64 = 4.0;
/// Part of the hair that it is across any of the sides, at least.
const ACROSS: f64 = 0.1;
/// Part of its size below which the mean push says that both gradients cancel: of bodies in the same place no side is better than the other.
const CANCELS: f64 = 1e-3;

/// The way by which one of two bodies is moved for one gradient, and back for the other (m); `None` where no sides are flush. `sides` name three
/// vertices of each side, `x` are the vertices (m), `size` is that of the smaller body (m).
pub(super) fn hair(sides: [&[[u32; 3]]; 2], x: [&[DVec3]; 2], size: f64) -> Option<DVec3> {
    let planes = [0, 1].map(|s| {
        let plane = |side: &[u32; 3]| {
            let at = side.map(|v| x[s][v as usize]);
            Some((at, try_normalized((at[1] - at[0]).cross(at[2] - at[0]))?))
        };
        sides[s].iter().filter_map(plane).collect::<Vec<([DVec3; 3], DVec3)>>()
    });
    let mut flush: Vec<DVec3> = Vec::new();
    let mut within = 0.0;
    for (a, n) in &planes[0] {
        for (b, m) in &planes[1] {
            if n.dot(*m) < 0.5 {
                continue;
            }
            let far = a.iter().chain(b).map(|p| p.abs().component_max()).fold(0.0, f64::max);
            let off = FLUSH * size + ROUNDED * far;
            let on = |p: &DVec3, q: DVec3, n: DVec3| (*p - q).dot(n).abs() <= off;
            if a.iter().all(|p| on(p, b[0], *m)) && b.iter().all(|p| on(p, a[0], *n)) {
                flush.push(*n);
                within = off.max(within);
            }
        }
    }
    // Across all of them, whichever way.
    let along = |sum: DVec3, n: &DVec3| if sum.dot(*n) < 0.0 { sum - *n } else { sum + *n };
    let way = try_normalized(flush.iter().fold(DVec3::zero(), along))?;
    let least = flush.iter().map(|n| way.dot(*n).abs()).fold(1.0, f64::min);
    Some(way * (HAIR * within / least.max(ACROSS)))
}

/// The mean of two gradients and volumes; the first where the mean all but cancels.
pub(super) fn mean(one: &mut Overlap, other: &Overlap) {
    let mut out = Overlap::new();
    let alike = one.cells.len() == other.cells.len()
        && one.cells.iter().zip(&other.cells).all(|(a, b)| a.index == b.index);
    let name = |c: &Cell| (c.index, c.part);
    let (mut i, mut j) = (0, 0);
    while i < one.cells.len() || j < other.cells.len() {
        // Places have the names of vertices that are inside, which a hair may change.
        let order = match (one.cells.get(i), other.cells.get(j)) {
            (Some(a), Some(b)) if !alike => name(a).cmp(&name(b)),
            (Some(_), Some(_)) => std::cmp::Ordering::Equal,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, _) => std::cmp::Ordering::Greater,
        };
        let halves = [(&*one, i, order.is_le()), (other, j, order.is_ge())];
        out.add_mean(halves.map(|(of, cell, has)| has.then_some((of, cell))));
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    let push = |o: &Overlap| {
        let gradients = (0..o.cells.len()).flat_map(|c| o.gradient(c, 0).1);
        gradients.fold(DVec3::zero(), |s, g| s + *g).mag()
    };
    if push(&out) > CANCELS * push(one).max(push(other)) {
        *one = out;
    }
}

impl Overlap {
    /// Appends half of each of these cells as one.
    fn add_mean(&mut self, halves: [Option<(&Self, usize)>; 2]) {
        let cells = || halves.iter().flatten().map(|(of, c)| &of.cells[*c]);
        let Some(first) = cells().next() else { return };
        let half = |of: &dyn Fn(&Cell) -> f64| cells().map(|c| 0.5 * of(c)).sum::<f64>();
        let flat = match halves {
            [Some((a, i)), Some((b, j))] => match (a.cells[i].flat, b.cells[j].flat) {
                (Some(n), Some(m)) => try_normalized(n + m),
                _ => None,
            },
            _ => first.flat,
        };
        let volume = half(&|c| c.volume);
        let mut start = [self.vertex.len(); 3];
        for side in 0..2 {
            let mut rows: [&[_]; 2] = [&[]; 2];
            let mut vertices: [&[u32]; 2] = [&[]; 2];
            for (k, (of, cell)) in halves.iter().enumerate().filter_map(|(k, h)| Some((k, (*h)?))) {
                (vertices[k], rows[k]) = of.gradient(cell, side);
            }
            let (mut i, mut j) = (0, 0);
            while i < rows[0].len() || j < rows[1].len() {
                let at = [vertices[0].get(i), vertices[1].get(j)].map(|v| v.copied().unwrap_or(u32::MAX));
                let v = at[0].min(at[1]);
                let mut sum = DVec3::zero();
                if at[0] == v {
                    sum += rows[0][i] * 0.5;
                    i += 1;
                }
                if at[1] == v {
                    sum += rows[1][j] * 0.5;
                    j += 1;
                }
                self.vertex.push(v);
                self.gradient.push(sum);
            }
            start[side + 1] = self.vertex.len();
        }
        let along = [0, 1, 2].map(|axis| half(&|c| c.along[axis]));
        self.cells.push(Cell { volume, along, flat, start, ..*first });
    }
}

#[cfg(test)]
mod tests {
    use super::super::sides::corners_of_sides;
    use super::*;
    use crate::{Body, CellGrid, ClosedSurface, Evaluate, Exact, Walls};
    use impinge_geometry::{generators, rotor_from_rotation_vector};

    const SIZE: f64 = 0.2;

    /// The mean of cubes of one size, turned like this, the upper one in by `depth` and off by `aside` (m).
    fn measured(
        turn: DVec3,
        aside: DVec3,
        depth: f64,
        grid: Option<&CellGrid>,
    ) -> (Overlap, [Vec<DVec3>; 2]) {
        let cube = generators::cuboid(DVec3::broadcast(SIZE), [1; 3]).unwrap();
        let surface = ClosedSurface::new(&cube).unwrap();
        let r = rotor_from_rotation_vector(turn);
        let up = DVec3::unit_z() * (SIZE - depth) + aside;
        let x =
            [up, DVec3::zero()].map(|at| cube.positions().iter().map(|p| r * (*p + at)).collect::<Vec<_>>());
        let sides = corners_of_sides(&cube);
        let way = hair([&sides, &sides], [&x[0], &x[1]], SIZE);
        let mut exact = Exact::new();
        let mut at = |by: DVec3| {
            let moved: Vec<DVec3> = x[0].iter().map(|p| *p + by).collect();
            let mut out = Overlap::new();
            let body = |x| Body::new(&surface, x).unwrap();
            exact.evaluate(body(&moved), body(&x[1]), grid, &mut out).unwrap();
            out
        };
        let mut out = at(way.unwrap_or_default());
        if let Some(way) = way {
            mean(&mut out, &at(-way));
        }
        (out, x)
    }

    fn push(o: &Overlap, side: usize) -> DVec3 {
        let all = (0..o.cells().len()).flat_map(|c| o.gradient(c, side).1.iter().copied());
        all.fold(DVec3::zero(), |s, g| s + g)
    }

    /// V = (L − |s|) L d: no slope at s = 0, and all of it a little beside; straight, turned and in cells.
    #[test]
    fn cubes_of_one_size_are_pushed_straight_apart() {
        let none = DVec3::zero();
        for turn in [none, DVec3::new(0.3, -0.2, 0.7), DVec3::new(0.0, 0.0, 0.5)] {
            for walls in [None, Some(Walls::Shared), Some(Walls::Carried)] {
                let grid = walls.map(|w| CellGrid::new(DVec3::broadcast(0.05), 0.1).unwrap().with_walls(w));
                for depth in [1e-4, 3e-2] {
                    let told = format!("turned by {turn:?}, {walls:?}, {depth} m deep");
                    let r = rotor_from_rotation_vector(turn);
                    let [up, along] = [DVec3::unit_z(), DVec3::unit_x()].map(|v| r * v);
                    let (flush, x) = measured(turn, none, depth, grid.as_ref());
                    let area = SIZE * SIZE;
                    for side in 0..2 {
                        let g = push(&flush, side);
                        assert!(g.cross(up).mag() < 1e-11 * area, "{told}: {g:?}");
                        assert!((g.mag() / area - 1.0).abs() < 1e-8, "{told}: {g:?}");
                    }
                    // No moment about the middle of the overlap, on either body.
                    let middle = up * (0.5 * (SIZE - depth));
                    for side in 0..2 {
                        let mut moment = DVec3::zero();
                        for c in 0..flush.cells().len() {
                            let (v, g) = flush.gradient(c, side);
                            for (v, g) in v.iter().zip(g) {
                                moment += (x[side][*v as usize] - middle).cross(*g);
                            }
                        }
                        assert!(moment.mag() < 1e-9 * area * SIZE, "{told}: {moment:?} on {side}");
                    }
                    assert!((flush.volume() / (area * depth) - 1.0).abs() < 1e-8, "{told}");
                    let (beside, _) = measured(turn, DVec3::unit_x() * 1e-6, depth, grid.as_ref());
                    let slope = push(&beside, 0).dot(along);
                    assert!((slope / (SIZE * depth) + 1.0).abs() < 1e-6, "{told}: {slope}");
                }
            }
        }
    }

    #[test]
    fn bodies_in_one_place_keep_a_way_out() {
        let (same, _) = measured(DVec3::zero(), DVec3::zero(), SIZE, None);
        assert!(push(&same, 0).mag() > 0.5 * SIZE * SIZE);
    }
}
