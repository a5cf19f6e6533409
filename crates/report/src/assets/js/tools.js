// Buttons under the picture, for one or for several. Gives what keys do.

function attachTools(viewers, el) {
  const [first] = viewers;
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
