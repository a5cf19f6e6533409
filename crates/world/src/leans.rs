//! Whether contacts will be too soft for bodies that stand on them, though not for their weight: a column tips where its joints give way to the lever
//! of what they carry, and what friction brakes rolls where it leans ([`impinge_bodies::tipping`]).

use crate::alike::identity;
use crate::components::{Dofs, Forces, Laws};
use crate::falls::Falls;
use crate::lying::Lying;
use crate::part::Part;
use crate::response::StillForce;
use crate::shadow::{Across, Point, common, hull, moments};
use crate::simulation::Simulation;
use impinge_bodies::stability::carrying;
use impinge_bodies::tipping::{Storey, Tipping, tipping};
use impinge_bodies::{Shape, Shapes};
use impinge_contact::{BodyKind, PairLaw, Stiffness};
use impinge_geometry::DVec3;

/// Directions across the vertical that are tried.
const DIRECTIONS: u32 = 16;
/// Part of the size of a joint within which two of its points are one, and which it is wide at least.
const CLEAR: f64 = 1e-6;
/// Way aside while it falls, of its height, above which where it lands is not known.
const ASIDE: f64 = 0.01;
/// Speed (m/s) and cosine with its direction from which on what slides is braked in it.
const SLIDES: [f64; 2] = [1e-2, 0.9];

/// A rigid mesh that stands on one other thing, and how.
struct Stands {
    on: usize,
    /// Where its contacts are (N/m each), or a polygon of one stiffness (N/m³).
    points: Vec<(Point, f64)>,
    polygon: Vec<Point>,
    per_area: f64,
    /// Taken off the square of the polygon's radius: cells that push as one (m²).
    within_cells: f64,
    middle: Point,
    /// Its own lowest vertices, and what it stands or will stand on, as they are now (m).
    ends: [f64; 2],
    friction: f64,
    /// Against what it stands on, across the vertical (m/s).
    slides: Point,
}

impl Stands {
    /// About its middle (N·m/rad).
    fn against_tilting(&self, way: Point) -> f64 {
        let along = |p: &Point| (p[0] - self.middle[0]) * way[0] + (p[1] - self.middle[1]) * way[1];
        if !self.points.is_empty() {
            return self.points.iter().map(|(p, k)| k * along(p) * along(p)).sum();
        }
        let (area, _, [xx, xy, yy]) = moments(&self.polygon);
        let second = xx * way[0] * way[0] + 2.0 * xy * way[0] * way[1] + yy * way[1] * way[1];
        self.per_area * (second - area * self.within_cells).max(0.0)
    }

    /// Half of the way from what a surface has, b²/3, to b².
    fn at_rim(&self, way: Point) -> bool {
        let along = |p: &Point| (p[0] - self.middle[0]) * way[0] + (p[1] - self.middle[1]) * way[1];
        let [back, ahead] = self.reach(way);
        let mean = self.points.iter().map(|(p, _)| along(p) * along(p)).sum::<f64>()
            / self.points.len().max(1) as f64;
        mean > 2.0 / 3.0 * back * ahead
    }

    fn reach(&self, way: Point) -> [f64; 2] {
        let along = |p: &Point| (p[0] - self.middle[0]) * way[0] + (p[1] - self.middle[1]) * way[1];
        self.polygon.iter().map(along).fold([0.0; 2], |[back, ahead], d| [back.max(-d), ahead.max(d)])
    }
}

/// What is said of a column, and of how many more like it.
struct Told {
    /// Shapes and masses, the lowest first, and the number in hundredths.
    alike: Vec<(usize, u64)>,
    rough: u64,
    lowest: usize,
    more: usize,
    rest: String,
}

impl Simulation {
    /// Columns of rigid meshes, one on the other, that may fall over because their contacts give way under the response in place: a sentence each,
    /// with the number and the remedy; to be asked before the first step. What stands on two others, or two on it, is not looked at.
    #[must_use]
    pub fn leans(&self) -> Vec<String> {
        self.parts().flat_map(|part| self.leans_under(part)).collect()
    }

    fn leans_under(&self, part: Part<'_>) -> Vec<String> {
        let response = part.response();
        let known = !matches!(response.still_force(), StillForce::Unknown);
        let gravity = self.column::<Forces>().0.gravity;
        if response.has_multipliers() || !known || gravity.mag() == 0.0 {
            return Vec::new();
        }
        let dofs = self.column::<Dofs>();
        let shapes = self.column::<Shapes>();
        let up = -gravity.normalized();
        let across = Across::new(up, dofs.bodies.pose.first().map_or_else(DVec3::zero, |p| p.position));
        let falls = Falls::of(&dofs, &shapes, -up);
        let stands = self.columns(part, &falls, &across);
        let mut on: Vec<Vec<usize>> = vec![Vec::new(); stands.len()];
        for (b, s) in stands.iter().enumerate() {
            if let Some(s) = s {
                on[s.on].push(b);
            }
        }
        let mut told: Vec<Told> = Vec::new();
        for b in 0..stands.len() {
            // From where a column begins: on what nothing tips.
            if stands[b].as_ref().is_none_or(|s| stands[s.on].is_some()) {
                continue;
            }
            let mut column = vec![b];
            while let [next] = on[*column.last().unwrap_or(&b)][..] {
                column.push(next);
            }
            if on[*column.last().unwrap_or(&b)].len() > 1 {
                continue;
            }
            let Some(worst) = self.worst(&column, &stands, &across, gravity.mag()) else { continue };
            let number = worst.number();
            // Without any stiffness it has one pressure for all of a joint, and the response says that itself.
            if !(number > 1.0 && number.is_finite()) {
                continue;
            }
            let alike: Vec<(usize, u64)> =
                column.iter().map(|&b| (identity(&shapes.0[b], b), dofs.bodies.mass[b].to_bits())).collect();
            let rough = (100.0 * number).round() as u64;
            if let Some(same) = told.iter_mut().find(|t| t.alike == alike && t.rough == rough) {
                same.more += 1;
                continue;
            }
            let above = match column.len() - 1 {
                0 => String::new(),
                n => format!(" with {n} on it"),
            };
            let rest = format!(
                "{above}: tipping number {number:.2}, must be below 1 under '{}': as it leans, gravity takes {:.2} of what its contacts push back with{}. It may fall over \
                 where stiff contacts would hold it: use more than {:.2e} times the stiffness",
                response.name(),
                worst.lever,
                if worst.part > 0.0 {
                    format!(
                        ", and offsets or friction that brakes it take {:.2} of what they can",
                        worst.part
                    )
                } else {
                    String::new()
                },
                1.005 * number,
            );
            told.push(Told { alike, rough, lowest: b, more: 0, rest });
        }
        let sentence = |t: Told| {
            let more = if t.more == 0 { String::new() } else { format!(" (and {} like it)", t.more) };
            format!("body '{}'{more}{}", self.names()[t.lowest], t.rest)
        };
        told.into_iter().map(sentence).collect()
    }

    /// The direction in which a column is nearest to falling.
    fn worst(
        &self,
        column: &[usize],
        stands: &[Option<Stands>],
        across: &Across,
        gravity: f64,
    ) -> Option<Tipping> {
        let dofs = self.column::<Dofs>();
        let of: Vec<&Stands> = column.iter().filter_map(|&b| stands[b].as_ref()).collect();
        let mut ways: Vec<Point> = (0..DIRECTIONS)
            .map(|i| f64::from(i) / f64::from(DIRECTIONS) * std::f64::consts::TAU)
            .map(|angle| [libm::cos(angle), libm::sin(angle)])
            .collect();
        ways.extend(of.iter().filter_map(|s| {
            let speed = libm::hypot(s.slides[0], s.slides[1]);
            (speed > SLIDES[0]).then(|| s.slides.map(|v| v / speed))
        }));
        let mut worst: Option<Tipping> = None;
        for way in ways {
            let along = |p: Point| p[0] * way[0] + p[1] * way[1];
            let storeys: Vec<Storey> = (of.iter().zip(column))
                .enumerate()
                .map(|(i, (s, &b))| {
                    let at = dofs.bodies.pose[b].position;
                    let height = at.dot(self.up()) - s.ends[0];
                    let speed = libm::hypot(s.slides[0], s.slides[1]);
                    let slides = speed > SLIDES[0] && along(s.slides) > SLIDES[1] * speed;
                    Storey {
                        weight: dofs.bodies.mass[b] * gravity,
                        height,
                        tall: of.get(i + 1).map_or(0.0, |next| next.ends[1] - s.ends[0]),
                        stiffness: s.against_tilting(way),
                        centre: along(across.at(at)),
                        middle: along(s.middle),
                        reach: s.reach(way),
                        at_rim: s.at_rim(way),
                        braked: if slides { s.friction } else { 0.0 },
                    }
                })
                .collect();
            let here = tipping(&storeys);
            // However stiff, it falls.
            if here.part >= 1.0 {
                return None;
            }
            if worst.is_none_or(|w| here.number() > w.number()) {
                worst = Some(here);
            }
        }
        worst
    }

    fn up(&self) -> DVec3 {
        -self.column::<Forces>().0.gravity.normalized()
    }

    /// How each body stands, if it does on one thing and with a flat side.
    fn columns(&self, part: Part<'_>, falls: &Falls, across: &Across) -> Vec<Option<Stands>> {
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        let (up, gravity) = (self.up(), self.column::<Forces>().0.gravity.mag());
        let lying = Lying::of(part);
        let others = |b: usize, on: usize| {
            let heights = |b: u32| lying.as_ref().map_or(0.0, |l| l.heights[b as usize][0]);
            let below = |&&(p, q): &&(u32, u32)| {
                let other = if p as usize == b { q } else { p };
                (p as usize == b || q as usize == b)
                    && other as usize != on
                    && (matches!(shapes.0[other as usize], Shape::Plane { .. })
                        || heights(other) < heights(b as u32))
            };
            lying.as_ref().is_some_and(|l| l.pairs.iter().any(|p| below(&p)))
        };
        // What rests above each, at most: springs of a field and of a volume are asked at a weight.
        let total: f64 = dofs.bodies.mass.iter().filter(|m| m.is_finite()).sum::<f64>() * gravity;
        let look = |b: usize| {
            let Shape::Mesh(mesh) = &shapes.0[b] else { return None };
            if dofs.bodies.kind[b] != BodyKind::Rigid
                || dofs.bodies.angular_velocity[b].mag() > 0.0
                || !dofs.bodies.mobility[b].locked().is_empty()
            {
                return None;
            }
            let law = |o: u32| {
                let (low, high) = (o.min(b as u32), o.max(b as u32));
                laws.of(low, high)
                    .filter(|_| part.owns(&laws, low, high))
                    .map(|(law, _)| &laws.laws[law as usize])
            };
            let (way, on) = falls.onto(b, &dofs, &shapes, |o| law(o).is_some())?;
            let law = law(on as u32)?;
            let pose = &dofs.bodies.pose[b];
            let x: Vec<DVec3> = mesh.mesh.positions().iter().map(|&p| pose.point_to_world(p)).collect();
            let (low, high) = x
                .iter()
                .map(|p| p.dot(up))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), d| (l.min(d), h.max(d)));
            let velocity = dofs.bodies.velocity[b] - dofs.bodies.velocity[on];
            let slides = across.axes.map(|a| velocity.dot(a));
            let lies = falls.lies(b, way);
            let falls_for = (2.0 * way / gravity).sqrt();
            if !lies && libm::hypot(slides[0], slides[1]) * falls_for > ASIDE * (high - low) || others(b, on)
            {
                return None;
            }
            let mut over = across.face(&x, up);
            let (bottom, mut polygon) = (hull(&over), hull(&over));
            let mut below: Option<Vec<Point>> = None;
            if let Shape::Mesh(other) = &shapes.0[on] {
                let pose = &dofs.bodies.pose[on];
                let y: Vec<DVec3> = other.mesh.positions().iter().map(|&p| pose.point_to_world(p)).collect();
                let under = across.face(&y, -up);
                let top = hull(&under);
                polygon = common(&polygon, &top);
                over.extend(under);
                below = Some(top);
            }
            let size = polygon.iter().flatten().fold(0.0f64, |m, c| m.max((c - polygon[0][0]).abs()));
            let (area, middle, _) = moments(&polygon);
            if polygon.len() < 3 || area <= CLEAR * size * size {
                return None;
            }
            let mut out = Stands {
                on,
                points: Vec::new(),
                per_area: 0.0,
                within_cells: 0.0,
                ends: [low, low - way],
                friction: law.friction.as_ref().map_or(0.0, |f| f.mu_s),
                slides,
                middle,
                polygon,
            };
            let side = |polygon: &[Point]| moments(polygon).0;
            match part.response().own_stiffness() {
                Some(own) => {
                    let ways = |b: usize, up: DVec3| [dofs.bodies.pose[b].vector_to_body(up)];
                    let (n, k) = own(part, b, &shapes.0[b], total, &ways(b, up));
                    let mut per_area = k / side(&bottom);
                    if part.response().still_force() == StillForce::Fields {
                        let under = below.as_ref().map_or(0.0, |top| {
                            own(part, on, &shapes.0[on], total, &ways(on, -up)).1 / side(top)
                        });
                        // One after the other where both yield.
                        if under > 0.0 {
                            per_area =
                                if per_area > 0.0 { 1.0 / (1.0 / per_area + 1.0 / under) } else { under };
                        }
                    } else {
                        out.within_cells = side(&bottom) / n.max(1) as f64 / 12.0;
                    }
                    if per_area <= 0.0 {
                        return None;
                    }
                    out.per_area = per_area;
                }
                None => {
                    match spring(law) {
                        Ok(k) => {
                            // What is not flat has the more contacts the deeper it sinks.
                            let flat = |x: &[DVec3], up: DVec3| {
                                carrying(x, |_| (k, 0.0), total, up).0.contacts == across.face(x, up).len()
                            };
                            let under = |b: usize, up: DVec3| match &shapes.0[b] {
                                Shape::Mesh(m) => {
                                    let pose = &dofs.bodies.pose[b];
                                    let x: Vec<DVec3> =
                                        m.mesh.positions().iter().map(|&p| pose.vector_to_world(p)).collect();
                                    flat(&x, up)
                                }
                                _ => true,
                            };
                            if !under(b, up) || !under(on, -up) {
                                return None;
                            }
                            let mut points = out.polygon.clone();
                            points.extend(over.iter().filter(|p| within(&out.polygon, **p)));
                            out.points = apart(points, CLEAR * size).into_iter().map(|p| (p, k)).collect();
                            let n = out.points.len() as f64;
                            out.middle = [0, 1].map(|c| out.points.iter().map(|p| p.0[c]).sum::<f64>() / n);
                        }
                        Err(per_area) => out.per_area = per_area,
                    }
                }
            }
            Some(out)
        };
        (0..shapes.0.len()).map(look).collect()
    }
}

/// Of one contact (N/m), or else of an area (N/m³).
fn spring(law: &PairLaw) -> Result<f64, f64> {
    match law.stiffness {
        Stiffness::PerContact(k) => Ok(k),
        Stiffness::PerArea(k) => Err(k),
    }
}

fn within(polygon: &[Point], p: Point) -> bool {
    crate::shadow::sides(polygon).all(|[a, b]| crate::shadow::turn(a, b, p) >= 0.0)
}

/// Those that are not one of the others.
fn apart(points: Vec<Point>, least: f64) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for p in points {
        if out.iter().all(|o| libm::hypot(o[0] - p[0], o[1] - p[1]) > least) {
            out.push(p);
        }
    }
    out
}
