//! The preconditioner of the implicit step with contacts.

use impinge_geometry::{DMat3, DVec3, add, inverse, scale, sub};

/// Linear and angular part by linear and angular part of a rigid body.
pub(crate) type Six = [[DMat3; 2]; 2];

/// A block-diagonal inverse: of three rows for nodes, of six for rigid bodies.
#[derive(Default)]
pub(crate) struct Blocks {
    /// By block.
    pub three: Vec<DMat3>,
    /// By linear block of a rigid body; instead of those in `three`.
    pub six: Vec<(usize, Six)>,
    /// What is inverted: blocks of three rows, and by linear block what is beside them.
    pub diagonal: Vec<DMat3>,
    pub mixed: Vec<[DMat3; 2]>,
}

impl Blocks {
    /// z = M⁻¹ r.
    pub fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        for (z, (m, r)) in z.iter_mut().zip(self.three.iter().zip(r)) {
            *z = *m * *r;
        }
        for (at, m) in &self.six {
            let (a, b) = (r[*at], r[at + 1]);
            z[*at] = m[0][0] * a + m[0][1] * b;
            z[at + 1] = m[1][0] * a + m[1][1] * b;
        }
    }
}

/// Inverse of [[a, b], [c, d]] by the Schur complement of a; block by block where that is singular.
pub(crate) fn sixfold(a: &DMat3, mixed: &[DMat3; 2], d: &DMat3) -> Six {
    let none = DVec3::zero();
    let zero = DMat3::new(none, none, none);
    let one = DMat3::identity();
    let [b, c] = mixed;
    let whole = || {
        let ia = inverse(a)?;
        let schur = inverse(&sub(d, &(*c * ia * *b)))?;
        let right = scale(&(ia * *b * schur), -1.0);
        let below = scale(&(schur * *c * ia), -1.0);
        let first = add(&ia, &(ia * *b * schur * *c * ia));
        Some([[first, right], [below, schur]])
    };
    whole().unwrap_or([[inverse(a).unwrap_or(one), zero], [zero, inverse(d).unwrap_or(one)]])
}
