// Puts the page of a comparison together: a picture for each run on one clock and one camera, curves of all runs over each other.

const raw = JSON.parse(byId("data").textContent);
const shapes = raw.shapes.map(unpackShape);
const runs = raw.runs.map((run) => ({ label: run.label, ...unpackRun(run, shapes) }));
const plotData = raw.plots.map(unpackPlot);
const longest = runs.reduce((most, run) => (run.time.length > most.length ? run.time : most), []);
const clock = makeClock({ time: longest, plots: plotData });
const theme = readTheme();

const playable = runs.filter((run) => run.bodies.length > 0);
const shared = sharedView(playable.length ? playable : runs);
const viewers = [];
runs.forEach((run, k) => {
  const el = (id) => byId(`${id}-${k}`);
  const viewer = run.bodies.length > 0 ? attachViewer(run, clock, theme, el, shared) : null;
  if (!viewer) return;
  viewer.run = k;
  viewers.push(viewer);
});
byId("twins").hidden = playable.length === 0;
if (viewers.length === 0) byId("tools").hidden = byId("bodies").hidden = true;
attachTransport(clock, viewers.length ? attachTools(viewers, byId) : null);

const plots = [];
for (const data of plotData) {
  const { card, plot } = buildPlot(data, clock, theme);
  byId("plots").append(card);
  if (plot) plots.push(plot);
}
attachWhy(viewers);
followPage(viewers, plots, clock);

// The contact that was clicked on, in all runs at once: what the pair does at this time, and its curves.
function attachWhy(viewers) {
  const panel = byId("why");
  const curveOf = (id, group, run) => {
    const data = plotData.find((plot) => plot.id === id);
    return data && data.curves.find((curve) => curve.group === group && curve.run === run);
  };
  let bodies = null;
  // Of the run with most bodies, where they differ.
  const fullest = runs.reduce((most, run) => (run.bodies.length > most.length ? run.bodies : most), []);
  const names = () => bodies.map((b) => (fullest[b] ? fullest[b].name : `body ${b}`));
  const label = () => `${names()[0]} – ${bodies[0] === bodies[1] ? "itself" : names()[1]}`;

  function show() {
    if (!bodies) return;
    const at = (id, group, run) => {
      const curve = curveOf(id, group, run);
      return curve ? valueAt(curve, clock.time) : NaN;
    };
    const rows = runs.map((run, k) => {
      const { i, j, s } = frameAt(run.time, clock.time);
      const now = contactsAt(run, s < 0.5 ? i : j);
      let count = 0;
      let deepest = -Infinity;
      const span = [Infinity, -Infinity];
      let multiplier = 0;
      const ours = (row) => {
        const pair = run.pairs[row];
        return pair && Math.min(...pair) === bodies[0] && Math.max(...pair) === bodies[1];
      };
      for (let c = 0; c < now.count; c++) {
        if (!ours(now.pair[c])) continue;
        count++;
        deepest = Math.max(deepest, now.depth[c]);
        if (now.span && now.span[2 * c + 1] > 0) {
          span[0] = Math.min(span[0], now.span[2 * c]);
          span[1] = Math.max(span[1], now.span[2 * c + 1]);
        }
        if (now.multiplier) multiplier += now.multiplier[c];
      }
      const patches = hasPatches(run) ? patchesAt(run.drawn, s < 0.5 ? i : j).list : [];
      const pressure = patches.reduce((most, patch) => (ours(patch.pair) ? Math.max(most, patch.pressure) : most), -Infinity);
      const normal = at("force", `${label()}, normal`, k);
      const friction = at("force", `${label()}, friction`, k);
      const ratio = normal > 0 && isFinite(friction) ? friction / normal : NaN;
      const overlap = span[1] > 0 ? `${digitsOf(span[0], 3)} to ${digitsOf(span[1], 3)}` : "–";
      return [
        run.label, String(count), quantity(deepest, "m"), quantity(normal, "N"), quantity(friction, "N"), digitsOf(ratio, 4), overlap,
        run.contacts.multiplier ? quantity(multiplier, "N·s") : "–", quantity(pressure, "Pa"),
      ];
    });
    byId("why-title").textContent = `Contact ${label()} at ${timeText(clock.time, clock.resolution)}`;
    const body = byId("why-rows");
    body.replaceChildren(
      ...rows.map((cells) => {
        const row = document.createElement("tr");
        cells.forEach((text, c) => {
          const cell = document.createElement(c ? "td" : "th");
          cell.textContent = text;
          if (c) cell.className = "n";
          row.append(cell);
        });
        return row;
      }),
    );
  }

  for (const viewer of viewers) {
    let down = null;
    viewer.canvas.addEventListener("pointerdown", (event) => (down = [event.offsetX, event.offsetY]));
    viewer.canvas.addEventListener("click", (event) => {
      if (!down || Math.hypot(event.offsetX - down[0], event.offsetY - down[1]) > 4) return;
      const c = viewer.contactAt(event);
      if (c < 0) return;
      const pair = viewer.model.pairs[viewer.parts.marks.state.now.pair[c]];
      bodies = [Math.min(...pair), Math.max(...pair)];
      panel.hidden = false;
      for (const plot of plots) {
        if (plot.data.id === "force") plot.choose(`${label()}, normal`);
        if (plot.data.id === "friction-ratio") plot.choose(label());
      }
      show();
    });
  }
  clock.on("time", show);
  // #pair=0,1 opens it without a click.
  if (addressed.has("pair")) {
    bodies = addressed.get("pair").split(",").map(Number);
    panel.hidden = !bodies.every((b) => fullest[b]);
    if (panel.hidden) bodies = null;
    show();
  }
}
