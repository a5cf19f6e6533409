// Puts the page of a comparison together: a picture for each run on one clock and one camera, curves of all runs over each other.

const raw = JSON.parse(byId("data").textContent);
const shapes = raw.shapes.map(unpackShape);
const runs = raw.runs.map((run) => ({ label: run.label, ...unpackRun(run, shapes) }));
const longest = runs.reduce((most, run) => (run.time.length > most.length ? run.time : most), []);
const clock = makeClock(longest, raw.span);
const theme = readTheme();

const playable = runs.filter((run) => run.bodies.length > 0);
const shared = sharedView(runs);
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
viewers.forEach((viewer) => viewer.draw());

whenRead((rest) => {
  runs.forEach((run, k) => completeRun(run, raw.runs[k], rest.runs[k]));
  completeView(shared, runs);
  viewers.forEach((viewer) => viewer.complete());
  attachTransport(clock, viewers.length ? attachTools(viewers, byId) : null);
  const plotData = rest.plots.map(unpackPlot);
  const plots = buildPlots(plotData, clock, theme);
  const curveOf = (what, label, run) => {
    const data = plotData.find((plot) => plot.id === "force");
    return data && data.curves.find((curve) => curve.group === `${label}, ${what}` && curve.run === run);
  };
  const choose = (label) => {
    for (const plot of plots) {
      if (plot.data.id === "force") plot.choose(`${label}, normal`);
      if (plot.data.id === "friction-ratio") plot.choose(label);
    }
  };
  const why = attachWhy({ runs, viewers, clock, curveOf, choose });
  const card = viewers.length ? attachPicked({ runs, viewers, clock, bodies: shared.bodies, why }) : null;
  followPage(viewers, plots, clock, why, card);
});
