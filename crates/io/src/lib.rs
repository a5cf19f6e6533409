#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod atomic;
mod base64;
mod cells;
mod checked;
mod cursor;
mod error;
#[cfg(feature = "glb")]
mod glb;
#[cfg(feature = "glb")]
mod glb_json;
#[cfg(feature = "glb")]
mod glb_scene;
mod msh;
mod msh_elements;
mod msh_nodes;
mod obj;
mod options;
mod ply;
mod ply_header;
mod polygons;
mod problem;
mod pvd;
mod read;
mod read_tets;
mod scalar;
mod source;
mod statement;
mod stl;
mod tet_file;
mod values;
mod vtk;
mod vtk_attribute;
mod vtu;
mod vtu_array;
mod weld;
mod write;
mod write_msh;
mod write_obj;
mod write_ply;
mod write_stl;
mod write_vtk;
mod write_vtu;
mod xml;

pub use atomic::{place_of, remove_parts, write_whole};
pub use error::{LineProblem, ReadError, WriteError};
#[cfg(feature = "glb")]
pub use glb::{read_glb, read_glb_from};
pub use msh::{read_msh, read_msh_from};
pub use obj::{read_obj, read_obj_from};
pub use options::{ReadOptions, UpAxis};
pub use ply::{read_ply, read_ply_from};
pub use problem::{FormatProblem, Place};
pub use pvd::PvdSeries;
pub use read::{SUPPORTED_EXTENSIONS, SUPPORTED_TET_EXTENSIONS, read_mesh};
pub use read_tets::{read_tet_file, read_tets};
pub use stl::{read_stl, read_stl_from};
pub use tet_file::{DataArray, TetFile};
pub use vtk::{read_vtk, read_vtk_from};
pub use vtu::{read_vtu, read_vtu_from};
pub use write::{WRITTEN_EXTENSIONS, WRITTEN_TET_EXTENSIONS, can_write, write_mesh, write_tets};
pub use write_msh::{write_msh, write_msh_to};
pub use write_obj::{write_obj, write_obj_to};
pub use write_ply::{write_ply, write_ply_to};
pub use write_stl::{stl_rounding, write_stl, write_stl_to};
pub use write_vtk::{write_vtk, write_vtk_to};
pub use write_vtu::{Field, Grid, Numbers, write_vtu, write_vtu_to};
