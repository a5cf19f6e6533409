//! The smallest file of each format and coding, made by hand: surfaces are one tetrahedron's, volumes two tets
//! that share a face, with one surface triangle and a pressure at the points.

#![allow(dead_code)]

/// Corners of the surface and its triangles, counter-clockwise from outside.
pub const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
pub const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

pub const POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.75, 0.75, 0.875]];
pub const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 3, 4]];
pub const TRIANGLE: [u32; 3] = [0, 2, 1];
pub const PRESSURE: [f64; 5] = [0.0, 0.5, 1.0, -2.5, 4.0];

pub fn stl_ascii() -> Vec<u8> {
    let mut text = String::from("solid facet of a name\n");
    for f in FACES {
        text += "  facet normal nan 0 0\n    outer loop\n";
        for [x, y, z] in f.map(|i| CORNERS[i as usize]) {
            text += &format!("      vertex {x:e} {y} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    (text + "endsolid facet of a name\n").into_bytes()
}

/// Begins with `solid`, as many do.
pub fn stl_binary() -> Vec<u8> {
    let mut bytes = b"solid made by a program that should not say so".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4u32.to_le_bytes());
    for f in FACES {
        bytes.extend([0; 12]);
        for x in f.into_iter().flat_map(|i| CORNERS[i as usize]) {
            bytes.extend(x.to_le_bytes());
        }
        bytes.extend([7, 7]);
    }
    bytes
}

pub fn ply_ascii() -> Vec<u8> {
    let mut text = String::from(
        "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float nx\nproperty double x\n\
         property float y\nproperty float z\nelement face 4\nproperty uchar red\nproperty list uchar int \
         vertex_indices\nelement edge 1\nproperty list uchar float odd\nend_header\n",
    );
    for [x, y, z] in CORNERS {
        text += &format!("9 {x} {y} {z}\n");
    }
    for [a, b, c] in FACES {
        text += &format!("255 3 {a} {b} {c}\n");
    }
    (text + "2 0.5 0.5\n").into_bytes()
}

pub fn ply_binary(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\r\nformat binary_{order}_endian 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty float y\r\n\
         property double z\r\nproperty list uchar short odd\r\nelement face 4\r\nproperty list ushort uint \
         vertex_index\r\nproperty uchar red\r\nend_header\r\n"
    )
    .into_bytes();
    fn put<const N: usize>(bytes: &mut Vec<u8>, mut number: [u8; N], big: bool) {
        if big {
            number.reverse();
        }
        bytes.extend(number);
    }
    for [x, y, z] in CORNERS {
        put(&mut bytes, x.to_le_bytes(), big);
        put(&mut bytes, y.to_le_bytes(), big);
        put(&mut bytes, f64::from(z).to_le_bytes(), big);
        bytes.extend([1, 7, 7]);
    }
    for f in FACES {
        put(&mut bytes, 3u16.to_le_bytes(), big);
        for i in f {
            put(&mut bytes, i.to_le_bytes(), big);
        }
        bytes.push(255);
    }
    bytes
}

/// A GLB file of a JSON part and a binary part.
pub fn glb_of(json: &str, bin: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    for n in [2, 28 + json.len() + bin.len(), json.len()] {
        bytes.extend((n as u32).to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((bin.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(bin);
    bytes
}

/// Positions, then indices of 16 bits.
pub fn glb_data() -> Vec<u8> {
    let mut bin: Vec<u8> = CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    bin.extend(FACES.iter().flatten().flat_map(|&i| (i as u16).to_le_bytes()));
    bin
}

/// The JSON part with these nodes, which hang under scene 0 by the first one, and more members of the primitive.
pub fn glb_json(nodes: &str, primitive: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1{primitive}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":4}},
        {{"bufferView":1,"componentType":5123,"type":"SCALAR","count":12}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "buffers":[{{"byteLength":72}}]}}"#
    )
}

pub fn glb() -> Vec<u8> {
    glb_of(&glb_json(r#"{"mesh":0}"#, ""), &glb_data())
}

pub fn vtk_ascii() -> Vec<u8> {
    b"# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n\
      0.5\n\nPOINTS 5 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 0.75 7.5e-1 0.875\nCELLS 4 17\n4 0 1 2 3\n4 1 2 3 4\n\
      3 0 2 1\n2 0 1\nCELL_TYPES 4\n10 10 5 3\nCELL_DATA 4\nSCALARS part int\nLOOKUP_TABLE default\n1 1 2 3\n\
      POINT_DATA 5\nSCALARS pressure double 1\nLOOKUP_TABLE default\n0 0.5 1 -2.5 4\n"
        .to_vec()
}

pub fn vtk5_ascii() -> Vec<u8> {
    b"# vtk DataFile Version 5.1\r\nby hand\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\nPOINTS 5 float\r\n0 0 0\r\n\
      1 0 0\r\n0 1 0\r\n0 0 1\r\n.75 .75 .875\r\nMETADATA\r\nINFORMATION 0\r\n\r\nCELLS 4 11\r\nOFFSETS \
      vtktypeint64\r\n0 4 8 11\r\nCONNECTIVITY vtktypeint64\r\n0 1 2 3 1 2 3 4 0 2 1\r\nCELL_TYPES 3\r\n10 10 5\r\n\
      POINT_DATA 5\r\nFIELD FieldData 1\r\npressure 1 5 double\r\n0 0.5 1 -2.5 4\r\n"
        .to_vec()
}

fn big<const N: usize>(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = [u8; N]>) {
    bytes.extend(numbers.into_iter().flatten());
}

pub fn vtk_binary() -> Vec<u8> {
    let mut b =
        b"# vtk DataFile Version 2.0\nby hand\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n".to_vec();
    big(&mut b, POINTS.iter().flatten().map(|x| x.to_be_bytes()));
    b.extend(b"\nCELLS 3 14\n");
    big(&mut b, [4, 0, 1, 2, 3, 4, 1, 2, 3, 4, 3, 0, 2, 1].map(|i: i32| i.to_be_bytes()));
    b.extend(b"\nCELL_TYPES 3\n");
    big(&mut b, [10, 10, 5].map(|i: i32| i.to_be_bytes()));
    b.extend(b"\nPOINT_DATA 5\nSCALARS pressure double\nLOOKUP_TABLE default\n");
    big(&mut b, PRESSURE.map(|x| x.to_be_bytes()));
    b.extend(
        b"\nSCALARS flags bit\nLOOKUP_TABLE default\n\xa8\nCOLOR_SCALARS colour 1\n\x01\x02\x03\x04\x05\n",
    );
    b
}

pub fn vtk5_binary() -> Vec<u8> {
    let mut b =
        b"# vtk DataFile Version 5.1\nby hand\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n".to_vec();
    big(&mut b, POINTS.iter().flatten().map(|&x| (x as f32).to_be_bytes()));
    b.extend(b"\nCELLS 4 11\nOFFSETS vtktypeint64\n");
    big(&mut b, [0, 4, 8, 11].map(|i: i64| i.to_be_bytes()));
    b.extend(b"\nCONNECTIVITY vtktypeint64\n");
    big(&mut b, [0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 1].map(|i: i64| i.to_be_bytes()));
    b.extend(b"\nCELL_TYPES 3\n");
    big(&mut b, [10, 10, 5].map(|i: i32| i.to_be_bytes()));
    b.extend(b"\nPOINT_DATA 5\nFIELD f 1\npressure 1 5 float\n");
    big(&mut b, PRESSURE.map(|x| (x as f32).to_be_bytes()));
    b
}

/// The five arrays of the grid: point data, points, connectivity, offsets, types, as bytes and in words.
fn arrays() -> [(&'static str, &'static str, Vec<u8>, String); 5] {
    let le = |v: &[f64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let ints = |v: &[i32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    fn words<T: std::fmt::Display>(v: impl IntoIterator<Item = T>) -> String {
        v.into_iter().map(|x| format!("{x} ")).collect()
    }
    let corners = [0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 1];
    [
        ("pressure", "Float64", le(&PRESSURE), words(PRESSURE)),
        ("Points", "Float64", le(POINTS.as_flattened()), words(POINTS.iter().flatten())),
        ("connectivity", "Int32", ints(&corners), words(corners)),
        ("offsets", "Int32", ints(&[4, 8, 11]), words([4, 8, 11])),
        ("types", "UInt8", vec![10, 10, 5], words([10, 10, 5])),
    ]
}

/// A VTU file around arrays that `array` writes.
fn vtu_of(head: &str, mut array: impl FnMut(usize, &str) -> String, tail: &[u8]) -> Vec<u8> {
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
         byte_order=\"LittleEndian\"{head}>\n<UnstructuredGrid>\n<Piece NumberOfPoints='5' NumberOfCells='3'>\n"
    );
    for (k, (name, kind, _, _)) in arrays().iter().enumerate() {
        let (open, close) = [
            ("<PointData Scalars=\"pressure\">", "</PointData>"),
            ("<Points>", "</Points>"),
            ("<Cells>", ""),
            ("", ""),
            ("", "</Cells>"),
        ][k];
        let components = if k == 1 { " NumberOfComponents=\"3\"" } else { "" };
        let tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\"{components}");
        text += &format!("{open}\n{}\n{close}", array(k, &tag));
    }
    text += "\n</Piece>\n</UnstructuredGrid>\n";
    let mut bytes = text.into_bytes();
    bytes.extend(tail);
    bytes.extend(b"</VTKFile>\n");
    bytes
}

pub fn vtu_ascii() -> Vec<u8> {
    let words = arrays().map(|a| a.3);
    vtu_of(
        "",
        |k, tag| {
            format!(
                "{tag} format=\"ascii\">\n{}\n<InformationKey name=\"x\">9</InformationKey></DataArray>",
                words[k]
            )
        },
        b"",
    )
}

pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().enumerate().fold(0u32, |g, (i, &b)| g | u32::from(b) << (16 - 8 * i));
        for k in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * k) & 63) as usize] as char;
            text.push(if k <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// The length before the numbers is of 32 bits; encoded with them or, as some programs do, by itself.
pub fn vtu_base64(apart: bool) -> Vec<u8> {
    let data = arrays().map(|a| a.2);
    vtu_of(
        "",
        |k, tag| {
            let head = (data[k].len() as u32).to_le_bytes();
            let text = match apart {
                true => base64(&head) + &base64(&data[k]),
                false => base64(&[&head[..], &data[k]].concat()),
            };
            format!("{tag} format=\"binary\">\n  {text}\n</DataArray>")
        },
        b"",
    )
}

pub fn vtu_appended(raw: bool) -> Vec<u8> {
    let data = arrays().map(|a| {
        let block = [&(a.2.len() as u64).to_le_bytes()[..], &a.2].concat();
        if raw { block } else { base64(&block).into_bytes() }
    });
    let tail = [
        format!("<AppendedData encoding=\"{}\">\n  _", if raw { "raw" } else { "base64" }).as_bytes(),
        &data.concat(),
        b"\n</AppendedData>\n",
    ]
    .concat();
    let mut offset = 0;
    vtu_of(
        " header_type=\"UInt64\"",
        |k, tag| {
            let text = format!("{tag} format=\"appended\" offset=\"{offset}\"/>");
            offset += data[k].len();
            text
        },
        &tail,
    )
}

pub fn msh2_ascii() -> Vec<u8> {
    b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n\
      1 0 0 0\n2 1 0 0\n30 0 1 0\n4 0 0 1\n5 .75 .75 .875\n$EndNodes\n$Elements\n5\n1 15 2 0 1 1\n2 1 0 1 2\n\
      3 2 2 0 1 1 30 2\n4 4 2 0 1 1 2 30 4\n5 4 0 2 30 4 5\n$EndElements\n$NodeData\n1\n\"pressure\"\n1\n0.0\n3\n\
      0\n1\n5\n1 0\n2 .5\n30 1\n4 -2.5\n5 4\n$EndNodeData\n"
        .to_vec()
}

fn put(bytes: &mut Vec<u8>, ints: &[i32]) {
    bytes.extend(ints.iter().flat_map(|i| i.to_le_bytes()));
}

fn long(bytes: &mut Vec<u8>, ints: &[u64]) {
    bytes.extend(ints.iter().flat_map(|i| i.to_le_bytes()));
}

fn node_data_binary(b: &mut Vec<u8>) {
    b.extend(b"$NodeData\n1\n\"pressure\"\n1\n0.0\n3\n0\n1\n5\n");
    for (i, p) in PRESSURE.iter().enumerate() {
        put(b, &[i as i32 + 1]);
        b.extend(p.to_le_bytes());
    }
    b.extend(b"\n$EndNodeData\n");
}

pub fn msh2_binary() -> Vec<u8> {
    let mut b = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n5\n".to_vec();
    for (i, p) in POINTS.iter().enumerate() {
        put(&mut b, &[i as i32 + 1]);
        b.extend(p.iter().flat_map(|x| x.to_le_bytes()));
    }
    b.extend(b"\n$EndNodes\n$Elements\n3\n");
    put(&mut b, &[2, 1, 2, 1, 0, 1, 1, 3, 2]);
    put(&mut b, &[4, 2, 2, 2, 0, 1, 1, 2, 3, 4, 3, 0, 1, 2, 3, 4, 5]);
    b.extend(b"\n$EndElements\n");
    node_data_binary(&mut b);
    b
}

pub fn msh4_ascii() -> Vec<u8> {
    b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n2 5 1 5\n2 1 1 2\n1\n2\n\
      0 0 0 0.1 0.2\n1 0 0 0.3 0.4\n3 1 0 3\n3\n4\n5\n0 1 0\n0 0 1\n.75 .75 .875\n$EndNodes\n$Elements\n2 3 1 3\n\
      2 1 2 1\n1 1 3 2\n3 1 4 2\n2 1 2 3 4\n3 2 3 4 5\n$EndElements\n$NodeData\n1\n\"pressure\"\n1\n0.0\n3\n0\n1\n\
      5\n1 0\n2 .5\n3 1\n4 -2.5\n5 4\n$EndNodeData\n"
        .to_vec()
}

pub fn msh4_binary() -> Vec<u8> {
    let mut b = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    long(&mut b, &[1, 5, 1, 5]);
    put(&mut b, &[3, 1, 0]);
    long(&mut b, &[5, 1, 2, 3, 4, 5]);
    b.extend(POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()));
    b.extend(b"\n$EndNodes\n$Elements\n");
    long(&mut b, &[2, 3, 1, 3]);
    put(&mut b, &[2, 1, 2]);
    long(&mut b, &[1, 1, 1, 3, 2]);
    put(&mut b, &[3, 1, 4]);
    long(&mut b, &[2, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5]);
    b.extend(b"\n$EndElements\n");
    node_data_binary(&mut b);
    b
}

pub fn surfaces() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("ascii.stl", stl_ascii()),
        ("binary.stl", stl_binary()),
        ("ascii.ply", ply_ascii()),
        ("little.ply", ply_binary(false)),
        ("big.ply", ply_binary(true)),
        #[cfg(feature = "glb")]
        ("a.glb", glb()),
    ]
}

pub fn volumes() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("ascii.vtk", vtk_ascii()),
        ("ascii5.vtk", vtk5_ascii()),
        ("binary.vtk", vtk_binary()),
        ("binary5.vtk", vtk5_binary()),
        ("ascii.vtu", vtu_ascii()),
        ("base64.vtu", vtu_base64(false)),
        ("base64_apart.vtu", vtu_base64(true)),
        ("appended_raw.vtu", vtu_appended(true)),
        ("appended_base64.vtu", vtu_appended(false)),
        ("zlib_meshio.vtu", include_bytes!("zlib_meshio.vtu").to_vec()),
        ("zlib_pyvista.vtu", include_bytes!("zlib_pyvista.vtu").to_vec()),
        ("zlib_raw.vtu", include_bytes!("zlib_raw.vtu").to_vec()),
        ("zlib_base64_big.vtu", include_bytes!("zlib_base64_big.vtu").to_vec()),
        ("ascii2.msh", msh2_ascii()),
        ("binary2.msh", msh2_binary()),
        ("ascii4.msh", msh4_ascii()),
        ("binary4.msh", msh4_binary()),
    ]
}
