//! A cut that is taken back before any step: the next step is that of the world that was not cut.

use crate::common::gravity;
use impinge_contact::PairLaw;
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Change, Deformable, Mass, NodeState, PressureField, RESPONSES, Response, Simulation,
};

/// A box on a plate, and a block of jelly beside them, which is in the air or on the plate too.
fn world(response: Response, over: f64) -> Option<Simulation> {
    let solid = |size: DVec3| {
        let mesh = generators::cuboid(size, [1; 3]).unwrap();
        (mesh, PressureField::tets(fields::cuboid(size, 1e6).unwrap()))
    };
    let ((plate, under), (cube, inside)) = (solid(DVec3::new(1.0, 1.0, 0.2)), solid(DVec3::broadcast(0.2)));
    let tets = generators::tet_box(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]).unwrap();
    let jelly = Material::new(2e4, 0.3, 1000.0).with_rayleigh(0.0, 0.002);
    let block = Deformable::solid("block", &tets, Model::StableNeoHookean, &jelly).unwrap();
    let at = |x: f64, z: f64| Pose::from_position(DVec3::new(x, 0.027, z));
    let boxed = BodyDesc::rigid("box", &cube, Mass::Total(2.0), at(0.013, 0.0999)).unwrap();
    let plate = BodyDesc::fixed("plate", plate, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap();
    let scheme = response.scheme().unwrap_or(Scheme::ImplicitEuler);
    Simulation::builder(1e-4)
        .gravity(gravity())
        .law(PairLaw::elastic(1e4))
        .scheme(scheme)
        .response(response)
        .body(plate.with_pressure(under))
        .body(boxed.with_pressure(inside))
        .body(BodyDesc::deformable("block", block, at(-0.3, 0.05 + over)))
        .build()
        .ok()
}

fn cut(sim: &mut Simulation, at: f64) {
    let value: Vec<f64> = sim.column::<NodeState>().x.iter().map(|x| x.x - at).collect();
    let change = Change::Cut { value, within: None, options: CutOptions::default() };
    sim.edit(2, change).unwrap();
}

/// What a response finds anew only where a body changed was emptied by the cut and not found again by the way back.
#[test]
fn the_step_after_a_cut_that_is_taken_back_has_the_bits_of_the_uncut_world() {
    let mut taken = Vec::new();
    for r in RESPONSES {
        let mut sim = world(r.response(), 0.01).or_else(|| world(r.response(), 1.0));
        let Some(sim) = &mut sim else { continue };
        let run = |sim: &mut Simulation| {
            let name = sim.response().name();
            (0..3).for_each(|_| sim.step().unwrap_or_else(|e| panic!("{name}: {e}")));
            sim.hash()
        };
        run(sim);
        let whole = sim.snapshot();
        let on = run(sim);
        // Not cut yet, cut once and back, and cut twice and back.
        for cuts in 0..3 {
            sim.restore(&whole).unwrap();
            (0..cuts).for_each(|k| cut(sim, -0.287 - 0.04 * f64::from(k)));
            sim.restore(&whole).unwrap();
            assert_eq!(run(sim), on, "{}, {cuts} cuts", sim.response().name());
        }
        // And the other way: a cut world that was whole in between.
        sim.restore(&whole).unwrap();
        cut(sim, -0.287);
        run(sim);
        let cut = sim.snapshot();
        let on = run(sim);
        sim.restore(&whole).unwrap();
        sim.restore(&cut).unwrap();
        assert_eq!(run(sim), on, "{}, whole in between", sim.response().name());
        taken.push(sim.response().name());
    }
    assert!(taken.len() >= 7, "all but pressure take a block of jelly: {taken:?}");
}
