//! Proximity against closed forms and against what a search over the whole surface gives.

use impinge_contact::{
    Anchors, Contact, ContactImpulses, Contacts, FrictionLaw, Pair, PairLaw, Pairs, Sides, SlipRule, Surface,
    SurfaceRow, SurfaceVelocities,
};
use impinge_geometry::{
    DVec3, Pose, Topology, TriMesh, closest_between_segments, cuboid, icosphere, rotor_from_rotation_vector,
    torus,
};
use impinge_penalty::{
    Evaluate, Inputs, NearSurface, Params, Part, Release, accumulate_near, near_edges, near_surface,
};

fn all_near(x: DVec3, mesh: &TriMesh, topology: &Topology, reach: f64) -> Vec<NearSurface> {
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    let faces = 0..mesh.triangles().len() as u32;
    near_surface(x, faces, (mesh.triangles(), topology), mesh.positions(), reach, &mut scratch, &mut out);
    out
}

/// Places around the origin that no grid knows, the same on every machine.
fn scattered(n: usize) -> impl Iterator<Item = DVec3> {
    (1..=n).map(|i| DVec3::new(0.754_877_7, 0.569_840_3, 0.430_159_7) * i as f64).map(|v| {
        let unit = |x: f64| 2.0 * x.fract() - 1.0;
        DVec3::new(unit(v.x), unit(v.y), unit(v.z))
    })
}

#[test]
fn above_a_face_an_edge_and_a_corner_of_a_box_each_is_one_contact() {
    let mesh = cuboid(DVec3::broadcast(2.0), [3, 3, 3]).unwrap();
    let topology = Topology::new(&mesh);
    let (h, r3) = (0.3, 1.0 / 3f64.sqrt());
    for (x, part, normal, distance) in [
        (DVec3::new(0.1, 0.2, 1.1), 0, DVec3::unit_z(), 0.1),
        (DVec3::new(0.1, 1.1, 1.1), 1, DVec3::new(0.0, 0.5, 0.5).normalized(), 0.02f64.sqrt()),
        (DVec3::broadcast(1.1), 2, DVec3::broadcast(r3), 0.03f64.sqrt()),
        // From inside the same, and away from the surface: that is inwards.
        (DVec3::new(0.1, 0.2, 0.9), 0, -DVec3::unit_z(), 0.1),
    ] {
        let [n] = all_near(x, &mesh, &topology, h)[..] else {
            panic!("{:?}", all_near(x, &mesh, &topology, h))
        };
        let kind = match n.part {
            Part::Face(_) => 0,
            Part::Edge(_) => 1,
            Part::Vertex(_) => 2,
        };
        assert_eq!(kind, part, "{x:?}: {n:?}");
        assert!((n.normal - normal).mag() < 1e-12 && (n.distance - distance).abs() < 1e-12, "{x:?}: {n:?}");
        let corners = mesh.triangles()[n.face as usize].map(|v| mesh.positions()[v as usize]);
        let closest = (0..3).fold(DVec3::zero(), |s, i| s + corners[i] * n.weights[i]);
        assert!((closest + n.normal * n.distance - x).mag() < 1e-12);
    }
    // Out of reach, on the surface (out along its normal), and no number.
    assert!(all_near(DVec3::new(0.1, 0.2, 1.0 + h + 1e-9), &mesh, &topology, h).is_empty());
    let [on] = all_near(DVec3::new(0.1, 0.2, 1.0), &mesh, &topology, h)[..] else { panic!() };
    assert!(on.distance < 1e-15 && (on.normal - DVec3::unit_z()).mag() < 1e-15, "{on:?}");
    assert!(all_near(DVec3::broadcast(f64::NAN), &mesh, &topology, h).is_empty());
}

/// In a corner of two walls a point is near both, one contact each; over a ridge only one.
#[test]
fn in_a_hollow_there_are_two() {
    let mesh = cuboid(DVec3::broadcast(2.0), [1, 1, 1]).unwrap();
    let topology = Topology::new(&mesh);
    // Inside the box its sides are the walls of a hollow.
    let near = all_near(DVec3::new(0.9, 0.85, 0.0), &mesh, &topology, 0.3);
    let mut found: Vec<_> = near.iter().map(|n| (n.normal, n.distance)).collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let [(n, d), (m, e)] = found[..] else { panic!("{near:?}") };
    assert!((n + DVec3::unit_x()).mag() < 1e-12 && (d - 0.1).abs() < 1e-12);
    assert!((m + DVec3::unit_y()).mag() < 1e-12 && (e - 0.15).abs() < 1e-12);
}

/// The nearest of all is always there, nothing is there twice, and each is a local minimum: no place near it on the surface is nearer.
#[test]
fn contacts_are_the_local_minima_of_the_distance() {
    for mesh in [
        icosphere(1.0, 2).unwrap(),
        torus(0.8, 0.3, 24, 12).unwrap(),
        cuboid(DVec3::broadcast(1.4), [2, 3, 1]).unwrap(),
    ] {
        let topology = Topology::new(&mesh);
        let index = impinge_query::MeshIndex::new(&mesh);
        let reach = 0.4;
        let mut seen = 0;
        for x in scattered(2000).map(|p| p * 1.4) {
            let near = all_near(x, &mesh, &topology, reach);
            let nearest = index.nearest(x).distance;
            assert_eq!(nearest < reach, !near.is_empty(), "{x:?}: {nearest}");
            if near.is_empty() {
                continue;
            }
            seen += 1;
            let least = near.iter().map(|n| n.distance).fold(f64::INFINITY, f64::min);
            assert!((least - nearest).abs() < 1e-12, "{x:?}: {least} for {nearest}");
            assert!(near.windows(2).all(|w| w[0].part < w[1].part));
            for n in &near {
                let corners = mesh.triangles()[n.face as usize].map(|v| mesh.positions()[v as usize]);
                let at = (0..3).fold(DVec3::zero(), |s, i| s + corners[i] * n.weights[i]);
                // Faces around the part that was met.
                let around: Vec<u32> = match n.part {
                    Part::Face(f) => vec![f],
                    Part::Edge(e) => topology.faces_of_edge(e).to_vec(),
                    Part::Vertex(v) => topology.vertex_faces(v).to_vec(),
                };
                for f in around {
                    let t = mesh.triangles()[f as usize].map(|v| mesh.positions()[v as usize]);
                    let middle = (t[0] + t[1] + t[2]) / 3.0;
                    let beside = at + (middle - at) * 1e-3;
                    assert!((x - beside).mag() >= n.distance - 1e-12, "{x:?}: {n:?}");
                }
            }
        }
        assert!(seen > 300, "{seen} near");
    }
}

#[test]
fn edges_are_near_inside_both_and_from_either_the_other_way_round() {
    let (mut near, mut crossing) = (0, 0);
    let points: Vec<DVec3> = scattered(4000).collect();
    for p in points.chunks_exact(4) {
        let (a, b) = ([p[0], p[1]], [p[2], p[3]]);
        let reach = 0.5;
        let closest = closest_between_segments(a, b);
        let inside = closest.parameters.iter().all(|t| *t > 0.0 && *t < 1.0);
        let found = near_edges(a, b, reach, DVec3::zero);
        assert_eq!(found.is_some(), inside && closest.distance_squared.sqrt() < reach);
        let Some(n) = found else { continue };
        near += 1;
        let at = |e: [DVec3; 2], t: f64| e[0] + (e[1] - e[0]) * t;
        let gap = at(a, n.parameters[0]) - at(b, n.parameters[1]);
        assert!((gap - n.normal * n.distance).mag() < 1e-12);
        // A unit vector along a gap is as exact as rounding of the places is small beside it.
        let rounding = 1e-14 / n.distance;
        assert!(n.normal.dot(a[1] - a[0]).abs() < rounding && n.normal.dot(b[1] - b[0]).abs() < rounding);
        let back = near_edges(b, a, reach, DVec3::zero).unwrap();
        assert!((back.normal + n.normal).mag() < rounding && (back.distance - n.distance).abs() < 1e-12);
        // The same edges moved together so that they cross.
        let met = near_edges(a, b.map(|v| v + gap), reach, DVec3::zero);
        crossing +=
            usize::from(met.is_some_and(|m| m.distance < 1e-12 && (m.normal.mag() - 1.0).abs() < 1e-12));
    }
    assert!(near > 100 && crossing > near * 9 / 10, "{near} near, {crossing} met");
    let (x, y) = (DVec3::unit_x(), DVec3::unit_y());
    // They meet in the middle; parallel ones on each other have no normal.
    for (a, free) in [([-x, x], 1.0), ([x, -x], 1.0), ([-x, x], -1.0), ([x, -x], -1.0)] {
        let up = DVec3::new(0.3, 0.2, free);
        let met = near_edges(a, [-y, y], 0.1, || up).unwrap();
        assert_eq!((met.distance, met.parameters, met.normal), (0.0, [0.5; 2], DVec3::unit_z() * free));
    }
    assert!(near_edges([-x, x], [-x * 0.5, x * 2.0], 0.1, DVec3::zero).is_none());
    assert!(near_edges([x * f64::NAN, x], [-y, y], 0.1, DVec3::zero).is_none());
}

/// A rotated copy has the same contacts, turned.
#[test]
fn turned_surfaces_have_turned_contacts() {
    let mesh = torus(0.8, 0.3, 16, 8).unwrap();
    let topology = Topology::new(&mesh);
    let pose = Pose::new(DVec3::new(3.0, -2.0, 1.0), rotor_from_rotation_vector(DVec3::new(0.3, 1.1, -0.4)));
    let places: Vec<DVec3> = mesh.positions().iter().map(|p| pose.point_to_world(*p)).collect();
    let moved = TriMesh::new(places, mesh.triangles().to_vec()).unwrap();
    for x in scattered(300) {
        let one = all_near(x, &mesh, &topology, 0.25);
        let two = all_near(pose.point_to_world(x), &moved, &topology, 0.25);
        // Where rounding decides between a face and its edge the part may be another; distance and direction are not.
        assert_eq!(one.is_empty(), two.is_empty());
        let least =
            |near: &[NearSurface]| near.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).copied();
        if let (Some(p), Some(q)) = (least(&one), least(&two)) {
            assert!((p.distance - q.distance).abs() < 1e-12);
            if p.distance > 1e-6 && one.len() == 1 {
                assert!((pose.vector_to_world(p.normal) - q.normal).mag() < 1e-7);
            }
        }
    }
}

/// Corner on corner a body is pushed as the faces around say on average, not as the first of them does; above the side that two faces in one plane
/// share it is pushed once, however they are turned.
#[test]
fn touching_corners_are_pushed_apart_and_nothing_twice() {
    let mesh = cuboid(DVec3::broadcast(2.0), [1, 1, 1]).unwrap();
    let topology = Topology::new(&mesh);
    for corner in mesh.positions() {
        let [n] = all_near(*corner, &mesh, &topology, 0.1)[..] else { panic!() };
        assert!(matches!(n.part, Part::Vertex(_)) && n.distance == 0.0);
        // Two of a corner's sides may have a second triangle there.
        assert!((0..3).all(|k| n.normal[k] * corner[k] > 0.3), "{:?} at {corner:?}", n.normal);
    }
    let rim = all_near(DVec3::new(0.2, 1.0, 1.0), &mesh, &topology, 0.1);
    assert!(matches!(rim[..], [n] if (n.normal - DVec3::new(0.0, 0.5, 0.5).normalized()).mag() < 1e-12));
    for (i, turn) in scattered(2000).enumerate() {
        let turn = Pose::new(turn * 2.0, rotor_from_rotation_vector(turn * 3.0));
        let places: Vec<DVec3> = mesh.positions().iter().map(|p| turn.point_to_world(*p)).collect();
        let moved = TriMesh::new(places, mesh.triangles().to_vec()).unwrap();
        // Above the diagonal of its upper side, whichever it is.
        let [a, b] = topology.edges()[topology.edges().len() - 1 - i % 6];
        let (a, b) = (mesh.positions()[a as usize], mesh.positions()[b as usize]);
        let middle = a * 0.6 + b * 0.4;
        let up = all_near(middle, &mesh, &topology, 0.1)[0].normal;
        let near = all_near(turn.point_to_world(middle + up * 0.05), &moved, &topology, 0.1);
        assert_eq!(near.len(), 1, "{near:?}");
        assert!((near[0].distance - 0.05).abs() < 1e-12);
    }
}

/// Two edges across each other, a gap apart, on bodies that turn as one: nothing slides, though the points that are closest move along each other by 2π gaps a
/// turn. On bodies of which one slides, the force is that of the way it has gone.
#[test]
fn what_turns_as_one_does_not_slide() {
    let (dt, gap, reach, k) = (1e-3, 0.02, 0.03, 1e4);
    for evaluate in [Evaluate::Start, Evaluate::End] {
        for (spin, slide) in [(2.0, 0.0), (0.0, 1e-3), (2.0, 1e-3)] {
            let axis = DVec3::new(0.3, 1.0, 0.2).normalized();
            let omega = axis * spin;
            let turned = |t: f64| Pose::new(DVec3::zero(), rotor_from_rotation_vector(omega * t));
            let ends = [[-1.0, 0.0, gap], [1.0, 0.0, gap], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
            // The first edge moves along itself, as seen from the second.
            let at = |i: usize, t: f64| {
                let along = if i < 2 { slide * t } else { 0.0 };
                turned(t).point_to_world(DVec3::from(ends[i]) + DVec3::unit_x() * along)
            };
            let friction = FrictionLaw {
                mu_s: 9.0,
                mu_k: 9.0,
                k_fp: 1e3,
                k_fd: 0.0,
                k_omega: 1e3,
                rule: SlipRule::ReturnMap,
            };
            let laws = [PairLaw { friction: Some(friction), ..PairLaw::elastic(k) }];
            let mut pairs = Pairs::default();
            pairs.push(Pair { a: 0, b: 1, law: 0, sides: Sides::Both });
            let (mut anchors, mut force) = (Anchors::default(), DVec3::zero());
            let steps = 2000;
            for i in 0..steps {
                let t = f64::from(i) * dt;
                let (mut surface, mut contacts) = (Surface::default(), Contacts::default());
                for v in 0..4 {
                    let (x0, x1) = (at(v, t), at(v, t + dt));
                    // As a step of symplectic Euler leaves it: the way of the step before.
                    let v0 = (x0 - at(v, t - dt)) / dt;
                    surface.push(SurfaceRow { x0, x1, v0, body: u32::from(v > 1) });
                }
                let then = if evaluate == Evaluate::Start { t } else { t + dt };
                let [a, b, c, d] = [0, 1, 2, 3].map(|v| at(v, then));
                let n = near_edges([a, b], [c, d], reach, DVec3::zero).unwrap();
                let [s, u] = n.parameters;
                contacts.push(Contact {
                    stencil: [0, 1, 2, 3],
                    weight: [1.0 - s, s, u - 1.0, -u],
                    normal: n.normal,
                    t_in: 0.0,
                    t_out: 1.0,
                    area: 1.0,
                    pair: 0,
                    key: 1 << 63,
                });
                let frames = [turned(then); 2];
                let (mut out, mut next) = (ContactImpulses::default(), Anchors::default());
                let params = Params { dt, evaluate, release: Release::Force };
                let none = SurfaceVelocities::default();
                let inputs = Inputs {
                    surface: surface.view(),
                    pairs: pairs.view(),
                    laws: &laws,
                    frames: &frames,
                    anchors: &anchors,
                    surface_velocities: &none,
                    parts: &[],
                };
                accumulate_near(
                    &params,
                    (reach, &[omega, omega]),
                    &inputs,
                    contacts.view(),
                    &mut out,
                    &mut next,
                );
                force = turned(then).vector_to_body(out.friction[0] / dt);
                anchors = next;
            }
            let expected = DVec3::new(-1e3 * slide * dt * f64::from(steps - 1), 0.0, 0.0);
            // The turn of the last step is known to its first order; without the turns of the bodies 80 N would be there.
            let last = 1e3 * gap * spin * dt;
            assert!(
                (force - expected).mag() < 0.01 + 1.2 * last,
                "{evaluate:?}, {spin}, {slide}: {force:?} for {expected:?} N"
            );
        }
    }
}
