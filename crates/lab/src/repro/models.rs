//! "A pressure field model" (seed 004), §IV: the field beside an elastic foundation and a force by overlap volume, on one pair of bodies.
//!
//! A rigid ball and a compliant block with p = E · depth/h, h half its side. The foundation presses each facet of the ball that faces the
//! nearest face of the block with E · depth/h along that face's normal, on the area seen along it: springs that stand on the block and are not anchored
//! to the ball. The overlap model gives E/h · V along the mean normal of the ball's surface inside. On a flat face all three are the weight of
//! what a liquid would lift.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use impinge_geometry::{DVec3, Pose, TriMesh, generators, triangle_area_vector};
use impinge_pressure::{ContactSurface, RigidSurface, Rule, Shape, Workspace, contact, fields};
use impinge_volume::{Body, ClosedSurface, ContactFrame, Evaluate, Exact, Overlap};

/// The comparisons.
pub const FIGURES: &[Entry] =
    &[("models-press", |_: Fixtures<'_>| press()), ("models-loop", |_: Fixtures<'_>| around())];

/// Side of the block and radius of the ball (m), modulus (Pa).
const SIDE: f64 = 1.0;
const RADIUS: f64 = 0.3;
const MODULUS: f64 = 1e6;
const HALF: f64 = 0.5 * SIDE;
/// Of the ball: 5120 triangles.
const SUBDIVISIONS: u32 = 4;
/// Places on the closed path.
const PLACES: u32 = 1440;

/// A model's name, and its force on the ball (N) with its middle at a place.
type Model = (&'static str, fn(&mut Pair, DVec3) -> Result<DVec3, String>);

const MODELS: [Model; 3] = [
    ("pressure field", Pair::field),
    ("elastic foundation", Pair::foundation),
    ("overlap volume", Pair::overlap),
];

struct Pair {
    ball: TriMesh,
    block: TriMesh,
    rigid: Shape,
    compliant: Shape,
    closed: [ClosedSurface; 2],
    workspace: Workspace,
    surface: ContactSurface,
    exact: Exact,
    volume: Overlap,
}

impl Pair {
    fn new() -> Result<Self, String> {
        let say = |e: &dyn std::fmt::Display| e.to_string();
        let ball = generators::icosphere(RADIUS, SUBDIVISIONS).map_err(|e| say(&e))?;
        let block = generators::cuboid(DVec3::broadcast(SIDE), [1; 3]).map_err(|e| say(&e))?;
        let field = fields::cuboid(DVec3::broadcast(SIDE), MODULUS).map_err(|e| say(&e))?;
        let closed = |m: &TriMesh| ClosedSurface::new(m).map_err(|e| e.to_string());
        Ok(Self {
            rigid: RigidSurface::new(ball.clone()).map_err(|e| say(&e))?.into(),
            compliant: field.into(),
            closed: [closed(&ball)?, closed(&block)?],
            ball,
            block,
            workspace: Workspace::new(),
            surface: ContactSurface::new(),
            exact: Exact::new(),
            volume: Overlap::new(),
        })
    }

    fn field(&mut self, at: DVec3) -> Result<DVec3, String> {
        let (pose, here) = (Pose::from_position(at), Pose::identity());
        let (ws, out) = (&mut self.workspace, &mut self.surface);
        contact(&self.rigid, &pose, &self.compliant, &here, Rule::Paper, ws, out)
            .map_err(|e| e.to_string())?;
        Ok(self.surface.wrench.force)
    }

    fn foundation(&mut self, at: DVec3) -> Result<DVec3, String> {
        let mut sum = DVec3::zero();
        for i in 0..self.ball.triangles().len() {
            let corners = self.ball.corners(i).map(|p| p + at);
            let (n, depth) = nearest_face((corners[0] + corners[1] + corners[2]) / 3.0);
            let seen = -triangle_area_vector(corners).dot(n);
            if depth > 0.0 && seen > 0.0 {
                sum += n * (MODULUS * depth / HALF * seen);
            }
        }
        Ok(sum)
    }

    fn overlap(&mut self, at: DVec3) -> Result<DVec3, String> {
        let x: Vec<DVec3> = self.ball.positions().iter().map(|&p| p + at).collect();
        let body = |s, x| Body::new(s, x).map_err(|e| e.to_string());
        let pair = [body(&self.closed[0], &x[..])?, body(&self.closed[1], self.block.positions())?];
        self.exact.evaluate(pair[0], pair[1], None, &mut self.volume).map_err(|e| e.to_string())?;
        if self.volume.volume() == 0.0 {
            return Ok(DVec3::zero());
        }
        let frame = ContactFrame::new(&self.volume, 0, [pair[0].x, pair[1].x]);
        let frame = frame.ok_or("one body contains the other: the overlap has no direction")?;
        Ok(frame.normal * (MODULUS / HALF * self.volume.volume()))
    }
}

/// Normal of the block's face nearest to a place inside, and how deep the place is under it; negative outside.
fn nearest_face(p: DVec3) -> (DVec3, f64) {
    let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    let depth = |k: usize| HALF - p[k].abs();
    let k = (1..3).fold(0, |k, i| if depth(i) < depth(k) { i } else { k });
    (axes[k] * p[k].signum(), depth(k))
}

/// Onto the middle of a face.
fn press() -> Result<Figure, String> {
    let mut pair = Pair::new()?;
    let depths: Vec<f64> = (1..=30).map(|i| 0.005 * f64::from(i)).collect();
    let mut curves = Vec::new();
    for (name, force) in MODELS {
        let points = depths
            .iter()
            .map(|&d| Ok((d, force(&mut pair, DVec3::unit_z() * (HALF + RADIUS - d))?.z)))
            .collect::<Result<Vec<_>, String>>()?;
        curves.push(Curve { name: name.into(), points });
    }
    let round = |d: f64| MODULUS / HALF * std::f64::consts::PI * d * d * (RADIUS - d / 3.0);
    let apart = |k: usize, from: f64| {
        let both = curves[0].points.iter().zip(&curves[k].points).filter(|(p, _)| p.0 >= from);
        both.map(|(a, b)| (b.1 / a.1 - 1.0).abs()).fold(0.0, f64::max)
    };
    let facets = curves[0].points.iter().filter(|p| p.0 >= 0.05).map(|p| (p.1 / round(p.0) - 1.0).abs());
    let ours = format!(
        "On a flat face they are one: over all depths the volume differs from the field by {:.1e} of it, from 0.05 m on the foundation by {:.1e} (its facets are \
         taken at their middles). The facets of the ball take {} % off the closed form from there on.",
        apart(2, 0.0),
        apart(1, 0.05),
        short(100.0 * facets.fold(0.0, f64::max)),
    );
    curves.push(Curve {
        name: "round ball, E/h · V".into(),
        points: depths.iter().map(|&d| (d, round(d))).collect(),
    });
    Ok(Figure {
        id: "models-press",
        title: "Seed 004, §IV: three models of a ball on a flat face",
        paper: "Where the surfaces are only gently curved, overlap, elastic foundation and hydrostatic models are generally equivalent.",
        ours,
        x: "depth [m]",
        y: "force [N]",
        log: false,
        room: None,
        curves,
    })
}

/// Around a closed path at an edge of the block.
fn around() -> Result<Figure, String> {
    let mut pair = Pair::new()?;
    // Not about the edge's own plane of symmetry, in which every work cancels.
    let (middle, reach) = ([HALF + 0.1, HALF - 0.05], 0.1);
    let place = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(PLACES);
        let (s, c) = angle.sin_cos();
        (angle, DVec3::new(middle[0] + reach * c, 0.0, middle[1] + reach * s), DVec3::new(-s, 0.0, c) * reach)
    };
    let step = std::f64::consts::TAU / f64::from(PLACES);
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (name, force) in MODELS {
        let power: Vec<f64> = (0..PLACES)
            .map(place)
            .map(|(_, x, way)| Ok(force(&mut pair, x)?.dot(way) * step))
            .collect::<Result<_, String>>()?;
        let size: f64 = power.iter().map(|p| p.abs()).sum();
        let mut work = 0.0;
        let points = power.iter().enumerate().map(|(i, p)| {
            work += p;
            (place(i as u32).0.to_degrees(), work / size)
        });
        curves.push(Curve { name: name.into(), points: points.collect() });
        said += &format!("{name}: {:.1e} of ∫|F·dx| left after one turn.\n", work / size);
    }
    Ok(Figure {
        id: "models-loop",
        title: "Seed 004, §IV: work along a closed path at an edge",
        paper: "Discrete and continuous elastic foundations are generally not conservative, since the ends of the springs are not anchored; overlap models are not \
                explicitly mechanical; the pressure field is conservative.",
        ours: format!(
            "The ball goes once around a circle of 0.1 m about a place 0.1 m out of one face at an edge of the block and 0.05 m under the other, always in touch. A sum over {PLACES} places:\n{said}"
        ),
        x: "way around [°]",
        y: "work / ∫|F·dx| [1]",
        log: false,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_agree_on_a_face_and_only_the_field_closes_the_path() {
        let mut pair = Pair::new().unwrap();
        let at = DVec3::unit_z() * (HALF + RADIUS - 0.1);
        let forces = MODELS.map(|(_, force)| force(&mut pair, at).unwrap());
        assert!(forces.iter().all(|f| (*f - forces[0]).mag() < 1e-3 * forces[0].mag()), "{forces:?}");
        let loops = around().unwrap();
        let left = |k: usize| loops.curves[k].points.last().unwrap().1.abs();
        assert!(left(0) < 1e-4 && left(1) > 1e-2 && left(2) > 1e-2, "{} {} {}", left(0), left(1), left(2));
    }
}
