//! A body that an intersection volume carries: how stiff ½kV² is then, which an explicit step must be short for.

use super::tables::VolumePenaltySettings;
use impinge_bodies::resting_height;
use impinge_geometry::{DVec3, TriMesh};

/// Volume (m³) and section (m²) of what a closed mesh has below the plane `up · x = height`.
fn below(mesh: &TriMesh, up: DVec3, height: f64) -> [f64; 2] {
    let (mut volume, mut section) = (0.0, 0.0);
    for t in 0..mesh.triangles().len() {
        let x = mesh.corners(t);
        let depth = x.map(|p| height - p.dot(up));
        let mut part: [(DVec3, f64); 4] = [(DVec3::zero(), 0.0); 4];
        let mut n = 0;
        for i in 0..3 {
            let j = (i + 1) % 3;
            if depth[i] > 0.0 {
                part[n] = (x[i], depth[i]);
                n += 1;
            }
            if (depth[i] > 0.0) != (depth[j] > 0.0) {
                part[n] = (x[i] + (x[j] - x[i]) * (depth[i] / (depth[i] - depth[j])), 0.0);
                n += 1;
            }
        }
        // Shadows of the surface on the plane: what faces down counts, what faces up takes away.
        for k in 2..n {
            let [(a, da), (b, db), (c, dc)] = [part[0], part[k - 1], part[k]];
            let shadow = -0.5 * (b - a).cross(c - a).dot(up);
            section += shadow;
            volume += shadow * (da + db + dc) / 3.0;
        }
    }
    [volume, section]
}

/// Contacts and stiffness (N/m) of a body on a plane that carries `weight` (N), in the stiffest of these positions (up, in body axes): the force k V A
/// of one contact rises by k A² when it sinks; in cells of area a each has its own pressure, and together they have k A a.
#[must_use]
pub fn stiffest_rest(
    mesh: &TriMesh,
    settings: &VolumePenaltySettings,
    weight: f64,
    ways: &[DVec3],
) -> (usize, f64) {
    let cell = settings.measure.cell.map_or(f64::INFINITY, |c| c * c);
    let mut most = (0, 0.0);
    for &up in ways {
        let height = resting_height(mesh.positions(), up, weight, |height| {
            let [v, a] = below(mesh, up, height);
            settings.stiffness * v * a.min(cell)
        });
        let area = below(mesh, up, height)[1];
        let stiffness = settings.stiffness * area * area.min(cell);
        if stiffness > most.1 {
            most = ((area / cell).ceil().max(1.0) as usize, stiffness);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::tables::Measurement;
    use impinge_bodies::ways_up;
    use impinge_geometry::generators;

    #[test]
    fn a_box_rests_on_a_face_and_a_ball_on_its_cap() {
        let settings = |cell| VolumePenaltySettings {
            measure: Measurement { cell, ..Measurement::default() },
            stiffness: 1e9,
            viscosity: 0.0,
            friction: crate::step::tables::VolumeFriction::Viscous,
        };
        let mesh = generators::cuboid(DVec3::new(0.1, 0.1, 0.2), [2, 2, 2]).unwrap();
        // The largest face, 0.1 × 0.2: k A², and in cells of 0.05 m k A a.
        let (n, k) = stiffest_rest(&mesh, &settings(None), 9.81, &ways_up());
        assert!(n == 1 && (k / (1e9 * 0.02 * 0.02) - 1.0).abs() < 1e-12, "{n}, {k}");
        let (n, k) = stiffest_rest(&mesh, &settings(Some(0.05)), 9.81, &ways_up());
        assert!(n == 8 && (k / (1e9 * 0.02 * 0.0025) - 1.0).abs() < 1e-12, "{n}, {k}");
        // A cap of depth d: V = π d² (R − d/3), A = π d (2R − d).
        let ball = generators::icosphere(0.1, 4).unwrap();
        let pi = std::f64::consts::PI;
        let [v, a] = below(&ball, DVec3::unit_z(), -0.06);
        let (want_v, want_a) = (pi * 0.04f64.powi(2) * (0.1 - 0.04 / 3.0), pi * 0.04 * 0.16);
        assert!((v / want_v - 1.0).abs() < 0.01 && (a / want_a - 1.0).abs() < 0.01, "{v}, {a}");
        let (_, k) = stiffest_rest(&ball, &settings(None), 9.81, &ways_up());
        assert!(k > 0.0 && k < 1e9 * (pi * 0.01f64).powi(2), "{k}");
    }
}
