//! Questions to a scene: the law between two materials, the rule between two bodies, a body by name.

use crate::names;
use crate::spec::{BodySpec, PairSpec, Response, RuleSpec, SceneSpec, Sides};

impl SceneSpec {
    /// The contact law between two materials: one that names both beats one with a single `*`, which beats
    /// `["*", "*"]`. `None` when there is none, or two that fit equally well.
    ///
    /// A validated scene has a law for every two materials whose bodies can meet.
    #[must_use]
    pub fn pair_law(&self, a: &str, b: &str) -> Option<&PairSpec> {
        match self.find_law(a, b).as_slice() {
            [law] => Some(law),
            _ => None,
        }
    }

    /// All laws that fit equally well and better than any other.
    pub(crate) fn find_law(&self, a: &str, b: &str) -> Vec<&PairSpec> {
        let fits = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        for stars in 0..=2 {
            let found: Vec<&PairSpec> = self
                .pairs
                .iter()
                .filter(|p| p.materials.iter().filter(|m| *m == "*").count() == stars)
                .filter(|p| {
                    let [x, y] = &p.materials;
                    (fits(x, a) && fits(y, b)) || (fits(x, b) && fits(y, a))
                })
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The response between two bodies (indices into `bodies`) and whose vertices are tested, first and second
    /// being `a` and `b`; the response is `None` where they pass through each other.
    ///
    /// The last rule that fits holds; without one it is the scene's response on both sides.
    #[must_use]
    pub fn rule_for(&self, a: usize, b: usize) -> (Option<Response>, Sides) {
        let Some((rule, swapped)) = self.last_rule(a, b) else { return (Some(self.response), Sides::Both) };
        let sides = match (rule.sides, swapped) {
            (Sides::First, true) => Sides::Second,
            (Sides::Second, true) => Sides::First,
            (sides, _) => sides,
        };
        (if rule.none { None } else { Some(rule.response.unwrap_or(self.response)) }, sides)
    }

    /// A rule is about this pair.
    pub(crate) fn has_rule(&self, a: usize, b: usize) -> bool {
        self.last_rule(a, b).is_some()
    }

    /// The groups of two bodies let them meet; a rule about the pair goes before them.
    pub(crate) fn groups_meet(&self, a: usize, b: usize) -> bool {
        self.has_rule(a, b) || self.bodies[a].groups.meets(self.bodies[b].groups)
    }

    /// The response between two bodies in a run under `response`, see [`SceneSpec::rule_for`].
    #[must_use]
    pub fn response_between(&self, a: usize, b: usize, response: Response) -> Option<Response> {
        match self.last_rule(a, b) {
            Some((rule, _)) if rule.none => None,
            Some((rule, _)) => Some(rule.response.unwrap_or(response)),
            None => Some(response),
        }
    }

    /// The responses of a run under `response`: its own first, then those that rules state.
    #[must_use]
    pub fn responses_under(&self, response: Response) -> Vec<Response> {
        let mut out = vec![response];
        for stated in self.rules.iter().filter(|r| !r.none).filter_map(|r| r.response) {
            if !out.contains(&stated) {
                out.push(stated);
            }
        }
        out
    }

    /// The distance (m) that two bodies keep under the response `qp` if the rule that holds for them states one.
    #[must_use]
    pub fn thickness_for(&self, a: usize, b: usize) -> Option<f64> {
        self.last_rule(a, b)?.0.thickness
    }

    /// The rule that holds for two bodies, and whether it names them the other way round.
    fn last_rule(&self, a: usize, b: usize) -> Option<(&RuleSpec, bool)> {
        let (name_a, name_b) = (&self.bodies[a].name, &self.bodies[b].name);
        self.rules.iter().rev().find_map(|rule| {
            let [x, y] = &rule.bodies;
            let forward = names::fits(x, name_a) && names::fits(y, name_b);
            let backward = names::fits(x, name_b) && names::fits(y, name_a);
            // Where both ways fit, the body that stands earlier in the file is the first.
            let swapped = if forward && backward { b < a } else { backward };
            (forward || backward).then_some((rule, swapped))
        })
    }

    /// The pairs that a rule is about, lower index first, ascending. Pairs are many, and most rules name few bodies.
    pub(crate) fn ruled_pairs(&self) -> Box<dyn Iterator<Item = (usize, usize)> + '_> {
        let n = self.bodies.len();
        let named: Vec<[Vec<usize>; 2]> = self
            .rules
            .iter()
            .map(|rule| rule.bodies.each_ref().map(|pattern| self.fitting(pattern)))
            .collect();
        if named.iter().map(|[first, second]| first.len() * second.len()).sum::<usize>() >= n * n / 2 {
            let all = (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
            return Box::new(all.filter(|&(i, j)| self.has_rule(i, j)));
        }
        let of = |[first, second]: &[Vec<usize>; 2]| {
            let both = first.iter().flat_map(|&i| second.iter().map(move |&j| (i.min(j), i.max(j))));
            both.filter(|(i, j)| i != j).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(usize, usize)> = named.iter().flat_map(of).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Box::new(pairs.into_iter())
    }

    fn fitting(&self, pattern: &str) -> Vec<usize> {
        let fits = |(_, body): &(usize, &BodySpec)| names::fits(pattern, &body.name);
        self.bodies.iter().enumerate().filter(fits).map(|(i, _)| i).collect()
    }

    /// Which patterns of rules fit the name of a body.
    pub(crate) fn patterns_of(&self, body: usize) -> Vec<bool> {
        let name = &self.bodies[body].name;
        self.rules.iter().flat_map(|rule| &rule.bodies).map(|pattern| names::fits(pattern, name)).collect()
    }

    /// The index of a body by its name.
    #[must_use]
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }
}
