//! Clouds whose points stay the same ones over time, packed: takes frames of positions, gives the page's form
//! `{count, frames, group, lo, span, step, starts, first, data}`; a coordinate is `lo[frame, axis] + q * step[group, axis]`.
//!
//! A group of frames shares one step, 1/16 383 of the largest box of its frames (of 14 bits; a page that carries many runs takes fewer), so
//! the error is at most half of that. The first frame
//! of a group has its codes as they are; in the others only what differs from the frame before stands, or from the line through the two
//! before, whichever takes less. Boxes move with the cloud: what falls without turning differs by nothing. Numbers stand in blocks of 32,
//! each with as many bits as its largest needs.

use crate::encode::{f32s, u8s, unsigned};
use serde_json::{Value, json};

/// Frames that share a step; as many must be read for one in the worst case.
const GROUP: usize = 16;
/// Numbers in a block: of `w` bits each they fill `4 w` bytes.
const BLOCK: usize = 32;
/// Bits of a coordinate, as long as a page does not carry too many of them.
pub const BITS: u32 = 14;
/// Fewer coordinates than this are not worth it.
const LEAST: usize = 60_000;

/// The page's form with so many bits (16 at most) over the largest box of a group; `None` for few points, changing counts, and coordinates
/// that are not finite.
#[must_use]
pub fn encode(frames: &[Vec<[f32; 3]>], bits: u32) -> Option<Value> {
    let levels = f64::from((1u32 << bits) - 1);
    let count = frames.first()?.len();
    let fits = 3 * count * frames.len() >= LEAST && frames.iter().all(|f| f.len() == count);
    if !fits || !frames.iter().flatten().flatten().all(|c| c.is_finite()) {
        return None;
    }
    let (mut lo, mut span, mut step, mut starts, mut data) = (vec![], vec![], vec![], vec![], vec![]);
    // Bytes of the first frame.
    let mut first = 0;
    for group in frames.chunks(GROUP) {
        let boxes: Vec<[[f32; 2]; 3]> = group.iter().map(|f| std::array::from_fn(|a| range(f, a))).collect();
        let steps: [f32; 3] = std::array::from_fn(|a| {
            let widest = boxes.iter().map(|b| f64::from(b[a][1]) - f64::from(b[a][0])).fold(0.0, f64::max);
            (widest / levels) as f32
        });
        starts.push(data.len() as u32);
        step.extend(steps);
        // Codes of the two frames before.
        let mut before = [vec![0i32; 3 * count], vec![0i32; 3 * count]];
        for (k, (frame, b)) in group.iter().zip(&boxes).enumerate() {
            lo.extend(b.map(|r| r[0]));
            span.extend(b.map(|r| r[1] - r[0]));
            let mut codes = Vec::with_capacity(3 * count);
            for a in 0..3 {
                codes.extend(frame.iter().map(|p| code(p[a], b[a][0], steps[a])));
            }
            for a in 0..3 {
                let part = a * count..(a + 1) * count;
                let differ = |order: usize| -> Vec<u32> {
                    let at = |i: usize| match order {
                        0 => codes[i],
                        1 => codes[i] - before[0][i],
                        _ => codes[i] - 2 * before[0][i] + before[1][i],
                    };
                    part.clone().map(|i| folded(at(i))).collect()
                };
                let orders = if k == 0 { 0..1 } else { 1..(k.min(2) + 1) };
                let best = orders.map(|o| (o, differ(o))).min_by_key(|(_, d)| size(d));
                if let Some((order, numbers)) = best {
                    data.push(order as u8);
                    pack(&numbers, &mut data);
                }
            }
            if lo.len() == 3 {
                first = data.len();
            }
            before.swap(0, 1);
            before[0] = codes;
        }
    }
    Some(json!({
        "count": count, "frames": frames.len(), "group": GROUP, "lo": f32s(&lo), "span": f32s(&span), "step": f32s(&step),
        "starts": unsigned(&starts), "first": first, "data": u8s(&data),
    }))
}

fn range(frame: &[[f32; 3]], axis: usize) -> [f32; 2] {
    let ends = frame
        .iter()
        .map(|p| p[axis])
        .fold([f32::INFINITY, f32::NEG_INFINITY], |r, v| [r[0].min(v), r[1].max(v)]);
    if ends[0] > ends[1] { [0.0; 2] } else { ends }
}

fn code(value: f32, low: f32, step: f32) -> i32 {
    if step > 0.0 {
        ((f64::from(value) - f64::from(low)) / f64::from(step)).round().clamp(0.0, 65_535.0) as i32
    } else {
        0
    }
}

/// Small numbers of both signs as small numbers: 0, −1, 1, −2, 2, ...
fn folded(x: i32) -> u32 {
    (x << 1 ^ x >> 31) as u32
}

fn width(block: &[u32]) -> usize {
    let all = block.iter().fold(0, |a, b| a | b);
    (u32::BITS - all.leading_zeros()) as usize
}

fn size(numbers: &[u32]) -> usize {
    numbers.chunks(BLOCK).map(|b| 1 + 4 * width(b)).sum()
}

/// Of each block the number of bits, then 32 numbers of so many, lowest bit first.
fn pack(numbers: &[u32], out: &mut Vec<u8>) {
    for block in numbers.chunks(BLOCK) {
        let w = width(block);
        out.push(w as u8);
        let (mut word, mut held) = (0u64, 0);
        for k in 0..BLOCK {
            word |= u64::from(block.get(k).copied().unwrap_or(0)) << held;
            held += w;
            while held >= 8 {
                out.push(word as u8);
                word >>= 8;
                held -= 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::bytes_of;

    fn floats(packed: &Value) -> Vec<f32> {
        bytes_of(packed["d"].as_str().expect("text"))
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().expect("4")))
            .collect()
    }

    /// As the page reads it.
    fn decode(v: &Value) -> Vec<Vec<[f64; 3]>> {
        let [count, frames] = ["count", "frames"].map(|k| v[k].as_u64().expect("a number") as usize);
        let [lo, step] = ["lo", "step"].map(|k| floats(&v[k]));
        let data = bytes_of(v["data"]["d"].as_str().expect("text"));
        let wide = if v["starts"]["k"] == "u16" { 2 } else { 4 };
        let starts: Vec<usize> = bytes_of(v["starts"]["d"].as_str().expect("text"))
            .chunks(wide)
            .map(|b| b.iter().rev().fold(0, |x, &b| x << 8 | usize::from(b)))
            .collect();
        let (mut at, mut before) = (0, [vec![0i64; 3 * count], vec![0i64; 3 * count]]);
        (0..frames)
            .map(|f| {
                // As the page reads it: each group of frames begins from nothing, where its start says.
                if f % GROUP == 0 {
                    before.iter_mut().for_each(|b| b.fill(0));
                    assert_eq!(starts[f / GROUP], at);
                }
                let mut now = vec![0i64; 3 * count];
                for a in 0..3 {
                    let order = data[at];
                    at += 1;
                    for start in (0..count).step_by(BLOCK) {
                        let w = usize::from(data[at]);
                        let bits = &data[at + 1..at + 1 + 4 * w];
                        at += 1 + 4 * w;
                        for k in 0..BLOCK.min(count - start) {
                            let bit = |j: usize| i64::from(bits[j / 8] >> (j % 8) & 1);
                            let folded = (0..w).fold(0, |x, j| x | bit(k * w + j) << j);
                            let d = folded >> 1 ^ -(folded & 1);
                            let i = a * count + start + k;
                            now[i] = d + match order {
                                0 => 0,
                                1 => before[0][i],
                                _ => 2 * before[0][i] - before[1][i],
                            };
                        }
                    }
                }
                let out = (0..count)
                    .map(|i| {
                        [0, 1, 2].map(|a| {
                            let s = step[3 * (f / GROUP) + a];
                            f64::from(lo[3 * f + a]) + now[a * count + i] as f64 * f64::from(s)
                        })
                    })
                    .collect();
                before.swap(0, 1);
                before[0] = now;
                out
            })
            .collect()
    }

    /// Numbers of a block of up to 8 bits, as the page reads them: four from a word of 32 bits that begins at a byte or half of one.
    fn by_fours(bits: &[u8], w: usize) -> Vec<u32> {
        let word =
            |at: usize| (0..4).fold(0u32, |x, j| x | u32::from(*bits.get(at + j).unwrap_or(&0)) << (8 * j));
        (0..BLOCK / 4)
            .flat_map(|four| {
                let (byte, half) = (four * w / 2, 4 * (four * w % 2));
                let held = word(byte) >> half;
                (0..4).map(move |k| held >> (k * w) & ((1 << w) - 1))
            })
            .collect()
    }

    #[test]
    fn four_numbers_of_few_bits_lie_in_one_word() {
        for w in 1..=8 {
            // The largest stands first, last and at no other place, so that no bit may be lost or shared.
            let top = (1u32 << w) - 1;
            let numbers: Vec<u32> = (0..BLOCK as u32)
                .map(|k| {
                    if k == 0 || k + 1 == BLOCK as u32 {
                        top
                    } else {
                        k.wrapping_mul(0x9e37_79b1) >> (32 - w)
                    }
                })
                .collect();
            let mut out = Vec::new();
            pack(&numbers, &mut out);
            assert_eq!((usize::from(out[0]), out.len()), (w, 1 + 4 * w));
            assert_eq!(by_fours(&out[1..], w), numbers, "{w} bits");
        }
    }

    /// The page holds what it has read of a number and a byte more in 32 bits.
    #[test]
    fn no_number_is_too_wide_for_the_page() {
        let wild = |f: usize, i: usize| f32::from((f * 7919 + i * 104_729 + f * f * i).is_multiple_of(2));
        let frames: Vec<Vec<[f32; 3]>> =
            (0..32).map(|f| (0..1000).map(|i| [wild(f, i), wild(i, f), wild(f + i, f)]).collect()).collect();
        let value = encode(&frames, 16).expect("enough of them");
        assert_eq!(decode(&value)[31][999].map(|x| x.round() as f32), frames[31][999]);
        let data = bytes_of(value["data"]["d"].as_str().expect("text"));
        let (mut at, mut widest) = (0, 0);
        while at < data.len() {
            at += 1;
            for _ in (0..1000).step_by(BLOCK) {
                widest = widest.max(data[at]);
                at += 1 + 4 * usize::from(data[at]);
            }
        }
        assert!((16..=25).contains(&widest), "{widest} bits");
    }

    /// A sheet that falls, turns and waves.
    fn waving(count: usize, frames: usize) -> Vec<Vec<[f32; 3]>> {
        let point = |f: usize, i: usize| {
            let (t, u, v) = (f as f64 * 0.01, (i % 40) as f64 * 0.1, (i / 40) as f64 * 0.1);
            let w = 0.2 * (3.0 * u + 5.0 * t).sin();
            let (s, c) = (0.5 * t).sin_cos();
            [c * u - s * v, s * u + c * v, w - 4.9 * t * t].map(|x| x as f32)
        };
        (0..frames).map(|f| (0..count).map(|i| point(f, i)).collect()).collect()
    }

    #[test]
    fn every_coordinate_comes_back_within_half_a_step() {
        let frames = waving(1003, 37);
        let mut sizes = Vec::new();
        for bits in [BITS, BITS - 3] {
            let levels = f64::from((1u32 << bits) - 1);
            let value = encode(&frames, bits).expect("enough of them");
            let back = decode(&value);
            for (there, here) in frames.iter().zip(&back) {
                let extent = (0..3).map(|a| range(there, a)).map(|r| r[1] - r[0]).fold(0.0, f32::max);
                for (p, q) in there.iter().zip(here) {
                    for a in 0..3 {
                        let off = (f64::from(p[a]) - q[a]).abs();
                        assert!(off <= 0.52 * 1.2 * f64::from(extent) / levels, "{off}");
                    }
                }
            }
            sizes.push(bytes_of(value["data"]["d"].as_str().expect("text")).len());
        }
        let plain = frames.len() * 1003 * 6;
        println!("{plain} bytes plain, {sizes:?} packed");
        assert!(3 * sizes[0] < 2 * plain && sizes[0] > sizes[1], "{sizes:?} of {plain}");
    }

    #[test]
    fn a_cloud_at_rest_takes_one_frame_of_each_group() {
        let frames = vec![waving(1000, 1).remove(0); 64];
        let packed =
            bytes_of(encode(&frames, BITS).expect("enough")["data"]["d"].as_str().expect("text")).len();
        assert!(packed < 4 * 6000 + 64 * 3 * 40, "{packed}");
    }

    #[test]
    fn what_does_not_fit_is_left_to_the_plain_form() {
        assert!(encode(&[], BITS).is_none() && encode(&waving(10, 10), BITS).is_none());
        let mut frames = waving(1000, 30);
        frames[3].pop();
        assert!(encode(&frames, BITS).is_none());
        let mut frames = waving(1000, 30);
        frames[3][7] = [f32::NAN; 3];
        assert!(encode(&frames, BITS).is_none());
        // No extent at all.
        let still = vec![vec![[1.5f32, 2.5, -3.5]; 1000]; 30];
        assert_eq!(decode(&encode(&still, BITS).expect("enough"))[29][999], [1.5, 2.5, -3.5]);
    }
}
