//! Pressure fields in scene files: what they build, and what is refused, with the line and the fix.

use impinge_scene::{Response, SceneSpec};
use impinge_world::{PressureFriction, PressureSettings, PressureStep};
use std::path::{Path, PathBuf};

const HEAD: &str = r#"
[scene]
title = "t"
dt = 0.01
duration = 1.0
response = "pressure"

[[material]]
name = "m"
density = 1000.0

[[pair]]
materials = ["*", "*"]
stiffness = 1e4
mu_s = 0.5

[[body]]
name = "floor"
kind = "fixed"
material = "m"
plane = {}
"#;

fn scene(rest: &str) -> Result<SceneSpec, String> {
    SceneSpec::from_str(&format!("{HEAD}{rest}"), Path::new("t.toml")).map_err(|e| e.to_string())
}

fn body(mesh: &str, pressure: &str) -> String {
    format!(
        "[[body]]\nname = \"b\"\nmaterial = \"m\"\nposition = [0, 0, 0.06]\nmesh = {{ {mesh} }}\npressure = {{ {pressure} }}\n"
    )
}

#[test]
fn every_shape_that_has_a_field_rests_on_its_weight() {
    let shapes = [
        ("box = { size = [0.1, 0.1, 0.1] }", "modulus = 1e6"),
        ("box = { size = [0.1, 0.1, 0.1] }", "modulus = 1e6, field = \"distance\", resolution = 0.025"),
        ("box = { size = [0.1, 0.1, 0.1] }", "modulus = 1e6, field = \"laplace\", resolution = 0.025"),
        (
            "box = { size = [0.1, 0.1, 0.1] }",
            "modulus = 1e6, solid = { box = { size = [0.1, 0.1, 0.1], segments = 2 } }",
        ),
        ("plate = { size = [0.1, 0.2], thickness = 0.1 }", "modulus = 1e6"),
        ("icosphere = { radius = 0.05, subdivisions = 1 }", "modulus = 1e6"),
        ("uv_sphere = { radius = 0.05 }", "modulus = 1e6, field = \"laplace\", resolution = 0.02"),
        ("ellipsoid = { radii = [0.08, 0.07, 0.05] }", "modulus = 1e6"),
        ("cylinder = { radius = 0.05, height = 0.1 }", "modulus = 1e6"),
        ("cylinder = { radius = 0.05, height = 0.1 }", "modulus = 1e6, field = \"distance\""),
        ("capsule = { radius = 0.03, length = 0.03 }", "modulus = 1e6"),
        ("torus = { major = 0.1, minor = 0.05 }", "modulus = 1e6, field = \"distance\", resolution = 0.03"),
    ];
    for (mesh, pressure) in shapes {
        let spec =
            scene(&body(mesh, &format!("{pressure}, dissipation = 2.0"))).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = spec.simulation().unwrap_or_else(|e| panic!("{mesh}, {pressure}: {e}"));
        let (mut pushed, mut sank) = (0.0f64, 0.0f64);
        for _ in 0..60 {
            sim.step().unwrap_or_else(|e| panic!("{mesh}, {pressure}: {e}"));
            pushed = pushed.max(sim.contact_force(1).z);
            sank = sank.min(sim.position(1).z);
        }
        assert!(pushed > 1.0 && sank >= 0.0, "{mesh}, {pressure}: {pushed} N, down to {sank} m");
    }
}

#[test]
fn half_a_socket_is_refused_with_the_fix() {
    let bolt = |more: &str| {
        let keys = "radius = 0.01, pitch = 0.006, depth = 0.002, length = 0.02, segments = 16, stacks = 27";
        scene(&body(&format!("bolt = {{ {keys}{more} }}"), "modulus = 1e6"))
    };
    bolt(", socket = 0.006, socket_depth = 0.01").unwrap();
    let e = bolt(", socket = 0.006").unwrap_err();
    assert!(e.contains("add `socket_depth"), "{e}");
    let e = bolt(", socket_depth = 0.01").unwrap_err();
    assert!(e.contains("add `socket ="), "{e}");
}

#[test]
fn settings_are_read_and_what_they_do_not_go_with_is_refused() {
    let ball = body("icosphere = { radius = 0.05 }", "modulus = 1e6");
    let pressure =
        |s: &SceneSpec| *s.with_settings(Response::PRESSURE).settings::<PressureSettings>().unwrap();
    let of = |table: &str| scene(&format!("{ball}[pressure]\n{table}")).map(|s| pressure(&s));
    assert_eq!(pressure(&scene(&ball).unwrap()), PressureSettings::default());
    let explicit = of("step = \"explicit\"\nenergy = false").unwrap();
    assert_eq!((explicit.step, explicit.energy), (PressureStep::Explicit, false));
    assert_eq!(explicit.friction, PressureFriction::default_for(PressureStep::Explicit));
    let coulomb = of("friction = \"coulomb\"\nstribeck = 0.1").unwrap();
    assert_eq!(coulomb.friction, PressureFriction::Coulomb { regularisation: 1e-4, stribeck: 0.1 });
    let radau = of("step = \"radau\"\nregularisation = 1e-3").unwrap();
    let smooth = PressureFriction::Coulomb { regularisation: 1e-3, stribeck: 0.0 };
    assert_eq!((radau.step, radau.friction, radau.tolerance), (PressureStep::Radau, smooth, 1e-6));
    let e = of("step = \"radau\"\nfriction = \"bristles\"").unwrap_err();
    assert!(e.contains("bristles remember") && e.contains("take \"coulomb\""), "{e}");
    let e = of("friction = \"coulomb\"\nbristle_damping = 0.1").unwrap_err();
    assert!(e.contains("bristle_damping") && e.contains("friction = \"bristles\""), "{e}");
    let e = of("stribeck = 0.1").unwrap_err();
    assert!(e.contains("friction = \"coulomb\""), "{e}");
}

/// No tet is made where they would be millions, and what fits is named: as long as the tets of `resolution` are whole, within a step of what
/// fills the bound.
#[test]
fn a_fineness_of_millions_of_tets_is_refused_with_one_that_fits() {
    let fit = |mesh: &str, pressure: &str| {
        let made = scene(&body(mesh, pressure)).unwrap().simulation();
        let e = made.map(|_| ()).unwrap_err().to_string();
        let words = e.split_once(" m or more").unwrap_or_else(|| panic!("{mesh}: {e}")).0;
        let last = words.rsplit(' ').next().unwrap();
        last.parse::<f64>().unwrap_or_else(|_| panic!("{mesh}: {e}"))
    };
    let cube = "box = { size = [0.1, 0.1, 0.1] }";
    // Five tets a cell: 59³ of them are the most.
    let h = fit(cube, "modulus = 1e6, field = \"distance\", resolution = 1e-6");
    assert!((0.1 / 59.0..1.06 * 0.1 / 59.0).contains(&h), "{h}");
    // 8·4⁸ facets.
    let h = fit("icosphere = { radius = 0.1 }", "modulus = 1e6, resolution = 1e-6");
    assert!((h / (0.05 * std::f64::consts::PI / 256.0) - 1.0).abs() < 1e-3, "{h}");
    fit("capsule = { radius = 0.05, length = 0.2 }", "modulus = 1e6, resolution = 1e-6");
    fit("cylinder = { radius = 0.1, height = 0.2 }", "modulus = 1e6, resolution = 1e-6");
    for mesh in [
        "cylinder = { radius = 0.1, height = 0.2 }",
        "capsule = { radius = 0.05, length = 0.2 }",
        "icosphere = { radius = 0.1 }",
    ] {
        fit(mesh, "modulus = 1e6, field = \"distance\", resolution = 1e-6");
    }
    fit("torus = { major = 0.1, minor = 0.05 }", "modulus = 1e6, resolution = 1e-6");
    // Twelve tets a cube inside.
    let h = fit("wedge = { size = [0.1, 0.1, 0.1] }", "modulus = 1e6, resolution = 1e-5");
    let most = (12.0 * 0.5e-3 / f64::from(1 << 20)).cbrt();
    assert!((most..1.06 * most).contains(&h), "{h}");
    // Nobody asked for these: a plate a thousand times as broad as it is thick, in tets of half of that.
    fit("plate = { size = [1.0, 1.0], thickness = 1e-3 }", "modulus = 1e6, field = \"distance\"");
    let solid = "modulus = 1e6, solid = { box = { size = [0.1, 0.1, 0.1], segments = [80, 80, 80] } }";
    let e = scene(&body(cube, solid)).unwrap().simulation().map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("`solid` has 2.560e6 tets") || e.contains("2.56e6"), "{e}");
}

#[test]
fn what_carries_no_field_is_refused_with_the_fix() {
    let refused = |rest: &str, words: &[&str]| {
        let e = scene(rest).map(|_| ()).unwrap_err();
        assert!(words.iter().all(|w| e.contains(w)), "{e}");
    };
    let cases: [(&str, &str, &[&str]); 5] = [
        (
            "wedge = { size = [0.1, 0.1, 0.1] }",
            "modulus = 1e6, field = \"exact\"",
            &["no exact pressure field", "resolution"],
        ),
        (
            "torus = { major = 0.1, minor = 0.05 }",
            "modulus = 1e6, field = \"exact\"",
            &["no exact pressure field"],
        ),
        ("icosphere = { radius = 0.1 }", "modulus = 1e6, thickness = 0.1", &["thickness", "planes"]),
        (
            "icosphere = { radius = 0.1 }",
            "modulus = 1e6, field = \"exact\", solid = { sphere = { radius = 0.1 } }",
            &["no exact field"],
        ),
        ("icosphere = { radius = 0.1 }", "modulus = 0", &["modulus", "above 0"]),
    ];
    for (mesh, pressure, words) in cases {
        refused(&body(mesh, pressure), words);
    }
    refused(
        "[[body]]\nname = \"soft\"\nkind = \"deformable\"\nmaterial = \"m\"\nsolid = { sphere = { radius = 0.1 } }\nelastic = { young = 1e5 }\n",
        &["made of nodes", "response = \"none\""],
    );
    refused(
        "[[body]]\nname = \"p\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {}\npressure = { modulus = 1e6 }\n",
        &["thickness"],
    );
    // A body that keeps its distance by a rule may stay rigid.
    let rule = "[[body]]\nname = \"r\"\nmaterial = \"m\"\nmesh = { icosphere = { radius = 0.1 } }\n[[rule]]\nbodies = [\"floor\", \"r\"]\nresponse = \"none\"\n";
    assert!(scene(rule).unwrap().simulation().is_ok());
}

#[test]
fn a_body_without_a_field_gets_one_that_carries_its_weight_and_a_warning() {
    let text = |damping: &str| {
        format!("{HEAD}\n[[body]]\nname = \"b\"\nmaterial = \"m\"\nposition = [0, 0, 0.05]\ncopies = {{ count = 2, offset = [1, 0, 0] }}\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\n")
            .replace("mu_s = 0.5", damping)
    };
    let build = |damping: &str| {
        let spec = SceneSpec::from_str(&text(damping), Path::new("t.toml")).unwrap_or_else(|e| panic!("{e}"));
        spec.simulation().unwrap_or_else(|e| panic!("{e}"))
    };
    let mut sim = build("damping = { hunt_crossley = 1.0 }");
    let warnings = sim.response_warnings();
    assert!(warnings.len() == 1, "{warnings:?}");
    // E = m g h/(V · 2e-4) = ρ g h · 5000.
    assert!(warnings[0].contains("'b-0' and 1 more") && warnings[0].contains("4.905e6 Pa"), "{warnings:?}");
    for _ in 0..200 {
        sim.step().unwrap();
    }
    // One box of 1 kg on its face sinks by 1e-4 of its height: F = (E/h)(L² d − 2 L d² + 4 d³/3), h = L/2, is that to 2 d/L.
    let sunk = 0.05 - sim.position(1).z;
    assert!((sunk - 1e-5).abs() < 3e-4 * 1e-5, "{sunk} m");
    assert!((sim.contact_force(1).z - 9.81).abs() < 1e-6, "{:?}", sim.contact_force(1));
    // A damper for each contact point becomes a dissipation with the same restitution.
    let sim = build("damping = { restitution = 0.5, law = \"kelvin-voigt\", mass = 1.0 }");
    let speed = (2.0f64 * 9.81 * 0.1).sqrt();
    let chi = impinge_penalty::hunt_crossley_from_restitution(0.5, speed).unwrap();
    assert!(sim.response_warnings()[0].contains(&format!("{chi:.3} s/m")), "{:?}", sim.response_warnings());
}

#[test]
fn copies_share_their_field_and_another_response_can_take_over() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/box-tower-pressure.toml");
    let spec = SceneSpec::load(&path).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = spec.simulation().unwrap_or_else(|e| panic!("{e}"));
    {
        let bodies = &sim.column::<impinge_world::PressureBodies>().bodies;
        let solid = |i: usize| bodies[i].as_ref().map(|b| std::sync::Arc::as_ptr(&b.solid));
        assert!(solid(1).is_some() && solid(1) == solid(10));
    }
    sim.step().unwrap();
    let mut other = spec.simulation_with(Response::QP).unwrap_or_else(|e| panic!("{e}"));
    other.step().unwrap();
    other.swap_response(impinge_world::Response::pressure()).unwrap();
    other.step().unwrap();
}

#[test]
fn any_closed_mesh_is_filled_and_weighs_what_it_weighs() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = dir.join("pressure-filled.obj");
    impinge_io::write_obj(&file, &impinge_geometry::torus(0.1, 0.05, 24, 12).unwrap()).unwrap();
    let named = format!("file = {{ path = \"{}\" }}", file.display());
    for mesh in
        ["wedge = { size = [0.1, 0.1, 0.1] }", "l_shape = { size = [0.2, 0.1, 0.2], arm = 0.08 }", &named]
    {
        let scene = scene(&body(mesh, "modulus = 1e6, resolution = 0.02, dissipation = 2.0"))
            .unwrap_or_else(|e| panic!("{e}"));
        let mut sim = scene.simulation().unwrap_or_else(|e| panic!("{e}"));
        let weight = sim.column::<impinge_world::Dofs>().bodies.mass[1] * 9.81;
        for _ in 0..400 {
            sim.step().unwrap();
        }
        let pushed = sim.contact_force(1).z;
        println!("{mesh}: {pushed:.6} N for {weight:.6} N");
        assert!((pushed - weight).abs() < 1e-3 * weight, "{mesh}: {pushed} N for {weight} N");
    }
    // A finger of twelve triangles: six cells across would be 26 000 tets.
    let finger = dir.join("pressure-finger.obj");
    let box_of = impinge_geometry::cuboid([0.12, 0.012, 0.012].into(), [1; 3]).unwrap();
    impinge_io::write_obj(&finger, &box_of).unwrap();
    let named = format!("file = {{ path = \"{}\" }}", finger.display());
    let sim = scene(&body(&named, "modulus = 1e6")).unwrap().simulation().unwrap_or_else(|e| panic!("{e}"));
    let fields = sim.column::<impinge_world::PressureBodies>();
    let tets = fields.bodies[1].as_ref().and_then(|b| Some(b.field()?.mesh().tets().len()));
    assert!(tets.is_some_and(|n| (5_000..20_000).contains(&n)), "{tets:?}");
    let open = dir.join("pressure-open.obj");
    std::fs::write(&open, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let named = format!("file = {{ path = \"{}\" }}", open.display());
    let scene = scene(&body(&named, "modulus = 1e6")).unwrap();
    assert!(scene.simulation().err().unwrap().to_string().contains("boundary edges"));
}

/// A cube of 1 kg whose field is soft enough to be pressed in by a fifth of its half height, under each law. On the plane at depth d the extent is the
/// distance to the nearest face, at most d: F = E (f(d/h)(L − 2d)² + ∫ 4 (L − 2s) f(s/h) ds from 0 to d).
#[test]
fn a_law_that_bends_carries_the_weight_at_its_own_depth() {
    let (side, half, modulus) = (0.1, 0.05, 5000.0);
    let depth = |law: &str| {
        let dent = format!("modulus = 5e3, dissipation = 1.0{law}");
        let spec = scene(&body("box = { size = [0.1, 0.1, 0.1] }", &dent)).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = spec.simulation().unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..400 {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
        }
        assert!((sim.contact_force(1).z - 9.81).abs() < 1e-6, "{:?}", sim.contact_force(1));
        half - sim.position(1).z
    };
    let expected = |f: &dyn Fn(f64) -> f64| {
        let force = |d: f64| {
            let n = 2000;
            let rim: f64 = (0..n)
                .map(|i| (f64::from(i) + 0.5) * d / f64::from(n))
                .map(|s| 4.0 * (side - 2.0 * s) * f(s / half) * d / f64::from(n))
                .sum();
            modulus * (f(d / half) * (side - 2.0 * d).powi(2) + rim)
        };
        let (mut low, mut high) = (0.0, 0.8 * half);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *if force(middle) < 9.81 { &mut low } else { &mut high } = middle;
        }
        low
    };
    let bounded = |bound: f64| move |s: f64| s / (1.0 - s / bound);
    let laws: [(&str, &dyn Fn(f64) -> f64); 3] = [
        ("", &|s| s),
        (", law = { kind = \"logarithmic\", tolerance = 0.005 }", &|s: f64| -(1.0 - s).ln()),
        (", law = { kind = \"bounded\", bound = 0.5, tolerance = 0.005 }", &bounded(0.5)),
    ];
    let mut last = f64::INFINITY;
    for (law, f) in laws {
        let (got, want) = (depth(law), expected(f));
        println!("{law}: {got:.6} m, closed form {want:.6} m");
        // Chords lie above a law that bends up, by 0.5 % at most.
        assert!(want > 0.1 * half && (got - want).abs() < 0.006 * want, "{law}: {got} m for {want} m");
        assert!(got < last, "{law}");
        last = got;
    }
}

#[test]
fn laws_that_make_no_sense_are_refused_with_the_fix() {
    let cases = [
        ("{ kind = \"bounded\" }", "add `bound"),
        ("{ kind = \"logarithmic\", bound = 0.5 }", "take it out"),
        ("{ kind = \"logarithmic\", most = 1.0 }", "below 1"),
        ("{ kind = \"bounded\", bound = 0.5, most = 0.6 }", "below 0.5"),
        ("{ kind = \"logarithmic\", tolerance = 0.0 }", "1e-6"),
        ("{ kind = \"cubic\" }", "logarithmic"),
    ];
    for (law, words) in cases {
        let e = scene(&body("icosphere = { radius = 0.05 }", &format!("modulus = 1e6, law = {law}")))
            .map(|_| ())
            .unwrap_err();
        assert!(e.contains(words), "{law}: {e}");
    }
    let plane = "[[body]]\nname = \"p\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {}\npressure = { modulus = 1e6, thickness = 0.1, law = { kind = \"logarithmic\" } }\n";
    let e = scene(plane).map(|_| ()).unwrap_err();
    assert!(e.contains("law") && e.contains("plane"), "{e}");
}
