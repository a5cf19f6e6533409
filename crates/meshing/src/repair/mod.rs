//! Repairs, offered by name and never done silently.
//!
//! Each takes a mesh and gives a new one with a report of what was changed and what had to be left. None of them
//! guesses another's work: filling holes does not weld, welding does not turn faces. [`suggest`] names those that fit
//! a health report, in the order in which they help. There is no union of overlapping parts: an exact one needs an
//! arrangement of surfaces, and one that is nearly exact would make new faults.

mod degenerate;
mod holes;
mod loops;
mod orient;
mod outcome;
mod triangulate;
mod unused;
mod weld;

pub use loops::{Loops, boundary_loops};

use crate::health::Health;
use impinge_geometry::{MeshError, TriMesh};
use outcome::{NEW, Outcome};
use std::fmt;

/// A repair and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Repair {
    /// Vertices within a tolerance become one; faces that collapse by it are dropped.
    Weld {
        /// How far apart they may stand (m); 0 merges equal positions only.
        tolerance: f64,
    },
    /// Faces without area and repeated faces go, by flips and collapses that keep the surface closed.
    DropDegenerate,
    /// Vertices that no face names go.
    DropUnused,
    /// Faces are turned until neighbours agree; closed parts face outwards.
    Orient,
    /// Every loop of boundary edges is closed with triangles between its vertices.
    FillHoles,
}

/// Why a repair did not happen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RepairError {
    /// No repair has this name.
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A tolerance that is no length.
    BadTolerance {
        /// The value (m).
        tolerance: f64,
    },
    /// What is left is no mesh.
    Mesh {
        /// The repair.
        repair: &'static str,
        /// Why.
        source: MeshError,
    },
}

/// A repaired mesh and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The new mesh.
    pub mesh: TriMesh,
    /// The face of the old mesh behind each new face; `u32::MAX` for one that is new.
    pub faces: Vec<u32>,
    /// What was changed and what was left.
    pub report: RepairReport,
}

/// What a repair changed.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairReport {
    /// The repair.
    pub repair: Repair,
    /// Vertices before and after.
    pub vertices: [usize; 2],
    /// Triangles before and after.
    pub triangles: [usize; 2],
    /// How many of what were changed, such as (12, "vertices merged into an equal one"); nothing with a count of 0.
    pub done: Vec<(usize, &'static str)>,
    /// How many of what could not be mended, and why.
    pub left: Vec<(usize, &'static str)>,
}

impl Repair {
    /// The names of all repairs.
    pub const NAMES: [&'static str; 5] = ["weld", "drop-degenerate", "drop-unused", "orient", "fill-holes"];

    /// The name, as on a command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Weld { .. } => "weld",
            Self::DropDegenerate => "drop-degenerate",
            Self::DropUnused => "drop-unused",
            Self::Orient => "orient",
            Self::FillHoles => "fill-holes",
        }
    }

    /// The repair of a name; `tolerance` (m) is for welding.
    ///
    /// # Errors
    /// [`RepairError::Unknown`] with the names there are.
    pub fn from_name(name: &str, tolerance: f64) -> Result<Self, RepairError> {
        Ok(match name {
            "weld" => Self::Weld { tolerance },
            "drop-degenerate" => Self::DropDegenerate,
            "drop-unused" => Self::DropUnused,
            "orient" => Self::Orient,
            "fill-holes" => Self::FillHoles,
            _ => return Err(RepairError::Unknown { name: name.to_owned() }),
        })
    }

    /// Repairs a copy of the mesh.
    ///
    /// # Errors
    /// [`RepairError`] for a tolerance that is no length, and where no mesh would be left.
    pub fn apply(&self, mesh: &TriMesh) -> Result<Repaired, RepairError> {
        let outcome = match *self {
            Self::Weld { tolerance } if !(tolerance.is_finite() && tolerance >= 0.0) => {
                return Err(RepairError::BadTolerance { tolerance });
            }
            Self::Weld { tolerance } => weld::weld(mesh, tolerance),
            Self::DropDegenerate => degenerate::drop_degenerate(mesh),
            Self::DropUnused => unused::drop_unused(mesh),
            Self::Orient => orient::orient(mesh),
            Self::FillHoles => holes::fill_holes(mesh),
        };
        let repaired = outcome.mesh.map_err(|source| RepairError::Mesh { repair: self.name(), source })?;
        let counted = |list: Vec<(usize, &'static str)>| list.into_iter().filter(|x| x.0 > 0).collect();
        let report = RepairReport {
            repair: *self,
            vertices: [mesh.positions().len(), repaired.positions().len()],
            triangles: [mesh.triangles().len(), repaired.triangles().len()],
            done: counted(outcome.done),
            left: counted(outcome.left),
        };
        Ok(Repaired { mesh: repaired, faces: outcome.faces, report })
    }
}

/// The repairs that fit a report, in the order in which they help; look again after each.
#[must_use]
pub fn suggest(health: &Health) -> Vec<Repair> {
    let mut offers = Vec::new();
    if !health.unreferenced_vertices.is_empty() {
        offers.push(Repair::DropUnused);
    }
    // Vertices in one place are a fault where the surface is open along them; closed parts may touch.
    let open = health.boundary_edges.len();
    let open_when_merged = health.merged.as_ref().map_or(open, |m| m.boundary_edges);
    if open_when_merged > 0 && health.near_duplicate_vertices.len() > health.duplicate_vertices.len() {
        offers.push(Repair::Weld { tolerance: health.tolerance });
    } else if open_when_merged < open {
        offers.push(Repair::Weld { tolerance: 0.0 });
    }
    if !(health.degenerate_faces.is_empty() && health.duplicate_faces.is_empty()) {
        offers.push(Repair::DropDegenerate);
    }
    // A part facing inwards inside the box of another may be a cavity on purpose.
    let stray = |i: usize| {
        let (lo, hi) = health.parts[i].bounds;
        !health.parts.iter().enumerate().any(|(j, q)| {
            let (qlo, qhi) = q.bounds;
            j != i && q.closed && (0..3).all(|k| qlo[k] <= lo[k] && hi[k] <= qhi[k])
        })
    };
    let inside_out = (0..health.parts.len()).any(|i| health.parts[i].faces_inwards() && stray(i));
    if !health.misoriented_edges.is_empty() || inside_out {
        offers.push(Repair::Orient);
    }
    if health.holes > 0 && open_when_merged > 0 {
        offers.push(Repair::FillHoles);
    }
    offers
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weld { tolerance } if *tolerance > 0.0 => write!(f, "weld (tolerance {tolerance:.3e} m)"),
            other => f.write_str(other.name()),
        }
    }
}

impl fmt::Display for RepairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [v0, v1] = self.vertices;
        let [t0, t1] = self.triangles;
        writeln!(f, "{}: {v0} → {v1} vertices, {t0} → {t1} triangles", self.repair)?;
        for (n, what) in &self.done {
            writeln!(f, "  {n:>8} {what}")?;
        }
        for (n, what) in &self.left {
            writeln!(f, "  {n:>8} {what}")?;
        }
        if self.done.is_empty() && self.left.is_empty() {
            writeln!(f, "  nothing to do")?;
        }
        Ok(())
    }
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "no repair is called `{name}`; there are {}", Repair::NAMES.join(", "))
            }
            Self::BadTolerance { tolerance } => {
                write!(f, "a tolerance of {tolerance} m; give 0 or a small length in metres")
            }
            Self::Mesh { repair, source } => write!(f, "{repair} would leave no mesh: {source}"),
        }
    }
}

impl std::error::Error for RepairError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Mesh { source, .. } => Some(source),
            _ => None,
        }
    }
}
