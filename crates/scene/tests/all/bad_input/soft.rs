//! Mistakes in deformables: materials, rest meshes, attachments, cuts. Told at the file's line, with the reason.

use super::{GOOD, added, read};

const BLOCK: &str = r#"
[[body]]
name = "block"
kind = "deformable"
material = "rubber"
solid = { box = { size = [1, 1, 1], segments = 2 } }
elastic = { young = 1e5, poisson = 0.3 }
position = [5, 0, 5]
"#;

/// As `added`, for what is only found when the body is built.
#[track_caller]
fn built(text: &str, says: &[&str]) {
    let marked = format!("{GOOD}\n{text}\n");
    let at = marked.find('@').expect("the case marks the place with @");
    let line = marked[..at].matches('\n').count() + 1;
    let scene = read(&marked.replacen('@', "", 1)).unwrap_or_else(|e| panic!("{e}"));
    let error = scene.simulation().err().expect("the scene was built").to_string();
    assert!(error.contains(&format!("test.toml:{line}:")), "not at line {line}:\n{error}");
    for say in says {
        assert!(error.contains(say), "`{say}` is missing in:\n{error}");
    }
}

#[test]
fn the_block_is_good() {
    assert!(read(&format!("{GOOD}{BLOCK}")).unwrap().simulation().is_ok());
}

#[test]
fn materials() {
    added(&BLOCK.replace("poisson = 0.3", "poisson = @0.5"), &["0.5", "below 0.5"]);
    added(&BLOCK.replace("poisson = 0.3", "poisson = @-1.0"), &["above -1"]);
    added(&BLOCK.replace("young = 1e5", "young = @0.0"), &["above 0"]);
    added(&format!("{BLOCK}density = @0.0"), &["above 0"]);
    let bare = BLOCK.replace("elastic = { young = 1e5, poisson = 0.3 }", "");
    added(&bare.replace("kind = ", "kind = @"), &["what it is made of", "elastic"]);
    added(
        &BLOCK.replace("elastic = {", "@cloth = { young = 1, thickness = 1 }\nelastic = {"),
        &["does not go with"],
    );
    added(&format!("{BLOCK}@mass = 1.0"), &["no effect on a deformable"]);
}

#[test]
fn contact_with_itself() {
    let own = format!("{BLOCK}self_contact = true\n");
    assert!(read(&format!("{GOOD}{own}")).unwrap().simulation().is_ok());
    // By volumes: rays find it, the exact volume is that of two bodies.
    let volume = |more: &str| {
        let head = format!("{more}\n[scene]\nresponse = \"volume\"\nintegrator = \"implicit-euler\"");
        format!("{}{own}", GOOD.replacen("[scene]", &head, 1))
    };
    let e = read(&volume("")).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("meets itself") && e.contains("`pixel`"), "{e}");
    assert!(read(&volume("[volume]\npixel = 1e-2\ndepth = 1e-2")).unwrap().simulation().is_ok());
    let under = read(&format!("{GOOD}{own}")).unwrap().simulation_with(impinge_scene::Response::VOLUME);
    assert!(under.is_err());
    // Its material must have a law with itself.
    let jelly = "[[material]]\nname = \"jelly\"\ndensity = 1000.0\n[[pair]]\nmaterials = [\"jelly\", \"steel\"]\nstiffness = 1\n\
                 [[pair]]\nmaterials = [\"jelly\", \"rubber\"]\nstiffness = 1\n";
    let other = own.replace("material = \"rubber\"", "material = @\"jelly\"");
    added(&format!("{jelly}{other}"), &["`jelly`", "no contact law"]);
    let rag = "[[body]]\nname = \"rag\"\nkind = \"deformable\"\nmaterial = \"rubber\"\nsheet = @{ grid = { size = [1, 1] } }\n\
               cloth = { young = 1e5, thickness = 1e-3 }\nself_contact = true\n";
    added(rag, &["`rag`", "no inside", "qp"]);
    let cable = "[[body]]\nname = \"rope\"\nkind = \"deformable\"\nmaterial = \"rubber\"\nline = @[[0, 0, 9], [1, 0, 9]]\n\
                 cable = { young = 1e5, radius = 1e-3 }\nself_contact = true";
    added(cable, &["`rope`", "a cable", "no inside", "qp"]);
}

#[test]
fn attachments() {
    let everywhere = "min = [-1, -1, -1], max = [1, 1, 1]";
    built(
        &format!("{BLOCK}attach = [{{ min = @[2, 2, 2], max = [3, 3, 3] }}]"),
        &[
            "holds no node: its box from [2.0, 2.0, 2.0] to [3.0, 3.0, 3.0]",
            "fix: widen the box",
            "between [-0.5, -0.5, -0.5] and [0.5, 0.5, 0.5]",
        ],
    );
    built(
        &format!("{BLOCK}attach = [{{ min = @[-1, 1, -1], max = [1, -1, 1] }}]"),
        &["`min` is above `max` along y (1.0 and -1.0)", "fix: write the lowest corner as `min`"],
    );
    let to = |name: &str| format!("{BLOCK}attach = [{{ {everywhere}, to = @\"{name}\" }}]");
    added(
        &to("flor"),
        &["names the body `flor`, which is not there", "fix: did you mean `floor`?", "`world`"],
    );
    added(&to("block"), &["attached to itself", "fix: attach it to a rigid", "`floor`"]);
    let second = BLOCK.replace("\"block\"", "\"other\"");
    added(&format!("{second}{}", to("other")), &["no frame", "`ball`"]);
    // Of a hundred copies one mistake is one report.
    added(&format!("{}\ncopies = {{ count = 3, offset = [2, 0, 0] }}", to("flor")), &["`block-0`", "`flor`"]);
    let good = to("floor").replace('@', "");
    assert!(read(&format!("{GOOD}{good}")).unwrap().simulation().is_ok());
}

#[test]
fn rest_meshes() {
    let folder = std::env::temp_dir().join(format!("impinge-bad-tets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let tets = |order: &str| {
        format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n\
             CELLS 1 5\n4 {order}\nCELL_TYPES 1\n10\n"
        )
    };
    std::fs::write(folder.join("good.vtk"), tets("0 1 2 3")).unwrap();
    std::fs::write(folder.join("inverted.vtk"), tets("0 2 1 3")).unwrap();
    let scene = |file: &str| {
        let solid = format!("solid = {{ file = {{ path = \"{file}\" }} }}");
        let text = BLOCK.replace("solid = { box = { size = [1, 1, 1], segments = 2 } }", &solid);
        impinge_scene::SceneSpec::from_str(&format!("{GOOD}{text}"), &folder.join("test.toml"))
            .unwrap_or_else(|e| panic!("{e}"))
            .simulation()
            .err()
            .map(|e| e.to_string())
    };
    assert_eq!(scene("good.vtk"), None);
    let e = scene("inverted.vtk").expect("an inverted tet was taken");
    let line = GOOD.matches('\n').count() + BLOCK.lines().take_while(|l| !l.starts_with("solid")).count() + 1;
    assert!(e.contains("inverted") && e.contains(&format!("test.toml:{line}:")), "{e}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn cuts() {
    let cut = |text: &str| format!("{BLOCK}\n[[cut]]\n{text}");
    let plane = "time = 0.1\npoint = [5, 0, 5]\nnormal = [1, 0, 0]";
    added(&cut(&format!("body = @\"blok\"\n{plane}")), &["no body is called `blok`", "block"]);
    added(&cut(&format!("body = @\"ball\"\n{plane}")), &["`ball` cannot be cut"]);
    added(&cut(&format!("body = \"block\"\n{plane}\nsnap = @0.7")), &["snap", "0.5"]);
    added(&cut(&format!("body = \"block\"\n{plane}\nmin = @[0, 0, 0]")), &["stands alone"]);
    added(&cut("body = \"block\"\ntime = 0.1\npoint = [5, 0, 5]\nnormal = @[0, 0, 0]"), &["not all 0"]);
    added(
        &cut(&format!("body = \"block\"\n{}", plane.replace("0.1", "@1.5"))),
        &["ends at 1 s: it does nothing"],
    );
    added(&format!("{BLOCK}\n[[refine]]\nbody = \"block\"\ntime = @1"), &["ends at 1 s: it does nothing"]);
    assert!(
        read(&format!("{GOOD}{}", cut(&format!("body = \"block\"\n{plane}")))).unwrap().simulation().is_ok()
    );
}

#[test]
fn refinements() {
    let refine = |text: &str| format!("{BLOCK}\n[[refine]]\n{text}\ntime = 0.1");
    added(&refine("body = @\"blok\""), &["no body is called `blok`", "block"]);
    added(&refine("body = @\"ball\""), &["`ball` cannot be refined"]);
    added(&refine("body = \"block\"\nmin = @[0, 0, 0]"), &["stands alone"]);
    added(&refine("body = \"block\"\n@snap = 0.1"), &["`snap` is not a key"]);
    let scene = read(&format!("{GOOD}{}", refine("body = \"block\""))).unwrap();
    assert!(scene.simulation().is_ok());
    // In a twin whose bodies stand the other way round it is the same body's.
    let twin = scene.reversed().unwrap();
    assert_eq!(twin.bodies[twin.refinements[0].body].name, "block");
    assert!(scene.moved(&impinge_geometry::Pose::identity(), scene.response).is_ok());
    let region = refine("body = \"block\"\nmin = [0, 0, 0]\nmax = [9, 9, 9]");
    let scene = read(&format!("{GOOD}{region}")).unwrap();
    let refused = scene.moved(&impinge_geometry::Pose::identity(), scene.response).unwrap_err();
    assert!(refused.contains("region of a refinement"), "{refused}");
}

#[test]
fn a_body_and_itself_have_contacts_and_no_distance() {
    let expect = |measure: &str| {
        format!(
            "{}\n[[expect]]\nname = \"own\"\nmeasure = \"{measure}\"\npair = @[\"block\", \"block\"]\nmax = 1",
            BLOCK.replace("[1, 1, 1], segments = 2 } }", "[1, 1, 1], segments = 2 } }\nself_contact = true")
        )
    };
    added(&expect("distance"), &["names one body twice", "`max_depth`"]);
    for measure in ["contacts", "contact_time", "max_depth", "mean_depth"] {
        let text = expect(measure).replace('@', "");
        read(&format!("{GOOD}{text}")).unwrap_or_else(|e| panic!("{measure}: {e}"));
    }
}

#[test]
fn steps_too_long_for_explicit_integration() {
    let stiff = BLOCK.replace("1e5", "1e9");
    let scene = read(&format!("{GOOD}{stiff}")).unwrap();
    let e = scene.simulation().err().expect("taken").to_string();
    assert!(e.contains("unstable") && e.contains("implicit"), "{e}");
}
