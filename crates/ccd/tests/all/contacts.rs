//! First contacts and intervals where numbers, sides or times are at an end of what there is.

use crate::oracle::families::Query;
use crate::oracle::{check, truth};
use impinge_ccd::{
    BatchError, Candidates, Carried, Entry, Instructions, Kind, Opens, Workspace, first_contact, intervals,
    touches, touching,
};
use impinge_geometry::DVec3;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

fn points(x: [[f64; 3]; 4]) -> [DVec3; 4] {
    x.map(DVec3::from)
}

/// Pairs that cross in the middle of the step at unequal weights, of size 1 around the origin.
fn crossing(kind: Kind) -> ([[f64; 3]; 4], [[f64; 3]; 4], [f64; 4]) {
    match kind {
        Kind::VertexFace => {
            let at = |y| [[0.25, y, 0.125], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
            (at(-0.5), at(0.5), [1.0, -0.625, -0.25, -0.125])
        }
        Kind::EdgeEdge => {
            let at = |y| [[0.0, y, 0.0], [1.0, y, 0.0], [0.25, 0.0, -0.75], [0.25, 0.0, 0.25]];
            (at(-0.5), at(0.5), [0.75, 0.25, -0.25, -0.75])
        }
    }
}

#[test]
fn weights_are_right_at_every_scale_and_far_away_along_an_axis() {
    for kind in KINDS {
        let (x0, x1, weight) = crossing(kind);
        for size in [1.0, 2f64.powi(-1000), 2f64.powi(-150), 2f64.powi(150), 2f64.powi(1000)] {
            // All points at one distant coordinate: what they have in common does not count.
            for far in [None, Some(2f64.powi(200)), Some(f64::MAX)] {
                let place = |x: [[f64; 3]; 4]| {
                    points(x.map(|[a, b, c]| match far {
                        None => [a * size, b * size, c * size],
                        Some(z) => [a * size, b * size, z],
                    }))
                };
                let (x0, x1) = (place(x0), place(x1));
                let got = first_contact(kind, &x0, &x1).unwrap().expect("they meet");
                if far.is_none() {
                    assert_eq!(got.weight, weight, "{kind:?} {size:e}");
                    assert!((got.normal.mag() - 1.0).abs() < 1e-15);
                }
                let q = Query { kind, x0, x1 };
                check::single(&truth(kind, &x0, &x1), &q)
                    .unwrap_or_else(|e| panic!("{e} {size:e} {far:?}\n{}", check::dump(&q)));
            }
        }
    }
}

#[test]
fn a_short_edge_does_not_blur_the_place_on_a_long_one() {
    // Lengths 1.2 and 4e-9, crossing at the origin, at 0.3 of the long one and a third of the short one.
    let s = 1e-9;
    let at = |y: f64| points([[-0.3, y, -0.21], [0.7, y, 0.49], [s, 0.0, -s], [-2.0 * s, 0.0, 2.0 * s]]);
    let got = first_contact(Kind::EdgeEdge, &at(-0.4), &at(0.3)).unwrap().expect("they meet");
    let [_, long, _, short] = got.weight;
    // A rounding of positions is 1e-7 of the short edge.
    assert!((long - 0.3).abs() < 1e-15 && (short + 1.0 / 3.0).abs() < 1e-6, "{:?}", got.weight);
}

#[test]
fn a_sliver_with_two_corners_in_one_place_has_weights() {
    let s = 1e-10;
    let x0 = points([[1.0, 1.0, 0.0], [4.0 * s, s, 0.0], [0.0; 3], [0.0; 3]]);
    let x1 = points([
        [-3.0 * s, 3.0 * s, 0.0],
        [1.0 - 3.0 * s, 3.0 * s, 0.0],
        [-3.0 * s, 4.0 * s, 0.0],
        [1.0 - 3.0 * s, 3.0 * s, 0.0],
    ]);
    let q = Query { kind: Kind::VertexFace, x0, x1 };
    check::single(&truth(q.kind, &x0, &x1), &q).unwrap_or_else(|e| panic!("{e}\n{}", check::dump(&q)));
}

#[test]
fn contact_in_a_plane_is_enclosed_too() {
    // In the plane z = 0 a vertex reaches the edge x = 1 at t = 1/3, which is no double.
    let at = |x: f64| points([[x, 0.25, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 2.0, 0.0]]);
    let got = first_contact(Kind::VertexFace, &at(0.0), &at(3.0)).unwrap().expect("it reaches the face");
    // 1/3 is between the two.
    assert!(got.t < got.t_hi && 3.0 * got.t <= 1.0 && 3.0 * got.t_hi >= 1.0, "{got:?}");
    assert_eq!(got.t_hi, got.t.next_up());
}

#[test]
fn infinities_that_cancel_are_refused_and_sums_that_overflow_are_not() {
    let (inf, max) = (f64::INFINITY, f64::MAX);
    let nan = f64::NAN;
    for kind in KINDS {
        for big in [inf, max, nan] {
            // Every way to put +big, −big or 0 on the x axis: what one axis test lets through, another stops.
            for code in 0..3usize.pow(8) {
                let digit = |i: u32| [0.0, big, -big][code / 3usize.pow(i) % 3];
                let x0: [DVec3; 4] = std::array::from_fn(|i| DVec3::new(digit(i as u32), 0.0, 0.0));
                let x1: [DVec3; 4] = std::array::from_fn(|i| DVec3::new(digit(i as u32 + 4), 0.0, 0.0));
                let list = [[0, 1, 2, 3]];
                let candidates = match kind {
                    Kind::VertexFace => Candidates::VertexFace(&list),
                    Kind::EdgeEdge => Candidates::EdgeEdge(&list),
                };
                let mut out = vec![9];
                let with = Workspace::with(Instructions::best());
                let answer = touching(&x0, &x1, candidates, &mut { with }, &mut out);
                if big == max || code == 0 {
                    assert!(answer.is_ok(), "{code}");
                    assert_eq!(!out.is_empty(), touches(kind, &x0, &x1).unwrap(), "{code}");
                } else {
                    assert!(matches!(answer, Err(BatchError::NotFinite { .. })), "{big} {code}");
                    assert!(out.is_empty());
                }
            }
        }
    }
}

#[test]
fn any_number_is_a_side() {
    let (x0, x1, _) = crossing(Kind::VertexFace);
    let (x0, x1) = (points(x0), points(x1));
    let of = |side| {
        let carried = Carried { side, weight: None };
        intervals(Kind::VertexFace, &x0, &x1, Some(&carried), Opens::FromBothSides).unwrap()
    };
    for side in [i8::MIN, -2, -1, 1, 2, i8::MAX] {
        assert_eq!(of(side), of(side.signum()), "{side}");
    }
}

#[test]
fn a_double_root_as_the_step_begins_opens_where_the_last_step_was_on_the_other_side() {
    // The face turns about a and the median of bc while the vertex, which lies on that line, leaves it: f = −t²/4.
    let x0 = points([[0.25, 0.25, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let x1 = points([[0.5, 0.25, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]);
    let q = Query { kind: Kind::VertexFace, x0, x1 };
    let r = impinge_ccd::roots(q.kind, &x0, &x1).unwrap();
    let first = r.roots[0];
    assert_eq!((first.t_hi, first.multiplicity, first.vanishing, first.inside), (0.0, 2, 0, true), "{r:?}");
    let of = |side: Option<i8>| {
        let carried = side.map(|side| Carried { side, weight: None });
        intervals(q.kind, &x0, &x1, carried.as_ref(), Opens::FromBothSides).unwrap()
    };
    let open = of(Some(-first.after));
    assert_eq!(open.len(), 1);
    assert_eq!(
        (open[0].t_in, open[0].t_out, open[0].side, open[0].entry),
        (0.0, 1.0, -first.after, Entry::Contact)
    );
    assert!(of(Some(first.after)).is_empty());
    // Nothing known: a touch.
    assert!(of(None).is_empty());
}

/// The edges cross at t = 1/4 and are parallel at t = 1/2, where their cross product turns over: the function changes its
/// sign without a contact, and the next step must still know that they penetrate.
#[test]
fn a_normal_that_turns_over_does_not_lose_the_penetration() {
    let (c, d) = ([-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
    let x0 = points([[-2.0, -1.0, 1.0], [2.0, 1.0, 1.0], c, d]);
    let x1 = points([[-2.0, 1.0, -3.0], [2.0, -1.0, -3.0], c, d]);
    let first = intervals(Kind::EdgeEdge, &x0, &x1, None, Opens::FromBothSides).expect("finite");
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].t_out, first[0].side, first[0].side_end), (1.0, -1, 1));
    let carried = Carried { side: first[0].side_end, weight: Some(first[0].weight) };
    let second = intervals(Kind::EdgeEdge, &x1, &x1, Some(&carried), Opens::FromBothSides).expect("finite");
    assert_eq!(second.len(), 1);
    assert_eq!((second[0].t_in, second[0].t_out, second[0].entry), (0.0, 1.0, Entry::Initial));
}
