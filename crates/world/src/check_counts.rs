//! Worlds whose features have more numbers than their indices are refused before anything is counted in 32 bits.

use impinge_bodies::Shape;
use impinge_geometry::TriMesh;

/// Refuses a world of these shapes that is too large for its indices, with the reason.
pub(crate) fn check_counts<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Result<(), String> {
    let (mut bodies, mut sum) = (0, [0u64; 3]);
    for shape in shapes {
        bodies += 1;
        let one = counts(shape);
        sum = [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]];
    }
    within(bodies, sum)
}

/// Vertices, faces and edges of a shape.
fn counts(shape: &Shape) -> [u64; 3] {
    let of = |m: &TriMesh| {
        let faces = m.triangles().len() as u64;
        // No more than three sides a face.
        [m.positions().len() as u64, faces, 3 * faces]
    };
    match shape {
        Shape::Plane { .. } => [0; 3],
        Shape::Points { count } => [*count as u64, 0, 0],
        Shape::Mesh(m) => of(&m.mesh),
        Shape::Soft(s) => match &s.mesh {
            Some(m) => of(m),
            // Its segments, and its nodes as edges without length.
            None => [s.vertices as u64, 0, 2 * s.vertices as u64],
        },
    }
}

/// Bodies, vertices and faces are counted in 32 bits, edges in 31 (contact keys hold two of them and a mark).
fn within(bodies: u64, [vertices, faces, edges]: [u64; 3]) -> Result<(), String> {
    let (all, keyed) = (u64::from(u32::MAX), u64::from(u32::MAX >> 1));
    for (what, n, most) in [
        ("bodies", bodies, all),
        ("surface vertices", vertices, all),
        ("surface faces", faces, all),
        ("surface edges (three for each face, two for each node of a cable)", edges, keyed),
    ] {
        if n >= most {
            return Err(format!(
                "the world has {n} {what}, and indices reach to {}; take coarser meshes, or split the scene",
                most - 1
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_counts;
    use super::within;
    use impinge_bodies::{Shape, SoftShape};
    use std::sync::Arc;

    #[test]
    fn indices_that_would_overflow_are_refused_and_named() {
        let most = u64::from(u32::MAX);
        assert!(within(1, [most - 1, most - 1, most / 2 - 1]).is_ok());
        for (counts, what) in [
            ([most, 0, 0], "4294967295 surface vertices"),
            ([0, most, 0], "4294967295 surface faces"),
            ([0, 0, most / 2], "2147483647 surface edges"),
        ] {
            let e = within(2, counts).unwrap_err();
            assert!(e.contains(what) && e.contains("coarser"), "{e}");
        }
        assert!(within(most, [0; 3]).unwrap_err().contains("bodies"));
    }

    #[test]
    fn bodies_are_added_up() {
        let half = Shape::Points { count: 1 << 31 };
        let line = Shape::Soft(Arc::new(SoftShape::line(3)));
        assert!(check_counts([&half, &line].into_iter()).is_ok());
        assert!(
            check_counts([&half, &half].into_iter()).unwrap_err().contains("4294967296 surface vertices")
        );
    }
}
