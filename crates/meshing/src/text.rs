//! A health report as aligned text for a terminal.

use crate::health::Health;
use impinge_geometry::{DVec3, plain};
use std::fmt;

/// How many places are named for each fault.
pub(crate) const PLACES: usize = 4;

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows().iter().try_for_each(|(name, value)| writeln!(f, "{name:<22} {value}"))
    }
}

impl Health {
    /// The report as names and values.
    #[must_use]
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let yes = |b: bool| if b { "yes" } else { "no" };
        let mut row = |name: &str, value: String| rows.push((name.to_string(), value));
        row("vertices", self.vertices.to_string());
        row("triangles", self.triangles.to_string());
        row("edges", format!("{} (Euler characteristic {})", self.edges, self.euler_characteristic));
        let size = self.bounds.1 - self.bounds.0;
        row("extents", extents(size));
        row("unit, guessed", self.unit.to_string());
        row("area", format!("{:.6e}", self.area));
        row("closed", yes(self.closed()).into());
        row("manifold", yes(self.manifold()).into());
        row("oriented", yes(self.oriented()).into());
        let closed = self.parts.iter().filter(|p| p.closed).count();
        row("parts", format!("{} ({closed} closed)", self.parts.len()));
        if self.parts.len() > 1 {
            for (i, p) in self.parts.iter().take(PLACES).enumerate() {
                let volume = match p.volume {
                    Some(v) if v < 0.0 => format!("volume {v:.6e}: faces inwards"),
                    Some(v) => format!("volume {v:.6e}"),
                    None => format!("open, {} boundary edges", p.boundary_edges),
                };
                row(&format!("  part {i}"), format!("{} triangles from {}, {volume}", p.faces, p.first_face));
            }
            if self.parts.len() > PLACES {
                row("", format!("… and {} more", self.parts.len() - PLACES));
            }
        }
        match &self.solid {
            Ok(s) => row("volume", format!("{:.9e}", s.volume)),
            Err(e) => row("volume", format!("none: {e}")),
        }
        if let Some(m) = &self.merged {
            row(
                "merging equal points",
                format!(
                    "leaves {} vertices, {} parts, {} boundary edges: {}",
                    m.vertices,
                    m.parts,
                    m.boundary_edges,
                    if m.closed { "closed" } else { "not closed" }
                ),
            );
        }
        let edges = |list: &[[u32; 2]]| {
            listed(list.len(), list.iter().take(PLACES).map(|[a, b]| format!("{a}-{b}")), "edges")
        };
        let ids = |list: &[u32], what: &str| {
            listed(list.len(), list.iter().take(PLACES).map(ToString::to_string), what)
        };
        let crossing = listed(
            self.self_intersections.len(),
            self.self_intersections.iter().take(PLACES).map(|c| format!("{}-{}", c.faces[0], c.faces[1])),
            "faces",
        );
        let boundary = edges(&self.boundary_edges)
            .map(|s| format!("{s}; {} hole{}", self.holes, if self.holes == 1 { "" } else { "s" }));
        for (name, fault) in [
            ("boundary edges", boundary),
            ("non-manifold edges", edges(&self.non_manifold_edges)),
            ("misoriented edges", edges(&self.misoriented_edges)),
            ("pinched vertices", ids(&self.pinched_vertices, "vertices")),
            ("unused vertices", ids(&self.unreferenced_vertices, "vertices")),
            ("duplicate vertices", ids(&self.duplicate_vertices, "vertices")),
            (
                "near duplicates",
                if self.near_duplicate_vertices.len() > self.duplicate_vertices.len() {
                    ids(&self.near_duplicate_vertices, "vertices")
                        .map(|s| format!("{s}; within {:.3e}", self.tolerance))
                } else {
                    None
                },
            ),
            ("faces without area", ids(&self.degenerate_faces, "faces")),
            ("duplicate faces", ids(&self.duplicate_faces, "faces")),
            ("faces back to back", ids(&self.mirrored_faces, "faces")),
            ("self-intersections", crossing),
        ] {
            if let Some(fault) = fault {
                row(name, fault);
            }
        }
        if !self.looked_for_self_intersections {
            row("self-intersections", "not looked for".into());
        }
        let offers = crate::suggest(self);
        if self.is_sound() {
            row("verdict", "sound: nothing to mend".into());
        } else if offers.is_empty() {
            row("verdict", "no repair here mends what is wrong".into());
        } else {
            let names: Vec<String> = offers.iter().map(ToString::to_string).collect();
            row("repairs on offer", names.join(", "));
        }
        rows
    }
}

/// Three lengths, with seven digits that count.
pub(crate) fn extents(size: DVec3) -> String {
    <[f64; 3]>::from(size).map(|x| plain(x, 7)).join(" × ")
}

/// "17 (edges 1-2, 3-4, …)", or nothing for none.
pub(crate) fn listed(count: usize, first: impl Iterator<Item = String>, what: &str) -> Option<String> {
    if count == 0 {
        return None;
    }
    let more = if count > PLACES { ", …" } else { "" };
    Some(format!("{count} ({what} {}{more})", first.collect::<Vec<_>>().join(", ")))
}
