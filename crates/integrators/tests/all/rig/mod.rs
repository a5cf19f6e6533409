//! Deformable bodies, stepped through the function-level interface.
#![allow(dead_code, reason = "each test file uses a part")]

use impinge_contact::{BodyDofs, Prediction};
use impinge_elasticity::Material;
use impinge_elasticity::tet::{Model, TetElements};
use impinge_geometry::{DVec3, TetMesh, generators};
use impinge_integrators::{
    Books, ElasticBody, ElasticError, ElasticOperator, ElasticReport, ElasticSettings, ElasticSystem, Energy,
    Pin, Scheme, StepInput, Tie,
};

pub struct Rig {
    pub system: ElasticSystem,
    pub operator: ElasticOperator,
    pub settings: ElasticSettings,
    pub scheme: Scheme,
    pub dt: f64,
    pub gravity: DVec3,
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    pub guess: Vec<DVec3>,
    pub mass: Vec<f64>,
    pub books: Books,
}

impl Rig {
    pub fn new(
        mesh: &TetMesh,
        model: Model,
        material: &Material,
        pins: Vec<Pin>,
        ties: Vec<Tie>,
        scheme: Scheme,
        dt: f64,
    ) -> Self {
        Self::of_bodies(&[(mesh, material)], model, pins, ties, scheme, dt)
    }

    /// Nodes of the bodies one after the other.
    pub fn of_bodies(
        bodies: &[(&TetMesh, &Material)],
        model: Model,
        pins: Vec<Pin>,
        ties: Vec<Tie>,
        scheme: Scheme,
        dt: f64,
    ) -> Self {
        let (mut mass, mut x, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (mesh, material) in bodies {
            let tets = TetElements::new(mesh, model, material).unwrap();
            x.extend_from_slice(mesh.positions());
            mass.extend_from_slice(tets.masses());
            parts.push(ElasticBody {
                masses: tets.masses().to_vec(),
                energies: vec![Energy::Tets(tets)],
                mass_damping: material.rayleigh_mass,
                stiffness_damping: material.rayleigh_stiffness,
            });
        }
        let system = ElasticSystem::new(parts, pins, ties).unwrap();
        let n = mass.len();
        Self {
            system,
            operator: ElasticOperator::default(),
            settings: ElasticSettings::default(),
            scheme,
            dt,
            gravity: DVec3::zero(),
            x,
            v: vec![DVec3::zero(); n],
            guess: Vec::new(),
            mass,
            books: Books::default(),
        }
    }

    pub fn predict(&mut self) -> Result<ElasticReport, ElasticError> {
        let free: Vec<DVec3> = self.v.iter().map(|v| *v + self.gravity * self.dt).collect();
        let bodies = BodyDofs::default();
        let prediction = Prediction::default();
        let input = StepInput {
            dt: self.dt,
            scheme: self.scheme,
            x: &self.x,
            v: &self.v,
            free: &free,
            guess: &self.guess,
            bodies: bodies.view(),
            prediction: &prediction,
        };
        self.operator.predict(&self.system, &input, &self.settings)
    }

    pub fn step_with(&mut self, impulse: &[DVec3]) -> Result<ElasticReport, ElasticError> {
        let report = self.predict()?;
        let n = self.x.len();
        let ahead: Vec<DVec3> = (0..n).map(|i| self.operator.velocity(&self.system, i) - self.v[i]).collect();
        self.operator.respond(&self.system, impulse, &self.settings)?;
        self.operator.books(&self.system, impulse, &mut self.books);
        self.x = (0..n).map(|i| self.operator.position(&self.system, i)).collect();
        self.v = (0..n).map(|i| self.operator.velocity(&self.system, i)).collect();
        self.guess = ahead;
        Ok(report)
    }

    pub fn step(&mut self) -> ElasticReport {
        let none = vec![DVec3::zero(); self.x.len()];
        self.step_with(&none).unwrap_or_else(|e| panic!("{e}"))
    }

    pub fn momentum(&self) -> DVec3 {
        self.v.iter().zip(&self.mass).fold(DVec3::zero(), |s, (v, m)| s + *v * *m)
    }

    pub fn angular(&self) -> DVec3 {
        (0..self.x.len()).fold(DVec3::zero(), |s, i| s + self.x[i].cross(self.v[i] * self.mass[i]))
    }

    pub fn kinetic(&self) -> f64 {
        self.v.iter().zip(&self.mass).map(|(v, m)| 0.5 * m * v.mag_sq()).sum()
    }

    pub fn scale(&self) -> (f64, f64) {
        let p: f64 = self.v.iter().zip(&self.mass).map(|(v, m)| v.mag() * m).sum();
        let l: f64 = (0..self.x.len()).map(|i| self.x[i].mag() * self.v[i].mag() * self.mass[i]).sum();
        (p, l)
    }

    /// Spins the body about its middle and lets it fly.
    pub fn throw(&mut self, velocity: DVec3, spin: DVec3) {
        for (v, x) in self.v.iter_mut().zip(&self.x) {
            *v = velocity + spin.cross(*x);
        }
    }

    /// Strains it: x ↦ scale x.
    pub fn stretch(&mut self, scale: DVec3) {
        self.x.iter_mut().for_each(|x| *x *= scale);
    }
}

pub fn block() -> TetMesh {
    generators::tet_box(DVec3::new(0.4, 0.2, 0.2), [4, 2, 2]).unwrap()
}

pub fn rubber() -> Material {
    Material::new(1e5, 0.3, 1000.0)
}
