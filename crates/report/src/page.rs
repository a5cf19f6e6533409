//! The page: takes a record, gives one HTML document with style, script and data inside. It asks nothing of
//! the network.

use crate::audit::audit;
use crate::citation;
use crate::payload;
use crate::record::RunRecord;
use crate::tables::{self, escape};

const TEMPLATE: &str = include_str!("assets/page.html");

/// The dark colours stand in two rules (the system's wish, the reader's choice), so they live in a file of
/// their own.
const DARK: &str = include_str!("assets/style/dark.css");

/// The panels of what is picked, of every page: one contact, one body.
pub const PICKED: &str = include_str!("assets/picked.html");

/// What keys and pointer do, of every page.
pub const KEYS: &str = include_str!("assets/keys.html");

const STYLE: [&str; 7] = [
    include_str!("assets/style/base.css"),
    include_str!("assets/style/header.css"),
    include_str!("assets/style/viewer.css"),
    include_str!("assets/style/plots.css"),
    include_str!("assets/style/bodies.css"),
    include_str!("assets/style/why.css"),
    include_str!("assets/style/print.css"),
];

/// In the order they run; together they are the body of one function, so nothing leaks into the page.
const SCRIPT: [&str; 39] = [
    include_str!("assets/js/decode.js"),
    include_str!("assets/js/packed.js"),
    include_str!("assets/js/format.js"),
    include_str!("assets/js/palette.js"),
    include_str!("assets/js/same.js"),
    include_str!("assets/js/clock.js"),
    include_str!("assets/js/matrix.js"),
    include_str!("assets/js/camera.js"),
    include_str!("assets/js/pointer.js"),
    include_str!("assets/js/gl.js"),
    include_str!("assets/js/shaders.js"),
    include_str!("assets/js/mesh.js"),
    include_str!("assets/js/fewer.js"),
    include_str!("assets/js/motion.js"),
    include_str!("assets/js/tube.js"),
    include_str!("assets/js/shadow.js"),
    include_str!("assets/js/samples.js"),
    include_str!("assets/js/bodies.js"),
    include_str!("assets/js/marks.js"),
    include_str!("assets/js/patches.js"),
    include_str!("assets/js/spans.js"),
    include_str!("assets/js/ground.js"),
    include_str!("assets/js/met.js"),
    include_str!("assets/js/pace.js"),
    include_str!("assets/js/triad.js"),
    include_str!("assets/js/hit.js"),
    include_str!("assets/js/viewer.js"),
    include_str!("assets/js/viewer_ui.js"),
    include_str!("assets/js/tools.js"),
    include_str!("assets/js/body_list.js"),
    include_str!("assets/js/transport.js"),
    include_str!("assets/js/axis.js"),
    include_str!("assets/js/plot.js"),
    include_str!("assets/js/plot_csv.js"),
    include_str!("assets/js/plot_input.js"),
    include_str!("assets/js/history.js"),
    include_str!("assets/js/why.js"),
    include_str!("assets/js/body_card.js"),
    include_str!("assets/js/page.js"),
];

const MAIN: &str = include_str!("assets/js/main.js");

/// The style sheet of every page, with rules of its own behind.
#[must_use]
pub fn page_style(own: &str) -> String {
    STYLE.concat()
        + &format!(
            "@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{DARK}}}}}\
             @media screen{{:root[data-theme=dark]{{{DARK}}}}}"
        )
        + own
}

/// The script of every page, with its own last part.
#[must_use]
pub fn script(own: &str) -> String {
    format!("(() => {{\n\"use strict\";\n{}{own}}})();", SCRIPT.concat())
}

/// One self-contained HTML document.
#[must_use]
pub fn render_html(record: &RunRecord) -> String {
    let (style, script) = (page_style(""), script(MAIN));
    let blocks = payload::blocks(record);
    let headline =
        [&record.title, &record.scene].into_iter().find(|t| !t.is_empty()).map_or("Run", String::as_str);
    let description = match record.description.as_str() {
        "" => String::new(),
        text => format!("<p class=\"description\">{}</p>", escape(text)),
    };
    fill(
        TEMPLATE,
        &[
            ("title", &escape(headline)),
            ("style", &style),
            ("description", &description),
            ("facts", &tables::facts(record)),
            ("banner", &tables::banner(record)),
            ("keys", KEYS),
            ("picked", PICKED),
            ("checks", &tables::checks(record)),
            ("stages", &tables::stages(&record.stages)),
            ("parameters", &tables::parameters(record)),
            (
                "notes",
                &(tables::notes(record, &audit(record))
                    + &citation::html(std::iter::once(record.response.as_str()))),
            ),
            ("versions", &tables::versions(record)),
            ("data", &payload::safe(&blocks.data)),
            ("script", &script),
            ("rest", &payload::safe(&blocks.rest)),
        ],
    )
}

/// Puts values in place of `{{name}}`, in one pass: a value that happens to contain `{{name}}` stays as it is.
#[must_use]
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|v| v.1.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let known = after
            .split_once("}}")
            .and_then(|(name, tail)| values.iter().find(|v| v.0 == name).map(|v| (v.1, tail)));
        match known {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once_and_never_read_again() {
        assert_eq!(fill("a {{x}} {{y}} {{z}} {{", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} 2 {{z}} {{");
    }

    /// A file that is in no page is called by one that is: the page would stop at the first picture.
    #[test]
    fn every_file_of_the_script_is_in_a_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/assets/js");
        let pages = [script(MAIN), crate::render_comparison(&crate::Comparison::default())];
        let mut files = 0;
        for entry in std::fs::read_dir(folder).expect("the folder of the script") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(pages.iter().any(|page| page.contains(&text)), "{} is in no page", path.display());
            files += 1;
        }
        assert!(files > SCRIPT.len(), "{files} files");
    }

    #[test]
    fn every_slot_of_the_template_is_filled() {
        let html = render_html(&RunRecord::default());
        for name in ["title", "style", "facts", "checks", "data", "script", "rest", "versions"] {
            assert!(TEMPLATE.contains(&format!("{{{{{name}}}}}")), "the template has no slot {name}");
            assert!(!html.contains(&format!("{{{{{name}}}}}")), "slot {name} is left");
        }
    }
}
