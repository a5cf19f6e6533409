//! Narrow wedges: what satisfies their rows lies far away, which is not nowhere.

use crate::support::Case;
use impinge_geometry::DVec3;
use impinge_qp::{Method, RowKind, Settings, Status};

const EXACT: [Method; 2] = [Method::PrimalDual, Method::Dual];

fn by(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

/// x + s y ≤ 0 and −x + s y ≤ −c: y ≤ −c/2s.
fn wedge(slope: f64, c: f64, n: usize) -> Case {
    let k = (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    let row = |x: f64| [&[x, slope][..], &vec![0.0; n - 2]].concat();
    Case::new(&k, &vec![0.0; n]).row(RowKind::Contact, &row(1.0), 0.0).row(RowKind::Contact, &row(-1.0), -c)
}

#[test]
fn what_is_far_away_is_found() {
    for method in EXACT {
        for power in 1..=7 {
            for c in [1e-6, 1e-4, 1e-2, 1.0] {
                let slope = 0.1f64.powi(power);
                let (report, dv, mu) = wedge(slope, c, 3).solve(&by(method));
                // At 1e-7 a violation of 1e-10 is 1e-3 m/s of the way.
                let good = report.solved() || power == 7 && report.kkt.worst() < 1e-9;
                assert!(good && report.conflict.is_empty(), "{method:?} {slope:e} {c}: {report}");
                let y = -0.5 * c / slope;
                assert!((dv[0] - 0.5 * c).abs() < 1e-12 - 1e-9 * y, "{method:?} {slope:e} {c}: {dv:?}");
                assert!((dv[1] / y - 1.0).abs() < 1e-2, "{method:?} {slope:e} {c}: {dv:?} for {y}");
                // slope (μ₀ + μ₁) = −y, and they differ by c/2.
                assert!((slope * (mu[0] + mu[1]) / -y - 1.0).abs() < 1e-2, "{method:?} {slope:e}: {mu:?}");
            }
        }
    }
}

#[test]
fn walls_without_a_way_out_are_a_conflict() {
    for method in EXACT {
        for c in [1e-6, 1e-4, 1.0] {
            let (report, dv, mu) = wedge(0.0, c, 6).solve(&by(method));
            assert_eq!(report.status, Some(Status::Infeasible), "{method:?} {c}: {report}");
            assert_eq!((report.conflict, dv, mu), (vec![0, 1], vec![0.0; 6], vec![]));
            // The way out is closed: y ≥ −c/4s.
            let slope = 1e-3;
            let shut =
                wedge(slope, c, 6).row(RowKind::Other, &[0.0, -1.0, 0.0, 0.0, 0.0, 0.0], 0.25 * c / slope);
            let (report, ..) = shut.solve(&by(method));
            assert_eq!(report.status, Some(Status::Infeasible), "{method:?} {c}: {report}");
            assert_eq!(report.conflict, [0, 1, 2]);
        }
    }
}

#[test]
fn friction_makes_no_conflict_and_hides_none() {
    let z = DVec3::unit_z();
    for slope in [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1] {
        let mut case = wedge(slope, 1e-4, 3);
        for (row, x) in [(0, 1.0), (1, -1.0)] {
            let t = DVec3::new(-slope * x, 1.0, 0.0).normalized();
            case.rows.push_friction(row, 0.3, [&[(0, t)], &[(0, z)]], [0.0; 2]).unwrap();
        }
        let (report, dv, _) = case.solve(&Settings::default());
        if slope == 0.0 {
            assert_eq!(report.status, Some(Status::Infeasible), "{report}");
            continue;
        }
        // With walls this steep Coulomb's law may have no answer: it is said to be unfinished then.
        assert_ne!(report.status, Some(Status::Infeasible), "{slope:e}: {report}");
        println!("{slope:e}: {report} {dv:?}");
    }
}

/// Masses from 2·10⁻⁷ to 7·10⁷ kg behind four walls.
#[test]
fn masses_that_differ_much_are_no_conflict() {
    let masses = [
        7606.593721570283,
        23120238.673211157,
        71894473.58702375,
        2.4331354868612933e-07,
        64225608.85995973,
        1.8716518567298252e-05,
    ];
    let k = (0..6).map(|i| (0..6).map(|j| if i == j { masses[i] } else { 0.0 }).collect()).collect();
    let b = [0.33624887, -0.9998906, -1.38825253, -0.168871, 0.14048951, -0.63324157];
    let rows = [
        ([0.3881632, -0.2510916, -1.7211299, 1.6516038, -1.9388497, 0.989157], -0.9662067),
        ([-0.633276, -2.347326, -1.0314915, 1.0938275, -1.6190576, -0.6582118], 0.3856726),
        ([1.2727754, -1.183018, 0.5532008, -1.6052141, -0.1949292, -0.4065658], 0.554542),
        ([-0.1690923, -0.8806134, 1.1569843, -1.8070065, 1.1785993, -0.1945832], -0.1009921),
    ];
    let mut case = Case::new(&k, &b);
    for (j, c) in &rows {
        case = case.row(RowKind::Contact, j, *c);
    }
    for method in EXACT {
        let (report, dv, mu) = case.solve(&by(method));
        assert_ne!(report.status, Some(Status::Infeasible), "{method:?}: {report}");
        for (j, c) in &rows {
            let v: f64 = j.iter().zip(&dv).map(|(j, v)| j * v).sum();
            // Free, they would part at 7·10⁵ m/s: these are 1e-8 of that.
            assert!((v - c).abs() < 7e-3, "{method:?}: {v} for {c}");
        }
        assert!(mu.iter().all(|m| *m > 1e5), "{mu:?}");
    }
}
