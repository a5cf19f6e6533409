//! Meshes that look as if their file were in millimetres, taken as metres.

use impinge_meshing::{Unit, guess_unit};
use impinge_scene::{MeshSpec, SceneSpec, Shape, Sizing};
use impinge_world::{Shape as Built, Shapes, Simulation};

/// A warning for each mesh file that is used as it stands and whose size fits millimetres, by the guess of `impinge mesh`.
pub(super) fn warnings(spec: &SceneSpec, sim: &Simulation) -> Vec<String> {
    let shapes = sim.column::<Shapes>();
    let mut told = Vec::new();
    let mut out = Vec::new();
    for (body, built) in spec.bodies.iter().zip(&shapes.0) {
        let file = match &body.shape {
            Shape::Mesh(MeshSpec::Thicken { of, .. }) => &**of,
            Shape::Mesh(mesh) => mesh,
            _ => continue,
        };
        let MeshSpec::File(file) = file else { continue };
        let Built::Mesh(mesh) = built else { continue };
        if file.sizing != Sizing::Scale(1.0) || told.contains(&&file.path) {
            continue;
        }
        told.push(&file.path);
        let (lo, hi) = mesh.mesh.bounds();
        let guess = guess_unit((hi - lo).into());
        if guess.unit == Unit::Millimetre {
            out.push(format!(
                "body '{}': {} looks as if it were in millimetres: {}; if it is, give the mesh `scale = 0.001`",
                body.name,
                file.path.display(),
                guess.why
            ));
        }
    }
    out
}
