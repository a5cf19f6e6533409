//! `fixtures/scenes/SCHEMA.md` is what the reader's own table says.

use std::path::PathBuf;

#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/SCHEMA.md");
    let wanted = impinge_scene::schema_markdown();
    if std::env::var_os("IMPINGE_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        found == wanted,
        "fixtures/scenes/SCHEMA.md is out of date; refresh it with\n    IMPINGE_BLESS=1 cargo test -p impinge-scene schema"
    );
}
