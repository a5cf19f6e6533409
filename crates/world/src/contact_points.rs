//! Contact points of the last step, for pictures and inspection.

use crate::components::{Decisions, Laws};
use crate::drawing::Drawing;
use crate::features::{Features, Local};
use crate::grip::Grip;
use crate::part::Part;
use crate::reader::Touch;
use crate::simulation::Simulation;
use impinge_contact::{Contacts, Evaluated, Pairs, PlaneContacts, Surface, SurfaceMap, first_point};
use impinge_geometry::{DVec3, try_normalized};
use std::sync::atomic::Ordering;

/// One contact point of the last step, for pictures and inspection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("manifold", "contact manifold", "penetration depth"))]
pub struct ContactPoint {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// Where (m).
    pub point: DVec3,
    /// Force on the body whose vertex or edge it is, of a patch on the lower slot (N).
    pub force: DVec3,
    /// Slot of that body.
    pub on: u32,
    /// Unit normal along which it pushes that body; zero where nothing presses.
    pub normal: DVec3,
    /// Area of the contact (m²), of responses that measure one.
    pub area: Option<f64>,
    /// Name of the response.
    pub response: &'static str,
    /// Depth (m).
    pub depth: f64,
    /// Size of the normal impulse of the step (N·s): of a constraint its multiplier.
    pub multiplier: f64,
    /// Penetration interval as fractions of the step, of responses that find one; at planes only where
    /// [`Simulation::ask_drawing`] asked for it.
    pub span: Option<[f64; 2]>,
    /// What meets; `None` where no table of the step says it.
    pub features: Option<Features>,
    /// Size of the friction (N), a part of `force`.
    pub friction: f64,
    /// What friction does.
    pub grip: Grip,
    /// Static and kinetic coefficient of the pair's law; zeros without friction.
    pub mu: [f64; 2],
}

impl ContactPoint {
    /// How much more friction the cone has room for (N): μ N − |F_t| with the coefficient of [`Grip::coefficient`]. N is that of the whole
    /// contact: on a bent surface less than the sum of its pressures. `None` where no cone bounds it. `dt` is the step (s).
    #[must_use]
    pub fn slack(&self, dt: f64) -> Option<f64> {
        self.grip.coefficient(self.mu).map(|mu| mu * self.multiplier / dt - self.friction)
    }
}

fn direction(impulse: DVec3) -> DVec3 {
    try_normalized(impulse).unwrap_or_else(DVec3::zero)
}

impl Simulation {
    /// Contact points of the last step; of its last part where it was halved.
    pub fn contact_points(&self, out: &mut Vec<ContactPoint>) {
        out.clear();
        self.parts().for_each(|part| self.points_of(part, out));
    }

    fn points_of(&self, part: Part<'_>, out: &mut Vec<ContactPoint>) {
        let (pairs, decisions) = (part.column::<Pairs>(), part.column::<Decisions>());
        let (contacts, planes) = (part.column::<Contacts>(), part.column::<PlaneContacts>());
        let (surface, map) = (part.column::<Surface>(), self.column::<SurfaceMap>());
        let x = match decisions.evaluated {
            Evaluated::Start => &surface.x0,
            Evaluated::End | Evaluated::Path | Evaluated::Mean => &surface.x1,
        };
        let reader = part.response().reader(part);
        let tracks = reader.has_spans();
        let drawing = part.column::<Drawing>();
        let laws = self.column::<Laws>();
        let mu_of = |pair: u32| {
            let law = pairs.law.get(pair as usize).and_then(|l| laws.laws.get(*l as usize));
            law.and_then(|l| l.friction).map_or([0.0; 2], |f| [f.mu_s, f.mu_k])
        };
        let named = Local(&map);
        let response = part.response().name();
        // Of a step that was halved the tables are those of its last part; forces are what acted then.
        let (dt, parts) = (self.last_dt(), self.dt() / self.last_dt());
        let mut push =
            |pair: u32, vertex: u32, point: DVec3, impulse: [DVec3; 2], depth, span, (key, met)| {
                // A step that failed may have left other pairs.
                let (Some(&a), Some(&b)) = (pairs.a.get(pair as usize), pairs.b.get(pair as usize)) else {
                    return;
                };
                let on = map.body_of(vertex);
                let [normal, friction] = impulse;
                let (force, pressed) = ((normal + friction) / dt, normal.mag());
                let mu = mu_of(pair);
                let touch = Touch { bodies: [a, b], key, mu, normal: pressed, friction: friction.mag() };
                let grip = reader.point(&touch, met);
                let features = Some(met);
                let friction = friction.mag() / dt;
                out.push(ContactPoint {
                    a,
                    b,
                    point,
                    force,
                    on,
                    depth,
                    multiplier: pressed * parts,
                    span,
                    features,
                    friction,
                    grip,
                    mu,
                    normal: direction(normal),
                    area: None,
                    response,
                });
            };
        let m = &decisions.mesh;
        for i in 0..contacts.len().min(m.len()) {
            let stencil = &contacts.stencil[i];
            let point = first_point(stencil, &contacts.weight[i], x);
            let span = tracks.then(|| [contacts.t_in[i], contacts.t_out[i]]);
            let (pair, impulse) = (contacts.pair[i], [m.normal[i], m.friction[i]]);
            let features = named.mesh(stencil, contacts.key[i]);
            push(pair, stencil[0], point, impulse, m.depth[i], span, (contacts.key[i], features));
        }
        let p = &decisions.plane;
        for i in 0..planes.len().min(p.len()) {
            let v = planes.vertex[i];
            let span = drawing.plane_spans.get(i).copied().filter(|_| tracks);
            let (pair, impulse) = (planes.pair[i], [p.normal[i], p.friction[i]]);
            let features = named.plane(v);
            push(pair, v, x[v as usize], impulse, p.depth[i], span, (planes.key[i], features));
        }
        let patches = decisions.patches.view().rows;
        for i in 0..patches.len() {
            let (row, pair) = (patches.row(i), patches.pair[i] as usize);
            let (Some(&a), Some(&b)) = (pairs.a.get(pair), pairs.b.get(pair)) else { continue };
            let (point, force, depth) = (row.point, row.total(0).impulse / dt, row.depth_max);
            let (pressed, across) = (row.normal[0].impulse.mag(), row.friction[0].impulse.mag());
            let (mu, key) = (mu_of(patches.pair[i]), patches.key[i]);
            let touch = Touch { bodies: [a, b], key, mu, normal: pressed, friction: across };
            out.push(ContactPoint {
                a,
                b,
                point,
                force,
                on: a,
                depth,
                multiplier: pressed * parts,
                span: None,
                features: reader.patch_features([a, b], key),
                friction: across / dt,
                grip: reader.patch(&touch),
                mu,
                normal: direction(row.normal[0].impulse),
                area: Some(row.area),
                response,
            });
        }
    }

    /// Asks that the coming steps, until told otherwise, leave what a picture of them needs: [`ContactPoint::span`] at planes, and
    /// [`Simulation::idle_rows`]. No bit of the run depends on it.
    pub fn ask_drawing(&self, on: bool) {
        self.parts().for_each(|part| part.column::<Drawing>().asked.store(on, Ordering::Relaxed));
    }

    /// Constraints that the last step had and needed no impulse for; with their gap as a depth below 0. Empty unless
    /// [`Simulation::ask_drawing`] was called before the step.
    pub fn idle_rows(&self, out: &mut Vec<ContactPoint>) {
        out.clear();
        for part in self.parts().filter(|p| p.response().has_idle_rows()) {
            out.extend(part.column::<Drawing>().idle.iter().map(|r| ContactPoint {
                normal: DVec3::zero(),
                area: None,
                response: part.response().name(),
                a: r.bodies[0],
                b: r.bodies[1],
                point: r.point,
                force: DVec3::zero(),
                on: r.bodies[0],
                depth: -r.gap,
                multiplier: 0.0,
                span: None,
                features: None,
                friction: 0.0,
                grip: Grip::Open,
                mu: [0.0; 2],
            }));
        }
    }
}
