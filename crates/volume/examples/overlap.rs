//! The intersection of two mesh files: exact and by depth images, side by side.
//!
//! `cargo run --release -p impinge-volume --example overlap -- A.obj B.obj [options]`; `--help` names them.
//!
//! Times are the least of the rounds, those of `--own` medians.

use impinge_geometry::{DVec3, Pose, TriMesh, rotor_from_rotation_vector};
use impinge_io::{ReadOptions, read_mesh};
use impinge_volume::{
    Body, Bounds, CellGrid, ClosedSurface, Evaluate, Exact, Lattice, LayeredDepth, Limits, Overlap,
};
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

struct Options {
    files: Vec<String>,
    pose: Vec<f64>,
    pixel: Option<f64>,
    cells: Option<f64>,
    rounds: usize,
    layers: Option<u32>,
    own: bool,
    places: bool,
}

const USAGE: &str = "\
overlap A.obj B.obj [options]: the intersection of two closed meshes, exact and by depth images

  --pose X,Y,Z[,RX,RY,RZ]   moves B: a shift (m) and a rotation vector (rad)
  --pixel M                 distance of the rays (m); without it the overlap's longest side has 256
  --cells M                 cuts the overlap into cells of this size (m)
  --places                  each place where they meet is a contact of its own
  --rounds N                how often everything is measured (5)
  --layers PIXELS           also times all depth layers of A along z, with so many pixels on its longer side
  --own                     also joins A and B to one body and measures its overlap with itself, as one volume and contact by
                            contact, beside the two by the same rays over both, as one contact and by place

RAYON_NUM_THREADS=1 for times of one core.";

/// `None` where help was asked for.
fn options() -> Result<Option<Options>, Box<dyn Error>> {
    let mut o = Options {
        files: Vec::new(),
        pose: vec![0.0; 6],
        pixel: None,
        cells: None,
        rounds: 5,
        layers: None,
        own: false,
        places: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--pose" => {
                let numbers: Vec<f64> = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
                if numbers.len() != 3 && numbers.len() != 6 {
                    return Err("--pose takes X,Y,Z or X,Y,Z,RX,RY,RZ".into());
                }
                o.pose[..numbers.len()].copy_from_slice(&numbers);
            }
            "--pixel" => o.pixel = Some(value()?.parse()?),
            "--cells" => o.cells = Some(value()?.parse()?),
            "--layers" => o.layers = Some(value()?.parse()?),
            "--own" => o.own = true,
            "--places" => o.places = true,
            "--rounds" => o.rounds = value()?.parse::<usize>()?.max(1),
            "--help" | "-h" => return Ok(None),
            _ if word.starts_with('-') => return Err(format!("no option {word}\n\n{USAGE}").into()),
            _ => o.files.push(word),
        }
    }
    if o.files.len() != 2 {
        return Err(format!("give two mesh files\n\n{USAGE}").into());
    }
    Ok(Some(o))
}

/// The least time of all rounds (ms).
fn timed(
    rounds: usize,
    e: &mut dyn Evaluate,
    [a, b]: [Body<'_>; 2],
    grid: Option<&CellGrid>,
    out: &mut Overlap,
) -> Result<f64, Box<dyn Error>> {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        e.evaluate(a, b, grid, out)?;
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(least)
}

fn norm(o: &Overlap, meshes: [&TriMesh; 2], side: usize) -> (f64, Vec<DVec3>) {
    let mut g = vec![DVec3::zero(); meshes[side].positions().len()];
    o.add_gradient(side, &mut g);
    (g.iter().map(|g| g.mag_sq()).sum::<f64>().sqrt(), g)
}

fn median(mut ms: Vec<f64>) -> f64 {
    ms.sort_by(f64::total_cmp);
    ms[ms.len() / 2]
}

/// Both as one body against both as two, by one lattice over all of them.
fn as_one(
    [a, b]: [&TriMesh; 2],
    [pa, pb]: [Body<'_>; 2],
    pixel: f64,
    grid: Option<&CellGrid>,
    rounds: usize,
) -> Result<(), Box<dyn Error>> {
    let joined = TriMesh::joined(&[a, b])?;
    let surface = ClosedSurface::new(&joined)?;
    let body = Body::new(&surface, joined.positions())?;
    let (lo, hi) = joined.bounds();
    let lattice = Lattice::around(&Bounds { lo, hi }, pixel, &Limits::default())?;
    let mut image = LayeredDepth::new(pixel)?.with_lattice(lattice);
    let mut by_place = image.clone().by_place(true);
    let mut out = Overlap::new();
    // In turns, so that what else the machine does meets both alike.
    let [mut one, mut sorted, mut two, mut both, mut places] = [const { Vec::new() }; 5];
    let (mut whole, mut within, mut own, mut apart) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..rounds {
        let start = Instant::now();
        let found = image.overlaps(&[body], true, grid)?;
        one.push(start.elapsed().as_secs_f64() * 1e3);
        whole = found.first().map_or(0.0, |o| o.overlap.volume());
        let start = Instant::now();
        let found = image.overlaps(&[pa, pb], true, grid)?;
        both.push(start.elapsed().as_secs_f64() * 1e3);
        within = found.iter().map(|o| o.overlap.volume()).sum();
        let start = Instant::now();
        image.own(body, grid, &mut out)?;
        sorted.push(start.elapsed().as_secs_f64() * 1e3);
        own = out.volume();
        places.push(timed(1, &mut by_place, [pa, pb], grid, &mut out)?);
        apart = out.volume();
        two.push(timed(1, &mut image, [pa, pb], grid, &mut out)?);
    }
    println!("by the same rays over both, medians:");
    for (what, volume, ms) in [
        ("two bodies", out.volume(), two),
        ("two bodies, and each with itself", within, both),
        ("one body with itself", whole, one),
        ("two bodies, by place", apart, places),
        ("one body, its contacts told apart", own, sorted),
    ] {
        println!("  {what:<34} {volume:.9e} m³ in {:.3} ms", median(ms));
    }
    Ok(())
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(o) = options()? else {
        println!("{USAGE}");
        return Ok(());
    };
    let read = |f: &String| read_mesh(f, &ReadOptions::default());
    let (a, b) = (read(&o.files[0])?, read(&o.files[1])?);
    let p = &o.pose;
    let pose =
        Pose::new(DVec3::new(p[0], p[1], p[2]), rotor_from_rotation_vector(DVec3::new(p[3], p[4], p[5])));
    let b = b.mapped(|x| pose.point_to_world(x))?;
    let (sa, sb) = (ClosedSurface::new(&a)?, ClosedSurface::new(&b)?);
    let bodies = [Body::new(&sa, a.positions())?, Body::new(&sb, b.positions())?];
    let ((la, ha), (lb, hb)) = (a.bounds(), b.bounds());
    let side = (ha.min_by_component(hb) - la.max_by_component(lb)).component_max();
    if let Some(n) = o.layers {
        let bounds = Bounds { lo: la, hi: ha };
        let pixel = (ha.x - la.x).max(ha.y - la.y) / f64::from(n.max(1));
        let lattice = Lattice::around(&bounds, pixel, &Limits::default())?;
        let mut image = LayeredDepth::new(pixel)?;
        let (mut least, mut samples) = (f64::INFINITY, 0);
        for _ in 0..o.rounds {
            let start = Instant::now();
            samples = image.count_layers(&bodies[..1], &lattice, 2)?;
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let [x, y, _] = lattice.count;
        println!("{} triangles, {x} × {y} pixels: {samples} samples in {least:.3} ms", a.triangles().len());
    }
    println!("{} and {} triangles", a.triangles().len(), b.triangles().len());
    if side <= 0.0 {
        println!("the boxes are apart: volume 0");
        return Ok(());
    }
    let pixel = o.pixel.unwrap_or(side / 256.0);
    let grid = match o.cells {
        Some(size) => Some(CellGrid::new(la.max_by_component(lb), size)?),
        None => None,
    };
    let (mut exact, mut image) = (Overlap::new(), Overlap::new());
    let time_exact =
        timed(o.rounds, &mut Exact::new().by_place(o.places), bodies, grid.as_ref(), &mut exact)?;
    let mut depth = LayeredDepth::new(pixel)?.by_place(o.places);
    let time_image = timed(o.rounds, &mut depth, bodies, grid.as_ref(), &mut image)?;
    println!("              volume (m³)           |∂V/∂A| (m²)   |∂V/∂B| (m²)   contacts      ms");
    let mut gradients = Vec::new();
    for (name, overlap, ms) in [("exact", &exact, time_exact), ("layered depth", &image, time_image)] {
        let (na, ga) = norm(overlap, [&a, &b], 0);
        let (nb, gb) = norm(overlap, [&a, &b], 1);
        println!(
            "{name:<13} {:<21.15e} {na:<14.8e} {nb:<14.8e} {:>8} {ms:>7.3}",
            overlap.volume(),
            overlap.cells().len()
        );
        gradients.push([ga, gb].concat());
    }
    if o.own {
        as_one([&a, &b], bodies, pixel, grid.as_ref(), o.rounds)?;
    }
    let v = exact.volume();
    let off: f64 = gradients[0].iter().zip(&gradients[1]).map(|(e, i)| (*e - *i).mag_sq()).sum();
    let size: f64 = gradients[0].iter().map(|g| g.mag_sq()).sum();
    println!(
        "pixel {pixel:.3e} m, at most {} layers; depth images are off by {:.3e} in volume, {:.3e} in the gradient (relative)",
        depth.deepest(),
        if v > 0.0 { (image.volume() - v) / v } else { image.volume() },
        if size > 0.0 { (off / size).sqrt() } else { off.sqrt() }
    );
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("overlap: {e}");
            ExitCode::FAILURE
        }
    }
}
