//! Contact points of the last step, for pictures and inspection.

use crate::components::Decisions;
use crate::drawing::Drawing;
use crate::simulation::Simulation;
use crate::support::Family;
use impinge_contact::{Contacts, Evaluated, Pairs, PlaneContacts, Surface, SurfaceMap, first_point};
use impinge_geometry::DVec3;

/// One contact point of the last step, for pictures and inspection.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Depth (m).
    pub depth: f64,
    /// Size of the normal impulse of the step (N·s): of a constraint its multiplier.
    pub multiplier: f64,
    /// Penetration interval as fractions of the step, of responses that find one; at planes only where
    /// [`Simulation::ask_drawing`] asked for it.
    pub span: Option<[f64; 2]>,
}

impl Simulation {
    /// Contact points of the last step.
    pub fn contact_points(&self, out: &mut Vec<ContactPoint>) {
        out.clear();
        let (pairs, decisions) = (self.column::<Pairs>(), self.column::<Decisions>());
        let (contacts, planes) = (self.column::<Contacts>(), self.column::<PlaneContacts>());
        let (surface, map) = (self.column::<Surface>(), self.column::<SurfaceMap>());
        let x = match decisions.evaluated {
            Evaluated::Start => &surface.x0,
            Evaluated::End | Evaluated::Path | Evaluated::Mean => &surface.x1,
        };
        let family = self.response().family();
        let tracks = matches!(family, Family::Cpf | Family::DpfCcd | Family::CpfImplicit);
        let drawing = self.column::<Drawing>();
        let mut push = |pair: u32, vertex: u32, point: DVec3, normal: DVec3, friction: DVec3, depth, span| {
            // A step that failed may have left other pairs.
            let (Some(&a), Some(&b)) = (pairs.a.get(pair as usize), pairs.b.get(pair as usize)) else {
                return;
            };
            let on = map.body_of(vertex);
            let (force, multiplier) = ((normal + friction) / self.dt(), normal.mag());
            out.push(ContactPoint { a, b, point, force, on, depth, multiplier, span });
        };
        let m = &decisions.mesh;
        for i in 0..contacts.len().min(m.len()) {
            let stencil = &contacts.stencil[i];
            let point = first_point(stencil, &contacts.weight[i], x);
            let span = tracks.then(|| [contacts.t_in[i], contacts.t_out[i]]);
            push(contacts.pair[i], stencil[0], point, m.normal[i], m.friction[i], m.depth[i], span);
        }
        let p = &decisions.plane;
        for i in 0..planes.len().min(p.len()) {
            let v = planes.vertex[i];
            let span = drawing.plane_spans.get(i).copied().filter(|_| tracks);
            push(planes.pair[i], v, x[v as usize], p.normal[i], p.friction[i], p.depth[i], span);
        }
        let patches = decisions.patches.view().rows;
        for i in 0..patches.len() {
            let (row, pair) = (patches.row(i), patches.pair[i] as usize);
            let (Some(&a), Some(&b)) = (pairs.a.get(pair), pairs.b.get(pair)) else { continue };
            let (point, force, depth) = (row.point, row.total(0).impulse / self.dt(), row.depth_max);
            let multiplier = row.normal[0].impulse.mag();
            out.push(ContactPoint { a, b, point, force, on: a, depth, multiplier, span: None });
        }
    }
}
