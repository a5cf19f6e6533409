//! A vertex against a plane: input that is not finite.

use impinge_cpf::{
    Force, Normalisation, Params, PlaneImpulse, height_impulse, plane_impulse, plane_impulses,
};
use impinge_geometry::DVec3;

#[test]
fn what_is_not_finite_is_free_and_never_nan() {
    let params = Params::new(0.01, Normalisation::Constant).unwrap();
    let free = PlaneImpulse::default();
    for params in [params, params.with_force(Force::AtEnd)] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(height_impulse(0.1, -0.3, bad, &params), free);
            for h in [0.1, -0.1, bad] {
                assert_eq!(height_impulse(h, bad, 800.0, &params), free);
                assert_eq!(height_impulse(bad, h, 800.0, &params), free);
            }
            let (z, x) = (DVec3::unit_z(), DVec3::new(bad, 0.0, -0.3));
            assert_eq!(plane_impulse(z * 0.1, x, z, 0.0, 800.0, &params), free);
            let mut out = [PlaneImpulse { impulse: 1.0, ..free }; 2];
            plane_impulses(&[z * 0.1, x], &[z * -0.3, x], z, 0.0, 800.0, &params, &mut out);
            assert!(out[0].impulse > 0.0 && out[1] == free);
        }
        assert_eq!(height_impulse(-f64::MAX, -f64::MAX, 800.0, &params), free);
        assert!(height_impulse(0.1, -0.3, -800.0, &params).impulse < 0.0);
    }
}
