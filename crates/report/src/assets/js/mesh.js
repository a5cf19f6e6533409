// Triangles for the card: takes vertices and indices, gives unindexed position + normal. Edges sharper than
// the crease angle stay sharp.

const CREASE_COSINE = Math.cos((38 * Math.PI) / 180);

function expandMesh({ vertices, triangles }) {
  const count = triangles.length / 3;
  const facing = new Float32Array(count * 3);
  const area = new Float32Array(count);
  const corner = (t, k) => {
    const v = triangles[3 * t + k] * 3;
    return [vertices[v], vertices[v + 1], vertices[v + 2]];
  };
  for (let t = 0; t < count; t++) {
    const a = corner(t, 0);
    const n = cross(sub(corner(t, 1), a), sub(corner(t, 2), a));
    area[t] = norm(n);
    facing.set(unit(n), 3 * t);
  }
  // Which triangles meet at each vertex, as one list with starts.
  const start = new Uint32Array(vertices.length / 3 + 1);
  for (const v of triangles) start[v + 1]++;
  for (let v = 1; v < start.length; v++) start[v] += start[v - 1];
  const next = start.slice();
  const around = new Uint32Array(triangles.length);
  for (let c = 0; c < triangles.length; c++) around[next[triangles[c]]++] = (c / 3) | 0;

  const out = new Float32Array(triangles.length * 6);
  for (let c = 0; c < triangles.length; c++) {
    const v = triangles[c];
    const own = 3 * ((c / 3) | 0);
    let x = 0, y = 0, z = 0;
    for (let k = start[v]; k < start[v + 1]; k++) {
      const t = around[k];
      const cosine = facing[own] * facing[3 * t] + facing[own + 1] * facing[3 * t + 1] + facing[own + 2] * facing[3 * t + 2];
      if (cosine < CREASE_COSINE) continue;
      x += facing[3 * t] * area[t];
      y += facing[3 * t + 1] * area[t];
      z += facing[3 * t + 2] * area[t];
    }
    const length = Math.hypot(x, y, z) || 1;
    out.set([vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2], x / length, y / length, z / length], 6 * c);
  }
  return out;
}

// The corners of a deforming mesh; its normals are made while drawing.
function expandPositions(triangles, positions) {
  const out = new Float32Array(triangles.length * 6);
  for (let c = 0; c < triangles.length; c++) {
    const v = triangles[c] * 3;
    out[6 * c] = positions[v];
    out[6 * c + 1] = positions[v + 1];
    out[6 * c + 2] = positions[v + 2];
  }
  return out;
}

// A unit arrow for the arrow shader: shaft, brim and head around so many sides.
function arrowMesh(sides) {
  const out = [];
  const at = (i, part) => [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides), part, 0];
  for (let i = 0; i < sides; i++) {
    for (const [low, high] of [[0, 1], [1, 2], [2, 3]]) {
      out.push(at(i, low), at(i + 1, low), at(i + 1, high), at(i, low), at(i + 1, high), at(i, high));
    }
  }
  return new Float32Array(out.flat());
}
