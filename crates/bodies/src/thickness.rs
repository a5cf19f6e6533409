//! Distances that surfaces keep.

/// Thickness of surfaces: by body, and for single pairs otherwise (m).
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(alias("margin", "rest offset", "contact offset"))]
pub struct Thickness {
    body: Vec<Option<f64>>,
    pair: std::collections::BTreeMap<(u32, u32), f64>,
}

impl Thickness {
    /// From the radius r of each body's surface (m).
    ///
    /// # Errors
    /// The first body whose radius is no finite number ≥ 0.
    pub fn new(body: Vec<f64>) -> Result<Self, String> {
        let mut out = Self::default();
        for (i, r) in body.into_iter().enumerate() {
            out.set_body(i as u32, r)?;
        }
        Ok(out)
    }

    /// Sets the radius of one body's surface.
    ///
    /// # Errors
    /// A radius that is no finite number ≥ 0.
    pub fn set_body(&mut self, i: u32, radius: f64) -> Result<(), String> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(format!("the thickness of body {i} is {radius}; give a finite length of at least 0"));
        }
        if self.body.len() <= i as usize {
            self.body.resize(i as usize + 1, None);
        }
        self.body[i as usize] = Some(radius);
        Ok(())
    }

    /// Sets the distance kept by one pair, whatever the bodies' own; of a body and itself between its own parts.
    ///
    /// # Errors
    /// A distance that is no finite number ≥ 0.
    pub fn set_pair(&mut self, a: u32, b: u32, distance: f64) -> Result<(), String> {
        if !(distance >= 0.0 && distance.is_finite()) {
            return Err(format!(
                "the thickness of pair {a}, {b} is {distance}; give a finite length of at least 0"
            ));
        }
        self.pair.insert((a.min(b), a.max(b)), distance);
        Ok(())
    }

    /// The distance that surfaces of `a` and `b` keep: the pair's own, or rₐ + r_b; bodies not listed have 0.
    #[must_use]
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.between_or(a, b, 0.0)
    }

    /// The same, where bodies not listed have `radius` (m).
    #[must_use]
    pub fn between_or(&self, a: u32, b: u32, radius: f64) -> f64 {
        let own = |i: u32| self.body.get(i as usize).copied().flatten().unwrap_or(radius);
        // Asked for every candidate: most worlds have no pairs of their own.
        let pair = if self.pair.is_empty() { None } else { self.pair.get(&(a.min(b), a.max(b))) };
        pair.copied().unwrap_or_else(|| own(a) + own(b))
    }

    /// The farthest that each of the first `bodies` bodies keeps from any other of them, where bodies not listed have `radius` (m). A
    /// pair's own distance only widens it: where it is less than rₐ + r_b it is a bound and no more. What a body keeps from itself is not
    /// in it.
    pub fn most_of_each(&self, bodies: usize, radius: f64, out: &mut Vec<f64>) {
        let own = |i: usize| self.body.get(i).copied().flatten().unwrap_or(radius);
        // The largest partner of all but one is the same.
        let (mut widest, mut second) = (0, None::<f64>);
        for i in 1..bodies {
            let (r, most) = (own(i), own(widest));
            if r > most {
                (widest, second) = (i, Some(most));
            } else {
                second = Some(second.map_or(r, |s| s.max(r)));
            }
        }
        out.clear();
        out.extend((0..bodies).map(|i| {
            let partner = if i == widest { second } else { Some(own(widest)) };
            partner.map_or(0.0, |p| own(i) + p)
        }));
        for (&(a, b), &d) in self.pair.iter().filter(|((a, b), _)| a != b) {
            for i in [a, b] {
                if let Some(most) = out.get_mut(i as usize).filter(|_| (b as usize) < bodies) {
                    *most = most.max(d);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_s_own_distance_goes_before_those_of_its_bodies() {
        let mut t = Thickness::new(vec![0.5, 0.25]).unwrap();
        t.set_pair(1, 0, 0.125).unwrap();
        assert_eq!((t.between(0, 1), t.between(1, 1), t.between(0, 7)), (0.125, 0.5, 0.5));
        assert!(Thickness::new(vec![0.0, -1.0]).unwrap_err().contains("body 1"));
        t.set_body(4, 1.0).unwrap();
        assert_eq!(
            (t.between_or(0, 4, 0.1), t.between_or(0, 3, 0.125), t.between_or(3, 9, 0.125)),
            (1.5, 0.625, 0.25)
        );
        assert_eq!(t.between_or(0, 1, 9.0), 0.125);
        t.set_pair(3, 3, 7.0).unwrap();
        assert_eq!(t.between(3, 3), 7.0);
        assert!(t.set_body(2, f64::NAN).unwrap_err().contains("body 2") && t.set_pair(0, 2, -1.0).is_err());
    }

    /// The bound of one body is that of its pairs alone: what two others keep, or what it keeps from itself, is not in it.
    #[test]
    fn the_farthest_that_a_body_keeps_is_that_of_its_own_pairs() {
        let mut t = Thickness::new(vec![0.5, 0.25, 0.125]).unwrap();
        let mut most = Vec::new();
        let mut of = |t: &Thickness, bodies: usize, radius: f64| {
            t.most_of_each(bodies, radius, &mut most);
            most.clone()
        };
        assert_eq!(of(&t, 3, 9.0), [0.75, 0.75, 0.625]);
        assert_eq!(of(&t, 4, 2.0), [2.5, 2.25, 2.125, 2.5]);
        t.set_pair(0, 0, 8.0).unwrap();
        t.set_pair(1, 0, 0.01).unwrap();
        t.set_pair(2, 1, 3.0).unwrap();
        t.set_pair(1, 7, 9.0).unwrap();
        assert_eq!(of(&t, 3, 9.0), [0.75, 3.0, 3.0]);
        assert_eq!(of(&t, 8, 0.0), [0.75, 9.0, 3.0, 0.5, 0.5, 0.5, 0.5, 9.0]);
        assert!(of(&t, 0, 1.0).is_empty() && of(&t, 1, 1.0) == [0.0]);
        // Brute force: no pair keeps more than the bound of either.
        let most = of(&t, 9, 0.3);
        for (a, b) in (0..9u32).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert!(t.between_or(a, b, 0.3) <= most[a as usize].min(most[b as usize]), "{a} {b}");
        }
    }
}
