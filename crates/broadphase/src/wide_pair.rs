//! The kernel of [`crate::cluster_pair`] for sixteen boxes at a time, with AVX-512.
//!
//! Takes what that one takes and gives the same pairs in the same order; it is the twin. There most of the time went not into
//! comparing but into what was found: each pair a turn of a loop with loads that depend on it. Here the features of a group that
//! are near a box are squeezed together and written with their partner by a few instructions, however many there are, without a branch.
//! Measured: see the README.

use crate::cluster_pair::Found;
use crate::clusters::Clusters;
use crate::lane_box::LaneBox;
use crate::lane_group::{BoxGroup, NameGroup};
use std::ops::Range;

/// One kind of features of one cluster.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub boxes: &'a [BoxGroup],
    pub names: &'a [NameGroup],
}

/// One cluster's features.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub faces: Side<'a>,
    pub vertices: Side<'a>,
    pub edges: Side<'a>,
}

impl<'a> Sides<'a> {
    /// From all groups of a surface.
    #[inline]
    pub fn of(clusters: &'a Clusters, boxes: &'a [BoxGroup], cluster: usize) -> Self {
        let of = |r: Range<usize>| Side { boxes: &boxes[r.clone()], names: &clusters.names()[r] };
        let [faces, vertices, edges] = clusters.groups(cluster);
        Self { faces: of(faces), vertices: of(vertices), edges: of(edges) }
    }
}

/// How the two numbers of a pair are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The row's first.
    Row,
    /// The column's first.
    Column,
    /// The lower first.
    Sorted,
}

/// That the processor has what the functions here are compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide(());

impl Wide {
    /// Exists only where that is so.
    pub fn new() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("popcnt") {
            return Some(Self(()));
        }
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Order, Side};
    use crate::cluster_pair::Found;
    use crate::lane_box::{LaneBox, SURE};
    use crate::lane_group::{BoxGroup, WIDE};
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    #[allow(unsafe_code)]
    fn load(row: &[f32; WIDE]) -> __m512 {
        // SAFETY: sixteen numbers lie behind the reference.
        unsafe { _mm512_loadu_ps(row.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    #[allow(unsafe_code)]
    fn load_names(row: &[u32; WIDE]) -> __m512i {
        // SAFETY: sixteen numbers lie behind the reference.
        unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
    }

    /// One box, its numbers spread over all lanes: lower corner, upper one negated.
    type Spread = [[__m512; 3]; 2];

    /// Largest gap on any axis, as in [`crate::lane_block`].
    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    fn gap(group: &BoxGroup, [lo, minus_hi]: &Spread) -> __m512 {
        let mut axes = [_mm512_setzero_ps(); 3];
        for c in 0..3 {
            let above = _mm512_add_ps(load(&group.lo[c]), minus_hi[c]);
            let below = _mm512_add_ps(load(&group.minus_hi[c]), lo[c]);
            axes[c] = _mm512_max_ps(above, below);
        }
        _mm512_max_ps(_mm512_max_ps(axes[0], axes[1]), axes[2])
    }

    /// Which boxes share a point with `b`, by the rounded ones. A NaN does.
    #[target_feature(enable = "avx512f,popcnt")]
    pub fn near(side: Side<'_>, b: &LaneBox) -> u64 {
        let spread = [b.lo, b.minus_hi].map(|v| [v.x, v.y, v.z].map(|v| _mm512_set1_ps(v)));
        let mut out = 0;
        for (k, group) in side.boxes.iter().enumerate() {
            let maybe = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(gap(group, &spread), _mm512_setzero_ps());
            out |= u64::from(maybe) << (WIDE * k);
        }
        out
    }

    #[target_feature(enable = "avx512f,popcnt")]
    #[allow(unsafe_code)]
    pub fn meet<const SELF: bool, const AMONG: bool, const R: usize, const C: usize>(
        (rows, mut in_rows): (Side<'_>, u64),
        (cols, in_cols): (Side<'_>, u64),
        order: Order,
        exact: impl Fn(usize, usize) -> bool,
        found: &mut Found,
    ) {
        let (zero, sure) = (_mm512_setzero_ps(), _mm512_set1_ps(-SURE));
        // Where the lanes of two vectors go that are written as pairs.
        let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        while in_rows != 0 {
            let i = in_rows.trailing_zeros() as usize;
            in_rows &= in_rows - 1;
            let (group, names, lane) = (&rows.boxes[i / WIDE], &rows.names[i / WIDE], i % WIDE);
            let spread = [&group.lo, &group.minus_hi].map(|v| [0, 1, 2].map(|c| _mm512_set1_ps(v[c][lane])));
            let id = _mm512_set1_epi32(names.id[lane] as i32);
            let mut own = [id; R];
            for (o, ranks) in own.iter_mut().zip(&names.ranks) {
                *o = _mm512_set1_epi32(ranks[lane] as i32);
            }
            let allowed = if AMONG { in_rows } else { in_cols };
            for (k, (group, names)) in cols.boxes.iter().zip(cols.names).enumerate() {
                let gap = gap(group, &spread);
                let maybe = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(gap, zero);
                let surely = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(gap, sure);
                let mut meets = maybe & (allowed >> (WIDE * k)) as u16;
                if SELF {
                    for ranks in &names.ranks[..C] {
                        let ranks = load_names(ranks);
                        for o in own {
                            meets &= !_mm512_cmpeq_epi32_mask(ranks, o);
                        }
                    }
                }
                let mut unsure = meets & !surely;
                while unsure != 0 {
                    let j = unsure.trailing_zeros() as usize;
                    unsure &= unsure - 1;
                    if !exact(i, k * WIDE + j) {
                        meets &= !(1 << j);
                    }
                }
                let others = _mm512_maskz_compress_epi32(meets, load_names(&names.id));
                let (a, b) = match order {
                    Order::Row => (id, others),
                    Order::Column => (others, id),
                    Order::Sorted => (_mm512_min_epu32(id, others), _mm512_max_epu32(id, others)),
                };
                let pairs = [_mm512_permutex2var_epi32(a, first, b), _mm512_permutex2var_epi32(a, second, b)];
                // The room behind the last pair takes what is not one.
                if let Some(to) = found.pairs.get_mut(found.count..).and_then(|p| p.first_chunk_mut::<WIDE>())
                {
                    // SAFETY: sixteen pairs of u32, two vectors, lie behind the reference; any bits are a u32. Measured: as said at the
                    // head of the file.
                    unsafe { to.as_mut_ptr().cast::<[__m512i; 2]>().write_unaligned(pairs) };
                    found.count += meets.count_ones() as usize;
                }
            }
        }
    }
}

/// Which features of a side have boxes that share a point with `b`, by the rounded ones.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn near(_with: Wide, side: Side<'_>, b: &LaneBox) -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a `Wide` exists only where the processor has the features that the function is compiled for.
    return unsafe { x86::near(side, b) };
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (side, b);
        0
    }
}

/// Finds all pairs of a feature of `rows`, of those in the mask, and one of `cols`, of those in the mask or, `AMONG` one side, of those in the
/// mask that come after it, whose boxes share a point. With `SELF` those with a common vertex are left out; `C` is how many vertices a
/// feature of `cols` has, `R` one of `rows`. `exact(i, j)` has the last word on those that the rounded boxes cannot tell.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn meet<const SELF: bool, const AMONG: bool, const R: usize, const C: usize>(
    _with: Wide,
    rows: (Side<'_>, u64),
    cols: (Side<'_>, u64),
    order: Order,
    exact: impl Fn(usize, usize) -> bool,
    found: &mut Found,
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as for [`near`].
    unsafe {
        x86::meet::<SELF, AMONG, R, C>(rows, cols, order, exact, found);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, cols, order, exact, found);
}

#[cfg(test)]
mod tests {
    use crate::{CandidateWorkspace, FeatureTree};
    use impinge_geometry::{DVec3, Topology, TriMesh, generators};
    use proptest::prelude::*;

    type Lists = Vec<[Vec<(u32, u32)>; 3]>;

    fn workspace(wide: bool) -> CandidateWorkspace {
        let mut ws = CandidateWorkspace::new();
        if !wide {
            (ws.packed.wide, ws.other.packed.wide) = (None, None);
        }
        ws
    }

    fn lists(wide: bool, first: &FeatureTree, second: Option<&FeatureTree>) -> Lists {
        let mut ws = workspace(wide);
        let own =
            |p: crate::Unordered<'_>| [p.vertex_face.to_vec(), p.face_vertex.to_vec(), p.edge_edge.to_vec()];
        match second {
            None => first.unordered_self_candidates(&mut ws).map(own).collect(),
            Some(second) => first.unordered_candidates(second, &mut ws).map(own).collect(),
        }
    }

    fn tree(mesh: &TriMesh, x: &[DVec3], inflation: f64) -> FeatureTree {
        let mut tree = FeatureTree::new(mesh.triangles(), &Topology::new(mesh), mesh.positions()).unwrap();
        tree.update(mesh.positions(), x, inflation).unwrap();
        tree
    }

    /// The same pairs in the same order as four at a time, on surfaces whose boxes touch exactly as well.
    fn check(mesh: &TriMesh, x: &[DVec3], inflation: f64, shift: DVec3) {
        let first = tree(mesh, x, inflation);
        let moved = mesh.mapped(|p| p + shift).unwrap();
        let second = tree(&moved, moved.positions(), inflation);
        assert_eq!(lists(true, &first, None), lists(false, &first, None));
        let cross = lists(true, &first, Some(&second));
        assert_eq!(cross, lists(false, &first, Some(&second)));
        assert_eq!(lists(true, &second, Some(&first)), lists(false, &second, Some(&first)));
        assert!(shift.mag() > 0.5 || cross.iter().any(|l| !l[0].is_empty() && !l[2].is_empty()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn pairs_and_their_order_are_those_of_the_narrow_kernel(
            kind in 0..3usize, way in prop::array::uniform3(-0.2..0.2f64), shift in prop::array::uniform3(-1i32..=1),
            inflation in prop::sample::select(vec![0.0, 1e-9, 0.05]),
        ) {
            let mesh = match kind {
                0 => generators::icosphere(0.5, 2).unwrap(),
                1 => generators::cuboid(DVec3::broadcast(1.0), [4, 4, 4]).unwrap(),
                // No two triangles share a vertex: as many features in a cluster as there can be.
                _ => {
                    let whole = generators::icosphere(0.5, 2).unwrap();
                    let corners = whole.triangles().iter().flatten().map(|&v| whole.positions()[v as usize]);
                    let faces = (0..whole.triangles().len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
                    TriMesh::new(corners.collect(), faces.collect()).unwrap()
                }
            };
            let way = DVec3::from(way);
            let x: Vec<DVec3> = mesh.positions().iter().map(|p| *p + way * p.z).collect();
            check(&mesh, &x, inflation, DVec3::new(0.25, 0.25, 0.25) * DVec3::from(shift.map(f64::from)));
        }
    }
}
