//! A body that is cut keeps the contacts of what is still there.

use crate::common::{G, gravity};
use impinge_contact::{Damping, PairLaw, SurfaceMap};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{
    AttachTo, BodyDesc, Change, ClothSpec, Cut, Deformable, Mass, NodeState, Response, Simulation, Tracked,
};

const DT: f64 = 1e-3;
const SETTLED: f64 = 0.6;

/// A jelly on a slab of many triangles, cut once it has settled.
fn jelly(cut: Option<(DVec3, DVec3)>) -> Simulation {
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 3, 2]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0).with_rayleigh(0.0, 0.01);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [11, 13, 1]).unwrap();
    let law = PairLaw { damping: Damping::KelvinVoigt(8.0), ..PairLaw::elastic(2e3) };
    let b = Simulation::builder(DT)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::fixed("slab", slab, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap())
        .body(BodyDesc::deformable("block", block, Pose::from_position(DVec3::new(0.013, 0.007, 0.0501))));
    let cuts =
        cut.map(|(point, normal)| Cut { time: SETTLED, slot: 1, point, normal, within: None, snap: 0.05 });
    cuts.into_iter().fold(b, impinge_world::Builder::cut).build().unwrap()
}

/// Vertex–face contacts that are open.
fn open(sim: &Simulation) -> usize {
    let tracked = sim.column::<Tracked>();
    tracked.0.iter().flat_map(|t| &t.key).filter(|k| impinge_cpf::vertex_and_face(**k).is_some()).count()
}

fn lowest(sim: &Simulation) -> f64 {
    sim.column::<NodeState>().x.iter().fold(f64::INFINITY, |m, x| m.min(x.z))
}

/// Runs through the step of the cut, and a twin without it: force on the block (N) and open contacts of both.
fn through_the_cut(point: DVec3, normal: DVec3) -> (Simulation, [(f64, usize); 2]) {
    let run = |cut| {
        let mut sim = jelly(cut);
        while sim.steps() <= (SETTLED / DT).round() as u64 {
            sim.step().unwrap();
        }
        assert_eq!(sim.edits().len(), usize::from(cut.is_some()));
        let measured = (sim.contact_force(1).z, open(&sim));
        (sim, measured)
    };
    let (_, whole) = run(None);
    let (sim, cut) = run(Some((point, normal)));
    assert!(whole.1 >= 15, "{} contacts", whole.1);
    (sim, [cut, whole])
}

#[test]
fn a_cut_above_leaves_the_contacts_below_as_they_are() {
    let (_, [cut, whole]) = through_the_cut(DVec3::new(0.0, 0.0, 0.08), DVec3::new(0.1, 0.05, 1.0));
    assert!((cut.0 / whole.0 - 1.0).abs() < 0.02, "{} N instead of {} N", cut.0, whole.0);
    assert_eq!(cut.1, whole.1);
}

#[test]
fn vertices_that_come_apart_stay_in_contact_on_both_sides() {
    // Through the underside, along no edge of it: vertices are made, triangles and edges divided.
    for normal in [DVec3::new(1.0, 0.21, 0.0), DVec3::unit_x()] {
        let (mut sim, [cut, whole]) = through_the_cut(DVec3::new(0.013, 0.007, 0.0), normal);
        // Vertices on the cut are two springs now; none has let go.
        assert!(cut.0 > 0.98 * whole.0 && cut.0 < 1.6 * whole.0, "{} N for {} N", cut.0, whole.0);
        assert!(cut.1 >= whole.1, "{} contacts for {}", cut.1, whole.1);
        for _ in 0..600 {
            sim.step().unwrap();
            assert!(lowest(&sim) > -5e-3, "{} m deep at {} s", -lowest(&sim), sim.time());
        }
        let weight = 0.2 * 0.16 * 0.1 * 1000.0 * G;
        assert!((sim.contact_force(1).z / weight - 1.0).abs() < 0.1, "{} N", sim.contact_force(1).z);
    }
}

#[test]
fn what_the_target_of_a_contact_is_cut_into_carries_on() {
    // A rigid ball on the jelly: its vertices are in the jelly's triangles, which the cut divides.
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 3, 2]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0).with_rayleigh(0.0, 0.01);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let block = block.pinned(AttachTo::World, |x| x.z < -0.049);
    let ball = generators::icosphere(0.05, 2).unwrap();
    let law = PairLaw { damping: Damping::KelvinVoigt(4.0), ..PairLaw::elastic(1e3) };
    let mut sim = Simulation::builder(DT)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::deformable("block", block, Pose::identity()))
        .body(
            BodyDesc::rigid(
                "ball",
                &ball,
                Mass::Total(0.5),
                Pose::from_position(DVec3::new(0.011, 0.006, 0.1)),
            )
            .unwrap(),
        )
        .cut(Cut {
            time: SETTLED,
            slot: 0,
            point: DVec3::new(0.012, 0.0, 0.0),
            normal: DVec3::new(1.0, 0.3, 0.1),
            within: None,
            snap: 0.05,
        })
        .build()
        .unwrap();
    while sim.steps() < (SETTLED / DT).round() as u64 {
        sim.step().unwrap();
    }
    let (held, before) = (open(&sim), sim.contact_force(1).z);
    assert!(held > 3 && (before / (0.5 * G) - 1.0).abs() < 0.05, "{held} contacts, {before} N");
    sim.step().unwrap();
    assert_eq!(sim.edits().len(), 1);
    let after = sim.contact_force(1).z;
    assert!((after / before - 1.0).abs() < 0.1, "{after} N after {before} N");
    assert!(open(&sim) >= held);
}

/// A long bar on edge across a pinned sheet: it rests on edges of the sheet alone.
fn bar_on_a_sheet() -> Simulation {
    let spec = ClothSpec {
        young: 2e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 5000.0,
        bending: 0.1,
        rayleigh: [0.5, 4e-3],
    };
    let mesh = generators::grid([0.4, 0.4], [6, 6]).unwrap();
    let sheet = Deformable::cloth("sheet", &mesh, &spec).unwrap();
    let sheet = sheet.pinned(AttachTo::World, |x| x.x.abs() > 0.19);
    let bar = generators::cuboid(DVec3::new(0.04, 1.0, 0.04), [1, 1, 1]).unwrap();
    let on_edge = rotor_from_rotation_vector(DVec3::unit_y() * std::f64::consts::FRAC_PI_4);
    let pose = Pose::new(DVec3::new(0.011, 0.003, 0.02 * 2.0f64.sqrt() + 1e-4), on_edge);
    let law = PairLaw { damping: Damping::KelvinVoigt(1.0), ..PairLaw::elastic(200.0) };
    Simulation::builder(1e-3)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::deformable("sheet", sheet, Pose::identity()))
        .body(BodyDesc::rigid("bar", &bar, Mass::Total(0.3), pose).unwrap())
        .build()
        .unwrap()
}

/// Where each open contact of two edges is on its first edge and its share, in order of place.
fn traced(sim: &Simulation) -> Vec<[f64; 4]> {
    let (tracked, map) = (sim.column::<Tracked>(), sim.column::<SurfaceMap>());
    let x = |v: u32| map.at_nodes(v, &sim.column::<NodeState>().x).unwrap();
    let edges = &tracked.0[2];
    let mut out: Vec<[f64; 4]> = (0..edges.len())
        .map(|i| {
            let ([a, b, ..], [s, t, ..]) = (edges.stencil[i], edges.weight[i]);
            assert!((s + t - 1.0).abs() < 1e-12 && s > -1e-9 && t > -1e-9, "weights {s} and {t}");
            let p = x(a) * s + x(b) * t;
            [p.x, p.y, p.z, edges.share[i]]
        })
        .collect();
    out.sort_by(|a, b| a.partial_cmp(b).unwrap());
    out
}

#[test]
fn edges_that_a_cut_divides_hold_what_lies_on_them() {
    // Across the bar, along it, and obliquely under it.
    let mut divided = 0;
    for (point, normal) in [
        (DVec3::new(0.0, 0.04, 0.0), DVec3::new(0.05, 1.0, 0.0)),
        (DVec3::new(0.03, 0.0, 0.0), DVec3::new(1.0, 0.01, 0.0)),
        (DVec3::new(0.03, 0.0, 0.0), DVec3::new(1.0, 0.3, 0.0)),
    ] {
        let mut sim = bar_on_a_sheet();
        // It bounces a little before it rests.
        while traced(&sim).len() < 5 {
            sim.step().unwrap();
            assert!(sim.steps() < 1000, "the bar never lies on five edges");
        }
        let before = traced(&sim);
        let old = sim.column::<NodeState>().x.clone();
        let value = sim.column::<NodeState>().x.iter().map(|x| (*x - point).dot(normal)).collect();
        let change = Change::Cut { value, within: None, options: CutOptions::default() };
        let report = sim.edit(0, change).unwrap();
        assert!(report.surface[1] > report.surface[0]);
        let after = traced(&sim);
        // Edges along the cut are two now, at one place.
        for b in &before {
            let near = |a: &&[f64; 4]| (0..4).all(|k| (a[k] - b[k]).abs() < 1e-12);
            assert!(after.iter().any(|a| near(&a)), "nothing is left at {b:?}");
        }
        {
            let (tracked, nodes) = (sim.column::<Tracked>(), sim.column::<NodeState>());
            let made = |v: &u32| !old.contains(&nodes.x[*v as usize]);
            divided += tracked.0[2].stencil.iter().filter(|s| s[..2].iter().any(made)).count();
        }
        assert!(after.len() <= before.len() + 2, "{} of {}", after.len(), before.len());
        sim.step().unwrap();
        assert!(sim.contact_force(1).z > 0.0, "{:?}", sim.contact_force(1));
    }
    assert!(divided > 0, "no edge in contact was divided");
}
