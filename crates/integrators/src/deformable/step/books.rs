//! The books of a finished step: what held the nodes, who worked, what was leaked.

use super::super::operator::{ElasticOperator, matrix};
use super::super::system::ElasticSystem;
use super::{Books, reset};
use crate::Scheme;
use impinge_contact::NONE;
use impinge_geometry::DVec3;

impl ElasticOperator {
    /// The books of the finished step. `impulse` as given to [`ElasticOperator::respond`], or zeros.
    pub fn books(&mut self, system: &ElasticSystem, impulse: &[DVec3], out: &mut Books) {
        let mut s = std::mem::take(&mut self.step);
        let (blocks, nodes, h, tau) = (system.layout.blocks(), system.nodes(), s.h, s.tau);
        let implicit = !matches!(s.scheme, Scheme::SymplecticEuler | Scheme::ExplicitEuler);
        // What the equations left over: rounding on free rows, the reaction of the grip on pinned ones.
        match s.scheme {
            Scheme::ImplicitEuler => {
                reset(&mut s.product, blocks);
                reset(&mut s.g, blocks);
                matrix(system, &self.values).apply(&s.w, &mut s.product, &mut self.apply);
                for i in 0..blocks {
                    s.g[i] = s.product[i] - s.rhs[i] - s.load[i];
                }
            }
            Scheme::ImplicitEulerNewton | Scheme::ImplicitMidpoint => {
                let _ = self.residual(system, &mut s);
            }
            _ => {}
        }
        out.held.clear();
        out.held.resize(nodes, DVec3::zero());
        out.tied.clear();
        out.tied.resize(system.rigid.len(), [DVec3::zero(); 2]);
        out.leak = DVec3::zero();
        (out.work_held, out.work_elastic, out.work_drag) = (0.0, 0.0, 0.0);
        // J of energies and dampers on each block, into `delta`.
        reset(&mut s.delta, blocks);
        for i in 0..blocks {
            s.delta[i] = if implicit {
                (self.mass_times(system, i, s.w[i] - s.aim[i]) - s.load[i] - s.g[i]) * (h / tau)
            } else {
                s.rhs[i] * h
            };
        }
        // What a pinned node got that none of these explains came from its pin.
        for p in &system.pins {
            let i = p.node as usize;
            let given = self.mass_times(system, i, s.w[i] - s.external[i]) - impulse[i];
            out.held[i] += given - s.delta[i];
        }
        // Ties and mass damping are taken out of it and booked where they act.
        let at = if implicit { &s.w } else { &s.u0 };
        for (t, tie) in system.ties.iter().enumerate() {
            let rate = self.tie_rate(system, t, at);
            let span = s.x0[tie.node as usize] - self.ties[t].point
                + if implicit { rate * tau } else { DVec3::zero() };
            let j = (span * tie.stiffness + rate * tie.damping) * -h;
            let node = tie.node as usize;
            self.add_tie_force(system, t, -j, &mut s.delta);
            if system.tie_row[t] == NONE {
                out.held[node] += j;
            } else {
                let tied = &mut out.tied[system.tie_row[t] as usize];
                tied[0] -= j;
                tied[1] -= self.ties[t].arm.cross(j);
                // Applied at the node and at the grip where they stood at the start.
                out.leak += (s.x0[node] - self.ties[t].point).cross(j);
            }
        }
        for i in 0..nodes {
            let j = at[i] * (-h * system.mass_damping[i]);
            s.delta[i] -= j;
            out.held[i] += j;
            out.leak += s.x0[i].cross(s.delta[i]);
        }
        self.step = s;
        for i in 0..blocks {
            let s = &self.step;
            let (u0, end) = (s.u0[i], self.velocity(system, i));
            let inner = self.mass_times(system, i, end - s.external[i]) - impulse[i];
            out.work_elastic += 0.5 * inner.dot(u0 + end);
            if i < nodes {
                out.work_held += 0.5 * out.held[i].dot(u0 + end);
                let at = if implicit { s.w[i] } else { u0 };
                out.work_drag -= 0.5 * h * system.mass_damping[i] * at.dot(u0 + end);
            }
        }
        out.work_elastic -= out.work_held;
        out.work_held -= out.work_drag;
        let x: Vec<DVec3> = (0..nodes).map(|i| self.position(system, i)).collect();
        let spans: Vec<DVec3> = (0..system.ties.len())
            .map(|t| {
                let rate = self.tie_rate(system, t, &self.step.w);
                self.step.x0[system.ties[t].node as usize] - self.ties[t].point + rate * h
            })
            .collect();
        out.energy = self.energy(system, &x, |t, _| spans[t]);
    }
}
