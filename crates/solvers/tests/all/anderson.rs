//! Anderson acceleration of maps with known fixed points.

use impinge_solvers::anderson::Anderson;

/// x ← A x + b with eigenvalues near one: alone it takes thousands of rounds.
#[test]
fn an_affine_map_ends_after_as_many_rounds_as_it_has_directions() {
    let a = [0.999, 0.98, 0.9, -0.5];
    let b = [1.0, 2.0, -3.0, 4.0];
    let mut anderson = Anderson::new(6);
    let mut x = vec![0.0; 4];
    for _ in 0..6 {
        let g: Vec<f64> = (0..4).map(|i| a[i] * x[i] + b[i]).collect();
        anderson.next(&mut x, &g);
    }
    for i in 0..4 {
        assert!((x[i] * (1.0 - a[i]) / b[i] - 1.0).abs() < 1e-9, "{i}: {x:?}");
    }
}

/// A kink: the map is another one on the other side, and what was extrapolated from the first is taken back.
#[test]
fn a_map_of_two_pieces_is_followed_to_its_fixed_point() {
    let g = |x: f64| if x < 1.0 { 0.9 * x + 0.5 } else { 2.1 - 0.7 * x };
    let mut anderson = Anderson::new(4);
    let mut x = [-30.0];
    for _ in 0..40 {
        let now = [g(x[0])];
        anderson.next(&mut x, &now);
    }
    assert!((x[0] - 2.1 / 1.7).abs() < 1e-12, "{x:?}");
}

/// The map has no value beyond 3: what was extrapolated to there is taken back.
#[test]
fn a_step_to_where_the_map_has_no_value_is_taken_back() {
    let g = |x: f64| (x < 3.0).then(|| x + (0.29 - 0.01 * x).min(0.98 - 0.7 * x));
    let mut anderson = Anderson::new(4);
    assert!(!anderson.take_back(&mut [0.0]), "nothing was extrapolated");
    let (mut x, mut beyond) = ([-1.0], 0);
    for _ in 0..80 {
        match g(x[0]) {
            Some(now) => anderson.next(&mut x, &[now]),
            None => {
                beyond += 1;
                assert!(anderson.take_back(&mut x), "{x:?}");
            }
        }
    }
    assert!(beyond > 0 && (x[0] - 1.4).abs() < 1e-12, "{x:?}, {beyond}");
}

#[test]
fn what_stands_still_stays() {
    let mut anderson = Anderson::new(3);
    let mut x = [1.0, 2.0];
    for _ in 0..5 {
        anderson.next(&mut x, &[1.0, 2.0]);
    }
    assert_eq!(x, [1.0, 2.0]);
}
