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

function attachViewer(model, clock, theme) {
  const el = (id) => document.getElementById(id);
  const canvas = el("view-gl");
  let last = null;
  const labels = model.bodies.map((body) => {
    const span = document.createElement("span");
    span.textContent = body.name;
    el("view-labels").append(span);
    return span;
  });
  const viewer = makeViewer(canvas, model, clock, theme, (at, matrices) => {
    last = matrices;
    readout(at);
    placeLabels(matrices);
  });
  if (!viewer) {
    el("view-labels").hidden = el("tools").hidden = el("bodies").hidden = true;
    const message = el("view-no-gl");
    message.hidden = false;
    message.textContent =
      "This browser does not offer WebGL2, so the 3-D playback cannot be drawn. " +
      "Plots, tables and time controls work. Turning on hardware acceleration in the browser's settings usually helps.";
    return null;
  }

  function readout(at) {
    const { now } = viewer.parts.marks.state;
    const frame = at.s < 0.5 ? at.i : at.j;
    const lines = [
      `<b>${timeText(clock.time, clock.resolution)}</b>`,
      `frame ${Math.min(frame + 1, model.time.length)} of ${model.time.length}`,
      now.count === 1 ? "1 contact" : `${now.count} contacts`,
    ];
    el("view-readout").innerHTML = lines.join("<br>");
    const marks = viewer.parts.marks;
    const cell = `grid ${quantity(viewer.parts.ground.cell, "m")}`;
    const perNewton = marks.metresPerNewton();
    const scale = [cell];
    if (perNewton > 0 && viewer.shown.forces) {
      scale.push(`an arrow of one cell: ${quantity(viewer.parts.ground.cell / perNewton, "N", 3)}`);
      scale.push(`arrows cut at ${quantity(marks.longest() / perNewton, "N", 3)}`);
    }
    el("view-scale").innerHTML = scale.join("<br>");
  }

  function placeLabels(matrices) {
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

  // Buttons.
  const tools = el("tools");
  const toggles = [
    ["contacts", "Contacts", "Contact points (C)"], ["forces", "Forces", "Force arrows (A)"],
    ["labels", "Labels", "Names of the bodies (L)"], ["edges", "Edges", "Triangle edges (E)"],
  ];
  const buttons = {};
  for (const [key, text, title] of toggles) {
    buttons[key] = chip(text, title, viewer.shown[key], (button) => {
      viewer.shown[key] = !viewer.shown[key];
      button.setAttribute("aria-pressed", viewer.shown[key]);
      viewer.request();
    });
    tools.append(buttons[key]);
  }
  const fit = chip("Fit", "Fit the whole run (F)", false, viewer.fit);
  fit.removeAttribute("aria-pressed");
  tools.append(fit);
  const label = document.createElement("label");
  label.textContent = "Arrow length";
  const slider = Object.assign(document.createElement("input"), { type: "range", min: -1.5, max: 1.5, step: "any", value: 0 });
  slider.addEventListener("input", () => viewer.setForceScale(10 ** Number(slider.value)));
  slider.addEventListener("dblclick", () => {
    slider.value = 0;
    viewer.setForceScale(1);
  });
  label.append(slider);
  if (viewer.parts.marks.typical > 0) tools.append(label);

  // Bodies: a click shows or hides one; with Alt it shows only that one, or all again.
  const colours = bodyColours(model.bodies);
  const chips = model.bodies.map((body, b) => {
    const item = chip(body.name, `${body.name} (${body.kind}): show or hide; with Alt only this one`, true, (_, event) => {
      if (event.altKey) {
        const alone = model.bodies.every((_, k) => viewer.isVisible(k) === (k === b));
        model.bodies.forEach((_, k) => viewer.setVisible(k, alone || k === b));
      } else {
        viewer.setVisible(b, !viewer.isVisible(b));
      }
      chips.forEach((c, k) => c.setAttribute("aria-pressed", viewer.isVisible(k)));
    });
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = cssColour(colours[b]);
    item.prepend(swatch);
    el("bodies").append(item);
    return item;
  });

  // What is known of the contact under the pointer.
  const tip = el("view-tip");
  const pointer = attachPointer(canvas, viewer.camera, viewer.fit);
  const hideTip = () => (tip.hidden = true);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("pointermove", (event) => {
    if (!last || pointer.isHeld() || !viewer.shown.contacts) return hideTip();
    const { marks } = viewer.parts;
    const c = marks.nearest(last, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY, 14);
    if (c < 0) return hideTip();
    const { force, depth, pair } = marks.state.now;
    const size = Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]);
    tip.textContent = `${pairName(model, pair[c])}\nforce ${quantity(size, "N", 3)}   depth ${quantity(depth[c], "m", 3)}`;
    tip.hidden = false;
    placeTip(tip, event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight);
  });

  const looks = { 1: [-Math.PI / 2, 0.02], 2: [0, 0.02], 3: [-Math.PI / 2, 1.56] };
  viewer.press = (key) => {
    const named = { c: "contacts", a: "forces", l: "labels", e: "edges" }[key];
    if (named) buttons[named].click();
    else if (key === "f") viewer.fit();
    else if (looks[key]) {
      viewer.camera.look(...looks[key]);
      viewer.fit();
    }
    else return false;
    return true;
  };
  return viewer;
}

// Puts a tip beside the pointer and inside its box.
function placeTip(tip, x, y, width, height) {
  const right = x + 16 + tip.offsetWidth > width ? x - 16 - tip.offsetWidth : x + 16;
  const low = Math.min(height - tip.offsetHeight - 4, Math.max(4, y - tip.offsetHeight / 2));
  tip.style.transform = `translate(${Math.max(4, right)}px,${low}px)`;
}
