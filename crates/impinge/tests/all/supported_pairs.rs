//! The table of supported pairs says what the pipeline does: wherever [`ContactResponse::directions`](impinge::world::ContactResponse::directions) promises a test, a vertex that is
//! inside gets a force, whichever of the two bodies was added first.

use impinge::elasticity::rod::Section;
use impinge::prelude::*;
use impinge::world::{ClothSpec, Deformable, Family, ShapeKind};

/// A body that ends at z = 0 from below, or one that starts 2 mm lower and goes up: the two overlap.
fn body(kind: ShapeKind, name: &str, above: bool) -> BodyDesc {
    let down = DVec3::unit_z() * -2e-3;
    match kind {
        ShapeKind::Plane if above => BodyDesc::plane(name, -DVec3::unit_z(), -down.z),
        ShapeKind::Plane => BodyDesc::plane(name, DVec3::unit_z(), 0.0),
        ShapeKind::Points => BodyDesc::particles(name, vec![if above { down } else { DVec3::zero() }], 1.0),
        ShapeKind::Cable => {
            let line = [-0.05, 0.0, 0.05].map(|x| DVec3::unit_x() * x);
            let section = Section { ea: 1e3, ei: [0.0; 2], gj: 0.0, linear_density: 1.0 };
            let at = if above { down } else { DVec3::zero() };
            let cable = Deformable::cable(name, &line, &section, [0.0; 2]).unwrap();
            BodyDesc::deformable(name, cable, Pose::from_position(at))
        }
        ShapeKind::Sheet => {
            let at = if above { down } else { DVec3::zero() };
            let x = [[-0.05, -0.05, 0.0], [0.05, -0.05, 0.0], [0.05, 0.05, 0.0], [-0.05, 0.05, 0.0]];
            let sheet = TriMesh::from_arrays(&x, &[[0, 1, 2], [0, 2, 3]]).unwrap();
            let spec = ClothSpec {
                young: 1e5,
                poisson: 0.3,
                thickness: 1e-3,
                density: 1000.0,
                bending: 0.1,
                rayleigh: [0.0, 0.0],
            };
            BodyDesc::deformable(
                name,
                Deformable::cloth(name, &sheet, &spec).unwrap(),
                Pose::from_position(at),
            )
        }
        ShapeKind::Open => {
            let ground = generators::grid([0.2, 0.2], [2, 2]).unwrap();
            BodyDesc::fixed(name, ground, Pose::identity()).unwrap()
        }
        ShapeKind::Mesh => {
            let cube = generators::cuboid(DVec3::broadcast(0.2), [2, 2, 2]).unwrap();
            let z = if above { DVec3::unit_z() * 0.1 + down } else { DVec3::unit_z() * -0.1 };
            BodyDesc::rigid(name, &cube, Mass::Total(1.0), Pose::from_position(z)).unwrap()
        }
    }
}

#[test]
fn every_supported_pair_of_shapes_meets_in_either_order() {
    let mut wrong = Vec::new();
    for below in ShapeKind::ALL {
        for above in ShapeKind::ALL {
            // Open meshes do not move: they are below, and planes do not move either.
            let still = above == ShapeKind::Open || [below, above] == [ShapeKind::Open, ShapeKind::Plane];
            if still || !Family::PENALTY.response().directions(below, above).any() {
                continue;
            }
            for swapped in [false, true] {
                let (a, b) = (body(below, "below", false), body(above, "above", true));
                let builder = Simulation::builder(1e-4).law(PairLaw::elastic(1e3));
                let builder = if swapped { builder.body(b).body(a) } else { builder.body(a).body(b) };
                let mut sim = builder.build().unwrap();
                sim.step().unwrap();
                let (below_slot, above_slot) = (sim.slot("below").unwrap(), sim.slot("above").unwrap());
                let (up, down) = (sim.contact_force(above_slot).z, sim.contact_force(below_slot).z);
                if !(up > 0.0 && (up + down).abs() < 1e-12) {
                    let order = if swapped { "upper added first" } else { "lower added first" };
                    wrong.push(format!(
                        "{} under {}, {order}: {up} N and {down} N",
                        below.name(),
                        above.name()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "expected a push up and its reaction:\n{}", wrong.join("\n"));
}
