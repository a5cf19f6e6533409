//! The node tree of a GLB file: which mesh stands where.

use crate::ReadError;
use crate::glb_json::Node;
use impinge_geometry::{DRotor3, DVec3};

/// A mesh of the file and the affine map from its coordinates to the scene's.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// The mesh, as the file numbers it.
    pub mesh: u64,
    affine: Affine,
    /// The map turns left into right: triangles must be turned round.
    pub mirrors: bool,
}

impl Placement {
    #[must_use]
    pub fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let a = &self.affine;
        let p = a.axes[0] * x + a.axes[1] * y + a.axes[2] * z + a.origin;
        [p.x, p.y, p.z]
    }
}

/// x ↦ [axes] x + origin.
#[derive(Clone, Copy, Debug)]
struct Affine {
    axes: [DVec3; 3],
    origin: DVec3,
}

impl Affine {
    fn identity() -> Self {
        Self { axes: [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()], origin: DVec3::zero() }
    }

    /// First `inner`, then `self`.
    fn after(&self, inner: &Self) -> Self {
        let linear = |v: DVec3| self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z;
        Self { axes: inner.axes.map(linear), origin: linear(inner.origin) + self.origin }
    }

    fn of(node: &Node) -> Result<Self, ReadError> {
        if node.get("matrix").is_some() {
            let parts = ["translation", "rotation", "scale"];
            if let Some(part) = parts.into_iter().find(|part| node.get(part).is_some()) {
                return Err(
                    node.invalid(&format!("has a `matrix` and a `{part}`, which glTF does not allow"))
                );
            }
            let m = node.reals_or("matrix", [0.0; 16])?;
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                return Err(node.invalid("has a matrix whose last row is not 0 0 0 1"));
            }
            // Stored by columns.
            let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
            return Ok(Self { axes: [column(0), column(1), column(2)], origin: column(3) });
        }
        let [x, y, z, w] = node.reals_or("rotation", [0.0, 0.0, 0.0, 1.0])?;
        let length = (x * x + y * y + z * z + w * w).sqrt();
        // Written with 32-bit floats, so that it is of unit length only to about 1e-7.
        if !(0.9..=1.1).contains(&length) {
            return Err(node.invalid("has a rotation that is no unit quaternion"));
        }
        let rotor = DRotor3::from_quaternion_array([x / length, y / length, z / length, w / length]);
        let [sx, sy, sz] = node.reals_or("scale", [1.0; 3])?;
        let axes = [DVec3::unit_x() * sx, DVec3::unit_y() * sy, DVec3::unit_z() * sz];
        let origin = DVec3::from(node.reals_or("translation", [0.0; 3])?);
        Ok(Self { axes: axes.map(|a| rotor * a), origin })
    }
}

/// Every mesh of the default scene, depth first in the order of the file.
pub(crate) fn placements(root: &Node) -> Result<Vec<Placement>, ReadError> {
    let nodes = root.items("nodes")?;
    let index = |child: &Node| -> Result<usize, ReadError> {
        match usize::try_from(child.integer()?) {
            Ok(i) if i < nodes.len() => Ok(i),
            _ => Err(child.invalid("names a node that does not exist")),
        }
    };
    let mut open: Vec<(usize, Affine)> = Vec::new();
    for root_node in roots(root, &nodes)? {
        open.push((index(&root_node)?, Affine::identity()));
    }
    open.reverse();
    let mut seen = vec![false; nodes.len()];
    let mut found = Vec::new();
    while let Some((at, parent)) = open.pop() {
        let node = &nodes[at];
        // Without this check a circle would never end and a shared branch could be unfolded without bound.
        if std::mem::replace(&mut seen[at], true) {
            return Err(node.invalid("has two parents, or is its own ancestor"));
        }
        let affine = parent.after(&Affine::of(node)?);
        if let Some(mesh) = node.get("mesh") {
            refuse_what_moves_vertices(node)?;
            let [a, b, c] = affine.axes;
            let mirrors = a.cross(b).dot(c) < 0.0;
            found.push(Placement { mesh: mesh.integer()?, affine, mirrors });
        }
        let first = open.len();
        for child in node.items("children")? {
            open.push((index(&child)?, affine));
        }
        open[first..].reverse();
    }
    Ok(found)
}

/// The root nodes of the default scene, or of the first one where none is the default.
fn roots<'a>(root: &Node<'a>, nodes: &[Node<'a>]) -> Result<Vec<Node<'a>>, ReadError> {
    if root.get("scenes").is_some() {
        let scene = root.integer_or("scene", 0)?;
        return root.item("scenes", scene)?.items("nodes");
    }
    if let Some(node) = nodes.first() {
        return Err(node.place.invalid(
            "nodes but no scene, so that nothing says which of them are to be shown",
            "export with a default scene",
        ));
    }
    Ok(Vec::new())
}

fn refuse_what_moves_vertices(node: &Node) -> Result<(), ReadError> {
    if node.get("skin").is_some() {
        return Err(node.unsupported("a skinned mesh", "apply the pose (armature) before export"));
    }
    if node.items("weights")?.iter().any(|w| w.value.as_f64() != Some(0.0)) {
        return Err(node.unsupported("morph targets with weights", "apply shape keys before export"));
    }
    if node.get("extensions").is_some_and(|e| e.get("EXT_mesh_gpu_instancing").is_some()) {
        return Err(node.unsupported("instances on the graphics card", "make instances real before export"));
    }
    Ok(())
}
