//! The surfaces of the scene as feature trees, built when a body is first seen or after it was cut.

use super::body_surface::BodySurface;
use super::margin::means;
use super::tables::Faces;
use impinge_bodies::{ContactError, Shape};
use impinge_broadphase::{FeatureTree, TreeError};
use impinge_contact::{Surface, SurfaceMap, par};
use impinge_geometry::DVec3;

/// By slot; `None` for bodies without a surface.
#[derive(Default)]
pub struct Surfaces {
    /// Segments of cables are features, too.
    pub segments: bool,
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
                let of_cable = self.segments && matches!(shape, Shape::Soft(_));
                self.unwritten |= shape.triangles().is_some() || slot.is_some() || of_cable;
                let x = &surface.x0[map.range(b)];
                *slot = BodySurface::of(shape, x, first_vertex, self.segments)
                    .map_err(|source| ContactError::Tree { body: name(names, b), source })?;
            }
            if let Some(s) = slot {
                (s.first_face, s.first_edge) = (first_face, first_edge);
                (s.wanted, s.fresh, s.refused) = (false, false, None);
                first_face += s.faces.len() as u32;
                first_edge += if s.line { 0 } else { s.edges.len() as u32 };
            }
        }
        for s in self.bodies.iter_mut().flatten().filter(|s| s.line) {
            s.first_edge = first_edge;
            first_edge += s.edges.len() as u32;
        }
        self.changed |= self.unwritten;
        let written =
            [faces.corners.len(), faces.edges.len()] == [first_face, first_edge].map(|n| n as usize);
        if self.unwritten || !written {
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
                faces.edge_area.extend_from_slice(&s.edge_area);
            }
            for line in [false, true] {
                let those = self.bodies.iter().flatten().filter(|s| s.line == line);
                those.for_each(|s| faces.edges.extend_from_slice(&s.edges));
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
