//! Discrete penalty contact forces with damping and anchored friction.
