//! Columns of two boxes on a plane, as many as are asked for.

use std::fmt::Write;

/// Columns in a row.
const WIDE: usize = 22;

/// A scene of `boxes` boxes (the last column is one alone where their number is odd) that every response takes as it is: the upper box is a little
/// smaller, so that its corners are inside the lower one's face and not over its edges.
pub fn columns(boxes: usize) -> String {
    let mut out = String::from(
        "[scene]\ntitle = \"columns of two boxes\"\ndt = 0.001\nduration = 1.0\ngravity = [0, 0, -9.81]\n\
         [volume]\ncell = 0.05\n\
         [[material]]\nname = \"m\"\ndensity = 1000\n\
         [[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 20000.0\nmu_s = 0.4\nfriction_damping = 10.0\n\
         damping = { kelvin_voigt = 20.0 }\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = { normal = [0, 0, 1], offset = 0.0 }\n",
    );
    for i in 0..boxes {
        let (column, upper) = (i / 2, i % 2);
        let (side, z) = if upper == 1 { (0.09, 0.15) } else { (0.1, 0.05) };
        let [x, y] = [column / WIDE, column % WIDE].map(|k| 0.15 * k as f64);
        let _ = writeln!(
            out,
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmaterial = \"m\"\n\
             mesh = {{ box = {{ size = [{side}, {side}, 0.1], segments = 1 }} }}\nposition = [{x}, {y}, {z}]\n\
             pressure = {{ modulus = 1e6, dissipation = 1.0 }}"
        );
    }
    out
}
