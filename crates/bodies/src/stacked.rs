//! How much stiffer contacts are in a stack than on a floor.
//!
//! A body that rests on an immovable surface swings with ω² = k/m. In a stack it has contacts above and below, and neighbours that give way: the
//! highest ω² of a chain of equal bodies is 4 k/m. The answer is the largest eigenvalue of M⁻¹K, K the Laplacian of all contacts, by
//! power iteration from bodies that move against their neighbours.

/// A body that others may lie against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaning {
    /// Mass that its contacts act on (kg); infinite for what does not give way.
    pub mass: f64,
    /// Of its contacts where it rests on a floor, together (N/m).
    pub stiffness: f64,
}

/// A stack and the body that feels it most.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Slots of the bodies that give way, ascending.
    pub bodies: Vec<u32>,
    /// The one that moves most in the stiffest mode.
    pub body: u32,
    /// ω² of that mode over k/m of that body.
    pub factor: f64,
}

/// Rounds of the iteration: a long chain is then within 1 % of its limit.
const ROUNDS: usize = 200;

/// The stacks of two and more bodies that give way, by their first slot. `touching` holds pairs of slots, and what their contact has at least (N/m); it is
/// as stiff as that of the softer of its two bodies on a floor where that is more.
pub fn stacks(bodies: &[Leaning], touching: &[(u32, u32, f64)]) -> Vec<Stack> {
    let moves = |b: u32| bodies[b as usize].mass.is_finite();
    let mut near: Vec<Vec<(u32, f64)>> = vec![Vec::new(); bodies.len()];
    for &(a, b, least) in touching.iter().filter(|t| moves(t.0) || moves(t.1)) {
        near[a as usize].push((b, least));
        near[b as usize].push((a, least));
    }
    let mut sign = vec![0.0; bodies.len()];
    // Of each body in its stack.
    let mut place = vec![0; bodies.len()];
    let mut out = Vec::new();
    for first in (0..bodies.len() as u32).filter(|&b| moves(b)) {
        if sign[first as usize] != 0.0 {
            continue;
        }
        sign[first as usize] = 1.0;
        let mut stack = vec![first];
        let mut next = 0;
        while let Some(&b) = stack.get(next) {
            next += 1;
            for &(o, _) in near[b as usize].iter().filter(|t| moves(t.0)) {
                if sign[o as usize] == 0.0 {
                    sign[o as usize] = -sign[b as usize];
                    stack.push(o);
                }
            }
        }
        stack.sort_unstable();
        if stack.len() > 1 {
            stack.iter().enumerate().for_each(|(i, &b)| place[b as usize] = i);
            out.push(stiffest_mode(bodies, &near, &place, &sign, stack));
        }
    }
    out
}

fn stiffest_mode(
    bodies: &[Leaning],
    near: &[Vec<(u32, f64)>],
    place: &[usize],
    sign: &[f64],
    stack: Vec<u32>,
) -> Stack {
    let of = |b: u32| bodies[b as usize];
    let stiffness = |a: u32, b: u32| match (of(a).mass.is_finite(), of(b).mass.is_finite()) {
        (true, false) => of(a).stiffness,
        (false, true) => of(b).stiffness,
        _ => of(a).stiffness.min(of(b).stiffness),
    };
    // Displacements times √m.
    let mut x: Vec<f64> = stack.iter().map(|&b| sign[b as usize]).collect();
    let mut squared = 0.0;
    for _ in 0..ROUNDS {
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter_mut().for_each(|v| *v /= length);
        let force = |(i, &b): (usize, &u32)| {
            let root = of(b).mass.sqrt();
            near[b as usize].iter().fold(0.0, |sum, &(o, least)| {
                // What does not move is in no stack.
                let moves = of(o).mass.is_finite();
                let other = if moves { x[place[o as usize]] / of(o).mass.sqrt() } else { 0.0 };
                sum + stiffness(b, o).max(least) * (x[i] / root - other) / root
            })
        };
        let y: Vec<f64> = stack.iter().enumerate().map(force).collect();
        squared = x.iter().zip(&y).map(|(a, b)| a * b).sum();
        if y.iter().all(|v| *v == 0.0) {
            break;
        }
        x = y;
    }
    let most = (0..stack.len()).fold(0, |m, i| if x[i].abs() > x[m].abs() { i } else { m });
    let body = stack[most];
    let own = of(body).stiffness / of(body).mass;
    let factor = if own > 0.0 { squared / own } else { 0.0 };
    Stack { bodies: stack, body, factor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn chain(n: usize) -> Vec<Leaning> {
        let floor = Leaning { mass: f64::INFINITY, stiffness: 0.0 };
        std::iter::once(floor).chain((0..n).map(|_| Leaning { mass: 2.0, stiffness: 30.0 })).collect()
    }

    fn in_line(n: usize) -> Vec<(u32, u32, f64)> {
        (0..n as u32).map(|b| (b, b + 1, 0.0)).collect()
    }

    /// ω² of a chain that is fixed at one end: 4 sin²((2 N − 1) π/(2 (2 N + 1))) k/m.
    #[test]
    fn a_chain_on_a_floor_swings_as_it_must() {
        for n in [2usize, 3, 5, 20] {
            let stack = &stacks(&chain(n), &in_line(n))[0];
            let angle = (2 * n - 1) as f64 * PI / (2.0 * (2 * n + 1) as f64);
            let exact = 4.0 * angle.sin().powi(2);
            assert!((stack.factor / exact - 1.0).abs() < 0.01, "{n}: {} for {exact}", stack.factor);
            assert_eq!(stack.bodies.len(), n);
        }
        assert!(stacks(&chain(50), &in_line(50))[0].factor > 3.96);
    }

    #[test]
    fn one_body_is_no_stack_and_two_are_by_their_reduced_mass() {
        assert_eq!(stacks(&chain(1), &in_line(1)), []);
        let pair = [Leaning { mass: 3.0, stiffness: 12.0 }, Leaning { mass: 1.0, stiffness: 5.0 }];
        let stack = &stacks(&pair, &[(0, 1, 0.0)])[0];
        // 5 (1/3 + 1) over 5/1: the light one feels it.
        assert!(stack.body == 1 && (stack.factor - 4.0 / 3.0).abs() < 1e-12, "{stack:?}");
        // Twice as many contacts as on a floor.
        let stack = &stacks(&pair, &[(0, 1, 10.0)])[0];
        assert!((stack.factor - 8.0 / 3.0).abs() < 1e-12, "{stack:?}");
    }

    #[test]
    fn what_gives_no_way_joins_no_stacks() {
        let table = [chain(1), chain(1)].concat();
        let stacks = stacks(&table, &[(0, 1, 0.0), (0, 3, 0.0), (2, 3, 0.0)]);
        assert_eq!(stacks, []);
    }
}
