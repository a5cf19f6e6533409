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
const curveOf = (what, label, run) => {
  const data = plotData.find((plot) => plot.id === "force");
  return data && data.curves.find((curve) => curve.group === `${label}, ${what}` && curve.run === run);
};
function choose(label) {
  for (const plot of plots) {
    if (plot.data.id === "force") plot.choose(`${label}, normal`);
    if (plot.data.id === "friction-ratio") plot.choose(label);
  }
}
const why = attachWhy({ runs, viewers, clock, curveOf, choose });
followPage(viewers, plots, clock, why);
