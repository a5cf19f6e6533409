//! A run that is asked to end, or that another one is in the way of.

use crate::program::{command, document, file, impinge, temp, words};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// A run that lasts until it is ended, on its way: its first checkpoint is there.
fn on_its_way(out: &Path) -> Child {
    let args = ["run", "drop", "--duration", "2000", "--checkpoint-steps", "1", "--out"];
    let mut child =
        command(&args).arg(out).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while !out.join("checkpoint.bin").exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn ended(mut child: Child) -> Output {
    let asked = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(asked.elapsed() < Duration::from_secs(60), "the run did not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it ended")
}

#[cfg(unix)]
fn signal(name: &str, child: &Child) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

/// Of schedulers and of closed terminals, also where it comes twice.
#[cfg(unix)]
#[test]
fn a_request_to_end_leaves_a_report_and_a_checkpoint() {
    for name in ["-TERM", "-HUP"] {
        let out = temp(&format!("asked{name}"));
        let child = on_its_way(&out);
        signal(name, &child);
        signal(name, &child);
        let end = ended(child);
        let text = words(&end);
        assert!(end.status.code() == Some(1) && text.contains("interrupted after"), "{name}: {text}");
        assert!(out.join("checkpoint.bin").exists());
        let html = std::fs::read_to_string(out.join("report.html")).expect("a report");
        assert!(html.contains("The run was interrupted"));
        assert!(!out.join(".impinge-lock").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let out = temp("asked-nohup");
    let program = command(&[]).get_program().to_os_string();
    let mut nohup = std::process::Command::new("nohup");
    nohup
        .arg(program)
        .args(["run", "drop", "--duration", "2000", "--checkpoint-steps", "1", "--out"])
        .arg(&out);
    let mut child = nohup
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nohup is there");
    while !out.join("checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal("-HUP", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none());
    signal("-TERM", &child);
    assert_eq!(ended(child).status.code(), Some(1));
}

#[test]
fn a_limit_of_wall_time_ends_a_run_as_ctrl_c_does() {
    let dir = temp("asked-limit");
    let out = dir.to_string_lossy().into_owned();
    let start = Instant::now();
    let end = impinge(&["run", "drop", "--duration", "2000", "--limit", "0.5", "--out", &out]);
    let text = words(&end);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(
        end.status.code() == Some(1)
            && text.contains("interrupted after")
            && text.contains("of --limit are over"),
        "{text}"
    );
    assert!(dir.join("report.html").exists() && dir.join("checkpoint.bin").exists());
    // One that is not reached is none.
    assert!(
        impinge(&["run", "drop", "--duration", "0.01", "--limit", "600", "--out", &out]).status.success()
    );
    let e = words(&impinge(&["run", "drop", "--limit", "-1", "--no-report"]));
    assert!(e.contains("--limit -1"), "{e}");
}

/// Without a report it says so, and what it made is not lost.
#[test]
fn a_run_without_a_report_that_is_ended_early_leaves_a_checkpoint() {
    let dir = temp("asked-no-report");
    let out = dir.to_string_lossy().into_owned();
    let run = |more: &[&str]| {
        let end = impinge(&[&["run", "drop", "--no-report", "--out", &out], more].concat());
        (end.status.code(), words(&end))
    };
    let (code, text) = run(&["--duration", "2000", "--limit", "0.3", "--checkpoint", "0"]);
    assert!(code == Some(1) && text.contains("there is no report of them"), "{text}");
    assert!(!dir.join("checkpoint.bin").exists() && !text.contains("checkpoint"), "{text}");
    let (code, text) = run(&["--duration", "2000", "--limit", "0.3"]);
    assert!(code == Some(1) && text.contains("there is no report of them"), "{text}");
    assert!(dir.join("checkpoint.bin").exists() && text.contains("--resume goes on from it"), "{text}");
    let (code, text) = run(&["--duration", "2000", "--limit", "0.3", "--resume"]);
    assert!(code == Some(1) && text.contains("going on at step"), "{text}");
    // One that comes to its end leaves nothing.
    std::fs::remove_file(dir.join("checkpoint.bin")).expect("it is there");
    assert!(run(&["--duration", "0.01"]).0 == Some(0) && !dir.join("checkpoint.bin").exists());
}

/// What a run that was killed while it wrote has left goes with the next one.
#[test]
fn files_without_a_name_yet_go_with_the_next_run() {
    let dir = temp("asked-leftovers");
    std::fs::create_dir_all(dir.join("csv")).expect("the folder is ours");
    // No process has such a number.
    let left = ["csv/energy.csv.4294967295.part", "report.html.4294967295.part"].map(|name| dir.join(name));
    let own = dir.join("csv/notes.part");
    left.iter().chain([&own]).for_each(|f| std::fs::write(f, "half").expect("the folder is ours"));
    let out = dir.to_string_lossy().into_owned();
    assert!(impinge(&["run", "drop", "--duration", "0.01", "--out", &out]).status.success());
    assert!(left.iter().all(|f| !f.exists()) && own.exists());
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let out = temp("asked-twice");
    let mut first = on_its_way(&out);
    let into = out.to_string_lossy().into_owned();
    for args in [
        &["run", "drop", "--duration", "0.01", "--out", &into][..],
        &["compare", "drop", "--duration", "0.01", "--responses", "penalty", "--out", &into],
        &["export", "drop", "--duration", "0.01", "--vtu", &into],
        &["sweep", "drop", "--duration", "0.01", "--out", &into],
    ] {
        let second = impinge(args);
        let e = words(&second);
        assert_eq!(second.status.code(), Some(2), "{e}");
        assert!(e.contains("is in use") && e.contains(&format!("process {}", first.id())), "{e}");
    }
    assert!(!out.join("report.html").exists());
    // A process that was killed holds nothing.
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    assert!(impinge(&["run", "drop", "--duration", "0.01", "--out", &into]).status.success());
}

/// A scene of a floor and one body, without its end.
fn on_floor(head: &str, stiffness: &str) -> String {
    format!(
        "[scene]\ntitle = \"t\"\n{head}\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = {stiffness}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{}}\n[[body]]\nname = \"thing\"\nmaterial = \"m\"\n"
    )
}

/// One step on far too stiff a spring: the run stops there, names what flies, and its code says that it is no physics.
#[test]
fn a_run_stops_where_its_physics_is_lost() {
    let dir = temp("asked-absurd");
    let scene = on_floor("dt = 1e-2\nduration = 5.0\nresponse = \"penalty\"", "1e9")
        + "mass = 1\nmesh = { box = { size = [0.2, 0.2, 0.2] } }\nposition = [0, 0, 0.1001]\n";
    let out = dir.join("out").to_string_lossy().into_owned();
    let run = impinge(&["run", &file(&dir, "scene.toml", &scene), "--out", &out]);
    let said = words(&run);
    assert_eq!(run.status.code(), Some(3), "{said}");
    for part in ["stopped: step ", "stage 'advance'", "body 'thing' moves at ", "what follows is no physics"]
    {
        assert!(said.contains(part), "{part} is not in: {said}");
    }
    assert!(!said.contains("5.000 s of simulated time"), "{said}");
    assert!(std::path::Path::new(&out).join("report.html").exists());
}

/// What the scene's own response cannot take another one may.
#[test]
fn the_response_asked_for_runs_where_the_scenes_own_is_refused() {
    let dir = temp("asked-response");
    let cloth = "kind = \"deformable\"\ndensity = 300\nsheet = { grid = { size = [0.2, 0.2], segments = 2 } }\ncloth = { young = 1e6, thickness = 1e-3, bending = 0.05 }\nposition = [0, 0, 0.1]\n";
    let scene = file(
        &dir,
        "scene.toml",
        &(on_floor(
            "dt = 1e-3\nduration = 0.01\nresponse = \"pressure\"\nintegrator = \"implicit-euler\"",
            "1e4",
        ) + cloth),
    );
    let own = impinge(&["run", &scene, "--no-report"]);
    assert!(!own.status.success() && words(&own).contains("pressure"), "{}", words(&own));
    let place = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (page, rows, glb) = (place("compared"), place("rows"), place("out.glb"));
    for args in [
        &["run", &scene, "--no-report", "--response", "cpf"][..],
        &["compare", &scene, "--responses", "cpf,qp", "--out", &page],
        &["sweep", &scene, "--responses", "cpf", "--grid", "scene.dt=0.001,0.0005", "--out", &rows],
        &["export", &scene, "--response", "cpf", "--gltf", &glb],
    ] {
        let asked = impinge(args);
        assert!(asked.status.success(), "{args:?}: {}", words(&asked));
    }
    // Of all that are named the one that cannot is told, and the others run.
    let both = impinge(&["compare", &scene, "--responses", "pressure,cpf", "--out", &page]);
    let text = words(&both);
    assert!(
        both.status.success() && text.contains("pressure: not run: ") && text.contains("cpf: 10 steps"),
        "{text}"
    );
}

/// Springs a thousand times too soft: the run ends, and its code says that it is no physics.
#[test]
fn a_run_that_is_no_physics_has_a_code_of_its_own() {
    let dir = temp("asked-physics");
    let scene = |stiffness: f64| {
        let text = format!(
            "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.5\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"*\", \"*\"]\n\
             stiffness = {stiffness:?}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{}}\n[[body]]\nname = \"box\"\n\
             material = \"m\"\nmass = 100\nmesh = {{ box = {{ size = [0.2, 0.2, 0.2] }} }}\nposition = [0, 0, 0.101]\n"
        );
        file(&dir, "scene.toml", &text)
    };
    let out = dir.join("out").to_string_lossy().into_owned();
    let soft = impinge(&["run", &scene(100.0), "--out", &out]);
    assert!(
        soft.status.code() == Some(3) && words(&soft).contains("the stiffness is too low"),
        "{}",
        words(&soft)
    );
    assert!(dir.join("out/report.html").exists());
    // Also where an expectation is missed.
    let missed = std::fs::read_to_string(scene(100.0)).expect("it is there")
        + "[[expect]]\nname = \"rests\"\nmeasure = \"position.z\"\nbody = \"box\"\nmin = 0.09\n";
    let missed = impinge(&["run", &file(&dir, "missed.toml", &missed), "--no-report"]);
    assert!(missed.status.code() == Some(3) && words(&missed).contains("FAIL"), "{}", words(&missed));
    let told = impinge(&["run", &scene(100.0), "--no-report", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&told.stdout).expect("a document");
    assert_eq!(json["unphysical"], true);
    assert_eq!(document(&["run", &scene(1e6), "--no-report", "--json"])["unphysical"], false);
}

/// A ball that a reach too short lets go of is said to be let go of; one that comes through a sheet from behind was never held.
#[test]
fn a_run_in_which_contacts_let_go_is_no_physics() {
    let dir = temp("asked-let-go");
    let scene = |name: &str, response: &str, law: &str, bodies: &str| {
        let text = format!(
            "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.4\nresponse = \"{response}\"\n{law}\n[[material]]\nname = \"m\"\ndensity = 1000.0\n{bodies}"
        );
        file(&dir, name, &text)
    };
    let short = scene(
        "short.toml",
        "penalty",
        "[penalty]\nproximity = 0.005\n[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1000.0",
        "[[body]]\nname = \"block\"\nkind = \"fixed\"\nmaterial = \"m\"\nmesh = { box = { size = [1.0, 1.0, 0.5], segments = [6, 6, 3] } }\n\
         position = [0.0, 0.0, -0.25]\n[[body]]\nname = \"ball\"\nmaterial = \"m\"\nmesh = { icosphere = { radius = 0.1, subdivisions = 3 } }\n\
         position = [0.01, 0.02, 0.11]\n",
    );
    let told = impinge(&["run", &short, "--no-report"]);
    let text = words(&told);
    assert!(told.status.code() == Some(3) && text.contains("have lost hold of each other"), "{text}");
    let up = scene(
        "up.toml",
        "cpf",
        "[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 2e4",
        "[[body]]\nname = \"sheet\"\nkind = \"fixed\"\nmaterial = \"m\"\nmesh = { grid = { size = [1.0, 1.0], segments = [4, 4] } }\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\nmesh = { icosphere = { radius = 0.05, subdivisions = 2 } }\n\
         position = [0.0, 0.0, -0.1]\nvelocity = [0.0, 0.0, 2.0]\n",
    );
    let through = impinge(&["run", &up, "--no-report"]);
    assert!(through.status.success(), "{}", words(&through));
}

/// Nothing is deep any more when a body has fallen out of the back of its ground.
#[test]
fn a_body_that_sinks_through_its_ground_is_told() {
    let dir = temp("asked-through");
    let block = "box = { size = [2.0, 2.0, 0.2] }";
    let sheet = "grid = { size = [2.0, 2.0], segments = 8 }";
    for (name, mesh, height, remedy) in
        [("block", block, -0.1, "thicker"), ("sheet", sheet, 0.0, "raise the stiffness")]
    {
        let scene = |stiffness: f64| {
            let text = format!(
                "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 1.0\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"*\", \"*\"]\n\
                 stiffness = {stiffness:?}\ndamping = {{ kelvin_voigt = 50.0 }}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\n\
                 mesh = {{ {mesh} }}\nposition = [0, 0, {height:?}]\n[[body]]\nname = \"box\"\nmaterial = \"m\"\nmass = 40\n\
                 mesh = {{ box = {{ size = [0.4, 0.4, 0.4], segments = 2 }} }}\nposition = [0, 0, 0.2]\n"
            );
            file(&dir, &format!("{name}.toml"), &text)
        };
        let soft = impinge(&["run", &scene(50.0), "--no-report"]);
        let text = words(&soft);
        assert!(soft.status.code() == Some(3), "{name}: {text}");
        assert!(text.contains("the centre of 'box' went through the surface of 'floor'"), "{name}: {text}");
        assert!(text.contains(remedy), "{name}: {text}");
        let stiff = impinge(&["run", &scene(2e4), "--no-report"]);
        assert!(stiff.status.success(), "{name}: {}", words(&stiff));
    }
}

/// Its centre dives into thick ground and comes back: soft, but nothing went through.
#[test]
fn a_body_that_dives_and_comes_back_went_through_nothing() {
    let dir = temp("asked-dives");
    let scene = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.4\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"*\", \"*\"]\n\
                 stiffness = 700.0\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nmesh = { box = { size = [4, 4, 1] } }\n\
                 position = [0, 0, -0.5]\n[[body]]\nname = \"box\"\nmaterial = \"m\"\nmass = 1\nmesh = { box = { size = [0.2, 0.2, 0.2], segments = 2 } }\n\
                 position = [0, 0, 0.1001]\nvelocity = [0, 0, -11]\n[[expect]]\nname = \"back\"\nmeasure = \"position.z\"\nbody = \"box\"\nmin = 0.2\n";
    let run = impinge(&["run", &file(&dir, "scene.toml", scene), "--no-report"]);
    let text = words(&run);
    assert!(!text.contains("went through") && text.contains("pass"), "{text}");
}

/// A tenth of the energy in play is told, less is not.
#[test]
fn energy_from_nowhere_is_told() {
    let dir = temp("asked-nowhere");
    for (dt, told) in [("1e-3", true), ("1e-4", false)] {
        let head = format!(
            "dt = {dt}\nduration = 0.3\nresponse = \"volume-penalty\"\n[volume]\nstiffness = 1e9\nviscosity = 0.0"
        );
        let scene = on_floor(&head, "1e4")
            + "mass = 1\nmesh = { box = { size = [0.2, 0.2, 0.2] } }\nposition = [0, 0, 0.15]\n";
        let run = impinge(&["run", &file(&dir, "scene.toml", &scene), "--no-report"]);
        let text = words(&run);
        assert_eq!(text.contains("of the energy in play came from nowhere"), told, "{dt}: {text}");
    }
}

/// Boxes in one place under constraints: one group of contacts that takes minutes to solve.
fn crowd(count: u32) -> String {
    let head = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.01\nresponse = \"volume\"\n[[material]]\nname = \"m\"\ndensity = 500\n\
        [[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1e4\nmu_s = 0.5\n";
    let body = |i| {
        format!(
            "[[body]]\nname = \"b{i}\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.2, 0.2, 0.2] }} }}\nposition = [0, 0, {}]\n",
            1e-3 * f64::from(i % 7)
        )
    };
    head.to_string() + &(0..count).map(body).collect::<String>()
}

#[test]
fn a_step_that_takes_minutes_is_given_up_when_the_time_is_over() {
    let dir = temp("asked-crowd");
    let (scene, out) =
        (file(&dir, "crowd.toml", &crowd(150)), dir.join("out").to_string_lossy().into_owned());
    let start = Instant::now();
    let run = impinge(&["run", &scene, "--limit", "1", "--out", &out]);
    let (text, took) = (words(&run), start.elapsed());
    assert!(run.status.code() == Some(1) && text.contains("of --limit are over"), "{text}");
    assert!(text.contains("step 0 was given up before it was done"), "{text}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    assert!(dir.join("out/checkpoint.bin").exists() && dir.join("out/report.html").exists());
}

#[cfg(unix)]
#[test]
fn a_step_that_takes_minutes_is_given_up_on_request() {
    let dir = temp("asked-crowd-term");
    let (scene, out) =
        (file(&dir, "crowd.toml", &crowd(150)), dir.join("out").to_string_lossy().into_owned());
    let mut run = command(&["run", &scene, "--no-report", "--out", &out]);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_secs(2));
    signal("-TERM", &child);
    let start = Instant::now();
    let end = ended(child);
    let (text, took) = (words(&end), start.elapsed());
    assert!(end.status.code() == Some(1) && text.contains("was given up before it was done"), "{text}");
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert!(dir.join("out/checkpoint.bin").exists());
}
