//! The pairs, each with what Drake took for its like. Drake's sizes of brick, slab, ellipsoid, cylinder and capsule are not
//! on record, nor are those of its tori: ours have about as many tets, and stand so that about as many polygons come out.

use impinge_geometry::{DVec3, Pose, TetTopology, generators, rotor_from_rotation_vector};
use impinge_pressure::{CompliantBody, HalfSpace, RigidSurface, Shape, fields};
use std::f64::consts::FRAC_PI_2;

/// What the ratio compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bodies that touch.
    Touch,
    /// Bodies whose bounding boxes meet and that do not touch.
    Miss,
}

/// A row of Drake's table.
#[derive(Clone, Copy, Debug)]
pub struct Drake {
    /// Its tets, or triangles of a rigid body.
    pub size: &'static str,
    pub faces: f64,
    /// Median (µs).
    pub us: f64,
}

/// A body by name and resolution (m, or cubes along an edge).
#[derive(Clone, Copy, Debug)]
enum Body {
    Ball(f64),
    Cube,
    Brick,
    Slab,
    Grid(u32),
    Ellipsoid(f64),
    Cylinder(f64),
    Capsule(f64),
    /// Segments and sides: three tets for each of both.
    Torus(u32, u32),
    RigidBox,
    RigidBall(f64),
    Ground,
    Layer,
}

/// Two bodies, how far apart (m, along a line that is no axis, or along z) and whether the second lies across the first.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub name: &'static str,
    bodies: [Body; 2],
    distance: f64,
    pub kind: Kind,
    pub drake: Drake,
    /// How many times faster ours is meant to be.
    pub aim: f64,
}

const fn pair(
    name: &'static str,
    bodies: [Body; 2],
    distance: f64,
    kind: Kind,
    (size, faces, us): (&'static str, f64, f64),
    aim: f64,
) -> Pair {
    Pair { name, bodies, distance, kind, drake: Drake { size, faces, us }, aim }
}

use Body::{
    Ball, Brick, Capsule, Cube, Cylinder, Ellipsoid, Grid, Ground, Layer, RigidBall, RigidBox, Slab, Torus,
};
use Kind::{Miss, Touch};

/// All rows.
#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    pair("ball ~ ball 0.05", [Ball(0.05), Ball(0.05)], 0.088, Touch, ("32, 32", 9.0, 15.7), 3.0),
    pair("ball ~ ball 0.025", [Ball(0.025), Ball(0.025)], 0.088, Touch, ("128, 128", 44.0, 67.3), 3.0),
    pair("ball ~ ball 0.0125", [Ball(0.0125), Ball(0.0125)], 0.088, Touch, ("512, 512", 184.0, 254.0), 4.0),
    pair("ball ~ ball 0.00625", [Ball(0.00625), Ball(0.00625)], 0.088, Touch, ("2048, 2048", 712.0, 1094.0), 4.4),
    pair("box ~ box", [Cube, Cube], 0.094, Touch, ("24, 24", 26.0, 45.7), 3.0),
    pair("brick ~ box", [Brick, Cube], 0.094, Touch, ("44, 24", 29.0, 55.1), 3.0),
    pair("slab ~ box", [Slab, Cube], 0.03, Touch, ("44, 24", 38.0, 75.3), 3.0),
    pair("grid cube ~ grid cube 4", [Grid(4), Grid(4)], 0.0975, Touch, ("384, 384", 287.0, 608.0), 3.0),
    pair("grid cube ~ grid cube 6", [Grid(6), Grid(6)], 0.0975, Touch, ("1296, 1296", 684.0, 1887.0), 3.0),
    pair("grid cube ~ grid cube 8", [Grid(8), Grid(8)], 0.0975, Touch, ("3072, 3072", 1256.0, 3562.0), 3.0),
    pair("ball ~ rigid box 0.05", [Ball(0.05), RigidBox], 0.09, Touch, ("32, 24", 14.0, 24.7), 3.0),
    pair("ball ~ rigid box 0.025", [Ball(0.025), RigidBox], 0.09, Touch, ("128, 24", 39.0, 71.0), 3.0),
    pair("ball ~ rigid box 0.0125", [Ball(0.0125), RigidBox], 0.09, Touch, ("512, 24", 103.0, 210.0), 3.0),
    pair("ball ~ rigid box 0.00625", [Ball(0.00625), RigidBox], 0.09, Touch, ("2048, 24", 316.0, 616.0), 3.0),
    pair("ball ~ layer box 0.05", [Ball(0.05), Slab], 0.055, Touch, ("32, 44", 24.0, 40.9), 3.0),
    pair("ball ~ layer box 0.025", [Ball(0.025), Slab], 0.055, Touch, ("128, 44", 64.0, 94.2), 3.0),
    pair("ball ~ layer box 0.0125", [Ball(0.0125), Slab], 0.055, Touch, ("512, 44", 146.0, 241.0), 3.0),
    pair("ball ~ layer box 0.00625", [Ball(0.00625), Slab], 0.055, Touch, ("2048, 44", 416.0, 818.0), 3.0),
    pair("ellipsoid ~ ellipsoid 0.06", [Ellipsoid(0.06), Ellipsoid(0.06)], 0.064, Touch, ("32, 32", 10.0, 25.1), 3.0),
    pair("ellipsoid ~ ellipsoid 0.03", [Ellipsoid(0.03), Ellipsoid(0.03)], 0.064, Touch, ("128, 128", 48.0, 102.0), 3.0),
    pair("ellipsoid ~ ellipsoid 0.015", [Ellipsoid(0.015), Ellipsoid(0.015)], 0.064, Touch, ("512, 512", 184.0, 278.0), 3.0),
    pair("ellipsoid ~ ellipsoid 0.0075", [Ellipsoid(0.0075), Ellipsoid(0.0075)], 0.064, Touch, ("2048, 2048", 746.0, 1048.0), 3.0),
    pair("cylinder ~ cylinder, crossed 0.04", [Cylinder(0.04), Cylinder(0.04)], 0.035, Touch, ("35, 35", 57.0, 130.0), 3.0),
    pair("cylinder ~ cylinder, crossed 0.02", [Cylinder(0.02), Cylinder(0.02)], 0.035, Touch, ("65, 65", 122.0, 276.0), 3.0),
    pair("cylinder ~ cylinder, crossed 0.01", [Cylinder(0.01), Cylinder(0.01)], 0.035, Touch, ("130, 130", 323.0, 764.0), 3.0),
    pair("capsule ~ capsule, crossed 0.04", [Capsule(0.04), Capsule(0.04)], 0.02, Touch, ("78, 78", 113.0, 204.0), 3.0),
    pair("capsule ~ capsule, crossed 0.02", [Capsule(0.02), Capsule(0.02)], 0.02, Touch, ("300, 300", 342.0, 1161.0), 3.0),
    pair("capsule ~ capsule, crossed 0.01", [Capsule(0.01), Capsule(0.01)], 0.02, Touch, ("1225, 1225", 1237.0, 7111.0), 8.0),
    pair("torus ~ torus, linked 12x6", [Torus(12, 6), Torus(12, 6)], 0.066, Touch, ("216, 216", 51.0, 175.0), 3.0),
    pair("torus ~ torus, linked 24x10", [Torus(24, 10), Torus(24, 10)], 0.065, Touch, ("720, 720", 142.0, 346.0), 3.0),
    pair("torus ~ torus, linked 36x14", [Torus(36, 14), Torus(36, 14)], 0.064, Touch, ("1512, 1512", 240.0, 540.0), 3.0),
    pair("torus ~ torus, linked 54x28", [Torus(54, 28), Torus(54, 28)], 0.061, Touch, ("4536, 4536", 426.0, 1454.0), 3.0),
    pair("ball ~ rigid half space 0.05", [Ball(0.05), Ground], 0.04, Touch, ("32", 8.0, 2.9), 2.0),
    pair("ball ~ rigid half space 0.025", [Ball(0.025), Ground], 0.04, Touch, ("128", 22.0, 6.1), 2.0),
    pair("ball ~ rigid half space 0.0125", [Ball(0.0125), Ground], 0.04, Touch, ("512", 72.0, 17.6), 2.0),
    pair("ball ~ rigid half space 0.00625", [Ball(0.00625), Ground], 0.04, Touch, ("2048", 258.0, 58.7), 2.0),
    pair("rigid ball ~ compliant half space 0.05", [RigidBall(0.05), Layer], 0.04, Touch, ("32", 8.0, 2.6), 2.0),
    pair("rigid ball ~ compliant half space 0.025", [RigidBall(0.025), Layer], 0.04, Touch, ("128", 24.0, 5.3), 2.0),
    pair("rigid ball ~ compliant half space 0.0125", [RigidBall(0.0125), Layer], 0.04, Touch, ("512", 77.0, 15.5), 2.0),
    pair("rigid ball ~ compliant half space 0.00625", [RigidBall(0.00625), Layer], 0.04, Touch, ("2048", 270.0, 46.3), 2.0),
    pair("ball ~ ball 0.05, missing", [Ball(0.05), Ball(0.05)], 0.107, Miss, ("32, 32", 0.0, 1.69), 10.0),
    pair("ball ~ ball 0.025, missing", [Ball(0.025), Ball(0.025)], 0.107, Miss, ("128, 128", 0.0, 3.09), 10.0),
    pair("ball ~ ball 0.0125, missing", [Ball(0.0125), Ball(0.0125)], 0.107, Miss, ("512, 512", 0.0, 9.54), 10.0),
    pair("ball ~ ball 0.00625, missing", [Ball(0.00625), Ball(0.00625)], 0.107, Miss, ("2048, 2048", 0.0, 6.17), 10.0),
];

/// Two shapes where they are about to be moved from.
pub struct Bodies {
    pub a: Shape,
    pub b: Shape,
    pub poses: [Pose; 2],
}

const MODULUS: f64 = 1e6;

impl Body {
    fn shape(self) -> Result<Shape, String> {
        let field = |made: Result<CompliantBody, impinge_pressure::BodyError>| {
            made.map(Shape::from).map_err(|e| e.to_string())
        };
        let rigid = |mesh| RigidSurface::new(mesh).map(Shape::from).map_err(|e| e.to_string());
        match self {
            Ball(h) => field(fields::sphere(0.05, h, MODULUS)),
            Cube => field(fields::cuboid(DVec3::broadcast(0.1), MODULUS)),
            Brick => field(fields::cuboid(DVec3::new(0.12, 0.1, 0.1), MODULUS)),
            Slab => field(fields::cuboid(DVec3::new(0.2, 0.16, 0.04), MODULUS)),
            Grid(n) => {
                let mesh = generators::tet_box(DVec3::broadcast(0.1), [n; 3]).map_err(|e| e.to_string())?;
                field(fields::distance(mesh, MODULUS, true))
            }
            Ellipsoid(h) => field(fields::ellipsoid(DVec3::new(0.06, 0.045, 0.036), h, MODULUS)),
            Cylinder(h) => field(fields::cylinder(0.04, 0.16, h, MODULUS)),
            Capsule(h) => field(fields::capsule(0.035, 0.1, h, MODULUS)),
            Torus(segments, sides) => {
                let mesh = generators::tet_torus(0.05, 0.02, segments, sides).map_err(|e| e.to_string())?;
                field(fields::distance(mesh, MODULUS, true))
            }
            RigidBox => rigid(generators::cuboid(DVec3::broadcast(0.1), [1; 3]).map_err(|e| e.to_string())?),
            RigidBall(h) => {
                let ball = fields::sphere(0.05, h, MODULUS).map_err(|e| e.to_string())?;
                let surface = TetTopology::new(ball.mesh()).surface(ball.mesh());
                rigid(surface.map_err(|e| e.to_string())?.mesh)
            }
            Ground => HalfSpace::rigid(DVec3::unit_z(), 0.0).map(Shape::from).map_err(|e| e.to_string()),
            Layer => HalfSpace::layer(DVec3::unit_z(), 0.0, MODULUS, 0.05)
                .map(Shape::from)
                .map_err(|e| e.to_string()),
        }
    }

    fn round(self) -> bool {
        matches!(self, Ball(_) | Ellipsoid(_))
    }
}

impl Bodies {
    /// The first body stands `distance` away from the second, which is at the origin.
    pub fn new(pair: &Pair) -> Result<Self, String> {
        let [a, b] = pair.bodies;
        let way = match (a, b) {
            // Linked: the tube of one passes through the other.
            (Torus(..), _) => DVec3::unit_x(),
            _ if a.round() && b.round() => DVec3::new(0.2, 0.3, 1.0).normalized(),
            _ => DVec3::unit_z(),
        };
        let axis = |b: Body, k: DVec3| match b {
            Cylinder(_) | Capsule(_) => rotor_from_rotation_vector(k * FRAC_PI_2),
            _ => Pose::identity().rotation,
        };
        let across = |b: Body| {
            if matches!(b, Torus(..)) {
                rotor_from_rotation_vector(DVec3::unit_x() * FRAC_PI_2)
            } else {
                axis(b, DVec3::unit_x())
            }
        };
        let poses =
            [Pose::new(way * pair.distance, across(a)), Pose::new(DVec3::zero(), axis(b, DVec3::unit_y()))];
        Ok(Self { a: a.shape()?, b: b.shape()?, poses })
    }

    /// Tets of both; triangles of a rigid one.
    pub fn size(&self) -> String {
        let one = |s: &Shape| match s {
            Shape::Compliant(b) => Some(b.mesh().tets().len()),
            Shape::Rigid(r) => Some(r.mesh().triangles().len()),
            Shape::HalfSpace(_) => None,
        };
        let all: Vec<String> =
            [&self.a, &self.b].into_iter().filter_map(one).map(|n| n.to_string()).collect();
        all.join(", ")
    }
}
