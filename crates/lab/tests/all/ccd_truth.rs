//! The whole command over small folders written here: right answers, wrong ones, and files that cannot be used.

use crate::program::lab;
use std::path::PathBuf;

/// A folder of its own that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("impinge-ccd-truth-{}-{name}", std::process::id()));
        std::fs::create_dir_all(dir.join("deep/down")).unwrap();
        Self(dir)
    }

    fn with(self, name: &str, bytes: &[u8]) -> Self {
        std::fs::write(self.0.join(name), bytes).unwrap();
        self
    }

    /// Success, standard output, standard error.
    fn run(&self, list: bool) -> (bool, String, String) {
        let dir = self.0.to_string_lossy();
        let mut args = vec!["ccd-truth", &*dir, "--repeat", "2"];
        args.extend(list.then_some("--list"));
        let out = lab(&args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.success(), text(&out.stdout), text(&out.stderr))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A vertex at (x, 0, 1) falls to (x, 0, −1) through a face around the origin that reaches to x = 2: a hit at ½ for
/// x in [−1, 1]. The second query is the same beside the face.
fn falls(answers: [u64; 2]) -> Vec<u8> {
    let mut bytes = b"CCDQ0001".to_vec();
    bytes.extend(0u32.to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    for (x, answer) in [0.5, 7.0].into_iter().zip(answers) {
        for z in [1.0, -1.0] {
            let points = [[x, 0.0, z], [-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]];
            points.as_flattened().iter().for_each(|v: &f64| bytes.extend(v.to_le_bytes()));
        }
        bytes.extend(answer.to_le_bytes());
    }
    bytes
}

const HEAD: &str = "file,query,hit,coplanar,nroots,ncontact,roots(lo;hi;in|out)...\n";

fn last(out: &str) -> &str {
    out.lines().last().unwrap()
}

#[test]
fn right_answers_pass_at_any_depth() {
    let csv =
        format!("{HEAD}a.ccdq,0,1,0,1,1,0x1.0p-1;0x1.0p-1;in\na.ccdq,1,0,0,1,0,0x1.0p-1;0x1.0p-1;out\n");
    let folder = Folder::new("right")
        .with("deep/down/a.ccdq", &falls([1, 0]))
        .with("deep/down/roots.csv", csv.as_bytes())
        .with("b.ccdq", &falls([1, 0]))
        .with("note.txt", b"not a set");
    let (ok, out, err) = folder.run(false);
    assert!(ok && err.is_empty(), "{out}{err}");
    assert_eq!(last(&out), "4 passed, 0 failed");
    assert!(out.contains("roots.csv: 2 queries"), "{out}");
    let (ok, out, _) = folder.run(true);
    assert!(ok && out.lines().count() == 2 && out.contains("2 queries      1 positive"), "{out}");
}

#[test]
fn a_wrong_answer_is_named_and_fails() {
    let (ok, out, _) = Folder::new("wrong").with("a.ccdq", &falls([0, 1])).run(false);
    assert!(!ok);
    assert_eq!(last(&out), "0 passed, 2 failed");
    assert!(out.contains("wrong: a.ccdq query 0: touch is false; the batch says true"), "{out}");
    let csv = format!("{HEAD}a.ccdq,0,1,0,1,1,0x1.0p-2;0x1.0p-2;in\n");
    let folder = Folder::new("root").with("a.ccdq", &falls([1, 0])).with("roots.csv", csv.as_bytes());
    let (ok, out, _) = folder.run(false);
    assert!(!ok && last(&out) == "1 passed, 1 failed" && out.contains("listed in [2.5e-1"), "{out}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let good = falls([1, 0]);
    let changed = |at: usize, to: &[u8]| {
        let mut b = good.clone();
        b[at..at + to.len()].copy_from_slice(to);
        b
    };
    for (name, bytes, reason) in [
        ("truncated", good[..300].to_vec(), "416 bytes and the file has 300"),
        ("longer", [&good[..], &[0]].concat(), "has 417"),
        ("magic", changed(0, b"CCDQ0002"), "begin with CCDQ0001"),
        ("empty", Vec::new(), "begin with CCDQ0001"),
        ("kind", changed(8, &[3]), "kind is 3"),
        ("answer", changed(16 + 192, &[2]), "the answer of query 0 is 2"),
        ("nan", changed(16, &f64::NAN.to_le_bytes()), "finite"),
        ("huge", changed(12, &u32::MAX.to_le_bytes()), "858993459016 bytes"),
    ] {
        let folder = Folder::new(name).with("bad.ccdq", &bytes).with("good.ccdq", &good);
        let (ok, out, err) = folder.run(false);
        assert!(!ok && err.contains("bad.ccdq: ") && err.contains(reason), "{name}: {err}");
        // What can be read still is.
        assert_eq!(last(&out), "2 passed, 0 failed", "{name}");
    }
    for (name, line, reason) in [
        ("csv-query", "good.ccdq,2,0,0,0,0", "names query 2 of good.ccdq, which has 2"),
        ("csv-file", "other.ccdq,0,0,0,0,0", "names other.ccdq, which is not there"),
        ("csv-line", "good.ccdq,0", "roots.csv:2: "),
        ("csv-twice", "good.ccdq,1,0,0,1,0,0x1.0p-1;0x1.0p-1;out\ngood.ccdq,1,0,0,0,0", "roots.csv:3: "),
    ] {
        let folder =
            Folder::new(name).with("good.ccdq", &good).with("roots.csv", format!("{HEAD}{line}").as_bytes());
        let (ok, _, err) = folder.run(false);
        assert!(!ok && err.contains(reason), "{name}: {err}");
    }
}

#[test]
fn nothing_to_check_is_not_a_success() {
    let (ok, out, err) = Folder::new("none").run(false);
    assert!(!ok && err.contains("no *.ccdq file") && last(&out) == "0 passed, 0 failed", "{out}{err}");
    let missing = Folder(std::env::temp_dir().join("impinge-ccd-truth-there-is-no-such-folder"));
    let (ok, _, err) = missing.run(false);
    assert!(!ok && err.contains("give a folder"), "{err}");
}
