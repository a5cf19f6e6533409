//! Tet fillings: angles, volume, order of convergence, topology, and what is refused.

use impinge_geometry::{
    DVec3, Pose, TetMesh, TetTopology, Topology, TriMesh, capsule, cuboid, ellipsoid, icosphere,
    rotor_from_rotation_vector, torus,
};
use impinge_meshing::{FillError, FillOptions, Filled, Repair, dihedral_angles, fill, fill_fitted};
use proptest::prelude::*;

/// What every filling promises.
fn sound(f: &Filled) {
    f.mesh.require_positive().unwrap();
    let topology = TetTopology::new(&f.mesh);
    assert!(topology.non_manifold_faces() == 0 && topology.misoriented_faces().is_empty());
    let surface = topology.surface(&f.mesh).unwrap();
    Topology::new(&surface.mesh).require_closed().unwrap();
    // Every tet has a corner inside, so that no pressure field is constant on it.
    let mut on_surface = vec![false; f.mesh.positions().len()];
    for t in topology.faces().iter().zip(topology.face_tets()).filter(|(_, t)| t[1] == u32::MAX) {
        t.0.iter().for_each(|&v| on_surface[v as usize] = true);
    }
    assert!(on_surface.iter().any(|&s| s));
    for t in f.mesh.tets() {
        assert!(!t.iter().all(|&v| on_surface[v as usize]), "a tet with all corners on the surface");
    }
    let volume: f64 = f.mesh.volumes().iter().sum();
    assert!((volume - f.quality.volume).abs() <= 1e-12 * volume);
    assert!(f.quality.min_dihedral >= 10f64.to_radians() && f.quality.max_dihedral <= 165f64.to_radians());
}

#[test]
fn a_ball_is_filled_to_second_order_with_good_angles() {
    // Finer than any lattice used here.
    let ball = icosphere(1.0, 6).unwrap();
    let mut errors = Vec::new();
    for cell in [0.4, 0.2, 0.1] {
        let f = fill(&ball, FillOptions::cell(cell)).unwrap();
        sound(&f);
        println!("cell {cell}\n{}", f.quality);
        assert_eq!(f.quality.parts, 1);
        let topology = TetTopology::new(&f.mesh);
        assert_eq!(topology.euler_characteristic(), 1, "a ball without holes");
        assert!(f.quality.hausdorff() < cell * cell);
        errors.push(-f.quality.volume_error);
    }
    // Over two halvings: the coarsest lattice has five cells across the ball.
    let order = (errors[0] / errors[2]).log2() / 2.0;
    println!("order of the volume {order:.2}");
    assert!((1.8..2.5).contains(&order), "{errors:?}");
}

#[test]
fn a_box_on_the_lattice_is_filled_exactly_and_any_other_to_its_edges() {
    // Every face of the box lies in a plane of nodes: all of them are decided by the rule for points on the surface.
    let size = DVec3::new(1.0, 0.5, 0.75);
    let f = fill(&cuboid(size, [1; 3]).unwrap(), FillOptions::cell(0.25)).unwrap();
    sound(&f);
    println!("{}", f.quality);
    assert!(f.quality.volume_error.abs() < 1e-12 && f.quality.hausdorff() < 1e-12);
    let f = fill(&cuboid(size, [1; 3]).unwrap(), FillOptions::cell(0.13)).unwrap();
    sound(&f);
    println!("{}", f.quality);
    assert!(f.quality.from_surface < 0.13 && f.quality.volume_error.abs() < 0.1);
}

/// A cube with a cavity that is a cube, whose faces look inwards.
fn hollow(outer: f64, inner: f64) -> TriMesh {
    let (mut x, mut t) = cuboid(DVec3::broadcast(outer), [1; 3]).unwrap().into_parts();
    let (cavity, faces) = cuboid(DVec3::broadcast(inner), [1; 3]).unwrap().into_parts();
    let first = x.len() as u32;
    x.extend(cavity);
    t.extend(faces.iter().map(|f| [f[0] + first, f[2] + first, f[1] + first]));
    TriMesh::new(x, t).unwrap()
}

#[test]
fn holes_stay_holes_and_cavities_stay_empty() {
    let f = fill(&torus(1.0, 0.35, 96, 48).unwrap(), FillOptions::cell(0.15)).unwrap();
    sound(&f);
    assert_eq!(TetTopology::new(&f.mesh).euler_characteristic(), 0, "a ring");
    let f = fill(&hollow(2.0, 1.0), FillOptions::cell(0.21)).unwrap();
    sound(&f);
    println!("{}", f.quality);
    assert!(f.quality.volume_error.abs() < 0.05);
    assert_eq!(TetTopology::new(&f.mesh).euler_characteristic(), 2, "a shell");
}

#[test]
fn what_cannot_be_filled_is_refused_with_the_reason() {
    let (x, mut t) = cuboid(DVec3::one(), [1; 3]).unwrap().into_parts();
    t.pop();
    let open = TriMesh::new(x, t).unwrap();
    let e = fill(&open, FillOptions::cell(0.1)).unwrap_err();
    assert!(e.to_string().contains("3 boundary edges"), "{e}");
    let (x, t) = cuboid(DVec3::one(), [1; 3]).unwrap().into_parts();
    let inside_out = TriMesh::new(x, t.iter().map(|t| [t[0], t[2], t[1]]).collect()).unwrap();
    assert!(matches!(fill(&inside_out, FillOptions::cell(0.1)), Err(FillError::Surface(_))));
    let mended = Repair::Orient.apply(&inside_out).unwrap().mesh;
    assert!(fill(&mended, FillOptions::cell(0.2)).is_ok());
    let plate = cuboid(DVec3::new(1.0, 1.0, 1e-3), [1; 3]).unwrap();
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(fill(&plate, FillOptions::cell(cell)), Err(FillError::Cell { .. })));
    }
    let board = cuboid(DVec3::new(1.0, 1.0, 0.1), [1; 3]).unwrap();
    let few = FillOptions { cell: 1e-5, most_cubes: 5000 };
    let Err(FillError::TooFine { suggested, .. }) = fill(&board, few) else {
        panic!("{few:?} was let through")
    };
    // The suggestion is kept to.
    assert!(fill(&board, FillOptions { cell: suggested, ..few }).is_ok_and(|f| f.quality.tets > 0));
    let e = fill(&icosphere(0.01, 1).unwrap(), FillOptions::cell(1.0)).unwrap_err();
    assert!(matches!(e, FillError::TooCoarse { .. }), "{e}");
}

/// What a scene takes without a word: as many cubes across as asked for, fewer where they would make too many tets, and enough for thin places.
#[test]
fn the_fineness_within_a_number_of_tets_keeps_to_it_but_for_thin_places() {
    let across = |mesh: &TriMesh, tets: usize| {
        let options = FillOptions::within(mesh, 6, tets).unwrap();
        let filled = fill_fitted(mesh, options).unwrap();
        (FillOptions::across(mesh, 1).cell / options.cell, filled.quality.tets)
    };
    let finger = cuboid(DVec3::new(0.2, 0.02, 0.02), [1; 3]).unwrap();
    for (mesh, cubes) in [(cuboid(DVec3::one(), [1; 3]).unwrap(), 6.0), (icosphere(1.0, 4).unwrap(), 6.0)] {
        let (k, tets) = across(&mesh, 20_000);
        assert!((k - cubes).abs() < 1e-9 && tets < 20_000, "{k} across, {tets} tets");
    }
    let (k, tets) = across(&finger, 20_000);
    assert!((k - 5.0).abs() < 1e-9 && (10_000..20_000).contains(&tets), "{k} across, {tets} tets");
    // Plates and rods keep two across, however few tets are asked for and however they are turned.
    let plate = cuboid(DVec3::new(0.3, 0.3, 0.03), [1; 3]).unwrap();
    for (mesh, thin, few) in [(&plate, 0.03, 2000), (&finger, 0.02, 500)] {
        let (k, tets) = across(mesh, few);
        assert!((k - 2.0).abs() < 1e-9 && tets > few, "{k} across, {tets} tets");
        let cell = FillOptions::within(&turned(mesh, [0.4, -1.0, 0.7], [3.0; 3]), 6, few).unwrap().cell;
        assert!((cell - 0.5 * thin).abs() < 1e-9, "cells of {cell} m");
    }
    // A hollow box whose wall is a tenth of it: three cells through the wall if there may be as many, else two.
    let shell = hollow(2.0, 1.6);
    for (tets, cell) in [(1_000_000, 0.2 / 3.0), (20_000, 0.1)] {
        let got = FillOptions::within(&shell, 6, tets).unwrap().cell;
        assert!((got - cell).abs() < 1e-5, "cells of {got} m, not {cell} m");
    }
    // A sheet would take millions: that is refused before any is made.
    let sheet = cuboid(DVec3::new(1.0, 1.0, 1e-3), [1; 3]).unwrap();
    let refused = FillOptions::within(&sheet, 6, 20_000);
    assert!(matches!(refused, Err(FillError::TooMany { allowed: 200_000, .. })), "{refused:?}");
    // A few large sides count by their area beside tens of thousands of small ones, whichever come first.
    let [block, bead] = [cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap(), icosphere(0.002, 6).unwrap()];
    let bead = bead.mapped(|p| p + DVec3::unit_x() * 0.2).unwrap();
    let cells = [[&block, &bead], [&bead, &block]].map(|[first, second]| {
        let (mut x, mut t) = (first.positions().to_vec(), first.triangles().to_vec());
        let count = x.len() as u32;
        x.extend(second.positions());
        t.extend(second.triangles().iter().map(|t| t.map(|v| v + count)));
        FillOptions::within(&TriMesh::new(x, t).unwrap(), 6, 20_000).unwrap().cell
    });
    assert!(cells[0] == cells[1] && cells[0] > 0.01, "{cells:?}");
    let (x, mut t) = plate.into_parts();
    t.pop();
    let open = TriMesh::new(x, t).unwrap();
    assert!(matches!(FillOptions::within(&open, 6, 20_000), Err(FillError::Surface(_))));
    assert!(matches!(fill_fitted(&open, FillOptions::cell(0.1)), Err(FillError::Surface(_))));
}

#[test]
fn dihedral_angles_of_known_tets() {
    let o = DVec3::zero();
    let [x, y, z] = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    let [low, high] = dihedral_angles([o, x, y, z]);
    assert!((low - (1.0 / 3f64.sqrt()).acos()).abs() < 1e-15);
    assert!((high - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    let [low, high] = dihedral_angles([x + y + z, x - y - z, -x - y + z, -x + y - z]);
    assert!((low - (1.0 / 3f64).acos()).abs() < 1e-15 && (high - low).abs() < 1e-15);
}

fn turned(mesh: &TriMesh, way: [f64; 3], shift: [f64; 3]) -> TriMesh {
    let pose = Pose { position: DVec3::from(shift), rotation: rotor_from_rotation_vector(DVec3::from(way)) };
    mesh.mapped(|p| pose.point_to_world(p)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Any way round, any size against the lattice, far from the origin: sound, and near the surface.
    #[test]
    fn any_pose_is_filled(
        way in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-100.0..100.0f64),
        cell in 0.09..0.3f64,
        shape in 0..4usize,
    ) {
        let mesh = match shape {
            0 => cuboid(DVec3::new(1.0, 0.7, 0.9), [1; 3]).unwrap(),
            1 => ellipsoid(DVec3::new(0.8, 0.4, 0.5), 4).unwrap(),
            2 => torus(0.8, 0.35, 48, 24).unwrap(),
            _ => capsule(0.4, 1.0, 32, 8).unwrap(),
        };
        let f = fill(&turned(&mesh, way, shift), FillOptions::cell(cell)).unwrap();
        sound(&f);
        prop_assert!(f.quality.to_surface < cell && f.quality.from_surface < 1.5 * cell, "{}", f.quality);
        prop_assert!(f.quality.volume_error.abs() < 0.35);
    }

    /// Whole cells meet the sides of any box, however it is turned, and what is round stays as near as by any lattice.
    #[test]
    fn fitted_cells_meet_the_sides_of_a_box(
        size in prop::array::uniform3(0.3..1.0f64),
        way in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-10.0..10.0f64),
        across in 2u32..5,
    ) {
        let options = |mesh: &TriMesh| FillOptions::across(mesh, across);
        let cube = cuboid(DVec3::from(size), [1; 3]).unwrap();
        for way in [[0.0; 3], way] {
            let mesh = turned(&cube, way, shift);
            let f = fill_fitted(&mesh, options(&cube)).unwrap();
            sound(&f);
            prop_assert!(f.quality.volume_error.abs() < 1e-11 && f.quality.hausdorff() < 1e-12, "{}", f.quality);
        }
        let mesh = turned(&ellipsoid(DVec3::from(size), 3).unwrap(), [0.0; 3], shift);
        let cell = 1.25 * options(&mesh).cell;
        let f = fill_fitted(&mesh, options(&mesh)).unwrap();
        prop_assert!(f.quality.to_surface < cell && f.quality.from_surface < 1.5 * cell, "{}", f.quality);
    }

    /// Positions alone decide: the same bits twice.
    #[test]
    fn twice_is_the_same(cell in 0.15..0.5f64) {
        let ball = icosphere(1.0, 3).unwrap();
        let once: TetMesh = fill(&ball, FillOptions::cell(cell)).unwrap().mesh;
        prop_assert_eq!(once, fill(&ball, FillOptions::cell(cell)).unwrap().mesh);
    }
}

/// A ring whose hole is thinner than a cell: where the filling touches itself, its measures say so.
#[test]
fn a_filling_that_is_not_manifold_says_so() {
    let ring = torus(0.2, 0.19, 48, 24).unwrap();
    let mut pinched = 0;
    for k in 0..12 {
        let filled = fill(&ring, FillOptions::cell(0.03 + 0.01 * f64::from(k))).unwrap();
        let skin = TetTopology::new(&filled.mesh).surface(&filled.mesh).unwrap().mesh;
        let topology = Topology::new(&skin);
        let (edges, vertices) = (topology.non_manifold_edges(), topology.pinched_vertices().len());
        let q = filled.quality;
        assert_eq!((q.non_manifold_edges, q.pinched_vertices), (edges, vertices));
        assert_eq!(q.to_string().contains("not manifold"), edges + vertices > 0, "{q}");
        pinched += usize::from(edges + vertices > 0);
    }
    assert!(pinched > 0, "no cell of these pinches the hole");
}
