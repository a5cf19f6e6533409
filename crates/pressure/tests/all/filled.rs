//! Bodies filled by `impinge-meshing` against the exact field of the same body.

use impinge_geometry::{DVec3, Pose, cuboid, icosphere, rotor_from_rotation_vector, torus};
use impinge_meshing::{FillOptions, fill, fill_fitted};
use impinge_pressure::{ContactSurface, HalfSpace, Rule, Shape, Workspace, contact, fields};

/// Normal force (N) of a ball of 0.1 m pressed a tenth of its radius into a rigid half space.
fn force(ball: &Shape) -> f64 {
    let ground: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let pose = Pose::from_position(DVec3::new(0.003, -0.002, 0.09));
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    contact(ball, &pose, &ground, &Pose::identity(), Rule::Paper, &mut workspace, &mut surface).unwrap();
    surface.wrench.force.z
}

#[test]
fn a_filled_ball_presses_as_the_exact_one_in_the_limit() {
    let (r, modulus, depth) = (0.1, 1e6, 0.01);
    // E ∫ (1 − √(s² + h²)/r) dA over the disc s² < r² − h² in which the plane, h below the centre, cuts the ball.
    let h: f64 = r - depth;
    let exact = std::f64::consts::PI * modulus * (r * r - h * h - 2.0 / (3.0 * r) * (r.powi(3) - h.powi(3)));
    let surface = icosphere(r, 5).unwrap();
    let mut errors = Vec::new();
    for cell in [0.03, 0.015, 0.0075] {
        let filled = fill(&surface, FillOptions::cell(cell)).unwrap();
        let body = fields::distance(filled.mesh, modulus, false).unwrap();
        assert_eq!(body.split_tets(), 0, "every tet has a corner inside");
        let f = force(&body.into());
        println!("cell {cell} m: {f:.3} N, exact {exact:.3} N, {:+.2} %", 100.0 * (f / exact - 1.0));
        errors.push((f / exact - 1.0).abs());
    }
    let order = (errors[0] / errors[2]).log2() / 2.0;
    println!("order {order:.2}");
    assert!(errors[2] < 0.05 && order > 1.5, "{errors:?}");
}

/// ∫ min(d, way to the sides) dA (m³) over the bottom of a box, d (m) being below half its smallest side.
fn pressed(size: DVec3, d: f64) -> f64 {
    let (x, y) = (size.x - 2.0 * d, size.y - 2.0 * d);
    d * x * y + d * d * (x + y) + 4.0 / 3.0 * d.powi(3)
}

/// Boxes whose sides are no whole multiples of each other, along the axes and turned, at the fineness of a scene that states none.
///
/// Let hx, hy, hz be the sides of a cell and ρ the ratio of the largest to the smallest. Lattice tets lie on one side of each plane through the cells'
/// diagonals, and between two of these the way to one face alone counts at their vertices if all sides are equal. Where they are not, it is less at
/// the vertices on such a plane, by ρ − 1 of their height at most. So at the depth d, below half a cell, the field is never too large, by (ρ − 1) d too
/// small at most, and only within a cell and a half of the rim. E stands at the deepest vertex: where none lies in the middle, all of the field is as
/// much steeper.
#[test]
fn few_fitted_cells_press_as_the_exact_box() {
    let ground: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    let (modulus, straight) = (1e6, DVec3::zero());
    for ([x, y, z], way) in [
        ([0.103, 0.097, 0.01], straight),
        ([0.21, 0.0213, 0.02], straight),
        ([0.1, 0.093, 0.081], straight),
        ([0.103, 0.097, 0.01], DVec3::new(0.5, -0.9, 0.3)),
        ([0.1, 0.1, 0.01], DVec3::new(-1.3, 0.4, 2.0)),
        ([0.21, 0.0213, 0.02], DVec3::new(0.1, 0.8, -0.6)),
    ] {
        let (size, d) = (DVec3::new(x, y, z), 0.05 * z);
        let turned = Pose { position: DVec3::zero(), rotation: rotor_from_rotation_vector(way) };
        let mesh = cuboid(size, [1; 3]).unwrap().mapped(|p| turned.point_to_world(p)).unwrap();
        let options = FillOptions::within(&mesh, 6, 20_000).unwrap();
        let filled = fill_fitted(&mesh, options).unwrap();
        let tets = filled.quality.tets;
        // The force is that of the slope times what a depth of 1 would press.
        let inside = |p: &DVec3| (size * 0.5 - turned.point_to_body(*p).abs()).component_min();
        let deepest = filled.mesh.positions().iter().map(inside).fold(0.0, f64::max);
        let slope = modulus / deepest;
        assert!(deepest > 0.5 * z - 0.5 * options.cell, "{deepest} m");
        let body: Shape = fields::distance(filled.mesh, modulus, true).unwrap().into();
        let back = Pose { position: DVec3::new(0.0, 0.0, 0.5 * z - d), rotation: turned.rotation.reversed() };
        contact(&body, &back, &ground, &Pose::identity(), Rule::Paper, &mut workspace, &mut surface).unwrap();
        let (got, exact) = (surface.wrench.force.z, slope * pressed(size, d));
        let cell = size.map(|s| s / (s / options.cell).round());
        let ratio = cell.component_max() / cell.component_min();
        let rim = x * y - (x - 3.0 * cell.x) * (y - 3.0 * cell.y);
        let most = slope * (ratio - 1.0) * d * rim;
        let ideal = modulus / (0.5 * z) * pressed(size, d);
        println!(
            "{size:?} by {way:?}: {tets} tets, {got:.4} N for {exact:.4} N, {most:.4} N less at most; {ideal:.4} N if E stood in the middle"
        );
        assert!(tets <= 20_000, "{tets}");
        let lost = exact - got;
        assert!(
            lost > -1e-9 * exact && lost < most + 1e-9 * exact,
            "{got} N for {exact} N, {most} N less at most"
        );
    }
}

/// The field of a filling says of itself what the filling does.
#[test]
fn a_field_on_tets_that_touch_says_so() {
    let ring = torus(0.2, 0.19, 48, 24).unwrap();
    let mut told = 0;
    for k in 0..12 {
        let filled = fill(&ring, FillOptions::cell(0.03 + 0.01 * f64::from(k))).unwrap();
        let touches = filled.quality.non_manifold_edges + filled.quality.pinched_vertices > 0;
        let said = fields::distance(filled.mesh, 1e6, true).unwrap().manifold_warning();
        assert_eq!(said.is_some(), touches, "{said:?}");
        told += usize::from(touches);
    }
    assert!(told > 0, "no cell of these pinches the hole");
}
