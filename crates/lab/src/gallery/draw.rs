//! A picture of one moment of a run, by the program itself: parallel projection, depth buffer, one light.

use impinge_geometry::{DMat3, DRotor3, DVec3};
use impinge_report::{BodyKind, RunRecord};

/// Pixels of a picture.
pub const SIZE: [usize; 2] = [480, 320];
/// Each is the mean of this many squared.
const FINE: usize = 2;

/// Okabe and Ito's colours: told apart by everybody.
const PALETTE: [[u8; 3]; 7] = [
    [230, 159, 0],
    [86, 180, 233],
    [0, 158, 115],
    [213, 94, 0],
    [0, 114, 178],
    [204, 121, 167],
    [240, 228, 66],
];

struct Canvas {
    size: [usize; 2],
    colour: Vec<[f64; 3]>,
    depth: Vec<f64>,
}

/// A scene that grows to more than this many times its first size has come apart.
const APART: f64 = 1.5;
/// Such a scene is drawn before it was larger than this many times its first size.
const TOGETHER: f64 = 1.05;
/// How steeply pictures look down, as up over forth, the usual one first.
const SLOPES: [f64; 3] = [0.55, 1.0, 2.0];
/// Part of what moves that fixed bodies may leave to be seen; where it is less, a steeper look is tried.
const SEEN: f64 = 0.7;

/// Right, up and towards the eye.
struct Eye {
    axes: [DVec3; 3],
    middle: DVec3,
    scale: f64,
    light: DVec3,
}

/// Draws frame `frame`; `up` is away from gravity. Bytes of red, green, blue.
pub fn draw(record: &RunRecord, frame: usize, up: DVec3) -> Vec<u8> {
    let bodies: Vec<Vec<DVec3>> = (0..record.bodies.len()).map(|b| world_points(record, frame, b)).collect();
    let seen: Vec<DVec3> = bodies.iter().flatten().copied().filter(|p| p.mag_sq().is_finite()).collect();
    let (mut low, mut high) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
    for p in &seen {
        (low, high) = (low.min_by_component(*p), high.max_by_component(*p));
    }
    if seen.is_empty() {
        (low, high) = (DVec3::broadcast(-1.0), DVec3::broadcast(1.0));
    }
    let middle = (low + high) * 0.5;
    let eyes = SLOPES.map(|slope| eye(up, slope, middle, &seen));
    let shares = [0, 1, 2].map(|k| share_seen(record, &bodies, &eyes[k]));
    // The least steep that shows enough; else the one that shows the most.
    let most = shares.iter().copied().fold(0.0, f64::max);
    let chosen = shares.iter().position(|s| *s >= SEEN.min(most)).unwrap_or(0);
    let eye = &eyes[chosen];
    let mut canvas = Canvas::new();
    for (b, shape) in record.bodies.iter().enumerate() {
        let own = PALETTE[b % PALETTE.len()];
        if let Some(plane) = &shape.plane {
            let n = DVec3::new(plane.normal[0].into(), plane.normal[1].into(), plane.normal[2].into());
            ground(&mut canvas, eye, n.normalized(), f64::from(plane.offset) / n.mag(), &low, &high);
            continue;
        }
        let colour = shape.colour.unwrap_or(own).map(|c| f64::from(c) / 255.0);
        for t in &shape.triangles {
            let corner = |k: usize| bodies[b].get(t[k] as usize).copied().unwrap_or(low);
            canvas.triangle(eye, [corner(0), corner(1), corner(2)], colour);
        }
        if shape.triangles.is_empty() {
            bodies[b].iter().for_each(|p| canvas.dot(eye, *p, colour));
            if shape.line {
                bodies[b].windows(2).for_each(|w| canvas.line(eye, w[0], w[1], colour));
            }
        }
    }
    canvas.reduced()
}

/// How much of what moves is before what is fixed: pixels over pixels; 1 where nothing moves that has triangles.
fn share_seen(record: &RunRecord, bodies: &[Vec<DVec3>], eye: &Eye) -> f64 {
    let [fixed, moving] = [true, false].map(|fixed| {
        let mut canvas = Canvas::new();
        for (shape, points) in record.bodies.iter().zip(bodies) {
            if (shape.kind == BodyKind::Fixed) != fixed || shape.plane.is_some() {
                continue;
            }
            for t in &shape.triangles {
                if let [Some(a), Some(b), Some(c)] = t.map(|v| points.get(v as usize)) {
                    canvas.triangle(eye, [*a, *b, *c], [0.0; 3]);
                }
            }
        }
        canvas.depth
    });
    let all = moving.iter().filter(|d| d.is_finite()).count();
    let seen = moving.iter().zip(&fixed).filter(|(m, f)| m.is_finite() && m > f).count();
    if all == 0 { 1.0 } else { seen as f64 / all as f64 }
}

/// The last of the first `frames`, or where the scene comes apart the last before it does: sizes are those of the box around all bodies but planes. A
/// picture of what flew off shows little of anything.
pub fn last_together(record: &RunRecord, frames: usize) -> usize {
    let size = |frame: usize| {
        let (mut low, mut high) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for b in (0..record.bodies.len()).filter(|b| record.bodies[*b].plane.is_none()) {
            for p in world_points(record, frame, b) {
                (low, high) = (low.min_by_component(p), high.max_by_component(p));
            }
        }
        (high - low).mag()
    };
    let sizes: Vec<f64> = (0..frames).map(size).collect();
    let grown = |times: f64| sizes.iter().position(|s| *s > times * sizes[0]);
    let end = if grown(APART).is_some() { grown(TOGETHER) } else { None };
    end.unwrap_or(frames).saturating_sub(1)
}

fn world_points(record: &RunRecord, frame: usize, body: usize) -> Vec<DVec3> {
    let shape = &record.bodies[body];
    let point = |p: &[f32; 3]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
    if let Some(track) = record.frames.points.iter().find(|t| t.body as usize == body) {
        return track.positions.get(frame).map_or(Vec::new(), |x| x.iter().map(point).collect());
    }
    let Some(p) = record.frames.poses.get(frame).and_then(|f| f.get(body)) else { return Vec::new() };
    let q = p.map(f64::from);
    let rotor = DRotor3::new(q[6], ultraviolet::DBivec3::new(-q[5], q[4], -q[3])).normalized();
    let turn: DMat3 = rotor.into_matrix();
    shape.vertices.iter().map(|v| turn * point(v) + DVec3::new(q[0], q[1], q[2])).collect()
}

fn eye(up: DVec3, slope: f64, middle: DVec3, seen: &[DVec3]) -> Eye {
    let side = if up.y.abs() < 0.9 { DVec3::unit_y() } else { DVec3::unit_x() };
    let right = side.cross(up).normalized();
    let forth = up.cross(right);
    // From the front, a little from the right and from above.
    let towards = (right * 0.45 - forth * 1.0 + up * slope).normalized();
    let across = up.cross(towards).normalized();
    let axes = [across, towards.cross(across), towards];
    // From end to end on either axis of the picture, and the middle between them.
    let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for p in seen {
        for (e, axis) in ends.iter_mut().zip(&axes) {
            let at = (*p - middle).dot(*axis);
            *e = [e[0].min(at), e[1].max(at)];
        }
    }
    let ends = if seen.is_empty() { [[0.0; 2]; 2] } else { ends };
    let middle =
        middle + axes[0] * (0.5 * (ends[0][0] + ends[0][1])) + axes[1] * (0.5 * (ends[1][0] + ends[1][1]));
    let room = |k: usize| 0.88 * (SIZE[k] * FINE) as f64 / (ends[k][1] - ends[k][0]).max(2e-9);
    let scale = room(0).min(room(1));
    let light = (axes[0] * -0.35 + axes[1] * 0.7 + axes[2] * 0.6).normalized();
    Eye { axes, middle, scale, light }
}

/// The part of a plane around what stands on it, in squares.
fn ground(canvas: &mut Canvas, eye: &Eye, n: DVec3, offset: f64, low: &DVec3, high: &DVec3) {
    if n.dot(eye.axes[2]) <= 0.05 {
        // From behind or from the edge there is nothing to see but what it hides.
        return;
    }
    let foot = eye.middle - n * (n.dot(eye.middle) - offset);
    let u = if n.x.abs() < 0.9 { DVec3::unit_x() } else { DVec3::unit_y() };
    let u = (u - n * n.dot(u)).normalized();
    let v = n.cross(u);
    let half = 1.5 * (*high - *low).mag().max(1e-9);
    let cells = 16;
    let cell = 2.0 * half / f64::from(cells);
    for i in 0..cells {
        for j in 0..cells {
            let shade = if (i + j) % 2 == 0 { 0.80 } else { 0.86 };
            let at =
                |a: i32, b: i32| foot + u * (cell * f64::from(a) - half) + v * (cell * f64::from(b) - half);
            let q = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            canvas.triangle(eye, [q[0], q[1], q[2]], [shade, shade, shade + 0.02]);
            canvas.triangle(eye, [q[0], q[2], q[3]], [shade, shade, shade + 0.02]);
        }
    }
}

impl Eye {
    fn seen(&self, p: DVec3, size: [usize; 2]) -> DVec3 {
        let d = (p - self.middle) * self.scale;
        let [x, y] = [size[0] as f64 / 2.0, size[1] as f64 / 2.0];
        DVec3::new(x + d.dot(self.axes[0]), y - d.dot(self.axes[1]), d.dot(self.axes[2]))
    }
}

impl Canvas {
    fn new() -> Self {
        let size = SIZE.map(|s| s * FINE);
        let pixels = size[0] * size[1];
        Self { size, colour: vec![[0.96, 0.97, 0.98]; pixels], depth: vec![f64::NEG_INFINITY; pixels] }
    }

    fn triangle(&mut self, eye: &Eye, corners: [DVec3; 3], colour: [f64; 3]) {
        let p = corners.map(|c| eye.seen(c, self.size));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
        if !(area.abs() > 1e-9 && normal.mag() > 0.0 && area.is_finite()) {
            return;
        }
        let n = normal.normalized();
        let n = if n.dot(eye.axes[2]) < 0.0 { -n } else { n };
        let shade = 0.45 + 0.6 * n.dot(eye.light).max(0.0);
        let colour = colour.map(|c| (c * shade).min(1.0));
        let span = |values: [f64; 3], most: usize| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min).floor().max(0.0) as usize;
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().max(0.0) as usize;
            low..high.min(most)
        };
        for y in span([p[0].y, p[1].y, p[2].y], self.size[1]) {
            for x in span([p[0].x, p[1].x, p[2].x], self.size[0]) {
                let (cx, cy) = (x as f64 + 0.5, y as f64 + 0.5);
                let edge = |a: DVec3, b: DVec3| ((b.x - a.x) * (cy - a.y) - (cx - a.x) * (b.y - a.y)) / area;
                let w = [edge(p[1], p[2]), edge(p[2], p[0]), edge(p[0], p[1])];
                if w.iter().all(|w| *w >= 0.0) {
                    let z = w[0] * p[0].z + w[1] * p[1].z + w[2] * p[2].z;
                    self.put(x, y, z, colour);
                }
            }
        }
    }

    fn dot(&mut self, eye: &Eye, point: DVec3, colour: [f64; 3]) {
        let p = eye.seen(point, self.size);
        let r = 2.5 * FINE as f64;
        let range =
            |c: f64, most: usize| (c - r).max(0.0) as usize..((c + r).max(0.0) as usize + 1).min(most);
        for y in range(p.y, self.size[1]) {
            for x in range(p.x, self.size[0]) {
                if (x as f64 - p.x).hypot(y as f64 - p.y) <= r {
                    self.put(x, y, p.z, colour);
                }
            }
        }
    }

    /// As wide as a dot.
    fn line(&mut self, eye: &Eye, from: DVec3, to: DVec3, colour: [f64; 3]) {
        let long = (eye.seen(to, self.size) - eye.seen(from, self.size)).mag();
        let parts = (long / FINE as f64).clamp(1.0, 1e4) as usize;
        for k in 1..parts {
            self.dot(eye, from + (to - from) * (k as f64 / parts as f64), colour);
        }
    }

    fn put(&mut self, x: usize, y: usize, z: f64, colour: [f64; 3]) {
        let i = y * self.size[0] + x;
        if z > self.depth[i] {
            (self.depth[i], self.colour[i]) = (z, colour);
        }
    }

    fn reduced(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(3 * SIZE[0] * SIZE[1]);
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                for c in 0..3 {
                    let mut sum = 0.0;
                    for k in 0..FINE * FINE {
                        sum += self.colour[(y * FINE + k / FINE) * self.size[0] + x * FINE + k % FINE][c];
                    }
                    out.push((sum / (FINE * FINE) as f64 * 255.0).round() as u8);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_report::BodyShape;

    fn square(name: &str, kind: BodyKind, size: f32) -> BodyShape {
        let at = |x: f32, y: f32| [x * size, y * size, 0.0];
        BodyShape {
            name: name.to_string(),
            kind,
            vertices: vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..BodyShape::default()
        }
    }

    #[test]
    fn a_scene_that_comes_apart_is_drawn_before() {
        let pose = |x: f32| [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let mut record =
            RunRecord { bodies: vec![square("a", BodyKind::Rigid, 1.0); 2], ..RunRecord::default() };
        record.frames.time = (0..10).map(f64::from).collect();
        // Two squares 2 m wide, their middles 2 m apart: 4.47 m from corner to corner at first, 1.05 times that when 2.25 m apart, 1.5
        // times when 4.40 m.
        let parting = |by: f32| (0..10).map(|f| vec![pose(0.0), pose(2.0 + by * (f * f) as f32)]).collect();
        record.frames.poses = parting(0.05);
        assert_eq!(last_together(&record, 10), 2);
        // A little larger is not apart.
        record.frames.poses = parting(0.02);
        assert_eq!(last_together(&record, 10), 9);
        // Both together may go where they like.
        record.frames.poses = (0..10).map(|f| vec![pose(9.0 * f as f32), pose(9.0 * f as f32)]).collect();
        assert_eq!(last_together(&record, 10), 9);
        assert_eq!(last_together(&RunRecord::default(), 0), 0);
    }

    #[test]
    fn what_is_hidden_from_the_side_is_seen_from_above() {
        // A small square behind a wall, which stands in the plane of x and z.
        let mut record = RunRecord {
            bodies: vec![square("wall", BodyKind::Fixed, 1.0), square("ball", BodyKind::Rigid, 0.1)],
            ..RunRecord::default()
        };
        record.frames.time = vec![0.0];
        let half = std::f32::consts::FRAC_1_SQRT_2;
        record.frames.poses =
            vec![vec![[0.0, 0.0, 0.0, half, 0.0, 0.0, half], [0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0]]];
        let bodies: Vec<Vec<DVec3>> = (0..2).map(|b| world_points(&record, 0, b)).collect();
        let all: Vec<DVec3> = bodies.iter().flatten().copied().collect();
        let share =
            |slope: f64| share_seen(&record, &bodies, &eye(DVec3::unit_z(), slope, DVec3::zero(), &all));
        assert!(share(0.55) < 0.05 && share(2.0) > 0.95, "{} {}", share(0.55), share(2.0));
        assert_eq!(share_seen(&record, &bodies[..1], &eye(DVec3::unit_z(), 0.55, DVec3::zero(), &all)), 1.0);
    }
}
