//! Forces of the last step as the start of this one.

/// The force of each contact in the last step, by key; zero for a new one. `old_keys` must be sorted.
///
/// # Panics
/// When there is not one old force for each old key.
#[must_use]
pub fn carry_forces(old_keys: &[u64], old: &[[f64; 3]], keys: &[u64]) -> Vec<[f64; 3]> {
    assert_eq!(old_keys.len(), old.len());
    keys.iter().map(|k| old_keys.binary_search(k).map_or([0.0; 3], |i| old[i])).collect()
}
