//! Section 5.4 of "Continuous penalty forces": a tangle that local feature pairs cannot undo.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use super::series::scene;
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, TriMesh};
use impinge_meshing::self_intersections;
use impinge_scene::SceneSpec;
use impinge_world::{NodeState, Shapes, Simulation};

/// The figure of the section, which the paper states in words.
pub const FIGURES: &[Entry] = &[("tangled", tangled)];

/// How far up the ribbon starts when it is not tangled (m): above the cloth.
const APART: &str = "[0.0, 0.0, 0.15]";

/// Pairs of triangles that cross, of all deformable bodies together: decided exactly, and without knowing of contacts.
fn crossings(sim: &Simulation) -> Result<usize, String> {
    let (shapes, map, nodes) =
        (sim.column::<Shapes>(), sim.column::<SurfaceMap>(), sim.column::<NodeState>());
    let (mut positions, mut triangles) = (Vec::<DVec3>::new(), Vec::new());
    for (body, shape) in shapes.0.iter().enumerate() {
        let Some(mesh) = shape.triangles().filter(|_| !sim.nodes_of(body as u32).is_empty()) else {
            continue;
        };
        let first = positions.len() as u32;
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        positions.extend(map.range(body).filter_map(|v| map.at_nodes(v as u32, &nodes.x)));
    }
    let mesh = TriMesh::new(positions, triangles).map_err(|e| e.to_string())?;
    Ok(self_intersections(&mesh).len())
}

fn count(spec: &SceneSpec) -> Result<(Vec<(f64, f64)>, usize), String> {
    let mut sim = spec.simulation_with(spec.response).map_err(|e| e.to_string())?;
    let mut out = vec![(0.0, crossings(&sim)? as f64)];
    let mut contacts = 0;
    for n in 1..=spec.steps() {
        sim.step().map_err(|e| e.to_string())?;
        contacts = contacts.max(sim.ledger().pairs.contacts.iter().sum::<u32>() as usize);
        if n % 10 == 0 {
            out.push((sim.time(), crossings(&sim)? as f64));
        }
    }
    Ok((out, contacts))
}

fn tangled(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (through, contacts) = count(&scene("tangled-cpf", fixtures, &[])?)?;
    let (above, others) = count(&scene("tangled-cpf", fixtures, &[("body.ribbon.position", APART)])?)?;
    let range = |c: &[(f64, f64)]| {
        let (lo, hi) = c.iter().fold((f64::INFINITY, 0.0_f64), |(lo, hi), p| (lo.min(p.1), hi.max(p.1)));
        format!(
            "{} at the start, {} at the end, {} to {} between",
            short(c[0].1),
            short(c[c.len() - 1].1),
            lo,
            hi
        )
    };
    Ok(Figure {
        id: "tangled",
        title: "Section 5.4: a ribbon that starts half through a cloth",
        paper: "The method computes local depths only and may not resolve all tangled scenarios.",
        ours: format!(
            "The limit is there. Pairs of triangles that cross, by an exact test that knows of no contact:\nribbon half through \
             the cloth: {}; up to {contacts} contacts\nthe same ribbon from above: {}; up to {others} contacts\nNo weight; the \
             ribbon moves down at 0.5 m/s. Pairs that cross at the start have never met, so nothing says which side is the right one, and \
             contacts that the motion makes hold both halves where they are.",
            range(&through),
            range(&above)
        ),
        x: "t [s]",
        y: "crossing pairs [1]",
        log: false,
        room: None,
        curves: vec![
            Curve { name: "half through".into(), points: through },
            Curve { name: "from above".into(), points: above },
        ],
    })
}
