//! Small integer grids, where every kind of degeneracy is common, against the slow reference and against themselves.

use super::Pair;
use super::reference::{Grid, Reference};
use crate::exact::motion::Motion;
use crate::exact::scale::Scaled;
use crate::exact::width::{Middle, Narrow, Wide};
use crate::exact::{roots, solve_in, touches};
use crate::{Class, Kind, Roots};
use impinge_geometry::DVec3;
use proptest::prelude::*;

fn pair(grid: &Grid) -> Pair {
    let at = |end: usize| grid[end].map(|p| DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64));
    (at(0), at(1))
}

/// Coordinates up to `size`, with all points at one height on a share of the axes so that coplanar and collinear motion are
/// as common as motion in space.
fn any_grid(size: i64) -> impl Strategy<Value = Grid> {
    let point = || [-size..=size, -size..=size, -size..=size];
    let end = || [point(), point(), point(), point()];
    ([end(), end()], 0u8..16, any::<bool>()).prop_map(|(mut grid, flat, still)| {
        for (k, mask) in [(0, 1), (1, 2), (2, 4)] {
            if flat & mask != 0 && flat & 8 != 0 {
                for end in &mut grid {
                    for p in end {
                        p[k] = p[0];
                    }
                }
            }
        }
        if still {
            grid[1][3] = grid[0][3];
            grid[1][2] = grid[0][2];
        }
        grid
    })
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::VertexFace), Just(Kind::EdgeEdge)]
}

fn agrees_with_reference(kind: Kind, grid: &Grid) {
    let (x0, x1) = pair(grid);
    let got = roots(kind, &x0, &x1);
    let want = Reference::new(kind, grid);
    let story = || format!("{kind:?} {grid:?}\n{got:?}");
    assert_eq!(touches(kind, &x0, &x1), got.touch(), "{}", story());
    if want.coplanar() {
        let class = if want.flat() { Class::DegenerateAlways } else { Class::CoplanarAlways };
        assert_eq!(got.class, class, "{}", story());
        assert!(got.roots.is_empty());
        let times = want.touching();
        assert_eq!(got.touching.len(), times.len(), "{}\n{times:?}", story());
        for (g, w) in got.touching.iter().zip(&times) {
            assert!(g[0] <= w[0] && g[0].next_up() >= w[0], "{}\n{times:?}", story());
            assert!(g[1] >= w[1] && g[1] <= w[1].next_up(), "{}\n{times:?}", story());
        }
        return;
    }
    let times = want.roots();
    assert!(got.touching.is_empty());
    assert_eq!(got.roots.len(), times.len(), "{}\n{times:?}", story());
    let degenerate = times.iter().any(|r| r.vanishing > 0);
    assert_eq!(got.class, if degenerate { Class::DegenerateInstant } else { Class::Regular }, "{}", story());
    for (g, w) in got.roots.iter().zip(&times) {
        assert!(g.t <= w.t && w.t <= g.t_hi, "{}\n{times:?}", story());
        assert!(g.t == g.t_hi || g.t.next_up() == g.t_hi, "{}", story());
        assert_eq!(
            (g.multiplicity, g.vanishing, g.inside, g.before, g.after),
            (w.multiplicity, w.vanishing, w.inside, w.before, w.after),
            "{}\n{times:?}",
            story()
        );
    }
}

/// Enclosures under t → 1 − t, up to the rounding of 1 − t.
fn mirrored(a: f64, b: f64) -> bool {
    (a - (1.0 - b)).abs() <= 2.0 * f64::EPSILON
}

fn reversed(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) {
    let (there, back) = (roots(kind, x0, x1), roots(kind, x1, x0));
    assert_eq!(there.class, back.class);
    assert_eq!(there.roots.len(), back.roots.len());
    for (r, s) in there.roots.iter().zip(back.roots.iter().rev()) {
        assert!(mirrored(r.t, s.t_hi) && mirrored(r.t_hi, s.t), "{there:?}\n{back:?}");
        assert_eq!(
            (r.multiplicity, r.vanishing, r.inside, r.before, r.after),
            (s.multiplicity, s.vanishing, s.inside, s.after, s.before),
            "{there:?}\n{back:?}"
        );
    }
    assert_eq!(there.touching.len(), back.touching.len());
    for (i, j) in there.touching.iter().zip(back.touching.iter().rev()) {
        assert!(mirrored(i[0], j[1]) && mirrored(i[1], j[0]), "{there:?}\n{back:?}");
    }
}

/// The same but for the sign of f.
fn with_sign(mut r: Roots, sign: i8) -> Roots {
    for root in &mut r.roots {
        root.before *= sign;
        root.after *= sign;
    }
    r
}

fn unmoved_by_names(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) {
    let first = roots(kind, x0, x1);
    // Permutations of the points that keep the features, and what each does to the sign of f.
    let same: &[([usize; 4], i8)] = match kind {
        Kind::VertexFace => &[([0, 2, 3, 1], 1), ([0, 1, 3, 2], -1)],
        Kind::EdgeEdge => &[([1, 0, 2, 3], -1), ([0, 1, 3, 2], -1), ([2, 3, 0, 1], 1)],
    };
    for (order, sign) in same {
        let named = |x: &[DVec3; 4]| order.map(|i| x[i]);
        assert_eq!(with_sign(roots(kind, &named(x0), &named(x1)), *sign), first, "{order:?}");
    }
}

fn unmoved_by_units(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], power: [i32; 3], shift: DVec3) {
    let first = roots(kind, x0, x1);
    let scale = DVec3::new(2f64.powi(power[0]), 2f64.powi(power[1]), 2f64.powi(power[2]));
    assert_eq!(roots(kind, &x0.map(|p| p * scale), &x1.map(|p| p * scale)), first);
    assert_eq!(roots(kind, &x0.map(|p| p + shift), &x1.map(|p| p + shift)), first);
    // A motion shared by all points cancels.
    assert_eq!(roots(kind, &x0.map(|p| p - shift), &x1.map(|p| p + shift)), first);
}

fn unmoved_by_width(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) {
    let scaled = Scaled::new(x0, x1);
    let wide = solve_in(&Motion::<Wide>::new(kind, &scaled), false);
    assert_eq!(solve_in(&Motion::<Narrow>::new(kind, &scaled), false), wide);
    assert_eq!(solve_in(&Motion::<Middle>::new(kind, &scaled), false), wide);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn smallest_grids_agree_with_the_reference(kind in any_kind(), grid in any_grid(1)) {
        agrees_with_reference(kind, &grid);
    }

    #[test]
    fn small_grids_agree_with_the_reference(kind in any_kind(), grid in any_grid(3)) {
        agrees_with_reference(kind, &grid);
    }

    #[test]
    fn larger_grids_agree_with_the_reference(kind in any_kind(), grid in any_grid(40)) {
        agrees_with_reference(kind, &grid);
    }

    #[test]
    fn moves_that_change_nothing_change_nothing(
        kind in any_kind(),
        grid in any_grid(3),
        power in [-900i32..900, -300i32..300, -10i32..10],
        shift in [-1000i32..1000, -1000i32..1000, -1000i32..1000],
    ) {
        let (x0, x1) = pair(&grid);
        reversed(kind, &x0, &x1);
        unmoved_by_names(kind, &x0, &x1);
        unmoved_by_width(kind, &x0, &x1);
        let shift = DVec3::new(f64::from(shift[0]), f64::from(shift[1]) / 64.0, f64::from(shift[2]) * 1e6);
        unmoved_by_units(kind, &x0, &x1, power, shift);
    }
}

/// Doubles from any exponent, often zero, often shared.
fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(1.0),
        Just(-0.5),
        Just(f64::MAX),
        Just(-f64::MAX),
        Just(f64::from_bits(1)),
        -1.0f64..1.0,
        (-1.0f64..1.0, -1000i32..1000).prop_map(|(x, e)| x * 2f64.powi(e)),
        (-4i32..5).prop_map(|x| f64::from(x) * 0.1),
    ]
}

fn any_end() -> impl Strategy<Value = [DVec3; 4]> {
    let point = || [any_double(), any_double(), any_double()];
    [point(), point(), point(), point()].prop_map(|x| x.map(DVec3::from))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_exponent_is_answered(kind in any_kind(), x0 in any_end(), x1 in any_end()) {
        let all = roots(kind, &x0, &x1);
        prop_assert_eq!(all.touch(), touches(kind, &x0, &x1));
        for r in &all.roots {
            prop_assert!(0.0 <= r.t && r.t <= r.t_hi && r.t_hi <= 1.0);
            prop_assert!(r.vanishing <= r.multiplicity && r.before != 0 && r.after != 0);
            prop_assert_eq!(r.before == r.after, r.multiplicity % 2 == 0);
        }
        prop_assert!(all.roots.windows(2).all(|w| w[0].after == w[1].before && w[0].t_hi <= w[1].t_hi));
        unmoved_by_names(kind, &x0, &x1);
        reversed(kind, &x0, &x1);
    }
}
