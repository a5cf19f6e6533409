//! `unsafe` in our crates: where it stands, why it is sound, and that the others forbid it.

use std::path::{Path, PathBuf};

/// Lines above an `unsafe` in which its SAFETY comment may stand: attributes and signatures come between.
const ABOVE: usize = 8;

/// Every place in the crates' own code, as `file:line: text`; a place without a reason and a crate that neither uses nor
/// forbids go to `wrong`.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn check(root: &Path, wrong: &mut Vec<String>) -> Result<Vec<String>, String> {
    let mut places = Vec::new();
    let mut crates: Vec<PathBuf> = folders(&root.join("crates"))?;
    crates.retain(|c| c.join("Cargo.toml").is_file());
    for folder in crates {
        let mut files = Vec::new();
        for part in ["src", "tests", "examples", "benches"] {
            sources(&folder.join(part), &mut files)?;
        }
        files.sort();
        let mut used = false;
        for file in files {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let short = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            // A macro of impinge-geometry that compiles a function for several processors and calls the right one.
            used |= file.starts_with(folder.join("src")) && text.contains("for_each_set!");
            for (line, code, told) in uses(&text) {
                used |= file.starts_with(folder.join("src"));
                places.push(format!("{short}:{line}: {code}"));
                if !told {
                    wrong.push(format!("{short}:{line}: unsafe without a comment that begins with SAFETY:"));
                }
            }
        }
        let top = ["lib.rs", "main.rs"].map(|f| folder.join("src").join(f));
        let Some(top) = top.into_iter().find(|f| f.is_file()) else { continue };
        let text = std::fs::read_to_string(&top).map_err(|e| format!("{}: {e}", top.display()))?;
        if !used && !text.contains("#![forbid(unsafe_code)]") {
            let short = top.strip_prefix(root).unwrap_or(&top).display();
            wrong.push(format!("{short}: the crate has no unsafe; add #![forbid(unsafe_code)]"));
        }
    }
    Ok(places)
}

/// Lines that open something unsafe: number, text, and whether a SAFETY comment stands above or beside.
fn uses(text: &str) -> Vec<(usize, String, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let opens = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"];
        if !opens.iter().any(|o| code.contains(o)) {
            continue;
        }
        let near = lines[i.saturating_sub(ABOVE)..=i].iter().any(|l| says(l));
        // A signature in a trait or impl: the blocks in it have their own reasons.
        let signature = code.contains("unsafe fn") && code.starts_with(' ');
        let told = near || signature || covered(&lines, i);
        out.push((i + 1, code.trim().to_string(), told));
    }
    out
}

fn says(line: &str) -> bool {
    line.contains("// SAFETY") || line.contains("# Safety")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a SAFETY comment stands above the item that encloses line `at`: it holds to the item's closing brace.
fn covered(lines: &[&str], at: usize) -> bool {
    (0..at).rev().filter(|&k| says(lines[k])).any(|k| {
        let level = indent(lines[k]);
        level < indent(lines[at])
            && !lines[k..at].iter().any(|l| l.trim_end() == format!("{}}}", " ".repeat(level)))
    })
}

fn folders(path: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut out = Vec::new();
    for entry in std::fs::read_dir(path).map_err(wrong)? {
        out.push(entry.map_err(wrong)?.path());
    }
    out.sort();
    Ok(out)
}

fn sources(path: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        return Ok(());
    }
    for p in folders(path)? {
        if p.is_dir() {
            sources(&p, out)?;
        } else if p.extension().is_some_and(|e| e == "rs") {
            out.push(p);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_reasons() {
        let told = uses("// SAFETY: it is.\nunsafe { f() }\n");
        assert_eq!(told, [(2, "unsafe { f() }".to_string(), true)]);
        assert!(!uses("fn f() {\n    unsafe { g() }\n}\n")[0].2);
        assert!(uses("// unsafe { no code }\nlet unsafely = 1;\n").is_empty());
        let far = format!("// SAFETY: far away\n{}unsafe {{ g() }}\n", "\n".repeat(20));
        assert!(!uses(&far)[0].2);
        let item = |end: &str| {
            format!("// SAFETY: all of it\nimpl A {{\n{end}{}    unsafe {{ g() }}\n}}\n", "\n".repeat(20))
        };
        assert!(uses(&item(""))[0].2);
        assert!(!uses(&item("}\nimpl B {\n"))[0].2);
    }

    #[test]
    fn this_workspace_says_why() {
        let mut wrong = Vec::new();
        let places = check(&crate::workspace::root(), &mut wrong).unwrap();
        assert!(!places.is_empty());
        assert_eq!(wrong, Vec::<String>::new());
    }
}
