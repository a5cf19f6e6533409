//! Which edges of a body that keeps its shape can be met by an edge.
//!
//! An edge between two faces in one plane is where a mesh has put it. What is straight meets that plane in an area or a line whose ends are
//! vertices or crossings of the side's outline, and these hold it; a contact at such an edge counts a force once more: a box of 1 kg on springs of
//! 10 kN/m that fell on a floor of two triangles had seven contacts for four, and sank in by 0.11 mm for 0.21.
//!
//! Edges at the bottom of a groove are met after its walls too, but stay: where soft springs let a body sink in they carry a part. Without
//! them rings whose deepest point on a pin is 0.46 m in hung by 1.18, through a tube of 1.2 m.

use impinge_geometry::{DVec3, Topology, TriMesh, triangle_area_vector, try_normalized};

/// Sine of the angle to which two faces are one plane: above the rounding of meshes in single precision, and so far below the angles of
/// round ones (62 thousand facets around) that none of those is taken for plane.
pub const COPLANAR: f64 = 1e-4;

/// By edge of the topology: its two faces are not in one plane, it has one face alone, or nobody can say (some edge of the mesh has more faces than two
/// or two that do not run opposite ways, or a face has no area).
#[must_use]
pub fn outer_edges(mesh: &TriMesh, topology: &Topology) -> Vec<bool> {
    let normal = |f: u32| {
        let corners = mesh.triangles()[f as usize].map(|v| mesh.positions()[v as usize]);
        try_normalized(triangle_area_vector(corners))
    };
    if !topology.has_front() {
        return vec![true; topology.edges().len()];
    }
    let turns = |&[f, g]: &[u32; 2]| {
        if g == Topology::NONE {
            return true;
        }
        let (Some(n), Some(m)) = (normal(f), normal(g)) else { return true };
        !coplanar(n, m, COPLANAR)
    };
    topology.edge_faces().iter().map(turns).collect()
}

/// Whether two unit normals look the same way, to an angle of this sine.
#[must_use]
pub fn coplanar(n: DVec3, m: DVec3, sine: f64) -> bool {
    n.dot(m) > 0.0 && n.cross(m).mag() < sine
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{cuboid, cylinder, grid, icosphere, torus};

    fn kept(mesh: &TriMesh) -> [usize; 2] {
        let topology = Topology::new(mesh);
        let outer = outer_edges(mesh, &topology);
        [outer.iter().filter(|o| **o).count(), outer.len()]
    }

    #[test]
    fn of_boxes_the_outline() {
        // Six squares with a diagonal each; as many edges on the outline whatever the size, two per edge of the box with two segments.
        for (size, segments, [n, of]) in
            [(1.0, [1, 1, 1], [12, 18]), (1e-9, [1, 1, 1], [12, 18]), (1e6, [2, 2, 2], [24, 72])]
        {
            let mesh = cuboid(DVec3::new(1.0, 2.0, 3.0) * size, segments).unwrap();
            assert_eq!(kept(&mesh), [n, of]);
            // As a file in single precision gives it, turned.
            let turned = mesh.positions().iter().map(|p| {
                let p = DVec3::new(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z + size / 3.0);
                DVec3::new(f64::from(p.x as f32), f64::from(p.y as f32), f64::from(p.z as f32))
            });
            assert_eq!(kept(&TriMesh::new(turned.collect(), mesh.triangles().to_vec()).unwrap()), [n, of]);
        }
    }

    #[test]
    fn round_ones_are_kept() {
        // Two rims and the lines along it, in three pieces each.
        assert_eq!(kept(&cylinder(1.0, 2.0, 5000, 3).unwrap())[0], 5 * 5000);
        let [ball, of] = kept(&icosphere(1.0, 4).unwrap());
        assert_eq!(ball, of);
        // Each of its four-sided pieces is plane, and has a diagonal.
        assert_eq!(kept(&torus(2.0, 0.5, 40, 20).unwrap()), [2 * 40 * 20, 3 * 40 * 20]);
    }

    #[test]
    fn of_an_open_grid_the_border() {
        let [sheet, of] = kept(&grid([1.0, 1.0], [3, 3]).unwrap());
        assert_eq!([sheet, of], [12, 33]);
    }

    #[test]
    fn where_nobody_can_say_all_are_kept() {
        // Both sides of one triangle: folded flat, and out of a corner of no area.
        let x = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        assert_eq!(kept(&TriMesh::new(x.clone(), vec![[0, 1, 2], [0, 2, 1]]).unwrap()), [3, 3]);
        let line = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_x() * 2.0];
        assert_eq!(kept(&TriMesh::new(line, vec![[0, 1, 2], [0, 2, 1]]).unwrap()), [3, 3]);
    }
}
