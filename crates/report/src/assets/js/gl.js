// Small helpers over WebGL2: programs with their uniforms by name, vertex buffers, vertex arrays.

function makeProgram(gl, vertex, fragment) {
  // What is made of a lost context is nothing; it is made anew when the context is back.
  if (gl.isContextLost()) return { program: null, at: {} };
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error("shader: " + gl.getShaderInfoLog(shader));
    }
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error("program: " + gl.getProgramInfoLog(program));
  }
  const at = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(program, i);
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}

function fillBuffer(gl, buffer, data) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
}

// A vertex array over one interleaved float buffer; `layout` is a list of component counts by location.
// With `each`, the buffer advances once per instance, and locations start at `first`.
function bindLayout(gl, buffer, layout, first = 0, each = 0) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const stride = layout.reduce((a, b) => a + b, 0) * 4;
  let offset = 0;
  layout.forEach((size, i) => {
    gl.enableVertexAttribArray(first + i);
    gl.vertexAttribPointer(first + i, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(first + i, each);
    offset += size * 4;
  });
}
