//! The surfaces of the scene as feature trees, built when a body is first seen or after it was cut.

use super::margin::means;
use super::tables::Faces;
use impinge_bodies::{ContactError, Shape, outer_edges};
use impinge_broadphase::{FeatureTree, TreeError};
use impinge_contact::{Surface, SurfaceMap, par};
use impinge_geometry::{DVec3, Topology, triangle_area};

/// One body's features, numbered as surface vertices.
pub struct BodySurface {
    shape: Shape,
    pub first_vertex: u32,
    pub tree: FeatureTree,
    /// Of a body that may meet itself: its boxes as seen from the body.
    pub own: Option<FeatureTree>,
    pub faces: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    /// Face across the side from corner i to corner i + 1, counted from the body's first; `u32::MAX` where there is none.
    across: Vec<[u32; 3]>,
    /// Faces at each edge, counted from the body's first; none for a sheet.
    edge_faces: Vec<[u32; 2]>,
    /// A third of the rest area of the faces at each edge (m²).
    pub edge_area: Vec<f64>,
    /// √(2 area) of a mean face (m).
    pub size: f64,
    /// It is met from one side: closed, or open and kept in shape.
    pub solid: bool,
    /// It meets itself from either side all the same: closed cloth.
    pub thin: bool,
    /// Number of its first face and edge among those of all bodies.
    pub first_face: u32,
    pub first_edge: u32,
    /// The tree is asked for in this step.
    wanted: bool,
    /// It holds the boxes of this step.
    fresh: bool,
    /// Why it does not.
    refused: Option<TreeError>,
    /// Whether the two trees hold the boxes of an earlier step, in which all of this step's lies.
    pub kept: bool,
    pub own_kept: bool,
}

/// By slot; `None` for bodies without a surface.
#[derive(Default)]
pub struct Surfaces {
    bodies: Vec<Option<BodySurface>>,
    /// Places as seen from a body.
    seen: [Vec<DVec3>; 3],
    /// Something was built or renumbered since it was last asked.
    changed: bool,
    /// The same, and faces were not written since.
    unwritten: bool,
}

/// The places of a step between which a body moves.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    pub surface: &'a Surface,
    /// Where it is guessed to end in truth (m). With a guess, boxes that still hold all of it are left as they are.
    pub guess: Option<&'a [DVec3]>,
}

/// Bodies per block of a parallel loop.
const BODIES: usize = 8;

/// In face sizes: room for what moves by less than half of this beyond the boxes of its tree, so that they do for some steps. Much more
/// is no gain: what rests needs little, and with a tenth the lists of a resting octopus had twice the pairs.
const ROOM: f64 = 0.02;

/// In face sizes: boxes with more room than this are made anew, so that a list from a step with a large margin does not stay.
const LOOSE: f64 = 0.05;

/// Updates a tree unless its boxes hold the places grown by the margin (m) and are not loose around them; whether they do.
fn follow_or_keep(
    tree: &mut FeatureTree,
    places: [&[DVec3]; 3],
    margin: f64,
    size: f64,
) -> Result<bool, TreeError> {
    let (room, half) = (tree.inflation() - margin, 0.5 * ROOM * size);
    let beyond = tree.beyond(places, room.max(half));
    if beyond <= room && room <= LOOSE * size {
        return Ok(true);
    }
    let room = if beyond <= half { ROOM * size } else { 0.0 };
    tree.update_around(places, margin + room).map(|_| false)
}

impl Surfaces {
    /// Makes room for the bodies; those whose shape is new get a tree. `faces` is rewritten when there were any, and where it was emptied: a world
    /// that was cut and went back to before has the shapes that are known here.
    pub fn follow(
        &mut self,
        map: &SurfaceMap,
        shapes: &[Shape],
        surface: &Surface,
        names: &[String],
        faces: &mut Faces,
    ) -> Result<(), ContactError> {
        self.unwritten |= self.bodies.len() != shapes.len();
        self.bodies.resize_with(shapes.len(), || None);
        let (mut first_face, mut first_edge) = (0u32, 0u32);
        for (b, (slot, shape)) in self.bodies.iter_mut().zip(shapes).enumerate() {
            let first_vertex = map.first(b);
            let kept = slot.as_ref().is_some_and(|s| s.first_vertex == first_vertex && s.shape.is(shape));
            if !kept {
                // Also where a later body is refused: this one is known then.
                self.unwritten |= shape.triangles().is_some() || slot.is_some();
                *slot = match shape.surface() {
                    None => None,
                    Some((mesh, topology)) => {
                        let solid = shape.has_front();
                        let x = &surface.x0[map.range(b)];
                        // What is soft bends where it is flat now, and then needs the edges there.
                        let outer = match shape {
                            Shape::Mesh(_) => outer_edges(mesh, topology),
                            _ => vec![true; topology.edges().len()],
                        };
                        let keep = |e: u32| outer[e as usize];
                        let tree = FeatureTree::with_edges(mesh.triangles(), topology, x, keep)
                            .map_err(|source| ContactError::Tree { body: name(names, b), source })?;
                        let own = match shape {
                            Shape::Soft(s) if s.own.is_some() => Some(
                                FeatureTree::new(mesh.triangles(), topology, x)
                                    .map_err(|source| ContactError::Tree { body: name(names, b), source })?,
                            ),
                            _ => None,
                        };
                        let across =
                            |f: u32| [0, 1, 2].map(|i| topology.face_across(f, i).unwrap_or(u32::MAX));
                        let mut edge_area = vec![0.0; topology.edges().len()];
                        for (sides, t) in topology.face_edges().iter().zip(mesh.triangles()) {
                            let third = triangle_area(t.map(|v| mesh.positions()[v as usize])) / 3.0;
                            for &e in sides.iter().filter(|&&e| e != Topology::NONE) {
                                edge_area[e as usize] += third;
                            }
                        }
                        let area: f64 = edge_area.iter().sum();
                        let count = mesh.triangles().len().max(1) as f64;
                        Some(BodySurface {
                            size: (2.0 * area / count).sqrt(),
                            shape: shape.clone(),
                            first_vertex,
                            tree,
                            own,
                            faces: mesh.triangles().iter().map(|t| t.map(|v| v + first_vertex)).collect(),
                            edges: topology.edges().iter().map(|e| e.map(|v| v + first_vertex)).collect(),
                            across: (0..mesh.triangles().len() as u32).map(across).collect(),
                            edge_faces: if solid {
                                topology.edge_faces().to_vec()
                            } else {
                                vec![[u32::MAX; 2]; topology.edges().len()]
                            },
                            edge_area,
                            solid,
                            thin: matches!(shape, Shape::Soft(s) if s.meets_itself_thin()),
                            first_face,
                            first_edge,
                            wanted: false,
                            fresh: false,
                            refused: None,
                            kept: false,
                            own_kept: false,
                        })
                    }
                };
            }
            if let Some(s) = slot {
                (s.first_face, s.first_edge) = (first_face, first_edge);
                (s.wanted, s.fresh, s.refused) = (false, false, None);
                first_face += s.faces.len() as u32;
                first_edge += s.edges.len() as u32;
            }
        }
        self.changed |= self.unwritten;
        if self.unwritten || faces.corners.len() != first_face as usize {
            faces.corners.clear();
            faces.across.clear();
            faces.edge_faces.clear();
            faces.edges.clear();
            faces.edge_area.clear();
            for s in self.bodies.iter().flatten() {
                faces.corners.extend_from_slice(&s.faces);
                let shift = |f: u32| if f == u32::MAX { f } else { f + s.first_face };
                faces.across.extend(s.across.iter().map(|a| a.map(shift)));
                faces.edge_faces.extend(s.edge_faces.iter().map(|a| a.map(shift)));
                faces.edges.extend_from_slice(&s.edges);
                faces.edge_area.extend_from_slice(&s.edge_area);
            }
            faces.gather_edges(map.vertices());
            self.unwritten = false;
        }
        Ok(())
    }

    /// Whether surfaces were built or renumbered since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// [`Surfaces::refresh`] makes the boxes of this body anew.
    pub fn want(&mut self, slot: u32) {
        if let Some(Some(s)) = self.bodies.get_mut(slot as usize) {
            s.wanted = true;
        }
    }

    /// The surfaces that are wanted with the boxes of this step, each grown by its margin (m).
    pub fn refresh(
        &mut self,
        margin: impl Fn(u32) -> f64 + Sync + Send,
        map: &SurfaceMap,
        places: Places<'_>,
    ) {
        par::fill(&mut self.bodies, BODIES, |b, slot| {
            let Some(s) = slot.as_mut().filter(|s| s.wanted && !s.fresh) else { return };
            let (range, surface, margin) = (map.range(b), places.surface, margin(b as u32));
            let (x0, x1) = (&surface.x0[range.clone()], &surface.x1[range.clone()]);
            let kept = match places.guess {
                Some(guess) => follow_or_keep(&mut s.tree, [x0, x1, &guess[range]], margin, s.size),
                None => s.tree.update(x0, x1, margin).map(|_| false),
            };
            s.fresh = true;
            (s.kept, s.refused) = kept.map_or_else(|e| (false, Some(e)), |kept| (kept, None));
        });
    }

    /// # Errors
    /// Where the boxes of a body could not be made.
    pub fn refreshed(&mut self, slot: u32, names: &[String]) -> Result<(), ContactError> {
        let refused = self.bodies.get_mut(slot as usize).and_then(|s| s.as_mut()?.refused.take());
        refused.map_or(Ok(()), |source| Err(ContactError::Tree { body: name(names, slot as usize), source }))
    }

    /// The boxes of a body's features as seen from the body: whether it meets itself does not depend on where all of it goes,
    /// and the boxes are that much smaller (an octopus in free fall: the broad phase took 40 ms instead of 65, the response 3
    /// instead of 13).
    pub fn refresh_own(
        &mut self,
        slot: u32,
        margin: f64,
        map: &SurfaceMap,
        places: Places<'_>,
        names: &[String],
    ) -> Result<(), ContactError> {
        let b = slot as usize;
        let Some(Some(s)) = self.bodies.get_mut(b) else { return Ok(()) };
        let Some(own) = &mut s.own else { return Ok(()) };
        let range = map.range(b);
        let (x0, x1) = (&places.surface.x0[range.clone()], &places.surface.x1[range.clone()]);
        let farthest = x0.iter().chain(x1).fold(0.0f64, |m, x| m.max(x.abs().component_max()));
        // Differences are rounded.
        let margin = margin + 4.0 * f64::EPSILON * farthest;
        let Some(guess) = places.guess else {
            let way = x0.iter().zip(x1).fold(DVec3::zero(), |sum, (a, b)| sum + (*b - *a));
            let drift = way / x0.len().max(1) as f64;
            let seen = &mut self.seen[0];
            seen.clear();
            seen.extend(x1.iter().map(|x| *x - drift));
            s.own_kept = false;
            return own
                .update(x0, seen, margin)
                .map(|_| ())
                .map_err(|source| ContactError::Tree { body: name(names, b), source });
        };
        let places = [x0, x1, &guess[range]];
        for ((x, middle), seen) in places.into_iter().zip(means(places)).zip(&mut self.seen) {
            seen.clear();
            seen.extend(x.iter().map(|x| *x - middle));
        }
        s.own_kept = follow_or_keep(own, self.seen.each_ref().map(|x| &x[..]), margin, s.size)
            .map_err(|source| ContactError::Tree { body: name(names, b), source })?;
        Ok(())
    }

    /// The surface of a body.
    #[must_use]
    pub fn get(&self, slot: u32) -> Option<&BodySurface> {
        self.bodies.get(slot as usize)?.as_ref()
    }
}

fn name(names: &[String], slot: usize) -> String {
    names.get(slot).cloned().unwrap_or_else(|| format!("#{slot}"))
}
