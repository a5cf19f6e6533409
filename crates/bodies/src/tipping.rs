//! How near a column of bodies on soft contacts is to falling over.
//!
//! A joint that turns by θ pushes back with K θ, K = Σ k x² about its middle, and the weight above takes the lever W h θ. The column tips by itself where
//! the largest λ of G θ = λ K θ is above 1, G the levers (W h of the body itself, and W H of what stands on it) and K the joints, in series. A
//! joint pushes back with W b at most, b its half-width. With all contacts at the rim, what it takes to push the column over is (1 − λ) of that of
//! stiff contacts. Where a part q of W b acts at once, by an offset or by friction that brakes, a column without dampers swings over: from
//! λ = (1 − q)² on with contacts at the rim, and from λ = 27/64 (1 − q)³ on where all of the joint carries. There the work against its tilting by θ is
//! less than that of stiff contacts by W 4/3 √(b d θ), d its rest depth, once a side has lifted off.

/// Rounds of the iteration.
const ROUNDS: usize = 100;
/// λ up to which half of what stiff contacts have is left against a push.
const HALF: f64 = 0.5;
/// λ from which on a column without dampers that stood level swings over, where all of a joint carries.
const ALL_OVER: f64 = 27.0 / 64.0;

/// A body of a column and the joint that it stands on, in a direction across the vertical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storey {
    /// Of this body (N).
    pub weight: f64,
    /// Its centre of mass above its joint (m).
    pub height: f64,
    /// The next joint above this one (m).
    pub tall: f64,
    /// The stiffness of its joint against tilting (N·m/rad).
    pub stiffness: f64,
    /// Its centre of mass from a point that is the same for all, in the direction (m).
    pub centre: f64,
    /// The middle of its joint from that point (m).
    pub middle: f64,
    /// How far its joint reaches from its middle, back and ahead (m).
    pub reach: [f64; 2],
    /// Its friction's coefficient, where what stands on this joint slides in the direction; 0 otherwise.
    pub braked: f64,
    /// Its contacts are at the rim of the joint; all over it otherwise.
    pub at_rim: bool,
}

/// What becomes of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tipping {
    /// λ.
    pub lever: f64,
    /// q: of the joint that has most of it; 1 where stiff contacts let it fall, too.
    pub part: f64,
    /// All joints carry at their rims.
    pub at_rims: bool,
}

impl Tipping {
    /// Must be below 1, and falls as the stiffness rises.
    #[must_use]
    pub fn number(&self) -> f64 {
        let left = 1.0 - self.part;
        let most = if self.at_rims { left * left } else { ALL_OVER * left * left * left };
        self.lever / most.min(HALF)
    }
}

/// Of the storeys of a column, the lowest first.
#[must_use]
pub fn tipping(column: &[Storey]) -> Tipping {
    let n = column.len();
    let mut above = vec![0.0; n + 1];
    (0..n).rev().for_each(|i| above[i] = above[i + 1] + column[i].weight);
    let lever: Vec<f64> =
        (0..n).map(|i| column[i].weight * column[i].height + above[i + 1] * column[i].tall).collect();
    let mut part = 0.0f64;
    for (i, joint) in column.iter().enumerate() {
        let aside = |s: &Storey| s.weight * (s.centre - joint.middle);
        let offset: f64 = column[i..].iter().map(aside).sum();
        // What slides on the lowest joint that slides is braked as a whole.
        let brakes = column[..=i].iter().map(|s| s.braked).find(|b| *b > 0.0).unwrap_or(0.0);
        let moment = offset + brakes * lever[i..].iter().sum::<f64>();
        let reach = joint.reach[usize::from(moment > 0.0)];
        part = part.max(moment.abs() / (above[i] * reach));
    }
    Tipping { lever: softest(column, &lever), part: part.min(1.0), at_rims: column.iter().all(|s| s.at_rim) }
}

/// The largest λ, by power iteration: K⁻¹ G has no negative entries.
fn softest(column: &[Storey], lever: &[f64]) -> f64 {
    if column.iter().any(|s| s.stiffness <= 0.0) {
        return f64::INFINITY;
    }
    let n = column.len();
    let mut tilt = vec![1.0; n];
    let mut most = 0.0;
    for _ in 0..ROUNDS {
        // Each joint bears what acts above it, and each body leans with what is below.
        let mut moment = vec![0.0; n + 1];
        (0..n).rev().for_each(|i| moment[i] = moment[i + 1] + lever[i] * tilt[i]);
        let mut lean = 0.0;
        let next: Vec<f64> = (0..n)
            .map(|i| {
                lean += moment[i] / column[i].stiffness;
                lean
            })
            .collect();
        most = next[n - 1] / tilt[n - 1];
        let scale = next[n - 1];
        tilt = next.iter().map(|v| v / scale).collect();
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storey() -> Storey {
        Storey {
            weight: 196.2,
            height: 0.25,
            tall: 0.5,
            stiffness: 244.0,
            centre: 0.0,
            middle: 0.0,
            reach: [0.25; 2],
            braked: 0.0,
            at_rim: true,
        }
    }

    #[test]
    fn one_body_tips_where_its_lever_is_more_than_its_joint() {
        let one = tipping(&[storey()]);
        assert!((one.lever - 196.2 * 0.25 / 244.0).abs() < 1e-12 && one.part == 0.0, "{one:?}");
        let aside = tipping(&[Storey { centre: -0.1, reach: [0.2, 0.25], ..storey() }]);
        assert!((aside.part - 0.5).abs() < 1e-12);
        // μ h/b.
        let braked = tipping(&[Storey { braked: 0.6, ..storey() }]);
        assert!((braked.part - 0.6).abs() < 1e-12);
        assert_eq!(tipping(&[Storey { stiffness: 0.0, ..storey() }]).lever, f64::INFINITY);
    }

    /// det(K − G/λ) = 0 of two: (2K − 3L/λ)(K − L/λ) = K², L = W h.
    #[test]
    fn two_bodies_lean_on_each_other() {
        let (k, l) = (244.0f64, 196.2 * 0.25);
        let two = tipping(&[storey(), storey()]).lever;
        let (d1, d2) = (2.0 * k - 3.0 * l / two, k - l / two);
        assert!((d1 * d2 - k * k).abs() < 1e-6 * k * k && d1 > 0.0 && d2 > 0.0, "{two}");
    }
}
