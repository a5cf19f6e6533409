//! A finer mesh from some time on: the same body, the same contacts, the same bits again.

use impinge_contact::{Damping, PairLaw};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, closed_mass_properties, generators};
use impinge_integrators::Scheme;
use impinge_world::{
    BodyDesc, Builder, Change, ClothSpec, Deformable, Dofs, Mass, Measurement, NodeState, Overlaps, Refine,
    Response, Simulation, VolumeReport, VolumeSettings,
};

const G: f64 = 9.81;

fn block(segments: [u32; 3]) -> Deformable {
    let mesh = generators::tet_box(DVec3::new(0.2, 0.1, 0.2), segments).unwrap();
    let jelly = Material::new(1e5, 0.3, 1000.0).with_rayleigh(1.0, 2e-3);
    Deformable::solid("block", &mesh, Model::Corotational, &jelly).unwrap()
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::unit_z() * z)
}

fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// A block at rest on the floor under volume constraints in cells.
fn standing() -> Builder {
    let measure = Measurement { cell: Some(0.05), ..Measurement::default() };
    let settings = VolumeSettings { measure, depth: 1e-3, ..VolumeSettings::default() };
    Simulation::builder(5e-3)
        .gravity(DVec3::unit_z() * -G)
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw { damping: Damping::None, ..PairLaw::elastic(1.0) })
        .response(Response::from(settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::deformable("block", block([4, 2, 4]), at(0.0995)))
}

/// Every edge of the elements of a solid.
fn all_edges(sim: &Simulation, slot: u32) -> Vec<[u32; 2]> {
    let body = sim.deformable(slot).unwrap();
    let tets = match &body.matter {
        Some(impinge_world::Matter::Solid { mesh, .. }) => mesh.tets().to_vec(),
        _ => unreachable!("a solid"),
    };
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for t in tets {
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            edges.push([t[i].max(t[j]), t[i].min(t[j])]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[test]
fn a_finer_mesh_is_the_same_body() {
    let mut sim = Simulation::builder(4e-3)
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw::elastic(1.0))
        .body(BodyDesc::deformable("block", block([4, 2, 4]), at(1.0)))
        .build()
        .unwrap();
    // Bent and turning.
    {
        let x = sim.column::<NodeState>().x.clone();
        let mut middle = sim.snapshot();
        for (n, p) in x.iter().enumerate() {
            middle.nodes.v[n] += DVec3::new(1.0, 2.0, 3.0) + DVec3::new(0.3, -0.2, 0.5).cross(*p) * 4.0;
            middle.nodes.x[n] += DVec3::new(p.z - 1.0, 0.0, p.x) * (0.3 * p.x);
        }
        sim.restore(&middle).unwrap();
    }
    run(&mut sim, 3);
    let state = |sim: &Simulation| {
        let (s, dofs) = (sim.column::<NodeState>(), sim.column::<Dofs>());
        let mass: f64 = dofs.nodes.mass.iter().sum();
        let (mut p, mut l) = (DVec3::zero(), DVec3::zero());
        for n in 0..s.x.len() {
            p += s.v[n] * dofs.nodes.mass[n];
            l += s.x[n].cross(s.v[n] * dofs.nodes.mass[n]);
        }
        let surface = sim.deformable(0).unwrap().surface.mesh.clone().unwrap();
        (mass, p, l, surface)
    };
    let before = state(&sim);
    let elastic = sim.energy().elastic;
    let edges = all_edges(&sim, 0);
    let nodes = sim.nodes_of(0).len();
    let report = sim.edit(0, Change::Bisect(edges.clone())).unwrap();
    assert_eq!(report.nodes, [nodes, nodes + edges.len()], "a node for each edge");
    assert!(report.linear_change.mag() < 1e-12 && report.angular_change.mag() < 1e-12, "{report:?}");
    let after = state(&sim);
    assert!((after.0 - before.0).abs() < 1e-12 && report.removed_mass == 0.0);
    assert!((after.1 - before.1).mag() < 1e-12 && (after.2 - before.2).mag() < 1e-12);
    let [was, is] = [&before.3, &after.3].map(|m| closed_mass_properties(m).unwrap().volume);
    assert!((is / was - 1.0).abs() < 1e-12, "{is} and {was} m³ at rest");
    assert!(after.3.triangles().len() >= 4 * before.3.triangles().len(), "each triangle of the skin is four");
    // Pieces of a tet are deformed as it is.
    let now = sim.energy().elastic;
    assert!(elastic > 1e-4 && (now / elastic - 1.0).abs() < 1e-9, "{now} and {elastic} J");
}

#[test]
fn contacts_are_those_of_the_volume_whatever_the_mesh() {
    let mut sim = standing().build().unwrap();
    run(&mut sim, 400);
    let weight = 0.2 * 0.1 * 0.2 * 1000.0 * G;
    assert!((sim.contact_force(1).z / weight - 1.0).abs() < 1e-6, "{}", sim.contact_force(1).z);
    let mut coarse = standing().build().unwrap();
    coarse.restore(&sim.snapshot()).unwrap();
    let edges = all_edges(&sim, 1);
    sim.edit(1, Change::Bisect(edges)).unwrap();
    run(&mut sim, 1);
    run(&mut coarse, 1);
    let [fine, coarse] = [&sim, &coarse].map(|s| {
        let overlaps = s.column::<Overlaps>();
        overlaps.pairs.iter().flat_map(|p| p.overlap.cells().to_vec()).collect::<Vec<_>>()
    });
    assert!(coarse.len() > 4 && fine.len() == coarse.len(), "{} and {} cells", fine.len(), coarse.len());
    for (f, c) in fine.iter().zip(&coarse) {
        assert!(f.index == c.index && (f.volume / c.volume - 1.0).abs() < 1e-9, "{f:?} {c:?}");
    }
    run(&mut sim, 100);
    assert!((sim.contact_force(1).z / weight - 1.0).abs() < 1e-3, "{}", sim.contact_force(1).z);
    assert_eq!(sim.column::<VolumeReport>().unfinished, 0);
}

#[test]
fn what_is_planned_happens_in_its_region_and_comes_again_from_a_snapshot() {
    let world = || {
        let lower = Some([DVec3::broadcast(-1.0), DVec3::new(1.0, 1.0, 0.06)]);
        standing()
            .refine(Refine { time: 0.1, slot: 1, within: lower })
            .refine(Refine { time: 0.05, slot: 1, within: None })
            .build()
            .unwrap()
    };
    let mut sim = world();
    let count = |sim: &Simulation| sim.nodes_of(1).len();
    let start = count(&sim);
    run(&mut sim, 10);
    assert_eq!(count(&sim), start);
    run(&mut sim, 1);
    let once = count(&sim);
    assert!(once > 4 * start, "{once} of {start}");
    run(&mut sim, 14);
    let middle = sim.snapshot();
    let twice = count(&sim);
    assert!(twice > once + 100, "{twice} of {once}");
    let rest = sim.deformable(1).unwrap();
    let of_upper = rest.positions.iter().filter(|p| p.z > 0.05).count();
    assert!(of_upper < rest.positions.len() / 3, "the upper half is as it was: {of_upper}");
    run(&mut sim, 10);
    let end = sim.hash();
    let mut other = world();
    other.restore(&middle).unwrap();
    run(&mut other, 10);
    assert_eq!(other.hash(), end);
}

#[test]
fn what_cannot_be_refined_is_refused() {
    let rigid = BodyDesc::rigid(
        "box",
        &generators::cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap(),
        Mass::Total(1.0),
        at(1.0),
    );
    let world = |r: Refine| {
        let e = standing().body(rigid.clone().unwrap()).refine(r).build().err();
        e.map(|e| e.to_string()).unwrap_or_default()
    };
    let all = Refine { time: 0.0, slot: 1, within: None };
    assert!(world(all).is_empty());
    for (r, word) in [
        (Refine { slot: 9, ..all }, "a refinement names slot 9"),
        (Refine { slot: 2, ..all }, "cannot be refined"),
        (Refine { time: -1.0, ..all }, "refined at -1 s"),
    ] {
        assert!(world(r).contains(word), "{}", world(r));
    }
    let mut sim = standing().build().unwrap();
    let hash = sim.hash();
    let e = sim.edit(1, Change::Bisect(vec![[0, 9999]])).unwrap_err();
    assert!(!e.is_empty() && sim.hash() == hash, "{e}");
    // Nothing in the region: nothing is divided.
    let nowhere = Refine { within: Some([DVec3::broadcast(5.0), DVec3::broadcast(6.0)]), ..all };
    let mut sim = standing().refine(nowhere).build().unwrap();
    let nodes = sim.nodes_of(1).len();
    run(&mut sim, 1);
    assert_eq!(sim.nodes_of(1).len(), nodes);
}

#[test]
fn a_sheet_gets_finer_too() {
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        density: 200.0,
        thickness: 1e-3,
        bending: 1e-4,
        rayleigh: [0.5, 1e-3],
    };
    let mesh = generators::grid([0.4, 0.4], [4, 4]).unwrap();
    let cloth = Deformable::cloth("cloth", &mesh, &spec).unwrap();
    let mut sim = Simulation::builder(5e-3)
        .gravity(DVec3::unit_z() * -G)
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw::elastic(1.0))
        .body(BodyDesc::deformable(
            "cloth",
            cloth.pinned(impinge_world::AttachTo::World, |p| p.x.abs() > 0.199),
            at(1.0),
        ))
        .refine(Refine { time: 0.1, slot: 0, within: None })
        .build()
        .unwrap();
    run(&mut sim, 60);
    assert_eq!(sim.nodes_of(0).len(), 81);
    // What was held along two sides is held, the nodes between too.
    let x = sim.column::<NodeState>().x.clone();
    assert_eq!(x.iter().filter(|p| p.z == 1.0).count(), 2 * 9);
    assert!(x.iter().any(|p| p.z < 0.99), "it hangs");
}
