//! Applies what a response decided, and books it: one call writes loads and ledger from the same numbers.

use crate::sums::{ScatterWorkspace, scatter};
use crate::{
    BodyDofsView, ContactImpulsesView, ContactsView, Ledger, Loads, NONE, PairEntry, PairsView, PatchesView,
    PlaneContactsView, SurfaceMap, SurfaceView, Wrench, first_point, par,
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
    /// Of mesh contacts, what moves their friction to the midpoint.
    couples: Vec<DVec3>,
    /// The pairs that have rows, with where these begin: of meshes, of planes, of patches; last, where all end.
    starts: Vec<(u32, [usize; 3])>,
}

/// Contacts, and pairs of bodies, per block of a parallel loop.
const CHUNK: usize = 128;
const PAIRS: usize = 16;

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

    // Friction of two bodies that take wrenches acts midway between their points.
    ws.couples.clear();
    let couples = |i: usize| friction_couple(map, surface, pairs, &decided, i);
    par::in_order(rows, CHUNK, couples, |(bodies, couple)| {
        for b in bodies {
            loads.add_wrench(b as usize, Wrench { impulse: DVec3::zero(), moment: couple });
        }
        ws.couples.push(couple);
    });

    find_pairs(
        [&contacts.pair[..rows], &planes.pair[..plane_rows], decided.patches.rows.pair],
        &mut ws.starts,
    );
    let (starts, couples) = (&ws.starts, &ws.couples);
    let entry = |k: usize| {
        let (pair, from) = starts[k];
        let [meshes, on_planes, in_patches] = [0, 1, 2].map(|t| from[t]..starts[k + 1].1[t]);
        let mut book = Book::new(pair, pairs);
        meshes.for_each(|i| book.enter(&mesh_entry(map, surface, pairs, &decided, (i, couples[i]))));
        for j in on_planes {
            let v = planes.vertex[j];
            let (p, body) = (surface.x0[v as usize], map.body_of(v));
            book.enter(&Entry::of(&plane_impulses, j, (pair, pairs, body), p, planes.area[j]));
        }
        for k in in_patches {
            let row = decided.patches.rows.row(k);
            book.enter(&Entry {
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
        }
        book.close()
    };
    par::in_order(starts.len() - 1, PAIRS, entry, |row| ledger.pairs.push(row));

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

/// Where the rows of each pair begin in tables that ascend by pair; last, where all end.
fn find_pairs(tables: [&[u32]; 3], starts: &mut Vec<(u32, [usize; 3])>) {
    starts.clear();
    let mut at = [0; 3];
    loop {
        let next = [0, 1, 2].map(|t| tables[t].get(at[t]).copied().unwrap_or(NONE));
        let pair = next[0].min(next[1]).min(next[2]);
        starts.push((pair, at));
        if pair == NONE {
            return;
        }
        for (at, table) in at.iter_mut().zip(tables) {
            *at += table[*at..].iter().take_while(|p| **p == pair).count();
        }
    }
}

/// `p − q` of a mesh contact at the start.
fn apart(contacts: &ContactsView<'_>, surface: &SurfaceView<'_>, i: usize) -> DVec3 {
    let (s, w) = (contacts.stencil[i], contacts.weight[i]);
    let mut d = surface.x0[s[0] as usize] * w[0];
    for k in 1..4 {
        if s[k] != NONE {
            d += surface.x0[s[k] as usize] * w[k];
        }
    }
    d
}

/// The bodies of a mesh contact, that of its first point first.
fn bodies_of(map: &SurfaceMap, pairs: PairsView<'_>, contacts: &ContactsView<'_>, i: usize) -> [u32; 2] {
    let (pair, first) = (contacts.pair[i] as usize, map.body_of(contacts.stencil[i][0]));
    [first, pairs.a[pair] ^ pairs.b[pair] ^ first]
}

/// The bodies of a mesh contact and the couple that moves its friction to the midpoint; zero where one of them takes none.
fn friction_couple(
    map: &SurfaceMap,
    surface: SurfaceView<'_>,
    pairs: PairsView<'_>,
    decided: &Decided<'_>,
    i: usize,
) -> ([u32; 2], DVec3) {
    let (contacts, impulses) = &decided.mesh;
    let bodies = bodies_of(map, pairs, contacts, i);
    let both = bodies.iter().all(|&b| !map.attachment(b as usize).has_nodes());
    let couple =
        if both { apart(contacts, &surface, i).cross(impulses.friction[i]) * -0.5 } else { DVec3::zero() };
    (bodies, couple)
}

/// What a mesh contact enters in the books; its friction's couple is known.
fn mesh_entry(
    map: &SurfaceMap,
    surface: SurfaceView<'_>,
    pairs: PairsView<'_>,
    decided: &Decided<'_>,
    (i, mut couple): (usize, DVec3),
) -> Entry {
    let (contacts, impulses) = &decided.mesh;
    let (s, w) = (contacts.stencil[i], contacts.weight[i]);
    let p = first_point(&s, &w, surface.x0);
    let [first, second] = bodies_of(map, pairs, contacts, i);
    // The lower slot is pushed at its own material point: p, or q = p − d when it is the second body.
    let at = if first < second { p } else { p - apart(contacts, &surface, i) };
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

/// The running row of a pair.
struct Book {
    entry: PairEntry,
    /// Where its first contact is; `offset` counts from there.
    reference: Option<DVec3>,
    offset: DVec3,
    weight: f64,
    depth_area: f64,
    depth_sum: f64,
}

impl Book {
    fn new(pair: u32, pairs: PairsView<'_>) -> Self {
        let (a, b) = (pairs.a[pair as usize], pairs.b[pair as usize]);
        let entry = PairEntry { a, b, ..PairEntry::default() };
        Self { entry, reference: None, offset: DVec3::zero(), weight: 0.0, depth_area: 0.0, depth_sum: 0.0 }
    }

    fn enter(&mut self, e: &Entry) {
        let total = e.normal + e.friction;
        let size = total.mag();
        let arm = e.point - *self.reference.get_or_insert(e.point);
        self.entry.normal += e.normal;
        self.entry.friction += e.friction;
        self.entry.pressed += e.pressed;
        // The couple acts on both bodies alike, whichever was first.
        self.entry.moment += arm.cross(total) + e.couple;
        self.offset += arm * size;
        self.weight += size;
        self.entry.area += e.area;
        self.entry.volume += e.volume;
        self.entry.depth_max = self.entry.depth_max.max(e.depth_max);
        self.depth_area += e.depth_mean * e.area;
        self.depth_sum += e.depth_mean;
        self.entry.energy += e.energy;
        self.entry.contacts += 1;
    }

    fn close(self) -> PairEntry {
        let Self { mut entry, offset, weight, .. } = self;
        let mean = if weight > 0.0 { offset / weight } else { DVec3::zero() };
        entry.point = self.reference.unwrap_or_default() + mean;
        entry.moment -= mean.cross(entry.normal + entry.friction);
        entry.depth_mean = if entry.area > 0.0 {
            self.depth_area / entry.area
        } else {
            self.depth_sum / f64::from(entry.contacts.max(1))
        };
        entry
    }
}
