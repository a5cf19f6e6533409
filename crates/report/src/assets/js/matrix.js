// 4x4 matrices (column-major, as WebGL wants them), 3-vectors and quaternions: no more than the viewer needs.

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (norm(a) || 1));

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
      out[c * 4 + r] = sum;
    }
  }
  return out;
}

function perspective(fovy, aspect, near, far) {
  const f = 1 / Math.tan(fovy / 2);
  const d = 1 / (near - far);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0, 2 * far * near * d, 0]);
}

// A box of half-width r and depth 0..depth in front of the eye.
function orthographic(r, depth) {
  return new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / depth, 0, 0, 0, -1, 1]);
}

function lookAt(eye, target, up) {
  const back = unit(sub(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  return new Float32Array([
    right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
    -dot(right, eye), -dot(top, eye), -dot(back, eye), 1,
  ]);
}

function poseMatrix(p, [x, y, z, w]) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[0], p[1], p[2], 1,
  ]);
}

function transformPoint(m, p) {
  return [0, 1, 2].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
}

// Where a point lands on a canvas of the given size: [x, y, in front of the eye?].
function project(m, p, width, height) {
  const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
  const [x, y] = transformPoint(m, p);
  return [((x / w + 1) / 2) * width, ((1 - y / w) / 2) * height, w > 0];
}
