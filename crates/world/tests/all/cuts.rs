//! Topology change between steps: what it keeps, what follows, what it refuses.

use impinge_contact::{PairLaw, SurfaceMap};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{AnchorSpring, Scheme};
use impinge_world::{
    AttachTo, BodyDesc, Builder, Change, ClothSpec, Cut, Deformable, Dofs, Elastic, Motion, NodeState, Shape,
    Shapes, Simulation, StageError,
};

const G: DVec3 = DVec3 { x: 0.0, y: 0.0, z: -9.81 };

fn block() -> Deformable {
    damped(0.002)
}

fn damped(seconds: f64) -> Deformable {
    let mesh = generators::tet_box(DVec3::new(0.2, 0.1, 0.2), [4, 2, 4]).unwrap();
    let jelly = Material::new(1e5, 0.3, 1000.0).with_rayleigh(0.0, seconds);
    Deformable::solid("block", &mesh, Model::StableNeoHookean, &jelly).unwrap()
}

fn at(z: f64) -> Pose {
    Pose { position: DVec3::new(0.0, 0.0, z), ..Pose::identity() }
}

fn across(time: f64, z: f64) -> Cut {
    Cut {
        time,
        slot: 0,
        point: DVec3::new(0.0, 0.0, z),
        normal: DVec3::new(0.2, 0.1, 1.0),
        within: None,
        snap: 0.1,
    }
}

fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Momentum and angular momentum about the origin of all nodes.
fn momenta(sim: &Simulation) -> (DVec3, DVec3) {
    let (s, dofs) = (sim.column::<NodeState>(), sim.column::<Dofs>());
    (0..s.x.len()).fold((DVec3::zero(), DVec3::zero()), |(p, l), n| {
        let k = s.v[n] * dofs.nodes.mass[n];
        (p + k, l + s.x[n].cross(k))
    })
}

/// Connected pieces of the elements of body 0, by node.
fn pieces(sim: &Simulation) -> usize {
    let elastic = sim.column::<Elastic>();
    let pattern = elastic.system.pattern();
    let n = elastic.system.nodes();
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for i in 0..n {
        for &j in pattern.row(i) {
            let (a, b) = (find(&mut root, i), find(&mut root, j as usize));
            root[a.max(b)] = a.min(b);
        }
    }
    (0..n).filter(|&i| root[i] == i).count()
}

#[test]
fn a_cut_keeps_mass_and_both_momenta_and_parts_the_body() {
    // Without damping: Rayleigh's, in proportion to the stiffness at the start, turns a little with a stretched body.
    let mut body = BodyDesc::deformable("block", damped(0.0), at(1.0));
    body.velocity = DVec3::new(0.5, 0.2, 0.0);
    body.angular_velocity = DVec3::new(0.0, 6.0, 1.0);
    let mut sim = Simulation::builder(4e-3)
        .scheme(Scheme::ImplicitMidpoint)
        .law(PairLaw::elastic(1e3))
        .body(body)
        .cut(across(0.02, 1.0))
        .build()
        .unwrap();
    let mass = |sim: &Simulation| sim.column::<Dofs>().nodes.mass.iter().sum::<f64>();
    let (start, heavy, nodes) = (momenta(&sim), mass(&sim), sim.nodes_of(0).len());
    assert_eq!(pieces(&sim), 1);
    run(&mut sim, 50);
    assert_eq!(sim.edits().len(), 1);
    assert_eq!(pieces(&sim), 2);
    assert!(sim.nodes_of(0).len() > nodes);
    let end = momenta(&sim);
    assert!((mass(&sim) - heavy).abs() < 1e-12 * heavy);
    assert!((end.0 - start.0).mag() < 1e-10 * heavy, "{:?} {:?}", end.0, start.0);
    // Fifty steps of the midpoint rule, each to its tolerance, and the cut.
    assert!((end.1 - start.1).mag() < 1e-9 * start.1.mag(), "{:?} {:?}", end.1, start.1);
    let reach = {
        let s = sim.column::<NodeState>();
        s.x.iter().flat_map(|a| s.x.iter().map(move |b| (*a - *b).mag())).fold(0.0, f64::max)
    };
    assert!(reach > 0.33, "the halves of a spinning block fly apart: {reach} m");
}

#[test]
fn the_tables_follow_and_neighbours_keep_theirs() {
    // A particle on a spring, numbered after the block: cutting the block moves its number.
    let world = |cut: bool| {
        let particle = BodyDesc {
            motion: Motion::Particles {
                positions: vec![DVec3::new(3.0, 0.0, 1.0)],
                velocities: vec![DVec3::zero()],
                masses: vec![0.1],
            },
            shape: Shape::Points { count: 1 },
            ..BodyDesc::plane("bob", DVec3::unit_z(), 0.0)
        };
        let node = block().positions.len() as u32;
        let hung = block().pinned(AttachTo::World, |p| p.z > 0.0999);
        let mut b = Simulation::builder(4e-3)
            .gravity(G)
            .scheme(Scheme::ImplicitEuler)
            .law(PairLaw { damping: impinge_contact::Damping::KelvinVoigt(2.0), ..PairLaw::elastic(500.0) })
            .body(BodyDesc::deformable("block", hung, at(0.3)))
            .body(particle)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .anchor(AnchorSpring {
                body: 1,
                node: Some(node),
                arm: DVec3::zero(),
                to: DVec3::new(3.0, 0.0, 1.5),
                stiffness: 20.0,
                damping: 0.0,
                rest_length: 0.2,
            });
        if cut {
            b = b.cut(across(0.1, 0.3));
        }
        b.build().unwrap()
    };
    let (mut cut, mut whole) = (world(true), world(false));
    run(&mut cut, 300);
    run(&mut whole, 300);
    assert_eq!(cut.position(1), whole.position(1), "the bob swings as if nothing had been cut");
    let map = cut.column::<SurfaceMap>();
    let shapes = cut.column::<Shapes>();
    let Shape::Soft(soft) = &shapes.0[0] else { panic!("soft") };
    assert!(soft.closed, "both halves have a closed surface");
    assert_eq!(map.range(0).len(), soft.vertices);
    drop((map, shapes));
    // The upper half hangs, the lower one has fallen and lies: about half of 4 kg.
    let force = -cut.contact_force(2).z;
    let (upper, lower) = {
        let (s, d) = (cut.column::<NodeState>(), cut.column::<Dofs>());
        let part = |low: bool| -> f64 {
            cut.nodes_of(0).filter(|&n| (s.x[n].z < 0.2) == low).map(|n| d.nodes.mass[n]).sum()
        };
        (part(false), part(true))
    };
    assert!((upper + lower - 4.0).abs() < 1e-9 && (lower - 2.0).abs() < 0.3, "{upper} {lower}");
    assert!((force / (lower * 9.81) - 1.0).abs() < 0.02, "{force} N on the floor, {} expected", lower * 9.81);
    assert_eq!(whole.contact_force(2).z, 0.0);
}

#[test]
fn snapshots_go_on_with_the_same_bits_across_a_cut() {
    let world = || {
        let cut =
            Cut { within: Some([DVec3::broadcast(-1.0), DVec3::new(0.03, 1.0, 1.0)]), ..across(0.08, 0.2) };
        Simulation::builder(4e-3)
            .gravity(G)
            .scheme(Scheme::ImplicitEuler)
            .law(PairLaw { damping: impinge_contact::Damping::KelvinVoigt(2.0), ..PairLaw::elastic(500.0) })
            .body(BodyDesc::deformable("block", block(), at(0.12)))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .cut(cut)
            .cut(across(0.16, 0.1))
            .build()
            .unwrap()
    };
    let mut sim = world();
    let mut snapshots = vec![sim.snapshot()];
    for _ in 0..4 {
        run(&mut sim, 15);
        snapshots.push(sim.snapshot());
    }
    let end = sim.hash();
    assert_eq!(sim.edits().len(), 2);
    for (i, s) in snapshots.iter().enumerate() {
        // Into a fresh world, and back in time in the one that is cut already.
        for mut other in [world(), {
            let mut w = world();
            run(&mut w, 60);
            w
        }] {
            other.restore(s).unwrap();
            assert_eq!(other.hash(), s.hash());
            run(&mut other, 60 - 15 * i);
            assert_eq!(other.hash(), end, "from snapshot {i}");
        }
    }
    for threads in [2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let hash = pool.install(|| {
            let mut w = world();
            run(&mut w, 60);
            w.hash()
        });
        assert_eq!(hash, end, "{threads} threads");
    }
}

#[test]
fn cloth_tears_and_elements_go() {
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 0.1,
        rayleigh: [0.5, 1e-3],
    };
    let mesh = generators::grid([0.4, 0.4], [8, 8]).unwrap();
    let cloth = Deformable::cloth("cloth", &mesh, &spec).unwrap();
    let mut sim = Simulation::builder(5e-3)
        .gravity(G)
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw::elastic(1.0))
        .body(BodyDesc::deformable("cloth", cloth.pinned(AttachTo::World, |p| p.x.abs() > 0.199), at(1.0)))
        .build()
        .unwrap();
    run(&mut sim, 20);
    let before = sim.nodes_of(0).len();
    let value = sim.column::<NodeState>().x.iter().map(|x| x.x - 0.01).collect();
    let report = sim.edit(0, Change::Cut { value, within: None, options: CutOptions::default() }).unwrap();
    assert_eq!(report.nodes[0], before);
    assert!(report.linear_change.mag() < 1e-12 && report.angular_change.mag() < 1e-12, "{report:?}");
    assert_eq!(pieces(&sim), 2);
    let count = sim.deformable(0).unwrap().surface.mesh.as_ref().unwrap().triangles().len();
    let mut gone = vec![false; count];
    gone[..4].fill(true);
    let report = sim.edit(0, Change::Remove(gone)).unwrap();
    assert!(report.removed_mass > 0.0);
    run(&mut sim, 60);
    assert!(sim.column::<NodeState>().x.iter().any(|x| x.z < 0.9), "the torn halves hang down");
}

#[test]
fn what_cannot_be_cut_is_refused_and_nothing_changes() {
    let world = |f: &dyn Fn(Builder) -> Builder| {
        let cable = impinge_elasticity::rod::Section { ea: 10.0, ei: [0.0; 2], gj: 0.0, linear_density: 0.1 };
        let line = [DVec3::zero(), DVec3::unit_x()];
        let cable = Deformable::cable("cable", &line, &cable, [0.0; 2]).unwrap();
        f(Simulation::builder(5e-3)
            .scheme(Scheme::ImplicitEuler)
            .law(PairLaw::elastic(1e3))
            .body(BodyDesc::deformable("block", block(), at(1.0)))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::deformable("cable", cable, at(2.0))))
        .build()
    };
    for (cut, word) in [
        (Cut { slot: 9, ..across(0.0, 1.0) }, "slot 9"),
        (Cut { slot: 1, ..across(0.0, 1.0) }, "cannot be cut"),
        (Cut { slot: 2, ..across(0.0, 1.0) }, "cannot be cut"),
        (Cut { snap: 0.7, ..across(0.0, 1.0) }, "snap"),
        (Cut { normal: DVec3::zero(), ..across(0.0, 1.0) }, "normal"),
        (Cut { time: f64::NAN, ..across(0.0, 1.0) }, "time from 0"),
    ] {
        let e = world(&|b| b.cut(cut)).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains(word), "{word}: {e}");
    }
    let mut sim = world(&|b| b).unwrap();
    run(&mut sim, 3);
    let hash = sim.hash();
    let nodes = sim.nodes_of(0).len();
    for (slot, change, word) in [
        (1, Change::Remove(vec![]), "no deformable"),
        (2, Change::Remove(vec![true]), "cannot be cut"),
        (0, Change::Remove(vec![true; 3]), "marks"),
        (0, Change::Open(vec![[0, 0, 0]]), "side between"),
        (
            0,
            Change::Cut { value: vec![f64::NAN; nodes], within: None, options: CutOptions::default() },
            "NaN",
        ),
    ] {
        let e = sim.edit(slot, change).unwrap_err();
        assert!(e.contains(word), "{word}: {e}");
        assert_eq!(sim.hash(), hash);
    }
    let all = sim.deformable(0).unwrap().elastic.energies[0].len();
    let e = sim.edit(0, Change::Remove(vec![true; all])).unwrap_err();
    assert!(e.contains("nothing of the mesh"), "{e}");
    // A planned cut that explicit stepping cannot take ends the run and names the body.
    let mut sim = Simulation::builder(2e-4)
        .scheme(Scheme::SymplecticEuler)
        .law(PairLaw::elastic(1e3))
        .body(BodyDesc::deformable("block", block(), at(1.0)))
        .cut(Cut { snap: 0.0, normal: DVec3::unit_z(), ..across(1e-3, 0.951) })
        .build()
        .unwrap();
    let e = (0..20).find_map(|_| sim.step().err()).expect("slivers need a shorter step");
    assert_eq!(e.stage, "change of topology");
    assert!(matches!(e.source, StageError::Topology { .. }) && e.to_string().contains("block"), "{e}");
}
