//! When two moving meshes first touch: the earliest of all vertex–face and edge–edge contacts, found without looking at most of them.
//!
//! Feature `mesh`. The trees are those of `impinge-query`, built once per mesh and kept by the caller. Boxes that move straight from
//! one end of the step to the other overlap in one interval of time, whose beginning is a lower bound for all they hold. Pairs of
//! boxes are opened in the order of that bound until none is below the earliest contact found; the kernels of this crate decide the
//! features of the leaves. Boxes are rounded outward and bounds err to the early side, so the answer is that of all pairs.

mod error;
mod motion;
mod search;
mod slide;
mod swept;
#[cfg(test)]
mod work;

use crate::Kind;
use impinge_geometry::DVec3;
use impinge_query::{MeshIndex, Relation, relation, relation_of_separate};

pub use error::TouchError;
pub use motion::Motion;
use motion::Mover;

/// What touches: numbers of vertices and triangles in their meshes, edges as their vertices, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Features {
    /// A vertex of the first mesh and a triangle of the second.
    VertexFace(u32, u32),
    /// A triangle of the first mesh and a vertex of the second.
    FaceVertex(u32, u32),
    /// An edge of each.
    EdgeEdge([u32; 2], [u32; 2]),
    /// A triangle of each: they cross at the start.
    Faces(u32, u32),
    /// None: a part of mesh 0 or 1 lies inside the other at the start.
    Inside(usize),
}

/// How the meshes lie when the motion begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Start {
    /// They have no common point: what is reported comes later.
    Apart,
    /// They touch already, and neither passes through the other.
    Touching,
    /// They overlap already ([`impinge_query::Relation`]).
    Overlapping,
}

/// The first touch of two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hit {
    /// When, as a fraction of the motion: never late. 0 where they touch or overlap at the start.
    pub t: f64,
    /// Upper end of the enclosure: the surfaces share a point at some time in `t ..= t_hi`, at most 10⁻¹² wide, and at none before.
    /// ∞ where a mesh turns: that it comes to more than `gap` is then not decided.
    pub t_hi: f64,
    /// The surfaces are at most this far apart at `t` (m); 0 where no mesh turns.
    pub gap: f64,
    /// What the start was.
    pub start: Start,
    /// The point on each mesh, at the time of the touch (m, world).
    pub points: [DVec3; 2],
    /// Unit normal of the features, towards the side the first mesh came from. Where they have none: against the relative motion. Zero
    /// where the start overlaps, and where neither says anything.
    pub normal: DVec3,
    /// What touches; of several at one time, the least.
    pub features: Features,
}

/// The first touch of two meshes that move, `None` when they stay apart.
///
/// Each motion is a [`Motion`], or what becomes one: `&pose` (at rest), `(&from, &to)`, `(&pose, &screw)`, `(&x0[..], &x1[..])`.
/// Where no mesh turns, the answer is that of exact arithmetic on the positions at both ends. Where one turns, its true arcs are
/// followed: `t` is never late, and at `t` the surfaces are within [`Hit::gap`], about 10⁻⁹ of the size of the motion.
///
/// Open meshes are surfaces. Of closed ones, a part that lies inside the other at the start overlaps ([`Start::Overlapping`]).
/// The answer depends on the two meshes and motions alone: the same bits whatever the trees look like.
///
/// # Errors
/// [`TouchError`] for poses, positions or motions that are not finite, too few positions, or a mesh whose vertices move on their own
/// against one that turns.
///
/// ```
/// use impinge_ccd::touch::{Start, first_touch};
/// use impinge_geometry::{DVec3, Pose, cuboid};
/// use impinge_query::MeshIndex;
///
/// let cube = MeshIndex::new(&cuboid(DVec3::one(), [1; 3])?);
/// let at = |x| Pose::from_position(DVec3::new(x, 0.25, 0.25));
/// let (from, to, still) = (at(3.0), at(-1.0), Pose::identity());
///
/// let hit = first_touch(&cube, (&from, &to), &cube, &still)?.expect("it goes through");
/// assert!(hit.t <= 0.5 && 0.5 <= hit.t_hi && hit.start == Start::Apart); // 2 m of 4
/// assert_eq!(hit.normal, DVec3::unit_x());
/// assert!(first_touch(&cube, (&from, &at(2.0)), &cube, &still)?.is_none());
/// assert_eq!(first_touch(&cube, &at(0.5), &cube, &still)?.unwrap().start, Start::Overlapping);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("shape cast", "time of impact", "toi", "tunnelling"))]
pub fn first_touch<'a>(
    a: &MeshIndex,
    motion_a: impl Into<Motion<'a>>,
    b: &MeshIndex,
    motion_b: impl Into<Motion<'a>>,
) -> Result<Option<Hit>, TouchError> {
    let movers = [Mover::new(0, a, motion_a.into())?, Mover::new(1, b, motion_b.into())?];
    let [first, second] = &movers;
    if (first.turns() && second.ends.is_some()) || (second.turns() && first.ends.is_some()) {
        return Err(TouchError::Mixed);
    }
    let found = search::first(&movers)?;
    let ask = if found.meets { relation } else { relation_of_separate };
    let lie = ask(&first.index, &first.from, &second.index, &second.from).map_err(TouchError::Pose)?;
    let already = |point, features| Hit {
        t: 0.0,
        t_hi: 0.0,
        gap: 0.0,
        start: Start::Overlapping,
        points: [point; 2],
        normal: DVec3::zero(),
        features,
    };
    Ok(match lie {
        Relation::Crossing { point, triangles: [i, j] } => Some(already(point, Features::Faces(i, j))),
        Relation::Inside { inner, point } => Some(already(point, Features::Inside(inner))),
        // They share a point now, exactly; a mesh that turns has only come near by its own measure.
        Relation::Touching { .. } => {
            found.hit.map(|h| Hit { t: 0.0, t_hi: 0.0, gap: 0.0, start: Start::Touching, ..h })
        }
        Relation::Apart => found.hit,
    })
}

/// The four points of a feature pair from those of two triangles, `[first, second]`, and whether the first belongs to the second mesh.
fn features(first: &[u32; 3], id: u32, second: &[u32; 3], other: u32) -> [(Features, Kind, Pick); 15] {
    let edge = |v: &[u32; 3], i: usize| {
        let j = (i + 1) % 3;
        // The lower vertex first: the same edge gives the same bits from both its triangles.
        if v[i] <= v[j] { (i, j) } else { (j, i) }
    };
    std::array::from_fn(|n| match n {
        0..3 => (Features::VertexFace(first[n], other), Kind::VertexFace, Pick::Vertex(n)),
        3..6 => (Features::FaceVertex(id, second[n - 3]), Kind::VertexFace, Pick::Face(n - 3)),
        _ => {
            let (i, j) = (edge(first, (n - 6) / 3), edge(second, (n - 6) % 3));
            let ends = |v: &[u32; 3], e: (usize, usize)| [v[e.0], v[e.1]];
            let features = Features::EdgeEdge(ends(first, i), ends(second, j));
            (features, Kind::EdgeEdge, Pick::Edges([i.0, i.1], [j.0, j.1]))
        }
    })
}

/// Where the four points of a pair are found in two triangles.
#[derive(Clone, Copy)]
enum Pick {
    /// A corner of the first, then the second.
    Vertex(usize),
    /// A corner of the second, then the first.
    Face(usize),
    /// Two corners of each.
    Edges([usize; 2], [usize; 2]),
}

impl Pick {
    #[inline]
    fn of(self, a: &[DVec3; 3], b: &[DVec3; 3]) -> [DVec3; 4] {
        match self {
            Self::Vertex(i) => [a[i], b[0], b[1], b[2]],
            Self::Face(j) => [b[j], a[0], a[1], a[2]],
            Self::Edges([i, j], [k, l]) => [a[i], a[j], b[k], b[l]],
        }
    }

    /// The pair begins with a point of the second mesh.
    fn turned(self) -> bool {
        matches!(self, Self::Face(_))
    }
}
