//! What an insert looks at: the new body with the others, not all with all.

use crate::pushed::cube;
use impinge_geometry::DVec3;
use impinge_pressure::fields;
use impinge_world::{
    BodyData, BodyDesc, ContactResponse, Directions, Mass, Penalty, Pipeline, PressureField, ShapeKind,
    Simulation, Table, adapters,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The discrete penalty that counts for how many pairs of bodies it is asked whether it takes them.
#[derive(Clone, Debug)]
struct Counts(Arc<AtomicUsize>);

/// Data that does not say what class it is of.
#[derive(Debug)]
struct Unknown;

impl BodyData for Unknown {}

impl ContactResponse for Counts {
    fn name(&self) -> &'static str {
        "counts"
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        self.0.fetch_add(1, Ordering::Relaxed);
        Penalty::default().directions(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &adapters::Names) -> Pipeline {
        Penalty::default().stages(pipeline, names)
    }

    fn tables(&self) -> &'static [Table] {
        &[]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Pairs looked at when the world is built of so many bodies, and when one comes, and one goes.
fn pairs_looked_at(bodies: usize, make: impl Fn(&str, DVec3) -> BodyDesc) -> [usize; 3] {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = || count.swap(0, Ordering::Relaxed);
    let mut builder = Simulation::builder(1e-3).response(Counts(count.clone()));
    builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), -1.0));
    for k in 0..bodies {
        builder = builder.body(make(&format!("cube {k}"), DVec3::unit_x() * k as f64));
    }
    let mut sim = builder.build().unwrap();
    let built = seen();
    sim.insert(make("late", DVec3::unit_x() * -3.0)).unwrap();
    let came = seen();
    sim.remove("late").unwrap();
    [built, came, seen()]
}

#[test]
fn a_world_of_like_bodies_looks_at_as_many_pairs_as_one_of_three() {
    let first = cube("first", DVec3::zero());
    let copy = |name: &str, at| {
        let mut body = first.clone();
        (body.name, body.pose.position) = (name.to_string(), at);
        body
    };
    let alone = |name: &str, at: DVec3| BodyDesc::cuboid(name, [0.2; 3], Mass::Total(2.0), at).unwrap();
    let sized = |name: &str, at: DVec3| {
        let size = DVec3::broadcast(0.2 + 1e-3 * at.x);
        let field = PressureField::tets(fields::cuboid(size, 1e6).unwrap());
        BodyDesc::cuboid(name, size, Mass::Total(2.0), at).unwrap().with_pressure(field)
    };
    let copies = [3, 40].map(|n| pairs_looked_at(n, copy)[0]);
    let each_made = [3, 40].map(|n| pairs_looked_at(n, alone)[0]);
    let no_two_of_a_size = [3, 40].map(|n| pairs_looked_at(n, sized)[0]);
    assert!(no_two_of_a_size[0] > 0 && no_two_of_a_size == [no_two_of_a_size[0]; 2], "{no_two_of_a_size:?}");
    assert!(copies[0] > 0 && copies == [copies[0]; 2], "{copies:?}");
    assert!(each_made[0] > 0 && each_made == [each_made[0]; 2], "{each_made:?}");
}

#[test]
fn an_insert_looks_at_the_pairs_of_the_new_body_alone() {
    let own = |name: &str, at: DVec3| cube(name, at).with_data(Unknown);
    let [few, many] = [20, 40].map(|n| pairs_looked_at(n, own));
    println!("{few:?} {many:?}");
    // Each has data that only it has. Building looks at all pairs: four times as many of twice the bodies. The test would see it.
    assert!(many[0] > 3 * few[0] && few[0] >= 20 * 19 / 2, "{few:?} {many:?}");
    for (looked, bodies) in [(few, 20), (many, 40)] {
        // Either way round, and with the floor.
        assert!(looked[1] >= bodies && looked[1] <= 2 * (bodies + 2), "{looked:?}");
        assert!(looked[2] <= 2 * (bodies + 2), "{looked:?}");
    }
}
