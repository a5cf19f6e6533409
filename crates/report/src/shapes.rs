//! What a simulation looks like, in the numbers the page draws: shapes of its bodies, poses, points.

use crate::{BodyKind, BodyShape, Plane};
use impinge_contact::BodyKind as Kind;
use impinge_geometry::{DVec3, Pose};
use impinge_world::{Dofs, Shape, Shapes, Simulation};

/// In single precision, as the page draws.
pub(crate) fn f32x3(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Position and quaternion (x, y, z, w).
pub(crate) fn pose7(p: &Pose) -> [f32; 7] {
    let r = p.rotation;
    let [x, y, z] = f32x3(p.position);
    [x, y, z, -r.bv.yz as f32, r.bv.xz as f32, -r.bv.xy as f32, r.s as f32]
}

/// Shapes in body frames, for the playback.
pub(crate) fn shapes(sim: &Simulation) -> Vec<BodyShape> {
    let (shapes, dofs) = (sim.column::<Shapes>(), sim.column::<Dofs>());
    let kind = |b: usize| match (&shapes.0[b], dofs.bodies.kind[b]) {
        (Shape::Plane { .. }, _) => BodyKind::Plane,
        (_, Kind::Fixed) => BodyKind::Fixed,
        (_, Kind::Kinematic) => BodyKind::Kinematic,
        (_, Kind::Rigid) => BodyKind::Rigid,
        (_, Kind::Particles | Kind::Deformable) => BodyKind::Particles,
    };
    let body = |b: usize| {
        let nodes = dofs.nodes.mass[sim.nodes_of(b as u32)].iter().sum::<f64>();
        let mut out = BodyShape {
            name: sim.names()[b].clone(),
            kind: kind(b),
            mass: dofs.bodies.mass[b] + nodes,
            ..BodyShape::default()
        };
        match &shapes.0[b] {
            Shape::Mesh(m) => {
                out.vertices = m.mesh.positions().iter().map(|&p| f32x3(p)).collect();
                out.triangles = m.mesh.triangles().to_vec();
            }
            Shape::Plane { normal, offset } => {
                let pose = sim.pose(b as u32);
                let n = pose.vector_to_world(*normal);
                out.plane = Some(Plane { normal: f32x3(n), offset: (offset + n.dot(pose.position)) as f32 });
            }
            Shape::Soft(s) => {
                if let Some(mesh) = &s.mesh {
                    out.vertices = mesh.positions().iter().map(|&p| f32x3(p)).collect();
                    out.triangles = mesh.triangles().to_vec();
                }
                out.line = s.mesh.is_none();
            }
            Shape::Points { .. } => {}
        }
        out
    };
    (0..shapes.0.len()).map(body).collect()
}
