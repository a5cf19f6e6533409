//! The stiffness of a contact patch in closed form.
//!
//! With p = 0 on the boundaries, the force on A is ∫ ∇p_A over the part of A where p_A < p_B (Theorem 1 with erratum P3).
//! When B moves by the small twist w(x) = v + ω × (x − o), that part grows where the surface h = p_A − p_B = 0 moves, at
//! the speed −w·∇p_B/|∇h| along n, and its other boundaries, the faces of A, stay. So
//!
//!   ∂F_A = −∫ ∇p_A (w·∇p_B)/|∇h| dS,   ∂M_A = −∫ (x − m) × ∇p_A (w·∇p_B)/|∇h| dS,
//!
//! which asks for area, centroid and second moments of every polygon and for nothing of its edges. A rigid B is the limit
//! ∇p_B/|∇h| → −n, a rigid A the limit ∇p_A/|∇h| → n. The formula does not hold for fields that are not zero on the
//! boundary (margins, before [`ContactSurface::keep_pressing`]), nor under Drake's filter where that drops polygons.

use crate::surface::{ContactSurface, Face};
use impinge_geometry::{DMat3, DVec3, add, outer, scale, skew};

/// A 6×6 matrix, rows force and torque, columns translation and rotation.
pub type Matrix6 = [[f64; 6]; 6];

/// Rows: wrench on A about its point, then wrench on B about its point; columns: translation and rotation of A, then of
/// B, each rotation about its own point.
pub type Matrix12 = [[f64; 12]; 12];

/// ∂(force on A, torque on A about `moment_point`)/∂(translation of B, rotation of B about `turn_point`), world axes,
/// N/m, N/rad, N, N·m/rad; A and both points stay where they are.
#[must_use]
pub fn stiffness(surface: &ContactSurface, moment_point: DVec3, turn_point: DVec3) -> Matrix6 {
    let local = |p: DVec3| surface.rotation.transposed() * (p - surface.origin);
    let (m, o) = (local(moment_point), local(turn_point));
    let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
    let mut k = [[zero; 2]; 2];
    for f in &surface.faces {
        let Some((alpha, beta, weight)) = directions(surface, f) else { continue };
        let (ra, rb) = ((f.centroid - m).cross(alpha), (f.centroid - o).cross(beta));
        let s = -weight * f.area;
        k[0][0] = add(&k[0][0], &outer(alpha, beta * s));
        k[0][1] = add(&k[0][1], &outer(alpha, rb * s));
        k[1][0] = add(&k[1][0], &outer(ra, beta * s));
        let spread = skew(alpha) * second(surface, f) * skew(beta).transposed();
        k[1][1] = add(&k[1][1], &add(&outer(ra, rb * s), &scale(&spread, -weight)));
    }
    let mut out = [[0.0; 6]; 6];
    let r = &surface.rotation;
    for i in 0..2 {
        for j in 0..2 {
            let world = *r * k[i][j] * r.transposed();
            for row in 0..3 {
                for col in 0..3 {
                    out[3 * i + row][3 * j + col] = world.cols[col][row];
                }
            }
        }
    }
    out
}

/// α, β and the weight of a face in −weight ∫ α (w·β) dS.
pub(crate) fn directions(surface: &ContactSurface, f: &Face) -> Option<(DVec3, DVec3, f64)> {
    if surface.rigid_a {
        return Some((f.normal, f.gradient_b, 1.0));
    }
    if surface.rigid_b {
        return Some((f.gradient_a, -f.normal, 1.0));
    }
    let size = (f.gradient_a - f.gradient_b).mag();
    (size > 0.0).then(|| (f.gradient_a, f.gradient_b, 1.0 / size))
}

/// ∫ (x − c)(x − c)ᵀ dA of a face.
pub(crate) fn second(surface: &ContactSurface, f: &Face) -> DMat3 {
    let corners = surface.polygon(f);
    let at = |c: &[f64; 4]| DVec3::new(c[0], c[1], c[2]) - f.centroid;
    let a = at(&corners[0]);
    // xx, yy, zz, xy, yz, zx.
    let (mut square, mut mixed) = (DVec3::zero(), DVec3::zero());
    let next = |v: DVec3| DVec3::new(v.y, v.z, v.x);
    for w in corners[1..].windows(2) {
        let (b, c) = (at(&w[0]), at(&w[1]));
        let part = f.normal.dot((b - a).cross(c - a)) / 24.0;
        let s = a + b + c;
        square += (a * a + b * b + c * c + s * s) * part;
        mixed += (a * next(a) + b * next(b) + c * next(c) + s * next(s)) * part;
    }
    DMat3::new(
        DVec3::new(square.x, mixed.x, mixed.z),
        DVec3::new(mixed.x, square.y, mixed.y),
        DVec3::new(mixed.z, mixed.y, square.z),
    )
}

/// The full matrix of a pair for an implicit step: each body turns about its own point (its centre of mass), which moves
/// with it, and torques are taken about these moving points. Moving both bodies together changes nothing.
#[must_use]
pub fn pair_stiffness(surface: &ContactSurface, point_a: DVec3, point_b: DVec3) -> Matrix12 {
    let k = stiffness(surface, point_a, point_b);
    let w = surface.wrench.about(point_a);
    let mut out = [[0.0; 12]; 12];
    for i in 0..6 {
        out[i][6..].copy_from_slice(&k[i]);
    }
    // A moves alone = both move, B moves back. Both: a turn ω about point_a turns the wrench; a shift does nothing.
    for c in 0..6 {
        let unit = |i: usize| {
            DVec3::new(f64::from(u8::from(i == 0)), f64::from(u8::from(i == 1)), f64::from(u8::from(i == 2)))
        };
        // The twist of A about its point, written at B's point.
        let (v, t) = if c < 3 {
            (unit(c), DVec3::zero())
        } else {
            (unit(c - 3).cross(point_b - point_a), unit(c - 3))
        };
        let turned = (t.cross(w.force), t.cross(w.torque));
        for r in 0..6 {
            let back: f64 = (0..3).map(|j| k[r][j] * v[j] + k[r][3 + j] * t[j]).sum();
            let both = if r < 3 { turned.0[r] } else { turned.1[r - 3] };
            // A's own moving point: with the shift of both, torque about the shifted point stays.
            out[r][c] = both - back;
        }
    }
    // So far torques on A are about a point that stays when only B moves and follows when A moves: what we want. The
    // wrench on B is the opposite force, and its torque about point_b is −(M_A + (point_a − point_b) × F).
    let arm = point_a - point_b;
    for c in 0..12 {
        let col = |r: usize| DVec3::new(out[r][c], out[r + 1][c], out[r + 2][c]);
        let (df, dm) = (col(0), col(3));
        // The arm between the points changes with translations: A's shift lengthens it, B's shortens it.
        let shift = match c {
            0..=2 => [0, 1, 2].map(|i| if i == c { 1.0 } else { 0.0 }),
            6..=8 => [0, 1, 2].map(|i| if i == c - 6 { -1.0 } else { 0.0 }),
            _ => [0.0; 3],
        };
        let torque = -(dm + arm.cross(df) + DVec3::from(shift).cross(w.force));
        for i in 0..3 {
            out[6 + i][c] = -df[i];
            out[9 + i][c] = torque[i];
        }
    }
    out
}
