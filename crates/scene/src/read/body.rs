//! Bodies: shape, mass, motion, anchors and copies, each key only where it has an effect.

mod driver;
mod groups;

use crate::reader::Reader;
use crate::spec::{
    AnchorSpec, BodySpec, DriverSpec, Mass, MaterialSpec, Motion, ParticleMotion, RigidMotion, Shape,
};
use crate::{mesh, suggest, values};
use driver::driver;
use impinge_geometry::{DRotor3, DVec3, Pose, is_finite, rotor_from_rotation_vector};
use impinge_world::Groups;

/// More bodies than this are refused before memory is asked for them.
const MAX_BODIES: usize = 100_000;

/// More particles than this in the copies of one body.
const MAX_POINTS: usize = 10_000_000;

/// The bodies of a file, and the groups of its sensors: they share the names.
pub(super) fn bodies(
    top: &Reader<'_>,
    sensors: &[Reader<'_>],
    materials: &[MaterialSpec],
) -> (Vec<BodySpec>, Vec<Groups>) {
    let tables = top.tables("body");
    if top.list_len("body") == Some(0) {
        top.issues().push(
            top.place("body"),
            "the scene has no body",
            "add a [[body]] with a name, a material and a shape",
        );
    }
    let mut out: Vec<BodySpec> = Vec::new();
    let mut groups = groups::of_all(&tables, sensors, top.issues());
    let mut seen = std::collections::BTreeSet::new();
    let mut replaceable = false;
    for (base, table) in tables.iter().enumerate() {
        let first = BodySpec { groups: groups[base], ..one(table, materials, base) };
        if first.replaceable && std::mem::replace(&mut replaceable, true) {
            table.issues().push(
                table.place("replaceable"),
                "a second body is `replaceable`; the command line gives one mesh",
                "mark one body",
            );
        }
        let before = out.len();
        add_copies(table, first, &mut out);
        for body in &out[before..] {
            if !body.name.is_empty() && !seen.insert(body.name.clone()) {
                let what = format!("there are two bodies `{}`", body.name);
                table.issues().push(table.place("name"), what, "give each its own name");
                break;
            }
        }
    }
    (out, groups.split_off(tables.len()))
}

fn add_copies(table: &Reader<'_>, first: BodySpec, out: &mut Vec<BodySpec>) {
    let Some(copies) = table.table("copies") else {
        out.push(first);
        return;
    };
    let (count, offset) = (copies.integer("count"), copies.vector("offset"));
    // Told before the memory is asked for.
    let points = if let Shape::Points(points) = &first.shape { points.len() } else { 0 };
    if out.len() + count > MAX_BODIES || points.saturating_mul(count) > MAX_POINTS {
        let what = format!(
            "{count} copies are too many: a scene has at most {MAX_BODIES} bodies and {MAX_POINTS} particles"
        );
        copies.issues().push(copies.place("count"), what, "lower `count`");
        out.push(first);
        return;
    }
    let turned = turn(copies.table("turn"));
    if matches!(first.shape, Shape::Plane { .. }) {
        table.refuse("copies", "does not apply to a plane", "write each plane as a body of its own");
    }
    let farthest = first.pose.position + offset * count as f64;
    if !is_finite(farthest) {
        let what = format!("{count} copies at this distance lead beyond the largest number");
        copies.issues().push(copies.place("offset"), what, "give a smaller `offset` in metres");
        out.push(first);
        return;
    }
    for i in 0..count {
        let shift = offset * i as f64;
        let turn = turned(i as f64);
        let mut body = first.clone();
        body.name = format!("{}-{i}", first.name);
        body.pose = moved(&first.pose, shift, turn);
        match &mut body.motion {
            Motion::Rigid(m) => m.anchors.iter_mut().for_each(|a| a.to += shift),
            Motion::Particles(m) => m.anchors.iter_mut().for_each(|a| a.to += shift),
            Motion::Kinematic(DriverSpec::Keyframes(frames)) => {
                frames.iter_mut().for_each(|f| f.pose = moved(&f.pose, shift, turn));
            }
            Motion::Kinematic(_) | Motion::Fixed | Motion::Deformable(_) => {}
        }
        out.push(body);
    }
}

fn moved(pose: &Pose, shift: DVec3, turn: DRotor3) -> Pose {
    Pose::new(pose.position + shift, pose.rotation * turn)
}

fn one(table: &Reader<'_>, materials: &[MaterialSpec], base: usize) -> BodySpec {
    let kind = kind(table);
    let material = material(table, materials);
    let (shape, place) = shape(table, &kind);
    let turned = turn(table.table("rotation"))(1.0);
    let mut pose = Pose::new(table.vector("position"), turned);
    refuse_idle_keys(table, &kind, &shape);
    let motion = match kind.as_str() {
        "fixed" => Motion::Fixed,
        "kinematic" => Motion::Kinematic(driver(table)),
        "particles" => Motion::Particles(particles(table, &shape)),
        "deformable" => Motion::Deformable(crate::soft::motion(table, &shape, materials.get(material))),
        _ => Motion::Rigid(rigid(table, materials.get(material))),
    };
    if let Motion::Kinematic(DriverSpec::Keyframes(frames)) = &motion
        && let Some(first) = frames.first()
    {
        pose = first.pose;
    }
    let replaceable = table.flag("replaceable");
    if replaceable && !matches!(shape, Shape::Mesh(_)) {
        table.refuse("replaceable", "needs a body with a mesh", "take it out");
    }
    let pressure = crate::pressure::read(table, &shape);
    BodySpec {
        name: table.text("name"),
        shape,
        material,
        motion,
        pose,
        pressure,
        thickness: table.opt_number("thickness"),
        surface_velocity: groups::surface(table, &kind),
        groups: Groups::default(),
        color: table.opt_text("color").and_then(|t| values::color(&t)),
        replaceable,
        place,
        material_place: table.place("material"),
        base,
    }
}

/// What a body is; what its other keys say it is, where that is not told rightly: they would all be refused.
fn kind(table: &Reader<'_>) -> String {
    let states = |keys: &[&str]| keys.iter().any(|key| table.states(key));
    let kind = match table.is_bad("kind") {
        false => return table.text("kind"),
        true if states(&["points"]) => "particles",
        true if states(&["keyframes", "driver"]) => "kinematic",
        true if states(&["solid", "sheet", "line", "elastic", "cloth", "cable"]) => "deformable",
        true if states(&IDLE_UNMOVED) => "rigid",
        true => "fixed",
    };
    kind.to_string()
}

fn material(table: &Reader<'_>, materials: &[MaterialSpec]) -> usize {
    let Some(name) = table.opt_text("material") else { return 0 };
    materials.iter().position(|m| m.name == name).unwrap_or_else(|| {
        let known: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
        let fix = if known.is_empty() {
            format!("the file has none: add [[material]] name = \"{name}\"")
        } else {
            suggest::did_you_mean(&name, &known, "the materials are")
        };
        table.issues().push(table.place("material"), format!("there is no material `{name}`"), fix);
        0
    })
}

fn shape(table: &Reader<'_>, kind: &str) -> (Shape, crate::document::Place) {
    let one = table.exactly_one(&["mesh", "plane", "points", "solid", "sheet", "line"]);
    let wrong = |key: &str, fix: &str| {
        let what = format!("a {kind} body cannot be given by `{key}`");
        table.issues().push(table.key_place(key), what, fix);
    };
    let shape = match one {
        Some("plane") => {
            if kind != "fixed" && !kind.is_empty() {
                wrong("plane", "add `kind = \"fixed\"`, or use a mesh");
            }
            let plane = table.table("plane");
            Shape::Plane {
                normal: plane.as_ref().map_or_else(DVec3::unit_z, |p| p.direction("normal")),
                offset: plane.as_ref().map_or(0.0, |p| p.number("offset")),
            }
        }
        Some("points") => {
            if kind != "particles" && !kind.is_empty() {
                wrong("points", "add `kind = \"particles\"`, or use a mesh");
            }
            Shape::Points(table.points("points"))
        }
        Some(key @ ("solid" | "sheet" | "line")) => {
            if kind != "deformable" && !kind.is_empty() {
                wrong(key, "add `kind = \"deformable\"`, or use a mesh");
            }
            match key {
                "solid" => Shape::Solid(
                    table.table(key).map_or(crate::spec::SolidSpec::Sphere { radius: 1.0, rings: 1 }, |t| {
                        crate::soft::solid(&t)
                    }),
                ),
                "sheet" => {
                    Shape::Sheet(table.table(key).map_or_else(mesh::MeshSpec::stand_in, |m| mesh::read(&m)))
                }
                _ => Shape::Line(table.points(key)),
            }
        }
        Some(_) => {
            if kind == "deformable" {
                wrong(
                    "mesh",
                    "a deformable body is a `solid`, a `sheet` or a `line`; a closed mesh can be carried by `solid.lattice`",
                );
            }
            if kind == "particles" {
                wrong(
                    "mesh",
                    "particles are given by `points`; for a mesh choose \"rigid\", \"kinematic\" or \"fixed\"",
                );
            }
            Shape::Mesh(table.table("mesh").map_or_else(mesh::MeshSpec::stand_in, |m| mesh::read(&m)))
        }
        None => Shape::Points(Vec::new()),
    };
    (shape, one.map_or_else(|| table.place("name"), |key| table.place(key)))
}

/// Keys of bodies that forces move.
const IDLE_UNMOVED: [&str; 8] =
    ["mass", "density", "velocity", "angular_velocity", "linear_drag", "angular_drag", "anchors", "locked"];

/// A key without effect is refused: whoever wrote it expected one.
fn refuse_idle_keys(table: &Reader<'_>, kind: &str, shape: &Shape) {
    let refuse = |keys: &[&str], what: &str, fix: &str| {
        for key in keys {
            table.refuse(key, what, fix);
        }
    };
    match kind {
        "fixed" => {
            refuse(&IDLE_UNMOVED, "has no effect on a fixed body", "take it out, or make the body \"rigid\"")
        }
        "kinematic" => refuse(
            &IDLE_UNMOVED,
            "has no effect on a kinematic body, which moves as `keyframes` or `driver` say",
            "take it out, or make the body \"rigid\"",
        ),
        "deformable" => refuse(
            &["mass", "angular_drag", "anchors", "locked"],
            "has no effect on a deformable body",
            "take it out; its mass comes from `density`, and `attach` holds it",
        ),
        "particles" => refuse(
            &["density", "angular_velocity", "angular_drag", "locked"],
            "has no effect on particles, which have neither volume nor rotation",
            "take it out; `mass` is the mass of all points together",
        ),
        _ => {}
    }
    if kind != "deformable" {
        refuse(
            &["elastic", "cloth", "cable", "attach", "self_contact", "strain_limit"],
            "belongs to deformable bodies",
            "take it out, or set kind = \"deformable\"",
        );
    }
    if kind != "kinematic" {
        refuse(
            &["keyframes", "driver"],
            "moves kinematic bodies only",
            "take it out, or set kind = \"kinematic\"",
        );
    }
    if matches!(shape, Shape::Plane { .. }) {
        refuse(&["position", "rotation"], "does not move a plane", "place it by its `normal` and `offset`");
    }
    if table.states("keyframes") {
        refuse(&["position", "rotation"], "is taken from `keyframes`", "take it out");
    }
}

fn rigid(table: &Reader<'_>, material: Option<&MaterialSpec>) -> RigidMotion {
    if table.states("mass") {
        table.refuse("density", "stands beside `mass`", "keep one of them");
    }
    let mass = match (table.if_stated("mass"), table.if_stated("density")) {
        (Some(mass), _) => Mass::Total(mass),
        (None, Some(density)) => Mass::Density(density),
        (None, None) => match material.and_then(|m| m.density) {
            Some(density) => Mass::Density(density),
            None => {
                if let Some(m) = material {
                    let what = format!("a rigid body needs a mass, and `{}` has no density", m.name);
                    let fix =
                        "add `mass = …` (kg) or `density = …` (kg/m³) here, or `density` to the material";
                    table.issues().push(table.place("material"), what, fix);
                }
                Mass::Total(1.0)
            }
        },
    };
    let anchors = anchors(table, "point", "vertex", "a rigid body", |t| t.opt_vector("point"));
    RigidMotion {
        mass,
        velocity: table.vector("velocity"),
        angular_velocity: table.vector("angular_velocity"),
        linear_drag: table.number("linear_drag"),
        angular_drag: table.number("angular_drag"),
        locked: super::actuator::locked(table),
        anchors,
    }
}

fn particles(table: &Reader<'_>, shape: &Shape) -> ParticleMotion {
    if !table.states("mass") {
        table.issues().push(
            table.place("points"),
            "particles need a mass",
            "add `mass = …` (kg), the mass of all points together",
        );
    }
    let count = if let Shape::Points(points) = shape { points.len() } else { 0 };
    let anchors = anchors(table, "vertex", "point", "particles", |t| {
        let vertex = t.opt_integer("vertex")?;
        if count > 0 && vertex >= count {
            let what = format!("`vertex` is {vertex}, but there are {count} points");
            t.issues().push(t.place("vertex"), what, format!("write a number from 0 to {}", count - 1));
        }
        Some(vertex)
    });
    ParticleMotion {
        mass: table.number("mass"),
        velocity: table.vector("velocity"),
        linear_drag: table.number("linear_drag"),
        anchors,
    }
}

fn anchors<At>(
    table: &Reader<'_>,
    key: &str,
    other: &str,
    whom: &str,
    at: impl Fn(&Reader<'_>) -> Option<At>,
) -> Vec<AnchorSpec<At>> {
    let mut out = Vec::new();
    for anchor in table.tables("anchors") {
        anchor.refuse(other, &format!("does not hold {whom}"), &format!("use `{key}`"));
        if !anchor.states(key) && !anchor.states(other) {
            let what = format!("this anchor does not say where it holds {whom}");
            anchor.issues().push(anchor.place(key), what, format!("add `{key} = …`"));
        }
        let Some(at) = at(&anchor) else { continue };
        out.push(AnchorSpec {
            at,
            to: anchor.vector("to"),
            stiffness: anchor.number("stiffness"),
            damping: anchor.number("damping"),
            rest_length: anchor.number("rest_length"),
        });
    }
    out
}

/// A turn given as axis and degrees; none when the table is absent.
pub(super) fn turn(table: Option<Reader<'_>>) -> impl Fn(f64) -> DRotor3 {
    // Whole turns are none, and the square of an enormous angle is no number.
    let turn = |t: Reader<'_>| t.direction("axis") * (t.number("degrees") % 360.0).to_radians();
    let vector = table.map(turn).unwrap_or_default();
    move |times| rotor_from_rotation_vector(vector * times)
}
