//! The tree against brute force over whole histories: moving, vanishing, flat, coincident, far away.

use impinge_broadphase::{Aabb, BodyPairs, BoxError, body_pairs_brute_force};
use impinge_geometry::DVec3;
use proptest::prelude::*;

/// A box from small integers, so that touching, flat, equal and point boxes are all common.
fn lattice_box() -> impl Strategy<Value = Aabb> {
    let box_ = (prop::array::uniform3(-6i32..6), prop::array::uniform3(0i32..3));
    prop_oneof![
        9 => box_.prop_map(|(at, size)| {
            let v = |a: [i32; 3]| DVec3::new(a[0].into(), a[1].into(), a[2].into());
            Aabb::new(v(at), v(at) + v(size))
        }),
        1 => Just(Aabb::empty()),
    ]
}

fn check(tree: &mut BodyPairs, boxes: &[Aabb]) -> Result<(), TestCaseError> {
    let filter = |i: u32, j: u32| !(i + j).is_multiple_of(5);
    let (mut got, mut want) = (vec![(9, 9)], Vec::new());
    tree.find(boxes, filter, &mut got).unwrap();
    body_pairs_brute_force(boxes, filter, &mut want).unwrap();
    prop_assert_eq!(got, want);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tree_equals_brute_force_through_a_history(
        history in prop::collection::vec(prop::collection::vec(lattice_box(), 0..24), 1..6),
        scale in prop::sample::select(vec![1.0, 0.1, 1e-9, 1e9]),
        offset in prop::sample::select(vec![0.0, 1e6, -1e6]),
    ) {
        let mut tree = BodyPairs::new();
        for boxes in &history {
            let o = DVec3::new(offset, 0.3 * offset, -offset);
            let moved: Vec<Aabb> =
                boxes.iter().map(|b| Aabb::new(b.lo * scale + o, b.hi * scale + o)).collect();
            check(&mut tree, &moved)?;
        }
    }

    #[test]
    fn a_drifting_cloud_keeps_its_pairs(
        start in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 30..60),
        speed in prop::collection::vec(prop::array::uniform3(-0.2..0.2f64), 60),
        wind in -50.0..50.0f64,
    ) {
        let mut tree = BodyPairs::new();
        for step in 0..12 {
            let boxes: Vec<Aabb> = start.iter().zip(&speed).map(|(&x, &v)| {
                let p = DVec3::from(x) + (DVec3::from(v) + DVec3::unit_z() * wind) * f64::from(step);
                Aabb::new(p, p).inflated(0.15)
            }).collect();
            check(&mut tree, &boxes)?;
        }
        // A refit tree, not a rebuilt one, must have answered some of them.
        prop_assert!(tree.rebuilds() < 12);
    }
}

#[test]
fn thousands_of_identical_boxes() {
    let b = Aabb::new(DVec3::zero(), DVec3::zero());
    let mut out = Vec::new();
    let mut tree = BodyPairs::new();
    for _ in 0..2 {
        tree.find(&vec![b; 1000], |_, _| true, &mut out).unwrap();
        assert_eq!(out.len(), 1000 * 999 / 2);
        assert!(out.is_sorted());
    }
    assert_eq!(tree.rebuilds(), 1);
}

#[test]
fn a_body_that_leaves_and_returns() {
    let at = |x: f64| Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0));
    let (mut tree, mut out) = (BodyPairs::new(), Vec::new());
    tree.find(&[at(0.0), at(0.5), at(9.0)], |_, _| true, &mut out).unwrap();
    assert_eq!(out, [(0, 1)]);
    tree.find(&[at(0.0), Aabb::empty(), at(1.0)], |_, _| true, &mut out).unwrap();
    assert_eq!(out, [(0, 2)]);
    tree.find(&[at(0.0)], |_, _| true, &mut out).unwrap();
    assert!(out.is_empty());
    tree.find(&[at(0.0), at(0.5), at(9.0)], |_, _| true, &mut out).unwrap();
    assert_eq!(out, [(0, 1)]);
}

#[test]
fn broken_boxes_are_named_and_do_no_harm() {
    let good = Aabb::new(DVec3::zero(), DVec3::one());
    let mut bad = good;
    bad.hi.y = f64::NAN;
    let (mut tree, mut out) = (BodyPairs::new(), vec![(1, 2)]);
    let e = tree.find(&[good, good, bad], |_, _| true, &mut out).unwrap_err();
    assert_eq!(e, BoxError::NonFinite { slot: 2 });
    assert!(e.to_string().contains("body 2") && out.is_empty());
    assert_eq!(body_pairs_brute_force(&[bad], |_, _| true, &mut out), Err(BoxError::NonFinite { slot: 0 }));
    tree.find(&[good, good], |_, _| true, &mut out).unwrap();
    assert_eq!(out, [(0, 1)]);
    let endless = Aabb::new(DVec3::zero(), DVec3::new(1.0, f64::INFINITY, 1.0));
    assert!(tree.find(&[good, endless], |_, _| true, &mut out).is_err());
}
