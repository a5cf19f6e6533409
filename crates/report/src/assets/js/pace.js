// How fine a picture is drawn, and when. Where fine ones take long (software rendering, a card that is too small for the scene), what moves is
// drawn coarse, with a quarter of the pixels, without shadows, and drawn fine once it stands still. No picture is begun before the last one is done: they
// would queue up behind the reader's hand. Of pictures side by side one is drawn fine at a time, so that all of them go on when the hand does;
// one that is scrolled out of sight waits until it is seen.

const TOO_LONG = 60; // ms that a fine picture may take
const STANDS_STILL = 220; // ms without a change

// How many fine pictures of the page in a row took too long. One may, with the page just read.
let long_ones = 0;
const drawsSlowly = () => long_ones > 1;
// Are any being drawn fine where that takes long?
let fine_busy = false;

// `draw(coarse)` draws what `canvas` shows; the caller tells what it wants drawn anew by `request`.
function makePace(gl, canvas, draw) {
  let wanted = false;
  let waiting = false;
  // The picture that is being drawn: {fence, began, coarse}.
  let busy = null;
  let timer = 0;
  let settle = false;
  let seen = true;
  new IntersectionObserver((entries) => {
    seen = entries[entries.length - 1].isIntersecting;
    if (seen && wanted) wait();
  }).observe(canvas);

  function wait() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(turn);
  }
  function turn() {
    waiting = false;
    // The fence of a context that was lost is never passed, and the context that came back knows nothing of it.
    if (busy && !gl.isSync(busy.fence)) done();
    if (busy) {
      if (gl.getSyncParameter(busy.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return wait();
      if (!busy.coarse) long_ones = performance.now() - busy.began > TOO_LONG ? long_ones + 1 : 0;
      else if (!wanted) timer = setTimeout(finish, STANDS_STILL);
      done();
    }
    if (!wanted || !seen) return;
    const slow = drawsSlowly();
    if (slow && settle && fine_busy) return wait();
    now(slow && !settle);
  }
  function done() {
    if (gl.isSync(busy.fence)) gl.deleteSync(busy.fence);
    if (!busy.coarse) fine_busy = false;
    busy = null;
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
    if (!coarse) fine_busy = true;
    wait();
  }

  return {
    // A fine one without delay: the first, and what a printer waits for. What was wanted before is in it.
    atOnce() {
      if (busy) done();
      now(false);
    },
    request() {
      wanted = true;
      settle = false;
      wait();
    },
  };
}
