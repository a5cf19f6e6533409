//! Exact tier.
