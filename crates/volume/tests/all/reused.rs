//! One set of depth images over bodies that come and go sees what a new one sees: nothing of an earlier call is left.

use crate::support::v3;
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, torus};
use impinge_volume::{Body, ClosedSurface, LayeredDepth};

/// What two bodies have in common, in bits: their numbers, volume, and gradient by vertex.
type Bits = Vec<(u32, u32, u64, Vec<(u32, [u64; 3])>)>;

fn bits(image: &mut LayeredDepth, meshes: &[&TriMesh], within: bool) -> Bits {
    let closed: Vec<ClosedSurface> = meshes.iter().map(|m| ClosedSurface::new(m).unwrap()).collect();
    let bodies: Vec<Body<'_>> =
        closed.iter().zip(meshes).map(|(c, m)| Body::new(c, m.positions()).unwrap()).collect();
    let of = |g: &DVec3| [g.x.to_bits(), g.y.to_bits(), g.z.to_bits()];
    let found = image.overlaps(&bodies, within, None).unwrap();
    found
        .iter()
        .map(|pair| {
            let o = &pair.overlap;
            let rows = (0..o.cells().len()).flat_map(|c| [0, 1].map(|side| o.gradient(c, side)));
            let rows = rows.flat_map(|(v, g)| v.iter().copied().zip(g.iter().map(of)));
            (pair.bodies[0] as u32, pair.bodies[1] as u32, o.volume().to_bits(), rows.collect())
        })
        .collect()
}

#[test]
fn nothing_of_an_earlier_call_is_left() {
    let shifted = |m: &TriMesh, by: DVec3| m.mapped(|p| p + by).unwrap();
    // More triangles than are looked at in one go, most of them out of reach; one wholly in reach of the rays; one that is nowhere near.
    let large = torus(1.0, 0.35, 120, 60).unwrap();
    let ball = shifted(&icosphere(0.3, 3).unwrap(), v3(1.2, 0.1, 0.05));
    let small = shifted(&cuboid(v3(0.2, 0.2, 0.2), [2; 3]).unwrap(), v3(1.0, 0.0, 0.1));
    let away = shifted(&large, v3(9.0, 9.0, 9.0));
    assert!(large.triangles().len() > 8192);
    let sets: [&[&TriMesh]; 8] = [
        &[&large, &ball],
        &[&small, &large, &ball],
        &[&ball, &small],
        &[&away, &ball, &small, &large],
        &[&ball, &large],
        &[&away, &large],
        &[&ball, &away, &small],
        &[&large, &ball],
    ];
    let mut reused = LayeredDepth::new(0.02).unwrap();
    let mut pairs = 0;
    for (i, set) in sets.iter().enumerate() {
        for within in [false, true] {
            let fresh = bits(&mut LayeredDepth::new(0.02).unwrap(), set, within);
            assert_eq!(bits(&mut reused, set, within), fresh, "set {i}, with overlaps of one body: {within}");
            pairs += fresh.len();
        }
    }
    assert!(pairs >= 20, "{pairs} pairs overlap");
}
