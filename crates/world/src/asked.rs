//! How stiff a body asks to be met, and what it asks of others: how close its vertices are.

use crate::body::{BodyDesc, Motion};
use impinge_bodies::stability::{carrying, stiffest_rest};
use impinge_bodies::{COPLANAR, MeshShape, Shape, coplanar, ways_up};
use impinge_contact::PairLaw;
use impinge_geometry::{DMat3, DVec3, area, tangents, triangle_normal};

/// Rounds until the contacts that a stiffness leads to are those it was taken for.
const ROUNDS: usize = 8;
/// Lengths and numbers are told apart by this part of a power of two, so that bodies nearly alike have one law.
const STEPS: f64 = 4.0;
/// Vertices of the other body that lie under one, as lengths of their spacing along a side, that its own contacts stand for.
const FEW: f64 = 2.0;

/// Part of the vertices of a surface that lie within flat parts of it, above which it is one of flat faces.
const FLAT: f64 = 0.25;

/// What a body asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    /// Of the stiffness (N/m) on its own contacts, as a power of two; `None` for what forces do not move.
    stiffness: Option<i32>,
    /// How many these are.
    contacts: i32,
    /// How long the place is that it rests on (m).
    length: i32,
    /// Vertices that it pushes at others with, many at once; `None` without any.
    surface: Option<Vertices>,
}

/// The vertices of the flat parts of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Vertices {
    /// How far apart they are (m).
    spacing: i32,
    /// How many such distances one of its sides has, as of a cube.
    along: i32,
}

impl Vertices {
    /// Of those that lie within flat parts: of others few meet at once.
    fn of(shape: &MeshShape) -> Option<Self> {
        let mesh = &shape.mesh;
        // By vertex, what its triangles look like so far; `None` in it where they differ.
        let mut looks: Vec<Option<Option<DVec3>>> = vec![None; mesh.positions().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let Some(normal) = triangle_normal(mesh.corners(t)) else { continue };
            for &v in corners {
                let look = &mut looks[v as usize];
                *look = match look {
                    None => Some(Some(normal)),
                    Some(Some(other)) if coplanar(*other, normal, COPLANAR) => continue,
                    Some(_) => Some(None),
                };
            }
        }
        // A few that happen to be flat among many that are not press one by one.
        let count = looks.iter().filter(|look| matches!(look, Some(Some(_)))).count() as f64;
        let area = area(mesh);
        (count > FLAT * looks.len() as f64)
            .then(|| Self { spacing: floor((area / count).sqrt()), along: floor((count / 6.0).sqrt()) })
    }
}

impl Asked {
    /// Of a body whose contacts act on a mass (kg), or the least of its nodes', and 0 where forces do not move it; beside gravity (m/s²) and with the step (s).
    #[must_use]
    pub fn of(body: &BodyDesc, mass: f64, gravity: f64, dt: f64) -> Self {
        let surface = match &body.shape {
            Shape::Mesh(shape) => Vertices::of(shape),
            _ => None,
        };
        if !(mass > 0.0 && mass.is_finite()) {
            return Self { stiffness: None, contacts: 0, length: 0, surface };
        }
        let place = match (&body.motion, &body.shape) {
            (Motion::Rigid { inertia, .. }, Shape::Mesh(shape)) => {
                Place::of(shape.mesh.positions(), mass, inertia, gravity, dt)
            }
            // What is made of nodes gives way between them.
            _ => Place { mass, contacts: 1, length: 0.0 },
        };
        let stiffness = PairLaw::suggested(place.mass, dt, 0.0).stiffness.value();
        Self {
            stiffness: Some(exponent(stiffness)),
            contacts: floor(place.contacts as f64),
            length: -floor(1.0 / place.length),
            surface,
        }
    }

    /// The power of two of the stiffness of contacts between two (N/m): the softer of what each asks for; `None` between what forces do not move.
    #[must_use]
    pub fn between(&self, other: &Self) -> Option<i32> {
        let (a, b) = (self.met_by(other), other.met_by(self));
        a.zip(b).map(|(a, b)| a.min(b)).or(a).or(b)
    }

    /// What it asks for where the vertices of the other push at it as well, and edges of the two that cross at its rim.
    fn met_by(&self, other: &Self) -> Option<i32> {
        let own = self.stiffness?;
        let Some(Vertices { spacing, along }) = other.surface else { return Some(own) };
        let along = libm::exp2(f64::from(self.length.saturating_sub(spacing).min(along)) / STEPS);
        let more = (along - FEW).max(0.0) * (along + 2.0 * FEW);
        let times = 1.0 + more / libm::exp2(f64::from(self.contacts) / STEPS);
        // From one power of two to the next.
        Some(own - exponent(times) - i32::from(times > 1.0))
    }
}

/// What a rigid body rests on.
struct Place {
    /// On one of its contacts (kg), less where it rocks on them.
    mass: f64,
    contacts: usize,
    /// The longest side, of a square of the same size (m).
    length: f64,
}

impl Place {
    fn of(x: &[DVec3], mass: f64, inertia: &DMat3, gravity: f64, dt: f64) -> Self {
        let inverse: DMat3 = inertia.inversed();
        let mut out = Self { mass, contacts: 1, length: 0.0 };
        let stiffness = |mass: f64| PairLaw::suggested(mass, dt, 0.0).stiffness.value();
        for _ in 0..ROUNDS {
            let k = stiffness(out.mass);
            let rest = stiffest_rest(x, |_| (k, 0.0), mass * gravity, Some((mass, inverse)));
            let contacts = rest.contacts.max(1);
            let now = mass / (contacts as f64 * rest.rocking.max(1.0));
            if now >= out.mass {
                break;
            }
            (out.mass, out.contacts) = (now, contacts);
        }
        let k = stiffness(out.mass);
        let size = |up: DVec3| {
            let (_, on) = carrying(x, |_| (k, 0.0), mass * gravity, up);
            tangents(up).map(|t| extent(on.iter().map(|&i| x[i].dot(t)))).iter().product::<f64>()
        };
        out.length = ways_up().map(size).into_iter().fold(0.0, f64::max).sqrt();
        out
    }
}

fn extent(along: impl Iterator<Item = f64>) -> f64 {
    let [low, high] =
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    (high - low).max(0.0)
}

/// The exponent of the power of two at or below a positive number.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// A positive number in steps of [`STEPS`] to a power of two, rounded down; the least there is for 0.
fn floor(x: f64) -> i32 {
    (STEPS * libm::log2(x)).floor() as i32
}
