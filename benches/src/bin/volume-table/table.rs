//! The table as text.

use crate::Effort;
use crate::measure::{Measured, Solved, TOLERANCE};
use crate::paper::TABLE_1;
use std::fmt::Write;

const HEAD: &str = "scene                objects triangles  pixels      layers contacts detection modelling    motion    solver iterations/s";

fn line(words: [String; 7], times: [f64; 4], per_second: f64) -> String {
    let [scene, objects, triangles, pixels, layers, contacts, machine] = words;
    let [a, b, c, d] = times;
    let width = format!("{scene:<20} {objects:>7} {triangles:>9}  {pixels:<11} {layers:>6} {contacts:>8}");
    format!("{width} {a:>9.2} {b:>9.2} {c:>9.2} {d:>9.2} {per_second:>12.2}  {machine}\n")
}

/// Ours, then the paper's, then what the paper has no column for. Writing to a string cannot fail.
pub fn text(rows: &[Measured], effort: &Effort) -> String {
    let threads = rayon::current_num_threads();
    let mut out =
        format!("Table 1 of seed 002. Times in ms, ours medians of {}.\n\n{HEAD}  machine\n", effort.runs);
    for r in rows {
        let words = [
            r.scene.to_string(),
            r.objects.to_string(),
            r.triangles.to_string(),
            format!("{}×{}", r.pixels[0], r.pixels[1]),
            r.layers.to_string(),
            r.contacts.to_string(),
            format!("this one, {threads} threads"),
        ];
        out += &line(words, [r.detection, r.modelling, r.motion, r.solver], 1e3 / r.step);
    }
    out.push('\n');
    for p in TABLE_1 {
        let words = [
            p.scene.to_string(),
            p.objects.to_string(),
            p.triangles.to_string(),
            p.pixels.to_string(),
            p.layers.to_string(),
            p.contacts.to_string(),
            "the paper's, GTX 285".to_string(),
        ];
        out += &line(words, p.times, p.per_second);
    }
    let _ = write!(
        out,
        "\nOurs: detection is the depth layers along x, y and z that overlaps are made of (what lies beyond the boxes' overlap along a ray is left \
         out where it says\nnothing), modelling their volumes and gradients, both on the state the steps lead to. The steps themselves\nmeasure exactly (below), and iterations/s counts \
         whole steps as they run; solver is the response with its stabilisation, which\nmeasures again. The paper counts measuring in the stabilisation as detection and modelling.\n\n\
         {:<20} {:>15} {:>13}   iterations to a relative residual of {TOLERANCE:.0e} from zero forces (ms)\n",
        "scene", "exact per step", "compliance"
    );
    for r in rows {
        // With deformables it is answered by the step's operator, and part of the solver above.
        let assembly = r.assembly.map_or("–".to_string(), |ms| format!("{ms:.2}"));
        let _ = write!(out, "{:<20} {:>15.2} {assembly:>13}  ", r.scene, r.exact);
        out += &solved(&r.solvers);
    }
    if rows.iter().any(|r| r.field.is_some()) {
        out += "\nThe same states by signed distances on a grid, made beforehand, in which each body's vertices are looked up (the paper's \"armadillos, field\"): \
                every vertex nearer than a tenth of the grid's cells is a contact.\n\n\
                scene                nodes         made (s)     MB contacts (by volume) detection modelling compliance   depths off by (m)   iterations as above\n";
    }
    for r in rows {
        let Some(f) = &r.field else { continue };
        let off = if f.contacts > 0 { format!("{:.1e}", f.off) } else { "–".to_string() };
        let nodes = f.nodes.map(|n| n.to_string()).join("×");
        let _ = write!(
            out,
            "{:<20} {nodes:<13} {:>8.2} {:>6.1} {:>8} {:>11} {:>9.2} {:>9.2} {:>10.2} {off:>19}  ",
            r.scene,
            f.made,
            f.bytes as f64 * 1e-6,
            f.contacts,
            f.by_volume,
            f.detection,
            f.modelling,
            f.assembly,
        );
        out += &solved(&f.solvers);
    }
    out
}

/// What the solvers took, and the end of the line.
fn solved(solvers: &[Solved]) -> String {
    let of =
        |s: &Solved| format!(" {}: {:.2} ms, {} iterations, {:.1e};", s.name, s.ms, s.iterations, s.residual);
    solvers.iter().map(of).collect::<String>() + "\n"
}
