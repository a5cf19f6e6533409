//! `cargo xtask gallery`: pictures with something on them.

use crate::program::{accepted, temp};

#[test]
fn the_gallery_has_a_picture_with_something_on_it() {
    let dir = temp("gallery");
    accepted(&["gallery", "stack", "cable-sag", "--at", "0.05", "--out", dir.to_str().unwrap()]);
    let page = std::fs::read_to_string(dir.join("index.html")).unwrap();
    for name in ["stack", "cable-sag"] {
        assert!(page.contains(&format!("{name}.png")), "{page}");
        let png = std::fs::read(dir.join(format!("{name}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 1500, "{name}: {} bytes", png.len());
    }
}
