//! `stages`: the data-flow table of the guide against the types of the stages, which print it.

use crate::arguments::Arguments;
use crate::diff;
use crate::workspace::{Failure, Outcome, lab, output, root};
use std::ffi::OsString;
use std::process::ExitCode;

/// Shown by `--help`.
pub const HELP: &str = "\
Compares the data-flow table in crates/impinge/src/guide/data_flow.md with what the stages' types say.

    cargo xtask stages            exits 1 on a difference and shows the lines
    cargo xtask stages --bless    rewrites the table between its two markers

The table is what `impinge-lab stages` prints; it stands between <!-- stages:begin --> and <!-- stages:end -->.
";

const PAGE: &str = "crates/impinge/src/guide/data_flow.md";
const BEGIN: &str = "<!-- stages:begin -->";
const END: &str = "<!-- stages:end -->";

/// Compares, or writes.
///
/// # Errors
/// When the page or its markers are missing, or they differ.
pub fn run(arguments: &[OsString]) -> Outcome {
    let mut a = Arguments::new(arguments)?;
    let bless = a.flag("--bless");
    a.finish("--bless")?;
    let path = root().join(PAGE);
    let page =
        std::fs::read_to_string(&path).map_err(|e| Failure::new(format!("{PAGE} cannot be read: {e}")))?;
    let table = output(&mut lab(["stages"], false)?, "impinge-lab stages")?;
    if table.trim().is_empty() {
        return Err(Failure::new("impinge-lab stages printed nothing; the page is left as it is"));
    }
    let (old, new) = replaced(&page, &table).map_err(Failure::new)?;
    if old == table.trim() {
        println!("{PAGE} agrees with the stages");
        return Ok(ExitCode::SUCCESS);
    }
    if bless {
        std::fs::write(&path, new).map_err(|e| Failure::new(format!("{PAGE} cannot be written: {e}")))?;
        println!("{PAGE} rewritten");
        return Ok(ExitCode::SUCCESS);
    }
    print!("{}", diff::lines(old, table.trim()));
    Err(Failure::new(format!(
        "{PAGE} differs from the stages' types (- page, + types); if the change is meant, run cargo xtask stages --bless"
    )))
}

/// The table the page has now, and the page with another one.
fn replaced<'a>(page: &'a str, table: &str) -> Result<(&'a str, String), String> {
    let missing = |marker: &str| {
        format!(
            "{PAGE} has no line '{marker}'; the table belongs between '{BEGIN}' and '{END}', in that order"
        )
    };
    let begin = page.find(BEGIN).ok_or_else(|| missing(BEGIN))? + BEGIN.len();
    let end = begin + page[begin..].find(END).ok_or_else(|| missing(END))?;
    let new = format!("{}\n\n{}\n\n{}", &page[..begin], table.trim(), &page[end..]);
    Ok((page[begin..end].trim(), new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let page = format!("before\n{BEGIN}\n\nold\n\n{END}\nafter\n");
        let (old, new) = replaced(&page, "new\n").unwrap();
        assert_eq!(old, "old");
        assert_eq!(new, page.replace("old", "new"));
        // A blessed page agrees with what blessed it.
        assert_eq!(replaced(&new, "new\n").unwrap(), ("new", new.clone()));
    }

    #[test]
    fn an_empty_place_and_missing_markers() {
        let page = format!("{BEGIN}\n{END}");
        let (old, new) = replaced(&page, "t").unwrap();
        assert_eq!((old, new.as_str()), ("", format!("{BEGIN}\n\nt\n\n{END}").as_str()));
        assert!(replaced("nothing", "t").unwrap_err().contains(BEGIN));
        assert!(replaced(&format!("{END}{BEGIN}"), "t").unwrap_err().contains(END));
    }
}
