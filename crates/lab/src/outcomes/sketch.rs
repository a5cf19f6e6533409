//! A drawn scene as text, so that it can be kept and run again.

use std::fmt::Write;

/// Part of a height that `qp` keeps between surfaces: it lifts what is above by that.
const KEEPS: f64 = 1e-4;

/// Contacts that are as soft under every response: a spring at each corner of a square, ½kV² in four cells, a field to the middle of the body.
pub(super) struct Softness {
    /// All contacts of the body together (N/m, N·s/m).
    stiffness: f64,
    damping: f64,
    width: f64,
    tall: f64,
    /// The weight that it was chosen for (N); 0 for none.
    weight: f64,
}

impl Softness {
    pub fn of_stiffness(width: f64, tall: f64, stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, width, tall, weight: 0.0 }
    }

    /// As deep (m) under this weight (N), damped at half of what is critical.
    pub fn at_rest(width: f64, tall: f64, weight: f64, deep: f64) -> Self {
        let stiffness = weight / deep;
        // 2 ζ √(k m) with k = W/d, m = W/g.
        let damping = stiffness * (deep / 9.81).sqrt();
        Self { weight, ..Self::of_stiffness(width, tall, stiffness, damping) }
    }

    /// The damper of one of four contacts.
    pub fn damper(&self) -> String {
        format!("{{ kelvin_voigt = {} }}", self.damping / 4.0)
    }

    /// Where one contact carries all.
    pub fn damper_whole(&self) -> String {
        format!("{{ kelvin_voigt = {} }}", self.damping)
    }

    /// The modulus (Pa) of a box that is as stiff as this: F = E A d/(h/2), h its least side.
    pub fn modulus_of(&self, width: f64, tall: f64) -> f64 {
        self.stiffness * 0.5 * width.min(tall) / (width * width)
    }

    /// Of ½kV² in cells of a quarter of the side's area A: k A²/4.
    fn volumetric(&self) -> f64 {
        4.0 / self.width.powi(4)
    }

    /// s/m: of F = k d (1 + χ v), the damper at rest is χ times the weight.
    fn dissipation(&self) -> f64 {
        if self.weight > 0.0 { self.damping / self.weight } else { 0.0 }
    }
}

/// A rigid box.
pub(super) struct Block {
    pub name: String,
    pub mass: f64,
    pub size: [f64; 3],
    pub at: [f64; 3],
    pub velocity: [f64; 3],
    /// About the vertical (rad).
    pub turn: f64,
    /// Along each side.
    pub segments: u32,
    pub modulus: f64,
    pub dissipation: f64,
}

impl Block {
    pub fn new(name: &str, soft: &Softness) -> Self {
        Self {
            name: name.to_string(),
            mass: 1.0,
            size: [1.0; 3],
            at: [0.0; 3],
            velocity: [0.0; 3],
            turn: 0.0,
            segments: 1,
            modulus: soft.modulus_of(soft.width, soft.tall),
            dissipation: soft.dissipation(),
        }
    }

    pub fn write(&self, out: &mut String) {
        let Self { name, mass, size, at, velocity, turn, segments, modulus, dissipation } = self;
        let cells = if *segments > 1 { format!(", segments = {segments}") } else { String::new() };
        let _ = writeln!(
            out,
            "{}mass = {mass}\nmesh = {{ box = {{ size = {size:?}{cells} }} }}\nposition = {at:?}\nvelocity = {velocity:?}\n\
             rotation = {{ axis = [0, 0, 1], degrees = {} }}\npressure = {{ modulus = {modulus}, dissipation = {dissipation} }}\n",
            heading(name),
            turn.to_degrees()
        );
    }
}

/// The first lines of a body.
pub(super) fn heading(name: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nmaterial = \"any\"\n")
}

/// Ground for them.
pub(super) fn floor() -> String {
    format!("{}kind = \"fixed\"\nplane = {{}}\n\n", heading("floor"))
}

/// The scene and its laws.
pub(super) fn laws(
    title: &str,
    dt: f64,
    lasts: f64,
    gravity: [f64; 3],
    soft: &Softness,
    friction: f64,
    damping: &str,
) -> String {
    let by_volume = soft.volumetric();
    format!(
        "[scene]\ntitle = \"{title}\"\ndt = {dt}\nduration = {lasts}\ngravity = {gravity:?}\n\n\
         [qp]\nthickness = {}\n\n[volume]\ncell = {}\nstiffness = {}\nviscosity = {}\n\n\
         [[material]]\nname = \"any\"\n\n\
         [[pair]]\nmaterials = [\"any\", \"any\"]\nstiffness = {}\nmu_s = {friction}\nfriction_damping = {}\ndamping = {damping}\n\n",
        KEEPS * soft.tall,
        soft.width / 2.0,
        soft.stiffness * by_volume,
        soft.damping * by_volume,
        soft.stiffness / 4.0,
        soft.damping / 4.0,
    )
}

/// What is expected under every response.
pub(super) fn expect(out: &mut String, name: &str, measure: &str, of: &str, range: &str) {
    let _ = writeln!(
        out,
        "[[expect]]\nname = \"{name}\"\nevery_response = true\nmeasure = \"{measure}\"\n{of}\n{range}\n"
    );
}
