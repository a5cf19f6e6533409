//! What a report shows of each tet: deformation gradient, stress, scalar measures. Plain loops, one tet at a time.

use super::elements::{LANES, TetElements};
use super::lane::{gradient_of, stress_of};
use crate::polar::{M3, cofactor, dot9, times_transposed, to_dmat3};
use impinge_geometry::{DMat3, DVec3};

/// The state of one tet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetStress {
    /// First Piola–Kirchhoff stress P = ∂Ψ/∂F (Pa): force per rest area.
    pub piola: DMat3,
    /// Cauchy stress P Fᵀ/J (Pa), force per area as it is; the zero matrix where the tet is flat (J = 0).
    pub cauchy: DMat3,
    /// Von Mises' scalar √(3/2 dev σ : dev σ) of the Cauchy stress (Pa).
    pub von_mises: f64,
    /// J = det F: volume over rest volume; negative where the tet is inside out.
    pub volume_ratio: f64,
}

/// F of every tet, in the order of the mesh.
///
/// # Panics
/// When `x` is shorter than the nodes.
pub fn deformation_gradients(body: &TetElements, x: &[DVec3], out: &mut Vec<DMat3>) {
    body.check(x, "x");
    out.clear();
    out.extend(
        (0..body.tets().len()).map(|t| to_dmat3(&gradient_of(&body.blocks()[t / LANES], t % LANES, x))),
    );
}

/// Stress and volume of every tet, in the order of the mesh.
///
/// # Panics
/// When `x` is shorter than the nodes.
pub fn stresses(body: &TetElements, x: &[DVec3], out: &mut Vec<TetStress>) {
    body.check(x, "x");
    out.clear();
    out.extend((0..body.tets().len()).map(|t| {
        let (b, l) = (&body.blocks()[t / LANES], t % LANES);
        let f = gradient_of(b, l, x);
        let p = stress_of(body.model(), &f, b.mu[l], b.lambda[l]);
        let c = cofactor(&f);
        let j = f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2];
        let s = if j == 0.0 { [[0.0; 3]; 3] } else { times_transposed(&p, &f).map(|row| row.map(|x| x / j)) };
        TetStress { piola: to_dmat3(&p), cauchy: to_dmat3(&s), von_mises: von_mises(&s), volume_ratio: j }
    }));
}

fn von_mises(s: &M3) -> f64 {
    let mean = (s[0][0] + s[1][1] + s[2][2]) / 3.0;
    let mut d = *s;
    for (k, row) in d.iter_mut().enumerate() {
        row[k] -= mean;
    }
    (1.5 * dot9(&d, &d)).sqrt()
}
