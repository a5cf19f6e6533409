//! response: continuous penalty forces, applied through the ledger.
//!
//! Finds the penetration intervals of the listed pairs and of the open contacts, integrates the normal force over them, adds
//! damping and anchored friction, and writes one contact row per interval. All of it depends on the predicted motion only.

use super::super::vertices::world_plane;
use super::super::{Names, check};
use super::edges::leaves;
use super::{Matter, part};
use crate::components::{Decisions, Dofs, Laws, State, StateNext};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use crate::swept::{Faces, Followed, List, SweptCandidates, TrackedNext, edges_of};
use hecs::{Query, QueryBorrow};
use impinge_ccd::{Entry, Kind};
use impinge_contact::{
    ApplyWorkspace, Contact, ContactImpulse, Contacts, Damping, Decided, Evaluated, Ledger, Loads, PairLaw,
    Pairs, PlaneContact, PlaneContacts, Prediction, SlipState, Surface, SurfaceMap, anchored, apply,
    contact_key,
};
use impinge_cpf::{
    Force, ImpulseRow, Impulses, Normalisation, Params, StepPairs, Workspace, accumulate, from_feature,
    height_impulse, to_feature,
};
use impinge_geometry::{DVec3, is_finite};

/// Calls [`impinge_cpf::accumulate`] on the three lists, then [`apply`].
pub struct CpfResponse {
    /// When the force is taken.
    pub force: Force,
    /// How normals are normalised.
    pub normalisation: Normalisation,
    names: Names,
    workspace: [Workspace; 3],
    found: [Impulses; 3],
    order: Vec<(u32, u32, u32)>,
    /// Edge pairs that met from inside.
    inner: Vec<u64>,
    kept: impinge_cpf::Tracked,
    apply: ApplyWorkspace,
}

impl CpfResponse {
    /// A response with these parameters; names for errors.
    pub fn new(force: Force, normalisation: Normalisation, names: Names) -> Self {
        Self {
            force,
            normalisation,
            names,
            workspace: Default::default(),
            found: Default::default(),
            order: Vec::new(),
            inner: Vec::new(),
            kept: impinge_cpf::Tracked::default(),
            apply: ApplyWorkspace::default(),
        }
    }
}

impl CpfResponse {
    /// Two edges of solids touch where the normal leaves both bodies: from inside they are no contact (ERRATA C10 vii; a body
    /// that lifts off would be held back by every edge it slid under), and across a flat or a hollow edge there is no direction out
    /// but the faces' own, which the vertices find. Without this the edges inside a flat floor catch what slides over it.
    fn drop_inner_edges(&mut self, faces: &Faces, x0: &[DVec3], next: &mut impinge_cpf::Tracked) {
        let rows = &self.found[List::Edges as usize];
        self.inner.clear();
        for i in (0..rows.len()).filter(|&i| rows.entry[i] == Entry::Contact) {
            let (first, second) = edges_of(rows.key[i]);
            let [a, b, c, d] = rows.stencil[i];
            // The impulse points to the free side of the first edge: out of the second body, into the first.
            let n = rows.normal[i];
            if !(leaves(faces, x0, first, [a, b], -n) && leaves(faces, x0, second, [c, d], n)) {
                self.inner.push(rows.key[i]);
            }
        }
        if self.inner.is_empty() {
            return;
        }
        self.kept.clear();
        for i in 0..next.len() {
            if self.inner.binary_search(&next.key[i]).is_err() {
                self.kept.push(next.row(i));
            }
        }
        std::mem::swap(next, &mut self.kept);
    }
}

/// What friction and damping need besides the normal impulse.
struct Laid<'a> {
    dt: f64,
    surface: &'a Surface,
    pairs: &'a Pairs,
    laws: &'a Laws,
}

/// A contact of any kind with its elastic impulse.
struct Point {
    normal: DVec3,
    /// Elastic, on the first point (N·s).
    impulse: DVec3,
    /// Mean relative velocity over the step (m/s).
    velocity: DVec3,
    /// The first point at the predicted end (m).
    position: DVec3,
    /// Fraction of the step during which it penetrates.
    span: f64,
    /// Part of the contact that acts: below 1 while it is handed over.
    share: f64,
    /// Its friction anchor at the predicted end (m), and whether it slid; of a contact that was open when the step began.
    held: Option<(DVec3, bool)>,
    area: f64,
    pair: u32,
}

/// What a contact does.
struct Decision {
    normal: DVec3,
    friction: DVec3,
    /// As in [`Point`], after the step.
    held: Option<(DVec3, bool)>,
}

impl Laid<'_> {
    fn law(&self, pair: u32) -> &PairLaw {
        &self.laws.laws[self.pairs.law[pair as usize] as usize]
    }

    /// Normal impulse with damping, and friction. Damping acts as long as the pair penetrates: Kelvin–Voigt by the mean rate, Hunt and
    /// Crossley's factor on the elastic impulse. The sum never pulls.
    fn respond(&self, c: &Point) -> Decision {
        let law = self.law(c.pair);
        let per_point = law.point_stiffness(c.area, part(self.pairs.sides[c.pair as usize])).1 * c.share;
        let rate = -c.normal.dot(c.velocity);
        let elastic = c.impulse.dot(c.normal);
        let along = match law.damping {
            Damping::None => elastic,
            Damping::KelvinVoigt(d) => elastic + d * per_point * rate * c.span * self.dt,
            Damping::HuntCrossley(chi) => elastic * (1.0 + chi * rate),
        };
        // What is across the normal (a normal that turns) belongs to the elastic impulse and stays.
        let normal = c.impulse + c.normal * (along.max(0.0) - elastic);
        let mut out = Decision { normal, friction: DVec3::zero(), held: None };
        if let Some(f) = &law.friction {
            let mut scaled = *f;
            scaled.k_fp *= per_point;
            scaled.k_fd *= per_point;
            let force = along.max(0.0) / self.dt;
            let (anchor, slipping) = (c.held.map(|h| h.0), c.held.is_some_and(|h| h.1));
            let step = anchored(&scaled, c.normal, c.position, c.velocity, force, anchor, slipping);
            out.held = step.anchor.map(|a| (a, step.state == SlipState::Dynamic));
            out.friction = step.force * self.dt;
        }
        out
    }

    /// A row of the batch; `followed` is what the step began with.
    fn feature(
        &self,
        row: &ImpulseRow,
        kind: Kind,
        pair: u32,
        area: f64,
        followed: &impinge_cpf::Tracked,
    ) -> Point {
        let x1 = self.ends(row);
        let velocity = (0..4).fold(DVec3::zero(), |u, i| {
            u + (x1[i] - self.surface.x0[row.stencil[i] as usize]) * row.weight[i]
        }) / self.dt;
        let before = (row.entry == Entry::Initial).then(|| followed.find(row.key)).flatten();
        let held = before.filter(|&i| followed.grip[i] != SlipState::Open).and_then(|i| {
            let at = from_feature(kind, &x1, row.normal, followed.anchor[i])?;
            Some((at, followed.grip[i] == SlipState::Dynamic))
        });
        Point {
            normal: row.normal,
            impulse: row.impulse,
            velocity,
            // The first material point: the vertex, or the point of the first edge.
            position: match kind {
                Kind::VertexFace => x1[0],
                Kind::EdgeEdge => x1[0] * row.weight[0] + x1[1] * row.weight[1],
            },
            span: row.t_out - row.t_in,
            share: row.share,
            held,
            area,
            pair,
        }
    }

    /// The points of a row at the predicted end (m).
    fn ends(&self, row: &ImpulseRow) -> [DVec3; 4] {
        row.stencil.map(|v| self.surface.x1[v as usize])
    }
}

/// Keeps the anchor of a contact with the contact.
fn keep(next: &mut impinge_cpf::Tracked, key: u64, grip: SlipState, anchor: Option<DVec3>) {
    if let Some(i) = next.find(key) {
        next.anchor[i] = anchor.unwrap_or(DVec3::zero());
        next.grip[i] = if anchor.is_some() { grip } else { SlipState::Open };
    }
}

/// What friction is doing, by whether it slides.
fn grip(slipping: bool) -> SlipState {
    if slipping { SlipState::Dynamic } else { SlipState::Static }
}

type Detected =
    (&'static Pairs, &'static SweptCandidates, &'static Faces, &'static Surface, &'static SurfaceMap);
type Motion =
    (&'static Shapes, &'static Dofs, &'static Prediction, &'static Laws, &'static State, &'static Followed);
type Out = (
    &'static mut Contacts,
    &'static mut PlaneContacts,
    &'static mut Decisions,
    &'static mut StateNext,
    &'static mut TrackedNext,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for CpfResponse {
    type Io = (Detected, Motion, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: cpf"
    }

    fn run(
        &mut self,
        (detected, motion, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, candidates, faces, surface, map) = detected;
        let (shapes, dofs, prediction, laws, state, followed) = motion;
        let (contacts, planes, decisions, next, tracked_next, loads, ledger) = out;
        contacts.clear();
        planes.clear();
        decisions.mesh.clear();
        decisions.plane.clear();
        decisions.evaluated = Evaluated::Path;
        self.order.clear();
        let params = Params::new(step.dt, self.normalisation)?.with_force(self.force);
        let whole = self.force == Force::AtEnd;
        let matter = Matter { map, shapes, laws, faces };
        let laid = Laid { dt: step.dt, surface, pairs, laws };
        for list in List::ALL {
            let l = list as usize;
            let c = &candidates.lists[l];
            let opens = list.features().1;
            let features = list.candidates(&c.features, faces);
            let named = |i: usize| matter.named(list, c.features[i], &features, i);
            let step_pairs = StepPairs { candidates: features, named: &named, opens };
            let (x0, x1, ws) = (&surface.x0, &surface.x1, &mut self.workspace[l]);
            accumulate(
                &params,
                x0,
                x1,
                &step_pairs,
                &followed.0[l],
                ws,
                &mut self.found[l],
                &mut tracked_next.0[l],
            )?;
            if list == List::Edges {
                self.drop_inner_edges(faces, &surface.x0, &mut tracked_next.0[l]);
            }
            // Rows come by key; the books are kept pair by pair.
            for i in 0..self.found[l].len() {
                if list == List::Edges && self.inner.binary_search(&self.found[l].key[i]).is_ok() {
                    continue;
                }
                let s = self.found[l].stencil[i];
                let (a, b) = (map.body_of(s[0]), map.body_of(s[3]));
                let pair = pair_of(pairs, a.min(b), a.max(b)).ok_or(StageError::Foreign { a, b })?;
                self.order.push((pair, l as u32, i as u32));
            }
        }
        self.order.sort_unstable();
        for &(pair, l, i) in &self.order {
            let row = self.found[l as usize].row(i as usize);
            let list = List::ALL[l as usize];
            let kind = list.features().0;
            let area = matter.area(list, row.stencil[0], row.key);
            let point = laid.feature(&row, kind, pair, area, &followed.0[l as usize]);
            let point = Point { span: if whole { 1.0 } else { point.span }, ..point };
            let Decision { normal, friction, held } = laid.respond(&point);
            // Of a pair that meets twice the later contact is the one that stays.
            let anchor = held.and_then(|(a, _)| to_feature(kind, &laid.ends(&row), row.normal, a));
            keep(&mut tracked_next.0[l as usize], row.key, grip(held.is_some_and(|h| h.1)), anchor);
            let ImpulseRow { stencil, weight, t_in, t_out, key, depth, energy, .. } = row;
            contacts.push(Contact { stencil, weight, normal: row.normal, t_in, t_out, area, pair, key });
            decisions.mesh.push(ContactImpulse { normal, friction, depth, energy });
        }
        let c = candidates.planes.view();
        for i in 0..c.len() {
            let (v, target, pair) = (c.vertex[i] as usize, c.target[i] as usize, c.pair[i]);
            let Shape::Plane { normal, offset } = shapes.0[target] else { continue };
            let (n0, d0) = world_plane(&dofs.bodies.pose[target], normal, offset);
            let (n, d) = world_plane(&prediction.pose[target], normal, offset);
            let (h0, h1) = (n0.dot(surface.x0[v]) - d0, n.dot(surface.x1[v]) - d);
            let area = shapes.vertex_area(map, c.vertex[i]);
            let k = laid.law(pair).point_stiffness(area, part(pairs.sides[pair as usize])).0;
            let hit = height_impulse(h0, h1, k, &params);
            let Some([t_in, t_out]) = hit.interval else { continue };
            let point = surface.x1[v] - n * h1;
            let arm = point - prediction.pose[target].position;
            let velocity = dofs.bodies.velocity[target] + dofs.bodies.angular_velocity[target].cross(arm);
            let key = contact_key(c.target[i], c.vertex[i]);
            let frame = &prediction.pose[target];
            let contact = Point {
                normal: n,
                impulse: n * hit.impulse,
                velocity: (surface.x1[v] - surface.x0[v]) / step.dt - velocity,
                position: surface.x1[v],
                span: if whole { 1.0 } else { t_out - t_in },
                share: 1.0,
                held: state.0.get(key).filter(|_| h0 < 0.0).map(|(a, s)| (frame.point_to_world(a), s)),
                area,
                pair,
            };
            let Decision { normal, friction, held } = laid.respond(&contact);
            if let Some((a, slipping)) = held {
                next.0.push(key, frame.point_to_body(a), slipping);
            }
            planes.push(PlaneContact {
                vertex: c.vertex[i],
                plane: c.target[i],
                point,
                normal: n,
                velocity,
                area,
                pair,
                key,
            });
            decisions.plane.push(ContactImpulse { normal, friction, depth: hit.depth, energy: hit.energy });
        }
        next.0.sort();

        loads.clear();
        ledger.reset(map.bodies());
        let decided = Decided {
            mesh: (contacts.view(), decisions.mesh.view()),
            plane: (planes.view(), decisions.plane.view()),
        };
        apply(map, dofs.bodies.view(), surface.view(), pairs.view(), decided, loads, ledger, &mut self.apply);
        for b in 0..map.bodies() {
            let w = &loads.wrench[b];
            check(&self.names, b, is_finite(w.impulse) && is_finite(w.moment), "the contact force")?;
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}

/// Row of a body pair; pairs are ascending.
pub(super) fn pair_of(pairs: &Pairs, a: u32, b: u32) -> Option<u32> {
    // By the first slot, then by the second within its run.
    let from = pairs.a.partition_point(|&x| x < a);
    let to = from + pairs.a[from..].partition_point(|&x| x == a);
    let at = from + pairs.b[from..to].partition_point(|&x| x < b);
    (at < to && pairs.b[at] == b).then_some(at as u32)
}
