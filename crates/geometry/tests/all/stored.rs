//! Data types to files and back, and the vectors of other crates.

use impinge_geometry::{
    DVec3, Pose, TetMesh, TriMesh, closest_on_triangle, cuboid, mass_properties, rotor_from_rotation_vector,
    tet_box,
};
use serde::{Serialize, de::DeserializeOwned};

fn there_and_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn values_come_back_to_the_bit() {
    let pose = Pose::new(
        DVec3::new(0.1, 1.0 / 3.0, -7e-300),
        rotor_from_rotation_vector(DVec3::new(0.3, -0.2, 1.1)),
    );
    assert_eq!(there_and_back(&pose), pose);
    let mesh = cuboid(DVec3::new(0.1, 0.2, 0.3), [2; 3]).unwrap();
    assert_eq!(there_and_back(&mesh), mesh);
    let tets = tet_box(DVec3::new(0.1, 0.2, 0.3), [2; 3]).unwrap();
    assert_eq!(there_and_back(&tets), tets);
    let mass = mass_properties(&mesh).unwrap();
    assert_eq!(there_and_back(&mass), mass);
    let near = closest_on_triangle(DVec3::one(), mesh.corners(0));
    assert_eq!(there_and_back(&near), near);
}

#[test]
fn a_mesh_in_a_file_is_checked_like_any_other() {
    let text = r#"{"positions":[{"x":0,"y":0,"z":0}],"triangles":[[0,0,1]]}"#;
    let e = serde_json::from_str::<TriMesh>(text).unwrap_err().to_string();
    assert!(e.contains("triangle 0"), "{e}");
    let text = r#"{"positions":[{"x":0,"y":0,"z":0}],"tets":[]}"#;
    assert!(serde_json::from_str::<TetMesh>(text).is_err());
}

#[test]
fn vectors_of_mint_and_arrays_are_taken_and_given() {
    let v = DVec3::new(1.0, 2.0, 3.0);
    let theirs: mint::Vector3<f64> = v.into();
    assert_eq!((theirs.x, theirs.y, theirs.z), (1.0, 2.0, 3.0));
    assert_eq!(DVec3::from(theirs), v);
    let array: [f64; 3] = v.into();
    assert_eq!(DVec3::from(array), v);
}
