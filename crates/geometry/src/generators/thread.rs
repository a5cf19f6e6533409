//! A screw and the ring it turns in: a round thread (knuckle thread), right-handed, about z.
//!
//! Radius of the surface at the angle θ and the height z:
//!
//! ```text
//! r(θ, z) = radius − depth/2 + depth/2 · cos(2π z/pitch − θ)
//! ```
//!
//! one crest that climbs by `pitch` a turn, on θ = 0 at z = 0. The section at any height is a circle's neighbour of area
//! π ((radius − depth/2)² + depth²/8), the mean of r² over a turn, so volumes are known in closed form whatever the length. With
//! `segments` and the number of rings in a pitch such that one divides the other, turning by one ring's share of the pitch and
//! climbing by it carries the faceted surface onto itself, too.

use super::check::{self, circle_point};
use super::lathe::{End, stack};
#[cfg(feature = "tets")]
use super::tets::{affordable, checked};
use crate::{MeshError, TriMesh};
#[cfg(feature = "tets")]
use crate::{TetMesh, TetTopology};
use ultraviolet::DVec3;

/// A round thread: its widest radius, its pitch (the rise of one turn) and its depth from crest to root (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// To the crest of a bolt, to the root of a nut (m).
    pub radius: f64,
    /// m.
    pub pitch: f64,
    /// m.
    pub depth: f64,
}

impl Thread {
    /// Radius (m) at point `i` of `n` around and the height `z` (m).
    fn at(&self, i: u32, n: u32, z: f64) -> f64 {
        let half = 0.5 * self.depth;
        let turn = z / self.pitch - f64::from(i) / f64::from(n);
        self.radius - half + half * libm::cos(std::f64::consts::TAU * (turn - libm::floor(turn)))
    }

    fn check(&self, shape: &str) -> Result<(), MeshError> {
        for (name, value) in [("radius", self.radius), ("pitch", self.pitch), ("depth", self.depth)] {
            check::length(shape, name, value)?;
        }
        check::smaller(shape, ("depth", self.depth), ("radius", self.radius))
    }
}

/// A threaded rod about z, centred on the origin, with a square socket from the top where `socket` gives its width across flats
/// and its depth (m): what a key turns. `segments` around, a multiple of 8 with a socket so that its corners are vertices; `stacks`
/// along. Volume tends to `π ((radius − depth/2)² + depth²/8) length`, less the socket, which is exact.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, a thread or a socket that fills the rod, fewer than 3 segments, no
/// stack, or too many triangles.
pub fn bolt(
    thread: Thread,
    length: f64,
    socket: Option<[f64; 2]>,
    segments: u32,
    stacks: u32,
) -> Result<TriMesh, MeshError> {
    let shape = "bolt";
    thread.check(shape)?;
    check::length(shape, "length", length)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    check::triangles(shape, "segments and stacks", 2.0 * f64::from(segments) * (f64::from(stacks) + 3.0))?;
    let z = |i: u32| length * (f64::from(2 * i) - f64::from(stacks)) / (2.0 * f64::from(stacks));
    let mut points = Vec::with_capacity(segments as usize * (stacks as usize + 3) + 2);
    let mut ring = |radius: &dyn Fn(u32) -> f64, z: f64| {
        points.extend((0..segments).map(|i| {
            let ([c, s], r) = (circle_point(i, segments), radius(i));
            DVec3::new(r * c, r * s, z)
        }));
    };
    for k in 0..=stacks {
        ring(&|i| thread.at(i, segments, z(k)), z(k));
    }
    let mut top = 0.5 * length;
    if let Some([width, depth]) = socket {
        check::length(shape, "socket's width", width)?;
        check::length(shape, "socket's depth", depth)?;
        check::smaller(shape, ("socket's depth", depth), ("length", length))?;
        let corner = width * std::f64::consts::FRAC_1_SQRT_2;
        let root = ("radius − depth", thread.radius - thread.depth);
        check::smaller(shape, ("socket's half diagonal", corner), root)?;
        if !segments.is_multiple_of(8) {
            let reason = format!(
                "{shape}: segments = {segments}; give a multiple of 8, so that the corners of the socket are vertices"
            );
            return Err(MeshError::BadParameter { reason });
        }
        let square = |i: u32| {
            let [c, s] = circle_point(i, segments);
            0.5 * width / c.abs().max(s.abs())
        };
        ring(&square, top);
        top -= depth;
        ring(&square, top);
    }
    stack(End::Vertex(-0.5 * length), points, End::Vertex(top), segments)
}

/// A round nut about z, centred on the origin: the surface of [`tet_nut`] with one layer, so the same vertices and the same facets as
/// the tets have. Volume tends to `π (outer² − (radius − depth/2)² − depth²/8) length`.
///
/// # Errors
/// Those of [`tet_nut`].
#[cfg(feature = "tets")]
pub fn nut(
    thread: Thread,
    outer: f64,
    length: f64,
    segments: u32,
    stacks: u32,
) -> Result<TriMesh, MeshError> {
    let tets = tet_nut(thread, outer, length, segments, stacks, 1)?;
    Ok(TetTopology::new(&tets).surface(&tets)?.mesh)
}

/// A nut of tets about z, centred on the origin: a cylinder of radius `outer` and of the given `length` (m) with a threaded hole,
/// `segments` around, `stacks` along and `layers` across the wall, each cell six tets around one diagonal (Kuhn), which runs with the
/// thread. [`Thread::radius`] is the hole's widest; a bolt fits with what it has less.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, a hole as wide as the nut, fewer than 3 segments, no stack or
/// layer, or too many tets; an inverted tet where `segments` are too few for the thread.
#[cfg(feature = "tets")]
pub fn tet_nut(
    thread: Thread,
    outer: f64,
    length: f64,
    segments: u32,
    stacks: u32,
    layers: u32,
) -> Result<TetMesh, MeshError> {
    let shape = "nut";
    thread.check(shape)?;
    check::length(shape, "outer", outer)?;
    check::length(shape, "length", length)?;
    check::smaller(shape, ("radius", thread.radius), ("outer", outer))?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    check::count(shape, "layers", layers, 1, 1024)?;
    let cells = f64::from(segments) * f64::from(stacks) * f64::from(layers);
    affordable(shape, "segments, stacks and layers", 6.0 * cells)?;
    let mut positions = Vec::with_capacity(((layers + 1) * segments * (stacks + 1)) as usize);
    for k in 0..=stacks {
        let z = length * (f64::from(2 * k) - f64::from(stacks)) / (2.0 * f64::from(stacks));
        for i in 0..segments {
            let [c, s] = circle_point(i, segments);
            let inner = thread.at(i, segments, z);
            for l in 0..=layers {
                let r = inner + (outer - inner) * (f64::from(l) / f64::from(layers));
                positions.push(DVec3::new(r * c, r * s, z));
            }
        }
    }
    let mut tets = Vec::with_capacity(6 * cells as usize);
    for k in 0..stacks {
        for i in 0..segments {
            for l in 0..layers {
                // Outwards, around and up are right-handed, in this order.
                let corner =
                    |[x, y, z]: [u32; 3]| ((k + z) * segments + (i + y) % segments) * (layers + 1) + l + x;
                for (order, even) in [
                    ([0, 1, 2], true),
                    ([1, 2, 0], true),
                    ([2, 0, 1], true),
                    ([0, 2, 1], false),
                    ([2, 1, 0], false),
                    ([1, 0, 2], false),
                ] {
                    let mut at = [0; 3];
                    let mut path = [corner(at); 4];
                    for (step, &axis) in order.iter().enumerate() {
                        at[axis] = 1;
                        path[step + 1] = corner(at);
                    }
                    let [a, b, c, d] = path;
                    tets.push(if even { [a, b, c, d] } else { [a, c, b, d] });
                }
            }
        }
    }
    checked(positions, tets)
}
