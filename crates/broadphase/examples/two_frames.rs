//! The whole collision pass over a mesh that moves from one frame to the next, with times and memory:
//! swept boxes, candidate lists, exact decision, every contact time:
//! `cargo run --release -p impinge-broadphase --example two_frames -- FILE [--motion S] [--inflate D]`.
//!
//! FILE, little endian: `FRAMES01`, u32 vertices, u32 triangles, f64×3 positions at t = 0, the same at t = 1,
//! u32×3 triangles. The motion is x0 + S·(x1 − x0), S = 1 unless given; boxes hold both ends.

use impinge_broadphase::{CandidateWorkspace, FeatureTree, SelfCandidates};
use impinge_ccd::{Candidates, ContactWorkspace, FirstContacts, Opens, PenetrationIntervals, TierCounts};
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::time::Instant;

struct Frames {
    x0: Vec<[f64; 3]>,
    x1: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

fn read(path: &str) -> Result<Frames, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let short = || format!("{path}: {} bytes are fewer than its header promises", bytes.len());
    if bytes.get(..8) != Some(b"FRAMES01") {
        return Err(format!("{path}: not a frames file, it does not start with FRAMES01"));
    }
    let number = |at: usize| {
        let b = bytes.get(at..at + 4).ok_or_else(short)?;
        Ok::<_, String>(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let (n, m) = (number(8)? as usize, number(12)? as usize);
    let positions = |from: usize| -> Result<Vec<[f64; 3]>, String> {
        let part = bytes.get(from..from + 24 * n).ok_or_else(short)?;
        let f = |b: &[u8], c: usize| f64::from_le_bytes(std::array::from_fn(|i| b[8 * c + i]));
        Ok(part.chunks_exact(24).map(|b| [f(b, 0), f(b, 1), f(b, 2)]).collect())
    };
    let part = bytes.get(16 + 48 * n..16 + 48 * n + 12 * m).ok_or_else(short)?;
    let u = |b: &[u8], c: usize| u32::from_le_bytes(std::array::from_fn(|i| b[4 * c + i]));
    let triangles = part.chunks_exact(12).map(|b| [u(b, 0), u(b, 1), u(b, 2)]).collect();
    Ok(Frames { x0: positions(16)?, x1: positions(16 + 24 * n)?, triangles })
}

/// Median and best of `n` runs, in ms.
fn time(n: usize, mut f: impl FnMut()) -> (f64, f64) {
    let mut t: Vec<f64> = (0..n)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    t.sort_by(f64::total_cmp);
    (t[n / 2], t[0])
}

/// Largest memory this process has held, in MB; `None` where the system does not tell.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

fn run() -> Result<(), String> {
    let (mut path, mut motion, mut inflation) = (None, 1.0f64, 0.0f64);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || {
            let v = args.next().ok_or(format!("{a} needs a number"))?;
            v.parse::<f64>().map_err(|_| format!("{a}: '{v}' is not a number"))
        };
        match a.as_str() {
            "--motion" => motion = value()?,
            "--inflate" => inflation = value()?,
            _ if a.starts_with('-') => {
                return Err(format!("unknown option {a}; known: --motion S, --inflate D"));
            }
            _ => path = Some(a),
        }
    }
    let path = path.ok_or("give a frames file: two_frames FILE [--motion S] [--inflate D]")?;
    let Frames { x0, mut x1, triangles } = read(&path)?;
    for (a, b) in x0.iter().zip(&mut x1) {
        *b = std::array::from_fn(|c| a[c] + motion * (b[c] - a[c]));
    }
    let mesh = TriMesh::from_arrays(&x0, &triangles).map_err(|e| e.to_string())?;
    let topology = Topology::new(&mesh);
    drop(mesh);
    println!(
        "{} vertices, {} edges, {} triangles, motion {motion}, inflation {inflation} m",
        x0.len(),
        topology.edges().len(),
        triangles.len()
    );
    let loaded = peak_memory();

    let start = Instant::now();
    let mut tree = FeatureTree::new(&triangles, &topology, &x0).map_err(|e| e.to_string())?;
    let build = start.elapsed().as_secs_f64() * 1e3;
    let edges = topology.edges().to_vec();
    drop(topology);
    let mut failed = None;
    let (update, update_best) = time(21, || failed = tree.update(&x0, &x1, inflation).err());
    if let Some(e) = failed {
        return Err(e.to_string());
    }
    let (mut workspace, mut out) = (CandidateWorkspace::new(), SelfCandidates::default());
    let (lists, lists_best) = time(15, || tree.self_candidates(&mut workspace, &mut out));
    let (vf, ee) = (out.vertex_face.len(), out.edge_edge.len());
    println!("vertex-face {vf}, edge-edge {ee}, candidates {}", vf + ee);
    let peak = peak_memory();
    let mb = |m: Option<f64>| m.map_or("not known".to_string(), |m| format!("{m:.0} MB"));
    println!("build              {build:8.1} ms");
    println!("update and refit   {update:8.2} ms (best {update_best:.2})");
    println!("lists, sorted      {lists:8.1} ms (best {lists_best:.1})");
    narrow(&x0, &x1, &triangles, &edges, &out, update + lists)?;
    println!(
        "tree {:.1} MB ({:.0} bytes per triangle), scratch {:.1} MB, peak {} ({} with the mesh loaded)",
        tree.memory_bytes() as f64 / 1e6,
        tree.memory_bytes() as f64 / tree.triangle_count().max(1) as f64,
        workspace.memory_bytes() as f64 / 1e6,
        mb(peak),
        mb(loaded)
    );
    drop(out);
    let mut pairs = Vec::new();
    let (t, best) = time(15, || tree.self_triangle_pairs(&mut workspace, &mut pairs));
    println!("triangle pairs     {t:8.1} ms (best {best:.1}), {} pairs, neighbours included", pairs.len());
    Ok(())
}

/// Decision, first contacts and penetration intervals of the lists; times of each.
fn narrow(
    x0: &[[f64; 3]],
    x1: &[[f64; 3]],
    faces: &[[u32; 3]],
    edges: &[[u32; 2]],
    lists: &SelfCandidates,
    broad: f64,
) -> Result<(), String> {
    let vectors = |x: &[[f64; 3]]| -> Vec<DVec3> { x.iter().map(|p| DVec3::from(*p)).collect() };
    let (x0, x1) = (vectors(x0), vectors(x1));
    let parts = [
        Candidates::VertexFacePairs { pairs: &lists.vertex_face, faces },
        Candidates::EdgeEdgePairs { pairs: &lists.edge_edge, edges },
    ];
    let mut workspace = ContactWorkspace::new();
    let mut first = [FirstContacts::default(), FirstContacts::default()];
    let mut rows = [PenetrationIntervals::default(), PenetrationIntervals::default()];
    let mut counts = TierCounts::default();
    let mut failed = None;
    let (contacts, contacts_best) = time(15, || {
        counts = TierCounts::default();
        for (part, first) in parts.iter().zip(&mut first) {
            match impinge_ccd::first_contacts(&x0, &x1, *part, &mut workspace, first) {
                Ok(c) => counts.add(&c),
                Err(e) => failed = Some(e),
            }
        }
    });
    let (intervals, intervals_best) = time(15, || {
        for (part, rows) in parts.iter().zip(&mut rows) {
            let both = Opens::FromBothSides;
            let done = impinge_ccd::penetration_intervals(&x0, &x1, *part, &[], both, &mut workspace, rows);
            failed = failed.or(done.err());
        }
    });
    if let Some(e) = failed {
        return Err(e.to_string());
    }
    let pairs = parts[0].len() + parts[1].len();
    let per_pair = |ms: f64| ms * 1e6 / pairs.max(1) as f64;
    println!(
        "first contacts     {contacts:8.1} ms (best {contacts_best:.1}), {:.1} ns per candidate",
        per_pair(contacts)
    );
    println!(
        "all contact times  {intervals:8.1} ms (best {intervals_best:.1}), {:.1} ns per candidate",
        per_pair(intervals)
    );
    println!(
        "tiers: axis {}, signs {}, certified {}, exact {}",
        counts.axis, counts.signs, counts.certified, counts.exact
    );
    let touching = first[0].len() + first[1].len();
    let earliest = first.iter().flat_map(|f| &f.t).copied().fold(f64::INFINITY, f64::min);
    println!(
        "touching pairs {touching} (vertex-face {}, edge-edge {}), penetration intervals {}, earliest contact {}",
        first[0].len(),
        first[1].len(),
        rows[0].len() + rows[1].len(),
        if touching > 0 { format!("{earliest:.6}") } else { "none: the step is free".into() }
    );
    println!("whole pass         {:8.1} ms with every contact time", broad + intervals);
    Ok(())
}

fn main() {
    if let Err(e) = run() {
        eprintln!("{e}");
        std::process::exit(1);
    }
}
