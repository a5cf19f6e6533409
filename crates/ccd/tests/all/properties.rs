//! What must hold whatever the pair: symmetries of the problem, and the parity of crossings of a closed mesh.

use crate::oracle::check::dump;
use crate::oracle::families::{FAMILIES, Numbers, Query};
use impinge_ccd::{
    Candidates, Carried, ContactWorkspace, FirstContacts, Kind, Opens, PenetrationIntervalRow,
    PenetrationIntervals, Root, Roots, Workspace, first_contact, first_contacts, intervals,
    intervals_of_touching, penetration_intervals, roots, touches, touching,
};
use impinge_geometry::{DVec3, icosphere, rotor_from_rotation_vector};
use proptest::prelude::*;

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::VertexFace, Kind::EdgeEdge])
}

/// A query of any family.
fn any_query() -> impl Strategy<Value = Query> {
    (any::<u64>(), 0..FAMILIES.len(), kinds())
        .prop_map(|(seed, f, kind)| (FAMILIES[f].make)(&mut Numbers(seed), kind))
}

/// A query whose coordinates are small multiples of a power of two: sums and halves of them are exact.
fn dyadic_query() -> impl Strategy<Value = Query> {
    let small = ["grid", "corner", "edge", "inner", "plane", "parallel", "collapsed"];
    let small: Vec<usize> = (0..FAMILIES.len()).filter(|&f| small.contains(&FAMILIES[f].name)).collect();
    (any::<u64>(), prop::sample::select(small), kinds())
        .prop_map(|(seed, f, kind)| (FAMILIES[f].make)(&mut Numbers(seed), kind))
        .prop_filter("on the dyadic grid", |q| {
            q.x0.iter().chain(&q.x1).all(|p| *p * 64.0 == (*p * 64.0).map(f64::round) && p.mag() < 1e3)
        })
}

fn of(q: &Query) -> Roots {
    roots(q.kind, &q.x0, &q.x1).unwrap()
}

/// Flags of a root that do not depend on the direction of time or the turn of a face.
fn flags(r: &Root) -> (u8, u8, bool) {
    (r.multiplicity, r.vanishing, r.inside)
}

fn meet(a: [f64; 2], b: [f64; 2], rounding: f64) -> bool {
    a[0] <= b[1] + rounding && b[0] <= a[1] + rounding
}

/// Intervals, those joined whose gap is rounding: next to t = 0 there are doubles for gaps that t = 1 has none for.
fn joined(touching: &[[f64; 2]], rounding: f64) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    for i in touching {
        match out.last_mut() {
            Some(last) if i[0] - last[1] <= rounding => last[1] = i[1],
            _ => out.push(*i),
        }
    }
    out
}

/// The same roots and intervals, signs times `turn`, times up to `rounding`.
fn same(a: &Roots, b: &Roots, turn: i8, rounding: f64) -> bool {
    let (i, j) = (joined(&a.touching, rounding), joined(&b.touching, rounding));
    a.class == b.class
        && a.roots.len() == b.roots.len()
        && i.len() == j.len()
        && a.roots.iter().zip(&b.roots).all(|(r, s)| {
            flags(r) == flags(s)
                && (r.before, r.after) == (turn * s.before, turn * s.after)
                && meet([r.t, r.t_hi], [s.t, s.t_hi], rounding)
        })
        && i.iter().zip(&j).all(|(i, j)| (0..2).all(|k| (i[k] - j[k]).abs() <= rounding.max(1e-12)))
}

/// The roots as seen with time running backwards.
fn mirrored(mut r: Roots) -> Roots {
    r.roots.reverse();
    for root in &mut r.roots {
        (root.t, root.t_hi) = (1.0 - root.t_hi, 1.0 - root.t);
        (root.before, root.after) = (root.after, root.before);
    }
    r.touching.reverse();
    r.touching.iter_mut().for_each(|i| *i = [1.0 - i[1], 1.0 - i[0]]);
    r
}

fn reordered(q: &Query, order: [usize; 4]) -> Query {
    Query { kind: q.kind, x0: order.map(|i| q.x0[i]), x1: order.map(|i| q.x1[i]) }
}

/// Orders of the four points that leave the pair as it is, with the sign of the cubic.
fn orders(kind: Kind) -> &'static [([usize; 4], i8)] {
    match kind {
        Kind::VertexFace => &[
            ([0, 2, 3, 1], 1),
            ([0, 3, 1, 2], 1),
            ([0, 2, 1, 3], -1),
            ([0, 1, 3, 2], -1),
            ([0, 3, 2, 1], -1),
        ],
        Kind::EdgeEdge => &[([1, 0, 2, 3], -1), ([0, 1, 3, 2], -1), ([1, 0, 3, 2], 1), ([2, 3, 0, 1], 1)],
    }
}

fn moved(q: &Query, f: impl Fn(DVec3) -> DVec3) -> Query {
    Query { kind: q.kind, x0: q.x0.map(&f), x1: q.x1.map(&f) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn time_reversal_mirrors_the_roots(q in any_query()) {
        let back = Query { kind: q.kind, x0: q.x1, x1: q.x0 };
        let (a, b) = (of(&q), mirrored(of(&back)));
        prop_assert!(same(&a, &b, 1, 4e-16), "{a:?}\n{b:?}\n{}", dump(&q));
        prop_assert_eq!(touches(q.kind, &q.x0, &q.x1), touches(q.kind, &back.x0, &back.x1));
    }

    #[test]
    fn the_order_of_the_points_of_a_feature_does_not_matter(q in any_query()) {
        let a = of(&q);
        for &(order, turn) in orders(q.kind) {
            let p = reordered(&q, order);
            let b = of(&p);
            prop_assert!(same(&a, &b, turn, 0.0), "{order:?}\n{a:?}\n{b:?}\n{}", dump(&q));
            prop_assert_eq!(touches(q.kind, &q.x0, &q.x1), touches(q.kind, &p.x0, &p.x1));
        }
    }

    #[test]
    fn exact_translations_and_scalings_change_nothing(
        q in dyadic_query(),
        by in prop::array::uniform3(-4096i32..4096),
        power in -60i32..60,
    ) {
        let a = of(&q);
        let shift = DVec3::from(by.map(|v| f64::from(v) * 0.25));
        let b = of(&moved(&q, |p| p + shift));
        prop_assert!(same(&a, &b, 1, 0.0), "{shift:?}\n{a:?}\n{b:?}\n{}", dump(&q));
        let scale = 2f64.powi(power);
        let b = of(&moved(&q, |p| p * scale));
        prop_assert!(same(&a, &b, 1, 0.0), "2^{power}\n{a:?}\n{b:?}\n{}", dump(&q));
    }

    #[test]
    fn the_step_in_two_parts_has_the_same_contacts(q in dyadic_query(), eighth in 1u32..8) {
        let s = f64::from(eighth) / 8.0;
        let mid: [DVec3; 4] = std::array::from_fn(|i| q.x0[i] + (q.x1[i] - q.x0[i]) * s);
        let whole = of(&q);
        let first = of(&Query { x1: mid, ..q });
        let second = of(&Query { x0: mid, ..q });
        prop_assert_eq!(whole.touch(), first.touch() || second.touch(), "{}", dump(&q));
        // Times of the parts in those of the whole; a root at the cut is in both parts.
        let early = first.roots.iter().map(|r| (flags(r), [r.t * s, r.t_hi * s]));
        let late = second.roots.iter().map(|r| (flags(r), [s + r.t * (1.0 - s), s + r.t_hi * (1.0 - s)]));
        for (flag, t) in early.chain(late) {
            prop_assert!(
                whole.roots.iter().any(|r| flags(r) == flag && meet([r.t, r.t_hi], t, 4e-16)),
                "{t:?}\n{whole:?}\n{}", dump(&q)
            );
        }
        for r in &whole.roots {
            let t = [r.t, r.t_hi];
            let in_first = first.roots.iter().any(|f| meet(t, [f.t * s, f.t_hi * s], 4e-16));
            let in_second = second.roots.iter().any(|f| {
                meet(t, [s + f.t * (1.0 - s), s + f.t_hi * (1.0 - s)], 4e-16)
            });
            prop_assert!(in_first || in_second, "{r:?}\n{first:?}\n{second:?}\n{}", dump(&q));
        }
    }
}

/// Positions at both ends, faces, edges, and raw pairs of numbers to choose among them.
type Soup = (Vec<DVec3>, Vec<DVec3>, Vec<[u32; 3]>, Vec<[u32; 2]>, Vec<(u32, u32)>);

/// Faces and edges between lattice points, some of them degenerate.
fn soup() -> impl Strategy<Value = Soup> {
    let point = prop::array::uniform3(-4i32..=4).prop_map(|p| DVec3::from(p.map(f64::from)));
    (
        prop::collection::vec((point.clone(), point), 5..30),
        prop::collection::vec(prop::array::uniform3(any::<u32>()), 1..40),
        prop::collection::vec(prop::array::uniform2(any::<u32>()), 1..40),
        prop::collection::vec((any::<u32>(), any::<u32>()), 0..300),
    )
        .prop_map(|(points, faces, edges, pairs)| {
            let n = points.len() as u32;
            let (x0, x1) = points.into_iter().unzip();
            (
                x0,
                x1,
                faces.into_iter().map(|f| f.map(|v| v % n)).collect(),
                edges.into_iter().map(|e| e.map(|v| v % n)).collect(),
                pairs,
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_batch_is_the_single_calls(set in soup()) {
        let (x0, x1, faces, edges, raw) = set;
        let n = x0.len() as u32;
        let vertex_face: Vec<(u32, u32)> = raw.iter().map(|(a, b)| (a % n, b % faces.len() as u32)).collect();
        let m = edges.len() as u32;
        let edge_edge: Vec<(u32, u32)> = raw.iter().map(|(a, b)| (a % m, b % m)).collect();
        let mut workspace = Workspace::new();
        let mut out = Vec::new();
        for by_row in [
            Candidates::VertexFacePairs { pairs: &vertex_face, faces: &faces },
            Candidates::EdgeEdgePairs { pairs: &edge_edge, edges: &edges },
        ] {
            let kind = by_row.kind();
            let stencils: Vec<[u32; 4]> = (0..by_row.len()).map(|i| by_row.stencil(i).unwrap()).collect();
            let spelled_out = match kind {
                Kind::VertexFace => Candidates::VertexFace(&stencils),
                Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
            };
            let expected: Vec<u32> = (0u32..)
                .zip(&stencils)
                .filter(|(_, s)| touches(kind, &s.map(|v| x0[v as usize]), &s.map(|v| x1[v as usize])).unwrap())
                .map(|(i, _)| i)
                .collect();
            for candidates in [by_row, spelled_out] {
                let counts = touching(&x0, &x1, candidates, &mut workspace, &mut out).unwrap();
                prop_assert_eq!(&out, &expected);
                prop_assert_eq!(counts.axis + counts.signs + counts.certified + counts.exact, stencils.len());
            }
        }
    }

    #[test]
    fn the_rows_of_a_batch_are_those_of_the_single_calls(set in soup(), carry in any::<u64>()) {
        let (x0, x1, _, edges, raw) = set;
        let m = edges.len() as u32;
        let stencils: Vec<[u32; 4]> = raw
            .iter()
            .map(|(a, b)| ((a % m) as usize, (b % m) as usize))
            .map(|(a, b)| [edges[a][0], edges[a][1], edges[b][0], edges[b][1]])
            .collect();
        // Sides of every kind, of some of the candidates; open contacts with and without the weights of the last step.
        let carried: Vec<(u32, Carried)> = (0..stencils.len() as u32)
            .filter(|i| (carry >> (i % 61)) & 3 == 1)
            .map(|i| {
                let side = (i % 3) as i8 - 1;
                (i, Carried { side, weight: (i % 2 == 0).then_some([0.5, 0.5, -0.25, -0.75]) })
            })
            .collect();
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let candidates = match kind {
                Kind::VertexFace => Candidates::VertexFace(&stencils),
                Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
            };
            let ends = |s: &[u32; 4]| (s.map(|v| x0[v as usize]), s.map(|v| x1[v as usize]));
            let (mut workspace, mut first) = (ContactWorkspace::new(), FirstContacts::default());
            first_contacts(&x0, &x1, candidates, &mut workspace, &mut first).unwrap();
            let got: Vec<_> = (0..first.len()).map(|i| first.row(i)).map(|r| (r.candidate, r.t, r.weight, r.normal)).collect();
            let expected: Vec<_> = (0u32..)
                .zip(&stencils)
                .filter_map(|(i, s)| first_contact(kind, &ends(s).0, &ends(s).1).unwrap().map(|c| (i, c)))
                .map(|(i, c)| (i, c.t, c.weight, c.normal))
                .collect();
            prop_assert_eq!(got, expected);
            for opens in [Opens::default(), Opens::From(1)] {
                let mut rows = PenetrationIntervals::default();
                penetration_intervals(&x0, &x1, candidates, &carried, opens, &mut workspace, &mut rows).unwrap();
                let got: Vec<_> = (0..rows.len()).map(|i| rows.row(i)).map(|r| (r.candidate, r.t_in, r.t_out, r.side_end, r.weight)).collect();
                let mut expected = Vec::new();
                for (i, s) in (0u32..).zip(&stencils) {
                    let known = carried.iter().find(|c| c.0 == i).map(|c| &c.1);
                    let found = intervals(kind, &ends(s).0, &ends(s).1, known, opens).unwrap();
                    expected.extend(found.iter().map(|r| (i, r.t_in, r.t_out, r.side_end, r.weight)));
                }
                prop_assert_eq!(got, expected);
                // The same from the list of those that touch or were open, decided once.
                let (mut decided, mut touch) = (Workspace::new(), Vec::new());
                touching(&x0, &x1, candidates, &mut decided, &mut touch).unwrap();
                let (mut short, mut roots, mut places) = (Vec::new(), Vec::new(), Vec::new());
                let mut still = Vec::new();
                for (i, s) in (0u32..).zip(&stencils) {
                    let known = carried.iter().find(|c| c.0 == i);
                    let at = touch.binary_search(&i).ok();
                    if known.is_none() && at.is_none() {
                        continue;
                    }
                    still.extend(known.map(|c| (short.len() as u32, c.1)));
                    roots.push(at.and_then(|at| decided.roots()[at]));
                    places.push(i);
                    short.push(*s);
                }
                let list = match kind {
                    Kind::VertexFace => Candidates::VertexFace(&short),
                    Kind::EdgeEdge => Candidates::EdgeEdge(&short),
                };
                for roots in [&roots[..], &[]] {
                    let mut again = PenetrationIntervals::default();
                    intervals_of_touching(&x0, &x1, list, roots, &still, opens, &mut workspace, &mut again).unwrap();
                    prop_assert_eq!(again.len(), rows.len());
                    for i in 0..rows.len() {
                        let row = again.row(i);
                        let named = PenetrationIntervalRow { candidate: places[row.candidate as usize], ..row };
                        prop_assert_eq!(named, rows.row(i));
                    }
                }
            }
        }
    }

    #[test]
    fn a_vertex_that_enters_a_closed_mesh_crosses_an_odd_number_of_faces(
        from in prop::array::uniform3(-1.0..1.0f64),
        to in prop::array::uniform3(-0.2..0.2f64),
        turn in prop::array::uniform3(-0.5..0.5f64),
        drift in prop::array::uniform3(-3.0..3.0f64),
        dent in prop::collection::vec(-0.2..0.2f64, 162),
    ) {
        let mesh = icosphere(1.0, 2).unwrap();
        let x0 = mesh.positions().to_vec();
        prop_assert_eq!(x0.len(), dent.len());
        let (turn, drift) = (rotor_from_rotation_vector(turn.into()), DVec3::from(drift));
        let bent = |(p, d): (&DVec3, &f64)| {
            let p: DVec3 = *p * (1.0 + d);
            turn * p + drift
        };
        let x1: Vec<DVec3> = x0.iter().zip(&dent).map(bent).collect();
        let from = DVec3::from(from);
        prop_assume!(from.mag() > 0.1);
        // Outside at the start, inside at the end: near the middle of the dented ball.
        let (start, end) = (from.normalized() * 1.5, drift + DVec3::from(to));
        let mut crossings = 0;
        for t in mesh.triangles() {
            let at = |p: DVec3, x: &[DVec3]| [p, x[t[0] as usize], x[t[1] as usize], x[t[2] as usize]];
            let r = roots(Kind::VertexFace, &at(start, &x0), &at(end, &x1)).unwrap();
            crossings += r.roots.iter().filter(|r| r.inside && r.reduced_multiplicity() % 2 == 1).count();
        }
        prop_assert!(crossings % 2 == 1, "{crossings}");
    }
}
