//! The kernel of [`crate::cluster_pair`] for sixteen boxes at a time, with AVX-512.
//!
//! Takes what that one takes and gives the same pairs in the same order; it is the twin. There most of the time went not into
//! comparing but into what was found: each pair a turn of a loop with loads that depend on it. Here the features of a group that
//! are near a box are squeezed together and written with their partner by a few instructions, however many there are, without a branch.
//! Measured: a step of forty dragons (`large/dragons-cpf`) takes an eighth less, the kernel less than half.

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
    #[must_use]
    pub fn of(clusters: &'a Clusters, boxes: &'a [BoxGroup], cluster: usize) -> Self {
        let of = |r: Range<usize>| Side { boxes: &boxes[r.clone()], names: &clusters.names()[r] };
        let [faces, vertices, edges] = clusters.groups(cluster);
        Self { faces: of(faces), vertices: of(vertices), edges: of(edges) }
    }
}

/// How the two numbers of a pair are written: the row's first,
pub(crate) const ROW_FIRST: u8 = 0;
/// the column's first,
pub(crate) const COLUMN_FIRST: u8 = 1;
/// the lower first.
pub(crate) const SORTED: u8 = 2;

/// That the processor has what the functions here are compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide(());

impl Wide {
    /// Exists only where that is so.
    #[must_use]
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
    use super::{COLUMN_FIRST, ROW_FIRST, Side, Sides};
    use crate::cluster_pair::Found;
    use crate::clusters::CLUSTER;
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

    /// Largest gap on any axis, as in [`crate::lane_block`], between boxes side by side, given by their rows, and one box, its numbers spread
    /// over all lanes. A macro: what is a closure here is not always inlined, and hands its vectors over through memory.
    macro_rules! gap {
        ($a:ident, $b:ident) => {{
            let x = _mm512_max_ps(_mm512_add_ps($a.0, $b.3), _mm512_add_ps($a.3, $b.0));
            let y = _mm512_max_ps(_mm512_add_ps($a.1, $b.4), _mm512_add_ps($a.4, $b.1));
            let z = _mm512_max_ps(_mm512_add_ps($a.2, $b.5), _mm512_add_ps($a.5, $b.2));
            _mm512_max_ps(_mm512_max_ps(x, y), z)
        }};
    }

    /// Six rows: lower corners, upper ones negated.
    type Rows = (__m512, __m512, __m512, __m512, __m512, __m512);

    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    fn rows_of(g: &BoxGroup) -> Rows {
        let (l, h) = (&g.lo, &g.minus_hi);
        (load(&l[0]), load(&l[1]), load(&l[2]), load(&h[0]), load(&h[1]), load(&h[2]))
    }

    /// Which boxes of each side share a point with `b`, by the rounded ones. A NaN does.
    #[target_feature(enable = "avx512f,popcnt")]
    #[must_use]
    pub fn near(sides: &Sides<'_>, b: &LaneBox) -> [u64; 3] {
        let (l, h) = (b.lo, b.minus_hi);
        let b = (
            _mm512_set1_ps(l.x),
            _mm512_set1_ps(l.y),
            _mm512_set1_ps(l.z),
            _mm512_set1_ps(h.x),
            _mm512_set1_ps(h.y),
            _mm512_set1_ps(h.z),
        );
        let mut out = [0; 3];
        for (out, side) in out.iter_mut().zip([sides.faces, sides.vertices, sides.edges]) {
            for (k, group) in side.boxes.iter().enumerate() {
                let a = rows_of(group);
                let maybe = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(gap!(a, b), _mm512_setzero_ps());
                *out |= u64::from(maybe) << (WIDE * k);
            }
        }
        out
    }

    /// For each row, in the order of its bits: the columns that it meets, and those of them that the exact boxes must be asked for.
    type Masks = [[u64; 2]; 3 * CLUSTER];

    /// Fills the masks; nothing is called in the loop, so that sixteen columns stay in registers while all rows go by.
    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    fn compare<const SELF: bool, const AMONG: bool, const R: usize, const C: usize>(
        (rows, in_rows): (Side<'_>, u64),
        (cols, in_cols): (Side<'_>, u64),
        masks: &mut Masks,
    ) {
        let (zero, sure) = (_mm512_setzero_ps(), _mm512_set1_ps(-SURE));
        for (k, (boxes, names)) in cols.boxes.iter().zip(cols.names).enumerate() {
            let shift = WIDE * k;
            if (in_cols >> shift) as u16 == 0 {
                continue;
            }
            let boxes = rows_of(boxes);
            let [a, b, c] = &names.ranks;
            let ranks = (load_names(a), load_names(b), load_names(c));
            let mut left = in_rows;
            for mask in masks.iter_mut() {
                if left == 0 {
                    break;
                }
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let (group, names, lane) = (&rows.boxes[i / WIDE], &rows.names[i / WIDE], i % WIDE);
                let (l, h) = (&group.lo, &group.minus_hi);
                let row = (
                    _mm512_set1_ps(l[0][lane]),
                    _mm512_set1_ps(l[1][lane]),
                    _mm512_set1_ps(l[2][lane]),
                    _mm512_set1_ps(h[0][lane]),
                    _mm512_set1_ps(h[1][lane]),
                    _mm512_set1_ps(h[2][lane]),
                );
                let gap = gap!(boxes, row);
                let maybe = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(gap, zero);
                let surely = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(gap, sure);
                let allowed = if AMONG { left } else { in_cols };
                let mut meets = maybe & (allowed >> shift) as u16;
                if SELF {
                    for ranks_of_row in &names.ranks[..R] {
                        let own = _mm512_set1_epi32(ranks_of_row[lane] as i32);
                        meets &= !_mm512_cmpeq_epi32_mask(ranks.0, own);
                        if C > 1 {
                            meets &= !_mm512_cmpeq_epi32_mask(ranks.1, own);
                        }
                        if C > 2 {
                            meets &= !_mm512_cmpeq_epi32_mask(ranks.2, own);
                        }
                    }
                }
                mask[0] |= u64::from(meets) << shift;
                mask[1] |= u64::from(meets & !surely) << shift;
            }
        }
    }

    #[target_feature(enable = "avx512f,popcnt")]
    #[allow(unsafe_code)]
    pub fn meet<const SELF: bool, const AMONG: bool, const R: usize, const C: usize, const ORDER: u8>(
        (rows, in_rows): (Side<'_>, u64),
        (cols, in_cols): (Side<'_>, u64),
        exact: impl Fn(usize, usize) -> bool,
        found: &mut Found,
    ) {
        if in_rows == 0 || in_cols == 0 {
            return;
        }
        let mut masks = [[0; 2]; 3 * CLUSTER];
        compare::<SELF, AMONG, R, C>((rows, in_rows), (cols, in_cols), &mut masks);
        // Where the lanes of two vectors go that are written as pairs.
        let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        let mut left = in_rows;
        for [meets, unsure] in &mut masks {
            if left == 0 {
                break;
            }
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            while *unsure != 0 {
                let j = unsure.trailing_zeros() as usize;
                *unsure &= *unsure - 1;
                if !exact(i, j) {
                    *meets &= !(1 << j);
                }
            }
            let id = _mm512_set1_epi32(rows.names[i / WIDE].id[i % WIDE] as i32);
            for (k, names) in cols.names.iter().enumerate() {
                let m = (*meets >> (WIDE * k)) as u16;
                // Whether the first group has any is as good as random; the others seldom do.
                if k > 0 && m == 0 {
                    continue;
                }
                let others = _mm512_maskz_compress_epi32(m, load_names(&names.id));
                let (a, b) = match ORDER {
                    ROW_FIRST => (id, others),
                    COLUMN_FIRST => (others, id),
                    _ => (_mm512_min_epu32(id, others), _mm512_max_epu32(id, others)),
                };
                // The room behind the last pair takes what is not one.
                let Some(to) = found.pairs[found.count..].first_chunk_mut::<WIDE>() else {
                    unreachable!("there is room for all pairs of two clusters and a group more")
                };
                let to: *mut __m512i = to.as_mut_ptr().cast();
                // SAFETY: sixteen pairs of u32, two vectors, lie behind the reference; any bits are a u32.
                // Measured: what the head of the file says.
                unsafe {
                    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(a, first, b));
                    _mm512_storeu_si512(to.add(1), _mm512_permutex2var_epi32(a, second, b));
                }
                found.count += m.count_ones() as usize;
            }
        }
    }
}

/// Which faces, vertices and edges have boxes that share a point with `b`, by the rounded ones.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn near(_with: Wide, sides: &Sides<'_>, b: &LaneBox) -> [u64; 3] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a `Wide` exists only where the processor has the features that the function is compiled for.
    return unsafe { x86::near(sides, b) };
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (sides, b);
        [0; 3]
    }
}

/// Finds all pairs of a feature of `rows` and one of `cols`, of those in the masks, whose boxes share a point; `AMONG` one side, with itself
/// twice, the later one second. With `SELF` those with a common vertex are left out; a feature of `rows` has `R` vertices, one of `cols` `C`.
/// `exact(i, j)` has the last word on those that the rounded boxes cannot tell.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn meet<const SELF: bool, const AMONG: bool, const R: usize, const C: usize, const ORDER: u8>(
    _with: Wide,
    rows: (Side<'_>, u64),
    cols: (Side<'_>, u64),
    exact: impl Fn(usize, usize) -> bool,
    found: &mut Found,
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as for [`near`].
    unsafe {
        x86::meet::<SELF, AMONG, R, C, ORDER>(rows, cols, exact, found);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, cols, exact, found);
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
