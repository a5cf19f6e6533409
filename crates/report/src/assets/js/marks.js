// Contact points and force arrows of one frame. What lies behind a body shows through faintly, so no contact
// is hidden.

// A coarse picture has an arrow for so many of its pixels, the strongest.
const PIXELS_AN_ARROW = 300;
// More arrows than this are a thicket: the strongest are drawn.
const MOST_ARROWS = 150;
// A frame with more contacts hides its bodies: arrows wait until they are asked for, and what a body hides is not seen through it.
const CROWD = 300;

function isCrowded(model) {
  return model.contacts.point.counts.some((count) => count > CROWD);
}

function makeMarks(gl, model, ball, typical) {
  const point = makeProgram(gl, POINT_VERTEX, POINT_FRAGMENT);
  const arrow = makeProgram(gl, ARROW_VERTEX, ARROW_FRAGMENT);
  const still = poseMatrix([0, 0, 0], [0, 0, 0, 1]);
  const places = gl.createBuffer();
  const spare = gl.createBuffer();
  const shaft = gl.createBuffer();
  const forces = gl.createBuffer();
  // Of many arrows, thin ones, nobody sees that they have few sides; where triangles are drawn without a card it takes most of the time.
  const arrows = [12, 5, 3].map(arrowMesh);
  const mesh = new Float32Array(arrows.flatMap((one) => [...one]));
  let end = 0;
  const [round, plain, thin] = arrows.map((one) => [(end += one.length / 4) - one.length / 4, one.length / 4]);

  const pointArray = gl.createVertexArray();
  gl.bindVertexArray(pointArray);
  bindLayout(gl, places, [3]);
  const idleArray = gl.createVertexArray();
  gl.bindVertexArray(idleArray);
  bindLayout(gl, spare, [3]);
  const arrowArray = gl.createVertexArray();
  gl.bindVertexArray(arrowArray);
  fillBuffer(gl, shaft, mesh);
  bindLayout(gl, shaft, [4]);
  bindLayout(gl, forces, [3, 3], 1, 1);
  gl.bindVertexArray(null);

  const state = { frame: -1, scale: 1, forces: 0, factor: NaN, now: contactsAt(model, 0), idle: idleAt(model, 0), pointCount: 0, idleCount: 0, arrowCount: 0 };
  // A typical force is 0.2 of the scene's radius long. None is longer than 0.45 radii, or 0.9 where the reader wants long ones.
  const metresPerNewton = () => (typical > 0 ? (0.2 * ball.radius * state.scale) / typical : 0);
  const longest = () => 0.45 * ball.radius * Math.min(2, Math.max(1, state.scale));

  function load(frame) {
    if (frame === state.frame && state.factor === state.scale) return;
    const now = contactsAt(model, frame);
    const at = [];
    const rods = [];
    const factor = metresPerNewton();
    for (let c = 0; c < now.count; c++) {
      const p = [now.point[3 * c], now.point[3 * c + 1], now.point[3 * c + 2]];
      const f = [now.force[3 * c], now.force[3 * c + 1], now.force[3 * c + 2]];
      if (!p.every(isFinite)) continue;
      at.push(...p);
      const length = norm(f) * factor;
      if (!(length > ball.radius * 1e-3)) continue;
      rods.push({ length, rod: [...p, ...times(f, factor * Math.min(1, longest() / length))] });
    }
    // The strongest first: a coarse picture has fewer of them.
    rods.sort((a, b) => b.length - a.length);
    const all = rods.length;
    rods.length = Math.min(all, MOST_ARROWS);
    const idle = idleAt(model, frame);
    fillBuffer(gl, spare, idle.point);
    fillBuffer(gl, places, new Float32Array(at));
    fillBuffer(gl, forces, new Float32Array(rods.flatMap(({ rod }) => rod)));
    Object.assign(state, {
      frame, factor: state.scale, forces: all, now, idle, pointCount: at.length / 3, idleCount: idle.count, arrowCount: rods.length,
    });
  }

  // Twice: what is hidden faintly, what is in sight in full. A coarse picture leaves out what is hidden.
  const twice = (uniforms, faint, coarse, draw) => {
    gl.uniform1f(uniforms.alpha, 1);
    if (coarse) return draw();
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    gl.uniform1f(uniforms.alpha, faint);
    draw();
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.uniform1f(uniforms.alpha, 1);
    draw();
  };

  return {
    state, load, typical, metresPerNewton, longest,
    drawArrows(camera, shadow, theme, coarse) {
      if (!state.arrowCount) return;
      gl.useProgram(arrow.program);
      gl.bindVertexArray(arrowArray);
      gl.uniformMatrix4fv(arrow.at.camera, false, camera.both);
      gl.uniform3fv(arrow.at.colour, theme.signal);
      gl.uniform3fv(arrow.at.light, shadow.direction);
      // A crowd of arrows gets thinner ones, so that they do not make a wall.
      const crowd = Math.max(0.22, Math.min(1, Math.sqrt(8 / state.arrowCount)));
      gl.uniform1f(arrow.at.thick, ball.radius * 0.011 * crowd);
      const most = coarse ? Math.ceil((gl.drawingBufferWidth * gl.drawingBufferHeight) / PIXELS_AN_ARROW) : Infinity;
      const sides = crowd >= 0.4 ? round : coarse ? thin : plain;
      twice(arrow.at, 0.3, coarse, () => gl.drawArraysInstanced(gl.TRIANGLES, ...sides, Math.min(state.arrowCount, most)));
      gl.bindVertexArray(null);
    },
    // `idle` draws the constraints that nothing acts through, hollow.
    drawPoints(camera, theme, ratio, coarse, idle = false) {
      const count = idle ? state.idleCount : state.pointCount;
      if (!count) return;
      gl.useProgram(point.program);
      gl.bindVertexArray(idle ? idleArray : pointArray);
      gl.uniformMatrix4fv(point.at.camera, false, camera.both);
      gl.uniformMatrix4fv(point.at.model, false, still);
      gl.uniform3fv(point.at.colour, idle ? [1, 1, 1] : theme.signal);
      // Many contacts get smaller dots, so that they stay apart, and the smallest have no rim.
      const all = state.pointCount + state.idleCount;
      gl.uniform3fv(point.at.rim, idle ? theme.idle : all > CROWD ? theme.signal : [1, 1, 1]);
      gl.uniform1f(point.at.pixels, ratio * (all > 4 * CROWD ? 3 : all > CROWD ? 4 : all > 60 ? 6 : 10));
      gl.uniform1f(point.at.metres, 0);
      gl.uniform1f(point.at.lift, 0.0015);
      gl.uniform1f(point.at.ball, 0);
      twice(point.at, idle ? 0.4 : 0.75, coarse || all > CROWD, () => gl.drawArrays(gl.POINTS, 0, count));
      gl.bindVertexArray(null);
    },
    // The contact nearest to a place on the canvas, within reach; -1 if none.
    nearest(camera, width, height, x, y, reach, list = state.now) {
      let best = -1;
      let least = reach;
      for (let c = 0; c < list.count; c++) {
        const [px, py, front] = project(camera.both, list.point.subarray(3 * c, 3 * c + 3), width, height);
        const away = Math.hypot(px - x, py - y);
        if (front && away < least) {
          least = away;
          best = c;
        }
      }
      return best;
    },
  };
}
