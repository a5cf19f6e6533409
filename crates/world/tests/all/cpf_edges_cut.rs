//! Friction of two edges of which one is divided: a soft bar under a board that hangs over on both sides, cut beside the board's end.

use impinge_ccd::{Kind, contact_normal};
use impinge_contact::{Contacts, Damping, FrictionLaw, PairLaw, SlipRule, SlipState, Surface, SurfaceMap};
use impinge_cpf::{TrackedRow, from_feature};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_world::{
    AttachTo, BodyDesc, Change, Decisions, Deformable, List, Mass, NodeState, Response, Simulation, Tracked,
};

/// Where the bar is cut (m): its edges from 0.05 to 0.1 are divided there, and the board's end crosses them at 0.075.
const CUT: f64 = 0.06;

/// The bar's slot is 0, or 1 when the board is `first`.
struct Bar {
    sim: Simulation,
    board: TriMesh,
    first: bool,
}

/// An open contact of edges: the points at its four vertices (m) and what is remembered of it.
struct Open {
    x: [DVec3; 4],
    row: TrackedRow,
}

impl Open {
    fn at(&self) -> DVec3 {
        self.x[0] * self.row.weight[0] + self.x[1] * self.row.weight[1]
    }

    /// How far the friction spring is stretched (m).
    fn stretch(&self) -> DVec3 {
        let w = &self.row.weight;
        let n = contact_normal(Kind::EdgeEdge, &self.x, &self.x, 0.0, self.row.side, w);
        self.at() - from_feature(Kind::EdgeEdge, &self.x, w, n, self.row.anchor).unwrap()
    }

    fn lengths(&self) -> [f64; 2] {
        [(self.x[1] - self.x[0]).mag(), (self.x[3] - self.x[2]).mag()]
    }
}

impl Bar {
    /// At rest under gravity that leans.
    fn new(first: bool) -> Self {
        let tets = generators::tet_box(DVec3::new(0.2, 0.06, 0.1), [4, 2, 2]).unwrap();
        let soft = Material::new(1e4, 0.3, 200.0).with_rayleigh(0.0, 0.02);
        let bar = Deformable::solid("bar", &tets, Model::Corotational, &soft).unwrap();
        let bar =
            BodyDesc::deformable("bar", bar.pinned(AttachTo::World, |x| x.z < -0.049), Pose::identity());
        let board = generators::cuboid(DVec3::new(0.1, 0.14, 0.05), [1, 1, 1]).unwrap();
        let pose = Pose::from_position(DVec3::new(0.025, 0.0, 0.075));
        let load = BodyDesc::rigid("board", &board, Mass::Total(0.2), pose).unwrap();
        let law = PairLaw {
            damping: Damping::KelvinVoigt(2.0),
            friction: Some(FrictionLaw {
                mu_s: 0.8,
                mu_k: 0.8,
                k_fp: 2e3,
                k_fd: 2.0,
                k_omega: 1e3,
                rule: SlipRule::ReturnMap,
            }),
            ..PairLaw::elastic(2e3)
        };
        let b = Simulation::builder(1e-3)
            .gravity(DVec3::new(1.5, 0.7, -9.0))
            .scheme(Scheme::ImplicitEuler)
            .law(law)
            .response(Response::cpf());
        let b = if first { b.body(load).body(bar) } else { b.body(bar).body(load) };
        let mut bar = Self { sim: b.build().unwrap(), board, first };
        (0..800).for_each(|_| bar.sim.step().unwrap());
        bar
    }

    fn cut(&mut self) {
        let slot = u32::from(self.first);
        let x = self.sim.column::<NodeState>().x.clone();
        let value = x[self.sim.nodes_of(slot)].iter().map(|x| x.x - CUT).collect();
        let cut = Change::Cut { value, within: None, options: CutOptions::default() };
        self.sim.edit(slot, cut).unwrap();
    }

    /// Contacts of edges, held ones.
    fn open(&self) -> Vec<Open> {
        let (map, nodes) = (self.sim.column::<SurfaceMap>(), self.sim.column::<NodeState>());
        let board = u32::from(!self.first);
        let place = |v: u32| match map.at_nodes(v, &nodes.x) {
            Some(x) => x,
            None => self
                .sim
                .pose(board)
                .point_to_world(self.board.positions()[(v - map.first(board as usize)) as usize]),
        };
        let tracked = self.sim.column::<Tracked>();
        let edges = &tracked.0[List::Edges as usize];
        let all = (0..edges.len()).map(|i| edges.row(i)).filter(|r| r.grip == SlipState::Static);
        all.map(|row| Open { x: row.stencil.map(place), row }).collect()
    }

    /// Friction (N) between edges beyond the cut.
    fn friction(&self) -> DVec3 {
        let (contacts, decisions) = (self.sim.column::<Contacts>(), self.sim.column::<Decisions>());
        let surface = self.sim.column::<Surface>();
        let edges = (0..contacts.len()).filter(|&i| impinge_cpf::vertex_and_face(contacts.key[i]).is_none());
        let mut sum = DVec3::zero();
        for i in edges {
            let (s, w) = (contacts.stencil[i], contacts.weight[i]);
            let at = surface.x0[s[0] as usize] * w[0] + surface.x0[s[1] as usize] * w[1];
            if at.x > CUT {
                sum += decisions.mesh.row(i).friction / self.sim.dt();
            }
        }
        sum
    }
}

#[test]
fn a_pair_of_edges_keeps_its_stretch_when_one_of_them_is_divided() {
    for first in [false, true] {
        let mut bar = Bar::new(first);
        let before = bar.open();
        assert!(before.len() >= 4, "{} pairs of edges are held", before.len());
        assert!(before.iter().any(|o| o.stretch().mag() > 1e-6), "no spring is stretched");
        bar.cut();
        let after = bar.open();
        let mut divided = 0;
        for old in &before {
            let mut same = after.iter().filter(|new| (new.at() - old.at()).mag() < 1e-9);
            let (new, none) = (same.next().expect("it is still open"), same.next());
            assert!(none.is_none(), "two pieces hold at {:?}", old.at());
            let [s, t] = [old.stretch(), new.stretch()];
            assert!((s - t).mag() < 1e-12, "board first {first}: stretched by {t:?} instead of {s:?}");
            let [l, m] = [old.lengths(), new.lengths()];
            divided += usize::from((l[0] - m[0]).abs() > 1e-3 || (l[1] - m[1]).abs() > 1e-3);
        }
        assert!(divided >= 2, "{divided} edges in contact were divided");
    }
}

#[test]
fn a_pair_of_edges_rubs_as_before_when_one_of_them_is_divided() {
    for first in [false, true] {
        let [cut, whole] = [true, false].map(|cut| {
            let mut bar = Bar::new(first);
            if cut {
                bar.cut();
            }
            bar.sim.step().unwrap();
            bar.friction()
        });
        // Anchors set anew would leave the dampers, whose share in what is at rest is small.
        let ratio = cut.dot(whole) / whole.mag_sq();
        assert!(whole.mag() > 0.02, "{whole:?}");
        assert!(ratio > 0.7 && ratio < 1.3, "board first {first}: {cut:?} N instead of {whole:?} N");
    }
}
