//! Which bodies lie on each other as they stand.

use crate::adapters::vertices::Vertices;
use crate::components::{Dofs, Laws};
use crate::load::Load;
use crate::part::Part;
use impinge_bodies::{Shape, Shapes};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::{BodyKind, Evaluate, Prediction, SurfaceMap};
use impinge_geometry::DVec3;

/// Gap (of the height of the lower body) below which a body lies on another, or soon will.
const GAP: f64 = 0.01;

/// Bodies of one response that lie on each other against what presses them.
pub(crate) struct Lying {
    /// Against gravity, or against the forces where there is none; unit.
    pub up: DVec3,
    /// What presses each rigid body that way (N).
    pub load: Vec<f64>,
    /// Surface vertices (m).
    pub x: Vec<DVec3>,
    /// The lowest and the highest vertex of each body, along `up` (m).
    pub heights: Vec<[f64; 2]>,
    /// Slots, the lower first.
    pub pairs: Vec<(u32, u32)>,
}

impl Lying {
    /// Those of `part`; `None` where nothing presses.
    pub fn of(part: Part<'_>) -> Option<Self> {
        let laws = part.shared::<Laws>();
        let Load { up, own: load } = Load::of(part)?;
        let (x, heights, mut pairs) = lying(part, up);
        pairs.retain(|&(a, b)| part.law(&laws, a, b).is_some());
        Some(Self { up, load, x, heights, pairs })
    }
}

type Found = (Vec<DVec3>, Vec<[f64; 2]>, Vec<(u32, u32)>);

/// Vertices, heights, and pairs of bodies, one of which lies on the other against `up`.
fn lying(part: Part<'_>, up: DVec3) -> Found {
    let (dofs, shapes) = (part.shared::<Dofs>(), part.shared::<Shapes>());
    let (map, prediction) = (part.shared::<SurfaceMap>(), part.shared::<Prediction>());
    let at = Vertices::at(Evaluate::Start, &map, &shapes, &dofs, &prediction);
    let x: Vec<DVec3> = (0..map.vertices()).map(|v| at.position(v as u32)).collect();
    let boxes: Vec<Aabb> = (0..shapes.0.len()).map(|b| Aabb::from_points(&x[map.range(b)])).collect();
    let heights: Vec<[f64; 2]> = (0..shapes.0.len())
        .map(|b| {
            let ends = [f64::INFINITY, f64::NEG_INFINITY];
            x[map.range(b)].iter().map(|p| p.dot(up)).fold(ends, |[lo, hi], h| [lo.min(h), hi.max(h)])
        })
        .collect();
    let tall = |b: u32| heights[b as usize][1] - heights[b as usize][0];
    let fixed = |b: u32| matches!(dofs.bodies.kind[b as usize], BodyKind::Fixed | BodyKind::Kinematic);
    let grown: Vec<Aabb> = (0..boxes.len())
        .map(|b| if boxes[b].is_empty() { boxes[b] } else { boxes[b].inflated(GAP * tall(b as u32)) })
        .collect();
    let mut pairs = Vec::new();
    let on = |low: u32, high: u32| {
        let gap = heights[high as usize][0] - heights[low as usize][1];
        let least = tall(low).min(tall(high));
        gap <= GAP * least && gap >= -0.5 * least
    };
    let lies = |a: u32, b: u32| !(fixed(a) && fixed(b)) && (on(a, b) || on(b, a));
    if BodyPairs::new().find(&grown, lies, &mut pairs).is_err() {
        pairs.clear();
    }
    for (plane, shape) in shapes.0.iter().enumerate() {
        let Shape::Plane { normal, offset } = shape else { continue };
        let pose = &dofs.bodies.pose[plane];
        let (n, o) = (pose.rotation * *normal, pose.position);
        let height = |p: &DVec3| (*p - o).dot(n) - offset;
        for b in (0..boxes.len()).filter(|&b| b != plane && !map.range(b).is_empty()) {
            let lowest = x[map.range(b)].iter().map(height).fold(f64::INFINITY, f64::min);
            if lowest.abs() <= GAP * tall(b as u32) {
                pairs.push((plane.min(b) as u32, plane.max(b) as u32));
            }
        }
    }
    (x, heights, pairs)
}
