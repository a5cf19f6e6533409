//! Meshes, points around them and boxes.

use crate::Numbers;
use impinge_broadphase::Aabb;
use impinge_geometry::{DVec3, TriMesh, generators};

/// A torus of 10 080 triangles: major radius 1 m, minor 0.4 m.
pub fn torus_10k() -> TriMesh {
    generators::torus(1.0, 0.4, 126, 40).expect("a torus")
}

/// The same of 100 000 triangles.
pub fn torus_100k() -> TriMesh {
    generators::torus(1.0, 0.4, 400, 125).expect("a torus")
}

/// `n` points spread over the surface of `mesh`, each moved by up to `reach` m along every axis.
pub fn around(mesh: &TriMesh, n: usize, reach: f64) -> Vec<DVec3> {
    let mut numbers = Numbers::new(1);
    (0..n)
        .map(|_| {
            let [a, b, c] = mesh.corners(numbers.below(mesh.triangles().len()));
            let (mut u, mut v) = (numbers.unit(), numbers.unit());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            a + (b - a) * u + (c - a) * v + numbers.vector() * reach
        })
        .collect()
}

/// `n` unit boxes strewn so that each overlaps about two others, and the same a step later, each moved by up to
/// `step` m.
pub fn boxes(n: usize, step: f64) -> [Vec<Aabb>; 2] {
    let mut numbers = Numbers::new(2);
    // Two boxes of side 1 overlap when their centres differ by less than 1 on each axis: a volume of 8. So
    // twice as many overlaps as boxes need n · 8 / size³ = 2.
    let half = 0.5 * (4.0 * n as f64).cbrt();
    let centres: Vec<DVec3> = (0..n).map(|_| numbers.vector() * half).collect();
    let at = |c: DVec3| Aabb::new(c - DVec3::broadcast(0.5), c + DVec3::broadcast(0.5));
    let now = centres.iter().map(|&c| at(c)).collect();
    let later = centres.iter().map(|&c| at(c + numbers.vector() * step)).collect();
    [now, later]
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_broadphase::BodyPairs;

    #[test]
    fn meshes_have_the_size_in_their_name() {
        assert_eq!(torus_10k().triangles().len(), 10_080);
        assert_eq!(torus_100k().triangles().len(), 100_000);
    }

    #[test]
    fn points_stay_within_reach_of_the_torus() {
        for p in around(&torus_10k(), 500, 0.01) {
            let ring = (p.x.hypot(p.y) - 1.0).hypot(p.z);
            assert!((ring - 0.4).abs() < 0.02, "{p:?}");
        }
    }

    #[test]
    fn a_box_overlaps_about_two_others() {
        let mut pairs = Vec::new();
        BodyPairs::new().find(&boxes(1000, 0.01)[0], |_, _| true, &mut pairs).unwrap();
        assert!((600..1400).contains(&pairs.len()), "{}", pairs.len());
    }
}
