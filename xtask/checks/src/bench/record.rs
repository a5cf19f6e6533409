//! A set of measurements as a small TOML file: one line each, so that a change is one line of a diff.

use super::machine::Machine;
use super::verdict::Interval;
use toml::Value;

/// What a row measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// One call of a kernel.
    Kernel,
    /// One step of one stage of a scene, and the work it had.
    Stage {
        /// 99th percentile (ns).
        p99: f64,
        /// Rows handled in a step, on average.
        items: f64,
        /// Steps run.
        steps: u64,
        /// Hash of the state after the last one.
        hash: String,
    },
}

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Unique among the rows of its kind.
    pub name: String,
    /// Time (ns).
    pub time: Interval,
    /// Of what.
    pub subject: Subject,
}

impl Row {
    /// Rows of two records belong together when this is equal.
    pub fn key(&self) -> (bool, &str) {
        (self.subject == Subject::Kernel, &self.name)
    }
}

/// Measurements and the machine they are from.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where.
    pub machine: Machine,
    /// What.
    pub rows: Vec<Row>,
}

impl Record {
    /// The file.
    pub fn to_toml(&self) -> String {
        let mut out = String::from(
            "# Written by `cargo xtask bench`. Times in nanoseconds: [low, median, high].\n\n[machine]\n",
        );
        out.push_str(&format!("date = {}\n", quoted(&self.machine.date)));
        for (k, v) in &self.machine.stamp {
            out.push_str(&format!("{k} = {}\n", quoted(v)));
        }
        out.push_str("\n[kernels]\n");
        for r in &self.rows {
            if r.subject == Subject::Kernel {
                out.push_str(&format!("{} = {}\n", quoted(&r.name), three(&r.time)));
            }
        }
        out.push_str("\n# Of one step; items are the rows a stage handled in it, hash the state after the last step.\n[stages]\n");
        for r in &self.rows {
            if let Subject::Stage { p99, items, steps, hash } = &r.subject {
                out.push_str(&format!(
                    "{} = {{ ns = {}, p99 = {p99:.1}, items = {items:.1}, steps = {steps}, hash = {} }}\n",
                    quoted(&r.name),
                    three(&r.time),
                    quoted(hash)
                ));
            }
        }
        out
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// What is missing or makes no sense, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let top: toml::Table = text.parse().map_err(|e| format!("{e}"))?;
        let section = |name: &str| {
            top.get(name)
                .and_then(Value::as_table)
                .ok_or_else(|| format!("there is no [{name}]; is this a file written by cargo xtask bench?"))
        };
        let mut machine = Machine { stamp: Vec::new(), date: String::new() };
        for (k, v) in section("machine")? {
            let v = v.as_str().ok_or_else(|| format!("machine.{k} is not a string"))?.to_string();
            if k == "date" {
                machine.date = v;
            } else {
                machine.stamp.push((k.clone(), v));
            }
        }
        let mut rows = Vec::new();
        for (name, v) in section("kernels")? {
            rows.push(Row { name: name.clone(), time: interval(name, v)?, subject: Subject::Kernel });
        }
        for (name, v) in section("stages")? {
            let field = |k: &str| v.get(k).ok_or_else(|| format!("'{name}' has no {k}"));
            let time = interval(name, field("ns")?)?;
            let bad = |k: &str| format!("'{name}': {k} has the wrong type");
            let subject = Subject::Stage {
                p99: number(field("p99")?).ok_or_else(|| bad("p99"))?,
                items: number(field("items")?).ok_or_else(|| bad("items"))?,
                steps: field("steps")?
                    .as_integer()
                    .and_then(|n| n.try_into().ok())
                    .ok_or_else(|| bad("steps"))?,
                hash: field("hash")?.as_str().ok_or_else(|| bad("hash"))?.to_string(),
            };
            rows.push(Row { name: name.clone(), time, subject });
        }
        Ok(Self { machine, rows })
    }
}

fn quoted(s: &str) -> String {
    Value::String(s.to_string()).to_string()
}

/// Three decimals keep a picosecond: more than any clock gives, and low ≤ median ≤ high survives the rounding.
fn three(t: &Interval) -> String {
    format!("[{:.3}, {:.3}, {:.3}]", t.low, t.median, t.high)
}

fn number(v: &Value) -> Option<f64> {
    v.as_float().or_else(|| v.as_integer().map(|i| i as f64))
}

fn interval(name: &str, v: &Value) -> Result<Interval, String> {
    let parts: Vec<f64> = v.as_array().into_iter().flatten().filter_map(number).collect();
    match parts[..] {
        [low, median, high] => Interval::new(low, median, high),
        _ => None,
    }
    .ok_or_else(|| format!("'{name}' is {v}; it must be [low, median, high] in ns, positive and in order"))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A record with one row of each kind.
    pub fn sample() -> Record {
        let stamp =
            vec![("cores".to_string(), "2".to_string()), ("cpu".to_string(), "A \"fast\" one".to_string())];
        let machine = Machine { stamp, date: "2001-09-09T01:46:40Z".to_string() };
        let time = |m: f64| Interval::new(m - 1.0, m, m + 1.5).unwrap();
        let subject = Subject::Stage { p99: 9e4, items: 12.5, steps: 2000, hash: "00ff".to_string() };
        let rows = vec![
            Row {
                name: "query/nearest \"near\"/10k".to_string(),
                time: time(81.25),
                subject: Subject::Kernel,
            },
            Row { name: "stack penalty narrow".to_string(), time: time(20_000.0), subject },
        ];
        Record { machine, rows }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let r = sample();
        let text = r.to_toml();
        assert_eq!(Record::parse(&text).unwrap(), r, "{text}");
        assert_eq!(text.lines().filter(|l| l.contains("narrow")).count(), 1, "one line each: {text}");
    }

    #[test]
    fn broken_files_say_what_is_wrong() {
        let text = sample().to_toml();
        let e = |from: &str, to: &str| Record::parse(&text.replace(from, to)).unwrap_err();
        assert!(e("[kernels]", "[colonels]").contains("[kernels]"));
        assert!(e("[80.250,", "[90.250,").contains("in order"));
        assert!(e("[80.250, 81.250,", "[80.250,").contains("low, median, high"));
        assert!(e("hash = ", "hush = ").contains("has no hash"));
        assert!(e("steps = 2000", "steps = -1").contains("steps has the wrong type"));
        assert!(Record::parse("not toml").is_err());
    }
}
