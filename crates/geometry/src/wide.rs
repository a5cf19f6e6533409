//! Which vector instructions the wide kernels use, chosen when the program runs, and kernels compiled for each set.

/// Makes a function `$name(with, arguments)` that calls `$lanes(arguments)`, compiled for every set of instructions; with a
/// `<flag>` behind the name both are generic over a `const flag: bool`.
///
/// Never inlined: inside a larger loop the compiler gave up on the lanes of one of the two kinds.
#[macro_export]
macro_rules! for_each_set {
    ($(#[$doc:meta])* $vis:vis $name:ident $(<$flag:ident>)? = $lanes:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code)]
        $vis fn $name$(<const $flag: bool>)?(
            with: $crate::wide::Instructions,
            $($arg: $type),*
        ) {
            use $crate::wide::Set;

            #[inline(never)]
            fn baseline$(<const $flag: bool>)?($($arg: $type),*) {
                $lanes$(::<$flag>)?($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2")]
            fn avx2$(<const $flag: bool>)?($($arg: $type),*) {
                $lanes$(::<$flag>)?($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
            fn avx512$(<const $flag: bool>)?($($arg: $type),*) {
                $lanes$(::<$flag>)?($($arg),*);
            }

            match with.set() {
                Set::Baseline => baseline$(::<$flag>)?($($arg),*),
                // SAFETY (both): such a value is only made after the processor said that it has the features the
                // function is compiled for; the function touches nothing but its arguments.
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => unsafe { avx2$(::<$flag>)?($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => unsafe { avx512$(::<$flag>)?($($arg),*) },
            }
        }
    };
}
/// Which instructions the wide kernels use. Values exist only for what the machine has; the answers do not depend
/// on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Set);

/// A set of instructions, see [`Instructions::set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// What the program is compiled for.
    Baseline,
    /// Four numbers at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight (F, VL, DQ, BW).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// Every set this machine has, narrowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let best = Self::best();
        #[cfg(target_arch = "x86_64")]
        let narrower = [Set::Baseline, Set::Avx2].map(Self);
        #[cfg(not(target_arch = "x86_64"))]
        let narrower = [Set::Baseline].map(Self);
        narrower.into_iter().take_while(|s| *s != best).chain([best]).collect()
    }

    /// The widest that this machine has.
    #[must_use]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            return Self(if wide { Set::Avx512 } else { Set::Avx2 });
        }
        Self(Set::Baseline)
    }

    /// The set: a promise that this machine has it, whatever the value came from.
    #[must_use]
    pub fn set(self) -> Set {
        self.0
    }

    /// Name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
        }
    }
}
