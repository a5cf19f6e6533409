//! One case: a sequence of numbers that depends on (target, seed, index) alone, and what came of it.

use crate::families::Numbers;

/// How a case ended when nothing was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The function gave an answer, and it passed every check.
    Answered,
    /// The function refused the input with an error.
    Refused,
}

/// What a case is made from.
#[derive(Debug)]
pub struct Case {
    /// The numbers of this case.
    pub r: Numbers,
    verbose: bool,
}

impl Case {
    /// Case `index` of a target under a seed; `verbose` prints the input as [`Case::show`] is given it.
    pub fn new(target: &str, seed: u64, index: u64, verbose: bool) -> Self {
        // FNV-1a of the name, so that two targets do not walk through the same numbers.
        let name = target
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        let mut of_seed = Numbers(name ^ seed);
        let start = of_seed.next() ^ index.wrapping_mul(0xd134_2543_de82_ef95);
        let mut r = Numbers(start);
        r.next();
        Self { r, verbose }
    }

    /// Prints the input when somebody looks at this one case.
    pub fn show(&self, what: impl FnOnce() -> String) {
        if self.verbose {
            eprintln!("{}", what());
        }
    }
}

/// What a target does with a case: how it ended, or what was wrong with the answer.
pub type Run = fn(&mut Case) -> Result<Outcome, String>;

/// One function, or a family of them, under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As on the command line.
    pub name: &'static str,
    /// What is called, and what must hold.
    pub what: &'static str,
    /// Makes and judges a case.
    pub run: Run,
    /// Most bytes that the thread of a case may hold at one time.
    pub bytes: usize,
    /// Most seconds that a case may take.
    pub seconds: u64,
    /// Cases of a quick run: about a second or two of work in `dev`, and the same cases on any machine.
    pub quick: u64,
}

/// `Err` with the text unless `holds`.
///
/// # Errors
/// When it does not.
pub fn must(holds: bool, text: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(text()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_differ_and_repeat() {
        let first = |t: &str, s, i| Case::new(t, s, i, false).r.next();
        assert_eq!(first("a", 1, 2), first("a", 1, 2));
        let mut all: Vec<u64> = (0..100).flat_map(|i| (0..10).map(move |s| first("a", s, i))).collect();
        all.push(first("b", 0, 0));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1001);
    }
}
