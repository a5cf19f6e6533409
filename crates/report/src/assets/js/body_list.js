// The list of bodies, for one picture or for several: the square hides and shows, the name picks, and words find.

// With fewer nobody needs to search.
const SEARCH_FROM = 9;

// `pick(key)` is called with the key of a body. Gives what other parts ask and change.
function attachBodyList(viewers, bodies, box, pick) {
  const visible = bodies.map(() => true);
  const show = (k, on) => {
    visible[k] = on;
    for (const viewer of viewers) {
      const b = viewer.model.keys.indexOf(bodies[k].key);
      if (b >= 0) viewer.setVisible(b, on);
    }
  };
  const isAlone = (k) => visible.every((on, other) => on === (other === k));
  // Hides all others, or shows all where they are hidden.
  const only = (k) => {
    const alone = isAlone(k);
    bodies.forEach((_, other) => show(other, alone || other === k));
  };
  const rows = bodies.map(({ body, colour, key }, k) => {
    const row = document.createElement("span");
    row.className = "chip body";
    const eye = row.appendChild(document.createElement("button"));
    Object.assign(eye, { type: "button", className: "eye", title: `${body.name}: show or hide; with Alt only this one` });
    eye.setAttribute("aria-label", `Show ${body.name}`);
    eye.appendChild(document.createElement("span")).className = "swatch";
    eye.firstChild.style.background = cssColour(colour);
    eye.addEventListener("click", (event) => {
      if (event.altKey) only(k);
      else show(k, !visible[k]);
      refresh();
    });
    const name = row.appendChild(document.createElement("button"));
    Object.assign(name, { type: "button", className: "name", textContent: body.name, title: `${body.name} (${kindOf(body)}): pick it` });
    name.addEventListener("click", () => pick(key));
    return { row, eye, name };
  });
  const list = document.createElement("div");
  list.className = "chips";
  list.append(...rows.map(({ row }) => row));
  let picked = null;
  const heard = [];
  function refresh() {
    rows.forEach(({ row, eye, name }, k) => {
      row.classList.toggle("off", !visible[k]);
      eye.setAttribute("aria-pressed", visible[k]);
      name.setAttribute("aria-pressed", bodies[k].key === picked);
    });
    heard.forEach((listener) => listener());
  }

  if (bodies.length >= SEARCH_FROM) {
    const search = Object.assign(document.createElement("input"), { type: "search", placeholder: `Find one of ${bodies.length} bodies` });
    search.setAttribute("aria-label", "Find a body");
    const found = () => bodies.map((_, k) => k).filter((k) => bodies[k].body.name.toLowerCase().includes(search.value.trim().toLowerCase()));
    const count = document.createElement("span");
    search.addEventListener("input", () => {
      const shown = new Set(found());
      rows.forEach(({ row }, k) => (row.hidden = !shown.has(k)));
      count.textContent = shown.size === bodies.length ? "" : shown.size ? `${shown.size} found` : "none found";
    });
    search.addEventListener("keydown", (event) => {
      const [k] = found();
      if (event.key === "Enter" && k !== undefined) pick(bodies[k].key);
    });
    const head = box.appendChild(document.createElement("div"));
    head.className = "find";
    head.append(search, count);
  }
  box.append(list);
  refresh();
  return {
    isVisible: (key) => visible[bodies.findIndex((one) => one.key === key)],
    isAlone: (key) => isAlone(bodies.findIndex((one) => one.key === key)),
    show(key, on) {
      show(bodies.findIndex((one) => one.key === key), on);
      refresh();
    },
    only(key) {
      only(bodies.findIndex((one) => one.key === key));
      refresh();
    },
    // The name of the body that is picked, or null, is marked.
    mark(key) {
      picked = key;
      refresh();
    },
    changed: (listener) => heard.push(listener),
  };
}
