//! Which response takes which pair of shapes, and in which direction. A scene that asks for more is refused when
//! it loads.
//!
//! A response tests the vertices of one body against the surface of the other. A mesh has both, a plane has
//! only a surface, particles have only vertices; so do cloth and cables, which have no inside.

use crate::shapes::Shape;
use impinge_contact::Sides;

/// A family of contact responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Discrete penalty: a spring along the way to the closest point of the other surface.
    Penalty,
    /// Continuous penalty: a spring on feature pairs found by CCD, integrated over the step.
    Cpf,
    /// Discrete penalty on those feature pairs: the depth at the end of the step.
    DpfCcd,
    /// Continuous penalty by discrete gradients, solved implicitly.
    CpfImplicit,
    /// Linear constraints solved together with the implicit step.
    Qp,
    /// Constraints on intersection volume.
    Volume,
    /// The energy ½kV² of intersection volume.
    VolumePenalty,
    /// Pressure fields in the bodies.
    Pressure,
}

impl Family {
    /// Every family there is.
    pub const ALL: &[Family] = &[
        Self::Penalty,
        Self::Cpf,
        Self::DpfCcd,
        Self::CpfImplicit,
        Self::Qp,
        Self::Volume,
        Self::VolumePenalty,
        Self::Pressure,
    ];

    /// The name in a scene file and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Penalty => "penalty",
            Self::Cpf => "cpf",
            Self::DpfCcd => "dpf-ccd",
            Self::CpfImplicit => "cpf-implicit",
            Self::Qp => "qp",
            Self::Volume => "volume",
            Self::VolumePenalty => "volume-penalty",
            Self::Pressure => "pressure",
        }
    }
}

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
    pub(crate) fn left_of(self, sides: Sides) -> Sides {
        match (sides, self) {
            (Sides::Both, Self { first: true, second: false }) => Sides::First,
            (Sides::Both, Self { first: false, second: true }) => Sides::Second,
            _ => sides,
        }
    }
}

/// The table: in which directions `family` can test this pair.
pub fn directions(family: Family, first: ShapeKind, second: ShapeKind) -> Directions {
    match family {
        // Needs vertices on one side, closest point and inside on the other.
        Family::Penalty => {
            let vertices = |k| k != ShapeKind::Plane;
            let surface = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
            Directions {
                first: vertices(first) && surface(second),
                second: vertices(second) && surface(first),
            }
        }
        // Feature pairs of two surfaces, whatever they enclose; vertices against planes.
        Family::Cpf | Family::DpfCcd | Family::CpfImplicit => {
            let surface = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Sheet);
            let (one, other) = (surface(first), surface(second));
            let plane = |k| k == ShapeKind::Plane;
            Directions {
                first: (one && other) || (first != ShapeKind::Plane && plane(second)),
                second: (one && other) || (second != ShapeKind::Plane && plane(first)),
            }
        }
        // Two insides, one of them with an end: a volume belongs to both sides.
        Family::Volume | Family::VolumePenalty => {
            let inside = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
            let meets =
                inside(first) && inside(second) && (first, second) != (ShapeKind::Plane, ShapeKind::Plane);
            Directions { first: meets, second: meets }
        }
        // Two solids, one of them a mesh; there is no direction. `check_support` asks for a field in one of them.
        Family::Pressure => {
            let solid = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Plane);
            let both =
                solid(first) && solid(second) && (first, second) != (ShapeKind::Plane, ShapeKind::Plane);
            Directions { first: both, second: both }
        }
        // Feature pairs of two surfaces; vertices against any surface.
        Family::Qp => {
            let surface = |k| matches!(k, ShapeKind::Mesh | ShapeKind::Sheet | ShapeKind::Plane);
            let vertices = |k| k != ShapeKind::Plane;
            Directions {
                first: vertices(first) && surface(second),
                second: vertices(second) && surface(first),
            }
        }
    }
}
