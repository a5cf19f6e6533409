//! Vertices in the same place, against brute force.

use impinge_geometry::DVec3;
use impinge_meshing::merge_map;
use proptest::prelude::*;

fn brute_force(p: &[DVec3], tolerance: f64) -> Vec<u32> {
    let mut map: Vec<u32> = vec![];
    for v in 0..p.len() {
        let mut best = (f64::INFINITY, v);
        for w in 0..v {
            let d = (p[v] - p[w]).mag_sq();
            if map[w] == w as u32 && d <= tolerance * tolerance && d < best.0 {
                best = (d, w);
            }
        }
        map.push(best.1 as u32);
    }
    map
}

#[test]
fn chains_do_not_collapse_and_zeros_are_equal() {
    let line: Vec<DVec3> = (0..10).map(|i| DVec3::new(f64::from(i), 0.0, 0.0)).collect();
    assert_eq!(merge_map(&line, 1.0), [0, 0, 2, 2, 4, 4, 6, 6, 8, 8]);
    assert_eq!(merge_map(&[DVec3::zero(), -DVec3::zero()], 0.0), [0, 0]);
    assert_eq!(merge_map(&[DVec3::one(), DVec3::one() * 1e-170], f64::NAN), [0, 1]);
    assert_eq!(merge_map(&[DVec3::unit_x() * 1e-170, DVec3::unit_x() * 1e-171], 0.0), [0, 1]);
    assert!(merge_map(&[], 1.0).is_empty());
    // All in one place, far away: one cell, and no search through the empty rest.
    assert_eq!(merge_map(&[DVec3::one() * 1e6; 3], 0.0), [0, 0, 0]);
    assert_eq!(merge_map(&[DVec3::one() * f64::MAX, DVec3::one() * f64::MIN], 0.0), [0, 1]);
}

proptest! {
    #[test]
    fn agrees_with_brute_force(
        grid in prop::collection::vec(prop::array::uniform3(0i32..12), 0..120),
        far in prop::sample::select(vec![0.0, 1e6]),
        tolerance in prop::sample::select(vec![0.0, 0.5, 1.0, 1.5, 4.0]),
    ) {
        let p: Vec<DVec3> =
            grid.iter().map(|g| DVec3::from(g.map(|x| 0.5 * f64::from(x) + far))).collect();
        prop_assert_eq!(merge_map(&p, tolerance), brute_force(&p, tolerance));
    }
}
