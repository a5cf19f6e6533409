//! Files that the user names to be written: before any work it is known that each can be, and that nothing is written over that this program did not
//! write there.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

/// So much of a file is looked at to know who wrote it.
const LOOK: u64 = 16 << 20;

/// What this program writes into a file.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    /// In words.
    pub name: &'static str,
    /// Whether a file is one, from its first bytes.
    pub is: &'a dyn Fn(&[u8]) -> bool,
}

/// A form of files that nobody is to lose: the user may have gone on with what this program wrote.
pub(crate) const WORK: Form<'_> = Form { name: "", is: &|_| false };

/// A page with a picture of runs.
const PAGE: Form<'_> =
    Form { name: "page", is: &|b| has(&b[..b.len().min(1 << 18)], b"<p class=\"brand\"><b>impinge</b>") };

/// A file to be written, as an option names it.
pub struct Target<'a> {
    /// The option, with its dashes.
    pub option: &'a str,
    /// The file.
    pub file: &'a Path,
    /// What it will be.
    pub form: &'a Form<'a>,
    /// Whether the user said that anything may be written over; `None` where there is no such option.
    pub force: Option<bool>,
}

impl Target<'_> {
    /// That the file can be written and takes the place of nothing but a file of its form. What the command `reads` is never written over.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn ready(&self, reads: &[PathBuf]) -> Result<(), String> {
        let Self { option, file, .. } = self;
        let refused = |what: &str| Err(format!("{option} {}: {what}", file.display()));
        if file.is_dir() {
            return refused("it is a folder; give the name of a file");
        }
        // Links followed; a pipe or a device has nothing to lose, and takes what comes.
        let Some(at) = impinge_io::place_of(file) else { return Ok(()) };
        let same = |read: &PathBuf| {
            fs::canonicalize(read).is_ok_and(|r| fs::canonicalize(&at).is_ok_and(|a| a == r))
        };
        if reads.iter().any(same) {
            return refused("it is read by this command, which would write over it; give another name");
        }
        self.is_free(&at)?;
        let mut part = at.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let tried = OpenOptions::new().write(true).create_new(true).open(&part);
        match tried.and_then(|_| fs::remove_file(&part)) {
            Ok(()) => Ok(()),
            Err(e) => refused(&format!(
                "it cannot be written: {e}; give a file in a folder that is there and can be written"
            )),
        }
    }

    /// That nothing is at a place but a file of the form, or an empty one.
    pub(crate) fn is_free(&self, at: &Path) -> Result<(), String> {
        let mut head = Vec::new();
        let read = fs::File::open(at).and_then(|f| f.take(LOOK).read_to_end(&mut head));
        let there = match read {
            // One that cannot be read can hold anything.
            Err(_) => at.exists(),
            Ok(_) => !(head.is_empty() || (self.form.is)(&head)),
        };
        if !there || self.force == Some(true) {
            return Ok(());
        }
        let and = match self.form.name {
            "" => String::new(),
            name => format!(", and is no {name} that this program wrote"),
        };
        let or = match self.force {
            Some(_) => ", or --force to write over it",
            None => ", or take it away first",
        };
        Err(format!("{} is there already{and}; give another {}{or}", at.display(), self.option))
    }
}

/// That a folder has nothing of others under the names of a report whose page is called `page`.
pub(crate) fn report(option: &str, folder: &Path, page: &str, force: bool) -> Result<(), String> {
    let free = |file: &Path, form: &Form<'_>| Target { option, file, form, force: Some(force) }.is_free(file);
    let page = folder.join(page);
    free(&page, &PAGE)?;
    if page.exists() {
        // It is ours, and so are the curves beside it.
        return Ok(());
    }
    let curves = Form { name: "file of curves", is: &|b| CURVES.iter().any(|head| b.starts_with(head)) };
    for entry in fs::read_dir(folder.join("csv")).into_iter().flatten().flatten() {
        let file = entry.path();
        if file.extension().is_some_and(|e| e == "csv") {
            free(&file, &curves)?;
        }
    }
    Ok(())
}

/// How the CSV files of reports begin.
const CURVES: [&[u8]; 3] = [b"time [s]", b"run,quantity,time [s],", b"stage,total [s]"];

/// Whether bytes are somewhere in others.
pub(crate) fn has(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|w| w == what)
}

/// That a page of the laboratory takes the place of nothing but an older one: both begin with the same `head`.
///
/// # Errors
/// As [`Target::ready`].
pub fn same_head(option: &str, file: &Path, head: &str) -> Result<(), String> {
    let form = Form { name: "older page", is: &|b| b.starts_with(head.as_bytes()) };
    Target { option, file, form: &form, force: None }.ready(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_empty_or_of_the_form_is_written_over() {
        let dir = std::env::temp_dir().join(format!("impinge-over-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let form = Form { name: "table", is: &|b| b.starts_with(b"row,") };
        let ready = |name: &str, force, reads: &[PathBuf]| {
            Target { option: "--out", file: &dir.join(name), form: &form, force: Some(force) }.ready(reads)
        };
        for (name, text) in [("mine", "work of a week"), ("ours", "row,x\n"), ("empty", "")] {
            fs::write(dir.join(name), text).unwrap();
        }
        assert!(ready("mine", false, &[]).unwrap_err().contains("mine is there already, and is no table"));
        for (name, force) in [("mine", true), ("ours", false), ("empty", false), ("new", false)] {
            assert_eq!(ready(name, force, &[]), Ok(()), "{name}");
        }
        // What is read is not written over by any means, under whatever name.
        let reads = [dir.join("ours")];
        let other = Path::new("..").join(dir.file_name().unwrap()).join("ours");
        for name in ["ours", other.to_str().unwrap()] {
            assert!(ready(name, true, &reads).unwrap_err().contains("read by this command"), "{name}");
        }
        for (name, why) in [("", "a folder"), ("no/such", "in a folder that is there")] {
            assert!(ready(name, true, &[]).unwrap_err().contains(why), "{name}");
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
        fs::remove_dir_all(&dir).unwrap();
    }
}
