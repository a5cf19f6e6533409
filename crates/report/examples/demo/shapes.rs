//! Meshes of the demo: a plane, a box with its middle at the origin, a ball of meridians and circles of
//! latitude.

use impinge_report::{BodyKind, BodyShape, Plane};

/// Half edges of the box (m).
pub const HALF: [f64; 3] = [0.11, 0.08, 0.06];
/// Radius of the ball (m).
pub const RADIUS: f64 = 0.09;

/// Floor, box, ball.
pub fn bodies(names: &[&str; 3]) -> Vec<BodyShape> {
    let named = |name: &str| BodyShape { name: name.into(), ..BodyShape::default() };
    let (ball_vertices, ball_triangles) = ball(48, 24);
    vec![
        BodyShape {
            kind: BodyKind::Plane,
            plane: Some(Plane { normal: [0.0, 0.0, 1.0], offset: 0.0 }),
            ..named(names[0])
        },
        BodyShape {
            vertices: corners().map(|c| c.map(|v| v as f32)).to_vec(),
            triangles: BOX_FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
            ..named(names[1])
        },
        BodyShape { vertices: ball_vertices, triangles: ball_triangles, ..named(names[2]) },
    ]
}

const BOX_FACES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Corners of the box, in its own frame; bit k of the index is the sign along axis k.
pub fn corners() -> [[f64; 3]; 8] {
    std::array::from_fn(|i| std::array::from_fn(|k| if i >> k & 1 == 1 { HALF[k] } else { -HALF[k] }))
}

/// A ball from meridians and circles of latitude.
fn ball(around: u32, down: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut vertices = vec![[0.0, 0.0, RADIUS as f32], [0.0, 0.0, -RADIUS as f32]];
    for row in 1..down {
        let polar = std::f64::consts::PI * f64::from(row) / f64::from(down);
        for k in 0..around {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(around);
            let p = [polar.sin() * turn.cos(), polar.sin() * turn.sin(), polar.cos()];
            vertices.push(p.map(|c| (c * RADIUS) as f32));
        }
    }
    let at = |row: u32, k: u32| 2 + (row - 1) * around + k % around;
    let mut triangles = Vec::new();
    for k in 0..around {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        triangles.push([1, at(down - 1, k + 1), at(down - 1, k)]);
        for row in 1..down - 1 {
            triangles.push([at(row, k), at(row + 1, k), at(row + 1, k + 1)]);
            triangles.push([at(row, k), at(row + 1, k + 1), at(row, k + 1)]);
        }
    }
    (vertices, triangles)
}
