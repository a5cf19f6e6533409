//! Every loop of boundary edges is closed with triangles between its own vertices, or, where those would need an edge
//! that is taken, with a fan around a new vertex in the middle of the loop.
//!
//! No old vertex moves and no old face changes. The patch spans the hole; it does not bulge as the lost surface may
//! have done. Where a triangle of the patch would cross the surface nearby, it is banned and the hole is triangulated
//! anew, as often as that helps; crossings that remain are counted in the report.

use super::loops::boundary_loops;
use super::triangulate::triangulate;
use super::{NEW, Outcome};
use crate::self_intersections::crossing_pairs;
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::collections::BTreeSet;

pub(super) fn fill_holes(mesh: &TriMesh) -> Outcome {
    let topology = Topology::new(mesh);
    let loops = boundary_loops(mesh, &topology);
    let mut positions = mesh.positions().to_vec();
    let mut triangles = mesh.triangles().to_vec();
    let old = triangles.len();
    // Edges made by patches so far: a second patch over one of them would make it non-manifold.
    let mut made: BTreeSet<[u32; 2]> = BTreeSet::new();
    let (mut filled, mut fanned, mut doubled) = (0, 0, 0);
    for rim in &loops.closed {
        let points: Vec<DVec3> = rim.iter().map(|&v| mesh.positions()[v as usize]).collect();
        let taken = |i: usize, j: usize| {
            let ends = [rim[i].min(rim[j]), rim[i].max(rim[j])];
            topology.edge_between(ends[0], ends[1]).is_some() || made.contains(&ends)
        };
        // A lone triangle is its own hole: filled, it would be a bag without volume.
        if let [a, b, c] = rim[..]
            && topology.vertex_faces(a).iter().any(|&f| {
                let t = mesh.triangles()[f as usize];
                t.contains(&b) && t.contains(&c)
            })
        {
            doubled += 1;
            continue;
        }
        let near = if loops.closed.len() <= CHECKED {
            Nearby::new(&positions, &triangles, &points)
        } else {
            Nearby::default()
        };
        match patch(&points, taken, &near) {
            Some(patch) => {
                for t in patch {
                    let t = t.map(|i| rim[i]);
                    triangles.push(t);
                    for i in 0..3 {
                        made.insert([t[i].min(t[(i + 1) % 3]), t[i].max(t[(i + 1) % 3])]);
                    }
                }
                filled += 1;
            }
            None => {
                let middle = positions.len() as u32;
                positions.push(mean(&points));
                triangles.extend((0..rim.len()).map(|i| [rim[i], rim[(i + 1) % rim.len()], middle]));
                fanned += 1;
            }
        }
    }
    let new = triangles.len() - old;
    let after = TriMesh::new(positions, triangles);
    let mut left = vec![
        (doubled, "lone triangles left open: closed, they would enclose nothing"),
        (
            loops.stray_edges,
            "boundary edges left: their rim runs into an edge with three faces or with faces that disagree; try \
             `orient` first",
        ),
    ];
    if let Ok(m) = &after
        && new > 0
    {
        let crossing = crossing_pairs(m, |_, g| g as usize >= old).len();
        left.push((
            crossing,
            "pairs of faces cross where a patch passes through the surface or another patch",
        ));
    }
    Outcome {
        mesh: after,
        faces: (0..old as u32).chain(std::iter::repeat_n(NEW, new)).collect(),
        done: vec![
            (filled, "holes filled between their own vertices"),
            (fanned, "holes filled with a fan around a new vertex"),
            (new, "triangles added"),
        ],
        left,
    }
}

/// Holes up to this number are filled with regard to what lies near; each looks through all faces once.
const CHECKED: usize = 256;

/// New starts after triangles were banned.
const ROUNDS: usize = 64;

/// The faces whose boxes reach into the box of a hole, corner by corner.
#[derive(Default)]
struct Nearby {
    corners: Vec<DVec3>,
}

impl Nearby {
    fn new(positions: &[DVec3], triangles: &[[u32; 3]], rim: &[DVec3]) -> Self {
        let start = (rim[0], rim[0]);
        let (lo, hi) =
            rim.iter().fold(start, |(lo, hi), &p| (lo.min_by_component(p), hi.max_by_component(p)));
        let reaches = |c: &[DVec3; 3]| {
            (0..3).all(|k| c.iter().any(|p| p[k] <= hi[k]) && c.iter().any(|p| p[k] >= lo[k]))
        };
        let corners =
            triangles.iter().map(|t| t.map(|v| positions[v as usize])).filter(reaches).flatten().collect();
        Self { corners }
    }

    /// Triangles of the patch that cross a face nearby or a lower triangle of the patch.
    fn crossed(&self, rim: &[DVec3], patch: &[[usize; 3]]) -> BTreeSet<[usize; 3]> {
        if self.corners.is_empty() {
            return BTreeSet::new();
        }
        let old = self.corners.len() / 3;
        let mut positions = self.corners.clone();
        positions.extend(patch.iter().flatten().map(|&i| rim[i]));
        let triangles = (0..positions.len() as u32 / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        // Positions of a mesh, each corner its own vertex: always a mesh.
        let Ok(soup) = TriMesh::new(positions, triangles) else { return BTreeSet::new() };
        let pairs = crossing_pairs(&soup, |_, g| g as usize >= old);
        pairs.iter().map(|c| patch[c.faces[1] as usize - old]).collect()
    }
}

/// The patch with the fewest crossings that was found.
fn patch(rim: &[DVec3], taken: impl Fn(usize, usize) -> bool, near: &Nearby) -> Option<Vec<[usize; 3]>> {
    let mut banned = BTreeSet::new();
    let mut best: Option<(usize, Vec<[usize; 3]>)> = None;
    for _ in 0..ROUNDS {
        let Some(patch) = triangulate(rim, &taken, &banned) else { break };
        let crossed = near.crossed(rim, &patch);
        let count = crossed.len();
        if best.as_ref().is_none_or(|b| count < b.0) {
            best = Some((count, patch));
        }
        // A triangle that was banned and is back would go on for ever.
        let known = banned.len();
        banned.extend(crossed);
        if banned.len() == known {
            break;
        }
    }
    best.map(|b| b.1)
}

fn mean(points: &[DVec3]) -> DVec3 {
    let first = points[0];
    first + points.iter().fold(DVec3::zero(), |s, &p| s + (p - first)) / points.len() as f64
}
