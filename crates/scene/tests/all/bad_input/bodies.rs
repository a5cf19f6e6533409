//! Mistakes in bodies: names, shapes, masses, motions, meshes.

use super::{GOOD, added, case, read, text_case};

#[test]
fn duplicates_and_names() {
    // Calling rubber steel also leaves the bodies of rubber without a material: both are told, each once.
    let e = read(&GOOD.replace("name = \"rubber\"", "name = \"steel\"")).unwrap_err().to_string();
    assert!(e.contains("test.toml:12:8: there are two materials `steel`"), "{e}");
    added(
        "[[body]]\nname = @\"ball\"\nmaterial = \"rubber\"\nmesh = { tetrahedron = { edge = 1 } }",
        &["two bodies `ball`", "its own name"],
    );
    // A copy's name counts as well.
    added(
        "[[body]]\nname = \"b-1\"\nmaterial = \"rubber\"\nmesh = { tetrahedron = { edge = 1 } }\n\
         [[body]]\nname = @\"b\"\nmaterial = \"rubber\"\nmesh = { tetrahedron = { edge = 1 } }\n\
         copies = { count = 2, offset = [1, 0, 0] }",
        &["two bodies `b-1`"],
    );
    case("name = \"ball\"", "name = @\"ball.1\"", &["a letter, then letters"]);
    case("name = \"ball\"", "name = @\"2\"", &["a letter, then letters"]);
    added(
        "[[pair]]\nmaterials = @[\"rubber\", \"steel\"]\nstiffness = 1.0",
        &["two laws between `rubber` and `steel`"],
    );
    let expect = "[[expect]]\nname = \"a\"\nmeasure = \"finite\"\nmin = 1\n";
    added(
        &format!("{expect}{}", expect.replace("name = ", "name = @")),
        &["two expectations `a` of `penalty`"],
    );
}

#[test]
fn shapes() {
    case(
        "[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"\nplane = {}",
        "@[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"",
        &["states none of `mesh`, `plane`, `points`"],
    );
    case(
        "plane = {}",
        "mesh = { tetrahedron = { edge = 1 } }\n@plane = {}",
        &["`plane` stands beside `mesh`"],
    );
    case(
        "mesh = { icosphere",
        "mesh = { torus = { major = 1, minor = 0.2 }, @icosphere",
        &["`icosphere` stands beside `torus`"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = @{}",
        &["states none of `box`"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "@plane = {}",
        &["a rigid body cannot be given by `plane`"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "@points = [[0, 0, 0]]",
        &["kind = \"particles\""],
    );
    case(
        "kind = \"fixed\"\nmaterial = \"steel\"\nplane = {}",
        "kind = \"particles\"\nmass = 1\nmaterial = \"steel\"\n@mesh = { tetrahedron = { edge = 1 } }",
        &["particles are given by `points`"],
    );
    case(
        "kind = \"fixed\"\nmaterial = \"steel\"\nplane = {}",
        "kind = \"particles\"\nmaterial = \"steel\"\npoints = @[[0, 0, 1]]",
        &["particles need a mass"],
    );
    case(
        "kind = \"fixed\"\nmaterial = \"steel\"\nplane = {}",
        "kind = \"particles\"\nmass = 1\nmaterial = \"steel\"\npoints = [[0, 0, 1], @[0, nan, 0]]",
        &["write three finite numbers"],
    );
}

#[test]
fn too_many_copies() {
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\ncopies = { count = @100_000, offset = [1, 0, 0] }",
        &["too many", "at most 100000 bodies"],
    );
}

#[test]
fn keys_without_effect() {
    for key in [
        "mass = 1.0",
        "density = 1.0",
        "velocity = [1, 0, 0]",
        "angular_velocity = [1, 0, 0]",
        "linear_drag = 1",
    ] {
        case(
            "plane = {}",
            &format!("plane = {{}}\n@{key}"),
            &["has no effect on a fixed body", "take it out"],
        );
    }
    case("plane = {}", "plane = {}\n@position = [0, 0, 1]", &["does not move a plane", "offset"]);
    case(
        "plane = {}",
        "plane = {}\n@copies = { count = 2, offset = [0, 0, 1] }",
        &["does not apply to a plane"],
    );
    case("plane = {}", "plane = {}\n@replaceable = true", &["needs a body with a mesh"]);
    case(
        "plane = {}",
        "plane = {}\n@driver = { spin = { angular_velocity = [0, 0, 1] } }",
        &["moves kinematic bodies only"],
    );
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\nmass = 1\n@density = 2",
        &["`density` stands beside `mass`"],
    );
    case("plane = {}", "plane = {}\ncolor = @\"red\"", &["#rrggbb"]);
    added(
        "[[body]]\nname = \"b\"\nmaterial = \"rubber\"\nmesh = { tetrahedron = { edge = 1 } }\nreplaceable = true\n[[body]]\nname = \"c\"\nmaterial = \"rubber\"\nmesh = { tetrahedron = { edge = 1 } }\nreplaceable = @true",
        &["a second body is `replaceable`"],
    );
}

#[test]
fn mass_from_nowhere() {
    case(
        "name = \"rubber\"\ndensity = 1100.0\n\n[[pair]]\nmaterials = [\"steel\", \"rubber\"]\nstiffness = 1e4\n\n[[pair]]\nmaterials = [\"rubber\", \"rubber\"]\nstiffness = 1e3\n\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"\nplane = {}\n\n[[body]]\nname = \"ball\"\nmaterial = \"rubber\"",
        "name = \"rubber\"\n\n[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1e4\n\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"steel\"\nplane = {}\n\n[[body]]\nname = \"ball\"\nmaterial = @\"rubber\"",
        &["a rigid body needs a mass, and `rubber` has no density", "add `mass"],
    );
}

#[test]
fn motions() {
    let kinematic = |rest: &str| {
        format!(
            "[[body]]\nname = \"k\"\nkind = @\"kinematic\"\nmaterial = \"steel\"\nmesh = {{ tetrahedron = {{ edge = 1 }} }}\n{rest}"
        )
    };
    added(&kinematic(""), &["has no motion", "`keyframes` or `driver`"]);
    let at = |rest: &str| kinematic(rest).replacen('@', "", 1);
    added(&at("keyframes = @[{ time = 0, position = [0, 0, 0] }]"), &["1 keyframe make no motion"]);
    let frames = "keyframes = [{ time = 0, position = [0, 0, 0] }, { time = 1, position = [0, 0, 1] }, { time = @1.0, position = [0, 0, 2] }]";
    added(&at(frames), &["do not increase: 1 s after 1 s", "order the keyframes"]);
    let late = at("keyframes = [{ time = 1, position = [0, 0, 0] }, { time = 2, position = [0, 0, 1] }]");
    added(
        &late.replacen("mesh = ", "mesh = @", 1),
        &["begin at 1 s, and the scene ends at 1 s: it stands still"],
    );
    let frames = "keyframes = [{ time = @-1, position = [0, 0, 0] }, { time = 1, position = [0, 0, 1] }]";
    added(&at(frames), &["`time` may not be the integer -1"]);
    added(
        &at("driver = { spin = { angular_velocity = [0, 0, 1] } }\n@mass = 2"),
        &["has no effect on a kinematic body"],
    );
    added(
        &at(
            "driver = { spin = { angular_velocity = [0, 0, 1] }, @sine = { amplitude = [0, 0, 1], frequency = 1 } }",
        ),
        &["`sine` stands beside `spin`"],
    );
    added(
        &at("driver = { sine = { amplitude = [0, 0, 1], frequency = @0 } }"),
        &["`frequency` may not be", "Hz"],
    );
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\nrotation = { axis = @[0, 0.0, 0], degrees = 3 }",
        &["`axis` may not be [0, 0, 0]"],
    );
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\ncopies = { count = @0, offset = [1, 0, 0] }",
        &["`count` may not be the integer 0"],
    );
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\nanchors = [@{ to = [0, 0, 1], stiffness = 1 }]",
        &["does not say where it holds", "add `point"],
    );
    case(
        "material = \"rubber\"",
        "material = \"rubber\"\nanchors = [{ @vertex = 1, to = [0, 0, 1], stiffness = 1 }]",
        &["use `point`"],
    );
    added(
        "[[body]]\nname = \"p\"\nkind = \"particles\"\nmass = 1\nmaterial = \"rubber\"\npoints = [[0, 0, 1]]\nanchors = [{ vertex = @1, to = [0, 0, 1], stiffness = 1 }]",
        &["`vertex` is 1, but there are 1 points"],
    );
}

#[test]
fn meshes() {
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = @{ torus = { major = 1, minor = 2 } }",
        &["the mesh of `ball` cannot be made", "minor"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = @{ file = { path = \"no-such.obj\" } }",
        &["no-such.obj", "check the path"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = { file = { path = \"a.obj\", fit = 1, @scale = 2 } }",
        &["`scale` stands beside `fit`"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = { file = { path = @\"\" } }",
        &["`path` is empty"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = { torus = @{ major = 1, minor = 0.1, segments = 4096, sides = 4096 } }",
        &["33554432 triangles", "at most 4000000"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = { box = { size = [1, @0, 1] } }".replace("[1, @0", "@[1, 0").as_str(),
        &["`size` may not be [1, 0, 1]", "each above 0"],
    );
    // An open sheet has no inside: not as a rigid body, and not where others must be tested against it.
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = @{ grid = { size = [1, 1] } }",
        &["`ball` is rigid", "not closed"],
    );
    // As ground it is taken, but by what asks for its inside.
    let open = GOOD.replace("plane = {}", "mesh = @{ grid = { size = [1, 1] } }");
    assert!(read(&open.replace('@', "")).unwrap().meshes().is_ok());
    for response in ["volume", "volume-penalty"] {
        let text = open.replace("duration = 1.0\n", &format!("duration = 1.0\nresponse = \"{response}\"\n"));
        text_case(
            &text,
            &["`floor` is open and met by other bodies", "not closed", "thicken = 0.1", "`plate`"],
        );
    }
    let thick = open.replace("@{ grid = { size = [1, 1] } }", "{ grid = { size = [1, 1] }, thicken = 0.1 }");
    assert!(read(&thick).unwrap().meshes().unwrap().meshes[0].triangles().len() == 12);
    case(
        "plane = {}",
        "mesh = { grid = { size = [1, 1] }, thicken = @-0.1 }",
        &["`thicken` may not be the number -0.1", "above 0"],
    );
    case(
        "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
        "mesh = @{ icosphere = { radius = 0.1, subdivisions = 1 }, thicken = 0.1 }",
        &["no border"],
    );
    let rows =
        |heights: &str| format!("mesh = {{ height_field = {{ size = [1, 1], heights = {heights} }} }}");
    case("plane = {}", &rows("[[0, 1], @[0]]"), &["row 1 (from 0)", "the first row, which has 2"]);
    case("plane = {}", &rows("[[0, 1], @[0, \"a\"]]"), &["row 1 (from 0)", "not all finite numbers"]);
    case("plane = {}", &rows("@[[0, 1]]"), &["`heights` may not be", "two or more rows"]);
    case(
        "plane = {}",
        "mesh = { height_field = { size = [1, 1], heights = [[0, 1], [0, 1]], @path = \"h.txt\" } }",
        &["`path` stands beside `heights`"],
    );
    case(
        "plane = {}",
        "mesh = @{ height_field = { size = [1, 1], path = \"nowhere.txt\" } }",
        &["nowhere.txt", "check `path`"],
    );
}

/// The fix names what helps this mesh, tried on its file.
#[test]
fn meshes_without_an_inside() {
    let folder = std::env::temp_dir().join(format!("impinge-bad-meshes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let write =
        |name: &str, faces: &str| std::fs::write(folder.join(name), format!("{corners}{faces}")).unwrap();
    write("open.obj", "f 1 3 2\nf 1 2 4\nf 1 4 3\n");
    write("inverted.obj", "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    write("one_turned.obj", "f 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write("flat.obj", "f 1 2 3\nf 1 3 2\n");
    write("fin.obj", "v 2 2 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 2 5\n");
    let fix = |kind: &str, file: &str| {
        let text = GOOD.replace(
            "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }",
            &format!("kind = \"{kind}\"\nmesh = {{ file = {{ path = \"{file}\" }} }}"),
        );
        let scene = impinge_scene::SceneSpec::from_str(&text, &folder.join("test.toml")).unwrap();
        scene.meshes().expect_err(file).issues()[0].fix.clone()
    };
    let open = fix("rigid", "open.obj");
    let beside = folder.join("open-mended.obj").display().to_string();
    assert!(open.contains("--repair fill-holes --out ") && open.contains(&beside), "{open}");
    for kind in ["rigid", "fixed", "kinematic\"\ndriver = { spin = { angular_velocity = [0, 0, 1] } } #"] {
        let turned = fix(kind, "one_turned.obj");
        assert!(turned.contains("--repair orient --out"), "{turned}");
    }
    let inverted = fix("rigid", "inverted.obj");
    assert!(inverted.contains("--repair orient --out") && !inverted.contains("closed"), "{inverted}");
    assert!(fix("rigid", "flat.obj").contains("thickness"), "{}", fix("rigid", "flat.obj"));
    assert!(fix("rigid", "fin.obj").contains("--report DIR"), "{}", fix("rigid", "fin.obj"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Told before anything is built, with the body that takes most.
#[test]
fn more_vertices_than_memory() {
    let many = GOOD.replace(
        "subdivisions = 1 } }",
        "subdivisions = 6 } }\ncopies = { count = 1000, offset = [0, 0, 1] }",
    );
    let scene = read(&many).unwrap();
    let words = |b: u64| format!("{b} B");
    let bytes = scene.surface_bytes(u64::MAX, words).unwrap();
    assert!((5_000_000_000..5_500_000_000).contains(&bytes), "{bytes}");
    let e = scene.surface_bytes(1 << 30, words).unwrap_err().to_string();
    for say in [
        "1000 × 40960 vertices",
        "1073741824 B of memory are free",
        "fix: lower `copies.count`",
        "mesh = {",
        "^^^",
    ] {
        assert!(e.contains(say), "`{say}` is missing in:\n{e}");
    }
    // A file is read only where its copies could be too many.
    let folder = std::env::temp_dir().join(format!("impinge-many-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("tet.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let text =
        many.replace("icosphere = { radius = 0.1, subdivisions = 6 }", "file = { path = \"tet.obj\" }");
    let scene = impinge_scene::SceneSpec::from_str(&text, &folder.join("test.toml")).unwrap();
    assert_eq!(scene.surface_bytes(1 << 30, words).unwrap(), 0);
    let e = scene.surface_bytes(1 << 10, words).unwrap_err().to_string();
    assert!(e.contains("1000 × 4 vertices"), "{e}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn groups_and_belts() {
    let ball = "name = \"ball\"";
    case(
        ball,
        &format!("{ball}\nmeets = [@\"parts\"]"),
        &["no body is in a group `parts`", "groups = [\"parts\"]"],
    );
    case(
        ball,
        &format!("{ball}\ngroups = [\"part\"]\nmeets = [\"part\", @\"prat\"]"),
        &["no body is in a group `prat`", "did you mean `part`?"],
    );
    case(ball, &format!("{ball}\ngroups = @\"part\""), &["a list of names"]);
    case(ball, &format!("{ball}\ngroups = @[\"1\"]"), &["a list of names"]);
    let many: Vec<String> = (0..32).map(|i| format!("\"g{i}\"")).collect();
    case(ball, &format!("{ball}\ngroups = @[{}]", many.join(", ")), &["in 32 groups", "at most 31"]);
    case(ball, &format!("{ball}\nsurface_velocity = @[1.0, 2.0]"), &["three finite numbers"]);
    added(
        "[[body]]\nname = \"dust\"\nkind = \"particles\"\nmaterial = \"rubber\"\nmass = 1\npoints = [[0, 0, 9]]\n@surface_spin = [0, 0, 1]",
        &["`surface_spin` is of fixed, kinematic and rigid bodies"],
    );
}
