//! First touch of two equal meshes of a file, beside parry3d's `cast_shapes` on the same meshes and motions.
//!
//! ```text
//! cargo run -p impinge-ccd --example first_touch_timing -- FILE.obj [RUNS]
//! ```
//!
//! A long sweep (two widths of the mesh) and moves of a frame (1 % to a third of a width), from gaps before, at and beyond their length;
//! once with the same rotation, once with different ones. A row has the medians over 24 directions of the best of RUNS calls each.
//! Trees are built once, outside of the times. Memory: the largest the process held before parry3d's meshes were made.

use impinge_ccd::touch::first_touch;
use impinge_geometry::{DVec3, Pose, TriMesh, rotor_from_rotation_vector};
use impinge_io::{ReadOptions, read_obj};
use impinge_query::{MeshIndex, distance, touching};
use parry3d::glamx::{Pose3, Rot3, Vec3};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape;
use std::error::Error;
use std::time::Instant;

const DIRECTIONS: usize = 24;

/// Directions spread over the sphere (Fibonacci).
fn direction(i: usize) -> DVec3 {
    let z = 1.0 - (2 * i + 1) as f64 / DIRECTIONS as f64;
    let (r, turn) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * i as f64);
    DVec3::new(r * turn.cos(), r * turn.sin(), z)
}

fn best<T>(runs: usize, mut f: impl FnMut() -> T) -> (f64, T) {
    let mut once = || {
        let start = Instant::now();
        let answer = f();
        (start.elapsed().as_secs_f64() * 1e3, answer)
    };
    let first = once();
    (1..runs).map(|_| once()).fold(first, |a, b| if b.0 < a.0 { b } else { a })
}

fn median(mut x: Vec<f64>) -> f64 {
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

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("name a mesh: first_touch_timing FILE.obj [RUNS]")?;
    let runs = words.next().map_or(Ok(9), |w| w.parse())?;
    let mesh: TriMesh = read_obj(&file, &ReadOptions::default())?;
    let (lo, hi) = mesh.bounds();
    // In its middle.
    let mesh = mesh.mapped(|p| p - (lo + hi) * 0.5)?;
    let width = (hi - lo).component_max();
    let (build, index) = best(1, || MeshIndex::new(&mesh));
    println!(
        "{} triangles, {width:.3} m wide; index: {build:.1} ms, {:.1} MB",
        index.triangles(),
        index.memory_bytes() as f64 / 1e6
    );
    let rows = [
        ("sweep of 2 widths", 2.0, None),
        ("sweep of 2 widths from 0.5 before", 2.0, Some(0.5)),
        ("1 % of a width, hit in its middle", 0.01, Some(0.005)),
        ("1 % of a width, ends short of the touch", 0.01, Some(0.0101)),
        ("7 % of a width, hit in its middle", 0.07, Some(0.035)),
        ("33 % of a width, hit in its middle", 0.33, Some(0.165)),
        ("33 % of a width, ends short of the touch", 0.33, Some(0.331)),
    ];
    let mut cases = Vec::new();
    for turned in [false, true] {
        for (name, length, gap) in rows {
            let of = |i| case(&index, width, i, turned, length * width, gap.map(|g: f64| g * width));
            let all: Result<Vec<Option<Case>>, _> = (0..DIRECTIONS).map(of).collect();
            cases.push((name, turned, all?.into_iter().flatten().collect::<Vec<_>>()));
        }
    }
    let ours: Vec<Vec<_>> = cases
        .iter()
        .map(|(_, _, cases)| {
            let time = |c: &Case| best(runs, || first_touch(&index, (&c.from, &c.to), &index, &c.other));
            cases.iter().map(time).collect()
        })
        .collect();
    let apart: Vec<Vec<_>> = cases
        .iter()
        .map(|(_, _, cases)| {
            cases.iter().map(|c| best(1, || distance(&index, &c.from, &index, &c.other))).collect()
        })
        .collect();
    println!("peak memory before parry3d's meshes: {:.0} MiB", peak_mib().unwrap_or(f64::NAN));

    let points = mesh.positions().iter().map(|&p| vec3(p)).collect();
    let peer =
        shape::TriMesh::new(points, mesh.triangles().to_vec()).map_err(|e| format!("parry3d: {e:?}"))?;
    println!(
        "{:<44} {:>5} {:>9} {:>9} {:>7} {:>7} {:>10} | distance {:>9} {:>7} {:>8}",
        "ms", "hits", "ours", "parry3d", "ratio", "worst", "|Δ| (m)", "ours", "parry3d", "|Δ| (m)"
    );
    for ((name, turned, cases), (ours, apart)) in cases.iter().zip(ours.into_iter().zip(apart)) {
        let (mut ratios, mut mine, mut theirs, mut hits, mut differs) = (vec![], vec![], vec![], 0, 0.0f64);
        let (mut d_mine, mut d_theirs, mut d_differs) = (vec![], vec![], 0.0f64);
        for (c, ((ms, hit), (d_ms, d))) in cases.iter().zip(ours.into_iter().zip(apart)) {
            let (hit, d) = (hit?, d?);
            // Apart a hair before the touch.
            let t = hit.map_or(1.0, |h| h.t - 1e-9);
            let before = Pose::new(c.from.position + (c.to.position - c.from.position) * t, c.from.rotation);
            if touching(&index, &before, &index, &c.other)? {
                return Err(format!("{name}: they touch before {hit:?}").into());
            }
            let motion = c.to.position - c.from.position;
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let (from, other) = (pose3(&c.from), pose3(&c.other));
            let cast = || cast_shapes(&from, vec3(motion), &peer, &other, Vec3::ZERO, &peer, options);
            let (peer_ms, peer_hit) = best(runs, cast);
            let peer_hit = peer_hit.map_err(|e| format!("parry3d: {e:?}"))?;
            let there = || parry3d::query::distance(&from, &peer, &other, &peer);
            let (peer_d_ms, peer_d) = best(1, there);
            let peer_d = f64::from(peer_d.map_err(|e| format!("parry3d: {e:?}"))?.distance);
            d_differs = d_differs.max((peer_d - d.distance).abs());
            if let (Some(a), Some(b)) = (hit, peer_hit) {
                differs = differs.max((a.t - f64::from(b.time_of_impact)).abs() * motion.mag());
            }
            hits += usize::from(hit.is_some());
            ratios.push(ms / peer_ms);
            mine.push(ms);
            theirs.push(peer_ms);
            d_mine.push(d_ms);
            d_theirs.push(peer_d_ms);
        }
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let name = format!("{name}{}", if *turned { ", turned" } else { "" });
        println!(
            "{name:<44} {hits:>2}/{:<2} {:>9.3} {:>9.3} {:>7.2} {worst:>7.2} {differs:>10.1e} | {:>18.3} {:>7.3} {d_differs:>8.1e}",
            cases.len(),
            median(mine),
            median(theirs),
            median(ratios),
            median(d_mine),
            median(d_theirs),
        );
    }
    Ok(())
}
