//! Friction on more contacts than the dense methods take: cloth on an incline and on a sphere.

use crate::cloth::{Falling, H};
use impinge_geometry::DVec3;
use impinge_qp::{Kkt, Problem, Report, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, System};

/// Steps of a cloth, each from the multipliers of the last.
struct Run {
    solver: Solver,
    old: Rows,
    mu: Vec<f64>,
}

impl Run {
    fn new() -> Self {
        Self { solver: Solver::new(), old: Rows::new(), mu: Vec::new() }
    }

    fn step(&mut self, cloth: &mut Falling) -> (Report, Vec<DVec3>) {
        cloth.assemble();
        let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values).unwrap();
        let p = Problem::of_nodes(System::new(matrix), &cloth.b, &cloth.rows);
        self.mu = cloth.rows.carry(&self.old, &self.mu);
        let mut dv = vec![DVec3::zero(); cloth.x.len()];
        let settings = Settings { tolerance: 1e-9, ..Settings::default() };
        let report = self.solver.solve(&p, &settings, &mut dv, &mut self.mu).unwrap();
        assert!(report.solved(), "{report}");
        assert!(Kkt::measure(&p, &dv, &self.mu, 0.0).worst() <= 1e-9, "{report}");
        self.old = cloth.rows.clone();
        (report, dv)
    }

    /// Coulomb's law of every contact with what the step ends with: contacts that stick, and that slip.
    fn coulomb(&self, cloth: &Falling, dv: &[DVec3]) -> (usize, usize) {
        let (rows, mu) = (&cloth.rows, &self.mu);
        let most = mu.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let fastest = cloth.v.iter().zip(dv).fold(0.0, |m: f64, (v, d)| m.max((*v + *d).mag()));
        let (mut stick, mut slips) = (0, 0);
        for f in rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let (force, normal) = ((mu[a] * mu[a] + mu[b] * mu[b]).sqrt(), mu[f.normal as usize]);
            // The tangents' bounds are the slip before the step.
            let slip = [a, b].map(|t| rows.dot(t, dv) - rows.bounds()[t]);
            let speed = (slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
            assert!(normal >= 0.0 && force <= f.mu * normal + 1e-9 * most, "{force} N s of {normal}");
            let power = mu[a] * slip[0] + mu[b] * slip[1];
            // A force against the slip, and all of it; what is short of that is at rest.
            let lacks = f.mu * normal * speed - power;
            assert!(lacks.abs() <= 1e-8 * most * fastest.max(1e-3), "{lacks} J of {power} J");
            if normal > 1e-6 * most {
                (stick, slips) = (stick + usize::from(speed <= 1e-8), slips + usize::from(speed > 1e-8));
            }
        }
        (stick, slips)
    }
}

/// tan 30° = 0.577: with less friction the cloth slides with g (sin − μ cos), with more it stays where it is.
#[test]
fn a_cloth_on_an_incline_slides_or_stays() {
    let (n, down) = (DVec3::new(0.5, 0.0, 0.75f64.sqrt()), DVec3::new(0.75f64.sqrt(), 0.0, -0.5));
    for (mu, acceleration) in [(0.3, 9.81 * (0.5 - 0.3 * 0.75f64.sqrt())), (0.6, 0.0)] {
        let mut cloth = Falling::new(24, 1e5);
        (cloth.friction, cloth.plane, cloth.keep) = (mu, Some(n), 1.0);
        // From its own plane onto the incline, by the turn about y.
        for x in &mut cloth.x {
            *x = down * x.x + DVec3::unit_y() * x.y;
        }
        cloth.v.fill(DVec3::zero());
        let mut run = Run::new();
        for step in 1..=5 {
            let (report, dv) = run.step(&mut cloth);
            let (stick, slips) = run.coulomb(&cloth, &dv);
            let (all, still) = (cloth.x.len(), acceleration == 0.0);
            assert_eq!(
                (stick, slips),
                if still { (all, 0) } else { (0, all) },
                "{mu}, step {step}: {report}"
            );
            cloth.advance(&dv);
            let wanted = down * (acceleration * H * f64::from(step));
            let off = cloth.v.iter().fold(0.0, |m: f64, v| m.max((*v - wanted).mag()));
            assert!(off <= 1e-8, "{mu}, step {step}: {off} m/s");
        }
    }
}

/// Sticking on top and slipping down the side, by one system.
#[test]
fn a_cloth_on_a_sphere_sticks_on_top_and_slips_beside() {
    let mut cloth = Falling::new(24, 1e5);
    cloth.friction = 0.3;
    let mut run = Run::new();
    let (mut both, mut most) = (0, 0);
    for step in 0..20 {
        let (report, dv) = run.step(&mut cloth);
        let (stick, slips) = run.coulomb(&cloth, &dv);
        println!("{step}: {stick} stick, {slips} slip, {report}");
        both += usize::from(stick > 0 && slips > 0);
        most = most.max(stick + slips);
        cloth.advance(&dv);
    }
    assert!(both >= 5 && most > 30, "{both} steps with both, {most} contacts");
}

/// The last contact of a step lets go: nothing drives Δv, its gap opens, and a force is remembered from the step before.
#[test]
fn what_lets_go_is_solved() {
    let n = 100u32;
    let links: Vec<[u32; 2]> = (1..n).map(|i| [i - 1, i]).collect();
    let pattern = impinge_solvers::BlockPattern::new(n as usize, links.iter().map(|l| &l[..])).unwrap();
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    values[..n as usize].iter_mut().for_each(|v| (0..3).for_each(|k| v[4 * k] = 2.1));
    values[n as usize..].iter_mut().for_each(|v| (0..3).for_each(|k| v[4 * k] = -1.0));
    let b = vec![DVec3::zero(); n as usize];
    for (gap, remembered) in [(0.5, 1e-3), (1e-3, 1e-3), (0.5, 1e-9), (1e-6, 1.0)] {
        let mut rows = Rows::new();
        let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
        let normal = rows.push(impinge_qp::RowKind::Contact, 0, gap, &[(50, -z)]).unwrap();
        rows.push_friction(normal, 0.3, [&[(50, x)], &[(50, y)]], [0.2, -0.1]).unwrap();
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        let (mut dv, mut mu) = (vec![DVec3::zero(); n as usize], vec![remembered, 0.1 * remembered, 0.0]);
        let report = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        assert!(report.solved(), "{gap}, {remembered}: {report}");
        let fastest = dv.iter().fold(0.0, |m: f64, v| m.max(v.mag()));
        assert!(fastest <= 1e-12 * gap, "{gap}, {remembered}: {fastest} m/s of {report}");
        assert!(mu.iter().all(|m| m.abs() <= 1e-12 * gap), "{mu:?}");
    }
}
