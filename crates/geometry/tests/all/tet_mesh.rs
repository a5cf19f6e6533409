//! Tet meshes: topology by hand and by brute force, the surface, mass properties against the surface integration,
//! and every tet generator.

use impinge_geometry::{
    DMat3, DVec3, MeshError, Pose, TetMesh, TetTopology, Topology, TriMesh, generators::*, mass_properties,
    rotor_from_rotation_vector, sub, tet_mass_properties, trace,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

fn gap(a: &DMat3, b: &DMat3) -> f64 {
    sub(a, b).cols.iter().map(|c| c.abs().component_max()).fold(0.0, f64::max)
}

/// Volume and Euler characteristic right, one part, surface closed and outward, and the solid moments of the tets
/// those of the surface to 1e-12. Returns the volume.
fn sound(name: &str, mesh: Result<TetMesh, MeshError>) -> f64 {
    let mesh = mesh.unwrap_or_else(|e| panic!("{name}: {e}"));
    mesh.require_positive().unwrap_or_else(|e| panic!("{name}: {e}"));
    let t = TetTopology::new(&mesh);
    assert_eq!((t.part_count(), t.euler_characteristic()), (1, 1), "{name}");
    assert_eq!((t.non_manifold_faces(), t.misoriented_faces().len()), (0, 0), "{name}");
    assert!(t.unreferenced_vertices().is_empty(), "{name}");
    let surface = t.surface(&mesh).unwrap();
    let s = Topology::new(&surface.mesh);
    s.require_closed().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!((s.euler_characteristic(), s.part_count()), (2, 1), "{name}");
    for (f, &[tet, i]) in surface.tet_faces.iter().enumerate() {
        let corners = TetMesh::FACES[i as usize].map(|k| mesh.tets()[tet as usize][k]);
        assert_eq!(surface.mesh.triangles()[f].map(|v| surface.vertices[v as usize]), corners);
    }
    let (by_tets, by_faces) = (tet_mass_properties(&mesh).unwrap(), mass_properties(&surface.mesh).unwrap());
    // The surface volume counts each place once: equal volumes mean that no two tets overlap.
    assert!((by_tets.volume / by_faces.volume - 1.0).abs() < 1e-12, "{name}");
    assert!((by_tets.center - by_faces.center).mag() < 1e-12, "{name}");
    assert!(gap(&by_tets.inertia, &by_faces.inertia) < 1e-12 * trace(&by_faces.inertia), "{name}");
    assert_eq!(by_tets.area, by_faces.area);
    by_tets.volume
}

fn converges(name: &str, smooth: f64, make: impl Fn(u32) -> Result<TetMesh, MeshError>) {
    let error = |k| 1.0 - sound(name, make(k)) / smooth;
    let (coarse, fine) = (error(1), error(2));
    assert!(fine > 0.0 && fine < 0.03, "{name}: {fine}");
    assert!((3.5..4.3).contains(&(coarse / fine)), "{name}: {coarse} then {fine}");
}

#[test]
fn two_tets_by_hand() {
    let p = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 9.0]];
    let mesh = TetMesh::from_arrays(&p, &[[0, 1, 2, 3], [1, 2, 3, 4]]).unwrap();
    assert!(mesh.volume(1) > 0.0 && mesh.volumes().len() == 2);
    let t = TetTopology::new(&mesh);
    assert_eq!(t.faces().len(), 7);
    assert_eq!(t.edges().len(), 9);
    assert_eq!(
        t.tet_edges()[1],
        [3, 4, 5, 6, 7, 8].map(|i| {
            let e = TetMesh::EDGES[i - 3].map(|k| mesh.tets()[1][k]);
            t.edges().binary_search(&e).unwrap() as u32
        })
    );
    assert_eq!(t.neighbours(0), [1, TetTopology::NONE, TetTopology::NONE, TetTopology::NONE]);
    assert_eq!(t.tet_across(1, 3), Some(0));
    assert_eq!(t.vertex_tets(3), [0, 1]);
    assert_eq!(t.unreferenced_vertices(), [5]);
    assert_eq!((t.boundary_faces(), t.part_count(), t.euler_characteristic()), (6, 1, 1));
    let surface = t.surface(&mesh).unwrap();
    assert_eq!((surface.mesh.triangles().len(), surface.mesh.positions().len()), (6, 5));
    assert!(Topology::new(&surface.mesh).is_closed());
}

#[test]
fn overlapping_and_crowded_tets_are_counted() {
    // Both on the same side of the face 1 2 3: each positive, but they overlap.
    let p = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
    let overlap = TetMesh::from_arrays(&p, &[[0, 1, 2, 3], [4, 1, 2, 3]]).unwrap();
    let t = TetTopology::new(&overlap);
    assert_eq!(t.misoriented_faces().len(), 1);
    assert_eq!(t.faces()[t.misoriented_faces()[0] as usize], [1, 2, 3]);
    let crowd = TetMesh::from_arrays(&p, &[[0, 1, 2, 3], [4, 1, 2, 3], [1, 0, 2, 3]]).unwrap();
    let t = TetTopology::new(&crowd);
    assert_eq!(t.non_manifold_faces(), 1);
    let shared = t.faces().binary_search(&[1, 2, 3]).unwrap() as u32;
    assert_eq!(t.tets_of_face(shared).as_slice(), [0, 1, 2]);
    // A tet that names a vertex twice is flat, and is said to be.
    let flat = TetMesh::from_arrays(&p, &[[0, 1, 2, 3], [0, 1, 2, 2]]).unwrap();
    assert!(matches!(flat.require_positive(), Err(MeshError::TetNotPositive { tet: 1, flat: true, .. })));
    let t = TetTopology::new(&flat);
    assert_eq!(t.tet_edges()[1][5], TetTopology::NONE);
    assert!(tet_mass_properties(&flat).unwrap_err().to_string().contains("tet 1"));
}

#[test]
fn a_tet_box_wears_the_cuboid() {
    for n in [[1, 1, 1], [2, 3, 1], [3, 2, 4]] {
        let size = DVec3::new(1.0, 2.0, 3.0);
        assert!((sound("tet_box", tet_box(size, n)) - 6.0).abs() < 1e-13);
        let mesh = tet_box(size, n).unwrap();
        assert_eq!(mesh.tets().len() as u32, 5 * n[0] * n[1] * n[2]);
        let surface = TetTopology::new(&mesh).surface(&mesh).unwrap().mesh;
        let as_set = |m: &TriMesh| -> BTreeSet<Vec<[u64; 3]>> {
            (0..m.triangles().len())
                .map(|f| {
                    let mut c: Vec<[u64; 3]> = m
                        .corners(f)
                        .iter()
                        .map(|p| <[f64; 3]>::from(*p).map(|x| (x + 0.0).to_bits()))
                        .collect();
                    let lowest = (0..3).min_by_key(|&i| c[i]).unwrap();
                    c.rotate_left(lowest);
                    c
                })
                .collect()
        };
        assert_eq!(as_set(&surface), as_set(&cuboid(size, n).unwrap()), "{n:?}");
    }
}

#[test]
fn round_tet_shapes_converge() {
    let ball = 4.0 / 3.0 * PI * 0.125;
    converges("tet_sphere", ball, |k| tet_sphere(0.5, 5 * k));
    converges("tet_ellipsoid", ball * 1.5, |k| tet_ellipsoid(DVec3::new(0.5, 0.25, 1.5), 5 * k));
    converges("tet_cylinder", PI * 0.5, |k| tet_cylinder(0.5, 2.0, 4 * k, 3));
    converges("tet_capsule", ball + PI * 0.25, |k| tet_capsule(0.5, 1.0, 5 * k, 3));
    for n in 1..14 {
        let counts = |m: TetMesh| m.tets().len() as u32;
        assert_eq!(counts(tet_sphere(1.0, n).unwrap()), 20 * n * n * n);
        assert_eq!(counts(tet_cylinder(1.0, 1.0, n, 2).unwrap()), 36 * n * n);
        assert_eq!(counts(tet_capsule(1.0, 1.0, n, 2).unwrap()), 36 * n * n + 12 * n * n * n);
    }
}

#[test]
fn no_tet_is_much_flatter_than_the_rest() {
    // Volume against the cube of the longest edge; the regular tet has 0.118.
    let worst = |m: &TetMesh| {
        (0..m.tets().len())
            .map(|t| {
                let c = m.corners(t);
                let longest = TetMesh::EDGES.iter().map(|&[i, j]| (c[i] - c[j]).mag()).fold(0.0, f64::max);
                m.volume(t) / longest.powi(3)
            })
            .fold(1.0, f64::min)
    };
    for n in [3, 8, 20] {
        assert!(worst(&tet_sphere(1.0, n).unwrap()) > 0.02, "sphere {}", worst(&tet_sphere(1.0, n).unwrap()));
        let capsule = tet_capsule(1.0, 1.0, n, n).unwrap();
        assert!(worst(&capsule) > 0.008, "capsule {}", worst(&capsule));
    }
}

#[test]
fn surface_vertices_lie_on_the_true_surface() {
    let surface = |m: TetMesh| TetTopology::new(&m).surface(&m).unwrap().mesh;
    for p in surface(tet_sphere(2.0, 6).unwrap()).positions() {
        assert!((p.mag() - 2.0).abs() < 1e-14);
    }
    for p in surface(tet_capsule(0.5, 2.0, 5, 4).unwrap()).positions() {
        let on_line = DVec3::new(0.0, 0.0, p.z.clamp(-1.0, 1.0));
        assert!(((*p - on_line).mag() - 0.5).abs() < 1e-14, "{p:?}");
    }
}

#[test]
fn a_tet_nut_wears_the_nut() {
    let thread = Thread { radius: 0.5, pitch: 0.4, depth: 0.2 };
    let volume = PI * (0.7 * 0.7 - 0.4 * 0.4 - 0.1 * 0.1 / 2.0);
    let mut errors = Vec::new();
    for (k, layers) in [(1, 2), (2, 3)] {
        let tets = tet_nut(thread, 0.7, 1.0, 24 * k, 30 * k, layers).unwrap();
        assert_eq!(tets.tets().len() as u32, 6 * 24 * 30 * k * k * layers);
        tets.require_positive().unwrap();
        let t = TetTopology::new(&tets);
        // A solid ring.
        assert_eq!((t.part_count(), t.euler_characteristic(), t.non_manifold_faces()), (1, 0, 0));
        let surface = t.surface(&tets).unwrap().mesh;
        Topology::new(&surface).require_closed().unwrap();
        let (within, around) = (tet_mass_properties(&tets).unwrap(), mass_properties(&surface).unwrap());
        assert!((within.volume / around.volume - 1.0).abs() < 1e-12);
        // The wall that layers do not touch, inside, is that of the nut.
        let nut = mass_properties(&nut(thread, 0.7, 1.0, 24 * k, 30 * k).unwrap()).unwrap();
        assert!(
            (nut.volume / around.volume - 1.0).abs() < 1e-12 && nut.area - around.area < 1e-12 * nut.area
        );
        errors.push(1.0 - within.volume / volume);
    }
    assert!(
        errors[1] > 0.0 && errors[1] < 0.01 && (3.7..4.3).contains(&(errors[0] / errors[1])),
        "{errors:?}"
    );
}

#[test]
fn bad_parameters_are_named() {
    let cases: Vec<(Result<TetMesh, MeshError>, &str)> = vec![
        (tet_box(DVec3::new(1.0, f64::NAN, 1.0), [1; 3]), "size along y = NaN m"),
        (tet_box(DVec3::one(), [1, 1, 0]), "segments along z = 0"),
        (tet_box(DVec3::one(), [4096; 3]), "tets; at most"),
        (tet_sphere(0.0, 3), "radius = 0 m"),
        (tet_sphere(1.0, 0), "rings = 0"),
        (tet_ellipsoid(DVec3::new(1.0, 1.0, -1.0), 2), "half axis along z = -1 m"),
        (tet_cylinder(1.0, 1.0, 2, 0), "stacks = 0"),
        (tet_capsule(1.0, f64::INFINITY, 2, 1), "length = inf m"),
        (tet_capsule(1.0, 1.0, 1024, 1), "tets; at most"),
        (tet_nut(Thread { radius: 0.5, pitch: 0.4, depth: 0.2 }, 1.0, 1.0, 8, 8, 0), "layers = 0"),
        (
            tet_nut(Thread { radius: 0.5, pitch: 0.4, depth: 0.2 }, 1.0, 1.0, 65_536, 65_536, 1),
            "tets; at most",
        ),
    ];
    for (mesh, part) in cases {
        match mesh {
            Err(MeshError::BadParameter { reason }) => assert!(reason.contains(part), "`{reason}`: `{part}`"),
            other => panic!("{part}: {:?}", other.map(|m| m.tets().len())),
        }
    }
}

#[test]
fn moments_do_not_depend_on_the_place() {
    let mesh = tet_capsule(0.5, 1.0, 4, 3).unwrap();
    let here = tet_mass_properties(&mesh).unwrap();
    let pose = Pose::new(DVec3::new(1e3, -2e3, 5e2), rotor_from_rotation_vector(DVec3::new(0.3, 1.2, -0.8)));
    let r = pose.matrix();
    let there = tet_mass_properties(&mesh.mapped(|p| pose.position + r * p).unwrap()).unwrap();
    assert!((there.volume / here.volume - 1.0).abs() < 1e-9);
    assert!((there.center - pose.position - r * here.center).mag() < 1e-9);
    assert!(gap(&there.inertia, &(r * here.inertia * r.transposed())) < 1e-9);
}

proptest! {
    /// Random tets: faces, edges and neighbours as counted with maps.
    #[test]
    fn topology_agrees_with_brute_force(tets in prop::collection::vec(prop::array::uniform4(0u32..9), 1..20)) {
        let p: Vec<DVec3> = (0..9).map(|i| DVec3::new(f64::from(i), f64::from(i * i), f64::from(i % 4))).collect();
        let mesh = TetMesh::new(p, tets.clone()).unwrap();
        let t = TetTopology::new(&mesh);
        let mut faces: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
        let mut edges: BTreeSet<[u32; 2]> = BTreeSet::new();
        for (i, tet) in tets.iter().enumerate() {
            for f in TetMesh::FACES {
                let mut key = f.map(|k| tet[k]);
                key.sort_unstable();
                faces.entry(key).or_default().push(i as u32);
            }
            for [a, b] in TetMesh::EDGES {
                if tet[a] != tet[b] {
                    edges.insert([tet[a].min(tet[b]), tet[a].max(tet[b])]);
                }
            }
        }
        prop_assert!(t.faces().iter().eq(faces.keys()));
        prop_assert!(t.edges().iter().eq(edges.iter()));
        for (i, tets) in faces.values().enumerate() {
            prop_assert!(t.tets_of_face(i as u32).iter().eq(tets));
        }
        prop_assert_eq!(t.boundary_faces(), faces.values().filter(|v| v.len() == 1).count());
        prop_assert_eq!(t.non_manifold_faces(), faces.values().filter(|v| v.len() > 2).count());
    }
}
