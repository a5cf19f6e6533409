//! An index that followed its surface answers like brute force on the surface as it is now, whatever the way there.

use impinge_geometry::{DVec3, TriMesh, icosphere, plate, torus};
use impinge_query::{MeshIndex, UpdateError, brute_force};
use proptest::prelude::*;

fn with(mesh: &TriMesh, positions: &[DVec3]) -> TriMesh {
    TriMesh::new(positions.to_vec(), mesh.triangles().to_vec()).unwrap()
}

fn same_answers(index: &MeshIndex, mesh: &TriMesh, points: &[DVec3]) {
    let fresh = MeshIndex::new(mesh);
    assert_eq!(index.bounds(), mesh.bounds());
    for &p in points {
        assert_eq!(index.nearest(p), brute_force::nearest(mesh, p));
        assert_eq!(index.nearest_within(p, 0.3), fresh.nearest_within(p, 0.3));
        assert_eq!(index.winding(p), fresh.winding(p));
        let way = DVec3::new(0.31, -0.72, 0.4) - p;
        assert_eq!(index.ray(p, way, 9.0), brute_force::ray(mesh, p, way, 9.0));
        assert_eq!(
            index.penetration(p).map(|d| (d.depth, d.triangle)),
            fresh.penetration(p).map(|d| (d.depth, d.triangle))
        );
    }
}

fn around(n: usize, reach: f64) -> Vec<DVec3> {
    (0..n)
        .map(|i| {
            let t = i as f64;
            DVec3::new((1.7 * t).sin(), (0.9 * t).cos(), (2.3 * t).sin()) * reach
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn refitted_equals_fresh(
        shape in 0usize..3, steps in 1usize..4, amount in prop::sample::select(vec![0.0, 1e-12, 0.05, 0.5, 3.0]),
        wave in prop::array::uniform3(0.5..6.0f64), far in prop::sample::select(vec![0.0, 1e6]),
        squash in prop::sample::select(vec![1.0, 0.0, 1e-9]), shuffle in any::<bool>(),
    ) {
        let mesh = match shape {
            0 => icosphere(1.0, 2).unwrap(),
            1 => torus(0.8, 0.3, 16, 9).unwrap(),
            _ => plate([2.0, 2.0], 0.1, [7, 5]).unwrap(),
        };
        let mut index = MeshIndex::new(&mesh);
        let mut x = mesh.positions().to_vec();
        let shift = DVec3::new(far, -far, 0.5 * far);
        for step in 0..steps {
            let n = x.len();
            if shuffle {
                // Vertices change places: the worst a motion can do to the tree.
                x.rotate_left(n / 3 + step);
            }
            for (k, p) in x.iter_mut().enumerate() {
                let w = DVec3::new((wave[0] * k as f64).sin(), (wave[1] * p.x).cos(), (wave[2] * p.y).sin());
                *p += w * amount;
                p.z *= squash;
            }
            let moved: Vec<DVec3> = x.iter().map(|&p| p + shift).collect();
            index.update(&moved).unwrap();
            let points: Vec<DVec3> = around(12, 1.2).into_iter().map(|p| p + shift).collect();
            same_answers(&index, &with(&mesh, &moved), &points);
        }
    }
}

#[test]
fn everything_in_one_point_is_allowed_and_it_comes_back() {
    let mesh = icosphere(1.0, 2).unwrap();
    let mut index = MeshIndex::new(&mesh);
    let dot = vec![DVec3::one(); mesh.positions().len()];
    index.update(&dot).unwrap();
    assert_eq!(index.nearest(DVec3::zero()).distance, 3f64.sqrt());
    assert_eq!(index.looseness(), 1.0);
    index.update(mesh.positions()).unwrap();
    same_answers(&index, &mesh, &around(40, 1.1));
    assert!((index.looseness() - 1.0).abs() < 1e-6);
    // Plain arrays, and vertices that no triangle names: they count in the bounds, as when built.
    let (mut p, t) = mesh.into_parts();
    p.push(DVec3::broadcast(50.0));
    let mesh = TriMesh::new(p, t).unwrap();
    let mut index = MeshIndex::new(&mesh);
    let moved: Vec<[f64; 3]> = mesh.positions().iter().map(|&p| (p * 2.0).into()).collect();
    index.update(&moved).unwrap();
    assert_eq!(index.bounds().1, DVec3::broadcast(100.0));
    same_answers(&index, &mesh.mapped(|p| p * 2.0).unwrap(), &around(20, 2.2));
}

#[test]
fn bad_positions_are_refused_and_change_nothing() {
    let mesh = torus(1.0, 0.4, 20, 12).unwrap();
    let mut index = MeshIndex::new(&mesh);
    let mut x: Vec<DVec3> = mesh.positions().iter().map(|&p| p * 3.0).collect();
    assert_eq!(index.update(&x[1..]), Err(UpdateError::Length { given: x.len() - 1, expected: x.len() }));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        x[17].y = bad;
        let e = index.update(&x).unwrap_err();
        assert_eq!(e, UpdateError::NonFinite { vertex: 17 });
        assert!(e.to_string().contains("vertex 17"));
    }
    same_answers(&index, &mesh, &around(30, 1.3));
}

#[test]
fn looseness_sees_neighbours_part_and_nothing_else() {
    let mesh = torus(1.0, 0.4, 60, 40).unwrap();
    let mut index = MeshIndex::new(&mesh);
    assert_eq!(index.looseness(), 1.0);
    let mut follow = |f: &dyn Fn(usize, DVec3) -> DVec3| {
        let x: Vec<DVec3> = mesh.positions().iter().enumerate().map(|(i, &p)| f(i, p)).collect();
        index.update(&x).unwrap();
        index.looseness()
    };
    assert!((follow(&|_, p| p * 1e3 + DVec3::broadcast(1e5)) - 1.0).abs() < 0.05, "moved and grown");
    let bent = follow(&|_, p| DVec3::new(p.x, p.y, p.z + 0.3 * (3.0 * p.x).sin()));
    assert!(bent < 1.3, "bent: {bent}");
    // Triangles that share no vertex, every other one carried off: no triangle grows, the boxes span both places.
    let soup: Vec<DVec3> = (0..mesh.triangles().len()).flat_map(|t| mesh.corners(t)).collect();
    let triangles = (0..mesh.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut apart = soup.clone();
    apart.chunks_mut(6).for_each(|two| two[..3].iter_mut().for_each(|p| p.z += 0.5));
    let mut index = MeshIndex::new(&TriMesh::new(soup, triangles).unwrap());
    index.update(&apart).unwrap();
    assert!(index.looseness() > 2.0, "torn: {}", index.looseness());
}
