//! Fig. 7 of "Volume Contact Constraints at Arbitrary Resolution" (seed 002): a snake pulled sideways.
//!
//! The paper gives neither sizes nor how the snake is pulled; the scene is that of the example `snake` of impinge-world. The reference, the
//! paper's "classical penetration-based approach", is contact by points: the response `qp`.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use super::seed_002::{contacts, own};
use impinge_geometry::DVec3;
use impinge_scene::Response;
use impinge_world::{NodeState, VolumeReport, worst as larger};
use std::sync::OnceLock;

/// The figure's picture, its table, and what slides how fast.
pub const FIGURES: &[Entry] = &[
    ("ldi-fig-7", |_: Fixtures<'_>| shape()),
    ("ldi-fig-7-table", |_: Fixtures<'_>| table()),
    ("ldi-fig-7-slide", |_: Fixtures<'_>| slide()),
];

/// The table of Fig. 7: contacts, average and maximum error (%).
const FIG_7: [(u32, f64, f64); 6] = [
    (1, 26.21, 61.30),
    (4, 3.47, 9.94),
    (7, 3.85, 6.58),
    (12, 0.40, 0.83),
    (20, 0.25, 0.46),
    (40, 0.18, 0.35),
];

/// Where the snake ended and how it got there.
struct Dragged {
    /// Nodes at the start and at the end (m).
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    contacts: u32,
    unfinished: u32,
    /// Speed over the floor (m/s) of its lower side by distance from the tail (m), at [`LOOK`].
    speed: Vec<(f64, f64)>,
}

/// When it is looked at how fast each part slides (s): the grip has been under way for as long as it takes to gather speed.
const LOOK: f64 = 0.3;

fn drag(response: Response, cell: Option<f64>, seconds: f64) -> Result<Dragged, String> {
    let duration = format!("{seconds:?}");
    let mut keys = vec![("scene.duration", duration.as_str())];
    let cell = cell.map(|c| format!("{c:?}"));
    // The paper's: a pair, or a cell, is one contact, and its walls.
    keys.push(("volume.by_place", "false"));
    keys.extend(cell.iter().flat_map(|c| [("volume.cell", c.as_str()), ("volume.walls", "shared")]));
    let spec = own(include_str!("snake.toml"), &keys)?;
    let mut sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
    let snake = sim.slot("snake").ok_or("no snake")?;
    let nodes = sim.nodes_of(snake);
    let start = sim.column::<NodeState>().x[nodes.clone()].to_vec();
    let (mut contacts, mut unfinished, mut speed) = (0, 0, Vec::new());
    for _ in 0..spec.steps() {
        sim.step().map_err(|e| e.to_string())?;
        let r = sim.get_column::<VolumeReport>().map_or_else(Default::default, |r| *r);
        contacts = contacts.max(r.cells);
        unfinished += r.unfinished;
        if speed.is_empty() && sim.time() > LOOK - 1e-9 {
            let v = &sim.column::<NodeState>().v[nodes.clone()];
            let side = lower_side(&start).into_iter();
            speed = side.map(|n| (start[n].x - start[0].x, v[n].x.hypot(v[n].y))).collect();
        }
    }
    let end = sim.column::<NodeState>().x[nodes].to_vec();
    Ok(Dragged { start, end, contacts, unfinished, speed })
}

/// Distances in the plane over the snake's length of 1 m: mean and largest (%).
fn errors(a: &[DVec3], b: &[DVec3]) -> [f64; 2] {
    let far = |(a, b): (&DVec3, &DVec3)| 100.0 * (a.x - b.x).hypot(a.y - b.y);
    let all: Vec<f64> = a.iter().zip(b).map(far).collect();
    [all.iter().sum::<f64>() / all.len() as f64, all.into_iter().fold(0.0, larger)]
}

/// Nodes of the lower edge of one side, from tail to head.
fn lower_side(start: &[DVec3]) -> Vec<usize> {
    let low = start.iter().fold(DVec3::broadcast(f64::INFINITY), |m, p| m.min_by_component(*p));
    let mut side: Vec<usize> =
        (0..start.len()).filter(|&n| start[n].y < low.y + 1e-6 && start[n].z < low.z + 1e-6).collect();
    side.sort_by(|&a, &b| start[a].x.total_cmp(&start[b].x));
    side
}

/// Where that edge is at the end.
fn line(d: &Dragged) -> Vec<(f64, f64)> {
    lower_side(&d.start).into_iter().map(|n| (d.end[n].x, d.end[n].y)).collect()
}

/// The reference, contact by points, and the runs by cell size, coarse to fine.
type Snakes = (Dragged, Vec<Dragged>);

fn snakes(seconds: f64, parts: &[u32]) -> Result<Snakes, String> {
    let reference = drag(Response::QP, None, seconds)?;
    let cell = |p: u32| (p > 0).then(|| 1.0 / f64::from(p));
    let runs = parts.iter().map(|p| drag(Response::VOLUME, cell(*p), seconds));
    Ok((reference, runs.collect::<Result<_, _>>()?))
}

/// All of them, once for both figures.
fn all_snakes() -> Result<&'static Snakes, String> {
    static ALL: OnceLock<Result<Snakes, String>> = OnceLock::new();
    ALL.get_or_init(|| snakes(2.4, &[0, 2, 4, 8, 16])).as_ref().map_err(Clone::clone)
}

/// The runs with their names, the reference last.
fn named() -> Result<Vec<(String, &'static Dragged)>, String> {
    let (reference, runs) = all_snakes()?;
    let mut out: Vec<_> = runs.iter().map(|d| (contacts(d.contacts), d)).collect();
    out.push(("contact by points".to_string(), reference));
    Ok(out)
}

/// The pictures: where the snake ends.
fn shape() -> Result<Figure, String> {
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (name, d) in named()? {
        let tail = d.end.iter().zip(&d.start).min_by(|a, b| a.1.x.total_cmp(&b.1.x));
        let way = tail.map_or(f64::NAN, |(e, s)| (*e - *s).mag());
        said += &format!("{name}: the tail has moved by {} m\n", short(way));
        curves.push(Curve { name, points: line(d) });
    }
    Ok(Figure {
        id: "ldi-fig-7",
        title: "Seed 002, Fig. 7: a snake pulled sideways, by the number of contacts",
        paper: "With one contact it spins about the contact's centre, about its middle; with many it gently comes to a stable bent shape. No \
                sizes; how it is \
                pulled is not said.",
        ours: format!(
            "One side of it from above at the end of the run, by the most contacts at once:\n{said}Here it is a bar of 1 m by 6 cm whose head a \
             grip draws along a quarter of an ellipse, half-axes 0.25 and 0.5 m."
        ),
        x: "x [m]",
        y: "y [m]",
        log: false,
        room: None,
        curves,
    })
}

/// How fast each part slides while the grip moves.
fn slide() -> Result<Figure, String> {
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (name, d) in named()? {
        let at = |part: f64| {
            let near = (d.speed.iter()).min_by(|a, b| (a.0 - part).abs().total_cmp(&(b.0 - part).abs()));
            near.map_or(f64::NAN, |p| p.1)
        };
        said += &format!("{name}: {:.1e}, {:.1e} and {:.1e} m/s\n", at(0.0), at(0.5), at(1.0));
        curves.push(Curve { name, points: d.speed.clone() });
    }
    Ok(Figure {
        id: "ldi-fig-7-slide",
        title: "Seed 002, Fig. 7: how fast each part of the snake slides",
        paper: "A part of the snake slides while the other sticks; one contact can only do one of the two.",
        ours: format!(
            "Speed over the floor at {LOOK} s (the grip starts at 0.1 s), at the tail, in the middle and at the head:\n{said}"
        ),
        x: "distance from the tail at rest [m]",
        y: "speed [m/s]",
        log: true,
        room: None,
        curves,
    })
}

/// The table: distance from contact by points, by the number of contacts.
fn table() -> Result<Figure, String> {
    let (reference, runs) = all_snakes()?;
    let mut said = String::new();
    let mut ours: [Vec<(f64, f64)>; 2] = Default::default();
    for d in runs {
        let e = errors(&d.end, &reference.end);
        (0..2).for_each(|k| ours[k].push((f64::from(d.contacts), e[k])));
        let short_of =
            if d.unfinished > 0 { format!("; {} solves cut short", d.unfinished) } else { String::new() };
        said += &format!("{}: {} / {} %{short_of}\n", contacts(d.contacts), short(e[0]), short(e[1]));
    }
    let paper = |of: fn(&(u32, f64, f64)) -> f64| FIG_7.iter().map(|r| (f64::from(r.0), of(r))).collect();
    let [mean, most] = ours;
    Ok(Figure {
        id: "ldi-fig-7-table",
        title: "Seed 002, Fig. 7, the table: error by the number of contacts",
        paper: "Average and maximum distance from classical contact, over the length: 26.21 / 61.30 % with one contact, 3.47 / 9.94 with 4, \
                3.85 / 6.58 with 7, 0.40 / 0.83 with \
                12, 0.25 / 0.46 with 20, 0.18 / 0.35 with 40.",
        ours: format!(
            "Distance of the nodes at the end from where contact by points (the response qp) leaves them, mean and largest:\n{said}Another \
             snake pulled in another way: only \
             the order can be compared. Times of Table 1 are not: `cargo xtask bench volume` prints its columns for scenes of ours."
        ),
        x: "contacts [1]",
        y: "distance / length [%]",
        log: true,
        room: None,
        curves: vec![
            Curve { name: "here, mean".into(), points: mean },
            Curve { name: "here, largest".into(), points: most },
            Curve { name: "the paper, average".into(), points: paper(|r| r.1) },
            Curve { name: "the paper, maximum".into(), points: paper(|r| r.2) },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_contact_turns_where_many_bend() {
        let (reference, runs) = snakes(1.0, &[0, 8]).unwrap();
        let [one, many] = [&runs[0], &runs[1]].map(|d| errors(&d.end, &reference.end));
        println!("one {one:?} %, {} contacts {many:?} %", runs[1].contacts);
        assert_eq!(runs[0].contacts, 1);
        assert!(runs[1].contacts > 8 && many[0] < 0.2 * one[0], "{one:?} {many:?}");
        // The line goes from tail to head, as long as the snake was.
        let l = line(&reference);
        let length: f64 = l.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum();
        assert!((length - 1.0).abs() < 0.05, "{length} m");
    }
}
