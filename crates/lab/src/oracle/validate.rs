//! Inputs that no method may be asked about: each is refused with the name of its field.

use super::compare::Malformed;
use impinge_geometry::DVec3;

/// `n` as a count.
///
/// # Errors
/// It is not whole.
pub fn whole(n: f64) -> Result<usize, Malformed> {
    if n >= 0.0 && n.fract() == 0.0 && n <= 1e6 {
        Ok(n as usize)
    } else {
        Err(Malformed(format!("`n` is {n}; it is a whole number of unknowns")))
    }
}

/// Checks that a full matrix is square and symmetric; `name` is what the file calls it.
///
/// # Errors
/// Its size, or the first two entries that differ by more than rounding of the largest.
pub fn symmetric(name: &str, n: usize, a: &[Vec<f64>]) -> Result<(), Malformed> {
    if a.len() != n || a.iter().any(|row| row.len() != n) {
        return Err(Malformed(format!("`{name}` is not {n} × {n}")));
    }
    let largest = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for i in 0..n {
        for j in 0..i {
            if (a[i][j] - a[j][i]).abs() > 1e-12 * largest {
                return Err(Malformed(format!(
                    "`{name}` is not symmetric: [{i}][{j}] is {} and [{j}][{i}] is {}",
                    a[i][j], a[j][i]
                )));
            }
        }
    }
    Ok(())
}

/// Checks that a vector is one of length 1, but for rounding; `name` is what the file calls it.
///
/// # Errors
/// Its length.
pub fn unit(name: &str, v: [f64; 3]) -> Result<DVec3, Malformed> {
    let v = DVec3::from(v);
    if (v.mag() - 1.0).abs() <= 1e-9 {
        Ok(v)
    } else {
        Err(Malformed(format!("`{name}` has length {}; it is a unit vector", v.mag())))
    }
}

/// Checks that a number is finite and not negative; `name` is what the file calls it.
///
/// # Errors
/// The number.
pub fn not_negative(name: &str, x: f64) -> Result<(), Malformed> {
    if x >= 0.0 && x.is_finite() {
        Ok(())
    } else {
        Err(Malformed(format!("`{name}` is {x}; it is 0 or more")))
    }
}
