// Mouse, pen and touch on the 3-D view: one finger or the left button orbits, two fingers or the right button
// pan, wheel and pinch zoom.

function attachPointer(canvas, camera, fit) {
  const held = new Map();

  const middle = () => {
    const all = [...held.values()];
    return [all.reduce((s, p) => s + p.x, 0) / all.length, all.reduce((s, p) => s + p.y, 0) / all.length];
  };
  const spread = () => {
    const [a, b] = [...held.values()];
    return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const pan = event.button !== 0 || event.shiftKey || event.ctrlKey;
    held.set(event.pointerId, { x: event.clientX, y: event.clientY, pan });
    canvas.classList.add("held");
  });
  canvas.addEventListener("pointermove", (event) => {
    const point = held.get(event.pointerId);
    if (!point) return;
    const [x, y] = middle();
    const before = spread();
    point.x = event.clientX;
    point.y = event.clientY;
    const [nx, ny] = middle();
    const height = canvas.clientHeight || 1;
    const dx = (nx - x) / height;
    const dy = (ny - y) / height;
    if (held.size > 1) {
      camera.pan(dx, dy);
      const after = spread();
      if (before > 0 && after > 0) camera.zoom(before / after);
    } else if (point.pan) {
      camera.pan(dx, dy);
    } else {
      camera.orbit(dx * Math.PI, dy * Math.PI);
    }
  });
  const release = (event) => {
    held.delete(event.pointerId);
    if (held.size === 0) canvas.classList.remove("held");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", fit);
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
      camera.zoom(Math.exp(Math.max(-0.5, Math.min(0.5, pixels * (event.ctrlKey ? 0.01 : 0.0015)))));
    },
    { passive: false },
  );
  return { isHeld: () => held.size > 0 };
}
