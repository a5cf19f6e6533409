//! Meshes by name: the parameters of every generator and of a mesh file, and the triangles they stand for.

use crate::error::{Issue, SceneError};
use crate::mesh_file::{self, MeshFile};
use crate::reader::Reader;
use impinge_geometry::generators::{self, Thread};
use impinge_geometry::{DVec3, TriMesh};
use std::path::Path;

/// A mesh has at most this many triangles; a scene file that asks for more is refused before it is built.
pub const MAX_TRIANGLES: usize = 4_000_000;

/// Where a mesh comes from. Lengths in m; each shape as the generator of the same name in `impinge_geometry`
/// makes it.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSpec {
    /// A box of full edge lengths `size`.
    Box {
        /// Full edge lengths (m).
        size: DVec3,
        /// Cells along each edge.
        segments: [u32; 3],
    },
    /// A thin box.
    Plate {
        /// Full edge lengths along x and y (m).
        size: [f64; 2],
        /// Along z (m).
        thickness: f64,
        /// Cells along x and y.
        segments: [u32; 2],
    },
    /// Half a box, cut along a diagonal.
    Wedge {
        /// Legs along x and y, thickness along z (m).
        size: DVec3,
    },
    /// A regular tetrahedron.
    Tetrahedron {
        /// Edge length (m).
        edge: f64,
    },
    /// An extruded L.
    LShape {
        /// Full lengths along x and y, thickness along z (m).
        size: DVec3,
        /// Width of foot and leg (m).
        arm: f64,
    },
    /// A T-handle.
    Wingnut {
        /// Length along x and width along y (m).
        bar: [f64; 2],
        /// Width along x and length along y (m).
        stem: [f64; 2],
        /// Along z (m).
        thickness: f64,
    },
    /// A sphere of near-equal triangles.
    Icosphere {
        /// m.
        radius: f64,
        /// 20 · 4ⁿ triangles.
        subdivisions: u32,
    },
    /// A stretched icosphere.
    Ellipsoid {
        /// Half axes (m).
        radii: DVec3,
        /// 20 · 4ⁿ triangles.
        subdivisions: u32,
    },
    /// A sphere of rings about x.
    UvSphere {
        /// m.
        radius: f64,
        /// Around x.
        segments: u32,
        /// Bands from +x to −x.
        rings: u32,
        /// Whether the band at −x is a flat cap.
        flat_pole: bool,
    },
    /// A cylinder about z.
    Cylinder {
        /// m.
        radius: f64,
        /// m.
        height: f64,
        /// Around z.
        segments: u32,
        /// Along z.
        stacks: u32,
    },
    /// A cone about z, tip up.
    Cone {
        /// m.
        radius: f64,
        /// m.
        height: f64,
        /// Around z.
        segments: u32,
    },
    /// A cylinder about z with round ends.
    Capsule {
        /// m.
        radius: f64,
        /// Without the ends (m).
        length: f64,
        /// Around z.
        segments: u32,
        /// Bands of each end.
        rings: u32,
    },
    /// A ring about z.
    Torus {
        /// Radius of the centre line (m).
        major: f64,
        /// Radius of the tube (m).
        minor: f64,
        /// Around z.
        segments: u32,
        /// Around the tube.
        sides: u32,
    },
    /// A ring about z, pulled long along x.
    ChainLink {
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
    },
    /// A body with eight limbs.
    Octopus {
        /// Longest side (m).
        span: f64,
        /// Cells along it.
        resolution: u32,
    },
    /// A creature with legs, wings and a tail.
    Dragon {
        /// Longest side (m).
        span: f64,
        /// Cells along it.
        resolution: u32,
    },
    /// The lower half of a hollow sphere.
    Bowl {
        /// Outside (m).
        radius: f64,
        /// m.
        thickness: f64,
        /// Around z.
        segments: u32,
        /// Bands from pole to rim.
        rings: u32,
    },
    /// A thick-walled bucket about z, open upwards.
    Bucket {
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
    },
    /// A threaded rod about z.
    Bolt {
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
    },
    /// A round nut about z.
    Nut {
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
    },
    /// A flat open sheet facing +z.
    Grid {
        /// Full lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y.
        segments: [u32; 2],
    },
    /// A mesh file: turned, scaled, then moved.
    File(MeshFile),
}

impl MeshSpec {
    /// What a mesh reads as after a finding; never built.
    pub(crate) fn stand_in() -> Self {
        Self::Tetrahedron { edge: 1.0 }
    }

    /// How many triangles a generator would make; `None` for a file.
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
            Self::Bolt { segments, stacks, socket, .. } => {
                2 * n(segments) * (n(stacks) + 1 + if socket.is_some() { 2 } else { 0 })
            }
            Self::Nut { segments, stacks, .. } => 4 * n(segments) * (n(stacks) + 1),
            // The count of a surface cut from a field is known when it has been cut.
            Self::Octopus { .. } | Self::Dragon { .. } | Self::File(_) => return None,
        })
    }
}

/// Reads a `mesh` table; parameters of a shape that only make sense together are checked when it is built.
pub(crate) fn read(table: &Reader<'_>) -> MeshSpec {
    let names: Vec<&'static str> = crate::schema::MESH.names();
    let Some(kind) = table.exactly_one(&names) else { return MeshSpec::stand_in() };
    let Some(t) = table.table(kind) else { return MeshSpec::stand_in() };
    let spec = match kind {
        "box" => MeshSpec::Box { size: t.vector("size"), segments: t.segments("segments") },
        "plate" => MeshSpec::Plate {
            size: t.size2("size"),
            thickness: t.number("thickness"),
            segments: t.segments("segments"),
        },
        "wedge" => MeshSpec::Wedge { size: t.vector("size") },
        "tetrahedron" => MeshSpec::Tetrahedron { edge: t.number("edge") },
        "l_shape" => MeshSpec::LShape { size: t.vector("size"), arm: t.number("arm") },
        "wingnut" => {
            MeshSpec::Wingnut { bar: t.size2("bar"), stem: t.size2("stem"), thickness: t.number("thickness") }
        }
        "icosphere" => {
            MeshSpec::Icosphere { radius: t.number("radius"), subdivisions: t.count("subdivisions") }
        }
        "ellipsoid" => {
            MeshSpec::Ellipsoid { radii: t.vector("radii"), subdivisions: t.count("subdivisions") }
        }
        "uv_sphere" => MeshSpec::UvSphere {
            radius: t.number("radius"),
            segments: t.count("segments"),
            rings: t.count("rings"),
            flat_pole: t.flag("flat_pole"),
        },
        "cylinder" => MeshSpec::Cylinder {
            radius: t.number("radius"),
            height: t.number("height"),
            segments: t.count("segments"),
            stacks: t.count("stacks"),
        },
        "cone" => MeshSpec::Cone {
            radius: t.number("radius"),
            height: t.number("height"),
            segments: t.count("segments"),
        },
        "capsule" => MeshSpec::Capsule {
            radius: t.number("radius"),
            length: t.number("length"),
            segments: t.count("segments"),
            rings: t.count("rings"),
        },
        "torus" => MeshSpec::Torus {
            major: t.number("major"),
            minor: t.number("minor"),
            segments: t.count("segments"),
            sides: t.count("sides"),
        },
        "chain_link" => MeshSpec::ChainLink {
            half_straight: t.number("half_straight"),
            major: t.number("major"),
            minor: t.number("minor"),
            segments: t.count("segments"),
            sides: t.count("sides"),
        },
        "octopus" => MeshSpec::Octopus { span: t.number("span"), resolution: t.count("resolution") },
        "dragon" => MeshSpec::Dragon { span: t.number("span"), resolution: t.count("resolution") },
        "bucket" => MeshSpec::Bucket {
            bottom_radius: t.number("bottom_radius"),
            rim_radius: t.number("rim_radius"),
            height: t.number("height"),
            thickness: t.number("thickness"),
            segments: t.count("segments"),
            stacks: t.count("stacks"),
        },
        "bowl" => MeshSpec::Bowl {
            radius: t.number("radius"),
            thickness: t.number("thickness"),
            segments: t.count("segments"),
            rings: t.count("rings"),
        },
        "bolt" => MeshSpec::Bolt {
            thread: thread(&t),
            length: t.number("length"),
            socket: socket(&t),
            segments: t.count("segments"),
            stacks: t.count("stacks"),
        },
        "nut" => MeshSpec::Nut {
            thread: thread(&t),
            outer: t.number("outer"),
            length: t.number("length"),
            segments: t.count("segments"),
            stacks: t.count("stacks"),
        },
        "grid" => MeshSpec::Grid { size: t.size2("size"), segments: t.segments("segments") },
        _ => mesh_file::read(&t),
    };
    if let Some(count) = spec.triangles().filter(|&n| n > MAX_TRIANGLES) {
        let what = format!("this mesh would have {count} triangles; at most {MAX_TRIANGLES} are built");
        table.issues().push(table.place(kind), what, "lower its segments or subdivisions");
    }
    spec
}

fn thread(t: &Reader<'_>) -> Thread {
    Thread { radius: t.number("radius"), pitch: t.number("pitch"), depth: t.number("depth") }
}

fn socket(t: &Reader<'_>) -> Option<[f64; 2]> {
    let (width, depth) = (t.opt_number("socket"), t.opt_number("socket_depth"));
    match (width, depth) {
        (Some(width), Some(depth)) => return Some([width, depth]),
        (Some(_), None) => {
            let what = "a socket has a depth, and there is none";
            t.issues().push(t.place("socket"), what, "add `socket_depth = …` (m)");
        }
        _ => t.refuse(
            "socket_depth",
            "is of a socket, and there is none",
            "add `socket = …` (m), or take it out",
        ),
    }
    None
}

/// Builds the triangles of a mesh, in the body frame (m); file paths are relative to `base_dir`.
///
/// # Errors
/// A generator that cannot make it, a file that cannot be read, or more than [`MAX_TRIANGLES`] triangles.
pub fn build_mesh(spec: &MeshSpec, base_dir: &Path) -> Result<TriMesh, SceneError> {
    if let Some(count) = spec.triangles().filter(|&n| n > MAX_TRIANGLES) {
        let what = format!("this mesh would have {count} triangles; at most {MAX_TRIANGLES} are built");
        return Err(Issue::placeless("mesh", what, "lower its segments or subdivisions").into());
    }
    let built = match *spec {
        MeshSpec::Box { size, segments } => generators::cuboid(size, segments),
        MeshSpec::Plate { size, thickness, segments } => generators::plate(size, thickness, segments),
        MeshSpec::Wedge { size } => generators::wedge(size),
        MeshSpec::Tetrahedron { edge } => generators::tetrahedron(edge),
        MeshSpec::LShape { size, arm } => generators::l_shape(size, arm),
        MeshSpec::Wingnut { bar, stem, thickness } => generators::t_handle(bar, stem, thickness),
        MeshSpec::Icosphere { radius, subdivisions } => generators::icosphere(radius, subdivisions),
        MeshSpec::Ellipsoid { radii, subdivisions } => generators::ellipsoid(radii, subdivisions),
        MeshSpec::UvSphere { radius, segments, rings, flat_pole } => {
            generators::uv_sphere(radius, segments, rings, flat_pole)
        }
        MeshSpec::Cylinder { radius, height, segments, stacks } => {
            generators::cylinder(radius, height, segments, stacks)
        }
        MeshSpec::Cone { radius, height, segments } => generators::cone(radius, height, segments),
        MeshSpec::Capsule { radius, length, segments, rings } => {
            generators::capsule(radius, length, segments, rings)
        }
        MeshSpec::Torus { major, minor, segments, sides } => generators::torus(major, minor, segments, sides),
        MeshSpec::ChainLink { half_straight, major, minor, segments, sides } => {
            generators::chain_link(half_straight, major, minor, segments, sides)
        }
        MeshSpec::Octopus { span, resolution } => generators::octopus(span, resolution),
        MeshSpec::Dragon { span, resolution } => generators::dragon(span, resolution),
        MeshSpec::Bucket { bottom_radius, rim_radius, height, thickness, segments, stacks } => {
            generators::bucket(bottom_radius, rim_radius, height, thickness, segments, stacks)
        }
        MeshSpec::Bowl { radius, thickness, segments, rings } => {
            generators::bowl(radius, thickness, segments, rings)
        }
        MeshSpec::Bolt { thread, length, socket, segments, stacks } => {
            generators::bolt(thread, length, socket, segments, stacks)
        }
        MeshSpec::Nut { thread, outer, length, segments, stacks } => {
            generators::nut(thread, outer, length, segments, stacks)
        }
        MeshSpec::Grid { size, segments } => generators::grid(size, segments),
        MeshSpec::File(ref file) => return mesh_file::load(file, base_dir),
    };
    built.map_err(|e| Issue::placeless("mesh", e.to_string(), "").into())
}
