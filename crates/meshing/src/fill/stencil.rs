//! What is left of a lattice tet inside the surface, as tets.
//!
//! Corners are inside, on the surface, or outside; an edge from inside to outside has a cut. Each case keeps at least one inside
//! corner in every tet it makes, so no tet of a filling has all its corners on the surface. Faces shared with the neighbour
//! are quadrilaterals cut along the diagonal from the corner that comes first in one order of all nodes: both sides
//! then agree, and no prism is left that cannot be cut.

/// Where a lattice node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inside,
    On,
    Outside,
}

/// Corners of the tets a stencil makes: lattice nodes, or cuts of the edge from the first node (inside) to the second (outside).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Corner {
    Node(u32),
    Cut(u32, u32),
}

/// Calls `f` with the tets inside. `tet` in positive order; `earlier(a, b)` is a total order of nodes. The tets come in either order: the
/// caller turns them. `across` chooses the diagonal of the four cuts when two corners are inside and two outside.
pub(super) fn inside(
    tet: [u32; 4],
    place: impl Fn(u32) -> Place,
    earlier: impl Fn(u32, u32) -> bool,
    across: impl Fn([Corner; 4]) -> bool,
    mut f: impl FnMut([Corner; 4]),
) {
    let mut sorted: [[u32; 4]; 3] = [[0; 4]; 3];
    let mut count = [0; 3];
    for v in tet {
        let p = place(v) as usize;
        sorted[p][count[p]] = v;
        count[p] += 1;
    }
    let [plus, on, minus] = &mut sorted;
    let plus = &mut plus[..count[0]];
    // Four at most: insertion, the earliest first.
    for i in 1..plus.len() {
        for k in (1..=i).rev() {
            if earlier(plus[k], plus[k - 1]) {
                plus.swap(k, k - 1);
            }
        }
    }
    let (node, cut) = (Corner::Node, Corner::Cut);
    match (count[0], count[2]) {
        (0, _) => {}
        (_, 0) => f(tet.map(node)),
        (1, _) => {
            let p = plus[0];
            let mut corners = [node(p); 4];
            let rest =
                on[..count[1]].iter().map(|&z| node(z)).chain(minus[..count[2]].iter().map(|&m| cut(p, m)));
            corners[1..].iter_mut().zip(rest).for_each(|(c, r)| *c = r);
            f(corners);
        }
        (2, 1) => {
            let ([p, q], z, m) = ([plus[0], plus[1]], on[0], minus[0]);
            f([node(p), node(q), cut(q, m), node(z)]);
            f([node(p), cut(q, m), cut(p, m), node(z)]);
        }
        (2, _) => {
            let ([p, q], [m, n]) = ([plus[0], plus[1]], [minus[0], minus[1]]);
            let (a, b, c, d) = (cut(p, m), cut(p, n), cut(q, n), cut(q, m));
            f([node(p), node(q), d, c]);
            // The four cuts in a ring seen from p: their diagonal is nobody else's.
            if across([a, b, c, d]) {
                f([node(p), a, b, c]);
                f([node(p), a, c, d]);
            } else {
                f([node(p), a, b, d]);
                f([node(p), b, c, d]);
            }
        }
        _ => {
            let ([p, q, r], m) = ([plus[0], plus[1], plus[2]], minus[0]);
            f([node(p), node(q), node(r), cut(r, m)]);
            f([node(p), node(q), cut(r, m), cut(q, m)]);
            f([node(p), cut(q, m), cut(r, m), cut(p, m)]);
        }
    }
}
