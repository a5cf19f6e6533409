//! Stress and tangent of plane strain against differences and a closed form.

use impinge_elasticity::plane_strain::{PlaneLaw, PlaneMaterial};

const LAWS: [PlaneLaw; 2] = [PlaneLaw::Logarithmic, PlaneLaw::NeoHookean];

fn of(law: PlaneLaw) -> PlaneMaterial {
    PlaneMaterial::confined(law, 3.0, 0.3).unwrap()
}

#[test]
fn tangents_are_those_of_differences() {
    let states = [
        [1.0, 0.0, 0.0, 1.0],
        [1.0 + 1e-6, 0.0, 0.0, 1.0],
        [1.2, 0.3, -0.4, 0.7],
        [0.9, -0.8, 0.5, 0.3],
        [2.0, 0.0, 0.0, 0.2],
    ];
    for law in LAWS {
        for f in states {
            let mut t = [[0.0; 4]; 4];
            of(law).stress_and_tangent(&f, &mut t).unwrap();
            for k in 0..4 {
                let at = |h: f64| {
                    let mut g = f;
                    g[k] += h;
                    of(law).stress(&g).unwrap()
                };
                let h = 1e-3;
                let (a, b, c, d) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
                for i in 0..4 {
                    let slope = (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h);
                    assert!((t[k][i] - slope).abs() < 1e-6, "{law:?} {f:?} {k} {i}: {} {slope}", t[k][i]);
                }
            }
        }
    }
}

#[test]
fn a_turn_turns_the_stress() {
    let (c, s) = (0.6, 0.8);
    let turn = [c, -s, s, c];
    for law in LAWS {
        let f = [1.1, 0.2, 0.1, 0.6];
        let (turned, plain) = (of(law).stress(&mul(&turn, &f)).unwrap(), of(law).stress(&f).unwrap());
        let want = mul(&turn, &plain);
        (0..4).for_each(|i| assert!((turned[i] - want[i]).abs() < 1e-14));
        let rest = of(law).stress(&turn).unwrap();
        assert!(rest.iter().all(|v| v.abs() < 1e-15), "{rest:?}");
    }
}

#[test]
fn a_confined_column_is_that_of_the_closed_form() {
    for d in [1e-9, 0.1, 0.5, 0.95] {
        let f = [1.0, 0.0, 0.0, 1.0 - d];
        let p = of(PlaneLaw::Logarithmic).stress(&f).unwrap();
        let want = 3.0 * f64::ln_1p(-d);
        assert!((p[3] / want - 1.0).abs() < 1e-7, "{} {want}", p[3]);
        // The sides hold with ν/(1 − ν) of it, on a column that became shorter.
        assert!((p[0] - 3.0 / 7.0 * want * (1.0 - d)).abs() < 1e-14);
    }
}

#[test]
fn what_is_inside_out_has_no_stress() {
    for f in [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -1.0], [f64::NAN; 4]] {
        assert!(LAWS.iter().all(|l| of(*l).stress(&f).is_none()));
    }
    assert!(PlaneMaterial::confined(PlaneLaw::NeoHookean, 1.0, 0.5).is_none());
    assert!(PlaneMaterial::confined(PlaneLaw::NeoHookean, f64::NAN, 0.3).is_none());
}

fn mul(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    let entry = |r: usize, c: usize| a[2 * r] * b[c] + a[2 * r + 1] * b[2 + c];
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
}
