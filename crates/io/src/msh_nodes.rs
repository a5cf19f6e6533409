//! `$Nodes` of a Gmsh file: positions, and the way from a node's tag to its place in the list.

use crate::cursor::Cursor;
use crate::msh::Version;
use crate::scalar::Scalar;
use crate::values::{Coding, integer, real};
use crate::{ReadError, ReadOptions};
use impinge_geometry::DVec3;

/// Tags of the nodes, which are whole numbers from 1 in any order and with gaps.
pub(crate) struct Nodes {
    /// Sorted by tag; the second is the place in the list.
    sorted: Vec<(i64, u32)>,
    /// The first tag, when tags count up by one in the order of the list, as they mostly do.
    first: Option<i64>,
}

impl Nodes {
    pub fn read(
        c: &mut Cursor,
        version: Version,
        coding: Coding,
        options: &ReadOptions,
        positions: &mut Vec<DVec3>,
    ) -> Result<Self, ReadError> {
        let tags = match version {
            Version::Two => flat(c, coding, options, positions)?,
            Version::FourOne => blocks(c, coding, options, positions)?,
        };
        let counts_up = tags.windows(2).all(|t| t[0].checked_add(1) == Some(t[1]));
        let first = tags.first().copied().filter(|_| counts_up);
        let mut sorted: Vec<(i64, u32)> = tags.into_iter().zip(0..).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|t| t[0].0 == t[1].0) {
            let what = format!("two nodes with the tag {}", twice[0].0);
            return Err(c.invalid(what, "renumber the mesh in Gmsh and save it again"));
        }
        Ok(Self { sorted, first })
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The place of the node with this tag; the cursor stands at it.
    pub fn find(&self, c: &Cursor, tag: i64) -> Result<u32, ReadError> {
        if let Some(first) = self.first {
            let place = tag.checked_sub(first).and_then(|k| u32::try_from(k).ok());
            if let Some(place) = place.filter(|&k| (k as usize) < self.sorted.len()) {
                return Ok(place);
            }
        } else if let Ok(at) = self.sorted.binary_search_by_key(&tag, |n| n.0) {
            return Ok(self.sorted[at].1);
        }
        let what = format!("node {tag} is not among the {} of `$Nodes`", self.sorted.len());
        Err(c.invalid(what, "save the whole mesh again (Mesh.SaveAll = 1)"))
    }
}

/// Version 2: one list of tag, x, y, z.
fn flat(
    c: &mut Cursor,
    coding: Coding,
    options: &ReadOptions,
    positions: &mut Vec<DVec3>,
) -> Result<Vec<i64>, ReadError> {
    let mut head = c.rest_of_line();
    let n = head.count("the number of nodes")?;
    c.mark = head.mark;
    let n = c.room("nodes", n, coding.least(Scalar::I32) + 3 * coding.least(Scalar::F64))?;
    let mut tags = Vec::with_capacity(n);
    positions.reserve_exact(n);
    for _ in 0..n {
        tags.push(integer(c, Scalar::I32, coding, "the tag of a node")?);
        positions.push(position(c, coding, options)?);
    }
    Ok(tags)
}

/// Version 4.1: blocks of tags followed by their coordinates.
fn blocks(
    c: &mut Cursor,
    coding: Coding,
    options: &ReadOptions,
    positions: &mut Vec<DVec3>,
) -> Result<Vec<i64>, ReadError> {
    let mut head = [0; 4];
    for value in &mut head {
        *value = integer(c, Scalar::U64, coding, "the counts and tags of the nodes")?;
    }
    let announced = head[1];
    let mut tags = Vec::new();
    for _ in 0..head[0] {
        let dimension = integer(c, Scalar::I32, coding, "the dimension of a block")?;
        integer(c, Scalar::I32, coding, "the entity of a block")?;
        let parametric = integer(c, Scalar::I32, coding, "whether a block is parametric")?;
        let n = integer(c, Scalar::U64, coding, "the number of nodes in a block")?;
        if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) || n < 0 {
            return Err(c.invalid("a block of nodes with impossible numbers", "save the mesh again"));
        }
        let each = coding.least(Scalar::U64) + 3 * coding.least(Scalar::F64);
        let n = c.room("nodes", n as u64, each)?;
        tags.reserve(n);
        for _ in 0..n {
            tags.push(integer(c, Scalar::U64, coding, "the tag of a node")?);
        }
        positions.reserve(n);
        for _ in 0..n {
            positions.push(position(c, coding, options)?);
            // Parameters on the curve or surface the node lies on.
            for _ in 0..parametric * dimension {
                real(c, Scalar::F64, coding, "a parameter")?;
            }
        }
    }
    if announced != tags.len() as i64 {
        let what = format!("{announced} nodes announced, but {} in the blocks", tags.len());
        return Err(c.invalid(what, "save the mesh again"));
    }
    Ok(tags)
}

fn position(c: &mut Cursor, coding: Coding, options: &ReadOptions) -> Result<DVec3, ReadError> {
    let mut xyz = [0.0; 3];
    for x in &mut xyz {
        *x = real(c, Scalar::F64, coding, "a coordinate")?;
    }
    c.placed(xyz, options)
}
