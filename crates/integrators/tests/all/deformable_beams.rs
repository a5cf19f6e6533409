//! Beams against beam theory, energy over long runs, recovery from inversion.

use crate::rig::{Rig, block, rubber};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, generators};
use impinge_integrators::{Grip, Pin, Scheme};

/// A beam along x, clamped at x = −L/2.
fn cantilever(
    segments: [u32; 3],
    young: f64,
    poisson: f64,
    scheme: Scheme,
    dt: f64,
    rayleigh: [f64; 2],
) -> Rig {
    let mesh = generators::tet_box(DVec3::new(1.0, 0.1, 0.1), segments).unwrap();
    let pins = (0..mesh.positions().len())
        .filter(|&i| mesh.positions()[i].x < -0.4999)
        .map(|i| Pin { node: i as u32, to: Grip::World(mesh.positions()[i]) })
        .collect();
    let material = Material::new(young, poisson, 1000.0).with_rayleigh(rayleigh[0], rayleigh[1]);
    Rig::new(&mesh, Model::Corotational, &material, pins, vec![], scheme, dt)
}

/// Mean height of the tip's nodes.
fn tip(rig: &Rig, rest: &[DVec3]) -> f64 {
    let ends: Vec<usize> = (0..rest.len()).filter(|&i| rest[i].x > 0.4999).collect();
    ends.iter().map(|&i| rig.x[i].z - rest[i].z).sum::<f64>() / ends.len() as f64
}

/// Static deflection, by large damped steps.
fn sag(segments: [u32; 3]) -> f64 {
    let mut rig = cantilever(segments, 1e8, 0.0, Scheme::ImplicitEulerNewton, 1.0, [50.0, 0.0]);
    let rest = rig.x.clone();
    rig.gravity = DVec3::new(0.0, 0.0, -9.81);
    let mut last = 0.0f64;
    for _ in 0..400 {
        rig.step();
        let now = tip(&rig, &rest);
        if (now - last).abs() < 1e-9 * now.abs() {
            break;
        }
        last = now;
    }
    -tip(&rig, &rest)
}

#[test]
fn a_cantilever_under_its_weight_converges_to_beam_theory() {
    // q L⁴/(8 E I) + q L²/(2 κ G A): q = 98.1 N/m, I = 1e-4/12 m⁴, κ = 5/6, ν = 0.
    let (q, e, i, a) = (98.1, 1e8, 1e-4 / 12.0, 0.01);
    let theory = q / (8.0 * e * i) + q / (2.0 * 5.0 / 6.0 * e / 2.0 * a);
    let ratios: Vec<f64> = [[10, 1, 1], [20, 2, 2], [40, 4, 4]].map(|s| sag(s) / theory).to_vec();
    println!("deflection over theory, 1, 2, 4 cells through the thickness: {ratios:.4?}");
    // Constant strain is too stiff in bending, and the error falls with the square of the cell.
    assert!(ratios.windows(2).all(|w| w[1] > w[0]) && ratios[2] < 1.001, "{ratios:?}");
    let errors: Vec<f64> = ratios.iter().map(|r| 1.0 / r - 1.0).collect();
    for w in errors.windows(2) {
        assert!((3.0..5.0).contains(&(w[0] / w[1])), "not of second order: {errors:?}");
    }
    // What is left when the square is taken out (Richardson).
    let limit = errors[2] - (errors[1] - errors[2]) / 3.0;
    assert!(limit.abs() < 0.01, "the limit is off beam theory by {limit}");
}

/// Frequency of the first bending mode of a free vibration, from zero crossings of the tip.
fn frequency(segments: [u32; 3], scheme: Scheme, dt: f64) -> f64 {
    let mut rig = cantilever(segments, 1e7, 0.0, scheme, dt, [0.0; 2]);
    let rest = rig.x.clone();
    // The first mode's shape, small.
    let (beta, ratio) = (1.875_104_068_711_961_2f64, 0.734_095_514);
    for (x, p) in rig.v.iter_mut().zip(&rest) {
        let s = beta * (p.x + 0.5);
        x.z = 0.01 * (s.cosh() - s.cos() - ratio * (s.sinh() - s.sin()));
    }
    let (mut crossings, mut last) = (Vec::new(), 0.0f64);
    for step in 1..4000 {
        rig.step();
        let now = tip(&rig, &rest);
        if last < 0.0 && now >= 0.0 {
            crossings.push((f64::from(step) - now / (now - last)) * dt);
            if crossings.len() == 3 {
                break;
            }
        }
        last = now;
    }
    2.0 / (crossings[2] - crossings[0])
}

/// First root b = ω L² √(ρ A/(E I)) of a clamped–free Timoshenko beam with ν = 0 (Huang 1961, J. Appl. Mech. 28, 579),
/// r² = I/(A L²) and shear coefficient κ.
fn timoshenko(r2: f64, kappa: f64) -> f64 {
    // s² = E I/(κ G A L²), G = E/2.
    let s2 = r2 * 2.0 / kappa;
    let equation = |b: f64| {
        let root = ((r2 - s2).powi(2) + 4.0 / (b * b)).sqrt();
        let (alpha, beta) = (((root - r2 - s2) / 2.0).sqrt(), ((root + r2 + s2) / 2.0).sqrt());
        let (ch, sh) = ((b * alpha).cosh(), (b * alpha).sinh());
        let (c, s) = ((b * beta).cos(), (b * beta).sin());
        2.0 + (b * b * (r2 - s2).powi(2) + 2.0) * ch * c
            - b * (r2 + s2) / (1.0 - b * b * r2 * s2).sqrt() * sh * s
    };
    let (mut lo, mut hi) = (3.0f64, 3.6);
    assert!(equation(lo) * equation(hi) < 0.0);
    for _ in 0..80 {
        let mid = 0.5 * (lo + hi);
        if equation(lo) * equation(mid) <= 0.0 { hi = mid } else { lo = mid }
    }
    lo
}

/// Tip deflection over length under a dead load P across the tip, P L²/(E I) = 3.
fn bent(segments: [u32; 3]) -> f64 {
    let mut rig = cantilever(segments, 1e8, 0.0, Scheme::ImplicitEulerNewton, 1.0, [50.0, 0.0]);
    let rest = rig.x.clone();
    let ends: Vec<usize> = (0..rest.len()).filter(|&i| rest[i].x > 0.4999).collect();
    // Bent this far the projected tangent is not the true one, and Newton's method gains a digit every ten iterations.
    rig.settings.newton_tolerance = 1e-7;
    rig.settings.newton_max = 200;
    let load = 3.0 * 1e8 * 1e-4 / 12.0;
    let mut impulse = vec![DVec3::zero(); rest.len()];
    let mut last = 0.0f64;
    for step in 0..400 {
        // Brought on over ten steps: all at once is far from where Newton's method starts.
        let share = (f64::from(step + 1) / 10.0).min(1.0);
        for &i in &ends {
            impulse[i].z = -load * share * rig.dt / ends.len() as f64;
        }
        rig.step_with(&impulse).unwrap_or_else(|e| panic!("{e}"));
        let now = tip(&rig, &rest);
        if step > 10 && (now - last).abs() < 1e-7 * now.abs() {
            break;
        }
        last = now;
    }
    -tip(&rig, &rest)
}

#[test]
fn a_cantilever_bent_far_follows_the_elastica() {
    // Mattiasson 1981 (Int. J. Numer. Meth. Engng 17, 145), table I: w/L = 0.60325 at P L²/(E I) = 3. Shear adds 0.6 (h/L)²
    // of the linear part at small loads, half a per cent here.
    let published = 0.603_25;
    let (coarse, fine) = (bent([20, 2, 2]), bent([40, 4, 4]));
    let limit = fine + (fine - coarse) / 3.0;
    println!("w/L: two cells {coarse:.4}, four {fine:.4}, limit {limit:.4}, published {published}");
    assert!(coarse < fine && fine < published);
    assert!((limit / published - 1.0).abs() < 0.01, "{limit}");
}

#[test]
fn a_beam_vibrates_at_its_frequency() {
    // b √(E I/(ρ A))/(2π L²); the meshes' own stiffness is known from the static test: (1 + c h²), here taken out by two meshes.
    let b = timoshenko(0.1 * 0.1 / 12.0, 5.0 / 6.0);
    assert!((timoshenko(1e-12, 5.0 / 6.0) - 3.516_015).abs() < 1e-5, "a thin beam is Euler's");
    let theory = b * (1e7 * 1e-4 / 12.0 / 10.0f64).sqrt() / std::f64::consts::TAU;
    let dt = 1.0 / theory / 100.0;
    let coarse = frequency([20, 2, 2], Scheme::ImplicitMidpoint, dt);
    let fine = frequency([40, 4, 4], Scheme::ImplicitMidpoint, dt);
    let limit = (4.0 * fine * fine - coarse * coarse) / 3.0;
    let off = limit.sqrt() / theory - 1.0;
    println!(
        "frequency: theory {theory:.4} Hz, two cells {coarse:.4}, four {fine:.4}, limit off by {off:.2e}"
    );
    assert!(off.abs() < 0.01, "{off}");
    // Time stepping: implicit Euler damps the amplitude and keeps the frequency within (h ω)²/…, the midpoint rule within (h ω)²/12.
    let halved = frequency([20, 2, 2], Scheme::ImplicitMidpoint, 0.5 * dt);
    assert!((halved / coarse - 1.0).abs() < 1e-2, "{halved} {coarse}");
}

#[test]
fn energy_never_grows_over_ten_thousand_steps() {
    for scheme in [Scheme::ImplicitEuler, Scheme::ImplicitEulerNewton, Scheme::ImplicitMidpoint] {
        let mesh = generators::tet_box(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]).unwrap();
        let mut rig = Rig::new(&mesh, Model::StableNeoHookean, &rubber(), vec![], vec![], scheme, 5e-3);
        rig.stretch(DVec3::new(1.2, 0.9, 1.0));
        rig.throw(DVec3::new(0.3, 0.0, 0.1), DVec3::new(1.0, 4.0, -2.0));
        rig.step();
        let start = rig.kinetic() + rig.books.energy;
        let mut largest = 0.0f64;
        let mut worst_rise = 0.0f64;
        let mut before = start;
        for _ in 0..10_000 {
            rig.step();
            let e = rig.kinetic() + rig.books.energy;
            largest = largest.max(e);
            worst_rise = worst_rise.max(e - before);
            before = e;
        }
        println!(
            "{}: end/start {:.3e}, largest/start {:.6}, worst rise {:.2e}",
            scheme.name(),
            before / start,
            largest / start,
            worst_rise / start
        );
        if scheme == Scheme::ImplicitMidpoint {
            // Conserved on average: it wanders and does not grow.
            assert!(largest < 1.1 * start && before > 0.8 * start, "{largest} {before} {start}");
        } else {
            assert!(worst_rise < 1e-6 * start, "{}: energy rose by {worst_rise:e} of {start}", scheme.name());
        }
    }
}

#[test]
fn a_block_turned_inside_out_comes_back() {
    for model in [Model::Corotational, Model::StableNeoHookean] {
        for scheme in [Scheme::ImplicitEuler, Scheme::ImplicitEulerNewton] {
            let mut rig =
                Rig::new(&block(), model, &rubber().with_rayleigh(5.0, 0.01), vec![], vec![], scheme, 1e-2);
            // Corotational forces have kinks where a tet turns over: Newton's method crawls there for a few steps.
            rig.settings.newton_tolerance = 1e-8;
            rig.settings.newton_max = 500;
            // Flattened through itself, with a little noise so that no tet is left exactly flat.
            for (i, x) in rig.x.iter_mut().enumerate() {
                x.z = -0.3 * x.z + 0.002 * (7.0 * i as f64).sin();
            }
            for _ in 0..1500 {
                rig.step();
            }
            assert!(rig.books.energy < 1e-6, "{model:?} {}: {} J left", scheme.name(), rig.books.energy);
        }
    }
}
