//! The tests as one page that opens anywhere: what came out, what was expected and within what, how far off, how long it took.

use super::kernels::Known;
use super::tested::{Column, Tested};
use super::{summary, table};
use crate::escape::escape;
use impinge_scene::Verdict;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// The page. Times stand in `<time>` elements, which a check leaves out.
pub fn html(long: bool, kernels: &[Known], tested: &[Tested], names: &[&str]) -> String {
    let title = if long { "Tests with known answers: the long ones" } else { "Tests with known answers" };
    let other = if long {
        "The quick ones: <a href=\"VERIFY.html\">VERIFY.html</a>."
    } else {
        "Those that take minutes: <a href=\"VERIFY_LONG.html\">VERIFY_LONG.html</a>."
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Impinge: {title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>\n{STYLE}</style></head><body>\n<h1>{title}</h1>\n\
         <p>Every test under every response. ✓ within tolerance, ✗ not, (✗) not and not meant to be, with the reason below its table, – not a \
         test of this response. Times are those of one run and of no account. {other}</p>\n<h2>Summary</h2>\n<div><table><thead><tr><th>test</th>"
    );
    names.iter().for_each(|n| out += &format!("<th>{n}</th>"));
    out += "</tr></thead><tbody>\n";
    for row in summary::rows(tested) {
        let (name, cells) = row.split_first().expect("a name");
        let _ = write!(out, "<tr><th>{}</th>", escape(name));
        for c in cells {
            let class = match c.chars().next() {
                Some('✓') => "pass",
                Some('✗') => "fail",
                Some('–') => "none",
                _ => "known",
            };
            let _ = write!(out, "<td class=\"{class}\">{c}</td>");
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if !kernels.is_empty() {
        of_kernels(kernels, &mut out);
    }
    tested.iter().for_each(|t| of_test(t, names, &mut out));
    out += "</body></html>\n";
    out
}

fn of_kernels(kernels: &[Known], out: &mut String) {
    *out += "<h2>Kernels</h2>\n<p>One call or a short loop each, without a scene. · told, not judged.</p>\n<div><table><thead><tr><th>test</th><th>what</th>\
             <th>expected</th><th>computed</th><th>off by</th><th></th></tr></thead><tbody>\n";
    for k in kernels {
        let [expected, got, error, mark] = k.cells();
        let class = if k.holds() { "pass" } else { "fail" };
        let note =
            if k.note.is_empty() { String::new() } else { format!("<small>{}</small>", escape(k.note)) };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><th>{}{note}</th><td>{expected}</td><td>{got}</td><td>{error}</td><td class=\"{class}\">{mark}</td></tr>",
            k.id,
            escape(&k.what)
        );
    }
    *out += "</tbody></table></div>\n";
}

fn of_test(test: &Tested, names: &[&str], out: &mut String) {
    let spec = &test.spec;
    let source = if spec.source.is_empty() {
        String::new()
    } else {
        format!(" <small>{}</small>", escape(&spec.source))
    };
    let _ = write!(
        out,
        "<h2>{}</h2>\n<p>{}{source}</p>\n<div><table><thead><tr><th>measure</th><th>expected</th>",
        escape(&spec.title),
        escape(&spec.description)
    );
    for (name, column) in names.iter().zip(&test.columns) {
        let time = match column {
            Column::Ran(checks, _, seconds) if !checks.is_empty() => format!("<time>{seconds:.2} s</time>"),
            _ => String::new(),
        };
        let _ = write!(out, "<th>{name}{time}</th>");
    }
    *out += "</tr></thead><tbody>\n";
    for row in test.rows() {
        let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
        let _ = write!(
            out,
            "<tr><th>{}<small>{}</small></th><td>{}{unit}</td>",
            escape(&row.name),
            escape(&row.what),
            escape(&row.expected)
        );
        for (column, name) in test.columns.iter().zip(names) {
            let Some(c) = column.of(&row.name) else {
                *out += "<td class=\"none\">–</td>";
                continue;
            };
            let class = match c.verdict {
                Verdict::Pass => "pass",
                Verdict::ExpectedFail => "known",
                Verdict::Fail | Verdict::UnexpectedPass | Verdict::NotJudged => "fail",
            };
            let wanted = spec.expectations.iter().find(|e| e.response.name() == *name && e.name == c.name);
            let error = wanted.and_then(|e| e.value).map(|(value, _)| (c.measured - value).abs());
            let error = error.filter(|e| e.is_finite()).map_or(String::new(), |e| match e {
                e if e < 1e-9 => "<small>off &lt; 1e-9</small>".into(),
                e => format!("<small>off {e:.1e}</small>"),
            });
            let _ = write!(out, "<td class=\"{class}\">{}{error}</td>", escape(&table::cell(c)));
        }
        *out += "</tr>\n";
    }
    *out += "</tbody></table></div>\n";
    let notes = table::notes(test, names);
    if !notes.is_empty() {
        *out += "<ul>\n";
        notes.iter().for_each(|n| *out += &format!("<li>{}</li>\n", escape(n)));
        *out += "</ul>\n";
    }
}
