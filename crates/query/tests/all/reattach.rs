//! A fine skin on a coarse body through a cut: skin and body are cut by one plane, each side of the skin rides on
//! its own side of the body, and every point keeps its place.

use impinge_geometry::edit::{
    CutOptions, Reattached, cut_tets, cut_triangles, plane_values, reattach, remove_tets,
};
use impinge_geometry::{DVec3, icosphere, tet_sphere};
use impinge_query::{AttachOptions, attach};
use proptest::prelude::*;

fn place(r: &Reattached, x: &[DVec3], i: usize) -> DVec3 {
    (0..4).fold(DVec3::zero(), |sum, k| sum + x[r.stencil[i][k] as usize] * r.weights[i][k])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn each_side_of_the_skin_goes_with_its_side_of_the_body(
        point in prop::array::uniform3(-0.5..0.5f64), normal in prop::array::uniform3(-1.0..1.0f64),
        snap in prop::sample::select(vec![0.0, 0.1, 0.4]),
    ) {
        let (skin, body) = (icosphere(1.0, 3).unwrap(), tet_sphere(1.0, 3).unwrap());
        let (p, n) = (DVec3::from(point), DVec3::from(normal));
        prop_assume!(n.mag() > 1e-2);
        let fine = cut_triangles(
            &skin, &plane_values(skin.positions(), p, n).unwrap(), None, &CutOptions::default(),
        ).unwrap();
        let skin = &fine.edit.mesh;
        let on = attach(&body, skin.positions(), &AttachOptions::default()).unwrap();
        let value = plane_values(body.positions(), p, n).unwrap();
        let cut = cut_tets(&body, &value, None, &CutOptions { snap, min_piece: 0.0 }).unwrap();
        let point_side = fine.vertex_side();
        let r = reattach(&body, &cut.edit, &on.tet, &on.weights, Some((&point_side, &cut.side))).unwrap();
        prop_assert!(r.lost.is_empty());
        prop_assert!(r.strayed.is_empty(), "{} strayed", r.strayed.len());
        // The two halves part; the skin with them, without a stretched triangle.
        let mut x = cut.edit.mesh.positions().to_vec();
        for (i, q) in skin.positions().iter().enumerate() {
            prop_assert!((place(&r, &x, i) - *q).mag() < 1e-11 * r.max_weight.max(1.0));
            prop_assert!((r.weights[i].iter().sum::<f64>() - 1.0).abs() < 1e-13 * r.max_weight);
        }
        let mut side = vec![0; x.len()];
        for (t, tet) in cut.edit.mesh.tets().iter().enumerate() {
            tet.iter().for_each(|&v| side[v as usize] = cut.side[t]);
        }
        let apart = |s: i8| DVec3::unit_y() * (5.0 * f64::from(s));
        (0..x.len()).for_each(|v| x[v] += apart(side[v]));
        for (i, q) in skin.positions().iter().enumerate() {
            prop_assert!((place(&r, &x, i) - (*q + apart(point_side[i]))).mag() < 1e-10 * r.max_weight.max(1.0));
        }
    }
}

#[test]
fn tets_left_alone_keep_their_points_and_lost_ones_say_so() {
    let (skin, body) = (icosphere(1.0, 2).unwrap(), tet_sphere(1.0, 3).unwrap());
    let on = attach(&body, skin.positions(), &AttachOptions::default()).unwrap();
    let gone: Vec<bool> = (0..body.tets().len()).map(|t| body.corners(t).iter().any(|x| x.z > 0.8)).collect();
    let edit = remove_tets(&body, &gone).unwrap();
    let r = reattach(&body, &edit, &on.tet, &on.weights, None).unwrap();
    assert!(!r.lost.is_empty() && r.lost.len() < skin.positions().len());
    for i in 0..skin.positions().len() {
        let lost = gone[on.tet[i] as usize];
        assert_eq!(r.lost.contains(&(i as u32)), lost);
        if lost {
            assert_eq!((r.tet[i], r.weights[i]), (Reattached::NONE, [0.0; 4]));
        } else {
            assert_eq!(r.weights[i], on.weights[i]);
            for k in 0..4 {
                assert_eq!(edit.nodes.source(r.stencil[i][k] as usize), Some(on.stencil[i][k]));
            }
        }
    }
    assert!(reattach(&body, &edit, &on.tet[1..], &on.weights, None).is_err());
    assert!(reattach(&skin_body(), &edit, &on.tet, &on.weights, None).is_err());
}

fn skin_body() -> impinge_geometry::TetMesh {
    tet_sphere(1.0, 2).unwrap()
}
