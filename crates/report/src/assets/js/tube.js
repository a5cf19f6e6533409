// Points in a row as a round bar: takes the points of a cable, gives the vertices of a tube around them.

const TUBE_SIDES = 8;

// The shape of a tube around so many points; its vertices come with the points.
function tubeShape(count) {
  const triangles = [];
  for (let k = 0; k + 1 < count; k++) {
    for (let side = 0; side < TUBE_SIDES; side++) {
      const [a, b] = [k * TUBE_SIDES + side, k * TUBE_SIDES + ((side + 1) % TUBE_SIDES)];
      triangles.push(a, b, b + TUBE_SIDES, a, b + TUBE_SIDES, a + TUBE_SIDES);
    }
  }
  return { vertices: new Float32Array(0), triangles: Uint32Array.from(triangles), outline: { fewer: null, edge: 0, closed: false } };
}

// Its vertices: a ring across the way at each point, carried along without a twist.
function tubeAround(points, radius) {
  const count = points.length / 3;
  const out = new Float32Array(3 * TUBE_SIDES * count);
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  let side = null;
  for (let k = 0; k < count; k++) {
    const along = unit(sub(at(Math.min(k + 1, count - 1)), at(Math.max(k - 1, 0))));
    if (!side) side = Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    // What of the last side lies across the way here.
    side = unit(sub(side, times(along, dot(side, along))));
    const other = cross(along, side);
    for (let n = 0; n < TUBE_SIDES; n++) {
      const turn = (2 * Math.PI * n) / TUBE_SIDES;
      const out_of = add(times(side, radius * Math.cos(turn)), times(other, radius * Math.sin(turn)));
      out.set(add(at(k), out_of), 3 * (k * TUBE_SIDES + n));
    }
  }
  return out;
}
