//! Anchored friction of one contact against closed forms.

use impinge_contact::{FrictionLaw, SlipRule, SlipState, anchored};
use impinge_geometry::DVec3;

fn law(rule: SlipRule) -> FrictionLaw {
    FrictionLaw { mu_s: 0.5, mu_k: 0.3, k_fp: 1e4, k_fd: 10.0, k_omega: 1e3, rule }
}

#[test]
fn sticks_inside_the_cone_and_forgets_when_open() {
    let l = law(SlipRule::ReturnMap);
    let n = DVec3::unit_z();
    let p = DVec3::new(1e-5, 0.0, -1e-3);
    let s = anchored(&l, n, p, DVec3::zero(), 10.0, Some(DVec3::zero()), false);
    assert_eq!(s.state, SlipState::Static);
    assert!((s.force - DVec3::new(-0.1, 0.0, 0.0)).mag() < 1e-12, "{:?}", s.force);
    let o = anchored(&l, n, p, DVec3::zero(), 0.0, Some(DVec3::zero()), false);
    assert_eq!((o.state, o.anchor), (SlipState::Open, None));
}

#[test]
fn steady_sliding_gives_exactly_mu_k() {
    let l = law(SlipRule::ReturnMap);
    let (n, v, dt) = (DVec3::unit_z(), DVec3::new(0.2, 0.0, 0.0), 1e-3);
    let (mut anchor, mut slipping, mut p) = (None, false, DVec3::zero());
    let mut last = DVec3::zero();
    for _ in 0..200 {
        let s = anchored(&l, n, p, v, 10.0, anchor, slipping);
        anchor = s.anchor;
        slipping = s.state == SlipState::Dynamic;
        last = s.force;
        p += v * dt;
    }
    assert!(slipping);
    assert!((last - DVec3::new(-3.0, 0.0, 0.0)).mag() < 1e-12, "{last:?}");
}

#[test]
fn yamane_small_slip_limit_is_k_omega() {
    let mut l = law(SlipRule::Yamane);
    l.mu_s = 1e-9;
    let v = DVec3::new(1e-9, 0.0, 0.0);
    let s = anchored(&l, DVec3::unit_z(), DVec3::zero(), v, 10.0, Some(DVec3::new(1.0, 0.0, 0.0)), false);
    assert_eq!(s.state, SlipState::Dynamic);
    // ω(v)/v → k_ω: 0.3 · 10 N · 1000 s/m · 1e-9 m/s, less k_ω v/2 = 5e-7 of it.
    assert!((s.force.x + 3e-6 * (1.0 - 5e-7)).abs() < 1e-17);
    assert_eq!(s.anchor, Some(DVec3::zero()));
}

#[test]
fn scales_whose_squares_are_no_numbers_are_scales() {
    let n = DVec3::unit_z();
    for scale in [2f64.powi(-565), 2f64.powi(-900), 2f64.powi(640), 2f64.powi(990)] {
        for stretch in [1e-3, 1e-2] {
            let p = DVec3::new(0.6 * stretch, -0.8 * stretch, -1e-3);
            for rule in [SlipRule::ReturnMap, SlipRule::Yamane] {
                let l = FrictionLaw { k_fd: 0.0, ..law(rule) };
                let at = |s: f64, slip| anchored(&l, n, p * s, slip, 100.0 * s, Some(DVec3::zero()), false);
                let slip = DVec3::new(30.0, 40.0, 0.0);
                let (one, other) = (at(1.0, slip), at(scale, slip));
                assert_eq!(one.state, other.state, "{scale:e} {stretch} {rule:?}");
                assert!((one.force - other.force / scale).mag() < 1e-12, "{:?}", other.force / scale);
            }
        }
    }
    // As fast as that: all of the friction, against the slip.
    let l = FrictionLaw { k_fd: 0.0, ..law(SlipRule::Yamane) };
    let s = anchored(&l, n, DVec3::unit_x(), DVec3::new(3e200, 4e200, 0.0), 10.0, Some(DVec3::zero()), false);
    assert!((s.force - DVec3::new(-1.8, -2.4, 0.0)).mag() < 1e-14, "{:?}", s.force);
}
