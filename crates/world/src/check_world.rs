//! Everything a world is refused for, before its first step.

use crate::body::{BodyDesc, Motion};
use crate::build_error::{BuildError, known_slots, positive};
use crate::builder::Builder;
use crate::check::{check_responses, number_of};
use crate::check_actuators::check_actuators;
use crate::check_counts::check_counts;
use crate::check_numbers::{check_locked, check_numbers};
use crate::check_thickness;
use crate::open::surfaces::{check_surface, put_in};
use crate::seen::SeenBody;
use impinge_bodies::Shape;
use impinge_contact::BodyChanges;
use impinge_geometry::{LARGEST, is_bounded};
use impinge_integrators::AnchorSpring;
use std::collections::BTreeSet;

impl Builder {
    /// Checks every body, law, rule and spring; fills the material column of the laws. Of pairs only those of the body in slot `fresh` are checked,
    /// where there is one: the others were before.
    pub(crate) fn check(&mut self, fresh: Option<usize>) -> Result<(), BuildError> {
        let bad = |s: String| Err(BuildError::BadSetting(s));
        if !(self.dt > 0.0 && self.dt <= LARGEST) {
            return bad(format!("dt is {} s; a step must be a positive time of at most 1e60 s", self.dt));
        }
        if !is_bounded(self.forces.gravity) {
            return bad("gravity is not finite, or more than 1e60; give three numbers in m/s²".to_string());
        }
        let suggested = self.laws.laws.is_empty();
        if suggested && !self.suggested.is_empty() {
            return bad(
                "without laws all of them are suggested; take `suggest` out, or give the laws".to_string()
            );
        }
        match self.friction {
            Some(_) if !suggested => {
                return bad(
                    "the friction goes with laws that are suggested; state it in the laws given".to_string()
                );
            }
            Some(mu) if !(mu.is_finite() && mu >= 0.0) => {
                return bad(format!("the friction is {mu}; it must be zero or positive"));
            }
            _ => {}
        }
        if suggested {
            self.suggest_laws();
        }
        let materials = if suggested { 1 } else { self.laws.materials };
        for law in &self.laws.laws {
            law.validate().or_else(bad)?;
        }
        check_counts(self.bodies.iter().map(|b| &b.shape)).or_else(bad)?;
        let m = self.laws.materials;
        let table_fits = (m as usize).checked_mul(m as usize) == Some(self.laws.of_materials.len())
            && self.laws.of_materials.iter().all(|&l| (l as usize) < self.laws.laws.len());
        if !table_fits {
            return bad("the table of laws does not fit the number of materials and laws".to_string());
        }
        let at = |i: u32, j: u32| self.laws.of_materials[(i * m + j) as usize];
        if let Some((i, j)) =
            (0..m).flat_map(|i| (0..i).map(move |j| (j, i))).find(|&(i, j)| at(i, j) != at(j, i))
        {
            return bad(format!(
                "materials {i} and {j} have two laws, depending on their order; give them one"
            ));
        }
        let mut names = BTreeSet::new();
        for b in &self.bodies {
            match (&b.motion, &b.shape) {
                (Motion::Rigid { mass, .. }, Shape::Mesh(m)) if !m.open => {
                    positive(&b.name, "mass (kg)", *mass)?;
                }
                (Motion::Rigid { .. }, _) => {
                    return bad(format!(
                        "body '{}': a rigid body needs a closed mesh; planes and open meshes are fixed or kinematic",
                        b.name
                    ));
                }
                (Motion::Particles { positions, velocities, masses }, Shape::Points { count }) => {
                    if [velocities.len(), masses.len(), *count].iter().any(|&n| n != positions.len()) {
                        return bad(format!(
                            "body '{}': positions, velocities and masses differ in number",
                            b.name
                        ));
                    }
                    for &mass in masses {
                        positive(&b.name, "node mass (kg)", mass)?;
                    }
                }
                (Motion::Deformable(d), Shape::Soft(s)) => {
                    let nodes = d.positions.len();
                    let carried = d.embedding.as_ref().map_or((nodes, nodes), |e| (e.nodes(), e.vertices()));
                    if d.elastic.masses.len() != nodes || carried != (nodes, s.vertices) {
                        return bad(format!(
                            "body '{}': its positions, masses, surface and embedding differ in number",
                            b.name
                        ));
                    }
                }
                (Motion::Deformable(_), _) | (_, Shape::Soft(_)) => {
                    return bad(format!(
                        "body '{}': deformables and only they have a soft surface; make them by BodyDesc::deformable",
                        b.name
                    ));
                }
                (Motion::Particles { .. }, _) | (_, Shape::Points { .. }) => {
                    return bad(format!(
                        "body '{}': free vertices and only they have the shape of points",
                        b.name
                    ));
                }
                _ => {}
            }
            b.data.check(b).or_else(bad)?;
            check_numbers(b).or_else(bad)?;
            check_surface(b).or_else(bad)?;
            check_locked(b).or_else(bad)?;
            check_actuators(b, self.dt).or_else(bad)?;
            if let Motion::Kinematic(driver) = &b.motion {
                driver.check_turn(self.dt).or_else(|e| bad(format!("body '{}': {e}", b.name)))?;
            }
            for (quantity, value) in
                [("linear drag (N·s/m)", b.linear_drag), ("angular drag (N·m·s)", b.angular_drag)]
            {
                if !(0.0..=LARGEST).contains(&value) {
                    let must = "zero or a positive number of at most 1e60";
                    return Err(BuildError::BadValue { body: b.name.clone(), quantity, value, must });
                }
            }
            if b.material >= materials {
                return bad(format!("body '{}': material {} has no law; call laws()", b.name, b.material));
            }
            if !names.insert(&b.name) {
                return bad(format!("two bodies are named '{}'; names must differ", b.name));
            }
            if !suggested {
                self.laws.material.push(b.material);
            }
        }
        if let Some((law, _)) = self.suggested.iter().find(|s| s.0 as usize >= self.laws.laws.len()) {
            return bad(format!("law {law} is to be suggested, and there are {}", self.laws.laws.len()));
        }
        if !suggested && !self.suggested.is_empty() {
            self.spread_laws();
        }
        put_in(&mut self.laws, &self.bodies, &BodyChanges::default());
        if let Some(((a, _), _)) = self.laws.exceptions.iter().find(|((a, b), _)| a == b) {
            return bad(format!("a rule names slot {a} twice; a rule is about two bodies"));
        }
        for ((a, b), _) in &self.laws.exceptions {
            known_slots("a rule", [*a, *b], self.bodies.len())?;
        }
        self.check_sensors()?;
        check_thickness::fill(&self.bodies, &self.thickness, &mut self.laws.thickness)?;
        for spring in &self.forces.anchors {
            check_spring(spring, &self.bodies).or_else(bad)?;
        }
        self.timed.iter().try_for_each(|f| f.check(&self.bodies)).or_else(bad)?;
        // The last rule for a pair holds.
        self.laws.exceptions.reverse();
        self.laws.exceptions.sort_by_key(|e| e.0);
        self.laws.exceptions.dedup_by_key(|e| e.0);
        self.number_responses()?;
        self.check_support(fresh)
    }

    fn check_support(&self, fresh: Option<usize>) -> Result<(), BuildError> {
        let seen: Vec<SeenBody<'_>> = self
            .bodies
            .iter()
            .map(|b| SeenBody {
                name: &b.name,
                shape: &b.shape,
                moved: !matches!(b.motion, Motion::Fixed | Motion::Kinematic(_)),
                fixed: matches!(b.motion, Motion::Fixed),
                limited: matches!(&b.motion, Motion::Deformable(d) if d.strain.is_some()),
                data: &b.data,
            })
            .collect();
        let mut laws = self.laws.clone();
        check_responses(&self.responses, self.scheme, &mut laws, &seen, fresh)
    }

    /// Numbers the responses of the pairs.
    fn number_responses(&mut self) -> Result<(), BuildError> {
        for (pair, response) in std::mem::take(&mut self.of_pairs) {
            known_slots("a response", [pair.0, pair.1], self.bodies.len())?;
            let number = number_of(&mut self.responses, response)?;
            self.laws.responses.retain(|r| r.0 != pair);
            if number != 0 {
                self.laws.responses.push((pair, number));
            }
        }
        self.laws.responses.sort_unstable_by_key(|r| r.0);
        Ok(())
    }
}

fn check_spring(spring: &AnchorSpring, bodies: &[BodyDesc]) -> Result<(), String> {
    let Some(body) = bodies.get(spring.body as usize) else {
        return Err(format!(
            "an anchor spring names slot {}, but there are {} bodies",
            spring.body,
            bodies.len()
        ));
    };
    let first: usize = bodies[..spring.body as usize].iter().map(|b| b.motion.nodes()).sum();
    let own = first..first + body.motion.nodes();
    let fits = match (spring.node, &body.motion) {
        (None, Motion::Rigid { .. }) => true,
        (Some(n), Motion::Particles { .. } | Motion::Deformable(_)) => own.contains(&(n as usize)),
        _ => false,
    };
    if !fits {
        return Err(format!(
            "an anchor spring of body '{}': rigid bodies take an arm and no node, particle and deformable bodies one of their nodes {own:?}, \
             other bodies no spring",
            body.name
        ));
    }
    let numbers = [spring.stiffness, spring.damping, spring.rest_length];
    if !(is_bounded(spring.arm)
        && is_bounded(spring.to)
        && numbers.iter().all(|x| (0.0..=LARGEST).contains(x)))
    {
        return Err(format!(
            "an anchor spring of body '{}': points must be finite and at most 1e60 m away; stiffness, damping and rest length zero or positive",
            body.name
        ));
    }
    Ok(())
}
