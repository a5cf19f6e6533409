//! What a source file takes and what it defines, from its tokens: no compiler, and good enough to draw arrows between files.

use std::collections::BTreeSet;

/// A path that a file names.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// Its segments; `*` at the end of a star import.
    pub path: Vec<String>,
    /// What it is called here.
    pub name: String,
    /// By a `use`, which gives the name to the module; otherwise where the path stands in code.
    pub used: bool,
}

/// A source file.
#[derive(Debug, Default)]
pub struct Source {
    pub imports: Vec<Import>,
    /// Items by name, whatever their kind.
    pub defines: BTreeSet<String>,
    /// Files below it by name.
    pub children: BTreeSet<String>,
}

/// Words that are followed by the name of an item.
const ITEMS: &[&str] = &["struct", "enum", "fn", "trait", "const", "static", "type", "macro_rules", "union"];

/// Reads a file without its tests.
pub fn parse(text: &str) -> Source {
    let tokens = tokens(text);
    let mut source = Source::default();
    let mut i = 0;
    // Modules written out within the file, each by the depth of braces that it began at: to their `super` this file is there.
    let (mut depth, mut inner) = (0, Vec::new());
    while i < tokens.len() {
        let t = tokens[i].as_str();
        let from = source.imports.len();
        match t {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inner.pop_if(|d| *d == depth);
            }
            "mod" if tokens.get(i + 2).is_some_and(|n| n == "{") => inner.push(depth),
            "mod" => source.children.extend(tokens.get(i + 1).cloned()),
            _ => {}
        }
        if t == "#" && tokens[i..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"].map(str::to_string))
        {
            i = past_item(&tokens, i + 7);
            continue;
        }
        let before = |n: usize| i.checked_sub(n).map(|j| tokens[j].as_str());
        if t == "use" {
            i = tree(&tokens, i + 1, &[], &mut source.imports);
        } else if ITEMS.contains(&t) {
            let name = tokens[i + 1..].iter().find(|n| n.as_str() != "!");
            source.defines.extend(name.filter(|n| is_word(n)).cloned());
        } else if t == "in" && before(1) == Some("(") && before(2) == Some("pub") {
            // Who may see an item, and nothing that is taken: `pub(in a::b)`.
            i += tokens[i..].iter().position(|t| t == ")").unwrap_or(0);
        } else if is_word(t) && tokens.get(i + 1).is_some_and(|n| n == "::") && before(1) != Some("::") {
            let mut path = vec![t.to_string()];
            while tokens.get(i + 1).is_some_and(|n| n == "::")
                && tokens.get(i + 2).is_some_and(|n| is_word(n))
            {
                path.push(tokens[i + 2].clone());
                i += 2;
            }
            let name = path.last().cloned().unwrap_or_default();
            source.imports.push(Import { path, name, used: false });
        }
        source.imports[from..].iter_mut().for_each(|import| leave(&mut import.path, inner.len()));
        i += 1;
    }
    source
}

/// Makes a path within so many modules of a file one of the file.
fn leave(path: &mut Vec<String>, inner: usize) {
    let supers = path.iter().take_while(|s| *s == "super").count().min(inner);
    path.drain(..supers);
    if supers > 0 && path.first().is_none_or(|s| s != "super") {
        path.insert(0, "self".to_string());
    }
}

fn is_word(t: &str) -> bool {
    t.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads the tree of a `use` from `i` on; gives the place of its end.
fn tree(tokens: &[String], mut i: usize, before: &[String], out: &mut Vec<Import>) -> usize {
    let mut path = before.to_vec();
    while let Some(t) = tokens.get(i) {
        match t.as_str() {
            "::" => {}
            "{" => {
                i += 1;
                while tokens.get(i).is_some_and(|t| t != "}") {
                    let from = i;
                    i = tree(tokens, i, &path, out);
                    i += usize::from(tokens.get(i).is_some_and(|t| t == ","));
                    // Nothing that a compiler takes: leave it.
                    if i == from {
                        return i + 1;
                    }
                }
                // Past the brace: what follows belongs to the tree around.
                return i + 1;
            }
            ";" | "," | "}" => break,
            "as" => {
                let name = tokens.get(i + 1).cloned().unwrap_or_default();
                out.push(Import { path, name, used: true });
                return i + 2;
            }
            _ => path.push(t.clone()),
        }
        i += 1;
    }
    if path.len() > before.len() {
        // `a::{self}` is `a`.
        if path.len() > 1 && path.last().is_some_and(|s| s == "self") {
            path.pop();
        }
        let name = path.last().cloned().unwrap_or_default();
        out.push(Import { path, name, used: true });
    }
    i
}

/// The place after the item that begins at `i`: its block, or its semicolon.
fn past_item(tokens: &[String], mut i: usize) -> usize {
    let mut depth = 0;
    while let Some(t) = tokens.get(i) {
        match t.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        i += 1;
        if depth == 0 && (t == "}" || t == ";") {
            break;
        }
    }
    i
}

/// Words, `::`, and other characters one by one; no comments, no text in quotes.
fn tokens(text: &str) -> Vec<String> {
    let c: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < c.len() {
        let two = (c[i], c.get(i + 1).copied());
        match two {
            ('/', Some('/')) => {
                while i < c.len() && c[i] != '\n' {
                    i += 1;
                }
            }
            ('/', Some('*')) => {
                let mut depth = 0;
                while i < c.len() {
                    match (c[i], c.get(i + 1)) {
                        ('/', Some('*')) => depth += 1,
                        ('*', Some('/')) => depth -= 1,
                        _ => {
                            i += 1;
                            continue;
                        }
                    }
                    i += 2;
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('r', Some('"' | '#')) if raw(&c, i).is_some() => i = raw(&c, i).unwrap_or(c.len()),
            ('"', _) => {
                i += 1;
                while i < c.len() && c[i] != '"' {
                    i += 1 + usize::from(c[i] == '\\');
                }
                i += 1;
            }
            // A character, not a lifetime.
            ('\'', Some('\\')) => {
                i += 3;
                while i < c.len() && c[i] != '\'' {
                    i += 1;
                }
                i += 1;
            }
            ('\'', _) if c.get(i + 2) == Some(&'\'') => i += 3,
            // A lifetime is no word: `&'static str` defines nothing.
            ('\'', Some(w)) if w.is_alphabetic() || w == '_' => {
                i += 1;
                while i < c.len() && (c[i].is_alphanumeric() || c[i] == '_') {
                    i += 1;
                }
            }
            (':', Some(':')) => {
                out.push("::".to_string());
                i += 2;
            }
            (w, _) if w.is_alphanumeric() || w == '_' => {
                let from = i;
                while i < c.len() && (c[i].is_alphanumeric() || c[i] == '_') {
                    i += 1;
                }
                out.push(c[from..i].iter().collect());
            }
            (w, _) => {
                if !w.is_whitespace() {
                    out.push(w.to_string());
                }
                i += 1;
            }
        }
    }
    out
}

/// The place after a raw string that begins at `i`.
fn raw(c: &[char], i: usize) -> Option<usize> {
    let hashes = c[i + 1..].iter().take_while(|h| **h == '#').count();
    if c.get(i + 1 + hashes) != Some(&'"') || i > 0 && (c[i - 1].is_alphanumeric() || c[i - 1] == '_') {
        return None;
    }
    let mut j = i + 2 + hashes;
    while j < c.len() {
        if c[j] == '"' && c[j + 1..].iter().take(hashes).filter(|h| **h == '#').count() == hashes {
            return Some(j + 1 + hashes);
        }
        j += 1;
    }
    Some(c.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        parse(text).imports.iter().map(|i| format!("{}={}", i.path.join("::"), i.name)).collect()
    }

    #[test]
    fn trees_of_use_are_taken_apart() {
        let found = paths("use a::{b::{self, C as D}, e::*}; pub(crate) use super::f::G;");
        assert_eq!(found, ["a::b=b", "a::b::C=D", "a::e::*=*", "super::f::G=G"]);
    }

    #[test]
    fn paths_in_code_count_and_text_does_not() {
        let text = "fn f<'a>(x: &'a crate::b::X) { let _ = ('\\'', 'x', \"crate::c::Y\", r#\"crate::d::\"Z\"#); } /* crate::e /* */ :: */";
        assert_eq!(paths(text), ["crate::b::X=X"]);
        assert!(parse(text).defines.contains("f"));
    }

    #[test]
    fn a_lifetime_defines_nothing_and_a_visibility_takes_nothing() {
        let source = parse("pub(in crate::b) fn f(x: &'static Section) -> &'_ str { x.text }");
        assert_eq!(source.defines.into_iter().collect::<Vec<_>>(), ["f"]);
        assert!(source.imports.is_empty());
    }

    #[test]
    fn what_a_module_within_a_file_takes_from_it_is_the_file_s_own() {
        let found = paths("mod wide { use super::A; fn f() { super::super::g::h(); } } use super::B;");
        assert_eq!(found, ["self::A=A", "super::g::h=h", "super::B=B"]);
    }
}
