//! ∇ε at vertices (§VI-A.1), damping (17) by it, and laws of dissipation that are not ours.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose, TetMesh, rotor_from_rotation_vector};
use impinge_pressure::{
    CompliantBody, ContactSurface, Coulomb, Dissipation, FaceTraction, HalfSpace, Motion, NodalGradients,
    Pressing, Rule, Shape, TractionLaw, Workspace, contact, fields, tractions, tractions_by,
};

/// Half an edge (m), and a modulus (Pa).
const HALF: f64 = 0.05;
const MODULUS: f64 = 1e6;

fn cube() -> CompliantBody {
    fields::cuboid(DVec3::broadcast(2.0 * HALF), MODULUS).unwrap()
}

/// The cube at a pose on a rigid floor.
fn pressed(body: CompliantBody, pose: &Pose) -> ContactSurface {
    let floor: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let mut out = ContactSurface::new();
    let (a, b) = (Shape::from(body), Pose::identity());
    contact(&a, pose, &floor, &b, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

#[test]
fn at_the_corners_of_a_cube_it_points_to_the_middle_with_the_inverse_of_the_distance() {
    let body = cube();
    assert_eq!(body.mesh().tets().len(), 12);
    let nodal = NodalGradients::new(&body);
    for (&x, &g) in body.mesh().positions().iter().zip(nodal.at_vertices()) {
        if x.mag() < 1e-12 {
            assert!(g.mag() < 1e-12 / HALF, "{g:?}");
        } else {
            let want = -x / x.mag_sq();
            assert!((g - want).mag() < 1e-12 * want.mag(), "{x:?}: {g:?} for {want:?}");
        }
    }
    let mut numbers = Lcg(3);
    for t in 0..12 {
        let c = body.mesh().tets()[t].map(|v| body.mesh().positions()[v as usize]);
        let w: [f64; 4] = std::array::from_fn(|_| 1.001 + numbers.next());
        let all: f64 = w.iter().sum();
        let x = (0..4).fold(DVec3::zero(), |x, k| x + c[k] * (w[k] / all));
        let want = -x / (3.0 * HALF * HALF);
        assert!((nodal.at(&body, t, x) - want).mag() < 1e-11 / HALF, "{x:?}");
    }
}

#[test]
fn a_linear_field_has_its_own_gradient_at_every_vertex() {
    let slope = DVec3::new(0.3, -0.7, 1.1);
    let x = vec![
        DVec3::zero(),
        DVec3::new(1.0, 0.1, 0.0),
        DVec3::new(0.2, 1.3, 0.1),
        DVec3::new(0.1, 0.2, 0.9),
        DVec3::new(1.1, 1.2, 1.3),
    ];
    let extent = x.iter().map(|x| slope.dot(*x)).collect();
    let mesh = TetMesh::new(x, vec![[0, 1, 2, 3], [4, 2, 1, 3]]).unwrap();
    let nodal = NodalGradients::new(&CompliantBody::new(mesh, extent, 2e5).unwrap());
    assert!(nodal.at_vertices().iter().all(|g| (*g - slope).mag() < 1e-12), "{nodal:?}");
}

/// The cube sinks flat into a rigid floor by d at a speed v. The pressure on the section is E/h times the lesser of d and the distance from the
/// sides: the volume of a frustum. ∇ε·n is (h − d)/(3h²) all over it, interpolated; of tets it is 1/h in the middle and 0 along the sides.
#[test]
fn damping_by_the_nodal_gradient_is_the_closed_form_on_a_pressed_cube() {
    let (body, chi, speed) = (cube(), 0.02, 0.4);
    let nodal = NodalGradients::new(&body);
    for depth in [0.001, 0.01, 0.03] {
        let centre = DVec3::new(0.0, 0.0, HALF - depth);
        let surface = pressed(body.clone(), &Pose::from_position(centre));
        let motion = Motion { velocity: DVec3::unit_z() * -speed, ..Motion::default() };
        let law = TractionLaw::default();
        let own = |at: &Pressing<'_>| {
            let x = surface.origin + surface.rotation * at.place - centre;
            let slope = nodal.at(&body, at.face.item_a as usize, x).dot(surface.rotation * at.face.normal);
            (at.pressure * (1.0 - chi * slope * at.rate)).max(0.0)
        };
        let t = tractions_by(&surface, &motion, &law, own, None);
        let inner = HALF - depth;
        let still = MODULUS * depth / HALF * 4.0 / 3.0 * (HALF * HALF + HALF * inner + inner * inner);
        let want = still * (1.0 + chi * speed * inner / (3.0 * HALF * HALF));
        assert!((t.normal.force.z / want - 1.0).abs() < 1e-10, "{}: {} for {want}", depth, t.normal.force.z);
        // What (17) has with the gradient of the tets.
        let law = TractionLaw { dissipation: Dissipation::ExtentOfA(chi), ..law };
        let t = tractions(&surface, &motion, &law, None).normal.force.z;
        let middle = MODULUS * depth / HALF * (4.0 * inner * inner);
        assert!((t / (still + middle * chi * speed / HALF) - 1.0).abs() < 1e-10);
    }
}

/// A law of ours as one's own gives the same bits; one that no number of ours says gives what it says.
#[test]
fn a_law_of_ones_own_is_integrated_as_ours_are() {
    let turn = rotor_from_rotation_vector(DVec3::new(0.3, 0.5, 0.1));
    let surface = pressed(cube(), &Pose::new(DVec3::unit_z() * 0.055, turn));
    assert!(surface.faces.len() > 1);
    let motion = Motion {
        velocity: DVec3::new(0.1, 0.2, -0.3),
        spin: DVec3::new(1.0, -2.0, 0.5),
        point: DVec3::zero(),
    };
    let friction = Coulomb { regularisation: 1e-3, ..Coulomb::constant(0.4) };
    let law = TractionLaw { dissipation: Dissipation::HuntCrossley(0.7), friction, ..TractionLaw::default() };
    let (mut ours, mut own): (Vec<FaceTraction>, Vec<FaceTraction>) = (Vec::new(), Vec::new());
    let t = tractions(&surface, &motion, &law, Some(&mut ours));
    let same = |at: &Pressing<'_>| {
        let raised = -0.7 * at.rate;
        at.pressure * if raised > -1.0 { 1.0 + raised } else { 0.0 }
    };
    assert_eq!(t, tractions_by(&surface, &motion, &law, same, Some(&mut own)));
    assert_eq!(ours, own);
    // Twice the pressure, whatever the motion.
    let t = tractions_by(&surface, &motion, &TractionLaw::default(), |at| 2.0 * at.pressure, None);
    assert!((t.normal.force - surface.wrench.force * 2.0).mag() < 1e-10 * t.normal.force.mag());
}
