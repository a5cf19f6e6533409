//! A square cloth as one implicit step sees it: K = M + h²·stiffness, positions, velocities, gravity.

use impinge_elasticity::cloth::{Cloth, Hinges, MembraneLaw, Membranes, plate_stiffness};
use impinge_elasticity::{
    Projection,
    assemble::{Workspace, add_forces, add_hessian, block_slots},
};
use impinge_geometry::{DVec3, generators::grid};
use impinge_solvers::BlockPattern;

/// Pattern, values and state.
pub struct ClothStep {
    /// Where the blocks lie.
    pub pattern: BlockPattern,
    /// M + h² ∂²E.
    pub values: Vec<[f64; 9]>,
    /// Positions (m).
    pub x: Vec<DVec3>,
    /// h (f − h ∂²E v) for v = 0 at the positions given (N·s).
    pub b: Vec<DVec3>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// A cloth of side 1 m, `side`² vertices, Young's modulus `e` (Pa), 0.5 mm, 0.2 kg/m²; positions by `shape` of the flat grid.
pub fn cloth(side: usize, e: f64, h: f64, shape: impl Fn(DVec3) -> DVec3) -> ClothStep {
    let s = (side - 1) as u32;
    let mesh = grid([1.0, 1.0], [s, s]).unwrap();
    let rest: Vec<DVec3> = mesh.positions().to_vec();
    let membranes = Membranes::from_rest(mesh.triangles(), &rest, DVec3::unit_x()).unwrap();
    let hinges = Hinges::from_mesh(&mesh, plate_stiffness(e, 0.3, 0.5e-3).unwrap()).unwrap();
    let law = MembraneLaw::isotropic(e, 0.3, 0.5e-3).unwrap();
    let mut mass = vec![0.0; rest.len()];
    membranes.view().add_masses(0.2, &mut mass);
    let x: Vec<DVec3> = rest.iter().map(|&p| shape(p)).collect();
    let body = Cloth { membranes: membranes.view(), law };
    let bend = hinges.view();
    let stencils: Vec<&[u32]> =
        body.membranes.nodes.iter().map(|n| &n[..]).chain(bend.nodes.iter().map(|n| &n[..])).collect();
    let pattern = BlockPattern::new(rest.len(), stencils.iter().copied()).unwrap();
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    let slots = block_slots(body.membranes.nodes, |r, c| Some(pattern.slot(r, c)));
    add_hessian(&body, &x, Projection::Spd, &slots, &mut values, &mut Workspace::default());
    let slots = block_slots(bend.nodes, |r, c| Some(pattern.slot(r, c)));
    add_hessian(&bend, &x, Projection::Spd, &slots, &mut values, &mut Workspace::default());
    values.iter_mut().flatten().for_each(|v| *v *= h * h);
    let mut b = vec![DVec3::zero(); rest.len()];
    add_forces(&body, &x, &mut b, &mut Workspace::default());
    add_forces(&bend, &x, &mut b, &mut Workspace::default());
    for (i, m) in mass.iter().enumerate() {
        (0..3).for_each(|k| values[i][4 * k] += m);
        b[i] = (b[i] + DVec3::new(0.0, 0.0, -9.81 * m)) * h;
    }
    ClothStep { pattern, values, x, b, triangles: mesh.triangles().to_vec() }
}
