//! Samples as the triangles give them to layers in order: one chain for each pixel, then each chain along its ray.

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
/// Samples that wait in lanes before they are chained: few enough for the nearest cache.
const WAITING: usize = 1024;
/// The end of a chain.
const NONE: u32 = u32::MAX;

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

/// A sample in the chain of its pixel.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    depth: f64,
    tag: u32,
    next: u32,
}

/// Samples that wait, in lanes; what stands beyond `count` means nothing.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    depth: Vec<f64>,
    tag: Vec<u32>,
    /// Within the band.
    pixel: Vec<u32>,
    pub count: usize,
}

impl Waiting {
    /// To write so many samples; [`Chains::room`] has been asked for them.
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

/// The chains of a band's pixels.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    pub waiting: Waiting,
    links: Vec<Link>,
    count: usize,
    /// The latest sample of each pixel.
    latest: Vec<u32>,
}

impl Chains {
    /// No samples yet.
    pub fn start(&mut self, pixels: usize) {
        self.waiting.count = 0;
        self.count = 0;
        self.latest.clear();
        self.latest.resize(pixels, NONE);
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.count + self.waiting.count
    }

    /// Makes room for so many samples in lanes.
    #[inline(always)]
    pub fn room(&mut self, samples: usize) {
        if self.waiting.count + samples + WIDE > self.waiting.depth.len() {
            self.make_room(samples);
        }
    }

    #[inline(never)]
    fn make_room(&mut self, samples: usize) {
        self.chain();
        let w = &mut self.waiting;
        if samples + WIDE > w.depth.len() {
            let size = (samples + WIDE).max(WAITING);
            w.depth.resize(size, 0.0);
            w.tag.resize(size, 0);
            w.pixel.resize(size, 0);
        }
    }

    /// Puts what waits at the heads of its pixels' chains.
    fn chain(&mut self) {
        let w = &mut self.waiting;
        let end = self.count + w.count;
        if self.links.len() < end {
            self.links.resize((2 * self.links.len()).max(end), Link::default());
        }
        let links = &mut self.links[self.count..end];
        let waiting = w.depth[..w.count].iter().zip(&w.tag[..w.count]).zip(&w.pixel[..w.count]);
        for (i, (link, ((&depth, &tag), &pixel))) in links.iter_mut().zip(waiting).enumerate() {
            let latest = &mut self.latest[pixel as usize];
            *link = Link { depth, tag, next: *latest };
            *latest = (self.count + i) as u32;
        }
        self.count = end;
        w.count = 0;
    }

    /// Hands out the layers: `samples[start[p]..start[p + 1]]` are those of pixel p, along the ray. The most of a pixel.
    pub fn finish(&mut self, start: &mut Vec<u32>, samples: &mut Vec<Sample>) -> usize {
        self.chain();
        // All of them are written below.
        samples.resize(self.count, Sample { depth: 0.0, tag: 0 });
        start.clear();
        start.resize(self.latest.len() + 1, 0);
        let links = &self.links[..self.count];
        let (mut end, mut deepest) = (0, 0);
        for (start, &latest) in start.iter_mut().zip(&self.latest) {
            *start = end as u32;
            if latest == NONE {
                continue;
            }
            let link = |i: u32| {
                let Link { depth, tag, next } = links[i as usize];
                (Sample { depth, tag }, next)
            };
            let (a, next) = link(latest);
            if next == NONE {
                samples[end] = a;
                end += 1;
                deepest = deepest.max(1);
                continue;
            }
            let (b, mut next) = link(next);
            // In front and behind in one go: which it is cannot be guessed.
            let swap = b.before(&a);
            let first = end;
            let pair = &mut samples[end..end + 2];
            pair[usize::from(swap)] = a;
            pair[usize::from(!swap)] = b;
            end += 2;
            while next != NONE {
                let (s, after) = link(next);
                next = after;
                let mut k = end;
                while k > first && s.before(&samples[k - 1]) {
                    samples[k] = samples[k - 1];
                    k -= 1;
                }
                samples[k] = s;
                end += 1;
            }
            deepest = deepest.max(end - first);
        }
        if let Some(last) = start.last_mut() {
            *last = end as u32;
        }
        deepest
    }
}
