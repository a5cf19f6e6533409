// Where everything is at a time: poses between frames, moving points, contacts; and the ball of space the run
// happens in.

// {p, q} of a body, between two frames; null where the record has no finite pose.
function poseAt(body, { i, j, s }) {
  const still = body.pos.length <= 3;
  const a = still ? 0 : i;
  const b = still ? 0 : j;
  const p = [0, 1, 2].map((k) => body.pos[3 * a + k] * (1 - s) + body.pos[3 * b + k] * s);
  if (!p.every(isFinite)) return null;
  const at = (f, k) => body.rot[4 * f + k];
  let cosine = 0;
  for (let k = 0; k < 4; k++) cosine += at(a, k) * at(b, k);
  // q and -q are the same rotation; take the near one.
  const sign = cosine < 0 ? -1 : 1;
  const q = [0, 1, 2, 3].map((k) => at(a, k) * (1 - s) + sign * at(b, k) * s);
  const length = Math.hypot(...q) || 1;
  return { p, q: q.map((c) => c / length) };
}

// World positions of a body's moving points; between two frames where both have the same count. The array is the track's own, and good
// until the next call.
function pointsAt(track, { i, j, s }) {
  const room = track.room || (track.room = { near: null, far: null });
  const a = (room.near = cloudFrame(track.cloud, i, room.near));
  if (s === 0 || i === j || track.cloud.counts[i] !== track.cloud.counts[j]) return a;
  const b = (room.far = cloudFrame(track.cloud, j, room.far));
  for (let k = 0; k < a.length; k++) a[k] += (b[k] - a[k]) * s;
  return a;
}

// Middle and half widths of the box around them, from the boxes that are stored of each frame.
function trackBox({ cloud }, { i, j, s }) {
  const [low, high] = cloudBox(cloud, i);
  const [next_low, next_high] = s > 0 && cloud.counts[i] === cloud.counts[j] ? cloudBox(cloud, j) : [low, high];
  const mix = (a, b) => add(times(a, 1 - s), times(b, s));
  const [l, h] = [mix(low, next_low), mix(high, next_high)];
  return { centre: times(add(l, h), 0.5), half: times(sub(h, l), 0.5) };
}

// Middle and half widths of the box around points; the origin if there are none.
function boxOf(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; k++) {
    if (points[k] < low[k % 3]) low[k % 3] = points[k];
    if (points[k] > high[k % 3]) high[k % 3] = points[k];
  }
  if (!(low[0] <= high[0])) return { centre: [0, 0, 0], half: [0, 0, 0] };
  const half = times(sub(high, low), 0.5);
  return { centre: add(low, half), half };
}

// The contacts of one frame as arrays.
function contactsAt(model, frame) {
  const { point, force, depth, pair, multiplier, span, normal, friction, met, hold } = model.contacts;
  const start = point.starts[frame] || 0;
  const count = point.counts[frame] || 0;
  return {
    count, point: cloudFrame(point, frame), force: cloudFrame(force, frame), depth: cloudFrame(depth, frame),
    pair: pair.subarray(start, start + count), multiplier: multiplier && cloudFrame(multiplier, frame), span: span && cloudFrame(span, frame),
    normal: normal && cloudFrame(normal, frame), friction: friction && cloudFrame(friction, frame),
    met: met && met.subarray(start, start + count), hold: hold && hold.subarray(start, start + count), frame,
  };
}

// Constraints without an impulse, in the last kept frame that is not after this one.
function idleAt(model, frame) {
  const drawn = model.drawn;
  const k = drawn && drawn.idle ? lastNotAbove(drawn.frames, frame) : -1;
  if (k < 0) return { count: 0, point: new Float32Array(0), gap: new Float32Array(0), pair: new Uint32Array(0) };
  const { point, gap, pair } = drawn.idle;
  const [start, count] = [point.starts[k], point.counts[k]];
  return { count, point: cloudFrame(point, k), gap: cloudFrame(gap, k), pair: pair.subarray(start, start + count) };
}

function pairName(model, index) {
  const pair = model.pairs[index];
  const name = (b) => (model.bodies[b] ? model.bodies[b].name : `body ${b}`);
  return pair ? `${name(pair[0])} on ${name(pair[1])}` : `pair ${index}`;
}

// Radius of a shape around its own origin.
function shapeRadius(shape) {
  let most = 0;
  const v = shape.vertices;
  for (let k = 0; k < v.length; k += 3) {
    const r = Math.hypot(v[k], v[k + 1], v[k + 2]);
    if (r > most) most = r;
  }
  return most;
}

// The space the run happens in: what moving bodies sweep, and the fixed bodies of like size they can meet; all
// bodies, if none moves. A ball, a box, and some of the places they pass with their radii, `stops`, for a camera
// that wants to see them all. A body that flies off (further than two radii of the first frame) is left to go:
// it must not shrink the rest to a dot.
function sceneBall(model) {
  const stops = [];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let home = null;
  const take = (p, r) => {
    if (!p.every(isFinite)) return;
    if (home && norm(sub(p, home.centre)) > 2 * home.radius) return;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], p[k] - r);
      high[k] = Math.max(high[k], p[k] + r);
    }
    stops.push([p[0], p[1], p[2], r]);
  };
  const radii = model.shapes.map(shapeRadius);
  const tracked = new Set(model.tracks.map((t) => t.body));
  const sweep = (wanted, end = Infinity) => {
    model.bodies.forEach((body, b) => {
      if (body.kind === "plane" || tracked.has(b) || !wanted(body)) return;
      const places = Math.min(end, body.pos.length);
      for (let k = 0; k + 2 < places; k += 3) take(Array.from(body.pos.subarray(k, k + 3)), radii[body.shape]);
    });
  };
  const moves = (body) => body.kind !== "fixed" && radii[body.shape] > 0;
  const ballOf = () => ({
    centre: [0, 1, 2].map((k) => (low[k] + high[k]) / 2), radius: Math.max(1e-6, norm(sub(high, low)) / 2),
  });
  sweep(moves, 3);
  if (low[0] <= high[0]) {
    const moving = ballOf();
    sweep((body) => body.kind === "fixed" && radii[body.shape] <= 2.5 * moving.radius, 3);
    home = ballOf();
  }
  sweep(moves);
  for (const { cloud } of model.tracks) {
    for (let f = 0; f < cloud.counts.length; f++) {
      if (!cloud.counts[f]) continue;
      for (const corner of cloudBox(cloud, f)) take(corner, 0);
    }
  }
  if (low[0] > high[0]) sweep(() => true);
  if (low[0] > high[0]) take([0, 0, 0], 1);
  const every = Math.ceil(stops.length / 4000);
  return {
    ...ballOf(), low, high,
    stops: stops.filter((_, k) => k % every === 0),
  };
}

// Do walls that stand still surround what moves, at the end of the run? Around the middle of most bodies, and higher, are corners of one fixed
// body in all four directions: a bucket, not a ramp.
function walledIn(model) {
  const last = Math.max(0, model.time.length - 1);
  const middles = [];
  const tracked = new Set(model.tracks.map((t) => t.body));
  for (const { cloud } of model.tracks) {
    if (!cloud.counts[last]) continue;
    const [low, high] = cloudBox(cloud, last);
    middles.push(times(add(low, high), 0.5));
  }
  model.bodies.forEach((body, b) => {
    const at = body.pos.length <= 3 ? 0 : 3 * last;
    if (!tracked.has(b) && body.kind !== "fixed" && body.kind !== "plane") middles.push(Array.from(body.pos.subarray(at, at + 3)));
  });
  const inside = new Set();
  model.bodies.forEach((body) => {
    const pose = body.kind === "fixed" ? poseAt(body, { i: 0, j: 0, s: 0 }) : null;
    if (!pose) return;
    const matrix = poseMatrix(pose.p, pose.q);
    const v = model.shapes[body.shape].vertices;
    const corners = [];
    // Some hundred are enough to know a wall.
    const every = 3 * Math.ceil(v.length / 3 / 400);
    for (let k = 0; k + 2 < v.length; k += every) corners.push(transformPoint(matrix, [v[k], v[k + 1], v[k + 2]]));
    middles.forEach((m, k) => {
      let sides = 0;
      for (const c of corners) if (c[2] > m[2]) sides |= 1 << ((c[0] > m[0] ? 1 : 0) + (c[1] > m[1] ? 2 : 0));
      if (sides === 15) inside.add(k);
    });
  });
  return 2 * inside.size > middles.length;
}

// How far what moves has gone since the first frame, in the mean over its bodies; those of nodes go with the box around them.
function goneBy(model, at) {
  const sum = [0, 0, 0];
  let count = 0;
  const take = (from, to) => {
    const way = sub(to, from);
    if (!way.every(isFinite)) return;
    for (let k = 0; k < 3; k++) sum[k] += way[k];
    count++;
  };
  const middle = (cloud, frame) => {
    const [low, high] = cloudBox(cloud, frame);
    return times(add(low, high), 0.5);
  };
  const mix = (a, b) => add(times(a, 1 - at.s), times(b, at.s));
  const tracked = new Set();
  for (const { body, cloud } of model.tracks) {
    tracked.add(body);
    if (cloud.counts[0] && cloud.counts[at.i] && cloud.counts[at.j]) take(middle(cloud, 0), mix(middle(cloud, at.i), middle(cloud, at.j)));
  }
  model.bodies.forEach((body, b) => {
    if (tracked.has(b) || body.pos.length <= 3) return;
    const place = (f) => Array.from(body.pos.subarray(3 * f, 3 * f + 3));
    take(place(0), mix(place(at.i), place(at.j)));
  });
  return times(sum, 1 / Math.max(1, count));
}

// Does a run go out of the ball that the camera looks at?
function leaves(model, ball) {
  const every = Math.max(1, Math.floor(model.time.length / 50));
  for (let i = 0; i < model.time.length; i += every) {
    if (norm(goneBy(model, { i, j: i, s: 0 })) > 1.5 * ball.radius) return true;
  }
  return false;
}

// The force that arrows are scaled by: 70 of 100 contacts of the run are weaker. Resting forces decide it,
// not the few impacts.
function typicalForce(model) {
  const { force } = model.contacts;
  const total = force.starts[force.starts.length - 1];
  const every = Math.max(1, Math.ceil(force.counts.length / Math.max(1, 2e5 / (total / force.counts.length || 1))));
  const sizes = [];
  for (let f = 0; f < force.counts.length; f += every) {
    const v = cloudFrame(force, f);
    for (let k = 0; k < v.length; k += 3) {
      const size = Math.hypot(v[k], v[k + 1], v[k + 2]);
      if (size > 0) sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(sizes.length * 0.7)] : 0;
}
