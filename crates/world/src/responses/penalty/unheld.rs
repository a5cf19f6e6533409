//! Bodies that lie on each other, or fall on each other straight, and that no vertex would hold.
//!
//! Where long bodies lie across each other no vertex of either comes inside the other as they sink: only edges meet, and the discrete force of vertices
//! lets the bodies through each other without a word. Where sides are in line (boxes of one size) rounding decides whether a vertex is inside.

use crate::components::{Dofs, Laws};
use crate::falls::Falls;
use crate::lying::Lying;
use crate::part::Part;
use impinge_bodies::{Shape, Shapes, Standing, TOUCHING};
use impinge_contact::{BodyKind, Sides, SurfaceMap};

/// How far they are let sink to see who is inside, of the height of the flatter.
const SUNK: f64 = 0.05;

/// A sentence for the bodies that nothing would hold.
pub(super) fn unheld(part: Part<'_>) -> Option<String> {
    let Lying { up, x, heights, mut pairs } = Lying::of(part)?;
    let (dofs, shapes) = (part.shared::<Dofs>(), part.shared::<Shapes>());
    let (laws, map) = (part.shared::<Laws>(), part.shared::<SurfaceMap>());
    let falls = Falls::of(&dofs, &shapes, -up);
    for b in (0..shapes.0.len()).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid) {
        let pair = |o: u32| (o.min(b as u32), o.max(b as u32));
        let meets = |o: u32| part.law(&laws, b as u32, o).is_some();
        pairs.extend(falls.onto(b, &dofs, &shapes, meets).map(|(_, o)| pair(o as u32)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let standing = Standing::new(&map, &shapes, &x, &dofs.bodies.pose);
    let has_inside = |b: u32| match &shapes.0[b as usize] {
        Shape::Mesh(m) => !m.open,
        Shape::Soft(s) => s.closed,
        Shape::Plane { .. } | Shape::Points { .. } => false,
    };
    let is_held = |a: u32, b: u32| {
        let Some((_, sides)) = laws.of(a, b) else { return true };
        let [[a_low, a_high], [b_low, b_high]] = [a, b].map(|i| heights[i as usize]);
        let tall = (a_high - a_low).min(b_high - b_low);
        let a_is_above = a_low + a_high > b_low + b_high;
        let gap = if a_is_above { a_low - b_high } else { b_low - a_high };
        let way = up * (gap.max(0.0) + SUNK * tall);
        let inside = |body: u32, target: u32, is_above: bool| {
            let way = if is_above { -way } else { way };
            let around = standing.around(target);
            map.range(body as usize)
                .map(|v| x[v] + way)
                .filter(|&p| around.contains(p))
                .any(|p| standing.depth(target, p) > TOUCHING * tall)
        };
        sides != Sides::Second && inside(a, b, a_is_above)
            || sides != Sides::First && inside(b, a, !a_is_above)
    };
    let mut loose = pairs.iter().filter(|&&(a, b)| has_inside(a) && has_inside(b) && !is_held(a, b));
    let [a, b] = <[u32; 2]>::from(*loose.next()?).map(|i| &part.names()[i as usize]);
    let more = match loose.count() {
        0 => String::new(),
        n => format!(" (and {n} more such pairs)"),
    };
    Some(format!(
        "'{a}' and '{b}'{more} lie or fall on each other and no vertex of either would be inside the other (sides in line, or edges across): '{}' pushes \
         vertices alone and may let them through; give the meshes more `segments`, or use --response cpf, cpf-implicit or qp",
        part.response().name()
    ))
}
