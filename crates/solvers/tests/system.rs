//! Rigid bodies and deformables in one system, constraints by direction, threads, memory, the choice.
//! A program of its own: its allocator counts.

#[path = "all/support/mod.rs"]
mod support;

use impinge_geometry::{DMat3, DVec3};
use impinge_solvers::{
    BlockMatrix, BlockPattern, CgWorkspace, Choice, DYNAMIC_COLUMNS, Filter, Layout, LowRank, Method,
    Operator, Outcome, Problem, Settings, Solver, Ssor, System, TwoLevel, pcg,
};
use std::alloc::{GlobalAlloc, Layout as Memory, System as Heap};
use std::cell::Cell;
use support::elastic::{elastic, load};
use support::{distance, eliminate, full, held, size, vector};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[allow(unsafe_code)]
// SAFETY: everything is handed to the system's allocator; the counter is a plain cell of this thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, m: Memory) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|a| a.set(a.get() + 1));
        unsafe { Heap.alloc(m) }
    }
    unsafe fn dealloc(&self, p: *mut u8, m: Memory) {
        unsafe { Heap.dealloc(p, m) }
    }
    unsafe fn realloc(&self, p: *mut u8, m: Memory, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|a| a.set(a.get() + 1));
        unsafe { Heap.realloc(p, m, size) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn a_stiff_contact_between_a_node_and_a_rigid_body_by_sherman_and_morrison() {
    // (M + k g gᵀ) u = p  ⇒  u = M⁻¹p − M⁻¹g · k (gᵀM⁻¹p) / (1 + k gᵀM⁻¹g).
    let layout = Layout { nodes: 1, bodies: 1 };
    let p = BlockPattern::new(layout.blocks(), std::iter::empty::<&[u32]>()).unwrap();
    let mut v = vec![[0.0; 9]; p.blocks()];
    v[0] = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    let inertia = DMat3::new(DVec3::new(2.0, 0.1, 0.0), DVec3::new(0.1, 3.0, 0.2), DVec3::new(0.0, 0.2, 4.0));
    layout.add_rigid_mass(0, DVec3::broadcast(8.0), &inertia, &mut v);
    let (n, arm, k) = (DVec3::new(0.6, 0.0, 0.8), DVec3::new(0.3, -0.2, 0.5), 1e4);
    let [linear, angular] = layout.body_gradient(0, arm, n);
    assert_eq!((linear.0, angular.0), (1, 2));
    let mut contacts = LowRank::default();
    contacts.push(k, &[(0, n), (linear.0, -linear.1), (angular.0, -angular.1)]).unwrap();
    let matrix = BlockMatrix::new(&p, &v).unwrap();
    let system = System::with_contacts(matrix, &contacts).unwrap();
    let b = [DVec3::new(0.0, 0.0, -3.0), DVec3::new(1.0, 2.0, 0.0), DVec3::new(0.0, 0.5, 0.1)];
    let inverse = impinge_geometry::inverse(&inertia).unwrap();
    let m_inv = |x: [DVec3; 3]| [x[0] / 0.5, x[1] / 8.0, inverse * x[2]];
    let g = [n, -n, -arm.cross(n)];
    let dot = |a: [DVec3; 3], b: [DVec3; 3]| a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2]);
    let (mg, mp) = (m_inv(g), m_inv(b));
    let s = k * dot(g, mp) / (1.0 + k * dot(g, mg));
    for method in [Method::Dense, Method::Factor, Method::Ssor, Method::BlockJacobi, Method::Minres] {
        let mut solver = Solver::new(&p, &[DVec3::zero()], Choice::forced(method)).unwrap();
        solver.update(&system, &Filter::none()).unwrap();
        let mut x = vec![DVec3::zero(); 3];
        let settings = Settings { tolerance: 1e-11, max_iterations: 100 };
        let o = solver.solve(&system, &Filter::none(), &b, &mut x, &settings);
        assert!(o.converged, "{method:?}: {o}");
        for i in 0..3 {
            assert!((x[i] - (mp[i] - mg[i] * s)).mag() < 1e-9, "{method:?} {:?}", x);
        }
        // Momentum: what the node gets the body loses.
        let given = (x[0] * 0.5 - b[0]) + (x[1] * 8.0 - b[1]);
        assert!(given.mag() < 1e-9, "{method:?}");
    }
}

#[test]
fn an_elastic_block_on_a_rigid_plate_is_one_matrix_or_matrix_and_contacts() {
    // The same springs once as stencils of the pattern and once as rows of low rank.
    let e = elastic(4, 1e5, 1.0, 1.0 / 3600.0);
    let layout = Layout { nodes: e.x.len(), bodies: 1 };
    let floor: Vec<u32> = (0..16).collect();
    let stencils: Vec<[u32; 3]> = floor.iter().map(|&i| [i, layout.linear(0), layout.angular(0)]).collect();
    let all = e.tets.iter().map(|t| &t[..]).chain(stencils.iter().map(|s| &s[..]));
    let joint = BlockPattern::new(layout.blocks(), all).unwrap();
    let loose = BlockPattern::new(layout.blocks(), e.tets.iter().map(|t| &t[..])).unwrap();
    let mut contacts = LowRank::default();
    let mut fill = |pattern: &BlockPattern, springs: bool| {
        let mut v = vec![[0.0; 9]; pattern.blocks()];
        for i in 0..e.x.len() as u32 {
            v[pattern.slot(i, i) as usize] = e.values[i as usize];
            for &j in e.pattern.row(i as usize) {
                v[pattern.slot(i, j) as usize] = e.values[e.pattern.slot(i, j) as usize];
            }
        }
        layout.add_rigid_mass(0, DVec3::broadcast(50.0), &DMat3::identity(), &mut v);
        for s in &stencils {
            let arm = e.x[s[0] as usize] - DVec3::new(0.5, 0.5, -0.1);
            let [l, a] = layout.body_gradient(0, arm, DVec3::unit_z());
            let g = [DVec3::unit_z(), -l.1, -a.1];
            if !springs {
                contacts.push(300.0, &[(s[0], g[0]), (s[1], g[1]), (s[2], g[2])]).unwrap();
                continue;
            }
            let mut slots = Vec::new();
            pattern.push_slots(s, &mut slots);
            for (k, &slot) in slots.iter().enumerate().filter(|s| *s.1 != u32::MAX) {
                let (u, w): ([f64; 3], [f64; 3]) = (g[k / 3].into(), g[k % 3].into());
                for q in 0..9 {
                    v[slot as usize][q] += 300.0 * u[q / 3] * w[q % 3];
                }
            }
        }
        v
    };
    let (in_pattern, apart) = (fill(&joint, true), fill(&loose, false));
    let one = System::new(BlockMatrix::new(&joint, &in_pattern).unwrap());
    let two = System::with_contacts(BlockMatrix::new(&loose, &apart).unwrap(), &contacts).unwrap();
    let mut b = load(&e);
    b.extend([DVec3::new(0.0, 0.0, -8.0), DVec3::new(0.1, 0.0, 0.0)]);
    let settings = Settings { tolerance: 1e-11, max_iterations: 2000 };
    // Fixed for good and along one skew direction.
    let mut filter = Filter::none();
    filter.fix(layout.angular(0));
    filter.hold(20, DVec3::new(1.0, 2.0, 2.0)).unwrap();
    let solve = |system: &System<'_>, method| {
        let mut s = Solver::new(system.matrix().pattern(), &e.x, Choice::forced(method)).unwrap();
        s.update(system, &filter).unwrap();
        let mut x = vec![DVec3::zero(); b.len()];
        let o = s.solve(system, &filter, &b, &mut x, &settings);
        assert!(o.converged, "{method:?}: {o}");
        assert!(x[20].dot(DVec3::new(1.0, 2.0, 2.0)).abs() < 1e-12 * size(&x));
        assert_eq!(x[layout.angular(0) as usize], DVec3::zero());
        x
    };
    let reference = solve(&one, Method::Dense);
    for method in [Method::Dense, Method::Factor, Method::Ssor, Method::TwoLevel, Method::BlockJacobi] {
        for system in [&one, &two] {
            let x = solve(system, method);
            let error = distance(&x, &reference) / size(&reference);
            assert!(error < 1e-8, "{method:?}: {error:.1e}");
        }
    }
    // The operators agree too.
    let x = vector(b.len(), 5);
    let (mut y1, mut y2) = (vec![DVec3::zero(); b.len()], vec![DVec3::zero(); b.len()]);
    Operator::apply(&one, &x, &mut y1, &mut Default::default());
    Operator::apply(&two, &x, &mut y2, &mut Default::default());
    assert!(distance(&y1, &y2) < 1e-12 * size(&y1));
}

#[test]
fn three_held_directions_fix_a_node_and_two_the_same_are_one() {
    let mut f = Filter::none();
    let d = DVec3::new(1.0, 1.0, 0.0);
    f.hold(2, d).unwrap();
    f.hold(2, d * -3.0).unwrap();
    let p = f.projector(2).copied().unwrap();
    assert!((p[0] + p[4] + p[8] - 2.0).abs() < 1e-12);
    f.hold(2, DVec3::new(1.0, 0.0, 1.0)).unwrap();
    f.hold(2, DVec3::new(0.0, 1.0, 5.0)).unwrap();
    assert_eq!(f.projector(2), Some(&[0.0; 9]));
    f.release(2);
    assert!(f.is_empty() && f.projector(2).is_none());
}

fn solve_with_threads(threads: usize, parts: usize) -> Vec<(Outcome, Vec<DVec3>)> {
    let e = elastic(18, 1.1e5, 1.0, 1.0 / 3600.0);
    let mut contacts = LowRank::default();
    contacts.push(50.0, &[(0, DVec3::unit_z()), (5000, -DVec3::unit_z())]).unwrap();
    let matrix = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let system = System::with_contacts(matrix, &contacts).unwrap();
    let b = load(&e);
    let mut filter = Filter::none();
    filter.fix(100);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut ws = CgWorkspace::default();
        let settings = Settings::default();
        let mut ssor = Ssor::new(&e.pattern, parts);
        ssor.update(&system, &filter).unwrap();
        let mut two = TwoLevel::new(&e.pattern, &e.x);
        two.update(&system, &filter).unwrap();
        let mut x = [(); 3].map(|()| vec![DVec3::zero(); b.len()]);
        let outcomes = [
            ssor.solve(&system, &filter, &b, &mut x[0], &settings, &mut ws),
            pcg(&system, &mut ssor, &filter, &b, &mut x[1], &settings, &mut ws),
            pcg(&system, &mut two, &filter, &b, &mut x[2], &settings, &mut ws),
        ];
        outcomes.into_iter().zip(x).collect()
    })
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    for parts in [1, 5] {
        let one = solve_with_threads(1, parts);
        assert!(one.iter().all(|(o, _)| o.converged), "{:?}", one.iter().map(|r| r.0).collect::<Vec<_>>());
        for threads in [2, 8] {
            assert!(solve_with_threads(threads, parts) == one, "{threads} threads, {parts} parts");
        }
    }
}

#[test]
fn a_steady_step_allocates_nothing() {
    // 4913 nodes: the product goes in parts.
    let e = elastic(17, 1.1e5, 1.0, 1.0 / 3600.0);
    let system = System::new(BlockMatrix::new(&e.pattern, &e.values).unwrap());
    let (b, filter) = (load(&e), Filter::none());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for method in [Method::Ssor, Method::BlockJacobi, Method::Minres] {
        let mut s = Solver::new(&e.pattern, &e.x, Choice::forced(method)).unwrap();
        let mut x = vec![DVec3::zero(); b.len()];
        let spent = pool.install(|| {
            let mut step = || {
                x.fill(DVec3::zero());
                s.update(&system, &filter).unwrap();
                s.solve(&system, &filter, &b, &mut x, &Settings::default())
            };
            step();
            let before = ALLOCATIONS.with(Cell::get);
            let o = step();
            assert!(o.converged, "{method:?}: {o}");
            ALLOCATIONS.with(Cell::get) - before
        });
        assert_eq!(spent, 0, "{method:?}");
    }
}

#[test]
fn the_choice_goes_by_size_and_use_and_says_why() {
    let at = |unknowns, columns, quasi_static, definite| {
        Choice::automatic(&Problem { unknowns, columns, quasi_static, definite })
    };
    assert_eq!(at(60, 1, false, true).method, Method::Dense);
    assert_eq!(at(32_000, 1, false, true).method, Method::Ssor);
    assert_eq!(Choice::automatic(&Problem::dynamic(32_000)), at(32_000, 1, false, true));
    assert_eq!(at(32_000, 1, true, true).method, Method::TwoLevel);
    assert_eq!(at(32_000, 1, false, false).method, Method::Minres);
    assert_eq!(at(1_000_000, 1000, true, true).method, Method::TwoLevel);
    let many = at(32_000, DYNAMIC_COLUMNS, false, true);
    if cfg!(feature = "factor") {
        assert_eq!(many.method, Method::Factor);
    } else {
        assert_eq!(many.method, Method::Ssor);
        assert!(many.reason.contains("feature `factor` is off"), "{many}");
        assert_eq!(Choice::forced(Method::Factor).method, Method::TwoLevel);
    }
    assert!(at(60, 1, false, true).to_string().starts_with("dense Cholesky: 60 unknowns"));
    assert_eq!(Choice::forced(Method::Minres).reason, "as asked for");
}

#[test]
fn a_contact_of_a_block_that_is_not_there_is_refused() {
    let p = BlockPattern::new(2, std::iter::empty::<&[u32]>()).unwrap();
    let v = [[1.0; 9]; 2];
    let mut contacts = LowRank::default();
    contacts.push(1.0, &[(2, DVec3::unit_x())]).unwrap();
    assert!(System::with_contacts(BlockMatrix::new(&p, &v).unwrap(), &contacts).is_err());
}

#[test]
fn contacts_count_in_the_oracle() {
    // The dense oracle and the operator see the same matrix: a defect in either would show here.
    let e = elastic(3, 1e5, 1.0, 1.0 / 3600.0);
    let matrix = BlockMatrix::new(&e.pattern, &e.values).unwrap();
    let mut contacts = LowRank::default();
    contacts.push(9.0, &[(1, DVec3::unit_x()), (7, DVec3::unit_y()), (1, DVec3::unit_z())]).unwrap();
    let system = System::with_contacts(matrix, &contacts).unwrap();
    let x = vector(27, 1);
    let mut b = vec![DVec3::zero(); 27];
    Operator::apply(&system, &x, &mut b, &mut Default::default());
    let back = eliminate(&full(&matrix, &contacts), &b, &x, &held(27, &Filter::none()));
    assert!(distance(&back, &x) < 1e-9 * size(&x));
}
