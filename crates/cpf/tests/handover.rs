//! Contacts that slide from triangle to triangle: shares that add up, and edges that let go.

use impinge_cpf::{Faces, FollowWorkspace, Tracked, TrackedRow, follow_faces, vertex_face_key};
use impinge_geometry::DVec3;

const NONE: u32 = u32::MAX;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn open(face: u32, stencil: [u32; 4], weight: [f64; 4]) -> Tracked {
    let mut t = Tracked::default();
    t.push(TrackedRow {
        key: vertex_face_key(0, face),
        stencil,
        side: 1,
        weight,
        stiffness: 1.0,
        share: 1.0,
        fading: false,
        height: 0.0,
        band: 0.0,
    });
    t
}

fn follow(tracked: &Tracked, x: &[DVec3], faces: &Faces<'_>) -> Tracked {
    let mut out = Tracked::default();
    follow_faces(tracked, x, faces, 0.1, &mut FollowWorkspace::default(), &mut out).unwrap();
    out
}

/// The top of a box and its side, one triangle each: the vertex slides over the edge and falls down beside the box.
#[test]
fn over_a_sharp_edge_a_contact_lets_go_as_the_vertex_falls() {
    let at = |p: DVec3| vec![p, v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(1.0, 1.0, 0.0), v(1.0, 0.5, -1.0)];
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], [1.0, -0.1, -0.4, -0.5]);
    for i in 0..20 {
        let s = f64::from(i) / 20.0;
        tracked = follow(&tracked, &at(v(0.9 + 0.101 * s, 0.5, -0.01)), &faces);
    }
    assert_eq!(tracked.share[tracked.find(vertex_face_key(0, 0)).unwrap()], 1.0, "still on the top");
    let (mut held, mut most) = (f64::INFINITY, 0.0f64);
    for i in 0..100 {
        let depth = 0.01 + 0.005 * f64::from(i);
        tracked = follow(&tracked, &at(v(1.001, 0.5, -depth)), &faces);
        let share = tracked.find(vertex_face_key(0, 0)).map_or(0.0, |i| tracked.share[i]);
        assert!(share <= held, "the share grows");
        held = share;
        most = most.max(share * depth);
    }
    assert_eq!(held, 0.0, "half a metre below the edge it is still held");
    // (1 − w/b)(d + w) with the band b = 0.1 m and d = 0.01 m has its largest value at w = 0.045 m.
    assert!(most < 0.55 * 0.055 + 1e-9, "held as if {most} m deep");
}

/// A floor of triangles of very different sizes: what one loses the other gains.
#[test]
fn shares_add_up_to_one_between_triangles_of_any_size() {
    let at = |x: f64| {
        vec![
            v(x, 0.3, -0.01 - 0.002 * x),
            v(-4.0, 0.0, 0.0),
            v(0.0, 0.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(0.2, 0.3, 0.0),
        ]
    };
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], [1.0, -0.025, -0.675, -0.3]);
    tracked.height[0] = -0.01 + 0.002 * 0.1;
    let mut handed = 0;
    for i in 0..=250 {
        let x = -0.1 + 0.001 * f64::from(i);
        tracked = follow(&tracked, &at(x), &faces);
        let sum: f64 = tracked.share.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "shares add up to {sum} at {x}");
        handed += usize::from(tracked.len() == 2);
    }
    assert!(handed > 10, "the handover took {handed} steps");
    assert_eq!((tracked.len(), tracked.key[0]), (1, vertex_face_key(0, 1)));
}
