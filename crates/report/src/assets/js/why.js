// The panel of one contact: what met, since when, what friction does, in the run it was picked in; and what every run makes of its pair.
// Picked with a click, a tap, the key N or a row of the panel's list.

const MOST_LISTED = 12;

// `curveOf(what, label, run)` finds the curve of a pair's normal force or friction; `choose(label)` shows the pair in the plots.
function attachWhy({ runs, viewers, clock, curveOf, choose }) {
  const panel = byId("why");
  const labelOf = (run) => run.label || "this run";
  byId("why-pair").hidden = runs.length === 1;
  byId("why-facts").hidden = runs.length > 1;
  // What is shown: the keys of the two bodies and their names, the run it was picked in, and what met there, if that is known.
  let picked = null;
  let rows = [];
  const labelled = (a, b) => `${a} – ${picked.keys[0] === picked.keys[1] ? "itself" : b}`;
  const label = () => labelled(...picked.names);
  // The curve stands under the names in the order of the run's own numbers.
  const pairCurve = (what, k) => curveOf(what, label(), k) || curveOf(what, labelled(...[...picked.names].reverse()), k);
  const frameOf = (run) => {
    const { i, j, s } = frameAt(run.time, clock.time);
    return s < 0.5 ? i : j;
  };
  const isOurs = (run, pair) => {
    const keys = pairKeys(run, pair);
    return keys !== null && keys[0] === picked.keys[0] && keys[1] === picked.keys[1];
  };
  // Of two bodies of a run, by number.
  const pairOf = (run, bodies) => {
    const [a, b] = [...bodies].sort((x, y) => x - y);
    const name = (n) => (run.bodies[n] ? run.bodies[n].name : `body ${n}`);
    return { keys: [a, b].map((n) => run.keys[n] || `body ${n}`).sort(), names: [name(a), name(b)] };
  };
  const identityAt = (run, now, c) => (now.met ? metIdentity(run, now.met[c]) : null);

  function rowOf(cells, head) {
    const row = document.createElement("tr");
    cells.forEach((content, c) => {
      const cell = document.createElement(c || !head ? "td" : "th");
      cell.append(content);
      if (c) cell.className = "n";
      row.append(cell);
    });
    return row;
  }
  // Columns in which no row says anything are left out.
  function fill(body, rows) {
    body.replaceChildren(...rows);
    const head = body.parentNode.tHead.rows[0].cells;
    for (let c = 1; c < head.length; c++) {
      const empty = rows.length > 0 && rows.every((row) => row.cells[c].textContent === "–");
      for (const row of [head, ...rows.map((r) => r.cells)]) row[c].hidden = empty;
    }
  }
  const overlapText = (span) => (span[1] > 0 ? `${digitsOf(span[0], 3)} to ${digitsOf(span[1], 3)}` : "–");

  // What one run makes of the pair.
  function pairCells(run, k) {
    const now = contactsAt(run, frameOf(run));
    // Sums need all contacts of the frame.
    const left = run.left[now.frame] > 0;
    const [least, sum] = [left ? "≥ " : "", (x, unit) => (left ? "–" : quantity(x, unit))];
    const holds = new Map();
    const span = [Infinity, -Infinity];
    let [count, deepest, multiplier, slack, mu] = [0, NaN, 0, NaN, null];
    for (let c = 0; c < now.count; c++) {
      if (!isOurs(run, now.pair[c])) continue;
      count++;
      mu = run.mu.subarray(2 * now.pair[c], 2 * now.pair[c] + 2);
      deepest = Math.max(isNaN(deepest) ? -Infinity : deepest, now.depth[c]);
      if (now.span && now.span[2 * c + 1] > 0) {
        span[0] = Math.min(span[0], now.span[2 * c]);
        span[1] = Math.max(span[1], now.span[2 * c + 1]);
      }
      if (now.multiplier) multiplier += now.multiplier[c];
      const grip = gripOf(run, now, c);
      if (grip.hold) holds.set(grip.hold, (holds.get(grip.hold) || 0) + 1);
      if (isFinite(grip.slack)) slack = (isNaN(slack) ? 0 : slack) + grip.slack;
    }
    const patches = hasPatches(run) ? patchesAt(run.drawn, frameOf(run)).list : [];
    const pressure = patches.reduce((most, patch) => (isOurs(run, patch.pair) ? Math.max(most, patch.pressure) : most), -Infinity);
    const at = (what) => {
      const curve = pairCurve(what, k);
      return curve ? valueAt(curve, clock.time) : NaN;
    };
    const [normal, friction] = [at("normal"), at("friction")];
    const ratio = normal > 0 && isFinite(friction) ? friction / normal : NaN;
    const held = [...holds].sort(([a], [b]) => a - b);
    const does = held.map(([hold, n]) => HOLDS[hold] + (held.length > 1 ? ` (${n})` : "")).join(", ");
    const coefficients = mu === null || mu.length < 2 ? "–" : mu[0] > 0 ? `${digitsOf(mu[0], 3)} / ${digitsOf(mu[1], 3)}` : "frictionless";
    return [
      labelOf(run), least + count, isNaN(deepest) ? "–" : least + quantity(deepest, "m"), quantity(normal, "N"), quantity(friction, "N"), digitsOf(ratio, 4), coefficients,
      does || "–", sum(slack, "N"), overlapText(span), run.contacts.multiplier && count ? sum(multiplier, "N·s") : "–",
      quantity(pressure, "Pa"),
    ];
  }

  function factsOf(cells) {
    return [...byId("why-rows").parentNode.tHead.rows[0].cells].slice(1).flatMap((head, c) => {
      if (cells[c + 1] === "–") return [];
      const fact = document.createElement("div");
      fact.title = head.title;
      fact.appendChild(document.createElement("dt")).textContent = head.textContent;
      fact.appendChild(document.createElement("dd")).textContent = cells[c + 1];
      return [fact];
    });
  }

  // The contacts of the pair in the run it was picked in, the strongest first.
  function listed() {
    const run = runs[picked.run];
    const now = contactsAt(run, frameOf(run));
    const ours = [];
    for (let c = 0; c < now.count; c++) if (isOurs(run, now.pair[c])) ours.push({ c, ...gripOf(run, now, c) });
    ours.sort((a, b) => b.force - a.force || a.c - b.c);
    const isPicked = ({ c }) => picked.identity !== null && identityAt(run, now, c) === picked.identity;
    const shown = ours.filter((mark, k) => k < MOST_LISTED || isPicked(mark));
    byId("why-more").textContent =
      (run.left[now.frame] > 0 ? `The weakest ${run.left[now.frame]} contacts of this frame are not in this file: sums over the pair are left out. ` : "") +
      (ours.length > shown.length ? `The ${shown.length} strongest of ${ours.length} contacts. ` : "") +
      (picked.identity !== null && !ours.some(isPicked) ? "The picked contact does not act in this frame." : "");
    const cells = shown.map((mark) => {
      const { c, force, normal, friction, slack, hold } = mark;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "pick";
      button.textContent = now.met ? metName(run, now.met[c]) : `contact ${c}`;
      button.setAttribute("aria-pressed", isPicked(mark));
      button.addEventListener("click", () => pick(picked.run, c));
      const span = now.span ? now.span.subarray(2 * c, 2 * c + 2) : [0, 0];
      const row = rowOf([
        button, quantity(force, "N"), quantity(normal, "N"), now.friction ? quantity(friction, "N") : "–", HOLDS[hold],
        quantity(slack, "N"), quantity(now.depth[c], "m"), overlapText(span), now.multiplier ? quantity(now.multiplier[c], "N·s") : "–",
      ]);
      if (isPicked(mark)) row.className = "picked";
      return row;
    });
    byId("why-list-title").textContent = `Contacts of the pair${run.label ? `, ${run.label}` : ""}, ${frameOf(run) === 0 ? "before the first step" : `frame ${frameOf(run) + 1}`}`;
    // A row that has the focus keeps it.
    const focused = document.activeElement && document.activeElement.className === "pick";
    fill(byId("why-contacts"), cells);
    const again = focused && byId("why-contacts").querySelector("[aria-pressed=true]");
    if (again) again.focus({ preventScroll: true });
  }

  function show() {
    if (!picked) return;
    byId("why-title").textContent = `Contact ${label()} at ${timeText(clock.time, clock.resolution)}`;
    const cells = runs.map(pairCells);
    fill(byId("why-rows"), cells.map((row) => rowOf(row, true)));
    // One run is read down, not across.
    if (runs.length === 1) byId("why-facts").replaceChildren(...factsOf(cells[0]));
    listed();
    rows.forEach((row) => row.follow());
  }

  // Curves and phases: of the picked contact, then of the pair in each run.
  function histories() {
    const theme = readTheme();
    const style = (k) => curveStyle(theme, k);
    rows = [];
    if (picked.rows) {
      const history = contactHistory(runs[picked.run], picked.rows);
      // Where it was among the weakest of a frame that is not whole, nobody knows.
      const partly = runs[picked.run].left.some((n) => n > 0) ? " where it is kept" : "";
      const name = runs.length > 1 ? `the contact${partly}, ${labelOf(runs[picked.run])}` : `the contact${partly}`;
      rows.push(historyRow(name, history, clock, style(picked.run)));
    }
    runs.forEach((run, k) => {
      const name = run.label ? `the pair, ${run.label}` : "the pair";
      rows.push(historyRow(name, pairHistory(pairCurve("normal", k)), clock, style(k)));
    });
    byId("why-history").replaceChildren(...rows.map(({ row }) => row));
    rows.forEach((row) => row.follow());
  }

  function open(next) {
    picked = next;
    panel.hidden = false;
    for (const viewer of viewers) {
      const here = viewer.model === runs[picked.run] && picked.identity !== null;
      viewer.ringed = here ? (now) => (now.met ? now.met.findIndex((row) => picked.rows.has(row)) : -1) : null;
      viewer.request();
    }
    choose(label());
    show();
    histories();
  }

  // Contact `c` of the present frame of run `k`.
  function pick(k, c) {
    const run = runs[k];
    const now = contactsAt(run, frameOf(run));
    const bodies = c < now.count ? run.pairs[now.pair[c]] : null;
    if (!bodies) return false;
    const identity = identityAt(run, now, c);
    open({ run: k, at: c, ...pairOf(run, bodies), identity, rows: identity === null ? null : metRows(run, identity) });
    return true;
  }

  // The next contact of the frame, or the one before; of the first run that has any where nothing is picked.
  function move(by) {
    const has = (run) => contactsAt(run, frameOf(run)).count > 0;
    const k = picked && has(runs[picked.run]) ? picked.run : runs.findIndex(has);
    if (k < 0) return;
    const now = contactsAt(runs[k], frameOf(runs[k]));
    // The one picked, where it is still there; a vertex may stand on two faces at once, and both are its contact.
    const same = (c) => picked && picked.run === k && c < now.count && (picked.identity === null || identityAt(runs[k], now, c) === picked.identity);
    let at = picked && same(picked.at) ? picked.at : -1;
    for (let c = 0; picked && picked.run === k && picked.identity !== null && c < now.count && at < 0; c++) {
      if (identityAt(runs[k], now, c) === picked.identity) at = c;
    }
    pick(k, at < 0 ? (by > 0 ? 0 : now.count - 1) : (at + by + now.count) % now.count);
  }

  function close() {
    picked = null;
    panel.hidden = true;
    for (const viewer of viewers) {
      viewer.ringed = null;
      viewer.request();
    }
  }
  const reveal = () => picked && panel.scrollIntoView({ block: "nearest" });

  byId("why-before").addEventListener("click", () => move(-1));
  byId("why-next").addEventListener("click", () => move(1));
  byId("why-close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || event.target.type === "search") return;
    if (event.key.toLowerCase() === "n") {
      move(event.shiftKey ? -1 : 1);
      reveal();
    } else if (event.key === "Escape" && picked) close();
    else return;
    event.preventDefault();
  });
  clock.on("time", show);
  // #pair=0,1 opens it for two bodies, #contact=3 for a contact of the first run that has so many in the frame.
  return {
    pick,
    reveal,
    fromAddress() {
      if (addressed.has("contact")) {
        const c = Number(addressed.get("contact"));
        const k = runs.findIndex((run) => contactsAt(run, frameOf(run)).count > c);
        if (k >= 0 && c >= 0) pick(k, c);
      } else if (addressed.has("pair")) {
        const bodies = addressed.get("pair").split(",").map(Number);
        // Numbers of the first run that has them.
        const whose = runs.find((run) => bodies.every((b) => run.bodies[b]));
        if (bodies.length === 2 && whose) {
          // Of the first run in which they touch now, if there is one.
          picked = pairOf(whose, bodies);
          const touches = (run) => contactsAt(run, frameOf(run)).pair.some((pair) => isOurs(run, pair));
          open({ run: Math.max(0, runs.findIndex(touches)), ...picked, identity: null, rows: null });
        }
      }
    },
    repaint: () => picked && histories(),
  };
}
