//! What is refused, with the way out in the text. Written out by hand: a derive would be a third of all this crate needs.

use impinge_geometry::MeshError;
use std::fmt;

/// A body, a grid or a pair without an intersection volume.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VolumeError {
    /// The surface has no inside.
    Mesh(MeshError),
    /// Positions of another mesh.
    Length {
        /// How many were given.
        positions: usize,
        /// How many the surface has.
        vertices: usize,
    },
    /// A position is NaN or infinite.
    NonFinite {
        /// Which body, counted from 0.
        body: usize,
        /// Its vertex.
        vertex: usize,
    },
    /// A length makes no sense.
    Size {
        /// Which one.
        what: &'static str,
        /// The number given.
        value: f64,
    },
    /// Pixels or depth layers would need more memory than allowed.
    Memory {
        /// The pixel size asked for (m).
        pixel: f64,
        /// What it would take.
        needed: u64,
        /// What is allowed.
        allowed: u64,
        /// A size that would fit (m).
        suggested: f64,
    },
    /// Pixels that certify the error asked for would need more memory than allowed.
    Uncertified {
        /// The error asked for (m³).
        asked: f64,
        /// What the finest pixels that fit certify (m³).
        certified: f64,
        /// Their size (m).
        pixel: f64,
        /// What the next finer ones would take.
        needed: u64,
        /// What is allowed.
        allowed: u64,
    },
    /// The rays do not see all of the overlap.
    Lattice {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// Where the overlap starts (m).
        lo: f64,
        /// Where it ends (m).
        hi: f64,
    },
    /// A ray meets more surfaces than allowed.
    Layers {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// How many it meets.
        layers: usize,
        /// How many are allowed.
        allowed: usize,
    },
    /// More grid cells than indices, or than is sensible.
    Cells {
        /// The cell size asked for (m).
        size: f64,
        /// How many cells that would be.
        cells: f64,
        /// How many are allowed.
        allowed: usize,
    },
}

impl fmt::Display for VolumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh(e) => write!(f, "no intersection volume without an inside: {e}"),
            Self::Length { positions, vertices } => {
                write!(
                    f,
                    "{positions} positions for a surface of {vertices} vertices; give one for each vertex"
                )
            }
            Self::NonFinite { body, vertex } => write!(
                f,
                "vertex {vertex} of body {body} is not finite; an earlier step has blown up, or a file is damaged"
            ),
            Self::Size { what, value } => {
                write!(f, "{what} is {value}; give a positive, finite number of metres")
            }
            Self::Memory { pixel, needed, allowed, suggested } => write!(
                f,
                "pixels of {pixel} m would need {needed} bytes, {allowed} are allowed; pixels of {suggested} m would fit \
                 (or raise `Limits::bytes`)"
            ),
            Self::Uncertified { asked, certified, pixel, needed, allowed } => write!(
                f,
                "a volume error of {asked} m³ is asked for; pixels of {pixel} m certify {certified} m³, and finer ones would need \
                 {needed} bytes of {allowed} allowed: ask for no less than {certified} m³, or raise `Limits::bytes`"
            ),
            Self::Lattice { axis, lo, hi } => write!(
                f,
                "along axis {axis} the overlap reaches from {lo} to {hi} m, beyond the lattice; use `Lattice::around`"
            ),
            Self::Layers { axis, layers, allowed } => write!(
                f,
                "a ray along axis {axis} meets {layers} surfaces, {allowed} are allowed; the mesh may repeat itself (check its \
                 health), or raise `Limits::layers`"
            ),
            Self::Cells { size, cells, allowed } => write!(
                f,
                "cells of {size} m cut the overlap into {cells} cells, at most {allowed} are allowed; give larger cells"
            ),
        }
    }
}

impl std::error::Error for VolumeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Mesh(e) => Some(e),
            _ => None,
        }
    }
}

impl From<MeshError> for VolumeError {
    fn from(e: MeshError) -> Self {
        Self::Mesh(e)
    }
}
