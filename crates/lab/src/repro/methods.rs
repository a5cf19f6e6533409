//! The forces that the reproductions of "Continuous penalty forces" compare.
//!
//! The captions of the paper evaluate the discrete force at t = 1, its section 3.6 and the framework that it computed with at the start of the step:
//! symplectic Euler. The two differ in what they do to energy, so each is compared, and every row and curve says which it is.

use super::figure::{Curve, short};
use super::seed_000::Fixtures;
use super::series::{JITTER, Run, alternation, largest, mean, roughness, run, scene, variation};
use impinge_scene::{Response, SceneSpec};

/// Keys of a scene and their values.
pub type Keys<'a> = &'a [(&'a str, &'a str)];

/// A force: its name in tables and legends, the response, and the keys it needs.
#[derive(Clone, Copy)]
pub struct Method {
    /// In tables and legends.
    pub name: &'static str,
    /// The response that computes it.
    pub response: Response,
    keys: Keys<'static>,
    /// Detection is by proximity, below a distance that each scene states.
    near: bool,
}

const fn discrete(name: &'static str, keys: Keys<'static>, near: bool) -> Method {
    Method { name, response: Response::PENALTY, keys, near }
}

const START: Keys<'static> = &[("penalty.evaluate", "start")];
const END: Keys<'static> = &[("penalty.evaluate", "end")];

/// By proximity, as the paper's framework detects contact (§5), at the start and at the end of the step.
const NEAR: [Method; 2] = [
    discrete("discrete by proximity, start of step", START, true),
    discrete("discrete by proximity, end of step", END, true),
];

/// By depth at the start of the step and at its end, at the end on features from CCD, and the continuous force, last.
pub const METHODS: [Method; 4] = [
    discrete("discrete, start of step", START, false),
    discrete("discrete, end of step", END, false),
    Method {
        name: "discrete on features from CCD, end of step",
        response: Response::DPF_CCD,
        keys: &[],
        near: false,
    },
    Method { name: "continuous", response: Response::CPF, keys: &[], near: false },
];

/// How many are compared.
pub const ALL: usize = NEAR.len() + METHODS.len();

/// All of them, the continuous one last.
pub fn all() -> [Method; ALL] {
    let ([a, b], [c, d, e, f]) = (NEAR, METHODS);
    [a, b, c, d, e, f]
}

impl Method {
    /// A scene with these keys under this force; proximity acts below the given distance (m), as TOML.
    pub fn scene(
        &self,
        name: &str,
        fixtures: Fixtures<'_>,
        keys: Keys<'_>,
        below: &str,
    ) -> Result<SceneSpec, String> {
        let near: Keys<'_> = &[("penalty.proximity", below)];
        scene(name, fixtures, &[keys, self.keys, if self.near { near } else { &[] }].concat())
    }

    /// Its keys, for a scene that is put together elsewhere.
    pub fn keys(&self) -> Keys<'static> {
        self.keys
    }
}

/// A scene under all of them, proximity below this distance (m).
pub fn runs(
    name: &str,
    fixtures: Fixtures<'_>,
    below: &str,
    first: &[&str],
    second: &[&str],
) -> Result<Vec<(&'static str, Run)>, String> {
    let one = |m: Method| {
        let spec = m.scene(name, fixtures, &[], below)?;
        Ok((m.name, run(&spec, m.response, first, second, |_| Ok(()))?))
    };
    all().into_iter().map(one).collect()
}

/// A line for each run: what its force jitters, how large it is and how deep bodies are, step time.
pub fn table(runs: &[(&str, Run)]) -> String {
    let mut out = String::from(
        "Total variation of |F|, its roughness (sum of second differences), its alternation (the smaller of the two steps at each turn), peak \
         and mean, greatest depth, median wall time of a step:\n",
    );
    for (name, r) in runs {
        let (v, p, m) = (variation(&r.force), largest(&r.force), mean(&r.force));
        out += &format!(
            "{name}: {} N, {} N, {} N, {} N, {} N, {} m, {} ms{}\n",
            short(v),
            short(roughness(&r.force)),
            short(alternation(&r.force)),
            short(p),
            short(m),
            short(largest(&r.depth)),
            short(r.step_time * 1e3),
            r.stopped.as_ref().map_or(String::new(), |s| format!("; stopped: {s}"))
        );
    }
    if let [others @ .., (last, c)] = runs
        && *last == METHODS[METHODS.len() - 1].name
    {
        out += "Over those of the continuous force:";
        out += &over(others, c);
    }
    out
}

/// A line for each run: how much more its force jitters than that of the last.
pub fn over(runs: &[(&str, Run)], continuous: &Run) -> String {
    let line = |(name, r): &(&str, Run)| {
        let of = JITTER.map(|(what, of)| format!("{what} {}", short(of(&r.force) / of(&continuous.force))));
        format!("\n{name}: {}", of.join(", "))
    };
    runs.iter().map(line).collect()
}

/// Their forces over time.
pub fn curves(runs: &[(&str, Run)]) -> Vec<Curve> {
    runs.iter().map(|(n, r)| Curve { name: (*n).into(), points: r.force.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_force_has_its_name_and_says_when_it_is_evaluated() {
        let all = all();
        for (i, m) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|n| n.name != m.name));
            let said = m.name.contains("start of step") || m.name.contains("end of step");
            assert_eq!(said, m.response != Response::CPF, "{}", m.name);
            let start = m.keys.contains(&("penalty.evaluate", "start"));
            assert_eq!(start, m.name.contains("start of step"), "{}", m.name);
        }
        assert_eq!(all[ALL - 1].response, Response::CPF);
    }

    /// A ball in free flight that will be inside the floor at the end of the step: the force at the start of the step does not see the floor yet.
    #[test]
    fn the_force_at_the_start_does_not_see_what_the_end_sees() {
        let first = |m: Method| {
            let spec = m.scene("stick-cpf", None, &[], "0.01").unwrap();
            let r = run(&spec, m.response, &["ball"], &["stick"], |_| Ok(())).unwrap();
            r.force.iter().position(|f| f.1 > 0.0).unwrap()
        };
        let [start, end, ..] = METHODS.map(first);
        assert_eq!(start, end + 1);
    }
}
