// The bodies on the card: rigid meshes under a pose, deforming meshes and particles from their points.

// Edges of the mesh with fewer triangles may be so long (pixels of a coarse picture).
const FEWER_BELOW = 8;

function makeBodies(gl, model, ball) {
  const meshes = [GLSL_SHADOW, GLSL_NO_SHADOW].map((shadow) => makeProgram(gl, BODY_VERTEX, bodyFragment(shadow)));
  const point = makeProgram(gl, POINT_VERTEX, POINT_FRAGMENT);
  const colours = bodyColours(model.bodies).map(linearRgb);
  const still = poseMatrix([0, 0, 0], [0, 0, 0, 1]);

  const vertexArray = (data, layout) => {
    const item = { array: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0, layout };
    gl.bindVertexArray(item.array);
    bindLayout(gl, item.buffer, layout);
    gl.bindVertexArray(null);
    refill(item, data);
    return item;
  };
  const refill = (item, data) => {
    fillBuffer(gl, item.buffer, data);
    item.count = data.length / item.layout.reduce((a, b) => a + b, 0);
  };
  // Corners by number into the buffer of a vertex array, beside those that stand there.
  const cornerList = (corners) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(corners), gl.STATIC_DRAW);
    return { buffer, count: corners.length };
  };
  // A deforming mesh: each vertex once, and the corners by number.
  const indexedArray = (triangles) => {
    const item = vertexArray(new Float32Array(0), [3]);
    gl.bindVertexArray(item.array);
    const all = cornerList(triangles);
    gl.bindVertexArray(null);
    return { ...item, all, fewer: null };
  };
  const finitePoints = (points) => {
    const out = [];
    for (let k = 0; k < points.length; k += 3) {
      if (isFinite(points[k] + points[k + 1] + points[k + 2])) out.push(points[k], points[k + 1], points[k + 2]);
    }
    return new Float32Array(out);
  };

  // Bodies of equal shape share one buffer; a shape whose body has points of its own needs none.
  const shapes = [];
  const shapeOf = (k) => {
    const shape = model.shapes[k];
    return (shapes[k] ||= shape.triangles.length
      ? { solid: true, ...vertexArray(expandMesh(shape), [3, 3]), box: boxOf(shape.vertices) }
      : { solid: false, ...vertexArray(finitePoints(shape.vertices), [3]), box: boxOf(shape.vertices) });
  };
  const tracks = new Map(model.tracks.map((track) => [track.body, track]));
  const items = model.bodies.map((body, b) => {
    const track = tracks.get(b);
    const shape = model.shapes[body.shape];
    const solid = shape.triangles.length > 0;
    const moving = track && { solid, ...vertexArray(new Float32Array(0), solid ? [3, 3] : [3]) };
    const gpu = moving || shapeOf(body.shape);
    const indexed = moving && solid ? indexedArray(shape.triangles) : null;
    const corners = indexed ? shape.triangles.reduce((most, c) => Math.max(most, c + 1), 0) : 0;
    const visible = body.kind !== "plane";
    return { body, track, shape, gpu, indexed, corners, spread: false, visible, matrix: still, centre: [0, 0, 0], top: 0, here: true };
  });

  // The list of fewer corners, where their edges are short on the screen; `scale` is pixels a metre there. The buffer of a rigid mesh has a
  // vertex once for each of its triangles: that of the largest stands for it.
  const fewerOf = (item, held, scale) => {
    const { fewer, edge } = outlineOf(item.shape);
    if (!fewer || !(edge * scale < FEWER_BELOW)) return null;
    return (held.fewer ||= cornerList(held === item.indexed ? fewer : cornersInBuffer(item.shape, fewer)));
  };
  // With as many triangles as there are, unless a scale is given.
  const drawMesh = (item, scale = Infinity) => {
    const held = item.indexed && !item.spread ? item.indexed : item.gpu;
    gl.bindVertexArray(held.array);
    const list = (scale < Infinity && !item.spread && fewerOf(item, held, scale)) || held.all;
    if (!list) return gl.drawArrays(gl.TRIANGLES, 0, held.count);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, list.buffer);
    gl.drawElements(gl.TRIANGLES, list.count, gl.UNSIGNED_INT, 0);
  };
  const drawMeshes = (at) => {
    for (const item of items) {
      if (!item.visible || !item.here || !item.gpu.solid) continue;
      gl.uniformMatrix4fv(at.model, false, item.matrix);
      drawMesh(item);
    }
  };

  // A cable is drawn so thin that it lies on what it touches, and is still seen.
  const cableRadius = ball.radius * 0.006;
  const surfaceAt = (item, at) => {
    const points = pointsAt(item.track, at);
    return item.body.line ? tubeAround(points, cableRadius) : points;
  };
  // Across the balls that points are drawn as (m).
  const ballSize = ball.radius * 0.035;
  return {
    items,
    ballSize,
    surfaceAt,
    drawMeshes,
    // To draw edges takes corners of each triangle's own.
    place(at, edges) {
      for (const item of items) {
        if (item.body.kind === "plane") continue;
        if (item.track) {
          const points = surfaceAt(item, at);
          // A frame that lacks points draws the triangles whose corners it has.
          item.spread = edges || points.length < 3 * item.corners;
          if (item.indexed && !item.spread) refill(item.indexed, points);
          else refill(item.gpu, item.gpu.solid ? expandPositions(item.shape.triangles, points) : finitePoints(points));
          // What is packed has its boxes; else points may be missing, which no box knows.
          const { centre, half } = item.track.cloud.packed ? trackBox(item.track, at) : boxOf(points);
          Object.assign(item, { centre, top: half[2] });
          continue;
        }
        const pose = poseAt(item.body, at);
        item.here = pose !== null;
        if (pose) {
          item.matrix = poseMatrix(pose.p, pose.q);
          const { centre, half } = item.gpu.box;
          const m = item.matrix;
          item.centre = transformPoint(m, centre);
          // Height of the turned box: enough to put a label on top of it.
          item.top = Math.abs(m[2]) * half[0] + Math.abs(m[6]) * half[1] + Math.abs(m[10]) * half[2];
        }
      }
    },
    // A coarse picture leaves out what costs and is hardly seen: the backs of closed surfaces, and triangles of few pixels.
    // Body `picked` shines in a colour of its own.
    draw(camera, shadow, edges, pixelScale, coarse, picked, shine) {
      const mesh = shadow.choose(meshes);
      gl.useProgram(mesh.program);
      gl.uniformMatrix4fv(mesh.at.camera, false, camera.both);
      gl.uniform3fv(mesh.at.eye, camera.eye);
      gl.uniform3fv(mesh.at.light, shadow.direction);
      gl.uniform1f(mesh.at.edges, edges ? 1 : 0);
      gl.uniform3fv(mesh.at.shine, shine);
      shadow.bind(mesh.at);
      items.forEach((item, b) => {
        if (!item.visible || !item.here || !item.gpu.solid) return;
        gl.uniformMatrix4fv(mesh.at.model, false, item.matrix);
        gl.uniform3fv(mesh.at.colour, colours[b]);
        gl.uniform1f(mesh.at.flat_normals, item.track ? 1 : 0);
        gl.uniform1f(mesh.at.picked, b === picked ? 1 : 0);
        if (!coarse) return drawMesh(item);
        if (outlineOf(item.shape).closed) gl.enable(gl.CULL_FACE);
        // Edges are told by the order of corners in the buffer.
        drawMesh(item, edges ? Infinity : pixelScale / norm(sub(item.centre, camera.eye)));
        gl.disable(gl.CULL_FACE);
      });
      gl.useProgram(point.program);
      gl.uniformMatrix4fv(point.at.camera, false, camera.both);
      gl.uniform1f(point.at.pixels, pixelScale);
      gl.uniform1f(point.at.metres, ballSize);
      gl.uniform1f(point.at.lift, 0);
      gl.uniform1f(point.at.ball, 1);
      gl.uniform1f(point.at.alpha, 1);
      items.forEach((item, b) => {
        if (!item.visible || !item.here || item.gpu.solid || !item.gpu.count) return;
        gl.bindVertexArray(item.gpu.array);
        gl.uniformMatrix4fv(point.at.model, false, item.matrix);
        gl.uniform3fv(point.at.colour, b === picked ? shine : colours[b]);
        gl.drawArrays(gl.POINTS, 0, item.gpu.count);
      });
      gl.bindVertexArray(null);
    },
  };
}
