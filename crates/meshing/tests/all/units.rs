//! The guess of a unit from a size.

use impinge_meshing::{Unit, guess_unit};

#[test]
fn sizes_and_their_units() {
    let unit = |x: f64| guess_unit([x, 0.5 * x, 0.0]).unit;
    assert_eq!([0.15, 0.01, 20.0].map(unit), [Unit::Metre; 3]);
    assert_eq!([100.0, 1000.0, 55.0].map(unit), [Unit::Millimetre; 3]);
    assert_eq!([1.0, 1.9999, 2.0].map(unit), [Unit::Normalised; 3]);
    assert_eq!([0.0, f64::NAN, 1e-4, 30.0, 1e6].map(unit), [Unit::Unclear; 5]);
    assert!(guess_unit([200.0; 3]).to_string().contains("0.200 m"));
    assert_eq!(guess_unit([200.0; 3]).scale, Some(1e-3));
}
