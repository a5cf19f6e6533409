//! Samples as the triangles give them to layers in order: counted for each pixel, each put among its pixel's, then those along the ray.
//!
//! A chain for each pixel takes one pass less and took a third longer: every link that is followed is a read somewhere else that
//! the next one waits for, and where a chain ends cannot be guessed.

/// One surface met by one ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Coordinate along the axis (m).
    pub depth: f64,
    /// Twice the triangle's number among all bodies', plus 1 where the ray enters.
    pub tag: u32,
}

impl Sample {
    #[inline]
    pub fn enters(&self) -> bool {
        self.tag & 1 == 1
    }

    #[inline]
    pub fn triangle(&self) -> u32 {
        self.tag >> 1
    }

    /// Order along the ray; at one depth leaving comes first, so that touching is no overlap.
    #[inline]
    fn before(&self, o: &Self) -> bool {
        let key = |s: &Self| s.tag.rotate_right(1);
        (self.depth < o.depth) | ((self.depth == o.depth) & (key(self) < key(o)))
    }
}

/// Samples written at a time, whether they are wanted or not: most spans are shorter.
pub const WIDE: usize = 4;
/// Least room for samples.
const LEAST: usize = 1024;

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

/// Samples of a band as they come, in lanes; what stands beyond `count` means nothing.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    depth: Vec<f64>,
    tag: Vec<u32>,
    /// Within the band.
    pixel: Vec<u32>,
    count: usize,
    /// Of the band.
    pixels: usize,
    /// Triangles that the lanes left to be done one by one.
    pub one_by_one: usize,
}

impl Waiting {
    /// No samples yet, of so many pixels.
    pub fn start(&mut self, pixels: usize) {
        self.count = 0;
        self.pixels = pixels;
        self.one_by_one = 0;
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Makes room for so many samples more.
    #[inline(always)]
    pub fn room(&mut self, samples: usize) {
        if self.count + samples + WIDE > self.depth.len() {
            self.make_room(samples);
        }
    }

    #[inline(never)]
    fn make_room(&mut self, samples: usize) {
        let size = (self.count + samples + WIDE).max(2 * self.depth.len()).max(LEAST);
        self.depth.resize(size, 0.0);
        self.tag.resize(size, 0);
        self.pixel.resize(size, 0);
    }

    /// To write so many samples; [`Waiting::room`] has been asked for them.
    #[inline(always)]
    pub fn writer(&mut self, samples: usize) -> Writer<'_> {
        let range = self.count..self.count + samples + WIDE;
        self.count += samples;
        Writer {
            depth: &mut self.depth[range.clone()],
            tag: &mut self.tag[range.clone()],
            pixel: &mut self.pixel[range],
            count: 0,
        }
    }
}

impl Waiting {
    /// Hands out the layers: `samples[start[p]..start[p + 1]]` are those of pixel p, along the ray. The most of a pixel.
    pub fn finish(&self, start: &mut Vec<u32>, samples: &mut Vec<Sample>) -> usize {
        let (depth, tag, pixel) =
            (&self.depth[..self.count], &self.tag[..self.count], &self.pixel[..self.count]);
        start.clear();
        start.resize(self.pixels + 1, 0);
        let next = &mut start[1..];
        pixel.iter().for_each(|&p| next[p as usize] += 1);
        // Where each pixel's next sample goes; when all are there, where they end.
        let (mut end, mut deepest) = (0, 0);
        for next in next.iter_mut() {
            let count = *next;
            deepest = deepest.max(count);
            *next = end;
            end += count;
        }
        // All of them are written below.
        samples.resize(self.count, Sample { depth: 0.0, tag: 0 });
        for ((&depth, &tag), &pixel) in depth.iter().zip(tag).zip(pixel) {
            let next = &mut next[pixel as usize];
            samples[*next as usize] = Sample { depth, tag };
            *next += 1;
        }
        for ends in start.windows(2) {
            let ray = &mut samples[ends[0] as usize..ends[1] as usize];
            if let [a, b] = ray {
                // Which is in front cannot be guessed.
                let (first, second) = (*a, *b);
                let swap = second.before(&first);
                (*a, *b) = (choose(swap, second, first), choose(swap, first, second));
                continue;
            }
            for end in 1..ray.len() {
                let s = ray[end];
                let mut k = end;
                while k > 0 && s.before(&ray[k - 1]) {
                    ray[k] = ray[k - 1];
                    k -= 1;
                }
                ray[k] = s;
            }
        }
        deepest as usize
    }
}

/// By masks: a branch would be guessed wrong every other time.
#[inline(always)]
fn choose(first: bool, a: Sample, b: Sample) -> Sample {
    let (wide, narrow) = (0u64.wrapping_sub(u64::from(first)), 0u32.wrapping_sub(u32::from(first)));
    let depth = f64::from_bits(a.depth.to_bits() & wide | b.depth.to_bits() & !wide);
    Sample { depth, tag: a.tag & narrow | b.tag & !narrow }
}

/// Writes samples side by side.
pub struct Writer<'a> {
    depth: &'a mut [f64],
    tag: &'a mut [u32],
    pixel: &'a mut [u32],
    count: usize,
}

impl Writer<'_> {
    /// Writes `span` samples of a row from `column[first]` on.
    #[inline(always)]
    pub fn write(&mut self, column: &[f64], first: usize, span: usize, pixel: u32, tag: u32, d: &Depths) {
        let mut done = 0;
        loop {
            let (at, from) = (self.count + done, first + done);
            let centres = &column[from..from + WIDE];
            let depths = &mut self.depth[at..at + WIDE];
            for k in 0..WIDE {
                let depth = d.at + d.slope * (centres[k] - d.from);
                // A triangle seen edge on has no slope to speak of; its depth is between its corners'.
                let depth = if depth >= d.near { depth } else { d.near };
                depths[k] = if depth <= d.far { depth } else { d.far };
            }
            let pixels = &mut self.pixel[at..at + WIDE];
            for (k, p) in pixels.iter_mut().enumerate() {
                *p = pixel + (done + k) as u32;
            }
            self.tag[at..at + WIDE].fill(tag);
            done += WIDE;
            if done >= span {
                break;
            }
        }
        self.count += span;
    }
}
