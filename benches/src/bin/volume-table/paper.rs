//! Table 1 of seed 002 as printed there (Core i7 975, GeForce GTX 285).

/// One row of the paper. Times in ms.
pub struct Published {
    pub scene: &'static str,
    pub objects: u32,
    pub triangles: &'static str,
    pub pixels: &'static str,
    pub layers: &'static str,
    pub contacts: u32,
    /// Detection, modelling, motion, solver.
    pub times: [f64; 4],
    pub per_second: f64,
}

const fn row(
    scene: &'static str,
    objects: u32,
    triangles: &'static str,
    [pixels, layers]: [&'static str; 2],
    contacts: u32,
    times: [f64; 4],
    per_second: f64,
) -> Published {
    Published { scene, objects, triangles, pixels, layers, contacts, times, per_second }
}

/// All rows, in the paper's order.
pub const TABLE_1: &[Published] = &[
    row("medical (fig. 1)", 9, "550k", ["224×168", "32"], 16, [22.69, 1.35, 17.85, 32.45], 13.3),
    row("octopuses (fig. 2a)", 3, "46k", ["392×352", "28"], 110, [5.67, 1.20, 43.43, 12.34], 15.6),
    row("grasping (fig. 2b)", 2, "9k", ["112×112", "14"], 10, [2.73, 0.97, 7.36, 6.18], 54.0),
    row("snake (fig. 7)", 1, "7k", ["560×336", "10"], 1, [3.45, 1.01, 2.72, 1.53], 109.0),
    row("snake", 1, "7k", ["560×336", "10"], 6, [3.41, 1.00, 2.87, 1.86], 104.0),
    row("snake", 1, "7k", ["560×336", "10"], 18, [3.45, 0.95, 2.98, 3.09], 91.9),
    row("snake", 1, "7k", ["560×336", "10"], 41, [3.46, 0.84, 2.99, 7.62], 65.3),
    row("armadillos, field", 2, "692k", ["128×107×98", "–"], 255, [10.46, 0.16, 0.38, 6.68], 56.7),
    row("armadillos, rigid", 2, "692k", ["280×240", "22"], 16, [18.48, 1.15, 0.48, 4.08], 41.1),
    row("armadillos, FEM", 2, "692k", ["208×192", "26"], 28, [18.47, 1.53, 13.54, 17.98], 19.3),
    row("soft toys 10", 10, "205k", ["456×456", "24"], 99, [16.61, 1.64, 71.24, 34.82], 7.29),
    row("soft toys 20", 20, "379k", ["1232×472", "34"], 242, [28.79, 2.37, 146.94, 207.02], 2.44),
    row("soft toys 40", 40, "725k", ["1232×528", "46"], 544, [44.45, 3.43, 309.48, 723.83], 0.88),
];
