//! How long files of about a million triangles take to load: writes a sphere as OBJ, STL and PLY and a block of
//! tetrahedra as VTU into a folder, then reads each. `cargo run --release -p impinge-io --example load_times -- DIR`

use impinge_geometry::{DVec3, TriMesh, generators};
use impinge_io::{Grid, ReadOptions, read_mesh, read_tets, write_obj, write_vtu};
use std::error::Error;
use std::fs::{File, metadata};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    // 20 · 4⁸ = 1 310 720 triangles, cut to a million: what is read need not be closed.
    let whole = generators::icosphere(1.0, 8)?;
    let mesh = TriMesh::new(whole.positions().to_vec(), whole.triangles()[..1_000_000].to_vec())?;
    let file = |name: &str| folder.join(format!("impinge_load_times.{name}"));
    write_obj(file("obj"), &mesh)?;
    write_stl(&file("stl"), &mesh)?;
    write_ply(&file("ply"), &mesh)?;
    for name in ["obj", "stl", "ply"] {
        let path = file(name);
        let read = || read_mesh(&path, &ReadOptions::default());
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            let mesh = read()?;
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(mesh.triangles().len(), 1_000_000);
        }
        print(name, &path, best)?;
    }

    let (positions, tets) = block(56);
    let path = file("vtu");
    let start = Instant::now();
    write_vtu(&path, &Grid { positions: &positions, tets: &tets, ..Grid::default() })?;
    print("vtu, written", &path, start.elapsed().as_secs_f64())?;
    let start = Instant::now();
    assert_eq!(read_tets(&path, &ReadOptions::default())?.tets().len(), tets.len());
    print(&format!("vtu, {} tets", tets.len()), &path, start.elapsed().as_secs_f64())?;
    for name in ["obj", "stl", "ply", "vtu"] {
        std::fs::remove_file(file(name))?;
    }
    Ok(())
}

fn print(name: &str, path: &Path, seconds: f64) -> std::io::Result<()> {
    println!("{name:>18}: {seconds:.3} s, {:.1} MB", metadata(path)?.len() as f64 / 1e6);
    Ok(())
}

fn write_stl(path: &Path, mesh: &TriMesh) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&[b' '; 80])?;
    out.write_all(&(mesh.triangles().len() as u32).to_le_bytes())?;
    for t in 0..mesh.triangles().len() {
        out.write_all(&[0; 12])?;
        for x in mesh.corners(t).iter().flat_map(|p| [p.x, p.y, p.z]) {
            out.write_all(&(x as f32).to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    out.flush()
}

fn write_ply(path: &Path, mesh: &TriMesh) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.positions().len(),
        mesh.triangles().len()
    )?;
    for x in mesh.positions().iter().flat_map(|p| [p.x, p.y, p.z]) {
        out.write_all(&(x as f32).to_le_bytes())?;
    }
    for t in mesh.triangles() {
        out.write_all(&[3])?;
        for i in t {
            out.write_all(&i.to_le_bytes())?;
        }
    }
    out.flush()
}

/// n³ cubes of six tetrahedra around their diagonal.
fn block(n: u32) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let at = |i: u32, j: u32, k: u32| (i * (n + 1) + j) * (n + 1) + k;
    let mut positions = Vec::new();
    let mut tets = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            for k in 0..=n {
                positions.push(DVec3::new(f64::from(i), f64::from(j), f64::from(k)));
                if i < n && j < n && k < n {
                    for [a, b] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
                        let corner = |c: u32| at(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                        tets.push([corner(0), corner(a), corner(b), corner(7)]);
                    }
                }
            }
        }
    }
    (positions, tets)
}
