//! First touch of two equal meshes of a file, beside parry3d's `cast_shapes` on the same meshes and motions.
//!
//! ```text
//! cargo run -p impinge-ccd --example first_touch_timing -- FILE.obj [RUNS]
//! ```
//!
//! A long sweep (two widths of the mesh) and moves of a frame (1 % to a third of a width), from gaps within and beyond their length; once
//! with the same rotation, once with different ones. Directions: 26 of a cube (sides, edges, corners) and 24 spread evenly, all of them.
//! Calls of both alternate, and each has its best of RUNS. A row has medians over the directions, and the direction of the worst ratio.
//! Trees are built once, outside of the times. Memory: the largest the process held before parry3d's meshes were made.

use impinge_ccd::touch::first_touch;
use impinge_geometry::{DVec3, Pose, TriMesh, rotor_from_rotation_vector};
use impinge_io::{ReadOptions, read_obj};
use impinge_query::{MeshIndex, touching};
use parry3d::glamx::{Pose3, Rot3, Vec3};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape;
use std::error::Error;
use std::time::Instant;

/// Of a cube: to its sides, edges and corners.
const OF_CUBE: usize = 26;
const SPREAD: usize = 24;
const DIRECTIONS: usize = OF_CUBE + SPREAD;

fn direction(i: usize) -> DVec3 {
    if i < OF_CUBE {
        // Of 27 cells the middle one is none.
        let cell = i + usize::from(i >= OF_CUBE / 2);
        let digit = |place: usize| (cell / place % 3) as f64 - 1.0;
        return DVec3::new(digit(1), digit(3), digit(9)).normalized();
    }
    // Over the sphere (Fibonacci).
    let i = i - OF_CUBE;
    let z = 1.0 - (2 * i + 1) as f64 / SPREAD as f64;
    let (r, turn) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * i as f64);
    DVec3::new(r * turn.cos(), r * turn.sin(), z)
}

/// Time (ms) and answer.
fn timed<T>(f: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let answer = f();
    (start.elapsed().as_secs_f64() * 1e3, answer)
}

fn median(x: &[f64]) -> f64 {
    let mut x = x.to_vec();
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn vec3(v: DVec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose3(p: &Pose) -> Pose3 {
    let r = p.rotation;
    // A rotor turns the other way round than a quaternion of the same numbers.
    let q = Rot3::from_xyzw(-r.bv.yz as f32, r.bv.xz as f32, -r.bv.xy as f32, r.s as f32);
    Pose3::from_parts(vec3(p.position), q.normalize())
}

struct Case {
    from: Pose,
    to: Pose,
    other: Pose,
}

/// From `gap` before the touch (m) by `length` (m); `None` where the meshes miss each other.
fn case(
    index: &MeshIndex,
    width: f64,
    i: usize,
    turned: bool,
    length: f64,
    gap: Option<f64>,
) -> Result<Option<Case>, Box<dyn Error>> {
    let way = direction(i);
    let rotation =
        |w| if turned { rotor_from_rotation_vector(w) } else { rotor_from_rotation_vector(DVec3::zero()) };
    let other = Pose::new(DVec3::new(0.1, 0.2, 0.3) * width, rotation(DVec3::new(0.3, -0.2, 0.5)));
    let at = |far: f64| Pose::new(other.position - way * far, rotation(direction(i / 2) * 2.0));
    let far = 1.7 * width;
    let (from, to) = (at(far), at(far - length));
    let Some(gap) = gap else { return Ok(Some(Case { from, to, other })) };
    let Some(hit) = first_touch(index, (&from, &at(0.0)), index, &other)? else { return Ok(None) };
    let touch = far * (1.0 - hit.t);
    Ok(Some(Case { from: at(touch + gap), to: at(touch + gap - length), other }))
}

/// Times and answers of the cases of a row.
#[derive(Default)]
struct Row {
    /// Ours, theirs (ms).
    ms: [Vec<f64>; 2],
    ratios: Vec<f64>,
    hits: usize,
    /// Largest difference of the answers (m).
    differs: f64,
}

impl Row {
    fn take(
        &mut self,
        c: &Case,
        (index, peer): (&MeshIndex, &shape::TriMesh),
        runs: usize,
    ) -> Result<(), Box<dyn Error>> {
        let motion = c.to.position - c.from.position;
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let (from, other) = (pose3(&c.from), pose3(&c.other));
        let ours = || timed(|| first_touch(index, (&c.from, &c.to), index, &c.other));
        let theirs = || timed(|| cast_shapes(&from, vec3(motion), peer, &other, Vec3::ZERO, peer, options));
        let ((mut ms, hit), (mut peer_ms, peer_hit)) = (ours(), theirs());
        for _ in 1..runs {
            ms = ms.min(ours().0);
            peer_ms = peer_ms.min(theirs().0);
        }
        let (hit, peer_hit) = (hit?, peer_hit.map_err(|e| format!("parry3d: {e:?}"))?);
        // Apart a hair before the touch.
        let t = hit.map_or(1.0, |h| h.t - 1e-9);
        let before = Pose::new(c.from.position + motion * t, c.from.rotation);
        if touching(index, &before, index, &c.other)? {
            return Err(format!("they touch before {hit:?}").into());
        }
        if let (Some(a), Some(b)) = (hit, peer_hit) {
            let by = (a.t - f64::from(b.time_of_impact)).abs() * motion.mag();
            self.differs = self.differs.max(by);
        }
        self.hits += usize::from(hit.is_some());
        self.ms[0].push(ms);
        self.ms[1].push(peer_ms);
        self.ratios.push(ms / peer_ms);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("name a mesh: first_touch_timing FILE.obj [RUNS]")?;
    let runs = words.next().map_or(Ok(9), |w| w.parse())?;
    let mesh: TriMesh = read_obj(&file, &ReadOptions::default())?;
    let (lo, hi) = mesh.bounds();
    // In its middle.
    let mesh = mesh.mapped(|p| p - (lo + hi) * 0.5)?;
    let width = (hi - lo).component_max();
    let (build, index) = timed(|| MeshIndex::new(&mesh));
    println!(
        "{} triangles, {width:.3} m wide; index: {build:.1} ms, {:.1} MB",
        index.triangles(),
        index.memory_bytes() as f64 / 1e6
    );
    let rows = [
        ("sweep of 2 widths", 2.0, None),
        ("sweep of 2 widths from 0.5 before", 2.0, Some(0.5)),
        ("1.3 % of a width, hit in its middle", 0.013, Some(0.0065)),
        ("1.3 % of a width, hit at 0.9", 0.013, Some(0.0117)),
        ("1.3 % of a width, ends short of the touch", 0.013, Some(0.0131)),
        ("7 % of a width, hit in its middle", 0.07, Some(0.035)),
        ("7 % of a width, ends short of the touch", 0.07, Some(0.0701)),
        ("33 % of a width, hit at 0.1", 0.33, Some(0.033)),
        ("33 % of a width, hit in its middle", 0.33, Some(0.165)),
        ("33 % of a width, ends short of the touch", 0.33, Some(0.331)),
    ];
    let mut cases = Vec::new();
    for turned in [false, true] {
        for (name, length, gap) in rows {
            let of = |i| case(&index, width, i, turned, length * width, gap.map(|g: f64| g * width));
            let mut all = Vec::new();
            for i in 0..DIRECTIONS {
                all.extend(of(i)?.map(|c| (i, c)));
            }
            let name = format!("{name}{}", if turned { ", turned" } else { "" });
            cases.push((name, all));
        }
    }
    println!("peak memory before parry3d's meshes: {:.0} MiB", peak_mib().unwrap_or(f64::NAN));

    let points = mesh.positions().iter().map(|&p| vec3(p)).collect();
    let peer =
        shape::TriMesh::new(points, mesh.triangles().to_vec()).map_err(|e| format!("parry3d: {e:?}"))?;
    println!(
        "{:<50} {:>5} {:>8} {:>8} {:>7} {:>7} {:>9} {:>8} {:>8} {:>9}",
        "medians (ms)",
        "hits",
        "ours",
        "parry3d",
        "ratio",
        "worst",
        "direction",
        "ours",
        "parry3d",
        "|Δ| (m)"
    );
    for (name, cases) in &cases {
        let mut row = Row::default();
        for (i, c) in cases {
            row.take(c, (&index, &peer), runs).map_err(|e| format!("{name}, direction {i}: {e}"))?;
        }
        let worst = (0..cases.len()).max_by(|&a, &b| row.ratios[a].total_cmp(&row.ratios[b])).unwrap_or(0);
        println!(
            "{name:<50} {:>2}/{:<2} {:>8.3} {:>8.3} {:>7.2} {:>7.2} {:>9} {:>8.3} {:>8.3} {:>9.1e}",
            row.hits,
            cases.len(),
            median(&row.ms[0]),
            median(&row.ms[1]),
            median(&row.ratios),
            row.ratios[worst],
            cases[worst].0,
            row.ms[0][worst],
            row.ms[1][worst],
            row.differs,
        );
    }
    Ok(())
}
