//! Applies what a response decided, and books it: one call writes loads and ledger from the same numbers.

use crate::sums::{ScatterWorkspace, scatter};
use crate::{
    BodyDofsView, ContactImpulsesView, ContactsView, Ledger, Loads, NONE, PairEntry, PairsView, PatchesView,
    PlaneContactsView, SurfaceMap, SurfaceView, Wrench, first_point,
};
use impinge_geometry::DVec3;

/// One set of contacts with what a response decided for them.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// Mesh contacts and their impulses, row by row.
    pub mesh: (ContactsView<'a>, ContactImpulsesView<'a>),
    /// Plane contacts and their impulses, row by row.
    pub plane: (PlaneContactsView<'a>, ContactImpulsesView<'a>),
    /// What the points of mesh contacts get beside their share of the sum (N·s): couples on each side, that sum to zero over the points of
    /// either feature. Empty for responses that share by weights alone, else a row for each mesh contact.
    pub bend: &'a [[DVec3; 4]],
    /// Contacts that are areas or volumes, beside those with stencils.
    pub patches: PatchesView<'a>,
}

impl Decided<'_> {
    /// [`Decided::bend`] of a row.
    pub(crate) fn bend_of(&self, row: usize) -> Option<&[DVec3; 4]> {
        self.bend.get(row)
    }
}

/// Scratch of [`apply`]; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct ApplyWorkspace {
    scatter: ScatterWorkspace,
    total: Vec<DVec3>,
}

/// Applies the impulses a response decided: to surface vertices (`loads`) and, by the same numbers, to the
/// ledger and the bodies' wrenches. The first point of a contact gets `+I`, the second `−I`, shared by the
/// stencil's weights. `loads` must be clear and `ledger` reset.
///
/// Moments are about the points and poses given: those at the start of the step, or halfway for [`crate::Evaluated::Mean`].
///
/// Friction between two bodies that both take wrenches is applied at the midpoint of the two material
/// points, by adding the couple `−½ (p−q) × f` to each: the pair then exchanges no angular momentum with
/// nothing. Node bodies take forces only, so there the couple stays and shows in the residual.
pub fn apply(
    map: &SurfaceMap,
    bodies: BodyDofsView<'_>,
    surface: SurfaceView<'_>,
    pairs: PairsView<'_>,
    decided: Decided<'_>,
    loads: &mut Loads,
    ledger: &mut Ledger,
    ws: &mut ApplyWorkspace,
) {
    let (contacts, impulses) = decided.mesh;
    ws.total.clear();
    // A contact without a decision gets nothing here; the step's record refuses it by name.
    let rows = contacts.len().min(impulses.len());
    ws.total.extend((0..rows).map(|i| impulses.normal[i] + impulses.friction[i]));
    scatter(&contacts.stencil[..rows], &contacts.weight[..rows], &ws.total, loads, &mut ws.scatter);
    for (stencil, bend) in contacts.stencil[..rows].iter().zip(decided.bend) {
        for (v, j) in stencil.iter().zip(bend) {
            loads.add_impulse(*v, *j);
        }
    }
    let (planes, plane_impulses) = decided.plane;
    let plane_rows = planes.len().min(plane_impulses.len());
    for i in 0..plane_rows {
        let total = plane_impulses.normal[i] + plane_impulses.friction[i];
        loads.add_impulse(planes.vertex[i], total);
        let plane = planes.plane[i] as usize;
        let arm = surface.x0[planes.vertex[i] as usize] - bodies.pose[plane].position;
        loads.add_wrench(plane, Wrench { impulse: -total, moment: arm.cross(-total) });
    }
    apply_patches(bodies, pairs, decided.patches, loads);
    loads.sort_touched();

    let mut book = Book { ledger, pairs, open: None };
    // The three tables are sorted by pair; merge them so that each pair has one row.
    let patches = decided.patches.rows;
    let (mut i, mut j, mut k) = (0, 0, 0);
    loop {
        let next = |end: bool, pair: &[u32], at: usize| if end { NONE } else { pair[at] };
        let mesh = next(i >= rows, contacts.pair, i);
        let plane = next(j >= plane_rows, planes.pair, j);
        let patch = next(k >= patches.len(), patches.pair, k);
        let first_pair = mesh.min(plane).min(patch);
        if first_pair == NONE {
            break;
        }
        if mesh == first_pair {
            book.enter(&mesh_entry(map, surface, pairs, &decided, i, loads));
            i += 1;
        } else if plane == first_pair {
            let v = planes.vertex[j];
            let (p, body) = (surface.x0[v as usize], map.body_of(v));
            book.enter(&Entry::of(&plane_impulses, j, (planes.pair[j], pairs, body), p, planes.area[j]));
            j += 1;
        } else {
            let row = decided.patches.rows.row(k);
            book.enter(&Entry {
                pair: row.pair,
                normal: row.normal[0].impulse,
                friction: row.friction[0].impulse,
                pressed: row.normal[0].impulse.mag(),
                point: row.point,
                couple: row.total(0).moment,
                area: row.area,
                volume: row.volume,
                depth_max: row.depth_max,
                depth_mean: row.depth_mean,
                energy: row.energy,
            });
            k += 1;
        }
    }
    book.close();

    // What the bodies get: wrenches by Sᵀ; for node bodies the sum over their nodes, about the world origin.
    map.carry_up(bodies, surface, loads);
    ledger.contact.copy_from_slice(&loads.wrench);
    for &v in loads.touched() {
        let b = map.body_of(v) as usize;
        if map.attachment(b).has_nodes() {
            let impulse = loads.impulse[v as usize];
            ledger.contact[b] += Wrench { impulse, moment: surface.x0[v as usize].cross(impulse) };
        }
    }
}

/// What a mesh contact enters in the books; adds to `loads` the couple that moves friction to the midpoint.
fn mesh_entry(
    map: &SurfaceMap,
    surface: SurfaceView<'_>,
    pairs: PairsView<'_>,
    decided: &Decided<'_>,
    i: usize,
    loads: &mut Loads,
) -> Entry {
    let (contacts, impulses) = &decided.mesh;
    let (s, w) = (contacts.stencil[i], contacts.weight[i]);
    let p = first_point(&s, &w, surface.x0);
    let mut d = surface.x0[s[0] as usize] * w[0];
    for k in 1..4 {
        if s[k] != NONE {
            d += surface.x0[s[k] as usize] * w[k];
        }
    }
    let first = map.body_of(s[0]);
    let second = pairs.a[contacts.pair[i] as usize] ^ pairs.b[contacts.pair[i] as usize] ^ first;
    let takes_wrench = |b: u32| !map.attachment(b as usize).has_nodes();
    let f = impulses.friction[i];
    let mut couple = DVec3::zero();
    if takes_wrench(first) && takes_wrench(second) {
        couple = d.cross(f) * -0.5;
        for b in [first, second] {
            loads.add_wrench(b as usize, Wrench { impulse: DVec3::zero(), moment: couple });
        }
    }
    // The lower slot is pushed at its own material point: p, or q = p − d when it is the second body.
    let at = if first < second { p } else { p - d };
    if let Some(bend) = decided.bend_of(i) {
        for k in (0..4).filter(|&k| s[k] != NONE && map.body_of(s[k]) == first.min(second)) {
            couple += (surface.x0[s[k] as usize] - at).cross(bend[k]);
        }
    }
    let entry = Entry::of(impulses, i, (contacts.pair[i], pairs, first), at, contacts.area[i]);
    Entry { couple, ..entry }
}

/// Patches to loads: a wrench on a body that takes one, shares on the vertices of the others.
fn apply_patches(
    bodies: BodyDofsView<'_>,
    pairs: PairsView<'_>,
    patches: PatchesView<'_>,
    loads: &mut Loads,
) {
    for i in 0..patches.rows.len() {
        let row = patches.rows.row(i);
        for (side, slot) in [pairs.a, pairs.b].map(|s| s[row.pair as usize] as usize).into_iter().enumerate()
        {
            if !bodies.kind[slot].has_nodes() {
                let Wrench { impulse, moment } = row.total(side);
                let arm = row.point - bodies.pose[slot].position;
                loads.add_wrench(slot, Wrench { impulse, moment: moment + arm.cross(impulse) });
            }
        }
    }
    let shares = patches.shares;
    for i in 0..shares.len() {
        loads.add_impulse(shares.vertex[i], shares.normal[i] + shares.friction[i]);
    }
}

/// What one contact adds to the row of its pair; impulses are those on the lower slot.
struct Entry {
    pair: u32,
    normal: DVec3,
    friction: DVec3,
    pressed: f64,
    point: DVec3,
    /// Moment about `point`.
    couple: DVec3,
    area: f64,
    volume: f64,
    depth_max: f64,
    depth_mean: f64,
    energy: f64,
}

impl Entry {
    /// Row `i` of a table whose impulses act on body `first`.
    fn of(
        im: &ContactImpulsesView<'_>,
        i: usize,
        (pair, pairs, first): (u32, PairsView<'_>, u32),
        point: DVec3,
        area: f64,
    ) -> Self {
        let sign = if first == pairs.a[pair as usize] { 1.0 } else { -1.0 };
        Self {
            pair,
            normal: im.normal[i] * sign,
            friction: im.friction[i] * sign,
            pressed: im.normal[i].mag(),
            point,
            couple: DVec3::zero(),
            area,
            volume: 0.0,
            depth_max: im.depth[i],
            depth_mean: im.depth[i],
            energy: im.energy[i],
        }
    }
}

/// The running row of the pair being booked.
struct Book<'a> {
    ledger: &'a mut Ledger,
    pairs: PairsView<'a>,
    open: Option<Open>,
}

struct Open {
    pair: u32,
    entry: PairEntry,
    reference: DVec3,
    offset: DVec3,
    weight: f64,
    depth_area: f64,
    depth_sum: f64,
}

impl Book<'_> {
    fn enter(&mut self, e: &Entry) {
        if self.open.as_ref().is_none_or(|o| o.pair != e.pair) {
            self.close();
            let (a, b) = (self.pairs.a[e.pair as usize], self.pairs.b[e.pair as usize]);
            let entry = PairEntry { a, b, ..PairEntry::default() };
            self.open = Some(Open {
                pair: e.pair,
                entry,
                reference: e.point,
                offset: DVec3::zero(),
                weight: 0.0,
                depth_area: 0.0,
                depth_sum: 0.0,
            });
        }
        let Some(o) = &mut self.open else { return };
        let total = e.normal + e.friction;
        let size = total.mag();
        let arm = e.point - o.reference;
        o.entry.normal += e.normal;
        o.entry.friction += e.friction;
        o.entry.pressed += e.pressed;
        // The couple acts on both bodies alike, whichever was first.
        o.entry.moment += arm.cross(total) + e.couple;
        o.offset += arm * size;
        o.weight += size;
        o.entry.area += e.area;
        o.entry.volume += e.volume;
        o.entry.depth_max = o.entry.depth_max.max(e.depth_max);
        o.depth_area += e.depth_mean * e.area;
        o.depth_sum += e.depth_mean;
        o.entry.energy += e.energy;
        o.entry.contacts += 1;
    }

    fn close(&mut self) {
        let Some(mut o) = self.open.take() else { return };
        let mean = if o.weight > 0.0 { o.offset / o.weight } else { DVec3::zero() };
        o.entry.point = o.reference + mean;
        o.entry.moment -= mean.cross(o.entry.normal + o.entry.friction);
        o.entry.depth_mean = if o.entry.area > 0.0 {
            o.depth_area / o.entry.area
        } else {
            o.depth_sum / f64::from(o.entry.contacts.max(1))
        };
        self.ledger.pairs.push(o.entry);
    }
}
