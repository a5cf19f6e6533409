//! From a document to a validated scene: one function per kind of table, then the checks that need several.

mod actuator;
mod body;
mod except;
mod expect;
mod model;
mod sensor;

use crate::check;
use crate::document::Document;
use crate::error::SceneError;
use crate::reader::{Issues, Reader};
use crate::run_settings;
use crate::schema;
use crate::spec::{
    BodySpec, DriverSpec, Integrator, Motion, RecordSpec, Response, SceneSpec, Shape, SolidSpec,
};
use crate::values;
use std::collections::BTreeMap;
use std::path::Path;

/// More steps than this are a slip of the pen in `dt` or `duration`.
const MAX_STEPS: f64 = 1e9;

/// `under` is the response that the scene is to be run under where that is not its own. Expectations without a response stay those of its own.
pub(crate) fn scene(
    document: Document,
    origin: &Path,
    base_dir: &Path,
    under: Option<Response>,
) -> Result<SceneSpec, SceneError> {
    let issues = Issues::new(&document);
    let top = Reader::new(&issues, document.root(), schema::top());
    let mut spec = read_top(&top, origin, base_dir);
    spec.response = under.unwrap_or(spec.response);
    // Checks across tables would only repeat what is already wrong in one of them.
    if issues.is_empty() {
        check::across(&spec, &issues);
    }
    issues.into_result()?;
    if spec.dt_suggested {
        spec.dt = spec.suggested_dt();
    }
    Ok(SceneSpec { document, ..spec })
}

fn read_top(top: &Reader<'_>, origin: &Path, base_dir: &Path) -> SceneSpec {
    let mut spec = empty_scene(origin, base_dir);
    if let Some(scene) = top.table("scene") {
        read_scene(&scene, &mut spec);
    }
    spec.responses = read_responses(top);
    if let Some(deformable) = top.table("deformable") {
        spec.deformable = run_settings::solve(&deformable);
    }
    if let Some(record) = top.table("record") {
        spec.record = read_record(&record, spec.duration);
    }
    spec.materials = model::materials(&top.tables("material"));
    // Without the list of materials, every mention of one would be reported; the same holds for bodies.
    if top.is_bad("material") || spec.materials.iter().any(|m| m.name.is_empty()) {
        return spec;
    }
    spec.pairs = model::pairs(&top.tables("pair"), &spec.materials);
    let sensors = top.tables("sensor");
    let groups;
    (spec.bodies, groups) = body::bodies(top, &sensors, &spec.materials);
    if top.is_bad("body") || spec.bodies.iter().any(|b| !values::is_name(&b.name)) {
        return spec;
    }
    crate::attach::names(&spec.bodies, top.issues());
    let names: Vec<String> = spec.bodies.iter().map(|b| b.name.clone()).collect();
    spec.rules = model::rules(&top.tables("rule"), &names);
    spec.actuators = actuator::actuators(&top.tables("actuator"), &spec.bodies);
    spec.forces = actuator::forces(&top.tables("force"), &spec.bodies, spec.duration);
    spec.sensors = sensor::sensors(&sensors, &groups, &spec.bodies);
    let cuttable: Vec<bool> = spec.bodies.iter().map(can_be_cut).collect();
    let named = (&names[..], spec.duration);
    spec.cuts = run_settings::cuts(&top.tables("cut"), named, &cuttable);
    spec.refinements = run_settings::refinements(&top.tables("refine"), named, &cuttable);
    standing(&spec, top.issues());
    let (mut told, every) = expect::expectations(&top.tables("expect"), &names, &spec);
    let tables = top.tables("except");
    spec.not_asked = except::of_each(every, &except::exceptions(&tables), &tables, &mut told);
    spec.expectations = told;
    spec
}

/// Refuses keyframes that all lie behind the end: their body stands still.
fn standing(spec: &SceneSpec, issues: &Issues<'_>) {
    // A time that is wrong is no frame.
    for body in spec.bodies.iter().filter(|_| issues.is_empty()) {
        let Motion::Kinematic(DriverSpec::Keyframes(frames)) = &body.motion else { continue };
        if let Some(first) = frames.first().filter(|f| f.time >= spec.duration) {
            let what = format!(
                "the keyframes of `{}` begin at {} s, and the scene ends at {} s: it stands still",
                body.name, first.time, spec.duration
            );
            issues.push(body.place, what, "begin within the scene's `duration`, or set kind = \"fixed\"");
        }
    }
}

/// Each made once: pairs share it, and the world compares it by where it is.
fn read_responses(top: &Reader<'_>) -> BTreeMap<Response, impinge_world::Response> {
    Response::all().into_iter().filter_map(|r| Some((r, top.response(r)?))).collect()
}

/// The responses of a document.
pub(crate) fn responses(
    document: &Document,
) -> Result<BTreeMap<Response, impinge_world::Response>, SceneError> {
    let issues = Issues::new(document);
    let read = read_responses(&Reader::new(&issues, document.root(), schema::top()));
    issues.into_result().map(|()| read)
}

/// Solids with a boundary of their own, and sheets.
fn can_be_cut(body: &BodySpec) -> bool {
    let shape = match &body.shape {
        Shape::Solid(s) => !matches!(s, SolidSpec::Lattice { .. }),
        Shape::Sheet(_) => true,
        _ => false,
    };
    shape && matches!(body.motion, Motion::Deformable(_))
}

fn read_scene(scene: &Reader<'_>, spec: &mut SceneSpec) {
    spec.title = scene.text("title");
    spec.description = scene.text("description");
    spec.source = scene.text("source");
    spec.gravity = scene.vector("gravity");
    spec.response = scene.word("response", &model::responses());
    spec.halvings = scene.count("halvings");
    spec.accept_unfinished = scene.flag("accept_unfinished");
    spec.integrator = scene.word(
        "integrator",
        &[
            ("symplectic-euler", Integrator::SymplecticEuler),
            ("explicit-euler", Integrator::ExplicitEuler),
            ("implicit-euler", Integrator::ImplicitEuler),
            ("implicit-euler-newton", Integrator::ImplicitEulerNewton),
            ("implicit-midpoint", Integrator::ImplicitMidpoint),
        ],
    );
    let (dt, duration) = (scene.opt_number("dt"), scene.opt_number("duration"));
    spec.dt_suggested = !scene.states("dt");
    // What is measured late is wrong only against a duration that is known.
    spec.duration = duration.unwrap_or(f64::INFINITY);
    if let (Some(dt), Some(duration)) = (dt, duration) {
        spec.dt = dt;
        let steps = duration / dt;
        if steps > MAX_STEPS {
            let what = format!("{duration} s in steps of {dt} s are {steps:.1e} steps");
            let fix = format!("at most {MAX_STEPS:.0e} steps are run: raise `dt` or lower `duration`");
            scene.issues().push(scene.place("dt"), what, fix);
        } else if steps < 1.0 {
            let what = format!("`duration` ({duration} s) is shorter than one step (`dt` = {dt} s)");
            scene.issues().push(scene.place("duration"), what, "lower `dt` or raise `duration`");
        }
    }
}

fn read_record(record: &Reader<'_>, duration: f64) -> RecordSpec {
    const FRAMES: usize = 240;
    if record.states("frames") {
        record.refuse("frame_interval", "stands beside `frames`", "keep one of them");
    }
    let frames = record.opt_integer("frames").unwrap_or(FRAMES);
    let interval = record.opt_number("frame_interval").unwrap_or(duration / frames as f64);
    RecordSpec { frame_interval: interval }
}

fn empty_scene(origin: &Path, base_dir: &Path) -> SceneSpec {
    SceneSpec {
        title: String::new(),
        description: String::new(),
        source: String::new(),
        gravity: Default::default(),
        dt: 1.0,
        dt_suggested: false,
        duration: 1.0,
        integrator: Integrator::SymplecticEuler,
        response: Response::PENALTY,
        halvings: impinge_world::HALVINGS,
        accept_unfinished: false,
        responses: BTreeMap::new(),
        materials: Vec::new(),
        pairs: Vec::new(),
        bodies: Vec::new(),
        rules: Vec::new(),
        actuators: Vec::new(),
        forces: Vec::new(),
        sensors: Vec::new(),
        deformable: impinge_integrators::ElasticSettings::default(),
        cuts: Vec::new(),
        refinements: Vec::new(),
        expectations: Vec::new(),
        not_asked: Vec::new(),
        record: RecordSpec { frame_interval: 1.0 },
        base_dir: base_dir.to_path_buf(),
        origin: origin.to_path_buf(),
        document: Document::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::asked;

    /// Every table of the schema at least once.
    const EVERYTHING: &str = r##"
        scene = { title = "t", dt = 1, duration = 1 }
        material = [{ name = "m", density = 1 }]
        record = { frames = 1 }
        pressure = { friction = "coulomb" }
        rule = [{ bodies = ["a", "b"] }, { bodies = ["w8", "r"], response = "none" }, { bodies = ["w9", "r"], response = "none" }, { bodies = ["w9", "w8"], response = "none" }]
        cut = [{ body = "w1", time = 0, point = [0, 0, 0], normal = [1, 0, 0], min = [0, 0, 0], max = [1, 1, 1] }]
        refine = [{ body = "w1", time = 0, min = [0, 0, 0], max = [1, 1, 1] }]
        actuator = [{ body = "a", axis = "x", force = 1, stiffness = 1, position = 1 }, { body = "a", axis = "ry", damping = 1, velocity = 1, limit = 1 }]
        force = [{ body = "a", force = [0, 0, 1], torque = [0, 0, 1], start = 0, end = 1 }]
        sensor = [{ name = "s", mesh = { box = { size = [1, 1, 1] } }, on = "a", rotation = { axis = [0, 0, 1], degrees = 1 } }]
        expect = [{ name = "e", measure = "finite", min = 1 }, { name = "f", measure = "finite", every_response = true, min = 1 }]
        except = [{ expect = "f", responses = ["qp"], not_asked = "why" }]
        pair = [
            { materials = ["*", "*"], stiffness = 1, damping = { kelvin_voigt = 1 } },
            { materials = ["m", "*"], stiffness_per_area = 1, damping = { hunt_crossley = 1 } },
            { materials = ["m", "m"], stiffness = 1, damping = { restitution = 0.5, law = "hunt-crossley", speed = 1 } },
        ]
        body = [
            { name = "a", material = "m", mesh = { box = { size = [1, 1, 1] } }, pressure = { modulus = 1, solid = { box = { size = [1, 1, 1] } } }, locked = ["y"], anchors = [{ point = [0, 0, 0], to = [0, 0, 0], stiffness = 1 }] },
            { name = "b", material = "m", mesh = { plate = { size = [1, 1], thickness = 0.1 } }, copies = { count = 1, offset = [0, 0, 0] }, color = "#ffffff" },
            { name = "c", material = "m", mesh = { wedge = { size = [1, 1, 1] } }, rotation = { axis = [0, 0, 1], degrees = 1 } },
            { name = "d", material = "m", mesh = { tetrahedron = { edge = 1 } } },
            { name = "e", material = "m", mesh = { l_shape = { size = [1, 1, 1], arm = 0.5 } } },
            { name = "f", material = "m", mesh = { wingnut = { bar = [1, 0.1], stem = [0.1, 1], thickness = 0.1 } } },
            { name = "g", material = "m", mesh = { icosphere = { radius = 1 } } },
            { name = "h", material = "m", mesh = { ellipsoid = { radii = [1, 2, 3] } } },
            { name = "i", material = "m", mesh = { uv_sphere = { radius = 1 } } },
            { name = "j", material = "m", mesh = { cylinder = { radius = 1, height = 1 } } },
            { name = "k", material = "m", mesh = { cone = { radius = 1, height = 1 } } },
            { name = "l", material = "m", mesh = { capsule = { radius = 1, length = 1 } } },
            { name = "m", material = "m", mesh = { torus = { major = 1, minor = 0.5 } }, pressure = { modulus = 1, law = { kind = "bounded", bound = 0.5 } } },
            { name = "n", material = "m", mesh = { chain_link = { half_straight = 1, major = 1, minor = 0.5 } } },
            { name = "o", material = "m", kind = "fixed", mesh = { grid = { size = [1, 1] } } },
            { name = "p", material = "m", kind = "fixed", mesh = { file = { path = "x.obj" } } },
            { name = "q", material = "m", kind = "fixed", plane = {}, pressure = { modulus = 1, thickness = 1 } },
            { name = "r", material = "m", kind = "particles", mass = 1, points = [[0, 0, 0]], anchors = [{ vertex = 0, to = [0, 0, 0], stiffness = 1 }] },
            { name = "s", material = "m", kind = "kinematic", mesh = { tetrahedron = { edge = 1 } }, keyframes = [{ time = 0, position = [0, 0, 0] }, { time = 1, position = [0, 0, 0] }] },
            { name = "t", material = "m", kind = "kinematic", mesh = { tetrahedron = { edge = 1 } }, driver = { sine = { amplitude = [0, 0, 1], frequency = 1 } } },
            { name = "u", material = "m", kind = "kinematic", mesh = { tetrahedron = { edge = 1 } }, driver = { spin = { angular_velocity = [0, 0, 1] } } },
            { name = "w1", material = "m", kind = "deformable", solid = { box = { size = [1, 1, 1] } }, elastic = { young = 1 }, attach = [{ min = [0, 0, 0], max = [1, 1, 1] }] },
            { name = "w2", material = "m", kind = "deformable", solid = { sphere = { radius = 1 } }, elastic = { young = 1 } },
            { name = "w3", material = "m", kind = "deformable", solid = { cylinder = { radius = 1, height = 1 } }, elastic = { young = 1 } },
            { name = "w4", material = "m", kind = "deformable", solid = { capsule = { radius = 1, length = 1 } }, elastic = { young = 1 } },
            { name = "w5", material = "m", kind = "deformable", solid = { torus = { major = 1, minor = 0.5 } }, elastic = { young = 1 } },
            { name = "w6", material = "m", kind = "deformable", solid = { lattice = { cell = 1, surface = { octopus = { span = 1 } } } }, elastic = { young = 1 } },
            { name = "wc", material = "m", kind = "deformable", solid = { lattice = { cell = 1, surface = { dragon = { span = 1 } } } }, elastic = { young = 1 } },
            { name = "wd", material = "m", kind = "fixed", mesh = { bucket = { bottom_radius = 1, rim_radius = 2, height = 1, thickness = 0.1 } } },
            { name = "wi", material = "m", kind = "fixed", mesh = { mug = { radius = 1, height = 2, thickness = 0.1 } } },
            { name = "wj", material = "m", kind = "fixed", mesh = { spoon = { radius = 1, length = 8, bowl = [6, 4], depth = 1, thickness = 0.2 } } },
            { name = "we", material = "m", kind = "fixed", mesh = { bolt = { radius = 1, pitch = 0.5, depth = 0.2, length = 2, socket = 0.5, socket_depth = 1, stacks = 32 } } },
            { name = "wf", material = "m", kind = "fixed", mesh = { nut = { radius = 1, pitch = 0.5, depth = 0.2, outer = 2, length = 1, stacks = 16 } } },
            { name = "w7", material = "m", kind = "deformable", solid = { file = { path = "x.vtk" } }, elastic = { young = 1 } },
            { name = "w8", material = "m", kind = "deformable", sheet = { grid = { size = [1, 1] } }, cloth = { young = 1, thickness = 1 } },
            { name = "w9", material = "m", kind = "deformable", line = [[0, 0, 0], [1, 0, 0]], cable = { young = 1, radius = 1 }, strain_limit = { upper = 0.1, lower = 0.1 } },
            { name = "wb", material = "m", kind = "fixed", mesh = { bowl = { radius = 1, thickness = 0.1 } } },
            { name = "wg", material = "m", kind = "fixed", mesh = { height_field = { size = [1, 1], heights = [[0, 0], [0, 0]] } } },
            { name = "wh", material = "m", kind = "fixed", mesh = { height_field = { size = [1, 1], path = "heights.txt" } } },
            { name = "v", material = "m", kind = "kinematic", mesh = { tetrahedron = { edge = 1 } }, driver = { constant_velocity = { velocity = [0, 0, 1] } } },
        ]
    "##;

    fn everything() -> SceneSpec {
        let text = EVERYTHING.replace("[\"a\", \"b\"]", "[\"a\", \"b-0\"]");
        SceneSpec::from_str(&text, Path::new("everything.toml")).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What is wrong is told once: nothing is said to be missing, or to fit badly, because its value is wrong.
    #[test]
    fn a_wrong_value_is_one_problem() {
        let spec = everything();
        let mut told = Vec::new();
        // No key takes a date.
        for key in spec.stated().keys() {
            let e = spec.clone().set(key, "1979-05-27").expect_err(key);
            if e.issues().len() > 1 {
                told.push(format!("{key}: {e}"));
            }
        }
        assert!(told.is_empty(), "{}", told.join("\n\n"));
    }

    /// All but the tables of responses, which `impinge_world` looks at.
    fn sections() -> Vec<&'static schema::Section> {
        let of_response = |s: &&schema::Section| Response::ALL.iter().any(|r| r.section.title == s.title);
        schema::sections().into_iter().filter(|s| !of_response(s)).collect()
    }

    /// A key that stands in the schema but that nothing reads would be dropped in silence.
    #[test]
    fn every_key_of_the_schema_is_read() {
        asked::take();
        // A rule against another law of restitution asks for what the first does not.
        everything();
        let asked = asked::take();
        let missing: Vec<String> = sections()
            .iter()
            .flat_map(|s| s.keys.iter().map(move |k| (s.title.to_string(), k.name.to_string())))
            .filter(|key| !asked.contains(key))
            .map(|(section, key)| format!("{section} {key}"))
            .collect();
        assert!(missing.is_empty(), "never read: {missing:?}");
    }

    /// A word of the schema that the reader has no meaning for would be taken for another.
    #[test]
    fn every_word_of_the_schema_has_a_meaning() {
        asked::take_words();
        everything();
        let read = asked::take_words();
        for section in sections() {
            for key in section.keys {
                let words = key.kind.choices();
                if words.is_empty() {
                    continue;
                }
                let name = (section.title.to_string(), key.name.to_string());
                // What a body is decides which of its keys are read.
                if key.name == "kind" && section.title == "[[body]]" {
                    continue;
                }
                let words: std::collections::BTreeSet<String> =
                    words.iter().map(|(word, _)| word.to_string()).collect();
                assert_eq!(read.get(&name), Some(&words), "{name:?}");
            }
        }
    }

    #[test]
    fn every_default_of_the_schema_is_legal() {
        for section in schema::sections() {
            for key in section.keys {
                if let crate::schema::Absent::Default(text) = key.absent {
                    let text = format!("x = {text}");
                    let document = Document::parse(&text, "default").unwrap();
                    let crate::document::Value::Table(entries) = &document.root().value else {
                        panic!("a table")
                    };
                    let checked = crate::values::check(key, &entries[0].node);
                    assert!(checked.is_ok(), "{} {}: {checked:?}", section.title, key.name);
                }
            }
        }
    }

    /// The cap on triangles is decided before a mesh is built, from the same count as the generator's.
    #[test]
    fn triangle_counts_are_known_beforehand() {
        let scene = everything();
        for body in &scene.bodies {
            let crate::Shape::Mesh(mesh) = &body.shape else { continue };
            let Some(count) = mesh.triangles() else { continue };
            let built = crate::build_mesh(mesh, Path::new("")).unwrap();
            assert_eq!(built.triangles().len(), count, "{mesh:?}");
        }
    }
}
