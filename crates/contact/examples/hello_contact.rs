//! A contact point that sticks pulls back.
//!
//! `cargo run -p impinge-contact --example hello_contact`

use impinge_contact::{FrictionLaw, SlipRule, SlipState, anchored};
use impinge_geometry::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let law =
        FrictionLaw { mu_s: 0.5, mu_k: 0.4, k_fp: 1e4, k_fd: 1.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let moved = DVec3::new(1e-4, 0.0, 0.0); // the contact point, 0.1 mm from where it first touched
    let step = anchored(&law, DVec3::unit_z(), moved, DVec3::zero(), 9.81, Some(DVec3::zero()), false);
    assert_eq!(step.state, SlipState::Static);
    assert!((step.force.x + 1.0).abs() < 1e-12); // k_fp times the stretch, pulling back
    println!("as expected");
    Ok(())
}
