//! One macro: the same function compiled again for AVX2, chosen at run time.
//!
//! Nothing but `#[target_feature]` changes: no fused multiply-add is allowed (`fma` is not enabled and rustc does not
//! contract), so both give the same bits. Measured on the sweeps of 10 k nodes: 0.27 ms against 0.31 ms plain. The block
//! product in f64 gains nothing that can be told from noise (0.28 against 0.29 ms) and goes without.

/// `dispatched!(fn fast = plain(argument: Type, ...) -> Type)` makes `fast` of an `#[inline(always)]` function
/// `plain`: its AVX2 build where the processor has it, itself elsewhere.
macro_rules! dispatched {
    ($vis:vis fn $fast:ident = $plain:ident($($argument:ident : $ty:ty),* $(,)?) -> $out:ty) => {
        $vis fn $fast($($argument: $ty),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $ty),*) -> $out {
                    $plain($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the one feature the callee asks for. The gain is at the head of the file.
                    #[allow(unsafe_code)]
                    return unsafe { wide($($argument),*) };
                }
            }
            $plain($($argument),*)
        }
    };
}
pub(crate) use dispatched;
