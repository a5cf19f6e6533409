// How fine a picture is drawn, and when. Where fine ones take long (software rendering, a card that is too small for the scene), what moves is
// drawn coarse, with a quarter of the pixels, without shadows, and drawn fine once it stands still. No picture is begun before the last one is done: they
// would queue up behind the reader's hand.

const TOO_LONG = 60; // ms that a fine picture may take
const STANDS_STILL = 220; // ms without a change

// `draw(coarse)` draws; the caller tells what it wants drawn anew by `request`.
function makePace(gl, draw) {
  let wanted = false;
  let waiting = false;
  // The picture that is being drawn: {fence, began, coarse}.
  let busy = null;
  // How many fine ones in a row took too long. One may, with the page just read.
  let long = 0;
  let timer = 0;
  let settle = false;

  function wait() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(turn);
  }
  function turn() {
    waiting = false;
    if (busy && gl.isContextLost()) busy = null;
    if (busy) {
      if (gl.getSyncParameter(busy.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return wait();
      gl.deleteSync(busy.fence);
      if (!busy.coarse) long = performance.now() - busy.began > TOO_LONG ? long + 1 : 0;
      else if (!wanted) timer = setTimeout(finish, STANDS_STILL);
      busy = null;
    }
    if (wanted) now(long > 1 && !settle);
  }
  function finish() {
    settle = wanted = true;
    wait();
  }
  function now(coarse) {
    wanted = settle = false;
    const began = performance.now();
    draw(coarse);
    clearTimeout(timer);
    const fence = gl.isContextLost() ? null : gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    busy = { fence, began, coarse };
    wait();
  }

  return {
    request() {
      wanted = true;
      settle = false;
      wait();
    },
  };
}
