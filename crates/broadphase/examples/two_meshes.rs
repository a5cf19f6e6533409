//! A ball and a slab in flight meet: boxes propose, continuous detection decides, an impulse answers.
//!
//! `cargo run --release -p impinge-broadphase --example two_meshes`
//!
//! What has to be got right between the two crates, each in [`Pair::first_touch`]:
//!
//! * candidates are numbered within their own surface, continuous detection reads one array of positions: what belongs to the second
//!   surface is moved up by the vertices, faces or edges of the first;
//! * `face_vertex` names the face first, continuous detection wants the vertex first;
//! * the normal of a contact points to the side that the *vertex*, or the first edge, came from: of a vertex of the second surface
//!   that is the other way round.

use impinge_broadphase::{CandidateWorkspace, CrossCandidates, FeatureTree};
use impinge_ccd::{Candidates, ContactWorkspace, FirstContacts, first_contacts};
use impinge_geometry::{DVec3, Topology, TriMesh, cuboid, icosphere};

type Failed = Box<dyn std::error::Error>;

/// A surface that moves without turning.
struct Body {
    rest: Vec<DVec3>,
    tree: FeatureTree,
    place: DVec3,
    velocity: DVec3,
    mass: f64,
}

impl Body {
    fn new(mesh: &TriMesh, place: DVec3, velocity: DVec3, mass: f64) -> Result<Self, Failed> {
        let tree = FeatureTree::new(mesh.triangles(), &Topology::new(mesh), mesh.positions())?;
        Ok(Self { rest: mesh.positions().to_vec(), tree, place, velocity, mass })
    }

    fn at(&self, place: DVec3) -> Vec<DVec3> {
        self.rest.iter().map(|p| *p + place).collect()
    }
}

/// Two surfaces as continuous detection sees them: one array of positions, the second behind the first.
struct Pair {
    bodies: [Body; 2],
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Vertices, faces and edges of the first surface.
    first: [u32; 3],
    proposed: (CandidateWorkspace, CrossCandidates),
    decided: (ContactWorkspace, FirstContacts),
}

impl Pair {
    fn new(meshes: [&TriMesh; 2], bodies: [Body; 2]) -> Self {
        let first = meshes[0].positions().len() as u32;
        let [a, b] = meshes.map(Topology::new);
        let behind = meshes[1].triangles().iter().map(|t| t.map(|v| v + first));
        let edges_behind = b.edges().iter().map(|e| e.map(|v| v + first));
        Self {
            bodies,
            first: [first, meshes[0].triangles().len() as u32, a.edges().len() as u32],
            faces: meshes[0].triangles().iter().copied().chain(behind).collect(),
            edges: a.edges().iter().copied().chain(edges_behind).collect(),
            proposed: (CandidateWorkspace::new(), CrossCandidates::default()),
            decided: (ContactWorkspace::new(), FirstContacts::default()),
        }
    }

    /// The first contact within `time` (s) that the velocities press on: the fraction of `time`, and the unit normal from the second
    /// body to the first.
    fn first_touch(&mut self, time: f64) -> Result<Option<(f64, DVec3)>, Failed> {
        let (mut x0, mut x1) = (Vec::new(), Vec::new());
        for body in &mut self.bodies {
            let (start, end) = (body.at(body.place), body.at(body.place + body.velocity * time));
            body.tree.update(&start, &end, 0.0)?;
            x0.extend(start);
            x1.extend(end);
        }
        let [a, b] = &self.bodies;
        let (boxes, near) = &mut self.proposed;
        a.tree.candidates(&b.tree, boxes, near);
        if boxes.left_out() > 0 {
            return Err("too many boxes meet for the search to keep; take a shorter step".into());
        }
        let [vertices, faces, edges] = self.first;
        // Vertex first, in both directions; those of the second surface behind.
        let of_first = near.vertex_face.iter().map(|&(v, f)| (v, f + faces));
        let of_second = near.face_vertex.iter().map(|&(f, v)| (v + vertices, f));
        let vertex_face: Vec<(u32, u32)> = of_first.chain(of_second).collect();
        let edge_edge: Vec<(u32, u32)> = near.edge_edge.iter().map(|&(e, f)| (e, f + edges)).collect();
        let lists = [
            Candidates::VertexFacePairs { pairs: &vertex_face, faces: &self.faces },
            Candidates::EdgeEdgePairs { pairs: &edge_edge, edges: &self.edges },
        ];
        let (scratch, hits) = &mut self.decided;
        let mut earliest: Option<(f64, DVec3)> = None;
        for (list, swapped_from) in lists.into_iter().zip([near.vertex_face.len(), usize::MAX]) {
            first_contacts(&x0, &x1, list, scratch, hits)?;
            for i in 0..hits.len() {
                let swapped = hits.candidate[i] as usize >= swapped_from;
                let normal = if swapped { -hits.normal[i] } else { hits.normal[i] };
                // What touches and parts is no collision: so does what has just been answered.
                let approaches = normal.dot(a.velocity - b.velocity) < 0.0;
                if approaches && earliest.is_none_or(|(t, _)| hits.t[i] < t) {
                    earliest = Some((hits.t[i], normal));
                }
            }
        }
        Ok(earliest)
    }

    /// One step of `dt` (s): to the first contact, an elastic impulse, on with the rest. Returns how many contacts there were.
    fn step(&mut self, dt: f64) -> Result<u32, Failed> {
        let (mut left, mut count) = (dt, 0);
        while let Some((t, normal)) = self.first_touch(left)? {
            let [a, b] = &mut self.bodies;
            for body in [&mut *a, &mut *b] {
                // Never late: at t they do not yet overlap.
                body.place += body.velocity * (left * t);
            }
            left *= 1.0 - t;
            let closing = normal.dot(a.velocity - b.velocity);
            let impulse = normal * (-2.0 * closing / (1.0 / a.mass + 1.0 / b.mass));
            a.velocity += impulse / a.mass;
            b.velocity -= impulse / b.mass;
            count += 1;
            if count == 20 {
                return Err("twenty contacts in one step: they are jammed".into());
            }
        }
        for body in &mut self.bodies {
            body.place += body.velocity * left;
        }
        Ok(count)
    }

    /// Momentum (N·s) and kinetic energy (J).
    fn motion(&self) -> (DVec3, f64) {
        let [a, b] = &self.bodies;
        let energy = |x: &Body| 0.5 * x.mass * x.velocity.mag_sq();
        (a.velocity * a.mass + b.velocity * b.mass, energy(a) + energy(b))
    }
}

/// Sixty steps of a ball that falls and a slab that rises, with the ball as first or second body.
fn run(ball_first: bool) -> Result<DVec3, Failed> {
    let (ball, slab) = (icosphere(0.3, 3)?, cuboid(DVec3::new(2.0, 2.0, 0.2), [8, 8, 2])?);
    let falls = Body::new(&ball, DVec3::new(0.1, 0.05, 1.0), DVec3::new(0.3, 0.1, -2.0), 1.0)?;
    let rises = Body::new(&slab, DVec3::zero(), DVec3::new(0.0, 0.0, 0.5), 3.0)?;
    let mut pair = match ball_first {
        true => Pair::new([&ball, &slab], [falls, rises]),
        false => Pair::new([&slab, &ball], [rises, falls]),
    };
    let (momentum, energy) = pair.motion();
    let (mut hits, mut gap) = (0, f64::INFINITY);
    for _ in 0..60 {
        hits += pair.step(1.0 / 60.0)?;
        let [a, b] = &pair.bodies;
        let (ball, slab) = if ball_first { (a, b) } else { (b, a) };
        let lowest = ball.at(ball.place).iter().fold(f64::INFINITY, |low, p| low.min(p.z));
        gap = gap.min(lowest - (slab.place.z + 0.1));
    }
    let (p, e) = pair.motion();
    let (lost, gained) = ((p - momentum).mag(), e - energy);
    println!(
        "contacts: {hits}; smallest gap after a step {gap:.1e} m; momentum off by {lost:.1e} N·s, energy by {gained:.1e} J"
    );
    if hits == 0 || gap < 0.0 || lost > 1e-12 || gained.abs() > 1e-12 {
        return Err("they went through each other, or something was lost".into());
    }
    Ok(pair.bodies[usize::from(!ball_first)].velocity)
}

fn main() -> Result<(), Failed> {
    let ball = [run(true)?, run(false)?];
    println!("the ball goes on with {:?} m/s", ball[0]);
    if (ball[0] - ball[1]).mag() > 1e-12 {
        return Err("it matters which body is called the first".into());
    }
    Ok(())
}
