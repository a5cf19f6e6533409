//! The scenes of the response `qp`: seed 001, Fig. 2 at the longest step asked for, and cloth over a ball.

use impinge_geometry::{DVec3, TriMesh, closest_on_triangle};
use impinge_meshing::self_intersections;
use impinge_scene::SceneSpec;
use impinge_world::{NodeState, QpReport, Simulation};
use std::path::Path;

fn scene(name: &str, keys: &[(&str, &str)]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    SceneSpec::load_with(&path, keys).unwrap().simulation().unwrap()
}

/// Runs; rows that act at most, and no way was cut, no pair left, no program unfinished.
fn run(sim: &mut Simulation, seconds: f64) -> u32 {
    let mut active = 0;
    for _ in 0..(seconds / sim.dt()).round() as usize {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        let r = *sim.column::<QpReport>();
        assert_eq!((r.cut, r.left), (0, 0), "t = {}: {r:?}", sim.time());
        active = active.max(r.active);
    }
    active
}

#[test]
fn the_cable_hangs_over_the_cylinder_in_steps_of_33_ms() {
    let mut sim = scene("cable-qp.toml", &[("scene.dt", "0.033")]);
    let active = run(&mut sim, 10.0);
    let cable = sim.slot("cable").unwrap();
    let speed = sim.velocity(cable).unwrap().mag();
    println!("{active} rows at most, {speed:.1e} m/s at the end");
    assert!(active >= 8 && speed < 1e-3, "{active} rows, {speed} m/s");
    assert!(sim.contact_force(cable).z > 2.0, "the drum carries it: {:?}", sim.contact_force(cable));
}

/// Pairs of triangles of a body that cross: by exact predicates, and nothing that the response asks.
pub(crate) fn crossings(sim: &Simulation, slot: u32) -> usize {
    let x: Vec<DVec3> = sim.nodes_of(slot).map(|n| sim.column::<NodeState>().x[n]).collect();
    let body = sim.deformable(slot).unwrap();
    let triangles = body.surface.mesh.as_ref().unwrap().triangles().to_vec();
    self_intersections(&TriMesh::new(x, triangles).unwrap()).len()
}

#[test]
fn cloth_lies_on_itself_without_a_crossing() {
    let mut sim = scene("cloth-on-itself.toml", &[]);
    let strip = sim.slot("strip").unwrap();
    let (mut active, mut own) = (0, 0);
    for _ in 0..75 {
        active = active.max(run(&mut sim, 0.01));
        let pairs = &sim.ledger().pairs;
        let folded = |i: &usize| (pairs.a[*i], pairs.b[*i]) == (strip, strip);
        own = own.max((0..pairs.a.len()).filter(folded).map(|i| pairs.contacts[i]).sum());
        assert_eq!(crossings(&sim, strip), 0, "t = {}", sim.time());
    }
    let nodes = sim.nodes_of(strip).map(|n| sim.column::<NodeState>().x[n].z);
    let highest = nodes.fold(0.0, f64::max);
    println!("{active} rows at most, {own} of them of the strip with itself, {highest} m high");
    assert!(own >= 10 && highest < 0.06, "{own} contacts, {highest} m");

    // The same without: it does cross.
    let mut through = scene("cloth-on-itself.toml", &[("body.1.self_contact", "false")]);
    run(&mut through, 0.5);
    assert!(crossings(&through, strip) > 0);
}

/// Pairs of segments of a cable without a common node that touch on the way from one state to the next: all of them, by exact decisions.
fn touched(x0: &[DVec3], x1: &[DVec3]) -> usize {
    let segments = 0..x0.len() - 1;
    let pairs = segments.clone().flat_map(|i| segments.clone().skip(i + 2).map(move |j| (i, j)));
    let touch = |(i, j): &(usize, usize)| {
        let [a, b] = [x0, x1].map(|x| [x[*i], x[i + 1], x[*j], x[j + 1]]);
        impinge_ccd::edge_edge(&a, &b).unwrap().is_some()
    };
    pairs.filter(touch).count()
}

#[test]
fn a_cable_coils_on_itself_without_a_crossing() {
    let coil = |meets: &str| {
        let mut sim = scene("cable-coil.toml", &[("body.1.self_contact", meets)]);
        let (mut own, mut through) = (0, 0);
        for _ in 0..200 {
            let before = sim.column::<NodeState>().x.clone();
            let dt = sim.dt();
            run(&mut sim, dt);
            through += touched(&before, &sim.column::<NodeState>().x);
            let pairs = &sim.ledger().pairs;
            own = own.max(
                (0..pairs.a.len()).filter(|&i| pairs.a[i] == pairs.b[i]).map(|i| pairs.contacts[i]).sum(),
            );
        }
        (own, through)
    };
    let (own, through) = coil("true");
    println!("{own} contacts with itself at most");
    assert!(own >= 4 && through == 0, "{own} contacts, {through} pairs went through each other");
    assert!(coil("false").1 > 0, "without, it goes through itself");
}

/// 289 nodes: by the sparse factor.
#[cfg(feature = "factor")]
#[test]
fn cloth_drapes_over_a_ball() {
    let mut sim = scene("large/cloth-qp.toml", &[]);
    let active = run(&mut sim, 1.0);
    println!("{active} rows at most, {:?} N", sim.contact_force(1));
    assert!(active > 30);
}

/// Boxes that stand on each other without a gap, askew by less than the thickness: edges that cross at no distance have no direction between
/// their nearest points, and a vertex a hair below the rim of a top is no contact of the side. They were thrown apart.
#[test]
fn boxes_without_a_gap_stand() {
    let text = "[scene]\ntitle = \"t\"\ndt = 0.01\nduration = 0.5\nresponse = \"qp\"\n[[material]]\nname = \"m\"\ndensity = 500.0\n\
        [[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = 1e4\nmu_s = 0.5\n\
        [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = { normal = [0.0, 0.0, 1.0] }\n";
    let body = |name: &str, x: f64, y: f64, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\nposition = [{x}, {y}, {z}]\n"
        )
    };
    // Askew by less than the thickness, and by much more.
    for (x, y) in [(-0.0018, -0.0007), (0.03, 0.02)] {
        let text = format!(
            "{text}{}{}{}",
            body("low", 0.051, 0.0504, 0.05),
            body("middle", 0.051 + x, 0.0504 + y, 0.15),
            body("high", 0.051, 0.0504, 0.25)
        );
        let spec = SceneSpec::from_str(&text, std::path::Path::new("boxes.toml")).unwrap();
        let mut sim = spec.simulation().unwrap();
        for step in 0..spec.steps() {
            sim.step().unwrap_or_else(|e| panic!("{x} {y}: {e}"));
            // 1e-4 m of recovery in a step is 0.01 m/s.
            let e = sim.energy().kinetic();
            assert!(e < 3.0 * 0.5 * 0.5 * 0.04 * 0.04, "{x} {y}, step {step}: {e} J");
        }
        let high = sim.position(sim.slot("high").unwrap());
        assert!((high - impinge_geometry::DVec3::new(0.051, 0.0504, 0.25)).mag() < 4e-3, "{x} {y}: {high:?}");
        let weight = sim.contact_force(sim.slot("floor").unwrap()).z;
        assert!((weight / (-1.5 * 9.81) - 1.0).abs() < 1e-2, "{x} {y}: {weight} N");
    }
}

/// Four bodies inside each other, the deepest by half its width, are moved out at a speed that some rows ask for and others forbid: a program that
/// is given up starts again without the rows that were corrected for its answer. With them the bodies gained 4.6e10 times the energy in play.
#[test]
fn bodies_in_each_other_are_not_thrown() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/overlapping-start.toml");
    let text =
        std::fs::read_to_string(&file).unwrap().replace("[volume]", "[qp]\nrecovery = 0.1\n\n[volume]");
    for turned in [false, true] {
        let mut spec = SceneSpec::from_str(&text, &file).unwrap();
        if turned {
            spec.bodies.reverse();
        }
        let mut sim = spec.simulation_with(impinge_scene::Response::QP).unwrap();
        let play = sim.energy().total();
        for step in 0..100 {
            sim.step().unwrap_or_else(|e| panic!("turned {turned}, step {step}: {e}"));
            let e = sim.energy().kinetic();
            assert!(e < play, "turned {turned}, step {step}: {e} J of {play}");
        }
    }
}

/// rᵢ + rⱼ of seed 001 §4.2: what lies on a floor, or on each other, lies apart by the thickness of that pair, whatever the others have.
#[test]
fn each_pair_rests_at_its_own_thickness() {
    let text = "[scene]\ntitle = \"t\"\ndt = 0.01\nduration = 1.0\nresponse = \"qp\"\n[[material]]\nname = \"m\"\ndensity = 500.0\n\
        [qp]\nthickness = 2e-3\n[[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = 1e4\nmu_s = 0.5\n\
        [[rule]]\nbodies = [\"*-ruled\", \"floor\"]\nthickness = 1.5e-2\n[[rule]]\nbodies = [\"plain\", \"on-plain\"]\nthickness = 1e-4\n\
        [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nmesh = { box = { size = [4.0, 4.0, 0.2] } }\nposition = [0.0, 0.0, -0.1]\n";
    let body = |name: &str, x: f64, z: f64, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.1, 0.11, 0.12] }} }}\nposition = [{x}, 0.013, {z}]\n{more}\n"
        )
    };
    let text = [
        text.to_string(),
        body("plain", 0.013, 0.08, ""),
        body("on-plain", 0.017, 0.22, ""),
        body("thick", 0.513, 0.08, "thickness = 5e-3"),
        body("thick-ruled", 1.013, 0.08, "thickness = 5e-3"),
        body("on-thick", 0.517, 0.22, "thickness = 3e-3"),
    ]
    .concat();
    let spec = SceneSpec::from_str(&text, std::path::Path::new("gaps.toml")).unwrap();
    let mut sim = spec.simulation().unwrap();
    run(&mut sim, 1.0);
    let z = |name: &str| sim.position(sim.slot(name).unwrap()).z;
    let gaps = [
        ("plain", z("plain") - 0.06, 2e-3),
        ("on-plain", z("on-plain") - z("plain") - 0.12, 1e-4),
        ("thick", z("thick") - 0.06, 1e-3 + 5e-3),
        ("thick-ruled", z("thick-ruled") - 0.06, 1.5e-2),
        ("on-thick", z("on-thick") - z("thick") - 0.12, 5e-3 + 3e-3),
    ];
    for (name, gap, wanted) in gaps {
        println!("{name}: {gap} m, {wanted} m wanted");
        assert!((gap - wanted).abs() < 1e-8, "{name}: {gap} m instead of {wanted} m");
    }
}

/// A cloth that is folded keeps twice its own radius from itself, and the sum of its radius and half the scene's thickness from the floor.
#[test]
fn cloth_keeps_its_own_thickness_from_itself() {
    let mut sim = scene("cloth-on-itself.toml", &[("body.1.thickness", "1e-3")]);
    let strip = sim.slot("strip").unwrap();
    run(&mut sim, 0.75);
    let x: Vec<DVec3> = sim.nodes_of(strip).map(|n| sim.column::<NodeState>().x[n]).collect();
    let body = sim.deformable(strip).unwrap();
    let (rest, mesh) = (&body.positions, body.surface.mesh.as_ref().unwrap());
    let (mut nearest, mut pairs) = (f64::INFINITY, 0);
    for (i, p) in x.iter().enumerate() {
        for t in mesh.triangles() {
            let at = |y: &[DVec3]| t.map(|v| y[v as usize]);
            // Nearer than twice the distance at rest, features keep half of what they have there.
            if closest_on_triangle(rest[i], at(rest)).distance_squared.sqrt() > 4e-3 {
                let d = closest_on_triangle(*p, at(&x)).distance_squared.sqrt();
                nearest = nearest.min(d);
                pairs += usize::from(d < 2.1e-3);
            }
        }
    }
    let lowest = x.iter().fold(f64::INFINITY, |m, p| m.min(p.z));
    println!("{nearest} m between {pairs} pairs of layers, {lowest} m above the floor");
    // A row that is there already is not asked for again for a hundredth of the thickness.
    assert!(nearest > 2e-3 * (1.0 - 0.01) - 1e-6 && pairs >= 5, "{nearest} m, {pairs} pairs");
    assert!((lowest - (0.75e-3 + 1e-3)).abs() < 1e-6, "{lowest} m");
}

/// What makes no sense is refused where it stands.
#[test]
fn a_bad_thickness_is_refused() {
    let refused = |keys: &[(&str, &str)]| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/cloth-on-itself.toml");
        SceneSpec::load_with(&path, keys).map(|_| ()).unwrap_err().to_string()
    };
    for bad in ["0.0", "-1e-3", "nan", "inf", "\"thin\""] {
        let e = refused(&[("body.1.thickness", bad)]);
        assert!(e.contains("thickness"), "{bad}: {e}");
    }
    let rule = |more: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/stack.toml");
        let text = std::fs::read_to_string(&path).unwrap() + "\n[[rule]]\nbodies = [\"*\", \"*\"]\n" + more;
        SceneSpec::from_str(&text, &path).map(|_| ()).unwrap_err().to_string()
    };
    assert!(rule("thickness = 0.0\n").contains("thickness"));
    let through = rule("thickness = 1e-3\nresponse = \"none\"\n");
    assert!(through.contains("pass through"), "{through}");
}

#[test]
fn bodies_without_any_force_go_on() {
    // Once the balls move as one and nothing pulls, the change of velocity asked for is 0 and rounding: that is no fault of K.
    let mut sim = scene(
        "newton-cradle.toml",
        &[("scene.response", "qp"), ("scene.dt", "1e-4"), ("scene.duration", "1e-3")],
    );
    for _ in 0..10 {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let mean = (0..5).map(|b| sim.twist(b).velocity.x).sum::<f64>() / 5.0;
    assert!((mean - 0.2).abs() < 1e-9, "{mean}");
    assert!((0..5).all(|b| (sim.twist(b).velocity.x - 0.2).abs() < 0.05));
}

/// Seed 001 §4.5: what it would grow by without, and that it never grows by more than the limit.
#[test]
fn cloth_hangs_at_its_strain_limit() {
    let stretch = |sim: &Simulation| {
        let cloth = sim.slot("cloth").unwrap();
        let (x, first) = (&sim.column::<NodeState>().x, sim.nodes_of(cloth).start);
        let edges = sim.deformable(cloth).unwrap().edges();
        let length = |[i, j]: [u32; 2]| (x[first + i as usize] - x[first + j as usize]).mag();
        edges.iter().fold(0.0, |most: f64, (ends, rest)| most.max(length(*ends) / rest - 1.0))
    };
    let mut sim = scene("cloth-limited.toml", &[]);
    let (mut worst, mut limits) = (0.0f64, 0);
    for _ in 0..100 {
        run(&mut sim, 0.01);
        worst = worst.max(stretch(&sim));
        limits = limits.max(sim.column::<QpReport>().limits);
        assert!(worst <= 0.1 + 1e-6, "t = {}: {worst}", sim.time());
    }
    println!("stretched by {worst} at most, {limits} rows");
    assert!(worst > 0.0999 && limits > 10);
}
