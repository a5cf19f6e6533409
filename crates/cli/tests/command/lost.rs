//! Nothing is lost: a run killed at any moment goes on to the same bits, and a full disk stops nothing.

use crate::program::{command, impinge, root, temp, words};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn hash(out: &Output) -> String {
    let text = words(out);
    let line = text.lines().find_map(|l| l.strip_prefix("hash ")).map(str::to_string);
    line.unwrap_or_else(|| panic!("no hash in\n{text}"))
}

/// A box that slides and rests: anchors, tracked contacts, multipliers and bristles, each under its response.
const SCENE: &[&str] = &["run", "incline"];

fn run(dir: &Path, more: &[&str]) -> Output {
    let out = dir.to_string_lossy().into_owned();
    let mut args = SCENE.to_vec();
    args.extend(["--out", &out]);
    for (key, value) in [("--duration", "0.3"), ("--response", "penalty")] {
        if !more.contains(&key) {
            args.extend([key, value]);
        }
    }
    args.extend(more);
    impinge(&args)
}

/// Numbers without a seed would be no test: the moments of the kills are from here (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Kills a run under `response` at moments of the whole time it takes until it was killed `kills` times, `on_the_way` of them with a checkpoint
/// in place, and lets it end. The moments are a matter of the clock; what must come out is not.
fn killed(response: &str, kills: u32, on_the_way: u32, seed: &mut u64) {
    let dir = temp(&format!("killed-{response}"));
    let more = ["--no-report", "--response", response];
    let start = std::time::Instant::now();
    let whole = run(&dir, &more);
    let took = start.elapsed();
    let whole = hash(&whole);
    let file = dir.join("checkpoint.bin");
    let out = dir.to_string_lossy().into_owned();
    let args: Vec<&str> = (SCENE.iter().copied())
        .chain(["--out", &out, "--duration", "0.3", "--resume", "--checkpoint-steps", "1"])
        .chain(more)
        .collect();
    let (mut done, mut finished, mut saved) = (0, 0, 0);
    while done < kills || saved < on_the_way {
        let mut child: Child =
            command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_micros(next(seed) % took.as_micros().max(1) as u64));
        // On Unix this is SIGKILL: no handler runs.
        child.kill().expect("it can be killed");
        let end = child.wait_with_output().expect("it ends");
        if end.status.success() {
            // It was quicker than the kill: the run is through, and the next one starts anew.
            assert_eq!(hash(&end), whole, "{response}");
            finished += 1;
        } else {
            assert!(end.status.code().is_none(), "{response}: not killed but failed: {}", words(&end));
            done += 1;
            saved += u32::from(file.exists());
        }
        assert!(
            finished + done < 4000,
            "{response}: {done} kills, {saved} of them with a checkpoint in place"
        );
    }
    let last = run(&dir, &["--no-report", "--response", response, "--resume", "--checkpoint-steps", "1"]);
    assert!(last.status.success(), "{}", words(&last));
    assert_eq!(hash(&last), whole, "{response}");
    assert!(!file.exists(), "a run that is through leaves no checkpoint");
}

#[test]
fn a_run_killed_a_hundred_times_ends_with_the_same_bits() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for response in ["cpf", "qp", "volume", "pressure"] {
        killed(response, 25, 10, &mut seed);
    }
}

/// Ends a run of a scene whose pairs have several responses at a moment of the whole time it takes, until that hit it `times` times, and takes it up.
#[cfg(unix)]
fn ended(scene: &str, duration: &str, signal: &str, times: u32, seed: &mut u64) {
    let dir = temp(&format!("ended-{scene}{signal}"));
    let out = dir.to_string_lossy().into_owned();
    let args = [
        "run",
        scene,
        "--duration",
        duration,
        "--no-report",
        "--resume",
        "--checkpoint-steps",
        "1",
        "--out",
        &out,
    ];
    let start = std::time::Instant::now();
    let whole = impinge(&args);
    let took = start.elapsed();
    let whole = hash(&whole);
    let (mut hit, mut through) = (0, 0);
    while hit < times {
        let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_micros(next(seed) % took.as_micros().max(1) as u64));
        // One that is through already cannot be sent anything.
        Command::new("kill").args([signal, &child.id().to_string()]).output().expect("kill is there");
        let end = child.wait_with_output().expect("it ends");
        match end.status.code() {
            Some(0) => {
                assert_eq!(hash(&end), whole, "{scene} {signal}");
                through += 1;
                assert!(through < 400, "{scene} {signal}: always too late");
                continue;
            }
            // Asked to end, or ended by the system.
            Some(1) => assert!(dir.join("checkpoint.bin").exists(), "{scene} {signal}: {}", words(&end)),
            code => assert!(code.is_none(), "{scene} {signal}: {}", words(&end)),
        }
        hit += 1;
        let rest = impinge(&args);
        assert!(rest.status.success(), "{scene} {signal}: {}", words(&rest));
        assert_eq!(hash(&rest), whole, "{scene} {signal}");
    }
}

/// A few of what `impinge-lab kills` makes hundreds of.
#[test]
#[cfg(unix)]
fn mixed_responses_that_are_ended_anywhere_go_on_to_the_same_bits() {
    let mut seed = 0x853c_49e6_748f_ea9b;
    for (scene, duration) in [("mixed-grip", "0.003"), ("mixed-stack", "0.01"), ("mixed-table", "0.01")] {
        for signal in ["-KILL", "-TERM", "-HUP"] {
            ended(scene, duration, signal, 2, &mut seed);
        }
    }
}

/// The CSV files without the times of the stages.
fn curves(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(dir.join("csv")).expect("CSV files");
    let mut out: Vec<(String, Vec<u8>)> = files
        .map(|f| f.expect("a file").path())
        .filter(|p| !p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("stages")))
        .map(|p| {
            let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            (name, std::fs::read(&p).expect("it can be read"))
        })
        .collect();
    out.sort();
    assert!(out.len() > 4);
    out
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_report_and_a_checkpoint_and_the_curves_go_on() {
    let (whole, cut) = (temp("whole"), temp("cut"));
    let first = run(&whole, &[]);
    assert!(first.status.success(), "{}", words(&first));
    let out = cut.to_string_lossy().into_owned();
    let more = ["--out", &out, "--checkpoint-steps", "7", "--duration", "0.3"];
    let args: Vec<&str> = SCENE.iter().copied().chain(more).collect();
    let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let file = cut.join("checkpoint.bin");
    while !file.exists() && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().expect("kill is there");
    let end = child.wait_with_output().expect("it ends");
    if !end.status.success() {
        let text = words(&end);
        assert!(text.contains("interrupted after") && text.contains("checkpoint"), "{text}");
        assert!(cut.join("report.html").exists() && file.exists());
    }
    let last = run(&cut, &["--resume"]);
    assert!(last.status.success(), "{}", words(&last));
    assert_eq!(hash(&last), hash(&first));
    let (a, b) = (curves(&whole), curves(&cut));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.into_iter().zip(b) {
        assert!(a == b, "{} differs after a resumed run", a.0);
    }
}

#[test]
#[cfg(unix)]
fn a_full_disk_stops_no_run_and_leaves_the_older_checkpoint_whole() {
    let dir = temp("full");
    let out = dir.to_string_lossy().into_owned();
    let shell = |blocks: &str, more: &str| {
        // Files may grow to this many blocks and no further; the signal for it is ignored, so that writing fails as on a full disk.
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {} --duration 0.3 --out \"$1\" --checkpoint-steps 1 {more}",
            SCENE.join(" ")
        );
        let mut c = Command::new("sh");
        c.args(["-c", &script, env!("CARGO_BIN_EXE_impinge"), &out]).current_dir(root());
        c.output().expect("sh is there")
    };
    let whole = hash(&run(&dir, &["--no-report"]));
    let full = shell("1", "--no-report");
    let text = words(&full);
    assert!(full.status.success(), "{text}");
    assert_eq!(hash(&full), whole);
    assert_eq!(text.matches("could not be written").count(), 1, "told once: {text}");
    assert!(!dir.join("checkpoint.bin.part").exists());
    // The disk fills up after a checkpoint: the report cannot be written either, and nothing is lost.
    let saved = Saved::at(&dir, &[]);
    let full = shell("1", "--resume");
    let text = words(&full);
    assert!(
        !full.status.success() && text.contains("could not be written") && text.contains("--resume"),
        "{text}"
    );
    assert!(saved.is_unchanged(), "the older checkpoint was touched");
    assert!(!dir.join("report.html").exists());
    let mended = run(&dir, &["--resume"]);
    assert!(mended.status.success(), "{}", words(&mended));
    assert_eq!(hash(&mended), whole);
    assert!(dir.join("report.html").exists());
}

struct Saved(PathBuf, Vec<u8>);

impl Saved {
    /// A checkpoint on the way, of a run that was killed as soon as it was there.
    fn at(dir: &Path, more: &[&str]) -> Self {
        let out = dir.to_string_lossy().into_owned();
        let args: Vec<&str> = (SCENE.iter().copied())
            .chain(["--out", &out, "--checkpoint-steps", "9", "--duration", "0.3"])
            .chain(more.iter().copied())
            .collect();
        let file = dir.join("checkpoint.bin");
        // A run that is through before it is killed leaves none: then once more.
        for _ in 0..100 {
            let _ = std::fs::remove_file(&file);
            let mut child =
                command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
            while !file.exists() && child.try_wait().expect("it can be asked").is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            let _ = child.kill();
            let _ = child.wait();
            if let Ok(bytes) = std::fs::read(&file) {
                return Self(file, bytes);
            }
        }
        panic!("a hundred runs were through before they were killed, or wrote no checkpoint");
    }

    fn is_unchanged(&self) -> bool {
        std::fs::read(&self.0).is_ok_and(|b| b == self.1)
    }
}

#[test]
fn a_checkpoint_of_another_run_or_a_damaged_one_is_refused_with_the_reason() {
    let dir = temp("other");
    let saved = Saved::at(&dir, &["--no-report"]);
    let refused = |more: &[&str]| {
        let mut all = vec!["--resume", "--no-report"];
        all.extend(more);
        let out = run(&dir, &all);
        assert!(!out.status.success(), "{}", words(&out));
        words(&out)
    };
    let e = refused(&["--dt", "0.0001"]);
    assert!(e.contains("belongs to another run") && e.contains("dt"), "{e}");
    // In the words of the scene, key by key.
    let e = refused(&["--set", "scene.gravity=[0,0,-1.62]", "--set", "pair.0.mu_s=0.9"]);
    assert!(e.contains("`scene.gravity`: [") && e.contains("] then, [0, 0, -1.62] now"), "{e}");
    assert!(e.contains("`pair.0.mu_s`: ") && !e.contains("Some("), "{e}");
    let e = refused(&["--response", "cpf"]);
    assert!(e.contains("response penalty then, cpf now"), "{e}");
    for (at, what) in [(3, "no checkpoint"), (25, "damaged"), (saved.1.len() / 2, "damaged")] {
        let mut bytes = saved.1.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&saved.0, &bytes).expect("the folder is ours");
        let e = refused(&[]);
        assert!(e.contains(what) && e.contains("delete it"), "{at}: {e}");
    }
    std::fs::write(&saved.0, &saved.1[..saved.1.len() - 5]).expect("the folder is ours");
    assert!(refused(&[]).contains("damaged"));
    std::fs::write(&saved.0, &saved.1).expect("the folder is ours");
    // A shorter run than the one that was saved is another one; curves are not thrown away.
    let out = run(&dir, &["--resume", "--no-report", "--duration", "0.0005"]);
    assert!(!out.status.success() && words(&out).contains("give a --duration"), "{}", words(&out));
    assert!(saved.is_unchanged());
    // The same run, made longer: that is what prolonging is.
    let longer = run(&dir, &["--resume", "--no-report", "--duration", "0.32"]);
    assert!(longer.status.success(), "{}", words(&longer));
}

#[test]
fn a_checkpoint_with_curves_outlives_short_looks_at_the_scene() {
    let dir = temp("looks");
    let saved = Saved::at(&dir, &[]);
    let e = words(&run(&dir, &["--resume", "--no-report"]));
    assert!(e.contains("holds the curves"), "{e}");
    // A run of its own in the same folder: it makes no checkpoint, and takes none away.
    assert!(run(&dir, &["--duration", "0.01"]).status.success());
    assert!(saved.is_unchanged());
    // One that makes some puts the other aside.
    assert!(run(&dir, &["--duration", "0.01", "--checkpoint-steps", "2"]).status.success());
    assert!(std::fs::read(dir.join("checkpoint.bin.old")).is_ok_and(|b| b == saved.1));
}
