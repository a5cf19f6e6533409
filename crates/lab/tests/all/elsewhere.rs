//! What is kept in the repository is asked for where it is not at hand.

use crate::program::{command, lab, place, words};

#[test]
fn outside_the_repository_the_lab_says_where_it_belongs() {
    let dir = std::env::temp_dir().join(format!("impinge-lab-elsewhere-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    for args in
        [&["golden", "incline"][..], &["golden", "--bless"], &["verify"], &["soak"], &["conform", "incline"]]
    {
        let out = command(args).current_dir(&dir).env("XDG_CACHE_HOME", place("cache")).output().unwrap();
        let text = words(&out);
        assert!(out.status.code() == Some(2) && text.contains("--fixtures DIR"), "{args:?}: {text}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_soak_that_does_not_hold_says_why() {
    let out = lab(&["soak", "--steps", "100", "--responses", "penalty"]);
    let text = words(&out);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(
        text.contains("does not hold: the energy range") && text.contains("give --steps 10000 or more"),
        "{text}"
    );
    let out = lab(&["saok"]);
    assert!(words(&out).contains("did you mean `soak`?"), "{}", words(&out));
}
