//! The closest known word to a mistyped one.

use crate::schema::{self, Section};

/// The known word that the given one was probably meant to be, if any is close.
///
/// Hyphens, underscores and capitals count as nothing: `Mu-S` finds `mu_s`. Ties go to the first.
#[must_use]
pub fn closest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(given);
    if wanted.is_empty() {
        return None;
    }
    let mut best: Option<(usize, &'a str)> = None;
    for &word in known {
        let candidate = plain(word);
        let distance = strsim::damerau_levenshtein(&wanted, &candidate);
        // A third of the letters may be wrong; a short word forgives one.
        let allowed = (wanted.chars().count().max(candidate.chars().count()) / 3).max(1);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, word));
        }
    }
    // Who writes three letters and no more means what begins with them.
    let begins = || known.iter().copied().find(|word| wanted.len() >= 3 && plain(word).starts_with(&wanted));
    best.map(|(_, word)| word).or_else(begins)
}

/// The sentence for a mistyped word: the suggestion when one is close, then the words there are.
#[must_use]
pub fn did_you_mean(given: &str, known: &[&str], what: &str) -> String {
    let mut list: Vec<String> = known.iter().take(24).map(|w| format!("`{w}`")).collect();
    if known.len() > 24 {
        list.push(format!("and {} more", known.len() - 24));
    }
    let list = if list.is_empty() { "none".to_string() } else { list.join(", ") };
    match closest(given, known) {
        Some(word) => format!("did you mean `{word}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}

/// A table in words.
pub(crate) fn named(section: &Section) -> String {
    match section.title {
        "file" => "the scene file".to_string(),
        title => format!("`{title}`"),
    }
}

/// The fix of an unknown key: what the program does not have, the key that was meant, the tables that have it; and the keys there are, unless
/// they were `listed` before.
pub(crate) fn key(given: &str, section: &Section, listed: bool) -> String {
    const JOINTS: [&str; 6] = ["joint", "joints", "hinge", "motor", "constraint", "constraints"];
    if JOINTS.contains(&given.to_lowercase().as_str()) {
        return "joints are out of scope: hold a body with `anchors`, a deformable with `attach`, or drive it along `keyframes`"
            .to_string();
    }
    let here = match (listed, closest(given, &section.names())) {
        (false, _) => did_you_mean(given, &section.names(), "the keys here are"),
        (true, Some(word)) => format!("did you mean `{word}`?"),
        (true, None) => "the keys of this table stand above".to_string(),
    };
    let elsewhere: Vec<String> = schema::sections()
        .iter()
        .filter(|s| s.title != section.title && s.key(given).is_some())
        .map(|s| named(s))
        .collect();
    // What many tables have says nothing about the one that was meant.
    match elsewhere.as_slice() {
        [] if closest(given, &section.names()).is_none() => match near_elsewhere(given, section).as_slice() {
            few @ [_, ..] if few.len() <= 2 => format!("did you mean {}? {here}", few.join(" or ")),
            _ => here,
        },
        [] => here,
        few if few.len() <= 4 => format!("it is a key of {}; {here}", few.join(", ")),
        _ => here,
    }
}

/// Keys of other tables that are close to this one, with their table.
fn near_elsewhere(given: &str, section: &Section) -> Vec<String> {
    let others = schema::sections().into_iter().filter(|s| s.title != section.title);
    others.filter_map(|s| Some(format!("`{}` of {}", closest(given, &s.names())?, named(s)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_table_is_found_though_it_is_mistyped() {
        let top =
            schema::sections().into_iter().find(|s| s.key("scene").is_some()).expect("the file's own table");
        let fix = key("slip_rul", top, false);
        assert!(fix.contains("did you mean `slip_rule` of"), "{fix}");
        assert!(key("colour_of_the_sky", top, false).starts_with("the keys here are"));
    }

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let keys = ["density", "damping", "mu_s", "mu_k"];
        assert_eq!(closest("densty", &keys), Some("density"));
        assert_eq!(closest("Mu-S", &keys), Some("mu_s"));
        assert_eq!(closest("dnesity", &keys), Some("density"));
        assert_eq!(closest("colour_of_the_sky", &keys), None);
        assert_eq!(closest("", &keys), None);
        assert_eq!(closest("dens", &keys), Some("density"));
        assert!(did_you_mean("densty", &keys, "keys here").starts_with("did you mean `density`?"));
        assert_eq!(did_you_mean("zzzzzz", &["a"], "keys here"), "keys here: `a`");
    }
}
