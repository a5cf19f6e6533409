//! A body that overlaps itself: the same as its arms apart, closed forms, sheets and places, the exact volume.

use crate::support::{Numbers, at, gradients, joined, overlap, sum, turned, v3};
use impinge_geometry::{
    DVec3, TetTopology, TriMesh, cuboid, edit, generators, icosphere, rotor_from_rotation_vector, torus,
};
use impinge_volume::{
    Body, CellGrid, ClosedSurface, ContactFrame, Exact, Lattice, LayeredDepth, Overlap, Walls,
};

fn own(mesh: &TriMesh, image: &mut LayeredDepth, grid: Option<&CellGrid>) -> Overlap {
    let s = ClosedSurface::new(mesh).unwrap();
    let mut out = Overlap::new();
    image.own(Body::new(&s, mesh.positions()).unwrap(), grid, &mut out).unwrap();
    out
}

/// A block of 0.2 × 0.06 × 0.2 m with a slit 4 cm high from one side; the upper jaw is 5 mm narrower and shorter, so that its sides are not flush
/// with the lower one's, and its vertices with x ≥ `from` are `by` lower.
fn clamp(from: f64, by: f64) -> TriMesh {
    let whole = generators::tet_box(v3(0.2, 0.06, 0.2), [10, 2, 10]).unwrap();
    let gone: Vec<bool> = (0..whole.tets().len())
        .map(|t| {
            let c = whole.corners(t);
            let middle = (c[0] + c[1] + c[2] + c[3]) * 0.25;
            middle.x > -0.06 && middle.z.abs() < 0.02
        })
        .collect();
    let mesh = edit::remove_tets(&whole, &gone).unwrap().mesh;
    let surface = TetTopology::new(&mesh).surface(&mesh).unwrap().mesh;
    let jaw = |p: DVec3| {
        let down = if p.x > from - 1e-6 { by } else { 0.0 };
        v3(p.x.min(0.095), p.y * (0.055 / 0.06), p.z - down)
    };
    surface.mapped(|p| if p.z > 0.019 { jaw(p) } else { p }).unwrap()
}

/// ½ (∫w² − ∫w) and its gradient by the exact volume of a mesh and itself: each pair of sheets is counted once.
fn exact(mesh: &TriMesh) -> (f64, Vec<DVec3>) {
    let o = overlap(&mut Exact::new(), mesh, mesh, None);
    let mut g = gradients(&o, mesh, mesh);
    let mut volume = o.volume();
    for t in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(t);
        volume -= a.dot(b.cross(c)) / 6.0;
        for v in mesh.triangles()[t] {
            g[0][v as usize] -= (b - a).cross(c - a) / 6.0;
        }
    }
    let [a, b] = g;
    (0.5 * volume, a.iter().zip(&b).map(|(a, b)| (*a + *b) * 0.5).collect())
}

#[test]
fn arms_of_one_body_are_two_bodies() {
    let mut numbers = Numbers(21);
    // Walls that are carried look at a place, of two bodies at all places together.
    let grid = CellGrid::new(v3(-1.0, -1.0, -0.3), 0.17).unwrap().with_walls(Walls::Shared);
    for grid in [None, Some(grid)] {
        let a = torus(0.7, 0.3, 24, 12).unwrap();
        let b = turned(&icosphere(0.6, 2).unwrap(), numbers.vector(), v3(0.6, 0.2, 0.15));
        let lattice = Lattice { origin: v3(-1.21, -1.22, -1.23), pixel: 0.02, count: [130; 3] };
        let mut image = LayeredDepth::new(0.02).unwrap().with_lattice(lattice);
        let apart = overlap(&mut image, &a, &b, grid.as_ref());
        let both = own(&joined(&[&a, &b]), &mut image, grid.as_ref());
        assert!(apart.volume() > 0.1 && (apart.volume() - both.volume()).abs() < 1e-14);
        assert_eq!(apart.cells().len(), both.cells().len());
        let n = a.positions().len() as u32;
        for i in 0..apart.cells().len() {
            assert_eq!(apart.cells()[i].index, both.cells()[i].index);
            // Which sheet comes first is the rays' choice.
            let flip = usize::from(both.gradient(i, 0).0[0] >= n);
            for side in 0..2 {
                let (want, got) = (apart.gradient(i, side), both.gradient(i, side ^ flip));
                let shifted: Vec<u32> = got.0.iter().map(|v| v - n * side as u32).collect();
                assert_eq!(want.0, shifted, "cell {i}: the sheets are the bodies");
                let off = want.1.iter().zip(got.1).fold(0.0, |m: f64, (w, g)| m.max((*w - *g).mag()));
                assert!(off < 1e-15, "cell {i}: {off}");
            }
        }
    }
}

/// A box in a larger one, both askew in the grid: what is flat is pushed straight, be they one body or two.
#[test]
fn walls_within_a_body_are_carried_as_between_two() {
    let turn = v3(0.3, -0.5, 0.2);
    let normal = rotor_from_rotation_vector(turn) * DVec3::unit_z();
    let large = turned(&cuboid(v3(2.0, 2.0, 2.0), [1; 3]).unwrap(), turn, normal * -1.0);
    let small = turned(&cuboid(v3(0.4, 0.4, 0.4), [2; 3]).unwrap(), turn, normal * 0.18);
    let lattice = Lattice { origin: v3(-2.0, -2.0, -2.5), pixel: 0.01, count: [400; 3] };
    let mut image = LayeredDepth::new(0.01).unwrap().with_lattice(lattice);
    let push = |o: &Overlap| (0..o.cells().len()).map(|c| sum(o.gradient(c, 0).1)).collect::<Vec<_>>();
    let mut of = |walls| {
        let grid = CellGrid::new(v3(0.013, 0.027, 0.041), 0.15).unwrap().with_walls(walls);
        let apart = push(&overlap(&mut image, &large, &small, Some(&grid)));
        let both = push(&own(&joined(&[&large, &small]), &mut image, Some(&grid)));
        assert_eq!(apart.len(), both.len());
        // Which sheet comes first is the rays' choice.
        let off =
            |sign: f64| apart.iter().zip(&both).map(|(a, b)| (*a - *b * sign).mag()).fold(0.0, f64::max);
        assert!(off(1.0).min(off(-1.0)) < 1e-15, "{} {}", off(1.0), off(-1.0));
        both
    };
    assert!(of(Walls::Carried).iter().zip(&of(Walls::Shared)).any(|(c, s)| (*c - *s).mag() > 1e-4));
}

#[test]
fn jaws_of_a_clamp_overlap_by_boxes() {
    let (depth, width, slope) = (0.01, 0.055, 0.02);
    let mesh = clamp(-0.04, 0.04 + depth);
    // The jaws' box, and the foot of the ramp that leads to it.
    let foot = slope * depth / (0.04 + depth);
    let want = width * (0.135 + 0.5 * foot) * depth;
    let (v, g) = exact(&mesh);
    assert!((v / want - 1.0).abs() < 1e-9, "{v} {want}");
    let o = own(&mesh, &mut LayeredDepth::new(1e-3).unwrap(), None);
    assert_eq!(o.cells().len(), 1);
    println!("V {:e}, error {:.2e}", o.volume(), o.volume() / want - 1.0);
    assert!((o.volume() / want - 1.0).abs() < 0.01);
    let frame = ContactFrame::new(&o, 0, [mesh.positions(); 2]).unwrap();
    let area = width * (0.135 + foot);
    assert!(frame.normal.z.abs() > 0.999 && (frame.projected_area / area - 1.0).abs() < 0.02, "{frame:?}");
    let mut dense = vec![DVec3::zero(); mesh.positions().len()];
    (0..2).for_each(|s| o.add_gradient(s, &mut dense));
    assert!(sum(&dense).mag() < 1e-15 * area.max(1.0), "{:?}", sum(&dense));
    let (off, size) =
        dense.iter().zip(&g).fold((0.0, 0.0), |(o, s), (d, g)| (o + (*d - *g).mag(), s + g.mag()));
    println!("gradient off by {:.2e} of Σ|g|", off / size);
    assert!(off < 0.05 * size, "{off} {size}");
    // Each sheet is one jaw; the upper one is freed upwards.
    let rest = clamp(1.0, 0.0);
    for side in 0..2 {
        let upper = sum(o.gradient(0, side).1).z < 0.0;
        assert!(o.gradient(0, side).0.iter().all(|&v| (rest.positions()[v as usize].z > 0.019) == upper));
    }
}

#[test]
fn a_fold_that_is_one_piece_has_two_sheets() {
    // The back of the slit goes down with the jaw: both jaws hang together where they overlap.
    let depth = 0.01;
    let mesh = clamp(-0.06, 0.04 + depth);
    let o = own(&mesh, &mut LayeredDepth::new(1e-3).unwrap(), None);
    let want = 0.055 * 0.155 * depth;
    assert_eq!(o.cells().len(), 1);
    assert!((o.volume() / want - 1.0).abs() < 0.02, "{} {want}", o.volume());
    let frame = ContactFrame::new(&o, 0, [mesh.positions(); 2]).unwrap();
    // The inverted back faces the open end's side: what is left of the two along x leans the frame by depth over length at most.
    assert!(frame.normal.z.abs() > 0.995, "{frame:?}");
    assert!((frame.projected_area / (0.055 * 0.155) - 1.0).abs() < 0.02, "{frame:?}");
}

#[test]
fn places_are_contacts_of_their_own() {
    // Triangles far finer than the pixels: no two that a ray meets are neighbours, and each sheet is still one.
    let ball = icosphere(0.1, 5).unwrap();
    let parts = [v3(0.0, 0.0, 0.0), v3(0.17, 0.02, 0.03), v3(1.0, 0.0, 0.0), v3(1.01, 0.02, 0.18)];
    let balls = parts.map(|p| at(&ball, p));
    let mesh = joined(&[&balls[0], &balls[1], &balls[2], &balls[3]]);
    let o = own(&mesh, &mut LayeredDepth::new(0.012).unwrap(), None);
    assert_eq!(o.cells().len(), 2, "{:?}", o.cells());
    let n = ball.positions().len() as u32;
    for i in 0..2 {
        let c = o.cells()[i];
        assert_eq!(c.part / n, 2 * i as u32, "named by a vertex of its lower ball");
        let frame = ContactFrame::new(&o, i, [mesh.positions(); 2]).unwrap();
        let line = (parts[2 * i + 1] - parts[2 * i]).normalized();
        assert!(frame.normal.dot(line).abs() > 0.95, "{frame:?} {line:?}");
        for side in 0..2 {
            let of: Vec<u32> = o.gradient(i, side).0.iter().map(|v| v / n).collect();
            assert!(of.iter().all(|b| *b == of[0]), "{of:?}");
        }
    }
}

#[test]
fn a_body_that_does_not_meet_itself_has_no_contact() {
    for mesh in
        [torus(0.7, 0.3, 40, 20).unwrap(), clamp(0.0, 0.0), cuboid(v3(1.0, 1.0, 1.0), [4; 3]).unwrap()]
    {
        for pixel in [0.1, 0.02, 0.011] {
            let o = own(&mesh, &mut LayeredDepth::new(pixel).unwrap(), None);
            assert!(o.cells().is_empty(), "{:?}", o.cells());
        }
    }
    // Turned anyhow: creases are seen from all sides.
    let mut numbers = Numbers(4);
    for _ in 0..20 {
        let mesh = turned(&clamp(0.0, 0.0), numbers.vector() * 6.0, numbers.vector());
        assert!(own(&mesh, &mut LayeredDepth::new(3e-3).unwrap(), None).cells().is_empty());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let a = torus(0.7, 0.3, 24, 12).unwrap();
    let mesh = joined(&[&a, &turned(&a, v3(0.4, 0.1, 0.3), v3(0.3, 0.1, 0.2))]);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| own(&mesh, &mut LayeredDepth::new(0.015).unwrap(), None))
    };
    let one = run(1);
    assert!(one.volume() > 0.05 && run(3) == one);
}
