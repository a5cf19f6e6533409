//! Questions to a scene: the law between two materials, the rule between two bodies, a body by name.

use crate::names;
use crate::spec::{BodySpec, PairSpec, Response, RuleSpec, SceneSpec, Sides};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The laws of a scene by whom they name, for questions about all pairs of materials.
pub(crate) struct LawsByMaterial {
    both: BTreeMap<[usize; 2], Vec<usize>>,
    one: Vec<Vec<usize>>,
    none: Vec<usize>,
}

impl LawsByMaterial {
    pub fn of(scene: &SceneSpec) -> Self {
        let names: BTreeMap<&str, usize> =
            scene.materials.iter().enumerate().map(|(i, m)| (m.name.as_str(), i)).collect();
        let mut laws =
            Self { both: BTreeMap::new(), one: vec![Vec::new(); scene.materials.len()], none: Vec::new() };
        for (i, pair) in scene.pairs.iter().enumerate() {
            let named = pair.materials.iter().filter(|m| *m != "*").map(|m| names.get(m.as_str()).copied());
            match named.collect::<Option<Vec<usize>>>().as_deref() {
                Some(&[a, b]) => laws.both.entry([a.min(b), a.max(b)]).or_default().push(i),
                Some(&[a]) => laws.one[a].push(i),
                Some(_) => laws.none.push(i),
                // Of a material that is not there.
                None => {}
            }
        }
        laws
    }

    /// The laws that fit two materials equally well and better than any other, all by number.
    pub fn find(&self, a: usize, b: usize) -> Cow<'_, [usize]> {
        if let Some(found) = self.both.get(&[a.min(b), a.max(b)]) {
            return Cow::Borrowed(found);
        }
        match (&self.one[a], &self.one[b]) {
            (of_a, of_b) if of_a.is_empty() && of_b.is_empty() => Cow::Borrowed(&self.none),
            (of_a, of_b) if a == b || of_b.is_empty() => Cow::Borrowed(of_a),
            (of_a, of_b) if of_a.is_empty() => Cow::Borrowed(of_b),
            (of_a, of_b) => {
                let mut found = [&of_a[..], of_b].concat();
                found.sort_unstable();
                Cow::Owned(found)
            }
        }
    }
}

impl SceneSpec {
    /// The contact law between two materials: one that names both beats one with a single `*`, which beats
    /// `["*", "*"]`. `None` when there is none, or two that fit equally well.
    ///
    /// A validated scene has a law for every two materials whose bodies can meet.
    #[must_use]
    pub fn pair_law(&self, a: &str, b: &str) -> Option<&PairSpec> {
        let fits = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        for stars in 0..=2 {
            let as_many = |p: &&PairSpec| p.materials.iter().filter(|m| *m == "*").count() == stars;
            let mut found = self.pairs.iter().filter(as_many).filter(|p| {
                let [x, y] = &p.materials;
                (fits(x, a) && fits(y, b)) || (fits(x, b) && fits(y, a))
            });
            if let Some(first) = found.next() {
                return found.next().is_none().then_some(first);
            }
        }
        None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_by_material_are_those_found_one_by_one() {
        let mut text = String::from("[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 1.0\n");
        for name in ["a", "b", "c", "d"] {
            text += &format!("[[material]]\nname = \"{name}\"\n");
        }
        for [x, y] in [["*", "*"], ["*", "b"], ["a", "*"], ["a", "b"], ["c", "*"], ["c", "b"], ["b", "b"]] {
            text += &format!("[[pair]]\nmaterials = [\"{x}\", \"{y}\"]\nstiffness = 1e4\n");
        }
        text += "[[body]]\nname = \"ball\"\nmaterial = \"d\"\nmass = 1.0\nmesh = { icosphere = { radius = 0.1 } }\n";
        let scene = SceneSpec::from_str(&text, "t.toml".as_ref()).unwrap();
        let laws = LawsByMaterial::of(&scene);
        let mut unclear = 0;
        for (i, a) in scene.materials.iter().enumerate() {
            for (j, b) in scene.materials.iter().enumerate() {
                let found = laws.find(i, j);
                let one = if let [law] = found[..] { Some(&scene.pairs[law]) } else { None };
                let wanted = scene.pair_law(&a.name, &b.name);
                assert!(one.zip(wanted).is_none_or(|(x, y)| std::ptr::eq(x, y)), "{} {}", a.name, b.name);
                assert_eq!(one.is_some(), wanted.is_some(), "{} {}: {found:?}", a.name, b.name);
                unclear += u32::from(one.is_none());
            }
        }
        // a and c by both of their own, from either side.
        assert_eq!(unclear, 2);
    }
}
