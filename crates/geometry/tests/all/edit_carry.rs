//! State through a cut: nothing moves, no momentum is lost, masses stay where they were.

use impinge_geometry::edit::{
    CarryOptions, CutOptions, carry_cloth_state, carry_state, cut_tets, cut_triangles, lumped_areas,
    lumped_masses, plane_values, remove_tets,
};
use impinge_geometry::{DVec3, grid, tet_box, tet_sphere};
use proptest::prelude::*;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn vectors(&mut self, n: usize, size: f64) -> Vec<DVec3> {
        (0..n).map(|_| DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * size).collect()
    }
}

fn momenta(mass: &[f64], x: &[DVec3], v: &[DVec3]) -> (DVec3, DVec3, f64) {
    let mut sum = (DVec3::zero(), DVec3::zero(), 0.0);
    for n in 0..mass.len() {
        sum.0 += v[n] * mass[n];
        sum.1 += x[n].cross(v[n]) * mass[n];
        sum.2 += 0.5 * mass[n] * v[n].mag_sq();
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_cut_keeps_both_momenta(
        seed in any::<u64>(), normal in prop::array::uniform3(-1.0..1.0f64), round in any::<bool>(),
        keep_angular in any::<bool>(), wobble in prop::sample::select(vec![0.0, 0.1]),
    ) {
        let mut r = Random(seed);
        let n = DVec3::from(normal);
        prop_assume!(n.mag() > 1e-2);
        let mesh = if round { tet_sphere(1.0, 3).unwrap() } else { tet_box(DVec3::one(), [2, 3, 2]).unwrap() };
        let nodes = mesh.positions().len();
        let density: Vec<f64> = (0..mesh.tets().len()).map(|_| 500.0 + 1000.0 * r.unit()).collect();
        // Deformed and moving: the cut is made where the body is now.
        let bend = r.vectors(nodes, wobble);
        let x: Vec<DVec3> = (0..nodes).map(|i| mesh.positions()[i] * 1.1 + bend[i] + DVec3::one()).collect();
        let v = r.vectors(nodes, 4.0);
        let value = plane_values(&x, DVec3::one() * 1.1, n).unwrap();
        let cut = cut_tets(&mesh, &value, None, &CutOptions::default()).unwrap();
        let mass = lumped_masses(&mesh, &density).unwrap();
        let before = momenta(&mass, &x, &v);
        let c = carry_state(&mesh, &density, &x, &v, &cut.edit, CarryOptions { keep_angular }).unwrap();
        let after = momenta(&c.mass, &c.x, &c.v);
        let scale: f64 = (0..nodes).map(|i| mass[i] * v[i].mag()).sum();
        prop_assert!((after.0 - before.0).mag() < 1e-13 * scale);
        prop_assert!(c.linear_change.mag() < 1e-13 * scale);
        prop_assert!((c.angular_change - (after.1 - before.1)).mag() < 1e-12 * scale);
        prop_assert!((c.kinetic_change - (after.2 - before.2)).abs() < 1e-12 * before.2);
        if keep_angular {
            prop_assert!((after.1 - before.1).mag() < 1e-12 * scale, "lost {:?}", after.1 - before.1);
        } else {
            prop_assert!(c.kinetic_change <= 1e-12 * before.2, "interpolation gives no energy");
        }
        prop_assert!(c.removed_mass == 0.0 && c.removed_linear == DVec3::zero());
        // First moments of mass: every node's mass is where it was, as the old nodes see it.
        let back = cut.edit.nodes.carry_back(&c.mass);
        for (a, b) in back.iter().zip(&mass) {
            prop_assert!((a - b).abs() < 1e-12 * b);
        }
        // A node that is old moves as it did, but for the turn of its part.
        if !keep_angular {
            for i in 0..c.v.len() {
                if let Some(o) = cut.edit.nodes.source(i) {
                    prop_assert_eq!((c.x[i], c.v[i]), (x[o as usize], v[o as usize]));
                }
            }
        }
    }
}

#[test]
fn a_turning_ball_keeps_turning() {
    let mesh = tet_sphere(1.0, 3).unwrap();
    let density = vec![1000.0; mesh.tets().len()];
    let spin = DVec3::new(0.3, -1.0, 2.0);
    let v: Vec<DVec3> = mesh.positions().iter().map(|&x| DVec3::unit_x() + spin.cross(x)).collect();
    let value = plane_values(mesh.positions(), DVec3::zero(), DVec3::new(0.2, 0.4, 1.0)).unwrap();
    let cut = cut_tets(&mesh, &value, None, &CutOptions::default()).unwrap();
    let carry = |keep_angular| {
        carry_state(&mesh, &density, mesh.positions(), &v, &cut.edit, CarryOptions { keep_angular }).unwrap()
    };
    let (free, kept) = (carry(false), carry(true));
    // A rigid motion stays the same rigid motion when interpolated; the lumped inertia has shrunk a little.
    for n in 0..free.v.len() {
        assert!((free.v[n] - DVec3::unit_x() - spin.cross(free.x[n])).mag() < 1e-14);
    }
    assert!(free.angular_change.mag() > 1.0 && kept.angular_change.mag() < 1e-9);
    assert!(free.kinetic_change < 0.0 && kept.kinetic_change > 0.0);
    let energy = momenta(&kept.mass, &kept.x, &kept.v).2;
    assert!(kept.kinetic_change < 0.05 * energy, "{} of {energy} J", kept.kinetic_change);
}

#[test]
fn what_is_removed_takes_its_momentum_along() {
    let mesh = tet_box(DVec3::one(), [3, 3, 3]).unwrap();
    let mut r = Random(3);
    let density = vec![800.0; mesh.tets().len()];
    let (x, v) = (mesh.positions().to_vec(), r.vectors(mesh.positions().len(), 2.0));
    let gone: Vec<bool> = (0..mesh.tets().len()).map(|_| r.unit() < 0.4).collect();
    let edit = remove_tets(&mesh, &gone).unwrap();
    let c = carry_state(&mesh, &density, &x, &v, &edit, CarryOptions::default()).unwrap();
    let volume: f64 = (0..gone.len()).filter(|&t| gone[t]).map(|t| mesh.volume(t)).sum();
    assert!((c.removed_mass - 800.0 * volume).abs() < 1e-10);
    let before = momenta(&lumped_masses(&mesh, &density).unwrap(), &x, &v);
    let after = momenta(&c.mass, &c.x, &c.v);
    assert!((before.0 - after.0 - c.removed_linear).mag() < 1e-10 && c.linear_change.mag() < 1e-10);
    assert!((before.1 - after.1 - c.removed_angular).mag() < 1e-10 && c.angular_change.mag() < 1e-10);
    assert!(c.removed_linear.mag() > 1.0, "nothing was tested");
    assert!(carry_state(&mesh, &density, &x[1..], &v, &edit, CarryOptions::default()).is_err());
    let mut bad = v.clone();
    bad[4].z = f64::NAN;
    assert!(carry_state(&mesh, &density, &x, &bad, &edit, CarryOptions::default()).is_err());
}

#[test]
fn a_torn_cloth_keeps_both_momenta() {
    let mesh = grid([2.0, 1.0], [9, 5]).unwrap();
    let mut r = Random(11);
    let density: Vec<f64> = (0..mesh.triangles().len()).map(|_| 0.2 + r.unit()).collect();
    let n = mesh.positions().len();
    let (sag, v) = (r.vectors(n, 0.2), r.vectors(n, 3.0));
    let x: Vec<DVec3> = (0..n).map(|i| mesh.positions()[i] + sag[i]).collect();
    let value = plane_values(&x, DVec3::zero(), DVec3::new(1.0, 0.4, 0.1)).unwrap();
    let cut = cut_triangles(&mesh, &value, None, &CutOptions::default()).unwrap();
    assert!(cut.opened > 3);
    let mass = lumped_areas(&mesh, &density).unwrap();
    let before = momenta(&mass, &x, &v);
    let c = carry_cloth_state(&mesh, &density, &x, &v, &cut.edit, CarryOptions::default()).unwrap();
    let after = momenta(&c.mass, &c.x, &c.v);
    assert!((after.0 - before.0).mag() < 1e-13 && (after.1 - before.1).mag() < 1e-12);
    assert!((c.mass.iter().sum::<f64>() - mass.iter().sum::<f64>()).abs() < 1e-13);
}
