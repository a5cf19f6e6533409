//! Rest-mesh queries: nearest point and inside/outside, on the bvh crate.
