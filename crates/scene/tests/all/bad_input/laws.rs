//! Mistakes in contact laws, rules and expectations.

use super::{GOOD, added, case, read};

#[test]
fn damping() {
    let damp =
        |d: &str, says: &[&str]| case("stiffness = 1e4", &format!("stiffness = 1e4\ndamping = {d}"), says);
    damp("@\"viscous\"", &["`damping` may not be", "\"none\""]);
    damp("{ kelvin_voigt = 1, @hunt_crossley = 1 }", &["`hunt_crossley` stands beside `kelvin_voigt`"]);
    damp("{ kelvin_voigt = @-1 }", &["0 or more"]);
    damp("{ restitution = @1.5, law = \"kelvin-voigt\", mass = 1 }", &["a number from 0 to 1"]);
    damp("{ restitution = @-0.1, law = \"kelvin-voigt\", mass = 1 }", &["a number from 0 to 1"]);
    damp("{ restitution = @0.0, law = \"kelvin-voigt\", mass = 1 }", &["write 0.001 or more"]);
    damp("{ restitution = @0.5 }", &["which damper it becomes", "law = "]);
    damp("{ restitution = @0.5, law = \"kelvin-voigt\" }", &["effective mass", "add `mass"]);
    damp("{ restitution = @0.5, law = \"hunt-crossley\" }", &["approach speed", "add `speed"]);
    damp("{ restitution = 0.5, law = \"hunt-crossley\", speed = 1, @mass = 1 }", &["has no effect"]);
    damp("{ restitution = 0.5, law = @\"maxwell\" }", &["`kelvin-voigt`, `hunt-crossley`"]);
    damp("{ kelvin_voigt = 1, @speed = 1 }", &["goes with `restitution` only"]);
    case("stiffness = 1e4", "stiffness = 1e4\n@stiffness_per_area = 1e4", &["stands beside `stiffness`"]);
    case(
        "stiffness = 1e4",
        "damping = { restitution = @0.5, law = \"kelvin-voigt\", mass = 1 }",
        &["follows from the bodies", "hunt-crossley"],
    );
    case(
        "stiffness = 1e4",
        "stiffness_per_area = 1e6\ndamping = { restitution = @0.5, law = \"kelvin-voigt\", mass = 1 }",
        &["leaves the contact's stiffness open"],
    );
}

#[test]
fn walls_of_cells() {
    added("[volume]\n@walls = \"shared\"", &["there are none", "give a `cell`"]);
    added("[volume]\ncell = 0.1\nwalls = @\"own\"", &["`carried`, `shared`"]);
    added("[volume]\n@axes = \"certified\"", &["`axes`", "give a `pixel`"]);
    added("[volume]\n@compare = 5", &["`compare`", "give a `pixel`"]);
    added(
        "[volume]\npixel = 1e-3\ndepth = 1e-3\nerror = 0.1\naxes = @\"mean\"",
        &["`axes`", "take one of them out"],
    );
    let walls = |more: &str| {
        let spec = read(&format!("{GOOD}\n[volume]\ncell = 0.1{more}\n")).unwrap();
        let volume = spec.with_settings(impinge_scene::Response::VOLUME);
        volume.settings::<impinge_world::VolumeSettings>().unwrap().measure.walls
    };
    assert_eq!(walls(""), impinge_world::Walls::Carried);
    assert_eq!(walls("\nwalls = \"shared\""), impinge_world::Walls::Shared);
}

#[test]
fn laws_and_responses_across_tables() {
    let lawless = "[[pair]]\nmaterials = [\"steel\", \"rubber\"]\nstiffness = 1e4\n";
    let e = read(&GOOD.replace(lawless, "")).unwrap_err();
    let text = e.to_string();
    assert_eq!(e.issues().len(), 1, "{text}");
    assert_eq!(e.issues()[0].source_line, "material = \"rubber\"");
    assert!(
        text.contains(
            "`floor` and `ball` can meet, but their materials `steel` and `rubber` have no contact law"
        ),
        "{text}"
    );
    assert!(text.contains("[[pair]]\n    materials = [\"steel\", \"rubber\"]"), "{text}");
    // Nobody meets, no law is asked for.
    let apart = "[[rule]]\nbodies = [\"ball\", \"floor\"]\nresponse = \"none\"\n";
    assert!(read(&format!("{}{apart}", GOOD.replace(lawless, ""))).is_ok());
    // The snippet of the fix is a fix.
    let snippet: String = e.issues()[0].fix.lines().skip(1).map(|l| format!("{l}\n")).collect();
    assert!(read(&format!("{}{snippet}", GOOD.replace(lawless, ""))).is_ok(), "{snippet}");
    case(
        "[[pair]]\nmaterials = [\"steel\", \"rubber\"]\nstiffness = 1e4\n\n[[pair]]\nmaterials = [\"rubber\", \"rubber\"]\nstiffness = 1e3\n\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"\nplane = {}\n\n[[body]]\nname = \"ball\"\nmaterial = \"rubber\"",
        "[[pair]]\nmaterials = [\"steel\", \"*\"]\nstiffness = 1e4\n\n[[pair]]\nmaterials = [\"*\", \"rubber\"]\nstiffness = 1e3\n\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"\nplane = {}\n\n[[body]]\nname = \"ball\"\nmaterial = @\"rubber\"",
        &["fit two laws equally well", "materials = [\"steel\", \"rubber\"]"],
    );
    let particles = "[[body]]\nname = \"a\"\nkind = \"particles\"\nmass = 1\nmaterial = \"rubber\"\npoints = [[0, 0, 1]]\n";
    let second = particles.replace("\"a\"", "\"b\"").replace("points = ", "points = @");
    added(&format!("{particles}{second}"), &["cannot take points against points", "response = \"none\""]);
    let rule = "[[rule]]\nbodies = [\"a\", \"b\"]\nresponse = \"none\"\n";
    let text = format!("{GOOD}{particles}{}{rule}", second.replace('@', ""));
    assert!(read(&text).is_ok());
    case(
        "plane = {}",
        "plane = @{}\n[[rule]]\nbodies = [\"ball\", \"floor\"]\nsides = \"second\"",
        &["`plane` has no vertices"],
    );
}

#[test]
fn expectations() {
    let expect = |rest: &str, says: &[&str]| added(&format!("[[expect]]\nname = \"e\"\n{rest}"), says);
    expect("measure = @\"sped\"\nbody = \"ball\"\nmax = 1", &["no measure `sped`", "did you mean `speed`?"]);
    expect("measure = @\"speed\"\nmax = 1", &["`speed` is measured on `body`"]);
    expect("measure = @\"finite\"\nbody = \"ball\"\nmin = 1", &["take `body` and `pair` out"]);
    expect("measure = \"speed\"\nbody = @\"bal\"\nmax = 1", &["did you mean `ball`?"]);
    expect("measure = \"max_depth\"\npair = [\"ball\", @\"flor\"]\nmax = 1", &["did you mean `floor`?"]);
    expect("measure = @\"speed\"\nbody = \"ball\"", &["expects nothing"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nvalue = @1.0", &["no tolerance", "`abs"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\n@abs = 1.0", &["a tolerance of `value`"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmin = @2\nmax = 1", &["`min` (2) is above `max` (1)"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nat = @3.0", &["the scene ends at 1 s"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nat = @\"start\"", &["\"end\", or a time"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nwindow = @[0.5, 0.5]", &["0 <= t0 < t1"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nwindow = @[0.5, 2]", &["the scene ends at 1 s"]);
    expect(
        "measure = \"speed\"\nbody = \"ball\"\nmax = 1\nwindow = [0.5, 1]\n@at = \"end\"",
        &["stands beside `window`"],
    );
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nfails = @\" \"", &["gives no reason"]);
    expect("measure = \"max_depth\"\npair = @[\"ball\", \"ball\"]\nmax = 1", &["names one body twice"]);
    expect("measure = \"speed\"\nbody = \"ball\"\nmax = 1\nresponse = @\"xpbd\"", &["no \"xpbd\""]);
    let except = |rest: &str, says: &[&str]| {
        expect(&format!("measure = \"finite\"\nevery_response = true\nmin = 1\n[[except]]\n{rest}"), says);
    };
    except(
        "expect = \"e\"\nresponses = [@\"qq\"]\nfails = \"why\"",
        &["no response `qq`", "did you mean `qp`?"],
    );
    except("expect = @\"f*\"\nresponses = [\"qp\"]\nfails = \"why\"", &["nothing called `f*`"]);
    except("expect = \"e\"\nresponses = [\"qp\"]\nnot_asked = @\"\"", &["gives no reason"]);
    except(
        "expect = @\"e\"\nresponses = [\"qp\"]\nfails = \"a\"\n[[except]]\nexpect = \"*\"\nresponses = [\"qp\"]\nfails = \"b\"",
        &["nothing is left to `e`"],
    );
    except("expect = \"e\"\nresponses = [\"qp\"]\nfails = \"a\"\n@not_asked = \"b\"", &["keep exactly one"]);
}
