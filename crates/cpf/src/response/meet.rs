//! Contacts that meet in one place count once.
//!
//! Flat faces meet in an area, and its corners hold it. Where boxes of one size stand on each other, a corner of that area is a vertex of either
//! box on one or two triangles of the other, and two crossings of edges at their ends: up to seven contacts, of which rounding keeps some. A
//! spring for each made one corner up to seven times as stiff as the next, and the boxes leant: cards without friction slid off each other by
//! 10 mm in a second. So contacts of a pair of bodies that push one way share out one spring where they meet, by how near they are.
//! Shares come to one in all wherever the contacts run together or part, and change with the distance without a jump.

use impinge_ccd::Kind;
use impinge_contact::{PairLaw, Stiffness, SurfaceMap};
use impinge_geometry::{DVec3, triangle_area_vector};

/// Distance over which contacts grow apart, in sizes of their features. Far more than depths: as a box leans, its corners move aside by a part of that,
/// and over a band as short as the depth (1e-4) the side where more meets pushed a lean on that the springs hold back.
const BAND: f64 = 1e-2;

/// Cosine of the angle between pushes from which they are two ways.
const ONE_WAY: f64 = 0.98;

/// Of a sum of shares.
const ROUNDED: f64 = 1e-12;

/// A contact of a pair of bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meets {
    /// Midway between its points on the two bodies (m): what meets is deep in either by its own measure, and neither body comes first.
    pub place: DVec3,
    /// Which way it pushes the body with the lower slot, unit.
    pub push: DVec3,
    /// Part of its force that acts.
    pub share: f64,
    /// Length of its features (m).
    pub size: f64,
}

impl Meets {
    /// A contact of two features with vertices at `x` (m), pushed along `normal` (to the free side of the first).
    pub fn new(
        kind: Kind,
        map: &SurfaceMap,
        x: &[DVec3],
        (stencil, weight, normal): ([u32; 4], [f64; 4], DVec3),
        share: f64,
    ) -> Self {
        let p = stencil.map(|v| x[v as usize]);
        let turned = map.body_of(stencil[0]) > map.body_of(stencil[3]);
        let (first, size) = match kind {
            Kind::VertexFace => (1, (2.0 * triangle_area_vector([p[1], p[2], p[3]]).mag()).sqrt()),
            Kind::EdgeEdge => (2, (p[1] - p[0]).mag().min((p[3] - p[2]).mag())),
        };
        // A contact may be a little way off its features: weights of either sign, which come to 1 on the first and to -1 on the second.
        let on = |of: std::ops::Range<usize>| of.fold(DVec3::zero(), |q, i| q + p[i] * weight[i]);
        let place = (on(0..first) - on(first..4)) * 0.5;
        let push = if turned { -normal } else { normal };
        Self { place, push, share, size }
    }
}

/// Contacts of a pair with this law share out a spring where they meet: with a stiffness per area each has that of its own area.
pub(crate) fn is_shared(law: &PairLaw) -> bool {
    matches!(law.stiffness, Stiffness::PerContact(_))
}

/// Finds the parts; kept from step to step for its memory alone.
#[derive(Default)]
pub(crate) struct Meeting {
    order: Vec<u32>,
    sums: Vec<f64>,
}

impl Meeting {
    /// The part of each contact of one pair of bodies that acts, 1 where it is alone.
    pub fn parts(&mut self, all: &[Meets]) -> &[f64] {
        self.sums.clear();
        self.sums.extend(all.iter().map(|m| m.share));
        self.order.clear();
        self.order.extend(0..all.len() as u32);
        let along = |i: u32| all[i as usize].place.x;
        self.order.sort_unstable_by(|&i, &j| along(i).total_cmp(&along(j)).then(i.cmp(&j)));
        let widest = BAND * all.iter().fold(0.0f64, |s, m| s.max(m.size));
        for (at, &i) in self.order.iter().enumerate() {
            let near = self.order[at + 1..].iter().take_while(|&&j| along(j) - along(i) < widest);
            for &j in near {
                let (i, j) = (i as usize, j as usize);
                let nearness = nearness(&all[i], &all[j]);
                self.sums[i] += all[j].share * nearness;
                self.sums[j] += all[i].share * nearness;
            }
        }
        // Shares that come to one in all may do so to rounding.
        self.sums.iter_mut().for_each(|s| *s = if *s > 1.0 + ROUNDED { 1.0 / *s } else { 1.0 });
        &self.sums
    }
}

/// 1 for contacts in one place that push one way, 0 for two.
fn nearness(a: &Meets, b: &Meets) -> f64 {
    let band = BAND * a.size.min(b.size);
    let apart = (a.place - b.place).mag() / band.max(f64::MIN_POSITIVE);
    let turned = (1.0 - a.push.dot(b.push)) / (1.0 - ONE_WAY);
    // Level where they meet: rounding of the place changes nothing.
    (1.0 - apart * apart).max(0.0).powi(2) * (1.0 - turned.max(0.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::Attachment;
    use proptest::prelude::*;

    fn at(x: f64, y: f64, share: f64) -> Meets {
        Meets { place: DVec3::new(x, y, 0.3), push: DVec3::unit_z(), share, size: 0.1 }
    }

    #[test]
    fn what_meets_has_one_spring_in_all_and_what_is_apart_one_each() {
        let mut meeting = Meeting::default();
        let all = [at(0.0, 0.0, 1.0), at(0.1, 0.0, 1.0), at(0.0, 0.0, 1.0), at(0.0, 1e-18, 1.0)];
        let third = 1.0 / 3.0;
        assert_eq!(meeting.parts(&all), [third, 1.0, third, third]);
        // Across the walls of a corner there are two ways.
        let wall = Meets { push: DVec3::unit_x(), ..at(0.0, 0.0, 1.0) };
        assert_eq!(meeting.parts(&[at(0.0, 0.0, 1.0), wall]), [1.0, 1.0]);
        // A handover: the shares are one contact already.
        assert_eq!(meeting.parts(&[at(0.0, 0.0, 0.3), at(0.0, 0.0, 0.7)]), [1.0, 1.0]);
    }

    /// A vertex a little way off its triangle, by a weight of the other sign.
    #[test]
    fn a_place_moves_with_its_features_whichever_body_is_first() {
        let weight = [1.0, 0.2, -0.5, -0.7];
        let x = [
            DVec3::new(0.1, 0.3, -0.01),
            DVec3::zero(),
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.0, 1.0, 0.0),
        ];
        let place = |by: DVec3, turned: bool| {
            let mut map = SurfaceMap::default();
            let sizes = if turned { [3, 1] } else { [1, 3] };
            sizes.iter().for_each(|&n| map.push_body(Attachment::Rigid, &vec![DVec3::zero(); n]));
            let mut x = x.map(|p| p + by);
            let stencil = if turned { [3, 0, 1, 2] } else { [0, 1, 2, 3] };
            if turned {
                x.rotate_left(1);
            }
            Meets::new(Kind::VertexFace, &map, &x, (stencil, weight, DVec3::unit_z()), 1.0)
        };
        let (here, turned) = (place(DVec3::zero(), false), place(DVec3::zero(), true));
        assert_eq!((here.place, here.push), (turned.place, -turned.push));
        let by = DVec3::new(100.0, -20.0, 3.0);
        assert!((place(by, false).place - here.place - by).mag() < 1e-12);
    }

    proptest! {
        /// Two contacts that part: what acts in all grows from one spring to two and never jumps.
        #[test]
        fn springs_part_without_a_jump(apart in 0.0..2e-3f64, step in 1e-12..1e-5f64) {
            let mut meeting = Meeting::default();
            let mut acts = |d: f64| meeting.parts(&[at(0.0, 0.0, 1.0), at(0.6 * d, 0.8 * d, 1.0)]).iter().sum::<f64>();
            let (before, after) = (acts(apart), acts(apart + step));
            prop_assert!((1.0..=2.0).contains(&before) && after >= before);
            prop_assert!(after - before <= 4.0 * step / (BAND * 0.1) + 1e-12);
        }

        /// Neither the order nor what is far off matters.
        #[test]
        fn parts_do_not_depend_on_the_order(
            places in prop::collection::vec((0..3i32, 0..3i32, 0.0..2e-3f64, 0.1..1.0f64), 2..20),
            turned in prop::bool::ANY,
        ) {
            let mut all: Vec<Meets> = places.iter().map(|&(i, j, d, s)| at(f64::from(i) + d, f64::from(j), s)).collect();
            let mut meeting = Meeting::default();
            let mut before = meeting.parts(&all).to_vec();
            if turned {
                all.reverse();
                before.reverse();
            }
            for (i, part) in before.iter().enumerate() {
                let sum: f64 = all.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, m)| m.share * nearness(&all[i], m)).sum();
                let sum = sum + all[i].share;
                prop_assert!((part - 1.0 / sum.max(1.0)).abs() < 1e-9);
            }
        }
    }
}
