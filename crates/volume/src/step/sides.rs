//! Flat sides of a mesh, and how far within the rim of one a body is pressed on.

use impinge_geometry::{DVec3, TriMesh, tangents, try_normalized};

/// Part of the size within which vertices are in one plane, and of 1 within which normals agree.
const IN_PLANE: f64 = 1e-6;
/// Sides of which corners are kept in any case. Of more, those that are as large a part of the surface.
const MOST: usize = 64;

/// Triangles in one plane that face one way.
pub(super) struct Side {
    /// m².
    pub area: f64,
    pub normal: DVec3,
    pub triangles: Vec<usize>,
}

fn size(mesh: &TriMesh) -> f64 {
    mesh.positions().iter().map(|p| p.mag_sq()).fold(0.0, f64::max).sqrt()
}

/// The flat sides of a mesh, in the order of their directions.
pub(super) fn flat_sides(mesh: &TriMesh) -> Vec<Side> {
    let size = size(mesh);
    // Minus zero comes before zero in their order.
    let rounded = |v: f64| (v / IN_PLANE).round() + 0.0;
    let mut all: Vec<([f64; 4], f64, DVec3, usize)> = (0..mesh.triangles().len())
        .filter_map(|t| {
            let [a, b, c] = mesh.corners(t);
            let doubled = (b - a).cross(c - a);
            let n = try_normalized(doubled)?;
            Some(([n.x, n.y, n.z, n.dot(a) / size].map(rounded), 0.5 * doubled.mag(), n, t))
        })
        .collect();
    let order = |a: &[f64; 4], b: &[f64; 4]| {
        (0..4).map(|i| a[i].total_cmp(&b[i])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    all.sort_by(|a, b| order(&a.0, &b.0));
    let of = |side: &[([f64; 4], f64, DVec3, usize)]| Side {
        area: side.iter().map(|t| t.1).sum(),
        normal: side[0].2,
        triangles: side.iter().map(|t| t.3).collect(),
    };
    all.chunk_by(|a, b| a.0 == b.0).map(of).collect()
}

/// Three vertices of each flat side, so far apart that they tell its plane well. What is round has none.
pub(super) fn corners_of_sides(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let mut sides = flat_sides(mesh);
    if sides.len() > MOST {
        let all: f64 = sides.iter().map(|s| s.area).sum();
        sides.retain(|s| s.area * MOST as f64 >= all);
    }
    let x = |v: u32| mesh.positions()[v as usize];
    let corners = |side: &Side| {
        let all = || side.triangles.iter().flat_map(|&t| mesh.triangles()[t]);
        let farthest = |of: &dyn Fn(u32) -> f64| all().reduce(|m, v| if of(v) > of(m) { v } else { m });
        let from = |v: u32| farthest(&|w| (x(w) - x(v)).mag_sq());
        let a = from(all().next()?)?;
        let b = from(a)?;
        let along = x(b) - x(a);
        let c = farthest(&|v| along.cross(x(v) - x(a)).mag_sq())?;
        Some([a, b, c])
    };
    sides.iter().filter_map(corners).collect()
}

/// How far within the rim of the side that faces `down` most a load through the body's centre, the mesh's origin, meets it (m), less than 0 outside;
/// `None` without such a side. `load` points where it presses; along the side friction takes up to `mu` of what presses. Both in body axes. All feet
/// in one plane are one side.
#[must_use]
pub fn within_rim(mesh: &TriMesh, down: DVec3, load: DVec3, mu: f64) -> Option<f64> {
    let (x, near) = (mesh.positions(), IN_PLANE * size(mesh));
    let height = |side: &Side| mesh.corners(side.triangles[0])[0].dot(side.normal);
    let outermost = |side: &Side| {
        let top = height(side) + near;
        x.iter().all(|p| p.dot(side.normal) <= top)
    };
    // Of the outermost the one that faces down most: looked at in that order, most meshes need one.
    let mut sides = flat_sides(mesh);
    sides.retain(|side| side.normal.dot(down) > 0.0);
    sides.sort_by(|m, s| s.normal.dot(down).total_cmp(&m.normal.dot(down)));
    let side = sides.into_iter().find(outermost)?;
    let (n, top) = (side.normal, height(&side));
    let pressed = n.dot(load);
    if !(pressed > 0.0) {
        return None;
    }
    let along = load - n * pressed;
    let held = along * (mu * pressed / along.mag()).min(1.0);
    let [t, s] = tangents(n);
    let flat = |p: DVec3| [p.dot(t), p.dot(s)];
    let base = x.iter().filter(|p| p.dot(n) >= top - near).map(|p| flat(*p)).collect();
    let foot = flat(held * (top / pressed));
    let hull = hull(base);
    let within = |i: usize| {
        let (a, b) = (hull[i], hull[(i + 1) % hull.len()]);
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
        (along[0] * (foot[1] - a[1]) - along[1] * (foot[0] - a[0])) / length
    };
    (hull.len() > 2).then(|| (0..hull.len()).map(within).fold(f64::INFINITY, f64::min))
}

/// The convex hull of points, counter-clockwise (Andrew 1979).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let left = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
    };
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && !left(a, b, p)
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter().copied());
    all.extend(half(&mut points.iter().rev().copied()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::generators;

    #[test]
    fn a_cube_has_six_sides_however_it_is_divided() {
        for segments in [1, 3] {
            let cube = generators::cuboid(DVec3::broadcast(0.2), [segments; 3]).unwrap();
            let sides = corners_of_sides(&cube);
            assert_eq!(sides.len(), 6);
            for [a, b, c] in sides.iter().map(|s| s.map(|v| cube.positions()[v as usize])) {
                assert!((b - a).cross(c - a).mag() > 0.99 * 0.2 * 0.2);
            }
        }
    }

    #[test]
    fn a_load_is_within_the_rim_or_beyond_it() {
        let cuboid = generators::cuboid(DVec3::new(0.1, 0.3, 0.2), [2, 1, 1]).unwrap();
        let [down, aside] = [-DVec3::unit_z(), DVec3::unit_x()];
        let rubs = |load, mu| within_rim(&cuboid, down, load, mu).unwrap();
        let within = |load| rubs(load, f64::INFINITY);
        assert!((within(down * 2.0) - 0.05).abs() < 1e-12);
        // 0.1 m above the side, a load that leans by 2/5 presses 0.04 m aside, one by 3/5 beyond the rim.
        assert!((within(DVec3::new(2.0, 0.0, -5.0)) - 0.01).abs() < 1e-12);
        assert!((within(DVec3::new(-3.0, 0.0, -5.0)) + 0.01).abs() < 1e-12);
        // It slides before that.
        assert!((rubs(DVec3::new(-3.0, 0.0, -5.0), 0.3) - 0.02).abs() < 1e-12);
        // On its side, and lifted.
        let side = within_rim(&cuboid, aside, DVec3::new(1.0, 0.0, 0.1), f64::INFINITY).unwrap();
        assert!((side - 0.095).abs() < 1e-12);
        assert_eq!(within_rim(&cuboid, down, -down, 1.0), None);
    }

    /// Half of a double pyramid of n sides, R about its waist and H high, lies with its middle R H cos(π/n)/√(R² cos² + H²) sin α within: the middle is
    /// R cos(π/n) above the edge of the waist, and a side leans by α with tan α = R cos(π/n) / H.
    #[test]
    fn a_double_spike_lies_near_a_rim() {
        let (radius, high) = (0.03f64, 0.3);
        let ring = (0..6).map(|i| (f64::from(i) * std::f64::consts::FRAC_PI_3).sin_cos());
        let mut x: Vec<DVec3> = ring.map(|(s, c)| DVec3::new(radius * c, radius * s, 0.0)).collect();
        x.extend([DVec3::unit_z() * high, DVec3::unit_z() * -high]);
        let sides = (0..6u32).flat_map(|i| [[i, (i + 1) % 6, 6], [(i + 1) % 6, i, 7]]).collect();
        let spike = TriMesh::new(x, sides).unwrap();
        let inner = radius * 0.75f64.sqrt();
        let lean = (inner / high).atan();
        let down = DVec3::new(lean.cos() * 0.75f64.sqrt(), lean.cos() * 0.5, lean.sin());
        let within = within_rim(&spike, down, down, 0.0).unwrap();
        assert!((within - inner * lean.sin()).abs() < 1e-12, "{within}");
    }
}
