//! glTF 2.0 in one binary file: bodies as nodes that move and turn, bodies of nodes as morph targets.

use crate::error::ReportError;
use crate::record::{BodyShape, RunRecord};
use serde_json::{Value, json};

/// Moments of a body made of nodes that are kept: each is a morph target of its own.
const MORPHS: usize = 64;

/// The buffer and what points into it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

const F32: u32 = 5126;
const U32: u32 = 5125;

impl Buffer {
    fn add(&mut self, bytes: &[u8], count: usize, component: u32, shape: &str, extra: Value) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        let mut accessor = json!({ "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": shape });
        if let (Some(to), Value::Object(more)) = (accessor.as_object_mut(), extra) {
            to.extend(more);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f32; N]], shape: &str) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let (mut low, mut high) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for row in rows {
            for k in 0..N {
                (low[k], high[k]) = (low[k].min(row[k]), high[k].max(row[k]));
            }
        }
        self.add(&bytes, rows.len(), F32, shape, json!({ "min": low.to_vec(), "max": high.to_vec() }))
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        self.add(&bytes, 3 * triangles.len(), U32, "SCALAR", json!({}))
    }
}

/// A run as an animation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Animation {
    /// The file (`.glb`).
    pub glb: Vec<u8>,
    /// What could not be taken along, and why.
    pub left_out: Vec<String>,
}

/// The frames of a run as glTF 2.0 in one binary file, in metres and seconds, y up. Rigid, driven and fixed bodies are nodes that move and turn; bodies
/// made of nodes are morph targets, 64 moments at most; a plane is a square, three times as wide to each side as what the bodies reach. What changes its
/// number of points is left out, and said so.
///
/// # Errors
/// [`ReportError::NoFrames`]; [`ReportError::NotFinite`]: glTF has no way to say that; [`ReportError::NothingToDraw`]; [`ReportError::TooLarge`].
pub fn animation(record: &RunRecord) -> Result<Animation, ReportError> {
    let frames = &record.frames;
    let finite = |p: &[f32]| p.iter().all(|x| x.is_finite());
    if frames.time.is_empty() {
        return Err(ReportError::NoFrames);
    }
    if !frames.poses.iter().flatten().all(|p| finite(p))
        || !frames.points.iter().flat_map(|t| &t.positions).flatten().all(|p| finite(p))
    {
        return Err(ReportError::NotFinite);
    }
    let mut out = Scene {
        buffer: Buffer::default(),
        meshes: vec![],
        nodes: vec![],
        materials: vec![],
        samplers: vec![],
        channels: vec![],
        left_out: vec![],
    };
    let times: Vec<[f32; 1]> = frames.time.iter().map(|t| [*t as f32]).collect();
    let clock = out.buffer.floats(&times, "SCALAR");
    let extent = extent(record);
    for (b, shape) in record.bodies.iter().enumerate() {
        out.body(record, b, shape, clock, extent);
    }
    out.finish(record)
}

struct Scene {
    buffer: Buffer,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    left_out: Vec<String>,
}

impl Scene {
    fn body(&mut self, record: &RunRecord, b: usize, shape: &BodyShape, clock: usize, extent: f32) {
        let frames = &record.frames;
        if let Some(plane) = &shape.plane {
            let [corners, triangles] = square(plane.normal, plane.offset, extent);
            let index: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|x| x as u32)).collect();
            let mesh = self.mesh(shape, &corners, &index, &[]);
            self.nodes.push(json!({ "name": shape.name, "mesh": mesh }));
            return;
        }
        if let Some(track) = frames.points.iter().find(|t| t.body as usize == b) {
            let same = track.positions.iter().all(|p| p.len() == track.positions[0].len());
            if !same || track.positions[0].is_empty() {
                self.left_out.push(format!("`{}`: its number of points changes during the run", shape.name));
                return;
            }
            self.morphing(record, &track.positions, shape);
            return;
        }
        if shape.vertices.is_empty() {
            self.left_out.push(format!("`{}` has no surface", shape.name));
            return;
        }
        let mesh = self.mesh(shape, &shape.vertices, &shape.triangles, &[]);
        let pose = |f: usize| frames.poses[f].get(b).copied().unwrap_or([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let first = pose(0);
        let node = self.nodes.len();
        self.nodes.push(
            json!({ "name": shape.name, "mesh": mesh, "translation": &first[..3], "rotation": &first[3..] }),
        );
        if (0..frames.time.len()).all(|f| pose(f) == first) {
            return;
        }
        let places: Vec<[f32; 3]> =
            (0..frames.time.len()).map(|f| [pose(f)[0], pose(f)[1], pose(f)[2]]).collect();
        let mut turns: Vec<[f32; 4]> = Vec::new();
        for f in 0..frames.time.len() {
            let p = pose(f);
            let mut q = [p[3], p[4], p[5], p[6]];
            // Both signs are one rotation; viewers go the way between neighbours.
            if turns.last().is_some_and(|l| l.iter().zip(&q).map(|(a, b)| a * b).sum::<f32>() < 0.0) {
                q = q.map(|x| -x);
            }
            let size = q.iter().map(|x| x * x).sum::<f32>().sqrt();
            turns.push(q.map(|x| x / size));
        }
        let (places, turns) = (self.buffer.floats(&places, "VEC3"), self.buffer.floats(&turns, "VEC4"));
        self.channel(node, "translation", clock, places);
        self.channel(node, "rotation", clock, turns);
    }

    /// A body of nodes: the first moment, and the way from there to each of the others.
    fn morphing(&mut self, record: &RunRecord, positions: &[Vec<[f32; 3]>], shape: &BodyShape) {
        let stride = positions.len().div_ceil(MORPHS).max(1);
        let mut kept: Vec<usize> = (0..positions.len()).step_by(stride).collect();
        if kept.last() != Some(&(positions.len() - 1)) {
            kept.push(positions.len() - 1);
        }
        if stride > 1 {
            self.left_out.push(format!(
                "`{}` keeps {} of {} moments",
                shape.name,
                kept.len(),
                positions.len()
            ));
        }
        let base = &positions[0];
        let targets: Vec<Vec<[f32; 3]>> = kept[1..]
            .iter()
            .map(|&f| {
                let way = |(a, b): (&[f32; 3], &[f32; 3])| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                positions[f].iter().zip(base).map(way).collect()
            })
            .collect();
        let triangles: &[[u32; 3]] = if shape.vertices.len() == base.len() { &shape.triangles } else { &[] };
        let mesh = self.mesh(shape, base, triangles, &targets);
        let node = self.nodes.len();
        self.nodes.push(json!({ "name": shape.name, "mesh": mesh }));
        if targets.is_empty() {
            return;
        }
        let times: Vec<[f32; 1]> = kept.iter().map(|&f| [record.frames.time[f] as f32]).collect();
        let mut weights: Vec<[f32; 1]> = Vec::new();
        for k in 0..kept.len() {
            weights.extend((1..kept.len()).map(|t| [f32::from(u8::from(t == k))]));
        }
        let (clock, weights) = (self.buffer.floats(&times, "SCALAR"), self.buffer.floats(&weights, "SCALAR"));
        self.channel(node, "weights", clock, weights);
    }

    fn channel(&mut self, node: usize, path: &str, input: usize, output: usize) {
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.channels
            .push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    fn mesh(
        &mut self,
        shape: &BodyShape,
        points: &[[f32; 3]],
        triangles: &[[u32; 3]],
        targets: &[Vec<[f32; 3]>],
    ) -> usize {
        let [r, g, b] = shape.colour.unwrap_or([150, 160, 170]).map(|c| (f64::from(c) / 255.0).powf(2.2));
        self.materials.push(json!({ "doubleSided": true, "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 } }));
        let mut primitive = json!({ "attributes": { "POSITION": self.buffer.floats(points, "VEC3") }, "material": self.materials.len() - 1 });
        if triangles.is_empty() {
            primitive["mode"] = json!(0);
        } else {
            primitive["indices"] = json!(self.buffer.indices(triangles));
        }
        let targets: Vec<Value> =
            targets.iter().map(|t| json!({ "POSITION": self.buffer.floats(t, "VEC3") })).collect();
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        self.meshes.push(json!({ "name": shape.name, "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn finish(mut self, record: &RunRecord) -> Result<Animation, ReportError> {
        if self.nodes.is_empty() {
            return Err(ReportError::NothingToDraw { left_out: self.left_out });
        }
        // z is up here and y there.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let children: Vec<usize> = (0..self.nodes.len()).collect();
        self.nodes
            .push(json!({ "name": "world", "rotation": [-half, 0.0, 0.0, half], "children": children }));
        let mut root = json!({
            "asset": { "version": "2.0", "generator": concat!("impinge ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": record.title, "nodes": [self.nodes.len() - 1] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [{ "byteLength": self.buffer.bytes.len() }],
        });
        if !self.channels.is_empty() {
            root["animations"] =
                json!([{ "name": record.response, "samplers": self.samplers, "channels": self.channels }]);
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut glb = b"glTF".to_vec();
        glb.extend(2u32.to_le_bytes());
        let size = 28 + text.len() + self.buffer.bytes.len();
        let told = u32::try_from(size).map_err(|_| ReportError::TooLarge { size })?;
        glb.extend(told.to_le_bytes());
        for (kind, data) in [(b"JSON", &text), (b"BIN\0", &self.buffer.bytes)] {
            glb.extend((data.len() as u32).to_le_bytes());
            glb.extend(kind);
            glb.extend(data);
        }
        Ok(Animation { glb, left_out: self.left_out })
    }
}

/// Half width of the square that stands for a plane: three times what the bodies reach (m).
fn extent(record: &RunRecord) -> f32 {
    let reach = |p: &[f32]| p[..3].iter().map(|x| x * x).sum::<f32>().sqrt();
    let points = record.frames.points.iter().flat_map(|t| t.positions.first().into_iter().flatten());
    let poses = record.frames.poses.first().into_iter().flatten().map(|p| reach(p));
    let sizes = record.bodies.iter().flat_map(|b| &b.vertices).map(|p| reach(p));
    let most = poses.chain(sizes).chain(points.map(|p| reach(p))).filter(|x| x.is_finite());
    3.0 * most.fold(0.1, f32::max)
}

/// The square of a plane around the foot of the origin: corners, and triangles as numbers.
fn square(normal: [f32; 3], offset: f32, extent: f32) -> [Vec<[f32; 3]>; 2] {
    let size = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
    let n = normal.map(|x| x / size);
    let cross = |a: [f32; 3], b: [f32; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let other = if n[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let u = cross(other, n);
    let long = u.iter().map(|x| x * x).sum::<f32>().sqrt();
    let u = u.map(|x| x / long);
    let v = cross(n, u);
    let at = |a: f32, b: f32| std::array::from_fn(|k| n[k] * offset / size + (u[k] * a + v[k] * b) * extent);
    [vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)], vec![[0.0, 1.0, 2.0], [0.0, 2.0, 3.0]]]
}
