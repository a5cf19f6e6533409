#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod around;
mod body_surface;
mod edges;
mod finder;
mod inside;
mod margin;
mod matter;
mod paths;
mod place;
mod points;
mod reach;
mod search;
mod start;
mod surfaces;
mod tables;
mod tracked;

pub use around::Around;
pub use edges::{ENDS, crossing, inward, leaves, meets_outside, weights};
pub use finder::{Finder, Moving, Only};
pub use impinge_bodies::TOUCHING;
pub use impinge_contact::{edge_edge_key, vertex_and_face, vertex_face_key};
pub use inside::inside_at_start;
pub use margin::{beyond, stray};
pub use matter::{Matter, part};
pub use paths::{Paths, Ways, parabolas};
pub use place::bounds_of;
pub use reach::{Reach, widest};
pub use search::{Swept, SweptSearch};
pub use start::{crossing_at_start, in_a_plane, shallow, touching_at_start};
pub use tables::{
    Faces, FeaturePairs, Followed, List, Margin, Run, SweptCandidates, Tracked, TrackedNext, edges_of,
    pair_of,
};
pub use tracked::{Tracked as TrackedList, TrackedRow, TrackedView};
