//! The larger of two numbers.

use impinge_cli::worst::worst;

#[test]
fn nothing_hides_what_is_not_a_number() {
    assert_eq!(worst(1.0, 2.0), 2.0);
    assert!(worst(f64::NAN, 2.0).is_nan() && worst(2.0, f64::NAN).is_nan());
    assert!([1.0, f64::NAN, 3.0].into_iter().fold(0.0, worst).is_nan());
}
