//! Names of scene files.

use impinge_cli::scene_files::find;
use std::path::Path;

#[test]
fn a_large_scene_has_its_name_and_the_name_with_its_folder() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let by = |name: &str| find(name, Some(&fixtures));
    let file = by("large/dragons-cpf").expect("a file");
    assert!(file.ends_with("scenes/large/dragons-cpf.toml") && by("dragons-cpf") == Ok(file));
    assert!(by("large/no-such").is_err() && by("large/../stack").is_err());
    assert!(by("dorp").unwrap_err().contains("did you mean `drop`"));
}
