//! One notation for numbers of one size.

use impinge_scene::plain;

#[test]
fn one_notation_for_numbers_of_one_size() {
    assert_eq!(plain(34.335, 12), "34.335");
    assert_eq!(plain(0.343_37, 4), "0.3434");
    assert_eq!(plain(34.335, 7), "34.335");
    assert_eq!(plain(0.1 + 0.2, 12), "0.3");
    assert_eq!(plain(999_999.96, 7), "1e6");
    assert_eq!(plain(-1.5e-9, 7), "-1.5e-9");
    assert_eq!(plain(1e300, 7), "1e300");
    assert_eq!((plain(0.0, 7), plain(-2.0, 7)), ("0".to_string(), "-2".to_string()));
    assert_eq!((plain(f64::NAN, 7), plain(f64::INFINITY, 7)), ("NaN".to_string(), "inf".to_string()));
}
