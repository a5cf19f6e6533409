//! Run-time choice of vector width for kernels that loop over lanes.
//!
//! A kernel is written once, as plain scalar maths in an innermost loop over `W` lanes, and compiled for the
//! baseline, AVX2 and AVX-512. Nothing is fused or reordered between the three (rustc never contracts `a*b+c`,
//! and √ and ÷ are rounded correctly everywhere), so they have the bits of the scalar twin.

/// `lanes! { fn name(args) = kernel }` makes `fn name` that calls `kernel::<W>(args)` for the widest vectors
/// this processor has.
macro_rules! lanes {
    ($(#[$meta:meta])* fn $name:ident($($arg:ident : $ty:ty),* $(,)?) = $kernel:ident) => {
        $(#[$meta])*
        #[allow(unsafe_code)]
        pub(crate) fn $name($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $ty),*) {
                    $kernel::<8>($($arg),*)
                }
                #[target_feature(enable = "avx512f")]
                fn avx512($($arg: $ty),*) {
                    $kernel::<8>($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the processor has AVX-512F, tested on the line above.
                    return unsafe { avx512($($arg),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2, tested on the line above.
                    return unsafe { avx2($($arg),*) };
                }
            }
            $kernel::<4>($($arg),*)
        }
    };
}
pub(crate) use lanes;
