// What surrounds the 3-D picture: readout, labels, contact tip, buttons, list of bodies.

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
  const viewer = makeViewer(canvas, model, clock, theme, shared, (at, matrices, coarse) => {
    last = matrices;
    readout(at, coarse);
    placeLabels(matrices);
    placeRing(matrices);
  });
  if (!viewer) {
    el("view-labels").hidden = true;
    const message = el("view-no-gl");
    message.hidden = false;
    message.textContent =
      "This browser does not offer WebGL2, so the 3-D playback cannot be drawn. " +
      "Plots, tables and time controls work. Turning on hardware acceleration in the browser's settings usually helps.";
    return null;
  }

  function readout(at, coarse) {
    const frame = at.s < 0.5 ? at.i : at.j;
    const lines = [
      `<b>${timeText(clock.time, clock.resolution)}</b>`,
      `frame ${Math.min(frame + 1, model.time.length)} of ${model.time.length}`,
    ];
    const cell = `grid ${quantity(viewer.parts.ground.cell, "m")}`;
    if (!viewer.parts.marks) {
      el("view-readout").innerHTML = [...lines, "reading on …"].join("<br>");
      el("view-scale").textContent = cell;
      return;
    }
    const { now } = viewer.parts.marks.state;
    lines.push(now.count === 1 ? "1 contact" : `${now.count} contacts`);
    if (model.left[now.frame]) lines[2] = `the ${now.count} strongest of ${now.count + model.left[now.frame]} contacts`;
    if (model.drawn && model.drawn.idle) {
      const { idle } = viewer.parts.marks.state;
      lines[2] = `${now.count} active ${now.count === 1 ? "row" : "rows"}, ${idle.count} idle`;
    }
    if (coarse) lines.push("coarse while it moves");
    el("view-readout").innerHTML = lines.join("<br>");
    const marks = viewer.parts.marks;
    const perNewton = marks.metresPerNewton();
    const scale = [cell];
    if (perNewton > 0 && viewer.shown.forces) {
      scale.push(`an arrow of one cell: ${quantity(viewer.parts.ground.cell / perNewton, "N", 3)}`);
      scale.push(`arrows cut at ${quantity(marks.longest() / perNewton, "N", 3)}`);
    }
    el("view-scale").innerHTML = scale.join("<br>");
  }

  let labelled = true;
  function placeLabels(matrices) {
    // A pile has many, and most readers leave them off.
    if (!labelled && !viewer.shown.labels) return;
    labelled = viewer.shown.labels;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    labels.forEach((span, b) => {
      const item = viewer.parts.bodies.items[b];
      const place = model.bodies[b].kind !== "plane" && item.here && item.centre.every(isFinite);
      const [px, py, pz] = item.centre;
      // Above the body rather than on it.
      const top = [px, py, pz + item.top];
      const [x, y, front] = place ? project(matrices.both, top, width, height) : [0, 0, false];
      span.hidden = !(viewer.shown.labels && front && viewer.isVisible(b));
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
    const c = viewer.shown.contacts ? viewer.contactAt(event) : -1;
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
  // The contact under the pointer, within reach (pixels), or -1.
  viewer.contactAt = (event, reach = 14) => {
    if (!last) return -1;
    return viewer.parts.marks.nearest(last, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY, reach);
  };
  // With the rest of the file.
  const addContacts = viewer.complete;
  const complete = () => {
    addContacts();
    const legend = el("view-pressures");
    legend.hidden = !viewer.parts.patches.any;
    if (!legend.hidden) showPressures(legend, model, shared.pressure);
    attachSpans(model, clock, el("view-spans"));
    viewer.legend = legend;
  };
  return Object.assign(viewer, { canvas, model, complete });
}

// Buttons and the list of bodies, for one picture or for several. Gives what keys do.
function attachTools(viewers, bodies, el) {
  const [first] = viewers;
  // Buttons.
  const tools = el("tools");
  const toggles = [
    ["contacts", "Contacts", "Contact points (C)"], ["forces", "Forces", "Force arrows (A)"],
    ["labels", "Labels", "Names of the bodies (L)"], ["edges", "Edges", "Triangle edges (E)"],
    ["follow", "Follow", "Go along with what moves (O)"],
  ];
  if (viewers.some((viewer) => viewer.parts.patches.any)) toggles.push(["patches", "Pressure", "Surfaces that push, by pressure (P)"]);
  if (viewers.some((viewer) => viewer.model.drawn && viewer.model.drawn.idle)) {
    toggles.push(["idle", "Idle rows", "Constraints that hold without an impulse (I)"]);
  }
  const buttons = {};
  for (const [key, text, title] of toggles) {
    buttons[key] = chip(text, title, first.shown[key], (button) => {
      const on = !first.shown[key];
      button.setAttribute("aria-pressed", on);
      for (const viewer of viewers) {
        viewer.shown[key] = on;
        if (key === "patches") viewer.legend.hidden = !on || !viewer.parts.patches.any;
        viewer.request();
      }
    });
    tools.append(buttons[key]);
  }
  const fit = chip("Fit", "Fit the whole run (F)", false, first.fit);
  fit.removeAttribute("aria-pressed");
  tools.append(fit);
  const label = document.createElement("label");
  label.textContent = "Arrow length";
  const slider = Object.assign(document.createElement("input"), { type: "range", min: -1.5, max: 1.5, step: "any", value: 0 });
  const rescale = () => viewers.forEach((viewer) => viewer.setForceScale(10 ** Number(slider.value)));
  slider.addEventListener("input", rescale);
  slider.addEventListener("dblclick", () => {
    slider.value = 0;
    rescale();
  });
  label.append(slider);
  if (first.parts.marks.typical > 0) tools.append(label);

  // Bodies: a click shows or hides one; with Alt it shows only that one, or all again.
  const visible = bodies.map(() => true);
  const show = (k, on) => {
    visible[k] = on;
    for (const viewer of viewers) {
      const b = viewer.model.keys.indexOf(bodies[k].key);
      if (b >= 0) viewer.setVisible(b, on);
    }
  };
  const chips = bodies.map(({ body, colour }, k) => {
    const item = chip(body.name, `${body.name} (${body.kind}): show or hide; with Alt only this one`, true, (_, event) => {
      if (event.altKey) {
        const alone = visible.every((on, other) => on === (other === k));
        bodies.forEach((_, other) => show(other, alone || other === k));
      } else {
        show(k, !visible[k]);
      }
      chips.forEach((c, other) => c.setAttribute("aria-pressed", visible[other]));
    });
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = cssColour(colour);
    item.prepend(swatch);
    el("bodies").append(item);
    return item;
  });

  const looks = { 1: [-Math.PI / 2, 0.02], 2: [0, 0.02], 3: [-Math.PI / 2, 1.56] };
  const press = (key) => {
    const named = { c: "contacts", a: "forces", l: "labels", e: "edges", p: "patches", i: "idle", o: "follow" }[key];
    if (buttons[named]) buttons[named].click();
    else if (key === "f") first.fit();
    else if (looks[key]) {
      first.camera.look(...looks[key]);
      first.fit();
    }
    else return false;
    return true;
  };
  return { press };
}

// Puts a tip beside the pointer and inside its box.
function placeTip(tip, x, y, width, height) {
  const right = x + 16 + tip.offsetWidth > width ? x - 16 - tip.offsetWidth : x + 16;
  const low = Math.min(height - tip.offsetHeight - 4, Math.max(4, y - tip.offsetHeight / 2));
  tip.style.transform = `translate(${Math.max(4, right)}px,${low}px)`;
}
