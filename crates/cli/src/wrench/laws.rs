//! The static wrench of each law, by its kernels.

use super::bodies::Solid;
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::point_mesh_impulses;
use impinge_pressure::{ContactSurface, Rule, Shape, Workspace, contact, energy, stiffness};
use impinge_query::MeshIndex;
use impinge_scene::{Response, plain};
use impinge_volume::{
    Body, ClosedSurface, ContactFrame, Evaluate, Exact, Overlap, VolumeError, penalty_energy,
};
use impinge_world::StillForce;
use serde::Serialize;
use std::fmt;

/// What the laws need beside the shapes.
pub struct Stiffness {
    /// N/m for each contact point.
    pub point: f64,
    /// Pa/m³.
    pub volume: f64,
    /// Pa.
    pub modulus: f64,
}

/// One law.
#[derive(Default, Serialize)]
pub struct Row {
    response: &'static str,
    /// Why it has no wrench of its own at a pose.
    no_wrench: Option<&'static str>,
    /// On A (N).
    force: Option<[f64; 3]>,
    /// On A about the origin of A (N·m).
    moment: Option<[f64; 3]>,
    /// Vertices of either body inside the other, and the deepest (m).
    contacts: Option<usize>,
    depth: Option<f64>,
    /// Overlap (m³), and its derivatives by the translation of B (m²) and its rotation about its own origin (m³).
    volume: Option<f64>,
    volume_by_translation: Option<[f64; 3]>,
    volume_by_rotation: Option<[f64; 3]>,
    /// Area of the contact (m²), and its polygons.
    area: Option<f64>,
    polygons: Option<usize>,
    /// Out of B into A.
    normal: Option<[f64; 3]>,
    max_pressure: Option<f64>,
    /// Tets of the pressure fields of A and B.
    tets: Option<[usize; 2]>,
    /// Stored (J).
    energy: Option<f64>,
    /// ∂(force and moment on A about its origin)/∂(translation of B and rotation about its origin).
    stiffness: Option<[[f64; 6]; 6]>,
    /// What the kernel warns of.
    warning: Option<String>,
    /// What to know of the numbers.
    note: Option<String>,
}

/// What `response` makes of the two at this pose of B.
///
/// # Errors
/// Shapes that the law cannot take.
pub fn row(response: Response, a: &Solid, b: &Solid, pose: &Pose, k: &Stiffness) -> Result<Row, String> {
    let row = match response.response().still_force() {
        StillForce::None(why) => Ok(Row { no_wrench: Some(why), ..Row::default() }),
        StillForce::Vertices => vertices(a, b, pose, k.point),
        StillForce::Volume(why) => volume(why, a, b, pose, k.volume),
        StillForce::Fields => field(a, b, pose, k.modulus),
        StillForce::Unknown => {
            let why = "a response of its own: this command does not know its law";
            Ok(Row { no_wrench: Some(why), ..Row::default() })
        }
    };
    row.map(|row| Row { response: response.name(), ..row }).map_err(|e| format!("{}: {e}", response.name()))
}

/// Every vertex of either surface inside the other is pushed out the shortest way.
fn vertices(a: &Solid, b: &Solid, pose: &Pose, k: f64) -> Result<Row, String> {
    let (mut force, mut moment, mut contacts, mut depth) = (DVec3::zero(), DVec3::zero(), 0, 0.0f64);
    let mut hits = Vec::new();
    // An impulse over a second is a force.
    let mut pushed = |points: &[DVec3], mesh: &Solid, at: &Pose, on_a: bool| {
        point_mesh_impulses(points, &MeshIndex::new(&mesh.surface), at, k, 1.0, &mut hits);
        for (p, hit) in points.iter().zip(&hits).filter_map(|(p, h)| Some((p, h.as_ref()?))) {
            let (at, on) = if on_a { (*p, hit.impulse) } else { (hit.hit.closest, -hit.impulse) };
            force += on;
            moment += at.cross(on);
            contacts += 1;
            depth = depth.max(hit.hit.depth);
        }
    };
    pushed(a.surface.positions(), b, pose, true);
    let moved: Vec<DVec3> = b.surface.positions().iter().map(|&p| pose.point_to_world(p)).collect();
    pushed(&moved, a, &Pose::identity(), false);
    Ok(Row {
        force: Some(force.into()),
        moment: Some(moment.into()),
        contacts: Some(contacts),
        depth: Some(depth),
        note: Some(format!(
            "one spring for each vertex inside the other body: the force grows with the number of facets ({} and {} vertices)",
            a.surface.positions().len(),
            b.surface.positions().len()
        )),
        ..Row::default()
    })
}

fn volume(hard: Option<&'static str>, a: &Solid, b: &Solid, pose: &Pose, k: f64) -> Result<Row, String> {
    let told = |e: VolumeError| e.to_string();
    let surface_a = ClosedSurface::new(&a.surface).map_err(told)?;
    let surface_b = ClosedSurface::new(&b.surface).map_err(told)?;
    let moved: Vec<DVec3> = b.surface.positions().iter().map(|&p| pose.point_to_world(p)).collect();
    let x = [a.surface.positions(), &moved[..]];
    let (body_a, body_b) =
        (Body::new(&surface_a, x[0]).map_err(told)?, Body::new(&surface_b, x[1]).map_err(told)?);
    let mut overlap = Overlap::new();
    Exact::new().evaluate(body_a, body_b, None, &mut overlap).map_err(told)?;
    let sum = |side: usize, about: DVec3| {
        let mut gradient = vec![DVec3::zero(); x[side].len()];
        overlap.add_gradient(side, &mut gradient);
        let by = |(g, x): (&DVec3, &DVec3)| [*g, (*x - about).cross(*g)];
        let parts = gradient.iter().zip(x[side]).map(by);
        parts.fold([DVec3::zero(); 2], |s, p| [s[0] + p[0], s[1] + p[1]])
    };
    let v = overlap.volume();
    let by_b = sum(1, pose.position);
    let frame = if overlap.cells().is_empty() { None } else { ContactFrame::new(&overlap, 0, x) };
    let mut row = Row {
        volume: Some(v),
        volume_by_translation: Some(by_b[0].into()),
        volume_by_rotation: Some(by_b[1].into()),
        area: Some(frame.map_or(0.0, |f| f.area)),
        normal: frame.map(|f| f.normal.into()),
        ..Row::default()
    };
    row.no_wrench = hard;
    if hard.is_none() {
        let by_a = sum(0, DVec3::zero());
        row.force = Some((by_a[0] * (-k * v)).into());
        row.moment = Some((by_a[1] * (-k * v)).into());
        row.energy = Some(penalty_energy(k, &overlap));
    }
    Ok(row)
}

fn field(a: &Solid, b: &Solid, pose: &Pose, modulus: f64) -> Result<Row, String> {
    let fields = [a.field(modulus)?, b.field(modulus)?];
    let tets = [0, 1].map(|i| fields[i].mesh().tets().len());
    let touching =
        fields.iter().zip(["A", "B"]).filter_map(|(f, of)| Some(format!("{of}: {}", f.manifold_warning()?)));
    let mut told: Vec<String> = touching.collect();
    let [a, b] = fields.map(Shape::from);
    let here = Pose::identity();
    let mut surface = ContactSurface::new();
    contact(&a, &here, &b, pose, Rule::Paper, &mut Workspace::new(), &mut surface)
        .map_err(|e| e.to_string())?;
    told.extend(surface.warning());
    let on_a = surface.wrench.about(DVec3::zero());
    let stored = energy(&a, &here, &b, pose).map_err(|e| e.to_string())?;
    Ok(Row {
        force: Some(on_a.force.into()),
        moment: Some(on_a.torque.into()),
        area: Some(surface.area),
        polygons: Some(surface.faces.len()),
        max_pressure: Some(surface.max_pressure),
        tets: Some(tets),
        energy: Some(stored),
        stiffness: Some(stiffness(&surface, DVec3::zero(), pose.position)),
        warning: (!told.is_empty()).then(|| told.join("; ")),
        note: (surface.faces.is_empty() && stored > 0.0).then(|| {
            "the bodies overlap, but their pressures are equal on no surface, as where one lies wholly inside the other: no contact, no force"
                .to_string()
        }),
        ..Row::default()
    })
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = |x: f64| plain(x, 6);
        let v = |x: [f64; 3]| format!("[{}]", x.map(n).join(", "));
        write!(f, "{}", self.response)?;
        let mut line = |name: &str, value: Option<String>| match value {
            Some(value) => write!(f, "\n  {name:22} {value}"),
            None => Ok(()),
        };
        line("no wrench of its own", self.no_wrench.map(str::to_string))?;
        line("force on A (N)", self.force.map(v))?;
        line("moment about A (N·m)", self.moment.map(v))?;
        line("contacts", self.contacts.map(|c| c.to_string()))?;
        line("deepest (m)", self.depth.map(n))?;
        line("overlap (m³)", self.volume.map(n))?;
        line("∂V/∂translation (m²)", self.volume_by_translation.map(v))?;
        line("∂V/∂rotation (m³)", self.volume_by_rotation.map(v))?;
        line("area (m²)", self.area.map(n))?;
        line("polygons", self.polygons.map(|c| c.to_string()))?;
        line("tets of A and B", self.tets.map(|[a, b]| format!("{a}, {b}")))?;
        line("normal into A", self.normal.map(v))?;
        line("largest pressure (Pa)", self.max_pressure.map(n))?;
        line("energy (J)", self.energy.map(n))?;
        for (i, row) in self.stiffness.iter().flatten().enumerate() {
            let name = if i == 0 { "stiffness (N, m, rad)" } else { "" };
            line(name, Some(row.iter().map(|&x| format!("{:>12}", plain(x, 5))).collect()))?;
        }
        line("warning", self.warning.clone())?;
        line("note", self.note.clone())
    }
}
