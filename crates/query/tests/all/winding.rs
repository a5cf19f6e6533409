//! Exact winding numbers against the solid angle, on meshes and points chosen to hit corners and sides.

use impinge_geometry::{DVec3, Pose, TriMesh, cuboid, icosphere, l_shape, rotor_from_rotation_vector, torus};
use impinge_query::{MeshIndex, brute_force};
use proptest::prelude::*;

/// Closed, and otherwise as bad as can be: the vertices of a closed mesh thrown onto a coarse lattice, so that
/// it crosses itself and has collapsed, coincident and axis-aligned triangles.
fn crumpled() -> impl Strategy<Value = TriMesh> {
    let n = cuboid(DVec3::one(), [2, 2, 1]).unwrap().positions().len();
    prop::collection::vec(prop::array::uniform3(-2i32..=2), n).prop_map(|at| {
        let mut k = 0;
        cuboid(DVec3::one(), [2, 2, 1])
            .unwrap()
            .mapped(|_| {
                k += 1;
                let p = at[k - 1];
                DVec3::new(p[0].into(), p[1].into(), p[2].into())
            })
            .unwrap()
    })
}

fn agrees_with_solid_angle(mesh: &TriMesh, index: &MeshIndex, p: DVec3) -> Result<(), TestCaseError> {
    let exact = index.winding(p);
    prop_assert_eq!(exact, brute_force::winding(mesh, p));
    let (lo, hi) = mesh.bounds();
    if index.nearest(p).distance > 1e-6 * (hi - lo).mag() {
        let angle = brute_force::winding_by_solid_angle(mesh, p);
        prop_assert!((f64::from(exact) - angle).abs() < 1e-6, "{} against {} at {:?}", exact, angle, p);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn crumpled_closed_meshes(
        mesh in crumpled(), points in prop::collection::vec(prop::array::uniform3(-5i32..=5), 12),
    ) {
        let index = MeshIndex::new(&mesh);
        for p in points {
            let p = DVec3::new(p[0].into(), p[1].into(), p[2].into()) * 0.5;
            agrees_with_solid_angle(&mesh, &index, p)?;
            // The rule for the surface: decided like a point a little further in +x, less in +y, less in +z.
            // Lattice determinants are multiples of 1/8, so these moves are small enough to be infinitely so.
            let moved = p + DVec3::new(1e-4, 1e-8, 1e-12);
            prop_assert_eq!(index.winding(p), index.winding(moved));
        }
    }

    #[test]
    fn ordinary_meshes_in_any_pose(
        which in 0usize..4, w in prop::array::uniform3(-3.0..3.0f64),
        points in prop::collection::vec(prop::array::uniform3(-1.5..1.5f64), 10),
        far in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let mesh = [
            torus(1.0, 0.4, 12, 8).unwrap(),
            l_shape(DVec3::new(2.0, 1.5, 1.0), 0.5).unwrap(),
            icosphere(1.0, 1).unwrap(),
            TriMesh::joined(&[&cuboid(DVec3::one(), [1; 3]).unwrap(), &icosphere(0.8, 1).unwrap()]).unwrap(),
        ][which].clone();
        let pose = Pose::new(DVec3::new(far, far, -far), rotor_from_rotation_vector(DVec3::from(w)));
        let mesh = mesh.mapped(|p| pose.point_to_world(p)).unwrap();
        let index = MeshIndex::new(&mesh);
        for p in points {
            agrees_with_solid_angle(&mesh, &index, pose.position + DVec3::from(p))?;
        }
        // Rays through every vertex and every side.
        for t in mesh.triangles().iter().take(40) {
            let [a, b, _] = t.map(|i| mesh.positions()[i as usize]);
            for q in [a, a * 0.5 + b * 0.5] {
                for x in [-0.7, -0.2, 0.3, 1.1] {
                    agrees_with_solid_angle(&mesh, &index, DVec3::new(q.x + x, q.y, q.z))?;
                }
            }
        }
    }
}

#[test]
fn rays_through_corners_and_sides_count_once() {
    // The centre's ray meets the diagonal of the +x face; with two segments, a vertex of it.
    for segments in [1, 2, 3] {
        let index = MeshIndex::new(&cuboid(DVec3::new(2.0, 2.0, 2.0), [segments; 3]).unwrap());
        assert_eq!(index.winding(DVec3::zero()), 1);
        for y in [-1.0, -0.5, 0.0, 0.5] {
            for z in [-1.0, 0.0, 0.5] {
                for (x, want) in [(-3.0, 0), (-0.5, 1), (0.25, 1), (2.0, 0)] {
                    assert_eq!(index.winding(DVec3::new(x, y, z)), want, "{segments} {x} {y} {z}");
                }
            }
        }
        // On the surface: the lower faces belong to the inside, the upper ones do not.
        assert!(index.inside(DVec3::new(-1.0, 0.0, 0.0)) && !index.inside(DVec3::new(1.0, 0.0, 0.0)));
        assert!(index.inside(DVec3::new(0.0, -1.0, 0.3)) && !index.inside(DVec3::new(0.0, 1.0, 0.3)));
        assert!(index.inside(DVec3::new(0.0, 0.2, -1.0)) && !index.inside(DVec3::new(0.0, 0.2, 1.0)));
        assert!(index.inside(-DVec3::one()) && !index.inside(DVec3::one()));
        assert_eq!(index.signed_distance(DVec3::zero()), -1.0);
        assert_eq!(index.signed_distance(DVec3::new(0.0, 3.0, 0.0)), 2.0);
    }
}

#[test]
fn overlapping_parts_add_up_and_inverted_ones_count_down() {
    let a = cuboid(DVec3::one(), [1; 3]).unwrap();
    let b = a.mapped(|p| p + DVec3::broadcast(0.5)).unwrap();
    let index = MeshIndex::new(&TriMesh::joined(&[&a, &b]).unwrap());
    let at = |x: f64| index.winding(DVec3::broadcast(x));
    assert_eq!([at(-0.6), at(-0.25), at(0.0), at(0.25), at(0.5), at(0.75), at(1.5)], [0, 1, 2, 2, 1, 1, 0]);

    let (positions, triangles) = a.into_parts();
    let inverted =
        TriMesh::new(positions, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect()).unwrap();
    let index = MeshIndex::new(&inverted);
    assert_eq!(index.winding(DVec3::zero()), -1);
    assert!(!index.inside(DVec3::zero()));
}

#[test]
fn two_boxes_with_a_common_face_leave_no_seam() {
    let a = cuboid(DVec3::one(), [2, 1, 1]).unwrap();
    let b = a.mapped(|p| p + DVec3::unit_x()).unwrap();
    let index = MeshIndex::new(&TriMesh::joined(&[&a, &b]).unwrap());
    for x in [0.4, 0.5 - f64::EPSILON, 0.5, 0.5 + f64::EPSILON, 0.6] {
        assert_eq!(index.winding(DVec3::new(x, 0.1, 0.1)), 1, "{x}");
    }
}
