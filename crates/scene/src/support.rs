//! Refuses pairs of bodies that a response cannot take, in the scene file's words; the table itself is
//! [`impinge_world::ContactResponse::directions`].

use crate::spec::{Response, Shape, Sides};
use impinge_world::ShapeKind;
use std::fmt::Write as _;

impl Shape {
    /// What the shape offers to a contact response.
    #[must_use]
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::Mesh(_) | Self::Solid(_) => ShapeKind::Mesh,
            Self::Plane { .. } => ShapeKind::Plane,
            Self::Sheet(_) => ShapeKind::Sheet,
            Self::Line(_) => ShapeKind::Cable,
            Self::Points(_) => ShapeKind::Points,
        }
    }
}

/// Why a pair is refused, if it is: no direction is left of those asked for.
///
/// # Errors
/// What is missing and what to write instead.
pub(crate) fn check(
    response: &impinge_world::Response,
    first: ShapeKind,
    second: ShapeKind,
    sides: Sides,
) -> Result<(), (String, &'static str)> {
    let can = response.directions(first, second);
    let left = match sides {
        Sides::Both => can.any(),
        Sides::First => can.first,
        Sides::Second => can.second,
    };
    if left {
        return Ok(());
    }
    // Never the side that is refused as well.
    let fix = match (can.first, can.second) {
        (true, _) => "use sides = \"first\" or \"both\", or change the order of `bodies`",
        (_, true) => "use sides = \"second\" or \"both\", or change the order of `bodies`",
        _ => "add a [[rule]] for the two bodies with response = \"none\", or give one of them a mesh",
    };
    let which = match sides {
        _ if !can.any() => response.no_direction()[0].to_string(),
        Sides::Second => format!("`{}` has no vertices or `{}` no surface", second.name(), first.name()),
        Sides::Both | Sides::First => {
            format!("`{}` has no vertices or `{}` no surface", first.name(), second.name())
        }
    };
    let what = format!(
        "the response `{}` cannot take {} against {} here: {which}",
        response.name(),
        first.name(),
        second.name()
    );
    Err((what, fix))
}

pub(crate) fn support_markdown() -> String {
    let mut out = String::from(
        "A response tests vertices of one body against the surface of the other. Two bodies of which neither is rigid, deformable nor \
         particles do not meet. A deformable solid is a mesh here, cloth is a sheet: a surface without an inside. A fixed or kinematic mesh may be open: ground, met from its front. A rigid body's is closed.\n",
    );
    for &response in Response::ALL {
        let _ = write!(out, "\n| `{}` |", response.name());
        for second in ShapeKind::ALL {
            let _ = write!(out, " against {} |", second.name());
        }
        let _ = writeln!(out, "\n|{}", "---|".repeat(1 + ShapeKind::ALL.len()));
        for first in ShapeKind::ALL {
            let _ = write!(out, "| {} |", first.name());
            for second in ShapeKind::ALL {
                let d = response.response().directions(first, second);
                let cell = match (d.first, d.second) {
                    (true, true) => "both ways",
                    (true, false) => "its vertices",
                    (false, true) => "the other's vertices",
                    (false, false) => "refused",
                };
                let _ = write!(out, " {cell} |");
            }
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_symmetric_and_refuses_with_a_reason() {
        let penalty = Response::PENALTY.response();
        for a in ShapeKind::ALL {
            for b in ShapeKind::ALL {
                let (ab, ba) = (penalty.directions(a, b), penalty.directions(b, a));
                assert_eq!((ab.first, ab.second), (ba.second, ba.first));
            }
        }
        let (what, fix) = check(&penalty, ShapeKind::Points, ShapeKind::Points, Sides::Both).unwrap_err();
        assert!(what.contains("points against points") && fix.contains("none"));
        let plane = |sides| check(&penalty, ShapeKind::Plane, ShapeKind::Mesh, sides);
        assert!(plane(Sides::First).unwrap_err().1.contains("\"second\""));
        assert!(plane(Sides::Second).is_ok());
        // No side is left: another one is no way out.
        for sides in [Sides::First, Sides::Second] {
            let (_, fix) = check(&penalty, ShapeKind::Points, ShapeKind::Points, sides).unwrap_err();
            assert!(fix.contains("none") && !fix.contains("sides"), "{fix}");
        }
        assert!(check(&penalty, ShapeKind::Plane, ShapeKind::Mesh, Sides::Both).is_ok());
    }
}
