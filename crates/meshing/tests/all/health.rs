//! The health report on meshes with one fault each, made by hand.

use impinge_geometry::{DVec3, MeshError, TriMesh, cuboid, icosphere, octopus, torus};
use impinge_meshing::{
    FaultKind, Health, HealthOptions, Repair, Unit, fault_marks, health, health_with, self_intersections,
    suggest, triangles_cross,
};
use proptest::prelude::*;

fn cube() -> TriMesh {
    cuboid(DVec3::one(), [1; 3]).unwrap()
}

/// Both meshes in one; the second moved by `by`, inside out where `flip`.
fn joined(a: &TriMesh, b: &TriMesh, by: DVec3, flip: bool) -> TriMesh {
    let n = a.positions().len() as u32;
    let positions = a.positions().iter().copied().chain(b.positions().iter().map(|&p| p + by)).collect();
    let second = b
        .triangles()
        .iter()
        .map(|t| t.map(|v| v + n))
        .map(|[x, y, z]| if flip { [x, z, y] } else { [x, y, z] });
    TriMesh::new(positions, a.triangles().iter().copied().chain(second).collect()).unwrap()
}

fn kinds(h: &Health) -> Vec<FaultKind> {
    let mut kinds: Vec<FaultKind> = fault_marks(h).iter().map(|m| m.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn sound_meshes_are_called_sound() {
    for mesh in
        [cube(), icosphere(1.0, 3).unwrap(), torus(1.0, 0.3, 40, 20).unwrap(), octopus(0.4, 80).unwrap()]
    {
        let h = health(&mesh);
        assert!(h.is_sound() && suggest(&h).is_empty() && fault_marks(&h).is_empty(), "{h}");
        assert!(h.to_string().contains("sound: nothing to mend"));
    }
    let h = health(&cube());
    assert_eq!((h.vertices, h.triangles, h.edges, h.euler_characteristic), (8, 12, 18, 2));
    assert!((h.volume().unwrap() - 1.0).abs() < 1e-14);
    assert_eq!((h.parts.len(), h.parts[0].closed, h.unit.unit), (1, true, Unit::Normalised));
    assert!((h.parts[0].volume.unwrap() - 1.0).abs() < 1e-14 && (h.parts[0].area - 6.0).abs() < 1e-14);
}

#[test]
fn a_missing_face_is_a_hole_with_its_place() {
    let (p, mut t) = cube().into_parts();
    let [a, b, c] = t.pop().unwrap();
    let h = health(&TriMesh::new(p.clone(), t).unwrap());
    assert!(!h.closed() && h.manifold() && h.oriented());
    assert_eq!((h.boundary_edges.len(), h.holes, h.parts[0].boundary_edges), (3, 1, 3));
    assert!(matches!(h.solid, Err(MeshError::NotClosed { boundary_edges: 3, .. })));
    assert_eq!(h.parts[0].volume, None);
    let marks = fault_marks(&h);
    assert_eq!(marks.len(), 3);
    let wanted = (p[a as usize] + p[b as usize]) * 0.5;
    assert!(marks.iter().any(|m| (m.position - wanted).mag() < 1e-15 && m.faces.len() == 1));
    assert!(!marks.iter().any(|m| m.faces.contains(&11)));
    assert_eq!(suggest(&h), [Repair::FillHoles]);
    assert!(h.to_string().contains("3 (edges") && h.to_string().contains("1 hole"), "{h}");
    let _ = c;
}

#[test]
fn a_turned_face_is_misoriented() {
    let (p, mut t) = cube().into_parts();
    t[4].swap(0, 1);
    let h = health(&TriMesh::new(p, t).unwrap());
    assert_eq!((h.misoriented_edges.len(), h.oriented(), h.closed()), (3, false, false));
    assert_eq!(suggest(&h), [Repair::Orient]);
    assert_eq!(kinds(&h), [FaultKind::MisorientedEdge]);
    assert!(fault_marks(&h).iter().all(|m| m.faces.len() == 2 && m.faces.contains(&4)));
}

#[test]
fn a_mesh_inside_out_is_offered_orient_and_a_cavity_is_not() {
    let (p, t) = cube().into_parts();
    let out = TriMesh::new(p, t.into_iter().map(|[a, b, c]| [a, c, b]).collect()).unwrap();
    let h = health(&out);
    assert!(h.closed() && h.parts[0].faces_inwards());
    assert!(matches!(h.solid, Err(MeshError::NoVolume { .. })));
    assert_eq!(suggest(&h), [Repair::Orient]);

    let small = cuboid(DVec3::one() * 0.5, [1; 3]).unwrap();
    let hollow = health(&joined(&cube(), &small, DVec3::zero(), true));
    assert!((hollow.volume().unwrap() - 0.875).abs() < 1e-14);
    assert_eq!((hollow.parts.len(), hollow.parts[1].faces_inwards()), (2, true));
    assert!(suggest(&hollow).is_empty());
    assert!(hollow.to_string().contains("faces inwards"), "{hollow}");
}

#[test]
fn corners_stored_three_times_over_are_merged_in_the_report() {
    let cube = cube();
    let soup: Vec<DVec3> = (0..12).flat_map(|f| cube.corners(f)).collect();
    let soup = TriMesh::new(soup, (0..12).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect()).unwrap();
    let h = health(&soup);
    assert_eq!((h.parts.len(), h.boundary_edges.len(), h.duplicate_vertices.len()), (12, 36, 28));
    let m = h.merged.clone().unwrap();
    assert_eq!((m.vertices, m.boundary_edges, m.parts, m.closed), (8, 0, 1, true));
    // Neighbours that do not share indices only touch.
    assert!(h.self_intersections.is_empty());
    assert_eq!(suggest(&h), [Repair::Weld { tolerance: 0.0 }]);
    // A hair apart they are near duplicates.
    let shaken = soup.mapped(|p| p + DVec3::new(1e-9 * (p.x * 7.0 + p.y).sin(), 0.0, 0.0)).unwrap();
    let mut q = shaken.positions().to_vec();
    q.iter_mut().enumerate().for_each(|(i, p)| p.y += 1e-9 * i as f64);
    let h = health(&TriMesh::new(q, shaken.triangles().to_vec()).unwrap());
    assert_eq!((h.duplicate_vertices.len(), h.near_duplicate_vertices.len()), (0, 28));
    assert_eq!(suggest(&h), [Repair::Weld { tolerance: h.tolerance }, Repair::FillHoles]);
    let strict = health_with(&soup, &HealthOptions { tolerance: Some(0.0), self_intersections: false });
    assert_eq!((strict.tolerance, strict.looked_for_self_intersections), (0.0, false));
    assert!(strict.to_string().contains("not looked for"));
}

#[test]
fn collapsed_flat_repeated_and_mirrored_faces_are_told_apart() {
    let (mut p, mut t) = cube().into_parts();
    p.push(DVec3::new(9.0, 9.0, 9.0));
    t.push([0, 0, 1]);
    let [a, b, c] = t[2];
    t.push([b, c, a]);
    let [a, b, c] = t[5];
    t.push([b, a, c]);
    p.push((p[0] + p[1]) * 0.5);
    t.push([0, 1, 9]);
    let h = health(&TriMesh::new(p, t).unwrap());
    assert_eq!(h.degenerate_faces, [12, 15]);
    assert_eq!((h.duplicate_faces.clone(), h.mirrored_faces.clone()), (vec![13], vec![14]));
    assert_eq!(h.unreferenced_vertices, [8]);
    assert!(h.non_manifold_edges.len() >= 6);
    // The stray vertex is no part of the extents.
    assert!((h.bounds.1 - h.bounds.0 - DVec3::one()).mag() < 1e-15);
    assert!(suggest(&h).starts_with(&[Repair::DropUnused, Repair::DropDegenerate]));
    for (kind, face) in
        [(FaultKind::DegenerateFace, 12), (FaultKind::DuplicateFace, 13), (FaultKind::MirroredFace, 14)]
    {
        assert!(fault_marks(&h).iter().any(|m| m.kind == kind && m.faces == [face]), "{kind:?}");
    }
}

#[test]
fn boxes_that_interpenetrate_cross_and_boxes_that_touch_do_not() {
    let by = |x: f64, y: f64| health(&joined(&cube(), &cube(), DVec3::new(x, y, 0.25), false));
    let crossing = by(0.5, 0.5);
    assert!(!crossing.self_intersections.is_empty() && !crossing.is_sound());
    for m in fault_marks(&crossing) {
        assert_eq!((m.kind, m.faces.len()), (FaultKind::SelfIntersection, 2));
        assert!(m.faces[0] < 12 && m.faces[1] >= 12);
        assert!(m.position.abs().component_max() < 1.5);
    }
    assert!(by(1.5, 0.0).self_intersections.is_empty());
    // Face on face in one plane is an overlap; edge along edge is not.
    assert!(!by(1.0, 0.0).self_intersections.is_empty());
    assert!(by(1.0, 1.0).self_intersections.is_empty());
    // Two boxes sharing a corner: closed, but pinched.
    let mut welded =
        Repair::Weld { tolerance: 0.0 }.apply(&joined(&cube(), &cube(), DVec3::one(), false)).unwrap().mesh;
    let h = health(&welded);
    assert!(h.closed() && !h.manifold());
    assert_eq!((h.pinched_vertices.len(), kinds(&h)), (1, vec![FaultKind::PinchedVertex]));
    welded = welded.mapped(|p| p * 1e-3).unwrap();
    assert_eq!(health(&welded).unit.unit, Unit::Unclear);
}

#[test]
fn a_large_torus_is_sound() {
    // The example `health` times a million triangles.
    let h = health(&torus(1.0, 0.3, 250, 200).unwrap());
    assert_eq!(h.triangles, 100_000);
    assert!(h.is_sound());
}

proptest! {
    /// Triangle soups on a small grid, near and far: the pairs found are those found by trying all, and no number in
    /// the report is NaN.
    #[test]
    fn soups_are_reported_whole(
        corners in prop::collection::vec(prop::array::uniform3(0i32..5), 3..40),
        faces in prop::collection::vec(prop::array::uniform3(0usize..40), 1..30),
        far in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let p: Vec<DVec3> = corners.iter().map(|c| DVec3::from(c.map(|x| f64::from(x) * 0.5 + far))).collect();
        let n = p.len();
        let mesh = TriMesh::new(p, faces.iter().map(|f| f.map(|v| (v % n) as u32)).collect()).unwrap();
        let found: Vec<[u32; 2]> = self_intersections(&mesh).iter().map(|c| c.faces).collect();
        let mut all = vec![];
        for f in 0..faces.len() as u32 {
            for g in f + 1..faces.len() as u32 {
                let (t, u) = (mesh.triangles()[f as usize], mesh.triangles()[g as usize]);
                let same = u.iter().all(|v| t.contains(v));
                if !same && triangles_cross(&mesh.corners(f as usize), &mesh.corners(g as usize)) {
                    all.push([f, g]);
                }
            }
        }
        prop_assert_eq!(found, all);
        let h = health(&mesh);
        prop_assert!(!h.to_string().contains("NaN"));
        prop_assert!(fault_marks(&h).iter().all(|m| !m.position.mag().is_nan() && !m.faces.is_empty()));
        // Every repair on offer, and every other one, gives a mesh or says why not; nothing panics.
        for repair in [Repair::Weld { tolerance: 0.4 }, Repair::DropDegenerate, Repair::DropUnused, Repair::Orient, Repair::FillHoles] {
            if let Ok(r) = repair.apply(&mesh) {
                prop_assert_eq!(r.faces.len(), r.mesh.triangles().len());
                prop_assert_eq!(r.report.triangles, [mesh.triangles().len(), r.mesh.triangles().len()]);
            }
        }
    }
}
