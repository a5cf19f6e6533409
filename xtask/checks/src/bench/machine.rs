//! Which machine measured: processor, cores, system, compiler.

use crate::workspace::{Failure, output};
use std::process::Command;

/// The stamp of a set of measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Name and value, in the order of the file: what makes two machines different.
    pub stamp: Vec<(String, String)>,
    /// When, in UTC; differs every time.
    pub date: String,
}

impl Machine {
    /// This one.
    ///
    /// # Errors
    /// When the compiler does not say its version.
    pub fn here() -> Result<Self, Failure> {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let rustc = output(Command::new(rustc).arg("--version"), "rustc --version")?;
        let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let pair = |k: &str, v: &str| (k.to_string(), v.trim().to_string());
        let stamp = vec![
            pair("cpu", cpu(&info).unwrap_or("unknown")),
            pair("cores", &cores.to_string()),
            pair("system", &system),
            pair("rustc", &rustc),
        ];
        Ok(Self { stamp, date: super::date::now() })
    }

    /// One sentence for each thing that differs.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let of = |m: &Self, k: &str| {
            m.stamp.iter().find(|s| s.0 == k).map_or_else(|| "not recorded".to_string(), |s| s.1.clone())
        };
        self.stamp
            .iter()
            .filter(|(k, v)| of(other, k) != *v)
            .map(|(k, v)| format!("{k} is '{v}' here and '{}' in the baseline", of(other, k)))
            .collect()
    }

    /// Says so when other programs keep the machine busy: then no number means much.
    pub fn warn_when_busy(&self) {
        let load = std::fs::read_to_string("/proc/loadavg").ok().and_then(|t| first_number(&t));
        if let Some(load) = load.filter(|&l| l > 0.5) {
            eprintln!("warning: the load of this machine is {load}; measure when it is idle");
        }
    }
}

fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The first processor's name in the text of `/proc/cpuinfo`.
fn cpu(info: &str) -> Option<&str> {
    info.lines().find_map(|l| {
        let (key, value) = l.split_once(':')?;
        (key.trim() == "model name").then_some(value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_read_from_its_line() {
        let text = "processor\t: 0\nvendor_id\t: X\nmodel name\t: Some CPU @ 3.00GHz\nprocessor\t: 1\n";
        assert_eq!(cpu(text), Some("Some CPU @ 3.00GHz"));
        assert_eq!(cpu("processor\t: 0\n"), None);
        assert_eq!(first_number("1.25 0.9 0.8 2/100 17"), Some(1.25));
    }

    #[test]
    fn what_differs_is_named_and_the_date_is_not() {
        let here = Machine::here().unwrap();
        let mut there = here.clone();
        there.date = "1970-01-01T00:00:00Z".to_string();
        assert!(here.differences(&there).is_empty());
        there.stamp[0].1 = "another".to_string();
        there.stamp.remove(1);
        let d = here.differences(&there);
        assert_eq!(d.len(), 2);
        assert!(d[0].starts_with("cpu") && d[0].contains("'another'"), "{d:?}");
        assert!(d[1].contains("not recorded"), "{d:?}");
    }
}
