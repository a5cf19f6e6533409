//! Responses of somebody's own in a scene file: a table for each, read by the response itself.

use crate::document::{Entry, Value};
use crate::reader::Issues;
use crate::schema::TOP;
use crate::spec::Response;
use impinge_world::{Registered, SettingValue, Settings};

/// The response whose table this is, where it is of somebody's own.
pub(crate) fn of_table(name: &str) -> Option<Registered> {
    if TOP.key(name).is_some() {
        return None;
    }
    Response::all().into_iter().map(Response::entry).find(|r| r.section == name && r.read.is_some())
}

/// Reads the tables of all of them; a response without a table has the settings it was registered with.
pub(crate) fn read(entries: &[Entry], issues: &Issues<'_>) -> Vec<impinge_world::Response> {
    entries
        .iter()
        .filter_map(|e| of_table(&e.key).map(|r| (e, r)))
        .filter_map(|(e, r)| one(e, r, issues))
        .collect()
}

fn one(entry: &Entry, registered: Registered, issues: &Issues<'_>) -> Option<impinge_world::Response> {
    let Value::Table(keys) = &entry.node.value else {
        issues.push(entry.node.place, format!("`{}` is not a table", entry.key), "write keys below [it]");
        return None;
    };
    let mut values = Vec::new();
    for key in keys {
        let value = match &key.node.value {
            Value::Number(x) => SettingValue::Number(*x),
            Value::Integer(i) => SettingValue::Number(*i as f64),
            Value::Text(t) => SettingValue::Text(t.clone()),
            Value::Flag(f) => SettingValue::Flag(*f),
            other => {
                let what = format!("`{}` is {}", key.key, other.describe());
                issues.push(
                    key.node.place,
                    what,
                    "a response of your own takes numbers, texts, true and false",
                );
                return None;
            }
        };
        values.push((key.key.clone(), value));
    }
    let mut settings = Settings::new(&entry.key, values);
    let read = registered.read?;
    match read(&mut settings).and_then(|response| settings.finish().map(|()| response)) {
        Ok(response) if response.name() == registered.name => Some(response),
        Ok(response) => {
            let what = format!(
                "the table of `{}` gave a response that calls itself `{}`",
                registered.name,
                response.name()
            );
            issues.push(entry.key_place, what, "give both one name");
            None
        }
        Err(what) => {
            issues.push(
                entry.key_place,
                what,
                format!("mend the table of the response `{}`", registered.name),
            );
            None
        }
    }
}
