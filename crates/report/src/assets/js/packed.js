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

// 32 numbers of `width` bits, lowest bit first, both signs folded into one.
function readBlock(data, at, width, numbers) {
  const mask = 2 ** width - 1;
  let word = 0;
  let held = 0;
  for (let k = 0; k < 32; k++) {
    while (held < width) {
      word |= data[at++] << held;
      held += 8;
    }
    const folded = word & mask;
    word >>>= width;
    held -= width;
    numbers[k] = (folded >>> 1) ^ -(folded & 1);
  }
}
