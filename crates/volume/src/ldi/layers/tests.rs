//! Layers of spans, by both ways of collecting them.

use super::*;

/// Spans of `height` surfaces one above the other over rows of `columns` pixels, some of them long, some on the border: as they come, with
/// places of their own and without.
fn both_ways(height: u32, columns: usize, rows: usize) {
    let column: Vec<f64> = (0..columns + WIDE).map(|i| i as f64).collect();
    let mut found = Vec::new();
    for (own, fewest) in [(true, 0), (false, 0), (true, 3), (false, 3), (true, 4), (false, 4)] {
        let (mut waiting, mut samples) = (Waiting::default(), Vec::new());
        let mut starts = Vec::new();
        let mut filled = 0;
        // Twice, as what is met in one use must not be there in the next; the second lies behind the first.
        for turn in 0..2 {
            let mut start = vec![0; rows * columns];
            waiting.start_with(start.len(), own);
            let mut expected = 0;
            for tag in 0..height {
                for row in (tag as usize % 3..rows).step_by(1 + tag as usize % 2) {
                    let from = (7 * tag as usize + row) % columns;
                    let span = (1 + (5 * row + turn) % 13).min(columns - from);
                    // Deeper from surface to surface, but for every third, and two at a time as deep.
                    let depth = f64::from(if tag % 3 == 0 { height - tag } else { tag / 2 });
                    let d = Depths { at: depth, slope: 0.25, from: from as f64, near: 0.0, far: 1e3 };
                    let at = waiting.room();
                    let pixel = (row * columns + from) as u32;
                    let at = waiting.span(at, &column, [from, span], pixel, tag, d);
                    waiting.written(at);
                    expected += span;
                }
            }
            assert_eq!(waiting.count(), expected);
            let [end, deepest] = waiting.finish(&mut start, &mut samples, filled, fewest);
            start.push(end as u32);
            let most = start.windows(2).map(|w| w[1] - w[0]).max();
            if fewest == 0 {
                assert_eq!(end, filled + expected);
                assert_eq!(most, Some(deepest as u32));
            } else {
                assert!(start.windows(2).all(|w| w[1] == w[0] || w[1] - w[0] >= fewest));
                assert!(most == Some(deepest as u32) || deepest < fewest as usize && most == Some(0));
            }
            for w in start.windows(2) {
                let ray = &samples[w[0] as usize..w[1] as usize];
                assert!(ray.windows(2).all(|s| s[0].before(&s[1])), "{height} surfaces, own places: {own}");
            }
            filled = end;
            starts.push(start);
        }
        let rays: Vec<Vec<_>> = (starts.iter().flat_map(|s| s.windows(2)))
            .map(|w| &samples[w[0] as usize..w[1] as usize])
            .map(|ray| ray.iter().map(|s| (s.depth.to_bits(), s.tag)).collect())
            .collect();
        let all = found.first().unwrap_or(&rays);
        let enough = |ray: &Vec<_>| if ray.len() < fewest as usize { Vec::new() } else { ray.clone() };
        let expected: Vec<_> = all.iter().map(enough).collect();
        assert!(rays == expected, "{height} surfaces, own places: {own}, at least {fewest}");
        found.push(rays);
    }
}

#[test]
fn pixels_have_the_same_layers_with_places_of_their_own_and_without() {
    for height in [0, 1, 2, 3, 40, 200] {
        both_ways(height, 61, 17);
        both_ways(height, 5, 3);
    }
}
