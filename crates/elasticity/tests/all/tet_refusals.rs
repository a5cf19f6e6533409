//! What cannot be a body is refused at the door, with the reason and the fix.

use crate::tet_support::*;
use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DVec3, TetMesh, tet_box};

fn refuse(positions: &[[f64; 3]], tets: &[[u32; 4]], m: Material) -> String {
    let mesh = TetMesh::from_arrays(positions, tets).unwrap();
    TetElements::new(&mesh, Model::default(), &m).unwrap_err().to_string()
}

const UNIT: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[test]
fn rest_tets_must_have_volume() {
    let m = material();
    let e = refuse(&UNIT, &[[0, 1, 2, 3], [0, 2, 1, 3]], m);
    assert!(e.contains("number 1") && e.contains("inverted") && e.contains("oriented"), "{e}");
    let mut flat = UNIT;
    flat[3] = [0.3, 0.3, 0.0];
    assert!(refuse(&flat, &[[0, 1, 2, 3]], m).contains("flat"));
    // Not flat exactly, but thinner than its corners are rounded.
    flat[3][2] = 1e-14;
    assert!(refuse(&flat, &[[0, 1, 2, 3]], m).contains("flat"));
    assert!(refuse(&[[1.0; 3]; 4], &[[0, 1, 2, 3]], m).contains("flat"));
    assert!(refuse(&UNIT, &[[0, 1, 2, 2]], m).contains("flat"));
    assert!(refuse(&UNIT.map(|p| p.map(|x| x * 1e-120)), &[[0, 1, 2, 3]], m).contains("flat"));
    // A thin one that can be told apart is a body.
    flat[3][2] = 1e-6;
    let mesh = TetMesh::from_arrays(&flat, &[[0, 1, 2, 3]]).unwrap();
    assert!(TetElements::new(&mesh, Model::default(), &m).is_ok());
}

#[test]
fn materials_must_be_materials() {
    let m = material();
    for (bad, word) in [
        (Material { young: -1.0, ..m }, "young is -1 Pa"),
        (Material { poisson: 0.5, ..m }, "poisson is 0.5"),
        (Material { density: 0.0, ..m }, "density is 0 kg/m³"),
    ] {
        let e = refuse(&UNIT, &[[0, 1, 2, 3]], bad);
        assert!(e.contains(word) && e.contains("must be"), "{e}");
    }
    let mesh = TetMesh::from_arrays(&UNIT, &[[0, 1, 2, 3]]).unwrap();
    let e = TetElements::with_materials(&mesh, Model::default(), &[m], |_| 1).unwrap_err().to_string();
    assert!(e.contains("names material 1 of 1"), "{e}");
}

#[test]
fn attachments_must_hold_one_node_each_somewhere() {
    let a = Attachment { node: 1, point: DVec3::zero(), stiffness: 5.0 };
    let refuse = |all: Vec<Attachment>| Attachments::new(3, all).unwrap_err().to_string();
    assert!(
        refuse(vec![a, Attachment { node: 3, ..a }]).contains("number 1: attaches node 3, but there are 3")
    );
    assert!(refuse(vec![a, a]).contains("attachment 0 holds already"));
    assert!(refuse(vec![Attachment { stiffness: 0.0, ..a }]).contains("stiffness is 0 N/m"));
    assert!(refuse(vec![Attachment { point: DVec3::new(0.0, f64::NAN, 0.0), ..a }]).contains("not finite"));
    let mut good = Attachments::new(3, vec![a]).unwrap();
    assert!(
        good.set_point(1, DVec3::zero()).is_err() && good.set_point(0, DVec3::one() * f64::INFINITY).is_err()
    );
    assert_eq!(good.all(), [a]);
}

#[test]
fn too_short_an_array_is_named() {
    let mesh = tet_box(DVec3::one(), [1, 1, 1]).unwrap();
    let body = body(&mesh, Model::default());
    let call = || energy(&body, &mesh.positions()[1..], &mut Workspace::default());
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("x has 7 entries for 8 nodes"));
}
