//! Solids and poses for the kernels that take bodies.

use crate::families::Numbers;
use crate::hostile::{Made, any, finite, grid, points, spoil, vector};
use impinge_geometry::{
    DVec3, Pose, TetMesh, TriMesh, cuboid, icosphere, l_shape, rotor_from_rotation_vector, tet_volume,
    tetrahedron, torus,
};

/// A pose on a lattice, anywhere near, or far from sensible.
pub fn pose(r: &mut Numbers) -> Pose {
    let turn = match r.below(4) {
        0 => DVec3::zero(),
        1 => grid(r, 1) * std::f64::consts::FRAC_PI_2,
        _ => vector(r) * 3.0,
    };
    let place = match r.below(12) {
        0..5 => grid(r, 2) * 0.25,
        5..11 => vector(r) * 0.6,
        _ => DVec3::new(any(r), finite(r), 0.0),
    };
    Pose::new(place, rotor_from_rotation_vector(turn))
}

/// Two tets right way round, flat and far from sensible ones among them.
pub fn two_tets(r: &mut Numbers) -> ([[DVec3; 4]; 2], Made) {
    let mut x = points(r, 8);
    let made = spoil(r, &mut x);
    let mut tets = [[x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]];
    for t in &mut tets {
        if tet_volume(*t) < 0.0 {
            t.swap(2, 3);
        }
    }
    (tets, made)
}

/// A small closed surface that encloses a volume.
pub fn surface(r: &mut Numbers) -> TriMesh {
    let n = 1 + r.below(2) as u32;
    let made = match r.below(6) {
        0 => cuboid(DVec3::one(), [n, 1, n]),
        1 => icosphere(0.5, n - 1),
        2 => torus(0.5, 0.2, 6 + n, 5),
        3 => l_shape(DVec3::new(1.0, 0.8, 0.5), 0.3),
        4 => tetrahedron(1.0),
        _ => cuboid(DVec3::new(1.0, 0.5, 0.25), [1, n, 1]),
    };
    made.unwrap_or_else(|e| panic!("a generator refused its own shape: {e}"))
}

/// A surface moved, turned and spoiled: its vertices, not its connectivity. `None` where a coordinate became NaN or
/// infinite.
pub fn spoiled(r: &mut Numbers) -> (Option<TriMesh>, Made) {
    let mesh = surface(r);
    let by = pose(r);
    let (mut x, triangles) = mesh.into_parts();
    let placed: Vec<DVec3> = x.iter().map(|&p| by.point_to_world(p)).collect();
    if placed.iter().all(|&p| p.mag() < 10.0) {
        x = placed;
    }
    let made = spoil(r, &mut x);
    (TriMesh::new(x, triangles).ok(), made)
}

/// One or a few tets of positive volume.
pub fn tets(r: &mut Numbers) -> (TetMesh, Made) {
    let mut x = points(r, 5);
    let mut made = spoil(r, &mut x);
    let mut list = Vec::new();
    for t in [[0u32, 1, 2, 3], [1, 2, 3, 4]] {
        let v = tet_volume(t.map(|i| x[i as usize]));
        if v > 0.0 {
            list.push(t);
        } else if v < 0.0 {
            list.push([t[0], t[1], t[3], t[2]]);
        }
    }
    match TetMesh::new(x, list) {
        // The gradient in a sliver is rounding.
        Ok(m) if m.volumes().iter().any(|&v| v < 1e-3) => (m, Made::Extreme),
        Ok(m) => (m, made),
        Err(_) => {
            made = Made::Ordinary;
            let x = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
            (
                TetMesh::new(x, vec![[0, 1, 2, 3]])
                    .unwrap_or_else(|e| panic!("the unit tet was refused: {e}")),
                made,
            )
        }
    }
}
