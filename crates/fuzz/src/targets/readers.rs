//! Readers of mesh files: valid samples, damaged; what is read is written and read again.

use super::room;
use crate::case::{Case, Outcome, must};
use crate::mutate::mutate;
use crate::{memory, samples};
use impinge_geometry::{DVec3, TriMesh, is_finite};
use impinge_io::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

pub fn obj(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "obj")
}

pub fn stl(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "stl")
}

pub fn ply(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "ply")
}

pub fn glb(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "glb")
}

pub fn vtk(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "vtk")
}

pub fn vtu(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "vtu")
}

pub fn msh(c: &mut Case) -> Result<Outcome, String> {
    damaged(c, "msh")
}

fn damaged(c: &mut Case, format: &'static str) -> Result<Outcome, String> {
    let all = kept(format);
    let n = all.len() as u64;
    let (one, other) = (&all[c.r.below(n) as usize], &all[c.r.below(n) as usize]);
    // Now and then the head of one and the body of another format.
    let bytes = if c.r.below(50) == 0 {
        mutate(&mut c.r, other, &samples::vtu_ascii())
    } else {
        mutate(&mut c.r, one, other)
    };
    c.show(|| String::from_utf8_lossy(&bytes).into_owned());
    read(format, &bytes).unwrap_or_else(|| Err("no such format".into()))
}

/// [`valid`], made once.
fn kept(format: &'static str) -> &'static [Vec<u8>] {
    type Files = Mutex<BTreeMap<&'static str, &'static [Vec<u8>]>>;
    static ALL: Files = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(|e| e.into_inner());
    all.entry(format).or_insert_with(|| valid(format).leak())
}

/// Whole files of a format.
fn valid(format: &str) -> Vec<Vec<u8>> {
    if format == "obj" {
        return objs();
    }
    let of = |name: &str| name.rsplit('.').next() == Some(format);
    let mut all: Vec<Vec<u8>> = [samples::surfaces(), samples::volumes()]
        .concat()
        .into_iter()
        .filter(|f| of(f.0))
        .map(|f| f.1)
        .collect();
    all.extend(polygons(format));
    if format == "glb" && all.is_empty() {
        all.push(samples::glb());
    }
    if format == "glb" {
        let nodes =
            r#"{"children":[1],"scale":[2,1,1]},{"mesh":0,"rotation":[0,0,0,1],"translation":[1,2,3]}"#;
        all.push(samples::glb_of(&samples::glb_json(nodes, r#","mode":4"#), &samples::glb_data()));
    }
    all
}

fn objs() -> Vec<Vec<u8>> {
    let plain =
        "# a tetrahedron\no body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let full = "mtllib a.mtl\ng one two\nv 0.5 -1e-3 +2 1.0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl x\ns off\n\
                f 1/1/1 2/1/1 3/1/1 4/1/1\nf -4//1 -3//1 \\\n -1//1\nl 1 2\np 1\nf 4/1 3/1 2/1\n";
    let concave = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0.1\nv 1 2 0\nv 0 2 0\nv 0 1 0\nf 1 2 3 4 5 6 7\nf 2 3 4 5 6 1\nf 4 5 6 2\n";
    [plain, full, concave].map(|t| t.as_bytes().to_vec()).into()
}

/// A concave polygon and a quadrilateral, in the formats that have such faces.
fn polygons(format: &str) -> Option<Vec<u8>> {
    let points = "0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n";
    match format {
        "ply" => Some(format!(
            "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty \
             list uchar int vertex_indices\nend_header\n{points}6 1 2 3 4 5 0\n4 0 1 3 5\n"
        )),
        "vtk" => Some(format!(
            "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n{points}CELLS 2 12\n6 1 2 3 4 5 0\n4 0 1 3 \
             5\nCELL_TYPES 2\n7 9\n"
        )),
        _ => None,
    }
    .map(String::into_bytes)
}

/// Reads a file and judges what comes out; `None` for a format without a reader.
pub fn read(format: &str, bytes: &[u8]) -> Option<Result<Outcome, String>> {
    let (name, options) = (format!("x.{format}"), ReadOptions::default());
    memory::reset();
    let result = match format {
        "obj" => read_obj_from(bytes, &name, &options).map(Ok),
        "stl" => read_stl_from(bytes, &name, &options).map(Ok),
        "ply" => read_ply_from(bytes, &name, &options).map(Ok),
        "glb" => read_glb_from(bytes, &name, &options).map(Ok),
        "vtk" => read_vtk_from(bytes, &name, &options).map(Err),
        "vtu" => read_vtu_from(bytes, &name, &options).map(Err),
        "msh" => read_msh_from(bytes, &name, &options).map(Err),
        _ => return None,
    };
    let peak = memory::peak();
    Some(
        must(peak <= room(bytes.len()), || format!("{peak} bytes held for a file of {}", bytes.len()))
            .and_then(|()| match result {
                Ok(Ok(mesh)) => surface(&mesh).map(|()| Outcome::Answered),
                Ok(Err(file)) => volume(&file).map(|()| Outcome::Answered),
                Err(e) => {
                    let text = e.to_string();
                    must(text.starts_with(&name) && text.len() < 600, || {
                        format!(
                            "an error without the file's name, or as long as {} bytes: {text:.200}",
                            text.len()
                        )
                    })?;
                    Ok(Outcome::Refused)
                }
            }),
    )
}

fn surface(m: &TriMesh) -> Result<(), String> {
    let n = m.positions().len() as u32;
    must(!m.triangles().is_empty(), || "a mesh without triangles".into())?;
    must(m.positions().iter().all(|&p| is_finite(p)), || "a position is not finite".into())?;
    must(m.triangles().iter().flatten().all(|&v| v < n), || "an index is out of range".into())?;
    let mut bytes = Vec::new();
    let options = ReadOptions::default();
    // One of the formats, told by the mesh.
    let back = if n.is_multiple_of(2) {
        write_obj_to(&mut bytes, m).map(|()| read_obj_from(&bytes[..], "back.obj", &options))
    } else {
        write_ply_to(&mut bytes, m).map(|()| read_ply_from(&bytes, "back.ply", &options))
    };
    let back = back.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
    must(same_bits(back.positions(), m.positions()) && back.triangles() == m.triangles(), || {
        "what was written reads back otherwise".into()
    })
}

fn same_bits(a: &[DVec3], b: &[DVec3]) -> bool {
    let bits = |p: &DVec3| [p.x, p.y, p.z].map(f64::to_bits);
    a.len() == b.len() && a.iter().zip(b).all(|(p, q)| bits(p) == bits(q))
}

fn volume(f: &TetFile) -> Result<(), String> {
    let n = f.positions.len();
    must(f.positions.iter().all(|&p| is_finite(p)), || "a position is not finite".into())?;
    let inside = |v: &u32| (*v as usize) < n;
    must(f.tets.iter().flatten().all(inside) && f.triangles.iter().flatten().all(inside), || {
        "an index is out of range".into()
    })?;
    // Turning the right way round is asked for by every user of tets.
    if let Ok(mesh) = impinge_geometry::TetMesh::new(f.positions.clone(), f.tets.clone()) {
        let _ = mesh.oriented();
    }
    let mut bytes = Vec::new();
    let options = ReadOptions::default();
    let grid = Grid { positions: &f.positions, triangles: &f.triangles, tets: &f.tets, ..Grid::default() };
    let back = match n % 3 {
        0 => write_vtk_to(&mut bytes, &grid).map(|()| read_vtk_from(&bytes, "back.vtk", &options)),
        1 => write_vtu_to(&mut bytes, &grid).map(|()| read_vtu_from(&bytes, "back.vtu", &options)),
        _ => write_msh_to(&mut bytes, &grid).map(|()| read_msh_from(&bytes, "back.msh", &options)),
    };
    let back = back.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
    let same =
        same_bits(&back.positions, &f.positions) && back.triangles == f.triangles && back.tets == f.tets;
    must(same, || "what was written reads back otherwise".into())
}
