//! From a simulation to the data of the page: what is drawn is what the ledger booked, and recording changes no bit.
#![cfg(feature = "world")]

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_report::*;
use impinge_world::{
    BodyDesc, Mass, Measurement, PressureField, PressureReport, QpReport, Response, Simulation,
    VolumeSettings,
};
use serde_json::Value;

const DT: f64 = 0.005;

/// Three boxes that fall a little and come to rest on each other.
fn stack(response: Response) -> Simulation {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e4, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law = PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) };
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut builder = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..3 {
        let turn = rotor_from_rotation_vector(DVec3::new(0.02, 0.01, 0.3) * f64::from(i));
        let pose = Pose::new(DVec3::new(0.01 * f64::from(i), 0.0, 0.051 + 0.102 * f64::from(i)), turn);
        builder = builder.body(BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Total(1.0), pose).unwrap());
    }
    builder.build().unwrap()
}

fn cells() -> Response {
    let measure = Measurement { cell: Some(0.04), ..Measurement::default() };
    Response::from(VolumeSettings { measure, ..VolumeSettings::default() })
}

/// A run of 60 steps with a frame every third.
fn recorded(response: Response) -> (RunRecord, u64) {
    recorded_every(3.0, response)
}

/// The same with a frame every so many steps.
fn recorded_every(steps: f64, response: Response) -> (RunRecord, u64) {
    let mut sim = stack(response);
    let mut recorder = Recorder::new(&sim, steps * DT);
    for _ in 0..60 {
        sim.step().unwrap();
        recorder.capture(&sim);
    }
    let hash = sim.hash();
    (recorder.finish(&sim), hash)
}

fn data(record: &RunRecord) -> Value {
    let html = render_html(record);
    let block = |id: &str| -> Value {
        let (_, tail) = html.split_once(&format!("id=\"{id}\">")).unwrap();
        serde_json::from_str(tail.split_once("</script>").unwrap().0).unwrap()
    };
    // The first picture's and the rest, as one.
    let (mut data, rest) = (block("data"), block("rest"));
    for (key, value) in rest.as_object().unwrap() {
        if key != "tracks" {
            data[key] = value.clone();
        }
    }
    data
}

/// The numbers of a packed array.
fn numbers(packed: &Value) -> Vec<f64> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = packed["d"].as_str().unwrap().trim_end_matches('=');
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for c in text.chars() {
        bits = bits << 6 | DIGITS.find(c).unwrap() as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 255) as u8);
        }
    }
    match packed["k"].as_str().unwrap() {
        "f32" => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
        "u16" => bytes.chunks_exact(2).map(|b| u16::from_le_bytes(b.try_into().unwrap()).into()).collect(),
        "u32" => bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
        other => panic!("unexpected kind {other}"),
    }
}

/// A cloud as the page reads it: by frame, by point.
fn cloud(packed: &Value) -> Vec<Vec<Vec<f64>>> {
    let dim = packed["dim"].as_u64().unwrap() as usize;
    let [counts, lo, step, q] = ["counts", "lo", "step", "q"].map(|k| numbers(&packed[k]));
    let mut codes = q.chunks_exact(dim);
    counts
        .iter()
        .enumerate()
        .map(|(f, n)| {
            let at = |(axis, code): (usize, &f64)| lo[f * dim + axis] + code * step[f * dim + axis];
            (0..*n as usize).map(|_| codes.next().unwrap().iter().enumerate().map(at).collect()).collect()
        })
        .collect()
}

#[test]
fn recording_changes_no_bit() {
    for response in [Response::cpf(), Response::qp(), cells()] {
        let mut alone = stack(response.clone());
        (0..60).for_each(|_| alone.step().unwrap());
        assert_eq!(recorded(response.clone()).1, alone.hash(), "{:?}", response.family());
    }
}

#[test]
fn the_page_has_the_patches_that_went_in() {
    let (record, _) = recorded(cells());
    let data = data(&record);
    let drawn = &data["drawn"];
    let frames: Vec<f64> = record.frames.drawn.iter().map(|f| f64::from(f.frame)).collect();
    assert_eq!(numbers(&drawn["frames"]), frames);
    assert_eq!(frames.len(), record.frames.time.len(), "every frame is kept in a run of this size");
    let (corners, per_frame) = (cloud(&drawn["corners"]), numbers(&drawn["patches"]));
    let [sizes, pressure, pair] = ["sizes", "pressure", "pair"].map(|k| numbers(&drawn[k]));
    let mut next = 0;
    for (k, frame) in record.frames.drawn.iter().enumerate() {
        assert_eq!(per_frame[k], frame.patches.len() as f64);
        for (c, there) in frame.corners.iter().zip(&corners[k]) {
            assert!((0..3).all(|a| (f64::from(c[a]) - there[a]).abs() < 1e-5), "{c:?} {there:?}");
        }
        for p in &frame.patches {
            let [a, b, c] = [sizes[next], pressure[next], pair[next]];
            assert_eq!((a, b, c), (p.corners.into(), p.pressure.into(), p.pair.into()));
            next += 1;
        }
    }
    assert!(next > 100, "{next} patches");
}

#[test]
fn what_the_page_draws_sums_to_the_curve_of_the_pair() {
    let (record, _) = recorded(cells());
    let data = data(&record);
    let (corners, pressure) = (cloud(&data["drawn"]["corners"]), numbers(&data["drawn"]["pressure"]));
    let pair = numbers(&data["drawn"]["pair"]);
    let force = record.plots.iter().find(|p| p.id == "force").unwrap();
    let curve = force.curves.iter().find(|c| c.name == "floor – box-0, normal").unwrap();
    let (mut next, mut seen) = (0, 0);
    for (k, frame) in record.frames.drawn.iter().enumerate() {
        let (mut at, mut sum) = (0, [0.0; 3]);
        for p in &frame.patches {
            let polygon = &corners[k][at..at + p.corners as usize];
            at += p.corners as usize;
            let [first, second] = record.frames.pairs[pair[next] as usize];
            if first.min(second) == 0 {
                for w in polygon[1..].windows(2) {
                    let [u, v]: [Vec<f64>; 2] =
                        [&w[0], &w[1]].map(|c| (0..3).map(|a| c[a] - polygon[0][a]).collect());
                    for a in 0..3 {
                        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                        sum[a] += 0.5 * (u[b] * v[c] - u[c] * v[b]) * pressure[next];
                    }
                }
            }
            next += 1;
        }
        let time = record.frames.time[frame.frame as usize];
        let Some(row) = force.x.iter().position(|t| (t - time).abs() < 0.1 * DT) else { continue };
        let size = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        // 16 bits a coordinate over the stack of 0.3 m: 5 µm on squares of centimetres.
        assert!((size - curve.values[row]).abs() <= 2e-3 * curve.values[row], "{size} {}", curve.values[row]);
        seen += usize::from(size > 0.0);
    }
    assert!(seen > 10, "{seen} frames in contact");
}

#[test]
fn intervals_and_rows_are_on_the_page() {
    let (record, _) = recorded(Response::cpf());
    let page = data(&record);
    let spans = cloud(&page["contacts"]["span"]);
    let mut some = 0;
    for (marks, spans) in record.frames.contacts.iter().zip(&spans) {
        for (mark, span) in marks.iter().zip(spans) {
            assert!((0..2).all(|k| (f64::from(mark.span[k]) - span[k]).abs() < 1e-4));
            assert!(
                0.0 <= mark.span[0] && mark.span[0] < mark.span[1] && mark.span[1] <= 1.0,
                "{:?}",
                mark.span
            );
            some += 1;
        }
    }
    assert!(some > 20 && page["drawn"].is_null() && page["contacts"]["multiplier"].is_null(), "{some}");
    assert_eq!(page["dt"], DT);

    let (record, _) = recorded_every(2.0, Response::qp());
    let page = data(&record);
    assert!(page["contacts"]["span"].is_null());
    let multipliers = cloud(&page["contacts"]["multiplier"]);
    assert!(multipliers.iter().flatten().all(|m| m[0] >= 0.0) && multipliers.iter().flatten().count() > 20);
    let idle = &page["drawn"]["idle"];
    let (points, gaps) = (cloud(&idle["point"]), cloud(&idle["gap"]));
    let kept: usize = record.frames.drawn.iter().map(|f| f.idle.len()).sum();
    // Fewer than once: contacts that stand are found at once, and none is found again with another normal.
    assert!(
        kept >= 20 && points.iter().flatten().count() == kept && numbers(&idle["pair"]).len() == kept,
        "{kept}"
    );
    for (frame, gaps) in record.frames.drawn.iter().zip(&gaps) {
        for (mark, gap) in frame.idle.iter().zip(gaps) {
            assert!((f64::from(-mark.depth) - gap[0]).abs() < 1e-5 && mark.force == [0.0; 3]);
        }
    }
}

#[test]
fn what_is_drawn_is_counted_before_the_run() {
    let bytes = |response| {
        let sim = stack(response);
        Recorder::new(&sim, 3.0 * DT).expected_bytes(&sim, 60)
    };
    let (points, surfaces) = (bytes(Response::cpf()), bytes(cells()));
    assert!(points < 1 << 20 && surfaces > 24 << 20, "{points} {surfaces}");
}

#[test]
fn a_record_with_drawings_reads_back_as_it_was_written() {
    for response in [cells(), Response::qp(), Response::cpf()] {
        let (record, _) = recorded(response.clone());
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap().frames, record.frames);
    }
}

/// What the constraints took is drawn, and written as CSV, where there are any.
#[test]
fn constraints_have_curves_of_their_own() {
    let mut sim = stack(Response::qp());
    let mut recorder = Recorder::new(&sim, 3.0 * DT);
    let mut seen = Vec::new();
    for _ in 0..60 {
        sim.step().unwrap();
        recorder.capture(&sim);
        seen.push(*sim.column::<QpReport>());
    }
    let record = recorder.finish(&sim);
    let find = |id: &str| record.plots.iter().find(|p| p.id == id).expect("drawn");
    let counts = find("constraints");
    let of = |name: &str| &counts.curves.iter().find(|c| c.name == name).expect("a curve").values;
    let same = |name: &str, value: fn(&QpReport) -> u32| {
        let expected: Vec<f64> = seen.iter().map(|r| f64::from(value(r))).collect();
        assert_eq!(of(name), &expected, "{name}");
    };
    same("solves", |r| r.solves);
    same("iterations", |r| r.iterations);
    same("toggles", |r| r.toggles);
    same("rows", |r| r.rows);
    same("active", |r| r.active);
    same("cut", |r| r.cut);
    same("left", |r| r.left);
    assert!(of("active").iter().any(|a| *a >= 9.0), "boxes that stand have rows that act");
    let residual: Vec<f64> = seen.iter().map(|r| r.residual).collect();
    assert_eq!(find("constraints-residual").curves[0].values, residual);
    let csv = plot_csv(counts);
    assert!(csv.starts_with("time [s],solves [1],iterations [1],"), "{}", csv.lines().next().unwrap());
    assert_eq!(csv.lines().count(), 61);
    let (other, _) = recorded(Response::penalty());
    assert!(other.plots.iter().all(|p| !p.id.starts_with("constraint")));
}

/// Other responses that solve something have theirs.
#[test]
fn what_a_solve_took_has_curves() {
    let (record, _) = recorded(cells());
    let find = |id: &str| record.plots.iter().find(|p| p.id == id).expect("drawn");
    let (counts, residual) = (find("volumes"), find("volumes-residual"));
    let of = |name: &str| &counts.curves.iter().find(|c| c.name == name).expect("a curve").values;
    assert_eq!(residual.curves[0].values.len(), counts.x.len());
    assert!(
        of("cells").iter().any(|v| *v >= 3.0) && of("stopped").iter().all(|v| *v == 0.0),
        "{:?}",
        of("cells")
    );
}

/// Under `pressure` too, with the tangents that were assembled beside the iterations they serve.
#[test]
fn contact_surfaces_have_curves_of_their_own() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.06), rotor_from_rotation_vector(DVec3::new(0.2, 0.1, 0.0)));
    let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0).with_pressure(PressureField::layer(1e6, 0.05));
    let law = PairLaw::elastic(1e4);
    let mut sim = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .response(Response::pressure())
        .body(floor)
        .body(BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap();
    let mut recorder = Recorder::new(&sim, 3.0 * DT);
    let mut seen = Vec::new();
    for _ in 0..60 {
        sim.step().unwrap();
        recorder.capture(&sim);
        seen.push(*sim.column::<PressureReport>());
    }
    let record = recorder.finish(&sim);
    let surfaces = record.plots.iter().find(|p| p.id == "surfaces").expect("drawn");
    let same = |name: &str, value: fn(&PressureReport) -> u32| {
        let expected: Vec<f64> = seen.iter().map(|r| f64::from(value(r))).collect();
        let curve = surfaces.curves.iter().find(|c| c.name == name).expect("a curve");
        assert_eq!(curve.values, expected, "{name}");
        assert!(expected.iter().any(|v| *v > 0.0), "{name} is never more than 0");
    };
    same("patches", |r| r.patches);
    same("surfaces computed", |r| r.queries);
    same("Newton", |r| r.iterations);
    same("tangents", |r| r.tangents);
    same("linear solver", |r| r.linear);
    assert!(seen.iter().all(|r| r.tangents <= r.iterations), "more tangents than iterations");
}

/// A recorder read from a file must have the curves that the response has in this version.
#[test]
fn curves_of_another_response_are_refused() {
    let qp = stack(Response::qp());
    let recorder = Recorder::new(&qp, DT);
    recorder.check(&qp).unwrap();
    let e = recorder.check(&stack(cells())).unwrap_err();
    assert!(e.contains("other stages"), "{e}");
}

/// Which kinds met over a run, and how many marks it has; checks every mark against its law on the way.
fn met_and_held(response: Response) -> (Vec<MetKind>, usize) {
    let (record, _) = recorded(response.clone());
    let frames = &record.frames;
    let page = data(&record);
    assert!(
        page["contacts"]["pair"].is_null() && page["contacts"]["met"].is_object(),
        "{:?}",
        response.family()
    );
    let mut kinds = Vec::new();
    for mark in frames.contacts.iter().flatten() {
        let met = frames.met[mark.met.expect("every contact says what met") as usize];
        assert_eq!(met.pair, mark.pair);
        kinds.push(met.kind);
        // Vertices are those of the shapes that are drawn.
        let bodies = frames.pairs[met.pair as usize];
        let [one, other] = if met.turned { [bodies[1], bodies[0]] } else { bodies };
        let ids = met.ids.map(|v| v as usize);
        let count = |b: u32| record.bodies[b as usize].vertices.len();
        match met.kind {
            MetKind::VertexFace => assert!(ids[0] < count(one) && ids[1..].iter().all(|v| *v < count(other))),
            MetKind::EdgeEdge => assert!(
                ids[..2].iter().all(|v| *v < count(one)) && ids[2..].iter().all(|v| *v < count(other))
            ),
            MetKind::VertexPlane => assert!(ids[0] < count(one) && count(other) == 0),
            _ => {}
        }
        assert_eq!(frames.friction[mark.pair as usize], [0.5; 2]);
        let slack = 0.5 * mark.normal - mark.friction;
        match mark.hold {
            Hold::Sticks => assert!(slack >= -1e-4 * mark.normal, "{mark:?}"),
            // What the rounds of `qp` accept may stand beyond the cone: the record says so.
            Hold::Slides if record.response == "qp" => assert!(slack <= 1e-3 * mark.normal, "{mark:?}"),
            Hold::Slides => assert!(slack.abs() <= 1e-3 * mark.normal, "{mark:?}"),
            Hold::None => assert!(mark.normal == 0.0, "{mark:?}"),
            Hold::Parted => {}
            _ => panic!("{:?} has no such state: {mark:?}", response.family()),
        }
    }
    let count = kinds.len();
    kinds.sort_unstable();
    kinds.dedup();
    (kinds, count)
}

#[test]
fn every_contact_says_what_met_and_what_friction_does() {
    for (response, expected) in [
        (Response::penalty(), &[MetKind::VertexFace, MetKind::VertexPlane][..]),
        (Response::cpf(), &[MetKind::VertexFace, MetKind::EdgeEdge, MetKind::VertexPlane]),
        // Squares of one size, turned against each other: every corner is beside the other square, and only edges cross.
        (Response::qp(), &[MetKind::EdgeEdge, MetKind::VertexPlane]),
        (cells(), &[MetKind::Cell]),
        (Response::volume(), &[MetKind::Volume]),
    ] {
        let (kinds, count) = met_and_held(response.clone());
        println!("{:?}: {count} marks, {kinds:?}", response.family());
        assert_eq!(kinds, expected, "{:?}", response.family());
        assert!(count > 20);
    }
}

/// Of a body at rest the contact force in the mean carries its weight; what happened between two frames is in it.
#[test]
fn motion_is_that_of_the_simulation() {
    let mut sim = stack(Response::qp());
    let mut recorder = Recorder::new(&sim, 3.0 * DT);
    let start: Vec<f64> = (1..4).map(|b| sim.position(b).z).collect();
    let mut impulse = DVec3::zero();
    for _ in 0..60 {
        sim.step().unwrap();
        recorder.capture(&sim);
        impulse += sim.contact_force(1) * DT;
    }
    let motion = recorder.finish(&sim).motion;
    assert_eq!(motion.bodies, ["box-0", "box-1", "box-2"]);
    assert_eq!((motion.time.len(), motion.rows.len()), (21, 63));
    let first: Vec<f64> = motion.rows[..3].iter().map(|r| r[2]).collect();
    assert_eq!(first, start);
    for (b, row) in motion.rows[60..].iter().enumerate() {
        let (x, twist) = (sim.position(b as u32 + 1), sim.twist(b as u32 + 1));
        assert_eq!(row[..3], [x.x, x.y, x.z]);
        assert_eq!(row[3..6], [twist.velocity.x, twist.velocity.y, twist.velocity.z]);
        assert_eq!(row[6], twist.angular_velocity.x);
    }
    let sum: f64 = motion.rows.iter().step_by(3).map(|r| r[11] * 3.0 * DT).sum();
    assert!((sum - impulse.z).abs() < 1e-9 * impulse.z, "{sum} {}", impulse.z);
}

/// What a row of points stands for is no area of contact.
#[test]
fn area_is_plotted_where_there_is_one() {
    for response in [Response::penalty(), Response::cpf(), Response::qp()] {
        let (record, _) = recorded(response.clone());
        assert!(record.plots.iter().all(|p| p.id != "area"), "{:?}", response.family());
    }
    let (record, _) = recorded(cells());
    let area = record.plots.iter().find(|p| p.id == "area").expect("cells have an area");
    let last = *area.curves[0].values.last().unwrap();
    // At most three faces of a square decimetre, not all of each in touch yet.
    assert!((0.005..0.0305).contains(&last), "{last}");
}
