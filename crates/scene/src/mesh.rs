//! Meshes by name: the parameters of every generator and of a mesh file, and the triangles they stand for.

mod parameter;

use crate::error::{Issue, SceneError};
use crate::height_field::{self, HeightField};
use crate::mesh_file::{self, MeshFile};
use crate::reader::Reader;
use impinge_geometry::generators::{self, Thread};
use impinge_geometry::{DVec3, TriMesh};
use parameter::Parameter;
use std::path::Path;

/// A mesh has at most this many triangles; a scene file that asks for more is refused before it is built.
pub const MAX_TRIANGLES: usize = 4_000_000;

/// Makes [`MeshSpec`] of a list of shapes, each with its key in a file, its generator and the generator's arguments in their order.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident = $key:literal, $generator:ident {
        $($(#[$of:meta])* $field:ident: $kind:ty,)*
    })*) => {
        /// Where a mesh comes from. Lengths in m; each shape as the generator of the same name in `impinge_geometry`
        /// makes it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum MeshSpec {
            $($(#[$doc])* $shape { $($(#[$of])* $field: $kind,)* },)*
            /// A mesh file: turned, scaled, then moved.
            File(MeshFile),
            /// Ground from heights on a lattice.
            HeightField(HeightField),
            /// An open mesh with a bottom this far below it (m, along −z) and walls.
            Thicken {
                /// The open mesh.
                of: Box<MeshSpec>,
                /// m.
                depth: f64,
            },
        }

        impl MeshSpec {
            /// Reads the table of one kind of mesh.
            fn of_kind(kind: &str, t: &Reader<'_>) -> Self {
                match kind {
                    $($key => Self::$shape { $($field: Parameter::read(t, stringify!($field)),)* },)*
                    "height_field" => height_field::read(t),
                    _ => mesh_file::read(t),
                }
            }

            fn build(&self, base_dir: &Path) -> Result<TriMesh, SceneError> {
                let built = match *self {
                    $(Self::$shape { $($field,)* } => generators::$generator($($field,)*),)*
                    Self::File(ref file) => return mesh_file::load(file, base_dir),
                    Self::HeightField(ref field) => return height_field::build(field, base_dir),
                    Self::Thicken { ref of, depth } => {
                        let closed = impinge_meshing::thicken(&build_mesh(of, base_dir)?, DVec3::unit_z() * -depth);
                        let count = closed.as_ref().map_or(0, |m| m.triangles().len());
                        if count > MAX_TRIANGLES {
                            let what = format!("with its bottom this mesh would have {count} triangles; at most {MAX_TRIANGLES} are built");
                            return Err(Issue::placeless("mesh", what, "take coarser ground").into());
                        }
                        closed
                    }
                };
                built.map_err(|e| Issue::placeless("mesh", e.to_string(), "").into())
            }
        }
    };
}

shapes! {
    /// A box of full edge lengths `size`.
    Box = "box", cuboid {
        /// Full edge lengths (m).
        size: DVec3,
        /// Cells along each edge.
        segments: [u32; 3],
    }
    /// A thin box.
    Plate = "plate", plate {
        /// Full edge lengths along x and y (m).
        size: [f64; 2],
        /// Along z (m).
        thickness: f64,
        /// Cells along x and y.
        segments: [u32; 2],
    }
    /// Half a box, cut along a diagonal.
    Wedge = "wedge", wedge {
        /// Legs along x and y, thickness along z (m).
        size: DVec3,
    }
    /// A regular tetrahedron.
    Tetrahedron = "tetrahedron", tetrahedron {
        /// Edge length (m).
        edge: f64,
    }
    /// An extruded L.
    LShape = "l_shape", l_shape {
        /// Full lengths along x and y, thickness along z (m).
        size: DVec3,
        /// Width of foot and leg (m).
        arm: f64,
    }
    /// A T-handle.
    Wingnut = "wingnut", t_handle {
        /// Length along x and width along y (m).
        bar: [f64; 2],
        /// Width along x and length along y (m).
        stem: [f64; 2],
        /// Along z (m).
        thickness: f64,
    }
    /// A sphere of near-equal triangles.
    Icosphere = "icosphere", icosphere {
        /// m.
        radius: f64,
        /// 20 · 4ⁿ triangles.
        subdivisions: u32,
    }
    /// A stretched icosphere.
    Ellipsoid = "ellipsoid", ellipsoid {
        /// Half axes (m).
        radii: DVec3,
        /// 20 · 4ⁿ triangles.
        subdivisions: u32,
    }
    /// A sphere of rings about x.
    UvSphere = "uv_sphere", uv_sphere {
        /// m.
        radius: f64,
        /// Around x.
        segments: u32,
        /// Bands from +x to −x.
        rings: u32,
        /// Whether the band at −x is a flat cap.
        flat_pole: bool,
    }
    /// A cylinder about z.
    Cylinder = "cylinder", cylinder {
        /// m.
        radius: f64,
        /// m.
        height: f64,
        /// Around z.
        segments: u32,
        /// Along z.
        stacks: u32,
    }
    /// A cone about z, tip up.
    Cone = "cone", cone {
        /// m.
        radius: f64,
        /// m.
        height: f64,
        /// Around z.
        segments: u32,
    }
    /// A cylinder about z with round ends.
    Capsule = "capsule", capsule {
        /// m.
        radius: f64,
        /// Without the ends (m).
        length: f64,
        /// Around z.
        segments: u32,
        /// Bands of each end.
        rings: u32,
    }
    /// A ring about z.
    Torus = "torus", torus {
        /// Radius of the centre line (m).
        major: f64,
        /// Radius of the tube (m).
        minor: f64,
        /// Around z.
        segments: u32,
        /// Around the tube.
        sides: u32,
    }
    /// A ring about z, pulled long along x.
    ChainLink = "chain_link", chain_link {
        /// Half the length of the straight pieces (m).
        half_straight: f64,
        /// Radius of the round ends' centre line (m).
        major: f64,
        /// Radius of the wire (m).
        minor: f64,
        /// Around both ends together.
        segments: u32,
        /// Around the wire.
        sides: u32,
    }
    /// A body with eight limbs.
    Octopus = "octopus", octopus {
        /// Longest side (m).
        span: f64,
        /// Cells along it.
        resolution: u32,
    }
    /// A creature with legs, wings and a tail.
    Dragon = "dragon", dragon {
        /// Longest side (m).
        span: f64,
        /// Cells along it.
        resolution: u32,
    }
    /// The lower half of a hollow sphere.
    Bowl = "bowl", bowl {
        /// Outside (m).
        radius: f64,
        /// m.
        thickness: f64,
        /// Around z.
        segments: u32,
        /// Bands from pole to rim.
        rings: u32,
    }
    /// A thick-walled bucket about z, open upwards.
    Bucket = "bucket", bucket {
        /// Outside, at the bottom (m).
        bottom_radius: f64,
        /// Outside, at the rim (m).
        rim_radius: f64,
        /// Outside (m).
        height: f64,
        /// Of bottom and wall (m).
        thickness: f64,
        /// Around z.
        segments: u32,
        /// Up each wall.
        stacks: u32,
    }
    /// A mug about z, open upwards, with a handle at +x.
    Mug = "mug", mug {
        /// Outside (m).
        radius: f64,
        /// Outside (m).
        height: f64,
        /// Of bottom and wall (m).
        thickness: f64,
        /// Around z.
        segments: u32,
        /// Up each wall.
        stacks: u32,
    }
    /// A spoon along z, or a spatula.
    Spoon = "spoon", spoon {
        /// Of the handle (m).
        radius: f64,
        /// Of the handle (m).
        length: f64,
        /// Length and width of the bowl (m).
        bowl: [f64; 2],
        /// Of the bowl (m).
        depth: f64,
        /// Of the bowl (m).
        thickness: f64,
        /// Around z.
        segments: u32,
        /// Along the bowl.
        rings: u32,
    }
    /// A threaded rod about z.
    Bolt = "bolt", bolt {
        /// To the crests (m).
        thread: Thread,
        /// m.
        length: f64,
        /// Width across flats and depth of a square socket from the top (m).
        socket: Option<[f64; 2]>,
        /// Around z.
        segments: u32,
        /// Along z.
        stacks: u32,
    }
    /// A round nut about z.
    Nut = "nut", nut {
        /// To the roots (m).
        thread: Thread,
        /// Outside (m).
        outer: f64,
        /// m.
        length: f64,
        /// Around z.
        segments: u32,
        /// Along z.
        stacks: u32,
    }
    /// A flat open sheet facing +z.
    Grid = "grid", grid {
        /// Full lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y.
        segments: [u32; 2],
    }
}

impl MeshSpec {
    /// What a mesh reads as after a finding; never built.
    pub(crate) fn stand_in() -> Self {
        Self::Tetrahedron { edge: 1.0 }
    }

    /// How many triangles a generator would make; `None` for a file.
    #[must_use]
    pub fn triangles(&self) -> Option<usize> {
        let n = |i: u32| i as usize;
        Some(match *self {
            Self::Box { segments: s, .. } => 4 * (n(s[0]) * n(s[1]) + n(s[1]) * n(s[2]) + n(s[2]) * n(s[0])),
            Self::Plate { segments: s, .. } => 4 * (n(s[0]) * n(s[1]) + n(s[1]) + n(s[0])),
            Self::Wedge { .. } => 8,
            Self::Tetrahedron { .. } => 4,
            Self::LShape { .. } => 20,
            Self::Wingnut { .. } => 28,
            Self::Icosphere { subdivisions, .. } | Self::Ellipsoid { subdivisions, .. } => {
                20_usize.saturating_mul(4_usize.saturating_pow(subdivisions))
            }
            Self::UvSphere { segments, rings, .. } => 2 * n(segments) * (n(rings) - 1),
            Self::Cylinder { segments, stacks, .. } => 2 * n(segments) * (n(stacks) + 1),
            Self::Cone { segments, .. } => 2 * n(segments),
            Self::Capsule { segments, rings, .. } => 4 * n(segments) * n(rings),
            Self::Torus { segments, sides, .. } => 2 * n(segments) * n(sides),
            // The straight pieces are cut to about the step of the round ends.
            Self::ChainLink { half_straight, major, segments, sides, .. } => {
                let step = std::f64::consts::TAU * major / f64::from(segments);
                let straight = (2.0 * half_straight / step).ceil().clamp(1.0, 1e9);
                2 * (n(segments) + 2 * straight as usize) * n(sides)
            }
            Self::Grid { segments: s, .. } => 2 * n(s[0]) * n(s[1]),
            Self::Bowl { segments, rings, .. } => 4 * n(segments) * n(rings),
            Self::Bucket { segments, stacks, .. } => 4 * n(segments) * (n(stacks) + 1),
            // The handle has half as many sections as the wall has quads around, of eight triangles each, and takes two quads out.
            Self::Mug { segments, stacks, .. } => (4 * n(segments) * (n(stacks) + 2)).saturating_sub(4),
            Self::Spoon { segments, rings, .. } => 2 * n(segments) * (n(rings) + 1),
            Self::Bolt { segments, stacks, socket, .. } => {
                2 * n(segments) * (n(stacks) + 1 + if socket.is_some() { 2 } else { 0 })
            }
            Self::Nut { segments, stacks, .. } => 4 * n(segments) * (n(stacks) + 1),
            // The count of a surface cut from a field is known when it has been cut.
            Self::Octopus { .. } | Self::Dragon { .. } | Self::File(_) => return None,
            Self::HeightField(_) | Self::Thicken { .. } => return None,
        })
    }
}

/// Why a mesh of too many triangles is refused, and what to do.
fn too_many(spec: &MeshSpec) -> Option<(String, &'static str)> {
    let count = spec.triangles().filter(|&n| n > MAX_TRIANGLES)?;
    let what = format!("this mesh would have {count} triangles; at most {MAX_TRIANGLES} are built");
    Some((what, "lower its segments or subdivisions"))
}

/// Reads a `mesh` table; parameters of a shape that only make sense together are checked when it is built.
pub(crate) fn read(table: &Reader<'_>) -> MeshSpec {
    let mut names: Vec<&'static str> = crate::schema::MESH.names();
    names.retain(|n| *n != THICKEN);
    let Some(kind) = table.exactly_one(&names) else { return MeshSpec::stand_in() };
    let Some(t) = table.table(kind) else { return MeshSpec::stand_in() };
    let spec = MeshSpec::of_kind(kind, &t);
    if let Some((what, fix)) = too_many(&spec) {
        table.issues().push(table.place(kind), what, fix);
    }
    match table.opt_number(THICKEN) {
        Some(depth) => MeshSpec::Thicken { of: Box::new(spec), depth },
        None => spec,
    }
}

const THICKEN: &str = "thicken";

/// Builds the triangles of a mesh, in the body frame (m); file paths are relative to `base_dir`.
///
/// # Errors
/// A generator that cannot make it, a file that cannot be read, or more than [`MAX_TRIANGLES`] triangles.
pub fn build_mesh(spec: &MeshSpec, base_dir: &Path) -> Result<TriMesh, SceneError> {
    match too_many(spec) {
        Some((what, fix)) => Err(Issue::placeless("mesh", what, fix).into()),
        None => spec.build(base_dir),
    }
}
