//! What a body offers to a contact response: vertices, a surface, an inside.

use crate::shapes::Shape;
use impinge_contact::Sides;

/// What a body offers to a contact response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShapeKind {
    /// Vertices, and a surface with an inside.
    Mesh,
    /// Vertices, and a surface with a front and no inside: ground.
    Open,
    /// A surface with an inside.
    Plane,
    /// Vertices, and a surface without an inside: cloth.
    Sheet,
    /// Vertices joined by segments: a cable.
    Cable,
    /// Vertices.
    Points,
}

impl ShapeKind {
    /// Every kind.
    pub const ALL: [ShapeKind; 6] =
        [Self::Mesh, Self::Open, Self::Plane, Self::Sheet, Self::Cable, Self::Points];

    /// Of a shape.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(m) if m.open => Self::Open,
            Shape::Mesh(_) => Self::Mesh,
            Shape::Plane { .. } => Self::Plane,
            Shape::Soft(s) if s.closed => Self::Mesh,
            Shape::Soft(s) if s.mesh.is_some() => Self::Sheet,
            Shape::Soft(_) => Self::Cable,
            Shape::Points { .. } => Self::Points,
        }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Open => "open mesh",
            Self::Plane => "plane",
            Self::Sheet => "sheet",
            Self::Cable => "cable",
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

fn are_cables(first: ShapeKind, second: ShapeKind) -> bool {
    first == ShapeKind::Cable && second == ShapeKind::Cable
}

fn is_surface(kind: ShapeKind) -> bool {
    matches!(kind, ShapeKind::Mesh | ShapeKind::Open | ShapeKind::Sheet)
}

impl Directions {
    /// At least one way is left.
    #[must_use]
    pub fn any(self) -> bool {
        self.first || self.second
    }

    /// What is left of `Both`: a plane has no vertices, loose points have no surface.
    #[must_use]
    pub fn left_of(self, sides: Sides) -> Sides {
        match (sides, self) {
            (Sides::Both, Self { first: true, second: false }) => Sides::First,
            (Sides::Both, Self { first: false, second: true }) => Sides::Second,
            _ => sides,
        }
    }
}

impl Directions {
    /// Vertices of one body in the inside of another: needs vertices on one side, closest point and inside on the other. Behind the front of
    /// an open mesh the vertices of a mesh count: how thick that is says how far behind.
    #[must_use]
    pub fn of_vertices_inside(first: ShapeKind, second: ShapeKind) -> Self {
        let meets = |own, target| match target {
            ShapeKind::Mesh | ShapeKind::Plane => own != ShapeKind::Plane,
            ShapeKind::Open => own == ShapeKind::Mesh,
            ShapeKind::Sheet | ShapeKind::Cable | ShapeKind::Points => false,
        };
        Self { first: meets(first, second), second: meets(second, first) }
    }

    /// Feature pairs of two surfaces, whatever they enclose; vertices against planes.
    #[must_use]
    pub fn of_faces(first: ShapeKind, second: ShapeKind) -> Self {
        let both = is_surface(first) && is_surface(second);
        let on_plane = |v, p| v != ShapeKind::Plane && p == ShapeKind::Plane;
        Self { first: both || on_plane(first, second), second: both || on_plane(second, first) }
    }

    /// As [`Directions::of_faces`], and cables: their nodes meet faces, their segments meet edges, and each other.
    #[must_use]
    pub fn of_features(first: ShapeKind, second: ShapeKind) -> Self {
        let faces = Self::of_faces(first, second);
        let on = |c, s| are_cables(first, second) || c == ShapeKind::Cable && is_surface(s);
        Self { first: faces.first || on(first, second), second: faces.second || on(second, first) }
    }

    /// As [`Directions::of_features`], and points without a surface against surfaces.
    #[must_use]
    pub fn of_features_with_points(first: ShapeKind, second: ShapeKind) -> Self {
        let features = Self::of_features(first, second);
        let on = |p, s| p == ShapeKind::Points && is_surface(s);
        Self { first: features.first || on(first, second), second: features.second || on(second, first) }
    }

    /// Feature pairs of two surfaces, or of two cables; vertices against any surface.
    #[must_use]
    pub fn of_vertices_on_surfaces(first: ShapeKind, second: ShapeKind) -> Self {
        let surface = |k| !matches!(k, ShapeKind::Cable | ShapeKind::Points) || are_cables(first, second);
        let vertices = |k| k != ShapeKind::Plane;
        Self { first: vertices(first) && surface(second), second: vertices(second) && surface(first) }
    }

    /// Two insides, one of them with an end: what they share belongs to both sides.
    #[must_use]
    pub fn of_insides(first: ShapeKind, second: ShapeKind) -> Self {
        let inside = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
        let meets =
            inside(first) && inside(second) && (first, second) != (ShapeKind::Plane, ShapeKind::Plane);
        Self { first: meets, second: meets }
    }

    /// A field in one body and the surface of the other: as [`Directions::of_insides`], and a mesh on an open one.
    #[must_use]
    pub fn of_fields(first: ShapeKind, second: ShapeKind) -> Self {
        let on_open = matches!(
            (first, second),
            (ShapeKind::Mesh, ShapeKind::Open) | (ShapeKind::Open, ShapeKind::Mesh)
        );
        if on_open { Self { first: true, second: true } } else { Self::of_insides(first, second) }
    }
}
