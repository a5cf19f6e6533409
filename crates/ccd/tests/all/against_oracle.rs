//! Every family of degenerate pairs against the exact oracle: decision, batch, all roots with all flags.
//!
//! A fixed sample that fits into the time of a test; the example `fuzz` does the same by the million.

use crate::oracle::families::{FAMILIES, Family, Numbers, Query};
use crate::oracle::{check, truth};
use impinge_ccd::{Candidates, Kind, NotFinite, Tier, Workspace, touches, touching};

const PER_FAMILY: usize = 60;

fn queries(family: &Family, kind: Kind, seed: u64) -> Vec<Query> {
    let mut numbers = Numbers(seed);
    (0..PER_FAMILY).map(|_| (family.make)(&mut numbers, kind)).collect()
}

#[test]
fn all_answers_are_the_oracles() {
    for (f, family) in FAMILIES.iter().enumerate() {
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let all = queries(family, kind, f as u64);
            let x0: Vec<_> = all.iter().flat_map(|q| q.x0).collect();
            let x1: Vec<_> = all.iter().flat_map(|q| q.x1).collect();
            let stencils: Vec<[u32; 4]> =
                (0..all.len() as u32).map(|i| std::array::from_fn(|k| 4 * i + k as u32)).collect();
            let candidates = match kind {
                Kind::VertexFace => Candidates::VertexFace(&stencils),
                Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
            };
            let mut batch = Vec::new();
            touching(&x0, &x1, candidates, &mut Workspace::new(), &mut batch).unwrap();
            let mut expected = Vec::new();
            for (i, q) in all.iter().enumerate() {
                let t = truth(kind, &q.x0, &q.x1);
                if let Err(e) = check::single(&t, q) {
                    panic!("family {}, query {i}: {e}\n{}", family.name, check::dump(q));
                }
                if t.touch() {
                    expected.push(i as u32);
                }
            }
            assert_eq!(batch, expected, "family {}, {kind:?}: the batch", family.name);
        }
    }
}

#[test]
fn the_families_are_worth_their_time() {
    // Both answers are common in nearly all families, and the exact tier is needed in most.
    let mut exact = 0;
    for (f, family) in FAMILIES.iter().enumerate() {
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let all = queries(family, kind, f as u64);
            let answers: Vec<_> =
                all.iter().map(|q| impinge_ccd::touches_by(kind, &q.x0, &q.x1).unwrap()).collect();
            let positive = answers.iter().filter(|a| a.0).count();
            assert!(positive < all.len(), "{}: {positive}", family.name);
            exact += usize::from(answers.iter().any(|a| a.1 == Tier::Exact));
        }
    }
    assert!(exact >= FAMILIES.len(), "{exact} of {} lists reach the exact tier", 2 * FAMILIES.len());
}

#[test]
fn numbers_that_are_none_are_refused_with_their_place() {
    let q = (FAMILIES[0].make)(&mut Numbers(1), Kind::EdgeEdge);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (point, axis) in (0..4).flat_map(|p| (0..3).map(move |k| (p, k))) {
            for at_end in [false, true] {
                for kind in [Kind::VertexFace, Kind::EdgeEdge] {
                    let mut q = q;
                    if at_end {
                        q.x1[point][axis] = bad
                    } else {
                        q.x0[point][axis] = bad
                    }
                    let expected = NotFinite { point, at_end };
                    assert_eq!(touches(kind, &q.x0, &q.x1), Err(expected));
                    assert_eq!(impinge_ccd::roots(kind, &q.x0, &q.x1), Err(expected));
                    assert_eq!(impinge_ccd::roots_exact(kind, &q.x0, &q.x1), Err(expected));
                    let mut out = vec![7];
                    let candidates = Candidates::EdgeEdge(&[[0, 1, 2, 3]]);
                    let e = touching(&q.x0, &q.x1, candidates, &mut Workspace::new(), &mut out);
                    assert!(e.is_err() && out.is_empty());
                    assert!(e.unwrap_err().to_string().contains(&format!("vertex {point}")));
                }
            }
        }
    }
}

/// Motion within a plane whose contacts lie within a rounding of ½ and well apart near 0: the answer joins the one and keeps
/// the other. Found by the fuzz run, which took it for a fault of the crate.
#[test]
fn contacts_near_zero_are_told_apart_where_those_at_one_half_are_not() {
    let f = f64::from_bits;
    let sets = [
        (
            [
                [0x3d60000000000000u64, 0, 0],
                [0xbc50000000000000, 0xbc50000000000000, 0xbc50000000000000],
                [0xb3f0000000000000, 0, 0],
                [0x4220000000000000, 0, 0],
            ],
            [
                [0xbd60000000000000u64, 0x3d60000000000000, 0x3d60000000000000],
                [0x3c50000000000000, 0, 0],
                [0x33f0000000000000, 0x33f0000000000000, 0x33f0000000000000],
                [0x4220000000000000, 0x4220000000000000, 0x4220000000000000],
            ],
        ),
        (
            [
                [0u64, 0, 0],
                [0xa690000000000000, 0xa690000000000000, 0],
                [0xddc0000000000000, 0xddd0000000000000, 0xddc0000000000000],
                [0, 0, 0],
            ],
            [
                [0x2630000000000000u64, 0x2640000000000000, 0x2630000000000000],
                [0x2690000000000000, 0x2690000000000000, 0],
                [0x5dc0000000000000, 0x5dd0000000000000, 0x5dc0000000000000],
                [0xc7a0000000000000, 0xc7a0000000000000, 0],
            ],
        ),
    ];
    for (a, b) in sets {
        let (x0, x1) = (
            a.map(|p| impinge_geometry::DVec3::from(p.map(f))),
            b.map(|p| impinge_geometry::DVec3::from(p.map(f))),
        );
        let got = impinge_ccd::roots(Kind::EdgeEdge, &x0, &x1).unwrap();
        let t = truth(Kind::EdgeEdge, &x0, &x1);
        check::roots(&t, &got).unwrap_or_else(|e| panic!("{e}"));
    }
}
