// The shadow map: depth of the scene as the light sees it, over the ball the run happens in.

const SHADOW_SIZE = 2048;

function makeShadow(gl, ball) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
  const set = (name, value) => gl.texParameteri(gl.TEXTURE_2D, name, value);
  set(gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  set(gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  set(gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  set(gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  set(gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  set(gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
  const target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.drawBuffers([gl.NONE]);
  gl.readBuffer(gl.NONE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);

  const direction = unit(LIGHT_DIRECTION);
  const r = ball.radius * 1.15;
  const eye = add(ball.centre, times(direction, 3 * r));
  const matrix = multiply(orthographic(r, 6 * r), lookAt(eye, ball.centre, [0, 0, 1]));
  const { program, at } = makeProgram(gl, DEPTH_VERTEX, DEPTH_FRAGMENT);

  const shadow = {
    direction,
    // Does the map show what is drawn now?
    known: false,
    // Fills the map with what `drawMeshes(at)` draws.
    render(drawMeshes) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(program);
      gl.uniformMatrix4fv(at.camera, false, matrix);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1.5, 2);
      drawMeshes(at);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      shadow.known = true;
    },
    // Of two programs, with shadows and without, the one for what is known.
    choose: ([lit, plain]) => (shadow.known ? lit : plain),
    // Hands the map to a program that receives shadows.
    bind(uniforms) {
      if (!uniforms.shadow_map) return;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(uniforms.shadow_map, 0);
      gl.uniformMatrix4fv(uniforms.shadow_matrix, false, matrix);
      gl.uniform1f(uniforms.shadow_texel, (2 * r) / SHADOW_SIZE);
    },
  };
  return shadow;
}
