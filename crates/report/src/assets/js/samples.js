// Smooth edges of a fine picture: it is drawn with several samples a pixel beside the canvas and brought onto it. A coarse one is drawn onto
// the canvas itself, with one: a canvas that smooths does so always, and without a card four samples cost twice to three times what one does.

const SAMPLES = 4;

function makeSamples(gl) {
  const target = gl.createFramebuffer();
  const buffers = [gl.createRenderbuffer(), gl.createRenderbuffer()];
  const [colour, depth] = buffers;
  const size = [0, 0];

  function fit(width, height) {
    if (size[0] === width && size[1] === height) return;
    size.splice(0, 2, width, height);
    const samples = Math.min(SAMPLES, gl.getParameter(gl.MAX_SAMPLES));
    const store = (buffer, format) => {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, width, height);
    };
    store(colour, gl.RGBA8);
    store(depth, gl.DEPTH_COMPONENT24);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, colour);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  }
  return {
    // What is drawn from here on has samples.
    begin(width, height) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      fit(width, height);
    },
    // Onto the canvas.
    end() {
      const [width, height] = size;
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    },
  };
}
