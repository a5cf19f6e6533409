//! Ten pairs of bodies whose contacts are degenerate (S8; after Erleben 2018 and the scenes of rigid-IPC and IPC that follow him):
//! points on points, edges along edges, spikes and wedges in holes and cracks, rims of cliffs, seams of a floor. Under constraints
//! nothing may cross, by exact predicates on the triangles of both; nothing may gain energy or stop the run.

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_meshing::self_intersections;
use impinge_world::{BodyDesc, Mass, QpReport, Response, Simulation};

const S: f64 = 0.1;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z) * S
}

/// A pyramid with its point up (`sign` 1) or down (−1), its point at z = 0.
fn spike(sign: f64) -> TriMesh {
    let z = -sign;
    let x = vec![v(-0.4, -0.4, z), v(0.4, -0.4, z), v(0.4, 0.4, z), v(-0.4, 0.4, z), v(0.0, 0.0, 0.0)];
    let up = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    TriMesh::new(x, turned(up, sign)).unwrap()
}

/// A wedge with its edge along y, up or down, at z = 0.
fn wedge(sign: f64) -> TriMesh {
    prism(&[[-0.4, -sign], [0.4, -sign], [0.0, 0.0]], &[[0, 1, 2]], sign)
}

/// Counterclockwise polygon in x, z, with its triangles, along y.
fn prism(polygon: &[[f64; 2]], caps: &[[u32; 3]], sign: f64) -> TriMesh {
    let n = polygon.len() as u32;
    let side = |y: f64| polygon.iter().map(move |p| v(p[0], y, p[1]));
    let x: Vec<DVec3> = side(-0.5).chain(side(0.5)).collect();
    let mut t: Vec<[u32; 3]> = caps.to_vec();
    t.extend(caps.iter().map(|c| [c[0] + n, c[2] + n, c[1] + n]));
    for i in 0..n {
        let j = (i + 1) % n;
        t.extend([[j, i, i + n], [j, i + n, j + n]]);
    }
    TriMesh::new(x, turned(t, sign)).unwrap()
}

fn turned(t: Vec<[u32; 3]>, sign: f64) -> Vec<[u32; 3]> {
    if sign > 0.0 { t } else { t.into_iter().map(|t| [t[0], t[2], t[1]]).collect() }
}

/// A block with a groove along y: its edges at x = ±0.5, z = 0, its bottom at z = −1.
fn crack() -> TriMesh {
    let polygon = [[-1.0, 0.0], [-1.0, -1.3], [1.0, -1.3], [1.0, 0.0], [0.5, 0.0], [0.0, -1.0], [-0.5, 0.0]];
    prism(&polygon, &[[0, 1, 6], [6, 1, 5], [5, 1, 2], [5, 2, 4], [4, 2, 3]], 1.0)
}

/// A block with a pit like a pyramid: rim at ±0.5, z = 0, bottom at z = −1.
fn pit() -> TriMesh {
    let square = |r: f64, z: f64| [v(-r, -r, z), v(r, -r, z), v(r, r, z), v(-r, r, z)];
    let mut x: Vec<DVec3> = [square(1.0, -1.3), square(1.0, 0.0), square(0.5, 0.0)].concat();
    x.push(v(0.0, 0.0, -1.0));
    let mut t = vec![[0, 2, 1], [0, 3, 2]];
    for i in 0..4u32 {
        let j = (i + 1) % 4;
        t.extend([[i, j, j + 4], [i, j + 4, i + 4]]);
        t.extend([[i + 4, j + 4, j + 8], [i + 4, j + 8, i + 8]]);
        t.push([i + 8, j + 8, 12]);
    }
    TriMesh::new(x, t).unwrap()
}

fn cube(segments: [u32; 3]) -> TriMesh {
    generators::cuboid(DVec3::broadcast(S), segments).unwrap()
}

struct Case {
    name: &'static str,
    below: TriMesh,
    above: TriMesh,
    /// Of the upper body's mesh frame over the lower's (in S), and its turn about z.
    at: [f64; 3],
    turn: f64,
    velocity: DVec3,
}

fn cases() -> Vec<Case> {
    let case = |name, below, above, at, turn| Case { name, below, above, at, turn, velocity: DVec3::zero() };
    let floor = || generators::cuboid(v(8.0, 8.0, 0.5), [16, 16, 1]).unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    vec![
        case("spikes: point on point", spike(1.0), spike(-1.0), [0.0, 0.0, 0.05], 0.0),
        case("spike on the edge of a wedge", wedge(1.0), spike(-1.0), [0.0, 0.0, 0.05], 0.0),
        case("wedges: edges across", wedge(1.0), wedge(-1.0), [0.0, 0.0, 0.05], quarter),
        case("wedges: edge along edge", wedge(1.0), wedge(-1.0), [0.0, 0.0, 0.05], 0.0),
        case("spike in a hole", pit(), spike(-1.0), [0.03, 0.01, -0.3], 0.0),
        case("wedge in a hole", pit(), wedge(-1.0), [0.0, 0.0, 0.3], 0.1),
        case("spike in a crack", crack(), spike(-1.0), [0.02, 0.0, -0.3], 0.0),
        case("wedge in a crack", crack(), wedge(-1.0), [0.0, 0.0, -0.3], 0.0),
        case("cliff: rim along rim", cube([1; 3]), cube([1; 3]), [0.5, 0.0, 1.05], 0.0),
        Case {
            velocity: DVec3::new(0.5, 0.31, 0.0),
            ..case("seams of a floor", floor(), cube([1; 3]), [-0.5, -0.5, 0.77], 0.0)
        },
    ]
}

/// Pairs of triangles of the two that cross.
fn crossings(case: &Case, sim: &Simulation, bodies: &[TriMesh; 2]) -> usize {
    let refused = |e| -> TriMesh { panic!("{}: {e}", case.name) };
    let placed = [0, 1].map(|i| {
        let pose = sim.pose(i as u32);
        bodies[i].mapped(|p| pose.point_to_world(p)).unwrap_or_else(refused)
    });
    let both = TriMesh::joined(&[&placed[0], &placed[1]]).unwrap_or_else(refused);
    let (crossing, of_below) = (self_intersections(&both), bodies[0].triangles().len() as u32);
    crossing.iter().filter(|c| (c.faces[0] < of_below) != (c.faces[1] < of_below)).count()
}

#[test]
fn ten_degenerate_cases() {
    for friction in [0.0, 0.5] {
        for case in cases() {
            let law = FrictionLaw {
                mu_s: friction,
                mu_k: friction,
                k_fp: 1.0,
                k_fd: 0.0,
                k_omega: 0.0,
                rule: SlipRule::ReturnMap,
            };
            let law = PairLaw { friction: (friction > 0.0).then_some(law), ..PairLaw::elastic(1.0) };
            let turn = rotor_from_rotation_vector(DVec3::unit_z() * case.turn);
            let pose = Pose::new(v(case.at[0], case.at[1], case.at[2]), turn);
            let mut above = BodyDesc::rigid("above", &case.above, Mass::Density(500.0), pose).unwrap();
            above.velocity = case.velocity;
            let below = BodyDesc::fixed("below", case.below.clone(), Pose::identity()).unwrap();
            let meshes = [&below, &above].map(|b| b.shape.triangles().unwrap().clone());
            let mut sim = Simulation::builder(0.01)
                .gravity(DVec3::new(0.0, 0.0, -9.81))
                .law(law)
                .response(Response::qp())
                .body(below)
                .body(above)
                .build()
                .unwrap();
            assert_eq!(crossings(&case, &sim, &meshes), 0, "{}: at the start", case.name);
            let (mut active, mut cut, start) = (0, 0, sim.energy().total());
            let mut most = start;
            for step in 0..60 {
                sim.step().unwrap_or_else(|e| panic!("{}, mu {friction}: {e}", case.name));
                let r = *sim.column::<QpReport>();
                (active, cut) = (active.max(r.active), cut + r.cut);
                most = most.max(sim.energy().total());
                assert_eq!(r.left, 0, "{}, mu {friction}, step {step}: {r:?}", case.name);
                let crossing = crossings(&case, &sim, &meshes);
                assert_eq!(crossing, 0, "{}, mu {friction}, step {step}: {r:?}", case.name);
            }
            println!(
                "{}, mu {friction}: {active} rows act, {cut} cut, energy +{:.1e} J of {start:.2e}, {:?}",
                case.name,
                most - start,
                sim.position(1)
            );
            assert!(active > 0, "{}, mu {friction}: they do not meet", case.name);
            if case.velocity != DVec3::zero() && friction == 0.0 {
                // Over 0.3 m of seams it is neither caught nor lifted.
                let to = v(case.at[0], case.at[1], 0.76) + case.velocity * 0.6;
                assert!((sim.position(1) - to).mag() < 1e-5, "{:?}, not {to:?}", sim.position(1));
            }
            // Recovery at 0.01 m/s of some 0.3 kg is 2e-5 J.
            assert!(most - start < 1e-4, "{}, mu {friction}: gains {} J", case.name, most - start);
        }
    }
}
