//! Laws of pressure that are not linear, on tets: columns and layers in closed form, the energy, and what is refused.

use impinge_geometry::{DVec3, Pose, TetMesh, TetTopology, rotor_from_rotation_vector, tet_box};
use impinge_pressure::{
    BodyError, CompliantBody, ContactSurface, FieldLaw, HalfSpace, LayerLaw, Rule, Shape, Workspace, contact,
    energy, fields,
};
use std::f64::consts::PI;

const LAWS: [(LayerLaw, f64); 2] = [(LayerLaw::Logarithmic, 0.95), (LayerLaw::Bounded { bound: 0.8 }, 0.75)];

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = ContactSurface::new();
    contact(a, pa, b, pb, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

/// A layer of thickness 0.1 m and side 0.4 m, strain 0 at its underside (z = 0) and 1 at its bonded top.
fn layer(modulus: f64) -> CompliantBody {
    let up = DVec3::new(0.0, 0.0, 0.05);
    let mesh = tet_box(DVec3::new(0.4, 0.4, 0.1), [3, 3, 1]).unwrap().mapped(|p| p + up).unwrap();
    let strain = mesh.positions().iter().map(|p| p.z / 0.1).collect();
    CompliantBody::new(mesh, strain, modulus).unwrap()
}

fn bent(body: &CompliantBody, law: LayerLaw, most: f64, tolerance: f64) -> Shape {
    fields::bend(body, &FieldLaw::new(law, most).unwrap(), tolerance).unwrap().into()
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}

fn turned(position: DVec3, w: DVec3) -> Pose {
    Pose::new(position, rotor_from_rotation_vector(w))
}

fn ground() -> Shape {
    HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into()
}

/// Pressed flat by a rigid plane every point has the same strain: F = A E f(d/H).
#[test]
fn a_flat_layer_meets_its_law() {
    for (law, most) in LAWS {
        for tolerance in [0.1, 0.01, 0.001] {
            let shape = bent(&layer(1e5), law, most, tolerance);
            for i in 1..40 {
                let s = most * f64::from(i) / 40.0;
                let want = 0.16 * 1e5 * law.pressure(s);
                let f = query(&shape, &at(-0.1 * s), &ground(), &Pose::identity()).wrench.force.z;
                assert!(
                    (f / want - 1.0).abs() <= tolerance * (1.0 + 1e-9),
                    "{law:?} {tolerance} {s}: {f} for {want}"
                );
            }
        }
    }
}

/// Past `most` the law goes on along its tangent: the bound of the law itself would be infinite there.
#[test]
fn past_the_last_strain_the_law_is_its_tangent() {
    for (law, most) in LAWS {
        let shape = bent(&layer(1e5), law, most, 0.01);
        let s = 0.5 * (most + 1.0);
        let want = 0.16 * 1e5 * (law.pressure(most) + law.slope(most) * (s - most));
        let f = query(&shape, &at(-0.1 * s), &ground(), &Pose::identity()).wrench.force.z;
        assert!((f / want - 1.0).abs() <= 0.01, "{law:?}: {f} for {want}");
    }
}

/// Pressed by a tilted plane, strains from s₁ to s₂ along one side: the mean of f is (F(s₂) − F(s₁))/(s₂ − s₁), F being its integral.
#[test]
fn a_tilted_plane_feels_the_mean_of_the_law() {
    for (law, most) in LAWS {
        let body = layer(1e5);
        let (s1, s2) = (0.1, 0.7 * most);
        let tilt = (0.1 * (s2 - s1) / 0.4f64).atan();
        // The plane through depth s₁ H at x = −0.2 and s₂ H at x = 0.2 in the frame of the layer.
        let normal = DVec3::new(-tilt.sin(), 0.0, tilt.cos());
        let middle = DVec3::new(0.0, 0.0, 0.05 * (s1 + s2));
        let plane: Shape = HalfSpace::rigid(normal, normal.dot(middle)).unwrap().into();
        let want = 0.16 / tilt.cos() * 1e5 * (law.energy(s2) - law.energy(s1)) / (s2 - s1);
        let mut before = f64::INFINITY;
        for tolerance in [0.1, 0.01, 0.001] {
            let shape = bent(&body, law, most, tolerance);
            let f = query(&shape, &Pose::identity(), &plane, &Pose::identity()).wrench.force.mag();
            let off = (f / want - 1.0).abs();
            assert!(off <= tolerance && off < before, "{law:?} {tolerance}: {f} for {want}");
            before = off;
        }
    }
}

/// Two layers with different laws, thicknesses alike: the strains share the depth so that the pressures are equal. No plane of equal
/// pressure is given to the query; it has to find where the chords meet.
#[test]
fn two_layers_in_series() {
    let [(log, a), (bounded, b)] = LAWS;
    let (upper, lower) = (bent(&layer(1e5), log, a, 1e-3), bent(&layer(3e5), bounded, b, 1e-3));
    // The lower one upside down: its soft side looks up.
    let below = turned(DVec3::zero(), DVec3::unit_x() * PI);
    for d in [0.002, 0.02, 0.06, 0.1] {
        let (mut lo, mut hi) = (0.0, (d / 0.1f64).min(a));
        for _ in 0..200 {
            let s = 0.5 * (lo + hi);
            let other = d / 0.1 - s;
            let more = 1e5 * log.pressure(s) > 3e5 * bounded.pressure(other);
            *if more { &mut hi } else { &mut lo } = s;
        }
        let want = 0.16 * 1e5 * log.pressure(lo);
        let s = query(&upper, &at(-d), &lower, &below);
        assert!((s.wrench.force.z / want - 1.0).abs() <= 1e-3, "{d}: {} for {want}", s.wrench.force.z);
        assert!((s.area / 0.16 - 1.0).abs() < 1e-9, "{d}: area {}", s.area);
    }
}

/// A ball whose strain is 1 − r/R on a plane: F = ∫ E f(1 − r/R) dA over the cut, against Simpson's rule.
#[test]
fn a_ball_on_a_plane() {
    let (r, e, h) = (0.05, 1e5, 0.03);
    let ball = fields::sphere(r, r / 12.0, e).unwrap();
    for (law, most) in LAWS {
        let rim = f64::sqrt(r * r - h * h);
        let n = 2000;
        let of = |x: f64| x * law.pressure((1.0 - f64::hypot(x, h) / r).max(0.0));
        let sum: f64 = (0..=n)
            .map(|i| {
                let w = if i == 0 || i == n {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                w * of(rim * f64::from(i) / f64::from(n))
            })
            .sum();
        let want = 2.0 * PI * e * sum * rim / f64::from(n) / 3.0;
        let pose = turned(DVec3::new(0.0, 0.0, h), DVec3::new(0.3, -0.2, 0.7));
        let linear = query(&ball.clone().into(), &pose, &ground(), &Pose::identity()).wrench.force.z;
        let f = query(&bent(&ball, law, most, 0.01), &pose, &ground(), &Pose::identity()).wrench.force.z;
        // Facets cost 4e-3 of the force at R/32 and second order (B13), chords 1 %.
        assert!((f / want - 1.0).abs() < 4e-3 * (32.0f64 / 12.0).powi(2) + 0.01, "{law:?}: {f} for {want}");
        assert!(f > 1.15 * linear, "{law:?}: {f} beside {linear}");
    }
}

/// The force is −∂U/∂z of the energy with chords, between two bent bodies and against the ground.
#[test]
fn the_energy_gives_the_force() {
    let ball = fields::sphere(0.05, 0.0125, 1e5).unwrap();
    let other = fields::cuboid(DVec3::new(0.2, 0.2, 0.1), 3e5).unwrap();
    let ball = bent(&ball, LayerLaw::Logarithmic, 0.9, 0.02);
    for (below, z) in
        [(bent(&other, LayerLaw::Bounded { bound: 1.2 }, 1.0, 0.02), 0.0793), (ground(), 0.0321)]
    {
        let pose = |z: f64| turned(DVec3::new(0.011, -0.007, z), DVec3::unit_x() * 0.3);
        let f = query(&ball, &pose(z), &below, &Pose::identity()).wrench.force.z;
        let u = |z: f64| energy(&ball, &pose(z), &below, &Pose::identity()).unwrap();
        let slope = (u(z + 1e-6) - u(z - 1e-6)) / 2e-6;
        assert!(f > 1.0 && (f + slope).abs() <= 1e-5 * f, "{f} N, energy {slope}");
    }
}

/// Cut tets fill what the whole ones did, side by side.
#[test]
fn the_cut_mesh_is_conforming() {
    let ball = fields::sphere(0.05, 0.0125, 1e5).unwrap();
    let cut = fields::bend(&ball, &FieldLaw::new(LayerLaw::Logarithmic, 0.9).unwrap(), 0.02).unwrap();
    let (before, after) = (ball.mesh(), cut.mesh());
    assert!(after.tets().len() > 5 * before.tets().len(), "{}", after.tets().len());
    let volume = |m: &TetMesh| m.volumes().iter().sum::<f64>();
    assert!((volume(after) / volume(before) - 1.0).abs() < 1e-12);
    let topology = TetTopology::new(after);
    assert_eq!((topology.non_manifold_faces(), topology.misoriented_faces().len()), (0, 0));
    // The surface of the ball has extent 0 everywhere and is not cut.
    assert_eq!(topology.boundary_faces(), TetTopology::new(before).boundary_faces());
}

#[test]
fn a_linear_law_changes_nothing() {
    let ball = fields::sphere(0.05, 0.0125, 1e5).unwrap();
    let same = fields::bend(&ball, &FieldLaw::new(LayerLaw::Linear, 1.0).unwrap(), 1e-3).unwrap();
    assert_eq!((ball.mesh().tets(), ball.extent()), (same.mesh().tets(), same.extent()));
}

#[test]
fn bad_laws_are_refused_with_the_reason() {
    let ball = fields::sphere(0.05, 0.0125, 1e5).unwrap();
    let says = |r: Result<CompliantBody, BodyError>, what: &str| {
        let e = r.unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    };
    let with = |f: fn(f64) -> f64| fields::bend_with(&ball, f, 0.01);
    says(with(|s| 1.0 + s), "start at 0");
    says(with(|s| s * (1.0 - s)), "has to grow");
    says(with(|s| (s / (0.5 - s)).max(0.0)), "has to grow");
    says(with(|s| if s > 0.5 { f64::NAN } else { s }), "finite");
    let fine = fields::sphere(0.05, 1.3e-3, 1e5).unwrap();
    let law = FieldLaw::new(LayerLaw::Logarithmic, 0.9).unwrap();
    says(fields::bend(&fine, &law, 1e-3), "take a larger tolerance than 0.001, or larger tets");
    says(with(|s| if s > 0.3 { 1.0 + s } else { s }), "jumps");
    says(fields::bend_with(&ball, |s| s * (1.0 + s), f64::NAN), "tolerance");
    says(fields::bend_with(&ball, |s| s * (1.0 + s), 0.0), "tolerance");
    says(fields::bend_with(&ball, |s| s * (1.0 + s), 1e-6), "chords");
    let negative =
        CompliantBody::new(ball.mesh().clone(), ball.extent().iter().map(|e| e - 0.1).collect(), 1e5);
    says(fields::bend_with(&negative.unwrap(), |s| s * (1.0 + s), 0.01), "strain is 0 or more");
    for (law, most) in [
        (LayerLaw::Logarithmic, 1.0),
        (LayerLaw::Bounded { bound: 0.5 }, 0.6),
        (LayerLaw::Linear, 0.0),
        (LayerLaw::Linear, f64::NAN),
    ] {
        assert!(FieldLaw::new(law, most).is_err(), "{law:?} {most}");
    }
}
