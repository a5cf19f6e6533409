// Surfaces that push, coloured by their pressure: contact surfaces and cells of one frame. They lie inside the bodies, so they are seen
// through them; what lies nearer among them hides what lies farther.

const PATCH_VERTEX = GLSL_HEAD + `
layout(location = 0) in vec3 position;
layout(location = 1) in float pressure;
layout(location = 2) in float inside;
uniform mat4 camera;
out float value, rim;
void main() {
  value = pressure;
  rim = inside;
  gl_Position = camera * vec4(position, 1.0);
}`;

const PATCH_FRAGMENT = GLSL_HEAD + `
in float value, rim;
uniform sampler2D ramp;
uniform float top, edges;
out vec4 pixel;
void main() {
  // Colours as the legend has them: no light falls on them.
  vec3 c = texture(ramp, vec2((clamp(value / top, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  float width = fwidth(rim);
  float line = (1.0 - smoothstep(width * 0.4, width * 1.3, rim)) * (1.0 - smoothstep(0.25, 0.6, width));
  pixel = vec4(mix(c, c * 0.25, edges * line * 0.85), 1.0);
}`;

// Pressure to colour: lightness rises evenly from dark violet over blue and green to yellow at one chroma (in Oklab), so equal steps of
// pressure are equal steps to the eye, in grey and to the colour-blind too.
function pressureColour(t) {
  const lightness = 0.3 + 0.63 * t;
  const hue = ((290 - 190 * t) * Math.PI) / 180;
  const [a, b] = [0.095 * Math.cos(hue), 0.095 * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((c) => Math.round(255 * Math.min(1, Math.max(0, c)) ** (1 / 2.2)));
}

// {top, runs}: the pressure of the last colour, and of how many runs it is. Neither one impact nor a run that blows up must make the rest
// dark: the colours of a run end at three times what three of four patches stay below, those of several at the largest such end that is
// not above four times the middle one.
function pressureScale(models) {
  const tops = models.filter(hasPatches).map(({ drawn }) => {
    const all = drawn.pressure.filter((p) => p > 0 && isFinite(p)).sort();
    return all.length ? Math.min(all[all.length - 1], 3 * all[Math.floor(0.75 * (all.length - 1))]) : 0;
  });
  if (!tops.length) return { top: 0, runs: 0 };
  tops.sort((x, y) => x - y);
  const middle = tops[Math.floor((tops.length - 1) / 2)];
  return { top: Math.max(...tops.filter((t) => t <= 4 * middle)), runs: tops.length };
}

// The largest pressure of a run.
function mostPressure({ drawn }) {
  return drawn.pressure.reduce((most, p) => (isFinite(p) && p > most ? p : most), 0);
}

function hasPatches(model) {
  return model.drawn !== null && model.drawn.pressure.length > 0;
}

// The patches of a frame: those of the last frame before it that was kept.
function patchesAt(drawn, frame) {
  const k = lastNotAbove(drawn.frames, frame);
  if (k < 0) return { key: k, list: [] };
  const corners = cloudFrame(drawn.corners, k);
  const list = [];
  let at = 0;
  for (let p = drawn.patchStarts[k]; p < drawn.patchStarts[k + 1]; p++) {
    const size = drawn.sizes[p];
    const polygon = corners.subarray(3 * at, 3 * (at + size));
    at += size;
    if (size > 2 && polygon.every(isFinite)) list.push({ polygon, pressure: drawn.pressure[p], pair: drawn.pair[p] });
  }
  return { key: k, list };
}

function makePatches(gl, model, scale) {
  if (!hasPatches(model) || !(scale.top > 0)) return { load() {}, draw() {}, under: () => null, any: false };
  const program = makeProgram(gl, PATCH_VERTEX, PATCH_FRAGMENT);
  const buffer = gl.createBuffer();
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  bindLayout(gl, buffer, [3, 1, 1]);
  gl.bindVertexArray(null);
  const ramp = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, ramp);
  const colours = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) colours.set([...pressureColour(i / 255), 255], 4 * i);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  const state = { frame: -1, now: { key: -1, list: [] }, count: 0 };

  // Every polygon as a fan about its middle.
  function load(frame) {
    if (frame === state.frame) return;
    const now = patchesAt(model.drawn, frame);
    const out = [];
    for (const { polygon, pressure } of now.list) {
      const n = polygon.length / 3;
      const middle = [0, 0, 0];
      for (let k = 0; k < polygon.length; k++) middle[k % 3] += polygon[k] / n;
      for (let k = 0; k < n; k++) {
        const [i, j] = [3 * k, 3 * ((k + 1) % n)];
        out.push(...middle, pressure, 1);
        out.push(polygon[i], polygon[i + 1], polygon[i + 2], pressure, 0);
        out.push(polygon[j], polygon[j + 1], polygon[j + 2], pressure, 0);
      }
    }
    fillBuffer(gl, buffer, new Float32Array(out));
    Object.assign(state, { frame, now, count: out.length / 5 });
  }

  return {
    state, load, any: true,
    // `again` puts the depth of bodies and planes back, for what is drawn next.
    draw(camera, edges, again) {
      if (!state.count) return;
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(program.program);
      gl.bindVertexArray(array);
      gl.uniformMatrix4fv(program.at.camera, false, camera.both);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, ramp);
      gl.uniform1i(program.at.ramp, 0);
      gl.uniform1f(program.at.top, scale.top);
      gl.uniform1f(program.at.edges, edges ? 1 : 0);
      gl.drawArrays(gl.TRIANGLES, 0, state.count);
      gl.bindVertexArray(null);
      gl.colorMask(false, false, false, false);
      again();
      gl.colorMask(true, true, true, true);
    },
    // The nearest patch under a place on the canvas; null if there is none.
    under(camera, width, height, x, y) {
      let best = null;
      let nearest = Infinity;
      for (const patch of state.now.list) {
        const n = patch.polygon.length / 3;
        let inside = false;
        let away = 0;
        let [px, py] = project(camera.both, patch.polygon.subarray(3 * n - 3), width, height);
        for (let k = 0; k < n; k++) {
          const p = patch.polygon.subarray(3 * k, 3 * k + 3);
          const [qx, qy, front] = project(camera.both, p, width, height);
          if (!front) away = Infinity;
          if (qy > y !== py > y && x < ((px - qx) * (y - qy)) / (py - qy) + qx) inside = !inside;
          [px, py] = [qx, qy];
          away += norm(sub(Array.from(p), camera.eye)) / n;
        }
        if (inside && away < nearest) [best, nearest] = [patch, away];
      }
      return best;
    },
  };
}

// The legend of a picture whose model has patches. Pictures side by side have one scale, and each legend tells so and the largest
// pressure of its own run.
function showPressures(legend, model, scale) {
  const stops = Array.from({ length: 17 }, (_, k) => cssColour(pressureColour(k / 16)));
  const bar = document.createElement("span");
  bar.className = "ramp";
  bar.style.background = `linear-gradient(90deg,${stops.join(",")})`;
  const name = document.createElement("span");
  const ticks = document.createElement("span");
  ticks.className = "ticks";
  const most = mostPressure(model);
  const cut = most > scale.top;
  if (scale.runs > 1) name.textContent = `pressure, one scale for all; here ≤ ${quantity(most, "Pa", 4)}`;
  else name.textContent = cut ? `pressure, at most ${quantity(most, "Pa", 4)}` : "mean pressure of each polygon";
  for (const [k, text] of ["0", quantity(scale.top / 2, "Pa", 3), `${cut ? "≥ " : ""}${quantity(scale.top, "Pa", 3)}`].entries()) {
    const tick = document.createElement("span");
    tick.textContent = text;
    tick.style.left = `${50 * k}%`;
    ticks.append(tick);
  }
  legend.replaceChildren(name, bar, ticks);
}
