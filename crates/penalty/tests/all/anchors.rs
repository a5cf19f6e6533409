//! Friction anchors are found whatever the order of contacts; a vertex that is NaN does what the text says.

use impinge_contact::{
    Anchors, Contact, ContactImpulses, Contacts, FrictionLaw, NONE, Pair, PairLaw, Pairs, PlaneContact,
    PlaneContacts, Sides, SlipRule, Surface, SurfaceRow, SurfaceVelocities, contact_key,
};
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::{Evaluate, Inputs, Params, Release, accumulate_mesh, accumulate_plane};

const PARAMS: Params = Params { dt: 1e-3, evaluate: Evaluate::End, release: Release::Force };

fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e3, k_fd: 0.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) }
}

/// Five vertices a millimetre deep in a plane, `x` (m) along it, with keys that descend; against a plane or a mesh' normal.
fn push(x: f64, depth: f64, mesh: bool, anchors: &Anchors) -> (ContactImpulses, Anchors) {
    let (mut surface, mut pairs) = (Surface::default(), Pairs::default());
    let (mut planes, mut contacts) = (PlaneContacts::default(), Contacts::default());
    pairs.push(Pair { a: 0, b: 1, law: 0, sides: Sides::Both });
    for i in 0..5u32 {
        let at = DVec3::new(x, f64::from(i), -depth);
        surface.push(SurfaceRow { x0: at, x1: at, v0: DVec3::zero(), body: 0 });
        let (pair, key, normal, area) = (0, contact_key(1, 4 - i), DVec3::unit_z(), 1.0);
        if mesh {
            let (stencil, weight) = ([i, NONE, NONE, NONE], [1.0, 0.0, 0.0, 0.0]);
            contacts.push(Contact { stencil, weight, normal, t_in: 0.0, t_out: 1.0, area, pair, key });
        } else {
            let (point, velocity) = (DVec3::new(at.x, at.y, 0.0), DVec3::zero());
            planes.push(PlaneContact { vertex: i, plane: 1, point, normal, velocity, area, pair, key });
        }
    }
    let (laws, frames) = ([law()], [Pose::identity(); 2]);
    let (mut out, mut next) = (ContactImpulses::default(), Anchors::default());
    let none = SurfaceVelocities::default();
    let inputs = Inputs {
        surface: surface.view(),
        pairs: pairs.view(),
        laws: &laws,
        frames: &frames,
        anchors,
        surface_velocities: &none,
        parts: &[],
    };
    if mesh {
        accumulate_mesh(&PARAMS, &inputs, contacts.view(), &mut out, &mut next);
    } else {
        accumulate_plane(&PARAMS, &inputs, planes.view(), &mut out, &mut next);
    }
    (out, next)
}

/// Each was laid an anchor, and is drawn back to it; where the table was not sorted, most were lost.
#[test]
fn anchors_are_found_whatever_the_order_of_contacts() {
    for mesh in [false, true] {
        let (_, anchors) = push(0.0, 1e-3, mesh, &Anchors::default());
        assert!(anchors.rows().windows(2).all(|r| r[0].0 < r[1].0) && anchors.rows().len() == 5);
        let (out, _) = push(1e-4, 1e-3, mesh, &anchors);
        for f in &out.friction {
            assert!((*f - DVec3::new(-1e3 * 1e-4 * PARAMS.dt, 0.0, 0.0)).mag() < 1e-18, "{f:?}");
        }
    }
}

#[test]
fn a_vertex_that_is_nan_is_free() {
    for mesh in [false, true] {
        let (_, anchors) = push(0.0, 1e-3, mesh, &Anchors::default());
        let (out, next) = push(0.0, f64::NAN, mesh, &anchors);
        assert!(next.rows().is_empty() && out.len() == 5);
        for i in 0..5 {
            let r = out.row(i);
            assert_eq!((r.normal, r.friction, r.depth, r.energy), (DVec3::zero(), DVec3::zero(), 0.0, 0.0));
        }
    }
}
