//! Half spaces: a plane through a tree of tets, and triangles under a compliant plane. In the mesh's own frame.

use super::clip::{Polygon, known_sign};
use super::pairs::bits;
use super::relative::{ROUNDING, max};
use super::screen;
use super::sink::{Plane, Sink};
use crate::blocks::{TriBlock, lane};
use crate::body::CompliantBody;
use crate::rigid::RigidSurface;
use crate::simd::{Lanes, W};
use crate::surface::Work;
use crate::tree::{Node, Tree};
use impinge_geometry::DVec3;

/// The half space n·x ≤ d in the mesh's frame, with its pressure per depth and how far above it that goes on (m).
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    pub normal: DVec3,
    pub offset: f64,
    pub stiffness: Option<f64>,
    pub margin: f64,
}

/// Lowest and highest height n·x − d of eight boxes.
#[inline(always)]
fn heights(n: &[f64; 3], d: f64, node: &Node, lowest: &mut Lanes, highest: &mut Lanes) {
    for l in 0..W {
        let (mut m, mut e) = (-d, 0.0);
        for k in 0..3 {
            m += n[k] * (node.lo[k][l] + node.hi[k][l]) * 0.5;
            e += n[k].abs() * (node.hi[k][l] - node.lo[k][l]) * 0.5;
        }
        // A face in the plane must not be lost by rounding.
        e += ROUNDING * (m.abs() + e + d.abs());
        lowest[l] = m - e;
        highest[l] = m + e;
    }
}

/// Blocks whose box reaches under the plane or into its margin, and for a rigid ground also above it.
#[inline(always)]
pub fn blocks(
    tree: &Tree,
    ground: &Ground,
    straddle: bool,
    stack: &mut Vec<[u32; 2]>,
    out: &mut Vec<[u32; 2]>,
) {
    out.clear();
    stack.clear();
    stack.push([tree.root(), tree.levels]);
    let n = [ground.normal.x, ground.normal.y, ground.normal.z];
    while let Some([i, level]) = stack.pop() {
        let node = &tree.nodes[i as usize];
        let (mut lowest, mut highest) = ([0.0; W], [0.0; W]);
        heights(&n, ground.offset, node, &mut lowest, &mut highest);
        for l in 0..node.len as usize {
            if lowest[l] <= ground.margin && (!straddle || highest[l] >= 0.0) {
                let to = if level == 1 { &mut *out } else { &mut *stack };
                to.push([node.child[l], level - 1]);
            }
        }
    }
}

/// The cut of every tet with the plane (rigid ground), or with the surface where its pressure is the ground's.
#[inline(always)]
pub fn tets(body: &CompliantBody, ground: &Ground, found: &[[u32; 2]], sink: &mut Sink<'_>, work: &mut Work) {
    let mut polygon = Polygon::EMPTY;
    // p_tet − k (d − n·x) on a compliant ground; the height on a rigid one.
    let (own, gradient, c) = match ground.stiffness {
        None => (0.0, ground.normal, -ground.offset),
        Some(k) => (1.0, ground.normal * k, -ground.offset * k),
    };
    let g = [gradient.x, gradient.y, gradient.z];
    // The field of the ground ends at its margin. Where no pressure is below 0, equal ones are under the ground.
    let ends = ground.stiffness.is_some() && body.lowest < 0.0;
    for &[i, _] in found {
        work.rows += 1;
        for l in bits(screen::cut_by_plane(&body.blocks[i as usize], own, &g, c)) {
            work.clips += 1;
            let b = &body.records[i as usize * W + l];
            let (mut h, mut size) = ([0.0; 4], 0.0);
            let mut corners = [[0.0; 8]; 4];
            for i in 0..4 {
                let terms = [g[0] * b.x[i], g[1] * b.y[i], g[2] * b.z[i], c, own * b.p[i]];
                h[i] = terms.iter().sum();
                size = max(size, terms.iter().map(|t| t.abs()).sum());
                corners[i] = [b.x[i], b.y[i], b.z[i], b.p[i], 0.0, 0.0, 0.0, 0.0];
            }
            polygon.cut(h.map(|d| known_sign(d, size, 1.0)), &corners);
            if polygon.corners().is_empty() || ends && !within_margin(&mut polygon, ground) {
                continue;
            }
            let ga = b.gradient();
            let (normal, host_gradient) = if ground.stiffness.is_some() {
                let m = ga + gradient;
                let size = m.mag();
                if !(size > 1e-14 * (ga.mag() + gradient.mag())) {
                    continue;
                }
                let normal = m / size;
                if !(sink.keeps(normal, ga) && sink.keeps(normal, gradient)) {
                    continue;
                }
                (normal, -gradient)
            } else {
                (ground.normal, DVec3::zero())
            };
            let plane = Plane { normal, guest_gradient: ga, host_gradient };
            sink.add(polygon.corners(), &plane, b.id, u32::MAX);
        }
    }
}

/// Cuts a polygon off where the field of the ground ends; `false` where nothing is left.
fn within_margin(polygon: &mut Polygon, ground: &Ground) -> bool {
    polygon.each_corner(|c| {
        c[4] = ground.offset + ground.margin - ground.normal.dot(DVec3::new(c[0], c[1], c[2]));
    });
    polygon.clip::<4>()
}

/// Rigid triangles under a compliant ground; the surface belongs to the triangles, which reach as far as `radius` (m).
#[inline(always)]
pub fn triangles(
    (mesh, radius): (&[TriBlock], f64),
    ground: &Ground,
    stiffness: f64,
    found: &[[u32; 2]],
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    let mut polygon = Polygon::EMPTY;
    let gradient = ground.normal * -stiffness;
    let n = [ground.normal.x, ground.normal.y, ground.normal.z];
    let slack = ROUNDING * (radius + ground.offset.abs());
    for &[i, _] in found {
        let b = &mesh[i as usize];
        work.rows += 1;
        for l in bits(screen::under_plane(b, &n, ground.offset + ground.margin, slack))
            .take_while(|&l| l < b.len as usize)
        {
            let x = super::relative::triangle_corners(b, l);
            let depth = x.map(|x| ground.offset - ground.normal.dot(x));
            let within = depth.map(|d| d + ground.margin);
            if within.iter().all(|&d| d < 0.0) {
                continue;
            }
            // Out of the ground (the host) into the rigid body: against the triangle's own outward normal.
            let normal = -lane(&b.n, l);
            if !sink.keeps(-normal, gradient) {
                continue;
            }
            work.clips += 1;
            polygon.clear();
            // Turned over with the normal.
            for k in [0, 2, 1] {
                polygon.push([x[k].x, x[k].y, x[k].z, depth[k] * stiffness, within[k], 0.0, 0.0, 0.0]);
            }
            if within.iter().any(|&d| d < 0.0) && !polygon.clip::<4>() {
                continue;
            }
            let plane = Plane { normal, guest_gradient: DVec3::zero(), host_gradient: gradient };
            sink.add(polygon.corners(), &plane, b.id[l], u32::MAX);
        }
    }
}

/// Search and cut in one.
#[inline(always)]
pub fn all_tets(
    mesh: &CompliantBody,
    ground: &Ground,
    stack: &mut Vec<[u32; 2]>,
    found: &mut Vec<[u32; 2]>,
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    blocks(&mesh.levels[0].tree, ground, ground.stiffness.is_none(), stack, found);
    work.blocks = found.len() as u32;
    tets(mesh, ground, found, sink, work);
}

/// Search and cut in one.
#[inline(always)]
pub fn all_triangles(
    mesh: &RigidSurface,
    ground: &Ground,
    stiffness: f64,
    stack: &mut Vec<[u32; 2]>,
    found: &mut Vec<[u32; 2]>,
    sink: &mut Sink<'_>,
    work: &mut Work,
) {
    blocks(&mesh.tree, ground, false, stack, found);
    work.blocks = found.len() as u32;
    triangles((&mesh.blocks, mesh.support.radius()), ground, stiffness, found, sink, work);
}
