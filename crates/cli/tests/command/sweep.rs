//! `impinge sweep`: shards give the bytes of the whole, an interrupted shard goes on, and rows that differ are refused.

use crate::program::{impinge, place, temp, words};
use std::path::Path;
use std::process::Output;

fn sweep(args: &[&str]) -> (Output, String) {
    let out = impinge(&[&["sweep"], args].concat());
    let text = words(&out);
    (out, text)
}

const GRID: [&str; 9] = [
    "incline",
    "--grid",
    "mu=0.4,0.6,0.8",
    "--grid",
    "scene.dt=0.002,0.001",
    "--responses",
    "penalty,cpf",
    "--duration=0.02",
    "--threads=1",
];

fn run(dir: &Path, more: &[&str]) -> String {
    let (output, text) = sweep(&[&GRID[..], &["--out", dir.to_str().unwrap()], more].concat());
    assert!(output.status.success(), "{text}");
    text
}

fn merge(dirs: &[&Path], name: &str) -> Result<String, String> {
    let out = place(name);
    let dirs: Vec<&str> = dirs.iter().map(|d| d.to_str().unwrap()).collect();
    let (output, text) = sweep(&[&["--merge"], &dirs[..], &["--out", out.to_str().unwrap()]].concat());
    if output.status.success() { Ok(std::fs::read_to_string(out).unwrap()) } else { Err(text) }
}

/// The text of a row with the digest that belongs to it: FNV-1a.
fn sealed(text: &str) -> String {
    let body = &text[..text.find("digest ").unwrap()];
    let digest =
        body.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{body}digest {digest:016x}\n")
}

#[test]
fn shards_merge_to_the_bytes_of_the_whole() {
    let whole = temp("sweep-whole");
    run(&whole, &[]);
    let all = merge(&[&whole], "sweep-whole.csv").unwrap();
    assert_eq!(all.lines().count(), 1 + 12, "{all}");
    assert!(all.starts_with("row,response,mu,scene.dt,end,steps,hash,"), "{all}");
    let parts = ["1/3", "2/3", "3/3"].map(|shard| {
        let dir = temp(&format!("sweep-{}", &shard[..1]));
        run(&dir, &["--shard", shard]);
        dir
    });
    let [a, b, c] = &parts;
    // In any order.
    assert_eq!(merge(&[c, a, b], "sweep-parts.csv").unwrap(), all);

    // A row that was changed is no row, and made anew. One that another program made, with its digest, is of another sweep.
    let file = std::fs::read_dir(a.join("rows")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let other = text.replace("completed", "completed ");
    std::fs::write(&file, &other).unwrap();
    let why = merge(&[a, b, c], "sweep-bad.csv").unwrap_err();
    assert!(why.contains("was changed or damaged") && why.contains(file.to_str().unwrap()), "{why}");
    assert!(run(a, &["--shard", "1/3"]).contains("4 of this shard, 3 of them there"));
    assert_eq!(merge(&[a, b, c], "sweep-mended.csv").unwrap(), all);
    std::fs::write(&file, sealed(&other)).unwrap();
    let why = merge(&[&whole, a], "sweep-bad.csv").unwrap_err();
    assert!(why.contains("differs") && why.matches(".csv").count() == 2, "{why}");
}

#[test]
fn an_interrupted_shard_goes_on_and_a_longer_grid_takes_over_its_rows() {
    let dir = temp("sweep-resumed");
    run(&dir, &["--most", "5"]);
    let before = std::fs::read_dir(dir.join("rows")).unwrap().count();
    assert_eq!(before, 5);
    // What a killed writer leaves is not taken for a row.
    std::fs::write(dir.join("rows/half.tmp123"), "row,resp").unwrap();
    let text = run(&dir, &[]);
    assert!(text.contains("12 of this shard, 5 of them there"), "{text}");
    let whole = temp("sweep-at-once");
    run(&whole, &[]);
    assert_eq!(merge(&[&dir], "sweep-a.csv"), merge(&[&whole], "sweep-b.csv"));
    assert!(run(&dir, &[]).contains("12 of them there"));

    let (output, text) = sweep(&["incline", "--grid", "mu=0.4", "--out", dir.to_str().unwrap()]);
    assert!(!output.status.success() && text.contains("another sweep"), "{text}");
}

#[test]
fn what_a_response_refuses_is_a_row_and_what_is_misspelt_is_an_error() {
    let dir = temp("sweep-refused");
    let out = dir.to_str().unwrap();
    let (output, text) =
        sweep(&["cloth-hang", "--responses", "penalty,pressure,cpf", "--duration", "0.01", "--out", out]);
    assert!(output.status.success(), "{text}");
    assert_eq!(merge(&[&dir], "sweep-refused.csv").unwrap().lines().count(), 4);
    // Refused as the scene is read: the others run all the same, in any order.
    let scene = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.003\nintegrator = \"implicit-euler\"\n[[material]]\nname = \"m\"\n[[pair]]\n\
        materials = [\"*\", \"*\"]\nstiffness = 1e4\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {}\n[[body]]\nname = \"cloth\"\n\
        kind = \"deformable\"\nmaterial = \"m\"\ndensity = 300\nsheet = { grid = { size = [0.2, 0.2], segments = 2 } }\n\
        cloth = { young = 1e6, thickness = 1e-3, bending = 0.05 }\nposition = [0, 0, 0.1]\n";
    let scene = crate::program::file(&dir, "cloth.toml", scene);
    for responses in ["pressure,cpf", "cpf,pressure"] {
        let rows = temp("sweep-refused-read");
        let grid = ["--grid", "scene.dt=0.001,0.0005", "--responses", responses, "--out"];
        let (output, text) = sweep(&[&[&*scene], &grid[..], &[rows.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{text}");
        let table = merge(&[&rows], "sweep-refused-read.csv").unwrap();
        let of = |what: &str| table.lines().filter(|l| l.contains(what)).count();
        assert_eq!((of("completed"), of("refused: ")), (2, 2), "{table}");
    }
    let (output, text) = sweep(&[&scene, "--responses", "pressure", "--out", out]);
    assert!(output.status.code() == Some(2) && text.contains("pressure"), "{text}");
    for (args, why) in [
        (&["incline", "--grid", "mu"][..], "KEY=VALUE"),
        (&["incline", "--grid", "scene.dtt=1"][..], "dt"),
        (&["incline", "--shard", "4/3"][..], "i/n"),
        (&["incline", "--grid", "mu=1,1"][..], "twice"),
        (&["incline", "--grid", "mu=0.1,0.10"][..], "the value 0.10 stands there twice"),
        (&["incline", "--grid", "scene.response=cpf,qp"][..], "go by --responses"),
        (&["incline", "--grid", "mu=0.1", "--set", "scene.response=cpf"][..], "go by --responses"),
        (&["incline", "--sweep", "mu=1,1"][..], "--grid mu: the value 1 stands there twice"),
        (&["--merge", "no-such-folder"][..], "no folder of a sweep"),
    ] {
        let (output, text) = sweep(args);
        assert!(!output.status.success() && text.contains(why), "{args:?}: {text}");
    }
}

#[test]
fn a_set_of_rows_that_is_not_the_whole_grid_is_refused_by_name() {
    let [a, b] = ["1/2", "2/2"].map(|shard| {
        let dir = temp(&format!("sweep-half-{}", &shard[..1]));
        run(&dir, &["--shard", shard]);
        dir
    });
    let why = merge(&[&a], "sweep-half.csv").unwrap_err();
    assert!(
        why.contains("6 of 12 rows are there") && why.contains("'penalty, mu=0.4, scene.dt=0.001'"),
        "{why}"
    );
    assert!(why.contains("they are rows of --shard 2 of 2"), "{why}");
    let out = place("sweep-partial.csv");
    let dirs = [a.to_str().unwrap(), "--partial", "--out", out.to_str().unwrap()];
    let (output, text) = sweep(&[&["--merge"], &dirs[..]].concat());
    assert!(output.status.success() && text.contains("warning: 6 of 12 rows"), "{text}");

    // A shard twice.
    let why = merge(&[&a, &b, &a], "sweep-half.csv").unwrap_err();
    assert!(why.contains("is there twice"), "{why}");
    // A row that no grid has.
    let file = std::fs::read_dir(a.join("rows")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let foreign = a.join("rows/foreign.csv");
    std::fs::write(&foreign, sealed(&text.replace("mu=", "mu=1"))).unwrap();
    let why = merge(&[&a, &b], "sweep-half.csv").unwrap_err();
    assert!(why.contains("no grid of these folders has the row") && why.contains("foreign.csv"), "{why}");
    std::fs::remove_file(&foreign).unwrap();
    // A header without its row.
    std::fs::write(&file, text.lines().next().unwrap()).unwrap();
    let why = merge(&[&a, &b], "sweep-half.csv").unwrap_err();
    assert!(why.contains("is no whole row"), "{why}");
}

/// A vector, a text in quotes, and a folder far from the repository.
#[test]
fn vectors_and_texts_are_values_anywhere() {
    let dir = std::env::temp_dir().join(format!("impinge-sweep-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let there = |args: &[&str]| {
        let mut c = crate::program::command(args);
        let out = c.current_dir(&dir).env("XDG_CACHE_HOME", dir.join("cache")).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", words(&out));
        words(&out)
    };
    let grid = ["sweep", "incline", "--grid", "scene.gravity=[0,0,-9.81],[0, 0, -1.62]", "--grid"];
    let more = ["scene.title=\"a, b\",plain", "--duration", "0.01", "--out", "rows"];
    assert!(there(&[&grid[..], &more].concat()).contains("4 rows, 4 of this shard"));
    let json = there(&["sweep", "--merge", "rows", "--out", "t.csv", "--json"]);
    let table = std::fs::read_to_string(dir.join("t.csv")).unwrap();
    assert!(
        table.lines().count() == 5 && table.contains("\"[0, 0, -1.62]\"") && json.contains("[0, 0, -1.62]"),
        "{table}"
    );
    // Other gravity, another end.
    let hashes: Vec<&str> = table.lines().skip(1).map(|l| l.split("completed,").nth(1).unwrap()).collect();
    assert!(hashes[0] == hashes[1] && hashes[0] != hashes[2] && hashes[2] == hashes[3], "{table}");
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Killed at many moments of its life; what is left of it is taken up each time.
#[test]
fn a_shard_killed_anywhere_goes_on() {
    let (dir, whole) = (temp("sweep-killed"), temp("sweep-not-killed"));
    let start = std::time::Instant::now();
    run(&whole, &[]);
    let took = start.elapsed();
    let args = [&["sweep"], &GRID[..], &["--out", dir.to_str().unwrap()]].concat();
    for k in 0..12 {
        let mut child = crate::program::command(&args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(took * k / 24);
        let _ = child.kill();
        child.wait().unwrap();
    }
    run(&dir, &[]);
    assert_eq!(merge(&[&dir], "sweep-killed.csv"), merge(&[&whole], "sweep-not-killed.csv"));
}

/// A sweep over a scene that names a mesh file.
fn over_a_mesh(dir: &Path, out: &Path, more: &[&str]) -> (Option<i32>, String) {
    let scene = dir.join("me.toml").to_string_lossy().into_owned();
    let args = [&scene, "--grid", "scene.dt=0.001,0.0005", "--out", out.to_str().unwrap()];
    let (output, text) = sweep(&[&args[..], more].concat());
    (output.status.code(), text)
}

fn write_mesh(dir: &Path, height: &str) {
    let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {height}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    std::fs::write(dir.join("c.obj"), text).unwrap();
}

#[test]
fn a_mesh_file_that_was_changed_is_another_sweep() {
    let dir = temp("sweep-mesh");
    let scene = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.01\n[[material]]\nname = \"m\"\ndensity = 1000\n[[pair]]\n\
        materials = [\"*\", \"*\"]\nstiffness = 1e4\n[[body]]\nname = \"a\"\nmaterial = \"m\"\nmesh = { file = { path = \"c.obj\" } }\n";
    std::fs::write(dir.join("me.toml"), scene).unwrap();
    let [c, d] = ["c", "d"].map(|name| dir.join(name));
    write_mesh(&dir, "1");
    assert_eq!(over_a_mesh(&dir, &c, &["--shard", "1/2"]).0, Some(0));
    write_mesh(&dir, "2");
    // Another shard into the folder, and the same one once more.
    for shard in ["1/2", "2/2"] {
        let (code, e) = over_a_mesh(&dir, &c, &["--shard", shard]);
        assert!(code == Some(2) && e.contains("holds rows of another sweep") && e.contains("c.obj"), "{e}");
    }
    // Another folder.
    assert_eq!(over_a_mesh(&dir, &d, &["--shard", "2/2"]).0, Some(0));
    let why = merge(&[&c, &d], "sweep-mesh.csv").unwrap_err();
    assert!(why.contains("a mesh file was changed between them") && why.contains("c.obj"), "{why}");
    // A row moved to where it does not belong.
    let row = |of: &Path| std::fs::read_dir(of.join("rows")).unwrap().next().unwrap().unwrap().path();
    let from = row(&d);
    let to = c.join("rows").join(from.file_name().unwrap());
    std::fs::copy(&from, &to).unwrap();
    let why = merge(&[&c], "sweep-mesh.csv").unwrap_err();
    assert!(why.contains("it is a row of another sweep"), "{why}");
    std::fs::remove_file(&to).unwrap();
    // The file as it was is the same sweep, and a row that it is not of is made anew.
    write_mesh(&dir, "1");
    std::fs::copy(&from, &to).unwrap();
    let (code, text) = over_a_mesh(&dir, &c, &["--shard", "2/2"]);
    assert!(code == Some(0) && text.contains("1 of this shard, 0 of them there"), "{text}");
    assert_eq!(merge(&[&c], "sweep-mesh.csv").unwrap().lines().count(), 3);
    std::fs::remove_file(dir.join("c.obj")).unwrap();
    let (code, e) = over_a_mesh(&dir, &c, &[]);
    assert!(code == Some(2) && e.contains("c.obj cannot be read"), "{e}");
}

#[test]
fn folders_with_something_lost_or_changed_say_what_mends_them() {
    let dir = temp("sweep-lost");
    run(&dir, &["--shard", "1/2"]);
    let all = || merge(&[&dir], "sweep-lost.csv").unwrap_err();
    let told = std::fs::read_to_string(dir.join("sweep.txt")).unwrap();
    std::fs::write(dir.join("sweep.txt"), told.replace("0.02 s", "0.03 s")).unwrap();
    assert!(all().contains("sweep.txt was changed after it was written"), "{}", all());
    let (output, text) = sweep(&[&GRID[..], &["--out", dir.to_str().unwrap()]].concat());
    assert!(output.status.code() == Some(2) && text.contains("sweep.txt was changed"), "{text}");
    std::fs::write(dir.join("sweep.txt"), told).unwrap();
    // Its grids: the rows stay, and are not run again.
    std::fs::remove_dir_all(dir.join("grids")).unwrap();
    let why = all();
    assert!(why.contains("start the sweep again") && !why.contains("take the file out"), "{why}");
    assert!(run(&dir, &["--shard", "1/2"]).contains("6 of this shard, 6 of them there"));
    assert!(all().contains("6 of 12 rows are there"), "{}", all());
    // Its rows.
    let other = temp("sweep-lost-rows");
    run(&other, &["--shard", "2/2"]);
    std::fs::remove_dir_all(other.join("rows")).unwrap();
    let out = place("sweep-lost-rows.csv");
    let folders = [dir.to_str().unwrap(), other.to_str().unwrap()];
    let partial = ["--partial", "--out", out.to_str().unwrap()];
    let (output, text) = sweep(&[&["--merge"], &folders[..], &partial].concat());
    assert!(output.status.success() && text.contains("warning: 6 of 12 rows"), "{text}");
    let why = merge(&[&other], "sweep-lost.csv").unwrap_err();
    assert!(why.contains("there are no rows"), "{why}");
}
