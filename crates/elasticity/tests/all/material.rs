//! Materials: Lamé constants, and what is refused.

use impinge_elasticity::Material;

#[test]
fn lame_of_a_known_material() {
    // E = 2.5 and ν = 1/4 give λ = μ = 1.
    let (mu, lambda) = Material::new(2.5, 0.25, 1.0).lame();
    assert!((mu - 1.0).abs() < 1e-15 && (lambda - 1.0).abs() < 1e-15);
}

#[test]
fn each_bad_number_is_named() {
    let good = Material::new(1e6, 0.3, 1000.0).with_rayleigh(0.1, 0.01);
    assert_eq!(good.validate(), Ok(()));
    let cases = [
        (Material { young: 0.0, ..good }, "young"),
        (Material { young: f64::NAN, ..good }, "young"),
        (Material { poisson: 0.5, ..good }, "0.49 or less"),
        (Material { poisson: -1.0, ..good }, "poisson"),
        (Material { poisson: f64::NAN, ..good }, "poisson"),
        (Material { density: 0.0, ..good }, "density"),
        (Material { density: f64::INFINITY, ..good }, "density"),
        (Material { rayleigh_mass: -1.0, ..good }, "rayleigh_mass is -1 1/s"),
        (Material { rayleigh_stiffness: f64::NAN, ..good }, "rayleigh_stiffness"),
    ];
    for (m, word) in cases {
        let e = m.validate().unwrap_err().to_string();
        assert!(e.contains(word), "{e}");
    }
}
