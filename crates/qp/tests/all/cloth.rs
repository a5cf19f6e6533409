//! A square cloth as implicit steps see it, falling on a sphere: K = M + h²·stiffness, b, and the rows of the sphere.
#![allow(dead_code)]

use impinge_elasticity::cloth::{Cloth, Hinges, MembraneLaw, Membranes, plate_stiffness};
use impinge_elasticity::{
    Projection,
    assemble::{Workspace, add_forces, add_hessian, block_slots},
};
use impinge_geometry::{DVec3, generators::grid};
use impinge_qp::{Point, RowKind, Rows, contact_row, friction_rows, push_friction_points, push_points};
use impinge_solvers::{ApplyWorkspace, BlockMatrix, BlockPattern, Layout};

/// Radius of the sphere, around the origin (m).
pub const RADIUS: f64 = 0.4;
/// Step (s).
pub const H: f64 = 0.01;

/// Cloth of 1 m², 0.2 kg/m², 0.5 mm, its state and the system of its next step.
pub struct Falling {
    membranes: Membranes,
    hinges: Hinges,
    law: MembraneLaw,
    slots: Vec<[[u32; 3]; 3]>,
    bend_slots: Vec<[[u32; 4]; 4]>,
    mass: Vec<f64>,
    pub pattern: BlockPattern,
    pub values: Vec<[f64; 9]>,
    pub b: Vec<DVec3>,
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    pub rows: Rows,
    /// What is left of the velocity after a step.
    pub keep: f64,
    /// Coefficient of friction; 0 leaves the rows of friction out.
    pub friction: f64,
    /// Normal of a plane through the origin in place of the sphere.
    pub plane: Option<DVec3>,
}

impl Falling {
    /// `side`² vertices, Young's modulus `e` (Pa), just above the sphere at 1.5 m/s.
    pub fn new(side: u32, e: f64) -> Self {
        let mesh = grid([1.0, 1.0], [side - 1, side - 1]).unwrap();
        let rest: Vec<DVec3> = mesh.positions().to_vec();
        let membranes = Membranes::from_rest(mesh.triangles(), &rest, DVec3::unit_x()).unwrap();
        let hinges = Hinges::from_mesh(&mesh, plate_stiffness(e, 0.3, 0.5e-3).unwrap()).unwrap();
        let law = MembraneLaw::isotropic(e, 0.3, 0.5e-3).unwrap();
        let mut mass = vec![0.0; rest.len()];
        membranes.view().add_masses(0.2, &mut mass);
        let (m, h) = (membranes.view(), hinges.view());
        let stencils: Vec<&[u32]> =
            m.nodes.iter().map(|n| &n[..]).chain(h.nodes.iter().map(|n| &n[..])).collect();
        let pattern = BlockPattern::new(rest.len(), stencils.iter().copied()).unwrap();
        let slots = block_slots(m.nodes, |r, c| Some(pattern.slot(r, c)));
        let bend_slots = block_slots(h.nodes, |r, c| Some(pattern.slot(r, c)));
        let x: Vec<DVec3> = rest.iter().map(|p| *p + DVec3::new(0.0, 0.0, RADIUS + 0.002)).collect();
        let v = vec![DVec3::new(0.0, 0.0, -1.5); x.len()];
        let values = vec![[0.0; 9]; pattern.blocks()];
        let b = vec![DVec3::zero(); x.len()];
        let rows = Rows::new();
        Self {
            membranes,
            hinges,
            law,
            slots,
            bend_slots,
            mass,
            pattern,
            values,
            b,
            x,
            v,
            rows,
            keep: 0.93,
            friction: 0.0,
            plane: None,
        }
    }

    /// K, b and the rows of every vertex that may reach the sphere within the step.
    pub fn assemble(&mut self) {
        let body = Cloth { membranes: self.membranes.view(), law: self.law };
        let bend = self.hinges.view();
        self.values.fill([0.0; 9]);
        add_hessian(
            &body,
            &self.x,
            Projection::Spd,
            &self.slots,
            &mut self.values,
            &mut Workspace::default(),
        );
        add_hessian(
            &bend,
            &self.x,
            Projection::Spd,
            &self.bend_slots,
            &mut self.values,
            &mut Workspace::default(),
        );
        self.values.iter_mut().flatten().for_each(|v| *v *= H * H);
        self.b.fill(DVec3::zero());
        add_forces(&body, &self.x, &mut self.b, &mut Workspace::default());
        add_forces(&bend, &self.x, &mut self.b, &mut Workspace::default());
        let mut stiff = vec![DVec3::zero(); self.x.len()];
        BlockMatrix::new(&self.pattern, &self.values).unwrap().apply(
            &self.v,
            &mut stiff,
            &mut ApplyWorkspace::default(),
        );
        for (i, &m) in self.mass.iter().enumerate() {
            self.b[i] = (self.b[i] + DVec3::new(0.0, 0.0, -9.81 * m)) * H - stiff[i];
            (0..3).for_each(|k| self.values[i][4 * k] += m);
        }
        self.rows.clear();
        let layout = Layout { nodes: self.x.len(), bodies: 0 };
        for (i, (&x, &v)) in self.x.iter().zip(&self.v).enumerate() {
            let n = self.plane.unwrap_or(x / x.mag());
            let foot = if self.plane.is_some() { x - n * n.dot(x) } else { n * RADIUS };
            if n.dot(x - foot) < 0.02 + 2.0 * H * v.mag() {
                let (zero, weight) = (DVec3::zero(), [1.0, -1.0, 0.0, 0.0]);
                let points = [Point::Node(i as u32), Point::Fixed, Point::Fixed, Point::Fixed];
                let velocity = [v, zero, zero, zero];
                let row = contact_row(&[x, foot, zero, zero], &velocity, &weight, n, 0.0, H);
                let at =
                    push_points(&mut self.rows, &layout, RowKind::Contact, i as u64, &points, &row).unwrap();
                if self.friction > 0.0 {
                    let tangent = friction_rows(&velocity, &weight, n);
                    push_friction_points(&mut self.rows, &layout, at, self.friction, &points, &tangent)
                        .unwrap();
                }
            }
        }
    }

    /// Takes the answer of the step.
    pub fn advance(&mut self, dv: &[DVec3]) {
        for i in 0..self.x.len() {
            self.v[i] += dv[i];
            self.x[i] += self.v[i] * H;
            // Air, so that it comes to rest within tens of steps.
            self.v[i] *= self.keep;
        }
    }
}
