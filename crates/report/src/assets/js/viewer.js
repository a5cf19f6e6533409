// The 3-D picture: takes the model, the clock and the theme, keeps a canvas up to date. Draws only when
// something changed. Pictures side by side share a camera, the ball of space and the force that arrows are scaled by.

function sharedView(models) {
  const balls = models.map(sceneBall).sort((a, b) => a.radius - b.radius);
  const typical = models.map(typicalForce).filter((f) => f > 0).sort((a, b) => a - b);
  const middle = (list) => list[Math.floor((list.length - 1) / 2)];
  // The largest, but a run that blows up must not shrink the others to dots.
  const ball = balls.filter((b) => b.radius <= 4 * middle(balls).radius).pop();
  return { camera: makeCamera(), ball, typical: middle(typical) || 0, pressure: pressureScale(models), follow: models.some((m) => leaves(m, ball)) };
}

function makeViewer(canvas, model, clock, theme, shared, changed) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const { ball, camera, typical, pressure } = shared;
  const shown = {
    contacts: true, forces: true, labels: model.bodies.length <= 8, edges: false, patches: true, idle: true, follow: shared.follow,
  };
  const parts = {};
  let colours = {};
  let wanted = false;

  function build() {
    parts.shadow = makeShadow(gl, ball);
    parts.bodies = makeBodies(gl, model, ball);
    parts.ground = makeGround(gl, model, ball);
    parts.marks = makeMarks(gl, model, ball, typical);
    parts.patches = makePatches(gl, model, pressure);
  }
  function takeTheme(next) {
    colours = { floor: linearOf(next.floor), floor_line: linearOf(next.floor_line), signal: linearOf(next.signal), idle: linearOf(next.faint) };
    request();
  }
  const aspect = () => (canvas.clientWidth || 16) / (canvas.clientHeight || 11);
  const planes = model.bodies.map(() => true);

  function draw() {
    wanted = false;
    if (gl.isContextLost()) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const at = frameAt(model.time, clock.time);
    const matrices = camera.matrices(aspect(), shown.follow ? goneBy(model, at) : undefined);
    parts.bodies.place(at);
    parts.marks.load(at.s < 0.5 ? at.i : at.j);
    parts.patches.load(at.s < 0.5 ? at.i : at.j);

    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    parts.shadow.render(parts.bodies.drawMeshes);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const drawBodies = () => parts.bodies.draw(matrices, parts.shadow, shown.edges, (height / 2) * matrices.projection[5]);
    drawBodies();
    const drawGround = () => parts.ground.draw(matrices, parts.shadow, colours, (b) => b < 0 || planes[b]);
    drawGround();
    if (shown.patches) {
      parts.patches.draw(matrices, shown.edges, () => {
        drawBodies();
        drawGround();
      });
    }
    if (shown.contacts && shown.idle) parts.marks.drawPoints(matrices, colours, ratio, true);
    if (shown.forces) parts.marks.drawArrows(matrices, parts.shadow, colours);
    if (shown.contacts) parts.marks.drawPoints(matrices, colours, ratio);
    changed(at, matrices);
  }
  function request() {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(draw);
  }

  build();
  takeTheme(theme);
  camera.watchers.push(request);
  camera.fit(ball, aspect());
  clock.on("time", request);
  new ResizeObserver(request).observe(canvas);
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    // Visibility is the reader's choice; keep it across the rebuild.
    const visible = parts.bodies.items.map((item) => item.visible);
    build();
    parts.bodies.items.forEach((item, b) => (item.visible = visible[b]));
    request();
  });

  return {
    camera, shown, ball, parts, request, takeTheme, draw,
    fit: () => camera.fit(ball, aspect()),
    isVisible: (b) => (model.bodies[b].kind === "plane" ? planes[b] : parts.bodies.items[b].visible),
    setVisible(b, on) {
      if (model.bodies[b].kind === "plane") planes[b] = on;
      else parts.bodies.items[b].visible = on;
      request();
    },
    setForceScale(scale) {
      parts.marks.state.scale = scale;
      request();
    },
  };
}
