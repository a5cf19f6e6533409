//! What a body offers to a contact response: vertices, a surface, an inside.

use crate::shapes::Shape;
use impinge_contact::Sides;

/// What a body offers to a contact response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// Vertices, and a surface with an inside.
    Mesh,
    /// A surface with an inside.
    Plane,
    /// Vertices, and a surface without an inside: cloth.
    Sheet,
    /// Vertices.
    Points,
}

impl ShapeKind {
    /// Every kind.
    pub const ALL: [ShapeKind; 4] = [Self::Mesh, Self::Plane, Self::Sheet, Self::Points];

    /// Of a shape.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(_) => Self::Mesh,
            Shape::Plane { .. } => Self::Plane,
            Shape::Soft(s) if s.closed => Self::Mesh,
            Shape::Soft(s) if s.mesh.is_some() => Self::Sheet,
            Shape::Points { .. } | Shape::Soft(_) => Self::Points,
        }
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Plane => "plane",
            Self::Sheet => "sheet",
            Self::Points => "points",
        }
    }
}

/// In which directions a response can test a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directions {
    /// The first's vertices against the second's surface.
    pub first: bool,
    /// The second's vertices against the first's surface.
    pub second: bool,
}

impl Directions {
    /// At least one way is left.
    pub fn any(self) -> bool {
        self.first || self.second
    }

    /// What is left of `Both`: a plane has no vertices, loose points have no surface.
    pub fn left_of(self, sides: Sides) -> Sides {
        match (sides, self) {
            (Sides::Both, Self { first: true, second: false }) => Sides::First,
            (Sides::Both, Self { first: false, second: true }) => Sides::Second,
            _ => sides,
        }
    }
}

impl Directions {
    /// Vertices of one body in the inside of another: needs vertices on one side, closest point and inside on the other.
    pub fn of_vertices_inside(first: ShapeKind, second: ShapeKind) -> Self {
        let vertices = |k| k != ShapeKind::Plane;
        let inside = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
        Self { first: vertices(first) && inside(second), second: vertices(second) && inside(first) }
    }

    /// Feature pairs of two surfaces, whatever they enclose; vertices against planes.
    pub fn of_features(first: ShapeKind, second: ShapeKind) -> Self {
        let surface = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Sheet);
        let both = surface(first) && surface(second);
        let on_plane = |v, p| v != ShapeKind::Plane && p == ShapeKind::Plane;
        Self { first: both || on_plane(first, second), second: both || on_plane(second, first) }
    }

    /// Feature pairs of two surfaces; vertices against any surface.
    pub fn of_vertices_on_surfaces(first: ShapeKind, second: ShapeKind) -> Self {
        let surface = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Sheet | ShapeKind::Plane);
        let vertices = |k| k != ShapeKind::Plane;
        Self { first: vertices(first) && surface(second), second: vertices(second) && surface(first) }
    }

    /// Two insides, one of them with an end: what they share belongs to both sides.
    pub fn of_insides(first: ShapeKind, second: ShapeKind) -> Self {
        let inside = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
        let meets =
            inside(first) && inside(second) && (first, second) != (ShapeKind::Plane, ShapeKind::Plane);
        Self { first: meets, second: meets }
    }
}
