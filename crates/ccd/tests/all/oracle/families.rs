//! Random pairs, most of them degenerate on purpose: a sequence of numbers in, eight points out.

use impinge_ccd::Kind;
use impinge_geometry::DVec3;

/// Splitmix64.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number in `0..n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// A whole number in `−n..=n`.
    pub fn around(&mut self, n: i64) -> f64 {
        (self.below(2 * n as u64 + 1) as i64 - n) as f64
    }

    /// In [−1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn grid(&mut self, n: i64) -> DVec3 {
        let (x, y) = (self.around(n), self.around(n));
        DVec3::new(x, y, self.around(n))
    }

    fn vector(&mut self) -> DVec3 {
        let (x, y) = (self.unit(), self.unit());
        DVec3::new(x, y, self.unit())
    }
}

/// A pair in motion.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub kind: Kind,
    pub x0: [DVec3; 4],
    pub x1: [DVec3; 4],
}

impl Query {
    fn new(kind: Kind, mut point: impl FnMut() -> DVec3) -> Self {
        Self { kind, x0: std::array::from_fn(|_| point()), x1: std::array::from_fn(|_| point()) }
    }

    fn map(mut self, mut f: impl FnMut(DVec3) -> DVec3) -> Self {
        self.x0.iter_mut().chain(&mut self.x1).for_each(|p| *p = f(*p));
        self
    }

    /// Positions at time `t` and velocities, all small dyadic numbers, so that the ends of the step are exact.
    fn through(kind: Kind, t: f64, at: [DVec3; 4], v: [DVec3; 4]) -> Self {
        Self {
            kind,
            x0: std::array::from_fn(|i| at[i] - v[i] * t),
            x1: std::array::from_fn(|i| at[i] + v[i] * (1.0 - t)),
        }
    }
}

/// A way of making queries.
#[derive(Clone, Copy)]
pub struct Family {
    pub name: &'static str,
    pub make: fn(&mut Numbers, Kind) -> Query,
}

pub const FAMILIES: &[Family] = &[
    Family { name: "grid", make: grid },
    Family { name: "grid-tenth", make: |r, k| grid(r, k).map(|p| p * 0.1) },
    Family { name: "grid-far", make: grid_far },
    Family { name: "grid-4e-16", make: |r, k| shaken(r, k, 4e-16) },
    Family { name: "grid-1e-9", make: |r, k| shaken(r, k, 1e-9) },
    Family { name: "corner", make: |r, k| touching(r, k, Meet::Corner) },
    Family { name: "edge", make: |r, k| touching(r, k, Meet::Edge) },
    Family { name: "inner", make: |r, k| touching(r, k, Meet::Inner) },
    Family { name: "tangent", make: tangent },
    Family { name: "plane", make: plane },
    Family { name: "parallel", make: parallel },
    Family { name: "collapsed", make: collapsed },
    Family { name: "static", make: still },
    Family { name: "ulp", make: ulp },
    Family { name: "scaled", make: scaled },
    Family { name: "wide", make: wide },
    Family { name: "extreme", make: extreme },
    Family { name: "cloth", make: cloth },
    Family { name: "random", make: |r, k| Query::new(k, || r.vector()) },
];

/// Small whole numbers; a zero may be negative.
fn grid(r: &mut Numbers, kind: Kind) -> Query {
    let n = r.pick(&[1, 2, 2, 3, 3, 5, 9]);
    let q = Query::new(kind, || r.grid(n));
    if r.below(8) == 0 { q.map(|p| if p.x == 0.0 { DVec3::new(-0.0, p.y, p.z) } else { p }) } else { q }
}

fn grid_far(r: &mut Numbers, kind: Kind) -> Query {
    let scale = r.pick(&[1.0, 0.1, 1.0 / 3.0]);
    grid(r, kind).map(|p| p * scale + DVec3::broadcast(1000.1))
}

fn shaken(r: &mut Numbers, kind: Kind, by: f64) -> Query {
    let q = grid(r, kind);
    let often = r.pick(&[2, 4, 12]);
    q.map(|p| {
        let mut one = || if r.below(often) == 0 { r.around(1) * by } else { 0.0 };
        let (x, y) = (one(), one());
        p + DVec3::new(x, y, one())
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Meet {
    Corner,
    Edge,
    Inner,
}

/// Signed weights of a meeting point, dyadic, of the kind's two features.
fn weights(r: &mut Numbers, kind: Kind, meet: Meet) -> [f64; 4] {
    let part = r.pick(&[0.25, 0.5, 0.75]);
    match (kind, meet) {
        (Kind::VertexFace, Meet::Corner) => r.pick(&[[1.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, -1.0]]),
        (Kind::VertexFace, Meet::Edge) => {
            r.pick(&[[1.0, -part, part - 1.0, 0.0], [1.0, -part, 0.0, part - 1.0]])
        }
        (Kind::VertexFace, Meet::Inner) => r.pick(&[[1.0, -0.25, -0.25, -0.5], [1.0, -0.5, -0.125, -0.375]]),
        (Kind::EdgeEdge, Meet::Corner) => r.pick(&[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, -1.0, 0.0]]),
        (Kind::EdgeEdge, Meet::Edge) => {
            r.pick(&[[1.0, 0.0, -part, part - 1.0], [1.0 - part, part, 0.0, -1.0]])
        }
        (Kind::EdgeEdge, Meet::Inner) => [1.0 - part, part, -0.5, -0.5],
    }
}

/// Sets the component(s) of one vector so that `Σ wᵢ vᵢ` vanishes, which stays dyadic.
fn balance(w: [f64; 4], v: &mut [DVec3; 4], components: impl Iterator<Item = usize>) {
    // A power of two among the weights: dividing by it is exact.
    let by = (0..4).find(|&i| matches!(w[i].abs(), 1.0 | 0.5 | 0.25)).expect("every list of weights has one");
    for k in components {
        let rest: f64 = (0..4).filter(|&i| i != by).map(|i| w[i] * v[i][k]).sum();
        v[by][k] = -rest / w[by];
    }
}

/// A time at which the features meet, from the whole step, its ends and around it.
fn instant(r: &mut Numbers) -> f64 {
    r.pick(&[0.0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.625, 0.75, 0.875, 1.0, 1.0, -0.125, 1.125])
}

/// The features meet exactly at a dyadic time, in a corner, on an edge, or inside.
fn touching(r: &mut Numbers, kind: Kind, meet: Meet) -> Query {
    let mut at = std::array::from_fn(|_| r.grid(3));
    let v = std::array::from_fn(|_| r.grid(3));
    let w = weights(r, kind, meet);
    balance(w, &mut at, 0..3);
    Query::through(kind, instant(r), at, v)
}

/// As [`touching`], with the meeting points moving at one speed out of the common plane: a double root. Sometimes
/// nudged into two roots or none.
fn tangent(r: &mut Numbers, kind: Kind) -> Query {
    let meet = r.pick(&[Meet::Corner, Meet::Edge, Meet::Inner, Meet::Inner]);
    let w = weights(r, kind, meet);
    let mut at: [DVec3; 4] = std::array::from_fn(|_| r.grid(3));
    at.iter_mut().for_each(|p| p.z = 0.0);
    balance(w, &mut at, 0..2);
    let mut v: [DVec3; 4] = std::array::from_fn(|_| r.grid(3));
    balance(w, &mut v, 2..3);
    let nudge = r.pick(&[0.0, 0.0, 0.0, 1e-16, -1e-16, 1e-9, -1e-9]);
    at[0].z += nudge;
    let q = Query::through(kind, instant(r), at, v);
    lean(r, q)
}

/// A shear and a change of axes with whole numbers.
fn lean(r: &mut Numbers, q: Query) -> Query {
    let (a, b, c) = (r.around(2), r.around(2), r.below(3));
    q.map(|p| {
        let z = p.z + a * p.x + b * p.y;
        match c {
            0 => DVec3::new(p.x, p.y, z),
            1 => DVec3::new(z, p.x, p.y),
            _ => DVec3::new(p.y, z, p.x),
        }
    })
}

/// All four points in one plane all the time, or one of them off it by little at one end.
fn plane(r: &mut Numbers, kind: Kind) -> Query {
    let n = r.pick(&[1, 2, 4, 9]);
    let scale = r.pick(&[1.0, 1.0, 0.5]);
    let q = Query::new(kind, || r.grid(n) * scale).map(|p| DVec3::new(p.x, p.y, 0.0));
    let mut q = lean(r, q);
    if r.below(4) == 0 {
        q.x1[0].z += r.pick(&[1e-12, -1e-12, 1.0]);
    }
    q
}

/// Edges parallel throughout or at one instant; triangles without area.
fn parallel(r: &mut Numbers, kind: Kind) -> Query {
    let mut q = grid(r, kind);
    let mut multiple = || r.pick(&[-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]);
    let (k0, k1) = (multiple(), multiple());
    let along = |x: &mut [DVec3; 4], k: f64| match kind {
        Kind::EdgeEdge => x[3] = x[2] + (x[1] - x[0]) * k,
        Kind::VertexFace => x[3] = x[1] + (x[2] - x[1]) * k,
    };
    match r.below(4) {
        // At both ends, so that the cross product of the directions is a multiple of t (1 − t).
        0 => {
            along(&mut q.x0, k0);
            along(&mut q.x1, k1);
        }
        1 => along(&mut q.x0, k0),
        // For all time: both edges keep their directions.
        2 => {
            along(&mut q.x0, k0);
            q.x1 = q.x0;
            let (u, w) = (r.grid(2), r.grid(2));
            match kind {
                Kind::EdgeEdge => {
                    [(0, u), (1, u), (2, w), (3, w)].into_iter().for_each(|(i, v)| q.x1[i] += v)
                }
                Kind::VertexFace => q.x1[0] += u,
            }
        }
        // At a time in between.
        _ => {
            let mut at = q.x0;
            along(&mut at, k0);
            let v = std::array::from_fn(|_| r.grid(2));
            q = Query::through(kind, r.pick(&[0.25, 0.5, 0.75]), at, v);
        }
    }
    q
}

/// Features without extent, for all time or at one instant.
fn collapsed(r: &mut Numbers, kind: Kind) -> Query {
    let mut q = touching(r, kind, Meet::Corner);
    let pairs: &[[usize; 2]] = match kind {
        Kind::VertexFace => &[[1, 2], [2, 3], [1, 3]],
        Kind::EdgeEdge => &[[0, 1], [2, 3]],
    };
    for _ in 0..r.pick(&[1, 1, 2]) {
        let [i, j] = r.pick(pairs);
        let ends = r.below(4);
        if ends != 1 {
            q.x0[j] = q.x0[i];
        }
        if ends != 2 {
            q.x1[j] = q.x1[i];
        }
    }
    q
}

/// Nothing moves, or all of it together.
fn still(r: &mut Numbers, kind: Kind) -> Query {
    let meet = r.pick(&[Meet::Corner, Meet::Edge, Meet::Inner]);
    let mut q = if r.below(2) == 0 { touching(r, kind, meet) } else { grid(r, kind) };
    let by = r.pick(&[0.0, 0.0, 1.0]);
    let v = r.grid(3) * by;
    q.x1 = q.x0.map(|p| p + v);
    if r.below(4) == 0 {
        let shift = r.vector();
        q = q.map(|p| p * 0.1 + shift);
    }
    q
}

/// A contact in doubles with all their digits, and each coordinate off by up to an ulp.
fn ulp(r: &mut Numbers, kind: Kind) -> Query {
    let meet = r.pick(&[Meet::Corner, Meet::Edge, Meet::Inner]);
    let w = weights(r, kind, meet);
    let mut at: [DVec3; 4] = std::array::from_fn(|_| r.vector());
    balance(w, &mut at, 0..3);
    let mut v: [DVec3; 4] = std::array::from_fn(|_| r.vector());
    if r.below(2) == 0 {
        balance(w, &mut v, 0..3);
    }
    let shift = r.vector() * r.pick(&[0.0, 1.0, 1000.0]);
    let often = r.pick(&[1, 3, 10]);
    let q = Query::through(kind, instant(r), at, v).map(|p| p + shift);
    q.map(|p| {
        let mut one = |x: f64| match r.below(3 * often) {
            0 => x.next_up(),
            1 => x.next_down(),
            _ => x,
        };
        let (x, y) = (one(p.x), one(p.y));
        DVec3::new(x, y, one(p.z))
    })
}

/// Any of the small families at another scale.
fn scaled(r: &mut Numbers, kind: Kind) -> Query {
    let from = r.below(13) as usize;
    let q = (FAMILIES[from].make)(r, kind);
    let scale = 2f64.powi(r.around(20) as i32);
    q.map(|p| p * scale)
}

/// Exponents from 1e−150 to 1e150 in one pair: one scale per axis, per point, or per coordinate.
fn wide(r: &mut Numbers, kind: Kind) -> Query {
    // The oracle's time grows with the square of the spread.
    let far = r.pick(&[20, 20, 20, 40, 40, 40, 200, 498]);
    let q = match r.below(3) {
        0 => touching(r, kind, Meet::Edge),
        1 => plane(r, kind),
        _ => grid(r, kind),
    };
    let power = |r: &mut Numbers| 2f64.powi(r.around(far) as i32);
    match r.below(3) {
        0 => {
            let scale = DVec3::new(power(r), power(r), power(r));
            q.map(|p| p * scale)
        }
        1 => {
            let scale: [f64; 4] = std::array::from_fn(|_| power(r));
            let times = |x: [DVec3; 4]| std::array::from_fn(|i| x[i] * scale[i]);
            Query { kind, x0: times(q.x0), x1: times(q.x1) }
        }
        _ => q.map(|p| p * DVec3::new(power(r), power(r), power(r))),
    }
}

/// The ends of the range of numbers: subnormal coordinates, and differences that overflow.
fn extreme(r: &mut Numbers, kind: Kind) -> Query {
    let from = r.pick(&[0, 5, 6, 7, 8, 9, 10, 11]);
    let q = (FAMILIES[from].make)(r, kind);
    match r.below(4) {
        0 => q.map(|p| p * 5e-324),
        1 => q.map(|p| p * f64::MIN_POSITIVE),
        2 => q.map(|p| p * 2f64.powi(1016)),
        _ => q.map(|p| p * 2f64.powi(-360)),
    }
}

/// As candidates of a moving cloth: features of one size in a box of a few sizes, steps of about that size.
fn cloth(r: &mut Numbers, kind: Kind) -> Query {
    let step = r.pick(&[0.1, 0.5, 1.0]);
    let (away, speed) = (r.vector() * 1.2, r.vector() * 2.0);
    let near = match kind {
        Kind::VertexFace => [0, 1, 1, 1],
        Kind::EdgeEdge => [0, 0, 1, 1],
    };
    let x0: [DVec3; 4] = std::array::from_fn(|i| r.vector() * 0.7 + away * f64::from(near[i]));
    let common = r.vector() * 3.0;
    let x1 = std::array::from_fn(|i| {
        x0[i] + common + speed * (step * f64::from(near[i])) + r.vector() * 0.2 * step
    });
    Query { kind, x0, x1 }
}
