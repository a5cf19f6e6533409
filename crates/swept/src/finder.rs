//! Finds features of two surfaces that may meet on their way: body pairs by the boxes of their motion, then feature trees.
//!
//! The pair of bodies of an open contact is looked at whatever the boxes say: the contact ends when its depth is zero.

use super::body_surface::BodySurface;
use super::paths::Ways;
use super::points::points_and_faces;
use super::surfaces::{Places, Surfaces};
use super::tables::{Faces, FeaturePairs, Margin, SweptCandidates};
use impinge_bodies::{
    Candidate, Candidates, ContactError, Dofs, Laws, Names, Shape, Shapes, SoftShape, two, world_plane,
};
use impinge_broadphase::{Aabb, BodyPairs, CandidateWorkspace, MOST_LEAF_PAIRS, plane_overlaps};
use impinge_contact::{Pair, Pairs, Sides, Surface, SurfaceMap, par};
use impinge_geometry::{DVec3, Pose};

/// Surfaces on their way through a step.
pub struct Moving<'a> {
    /// Which surface vertices belong to which body.
    pub map: &'a SurfaceMap,
    /// Shapes by slot.
    pub shapes: &'a Shapes,
    /// Which pairs may touch.
    pub laws: &'a Laws,
    /// What moves bodies, and where they are at the start.
    pub dofs: &'a Dofs,
    /// Poses at the end.
    pub end: &'a [Pose],
    /// Boxes around the way of each body.
    pub bounds: &'a [Aabb],
    /// Places of surface vertices at both ends (m).
    pub surface: &'a Surface,
    /// Where vertices are guessed to end in truth (m): lists hold what meets on the way there too, and are kept for the steps after while
    /// the boxes they come from hold all that moves. For callers whose results do not depend on what else is listed.
    pub guess: Option<&'a [DVec3]>,
    /// What to look for; `None` for everything, and planes too.
    pub only: Option<Only<'a>>,
}

/// Bodies of which at least one takes part in every pair, by slot.
#[derive(Clone, Copy)]
pub struct Only<'a> {
    /// With another body.
    pub others: &'a [bool],
    /// With itself.
    pub own: &'a [bool],
}

impl Moving<'_> {
    fn asked_for(&self, a: u32, b: u32) -> bool {
        self.only.is_none_or(|o| {
            if a == b { o.own[a as usize] } else { o.others[a as usize] || o.others[b as usize] }
        })
    }

    fn may_touch(&self, a: u32, b: u32) -> bool {
        let kind = &self.dofs.bodies.kind;
        let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
        dynamic && self.asked_for(a, b) && self.laws.of(a, b).is_some()
    }
}

/// Body pairs ascending; feature pairs by body pair, in the order in which the trees find them.
pub struct Finder {
    names: Names,
    boxes: BodyPairs,
    surfaces: Surfaces,
    found: Vec<(u32, u32)>,
    /// Those and what may meet when the bodies stray.
    near: Vec<(u32, u32)>,
    grown: Vec<Aabb>,
    blocks: Vec<Block>,
    /// What was found last, where it may be kept.
    kept: Kept,
    asking: Vec<([u32; 2], Sides)>,
}

impl Finder {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self {
            names,
            boxes: BodyPairs::new(),
            surfaces: Surfaces::default(),
            found: Vec::new(),
            near: Vec::new(),
            grown: Vec::new(),
            blocks: Vec::new(),
            kept: Kept::default(),
            asking: Vec::new(),
        }
    }

    /// Segments of cables are features, too: they meet edges as edges do.
    #[must_use]
    pub fn with_segments(mut self) -> Self {
        self.surfaces.segments = true;
        self
    }

    /// Size of a body's faces or segments (m); 0 for one that was not seen yet.
    #[must_use]
    pub fn size(&self, slot: u32) -> f64 {
        self.surfaces.get(slot).map_or(0.0, |s| s.size)
    }

    /// Knows the surfaces as they are now; writes `faces` when one is new or was cut.
    pub fn prepare(
        &mut self,
        map: &SurfaceMap,
        shapes: &Shapes,
        surface: &Surface,
        faces: &mut Faces,
    ) -> Result<(), ContactError> {
        self.surfaces.follow(map, &shapes.0, surface, &self.names, faces)
    }

    /// Fills pairs and candidates; `faces` when a surface is new or was cut. `open` are the contacts that are open. The feature pairs,
    /// not the body pairs, are those that may meet when every body strays by as much as the margins in `out`.
    pub fn find(
        &mut self,
        m: &Moving<'_>,
        open: &[crate::tracked::Tracked; 3],
        faces: &mut Faces,
        pairs: &mut Pairs,
        out: &mut SweptCandidates,
    ) -> Result<(), ContactError> {
        self.surfaces.follow(m.map, &m.shapes.0, m.surface, &self.names, faces)?;
        self.asking.clear();
        // Nothing is kept from a search that fails: trees have moved on by then.
        let mut kept = std::mem::take(&mut self.kept);
        if self.surfaces.take_changed() || m.guess.is_none() {
            kept.asked.clear();
        }
        let places = Places { surface: m.surface, guess: m.guess };
        let SweptCandidates { lists, margin: out_margin, planes, ways, .. } = out;
        self.body_pairs(m, open, (out_margin, ways))?;
        pairs.clear();
        lists.iter_mut().for_each(FeaturePairs::clear);
        planes.clear();
        let near = std::mem::take(&mut self.near);
        let margin = |b: u32| out_margin.get(b as usize).copied().unwrap_or_default();
        let plane = |s: u32| matches!(m.shapes.0[s as usize], Shape::Plane { .. });
        for &(a, b) in near.iter().filter(|(a, b)| m.laws.of(*a, *b).is_some() && !plane(*a) && !plane(*b)) {
            if a == b {
                self.surfaces.refresh_own(a, margin(a).own, m.map, places, &self.names)?;
            } else {
                self.surfaces.want(a);
                self.surfaces.want(b);
            }
        }
        self.surfaces.refresh(|b| margin(b).others, m.map, places);
        let mut found = 0;
        for near in near.chunks(BLOCK * BLOCKS) {
            let count = near.len().div_ceil(BLOCK);
            if self.blocks.len() < count {
                self.blocks.resize_with(count, Block::default);
            }
            let surfaces = &self.surfaces;
            par::fill(&mut self.blocks[..count], 1, |i, block| {
                block.fill(surfaces, m.laws, &kept, &near[i * BLOCK..near.len().min((i + 1) * BLOCK)]);
            });
            for (i, &(a, b)) in near.iter().enumerate() {
                let listed = self.found.get(found) == Some(&(a, b));
                found += usize::from(listed);
                let Some((law, sides)) = m.laws.of(a, b) else { continue };
                let pair = pairs.len() as u32;
                match (plane(a), plane(b)) {
                    (true, true) => continue,
                    (false, false) => {
                        self.surfaces.refreshed(a, &self.names)?;
                        self.surfaces.refreshed(b, &self.names)?;
                        let surfaces = [a, b].map(|s| self.surfaces.get(s));
                        if surfaces.iter().all(Option::is_some) {
                            self.asking.push(([a, b], sides));
                            self.blocks[i / BLOCK].hand_over((a, b), i % BLOCK, &self.names, lists)?;
                        }
                        if a != b {
                            points_and_faces(m, (a, b), sides, surfaces, margin, lists);
                        }
                    }
                    (first_is_plane, _) => plane_candidates(m, (a, b), first_is_plane, (pair, ways), planes),
                }
                let count = lists.iter().map(FeaturePairs::len).sum::<usize>() + planes.len();
                m.laws.limits.candidates(count, || two(&self.names, a, b))?;
                if !listed {
                    continue;
                }
                // A plane has no vertices of its own.
                let sides = match (plane(a), plane(b)) {
                    (true, _) => Sides::Second,
                    (_, true) => Sides::First,
                    _ => sides,
                };
                pairs.push(Pair { a, b, law, sides });
            }
        }
        self.near = near;
        if m.guess.is_some() {
            kept.lists.iter_mut().zip(lists).for_each(|(to, from)| to.clone_from(from));
            std::mem::swap(&mut kept.asked, &mut self.asking);
            self.kept = kept;
        }
        Ok(())
    }

    /// Body pairs whose motions may meet, those that are open, and bodies that may touch themselves.
    fn body_pairs(
        &mut self,
        m: &Moving<'_>,
        open: &[crate::tracked::Tracked; 3],
        (margin, ways): (&[Margin], &Ways),
    ) -> Result<(), ContactError> {
        let reach = |b: usize| margin.get(b).map_or(0.0, |m| m.others);
        self.grown.clear();
        self.grown.extend(m.bounds.iter().enumerate().map(|(b, around)| {
            let guessed = m.guess.map_or(Aabb::empty(), |g| Aabb::from_points(&g[m.map.range(b)]));
            around.union(&guessed).inflated(reach(b))
        }));
        self.boxes.find(&self.grown, |a, b| m.may_touch(a, b), &mut self.near)?;
        let meet = |&(a, b): &(u32, u32)| m.bounds[a as usize].overlaps(&m.bounds[b as usize]);
        self.found.clear();
        self.found.extend(self.near.iter().copied().filter(meet));
        for (p, shape) in m.shapes.0.iter().enumerate().filter(|_| m.only.is_none()) {
            let Shape::Plane { normal, offset } = shape else { continue };
            let ends = [&m.dofs.bodies.pose[p], &m.end[p]].map(|x| world_plane(x, *normal, *offset));
            for (b, around) in m.bounds.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                let room = ways.plane_sagitta(p as u32, around.centre(), 4.0 * around.half_extent().mag());
                let below = |&(n, o): &(DVec3, f64)| plane_overlaps(around, n, o + room);
                if b != p && m.may_touch(lo, hi) && ends.iter().any(below) {
                    self.found.push((lo, hi));
                }
            }
        }
        for (b, shape) in m.shapes.0.iter().enumerate() {
            let slot = b as u32;
            let own = |s: &SoftShape| s.own.is_some() && (s.mesh.is_some() || self.surfaces.segments);
            if matches!(shape, Shape::Soft(s) if own(s)) && m.may_touch(slot, slot) {
                self.found.push((slot, slot));
            }
        }
        for stencil in open.iter().flat_map(|t| &t.stencil) {
            let (a, b) = (m.map.body_of(stencil[0]), m.map.body_of(stencil[3]));
            let pair = (a.min(b), a.max(b));
            // Contacts of one pair mostly follow each other.
            if self.found.last() != Some(&pair) && m.asked_for(a, b) {
                self.found.push(pair);
            }
        }
        self.near.extend_from_slice(&self.found);
        for list in [&mut self.found, &mut self.near] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(())
    }
}

/// What was found in the last step.
#[derive(Default)]
struct Kept {
    lists: [FeaturePairs; 3],
    /// The body pairs of the lists, ascending, and whose features were asked for.
    asked: Vec<([u32; 2], Sides)>,
}

/// Body pairs in a block.
const BLOCK: usize = 16;
/// Blocks before their features are counted: between two looks at the limit.
const BLOCKS: usize = 32;

/// The features of some body pairs.
#[derive(Default)]
struct Block {
    workspace: CandidateWorkspace,
    lists: [Vec<(u32, u32)>; 3],
    /// Of each pair: how many features there are up to it in each list, and how many were left out.
    ends: Vec<([usize; 3], u64)>,
}

impl Block {
    /// The features of pairs that are no planes; none of the others.
    fn fill(&mut self, surfaces: &Surfaces, laws: &Laws, kept: &Kept, near: &[(u32, u32)]) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.ends.clear();
        for &(a, b) in near {
            let left_out = match (laws.of(a, b), surfaces.get(a), surfaces.get(b)) {
                (Some((_, sides)), Some(first), Some(second)) => {
                    self.features((a, b), sides, [first, second], kept)
                }
                _ => 0,
            };
            self.ends.push((self.lists.each_ref().map(Vec::len), left_out));
        }
    }

    /// The feature pairs of one body pair, and how many were left out. Where only the vertices of one body are asked for, the other's and all edges but the
    /// segments of a cable are left out.
    fn features(
        &mut self,
        (a, b): (u32, u32),
        sides: Sides,
        [first, second]: [&BodySurface; 2],
        kept: &Kept,
    ) -> u64 {
        let same = if a == b { first.own_kept } else { first.kept && second.kept };
        if same
            && let Ok(i) = kept.asked.binary_search_by_key(&[a, b], |s| s.0)
            && kept.asked[i].1 == sides
        {
            for (to, from) in self.lists.iter_mut().zip(&kept.lists) {
                to.extend_from_slice(from.of([a, b]));
            }
            return 0;
        }
        let Self { workspace: ws, lists: [solid, sheet, edges], .. } = self;
        if a == b {
            let Some(tree) = &first.own else { return 0 };
            let (v0, f0, e0) = (first.first_vertex, first.first_face, first.first_edge);
            let faces = if first.solid && !first.thin { solid } else { sheet };
            for part in tree.unordered_self_candidates(ws) {
                if !first.line {
                    faces.extend(part.vertex_face.iter().map(|&(v, f)| (v + v0, f + f0)));
                }
                edges.extend(part.edge_edge.iter().map(|&(e, f)| (e + e0, f + e0)));
            }
            return self.workspace.left_out();
        }
        for part in first.tree.unordered_candidates(&second.tree, ws) {
            if sides != Sides::Second && !second.line {
                let faces = if second.solid { &mut *solid } else { &mut *sheet };
                let named = |&(i, j): &(u32, u32)| (i + first.first_vertex, j + second.first_face);
                faces.extend(part.vertex_face.iter().map(named));
            }
            if sides != Sides::First && !first.line {
                let faces = if first.solid { &mut *solid } else { &mut *sheet };
                let named = |&(j, i): &(u32, u32)| (i + second.first_vertex, j + first.first_face);
                faces.extend(part.face_vertex.iter().map(named));
            }
            if sides == Sides::Both || first.line || second.line {
                // Segments are counted behind all edges, and the lower number comes first.
                let ordered = |(e, f): (u32, u32)| (e.min(f), e.max(f));
                let named = |&(i, j): &(u32, u32)| ordered((i + first.first_edge, j + second.first_edge));
                edges.extend(part.edge_edge.iter().map(named));
            }
        }
        self.workspace.left_out()
    }

    /// Appends the features of the pair `at` of the block, of these bodies.
    fn hand_over(
        &self,
        (a, b): (u32, u32),
        at: usize,
        names: &[String],
        lists: &mut [FeaturePairs; 3],
    ) -> Result<(), ContactError> {
        let (end, left_out) = self.ends[at];
        let from = if at == 0 { [0; 3] } else { self.ends[at - 1].0 };
        for (l, to) in lists.iter_mut().enumerate() {
            to.features.extend_from_slice(&self.lists[l][from[l]..end[l]]);
            to.close([a, b]);
        }
        if left_out == 0 {
            return Ok(());
        }
        let [a, b] = [a, b].map(|s| names.get(s as usize).cloned().unwrap_or_default());
        Err(ContactError::TooManyCandidates { a, b, most: MOST_LEAF_PAIRS, left_out })
    }
}

/// Vertices of a body that are below a plane at one end of the step, or may be on the way.
fn plane_candidates(
    m: &Moving<'_>,
    (a, b): (u32, u32),
    first_is_plane: bool,
    (pair, ways): (u32, &Ways),
    out: &mut Candidates,
) {
    let (body, target) = if first_is_plane { (b, a) } else { (a, b) };
    let Shape::Plane { normal, offset } = m.shapes.0[target as usize] else { return };
    let t = target as usize;
    let (n0, d0) = world_plane(&m.dofs.bodies.pose[t], normal, offset);
    let (n1, d1) = world_plane(&m.end[t], normal, offset);
    for v in m.map.range(body as usize) {
        let (x0, x1) = (m.surface.x0[v], m.surface.x1[v]);
        let room = ways.sagitta(body);
        let room = room + ways.plane_sagitta(target, x0, (x1 - x0).mag() + 4.0 * room);
        if n0.dot(x0) <= d0 + room || n1.dot(x1) <= d1 + room {
            out.push(Candidate { vertex: v as u32, target, pair });
        }
    }
}
