//! The health of a tet mesh, and the repairs that need no new vertex.

use crate::fill::{dihedral_angles, quality::angles};
use crate::health::{Health, health};
use crate::text::{PLACES, extents, listed};
use impinge_geometry::{DVec3, TetMesh, TetTopology, tet_orientation};
use std::cmp::Ordering;
use std::fmt;

/// What is right and wrong with a tet mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetHealth {
    /// Vertices, as in the file.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
    /// Tets that hang together through faces.
    pub parts: usize,
    /// Lower and upper corner of the box around the vertices (m).
    pub bounds: (DVec3, DVec3),
    /// Sum of the signed volumes (m³).
    pub volume: f64,
    /// Smallest dihedral angle of the tets of positive volume (rad); infinite where there is none.
    pub min_dihedral: f64,
    /// Largest dihedral angle of the same (rad).
    pub max_dihedral: f64,
    /// The tet with the smallest angle.
    pub worst: usize,
    /// Tets inside out, lowest first.
    pub inverted: Vec<usize>,
    /// Tets whose corners lie in one plane, exactly.
    pub flat: Vec<usize>,
    /// Tets with the corners of an earlier one: the earlier and the later.
    pub duplicates: Vec<[usize; 2]>,
    /// Faces with three tets or more.
    pub crowded_faces: usize,
    /// Faces whose two tets lie on the same side.
    pub overlapping_faces: usize,
    /// Vertices that no tet names.
    pub unused_vertices: usize,
    /// The health of the boundary; `None` where there is none.
    pub surface: Option<Health>,
}

/// The health of a tet mesh.
#[must_use]
pub fn tet_health(mesh: &TetMesh) -> TetHealth {
    let topology = TetTopology::new(mesh);
    let (mut inverted, mut flat) = (vec![], vec![]);
    let (mut min_dihedral, mut max_dihedral, mut worst) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for t in 0..mesh.tets().len() {
        let corners = mesh.corners(t);
        match tet_orientation(corners) {
            Ordering::Less => inverted.push(t),
            Ordering::Equal => flat.push(t),
            Ordering::Greater => {
                let [lowest, highest] = dihedral_angles(corners);
                if lowest < min_dihedral {
                    (min_dihedral, worst) = (lowest, t);
                }
                max_dihedral = max_dihedral.max(highest);
            }
        }
    }
    TetHealth {
        vertices: mesh.positions().len(),
        tets: mesh.tets().len(),
        parts: topology.part_count(),
        bounds: mesh.bounds(),
        volume: mesh.volumes().iter().sum(),
        min_dihedral,
        max_dihedral,
        worst,
        inverted,
        flat,
        duplicates: mesh.duplicates(),
        crowded_faces: topology.non_manifold_faces(),
        overlapping_faces: topology.misoriented_faces().len(),
        unused_vertices: topology.unreferenced_vertices().len(),
        surface: topology.surface(mesh).ok().map(|s| health(&s.mesh)),
    }
}

impl TetHealth {
    /// A body can be made of it: every tet once, of positive volume, each face with two tets at most, on both sides.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.inverted.is_empty()
            && self.flat.is_empty()
            && self.duplicates.is_empty()
            && self.crowded_faces == 0
            && self.overlapping_faces == 0
    }

    /// The report as names and values, without the boundary's. `place` says where in the file a tet stands, if it can.
    #[must_use]
    pub fn rows(&self, place: impl Fn(usize) -> Option<String>) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_string(), value));
        let at = |t: usize| place(t).map_or_else(|| t.to_string(), |p| format!("{t} in {p}"));
        row("vertices", self.vertices.to_string());
        row("tets", self.tets.to_string());
        row("parts", self.parts.to_string());
        let size = self.bounds.1 - self.bounds.0;
        row("extents", extents(size));
        row("volume", format!("{:.9e}", self.volume));
        if self.min_dihedral.is_finite() {
            let range = angles(self.min_dihedral, self.max_dihedral);
            row("dihedral angles", format!("{range}; the smallest in tet {}", at(self.worst)));
        }
        let tets = |list: &[usize]| listed(list.len(), list.iter().take(PLACES).map(|&t| at(t)), "tets");
        let twice = listed(
            self.duplicates.len(),
            self.duplicates
                .iter()
                .take(PLACES)
                .map(|&[first, again]| format!("{} as {}", at(again), at(first))),
            "tets",
        );
        let count = |n: usize| (n > 0).then(|| n.to_string());
        for (name, fault) in [
            ("inside out", tets(&self.inverted)),
            ("flat", tets(&self.flat)),
            ("there twice", twice),
            ("faces of 3 tets", count(self.crowded_faces)),
            ("overlapping faces", count(self.overlapping_faces)),
            ("unused vertices", count(self.unused_vertices)),
        ] {
            if let Some(fault) = fault {
                row(name, fault);
            }
        }
        let mut offers = Vec::new();
        if !self.inverted.is_empty() {
            offers.push("orient");
        }
        if !(self.flat.is_empty() && self.duplicates.is_empty()) {
            offers.push("drop-degenerate");
        }
        if self.unused_vertices > 0 {
            offers.push("drop-unused");
        }
        if !offers.is_empty() {
            row("repairs on offer", offers.join(", "));
        } else if self.is_solid() {
            row("verdict", "sound: every tet once, of positive volume".into());
        } else {
            row("verdict", "tets overlap, which no repair here mends: mesh the solid again".into());
        }
        rows
    }
}

impl fmt::Display for TetHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows(|_| None).iter().try_for_each(|(name, value)| writeln!(f, "{name:<22} {value}"))
    }
}

/// Mends a tet mesh by the repair of this name, and says what was done: `orient` turns tets that are inside out,
/// `drop-degenerate` drops those that are flat or there twice, `drop-unused` drops vertices that no tet names.
///
/// # Errors
/// For another name, or when no tet would be left.
pub fn repair_tets(mesh: &TetMesh, name: &str) -> Result<(TetMesh, String), String> {
    let made = |positions: Vec<DVec3>, tets: Vec<[u32; 4]>| {
        TetMesh::new(positions, tets).map_err(|_| format!("{name} leaves no tet: mesh the solid again"))
    };
    let orientation = |t: usize| tet_orientation(mesh.corners(t));
    match name {
        "orient" => {
            let mut turned = 0;
            let turn = |(t, &tet): (usize, &[u32; 4])| {
                let [a, b, c, d] = tet;
                if orientation(t) != Ordering::Less {
                    return tet;
                }
                turned += 1;
                [a, b, d, c]
            };
            let tets = mesh.tets().iter().enumerate().map(turn).collect();
            Ok((made(mesh.positions().to_vec(), tets)?, format!("orient: {turned} tets turned")))
        }
        "drop-degenerate" => {
            let mut kept = vec![true; mesh.tets().len()];
            mesh.duplicates().iter().for_each(|&[_, again]| kept[again] = false);
            let twice = kept.iter().filter(|&&k| !k).count();
            (0..kept.len()).filter(|&t| orientation(t) == Ordering::Equal).for_each(|t| kept[t] = false);
            let tets: Vec<[u32; 4]> = mesh.tets().iter().zip(&kept).filter(|k| *k.1).map(|k| *k.0).collect();
            let flat = kept.len() - tets.len() - twice;
            let said = format!("drop-degenerate: {flat} flat tets and {twice} that were there twice dropped");
            Ok((made(mesh.positions().to_vec(), tets)?, said))
        }
        "drop-unused" => {
            let mut number = vec![u32::MAX; mesh.positions().len()];
            mesh.tets().iter().flatten().for_each(|&v| number[v as usize] = 0);
            let mut positions = Vec::new();
            for (n, &p) in number.iter_mut().zip(mesh.positions()).filter(|n| *n.0 == 0) {
                *n = positions.len() as u32;
                positions.push(p);
            }
            let dropped = number.len() - positions.len();
            let tets = mesh.tets().iter().map(|t| t.map(|v| number[v as usize])).collect();
            Ok((made(positions, tets)?, format!("drop-unused: {dropped} vertices dropped")))
        }
        other => {
            Err(format!("no repair '{other}' for tets; there are: orient, drop-degenerate, drop-unused"))
        }
    }
}
