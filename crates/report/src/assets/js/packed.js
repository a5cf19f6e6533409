// Packed clouds: points that stay the same ones, as differences from frame to frame in groups that share a step. Frames are read when they
// are shown; the last ones read are kept, so that playing on costs one frame.

const PACKED_KEPT = 3;

function unpackPacked(raw) {
  const counts = new Uint32Array(raw.frames).fill(raw.count);
  return {
    packed: true, dim: 3, counts, count: raw.count, group: raw.group, lo: unpack(raw.lo), span: unpack(raw.span), step: unpack(raw.step),
    starts: unpack(raw.starts), data: unpack(raw.data), state: null, kept: new Map(),
  };
}

// Coordinates of a frame, x y z by point; the caller's own.
function packedFrame(cloud, frame) {
  if (!(frame >= 0 && frame < cloud.counts.length)) return new Float32Array(0);
  const known = cloud.kept.get(frame);
  if (known) return known.slice();
  const group = Math.floor(frame / cloud.group);
  const size = 3 * cloud.count;
  // On from where the last reading ended, if that is before this frame in its group.
  let state = cloud.state;
  if (!state || state.group !== group || state.next > frame) {
    state = { group, next: group * cloud.group, at: cloud.starts[group], codes: [0, 1, 2].map(() => new Int32Array(size)) };
    cloud.state = state;
  }
  while (state.next <= frame) readCodes(cloud, state);
  const out = new Float32Array(size);
  const [codes] = state.codes;
  for (let axis = 0; axis < 3; axis++) {
    const lo = cloud.lo[3 * frame + axis];
    const step = cloud.step[3 * group + axis];
    for (let i = 0, c = axis * cloud.count; i < cloud.count; i++, c++) out[3 * i + axis] = lo + codes[c] * step;
  }
  cloud.kept.set(frame, out);
  if (cloud.kept.size > PACKED_KEPT) cloud.kept.delete(cloud.kept.keys().next().value);
  return out.slice();
}

// The codes of the next frame to the front of `state.codes`, those of the two before behind them.
function readCodes(cloud, state) {
  const [one, two, spare] = state.codes;
  const { data, count } = cloud;
  let at = state.at;
  for (let axis = 0; axis < 3; axis++) {
    const order = data[at++];
    const end = (axis + 1) * count;
    for (let from = axis * count; from < end; from += 32) {
      const width = data[at++];
      const stop = Math.min(end, from + 32);
      const mask = width ? 2 ** width - 1 : 0;
      let next = at;
      at += 4 * width;
      let word = 0;
      let held = 0;
      for (let c = from; c < stop; c++) {
        while (held < width) {
          word |= data[next++] << held;
          held += 8;
        }
        const folded = word & mask;
        word >>>= width;
        held -= width;
        const differs = (folded >>> 1) ^ -(folded & 1);
        spare[c] = order === 0 ? differs : order === 1 ? differs + one[c] : differs + 2 * one[c] - two[c];
      }
    }
  }
  state.at = at;
  state.next++;
  state.codes = [spare, one, two];
}
