//! Cases of the reference file, and small helpers shared by the tests.
#![allow(dead_code)]

use impinge_geometry::{DRotor3, DVec3, Pose, TetMesh, TriMesh, rotor_from_rotation_vector};
use impinge_pressure::{CompliantBody, HalfSpace, RigidSurface, Shape};
use serde_json::Value;
use std::path::PathBuf;

/// The folder of shared files, or `None` with a line on what is skipped.
pub fn shared(what: &str) -> Option<PathBuf> {
    let dir = std::env::var_os("IMPINGE_SHARED").map(PathBuf::from);
    if dir.is_none() {
        println!("skipped: {what} needs the folder of shared files; set IMPINGE_SHARED to it");
    }
    dir
}

pub fn read(path: PathBuf) -> Value {
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

pub fn vector(v: &Value) -> DVec3 {
    DVec3::new(v[0].as_f64().unwrap(), v[1].as_f64().unwrap(), v[2].as_f64().unwrap())
}

pub fn vectors(v: &Value) -> Vec<DVec3> {
    v.as_array().unwrap().iter().map(vector).collect()
}

pub fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

pub fn indices<const N: usize>(v: &Value) -> Vec<[u32; N]> {
    v.as_array().unwrap().iter().map(|t| std::array::from_fn(|i| t[i].as_u64().unwrap() as u32)).collect()
}

/// Rotor of a unit quaternion w, x, y, z.
pub fn rotor(q: [f64; 4]) -> DRotor3 {
    let mut r = DRotor3::identity();
    r.s = q[0];
    r.bv.xy = -q[3];
    r.bv.xz = q[2];
    r.bv.yz = -q[1];
    r.normalized()
}

pub fn pose(v: &Value) -> Pose {
    let q = numbers(&v["quat_wxyz"]);
    Pose::new(vector(&v["p"]), rotor([q[0], q[1], q[2], q[3]]))
}

/// A body of the reference file.
pub fn drake_shape(file: &Value, body: &Value) -> Shape {
    let mesh = || &file["meshes"][body["mesh"].as_str().unwrap()];
    match body["type"].as_str().unwrap() {
        "compliant" => {
            let field = &file["fields"][body["field"].as_str().unwrap()];
            let tets = TetMesh::new(vectors(&mesh()["vertices"]), indices::<4>(&mesh()["elements"])).unwrap();
            let modulus = field["modulus"].as_f64().unwrap();
            let extent = numbers(&field["pressure"]).iter().map(|p| p / modulus).collect();
            CompliantBody::new(tets, extent, modulus).unwrap().into()
        }
        "rigid" => {
            let m = TriMesh::new(vectors(&mesh()["vertices"]), indices::<3>(&mesh()["elements"])).unwrap();
            RigidSurface::new(m).unwrap().into()
        }
        "rigid_halfspace" => HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into(),
        "compliant_halfspace" => {
            let (e, h) = (body["modulus"].as_f64().unwrap(), body["slab_thickness"].as_f64().unwrap());
            HalfSpace::layer(DVec3::unit_z(), 0.0, e, h).unwrap().into()
        }
        other => panic!("a body of type {other}"),
    }
}

/// Numbers that look random and are the same everywhere.
pub struct Lcg(pub u64);

impl Lcg {
    /// In [−1, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub fn pose(&mut self, shift: f64, turn: f64) -> Pose {
        Pose::new(self.vector() * shift, rotor_from_rotation_vector(self.vector() * turn))
    }
}

/// `pose` moved by a small world translation and turned about its own origin by a small world rotation vector.
pub fn nudged(pose: &Pose, shift: DVec3, turn: DVec3) -> Pose {
    Pose::new(pose.position + shift, rotor_from_rotation_vector(turn) * pose.rotation)
}
