//! Attached points keep their place, follow any linear motion, and are refused with the fix where they cannot.

use impinge_geometry::{DMat3, DVec3, TetMesh, TetTopology, icosphere, tet_box, tet_sphere};
use impinge_query::{AttachError, AttachOptions, Attached, Outside, attach, brute_force};
use proptest::prelude::*;

fn place(a: &Attached, x: &[DVec3], i: usize) -> DVec3 {
    (0..4).fold(DVec3::zero(), |sum, k| sum + x[a.stencil[i][k] as usize] * a.weights[i][k])
}

#[test]
fn a_fine_sphere_keeps_its_shape_in_a_coarse_one() {
    let (skin, coarse) = (icosphere(1.0, 3).unwrap(), tet_sphere(1.0, 3).unwrap());
    let boundary = TetTopology::new(&coarse).surface(&coarse).unwrap().mesh;
    let a = attach(&coarse, skin.positions(), &AttachOptions::default()).unwrap();
    assert!(a.outside.len() > 300, "the chords of the coarse sphere lie inside: {}", a.outside.len());
    assert!(a.max_distance > 0.01 && a.max_distance < 0.2, "{}", a.max_distance);
    let distance = |p: u32| brute_force::nearest(&boundary, skin.positions()[p as usize]).distance;
    assert_eq!(a.outside.iter().map(|&p| distance(p)).fold(0.0, f64::max), a.max_distance);
    for (i, &p) in skin.positions().iter().enumerate() {
        assert!((place(&a, coarse.positions(), i) - p).mag() < 1e-14, "vertex {i}");
        assert!((a.weights[i].iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(a.stencil[i], coarse.tets()[a.tet[i] as usize]);
    }
    assert!(a.max_weight > 1.0 && a.max_weight < 2.0);

    let options = AttachOptions { outside: Outside::Clamp, ..Default::default() };
    let c = attach(&coarse, skin.positions(), &options).unwrap();
    assert_eq!((c.outside.clone(), c.max_distance), (a.outside.clone(), a.max_distance));
    for (i, &p) in skin.positions().iter().enumerate() {
        assert!(c.weights[i].iter().all(|&w| w >= 0.0));
        let moved = (place(&c, coarse.positions(), i) - p).mag();
        let want = if c.outside.contains(&(i as u32)) { distance(i as u32) } else { 0.0 };
        assert!((moved - want).abs() < 1e-14, "vertex {i} moved by {moved}, not {want}");
    }
}

#[test]
fn corners_of_the_mesh_attach_to_themselves() {
    let mesh = tet_box(DVec3::new(1.0, 2.0, 3.0), [2, 3, 2]).unwrap();
    let a = attach(&mesh, mesh.positions(), &AttachOptions::default()).unwrap();
    assert!(a.outside.is_empty() && a.max_distance == 0.0);
    for v in 0..mesh.positions().len() {
        let k = (0..4).find(|&k| a.weights[v][k] == 1.0).unwrap();
        assert_eq!(a.stencil[v][k] as usize, v);
    }
}

#[test]
fn what_is_too_far_or_too_flat_is_refused_with_the_fix() {
    let mesh = tet_box(DVec3::one(), [2, 2, 2]).unwrap();
    let far = [[0.0, 0.0, 0.0], [0.0, 0.0, 7.5], [3.0, 0.0, 0.0]];
    let e = attach(&mesh, &far, &AttachOptions::default()).unwrap_err();
    assert!(
        matches!(e, AttachError::TooFar { point: 1, count: 2, distance, .. } if distance == 7.0),
        "{e:?}"
    );
    assert!(e.to_string().contains("one unit"));
    let wide = AttachOptions { max_distance: Some(10.0), max_weight: Some(1e3), ..Default::default() };
    assert_eq!(attach(&mesh, &far, &wide).unwrap().max_distance, 7.0);
    let e = attach(&mesh, &[[0.0, f64::NAN, 0.0]], &AttachOptions::default()).unwrap_err();
    assert_eq!(e, AttachError::NonFinite { point: 0 });
    // NaN as a limit allows nothing.
    let none = AttachOptions { max_distance: Some(f64::NAN), ..Default::default() };
    assert!(matches!(attach(&mesh, &far, &none), Err(AttachError::TooFar { count: 2, .. })));

    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, 1e-4]];
    let flat = TetMesh::from_arrays(&points, &[[0, 1, 2, 3]]).unwrap();
    let above = [[0.3, 0.3, 0.1]];
    let e = attach(&flat, &above, &AttachOptions::default()).unwrap_err();
    assert!(matches!(e, AttachError::Stretched { point: 0, weight, .. } if weight > 900.0), "{e:?}");
    let clamp = AttachOptions { outside: Outside::Clamp, ..Default::default() };
    assert_eq!(attach(&flat, &above, &clamp).unwrap().weights, [[0.0, 0.0, 0.0, 1.0]]);
    assert!(attach(&mesh, &[] as &[DVec3], &AttachOptions::default()).unwrap().tet.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Barycentric weights reproduce every affine motion, also where they extrapolate.
    #[test]
    fn an_affine_motion_of_the_nodes_is_the_same_motion_of_the_skin(
        m in prop::array::uniform9(-2.0..2.0f64), t in prop::array::uniform3(-5.0..5.0f64), fine in 1u32..3,
    ) {
        let (skin, coarse) = (icosphere(1.0, fine).unwrap(), tet_sphere(1.0, 3).unwrap());
        let a = attach(&coarse, skin.positions(), &AttachOptions::default()).unwrap();
        let m = DMat3::new(
            DVec3::new(m[0], m[1], m[2]), DVec3::new(m[3], m[4], m[5]), DVec3::new(m[6], m[7], m[8]),
        );
        let moved = |p: DVec3| m * p + DVec3::from(t);
        let x: Vec<DVec3> = coarse.positions().iter().map(|&p| moved(p)).collect();
        for (i, &p) in skin.positions().iter().enumerate() {
            prop_assert!((place(&a, &x, i) - moved(p)).mag() < 1e-13);
        }
    }
}
