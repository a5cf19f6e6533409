//! Sound surfaces of about a tenth of a metre, each broken in one way, or in several.

use crate::families::Numbers;
use crate::hostile::vector;
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, l_shape, torus};

/// Vertices and triangles, not yet known to be a mesh.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Positions (m).
    pub x: Vec<DVec3>,
    /// Corners.
    pub f: Vec<[u32; 3]>,
}

/// A way to break a surface.
pub type Break = fn(&mut Numbers, &mut Raw);

/// Every way, with the name of its row.
pub const BREAKS: &[(&str, Break)] = &[
    ("holes", holes),
    ("non-manifold edges", fins),
    ("turned faces", turned),
    ("pinched vertices", pinched),
    ("triangle soup", soup),
    ("near duplicates", shaken_soup),
    ("faces without area", without_area),
    ("slivers", slivers),
    ("faces twice", twice),
    ("faces back to back", back_to_back),
    ("self-intersections", spikes),
    ("overlapping parts", overlapping),
    ("inside out", inside_out),
    ("a part inside out", part_inside_out),
    ("unused vertices", unused),
    ("flat", flat),
    ("thin as a hair", thin),
    ("enormous", enormous),
    ("tiny", tiny),
    ("far away", far),
];

/// A sound surface to begin with.
pub fn sound(which: u64) -> Raw {
    let made = match which % 4 {
        0 => cuboid(DVec3::new(0.1, 0.08, 0.06), [2, 2, 1]),
        1 => icosphere(0.05, 1),
        2 => torus(0.035, 0.015, 8, 6),
        _ => l_shape(DVec3::new(0.1, 0.08, 0.05), 0.04),
    };
    let (x, f) = made.unwrap_or_else(|e| panic!("a generator refused its own shape: {e}")).into_parts();
    Raw { x, f }
}

fn face(r: &mut Numbers, m: &Raw) -> usize {
    r.below(m.f.len() as u64) as usize
}

fn few(r: &mut Numbers) -> u64 {
    r.pick(&[1, 1, 2, 4])
}

fn holes(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        if m.f.len() > 4 {
            let i = face(r, m);
            m.f.swap_remove(i);
        }
    }
}

/// A face that stands on an edge of another.
fn fins(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let [a, b, _] = m.f[face(r, m)];
        let middle = (m.x[a as usize] + m.x[b as usize]) * 0.5;
        m.x.push(middle * 1.5 + vector(r) * 0.01);
        m.f.push([a, b, m.x.len() as u32 - 1]);
    }
}

fn turned(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let i = face(r, m);
        m.f[i].swap(1, 2);
    }
}

/// A copy that hangs by one vertex, mirrored in it so that both stay outward.
fn pinched(r: &mut Numbers, m: &mut Raw) {
    let top = (0..m.x.len()).max_by(|&i, &j| m.x[i].z.total_cmp(&m.x[j].z)).unwrap_or(0);
    let (n, at) = (m.x.len() as u32, m.x[top]);
    // Turned by half a turn about an axis through the vertex: z goes to the other side, orientation stays.
    let copy: Vec<DVec3> = m.x.iter().map(|p| DVec3::new(p.x, 2.0 * at.y - p.y, 2.0 * at.z - p.z)).collect();
    let number = |v: u32| if v as usize == top { v } else { n + v };
    let faces: Vec<[u32; 3]> = m.f.iter().map(|f| f.map(number)).collect();
    m.x.extend(copy);
    m.f.extend(faces);
    if r.below(2) == 0 {
        unused(r, m);
    }
}

/// Every face has vertices of its own, as an STL file does.
fn soup(_: &mut Numbers, m: &mut Raw) {
    m.x = m.f.iter().flatten().map(|&v| m.x[v as usize]).collect();
    m.f = (0..m.f.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
}

fn shaken_soup(r: &mut Numbers, m: &mut Raw) {
    soup(r, m);
    let by = r.pick(&[1e-9, 1e-8, 1e-12]);
    m.x.iter_mut().for_each(|p| *p += vector(r) * by);
}

fn without_area(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let i = face(r, m);
        let [a, b, c] = m.f[i];
        match r.below(3) {
            // A vertex on the side a–b, its face and the two halves.
            0 => {
                let v = m.x.len() as u32;
                m.x.push((m.x[a as usize] + m.x[b as usize]) * 0.5);
                m.f.push([a, v, b]);
                m.f[i] = [a, v, c];
                m.f.push([v, b, c]);
            }
            1 => m.f.push([a, a, b]),
            // Two vertices in one place.
            _ => {
                m.x[a as usize] = m.x[b as usize];
            }
        }
    }
}

fn slivers(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let i = face(r, m);
        let [a, b, c] = m.f[i];
        let v = m.x.len() as u32;
        let t = 0.5 + 0.2 * r.unit();
        let on = m.x[a as usize] * t + m.x[b as usize] * (1.0 - t);
        m.x.push(on + (m.x[c as usize] - on) * r.pick(&[1e-6, 1e-9, 1e-13]));
        m.f[i] = [a, v, c];
        m.f.extend([[v, b, c], [a, b, v]]);
    }
}

fn twice(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let f = m.f[face(r, m)];
        m.f.push(f);
    }
}

fn back_to_back(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let [a, b, c] = m.f[face(r, m)];
        m.f.push([a, c, b]);
    }
}

/// A vertex pulled through the other side.
fn spikes(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        let v = m.f[face(r, m)][0] as usize;
        m.x[v] = m.x[v] * -1.5 + vector(r) * 0.01;
    }
}

fn second(r: &mut Numbers, m: &mut Raw, shift: DVec3, inwards: bool) {
    let other = sound(r.next());
    let n = m.x.len() as u32;
    m.x.extend(other.x.iter().map(|&p| p + shift));
    m.f.extend(
        other.f.iter().map(|&[a, b, c]| if inwards { [n + a, n + c, n + b] } else { [n + a, n + b, n + c] }),
    );
}

fn overlapping(r: &mut Numbers, m: &mut Raw) {
    let shift = vector(r) * 0.04;
    second(r, m, shift, false);
}

fn inside_out(_: &mut Numbers, m: &mut Raw) {
    m.f.iter_mut().for_each(|f| f.swap(1, 2));
}

fn part_inside_out(r: &mut Numbers, m: &mut Raw) {
    second(r, m, DVec3::new(0.15, 0.0, 0.0), true);
}

fn unused(r: &mut Numbers, m: &mut Raw) {
    for _ in 0..few(r) {
        m.x.push(vector(r) * r.pick(&[0.05, 10.0]));
    }
}

fn flat(_: &mut Numbers, m: &mut Raw) {
    m.x.iter_mut().for_each(|p| p.z = 0.0);
}

fn thin(r: &mut Numbers, m: &mut Raw) {
    let by = r.pick(&[1e-3, 1e-6, 1e-12]);
    m.x.iter_mut().for_each(|p| p.z *= by);
}

fn scaled(m: &mut Raw, by: f64) {
    m.x.iter_mut().for_each(|p| *p *= by);
}

fn enormous(r: &mut Numbers, m: &mut Raw) {
    let by = r.pick(&[1e4, 1e9, 1e60, 1e160, 1e300]);
    scaled(m, by);
}

fn tiny(r: &mut Numbers, m: &mut Raw) {
    let by = r.pick(&[1e-4, 1e-9, 1e-60, 1e-160, 1e-300]);
    scaled(m, by);
}

fn far(r: &mut Numbers, m: &mut Raw) {
    let by = r.pick(&[1e3, 1e6, 1e12, 1e100]);
    let to = vector(r) * by;
    m.x.iter_mut().for_each(|p| *p += to);
}

/// One broken surface.
#[derive(Clone, Debug)]
pub struct Animal {
    /// The row of the table.
    pub kind: &'static str,
    /// What was done to it.
    pub made: Vec<&'static str>,
    /// The arrays.
    pub raw: Raw,
}

/// How many of each kind.
pub const OF_EACH: u64 = 8;
/// How many mixtures.
pub const MIXTURES: u64 = 48;

/// Broken surfaces of each kind, then mixtures of two to four.
pub fn all() -> Vec<Animal> {
    let mut out = Vec::new();
    for (k, &(kind, f)) in BREAKS.iter().enumerate() {
        for i in 0..OF_EACH {
            let mut r = Numbers((k as u64) << 32 | i);
            r.next();
            let mut raw = sound(i);
            f(&mut r, &mut raw);
            out.push(Animal { kind, made: vec![kind], raw });
        }
    }
    for i in 0..MIXTURES {
        let mut r = Numbers(0xa5a5 << 32 | i);
        r.next();
        let mut raw = sound(i);
        let mut made = Vec::new();
        for _ in 0..r.pick(&[2, 2, 3, 4]) {
            let (name, f) = r.pick(BREAKS);
            f(&mut r, &mut raw);
            made.push(name);
        }
        out.push(Animal { kind: "mixtures", made, raw });
    }
    out
}

impl Animal {
    /// As a mesh, where the arrays are one.
    pub fn mesh(&self) -> Option<TriMesh> {
        TriMesh::new(self.raw.x.clone(), self.raw.f.clone()).ok()
    }
}
