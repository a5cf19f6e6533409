//! The interface of each published library, kept in the repository as text: whoever changes it sees it in the diff.
//!
//! Read from the source by `syn`, not from the compiler's output, which only unreleased compilers give. So it has more than what a user can
//! name: all that is `pub`, whether or not the module around it is. No change of an interface stays unseen; what macros make is not there.

use super::manifests::members;
use crate::workspace::Failure;
use quote::ToTokens;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

/// Folder of the texts.
const FOLDER: &str = "docs/api";

/// Holds each library's interface against what is kept; with `write`, keeps it.
///
/// # Errors
/// A source that cannot be read, a text that cannot be written.
pub fn check(metadata: &Value, root: &Path, write: bool, wrong: &mut Vec<String>) -> Result<usize, Failure> {
    let folder = root.join(FOLDER);
    let mut kept = Vec::new();
    for p in members(metadata) {
        let (Some(name), Some(library)) = (p["name"].as_str(), library(p)) else { continue };
        let now = interface(&library)?;
        let file = folder.join(format!("{name}.txt"));
        kept.push(file.clone());
        if write {
            let made = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &now));
            made.map_err(|e| Failure::new(format!("{} cannot be written: {e}", file.display())))?;
            continue;
        }
        let before = fs::read_to_string(&file).unwrap_or_default();
        wrong.extend(difference(&before, &now).map(|d| {
            format!("{name}: its interface is not what {FOLDER}/{name}.txt has: {d}; if that is meant: cargo xtask supply --write-api")
        }));
    }
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        if !kept.contains(&entry.path()) {
            wrong.push(format!("{} is of no published library; delete it", entry.path().display()));
        }
    }
    Ok(kept.len())
}

fn library(package: &Value) -> Option<PathBuf> {
    let targets = package["targets"].as_array()?;
    let is = |t: &&Value| t["kind"].as_array().is_some_and(|k| k.iter().any(|k| k == "lib"));
    targets.iter().find(is)?["src_path"].as_str().map(PathBuf::from)
}

/// What went and what came, in words; `None` where nothing did.
fn difference(before: &str, now: &str) -> Option<String> {
    let lost: Vec<&str> = before.lines().filter(|l| !now.lines().any(|n| n == *l)).collect();
    let new: Vec<&str> = now.lines().filter(|l| !before.lines().any(|b| b == *l)).collect();
    match (lost.first(), new.first()) {
        (None, None) if before == now => None,
        (None, None) => Some("the order of its lines".to_string()),
        (Some(l), None) => Some(format!("{} lines went, first `{l}`", lost.len())),
        (None, Some(n)) => Some(format!("{} lines came, first `{n}`", new.len())),
        (Some(l), Some(n)) => {
            Some(format!("{} lines went, first `{l}`, and {} came, first `{n}`", lost.len(), new.len()))
        }
    }
}

/// One line for each thing that is `pub`, sorted.
fn interface(library: &Path) -> Result<String, Failure> {
    let mut lines = Vec::new();
    let folder = library.parent().unwrap_or(Path::new(""));
    file(library, folder, "", &mut lines)?;
    lines.sort();
    lines.dedup();
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn file(path: &Path, folder: &Path, module: &str, lines: &mut Vec<String>) -> Result<(), Failure> {
    let read = |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", path.display()));
    let text = fs::read_to_string(path).map_err(|e| read(&e))?;
    let parsed = syn::parse_file(&text).map_err(|e| read(&e))?;
    items(&parsed.items, folder, module, lines)
}

fn items(all: &[Item], folder: &Path, module: &str, lines: &mut Vec<String>) -> Result<(), Failure> {
    for item in all {
        match item {
            Item::Mod(m) if !for_tests(&m.attrs) => {
                let (name, inner) = (m.ident.to_string(), folder.join(m.ident.to_string()));
                let within = format!("{module}{name}::");
                if is_pub(&m.vis) {
                    lines.push(format!("{module}pub mod {name}"));
                }
                match &m.content {
                    Some((_, content)) => items(content, &inner, &within, lines)?,
                    None => {
                        let beside = folder.join(format!("{name}.rs"));
                        let own = if beside.is_file() { beside } else { inner.join("mod.rs") };
                        file(&own, &inner, &within, lines)?;
                    }
                }
            }
            other => lines.extend(said(other).into_iter().map(|l| format!("{module}{l}"))),
        }
    }
    Ok(())
}

fn is_pub(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|a| a.path().is_ident("cfg") && words(&a.meta).contains("(test)"))
}

/// Tokens with the spaces of a reader.
fn words(of: &impl ToTokens) -> String {
    let text = of.to_token_stream().to_string();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let closer = [
        (" :: ", "::"),
        (" ::", "::"),
        (":: ", "::"),
        (" : ", ": "),
        (" , ", ", "),
        (" ,", ","),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        ("& ", "&"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
        (",)", ")"),
    ];
    closer.iter().fold(text, |t, (from, to)| t.replace(from, to))
}

fn said(item: &Item) -> Vec<String> {
    match item {
        Item::Fn(f) if is_pub(&f.vis) => vec![format!("pub {}", words(&f.sig))],
        Item::Const(c) if is_pub(&c.vis) => vec![format!("pub const {}: {}", c.ident, words(&c.ty))],
        Item::Static(c) if is_pub(&c.vis) => vec![format!("pub static {}: {}", c.ident, words(&c.ty))],
        Item::Type(t) if is_pub(&t.vis) => {
            vec![format!("pub type {}{} = {}", t.ident, words(&t.generics), words(&t.ty))]
        }
        Item::Use(u) if is_pub(&u.vis) => vec![format!("pub use {}", words(&u.tree))],
        Item::Struct(s) if is_pub(&s.vis) => {
            let head = format!("pub struct {}{}", s.ident, words(&s.generics));
            let marks = marks(&s.attrs);
            let mut out = vec![format!("{head}{marks}")];
            out.extend(fields(&s.fields, true).into_iter().map(|f| format!("pub struct {}: {f}", s.ident)));
            out
        }
        Item::Enum(e) if is_pub(&e.vis) => {
            let mut out = vec![format!("pub enum {}{}{}", e.ident, words(&e.generics), marks(&e.attrs))];
            for v in &e.variants {
                let of = fields(&v.fields, false).join(", ");
                out.push(format!("pub enum {}: {}({of})", e.ident, v.ident));
            }
            out
        }
        Item::Trait(t) if is_pub(&t.vis) => {
            let mut out =
                vec![format!("pub trait {}{}: {}", t.ident, words(&t.generics), words(&t.supertraits))];
            out.extend(t.items.iter().map(|i| {
                let what = match i {
                    TraitItem::Fn(f) => {
                        format!("{}{}", words(&f.sig), if f.default.is_some() { " (provided)" } else { "" })
                    }
                    TraitItem::Type(t) => format!("type {}", t.ident),
                    TraitItem::Const(c) => format!("const {}: {}", c.ident, words(&c.ty)),
                    other => words(other),
                };
                format!("pub trait {}: {what}", t.ident)
            }));
            out
        }
        Item::Impl(i) => implemented(i),
        Item::Macro(m) if m.attrs.iter().any(|a| a.path().is_ident("macro_export")) => {
            vec![format!("macro {}", m.ident.as_ref().map(ToString::to_string).unwrap_or_default())]
        }
        _ => Vec::new(),
    }
}

fn implemented(i: &syn::ItemImpl) -> Vec<String> {
    if for_tests(&i.attrs) {
        return Vec::new();
    }
    let of = words(&i.self_ty);
    if let Some((_, what, _)) = &i.trait_ {
        return vec![format!("impl{} {} for {of}", words(&i.generics), words(what))];
    }
    let public = i.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) if is_pub(&f.vis) => Some(words(&f.sig)),
        ImplItem::Const(c) if is_pub(&c.vis) => Some(format!("const {}: {}", c.ident, words(&c.ty))),
        _ => None,
    });
    public.map(|what| format!("impl{} {of}: pub {what}", words(&i.generics))).collect()
}

/// Fields with their types; of a struct the public ones alone.
fn fields(of: &Fields, public_alone: bool) -> Vec<String> {
    let shown = of.iter().enumerate().filter(|(_, f)| !public_alone || is_pub(&f.vis));
    let name = |(k, f): (usize, &syn::Field)| {
        let name = f.ident.as_ref().map_or_else(|| k.to_string(), ToString::to_string);
        format!("{name}: {}", words(&f.ty))
    };
    shown.map(name).collect()
}

/// What is derived, and whether more may come.
fn marks(attrs: &[Attribute]) -> String {
    let told =
        attrs.iter().filter(|a| ["derive", "non_exhaustive", "repr"].iter().any(|n| a.path().is_ident(n)));
    told.map(|a| format!(" {}", words(&a.meta))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        items(&syn::parse_file(text).unwrap().items, Path::new(""), "", &mut lines).unwrap();
        lines
    }

    #[test]
    fn what_is_public_is_said_and_nothing_else() {
        let text = "
            mod inner { pub struct P(pub f64, u8); pub(crate) fn no() {} }
            #[derive(Clone, Debug)] pub enum E { A { x: f64 }, B(u8), C }
            pub fn f<T: Copy>(a: &[T], b: Option<u32>) -> Result<(), String> { Ok(()) }
            fn hidden() {}
            impl E { pub const N: usize = 3; pub fn g(&self) {} fn h(&self) {} }
            impl Default for E { fn default() -> Self { Self::C } }
            pub trait T: Clone { fn a(&self); fn b(&self) {} }
            pub use inner::P as Q;
            #[cfg(test)] mod tests { pub fn t() {} }
        ";
        let lines = of(text);
        for line in [
            "inner::pub struct P",
            "inner::pub struct P: 0: f64",
            "pub enum E derive(Clone, Debug)",
            "pub enum E: A(x: f64)",
            "pub enum E: B(0: u8)",
            "pub fn f<T: Copy>(a: &[T], b: Option<u32>) -> Result<(), String>",
            "impl E: pub const N: usize",
            "impl E: pub fn g(&self)",
            "impl Default for E",
            "pub trait T: Clone",
            "pub trait T: fn a(&self)",
            "pub trait T: fn b(&self) (provided)",
            "pub use inner::P as Q",
        ] {
            assert!(lines.iter().any(|l| l == line), "{line} is not in {lines:#?}");
        }
        assert!(
            !lines.iter().any(|l| l.contains("hidden")
                || l.contains("fn h")
                || l.contains("fn t")
                || l.contains("no("))
        );
    }

    #[test]
    fn a_difference_is_told_by_its_lines() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert!(difference("a\nb\n", "a\nc\n").is_some_and(|d| d.contains("`b`") && d.contains("`c`")));
        assert!(difference("", "c\n").is_some_and(|d| d.contains("1 lines came")));
    }
}
