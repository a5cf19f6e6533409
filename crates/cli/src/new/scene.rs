//! The text of the scene: numbers from the geometry of its parts, rounded, each with what it comes from.

use super::Part;
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Steps in which the stiffest contact swings once: enough for every response by stiffness, and for the restitution asked for.
const STEPS_A_SWING: f64 = 45.0;
/// A body at rest gives way by this part of its thickness.
const SUNK: f64 = 2e-3;
/// Bodies start this part of the largest side above the floor, and twice that apart.
const GAP: f64 = 0.1;
const GRAVITY: f64 = 9.81;
/// Speed after over speed before an impact.
const RESTITUTION: f64 = 0.3;
/// Times of the fall until all rests: the bounces take 0.9 of it, rocking the rest.
const FALLS: f64 = 20.0;
/// Cells along the longest side, and across a narrower one that something lies on, for the volume responses.
const CELLS: f64 = 2.0;
/// Part of its two longest sides that a face has at least which a body lies flat on: a ball's is smaller.
const LIES: f64 = 0.2;
/// How far the mean force on the floor may be off the weight, of what stands and of what topples or rolls.
const STANDS: f64 = 0.05;
const ROLLS: f64 = 0.2;
/// What moves slower than this part of the speed of the fall is at rest.
const STILL: f64 = 0.02;

/// Cells (m) for a part that lies on a face that is narrower than `cell`.
fn narrow(p: &Part, cell: f64) -> Option<f64> {
    let mut sides = [0, 1, 2].map(|i| p.high[i] - p.low[i]);
    sides.sort_by(f64::total_cmp);
    let width = p.face / sides[1].hypot(sides[2]);
    (p.face >= LIES * sides[1] * sides[2] && width < cell).then_some(width / CELLS)
}

/// The scene file.
pub fn text(up: &str, scale: f64, density: f64, parts: &[Part]) -> String {
    let sides = |p: &Part| [0, 1, 2].map(|i| p.high[i] - p.low[i]);
    let most = parts.iter().flat_map(sides).fold(0.0, f64::max);
    let thin = parts.iter().map(|p| p.thickness).fold(f64::INFINITY, f64::min);
    let swing = TAU / STEPS_A_SWING;
    // A contact that swings once in 45 steps sinks by g (45 dt/2π)² under the body's weight.
    let dt = rounded((swing * (SUNK * thin / GRAVITY).sqrt()).clamp(1e-6, 1e-3), 1);
    let height = rounded(GAP * most, 2);
    let speed = (2.0 * GRAVITY * height).sqrt();
    let duration = rounded(FALLS * speed / GRAVITY, 1);
    let depth = SUNK * thin;
    let spring = |p: &Part| p.mass * (swing / dt).powi(2);
    let surface = |p: &Part| 2.0 * p.mass / (density * p.thickness);
    let per_area = |p: &Part| spring(p) / (surface(p) / 6.0);
    // Stiffness is by the volume in each cell: that of all cells together is the sum of the squares of their areas.
    let cell = parts.iter().filter_map(|p| narrow(p, most / CELLS)).fold(most / CELLS, f64::min);
    let squares = |p: &Part| p.face * (p.face / CELLS).min(cell * cell);
    let least = |f: &dyn Fn(&Part) -> f64| parts.iter().map(f).fold(f64::INFINITY, f64::min);
    let largest = |f: &dyn Fn(&Part) -> f64| parts.iter().map(f).fold(0.0, f64::max);
    let modulus = largest(&|p| p.mass * GRAVITY * p.thickness / (p.face * depth));
    let title = parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut out = format!(
        "# Written by `impinge new`; `impinge run FILE` runs it, `impinge compare FILE` under every response.\n\
         # Every key with its unit: fixtures/scenes/SCHEMA.md of the repository. SI units, z is up.\n\n\
         [scene]\ntitle = {title}\ndescription = \"Meshes that fall onto a floor.\"\n\
         # A contact that swings once in 45 steps gives way by 2 thousandths of the thickness, {thin} m (twice volume over surface).\n\
         dt = {dt}\n# Twenty times the time of the fall from {height} m: bounces have ended.\nduration = {duration}\n\
         response = \"penalty\"   # or cpf, dpf-ccd, cpf-implicit, qp, volume, volume-penalty, pressure\n\n\
         # For `qp`: the distance that surfaces keep (m), 2 thousandths of the thickness.\n[qp]\nthickness = {depth}\n\n\
         # For `volume` and `volume-penalty`: contacts of half the longest side ({most} m), or half of what is narrower and lies flat, so that it \
         does not turn.\n\
         [volume]\ncell = {cell}\n\
         # For `volume`: the depth that contacts keep (m).\ndepth = {depth}\n\
         # For `volume-penalty`: a contact of the face that lies on the floor swings once in 45 steps, at half of critical damping.\n\
         stiffness = {volume}\nviscosity = {viscosity}\n\n\
         [[material]]\nname = \"floor\"\n",
        title = toml::Value::String(title),
        thin = short(thin),
        dt = short(dt),
        height = short(height),
        duration = short(duration),
        depth = short(depth),
        most = short(most),
        cell = short(cell),
        volume = short(least(&|p| spring(p) / squares(p))),
        viscosity = short(least(&|p| (spring(p) * p.mass).sqrt() / squares(p))),
    );
    for p in parts {
        let _ =
            write!(out, "\n[[material]]\nname = \"{}\"\ndensity = {}   # kg/m³\n", p.name, short3(density));
    }
    let law = |materials: [&str; 2], stiffness: f64| {
        format!(
            "\n[[pair]]\nmaterials = [\"{}\", \"{}\"]\n# N/m³, so that a finer mesh is no stiffer: a sixth of the surface swings once in 45 steps.\n\
             stiffness_per_area = {}\nmu_s = 0.5\n# It comes back at 0.3 of the speed it falls with.\n\
             damping = {{ restitution = {RESTITUTION:?}, law = \"hunt-crossley\", speed = {} }}\n",
            materials[0],
            materials[1],
            short(stiffness),
            short(speed)
        )
    };
    parts.iter().for_each(|p| out += &law([&p.name, "floor"], per_area(p)));
    if parts.len() > 1 {
        out += &law(["*", "*"], least(&per_area));
    }
    let _ = write!(
        out,
        "\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"floor\"\nplane = {{ normal = [0.0, 0.0, 1.0] }}\n\
         # For `pressure`: the floor gives way (Pa, m), and no mesh has to be filled with tets. The weight on the face that lies on \
         it sinks by 2 thousandths of the thickness.\n\
         pressure = {{ modulus = {}, thickness = {} }}\n",
        short(modulus),
        short(thin)
    );
    let mut x = 0.0;
    for p in parts {
        let [width, ..] = sides(p);
        let at = [x - p.low[0], -0.5 * (p.low[1] + p.high[1]), height - p.low[2]];
        x += width + 2.0 * height;
        let [x, y, z] = at.map(|c| to(c, 1e-3 * p.thickness));
        let _ = write!(
            out,
            "\n[[body]]\nname = \"{0}\"\nmaterial = \"{0}\"\n\
             mesh = {{ file = {{ path = {1}, up = \"{up}\", scale = {scale:?} }} }}\n# The file's origin: its lowest point is {2} m above the floor.\n\
             position = [{x}, {y}, {z}]\n",
            p.name,
            p.path,
            short(height),
        );
    }
    out += "\n# What must come out under every response; `impinge run` says whether it does.\n\
            [[expect]]\nname = \"finite\"\nmeasure = \"finite\"\nevery_response = true\nmin = 1\n";
    for p in parts {
        // What topples or rolls is still on its way.
        let rel = if p.stands { STANDS } else { ROLLS };
        if p.stands {
            let _ = write!(
                out,
                "\n# 2 hundredths of the speed it falls with.\n[[expect]]\nname = \"{0}-rests\"\nmeasure = \"speed\"\nbody = \"{0}\"\nat = \"end\"\n\
                 every_response = true\nmax = {1}\n",
                p.name,
                short(STILL * speed),
            );
        } else {
            let _ = write!(
                out,
                "\n# {} does not stand as it lies in its file: it topples or rolls, and may not rest at the end.\n",
                p.name
            );
        }
        let _ = write!(
            out,
            "\n# Its weight.\n[[expect]]\nname = \"{0}-is-carried\"\nmeasure = \"contact_force.z\"\nbody = \"{0}\"\nwindow = [{1}, {2}]\n\
             every_response = true\nvalue = {3}\nrel = {rel}\n",
            p.name,
            short3(0.75 * duration),
            short3(duration),
            short3(p.mass * GRAVITY),
        );
    }
    out
}

/// At most so many digits.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x)
}

/// As a number of TOML in two digits.
fn short(x: f64) -> String {
    number(rounded(x, 2))
}

fn short3(x: f64) -> String {
    number(rounded(x, 3))
}

/// As short as reads back to the same bits.
fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-3..1e5).contains(&size) { format!("{x:?}") } else { format!("{x:e}") }
}

/// To whole multiples of a power of ten that is at most `unit`.
fn to(x: f64, unit: f64) -> String {
    let decimals = (-unit.log10().floor()).clamp(0.0, 300.0) as usize;
    let text = format!("{x:.decimals$}");
    let text = text.trim_end_matches(|c| c == '0' && text.contains('.'));
    let text = if text.ends_with('.') { format!("{text}0") } else { text.to_string() };
    match text.parse::<f64>() {
        Ok(0.0) => "0.0".to_string(),
        _ if text.contains('.') => text,
        _ => text + ".0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_people_write_them() {
        assert_eq!(short(0.000_900_000_000_000_000_1), "9e-4");
        assert_eq!(
            (short(905_880.0), short(20.0), short(0.02), short(0.0)),
            ("9.1e5".into(), "20.0".into(), "0.02".into(), "0.0".into())
        );
        assert_eq!(
            (to(0.020_000_000_000_000_004, 1e-5), to(-0.0, 1e-3), to(-1e-9, 1e-3)),
            ("0.02".into(), "0.0".into(), "0.0".into())
        );
        assert_eq!((to(-300.005, 2e-5), to(20_000.04, 10.0)), ("-300.005".into(), "20000.0".into()));
    }
}
