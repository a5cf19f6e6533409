//! Rays and closest points on soft surfaces: by their trees, as every triangle would say.

use crate::common::{cloth, gravity};
use impinge_contact::PairLaw;
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_query::brute_force;
use impinge_world::{BodyDesc, Deformable, NodeState, Shapes, Simulation};

/// The surface of a body whose vertices are its nodes.
fn standing(sim: &Simulation, slot: u32) -> TriMesh {
    let (shapes, state) = (sim.column::<Shapes>(), sim.column::<NodeState>());
    let mesh = shapes.0[slot as usize].triangles().unwrap();
    TriMesh::new(state.x[sim.nodes_of(slot)].to_vec(), mesh.triangles().to_vec()).unwrap()
}

fn direction(k: u32) -> DVec3 {
    let f = f64::from(k);
    DVec3::new((f * 1.3).sin(), (f * 2.7).cos(), (f * 0.9).sin())
}

/// As brute force says; a ray but for the length of its direction, which `cast_ray` makes 1 once more.
fn compare(sim: &Simulation, slot: u32) -> u32 {
    let mesh = standing(sim, slot);
    let mut hits = 0;
    for k in 0..200 {
        let (p, d) = (direction(k) * 0.7 + DVec3::unit_z(), direction(k + 1000).normalized());
        let met = sim.cast_ray(p, d, 3.0).map(|(_, m)| (m.distance, m.triangle));
        let brute = brute_force::ray(&mesh, p, d, 3.0).map(|h| (h.t, Some(h.triangle)));
        assert_eq!(met.map(|m| m.1), brute.map(|m| m.1), "{k}");
        let off = met.zip(brute).map_or(0.0, |(m, b)| (m.0 - b.0).abs());
        assert!(off <= 1e-15 * 3.0, "{k}: {off}");
        hits += u32::from(met.is_some());
        let near = sim.closest_point(p).unwrap().1;
        let brute = brute_force::nearest(&mesh, p);
        assert_eq!((near.point, near.distance), (brute.point, brute.distance), "{k}");
    }
    hits
}

#[test]
fn answers_are_those_of_all_triangles_wherever_the_surface_goes() {
    let sim = |body: BodyDesc| {
        Simulation::builder(1e-3).gravity(gravity()).law(PairLaw::elastic(1e4)).body(body).build().unwrap()
    };
    let tets = generators::tet_sphere(0.4, 4).unwrap();
    let ball = Deformable::solid("ball", &tets, Model::default(), &Material::new(1e4, 0.3, 1000.0)).unwrap();
    let mut ball = sim(BodyDesc::deformable("ball", ball, Pose::from_position(DVec3::unit_z())));
    ball.set_velocity("ball", [0.1, 0.0, 0.0]).unwrap();
    let skin =
        |sim: &Simulation| sim.cast_ray([0.0, 0.0, 5.0], [0.0, 0.0, -1.0], 9.0).map(|(_, m)| m.distance);
    let mut cloth = sim(cloth(12, 1.0));
    let (mut hits, mut last) = (0, None);
    for round in 0..4 {
        hits += compare(&cloth, 0);
        let now = skin(&cloth);
        // It has moved since.
        assert!(round == 0 || now > last, "{now:?} {last:?}");
        last = now;
        for sim in [&mut cloth, &mut ball] {
            for _ in 0..20 {
                sim.step().unwrap();
            }
        }
        // Straight below, where the way is known.
        let fallen = 0.5 * 9.81 * cloth.time() * cloth.time();
        assert!((skin(&cloth).unwrap() - 4.0 - fallen).abs() < 0.02 * (fallen + 0.01), "{fallen}");
    }
    cloth.set_pose("cloth", Pose::from_position(DVec3::unit_z())).unwrap();
    hits += compare(&cloth, 0);
    assert!((50..900).contains(&hits), "{hits} rays meet it");
    let inside = |sim: &Simulation, p: DVec3| sim.closest_point(p).unwrap().1.distance < 0.0;
    let middle = ball.position(0);
    assert!(inside(&ball, middle) && !inside(&ball, middle + DVec3::unit_x() * 0.5));
    assert_eq!(ball.bodies_at(middle).len(), 1);
}
