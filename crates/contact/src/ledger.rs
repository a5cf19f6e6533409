//! The ledger: what is reported is what was applied.
//!
//! [`apply`] is the only way a contact impulse reaches a body, and the same call writes the pair's row. So a
//! reported force is applied impulse / Δt by construction; it cannot be computed some other way and differ.

use crate::sums::{ScatterWorkspace, scatter};
use crate::{
    BodyDofsView, ContactImpulsesView, ContactsView, Loads, PairsView, PlaneContactsView, SurfaceMap,
    SurfaceView, Wrench, first_point,
};
use impinge_geometry::DVec3;

crate::table! {
    /// One row per body pair that exchanged an impulse in the step.
    pub struct PairLedger / PairLedgerView / PairEntry {
        /// Lower slot.
        a: u32,
        /// Higher slot.
        b: u32,
        /// Normal impulse on `a` (N·s); `b` received the opposite.
        normal: DVec3,
        /// Friction impulse on `a` (N·s).
        friction: DVec3,
        /// Sum of the magnitudes of the contacts' normal impulses (N·s): what the pair is pressed with even
        /// where normals oppose each other.
        pressed: f64,
        /// Point of application: mean of the contact points weighted by impulse magnitude (m).
        point: DVec3,
        /// Moment on `a` about that point (N·m·s).
        moment: DVec3,
        /// Area of the contact points (m²).
        area: f64,
        /// Largest depth (m).
        depth_max: f64,
        /// Mean depth weighted by area, or plain mean where no area is known (m).
        depth_mean: f64,
        /// Potential stored in the contacts (J).
        energy: f64,
        /// Number of contact rows.
        contacts: u32,
        /// Work of the normal impulses on both bodies in this step (J).
        work_normal: f64,
        /// Work of the friction impulses (J, ≤ 0 when it dissipates).
        work_friction: f64,
    }
}

/// Energy by term at the end of the step, and what the step's impulses did (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyTerms {
    /// ½ m v² of bodies and nodes.
    pub translational: f64,
    /// ½ ω·L of rigid bodies.
    pub rotational: f64,
    /// −m g·x.
    pub gravity: f64,
    /// Springs to anchors.
    pub anchors: f64,
    /// Stored in deformables and in the ties that hold them.
    pub elastic: f64,
    /// Stored in contacts, at the time the response evaluated them.
    pub contact: f64,
    /// Work of the normal contact impulses this step.
    pub work_normal: f64,
    /// Work of friction this step.
    pub work_friction: f64,
    /// Work of drag this step.
    pub work_drag: f64,
    /// Work of the dampers of anchor springs this step.
    pub work_anchor_damping: f64,
    /// Work that prescribed (kinematic) bodies put in through contact this step. `work_normal` and
    /// `work_friction` are relative to the surface touched, so this is the rest of what the bodies received.
    pub work_driven: f64,
    /// Work of the inner forces of deformables this step: elasticity, damping, ties to rigid bodies. Added to the growth of
    /// `elastic` it is what damping and the scheme took out of the run (negative) or put in.
    pub work_elastic: f64,
    /// Potential that contacts gained, or lost, when they were handed from feature to feature or given up before this step. Booked by
    /// responses that conserve energy otherwise; 0 for the others.
    pub handed: f64,
}

impl EnergyTerms {
    /// Kinetic and potential energy together (J).
    pub fn total(&self) -> f64 {
        self.translational + self.rotational + self.gravity + self.anchors + self.elastic + self.contact
    }

    /// Kinetic energy (J).
    pub fn kinetic(&self) -> f64 {
        self.translational + self.rotational
    }
}

/// Momentum bookkeeping of one step, over all dynamic bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumBalance {
    /// Linear momentum at the end of the step (kg m/s).
    pub linear: DVec3,
    /// Angular momentum about the world origin at the end of the step (kg m²/s).
    pub angular: DVec3,
    /// `ΔP − Σ external + Σ contact impulses on bodies that do not move` (kg m/s): zero but for rounding. `P` is
    /// computed from velocities before and after, so a pair that does not exchange equal and opposite impulses
    /// shows here.
    pub linear_residual: DVec3,
    /// The same for angular momentum about the world origin, from poses and velocities. Where a scheme is known
    /// to leak it equals [`Self::predicted_leak`] to rounding.
    pub angular_residual: DVec3,
    /// `−Δt Σ v*ᵢ × Iᵢ` over the mesh contacts (kg m²/s): the couple a response evaluated at the end makes
    /// (ACCEPTANCE B55), plus the couple of friction on loose vertices, which take no couple back, plus what implicit steps
    /// of deformables leak (inner forces of the end applied at the start; exact where the step was solved to the end).
    pub predicted_leak: DVec3,
    /// Scale the residuals are to be read against (kg m/s).
    pub linear_scale: f64,
    /// The same for angular momentum (kg m²/s).
    pub angular_scale: f64,
}

impl Default for MomentumBalance {
    fn default() -> Self {
        let z = DVec3::zero();
        Self {
            linear: z,
            angular: z,
            linear_residual: z,
            angular_residual: z,
            predicted_leak: z,
            linear_scale: 0.0,
            angular_scale: 0.0,
        }
    }
}

/// External wrenches of one step on each body (about its centre of mass; for particle bodies about the
/// world origin), by term.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct External {
    /// Weight.
    pub gravity: Vec<Wrench>,
    /// Linear and angular drag.
    pub drag: Vec<Wrench>,
    /// Springs to anchors.
    pub anchors: Vec<Wrench>,
    /// Work of drag (J).
    pub work_drag: f64,
    /// Work of the dampers of anchor springs (J).
    pub work_anchor_damping: f64,
}

impl External {
    /// Makes room for `bodies` and zeroes everything.
    pub fn reset(&mut self, bodies: usize) {
        for t in [&mut self.gravity, &mut self.drag, &mut self.anchors] {
            t.clear();
            t.resize(bodies, Wrench::default());
        }
        self.work_drag = 0.0;
        self.work_anchor_damping = 0.0;
    }
}

/// Everything applied in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Rows by body pair, in pair order.
    pub pairs: PairLedger,
    /// Total contact wrench on each body about its centre of mass at the start of the step, halfway under [`crate::Evaluated::Mean`] (the
    /// origin of its frame where it has none); for particle and deformable bodies about the world origin.
    pub contact: Vec<Wrench>,
    /// Energy by term.
    pub energy: EnergyTerms,
    /// Momentum balance.
    pub momentum: MomentumBalance,
}

impl Ledger {
    /// Clears the rows for the next step.
    pub fn reset(&mut self, bodies: usize) {
        self.pairs.clear();
        self.contact.clear();
        self.contact.resize(bodies, Wrench::default());
        self.energy = EnergyTerms::default();
        self.momentum = MomentumBalance::default();
    }
}

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
    loads.sort_touched();

    let mut book = Book { ledger, pairs, open: None };
    // Both tables are sorted by pair; merge them so that each pair has one row.
    let (mut i, mut j) = (0, 0);
    while i < rows || j < plane_rows {
        let mesh_first = j >= plane_rows || (i < rows && contacts.pair[i] <= planes.pair[j]);
        if mesh_first {
            let (s, w) = (contacts.stencil[i], contacts.weight[i]);
            let p = first_point(&s, &w, surface.x0);
            let mut d = surface.x0[s[0] as usize] * w[0];
            for k in 1..4 {
                if s[k] != crate::NONE {
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
                for k in (0..4).filter(|&k| s[k] != crate::NONE && map.body_of(s[k]) == first.min(second)) {
                    couple += (surface.x0[s[k] as usize] - at).cross(bend[k]);
                }
            }
            book.enter(contacts.pair[i], first, at, couple, contacts.area[i], &impulses, i);
            i += 1;
        } else {
            let v = planes.vertex[j];
            let p = surface.x0[v as usize];
            book.enter(planes.pair[j], map.body_of(v), p, DVec3::zero(), planes.area[j], &plane_impulses, j);
            j += 1;
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
    fn enter(
        &mut self,
        pair: u32,
        first: u32,
        p: DVec3,
        couple: DVec3,
        area: f64,
        im: &ContactImpulsesView<'_>,
        i: usize,
    ) {
        if self.open.as_ref().is_none_or(|o| o.pair != pair) {
            self.close();
            let (a, b) = (self.pairs.a[pair as usize], self.pairs.b[pair as usize]);
            let z = DVec3::zero();
            let entry = PairEntry {
                a,
                b,
                normal: z,
                friction: z,
                pressed: 0.0,
                point: z,
                moment: z,
                area: 0.0,
                depth_max: 0.0,
                depth_mean: 0.0,
                energy: 0.0,
                contacts: 0,
                work_normal: 0.0,
                work_friction: 0.0,
            };
            self.open = Some(Open {
                pair,
                entry,
                reference: p,
                offset: z,
                weight: 0.0,
                depth_area: 0.0,
                depth_sum: 0.0,
            });
        }
        let Some(o) = &mut self.open else { return };
        let sign = if first == o.entry.a { 1.0 } else { -1.0 };
        let (n, f) = (im.normal[i] * sign, im.friction[i] * sign);
        let total = n + f;
        let size = total.mag();
        let arm = p - o.reference;
        o.entry.normal += n;
        o.entry.friction += f;
        o.entry.pressed += im.normal[i].mag();
        // The couple acts on both bodies alike, whichever was first.
        o.entry.moment += arm.cross(total) + couple;
        o.offset += arm * size;
        o.weight += size;
        o.entry.area += area;
        o.entry.depth_max = o.entry.depth_max.max(im.depth[i]);
        o.depth_area += im.depth[i] * area;
        o.depth_sum += im.depth[i];
        o.entry.energy += im.energy[i];
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
