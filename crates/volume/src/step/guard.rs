//! A guard for small fast bodies: what would pass through another between two steps is stopped where the two meet.
//!
//! Intersection volumes are looked for where a step begins and ends; a body that flies farther than its own size may have passed in between.
//! Of pairs that do not overlap at the start and move, as seen from each other, farther than half the thinner of them, the way is looked over:
//! at times so close that the smaller body cannot cross a wall between two of them, until the first volume is met. If much of the way would
//! still be to go, both bodies end the step there, where the next step meets their overlap and answers it like any other.
//!
//! Only the way is shortened. Velocities stay, so neither momentum changes: what is taken back lies along the velocity. Bodies that stop
//! together stop at one time, so that no pair of them is where it never was. The time they lose is the price; it is counted. Under a force
//! they keep what it gave them for the whole step: a body that falls is left up to m g times the way it was kept from higher.

use super::gauge::Gauge;
use super::placed::At;
use super::tables::Overlaps;
use impinge_bodies::{ContactError, Dofs, Laws, PairFinder, Shape, Shapes, put};
use impinge_broadphase::Aabb;
use impinge_contact::{Advanced, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, Pose};

/// Part of the thinner body's thickness that a pair may be past its first touch when a step ends: beyond, the volume may push it out on
/// the far side.
const PAST: f64 = 0.5;
/// A body whose mean thickness is below this part of the smallest edge of its box is hollow or bent: its wall is that thick. Of a cube or a ball
/// it is a third; a solid tetrahedron may come below it, which costs looks and no truth.
const HOLLOW: f64 = 1.0 / 6.0;
/// Part of the smaller body's length along the way between two looks.
const BETWEEN: f64 = 0.5;
/// Looks at one pair at most.
const LOOKS: f64 = 65536.0;
/// Rounds of looking again at what has been stopped; each joins at least two groups.
const ROUNDS: usize = 16;

/// What a body does in the step.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// At the start and at the end.
    boxes: [Aabb; 2],
    /// Largest way of a vertex (m), or more.
    reach: f64,
    /// Of the body as a whole (m), and the most that a vertex goes beside it (m), or more.
    shift: DVec3,
    beside: f64,
    /// Of the middle of its box (m).
    by: DVec3,
    /// Half the edges of its box at the start (m), and the axes they lie along: a rigid body's own.
    half: DVec3,
    axes: DMat3,
    /// The smallest of these edges, or the wall of a hollow body (m).
    thin: f64,
}

/// Finds what would pass through, and stops it.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    finder: PairFinder,
    ways: Vec<Way>,
    swept: Vec<Aabb>,
    poses: Vec<Pose>,
    nodes: Vec<DVec3>,
    /// By body: part of its way that it goes, and its group.
    part: Vec<f64>,
    group: Vec<u32>,
}

/// No point of a rigid body with this box is farther from its origin (m).
pub(crate) fn arm(bounds: &Aabb) -> f64 {
    bounds.centre().mag() + bounds.half_extent().mag()
}

/// Between two poses of one step.
fn between(a: &Pose, b: &Pose, t: f64) -> Pose {
    let (p, q) = (a.rotation, b.rotation);
    let dot = p.s * q.s + p.bv.xy * q.bv.xy + p.bv.xz * q.bv.xz + p.bv.yz * q.bv.yz;
    let q = if dot < 0.0 { q * -1.0 } else { q };
    Pose::new(a.position + (b.position - a.position) * t, p * (1.0 - t) + q * t)
}

/// Angle between two attitudes (rad).
fn turned(a: &Pose, b: &Pose) -> f64 {
    let (p, q) = (a.rotation, b.rotation);
    let chord = |sign: f64| {
        let d =
            [p.s - sign * q.s, p.bv.xy - sign * q.bv.xy, p.bv.xz - sign * q.bv.xz, p.bv.yz - sign * q.bv.yz];
        d.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    4.0 * libm::asin((0.5 * chord(1.0).min(chord(-1.0))).min(1.0))
}

/// Largest way of a point of one body as seen from the other (m), or more: bodies that fly side by side do not pass.
fn closing(a: &Way, b: &Way) -> f64 {
    (a.reach + b.reach).min((b.shift - a.shift).mag() + a.beside + b.beside)
}

impl Guard {
    /// Shortens the ways in `advanced`; how many pairs it stopped. `depth`: how deep a stopped pair may be (m).
    pub fn stop(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        overlaps: &Overlaps,
        gauge: &mut Gauge,
        depth: f64,
        advanced: &mut Advanced,
    ) -> Result<u32, ContactError> {
        self.measure_ways((shapes, dofs), advanced);
        self.swept.clear();
        self.swept.extend(self.ways.iter().map(|w| w.boxes[0].union(&w.boxes[1])));
        let mut near = self.finder.find(shapes, laws, dofs, &[], &self.swept)?.clone();
        near.sort_unstable();
        let plane = |b: u32| matches!(shapes.0[b as usize], Shape::Plane { .. });
        let starts = |a: u32, b: u32| overlaps.pairs.binary_search_by_key(&[a, b], |m| m.bodies).is_ok();
        near.retain(|&(a, b)| !plane(a) && !plane(b) && !starts(a, b));
        self.walls(shapes, gauge, &near);
        near.retain(|&(a, b)| self.may_pass(a, b));
        if near.is_empty() {
            return Ok(0);
        }
        near.iter().try_for_each(|&(a, b)| self.told_apart(a, b, gauge))?;
        self.poses.clone_from(&dofs.bodies.pose);
        self.nodes.clone_from(&dofs.nodes.x);
        self.part.clear();
        self.part.resize(map.bodies(), 1.0);
        self.group.clear();
        self.group.extend(0..map.bodies() as u32);
        let mut stopped = 0;
        let mut meetings = Vec::new();
        for round in 0..ROUNDS {
            meetings.clear();
            for &(a, b) in &near {
                // Bodies of one group have met nothing up to the time they stop at together.
                if round > 0 && !self.apart(dofs, a, b) {
                    continue;
                }
                if let Some(t) = self.first((map, shapes, dofs), [a, b], gauge, depth, advanced)? {
                    meetings.push((a, b, if round == 0 { t } else { 1.0 }));
                }
            }
            meetings.iter().for_each(|&(a, b, time)| self.join(dofs, a, b, time));
            stopped += meetings.len() as u32;
            if meetings.is_empty() {
                break;
            }
        }
        self.shorten(dofs, advanced);
        Ok(stopped)
    }

    fn measure_ways(&mut self, (shapes, dofs): (&Shapes, &Dofs), advanced: &Advanced) {
        self.ways.clear();
        for (b, shape) in shapes.0.iter().enumerate() {
            let (from, to) = (&dofs.bodies.pose[b], &advanced.pose[b]);
            let (boxes, shift, beside) = match shape {
                Shape::Mesh(m) => {
                    let (shift, beside) = (to.position - from.position, turned(from, to) * arm(&m.bounds));
                    ([from, to].map(|p| m.bounds.transformed(p)), shift, beside)
                }
                _ => ([Aabb::empty(); 2], DVec3::zero(), 0.0),
            };
            let reach = shift.mag() + beside;
            let (half, axes) = match shape {
                Shape::Mesh(m) => (m.bounds.half_extent(), from.matrix()),
                _ => (DVec3::zero(), DMat3::identity()),
            };
            self.ways.push(Way { boxes, reach, shift, beside, by: DVec3::zero(), half, axes, thin: 0.0 });
        }
        for (n, &b) in dofs.nodes.body.iter().enumerate() {
            if matches!(shapes.0[b as usize], Shape::Soft(_)) {
                let (x, y) = (dofs.nodes.x[n], advanced.node_x[n]);
                let way = &mut self.ways[b as usize];
                let with = |a: &Aabb, p: DVec3| a.union(&Aabb::new(p, p));
                way.boxes = [with(&way.boxes[0], x), with(&way.boxes[1], y)];
                way.reach = way.reach.max((y - x).mag());
            }
        }
        for w in self.ways.iter_mut().filter(|w| !w.boxes[0].is_empty()) {
            w.by = w.boxes[1].centre() - w.boxes[0].centre();
            if w.half == DVec3::zero() {
                w.half = w.boxes[0].half_extent();
            }
            w.thin = 2.0 * w.half.component_min();
        }
        for (n, &b) in dofs.nodes.body.iter().enumerate() {
            if matches!(shapes.0[b as usize], Shape::Soft(_)) {
                let way = &mut self.ways[b as usize];
                way.shift = way.by;
                way.beside = way.beside.max((advanced.node_x[n] - dofs.nodes.x[n] - way.by).mag());
            }
        }
    }

    /// Bodies that are hollow are as thin as their wall.
    fn walls(&mut self, shapes: &Shapes, gauge: &mut Gauge, near: &[(u32, u32)]) {
        for b in near.iter().flat_map(|&(a, b)| [a, b]) {
            let way = &mut self.ways[b as usize];
            if let Some(t) = gauge.thickness(shapes, b as usize).filter(|t| *t < HOLLOW * way.thin) {
                way.thin = t;
            }
        }
    }

    /// The pair moves farther than it may be past its first touch.
    fn may_pass(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|b| &self.ways[b as usize]);
        closing(a, b) > PAST * a.thin.min(b.thin)
    }

    /// Refuses bodies so far away that a number there says less than the thickness of the thinner: whether they meet would be rounding.
    fn told_apart(&self, a: u32, b: u32, gauge: &Gauge) -> Result<(), ContactError> {
        let ways = [a, b].map(|b| &self.ways[b as usize]);
        let far = ways
            .iter()
            .flat_map(|w| &w.boxes)
            .fold(0.0f64, |m, x| m.max((x.centre().abs() + x.half_extent()).component_max()));
        let (between, thin) = (f64::EPSILON * far, ways[0].thin.min(ways[1].thin));
        if between <= thin {
            return Ok(());
        }
        let [a, b] = [a, b].map(|s| gauge.name(s));
        Err(ContactError::refused(
            "volume",
            format!(
                "'{a}' and '{b}' are {far:.1e} m from the origin, where numbers are {between:.1e} m apart, more than the {thin:.1e} m of the \
                 thinner: reduce dt or the speed, or remove what has left the scene"
            ),
        ))
    }

    /// Two that forces move have been stopped at different times.
    fn apart(&self, dofs: &Dofs, a: u32, b: u32) -> bool {
        let moved = |b: u32| dofs.bodies.kind[b as usize].is_dynamic();
        let (p, q) = (self.part[a as usize], self.part[b as usize]);
        moved(a) && moved(b) && p != q
    }

    /// Whether a pair overlaps at a part of the ways that its bodies go.
    fn meets(
        &mut self,
        (map, shapes, dofs): (&SurfaceMap, &Shapes, &Dofs),
        pair: [u32; 2],
        t: f64,
        gauge: &mut Gauge,
        advanced: &Advanced,
    ) -> Result<bool, ContactError> {
        let slots = pair.map(|b| b as usize);
        let at = slots.map(|b| t * self.part[b]);
        let boxes: [Aabb; 2] = std::array::from_fn(|i| {
            let b = slots[i];
            let pose = between(&dofs.bodies.pose[b], &advanced.pose[b], at[i]);
            self.poses[b] = pose;
            match &shapes.0[b] {
                Shape::Mesh(m) => m.bounds.transformed(&pose),
                _ => {
                    let [from, to] = &self.ways[b].boxes;
                    let mix = |x: DVec3, y: DVec3| x + (y - x) * at[i];
                    let centre = mix(from.centre(), to.centre());
                    let half = mix(from.half_extent(), to.half_extent());
                    Aabb::new(centre - half, centre + half)
                }
            }
        });
        if !boxes[0].overlaps(&boxes[1]) {
            return Ok(false);
        }
        if slots.iter().any(|&b| map.attachment(b).has_nodes()) {
            for (n, &b) in dofs.nodes.body.iter().enumerate() {
                if let Some(i) = pair.iter().position(|p| *p == b) {
                    let x = dofs.nodes.x[n];
                    self.nodes[n] = x + (advanced.node_x[n] - x) * at[i];
                }
            }
        }
        let at = At { map, shapes, poses: &self.poses, nodes: &self.nodes };
        gauge.meets(&at, pair)
    }

    /// The part of its way at which a pair first overlaps, if it would go much farther.
    fn first(
        &mut self,
        world: (&SurfaceMap, &Shapes, &Dofs),
        pair: [u32; 2],
        gauge: &mut Gauge,
        depth: f64,
        advanced: &Advanced,
    ) -> Result<Option<f64>, ContactError> {
        let ways = pair.map(|b| self.ways[b as usize]);
        let size = |w: &Way| w.boxes[0].half_extent().mag();
        let smaller = if size(&ways[0]) <= size(&ways[1]) { &ways[0] } else { &ways[1] };
        // Stopped at different times they do not move alike.
        let alike = self.part[pair[0] as usize] == self.part[pair[1] as usize];
        let reach = if alike { closing(&ways[0], &ways[1]) } else { ways[0].reach + ways[1].reach };
        let by = ways[1].by - ways[0].by;
        // Its length along the way; of a pair that mostly turns, its thinnest.
        let length = if by.mag() > 0.5 * reach {
            let (u, h) = ((smaller.axes.transposed() * by.normalized()).abs(), smaller.half);
            // A chord of the box along u through its middle: no longer than the body's own length along u where it fills its box.
            let along = |h: f64, u: f64| if u > 0.0 { h / u } else { f64::INFINITY };
            2.0 * along(h.x, u.x).min(along(h.y, u.y)).min(along(h.z, u.z))
        } else {
            smaller.thin
        };
        let looks = (reach / (BETWEEN * length)).ceil().clamp(1.0, LOOKS);
        let mut hit = None;
        for k in 1..=looks as u32 {
            let t = f64::from(k) / looks;
            if self.meets(world, pair, t, gauge, advanced)? {
                hit = Some((t - 1.0 / looks, t));
                break;
            }
        }
        let Some((mut lo, mut hi)) = hit else { return Ok(None) };
        while (hi - lo) * reach > 0.5 * depth {
            let middle = 0.5 * (lo + hi);
            if !(lo < middle && middle < hi) {
                break;
            }
            if self.meets(world, pair, middle, gauge, advanced)? {
                hi = middle;
            } else {
                lo = middle;
            }
        }
        let thin = ways[0].thin.min(ways[1].thin);
        Ok(((1.0 - hi) * reach > PAST * thin).then_some(hi))
    }

    /// Both bodies, and all that stop with them, end the step at one time: the earliest.
    fn join(&mut self, dofs: &Dofs, a: u32, b: u32, time: f64) {
        let moved = |b: u32| dofs.bodies.kind[b as usize].is_dynamic();
        let mut earliest = time;
        let mut groups = [u32::MAX; 2];
        for (g, s) in groups.iter_mut().zip([a, b]).filter(|(_, s)| moved(*s)) {
            *g = self.group[s as usize];
            earliest = earliest.min(self.part[s as usize]);
        }
        let kept = groups[0].min(groups[1]);
        for s in 0..self.group.len() {
            if groups.contains(&self.group[s]) {
                self.group[s] = kept;
                self.part[s] = earliest;
            }
        }
    }

    fn shorten(&self, dofs: &Dofs, advanced: &mut Advanced) {
        for b in (0..self.part.len()).filter(|&b| self.part[b] < 1.0) {
            let t = self.part[b];
            let pose = between(&dofs.bodies.pose[b], &advanced.pose[b], t);
            put(dofs, b, pose, advanced);
        }
        for (n, &b) in dofs.nodes.body.iter().enumerate() {
            let t = self.part[b as usize];
            if t < 1.0 {
                let x = dofs.nodes.x[n];
                advanced.node_x[n] = x + (advanced.node_x[n] - x) * t;
            }
        }
    }
}
