//! OBJ text: every accepted form, every refusal with its line, round trips, and garbage.

use impinge_geometry::{DVec3, Topology, TriMesh, generators};
use impinge_io::{LineProblem, ReadError, ReadOptions, UpAxis, read_obj_from, write_obj_to};
use proptest::prelude::*;

fn read(text: impl AsRef<[u8]>) -> Result<TriMesh, ReadError> {
    read_obj_from(text.as_ref(), "t.obj", &ReadOptions::default())
}

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n";

fn triangles(faces: &str) -> Vec<[u32; 3]> {
    read(format!("{CORNERS}{faces}")).unwrap().triangles().to_vec()
}

#[test]
fn every_form_of_a_face() {
    assert_eq!(triangles("f 1 2 3"), [[0, 1, 2]]);
    assert_eq!(triangles("f 1/9 2/8 3/7\n"), [[0, 1, 2]]);
    assert_eq!(triangles("f 1/9/1 2/8/1 3/7/1\n"), [[0, 1, 2]]);
    assert_eq!(triangles("f 1//4 2//4 3//4\n"), [[0, 1, 2]]);
    assert_eq!(triangles("f -5 -4/-1 -3//-1\n"), [[0, 1, 2]]);
    assert_eq!(triangles("fo 1 2 3\n"), [[0, 1, 2]]);
    assert_eq!(triangles("f 1 2 3 4\n"), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(triangles("f 1 2 3 4 5\n"), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(triangles("  \tf\t1  2 3 # the first\n"), [[0, 1, 2]]);
    assert_eq!(triangles("f 1 2 \\\n 3\nf \\\r\n1 \\\n3 4\n"), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(triangles("f 1 2 3\\"), [[0, 1, 2]]);
}

#[test]
fn what_carries_no_surface_is_left_aside() {
    let text = "\u{feff}# made by hand \\\r\nmtllib C:\\parts\\\r\no part\r\nv 0 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\n\
                vt 0 0\r\nvn 0 0 1\r\n\r\ng one two\r\ns off\r\nusemtl red\r\nv 0 1 0 # the last\r\nl 1 2\r\np 3\r\n\
                f 1/1/1 2/1/1 3/1/1\r\n";
    let mesh = read(text).unwrap();
    assert_eq!(mesh.positions(), [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()]);
    assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    // A name in Latin-1 loses nothing.
    assert!(read(b"# caf\xe9\ng caf\xe9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").is_ok());
}

#[test]
fn faces_may_come_before_their_vertices() {
    let mesh = read("f 1 2 3\nf 3 2 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0").unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 3]]);
}

#[test]
fn unit_and_up_are_applied_once() {
    let options = ReadOptions { scale: 0.01, up: UpAxis::Y };
    let text = "v 0 0 0\nv 100 0 0\nv 0 200 0\nv 0 0 300\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let mesh = read_obj_from(text.as_bytes(), "t.obj", &options).unwrap();
    assert_eq!(mesh.bounds(), (DVec3::new(0.0, -3.0, 0.0), DVec3::new(1.0, 0.0, 2.0)));
    assert!((impinge_geometry::mass_properties(&mesh).unwrap().volume - 1.0).abs() < 1e-15);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = read_obj_from(text.as_bytes(), "t.obj", &ReadOptions { scale, up: UpAxis::Z }).unwrap_err();
        assert!(matches!(e, ReadError::BadScale { .. }) && e.to_string().contains("0.001 for mm"));
    }
}

/// The line and the problem, and that the message starts with `file:line:`.
fn refused(text: impl AsRef<[u8]>) -> (usize, LineProblem) {
    let e = read(&text).unwrap_err();
    let message = e.to_string();
    match e {
        ReadError::Line { file, line, problem } => {
            assert!(message.starts_with(&format!("{file}:{line}: ")), "{message}");
            (line, problem)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_malformed_line_is_named() {
    use LineProblem::*;
    let cases: Vec<(&[u8], usize, LineProblem)> = vec![
        (b"v 0 0 0\nv 1 x 0\n", 2, BadNumber { text: "x".into() }),
        (b"v 0,5 0 0\n", 1, BadNumber { text: "0,5".into() }),
        (b"\n\nv 0 nan 0\n", 3, NonFinite { text: "nan".into() }),
        (b"v 0 -inf 0\n", 1, NonFinite { text: "-inf".into() }),
        (b"v 0 1e400 0\n", 1, NonFinite { text: "1e400".into() }),
        (b"v 0 0 0\nv 1 0\n", 2, ShortVertex { found: 2 }),
        (b"v\n", 1, ShortVertex { found: 0 }),
        (b"v 1 2 # 3\n", 1, ShortVertex { found: 2 }),
        (b"v 0 0 0\nv 1 0 0\nf 1 2\n", 3, ShortFace { found: 2 }),
        (b"v 0 0 0\nf", 2, ShortFace { found: 0 }),
        (b"v 0 0 0\nf 1 1 a\n", 2, BadIndex { text: "a".into() }),
        (b"v 0 0 0\nf 1 1 1/x\n", 2, BadIndex { text: "1/x".into() }),
        (b"v 0 0 0\nf 1 1 1.0\n", 2, BadIndex { text: "1.0".into() }),
        (b"v 0 0 0\nf 0 1 1\n", 2, IndexZero),
        (b"v 0 0 0\nf 1 -2 1\nv 0 0 0\n", 2, IndexOutOfRange { index: -2, vertices: 1 }),
        (
            b"v 0 0 0\nf 1 2 3\nf 1 2 7\nf 1 9 2\nv 0 0 0\nv 0 0 0\n",
            3,
            IndexOutOfRange { index: 7, vertices: 3 },
        ),
        (b"f 5000000000 1 1\nv 0 0 0\n", 1, IndexOutOfRange { index: 5_000_000_000, vertices: 1 }),
        (b"f 99999999999999999999 1 1\n", 1, HugeIndex { text: "99999999999999999999".into() }),
        (b"f -99999999999999999999 1 1\n", 1, HugeIndex { text: "-99999999999999999999".into() }),
        (b"v 0 0 0\nxyzzy 1 2 3\n", 2, Unknown { keyword: "xyzzy".into() }),
        (b"v 0 0 0\n1 2 3\n", 2, Unknown { keyword: "1".into() }),
        (b"V 0 0 0\n", 1, Unknown { keyword: "V".into() }),
        (b"call other.obj\n", 1, Elsewhere { keyword: "call".into() }),
        (b"v 0 0 \\\n 0\nv 0 \\\n\\\nq 0\n", 3, BadNumber { text: "q".into() }),
        (b"v 0 0 \xff\n", 1, NotUtf8),
        (b"v 0 0 0\nf 1 1\xe9 1\n", 2, NotUtf8),
        (b"\xff\xfev\x00 \x000\x00", 1, NotUtf8),
        (b"v\x00 \x000\x00", 1, NotUtf8),
        (b"v 0 0 0\nv 1\x000 0 0\n", 2, Nul),
        (b"v 0 0 0\n\0\0\0\0", 2, Nul),
        (b"# old Mac\rv 0 0 0\rv 1 0 0\rf 1 2 1\r", 1, BareReturn),
        (b"v 0 0 0\nsurf 0 1 0 1\n", 2, CurvedSurface { keyword: "surf".into() }),
    ];
    for (text, line, problem) in cases {
        let shown = String::from_utf8_lossy(text).into_owned();
        assert_eq!(refused(text), (line, problem), "{shown:?}");
    }
    let e = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n").unwrap_err().to_string();
    assert!(e.contains("vertex index 4") && e.contains("3 vertices"), "{e}");
}

/// Statements of the format that say nothing of the surface, old ones too.
#[test]
fn what_gives_the_surface_no_shape_is_left_aside() {
    let shapeless = "mtllib a.mtl\nusemtl red\no box\ng a b\ng\ns off\nmg 1 0.5\nvt 0 0\nvn 0 0 1\nvp 0 1\nl 1 2\np 1\ncstype bspline\ndeg 3\n\
        curv 0 1 1 2\ncurv2 1 2\nparm u 0 1\ntrim 0 1 1\nhole 0 1 1\nscrv 0 1 1\nsp 1\nend\ncon 1 0 1 1 2 0 1 2\nbevel on\nc_interp off\nd_interp off\n\
        lod 10\nshadow_obj a.obj\ntrace_obj b.obj\nctech cparm 1\nstech cparma 1 1\nmaplib a.map\nusemap off\nbmat u 1\nstep 1\n# f 1 1 1\n\n";
    let mesh = read(format!("{shapeless}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n{shapeless}")).unwrap();
    assert_eq!((mesh.positions().len(), mesh.triangles()), (3, &[[0, 1, 2]][..]));
}

#[test]
fn concave_faces_keep_their_area_and_crossed_ones_are_named() {
    let points = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n";
    for face in ["1 2 3 4 5 6", "2 3 4 5 6 1", "6 5 4 3 2 1"] {
        let mesh = read(format!("f {face}\n{points}")).unwrap();
        assert_eq!((mesh.triangles().len(), impinge_geometry::area(&mesh)), (4, 3.0));
    }
    let (line, problem) = refused(format!("{points}f 1 2 3\nf 1 2 3 4 5 6\nf 1 3 2 6\n"));
    assert_eq!(line, 9);
    assert!(problem.to_string().contains("face 2 (counted from 0), of 4 corners"), "{problem}");
}

/// Prisms over a comb of many teeth and over a circle: closed, the right volume, and in time that grows with the corners.
#[test]
fn faces_of_many_corners_are_cut_in_no_time() {
    let prism = |outline: &[[f64; 2]]| {
        let n = outline.len();
        let mut text = String::new();
        for z in [0, 1] {
            outline.iter().for_each(|[x, y]| text += &format!("v {x:?} {y:?} {z}\n"));
        }
        let list = |mut corners: Vec<usize>, turn: bool| {
            if turn {
                corners.reverse();
            }
            let words: Vec<String> = corners.iter().map(usize::to_string).collect();
            format!("f {}\n", words.join(" "))
        };
        text += &list((1..=n).collect(), true);
        text += &list((n + 1..=2 * n).collect(), false);
        for k in 0..n {
            let l = (k + 1) % n;
            text += &list(vec![k + 1, l + 1, n + l + 1, n + k + 1], false);
        }
        let mesh = read(text).unwrap();
        impinge_geometry::mass_properties(&mesh).unwrap().volume
    };
    let teeth = 3000;
    let mut comb: Vec<[f64; 2]> = vec![[0.0, 0.0], [2.0 * f64::from(teeth), 0.0]];
    for k in (0..teeth).rev() {
        let x = 2.0 * f64::from(k);
        comb.extend([[x + 2.0, 1.0], [x + 1.0, 1.0], [x + 1.0, 3.0], [x, 3.0]]);
    }
    let start = std::time::Instant::now();
    let want = f64::from(teeth) * (2.0 + 2.0);
    assert!((prism(&comb) / want - 1.0).abs() < 1e-12);
    let circle: Vec<[f64; 2]> = (0..6000)
        .map(|k| (std::f64::consts::TAU * f64::from(k) / 6000.0).sin_cos())
        .map(|(y, x)| [x, y])
        .collect();
    let want = 3000.0 * (std::f64::consts::TAU / 6000.0).sin();
    assert!((prism(&circle) / want - 1.0).abs() < 1e-9);
    // A quadratic way takes minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_long_or_strange_word_is_shown_short() {
    let (_, problem) = refused(format!("v 0 0 {}", "é".repeat(1000)));
    assert!(problem.to_string().len() < 200, "{problem}");
}

#[test]
fn a_file_without_faces_says_so() {
    let (line, problem) = refused("solid cube\nfacet normal 0 0 1\n");
    assert!(line == 1 && problem.to_string().contains("in another format"), "{problem}");
    for text in ["", "# nothing\n", CORNERS] {
        let e = read(text).unwrap_err();
        assert!(matches!(e, ReadError::NoFaces { .. }) && e.to_string().contains("no faces"), "{text}: {e}");
    }
    assert!(matches!(read(CORNERS), Err(ReadError::NoFaces { vertices: 5, lines: 5, .. })));
}

#[test]
fn a_reader_that_fails_names_the_line() {
    struct Broken(usize);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0 == 0 {
                return Err(std::io::Error::other("cable pulled"));
            }
            self.0 -= 1;
            buffer[..8].copy_from_slice(b"v 0 0 0\n");
            Ok(8)
        }
    }
    let reader = std::io::BufReader::with_capacity(8, Broken(3));
    let e = read_obj_from(reader, "t.obj", &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().starts_with("t.obj:4: reading stopped: cable pulled"), "{e}");
}

#[test]
fn what_is_written_reads_back_equal() {
    let mesh = generators::torus(1.0, 0.3, 12, 7).unwrap();
    let awkward = mesh.mapped(|p| p * 1e-7 + DVec3::new(1.0 / 3.0, 1e20, -1e-300)).unwrap();
    for m in [mesh, awkward] {
        let mut text = Vec::new();
        write_obj_to(&mut text, &m).unwrap();
        assert_eq!(read(&text).unwrap(), m);
    }
}

proptest! {
    #[test]
    fn any_finite_mesh_round_trips(
        p in prop::collection::vec(prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO), 1..20),
        t in prop::collection::vec(prop::array::uniform3(0u32..1000), 1..20),
    ) {
        let n = p.len() as u32;
        let t: Vec<[u32; 3]> = t.into_iter().map(|f| f.map(|i| i % n)).collect();
        let mesh = TriMesh::from_arrays(&p, &t).unwrap();
        let mut text = Vec::new();
        write_obj_to(&mut text, &mesh).unwrap();
        prop_assert_eq!(read(&text).unwrap(), mesh);
    }

    /// Lines made of the right words in the wrong order: a mesh or an error, never a panic.
    #[test]
    fn word_soup_is_total(words in prop::collection::vec(
        prop::sample::select(vec!["v", "f", "1", "-1", "0", "2/1", "3//1", "1e9", "nan", "\n", "\n", "\n", "\\\n", "#", "/", "-", "\r", "\r\n"]),
        0..200,
    )) {
        if let Ok(mesh) = read(words.join(" ")) {
            prop_assert!(!Topology::new(&mesh).face_edges().is_empty());
        }
    }

    /// A good file with bytes overwritten: the reader does not panic, and an error has a line inside the file.
    #[test]
    fn damaged_files_are_total(hits in prop::collection::vec((0usize..4000, any::<u8>()), 1..6)) {
        let mut text = Vec::new();
        write_obj_to(&mut text, &generators::icosphere(1.0, 1).unwrap()).unwrap();
        for (at, byte) in hits {
            let n = text.len();
            text[at % n] = byte;
        }
        let lines = text.split(|&b| b == b'\n').count();
        if let Err(ReadError::Line { line, .. }) = read(&text) {
            prop_assert!((1..=lines).contains(&line));
        }
    }
}
