//! Scenes by chance, with what closed forms say of them: v²/2μg, e·v, weights, heights.
//!
//! All three ways to be soft (springs at vertices, ½kV², pressure fields) are drawn by one number, how deep the body sinks under its weight. Of
//! what could go either way, such as a stack whose centre of mass is near the rim of a joint, none is drawn.

use super::sketch::{Block, Softness, expect, floor, heading, laws};
use crate::randoms::Randoms;
use clap::ValueEnum;
use impinge_geometry::DVec3;
use impinge_geometry::generators::icosphere;
use serde::Serialize;
use std::f64::consts::PI;
use std::fmt::Write;

const G: f64 = 9.81;
/// Steps that users take (s).
const STEPS: [f64; 6] = [5e-4, 1e-3, 2e-3, 1.0 / 240.0, 1.0 / 120.0, 1.0 / 60.0];

/// Shortest step that is drawn of those that explicit contacts ask for (s).
const SHORTEST: f64 = 1e-4;

/// What can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// A box is thrown along the floor: it stops after v²/2μg, and lies flat.
    Launch,
    /// A box falls flat, or meets the floor without weight: it leaves at e·v.
    Bounce,
    /// Boxes of one size or several, offset, turned, a hair inside each other: they stand, and carry their weight.
    Stack,
    /// Flat boxes of one size without friction: nothing pushes them aside.
    Cards,
    /// A ball drops on one of its faces: it rests, and carries its weight.
    Marble,
    /// Boxes with vertices and edges in their sides, on a plane, a box or an open grid, a little aside and turned: they stand.
    Divided,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Bounce => "bounce",
            Self::Stack => "stack",
            Self::Cards => "cards",
            Self::Marble => "marble",
            Self::Divided => "divided",
        }
    }

    /// The scene of this number (TOML); `brief` is one that ends sooner.
    pub fn draw(self, seed: u64, number: u64, brief: bool) -> String {
        let from = &mut Randoms::of(&[seed, self as u64, number]);
        match self {
            Self::Launch => launch(from),
            Self::Bounce => bounce(from),
            Self::Stack => stack(from, if brief { 1.2 } else { 2.5 }),
            Self::Cards => cards(from, if brief { 0.5 } else { 1.0 }),
            Self::Marble => marble(from, brief),
            Self::Divided => divided(from, if brief { 0.6 } else { 2.0 }),
        }
    }
}

fn launch(from: &mut Randoms) -> String {
    let (a, mass) = (from.decades(0.05, 0.5), from.decades(0.1, 50.0));
    let tall = a * from.within(0.3, 1.0);
    let (v, mu) = (from.within(1.0, 6.0), from.within(0.2, 0.8));
    let angle = from.one_of(&[0.0, 1.0]) * from.within(0.0, 2.0 * PI);
    let (dt, deep) = (from.one_of(&STEPS[..4]), tall * from.decades(5e-4, 0.05));
    let (stops, way) = (v / (mu * G), v * v / (2.0 * mu * G));
    let soft = Softness::at_rest(a, tall, mass * G, deep);
    let block = Block {
        mass,
        size: [a, a, tall],
        at: [0.0, 0.0, tall / 2.0],
        velocity: [v * angle.cos(), v * angle.sin(), 0.0],
        ..Block::new("box", &soft)
    };
    let mut out =
        laws("Thrown along the floor", dt, stops + 0.9, [0.0, 0.0, -G], &soft, mu, &soft.damper()) + &floor();
    block.write(&mut out);
    // A step's way, and that of a soft box that swings back when it stops.
    let about = 0.02 * way + v * dt + 4.0 * deep;
    for (axis, part) in [("x", angle.cos()), ("y", angle.sin())] {
        let range = format!("value = {}\nabs = {about}", way * part);
        expect(&mut out, &format!("stops-at-{axis}"), &format!("position.{axis}"), "body = \"box\"", &range);
    }
    let late = format!("window = [{}, {}]\nmax = 1e-3", stops + 0.6, stops + 0.8);
    expect(&mut out, "stopped", "speed", "body = \"box\"", &late);
    let flat = format!("value = {tall}\nabs = {}", 0.02 * tall + 2.0 * deep);
    expect(&mut out, "flat", "highest", "body = \"box\"", &flat);
    out
}

fn bounce(from: &mut Randoms) -> String {
    let (a, mass) = (from.decades(0.05, 0.5), from.decades(0.1, 20.0));
    let e = from.within(0.3, 0.95);
    let falls = from.one_of(&[true, false]);
    let v = (2.0 * G * from.within(0.2, 1.5)).sqrt();
    // Pressed in that far by its impact, which then takes about this long.
    let most = 0.25 * e * v * v / (0.5 * PI * G * (1.0 + 1.0 / e));
    // So that it is over long before it falls back.
    let deep = (a * from.decades(2e-3, 0.05)).min(most);
    let lasts = 0.5 * PI * deep / v * (1.0 + 1.0 / e);
    let (g, above) = if falls { (G, v * v / (2.0 * G)) } else { (0.0, 0.1 * a) };
    let touches = if falls { v / G } else { above / v };
    let mut dt: f64 = from.one_of(&[1e-4, 5e-4, 1e-3, 2e-3, 1.0 / 240.0, 1.0 / 60.0]);
    if from.one_of(&[true, false]) {
        dt = dt.min(0.2 * deep / v);
    }
    // Looked at before it falls back.
    while 3.0 * dt + 2.0 * lasts > e * v / G {
        dt *= 0.5;
    }
    let at = touches + 2.0 * lasts + 3.0 * dt;
    let soft = Softness::of_stiffness(a, a, mass * v * v / (deep * deep), 0.0);
    let block = Block {
        mass,
        size: [a; 3],
        at: [0.0, 0.0, a / 2.0 + above],
        velocity: [0.0, 0.0, if falls { 0.0 } else { -v }],
        ..Block::new("box", &soft)
    };
    let law = format!("{{ restitution = {e}, law = \"hunt-crossley\", speed = {v} }}");
    let mut out = laws("Falls and rebounds", dt, at + 2.0 * dt, [0.0, 0.0, -g], &soft, 0.3, &law) + &floor();
    block.write(&mut out);
    // Gravity has pulled since it left, which is a step and half an impact sooner or later.
    let left = e * v - g * (at - touches - 0.5 * lasts);
    let range = format!("at = {at}\nvalue = {left}\nabs = {}", 0.02 * v + g * (2.0 * dt + 0.5 * lasts));
    expect(&mut out, "rebound", "velocity.z", "body = \"box\"", &range);
    out
}

/// A step at which explicit contacts are stable, that sink as deep (m) under all that is, on what has this part of its mass.
fn explicit(dt: f64, deep: f64, part: f64) -> f64 {
    dt.min(0.1 * part * (deep / G).sqrt()).max(SHORTEST)
}

/// How a box of a stack lies on the one below.
#[derive(Clone, Copy)]
enum Lies {
    InLine,
    AlongOneSide,
    BothWays,
    Turned,
    Smaller,
    SmallerInLine,
    Larger,
}

fn stack(from: &mut Randoms, lasts: f64) -> String {
    use Lies::*;
    let n = from.one_of(&[2usize, 2, 3, 4]);
    let a = from.decades(0.05, 1.0);
    let heaviest = from.one_of(&[3.0, 30.0, 1000.0]);
    let total_most = from.decades(1.0, 100.0);
    let (mut blocks, mut sizes): (Vec<[f64; 4]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    let dt = from.one_of(&STEPS[1..]);
    let hair = from.one_of(&[0.0, 0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4]);
    let rounds = from.one_of(&[true, false]);
    // x, y, turn (rad), mass.
    let mut place = [0.0, 0.0];
    let mut turn = 0.0f64;
    while blocks.len() < n {
        let mass = total_most / from.decades(1.0, heaviest);
        let Some(&[below, _]) = sizes.last() else {
            sizes.push([a, a * from.within(0.3, 1.0)]);
            blocks.push([0.0, 0.0, 0.0, mass]);
            continue;
        };
        let how =
            from.one_of(&[InLine, InLine, AlongOneSide, BothWays, Turned, Smaller, SmallerInLine, Larger]);
        let width = match how {
            Smaller | SmallerInLine => below * from.within(0.4, 0.8),
            Larger => below * from.within(1.25, 2.0),
            InLine | AlongOneSide | BothWays | Turned => below,
        };
        let least = width.min(below);
        let aside = from.within(-0.15, 0.15) * least;
        let offset = match how {
            AlongOneSide => [0.0, aside],
            BothWays => [from.within(-0.15, 0.15) * least, aside],
            SmallerInLine => [0.5 * (below - width), aside],
            InLine | Turned | Smaller | Larger => [0.0; 2],
        };
        // Along the sides of the box below.
        place[0] += offset[0] * turn.cos() - offset[1] * turn.sin();
        place[1] += offset[0] * turn.sin() + offset[1] * turn.cos();
        if matches!(how, Turned) {
            turn += from.within(0.0, 0.5 * PI);
        }
        sizes.push([width, width * from.within(0.3, 1.0)]);
        blocks.push([place[0], place[1], turn, mass]);
    }
    if !stands(&blocks, &sizes) {
        return stack(from, lasts);
    }
    let total: f64 = blocks.iter().map(|b| b[3]).sum();
    let deep = sizes.iter().map(|s| s[1]).fold(a, f64::min) * from.decades(1e-4, 0.03);
    let lightest = blocks.iter().map(|b| b[3]).fold(total, f64::min);
    let dt = if from.one_of(&[true, false]) { explicit(dt, deep, lightest / total) } else { dt };
    let soft = Softness::at_rest(a, sizes[0][1], total * G, deep);
    let mut out = laws("Stands", dt, lasts, [0.0, 0.0, -G], &soft, 0.5, &soft.damper()) + &floor();
    let (mut z, mut exact) = (0.0, 0.0);
    for (i, (&[x, y, turn, mass], &[width, tall])) in blocks.iter().zip(&sizes).enumerate() {
        z += tall / 2.0;
        let rounded = |v: f64| if rounds { (v * 1e6).round() * 1e-6 } else { v };
        let block = Block {
            mass,
            size: [width, width, tall],
            at: [x, y, z].map(rounded),
            turn,
            // The field of a box is as stiff as its modulus over half its least side.
            modulus: soft.modulus_of(width, tall),
            ..Block::new(&format!("b{i}"), &soft)
        };
        block.write(&mut out);
        exact += tall;
        z += tall / 2.0 - hair * a;
    }
    let top = format!("body = \"b{}\"", n - 1);
    let last = sizes[n - 1][1];
    let height = format!("value = {}\nabs = {}", exact - last / 2.0, 0.02 * exact + 3.0 * deep * n as f64);
    expect(&mut out, "stands", "position.z", &top, &height);
    let window = format!("window = [{}, {lasts}]", 0.8 * lasts);
    expect(&mut out, "rests", "speed", &top, &format!("{window}\nmax = 2e-3"));
    for i in 1..n {
        let above: f64 = blocks[i..].iter().map(|b| b[3]).sum();
        let pair = format!("pair = [\"b{i}\", \"b{}\"]", i - 1);
        let range = format!("{window}\nvalue = {}\nrel = 2e-3", above * G);
        expect(&mut out, &format!("carries-{i}"), "contact_force.z", &pair, &range);
    }
    out
}

/// Whether what is above each joint has its centre of mass within half of the circle in both sides.
fn stands(blocks: &[[f64; 4]], sizes: &[[f64; 2]]) -> bool {
    (1..blocks.len()).all(|i| {
        let mass: f64 = blocks[i..].iter().map(|b| b[3]).sum();
        let centre = [0, 1].map(|c| blocks[i..].iter().map(|b| b[c] * b[3]).sum::<f64>() / mass);
        [i - 1, i].iter().all(|&j| {
            let away = [0, 1].map(|c| centre[c] - blocks[j][c]);
            let (sin, cos) = blocks[j][2].sin_cos();
            let along = [away[0] * cos + away[1] * sin, away[1] * cos - away[0] * sin];
            along.iter().all(|d| d.abs() <= 0.25 * sizes[j][0])
        })
    })
}

fn cards(from: &mut Randoms, lasts: f64) -> String {
    let a = from.decades(0.1, 0.5);
    let (b, thick) = (a * from.within(0.5, 1.0), a * from.within(0.02, 0.1));
    let (mass, n) = (from.decades(0.02, 1.0), from.one_of(&[2usize, 3, 5]));
    let dt = from.one_of(&STEPS[..3]);
    let deep = thick * from.decades(1e-4, 0.03);
    let dt = if from.one_of(&[true, false]) { explicit(dt, deep, 1.0 / n as f64) } else { dt };
    let soft = Softness::at_rest((a * b).sqrt(), thick, n as f64 * mass * G, deep);
    let rounds = from.one_of(&[true, false]);
    let mut out = laws("Without friction", dt, lasts, [0.0, 0.0, -G], &soft, 0.0, &soft.damper()) + &floor();
    for i in 0..n {
        let z = thick * (i as f64 + 0.5);
        let z = if rounds { (z * 1e6).round() * 1e-6 } else { z };
        let at = [0.0, 0.0, z];
        Block { mass, size: [a, b, thick], at, ..Block::new(&format!("c{i}"), &soft) }.write(&mut out);
    }
    for axis in ["x", "y"] {
        let top = format!("body = \"c{}\"", n - 1);
        expect(&mut out, axis, &format!("position.{axis}"), &top, "value = 0\nabs = 1e-9");
    }
    let weight = format!("window = [{}, {lasts}]\nvalue = {}\nrel = 2e-3", 0.8 * lasts, n as f64 * mass * G);
    expect(&mut out, "carries", "contact_force.z", "pair = [\"c0\", \"floor\"]", &weight);
    out
}

fn marble(from: &mut Randoms, brief: bool) -> String {
    let r = from.decades(0.01, 0.2);
    let mass = 4.0 / 3.0 * PI * r.powi(3) * from.decades(500.0, 8000.0);
    let dt = from.one_of(&STEPS[..3]);
    let k = from.decades(10.0, 200.0) * mass * G / r;
    let drop = from.within(0.02, if brief { 0.1 } else { 1.0 });
    let lasts = if brief { 1.2 } else { 2.5 };
    let soft = Softness::of_stiffness(r, r, k, 0.2 * (k * mass).sqrt());
    let mut out =
        laws("Drops and rests", dt, lasts, [0.0, 0.0, -G], &soft, 0.4, &soft.damper_whole()) + &floor();
    // On a face: on a vertex it would balance.
    let ball = icosphere(r, 2)
        .map_or_else(|_| Vec::new(), |b| (0..b.triangles().len()).map(|t| b.corners(t)).collect());
    let normals = ball.iter().map(|[p, q, s]| (*q - *p).cross(*s - *p).normalized());
    let face = normals.min_by(|p, q| p.z.total_cmp(&q.z)).unwrap_or_else(|| -DVec3::unit_z());
    let axis = face.cross(-DVec3::unit_z());
    let degrees = axis.mag().asin().to_degrees();
    let axis = if axis.mag() > 0.0 { axis.normalized() } else { DVec3::unit_x() };
    let _ = writeln!(
        out,
        "{}rotation = {{ axis = {:?}, degrees = {degrees} }}\nmesh = {{ icosphere = {{ radius = {r}, subdivisions = 2 }} }}\nposition = [0, 0, {}]\nmass = {mass}\n\
         pressure = {{ modulus = 1e6, dissipation = 1.0 }}\n",
        heading("ball"),
        axis.as_array(),
        r + drop
    );
    let window = format!("window = [{}, {lasts}]", 0.88 * lasts);
    expect(&mut out, "rests", "speed.z", "body = \"ball\"", &format!("{window}\nmax = 2e-3"));
    let weight = format!("{window}\nvalue = {}\nrel = 5e-3", mass * G);
    expect(&mut out, "carries", "contact_force.z", "pair = [\"ball\", \"floor\"]", &weight);
    out
}

fn divided(from: &mut Randoms, lasts: f64) -> String {
    let (n, a) = (from.one_of(&[2usize, 3, 4]), from.one_of(&[0.2, 0.16]));
    let soft = Softness::of_stiffness(a, a, 8e4, 320.0);
    let mut out = laws("Divided", 1e-3, lasts, [0.0, 0.0, -G], &soft, 0.5, &soft.damper());
    let cells = from.one_of(&[1u32, 2, 3, 5]);
    let ground = match from.one_of(&[0, 1, 2]) {
        0 => "plane = {}".to_string(),
        1 => format!(
            "mesh = {{ box = {{ size = [1, 1, 0.2], segments = {cells} }} }}\nposition = [0, 0, -0.1]"
        ),
        _ => format!("mesh = {{ grid = {{ size = [1, 1], segments = {cells} }} }}"),
    };
    let _ = writeln!(out, "{}kind = \"fixed\"\n{ground}\n", heading("floor"));
    let gap = from.one_of(&[0.0, 0.0, 1e-3, 5e-3]);
    let aside = from.one_of(&[1e-4, 1e-3, 1e-2]);
    let turned = from.one_of(&[0.0, 1e-3, 2e-2, 0.1]);
    let (mut z, mut exact, mut weight) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let (width, mass) = (from.one_of(&[0.2, 0.16]), from.decades(1.0, 8.0));
        let segments = from.one_of(&[1, 2]);
        z += gap + width / 2.0;
        let at = [aside * from.signed(), aside * from.signed(), z];
        let name = format!("b{i}");
        Block {
            mass,
            size: [width; 3],
            at,
            turn: turned * from.signed(),
            segments,
            ..Block::new(&name, &soft)
        }
        .write(&mut out);
        z += width / 2.0;
        exact += width;
        weight += mass * G;
        // All have fallen by then who fall; those who stand sway on four springs each, and sink in.
        let range = format!("value = {}\nabs = {}", exact - width / 2.0, 2e-3 + weight / 8e4 * n as f64);
        expect(&mut out, &format!("stands-{i}"), "position.z", &format!("body = \"{name}\""), &range);
    }
    out
}
