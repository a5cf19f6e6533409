//! Patterns over body names: `*` stands for any run of letters, also none.

/// Whether `name` fits `pattern`.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        // The part before is free to match as early as it can: that leaves most for what follows.
        if let Some(previous) = last.replace(part) {
            match rest.find(previous) {
                Some(i) => rest = &rest[i + previous.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => rest.ends_with(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by trying every length for every star.
    fn brute(pattern: &[u8], name: &[u8]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|i| brute(rest, &name[i..])),
            Some((c, rest)) => name.first() == Some(c) && brute(rest, &name[1..]),
        }
    }

    #[test]
    fn examples() {
        assert!(fits("ball-*", "ball-12") && fits("*", "x") && fits("ball", "ball"));
        assert!(!fits("ball", "ball-1") && !fits("ball-*", "bal") && fits("*-*", "a-b"));
    }

    proptest! {
        #[test]
        fn equals_the_definition(pattern in "[ab*]{0,7}", name in "[ab]{0,9}") {
            prop_assert_eq!(fits(&pattern, &name), brute(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
