//! Every generator: closed, outwards, the right genus, converging to its closed form; bad numbers refused.

use impinge_geometry::{
    DVec3, MeshError, Topology, TriMesh, area, generators::*, mass_properties, triangle_area, triangle_normal,
};
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
fn vessels_and_cables_have_their_volumes() {
    let polygon = |n: f64| 0.5 * n * (2.0 * PI / n).sin();
    let got = sound("tube", tube(0.5, 0.4, 3.0, 11, 4), 0);
    assert!((got / (polygon(11.0) * 0.09 * 3.0) - 1.0).abs() < 1e-14, "{got}");
    converges("bowl", 2, 2.0 / 3.0 * PI * (1.0 - 0.512), |k| bowl(1.0, 0.2, 40 * k, 12 * k));
    // A frustum of height h between radii a and b holds (a² + ab + b²)/3 of its polygon times h.
    let frustum = |a: f64, b: f64, h: f64| polygon(9.0) * (a * a + a * b + b * b) / 3.0 * h;
    let got = sound("bucket", bucket(0.3, 0.5, 0.8, 0.05, 9, 3), 2);
    let floor = 0.3 + 0.2 * 0.05 / 0.8;
    let want = frustum(0.3, 0.5, 0.8) - frustum(floor - 0.05, 0.45, 0.75);
    assert!((got / want - 1.0).abs() < 1e-13, "{got} for {want}");
    let (lo, hi) = bucket(0.3, 0.5, 0.8, 0.05, 8, 3).unwrap().bounds();
    assert!((lo + hi).mag() < 1e-15 && (hi.z - 0.4).abs() < 1e-15);

    let line =
        [[0.0; 3], [1.0, 0.0, 0.0], [1.5, 0.8, 0.3], [1.5, 0.8, 2.0], [-1.0, 0.4, 2.5]].map(DVec3::from);
    let length: f64 = line.windows(2).map(|w| (w[1] - w[0]).mag()).sum();
    for (sides, step) in [(3, 10.0), (7, 0.21), (16, 0.05)] {
        let got = sound("cable", cable(&line, 0.05, sides, step), 2);
        let want = polygon(f64::from(sides)) * 0.0025 * length;
        assert!((got / want - 1.0).abs() < 1e-13, "{got} for {want}");
    }
    // Every vertex but the ends' middles lies on the skin of the line.
    for &p in cable(&line, 0.05, 8, 0.3).unwrap().positions().iter().rev().skip(2) {
        let d = line
            .windows(2)
            .map(|w| ((p - w[0]).cross(w[1] - w[0]).mag() / (w[1] - w[0]).mag() - 0.05).abs())
            .fold(1.0, f64::min);
        assert!(d < 1e-14, "{d}");
    }
}

#[test]
fn a_mug_has_the_volume_of_its_vessel_and_of_half_a_ring() {
    for (n, stacks, bottom) in [(8, 4, 0.0), (24, 8, 1.0), (36, 17, 2.0)] {
        let mesh = mug(0.05, 0.08, 0.004, n, stacks);
        let polygon = 0.5 * f64::from(n) * (2.0 * PI / f64::from(n)).sin();
        let band = 0.08 / f64::from(stacks);
        let (outer, wide) = (0.04 - bottom * band, 0.1 * (PI / f64::from(n)).sin());
        let inner = outer - band;
        let half = f64::from(n) / 4.0 * (2.0 * PI / f64::from(n)).sin() * (outer * outer - inner * inner);
        let want = polygon * (0.05f64.powi(2) * 0.08 - 0.046f64.powi(2) * 0.076) + wide * half;
        let (lo, hi) = mesh.as_ref().unwrap().bounds();
        let got = sound("mug", mesh, 0);
        assert!((got / want - 1.0).abs() < 1e-13, "{got} for {want}");
        assert!(
            (lo.y + hi.y).abs() < 1e-15 && (lo.z + hi.z).abs() < 1e-15,
            "upright, its handle in the plane of x and z"
        );
        let reach = 0.05 * (PI / f64::from(n)).cos() + outer * (PI / 2.0 / f64::from(n / 2)).cos();
        assert!(hi.x <= 0.05 + outer && hi.x >= reach - 1e-15, "{} m", hi.x);
    }
}

/// π/4 of width times thickness in each section, whatever the depth.
#[test]
fn spoons_and_spatulas_have_the_volume_of_their_sections() {
    let (r, length, bowl, thickness): (f64, f64, [f64; 2], f64) = (0.5, 12.0, [6.0, 4.0], 0.2);
    let stations = 100_000;
    let sum: f64 = (0..stations)
        .map(|i| {
            let part = (f64::from(i) + 0.5) / f64::from(stations);
            let wide = (bowl[1] * (part * (1.0 - part)).sqrt()).max(r * (1.0 - part));
            wide * (0.5 * thickness).max(r * (1.0 - 4.0 * part))
        })
        .sum();
    let want = PI * (r * r * length + bowl[0] * sum / f64::from(stations));
    for depth in [0.0, 0.4, 1.0] {
        let got = sound("spoon", spoon(r, length, bowl, depth, thickness, 96, 128), 2);
        assert!((got / want - 1.0).abs() < 2e-3, "{got} for {want}");
    }
}

#[test]
fn threads_have_their_volumes_and_climb_by_their_pitch() {
    // The mean of (R + a cos)² over a turn is R² + a²/2 at every height: any length will do, whole turns or not.
    let thread = Thread { radius: 0.5, pitch: 0.4, depth: 0.2 };
    let section = PI * (0.4 * 0.4 + 0.1 * 0.1 / 2.0);
    converges("bolt", 2, section * 1.1, |k| bolt(thread, 1.1, None, 24 * k, 33 * k));
    converges("bolt with a socket", 2, section * 1.2 - 0.3 * 0.3 * 0.5, |k| {
        bolt(thread, 1.2, Some([0.3, 0.5]), 24 * k, 36 * k)
    });
    converges("nut", 0, (PI * 0.7 * 0.7 - section) * 0.9, |k| nut(thread, 0.7, 0.9, 24 * k, 27 * k));

    // A turn by an eighth and an eighth of the pitch up: the vertices away from the ends lie on vertices, to the left and not to the right.
    let mesh = bolt(thread, 1.2, None, 24, 24).unwrap();
    let on = |turn: f64| {
        let (s, c) = (turn * PI / 4.0).sin_cos();
        let wall = mesh.positions().iter().filter(|p| p.z < 0.5 && p.x.hypot(p.y) > 0.1);
        wall.map(|p| DVec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z + 0.05))
            .map(|p| mesh.positions().iter().map(|q| (*q - p).mag()).fold(1e9, f64::min))
            .fold(0.0, f64::max)
    };
    assert!(on(1.0) < 1e-14 && on(-1.0) > 0.05, "{:e} and {:e}", on(1.0), on(-1.0));

    // A nut of that thread is the bolt's own surface from outside, facet for facet: a crest stands where the groove is.
    let hole = nut(thread, 0.7, 1.2, 24, 24).unwrap();
    let facets = |m: &TriMesh| {
        let mut middles: Vec<[i64; 3]> = (0..m.triangles().len())
            .map(|f| m.corners(f))
            .filter(|c| c.iter().all(|p| (0.1..0.6).contains(&p.x.hypot(p.y))))
            .map(|c| <[f64; 3]>::from((c[0] + c[1] + c[2]) * (1e9 / 3.0)).map(|x| x.round() as i64))
            .collect();
        middles.sort_unstable();
        middles
    };
    let (inside, outside) = (facets(&hole), facets(&mesh));
    assert_eq!(inside.len(), 2 * 24 * 24);
    assert_eq!(inside, outside);
}

#[test]
fn an_octopus_is_one_smooth_surface() {
    let mesh = octopus(2.0, 80).unwrap();
    assert_eq!(mesh, octopus(2.0, 80).unwrap());
    sound("octopus", octopus(2.0, 32), 2);
    let (coarse, fine) = (sound("octopus", Ok(mesh.clone()), 2), sound("octopus", octopus(2.0, 110), 2));
    assert!((coarse / fine - 1.0).abs() < 0.02, "{coarse} {fine}");
    let (lo, hi) = mesh.bounds();
    assert!(((hi - lo).component_max() - 2.0).abs() < 1e-12 && (lo + hi).mag() < 1e-12);
    assert!(Topology::new(&mesh).pinched_vertices().is_empty());
    // Eight limbs reach far out; between them there is nothing.
    let far = mesh.positions().iter().filter(|p| p.x * p.x + p.y * p.y > 0.8 * 0.8);
    let sectors: std::collections::BTreeSet<i32> =
        far.map(|p| ((p.y.atan2(p.x) / PI * 16.0).floor()) as i32).collect();
    assert!(sectors.len() >= 8 && sectors.len() <= 24, "{sectors:?}");
}

#[test]
fn a_dragon_is_one_smooth_surface_alike_on_both_sides() {
    let mesh = dragon(2.0, 13).unwrap();
    assert_eq!(mesh, dragon(2.0, 13).unwrap());
    assert!((2300..2700).contains(&mesh.triangles().len()), "{}", mesh.triangles().len());
    let (coarsest, fine) = (sound("dragon", Ok(mesh.clone()), 2), sound("dragon", dragon(2.0, 40), 2));
    assert!((coarsest / fine - 1.0).abs() < 0.06, "{coarsest} {fine}");
    let (lo, hi) = mesh.bounds();
    assert!(((hi - lo).component_max() - 2.0).abs() < 1e-12 && (lo + hi).mag() < 1e-12);
    assert!(Topology::new(&mesh).pinched_vertices().is_empty());
    // Left and right weigh the same to within what the lattice, which is not symmetric, makes of it.
    let middle = mesh.positions().iter().map(|p| p.y).sum::<f64>() / mesh.positions().len() as f64;
    assert!(middle.abs() < 0.02, "{middle}");
}

#[test]
fn a_disc_is_a_regular_polygon() {
    for n in 1..6 {
        let d = disc(2.0, n).unwrap();
        let t = Topology::new(&d);
        let sides = 6.0 * f64::from(n);
        assert_eq!((d.triangles().len(), t.boundary_edges()), (6 * (n * n) as usize, 6 * n as usize));
        assert_eq!((t.euler_characteristic(), t.unreferenced_vertices().len()), (1, 0));
        assert!((area(&d) - 0.5 * sides * (2.0 * PI / sides).sin() * 4.0).abs() < 1e-13);
        for f in 0..d.triangles().len() {
            assert_eq!(triangle_normal(d.corners(f)), Some(DVec3::unit_z()));
        }
    }
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

const THREAD: Thread = Thread { radius: 0.5, pitch: 0.4, depth: 0.2 };

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
        (disc(1.0, 0), "rings = 0"),
        (tube(0.5, 0.5, 1.0, 8, 1), "inner = 0.5 m must be smaller than outer = 0.5 m"),
        (bowl(1.0, nan, 8, 2), "thickness = NaN m"),
        (bucket(0.3, 0.4, 0.05, 0.1, 8, 1), "thickness = 0.1 m must be smaller than height = 0.05 m"),
        (mug(0.05, 0.08, 0.08, 8, 4), "thickness = 0.08 m must be smaller than radius = 0.05 m"),
        (mug(0.05, 0.08, 0.004, 9, 4), "segments = 9; give an even number, such as 10"),
        (mug(0.05, 0.08, 0.004, 8, 3), "stacks = 3; give 4"),
        (
            spoon(0.005, 0.1, [0.06, 0.01], 0.0, 0.002, 8, 8),
            "diameter of the handle = 0.01 m must be smaller",
        ),
        (spoon(0.005, 0.1, [0.06, 0.04], 0.0, 0.01, 8, 8), "thickness = 0.01 m must be smaller"),
        (spoon(0.005, 0.1, [0.06, 0.04], nan, 0.002, 8, 8), "depth = NaN m"),
        (spoon(0.005, 0.1, [0.06, 0.04], 0.0, 0.002, 8, 7), "rings = 7; give 8"),
        (bolt(THREAD, 1.0, None, 2, 9), "segments = 2; give 3"),
        (bolt(THREAD, nan, None, 8, 9), "length = NaN m"),
        (bolt(THREAD, 1.0, Some([0.2, 0.5]), 12, 9), "segments = 12; give a multiple of 8"),
        (
            bolt(THREAD, 1.0, Some([0.2, 1.0]), 16, 9),
            "socket's depth = 1 m must be smaller than length = 1 m",
        ),
        (bolt(THREAD, 1.0, Some([0.5, 0.5]), 16, 9), "socket's half diagonal"),
        (bolt(Thread { depth: 0.5, ..THREAD }, 1.0, None, 8, 9), "depth = 0.5 m must be smaller than radius"),
        (nut(Thread { pitch: 0.0, ..THREAD }, 1.0, 1.0, 8, 9), "pitch = 0 m"),
        (nut(THREAD, 0.5, 1.0, 8, 9), "radius = 0.5 m must be smaller than outer = 0.5 m"),
        (nut(THREAD, 0.6, 1.0, 8, 0), "stacks = 0"),
        (cable(&[DVec3::zero()], 0.1, 8, 1.0), "a line of 1 points"),
        (cable(&[DVec3::zero(), DVec3::zero()], 0.1, 8, 1.0), "length of piece 0 = 0 m"),
        (cable(&[DVec3::zero(), DVec3::unit_x(), DVec3::zero()], 0.1, 8, 1.0), "too sharp"),
        (
            cable(&[DVec3::zero(), DVec3::unit_x(), DVec3::new(1.0, 0.05, 0.0)], 0.1, 8, 1.0),
            "bends at the ends of piece 1",
        ),
        (octopus(1.0, 31), "resolution = 31; give 32 to 512"),
        (dragon(0.0, 40), "span = 0 m"),
        (dragon(1.0, 12), "resolution = 12; give 13 to 512"),
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
