//! Bodies filled by `impinge-meshing` against the exact field of the same body.

use impinge_geometry::{DVec3, Pose, icosphere};
use impinge_meshing::{FillOptions, fill};
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
