// Which body is under a place of the picture: a ray through its triangles, and past the balls that points are drawn as.

// Origin and direction of the ray through a place on a canvas of this size.
function rayAt({ view, projection, eye }, width, height, x, y) {
  const right = ((2 * x) / width - 1) / projection[0];
  const up = (1 - (2 * y) / height) / projection[5];
  const along = [0, 1, 2].map((k) => right * view[4 * k] + up * view[4 * k + 1] - view[4 * k + 2]);
  return { from: eye, along: unit(along) };
}

// Does a ray meet a box?
function meetsBox({ from, along }, { centre, half }) {
  let [near, far] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    // A flat box has some thickness to rounding.
    const reach = half[k] + 1e-6 * (Math.abs(centre[k]) + half[k]);
    const [a, b] = [(centre[k] - reach - from[k]) / along[k], (centre[k] + reach - from[k]) / along[k]];
    // 0/0 where the ray runs within a side: it does not bound.
    if (!isNaN(a) && !isNaN(b)) [near, far] = [Math.max(near, Math.min(a, b)), Math.min(far, Math.max(a, b))];
  }
  return near <= far;
}

// How far along a ray the nearest triangle is (Möller and Trumbore); Infinity if it meets none.
function meetsTriangles({ from, along }, points, triangles) {
  let nearest = Infinity;
  const [dx, dy, dz] = along;
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [x, y, z] = [points[a], points[a + 1], points[a + 2]];
    const [ux, uy, uz] = [points[b] - x, points[b + 1] - y, points[b + 2] - z];
    const [vx, vy, vz] = [points[c] - x, points[c + 1] - y, points[c + 2] - z];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const over = 1 / (ux * px + uy * py + uz * pz);
    const [sx, sy, sz] = [from[0] - x, from[1] - y, from[2] - z];
    const p = (sx * px + sy * py + sz * pz) * over;
    if (!(p >= 0 && p <= 1)) continue;
    const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
    const q = (dx * qx + dy * qy + dz * qz) * over;
    if (!(q >= 0 && p + q <= 1)) continue;
    const way = (vx * qx + vy * qy + vz * qz) * over;
    if (way > 0 && way < nearest) nearest = way;
  }
  return nearest;
}

// The same of balls.
function meetsBalls({ from, along }, points, radius) {
  let nearest = Infinity;
  for (let k = 0; k + 2 < points.length; k += 3) {
    const to = sub([points[k], points[k + 1], points[k + 2]], from);
    const way = dot(to, along);
    if (way > 0 && way < nearest && norm(sub(to, times(along, way))) < radius) nearest = way;
  }
  return nearest;
}

// The nearest visible body that a ray meets, or -1; planes are ground, and not met. `at` is the moment the items were placed for.
function bodyOnRay(ray, { items, surfaceAt, ballSize }, at) {
  let best = -1;
  let nearest = Infinity;
  items.forEach((item, b) => {
    if (!item.visible || !item.here) return;
    let [local, points, box] = [ray, item.shape.vertices, item.gpu.box];
    if (item.track) {
      points = surfaceAt(item, at);
      box = item.track.cloud.packed ? trackBox(item.track, at) : boxOf(points);
    } else {
      // A rigid body stays as it is, and the ray goes to its frame.
      const m = item.matrix;
      const turn = (v) => [0, 1, 2].map((c) => m[4 * c] * v[0] + m[4 * c + 1] * v[1] + m[4 * c + 2] * v[2]);
      local = { from: turn(sub(ray.from, [m[12], m[13], m[14]])), along: turn(ray.along) };
    }
    const radius = item.gpu.solid ? 0 : ballSize / 2;
    // A box around points has no room for what is drawn around them.
    const margin = item.track ? ballSize / 2 : radius;
    if (!meetsBox(local, { centre: box.centre, half: box.half.map((h) => h + margin) })) return;
    const way = item.gpu.solid ? meetsTriangles(local, points, item.shape.triangles) : meetsBalls(local, points, radius);
    if (way < nearest) [best, nearest] = [b, way];
  });
  return best;
}

// A click or a tap picks the contact under it, else the body.
function attachPicking(runs, viewers, why, card) {
  for (const viewer of viewers) {
    let down = null;
    viewer.canvas.addEventListener("pointerdown", (event) => (down = [event.offsetX, event.offsetY]));
    viewer.canvas.addEventListener("click", (event) => {
      // A finger is less sure of its place.
      const touch = event.pointerType === "touch";
      if (!down || Math.hypot(event.offsetX - down[0], event.offsetY - down[1]) > (touch ? 10 : 4)) return;
      const run = runs.indexOf(viewer.model);
      const c = viewer.contactAt(event, touch);
      if (c >= 0 && why.pick(run, c)) {
        if (touch) why.reveal();
        return;
      }
      const b = viewer.bodyAt(event);
      if (b < 0) return card.close();
      card.pick(viewer.model.keys[b]);
      if (touch) card.reveal();
    });
  }
}
