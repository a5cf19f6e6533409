//! Pairs of bodies that are inside each other and that no response holds: before the first step, and now where a response remembers no way.

use impinge_world::{Simulation, Unseen};

/// The deepest pair of each kind, in the order of the first of each, and how many more there are.
fn deepest(pairs: Vec<Unseen>) -> Vec<(Unseen, usize)> {
    let mut kinds: Vec<(Unseen, usize)> = Vec::new();
    for pair in pairs {
        let alike = |u: &Unseen| u.response == pair.response && u.edges_alone == pair.edges_alone;
        match kinds.iter_mut().find(|(known, _)| alike(known)) {
            Some((known, more)) => {
                *more += 1;
                if pair.depth > known.depth {
                    *known = pair;
                }
            }
            None => kinds.push((pair, 0)),
        }
    }
    kinds
}

/// How many more, behind the names of a pair.
fn others(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and 1 pair like it, no deeper)".to_string(),
        n => format!(" (and {n} pairs like it, none deeper)"),
    }
}

/// What there is to say before the first step, of [`Simulation::unseen`].
pub(crate) fn at_start(unseen: Vec<Unseen>) -> impl Iterator<Item = String> {
    deepest(unseen).into_iter().map(|(pair, more)| pair.sentence(&others(more)))
}

/// What there is to say of where they are now.
pub(crate) fn warnings(sim: &Simulation) -> impl Iterator<Item = String> {
    let through = |(u, more): (Unseen, usize)| {
        format!(
            "at the end '{}' and '{}'{} are {:.2e} m inside each other and '{}' does not hold them: they went through each other where no vertex was inside, or \
             within a step; give the meshes more `segments` or use a smaller dt, or a response such as `cpf`, `cpf-implicit` or `qp`",
            u.a,
            u.b,
            others(more),
            u.depth,
            u.response
        )
    };
    deepest(sim.unheld_now()).into_iter().map(through)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_once_by_its_deepest_pair() {
        let pair = |a: &str, depth, edges_alone| Unseen {
            a: a.to_string(),
            b: "floor".to_string(),
            depth,
            edges_alone,
            response: "cpf",
        };
        let told = deepest(vec![pair("a", 0.1, false), pair("b", 0.2, true), pair("c", 0.3, false)]);
        assert_eq!(told, [(pair("c", 0.3, false), 1), (pair("b", 0.2, true), 0)]);
    }
}
