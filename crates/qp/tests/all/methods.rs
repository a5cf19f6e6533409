//! All methods on problems whose answer is known by hand or by trying every active set.

use crate::support;
use crate::support::{Case, Lcg, enumerate};
use impinge_qp::{Dof, Kkt, Method, QpError, Regularisation, RowKind, Settings, Solver, Status};

const EXACT: [Method; 2] = [Method::PrimalDual, Method::Dual];
const ALL: [Method; 4] = [Method::PrimalDual, Method::Dual, Method::PaperComposite, Method::PaperSchur];

fn by(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

fn diagonal(d: &[f64]) -> support::Dense {
    (0..d.len()).map(|i| (0..d.len()).map(|j| if i == j { d[i] } else { 0.0 }).collect()).collect()
}

fn close(a: &[f64], b: &[f64], tol: f64) {
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tol, "[{i}] {x} is not {y}: {a:?} against {b:?}");
    }
}

#[test]
fn a_falling_particle_stops_at_its_bound() {
    // 2 kg, impulse −3 N·s down, may fall at 0.5 m/s: μ = 3 − 2·0.5.
    for method in ALL {
        let case =
            Case::new(&diagonal(&[2.0; 3]), &[0.5, 0.0, -3.0]).row(RowKind::Contact, &[0.0, 0.0, -1.0], 0.5);
        let (report, dv, mu) = case.solve(&by(method));
        assert!(report.solved(), "{method:?} {report}");
        close(&dv, &[0.25, 0.0, -0.5], 1e-13);
        close(&mu, &[2.0], 1e-12);
    }
}

/// A particle of 2 kg between a floor and a ceiling that leave it less than no room, by 1e-11 m/s: more than relative tolerances let pass where
/// bounds are this small, and no contradiction where rounding is stated to have made it.
#[test]
fn what_rounding_makes_of_bounds_is_no_contradiction() {
    let (bound, less) = (1e-6, 1e-11);
    for method in EXACT {
        let mut case = Case::new(&diagonal(&[2.0; 3]), &[0.0, 0.0, -3e-6])
            .row(RowKind::Contact, &[0.0, 0.0, -1.0], bound)
            .row(RowKind::Contact, &[0.0, 0.0, 1.0], -bound - less);
        let settings = Settings { velocity_tolerance: 0.0, ..by(method) };
        let (report, ..) = case.solve(&settings);
        assert!(!report.solved(), "{method:?} {report}");
        (0..2).for_each(|i| case.rows.set_rounding(i, 1.001 * less));
        let (report, dv, mu) = case.solve(&settings);
        assert!(report.solved(), "{method:?} {report}");
        assert!(dv[2] >= -bound - 1.01 * less && dv[2] <= -bound + 0.01 * less, "{method:?} {dv:?}");
        assert!((mu[0] - mu[1] - (3e-6 + 2.0 * dv[2])).abs() < 1e-15, "{method:?} {mu:?}");
        assert!(report.kkt.violation > 0.4 * less && report.kkt.excess[0] == 0.0, "{method:?} {report}");
    }
}

#[test]
fn the_papers_edge_on_a_plane_22() {
    // Row 3 = a₁ row 1 + a₂ row 2 with agreeing bounds.
    let mut rng = Lcg(7);
    for a1 in [0.25, 1.0 / 3.0, 0.5] {
        let k = rng.spd(6, 1.0);
        let b = rng.vector(6);
        let n = [0.6, 0.0, 0.8];
        let row = |s: f64, t: f64| [s * n[0], s * n[1], s * n[2], t * n[0], t * n[1], t * n[2]];
        let c = [-1.0, -2.0];
        for third in [a1 * c[0] + (1.0 - a1) * c[1], 5.0, -3.0] {
            let j = [row(1.0, 0.0), row(0.0, 1.0), row(a1, 1.0 - a1)];
            let bounds = [c[0], c[1], third];
            let mut case = Case::new(&k, &b);
            for (j, c) in j.iter().zip(bounds) {
                case = case.row(RowKind::Contact, j, c);
            }
            let dense: support::Dense = j.iter().map(|j| j.to_vec()).collect();
            let (want, _) = enumerate(&k, &b, &dense, &bounds, &[false; 3]).unwrap();
            for method in EXACT {
                let (report, dv, _) = case.solve(&by(method));
                assert!(report.solved() && report.kkt.worst() <= 1e-10, "{method:?} {report}");
                close(&dv, &want, 1e-9);
            }
        }
    }
}

#[test]
fn random_problems_against_every_active_set() {
    let mut rng = Lcg(1);
    let (mut infeasible, mut solved) = (0, 0);
    for round in 0..250 {
        let n = 3 * (1 + round % 3);
        let m = 1 + round % 8;
        let k = rng.spd(n, if round % 5 == 0 { 1e-3 } else { 0.5 });
        let b = rng.vector(n);
        let mut j: support::Dense = (0..m).map(|_| rng.vector(n)).collect();
        let mut c: Vec<f64> = rng.vector(m);
        let mut equality = vec![false; m];
        if round % 4 == 1 && m > 2 {
            // A copy, or a combination of others with a bound of its own.
            j[1] = (0..n).map(|i| 2.0 * j[0][i]).collect();
            c[1] = if round % 8 == 1 { 2.0 * c[0] } else { c[1] };
            j[2] = (0..n).map(|i| 0.5 * (j[0][i] + j[m - 1][i])).collect();
        }
        if round % 6 == 2 {
            equality[0] = true;
        }
        if round % 50 == 3 && m > 1 {
            // x ≤ −1 and −x ≤ −1.
            j[1] = j[0].iter().map(|v| -v).collect();
            (c[0], c[1]) = (-1.0, -1.0);
        }
        let mut case = Case::new(&k, &b);
        for i in 0..m {
            let kind = if equality[i] { RowKind::Fixed } else { RowKind::Other };
            case = case.row(kind, &j[i], c[i]);
        }
        let want = enumerate(&k, &b, &j, &c, &equality);
        for method in EXACT {
            let (report, dv, mu) = case.solve(&by(method));
            match &want {
                None => {
                    assert_eq!(report.status, Some(Status::Infeasible), "round {round} {method:?}: {report}");
                    assert!(!report.conflict.is_empty());
                    infeasible += 1;
                }
                Some((x, objective)) => {
                    assert!(report.solved(), "round {round} {method:?}: {report}");
                    let scale = x.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                    close(&dv, x, 1e-6 * scale);
                    let f = case.problem().objective(&support::blocks(&dv));
                    assert!(
                        (f - objective).abs() <= 1e-8 * objective.abs().max(1.0),
                        "round {round} {f} {objective}"
                    );
                    let kkt = Kkt::measure(&case.problem(), &support::blocks(&dv), &mu, 0.0);
                    assert!(kkt.worst() <= 1e-9, "round {round} {method:?} {kkt}");
                    solved += 1;
                }
            }
        }
    }
    assert!(infeasible >= 8 && solved >= 400, "{infeasible} infeasible, {solved} solved");
}

#[test]
fn contradicting_rows_are_named_and_the_state_is_kept() {
    // Rows 1 and 3 contradict each other; rows 0 and 2 do not matter.
    let case = Case::new(&diagonal(&[1.0; 6]), &[1.0; 6])
        .row(RowKind::Contact, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)
        .row(RowKind::Contact, &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], -1.0)
        .row(RowKind::Contact, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.1)
        .row(RowKind::Contact, &[0.0, -1.0, 0.0, 0.0, 0.0, 0.0], 0.9);
    for method in EXACT {
        let mut dv = vec![impinge_geometry::DVec3::one() * 0.25; 2];
        let (before, mut mu) = (dv.clone(), vec![0.0, 0.0, 3.0, 0.0]);
        let report = Solver::new().solve(&case.problem(), &by(method), &mut dv, &mut mu).unwrap();
        assert_eq!(report.status, Some(Status::Infeasible));
        assert_eq!(report.conflict, [1, 3], "{method:?}");
        assert_eq!((dv, mu), (before, vec![0.0, 0.0, 3.0, 0.0]));
    }
    // 0 ≤ −1 contradicts itself; 0 ≤ 1 does not.
    for (c, status) in [(-1.0, Status::Infeasible), (1.0, Status::Solved)] {
        for method in ALL {
            let case = Case::new(&diagonal(&[1.0; 3]), &[1.0; 3]).row(RowKind::Other, &[0.0; 3], c);
            let (report, ..) = case.solve(&by(method));
            assert_eq!(report.status, Some(status), "{method:?}");
        }
    }
}

#[test]
fn what_is_kept_of_the_regularisation_gives_way() {
    // 1-D: k x = b − μ, x − l μ = c: μ = (b − k c)/(1 + k l).
    let (k, b, c, l) = (4.0, 3.0, 0.25, 0.125);
    let mu_want = (b - k * c) / (1.0 + k * l);
    for method in [Method::PrimalDual, Method::PaperComposite, Method::PaperSchur] {
        let case =
            Case::new(&diagonal(&[k, 1.0, 1.0]), &[b, 0.0, 0.0]).row(RowKind::Other, &[1.0, 0.0, 0.0], c);
        let settings = Settings { regularisation: Regularisation::Kept(l), ..by(method) };
        let (report, dv, mu) = case.solve(&settings);
        assert!(report.solved(), "{method:?} {report}");
        close(&mu, &[mu_want], 1e-12);
        close(&dv, &[c + l * mu_want, 0.0, 0.0], 1e-12);
    }
}

#[test]
fn the_papers_forms_agree_where_rows_are_independent() {
    let mut rng = Lcg(99);
    let mut agreed = 0;
    for _ in 0..40 {
        let (k, b) = (rng.spd(9, 0.5), rng.vector(9));
        let mut case = Case::new(&k, &b);
        for _ in 0..5 {
            let (j, c) = (rng.vector(9), 0.2 * rng.next());
            case = case.row(RowKind::Other, &j, c);
        }
        let (_, want, _) = case.solve(&by(Method::PrimalDual));
        for method in [Method::PaperComposite, Method::PaperSchur] {
            let (report, dv, _) = case.solve(&by(method));
            if report.solved() {
                close(&dv, &want, 1e-7);
                agreed += 1;
            }
        }
    }
    assert!(agreed >= 70, "{agreed} of 80");
}

#[test]
fn the_watch_list_drops_what_toggles_and_says_so() {
    // Two rows that agree in direction with different bounds are both violated at the start; with a watch list of 0 whatever
    // changes its side once is gone.
    let case = Case::new(&diagonal(&[1.0; 3]), &[2.0, 0.0, 0.0])
        .row(RowKind::Other, &[1.0, 0.0, 0.0], 1.0)
        .row(RowKind::Other, &[1.0, 0.1, 0.0], 0.5)
        .row(RowKind::Other, &[1.0, -1.0, 0.0], 5.0);
    let free = case.solve(&by(Method::PaperSchur));
    assert!(free.0.solved() && free.0.toggles > 0, "{}", free.0);
    let watched = case.solve(&Settings { watch_list: Some(0), ..by(Method::PaperSchur) });
    assert!(!watched.0.dropped.is_empty());
    assert!(case.solve(&by(Method::PrimalDual)).0.dropped.is_empty());
}

#[test]
fn bad_problems_are_refused_with_the_place() {
    let mut k = diagonal(&[1.0; 6]);
    for q in 3..6 {
        k[q][q] = 0.0;
    }
    let zero_mass = Case::new(&k, &[1.0; 6]);
    let mut k = diagonal(&[1.0; 6]);
    (k[0][3], k[3][0]) = (2.0, 2.0);
    let indefinite = Case::new(&k, &[1.0; 6]);
    // No stiffness against (1, −1), the way that its rows ask for: what they add is definite, and K is not.
    let mut k = diagonal(&[1.0; 6]);
    (k[3][4], k[4][3]) = (1.0, 1.0);
    let mut held = Case::new(&k, &[0.0; 6]);
    for (q, c) in [(3, 1.0), (4, -1.0)] {
        let mut j = [0.0; 6];
        j[q] = 1.0;
        held = held.row(RowKind::Fixed, &j, c);
    }
    let mut body = indefinite.clone();
    body.layout = impinge_solvers::Layout { nodes: 0, bodies: 1 };
    for method in ALL {
        let refused = |case: &Case| {
            let mut dv = vec![impinge_geometry::DVec3::zero(); 2];
            Solver::new().solve(&case.problem(), &by(method), &mut dv, &mut Vec::new()).unwrap_err()
        };
        assert_eq!(refused(&zero_mass), QpError::NotDefinite { at: Dof::Node(1) });
        if method == Method::PrimalDual {
            assert!(matches!(refused(&held), QpError::NotDefinite { at: Dof::Node(_) }), "{method:?}");
        }
        if method != Method::PaperComposite {
            assert!(matches!(refused(&indefinite), QpError::NotDefinite { at: Dof::Node(_) }));
            assert!(matches!(refused(&body), QpError::NotDefinite { at: Dof::Linear(0) | Dof::Angular(0) }));
        }
        let mut nan = zero_mass.clone();
        nan.b[1].y = f64::NAN;
        assert_eq!(refused(&nan), QpError::NotFinite { at: Dof::Node(1), what: "b" });
    }
    assert!(zero_mass.rows.is_empty());
}

/// Three equalities, nearly dependent, that leave one Δv, and two contacts that it meets to the last digit; lengths from 1e-4 to 1e4.
/// The last contact is a combination of the equalities with factors up to 5e13.
fn nearly_dependent(last: f64) -> Case {
    let b = [0.15263284656418463, 0.6600379751722785, -1.6764566725982322];
    let contact = [0.2509116937673408, 0.15936530175269037, -0.4167422716694906];
    let short = [-7.714244805798775e-5, -8.795548901232172e-5, -2.404195552991273e-5];
    let long = [6338.921157381752, -6087.2147481388165, 3880.612721815955];
    let middle = [0.48362765738758995, 0.27612490827402447, 0.19011489283272676];
    let far = [-9237.049924863628, 7200.708066230814, 818.055047300359];
    Case::new(&diagonal(&[1.0; 3]), &b)
        .row(RowKind::Contact, &contact, -0.09457458957081163)
        .row(RowKind::Fixed, &short, -5.232703113044778e-5)
        .row(RowKind::Fixed, &long, 5038.176305613061)
        .row(RowKind::Fixed, &middle, 0.34331979367667975)
        .row(RowKind::Contact, &far, last)
}

#[test]
fn rows_that_meet_up_to_the_rounding_of_nearly_dependent_ones_do_not_contradict_them() {
    let meets = -3946.5658291555073;
    for method in EXACT {
        let (report, dv, _) = nearly_dependent(meets).solve(&by(method));
        assert!(report.solved(), "{method:?} {report}");
        close(&dv, &[0.4900258004390029, 0.02033996846531481, 0.5297501438391632], 1e-9);
        // A ten-millionth further is no rounding.
        let (report, ..) = nearly_dependent(meets * (1.0 + 1e-7)).solve(&by(method));
        assert_eq!(report.status, Some(Status::Infeasible), "{method:?} {report}");
    }
}

#[test]
fn rows_in_units_of_their_own_are_the_same_rows() {
    let mut rng = Lcg(5);
    let mut contradict = 0;
    for round in 0..2000 {
        let b = rng.vector(3);
        let rows: Vec<(Vec<f64>, f64)> = (0..4 + round % 10).map(|_| (rng.vector(3), rng.next())).collect();
        let units: Vec<f64> =
            rows.iter().map(|_| [1.0, 1e-6, 1e6][(1.5 + 1.5 * rng.next()) as usize % 3]).collect();
        let with = |units: &[f64], which: &[u32]| {
            which.iter().map(|&i| i as usize).fold(Case::new(&diagonal(&[1.0; 3]), &b), |case, i| {
                let j: Vec<f64> = rows[i].0.iter().map(|v| v * units[i]).collect();
                case.row(RowKind::Contact, &j, rows[i].1 * units[i])
            })
        };
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let (plain, ..) = with(&vec![1.0; rows.len()], &all).solve(&by(Method::Dual));
        let (scaled, ..) = with(&units, &all).solve(&by(Method::Dual));
        assert_eq!(plain.status, scaled.status, "round {round}: {units:?}");
        if scaled.status == Some(Status::Infeasible) {
            contradict += 1;
            let (alone, ..) = with(&units, &scaled.conflict).solve(&by(Method::Dual));
            assert_eq!(alone.status, scaled.status, "round {round}: {:?} of {units:?}", scaled.conflict);
        }
    }
    assert!((200..1800).contains(&contradict), "{contradict}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn any_rows_end_with_the_conditions_or_a_reason(
        seed in 0u64..1_000_000, blocks in 1usize..5, m in 0usize..14, units in -8i32..8, copies in 0usize..4,
    ) {
        let n = 3 * blocks;
        let mut rng = Lcg(seed);
        let (k, b) = (rng.spd(n, 0.1), rng.vector(n));
        let mut case = Case::new(&k, &b);
        let mut rows: Vec<(Vec<f64>, f64)> = (0..m).map(|_| (rng.vector(n), rng.next())).collect();
        for c in 0..copies.min(m) {
            let (j, bound) = rows[c].clone();
            rows.push((j, bound + [0.0, 0.5, -0.25][c % 3]));
        }
        // Rows in other units are the same rows.
        let unit = 2f64.powi(units);
        for (j, c) in &rows {
            let j: Vec<f64> = j.iter().map(|v| v * unit).collect();
            case = case.row(RowKind::Other, &j, c * unit);
        }
        let (one, x, mu) = case.solve(&by(Method::PrimalDual));
        let (two, y, _) = case.solve(&by(Method::Dual));
        proptest::prop_assert_eq!(one.status, two.status, "{} against {}", one, two);
        proptest::prop_assert!(one.status != Some(Status::Unfinished), "{}", one);
        if one.solved() {
            let kkt = Kkt::measure(&case.problem(), &support::blocks(&x), &mu, 0.0);
            proptest::prop_assert!(kkt.worst() <= 1e-9, "{}", kkt);
            let size = x.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            proptest::prop_assert!(x.iter().zip(&y).all(|(a, b)| (a - b).abs() <= 1e-6 * size), "{:?} {:?}", x, y);
        } else {
            // The rows named contradict each other by themselves.
            let mut alone = Case::new(&k, &b);
            for &i in &one.conflict {
                let (j, c) = &rows[i as usize];
                alone = alone.row(RowKind::Other, j, *c);
            }
            proptest::prop_assert_eq!(alone.solve(&by(Method::Dual)).0.status, Some(Status::Infeasible));
        }
    }
}
