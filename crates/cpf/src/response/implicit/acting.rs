//! The contacts of a trial of the implicit step: what they do to the points, and how that changes with the motion.

use super::unknowns::{Reach, Turn, Unknowns};
use crate::conserving::{
    ContactLaw, GradientRow, GradientWorkspace, HeightGradient, Scheme, gradients, height_gradient,
};
use crate::response::dissipation::{Dissipation, Lossless, Pair, Point, Rub};
use crate::response::meet::{Meeting, Meets, is_shared};
use crate::response::seams::{Begins, Seams, Standing, change};
use crate::{StepPairs, Tracked, TrackedRow};
use impinge_bodies::{ContactError, Dofs, Laws, Shape, State, foot, world_plane};
use impinge_ccd::{Entry, Kind, contact_normal};
use impinge_contact::{Damping, Pairs, Prediction, Surface, contact_key, par};
use impinge_geometry::{DMat3, DVec3, add, outer, scale};
use impinge_swept::{Faces, Followed, List, Matter, SweptCandidates, pair_of, part};
use std::collections::BTreeMap;

/// Contacts of features made in one go.
const CHUNK: usize = 32;

/// A contact of two features.
pub(crate) struct Acting {
    pub list: List,
    /// Place among the rows of its list: [`Gathered::row`].
    row: u32,
    pub pair: u32,
    pub area: f64,
    /// Mean elastic and damping force on the first feature (N).
    pub force: DVec3,
    pub rub: Rub,
    /// The point that friction holds, at the end (m).
    pub held_at: DVec3,
    /// On the points (N·s), friction included.
    pub impulse: [DVec3; 4],
    /// On both bodies, where both take wrenches (N·m·s): moves friction to the middle between the points, as
    /// [`impinge_contact::apply`] does. Left out of the tangent: it is as small as the depth.
    pub couple: DVec3,
    pub reach: [Reach; 4],
}

impl Acting {
    /// Angular blocks that take the couple.
    pub fn spins(&self) -> [Option<usize>; 2] {
        [0, 3].map(|i: usize| match self.reach[i] {
            Reach::Rigid(at, ..) => Some(at as usize + 1),
            Reach::Held | Reach::Nodes(..) => None,
        })
    }
}

/// A vertex below a plane.
pub(crate) struct ActingPlane {
    pub vertex: u32,
    pub target: u32,
    pub pair: u32,
    pub area: f64,
    pub key: u64,
    pub normal: DVec3,
    pub height: HeightGradient,
    /// The vertex on the plane at the end (m), and the velocity of the plane there (m/s).
    pub point: DVec3,
    pub velocity: DVec3,
    pub rub: Rub,
    pub impulse: DVec3,
    pub stiff: DMat3,
    pub reach: Reach,
}

impl ActingPlane {
    /// What the last bit of its place makes of the impulse (N·s).
    pub fn rounding(&self) -> f64 {
        // Along each axis by as much as is added up there: a box far off beside the plane is as near to it as any. A turned arm is rounded all around.
        let bits = (self.point.abs() + DVec3::broadcast(self.reach.arm())) * f64::EPSILON;
        let cols = &self.stiff.cols;
        (cols[0].abs() * bits.x + cols[1].abs() * bits.y + cols[2].abs() * bits.z).mag()
    }
}

/// All contacts of a trial.
#[derive(Default)]
pub(crate) struct Gathered {
    pub mesh: Vec<Acting>,
    pub planes: Vec<ActingPlane>,
    /// What is in contact at the end of the trial.
    pub next: [Tracked; 3],
    /// A contact was met of bodies that were not expected to meet: what may meet must be listed anew.
    pub unexpected: bool,
    /// Contacts that count as long as their depth says so, by list.
    pub sticky: [Tracked; 3],
    rows: [Vec<GradientRow>; 3],
    /// Pair, list and row of each contact of `mesh`.
    order: Vec<(u32, List, u32)>,
    workspace: [GradientWorkspace; 3],
    kept: Tracked,
    seams: Seams,
    meeting: Meeting,
    meets: Vec<Meets>,
}

/// The step a trial belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub scheme: Scheme,
    pub dt: f64,
    pub matter: Matter<'a>,
    pub pairs: &'a Pairs,
    pub laws: &'a Laws,
    pub dofs: &'a Dofs,
    pub prediction: &'a Prediction,
    pub candidates: &'a SweptCandidates,
    pub faces: &'a Faces,
    pub followed: &'a Followed,
    pub state: &'a State,
    pub unknowns: &'a Unknowns,
    /// Which contacts slide, once that is settled.
    pub grips: Option<&'a Grips>,
    /// Friction holds whatever it takes: an easier problem on the way to the real one.
    pub held: bool,
    /// What contacts do is multiplied by this: less than 1 on the way to the real problem.
    pub strength: f64,
}

/// Which contacts slide, by plane or features and key; a contact that is not here is held.
pub(crate) type Grips = BTreeMap<(bool, u64), bool>;

impl Setting<'_> {
    /// Something was in contact when the step began.
    pub fn is_in_contact(&self) -> bool {
        self.followed.0.iter().any(|open| !open.is_empty()) || !self.state.0.rows().is_empty()
    }

    /// Whether a contact slides, if that is settled.
    fn slides(&self, on_plane: bool, key: u64) -> Option<bool> {
        self.grips.map(|g| g.get(&(on_plane, key)).copied().unwrap_or(false))
    }
}

impl Gathered {
    /// The discrete gradient of a contact of this trial.
    pub fn row(&self, a: &Acting) -> &GradientRow {
        &self.rows[a.list as usize][a.row as usize]
    }

    /// What the last bit of its place makes of the impulse of a contact (N·s), in a step of `dt` (s).
    pub fn rounding(&self, a: &Acting, dt: f64) -> f64 {
        let row = self.row(a);
        let spring = row.share * (0.5 * row.stiffness * dt + row.damping);
        let rub = 0.5 * impinge_geometry::trace(&a.rub.stiffness) * dt;
        let (at, normal) = (a.held_at.abs(), row.normal.abs());
        let arms = a.reach.iter().fold(0.0, |most: f64, r| most.max(r.arm()));
        let [along, across] = [normal.dot(at) + arms, at.component_max() + arms];
        (spring * along + rub * across) * f64::EPSILON
    }

    /// Adds the contacts that were made in this trial to those that stick.
    pub fn keep_made(&mut self) {
        for list in List::ALL {
            let sticky = &self.sticky[list as usize];
            let made = |row: &&GradientRow| {
                let open = row.entry == Entry::Contact && row.span[1] >= 1.0 && row.depth > 0.0;
                open && sticky.find(row.key).is_none()
            };
            let all = self.mesh.iter().filter(|a| a.list == list).map(|a| self.row(a));
            let mut rows: Vec<TrackedRow> = all.filter(made).map(GradientRow::made).collect();
            if rows.is_empty() {
                continue;
            }
            rows.extend((0..sticky.len()).map(|i| sticky.row(i)));
            rows.sort_by_key(|r| r.key);
            let sticky = &mut self.sticky[list as usize];
            sticky.clear();
            rows.into_iter().for_each(|r| sticky.push(r));
        }
    }

    /// Some contact slides.
    pub fn slides(&self) -> bool {
        self.mesh.iter().any(|a| a.rub.slides()) || self.planes.iter().any(|p| p.rub.slides())
    }

    /// Something is in contact.
    pub fn acts(&self) -> bool {
        !self.mesh.is_empty() || !self.planes.is_empty()
    }

    /// Which contacts slide in this trial.
    pub fn grips(&self, out: &mut Grips) {
        out.clear();
        out.extend(self.mesh.iter().map(|a| ((false, self.row(a).key), a.rub.slides())));
        out.extend(self.planes.iter().map(|p| ((true, p.key), p.rub.slides())));
    }

    /// −∂impulse_i/∂x₁_j of a contact of this trial (N·s/m), which ended on `surface`.
    pub fn stiff(&self, s: &Setting<'_>, surface: &Surface, a: &Acting) -> [[DMat3; 4]; 4] {
        let (row, l, kind) = (self.row(a), a.list as usize, a.list.features().0);
        let way = (&surface.x0[..], &surface.x1[..]);
        let Some(tangent) = self.workspace[l].tangent(s.scheme, kind, s.dt, way, row) else {
            return [[scale(&DMat3::identity(), 0.0); 4]; 4];
        };
        let by = s.dt * s.strength;
        let mut stiff = tangent;
        stiff.as_flattened_mut().iter_mut().for_each(|b| *b = scale(b, by));
        if s.laws.laws[s.pairs.law[a.pair as usize] as usize].friction.is_some() {
            let first = if kind == Kind::VertexFace { 0..1 } else { 0..2 };
            for j in 0..4 {
                // −∂f_n/∂x₁_j, as a row vector.
                let slope =
                    first.clone().fold(DVec3::zero(), |g, i| g + tangent[i][j].transposed() * row.normal);
                let rubbing = add(&scale(&a.rub.stiffness, row.weight[j]), &outer(a.rub.by_pressure, slope));
                for (i, r) in stiff.iter_mut().enumerate() {
                    r[j] = add(&r[j], &scale(&rubbing, by * row.weight[i]));
                }
            }
        }
        stiff
    }

    /// Finds the contacts on the way of `surface` and what they do; `turns` are those of the trial.
    pub fn find(&mut self, s: &Setting<'_>, surface: &Surface, turns: &[Turn]) -> Result<(), ContactError> {
        self.planes.clear();
        self.unexpected = false;
        let frames = &s.prediction.pose[..];
        let dissipation = Dissipation { dt: s.dt, surface, pairs: s.pairs, laws: s.laws, frames, parts: &[] };
        // Rows come by key; the books are kept pair by pair. They are made in order.
        self.order.clear();
        self.seams.begin();
        for list in List::ALL {
            self.features(s, list, surface)?;
            for (i, row) in (0..).zip(&self.rows[list as usize]) {
                match pair_of_row(s, row)? {
                    Some(pair) => self.order.push((pair, list, i)),
                    None => self.unexpected = true,
                }
            }
        }
        self.order.sort_unstable_by_key(|&(pair, list, row)| (pair, list as u8, row));
        self.share_out(s, &surface.x0);
        let (order, rows) = (&self.order, &self.rows);
        let of = |k: usize| {
            let (pair, list, i) = order[k];
            respond(s, &dissipation, (list, pair), (&rows[list as usize][i as usize], i), turns)
        };
        // In the places of the last trial, where there are as many.
        self.mesh.truncate(order.len());
        par::fill(&mut self.mesh, CHUNK, |k, acting| *acting = of(k));
        self.mesh.extend((self.mesh.len()..order.len()).map(of));
        for pair in 0..s.pairs.len() as u32 {
            self.plane_pair(s, &dissipation, surface, turns, pair);
        }
        if s.strength < 1.0 {
            self.weaken(s.strength);
        }
        Ok(())
    }

    /// Contacts of a pair that meet in one place share out one spring.
    fn share_out(&mut self, s: &Setting<'_>, x0: &[DVec3]) {
        let Self { order, rows, meeting, meets, .. } = self;
        for of_pair in order.chunk_by(|a, b| a.0 == b.0) {
            let pair = of_pair[0].0 as usize;
            let law = &s.laws.laws[s.pairs.law[pair] as usize];
            if of_pair.len() == 1 || s.pairs.a[pair] == s.pairs.b[pair] || !is_shared(law) {
                continue;
            }
            meets.clear();
            meets.extend(of_pair.iter().map(|&(_, list, i)| {
                let r = &rows[list as usize][i as usize];
                let seen = (r.stencil, r.weight, r.normal);
                Meets::new(list.features().0, s.matter.map, x0, seen, r.share)
            }));
            for (&(_, list, i), &part) in of_pair.iter().zip(meeting.parts(meets)) {
                if part < 1.0 {
                    rows[list as usize][i as usize].weaken(part);
                }
            }
        }
    }

    /// Multiplies what contacts do.
    fn weaken(&mut self, strength: f64) {
        for a in &mut self.mesh {
            a.force *= strength;
            a.couple *= strength;
            a.impulse.iter_mut().for_each(|i| *i *= strength);
        }
        for p in &mut self.planes {
            p.impulse *= strength;
            p.stiff = scale(&p.stiff, strength);
        }
    }

    /// Discrete gradients of one list, without features that met from inside.
    fn features(&mut self, s: &Setting<'_>, list: List, surface: &Surface) -> Result<(), ContactError> {
        let l = list as usize;
        let features = &s.candidates.lists[l].features;
        let candidates = list.candidates(features, s.faces);
        let named = |i: usize| s.matter.named(list, features[i], &candidates, i);
        let pairs = StepPairs { candidates, named: &named, opens: list.features().1 };
        let map = s.matter.map;
        let law = |key: u64, stencil: &[u32; 4], k: f64| {
            let (a, b) = (map.body_of(stencil[0]), map.body_of(stencil[3]));
            let Some((law, sides)) = s.laws.of(a.min(b), a.max(b)) else { return ContactLaw::default() };
            let law = &s.laws.laws[law as usize];
            let area = s.matter.area(list, stencil[0], key);
            let (_, per_point) = law.point_stiffness(area, part(sides));
            match law.damping.plain() {
                Damping::None | Damping::Restitution(_) => ContactLaw::default(),
                Damping::KelvinVoigt(d) => ContactLaw { damping: d * per_point, chi: 0.0 },
                Damping::HuntCrossley(chi) if k > 0.0 => ContactLaw { damping: 0.0, chi },
                Damping::HuntCrossley(_) => ContactLaw::default(),
            }
        };
        let (x0, x1, tracked) = (&surface.x0, &surface.x1, &s.followed.0[l]);
        let (ws, rows, next) = (&mut self.workspace[l], &mut self.rows[l], &mut self.next[l]);
        let sticky = &self.sticky[l];
        ws.set_segments_from(s.faces.edge_faces.len() as u32);
        gradients(s.scheme, s.dt, x0, x1, &pairs, &law, tracked, sticky, ws, rows, next)?;
        let begins = |r: &&GradientRow| r.entry == Entry::Contact && sticky.find(r.key).is_none();
        let (open, x, frames) = (&s.followed.0, [&x0[..], &x1[..]], &s.prediction.pose[..]);
        let standing =
            Standing { matter: &s.matter, dofs: s.dofs, candidates: s.candidates, open, x, frames };
        let mut inner: Vec<u64> = Vec::new();
        if list == List::Solid {
            self.seams.over_borders(&standing, |_| true, next);
        }
        for r in rows.iter().filter(begins) {
            let (key, stencil, normal) = (r.key, r.stencil, r.normal);
            let at = |v: u32| {
                let v = v as usize;
                x0[v] + (x1[v] - x0[v]) * r.span[0]
            };
            let outside = s.matter.meets_outside(list, x0, key, stencil, normal);
            let begins = Begins { list, key, stencil, normal, way: 0.0 };
            if self.seams.passes(&standing, &begins, &at) || !outside {
                inner.push(key);
            }
        }
        if !inner.is_empty() {
            rows.retain(|r| inner.binary_search(&r.key).is_err());
        }
        change(next, &inner, &mut self.seams.handed[l], &mut self.kept);
        Ok(())
    }

    /// Vertices of one body that are below the plane of another on their way.
    fn plane_pair(
        &mut self,
        s: &Setting<'_>,
        dissipation: &Dissipation<'_>,
        surface: &Surface,
        turns: &[Turn],
        pair: u32,
    ) {
        let (a, b) = (s.pairs.a[pair as usize], s.pairs.b[pair as usize]);
        let shapes = &s.matter.shapes.0;
        let plane = |b: u32| matches!(shapes[b as usize], Shape::Plane { .. });
        let (body, target) = match (plane(a), plane(b)) {
            (false, true) => (a, b),
            (true, false) => (b, a),
            _ => return,
        };
        let Shape::Plane { normal, offset } = shapes[target as usize] else { return };
        let t = target as usize;
        let (n0, d0) = world_plane(&s.dofs.bodies.pose[t], normal, offset);
        let (n, d) = world_plane(&s.prediction.pose[t], normal, offset);
        let frame = &s.prediction.pose[t];
        let sides = part(s.pairs.sides[pair as usize]);
        // A damper that was asked for by a restitution is one for all points that touch.
        let heights = |v: usize| (n0.dot(surface.x0[v]) - d0, n.dot(surface.x1[v]) - d);
        let shared = dissipation.law(pair).damping.restitution().map_or(1.0, |_| {
            let touch = |v: &usize| heights(*v).0 < 0.0 || heights(*v).1 < 0.0;
            (s.matter.map.range(body as usize).filter(touch).count() as f64).max(1.0).sqrt()
        });
        for v in s.matter.map.range(body as usize) {
            let (h0, h1) = heights(v);
            if h0 >= 0.0 && h1 >= 0.0 {
                continue;
            }
            let vertex = v as u32;
            let area = s.matter.shapes.vertex_area(s.matter.map, vertex);
            let law = dissipation.law(pair);
            let (k, per_point) = law.point_stiffness(area, sides);
            let c = match law.damping.plain() {
                Damping::None | Damping::Restitution(_) => 0.0,
                Damping::KelvinVoigt(d) => d * per_point / shared,
                Damping::HuntCrossley(chi) => chi * k * 0.5 * ((-h0).max(0.0) + (-h1).max(0.0)),
            };
            let height = height_gradient(h0, h1, k, c, s.dt);
            let Some(span) = height.interval else { continue };
            let (point, velocity) = foot(s.dofs, s.prediction, t, surface.x1[v], n * h1);
            let key = contact_key(target, vertex);
            let held = s.state.0.get(key).filter(|_| h0 < 0.0);
            let contact = Point {
                normal: n,
                impulse: n * (height.force * s.dt),
                velocity: (surface.x1[v] - surface.x0[v]) / s.dt - velocity,
                position: surface.x1[v],
                span: span[1] - span[0],
                share: 1.0,
                lossless: Lossless::Not,
                held: held.map(|(a, slipping)| (frame.point_to_world(a), slipping)),
                frame: None,
                area,
                pair,
            };
            let contact = dissipation.carried(contact, [body, target]);
            let rub = dissipation.friction(&contact, height.force, s.slides(true, key), s.held);
            // f = λ n + f_t(u, λ): λ falls by its stiffness along n, friction by its own and with λ.
            let pressed = outer(n + rub.by_pressure, n);
            let stiff = scale(&add(&scale(&pressed, height.stiffness), &rub.stiffness), s.dt);
            let impulse = (n * height.force + rub.force) * s.dt;
            let reach = s.unknowns.reach(s.matter.map, turns, vertex);
            self.planes.push(ActingPlane {
                vertex,
                target,
                pair,
                area,
                key,
                normal: n,
                height,
                point,
                velocity,
                rub,
                impulse,
                stiff,
                reach,
            });
        }
    }
}

/// The body pair of a pair of features; `None` for bodies that are not listed as one.
fn pair_of_row(s: &Setting<'_>, row: &GradientRow) -> Result<Option<u32>, ContactError> {
    let map = s.matter.map;
    let (a, b) = (map.body_of(row.stencil[0]), map.body_of(row.stencil[3]));
    let pair = pair_of(s.pairs, a.min(b), a.max(b));
    if pair.is_none() && s.laws.of(a.min(b), a.max(b)).is_none() {
        return Err(ContactError::Foreign { a, b });
    }
    Ok(pair)
}

/// What a pair of features does.
fn respond(
    s: &Setting<'_>,
    dissipation: &Dissipation<'_>,
    (list, pair): (List, u32),
    (row, place): (&GradientRow, u32),
    turns: &[Turn],
) -> Acting {
    let (map, kind) = (s.matter.map, list.features().0);
    let area = s.matter.area(list, row.stencil[0], row.key);
    let first = if kind == Kind::VertexFace { 0..1 } else { 0..2 };
    let force = row.pair.gradient[first].iter().fold(DVec3::zero(), |f, g| f - *g);
    // Friction keeps the plane it has at the start: it is as good as any in the step, and Newton's method need not follow it as it turns.
    let [x0, x1] =
        [&dissipation.surface.x0, &dissipation.surface.x1].map(|x| row.stencil.map(|v| x[v as usize]));
    let at_start = contact_normal(kind, &x0, &x1, 0.0, 1, &row.weight);
    let along = at_start.dot(row.normal);
    let across = if along.abs() > 0.1 { at_start * along.signum() } else { row.normal };
    let seen = Pair {
        key: row.key,
        stencil: row.stencil,
        weight: row.weight,
        normal: across,
        impulse: force * s.dt,
        span: row.span[1] - row.span[0],
        share: row.share,
        continued: row.row.is_some() && row.entry == Entry::Initial,
        velocity: None,
    };
    // Rows come from many threads: no one knows where the last was.
    let mut anywhere = usize::MAX;
    let followed = &s.followed.0[list as usize];
    let point = dissipation.feature(&seen, kind, &x1, (pair, area), followed, &mut anywhere);
    let pressed = force.dot(row.normal);
    let rub = dissipation.friction(&point, pressed, s.slides(false, row.key), s.held);
    let mut impulse = [DVec3::zero(); 4];
    for i in 0..4 {
        impulse[i] = (rub.force * row.weight[i] - row.pair.gradient[i]) * s.dt;
    }
    let reach = row.stencil.map(|v| s.unknowns.reach(map, turns, v));
    let mut couple = DVec3::zero();
    if !reach.iter().any(|r| matches!(r, Reach::Nodes(..))) {
        let apart = (0..4).fold(DVec3::zero(), |d, i| d + (x0[i] + x1[i]) * (0.5 * row.weight[i]));
        couple = apart.cross(rub.force * s.dt) * -0.5;
    }
    Acting { list, row: place, pair, area, force, rub, held_at: point.position, impulse, couple, reach }
}
