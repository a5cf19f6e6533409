//! What a scene says about deformables besides the bodies: how implicit steps are solved, and what is cut or made finer when.

use crate::reader::Reader;
use crate::suggest;
use impinge_geometry::DVec3;
use impinge_integrators::{ElasticSettings, Method};

/// A cut through a deformable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSpec {
    /// Index into [`crate::SceneSpec::bodies`].
    pub body: usize,
    /// Before the step that starts then (s).
    pub time: f64,
    /// A point of the plane (m, world).
    pub point: DVec3,
    /// Across the plane; unit.
    pub normal: DVec3,
    /// Lowest and highest corner of the region that is cut (m, world); `None` for the whole body.
    pub within: Option<[DVec3; 2]>,
    /// How near to a node the plane may pass before the cut goes through it, as a fraction of the edge.
    pub snap: f64,
}

/// A finer mesh of a deformable from some time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefineSpec {
    /// Index into [`crate::SceneSpec::bodies`].
    pub body: usize,
    /// Before the step that starts then (s).
    pub time: f64,
    /// Lowest and highest corner of the region that is refined (m, world); `None` for the whole body.
    pub within: Option<[DVec3; 2]>,
}

/// Reads `[deformable]`.
pub(crate) fn solve(table: &Reader<'_>) -> ElasticSettings {
    ElasticSettings {
        method: table.word(
            "solver",
            &[
                ("auto", None),
                ("dense", Some(Method::Dense)),
                ("ssor", Some(Method::Ssor)),
                ("two-level", Some(Method::TwoLevel)),
                ("block-jacobi", Some(Method::BlockJacobi)),
            ],
        ),
        tolerance: table.number("tolerance"),
        max_iterations: table.count("max_iterations"),
        newton_tolerance: table.number("newton_tolerance"),
        newton_max: table.count("newton_max"),
    }
}

/// Reads the `[[cut]]` tables; `changeable` says of each body whether its elements can be changed; the scene ends at
/// `duration` (s).
pub(crate) fn cuts(
    tables: &[Reader<'_>],
    (names, duration): (&[String], f64),
    changeable: &[bool],
) -> Vec<CutSpec> {
    let mut out = Vec::new();
    for t in tables {
        let (point, normal, snap) = (t.vector("point"), t.direction("normal"), t.number("snap"));
        if snap > 0.5 {
            t.issues().push(t.place("snap"), format!("`snap` is {snap}"), "give 0 to 0.5");
        }
        if let Some((body, time, within)) = change(t, (names, duration), changeable, "cut") {
            out.push(CutSpec { body, time, point, normal, within, snap });
        }
    }
    out
}

/// Reads the `[[refine]]` tables, as [`cuts`].
pub(crate) fn refinements(
    tables: &[Reader<'_>],
    named: (&[String], f64),
    changeable: &[bool],
) -> Vec<RefineSpec> {
    let of = |t: &Reader<'_>| {
        let (body, time, within) = change(t, named, changeable, "refine")?;
        Some(RefineSpec { body, time, within })
    };
    tables.iter().filter_map(of).collect()
}

type Region = Option<[DVec3; 2]>;

/// Body, time and region of a change; `what` is done to the body.
fn change(
    t: &Reader<'_>,
    (names, duration): (&[String], f64),
    changeable: &[bool],
    what: &str,
) -> Option<(usize, f64, Region)> {
    let name = t.text("body");
    let (min, max) = (t.opt_vector("min"), t.opt_vector("max"));
    if t.states("min") != t.states("max") {
        let key = if t.states("min") { "min" } else { "max" };
        let fix = "give both corners of the region, or none";
        t.issues().push(t.place(key), format!("`{key}` stands alone"), fix);
    }
    let Some(body) = names.iter().position(|n| *n == name) else {
        if t.states("body") && !t.is_bad("body") {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let fix = suggest::did_you_mean(&name, &known, "the bodies are");
            t.issues().push(t.place("body"), format!("no body is called `{name}`"), fix);
        }
        return None;
    };
    if !changeable[body] {
        let done = if what == "cut" { "cut" } else { "refined" };
        let fix = format!("{what} a deformable `solid` other than a lattice, or a `sheet`");
        t.issues().push(t.place("body"), format!("`{name}` cannot be {done}"), fix);
    }
    t.refuse_late("time", duration);
    Some((body, t.number("time"), min.zip(max).map(|(a, b)| [a, b])))
}
