//! Open ground with a bottom and walls is a solid of the right volume.

use impinge_geometry::generators::{cuboid, disc, grid, height_field};
use impinge_geometry::{DVec3, MeshError, TriMesh, mass_properties};
use impinge_meshing::{health, thicken};
use proptest::prelude::*;

#[test]
fn a_sheet_becomes_a_plate() {
    let plate = thicken(&grid([2.0, 3.0], [4, 5]).unwrap(), DVec3::unit_z() * -0.1).unwrap();
    let solid = mass_properties(&plate).unwrap();
    assert!((solid.volume - 0.6).abs() < 1e-14 && (solid.center - DVec3::new(0.0, 0.0, -0.05)).mag() < 1e-14);
    // Along a slanted way the volume is that of the height.
    let slanted = thicken(&disc(1.0, 3).unwrap(), DVec3::new(0.4, 0.0, -0.5)).unwrap();
    let flat = thicken(&disc(1.0, 3).unwrap(), DVec3::new(0.0, 0.0, -0.5)).unwrap();
    let volume = |m: &TriMesh| mass_properties(m).unwrap().volume;
    assert!((volume(&slanted) - volume(&flat)).abs() < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_ground_becomes_a_sound_solid(heights in prop::collection::vec(-1.0..1.0f64, 12), depth in 1e-3..2.0f64) {
        let ground = height_field([3.0, 2.0], [4, 3], &heights).unwrap();
        let solid = thicken(&ground, DVec3::unit_z() * -depth).unwrap();
        let found = health(&solid);
        prop_assert!(found.is_sound(), "{}", found);
        prop_assert!((mass_properties(&solid).unwrap().volume - 6.0 * depth).abs() < 1e-12);
        prop_assert_eq!(&solid.positions()[..12], ground.positions());
    }
}

#[test]
fn what_cannot_be_thickened_says_why() {
    let block = cuboid(DVec3::one(), [1, 1, 1]).unwrap();
    assert!(thicken(&block, -DVec3::unit_z()).unwrap_err().to_string().contains("no border"));
    let sheet = grid([1.0, 1.0], [1, 1]).unwrap();
    for by in [DVec3::unit_z(), DVec3::unit_x(), DVec3::zero()] {
        assert!(thicken(&sheet, by).unwrap_err().to_string().contains("triangle 0"));
    }
    // Two triangles that touch in a corner have a wall there with four triangles at one edge.
    let x =
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let bow = TriMesh::new(x.to_vec(), vec![[0, 1, 2], [0, 3, 4]]).unwrap();
    assert!(matches!(thicken(&bow, -DVec3::unit_z()), Err(MeshError::NotClosed { .. })));
}
