//! A mesh file written and read.
//!
//! `cargo run -p impinge-io --example hello_io`

use impinge_io::{Grid, PvdSeries, ReadOptions, UpAxis, read_obj_from, read_tets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A tetrahedron in millimetres with y up; `read_mesh("part.stl", &options)` reads a file of any surface format.
    let text = "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let options = ReadOptions { scale: 1e-3, up: UpAxis::Y };
    let mesh = read_obj_from(text.as_bytes(), "part.obj", &options)?;
    assert_eq!(mesh.positions()[2].z, 0.01); // y of the file, in metres, is now up

    let folder = std::env::temp_dir();
    let mut series = PvdSeries::create(folder.join("impinge_io_readme.pvd"))?;
    let file = series.step(0.0, &Grid::from(&mesh))?; // the folder now opens in ParaView
    let error = read_tets(&file, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("4 triangles and no tetrahedra"));

    let error = read_obj_from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n".as_bytes(), "bad.obj", &options);
    assert!(error.unwrap_err().to_string().starts_with("bad.obj:4: vertex index 4, but 3 vertices"));
    let _ = (std::fs::remove_file(folder.join("impinge_io_readme.pvd")), std::fs::remove_file(file));
    println!("as expected");
    Ok(())
}
