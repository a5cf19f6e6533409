// Planes as wide grids that fade into the distance; a faint grid under the scene where there is no plane.

// The nearest of 1, 2, 5 times a power of ten.
function niceLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const rest = length / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

function makeGround(gl, model, ball) {
  const programs = [GLSL_SHADOW, GLSL_NO_SHADOW].map((shadow) => makeProgram(gl, GROUND_VERTEX, groundFragment(shadow)));
  const buffer = gl.createBuffer();
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  fillBuffer(gl, buffer, new Float32Array([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1]));
  bindLayout(gl, buffer, [2]);
  gl.bindVertexArray(null);

  const cell = niceLength(ball.radius / 5);
  const sheet = (normal, offset, body, fill) => {
    // Axes in the plane that follow the world's where they can, so that grid lines sit at round coordinates.
    const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const v = unit(cross(normal, helper));
    const u = cross(v, normal);
    const centre = sub(ball.centre, times(normal, dot(ball.centre, normal) - offset));
    return { normal, body, fill, u, v, centre };
  };
  const sheets = [];
  model.bodies.forEach((body, b) => {
    if (body.plane) sheets.push(sheet(body.plane.slice(0, 3), body.plane[3], b, true));
  });
  if (sheets.length === 0) sheets.push(sheet([0, 0, 1], ball.low[2], -1, false));

  return {
    cell,
    draw(camera, shadow, theme, visible) {
      const { program, at } = shadow.choose(programs);
      gl.useProgram(program);
      gl.bindVertexArray(array);
      gl.uniformMatrix4fv(at.camera, false, camera.both);
      gl.uniform3fv(at.eye, camera.eye);
      gl.uniform3fv(at.floor_colour, theme.floor);
      gl.uniform3fv(at.line_colour, theme.floor_line);
      gl.uniform1f(at.cell, cell);
      gl.uniform1f(at.reach, 14 * ball.radius);
      shadow.bind(at);
      for (const { normal, body, fill, u, v, centre } of sheets) {
        if (!visible(body)) continue;
        gl.uniform3fv(at.centre, centre);
        gl.uniform3fv(at.side_u, u);
        gl.uniform3fv(at.side_v, v);
        gl.uniform3fv(at.normal, normal);
        gl.uniform1f(at.fill, fill ? 1 : 0);
        gl.depthMask(fill);
        gl.drawArrays(gl.TRIANGLES, 0, 6);
      }
      gl.depthMask(true);
      gl.bindVertexArray(null);
    },
  };
}
