//! What has nothing to do with each other is solved apart: the same answer, errors and conflicts in the numbers of the whole.

use impinge_geometry::{DMat3, DVec3};
use impinge_qp::{Dof, Problem, QpError, RowKind, Rows, Settings, Solver, Status};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, System};

/// Towers of boxes of 1 kg and 0.1 m side by side, each box on the one below by four corners with friction.
struct Towers {
    layout: Layout,
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    b: Vec<DVec3>,
    rows: Rows,
}

const A: f64 = 0.05;

impl Towers {
    /// Every tower's boxes are pushed by `load` (N·s).
    fn new(heights: &[usize], load: impl Fn(usize, usize) -> DVec3) -> Self {
        let bodies: usize = heights.iter().sum();
        let layout = Layout { nodes: 0, bodies };
        let pattern = BlockPattern::new(2 * bodies, std::iter::empty::<&[u32]>()).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        let mut b = vec![DVec3::zero(); 2 * bodies];
        let mut rows = Rows::new();
        let i = 4.0 * A * A / 6.0;
        let inertia = DMat3::new(DVec3::unit_x() * i, DVec3::unit_y() * i, DVec3::unit_z() * i);
        let mut body = 0;
        for (tower, &height) in heights.iter().enumerate() {
            for level in 0..height {
                layout.add_rigid_mass(body, DVec3::one(), &inertia, &mut values);
                b[layout.linear(body) as usize] = load(tower, level);
                for (k, (x, y)) in [(A, A), (A, -A), (-A, A), (-A, -A)].into_iter().enumerate() {
                    let gradient = |n: DVec3| -> Vec<(u32, DVec3)> {
                        let mut g = layout.body_gradient(body, DVec3::new(x, y, -A), -n).to_vec();
                        if level > 0 {
                            g.extend(layout.body_gradient(body - 1, DVec3::new(x, y, A), n));
                        }
                        g
                    };
                    let key = (4 * body + k) as u64;
                    let normal = rows.push(RowKind::Contact, key, 0.0, &gradient(DVec3::unit_z())).unwrap();
                    let [s, t] = [gradient(DVec3::unit_x()), gradient(DVec3::unit_y())];
                    rows.push_friction(normal, 0.5, [&s, &t], [0.0; 2]).unwrap();
                }
                body += 1;
            }
        }
        Self { layout, pattern, values, b, rows }
    }

    fn solve(&self, warm: &[f64]) -> Result<(Vec<DVec3>, Vec<f64>, impinge_qp::Report), QpError> {
        let k = System::new(BlockMatrix::new(&self.pattern, &self.values).unwrap());
        let p = Problem { k, b: &self.b, rows: &self.rows, layout: self.layout };
        let (mut dv, mut mu) = (vec![DVec3::zero(); self.b.len()], warm.to_vec());
        let report = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut mu)?;
        Ok((dv, mu, report))
    }
}

fn load(tower: usize, level: usize) -> DVec3 {
    DVec3::new(0.1 * tower as f64 + 0.02 * level as f64, -0.05 * tower as f64, -1.0 - 0.1 * level as f64)
}

#[test]
fn towers_beside_each_other_get_what_each_gets_alone_to_the_bit() {
    let heights = [3, 1, 2];
    let all = Towers::new(&heights, load);
    let (dv, mu, report) = all.solve(&[]).unwrap();
    assert_eq!(report.status, Some(Status::Solved), "{report}");
    let (mut block, mut row, mut iterations, mut worst) = (0, 0, 0, 0.0f64);
    for (tower, &height) in heights.iter().enumerate() {
        let one = Towers::new(&[height], |_, level| load(tower, level));
        let (x, m, r) = one.solve(&[]).unwrap();
        assert_eq!(dv[block..block + 2 * height], x[..]);
        assert_eq!(mu[row..row + 12 * height], m[..]);
        (block, row, iterations) = (block + 2 * height, row + 12 * height, iterations + r.iterations);
        worst = worst.max(r.kkt.worst());
    }
    assert_eq!((report.iterations, report.kkt.worst()), (iterations, worst));
    // And warm, in one go.
    let (again, _, warm) = all.solve(&mu).unwrap();
    assert!(warm.solved() && warm.iterations <= iterations, "{warm}");
    for (a, b) in again.iter().zip(&dv) {
        assert!((*a - *b).mag() < 1e-9, "{a:?} against {b:?}");
    }
}

/// Of a call that follows another, an island with the same rows and the answer at hand keeps it; one that is changed by a bit does not.
#[test]
fn islands_that_are_answered_keep_their_answer() {
    let mut all = Towers::new(&[3, 1, 2], load);
    let mut solver = Solver::new();
    let (mut dv, mut mu) = (vec![DVec3::zero(); all.b.len()], Vec::new());
    let mut solve = |all: &Towers, settings: &Settings, dv: &mut Vec<DVec3>, mu: &mut Vec<f64>| {
        let k = System::new(BlockMatrix::new(&all.pattern, &all.values).unwrap());
        let p = Problem { k, b: &all.b, rows: &all.rows, layout: all.layout };
        solver.solve(&p, settings, dv, mu).unwrap()
    };
    let settings = Settings::default();
    let first = solve(&all, &settings, &mut dv, &mut mu);
    let before = (dv.clone(), mu.clone());
    for _ in 0..2 {
        let again = solve(&all, &settings, &mut dv, &mut mu);
        assert_eq!((&dv, &mu), (&before.0, &before.1));
        assert!(again.solved() && (again.rounds, again.iterations) == (0, 0), "{again}");
        assert_eq!((again.kkt, again.active), (first.kkt, first.active));
    }
    // A bound of the tower in the middle, whose blocks and rows follow those of the first.
    all.rows.set_bound(36, 1e-3);
    let changed = solve(&all, &settings, &mut dv, &mut mu);
    assert!(changed.solved() && changed.rounds > 0, "{changed}");
    assert_eq!((&dv[..6], &dv[8..]), (&before.0[..6], &before.0[8..]));
    assert_eq!((&mu[..36], &mu[48..]), (&before.1[..36], &before.1[48..]));
    assert_ne!(dv[6..8], before.0[6..8]);
    // Nor do those that were asked for otherwise, or start from somewhere else.
    let finer = Settings { tolerance: 1e-11, ..settings };
    assert!(solve(&all, &finer, &mut dv, &mut mu).rounds > 0);
    mu[0] += 1e-3;
    assert!(solve(&all, &finer, &mut dv, &mut mu).rounds > 0);
}

/// A row between the tops makes one island of two towers; with a bound that never acts the answer is that of the islands.
#[test]
fn joined_by_a_row_that_does_nothing_the_answer_stays() {
    let mut joined = Towers::new(&[2, 2], load);
    let (dv, mu, _) = joined.solve(&[]).unwrap();
    let gradient = [(joined.layout.linear(1), DVec3::unit_x()), (joined.layout.linear(3), -DVec3::unit_x())];
    joined.rows.push(RowKind::Other, 99, 1e3, &gradient).unwrap();
    let (x, m, report) = joined.solve(&[]).unwrap();
    assert!(report.solved(), "{report}");
    for (a, b) in x.iter().zip(&dv) {
        assert!((*a - *b).mag() < 1e-9, "{a:?} against {b:?}");
    }
    // Forces of a box on four corners are not unique; what a tower as a whole presses with is.
    let pressed = |mu: &[f64], rows: std::ops::Range<usize>| rows.step_by(3).map(|i| mu[i]).sum::<f64>();
    for tower in [0..12, 24..36] {
        assert!((pressed(&m, tower.clone()) - pressed(&mu, tower)).abs() < 1e-8);
    }
}

#[test]
fn what_no_row_reaches_moves_as_it_is_pushed() {
    // The second body has no rows: K Δv = b alone.
    let mut free = Towers::new(&[1, 1], load);
    let mut rows = Rows::new();
    for i in 0..4 {
        let of = |row: usize| -> Vec<(u32, DVec3)> {
            let r = free.rows.row(row);
            r.blocks.iter().copied().zip(r.gradients.iter().copied()).collect()
        };
        let normal = rows.push(RowKind::Contact, i as u64, 0.0, &of(3 * i)).unwrap();
        rows.push_friction(normal, 0.5, [&of(3 * i + 1), &of(3 * i + 2)], [0.0; 2]).unwrap();
    }
    free.rows = rows;
    let (dv, _, report) = free.solve(&[]).unwrap();
    assert!(report.solved(), "{report}");
    assert!((dv[2] - load(1, 0)).mag() < 1e-14 && dv[3] == DVec3::zero(), "{dv:?}");
    assert!(dv[0].mag() < 1e-9, "{dv:?}");
    // Pushed by nothing it stays, whatever Δv came.
    free.b[2] = DVec3::zero();
    assert_eq!(free.solve(&[]).unwrap().0[2], DVec3::zero());
}

#[test]
fn a_conflict_in_one_island_is_named_and_nothing_moves() {
    let mut towers = Towers::new(&[1, 1], load);
    // Up by 1 m/s and down by 1 m/s.
    let block = towers.layout.linear(1);
    let first = towers.rows.push(RowKind::Other, 7, -1.0, &[(block, DVec3::unit_z())]).unwrap();
    let second = towers.rows.push(RowKind::Other, 8, -1.0, &[(block, -DVec3::unit_z())]).unwrap();
    let (dv, mu, report) = towers.solve(&[]).unwrap();
    assert_eq!(report.status, Some(Status::Infeasible), "{report}");
    assert!(report.conflict.contains(&second), "{:?}", report.conflict);
    // Down by 1 m/s is against the floor as well: any of those, and no row of the first box.
    assert!(
        report.conflict.iter().all(|&r| r == first || r == second || (12..24).contains(&r)),
        "{report:?}"
    );
    assert!(dv.iter().all(|v| *v == DVec3::zero()) && mu.is_empty());
}

/// Contacts between things on rails name no block, whichever of their rows.
#[test]
fn rows_without_blocks_stay_with_their_friction() {
    for empty in [[true, false, false], [false, true, false], [false, true, true], [true, true, true]] {
        let mut towers = Towers::new(&[1, 1], load);
        let block = towers.layout.linear(1);
        let row = |k: usize, n: DVec3| if empty[k] { Vec::new() } else { vec![(block, n)] };
        let normal = towers.rows.push(RowKind::Contact, 99, 1.0, &row(0, -DVec3::unit_z())).unwrap();
        let [s, t] = [row(1, -DVec3::unit_x()), row(2, -DVec3::unit_y())];
        towers.rows.push_friction(normal, 0.5, [&s, &t], [0.0; 2]).unwrap();
        let (dv, mu, report) = towers.solve(&[]).unwrap();
        let (alone, _, _) = Towers::new(&[1, 1], load).solve(&[]).unwrap();
        assert!(report.solved() && mu.len() == towers.rows.len(), "{report}");
        dv.iter().zip(&alone).for_each(|(a, b)| assert!((*a - *b).mag() < 1e-9, "{empty:?}"));
    }
}

#[test]
fn errors_name_blocks_of_the_whole() {
    let mut towers = Towers::new(&[1, 1, 1], load);
    let heavy = towers.layout.angular(1) as usize;
    towers.values[heavy] = [0.0; 9];
    assert_eq!(towers.solve(&[]).unwrap_err(), QpError::NotDefinite { at: Dof::Angular(1) });
    towers.values[heavy] = [f64::NAN; 9];
    assert_eq!(towers.solve(&[]).unwrap_err(), QpError::NotFinite { at: Dof::Angular(1), what: "K" });
}

#[test]
fn an_island_that_is_not_definite_is_named_by_its_place_in_the_whole() {
    let mut towers = Towers::new(&[1, 1, 1], load);
    // Both blocks of the last body with each other: definite one by one, not together.
    towers.pattern = BlockPattern::new(6, [&[4u32, 5][..]]).unwrap();
    let identity = |f: f64| [f, 0.0, 0.0, 0.0, f, 0.0, 0.0, 0.0, f];
    towers.values[4] = identity(1.0);
    towers.values[5] = identity(1.0);
    towers.values.push(identity(2.0));
    let e = towers.solve(&[]).unwrap_err();
    assert!(matches!(e, QpError::NotDefinite { at: Dof::Linear(2) | Dof::Angular(2) }), "{e}");
}
