#![allow(dead_code)]

use impinge_geometry::{DVec3, TriMesh, cuboid, rotor_from_rotation_vector};
use impinge_volume::{Body, CellGrid, ClosedSurface, Evaluate, Exact, LayeredDepth, Overlap};

pub fn at(mesh: &TriMesh, shift: DVec3) -> TriMesh {
    mesh.mapped(|p| p + shift).unwrap()
}

pub fn turned(mesh: &TriMesh, w: DVec3, shift: DVec3) -> TriMesh {
    let r = rotor_from_rotation_vector(w);
    mesh.mapped(|p| r * p + shift).unwrap()
}

pub fn v3(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// The pair's overlap, both bodies given as meshes.
pub fn overlap(
    e: &mut (impl Evaluate + ?Sized),
    a: &TriMesh,
    b: &TriMesh,
    grid: Option<&CellGrid>,
) -> Overlap {
    let (sa, sb) = (ClosedSurface::new(a).unwrap(), ClosedSurface::new(b).unwrap());
    let mut out = Overlap::new();
    let (a, b) = (Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap());
    e.evaluate(a, b, grid, &mut out).unwrap();
    out
}

/// ∂V/∂p of A's vertices, then B's, dense.
pub fn gradients(o: &Overlap, a: &TriMesh, b: &TriMesh) -> [Vec<DVec3>; 2] {
    let mut g = [vec![DVec3::zero(); a.positions().len()], vec![DVec3::zero(); b.positions().len()]];
    for (side, g) in g.iter_mut().enumerate() {
        o.add_gradient(side, g);
    }
    g
}

pub fn sum(g: &[DVec3]) -> DVec3 {
    g.iter().fold(DVec3::zero(), |s, &x| s + x)
}

/// Numbers without a library: xorshift.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

pub fn cube(edge: f64) -> TriMesh {
    cuboid(v3(edge, edge, edge), [1; 3]).unwrap()
}

/// The overlap place by place, exactly.
pub fn by_place(a: &TriMesh, b: &TriMesh, grid: Option<&CellGrid>) -> Overlap {
    overlap(&mut Exact::new().by_place(true), a, b, grid)
}

/// The same by rays so far apart (m).
pub fn by_rays(a: &TriMesh, b: &TriMesh, grid: Option<&CellGrid>, pixel: f64) -> Overlap {
    overlap(&mut LayeredDepth::new(pixel).unwrap().by_place(true), a, b, grid)
}

pub fn joined(meshes: &[&TriMesh]) -> TriMesh {
    TriMesh::joined(meshes).unwrap()
}

/// Four legs of 0.1 m under a plate, on a floor of two large triangles into which they reach by 1, 2, 3 and 4 mm.
pub fn table() -> (TriMesh, TriMesh) {
    let leg =
        |x: f64, y: f64, deep: f64| at(&cuboid(v3(0.1, 0.1, 0.5), [1; 3]).unwrap(), v3(x, y, 0.25 - deep));
    let legs = [leg(-0.4, -0.3, 0.001), leg(0.4, -0.3, 0.002), leg(-0.4, 0.3, 0.003), leg(0.4, 0.3, 0.004)];
    let top = at(&cuboid(v3(1.0, 0.8, 0.05), [1; 3]).unwrap(), v3(0.0, 0.0, 0.6));
    let [a, b, c, d] = &legs;
    (joined(&[a, b, c, d, &top]), at(&cuboid(v3(3.0, 3.0, 1.0), [1; 3]).unwrap(), v3(0.07, 0.03, -0.5)))
}
