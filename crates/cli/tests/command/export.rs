//! `impinge export`: the files read back, and hold what the run did.

use crate::program::{accepted, place, temp};
use impinge_io::{ReadOptions, read_glb};
use std::path::Path;

/// The JSON of a GLB file and its buffer.
fn parts(file: &Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let json = &bytes[20..20 + word(12)];
    (serde_json::from_slice(json).unwrap(), bytes[28 + word(12)..].to_vec())
}

fn floats(root: &serde_json::Value, buffer: &[u8], accessor: usize) -> Vec<f32> {
    let a = &root["accessors"][accessor];
    let view = &root["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
    let (from, size) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    buffer[from..from + size].chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn a_falling_body_falls_in_the_animation_as_it_does_in_the_run() {
    let file = place("drop.glb");
    accepted(&["export", "drop", "--duration", "0.2", "--gltf", file.to_str().unwrap()]);
    let (root, buffer) = parts(&file);
    let animation = &root["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let falls = channels.iter().find(|c| c["target"]["path"] == "translation").unwrap();
    let sampler = &animation["samplers"][falls["sampler"].as_u64().unwrap() as usize];
    let at = |key: &str| floats(&root, &buffer, sampler[key].as_u64().unwrap() as usize);
    let (times, places) = (at("input"), at("output"));
    assert_eq!(places.len(), 3 * times.len());
    let (t, z) = (f64::from(*times.last().unwrap()), f64::from(places[places.len() - 1] - places[2]));
    assert!((t - 0.2).abs() < 1e-6, "{t}");
    // Free fall of symplectic Euler in steps of 1 ms: −½ g t (t + Δt).
    assert!((z + 0.5 * 9.81 * t * (t + 1e-3)).abs() < 1e-5, "{z}");
    // Our own reader takes it.
    assert!(!read_glb(&file, &ReadOptions::default()).unwrap().triangles().is_empty());
}

#[test]
fn what_falls_has_the_velocity_and_the_displacement_of_the_fall() {
    let dir = temp("drop-vtu");
    let args = ["export", "drop", "--duration", "0.1", "--vtu", dir.to_str().unwrap(), "--json"];
    let document: serde_json::Value = serde_json::from_slice(&crate::program::impinge(&args).stdout).unwrap();
    let t = document["time"].as_f64().unwrap();
    let list = std::fs::read_to_string(document["series"][0].as_str().unwrap()).unwrap();
    let last = list.lines().rev().find_map(|l| l.split_once("file=\"")).unwrap().1;
    let bytes = std::fs::read(dir.join(last.split('"').next().unwrap())).unwrap();
    let (fell, moves) = (array(&bytes, "displacement"), array(&bytes, "velocity"));
    assert!((moves.iter().fold(0.0f64, |m, v| m.min(*v)) + 9.81 * t).abs() < 0.2, "after {t} s");
    assert!((fell.iter().fold(0.0f64, |m, v| m.min(*v)) + 0.5 * 9.81 * t * t).abs() < 0.02, "after {t} s");
    let e = crate::program::refused(&["export", "drop"]);
    assert!(e.contains("--gltf") && e.contains("--vtu"), "{e}");
}

#[test]
fn cloth_becomes_morph_targets() {
    let file = place("cloth.glb");
    accepted(&["export", "cloth-hang", "--duration", "0.1", "--gltf", file.to_str().unwrap()]);
    let (root, buffer) = parts(&file);
    let primitive = &root["meshes"][0]["primitives"][0];
    let targets = primitive["targets"].as_array().unwrap();
    let animation = &root["animations"][0];
    assert_eq!(animation["channels"][0]["target"]["path"], "weights");
    let weights = floats(&root, &buffer, animation["samplers"][0]["output"].as_u64().unwrap() as usize);
    let times = floats(&root, &buffer, animation["samplers"][0]["input"].as_u64().unwrap() as usize);
    assert_eq!((times.len(), weights.len()), (targets.len() + 1, times.len() * targets.len()));
    let last = floats(&root, &buffer, targets.last().unwrap()["POSITION"].as_u64().unwrap() as usize);
    assert!(last.iter().any(|x| *x < -1e-3), "nothing hangs");
}

#[test]
fn contact_forces_in_the_series_are_the_weight() {
    let dir = temp("stack-vtu");
    accepted(&["export", "stack", "--duration", "1", "--vtu", dir.to_str().unwrap()]);
    let list = std::fs::read_to_string(dir.join("contacts.pvd")).unwrap();
    let last = list.lines().rev().find_map(|l| l.split_once("file=\"")).unwrap().1;
    let last = last.split('"').next().unwrap();
    assert!(std::fs::metadata(dir.join(last)).unwrap().len() > 500);
    let bytes = std::fs::read(dir.join(last)).unwrap();
    let (forces, bodies) = (array(&bytes, "contact_forces"), whole(&bytes, "bodies"));
    assert_eq!(forces.len() / 3, bodies.len() / 2);
    let rows = forces.chunks(3).zip(bodies.chunks(2));
    let floor: f64 = rows.filter(|(_, b)| *b == [0, 1]).map(|(f, _)| f[2]).sum();
    assert!((floor.abs() / 140.32224 - 1.0).abs() < 0.01, "{floor} N");
    // What pushes is drawn on the box above, also at the floor: upwards.
    assert!(floor > 0.0);
    // Four boxes of 48 triangles; the plane has none.
    let surfaces = std::fs::read(dir.join("surfaces_000000.vtu")).unwrap();
    assert!(head(&surfaces).contains("NumberOfCells=\"192\""), "{}", head(&surfaces));
    // At the vertices of each box: what carries it less what stands on it, its own weight.
    let surfaces = std::fs::read(dir.join(last.replace("contacts", "surfaces"))).unwrap();
    let points = array(&surfaces, "contact_force");
    let boxes: Vec<f64> = points.chunks(points.len() / 4).map(|b| b.chunks(3).map(|f| f[2]).sum()).collect();
    for (force, side) in boxes.iter().zip([0.30, 0.26, 0.22, 0.18]) {
        let weight = 500.0 * 9.81 * 0.12 * side * side;
        assert!((force / weight - 1.0).abs() < 0.01, "{force} N of {weight} N");
    }
    let (fell, moves) = (array(&surfaces, "displacement"), array(&surfaces, "velocity"));
    assert!(fell.len() == points.len() && moves.len() == points.len());
    assert!(fell.iter().chain(&moves).all(|x| x.abs() < 1e-2), "a stack at rest");
    // Names stand beside: other programs refuse a file with words in it.
    assert!(!head(&surfaces).contains("String"), "{}", head(&surfaces));
    let names = std::fs::read_to_string(dir.join("bodies.csv")).unwrap();
    assert!(names.starts_with("body,name\n0,") && names.lines().count() == 6, "{names}");
    let body = whole(&surfaces, "body");
    assert_eq!((body.len(), body[0], body[191]), (192, 1, 4));
}

#[test]
fn pressures_in_the_series_are_the_weight() {
    let dir = temp("tower-vtu");
    accepted(&["export", "box-tower-pressure", "--duration", "0.5", "--vtu", dir.to_str().unwrap()]);
    let list = std::fs::read_to_string(dir.join("patches.pvd")).unwrap();
    let last = list.lines().rev().find_map(|l| l.split_once("file=\"")).unwrap().1;
    let bytes = std::fs::read(dir.join(last.split('"').next().unwrap())).unwrap();
    let (pressure, bodies, polygon) =
        (array(&bytes, "pressure"), whole(&bytes, "bodies"), whole(&bytes, "polygon"));
    assert!(pressure.len() == polygon.len() && bodies.len() == 2 * pressure.len());
    // All surfaces lie flat, one box of 1 kg more on each than on the one above it: Σ p A_z is the weight.
    let points = array(&bytes, "Points");
    let corners = integers(&bytes, "connectivity");
    let at = |i: u64| [0, 1].map(|k| points[3 * i as usize + k]);
    let mut carried = [0.0; 10];
    for (t, p) in pressure.iter().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|k| at(corners[3 * t + k]));
        let area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        carried[bodies[2 * t] as usize] += p * area;
    }
    for (lower, force) in carried.iter().enumerate() {
        let weight = 9.8 * (10 - lower) as f64;
        assert!((force / weight - 1.0).abs() < 1e-4, "on {lower}: {force} N and not {weight}");
    }
    // A response that pushes at points has no such series.
    let dir = temp("no-patches-vtu");
    accepted(&["export", "stack", "--duration", "0.05", "--vtu", dir.to_str().unwrap()]);
    assert!(!dir.join("patches.pvd").exists());
}

/// The numbers of an array of 64-bit integers.
fn integers(bytes: &[u8], name: &str) -> Vec<u64> {
    array(bytes, name).into_iter().map(f64::to_bits).collect()
}

/// The tags of a VTU file.
fn head(bytes: &[u8]) -> String {
    let end = bytes.windows(14).position(|w| w == b"<AppendedData ").unwrap();
    String::from_utf8(bytes[..end].to_vec()).unwrap()
}

/// The numbers of an array of doubles.
fn array(bytes: &[u8], name: &str) -> Vec<f64> {
    block(bytes, name).chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// The numbers of an array of 32-bit integers.
fn whole(bytes: &[u8], name: &str) -> Vec<i32> {
    block(bytes, name).chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// The bytes of an array.
fn block<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let tags = head(bytes);
    let tag = tags.split('<').find(|t| t.contains(&format!("Name=\"{name}\""))).unwrap();
    let offset: usize = tag.split_once("offset=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
    let data = tags.len() + bytes[tags.len()..].iter().position(|b| *b == b'_').unwrap() + 1 + offset;
    let size = u64::from_le_bytes(bytes[data..data + 8].try_into().unwrap()) as usize;
    &bytes[data + 8..data + 8 + size]
}
