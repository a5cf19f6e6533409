//! One query: two shapes at two poses to a contact surface.
//!
//! One body is the guest and is turned block by block into the frame of the other, the host, which is never moved.

mod clip;
mod coherence;
mod compliant;
mod frame;
mod pairs;
mod plane;
mod pressing;
mod reach;
mod relative;
mod screen;
mod search;
mod sink;
mod triangles;

use crate::body::CompliantBody;
use crate::error::PairError;
use crate::half_space::HalfSpace;
use crate::levels::Level;
use crate::rigid::RigidSurface;
use crate::shell::Shell;
use crate::simd::dispatched;
use crate::surface::{ContactSurface, Work};
pub use coherence::Coherence;
use coherence::Rows;
pub(crate) use compliant::pair_polygon;
pub(crate) use frame::Frame;
use impinge_geometry::{Pose, is_finite};
use pairs::TurnedNodes;
use plane::Ground;
pub(crate) use relative::Relative;
use search::{Host, find};
use sink::Sink;

/// How far the squared length of a rotor may be off 1: a stretch of a millionth, far beyond what rounding leaves of a normalised one.
const UNIT: f64 = 1e-6;

/// What may touch.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A pressure field on tets.
    Compliant(CompliantBody),
    /// A closed surface that does not yield.
    Rigid(RigidSurface),
    /// A half space, rigid or a layer.
    HalfSpace(HalfSpace),
}

impl Shape {
    /// The modulus (Pa); 0 for what does not yield.
    #[must_use]
    pub fn modulus(&self) -> f64 {
        match self {
            Self::Compliant(b) => b.modulus(),
            Self::Rigid(_) => 0.0,
            Self::HalfSpace(h) => h.modulus,
        }
    }

    /// Whether its field goes on outside it, with pressures below 0.
    #[must_use]
    pub fn has_margin(&self) -> bool {
        match self {
            Self::Compliant(b) => b.lowest < 0.0,
            Self::Rigid(_) => false,
            Self::HalfSpace(h) => h.margin > 0.0,
        }
    }
}

impl From<CompliantBody> for Shape {
    fn from(b: CompliantBody) -> Self {
        Self::Compliant(b)
    }
}

impl From<RigidSurface> for Shape {
    fn from(b: RigidSurface) -> Self {
        Self::Rigid(b)
    }
}

impl From<HalfSpace> for Shape {
    fn from(b: HalfSpace) -> Self {
        Self::HalfSpace(b)
    }
}

/// Which polygons count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// All of them, as in the paper: conservative and continuous.
    #[default]
    Paper,
    /// Drake's: only those whose normal makes less than 5π/8 with ∇p_A, and its opposite with ∇p_B. It breaks
    /// conservation and continuity where it acts; for comparison.
    Drake,
}

/// Scratch of queries; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    nodes: TurnedNodes,
    stack: Vec<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
}

impl Workspace {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Finds the contact surface of `a` at `pose_a` and `b` at `pose_b` and its wrench on A.
///
/// `out` is overwritten, `workspace` only saves memory traffic. Two rigid bodies meet by their shells ([`RigidSurface::shell`]), and
/// [`ContactSurface::warning`] says so.
///
/// # Errors
/// [`PairError`] for two half spaces, for two rigid bodies of which one can have no shell, for poses that are not finite, beyond 1e60 m or with a
/// rotor whose squared length is off 1 by more than 1e-6, and for a wrench that overflows; `out` is empty then.
#[doc(alias("hydroelastic", "contact patch"))]
pub fn contact(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    rule: Rule,
    workspace: &mut Workspace,
    out: &mut ContactSurface,
) -> Result<(), PairError> {
    query(a, pose_a, b, pose_b, rule, None, workspace, out)
}

/// As [`contact`], with the block pairs of the last call for the same two bodies tried first.
///
/// # Errors
/// As [`contact`].
pub fn contact_again(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    rule: Rule,
    coherence: &mut Coherence,
    workspace: &mut Workspace,
    out: &mut ContactSurface,
) -> Result<(), PairError> {
    query(a, pose_a, b, pose_b, rule, Some(coherence), workspace, out)
}

fn query(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    rule: Rule,
    coherence: Option<&mut Coherence>,
    ws: &mut Workspace,
    out: &mut ContactSurface,
) -> Result<(), PairError> {
    out.faces.clear();
    out.corners.clear();
    out.work = Work::default();
    out.shells = None;
    let nothing = |out: &mut ContactSurface| Sink::new(out, false, false).finish(Work::default());
    if let Err(e) = check_poses(pose_a, pose_b) {
        nothing(out);
        return Err(e);
    }
    let f = rule == Rule::Drake;
    out.modulus_a = a.modulus();
    out.modulus_b = b.modulus();
    out.rigid_a = out.modulus_a == 0.0;
    out.rigid_b = out.modulus_b == 0.0;
    use Shape::{Compliant, HalfSpace, Rigid};
    match (a, b) {
        (Compliant(x), Compliant(y)) => compliant((x, pose_a), (y, pose_b), f, coherence, ws, out),
        (Compliant(x), Rigid(y)) => rigid((x, pose_a), (y, pose_b), false, f, coherence, ws, out),
        (Rigid(x), Compliant(y)) => rigid((y, pose_b), (x, pose_a), true, f, coherence, ws, out),
        (Compliant(x), HalfSpace(y)) => half_space((x, pose_a), (y, pose_b), false, f, ws, out),
        (HalfSpace(x), Compliant(y)) => half_space((y, pose_b), (x, pose_a), true, f, ws, out),
        (Rigid(x), HalfSpace(y)) if y.stiffness.is_some() => {
            layer((x, pose_a), (y, pose_b), false, f, ws, out)
        }
        (HalfSpace(x), Rigid(y)) if x.stiffness.is_some() => {
            layer((y, pose_b), (x, pose_a), true, f, ws, out)
        }
        (Rigid(_), Rigid(_) | HalfSpace(_)) | (HalfSpace(_), Rigid(_)) => {
            let (sa, sb) = match shells(a, b) {
                Ok(found) => found,
                Err(e) => {
                    nothing(out);
                    return Err(e);
                }
            };
            let of = |s: Option<&Shell>| s.map_or([0.0; 2], |s| [s.thickness(), s.body.modulus()]);
            let [[ta, ma], [tb, mb]] = [of(sa), of(sb)];
            out.shells = Some([ta, tb]);
            (out.modulus_a, out.modulus_b) = (ma, mb);
            (out.rigid_a, out.rigid_b) = (sa.is_none(), sb.is_none());
            match (sa, sb, a, b) {
                (Some(x), Some(y), _, _) => {
                    compliant((&x.body, pose_a), (&y.body, pose_b), f, coherence, ws, out);
                }
                (Some(x), None, _, HalfSpace(y)) => {
                    half_space((&x.body, pose_a), (y, pose_b), false, f, ws, out);
                }
                (None, Some(y), HalfSpace(x), _) => {
                    half_space((&y.body, pose_b), (x, pose_a), true, f, ws, out);
                }
                _ => nothing(out),
            }
        }
        (HalfSpace(_), HalfSpace(_)) => {
            nothing(out);
            return Err(PairError::BothHalfSpaces);
        }
    }
    let w = &out.wrench;
    if !(is_finite(w.force) && is_finite(w.torque) && is_finite(w.point)) {
        out.faces.clear();
        out.corners.clear();
        nothing(out);
        return Err(PairError::Overflow);
    }
    Ok(())
}

/// Refuses poses that are none: once for a contact, before anything is computed.
pub(crate) fn check_poses(pose_a: &Pose, pose_b: &Pose) -> Result<(), PairError> {
    for (body, pose) in [('A', pose_a), ('B', pose_b)] {
        if !(pose.is_bounded()) {
            return Err(PairError::Pose { body });
        }
        let square = pose.rotation.mag_sq();
        if !((square - 1.0).abs() <= UNIT) {
            return Err(PairError::Rotation { body, square });
        }
    }
    Ok(())
}

/// The shells of two shapes of which none yields; a half space needs none when it meets a mesh.
pub(crate) fn shells<'a>(
    a: &'a Shape,
    b: &'a Shape,
) -> Result<(Option<&'a Shell>, Option<&'a Shell>), PairError> {
    let of = |shape: &'a Shape, body: char| match shape {
        Shape::Rigid(r) => r.shell().map(Some).map_err(|e| PairError::BothRigid { body, reason: e.clone() }),
        _ => Ok(None),
    };
    Ok((of(a, 'A')?, of(b, 'B')?))
}

/// The relative pose, and the surface's frame set to the host's.
fn place(guest: &Frame, host: &Frame, out: &mut ContactSurface) -> Relative {
    let (r, t) = guest.seen_from(host);
    out.rotation = host.rotation;
    out.origin = host.world_origin();
    Relative::new(&r, t)
}

dispatched!(fn cut_tets(
    relative: &Relative, guest: (&CompliantBody, f64), host: (&CompliantBody, &Level), pairs: &[[u32; 2]], tie: f64,
    sink: &mut Sink<'_>, work: &mut Work,
) -> () = compliant::tets);

dispatched!(fn take_rows(
    relative: &Relative, guest: (&CompliantBody, f64), host: (&CompliantBody, &Level), pairs: &[[u32; 2]], margin: f64,
    out: &mut Vec<[u32; 2]>,
) -> () = compliant::rows);

dispatched!(fn cut_rows(
    relative: &Relative, guest: (&CompliantBody, f64), host: (&CompliantBody, &Level), rows: &[[u32; 2]], tie: f64,
    sink: &mut Sink<'_>, work: &mut Work,
) -> () = compliant::kept_tets);

dispatched!(fn cut_triangles(
    relative: &Relative, guest: (&CompliantBody, f64), host: &RigidSurface, pairs: &[[u32; 2]], sink: &mut Sink<'_>,
    work: &mut Work,
) -> () = triangles::triangles);

dispatched!(fn ground_tets(
    mesh: &CompliantBody, ground: &Ground, stack: &mut Vec<[u32; 2]>, found: &mut Vec<[u32; 2]>,
    sink: &mut Sink<'_>, work: &mut Work,
) -> () = plane::all_tets);

dispatched!(fn ground_triangles(
    mesh: &RigidSurface, ground: &Ground, stiffness: f64, stack: &mut Vec<[u32; 2]>, found: &mut Vec<[u32; 2]>,
    sink: &mut Sink<'_>, work: &mut Work,
) -> () = plane::all_triangles);

/// Where two fields are equal in a whole part of space, its two sides are equally good contact surfaces, and their forces
/// differ. The body whose middle comes first along the axis that parts them most yields: the choice must depend neither on who
/// is called A nor on rounding. Bodies with one middle have no such axis.
fn tie(a: &Frame, b: &Frame) -> f64 {
    let apart = a.world_origin() - b.world_origin();
    let most =
        [apart.x, apart.y, apart.z].into_iter().fold(0.0, |m: f64, d| if d.abs() > m.abs() { d } else { m });
    if most < 0.0 { -1.0 } else { 1.0 }
}

/// Two fields; A is the guest.
fn compliant(
    (a, pose_a): (&CompliantBody, &Pose),
    (b, pose_b): (&CompliantBody, &Pose),
    filter: bool,
    coherence: Option<&mut Coherence>,
    ws: &mut Workspace,
    out: &mut ContactSurface,
) {
    let frames = [Frame::new(pose_a, a.origin), Frame::new(pose_b, b.origin)];
    let relative = place(&frames[0], &frames[1], out);
    let mut work = Work::default();
    let Workspace { nodes, stack, pairs } = ws;
    let tie = tie(&frames[0], &frames[1]);
    let mut coherence = coherence;
    let [la, lb] =
        find(&relative, a, Host::Field(b), coherence.as_deref_mut(), nodes, stack, pairs, &mut work).levels;
    let (la, lb) = (a.levels[la].pressure, &b.levels[lb]);
    let mut sink = Sink::new(out, false, filter);
    let Some(c) = coherence else {
        cut_tets(&relative, (a, la), (b, lb), pairs, tie, &mut sink, &mut work);
        return sink.finish(work);
    };
    let rows = c.rows(&relative, a.radius.max(b.radius + relative.distance()));
    if rows == Rows::Take {
        let margin = c.fine();
        take_rows(&relative, (a, la), (b, lb), &c.pairs, margin, &mut c.rows);
    }
    if rows == Rows::Leave {
        cut_tets(&relative, (a, la), (b, lb), &c.pairs, tie, &mut sink, &mut work);
    } else {
        cut_rows(&relative, (a, la), (b, lb), &c.rows, tie, &mut sink, &mut work);
    }
    sink.finish(work);
}

/// A field against triangles; `flip` when the field is B's.
fn rigid(
    (a, pose_a): (&CompliantBody, &Pose),
    (b, pose_b): (&RigidSurface, &Pose),
    flip: bool,
    filter: bool,
    coherence: Option<&mut Coherence>,
    ws: &mut Workspace,
    out: &mut ContactSurface,
) {
    let relative = place(&Frame::new(pose_a, a.origin), &Frame::new(pose_b, b.origin), out);
    let mut work = Work::default();
    let Workspace { nodes, stack, pairs } = ws;
    let found = find(&relative, a, Host::Surface(b), coherence, nodes, stack, pairs, &mut work);
    let mut sink = Sink::new(out, flip, filter);
    cut_triangles(&relative, (a, a.levels[found.levels[0]].pressure), b, found.pairs, &mut sink, &mut work);
    sink.finish(work);
}

/// The half space in the mesh's centred frame, and the surface's frame set to the mesh's.
fn ground(mesh: &Frame, half: &HalfSpace, pose: &Pose, out: &mut ContactSurface) -> Ground {
    out.rotation = mesh.rotation;
    out.origin = mesh.world_origin();
    let world = pose.vector_to_world(half.normal);
    let normal = mesh.rotation.transposed() * world;
    // n·(x − x₀) ≤ offset with x₀ the half space's origin; small numbers first.
    let to_mesh = (mesh.position - pose.position) + mesh.rotation * mesh.origin;
    Ground {
        normal,
        offset: half.offset - world.dot(to_mesh),
        stiffness: half.stiffness,
        margin: half.margin,
    }
}

/// A field against a half space; `flip` when the field is B's.
fn half_space(
    (a, pose_a): (&CompliantBody, &Pose),
    (b, pose_b): (&HalfSpace, &Pose),
    flip: bool,
    filter: bool,
    ws: &mut Workspace,
    out: &mut ContactSurface,
) {
    let ground = ground(&Frame::new(pose_a, a.origin), b, pose_b, out);
    let mut work = Work::default();
    let mut sink = Sink::new(out, flip, filter);
    ground_tets(a, &ground, &mut ws.stack, &mut ws.pairs, &mut sink, &mut work);
    sink.finish(work);
}

/// A rigid surface on a layer; `flip` when the surface is B's.
fn layer(
    (a, pose_a): (&RigidSurface, &Pose),
    (b, pose_b): (&HalfSpace, &Pose),
    flip: bool,
    filter: bool,
    ws: &mut Workspace,
    out: &mut ContactSurface,
) {
    let ground = ground(&Frame::new(pose_a, a.origin), b, pose_b, out);
    let mut work = Work::default();
    let mut sink = Sink::new(out, flip, filter);
    if let Some(stiffness) = ground.stiffness {
        ground_triangles(a, &ground, stiffness, &mut ws.stack, &mut ws.pairs, &mut sink, &mut work);
    }
    sink.finish(work);
}
