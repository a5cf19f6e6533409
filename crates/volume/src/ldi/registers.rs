//! What whole registers do at once, and a compiler does not find: eight corners, fetched from anywhere, to lanes; eight signs to a mask.

use super::visible::Corner;

/// Triangles looked at together.
pub const LANES: usize = 8;

/// Eight corners to four rows of lanes. With `AVX` by whole registers, which took number by number a tenth of the time of all depth layers;
/// the caller has made sure that the machine has those instructions.
#[inline(always)]
pub fn transpose<const AVX: bool>(corners: [&Corner; LANES], out: &mut [[f64; LANES]; 4]) {
    #[cfg(target_arch = "x86_64")]
    if AVX {
        for half in 0..2 {
            let four = [0, 1, 2, 3].map(|l| corners[4 * half + l]);
            // SAFETY: `AVX` says that the machine has the instructions.
            #[allow(unsafe_code)]
            let rows = unsafe { four_by_four(four) };
            for (out, row) in out.iter_mut().zip(&rows) {
                out[4 * half..4 * half + 4].copy_from_slice(row);
            }
        }
        return;
    }
    for (l, corner) in corners.iter().enumerate() {
        for (out, x) in out.iter_mut().zip(corner.iter()) {
            out[l] = *x;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
fn four_by_four([a, b, c, d]: [&Corner; 4]) -> [Corner; 4] {
    use std::arch::x86_64::*;
    // SAFETY (both): four numbers lie behind each reference, and behind the place that is written.
    #[allow(unsafe_code)]
    let load = |x: &Corner| unsafe { _mm256_loadu_pd(x.as_ptr()) };
    let (a, b, c, d) = (load(a), load(b), load(c), load(d));
    // Pairs of the even numbers, pairs of the odd ones.
    let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
    let (ab_odd, cd_odd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
    let rows = [
        _mm256_permute2f128_pd::<0x20>(ab, cd),
        _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
        _mm256_permute2f128_pd::<0x31>(ab, cd),
        _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
    ];
    let mut out = [[0.0; 4]; 4];
    for (out, row) in out.iter_mut().zip(rows) {
        #[allow(unsafe_code)]
        unsafe {
            _mm256_storeu_pd(out.as_mut_ptr(), row);
        }
    }
    out
}

/// A bit for each number below 0.
#[inline(always)]
#[must_use]
pub fn signs<const AVX: bool>(x: &[i32; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if AVX {
        // SAFETY: `AVX` says that the machine has the instructions.
        #[allow(unsafe_code)]
        return unsafe { sign_bits(x) };
    }
    x.iter().rev().fold(0, |bits, &x| bits << 1 | u32::from(x < 0))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
fn sign_bits(x: &[i32; LANES]) -> u32 {
    use std::arch::x86_64::*;
    // SAFETY: eight numbers lie behind the reference.
    #[allow(unsafe_code)]
    let x = unsafe { _mm256_loadu_si256(x.as_ptr().cast()) };
    _mm256_movemask_ps(_mm256_castsi256_ps(x)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::wide::Instructions;

    #[test]
    fn by_registers_is_number_by_number() {
        let corners: [Corner; LANES] = std::array::from_fn(|l| std::array::from_fn(|k| (10 * l + k) as f64));
        let mut rows = [[[0.0; LANES]; 4]; 2];
        transpose::<false>(corners.each_ref(), &mut rows[0]);
        for (k, row) in rows[0].iter().enumerate() {
            assert_eq!(*row, std::array::from_fn(|l| (10 * l + k) as f64));
        }
        if Instructions::available().len() > 1 {
            transpose::<true>(corners.each_ref(), &mut rows[1]);
            assert_eq!(rows[0], rows[1]);
        }
        for bits in 0..256 {
            let x: [i32; LANES] =
                std::array::from_fn(|l| if bits >> l & 1 == 1 { i32::MIN >> l } else { l as i32 });
            assert_eq!(signs::<false>(&x), bits);
            if Instructions::available().len() > 1 {
                assert_eq!(signs::<true>(&x), bits);
            }
        }
    }
}
