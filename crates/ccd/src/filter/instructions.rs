//! Which vector instructions the wide kernels use, chosen when the program runs.

/// Makes a function `$name::<EDGES>(with, arguments)` that calls `$lanes::<EDGES>(arguments)`, compiled for every set of
/// instructions.
///
/// Never inlined: inside a larger loop the compiler gave up on the lanes of one of the two kinds.
macro_rules! for_each_set {
    ($(#[$doc:meta])* $name:ident = $lanes:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn $name<const EDGES: bool>(
            with: $crate::filter::instructions::Instructions,
            $($arg: $type),*
        ) {
            use $crate::filter::instructions::Set;

            #[inline(never)]
            fn baseline<const EDGES: bool>($($arg: $type),*) {
                $lanes::<EDGES>($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2")]
            fn avx2<const EDGES: bool>($($arg: $type),*) {
                $lanes::<EDGES>($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
            fn avx512<const EDGES: bool>($($arg: $type),*) {
                $lanes::<EDGES>($($arg),*);
            }

            match with.set() {
                Set::Baseline => baseline::<EDGES>($($arg),*),
                // SAFETY (both): such a value is only made after the processor said that it has the features the
                // function is compiled for; the function touches nothing but its arguments.
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => unsafe { avx2::<EDGES>($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => unsafe { avx512::<EDGES>($($arg),*) },
            }
        }
    };
}
pub(crate) use for_each_set;

/// Which instructions the wide kernels use. Values exist only for what the machine has; the answers do not depend
/// on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// Every set this machine has, narrowest first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut all = vec![Self(Set::Baseline)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            all.push(Self(Set::Avx2));
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
            {
                all.push(Self(Set::Avx512));
            }
        }
        all
    }

    /// The widest that this machine has.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self(Set::Baseline))
    }

    pub(crate) fn set(self) -> Set {
        self.0
    }

    /// Name for reports.
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
