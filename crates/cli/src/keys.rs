//! Keys as the command line sets them: one value, or a grid of values.

/// A key with its values.
pub(crate) type Sweep<'a> = (&'a str, Vec<&'a str>);

/// The key and the value of `KEY=VALUE`.
pub(crate) fn key_value<'a>(option: &str, text: &'a str) -> Result<(&'a str, &'a str), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("{option} {text}: write KEY=VALUE, for instance {option} scene.dt=0.001"))?;
    Ok((key.trim(), value.trim()))
}

/// The key and the values of `KEY=V,V…`.
pub(crate) fn sweep<'a>(option: &str, text: &'a str) -> Result<Sweep<'a>, String> {
    let (key, values) = key_value(option, text)?;
    let values = apart(values).ok_or_else(|| {
        format!("{option} {text}: a bracket or a quote is not closed; write vectors as [x,y,z] and texts with commas as \"a,b\"")
    })?;
    if values.iter().any(|v| v.is_empty()) {
        return Err(format!(
            "{option} {text}: a value is missing; write KEY=V,V, for instance {option} mu=0.4,0.6"
        ));
    }
    Ok((key, values))
}

/// The values between the commas that stand in no bracket and no quotes; `None` where one of these is not closed.
fn apart(values: &str) -> Option<Vec<&str>> {
    let (mut out, mut start) = (Vec::new(), 0);
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for (at, c) in values.char_indices() {
        match (quote, c) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(q), _) if c == q && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ']' | '}') if open.pop() != Some(c) => return None,
            (None, ',') if open.is_empty() => {
                out.push(values[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    out.push(values[start..].trim());
    (open.is_empty() && quote.is_none()).then_some(out)
}

/// Every combination of the sweeps' values, the last key changing fastest.
pub(crate) fn combinations<'a>(sweeps: &[Sweep<'a>]) -> Vec<Vec<(&'a str, &'a str)>> {
    let mut out = vec![Vec::new()];
    for (key, values) in sweeps {
        out = out
            .into_iter()
            .flat_map(|set: Vec<(&str, &str)>| {
                values.iter().map(move |v| set.iter().copied().chain([(*key, *v)]).collect::<Vec<_>>())
            })
            .collect();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_make_every_combination() {
        let sweeps =
            [sweep("--grid", "mu=0.4, 0.6").unwrap(), sweep("--grid", "scene.dt=1e-3,1e-4,1e-5").unwrap()];
        let all = combinations(&sweeps);
        assert_eq!(all.len(), 6);
        assert_eq!(all[1], [("mu", "0.4"), ("scene.dt", "1e-4")]);
        assert_eq!(all[5], [("mu", "0.6"), ("scene.dt", "1e-5")]);
        assert_eq!(combinations(&[]), [vec![]]);
        assert!(sweep("--grid", "mu").is_err() && sweep("--grid", "mu=0.1,").is_err());
    }

    #[test]
    fn commas_in_vectors_tables_and_quotes_part_no_values() {
        for (text, want) in [
            ("[0,0,-9.81],[0, 0, -1.62]", &["[0,0,-9.81]", "[0, 0, -1.62]"][..]),
            ("[[1,2],[3,4]],[]", &["[[1,2],[3,4]]", "[]"]),
            (
                r#"{box={size=[1,1,1]}},{file={path="a,]b.obj"}}"#,
                &["{box={size=[1,1,1]}}", r#"{file={path="a,]b.obj"}}"#],
            ),
            (r#""a,b", 'c,"d' ,e"#, &[r#""a,b""#, r#"'c,"d'"#, "e"]),
            (r#""say \"x,y\"",2"#, &[r#""say \"x,y\"""#, "2"]),
        ] {
            assert_eq!(sweep("--grid", &format!("k={text}")).unwrap().1, want);
        }
        for bad in ["[0,1", "0,1]", "[0,1}", "\"a,b", "{x=[1}]"] {
            assert!(sweep("--grid", &format!("k={bad}")).unwrap_err().contains("not closed"), "{bad}");
        }
    }
}
