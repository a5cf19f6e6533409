//! GLB (binary glTF 2.0) in: the triangles of the default scene, every node's transform applied, as one
//! [`TriMesh`].
//!
//! Read: chunks JSON and BIN; primitives of triangles, strips and fans; positions of 32-bit floats; indices of
//! 8, 16 and 32 bits or none. A node that mirrors has its triangles turned back, so that outside stays outside.
//! Points, lines, normals, texture coordinates, materials, cameras and lights are left aside. Refused, because
//! the surface would be another one: sparse or compressed data, quantised positions, skins, morph weights,
//! instancing, data in other files. A node without triangles is nothing; a mesh under two nodes is there twice.
//!
//! glTF says that its unit is the metre and that y is up: read it with [`UpAxis::Y`](crate::UpAxis::Y).
//! glTF repeats a vertex where normals or texture coordinates differ; the copies are kept, so that a cube has 24
//! vertices and open edges until it is welded.

use crate::cursor::Cursor;
use crate::glb_json::Node;
use crate::glb_scene::Placement;
use crate::scalar::{Endian, Scalar};
use crate::source::load;
use crate::{ReadError, ReadOptions};
use impinge_geometry::{DVec3, TriMesh};
use std::path::Path;

/// Reads a GLB file.
///
/// # Errors
/// [`ReadError`], naming the file, the byte, the path in the JSON part and the fix.
pub fn read_glb(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_glb_from(&bytes, &name, options)
}

/// Reads GLB from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_glb`].
pub fn read_glb_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    options.check(name)?;
    let (json, bin) = chunks(name, bytes)?;
    let value: serde_json::Value = serde_json::from_slice(&json.bytes[json.at..])
        .map_err(|e| json.invalid(format!("the JSON part is damaged: {e}"), "export the file again"))?;
    let place = Cursor { mark: json.at, ..json.clone() };
    let root = Node { value: &value, path: String::new(), place: &place };
    check_version(&root)?;
    refuse_extensions(&root)?;

    let mut reader = Reader { root, bin, options, positions: Vec::new(), triangles: Vec::new() };
    for placement in crate::glb_scene::placements(&reader.root)? {
        reader.mesh(&placement)?;
    }
    if reader.triangles.is_empty() {
        return Err(ReadError::Empty {
            file: name.into(),
            found: "a GLB file without triangles in its scene".into(),
            fix: "export at least one triangle mesh with it",
        });
    }
    TriMesh::new(reader.positions, reader.triangles)
        .map_err(|source| ReadError::Mesh { file: name.into(), source })
}

/// Cursors over the JSON and the binary chunk.
fn chunks<'a>(name: &'a str, bytes: &'a [u8]) -> Result<(Cursor<'a>, Cursor<'a>), ReadError> {
    let mut c = Cursor { binary: true, at: 0, mark: 0, ..Cursor::new(name, bytes) };
    let word = |b: &[u8]| Scalar::U32.integer(Endian::Little, b) as u64;
    let magic = c.take(4.min(bytes.len()), "`glTF`")?;
    if magic != b"glTF" {
        return Err(c.expected("`glTF` at the start of a GLB file", magic));
    }
    let version = word(c.take(4, "the version")?);
    if version != 2 {
        return Err(c.unsupported(format!("glTF version {version}"), "export as glTF 2.0"));
    }
    let length = word(c.take(4, "the length")?);
    if length != bytes.len() as u64 {
        let what = format!("the file is {} bytes long, but says {length}", bytes.len());
        return Err(c.invalid(what, "it was cut off or has something behind it: copy or export it again"));
    }
    let (mut json, mut bin) = (None, None);
    while c.left() > 0 {
        let head = c.take(8, "the header of a chunk")?;
        let (size, kind) = (word(head), &head[4..]);
        c.room("bytes of a chunk", size, 1)?;
        c.take(size as usize, "a chunk")?;
        let chunk = Cursor { bytes: &bytes[..c.at], at: c.mark, part: "chunk", ..c.clone() };
        match kind {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if bin.is_none() => bin = Some(chunk),
            // Other kinds must be ignored, says the format.
            _ => {}
        }
    }
    let Some(json) = json else { return Err(c.invalid("no JSON chunk", "export the file again")) };
    let end = Cursor { part: "chunk", ..c };
    Ok((json, bin.unwrap_or(end)))
}

/// Refuses what is not glTF 2, whose JSON part says so beside the header of the file: `version` is what it was written as, `minVersion` what a reader must
/// know.
fn check_version(root: &Node) -> Result<(), ReadError> {
    const FIX: &str = "export as glTF 2.0";
    let asset = root.need("asset")?;
    let numbers = |node: &Node| -> Result<[u64; 2], ReadError> {
        let parts = node.value.as_str().and_then(|text| text.split_once('.'));
        let parts = parts.and_then(|(major, minor)| Some([major.parse().ok()?, minor.parse().ok()?]));
        parts.ok_or_else(|| node.invalid("is no version, which is a text such as \"2.0\""))
    };
    let version = asset.need("version")?;
    let [major, minor] = numbers(&version)?;
    if major != 2 {
        return Err(version.unsupported(&format!("glTF version {major}.{minor}"), FIX));
    }
    let Some(least) = asset.get("minVersion") else { return Ok(()) };
    let [needs, at_least] = numbers(&least)?;
    if [needs, at_least] > [major, minor] {
        return Err(least.invalid(&format!("is {needs}.{at_least}, above the version {major}.{minor}")));
    }
    // No later version of 2 is known: it may hold what changes the shape.
    match [needs, at_least] > [2, 0] {
        true => Err(least.unsupported(&format!("a reader of glTF {needs}.{at_least} is asked for"), FIX)),
        false => Ok(()),
    }
}

/// Extensions of materials, textures, lights and notes, which say nothing of the shape. Any other may, also one of a like name.
const HARMLESS: &[&str] = &[
    "EXT_lights_ies",
    "EXT_lights_image_based",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
    "MSFT_texture_dds",
];

/// Refuses what must be understood to know the shape.
fn refuse_extensions(root: &Node) -> Result<(), ReadError> {
    for node in root.items("extensionsRequired")? {
        match node.value.as_str() {
            Some("KHR_draco_mesh_compression" | "EXT_meshopt_compression" | "KHR_meshopt_compression") => {
                let name = node.value.as_str().unwrap_or_default();
                let what = format!("the mesh is compressed with {name}");
                return Err(node.unsupported(&what, "export it without mesh compression"));
            }
            Some("KHR_mesh_quantization") => {
                return Err(node.unsupported("positions are quantised", "export without quantisation"));
            }
            Some(name) if HARMLESS.contains(&name) => {}
            Some(name) => {
                let what = format!("the extension {name} is required, and is not known here");
                return Err(node.unsupported(&what, "export without it"));
            }
            None => return Err(node.invalid("is no name of an extension")),
        }
    }
    Ok(())
}

/// A small file can place one large mesh many times; the sum is bounded, so that it cannot fill the memory.
const MOST: usize = 1 << 26;
const TOO_MANY: &str = "brings the scene above 67 million vertices or corners";
const SPLIT: &str = "split the scene into several files";

struct Reader<'a> {
    root: Node<'a>,
    bin: Cursor<'a>,
    options: &'a ReadOptions,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Numbers in the binary chunk.
struct View<'a> {
    /// The bytes of the chunk, stepped through at `stride`.
    c: Cursor<'a>,
    start: usize,
    stride: usize,
    count: usize,
    scalar: Scalar,
}

impl<'a> Reader<'a> {
    fn mesh(&mut self, placement: &Placement) -> Result<(), ReadError> {
        let mesh = self.root.item("meshes", placement.mesh)?;
        let weights = mesh.items("weights")?;
        if weights.iter().any(|w| w.value.as_f64() != Some(0.0)) {
            return Err(mesh.unsupported("morph targets with weights", "apply shape keys before export"));
        }
        // Primitives of one mesh often share their vertices: those are read once.
        let mut read: Vec<(u64, usize, usize)> = Vec::new();
        for primitive in mesh.items("primitives")? {
            let mode = primitive.integer_or("mode", 4)?;
            if mode < 4 {
                continue;
            }
            for (key, what) in [
                ("KHR_draco_mesh_compression", "compressed with Draco"),
                ("EXT_meshopt_compression", "compressed with meshopt"),
            ] {
                if primitive.get("extensions").is_some_and(|e| e.get(key).is_some()) {
                    return Err(primitive.unsupported(what, "export without mesh compression"));
                }
            }
            let accessor = primitive.need("attributes")?.need("POSITION")?.integer()?;
            let (base, count) = match read.iter().find(|r| r.0 == accessor) {
                Some(&(_, base, count)) => (base, count),
                None => {
                    let (base, count) = self.vertices(accessor, placement)?;
                    read.push((accessor, base, count));
                    (base, count)
                }
            };
            self.primitive(&primitive, mode, base, count, placement.mirrors)?;
        }
        Ok(())
    }

    /// Appends the vertices of an accessor; gives where they begin and how many they are.
    fn vertices(&mut self, accessor: u64, placement: &Placement) -> Result<(usize, usize), ReadError> {
        let node = self.root.item("accessors", accessor)?;
        if node.need("type")?.value.as_str() != Some("VEC3") || node.need("componentType")?.integer()? != 5126
        {
            return Err(node.unsupported(
                "positions that are not three 32-bit floats",
                "export positions as floats, without quantisation",
            ));
        }
        let view = self.view(&node, Scalar::F32, 3)?;
        let base = self.positions.len();
        if base.saturating_add(view.count) > MOST {
            return Err(node.unsupported(TOO_MANY, SPLIT));
        }
        self.positions.reserve(view.count);
        for k in 0..view.count {
            let at = view.start + k * view.stride;
            let local = [0, 4, 8].map(|o| Scalar::F32.real(Endian::Little, &view.c.bytes[at + o..]));
            let c = Cursor { mark: at, ..view.c.clone() };
            self.positions.push(c.placed(placement.apply(local), self.options)?);
        }
        Ok((base, view.count))
    }

    fn primitive(
        &mut self,
        primitive: &Node,
        mode: u64,
        base: usize,
        vertices: usize,
        mirrors: bool,
    ) -> Result<(), ReadError> {
        let view = match primitive.get("indices") {
            None => None,
            Some(index) => {
                let node = self.root.item("accessors", index.integer()?)?;
                let scalar = match node.need("componentType")?.integer()? {
                    5121 => Scalar::U8,
                    5123 => Scalar::U16,
                    5125 => Scalar::U32,
                    _ => {
                        return Err(
                            node.invalid("holds indices of another type than 8, 16 or 32 bits unsigned")
                        );
                    }
                };
                if node.need("type")?.value.as_str() != Some("SCALAR") {
                    return Err(node.invalid("holds indices that are not SCALAR"));
                }
                Some(self.view(&node, scalar, 1)?)
            }
        };
        let n = view.as_ref().map_or(vertices, |v| v.count);
        if self.triangles.len().saturating_add(n) > MOST {
            return Err(primitive.unsupported(TOO_MANY, SPLIT));
        }
        let corner = |k: usize| match &view {
            // At most `MOST` vertices.
            None => Ok((base + k) as u32),
            Some(v) => {
                let at = v.start + k * v.stride;
                let c = Cursor { mark: at, ..v.c.clone() };
                let index = c.index(v.scalar.integer(Endian::Little, &v.c.bytes[at..]), vertices)?;
                Ok::<u32, ReadError>(index + base as u32)
            }
        };
        let ways: Box<dyn Iterator<Item = [usize; 3]>> = match mode {
            4 if !n.is_multiple_of(3) => {
                return Err(primitive.invalid(&format!("has {n} corners, which is no multiple of 3")));
            }
            4 => Box::new((0..n / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2])),
            // Every second triangle of a strip runs the other way.
            5 => Box::new((2..n).map(|k| if k % 2 == 0 { [k - 2, k - 1, k] } else { [k - 1, k - 2, k] })),
            6 => Box::new((2..n).map(|k| [k - 1, k, 0])),
            _ => return Err(primitive.invalid("has a mode above 6")),
        };
        for [a, b, c] in ways {
            let (b, c) = if mirrors { (c, b) } else { (b, c) };
            self.triangles.push([corner(a)?, corner(b)?, corner(c)?]);
        }
        Ok(())
    }

    /// Where the numbers of an accessor lie, checked to lie inside the binary chunk.
    fn view(&self, accessor: &Node<'a>, scalar: Scalar, components: usize) -> Result<View<'a>, ReadError> {
        if accessor.get("sparse").is_some() {
            return Err(accessor.unsupported("sparse data", "export without sparse accessors"));
        }
        let view = self.root.item("bufferViews", accessor.need("bufferView")?.integer()?)?;
        if view.get("extensions").is_some_and(|e| e.get("EXT_meshopt_compression").is_some()) {
            return Err(view.unsupported("compressed with meshopt", "export without mesh compression"));
        }
        let buffer = self.root.item("buffers", view.need("buffer")?.integer()?)?;
        if buffer.get("uri").is_some() || !buffer.path.ends_with("[0]") {
            return Err(
                buffer.unsupported("data outside of this file", "export everything into one .glb file")
            );
        }
        let (whole, there) = (buffer.need("byteLength")?.integer()?, self.bin.left() as u64);
        if whole > there {
            let what =
                format!("is to have {whole} bytes, and the BIN chunk has {there}: export the file again");
            return Err(buffer.invalid(&what));
        }
        let size = (scalar.size() * components) as u64;
        let count = accessor.need("count")?.integer()?;
        let stride = view.integer_or("byteStride", size)?;
        if stride < size {
            return Err(view.invalid("has a `byteStride` smaller than its items"));
        }
        let length = view.need("byteLength")?.integer()?;
        let (view_at, at) = (view.integer_or("byteOffset", 0)?, accessor.integer_or("byteOffset", 0)?);
        let needed = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size))
            .and_then(|n| n.checked_add(at));
        let end = view_at.checked_add(length);
        if needed.is_none_or(|n| n > length) || end.is_none_or(|e| e > self.bin.left() as u64) {
            return Err(accessor.invalid("reaches beyond the data of the file"));
        }
        // All of these are below the length of the chunk now.
        let start = self.bin.at + (view_at + at) as usize;
        Ok(View { c: self.bin.clone(), start, stride: stride as usize, count: count as usize, scalar })
    }
}
