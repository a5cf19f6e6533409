// From the data blocks to arrays: takes the JSON of the page, gives models with typed arrays. Packed arrays are {k: element type,
// d: base64 of little-endian bytes}. The block `data` stands before the program and holds what the first picture shows, the block
// `rest` behind it all else, so that the picture need not wait until a large file is read.

const KINDS = {
  f32: Float32Array, f64: Float64Array, i16: Int16Array, i32: Int32Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array,
};

function unpack(packed) {
  if (Uint8Array.fromBase64) return new KINDS[packed.k](Uint8Array.fromBase64(packed.d).buffer);
  const text = atob(packed.d);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[packed.k](bytes.buffer);
}

// A cloud of points over time, 16 bits per coordinate over its box in each frame; 65535 means missing.
function unpackCloud(packed) {
  const counts = unpack(packed.counts);
  const starts = new Uint32Array(counts.length + 1);
  for (let f = 0; f < counts.length; f++) starts[f + 1] = starts[f] + counts[f];
  return { dim: packed.dim, counts, starts, lo: unpack(packed.lo), step: unpack(packed.step), q: unpack(packed.q) };
}

// Corners of the box of one frame: [lowest, highest].
function cloudBox(cloud, frame) {
  const low = Array.from(cloud.lo.subarray(3 * frame, 3 * frame + 3));
  return [low, low.map((x, k) => x + (cloud.packed ? cloud.span[3 * frame + k] : 65534 * cloud.step[3 * frame + k]))];
}

// The coordinates of one frame of a cloud; missing ones are NaN. In `room`, if that is an array of their number.
function cloudFrame(cloud, frame, room = null) {
  if (cloud.packed) return packedFrame(cloud, frame, room);
  const count = cloud.counts[frame] || 0;
  const out = room && room.length === count * cloud.dim ? room : new Float32Array(count * cloud.dim);
  for (let axis = 0; axis < cloud.dim; axis++) {
    const lo = cloud.lo[frame * cloud.dim + axis];
    const step = cloud.step[frame * cloud.dim + axis];
    const from = (cloud.starts[frame] || 0) * cloud.dim;
    for (let i = axis; i < out.length; i += cloud.dim) {
      const code = cloud.q[from + i];
      out[i] = code === 65535 ? NaN : lo + code * step;
    }
  }
  return out;
}

function unpackShape(shape) {
  const stored = shape.vertices;
  const vertices = stored.exact ? unpack(stored.exact) : cloudFrame(unpackCloud(stored.cloud), 0);
  return { vertices, triangles: unpack(shape.triangles) };
}

function unpackPlot(plot) {
  const shared = plot.x && unpack(plot.x);
  const times = [];
  const curves = plot.curves.map((curve) => {
    // A number is the place of an earlier curve with the same times.
    const x = typeof curve.x === "number" ? times[curve.x] : curve.x ? unpack(curve.x) : shared;
    times.push(x);
    const v = unpack(curve.v);
    // Of a comparison also `group`, what is drawn, and `run`, whose it is.
    return { ...curve, x, v, count: Math.min(x.length, v.length) };
  });
  return { ...plot, curves };
}

// Patches and idle rows of the frames that were kept; null where there are none.
function unpackDrawn(raw) {
  if (!raw) return null;
  const patches = unpack(raw.patches);
  const patchStarts = new Uint32Array(patches.length + 1);
  patches.forEach((n, k) => (patchStarts[k + 1] = patchStarts[k] + n));
  const idle = raw.idle && { point: unpackCloud(raw.idle.point), gap: unpackCloud(raw.idle.gap), pair: unpack(raw.idle.pair) };
  return {
    frames: unpack(raw.frames), corners: unpackCloud(raw.corners), patchStarts, sizes: unpack(raw.sizes), pressure: unpack(raw.pressure),
    pair: unpack(raw.pair), idle,
  };
}

// Rows of motion by body: 12 numbers of each frame; null where nothing was followed.
function unpackMotion(raw) {
  if (!raw) return null;
  const bodies = unpack(raw.bodies);
  return { places: new Map(Array.from(bodies, (b, k) => [b, k])), each: bodies.length, rows: unpack(raw.rows) };
}

// What met, each once: rows of pair, kind and numbers; null where it is not known.
function unpackMet(raw) {
  return raw && { pair: unpack(raw.pair), kind: unpack(raw.kind), ids: unpack(raw.ids) };
}

// Of a run what its first picture shows: of moving points the first frame, no contacts.
function unpackRun(raw, shapes) {
  const none = new Uint32Array(0);
  const tracks = raw.tracks.map((track) => ({ body: track.body, cloud: track.packed ? unpackPacked(track.packed) : unpackCloud(track.cloud) }));
  // A cable has a shape of its own: a tube around its points.
  const shapeOf = (body, b) => {
    const track = body.line && tracks.find((track) => track.body === b);
    return track ? shapes.push(tubeShape(track.cloud.counts[0] || 0)) - 1 : body.shape;
  };
  const nothing = { dim: 3, counts: none, starts: none, lo: none, step: none, q: none };
  return {
    shapes,
    bodies: raw.bodies.map((body, b) => {
      const shape = shapeOf(body, b);
      return { ...body, shape, pos: unpack(body.pos), rot: unpack(body.rot), solid: shapes[shape].triangles.length > 0 };
    }),
    time: unpack(raw.time),
    tracks,
    contacts: { point: nothing, force: nothing, depth: nothing, pair: none },
    met: null,
    motion: null,
    mu: new Float32Array(0),
    left: none,
    drawn: null,
    dt: raw.dt,
    pairs: raw.pairs,
  };
}

// Puts the rest into a run.
function completeRun(run, raw, rest) {
  raw.tracks.forEach((track, k) => {
    const whole = (head) => unpack({ k: head.k, d: head.d + rest.tracks[k] });
    if (track.packed) run.tracks[k].cloud.data = whole(track.packed.data);
    else run.tracks[k].cloud.q = whole(track.cloud.q);
  });
  const contacts = rest.contacts;
  const table = unpackMet(rest.met);
  const met = contacts.met && table && unpack(contacts.met);
  const clouds = {};
  for (const name of ["multiplier", "span", "normal", "friction"]) clouds[name] = contacts[name] && unpackCloud(contacts[name]);
  Object.assign(run, {
    contacts: {
      point: unpackCloud(contacts.point),
      force: unpackCloud(contacts.force),
      depth: unpackCloud(contacts.depth),
      pair: contacts.pair ? unpack(contacts.pair) : met ? Uint32Array.from(met, (row) => table.pair[row]) : new Uint32Array(0),
      met,
      hold: contacts.hold && unpack(contacts.hold),
      ...clouds,
    },
    met: table,
    motion: unpackMotion(rest.motion),
    mu: unpack(rest.mu),
    left: unpack(rest.left),
    drawn: unpackDrawn(rest.drawn),
  });
}

// Calls back with the block `rest` once the page is read to its end.
function whenRead(then) {
  const read = () => {
    let rest = null;
    try {
      rest = JSON.parse(document.getElementById("rest").textContent);
    } catch {
      for (const readout of document.querySelectorAll(".readout")) readout.textContent = "the file ends before its data do: write it anew";
      return;
    }
    then(rest);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", read);
  else read();
}
