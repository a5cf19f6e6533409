//! The first touch of two meshes against all pairs of features, and what is said of the start.

use impinge_ccd::touch::{Features, Hit, Motion, Start, TouchError, first_touch};
use impinge_ccd::{Kind, RigidMotion, first_contact, screw_within};
use impinge_geometry::{
    DVec3, Pose, Topology, TriMesh, closest_between_segments, closest_on_triangle, cuboid, icosphere,
    rotor_from_rotation_vector,
};
use impinge_query::{MeshIndex, PoseError, Relation, relation};
use proptest::prelude::*;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(v(x, y, z))
}

fn turned(p: DVec3, w: DVec3) -> Pose {
    Pose::new(p, rotor_from_rotation_vector(w))
}

/// Names, kind, and the vertices of the four points, `true` for those of the second mesh.
type Stencil = (Features, Kind, [(bool, u32); 4]);

/// All pairs of features.
fn pairs(a: &TriMesh, b: &TriMesh) -> Vec<Stencil> {
    let edges = |m: &TriMesh| {
        let mut all: Vec<[u32; 2]> = m
            .triangles()
            .iter()
            .flat_map(|t| (0..3).map(|i| [t[i].min(t[(i + 1) % 3]), t[i].max(t[(i + 1) % 3])]))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let corners = |m: &TriMesh| {
        let mut all: Vec<u32> = m.triangles().iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut out = Vec::new();
    for p in corners(a) {
        for (f, t) in b.triangles().iter().enumerate() {
            let names = Features::VertexFace(p, f as u32);
            out.push((names, Kind::VertexFace, [(false, p), (true, t[0]), (true, t[1]), (true, t[2])]));
        }
    }
    for (f, t) in a.triangles().iter().enumerate() {
        for p in corners(b) {
            let names = Features::FaceVertex(f as u32, p);
            out.push((names, Kind::VertexFace, [(true, p), (false, t[0]), (false, t[1]), (false, t[2])]));
        }
    }
    for e in edges(a) {
        for f in edges(b) {
            let points = [(false, e[0]), (false, e[1]), (true, f[0]), (true, f[1])];
            out.push((Features::EdgeEdge(e, f), Kind::EdgeEdge, points));
        }
    }
    out
}

/// The earliest time and the least names, by looking at all pairs.
fn brute(a: &TriMesh, xa: [&[DVec3]; 2], b: &TriMesh, xb: [&[DVec3]; 2]) -> Option<(f64, f64, Features)> {
    let of = |names: Stencil| {
        let x = [0, 1].map(|end| {
            names.2.map(|(second, i)| if second { xb[end][i as usize] } else { xa[end][i as usize] })
        });
        first_contact(names.1, &x[0], &x[1]).unwrap().map(|c| (c.t, names.0, c.t_hi))
    };
    let all = pairs(a, b).into_iter().filter_map(of);
    let least = all.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    least.map(|(t, names, t_hi)| (t, t_hi, names))
}

fn placed(m: &TriMesh, pose: &Pose) -> Vec<DVec3> {
    m.positions().iter().map(|&p| pose.point_to_world(p)).collect()
}

/// The answer and that of all pairs agree; where the start overlaps, the query says so.
fn check<'a>(
    a: &TriMesh,
    motion_a: Motion<'a>,
    xa: [&[DVec3]; 2],
    b: &TriMesh,
    motion_b: Motion<'a>,
    xb: [&[DVec3]; 2],
) -> Option<Hit> {
    let (ia, ib) = (MeshIndex::new(a), MeshIndex::new(b));
    let hit = first_touch(&ia, motion_a, &ib, motion_b).unwrap();
    let moved =
        |m: &TriMesh, x: &[DVec3]| MeshIndex::new(&TriMesh::new(x.to_vec(), m.triangles().to_vec()).unwrap());
    let here = Pose::identity();
    let lie = relation(&moved(a, xa[0]), &here, &moved(b, xb[0]), &here).unwrap();
    let wanted = brute(a, xa, b, xb);
    match lie {
        Relation::Crossing { .. } | Relation::Inside { .. } => {
            let h = hit.expect("an overlap is a hit");
            assert_eq!((h.start, h.t, h.t_hi), (Start::Overlapping, 0.0, 0.0));
        }
        Relation::Touching { .. } => {
            let h = hit.expect("a touch is a hit");
            assert_eq!((h.start, h.t, h.t_hi), (Start::Touching, 0.0, 0.0));
            let (t, t_hi, features) = wanted.expect("pairs find it too");
            // A pair's bracket may end at the least number above 0.
            assert!(
                (t, features) == (h.t, h.features) && t_hi < f64::MIN_POSITIVE,
                "{t} to {t_hi}, {features:?}"
            );
        }
        Relation::Apart => {
            assert_eq!(hit.map(|h| (h.t, h.t_hi, h.features)), wanted);
            if let Some(h) = hit {
                assert_eq!(h.start, Start::Apart);
                assert!((h.points[0] - h.points[1]).mag() < 1e-9, "{h:?}");
                assert!(h.t_hi - h.t <= 1e-12);
            }
        }
    }
    // Turned round: the same time.
    let back = first_touch(&ib, motion_b, &ia, motion_a).unwrap();
    assert_eq!(hit.map(|h| h.start), back.map(|h| h.start));
    if let (Some(h), Some(b)) = (hit, back) {
        assert!(h.t <= b.t_hi && b.t <= h.t_hi, "{h:?} {b:?}");
    }
    hit
}

fn whole(range: std::ops::Range<i8>) -> impl Strategy<Value = DVec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| v(x.into(), y.into(), z.into()))
}

/// Vertices on a grid: coplanar, collapsed and coincident triangles are common; open surfaces of any shape.
fn soup() -> impl Strategy<Value = TriMesh> {
    (prop::collection::vec(whole(-2..3), 3..9), prop::collection::vec(prop::array::uniform3(0u32..9), 1..9))
        .prop_map(|(x, t)| {
            let n = x.len() as u32;
            TriMesh::new(x, t.into_iter().map(|t| t.map(|i| i % n)).collect()).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn vertices_that_move_on_their_own(
        a in soup(), b in soup(),
        shifts in prop::collection::vec(whole(-6..7), 9), away in whole(-6..7), b_shifts in prop::collection::vec(whole(-1..2), 9),
    ) {
        let a0: Vec<DVec3> = a.positions().iter().map(|&p| p + away).collect();
        let a1: Vec<DVec3> = a0.iter().zip(&shifts).map(|(&p, &s)| p + s).collect();
        let b0 = b.positions();
        let b1: Vec<DVec3> = b0.iter().zip(&b_shifts).map(|(&p, &s)| p + s).collect();
        check(&a, (&a0[..], &a1[..]).into(), [&a0, &a1], &b, (b0, &b1[..]).into(), [b0, &b1]);
    }

    #[test]
    fn rigid_translations_at_any_rotation(
        a in soup(), b in soup(), from in whole(-6..7), to in whole(-6..7), b_to in whole(-2..3),
        w in prop::option::of(whole(-2..3)), far in prop::sample::select(vec![0.0, 1.0, 1e6]),
    ) {
        let (ra, rb) = (w.unwrap_or_default(), w.map_or(DVec3::zero(), |w| v(w.y, 0.3, w.x)));
        let o = DVec3::broadcast(far);
        let (a0, a1, b0, b1) = (turned(o + from, ra), turned(o + to, ra), turned(o, rb), turned(o + b_to, rb));
        let x = [placed(&a, &a0), placed(&a, &a1), placed(&b, &b0), placed(&b, &b1)];
        check(&a, (&a0, &a1).into(), [&x[0], &x[1]], &b, (&b0, &b1).into(), [&x[2], &x[3]]);
    }

    /// Where a mesh turns: the earliest of all pairs, bit for bit; and never late by dense sampling.
    #[test]
    fn screws(
        a in soup(), b in soup(), from in whole(-5..6), by in whole(-5..6), w in whole(-3..4), wb in whole(-1..2),
    ) {
        let from = at(from.x, from.y, from.z);
        let m = [
            RigidMotion { origin: from.position * 0.5, translation: by, rotation: w },
            RigidMotion { origin: v(0.5, 0.0, 0.0), translation: DVec3::zero(), rotation: wb * 0.5 },
        ];
        if w == DVec3::zero() && wb == DVec3::zero() {
            return Ok(());
        }
        let (ia, ib, still) = (MeshIndex::new(&a), MeshIndex::new(&b), Pose::identity());
        let hit = first_touch(&ia, (&from, &m[0]), &ib, (&still, &m[1])).unwrap();
        if hit.is_some_and(|h| h.start == Start::Overlapping) {
            return Ok(());
        }
        let rest = [placed(&a, &from), placed(&b, &still)];
        // A mesh that does not turn has its own origin, as in the search.
        let m = [(m[0], from), (m[1], still)].map(|(m, pose)| {
            let still = RigidMotion { origin: pose.position, ..m };
            if m.rotation == DVec3::zero() { still } else { m }
        });
        let mut wanted: Option<(f64, Features)> = None;
        for (names, kind, points) in pairs(&a, &b) {
            let x = points.map(|(second, i)| rest[usize::from(second)][i as usize]);
            let motions = if points[0].0 { [m[1], m[0]] } else { m };
            if let Some(w) = screw_within(kind, &x, &motions, 0.0).unwrap() {
                let key = (w.t, names);
                wanted = Some(wanted.map_or(key, |k| if key < k { key } else { k }));
            }
        }
        prop_assert_eq!(hit.map(|h| (h.t, h.features)), wanted);
        let until = hit.map_or(1.0, |h| h.t);
        for i in 0..40 {
            let t = until * f64::from(i) / 40.0;
            let place = |mesh: usize, x: &[DVec3]| x.iter().map(|&p| m[mesh].point_at(p, t)).collect::<Vec<_>>();
            let (xa, xb) = (place(0, &rest[0]), place(1, &rest[1]));
            let d = pairs(&a, &b).into_iter().map(|(_, kind, points)| {
                let x = points.map(|(second, i)| if second { xb[i as usize] } else { xa[i as usize] });
                match kind {
                    Kind::VertexFace => closest_on_triangle(x[0], [x[1], x[2], x[3]]).distance_squared,
                    Kind::EdgeEdge => closest_between_segments([x[0], x[1]], [x[2], x[3]]).distance_squared,
                }
            });
            prop_assert!(t == until || d.fold(f64::INFINITY, f64::min) > 0.0, "they touch at {} before {}", t, until);
        }
        if let Some(h) = hit {
            prop_assert!(h.gap < 1e-6 && (h.points[0] - h.points[1]).mag() <= h.gap + 1e-9);
        }
    }
}

#[test]
fn closed_meshes_and_their_starts() {
    let cube = cuboid(DVec3::one(), [2; 3]).unwrap();
    let ball = icosphere(0.2, 2).unwrap();
    let (c, b) = (MeshIndex::new(&cube), MeshIndex::new(&ball));
    let here = Pose::identity();
    let ask = |from: Pose, to: Pose| first_touch(&b, (&from, &to), &c, &here).unwrap();
    // Inside, crossing, face on face, apart for ever, zero motion apart.
    let inside = ask(here, at(3.0, 0.0, 0.0)).unwrap();
    assert_eq!((inside.start, inside.features, inside.t), (Start::Overlapping, Features::Inside(0), 0.0));
    let crossing = ask(at(0.5, 0.0, 0.0), here).unwrap();
    assert_eq!(crossing.start, Start::Overlapping);
    assert!(matches!(crossing.features, Features::Faces(..)));
    assert_eq!(ask(at(2.0, 0.0, 0.0), at(0.8, 0.0, 0.0)), None);
    assert_eq!(ask(at(2.0, 0.0, 0.0), at(2.0, 0.0, 0.0)), None);
    let resting = first_touch(&c, (&at(0.0, 0.0, 1.0), &at(0.3, 0.0, 1.0)), &c, &here).unwrap().unwrap();
    assert_eq!((resting.start, resting.t, resting.t_hi), (Start::Touching, 0.0, 0.0));
    let same = first_touch(&c, &here, &c, &here).unwrap().unwrap();
    assert_eq!(same.start, Start::Overlapping);
    // Closed form: the ball's vertex at +x of radius 0.2 goes from x = 2 to 0; the cube begins at 0.5.
    let hit = ask(at(2.0, 0.1, 0.1), at(0.0, 0.1, 0.1)).unwrap();
    let foremost = ball.positions().iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    let t = (1.5 + foremost) / 2.0;
    assert!(hit.t <= t + 1e-15 && t - 1e-12 <= hit.t_hi, "{hit:?} {t}");
    assert!((hit.normal - DVec3::unit_x()).mag() < 1e-12);
    assert!((hit.points[1].x - 0.5).abs() < 1e-12);
}

#[test]
fn a_rod_that_swings_hits_when_its_angle_says_so() {
    // Length 1 along x, turns about the origin by 2 rad around z; a post at distance 0.8 and angle 0.9 rad.
    let rod = MeshIndex::new(&cuboid(v(1.0, 1e-3, 0.1), [1; 3]).unwrap());
    let post = MeshIndex::new(&icosphere(0.05, 3).unwrap());
    let motion = RigidMotion::screw(DVec3::zero(), v(0.0, 0.0, 2.0), 0.0);
    let (from, still) = (at(0.5, 0.0, 0.0), at(0.8 * 0.9f64.cos(), 0.8 * 0.9f64.sin(), 0.0));
    let hit = first_touch(&rod, (&from, &motion), &post, &still).unwrap().unwrap();
    // The side at y = 0.0005 meets a circle of radius 0.05.
    let angle = 0.9 - ((0.05 + 0.0005) / 0.8f64).asin();
    assert!((hit.t * 2.0 - angle).abs() < 2e-3, "{} {angle}", hit.t * 2.0);
    assert_eq!((hit.start, hit.t_hi), (Start::Apart, f64::INFINITY));
    // Between poses, the shorter way round, it is the same motion.
    let about = |a: f64| turned(v(0.5 * a.cos(), 0.5 * a.sin(), 0.0), v(0.0, 0.0, a));
    let chord = first_touch(&rod, (&about(0.0), &about(2.0)), &post, &still).unwrap();
    assert!(chord.is_none_or(|h| h.t > 0.0));
}

#[test]
fn an_answer_does_not_depend_on_the_tree() {
    let (a, b) = (icosphere(1.0, 3).unwrap(), icosphere(0.7, 3).unwrap());
    let squeeze = |m: &TriMesh| m.positions().iter().map(|p| v(p.x * 0.01, p.z, p.y)).collect::<Vec<_>>();
    let mut refitted = MeshIndex::new(&TriMesh::new(squeeze(&a), a.triangles().to_vec()).unwrap());
    refitted.update(a.positions()).unwrap();
    let (fresh, other) = (MeshIndex::new(&a), MeshIndex::new(&b));
    assert!(Topology::new(&a).is_closed() && fresh.is_closed());
    for i in 0..20 {
        let way = v(f64::from(i).sin(), f64::from(i).cos(), 0.3);
        let (from, to) = (Pose::from_position(way * 4.0), Pose::from_position(-way));
        let ask = |index: &MeshIndex| first_touch(index, (&from, &to), &other, &Pose::identity()).unwrap();
        let hit = ask(&fresh).expect("they meet");
        assert_eq!(Some(hit), ask(&refitted));
        let (xa, xb) = ([placed(&a, &from), placed(&a, &to)], placed(&b, &Pose::identity()));
        if i < 2 {
            let wanted = brute(&a, [&xa[0], &xa[1]], &b, [&xb, &xb]);
            assert_eq!(wanted, Some((hit.t, hit.t_hi, hit.features)));
        }
    }
}

#[test]
fn bad_motions_are_refused() {
    let cube = cuboid(DVec3::one(), [1; 3]).unwrap();
    let index = MeshIndex::new(&cube);
    let still = Pose::identity();
    let nan = at(f64::NAN, 0.0, 0.0);
    let refused = |m: Motion<'_>| first_touch(&index, m, &index, &still).unwrap_err();
    assert_eq!(refused((&nan).into()), TouchError::Pose(PoseError::NotFinite { mesh: 0 }));
    assert_eq!(refused((&still, &nan).into()), TouchError::Pose(PoseError::NotFinite { mesh: 0 }));
    let fast = RigidMotion::screw(DVec3::zero(), v(0.0, 0.0, 2e4), 0.0);
    assert_eq!(refused((&still, &fast).into()), TouchError::TooManyTurns { mesh: 0 });
    let short = &cube.positions()[..3];
    let error = refused((short, short).into());
    assert!(matches!(error, TouchError::Positions { mesh: 0, at_end: false, .. }));
    assert!(error.to_string().contains("3 positions for an index over 8 vertices"), "{error}");
    let spin = RigidMotion::screw(DVec3::zero(), v(0.0, 0.0, 1.0), 0.0);
    let x = cube.positions();
    let mixed = first_touch(&index, (x, x), &index, (&still, &spin));
    assert_eq!(mixed, Err(TouchError::Mixed));
}
