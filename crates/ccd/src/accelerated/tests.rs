//! Straight motion is constant acceleration with none: the exact tier for straight motion has to say the same.

use super::{contacts, roots_exact};
use crate::exact;
use crate::kind::Kind;
use impinge_geometry::DVec3;
use proptest::prelude::*;

fn points(limit: i8) -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-limit..=limit).prop_map(|p| DVec3::from(p.map(f64::from))))
}

proptest! {
    /// Even whole numbers, so that the middle control point is exact.
    #[test]
    fn straight_motion(x0 in points(2), x1 in points(2), scale in prop_oneof![Just(2.0), Just(0.2)]) {
        let (x0, x1) = (x0.map(|p| p * scale), x1.map(|p| p * scale));
        let middle: [DVec3; 4] = std::array::from_fn(|i| (x0[i] + x1[i]) * 0.5);
        // 0.2·k is not on a grid; its mean may round, and then the motion is not straight.
        let straight = scale == 2.0;
        let b = [x0, middle, x1];
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let exactly = roots_exact(kind, &b).unwrap();
            prop_assert_eq!(contacts(kind, &b).unwrap().touch(), exactly.touch());
            if !straight {
                continue;
            }
            let want = exact::roots(kind, &x0, &x1);
            prop_assert_eq!(exactly.class, want.class, "{:?} {:?}", kind, b);
            prop_assert_eq!(exactly.touch(), want.touch());
            prop_assert_eq!(exactly.roots.len(), want.roots.len());
            for (a, w) in exactly.roots.iter().zip(&want.roots) {
                prop_assert!(a.t <= w.t_hi && w.t <= a.t_hi && (a.t - w.t).abs() < 3e-16, "{:?} {:?}", a, w);
                prop_assert_eq!(
                    (a.multiplicity, a.vanishing, a.inside, a.before, a.after),
                    (w.multiplicity, w.vanishing, w.inside, w.before, w.after),
                    "{:?} {:?}", kind, b
                );
            }
            prop_assert_eq!(exactly.touching.len(), want.touching.len());
            for (a, w) in exactly.touching.iter().zip(&want.touching) {
                prop_assert!((a[0] - w[0]).abs() < 3e-16 && (a[1] - w[1]).abs() < 3e-16, "{:?} {:?}", a, w);
            }
        }
    }
}
