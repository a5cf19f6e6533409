// What surrounds the 3-D picture: readout, labels, axes, contact tip.

function chip(text, title, pressed, onClick) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.title = title;
  button.setAttribute("aria-pressed", pressed);
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = text;
  button.append(name);
  button.addEventListener("click", (event) => onClick(button, event));
  return button;
}

// `el` finds the parts of this picture; null where the browser cannot draw it.
function attachViewer(model, clock, theme, el, shared) {
  const canvas = el("view-gl");
  let last = null;
  const labels = model.bodies.map((body) => {
    const span = document.createElement("span");
    span.textContent = body.name;
    el("view-labels").append(span);
    return span;
  });
  const ring = el("view-labels").appendChild(document.createElement("span"));
  ring.className = "ring";
  ring.hidden = true;
  const turnAxes = makeTriad(el("view-labels"));
  // In the place of the picture, where there is none.
  const instead = (text) => {
    const message = el("view-no-gl");
    message.hidden = !text;
    message.textContent = text;
  };
  const viewer = makeViewer(
    canvas, model, clock, theme, shared,
    (at, matrices, coarse) => {
      last = { ...matrices, at };
      readout(at, coarse);
      turnAxes(matrices.view);
      placeLabels(matrices);
      placeRing(matrices);
    },
    (gone) => instead(gone ? "The browser has taken the graphics context of this picture away. It is drawn again as soon as the context is back." : ""),
  );
  if (!viewer) {
    el("view-labels").hidden = true;
    instead(
      "This browser does not offer WebGL2, so the 3-D playback cannot be drawn. " +
        "Plots, tables and time controls work. Turning on hardware acceleration in the browser's settings usually helps.",
    );
    return null;
  }

  // Lines of a corner; beside a small picture they stand in one row.
  const lines = (id, texts) => el(id).replaceChildren(...texts.map((text, k) => {
    const line = document.createElement(id === "view-readout" && k === 0 ? "b" : "span");
    line.textContent = text;
    return line;
  }));
  function readout(at, coarse) {
    const frame = at.s < 0.5 ? at.i : at.j;
    const texts = [timeText(clock.time, clock.resolution), `frame ${Math.min(frame + 1, model.time.length)} of ${model.time.length}`];
    const scale = [`grid ${quantity(viewer.parts.ground.cell, "m")}`];
    const { marks } = viewer.parts;
    if (marks) {
      texts.push(contactCount(marks.state));
      const perNewton = marks.metresPerNewton();
      if (perNewton > 0 && viewer.shown.forces) {
        const { forces, arrowCount } = marks.state;
        if (forces > arrowCount) scale.push(`arrows: the ${arrowCount} largest of ${forces} forces`);
        scale.push(`an arrow of one cell: ${quantity(viewer.parts.ground.cell / perNewton, "N", 3)}`);
        scale.push(`arrows cut at ${quantity(marks.longest() / perNewton, "N", 3)}`);
      }
    } else {
      texts.push("reading on …");
    }
    if (coarse) texts.push("coarse while it moves");
    lines("view-readout", texts);
    lines("view-scale", scale);
  }
  function contactCount({ now, idle }) {
    if (model.drawn && model.drawn.idle) return `${now.count} active ${now.count === 1 ? "row" : "rows"}, ${idle.count} idle`;
    const left = model.left[now.frame];
    if (left) return `the ${now.count} strongest of ${now.count + left} contacts`;
    return now.count === 1 ? "1 contact" : `${now.count} contacts`;
  }

  let labelled = true;
  function placeLabels(matrices) {
    // A pile has many, and most readers leave them off.
    const wanted = viewer.shown.labels || viewer.picked() >= 0;
    if (!labelled && !wanted) return;
    labelled = wanted;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    labels.forEach((span, b) => {
      const item = viewer.parts.bodies.items[b];
      const place = model.bodies[b].kind !== "plane" && item.here && item.centre.every(isFinite);
      const [px, py, pz] = item.centre;
      // Above the body rather than on it.
      const top = [px, py, pz + item.top];
      const [x, y, front] = place ? project(matrices.both, top, width, height) : [0, 0, false];
      const picked = b === viewer.picked();
      span.hidden = !((viewer.shown.labels || picked) && front && viewer.isVisible(b));
      span.classList.toggle("picked", picked);
      if (!span.hidden) span.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) translate(-50%,-100%)`;
    });
  }

  // Around the contact that was picked; `ringed` finds it among those of the frame.
  function placeRing(matrices) {
    if (!viewer.parts.marks) return;
    const { now } = viewer.parts.marks.state;
    const c = viewer.ringed ? viewer.ringed(now) : -1;
    const place = now.point.subarray(3 * c, 3 * c + 3);
    const [x, y, front] = c >= 0 && place.every(isFinite) ? project(matrices.both, place, canvas.clientWidth, canvas.clientHeight) : [0, 0, false];
    ring.hidden = !front;
    if (front) ring.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) translate(-50%,-50%)`;
  }

  // What is known of the contact under the pointer.
  const tip = el("view-tip");
  const pointer = attachPointer(canvas, viewer.camera, viewer.fit);
  const hideTip = () => (tip.hidden = true);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("pointermove", (event) => {
    if (!last || !viewer.parts.marks || pointer.isHeld()) return hideTip();
    const text = tipAt(event);
    if (!text) return hideTip();
    tip.textContent = text;
    tip.hidden = false;
    placeTip(tip, event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight);
  });
  function tipAt(event) {
    const { marks, patches } = viewer.parts;
    const c = viewer.contactAt(event);
    if (c >= 0) {
      const { force, depth, pair, multiplier, span, met, friction } = marks.state.now;
      const size = Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]);
      const lines = [pairName(model, pair[c]), `force ${quantity(size, "N", 3)}   depth ${quantity(depth[c], "m", 3)}`];
      if (met) lines.splice(1, 0, metName(model, met[c]));
      const grip = friction && gripOf(model, marks.state.now, c);
      if (grip && grip.hold) lines.push(`${HOLDS[grip.hold]}, friction ${quantity(grip.friction, "N", 3)}   cone slack ${quantity(grip.slack, "N", 3)}`);
      if (multiplier) lines.push(`active, multiplier ${quantity(multiplier[c], "N·s", 3)}`);
      if (span && span[2 * c + 1] > 0) lines.push(`overlaps from ${digitsOf(span[2 * c], 3)} to ${digitsOf(span[2 * c + 1], 3)} of the step`);
      return lines.join("\n");
    }
    const place = [last, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY];
    const { idle } = marks.state;
    const row = viewer.shown.contacts && viewer.shown.idle ? marks.nearest(...place, 10, idle) : -1;
    if (row >= 0) return `${pairName(model, idle.pair[row])}\nidle: no impulse   gap ${quantity(idle.gap[row], "m", 3)}`;
    const patch = viewer.shown.patches && patches.under(...place);
    return patch ? `${pairName(model, patch.pair)}\npressure ${quantity(patch.pressure, "Pa", 4)}` : "";
  }
  // The contact under the pointer or the finger, or -1. Where they are many it takes a better aim: bodies are picked, too.
  viewer.contactAt = (event, touch = false) => {
    if (!last || !viewer.parts.marks || !viewer.shown.contacts) return -1;
    const { marks } = viewer.parts;
    const reach = (marks.state.now.count > 60 ? 6 : 14) * (touch ? 2 : 1);
    return marks.nearest(last, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY, reach);
  };
  // The body there, or -1.
  viewer.bodyAt = (event) => {
    if (!last) return -1;
    const ray = rayAt(last, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY);
    return bodyOnRay(ray, viewer.parts.bodies, last.at);
  };
  // With the rest of the file.
  const addContacts = viewer.complete;
  const complete = () => {
    viewer.shown.forces = !shared.crowded;
    addContacts();
    const legend = el("view-pressures");
    legend.hidden = !viewer.parts.patches.any;
    if (!legend.hidden) showPressures(legend, model, shared.pressure);
    attachSpans(model, clock, el("view-spans"));
    viewer.legend = legend;
  };
  return Object.assign(viewer, { canvas, model, complete });
}

// Puts a tip beside the pointer and inside its box.
function placeTip(tip, x, y, width, height) {
  const right = x + 16 + tip.offsetWidth > width ? x - 16 - tip.offsetWidth : x + 16;
  const low = Math.min(height - tip.offsetHeight - 4, Math.max(4, y - tip.offsetHeight / 2));
  tip.style.transform = `translate(${Math.max(4, right)}px,${low}px)`;
}
