//! A rigid surface that is inside out is refused.

use impinge_geometry::{DVec3, MeshError, TriMesh, cuboid};
use impinge_pressure::{BodyError, RigidSurface};

/// Pressed onto a layer it would be pulled into it.
#[test]
fn a_surface_that_is_inside_out_is_refused() {
    let right = cuboid(DVec3::broadcast(0.1), [2; 3]).unwrap();
    let turned = right.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = TriMesh::new(right.positions().to_vec(), turned).unwrap();
    let e = RigidSurface::new(turned).unwrap_err();
    assert!(
        matches!(e, BodyError::Mesh(MeshError::NoVolume { volume }) if (volume + 1e-3).abs() < 1e-15),
        "{e}"
    );
    assert!(e.to_string().contains("turn the triangles"), "{e}");
    assert!(RigidSurface::new(right.clone()).is_ok());
    // Flat: of either sign to rounding.
    let flat = |s: f64| right.mapped(|p| DVec3::new(p.x, s * p.y + 0.3 * p.x, 0.7 * p.x)).unwrap();
    assert!(RigidSurface::new(flat(1.0)).is_ok() && RigidSurface::new(flat(-1.0)).is_ok());
}
