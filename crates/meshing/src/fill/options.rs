//! How fine a filling is.

use super::frame::Frame;
use super::{FillError, bounded};
use crate::health::referenced_bounds;
use impinge_geometry::{MassProperties, TriMesh, triangle_area_vector};
use impinge_query::MeshIndex;

/// Cubes across and tets of a filling of which nothing is said.
const ACROSS: u32 = 6;
const FILLED: usize = 20_000;

/// Times the tets asked for that [`FillOptions::within`] makes at most, where walls would be lost with fewer.
const MANY: usize = 10;

/// How fine a filling is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FillOptions {
    /// Edge of the lattice's cubes (m). Tets inside have edges of this and of 0.87 of it.
    pub cell: f64,
    /// Most cubes the lattice may have.
    pub most_cubes: usize,
}

impl FillOptions {
    /// Cubes of this edge (m), ten millions of them at most.
    #[must_use]
    pub fn cell(cell: f64) -> Self {
        Self { cell, most_cubes: 10_000_000 }
    }

    /// As many cubes across the smallest extent of the box around the triangles.
    #[must_use]
    pub fn across(mesh: &TriMesh, cubes: u32) -> Self {
        let (lo, hi) = referenced_bounds(mesh);
        Self::cell((hi - lo).component_min() / f64::from(cubes))
    }

    /// Of a mesh of which nothing is said: [`FillOptions::within`] six cubes across and 20,000 tets.
    ///
    /// # Errors
    /// As [`FillOptions::within`].
    pub fn unasked(mesh: &TriMesh) -> Result<Self, FillError> {
        Self::within(mesh, ACROSS, FILLED)
    }

    /// As many cubes across the smallest extent of the box that [`fill_fitted`](super::fill_fitted) fits, or fewer where these would make more
    /// than `tets` tets.
    ///
    /// A body of walls, as a cup, counts as no broader than two of them. Cells grow to half a wall at most, so that walls keep their inside: what is
    /// broad for its thickness has up to ten times the tets asked for. A wall is as thick as the median over the area; a fin that is thinner may be
    /// lost ([`FillQuality`](super::FillQuality)).
    ///
    /// # Errors
    /// As [`fill`](super::fill()), for the surface; [`FillError::TooMany`] where half a wall makes more than ten times the tets.
    pub fn within(mesh: &TriMesh, cubes: u32, tets: usize) -> Result<Self, FillError> {
        let mass = bounded(mesh)?;
        let few = |h: f64, tets: usize| tets_about(&mass, h) <= tets as f64;
        let wall = thickness(mesh);
        let size = Frame::of(mesh).size.component_min().min(2.0 * wall);
        let least = ((2.0 * size / wall).round() as u32).max(2);
        let across = |k: u32| Self::cell(size / f64::from(k));
        let mut coarser = (least..cubes).rev().map(across);
        let mut found = across(cubes);
        while !few(found.cell, tets)
            && let Some(next) = coarser.next()
        {
            found = next;
        }
        let allowed = tets.saturating_mul(MANY);
        if !few(found.cell, allowed) {
            let tets = tets_about(&mass, found.cell);
            return Err(FillError::TooMany { cell: found.cell, tets, allowed, wall });
        }
        Ok(found)
    }
}

/// About the tets of a filling with cells of `h` (m): twelve in a cube, and those cut at the surface.
#[must_use]
pub fn tets_about(mass: &MassProperties, h: f64) -> f64 {
    12.0 * mass.volume / (h * h * h) + 2.0 * mass.area / (h * h)
}

/// Places at which the thickness is asked for, at most.
const ASKED: usize = 4096;

/// How thick a closed body is (m): the way straight through it from the middle of a triangle, in the median over its area.
fn thickness(surface: &TriMesh) -> f64 {
    let index = MeshIndex::new(surface);
    let (lo, hi) = referenced_bounds(surface);
    let longest = (hi - lo).mag();
    // Past the triangle itself.
    let start = 1e-6 * longest;
    let areas: Vec<f64> =
        (0..surface.triangles().len()).map(|t| triangle_area_vector(surface.corners(t)).mag()).collect();
    // Where there are many triangles, at equal parts of the area: a part of many small ones says no more than a large one.
    let part = areas.iter().sum::<f64>() / ASKED as f64;
    let few = areas.len() <= ASKED;
    let mut passed = 0.5 * part;
    let mut ways: Vec<(f64, f64)> = areas
        .iter()
        .enumerate()
        .filter_map(|(t, &area)| {
            passed += area;
            let places = (passed / part).floor();
            passed -= places * part;
            let weight = if few { area } else { places };
            if weight <= 0.0 {
                return None;
            }
            let corners @ [a, b, c] = surface.corners(t);
            let inwards = -triangle_area_vector(corners) / area;
            let hit = index.ray((a + b + c) / 3.0 + inwards * start, inwards, longest)?;
            Some((hit.t + start, weight))
        })
        .collect();
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * ways.iter().map(|w| w.1).sum::<f64>();
    let mut below = 0.0;
    let median = ways.iter().find(|w| {
        below += w.1;
        below >= half
    });
    median.map_or(f64::INFINITY, |w| w.0)
}
