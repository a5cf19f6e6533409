//! The loop around the QP: rows gather until a pass is clean; what cannot be made clean stands still in time.

use impinge_ccd::{Kind, touches, vertex_face};
use impinge_geometry::DVec3;
use impinge_qp::{
    Detector, OuterSettings, Penetration, Point, Problem, QpError, RowError, RowKind, Rows, Settings, Solver,
    Status, ccd_row, push_points, resolve,
};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, System};

const H: f64 = 0.01;

/// Beads on a vertical wire above a floor: bead i may not pass bead i − 1, the lowest not the floor.
struct Beads {
    z: Vec<f64>,
    v: Vec<DVec3>,
    /// Detection finds nothing, penetration does.
    blind: bool,
}

impl Beads {
    fn end(&self, dv: &[DVec3], i: usize) -> f64 {
        self.z[i] + H * (self.v[i].z + dv[i].z)
    }

    /// Height of what lies under bead i: (start, end).
    fn under(&self, dv: &[DVec3], i: usize) -> (f64, f64) {
        if i == 0 { (0.0, 0.0) } else { (self.z[i - 1], self.end(dv, i - 1)) }
    }
}

impl Detector for Beads {
    fn append(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        let mut new = 0;
        for i in 0..self.z.len() {
            if self.blind
                || rows.keys().contains(&(i as u64))
                || self.end(dv, i) >= self.under(dv, i).1 - 1e-12
            {
                continue;
            }
            let below = if i == 0 { 0.0 } else { self.v[i - 1].z };
            let c = (self.z[i] - self.under(dv, i).0) / H + self.v[i].z - below;
            let g = [(i as u32, -DVec3::unit_z()), ((i as u32).wrapping_sub(1), DVec3::unit_z())];
            rows.push(RowKind::Contact, i as u64, c, &g)?;
            new += 1;
        }
        Ok(new)
    }

    fn penetrations(&mut self, dv: &[DVec3], out: &mut Vec<Penetration>) {
        for i in 0..self.z.len() {
            let (u0, u1) = self.under(dv, i);
            let (g0, g1) = (self.z[i] - u0, self.end(dv, i) - u1);
            if g1 < -1e-12 {
                let blocks = if i == 0 { vec![0] } else { vec![i as u32, i as u32 - 1] };
                out.push(Penetration { blocks, t: g0 / (g0 - g1) });
            }
        }
    }
}

fn run(beads: &mut Beads, settings: &OuterSettings) -> (impinge_qp::OuterReport, Vec<DVec3>, Rows) {
    let n = beads.z.len();
    let pattern = BlockPattern::new(n, []).unwrap();
    let values: Vec<[f64; 9]> = (0..n)
        .map(|i| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].map(|v: f64| v * (1.0 + i as f64)))
        .collect();
    let b = vec![DVec3::zero(); n];
    let empty = Rows::new();
    let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &empty);
    let (mut rows, mut dv, mut mu) = (Rows::new(), vec![DVec3::zero(); n], Vec::new());
    let v = beads.v.clone();
    let report = resolve(&mut Solver::new(), &p, &mut rows, &v, beads, settings, &mut dv, &mut mu).unwrap();
    (report, dv, rows)
}

fn falling(n: usize) -> Beads {
    // The upper ones fall faster: each is caught only once the one below has been stopped.
    let z = (0..n).map(|i| 0.001 + 0.02 * i as f64).collect();
    let v = (0..n).map(|i| DVec3::new(0.0, 0.0, -1.0 - 1.95 * i as f64)).collect();
    Beads { z, v, blind: false }
}

#[test]
fn rows_gather_until_a_pass_is_clean() {
    let mut beads = falling(5);
    let (report, dv, rows) = run(&mut beads, &OuterSettings::default());
    assert!(report.clean && report.clamped == 0 && report.left == 0, "{report:?}");
    assert!(report.solves.len() >= 3, "one pass was enough: the test is too easy");
    assert!(!rows.is_empty());
    for i in 0..5 {
        assert!(beads.end(&dv, i) >= beads.under(&dv, i).1 - 1e-12, "bead {i} has passed");
    }
}

#[test]
fn what_cannot_be_made_clean_is_cut_where_it_would_touch() {
    let mut beads = falling(4);
    beads.blind = true;
    let (report, dv, _) = run(&mut beads, &OuterSettings::default());
    assert!(report.clamped > 0 && report.left == 0 && report.smallest_fraction < 1.0, "{report:?}");
    for i in 0..4 {
        assert!(beads.end(&dv, i) >= beads.under(&dv, i).1 - 1e-12, "bead {i} has passed");
    }
    // Too few rounds are the same case.
    let mut beads = falling(5);
    let (report, dv, _) = run(&mut beads, &OuterSettings { rounds: 1, ..OuterSettings::default() });
    assert!(!report.clean && report.left == 0);
    assert!((0..5).all(|i| beads.end(&dv, i) >= beads.under(&dv, i).1 - 1e-12));
}

/// A vertex that shoots at a free triangle, by continuous collision detection.
struct Shot {
    x: [DVec3; 4],
    v: [DVec3; 4],
}

impl Shot {
    fn end(&self, dv: &[DVec3]) -> [DVec3; 4] {
        std::array::from_fn(|i| self.x[i] + (self.v[i] + dv[i]) * H)
    }
}

impl Detector for Shot {
    fn append(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        let Ok(Some(hit)) = vertex_face(&self.x, &self.end(dv)) else { return Ok(0) };
        let layout = Layout { nodes: 4, bodies: 0 };
        let points = [Point::Node(0), Point::Node(1), Point::Node(2), Point::Node(3)];
        let row = ccd_row(&self.x, &self.v, &hit, 1e-3, H);
        push_points(rows, &layout, RowKind::Contact, rows.len() as u64, &points, &row)?;
        Ok(1)
    }

    fn penetrations(&mut self, dv: &[DVec3], out: &mut Vec<Penetration>) {
        if touches(Kind::VertexFace, &self.x, &self.end(dv)) == Ok(true) {
            out.push(Penetration { blocks: vec![0, 1, 2, 3], t: 0.0 });
        }
    }
}

#[test]
fn a_shot_at_a_spinning_triangle_stays_outside() {
    for spin in [0.0, 20.0, 60.0] {
        let x = [DVec3::new(0.25, 0.25, 0.05), DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        let mut v = [DVec3::new(0.0, 0.0, -30.0); 4];
        (1..4).for_each(|i| v[i] = DVec3::new(0.0, 0.0, spin * (x[i].x - 0.3)));
        let pattern = BlockPattern::new(4, []).unwrap();
        let values = vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; 4];
        let (b, empty) = (vec![DVec3::zero(); 4], Rows::new());
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &empty);
        let mut shot = Shot { x, v };
        let (mut rows, mut dv, mut mu) = (Rows::new(), vec![DVec3::zero(); 4], Vec::new());
        let settings = OuterSettings::default();
        let report =
            resolve(&mut Solver::new(), &p, &mut rows, &v, &mut shot, &settings, &mut dv, &mut mu).unwrap();
        assert_eq!(touches(Kind::VertexFace, &x, &shot.end(&dv)), Ok(false), "{report:?}");
        assert!(report.clean && report.clamped == 0, "spin {spin}: {report:?}");
        assert!(report.solves.iter().all(|s| s.status == Some(Status::Solved)));
        let momentum = dv.iter().fold(DVec3::zero(), |s, d| s + *d);
        assert!(momentum.mag() < 1e-12, "equal masses exchange momentum: {momentum:?}");
    }
}

/// Each vector that is too long or too short is the one that the message names.
#[test]
fn a_wrong_length_names_its_vector() {
    let pattern = BlockPattern::new(2, []).unwrap();
    let values = [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; 2];
    let k = System::new(BlockMatrix::new(&pattern, &values).unwrap());
    let empty = Rows::new();
    let solve = |b: usize, v: usize, dv: usize, nodes: usize| {
        let (b, v, mut dv) = (vec![DVec3::zero(); b], vec![DVec3::zero(); v], vec![DVec3::zero(); dv]);
        let layout = Layout { nodes, bodies: 0 };
        let p = Problem { k, b: &b, rows: &empty, layout };
        let alone = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut Vec::new());
        let (mut rows, mut beads) = (Rows::new(), Beads { z: vec![1.0; 2], v: v.clone(), blind: true });
        let settings = OuterSettings::default();
        let (mut solver, mut mu) = (Solver::new(), Vec::new());
        let looped = resolve(&mut solver, &p, &mut rows, &v, &mut beads, &settings, &mut dv, &mut mu);
        (alone.map(|_| ()), looped.map(|_| ()))
    };
    let problem = |b: usize, layout: usize| QpError::Length { k: 2, b, layout };
    let vector = |what, blocks| QpError::VectorLength { what, blocks, k: 2 };
    assert_eq!(solve(3, 2, 2, 2), (Err(problem(3, 2)), Err(problem(3, 2))));
    assert_eq!(solve(3, 3, 3, 2), (Err(problem(3, 2)), Err(problem(3, 2))));
    assert_eq!(solve(2, 2, 2, 1), (Err(problem(2, 1)), Err(problem(2, 1))));
    assert_eq!(solve(2, 2, 3, 2), (Err(vector("dv", 3)), Err(vector("dv", 3))));
    assert_eq!(solve(2, 1, 2, 2), (Ok(()), Err(vector("v", 1))));
    assert_eq!(
        vector("dv", 3).to_string(),
        "dv has 3 blocks, K has 2; they must be the same (nodes + 2 bodies)"
    );
}
