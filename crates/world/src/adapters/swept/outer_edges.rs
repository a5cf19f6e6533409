//! Which edges of a body that keeps its shape can be met by an edge.
//!
//! Where an edge lies in a plane side or at the bottom of a groove, whatever straight thing reaches it from outside has met something before:
//! a side meets in an area whose corners are vertices, or crossings of its outline, and these hold it; in a groove the walls do. Such an edge is
//! where a mesh has put it, and a contact there counts a force twice: a box that fell on a floor of two triangles had nine contacts for
//! four, and sank 0.10 mm where its springs give way by 0.24.

use impinge_geometry::{DVec3, Topology, TriMesh, triangle_area_vector, try_normalized};

/// Sine of the angle to which two faces are one plane: above the rounding of meshes in single precision, and so far below the angles of
/// round ones (62 thousand facets around) that none of those is taken for plane.
const PLANE: f64 = 1e-4;

/// By edge of the topology: it sticks out, or nobody can say (it has other than two faces that run opposite ways, or one without an area).
pub(super) fn outer_edges(mesh: &TriMesh, topology: &Topology) -> Vec<bool> {
    let (triangles, x) = (mesh.triangles(), mesh.positions());
    let corners = |f: u32| triangles[f as usize].map(|v| x[v as usize]);
    let normal = |f: u32| try_normalized(triangle_area_vector(corners(f)));
    let mut outer = vec![true; topology.edges().len()];
    if !topology.is_closed() {
        return outer;
    }
    for (edge, (&[f, g], &ends)) in topology.edge_faces().iter().zip(topology.edges()).enumerate() {
        let (Some(n), Some(m)) = (normal(f), normal(g)) else { continue };
        // How far the third corner of one face is above the plane of the other.
        let height = |of: u32, n: DVec3| {
            let c = triangles[of as usize].into_iter().find(|v| !ends.contains(v));
            c.map_or(0.0, |c| n.dot(x[c as usize] - x[ends[0] as usize]))
        };
        let plane = n.dot(m) > 0.0 && n.cross(m).mag() < PLANE;
        outer[edge] = !(plane || height(g, n) > 0.0 && height(f, m) > 0.0);
    }
    outer
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{cuboid, cylinder, grid, icosphere, l_shape};

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
            assert_eq!(
                kept(&TriMesh::new(turned.collect(), mesh.triangles().to_vec()).unwrap()),
                [n, of]
            );
        }
    }

    #[test]
    fn hollow_ones_are_left_out_and_round_ones_kept() {
        // Two outlines of six and six uprights, of which one is in the corner.
        assert_eq!(kept(&l_shape(DVec3::new(1.0, 1.0, 0.2), 0.3).unwrap())[0], 17);
        // Two rims and the lines along it, in three pieces each.
        assert_eq!(kept(&cylinder(1.0, 2.0, 5000, 3).unwrap())[0], 5 * 5000);
        let [ball, of] = kept(&icosphere(1.0, 4).unwrap());
        assert_eq!(ball, of);
    }

    #[test]
    fn where_nobody_can_say_all_are_kept() {
        let sheet = grid([1.0, 1.0], [3, 3]).unwrap();
        let [sheet, of] = kept(&sheet);
        assert_eq!(sheet, of);
        // Both sides of one triangle: folded flat, and out of a corner of no area.
        let x = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        assert_eq!(kept(&TriMesh::new(x.clone(), vec![[0, 1, 2], [0, 2, 1]]).unwrap()), [3, 3]);
        let line = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_x() * 2.0];
        assert_eq!(kept(&TriMesh::new(line, vec![[0, 1, 2], [0, 2, 1]]).unwrap()), [3, 3]);
    }
}
