//! Small worlds shared by the tests; no test uses all of it.
#![allow(dead_code)]

use impinge_bodies::ClothSpec;
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{DVec3, Pose, TetMesh, TriMesh, edit, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Builder, Deformable, Detection, Mass, Penalty, Response, Simulation};

pub const G: f64 = 9.81;

pub fn gravity() -> DVec3 {
    DVec3::new(0.0, 0.0, -G)
}

pub fn law(k: f64, damping: Damping) -> PairLaw {
    PairLaw { damping, ..PairLaw::elastic(k) }
}

/// A block of 0.2 × 0.06 × 0.2 m with a slit 4 cm high from one side: two jaws that can meet.
pub fn slit_block() -> TetMesh {
    let whole = generators::tet_box(DVec3::new(0.2, 0.06, 0.2), [10, 2, 10]).unwrap();
    let gone: Vec<bool> = (0..whole.tets().len())
        .map(|t| {
            let c = whole.corners(t);
            let middle = (c[0] + c[1] + c[2] + c[3]) * 0.25;
            middle.x > -0.06 && middle.z.abs() < 0.02
        })
        .collect();
    edit::remove_tets(&whole, &gone).unwrap().mesh
}

/// A particle above the plane z = 0.
pub fn particle(z: f64, v: f64, k: f64, dt: f64, g: f64, evaluate: Evaluate) -> Simulation {
    particle_with(z, v, law(k, Damping::None), dt, g, evaluate, Release::Force)
}

pub fn particle_with(
    z: f64,
    v: f64,
    law: PairLaw,
    dt: f64,
    g: f64,
    evaluate: Evaluate,
    release: Release,
) -> Simulation {
    let mut p = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, z)], 1.0);
    if let impinge_world::Motion::Particles { velocities, .. } = &mut p.motion {
        velocities[0].z = v;
    }
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -g))
        .law(law)
        .response(Response::from(Penalty { evaluate, release, detection: Detection::Facing }))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(p)
        .build()
        .unwrap()
}

pub fn node(sim: &Simulation) -> (f64, f64) {
    let n = sim.column::<impinge_world::NodeState>();
    (n.x[0].z, n.v[0].z)
}

/// Two tumbling bodies that collide in free space, all in general position.
pub fn collision(response: Response, law: PairLaw, dt: f64) -> Builder {
    let ball = generators::icosphere(0.1, 2).unwrap();
    let block = generators::cuboid(DVec3::new(0.3, 0.2, 0.15), [3, 2, 2]).unwrap();
    let pose =
        |x: f64, w: DVec3| Pose::new(DVec3::new(x, 0.03 * x, -0.02 * x), rotor_from_rotation_vector(w));
    let mut a =
        BodyDesc::rigid("ball", &ball, Mass::Total(0.7), pose(-0.22, DVec3::new(0.3, 0.1, 0.2))).unwrap();
    let mut b =
        BodyDesc::rigid("block", &block, Mass::Total(1.3), pose(0.05, DVec3::new(-0.4, 0.6, 0.1))).unwrap();
    a.velocity = DVec3::new(1.0, 0.02, 0.05);
    a.angular_velocity = DVec3::new(0.5, -2.0, 1.0);
    b.velocity = DVec3::new(-0.3, 0.1, 0.0);
    b.angular_velocity = DVec3::new(-1.0, 0.7, 0.3);
    Simulation::builder(dt).law(law).scheme(Scheme::SymplecticEuler).response(response).body(a).body(b)
}

/// A floor at z = 0, as a plane or as a mesh.
pub fn floor(on_mesh: bool) -> BodyDesc {
    if on_mesh {
        let mesh = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
        BodyDesc::fixed("floor", mesh, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
    } else {
        BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
    }
}

/// A cloth of 1 × 1 m with `cells` cells along each side, flat at `height`.
pub fn cloth(cells: u32, height: f64) -> BodyDesc {
    let sheet = generators::grid([1.0, 1.0], [cells; 2]).unwrap();
    let spec = ClothSpec {
        young: 1e3,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 0.0,
        rayleigh: [0.0; 2],
    };
    let cloth = Deformable::cloth("cloth", &sheet, &spec).unwrap();
    BodyDesc::deformable("cloth", cloth, Pose::from_position(DVec3::unit_z() * height))
}

/// Bodies of 2 kg whose lowest point is `height` above the floor: a box and a tetrahedron.
pub fn weighed(height: f64) -> [BodyDesc; 2] {
    let body = |name, mesh: impinge_geometry::TriMesh| {
        let pose = Pose::from_position(DVec3::new(0.01, 0.02, height - mesh.bounds().0.z));
        BodyDesc::rigid(name, &mesh, Mass::Total(2.0), pose).unwrap()
    };
    [
        body("box", generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 1]).unwrap()),
        body("tetrahedron", generators::tetrahedron(0.2).unwrap()),
    ]
}

/// A profile in x and z drawn out along y to both sides (m): its corners in a row that goes around with the inside to the right, seen along y, and the
/// triangles of one end.
pub fn drawn_out(profile: &[[f64; 2]], end: &[[u32; 3]], half: f64) -> TriMesh {
    let n = profile.len() as u32;
    let at = |y: f64| profile.iter().map(move |p| DVec3::new(p[0], y, p[1]));
    let positions = at(-half).chain(at(half)).collect();
    let other = end.iter().map(|t| [t[0] + n, t[2] + n, t[1] + n]);
    let sides = (0..n).flat_map(|i| {
        let j = (i + 1) % n;
        [[i, i + n, j + n], [i, j + n, j]]
    });
    TriMesh::new(positions, end.iter().copied().chain(other).chain(sides).collect()).unwrap()
}

/// Segments of a cable without a common node that touch on the way from one place to another: all pairs, by exact decisions.
pub fn touched(x0: &[DVec3], x1: &[DVec3]) -> usize {
    let segments = 0..x0.len() - 1;
    let pairs = segments.clone().flat_map(|i| segments.clone().skip(i + 2).map(move |j| (i, j)));
    let touch = |(i, j): &(usize, usize)| {
        let [a, b] = [x0, x1].map(|x| [x[*i], x[i + 1], x[*j], x[j + 1]]);
        impinge_ccd::edge_edge(&a, &b).unwrap().is_some()
    };
    pairs.filter(touch).count()
}
