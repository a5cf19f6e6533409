//! Family `drake`: reference contacts of another implementation, in its own format: meshes and fields once, cases by name.
//!
//! With its filter: polygon count, area, force, moment about the world's origin, largest pressure within 1e-9 relative; by
//! the paper's rule the same against the independent numbers without the filter. Degenerate cases: force only. Stiffness
//! within 1e-6 of the central differences where the filter removes nothing and the fields vanish on the boundary.

use super::compare::{Comparison, Malformed};
use super::family::Checked;
use impinge_geometry::{DRotor3, DVec3, Pose, TetMesh, TriMesh};
use impinge_pressure::{
    CompliantBody, ContactSurface, HalfSpace, RigidSurface, Rule, Shape, Workspace, contact, stiffness,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use ultraviolet::DBivec3;

/// Relative tolerance of everything but the stiffness.
const TOLERANCE: f64 = 1e-9;
/// Of the stiffness, over its largest number.
const STIFFNESS: f64 = 1e-6;

#[derive(Deserialize)]
struct File {
    meshes: BTreeMap<String, Mesh>,
    fields: BTreeMap<String, Field>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Mesh {
    vertices: Vec<[f64; 3]>,
    elements: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
struct Field {
    modulus: f64,
    pressure: Vec<f64>,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Case {
    name: String,
    A: Geometry,
    B: Geometry,
    X_WA: Placement,
    X_WB: Placement,
    degenerate: bool,
    drake: Contact,
    #[serde(default)]
    without_filter_numpy: Option<Contact>,
    #[serde(default)]
    gradient_wrt_pose_of_B: Option<Gradient>,
}

#[derive(Deserialize)]
struct Geometry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    margin: f64,
    #[serde(default)]
    modulus: Option<f64>,
    #[serde(default)]
    slab_thickness: Option<f64>,
    #[serde(default)]
    mesh: Option<String>,
    #[serde(default)]
    field: Option<String>,
}

#[derive(Deserialize)]
struct Placement {
    quat_wxyz: [f64; 4],
    p: [f64; 3],
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Contact {
    #[serde(default)]
    contact: Option<bool>,
    #[serde(default)]
    num_faces: usize,
    #[serde(default, alias = "total_area")]
    area: f64,
    #[serde(default)]
    force_on_A: [f64; 3],
    #[serde(default)]
    moment_on_A_about_world_origin: [f64; 3],
    #[serde(default)]
    max_pressure: Option<f64>,
    #[serde(default)]
    polygons_removed_by_filter: usize,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Gradient {
    fd_dforce_on_A: [[f64; 6]; 3],
    fd_dmoment_on_A: [[f64; 6]; 3],
}

impl Placement {
    fn pose(&self) -> Pose {
        let [w, x, y, z] = self.quat_wxyz;
        Pose::new(self.p.into(), DRotor3::new(w, DBivec3::new(-z, y, -x)))
    }
}

impl File {
    fn mesh(&self, g: &Geometry) -> Result<&Mesh, Malformed> {
        let name = g
            .mesh
            .as_deref()
            .ok_or_else(|| Malformed(format!("a body of type {} without `mesh`", g.kind)))?;
        self.meshes.get(name).ok_or_else(|| Malformed(format!("no mesh `{name}`")))
    }

    fn elements<const N: usize>(mesh: &Mesh) -> Result<Vec<[u32; N]>, Malformed> {
        let one = |e: &Vec<u32>| <[u32; N]>::try_from(e.as_slice());
        mesh.elements
            .iter()
            .map(one)
            .collect::<Result<_, _>>()
            .map_err(|_| Malformed(format!("an element of another number of corners than {N}")))
    }

    fn shape(&self, g: &Geometry) -> Result<Shape, Malformed> {
        let bad = |e: &dyn std::fmt::Display| Malformed(e.to_string());
        let up = DVec3::unit_z();
        match g.kind.as_str() {
            "compliant" => {
                let name =
                    g.field.as_deref().ok_or_else(|| Malformed("a compliant body without `field`".into()))?;
                let field = self.fields.get(name).ok_or_else(|| Malformed(format!("no field `{name}`")))?;
                let mesh = self.mesh(g)?;
                let tets =
                    TetMesh::from_arrays(&mesh.vertices, &Self::elements::<4>(mesh)?).map_err(|e| bad(&e))?;
                let extent = field.pressure.iter().map(|p| p / field.modulus).collect();
                Ok(CompliantBody::new(tets, extent, field.modulus).map_err(|e| bad(&e))?.into())
            }
            "rigid" => {
                let mesh = self.mesh(g)?;
                let m =
                    TriMesh::from_arrays(&mesh.vertices, &Self::elements::<3>(mesh)?).map_err(|e| bad(&e))?;
                Ok(RigidSurface::new(m).map_err(|e| bad(&e))?.into())
            }
            "rigid_halfspace" => Ok(HalfSpace::rigid(up, 0.0).map_err(|e| bad(&e))?.into()),
            "compliant_halfspace" => {
                let (Some(e), Some(h)) = (g.modulus, g.slab_thickness) else {
                    return Err(Malformed(
                        "a compliant half space without `modulus` or `slab_thickness`".into(),
                    ));
                };
                Ok(HalfSpace::layer(up, 0.0, e, h).map_err(|e| bad(&e))?.into())
            }
            other => Err(Malformed(format!("a body of type `{other}`"))),
        }
    }
}

/// Checks a file of reference contacts.
pub fn check_file(text: &str) -> Result<Vec<Checked>, Malformed> {
    let file: File = serde_json::from_str(text).map_err(|e| Malformed(e.to_string()))?;
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut checked = Vec::new();
    for case in &file.cases {
        let located = |e: Malformed| Malformed(format!("case `{}`: {}", case.name, e.0));
        let mut comparison = Comparison::default();
        file.check(case, &mut ws, &mut out, &mut comparison).map_err(located)?;
        checked.push(Checked { id: case.name.clone(), comparison });
    }
    Ok(checked)
}

impl File {
    fn check(
        &self,
        case: &Case,
        ws: &mut Workspace,
        surface: &mut ContactSurface,
        out: &mut Comparison,
    ) -> Result<(), Malformed> {
        let (a, b) = (self.shape(&case.A)?, self.shape(&case.B)?);
        let (pa, pb) = (case.X_WA.pose(), case.X_WB.pose());
        let rules = [(Rule::Drake, Some(&case.drake)), (Rule::Paper, case.without_filter_numpy.as_ref())];
        for (rule, want) in rules {
            let Some(want) = want else { continue };
            contact(&a, &pa, &b, &pb, rule, ws, surface).map_err(|e| Malformed(e.to_string()))?;
            if want.contact == Some(false) {
                out.holds(surface.is_empty(), || format!("{} polygons, expected none", surface.faces.len()));
                continue;
            }
            compare(&format!("{rule:?}: "), surface, want, case.degenerate, out);
        }
        let removed = case.without_filter_numpy.as_ref().is_none_or(|c| c.polygons_removed_by_filter > 0);
        let margin = case.A.margin != 0.0 || case.B.margin != 0.0;
        if let Some(g) = case.gradient_wrt_pose_of_B.as_ref().filter(|_| !removed && !margin) {
            // The paper's rule came last, and the surface is its.
            let k = stiffness(surface, DVec3::zero(), pb.position);
            for (first, name, want) in [(0, "dforce", &g.fd_dforce_on_A), (3, "dmoment", &g.fd_dmoment_on_A)]
            {
                let size = want.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
                for r in 0..3 {
                    for c in 0..6 {
                        let place = || format!("{name}[{r}][{c}]");
                        out.number(place, k[first + r][c], want[r][c], STIFFNESS * size);
                    }
                }
            }
        }
        Ok(())
    }
}

fn compare(rule: &str, surface: &ContactSurface, want: &Contact, degenerate: bool, out: &mut Comparison) {
    let w = surface.wrench.about(DVec3::zero());
    let vector = |name: &str, got: DVec3, want: [f64; 3], out: &mut Comparison| {
        let want = DVec3::from(want);
        out.vector(|| format!("{rule}{name}"), got, want, TOLERANCE * want.mag());
    };
    vector("force", w.force, want.force_on_A, out);
    if degenerate {
        return;
    }
    vector("moment", w.torque, want.moment_on_A_about_world_origin, out);
    out.number(|| format!("{rule}area"), surface.area, want.area, TOLERANCE * want.area);
    if let Some(p) = want.max_pressure {
        out.number(|| format!("{rule}largest pressure"), surface.max_pressure, p, TOLERANCE * p.abs());
    }
    let n = surface.faces.len();
    out.holds(n == want.num_faces, || format!("{rule}{n} polygons, expected {}", want.num_faces));
}
