//! The library's sparse factors: `cargo test -p impinge-solvers --features factor`.
#![cfg(feature = "factor")]

use crate::support::elastic::{elastic, load};
use crate::support::{distance, eliminate, full, held, random_spd, size, vector};
use impinge_geometry::DVec3;
use impinge_solvers::{
    BlockMatrix, BlockPattern, CgWorkspace, Factor, FactorKind, Filter, LowRank, MatrixError, Settings,
    System,
};

#[test]
fn both_factors_solve_and_are_reused_for_new_values() {
    for kind in [FactorKind::Llt, FactorKind::Ldlt] {
        let (p, mut v) = random_spd(40, 3);
        let mut f = Factor::new(&p, kind).unwrap();
        assert!(f.kind() == kind && !f.is_empty());
        let mut filter = Filter::none();
        for round in 0..3 {
            for b in &mut v {
                for q in b.iter_mut() {
                    *q *= 1.0 + 0.3 * f64::from(round);
                }
            }
            if round == 2 {
                filter.fix(7);
            }
            let m = BlockMatrix::new(&p, &v).unwrap();
            f.refactor(&m, &filter).unwrap();
            let b = vector(40, round as u64);
            let x0 = vector(40, 9);
            let want = eliminate(&full(&m, &LowRank::default()), &b, &x0, &held(40, &filter));
            let mut x = x0.clone();
            let s = Settings { tolerance: 1e-12, max_iterations: 20 };
            let o = f.solve(&System::new(m), &filter, &b, &mut x, &s, &mut CgWorkspace::default());
            assert!(o.converged && o.iterations <= 3, "{kind:?} {o}");
            assert!(distance(&x, &want) < 1e-10 * size(&want));
            if round < 2 {
                let mut once = vec![DVec3::zero(); 40];
                f.solve_once(&b, &mut once);
                assert!(distance(&once, &want) < 1e-10 * size(&want));
            }
        }
    }
}

#[test]
fn contacts_outside_the_pattern_take_one_iteration_each() {
    let e = elastic(6, 1e6, 1.0, 1.0 / 3600.0);
    let m = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let mut contacts = LowRank::default();
    for k in 0..5u32 {
        contacts.push(1e5, &[(k, DVec3::unit_z()), (200 + k, -DVec3::unit_z())]).unwrap();
    }
    let system = System::with_contacts(m, &contacts).unwrap();
    let mut f = Factor::new(&e.pattern, FactorKind::Llt).unwrap();
    f.refactor(&m, &Filter::none()).unwrap();
    let mut x = vec![DVec3::zero(); e.x.len()];
    let s = Settings { tolerance: 1e-9, max_iterations: 50 };
    let o = f.solve(&system, &Filter::none(), &load(&e), &mut x, &s, &mut CgWorkspace::default());
    assert!(o.converged && o.iterations <= 5 + 3, "{o}");
}

#[test]
fn ldlt_takes_a_saddle_point_and_llt_says_no() {
    // Quasi-definite [2 1; 1 −3] on each axis.
    let p = BlockPattern::new(2, [&[0u32, 1][..]]).unwrap();
    let id = |s: f64| [s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s];
    let v = [id(2.0), id(-3.0), id(1.0)];
    let m = BlockMatrix::new(&p, &v).unwrap();
    let mut llt = Factor::new(&p, FactorKind::Llt).unwrap();
    assert!(matches!(llt.refactor(&m, &Filter::none()), Err(MatrixError::Breakdown { .. })));
    let mut ldlt = Factor::new(&p, FactorKind::Ldlt).unwrap();
    ldlt.refactor(&m, &Filter::none()).unwrap();
    let mut x = [DVec3::zero(); 2];
    ldlt.solve_once(&[DVec3::new(7.0, 0.0, 0.0), DVec3::zero()], &mut x);
    assert!((x[0].x - 3.0).abs() < 1e-14 && (x[1].x - 1.0).abs() < 1e-14);
}

#[test]
fn bad_matrices_are_refused() {
    let (p, mut v) = random_spd(10, 3);
    let mut f = Factor::new(&p, FactorKind::Llt).unwrap();
    v[3][0] = f64::NAN;
    let refuse = |f: &mut Factor, v: &[[f64; 9]]| {
        f.refactor(&BlockMatrix::new(&p, v).unwrap(), &Filter::none()).unwrap_err()
    };
    assert_eq!(refuse(&mut f, &v), MatrixError::NotFinite { node: 3 });
    v[3] = [0.0; 9];
    assert!(matches!(refuse(&mut f, &v), MatrixError::Breakdown { .. }));
    let (other, w) = random_spd(10, 4);
    assert!(matches!(
        f.refactor(&BlockMatrix::new(&other, &w).unwrap(), &Filter::none()),
        Err(MatrixError::WrongLength(_))
    ));
    let empty = BlockPattern::new(0, std::iter::empty::<&[u32]>()).unwrap();
    let mut f = Factor::new(&empty, FactorKind::Llt).unwrap();
    f.refactor(&BlockMatrix::new(&empty, &[]).unwrap(), &Filter::none()).unwrap();
    f.solve_once(&[], &mut []);
}

#[test]
fn columns_together_are_solved_as_one_by_one() {
    let e = elastic(5, 1e5, 1.0, 1.0 / 3600.0);
    let m = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let n = e.pattern.nodes();
    for kind in [FactorKind::Llt, FactorKind::Ldlt] {
        let mut f = Factor::new(&e.pattern, kind).unwrap();
        f.refactor(&m, &Filter::none()).unwrap();
        // More than go side by side, and not a multiple of them.
        let columns: Vec<Vec<DVec3>> = (0..19).map(|k| vector(n, k)).collect();
        let mut all: Vec<f64> = columns.iter().flatten().flat_map(|v| [v.x, v.y, v.z]).collect();
        f.solve_columns(&mut all);
        for (b, x) in columns.iter().zip(all.chunks_exact(3 * n)) {
            let mut want = vec![DVec3::zero(); n];
            f.solve_once(b, &mut want);
            let got: Vec<DVec3> = x.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect();
            assert!(distance(&got, &want) <= 1e-11 * size(&want), "{kind:?} {}", distance(&got, &want));
        }
        f.solve_columns(&mut []);
    }
}
