//! What a query gives: the polygons of the contact surface and the net wrench.

use crate::shell::BOTTOM;
use impinge_geometry::{DMat3, DVec3};

/// Force and torque on body A about a point; the wrench on B is the opposite about the same point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force (N, world axes).
    pub force: DVec3,
    /// Torque about `point` (N·m, world axes).
    pub torque: DVec3,
    /// Where the torque is taken (m, world).
    pub point: DVec3,
}

impl Wrench {
    /// The same wrench about another point.
    #[must_use]
    pub fn about(&self, point: DVec3) -> Self {
        Self { force: self.force, torque: self.torque + (self.point - point).cross(self.force), point }
    }
}

/// One polygon of the contact surface, in the surface's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Unit normal out of B into A.
    pub normal: DVec3,
    /// Area (m²).
    pub area: f64,
    /// Centroid (m).
    pub centroid: DVec3,
    /// Pressure at the centroid (Pa), which is the mean pressure.
    pub pressure: f64,
    /// Gradient of A's pressure (Pa/m); zero when A is rigid.
    pub gradient_a: DVec3,
    /// Gradient of B's pressure (Pa/m); zero when B is rigid.
    pub gradient_b: DVec3,
    /// First of its corners in [`ContactSurface::corners`].
    pub start: u32,
    /// How many corners; counter-clockwise seen against the normal.
    pub count: u32,
    /// Tet (or triangle of a rigid surface) of A; `u32::MAX` for a half space.
    pub item_a: u32,
    /// Tet (or triangle of a rigid surface) of B; `u32::MAX` for a half space.
    pub item_b: u32,
}

/// The contact surface of one pair at one pose, and what it sums to.
///
/// Faces lie in the frame of one of the bodies (its axes, the middle of its bounds); `rotation` and `origin` bring them
/// to the world. Sums are in the world. Reuse one for many queries: it keeps its memory.
#[derive(Clone, Debug)]
#[doc(alias("manifold", "contact patch", "hydroelastic"))]
pub struct ContactSurface {
    /// The polygons.
    pub faces: Vec<Face>,
    /// Corners of all polygons: position (m) and pressure (Pa).
    pub corners: Vec<[f64; 4]>,
    /// World axes of the frame: x_world = origin + rotation · x.
    pub rotation: DMat3,
    /// Origin of the frame in the world (m).
    pub origin: DVec3,
    /// Net wrench of the pressure on A, exact for the polygons found.
    pub wrench: Wrench,
    /// Total area (m²).
    pub area: f64,
    /// ∫ p dA (N).
    pub pressure_integral: f64,
    /// Largest and smallest pressure at a corner (Pa); 0 without contact.
    pub max_pressure: f64,
    /// See `max_pressure`.
    pub min_pressure: f64,
    /// A does not yield (a rigid surface or half space).
    pub rigid_a: bool,
    /// B does not yield.
    pub rigid_b: bool,
    /// Modulus of A's field (Pa); 0 when rigid.
    pub modulus_a: f64,
    /// Modulus of B's field (Pa); 0 when rigid.
    pub modulus_b: f64,
    /// Thickness (m) of the shells that stood in for fields because both bodies are rigid: A's, B's, 0 for a half space; `None`
    /// otherwise. See [`ContactSurface::warning`].
    pub shells: Option<[f64; 2]>,
    /// Pairs of blocks, pairs of items whose boxes meet, and pairs that reached the clipping: how much work it was.
    pub work: Work,
}

/// Counts of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of nodes of the trees.
    pub nodes: u32,
    /// Pairs of blocks.
    pub blocks: u32,
    /// Items of A screened against blocks of B.
    pub rows: u32,
    /// Pairs of items that were clipped.
    pub clips: u32,
}

impl Default for ContactSurface {
    fn default() -> Self {
        Self {
            faces: Vec::new(),
            corners: Vec::new(),
            rotation: DMat3::identity(),
            origin: DVec3::zero(),
            wrench: Wrench::default(),
            area: 0.0,
            pressure_integral: 0.0,
            max_pressure: 0.0,
            min_pressure: 0.0,
            rigid_a: false,
            rigid_b: false,
            modulus_a: 0.0,
            modulus_b: 0.0,
            shells: None,
            work: Work::default(),
        }
    }
}

impl ContactSurface {
    /// What to know about this contact: that both bodies are rigid and shells were guessed, and whether they are pressed through to
    /// their bottom. `None` when a field of one of them presses.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let [a, b] = self.shells?;
        let part = |name: char, t: f64, modulus: f64| {
            (t > 0.0).then(|| format!("{name} by a shell of {t:.3e} m with {modulus:.1e} Pa"))
        };
        let parts: Vec<String> =
            [part('A', a, self.modulus_a), part('B', b, self.modulus_b)].into_iter().flatten().collect();
        let softest =
            [self.modulus_a, self.modulus_b].into_iter().filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        let through = self.max_pressure > (1.0 - 1e-6) * BOTTOM * softest;
        let through = if through {
            " It is pressed through: what is deeper is not held, and what went into it comes back only on the way out."
        } else {
            ""
        };
        Some(format!(
            "both bodies are rigid and no field says how hard they push; {} stands in.{through} Give one of them a field, or a \
             shell of its own (`RigidSurface::with_shell`)",
            parts.join(", ")
        ))
    }

    /// An empty surface.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the bodies touch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// A point of the surface's frame in the world.
    #[must_use]
    pub fn to_world(&self, p: DVec3) -> DVec3 {
        self.origin + self.rotation * p
    }

    /// The corners of a face with their pressures, in the surface's frame.
    #[must_use]
    pub fn polygon(&self, face: &Face) -> &[[f64; 4]] {
        &self.corners[face.start as usize..(face.start + face.count) as usize]
    }

    /// The area-weighted centroid (world, m); `None` without contact.
    #[must_use]
    pub fn centroid(&self) -> Option<DVec3> {
        let first = self.faces.iter().fold(DVec3::zero(), |s, f| s + f.centroid * f.area);
        (self.area > 0.0).then(|| self.to_world(first / self.area))
    }

    /// A face in the world: normal, centroid and gradients turned.
    #[must_use]
    pub fn world_face(&self, i: usize) -> Face {
        let f = self.faces[i];
        Face {
            normal: self.rotation * f.normal,
            centroid: self.to_world(f.centroid),
            gradient_a: self.rotation * f.gradient_a,
            gradient_b: self.rotation * f.gradient_b,
            ..f
        }
    }
}
