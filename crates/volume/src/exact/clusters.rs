//! Triangles of a fine surface in clusters of near ones, made once for each shape.
//!
//! Boxes of clusters say which part of two surfaces can matter before any triangle is looked at: [`super::near`].

use crate::bounds::Bounds;
use crate::closed::Body;
use impinge_contact::par;
use impinge_geometry::{DVec3, TriMesh};

/// Triangles in a cluster at most.
const TRIANGLES: usize = 32;
/// Surfaces with fewer triangles have no clusters: each triangle is looked at.
const FINE: usize = 1024;

/// Clusters whose boxes are found in one go.
const CHUNK: usize = 256;

/// Lists one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.items[self.start[list] as usize..self.start[list + 1] as usize]
    }

    /// From pairs of list and item; each item is once in a list, and items ascend.
    fn from_pairs(count: usize, pairs: &mut Vec<[u32; 2]>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; count + 1];
        pairs.iter().for_each(|p| start[p[0] as usize + 1] += 1);
        for i in 0..count {
            start[i + 1] += start[i];
        }
        Self { start, items: pairs.iter().map(|p| p[1]).collect() }
    }
}

/// The clusters of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    triangles: Lists,
    vertices: Lists,
    /// Clusters with a vertex in common.
    beside: Lists,
}

impl Clusters {
    /// Those of a mesh; `None` where there are too few triangles for any. Wherever its vertices go later, the clusters stay.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Option<Self> {
        let (x, triangles) = (mesh.positions(), mesh.triangles());
        if triangles.len() < FINE {
            return None;
        }
        let middle = |t: &[u32; 3]| t.iter().fold(DVec3::zero(), |s, &v| s + x[v as usize]);
        let mut order: Vec<(DVec3, u32)> = triangles.iter().map(middle).zip(0..).collect();
        let mut of = Vec::new();
        split(&mut order, &mut of);
        let count = of.len();
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(triangles.len());
        let mut from = 0;
        for (c, size) in (0..).zip(of) {
            pairs.extend(order[from..from + size].iter().map(|&(_, t)| [c, t]));
            from += size;
        }
        let of_triangles = Lists::from_pairs(count, &mut pairs);
        let corners = |&[c, t]: &[u32; 2]| triangles[t as usize].map(|v| [c, v]);
        let mut pairs: Vec<[u32; 2]> = pairs.iter().flat_map(corners).collect();
        let vertices = Lists::from_pairs(count, &mut pairs);
        pairs.iter_mut().for_each(|p| p.swap(0, 1));
        pairs.sort_unstable();
        let mut beside = Vec::new();
        for at in pairs.chunk_by(|p, q| p[0] == q[0]) {
            for p in at {
                beside.extend(at.iter().filter(|q| q[1] != p[1]).map(|q| [p[1], q[1]]));
            }
        }
        Some(Self { triangles: of_triangles, vertices, beside: Lists::from_pairs(count, &mut beside) })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.triangles.start.len() - 1
    }

    /// Triangles of a cluster, ascending.
    pub fn triangles(&self, cluster: u32) -> &[u32] {
        self.triangles.of(cluster)
    }

    /// Corners of its triangles, ascending.
    pub fn vertices(&self, cluster: u32) -> &[u32] {
        self.vertices.of(cluster)
    }

    /// Clusters that have a vertex in common with one, ascending.
    pub fn beside(&self, cluster: u32) -> &[u32] {
        self.beside.of(cluster)
    }

    /// The boxes around all clusters of a body.
    pub fn all_bounds(&self, body: Body<'_>, out: &mut Vec<Bounds>) {
        match body.known {
            Some(known) => {
                out.clear();
                out.extend_from_slice(known.boxes);
            }
            None => self.boxes(body.x, out),
        }
    }

    /// The boxes around all clusters of a surface whose vertices are here.
    pub fn boxes(&self, x: &[DVec3], out: &mut Vec<Bounds>) {
        out.resize(self.len(), Bounds { lo: DVec3::zero(), hi: DVec3::zero() });
        par::fill(out, CHUNK, |c, b| *b = self.bounds(c as u32, x));
    }

    /// The box around a cluster whose vertices are here.
    fn bounds(&self, cluster: u32, x: &[DVec3]) -> Bounds {
        let vertices = self.vertices(cluster);
        let first = x[vertices[0] as usize];
        vertices.iter().fold(Bounds { lo: first, hi: first }, |b, &v| {
            let p = x[v as usize];
            Bounds { lo: b.lo.min_by_component(p), hi: b.hi.max_by_component(p) }
        })
    }
}

/// Halves at the median of the longest axis until all are small; how many triangles each has, in order.
fn split(list: &mut [(DVec3, u32)], sizes: &mut Vec<usize>) {
    if list.len() <= TRIANGLES {
        sizes.push(list.len());
        return;
    }
    let first = (list[0].0, list[0].0);
    let (lo, hi) =
        list.iter().fold(first, |(lo, hi), p| (lo.min_by_component(p.0), hi.max_by_component(p.0)));
    let extent = hi - lo;
    let key: fn(&DVec3) -> f64 = if extent.x >= extent.y && extent.x >= extent.z {
        |p| p.x
    } else if extent.y >= extent.z {
        |p| p.y
    } else {
        |p| p.z
    };
    let half = list.len() / 2;
    list.select_nth_unstable_by(half, |p, q| key(&p.0).total_cmp(&key(&q.0)).then(p.1.cmp(&q.1)));
    let (low, high) = list.split_at_mut(half);
    split(low, sizes);
    split(high, sizes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::torus;

    #[test]
    fn every_triangle_is_in_one_cluster_and_neighbours_know_of_each_other() {
        let mesh = torus(0.5, 0.2, 60, 30).unwrap();
        let clusters = Clusters::new(&mesh).unwrap();
        let mut of = vec![u32::MAX; mesh.triangles().len()];
        for c in 0..clusters.len() as u32 {
            assert!((1..=TRIANGLES).contains(&clusters.triangles(c).len()));
            for &t in clusters.triangles(c) {
                assert_eq!(std::mem::replace(&mut of[t as usize], c), u32::MAX);
                let corners = mesh.triangles()[t as usize];
                assert!(corners.iter().all(|v| clusters.vertices(c).binary_search(v).is_ok()));
                let b = clusters.bounds(c, mesh.positions());
                assert!(corners.iter().all(|&v| b.contains(mesh.positions()[v as usize])));
            }
        }
        assert!(!of.contains(&u32::MAX));
        let share = |a: u32, b: u32| {
            clusters.vertices(a).iter().any(|v| clusters.vertices(b).binary_search(v).is_ok())
        };
        for a in 0..clusters.len() as u32 {
            let all: Vec<u32> = (0..clusters.len() as u32).filter(|&b| b != a && share(a, b)).collect();
            assert_eq!(clusters.beside(a), all);
        }
        assert!(Clusters::new(&torus(0.5, 0.2, 20, 10).unwrap()).is_none(), "too coarse");
    }
}
