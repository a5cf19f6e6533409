//! Fillings whose cells fit the box of the body.
//!
//! A lattice that ends beside a flat side bevels its edges, by as much as a cell: a plate of two cells presses a tenth too little. Where whole cells
//! fill the box, its sides are met exactly, and a few cells carry the distance to them nearly without error.

use super::frame::Frame;
use super::{FillError, FillOptions, Filled, checked, measure, stuffed, too_coarse};
use impinge_geometry::{DVec3, TriMesh};
use impinge_query::MeshIndex;

/// As [`fill`](super::fill()), with the cells along a box that fits the body, stretched so that whole ones fill it.
///
/// The box lies along the axes of the coordinates, or along flat sides of the body where that makes it smaller. Cells stretch or shrink by a part
/// of 1/(2n) at most where n of them lie along an axis, and the angles of the tets with them.
///
/// # Errors
/// As [`fill`](super::fill()).
pub fn fill_fitted(surface: &TriMesh, options: FillOptions) -> Result<Filled, FillError> {
    let frame = Frame::of(surface);
    let mass = checked(surface, (DVec3::zero(), frame.size), options)?;
    let cells = (frame.size / options.cell).map(|n| n.round().max(1.0));
    // The box in cells: its corners are whole numbers, to the bit.
    let in_cells = surface.mapped(|p| frame.in_box(p) / frame.size * cells).map_err(FillError::Surface)?;
    let mesh = stuffed(&in_cells, &MeshIndex::new(&in_cells), 1.0)
        .ok_or_else(|| too_coarse(options.cell, &mass))?
        .mapped(|p: DVec3| frame.out_of_box(p / cells * frame.size))
        .map_err(FillError::Surface)?;
    let quality =
        measure(&mesh, surface, &MeshIndex::new(surface), mass.volume).map_err(FillError::Surface)?;
    Ok(Filled { mesh, quality })
}
