//! The arguments of a task: flags and values are taken out by name, what is left over is an error.

use crate::workspace::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

/// Prints the help where it is asked for before `--`.
pub fn explained(help: &str, arguments: &[OsString]) -> Option<ExitCode> {
    let asked = arguments.iter().take_while(|a| *a != "--").any(|a| a == "--help" || a == "-h");
    asked.then(|| {
        print!("{help}");
        ExitCode::SUCCESS
    })
}

/// Arguments not yet understood.
pub struct Arguments {
    rest: Vec<String>,
    /// What stood after `--`.
    pub after: Vec<OsString>,
}

impl Arguments {
    /// Splits at `--`.
    ///
    /// # Errors
    /// When an argument before it is not UTF-8.
    pub fn new(all: &[OsString]) -> Result<Self, Failure> {
        let end = all.iter().position(|a| a == "--").unwrap_or(all.len());
        let rest = all[..end].iter().map(|a| {
            a.to_str()
                .map(str::to_string)
                .ok_or_else(|| Failure::usage(format!("the argument '{}' is not UTF-8", a.to_string_lossy())))
        });
        Ok(Self {
            rest: rest.collect::<Result<_, _>>()?,
            after: all.get(end + 1..).unwrap_or_default().to_vec(),
        })
    }

    /// Takes a flag out; `true` when it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|a| a != name);
        self.rest.len() < before
    }

    /// Takes `name VALUE` or `name=VALUE` out.
    ///
    /// # Errors
    /// When the value is missing or the name is given twice.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let mut found = None;
        let mut i = 0;
        while i < self.rest.len() {
            let value = if self.rest[i] == name {
                self.rest.remove(i);
                if i >= self.rest.len() || self.rest[i].starts_with("--") {
                    return Err(Failure::usage(format!("{name} needs a value")));
                }
                self.rest.remove(i)
            } else if let Some(v) = self.rest[i].strip_prefix(name).and_then(|r| r.strip_prefix('=')) {
                let v = v.to_string();
                self.rest.remove(i);
                v
            } else {
                i += 1;
                continue;
            };
            if found.replace(value).is_some() {
                return Err(Failure::usage(format!("{name} is given twice")));
            }
        }
        Ok(found)
    }

    /// What is left, all of it names.
    ///
    /// # Errors
    /// When an option is among them that nobody took.
    pub fn names(self, known: &str) -> Result<Vec<String>, Failure> {
        match self.rest.iter().find(|a| a.starts_with('-')) {
            None => Ok(self.rest),
            Some(a) => Err(Failure::usage(format!("unknown option '{a}'; known are {known}"))),
        }
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// Names the first argument that nobody took, and what could have been meant.
    pub fn finish(self, known: &str) -> Result<(), Failure> {
        match self.rest.first() {
            None => Ok(()),
            Some(a) => Err(Failure::usage(format!("unknown argument '{a}'; known are {known}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::new(&words.iter().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn flags_values_and_the_rest() {
        let mut a = parse(&["--bless", "--save", "mine", "--against=yours", "--", "--bless"]);
        assert!(a.flag("--bless") && !a.flag("--bless"));
        assert_eq!(a.value("--save").unwrap().as_deref(), Some("mine"));
        assert_eq!(a.value("--against").unwrap().as_deref(), Some("yours"));
        assert_eq!(a.value("--only").unwrap(), None);
        assert_eq!(a.after, [OsString::from("--bless")]);
        assert!(a.finish("nothing").is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        assert!(parse(&["--save"]).value("--save").unwrap_err().message.contains("needs a value"));
        assert!(parse(&["--save", "--against"]).value("--save").is_err());
        assert!(parse(&["--save=a", "--save", "b"]).value("--save").unwrap_err().message.contains("twice"));
        let e = parse(&["--blass"]).finish("--bless").unwrap_err();
        assert!(e.message.contains("--blass") && e.message.contains("--bless"), "{}", e.message);
        assert_eq!(e.status, 2);
    }
}
