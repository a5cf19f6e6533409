//! Samples as the triangles give them to layers in order, some rows of pixels at a time.
//!
//! Two places for each pixel take the place of counting: what has been counted first must be read again to be put among its pixel's. A chain
//! for each pixel took a third longer than that: every link that is followed is a read somewhere else that the next one waits for, and
//! where a chain ends cannot be guessed. Spans put to their pixels one by one, without waiting for others, took a fifth longer: next to each
//! other in a row, one waits for what the other has written.

use super::sample::{Sample, in_order};

/// Samples written at a time, whether they are wanted or not: most spans are shorter.
pub const WIDE: usize = 4;

/// How deep a triangle is along a row of pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depths {
    /// At `from` (m), and how much more for each metre on.
    pub at: f64,
    pub slope: f64,
    pub from: f64,
    /// Of the triangle's corners (m): the least and the greatest.
    pub near: f64,
    pub far: f64,
}

/// Spans that [`Waiting::room`] makes room for.
pub const SPANS: usize = 64;
/// Samples that may come before they are put to their pixels: they are still in the nearest cache then.
const TOGETHER: usize = 256;
/// Room for them, for that many spans more, and for what is written beyond.
const COME: usize = TOGETHER + (SPANS + 2) * WIDE;

/// Samples as they come; what stands beyond those that are counted means nothing.
#[derive(Clone, Debug)]
struct Come {
    depth: [f64; COME],
    tag: [u32; COME],
    /// Within the rows.
    pixel: [u32; COME],
}

impl Default for Come {
    fn default() -> Self {
        Self { depth: [0.0; COME], tag: [0; COME], pixel: [0; COME] }
    }
}

/// Most pixels with places of their own.
const MOST_OWN: usize = 1 << 16;

/// Stands for where the next layer of a pixel goes whose layers are left out.
const LEFT_OUT: u32 = u32::MAX;

/// Pixels that are passed over together where nothing is met.
const BLOCK: usize = 8;

/// The first two layers of a pixel, as they come.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Own {
    layers: [Sample; 2],
}

impl Own {
    /// How many layers the pixel has. It stands in what the first sample leaves free: who looks there has fetched what is written next.
    #[inline(always)]
    fn met(&mut self) -> &mut u32 {
        &mut self.layers[0].free
    }
}

/// Samples of some rows of pixels, on their way to layers.
///
/// They come in lanes, a few of them are put to their pixels as soon as they are, and what is collected is small enough to stay near the
/// processor. The first two of a pixel have a place of their own, as most rays through closed surfaces meet no more; the others wait in
/// the order in which they came, and where there are too many pixels all do.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    come: Come,
    count: usize,
    pixels: usize,
    /// By pixel; 0 are met between one use and the next.
    own: Vec<Own>,
    /// By [`BLOCK`] of them, 1 where any is met.
    touched: Vec<u8>,
    /// By pixel, where none has places of its own: how many there are, then where the next goes.
    met: Vec<u32>,
    /// Those without a place.
    over: Vec<(u32, Sample)>,
    /// How many have been put to their pixels.
    put: usize,
    /// Pixels whose layers are not in order yet, and where they end.
    deep: Vec<(u32, u32)>,
    /// Triangles that the lanes left to be done one by one.
    pub one_by_one: usize,
}

impl Waiting {
    /// No samples yet, of so many pixels.
    pub fn start(&mut self, pixels: usize) {
        self.start_with(pixels, pixels <= MOST_OWN);
    }

    fn start_with(&mut self, pixels: usize, own: bool) {
        (self.count, self.put, self.one_by_one) = (0, 0, 0);
        self.pixels = pixels;
        self.over.clear();
        self.met.clear();
        if !own {
            self.met.resize(pixels, 0);
            return;
        }
        self.touched.clear();
        self.touched.resize(pixels.div_ceil(BLOCK), 0);
        if self.own.len() < pixels {
            self.own.resize(pixels, Own::default());
        }
    }

    /// How many samples there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.put + self.count
    }

    /// Makes room for [`SPANS`] spans. They are written from the place that is returned on.
    #[inline(always)]
    pub fn room(&mut self) -> usize {
        if self.count > TOGETHER {
            self.put();
        }
        self.count
    }

    /// Writes a span of a row, from `column[first]` and `pixel` on, to the place `at`; where the next one goes.
    #[inline(always)]
    pub fn span(
        &mut self,
        at: usize,
        column: &[f64],
        [first, span]: [usize; 2],
        pixel: u32,
        tag: u32,
        d: Depths,
    ) -> usize {
        self.write(at, column, first, pixel, tag, d);
        if span > WIDE {
            // Number by number: what is handed on in memory is put there for short spans too.
            let Depths { at: depth, slope, from, near, far } = d;
            return self.long(at, column, first, span, pixel, tag, depth, slope, from, near, far);
        }
        at + span
    }

    /// All after the last span.
    #[inline(always)]
    pub fn written(&mut self, at: usize) {
        self.count = at;
    }

    /// What is beyond the first of a span's samples.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    fn long(
        &mut self,
        at: usize,
        column: &[f64],
        first: usize,
        span: usize,
        pixel: u32,
        tag: u32,
        depth: f64,
        slope: f64,
        from: f64,
        near: f64,
        far: f64,
    ) -> usize {
        let d = Depths { at: depth, slope, from, near, far };
        self.count = at + WIDE;
        for done in (WIDE..span).step_by(WIDE) {
            let at = self.room();
            self.write(at, column, first + done, pixel + done as u32, tag, d);
            self.count = at + WIDE.min(span - done);
        }
        self.count
    }

    /// Writes so many as are written at a time.
    #[inline(always)]
    fn write(&mut self, at: usize, column: &[f64], first: usize, pixel: u32, tag: u32, d: Depths) {
        let centres = &column[first..first + WIDE];
        let depths = &mut self.come.depth[at..at + WIDE];
        for k in 0..WIDE {
            let depth = d.at + d.slope * (centres[k] - d.from);
            // A triangle seen edge on has no slope to speak of; its depth is between its corners'.
            let depth = if depth >= d.near { depth } else { d.near };
            depths[k] = if depth <= d.far { depth } else { d.far };
        }
        for (k, p) in (0..).zip(&mut self.come.pixel[at..at + WIDE]) {
            *p = pixel + k;
        }
        self.come.tag[at..at + WIDE].fill(tag);
    }

    /// Puts those that have come to their pixels.
    fn put(&mut self) {
        let n = self.count;
        (self.count, self.put) = (0, self.put + n);
        let come = self.come.depth[..n].iter().zip(&self.come.tag[..n]).zip(&self.come.pixel[..n]);
        if !self.met.is_empty() {
            for ((&depth, &tag), &pixel) in come {
                self.met[pixel as usize] += 1;
                self.over.push((pixel, Sample { depth, tag, free: 0 }));
            }
            return;
        }
        let (own, touched) = (&mut self.own[..self.pixels], &mut self.touched[..]);
        for ((&depth, &tag), &pixel) in come {
            let own = &mut own[pixel as usize];
            touched[pixel as usize / BLOCK] = 1;
            let k = *own.met();
            *own.met() = k + 1;
            if k < 2 {
                let layer = &mut own.layers[k as usize];
                (layer.depth, layer.tag) = (depth, tag);
            } else {
                self.over.push((pixel, Sample { depth, tag, free: 0 }));
            }
        }
    }

    /// Writes the layers of the pixels that have `fewest` or more behind the first `filled` of `samples`: pixel p's from `start[p]` to the next
    /// one's start, along the ray. How many there are now, and the most of a pixel, whether it had enough or not.
    pub fn finish(
        &mut self,
        start: &mut [u32],
        samples: &mut Vec<Sample>,
        filled: usize,
        fewest: u32,
    ) -> [usize; 2] {
        self.put();
        self.deep.clear();
        // Two are written even where there are less.
        let end = filled + self.put;
        if samples.len() < end + 2 {
            samples.resize(end + 2, Sample::default());
        }
        if !self.met.is_empty() {
            return self.finish_all(start, samples, filled, fewest);
        }
        let [end, deepest] = self.pairs(start, &mut samples[filled..], filled as u32, fewest);
        for (pixel, s) in &self.over {
            let next = self.own[*pixel as usize].met();
            if *next == LEFT_OUT {
                continue;
            }
            samples[*next as usize] = *s;
            *next += 1;
        }
        for &(p, end) in &self.deep {
            *self.own[p as usize].met() = 0;
            in_order(&mut samples[start[p as usize] as usize..end as usize]);
        }
        [end as usize, deepest as usize]
    }

    /// Lines up what has places of its own; where others of a pixel go stands in place of how many there are. The end of all, and the most
    /// of a pixel.
    fn pairs(&mut self, start: &mut [u32], samples: &mut [Sample], filled: u32, fewest: u32) -> [u32; 2] {
        let (mut end, mut deepest) = (filled, 0);
        let blocks = self.own[..self.pixels].chunks_mut(BLOCK).zip(start.chunks_mut(BLOCK));
        for ((first, touched), (own, start)) in (0..).step_by(BLOCK).zip(&self.touched).zip(blocks) {
            if *touched == 0 {
                start.fill(end);
                continue;
            }
            for (p, (own, start)) in (first..).zip(own.iter_mut().zip(start)) {
                let met = *own.met();
                *start = end;
                deepest = deepest.max(met);
                if met < fewest {
                    *own.met() = 0;
                    if met > 2 {
                        *own.met() = LEFT_OUT;
                        self.deep.push((p, end));
                    }
                    continue;
                }
                // Which is in front cannot be guessed; that two are as deep is rare.
                let [a, b] = &own.layers;
                let mut swap = b.depth < a.depth;
                if b.depth == a.depth {
                    swap = b.before(a);
                }
                let swap = usize::from(swap & (met > 1));
                let pair = &mut samples[(end - filled) as usize..][..2];
                (pair[0], pair[1]) = (own.layers[swap], own.layers[1 - swap]);
                *own.met() = 0;
                if met > 2 {
                    *own.met() = end + 2;
                    self.deep.push((p, end + met));
                }
                end += met;
            }
        }
        [end, deepest]
    }

    /// The same where all are in the order in which they came: counted, each put among its pixel's, then those along the ray.
    fn finish_all(
        &mut self,
        start: &mut [u32],
        samples: &mut [Sample],
        filled: usize,
        fewest: u32,
    ) -> [usize; 2] {
        let (mut end, mut deepest) = (filled as u32, 0);
        for (met, start) in self.met.iter_mut().zip(&mut *start) {
            let count = *met;
            (*start, *met) = (end, end);
            deepest = deepest.max(count);
            if count < fewest {
                *met = LEFT_OUT;
            } else {
                end += count;
            }
        }
        for (pixel, s) in &self.over {
            let next = &mut self.met[*pixel as usize];
            if *next == LEFT_OUT {
                continue;
            }
            samples[*next as usize] = *s;
            *next += 1;
        }
        for (&start, &end) in start.iter().zip(&self.met).filter(|(_, end)| **end != LEFT_OUT) {
            in_order(&mut samples[start as usize..end as usize]);
        }
        [end as usize, deepest as usize]
    }
}

#[cfg(test)]
mod tests;
