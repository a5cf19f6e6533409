//! Body pairs and vertex candidates on parry3d's BVH, rounded outward.
