//! The surface map with every attachment at once: going down and coming back are adjoint, a contact on an embedded
//! skin invents neither power nor momentum, and the bits do not depend on the number of threads.

use impinge_contact::{
    Advanced, ApplyWorkspace, Attachment, BalanceWorkspace, BodyDof, BodyDofs, BodyKind, Contact,
    ContactImpulse, ContactImpulses, Contacts, Decided, Embedding, EmbeddingError, External, FinishedStep,
    Ledger, Loads, Mobility, NONE, NodeDof, NodeDofs, Pair, Pairs, PatchRow, PatchShare, Patches,
    PlaneContacts, Prediction, Sides, Surface, SurfaceMap, Wrench, apply, balance,
};
use impinge_geometry::{DMat3, DVec3, Pose, rotor_from_rotation_vector};

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
    fn below(&mut self, n: usize) -> u32 {
        (self.unit() * n as f64) as u32
    }
}

/// Weights of four distinct nodes that sum to 1; some are negative (extrapolation), some zero.
fn random_embedding(r: &mut Random, nodes: usize, vertices: usize) -> Embedding {
    let (mut stencil, mut weight) = (vec![], vec![]);
    for v in 0..vertices {
        let mut s: Vec<u32> = vec![];
        while s.len() < 4 {
            let n = r.below(nodes);
            if !s.contains(&n) {
                s.push(n);
            }
        }
        let mut w = [r.unit() - 0.1, r.unit() - 0.1, if v % 3 == 0 { 0.0 } else { r.unit() - 0.1 }, 0.0];
        w[3] = 1.0 - (w[0] + w[1] + w[2]);
        stencil.push([s[0], s[1], s[2], s[3]]);
        weight.push(w);
    }
    Embedding::new(nodes, &stencil, &weight).unwrap()
}

struct Scene {
    map: SurfaceMap,
    bodies: BodyDofs,
    nodes: NodeDofs,
    prediction: Prediction,
    surface: Surface,
}

/// Loose nodes, a rigid body, an embedded skin, a driven body, the boundary of a body with inner nodes, a fixed one.
fn scene(seed: u64) -> Scene {
    let mut r = Random(seed);
    let (mut map, mut bodies, mut nodes) = (SurfaceMap::default(), BodyDofs::default(), NodeDofs::default());
    let kinds = [
        BodyKind::Particles,
        BodyKind::Rigid,
        BodyKind::Particles,
        BodyKind::Kinematic,
        BodyKind::Particles,
        BodyKind::Fixed,
    ];
    for (slot, kind) in kinds.into_iter().enumerate() {
        let inertia = DMat3::new(DVec3::unit_x() * 0.7, DVec3::unit_y() * 1.1, DVec3::unit_z() * 1.3);
        let rigid = kind == BodyKind::Rigid;
        let pose =
            Pose { position: r.vector() * 4.0, rotation: rotor_from_rotation_vector(r.vector() * 3.0) };
        let moves = matches!(kind, BodyKind::Rigid | BodyKind::Kinematic);
        let spin = if moves { r.vector() } else { DVec3::zero() };
        let world = pose.matrix() * inertia * pose.matrix().transposed();
        bodies.push(BodyDof {
            kind,
            pose,
            velocity: if moves { r.vector() } else { DVec3::zero() },
            angular_velocity: spin,
            angular_momentum: if rigid { world * spin } else { DVec3::zero() },
            mass: if rigid { 2.5 } else { 0.0 },
            inertia: if rigid { inertia } else { DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()) },
            mobility: if rigid { Mobility::new(inertia).unwrap() } else { Mobility::default() },
        });
        let first_node = nodes.len() as u32;
        let arms: Vec<DVec3> = (0..11).map(|_| r.vector()).collect();
        if kind == BodyKind::Particles {
            for _ in 0..11 {
                let (x, v) = (r.vector(), r.vector());
                nodes.push(NodeDof { x, v, mass: 0.1 + r.unit(), body: slot as u32 });
            }
        }
        match slot {
            0 => map.push_body(Attachment::Nodes { first_node }, &arms),
            1 => map.push_body(Attachment::Rigid, &arms),
            2 => map.push_embedded(first_node, random_embedding(&mut r, 11, 23)),
            3 => map.push_body(Attachment::Kinematic, &arms),
            4 => map.push_embedded(first_node, Embedding::of_nodes(11, &[9, 0, 4, 4, 7]).unwrap()),
            _ => map.push_body(Attachment::Fixed, &arms),
        }
    }
    let prediction = Prediction {
        velocity: bodies.velocity.clone(),
        angular_momentum: bodies.angular_momentum.clone(),
        pose: bodies
            .pose
            .iter()
            .map(|p| Pose { position: p.position + DVec3::one() * 0.1, rotation: p.rotation })
            .collect(),
        node_v: nodes.v.clone(),
        node_x: (0..nodes.len()).map(|n| nodes.x[n] + nodes.v[n] * 0.1).collect(),
    };
    let mut surface = Surface::default();
    map.shape(&mut surface);
    Scene { map, bodies, nodes, prediction, surface }
}

#[test]
fn place_all_has_the_bits_of_place() {
    let mut s = scene(1);
    s.map.place_all(s.bodies.view(), s.nodes.view(), &s.prediction, &mut s.surface);
    let mut one = Surface::default();
    s.map.shape(&mut one);
    for v in 0..s.map.vertices() as u32 {
        s.map.place(v, s.bodies.view(), s.nodes.view(), &s.prediction, &mut one);
    }
    assert_eq!(one, s.surface);
    let mut ends = vec![DVec3::zero(); s.map.vertices()];
    s.map.place_ends(&s.prediction, &mut ends);
    assert_eq!(ends, s.surface.x1);
    // The skin is the weighted sum of its nodes, the boundary is its nodes.
    let (first, e) = (s.map.first(2) as usize, s.map.embedding(2).unwrap());
    let Attachment::Embedded { first_node } = s.map.attachment(2) else { panic!("not embedded") };
    for i in 0..e.vertices() {
        let (n, w) = e.row(i);
        let mut want = DVec3::zero();
        for k in 0..4 {
            want += s.nodes.x[(first_node + n[k]) as usize] * w[k];
        }
        assert!((s.surface.x0[first + i] - want).mag() < 1e-15);
        let (global, same) = s.map.nodes_of((first + i) as u32).unwrap();
        assert_eq!((global, same), (n.map(|n| n + first_node), w));
    }
    let Attachment::Embedded { first_node } = s.map.attachment(4) else { panic!("not embedded") };
    for (i, n) in [9, 0, 4, 4, 7].into_iter().enumerate() {
        assert_eq!(s.surface.x1[s.map.first(4) as usize + i], s.prediction.node_x[(first_node + n) as usize]);
    }
    assert!(s.map.nodes_of(s.map.first(1)).is_none() && s.map.embedding(1).is_none());
}

#[test]
fn down_and_back_up_are_adjoint_with_all_attachments_mixed() {
    for seed in 0..20 {
        let mut s = scene(seed);
        let mut r = Random(seed + 100);
        s.map.place_all(s.bodies.view(), s.nodes.view(), &s.prediction, &mut s.surface);
        let mut loads = Loads::default();
        loads.shape(s.map.vertices(), s.map.bodies());
        let mut power = 0.0;
        let mut scale = 0.0;
        for v in 0..s.map.vertices() {
            let f = r.vector();
            loads.add_impulse(v as u32, f);
            power += f.dot(s.surface.v0[v]);
            scale += f.mag() * s.surface.v0[v].mag();
        }
        loads.sort_touched();
        s.map.carry_up(s.bodies.view(), s.surface.view(), &mut loads);
        let mut on_nodes = Loads::default();
        on_nodes.shape(s.nodes.len(), 0);
        s.map.carry_to_nodes(&loads, &mut on_nodes);
        let mut received = 0.0;
        for b in 0..s.map.bodies() {
            let w = loads.wrench[b];
            received += w.impulse.dot(s.bodies.velocity[b]) + w.moment.dot(s.bodies.angular_velocity[b]);
        }
        for n in 0..s.nodes.len() {
            received += on_nodes.impulse[n].dot(s.nodes.v[n]);
        }
        assert!((power - received).abs() <= 1e-13 * scale, "{power} down, {received} up");
        assert!(on_nodes.touched().is_sorted());
    }
}

#[test]
fn the_transpose_sums_the_same_way_for_any_pool_and_for_touched_vertices_alone() {
    let mut r = Random(7);
    let (nodes, vertices) = (9_000, 30_000);
    let e = random_embedding(&mut r, nodes, vertices);
    let x: Vec<DVec3> = (0..nodes).map(|_| r.vector()).collect();
    let f: Vec<DVec3> = (0..vertices).map(|v| if v % 5 == 0 { DVec3::zero() } else { r.vector() }).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut down, mut up) = (vec![DVec3::zero(); vertices], vec![DVec3::one(); nodes]);
            e.positions(&x, &mut down);
            e.carry_back(&f, &mut up);
            (down, up)
        })
    };
    let (down, up) = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == (down.clone(), up.clone()), "other bits with {threads} threads");
    }
    let (mut a, mut b, mut scale) = (0.0, 0.0, 0.0);
    for v in 0..vertices {
        a += f[v].dot(down[v]);
        scale += f[v].mag() * down[v].mag();
    }
    for n in 0..nodes {
        b += (up[n] - DVec3::one()).dot(x[n]);
    }
    assert!((a - b).abs() <= 1e-13 * scale, "{a} {b} {scale}");

    // Through the map, over touched vertices only, from zero: the same sums in the same order.
    let mut map = SurfaceMap::default();
    map.push_embedded(0, e.clone());
    let mut loads = Loads::default();
    loads.shape(vertices, 1);
    for v in (0..vertices).rev().filter(|v| v % 5 != 0) {
        loads.add_impulse(v as u32, f[v]);
    }
    loads.sort_touched();
    let mut on_nodes = Loads::default();
    on_nodes.shape(nodes, 0);
    map.carry_to_nodes(&loads, &mut on_nodes);
    let mut whole = vec![DVec3::zero(); nodes];
    e.carry_back(&f, &mut whole);
    assert!(on_nodes.impulse == whole);
    assert!(e.memory_bytes() > 48 * vertices);
}

/// Two patches for each pair: opposite impulses, torques that do not cancel; on bodies of nodes as shares.
fn random_patches(r: &mut Random, s: &Scene, pairs: &Pairs) -> Patches {
    let mut patches = Patches::default();
    for i in 0..2 * pairs.len() {
        let pair = i / 2;
        let point = r.vector();
        let parts = [r.vector(), r.vector()];
        let mut sides = [[Wrench::default(); 2]; 2];
        for (side, slot) in [pairs.a[pair], pairs.b[pair]].into_iter().enumerate() {
            let sign = 1.0 - 2.0 * side as f64;
            if !s.bodies.kind[slot as usize].has_nodes() {
                for (k, &part) in parts.iter().enumerate() {
                    sides[k][side] = Wrench { impulse: part * sign, moment: r.vector() };
                }
                continue;
            }
            for share in [0.25, 0.5, 0.25] {
                let vertex = s.map.first(slot as usize) + r.below(s.map.range(slot as usize).len());
                let [normal, friction] = parts.map(|p| p * (sign * share));
                for (k, impulse) in [normal, friction].into_iter().enumerate() {
                    let moment = (s.surface.x0[vertex as usize] - point).cross(impulse);
                    sides[k][side] += Wrench { impulse, moment };
                }
                patches.shares.push(PatchShare { patch: i as u32, vertex, normal, friction });
            }
        }
        patches.rows.push(PatchRow {
            pair: pair as u32,
            point,
            normal: sides[0],
            friction: sides[1],
            area: 0.1,
            volume: 0.02,
            depth_max: 0.5,
            depth_mean: 0.25,
            pressure_max: 1.0,
            energy: 3.0,
            work: None,
            key: i as u64,
        });
    }
    patches
}

#[test]
fn contact_on_a_skin_does_the_work_it_books_and_leaks_no_momentum() {
    for seed in 0..10 {
        let mut s = scene(seed);
        let mut r = Random(seed + 500);
        // No external forces: the prediction is the start, moved on.
        for n in 0..s.nodes.len() {
            s.prediction.node_x[n] = s.nodes.x[n] + s.nodes.v[n] * 0.1;
        }
        s.map.place_all(s.bodies.view(), s.nodes.view(), &s.prediction, &mut s.surface);
        let mut pairs = Pairs::default();
        for (a, b) in [(0, 2), (1, 2), (1, 4), (2, 4)] {
            pairs.push(Pair { a, b, law: 0, sides: Sides::Both });
        }
        let (mut contacts, mut impulses) = (Contacts::default(), ContactImpulses::default());
        for pair in 0..pairs.len() {
            let (a, b) = (pairs.a[pair] as usize, pairs.b[pair] as usize);
            for _ in 0..6 {
                let pick = |r: &mut Random, b: usize| s.map.first(b) + r.below(s.map.range(b).len());
                let vertex = pick(&mut r, a);
                let face = [pick(&mut r, b), pick(&mut r, b), pick(&mut r, b)];
                contacts.push(Contact {
                    stencil: [vertex, face[0], face[1], face[2]],
                    weight: [1.0, -0.25, -0.25, -0.5],
                    normal: DVec3::unit_z(),
                    t_in: 0.0,
                    t_out: 1.0,
                    area: 1e-4,
                    pair: pair as u32,
                    key: 0,
                });
                // Normal impulses along p − q: on any other line a pair of opposite impulses is a couple.
                let x = |v: u32| s.surface.x0[v as usize];
                let apart = x(vertex) - x(face[0]) * 0.25 - x(face[1]) * 0.25 - x(face[2]) * 0.5;
                impulses.push(ContactImpulse {
                    normal: apart * r.unit(),
                    friction: r.vector(),
                    depth: 1e-3,
                    energy: 0.0,
                });
            }
        }
        let patches = random_patches(&mut r, &s, &pairs);
        let (planes, no_impulses) = (PlaneContacts::default(), ContactImpulses::default());
        let decided = Decided {
            mesh: (contacts.view(), impulses.view()),
            plane: (planes.view(), no_impulses.view()),
            bend: &[],
            patches: patches.view(),
        };
        let (mut loads, mut ledger) = (Loads::default(), Ledger::default());
        loads.shape(s.map.vertices(), s.map.bodies());
        ledger.reset(s.map.bodies());
        apply(
            &s.map,
            s.bodies.view(),
            s.surface.view(),
            pairs.view(),
            decided,
            &mut loads,
            &mut ledger,
            &mut ApplyWorkspace::default(),
        );
        let mut on_nodes = Loads::default();
        on_nodes.shape(s.nodes.len(), 0);
        s.map.carry_to_nodes(&loads, &mut on_nodes);

        // Kick, no drift: positions stay, so the balance of momentum has no term of the scheme.
        let mut after = Advanced {
            velocity: s.bodies.velocity.clone(),
            angular_velocity: s.bodies.angular_velocity.clone(),
            angular_momentum: s.bodies.angular_momentum.clone(),
            pose: s.bodies.pose.clone(),
            node_v: s.nodes.v.clone(),
            node_x: s.nodes.x.clone(),
            elastic: Default::default(),
        };
        for &n in on_nodes.touched() {
            let n = n as usize;
            after.node_v[n] += on_nodes.impulse[n] / s.nodes.mass[n];
        }
        let kick = loads.wrench[1];
        after.velocity[1] += kick.impulse / s.bodies.mass[1];
        after.angular_momentum[1] += kick.moment;
        let turn = s.bodies.pose[1].matrix();
        after.angular_velocity[1] = s.bodies.mobility[1].spin(&turn, after.angular_momentum[1]);
        let mut external = External::default();
        external.reset(s.map.bodies());
        let none = impinge_contact::SurfaceVelocities::default();
        let step = FinishedStep {
            dt: 1.0,
            bodies: s.bodies.view(),
            nodes: s.nodes.view(),
            advanced: &after,
            external: &external,
            map: &s.map,
            surface: s.surface.view(),
            pairs: pairs.view(),
            decided,
            evaluated: impinge_contact::Evaluated::Start,
            surface_velocities: &none,
            couples: &[],
        };
        balance(&step, &mut ledger, &mut BalanceWorkspace::default());

        let mut before = 0.5 * s.bodies.mass[1] * s.bodies.velocity[1].mag_sq()
            + 0.5 * s.bodies.angular_velocity[1].dot(s.bodies.angular_momentum[1]);
        for n in 0..s.nodes.len() {
            before += 0.5 * s.nodes.mass[n] * s.nodes.v[n].mag_sq();
        }
        let gained = ledger.energy.kinetic() - before;
        let work = ledger.energy.work_normal + ledger.energy.work_friction;
        let scale = ledger.energy.kinetic() + before;
        assert!((gained - work).abs() < 1e-13 * scale, "gained {gained}, worked {work}");
        assert!(work.abs() > 1e-3 * scale, "nothing was tested");
        // Contacts and patches of a pair share its row: six, and two.
        let rows = ledger.pairs.view();
        assert_eq!((rows.len(), rows.contacts), (4, &[8; 4][..]));
        assert!(rows.volume.iter().all(|&v| v == 0.04) && rows.energy.iter().all(|&e| e == 6.0));
        let m = &ledger.momentum;
        assert!(m.linear_residual.mag() < 1e-13 * m.linear_scale, "{m:?}");
        // What is left of angular momentum is the couple friction leaves on loose vertices, and known.
        assert!((m.angular_residual - m.predicted_leak).mag() < 1e-13 * m.angular_scale, "{m:?}");
    }
}

#[test]
fn what_cannot_be_an_embedding_is_refused_with_the_place() {
    let w = [0.25; 4];
    assert_eq!(
        Embedding::new(4, &[[0, 1, 2, 3]], &[]),
        Err(EmbeddingError::Length { stencils: 1, weights: 0 })
    );
    let e = Embedding::new(4, &[[0, 1, 2, 3], [0, 1, 2, 4]], &[w, w]).unwrap_err();
    assert_eq!(e, EmbeddingError::NodeOutOfRange { vertex: 1, node: 4, nodes: 4 });
    assert!(e.to_string().contains("vertex 1 names node 4"));
    for bad in [[0.25, 0.25, 0.25, 0.2], [f64::NAN, 0.5, 0.5, 0.0], [f64::INFINITY, 0.0, 0.0, 1.0]] {
        let e = Embedding::new(4, &[[0, 1, 2, 3]], &[bad]).unwrap_err();
        assert!(matches!(e, EmbeddingError::Weights { vertex: 0, .. }), "{bad:?}");
    }
    // "No node" may stand where the weight is zero, and only there.
    let short = Embedding::new(4, &[[2, NONE, 1, NONE]], &[[0.5, 0.0, 0.5, 0.0]]).unwrap();
    let x = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y() * 3.0, DVec3::zero()];
    assert_eq!(short.at(0, &x), DVec3::new(0.5, 1.5, 0.0));
    assert!(Embedding::new(4, &[[2, NONE, 1, 0]], &[[0.5, 0.5, 0.0, 0.0]]).is_err());
    assert!(Embedding::of_nodes(3, &[0, 3]).is_err());
    // Nothing to carry is fine.
    let none = Embedding::new(0, &[], &[]).unwrap();
    assert_eq!((none.vertices(), none.nodes()), (0, 0));
    none.carry_back(&[], &mut []);
    // The identity hands everything over bit for bit.
    let same = Embedding::identity(4).unwrap();
    let mut out = [DVec3::zero(); 4];
    same.velocities(&x, &mut out);
    assert_eq!(out, x);
    assert_eq!(same.as_nodes(), Some(&[0, 1, 2, 3][..]));
}

#[test]
fn an_embedded_attachment_without_an_embedding_is_plain_nodes() {
    let mut map = SurfaceMap::default();
    map.push_body(Attachment::Embedded { first_node: 3 }, &[DVec3::zero(); 2]);
    assert_eq!(map.attachment(0), Attachment::Nodes { first_node: 3 });
    assert!(map.attachment(0).has_nodes() && !Attachment::Rigid.has_nodes());
}
