//! What a run was is known when it is replayed: the first thing that differs, or that the file itself is damaged or cut off.

use crate::program::{command, impinge, temp, words};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// A floor from a file, whose top is cut along the other diagonal between the two runs.
#[test]
fn a_mesh_file_that_was_changed_is_noticed() {
    let dir = temp("mesh");
    let faces = |top: &str| {
        let corners =
            "v -1 -1 -0.1\nv 1 -1 -0.1\nv 1 1 -0.1\nv -1 1 -0.1\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n";
        let rest =
            "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
        std::fs::write(dir.join("floor.obj"), format!("{corners}{rest}{top}")).expect("the folder is ours");
    };
    let scene = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.05\nresponse = \"cpf\"\n[[material]]\nname = \"m\"\n[[pair]]\n\
        materials = [\"m\", \"m\"]\nstiffness = 1e4\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\n\
        mesh = { file = { path = \"floor.obj\" } }\n[[body]]\nname = \"ball\"\nmaterial = \"m\"\nmass = 1.0\n\
        mesh = { box = { size = [0.1, 0.1, 0.1] } }\nposition = [0.3, 0.2, 0.0499]\n";
    let file = dir.join("s.toml");
    std::fs::write(&file, scene).expect("the folder is ours");
    faces("f 5 6 7\nf 5 7 8\n");
    let (scene, rec) =
        (file.to_string_lossy().into_owned(), dir.join("s.rec").to_string_lossy().into_owned());
    let made = impinge(&["run", &scene, "--no-report", "--recording", &rec]);
    assert!(made.status.success(), "{}", words(&made));
    assert!(impinge(&["replay", &rec]).status.success());
    faces("f 5 6 8\nf 6 7 8\n");
    let e = words(&impinge(&["replay", &rec]));
    assert!(e.contains("the scene differs before any step"), "{e}");
}

/// A recording as a run writes it, and its lines without the digests before them.
fn recording(name: &str, more: &[&str]) -> (std::path::PathBuf, String, Vec<String>) {
    let file = temp(name).join("a.rec");
    let path = file.to_string_lossy().into_owned();
    let made = impinge(
        &[&["run", "tumble", "--no-report", "--duration", "0.05", "--recording", &path], more].concat(),
    );
    assert!(made.status.success(), "{}", words(&made));
    assert!(!Path::new(&format!("{path}.part")).exists());
    let text = std::fs::read_to_string(&file).expect("a recording");
    let lines = text.lines().map(|l| l[17..].to_string()).collect();
    (file, text, lines)
}

/// Digests before lines, each of the line and the digest before it: FNV-1a.
fn sealed(lines: &[String]) -> String {
    let mut seal = 0u64;
    let line = |json: &String| {
        let bytes = [&seal.to_le_bytes()[..], json.as_bytes()].concat();
        seal = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
        format!("{seal:016x} {json}\n")
    };
    lines.iter().map(line).collect()
}

/// What a replay of this file says, and its exit code.
fn replayed(beside: &Path, bytes: impl AsRef<[u8]>) -> (Option<i32>, String) {
    let other = beside.with_extension("other");
    std::fs::write(&other, bytes).expect("the folder is ours");
    let out = impinge(&["replay", &other.to_string_lossy()]);
    (out.status.code(), words(&out))
}

#[test]
fn a_replay_names_the_first_step_and_stage_that_differ() {
    let (file, text, lines) = recording("replay", &["--stages"]);
    let again = impinge(&["replay", &file.to_string_lossy(), "--threads", "1"]);
    assert!(again.status.success() && words(&again).contains("every hash the same"), "{}", words(&again));
    assert_eq!(sealed(&lines), text);
    // Another digest of the fourth stage of step 10: that stage is named.
    let head: serde_json::Value = serde_json::from_str(&lines[0]).expect("a head");
    let stage = head["stages"][3].as_str().expect("a name").to_string();
    let mut changed = lines.clone();
    let mut row: Vec<String> = serde_json::from_str(&lines[11]).expect("hashes");
    row[4] = "0123456789abcdef".to_string();
    changed[11] = serde_json::to_string(&row).expect("text");
    let (code, e) = replayed(&file, sealed(&changed));
    assert!(code == Some(1) && e.contains("step 10") && e.contains(&format!("'{stage}'")), "{e}");
    // Another parameter: the first stage that takes it up is named, in the first step.
    let mut changed = lines.clone();
    changed[0] = changed[0].replace("\"set\":[]", "\"set\":[\"scene.gravity=[0,0,-9.7]\"]");
    assert_ne!(changed[0], lines[0]);
    let (code, e) = replayed(&file, sealed(&changed));
    assert!(code == Some(1) && e.contains("step 0") && e.contains("stage"), "{e}");
    let (code, e) = replayed(&file, "nothing of the kind\n");
    assert!(code == Some(2) && e.contains("no recording"), "{e}");
}

/// Any flipped bit is damage of the file in a named line, and never another result of the run.
#[test]
fn a_damaged_recording_is_no_other_result_and_half_a_recording_no_success() {
    let (file, text, _) = recording("damaged", &[]);
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for (at, line) in [
        (5, 1),
        (40, 1),
        (starts[0] + 20, 2),
        (starts[9] + 3, 11),
        (starts[19] - 1, 20),
        (text.len() - 5, starts.len()),
    ] {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 4;
        let (code, e) = replayed(&file, bytes);
        assert!(code == Some(2) && e.contains(&format!(":{line}: damaged")), "{at}: {e}");
    }
    // A line taken out, and two of them in the other order.
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(7);
    let (code, e) = replayed(&file, lines.join("\n") + "\n");
    assert!(code == Some(2) && e.contains(":8: damaged"), "{e}");
    // Cut off in a line, and between two: replayed up to there, and said so.
    for end in [starts[19] + 9, starts[19]] {
        let (code, e) = replayed(&file, &text[..end]);
        assert!(
            code == Some(1)
                && e.contains("19 steps, every hash the same")
                && e.contains("cut off after 19 steps"),
            "{e}"
        );
    }
    let (code, e) = replayed(&file, &text[..9]);
    assert!(code == Some(2) && e.contains("no recording"), "{e}");
}

#[test]
fn a_killed_run_leaves_the_recording_before_it_and_a_part_that_replays() {
    let dir = temp("recorded-killed");
    let file = dir.join("a.rec");
    let before = ["run", "tumble", "--no-report", "--duration", "0.01", "--recording"];
    assert!(impinge(&[&before[..], &[&*file.to_string_lossy()]].concat()).status.success());
    let before = std::fs::read(&file).expect("a recording");
    let part = dir.join("a.rec.part");
    let path = file.to_string_lossy().into_owned();
    let args = ["run", "drop", "--no-report", "--duration", "1000", "--recording", &path];
    let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    while std::fs::metadata(&part).map_or(0, |m| m.len()) < 20_000 {
        assert!(child.try_wait().expect("it can be asked").is_none());
        std::thread::sleep(Duration::from_millis(2));
    }
    // Two recordings into one file: the second is refused.
    let e = words(&impinge(&args));
    assert!(e.contains("cannot be written") && e.contains("another process"), "{e}");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(std::fs::read(&file).expect("it is there") == before);
    // Not all of it: a replay takes as long as the run did.
    let text = std::fs::read(&part).expect("it is there");
    let (code, e) = replayed(&file, &text[..text.len().min(20_000)]);
    assert!(code == Some(1) && e.contains("cut off") && e.contains("every hash the same"), "{e}");
}

/// A link stays one, also one that leads nowhere yet, and a pipe gets what a file would.
#[test]
#[cfg(unix)]
fn a_link_and_a_pipe_stay_what_they_are() {
    let dir = temp("recorded-pipe");
    let place = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let record = |to: &str| {
        let args = ["run", "tumble", "--no-report", "--duration", "0.01", "--recording", to];
        let out = impinge(&args);
        assert!(out.status.success(), "{}", words(&out));
    };
    record(&place("plain.rec"));
    let plain = std::fs::read(dir.join("plain.rec")).expect("a recording");
    let before = &plain[..plain.len() / 2];
    std::fs::write(dir.join("there.rec"), before).expect("the folder is ours");
    for target in ["there.rec", "not-yet.rec"] {
        let link = dir.join(format!("to-{target}"));
        std::os::unix::fs::symlink(target, &link).expect("the folder is ours");
        record(&link.to_string_lossy());
        assert!(link.is_symlink());
        assert!(std::fs::read(dir.join(target)).expect("a recording") == plain, "{target}");
    }
    let pipe = place("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let from = pipe.clone();
    let reader = std::thread::spawn(move || std::fs::read(from));
    record(&pipe);
    assert!(reader.join().expect("it ends").expect("it reads") == plain);
    let kind = std::fs::symlink_metadata(&pipe).expect("it is there").file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    assert!(!dir.join("pipe.part").exists());
    let e = words(&impinge(&["run", "tumble", "--no-report", "--recording", &place("")]));
    assert!(e.contains("it is a folder"), "{e}");
}

#[test]
fn bytes_behind_the_end_are_damage() {
    let (file, text, _) = recording("behind", &[]);
    for behind in [&[0u8; 100][..], b"x", b"\0\n"] {
        let (code, e) = replayed(&file, [text.as_bytes(), behind].concat());
        assert!(code == Some(2) && e.contains("damaged"), "{e}");
    }
}
