//! Which vector instructions the wide kernels use, chosen when the program runs.

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
