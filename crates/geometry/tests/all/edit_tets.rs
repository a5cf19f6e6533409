//! Cutting, opening and removing tets: what is left is a valid mesh of the same volume with a closed surface,
//! whatever the cut.

use impinge_geometry::edit::{
    CutOptions, EdgeCut, EditError, TetEdit, TopologyEdit, bisect_tets, cut_tets, open_faces, plane_values,
    remove_tets,
};
use impinge_geometry::{DVec3, TetMesh, TetTopology, Topology, area, tet_box, tet_cylinder, tet_sphere};
use proptest::prelude::*;

const NO_SNAP: CutOptions = CutOptions { snap: 0.0, min_piece: 0.0 };

fn volume(mesh: &TetMesh) -> f64 {
    mesh.volumes().iter().sum()
}

/// Everything an edit promises; `kept`: the volume that must be left.
fn check(old: &TetMesh, edit: &TetEdit, kept: f64) -> Topology {
    edit.mesh.require_positive().unwrap();
    assert!((volume(&edit.mesh) - kept).abs() <= 1e-12 * kept, "volume {} not {kept}", volume(&edit.mesh));
    let topology = TetTopology::new(&edit.mesh);
    assert!(topology.unreferenced_vertices().is_empty());
    assert_eq!((topology.non_manifold_faces(), topology.misoriented_faces().len()), (0, 0));
    let surface = Topology::new(&topology.surface(&edit.mesh).unwrap().mesh);
    assert!(
        surface.is_closed(),
        "{} boundary, {} non-manifold, {} misoriented",
        surface.boundary_edges(),
        surface.non_manifold_edges(),
        surface.misoriented_edges()
    );
    // Old nodes keep their place bit for bit, new ones lie in their tet, pieces fill it.
    assert_eq!(
        (edit.nodes.old_len(), edit.nodes.len()),
        (old.positions().len(), edit.mesh.positions().len())
    );
    assert_eq!(edit.tet_parent.len(), edit.mesh.tets().len());
    assert!(edit.tet_parent.is_sorted());
    let carried = edit.nodes.carry(old.positions());
    for (n, &x) in edit.mesh.positions().iter().enumerate() {
        match edit.nodes.source(n) {
            Some(o) => assert_eq!(x, old.positions()[o as usize]),
            None => assert!((x - carried[n]).mag() < 1e-14),
        }
        let w = edit.nodes.weights()[n];
        assert!(w.iter().all(|&w| w >= 0.0) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
    for t in 0..old.tets().len() as u32 {
        let pieces = edit.children(t);
        if !pieces.is_empty() {
            let sum: f64 = pieces.clone().map(|c| edit.mesh.volume(c)).sum();
            assert!((sum / old.volume(t as usize) - 1.0).abs() < 1e-12);
        }
        for c in pieces {
            for n in edit.mesh.tets()[c] {
                let inside: f64 =
                    old.tets()[t as usize].iter().map(|&v| edit.nodes.weight_of(n as usize, v)).sum();
                assert!((inside - 1.0).abs() < 1e-14, "node {n} of a piece is not of its tet");
            }
        }
    }
    surface
}

fn sided(edit: &TetEdit, side: &[i8], which: i8) -> f64 {
    (0..side.len()).filter(|&t| side[t] == which).map(|t| edit.mesh.volume(t)).sum()
}

fn bodies() -> Vec<TetMesh> {
    vec![
        tet_box(DVec3::new(1.0, 1.5, 2.0), [2, 3, 3]).unwrap(),
        tet_sphere(1.0, 3).unwrap(),
        tet_cylinder(0.6, 2.0, 8, 4).unwrap(),
    ]
}

#[test]
fn one_tet_cut_by_hand() {
    let p = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = TetMesh::from_arrays(&p, &[[0, 1, 2, 3]]).unwrap();
    // z = 0.25 takes off the tip: (3/4)³ of the volume; one node on each of three edges, twice.
    let value = plane_values(mesh.positions(), DVec3::new(0.0, 0.0, 0.25), DVec3::unit_z() * 7.0).unwrap();
    let cut = cut_tets(&mesh, &value, None, &NO_SNAP).unwrap();
    let surface = check(&mesh, &cut.edit, 1.0 / 6.0);
    assert!((sided(&cut.edit, &cut.side, 1) - 0.75f64.powi(3) / 6.0).abs() < 1e-16);
    assert_eq!((cut.opened, cut.snapped, cut.edit.mesh.tets().len()), (1, 0, 4));
    assert_eq!(cut.edit.mesh.positions().len(), 4 + 2 * 3);
    assert_eq!((surface.euler_characteristic(), surface.part_count()), (4, 2));
    // Two corners on either side: a quadrilateral between two wedges.
    let value =
        plane_values(mesh.positions(), DVec3::new(0.25, 0.25, 0.0), DVec3::new(1.0, 1.0, 0.0)).unwrap();
    let cut = cut_tets(&mesh, &value, None, &NO_SNAP).unwrap();
    check(&mesh, &cut.edit, 1.0 / 6.0);
    assert_eq!((cut.opened, cut.edit.mesh.tets().len()), (2, 6));
    // The part with x + y < 1/2 of a unit corner: ∫₀^½ s (1 − s) ds.
    assert!((sided(&cut.edit, &cut.side, -1) - (1.0 / 8.0 - 1.0 / 24.0)).abs() < 1e-16);
}

#[test]
fn a_plane_through_the_middle_halves_a_box_and_shows_its_section() {
    let size = DVec3::new(1.0, 1.5, 2.0);
    let mesh = tet_box(size, [2, 3, 3]).unwrap();
    let old_surface = TetTopology::new(&mesh).surface(&mesh).unwrap();
    let (lo, hi) = mesh.bounds();
    for (normal, section) in [
        (DVec3::unit_z(), size.x * size.y),
        (DVec3::new(1.0, 0.0, 1.0), 1.5 * 2f64.sqrt()),
        (DVec3::new(0.37, -0.21, 0.93), f64::NAN),
    ] {
        let value = plane_values(mesh.positions(), (lo + hi) * 0.5, normal).unwrap();
        let cut = cut_tets(&mesh, &value, None, &NO_SNAP).unwrap();
        let surface = check(&mesh, &cut.edit, 3.0);
        for which in [-1, 1] {
            assert!((sided(&cut.edit, &cut.side, which) - 1.5).abs() < 1e-12);
        }
        assert_eq!((surface.part_count(), surface.euler_characteristic()), (2, 4));
        assert_eq!(TetTopology::new(&cut.edit.mesh).part_count(), 2);

        let made = TopologyEdit::new(&mesh, &old_surface, cut.edit).unwrap();
        assert_eq!(made.surface, TetTopology::new(&made.edit.mesh).surface(&made.edit.mesh).unwrap());
        let bare: f64 = (0..made.triangle_origin.len())
            .filter(|&t| made.triangle_origin[t] == TopologyEdit::NONE)
            .map(|t| impinge_geometry::triangle_area(made.surface.mesh.corners(t)))
            .sum();
        assert!(made.new_triangles() > 8);
        if section.is_finite() {
            assert!((bare - 2.0 * section).abs() < 1e-12, "{bare} bare");
        }
        assert!((area(&made.surface.mesh) - area(&old_surface.mesh) - bare).abs() < 1e-12);
        let values = plane_values(made.surface.mesh.positions(), (lo + hi) * 0.5, normal).unwrap();
        for (t, &old) in made.triangle_origin.iter().enumerate() {
            if old == TopologyEdit::NONE {
                assert!(made.surface.mesh.triangles()[t].iter().all(|&v| values[v as usize].abs() < 1e-15));
                continue;
            }
            // A piece of an old triangle faces the same way.
            let n = |m: &impinge_geometry::TriMesh, t: usize| {
                impinge_geometry::triangle_normal(m.corners(t)).unwrap()
            };
            assert!((n(&made.surface.mesh, t) - n(&old_surface.mesh, old as usize)).mag() < 1e-12);
        }
        let mut inherited = vec![0; old_surface.vertices.len()];
        for (v, &o) in made.vertex_origin.iter().enumerate() {
            if o != TopologyEdit::NONE {
                inherited[o as usize] += 1;
                assert_eq!(made.surface.mesh.positions()[v], old_surface.mesh.positions()[o as usize]);
            }
        }
        assert!(inherited.iter().all(|&n| n >= 1), "an old surface vertex is gone");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random planes, and planes exactly through vertices, edges and faces of the mesh.
    #[test]
    fn any_plane_leaves_two_valid_sides(
        body in 0usize..3, through in prop::array::uniform3(any::<prop::sample::Index>()), how in 0usize..4,
        point in prop::array::uniform3(-0.8..0.8f64), normal in prop::array::uniform3(-1.0..1.0f64),
        snap in prop::sample::select(vec![0.0, 1e-3, 0.1, 0.3, 0.5]),
    ) {
        let mesh = &bodies()[body];
        let x = mesh.positions();
        let at = |i: usize| x[through[i].index(x.len())];
        let mut n = DVec3::from(normal);
        let p = match how {
            0 => DVec3::from(point),
            1 => at(0),
            2 => { n = n.cross(at(1) - at(0)); at(0) }
            _ => {
                let c = mesh.corners(through[0].index(mesh.tets().len()));
                n = (c[1] - c[0]).cross(c[2] - c[0]);
                c[0]
            }
        };
        prop_assume!(n.mag() > 1e-3);
        let value = plane_values(x, p, n).unwrap();
        let cut = cut_tets(mesh, &value, None, &CutOptions { snap, min_piece: 0.0 }).unwrap();
        check(mesh, &cut.edit, volume(mesh));
        // No tet of one side shares a node with the other.
        let mut of_node = vec![0i8; cut.edit.mesh.positions().len()];
        for (t, tet) in cut.edit.mesh.tets().iter().enumerate() {
            for &v in tet {
                prop_assert!(of_node[v as usize] != -cut.side[t], "node {} is on both sides", v);
                of_node[v as usize] = cut.side[t];
            }
        }
        // Pieces are no smaller than promised.
        let s = snap.max(1e-6);
        for (t, &old) in cut.edit.tet_parent.iter().enumerate() {
            prop_assert!(cut.edit.mesh.volume(t) >= 0.99 * s * s * s * mesh.volume(old as usize));
        }
        if snap == 0.0 {
            // The sides are those of the plane, to rounding.
            let got = plane_values(cut.edit.mesh.positions(), p, n).unwrap();
            for (t, tet) in cut.edit.mesh.tets().iter().enumerate() {
                let sum: f64 = tet.iter().map(|&v| got[v as usize]).sum();
                prop_assert!(sum * f64::from(cut.side[t]) > -1e-5);
            }
        }
    }

    #[test]
    fn cut_again_and_again(
        body in 0usize..3, planes in prop::collection::vec(prop::array::uniform6(-1.0..1.0f64), 2..5),
        min in prop::sample::select(vec![0.0, 1e-4]),
    ) {
        let mesh = &bodies()[body];
        let whole = volume(mesh);
        let identity = cut_tets(mesh, &vec![1.0; mesh.positions().len()], None, &NO_SNAP).unwrap();
        prop_assert_eq!(&identity.edit.mesh, mesh);
        let mut edit = identity.edit;
        let smallest = |m: &TetMesh| m.volumes().iter().copied().fold(f64::INFINITY, f64::min);
        for p in planes {
            let n = DVec3::new(p[3], p[4], p[5]);
            prop_assume!(n.mag() > 1e-2);
            let value = plane_values(edit.mesh.positions(), DVec3::new(p[0], p[1], p[2]) * 0.4, n).unwrap();
            let before = smallest(&edit.mesh);
            let cut = cut_tets(&edit.mesh, &value, None, &CutOptions { snap: 0.1, min_piece: min }).unwrap();
            check(&edit.mesh, &cut.edit, whole);
            // Unpinching may halve a tet; a cut makes none below the limit that was not there.
            prop_assert!(smallest(&cut.edit.mesh) >= 0.49 * before.min(min));
            edit = edit.then(cut.edit).unwrap();
        }
        check(mesh, &edit, whole);
    }

    #[test]
    fn any_tets_may_go(body in 0usize..3, seed in any::<u64>(), part in 1u64..9) {
        let mesh = &bodies()[body];
        let mut s = seed;
        let gone: Vec<bool> = (0..mesh.tets().len()).map(|_| {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (s >> 33) % 10 < part
        }).collect();
        prop_assume!(gone.iter().any(|g| !g));
        let edit = remove_tets(mesh, &gone).unwrap();
        let left: f64 = (0..gone.len()).filter(|&t| !gone[t]).map(|t| mesh.volume(t)).sum();
        check(mesh, &edit, left);
        for t in 0..gone.len() {
            prop_assert_eq!(edit.children(t as u32).is_empty(), gone[t]);
        }
    }

    #[test]
    fn any_faces_may_open(body in 0usize..3, seed in any::<u64>(), part in 1u64..9) {
        let mesh = &bodies()[body];
        let topology = TetTopology::new(mesh);
        let mut s = seed;
        let faces: Vec<[u32; 3]> = topology.faces().iter().copied().filter(|_| {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (s >> 33) % 10 < part
        }).map(|[a, b, c]| [b, c, a]).collect();
        let edit = open_faces(mesh, &faces).unwrap();
        check(mesh, &edit, volume(mesh));
    }

    /// A blade of finite size: a slit, held together at its rim.
    #[test]
    fn a_cut_within_a_region_ends_there(
        point in prop::array::uniform3(-0.3..0.3f64), normal in prop::array::uniform3(-1.0..1.0f64), reach in 0.2..0.9f64,
    ) {
        let mesh = tet_sphere(1.0, 4).unwrap();
        let (p, n) = (DVec3::from(point), DVec3::from(normal));
        prop_assume!(n.mag() > 1e-2);
        let value = plane_values(mesh.positions(), p, n).unwrap();
        let within: Vec<bool> = (0..mesh.tets().len()).map(|t| {
            let c = mesh.corners(t);
            ((c[0] + c[1] + c[2] + c[3]) / 4.0 - p).mag() < reach
        }).collect();
        let cut = cut_tets(&mesh, &value, Some(&within), &CutOptions::default()).unwrap();
        check(&mesh, &cut.edit, volume(&mesh));
        // Far from the blade nothing is touched.
        let mut of_region = vec![false; mesh.positions().len()];
        for t in (0..within.len()).filter(|&t| within[t]) {
            mesh.tets()[t].iter().for_each(|&v| of_region[v as usize] = true);
        }
        for t in 0..mesh.tets().len() {
            let near = mesh.tets()[t].iter().any(|&v| of_region[v as usize]);
            if !near {
                prop_assert_eq!(cut.edit.children(t as u32).len(), 1);
            }
        }
    }
}

#[test]
fn all_faces_open_is_every_tet_alone() {
    let mesh = tet_box(DVec3::one(), [2, 2, 2]).unwrap();
    let all = TetTopology::new(&mesh).faces().to_vec();
    let edit = open_faces(&mesh, &all).unwrap();
    let surface = check(&mesh, &edit, 1.0);
    let n = mesh.tets().len();
    assert_eq!((edit.mesh.positions().len(), surface.part_count()), (4 * n, n));
    assert_eq!(edit.nodes.copy_counts().iter().sum::<u32>() as usize, 4 * n);
}

#[test]
fn a_slit_keeps_the_ball_a_ball() {
    let mesh = tet_sphere(1.0, 4).unwrap();
    let value = plane_values(mesh.positions(), DVec3::zero(), DVec3::new(0.1, 0.2, 1.0)).unwrap();
    let within: Vec<bool> =
        (0..mesh.tets().len()).map(|t| mesh.corners(t).iter().all(|x| x.x > 0.1)).collect();
    let cut = cut_tets(&mesh, &value, Some(&within), &CutOptions::default()).unwrap();
    let surface = check(&mesh, &cut.edit, volume(&mesh));
    assert!(cut.opened > 5, "{} opened", cut.opened);
    assert_eq!((surface.part_count(), surface.euler_characteristic()), (1, 2));
    // A crack of one inner face opens nothing yet: its rim is all of it.
    let topology = TetTopology::new(&mesh);
    let inner = (0..topology.faces().len())
        .find(|&f| {
            let rim = |v: u32| mesh.positions()[v as usize].mag() > 0.9;
            topology.face_tets()[f][1] != TetTopology::NONE && !topology.faces()[f].iter().any(|&v| rim(v))
        })
        .unwrap();
    let edit = open_faces(&mesh, &[topology.faces()[inner]]).unwrap();
    assert_eq!(edit.mesh, mesh);
}

#[test]
fn what_cannot_be_edited_is_refused_with_the_reason() {
    let mesh = tet_box(DVec3::one(), [1, 1, 1]).unwrap();
    let n = mesh.positions().len();
    let bad = |value: &[f64], snap: f64, min_piece: f64| {
        cut_tets(&mesh, value, None, &CutOptions { snap, min_piece }).unwrap_err()
    };
    assert!(matches!(bad(&[1.0], 0.1, 0.0), EditError::Length { given: 1, .. }));
    let mut value = vec![1.0; n];
    assert!(bad(&value, 0.6, 0.0).to_string().contains("0 to 0.5"));
    assert!(matches!(bad(&value, f64::NAN, 0.0), EditError::OutOfRange { .. }));
    assert!(matches!(bad(&value, 0.1, -1.0), EditError::OutOfRange { .. }));
    value[3] = f64::NAN;
    assert_eq!(bad(&value, 0.1, 0.0), EditError::NonFinite { what: "value", index: 3 });
    assert_eq!(remove_tets(&mesh, &vec![true; mesh.tets().len()]), Err(EditError::NothingLeft));
    assert!(matches!(remove_tets(&mesh, &[true]), Err(EditError::Length { .. })));
    assert!(matches!(open_faces(&mesh, &[[0, 0, 1]]), Err(EditError::NotInMesh { .. })));
    assert!(matches!(open_faces(&mesh, &[[0, 1, 999]]), Err(EditError::NotInMesh { .. })));
    assert!(plane_values(mesh.positions(), DVec3::zero(), DVec3::zero()).is_err());
    for (ends, t) in [([0, 999], 0.5), ([2, 2], 0.5), ([0, 1], 0.0), ([0, 1], f64::NAN)] {
        assert!(bisect_tets(&mesh, &[EdgeCut { ends, t }]).is_err(), "{ends:?} {t}");
    }
    let flat =
        TetMesh::from_arrays(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], &[[0, 1, 2, 3]]);
    assert!(matches!(remove_tets(&flat.unwrap(), &[false]), Err(EditError::Mesh(_))));
    // A piece below the grid of f64 far from the origin.
    let far = mesh.mapped(|p| p + DVec3::broadcast(1e15)).unwrap();
    let ends = TetTopology::new(&far).edges()[0];
    assert!(matches!(bisect_tets(&far, &[EdgeCut { ends, t: 1e-3 }]), Err(EditError::Sliver { .. })));
    // Edits compose in order only.
    let once = bisect_tets(&mesh, &[EdgeCut { ends: TetTopology::new(&mesh).edges()[0], t: 0.25 }]).unwrap();
    assert_eq!(once.clone().then(once.clone()), Err(EditError::NotConsecutive));
    check(&mesh, &once, 1.0);
}

#[test]
fn the_smallest_piece_is_respected() {
    let mesh = tet_box(DVec3::one(), [3, 3, 3]).unwrap();
    let smallest = |m: &TetMesh| m.volumes().iter().copied().fold(f64::INFINITY, f64::min);
    let value = plane_values(mesh.positions(), DVec3::broadcast(0.03), DVec3::new(0.3, 0.5, 1.0)).unwrap();
    let free = cut_tets(&mesh, &value, None, &NO_SNAP).unwrap();
    let least = 0.2 * smallest(&mesh);
    assert!(smallest(&free.edit.mesh) < 0.1 * least, "the test asks for nothing");
    let cut = cut_tets(&mesh, &value, None, &CutOptions { snap: 0.0, min_piece: least }).unwrap();
    check(&mesh, &cut.edit, 1.0);
    assert!(cut.snapped > 0 && cut.opened > 0);
    assert!(smallest(&cut.edit.mesh) >= least * 0.999, "{} below {least}", smallest(&cut.edit.mesh));
}
