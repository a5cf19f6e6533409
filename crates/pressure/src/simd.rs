//! One macro: the same function compiled again for AVX2 and AVX-512, chosen at run time.
//!
//! Nothing but `#[target_feature]` changes: no fused multiply-add is enabled and rustc does not contract, so all
//! three give the same bits.

/// Lanes in a block of tets or triangles: eight f64 fill one AVX-512 register or two of AVX2.
pub const W: usize = 8;

/// One number for every lane.
pub type Lanes = [f64; W];

/// `dispatched!(fn fast(argument: Type, ...) -> Type = plain)` makes `fast` of an `#[inline(always)]` function `plain`.
macro_rules! dispatched {
    ($vis:vis fn $fast:ident($($argument:ident : $ty:ty),* $(,)?) -> $out:ty = $plain:path) => {
        $vis fn $fast($($argument: $ty),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $ty),*) -> $out {
                    $plain($($argument),*)
                }
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
                fn widest($($argument: $ty),*) -> $out {
                    $plain($($argument),*)
                }
                let has = |all: &[bool]| all.iter().all(|&x| x);
                if has(&[
                    std::arch::is_x86_feature_detected!("avx512f"),
                    std::arch::is_x86_feature_detected!("avx512vl"),
                    std::arch::is_x86_feature_detected!("avx512dq"),
                    std::arch::is_x86_feature_detected!("avx512bw"),
                ]) {
                    // SAFETY: the processor has the features the callee asks for, as just asked.
                    #[allow(unsafe_code)]
                    return unsafe { widest($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    #[allow(unsafe_code)]
                    return unsafe { wide($($argument),*) };
                }
            }
            $plain($($argument),*)
        }
    };
}
pub(crate) use dispatched;
