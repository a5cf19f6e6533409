//! How big bodies are to a contact: what is solid is as thick as it is across, and what is not has a thickness that was stated, or the distance of its nodes.

use crate::bodies::Bodies;
use impinge_broadphase::Aabb;
use impinge_geometry::DVec3;
use impinge_world::{NodeState, Shape, Shapes, Simulation};

/// Part of the distance of its nodes that stands for a thickness that nobody stated.
const PART: f64 = 0.25;

/// By the numbers of the bodies (m).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sizes {
    /// Shortest side of the box around each solid; infinite for what has no inside.
    across: Vec<f64>,
    /// From node to node of what has no inside; infinite for solids and planes.
    apart: Vec<f64>,
    /// Thickness of what has nodes and no inside.
    thick: Vec<f64>,
    /// Longest side of the box around cloth and cables at first; infinite of others.
    long: Vec<f64>,
}

impl Sizes {
    /// Bodies that are there for the first time.
    pub fn know(&mut self, sim: &Simulation, who: &Bodies) {
        let (shapes, state) = (sim.column::<Shapes>(), sim.column::<NodeState>());
        for &slot in who.changed() {
            let shape = &shapes.0[slot as usize];
            let apart = apart(shape, &state.x[sim.nodes_of(slot)]);
            let nodes = matches!(shape, Shape::Soft(_) | Shape::Points { .. });
            let sheet = matches!(shape, Shape::Soft(_)) && !shape.is_solid();
            let sides = Aabb::from_points(&state.x[sim.nodes_of(slot)]);
            self.long.push(if sheet { (sides.hi - sides.lo).component_max() } else { f64::INFINITY });
            self.across.push(shape.narrowest());
            self.apart.push(apart);
            self.thick.push(match shape.thickness() {
                Some(stated) if !shape.is_solid() => stated,
                _ if nodes => PART * apart,
                _ => f64::INFINITY,
            });
        }
    }

    /// What a body is across to what may pass it: an open surface as its edges are long.
    pub fn across(&self, body: u32) -> f64 {
        self.across[body as usize].min(self.apart[body as usize])
    }

    /// Of the thinner solid of two; infinite where there is none.
    pub fn solid(&self, pair: [u32; 2]) -> f64 {
        least(&self.across, pair)
    }

    /// What a body with nodes and no inside is to itself: as its nodes are apart, and its thickness where that is more; infinite of others.
    pub fn cell(&self, body: u32) -> f64 {
        self.apart[body as usize].max(self.thick[body as usize])
    }

    /// From node to node.
    pub fn apart(&self, body: u32) -> f64 {
        self.apart[body as usize]
    }

    /// The thinner of the two that have nodes and no inside, and its thickness.
    pub fn thick(&self, [a, b]: [u32; 2]) -> (u32, f64) {
        let [of_a, of_b] = [a, b].map(|body| self.thick[body as usize]);
        if of_a <= of_b { (a, of_a) } else { (b, of_b) }
    }

    /// The shorter of the two of cloth and cables; infinite where neither is.
    pub fn long(&self, pair: [u32; 2]) -> f64 {
        least(&self.long, pair)
    }

    /// Somebody stated that thickness.
    pub fn is_stated(&self, body: u32) -> bool {
        self.thick[body as usize] != PART * self.apart[body as usize]
    }

    /// Of solids alone, by number.
    pub fn solids(&self) -> &[f64] {
        &self.across
    }
}

fn least(of: &[f64], [a, b]: [u32; 2]) -> f64 {
    of[a as usize].min(of[b as usize])
}

/// Mean length of the edges of an open surface and of a cable, and what lies between loose points that fill the box around them.
fn apart(shape: &Shape, nodes: &[DVec3]) -> f64 {
    let mean = |lengths: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = lengths.fold((0.0, 0u32), |(s, n), l| (s + l, n + 1));
        if count == 0 { f64::INFINITY } else { sum / f64::from(count) }
    };
    if shape.is_solid() {
        return f64::INFINITY;
    }
    if let Some((mesh, topology)) = shape.surface() {
        let x = mesh.positions();
        let edges = topology.edges().iter();
        return mean(&mut edges.map(|e| (x[e[1] as usize] - x[e[0] as usize]).mag()));
    }
    match shape {
        Shape::Soft(_) => mean(&mut nodes.windows(2).map(|x| (x[1] - x[0]).mag())),
        Shape::Points { .. } => between(nodes),
        Shape::Mesh(_) | Shape::Plane { .. } => f64::INFINITY,
    }
}

/// Of so many points as would fill the box around them evenly, along the sides that it has; infinite of one.
fn between(nodes: &[DVec3]) -> f64 {
    /// Part of the longest side of a box that is none.
    const FLAT: f64 = 1e-6;
    let Some(&first) = nodes.first() else { return f64::INFINITY };
    let grow = |[low, high]: [DVec3; 2], x: &DVec3| [low.min_by_component(*x), high.max_by_component(*x)];
    let [low, high] = nodes.iter().fold([first; 2], grow);
    let sides = high - low;
    let real = [sides.x, sides.y, sides.z].into_iter().filter(|s| *s > FLAT * sides.component_max());
    let (volume, count) = real.fold((1.0, 0u32), |(v, n), s| (v * s, n + 1));
    let root = |x: f64| libm::pow(x, 1.0 / f64::from(count));
    if count == 0 { f64::INFINITY } else { root(volume) / (root(nodes.len() as f64) - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_line_a_grid_and_a_block_are_as_far_apart_as_they_are() {
        for [nx, ny, nz] in [[50, 1, 1], [40, 30, 1], [20, 20, 20]] {
            let all = (0..nx * ny * nz).map(|i| {
                0.1 * DVec3::new(f64::from(i % nx), f64::from(i / nx % ny), f64::from(i / (nx * ny)))
            });
            let found = between(&all.collect::<Vec<_>>());
            assert!((found / 0.1 - 1.0).abs() < 0.01, "{found}");
        }
        assert_eq!(between(&[DVec3::unit_x()]), f64::INFINITY);
    }
}
