//! Mass properties against closed forms, moved bodies, and a second integration that shares no formula.

use impinge_geometry::{
    DMat3, DVec3, MassProperties, MeshError, Pose, TriMesh, area, generators, mass_properties, outer,
    rotor_from_rotation_vector, scale, sub, trace, vertex_areas,
};
use proptest::prelude::*;
use std::f64::consts::PI;

fn diagonal(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::new(DVec3::new(x, 0.0, 0.0), DVec3::new(0.0, y, 0.0), DVec3::new(0.0, 0.0, z))
}

/// The largest entry of a − b.
fn gap(a: &DMat3, b: &DMat3) -> f64 {
    let d = sub(a, b);
    d.cols.iter().map(|c| c.abs().component_max()).fold(0.0, f64::max)
}

/// Volume, centre and inertia from surface integrals by Gauss quadrature, exact for these polynomials:
/// V = ∮ x n_x, ∫ x = ∮ x²/2 n_x, ∫ x² = ∮ x³/3 n_x, ∫ xy = ∮ x² y/2 n_x, and so on around the axes.
fn by_quadrature(mesh: &TriMesh) -> (f64, DVec3, DMat3) {
    // Three-point Gauss–Legendre on [0, 1]: exact to degree 5 in each direction.
    let g = 0.15f64.sqrt();
    let rule = [(0.5 - g, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.5 + g, 5.0 / 18.0)];
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for f in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(f);
        let n = (b - a).cross(c - a);
        for (s, ws) in rule {
            for (t, wt) in rule {
                // The square folded onto the triangle; s is the Jacobian.
                let x = a * (1.0 - s) + (b * (1.0 - t) + c * t) * s;
                let w = ws * wt * s;
                volume += w * x.x * n.x;
                for i in 0..3 {
                    let j = (i + 1) % 3;
                    first[i] += w * 0.5 * x[i] * x[i] * n[i];
                    second[i][i] += w * x[i] * x[i] * x[i] / 3.0 * n[i];
                    second[i][j] += w * 0.5 * x[i] * x[i] * x[j] * n[i];
                }
            }
        }
    }
    for i in 0..3 {
        second[(i + 1) % 3][i] = second[i][(i + 1) % 3];
    }
    let center = DVec3::from(first) / volume;
    let m = DMat3::new(second[0].into(), second[1].into(), second[2].into());
    let central = sub(&m, &scale(&outer(center, center), volume));
    (volume, center, sub(&scale(&DMat3::identity(), trace(&central)), &central))
}

fn assert_close(m: &MassProperties, volume: f64, center: DVec3, inertia: &DMat3, tolerance: f64) {
    assert!((m.volume / volume - 1.0).abs() < tolerance, "volume {} for {volume}", m.volume);
    assert!((m.center - center).mag() < tolerance, "centre {:?} for {center:?}", m.center);
    let size = trace(inertia);
    assert!(gap(&m.inertia, inertia) < tolerance * size, "inertia {:?} for {inertia:?}", m.inertia);
}

#[test]
fn boxes_have_the_textbook_inertia() {
    let s = DVec3::new(0.3, 1.7, 2.9);
    for segments in [[1; 3], [3, 4, 5]] {
        let m = mass_properties(&generators::cuboid(s, segments).unwrap()).unwrap();
        let v = s.x * s.y * s.z;
        let q = s * s;
        let inertia = diagonal(v / 12.0 * (q.y + q.z), v / 12.0 * (q.z + q.x), v / 12.0 * (q.x + q.y));
        assert_close(&m, v, DVec3::zero(), &inertia, 1e-14);
        assert!((m.area - 2.0 * (s.x * s.y + s.y * s.z + s.z * s.x)).abs() < 1e-13);
        let p = m.principal();
        assert!(p.moments[0] < p.moments[1] && p.moments[1] < p.moments[2]);
        assert!((p.moments[2] - inertia.cols[0].x).abs() < 1e-13 && p.axes.cols[2].x.abs() > 1.0 - 1e-14);
    }
}

#[test]
fn the_corner_tetrahedron_has_its_closed_form() {
    // Corners at the origin and at a, b, c on the axes: V = abc/6, centre (a, b, c)/4, and about the centre
    // ∫x² = V·3a²/80, ∫xy = −V·ab/80.
    let (a, b, c) = (2.0, 3.0, 0.7);
    let mesh = TriMesh::from_arrays(
        &[[0.0; 3], [a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]],
        &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    )
    .unwrap();
    let v = a * b * c / 6.0;
    let inertia = DMat3::new(
        DVec3::new(3.0 * (b * b + c * c), a * b, a * c),
        DVec3::new(a * b, 3.0 * (a * a + c * c), b * c),
        DVec3::new(a * c, b * c, 3.0 * (a * a + b * b)),
    );
    let m = mass_properties(&mesh).unwrap();
    assert_close(&m, v, DVec3::new(a, b, c) / 4.0, &scale(&inertia, v / 80.0), 1e-14);
    let (mass, inertia) = m.at_density(1000.0);
    assert!((mass - 1000.0 * v).abs() < 1e-9 && gap(&inertia, &m.inertia_for_mass(mass)) < 1e-9);

    let regular = mass_properties(&generators::tetrahedron(1.5).unwrap()).unwrap();
    let v = 1.5f64.powi(3) / (6.0 * 2f64.sqrt());
    let i = v * 1.5 * 1.5 / 20.0;
    assert_close(&regular, v, DVec3::zero(), &diagonal(i, i, i), 1e-14);
}

#[test]
fn ellipsoids_converge_with_the_square_of_the_step() {
    let r = DVec3::new(0.5, 1.0, 1.5);
    let v = 4.0 / 3.0 * PI * r.x * r.y * r.z;
    let q = r * r;
    let inertia = diagonal(v / 5.0 * (q.y + q.z), v / 5.0 * (q.z + q.x), v / 5.0 * (q.x + q.y));
    let errors: Vec<[f64; 2]> = (2..6)
        .map(|n| {
            let m = mass_properties(&generators::ellipsoid(r, n).unwrap()).unwrap();
            [1.0 - m.volume / v, gap(&m.inertia, &inertia) / trace(&inertia)]
        })
        .collect();
    for w in errors.windows(2) {
        for k in 0..2 {
            let ratio = w[0][k] / w[1][k];
            assert!((3.7..4.3).contains(&ratio), "ratio {ratio} in {errors:?}");
        }
    }
}

#[test]
fn every_closed_generator_agrees_with_quadrature() {
    let shapes = [
        generators::t_handle([3.0, 0.5], [0.4, 1.5], 0.6).unwrap(),
        generators::l_shape(DVec3::new(2.0, 3.0, 0.5), 0.6).unwrap(),
        generators::wedge(DVec3::new(1.0, 2.0, 3.0)).unwrap(),
        generators::chain_link(0.5, 0.4, 0.1, 16, 8).unwrap(),
        generators::cone(0.7, 2.0, 17).unwrap(),
        generators::uv_sphere(1.0, 13, 8, true).unwrap(),
        generators::capsule(0.3, 1.0, 12, 4).unwrap(),
    ];
    for mesh in &shapes {
        let moved = mesh.mapped(|p| p + DVec3::new(0.3, -0.7, 1.1)).unwrap();
        let (volume, center, inertia) = by_quadrature(&moved);
        assert_close(&mass_properties(&moved).unwrap(), volume, center, &inertia, 1e-12);
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost_but_the_coordinates() {
    let mesh = generators::t_handle([3.0, 0.5], [0.5, 1.5], 0.75).unwrap();
    let here = mass_properties(&mesh).unwrap();
    // Dyadic sizes and shift: the moved coordinates are exact, so the answer must be too.
    let shift = DVec3::new(2f64.powi(30), -(2f64.powi(31)), 2f64.powi(29));
    let there = mass_properties(&mesh.mapped(|p| p + shift).unwrap()).unwrap();
    assert!((there.volume / here.volume - 1.0).abs() < 1e-14);
    assert!(gap(&there.inertia, &here.inertia) < 1e-6 * trace(&here.inertia), "{there:?}");
    assert!((there.center - shift - here.center).mag() < 1e-6);
}

proptest! {
    #[test]
    fn a_moved_body_moves_its_properties(w in prop::array::uniform3(-3.0..3.0f64), x in prop::array::uniform3(-5.0..5.0f64)) {
        let mesh = generators::t_handle([3.0, 0.5], [0.4, 1.5], 0.6).unwrap();
        let m = mass_properties(&mesh).unwrap();
        let pose = Pose::new(x.into(), rotor_from_rotation_vector(w.into()));
        let r = pose.matrix();
        let moved = mass_properties(&mesh.mapped(|p| pose.point_to_world(p)).unwrap()).unwrap();
        prop_assert!((moved.volume - m.volume).abs() < 1e-13);
        prop_assert!((moved.area - m.area).abs() < 1e-13);
        prop_assert!((moved.center - pose.point_to_world(m.center)).mag() < 1e-13);
        prop_assert!(gap(&moved.inertia, &(r * m.inertia * r.transposed())) < 1e-12);
        for k in 0..3 {
            prop_assert!((moved.principal().moments[k] - m.principal().moments[k]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_cavity_counts_negative() {
    let outer_box = generators::cuboid(DVec3::one() * 3.0, [1; 3]).unwrap();
    let inner = generators::cuboid(DVec3::one(), [1; 3]).unwrap();
    let join = |a: &TriMesh, b: &TriMesh, flip: bool, shift: f64| {
        let n = a.positions().len() as u32;
        let mut p = a.positions().to_vec();
        p.extend(b.positions().iter().map(|&x| x + DVec3::unit_x() * shift));
        let mut t = a.triangles().to_vec();
        t.extend(
            b.triangles()
                .iter()
                .map(|&[i, j, k]| if flip { [i + n, k + n, j + n] } else { [i + n, j + n, k + n] }),
        );
        TriMesh::new(p, t).unwrap()
    };
    let hollow = mass_properties(&join(&outer_box, &inner, true, 0.0)).unwrap();
    assert!((hollow.volume - 26.0).abs() < 1e-13);
    assert!((hollow.inertia.cols[0].x - (27.0 * 1.5 - 1.0 / 6.0)).abs() < 1e-12);
    // The same inside-out box beside the first is no cavity; far enough away the moments give it away.
    let wrong = mass_properties(&join(&outer_box, &inner, true, 40.0));
    assert!(matches!(wrong, Err(MeshError::NotASolid { moment }) if moment < 0.0), "{wrong:?}");
}

#[test]
fn surfaces_without_a_volume_are_refused() {
    let sheet = generators::grid([1.0, 1.0], [3, 3]).unwrap();
    assert!(matches!(mass_properties(&sheet), Err(MeshError::NotClosed { boundary_edges: 12, .. })));

    let mut inside_out = generators::icosphere(1.0, 1).unwrap().into_parts();
    inside_out.1.iter_mut().for_each(|t| t.swap(0, 1));
    let refused = mass_properties(&TriMesh::new(inside_out.0, inside_out.1).unwrap()).unwrap_err();
    assert!(matches!(refused, MeshError::NoVolume { volume } if volume < -3.0));
    assert!(refused.to_string().contains("counter-clockwise"));

    // A sphere pressed flat in a tilted plane: closed, and its volume is rounding of either sign.
    for k in 0..20 {
        let n = DVec3::new(0.3, 0.1 * f64::from(k), 1.0).normalized();
        let flat = generators::icosphere(1.0, 2).unwrap().mapped(|p| p - n * p.dot(n)).unwrap();
        assert!(matches!(mass_properties(&flat), Err(MeshError::NoVolume { .. })));
    }
    let point = generators::icosphere(1.0, 1).unwrap().mapped(|_| DVec3::one()).unwrap();
    assert!(matches!(mass_properties(&point), Err(MeshError::NoVolume { .. })));
    for s in [1e-80, 1e150, 1e300] {
        let extreme = generators::icosphere(1.0, 1).unwrap().mapped(|p| p * s).unwrap();
        assert!(matches!(mass_properties(&extreme), Err(MeshError::NoVolume { .. })), "scale {s}");
    }
    assert!(mass_properties(&generators::plate([1.0, 1.0], 1e-9, [1, 1]).unwrap()).is_ok());
}

#[test]
fn areas_add_up() {
    let mesh = generators::cylinder(0.5, 2.0, 24, 3).unwrap();
    let per_vertex = vertex_areas(&mesh);
    let half = (PI / 24.0).sin();
    let closed_form = 24.0 * 2.0 * 0.5 * half * 2.0 + 24.0 * (PI / 12.0).sin() * 0.25;
    assert!((area(&mesh) - closed_form).abs() < 1e-13);
    assert!((per_vertex.iter().sum::<f64>() - closed_form).abs() < 1e-13);
    let t =
        TriMesh::from_arrays(&[[0.0; 3], [3.0, 0.0, 0.0], [9.0; 3], [0.0, 4.0, 0.0]], &[[0, 1, 3]]).unwrap();
    assert_eq!(vertex_areas(&t), [2.0, 2.0, 0.0, 2.0]);
}
