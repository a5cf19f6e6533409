//! Symplectic and explicit Euler for free vertices and rigid bodies.
