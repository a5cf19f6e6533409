//! Bodies that start inside each other are named where the response would not hold them.

mod common;

use common::{gravity, law};
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};

fn cuboid(size: [f64; 3]) -> TriMesh {
    generators::cuboid(DVec3::from(size), [1, 1, 1]).unwrap()
}

/// A fixed body with its middle in the origin, and a free one at `at` (m).
fn two(response: Response, [fixed, free]: [TriMesh; 2], at: DVec3) -> Simulation {
    let scheme = match response.family() {
        Family::CpfImplicit => Scheme::ImplicitMidpoint,
        Family::Qp => Scheme::ImplicitEuler,
        _ => Scheme::SymplecticEuler,
    };
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(1e4, Damping::None))
        .scheme(scheme)
        .response(response)
        .body(BodyDesc::fixed("under", fixed, Pose::identity()).unwrap())
        .body(BodyDesc::rigid("over", &free, Mass::Total(1.0), Pose::from_position(at)).unwrap())
        .build()
        .unwrap()
}

fn crossing() -> [Response; 4] {
    [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit(), Response::Qp(Default::default())]
}

#[test]
fn a_box_in_a_floor_is_named_where_it_would_fall_through() {
    let slab = [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])];
    for response in crossing() {
        let mut sim = two(response, slab.clone(), DVec3::unit_z() * 0.17);
        let unseen = sim.unseen();
        let falls = response.family() == Family::Qp;
        assert_eq!(unseen.len(), usize::from(falls), "{response:?}");
        for u in &unseen {
            assert!((u.depth - 0.03).abs() < 1e-12 && !u.edges_alone, "{u}");
            let words = u.to_string();
            assert!(words.contains("'under' and 'over'") && words.contains("3.00e-2 m"), "{words}");
        }
        (0..300).for_each(|_| drop(sim.step().unwrap()));
        assert_eq!(sim.pose(1).position.z < 0.0, falls, "{response:?}: {} m", sim.pose(1).position.z);
    }
    // All that is inside counts.
    assert_eq!(two(Response::penalty(), slab, DVec3::unit_z() * 0.17).unseen(), []);
}

#[test]
fn bars_that_cross_have_no_vertex_inside() {
    let bars = [cuboid([1.0, 0.1, 0.1]), cuboid([0.1, 1.0, 0.1])];
    for response in crossing() {
        let sim = two(response, bars.clone(), DVec3::unit_z() * 0.06);
        // The edges of the upper one run 40 mm deep; halfway through, its surface is as near to the sides.
        let [unseen] = &sim.unseen()[..] else { panic!("{response:?}: {:?}", sim.unseen()) };
        assert!(unseen.edges_alone && (unseen.depth - 0.04).abs() < 1e-12, "{unseen}");
    }
}

#[test]
fn what_touches_is_not_inside() {
    let slab = [cuboid([1.0, 1.0, 0.2]), cuboid([0.2; 3])];
    let same = [cuboid([0.2; 3]), cuboid([0.2; 3])];
    let bars = [cuboid([1.0, 0.1, 0.1]), cuboid([0.1, 1.0, 0.1])];
    for response in crossing() {
        for off in [0.0, 1e-17, -1e-17, 1e-10, -1e-10, 0.05] {
            for (bodies, z) in [(&slab, 0.2), (&same, 0.2), (&bars, 0.1)] {
                let sim = two(response, bodies.clone(), DVec3::unit_z() * (z + off));
                assert_eq!(sim.unseen(), [], "{response:?}, {off} m off");
            }
        }
    }
}
