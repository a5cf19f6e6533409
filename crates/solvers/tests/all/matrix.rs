//! Pattern, slots and product against the matrix written out.

use crate::support::{distance, full, random_spd, size, vector};
use impinge_geometry::DVec3;
use impinge_solvers::{
    ApplyWorkspace, BlockMatrix, BlockPattern, LowRank, PatternError, WrongLength, pattern::NONE,
};

#[test]
fn the_pattern_of_two_tets_by_hand() {
    let p = BlockPattern::new(6, [&[0u32, 1, 2, 3][..], &[3, 2, 1, 4]]).unwrap();
    assert_eq!((p.nodes(), p.blocks(), p.full_blocks()), (6, 6 + 9, 6 + 18));
    assert_eq!(p.row(3), [0, 1, 2]);
    assert_eq!(p.row(4), [1, 2, 3]);
    assert!(p.row(5).is_empty() && p.row(0).is_empty());
    assert_eq!(p.slot(2, 2), 2);
    assert_eq!(p.slot(1, 0), 6);
    assert_eq!((p.slot(0, 1), p.slot(4, 0), p.slot(9, 9)), (NONE, NONE, NONE));
    let slots = p.slots([&[3u32, 2, 1, 4][..]]);
    assert_eq!(slots.len(), 16);
    assert_eq!((slots[0], slots[5]), (3, 2));
    assert_eq!(slots[1], p.slot(3, 2));
    assert_eq!(slots[4], NONE);
    assert_eq!(slots.iter().filter(|s| **s != NONE).count(), 4 + 6);
}

#[test]
fn repeated_and_absent_nodes_are_ignored_and_bad_ones_refused() {
    let p = BlockPattern::new(3, [&[0u32, 0, NONE, 2][..], &[2, 0], &[]]).unwrap();
    assert_eq!(p.blocks(), 4);
    // An element matrix of (0, 0, none, 2): the twice-named node's four blocks all go to its diagonal.
    let s = p.slots([&[0u32, 0, NONE, 2][..]]);
    assert_eq!(s.iter().filter(|s| **s == 0).count(), 4);
    let e = BlockPattern::new(3, [&[0u32, 1][..], &[1, 3]]).unwrap_err();
    assert_eq!(e, PatternError::OutOfRange { stencil: 1, node: 3, nodes: 3 });
    assert!(e.to_string().contains("smaller index"));
    let empty = BlockPattern::new(0, std::iter::empty::<&[u32]>()).unwrap();
    assert_eq!(empty.blocks(), 0);
    let m = BlockMatrix::new(&empty, &[]).unwrap();
    m.apply(&[], &mut [], &mut ApplyWorkspace::default());
    assert_eq!(BlockMatrix::new(&empty, &[[0.0; 9]]).unwrap_err(), WrongLength { wanted: 0, given: 1 });
}

#[test]
fn product_equals_the_matrix_written_out() {
    for n in [1usize, 2, 7, 40] {
        let (p, v) = random_spd(n, n as u64);
        let m = BlockMatrix::new(&p, &v).unwrap();
        let a = full(&m, &LowRank::default());
        let x = vector(n, 3);
        let mut y = vec![DVec3::broadcast(7.0); n];
        m.apply(&x, &mut y, &mut ApplyWorkspace::default());
        let flat: Vec<f64> = x.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        let want: Vec<DVec3> = (0..n)
            .map(|i| {
                let row = |k: usize| a[3 * i + k].iter().zip(&flat).map(|(a, x)| a * x).sum::<f64>();
                DVec3::new(row(0), row(1), row(2))
            })
            .collect();
        assert!(distance(&y, &want) <= 1e-14 * (1.0 + size(&want)) * n as f64);
    }
}

#[test]
fn a_product_in_parts_has_the_same_bits_for_any_pool_and_equals_one_in_one_part() {
    // 10 000 rows go in three parts; the links of the random matrix reach across all of them.
    let n = 10_000;
    let (p, v) = random_spd(n, 5);
    let m = BlockMatrix::new(&p, &v).unwrap();
    let x = vector(n, 9);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut y = vec![DVec3::zero(); n];
        let mut ws = ApplyWorkspace::default();
        pool.install(|| {
            m.apply(&vector(n, 11), &mut y, &mut ws);
            m.apply(&x, &mut y, &mut ws);
        });
        y
    };
    let one = run(1);
    assert!(run(2) == one && run(8) == one);
    // Plain: row by row, both halves.
    let mut plain = vec![DVec3::zero(); n];
    let mul = |b: &[f64; 9], v: DVec3| {
        let r = |k: usize| DVec3::new(b[3 * k], b[3 * k + 1], b[3 * k + 2]).dot(v);
        DVec3::new(r(0), r(1), r(2))
    };
    for i in 0..n {
        plain[i] += mul(&v[i], x[i]);
        for (k, &j) in p.row_slots(i).zip(p.row(i)) {
            let b = v[k];
            plain[i] += mul(&b, x[j as usize]);
            plain[j as usize] += mul(&[b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]], x[i]);
        }
    }
    assert!(distance(&one, &plain) < 1e-13 * size(&plain), "{}", distance(&one, &plain));
}

/// Stretches cover all rows, nothing joins two of them, none can be cut, and each by itself multiplies as it does within the whole.
#[test]
fn stretches_that_nothing_joins_are_matrices_of_their_own() {
    let (small, values) = random_spd(9, 5);
    let (large, more) = random_spd(40, 6);
    // The two, a node by itself between them, and one more behind.
    let shift = |p: &BlockPattern, by: u32| -> Vec<[u32; 2]> {
        (0..p.nodes() as u32)
            .flat_map(|i| p.row(i as usize).iter().map(move |j| [i + by, j + by]).collect::<Vec<_>>())
            .collect()
    };
    let pairs = [shift(&small, 0), shift(&large, 10)].concat();
    let p = BlockPattern::new(51, pairs.iter().map(|p| &p[..])).unwrap();
    let islands = p.islands();
    assert_eq!(islands.first().unwrap().start, 0);
    assert!(islands.windows(2).all(|w| w[0].end == w[1].start) && islands.last().unwrap().end == 51);
    assert!(islands.contains(&(9..10)) && islands.contains(&(50..51)));
    for r in &islands {
        assert!(r.clone().all(|i| p.row(i).iter().all(|j| r.contains(&(*j as usize)))));
        for cut in r.start + 1..r.end {
            assert!((cut..r.end).any(|i| p.row(i).iter().any(|j| (*j as usize) < cut)), "{r:?} at {cut}");
        }
    }
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let mut v = vec![identity; p.blocks()];
    v[..9].copy_from_slice(&values[..9]);
    v[10..50].copy_from_slice(&more[..40]);
    v[51..51 + values.len() - 9].copy_from_slice(&values[9..]);
    v[51 + values.len() - 9..].copy_from_slice(&more[40..]);
    let m = BlockMatrix::new(&p, &v).unwrap();
    let x = vector(51, 4);
    let mut whole = vec![DVec3::zero(); 51];
    m.apply(&x, &mut whole, &mut ApplyWorkspace::default());
    for r in islands.iter().cloned().chain([0..10, 10..51, 0..51]) {
        let part = p.part(r.clone());
        let own = m.part(r.clone(), &part).unwrap();
        let mut y = vec![DVec3::zero(); r.len()];
        own.apply(&x[r.clone()], &mut y, &mut ApplyWorkspace::default());
        assert_eq!(y, whole[r]);
    }
    // Rows that are joined to others are no matrix of their own.
    assert!(p.row(45).iter().any(|j| *j < 30));
    let cut = p.part(30..51);
    assert!(m.part(30..51, &cut).is_err());
}
