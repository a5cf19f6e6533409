//! Damaged files of every format: cut off at every length, bytes flipped, counts made huge. A mesh or an error,
//! never a panic, and never more memory than the file can ask for. A program of its own: its allocator counts.

#![allow(unsafe_code)]

#[path = "all/samples/mod.rs"]
mod samples;

use impinge_geometry::DVec3;
use impinge_io::*;
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes this thread holds, and the most it has held, since the last reset.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    let _ = HELD.try_with(|h| {
        let (held, most) = h.get();
        h.set((held + bytes, most.max(held + bytes)));
    });
}

struct Watched;

// SAFETY: hands every call to the system allocator as it is.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

/// Reads by the extension of `name`; gives the message of an error. Fails when the memory held at one time is far
/// above the size of the file.
fn read(name: &str, bytes: &[u8]) -> Result<(), String> {
    let options = ReadOptions::default();
    HELD.set((0, 0));
    let result = match name.rsplit('.').next().unwrap() {
        "stl" => read_stl_from(bytes, name, &options).map(drop),
        "ply" => read_ply_from(bytes, name, &options).map(drop),
        #[cfg(feature = "glb")]
        "glb" => read_glb_from(bytes, name, &options).map(drop),
        "vtk" => read_vtk_from(bytes, name, &options).map(drop),
        "vtu" => read_vtu_from(bytes, name, &options).map(drop),
        "msh" => read_msh_from(bytes, name, &options).map(drop),
        other => panic!("{other}"),
    };
    let (held, most) = (HELD.get().1, 64 * bytes.len() as isize + 8192);
    assert!(held <= most, "{name}: {held} bytes held for a file of {} bytes", bytes.len());
    result.map_err(|e| {
        let message = e.to_string();
        assert!(message.starts_with(name), "{message}");
        assert!(message.len() < 600, "{message}");
        message
    })
}

fn all() -> Vec<(&'static str, Vec<u8>)> {
    [samples::surfaces(), samples::volumes()].concat()
}

#[test]
fn whole_files_are_read() {
    for (name, bytes) in all() {
        read(name, &bytes).unwrap();
    }
}

/// What a cut may leave out without loss: blanks at the end, and whole sections of data at the end.
#[test]
fn files_cut_off_anywhere_are_refused() {
    for (name, bytes) in all() {
        // The last byte that carries geometry.
        let needed: usize = match name.rsplit('.').next().unwrap() {
            "stl" if name == "ascii.stl" => find(&bytes, b"endsolid") + 8,
            // A number that loses its last digit is still a number.
            "ply" if name == "ascii.ply" => find(&bytes, b"2 0.5 0.5") + 7,
            "vtk" => find(&bytes, b"CELL_TYPES") + 12,
            "msh" => find(&bytes, b"$EndElements") + 12,
            _ => bytes.trim_ascii_end().len(),
        };
        for length in 0..bytes.len() {
            let result = read(name, &bytes[..length]);
            assert!(length >= needed || result.is_err(), "{name} cut to {length} of {} bytes", bytes.len());
        }
    }
}

fn find(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).position(|w| w == word).unwrap()
}

/// Every run of digits made a huge number, one at a time; every 4 and 8 bytes made all ones.
#[test]
fn huge_counts_ask_for_no_memory() {
    for (name, bytes) in all() {
        let mut at = 0;
        while at < bytes.len() {
            let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if digits > 0 {
                for huge in
                    ["99999999999", "18446744073709551615", "4294967295", "9223372036854775807", "-1", "0"]
                {
                    let _ = read(name, &[&bytes[..at], huge.as_bytes(), &bytes[at + digits..]].concat());
                }
            }
            at += digits.max(1);
        }
        for width in [4, 8] {
            for at in 0..=bytes.len() - width {
                for pattern in [[0xff; 8], [0x7f; 8], [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]] {
                    let mut damaged = bytes.clone();
                    damaged[at..at + width].copy_from_slice(&pattern[..width]);
                    let _ = read(name, &damaged);
                }
            }
        }
    }
}

/// Many arrays that name the same block, many nodes of one mesh: small files that ask for much.
#[test]
fn what_is_named_often_is_bounded() {
    let positions = vec![DVec3::zero(); 2000];
    let field = [Field { name: "p", components: 3, values: &vec![1.0; 6000] }];
    let grid = Grid { positions: &positions, triangles: &[[0, 1, 2]], point_data: &field, ..Grid::default() };
    let mut vtu = Vec::new();
    write_vtu_to(&mut vtu, &grid).unwrap();
    read("one.vtu", &vtu).unwrap();
    let again =
        b"<DataArray type=\"Float64\" Name=\"q\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>";
    let at = find(&vtu, b"</PointData>");
    let e = read("many.vtu", &[&vtu[..at], &again.repeat(2000), &vtu[at..]].concat()).unwrap_err();
    assert!(e.contains("more numbers than the file has room for"), "{e}");
    let nodes = "$NodeData\n1\n\"p\"\n0\n3\n0\n9\n0\n$EndNodeData\n".repeat(1000);
    let e = read("many.msh", &[samples::msh2_ascii(), nodes.into_bytes()].concat()).unwrap_err();
    assert!(e.contains("data for 0 of 5 nodes"), "{e}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bytes_are_total(hits in prop::collection::vec((0usize..1 << 20, any::<u8>()), 1..8)) {
        for (name, mut bytes) in all() {
            for &(at, byte) in &hits {
                let n = bytes.len();
                bytes[at % n] = byte;
            }
            let _ = read(name, &bytes);
        }
    }

    /// A piece taken out, doubled or moved.
    #[test]
    fn shuffled_pieces_are_total(a in 0usize..1 << 20, b in 0usize..1 << 20, c in 0usize..1 << 20) {
        for (name, bytes) in all() {
            let n = bytes.len() + 1;
            let mut ends = [a % n, b % n, c % n];
            ends.sort_unstable();
            let [i, j, k] = ends;
            let _ = read(name, &[&bytes[..i], &bytes[j..]].concat());
            let _ = read(name, &[&bytes[..j], &bytes[i..]].concat());
            let _ = read(name, &[&bytes[..i], &bytes[j..k], &bytes[i..j], &bytes[k..]].concat());
        }
    }

    #[test]
    fn noise_is_total(noise in prop::collection::vec(any::<u8>(), 0..400)) {
        for (name, bytes) in all() {
            let _ = read(name, &noise);
            // Behind a good beginning.
            let _ = read(name, &[&bytes[..bytes.len() / 2], &noise].concat());
        }
    }
}
