//! Every solver and preconditioner against dense elimination, closed forms, and input it has to refuse.

use crate::support::elastic::{elastic, load};
use crate::support::{distance, eliminate, full, held, random_spd, size, vector};
use impinge_geometry::DVec3;
use impinge_solvers::{
    BlockJacobi, BlockMatrix, BlockPattern, CgWorkspace, Choice, Filter, Identity, IncompleteCholesky,
    LowRank, MatrixError, Method, Outcome, Preconditioner, Reason, Settings, Solver, Ssor, System, TwoLevel,
    pcg,
};
use proptest::prelude::*;

fn close() -> Settings {
    Settings { tolerance: 1e-10, max_iterations: 5000 }
}

/// Contacts between random nodes.
fn some_contacts(n: usize, count: usize) -> LowRank {
    let g = vector(3 * count, 77);
    let mut rows = LowRank::default();
    for k in 0..count {
        let at = |q: usize| ((7 * k + 5 * q + 1) % n) as u32;
        rows.push(3.0 + k as f64, &[(at(0), g[3 * k]), (at(1), g[3 * k + 1]), (at(2), g[3 * k + 2])])
            .unwrap();
    }
    rows
}

fn every_method(
    system: &System<'_>,
    filter: &Filter,
    positions: &[DVec3],
    b: &[DVec3],
    x0: &[DVec3],
) -> Vec<(String, Outcome, Vec<DVec3>)> {
    let mut out = Vec::new();
    let methods =
        [Method::Dense, Method::Factor, Method::Ssor, Method::TwoLevel, Method::BlockJacobi, Method::Minres];
    for method in methods {
        let pattern = system.matrix().pattern();
        let mut s = Solver::new(pattern, positions, Choice::forced(method)).unwrap();
        s.update(system, filter).unwrap();
        let mut x = x0.to_vec();
        let o = s.solve(system, filter, b, &mut x, &close());
        out.push((method.name().to_string(), o, x));
    }
    let mut ws = CgWorkspace::default();
    let mut ic = IncompleteCholesky::new(system.matrix().pattern());
    ic.update(system, filter).unwrap();
    let mut parts = Ssor::new(system.matrix().pattern(), 3);
    parts.update(system, filter).unwrap();
    let mut preconditioners: [(&str, &mut dyn Preconditioner); 3] =
        [("identity", &mut Identity), ("incomplete", &mut ic), ("ssor in parts", &mut parts)];
    for (name, m) in &mut preconditioners {
        let mut x = x0.to_vec();
        let o = pcg(system, &mut **m, filter, b, &mut x, &close(), &mut ws);
        out.push(((*name).to_string(), o, x));
    }
    let mut x = x0.to_vec();
    let o = parts.solve(system, filter, b, &mut x, &close(), &mut ws);
    out.push(("eisenstat in parts".to_string(), o, x));
    out
}

#[test]
fn all_methods_find_the_dense_solution_with_contacts_and_constraints() {
    let e = elastic(4, 1e5, 1.0, 1.0 / 3600.0);
    let n = e.x.len();
    let matrix = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let mut contacts = LowRank::default();
    contacts.push(40.0, &[(5, DVec3::new(0.0, 1.0, 2.0)), (60, DVec3::new(0.0, -1.0, -2.0))]).unwrap();
    contacts.push(7.0, &[(9, DVec3::unit_x()), (33, -DVec3::unit_x()), (34, DVec3::unit_y())]).unwrap();
    let system = System::with_contacts(matrix, &contacts).unwrap();
    let mut filter = Filter::none();
    filter.fix(0);
    filter.fix(21);
    filter.hold(34, DVec3::new(0.0, 3.0, 0.0)).unwrap();
    let b = load(&e);
    let mut x0 = vec![DVec3::zero(); n];
    x0[0] = DVec3::new(0.1, -0.2, 0.3);
    x0[34] = DVec3::new(0.0, 0.05, 0.0);
    let want = eliminate(&full(&matrix, &contacts), &b, &x0, &held(n, &filter));
    for (name, o, x) in every_method(&system, &filter, &e.x, &b, &x0) {
        assert!(o.converged && o.residual <= 1e-9, "{name}: {o}");
        let error = distance(&x, &want) / size(&want);
        assert!(error < 1e-7, "{name}: {error:.1e}, {o}");
        // What is held keeps its bits.
        assert_eq!((x[0], x[21], x[34].y), (x0[0], x0[21], x0[34].y), "{name}");
    }
}

#[test]
fn a_hanging_chain_of_springs_is_a_parabola() {
    // −k u'' = f by differences: u_i = f i (n − i) / (2 k), ends held.
    let n = 50usize;
    let links: Vec<[u32; 2]> = (0..n as u32).map(|i| [i, i + 1]).collect();
    let p = BlockPattern::new(n + 1, links.iter().map(|l| &l[..])).unwrap();
    let (k, f) = (30.0, 2.0);
    let mut v = vec![[0.0; 9]; p.blocks()];
    for l in &links {
        for q in 0..3 {
            v[l[0] as usize][4 * q] += k;
            v[l[1] as usize][4 * q] += k;
            v[p.slot(l[1], l[0]) as usize][4 * q] -= k;
        }
    }
    let system = System::new(BlockMatrix::new(&p, &v).unwrap());
    let mut filter = Filter::none();
    filter.fix(0);
    filter.fix(n as u32);
    let b = vec![DVec3::new(0.0, 0.0, -f); n + 1];
    let x: Vec<DVec3> = (0..=n).map(|i| DVec3::new(i as f64, 0.0, 0.0)).collect();
    for (name, o, u) in every_method(&system, &filter, &x, &b, &vec![DVec3::zero(); n + 1]) {
        assert!(o.converged, "{name}: {o}");
        for i in 0..=n {
            let want = -f * (i * (n - i)) as f64 / (2.0 * k);
            assert!((u[i] - DVec3::new(0.0, 0.0, want)).mag() < 1e-6, "{name}: {i} {:?} {want}", u[i]);
        }
    }
}

#[test]
fn prescribed_linear_motion_of_the_surface_fills_an_elastic_cube_linearly() {
    // The patch test: u = G x satisfies K u = 0 inside, whatever the mesh.
    let e = elastic(5, 1e6, 0.0, 1.0);
    let matrix = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let system = System::new(matrix);
    let g = |x: DVec3| DVec3::new(0.1 * x.x + 0.3 * x.y, -0.2 * x.z, 0.05 * x.y + 0.1 * x.z);
    let mut filter = Filter::none();
    let mut x0 = vec![DVec3::zero(); e.x.len()];
    for k in 0..125 {
        if [k % 5, k / 5 % 5, k / 25].iter().any(|&c| c == 0 || c == 4) {
            filter.fix(k as u32);
            x0[k] = g(e.x[k]);
        }
    }
    let b = vec![DVec3::zero(); e.x.len()];
    for (name, o, u) in every_method(&system, &filter, &e.x, &b, &x0) {
        assert!(o.converged, "{name}: {o}");
        for (u, x) in u.iter().zip(&e.x) {
            assert!((*u - g(*x)).mag() < 1e-8, "{name}");
        }
    }
}

#[test]
fn a_good_guess_is_kept_and_a_warm_start_is_shorter() {
    let e = elastic(6, 1e5, 1.0, 1.0 / 3600.0);
    let matrix = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let system = System::new(matrix);
    let (filter, b) = (Filter::none(), load(&e));
    for method in [Method::Ssor, Method::TwoLevel, Method::BlockJacobi, Method::Minres] {
        let mut s = Solver::new(&e.pattern, &e.x, Choice::forced(method)).unwrap();
        s.update(&system, &filter).unwrap();
        let mut x = vec![DVec3::zero(); b.len()];
        let cold = s.solve(&system, &filter, &b, &mut x, &Settings::default());
        let before = x.clone();
        let again = s.solve(&system, &filter, &b, &mut x, &Settings::default());
        assert!(again.converged && again.iterations == 0 && x == before, "{method:?}: {again}");
        for v in &mut x {
            *v *= 1.0 + 1e-4;
        }
        let warm = s.solve(&system, &filter, &b, &mut x, &Settings::default());
        assert!(warm.converged && warm.iterations < cold.iterations, "{method:?}: {warm} after {cold}");
        // Nothing asked, nothing done.
        let mut zero = vec![DVec3::zero(); b.len()];
        let o = s.solve(&system, &filter, &zero.clone(), &mut zero, &Settings::default());
        assert!(o.converged && o.iterations == 0 && o.residual == 0.0 && size(&zero) == 0.0);
    }
}

#[test]
fn empty_systems_are_solved() {
    let p = BlockPattern::new(0, std::iter::empty::<&[u32]>()).unwrap();
    let system = System::new(BlockMatrix::new(&p, &[]).unwrap());
    for (name, o, x) in every_method(&system, &Filter::none(), &[], &[], &[]) {
        assert!(o.converged && o.iterations == 0 && x.is_empty(), "{name}: {o}");
    }
}

#[test]
fn rows_without_mass_are_refused_by_node_until_they_are_fixed() {
    let (p, mut v) = random_spd(30, 4);
    // Node 12 loses everything: nothing holds it.
    v[12] = [0.0; 9];
    for i in 0..30 {
        for (k, &j) in p.row_slots(i).zip(p.row(i)) {
            if i == 12 || j == 12 {
                v[k] = [0.0; 9];
            }
        }
    }
    let system = System::new(BlockMatrix::new(&p, &v).unwrap());
    let mut filter = Filter::none();
    let wanted = MatrixError::NotPositive { node: 12 };
    assert_eq!(BlockJacobi::new().update(&system, &filter).unwrap_err(), wanted);
    assert_eq!(Ssor::new(&p, 1).update(&system, &filter).unwrap_err(), wanted);
    assert_eq!(IncompleteCholesky::new(&p).update(&system, &filter).unwrap_err(), wanted);
    assert!(wanted.to_string().contains("node 12") && wanted.to_string().contains("fix it"));
    let mut dense = Solver::new(&p, &[], Choice::forced(Method::Dense)).unwrap();
    assert_eq!(dense.update(&system, &filter).unwrap_err(), MatrixError::Breakdown { column: 36 });
    filter.fix(12);
    let b = vector(30, 8);
    for (name, o, x) in every_method(&system, &filter, &vector(30, 2), &b, &vec![DVec3::zero(); 30]) {
        assert!(o.converged && x[12] == DVec3::zero(), "{name}: {o}");
    }
}

#[test]
fn an_indefinite_operator_is_named_and_the_last_good_state_kept() {
    // Positive diagonal blocks, negative eigenvalue: a − c < 0 along (1, −1).
    let p = BlockPattern::new(2, [&[0u32, 1][..]]).unwrap();
    let id = |s: f64| [s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s];
    let v = [id(1.0), id(1.0), id(2.0)];
    let system = System::new(BlockMatrix::new(&p, &v).unwrap());
    let filter = Filter::none();
    let b = [DVec3::unit_x(), -DVec3::unit_x() * 0.9];
    let start = [DVec3::new(0.25, 0.0, 0.0); 2];
    for method in [Method::BlockJacobi, Method::Ssor, Method::TwoLevel] {
        let mut s = Solver::new(&p, &[], Choice::forced(method)).unwrap();
        s.update(&system, &filter).unwrap();
        let mut x = start;
        let o = s.solve(&system, &filter, &b, &mut x, &Settings::default());
        assert!(!o.converged && o.reason == Reason::Indefinite, "{method:?}: {o}");
        assert!(o.residual.is_finite() && x.iter().all(|v| v.mag().is_finite()));
        let r = |x: &[DVec3; 2]| size(&[b[0] - x[0] - x[1] * 2.0, b[1] - x[1] - x[0] * 2.0]);
        assert!(r(&x) <= r(&start) && (r(&x) / size(&b) - o.residual).abs() < 1e-12, "{method:?}");
    }
    let mut dense = Solver::new(&p, &[], Choice::forced(Method::Dense)).unwrap();
    assert!(matches!(dense.update(&system, &filter), Err(MatrixError::Breakdown { .. })));
    // MINRES does not mind: x = A⁻¹ b, A = [1 2; 2 1].
    let mut s = Solver::new(&p, &[], Choice::forced(Method::Minres)).unwrap();
    s.update(&system, &filter).unwrap();
    let mut x = start;
    let o = s.solve(&system, &filter, &b, &mut x, &close());
    assert!(o.converged, "{o}");
    let want = [-(1.0 + 1.8) / 3.0, (2.0 + 0.9) / 3.0];
    assert!((x[0].x - want[0]).abs() < 1e-9 && (x[1].x - want[1]).abs() < 1e-9, "{x:?}");
}

#[test]
fn a_solver_that_runs_out_of_iterations_says_how_far_it_got() {
    let e = elastic(6, 1e7, 1.0, 1.0 / 3600.0);
    let system = System::new(BlockMatrix::new(&e.pattern, &e.values).unwrap());
    let (filter, b) = (Filter::none(), load(&e));
    for method in [Method::Ssor, Method::TwoLevel, Method::BlockJacobi, Method::Minres] {
        let mut s = Solver::new(&e.pattern, &e.x, Choice::forced(method)).unwrap();
        s.update(&system, &filter).unwrap();
        let mut x = vec![DVec3::zero(); b.len()];
        let few = Settings { tolerance: 1e-12, max_iterations: 9 };
        let o = s.solve(&system, &filter, &b, &mut x, &few);
        assert_eq!((o.converged, o.reason, o.iterations), (false, Reason::MaxIterations, 9), "{method:?}");
        let mut r = vec![DVec3::zero(); b.len()];
        system.matrix().apply(&x, &mut r, &mut Default::default());
        let residual = distance(&r, &b) / size(&b);
        assert!((residual - o.residual).abs() < 1e-12 && residual <= 1.0, "{method:?}: {residual} {o}");
    }
}

#[test]
fn input_that_is_not_finite_is_reported_and_nothing_is_touched() {
    let (p, v) = random_spd(20, 1);
    let system = System::new(BlockMatrix::new(&p, &v).unwrap());
    let filter = Filter::none();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut b = vector(20, 1);
        b[7].y = bad;
        for (name, o, x) in every_method(&system, &filter, &vector(20, 2), &b, &vector(20, 3)) {
            assert!(o.reason == Reason::NonFinite && !o.converged && x == vector(20, 3), "{name}: {o}");
        }
        let mut w = v.clone();
        w[25][3] = bad;
        let node = (0..20).find(|&i| p.row_slots(i).contains(&25)).unwrap();
        let broken = System::new(BlockMatrix::new(&p, &w).unwrap());
        assert_eq!(Ssor::new(&p, 1).update(&broken, &filter).unwrap_err(), MatrixError::NotFinite { node });
        w[25][3] = 0.0;
        w[4][0] = bad;
        let broken = System::new(BlockMatrix::new(&p, &w).unwrap());
        let wanted = MatrixError::NotFinite { node: 4 };
        assert_eq!(Ssor::new(&p, 1).update(&broken, &filter).unwrap_err(), wanted);
        assert_eq!(BlockJacobi::new().update(&broken, &filter).unwrap_err(), wanted);
        let mut minres = Solver::new(&p, &[], Choice::forced(Method::Minres)).unwrap();
        assert_eq!(minres.update(&broken, &filter).unwrap_err(), wanted);
    }
    assert!(LowRank::default().push(1.0, &[(0, DVec3::new(f64::NAN, 0.0, 0.0))]).is_err());
    assert!(LowRank::default().push(-1.0, &[(0, DVec3::unit_x())]).is_err());
    assert!(Filter::none().hold(3, DVec3::zero()).is_err());
    assert!(Filter::none().hold(3, DVec3::new(0.0, f64::NAN, 1.0)).is_err());
}

#[test]
fn units_far_from_one_do_not_disturb_the_f32_sweeps() {
    let e = elastic(6, 1e5, 1.0, 1.0 / 3600.0);
    let b = load(&e);
    let mut iterations = Vec::new();
    for s in [1.0, 1e-60, 1e60] {
        let values: Vec<_> = e.values.iter().map(|v| v.map(|v| v * s)).collect();
        let system = System::new(BlockMatrix::new(&e.pattern, &values).unwrap());
        let mut ssor = Ssor::new(&e.pattern, 1);
        ssor.update(&system, &Filter::none()).unwrap();
        let mut x = vec![DVec3::zero(); b.len()];
        let mut ws = CgWorkspace::default();
        let o = ssor.solve(&system, &Filter::none(), &b, &mut x, &Settings::default(), &mut ws);
        assert!(o.converged, "{s}: {o}");
        iterations.push(o.iterations);
    }
    assert!(iterations.iter().all(|i| i.abs_diff(iterations[0]) <= 1), "{iterations:?}");
}

#[test]
fn incomplete_cholesky_of_elasticity_needs_no_or_a_small_shift_and_helps() {
    let e = elastic(8, 1e6, 1.0, 1.0 / 3600.0);
    let system = System::new(BlockMatrix::new(&e.pattern, &e.values).unwrap());
    let (filter, b) = (Filter::none(), load(&e));
    let mut ic = IncompleteCholesky::new(&e.pattern);
    ic.update(&system, &filter).unwrap();
    let mut ws = CgWorkspace::default();
    let mut x = vec![DVec3::zero(); b.len()];
    let with = pcg(&system, &mut ic, &filter, &b, &mut x, &Settings::default(), &mut ws);
    let mut jacobi = BlockJacobi::new();
    jacobi.update(&system, &filter).unwrap();
    x.fill(DVec3::zero());
    let without = pcg(&system, &mut jacobi, &filter, &b, &mut x, &Settings::default(), &mut ws);
    assert!(ic.shift() < 1.0, "{}", ic.shift());
    assert!(with.converged && 2 * with.iterations < without.iterations, "{with}; {without}");
}

#[test]
fn the_coarse_level_keeps_stiff_iterations_down_and_says_its_age() {
    let e = elastic(14, 1e9, 1.0, 1.0 / 3600.0);
    let system = System::new(BlockMatrix::new(&e.pattern, &e.values).unwrap());
    let (filter, b) = (Filter::none(), load(&e));
    let mut ws = CgWorkspace::default();
    let mut ssor = Ssor::new(&e.pattern, 1);
    ssor.update(&system, &filter).unwrap();
    let mut x = vec![DVec3::zero(); b.len()];
    let one = pcg(&system, &mut ssor, &filter, &b, &mut x, &Settings::default(), &mut ws);
    let mut two = TwoLevel::new(&e.pattern, &e.x);
    two.update(&system, &filter).unwrap();
    assert_eq!(two.coarse_age(), 0);
    assert!(two.aggregates() > 5);
    x.fill(DVec3::zero());
    let o = pcg(&system, &mut two, &filter, &b, &mut x, &Settings::default(), &mut ws);
    two.note(&o);
    assert!(o.converged && 3 * o.iterations < 2 * one.iterations, "{o}; {one}");
    for age in 1..20 {
        two.update(&system, &filter).unwrap();
        assert_eq!(two.coarse_age(), age);
    }
    two.update(&system, &filter).unwrap();
    assert_eq!(two.coarse_age(), 0, "rebuilt at its age");
    two.note(&o);
    two.update(&system, &filter).unwrap();
    two.note(&Outcome { iterations: 2 * o.iterations, ..o });
    two.update(&system, &filter).unwrap();
    assert_eq!(two.coarse_age(), 0, "rebuilt because it had become slow");
    let mut fixed = Filter::none();
    fixed.fix(3);
    two.update(&system, &filter).unwrap();
    two.update(&system, &fixed).unwrap();
    assert_eq!(two.coarse_age(), 0, "rebuilt for another filter");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_definite_systems_are_solved_by_all(n in 1usize..24, seed in 0u64..1000, count in 0usize..4, fixed in 0u32..24) {
        let (p, v) = random_spd(n, seed);
        let matrix = BlockMatrix::new(&p, &v).unwrap();
        let contacts = some_contacts(n, count);
        let system = System::with_contacts(matrix, &contacts).unwrap();
        let mut filter = Filter::none();
        if (fixed as usize) < n {
            filter.fix(fixed);
        }
        let b = vector(n, seed + 1);
        let x0 = vector(n, seed + 2);
        let want = eliminate(&full(&matrix, &contacts), &b, &x0, &held(n, &filter));
        for (name, o, x) in every_method(&system, &filter, &vector(n, seed + 3), &b, &x0) {
            prop_assert!(o.converged, "{}: {}", name, o);
            prop_assert!(distance(&x, &want) <= 1e-6 * (1.0 + size(&want)), "{}: {}", name, distance(&x, &want));
        }
    }
}
