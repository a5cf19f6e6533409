// The bodies on the card: rigid meshes under a pose, deforming meshes and particles from their points.

function makeBodies(gl, model, ball) {
  const mesh = makeProgram(gl, BODY_VERTEX, BODY_FRAGMENT);
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
  // A deforming mesh: each vertex once, and the corners by number.
  const indexedArray = (triangles) => {
    const item = vertexArray(new Float32Array(0), [3]);
    gl.bindVertexArray(item.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(triangles), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { ...item, corners: triangles.length };
  };
  const finitePoints = (points) => {
    const out = [];
    for (let k = 0; k < points.length; k += 3) {
      if (isFinite(points[k] + points[k + 1] + points[k + 2])) out.push(points[k], points[k + 1], points[k + 2]);
    }
    return new Float32Array(out);
  };

  // Bodies of equal shape share one buffer.
  const shapes = model.shapes.map((shape) =>
    shape.triangles.length
      ? { solid: true, ...vertexArray(expandMesh(shape), [3, 3]) }
      : { solid: false, ...vertexArray(finitePoints(shape.vertices), [3]) },
  );
  const boxes = model.shapes.map((shape) => boxOf(shape.vertices));
  const tracks = new Map(model.tracks.map((track) => [track.body, track]));
  const items = model.bodies.map((body, b) => {
    const track = tracks.get(b);
    const shape = model.shapes[body.shape];
    const solid = shape.triangles.length > 0;
    const moving = track && { solid, ...vertexArray(new Float32Array(0), solid ? [3, 3] : [3]) };
    const gpu = moving || shapes[body.shape];
    const indexed = moving && solid ? indexedArray(shape.triangles) : null;
    const corners = indexed ? shape.triangles.reduce((most, c) => Math.max(most, c + 1), 0) : 0;
    const visible = body.kind !== "plane";
    return { body, track, shape, gpu, indexed, corners, spread: false, visible, matrix: still, centre: [0, 0, 0], top: 0, here: true };
  });

  const drawMesh = (item) => {
    const byNumber = item.indexed && !item.spread;
    gl.bindVertexArray(byNumber ? item.indexed.array : item.gpu.array);
    if (byNumber) gl.drawElements(gl.TRIANGLES, item.indexed.corners, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(gl.TRIANGLES, 0, item.gpu.count);
  };
  const drawMeshes = (at) => {
    for (const item of items) {
      if (!item.visible || !item.here || !item.gpu.solid) continue;
      gl.uniformMatrix4fv(at.model, false, item.matrix);
      drawMesh(item);
    }
  };

  return {
    items,
    drawMeshes,
    // To draw edges takes corners of each triangle's own.
    place(at, edges) {
      for (const item of items) {
        if (item.body.kind === "plane") continue;
        if (item.track) {
          const points = pointsAt(item.track, at);
          // A frame that lacks points draws the triangles whose corners it has.
          item.spread = edges || points.length < 3 * item.corners;
          if (item.indexed && !item.spread) refill(item.indexed, points);
          else refill(item.gpu, item.gpu.solid ? expandPositions(item.shape.triangles, points) : finitePoints(points));
          const { centre, half } = boxOf(points);
          Object.assign(item, { centre, top: half[2] });
          continue;
        }
        const pose = poseAt(item.body, at);
        item.here = pose !== null;
        if (pose) {
          item.matrix = poseMatrix(pose.p, pose.q);
          const { centre, half } = boxes[item.body.shape];
          const m = item.matrix;
          item.centre = transformPoint(m, centre);
          // Height of the turned box: enough to put a label on top of it.
          item.top = Math.abs(m[2]) * half[0] + Math.abs(m[6]) * half[1] + Math.abs(m[10]) * half[2];
        }
      }
    },
    draw(camera, shadow, edges, pixelScale) {
      gl.useProgram(mesh.program);
      gl.uniformMatrix4fv(mesh.at.camera, false, camera.both);
      gl.uniform3fv(mesh.at.eye, camera.eye);
      gl.uniform3fv(mesh.at.light, shadow.direction);
      gl.uniform1f(mesh.at.edges, edges ? 1 : 0);
      shadow.bind(mesh.at);
      items.forEach((item, b) => {
        if (!item.visible || !item.here || !item.gpu.solid) return;
        gl.uniformMatrix4fv(mesh.at.model, false, item.matrix);
        gl.uniform3fv(mesh.at.colour, colours[b]);
        gl.uniform1f(mesh.at.flat_normals, item.track ? 1 : 0);
        drawMesh(item);
      });
      gl.useProgram(point.program);
      gl.uniformMatrix4fv(point.at.camera, false, camera.both);
      gl.uniform1f(point.at.pixels, pixelScale);
      gl.uniform1f(point.at.metres, ball.radius * 0.035);
      gl.uniform1f(point.at.lift, 0);
      gl.uniform1f(point.at.ball, 1);
      gl.uniform1f(point.at.alpha, 1);
      items.forEach((item, b) => {
        if (!item.visible || !item.here || item.gpu.solid || !item.gpu.count) return;
        gl.bindVertexArray(item.gpu.array);
        gl.uniformMatrix4fv(point.at.model, false, item.matrix);
        gl.uniform3fv(point.at.colour, colours[b]);
        gl.drawArrays(gl.POINTS, 0, item.gpu.count);
      });
      gl.bindVertexArray(null);
    },
  };
}
