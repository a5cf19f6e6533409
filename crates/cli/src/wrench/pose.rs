//! A pose from numbers on the command line.

use impinge_geometry::{DMat3, DRotor3, DVec3, Pose, rotor_from_rotation_vector, try_normalized};
use ultraviolet::DBivec3;

/// Numbers with commas between them.
pub fn numbers(what: &str, text: &str) -> Result<Vec<f64>, String> {
    let one = |t: &str| match t.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("{what} {text}: '{t}' is no finite number")),
    };
    text.split(',').map(one).collect()
}

/// How far a quaternion's length or a matrix' product with its transpose may be off 1: numbers written with four digits.
const UNIT: f64 = 1e-3;

/// The pose of `--pose`, turned as `--turn` says.
pub fn read(text: &str, turn: Option<&str>) -> Result<Pose, String> {
    let n = numbers("--pose", text)?;
    let at = |i: usize| DVec3::new(n[i], n[i + 1], n[i + 2]);
    if turn.is_some() && n.len() != 3 {
        return Err(
            "--turn goes with a --pose of 3 numbers: the others have a rotation of their own".to_string()
        );
    }
    match n.len() {
        3 => {
            let turn = turn.map_or(Ok(DVec3::zero()), rotation_vector)?;
            Ok(Pose::new(at(0), rotor_from_rotation_vector(turn)))
        }
        7 => {
            let length = n[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > UNIT {
                return Err(format!(
                    "--pose {text}: the quaternion w,x,y,z has length {length:.4}; it must be 1"
                ));
            }
            Ok(Pose::new(at(0), rotor([n[3], n[4], n[5], n[6]])))
        }
        12 => {
            let column = |j: usize| DVec3::new(n[j], n[4 + j], n[8 + j]);
            let m = DMat3::new(column(0), column(1), column(2));
            let product = m.transposed() * m;
            let off = |i: usize, j: usize| (product.cols[i][j] - f64::from(u8::from(i == j))).abs();
            let worst = (0..9).map(|k| off(k / 3, k % 3)).fold(0.0, f64::max);
            if worst > UNIT || m.determinant() < 0.0 {
                return Err(format!(
                    "--pose {text}: the first three columns of the 3×4 matrix are no rotation"
                ));
            }
            Ok(Pose::new(column(3), rotor(quaternion(&m))))
        }
        k => Err(format!(
            "--pose {text}: {k} numbers; give 3 (position), 7 (and quaternion w,x,y,z) or 12 (rows of the 3×4 matrix)"
        )),
    }
}

/// The rotor of a quaternion w, x, y, z: its bivector is the negative of the quaternion's vector, plane by plane.
fn rotor([w, x, y, z]: [f64; 4]) -> DRotor3 {
    DRotor3::new(w, DBivec3::new(-z, y, -x))
}

/// The quaternion w, x, y, z of a rotation, from its largest part (Shepperd 1978): the library's own is right to 1e-9 only.
fn quaternion(m: &DMat3) -> [f64; 4] {
    let at = |row: usize, col: usize| m.cols[col][row];
    let trace = at(0, 0) + at(1, 1) + at(2, 2);
    let squares = [trace, at(0, 0), at(1, 1), at(2, 2)];
    let most = (0..4).fold(0, |k, i| if squares[i] > squares[k] { i } else { k });
    let mut q = [0.0; 4];
    if most == 0 {
        q = [1.0 + trace, at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)];
    } else {
        let i = most - 1;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        q[0] = at(k, j) - at(j, k);
        q[i + 1] = 1.0 + at(i, i) - at(j, j) - at(k, k);
        q[j + 1] = at(j, i) + at(i, j);
        q[k + 1] = at(k, i) + at(i, k);
    }
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / length)
}

fn rotation_vector(text: &str) -> Result<DVec3, String> {
    let n = numbers("--turn", text)?;
    let [x, y, z, degrees] = n[..] else {
        return Err(format!("--turn {text}: give an axis and degrees, for instance 0,0,1,90"));
    };
    let axis = try_normalized(DVec3::new(x, y, z))
        .ok_or_else(|| format!("--turn {text}: the axis has no length"))?;
    Ok(axis * degrees.to_radians())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn about each axis, told in three ways, moves points alike.
    #[test]
    fn three_ways_to_tell_a_rotation() {
        let (c, s) = (30f64.to_radians().cos(), 30f64.to_radians().sin());
        let (h, k) = (15f64.to_radians().cos(), 15f64.to_radians().sin());
        let matrices = [
            ("1,0,0", format!("1,0,0,1,0,{c},{},2,0,{s},{c},3", -s), format!("1,2,3,{h},{k},0,0")),
            ("0,1,0", format!("{c},0,{s},1,0,1,0,2,{},0,{c},3", -s), format!("1,2,3,{h},0,{k},0")),
            ("0,0,1", format!("{c},{},0,1,{s},{c},0,2,0,0,1,3", -s), format!("1,2,3,{h},0,0,{k}")),
        ];
        let p = DVec3::new(0.3, -0.2, 0.7);
        for (axis, matrix, quaternion) in matrices {
            let turned = read("1,2,3", Some(&format!("{axis},30"))).unwrap().point_to_world(p);
            for other in [matrix, quaternion] {
                let moved = read(&other, None).unwrap().point_to_world(p);
                assert!((moved - turned).mag() < 1e-12, "{axis} {other}: {moved:?} {turned:?}");
            }
        }
        // Half a turn about each axis, where the scalar part is zero.
        for (matrix, turn) in [
            ("1,0,0,0,0,-1,0,0,0,0,-1,0", "1,0,0,180"),
            ("-1,0,0,0,0,1,0,0,0,0,-1,0", "0,1,0,180"),
            ("-1,0,0,0,0,-1,0,0,0,0,1,0", "0,0,1,180"),
        ] {
            let [a, b] =
                [read(matrix, None), read("0,0,0", Some(turn))].map(|r| r.unwrap().point_to_world(p));
            assert!((a - b).mag() < 1e-12, "{matrix}: {a:?} {b:?}");
        }
        for bad in ["1,2", "1,2,x", "0,0,0,2,0,0,0", "1,0,0,0,0,1,0,0,0,0,-1,0"] {
            assert!(read(bad, None).is_err(), "{bad}");
        }
    }
}
