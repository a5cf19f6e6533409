// The 3-D picture: takes the model, the clock and the theme, keeps a canvas up to date. Draws only when
// something changed. Pictures side by side share a camera, the ball of space and the force that arrows are scaled by.

function sharedView(models) {
  // Of a run without bodies nothing is to be seen.
  const seen = models.filter((model) => model.bodies.length > 0);
  const balls = (seen.length ? seen : models).map(sceneBall).sort((a, b) => a.radius - b.radius);
  const middle = (list) => list[Math.floor((list.length - 1) / 2)];
  // The largest, but a run that blows up must not shrink the others to dots.
  const ball = balls.filter((b) => b.radius <= 4 * middle(balls).radius).pop();
  const camera = makeCamera();
  // Over the rim of a bucket, which would hide everything in it.
  if (seen.some(walledIn)) camera.pitch = OVER_THE_RIM;
  const bodies = unite(models);
  takeSignal(bodies.map(({ colour }) => colour));
  return { camera, ball, bodies, follow: models.some((m) => leaves(m, ball)) };
}

// What only the whole file tells.
function completeView(shared, models) {
  const typical = models.map(typicalForce).filter((f) => f > 0).sort((a, b) => a - b);
  Object.assign(shared, {
    typical: typical[Math.floor((typical.length - 1) / 2)] || 0, pressure: pressureScale(models), crowded: models.some(isCrowded),
  });
}

// A coarse picture has about so many pixels, but half to three quarters of a fine one's to a side.
const COARSE_PIXELS = 45000;

// `changed` hears of each picture, `lost` of a context that is gone (true) or back (false).
function makeViewer(canvas, model, clock, theme, shared, changed, lost) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const { ball, camera } = shared;
  const shown = {
    contacts: true, forces: true, labels: model.bodies.length <= 8, edges: false, patches: true, idle: true, follow: shared.follow,
  };
  const parts = {};
  let colours = {};
  // Fewer pixels while it moves, where a fine picture takes long.
  let fewer = false;
  // The body that stands out; -1 for none.
  let picked = -1;
  // What bodies were placed for: not again where only the camera moves.
  let placed = null;

  function build() {
    placed = null;
    parts.shadow = makeShadow(gl, ball);
    parts.samples = makeSamples(gl);
    parts.bodies = makeBodies(gl, model, ball);
    parts.ground = makeGround(gl, model, ball);
    if (parts.marks) complete();
  }
  // Contacts come with the rest of the file.
  function complete() {
    const scale = parts.marks ? parts.marks.state.scale : 1;
    parts.marks = makeMarks(gl, model, ball, shared.typical);
    parts.marks.state.scale = scale;
    parts.patches = makePatches(gl, model, shared.pressure);
    request();
  }
  function takeTheme(next) {
    colours = { floor: linearOf(next.floor), floor_line: linearOf(next.floor_line), signal: linearOf(next.signal), idle: linearOf(next.faint), picked: linearOf(next.accent) };
    request();
  }
  const aspect = () => (canvas.clientWidth || 16) / (canvas.clientHeight || 11);
  const planes = model.bodies.map(() => true);

  function pixels() {
    let ratio = Math.min(2, window.devicePixelRatio || 1);
    // A small picture can do with a little less; half of it is a blur.
    if (fewer) ratio *= Math.min(0.75, Math.max(0.5, Math.sqrt(COARSE_PIXELS / (canvas.clientWidth * canvas.clientHeight || 1)) / ratio));
    return { ratio, width: Math.max(1, Math.round(canvas.clientWidth * ratio)), height: Math.max(1, Math.round(canvas.clientHeight * ratio)) };
  }
  function draw(coarse) {
    fewer = coarse;
    if (gl.isContextLost()) return;
    const { ratio, width, height } = pixels();
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const at = frameAt(model.time, clock.time);
    const matrices = camera.matrices(aspect(), shown.follow ? goneBy(model, at) : undefined);
    const place = `${clock.time} ${shown.edges}`;
    if (place !== placed) {
      placed = place;
      parts.bodies.place(at, shown.edges);
      parts.shadow.known = false;
    }
    for (const part of parts.marks ? [parts.marks, parts.patches] : []) part.load(at.s < 0.5 ? at.i : at.j);

    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    if (!coarse && !parts.shadow.known) parts.shadow.render(parts.bodies.drawMeshes);
    if (!coarse) parts.samples.begin(width, height);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const drawBodies = () => parts.bodies.draw(matrices, parts.shadow, shown.edges, (height / 2) * matrices.projection[5], coarse, picked, colours.picked);
    drawBodies();
    const drawGround = () => parts.ground.draw(matrices, parts.shadow, colours, (b) => b < 0 || planes[b]);
    drawGround();
    if (parts.marks) drawContacts(matrices, ratio, () => {
      drawBodies();
      drawGround();
    });
    if (!coarse) parts.samples.end();
    changed(at, matrices, fewer);
  }
  // `again` draws what patches hide the depth of.
  function drawContacts(matrices, ratio, again) {
    if (shown.patches) parts.patches.draw(matrices, shown.edges, again);
    if (shown.contacts && shown.idle) parts.marks.drawPoints(matrices, colours, ratio, fewer, true);
    if (shown.forces) parts.marks.drawArrows(matrices, parts.shadow, colours, fewer);
    if (shown.contacts) parts.marks.drawPoints(matrices, colours, ratio, fewer);
  }
  const { request, atOnce } = makePace(gl, canvas, draw);

  build();
  takeTheme(theme);
  camera.watchers.push(request);
  camera.fit(ball, aspect());
  clock.on("time", request);
  // It tells of the first size, too, which is that of the first picture.
  new ResizeObserver(() => {
    const { width, height } = pixels();
    if (canvas.width !== width || canvas.height !== height) request();
  }).observe(canvas);
  // Only a loss that is not taken as it comes is made good.
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    lost(true);
  });
  canvas.addEventListener("webglcontextrestored", () => {
    lost(false);
    // Visibility is the reader's choice; keep it across the rebuild.
    const visible = parts.bodies.items.map((item) => item.visible);
    build();
    parts.bodies.items.forEach((item, b) => (item.visible = visible[b]));
    request();
  });

  return {
    camera, shown, ball, parts, request, takeTheme, complete,
    draw: atOnce,
    fit: () => camera.fit(ball, aspect()),
    isVisible: (b) => (model.bodies[b].kind === "plane" ? planes[b] : parts.bodies.items[b].visible),
    setVisible(b, on) {
      if (model.bodies[b].kind === "plane") planes[b] = on;
      else parts.bodies.items[b].visible = on;
      placed = null;
      request();
    },
    setPicked(b) {
      picked = b;
      request();
    },
    picked: () => picked,
    setForceScale(scale) {
      parts.marks.state.scale = scale;
      request();
    },
  };
}
