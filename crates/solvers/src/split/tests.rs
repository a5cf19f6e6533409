//! The sweeps against their scalar twins and against the matrix they come from.

use super::sweep::{backward_part, cross_part, forward_fused_part, forward_part};
use super::*;
use crate::System;

/// A ring with chords; blocks of no pattern, diagonals that rule.
fn ring(n: u32) -> (BlockPattern, Vec<Block>) {
    let links: Vec<[u32; 2]> =
        (0..n).flat_map(|i| [[i, (i + 1) % n], [i, (i + 7) % n], [i, (i + 30) % n]]).collect();
    let pattern = BlockPattern::new(n as usize, links.iter().map(|l| &l[..])).unwrap();
    let mut values: Vec<Block> = (0..pattern.blocks())
        .map(|k| std::array::from_fn(|q| f64::from(((k * 31 + q * 17) % 23) as u8) / 23.0 - 0.5))
        .collect();
    for d in &mut values[..n as usize] {
        *d = [12.0, 1.0, 2.0, 1.0, 13.0, -1.0, 2.0, -1.0, 14.0];
    }
    (pattern, values)
}

fn lanes(n: usize, seed: usize) -> Vec<Lane> {
    (0..n)
        .map(|i| {
            [0, 1, 2, 9].map(|k| if k == 9 { 0.0 } else { ((i * 7 + k + seed) % 13) as f32 / 13.0 - 0.4 })
        })
        .collect()
}

#[test]
fn the_fast_sweeps_have_the_bits_of_their_scalar_twins() {
    let (pattern, values) = ring(100);
    let system = System::new(BlockMatrix::new(&pattern, &values).unwrap());
    let mut split = Split::new(&pattern, 3);
    split.update(&system.matrix(), system.contacts(), &Filter::none(), 1.4).unwrap();
    let (p, t) = (lanes(100, 0), lanes(100, 5));
    let rows = split.part_rows;
    let (mut a, mut b) = (lanes(100, 1), lanes(100, 1));
    backward_fast(&split, rows, &p, &mut a[rows..2 * rows]);
    backward_part(&split, rows, &p, &mut b[rows..2 * rows]);
    assert!(a == b);
    forward_fast(&split, rows, &mut a[rows..2 * rows]);
    forward_part(&split, rows, &mut b[rows..2 * rows]);
    assert!(a == b);
    cross_fast(&split, 0, &t, &mut a);
    cross_part(&split, 0, &t, &mut b);
    assert!(a == b);
    let mut one = Split::new(&pattern, 1);
    one.update(&system.matrix(), system.contacts(), &Filter::none(), 1.4).unwrap();
    let mut twin = Split::new(&pattern, 1);
    twin.update(&system.matrix(), system.contacts(), &Filter::none(), 1.4).unwrap();
    assert!(fill_free_plain(&mut twin, &system.matrix()).is_none());
    assert!(one.lower.value == twin.lower.value && one.upper.value == twin.upper.value);
    let (mut u, mut q) = (lanes(100, 2), lanes(100, 3));
    let (mut u2, mut q2) = (u.clone(), q.clone());
    let s = one.forward_fused(&p, &t, &mut u, &mut q);
    let s2 = forward_fused_part(&one, &p, &t, &mut u2, &mut q2);
    assert!(s.to_bits() == s2.to_bits() && u == u2 && q == q2);
}

/// S rebuilt from the pieces equals C⁻¹ A C⁻ᵀ, and M = C (I+L)(I+Lᵀ) Cᵀ is what the sweeps invert.
#[test]
fn the_sweeps_invert_what_they_say() {
    let (pattern, values) = ring(40);
    let system = System::new(BlockMatrix::new(&pattern, &values).unwrap());
    for parts in [1, 4] {
        let mut split = Split::new(&pattern, parts);
        split.update(&system.matrix(), system.contacts(), &Filter::none(), 1.3).unwrap();
        assert_eq!(split.parts(), parts);
        let w = lanes(40, 4);
        // p = (I + Lᵀ) w by the stored mirror, then back.
        let times = |rows: &Rows, x: &[Lane]| -> Vec<Lane> {
            let mut y = x.to_vec();
            for i in 0..40 {
                for k in rows.start[i] as usize..rows.start[i + 1] as usize {
                    for r in 0..3 {
                        for c in 0..3 {
                            y[i][r] += rows.value[9 * k + 3 * c + r] * x[rows.column[k] as usize][c];
                        }
                    }
                }
            }
            y
        };
        let close =
            |a: &[Lane], b: &[Lane]| a.iter().zip(b).all(|(a, b)| (0..3).all(|l| (a[l] - b[l]).abs() < 1e-5));
        let mut back = vec![[0.0; 4]; 40];
        split.backward(&times(&split.upper, &w), &mut back);
        assert!(close(&back, &w));
        let mut f = times(&split.lower, &w);
        split.forward(&mut f);
        assert!(close(&f, &w));
        // L + Lᵀ + X of a vector against C⁻¹ (A − D) C⁻ᵀ.
        let (l, u, x) = (times(&split.lower, &w), times(&split.upper, &w), times(&split.cross, &w));
        let scale = split.scale();
        let v: Vec<_> = w
            .iter()
            .zip(scale)
            .map(|(w, c)| {
                let w = impinge_geometry::DVec3::new(w[0].into(), w[1].into(), w[2].into());
                crate::matrix::mul_transposed(c, w)
            })
            .collect();
        let mut y = v.clone();
        let mut free = values.clone();
        free[..40].fill([0.0; 9]);
        BlockMatrix::new(&pattern, &free).unwrap().apply(&v, &mut y, &mut Default::default());
        for i in 0..40 {
            let want = crate::matrix::mul(&scale[i], y[i]);
            for (r, want) in [want.x, want.y, want.z].into_iter().enumerate() {
                let got = l[i][r] + u[i][r] + x[i][r] - 3.0 * w[i][r];
                assert!((f64::from(got) - want).abs() < 1e-5, "{got} {want}");
            }
        }
    }
}
