//! What a scene states, key by key: for whoever asks which keys of two scenes differ.

use crate::document::{Node, Value};
use crate::spec::SceneSpec;
use std::collections::BTreeMap;

impl SceneSpec {
    /// Every key that the scene states, as [`SceneSpec::set`] takes it, with its value on one line: `body.box.position`, `[0, 0, 1]`. Values that are one
    /// are alike, however they are written. Words and colours, which decide nothing ([`SceneSpec::in_words`]), are left out.
    #[must_use]
    pub fn stated(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        walk(self.document.root(), "", &mut out);
        out.retain(|key, _| !is_idle(key));
        out
    }
}

fn is_idle(key: &str) -> bool {
    ["scene.title", "scene.description", "scene.source"].contains(&key)
        || key.starts_with("body.") && key.ends_with(".color")
}

fn walk(node: &Node, path: &str, out: &mut BTreeMap<String, String>) {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match &node.value {
        Value::Table(entries) => entries.iter().for_each(|e| walk(&e.node, &below(&e.key), out)),
        Value::List(items)
            if !items.is_empty() && items.iter().all(|i| matches!(i.value, Value::Table(_))) =>
        {
            for (i, item) in items.iter().enumerate() {
                walk(item, &below(&name(item).unwrap_or(i.to_string())), out);
            }
        }
        value => {
            out.insert(path.to_string(), words(value));
        }
    }
}

/// What an element of a list is called by.
fn name(item: &Node) -> Option<String> {
    let Value::Table(entries) = &item.value else { return None };
    let name = entries.iter().find(|e| e.key == "name")?;
    if let Value::Text(name) = &name.node.value { Some(name.clone()) } else { None }
}

fn words(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        // 1 and 1.0 are one number.
        Value::Integer(i) => number(*i as f64),
        Value::Number(x) => number(*x),
        Value::Flag(flag) => flag.to_string(),
        Value::Date(date) => date.clone(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|n| words(&n.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|e| format!("{} = {}", e.key, words(&e.node.value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

fn number(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use crate::spec::SceneSpec;
    use std::path::Path;

    #[test]
    fn keys_are_those_that_set_takes_and_equal_values_are_alike() {
        let scene = |dt: &str, at: &str, more: &str| {
            let text = format!(
                "[scene]\ntitle = \"{more}\"\ndt = {dt}\nduration = 1\n[[material]]\nname = \"m\"\ndensity = 1e3\n[[pair]]\nmaterials = [\"*\", \"*\"]\n\
                 stiffness = 1e4\n[[body]]\nname = \"a\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [1, 1, 1] }} }}\nposition = {at}\n"
            );
            SceneSpec::from_str(&text, Path::new("s.toml")).unwrap()
        };
        let one = scene("1e-3", "[0, 0, 1]", "one").stated();
        assert_eq!(one, scene("0.001", "[0.0,0,1.0]", "another").stated());
        assert_eq!(one["body.a.position"], "[0, 0, 1]");
        assert_eq!((&*one["pair.0.stiffness"], &*one["body.a.mesh.box.size"]), ("10000", "[1, 1, 1]"));
        assert_ne!(one, scene("1e-3", "[0, 0, 2]", "one").stated());
        let mut set = scene("1e-3", "[0, 0, 2]", "one");
        for (key, value) in one.iter().filter(|(key, _)| *key != "scene.title") {
            set.set(key, value).unwrap();
        }
        assert_eq!(set.stated(), one);
    }
}
