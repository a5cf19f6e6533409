//! The quick list of triangle pairs against the exact one: nothing missed, nothing twice, and nothing more than
//! rounding explains.

use impinge_broadphase::{
    Aabb, CandidateWorkspace, FeatureTree, MovingSurface, self_triangle_pairs_brute_force,
};
use impinge_geometry::{DVec3, Topology, TriMesh, grid};
use proptest::prelude::*;

/// Asks a tree that has been elsewhere before; the list comes back sorted.
fn check(x0: &[DVec3], x1: &[DVec3], triangles: &[[u32; 3]], inflation: f64) -> Vec<(u32, u32)> {
    let topology = Topology::new(&TriMesh::new(x0.to_vec(), triangles.to_vec()).unwrap());
    let mut tree = FeatureTree::new(triangles, &topology, x1).unwrap();
    tree.update(x0, x1, inflation).unwrap();
    let (mut workspace, mut quick) = (CandidateWorkspace::new(), vec![(7, 7)]);
    tree.self_triangle_pairs_unsorted(&mut workspace, &mut quick);
    // The same history, another workspace: the same order.
    let (mut again, mut twin) = (Vec::new(), FeatureTree::new(triangles, &topology, x1).unwrap());
    twin.update(x0, x1, inflation).unwrap();
    twin.self_triangle_pairs_unsorted(&mut CandidateWorkspace::new(), &mut again);
    assert_eq!(quick, again);

    assert!(quick.iter().all(|&(f, g)| f < g && (g as usize) < triangles.len()));
    quick.sort_unstable();
    assert!(quick.windows(2).all(|w| w[0] < w[1]), "a pair came twice");
    let surface = |inflation| MovingSurface { triangles, topology: &topology, x0, x1, inflation };
    let exact = self_triangle_pairs_brute_force(&surface(inflation));
    assert!(exact.iter().all(|p| quick.binary_search(p).is_ok()), "a pair was missed");
    // Two bounds, each moved by less than 2^-22 of the half width of everything.
    let all = x0.iter().chain(x1).fold(Aabb::empty(), |u, &p| u.union(&Aabb::from_points(&[p])));
    let half = 0.5 * (all.hi - all.lo).component_max() + inflation;
    let wide = self_triangle_pairs_brute_force(&surface(inflation + 1.01 * half / f64::from(1u32 << 22)));
    assert!(quick.iter().all(|p| wide.binary_search(p).is_ok()), "more than rounding explains");
    quick
}

/// Lattice or random places, flat and collapsed as well, at several sizes and distances; triangles over few
/// vertices, some of which name a vertex twice.
fn places(n: usize) -> impl Strategy<Value = Vec<DVec3>> {
    let squeeze = prop::sample::select(vec![[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]]);
    let point = (prop::array::uniform3(-8i32..=8), prop::array::uniform3(-2.0..2.0f64));
    (prop::collection::vec(point, n), any::<bool>(), squeeze).prop_map(|(points, lattice, s)| {
        let at = |(a, b): ([i32; 3], [f64; 3])| {
            DVec3::from(std::array::from_fn::<f64, 3, _>(|c| {
                s[c] * if lattice { f64::from(a[c]) * 0.25 } else { b[c] }
            }))
        };
        points.into_iter().map(at).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_tight_superset(
        (x0, x1, triangles) in (3usize..60).prop_flat_map(|n| (
            places(n), places(n),
            prop::collection::vec(prop::array::uniform3(0..n as u32), 1..90),
        )),
        still in any::<bool>(),
        place in prop::sample::select(vec![0.0, 1.0, 1e6]),
        scale in prop::sample::select(vec![1.0, 1e-9, 1e5]),
        inflation in prop::sample::select(vec![0.0, 0.125, 0.3]),
    ) {
        let move_to = |x: &[DVec3]| -> Vec<DVec3> {
            x.iter().map(|p| (*p + DVec3::new(place, -place, 0.5 * place)) * scale).collect()
        };
        let (x0, x1) = (move_to(&x0), move_to(&x1));
        check(&x0, if still { &x0 } else { &x1 }, &triangles, inflation * scale);
    }
}

/// Leaves full and short, pairs over several hand-overs.
#[test]
fn a_folded_sheet_of_any_length() {
    for cells in 1..24 {
        let sheet = grid([2.0, 2.0], [cells, 20]).unwrap();
        let fold = |h: f64| -> Vec<DVec3> {
            let f = |p: &DVec3| DVec3::new(p.x.abs(), p.y, 0.02 * (30.0 * p.x).sin() + h * p.x);
            sheet.positions().iter().map(f).collect()
        };
        let pairs = check(&fold(0.0), &fold(0.02), sheet.triangles(), 0.01);
        assert!(pairs.len() > 2 * sheet.triangles().len(), "{cells}");
    }
}

/// Every pair of many coincident triangles: no leaf has room to spare.
#[test]
fn all_against_all() {
    for n in [1usize, 2, 11, 12, 13, 100] {
        let x = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        assert_eq!(check(&x, &x, &vec![[0, 1, 2]; n], 0.0).len(), n * (n - 1) / 2);
    }
}

#[test]
fn only_what_rounding_cannot_tell_is_extra() {
    let triangles = [[0, 1, 2], [3, 4, 5]];
    for (gap, listed) in [(1e-9, 1), (1e-5, 0), (0.0, 1)] {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let near = [corner(-1.0, 0.0), corner(0.0, 0.0), corner(0.0, 1.0)];
        let x: Vec<DVec3> = near.iter().copied().chain(near.map(|p| corner(gap - p.x, p.y))).collect();
        assert_eq!(check(&x, &x, &triangles, 0.0).len(), listed, "{gap}");
    }
}

/// Where frames end (1e300 m) boxes are cut: more pairs, none missed.
#[test]
fn nothing_is_missed_at_the_end_of_f64() {
    let sheet = grid([2.0, 2.0], [8, 8]).unwrap();
    let x: Vec<DVec3> = sheet.positions().iter().map(|p| *p * 8e307).collect();
    let topology = Topology::new(&sheet);
    let mut tree = FeatureTree::new(sheet.triangles(), &topology, &x).unwrap();
    let (mut workspace, mut exact, mut quick) = (CandidateWorkspace::new(), Vec::new(), Vec::new());
    for inflation in [0.0, 1e308] {
        tree.update(&x, &x, inflation).unwrap();
        tree.self_triangle_pairs(&mut workspace, &mut exact);
        tree.self_triangle_pairs_unsorted(&mut workspace, &mut quick);
        quick.sort_unstable();
        quick.dedup_by(|a, b| {
            assert!(a != b, "a pair came twice");
            false
        });
        assert!(exact.len() > 100 && exact.iter().all(|p| quick.binary_search(p).is_ok()));
    }
}
