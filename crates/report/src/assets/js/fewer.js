// Fewer triangles for a picture of what moves: takes a mesh, gives the same surface with about a quarter of them over the same vertices, so
// that a frame uploads nothing more. Without a card a triangle of a pixel costs about what one of ten does.

// Meshes with fewer than this are drawn as they are.
const FEWER_FROM = 600;

// What a mesh is like, known once it is asked for: {fewer, edge, closed}; `fewer` are corners by vertex, `edge` their mean length (m).
function outlineOf(shape) {
  if (!shape.outline) {
    const { vertices, triangles } = shape;
    const fewer = triangles.length >= 3 * FEWER_FROM ? fewerCorners(vertices.length / 3, triangles) : null;
    shape.outline = { fewer, edge: fewer ? meanEdge(vertices, fewer) : 0, closed: isClosed(vertices, triangles) };
  }
  return shape.outline;
}

// Draws every vertex to the first of its neighbours that leads: a vertex that nobody has drawn leads and draws all around it that are free.
// By neighbours and not by cells of space: parts that touch at first and part later stay two, as do both sides of what is thin, and fine
// parts stay finer than coarse ones.
function fewerCorners(count, triangles) {
  const start = new Uint32Array(count + 1);
  for (const v of triangles) start[v + 1]++;
  for (let v = 0; v < count; v++) start[v + 1] += start[v];
  const around = new Uint32Array(triangles.length);
  const next = start.slice(0, count);
  for (let c = 0; c < triangles.length; c++) around[next[triangles[c]]++] = c - (c % 3);
  const leader = new Int32Array(count).fill(-1);
  for (let v = 0; v < count; v++) {
    if (leader[v] >= 0) continue;
    leader[v] = v;
    for (let k = start[v]; k < start[v + 1]; k++) {
      for (let c = around[k]; c < around[k] + 3; c++) {
        if (leader[triangles[c]] < 0) leader[triangles[c]] = v;
      }
    }
  }
  const corners = [];
  for (let c = 0; c < triangles.length; c += 3) {
    const [a, b, d] = [leader[triangles[c]], leader[triangles[c + 1]], leader[triangles[c + 2]]];
    if (a !== b && b !== d && d !== a) corners.push(a, b, d);
  }
  return Uint32Array.from(corners);
}

// The same corners in a buffer that holds all corners of all triangles, one after the other: for each vertex that of its largest triangle.
// The smallest have no area, and no normal that light could fall on: they were dark dots.
function cornersInBuffer({ vertices, triangles }, corners) {
  const place = new Uint32Array(vertices.length / 3);
  const largest = new Float32Array(place.length).fill(-1);
  const at = (v, w, axis) => vertices[3 * w + axis] - vertices[3 * v + axis];
  for (let c = 0; c + 2 < triangles.length; c += 3) {
    const [a, b, d] = [triangles[c], triangles[c + 1], triangles[c + 2]];
    const x = at(a, b, 1) * at(a, d, 2) - at(a, b, 2) * at(a, d, 1);
    const y = at(a, b, 2) * at(a, d, 0) - at(a, b, 0) * at(a, d, 2);
    const z = at(a, b, 0) * at(a, d, 1) - at(a, b, 1) * at(a, d, 0);
    const area = x * x + y * y + z * z;
    for (let k = c; k < c + 3; k++) {
      if (!(area > largest[triangles[k]])) continue;
      largest[triangles[k]] = area;
      place[triangles[k]] = k;
    }
  }
  return corners.map((v) => place[v]);
}

function meanEdge(vertices, corners) {
  let sum = 0;
  let count = 0;
  for (let c = 0; c < corners.length; c++) {
    const [v, w] = [3 * corners[c], 3 * corners[c % 3 === 2 ? c - 2 : c + 1]];
    const length = Math.hypot(vertices[v] - vertices[w], vertices[v + 1] - vertices[w + 1], vertices[v + 2] - vertices[w + 2]);
    if (!isFinite(length)) continue;
    sum += length;
    count++;
  }
  return count ? sum / count : 0;
}

// Does a surface bound a body, seen from outside: has every edge as many triangles one way as the other, and is what they surround
// positive? Then nobody sees its back. Edges are told apart by a number made of their ends, +1 one way and -1 the other in the sum: a list
// of the edges takes ten times as long.
function isClosed(vertices, triangles) {
  let sum = 0;
  let volume = 0;
  const mix = (v, w) => {
    let h = Math.imul(v + 1, 0x9e3779b1) ^ Math.imul(w + 1, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
    return h ^ (h >>> 13);
  };
  for (let c = 0; c + 2 < triangles.length; c += 3) {
    for (let k = 0; k < 3; k++) {
      const [v, w] = [triangles[c + k], triangles[c + ((k + 1) % 3)]];
      sum = (v < w ? sum + mix(v, w) : sum - mix(w, v)) | 0;
    }
    const [a, b, d] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
    const [x, y, z] = [vertices[a], vertices[a + 1], vertices[a + 2]];
    volume +=
      x * (vertices[b + 1] * vertices[d + 2] - vertices[b + 2] * vertices[d + 1]) +
      y * (vertices[b + 2] * vertices[d] - vertices[b] * vertices[d + 2]) +
      z * (vertices[b] * vertices[d + 1] - vertices[b + 1] * vertices[d]);
  }
  return sum === 0 && volume > 0;
}
