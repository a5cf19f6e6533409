//! Fig. 5 of seed 004: the force on a rigid sinusoid pressed into a layer, by finite elements and by the pressure field.
//!
//! `cargo run --release -p impinge-pressure --example sinusoid_layer -- [CELLS ...]`
//!
//! CELLS: elements along half a wavelength and across the layer; several show the convergence.

use impinge_elasticity::plane_strain::{PlaneLaw, PressedLayer};
use impinge_pressure::{LayerLaw, press_sinusoid};

const DEPTHS: [f64; 12] = [0.02, 0.05, 0.1, 0.15, 0.19, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut cells: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    if cells.is_empty() {
        cells = vec![16, 32];
    }
    println!(
        "law,eta,cells,d,fem,field,field_over_fem_minus_1_percent,contact,residual,violation,iterations"
    );
    for law in [PlaneLaw::Logarithmic, PlaneLaw::NeoHookean] {
        for eta in [0.0, 0.166, 0.333] {
            for &n in &cells {
                let mut layer = PressedLayer::new(law, 0.3, std::f64::consts::TAU / 3.0, eta, [n, n])?;
                for d in DEPTHS {
                    let field = press_sinusoid(LayerLaw::Logarithmic, d, eta)?.force;
                    match layer.press_to(d) {
                        Ok(r) => println!(
                            "{law:?},{eta},{n},{d},{:.6},{field:.6},{:.2},{:.3},{:.1e},{:.1e},{}",
                            r.force,
                            100.0 * (field / r.force - 1.0),
                            r.contact_fraction,
                            r.residual,
                            r.violation,
                            r.iterations
                        ),
                        Err(e) => println!("{law:?},{eta},{n},{d},{e}"),
                    }
                }
            }
        }
    }
    Ok(())
}
