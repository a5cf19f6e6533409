// The panel of one body at the present frame: mass, place, velocity, net contact force; of several runs a row for each.

// What a body is, in words.
function kindOf(body) {
  if (body.kind === "particles") return body.solid ? "deformable" : "particles";
  return body.kind === "plane" ? "fixed plane" : body.kind;
}

// What one run knows of its body `b` in a frame: [name, text, title] each; "–" where it knows nothing.
function bodyFacts(run, b, frame) {
  const body = run.bodies[b];
  const { motion } = run;
  const place = motion && motion.places.get(b);
  const row = place === undefined ? null : Array.from(motion.rows.subarray(12 * (frame * motion.each + place), 12 * (frame * motion.each + place) + 12));
  const part = (k) => (row ? row.slice(3 * k, 3 * k + 3) : [NaN, NaN, NaN]);
  // Side by side there is no room for the length of each vector.
  const vector = (v, unit) => vectorText(v, unit, !run.label);
  const moves = !run.tracks.some((track) => track.body === b);
  const pose = moves && body.kind !== "plane" ? poseAt(body, { i: frame, j: frame, s: 0 }) : null;
  const { force, count, others } = touches(run, b, frame);
  const net = row ? part(3) : force;
  return [
    ["Kind", kindOf(body)],
    ["Mass", !(body.mass > 0) ? "–" : body.mass >= 1 ? `${digitsOf(body.mass, 4)} kg` : quantity(1000 * body.mass, "g")],
    ["Centre of mass", row ? vectorText(part(0), "m", false) : pose ? vectorText(pose.p, "m", false) : "–"],
    ["Turned", pose ? turnText(pose.q) : "–", "Rotation since the body's own axes were those of the world"],
    ["Velocity", vector(part(1), "m/s"), "Of the centre of mass"],
    ["Angular velocity", vector(part(2), "rad/s")],
    ["Net contact force", vector(net, "N"), row ? "In the mean since the frame before" : "In the step that ended at this frame"],
    ["Contacts", run.time.length < 2 ? "–" : frame === 0 ? "before the first step" : count ? `${count} with ${others.join(", ")}` : "none"],
  ];
}

// The contacts of a body in a frame: their number, whom they are with, and the sum of their forces; that is NaN where some are not kept.
function touches(run, b, frame) {
  const now = contactsAt(run, frame);
  const names = new Set();
  let [force, count] = [[0, 0, 0], 0];
  for (let c = 0; c < now.count; c++) {
    const [first, second] = run.pairs[now.pair[c]] || [];
    if (first !== b && second !== b) continue;
    count++;
    const other = first === b ? second : first;
    names.add(first === second ? "itself" : run.bodies[other] ? run.bodies[other].name : `body ${other}`);
    // The force is that on the first; between parts of one body it sums to nothing.
    const sign = first === second ? 0 : first === b ? 1 : -1;
    force = add(force, times(Array.from(now.force.subarray(3 * c, 3 * c + 3)), sign));
  }
  if (run.left[now.frame] > 0) force = [NaN, NaN, NaN];
  const others = [...names];
  return { force, count, others: others.length > 4 ? [...others.slice(0, 3), `${others.length - 3} more`] : others };
}

// A unit quaternion as an angle about an axis.
function turnText([x, y, z, w]) {
  const half = Math.atan2(Math.hypot(x, y, z), Math.abs(w));
  const degrees = (2 * half * 180) / Math.PI;
  // Quaternions have 16 bits a component.
  if (degrees < 0.01) return "0°";
  const sign = w < 0 ? -1 : 1;
  return `${digitsOf(degrees, 4)}° about ${vectorText(unit([sign * x, sign * y, sign * z]), "", false).trim()}`;
}

// `list` is that of the bodies.
function attachBodyCard({ runs, viewers, clock, list }) {
  const panel = byId("body-card");
  let picked = null;
  const frameOf = (run) => {
    const { i, j, s } = frameAt(run.time, clock.time);
    return s < 0.5 ? i : j;
  };
  byId("body-facts").hidden = runs.length > 1;
  byId("body-runs").hidden = runs.length === 1;

  function show() {
    if (!picked) return;
    const has = runs.filter((run) => run.keys.includes(picked));
    const facts = has.map((run) => bodyFacts(run, run.keys.indexOf(picked), frameOf(run)));
    byId("body-title").textContent = `${has[0].bodies[has[0].keys.indexOf(picked)].name} at ${timeText(clock.time, clock.resolution)}`;
    // What no run knows is left out.
    const known = facts[0].map((_, k) => k).filter((k) => facts.some((row) => row[k][1] !== "–"));
    const cell = (tag, text, title = "") => Object.assign(document.createElement(tag), { textContent: text, title });
    if (runs.length === 1) {
      byId("body-facts").replaceChildren(...known.map((k) => {
        const fact = document.createElement("div");
        const [name, text, title] = facts[0][k];
        fact.append(cell("dt", name, title), cell("dd", text, title));
        return fact;
      }));
      return;
    }
    byId("body-head").replaceChildren(cell("th", "Run"), ...known.map((k) => cell("th", facts[0][k][0], facts[0][k][2])));
    byId("body-rows").replaceChildren(...has.map((run, r) => {
      const row = document.createElement("tr");
      row.append(cell("th", run.label), ...known.map((k) => cell("td", facts[r][k][1])));
      return row;
    }));
  }
  function showButtons() {
    if (!picked) return;
    byId("body-hide").textContent = list.isVisible(picked) ? "Hide" : "Show";
    byId("body-alone").setAttribute("aria-pressed", list.isAlone(picked));
  }

  function mark(key) {
    picked = key;
    panel.hidden = key === null;
    for (const viewer of viewers) viewer.setPicked(key === null ? -1 : viewer.model.keys.indexOf(key));
    list.mark(key);
  }
  function pick(key) {
    if (!runs.some((run) => run.keys.includes(key))) return;
    mark(key);
    show();
  }
  const close = () => picked && mark(null);

  byId("body-hide").addEventListener("click", () => list.show(picked, !list.isVisible(picked)));
  byId("body-alone").addEventListener("click", () => list.only(picked));
  byId("body-close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
  list.changed(showButtons);
  clock.on("time", show);
  return {
    pick, close,
    reveal: () => picked && panel.scrollIntoView({ block: "nearest" }),
    // #body=NAME
    fromAddress() {
      if (!addressed.has("body")) return;
      const name = decodeURIComponent(addressed.get("body"));
      const found = runs.flatMap((run) => run.keys.filter((_, b) => run.bodies[b].name === name));
      if (found.length) pick(found[0]);
    },
  };
}
