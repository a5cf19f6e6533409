//! Faces of more than three corners cut into triangles, whatever their shape.
//!
//! A small convex polygon becomes a fan from its first corner. Any other becomes the constrained Delaunay
//! triangulation (the `spade` crate) of its outline, seen along the normal of its best plane. The winding number of
//! each triangle then tells inside from outside, and is the proof: an outline that crosses itself, or runs
//! around twice, has a triangle with a winding number other than 0 and 1, or sides that cannot be placed.

use impinge_geometry::DVec3;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use std::collections::HashMap;

/// A convex polygon of more corners is no fan: all of its triangles would share one vertex, and every search for
/// pairs of near triangles would see all of them as near.
const FAN: usize = 8;

/// Relative to the square of a polygon's size: areas below this are rounding.
const FLAT: f64 = 1e-14;

/// Faces as they are found. Polygons are cut when all vertices are known, because a file may name them first.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    triangles: Vec<[u32; 3]>,
    corners: Vec<u32>,
    polygons: Vec<Polygon>,
}

#[derive(Debug)]
struct Polygon {
    /// Triangles of the file that stand before it.
    before: usize,
    /// Where its corners end.
    end: usize,
    mark: usize,
}

/// A polygon that is none.
#[derive(Debug)]
pub(crate) struct Crossed {
    /// Where it stands, as [`Faces::push`] was told.
    pub mark: usize,
    /// The number of the face in the file, counted from 0.
    pub face: usize,
    /// How many corners it has.
    pub corners: usize,
}

/// What to do about it.
pub(crate) const CROSSED: &str = "mend the outline, or cut the face into triangles before export";

impl Crossed {
    #[must_use]
    pub fn what(&self) -> String {
        let Self { face, corners, .. } = self;
        format!(
            "face {face} (counted from 0), of {corners} corners, has an outline that crosses itself or folds back"
        )
    }
}

impl Faces {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.polygons.is_empty()
    }

    pub fn reserve(&mut self, faces: usize) {
        self.triangles.reserve(faces);
    }

    /// Adds a triangle.
    #[inline]
    pub fn triangle(&mut self, triangle: [u32; 3]) {
        self.triangles.push(triangle);
    }

    /// Adds a face of three corners or more; `mark` is its place in the file.
    #[inline]
    pub fn push(&mut self, corners: &[u32], mark: usize) {
        if let &[a, b, c] = corners {
            return self.triangles.push([a, b, c]);
        }
        self.corners.extend_from_slice(corners);
        self.polygons.push(Polygon { before: self.triangles.len(), end: self.corners.len(), mark });
    }

    /// All triangles, in the order of the file. Every corner must be in range.
    pub fn cut(self, positions: &[DVec3]) -> Result<Vec<[u32; 3]>, Crossed> {
        if self.polygons.is_empty() {
            return Ok(self.triangles);
        }
        let mut all = Vec::with_capacity(self.triangles.len() + self.corners.len() - 2 * self.polygons.len());
        let (mut start, mut taken) = (0, 0);
        for (k, polygon) in self.polygons.iter().enumerate() {
            all.extend_from_slice(&self.triangles[taken..polygon.before]);
            taken = polygon.before;
            let corners = &self.corners[start..polygon.end];
            start = polygon.end;
            if !triangulate(corners, positions, &mut all) {
                let face = polygon.before + k;
                return Err(Crossed { mark: polygon.mark, face, corners: corners.len() });
            }
        }
        all.extend_from_slice(&self.triangles[taken..]);
        Ok(all)
    }
}

/// Appends the triangles of one polygon; `false` when its outline crosses itself.
fn triangulate(corners: &[u32], positions: &[DVec3], out: &mut Vec<[u32; 3]>) -> bool {
    let points = match flattened(corners, positions) {
        Flat::Plane(points) => points,
        Flat::Line => Vec::new(),
        Flat::Folded => return false,
    };
    if points.is_empty() || (corners.len() <= FAN && is_fan(&points)) {
        out.extend(corners[1..].windows(2).map(|w| [corners[0], w[0], w[1]]));
        return true;
    }
    delaunay(corners, &points, out).is_some()
}

enum Flat {
    /// The corners in a plane, counter-clockwise, from −1 to 1.
    Plane(Vec<[f64; 2]>),
    /// All corners on a line: no area, however it is cut.
    Line,
    /// Corners that enclose nothing without being on a line.
    Folded,
}

/// The polygon as seen along the normal of its best plane.
fn flattened(corners: &[u32], positions: &[DVec3]) -> Flat {
    // Halved, so that the difference of two huge coordinates is finite; scaled, so that no square vanishes.
    let at = |i: u32| positions[i as usize] * 0.5;
    let origin = at(corners[0]);
    let size = corners.iter().fold(0.0f64, |m, &i| m.max((at(i) - origin).abs().component_max()));
    if size == 0.0 {
        return Flat::Line;
    }
    let p: Vec<DVec3> = corners.iter().map(|&i| (at(i) - origin) / size).collect();
    let normal = p[1..].windows(2).fold(DVec3::zero(), |n, w| n + w[0].cross(w[1]));
    let [x, y, z] = [normal.x.abs(), normal.y.abs(), normal.z.abs()];
    let axis = if x >= y && x >= z { 0 } else { if y >= z { 1 } else { 2 } };
    if normal.mag() <= FLAT {
        let far = p.iter().fold(DVec3::zero(), |f, &q| if q.mag_sq() > f.mag_sq() { q } else { f });
        let on_line = p.iter().all(|q| q.cross(far).mag() <= FLAT);
        return if on_line { Flat::Line } else { Flat::Folded };
    }
    // Along the normal onto the plane across the axis: what is plane and upright keeps its exact coordinates.
    let (i, j) = if normal[axis] > 0.0 { (axis + 1, axis + 2) } else { (axis + 2, axis + 1) };
    let (i, j) = (i % 3, j % 3);
    let (along_i, along_j) = (normal[i] / normal[axis], normal[j] / normal[axis]);
    // The triangulation refuses numbers whose squares would vanish.
    let tidy = |x: f64| if x.abs() < 1e-30 { 0.0 } else { x };
    Flat::Plane(p.iter().map(|q| [tidy(q[i] - q[axis] * along_i), tidy(q[j] - q[axis] * along_j)]).collect())
}

/// Whether the triangles from the first corner have an area each and lie side by side within half a turn.
fn is_fan(p: &[[f64; 2]]) -> bool {
    let area =
        |a: [f64; 2], b: [f64; 2]| (a[0] - p[0][0]) * (b[1] - p[0][1]) - (a[1] - p[0][1]) * (b[0] - p[0][0]);
    p[1..].windows(2).all(|w| area(w[0], w[1]) > FLAT) && p[2..].iter().all(|&q| area(p[1], q) > FLAT)
}

/// Appends the triangles inside the outline; `None` when it crosses itself.
fn delaunay(corners: &[u32], points: &[[f64; 2]], out: &mut Vec<[u32; 3]>) -> Option<()> {
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    // The first corner at each place.
    let mut vertex = Vec::with_capacity(corners.len());
    let mut handles = Vec::with_capacity(corners.len());
    for (&corner, &[x, y]) in corners.iter().zip(points) {
        let handle = mesh.insert(Point2::new(x, y)).ok()?;
        if handle.index() == vertex.len() {
            vertex.push(corner);
        }
        handles.push(handle);
    }
    // How often the outline runs along each side, by its two ends; only looked up, never walked.
    let mut runs: HashMap<[usize; 2], i32> = HashMap::new();
    for (k, &from) in handles.iter().enumerate() {
        let to = handles[(k + 1) % handles.len()];
        if from == to {
            continue;
        }
        let sides = mesh.try_add_constraint(from, to);
        if sides.is_empty() {
            return None;
        }
        for side in sides {
            let side = mesh.directed_edge(side);
            *runs.entry([side.from().index(), side.to().index()]).or_insert(0) += 1;
        }
    }
    let step = |from: usize, to: usize| {
        let run = |key| runs.get(&key).copied().unwrap_or(0);
        run([from, to]) - run([to, from])
    };
    // Winding numbers, from the outside inwards: one more to the left of each run of the outline.
    let mut winding: Vec<Option<i32>> = vec![None; mesh.num_all_faces()];
    let mut open = Vec::new();
    for face in mesh.inner_faces() {
        for side in face.adjacent_edges() {
            if side.rev().face().is_outer() && winding[face.index()].is_none() {
                winding[face.index()] = Some(step(side.from().index(), side.to().index()));
                open.push(face);
            }
        }
    }
    while let Some(face) = open.pop() {
        let here = winding[face.index()]?;
        for side in face.adjacent_edges() {
            let Some(beyond) = side.rev().face().as_inner() else { continue };
            if winding[beyond.index()].is_none() {
                winding[beyond.index()] = Some(here - step(side.from().index(), side.to().index()));
                open.push(beyond);
            }
        }
    }
    for face in mesh.inner_faces() {
        match winding[face.index()]? {
            0 => {}
            1 => {
                let mut inside = face.vertices().map(|v| v.index());
                let first = (0..3).min_by_key(|&k| inside[k])?;
                inside.rotate_left(first);
                out.push(inside.map(|v| vertex[v]));
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 3]], corners: &[u32]) -> Option<Vec<[u32; 3]>> {
        let positions: Vec<DVec3> = points.iter().map(|&p| DVec3::from(p)).collect();
        let mut faces = Faces::default();
        faces.push(corners, 7);
        faces.cut(&positions).ok()
    }

    fn area(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
        let at = |i: u32| DVec3::from(points[i as usize]);
        triangles.iter().map(|&[a, b, c]| 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).mag()).sum()
    }

    const L: [[f64; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, 2.0, 0.0],
        [0.0, 2.0, 0.0],
    ];

    #[test]
    fn a_concave_polygon_keeps_its_area_from_every_corner_both_ways_round_and_in_every_plane() {
        for turn in 0..6 {
            let mut corners: Vec<u32> = (0..6).map(|k| (k + turn) % 6).collect();
            for side in [1.0, -1.0] {
                for axis in 0..3 {
                    let points = L.map(|p| [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]]);
                    let triangles = cut(&points, &corners).unwrap();
                    assert_eq!((triangles.len(), area(&points, &triangles)), (4, 3.0));
                    let normal = triangles.iter().fold(DVec3::zero(), |n, &[a, b, c]| {
                        let at = |i: u32| DVec3::from(points[i as usize]);
                        n + (at(b) - at(a)).cross(at(c) - at(a))
                    });
                    assert_eq!(normal[(5 - axis) % 3], 6.0 * side);
                }
                corners.reverse();
            }
        }
    }

    #[test]
    fn every_corner_is_kept_also_on_a_straight_side() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        for turn in 0..5 {
            let corners: Vec<u32> = (0..5).map(|k| (k + turn) % 5).collect();
            let triangles = cut(&points, &corners).unwrap();
            assert_eq!((triangles.len(), area(&points, &triangles)), (3, 4.0));
            for k in 0..5u32 {
                let side = [k, (k + 1) % 5];
                let sides = triangles.iter().flat_map(|t| (0..3).map(|i| [t[i], t[(i + 1) % 3]]));
                assert_eq!(sides.filter(|&s| s == side).count(), 1, "{side:?} in {triangles:?}");
            }
        }
    }

    #[test]
    fn a_hole_joined_to_the_outline_stays_open() {
        let points = [
            [0.0, 0.0, 0.0],
            [3.0, 0.0, 0.0],
            [3.0, 3.0, 0.0],
            [0.0, 3.0, 0.0],
            [1.0, 1.0, 0.0],
            [1.0, 2.0, 0.0],
            [2.0, 2.0, 0.0],
            [2.0, 1.0, 0.0],
        ];
        let triangles = cut(&points, &[0, 1, 2, 3, 0, 4, 5, 6, 7, 4]).unwrap();
        assert_eq!((triangles.len(), area(&points, &triangles)), (8, 8.0));
    }

    #[test]
    fn outlines_that_cross_fold_back_or_run_around_twice_are_refused() {
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        assert!(cut(&square, &[0, 2, 1, 3]).is_none());
        assert!(cut(&square, &[0, 1, 2, 3, 0, 1, 2, 3]).is_none());
        assert!(cut(&square, &[0, 1, 2, 1]).is_none());
        let star: Vec<[f64; 3]> = (0..5)
            .map(|k| {
                let (y, x) = (4.0 * std::f64::consts::PI * f64::from(k) / 5.0).sin_cos();
                [x, y, 0.3]
            })
            .collect();
        assert!(cut(&star, &[0, 1, 2, 3, 4]).is_none());
        // No area, but nothing crosses: kept, as a fault of the mesh.
        let line = [[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3]];
        assert_eq!(cut(&line, &[0, 1, 2, 3]).unwrap().len(), 2);
    }

    #[test]
    fn bent_and_huge_and_tiny_polygons_are_cut() {
        // A dart with its notch lifted: the fan from the first corner would leave the outline.
        let dart = [[0.0, 0.0, 0.0], [2.0, -2.0, 0.1], [0.0, 2.0, -0.1], [-2.0, -2.0, 0.1]];
        for scale in [1.0, 1e-300, 8e307] {
            let points = dart.map(|p| p.map(|x| x * scale));
            for corners in [[1, 2, 3, 0], [0, 1, 2, 3]] {
                let mut triangles = cut(&points, &corners).unwrap();
                triangles.iter_mut().for_each(|t| t.sort_unstable());
                triangles.sort_unstable();
                assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]], "{scale}");
            }
        }
    }
}
