//! The solvers of contact with friction: closed forms, enumeration, each other, redundant rows, files, bad input.

use impinge_solvers::mlcp::{
    Cone, ContactProblem, ContactRows, accelerated, carry_forces, gauss_seidel, interior_point,
    semismooth_newton, solve_contacts,
};
use impinge_solvers::{Outcome, Reason, Settings};

type Method = fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Outcome;
const METHODS: [(&str, Method); 4] = [
    ("Gauss–Seidel", gauss_seidel),
    ("Newton", semismooth_newton),
    ("accelerated", accelerated),
    ("interior point", interior_point),
];

fn settings(tolerance: f64) -> Settings {
    Settings { tolerance, max_iterations: 100_000 }
}

struct Numbers(u64);

impl Numbers {
    /// From −1 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Contacts at random rows over `n` degrees of freedom of unit mass, pushed together by a random motion.
fn random(
    numbers: &mut Numbers,
    n: usize,
    contacts: usize,
    cone: Cone,
) -> (ContactProblem, ContactRows, Vec<f64>) {
    let mut rows = ContactRows::new();
    for _ in 0..contacts {
        for k in 0..3 {
            let frictionless = cone == Cone::Frictionless && k > 0;
            rows.push((0..n as u32).map(|t| (t, if frictionless { 0.0 } else { numbers.next() })));
        }
    }
    let motion: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
    let p = ContactProblem::assemble(&rows, &motion, None, vec![cone; contacts], |_| {}).unwrap();
    (p, rows, motion)
}

fn motion_after(rows: &ContactRows, motion: &[f64], r: &[[f64; 3]]) -> Vec<f64> {
    let mut v = motion.to_vec();
    rows.add_transposed(r, &mut v);
    v
}

#[test]
fn a_particle_on_a_plane_slides_sticks_and_leaves() {
    let problem = |u: [f64; 3], cone| {
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        ContactProblem::new(vec![u], vec![cone], |_| vec![(0, identity)]).unwrap()
    };
    let (round, pyramid) = (Cone::Round { mu: 0.5 }, Cone::Pyramid { mu: 0.5 });
    for (name, method) in METHODS {
        let solve = |u, cone| {
            let p = problem(u, cone);
            let mut r = [[0.0; 3]];
            assert!(method(&p, &mut r, &settings(1e-12)).converged, "{name}");
            (r[0], p.velocity(0, &r))
        };
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-11);
        // Friction μ N against the sliding, whatever its direction: N = 1, f = ½.
        let (r, u) = solve([-1.0, 0.6, 0.8], round);
        assert!(near(r, [1.0, -0.3, -0.4]) && near(u, [0.0, 0.3, 0.4]), "{name}: {r:?} {u:?}");
        // The diamond: all of it along the larger component until that equals the other.
        let (r, u) = solve([-1.0, 0.6, 0.9], pyramid);
        assert!(near(r, [1.0, -0.1, -0.4]) && near(u, [0.0, 0.5, 0.5]), "{name}: {r:?} {u:?}");
        let (r, u) = solve([-1.0, 0.2, 0.1], round);
        assert!(near(r, [1.0, -0.2, -0.1]) && near(u, [0.0; 3]), "{name}");
        let (r, u) = solve([0.1, 0.2, 0.1], round);
        assert!(near(r, [0.0; 3]) && near(u, [0.1, 0.2, 0.1]), "{name}");
        let (r, u) = solve([-0.3, 0.2, 0.1], Cone::Frictionless);
        assert!(near(r, [0.3, 0.0, 0.0]) && near(u, [0.0, 0.2, 0.1]), "{name}");
    }
}

/// μ n may be less than an ulp of what slides: the contact holds all the same.
#[test]
fn hardly_any_friction_is_no_reason_to_fall() {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for mu in [1e-8, 1e-13, 1e-14, 1e-15, 1e-16, 1e-20, 1e-100, 1e-300, 0.0] {
        for cone in [Cone::Round { mu }, Cone::Pyramid { mu }] {
            for t in [[20.0, 0.0], [-3.0, 7.0], [4.0, 4.0]] {
                let p = ContactProblem::new(vec![[-0.1, t[0], t[1]]], vec![cone], |_| vec![(0, identity)])
                    .unwrap();
                for (name, method) in METHODS {
                    let mut r = [[0.0; 3]];
                    let done = method(&p, &mut r, &settings(1e-12));
                    assert!(done.converged, "{name} {cone:?}: {done:?}");
                    assert!((r[0][0] - 0.1).abs() < 1e-10, "{name} {cone:?} {t:?}: {r:?}");
                    assert!(r[0][1] * t[0] + r[0][2] * t[1] <= 0.0, "{name} {cone:?} {t:?}: {r:?}");
                }
            }
        }
    }
}

#[test]
fn frictionless_contacts_against_every_active_set() {
    let mut numbers = Numbers(5);
    for contacts in 1..=5 {
        let (p, rows, motion) = random(&mut numbers, 8, contacts, Cone::Frictionless);
        // u_n = W r + free with r = 0 off the set and u = 0 on it: exactly one set gives r ≥ 0 and u ≥ 0.
        let w = |i: usize, j: usize| p.blocks(i).find(|b| b.0 == j).map_or(0.0, |b| b.1[0]);
        let mut found = None;
        for set in 0u32..1 << contacts {
            let on: Vec<usize> = (0..contacts).filter(|i| set >> i & 1 == 1).collect();
            let mut r = vec![0.0; contacts];
            // Plain iteration on a small positive definite system.
            for _ in 0..20_000 {
                for &i in &on {
                    let u: f64 = p.free(i)[0] + on.iter().map(|&j| w(i, j) * r[j]).sum::<f64>();
                    r[i] -= u / w(i, i);
                }
            }
            let u: Vec<f64> = (0..contacts)
                .map(|i| p.free(i)[0] + (0..contacts).map(|j| w(i, j) * r[j]).sum::<f64>())
                .collect();
            if r.iter().all(|&r| r >= -1e-12) && u.iter().all(|&u| u >= -1e-9) {
                found = Some(r);
            }
        }
        let want = found.expect("a positive definite problem has a solution");
        for (name, method) in METHODS {
            let mut r = vec![[0.0; 3]; contacts];
            let o = method(&p, &mut r, &settings(1e-11));
            assert!(o.converged, "{name}: {o}");
            assert!(r.iter().zip(&want).all(|(r, w)| (r[0] - w).abs() < 1e-6), "{name}: {r:?} {want:?}");
            assert!(motion_after(&rows, &motion, &r).iter().all(|v| v.is_finite()));
        }
    }
}

#[test]
fn the_methods_agree_and_obey_the_law() {
    let mut numbers = Numbers(77);
    for cone in [Cone::Round { mu: 0.3 }, Cone::Pyramid { mu: 0.3 }] {
        for (n, contacts) in [(6, 1), (12, 3), (30, 8)] {
            let (p, rows, motion) = random(&mut numbers, n, contacts, cone);
            let mut all = Vec::new();
            for (name, method) in METHODS {
                let mut r = vec![[0.0; 3]; contacts];
                let o = method(&p, &mut r, &settings(1e-10));
                assert!(o.converged, "{name}, {contacts} contacts, {cone:?}: {o}");
                assert_eq!(o.residual, p.residual(&r), "{name} reports another residual");
                all.push(motion_after(&rows, &motion, &r));
            }
            let off = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(all.iter().all(|a| off(&all[0], a) < 1e-7), "{contacts}, {cone:?}");
        }
    }
}

#[test]
fn the_same_contact_many_times_over() {
    // Cells under one rigid body: the rows repeat, the pressures are not unique, the motion is.
    let mut numbers = Numbers(3);
    let base: Vec<[f64; 6]> = (0..3).map(|_| std::array::from_fn(|_| numbers.next())).collect();
    let motion: Vec<f64> = (0..6).map(|t| -0.3 * base[0][t] + 0.2 * base[1][t] - 0.1 * base[2][t]).collect();
    let solve = |copies: usize, method: Method| {
        let mut rows = ContactRows::new();
        for _ in 0..copies {
            base.iter().for_each(|b| rows.push(b.iter().enumerate().map(|(t, &v)| (t as u32, v))));
        }
        let cones = vec![Cone::Round { mu: 0.4 }; copies];
        let p = ContactProblem::assemble(&rows, &motion, None, cones, |_| {}).unwrap();
        let mut r = vec![[0.0; 3]; copies];
        let o = method(&p, &mut r, &settings(1e-11));
        assert!(o.converged, "{copies} copies: {o}");
        motion_after(&rows, &motion, &r)
    };
    let want = solve(1, semismooth_newton);
    for (name, method) in METHODS {
        let got = solve(7, method);
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-8), "{name}: {got:?} {want:?}");
    }
}

#[test]
fn assembly_has_every_block_that_is_not_zero() {
    // Rows over few of 40 degrees of freedom; the matrix couples each with the next, so that contacts know of each other without a
    // degree of freedom in common.
    let (n, contacts) = (40usize, 24usize);
    let mut numbers = Numbers(11);
    let mut dense = vec![vec![0.0; n]; 3 * contacts];
    let mut rows = ContactRows::new();
    for c in 0..contacts {
        for k in 0..3 {
            let row: Vec<(u32, f64)> =
                (0..3).map(|t| ((5 * c + 7 * t) as u32 % n as u32, numbers.next())).collect();
            row.iter().for_each(|&(t, v)| dense[3 * c + k][t as usize] += v);
            rows.push(row);
        }
    }
    let inverse = |x: &[f64]| -> Vec<f64> {
        (0..n).map(|t| 2.0 * x[t] + if t % 2 == 0 { 0.5 * x[t + 1] } else { 0.5 * x[t - 1] }).collect()
    };
    let cones = vec![Cone::Round { mu: 0.5 }; contacts];
    let p = ContactProblem::assemble(&rows, &vec![0.1; n], None, cones, |x| x.copy_from_slice(&inverse(x)))
        .unwrap();
    let mut empty = 0;
    for i in 0..contacts {
        let columns: Vec<Vec<f64>> = (0..3).map(|k| inverse(&dense[3 * i + k])).collect();
        for j in 0..contacts {
            let want: [f64; 9] = std::array::from_fn(|e| {
                dense[3 * j + e % 3].iter().zip(&columns[e / 3]).map(|(a, b)| a * b).sum()
            });
            match p.blocks(i).find(|b| b.0 == j) {
                Some((_, got)) => {
                    assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-14), "{i} {j}");
                }
                None => {
                    assert_eq!(want, [0.0; 9], "{i} {j}");
                    empty += 1;
                }
            }
        }
    }
    assert!(empty > contacts && empty < contacts * (contacts - 1), "{empty}");
}

#[test]
fn a_long_row_of_blocks_by_the_method_for_its_size() {
    // 200 unit masses pressed together in a row between walls: 201 contacts, each pair shares a body.
    let n = 200usize;
    let mut rows = ContactRows::new();
    for c in 0..=n {
        for k in 0..3u32 {
            let body = |b: usize, s: f64| (3 * b as u32 + k, s);
            let mut entries = Vec::new();
            if c > 0 {
                entries.push(body(c - 1, -1.0));
            }
            if c < n {
                entries.push(body(c, 1.0));
            }
            rows.push(entries);
        }
    }
    let motion: Vec<f64> = (0..3 * n)
        .map(|t| [if t / 3 < n / 2 { -0.1 } else { 0.1 }, 0.02 * (t / 3) as f64 / n as f64, 0.0][t % 3])
        .collect();
    let p =
        ContactProblem::assemble(&rows, &motion, None, vec![Cone::Round { mu: 0.5 }; n + 1], |_| {}).unwrap();
    for (name, method) in [("chosen", solve_contacts as Method), ("accelerated", accelerated)] {
        let mut r = vec![[0.0; 3]; n + 1];
        let o = method(&p, &mut r, &settings(1e-10));
        assert!(o.converged, "{name}: {o}");
        // Velocities are combined from iteration to iteration there; what is reported is measured.
        assert_eq!(o.residual, p.residual(&r), "{name} reports another residual");
    }
    // The answer as a start: nothing is left to do.
    let keys: Vec<u64> = (0..=n as u64).collect();
    let mut r = vec![[0.0; 3]; n + 1];
    gauss_seidel(&p, &mut r, &settings(1e-6));
    let mut again = carry_forces(&keys, &r, &keys);
    assert_eq!(gauss_seidel(&p, &mut again, &settings(1e-6)).iterations, 0);
    assert_eq!(carry_forces(&keys, &r, &[3, 1000]), [r[3], [0.0; 3]]);
}

/// Unit boxes on each other with four contacts below each, falling, drifting and turning a little.
fn tower(boxes: usize, cone: Cone) -> (ContactProblem, ContactRows, Vec<f64>) {
    let mut rows = ContactRows::new();
    for (level, corner) in (0..boxes).flat_map(|b| (0..4).map(move |c| (b, c))) {
        let (x, y) = (if corner & 1 == 0 { -0.5 } else { 0.5 }, if corner & 2 == 0 { -0.5 } else { 0.5 });
        for k in 0..if cone == Cone::Frictionless { 1 } else { 3 } {
            let mut entries = Vec::new();
            for (owner, sign, z) in [(Some(level), 1.0, -0.5), (level.checked_sub(1), -1.0, 0.5)] {
                let Some(owner) = owner else { continue };
                let (linear, angular) = [(2, [y, -x, 0.0]), (0, [0.0, z, -y]), (1, [-z, 0.0, x])][k];
                entries.push((6 * owner as u32 + linear, sign));
                entries.extend((3u32..6).zip(angular).map(|(t, v)| (6 * owner as u32 + t, sign * v)));
            }
            rows.push(entries);
        }
        if cone == Cone::Frictionless {
            (0..2).for_each(|_| rows.push([]));
        }
    }
    let motion: Vec<f64> = (0..6 * boxes).map(|t| [0.02, 0.0, -0.1, 0.0, 0.0, 0.01][t % 6]).collect();
    let p = ContactProblem::assemble(&rows, &motion, None, vec![cone; 4 * boxes], |_| {}).unwrap();
    (p, rows, motion)
}

#[test]
fn a_tower_takes_the_interior_method_few_iterations() {
    for cone in [Cone::Frictionless, Cone::Round { mu: 0.4 }, Cone::Pyramid { mu: 0.4 }] {
        let (p, rows, motion) = tower(24, cone);
        let mut inside = vec![[0.0; 3]; p.len()];
        // Half the rows are dependent; gradients take some thousand iterations. Nothing is left to them here.
        let o = interior_point(&p, &mut inside, &Settings { tolerance: 1e-8, max_iterations: 40 });
        assert!(o.converged, "{cone:?}: {o}");
        assert_eq!(o.residual, p.residual(&inside));
        for (i, &f) in inside.iter().enumerate() {
            let q = p.cone(i).project(f);
            assert!((0..3).all(|k| (q[k] - f[k]).abs() <= 1e-14 * f[0].abs()), "{cone:?}: {f:?} outside");
        }
        let mut outside = vec![[0.0; 3]; p.len()];
        let o = accelerated(&p, &mut outside, &settings(1e-8));
        assert!(o.converged, "{cone:?}: {o}");
        let (a, b) = (motion_after(&rows, &motion, &inside), motion_after(&rows, &motion, &outside));
        let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{cone:?}: {apart:e}");
        assert!(apart < 1e-6, "{cone:?}: velocities {apart:e} m/s apart");
        // The choice for its size is this method, to the bit; the answer as a start is kept.
        let mut chosen = vec![[0.0; 3]; p.len()];
        let few = Settings { tolerance: 1e-8, max_iterations: 40 };
        solve_contacts(&p, &mut chosen, &few);
        assert_eq!(chosen, inside, "{cone:?}");
        assert_eq!(interior_point(&p, &mut chosen, &few).iterations, 0, "{cone:?}");
    }
    // Too few iterations: never worse than the start.
    let (p, ..) = tower(24, Cone::Round { mu: 0.4 });
    let mut good = vec![[0.0; 3]; p.len()];
    accelerated(&p, &mut good, &settings(1e-3));
    let before = p.residual(&good);
    for most in 0..6 {
        let mut r = good.clone();
        let o = interior_point(&p, &mut r, &Settings { tolerance: 1e-12, max_iterations: most });
        assert!(o.residual <= before && o.residual == p.residual(&r) && o.iterations == most, "{most}: {o}");
    }
}

#[test]
fn many_contacts_of_one_body_go_to_gradients() {
    // 90 contacts under one body: a factorisation would cost more than 40 products.
    let (p, ..) = random(&mut Numbers(23), 6, 90, Cone::Round { mu: 0.3 });
    let few = Settings { tolerance: 1e-6, max_iterations: 400 };
    let (mut chosen, mut gradients) = (vec![[0.0; 3]; 90], vec![[0.0; 3]; 90]);
    assert_eq!(solve_contacts(&p, &mut chosen, &few), accelerated(&p, &mut gradients, &few));
    assert_eq!(chosen, gradients);
}

#[test]
fn files_keep_every_bit_and_bad_ones_name_the_line() {
    let mut numbers = Numbers(19);
    let (p, ..) = random(&mut numbers, 9, 4, Cone::Pyramid { mu: 1.0 / 3.0 });
    let text = p.to_text();
    assert_eq!(ContactProblem::from_text(&text).unwrap(), p);
    let cut: String = text.lines().take(4).collect::<Vec<_>>().join("\n");
    assert!(ContactProblem::from_text(&cut).is_err());
    let e = ContactProblem::from_text(&text.replace("pyramid", "pyramids")).unwrap_err();
    assert!(e.to_string().starts_with("line 3: expected contact"), "{e}");
    let e = ContactProblem::from_text(&text.replace("pyramid 0.3", "pyramid -0.3")).unwrap_err();
    assert!(e.to_string().contains("friction of contact 0"), "{e}");
}

#[test]
fn bad_numbers_and_immovable_contacts() {
    let new = |free: [f64; 3], cone, block: [f64; 9]| {
        ContactProblem::new(vec![free], vec![cone], |_| vec![(0, block)])
    };
    let cone = Cone::Round { mu: 0.5 };
    assert!(new([f64::NAN, 0.0, 0.0], cone, [0.0; 9]).is_err());
    assert!(new([0.0; 3], Cone::Round { mu: -1.0 }, [0.0; 9]).is_err());
    assert!(new([0.0; 3], cone, [f64::INFINITY; 9]).is_err());
    let fixed = new([-1.0, 0.3, 0.0], cone, [0.0; 9]).unwrap();
    let fine = new([0.0; 3], cone, [0.0; 9]).unwrap();
    let none = ContactProblem::new(vec![], vec![], |_| vec![]).unwrap();
    for (name, method) in METHODS {
        let few = Settings { tolerance: 1e-9, max_iterations: 20 };
        let mut r = [[0.0; 3]];
        let o = method(&fixed, &mut r, &few);
        assert!(!o.converged && o.reason == Reason::MaxIterations && o.residual == 1.0, "{name}: {o}");
        assert_eq!(r, [[0.0; 3]], "{name}");
        assert!(method(&fine, &mut r, &few).converged, "{name}");
        assert!(method(&none, &mut [], &few).converged, "{name}");
        let mut bad = [[f64::NAN, 0.0, 0.0]];
        assert_eq!(method(&fine, &mut bad, &few).reason, Reason::NonFinite, "{name}");
    }
}
