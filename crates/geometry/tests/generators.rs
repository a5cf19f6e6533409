//! Every generator: closed, outwards, the right genus, converging to its closed form; bad numbers refused.

use impinge_geometry::{DVec3, MeshError, Topology, TriMesh, generators::*, mass_properties, triangle_area};
use std::f64::consts::PI;

/// Closed, one part, no unused vertex, no collapsed triangle, positive volume, the given Euler characteristic.
/// Returns the volume.
fn sound(name: &str, mesh: Result<TriMesh, MeshError>, euler: i64) -> f64 {
    let mesh = mesh.unwrap_or_else(|e| panic!("{name}: {e}"));
    let t = Topology::new(&mesh);
    t.require_closed().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(t.euler_characteristic(), euler, "{name}");
    assert_eq!((t.part_count(), t.unreferenced_vertices().len()), (1, 0), "{name}");
    let smallest = (0..mesh.triangles().len()).map(|f| triangle_area(mesh.corners(f))).fold(1e9, f64::min);
    assert!(smallest > 1e-9, "{name}: a triangle of {smallest} m²");
    // One closed, consistently turned part: a positive volume means every triangle faces outwards.
    mass_properties(&mesh).unwrap_or_else(|e| panic!("{name}: {e}")).volume
}

/// The volume at two resolutions tends to the smooth one from below, four times closer at half the step.
fn converges(name: &str, euler: i64, smooth: f64, make: impl Fn(u32) -> Result<TriMesh, MeshError>) {
    let error = |k| 1.0 - sound(name, make(k), euler) / smooth;
    let (coarse, fine) = (error(1), error(2));
    assert!(fine > 0.0 && fine < 0.02, "{name}: {fine}");
    assert!((3.7..4.3).contains(&(coarse / fine)), "{name}: {coarse} then {fine}");
}

#[test]
fn flat_shapes_have_exact_volumes() {
    let cases = [
        ("cuboid", cuboid(DVec3::new(1.0, 2.0, 3.0), [2, 3, 4]), 6.0),
        ("plate", plate([2.0, 3.0], 0.1, [5, 7]), 0.6),
        ("wedge", wedge(DVec3::new(1.0, 2.0, 3.0)), 3.0),
        ("l_shape", l_shape(DVec3::new(2.0, 3.0, 0.5), 0.5), 0.5 * (2.0 * 0.5 + 2.5 * 0.5)),
        ("t_handle", t_handle([3.0, 0.5], [0.5, 2.0], 0.25), 0.25 * (1.5 + 1.0)),
        ("tetrahedron", tetrahedron(2.0), 8.0 / (6.0 * 2f64.sqrt())),
        ("cylinder", cylinder(0.5, 2.0, 7, 3), 3.5 * (2.0 * PI / 7.0).sin() * 0.25 * 2.0),
        ("cone", cone(0.5, 3.0, 9), 4.5 * (2.0 * PI / 9.0).sin() * 0.25),
    ];
    for (name, mesh, volume) in cases {
        let got = sound(name, mesh, 2);
        assert!((got / volume - 1.0).abs() < 1e-14, "{name}: {got} for {volume}");
    }
}

#[test]
fn cuboids_of_any_counts_are_sound() {
    for nx in 1..4 {
        for ny in 1..4 {
            for nz in 1..4 {
                let got = sound("cuboid", cuboid(DVec3::new(1.0, 2.0, 3.0), [nx, ny, nz]), 2);
                assert!((got - 6.0).abs() < 1e-13);
            }
        }
    }
}

#[test]
fn round_shapes_converge() {
    let ball = 4.0 / 3.0 * PI * 0.125;
    converges("icosphere", 2, ball, |k| icosphere(0.5, k + 2));
    converges("ellipsoid", 2, ball * 1.5, |k| ellipsoid(DVec3::new(0.5, 0.25, 1.5), k + 2));
    converges("uv_sphere", 2, ball, |k| uv_sphere(0.5, 24 * k, 16 * k, false));
    converges("capsule", 2, ball + PI * 0.25, |k| capsule(0.5, 1.0, 24 * k, 8 * k));
    converges("cylinder", 2, PI * 0.5, |k| cylinder(0.5, 2.0, 24 * k, 2));
    converges("cone", 2, PI / 6.0, |k| cone(0.5, 2.0, 24 * k));
    converges("torus", 0, 2.0 * PI * PI * 0.04, |k| torus(1.0, 0.2, 32 * k, 24 * k));
    converges("chain_link", 0, PI * 0.01 * (2.0 * PI * 0.4 + 4.0 * 0.3), |k| {
        chain_link(0.3, 0.4, 0.1, 32 * k, 24 * k)
    });
}

#[test]
fn vertices_lie_on_the_true_surface() {
    for p in icosphere(2.0, 3).unwrap().positions() {
        assert!((p.mag() - 2.0).abs() < 1e-15);
    }
    for p in torus(1.0, 0.3, 20, 12).unwrap().positions() {
        let ring = (p.x * p.x + p.y * p.y).sqrt() - 1.0;
        assert!(((ring * ring + p.z * p.z).sqrt() - 0.3).abs() < 1e-15);
    }
    let link = chain_link(0.5, 0.4, 0.1, 12, 8).unwrap();
    for p in link.positions() {
        let on_line = DVec3::new(p.x.clamp(-0.5, 0.5), 0.0, 0.0);
        let d = *p - on_line;
        let ring = (d.x * d.x + d.y * d.y).sqrt() - 0.4;
        assert!(((ring * ring + d.z * d.z).sqrt() - 0.1).abs() < 1e-15);
    }
    let (lo, hi) = link.bounds();
    assert!((hi - DVec3::new(1.0, 0.5, 0.1)).mag() < 1e-15 && (lo + hi).mag() < 1e-15);
}

#[test]
fn the_uv_sphere_has_a_pole_at_plus_x_and_may_be_flat_at_minus_x() {
    let round = uv_sphere(1.0, 9, 8, false).unwrap();
    let flat = uv_sphere(1.0, 9, 8, true).unwrap();
    let on_axis =
        |m: &TriMesh, x: f64| m.positions().iter().filter(|&&p| p == DVec3::new(x, 0.0, 0.0)).count();
    assert_eq!((on_axis(&round, 1.0), on_axis(&round, -1.0)), (1, 1));
    assert_eq!((on_axis(&flat, 1.0), on_axis(&flat, -1.0)), (1, 0));
    assert_eq!(flat.positions().len() + 1, round.positions().len());
    sound("flat pole", Ok(flat.clone()), 2);
    // The cap: nine rim vertices in one plane, seven triangles, none of them with a corner on the axis.
    let cap = -(PI / 8.0).cos();
    let low: Vec<DVec3> = flat.positions().iter().copied().filter(|p| p.x < cap + 1e-12).collect();
    assert_eq!(low.len(), 9);
    assert!(low.iter().all(|p| (p.x - cap).abs() < 1e-15 && p.x == low[0].x));
    let in_cap = (0..flat.triangles().len()).filter(|&f| flat.corners(f).iter().all(|p| p.x < cap + 1e-12));
    assert_eq!(in_cap.count(), 7);
}

#[test]
fn the_t_handle_has_three_distinct_moments() {
    for mesh in [
        t_handle([3.0, 0.5], [0.5, 2.0], 0.25).unwrap(),
        t_handle([2.0, 0.4], [0.4, 1.0], 0.4).unwrap(),
        l_shape(DVec3::new(2.0, 3.0, 0.5), 0.5).unwrap(),
    ] {
        let [a, b, c] = mass_properties(&mesh).unwrap().principal().moments;
        assert!(b > 1.05 * a && c > 1.05 * b, "{a} {b} {c}");
    }
}

#[test]
fn bad_parameters_are_named() {
    let nan = f64::NAN;
    let cases: Vec<(Result<TriMesh, MeshError>, &str)> = vec![
        (cuboid(DVec3::new(1.0, -1.0, 1.0), [1; 3]), "size along y = -1 m"),
        (cuboid(DVec3::one(), [1, 0, 1]), "segments along y = 0"),
        (cuboid(DVec3::one(), [4096; 3]), "triangles; at most"),
        (plate([1.0, 1.0], 0.0, [1, 1]), "plate: size along z = 0 m"),
        (icosphere(nan, 1), "radius = NaN m"),
        (icosphere(1.0, 11), "subdivisions = 11; give 0 to 10"),
        (ellipsoid(DVec3::new(1.0, f64::INFINITY, 1.0), 1), "half axis along y = inf m"),
        (uv_sphere(1.0, 2, 8, false), "segments = 2; give 3"),
        (uv_sphere(1.0, 8, 1, false), "rings = 1; give 2"),
        (torus(1.0, 1.0, 8, 8), "minor = 1 m must be smaller than major = 1 m"),
        (torus(1.0, 0.1, 65_536, 65_536), "triangles; at most"),
        (chain_link(0.0, 1.0, 0.1, 8, 8), "half_straight = 0 m"),
        (chain_link(1.0, 1.0, 0.1, 7, 8), "segments = 7; give an even number, such as 8"),
        (chain_link(1e9, 1e-3, 1e-4, 8, 8), "half_straight ask for"),
        (cylinder(1.0, 1.0, 3, 0), "stacks = 0"),
        (cylinder(1e-12, 1.0, 3, 1), "radius = 0.000000000001 m; give a length from 1e-9 to 1e9 m"),
        (cone(1.0, nan, 8), "height = NaN m"),
        (capsule(1.0, -2.0, 8, 2), "length = -2 m"),
        (capsule(1.0, 2.0, 8, 0), "rings = 0"),
        (grid([1.0, nan], [1, 1]), "size along y = NaN m"),
        (grid([1.0, 1.0], [0, 1]), "segments along x = 0"),
        (tetrahedron(0.0), "edge = 0 m"),
        (wedge(DVec3::new(1.0, 1.0, 1e10)), "size along z = 10000000000 m"),
        (l_shape(DVec3::one(), 1.0), "arm = 1 m must be smaller than size along x = 1 m"),
        (t_handle([1.0, 1.0], [1.0, 1.0], 1.0), "stem width = 1 m must be smaller than bar length = 1 m"),
    ];
    for (mesh, part) in cases {
        match mesh {
            Err(MeshError::BadParameter { reason }) => {
                assert!(reason.contains(part), "`{reason}` should say `{part}`");
            }
            other => panic!("{part}: {other:?}"),
        }
    }
}
