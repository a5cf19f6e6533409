//! A response beside the ones of this project is told of a cut: what it makes of the bodies is made anew, what it found in the step before is gone.

use impinge_contact::SurfaceMap;
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::hecs::{Entity, Query, QueryBorrow, World};
use impinge_world::{
    BodyDesc, BuildError, Change, Column, ContactResponse, Deformable, Directions, NodeState, Origin,
    Outcome, Penalty, Pipeline, Place, ShapeKind, Shapes, Simulation, Stage, StageError, Step, Table,
    adapters,
};

/// Surface vertices of all bodies, made when the response is prepared.
#[derive(Debug)]
struct Prepared(usize);

/// A row for each surface vertex, of one step.
#[derive(Debug, Default)]
struct Seen(Vec<f64>);

impl Column for Prepared {
    const NAME: &'static str = "prepared vertices";
    const ORIGIN: Origin = Origin::Scene;
}

impl Column for Seen {
    const NAME: &'static str = "seen vertices";
    const ORIGIN: Origin = Origin::Step;
}

/// The discrete penalty that also looks at every vertex; refuses more vertices than so many.
#[derive(Clone, Copy, Debug)]
struct Looks(usize);

impl ContactResponse for Looks {
    fn name(&self) -> &'static str {
        "looks"
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_vertices_inside(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &adapters::Names) -> Pipeline {
        Penalty::default().stages(pipeline, names).with(Place::Response, Look)
    }

    fn tables(&self) -> &'static [Table] {
        const { &[Table::of::<Seen>()] }
    }

    fn prepare(&self, world: &mut World, arena: Entity, names: &adapters::Names) -> Result<(), BuildError> {
        let vertices: usize = {
            let shapes = world.get::<&Shapes>(arena).unwrap();
            shapes.0.iter().filter_map(|s| s.triangles()).map(|m| m.positions().len()).sum()
        };
        if vertices > self.0 {
            let reason = format!("{vertices} vertices are too many");
            return Err(BuildError::Deformable { body: names[0].clone(), reason });
        }
        let _ = world.insert_one(arena, Prepared(vertices));
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

struct Look;

impl Stage for Look {
    type Io = (&'static SurfaceMap, &'static mut Seen);
    type Rows = ();

    fn name(&self) -> &'static str {
        "look"
    }

    fn run(
        &mut self,
        (map, seen): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        seen.0 = vec![1.0; map.vertices()];
        Ok(Outcome::items(map.vertices()))
    }
}

fn block(most: usize, beside: bool) -> Simulation {
    let tets = generators::tet_box(DVec3::broadcast(0.1), [2; 3]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let sim = Simulation::builder(1e-3)
        .scheme(Scheme::ImplicitEuler)
        .law(impinge_contact::PairLaw::elastic(1e3))
        .response(Looks(most))
        .body(BodyDesc::deformable("block", block, Pose::identity()))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), -1.0))
        .body(BodyDesc::rigid("ball", &ball(), impinge_world::Mass::Total(1.0), above()).unwrap());
    let sim = if beside { sim.pair_response(1, 2, Penalty::default()) } else { sim };
    sim.build().unwrap()
}

fn ball() -> impinge_geometry::TriMesh {
    generators::icosphere(0.05, 1).unwrap()
}

fn above() -> Pose {
    Pose::from_position(DVec3::unit_z())
}

/// Cuts the block in two.
fn halve(sim: &mut Simulation) -> Result<(), String> {
    let value: Vec<f64> = sim.column::<NodeState>().x.iter().map(|x| x.x - 0.013).collect();
    let change = Change::Cut { value, within: None, options: CutOptions::default() };
    sim.edit(0, change).map(|_| ())
}

#[test]
fn it_is_prepared_for_the_cut_body_and_its_step_tables_are_empty() {
    for beside in [false, true] {
        let mut sim = block(usize::MAX, beside);
        sim.step().unwrap();
        let before = sim.column::<Prepared>().0;
        assert_eq!(seen(&sim), before);
        halve(&mut sim).unwrap();
        let after = sim.column::<SurfaceMap>().vertices();
        assert!(after > before, "{after} vertices after {before}");
        assert_eq!(sim.column::<Prepared>().0, after);
        assert_eq!(seen(&sim), 0, "rows of the step before the cut");
        sim.step().unwrap();
        assert_eq!(seen(&sim), after);
        // And the other way.
        let mut again = block(usize::MAX, beside);
        let start = again.snapshot();
        halve(&mut again).unwrap();
        again.restore(&start).unwrap();
        assert_eq!((again.column::<Prepared>().0, seen(&again)), (before, 0));
    }
}

fn seen(sim: &Simulation) -> usize {
    sim.parts().next().unwrap().column::<Seen>().0.len()
}

#[test]
fn a_cut_that_it_refuses_leaves_the_world_as_it_was() {
    let vertices = block(usize::MAX, false).column::<Prepared>().0;
    let (mut sim, mut twin) = (block(vertices, false), block(vertices, false));
    sim.step().unwrap();
    twin.step().unwrap();
    assert!(halve(&mut sim).unwrap_err().contains("are too many"));
    assert_eq!(sim.column::<Prepared>().0, vertices);
    sim.step().unwrap();
    twin.step().unwrap();
    assert_eq!(sim.hash(), twin.hash());
}
