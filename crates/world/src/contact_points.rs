//! Contact points of the last step, for pictures and inspection.

use crate::components::Decisions;
use crate::simulation::Simulation;
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
        let mut push = |pair: u32, vertex: u32, point: DVec3, impulse: DVec3, depth: f64| {
            let (a, b) = (pairs.a[pair as usize], pairs.b[pair as usize]);
            let on = map.body_of(vertex);
            out.push(ContactPoint { a, b, point, force: impulse / self.dt(), on, depth });
        };
        let m = &decisions.mesh;
        for i in 0..contacts.len().min(m.len()) {
            let stencil = &contacts.stencil[i];
            let point = first_point(stencil, &contacts.weight[i], x);
            push(contacts.pair[i], stencil[0], point, m.normal[i] + m.friction[i], m.depth[i]);
        }
        let p = &decisions.plane;
        for i in 0..planes.len().min(p.len()) {
            let v = planes.vertex[i];
            push(planes.pair[i], v, x[v as usize], p.normal[i] + p.friction[i], p.depth[i]);
        }
        let patches = decisions.patches.view().rows;
        for i in 0..patches.len() {
            let (row, pair) = (patches.row(i), patches.pair[i] as usize);
            let (a, b) = (pairs.a[pair], pairs.b[pair]);
            let (point, force, depth) = (row.point, row.total(0).impulse / self.dt(), row.depth_max);
            out.push(ContactPoint { a, b, point, force, on: a, depth });
        }
    }
}
