//! Coulomb's cone on rows: sticking is exact, sliding has the closed forms of a block on an incline.

use impinge_geometry::{DMat3, DVec3};
use impinge_qp::{
    Point, Problem, RowKind, Rows, Settings, Solver, contact_row, friction_rows, push_friction_points,
    push_points,
};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, System};

const G: f64 = 9.8;
const H: f64 = 1e-3;

/// A rigid box of side 2a on a plane through the origin with the given unit normal, four corners in contact.
struct Block {
    layout: Layout,
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    arms: [DVec3; 4],
    normal: DVec3,
}

impl Block {
    fn new(tan: f64, height: f64) -> Self {
        let layout = Layout { nodes: 0, bodies: 1 };
        let pattern = BlockPattern::new(2, [&[0u32, 1][..]]).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        // 1 kg, 0.1 m wide.
        let (w, h) = (0.1, height);
        let i = |a: f64, b: f64| (a * a + b * b) / 12.0;
        let inertia = DMat3::new(
            DVec3::new(i(w, h), 0.0, 0.0),
            DVec3::new(0.0, i(w, h), 0.0),
            DVec3::new(0.0, 0.0, i(w, w)),
        );
        layout.add_rigid_mass(0, DVec3::one(), &inertia, &mut values);
        let arms = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
            .map(|(x, y)| DVec3::new(0.5 * w * x, 0.5 * w * y, -0.5 * h));
        // The plane is z = 0 in the box's frame; gravity is tilted instead.
        let _ = tan;
        Self { layout, pattern, values, arms, normal: DVec3::unit_z() }
    }

    /// One step from (v, ω) with gravity tilted by tan; new (v, ω), and the largest KKT residual.
    fn step(
        &self,
        solver: &mut Solver,
        state: &mut [DVec3; 2],
        warm: &mut Vec<f64>,
        mu: f64,
        tan: f64,
    ) -> (f64, f64) {
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        let g = DVec3::new(G * tan * cos, 0.0, -G * cos);
        let mut rows = Rows::new();
        for (k, &arm) in self.arms.iter().enumerate() {
            let points = [Point::Body { body: 0, arm }, Point::Fixed, Point::Fixed, Point::Fixed];
            let v = [state[0] + state[1].cross(arm), DVec3::zero(), DVec3::zero(), DVec3::zero()];
            let x = [arm + DVec3::new(0.0, 0.0, -arm.z), DVec3::zero(), DVec3::zero(), DVec3::zero()];
            let weight = [1.0, -1.0, 0.0, 0.0];
            let row = contact_row(&x, &v, &weight, self.normal, 0.0, H);
            let n = push_points(&mut rows, &self.layout, RowKind::Contact, k as u64, &points, &row).unwrap();
            let t = friction_rows(&v, &weight, self.normal);
            push_friction_points(&mut rows, &self.layout, n, mu, &points, &t).unwrap();
        }
        let b = [g * H, DVec3::zero()];
        let k = System::new(BlockMatrix::new(&self.pattern, &self.values).unwrap());
        let p = Problem { k, b: &b, rows: &rows, layout: self.layout };
        let mut dv = [DVec3::zero(); 2];
        let report = solver.solve(&p, &Settings::default(), &mut dv, warm).unwrap();
        assert!(report.solved(), "{report}");
        // In the cone to rounding, however far off the discs of the last round were.
        for f in rows.friction() {
            let [t, u] = f.tangent.map(|t| warm[t as usize]);
            let most = f.mu * warm[f.normal as usize];
            assert!((t * t + u * u).sqrt() <= most * (1.0 + 4.0 * f64::EPSILON), "{t} and {u} of {most}");
        }
        state[0] += dv[0];
        state[1] += dv[1];
        let normal: f64 = rows.friction().iter().map(|f| warm[f.normal as usize]).sum();
        (normal, report.kkt.worst())
    }
}

#[test]
fn a_block_sticks_on_the_incline_without_creep_and_slides_beyond() {
    for height in [0.1, 0.3] {
        let tan = 0.3;
        let block = Block::new(tan, height);
        // Tall: 0.3 m on 0.1 m tips at tan = 1/3; friction carries the torque to the lower corners.
        for (mu, slides) in [(0.35, false), (0.3001, false), (0.2999, true), (0.1, true)] {
            let (mut solver, mut state, mut warm) = (Solver::new(), [DVec3::zero(); 2], Vec::new());
            let steps = 50;
            let cos = 1.0 / (1.0 + tan * tan).sqrt();
            for _ in 0..steps {
                let (normal, _) = block.step(&mut solver, &mut state, &mut warm, mu, tan);
                // The weight test: the normal impulses carry the box.
                assert!((normal - G * cos * H).abs() < 1e-9 * G * H, "{normal}");
            }
            let t = f64::from(steps) * H;
            let want = if slides { G * cos * (tan - mu) * t } else { 0.0 };
            let speed = state[0].x;
            let allowed = if slides { 1e-6 * want + 1e-12 } else { 1e-12 };
            assert!((speed - want).abs() <= allowed, "height {height} mu {mu}: {speed} is not {want}");
            assert!(state[1].mag() < 1e-9, "it turned: {:?}", state[1]);
        }
    }
}

#[test]
fn a_stopping_block_brakes_with_mu_g_and_then_stands() {
    let block = Block::new(0.0, 0.1);
    let (mut solver, mut warm) = (Solver::new(), Vec::new());
    let (mut state, mu) = ([DVec3::new(0.03, 0.04, 0.0), DVec3::zero()], 0.5);
    for step in 0..20 {
        block.step(&mut solver, &mut state, &mut warm, mu, 0.0);
        let want = (0.05 - f64::from(step + 1) * mu * G * H).max(0.0);
        assert!((state[0].mag() - want).abs() < 1e-9, "step {step}: {} is not {want}", state[0].mag());
        if want > 0.0 {
            assert!((state[0].y / state[0].x - 4.0 / 3.0).abs() < 1e-6, "it swerved");
        }
    }
    assert!(state[0].mag() < 1e-13);
}

/// Corners that are level but for a hair contradict each other, and stay so however often they are solved: what rests is solved once.
#[test]
fn what_rests_takes_one_round() {
    let block = Block::new(0.0, 0.1);
    let pattern = BlockPattern::new(2, std::iter::empty::<&[u32]>()).unwrap();
    let b = [DVec3::new(0.0, 0.0, -G * H), DVec3::zero()];
    let mut rows = Rows::new();
    for (k, &arm) in block.arms.iter().enumerate() {
        let points = [Point::Body { body: 0, arm }, Point::Fixed, Point::Fixed, Point::Fixed];
        let (still, weight) = ([DVec3::zero(); 4], [1.0, -1.0, 0.0, 0.0]);
        let row = contact_row(&still, &still, &weight, block.normal, 0.0, H);
        let n = push_points(&mut rows, &block.layout, RowKind::Contact, k as u64, &points, &row).unwrap();
        rows.set_bound(n as usize, [0.0, 1e-13, 0.0, 0.0][k]);
        rows.set_rounding(n as usize, 1e-12);
        let t = friction_rows(&still, &weight, block.normal);
        push_friction_points(&mut rows, &block.layout, n, 0.5, &points, &t).unwrap();
    }
    let k = System::new(BlockMatrix::new(&pattern, &block.values[..2]).unwrap());
    let p = Problem { k, b: &b, rows: &rows, layout: block.layout };
    let settings = Settings { velocity_tolerance: 0.0, ..Settings::default() };
    let mut mu = Vec::new();
    for warm in [false, true] {
        let mut dv = [DVec3::zero(); 2];
        let report = Solver::new().solve(&p, &settings, &mut dv, &mut mu).unwrap();
        assert!(report.solved() && (!warm || report.rounds == 1), "{report}");
        let normal: f64 = rows.friction().iter().map(|f| mu[f.normal as usize]).sum();
        assert!((normal / (G * H) - 1.0).abs() < 1e-11 && dv[0].mag() < 2e-13, "{normal} {dv:?}");
    }
}

#[test]
fn no_friction_without_pressure_and_none_with_mu_0() {
    let block = Block::new(0.0, 0.1);
    let (mut solver, mut warm) = (Solver::new(), Vec::new());
    let mut state = [DVec3::new(0.3, 0.0, 1.0), DVec3::zero()];
    block.step(&mut solver, &mut state, &mut warm, 0.7, 0.0);
    assert_eq!(state[0].x, 0.3, "a block that leaves is not braked");
    assert!(warm.iter().all(|m| *m == 0.0));
    let mut state = [DVec3::new(0.3, 0.0, -1.0), DVec3::zero()];
    block.step(&mut solver, &mut state, &mut warm, 0.0, 0.0);
    assert_eq!(state[0].x, 0.3);
    assert!(state[0].z.abs() < 1e-12);
}

/// A box on four corners and the middles of its sides, twice as many contacts as hold it, pushed aside and turned as it slides: the normal
/// forces are not unique. (Rounds of discs settle here; where they do not is in `impinge-world`, `tests/qp.rs`.)
#[test]
fn redundant_contacts_that_slide_are_solved() {
    let mut worst = 0.0f64;
    for case in 0..60 {
        let block = Block::new(0.0, 0.1);
        let mut rows = Rows::new();
        let mut arms = Vec::new();
        for x in [-0.05, 0.0, 0.05] {
            for y in [-0.05, 0.0, 0.05] {
                if x != 0.0 || y != 0.0 {
                    arms.push(DVec3::new(x, y, -0.05));
                }
            }
        }
        for (k, &arm) in arms.iter().enumerate() {
            let row = |n: DVec3| block.layout.body_gradient(0, arm, -n);
            // Gaps of some micrometres a step, not all alike.
            let gap = 1e-4 * f64::from(((7 * k + 3 * case) % 5) as u32);
            let normal = rows.push(RowKind::Contact, k as u64, gap, &row(DVec3::unit_z())).unwrap();
            let [s, t] = [row(DVec3::unit_x()), row(DVec3::unit_y())];
            // Slides at 1 m/s aside, slower the other way, and turns.
            let v = DVec3::new(1.0, 0.05 * case as f64, 0.0) + DVec3::new(0.0, 0.0, 3.0).cross(arm);
            rows.push_friction(normal, 0.3, [&s, &t], [v.x, v.y]).unwrap();
        }
        let k = System::new(BlockMatrix::new(&block.pattern, &block.values).unwrap());
        let angle = 0.1 * case as f64;
        let b = [DVec3::new(0.2 * angle.cos(), 0.2 * angle.sin(), -1.0) * 0.01, DVec3::new(0.0, 2e-4, 1e-4)];
        let p = Problem { k, b: &b, rows: &rows, layout: block.layout };
        let (mut dv, mut mu) = (vec![DVec3::zero(); 2], Vec::new());
        let report = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        assert!(report.solved(), "case {case}: {report}");
        worst = worst.max(report.kkt.worst());
    }
    assert!(worst <= 1e-10, "{worst:e}");
}

/// Without a load every residual of a rest is a ratio of what is left of the warm start: rounds would not end for as long as that is a number.
#[test]
fn what_nothing_presses_forgets_the_impact_before() {
    let block = Block::new(0.0, 0.1);
    let k = System::new(BlockMatrix::new(&block.pattern, &block.values).unwrap());
    for bound in [0.0, -1e-17, 1e-17] {
        let mut rows = Rows::new();
        let gradient = [(0u32, -block.normal), (1, DVec3::zero())];
        rows.push(RowKind::Contact, 7, bound, &gradient).unwrap();
        let p = Problem { k, b: &[DVec3::zero(); 2], rows: &rows, layout: block.layout };
        let (mut dv, mut mu) = ([DVec3::zero(); 2], vec![2.5]);
        let report = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        assert!(report.solved(), "{bound:e}: {report}");
        assert!(dv[0].mag() <= 2.0 * bound.abs() && mu[0] <= 2.0 * bound.abs(), "{bound:e}: {dv:?} {mu:?}");
    }
}
