//! Continuous penalty solved implicitly, so that contacts keep energy and momentum whatever their stiffness.
//!
//! Contact impulses are discrete gradients between the two ends of the real motion ([`crate::conserving`]), bodies move by the
//! midpoint rule; both are solved for together by Newton's method, the deformables' own equations with them. What may meet is listed for the
//! predicted motion; where the solution strays from it by more than the lists allow for, they are made anew for the motion found,
//! and the step is solved on.
//!
//! Not conserved, by choice: damping, friction (whose anchors act as in the explicit response), and the potential that changes hands when a
//! contact slides on to the next triangle.

use super::acting::Setting;
use super::carried_energy::carried_energy;
use super::newton::{NewtonWorkspace, solve};
use super::settings::{NewtonReport, NewtonSettings};
use super::trial::Trial;
use super::unknowns::{Unknowns, halfway};
use crate::FeatureFrame;
use crate::conserving::Scheme;
use crate::response::answer::CpfOut;
use crate::response::dissipation::{grip, keep, kept_anchor};
use impinge_bodies::{ContactError, Dofs, Elastic, Laws, Names, Operator, Shape, Shapes, State};
use impinge_broadphase::{Aabb, plane_overlaps};
use impinge_contact::{
    BodyDofs, Contact, ContactImpulse, Evaluated, Pairs, PlaneContact, Prediction, Surface, SurfaceMap,
};
use impinge_geometry::DVec3;
use impinge_swept::{
    Faces, Finder, Followed, Margin, Matter, Moving, SweptCandidates, Tracked, bounds_of, pair_of, stray,
};

/// Most rounds of listing what may meet and solving.
const ROUNDS: u32 = 8;

/// Solves a step with its contacts; kept from step to step for its memory alone.
pub struct ConservingAnswer {
    scheme: Scheme,
    settings: NewtonSettings,
    names: Names,
    unknowns: Unknowns,
    trial: Trial,
    going_on: Vec<DVec3>,
    newton: NewtonWorkspace,
    finder: Finder,
    anew: Anew,
    bodies: BodyDofs,
    mean: Surface,
}

/// What may meet on the way of a solution.
#[derive(Default)]
struct Anew {
    bounds: Vec<Aabb>,
    faces: Faces,
    pairs: Pairs,
    candidates: SweptCandidates,
    /// Ends of the motion that the lists were made for.
    made_for: Vec<DVec3>,
}

impl ConservingAnswer {
    /// A response with these parameters; names for errors.
    pub fn new(scheme: Scheme, settings: NewtonSettings, names: Names) -> Self {
        Self {
            scheme,
            settings,
            finder: Finder::new(names.clone()).with_segments(),
            names,
            unknowns: Unknowns::default(),
            trial: Trial::default(),
            going_on: Vec::new(),
            newton: NewtonWorkspace::default(),
            anew: Anew::default(),
            bodies: BodyDofs::default(),
            mean: Surface::default(),
        }
    }

    /// Solves a step of `dt` (s) with its contacts. `pairs` and `candidates` list what may meet on the way that is predicted, and are made anew
    /// where the solution strays; `surface` ends as it moved. Returns by how much the stored energy changed hands (J). The impulses are to be
    /// booked about [`ConservingAnswer::mean`].
    ///
    /// # Errors
    /// [`ContactError::NotSolved`] where Newton's method did not end, [`ContactError::TurnsTooFar`] for a body that turns by more than two
    /// radians, [`ContactError::Diverged`] where the lists do not hold the solution after some rounds, and those of the lists.
    pub fn answer(
        &mut self,
        (pairs, candidates, faces, map): (&mut Pairs, &mut SweptCandidates, &Faces, &SurfaceMap),
        (shapes, dofs, prediction, laws, state, followed, tracked): (
            &Shapes,
            &Dofs,
            &Prediction,
            &Laws,
            &State,
            &Followed,
            &Tracked,
        ),
        (elastic, operator, surface): (&Elastic, &mut Operator, &mut Surface),
        dt: f64,
        mut plane_spans: Option<&mut Vec<[f64; 2]>>,
        (out, report): (CpfOut<'_>, &mut NewtonReport),
    ) -> Result<f64, ContactError> {
        let CpfOut { contacts, planes, decisions, next, tracked_next } = out;
        let matter = Matter { map, shapes, laws, faces };
        self.unknowns.lay_out(dofs, elastic);
        let unknowns = &self.unknowns;
        let far =
            |b: usize| ContactError::TurnsTooFar { body: self.names.get(b).cloned().unwrap_or_default() };
        unknowns.start(dofs, prediction, operator, dt, &mut self.trial.w).map_err(far)?;
        unknowns.go_on(dofs, elastic, dt, &self.trial.w, &mut self.going_on);
        map.shape(&mut self.trial.surface);
        self.anew.made_for.clear();
        self.anew.made_for.extend_from_slice(&surface.x1);
        *report = NewtonReport::default();
        let mut rounds = 0;
        loop {
            let setting = Setting {
                scheme: self.scheme,
                dt,
                matter,
                pairs,
                laws,
                dofs,
                prediction,
                candidates,
                faces,
                followed,
                state,
                unknowns,
                grips: None,
                held: false,
                strength: 1.0,
            };
            let other = (rounds == 0).then_some(&self.going_on[..]);
            let (trial, ws) = (&mut self.trial, &mut self.newton);
            let solved = solve(&setting, elastic, operator, &self.settings, other, trial, ws)?;
            report.iterations += solved.iterations;
            report.linear += solved.linear;
            report.residual = solved.residual;
            report.settled |= solved.settled;
            report.weakened |= solved.weakened;
            let t = &self.trial;
            let known = (prediction, &*pairs, &candidates.margin[..]);
            if !t.found.unexpected
                && holds(&matter, dofs, known, &self.anew.made_for, &t.surface, &mut self.anew.bounds)
            {
                break;
            }
            rounds += 1;
            if rounds >= ROUNDS {
                let what = "listing what may meet and solving";
                return Err(ContactError::Diverged { rounds: ROUNDS as usize, what });
            }
            bounds_of(map, shapes, &t.surface, &mut self.anew.bounds);
            let (end, bounds) = (&t.end.pose, &self.anew.bounds);
            let moving =
                Moving { map, shapes, laws, dofs, end, bounds, surface: &t.surface, guess: None, only: None };
            let a = &mut self.anew.candidates;
            a.margin.clear();
            // Room for what solving on changes.
            a.margin.extend((0..map.bodies()).map(|b| {
                let range = map.range(b);
                let went = stray(&self.anew.made_for[range.clone()], &t.surface.x1[range]);
                let before = candidates.margin.get(b).copied().unwrap_or_default();
                Margin { others: before.others.max(0.5 * went.others), own: before.own.max(0.5 * went.own) }
            }));
            self.finder.find(&moving, &followed.0, &mut self.anew.faces, &mut self.anew.pairs, a)?;
            self.anew.made_for.copy_from_slice(&t.surface.x1);
            std::mem::swap(pairs, &mut self.anew.pairs);
            std::mem::swap(candidates, &mut self.anew.candidates);
        }

        contacts.clear();
        planes.clear();
        decisions.clear();
        decisions.evaluated = Evaluated::Mean;
        let t = &mut self.trial;
        for (to, from) in tracked_next.0.iter_mut().zip(&mut t.found.next) {
            std::mem::swap(to, from);
        }
        let mut kept = [0; 3];
        for a in &t.found.mesh {
            let (row, kind) = (t.found.row(a), a.list.features().0);
            let ends = row.stencil.map(|v| t.surface.x1[v as usize]);
            let anchor = a.rub.held.and_then(|(at, _)| {
                let frame = FeatureFrame::new(kind, &ends, row.normal);
                kept_anchor(kind, &ends, &row.weight, frame, (a.held_at, at))
            });
            let slips = a.rub.slides();
            let l = a.list as usize;
            keep(&mut tracked_next.0[l], row.key, &mut kept[l], grip(slips), anchor);
            let [t_in, t_out] = row.span;
            let (stencil, weight, normal) = (row.stencil, row.weight, row.normal);
            let (area, pair, key) = (a.area, a.pair, row.key);
            contacts.push(Contact { stencil, weight, normal, t_in, t_out, area, pair, key });
            let normal = a.force * dt;
            let energy = row.pair.energy[1];
            let friction = a.rub.force * dt;
            decisions.mesh.push(ContactImpulse { normal, friction, depth: row.depth, energy });
            decisions.bend.push([0, 1, 2, 3].map(|i: usize| a.impulse[i] - (normal + friction) * weight[i]));
        }
        for p in &t.found.planes {
            if let Some((at, slips)) = p.rub.held {
                next.0.push(p.key, prediction.pose[p.target as usize].point_to_body(at), slips);
            }
            planes.push(PlaneContact {
                vertex: p.vertex,
                plane: p.target,
                point: p.point,
                normal: p.normal,
                velocity: p.velocity,
                area: p.area,
                pair: p.pair,
                key: p.key,
            });
            let (normal, friction) = (p.normal * (p.height.force * dt), p.rub.force * dt);
            let (depth, energy) = (p.height.depth, p.height.energy);
            decisions.plane.push(ContactImpulse { normal, friction, depth, energy });
            if let Some(spans) = plane_spans.as_deref_mut() {
                // What acts has one.
                spans.push(p.height.interval.unwrap_or_default());
            }
        }
        next.0.sort();

        surface.x1.copy_from_slice(&t.surface.x1);
        surface.x0.copy_from_slice(&t.surface.x0);
        self.bodies.clone_from(&dofs.bodies);
        map.shape(&mut self.mean);
        let poses = (&dofs.bodies.pose[..], &t.end.pose[..]);
        halfway(surface, poses, &dofs.bodies.kind, &mut self.mean, &mut self.bodies.pose);
        let before = carried_energy(&matter, tracked, &surface.x0);
        let found = &self.trial.found;
        let now: f64 = found.mesh.iter().map(|a| found.row(a).pair.energy[0]).sum();
        Ok(now - before)
    }

    /// Bodies and surface half-way through the last step: what impulses and moments are about.
    pub fn mean(&self) -> (&BodyDofs, &Surface) {
        (&self.bodies, &self.mean)
    }
}

/// The lists hold all that meets on the way of `real`: no body strays beyond its margin, and none reaches a plane unheard of.
fn holds(
    m: &Matter<'_>,
    dofs: &Dofs,
    (prediction, pairs, margin): (&Prediction, &Pairs, &[Margin]),
    made_for: &[DVec3],
    real: &Surface,
    bounds: &mut Vec<Aabb>,
) -> bool {
    // Points meet planes only, which are looked at below.
    let features = |b: &usize| matches!(m.shapes.0[*b], Shape::Mesh(_) | Shape::Soft(_));
    let near = (0..m.map.bodies()).filter(features).all(|b| {
        let range = m.map.range(b);
        let s = stray(&made_for[range.clone()], &real.x1[range]);
        let allowed = margin.get(b).copied().unwrap_or_default();
        s.others <= allowed.others && s.own <= allowed.own
    });
    if !near {
        return false;
    }
    bounds_of(m.map, m.shapes, real, bounds);
    m.shapes.0.iter().enumerate().all(|(p, shape)| {
        let Shape::Plane { normal, offset } = shape else { return true };
        let ends = [&dofs.bodies.pose[p], &prediction.pose[p]]
            .map(|x| impinge_bodies::world_plane(x, *normal, *offset));
        bounds.iter().enumerate().all(|(b, around)| {
            let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
            let meets = b != p
                && (dofs.bodies.kind[b].is_dynamic() || dofs.bodies.kind[p].is_dynamic())
                && m.laws.of(lo, hi).is_some()
                && ends.iter().any(|&(n, o)| plane_overlaps(around, n, o));
            !meets || pair_of(pairs, lo, hi).is_some()
        })
    })
}
