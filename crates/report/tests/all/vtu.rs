//! Series of VTU files of a world in which bodies come and go and responses change.
#![cfg(feature = "world")]

use impinge_contact::PairLaw;
use impinge_geometry::DVec3;
use impinge_report::VtuSeries;
use impinge_world::{BodyDesc, Mass, Response, Simulation};

/// The bytes of an array in a VTU file.
fn block<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let appended = b"<AppendedData ";
    let end = bytes.windows(appended.len()).position(|w| w == appended).expect("appended data");
    let head = String::from_utf8_lossy(&bytes[..end]);
    let (_, tag) = head.split_once(&format!("Name=\"{name}\"")).expect("the array");
    let (_, offset) = tag.split_once("offset=\"").expect("its place");
    let offset: usize = offset.split('"').next().and_then(|o| o.parse().ok()).expect("a number");
    let data = end + bytes[end..].iter().position(|b| *b == b'_').expect("the data") + 1 + offset;
    let (size, rest) = bytes[data..].split_first_chunk::<8>().expect("its size");
    &rest[..u64::from_le_bytes(*size) as usize]
}

#[test]
fn a_body_in_the_slot_of_another_has_a_number_and_a_way_of_its_own() {
    let dir = std::env::temp_dir().join(format!("impinge-report-series-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let cube = |name: &str, x: f64| {
        BodyDesc::cuboid(name, [0.2; 3], Mass::Total(1.0), [x, 0.0, 2.0]).expect("a box")
    };
    let mut sim = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw::elastic(1e4))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(cube("first", 0.0))
        .build()
        .expect("a world");
    let mut series = VtuSeries::create(&dir, &sim).expect("the folder is writable");
    let mut frame = 0;
    // Number of the body at each triangle, and how far its vertices moved at most (m).
    let mut put = |series: &mut VtuSeries, sim: &Simulation| {
        series.put(sim).expect("a frame");
        let bytes = std::fs::read(dir.join(format!("surfaces_{frame:06}.vtu"))).expect("a file");
        frame += 1;
        let body =
            block(&bytes, "body").chunks(4).map(|c| i32::from_le_bytes(c.try_into().expect("4 bytes")));
        let moved = block(&bytes, "displacement").chunks(8);
        let moved = moved.map(|c| f64::from_le_bytes(c.try_into().expect("8 bytes")).abs());
        (body.collect::<Vec<_>>(), moved.fold(0.0, f64::max))
    };
    assert_eq!(put(&mut series, &sim), (vec![1; 12], 0.0));
    (0..100).for_each(|_| sim.step().expect("a step"));
    let (body, moved) = put(&mut series, &sim);
    assert!(body == [1; 12] && (moved - 0.05).abs() < 1e-3, "{body:?} {moved} m");

    sim.remove("first").expect("it is there");
    let second = sim.insert(cube("second, from the side", 3.0)).expect("there is room");
    assert_eq!(second.slot(), 1);
    sim.step().expect("a step");
    assert_eq!(put(&mut series, &sim), (vec![2; 12], 0.0));
    let names = std::fs::read_to_string(dir.join("bodies.csv")).expect("the names");
    assert_eq!(names, "body,name\n0,floor\n1,first\n2,\"second, from the side\"\n");

    assert_eq!(series.lists().len(), 2);
    sim.swap_response(Response::volume()).expect("both have an inside");
    sim.step().expect("a step");
    put(&mut series, &sim);
    assert_eq!(series.lists()[2], dir.join("patches.pvd"));
    assert!(dir.join("patches_000000.vtu").exists());
    let _ = std::fs::remove_dir_all(&dir);
}
