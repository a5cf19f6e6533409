//! The volume that two bodies of tets share, by cutting every tet of one by the planes of every tet of the other.

use impinge_geometry::{DVec3, TetMesh};

type Tet = [DVec3; 4];

/// Shared volume (m³); tets of one body do not overlap each other.
pub fn shared_volume(a: &TetMesh, b: &TetMesh) -> f64 {
    let corners = |m: &TetMesh| -> Vec<Tet> { (0..m.tets().len()).map(|i| m.corners(i)).collect() };
    let (a, b) = (corners(a), corners(b));
    let mut volume = 0.0;
    for t in &a {
        for cutter in b.iter().filter(|c| boxes_meet(t, c)) {
            let mut parts = vec![*t];
            for k in 0..4 {
                let [p, q, r] = [1, 2, 3].map(|i| cutter[(k + i) % 4]);
                let normal = (q - p).cross(r - p);
                let inward = normal * (cutter[k] - p).dot(normal).signum();
                parts = parts.iter().flat_map(|part| cut(part, |x| (x - p).dot(inward))).collect();
            }
            volume += parts.iter().map(size).sum::<f64>();
        }
    }
    volume
}

fn size(t: &Tet) -> f64 {
    (t[1] - t[0]).cross(t[2] - t[0]).dot(t[3] - t[0]).abs() / 6.0
}

fn boxes_meet(a: &Tet, b: &Tet) -> bool {
    let bounds = |t: &Tet| {
        t.iter().fold((t[0], t[0]), |(lo, hi), &p| (lo.min_by_component(p), hi.max_by_component(p)))
    };
    let ((la, ha), (lb, hb)) = (bounds(a), bounds(b));
    (0..3).all(|k| la[k] <= hb[k] && lb[k] <= ha[k])
}

/// The part of a tet where `height` is positive, in tets.
pub fn cut(t: &Tet, height: impl Fn(DVec3) -> f64) -> Vec<Tet> {
    let (inside, outside): (Vec<DVec3>, Vec<DVec3>) = t.iter().partition(|&&p| height(p) > 0.0);
    let on = |p: DVec3, q: DVec3| {
        let (h, g) = (height(p), height(q));
        p + (q - p) * (h / (h - g))
    };
    match (&inside[..], &outside[..]) {
        ([], _) => Vec::new(),
        (_, []) => vec![*t],
        (&[a], &[b, c, d]) => vec![[a, on(a, b), on(a, c), on(a, d)]],
        (&[a, b], &[c, d]) => wedge([a, on(a, c), on(a, d)], [b, on(b, c), on(b, d)]),
        (&[a, b, c], &[d]) => wedge([a, b, c], [a, b, c].map(|p| on(p, d))),
        _ => unreachable!("a tet has four corners"),
    }
}

/// A prism over a triangle, in three tets.
fn wedge([a, b, c]: [DVec3; 3], [d, e, f]: [DVec3; 3]) -> Vec<Tet> {
    vec![[a, b, c, d], [b, c, d, e], [c, d, e, f]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner_at(x: f64, size: f64) -> TetMesh {
        let v = [[x, 0.0, 0.0], [x + size, 0.0, 0.0], [x, size, 0.0], [x, 0.0, size]];
        TetMesh::from_arrays(&v, &[[0, 1, 2, 3]]).unwrap()
    }

    #[test]
    fn corners_of_cubes() {
        // x, y, z ≥ 0 with x + y + z ≤ 1, and the same from x = ½ on: x ≥ ½ cuts off a corner of half the size.
        let shared = shared_volume(&corner_at(0.0, 1.0), &corner_at(0.5, 1.0));
        assert!((shared - 0.125 / 6.0).abs() < 1e-15, "{shared}");
        let inner = shared_volume(&corner_at(0.0, 1.0), &corner_at(0.1, 0.5));
        assert!((inner - 0.125 / 6.0).abs() < 1e-15, "{inner}");
        assert_eq!(shared_volume(&corner_at(0.0, 1.0), &corner_at(2.0, 1.0)), 0.0);
        let same = shared_volume(&corner_at(0.0, 1.0), &corner_at(0.0, 1.0));
        assert!((same - 1.0 / 6.0).abs() < 1e-15, "{same}");
    }
}
