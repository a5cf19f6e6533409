//! The files in which the table is kept: Markdown, a page beside it, and a summary between two marks of another file.

use std::path::{Path, PathBuf};

/// What is kept.
pub struct Kept<'a> {
    /// The Markdown table.
    pub table: &'a str,
    /// The page.
    pub page: &'a str,
    /// The summary.
    pub summary: &'a str,
    /// Of the long tests.
    pub long: bool,
}

impl Kept<'_> {
    /// Writes table and page, and puts the summary between its marks.
    ///
    /// # Errors
    /// A file that cannot be written, or a readme without the marks.
    pub fn write(&self, file: &Path, readme: Option<&Path>) -> Result<(), String> {
        let mut files =
            vec![(file.to_path_buf(), self.table.to_string()), (page_of(file), self.page.to_string())];
        if let Some(readme) = readme {
            files.push((readme.to_path_buf(), self.with_summary(readme)?));
        }
        for (file, text) in files {
            std::fs::write(&file, text).map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
            say!("wrote {}", file.display());
        }
        Ok(())
    }

    /// Whether the files say what this run says; prints the first line that does not. Times on the page may differ.
    ///
    /// # Errors
    /// A file that cannot be read, or a readme without the marks.
    pub fn check(&self, file: &Path, readme: Option<&Path>) -> Result<bool, String> {
        let mut good = self.same(file, &read(file)?, self.table);
        let page = page_of(file);
        good &= self.same(&page, &without_times(&read(&page)?), &without_times(self.page));
        if let Some(readme) = readme {
            good &= self.same(readme, &read(readme)?, &self.with_summary(readme)?);
        }
        Ok(good)
    }

    fn same(&self, file: &Path, kept: &str, now: &str) -> bool {
        if kept == now {
            return true;
        }
        let differs = kept.lines().zip(now.lines()).find(|(a, b)| a != b);
        let (a, b) = differs.unwrap_or(("the end of the file", "the end of the table"));
        say!(
            "{} is out of date; it has\n  {a}\nand this run gives\n  {b}\nIf the change is meant, write it anew: --write in place of --check.",
            file.display()
        );
        false
    }

    fn with_summary(&self, file: &Path) -> Result<String, String> {
        let name = if self.long { "verify-long" } else { "verify" };
        between(&read(file)?, name, self.summary).ok_or_else(|| {
            format!(
                "{} has no lines <!-- {name} --> and <!-- /{name} --> to put the summary between",
                file.display()
            )
        })
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))
}

/// The page beside the table.
pub fn page_of(file: &Path) -> PathBuf {
    file.with_extension("html")
}

/// The text with what stands between `<!-- name -->` and `<!-- /name -->` replaced.
fn between(text: &str, name: &str, by: &str) -> Option<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = text.find(&open)? + open.len();
    let end = start + text[start..].find(&close)?;
    Some(format!("{}{}\n{}", &text[..start], by, &text[end..]))
}

/// The page without the times of runs.
fn without_times(page: &str) -> String {
    let mut parts = page.split("<time>");
    let mut out = parts.next().unwrap_or("").to_string();
    parts.for_each(|p| out += p.split_once("</time>").map_or(p, |p| p.1));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_goes_between_its_marks_and_times_do_not_count() {
        let text = "a\n<!-- verify -->\nold\n<!-- /verify -->\nb\n";
        let new = between(text, "verify", "new").unwrap();
        assert_eq!(new, "a\n<!-- verify -->\nnew\n<!-- /verify -->\nb\n");
        assert_eq!(between(&new, "verify", "new").unwrap(), new);
        assert!(between(text, "verify-long", "new").is_none());
        assert_eq!(without_times("x <time>3 ms</time>y<time>1 s</time>"), "x y");
        assert_ne!(without_times("x <time>3 ms</time>y"), without_times("x <time>3 ms</time>z"));
    }
}
