//! Tets for shapes that have none: a lattice of cubes around any closed surface.

use impinge_geometry::{DVec3, TetMesh, TriMesh, tet_volume};
use impinge_query::MeshIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Most cubes a lattice may have.
const MOST: f64 = 2e6;

/// Cubes around a surface, and where its vertices lie in their tets.
#[derive(Clone)]
pub(crate) struct Cage {
    pub mesh: TetMesh,
    pub nodes: Vec<[u32; 4]>,
    pub weights: Vec<[f64; 4]>,
}

/// The cubes of edge `cell` that a closed surface touches (by the boxes of its triangles) or encloses (by their middles).
pub(crate) fn cage(skin: &TriMesh, cell: f64) -> Result<Cage, String> {
    let (lo, hi) = skin.bounds();
    let extent = hi - lo;
    let count = (extent.x / cell + 2.0) * (extent.y / cell + 2.0) * (extent.z / cell + 2.0);
    if count.is_nan() || count > MOST {
        return Err(format!(
            "a lattice of cubes of {cell} m would have {count:.1e} of them; at most {MOST:.0e} are made"
        ));
    }
    // Centred, so that a symmetric surface gets a symmetric lattice.
    let n = [0, 1, 2].map(|k| ((extent[k] / cell).ceil() as i32).max(1));
    let origin =
        (lo + hi) * 0.5 - DVec3::new(f64::from(n[0]), f64::from(n[1]), f64::from(n[2])) * (0.5 * cell);
    let at = |p: DVec3| {
        let q = (p - origin) / cell;
        [0, 1, 2].map(|k| (q[k].floor() as i32).clamp(0, n[k] - 1))
    };
    let mut cells: BTreeSet<[i32; 3]> = BTreeSet::new();
    for t in skin.triangles() {
        let [a, b, c] = t.map(|v| skin.positions()[v as usize]);
        let (first, last) =
            (at(a.min_by_component(b).min_by_component(c)), at(a.max_by_component(b).max_by_component(c)));
        for k in first[2]..=last[2] {
            for j in first[1]..=last[1] {
                cells.extend((first[0]..=last[0]).map(|i| [i, j, k]));
            }
        }
    }
    let index = MeshIndex::new(skin);
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                let middle =
                    origin + DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5) * cell;
                if index.penetration(middle).is_some() {
                    cells.insert([i, j, k]);
                }
            }
        }
    }
    let mut number: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    for &[i, j, k] in &cells {
        for bits in 0..8 {
            number.insert([k + (bits >> 2 & 1), j + (bits >> 1 & 1), i + (bits & 1)], 0);
        }
    }
    let mut positions = Vec::with_capacity(number.len());
    for (v, (&[k, j, i], slot)) in number.iter_mut().enumerate() {
        *slot = v as u32;
        positions.push(origin + DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * cell);
    }
    let cube = |&[i, j, k]: &[i32; 3]| {
        // Mirrored from cube to cube, so that neighbours cut their common face along the same diagonal.
        let odd = (i + j + k).rem_euclid(2);
        let corner = |bits: i32| number[&[k + (bits >> 2 & 1), j + (bits >> 1 & 1), i + ((bits & 1) ^ odd)]];
        [[0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 6, 4], [3, 6, 5, 7], [0, 3, 6, 5]].map(|t: [i32; 4]| {
            let [a, b, c, d] = t.map(corner);
            if odd == 0 { [a, b, c, d] } else { [a, c, b, d] }
        })
    };
    let tets: Vec<[u32; 4]> = cells.iter().flat_map(cube).collect();
    let (mut nodes, mut weights) = (Vec::new(), Vec::new());
    for &p in skin.positions() {
        let mut best = ([0; 4], [f64::NEG_INFINITY; 4]);
        for t in cube(&at(p)) {
            let w = shares(t.map(|v| positions[v as usize]), p);
            if lowest(&w) > lowest(&best.1) {
                best = (t, w);
            }
        }
        nodes.push(best.0);
        weights.push(best.1);
    }
    let mesh = TetMesh::new(positions, tets).map_err(|e| e.to_string())?;
    Ok(Cage { mesh, nodes, weights })
}

fn lowest(w: &[f64; 4]) -> f64 {
    w.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Barycentric weights; the last is what is left of 1.
fn shares(corners: [DVec3; 4], p: DVec3) -> [f64; 4] {
    let whole = tet_volume(corners);
    let mut w = [0.0; 4];
    for k in 0..3 {
        let mut c = corners;
        c[k] = p;
        w[k] = tet_volume(c) / whole;
    }
    w[3] = 1.0 - w[0] - w[1] - w[2];
    w
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::{TetTopology, Topology, generators};

    #[test]
    fn a_cage_holds_every_vertex_of_its_surface() {
        let skin = generators::icosphere(0.5, 2).unwrap();
        let cage = cage(&skin, 0.2).unwrap();
        for ((p, n), w) in skin.positions().iter().zip(&cage.nodes).zip(&cage.weights) {
            assert!(w.iter().all(|w| *w > -1e-9 && *w < 1.0 + 1e-9), "{w:?}");
            let x = (0..4).fold(DVec3::zero(), |s, k| s + cage.mesh.positions()[n[k] as usize] * w[k]);
            assert!((x - *p).mag() < 1e-12);
        }
        let volume: f64 = cage.mesh.volumes().iter().sum();
        assert!(volume > std::f64::consts::FRAC_PI_6, "the cage encloses the ball: {volume}");
        let t = TetTopology::new(&cage.mesh);
        Topology::new(&t.surface(&cage.mesh).unwrap().mesh).require_closed().unwrap();
    }
}
