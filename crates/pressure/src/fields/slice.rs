//! Tets cut where a linear field takes a value, so that what depends on the value alone is linear on both sides.
//!
//! The pieces of a tet are convex, and each is divided by pulling: every face is a fan about its vertex of lowest number, the
//! piece a cone over the faces that its own lowest vertex is not on. Faces and vertices that tets share are thus divided alike,
//! and the mesh stays conforming without its tets knowing of each other.

use impinge_geometry::DVec3;
use smallvec::SmallVec;
use std::collections::BTreeMap;

type Polygon = SmallVec<[u32; 6]>;
type Faces = SmallVec<[Polygon; 6]>;

/// Vertices, tets and the value of the field at each vertex.
pub(super) struct Field {
    pub positions: Vec<DVec3>,
    pub values: Vec<f64>,
    pub tets: Vec<[u32; 4]>,
}

/// A value to cut at. Vertices within `slack` of it are taken to be on it, so that no piece is thinner than that.
#[derive(Clone, Copy)]
pub(super) struct Level {
    pub at: f64,
    pub slack: f64,
}

impl Level {
    fn side(&self, value: f64) -> i8 {
        i8::from(value > self.at + self.slack) - i8::from(value < self.at - self.slack)
    }
}

/// Faces of a positive tet, seen from outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// The vertex made on an edge. An edge goes from the level last cut at to a corner, so it has one such vertex at most.
type Made = BTreeMap<[u32; 2], u32>;

impl Field {
    /// Tets that [`Field::slice`] makes, roughly: three for each prism between two levels, and the rest of a tet.
    pub fn wanted(&self, levels: &[Level]) -> usize {
        let cut = |t: &[u32; 4]| {
            let crosses =
                |l: &&Level| [-1, 1].iter().all(|s| t.iter().any(|&v| l.side(self.values[v as usize]) == *s));
            1 + 3 * levels.iter().filter(crosses).count()
        };
        self.tets.iter().map(cut).sum()
    }

    /// Cuts every tet that has corners on both sides of a level; `levels` ascend. `None` when there would be too many vertices to
    /// number.
    ///
    /// A tet is cut into its slices first and these are divided then: dividing after every cut makes a number of tets that grows
    /// with the third power of the levels.
    pub fn slice(&mut self, levels: &[Level]) -> Option<()> {
        let mut made = Made::new();
        for t in std::mem::take(&mut self.tets) {
            let mut rest: Faces = FACES.iter().map(|f| f.iter().map(|&i| t[i]).collect()).collect();
            let mut whole = true;
            for level in levels {
                let sides = |s: i8| rest.iter().flatten().any(|&v| level.side(self.values[v as usize]) == s);
                if !sides(1) {
                    break;
                }
                if sides(-1) {
                    let below = self.part(&rest, *level, -1, &mut made)?;
                    pull(&below, &mut self.tets);
                    rest = self.part(&rest, *level, 1, &mut made)?;
                    whole = false;
                }
            }
            if whole {
                self.tets.push(t);
            } else {
                pull(&rest, &mut self.tets);
            }
        }
        Some(())
    }

    /// The faces of the part of a convex piece on one side, seen from outside.
    fn part(&mut self, piece: &Faces, level: Level, keep: i8, made: &mut Made) -> Option<Faces> {
        let mut faces = Faces::new();
        // Edges of the faces along the cut, turned round: those of the face that the cut makes.
        let mut rim: SmallVec<[[u32; 2]; 6]> = SmallVec::new();
        for f in piece {
            let mut polygon = Polygon::new();
            for (i, &u) in f.iter().enumerate() {
                let v = f[(i + 1) % f.len()];
                let [x, y] = [u, v].map(|c| level.side(self.values[c as usize]));
                if x != -keep {
                    polygon.push(u);
                }
                if x * y == -1 {
                    polygon.push(self.between(u, v, level.at, made)?);
                }
            }
            if polygon.len() < 3 {
                continue;
            }
            for (i, &u) in polygon.iter().enumerate() {
                let v = polygon[(i + 1) % polygon.len()];
                if [u, v].iter().all(|&c| level.side(self.values[c as usize]) == 0) {
                    rim.push([v, u]);
                }
            }
            faces.push(polygon);
        }
        let mut cut = Polygon::new();
        let mut at = rim.first().map_or(0, |e| e[0]);
        while let Some(i) = rim.iter().position(|e| e[0] == at) {
            cut.push(at);
            at = rim.swap_remove(i)[1];
        }
        faces.push(cut);
        Some(faces)
    }

    /// The vertex where an edge meets the level: one for all tets around it.
    fn between(&mut self, u: u32, v: u32, level: f64, made: &mut Made) -> Option<u32> {
        let [a, b] = [u.min(v), u.max(v)];
        if let Some(&m) = made.get(&[a, b]) {
            return Some(m);
        }
        let m = u32::try_from(self.positions.len()).ok()?;
        let [(p, x), (q, y)] = [a, b].map(|i| (self.positions[i as usize], self.values[i as usize]));
        self.positions.push(p + (q - p) * ((level - x) / (y - x)));
        self.values.push(level);
        made.insert([a, b], m);
        Some(m)
    }
}

/// Divides a convex piece with these faces into tets.
fn pull(faces: &[Polygon], out: &mut Vec<[u32; 4]>) {
    let Some(&apex) = faces.iter().flatten().min() else { return };
    for face in faces.iter().filter(|f| !f.contains(&apex)) {
        let n = face.len();
        let first = (0..n).min_by_key(|&i| face[i]).unwrap_or(0);
        for i in 1..n - 1 {
            out.push([face[first], face[(first + i + 1) % n], face[(first + i) % n], apex]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{TetMesh, TetTopology};

    /// Every way four corners can lie about two levels, in every order: volumes add up and each piece is between two.
    #[test]
    fn all_ways_to_cut_a_tet() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.0, 0.1], [0.1, 0.3, 0.9]].map(DVec3::from);
        for code in 0..81u32 {
            let values: Vec<f64> =
                (0..4).map(|i| [-1.0, 0.0, 1.5][(code / 3u32.pow(i) % 3) as usize]).collect();
            let whole = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]]).unwrap();
            let mut field = Field { positions: corners.to_vec(), values, tets: vec![[0, 1, 2, 3]] };
            field.slice(&[Level { at: 0.0, slack: 1e-9 }, Level { at: 0.7, slack: 1e-9 }]).unwrap();
            for t in &field.tets {
                let v = t.map(|c| field.values[c as usize]);
                let within = |lo: f64, hi: f64| v.iter().all(|x| (lo..=hi).contains(x));
                assert!(within(-1.0, 0.0) || within(0.0, 0.7) || within(0.7, 1.5), "{code}: {v:?}");
            }
            let mesh = TetMesh::new(field.positions, field.tets).unwrap();
            mesh.require_positive().unwrap();
            let volume: f64 = mesh.volumes().iter().sum();
            assert!((volume / whole.volume(0) - 1.0).abs() < 1e-14, "{code}: {volume}");
            assert_eq!(TetTopology::new(&mesh).non_manifold_faces(), 0);
        }
    }
}
