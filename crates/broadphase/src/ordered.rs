//! Puts index pairs in lexicographic order, in a time that grows with their number only.
//!
//! A counting sort by the first index, then a small sort inside each group: candidate lists hold a few pairs
//! per feature.

/// Writes the pairs of all `parts` to `out`, sorted. First indices must be below `keys`. `counts` is scratch.
pub(crate) fn merge_sorted<'a>(
    parts: impl Iterator<Item = &'a [(u32, u32)]> + Clone,
    keys: usize,
    counts: &mut Vec<u32>,
    out: &mut Vec<(u32, u32)>,
) {
    out.clear();
    let total: usize = parts.clone().map(<[_]>::len).sum();
    // Few pairs on a large mesh: the table of counts would cost more than the pairs. 32 bits do not count
    // more than this either.
    if total < keys / 8 || total > u32::MAX as usize {
        out.extend(parts.flatten());
        out.sort_unstable();
        return;
    }
    counts.clear();
    counts.resize(keys + 1, 0);
    for &(a, _) in parts.clone().flatten() {
        counts[a as usize + 1] += 1;
    }
    for k in 0..keys {
        counts[k + 1] += counts[k];
    }
    out.reserve_exact(total);
    out.resize(total, (0, 0));
    for &pair in parts.flatten() {
        let next = &mut counts[pair.0 as usize];
        out[*next as usize] = pair;
        *next += 1;
    }
    // `counts[k]` is now where group k ends.
    let mut from = 0;
    for &to in &counts[..keys] {
        let group = &mut out[from..to as usize];
        if group.len() > 1 {
            group.sort_unstable_by_key(|p| p.1);
        }
        from = to as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_a_plain_sort(
            pairs in prop::collection::vec((0u32..50, 0u32..1000), 0..200), cut in 0usize..200,
            keys in prop::sample::select(vec![50, 5000]),
        ) {
            let cut = cut.min(pairs.len());
            let (mut counts, mut out) = (vec![9], vec![(1, 1)]);
            merge_sorted([&pairs[..cut], &pairs[cut..]].into_iter(), keys, &mut counts, &mut out);
            let mut want = pairs;
            want.sort_unstable();
            prop_assert_eq!(out, want);
        }
    }
}
