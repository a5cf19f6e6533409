//! Files that are broken before there is a mesh: each with the word that its error must hold.

/// Name of the file, its text, and a word that tells the fault.
pub type Broken = (&'static str, String, &'static str);

const CORNERS: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n";
const FACES: &str = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// Twenty of them.
pub fn all() -> Vec<Broken> {
    let obj = |name, a: &str, b: &str, word| (name, format!("{a}{b}"), word);
    let ply = |count: &str, rows: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nelement face \
             1\nproperty list uchar int vertex_indices\nend_header\n{rows}"
        )
    };
    vec![
        obj("empty.obj", "", "", "triangle"),
        obj("no-faces.obj", CORNERS, "", "triangle"),
        obj("no-vertices.obj", "", FACES, "vert"),
        obj("beyond.obj", CORNERS, "f 1 2 9\n", "9"),
        obj("zero.obj", CORNERS, "f 0 1 2\n", "0"),
        obj("nan.obj", "v nan 0 0\n", FACES, "finite"),
        obj("infinite.obj", "v 1e999 0 0\n", FACES, "finite"),
        obj("word.obj", "v zero 0 0\n", FACES, "zero"),
        obj("short.obj", "v 1 2\n", FACES, "2 of 3"),
        obj("line.obj", CORNERS, "f 1 2\n", "2"),
        obj("comma.obj", "v 0,5 1 0\n", FACES, "0,5"),
        ("cut.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n".into(), "cut off"),
        ("words.stl", "solid x\nfacet normal 0 0 1\nouter hoop\n".into(), "hoop"),
        ("nothing.stl", "solid x\nendsolid x\n".into(), "triangles"),
        ("few.ply", ply("4", "0 0 0\n1 0 0\n3 0 1 2\n"), "cut off"),
        ("many.ply", ply("99999999999", "0 0 0\n3 0 1 2\n"), "cut off"),
        ("minus.ply", ply("3", "0 0 0\n1 0 0\n0 1 0\n3 0 1 -2\n"), "-2"),
        ("format.ply", "ply\nformat round 1.0\n".into(), "round"),
        ("not.glb", "this is no GLB".into(), "GLB"),
        ("unknown.xyz", "0 0 0".into(), "xyz"),
    ]
}
