//! Certified volumes: the interval of every direction holds the exact volume, whatever the bodies, and shrinks with the pixel.

use crate::support::{Numbers, at, overlap, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, torus};
use impinge_volume::{
    Adaptive, Body, CellGrid, Certificate, ClosedSurface, Evaluate, Exact, Lattice, LayeredDepth, Limits,
    Overlap, Tolerance, VolumeError,
};
use proptest::prelude::*;

fn with_bodies<T>(a: &TriMesh, b: &TriMesh, f: impl FnOnce(Body<'_>, Body<'_>) -> T) -> T {
    let (sa, sb) = (ClosedSurface::new(a).unwrap(), ClosedSurface::new(b).unwrap());
    f(Body::new(&sa, a.positions()).unwrap(), Body::new(&sb, b.positions()).unwrap())
}

fn certificate(image: &mut LayeredDepth, a: &TriMesh, b: &TriMesh) -> Certificate {
    with_bodies(a, b, |a, b| image.certificate(a, b).unwrap())
}

fn certify(e: &mut Adaptive, a: &TriMesh, b: &TriMesh) -> Result<impinge_volume::Certified, VolumeError> {
    with_bodies(a, b, |a, b| e.certify(a, b))
}

/// Every direction's interval holds the exact volume; rounding of the exact one is allowed for by `rounding`.
fn holds(c: &Certificate, exact: f64, rounding: f64) {
    for axis in 0..3 {
        let [lo, hi] = c.interval[axis];
        assert!(
            lo - rounding <= exact && exact <= hi + rounding,
            "axis {axis}: {exact} is not in {lo}..{hi}, {c:?}"
        );
        assert!(lo <= c.along[axis] && c.along[axis] <= hi, "{c:?}");
    }
    assert!((c.volume() - exact).abs() <= c.error() + rounding, "{exact}: {c:?}");
}

fn mesh(kind: u8, size: DVec3) -> TriMesh {
    let round = |m: TriMesh| m.mapped(|p| DVec3::new(p.x * size.x, p.y * size.y, p.z * size.z)).unwrap();
    match kind % 6 {
        0 => cuboid(size, [1; 3]).unwrap(),
        1 => cuboid(size, [3, 2, 4]).unwrap(),
        2 => round(icosphere(0.5, 2).unwrap()),
        3 => round(icosphere(0.5, 0).unwrap()),
        4 => round(torus(0.4, 0.15, 14, 8).unwrap()),
        // A needle and a plate.
        _ => cuboid(DVec3::new(size.x, 0.01 * size.y, size.z), [2, 1, 1]).unwrap(),
    }
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| v3(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_interval_holds_the_exact_volume(
        kinds in (0u8..6, 0u8..6),
        sizes in (vector(0.2..1.5), vector(0.2..1.5)),
        turn in vector(-1.5..1.5),
        straight in any::<bool>(),
        shift in vector(-0.6..0.6),
        place in prop::sample::select(vec![0.0, 0.0, 1e3, 1e6]),
        pixel in 0.01f64..0.3,
    ) {
        let away = v3(place, -0.7 * place, 0.3 * place);
        let a = at(&mesh(kinds.0, sizes.0), away);
        let turn = if straight { DVec3::zero() } else { turn };
        let b = turned(&mesh(kinds.1, sizes.1), turn, shift + away);
        let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
        // The exact volume's own rounding: units of the coordinates on areas of a few m².
        let rounding = 1e-12 + 1e-14 * place;
        holds(&certificate(&mut LayeredDepth::new(pixel).unwrap(), &a, &b), exact, rounding);
    }

    #[test]
    fn what_is_asked_for_is_certified_and_true(
        kinds in (0u8..5, 0u8..5),
        turn in vector(-1.5..1.5),
        shift in vector(-0.3..0.3),
        relative in prop::sample::select(vec![0.1, 0.03]),
    ) {
        let a = mesh(kinds.0, v3(1.0, 0.8, 0.9));
        let b = turned(&mesh(kinds.1, v3(0.7, 1.1, 0.9)), turn, shift);
        let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
        let mut adaptive = Adaptive::new(Tolerance { relative, absolute: 1e-6 }, 0.0).unwrap();
        let mut out = Overlap::new();
        let found = with_bodies(&a, &b, |a, b| adaptive.measure(a, b, None, &mut out)).unwrap();
        prop_assert!(found.met && found.certificate.error() <= (relative * out.volume()).max(1e-6) * (1.0 + 1e-9));
        prop_assert!((out.volume() - exact).abs() <= found.certificate.error() + 1e-12, "{exact}, {}, {found:?}", out.volume());
    }
}

#[test]
fn round_bodies_are_certified_at_the_second_order_and_walls_at_the_first() {
    let ball = icosphere(1.0, 4).unwrap();
    let lens = at(&ball, v3(1.5, 0.02, 0.01));
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let other = at(&cube, v3(0.31, 0.37, 0.53));
    for (name, a, b, order) in [("lens", &ball, &lens, 2.0), ("boxes", &cube, &other, 1.0)] {
        let exact = overlap(&mut Exact::new(), a, b, None).volume();
        // The mean over lattices: how walls fall on one of them is chance.
        let errors = [0.04, 0.01].map(|pixel| {
            let mut numbers = Numbers(7);
            let sum: f64 = (0..16)
                .map(|_| {
                    let origin = v3(-1.0, -1.0, -1.0) - (numbers.vector() + v3(0.5, 0.5, 0.5)) * pixel;
                    let count = [(3.1 / pixel) as usize; 3];
                    let lattice = Lattice { origin, pixel, count };
                    let c = certificate(&mut LayeredDepth::new(pixel).unwrap().with_lattice(lattice), a, b);
                    holds(&c, exact, 1e-12);
                    c.error()
                })
                .sum();
            sum / 16.0
        });
        let found = (errors[0] / errors[1]).ln() / 4f64.ln();
        println!("{name}: {errors:?} of {exact}, order {found}");
        assert!((found - order).abs() < 0.15, "{name}: {found}");
    }
}

#[test]
fn a_lattice_anywhere_has_a_certificate_that_is_not_far_from_the_truth() {
    // Faces askew, so that no wall stands along a ray.
    let a = turned(&cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap(), v3(0.4, 0.5, 0.3), v3(0.0, 0.0, 0.0));
    let b = turned(&icosphere(0.6, 3).unwrap(), v3(0.2, 0.1, 0.4), v3(0.5, 0.3, 0.4));
    let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
    let pixel = 0.03;
    let mut numbers = Numbers(3);
    let (mut worst, mut bound) = (0.0f64, 0.0f64);
    for _ in 0..20 {
        let origin = v3(-1.5, -1.5, -1.5) - (numbers.vector() + v3(0.5, 0.5, 0.5)) * pixel;
        let lattice = Lattice { origin, pixel, count: [110; 3] };
        let mut image = LayeredDepth::new(pixel).unwrap().with_lattice(lattice);
        let c = certificate(&mut image, &a, &b);
        holds(&c, exact, 1e-12);
        worst = worst.max((c.volume() - exact).abs());
        bound = bound.max(c.error());
    }
    println!("{exact}: off by {worst:e} at most, certified {bound:e}");
    assert!(worst > 0.0 && bound < 0.1 * exact, "{bound} of {exact}");
}

#[test]
fn coarse_pixels_come_close_to_the_bound_and_never_pass_it() {
    // Few pixels: what is off in them cannot cancel. Walls along the rays, slopes that bend at an edge, silhouettes.
    let cube = cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap();
    let roof = turned(&cube, v3(0.0, std::f64::consts::FRAC_PI_4, 0.0), v3(0.0, 0.0, -0.4));
    let ball = icosphere(0.5, 3).unwrap();
    let wide = cuboid(v3(3.0, 3.0, 1.0), [1; 3]).unwrap();
    for (name, a, b, least) in [
        ("walls", &cube, &at(&cube, v3(0.3, 0.2, 0.1)), 0.25),
        ("a roof under a plate", &roof, &at(&wide, v3(0.0, 0.0, 0.7)), 0.25),
        ("ball and plate", &ball, &at(&wide, v3(0.0, 0.0, 0.4)), 0.25),
    ] {
        let exact = overlap(&mut Exact::new(), a, b, None).volume();
        let mut numbers = Numbers(19);
        let mut nearest = 0.0f64;
        for _ in 0..300 {
            let pixel = 0.15 + 0.5 * numbers.unit();
            let origin = v3(-1.6, -1.6, -1.6) - (numbers.vector() + v3(0.5, 0.5, 0.5)) * pixel;
            let lattice = Lattice { origin, pixel, count: [(4.0 / pixel) as usize; 3] };
            let c = certificate(&mut LayeredDepth::new(pixel).unwrap().with_lattice(lattice), a, b);
            holds(&c, exact, 1e-12);
            for ([lo, hi], along) in c.interval.into_iter().zip(c.along) {
                let room = if exact > along { hi - along } else { along - lo };
                nearest = nearest.max((exact - along).abs() / room.max(1e-300));
            }
        }
        println!("{name}: {nearest:.3} of the bound");
        assert!(nearest > least && nearest <= 1.0 + 1e-9, "{name}: {nearest}");
    }
}

#[test]
fn a_flat_contact_is_known_by_the_rays_across_it() {
    // A tenth of a millimetre deep and 0.3 m wide: rays along x and y see it edge on, in no pixel of theirs.
    let a = cuboid(v3(0.3, 0.3, 0.3), [1; 3]).unwrap();
    let b = turned(&a, v3(0.0, 0.0, 0.4), v3(0.02, 0.03, 0.3 - 1e-4));
    let exact = overlap(&mut Exact::new(), &a, &b, None).volume();
    let mut adaptive = Adaptive::new(Tolerance { relative: 0.02, absolute: 0.0 }, 0.0).unwrap();
    let c = certify(&mut adaptive, &a, &b).unwrap().certificate;
    holds(&c, exact, 1e-15);
    let w = c.weights();
    println!("{exact:e}: {:e} off by {:e} at most, weights {w:?}", c.volume(), c.error());
    assert!(w[2] > 0.99 && c.error() <= 0.02 * exact * 1.02, "{c:?}");
    // The mean of the three is off by much more.
    let mean = (c.along[0] + c.along[1] + c.along[2]) / 3.0;
    assert!((mean - exact).abs() > 0.02 * exact, "{mean} {exact}");
}

#[test]
fn bodies_apart_are_certified_as_nothing() {
    let ball = icosphere(0.5, 3).unwrap();
    // Boxes overlap at a corner, the balls do not.
    let b = at(&ball, v3(0.75, 0.75, 0.0));
    let mut adaptive = Adaptive::new(Tolerance { relative: 1e-3, absolute: 0.0 }, 0.0).unwrap();
    let found = certify(&mut adaptive, &ball, &b).unwrap();
    assert!(found.met && found.certificate.volume_between() == [0.0, 0.0], "{found:?}");
    for far in [v3(3.0, 0.0, 0.0), v3(1.0, 0.0, 0.0)] {
        assert!(certify(&mut adaptive, &ball, &at(&ball, far)).unwrap().met);
    }
}

#[test]
fn cells_share_what_is_certified_and_threads_change_no_bit() {
    let a = torus(0.7, 0.3, 24, 12).unwrap();
    let b = at(&a, v3(0.25, 0.1, 0.45));
    let grid = CellGrid::new(v3(-1.0, -1.0, -0.3), 0.17).unwrap();
    let run = |threads: usize, grid: Option<&CellGrid>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut adaptive = Adaptive::new(Tolerance { relative: 0.03, absolute: 0.0 }, 0.0).unwrap();
        let mut out = Overlap::new();
        let found =
            pool.install(|| with_bodies(&a, &b, |a, b| adaptive.measure(a, b, grid, &mut out))).unwrap();
        (found, out)
    };
    let (one, many) = (run(1, Some(&grid)), run(3, Some(&grid)));
    assert_eq!(one, many);
    let (_, whole) = run(2, None);
    assert!(one.1.cells().len() > 20 && (one.1.volume() - whole.volume()).abs() < 1e-13);
    assert!((one.0.certificate.volume() - whole.volume()).abs() < 1e-12);
}

#[test]
fn what_cannot_be_certified_is_refused_with_what_can() {
    let ball = icosphere(0.5, 2).unwrap();
    let b = at(&ball, v3(0.3, 0.2, 0.1));
    let small = Limits { bytes: 1 << 21, ..Limits::default() };
    let mut adaptive =
        Adaptive::new(Tolerance { relative: 1e-5, absolute: 0.0 }, 0.0).unwrap().with_limits(small);
    let e = certify(&mut adaptive, &ball, &b).unwrap_err();
    let VolumeError::Uncertified { asked, certified, needed, allowed, .. } = e else { panic!("{e}") };
    assert!(asked < certified && needed > allowed && allowed == 1 << 21, "{e}");
    // What it says it can certify, it certifies.
    let ask = Tolerance { relative: 0.0, absolute: certified };
    let mut again = Adaptive::new(ask, 0.0).unwrap().with_limits(small);
    assert!(certify(&mut again, &ball, &b).unwrap().met);
    // A finest pixel ends it without an error, and the certificate says how far it came.
    let mut coarse = Adaptive::new(Tolerance { relative: 1e-5, absolute: 0.0 }, 0.02).unwrap();
    let found = certify(&mut coarse, &ball, &b).unwrap();
    assert!(!found.met && found.certificate.pixel == 0.02 && found.certificate.error() > 0.0);
    for (relative, absolute, finest) in
        [(-1.0, 0.0, 0.0), (0.1, f64::NAN, 0.0), (0.1, 0.0, -1.0), (0.0, 0.0, 0.0)]
    {
        assert!(Adaptive::new(Tolerance { relative, absolute }, finest).is_err());
    }
    let mut out = Overlap::new();
    with_bodies(&ball, &b, |a, b| again.evaluate(a, b, None, &mut out)).unwrap();
    assert!(out.volume() > 0.0);
}
