// Packed clouds: points that stay the same ones, as differences from frame to frame in groups that share a step. Frames are read when they
// are shown. The codes of one group are kept, as 16-bit numbers in memory that is taken once: a frame that was read is there again at the
// cost of one pass, and a cursor that goes back reads each group once. It had read the group anew for every frame, half a group on average.

function unpackPacked(raw) {
  const counts = new Uint32Array(raw.frames).fill(raw.count);
  return {
    packed: true, dim: 3, counts, count: raw.count, group: raw.group, lo: unpack(raw.lo), span: unpack(raw.span), step: unpack(raw.step),
    starts: unpack(raw.starts), data: unpack(raw.data), read: null,
  };
}

// Coordinates of a frame, x y z by point, in `out` where the caller has one of that length.
function packedFrame(cloud, frame, out = null) {
  if (!(frame >= 0 && frame < cloud.counts.length)) return new Float32Array(0);
  const { count } = cloud;
  const group = Math.floor(frame / cloud.group);
  const codes = codesOf(cloud, group, frame - group * cloud.group);
  const points = out && out.length === 3 * count ? out : new Float32Array(3 * count);
  for (let axis = 0; axis < 3; axis++) {
    const lo = cloud.lo[3 * frame + axis];
    const step = cloud.step[3 * group + axis];
    for (let c = axis * count, end = c + count, k = axis; c < end; c++, k += 3) points[k] = lo + codes[c] * step;
  }
  return points;
}

// The codes of the `place`-th frame of a group, read on from the last one of it that was read.
function codesOf(cloud, group, place) {
  const size = 3 * cloud.count;
  if (!cloud.read) cloud.read = { group: -1, next: 0, at: 0, frames: [] };
  const { read } = cloud;
  if (read.group !== group) Object.assign(read, { group, next: 0, at: cloud.starts[group] });
  while (read.next <= place) {
    const k = read.next;
    if (k === read.frames.length) read.frames.push(new Uint16Array(size));
    // A first frame has no frames before it and no differences to them.
    const one = read.frames[Math.max(0, k - 1)];
    readCodes(cloud, read, read.frames[k], one, read.frames[Math.max(0, k - 2)]);
    read.next++;
  }
  return read.frames[place];
}

const BLOCK_NUMBERS = new Int32Array(32);

// The codes of the next frame to `out`; `one` and `two` are those of the two frames before.
function readCodes({ data, count }, read, out, one, two) {
  const numbers = BLOCK_NUMBERS;
  let at = read.at;
  for (let axis = 0; axis < 3; axis++) {
    const order = data[at++];
    const end = (axis + 1) * count;
    for (let from = axis * count; from < end; from += 32) {
      const width = data[at++];
      const stop = Math.min(end, from + 32);
      if (width) readBlock(data, at, width, numbers);
      else numbers.fill(0);
      at += 4 * width;
      // One loop for each order: what does not change within a block is not asked for each number.
      if (order === 0) for (let c = from; c < stop; c++) out[c] = numbers[c - from];
      else if (order === 1) for (let c = from; c < stop; c++) out[c] = numbers[c - from] + one[c];
      else for (let c = from; c < stop; c++) out[c] = numbers[c - from] + 2 * one[c] - two[c];
    }
  }
  read.at = at;
}

// 32 numbers of `width` bits, lowest bit first, both signs folded into one. Most have few bits: four of 8 at most lie in one word of 32, and are
// read without asking for each whether bits are left (0.95 ms a frame of forty dragons, 5.4 ms by the loop below).
function readBlock(data, at, width, numbers) {
  const mask = 2 ** width - 1;
  if (width <= 8) {
    // Eight of them begin at a byte, the second four of those at half a byte where the width is odd.
    const [ahead, shift] = [width >> 1, 4 * (width & 1)];
    for (let k = 0; k < 32; k += 8, at += width) {
      unfoldFour(wordAt(data, at), width, mask, numbers, k);
      unfoldFour(wordAt(data, at + ahead) >>> shift, width, mask, numbers, k + 4);
    }
    return;
  }
  let word = 0;
  let held = 0;
  for (let k = 0; k < 32; k++) {
    while (held < width) {
      word |= data[at++] << held;
      held += 8;
    }
    numbers[k] = unfold(word & mask);
    word >>>= width;
    held -= width;
  }
}

const wordAt = (data, at) => data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24);

// 0, 1, 2, 3, 4 to 0, -1, 1, -2, 2.
const unfold = (folded) => (folded >>> 1) ^ -(folded & 1);

function unfoldFour(word, width, mask, numbers, k) {
  numbers[k] = unfold(word & mask);
  numbers[k + 1] = unfold((word >>> width) & mask);
  numbers[k + 2] = unfold((word >>> (2 * width)) & mask);
  numbers[k + 3] = unfold((word >>> (3 * width)) & mask);
}
