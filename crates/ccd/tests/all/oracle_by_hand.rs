//! The oracle of these tests against configurations worked out by hand, one for each way of touching.

use crate::oracle::{Algebraic, Dyadic, Truth, truth};
use impinge_ccd::{Class, Kind};
use impinge_geometry::DVec3;
use std::cmp::Ordering;

const VF: Kind = Kind::VertexFace;
const EE: Kind = Kind::EdgeEdge;

fn points(x: [[f64; 3]; 4]) -> [DVec3; 4] {
    x.map(DVec3::from)
}

fn moved(kind: Kind, x0: [[f64; 3]; 4], x1: [[f64; 3]; 4]) -> Truth {
    truth(kind, &points(x0), &points(x1))
}

fn is(a: &Algebraic, t: f64) -> bool {
    a.cmp_dyadic(&Dyadic::from_f64(t)) == Ordering::Equal
}

const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

fn falling(x: f64, y: f64, from: f64, to: f64) -> Truth {
    let [a, b, c] = FLOOR;
    moved(VF, [[x, y, from], a, b, c], [[x, y, to], a, b, c])
}

#[test]
fn a_vertex_falls_on_a_face_its_edge_its_corner_and_beside_it() {
    for (x, y, inside) in [
        (1.0, 1.0, true),
        (2.0, 2.0, true),
        (2.0, 0.0, true),
        (4.0, 0.0, true),
        (0.0, 0.0, true),
        (2.0, 2.0 + f64::EPSILON * 2.0, false),
        (-f64::MIN_POSITIVE, 1.0, false),
        (4.0 + 1e-15, 0.0, false),
    ] {
        let t = falling(x, y, 0.5, -1.5);
        assert_eq!((t.class, t.roots.len(), t.touch()), (Class::Regular, 1, inside), "{x} {y}");
        let r = &t.roots[0];
        assert!(is(&r.at, 0.25));
        // The papers' f is height times the turn of the face, which looks up.
        assert_eq!((r.multiplicity, r.vanishing, r.before, r.after), (1, 0, 1, -1));
    }
}

#[test]
fn the_ends_of_the_step_count() {
    assert!(is(&falling(1.0, 1.0, 1.0, 0.0).roots[0].at, 1.0));
    let t = falling(1.0, 1.0, 0.0, -1.0);
    assert!(is(&t.roots[0].at, 0.0));
    assert_eq!((t.roots[0].before, t.roots[0].after), (1, -1));
    assert!(falling(1.0, 1.0, 1.0, 5e-324).roots.is_empty());
    // At rest on the face: in contact all the time.
    let [a, b, c] = FLOOR;
    let still = [[1.0, 1.0, 0.0], a, b, c];
    let t = moved(VF, still, still);
    assert_eq!(t.class, Class::CoplanarAlways);
    assert!(is(&t.touching[0][0], 0.0) && is(&t.touching[0][1], 1.0));
}

#[test]
fn a_collapsing_face_is_met_before_and_not_when_it_collapses() {
    // The third corner passes the first two at ½ while the vertex falls through the plane at ⅓.
    let x0 = [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let x1 = [[1.0, 1.0, -2.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, -4.0, 0.0]];
    let t = moved(VF, x0, x1);
    assert_eq!((t.class, t.roots.len()), (Class::DegenerateInstant, 2));
    let third = &t.roots[0];
    assert_eq!((third.inside, third.vanishing, third.before, third.after), (true, 0, 1, -1));
    assert_eq!(third.at.cmp_dyadic(&Dyadic::from_f64(1.0 / 3.0)), Ordering::Greater);
    assert_eq!(third.at.cmp_dyadic(&Dyadic::from_f64((1.0f64 / 3.0).next_up())), Ordering::Less);
    // At ½ the face is the segment from (0,0,0) to (4,0,0) and the vertex is not on it.
    let half = &t.roots[1];
    assert!(is(&half.at, 0.5));
    assert_eq!((half.inside, half.multiplicity, half.vanishing), (false, 1, 1));
}

/// Edge ab lies on the x axis, cd leans by s = 2t − 1 and its lower end passes at (y, z) = (2t − 1, h): f ∝ (2t − 1)² − h.
fn leaning(h: f64) -> Truth {
    let (a, b) = ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    moved(EE, [a, b, [0.0, -1.0, h], [0.0, 0.0, h - 1.0]], [a, b, [0.0, 1.0, h], [0.0, 2.0, h + 1.0]])
}

#[test]
fn edges_graze_cross_twice_or_miss() {
    let t = leaning(0.0);
    assert_eq!((t.class, t.roots.len()), (Class::Regular, 1));
    let r = &t.roots[0];
    assert!(is(&r.at, 0.5));
    assert_eq!((r.multiplicity, r.vanishing, r.inside, r.before, r.after), (2, 0, true, 1, 1));
    assert!(leaning(-1e-300).roots.is_empty());
    // t = (1 ± √½)/2; at the second one both ends of cd are above.
    let t = leaning(0.5);
    assert_eq!(
        t.roots.iter().map(|r| (r.inside, r.before, r.after)).collect::<Vec<_>>(),
        [(true, 1, -1), (false, -1, 1)]
    );
    for (r, root) in t.roots.iter().zip([0.146_446_609_406_726_24, 0.853_553_390_593_273_7]) {
        let mut at = r.at.clone();
        at.refine_to(60);
        assert!((at.lo.approx() - root).abs() < 1e-16, "{}", at.lo.approx());
    }
}

#[test]
fn an_edge_that_turns_round_in_its_line_touches_when_it_is_a_point() {
    let s = [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let e = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];
    // The direction of cd vanishes at ½, together with the distance.
    let t = moved(EE, s, e);
    assert_eq!((t.class, t.roots.len()), (Class::DegenerateInstant, 1));
    let r = &t.roots[0];
    assert!(is(&r.at, 0.5));
    assert_eq!((r.multiplicity, r.vanishing, r.inside), (2, 1, true));
    assert_eq!(r.before, r.after);
}

#[test]
fn parallel_edges_touch_where_they_overlap() {
    // The published case "collinear overlap exactly at the contact time".
    let s = [[-2.0, -1.0, 2.0], [2.0, 1.0, 2.0], [-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let e = [[-2.0, 1.0, -2.0], [2.0, -1.0, -2.0], [-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let t = moved(EE, s, e);
    assert_eq!((t.roots.len(), t.roots[0].inside, t.roots[0].multiplicity), (1, true, 2));
    let beside = |x: [[f64; 3]; 4]| [x[0], x[1], [2.5, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert!(!moved(EE, beside(s), beside(e)).touch());
    let at_the_end = |x: [[f64; 3]; 4]| [x[0], x[1], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert!(moved(EE, at_the_end(s), at_the_end(e)).touch());
}

#[test]
fn features_without_extent_are_points_and_segments() {
    let point = |x: [f64; 3]| [x; 3];
    // A vertex meets a triangle that is a point: at ½ and only there.
    let [a, b, c] = point([0.0; 3]);
    let t = moved(VF, [[1.0, 1.0, -1.0], a, b, c], [[-1.0, -1.0, 1.0], a, b, c]);
    assert_eq!((t.class, t.touching.len()), (Class::DegenerateAlways, 1));
    assert!(is(&t.touching[0][0], 0.5) && is(&t.touching[0][1], 0.5));
    assert!(!moved(VF, [[1.0, 1.0, -1.0], a, b, c], [[-1.0, -1.0, 1.5], a, b, c]).touch());
    // A triangle that is a segment, of which c is the far end.
    let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert!(moved(VF, [[2.0, 1.0, 0.0], a, b, c], [[2.0, -1.0, 0.0], a, b, c]).touch());
    assert!(!moved(VF, [[3.5, 1.0, 0.0], a, b, c], [[3.5, -1.0, 0.0], a, b, c]).touch());
    // Two edges that are points and sit on each other from 0 to 1; two that part.
    let two = |p: [f64; 3], q: [f64; 3]| [p, p, q, q];
    let here = [0.1, 0.2, 0.3];
    let t = moved(EE, two(here, here), two(here, here));
    assert!(is(&t.touching[0][0], 0.0) && is(&t.touching[0][1], 1.0));
    let t = moved(EE, two(here, here), two(here, [0.1, 0.2, 0.31]));
    assert!(is(&t.touching[0][0], 0.0) && is(&t.touching[0][1], 0.0));
}

#[test]
fn motion_in_a_plane_gives_intervals() {
    // A vertex slides along y = 1 through the triangle (0,0) (4,0) (0,4): x from −1 to 7 is inside for x in [0,3].
    let [a, b, c] = FLOOR;
    let t = moved(VF, [[-1.0, 1.0, 0.0], a, b, c], [[7.0, 1.0, 0.0], a, b, c]);
    assert_eq!((t.class, t.touching.len()), (Class::CoplanarAlways, 1));
    assert!(is(&t.touching[0][0], 0.125) && is(&t.touching[0][1], 0.5));
    // An edge of two units slides along a line with another one, over it and off again.
    let t = moved(
        EE,
        [[-3.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        [[5.0, 0.0, 0.0], [7.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
    );
    assert_eq!((t.class, t.touching.len()), (Class::DegenerateAlways, 1));
    assert!(is(&t.touching[0][0], 0.125) && is(&t.touching[0][1], 0.5));
}
