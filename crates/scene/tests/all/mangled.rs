//! Whatever stands in a file: an error with a place in it, or a scene whose numbers make sense; never a panic.

use impinge_scene::SceneSpec;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn texts() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
}

fn check(text: &str) -> Result<(), TestCaseError> {
    match SceneSpec::from_str(text, Path::new("mangled.toml")) {
        Ok(scene) => {
            prop_assert!(scene.dt > 0.0 && scene.steps() >= 1 && !scene.bodies.is_empty());
            for body in &scene.bodies {
                prop_assert!(body.pose.is_finite() && body.material < scene.materials.len());
            }
        }
        Err(e) => {
            prop_assert!(!e.issues().is_empty());
            let lines = text.matches('\n').count() + 1;
            for issue in e.issues() {
                prop_assert!((1..=lines).contains(&issue.line), "{issue}");
                prop_assert!(issue.column <= issue.source_line.chars().count() + 1, "{issue}");
                prop_assert!(!issue.what.is_empty() && !issue.fix.is_empty(), "{issue}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_piece_is_cut_out(which in 0usize..64, from in 0.0f64..1.0, length in 0usize..40) {
        let texts = texts();
        let chars: Vec<char> = texts[which % texts.len()].chars().collect();
        let from = (from * chars.len() as f64) as usize;
        let to = (from + length).min(chars.len());
        let text: String = chars[..from].iter().chain(&chars[to..]).collect();
        check(&text)?;
    }

    #[test]
    fn a_number_is_replaced(which in 0usize..64, nth in 0usize..200, new in "-?[0-9]{1,3}(e[-+]?[0-9]{1,3})?|nan|-inf|true|é|\"x\"|\\[\\]") {
        let texts = texts();
        let text = &texts[which % texts.len()];
        let starts: Vec<usize> = text
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(i, _)| i)
            .filter(|&i| i > 0 && !text.as_bytes()[i - 1].is_ascii_alphanumeric() && text.as_bytes()[i - 1] != b'.')
            .collect();
        let at = starts[nth % starts.len()];
        let length = text[at..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(0);
        let text = format!("{}{new}{}", &text[..at], &text[at + length..]);
        check(&text)?;
    }

    #[test]
    fn anything_is_set(key in "(scene|body|pair|expect|penalty|material)(\\.[a-z0-9_*+-]{0,6}){0,3}", value in ".{0,12}") {
        let texts = texts();
        let mut scene = SceneSpec::from_str(&texts[0], Path::new("x.toml")).unwrap();
        if let Err(e) = scene.set(&key, &value) {
            prop_assert!(!e.issues().is_empty());
        }
        prop_assert!(!scene.bodies.is_empty());
    }
}
