//! What a value must be: the check of one node against its key's kind, and plain conversions.
//!
//! Takes a key of the schema and a node of the document; gives nothing, or the place, the reason and the fix.

use crate::document::{MOST_LETTERS, Node, Place, Value};
use crate::error::cut;
use crate::schema::{Key, Kind, Range};
use crate::suggest;
use impinge_geometry::{DVec3, try_normalized};

pub(crate) fn number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Number(x) => Some(x),
        Value::Integer(i) => Some(i as f64),
        _ => None,
    }
}

pub(crate) fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(t) => Some(t),
        _ => None,
    }
}

pub(crate) fn vector(node: &Node) -> Option<DVec3> {
    match &node.value {
        Value::List(items) => match items.as_slice() {
            [x, y, z] => Some(DVec3::new(number(x)?, number(y)?, number(z)?)),
            _ => None,
        },
        _ => None,
    }
}

type Finding = (Place, String, String);

fn numbers(node: &Node, count: usize, range: Range) -> Option<Vec<f64>> {
    let Value::List(items) = &node.value else { return None };
    let values: Vec<f64> = items.iter().filter_map(number).collect();
    let all = values.len() == count
        && items.len() == count
        && values.iter().all(|&x| x.is_finite() && range.contains(x));
    all.then_some(values)
}

/// A name may stand in patterns, file names and dotted paths, so its letters are restricted.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

pub(crate) fn check(key: &Key, node: &Node) -> Result<(), Finding> {
    let integer =
        |n: &Node, lo: i128, hi: i128| matches!(n.value, Value::Integer(i) if (lo..=hi).contains(&i));
    let good = match &key.kind {
        Kind::Number(range) => number(node).is_some_and(|x| x.is_finite() && range.contains(x)),
        Kind::Integer(lo, hi) => integer(node, *lo, *hi),
        Kind::Flag => matches!(node.value, Value::Flag(_)),
        Kind::Text => text(node).is_some(),
        Kind::Name => text(node).is_some_and(is_name),
        Kind::Word(_) | Kind::WordOf(_) => match text(node) {
            Some(t) if key.kind.choices().iter().any(|(w, _)| *w == t) => true,
            Some(t) => {
                let known: Vec<&str> = key.kind.choices().iter().map(|(w, _)| *w).collect();
                let what = format!("`{}` has no \"{}\"", key.name, cut(t, MOST_LETTERS));
                return Err((node.place, what, suggest::did_you_mean(t, &known, "it may be")));
            }
            None => false,
        },
        Kind::Words(words) => match &node.value {
            Value::List(items) => {
                let known: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                for (i, item) in items.iter().enumerate() {
                    let Some(t) = text(item) else {
                        let what = format!("`{}` has {} among its words", key.name, item.value.describe());
                        return Err((item.place, what, format!("write {}", key.kind.words())));
                    };
                    if !known.contains(&t) {
                        let what = format!("`{}` has no \"{t}\"", key.name);
                        return Err((item.place, what, suggest::did_you_mean(t, &known, "it may have")));
                    }
                    if items[..i].iter().any(|other| text(other) == Some(t)) {
                        let what = format!("`{}` has \"{t}\" twice", key.name);
                        return Err((item.place, what, "write it once".into()));
                    }
                }
                true
            }
            _ => false,
        },
        Kind::Vector => numbers(node, 3, Range::Any).is_some(),
        Kind::Size(count) => numbers(node, *count, Range::Positive).is_some(),
        Kind::Direction => {
            numbers(node, 3, Range::Any).is_some() && vector(node).and_then(try_normalized).is_some()
        }
        Kind::Points => match &node.value {
            Value::List(items) if !items.is_empty() => {
                if let Some(bad) = items.iter().find(|p| numbers(p, 3, Range::Any).is_none()) {
                    let what = format!("`{}` has {} among its points", key.name, bad.value.describe());
                    return Err((bad.place, what, "write three finite numbers [x, y, z]".into()));
                }
                true
            }
            _ => false,
        },
        Kind::Rows => {
            let Value::List(rows) = &node.value else { return Err(wrong(key, node)) };
            let length = |n: &Node| if let Value::List(items) = &n.value { items.len() } else { 0 };
            for (r, row) in rows.iter().enumerate() {
                if numbers(row, length(&rows[0]), Range::Any).is_none() {
                    let what = format!(
                        "row {r} (from 0) of `{}` has {} entries that are not all finite numbers, or not as many as the first row, which has {}",
                        key.name,
                        length(row),
                        length(&rows[0])
                    );
                    return Err((row.place, what, "write as many finite numbers in each row".into()));
                }
            }
            rows.len() > 1 && length(&rows[0]) > 1
        }
        Kind::Pair => match &node.value {
            Value::List(items) => items.len() == 2 && items.iter().all(|n| text(n).is_some()),
            _ => false,
        },
        Kind::Names => match &node.value {
            Value::List(items) => items.iter().all(|n| text(n).is_some_and(is_name)),
            _ => false,
        },
        Kind::Window => numbers(node, 2, Range::NotNegative).is_some_and(|w| w[0] < w[1]),
        Kind::Time => text(node) == Some("end") || number(node).is_some_and(|t| t.is_finite() && t >= 0.0),
        Kind::Color => text(node).is_some_and(|t| color(t).is_some()),
        Kind::Segments(count, lo, hi) => {
            integer(node, *lo, *hi)
                || matches!(&node.value, Value::List(items)
                    if items.len() == *count && items.iter().all(|n| integer(n, *lo, *hi)))
        }
        Kind::Table(_) => matches!(node.value, Value::Table(_)),
        Kind::WordOrTable(word, _) => text(node) == Some(*word) || matches!(node.value, Value::Table(_)),
        Kind::Tables(section) => match &node.value {
            Value::List(items) => {
                if let Some(bad) = items.iter().find(|n| !matches!(n.value, Value::Table(_))) {
                    let what = format!("`{}` has {} among its tables", key.name, bad.value.describe());
                    return Err((bad.place, what, format!("write tables, see `{}`", section.title)));
                }
                true
            }
            Value::Table(_) => {
                let what = format!("`{}` is one table; it must be a list of tables", key.name);
                let fix = format!("write `[[{0}]]` instead of `[{0}]`, or `{0} = [{{ … }}]`", key.name);
                return Err((node.place, what, fix));
            }
            _ => false,
        },
    };
    if good { within(key, node) } else { Err(wrong(key, node)) }
}

/// A value that its key cannot have, and what to write.
fn wrong(key: &Key, node: &Node) -> Finding {
    let unit =
        if key.unit.is_empty() || key.unit == "1" { String::new() } else { format!(" ({})", key.unit) };
    let what = format!("`{}` may not be {}", key.name, shown(&node.value));
    (node.place, what, format!("write {}{unit}", key.kind.words()))
}

/// No number of a scene is beyond what its unit can mean: a step of a body that goes 1e300 m would never end.
fn within(key: &Key, node: &Node) -> Result<(), Finding> {
    let measured = matches!(
        key.kind,
        Kind::Number(_)
            | Kind::Vector
            | Kind::Size(_)
            | Kind::Points
            | Kind::Rows
            | Kind::Window
            | Kind::Time
    );
    let most = if measured { most(key.unit) } else { f64::INFINITY };
    match beyond(node, most) {
        None => Ok(()),
        Some((place, x)) => {
            let unit = match key.unit {
                "" | "1" => String::new(),
                unit => format!(" {unit}"),
            };
            let what = format!("`{}` may not be {x:e}{unit}: that is beyond any scene", key.name);
            Err((place, what, format!("write at most {most:e}{unit}, and no less than its negative")))
        }
    }
}

/// The largest number of this unit.
pub(crate) fn most(unit: &str) -> f64 {
    match unit {
        // Twice the way to the moon, thirty years, three times the speed of light.
        "m" | "s" | "m/s" | "m/s²" | "rad/s" | "Hz" => MOST_OF_A_MOTION,
        "kg" | "kg/m³" => MOST_OF_MASS,
        // What laws make of the rest is looked at where they are built, and in each step.
        _ => f64::INFINITY,
    }
}

/// Lengths, times, speeds, accelerations and frequencies.
pub(crate) const MOST_OF_A_MOTION: f64 = 1e9;
/// Masses and densities.
pub(crate) const MOST_OF_MASS: f64 = 1e30;

/// The first number beyond a bound.
fn beyond(node: &Node, most: f64) -> Option<(Place, f64)> {
    match &node.value {
        Value::List(items) => items.iter().find_map(|n| beyond(n, most)),
        _ => number(node).filter(|x| x.abs() > most).map(|x| (node.place, x)),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::List(items) if items.len() <= 4 => {
            let parts: Vec<String> = items
                .iter()
                .map(|n| match &n.value {
                    Value::Number(x) => x.to_string(),
                    Value::Integer(i) => i.to_string(),
                    Value::Text(t) => format!("\"{t}\""),
                    _ => "…".into(),
                })
                .collect();
            format!("[{}]", parts.join(", "))
        }
        other => other.describe(),
    }
}

/// `#rrggbb` as three bytes.
pub(crate) fn color(text: &str) -> Option<[u8; 3]> {
    let hex = text.strip_prefix('#').filter(|h| h.len() == 6 && h.chars().all(|c| c.is_ascii_hexdigit()))?;
    let value = u32::from_str_radix(hex, 16).ok()?;
    let [_, r, g, b] = value.to_be_bytes();
    Some([r, g, b])
}
