//! A mug with a handle and a spoon, each one closed surface: what hands pick up.

use super::check::{self, circle_point};
use super::lathe::{End, revolve, stack};
use super::vessel::vessel_profile;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// A mug about z, open upwards, with a handle at +x: outer `radius`, `height` and `thickness` of bottom and wall (m). `segments` around, `stacks` up
/// each wall. The vessel is centred on the origin. One quad of the outer wall near the bottom and one as near to the rim are the ends of the handle,
/// half a ring of that section. Genus 1.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, a thickness that fills the mug, fewer than 8 segments, an odd number of them,
/// fewer than 4 stacks, or too many triangles.
pub fn mug(
    radius: f64,
    height: f64,
    thickness: f64,
    segments: u32,
    stacks: u32,
) -> Result<TriMesh, MeshError> {
    let shape = "mug";
    for (name, value) in [("radius", radius), ("height", height), ("thickness", thickness)] {
        check::length(shape, name, value)?;
    }
    check::smaller(shape, ("thickness", thickness), ("radius", radius))?;
    check::smaller(shape, ("thickness", thickness), ("height", height))?;
    check::count(shape, "segments", segments, 8, 65_536)?;
    check::even(shape, "segments", segments)?;
    check::count(shape, "stacks", stacks, 4, 65_536)?;
    check::triangles(shape, "segments and stacks", 4.0 * f64::from(segments) * (f64::from(stacks) + 2.5))?;
    let n = segments;
    let (profile, [low, floor]) = vessel_profile([radius; 2], height, thickness, stacks);
    let (mut x, mut faces) = revolve(End::Vertex(low), &profile, End::Vertex(floor), n)?.into_parts();
    // By half a step: a column of quads has its middle at +x.
    for (ring, &[r, _]) in profile.iter().enumerate() {
        for i in 0..n {
            let [c, s] = circle_point(2 * i + 2 * n - 1, 2 * n);
            let p = &mut x[ring * n as usize + i as usize];
            (p.x, p.y) = (r * c, r * s);
        }
    }
    let bottom = stacks / 8;
    let top = stacks - 1 - bottom;
    // The corners of a quad of that column, anticlockwise from outside.
    let quad = |stack: u32| [stack * n, stack * n + 1, (stack + 1) * n + 1, (stack + 1) * n];
    let [a, b, c, d] = quad(top);
    let (first, last) = (quad(bottom), [d, c, b, a]);
    let open = [bottom, top].map(|stack| (stack * 2 * n) as usize);
    let mut index = 0..;
    faces.retain(|_| {
        let f = index.next().unwrap_or(0);
        !open.iter().any(|&o| f == o || f == o + 1)
    });
    // Turned by half a turn about the wall's middle height, the lower quad comes to lie on the upper one.
    let steps = n / 2;
    let mut section = first;
    for step in 1..=steps {
        let next = if step == steps {
            last
        } else {
            let [c, s] = circle_point(step, 2 * steps);
            first.map(|v| {
                let p = x[v as usize];
                x.push(DVec3::new(p.x - p.z * s, p.y, p.z * c));
                x.len() as u32 - 1
            })
        };
        for k in 0..4 {
            let (p, q) = (k, (k + 1) % 4);
            faces.push([section[p], section[q], next[q]]);
            faces.push([section[p], next[q], next[p]]);
        }
        section = next;
    }
    TriMesh::new(x, faces)
}

/// A spoon along z, hollow towards +y: a round handle of `radius` and `length` (m) with its middle at the origin, and a bowl of length and width
/// `bowl` (m) at its +z end, `depth` (m) deep and `thickness` (m) thick. Flat, of depth 0, it is a spatula. `segments` around, `rings` along the bowl.
///
/// Sections of the bowl have the area of an ellipse of its width and thickness there, however deep they are. A bowl far deeper than it is thick needs
/// many segments and rings: with few its inside crosses its outside.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, a bowl thicker or narrower than the handle, fewer than 8 segments or rings, an odd
/// number of segments, or too many triangles.
pub fn spoon(
    radius: f64,
    length: f64,
    bowl: [f64; 2],
    depth: f64,
    thickness: f64,
    segments: u32,
    rings: u32,
) -> Result<TriMesh, MeshError> {
    let shape = "spoon";
    for (name, value) in [
        ("radius", radius),
        ("length", length),
        ("length of the bowl", bowl[0]),
        ("width of the bowl", bowl[1]),
        ("thickness", thickness),
    ] {
        check::length(shape, name, value)?;
    }
    if depth != 0.0 {
        check::length(shape, "depth", depth)?;
    }
    check::smaller(shape, ("thickness", thickness), ("diameter of the handle", 2.0 * radius))?;
    check::smaller(shape, ("diameter of the handle", 2.0 * radius), ("width of the bowl", bowl[1]))?;
    check::count(shape, "segments", segments, 8, 65_536)?;
    check::even(shape, "segments", segments)?;
    check::count(shape, "rings", rings, 8, 16_384)?;
    check::triangles(shape, "segments and rings", 2.0 * f64::from(segments) * (f64::from(rings) + 2.0))?;
    let half = 0.5 * length;
    let mut x = Vec::with_capacity((segments * (rings + 1)) as usize + 2);
    let mut ring = |at: f64, [wide, thick, deep]: [f64; 3]| {
        x.extend((0..segments).map(|i| {
            let [c, s] = circle_point(i, segments);
            DVec3::new(wide * c, thick * s - deep * s * s, at)
        }));
    };
    ring(-half, [radius, radius, 0.0]);
    for i in 0..rings {
        let (along, section) = bowl_section(radius, bowl, depth, thickness, [i, rings]);
        ring(half + along, section);
    }
    stack(End::Vertex(-half), x, End::Vertex(half + bowl[0]), segments)
}

/// How far along the bowl ring `i` of `rings` is (m), and half its width, half its thickness and its depth (m): the handle's at the first, an oval
/// outline, as thin as the bowl from a quarter of its length on.
fn bowl_section(
    radius: f64,
    bowl: [f64; 2],
    depth: f64,
    thickness: f64,
    [i, rings]: [u32; 2],
) -> (f64, [f64; 3]) {
    let [c, s] = circle_point(i, 2 * rings);
    let part = 0.5 * (1.0 - c);
    let wide = (0.5 * bowl[1] * s).max(radius * (1.0 - part));
    let thick = (0.5 * thickness).max(radius * (1.0 - 4.0 * part));
    (bowl[0] * part, [wide, thick, depth * s * s])
}
