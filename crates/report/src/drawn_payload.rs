//! Patches and idle rows for the page: takes the kept frames, gives packed arrays; nothing where there are none.
//!
//! Exactness: pressures are f32 as handed in; corners and idle points have 16 bits per coordinate over their box in each frame.

use crate::cloud;
use crate::encode::{f32s, unsigned};
use crate::record::{DrawnFrame, Frames};
use serde_json::{Value, json};

/// `{frames, corners, patches, sizes, pressure, pair, idle}`: of each kept frame its index, its corners and its number of patches; of each
/// patch its number of corners, its pressure and its pair. A patch whose corners are not all there ends the frame's list.
#[must_use]
pub fn drawn(frames: &Frames) -> Option<Value> {
    if frames.drawn.is_empty() {
        return None;
    }
    let kept = &frames.drawn;
    let number: Vec<u32> = kept.iter().map(|f| f.frame).collect();
    let corners: Vec<Vec<[f32; 3]>> = kept.iter().map(|f| f.corners.clone()).collect();
    let whole: Vec<usize> = kept.iter().map(whole).collect();
    let patches: Vec<u32> = whole.iter().map(|n| *n as u32).collect();
    let all = || kept.iter().zip(&whole).flat_map(|(f, n)| &f.patches[..*n]);
    let sizes: Vec<u32> = all().map(|p| p.corners).collect();
    let pressure: Vec<f32> = all().map(|p| p.pressure).collect();
    let pair: Vec<u32> = all().map(|p| p.pair).collect();
    let idle = kept.iter().any(|f| !f.idle.is_empty()).then(|| {
        let points: Vec<Vec<[f32; 3]>> =
            kept.iter().map(|f| f.idle.iter().map(|c| c.point).collect()).collect();
        let gaps: Vec<Vec<[f32; 1]>> =
            kept.iter().map(|f| f.idle.iter().map(|c| [-c.depth]).collect()).collect();
        let pair: Vec<u32> = kept.iter().flat_map(|f| &f.idle).map(|c| c.pair).collect();
        json!({ "point": cloud::encode(&points), "gap": cloud::encode(&gaps), "pair": unsigned(&pair) })
    });
    Some(json!({
        "frames": unsigned(&number), "corners": cloud::encode(&corners), "patches": unsigned(&patches),
        "sizes": unsigned(&sizes), "pressure": f32s(&pressure), "pair": unsigned(&pair), "idle": idle,
    }))
}

/// Patches that have all their corners.
fn whole(f: &DrawnFrame) -> usize {
    let mut left = f.corners.len();
    let has = |p: &&crate::record::Patch| {
        let fits = p.corners as usize <= left;
        left = left.saturating_sub(p.corners as usize);
        fits
    };
    f.patches.iter().take_while(has).count()
}
